/* The durable store: what is put is there after a restart, whole, in order. */
#include "helper.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];
static _Atomic(int64_t) results[8];
static char seen[64];

static int make_folder(void **unused)
{
    (void)unused;
    for (int i = 0; i < 8; i++)
        results[i] = 0;
    strcpy(folder, "/tmp/rehearse-store-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused)
{
    (void)unused;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
    return rmdir(folder);
}

static void path_of(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s.store", folder, name);
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
RH_ACTOR(writer, uint32_t next; uint32_t last;);
RH_HANDLER(writer, begin)
{
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
        rh_send(rh_spawn(writer), begin);
    struct rh_runtime_counts counts = finish();
    assert_int_equal(results[0], 0);
    assert_int_equal(counts.messages_handled, 5 * 51);
}

/* ---- a torn end ---- */
RH_PROCESS(log_writer, int count;);
RH_BODY(log_writer)
{
    for (int i = 0; i < state->count; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i);
        rh_store_put(key, &i, sizeof i);
    }
    rh_store_sync();
}

RH_PROCESS(log_reader);
RH_BODY(log_reader)
{
    int count = 0;
    for (int value;; count++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", count);
        if (rh_store_get(key, &value, sizeof value) != sizeof value || value != count)
            break;
    }
    results[0] = count;
}

/* The reader's file is a copy of the writer's, cut at this size. */
static void copy_cut(off_t size, int flip)
{
    char from[200], to[200], bytes[4096];
    path_of(from, sizeof from, "log_writer#1");
    path_of(to, sizeof to, "log_reader#1");
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ssize_t n = read(in, bytes, sizeof bytes);
    assert_in_range(n, size, sizeof bytes);
    if (flip >= 0)
        bytes[flip] ^= 1;
    assert_int_equal(write(out, bytes, (size_t)size), size);
    close(in);
    close(out);
}

static void a_torn_end_is_cut_and_the_rest_is_kept(void **unused)
{
    (void)unused;
    enum { COUNT = 8, RECORD = 16 + 2 + 4 };
    START(.store_folder = folder);
    rh_spawn(log_writer, .count = COUNT);
    finish();
    assert_int_equal(size_of("log_writer#1"), 8 + COUNT * RECORD);
    for (off_t size = 0; size <= 8 + COUNT * RECORD; size++) {
        copy_cut(size, -1);
        START(.store_folder = folder);
        rh_spawn(log_reader);
        finish();
        assert_int_equal(results[0], size < 8 ? 0 : (size - 8) / RECORD);
        assert_int_equal(size_of("log_reader#1"), 8 + (size < 8 ? 0 : (size - 8) / RECORD * RECORD));
    }
    copy_cut(8 + COUNT * RECORD, 8 + 5 * RECORD + 17); /* a bit of the sixth record */
    START(.store_folder = folder);
    rh_spawn(log_reader);
    finish();
    assert_int_equal(results[0], 5);
}

static void a_file_that_is_no_store_is_left_alone(void **unused)
{
    (void)unused;
    char path[200];
    path_of(path, sizeof path, "log_reader#1");
    FILE *file = fopen(path, "w");
    fputs("a letter to my grandmother", file);
    fclose(file);
    START(.store_folder = folder);
    rh_spawn(log_reader);
    finish();
    expect_told(1, "store", "is no store");
    assert_int_equal(size_of("log_reader#1"), 26);
}

/* ---- much history ---- */
RH_PROCESS(rewriter, int count;);
RH_BODY(rewriter)
{
    char value[1000];
    results[1] = rh_store_get("same", value, sizeof value);
    for (int i = 0; i < state->count; i++) {
        memset(value, i, sizeof value);
        rh_store_put("same", value, sizeof value);
    }
    rh_store_sync();
    rh_store_get("same", value, sizeof value);
    results[2] = value[999];
}

static void a_file_that_is_mostly_history_is_rewritten(void **unused)
{
    (void)unused;
    START(.store_folder = folder);
    rh_spawn(rewriter, .count = 101);
    finish();
    assert_in_range(size_of("rewriter#1"), 101000, 200000);
    START(.store_folder = folder);
    rh_spawn(rewriter, .count = 0);
    finish();
    assert_int_equal(results[1], 1000);
    assert_int_equal(results[2], 100);
    assert_in_range(size_of("rewriter#1"), 1000, 1100);
    START(.store_folder = folder);
    rh_spawn(rewriter, .count = 1); /* and is appended to */
    finish();
    assert_int_equal(results[1], 1000);
    assert_int_equal(results[2], 0);
}

/* ---- stop with writes under way ---- */
static void stopping_finishes_the_writes_under_way(void **unused)
{
    (void)unused;
    START(.store_folder = folder);
    rh_send(rh_spawn(writer), begin);
    while (rh_runtime_count().messages_handled == 0)
        sched_yield();
    rh_runtime_stop();
    assert_int_equal(size_of("writer#1"), 8 + 50 * (16 + 3 + 4));
}

/* ---- a program that is killed ---- */
RH_PROCESS(doomed, bool again;);
RH_BODY(doomed)
{
    uint32_t value = 0;
    if (state->again) {
        results[0] = rh_store_get("synced", &value, sizeof value);
        results[1] = value;
        return;
    }
    for (value = 1; value <= 100; value++)
        rh_store_put("synced", &value, sizeof value);
    rh_store_sync();
    for (value = 1000; value < 2000; value++)
        rh_store_put("later", &value, sizeof value);
    kill(getpid(), SIGKILL);
}

static void what_was_synced_survives_a_killed_program(void **unused)
{
    (void)unused;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        START(.store_folder = folder);
        rh_spawn(doomed);
        rh_runtime_wait();
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    START(.store_folder = folder);
    rh_spawn(doomed, .again = true);
    finish();
    assert_int_equal(results[0], sizeof(uint32_t));
    assert_int_equal(results[1], 100);
}

static void without_a_folder_it_is_a_misuse(void **unused)
{
    (void)unused;
    START(0);
    rh_spawn(keeper, .round = 1);
    finish();
    expect_told(4, "misuse", "store_folder");
    assert_int_equal(results[3], -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_survive_a_restart),
        TEST(writes_become_durable_in_order),
        TEST(a_torn_end_is_cut_and_the_rest_is_kept),
        TEST(a_file_that_is_no_store_is_left_alone),
        TEST(a_file_that_is_mostly_history_is_rewritten),
        TEST(stopping_finishes_the_writes_under_way),
        TEST(what_was_synced_survives_a_killed_program),
        TEST(without_a_folder_it_is_a_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
