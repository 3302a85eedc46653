/* The k-th call that writes a checkpoint fails, for all k: what is read afterwards is one that was written whole, the
 * sums that an exploration comes to are those without a failure, and nothing unfinished is left. */
#include "explore/support/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "cluster/mixed.h"
#include "cluster/pool.h"
#include "cluster/support.h"

static char path[] = "/tmp/rehearse-faults-XXXXXX/checkpoint", error[1024];
static const struct setting setting = { .test = "mixed", .limits = { .keep_going = true } };
static struct rh__file_calls real;
static unsigned calls, fails_at;
static bool fails_on; /* and all that follow it: a disk that stays full */
static int with;      /* this errno */

static bool fails(void)
{
    calls++;
    if (calls != fails_at && !(fails_on && calls > fails_at && fails_at))
        return false;
    errno = with;
    return true;
}

static int failing_open(const char *name, int flags, mode_t mode)
{
    return fails() ? -1 : real.open(name, flags, mode);
}
static ssize_t failing_write(int fd, const void *bytes, size_t size)
{
    if (fails()) {
        (void)!real.write(fd, bytes, size / 2); /* some of it got there */
        return -1;
    }
    return real.write(fd, bytes, size > 64 ? size / 2 : size); /* a short write is none that failed */
}
static int failing_truncate(int fd, off_t size)
{
    return fails() ? -1 : real.truncate(fd, size);
}
static int failing_sync(int fd)
{
    return fails() ? -1 : real.sync(fd);
}
static int failing_rename(const char *from, const char *to)
{
    return fails() ? -1 : real.rename(from, to);
}

static struct rh__file_calls failing(void)
{
    return (struct rh__file_calls){ failing_open, failing_write, failing_truncate,
                                    failing_sync, real.close,    failing_rename };
}

static enum rh__pool_end explore(struct rh_exploration *x, bool resume)
{
    struct rh__pool_options o = {
        .workers = 1, .checkpoint = path, .resume = resume, .checkpoint_seconds = 1e-9, .slice_runs = 40
    };
    return pooled(x, &setting, o, error, sizeof error);
}

struct sums {
    uint64_t runs, steps, behaviours, failed;
    enum rh_verdict verdict;
};

/* The exploration itself is not hurt by a checkpoint that fails; what is kept goes on to the same sums. */
static bool try_one(const struct sums *whole)
{
    struct rh_exploration *x = opened(&setting);
    calls = 0;
    rh__file_calls = failing();
    x->limits.max_runs = whole->runs / 2;
    enum rh__pool_end end = explore(x, false);
    rh__file_calls = real;
    bool reached = fails_at && calls >= fails_at;
    if (end == RH__POOL_DONE)
        assert_int_equal(x->results->count.runs, whole->runs / 2);
    else
        assert_int_equal(end, RH__POOL_REFUSED); /* the first one could not be written: told before any run */
    char beside[sizeof path + 8];
    snprintf(beside, sizeof beside, "%s.new", path);
    assert_int_equal(access(beside, F_OK), -1);
    closed(x);
    x = opened(&setting);
    if (access(path, F_OK) == 0) {
        if (explore(x, true) != RH__POOL_DONE)
            fail_msg("call %u fails: %s", fails_at, error);
        assert_int_equal(x->results->count.runs, whole->runs);
        assert_int_equal(x->results->count.steps, whole->steps);
        assert_int_equal(x->results->distinct.count, whole->behaviours);
        assert_int_equal(x->results->count.failed, whole->failed);
        assert_int_equal(rh__exploration_verdict(x), whole->verdict);
    }
    closed(x);
    unlink(path);
    return reached;
}

static void a_call_that_fails_loses_no_run(void **unused)
{
    (void)unused;
    static const int reasons[] = { ENOSPC, EIO };
    struct rh_exploration *x = opened(&setting);
    fails_at = 0;
    assert_int_equal(explore(x, false), RH__POOL_DONE);
    struct sums whole = { x->results->count.runs, x->results->count.steps, x->results->distinct.count,
                          x->results->count.failed, rh__exploration_verdict(x) };
    assert_in_range(whole.runs, 50, 100000);
    closed(x);
    unlink(path);
    unsigned tried = 0, most = getenv("REHEARSE_LONG") ? 100000 : 40;
    for (int on = 0; on < 2; on++)
        for (fails_at = 1; fails_at <= most; fails_at++, tried++) {
            fails_on = on;
            with = reasons[tried % 2];
            if (!try_one(&whole))
                break;
        }
    print_message("%u faults, %llu runs each\n", tried, (unsigned long long)whole.runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(a_call_that_fails_loses_no_run) };
    real = rh__file_calls;
    *strrchr(path, '/') = 0;
    if (!mkdtemp(path))
        return 1;
    path[strlen(path)] = '/';
    int code = cmocka_run_group_tests_name("faults of a checkpoint", tests, NULL, NULL);
    *strrchr(path, '/') = 0;
    rmdir(path);
    return code;
}
