/* What comes in from outside is not believed: results and checkpoints that are cut off, changed or of something else
 * are refused with a sentence, and change nothing. */
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

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* All that an exploration has found, as bytes. */
static struct rh__writer results_of(const struct setting *s)
{
    struct rh__writer w = rh__writer_new();
    struct rh_exploration *x = opened(s);
    assert_true(rh__explore(x));
    rh__results_encode(x->results, NULL, &w);
    assert_false(w.full);
    closed(x);
    return w;
}

static void hostile_results_are_refused_whole(void **unused)
{
    (void)unused;
    uint64_t random = 5, good = 0, tries = 0;
    struct rh__writer w = results_of(&setting);
    struct rh_exploration *x = opened(&setting);
    struct rh__results *r = x->results;
    assert_true(rh__results_add_encoded(r, w.at, w.len));
    assert_true(r->count.runs > 10 && r->count.failed > 0 && r->finding_count > 0);
    while (tries < 6000) {
        char *before = results_as_text(r);
        size_t size = rh__random_below(&random, 3) ? w.len : rh__random_below(&random, (uint32_t)w.len + 1);
        unsigned char *bytes = malloc(size ? size : 1);
        assert_non_null(bytes);
        memcpy(bytes, w.at, size);
        for (uint32_t n = rh__random_below(&random, 4); n && size; n--)
            bytes[rh__random_below(&random, (uint32_t)(rh__random_below(&random, 2) && size > 60 ? 60 : size))] =
                (unsigned char)rh__random_next(&random);
        bool valid = rh__results_check(r, bytes, size);
        if (rh__results_add_encoded(r, bytes, size)) {
            assert_true(valid);
            good++;
            free(before);
        } else {
            assert_false(valid);
            same_text(before, results_as_text(r), "refused results have changed something", tries);
        }
        free(bytes);
        tries++;
    }
    print_message("%llu results, %llu of them possible\n", (unsigned long long)tries, (unsigned long long)good);
    assert_in_range(good, tries / 100, tries * 9 / 10);
    rh__writer_release(&w);
    closed(x);
}

static const struct rh_param of_others[] = { { "n", "2" }, { "fails", "1" }, { "rounds", "2" } };

/* In the bytes the coverage stands behind findings and properties, which are valid here. */
static void results_with_coverage_of_something_else_change_nothing(void **unused)
{
    (void)unused;
    struct setting s = setting, other = setting;
    s.criteria = other.criteria = 7;
    other.params = of_others;
    other.param_count = 3;
    struct rh__writer w = results_of(&other);
    struct rh_exploration *x = opened(&s);
    char *before = told(x);
    assert_false(rh__results_add_encoded(x->results, w.at, w.len));
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
        rh__alloc_fail_after(failures + 1);
        bool good = rh__results_add_encoded(x->results, w.at, w.len);
        bool failed = rh__alloc_has_failed();
        rh__alloc_fail_after(0);
        if (!failed) {
            assert_true(good && x->results->count.runs && x->results->finding_count);
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

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* In shared memory: used in the process that explores. */
struct parts {
    struct rh__results *sum;
    struct rh__results_mark mark;
    uint64_t runs; /* of one part */
    uint32_t count;
    bool good;
};

/* An empty value for the results of the same program. */
static struct rh__results *empty_like(const struct rh__results *r)
{
    struct rh__results *empty = rh__results_new(r->events);
    assert_non_null(empty);
    empty->coverage = rh__coverage_new(7, rh__coverage_text(r->coverage, r->coverage->subject));
    assert_non_null(empty->coverage);
    return empty;
}

/* Ends a part: its difference to the parts before is added to the sum. */
static bool end_part(struct rh_exploration *x)
{
    struct parts *p = x->work.arg;
    struct rh__writer w = rh__writer_new();
    rh__results_meet(x->results, x->world);
    rh__results_encode(x->results, &p->mark, &w);
    rh__results_set_mark(x->results, &p->mark);
    p->good = p->good && !w.full && rh__results_add_encoded(p->sum, w.at, w.len);
    p->count++;
    rh__writer_release(&w);
    if (x->end.exhausted)
        return false;
    x->limits.max_runs = x->results->count.runs + p->runs;
    x->end.stopped = false;
    return true;
}

static char *sorted_text(struct rh__results *r)
{
    rh__results_sort(r);
    return results_as_text(r);
}

/* Differences since a mark, of any length, add up to the whole. */
static void differences_add_up_to_the_whole(void **unused)
{
    (void)unused;
    struct setting s = setting;
    s.criteria = 7;
    struct rh_exploration *x = opened(&s);
    x->results->prefer_first_in_tree = true;
    assert_true(rh__explore(x));
    char *whole = sorted_text(x->results);
    closed(x);
    for (uint64_t runs = 1; runs < 40; runs = runs * 2 + 1) {
        struct parts *p = rh_shared_new(sizeof *p);
        assert_non_null(p);
        x = opened(&s);
        *p = (struct parts){ .sum = empty_like(x->results), .runs = runs, .good = true };
        assert_true(rh__distinct_pass_on(&x->results->distinct));
        x->results->prefer_first_in_tree = true;
        assert_true(rh_inner_unpack_root(&x->explorer, x->world));
        x->work.next = end_part;
        x->work.arg = p;
        x->limits.max_runs = runs;
        assert_true(rh__explore(x));
        assert_true(p->good);
        assert_in_range(p->count, 2, 10000);
        same_text(strdup(whole), sorted_text(p->sum), "parts", runs);
        rh__results_free(p->sum);
        rh_shared_free(p, sizeof *p);
        closed(x);
    }
    free(whole);
}

/* Values of the same program add up in any order, and as their bytes do. */
static void values_add_up_in_any_order(void **unused)
{
    (void)unused;
    enum { VALUES = 3, ORDERS = 4 };
    static const int order[ORDERS][VALUES] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 2, 0 }, { 0, 2, 1 } };
    static const char *const explorers[VALUES] = { "bound:6,dfs", "random", "bound:runs=30,dfs" };
    struct rh__results *value[VALUES], *sum;
    struct rh__writer bytes[VALUES];
    char *first = NULL;
    for (int i = 0; i < VALUES; i++) {
        struct setting s = setting;
        s.criteria = 7;
        s.explorer = explorers[i];
        s.limits.max_runs = 200;
        struct rh_exploration *x = opened(&s);
        assert_true(rh__explore(x));
        x->results->bounded = i == 0;
        value[i] = empty_like(x->results);
        bytes[i] = rh__writer_new();
        rh__results_encode(x->results, NULL, &bytes[i]);
        assert_true(rh__results_add(value[i], x->results));
        same_text(results_as_text(x->results), results_as_text(value[i]), "added to nothing", (unsigned)i);
        closed(x);
    }
    for (int i = 0; i < 2 * ORDERS; i++) {
        sum = empty_like(value[0]);
        for (int j = 0; j < VALUES; j++) {
            int k = order[i / 2][j];
            assert_true(i % 2 ? rh__results_add_encoded(sum, bytes[k].at, bytes[k].len)
                              : rh__results_add(sum, value[k]));
        }
        assert_int_equal(sum->count.runs, value[0]->count.runs + value[1]->count.runs + value[2]->count.runs);
        char *text = sorted_text(sum);
        rh__results_free(sum);
        first = first ? first : strdup(text);
        same_text(strdup(first), text, "another order", (unsigned)i);
    }
    sum = rh__results_new(value[0]->events); /* without coverage */
    assert_false(rh__results_add(sum, value[0]));
    assert_int_equal(sum->count.runs, 0);
    rh__results_free(sum);
    free(first);
    for (int i = 0; i < VALUES; i++) {
        rh__results_free(value[i]);
        rh__writer_release(&bytes[i]);
    }
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

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
    s.test = "dies_in_body";
    refused(&s, "it has \"test mixed\" where this is \"test dies_in_body\"");
    s = setting;
    s.semantics = &semantics;
    refused(&s, "it has \"set model=fifo\" where this is \"set model=bag\"");
    s = setting;
    s.explorer = "bound:5,dfs";
    refused(&s, "it has \"explorer dfs\" where this is \"explorer bound(5, dfs)\"");
}

static void checkpoints_of_the_same_explorer_in_other_words_are_resumed(void **unused)
{
    (void)unused;
    static const char *const same[] = { "bound:20,dfs", "bound(20, dfs)", "bound(depth=20, explorer=dfs)",
                                        " bound( dfs ,020)" };
    char error[1024] = "";
    struct setting s = setting;
    s.limits.max_runs = 5;
    unlink(path);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        s.explorer = same[i];
        s.limits.max_runs += 5;
        if (resume(&s, error, sizeof error, i > 0) != RH__POOL_DONE)
            fail_msg("%s: %s", same[i], error);
    }
    s.explorer = "bound(21, dfs)";
    refused(&s, "it has \"explorer bound(20, dfs)\" where this is \"explorer bound(21, dfs)\"");
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
        refused(&setting, at < 20 ? "no checkpoint" : at < 22 ? "another version" : "damaged");
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
    struct rh__queue q = { &rh__queue_local, NULL };
    unsigned char item[512];
    x->limits.max_runs = 3;
    assert_true(rh__explore(x));
    size_t item_size = rh_inner_pack(&x->explorer, item, sizeof item, false);
    assert_in_range(item_size, 10, sizeof item);
    closed(x);
    x = opened(&setting); /* without results */
    assert_true(rh__checkpoint_binding(x, binding, sizeof binding, error, sizeof error));
    struct rh__kept file;
    assert_true(rh__kept_open(&file, path, false, error, sizeof error));
    for (; tries < 500; tries++) {
        double seconds;
        assert_non_null(q.state = q.table->open(NULL, x->results, error, sizeof error));
        for (uint32_t n = rh__random_below(&random, 5); n; n--) {
            item[rh__random_below(&random, (uint32_t)item_size)] ^= (unsigned char)(1u << rh__random_below(&random, 8));
            assert_true(q.table->add(q.state, item, rh__random_below(&random, (uint32_t)item_size + 1)));
        }
        assert_true(rh__checkpoint_write(&file, binding, NULL, &q, 1.5, error, sizeof error));
        q.table->close(q.state);
        assert_non_null(q.state = q.table->open(NULL, x->results, error, sizeof error));
        good += rh__checkpoint_read(&file, binding, NULL, &q, &seconds, error, sizeof error);
        struct rh__lease lease;
        while (q.table->fetch(q.state, &lease)) /* hostile items are for the explorers: items.c */
            rh_inner_unpack(&x->explorer, x->world, lease.item, lease.size);
        q.table->close(q.state);
    }
    print_message("%llu files, %llu read\n", (unsigned long long)tries, (unsigned long long)good);
    assert_int_equal(good, tries);
    rh__kept_close(&file);
    closed(x);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(hostile_results_are_refused_whole),
        EXPLORE_TEST(results_with_coverage_of_something_else_change_nothing),
        EXPLORE_TEST(results_that_memory_is_too_short_for_change_nothing),
        EXPLORE_TEST(differences_add_up_to_the_whole),
        EXPLORE_TEST(values_add_up_in_any_order),
        EXPLORE_TEST(checkpoints_of_something_else_are_refused),
        EXPLORE_TEST(checkpoints_of_the_same_explorer_in_other_words_are_resumed),
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
