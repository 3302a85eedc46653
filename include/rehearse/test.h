/* rehearse/test.h: tests of actor programs.
 *
 *     RH_TEST(a_write_is_never_lost, .model = RH_BAG, .crashes = 1, .may_crash = RH_ACTORS(writer))
 *     {
 *         rh_ref w = rh_spawn(writer);
 *         for (int64_t i = 0; i < rh_param("actions", 2); i++)
 *             rh_send(rh_spawn(action, .writer = w), execute);
 *     }
 *     RH_MAIN()
 *
 * The body of a test is a process like any other, named `test`: it may send, ask and receive, and the actors that it
 * has spawned may run between two of its operations, depending on the granularity.  Its actions are part of every run.
 * The options after the name are fields of struct rh_semantics: the test's assumptions about the world.  The command
 * line can override them. */
#ifndef REHEARSE_TEST_H
#define REHEARSE_TEST_H

#include <rehearse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The order in which messages may arrive at one receiver: delivery models.  RH_FIFO is the default. */
#define RH_MODELS(X)                                                                                                   \
    X(FIFO, "fifo", "messages from one sender to one receiver arrive in order (Erlang, Akka)")                         \
    X(BAG, "bag", "any order")                                                                                         \
    X(CAUSAL, "causal", "if send a happened before send b to the same receiver, a arrives first")                      \
    X(MAILBOX, "mailbox", "all messages to a receiver arrive in the order in which they were sent (one machine)")

enum rh_model {
#define RH_X(name, text, help) RH_##name,
    RH_MODELS(RH_X)
#undef RH_X
};

/* What is one step.  A test that states nothing has RH_GRAIN_DEFAULT, and the explorer decides.  optimal uses object.
 * So do auto, preempt, and with kills anywhere all, except with a budget of partitions.  All others use handler.
 *
 * Example: a handler reads a table, writes the table, and sends a message.  RH_GRAIN_HANDLER makes that one step.
 * RH_GRAIN_OBJECT makes each table operation a step of its own, so that other actors can act between
 * them.  It also has a step for each send under RH_MAILBOX, and for each use of time with RH_TIME_ORDERED and `pauses`.
 * Other sends commute and need no step. */
#define RH_GRANULARITIES(X)                                                                                            \
    X(DEFAULT, "default", "what the explorer prefers: object or handler")                                              \
    X(HANDLER, "handler", "one message and all that its handler does")                                                 \
    X(SEND, "send", "also the moment at which a message enters a mailbox (with model mailbox)")                        \
    X(OBJECT, "object",                                                                                                \
      "each operation of any actor whose order others can see: on a name, a table, the life of an "                    \
      "actor, a monitor")

enum rh_granularity {
#define RH_X(name, text, help) RH_GRAIN_##name,
    RH_GRANULARITIES(RH_X)
#undef RH_X
};

/* When timers may fire. */
#define RH_TIMES(X)                                                                                                    \
    X(FREE, "free", "a timer may fire at any moment after it is set")                                                  \
    X(ORDERED, "ordered", "the timer with the earliest deadline fires first, and time jumps to its deadline")          \
    X(LOGICAL, "logical", "as free, and the clock of an actor advances by 1 ms with each message that it takes")

enum rh_time {
#define RH_X(name, text, help) RH_TIME_##name,
    RH_TIMES(RH_X)
#undef RH_X
};

/* What happens to a message whose receiver has ended, or ends before it takes the message: messages that are never
 * received. */
#define RH_DEAD_LETTERS(X)                                                                                             \
    X(LOG, "log", "the report mentions it")                                                                            \
    X(FAIL, "fail", "the run fails")                                                                                   \
    X(IGNORE, "ignore", "nothing")                                                                                     \
    X(STRICT, "strict", "the run fails, also if a message is left in the mailbox of one that has not ended")

enum rh_dead_letter {
#define RH_X(name, text, help) RH_DEAD_LETTER_##name,
    RH_DEAD_LETTERS(RH_X)
#undef RH_X
};

/* Where a crash may strike an actor. */
#define RH_CRASHES(X)                                                                                                  \
    X(ANYWHERE, "anywhere", "with granularity object also between two effects of a handler")                           \
    X(BETWEEN_HANDLERS, "between-handlers", "only where the actor waits or is idle")

enum rh_crash_points {
#define RH_X(name, text, help) RH_CRASH_##name,
    RH_CRASHES(RH_X)
#undef RH_X
};

/* How the network splits.  The nodes of the network are the actors that the test's body spawns (or see may_split), each
 * with the actors that it spawns.  With at most seven nodes every group is tried, with more nodes every single one;
 * three or more groups are tried with at most five nodes, with more only every node alone. */
#define RH_SPLITS(X)                                                                                                   \
    X(HALVES, "halves", "into two groups that do not hear each other")                                                 \
    X(GROUPS, "groups", "into two or more groups that do not hear each other")                                         \
    X(ONE_WAY, "one-way", "one way: the rest does not hear a group, but the group hears the rest")                     \
    X(PAIRS, "pairs", "between two nodes: all others hear both")                                                       \
    X(ANY, "any", "in each of these ways")

enum rh_splits {
#define RH_X(name, text, help) RH_SPLIT_##name,
    RH_SPLITS(RH_X)
#undef RH_X
};

/* What happens to messages from one side of a split to the other. */
#define RH_ACROSS(X)                                                                                                   \
    X(HELD, "held", "they arrive when the network is whole again")                                                     \
    X(DROPPED, "dropped", "what is under way when the network splits, and what is sent until it heals, is lost")

enum rh_across {
#define RH_X(name, text, help) RH_ACROSS_##name,
    RH_ACROSS(RH_X)
#undef RH_X
};

enum { RH_TIMER_BUDGETS_SIZE = 128 };
/* The name of time limits (rh_receive with timeout_ms, rh_ask_within, rh_join_within) among budgets of timers. */
#define RH_WAIT_TIMER "rh_wait"

/* Where an exit signal may end a process that does not trap it, or that is killed. */
#define RH_KILLS(X)                                                                                                    \
    X(AT_WAITS, "at-waits", "where the process waits")                                                                 \
    X(ANYWHERE, "anywhere", "also between two operations, as in Erlang; with granularity object")

enum rh_kills {
#define RH_X(name, text, help) RH_KILL_##name,
    RH_KILLS(RH_X)
#undef RH_X
};

/* What the code of actors runs on. */
#define RH_CONTEXTS(X)                                                                                                 \
    X(FIBERS, "fibers", "the stacks of actors are switched within one thread")                                         \
    X(THREADS, "threads",                                                                                              \
      "each actor has a thread, and one runs at a time: for libraries that keep things by thread, and for "            \
      "debuggers; slow, with the same results")

enum rh_contexts {
#define RH_X(name, text, help) RH_CONTEXT_##name,
    RH_CONTEXTS(RH_X)
#undef RH_X
};

/* How many rows such a list has. */
#define RH_ROWS(rows)    (0 rows(RH_ROWS_ONE))
#define RH_ROWS_ONE(...) +1

/* The assumptions of a test.  Zero is the default of every field; for limits it stands for the value in the comment. */
struct rh_semantics {
    enum rh_model model;
    enum rh_granularity granularity;
    enum rh_time time;
    enum rh_dead_letter dead_letters;
    /* Fault budgets: at most so many of these faults happen in a run, and each is an explored choice. */
    uint32_t losses;     /* messages that are lost */
    uint32_t duplicates; /* messages that arrive twice */
    /* Crashes of actors.  A crashed actor loses its state and timers; its store and the messages on their way to it
     * survive. */
    uint32_t crashes;
    /* Where crashes strike.  With RH_CRASH_ANYWHERE (the default) and RH_GRAIN_OBJECT an actor may also crash inside a
     * handler, between two of its effects: what it has sent, put into a table, announced, ... before the crash has
     * happened, the rest never does.  Its memory is gone then, so there are no such crashes if the test has
     * kept_restarts.  With the other granularities crashes strike between handlers only. */
    enum rh_crash_points crash_points;
    /* Restarts of crashed actors, with their initial state and rh_start.  A run does not end while there is a crashed
     * actor and budget to restart it. */
    uint32_t restarts;
    /* Restarts of crashed actors with the state before the crash: the actor was only down.  It keeps its state and its
     * behaviour, and begins with rh_start if its behaviour lists it; timers, what it waited for, links, monitors
     * and the open store are lost: docs/stores.md has a table. */
    uint32_t kept_restarts;
    /* Splits of the network, one at a time.  That it heals is a choice as well, and spends nothing. */
    uint32_t partitions;
    enum rh_splits splits;   /* which groups of nodes no longer hear which */
    enum rh_across across;   /* messages are held, or dropped: exit signals and news of ends are always held */
    uint32_t failed_opens;   /* calls of rh_store_open that fail; the actor ends with reason "store" */
    uint32_t damaged_stores; /* calls of rh_store_open that find damage; the actor ends with reason "damaged" */
    /* Puts that cannot be made durable: the actor ends with reason "store" at some moment between the put and
     * rh_stored.  After a failed put, a failed open or damage, the store cannot be opened again in this run.  In
     * production all stores share one journal, so after a failed put the next put or open of every other store fails as
     * well; here each of those is a fault of its own.  The store of the test's body does not fail. */
    uint32_t failed_puts;
    /* Delays: a message, or an actor, is held back until delay_steps more events have happened, or nothing else can
     * happen.  A delay changes only the order of events, so it adds no distinct run: explorers that make every run need
     * none, and reductions ignore the budget.  Random explorers find what needs one very slow message. */
    uint32_t delays;
    uint32_t outside; /* messages from outside: see rh_open */
    /* How often timers of a name may fire in a run, of all actors together: "election=3, heartbeat=10".  Later they
     * stay set and never fire; with ordered time the clock passes over them.  The name "rh_wait" is that of all time
     * limits of waits: "rh_wait=0" ignores them, as if every wait had none.  A run that ends while such a timer is
     * set could go on: it is not stuck, and neither hot monitors nor `eventually` are judged.  In production timers
     * have no budgets. */
    char timer_budgets[RH_TIMER_BUDGETS_SIZE];
    /* The types of actors that may crash: RH_ACTORS(server, replica); NULL for all types.  Use it to keep clients and
     * the environment up. */
    const struct rh_actor_type *const *may_crash;
    const struct rh_actor_type *const *may_lose; /* types of actors whose incoming messages may be lost or duplicated */
    /* The types of actors that are nodes of the network, wherever they are spawned, each with the actors that it
     * spawns: RH_ACTORS(replica).  All others hear and are heard by all, as the test itself.  NULL: every actor that
     * the test's body spawns is a node.  The first 16 count. */
    const struct rh_actor_type *const *may_split;
    /* Left-overs: messages that an actor may still defer at the end of a run, and that may be on their way to an actor
     * that ends, without the run being stuck and without a dead letter.  By type: RH_TYPES(request, beat); by the type
     * of the sender: RH_ACTORS(client); and all that external senders (rh_send_from) have sent.  NULL: none.  Use them
     * for clients that ask more than a server must answer. */
    const struct rh_message_type *const *may_remain;
    const struct rh_actor_type *const *may_remain_from;
    bool outside_may_remain;
    /* With ordered time, time stands still while a handler runs; true: it may pass between any two of its steps
     * (granularity object), as if its process had been stopped for a while. */
    bool pauses;
    /* Where an exit signal may end a process.  With RH_KILL_ANYWHERE and RH_GRAIN_OBJECT (then the default) also
     * between two of its operations: what it has sent, put into a table, ... before has happened, the rest never does.
     * The runtime's option kill_anywhere is the same in production.  Handlers of actors always run to their end, or to
     * a wait. */
    enum rh_kills kills;
    /* What the code of actors runs on.  RH_CONTEXT_THREADS is for libraries that keep things by thread (thread-local
     * variables, owners of locks), and for debuggers.  Runs, results and schedules are the same. */
    enum rh_contexts contexts;
    /* Operations that are no preemption points, by their lines ("bank.c:12") or by the functions in which they are made
     * ("transfer"): RH_ATOMIC("transfer", "bank.c:12").  NULL: none.  A function is found by its name in the debug
     * information, also if it was inlined; RH_BODY(clerk) is rh_body_of_clerk, RH_HANDLER(bank, deposit) is
     * rh_on_bank__deposit.  The report notes names by which no run has found an operation.  optimal, which needs every
     * operation as a step, refuses this. */
    const char *const *atomic;
    /* Limits. */
    uint32_t max_actors;          /* 4,096 */
    uint32_t max_messages;        /* under way at once: 65,536 */
    uint32_t max_message_bytes;   /* of one message with its tail: 1 MiB */
    uint32_t max_bytes_per_actor; /* state and heap: 4 MiB */
    uint32_t max_stack_bytes;     /* of a handler or process: 256 KiB */
    uint32_t max_steps;           /* of one run: 100,000 */
    uint32_t max_handler_ms;      /* processor time of one handler: 2,000 */
    uint32_t delay_steps;         /* events for which a delay lasts: 10 */
    uint32_t outside_values;      /* drawn values for a message from outside: 8 */
    /* Liveness (docs/liveness.md).  After `quiet_after` events the quiet phase begins: no more faults happen, delays
     * are over and the network is whole; crashed actors still restart.  0: there is none.  A monitor that is in a hot
     * behaviour for `temperature` events in a row, of the quiet phase if there is one, is a finding, if nothing else
     * has waited all the time.  0: it is none.  Both count events: explorers that leave out orders of independent
     * steps refuse them, and `stateful`, which finds loops, does not use the temperature. */
    uint32_t quiet_after;
    uint32_t temperature;
    uint32_t fail_allocation; /* the k-th allocation of the run returns NULL; 0 for none */
    bool check_isolation;     /* protect each actor's memory from the others (slow) */
    uint64_t seed;            /* of rh_random and libc's random functions */
};

#ifdef __cplusplus
#define RH_ACTORS(...)                                                                                                 \
    ([]() -> const struct rh_actor_type *const * {                                                                     \
        static const struct rh_actor_type *const list[] = { RH_MAP(RH_ACTOR_AT_, ~, __VA_ARGS__) 0 };                  \
        return list;                                                                                                   \
    }())
#else
#define RH_ACTORS(...) ((const struct rh_actor_type *const[]){ RH_MAP(RH_ACTOR_AT_, ~, __VA_ARGS__) 0 })
#endif
#define RH_ACTOR_AT_(c, type) &rh_actor_##type,

#ifdef __cplusplus
#define RH_ATOMIC(...)                                                                                                 \
    ([]() -> const char *const * {                                                                                     \
        static const char *const list[] = { __VA_ARGS__, 0 };                                                          \
        return list;                                                                                                   \
    }())
#else
#define RH_ATOMIC(...) ((const char *const[]){ __VA_ARGS__, 0 })
#endif

struct rh_test {
    const char *name;
    const char *place;
    rh_body_fn *body;
    struct rh_semantics semantics;
    struct rh_test *next; /* filled in before main */
    bool scenario;        /* RH_SCENARIO */
};

/* g++ warns about fields without an initialiser; tests set only some fields on purpose. */
#ifdef __cplusplus
#define RH_QUIET_BEGIN_                                                                                                \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")
#define RH_QUIET_END_ _Pragma("GCC diagnostic pop")
#else
#define RH_QUIET_BEGIN_
#define RH_QUIET_END_
#endif

#define RH_TEST(...) RH_CAT(RH_TEST_, RH_MORE1(__VA_ARGS__))(false, __VA_ARGS__)
#ifdef __cplusplus
#define RH_TEST_0(scenario, name) RH_TEST_WITH_(scenario, name, {})
#else
#define RH_TEST_0(scenario, name) RH_TEST_WITH_(scenario, name, { .model = RH_FIFO })
#endif
#define RH_TEST_M(scenario, name, ...) RH_TEST_WITH_(scenario, name, { __VA_ARGS__ })
#define RH_TEST_WITH_(scenario, name_, ...)                                                                            \
    static void rh_test_body_##name_(rh_ref self, void *unused);                                                       \
    RH_QUIET_BEGIN_ static struct rh_test rh_test_entry_##name_ = { #name_,      RH_HERE, rh_test_body_##name_,        \
                                                                    __VA_ARGS__, 0,       scenario };                  \
    RH_QUIET_END_                                                                                                      \
    __attribute__((constructor)) static void rh_test_add_##name_(void)                                                 \
    {                                                                                                                  \
        rh_test_register_(&rh_test_entry_##name_);                                                                     \
    }                                                                                                                  \
    static void rh_test_body_##name_(RH_UNUSED rh_ref self, RH_UNUSED void *unused)
void rh_test_register_(struct rh_test *test);
const struct rh_test *rh_test_first(void); /* the first test in source order; follow `next` */

/* ---- scenarios ---------------------------------------------------------------------------------------------------
 * RH_SCENARIO(name, options...) is a test whose body says, step by step, which message is taken next, so that one run
 * reads like prose:
 *
 *     RH_SCENARIO(a_late_vote_does_not_count)
 *     {
 *         rh_ref a = rh_spawn(server), b = rh_spawn(server, .peer = a);
 *         rh_send(a, campaign);
 *         rh_expect(campaign, .to = a);                           it is taken now; fails if it cannot be
 *         rh_disallow(vote, .from = b);                           fails if such a message could be taken now
 *         const struct ask_vote *q = rh_expect(ask_vote, .from = a, .to = b);
 *         rh_assert(q->term == 1);
 *         if (rh_allow(vote, .to = a))                            is taken if it can be: NULL if not
 *             rh_assert(rh_state_of(server, a)->votes == 1);
 *         rh_advance_time(500);                                   timers fire that are due within 500 ms
 *     }
 *
 * While the body runs, nothing else happens: messages wait until they are expected, timers until time advances, and no
 * faults befall anybody; only while the body itself waits (rh_receive, rh_ask, rh_sleep) others move as in any test.
 * Actors that list rh_start, and processes, begin when rh_start is expected.  After the body the run goes on as in any
 * test, in every order that the explorer makes, so a scenario can also be the beginning of an exploration.  The steps
 * have granularity handler.  If several messages fit
 * (.from and .to may be left out), the oldest of each sender may be taken, and each of them is a choice.  The default
 * explorer is dfs; explorers that leave out orders of independent steps, or compare states, refuse scenarios.
 *
 * rh_expect and rh_allow return the fields of the message that was taken, for the rest of the run.  The message of a
 * timer (rh_timer) can be expected, too: then the timer fires, if it may (see time).  For faults in a hand-written
 * order, write a schedule (docs/schedules.md). */
#define RH_SCENARIO(...) RH_CAT(RH_TEST_, RH_MORE1(__VA_ARGS__))(true, __VA_ARGS__)

struct rh_between {
    rh_ref from, to; /* nobody: anybody */
};
enum rh_wanted { RH_EXPECTED, RH_ALLOWED, RH_DISALLOWED };
/* const struct message *rh_expect(message, .from = a, .to = b) */
#define rh_expect(...) RH_CAT(RH_WANTED_, RH_MORE1(__VA_ARGS__))(RH_EXPECTED, __VA_ARGS__)
/* const struct message *rh_allow(message, .from = a, .to = b); NULL: no such message can be taken now */
#define rh_allow(...) RH_CAT(RH_WANTED_, RH_MORE1(__VA_ARGS__))(RH_ALLOWED, __VA_ARGS__)
/* void rh_disallow(message, .from = a, .to = b) */
#define rh_disallow(...)               ((void)RH_CAT(RH_WANTED_, RH_MORE1(__VA_ARGS__))(RH_DISALLOWED, __VA_ARGS__))
#define RH_WANTED_0(wanted, type)      RH_WANTED_AS_(wanted, type, RH_ZERO_(rh_between))
#define RH_WANTED_M(wanted, type, ...) RH_WANTED_AS_(wanted, type, RH_VALUE_(rh_between, __VA_ARGS__))
#define RH_WANTED_AS_(wanted, type, between)                                                                           \
    ((const struct type *)rh_wanted_(wanted, &rh_message_##type, between, RH_HERE))
const void *rh_wanted_(enum rh_wanted wanted, const struct rh_message_type *type, const struct rh_between *between,
                       const char *here);
/* Advances the time by so many milliseconds: the timers that are due by then fire, the earliest first.  Messages that
 * are sent meanwhile wait. */
#define rh_advance_time(ms) rh_advance_time_(ms, RH_HERE)
void rh_advance_time_(int64_t ms, const char *here);
/* const struct actor *rh_state_of(actor, reference): the state of an actor of this type that has not ended. */
#define rh_state_of(actor, who) ((const struct actor *)rh_state_of_(&rh_actor_##actor, who, RH_HERE))
const void *rh_state_of_(const struct rh_actor_type *type, rh_ref who, const char *here);

#define RH_MAIN()                                                                                                      \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return rh_main(argc, argv);                                                                                    \
    }
int rh_main(int argc, char **argv);

/* The value of `-p name=value`, or `otherwise`.  rh_param refuses a value that is not a number with a sentence. */
int64_t rh_param(const char *name, int64_t otherwise);
const char *rh_param_text(const char *name, const char *otherwise);
/* Whether `-p bug=name` was given. */
bool rh_bug(const char *name);

/* RH_PARAM(clients, "2", "how many clients") and RH_BUG(ga1, "what is wrong") declare a parameter and a bug, outside of
 * functions.  `rehearse list` shows them.  If a program declares any, others are refused.  If it declares none, a note
 * in the report names the parameters that no run has asked for. */
struct rh_param_entry {
    const char *name, *otherwise, *text;
    struct rh_param_entry *next;
};
#define RH_PARAM(name_, otherwise_, text_)                                                                             \
    static struct rh_param_entry rh_param_entry_##name_ = { #name_, otherwise_, text_, 0 };                            \
    __attribute__((constructor)) static void rh_param_register_##name_(void)                                           \
    {                                                                                                                  \
        rh_param_register_(&rh_param_entry_##name_, false);                                                            \
    }                                                                                                                  \
    struct rh_param_entry
#define RH_BUG(name_, text_)                                                                                           \
    static struct rh_param_entry rh_bug_entry_##name_ = { #name_, "", text_, 0 };                                      \
    __attribute__((constructor)) static void rh_bug_register_##name_(void)                                             \
    {                                                                                                                  \
        rh_param_register_(&rh_bug_entry_##name_, true);                                                               \
    }                                                                                                                  \
    struct rh_param_entry
void rh_param_register_(struct rh_param_entry *entry, bool bug);
const struct rh_param_entry *rh_param_first(void);
const struct rh_param_entry *rh_bug_first(void);

/* RH_REPLICA_NUMBER(actor, field), outside of functions, says that `field` of the actor's state only numbers actors of
 * this type, which are replicas otherwise:
 *
 *     RH_ACTOR(client, rh_ref server; uint32_t number;);
 *     RH_REPLICA_NUMBER(client, number);
 *
 * The explorer symmetry takes replicas for alike although their numbers differ, until one of the two has done its first
 * step.  This is a promise: the program stores, sends and compares numbers for equality, and uses them as an index of
 * what it has for each replica; it does not order them, calculate with them or compare them with constants, and whoever
 * knows a number knows it from the replica itself.  If the promise does not hold, symmetry misses runs. */
struct rh_replica_number {
    const struct rh_actor_type *type;
    uint32_t at, size;
    struct rh_replica_number *next;
};
#define RH_REPLICA_NUMBER(actor, field)                                                                                \
    static struct rh_replica_number rh_number_of_##actor = { &rh_actor_##actor, offsetof(struct actor, field),         \
                                                             sizeof(((struct actor *)0)->field), 0 };                  \
    __attribute__((constructor)) static void rh_number_register_##actor(void)                                          \
    {                                                                                                                  \
        rh_replica_number_register_(&rh_number_of_##actor);                                                            \
    }                                                                                                                  \
    struct rh_replica_number
void rh_replica_number_register_(struct rh_replica_number *number);
const struct rh_replica_number *rh_replica_number_first(void);

/* rh_external(name) is a sender outside of the actors: a user, a device, another system.  rh_send_from(who, to,
 * message, fields...) sends in its name.  Messages of different senders have no order. */
#define rh_external(name) rh_external_(name, RH_HERE)
rh_ref rh_external_(const char *name, const char *here);
#define rh_send_from(...)          RH_CAT(RH_SENDF_, RH_MORE3(__VA_ARGS__))(__VA_ARGS__)
#define RH_SENDF_0(from, to, type) rh_send_from_(from, to, &rh_message_##type, RH_ZERO_(type), RH_HERE)
#define RH_SENDF_M(from, to, type, ...)                                                                                \
    rh_send_from_(from, to, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), RH_HERE)
void rh_send_from_(rh_ref from, rh_ref to, const struct rh_message_type *type, const void *value, const char *here);

/* rh_open(actor, message) says that anybody outside may send such a message to this actor at any time, with any value;
 * rh_open(actor, message, .when = predicate) with any value that fulfils the predicate.  The outside knows the actors
 * that are opened, and no others.  Only the body of a test may call it, and the test says how many messages come from
 * outside at most:
 *
 *     static bool is_sensible(const struct withdraw *m) { return m->amount > 0; }
 *     RH_TEST(the_books_are_right, .outside = 4)
 *     {
 *         rh_ref a = rh_spawn(account);
 *         rh_open(a, deposit);
 *         rh_open(a, withdraw, .when = is_sensible);
 *     }
 *
 * Each message is a choice; every explorer but `optimal` makes it.  The values are drawn, from `seed` (outside_values
 * of them for each message), so an exploration is never more than bounded.  A schedule contains the values. */
typedef bool rh_when_fn(const void *message);
#define rh_open(...)        RH_CAT(RH_OPEN_, RH_MORE2(__VA_ARGS__))(__VA_ARGS__)
#define RH_OPEN_0(to, type) rh_open_(to, &rh_message_##type, 0, RH_HERE)
#define RH_OPEN_M(to, type, ...)                                                                                       \
    rh_open_(to, &rh_message_##type, (rh_when_fn *)RH_OPENING_(type){ __VA_ARGS__ }.when, RH_HERE)
#ifdef __cplusplus
} /* extern "C" */
template <class T> struct rh_opening_ {
    bool (*when)(const T *message);
};
extern "C" {
#define RH_OPENING_(type) rh_opening_<struct type>
#else
#define RH_OPENING_(type) (struct { bool (*when)(const struct type *message); })
#endif
void rh_open_(rh_ref to, const struct rh_message_type *type, rh_when_fn *when, const char *here);

/* rh_observe(monitor, fields...) starts a monitor; it sees all later announcements (rh_announce). */
#define rh_observe(...)            RH_CAT(RH_OBSERVE_, RH_MORE1(__VA_ARGS__))(__VA_ARGS__)
#define RH_OBSERVE_0(monitor)      rh_observe_(&rh_actor_##monitor, RH_ZERO_(monitor), RH_HERE)
#define RH_OBSERVE_M(monitor, ...) rh_observe_(&rh_actor_##monitor, RH_VALUE_(monitor, __VA_ARGS__), RH_HERE)
rh_ref rh_observe_(const struct rh_actor_type *monitor, const void *state, const char *here);

#ifdef __cplusplus
}
#endif
#endif
