/* Timing for benchmarks: processor time of this thread, the best of several rounds, because machines are shared and
 * only the best round shows what the code costs.  Tables print ratios against a baseline measured in the same
 * program. */
#ifndef RH_BENCH_H
#define RH_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

static inline double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nanoseconds per operation of `work(arg, operations)`, the best of `rounds`. */
static inline double best_ns(int rounds, long operations, void (*work)(void *arg, long operations), void *arg)
{
    double best = 1e30;
    for (int i = 0; i < rounds; i++) {
        double from = cpu_seconds();
        work(arg, operations);
        double ns = (cpu_seconds() - from) * 1e9 / (double)operations;
        if (ns < best)
            best = ns;
    }
    return best;
}

#endif
