/* Actors that the program does not tell apart are exchanged for each other: fewer runs, and none that could not be had from
 * them by giving the actors each other's places. */
#include "explore/support.h"

#include "explore/faults.h"

#include <stdatomic.h>

/* ---- workers --------------------------------------------------------------------------------------------------------- */

RH_MESSAGE(go, int unused;);
RH_MESSAGE(done, uint64_t tag; rh_ref from;);

enum how { ALIKE, NUMBERED, KEPT, RANDOM, NAMED, SELF, GLOBAL, KEPT_GLOBALLY, HEAP, STOPS };

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
    check("workers", 3, RANDOM, "symmetry:dfs", 91);
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
    assert_int_equal(x->behaviours, 1); /* of 3!: who sends is the only difference */
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* ---- programs made from a seed ------------------------------------------------------------------------------------------ */

RH_MESSAGE(job, int32_t ttl; uint32_t value; rh_ref who;);
RH_MESSAGE(tell, uint32_t value;);
RH_MESSAGE(told, uint32_t value;);
RH_ACTOR(node, uint64_t number; rh_ref hub; rh_ref peer; uint64_t * heap;);
RH_ACTOR(hub, uint64_t number; rh_ref last; uint32_t spawned;);

static uint64_t seed; /* written only between worlds */

static uint64_t scrambled(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

RH_HANDLER(node, job)
{
    state->number = scrambled(state->number, msg->value);
    uint64_t r = scrambled(seed, state->number);
    int32_t ttl = msg->ttl - 1;
    uint32_t value = (uint32_t)(r >> 32) % 100;
    if (!rh_is_nobody(msg->who) && !rh_same(msg->who, self))
        state->peer = msg->who;
    rh_assert(r % 23, "node");
    if (ttl <= 0)
        return;
    switch ((r >> 8) % 16) {
    case 0:
        rh_stop();
        break;
    case 1:
        rh_timer("t", 10, tell, .value = 3);
        break;
    case 2:
        if (r >> 60 < 4) { /* its name tells it apart */
            rh_store_open(rh_name(self));
            rh_store_put("k", "v", 1);
        }
        break;
    case 3:
        value += rh_choose(2);
        break;
    case 4:
        if (r >> 60 < 4)
            value += (uint32_t)(rh_random() % 3);
        break;
    case 5:
        if (r >> 60 < 4)
            value += (uint32_t)rh_name(self)[5];
        break;
    case 6: {
        const struct told *t = rh_ask(state->hub, tell, told, .value = value);
        state->number = scrambled(state->number, t->value);
        break;
    }
    case 7:
        value += rh_register("node", self);
        break;
    case 8:
        free(state->heap);
        state->heap = calloc(3, sizeof *state->heap);
        if (state->heap)
            state->heap[0] = (uint64_t)(uintptr_t)state->heap, state->heap[1] = r;
        break;
    case 9:
        rh_send(rh_is_nobody(state->peer) ? self : state->peer, job, .ttl = ttl, .value = value);
        return;
    case 10:
        rh_send(state->hub, job, .ttl = ttl, .value = value, .who = self);
        return;
    case 11:
        rh_link(state->hub);
        break;
    default:
        break;
    }
    rh_send(state->hub, job, .ttl = ttl, .value = value);
}
RH_HANDLER(node, tell)
{
    state->number = scrambled(state->number, msg->value);
}
RH_BEHAVIOUR(node, noding, job, tell);

RH_HANDLER(hub, job)
{
    state->number = scrambled(state->number, msg->value);
    uint64_t r = scrambled(seed + 1, state->number);
    int32_t ttl = msg->ttl - 1;
    rh_assert(r % 23, "hub");
    if (ttl <= 0)
        return;
    switch ((r >> 8) % 8) {
    case 0:
    case 1:
        rh_send(rh_sender(), job, .ttl = ttl, .value = 5, .who = msg->who);
        break;
    case 2:
        state->last = rh_sender();
        break;
    case 3:
        if (!rh_is_nobody(state->last))
            rh_send(state->last, job, .ttl = ttl, .value = 6, .who = rh_sender());
        state->last = (rh_ref){ 0 };
        break;
    case 4:
        if (state->spawned++ < 1)
            for (int i = 0; i < 2; i++)
                rh_send(rh_spawn(node, .number = 9, .hub = self), job, .ttl = ttl, .value = 7);
        break;
    case 5:
        rh_monitor(rh_sender());
        break;
    default:
        break;
    }
}
RH_HANDLER(hub, tell)
{
    state->number++;
    rh_reply(told, .value = msg->value + (uint32_t)state->number % 2);
}
RH_HANDLER(hub, rh_down)
{
    (void)msg;
    state->number = scrambled(state->number, 77);
}
RH_BEHAVIOUR(hub, hubbing, job, tell, rh_down);

RH_TEST(nodes)
{
    uint64_t r = scrambled(seed, 4);
    rh_ref h = rh_spawn(hub);
    uint32_t n = 2 + r % 2;
    for (uint32_t i = 0; i < n; i++) {
        rh_ref one = rh_spawn(node, .hub = h, .number = r >> 20 & 1 ? 1 : i / 2);
        rh_send(one, job, .ttl = 3 + (r >> 8) % 2, .value = 1);
        if (r >> 30 & 1)
            rh_send_from(rh_external("user"), one, job, .ttl = 2, .value = 2);
    }
}

static struct rh_semantics semantics_of(uint64_t number)
{
    static const enum rh_model models[] = { RH_FIFO, RH_BAG, RH_MAILBOX };
    struct rh_semantics s = { .model = models[number % 3],
                              .max_steps = 200,
                              .max_actors = 32,
                              .seed = 1,
                              .dead_letters = RH_DEAD_LETTER_IGNORE };
    uint64_t r = scrambled(number, 5);
    s.time = r >> 8 & 1 ? RH_TIME_FREE : RH_TIME_ORDERED;
    s.granularity = r >> 9 & 1 ? RH_GRAIN_HANDLER : RH_GRAIN_OPERATION;
    one_fault(&s, (r >> 16) % 8);
    return s;
}

/* What a run came to, without who is who: its outcome and place, and of each actor the type, whether it has ended, how many
 * events it had and its number, in an order of their own. */
static uint64_t result_of(struct rh_world *w, enum rh_outcome_kind outcome)
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
static void watch_end(void *state, struct rh_world *w, const struct rh_run *run)
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
    *all = x->exhausted;
    rh__exploration_free(x);
    return spied;
}

static void no_result_is_lost(void **unused)
{
    (void)unused;
    uint32_t programs = 0, reduced = 0, again = 0, failing = 0;
    uint64_t all_runs = 0, fewer_runs = 0;
    const char *asked = getenv("RH_TEST_PROGRAMS");
    uint64_t most = asked ? strtoull(asked, NULL, 10) : 150;
    for (seed = 1; seed <= most; seed++) {
        struct rh_semantics s = semantics_of(seed);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(alike_workers_are_counted_once),
        EXPLORE_TEST(workers_that_are_told_apart_are_not),
        EXPLORE_TEST(what_is_only_told_apart_later_begins_again),
        EXPLORE_TEST(what_does_not_combine_is_refused),
        EXPLORE_TEST(samplers_go_on_inside),
        EXPLORE_TEST(no_result_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
