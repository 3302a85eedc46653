/* Actors that the program does not tell apart are exchanged for each other: fewer runs, and none that could not be had from
 * them by giving the actors each other's places. */
#include "explore/support.h"

#include <stdatomic.h>

/* ---- workers --------------------------------------------------------------------------------------------------------- */

RH_MESSAGE(go, int unused;);
RH_MESSAGE(done, uint64_t tag; rh_ref from;);

enum how { ALIKE, NUMBERED, KEPT, RANDOM_NOW, RANDOM_LATE, NAMED, SELF, GLOBAL, KEPT_GLOBALLY, HEAP, STOPS, LAST_HOW };

RH_ACTOR(worker, rh_ref to; uint32_t how; uint32_t number; rh_ref me; uint64_t *own;);
RH_ACTOR(collector, uint32_t count; uint32_t kept; uint64_t tags[8]; rh_ref worker[8];);
RH_ACTOR(boss, uint32_t count; uint32_t how; rh_ref to;);

static atomic_uint written;
static rh_ref known[8];

RH_HANDLER(worker, go)
{
    uint64_t tag = 7;
    switch (state->how) {
    case NUMBERED:
        tag = state->number;
        break;
    case RANDOM_NOW:
    case RANDOM_LATE:
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
            known[i] = all[i];
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
    struct rh_world *w = world_of(test, NULL, params, 2);
    struct rh_exploration *x = explored(w, explorer, 1, 0);
    uint64_t runs = x->runs;
    *verdict = rh__exploration_verdict(x);
    assert_true(x->exhausted);
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

/* n workers take go and then the collector takes done of each: (2n)! / 2^n interleavings.  Up to exchange of the workers
 * only how many are at which point matters: in each order the k-th done is that of any worker that has gone, so the runs are
 * the words with n of each where no prefix has more done than go: Catalan's numbers 1, 2, 5, 14, 42. */
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
    check("workers", 3, RANDOM_LATE, "symmetry:dfs", 91);
    check("workers", 3, NAMED, "symmetry:dfs", 91);
#ifndef RH_NO_GLOBALS_TRACKING
    check("workers", 3, GLOBAL, "symmetry:dfs", 91);
#endif
}

/* ---- refusals ---------------------------------------------------------------------------------------------------------- */

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
    refuse(NULL, "symmetry:dpor", "do not go together");
    refuse(NULL, "symmetry:optimal", "do not go together");
    refuse(NULL, "symmetry:bound:5,dpor", "do not go together");
    refuse(NULL, "symmetry:portfolio:dfs+optimal", "do not go together");
    refuse(&causal, "symmetry:dfs", "under causal");
    refuse(&send, "symmetry:dfs", "granularity send");
    refuse(&object, "symmetry:dfs", "granularity send or object");
}

/* Samplers see fewer choices, and end as they would. */
static void samplers_go_on_inside(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("workers", NULL, NULL, 0);
    struct rh_exploration *x = explored(w, "symmetry:random", 1, 200);
    assert_int_equal(x->runs, 200);
    assert_int_equal(x->behaviours, 5);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
    rh__exploration_free(x);
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(alike_workers_are_counted_once),
        EXPLORE_TEST(workers_that_are_told_apart_are_not),
        EXPLORE_TEST(what_is_only_told_apart_later_begins_again),
        EXPLORE_TEST(what_does_not_combine_is_refused),
        EXPLORE_TEST(samplers_go_on_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
