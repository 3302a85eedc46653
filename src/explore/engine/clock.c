/* Wall-clock time and processor time of an exploration (engine.h). */
#include <time.h>
#include <unistd.h>

#include "explore/engine/engine_parts.h"

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

double rh__now_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double rh__meter_seconds(const struct rh__meter *m)
{
    pid_t pid = m->pid;
    clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
    if (!pid || (pid != getpid() && clock_getcpuclockid(pid, &clock) != 0))
        return m->before;
    return m->before + seconds_of(clock);
}

/* The limit is processor time, so that the result does not depend on the load of the machine. */
bool rh__engine_out_of_time(const struct rh_exploration *x, double now)
{
    double most = x->limits.max_seconds;
    return most > 0 && (rh__meter_seconds(x->clock.meter) >= most || now - x->clock.started >= most * RH__WALL_FACTOR);
}
