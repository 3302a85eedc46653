/* Whoever dies: the result is that of one process.  A short version of kills_long.c. */
#include <stdio.h>

#include "explore/support/runs.h"
#include "link/support/chaos.h"
#include "link/support/servers.h"

enum {
    PROCESSES = 1u << CHAOS_workers | 1u << CHAOS_agents | 1u << CHAOS_stops,
    ALL = (1u << CHAOS_KIND_COUNT) - 1,
};

static void made(const struct chaos_setting *s)
{
    struct chaos_counts counts;
    chaos_make(s, 1, &counts);
    if (!counts.exact)
        fail_msg("no exploration was exact: nothing was compared");
}

static void processes_are_killed(void **unused)
{
    (void)unused;
    made(&(struct chaos_setting){ "dfs, processes",
                                  "tests/fixtures/slow",
                                  (const char *const[]){ "--explorer", "dfs", "-p", "n=9", NULL },
                                  false,
                                  PROCESSES,
                                  { [CHAOS_workers] = 15, [CHAOS_agents] = 5, [CHAOS_stops] = 2 },
                                  .repeats = false });
}

static void servers_and_networks_fail(void **unused)
{
    (void)unused;
    made(&(struct chaos_setting){
        "dfs with failures, all",
        "examples/scheduler",
        (const char *const[]){ "every_job_runs_once", "--explorer", "dfs", "-p", "bug=double", NULL },
        false,
        ALL,
        { [CHAOS_servers] = 2, [CHAOS_networks] = 3, [CHAOS_workers] = 5 },
        .repeats = false });
}

/* A search in rounds: the explorer keeps it, agents learn what they need for a round. */
static void a_search_in_rounds_loses_nothing(void **unused)
{
    (void)unused;
    made(&(struct chaos_setting){ "stateful, all",
                                  "tests/fixtures/slow",
                                  (const char *const[]){ "--explorer", "stateful", "-p", "n=7", NULL },
                                  true,
                                  ALL,
                                  { [CHAOS_servers] = 2, [CHAOS_workers] = 5 },
                                  .repeats = false });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_in_rounds_loses_nothing),
        cmocka_unit_test(processes_are_killed),
        cmocka_unit_test(servers_and_networks_fail),
    };
    if (!server_is_installed()) {
        printf("skipped: redis-server is not installed (Debian: redis-server)\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
