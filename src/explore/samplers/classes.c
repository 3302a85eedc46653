/* See classes.h. */
#include "explore/samplers/classes.h"

#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "explore/explorers.h"
#include "run/run.h"
#include "world/live.h"

enum {
    FIRST_LENGTH = 64, /* of runs, before there was one */
    STRAY = 512,       /* a fault that is not due has this part of the weight of one that is */
    ALMOST_OFF = 16,   /* varied weights: this part of the weight */
};

const struct rh_argument rh__class_arguments[] = {
#define X(row, weight, text)                                                                                           \
    { .name = #row, .kind = RH_ARGUMENT_REAL, .least = 1e-6, .most = 1e6, .named = true, .help = "weight: " text },
    RH__CLASSES(X)
#undef X
        { .name = NULL },
};

void rh__classes_open(struct rh__classes *x, const struct rh_arguments *a)
{
#define X(name, weight, help)                                                                                          \
    x->given[RH__CLASS_##name] = (uint64_t)(rh_arguments_real(a, #name, weight) * RH__WEIGHT_ONE) + 1;
    RH__CLASSES(X)
#undef X
}

static uint32_t budget_of(const struct rh_choice *c)
{
#define X(field, spends, option, help)                                                                                 \
    if (spends)                                                                                                        \
        return RH__BUDGET_##field;
    RH_BUDGETS(X)
#undef X
    return RH__BUDGETS_END;
}

/* The end of a wait or a sleep has no name. */
static uint32_t class_of_timer(const struct rh_world *w, uint32_t timer)
{
    uint64_t name = rh__timer_name_hash(w, timer);
    return name ? RH__CLASS_named + (uint32_t)(name % RH__TIMER_NAMES) : RH__CLASS_timer;
}

static uint32_t class_of_other(const struct rh_world *w, const struct rh_choice *c)
{
    uint32_t budget = budget_of(c);
    switch (c->kind) {
    case RH_CHOICE_TIMER:
        return class_of_timer(w, c->what);
    case RH_CHOICE_STORED:
        return RH__CLASS_stored;
    case RH_CHOICE_OUTSIDE:
        return RH__CLASS_outside;
    case RH_CHOICE_RESTART:
        return RH__CLASS_restart;
    case RH_CHOICE_HEAL:
        return RH__CLASS_heal;
    default:
        if (budget < RH__BUDGETS_END)
            return RH__CLASS_fault + budget;
        return c->kind == RH_CHOICE_VALUE || c->kind == RH_CHOICE_OPEN ? RH__CLASS_value : RH__CLASS_deliver;
    }
}

/* Most choices are deliveries. */
static inline uint32_t class_of(const struct rh_world *w, const struct rh_choice *c)
{
    return c->kind == RH_CHOICE_DELIVER ? RH__CLASS_deliver : class_of_other(w, c);
}

/* ---- what a run draws -------------------------------------------------------------------------------------------- */

static void draw_faults(struct rh__classes *x, const struct rh_semantics *s, uint32_t length, bool varied)
{
    const uint32_t most[RH__BUDGETS_END] = {
#define X(field, spends, option, help) s->field,
        RH_BUDGETS(X)
#undef X
    };
    for (uint32_t b = 0; b < RH__BUDGETS_END; b++) {
        uint32_t some = most[b] < RH__MOST_FAULTS ? most[b] : RH__MOST_FAULTS;
        x->used[b] = 0;
        x->faults[b] = rh__random_below(&x->random, some + 1);
        if (varied && rh__random_below(&x->random, 2))
            x->faults[b] = 0;
        for (uint32_t i = 0; i < x->faults[b]; i++)
            x->step[b][i] = 1 + rh__random_below(&x->random, length);
    }
}

/* A quarter of the classes almost off; the others from an eighth to eight times their weight. */
static uint64_t draw_weight(struct rh__classes *x, uint64_t weight)
{
    uint32_t shift = rh__random_below(&x->random, 7);
    if (rh__random_below(&x->random, 4) == 0)
        return weight / ALMOST_OFF + 1;
    return (weight << shift >> 3) + 1;
}

void rh__classes_begin(struct rh__classes *x, const struct rh_semantics *s, uint64_t seed, uint32_t length, bool varied)
{
    x->random = x->seed = seed;
    x->varied = varied;
    x->chose = false;
    draw_faults(x, s, length ? length : FIRST_LENGTH, varied);
    for (uint32_t c = 0; c < RH__CLASS_named; c++) {
        x->now[c] = x->given[c < RH__CLASS_fault ? c : RH__CLASS_fault];
        if (varied)
            x->now[c] = draw_weight(x, x->now[c]);
    }
}

uint32_t rh__classes_learn(uint32_t length, const struct rh_run *run)
{
    return (uint32_t)(length ? (3 * (uint64_t)length + run->events + 3) / 4 : run->events);
}

uint64_t rh__speed_of(enum rh__speeds speeds, uint64_t seed, const struct rh_world *w, const struct rh_choice *c)
{
    if (speeds == RH__SPEED_NONE || c->kind != RH_CHOICE_DELIVER)
        return 1;
    uint64_t sender = speeds == RH__SPEED_RECEIVER ? 0 : rh__run_message(rh__world_run(w), c->what)->sender + 1u;
    uint64_t receiver = speeds == RH__SPEED_SENDER ? 0 : c->actor + 1u;
    return (uint64_t)1 << rh__mix(seed, sender << 32 | receiver) % 7;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static bool is_due(const struct rh__classes *x, uint32_t budget, uint32_t step)
{
    uint32_t due = 0;
    for (uint32_t i = 0; i < x->faults[budget]; i++)
        due += x->step[budget][i] <= step;
    return due > x->used[budget];
}

/* Timers of different names have different purposes: varied, their weights are from a quarter to four times the one
 * that the run has drawn for timers. */
static uint64_t weight_of_named(const struct rh__classes *x, uint32_t class)
{
    uint64_t weight = x->now[RH__CLASS_timer];
    return x->varied ? (weight << rh__mix(x->seed, class) % 5 >> 2) + 1 : weight;
}

static uint64_t weight_of(const struct rh__classes *x, uint32_t class, uint32_t step)
{
    if (class >= RH__CLASS_named)
        return weight_of_named(x, class);
    bool stray = class >= RH__CLASS_fault && !is_due(x, class - RH__CLASS_fault, step);
    return stray ? x->now[class] / STRAY + 1 : x->now[class];
}

/* Uniform below n.  Sums of weights and of factors need more than 32 bits; the bias is below 2^-20. */
static uint64_t draw_below(uint64_t *random, uint64_t n)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)rh__random_next(random) * n >> 64);
}

/* The sum and the largest of the factors of a class. */
struct factors {
    uint64_t sum, largest;
};

/* `there`: a bit for each class that has a choice. */
static uint32_t draw_class(struct rh__classes *x, const struct factors *f, uint64_t there, uint32_t step, bool shrinks)
{
    uint64_t weight[RH__CLASS_COUNT], sum = 0;
    uint32_t class = 0;
    for (uint64_t bits = there; bits; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(bits);
        weight[i] = weight_of(x, i, step);
        if (shrinks)
            weight[i] = weight[i] / RH__FACTOR_FULL * f[i].largest + 1;
        sum += weight[i];
    }
    uint64_t left = draw_below(&x->random, sum);
    for (uint64_t bits = there;; bits &= bits - 1) {
        class = (uint32_t)__builtin_ctzll(bits);
        if (left < weight[class])
            return class;
        left -= weight[class];
    }
}
_Static_assert(RH__CLASS_COUNT <= 64, "a bit for each class");

/* Of a run that begins with a part of another one: what was drawn for the steps of that part is over. */
static void skip_faults(struct rh__classes *x, uint32_t step)
{
    for (uint32_t b = 0; b < RH__BUDGETS_END; b++)
        for (uint32_t i = 0; i < x->faults[b]; i++)
            x->used[b] += x->step[b][i] < step;
}

uint32_t rh__classes_choose(struct rh__classes *x, const struct rh_world *w, const struct rh_choice *open,
                            uint32_t count, rh__factor_fn *factor, const void *state, bool shrinks)
{
    struct factors f[RH__CLASS_COUNT]; /* of those that are there */
    uint64_t there = 0;
    if (!x->chose)
        skip_faults(x, rh__depth(w));
    x->chose = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t class = class_of(w, &open[i]);
        struct factors *of = &f[class];
        uint64_t value = factor(state, w, &open[i]);
        if (!(there >> class & 1))
            *of = (struct factors){ 0, 0 };
        there |= (uint64_t)1 << class;
        of->sum += value;
        if (value > of->largest)
            of->largest = value;
    }
    uint32_t class = draw_class(x, f, there, rh__depth(w), shrinks), i = 0;
    uint64_t left = draw_below(&x->random, f[class].sum);
    for (;; i++) {
        if (class_of(w, &open[i]) != class)
            continue;
        uint64_t value = factor(state, w, &open[i]);
        if (left < value)
            break;
        left -= value;
    }
    if (class >= RH__CLASS_fault && class < RH__CLASS_named)
        x->used[class - RH__CLASS_fault]++;
    return i;
}

static bool is_taken_now(struct rh__classes *x, uint32_t class, uint32_t step)
{
    if (class >= RH__CLASS_fault && class < RH__CLASS_named)
        return is_due(x, class - RH__CLASS_fault, step);
    if (class != RH__CLASS_restart && class != RH__CLASS_heal)
        return false;
    return draw_below(&x->random, x->now[class] + x->now[RH__CLASS_deliver]) < x->now[class];
}

uint32_t rh__classes_due(struct rh__classes *x, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t best = RH_NONE, equal = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_taken_now(x, class_of(w, &open[i]), rh__depth(w)) && rh__random_below(&x->random, ++equal) == 0)
            best = i;
    uint32_t class = best == RH_NONE ? 0 : class_of(w, &open[best]);
    if (class >= RH__CLASS_fault && class < RH__CLASS_named)
        x->used[class - RH__CLASS_fault]++;
    return best;
}
