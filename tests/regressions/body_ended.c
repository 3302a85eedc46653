/* A test whose own body does not come to its end has not checked what it was to check: that is a finding, whoever ended
 * the body and why, under every model, granularity and explorer.  Other actors may be ended. */
#include "sandbox/drive.h"

#include <rehearse/run.h>

#include "support/few.h"

RH_MESSAGE(go);
RH_MESSAGE_IGNORED(answer, int v;);

RH_ACTOR(server, char reason[16];);
RH_HANDLER(server, go)
{
    rh_exit(state->reason);
}
RH_BEHAVIOUR(server, serving, go);

RH_ACTOR(killer, rh_ref whom; char reason[16];);
RH_HANDLER(killer, go)
{
    rh_kill(state->whom, state->reason);
}
RH_BEHAVIOUR(killer, killing, go);

RH_TEST(a_server_gives_up)
{
    rh_ref s = rh_spawn_link(server, .reason = "cannot serve");
    rh_send(s, go);
    rh_assert(rh_receive(answer)->v == 42);
}
RH_TEST(a_server_is_asked_and_gives_up)
{
    rh_ref s = rh_spawn_link(server, .reason = "cannot serve");
    rh_assert(rh_ask(s, go, answer)->v == 42);
}
RH_TEST(a_server_shuts_down)
{
    rh_ref s = rh_spawn_link(server, .reason = "shutdown");
    rh_send(s, go);
    rh_assert(rh_receive(answer)->v == 42);
}
RH_TEST(a_server_crashes, .crashes = 1)
{
    rh_spawn_link(server);
    rh_assert(rh_receive(answer, .idle = true)->v == 42);
}
RH_TEST(a_killer_has_a_reason)
{
    rh_send(rh_spawn(killer, .whom = self, .reason = "why not"), go);
    rh_assert(rh_receive(answer)->v == 42);
}
RH_TEST(a_killer_kills)
{
    rh_send(rh_spawn(killer, .whom = self, .reason = "kill"), go);
    rh_sleep(1000);
    rh_trap_exits(true);
    rh_assert(rh_receive(answer, .idle = true)->v == 42);
}
RH_TEST(it_kills_itself)
{
    rh_kill(self, "tired");
    rh_receive(answer, .idle = true);
}
RH_TEST(nobody_to_link_to)
{
    rh_ref s = rh_spawn_monitor(server, .reason = "gone");
    rh_send(s, go);
    rh_join(s);
    rh_link(s);
    rh_receive(answer, .idle = true);
}
RH_TEST(it_gives_up_itself_and_somebody_is_linked)
{
    rh_spawn_link(server);
    rh_exit("no use");
}

/* None of these is a failure. */
RH_TEST(others_are_ended)
{
    rh_ref s = rh_spawn(server), t = rh_spawn(server);
    rh_send(rh_spawn(killer, .whom = s, .reason = "why not"), go);
    rh_send(rh_spawn(killer, .whom = t, .reason = "kill"), go);
}
RH_TEST(the_end_is_normal)
{
    rh_ref s = rh_spawn_link(server, .reason = "normal");
    rh_send(s, go);
    rh_receive(answer, .idle = true);
}
RH_TEST(the_body_has_returned)
{
    rh_ref s = rh_spawn_link(server, .reason = "shutdown");
    rh_send(s, go);
    rh_send(rh_spawn(killer, .whom = self, .reason = "kill"), go);
}
RH_TEST(the_body_traps)
{
    rh_trap_exits(true);
    rh_ref s = rh_spawn_link(server, .reason = "cannot serve");
    rh_send(s, go);
    rh_receive(rh_exited);
}
RH_TEST(it_shuts_down_itself)
{
    rh_spawn(server);
    rh_exit("shutdown");
}

static char report[1 << 16];

static const char *const explorers[] = {
    "dfs", "dpor", "optimal", "symmetry:dfs", "cover:all", "random", "roundrobin"
};
static const char *const grains[] = { "default", "handler", "send", "object" };
static const char *const models[] = { "fifo", "bag", "causal", "mailbox" };

static void check_one(int code, const char *test, const char *text, const char *options)
{
    report[0] = 0;
    int got = rh_explore_test(test, options, report, sizeof report);
    if (got != code)
        fail_msg("%s %s gives %d, not %d: %s", test, options, got, code, report);
    if (!code)
        return;
    check_contains(report, "\nabnormal exit: test: ");
    check_contains(report, text);
}

/* What is refused is tested elsewhere. */
static bool goes_together(const char *explorer, int grain, int model)
{
    if (strcmp(explorer, "optimal") == 0)
        return grain == RH_GRAIN_OBJECT;
    if (strcmp(explorer, "symmetry:dfs") == 0 && (model == RH_CAUSAL || grain == RH_GRAIN_OBJECT))
        return false;
    return grain != RH_GRAIN_SEND || (model == RH_MAILBOX && strcmp(explorer, "symmetry:dfs") != 0);
}

static void check_explored(int code, const char *test, const char *text)
{
    for (size_t e = 0; e < sizeof explorers / sizeof *explorers; e++)
        for (int i = MANY_OR_FEW(0, (int)e % 3); i < 12; i += MANY_OR_FEW(1, 3)) {
            char options[256];
            int grain = RH_GRAIN_HANDLER + i / 4;
            if (!goes_together(explorers[e], grain, i % 4))
                continue;
            snprintf(options, sizeof options, "--explorer %s --granularity %s --model %s --max-runs 300", explorers[e],
                     grains[grain], models[i % 4]);
            check_one(code, test, text, options);
        }
}

static void the_end_of_the_body_by_a_signal_is_a_finding(void **unused)
{
    (void)unused;
    check_explored(1, "a_server_gives_up", "\"cannot serve\"");
    check_contains(report, "server#1");
    check_contains(report, "body_ended.c:30");
    check_explored(1, "a_server_is_asked_and_gives_up", "\"cannot serve\"");
    check_explored(1, "a_server_shuts_down", "\"shutdown\"");
    check_explored(1, "a_server_crashes", "\"crashed\"");
    check_explored(1, "a_killer_has_a_reason", "\"why not\"");
    check_contains(report, "killer#1");
    check_explored(1, "a_killer_kills", "\"killed\"");
    check_explored(1, "it_kills_itself", "\"tired\"");
    check_explored(1, "nobody_to_link_to", "\"noproc\"");
}

static void an_abnormal_exit_of_the_body_is_a_finding_whoever_is_told(void **unused)
{
    (void)unused;
    check_explored(1, "it_gives_up_itself_and_somebody_is_linked", "\"no use\"");
}

static void other_ends_are_not(void **unused)
{
    (void)unused;
    check_explored(0, "others_are_ended", NULL);
    check_explored(0, "the_end_is_normal", NULL);
    check_explored(0, "the_body_has_returned", NULL);
    check_explored(0, "the_body_traps", NULL);
    check_explored(0, "it_shuts_down_itself", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_the_body_by_a_signal_is_a_finding),
        cmocka_unit_test(an_abnormal_exit_of_the_body_is_a_finding_whoever_is_told),
        cmocka_unit_test(other_ends_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
