/* Whoever dies: the result is that of one process.  At least 600 workers and agents and 50 servers are killed. */
#include <stdio.h>

#include "explore/support/runs.h"
#include "link/support/chaos.h"
#include "link/support/servers.h"

enum { ALL = (1u << CHAOS_KIND_COUNT) - 1 };

static const struct chaos_setting settings[] = {
    { "dfs, 362,880 runs",
      "tests/fixtures/slow",
      (const char *const[]){ "--explorer", "dfs", "-p", "n=9", NULL },
      false,
      ALL,
      { [CHAOS_workers] = 200, [CHAOS_agents] = 60, [CHAOS_servers] = 20, [CHAOS_networks] = 20, [CHAOS_stops] = 30 },
      .repeats = false },
    { "dfs, with failures",
      "examples/scheduler",
      (const char *const[]){ "every_job_runs_once", "--explorer", "dfs", "-p", "bug=double", NULL },
      false,
      ALL,
      { [CHAOS_workers] = 60, [CHAOS_agents] = 20, [CHAOS_servers] = 10, [CHAOS_explorers] = 4 },
      .repeats = false },
    { "optimal",
      "tests/fixtures/slow",
      (const char *const[]){ "--explorer", "optimal", "-p", "n=8", NULL },
      false,
      ALL,
      { [CHAOS_workers] = 100, [CHAOS_agents] = 30, [CHAOS_servers] = 10, [CHAOS_networks] = 10 },
      .repeats = false },
    { "dpor",
      "tests/fixtures/slow",
      (const char *const[]){ "--explorer", "dpor", "-p", "n=8", NULL },
      false,
      ALL,
      { [CHAOS_workers] = 60, [CHAOS_agents] = 20, [CHAOS_servers] = 6, [CHAOS_explorers] = 1 },
      .repeats = false },
    { "dpor, with failures",
      "examples/scheduler",
      (const char *const[]){ "a_job_survives_its_machine", "--explorer", "dpor", "--granularity", "object", NULL },
      false,
      ALL,
      { [CHAOS_workers] = 20, [CHAOS_agents] = 10, [CHAOS_servers] = 4 },
      .repeats = false },
    { "stateful",
      "tests/fixtures/slow",
      (const char *const[]){ "--explorer", "stateful", "-p", "n=8", NULL },
      true,
      ALL,
      { [CHAOS_workers] = 80, [CHAOS_agents] = 30, [CHAOS_servers] = 8, [CHAOS_explorers] = 2 },
      .repeats = false },
    { "strata, with failures",
      "examples/scheduler",
      (const char *const[]){ "every_job_runs_once", "--explorer", "delay(rtc, ses)", "-p", "bug=double", NULL },
      true,
      ALL,
      { [CHAOS_workers] = 20, [CHAOS_agents] = 20, [CHAOS_servers] = 6 },
      .repeats = false },
    { "samples",
      "tests/fixtures/slow",
      (const char *const[]){ "--explorer", "delay(rtc, ss, delays=5, c1=40000)", "-p", "n=8", NULL },
      true,
      ALL,
      { [CHAOS_workers] = 20, [CHAOS_agents] = 10, [CHAOS_servers] = 4, [CHAOS_explorers] = 1 },
      .repeats = true },
    { "preempt over dfs",
      "examples/processes-registration",
      (const char *const[]){ "attach_noping", "--explorer", "preempt(2, dfs)", "--granularity", "object", NULL },
      false,
      ALL,
      { [CHAOS_workers] = 40, [CHAOS_agents] = 20, [CHAOS_servers] = 6, [CHAOS_flushes] = 4 },
      .repeats = false },
};

static void whoever_dies_totals_are_those_of_one_process(void **unused)
{
    struct chaos_counts sum = { .explorations = 0 }, one;
    (void)unused;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        chaos_make(&settings[i], i + 1, &one);
        chaos_add(&sum, &one);
    }
    chaos_print(&sum);
    assert_true(sum.happened[CHAOS_workers] + sum.happened[CHAOS_agents] >= 600);
    assert_true(sum.happened[CHAOS_servers] >= 50);
    if (sum.exact * 10 < sum.explorations * 9)
        fail_msg("%u of %u explorations are incomplete: they prove little", sum.incomplete, sum.explorations);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(whoever_dies_totals_are_those_of_one_process) };
    if (!server_is_installed()) {
        printf("skipped: redis-server is not installed (Debian: redis-server)\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
