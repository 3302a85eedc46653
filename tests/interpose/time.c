/* world/interpose_time.c: inside an actor all clocks are virtual and all sleeps take virtual time. */
#include "interpose/fake.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { EPOCH = 1577836800 };
#define S INT64_C(1000000000)

static int reset(void **state)
{
    (void)state;
    fake.now_ns = 0;
    fake.sleeps = 0;
    return 0;
}

static void clocks_show_virtual_time(void **state)
{
    struct timespec real, monotonic, cpu, utc, step;
    struct timeval day;
    struct rusage used;
    struct tms ticks;
    time_t seconds;

    (void)state;
    enter();
    fake.now_ns = 3 * S + 250000007;
    clock_gettime(CLOCK_REALTIME, &real);
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    int base = timespec_get(&utc, TIME_UTC);
    int no_base = timespec_get(&utc, 999);
    gettimeofday(&day, NULL);
    time_t returned = time(&seconds);
    clock_t micros = clock();
    clock_t tick = times(&ticks);
    getrusage(RUSAGE_SELF, &used);
    int resolution = clock_getres(CLOCK_MONOTONIC, &step);
    errno = 0;
    int wrong = clock_gettime(12345, &real);
    int error = errno;
    leave();

    assert_int_equal(real.tv_sec, EPOCH + 3);
    assert_int_equal(real.tv_nsec, 250000007);
    assert_int_equal(monotonic.tv_sec, 3);
    assert_int_equal(monotonic.tv_nsec, 250000007);
    assert_int_equal(cpu.tv_sec, 3);
    assert_int_equal(base, TIME_UTC);
    assert_int_equal(no_base, 0);
    assert_int_equal(utc.tv_sec, EPOCH + 3);
    assert_int_equal(day.tv_sec, EPOCH + 3);
    assert_int_equal(day.tv_usec, 250000);
    assert_int_equal(returned, EPOCH + 3);
    assert_int_equal(seconds, EPOCH + 3);
    assert_int_equal(micros, 3250000);
    assert_int_equal(tick, 3250000 / (1000000 / sysconf(_SC_CLK_TCK)));
    assert_int_equal(ticks.tms_utime, tick);
    assert_int_equal(used.ru_utime.tv_sec, 3);
    assert_int_equal(resolution, 0);
    assert_int_equal(step.tv_nsec, 1);
    assert_int_equal(wrong, -1);
    assert_int_equal(error, EINVAL);
}

static void sleeps_take_virtual_time(void **state)
{
    static const struct timespec half = { 0, 500000000 };
    struct timeval two = { 2, 5 };

    (void)state;
    enter();
    assert_int_equal(sleep(3), 0);
    assert_int_equal(fake.now_ns, 3 * S);
    assert_int_equal(usleep(1000), 0);
    assert_int_equal(nanosleep(&half, NULL), 0);
    assert_int_equal(thrd_sleep(&half, NULL), 0);
    assert_int_equal(fake.now_ns, 4 * S + 1000000);
    assert_int_equal(poll(NULL, 0, 9), 0);
    assert_int_equal(fake.now_ns, 4 * S + 10000000);
    assert_int_equal(select(0, NULL, NULL, NULL, &two), 0);
    assert_int_equal(two.tv_sec, 0);
    assert_int_equal(fake.now_ns, 6 * S + 10005000);
    assert_int_equal(pselect(0, NULL, NULL, NULL, &half, NULL), 0);
    assert_int_equal(ppoll(NULL, 0, &half, NULL), 0);
    assert_int_equal(fake.now_ns, 7 * S + 10005000);
    assert_int_equal(fake.sleeps, 8);
    assert_int_equal(sched_yield(), 0);
    thrd_yield();
    assert_int_equal(fake.sleeps, 10);
    assert_int_equal(fake.now_ns, 7 * S + 10005000);
    assert_noted(NULL, NULL);
    leave();
}

static void absolute_sleeps_end_at_their_time(void **state)
{
    struct timespec until = { EPOCH + 10, 5 }, mono = { 12, 0 };

    (void)state;
    enter();
    fake.now_ns = 4 * S;
    assert_int_equal(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL), 0);
    assert_int_equal(fake.now_ns, 10 * S + 5);
    assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &mono, NULL), 0);
    assert_int_equal(fake.now_ns, 12 * S);
    assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &mono, NULL), 0); /* already there */
    assert_int_equal(fake.sleeps, 2);
    assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, 0, &mono, NULL), 0);
    assert_int_equal(fake.now_ns, 24 * S);
    leave();
}

static void wrong_sleeps_fail_as_in_libc(void **state)
{
    static const struct timespec odd[] = { { 0, 1000000000 }, { 0, -1 }, { -1, 0 } };
    static const struct timespec fine = { 1, 0 };

    (void)state;
    enter();
    for (size_t i = 0; i < 3; i++) {
        errno = 0;
        assert_int_equal(nanosleep(&odd[i], NULL), -1);
        assert_int_equal(errno, EINVAL);
        assert_int_equal(clock_nanosleep(CLOCK_REALTIME, 0, &odd[i], NULL), EINVAL);
        assert_true(thrd_sleep(&odd[i], NULL) < -1);
    }
    assert_int_equal(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &fine, NULL), EINVAL);
    assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC_RAW, 0, &fine, NULL), ENOTSUP);
    assert_int_equal(clock_nanosleep(12345, 0, &fine, NULL), EINVAL);
    assert_int_equal(fake.sleeps, 0);
    leave();
}

static void waiting_for_descriptors_is_noted(void **state)
{
    struct pollfd fd = { .fd = -1 };
    fd_set set;
    struct timeval none = { 0, 0 };

    (void)state;
    FD_ZERO(&set);
    enter();
    poll(&fd, 1, 0);
    select(1, &set, NULL, NULL, &none);
    leave();
    assert_noted("poll", "select");
    assert_int_equal(fake.sleeps, 0);
}

static void outside_time_is_real(void **state)
{
    struct timespec a, b;

    (void)state;
    assert_true(time(NULL) > EPOCH + 86400 * 365);
    clock_gettime(CLOCK_MONOTONIC, &a);
    usleep(1000);
    clock_gettime(CLOCK_MONOTONIC, &b);
    assert_true((b.tv_sec - a.tv_sec) * S + b.tv_nsec - a.tv_nsec >= 1000000);
    assert_int_equal(fake.sleeps, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(clocks_show_virtual_time, reset),
        cmocka_unit_test_setup(sleeps_take_virtual_time, reset),
        cmocka_unit_test_setup(absolute_sleeps_end_at_their_time, reset),
        cmocka_unit_test_setup(wrong_sleeps_fail_as_in_libc, reset),
        cmocka_unit_test_setup(waiting_for_descriptors_is_noted, reset),
        cmocka_unit_test_setup(outside_time_is_real, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
