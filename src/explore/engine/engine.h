/* The engine makes the runs that an explorer asks for, in child processes, and adds them to results
 * (results/results.h).
 *
 *     engine.c        the loop over runs, and its limits
 *     recovery.c      the child processes: a crash of the program ends a run, and the next child goes on
 *     repeat.c        makes some runs again, to check that the program is deterministic
 *     loop.c          whether a run that comes back to a state is a lasso
 *     clock.c         time and processor time
 *     measure.c       coverage of the runs
 *     exploration.c   makes and frees an exploration, and answers questions about it
 *
 * A struct rh_exploration lives in shared memory: it outlives each child. */
#ifndef RH_EXPLORE_ENGINE_H
#define RH_EXPLORE_ENGINE_H

#include <rehearse/explorer.h>
#include <rehearse/sandbox.h>
#include <sys/types.h>

#include "explore/engine/curve.h"
#include "explore/engine/loop.h"
#include "explore/tree.h"
#include "results/results.h"

struct rh__limits {
    uint64_t max_runs;  /* 0: none */
    double max_seconds; /* processor time of each worker; 0: none */
    uint64_t max_all_steps;
    bool keep_going; /* continue after the first finding */
    bool unchecked;  /* do not repeat runs to check that the program is deterministic */
    uint64_t pause;  /* rh__explore returns after so many steps in all, and goes on when it is called again; 0: never */
};

/* A program that waits outside of control uses no processor time, so the wall clock is limited too.  The limit is this
 * many times --max-seconds. */
enum { RH__WALL_FACTOR = 100 };

/* Processor time of processes that explore one after the other.  A meter is in shared memory. */
struct rh__meter {
    volatile pid_t pid; /* the live process; 0: none */
    double before;      /* processor time of the ended processes */
};
double rh__meter_seconds(const struct rh__meter *m);

/* Time of an exploration. */
struct rh__clock {
    double started;           /* start, on the wall clock */
    double seconds;           /* duration on the wall clock, set at the end */
    double processor_seconds; /* processor time of all processes that made runs, set at the end */
    double pool_used;         /* the same of the workers of this pool so far, of each on average */
    struct rh__meter own_meter, *meter;
    const volatile uint64_t *world_ticks; /* of the watchdog */
    uint64_t ticks;                       /* ... when the engine last read the clock */
    uint64_t next_look;                   /* number of steps at which the engine reads the clock again */
    double next_progress;
};

/* Why the runs ended. */
struct rh__ending {
    bool exhausted;           /* the explorer has no work left */
    bool stopped;             /* ended by a limit, a finding or the user */
    bool paused;              /* rh__explore is to be called again (limits.pause) */
    bool dies_in_body;        /* the program dies before the first choice */
    volatile int interrupted; /* the signal that interrupted; 0: none */
    uint64_t abandoned;       /* runs that were begun but are not counted */
    uint32_t unfinished;      /* events of the uncounted run under way when the time was up; 0: no such run */
    /* The difference between a schedule and the program, and the file of the schedule; NULL: all schedules fit. */
    const char *stale, *stale_file;
    char trouble[640]; /* a resource problem of the machine, as a sentence */
};

/* The run under way. */
struct rh__current_run {
    const uint32_t *events; /* number of events, which the world counts */
    uint32_t *picks;        /* index of the choice taken, by event */
    uint32_t *opens;        /* number of enabled choices, by event */
    uint64_t *prefix;       /* hash of the run up to each event (run/identity.h) */
    uint32_t hashed_events; /* number of events hashed in `prefix` */
    uint32_t lead;          /* number of events that led to the work of an item; 0: the run did not begin so */
    uint32_t restarts;      /* explorers that started over */
    uint64_t mark;          /* what a bound knows besides the state; 0: nothing */
    bool left_out;          /* steps were left out, because they lead to visited states */
};

/* The state that a new child needs to continue after a crash. */
struct rh__recovery {
    bool in_run;              /* a run is under way: a crash belongs to this run */
    struct rh_choice *replay; /* the choices of the crashed run, or those that are kept with threads */
    uint32_t replay_count;
};

/* The source of work.  Without `next`, the explorer gets the root item, and the exploration ends when the explorer has
 * no work left. */
struct rh__work_source {
    bool given; /* the explorer has got the root item */
    /* Called between runs when the work is used up or the slice is over.  True if the explorer has new work. */
    bool (*next)(struct rh_exploration *x);
    void *arg;
    double slice_end;    /* meter time after which to stop between two runs; 0: no limit */
    uint64_t slice_runs; /* number of runs at the start of the slice: a slice makes at least one run */
};

/* The engine repeats some runs to check that the program is deterministic (world/determinism.h). */
struct rh__repeats {
    struct rh__seen *seen;
    uint64_t random;      /* state of the random generator that selects the runs */
    uint64_t steps;       /* steps of all repeated runs */
    uint64_t not_before;  /* number of steps of the world before which no further run can be repeated */
    bool known_to_differ; /* nondeterminism is known already */
    bool every_run;       /* repeat every run, for replay */
    char note[2048];      /* a difference only in memory contents; "" for none */
};

/* Largest number of blocks of rh_exploration_memory.  Decorators open several explorers, each of which has dozens. */
enum { RH__MAX_BLOCKS = 4096 };
struct rh__blocks {
    struct {
        void *at;
        size_t size;
    } list[RH__MAX_BLOCKS];
    uint32_t count;
};

enum { RH__MAX_PUBLISHED = 16 };

/* Temporary files of explorers (rh__exploration_file). */
enum { RH__MAX_FILES = 16 };
struct rh__files {
    int list[RH__MAX_FILES];
    uint32_t count;
};

/* What samples of the explorer's tree say about the number of distinct runs. */
struct rh__sampled {
    double runs; /* 0: there are no samples */
    bool exact;  /* the samples were all runs */
};

struct rh__measure;

struct rh_exploration {
    struct rh_world *world;
    struct rh__limits limits;
    uint64_t seed;
    struct rh__tree tree;               /* the parsed explorer expression */
    struct rh_inner explorer;           /* the opened root of the tree */
    bool wants_new;                     /* the explorer needs to know which runs are distinct from all earlier runs */
    bool has_threads;                   /* actors have threads of their own (contexts) */
    uint32_t unused_temperature;        /* of the test, because the explorer finds loops of states instead */
    bool is_reduction;                  /* the explorer omits runs that differ only in the order of independent steps */
    bool trusts_globals;                /* the user promises that no two actors use the same global variable */
    bool mute;                          /* discard the program's standard output */
    uint32_t workers;                   /* number of worker processes (cluster/pool.h); 0: this process explores */
    uint32_t agents, all_workers;       /* of a job on a server, all together; 0: there is none */
    bool offline;                       /* the server does not answer for now */
    const struct rh_exploration *agent; /* in a worker: the exploration of its agent; NULL: none */
    void *published[RH__MAX_PUBLISHED]; /* memory of explorers that workers see (rh__exploration_publish) */
    uint32_t published_count;
    uint32_t counters; /* that explorers have taken (rh__exploration_counters) */

    struct rh__results *results;
    struct rh__ending end;
    struct rh__clock clock;
    struct rh__current_run run;
    struct rh__recovery recovery;
    struct rh__work_source work;
    struct rh__repeats repeats;
    struct rh__blocks blocks;
    struct rh__files files;
    struct rh__loop loop;        /* the run under way as a lasso */
    struct rh__sampled sampled;  /* before or after the runs, by the session */
    struct rh__curve curve;      /* for pages */
    char beside[512];            /* what another search beside this one has done, for people; "" for none */
    struct rh__measure *measure; /* measured coverage (measure.h); NULL: not measured */

    void (*progress)(struct rh_exploration *x); /* called now and then */
};

/* Makes an exploration of a world.  `expression` has the syntax of --explorer.  On failure returns NULL and a sentence
 * in `error`. */
struct rh_exploration *rh__exploration_new(struct rh_world *w, const char *expression, uint64_t seed,
                                           const struct rh__limits *limits, char *error, size_t error_size);
void rh__exploration_free(struct rh_exploration *x);
/* True with a sentence if the test is a scenario, which this explorer cannot explore. */
bool rh__explorer_refuses_test(const char *expression, const struct rh_test *test, char *error, size_t error_size);
/* Makes runs until no work is left, a limit is reached, there is a finding, or it is time for a pause.  False if the
 * tool failed. */
bool rh__explore(struct rh_exploration *x);
/* Adds the run in the world, in which a child process died that was not rh__explore's.  No more runs are made. */
void rh__exploration_adopt_run(struct rh_exploration *x);

/* Number of runs to report. */
static inline uint64_t rh__exploration_counted(const struct rh_exploration *x)
{
    return rh__results_counted(x->results);
}
enum rh_verdict rh__exploration_verdict(const struct rh_exploration *x);
/* True if a reduction was used on a program whose actors write global variables.  A global variable that one actor
 * writes and another reads makes their steps dependent.  The reduction does not see this dependence, so it may have
 * missed a failing run. */
bool rh__exploration_unsound(const struct rh_exploration *x);
double rh__exploration_estimate(const struct rh_exploration *x);
/* Lines for people about the search. */
void rh__exploration_notes(const struct rh_exploration *x, char *buffer, size_t size);

double rh__now_seconds(void);
/* Discards the program's standard output.  For a child that makes many runs. */
void rh__mute(void);

#endif
