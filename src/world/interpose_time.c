/* Clocks and sleeps: inside an actor they show and use virtual time.
 *
 * CLOCK_MONOTONIC and its relatives count from the start of the run, like rh_now_ms; CLOCK_REALTIME from 2020-01-01
 * 00:00:00 UTC.  Processor time clocks also show virtual time, because real processor time would differ from run to
 * run.  Virtual time stands still while a handler computes, so a loop that polls a clock without sleeping does not end,
 * and the world reports it (endless handler).  A yield is a sleep of length 0. */
#include "world/interpose_next.h"

#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000, NS_PER_MS = 1000000, NS_PER_US = 1000, TAI_AHEAD_S = 37 };

extern int sched_yield(void);
struct timeb { /* of the obsolete sys/timeb.h */
    time_t time;
    unsigned short millitm;
    short timezone, dstflag;
};
int ftime(struct timeb *now);

/* How many seconds a clock is ahead of the run's start; -1 if there is no such clock. */
static int64_t clock_start_s(clockid_t clock)
{
    if (clock < 0) /* a clock of another process or thread: clock_getcpuclockid, pthread_getcpuclockid */
        return 0;
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
        return RH__EPOCH_S;
    case CLOCK_TAI:
        return RH__EPOCH_S + TAI_AHEAD_S;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return 0;
    default:
        return -1;
    }
}

static struct timespec virtual_time(int64_t start_s)
{
    int64_t ns = rh__virtual_ns();

    return (struct timespec){ .tv_sec = (time_t)(start_s + ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
}

static bool in_range(const struct timespec *t)
{
    return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < NS_PER_S;
}

/* Saturates at the range of int64_t: 292 years. */
static int64_t nanoseconds(int64_t s, int64_t ns)
{
    int64_t all;

    if (__builtin_mul_overflow(s, (int64_t)NS_PER_S, &all) || __builtin_add_overflow(all, ns, &all))
        return INT64_MAX;
    return all;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!rh__inside())
        return NEXT(clock_gettime)(clock, now);
    int64_t start = clock_start_s(clock);
    if (start < 0) {
        errno = EINVAL;
        return -1;
    }
    *now = virtual_time(start);
    return 0;
}

int clock_getres(clockid_t clock, struct timespec *step)
{
    if (!rh__inside())
        return NEXT(clock_getres)(clock, step);
    if (clock_start_s(clock) < 0) {
        errno = EINVAL;
        return -1;
    }
    if (step)
        *step = (struct timespec){ .tv_nsec = 1 };
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    if (!rh__inside())
        return NEXT(gettimeofday)(now, zone);
    struct timespec t = virtual_time(RH__EPOCH_S);
    *now = (struct timeval){ .tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / NS_PER_US };
    if (zone)
        memset(zone, 0, sizeof(struct timezone));
    return 0;
}

time_t time(time_t *now)
{
    if (!rh__inside())
        return NEXT(time)(now);
    time_t s = virtual_time(RH__EPOCH_S).tv_sec;
    if (now)
        *now = s;
    return s;
}

int timespec_get(struct timespec *now, int base)
{
    if (!rh__inside())
        return NEXT(timespec_get)(now, base);
    if (base != TIME_UTC)
        return 0;
    *now = virtual_time(RH__EPOCH_S);
    return base;
}

int ftime(struct timeb *now)
{
    if (!rh__inside())
        return NEXT(ftime)(now);
    struct timespec t = virtual_time(RH__EPOCH_S);
    *now = (struct timeb){ .time = t.tv_sec, .millitm = (unsigned short)(t.tv_nsec / NS_PER_MS) };
    return 0;
}

clock_t clock(void)
{
    return rh__inside() ? (clock_t)(rh__virtual_ns() / (NS_PER_S / CLOCKS_PER_SEC)) : NEXT(clock)();
}

clock_t times(struct tms *used)
{
    if (!rh__inside())
        return NEXT(times)(used);
    clock_t ticks = (clock_t)(rh__virtual_ns() / (NS_PER_S / sysconf(_SC_CLK_TCK)));
    if (used)
        *used = (struct tms){ .tms_utime = ticks };
    return ticks;
}

int getrusage(__rusage_who_t who, struct rusage *used)
{
    if (!rh__inside())
        return NEXT(getrusage)(who, used);
    if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD) {
        errno = EINVAL;
        return -1;
    }
    struct timespec t = virtual_time(0);
    memset(used, 0, sizeof *used);
    if (who != RUSAGE_CHILDREN)
        used->ru_utime = (struct timeval){ .tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / NS_PER_US };
    return 0;
}

/* ---- sleeps ------------------------------------------------------------------------------------------------------ */

int nanosleep(const struct timespec *time_wanted, struct timespec *left)
{
    if (!rh__inside())
        return NEXT(nanosleep)(time_wanted, left);
    if (!in_range(time_wanted)) {
        errno = EINVAL;
        return -1;
    }
    rh__virtual_sleep(nanoseconds(time_wanted->tv_sec, time_wanted->tv_nsec));
    return 0;
}

/* Returns error numbers, those of Linux, and does not set errno. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left)
{
    if (!rh__inside())
        return NEXT(clock_nanosleep)(clock, flags, wanted, left);
    int64_t start = clock_start_s(clock);
    if (start < 0 || clock == CLOCK_THREAD_CPUTIME_ID || !in_range(wanted))
        return EINVAL;
    if (clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW)
        return ENOTSUP;
    int64_t ns = nanoseconds(wanted->tv_sec, wanted->tv_nsec);
    if (flags & TIMER_ABSTIME) {
        ns -= start * NS_PER_S + rh__virtual_ns();
        if (ns <= 0)
            return 0;
    }
    rh__virtual_sleep(ns);
    return 0;
}

int usleep(useconds_t us)
{
    if (!rh__inside())
        return NEXT(usleep)(us);
    rh__virtual_sleep((int64_t)us * NS_PER_US);
    return 0;
}

unsigned int sleep(unsigned int s)
{
    if (!rh__inside())
        return NEXT(sleep)(s);
    rh__virtual_sleep((int64_t)s * NS_PER_S);
    return 0;
}

int thrd_sleep(const struct timespec *wanted, struct timespec *left)
{
    if (!rh__inside())
        return NEXT(thrd_sleep)(wanted, left);
    if (!in_range(wanted))
        return -2;
    rh__virtual_sleep(nanoseconds(wanted->tv_sec, wanted->tv_nsec));
    return 0;
}

int sched_yield(void)
{
    if (!rh__inside())
        return NEXT(sched_yield)();
    rh__virtual_sleep(0);
    return 0;
}

void thrd_yield(void)
{
    if (rh__inside())
        rh__virtual_sleep(0);
    else
        NEXT(thrd_yield)();
}

/* ---- waiting for descriptors ---------------------------------------------------------------------------------------
 *
 * Without descriptors these are sleeps.  With descriptors they ask the real world: noted, and done for real. */

#define TOUCH_SET(set) rh__touch(set, sizeof(fd_set))

static bool poll_sleeps(struct pollfd *fds, nfds_t count, int64_t ns, const char *call, const void *from)
{
    if (count == 0 && ns >= 0) {
        rh__virtual_sleep(ns);
        return true;
    }
    rh__note(call, from);
    rh__touch(fds, count * sizeof *fds);
    return false;
}

int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    if (rh__inside() && poll_sleeps(fds, count, timeout_ms < 0 ? -1 : (int64_t)timeout_ms * NS_PER_MS, "poll",
                                    __builtin_return_address(0)))
        return 0;
    return NEXT(poll)(fds, count, timeout_ms);
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    if (rh__inside() && poll_sleeps(fds, count, timeout ? nanoseconds(timeout->tv_sec, timeout->tv_nsec) : -1, "ppoll",
                                    __builtin_return_address(0)))
        return 0;
    return NEXT(ppoll)(fds, count, timeout, mask);
}

static bool select_sleeps(int count, fd_set *read_set, fd_set *write_set, fd_set *except_set, int64_t ns,
                          const char *call, const void *from)
{
    if ((count == 0 || (!read_set && !write_set && !except_set)) && ns >= 0) {
        rh__virtual_sleep(ns);
        return true;
    }
    rh__note(call, from);
    TOUCH_SET(read_set);
    TOUCH_SET(write_set);
    TOUCH_SET(except_set);
    return false;
}

int select(int count, fd_set *restrict read_set, fd_set *restrict write_set, fd_set *restrict except_set,
           struct timeval *restrict timeout)
{
    if (rh__inside()) {
        int64_t ns = timeout ? nanoseconds(timeout->tv_sec, (int64_t)timeout->tv_usec * NS_PER_US) : -1;
        if (select_sleeps(count, read_set, write_set, except_set, ns, "select", __builtin_return_address(0))) {
            *timeout = (struct timeval){ 0 }; /* Linux stores the time that is left */
            return 0;
        }
        rh__touch(timeout, sizeof *timeout);
    }
    return NEXT(select)(count, read_set, write_set, except_set, timeout);
}

int pselect(int count, fd_set *restrict read_set, fd_set *restrict write_set, fd_set *restrict except_set,
            const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    if (rh__inside() && select_sleeps(count, read_set, write_set, except_set,
                                      timeout ? nanoseconds(timeout->tv_sec, timeout->tv_nsec) : -1, "pselect",
                                      __builtin_return_address(0)))
        return 0;
    return NEXT(pselect)(count, read_set, write_set, except_set, timeout, mask);
}
