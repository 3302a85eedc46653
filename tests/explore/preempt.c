/* preempt against every sequence of choices, over generated programs: at bound c exactly the runs with at most c
 * preemptions, which are counted here by other code, and with stateful exactly the ends of these runs. */
#include "explore/support/generated_actors.h"
#include "explore/support/preemptions.h"
#include "explore/support/program.h"
#include "explore/support/runs.h"

#include "support/few.h"

enum { PROGRAMS = MANY_OR_FEW(40, 12), LARGEST = 3000, MOST_BOUND = 4, DEEPEST = 512 };

/* ---- what was made ----------------------------------------------------------------------------------------------- */

struct made {
    uint64_t sequence, end; /* hashes of the choices, and of the last state with the outcome */
    uint32_t preemptions;
};

struct list {
    uint32_t count;
    bool full;
    struct made run[4 * LARGEST];
    struct preemptions at[DEEPEST]; /* by number of events */
};
static struct list *list; /* shared memory */

/* The numbers before event `n`, from those before event n - 1. */
static void count(const struct rh_world *w, const struct rh_choice *open, uint32_t choices, uint32_t n)
{
    uint32_t all;
    const struct rh_choice *made = &rh_world_events(w, &all)[n - 1].choice;
    assert_in_range(n, 1, DEEPEST - 1);
    list->at[n] = preemptions_behind(w, n == 1 ? NULL : &list->at[n - 1], made, open, choices);
}

static uint32_t counting_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t choices)
{
    uint32_t n;
    rh_world_events(w, &n);
    count(w, open, choices, n);
    return rh_inner_choose(state, w, open, choices);
}

static void counting_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    if (!run->pruned && list->count == sizeof list->run / sizeof *list->run)
        list->full = true;
    if (!run->pruned && !list->full) {
        uint32_t n = run->events;
        struct rh_fingerprint f = rh_world_fingerprint_wide(w);
        count(w, NULL, 0, n);
        list->run[list->count++] =
            (struct made){ sequence_of(w), fnv(fnv(FNV_START, &f, sizeof f), &run->outcome, 4), list->at[n].count };
    }
    rh_inner_end(state, w, run);
}

static const struct rh_explorer counting = {
    .name = "counting",
    .summary = "counts the preemptions of the runs of another explorer",
    .state_size = sizeof(struct rh_inner),
    .arguments = rh_only_arguments,
    .open = rh_only_open,
    .choose = counting_choose,
    .end = counting_end,
    .report = &rh_only_report,
    .decorator = &rh_only_decorator,
};
RH_EXPLORER(counting)

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

struct result {
    struct list *list;
    enum rh_verdict verdict;
    bool ended, changed; /* what fingerprints mean has changed on the way */
};

static struct result make(const char *test, const struct rh_semantics *s, const char *explorer, uint64_t runs)
{
    char text[128];
    struct rh_world *w = world_of(test, s, NULL, 0);
    list = rh_shared_new(sizeof *list);
    assert_non_null(list);
    snprintf(text, sizeof text, "counting(%s)", explorer);
    struct rh_exploration *x = explored(w, text, 1, runs);
    struct result r = { list, rh__exploration_verdict(x), x->end.exhausted, rh_world_fingerprint_meaning(w) != 0 };
    rh__exploration_free(x);
    rh_world_free(w);
    return r;
}

static void drop(struct result *r)
{
    rh_shared_free(r->list, sizeof *r->list);
}

static bool has(const struct list *l, uint64_t hash, bool ends, uint32_t most)
{
    for (uint32_t i = 0; i < l->count; i++)
        if ((ends ? l->run[i].end : l->run[i].sequence) == hash && l->run[i].preemptions <= most)
            return true;
    return false;
}

/* Which of the first list, with at most so many preemptions, is missing in the second. */
static uint32_t missing(const struct list *of, uint32_t most, const struct list *in, bool ends)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < of->count; i++)
        n += of->run[i].preemptions <= most && !has(in, ends ? of->run[i].end : of->run[i].sequence, ends, UINT32_MAX);
    return n;
}

static uint32_t most_preemptions(const struct list *l)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < l->count; i++)
        most = l->run[i].preemptions > most ? l->run[i].preemptions : most;
    return most;
}

struct sums {
    uint32_t programs, all, within, bounded, with_blocks;
};

static void compare_bound(const struct list *all, const char *test, const struct rh_semantics *s, uint64_t seed,
                          uint32_t bound, bool states, struct sums *sums)
{
    char text[64];
    snprintf(text, sizeof text, "preempt(%u, only, %s)", bound, states ? "stateful" : "dfs");
    struct result r = make(test, s, text, 0);
    uint32_t left_out = missing(all, bound, r.list, states), invented = 0, over = 0;
    for (uint32_t i = 0; i < r.list->count; i++) {
        invented += !has(all, states ? r.list->run[i].end : r.list->run[i].sequence, states, bound);
        over += r.list->run[i].preemptions > bound;
    }
    bool beyond = most_preemptions(all) > bound;
    enum rh_verdict verdict = beyond ? RH_VERDICT_BOUNDED : RH_VERDICT_EXHAUSTIVE;
    if (left_out || invented || over || r.verdict != verdict || r.list->full)
        fail_msg("%s, seed %llu, %s: %u runs are missing, %u are not of dfs, %u have more preemptions; verdict %s",
                 test, (unsigned long long)seed, text, left_out, invented, over, rh_verdict_name(r.verdict));
    sums->within += r.list->count;
    sums->bounded += beyond;
    drop(&r);
}

/* Without blocking avoidance a block is an event.  At each bound the same runs of the world are made, some of them
 * several times; an actor that is passed over can block first, which is free. */
static void compare_blocks(const struct list *all, const char *test, const struct rh_semantics *s, uint64_t seed,
                           struct sums *sums)
{
    for (uint32_t bound = 0; bound <= 1; bound++) {
        char text[64];
        snprintf(text, sizeof text, "preempt(%u, only, avoid=no, dfs)", bound);
        struct result r = make(test, s, text, 0);
        if (!r.list->full && (missing(all, bound, r.list, false) || most_preemptions(r.list) > bound))
            fail_msg("%s, seed %llu, %s: %u runs are missing", test, (unsigned long long)seed, text,
                     missing(all, bound, r.list, false));
        sums->with_blocks += r.list->full ? 0 : r.list->count;
        drop(&r);
    }
}

/* Bound after bound: to exhaustion, or to the last one. */
static void compare_rounds(const struct list *all, const char *test, const struct rh_semantics *s, uint64_t seed)
{
    struct result r = make(test, s, "preempt(3, dfs)", 0);
    bool beyond = most_preemptions(all) > 3;
    if (!r.list->full && (missing(all, 3, r.list, false) || most_preemptions(r.list) > 3 ||
                          r.verdict != (beyond ? RH_VERDICT_BOUNDED : RH_VERDICT_EXHAUSTIVE)))
        fail_msg("%s, seed %llu: rounds: verdict %s", test, (unsigned long long)seed, rh_verdict_name(r.verdict));
    drop(&r);
}

static void compare(const char *test, const struct rh_semantics *s, uint64_t seed, struct sums *sums)
{
    struct result all = make(test, s, "dfs", LARGEST);
    if (all.ended && !all.list->full && all.verdict == RH_VERDICT_EXHAUSTIVE) {
        for (uint32_t bound = 0; bound <= MOST_BOUND; bound += 1 + bound / 2)
            for (int states = 0; states < (all.changed ? 1 : 2); states++)
                compare_bound(all.list, test, s, seed, bound, states, sums);
        compare_rounds(all.list, test, s, seed);
        if (all.list->count <= LARGEST / 50)
            compare_blocks(all.list, test, s, seed, sums);
        sums->programs++;
        sums->all += all.list->count;
    }
    drop(&all);
}

static void runs_are_those_within_the_bound(void **unused)
{
    (void)unused;
    static const enum rh_model models[] = { RH_FIFO, RH_BAG, RH_MAILBOX, RH_CAUSAL };
    struct sums sums = { 0 };
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct rh_semantics s = { .model = models[seed % 4], .max_steps = 400, .max_actors = 16 };
        generated_make(&generated, seed);
        compare("generated_program", &s, seed, &sums);
        s = program_semantics(seed);
        s.max_steps = 400;
        program_seed = seed;
        compare("program", &s, seed, &sums);
    }
    print_message("%u programs with %u runs; %u runs within bounds, %u with blocks, %u searches were bounded\n",
                  sums.programs, sums.all, sums.within, sums.with_blocks, sums.bounded);
    assert_true(sums.with_blocks > sums.programs);
    assert_true(sums.programs >= PROGRAMS / 4);
    assert_true(sums.bounded > sums.programs);
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

RH_TABLE(cells);
RH_PROCESS(writer, int number;);
RH_BODY(writer)
{
    for (int i = 0; i < 2; i++)
        rh_table_put(cells, "x", &state->number, sizeof state->number);
}
/* Two processes, each with its start and two operations: five steps with the end.  With no preemption one is done
 * before the other begins, whichever is first. */
RH_TEST(writers, .granularity = RH_GRAIN_OBJECT)
{
    rh_spawn(writer, .number = 1);
    rh_spawn(writer, .number = 2);
}

static void without_preemption_actors_take_turns(void **unused)
{
    (void)unused;
    struct result r = make("writers", NULL, "preempt(0, dfs)", 0);
    assert_int_equal(r.list->count, 2);
    assert_int_equal(r.verdict, RH_VERDICT_BOUNDED);
    drop(&r);
    struct result all = make("writers", NULL, "dfs", 0), more = make("writers", NULL, "preempt(1000, dfs)", 0);
    assert_int_equal(missing(all.list, UINT32_MAX, more.list, false), 0);
    assert_int_equal(more.verdict, RH_VERDICT_EXHAUSTIVE);
    drop(&all);
    drop(&more);
}

/* Two processes talk.  S is the first step of the test's body, up to its receive; s the start of the answerer, R its
 * receive with its answer, E its end; A the receive of the body.  A and E come in any order: S s R A E, S s R E A.
 * With blocks as events the body may run into its receive before the answer is sent: before s, before R, or not at
 * all; the answerer has its message all the time.  So there are 3 times as many sequences. */
RH_MESSAGE(asked);
RH_MESSAGE(told_back);
RH_PROCESS(answerer);
RH_BODY(answerer)
{
    rh_receive(asked);
    rh_reply(told_back);
}
RH_TEST(talk, .granularity = RH_GRAIN_OBJECT)
{
    rh_send(rh_spawn(answerer), asked);
    rh_receive(told_back);
}

static void blocks_are_events_without_avoidance(void **unused)
{
    (void)unused;
    struct result with = make("talk", NULL, "preempt(20, only, dfs)", 0);
    struct result without = make("talk", NULL, "preempt(20, only, avoid=no, dfs)", 0);
    assert_int_equal(with.list->count, 2);
    assert_int_equal(without.list->count, 6);
    assert_int_equal(without.verdict, RH_VERDICT_EXHAUSTIVE);
    drop(&with);
    drop(&without);
}

/* ---- why reductions are refused ---------------------------------------------------------------------------------- */

/* A filter that shows one preemption of a run to the explorer in it, as preempt(1, only, EXPLORER) would. */
static uint32_t preempted_once_choose(void *state, const struct rh_world *w, const struct rh_choice *open,
                                      uint32_t choices)
{
    struct rh_choice shown[64];
    uint32_t index[64], n = 0, events;
    rh_world_events(w, &events);
    count(w, open, choices, events);
    const struct preemptions *at = &list->at[events];
    for (uint32_t i = 0; i < choices && n < 64; i++)
        if (!at->ready || !at->count || !is_step(w, &open[i]) || open[i].actor == at->actor) {
            shown[n] = open[i];
            index[n++] = i;
        }
    uint32_t pick = rh_inner_choose(state, w, shown, n);
    return pick < n ? index[pick] : pick;
}

static const struct rh_explorer preempted_once = {
    .name = "preempted_once",
    .summary = "the runs of another explorer with at most one preemption",
    .state_size = sizeof(struct rh_inner),
    .arguments = rh_only_arguments,
    .open = rh_only_open,
    .choose = preempted_once_choose,
    .report = &rh_only_report,
    .decorator = &rh_only_decorator,
};
RH_EXPLORER(preempted_once)

RH_PROCESS(left, bool saw;);
RH_BODY(left)
{
    rh_table_put(cells, "x", "", 0);
    state->saw = rh_table_get(cells, "y", NULL, 0) >= 0;
    rh_receive(asked, .idle = true); /* what it saw is a part of the last state */
}
RH_PROCESS(right, bool saw;);
RH_BODY(right)
{
    state->saw = rh_table_get(cells, "x", NULL, 0) >= 0;
    rh_table_put(cells, "y", "", 0);
    rh_receive(asked, .idle = true);
}
/* With one preemption neither sees the other: right begins and looks, left does all of it. */
RH_TEST(neither_saw, .granularity = RH_GRAIN_OBJECT)
{
    rh_spawn(left);
    rh_spawn(right);
}

/* How many of the ends of runs with at most so many preemptions the explorer does not come to. */
static uint32_t ends_missing(uint32_t most, const char *explorer, enum rh_verdict verdict)
{
    struct result all = make("neither_saw", NULL, "dfs", 0), r = make("neither_saw", NULL, explorer, 0);
    uint32_t n = missing(all.list, most, r.list, true);
    assert_int_equal(r.verdict, verdict);
    drop(&all);
    drop(&r);
    return n;
}

/* dpor makes `left` first, and sees the race of its put with the look of `right`.  It reverses the race where `left` is
 * about to put: there `left` has begun its turn, and to let `right` go first is a preemption, the only one.  That
 * `right` could have begun before `left` did, for nothing, is not asked.  Nor is it enough to select everything there,
 * too, as [Coons, Musuvathi and McKinley 2013] do for threads: over the programs of preempt_processes.c outcomes were
 * still missing, the first one in "seed=1 walkers=2 starts=2 ttl=2 model=1 busy=1 alive table walker join body". */
__attribute__((unused)) static void dpor_within_a_bound_misses_an_outcome(void **unused)
{
    (void)unused;
    assert_int_equal(ends_missing(1, "preempt(1, only, dfs)", RH_VERDICT_BOUNDED), 0);
    assert_int_equal(ends_missing(1, "preempted_once(dfs)", RH_VERDICT_EXHAUSTIVE), 0);
    assert_int_equal(ends_missing(UINT32_MAX, "dpor", RH_VERDICT_EXHAUSTIVE), 0);
    assert_int_not_equal(ends_missing(1, "preempted_once(dpor)", RH_VERDICT_EXHAUSTIVE), 0); /* the verdict is wrong */
}

static void reductions_are_refused(void **unused)
{
    (void)unused;
    static const char *const refused[] = { "preempt(2, dpor)", "preempt(2, optimal)",
                                           "preempt(0, only, bound(9, dpor))", "preempt(2, symmetry(optimal))" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char error[512] = "";
        struct rh__limits limits = { .max_runs = 1 };
        struct rh_world *w = world_of("neither_saw", NULL, NULL, 0);
        assert_null(rh__exploration_new(w, refused[i], 1, &limits, error, sizeof error));
        if (!strstr(error, "few preemptions"))
            fail_msg("%s: %s", refused[i], error);
        rh_world_free(w);
    }
}

/* ---- samplers ---------------------------------------------------------------------------------------------------- */

/* Preemptions of a sampler are spread over the run: the second writer is also preempted in the middle. */
static void samplers_preempt_anywhere(void **unused)
{
    (void)unused;
    struct result all = make("writers", NULL, "dfs", 0), r = make("writers", NULL, "preempt(2, random)", 2000);
    assert_int_equal(missing(all.list, 2, r.list, false), 0);
    drop(&all);
    drop(&r);
}

/* A sampler has no next bound. */
static void samplers_keep_the_bound(void **unused)
{
    (void)unused;
    struct result r = make("writers", NULL, "preempt(1, random)", 200);
    assert_int_equal(r.list->count, 200);
    assert_int_equal(most_preemptions(r.list), 1);
    assert_int_equal(r.verdict, RH_VERDICT_SAMPLED);
    drop(&r);
}

/* Twelve processes count, in two tables that agree unless one process is preempted.  Whoever begins is free, so there
 * are 12! runs without a preemption.  The first look has one of them, and those with one preemption: 12 processes with
 * 4 steps (the start, two operations, the end) may each be preempted by 11 others. */
enum { COUNTERS = 12, FIRST_LOOK = 1 + COUNTERS * 4 * (COUNTERS - 1) };
RH_PROCESS(counter);
RH_BODY(counter)
{
    int64_t one = rh_table_add(cells, "one", 1);
    rh_assert(rh_table_add(cells, "other", 1) == one, "preempted");
}
RH_TEST(counters, .granularity = RH_GRAIN_OBJECT)
{
    for (int i = 0; i < COUNTERS; i++)
        rh_spawn(counter);
}

static bool finds_within(const char *explorer, uint64_t runs)
{
    struct rh_world *w = world_of("counters", NULL, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, runs);
    bool found = x->results->finding_count > 0;
    rh__exploration_free(x);
    rh_world_free(w);
    return found;
}

static void a_first_look_has_nothing_open_but_preemptions(void **unused)
{
    (void)unused;
    assert_true(finds_within("preempt(1, dfs)", FIRST_LOOK));
    assert_true(finds_within("preempt(1, stateful)", FIRST_LOOK));
    assert_false(finds_within("preempt(0, dfs)", 4 * FIRST_LOOK));
}

/* Each bound has a search of its own, with its memory. */
static void many_bounds_have_room(void **unused)
{
    (void)unused;
    struct result r = make("writers", NULL, "preempt(20, stateful)", 0);
    assert_true(r.list->count > 0);
    drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(runs_are_those_within_the_bound),
        EXPLORE_TEST(without_preemption_actors_take_turns),
        EXPLORE_TEST(blocks_are_events_without_avoidance),
        EXPLORE_TEST(samplers_keep_the_bound),
        EXPLORE_TEST(samplers_preempt_anywhere),
#ifndef __SANITIZE_ADDRESS__ /* it does not clean dead parts of stacks, which are in the fingerprints of ends */
        EXPLORE_TEST(dpor_within_a_bound_misses_an_outcome),
#endif
        EXPLORE_TEST(reductions_are_refused),
        EXPLORE_TEST(a_first_look_has_nothing_open_but_preemptions),
        EXPLORE_TEST(many_bounds_have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
