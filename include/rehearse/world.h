/* rehearse/world.h: the controlled world, driven from outside one step at a time.
 *
 * The engine, explorers, tests of the tool, and your own drivers use it.
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
 * A run is a list of events; event k is the result of step k.  rh_world_undo undoes one step, rh_world_rollback all
 * steps back to a point of this run, rh_world_reset all steps back to the end of rh_world_begin.  The cost depends on
 * what the undone steps had changed, not on the size of the world.  A struct rh_snapshot is a copy that outlives the
 * run.
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

/* A row for each kind of choice: X(NAME, name, attributes, line, people, word).
 *
 *     line     the text in a schedule; it follows the message, if the choice is about one, else the actor
 *     people   the text in sentences; it follows the actor and precedes the message
 *     word     the text in a column of a story
 *
 * A kind whose text needs more than that has NULL, and a case where the text is written. */
#define RH_CHOICES(X)                                                                                                  \
    /* the test's body runs to its first wait; always event 0, never offered */                                        \
    X(BEGIN, "begin", 0, NULL, NULL, NULL)                                                                             \
    /* actor takes message `what` */                                                                                   \
    X(DELIVER, "deliver", RH_ABOUT_MESSAGE, NULL, NULL, NULL)                                                          \
    /* timer `what` of actor fires (`arg` names it); `arg` 0: a wait or sleep of actor ends.  With ordered time and */ \
    /* granularity object the actor is the clock, which reaches the timer */                                           \
    X(TIMER, "timer", 0, NULL, NULL, NULL)                                                                             \
    /* actor's rh_choose gives `what` (of `arg`) */                                                                    \
    X(VALUE, "value", RH_CONTINUES, NULL, NULL, NULL)                                                                  \
    /* actor goes on past a preemption point (granularity object, or rh_yield); `arg`: where */                        \
    X(RESUME, "resume", RH_CONTINUES, " goes on", " goes on", NULL)                                                    \
    /* message `what`, the next one that actor has sent, enters its mailbox (granularity send) */                      \
    X(ACCEPT, "accept", RH_ABOUT_MESSAGE, " is accepted", NULL, "accepted")                                            \
    /* actor's oldest write under way becomes durable */                                                               \
    X(STORED, "stored", RH_CONTINUES, "'s write is durable", "'s oldest write becomes durable", "stored")              \
    /* message `what` to actor is lost */                                                                              \
    X(LOSE, "lose", RH_IS_FAULT | RH_ABOUT_MESSAGE | RH_BEFALLS | RH_GLOBAL, " is lost", " never gets ", "LOST")       \
    /* message `what` to actor will arrive once more */                                                                \
    X(DUPLICATE, "duplicate", RH_IS_FAULT | RH_ABOUT_MESSAGE | RH_BEFALLS | RH_GLOBAL, " is doubled",                  \
      " will get twice ", "DOUBLED")                                                                                   \
    /* actor crashes; `what` of `arg` writes under way survive */                                                      \
    X(CRASH, "crash", RH_IS_FAULT | RH_GLOBAL, NULL, NULL, NULL)                                                       \
    /* actor starts again; `what` is 1 where its state is kept */                                                      \
    X(RESTART, "restart", RH_IS_FAULT | RH_GLOBAL, NULL, NULL, "RESTART")                                              \
    /* the network splits; `what`: see world/cuts.h */                                                                 \
    X(PARTITION, "partition", RH_IS_FAULT | RH_GLOBAL, NULL, NULL, "partition")                                        \
    /* the network is whole again */                                                                                   \
    X(HEAL, "heal", RH_IS_FAULT | RH_GLOBAL, "the network heals", "the network is whole again", "heal")                \
    /* actor opens its store: `what` is 0; or it cannot be opened: 1; or it is damaged: 2 (the last two are faults) */ \
    X(OPEN, "open", RH_CONTINUES, NULL, NULL, NULL)                                                                    \
    /* actor's oldest write under way fails, and the actor ends */                                                     \
    X(UNSTORED, "unstored", RH_IS_FAULT | RH_GLOBAL, "'s write fails", "'s oldest write fails, and it ends",           \
      "WRITE FAILED")                                                                                                  \
    /* message `what` to actor is held back for the next delay_steps events */                                         \
    X(DELAY, "delay", RH_IS_FAULT | RH_ABOUT_MESSAGE | RH_BEFALLS | RH_GLOBAL | RH_ONLY_DELAYS, " is held back",       \
      " has to wait for ", "HELD BACK")                                                                                \
    /* actor is held back for the next delay_steps events: it takes no message, and its timers do not fire */          \
    X(SLOW, "slow", RH_IS_FAULT | RH_BEFALLS | RH_GLOBAL | RH_ONLY_DELAYS, " is slow", " is slow", "SLOW")             \
    /* outside sends a message to actor (rh_open); `arg`: the message as text; `what`: see world/outside.h */          \
    X(OUTSIDE, "outside", RH_IS_FAULT | RH_BEFALLS | RH_GLOBAL, NULL, NULL, NULL)                                      \
    /* nothing is left to do but faults: the run ends without them */                                                  \
    X(END, "end", RH_GLOBAL, "the run ends", "the run ends", "end")

enum rh_choice_attribute {
    RH_IS_FAULT = 1,      /* spends a budget of faults (or heals); no run needs one */
    RH_ABOUT_MESSAGE = 2, /* `what` is a message */
    RH_BEFALLS = 4,       /* happens to a message or an actor: it is no event of `actor` */
    RH_GLOBAL = 8,        /* has global effect: depends on every other event */
    RH_CONTINUES = 16,    /* the actor goes on with what it was doing: RH_EVENT_INSIDE */
    RH_ONLY_DELAYS = 32,  /* takes other choices away for a while, and changes nothing else */
};

enum rh_choice_kind {
#define RH_X(name, text, attributes, line, people, word) RH_CHOICE_##name,
    RH_CHOICES(RH_X)
#undef RH_X
};

/* Of enum rh_choice_attribute, for a choice kind. */
static inline uint32_t rh_choice_attributes(uint32_t kind)
{
    static const uint8_t attributes_of[] = {
#define RH_X(name, text, attributes, line, people, word) attributes,
        RH_CHOICES(RH_X)
#undef RH_X
    };
    return attributes_of[kind];
}

/* Fault budgets, a row for each: X(field, spends, option, help). `field` is the budget in struct rh_semantics; a choice
 * c for which `spends` holds takes one from it. */
#define RH_BUDGETS(X)                                                                                                  \
    X(losses, c->kind == RH_CHOICE_LOSE, "losses", "up to N messages are lost")                                        \
    X(duplicates, c->kind == RH_CHOICE_DUPLICATE, "duplicates", "up to N messages arrive twice")                       \
    X(crashes, c->kind == RH_CHOICE_CRASH, "crashes", "up to N actors crash")                                          \
    X(restarts, c->kind == RH_CHOICE_RESTART && !c->what, "restarts",                                                  \
      "up to N crashed actors start again with their first state")                                                     \
    X(kept_restarts, c->kind == RH_CHOICE_RESTART && c->what, "kept-restarts",                                         \
      "up to N crashed actors start again with the state they had")                                                    \
    X(partitions, c->kind == RH_CHOICE_PARTITION, "partitions", "the network splits up to N times")                    \
    X(failed_opens, c->kind == RH_CHOICE_OPEN && c->what == 1, "failed-opens",                                         \
      "up to N times a store cannot be opened")                                                                        \
    X(damaged_stores, c->kind == RH_CHOICE_OPEN && c->what == 2, "damaged-stores", "up to N stores are damaged")       \
    X(failed_puts, c->kind == RH_CHOICE_UNSTORED, "failed-puts", "up to N puts cannot be made durable")                \
    X(delays, c->kind == RH_CHOICE_DELAY || c->kind == RH_CHOICE_SLOW, "delays",                                       \
      "up to N times a message or an actor is held back for a while")                                                  \
    X(outside, c->kind == RH_CHOICE_OUTSIDE, "outside", "up to N messages come from outside (rh_open)")

/* Limits of struct rh_semantics, a row for each: X(field, default, most, option, help). */
#define RH_LIMITS(X)                                                                                                   \
    X(max_actors, 4096, 1u << 16, NULL, NULL)                                                                          \
    X(max_messages, 65536, 1u << 22, NULL, NULL)                                                                       \
    X(max_message_bytes, 1u << 20, 1u << 30, NULL, NULL)                                                               \
    X(max_bytes_per_actor, 4u << 20, 1u << 28, NULL, NULL)                                                             \
    X(max_stack_bytes, 256u << 10, 1u << 26, NULL, NULL)                                                               \
    X(max_steps, 100000, (1u << 25) - 2, "max-steps", "cut a run after N events (100000)")                             \
    X(max_handler_ms, 2000, 0xffffffffu, NULL, NULL)                                                                   \
    X(delay_steps, 10, (1u << 25) - 2, "delay-steps", "a delay lasts for N events (10)")                               \
    X(outside_values, 8, 4096, "outside-values", "a message from outside has one of N drawn values (8)")               \
    X(quiet_after, 0, (1u << 25) - 2, "quiet-after", "no faults after N events, and the network heals (0: never)")     \
    X(temperature, 0, (1u << 25) - 2, "temperature", "a monitor that is hot for N events in a row fails (0: none)")

struct rh_choice {
    uint32_t kind;  /* enum rh_choice_kind */
    uint32_t actor; /* index of the actor that moves; RH_NONE for partition and heal */
    uint32_t what;
    uint32_t arg;
};

/* One step that was made.  It sent the messages from first_message up to the first_message of the next event (or up to
 * the world's count of messages). */
struct rh_event {
    struct rh_choice choice;
    uint32_t number;        /* index among its actor's events; with the actor's name it identifies the event */
    uint32_t first_message; /* number of messages sent before this event */
    uint32_t first_access;  /* private */
    uint32_t flags;         /* enum rh_event_flag */
    uint32_t set_by;        /* of a timer: the event that set it or began the wait; otherwise RH_NONE */
    uint32_t site;          /* private: the actor's behaviour, or the receive of a process, before the event */
    uint64_t private_mark[3];
};

enum rh_event_flag {
    RH_EVENT_INSIDE = 1,    /* not a receive: the actor continues (a reply, the end of a sleep, a value) */
    RH_EVENT_BECOMES = 2,   /* the event changed which messages the actor handles, or its receive */
    RH_EVENT_MATCHED = 4,   /* taken by a receive that looks at more than types */
    RH_EVENT_MORE = 8,      /* one of a set: the next event takes another message of the same set */
    RH_EVENT_AT_POINT = 16, /* the actor goes on, or crashes, inside the handler in which it was the event before */
};

struct rh_message_info {
    const struct rh_message_type *type; /* NULL for an exit signal */
    const void *value;
    const void *tail;
    uint32_t size;
    uint32_t tail_size;
    uint32_t sender, receiver; /* actor indices */
    uint32_t event;            /* the event that sent the message */
    uint32_t ordinal;          /* index among the messages of that event */
    uint32_t taken_by;         /* the event that took the message; RH_NONE while it is under way */
    uint32_t copy_of;          /* the original of a duplicate; otherwise RH_NONE */
};

/* ---- outcome of a run -------------------------------------------------------------------------------------------- */

/* How a run can end.  Rows after ASSUMED are failures. */
#define RH_OUTCOMES(X)                                                                                                 \
    X(RUNNING, "running")                                                                                              \
    X(FINISHED, "finished")    /* no choice is left, and nothing is wrong */                                           \
    X(CUT, "cut")              /* the run reached the limit of steps */                                                \
    X(ASSUMED, "assumed away") /* rh_assume ended the run; it does not count */                                        \
    X(ASSERTION, "assertion")                                                                                          \
    X(PROPERTY, "property") /* an always or eventually property does not hold */                                       \
    X(MONITOR, "monitor")   /* a monitor is in a hot behaviour at the end */                                           \
    X(HISTORY, "history")   /* no order of its operations explains a history (RH_HISTORY); or it was not decided */    \
    X(UNHANDLED, "unhandled message")                                                                                  \
    X(STUCK, "stuck")                 /* messages or waiting processes are left, and no step is possible */            \
    X(ABNORMAL_EXIT, "abnormal exit") /* by rh_exit, and no actor is linked or monitors; or a test's body was ended */ \
    X(LIVENESS, "liveness")           /* a monitor stays hot: for ever in a loop, or for `temperature` events */       \
    X(ENDLESS_RUN, "endless run")     /* cut after 10,000 events or more, and no timer drives it */                    \
    X(MISUSE, "misuse")               /* a wrong call of rehearse.h */                                                 \
    X(DEAD_LETTER, "dead letter")     /* a message to an ended actor, and the test wants that to fail */               \
    X(LIMIT, "limit")                 /* actors, messages, bytes: see struct rh_semantics */                           \
    X(HEAP, "heap corruption")                                                                                         \
    X(ISOLATION, "isolation") /* memory of another actor was used */                                                   \
    X(CRASH, "crash")         /* a fatal signal */                                                                     \
    X(STACK_OVERFLOW, "stack overflow")                                                                                \
    X(ENDLESS, "endless handler")                                                                                      \
    X(EXIT, "exit") /* the program called exit */                                                                      \
    X(SANITIZER, "sanitizer report")                                                                                   \
    X(NONDETERMINISM, "nondeterminism")                                                                                \
    X(SET_ORDER, "order of a set") /* a handler depends on the order of messages that it takes as a set (RH_SETS) */

enum rh_outcome_kind {
#define RH_X(name, text) RH_OUTCOME_##name,
    RH_OUTCOMES(RH_X)
#undef RH_X
};
const char *rh_outcome_name(enum rh_outcome_kind kind);
const char *rh_choice_name(enum rh_choice_kind kind);

struct rh_outcome {
    enum rh_outcome_kind kind;
    uint32_t actor;  /* the actor that failed; RH_NONE if there is none */
    char place[128]; /* "file.c:12" or a function; "" if unknown */
    char text[2048]; /* one sentence; for "stuck" followed by a line for each blocked actor */
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
    bool no_undo; /* the driver uses only reset, not undo, rollback and snapshots; saves memory in long runs */
    bool quiet;   /* do not print warnings (dead letters, escaped calls) */
    /* NULL, or a set in which bit i records that the program asked for params[i] (the first 64).  If other processes
     * make steps, it must be in shared memory (rh_shared_new). */
    uint64_t *params_asked;
    /* NULL, or three sets: the monitors that the program has started, those that were told something, and those that
     * were hot when a run was cut. */
    uint64_t *monitors;
    /* NULL, or the names of timers that runs have set, if the test has budgets of timers: the first so many. */
    struct rh_timer_names {
        uint32_t count;
        char names[32][48];
    } * timer_names;
    /* NULL, or bits: by which names of `atomic` operations were no preemption points, the last one for the 64th
     * and all further names. */
    uint64_t *atomic_met;
};

/* Returns NULL, with a sentence in `error`, if the options are invalid or there is not enough memory. */
struct rh_world *rh_world_new(const struct rh_world_options *options, char *error, size_t error_size);
void rh_world_free(struct rh_world *w);

/* Runs the test's body until it ends or waits.  Call it once, in the process that will make the steps. */
void rh_world_begin(struct rh_world *w);
void rh_world_reset(struct rh_world *w);

/* The open choices, valid until the next call; none if the run is over.  Their order depends only on the run. */
const struct rh_choice *rh_world_enabled(struct rh_world *w, uint32_t *count);

/* Makes one step.  Returns false, and does nothing, if the choice is not open. */
bool rh_world_step(struct rh_world *w, const struct rh_choice *choice);

/* Undoes the last step; false at the beginning of the run. */
bool rh_world_undo(struct rh_world *w);

/* Undoes steps until `events` events are left (at least 1: the beginning).  With no_undo, `events` must be 1. */
void rh_world_rollback(struct rh_world *w, uint32_t events);

/* Saves the differences from the beginning of the run (NULL if there is not enough memory); a snapshot can be loaded
 * only into the same world.  After a load, undo and rollback go back to the loaded state, and from there to the
 * beginning. */
struct rh_snapshot;
struct rh_snapshot *rh_world_save(struct rh_world *w);
void rh_world_load(struct rh_world *w, const struct rh_snapshot *snapshot);
size_t rh_snapshot_bytes(const struct rh_snapshot *snapshot);
void rh_snapshot_free(struct rh_snapshot *snapshot);

/* A hash of everything that can influence the rest of the run: states, mailboxes, timers, names, stores, tables,
 * budgets.  The clock becomes part of it when some run has asked for the time, and the order of sends under RH_BAG when
 * some run has taken a set; when a fiber has blocked deeper on its stack than all before it, stacks are cleaned further
 * down.  Do not compare fingerprints from before that with fingerprints from after it (rh_world_fingerprint_meaning:
 * a number with more bits).  Ask for one before the first step of the first run: from then on stacks are cleaned, and
 * what earlier calls left on them is no part of later hashes. */
uint64_t rh_world_fingerprint(const struct rh_world *w);
/* The same with 128 bits: the first of them are those of rh_world_fingerprint. */
struct rh_fingerprint {
    uint64_t high, low;
};
struct rh_fingerprint rh_world_fingerprint_wide(const struct rh_world *w);
uint32_t rh_world_fingerprint_meaning(const struct rh_world *w);

/* A sentence for the user if the test asked for a parameter whose value is invalid, or did what the explorer cannot
 * explore; otherwise "". */
const char *rh_world_refused(const struct rh_world *w);

/* The name of an actor that changed a global variable, in any run of this world; otherwise "". */
const char *rh_world_globals_writer(const struct rh_world *w);

/* The outcome of the run; RH_OUTCOME_RUNNING before its end. */
const struct rh_outcome *rh_world_outcome(const struct rh_world *w);

/* ---- inspection -------------------------------------------------------------------------------------------------- */

const struct rh_event *rh_world_events(const struct rh_world *w, uint32_t *count);
uint32_t rh_world_message_count(const struct rh_world *w);
struct rh_message_info rh_world_message(const struct rh_world *w, uint32_t message);
/* A timer that is set.  Its index is `what` of a choice of kind RH_CHOICE_TIMER. */
struct rh_timer_info {
    const char *name;                   /* NULL: the end of a wait or a sleep */
    const struct rh_message_type *type; /* NULL: the same */
    int64_t deadline_ns;
    uint32_t actor; /* that set it */
    uint32_t event; /* in which it was set */
};
struct rh_timer_info rh_world_timer(const struct rh_world *w, uint32_t timer);
/* How often timers of this name of this actor have fired in the run; looks at the whole run. */
uint32_t rh_world_timer_fired(const struct rh_world *w, uint32_t actor, const char *name);
/* How often timers of this name may still fire in the run; RH_NONE if they have no budget. */
uint32_t rh_world_timer_left(const struct rh_world *w, const char *name);
uint32_t rh_world_actor_count(const struct rh_world *w);
const struct rh_actor_type *rh_world_actor_type(const struct rh_world *w, uint32_t actor);
const struct rh_behaviour *rh_world_actor_behaviour(const struct rh_world *w, uint32_t actor);
const void *rh_world_actor_state(const struct rh_world *w, uint32_t actor);
bool rh_world_actor_ended(const struct rh_world *w, uint32_t actor);
int64_t rh_world_now_ns(const struct rh_world *w); /* with logical time: the latest of all clocks */
const struct rh_semantics *rh_world_semantics(const struct rh_world *w);

/* Stable names [Bita 2013, III-B]: `writer#1`, `boss#1/worker#2`, `test`, or the name of an external sender. */
void rh_world_actor_name(const struct rh_world *w, uint32_t actor, char *buffer, size_t size);
/* A choice as text: "writer#1 takes flush from terminator#1". */
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
    uint64_t held, failed; /* numbers of evaluations; a step that is made again counts again */
    /* In the run that the world holds; for `eventually` the last evaluation decides. */
    bool held_in_run, failed_in_run;
};
uint32_t rh_world_property_count(const struct rh_world *w);
struct rh_property_info rh_world_property(const struct rh_world *w, uint32_t property);

/* Abstract states that the run has shown (rh_abstract), and the types of its announcements (rh_announce), as hashes,
 * oldest first.  65,536 at most; later ones are left out. */
uint32_t rh_world_shown_count(const struct rh_world *w);
uint64_t rh_world_shown(const struct rh_world *w, uint32_t number);

/* Calls that escape control (threads, sockets, files opened for writing), one entry for each place. */
struct rh_escape {
    const char *call;
    char place[128];
};
uint32_t rh_world_escape_count(const struct rh_world *w);
struct rh_escape rh_world_escape(const struct rh_world *w, uint32_t escape);

/* Resource usage, for benchmarks and reports. */
struct rh_world_counts {
    uint64_t steps, resets, undone;
    uint64_t page_faults;  /* page faults taken to track writes to globals and large heaps */
    uint64_t log_bytes;    /* current size of the undo log */
    uint64_t memory_bytes; /* current size of the tables */
};
struct rh_world_counts rh_world_count(const struct rh_world *w);

/* Makes the same run twice, with choices drawn from the seed, and compares the runs event by event.  Returns
 * RH_OUTCOME_FINISHED, or RH_OUTCOME_NONDETERMINISM with the first event that differs and the likely cause. */
struct rh_outcome rh_world_check_determinism(struct rh_world *w, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
