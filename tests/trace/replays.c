/* The guarantee of a schedule: whatever a run did, its schedule, written as text and read again, makes the same run.
 *
 * Programs of every feature (explore/oracle_program.h) are run at random under every delivery model, time mode and
 * granularity, with and without faults, to their end or to a failing step.  The schedule of each run goes to a file,
 * and the explorer `replay` makes it again in a world of its own, as `rehearse replay` does: choice by choice, with the
 * same outcome. */
#include "explore/support/oracle_make.h"
#include "explore/support/runs.h"

#include <unistd.h>

#include "trace/schedule.h"

enum { RUNS = 6, SCHEDULE = 1 << 19, PATH = 64 };

struct kept {
    uint64_t sequence;
    struct rh_outcome outcome;
    uint32_t events;
    char schedule[SCHEDULE];
};
static struct {
    uint32_t count;
    struct kept run[RUNS];
} * kept; /* in shared memory */

static void keeping_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    if (kept->count < RUNS) {
        struct kept *k = &kept->run[kept->count++];
        struct rh__text t;
        k->sequence = sequence_of(w);
        k->outcome = *rh_world_outcome(w);
        k->events = w->event_count;
        rh__text_init(&t, k->schedule, sizeof k->schedule);
        rh__schedule_write(rh__world_run(w), &t);
    }
    rh_inner_end(&s->inner, w, run);
}
SPY(keeping, "keeps the schedules of the runs that another explorer makes", keeping_end)

static char path[PATH];

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void explore_with(const char *test, const struct rh_semantics *s, const char *explorer, uint64_t seed,
                         uint64_t runs)
{
    struct rh_world *w = world_of(test, s, NULL, 0);
    kept->count = 0;
    struct rh_exploration *x = explored(w, explorer, seed, runs);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* What was kept, before the next exploration. */
static uint32_t take_kept(struct kept made[RUNS])
{
    for (uint32_t i = 0; i < kept->count; i++) {
        size_t size = strlen(kept->run[i].schedule) + 1;
        memcpy(&made[i], &kept->run[i], offsetof(struct kept, schedule));
        memcpy(made[i].schedule, kept->run[i].schedule, size);
    }
    return kept->count;
}

/* One that was written, made again. */
static void replayed(const char *test, const struct rh_semantics *s, const struct kept *made, const char *what)
{
    char explorer[PATH + 32];
    snprintf(explorer, sizeof explorer, "keeping:replay:%s", path);
    write_file(made->schedule);
    explore_with(test, s, explorer, 1, 0);
    const struct kept *again = &kept->run[0];
    if (kept->count == 1 && again->sequence == made->sequence && again->outcome.kind == made->outcome.kind &&
        strcmp(again->outcome.text, made->outcome.text) == 0 && strcmp(again->schedule, made->schedule) == 0)
        return;
    fail_msg("%s\nof %u events %u were made again (%s, then %s):\n%s\nwritten again:\n%s", what, made->events,
             again->events, rh_outcome_name(made->outcome.kind), rh_outcome_name(again->outcome.kind), made->schedule,
             again->schedule);
}

/* The outcomes that were seen. */
static uint32_t replay_all(const char *test, const struct rh_semantics *s, const char *explorer, uint64_t seed,
                           const char *what)
{
    static struct kept made[RUNS];
    uint32_t failed = 0;
    explore_with(test, s, explorer, seed, RUNS);
    uint32_t count = take_kept(made);
    for (uint32_t i = 0; i < count; i++) {
        failed += rh_outcome_failed(made[i].outcome.kind);
        replayed(test, s, &made[i], what);
    }
    return failed;
}

static int begin(void **unused)
{
    (void)unused;
    kept = rh_shared_new(sizeof *kept);
    snprintf(path, sizeof path, "/tmp/rehearse-replays-XXXXXX");
    int fd = mkstemp(path);
    return kept && fd >= 0 ? close(fd) : -1;
}

static int end(void **unused)
{
    (void)unused;
    rh_shared_free(kept, sizeof *kept);
    return unlink(path);
}

/* ---- generated programs ------------------------------------------------------------------------------------------ */

static void every_run_is_made_again(void **unused)
{
    (void)unused;
#ifdef RH_TEST_FEW
    enum { SEEDS = 20 };
#else
    enum { SEEDS = 100 };
#endif
    uint32_t failed = 0, programs = 0;
    uint64_t first = getenv("REHEARSE_FIRST") ? strtoull(getenv("REHEARSE_FIRST"), NULL, 10) : 0;
    for (uint64_t seed = first; seed < first + SEEDS; seed++)
        for (int grain = RH_GRAIN_HANDLER; grain <= RH_GRAIN_OBJECT; grain++) {
            char what[2200];
            features_make(&program, seed);
            program.model = (uint32_t)(seed / 3 % 4);
            features_with_time(&program, (enum rh_time)(seed % 3));
            program.fails = seed % 2 ? 9 : 0;
            if (grain == RH_GRAIN_SEND)
                program.model = RH_MAILBOX;
            struct rh_semantics s = features_semantics(&program);
            s.granularity = (enum rh_granularity)grain;
            s.partitions = seed % 7 == 0;
            s.delays = seed % 3 == 0 && grain != RH_GRAIN_OBJECT ? 2 : 0; /* there they are not offered */
            s.delay_steps = 3;
            int n = snprintf(what, sizeof what, "granularity %d: ", grain);
            features_write(&program, what + n, sizeof what - (size_t)n);
            failed += replay_all("features", &s, "keeping:random", seed + 1, what);
            if (grain == RH_GRAIN_OBJECT && !s.partitions)
                replay_all("features", &s, "keeping:optimal:private-globals", seed + 1, what);
            programs++;
        }
    print_message("%u programs, %u of their runs failed\n", programs, failed);
    assert_in_range(failed, SEEDS / 2, 10 * SEEDS);
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

RH_MESSAGE(go);
RH_MESSAGE(reached);

/* Waits, sleeps and asks that end by the clock. */
RH_PROCESS(waiter, int how; rh_ref to;);
RH_ACTOR(mute, int unused;);
RH_HANDLER(mute, go)
{
}
RH_BEHAVIOUR(mute, silent, go);
RH_BODY(waiter)
{
    if (state->how == 0)
        rh_receive(go, .timeout_ms = 1);
    else if (state->how == 1)
        rh_sleep(1);
    else
        rh_ask_within(5, state->to, go, reached);
    rh_assert(false, "it is over");
}
RH_TEST(waits_that_end)
{
    rh_ref m = rh_spawn(mute);
    rh_spawn(waiter, .how = (int)rh_choose(3), .to = m);
}

static void what_ends_by_the_clock_is_made_again(void **unused)
{
    (void)unused;
    for (int time = RH_TIME_FREE; time <= RH_TIME_LOGICAL; time++)
        for (int grain = RH_GRAIN_HANDLER; grain <= RH_GRAIN_OBJECT; grain++) {
            struct rh_semantics s = { .time = (enum rh_time)time, .granularity = (enum rh_granularity)grain };
            s.model = grain == RH_GRAIN_SEND ? RH_MAILBOX : RH_FIFO;
            uint32_t failed = replay_all("waits_that_end", &s, "keeping:dfs", 1, "waits");
            assert_in_range(failed, 3, RUNS);
        }
}

/* Actors whose names do not fit anywhere: a chain of them, two at its end, so that no part of the name tells them
 * apart. */
enum { DEEP = 60 };
RH_ACTOR(one_of_a_chain, int depth;);
RH_HANDLER(one_of_a_chain, go)
{
    for (int i = 0; i < (state->depth == 0 ? 2 : state->depth < DEEP); i++)
        rh_send(rh_spawn(one_of_a_chain, .depth = state->depth + 1), go);
    if (state->depth == DEEP)
        rh_timer("end", 1, reached);
}
RH_HANDLER(one_of_a_chain, reached)
{
}
RH_BEHAVIOUR(one_of_a_chain, b, go, reached);
RH_TEST(long_names)
{
    rh_send(rh_spawn(one_of_a_chain), go);
}

RH_ACTOR(setter, int unused;);
RH_HANDLER(setter, go)
{
    static const size_t sizes[] = { 500, 1100, 17000, 20000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char name[20001];
        memset(name, 'x', sizes[i]);
        name[sizes[i]] = 0;
        rh_timer(name, 1, reached);
    }
}
RH_HANDLER(setter, reached)
{
}
RH_BEHAVIOUR(setter, b, go, reached);
RH_TEST(long_timers)
{
    rh_send(rh_spawn(setter), go);
}

/* Names of outsiders that look like parts of a line. */
RH_TEST(odd_outsiders)
{
    rh_ref m = rh_spawn(mute);
    rh_send_from(rh_external("u"), m, go);
    rh_send_from(rh_external("u"), m, go);
    rh_send_from(rh_external("u (2)"), m, go);
    rh_send_from(rh_external(" u # "), m, go);
    rh_send_from(rh_external("u to mute"), m, go);
}

static void names_of_any_length_and_form_are_kept(void **unused)
{
    (void)unused;
    static const char *const tests[] = { "long_names", "long_timers", "odd_outsiders" };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        for (int grain = RH_GRAIN_HANDLER; grain <= RH_GRAIN_OBJECT; grain += RH_GRAIN_OBJECT - RH_GRAIN_HANDLER)
            for (int time = RH_TIME_FREE; time <= RH_TIME_ORDERED; time++)
                for (uint64_t seed = 1; seed < 6; seed++) {
                    struct rh_semantics s = { .granularity = (enum rh_granularity)grain, .time = (enum rh_time)time };
                    replay_all(tests[i], &s, "keeping:random", seed, tests[i]);
                }
}

/* ---- edited programs --------------------------------------------------------------------------------------------- */

static bool edited; /* written only between worlds */

RH_TABLE(board);
RH_PROCESS(writer, int unused;);
RH_BODY(writer)
{
    rh_table_put(board, "k", "1", 1);
}
RH_TEST(may_be_edited)
{
    char c;
    if (edited)
        rh_spawn(mute);
    rh_spawn(writer);
    if (edited)
        rh_spawn(mute);
    rh_assert(rh_table_get(board, "k", &c, 1) < 0, "written");
}

/* A spawn that has nothing to do with the rest makes no schedule stale. */
static void a_spawn_added_to_the_body_changes_nothing(void **unused)
{
    (void)unused;
    struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
    static struct kept made[RUNS];
    edited = false;
    explore_with("may_be_edited", &s, "keeping:dfs", 1, RUNS);
    uint32_t count = take_kept(made), failed = 0;
    edited = true;
    for (uint32_t i = 0; i < count; i++) {
        char explorer[PATH + 32];
        snprintf(explorer, sizeof explorer, "keeping:replay:%s", path);
        write_file(made[i].schedule);
        explore_with("may_be_edited", &s, explorer, 1, 0);
        assert_string_equal(kept->run[0].schedule, made[i].schedule);
        assert_int_equal(kept->run[0].outcome.kind, made[i].outcome.kind);
        failed += rh_outcome_failed(made[i].outcome.kind);
    }
    edited = false;
    assert_in_range(failed, 1, count - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(what_ends_by_the_clock_is_made_again),
        EXPLORE_TEST(names_of_any_length_and_form_are_kept),
        EXPLORE_TEST(a_spawn_added_to_the_body_changes_nothing),
        EXPLORE_TEST(every_run_is_made_again),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
