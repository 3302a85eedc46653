/* Calls that no actor makes, letters that nobody reads, runs without an end, worlds that make no sense: each gets a
 * sentence and the place, and changes nothing. */
#include "misuse/things.h"

#include <sys/wait.h>
#include <unistd.h>

static bool apply_any(void *state, const struct rh_operation *o)
{
    (void)state, (void)o;
    return true;
}
RH_HISTORY(sound, .apply = apply_any);

RH_MONITOR(watcher);
RH_HANDLER(watcher, note)
{
}
RH_BEHAVIOUR(watcher, watching, note);

RH_TEST(handler)
{
    rh_send(rh_spawn(stranger), go);
}

/* ---- dead letters ------------------------------------------------------------------------------------------------ */

RH_PROCESS(mourner, rh_ref friend;);
RH_BODY(mourner)
{
    rh_monitor(state->friend);
    rh_send(state->friend, go); /* it stops */
    rh_receive(rh_down);
    HERE(rh_send(state->friend, note, .number = 1));
}
RH_TEST(dead_letter)
{
    rh_spawn(mourner, .friend = rh_spawn(stranger));
}

static struct rh_world *run_dead_letter(enum rh_dead_letter policy)
{
    struct rh_semantics s = { .dead_letters = policy };
    struct rh_world *w = world_with("dead_letter", &s, NULL, 0);
    rh_world_begin(w);
    run_first(w, NULL);
    return w;
}

static void a_send_to_a_stopped_actor_is_logged_failed_or_ignored_as_the_test_wants(void **unused)
{
    (void)unused;
    char place[64];
    struct rh_world *w = run_dead_letter(RH_DEAD_LETTER_LOG);
    check_outcome(w, RH_OUTCOME_FINISHED);
    assert_int_equal(rh_world_log_count(w), 1);
    check_contains(rh_world_log_line(w, 0).text, "note to stranger#1 is lost");
    close_world(w);

    w = run_dead_letter(RH_DEAD_LETTER_FAIL);
    check_outcome(w, RH_OUTCOME_DEAD_LETTER);
    snprintf(place, sizeof place, "outside.c:%d", line);
    check_contains(rh_world_outcome(w)->place, place);
    check_contains(rh_world_outcome(w)->text, "note was sent to stranger#1, which has ended");
    assert_string_equal(name_of(w, rh_world_outcome(w)->actor), "mourner#1");
    close_world(w);

    w = run_dead_letter(RH_DEAD_LETTER_IGNORE);
    check_outcome(w, RH_OUTCOME_FINISHED);
    assert_int_equal(rh_world_log_count(w), 0);
    close_world(w);
}

RH_PROCESS(late_asker, rh_ref friend;);
RH_BODY(late_asker)
{
    rh_monitor(state->friend);
    rh_send(state->friend, go);
    rh_receive(rh_down);
    rh_assert(!rh_ask_within(10, state->friend, question, answer));
    HERE(rh_ask(state->friend, question, answer));
}
RH_TEST(ask_the_dead)
{
    rh_spawn(late_asker, .friend = rh_spawn(stranger));
}

static void rh_ask_of_a_stopped_actor_times_out_or_is_stuck(void **unused)
{
    (void)unused;
    char place[64];
    struct rh_world *w = world_of("ask_the_dead");
    rh_world_begin(w);
    run_first(w, NULL);
    check_outcome(w, RH_OUTCOME_STUCK);
    check_contains(rh_world_outcome(w)->text, "late_asker#1 waits for");
    snprintf(place, sizeof place, "outside.c:%d", line);
    check_contains(rh_world_outcome(w)->place, place);
    close_world(w);
}

/* ---- the limit of steps ------------------------------------------------------------------------------------------ */

RH_ACTOR(restless, int unused;);
RH_HANDLER(restless, go)
{
    rh_send(self, go);
}
RH_BEHAVIOUR(restless, moving, go);
RH_TEST(endless, .max_steps = 100)
{
    rh_send(rh_spawn(restless), go);
}

static void a_run_that_reaches_the_limit_of_steps_is_cut_and_no_finding(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("endless");
    rh_world_begin(w);
    run_first(w, NULL);
    check_outcome(w, RH_OUTCOME_CUT);
    assert_false(rh_outcome_failed(RH_OUTCOME_CUT));
    uint32_t count;
    rh_world_events(w, &count);
    assert_int_equal(count, 101); /* the beginning and 100 steps */
    assert_true(rh_world_undo(w));
    check_outcome(w, RH_OUTCOME_RUNNING);
    close_world(w);
}

static void a_choice_that_is_not_open_is_refused_and_changes_nothing(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("endless");
    rh_world_begin(w);
    uint64_t before = rh_world_fingerprint(w);
    for (uint32_t kind = 0; kind < 20; kind++)
        for (uint32_t what = 1; what < 4; what++) {
            struct rh_choice c = { kind, what % 2 ? RH_NONE : what, what == 3 ? 0xfffffff0 : what, 0 };
            assert_false(rh_world_step(w, &c));
        }
    assert_true(before == rh_world_fingerprint(w));
    uint32_t count;
    rh_world_events(w, &count);
    assert_int_equal(count, 1);
    assert_false(rh_world_undo(w));
    close_world(w);
}

/* ---- outside of actors ------------------------------------------------------------------------------------------- */

/* Standard error goes to a file from capture on; captured gives its text and puts things back. */
static FILE *captured_file;
static int stderr_before;

static void capture(void)
{
    fflush(stderr);
    captured_file = tmpfile();
    stderr_before = dup(STDERR_FILENO);
    dup2(fileno(captured_file), STDERR_FILENO);
}

static const char *captured(void)
{
    static char text[4096];
    fflush(stderr);
    dup2(stderr_before, STDERR_FILENO);
    close(stderr_before);
    rewind(captured_file);
    text[fread(text, 1, sizeof text - 1, captured_file)] = '\0';
    fclose(captured_file);
    return text;
}

static void check_said(const char *call, int at)
{
    char want[128];
    const char *text = captured();
    snprintf(want, sizeof want, "outside.c:%d: %s", at, call);
    check_contains(text, want);
    check_contains(text, "outside of");
}

/* Each call is on a line of its own, and returns something harmless. */
#define SAYS(name, call)                                                                                               \
    do {                                                                                                               \
        capture();                                                                                                     \
        call;                                                                                                          \
        check_said(name, __LINE__);                                                                                    \
    } while (0)

static void call_everything_outside(void)
{
    SAYS("rh_spawn", assert_true(rh_is_nobody(rh_spawn(stranger))));
    SAYS("rh_send", rh_send(made_up(), note));
    SAYS("rh_reply", rh_reply(note));
    SAYS("rh_forward", rh_forward(made_up()));
    SAYS("rh_ask", assert_null(rh_ask(made_up(), question, answer)));
    SAYS("rh_receive", assert_null(rh_receive(note)));
    SAYS("rh_receive", assert_null(rh_receive_set(2, note)));
    SAYS("rh_external", assert_true(rh_is_nobody(rh_external("user"))));
    SAYS("rh_become", rh_become(stranger, strange));
    SAYS("rh_stop", rh_stop());
    SAYS("rh_kill", rh_kill(made_up(), "why"));
    SAYS("rh_link", rh_link(made_up()));
    SAYS("rh_monitor", rh_monitor(made_up()));
    SAYS("rh_trap_exits", rh_trap_exits(true));
    SAYS("rh_register", assert_false(rh_register("name", made_up())));
    SAYS("rh_whereis", assert_true(rh_is_nobody(rh_whereis("name"))));
    SAYS("rh_timer", rh_timer("tick", 1, note));
    SAYS("rh_timer_cancel", assert_false(rh_timer_cancel("tick")));
    SAYS("rh_sleep", rh_sleep(1));
    SAYS("rh_choose", assert_int_equal(rh_choose(3), 0));
    SAYS("rh_store_open", rh_store_open("some"));
    SAYS("rh_store_put", rh_store_put("key", "x", 1));
    SAYS("rh_history_call", assert_int_equal(rh_history_call(sound, "x", note).id, 0));
    SAYS("rh_history_return", rh_history_return(sound, (struct rh_call){ 7 }, note));
    SAYS("rh_store_put_sync", rh_store_put_sync("key", "x", 1));
    SAYS("rh_store_get", assert_int_equal(rh_store_get("key", NULL, 0), -1));
    SAYS("rh_store_sync", rh_store_sync());
    SAYS("rh_table_put", assert_false(rh_table_put(some, "key", "x", 1)));
    SAYS("rh_table_insert_new", assert_false(rh_table_insert_new(some, "key", "x", 1)));
    SAYS("rh_table_remove", assert_false(rh_table_remove(some, "key")));
    SAYS("rh_table_swap", assert_false(rh_table_swap(some, "key", NULL, 0, "x", 1)));
    SAYS("rh_table_get", assert_int_equal(rh_table_get(some, "key", NULL, 0), -1));
    SAYS("rh_table_add", assert_int_equal(rh_table_add(some, "key", 1), 0));
    SAYS("rh_table_count", assert_int_equal(rh_table_count(some), 0));
    SAYS("rh_table_next", assert_false(rh_table_next(some, NULL, NULL, 0)));
    SAYS("rh_observe", assert_true(rh_is_nobody(rh_observe(watcher))));
    assert_true(rh_is_nobody(rh_self()));
    assert_true(rh_is_nobody(rh_sender()));
    assert_false(rh_alive(made_up()));
    assert_string_equal(rh_name(made_up()), "nobody");
    assert_int_equal(rh_now_ms(), 0);
    size_t size = 1;
    assert_null(rh_tail(&size));
    assert_int_equal(size, 0);
}

static void before_there_is_a_world_every_call_says_so_with_its_place(void **unused)
{
    (void)unused;
    call_everything_outside();
}

static void between_two_steps_every_call_says_so_with_its_place(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("handler");
    rh_world_begin(w);
    uint64_t before = rh_world_fingerprint(w);
    call_everything_outside();
    assert_true(before == rh_world_fingerprint(w)); /* and changes nothing */
    close_world(w);
}

static void rh_exit_outside_of_an_actor_ends_the_process_with_a_sentence(void **unused)
{
    (void)unused;
    capture();
    pid_t child = fork();
    if (child == 0)
        rh_exit("why");
    int status;
    waitpid(child, &status, 0);
    check_said("rh_exit", __LINE__ - 3);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 2);
}

/* ---- worlds that make no sense ----------------------------------------------------------------------------------- */

static void refused(struct rh_semantics s, const char *text)
{
    char error[512] = "";
    struct rh_world_options o = { .test = test_named("handler"), .semantics = &s, .quiet = true };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    if (w) {
        rh_world_free(w);
        fail_msg("accepted: %s", text);
    }
    check_contains(error, text);
}

static void semantics_that_make_no_sense_are_refused_with_a_sentence(void **unused)
{
    (void)unused;
    refused((struct rh_semantics){ .granularity = RH_GRAIN_SEND }, "delivery model mailbox");
    refused((struct rh_semantics){ .granularity = RH_GRAIN_SEND, .model = RH_BAG }, "delivery model mailbox");
    refused((struct rh_semantics){ .max_stack_bytes = 1000 }, "max_stack_bytes is 1000");
    refused((struct rh_semantics){ .max_stack_bytes = 0xffffffff }, "max_stack_bytes is 4294967295");
    refused((struct rh_semantics){ .max_actors = 0xffffffff }, "max_actors is 4294967295");
    refused((struct rh_semantics){ .max_messages = 0xffffffff }, "max_messages");
    refused((struct rh_semantics){ .max_message_bytes = 0xffffffff }, "max_message_bytes");
    refused((struct rh_semantics){ .max_bytes_per_actor = 0xffffffff }, "max_bytes_per_actor");
    refused((struct rh_semantics){ .max_steps = 0xffffffff }, "max_steps");
    refused((struct rh_semantics){ .max_actors = 1 << 16, .max_bytes_per_actor = 1 << 28 }, "max_actors times");
}

static void a_second_world_is_refused_while_there_is_one(void **unused)
{
    (void)unused;
    char error[512] = "";
    struct rh_world *w = world_of("handler");
    struct rh_world_options o = { .test = test_named("handler") };
    assert_null(rh_world_new(&o, error, sizeof error));
    check_contains(error, "already");
    close_world(w);
    w = world_of("handler");
    close_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_send_to_a_stopped_actor_is_logged_failed_or_ignored_as_the_test_wants),
        TEST(rh_ask_of_a_stopped_actor_times_out_or_is_stuck),
        TEST(a_run_that_reaches_the_limit_of_steps_is_cut_and_no_finding),
        TEST(a_choice_that_is_not_open_is_refused_and_changes_nothing),
        TEST(before_there_is_a_world_every_call_says_so_with_its_place),
        TEST(between_two_steps_every_call_says_so_with_its_place),
        TEST(rh_exit_outside_of_an_actor_ends_the_process_with_a_sentence),
        TEST(semantics_that_make_no_sense_are_refused_with_a_sentence),
        TEST(a_second_world_is_refused_while_there_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
