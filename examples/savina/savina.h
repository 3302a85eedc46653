/* What the programs of this folder share: each is one file, which is compiled twice.  Linked with librehearse it is a
 * test program; linked with librehearse-rt, with SAVINA_PRODUCTION defined, it is a program that computes something
 * larger on four threads and prints its result.  A program's `driver` is a process that asks the other actors for a
 * result, checks it, and lets them end. */
#ifndef SAVINA_H
#define SAVINA_H

#include <rehearse.h>

RH_MESSAGE(stop);

#ifdef SAVINA_PRODUCTION
#include <rehearse/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void savina_print(const char *actor, const char *text, void *arg)
{
    (void)actor;
    if (!*(bool *)arg)
        puts(text);
}
static inline double savina_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The first argument says how often the program computes its result: then it prints a line about its speed instead.  Or
 * it is --record, and the run is recorded in the file that follows, as a schedule for the program's first test.  Every
 * actor ends, and no message is sent to one that has ended. */
static inline int savina_production(int argc, char **argv, void (*start)(void))
{
    bool records = argc == 3 && strcmp(argv[1], "--record") == 0, measures = argc > 1 && !records;
    char *end = NULL;
    long times = measures ? strtol(argv[1], &end, 10) : 1;
    if ((argc > 2 && !records) || times < 1 || (end && *end)) {
        fprintf(stderr, "usage: %s [TIMES | --record FILE]\n", argv[0]);
        return 2;
    }
    struct rh_runtime_options options = { .threads = 4, .on_log = savina_print, .arg = &measures };
    if (records)
        options.record = argv[2];
    if (!rh_runtime_start(&options))
        return 2;
    double wall = savina_seconds(CLOCK_MONOTONIC), cpu = savina_seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (long i = 0; i < times; i++) {
        start();
        rh_runtime_wait_quiet();
    }
    wall = savina_seconds(CLOCK_MONOTONIC) - wall;
    cpu = savina_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    struct rh_runtime_counts c = rh_runtime_count();
    rh_runtime_stop();
    if (measures)
        printf("%9llu messages %8llu actors %7.3f s wall %7.3f s CPU %9.0f messages per CPU second\n",
               (unsigned long long)c.messages_handled, (unsigned long long)c.actors_spawned, wall, cpu,
               (double)c.messages_handled / cpu);
    if (c.actors_ended == c.actors_spawned && c.messages_dropped == 0)
        return 0;
    printf("%llu of %llu actors have ended, %llu messages were dropped\n", (unsigned long long)c.actors_ended,
           (unsigned long long)c.actors_spawned, (unsigned long long)c.messages_dropped);
    return 1;
}

/* SAVINA_PRODUCTION_MAIN(driver, .field = value, ...) */
#define SAVINA_PRODUCTION_MAIN(...)                                                                                    \
    static void savina_start(void)                                                                                     \
    {                                                                                                                  \
        rh_spawn(__VA_ARGS__);                                                                                         \
    }                                                                                                                  \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return savina_production(argc, argv, savina_start);                                                            \
    }
#else
#include <rehearse/test.h>
#endif

#endif
