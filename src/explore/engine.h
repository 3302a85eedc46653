/* The engine: makes runs as an explorer wants them, in child processes, and keeps what they find.
 *
 * One struct exploration in shared memory holds all that must outlive a child: counts, the explorer's state, findings.
 * The loop is in engine.c and fits on a screen. */
#ifndef RH_EXPLORE_ENGINE_H
#define RH_EXPLORE_ENGINE_H

#include <rehearse/explorer.h>
#include <rehearse/sandbox.h>

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
    char *schedule; /* text: trace/schedule.h */
    char *story;    /* what happened, for people */
};

struct rh__limits {
    uint64_t max_runs;  /* 0: none */
    double max_seconds; /* 0: none */
    uint64_t max_all_steps;
    bool keep_going; /* past the first finding */
};

struct rh__block {
    void *at;
    size_t size;
};

struct rh_exploration {
    struct rh_world *world;
    struct rh__limits limits;
    uint64_t seed;
    struct rh_inner explorer;

    /* Counts. */
    uint64_t runs, steps, cut, blocked, failed;
    uint64_t given_up;        /* begun and not counted as runs */
    uint64_t behaviours;      /* distinct, exact below the table's size */
    bool behaviours_at_least; /* the table is full */
    uint64_t noted;           /* the behaviour of the last run, not yet among them; 0 for none */
    bool exhausted;           /* the explorer has nothing left */
    bool stopped;             /* by a limit, a finding or the user */
    volatile int interrupted;
    double seconds;

    struct rh__finding findings[RH__MAX_FINDINGS];
    uint32_t finding_count;

    /* Of the run under way. */
    uint32_t kept;            /* events of it that are hashed in `prefix` */
    bool open;                /* a run is under way: if the child dies, this is what it died of */
    struct rh_choice *replay; /* choices to take first, in a new child */
    uint32_t replay_count;
    uint64_t *prefix; /* behaviour hash after each event */
    uint64_t *behaviour_set;
    uint64_t behaviour_size; /* of the table in use */
    double started;

    void (*describe)(struct rh_exploration *x, struct rh__finding *f); /* fills in the texts of a new finding */
    void (*progress)(struct rh_exploration *x);                        /* called now and then, in the child */
    struct rh__block blocks[RH__MAX_BLOCKS];                           /* of rh_exploration_memory */
    uint32_t block_count;
    double next_progress;
    bool mute;          /* the program's standard output, while it is explored */
    uint64_t ticks;     /* of the watchdog, seen so far */
    uint64_t next_look; /* at the clock, when so many steps are taken */
};

/* For one world; NULL with a sentence.  `name_and_arg` is as in --explorer. */
struct rh_exploration *rh__exploration_new(struct rh_world *w, const char *name_and_arg, uint64_t seed,
                                           const struct rh__limits *limits, char *error, size_t error_size);
/* Makes runs until there is nothing left, a limit is reached or something is found; false if the tool failed. */
bool rh__explore(struct rh_exploration *x);
enum rh_verdict rh__exploration_verdict(const struct rh_exploration *x);
double rh__exploration_estimate(const struct rh_exploration *x);
void rh__exploration_free(struct rh_exploration *x);

/* Whether one of the explorers it names works with granularity object. */
bool rh__explorer_wants_objects(const char *name_and_arg);

double rh__now_seconds(void);
/* In a child that makes many runs: what the program prints on standard output goes nowhere. */
void rh__mute(void);

#endif
