/* Gaps of schedules: `...`, `... without timers`, and what is refused. */
#include <unistd.h>

#include "explore/support/runs.h"

RH_MESSAGE(work);
RH_MESSAGE(tick);
RH_ACTOR(worker, int ticks; int works;);
RH_HANDLER(worker, rh_start)
{
    rh_timer("tick", 1, tick);
}
RH_HANDLER(worker, tick)
{
    state->ticks++;
}
RH_HANDLER(worker, work)
{
    rh_assert(!state->ticks, "work %d came after %d ticks", ++state->works, state->ticks);
}
RH_BEHAVIOUR(worker, busy, rh_start, tick, work);
RH_ACTOR(helper, rh_ref worker;);
RH_HANDLER(helper, rh_start)
{
    rh_timer("go", 1, tick);
}
RH_HANDLER(helper, tick)
{
    rh_send(state->worker, work);
}
RH_BEHAVIOUR(helper, helping, rh_start, tick);
RH_TEST(a_worker)
{
    rh_ref w = rh_spawn(worker);
    rh_spawn(helper, .worker = w);
    rh_send_from(rh_external("one"), w, work);
    rh_send_from(rh_external("two"), w, work);
}

enum { REFUSED = -1, STALE = -2 };
/* Explores by the schedule: the number of findings, or that a line does not fit, or the sentence that refuses it. */
static int replayed(const char *lines, char *error, size_t size)
{
    char path[] = "/tmp/rehearse-gaps-XXXXXX", text[512], explorer[128];
    int fd = mkstemp(path), n = snprintf(text, sizeof text, "rehearse schedule 1\ntest a_worker\n%s", lines),
        found = REFUSED;
    assert_true(fd >= 0 && write(fd, text, (size_t)n) == n);
    close(fd);
    snprintf(explorer, sizeof explorer, "replay:%s", path);
    struct rh_world *w = world_of("a_worker", NULL, NULL, 0);
    struct rh__limits limits = { .max_runs = 10, .keep_going = true };
    struct rh_exploration *x = rh__exploration_new(w, explorer, 1, &limits, error, size);
    if (x) {
        assert_true(rh__explore(x));
        found = (int)x->results->finding_count;
        found = x->end.stale ? STALE : found;
    }
    rh__exploration_free(x);
    rh_world_free(w);
    unlink(path);
    return found;
}

/* The helper sends when its timer fires, in a gap or by a line. */
static void a_gap_without_timers_has_none(void **unused)
{
    (void)unused;
    static const char named[] = "worker#1 takes work from helper#1";
    static const struct {
        const char *gap;
        int findings;
    } cases[] = { { "...", 0 },
                  { "... without faults", 0 },
                  { "... without timers", STALE },
                  { "... without timers and faults", STALE },
                  { "... without timers\nhelper#1's timer \"go\" fires\n... without timers", 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char lines[256], error[512] = "";
        snprintf(lines, sizeof lines, "%s\n%s\n", cases[i].gap, named);
        int findings = replayed(lines, error, sizeof error);
        if (findings != cases[i].findings)
            fail_msg("%s: %d findings instead of %d %s", cases[i].gap, findings, cases[i].findings, error);
    }
}

static void an_unknown_gap_is_refused(void **unused)
{
    (void)unused;
    char error[512] = "";
    assert_int_equal(replayed("... without clocks\n", error, sizeof error), REFUSED);
    assert_string_equal(error,
                        "line 3: `... without clocks`: a gap is `...`, `... without timers` or `... without faults`");
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(a_gap_without_timers_has_none),
                                        EXPLORE_TEST(an_unknown_gap_is_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
