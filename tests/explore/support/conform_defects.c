#include "explore/explorers.h"
#include "explore/support/conform.h"

uint64_t *conform_outside;

static uint32_t some_runs(void *state, const struct rh_world *w)
{
    (void)w;
    return (*(uint32_t *)state)++ < 10;
}
static uint32_t last_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)state, (void)w, (void)open;
    return count - 1;
}

/* ---- explorers --------------------------------------------------------------------------------------------------- */

/* Is no function of its seed. */
static uint32_t moody_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)state, (void)w, (void)open;
    return (uint32_t)(++*conform_outside / 3 % count);
}
static const struct rh_explorer moody = {
    .name = "moody", .state_size = 8, .begin = some_runs, .choose = moody_choose
};
RH_EXPLORER(moody)

/* Gives its work away, and keeps it. */
static size_t greedy_pack(void *state, void *buffer, size_t room, bool half)
{
    (void)state, (void)half;
    return room ? (*(unsigned char *)buffer = 1, 1) : 0;
}
static bool greedy_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    (void)w, (void)item;
    *(uint32_t *)state = 0;
    return size == 1;
}
static const struct rh_explorer_share greedy_share = { .pack = greedy_pack, .unpack = greedy_unpack };
static const struct rh_explorer greedy = {
    .name = "greedy", .state_size = 8, .begin = some_runs, .choose = last_choose, .share = &greedy_share
};
RH_EXPLORER(greedy)

/* Says that it has seen everything after its first runs. */
static enum rh_verdict boaster_verdict(const void *state)
{
    (void)state;
    return RH_VERDICT_EXHAUSTIVE;
}
static const struct rh_explorer_report boaster_report = { .verdict = boaster_verdict };
static const struct rh_explorer boaster = {
    .name = "boaster", .state_size = 8, .begin = some_runs, .choose = last_choose, .report = &boaster_report
};
RH_EXPLORER(boaster)

/* Counts its runs in memory that a crash of the program takes away. */
static uint32_t amnesiac_runs;
static bool amnesiac_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error, size_t size)
{
    (void)state, (void)x, (void)a, (void)error, (void)size;
    amnesiac_runs = 0;
    return true;
}
static uint32_t amnesiac_begin(void *state, const struct rh_world *w)
{
    (void)state, (void)w;
    return amnesiac_runs++ < 10;
}
static uint32_t amnesiac_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)state, (void)w, (void)open;
    return amnesiac_runs % count;
}
static const struct rh_explorer amnesiac = {
    .name = "amnesiac", .state_size = 8, .open = amnesiac_open, .begin = amnesiac_begin, .choose = amnesiac_choose
};
RH_EXPLORER(amnesiac)

/* ---- decorators -------------------------------------------------------------------------------------------------- */

#define DECORATOR(table, ...)                                                                                          \
    static const struct rh_explorer table = { .name = #table,                                                          \
                                              .state_size = 64,                                                        \
                                              .arguments = rh_only_arguments,                                          \
                                              .open = rh_only_open,                                                    \
                                              .decorator = &rh_only_decorator,                                         \
                                              __VA_ARGS__ };                                                           \
    RH_EXPLORER(table)

/* Ends the search after two runs, and lets EXPLORER speak of all of them. */
struct counting {
    struct rh_inner inner;
    uint32_t begins;
};
static uint32_t stopper_begin(void *state, const struct rh_world *w)
{
    struct counting *c = state;
    return c->begins++ < 2 ? rh_inner_begin(&c->inner, w) : 0;
}
DECORATOR(stopper, .begin = stopper_begin, .report = &rh_only_report)

/* Loses half of the work that it passes on. */
static size_t loser_pack(void *state, void *buffer, size_t room, bool half)
{
    static unsigned char lost[1 << 15];
    rh_inner_pack(state, lost, sizeof lost, true);
    return rh_inner_pack(state, buffer, room, half);
}
static const struct rh_explorer_share loser_share = { .pack = loser_pack };
DECORATOR(loser, .share = &loser_share)

/* Does not tell EXPLORER of runs that fail. */
static void deaf_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    if (!rh_outcome_failed(run->outcome))
        rh_inner_end(state, w, run);
}
DECORATOR(deaf, .end = deaf_end)

/* Keep one event less than EXPLORER wants; one more. */
static uint32_t shy_begin(void *state, const struct rh_world *w)
{
    uint32_t keep = rh_inner_begin(state, w);
    return keep > 1 ? keep - 1 : keep;
}
DECORATOR(shy, .begin = shy_begin, .report = &rh_only_report)
static uint32_t grabby_begin(void *state, const struct rh_world *w)
{
    uint32_t keep = rh_inner_begin(state, w);
    return keep > 1 ? keep + 1 : keep;
}
DECORATOR(grabby, .begin = grabby_begin, .report = &rh_only_report)

/* Makes a run of its own between two runs of EXPLORER, and keeps events as if there were none. */
static bool is_own_run(const struct counting *c)
{
    return c->begins % 2 == 0;
}
static uint32_t mixed_begin(void *state, const struct rh_world *w)
{
    struct counting *c = state;
    c->begins++;
    return is_own_run(c) ? 1 : rh_inner_begin(&c->inner, w);
}
static uint32_t mixed_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct counting *c = state;
    return is_own_run(c) ? count - 1 : rh_inner_choose(&c->inner, w, open, count);
}
static void mixed_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct counting *c = state;
    if (!is_own_run(c))
        rh_inner_end(&c->inner, w, run);
}
DECORATOR(mixed, .begin = mixed_begin, .choose = mixed_choose, .end = mixed_end, .report = &rh_only_report)

/* Cuts a run that EXPLORER abandons. */
static uint32_t clumsy_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t pick = rh_inner_choose(state, w, open, count);
    return pick < count ? pick : RH_NONE;
}
DECORATOR(clumsy, .choose = clumsy_choose, .report = &rh_only_report)

/* Goes on with a run that EXPLORER abandons. */
static uint32_t stubborn_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t pick = rh_inner_choose(state, w, open, count);
    return pick == RH_ABANDON || pick == RH_ASIDE ? 0 : pick;
}
DECORATOR(stubborn, .choose = stubborn_choose, .report = &rh_only_report)

/* Speak for EXPLORER, and do not ask it. */
static void silent_notes(const void *state, char *buffer, size_t size)
{
    (void)state;
    snprintf(buffer, size, "nothing to say");
}
static const struct rh_explorer_report silent_report = { .notes = silent_notes };
DECORATOR(silent, .report = &silent_report)
static bool denier_diverged(const void *state)
{
    (void)state;
    return false;
}
static const struct rh_explorer_report denier_report = { .diverged = denier_diverged };
DECORATOR(denier, .report = &denier_report)

bool conform_is_defect(const struct rh_explorer *e)
{
    return e == &moody || e == &greedy || e == &boaster || e == &amnesiac;
}
