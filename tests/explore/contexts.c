/* Threads in place of fibers: each actor has a thread, and what explorers find is the same, run by run. */
#include "explore/support/oracle.h"
#include "support/few.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PROGRAMS = MANY_OR_FEW(40, 15), MOST_MADE = 400 };

/* ---- the same runs ----------------------------------------------------------------------------------------------- */

struct made {
    uint32_t count;
    uint64_t sequence[MOST_MADE], outcome[MOST_MADE], end[MOST_MADE];
};
static struct made *made; /* shared memory */

static void making_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    if (made->count < MOST_MADE) {
        struct rh_fingerprint f = rh_world_fingerprint_wide(w);
        made->sequence[made->count] = sequence_of(w);
        made->outcome[made->count] = outcome_of(w, run->outcome, true);
        made->end[made->count++] = f.high ^ f.low;
    }
    rh_inner_end(&((struct spy *)state)->inner, w, run);
}

static const struct rh_explorer making = {
    .name = "making",
    .summary = "notes the runs that another explorer makes, in their order",
    .state_size = sizeof(struct spy),
    .arguments = rh_only_arguments,
    .report = &rh_only_report,
    .decorator = &rh_only_decorator,
    .open = rh_only_open,
    .end = making_end,
};
RH_EXPLORER(making)

static void make(struct made *to, const char *explorer, enum rh_contexts contexts)
{
    char text[64];
    struct rh_semantics s = features_semantics(&program);
    s.contexts = contexts;
    struct rh_world *w = world_of("features", &s, NULL, 0);
    memset(to, 0, sizeof *to);
    made = to;
    snprintf(text, sizeof text, "making(%s)", explorer);
    rh__exploration_free(explored(w, text, 1, MOST_MADE));
    rh_world_free(w);
}

static void runs_are_the_same(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "dfs", "stateful", "optimal", "dpor", "random" };
    struct made *fibers = rh_shared_new(sizeof *fibers), *threads = rh_shared_new(sizeof *threads);
    uint32_t runs = 0;
    assert_true(fibers && threads);
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        const char *explorer = explorers[seed % (sizeof explorers / sizeof *explorers)];
        if (seed % 2)
            features_make_processes(&program, seed);
        else
            features_make(&program, seed);
        program.fails = seed % 4 ? 0 : 9;
        program.kills = 0;
        make(fibers, explorer, RH_CONTEXT_FIBERS);
        make(threads, explorer, RH_CONTEXT_THREADS);
        runs += fibers->count;
        if (memcmp(fibers, threads, sizeof *fibers) != 0) {
            char text[1024];
            features_write(&program, text, sizeof text);
            fail_msg("%s with %s: %u runs with fibers, %u with threads", text, explorer, fibers->count, threads->count);
        }
    }
    print_message("%u runs of %u programs\n", runs, PROGRAMS);
    assert_true(runs > 5 * PROGRAMS);
    rh_shared_free(fibers, sizeof *fibers);
    rh_shared_free(threads, sizeof *threads);
}

/* ---- what a library keeps by thread ------------------------------------------------------------------------------ */

static _Thread_local int calls; /* as a library may count */
RH_MESSAGE(stamp);
RH_MESSAGE(stamped, int calls;);

static void use_library(void)
{
    rh_assert(calls < 2, "%d calls: of others, or of an earlier run", calls);
    calls++;
}

RH_PROCESS(user);
RH_BODY(user)
{
    pthread_mutex_t own;
    pthread_mutexattr_t checked;
    pthread_mutexattr_init(&checked);
    pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&own, &checked);
    pthread_mutex_lock(&own); /* has an owner: a thread */
    use_library();
    rh_receive(stamp);
    use_library();
    rh_assert(pthread_mutex_unlock(&own) == 0, "another thread has it");
    rh_assert(syscall(SYS_gettid) != getpid(), "it is the thread that drives the world");
    rh_reply(stamped, .calls = calls);
}

static void use_two(void)
{
    for (int i = 0; i < 2; i++)
        rh_send(rh_spawn(user), stamp);
    for (int i = 0; i < 2; i++) {
        const struct stamped *s = rh_receive(stamped);
        rh_assert(s->calls == 2, "%d calls", s->calls);
    }
    rh_assert(!calls, "%d calls are not its own", calls);
}
RH_TEST(thread_local, .contexts = RH_CONTEXT_THREADS, .granularity = RH_GRAIN_OBJECT)
{
    use_two();
}
RH_TEST(thread_shared, .granularity = RH_GRAIN_OBJECT)
{
    use_two();
}

static uint64_t findings_of(const char *test, const char *explorer)
{
    struct rh_world *w = world_of(test, NULL, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, 200);
    uint64_t findings = x->results->finding_count;
    rh__exploration_free(x);
    rh_world_free(w);
    return findings;
}

/* Also in an explorer that goes back only a part of a run. */
static void an_actor_has_a_thread(void **unused)
{
    (void)unused;
    assert_int_equal(findings_of("thread_local", "dfs"), 0);
    assert_int_equal(findings_of("thread_local", "optimal"), 0);
    assert_int_equal(findings_of("thread_local", "random"), 0);
    assert_int_not_equal(findings_of("thread_shared", "dfs"), 0);
}

/* ---- crashes are findings ---------------------------------------------------------------------------------------- */

RH_PROCESS(crasher, int how;);
static int deep(int n, volatile char *above)
{
    volatile char room[4096];
    room[0] = above ? above[0] : (char)n;
    return n > 1 << 20 ? room[0] : deep(n + 1, room) + room[0];
}
RH_BODY(crasher)
{
    rh_receive(stamp);
    if (state->how == 0)
        raise(SIGSEGV);
    else if (state->how == 1)
        deep(0, NULL);
    else
        for (volatile int i = 0;; i++)
            continue;
}
static void crash(int how)
{
    rh_send(rh_spawn(crasher, .how = how), stamp);
}
RH_TEST(crashes, .contexts = RH_CONTEXT_THREADS)
{
    crash(0);
}
RH_TEST(overflows, .contexts = RH_CONTEXT_THREADS)
{
    crash(1);
}
RH_TEST(never_returns, .contexts = RH_CONTEXT_THREADS, .max_handler_ms = 100)
{
    crash(2);
}

static enum rh_outcome_kind outcome_with(const char *test)
{
    struct rh_world *w = world_of(test, NULL, NULL, 0);
    struct rh_exploration *x = explored(w, "dfs", 1, 1);
    assert_int_equal(x->results->finding_count, 1);
    enum rh_outcome_kind kind = x->results->findings[0].outcome.kind;
    rh__exploration_free(x);
    rh_world_free(w);
    return kind;
}

static void crashes_on_threads_are_findings(void **unused)
{
    (void)unused;
#ifndef __SANITIZE_ADDRESS__ /* which reports these itself */
    assert_int_equal(outcome_with("crashes"), RH_OUTCOME_CRASH);
    assert_int_equal(outcome_with("overflows"), RH_OUTCOME_STACK_OVERFLOW);
#endif
    assert_int_equal(outcome_with("never_returns"), RH_OUTCOME_ENDLESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(runs_are_the_same), EXPLORE_TEST(an_actor_has_a_thread),
                                        EXPLORE_TEST(crashes_on_threads_are_findings) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
