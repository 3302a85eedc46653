/* An explorer that prunes where a state was visited before (support/seen.h), against dfs on generated programs: the
 * same outcomes, in fewer runs.  Also when the clock becomes visible on the way, and when the program crashes. */
#include "explore/support/generated_actors.h"
#include "explore/support/program.h"
#include "explore/support/runs.h"
#include "explore/support/seen.h"

#include "support/few.h"

enum { PROGRAMS = MANY_OR_FEW(60, 16), LARGEST = 1500 };

/* ---- outcomes ---------------------------------------------------------------------------------------------------- */

/* Of a run that came to its end: how it ended, and the states of all actors.  Of a run that failed: how. */
struct outcomes {
    uint32_t count;
    uint64_t list[1 << 16];
};
static struct outcomes *outcomes; /* shared memory */

/* A program whose clock becomes visible late.  The poke cancels the timer, or comes after it: then the state is the
 * same and the clock is not.  The looker reads the clock only if the second look comes first. */
RH_MESSAGE(poke);
RH_MESSAGE(bell);
RH_MESSAGE(look, bool second;);
RH_ACTOR(sleeper, bool poked;);
RH_ACTOR(looker, int looks; int64_t at; bool crashes;);
RH_HANDLER(sleeper, rh_start)
{
    (void)state, (void)msg;
    rh_timer("t", 5, bell);
}
RH_HANDLER(sleeper, poke)
{
    (void)msg;
    state->poked = true;
    rh_timer_cancel("t");
}
RH_HANDLER(sleeper, bell)
{
    (void)state, (void)msg;
}
RH_BEHAVIOUR(sleeper, asleep, rh_start, poke, bell);
RH_HANDLER(looker, look)
{
    if (msg->second && !state->looks)
        state->at = 1 + rh_now_ms();
    state->looks++;
    if (state->crashes && state->at == 6)
        __builtin_trap();
}
RH_BEHAVIOUR(looker, looking, look);

RH_TEST(late_clock)
{
    rh_ref s = rh_spawn(sleeper), l = rh_spawn(looker, .crashes = rh_param("crash", 0) != 0);
    rh_send_from(rh_external("a"), l, look, .second = false);
    rh_send_from(rh_external("b"), l, look, .second = true);
    rh_send_from(rh_external("c"), s, poke);
}

static uint64_t state_of(const struct rh_actor_type *type, const void *state)
{
    uint64_t hash = fnv(FNV_START, type->name, strlen(type->name));
#define FIELD(of, name) hash = fnv(hash, &((const struct of *)state)->name, sizeof((const struct of *)state)->name)
    if (type == &rh_actor_taker) {
        FIELD(taker, me);
        FIELD(taker, number);
        FIELD(taker, took);
        FIELD(taker, order);
    } else if (type == &rh_actor_node) {
        FIELD(node, number);
        FIELD(node, children);
    } else if (type == &rh_actor_server) {
        FIELD(server, served);
    } else if (type == &rh_actor_looker) {
        FIELD(looker, looks);
        FIELD(looker, at);
    } else if (type == &rh_actor_sleeper) {
        FIELD(sleeper, poked);
    }
#undef FIELD
    return hash;
}

/* The sum does not depend on the order in which actors were spawned. */
static uint64_t outcome_of(const struct rh_world *w, enum rh_outcome_kind kind)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rh_world_actor_count(w) && !rh_outcome_failed(kind); i++) {
        const struct rh_actor_type *type = rh_world_actor_type(w, i);
        const void *state = type && !rh_world_actor_ended(w, i) ? rh_world_actor_state(w, i) : NULL;
        sum += state ? state_of(type, state) : 1;
    }
    return fnv(fnv(FNV_START, &kind, sizeof kind), &sum, sizeof sum);
}

static void outcomes_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    assert_true(outcomes->count < sizeof outcomes->list / sizeof *outcomes->list);
    if (!run->pruned)
        outcomes->list[outcomes->count++] = outcome_of(w, run->outcome);
    rh_inner_end(state, w, run);
}
SPY(ends_noted, "notes the outcomes of another explorer", outcomes_end)

/* ---- comparing --------------------------------------------------------------------------------------------------- */

struct totals {
    struct outcomes *outcomes; /* each once, sorted */
    uint64_t runs, pruned;
    uint32_t findings;
    bool all; /* the verdict is exhaustive, and no run was cut */
    uint32_t restarts;
    uint64_t pruned_after;
};

static struct totals explore(const char *test, const struct rh_semantics *s, const char *crash, const char *explorer,
                             uint64_t most)
{
    struct rh_param param[] = { { "crash", crash } };
    struct rh_world *w = world_of(test, s, param, crash ? 1 : 0);
    outcomes = rh_shared_new(sizeof *outcomes);
    assert_non_null(outcomes);
    seen_last = NULL;
    struct rh_exploration *x = explored(w, explorer, 1, most);
    struct totals t = { .outcomes = outcomes,
                        .runs = x->results->count.runs,
                        .pruned = x->results->count.pruned,
                        .findings = x->results->finding_count,
                        .all = rh__exploration_verdict(x) == RH_VERDICT_EXHAUSTIVE && !x->results->count.cut,
                        .restarts = seen_last ? seen_last->restarts : 0,
                        .pruned_after = seen_last ? seen_last->pruned_then : 0 };
    uint32_t kept = 0;
    qsort(outcomes->list, outcomes->count, sizeof *outcomes->list, by_number);
    for (uint32_t i = 0; i < outcomes->count; i++)
        if (!i || outcomes->list[i] != outcomes->list[i - 1])
            outcomes->list[kept++] = outcomes->list[i];
    outcomes->count = kept;
    rh__exploration_free(x);
    rh_world_free(w);
    return t;
}

static void release(struct totals *t)
{
    rh_shared_free(t->outcomes, sizeof *t->outcomes);
}

static const char *difference(const struct totals *dfs, const struct totals *pruned)
{
    const struct outcomes *a = dfs->outcomes, *b = pruned->outcomes;
    if (!pruned->all)
        return "the verdict is not exhaustive";
    if (dfs->findings != pruned->findings)
        return "the findings differ";
    if (a->count != b->count || memcmp(a->list, b->list, a->count * sizeof *a->list) != 0)
        return "the outcomes differ";
    return NULL;
}

/* ---- generated programs ------------------------------------------------------------------------------------------ */

struct sum {
    uint32_t programs, different;
    uint64_t runs, of;
};

static void compare(struct sum *sum, const char *test, const struct rh_semantics *s, uint64_t seed,
                    const char *explorer)
{
    struct totals all = explore(test, s, NULL, "ends_noted(dfs)", LARGEST);
    if (all.all) {
        struct totals pruned = explore(test, s, NULL, explorer, 2 * LARGEST);
        const char *wrong = difference(&all, &pruned);
        sum->different += wrong != NULL;
        if (wrong && seen_planted == SEEN_GOOD)
            fail_msg("%s, seed %llu, %s: %s: %u outcomes in %llu runs, dfs %u in %llu", test, (unsigned long long)seed,
                     explorer, wrong, pruned.outcomes->count, (unsigned long long)pruned.runs, all.outcomes->count,
                     (unsigned long long)all.runs);
        sum->programs++;
        sum->runs += pruned.runs;
        sum->of += all.runs;
        release(&pruned);
    }
    release(&all);
}

static struct sum compare_generated(uint64_t first, uint64_t count)
{
    static const char *const explorers[] = { "ends_noted(seen(dfs))", "ends_noted(portfolio(seen(dfs)))",
                                             "ends_noted(bound(400, seen(dfs)))" };
    static const enum rh_model models[] = { RH_FIFO, RH_BAG, RH_MAILBOX };
    struct sum sum = { 0 };
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct rh_semantics s = { .model = models[seed % 3], .max_steps = 400, .max_actors = 16 };
        generated_make(&generated, seed);
        compare(&sum, "generated_program", &s, seed, explorers[seed % 3]);
    }
    return sum;
}

static void a_generated_program_has_the_same_outcomes(void **unused)
{
    (void)unused;
    struct sum sum = compare_generated(1, PROGRAMS);
    print_message("%u programs, %llu runs, dfs %llu\n", sum.programs, (unsigned long long)sum.runs,
                  (unsigned long long)sum.of);
    assert_in_range(sum.programs, PROGRAMS / 4, PROGRAMS);
    assert_true(sum.runs < sum.of / 2);
}

/* Timers, asks, processes, stores, faults and crashes. */
static void a_program_that_crashes_has_the_same_outcomes(void **unused)
{
    (void)unused;
    struct sum sum = { 0 };
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct rh_semantics s = program_semantics(seed);
        program_seed = seed;
        program_crashes = seed % 4 == 0;
        compare(&sum, "program", &s, seed, "ends_noted(seen(dfs))");
    }
    program_crashes = false;
    print_message("%u programs, %llu runs, dfs %llu\n", sum.programs, (unsigned long long)sum.runs,
                  (unsigned long long)sum.of);
    assert_in_range(sum.programs, PROGRAMS / 4, PROGRAMS);
    assert_true(sum.runs < sum.of);
}

/* ---- the clock --------------------------------------------------------------------------------------------------- */

/* What is wrong, or NULL. */
static const char *restart_is_wrong(const char *crash, const char *explorer)
{
    struct totals all = explore("late_clock", NULL, crash, "ends_noted(dfs)", 0);
    struct totals pruned = explore("late_clock", NULL, crash, explorer, 1000);
    const char *wrong = difference(&all, &pruned);
    assert_true(all.all && all.outcomes->count == 3);
    if (!wrong && pruned.restarts != 1)
        wrong = "the search did not start over once";
    if (!wrong && !pruned.pruned_after)
        wrong = "nothing was pruned after the restart";
    release(&all);
    release(&pruned);
    return wrong;
}

static void the_search_starts_over_when_the_clock_becomes_visible(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "ends_noted(seen(dfs))", "ends_noted(bound(50, seen(dfs)))",
                                             "ends_noted(portfolio(seen(dfs)))" };
    for (size_t i = 0; i < 3; i++)
        for (int crash = 0; crash < 2; crash++) {
            const char *wrong = restart_is_wrong(crash ? "1" : "0", explorers[i]);
            if (wrong)
                fail_msg("%s, crash %d: %s", explorers[i], crash, wrong);
        }
}

/* ---- planted defects --------------------------------------------------------------------------------------------- */

static void planted_defects_are_caught(void **unused)
{
    (void)unused;
    seen_planted = SEEN_IS_BLIND;
    struct sum sum = compare_generated(1, 20);
    seen_planted = SEEN_GOOD;
    assert_in_range(sum.different, 1, 20);
    seen_planted = SEEN_NEVER_RESTARTS;
    const char *wrong = restart_is_wrong("0", "ends_noted(seen(dfs))");
    seen_planted = SEEN_GOOD;
    assert_non_null(wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(a_generated_program_has_the_same_outcomes),
        EXPLORE_TEST(a_program_that_crashes_has_the_same_outcomes),
        EXPLORE_TEST(the_search_starts_over_when_the_clock_becomes_visible),
        EXPLORE_TEST(planted_defects_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
