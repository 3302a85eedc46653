/* weighted and swarm: a class of choices first, then a choice of that class.
 *
 * A uniform choice among all open choices spends budgets at once: each message under way can also be lost and doubled,
 * each actor can crash, each timer can fire, so most of the first steps of a run are faults and timers.  Here
 *
 *   - a class has a weight, however many choices it has at a step;
 *   - faults are spread over the run.  Each run draws how many faults of each budget it uses, from none to all, and
 *     their steps, uniformly over the length of earlier runs, as PCT draws its change points [PCT 2010, 3].  A fault
 *     that is due has the weight of a fault, any other a small part of it: every open choice keeps a positive
 *     probability.
 *
 * swarm varies this from run to run, because different bugs need different settings [Swarm 2012]: weights that are
 * larger, smaller or almost nothing, budgets that are not used, and channels, senders or receivers of different
 * speeds. */
#include "base/hash.h"
#include "base/random.h"
#include "explore/explorers.h"
#include "explore/samplers/stream.h"

/* X(name, default weight, help).  A budget of faults is a class of its own, with the weight of `fault`. */
#define CLASSES(X)                                                                                                     \
    X(deliver, 1, "an actor takes a message or goes on; default 1")                                                    \
    X(value, 1, "rh_choose, and the opening of a store; default 1")                                                    \
    X(timer, 0.2, "a timer fires or a wait ends; default 0.2")                                                         \
    X(stored, 0.3, "a write becomes durable; default 0.3")                                                             \
    X(outside, 0.2, "a message comes from outside; default 0.2")                                                       \
    X(restart, 0.1, "an actor starts again after a crash; default 0.1")                                                \
    X(heal, 0.1, "the network becomes whole again; default 0.1")                                                       \
    X(fault, 1, "a fault whose step has come; default 1")

enum {
#define X(name, weight, help) CLASS_##name,
    CLASSES(X)
#undef X
};
enum {
#define X(field, spends, option, help) BUDGET_##field,
    RH_BUDGETS(X)
#undef X
        BUDGETS
};
enum { CLASS_COUNT = CLASS_fault + BUDGETS };

enum {
    FIRST_LENGTH = 64, /* of runs, before there was one */
    MOST_FAULTS = 16,  /* of one budget that are drawn for a run */
    ONE = 1 << 20,     /* the weight 1 */
    STRAY = 512,       /* a fault that is not due has this part of the weight of one that is */
    ALMOST_OFF = 16,   /* swarm: this part of the weight */
};

enum speeds { SPEED_NONE, SPEED_CHANNEL, SPEED_SENDER, SPEED_RECEIVER, SPEED_KINDS };

struct weighted {
    struct rh__stream stream; /* `learned` is the length of runs */
    bool swarm;
    uint64_t weight[CLASS_fault + 1]; /* as given */
    /* of the run under way */
    uint64_t random, seed;
    uint64_t now[CLASS_COUNT];               /* weights */
    uint32_t faults[BUDGETS], used[BUDGETS]; /* how many were drawn, and taken so far */
    uint32_t step[BUDGETS][MOST_FAULTS];     /* of each fault that was drawn */
    enum speeds speeds;
};

/* ---- classes ----------------------------------------------------------------------------------------------------- */

static uint32_t budget_of(const struct rh_choice *c)
{
#define X(field, spends, option, help)                                                                                 \
    if (spends)                                                                                                        \
        return BUDGET_##field;
    RH_BUDGETS(X)
#undef X
    return BUDGETS;
}

static uint32_t class_of(const struct rh_choice *c)
{
    uint32_t budget = budget_of(c);
    switch (c->kind) {
    case RH_CHOICE_TIMER:
        return CLASS_timer;
    case RH_CHOICE_STORED:
        return CLASS_stored;
    case RH_CHOICE_OUTSIDE:
        return CLASS_outside;
    case RH_CHOICE_RESTART:
        return CLASS_restart;
    case RH_CHOICE_HEAL:
        return CLASS_heal;
    default:
        if (budget < BUDGETS)
            return CLASS_fault + budget;
        return c->kind == RH_CHOICE_VALUE || c->kind == RH_CHOICE_OPEN ? CLASS_value : CLASS_deliver;
    }
}

/* ---- what a run draws -------------------------------------------------------------------------------------------- */

static void draw_faults(struct weighted *x, const struct rh_semantics *s)
{
    const uint32_t most[BUDGETS] = {
#define X(field, spends, option, help) s->field,
        RH_BUDGETS(X)
#undef X
    };
    uint32_t length = x->stream.learned ? x->stream.learned : FIRST_LENGTH;
    for (uint32_t b = 0; b < BUDGETS; b++) {
        uint32_t some = most[b] < MOST_FAULTS ? most[b] : MOST_FAULTS;
        x->used[b] = 0;
        x->faults[b] = rh__random_below(&x->random, some + 1);
        if (x->swarm && rh__random_below(&x->random, 2))
            x->faults[b] = 0;
        for (uint32_t i = 0; i < x->faults[b]; i++)
            x->step[b][i] = 1 + rh__random_below(&x->random, length);
    }
}

/* A quarter of the classes almost off; the others from an eighth to eight times their weight. */
static uint64_t draw_weight(struct weighted *x, uint64_t weight)
{
    uint32_t shift = rh__random_below(&x->random, 7);
    if (rh__random_below(&x->random, 4) == 0)
        return weight / ALMOST_OFF + 1;
    return (weight << shift >> 3) + 1;
}

static uint32_t weighted_begin(void *state, const struct rh_world *w)
{
    struct weighted *x = state;
    x->random = x->seed = rh__random_next(&x->stream.next);
    draw_faults(x, rh_world_semantics(w));
    for (uint32_t c = 0; c < CLASS_COUNT; c++) {
        x->now[c] = x->weight[c < CLASS_fault ? c : CLASS_fault];
        if (x->swarm)
            x->now[c] = draw_weight(x, x->now[c]);
    }
    x->speeds = x->swarm ? rh__random_below(&x->random, SPEED_KINDS) : SPEED_NONE;
    return x->stream.active;
}

static void weighted_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct weighted *x = state;
    uint64_t before = x->stream.learned;
    (void)w;
    x->stream.learned = (uint32_t)(before ? (3 * before + run->events + 3) / 4 : run->events);
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

/* From 1 to 64, the same for the whole run. */
static uint64_t speed_of(const struct weighted *x, const struct rh_world *w, const struct rh_choice *c)
{
    if (x->speeds == SPEED_NONE || c->kind != RH_CHOICE_DELIVER)
        return 1;
    uint64_t sender = x->speeds == SPEED_RECEIVER ? 0 : rh_world_message(w, c->what).sender + 1u;
    uint64_t receiver = x->speeds == SPEED_SENDER ? 0 : c->actor + 1u;
    return (uint64_t)1 << rh__mix(x->seed, sender << 32 | receiver) % 7;
}

static bool is_due(const struct weighted *x, uint32_t budget, uint32_t step)
{
    uint32_t due = 0;
    for (uint32_t i = 0; i < x->faults[budget]; i++)
        due += x->step[budget][i] <= step;
    return due > x->used[budget];
}

static uint64_t weight_of(const struct weighted *x, uint32_t class, uint32_t step)
{
    bool stray = class >= CLASS_fault && !is_due(x, class - CLASS_fault, step);
    return stray ? x->now[class] / STRAY + 1 : x->now[class];
}

/* Uniform below n.  Sums of weights and of speeds need more than 32 bits; the bias is below 2^-20. */
static uint64_t draw_below(uint64_t *random, uint64_t n)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)rh__random_next(random) * n >> 64);
}

static uint32_t draw_class(struct weighted *x, const struct rh_choice *open, uint32_t count, uint32_t step)
{
    uint64_t weight[CLASS_COUNT] = { 0 }, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t class = class_of(&open[i]);
        if (!weight[class]) {
            weight[class] = weight_of(x, class, step);
            sum += weight[class];
        }
    }
    uint64_t left = draw_below(&x->random, sum);
    uint32_t class = 0;
    while (left >= weight[class])
        left -= weight[class ++];
    return class;
}

static uint32_t weighted_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct weighted *x = state;
    uint32_t class = draw_class(x, open, count, rh__depth(w)), i = 0;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < count; k++)
        if (class_of(&open[k]) == class)
            sum += speed_of(x, w, &open[k]);
    uint64_t left = draw_below(&x->random, sum);
    for (;; i++) {
        if (class_of(&open[i]) != class)
            continue;
        uint64_t speed = speed_of(x, w, &open[i]);
        if (left < speed)
            break;
        left -= speed;
    }
    if (class >= CLASS_fault)
        x->used[class - CLASS_fault]++;
    return i;
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

static const struct rh_argument weighted_arguments[] = {
#define X(row, weight, text)                                                                                           \
    { .name = #row, .kind = RH_ARGUMENT_REAL, .least = 1e-6, .most = 1e6, .named = true, .help = "weight: " text },
    CLASSES(X)
#undef X
        { .name = NULL },
};

static void open_weights(struct weighted *x, const struct rh_arguments *a)
{
#define X(name, weight_, help) x->weight[CLASS_##name] = (uint64_t)(rh_arguments_real(a, #name, weight_) * ONE) + 1;
    CLASSES(X)
#undef X
}

static bool weighted_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                          size_t error_size)
{
    (void)error, (void)error_size;
    rh__stream_open(state, x, RH__STREAM_WEIGHTED);
    open_weights(state, a);
    return true;
}

static bool swarm_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                       size_t error_size)
{
    (void)error, (void)error_size;
    rh__stream_open(state, x, RH__STREAM_SWARM);
    open_weights(state, a);
    ((struct weighted *)state)->swarm = true;
    return true;
}

const struct rh_explorer rh__explorer_weighted = {
    .name = "weighted",
    .summary = "a random class of choices by weight, then one of it; faults are spread over the run",
    .state_size = sizeof(struct weighted),
    .arguments = weighted_arguments,
    .open = weighted_open,
    .begin = weighted_begin,
    .choose = weighted_choose,
    .end = weighted_end,
    .share = &rh__stream_share,
};

const struct rh_explorer rh__explorer_swarm = {
    .name = "swarm",
    .summary = "weighted, with weights, budgets and speeds drawn for each run",
    .state_size = sizeof(struct weighted),
    .arguments = weighted_arguments,
    .open = swarm_open,
    .begin = weighted_begin,
    .choose = weighted_choose,
    .end = weighted_end,
    .share = &rh__stream_share,
};
