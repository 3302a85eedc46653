/* The durable store: what is put is there after a restart, under its name, whole, in order; and what goes wrong is
 * told. */
#include "runtime/store_support.h"

#include <sys/resource.h>

static _Atomic(int64_t) results[8];
static char seen[64];

static int begin_test(void **unused)
{
    for (int i = 0; i < 8; i++)
        results[i] = 0;
    return make_folder(unused);
}

static off_t size_of(const char *name)
{
    char path[200];
    struct stat about;
    path_of(path, sizeof path, name);
    return stat(path, &about) == 0 ? about.st_size : -1;
}

/* ---- put and get ---- */
RH_PROCESS(keeper, int round;);
RH_BODY(keeper)
{
    char text[64] = "";
    rh_store_open("keeper");
    if (state->round == 0) {
        results[0] = rh_store_get("name", text, sizeof text);
        rh_store_put("name", "first", 6);
        rh_store_put("gone", "x", 1);
        rh_store_put("empty", "", 0);
        rh_store_put("name", "second value", 13);
        rh_store_put("gone", NULL, 0);
        results[1] = rh_store_get("name", text, sizeof text); /* its own reads see the latest put */
        results[2] = rh_store_get("gone", text, sizeof text);
        rh_store_sync();
    } else {
        results[3] = rh_store_get("name", seen, sizeof seen);
        results[4] = rh_store_get("gone", text, sizeof text);
        results[5] = rh_store_get("empty", text, sizeof text);
        char three[3] = "";
        results[6] = rh_store_get("name", three, sizeof three) == 13 && memcmp(three, "sec", 3) == 0;
    }
}

static void values_survive_a_restart(void **unused)
{
    (void)unused;
    for (int round = 0; round < 2; round++) {
        START(.store_folder = folder);
        rh_spawn(keeper, .round = round);
        finish();
        assert_int_equal(told.count, 0);
    }
    assert_int_equal(results[0], -1);
    assert_int_equal(results[1], 13);
    assert_int_equal(results[2], -1);
    assert_int_equal(results[3], 13);
    assert_string_equal(seen, "second value");
    assert_int_equal(results[4], -1);
    assert_int_equal(results[5], 0);
    assert_int_equal(results[6], 1);
}

/* ---- tickets ---- */
RH_MESSAGE(begin);
RH_ACTOR(writer, uint32_t next; uint32_t last; int which;);
RH_HANDLER(writer, begin)
{
    char name[16];
    snprintf(name, sizeof name, "writer %d", state->which);
    rh_store_open(name);
    state->next = 1;
    for (int i = 0; i < 50; i++)
        state->last = rh_store_put("key", &i, sizeof i);
}
RH_HANDLER(writer, rh_stored)
{
    if (msg->ticket != state->next++)
        results[0]++;
    if (msg->ticket == state->last)
        rh_stop();
}
RH_BEHAVIOUR(writer, open, begin, rh_stored);

static void writes_become_durable_in_order(void **unused)
{
    (void)unused;
    START(.store_folder = folder);
    for (int i = 0; i < 5; i++)
        rh_send(rh_spawn(writer, .which = i), begin);
    struct rh_runtime_counts counts = finish();
    assert_int_equal(results[0], 0);
    assert_int_equal(counts.messages_handled, 5 * 51);
}

/* ---- the next owner ---- */
RH_PROCESS(heir, int round;);
RH_BODY(heir)
{
    int value = 0;
    rh_store_open("estate");
    results[state->round] = rh_store_get("value", &value, sizeof value) < 0 ? -1 : value;
    value = state->round + 100;
    rh_store_put("value", &value, sizeof value);
    if (state->round == 2)
        rh_store_sync(); /* also of what the one before has left under way */
    if (state->round < 3)
        rh_exit("crash");
}
RH_ACTOR(family, int starts;);
RH_HANDLER(family, begin)
{
    rh_trap_exits(true);
    rh_link(rh_spawn(heir));
}
RH_HANDLER(family, rh_exited)
{
    if (++state->starts < 4)
        rh_link(rh_spawn(heir, .round = state->starts));
    else
        rh_stop();
}
RH_BEHAVIOUR(family, open, begin, rh_exited);

static void the_next_owner_finds_what_the_last_one_put(void **unused)
{
    (void)unused;
    START(.store_folder = folder);
    rh_send(rh_spawn(family), begin);
    finish();
    assert_int_equal(results[0], -1);
    assert_int_equal(results[1], 100);
    assert_int_equal(results[2], 101);
    assert_int_equal(results[3], 102);
}

/* ---- misuse ---- */
RH_PROCESS(clumsy, int how;);
RH_BODY(clumsy)
{
    if (state->how == 1)
        rh_store_put("k", "v", 1);
    if (state->how == 2)
        rh_store_get("k", NULL, 0);
    if (state->how == 3)
        rh_store_sync();
    if (state->how == 4)
        rh_store_open("");
    if (state->how == 5) {
        rh_store_open("one");
        rh_store_open("one");
        results[1]++;
        rh_store_open("other");
    }
    if (state->how == 6)
        rh_store_open("held");
    results[0]++; /* it ends before */
}
RH_PROCESS(holder);
RH_BODY(holder)
{
    rh_store_open("held");
    results[2] = 1;
    rh_receive(begin);
}

static void a_misuse_is_told_and_the_actor_ends(void **unused)
{
    static const char *const texts[] = { "",
                                         "rh_store_put before rh_store_open",
                                         "rh_store_get before",
                                         "rh_store_sync before",
                                         "1 to 127 bytes",
                                         "opened \"one\" already",
                                         "another actor has it open" };
    (void)unused;
    for (int how = 1; how <= 6; how++) {
        START(.store_folder = folder);
        rh_ref h = rh_spawn(holder);
        while (!results[2])
            sched_yield();
        results[2] = 0;
        rh_spawn(clumsy, .how = how);
        while (rh_runtime_count().actors_ended == 0)
            sched_yield();
        rh_send(h, begin);
        finish();
        expect_told(1, "misuse", texts[how]);
    }
    assert_int_equal(results[0], 0);
    assert_int_equal(results[1], 1);
}

static void without_a_folder_it_is_a_misuse(void **unused)
{
    (void)unused;
    START(0);
    rh_spawn(keeper, .round = 1);
    finish();
    expect_told(1, "misuse", "store_folder");
    assert_int_equal(results[3], 0);
}

/* ---- a put that fails ---- */
static _Atomic(int) went_on;
RH_PROCESS(customer, int how;);
RH_BODY(customer)
{
    rh_receive(begin); /* until it is monitored */
    rh_store_open(state->how == 2 ? "other" : "balance");
    rh_store_put("balance", "100", 4);
    if (state->how == 1)
        rh_receive(begin); /* what it waits for matters not */
    else
        rh_store_sync();
    went_on++;
}
RH_ACTOR(teller, int how;);
static void send_customer(int how)
{
    rh_ref who = rh_spawn(customer, .how = how);
    rh_monitor(who);
    rh_send(who, begin);
}
RH_HANDLER(teller, begin)
{
    send_customer(state->how);
}
RH_HANDLER(teller, rh_down)
{
    results[state->how] = strcmp(msg->reason, "store") == 0;
    if (++state->how < 3)
        send_customer(state->how); /* from the second one on the store cannot be opened */
    else
        rh_stop();
}
RH_BEHAVIOUR(teller, open, begin, rh_down);

static void a_put_that_fails_is_told_and_ends_the_actor(void **unused)
{
    struct rlimit old, none;
    (void)unused;
    went_on = 0;
    signal(SIGXFSZ, SIG_IGN);
    START(.store_folder = folder);
    getrlimit(RLIMIT_FSIZE, &old);
    none = (struct rlimit){ 32, old.rlim_max }; /* the head of a journal */
    setrlimit(RLIMIT_FSIZE, &none);
    rh_send(rh_spawn(teller), begin);
    finish();
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(told.count, 3);
    assert_string_equal(told.kind, "store");
    assert_int_equal(results[0] + results[1] + results[2], 3);
    assert_int_equal(went_on, 0);
    START(.store_folder = folder); /* the next start finds an intact store */
    rh_spawn(keeper);
    finish();
    assert_int_equal(told.count, 0);
}

/* ---- folders ---- */
static bool starts(void)
{
    struct rh_runtime_options options = { .threads = 1, .store_folder = folder };
    bool good = rh_runtime_start(&options);
    if (good)
        rh_runtime_stop();
    return good;
}

static int second_process(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "runtime_store", "--start", folder, (char *)NULL);
        _exit(9);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_second_process_is_refused(void **unused)
{
    (void)unused;
    START(.store_folder = folder);
    assert_int_equal(second_process(), 3);
    rh_runtime_stop();
    assert_int_equal(second_process(), 0);
}

static void what_is_no_store_is_refused_and_left_alone(void **unused)
{
    (void)unused;
    write_file("journal", "a letter to my grandmother, which is long enough", 48);
    assert_false(starts());
    assert_int_equal(size_of("journal"), 48);
    write_file("journal", "", 0);
    assert_false(starts());
    assert_int_equal(size_of("journal"), 0);
}

static void a_store_of_version_1_is_refused(void **unused)
{
    (void)unused;
    write_file("keeper#1.store", "RHSTORE1", 8);
    assert_false(starts());
    assert_int_equal(size_of("journal"), -1);
    write_file("keeper#1.store", "of somebody else", 16);
    assert_true(starts());
}

static void a_journal_that_is_gone_does_not_look_like_an_empty_store(void **unused)
{
    char path[400];
    (void)unused;
    assert_true(starts());
    path_of(path, sizeof path, "journal");
    assert_int_equal(unlink(path), 0);
    assert_false(starts());
    path_of(path, sizeof path, "journal.mark");
    assert_int_equal(unlink(path), 0);
    assert_true(starts());
}

static void files_are_private_to_the_user(void **unused)
{
    static const char *const names[] = { "journal", "journal.mark" };
    char path[400];
    struct stat about;
    (void)unused;
    assert_int_equal(rmdir(folder), 0);
    mode_t old = umask(0);
    assert_true(starts());
    umask(old);
    assert_int_equal(stat(folder, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    for (int i = 0; i < 2; i++) {
        path_of(path, sizeof path, names[i]);
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 0777, 0600);
    }
}

/* ---- much history ---- */
RH_PROCESS(rewriter, int count;);
RH_BODY(rewriter)
{
    char value[1000] = "";
    rh_store_open("rewriter");
    results[1] = rh_store_get("same", value, sizeof value);
    for (int i = 0; i < state->count; i++) {
        memset(value, i, sizeof value);
        rh_store_put("same", value, sizeof value);
        if (i % 10 == 9)
            rh_store_sync();
    }
    rh_store_sync();
    rh_store_get("same", value, sizeof value);
    results[2] = value[999];
}

static void a_journal_does_not_grow_with_its_history(void **unused)
{
    (void)unused;
    START(.store_folder = folder);
    rh_spawn(rewriter, .count = 2001);
    rh_spawn(keeper);
    finish();
    assert_in_range(size_of("journal"), 1000, 200000); /* of 2 million bytes put */
    assert_int_equal(size_of("journal.new"), -1);
    START(.store_folder = folder);
    rh_spawn(rewriter, .count = 0);
    rh_spawn(keeper, .round = 1);
    finish();
    assert_int_equal(results[1], 1000);
    assert_int_equal(results[2], (char)2000);
    assert_int_equal(results[3], 13);
}

static void many_stores_are_no_history(void **unused)
{
    (void)unused;
    for (int round = 0; round < 3; round++) {
        START(.store_folder = folder);
        for (int i = 0; i < 2000; i++)
            rh_send(rh_spawn(writer, .which = i), begin);
        finish();
        assert_int_equal(told.count, 0);
    }
    /* 2,000 values, of 300,000 puts.  How much is put in one batch, after which the journal may be rewritten, depends
     * on the machine. */
    assert_in_range(size_of("journal"), 2000 * 80, 2000 * 80 * 50);
}

/* ---- stop with writes under way ---- */
RH_PROCESS(counter);
RH_BODY(counter)
{
    int value = -1;
    rh_store_open("writer 0");
    rh_store_get("key", &value, sizeof value);
    results[0] = value;
}

static void stopping_finishes_the_writes_under_way(void **unused)
{
    (void)unused;
    START(.store_folder = folder);
    rh_send(rh_spawn(writer), begin);
    while (rh_runtime_count().messages_handled == 0)
        sched_yield();
    rh_runtime_stop();
    START(.store_folder = folder);
    rh_spawn(counter);
    finish();
    assert_int_equal(results[0], 49);
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, begin_test, remove_folder)
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(values_survive_a_restart),
        STORE_TEST(writes_become_durable_in_order),
        STORE_TEST(the_next_owner_finds_what_the_last_one_put),
        STORE_TEST(a_misuse_is_told_and_the_actor_ends),
        STORE_TEST(without_a_folder_it_is_a_misuse),
        STORE_TEST(a_put_that_fails_is_told_and_ends_the_actor),
        STORE_TEST(a_second_process_is_refused),
        STORE_TEST(what_is_no_store_is_refused_and_left_alone),
        STORE_TEST(a_store_of_version_1_is_refused),
        STORE_TEST(a_journal_that_is_gone_does_not_look_like_an_empty_store),
        STORE_TEST(files_are_private_to_the_user),
        STORE_TEST(a_journal_does_not_grow_with_its_history),
        STORE_TEST(many_stores_are_no_history),
        STORE_TEST(stopping_finishes_the_writes_under_way),
    };
    if (argc == 3 && strcmp(argv[1], "--start") == 0) { /* as a second process */
        snprintf(folder, sizeof folder, "%s", argv[2]);
        return starts() ? 0 : 3;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
