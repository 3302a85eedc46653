/* rehearse/runtime.h: actors in production, on a pool of threads (librehearse-rt).
 *
 *     int main(void)
 *     {
 *         struct rh_runtime_options options = { .threads = 4 };
 *         if (!rh_runtime_start(&options))
 *             return 1;
 *         rh_send(rh_spawn(server), begin);
 *         rh_runtime_wait();               until every actor has ended
 *         rh_runtime_stop();
 *     }
 *
 * Between start and stop any thread may spawn, send, look up names and use tables; the other functions of rehearse.h are
 * for actors.  One runtime at a time in a process; another may be started after it has stopped.
 *
 * Handlers run on the threads of a pool.  One that blocks (rh_receive, rh_ask, rh_sleep, rh_store_sync, and under
 * RH_OVERFLOW_WAIT also rh_send) gives its thread to others and may go on on another one: across such a call hold no
 * mutex, and keep no address of a thread-local variable (errno is one).  An actor that ends while it is blocked, or by
 * rh_exit, leaves its frames as they are: what they have allocated outside of the actor's state is not freed. */
#ifndef REHEARSE_RUNTIME_H
#define REHEARSE_RUNTIME_H

#include <rehearse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a send does when the receiver's mailbox holds `mailbox_limit` messages. */
enum rh_overflow {
    RH_OVERFLOW_GROW, /* no limit (the default) */
    RH_OVERFLOW_WAIT, /* the sender waits: an actor gives up its thread, a foreign thread sleeps */
    RH_OVERFLOW_DROP, /* the message is dropped and counted */
    RH_OVERFLOW_FAIL, /* the sender ends with reason "overflow", which is a failure; what a foreign thread sends is
                       * dropped and counted */
};

/* What went wrong inside an actor. */
struct rh_failure {
    const char *
        kind; /* "assertion", "unhandled", "misuse", "limit" (no stack for one that must wait), "store" (it cannot be opened,
               * is damaged, or a put could not be made durable), "exit" (abnormal, and nobody is told), "overflow"
               * (RH_OVERFLOW_FAIL) */
    const char *actor; /* "writer#1", or "" outside of actors */
    const char *place; /* "file.c:12", or "" where the program did not call */
    const char *text;  /* one sentence */
};

struct rh_runtime_options {
    uint32_t threads; /* 0: one per processor */
    enum rh_overflow overflow;
    uint32_t mailbox_limit;     /* for the last three kinds of overflow; 0: 65,536 */
    uint32_t max_message_bytes; /* of one message with its tail; 0: 1 MiB; more is a misuse and is not sent */
    uint32_t stack_bytes;       /* of a process or of a handler that blocks; 0: 256 KiB */
    const char *store_folder;   /* of all stores: made if it is not there, private to the user, and locked while the
                                 * runtime runs; NULL: rh_store_open is a misuse */
    uint64_t seed;              /* of rh_random and rh_choose; 0: from the system */
    /* Called for each failure, on the thread that met it; NULL: print the sentence, and abort for an assertion.  The
     * actor ends with reason "failed" when it returns from an assertion or an unhandled message. */
    void (*on_failure)(const struct rh_failure *failure, void *arg);
    void (*on_log)(const char *actor, const char *text, void *arg); /* NULL: standard error */
    void *arg;
};

struct rh_runtime_counts {
    uint64_t messages_sent;
    uint64_t messages_handled;
    uint64_t messages_dropped; /* overflow, or to an actor that had ended */
    uint64_t actors_spawned;
    uint64_t actors_ended;
};

/* false, with a sentence on standard error, where threads or memory cannot be had, and where store_folder cannot be used:
 * another process has it, its journal is damaged or cannot be read, or it holds stores of an older version.  options may be
 * NULL. */
bool rh_runtime_start(const struct rh_runtime_options *options);
void rh_runtime_wait(void);       /* until no actor is left */
void rh_runtime_wait_quiet(void); /* until no message, timer or write is under way and nobody runs */
void rh_runtime_stop(void);       /* ends what is left: handlers under way end, messages waiting are dropped */
struct rh_runtime_counts rh_runtime_count(void);

#ifdef __cplusplus
}
#endif
#endif
