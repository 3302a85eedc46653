/* rh_runtime_options.record: what the file says.  tests/conformance/recorded.c replays such files. */
#include "runtime/helper.h"

#include <unistd.h>

static char path[64];
static char text[1 << 16];

static const char *read_file(void)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

static void expect_line(const char *line)
{
    char whole[512];
    snprintf(whole, sizeof whole, "\n%s\n", line);
    if (!strstr(read_file(), whole))
        fail_msg("there is no line `%s` in:\n%s", line, text);
}

static void expect_order(const char *one, const char *other)
{
    const char *a = strstr(read_file(), one), *b = strstr(text, other);
    if (!a || !b || a > b)
        fail_msg("`%s` does not stand before `%s` in:\n%s", one, other, text);
}

RH_MESSAGE(work, int32_t n;);
RH_MESSAGE(done);
RH_MESSAGE(question);
RH_MESSAGE(answer);
RH_MESSAGE(tick);

RH_ACTOR(clerk, int32_t ticks;);
RH_HANDLER(clerk, question)
{
    rh_reply(answer);
}
RH_HANDLER(clerk, work)
{
    rh_timer("every # day", 1, tick);
}
RH_HANDLER(clerk, tick)
{
    rh_stop();
}
RH_BEHAVIOUR(clerk, open, question, work, tick);

RH_PROCESS(boss, rh_ref clerk;);
RH_BODY(boss)
{
    (void)self;
    rh_ask(state->clerk, question, answer);
    rh_ask(state->clerk, question, answer);
    rh_sleep(1);
    rh_timer("own", 1, tick);
    rh_receive(tick);
    rh_choose(1); /* no choice */
    rh_yield();
    rh_send(state->clerk, work);
    rh_spawn(clerk);
}

static void lines_are_those_of_schedules(void **unused)
{
    (void)unused;
    START(.record = path, .record_test = "a_test", .threads = 1);
    rh_ref c = rh_spawn(clerk);
    rh_spawn(boss, .clerk = c);
    rh_send_from(rh_external("a client"), c, question);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    assert_int_equal(told.count, 0);
    assert_int_equal(strncmp(read_file(), "rehearse schedule 1\ntest a_test\nset model=fifo\n", 47), 0);
    expect_line("# outside of actors, spawned: 2, sent: 1; the test's body must do the same, in this order");
    expect_line("# not exact: 1 waits ended by their time limit, which depends on speed");
    expect_line("clerk#1 takes question from a client");
    expect_line("boss#1 takes rh_start from test");
    expect_order("clerk#1 takes question from boss#1\n", "boss#1 takes answer from clerk#1\n");
    expect_order("boss#1 takes answer from clerk#1\n", "clerk#1 takes question from boss#1 (2)\n");
    expect_order("boss#1 takes answer from clerk#1 (2)\n", "boss#1 stops waiting\n");
    expect_order("boss#1 stops waiting\n", "boss#1's timer \"own\" fires\nboss#1 takes tick from boss#1\n");
    expect_order("boss#1 takes tick from boss#1\nboss#1 goes on\n", "clerk#1 takes work from boss#1\n");
    expect_line("clerk#1's timer \"every \\# day\" fires");
    assert_null(strstr(text, "chooses"));
    assert_null(strstr(text, "clerk#1 takes tick"));
}

RH_ACTOR(counter, int32_t n;);
RH_HANDLER(counter, work)
{
    rh_assert(msg->n < 3, "too many");
    if (state->n++ < 100)
        rh_send(self, work, .n = msg->n + 1);
}
RH_BEHAVIOUR(counter, open, work);

static bool there_at_failure;
static void look(const struct rh_failure *failure, void *arg)
{
    (void)failure, (void)arg;
    there_at_failure = access(path, R_OK) == 0;
}

static void a_failure_writes_the_file(void **unused)
{
    (void)unused;
    unlink(path);
    struct rh_runtime_options o = { .threads = 2, .record = path, .on_failure = look };
    assert_true(rh_runtime_start(&o));
    rh_send(rh_spawn(counter), work);
    rh_runtime_wait_quiet();
    assert_true(there_at_failure);
    expect_line("counter#1 takes work from counter#1 (3)");
    expect_line("# failure (assertion): counter#1");
    rh_runtime_stop();
    expect_line("# failure (assertion): counter#1");
}

static void the_limit_is_kept_and_said(void **unused)
{
    (void)unused;
    START(.record = path, .record_limit = 4);
    rh_send(rh_spawn(counter), work, .n = -1000);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    expect_line("# incomplete: record_limit = 4 was reached; what came later is not here");
    expect_line("counter#1 takes work from test");
    assert_null(strstr(text, "(2)"));
}

RH_TABLE(shared);
RH_ACTOR(user);
RH_HANDLER(user, work)
{
    uint32_t one = 1;
    if (msg->n & 1)
        rh_table_put(shared, "k", &one, sizeof one);
    if (msg->n & 2)
        rh_random();
    if (msg->n & 4)
        rh_now_ms();
    rh_stop();
}
RH_BEHAVIOUR(user, open, work);

static void what_is_not_recorded_is_said(void **unused)
{
    static const char *const words[] = { "# not exact: names, tables", "# not exact: rh_random",
                                         "# not exact: rh_now_ms" };
    (void)unused;
    for (int32_t n = 0; n < 8; n++) {
        START(.record = path);
        rh_send(rh_spawn(user), work, .n = n);
        finish();
        read_file();
        for (int i = 0; i < 3; i++)
            assert_int_equal(strstr(text, words[i]) != NULL, n >> i & 1);
    }
}

static void a_file_that_cannot_be_written_is_refused(void **unused)
{
    (void)unused;
    struct rh_runtime_options o = { .record = "/nonexistent/run.schedule" };
    assert_false(rh_runtime_start(&o));
    START(.threads = 1); /* another one can start */
    rh_runtime_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_those_of_schedules),
        cmocka_unit_test(a_failure_writes_the_file),
        cmocka_unit_test(the_limit_is_kept_and_said),
        cmocka_unit_test(what_is_not_recorded_is_said),
        cmocka_unit_test(a_file_that_cannot_be_written_is_refused),
    };
    snprintf(path, sizeof path, "/tmp/rehearse-recording-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
