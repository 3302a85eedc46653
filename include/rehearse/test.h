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
 * The body of a test is a process like any other, named `test`: it may send, ask and receive, and what it has spawned may
 * move between two of its operations where the granularity says so.  What it does is part of every run.  The options after
 * the name are fields of struct rh_semantics: what the test takes for granted about the world.  They can be overridden on
 * the command line. */
#ifndef REHEARSE_TEST_H
#define REHEARSE_TEST_H

#include <rehearse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In which order messages under way may arrive. */
enum rh_model {
    RH_FIFO,    /* in order per sender and receiver (Erlang, Akka); the default */
    RH_BAG,     /* any of them */
    RH_CAUSAL,  /* never before a message to the same receiver that its sender had seen sent */
    RH_MAILBOX, /* in the order in which they were sent (one machine) */
};

/* What is one step. */
enum rh_granularity {
    RH_GRAIN_HANDLER,   /* a handler with all its sends */
    RH_GRAIN_SEND,      /* under RH_MAILBOX: each send is accepted by itself, in order */
    RH_GRAIN_OPERATION, /* for processes: each operation on something shared */
    RH_GRAIN_OBJECT,    /* for all: each operation whose order others can see (a name, a table, the life of another, an
                         * announcement; under RH_MAILBOX a send; with RH_TIME_ORDERED what has to do with time); sends
                         * are not, where they commute */
};

enum rh_time {
    RH_TIME_FREE,    /* a timer may fire at any moment once it is set */
    RH_TIME_ORDERED, /* of the timers that are set only the earliest may fire; time jumps to it */
    RH_TIME_LOGICAL, /* as free, and each actor has a clock that goes on by 1 ms with each message it takes (Lamport) */
};

/* What happens on a send to an actor that has ended, and to messages under way to one that ends. */
enum rh_dead_letter { RH_DEAD_LETTER_LOG, RH_DEAD_LETTER_FAIL, RH_DEAD_LETTER_IGNORE };

/* What a test takes for granted.  All zero is the default; for limits 0 stands for the default named here. */
struct rh_semantics {
    enum rh_model model;
    enum rh_granularity granularity;
    enum rh_time time;
    enum rh_dead_letter dead_letters;
    /* Budgets of faults; each fault within them is an explored choice. */
    uint32_t losses;         /* messages lost */
    uint32_t duplicates;     /* messages delivered twice */
    uint32_t crashes;        /* actors that crash: they lose their state and timers, not their store, nor what is under
                             * way to them */
    uint32_t restarts;       /* restarts of crashed actors with their first state and rh_start; a run does not end while
                             * there is a crashed actor and budget to restart it */
    uint32_t kept_restarts;  /* restarts of crashed actors with the state they had */
    uint32_t partitions;     /* splits of the network in two; healing one costs nothing */
    uint32_t failed_opens;   /* calls of rh_store_open that fail: the actor ends with reason "store" */
    uint32_t damaged_stores; /* the same because the store is damaged: reason "damaged" */
    uint32_t failed_puts; /* puts that cannot be made durable: the actor ends with reason "store" at some moment between
                              * the put and rh_stored.  After any of the three the store cannot be opened again in this run.
                              * In production all stores share one journal: when a put fails, the next put or open of each
                              * other store fails as well, each a fault of its own here.  The test's own body is spared. */
    /* Whom faults may befall, as types of actors: RH_ACTORS(server, replica); NULL for all.  So clients and what stands for
     * the environment stay up. */
    const struct rh_actor_type *const *may_crash;
    const struct rh_actor_type *const *may_lose; /* what is sent to these may be lost, or come twice */
    /* Limits. */
    uint32_t max_actors;          /* 4,096 */
    uint32_t max_messages;        /* under way at once: 65,536 */
    uint32_t max_message_bytes;   /* of one message with its tail: 1 MiB */
    uint32_t max_bytes_per_actor; /* state and heap: 4 MiB */
    uint32_t max_stack_bytes;     /* of a handler or process: 256 KiB */
    uint32_t max_steps;           /* of one run: 100,000 */
    uint32_t max_handler_ms;      /* processor time of one handler: 2,000 */
    uint32_t fail_allocation;     /* the k-th allocation of the run gives NULL; 0 for none */
    bool check_isolation;         /* protect each actor's memory from the others (slow) */
    uint64_t seed;                /* of rh_random and libc's random functions */
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

struct rh_test {
    const char *name;
    const char *place;
    rh_body_fn *body;
    struct rh_semantics semantics;
    struct rh_test *next; /* filled in before main */
};

/* g++ warns of fields that are not given, which is the point of giving some. */
#ifdef __cplusplus
#define RH_QUIET_BEGIN_                                                                                                \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")
#define RH_QUIET_END_ _Pragma("GCC diagnostic pop")
#else
#define RH_QUIET_BEGIN_
#define RH_QUIET_END_
#endif

#define RH_TEST(...) RH_CAT(RH_TEST_, RH_MORE1(__VA_ARGS__))(__VA_ARGS__)
#ifdef __cplusplus
#define RH_TEST_0(name) RH_TEST_WITH_(name, {})
#else
#define RH_TEST_0(name) RH_TEST_WITH_(name, { .model = RH_FIFO })
#endif
#define RH_TEST_M(name, ...) RH_TEST_WITH_(name, { __VA_ARGS__ })
#define RH_TEST_WITH_(name_, ...)                                                                                      \
    static void rh_test_body_##name_(rh_ref self, void *unused);                                                       \
    RH_QUIET_BEGIN_ static struct rh_test rh_test_entry_##name_ = { #name_, RH_HERE, rh_test_body_##name_,             \
                                                                    __VA_ARGS__, 0 };                                  \
    RH_QUIET_END_                                                                                                      \
    __attribute__((constructor)) static void rh_test_add_##name_(void)                                                 \
    {                                                                                                                  \
        rh_test_register_(&rh_test_entry_##name_);                                                                     \
    }                                                                                                                  \
    static void rh_test_body_##name_(RH_UNUSED rh_ref self, RH_UNUSED void *unused)
void rh_test_register_(struct rh_test *test);
const struct rh_test *rh_test_first(void); /* in the order of the source; then follow next */

#define RH_MAIN()                                                                                                      \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return rh_main(argc, argv);                                                                                    \
    }
int rh_main(int argc, char **argv);

/* The value given by `-p name=value`, or the one here.  A value that is no number is refused with a sentence. */
int64_t rh_param(const char *name, int64_t otherwise);
const char *rh_param_text(const char *name, const char *otherwise);
/* Whether `-p bug=name` switched this bug on. */
bool rh_bug(const char *name);

/* RH_PARAM(clients, "2", "how many clients") and RH_BUG(ga1, "what is wrong"), outside of functions: `rehearse list` shows
 * them, and a parameter or bug that is not declared is refused as soon as one is declared.  Where none is, a note in the
 * report names those that no run has asked for. */
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

/* A sender outside of the actors (a user, a device, another system), by name; rh_send_from(who, to, message, fields...)
 * sends as it.  Messages of different senders are not ordered with each other. */
#define rh_external(name) rh_external_(name, RH_HERE)
rh_ref rh_external_(const char *name, const char *here);
#define rh_send_from(...)          RH_CAT(RH_SENDF_, RH_MORE3(__VA_ARGS__))(__VA_ARGS__)
#define RH_SENDF_0(from, to, type) rh_send_from_(from, to, &rh_message_##type, RH_ZERO_(type), RH_HERE)
#define RH_SENDF_M(from, to, type, ...)                                                                                \
    rh_send_from_(from, to, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), RH_HERE)
void rh_send_from_(rh_ref from, rh_ref to, const struct rh_message_type *type, const void *value, const char *here);

/* rh_observe(monitor, fields...): from now on the monitor sees announcements (rh_announce). */
#define rh_observe(...)            RH_CAT(RH_OBSERVE_, RH_MORE1(__VA_ARGS__))(__VA_ARGS__)
#define RH_OBSERVE_0(monitor)      rh_observe_(&rh_actor_##monitor, RH_ZERO_(monitor), RH_HERE)
#define RH_OBSERVE_M(monitor, ...) rh_observe_(&rh_actor_##monitor, RH_VALUE_(monitor, __VA_ARGS__), RH_HERE)
rh_ref rh_observe_(const struct rh_actor_type *monitor, const void *state, const char *here);

#ifdef __cplusplus
}
#endif
#endif
