/* The engine: makes runs as an explorer wants them, in child processes, and keeps what they find.
 *
 * One struct exploration in shared memory holds all that must outlive a child: counts, the explorer's state, findings.
 * The loop is in engine.c and fits on a screen. */
#ifndef RH_EXPLORE_ENGINE_H
#define RH_EXPLORE_ENGINE_H

#include <rehearse/explorer.h>
#include <rehearse/sandbox.h>
#include <sys/types.h>

enum {
    RH__MAX_FINDINGS = 32,
    RH__MAX_BLOCKS = 256,
    RH__SCHEDULE_BYTES = 1 << 24, /* address space; only what is written is used */
    RH__STORY_BYTES = 1 << 18,
    RH__BEHAVIOURS = 1 << 22, /* told apart exactly up to three quarters of this many */
    RH__FEWEST_BEHAVIOURS = 1 << 12,
};

struct rh__finding {
    uint64_t signature; /* kind, place and text without what varies */
    uint64_t count;     /* runs that ended so */
    uint64_t run;       /* the first of them */
    struct rh_outcome outcome;
    char actor[256];
    char *schedule;  /* text: trace/schedule.h */
    char *story;     /* what happened, for people */
    uint32_t *picks; /* which choice it was at each event, from event 1: its place in the tree */
    uint32_t pick_count;
    bool changed;  /* for whoever passes findings on: what is above the count is new */
    uint64_t told; /* likewise: of the count */
};

struct rh__limits {
    uint64_t max_runs;  /* 0: none */
    double max_seconds; /* of processor time, for each worker; 0: none */
    uint64_t max_all_steps;
    bool keep_going; /* past the first finding */
    bool unchecked;  /* no run is made again to see whether the program is deterministic */
};

/* A program that waits outside of control uses no processor time: so many times --max-seconds on the wall clock are enough. */
enum { RH__WALL_FACTOR = 100 };

/* Processor time of processes that explore, one after the other, of whom one is alive.  In shared memory. */
struct rh__meter {
    volatile pid_t pid; /* it; 0: none is */
    double before;      /* of those that have ended */
};
double rh__meter_seconds(const struct rh__meter *m);

struct rh__measure;

struct rh__block {
    void *at;
    size_t size;
};

/* Behaviours on their way to somebody who counts them.  Most of those seen lately are left out. */
struct rh__news {
    uint64_t *list, *lately;
    uint32_t count;
};
enum { RH__MOST_NEWS = 1 << 15, RH__LATELY = 1 << 16 };

struct rh_exploration {
    struct rh_world *world;
    struct rh__limits limits;
    uint64_t seed;
    struct rh_inner explorer;

    /* Counts.  Each run counts whole when it ends, whoever made its first part and however often, so that totals do not
     * depend on the order of runs or on who made them. */
    uint64_t runs, steps, cut, blocked, failed;
    uint64_t assumed;  /* of the runs: rh_assume ended them, and nothing of them counts; see rh__exploration_counted */
    uint64_t given_up; /* begun and not counted as runs */
    uint32_t unfinished; /* events of the run that was under way when time was up, which does not count; 0: none was */
    uint64_t behaviours; /* distinct, exact below the table's size */
    bool behaviours_at_least;       /* the table is full */
    uint64_t noted;                 /* the behaviour of the last run, not yet among them; 0 for none */
    bool exhausted;                 /* the explorer has nothing left */
    bool stopped;                   /* by a limit, a finding or the user */
    bool incomplete;                /* something could not be explored */
    bool wants_new;                 /* the explorer wants to know which behaviours are new */
    bool reduces;                   /* runs that look alike are left out, */
    bool trusts_globals;            /* where no two actors use the same global variable, as we were told */
    bool shares_globals;            /* some actor has changed one */
    bool diverged;                  /* work made elsewhere did not fit what was seen here */
    bool stillborn;                 /* the program dies before the first choice */
    char trouble[640];              /* what the machine did not allow, as a sentence; it is not the program's doing */
    volatile int interrupted;       /* by this signal */
    double seconds;                 /* on the wall clock */
    double processor_seconds;       /* of all processes that made runs */
    const char *stale, *stale_file; /* a schedule that was to be replayed does not fit: what does not; NULL: all fit */

    /* In several processes (cluster/pool.h); here are the sums. */
    uint32_t workers; /* 0: this process explores by itself */
    double share;     /* of the tree that is done, and in how many runs */
    uint64_t share_runs;
    char *texts; /* names that came from other processes */
    size_t texts_used;

    struct rh__finding findings[RH__MAX_FINDINGS];
    uint32_t finding_count;

    /* Of the run under way. */
    uint32_t kept;            /* events of it that are hashed in `prefix` */
    bool open;                /* a run is under way: if the child dies, this is what it died of */
    struct rh_choice *replay; /* choices to take first, in a new child */
    uint32_t replay_count;
    uint64_t *prefix; /* behaviour hash after each event */
    uint32_t *picks;  /* which of the choices each event was */
    uint64_t *behaviour_set;
    uint64_t behaviour_size; /* of the table in use */
    double started;          /* on the wall clock */
    struct rh__meter own_meter, *meter;

    void (*describe)(struct rh_exploration *x, struct rh__finding *f); /* fills in the texts of a new finding */
    void (*progress)(struct rh_exploration *x);                        /* called now and then, in the child */
    struct rh__block blocks[RH__MAX_BLOCKS];                           /* of rh_exploration_memory */
    uint32_t block_count;
    double next_progress;
    bool mute;          /* the program's standard output, while it is explored */
    uint64_t ticks;     /* of the watchdog, seen so far */
    uint64_t next_look; /* at the clock, when so many steps are taken */

    /* For a worker, whose work comes in pieces. */
    bool (*more)(struct rh_exploration *x); /* enough, or nothing is left: whether there is something else now */
    void *more_arg;
    bool moved;           /* the explorer has other work: its next run has nothing of the last */
    bool least;           /* of equal findings keep the one that is first in the tree, not the first that was found */
    double slice_end;     /* stop between runs when the meter is there, but not before one is made; 0: never */
    uint64_t slice_runs;  /* runs before it */
    struct rh__news news; /* list NULL: behaviours are counted here */

    /* Some runs are made again, to see whether the program does the same (world/determinism.h). */
    struct rh__seen *seen;
    uint32_t *opens;       /* how many choices there were before each event of the run */
    uint64_t check_random; /* which runs: */
    uint64_t check_steps;  /* the work it has taken, of all that the world does */
    bool known_to_differ;  /* it was found before, and need not be found again */
    bool checks_every_run; /* a replay */
    char note[1024];       /* a difference in memory alone; "" for none */

    struct rh__measure *measure; /* of coverage (measure.h); NULL: nobody asked */
};

/* For one world; NULL with a sentence.  `name_and_arg` is as in --explorer. */
struct rh_exploration *rh__exploration_new(struct rh_world *w, const char *name_and_arg, uint64_t seed,
                                           const struct rh__limits *limits, char *error, size_t error_size);
/* Makes runs until there is nothing left, a limit is reached or something is found; false if the tool failed. */
bool rh__explore(struct rh_exploration *x);
/* Runs to be told of. */
static inline uint64_t rh__exploration_counted(const struct rh_exploration *x)
{
    return x->runs - x->assumed;
}
enum rh_verdict rh__exploration_verdict(const struct rh_exploration *x);
/* A reduction was used on a program whose actors change global variables: what was not found may still be there. */
bool rh__exploration_unsound(const struct rh_exploration *x);
double rh__exploration_estimate(const struct rh_exploration *x);
/* Adds behaviours to the set. */
void rh__exploration_add_behaviours(struct rh_exploration *x, const uint64_t *hashes, size_t count);
/* Calls `each` for all of the set, in no order. */
void rh__exploration_each_behaviour(const struct rh_exploration *x, void (*each)(void *arg, uint64_t hash), void *arg);
/* Whether run `a` is before run `b` in the tree, by the choices they took. */
bool rh__picks_before(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count);
void rh__exploration_free(struct rh_exploration *x);

/* Properties of an explorer, or of one inside of it, by its text: struct rh_explorer. */
bool rh__explorer_wants_objects(const char *name_and_arg);
bool rh__explorer_reduces(const char *name_and_arg);
bool rh__explorer_folds(const char *name_and_arg);
bool rh__explorer_wants_new(const char *name_and_arg);

double rh__now_seconds(void);
/* In a child that makes many runs: what the program prints on standard output goes nowhere. */
void rh__mute(void);

#endif
