/* See classes.h. */
#include "explore/samplers/classes.h"

#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "explore/explorers.h"
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

/* Of a choice that is no timer. */
static uint32_t class_of_other(const struct rh_choice *c)
{
    uint32_t budget = budget_of(c);
    switch (c->kind) {
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

/* Classes are asked for at each step and for each choice: those that follow from the kind alone are in a table. */
enum { BY_TIMER = RH__CLASS_COUNT, BY_CHOICE };

static void fill_kinds(struct rh__classes *x)
{
    for (uint32_t kind = 0; kind < RH__CHOICE_KINDS; kind++)
        x->of_kind[kind] = (uint8_t)class_of_other(&(struct rh_choice){ .kind = kind });
    x->of_kind[RH_CHOICE_TIMER] = BY_TIMER;
    x->of_kind[RH_CHOICE_OPEN] = BY_CHOICE;
}

static inline uint32_t class_of(const struct rh__classes *x, const struct rh_world *w, const struct rh_choice *c)
{
    uint32_t class = x->of_kind[c->kind];
    if (__builtin_expect(class < RH__CLASS_COUNT, 1))
        return class;
    return class == BY_TIMER ? class_of_timer(w, c->what) : class_of_other(c);
}

void rh__classes_open(struct rh__classes *x, const struct rh_arguments *a)
{
#define X(name, weight, help)                                                                                          \
    x->given[RH__CLASS_##name] = (uint64_t)(rh_arguments_real(a, #name, weight) * RH__WEIGHT_ONE) + 1;
    RH__CLASSES(X)
#undef X
    fill_kinds(x);
}

/* ---- what a run draws -------------------------------------------------------------------------------------------- */

/* In order. */
static void insert(uint32_t *steps, uint32_t count, uint32_t step)
{
    uint32_t at = count;
    for (; at > 0 && steps[at - 1] > step; at--)
        steps[at] = steps[at - 1];
    steps[at] = step;
}

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
            insert(x->step[b], i, 1 + rh__random_below(&x->random, length));
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

uint64_t rh__speed_of(enum rh__speeds speeds, uint64_t seed, const struct rh__run *r, const struct rh_choice *c)
{
    if (speeds == RH__SPEED_NONE || c->kind != RH_CHOICE_DELIVER)
        return 1;
    uint64_t sender = speeds == RH__SPEED_RECEIVER ? 0 : rh__run_message(r, c->what)->sender + 1u;
    uint64_t receiver = speeds == RH__SPEED_SENDER ? 0 : c->actor + 1u;
    return (uint64_t)1 << rh__mix(seed, sender << 32 | receiver) % 7;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

/* More faults were due by this step than were taken. */
static inline bool is_due(const struct rh__classes *x, uint32_t budget, uint32_t step)
{
    uint32_t used = x->used[budget];
    return used < x->faults[budget] && x->step[budget][used] <= step;
}

/* Timers of different names have different purposes: varied, their weights are from a quarter to four times the one
 * that the run has drawn for timers. */
static void weigh_named(struct rh__classes *x)
{
    uint64_t weight = x->now[RH__CLASS_timer];
    for (uint32_t c = RH__CLASS_named; c < RH__CLASS_COUNT; c++)
        x->now[c] = x->varied ? (weight << rh__mix(x->seed, c) % 5 >> 2) + 1 : weight;
}

static inline uint64_t weight_of(const struct rh__classes *x, uint32_t class, uint32_t step)
{
    bool fault = class >= RH__CLASS_fault && class < RH__CLASS_named;
    bool stray = fault && !is_due(x, class - RH__CLASS_fault, step);
    return stray ? x->now[class] / STRAY + 1 : x->now[class];
}

/* Uniform below n.  Sums of weights and of factors need more than 32 bits; the bias is below 2^-20. */
static uint64_t draw_below(uint64_t *random, uint64_t n)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)rh__random_next(random) * n >> 64);
}

/* Of the choices of each class: the sum of their factors and the largest one.  `there` has a bit for each class that
 * has a choice. */
struct sums {
    uint64_t sum[RH__CLASS_COUNT], largest[RH__CLASS_COUNT];
    uint64_t there;
};
_Static_assert(RH__CLASS_COUNT <= 64, "a bit for each class");

static uint32_t draw_class(struct rh__classes *x, const struct sums *f, uint32_t step, bool shrinks)
{
    uint64_t weight[RH__CLASS_COUNT], sum = 0;
    uint32_t class = 0;
    for (uint64_t bits = f->there; bits; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(bits);
        weight[i] = weight_of(x, i, step);
        if (shrinks)
            weight[i] = weight[i] / RH__FACTOR_FULL * f->largest[i] + 1;
        sum += weight[i];
    }
    uint64_t left = draw_below(&x->random, sum);
    for (uint64_t bits = f->there;; bits &= bits - 1) {
        class = (uint32_t)__builtin_ctzll(bits);
        if (left < weight[class])
            return class;
        left -= weight[class];
    }
}

/* Of a run that begins with a part of another one: what was drawn for the steps of that part is over. */
static void skip_faults(struct rh__classes *x, uint32_t step)
{
    for (uint32_t b = 0; b < RH__BUDGETS_END; b++)
        for (uint32_t i = 0; i < x->faults[b]; i++)
            x->used[b] += x->step[b][i] < step;
}

/* The first choice of a run: the explorer has said what its weights are. */
static void begin_choosing(struct rh__classes *x, uint32_t step)
{
    x->chose = true;
    skip_faults(x, step);
    weigh_named(x);
}

/* Choices from number `from` on that are of one class: those of one kind stand together. */
struct group {
    uint32_t class, from, count;
};

static inline struct group group_at(const struct rh__classes *x, const struct rh_world *w, const struct rh_choice *open,
                                    uint32_t count, uint32_t from)
{
    uint32_t end = from + 1;
    if (x->of_kind[open[from].kind] < RH__CLASS_COUNT)
        while (end < count && open[end].kind == open[from].kind)
            end++;
    return (struct group){ class_of(x, w, &open[from]), from, end - from };
}

/* A list of choices, with what of it is needed twice if it has no more than a usual length. */
enum { KEPT = 64 };
struct list {
    const struct rh_choice *open;
    uint32_t count, groups;
    struct group group[KEPT];
    uint64_t value[KEPT];
};

static inline struct group group_again(const struct list *l, const struct rh__classes *x, const struct rh_world *w,
                                       uint32_t number, uint32_t from)
{
    return number < KEPT ? l->group[number] : group_at(x, w, l->open, l->count, from);
}

static inline void keep_group(struct list *l, const struct group *g)
{
    if (l->groups < KEPT)
        l->group[l->groups++] = *g;
}

static inline void add(struct sums *f, uint32_t class, uint64_t sum, uint64_t largest)
{
    bool first = !(f->there >> class & 1);
    f->there |= (uint64_t)1 << class;
    f->sum[class] = sum + (first ? 0 : f->sum[class]);
    f->largest[class] = first || largest > f->largest[class] ? largest : f->largest[class];
}

/* All choices of a class alike. */
static uint32_t choose_evenly(struct rh__classes *x, const struct rh_world *w, struct list *l, uint32_t step,
                              uint32_t *class)
{
    struct sums f;
    f.there = 0;
    for (uint32_t i = 0; i < l->count;) {
        struct group g = group_at(x, w, l->open, l->count, i);
        add(&f, g.class, g.count, 1);
        keep_group(l, &g);
        i += g.count;
    }
    *class = draw_class(x, &f, step, false);
    uint32_t left = (uint32_t)draw_below(&x->random, f.sum[*class]);
    for (uint32_t i = 0, n = 0;; n++) {
        struct group g = group_again(l, x, w, n, i);
        if (g.class == *class && left < g.count)
            return i + left;
        left -= g.class == *class ? g.count : 0;
        i += g.count;
    }
}

static inline bool has_factors(const struct list *l, const struct group *g)
{
    uint32_t kind = l->open[g->from].kind;
    return kind == RH_CHOICE_DELIVER || kind == RH_CHOICE_TIMER;
}

static void add_factors(struct sums *f, struct list *l, const struct group *g, const struct rh_world *w,
                        const struct rh__factors *by)
{
    uint64_t sum = 0, largest = 0;
    for (uint32_t i = g->from; i < g->from + g->count; i++) {
        uint64_t value = by->of(by->state, w, &l->open[i]);
        if (i < KEPT)
            l->value[i] = value;
        sum += value;
        largest = value > largest ? value : largest;
    }
    add(f, g->class, sum, largest);
}

static inline uint64_t factor_again(const struct list *l, uint32_t i, const struct rh_world *w,
                                    const struct rh__factors *by)
{
    return i < KEPT ? l->value[i] : by->of(by->state, w, &l->open[i]);
}

static uint32_t choose_by_factor(struct rh__classes *x, const struct rh_world *w, struct list *l,
                                 const struct rh__factors *by, uint32_t step, uint32_t *class)
{
    struct sums f;
    f.there = 0;
    for (uint32_t i = 0; i < l->count;) {
        struct group g = group_at(x, w, l->open, l->count, i);
        if (has_factors(l, &g))
            add_factors(&f, l, &g, w, by);
        else
            add(&f, g.class, g.count * by->other, by->other);
        keep_group(l, &g);
        i += g.count;
    }
    *class = draw_class(x, &f, step, by->shrinks);
    uint64_t left = draw_below(&x->random, f.sum[*class]);
    for (uint32_t i = 0, n = 0;; n++) {
        struct group g = group_again(l, x, w, n, i);
        uint32_t end = i + g.count;
        bool factors = has_factors(l, &g);
        for (; i < end && g.class == *class; i++) {
            uint64_t value = factors ? factor_again(l, i, w, by) : by->other;
            if (left < value)
                return i;
            left -= value;
        }
        i = end;
    }
}

uint32_t rh__classes_choose(struct rh__classes *x, const struct rh_world *w, const struct rh_choice *open,
                            uint32_t count, const struct rh__factors *factors)
{
    uint32_t step = rh__depth(w), class;
    struct list l;
    if (!x->chose)
        begin_choosing(x, step);
    l.open = open;
    l.count = count;
    l.groups = 0;
    uint32_t i = factors ? choose_by_factor(x, w, &l, factors, step, &class) : choose_evenly(x, w, &l, step, &class);
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
        if (is_taken_now(x, class_of(x, w, &open[i]), rh__depth(w)) && rh__random_below(&x->random, ++equal) == 0)
            best = i;
    uint32_t class = best == RH_NONE ? 0 : class_of(x, w, &open[best]);
    if (class >= RH__CLASS_fault && class < RH__CLASS_named)
        x->used[class - RH__CLASS_fault]++;
    return best;
}
