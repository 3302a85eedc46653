/* rehearse/world.h: the controlled world, driven from outside one step at a time.
 *
 * For those who explore: the engine, explorers, tests of the tool, and your own drivers.
 *
 *     struct rh_world *w = rh_world_new(&options, error, sizeof error);
 *     rh_world_begin(w);                                  run the test's body to its first wait: event 0
 *     for (;;) {
 *         uint32_t n;
 *         const struct rh_choice *choices = rh_world_enabled(w, &n);
 *         if (!n) break;                                  the run is over
 *         rh_world_step(w, &choices[pick(n)]);
 *     }
 *     look at rh_world_outcome(w), then rh_world_reset(w) and run again
 *
 * A run is a list of events; event k is what step k did.  Going back costs what the steps undone had changed, never
 * what the world holds: rh_world_undo takes back one step, rh_world_rollback all back to a point of this run,
 * rh_world_reset all back to the end of rh_world_begin.  A struct rh_snapshot is a copy that outlives the run.
 *
 * The world lives in memory shared with child processes: a child that crashes leaves events, messages and mailboxes for
 * its parent to read (see rehearse/sandbox.h).  One world at a time in a process. */
#ifndef REHEARSE_WORLD_H
#define REHEARSE_WORLD_H

#include <rehearse/test.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RH_NONE 0xffffffffu /* no index */

/* ---- choices and events ---------------------------------------------------------------------------------------- */

#define RH_CHOICES(X)                                                                                                  \
    X(BEGIN, "begin")         /* the test's body runs to its first wait; always event 0, never offered */              \
    X(DELIVER, "deliver")     /* actor takes message `what` */                                                         \
    X(TIMER, "timer")         /* timer `what` of actor fires (`arg` names it); if 0: a wait or sleep of actor ends; \
                               * ordered time with granularity object: the actor is the clock, which reaches it */  \
    X(VALUE, "value")         /* actor's rh_choose gives `what` (of `arg`) */                                          \
    X(RESUME, "resume")       /* the process goes on past a preemption point (granularity operation); `arg`: where */  \
    X(ACCEPT, "accept")       /* message `what`, the next one actor has sent, enters its mailbox (granularity send) */ \
    X(STORED, "stored")       /* actor's oldest write under way becomes durable */                                     \
    X(LOSE, "lose")           /* message `what` to actor is lost */                                                    \
    X(DUPLICATE, "duplicate") /* message `what` to actor will arrive once more */                                      \
    X(CRASH, "crash")         /* actor crashes; `what` of `arg` writes under way survive */                            \
    X(RESTART, "restart")     /* actor starts again; `what` is 1 where its state is kept */                            \
    X(PARTITION, "partition") /* the actors in the bits of `what` are cut off from the rest */                         \
    X(HEAL, "heal")           /* the network is whole again */                                                         \
    X(OPEN, "open")           /* actor opens its store: `what` is 0; it cannot: 1; it is damaged: 2 */                 \
    X(UNSTORED, "unstored")   /* actor's oldest write under way fails, and the actor ends */                           \
    X(END, "end")             /* nothing is left to do but faults: the run ends without them */

enum rh_choice_kind {
#define RH_X(name, text) RH_CHOICE_##name,
    RH_CHOICES(RH_X)
#undef RH_X
};

struct rh_choice {
    uint32_t kind;  /* enum rh_choice_kind */
    uint32_t actor; /* index of the actor that moves; RH_NONE for partition and heal */
    uint32_t what;
    uint32_t arg;
};

/* One step that was taken.  Messages first_message .. first_message of the next event (or the world's count) are those
 * that it sent. */
struct rh_event {
    struct rh_choice choice;
    uint32_t number;        /* the how-many-th event of its actor, from 0: with the actor's name its identity */
    uint32_t first_message; /* messages sent before it */
    uint32_t first_access;  /* private */
    uint32_t flags;         /* enum rh_event_flag */
    uint32_t set_by;        /* timer: the event that set it, or began the wait; else RH_NONE */
    uint32_t site;          /* private: the behaviour, or the receive of a process, that it met its actor in */
    uint64_t private_mark[3];
};

enum rh_event_flag {
    RH_EVENT_INSIDE =
        1, /* the actor goes on with what it was doing (a reply, a sleep that ends, a value): no receive */
    RH_EVENT_BECOMES = 2, /* it changed which messages the actor handles, or where it receives */
    RH_EVENT_MATCHED = 4, /* taken by a receive that looks at more than types */
};

struct rh_message_info {
    const struct rh_message_type *type; /* NULL for an exit signal */
    const void *value;
    const void *tail;
    uint32_t size;
    uint32_t tail_size;
    uint32_t sender, receiver; /* actor indices */
    uint32_t event;            /* that sent it */
    uint32_t ordinal;          /* among the messages of that event, from 0 */
    uint32_t taken_by;         /* event, RH_NONE while under way */
    uint32_t copy_of;          /* a duplicate: of this message; else RH_NONE */
};

/* ---- outcome of a run -------------------------------------------------------------------------------------------- */

#define RH_OUTCOMES(X)                                                                                                 \
    X(RUNNING, "running")                                                                                              \
    X(FINISHED, "finished")    /* nothing left to do, nothing wrong */                                                 \
    X(CUT, "cut")              /* the limit of steps was reached */                                                    \
    X(ASSUMED, "assumed away") /* rh_assume: it is as if there were no such run */                                     \
    X(ASSERTION, "assertion")                                                                                          \
    X(PROPERTY, "property") /* an always or eventually property does not hold */                                       \
    X(MONITOR, "monitor")   /* a monitor is in a hot behaviour at the end */                                           \
    X(UNHANDLED, "unhandled message")                                                                                  \
    X(STUCK, "stuck")                 /* messages or processes are left and nobody can move */                         \
    X(ABNORMAL_EXIT, "abnormal exit") /* by rh_exit, and nobody was linked or monitored; or a test's body was ended */ \
    X(ENDLESS_RUN, "endless run")     /* cut after 10,000 events or more, and no timer drives it */                    \
    X(MISUSE, "misuse")               /* of the API */                                                                 \
    X(DEAD_LETTER, "dead letter")     /* a send to one that has ended, where the test wants that to fail */            \
    X(LIMIT, "limit")                 /* actors, messages, bytes: see struct rh_semantics */                           \
    X(HEAP, "heap corruption")                                                                                         \
    X(ISOLATION, "isolation") /* memory of another actor was used */                                                   \
    X(CRASH, "crash")         /* a fatal signal */                                                                     \
    X(STACK_OVERFLOW, "stack overflow")                                                                                \
    X(ENDLESS, "endless handler")                                                                                      \
    X(EXIT, "exit") /* the program called exit */                                                                      \
    X(SANITIZER, "sanitizer report")                                                                                   \
    X(NONDETERMINISM, "nondeterminism")

enum rh_outcome_kind {
#define RH_X(name, text) RH_OUTCOME_##name,
    RH_OUTCOMES(RH_X)
#undef RH_X
};
const char *rh_outcome_name(enum rh_outcome_kind kind);
const char *rh_choice_name(enum rh_choice_kind kind);

struct rh_outcome {
    enum rh_outcome_kind kind;
    uint32_t actor;  /* whose fault, RH_NONE if nobody's */
    char place[128]; /* "file.c:12" or a function, "" if unknown */
    char text[1024]; /* one sentence; for stuck a line for each blocked actor follows */
};
static inline bool rh_outcome_failed(enum rh_outcome_kind kind)
{
    return kind > RH_OUTCOME_ASSUMED;
}

/* ---- a world ----------------------------------------------------------------------------------------------------- */

struct rh_world;

struct rh_param {
    const char *name;
    const char *value;
};

struct rh_world_options {
    const struct rh_test *test;
    const struct rh_semantics *semantics; /* NULL: the test's own */
    const struct rh_param *params;
    size_t param_count;
    bool no_undo; /* only reset will be used, not undo, rollback and snapshots: saves memory in long runs */
    bool quiet;   /* do not print warnings (dead letters, escaped calls) */
    /* NULL, or where to note that params[i] was asked for, as bit i (for the first 64): in memory that processes share
     * (rh_shared_new) if steps are made in others than this one. */
    uint64_t *params_asked;
};

/* NULL with a sentence in `error` where the options make no sense or memory cannot be had. */
struct rh_world *rh_world_new(const struct rh_world_options *options, char *error, size_t error_size);
void rh_world_free(struct rh_world *w);

/* Runs the test's body until it ends or waits.  Once; in the process that will run the steps. */
void rh_world_begin(struct rh_world *w);
void rh_world_reset(struct rh_world *w);

/* The choices open now, valid until the next call; none when the run is over.  The order is a function of the run. */
const struct rh_choice *rh_world_enabled(struct rh_world *w, uint32_t *count);

/* Takes one of the open choices; false, and nothing done, if it is not open. */
bool rh_world_step(struct rh_world *w, const struct rh_choice *choice);

/* Takes back the last step; false at the beginning of the run. */
bool rh_world_undo(struct rh_world *w);

/* Takes back steps until `events` are left (at least 1: the beginning).  In a world with no_undo only 1 will do. */
void rh_world_rollback(struct rh_world *w, uint32_t events);

/* Copies what differs from the beginning of the run (NULL where memory is short); loading it needs the same world.  Undo
 * and rollback reach back to the loaded state, and from there to the beginning. */
struct rh_snapshot;
struct rh_snapshot *rh_world_save(struct rh_world *w);
void rh_world_load(struct rh_world *w, const struct rh_snapshot *snapshot);
size_t rh_snapshot_bytes(const struct rh_snapshot *snapshot);
void rh_snapshot_free(struct rh_snapshot *snapshot);

/* A hash of all that can influence what happens from here on: states, mailboxes, timers, names, stores, tables, budgets.
 * The clock is part of it only once some run has asked for the time: fingerprints from before that must not be compared with
 * those from after it. */
uint64_t rh_world_fingerprint(struct rh_world *w);
bool rh_world_clock_used(const struct rh_world *w);

/* The test asked for a parameter whose value makes no sense: a sentence for whoever gave it; "" where that did not happen. */
const char *rh_world_refused(const struct rh_world *w);

/* How the run stands; at its end what it came to. */
const struct rh_outcome *rh_world_outcome(struct rh_world *w);

/* ---- looking at it ------------------------------------------------------------------------------------------------- */

const struct rh_event *rh_world_events(const struct rh_world *w, uint32_t *count);
uint32_t rh_world_message_count(const struct rh_world *w);
struct rh_message_info rh_world_message(const struct rh_world *w, uint32_t message);
uint32_t rh_world_actor_count(const struct rh_world *w);
const struct rh_actor_type *rh_world_actor_type(const struct rh_world *w, uint32_t actor);
const struct rh_behaviour *rh_world_actor_behaviour(const struct rh_world *w, uint32_t actor);
const void *rh_world_actor_state(const struct rh_world *w, uint32_t actor);
bool rh_world_actor_ended(const struct rh_world *w, uint32_t actor);
int64_t rh_world_now_ns(const struct rh_world *w); /* with logical time: the latest clock of all */
const struct rh_semantics *rh_world_semantics(const struct rh_world *w);

/* Stable names (Bita III-B): `writer#1`, `boss#1/worker#2`, `test`, an external sender's own. */
void rh_world_actor_name(const struct rh_world *w, uint32_t actor, char *buffer, size_t size);
/* A choice as people read it: "writer#1 takes flush from terminator#1". */
void rh_world_choice_text(const struct rh_world *w, const struct rh_choice *choice, char *buffer, size_t size);
/* What an actor is doing: "waits for reply from server#1 (client.c:12)", "has ended (normal)", "is idle in open". */
void rh_world_actor_text(const struct rh_world *w, uint32_t actor, char *buffer, size_t size);

/* Log lines of the run, oldest first. */
struct rh_log_line {
    uint32_t event, actor;
    const char *text;
};
uint32_t rh_world_log_count(const struct rh_world *w);
struct rh_log_line rh_world_log_line(const struct rh_world *w, uint32_t line);

/* Properties evaluated so far, over all runs of this world. */
struct rh_property_info {
    enum rh_property kind;
    const char *name;
    const char *place;
    uint64_t held, failed; /* evaluations; steps that were made again count again */
    uint64_t held_in,
        failed_in; /* runs, of those that the engine has counted; of `eventually` the last evaluation in each */
};
uint32_t rh_world_property_count(const struct rh_world *w);
struct rh_property_info rh_world_property(const struct rh_world *w, uint32_t property);

/* Calls that escape control (threads, sockets, files opened for writing), once each, with their place. */
struct rh_escape {
    const char *call;
    char place[128];
};
uint32_t rh_world_escape_count(const struct rh_world *w);
struct rh_escape rh_world_escape(const struct rh_world *w, uint32_t escape);

/* What the world has used: for benchmarks and reports. */
struct rh_world_counts {
    uint64_t steps, resets, undone;
    uint64_t page_faults;  /* taken to track writes to globals and large heaps */
    uint64_t log_bytes;    /* of the undo log now */
    uint64_t memory_bytes; /* of tables, now in use */
};
struct rh_world_counts rh_world_count(const struct rh_world *w);

/* Runs the same choices (the first open one each time, or `pick`'s) twice and compares event by event.  Gives
 * RH_OUTCOME_FINISHED, or RH_OUTCOME_NONDETERMINISM with the first event that differs and the likely cause. */
struct rh_outcome rh_world_check_determinism(struct rh_world *w, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
