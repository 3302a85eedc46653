/* What comes in from outside is not believed: results and checkpoints that are cut off, changed or of something else are
 * refused with a sentence, and change nothing. */
#include "cluster/mixed.h"
#include "cluster/support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "cluster/checkpoint.h"

static const struct rh_param params[] = { { "n", "2" }, { "fails", "1" } };
static const struct setting setting = {
    .test = "mixed", .params = params, .param_count = 2, .limits = { .keep_going = true }
};

static char folder[] = "/tmp/rehearse-results-XXXXXX";
static char path[64];

/* ---- results --------------------------------------------------------------------------------------------------------- */

static bool count_rest(void *arg, const void *item, size_t size)
{
    (void)item, (void)size;
    ++*(uint32_t *)arg;
    return true;
}

static void hostile_results_are_refused_whole(void **unused)
{
    (void)unused;
    uint64_t random = 5, good = 0, tries = 0;
    struct rh_exploration *x = opened(&setting);
    struct rh__told none;
    struct rh__writer w = rh__writer_new();
    assert_true(rh__told_init(&none));
    assert_true(rh__explore(x));
    static const char items[] = { 3, 'a', 'b', 'c', 1, 'd' };
    x->limits.keep_going = true;
    x->news.list = NULL;
    x->news.count = 0;
    for (uint32_t i = 0; i < x->finding_count; i++)
        x->findings[i].changed = true;
    rh__results_write(&w, x, &none, items, sizeof items, 2);
    assert_false(w.full);
    closed(x);

    x = opened(&setting);
    uint32_t rest = 0;
    assert_true(rh__results_add(x, w.at, w.len, count_rest, &rest));
    assert_int_equal(rest, 2);
    assert_true(x->runs > 10 && x->failed > 0 && x->finding_count > 0);
    while (tries < 6000) {
        char *before = told(x);
        size_t size = rh__random_below(&random, 3) ? w.len : rh__random_below(&random, (uint32_t)w.len + 1);
        unsigned char *bytes = malloc(size ? size : 1);
        assert_non_null(bytes);
        memcpy(bytes, w.at, size);
        for (uint32_t n = rh__random_below(&random, 4); n && size; n--)
            bytes[rh__random_below(&random, (uint32_t)(rh__random_below(&random, 2) && size > 60 ? 60 : size))] =
                (unsigned char)rh__random_next(&random);
        rest = 0;
        if (rh__results_add(x, bytes, size, count_rest, &rest)) {
            good++;
            free(before);
        } else {
            same_text(before, told(x), "refused results have changed something", tries);
            assert_int_equal(rest, 0);
        }
        free(bytes);
        tries++;
    }
    print_message("%llu results, %llu of them possible\n", (unsigned long long)tries, (unsigned long long)good);
    assert_in_range(good, tries / 100, tries * 9 / 10);
    rh__writer_release(&w);
    rh__told_release(&none);
    closed(x);
}

/* All that an exploration with coverage has to tell, and two items. */
static struct rh__writer results_of(const struct setting *s)
{
    static const char items[] = { 3, 'a', 'b', 'c', 1, 'd' };
    struct rh__told none;
    struct rh__writer w = rh__writer_new();
    struct rh_exploration *x = opened(s);
    assert_true(rh__told_init(&none));
    assert_true(rh__explore(x));
    for (uint32_t i = 0; i < x->finding_count; i++)
        x->findings[i].changed = true;
    rh__results_write(&w, x, &none, items, sizeof items, 2);
    assert_false(w.full);
    rh__told_release(&none);
    closed(x);
    return w;
}

static const struct rh_param of_others[] = { { "n", "2" }, { "fails", "1" }, { "rounds", "2" } };

/* The coverage is behind findings and properties: all of these make sense. */
static void results_with_coverage_of_something_else_change_nothing(void **unused)
{
    (void)unused;
    uint32_t rest = 0;
    struct setting s = setting, other = setting;
    s.criteria = other.criteria = 7;
    other.params = of_others;
    other.param_count = 3;
    struct rh__writer w = results_of(&other);
    struct rh_exploration *x = opened(&s);
    char *before = told(x);
    assert_false(rh__results_add(x, w.at, w.len, count_rest, &rest));
    assert_int_equal(rest, 0);
    same_text(before, told(x), "coverage of something else", 0);
    closed(x);
    rh__writer_release(&w);
}

/* The k-th allocation fails, for every k. */
static void results_that_memory_is_too_short_for_change_nothing(void **unused)
{
    (void)unused;
    struct setting s = setting;
    s.criteria = 7;
    struct rh__writer w = results_of(&s);
    struct rh_exploration *x = opened(&s);
    long failures = 0;
    for (;; failures++) {
        char *before = told(x);
        uint32_t rest = 0;
        rh__alloc_fail_after(failures + 1);
        bool good = rh__results_add(x, w.at, w.len, count_rest, &rest);
        bool failed = rh__alloc_has_failed();
        rh__alloc_fail_after(0);
        if (!failed) {
            assert_true(good && rest == 2 && x->runs && x->finding_count);
            free(before);
            break;
        }
        assert_false(good);
        same_text(before, told(x), "memory is short", (unsigned long long)failures);
    }
    print_message("%ld allocations failed\n", failures);
    assert_in_range(failures, 2, 100);
    closed(x);
    rh__writer_release(&w);
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------------- */

static enum rh__pool_end resume(const struct setting *s, char *error, size_t error_size, bool from)
{
    struct rh_exploration *x = opened(s);
    struct rh__pool_options o = { .workers = 2, .checkpoint = path, .resume = from };
    enum rh__pool_end end = pooled(x, s, o, error, error_size);
    closed(x);
    return end;
}

static void refused(const struct setting *s, const char *why)
{
    char error[1024] = "";
    assert_int_equal(resume(s, error, sizeof error, true), RH__POOL_REFUSED);
    if (!strstr(error, why) || !strstr(error, path))
        fail_msg("\"%s\" does not say \"%s\" and which file", error, why);
}

static void make_checkpoint(void)
{
    char error[1024] = "";
    struct setting s = setting;
    s.limits.max_runs = 20;
    unlink(path); /* one that is there is not replaced */
    if (resume(&s, error, sizeof error, false) != RH__POOL_DONE)
        fail_msg("%s", error);
}

static void checkpoints_of_something_else_are_refused(void **unused)
{
    (void)unused;
    static const struct rh_param others[] = { { "n", "3" }, { "fails", "1" } };
    struct rh_semantics semantics = { .model = RH_BAG, .losses = 1 };
    make_checkpoint();
    struct setting s = setting;
    s.params = others;
    refused(&s, "it has \"parameter n=2\" where this is \"parameter n=3\"");
    s = setting;
    s.param_count = 1;
    refused(&s, "it has \"parameter fails=1\" where this is \"\"");
    s = setting;
    s.test = "stillborn";
    refused(&s, "it has \"test mixed\" where this is \"test stillborn\"");
    s = setting;
    s.semantics = &semantics;
    refused(&s, "it has \"set model=fifo\" where this is \"set model=bag\"");
    s = setting;
    s.explorer = "bound:5,dfs";
    refused(&s, "it has \"explorer dfs\" where this is \"explorer bound:5,dfs\"");
}

static void damaged_checkpoints_are_refused(void **unused)
{
    (void)unused;
    static unsigned char bytes[1 << 20];
    uint64_t random = 3;
    make_checkpoint();
    int fd = open(path, O_RDWR);
    ssize_t size = read(fd, bytes, sizeof bytes);
    assert_in_range(size, 100, sizeof bytes - 1);
    for (int i = 0; i < 40; i++) { /* cut off */
        off_t length = rh__random_below(&random, (uint32_t)size);
        assert_int_equal(ftruncate(fd, length), 0);
        refused(&setting, length < 38 ? "no checkpoint" : "damaged");
        assert_int_equal(pwrite(fd, bytes, (size_t)size, 0), size);
    }
    for (int i = 0; i < 60; i++) { /* one bit */
        off_t at = i < 38 ? i : (off_t)rh__random_below(&random, (uint32_t)size);
        unsigned char other = bytes[at] ^ (unsigned char)(1u << rh__random_below(&random, 8));
        assert_int_equal(pwrite(fd, &other, 1, at), 1);
        refused(&setting, at < 22 ? "no checkpoint" : "damaged");
        assert_int_equal(pwrite(fd, bytes + at, 1, at), 1);
    }
    assert_int_equal(pwrite(fd, "more", 4, size), 4);
    refused(&setting, "damaged");
    close(fd);
    unlink(path);
    refused(&setting, "No such file");
    assert_int_equal(mkdir(path, 0700), 0);
    refused(&setting, "Is a directory");
    rmdir(path);
}

/* With the right hash, as only somebody who means it can make it. */
static void forged_checkpoints_do_no_harm(void **unused)
{
    (void)unused;
    char binding[4096], error[1024];
    uint64_t random = 11, good = 0, tries = 0;
    struct rh_exploration *x = opened(&setting);
    struct rh__told none;
    struct rh__queue q;
    unsigned char item[512];
    assert_true(rh__told_init(&none));
    assert_true(rh__checkpoint_binding(x, "dfs", binding, sizeof binding, error, sizeof error));
    size_t item_size = rh_inner_pack(&x->explorer, item, sizeof item, false);
    struct rh__kept file;
    assert_true(rh__kept_open(&file, path, false, error, sizeof error));
    for (; tries < 500; tries++) {
        double seconds;
        assert_true(rh__queue_local(&q, x));
        for (uint32_t n = rh__random_below(&random, 5); n; n--) {
            item[rh__random_below(&random, (uint32_t)item_size)] ^= (unsigned char)(1u << rh__random_below(&random, 8));
            assert_true(rh__queue_local_add(&q, item, rh__random_below(&random, (uint32_t)item_size + 1), n & 1));
        }
        assert_true(rh__checkpoint_write(&file, binding, x, &none, &q, 1.5, error, sizeof error));
        q.table->free(q.state);
        assert_true(rh__queue_local(&q, x));
        good += rh__checkpoint_read(&file, binding, x, &q, &seconds, error, sizeof error);
        struct rh__lease lease;
        while (q.table->fetch(q.state, &lease)) /* hostile items are for the explorers: items.c */
            rh_inner_unpack(&x->explorer, x->world, lease.item, lease.size);
        q.table->free(q.state);
    }
    print_message("%llu files, %llu read\n", (unsigned long long)tries, (unsigned long long)good);
    assert_int_equal(good, tries);
    rh__kept_close(&file);
    rh__told_release(&none);
    closed(x);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(hostile_results_are_refused_whole),
        EXPLORE_TEST(results_with_coverage_of_something_else_change_nothing),
        EXPLORE_TEST(results_that_memory_is_too_short_for_change_nothing),
        EXPLORE_TEST(checkpoints_of_something_else_are_refused),
        EXPLORE_TEST(damaged_checkpoints_are_refused),
        EXPLORE_TEST(forged_checkpoints_do_no_harm),
    };
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/checkpoint", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    return failed;
}
