/* Actors that the program does not tell apart are exchanged for each other: fewer runs, and none that could not be had
 * from them by giving the actors each other's places. */
#include "explore/support/nodes.h"

#include "support/few.h"

#include <stdatomic.h>

/* ---- workers ----------------------------------------------------------------------------------------------------- */

RH_MESSAGE(go, int unused;);
RH_MESSAGE(done, uint64_t tag; rh_ref from;);

enum how { ALIKE, NUMBERED, KEPT, RANDOM, NAMED, SELF, GLOBAL, KEPT_GLOBALLY, HEAP, STOPS, TWICE };

RH_ACTOR(worker, rh_ref to; uint32_t how; uint32_t number; rh_ref me; uint64_t * own;);
RH_ACTOR(collector, uint32_t count; uint32_t kept; uint64_t tags[8]; rh_ref worker[8];);
RH_ACTOR(boss, uint32_t count; uint32_t how; rh_ref to;);

static atomic_uint written;
static volatile uint64_t known[8]; /* a plain one that nobody reads is not there */

RH_HANDLER(worker, go)
{
    uint64_t tag = 7;
    switch (state->how) {
    case NUMBERED:
        tag = state->number;
        break;
    case RANDOM:
        tag = rh_random() % 1000;
        break;
    case NAMED:
        tag = (uint64_t)rh_name(self)[7];
        break;
    case GLOBAL:
        tag = ++written;
        break;
    case HEAP:
        state->own = calloc(1, sizeof *state->own);
        *state->own = tag;
        break;
    default:
        break;
    }
    if (state->how == SELF)
        state->me = self;
    rh_send(state->to, done, .tag = tag, .from = state->how == SELF ? self : (rh_ref){ 0 });
    if (state->how == STOPS)
        rh_stop();
}
RH_BEHAVIOUR(worker, working, go);

RH_HANDLER(collector, done)
{
    state->tags[state->count++] = msg->tag;
}
RH_BEHAVIOUR(collector, collecting, done);

RH_HANDLER(boss, go)
{
    for (uint32_t i = 0; i < state->count; i++) {
        rh_ref w = rh_spawn(worker, .to = state->to, .how = state->how, .number = state->how == NUMBERED ? i : 0);
        rh_send(w, go);
    }
}
RH_BEHAVIOUR(boss, bossing, go);

/* Those that the boss has spawned, from outside: as with the test, but it lives on. */
RH_TEST(bossed)
{
    rh_ref c = rh_spawn(collector);
    rh_send(rh_spawn(boss, .count = (uint32_t)rh_param("n", 3), .how = (uint32_t)rh_param("how", ALIKE), .to = c), go);
}

RH_TEST(workers)
{
    uint32_t n = (uint32_t)rh_param("n", 3), how = (uint32_t)rh_param("how", ALIKE);
    rh_ref all[8] = { { 0 } };
    rh_ref c = rh_spawn(collector);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = rh_spawn(worker, .to = c, .how = how, .number = how == NUMBERED ? i + 3 : 0);
        if (how == KEPT_GLOBALLY)
            known[i] = all[i].id;
    }
    if (how == KEPT) {
        rh_ref keeper = rh_spawn(collector, .worker = { all[0], all[1], all[2] });
        (void)keeper;
    }
    for (uint32_t i = 0; i < n; i++)
        rh_send_from(rh_external("world"), all[i], go);
}

static uint64_t runs_of(const char *test, uint32_t n, enum how how, const char *explorer, enum rh_verdict *verdict)
{
    char number[16], kind[16];
    snprintf(number, sizeof number, "%u", n);
    snprintf(kind, sizeof kind, "%d", how);
    struct rh_param params[] = { { "n", number }, { "how", kind } };
    struct rh_semantics object = { .granularity = RH_GRAIN_OBJECT };
    struct rh_world *w = world_of(test, strstr(explorer, "optimal") ? &object : NULL, params, 2);
    struct rh_exploration *x = explored(w, explorer, 1, 0);
    uint64_t runs = x->results->count.runs;
    *verdict = rh__exploration_verdict(x);
    assert_true(x->end.exhausted);
    rh__exploration_free(x);
    rh_world_free(w);
    return runs;
}

static void check(const char *test, uint32_t n, enum how how, const char *explorer, uint64_t expected)
{
    enum rh_verdict verdict;
    uint64_t runs = runs_of(test, n, how, explorer, &verdict);
    if (runs != expected || verdict != RH_VERDICT_EXHAUSTIVE)
        fail_msg("%s, %u workers, kind %d: %s makes %llu runs, %s; expected %llu", test, n, how, explorer,
                 (unsigned long long)runs, rh_verdict_name(verdict), (unsigned long long)expected);
}

/* n workers take go and then the collector takes done of each: (2n)! / 2^n interleavings.  Up to exchange of the
 * workers only how many are at which point matters: in each order the k-th done is that of any worker that has gone, so
 * the runs are the words with n of each where no prefix has more done than go: Catalan's numbers 1, 2, 5, 14, 42. */
static void alike_workers_are_counted_once(void **unused)
{
    (void)unused;
    static const uint64_t all[] = { 0, 1, 6, 90, 2520 }, catalan[] = { 0, 1, 2, 5, 14, 42 };
    static const enum how kinds[] = { ALIKE, SELF, HEAP, STOPS };
    for (uint32_t n = 1; n <= 4; n++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            check("workers", n, kinds[k], "dfs", all[n]);
            check("workers", n, kinds[k], "symmetry:dfs", catalan[n]);
            check("bossed", n, kinds[k], "symmetry:dfs", catalan[n]);
        }
    check("workers", 5, ALIKE, "symmetry:dfs", catalan[5]);
    check("workers", 3, ALIKE, "symmetry:bound:100,dfs", catalan[3]);
    check("workers", 3, ALIKE, "bound:100,symmetry:dfs", catalan[3]);
}

static void workers_that_are_told_apart_are_not(void **unused)
{
    (void)unused;
    check("workers", 3, NUMBERED, "symmetry:dfs", 90);
    check("bossed", 3, NUMBERED, "symmetry:dfs", 90);
    check("workers", 3, KEPT, "symmetry:dfs", 90);
    check("workers", 3, KEPT_GLOBALLY, "symmetry:dfs", 90);
}

/* One run that leaves something out and then finds out, and from then on all. */
static void what_is_only_told_apart_later_begins_again(void **unused)
{
    (void)unused;
    check("workers", 3, RANDOM, "symmetry:dfs", 91);
    check("workers", 3, NAMED, "symmetry:dfs", 91);
#ifndef RH_NO_GLOBALS_TRACKING
    check("workers", 3, GLOBAL, "symmetry:dfs", 91);
#endif
}

/* ---- replicas with a number -------------------------------------------------------------------------------------- */

/* As workers, but the number is declared, and whoever gets it uses it as an index only. */
RH_ACTOR(replica, uint8_t kind; uint16_t number; uint32_t weight; rh_ref to;);
RH_REPLICA_NUMBER(replica, number);
RH_ACTOR(ledger, uint32_t count; uint32_t seen[8]; uint32_t numbers[16];);

RH_HANDLER(replica, go)
{
    rh_send(state->to, done, .tag = state->number, .from = self);
}
RH_BEHAVIOUR(replica, replicating, go);

RH_HANDLER(ledger, done)
{
    rh_assert(state->seen[msg->tag]++ < 2, "a number too often");
    state->numbers[state->count++] = (uint32_t)msg->tag;
}
RH_BEHAVIOUR(ledger, in_ledger, done);

/* NUMBERED: the second one differs in a field in the same word as its number. */
RH_TEST(replicas)
{
    rh_ref l = rh_spawn(ledger);
    enum how how = (enum how)rh_param("how", ALIKE);
    for (uint32_t i = 0; i < (uint32_t)rh_param("n", 3); i++) {
        rh_ref one = rh_spawn(replica, .number = (uint16_t)(i + 1), .to = l, .weight = how == NUMBERED && i == 1);
        rh_send(one, go);
        if (how == TWICE)
            rh_send(one, go);
    }
}

/* dfs: (2n)! / 2^n interleavings of go and done.  Replicas are alike until they have gone, so they go in the order of
 * their age, and then are told apart: n! times fewer.  optimal: n! orders, of which one is left. */
static void numbers_of_replicas_do_not_tell_them_apart(void **unused)
{
    (void)unused;
    static const uint64_t all[] = { 0, 1, 6, 90, 2520 }, factorial[] = { 1, 1, 2, 6, 24 };
    for (uint32_t n = 1; n <= 4; n++) {
        check("replicas", n, ALIKE, "dfs", all[n]);
        check("replicas", n, ALIKE, "symmetry:dfs", all[n] / factorial[n]);
        check("replicas", n, ALIKE, "optimal", factorial[n]);
        check("replicas", n, ALIKE, "symmetry:optimal", 1);
    }
    check("replicas", 3, NUMBERED, "symmetry:dfs", 45); /* two are alike, the other weighs more */
    check("replicas", 3, NUMBERED, "symmetry:optimal", 3);
    /* The ledger knows a number from the first time on, so it makes a difference who comes first the second time. */
    enum rh_verdict verdict;
    uint64_t twice = runs_of("replicas", 2, TWICE, "dfs", &verdict);
    check("replicas", 2, TWICE, "symmetry:dfs", twice / 2);
    check("replicas", 2, TWICE, "optimal", 6);
    check("replicas", 2, TWICE, "symmetry:optimal", 3);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refuse(const struct rh_semantics *semantics, const char *explorer, const char *sentence)
{
    char error[512] = "";
    struct rh__limits limits = { .max_runs = 1 };
    struct rh_world *w = world_of("workers", semantics, NULL, 0);
    struct rh_exploration *x = rh__exploration_new(w, explorer, 1, &limits, error, sizeof error);
    if (x || !strstr(error, sentence))
        fail_msg("\"%s\": \"%s\" should say \"%s\"", explorer, error, sentence);
    rh_world_free(w);
}

static void what_does_not_combine_is_refused(void **unused)
{
    (void)unused;
    struct rh_semantics causal = { .model = RH_CAUSAL };
    struct rh_semantics send = { .model = RH_MAILBOX, .granularity = RH_GRAIN_SEND };
    struct rh_semantics object = { .granularity = RH_GRAIN_OBJECT };
    refuse(NULL, "symmetry", "symmetry wants an explorer");
    refuse(NULL, "symmetry:", "symmetry wants an explorer");
    refuse(NULL, "symmetry:nosuch", "no explorer is called \"nosuch\"");
    refuse(NULL, "symmetry:bound:5,dpor", "do not go together");
    refuse(NULL, "symmetry:portfolio:dfs+dpor", "do not go together");
    refuse(NULL, "symmetry:portfolio:dfs+optimal", "do not go together");
    refuse(&causal, "symmetry:dfs", "under causal");
    refuse(&send, "symmetry:dfs", "granularity send");
    refuse(&object, "symmetry:dfs", "granularity send or object");
    struct rh_semantics mailbox = { .model = RH_MAILBOX, .granularity = RH_GRAIN_OBJECT };
    refuse(&mailbox, "symmetry:optimal", "under mailbox");
    refuse(&object, "symmetry:bound:5,optimal", "do not go together");
}

/* Samplers see fewer choices, and end as they would. */
static void samplers_go_on_inside(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("workers", NULL, NULL, 0);
    struct rh_exploration *x = explored(w, "symmetry:random", 1, 200);
    assert_int_equal(x->results->count.runs, 200);
    assert_int_equal(x->results->distinct.count, 1); /* of 3!: who sends is the only difference */
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* ---- programs made from a seed ----------------------------------------------------------------------------------- */

/* What a run came to, without who is who: its outcome and place, and of each actor the type, whether it has ended, how
 * many events it had and its number, in an order of their own. */
static uint64_t result_of(const struct rh_world *w, enum rh_outcome_kind outcome)
{
    uint32_t n = rh_world_actor_count(w), count;
    uint64_t each[32], hash = fnv(FNV_START, &outcome, sizeof outcome);
    const struct rh_event *events = rh_world_events(w, &count);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t mine[5] = { (uint64_t)(uintptr_t)rh_world_actor_type(w, i), rh_world_actor_ended(w, i), 0, 0, 0 };
        for (uint32_t k = 0; k < count; k++)
            mine[2] += events[k].choice.actor == i;
        if (rh_world_actor_type(w, i) == &rh_actor_node)
            mine[3] = ((const struct node *)rh_world_actor_state(w, i))->number;
        else if (rh_world_actor_type(w, i) == &rh_actor_hub)
            mine[3] = ((const struct hub *)rh_world_actor_state(w, i))->number;
        each[i] = fnv(FNV_START, mine, sizeof mine);
    }
    qsort(each, n, sizeof *each, by_number);
    if (outcome == RH_OUTCOME_ASSERTION)
        hash = fnv(hash, rh_world_outcome(w)->place, strlen(rh_world_outcome(w)->place));
    return fnv(hash, each, n * sizeof *each);
}

/* watch:INNER, as spy, but what it notes as behaviour is the result. */
static void watch_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    if (spied->count < MOST_RUNS)
        spied->behaviour[spied->count++] = result_of(w, run->outcome);
    spied->failed += rh_outcome_failed(run->outcome);
    rh_inner_end(&s->inner, w, run);
}
SPY(watch, "notes what runs come to", watch_end)

static struct record *results(struct rh_world *w, const char *explorer, uint64_t max_runs, bool *all)
{
    spied = record_new();
    struct rh_exploration *x = explored(w, explorer, 1, max_runs);
    *all = x->end.exhausted;
    rh__exploration_free(x);
    return spied;
}

static void no_result_is_lost(void **unused)
{
    (void)unused;
    uint32_t programs = 0, reduced = 0, again = 0, failing = 0;
    uint64_t all_runs = 0, fewer_runs = 0;
    const char *asked = getenv("RH_TEST_PROGRAMS");
    uint64_t most = asked ? strtoull(asked, NULL, 10) : MANY_OR_FEW(150, 30);
    for (seed = 1; seed <= most; seed++) {
        struct rh_semantics s = semantics_of(seed);
        s.granularity = RH_GRAIN_HANDLER; /* with object nobody who has sent anything is alike, which is refused */
        struct rh_world *w = world_of("nodes", &s, NULL, 0);
        bool all, all_too;
        struct record *expected = results(w, "watch:dfs", 4000, &all);
        rh_world_free(w);
        if (all && expected->count > 1) {
            w = world_of("nodes", &s, NULL, 0);
            struct record *found = results(w, "watch:symmetry:dfs", 0, &all_too);
            uint32_t expected_runs = expected->count, found_runs = found->count;
            uint32_t expected_results = distinct(expected->behaviour, expected_runs);
            uint32_t found_results = distinct(found->behaviour, found_runs);
            if (!all_too || expected_results != found_results)
                fail_msg("program %llu: %u results in %u runs, of %u in %u", (unsigned long long)seed, found_results,
                         found_runs, expected_results, expected_runs);
            programs++;
            reduced += found_runs < expected_runs;
            again += found_runs > expected_runs;
            failing += expected->failed > 0;
            all_runs += expected_runs;
            fewer_runs += found_runs;
            rh_world_free(w);
            record_free(found);
        }
        record_free(expected);
    }
    printf("%u programs, %u with failures: %llu runs, with symmetry %llu; fewer in %u, begun again in %u\n", programs,
           failing, (unsigned long long)all_runs, (unsigned long long)fewer_runs, reduced, again);
    assert_true(programs > most / 5 && reduced > programs / 4 && again && failing);
}

/* ---- symmetry(optimal) ------------------------------------------------------------------------------------------- */

/* n workers are spawned in one step and each sends to the collector, which takes the messages in n! orders.  Up to
 * exchange there is one. */
static void optimal_leaves_out_alike_actors(void **unused)
{
    (void)unused;
    static const uint64_t factorial[] = { 1, 1, 2, 6, 24, 120 };
    static const enum how kinds[] = { ALIKE, SELF, HEAP, STOPS };
    for (uint32_t n = 1; n <= 5; n++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            check("bossed", n, kinds[k], "optimal", factorial[n]);
            check("bossed", n, kinds[k], "symmetry:optimal", 1);
        }
    check("bossed", 3, NUMBERED, "symmetry:optimal", 6);
    check("bossed", 3, RANDOM, "symmetry:optimal", 7);
    check("bossed", 3, NAMED, "symmetry:optimal", 7);
}

/* ---- symmetry(dpor) ---------------------------------------------------------------------------------------------- */

/* n workers go, and the collector takes their messages in n! orders.  Up to exchange there is one; under mailbox, where
 * the orders in which they go are told apart by the mailbox, too. */
static void dpor_leaves_out_alike_actors(void **unused)
{
    (void)unused;
    static const uint64_t factorial[] = { 1, 1, 2, 6, 24, 120 };
    static const enum how kinds[] = { ALIKE, SELF, HEAP, STOPS };
    for (uint32_t n = 1; n <= 5; n++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            check("bossed", n, kinds[k], "dpor", factorial[n]);
            check("bossed", n, kinds[k], "symmetry:dpor", 1);
            check("workers", n, kinds[k], "symmetry:dpor", 1);
        }
    check("bossed", 3, NUMBERED, "symmetry:dpor", 6);
    check("workers", 3, KEPT, "symmetry:dpor", 6);
    check("bossed", 3, RANDOM, "symmetry:dpor", 7);
    check("bossed", 3, NAMED, "symmetry:dpor", 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(alike_workers_are_counted_once),
        EXPLORE_TEST(workers_that_are_told_apart_are_not),
        EXPLORE_TEST(what_is_only_told_apart_later_begins_again),
        EXPLORE_TEST(numbers_of_replicas_do_not_tell_them_apart),
        EXPLORE_TEST(what_does_not_combine_is_refused),
        EXPLORE_TEST(samplers_go_on_inside),
        EXPLORE_TEST(no_result_is_lost),
        EXPLORE_TEST(optimal_leaves_out_alike_actors),
        EXPLORE_TEST(dpor_leaves_out_alike_actors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
