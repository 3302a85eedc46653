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
 * Between start and stop, any thread may spawn, send, look up names, and use tables and histories; only actors may call
 * the other functions of rehearse.h.  There is one runtime at a time in a process; after it has stopped, another can be
 * started.
 *
 * Handlers run on the threads of a pool.  A handler that blocks (rh_receive, rh_ask, rh_sleep, rh_store_sync, and with
 * RH_OVERFLOW_WAIT also rh_send) gives its thread to others and may continue on another thread.  Across such a call,
 * hold no mutex and keep no address of a thread-local variable such as errno.  An actor that ends while it is blocked,
 * or by rh_exit, abandons its stack frames: memory that they have allocated outside of the actor's state is not
 * freed. */
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
    /* The sender ends with reason "overflow", which is a failure; a message from a foreign thread is dropped and
     * counted. */
    RH_OVERFLOW_FAIL,
};

/* A failure of an actor. */
struct rh_failure {
    /* "assertion", "unhandled", "misuse", "limit" (no stack for an actor that must wait), "store" (a store cannot be
     * opened, is damaged, or a put cannot be made durable), "exit" (an abnormal end of which no actor is told),
     * "overflow" (RH_OVERFLOW_FAIL), "history" (RH_HISTORY: found by rh_runtime_stop; the text has several lines). */
    const char *kind;
    const char *actor; /* "writer#1", or "" outside of actors */
    const char *place; /* "file.c:12", or "" if there is no call in the program */
    const char *text;  /* one sentence */
};

struct rh_runtime_options {
    uint32_t threads; /* 0: one per processor */
    enum rh_overflow overflow;
    uint32_t mailbox_limit;     /* messages in a mailbox, unless it may grow; 0: 65,536 */
    uint32_t max_message_bytes; /* size of a message with its tail; 0: 1 MiB; sending more is a misuse */
    uint32_t stack_bytes;       /* stack of a process or of a handler that blocks; 0: 256 KiB */
    /* The folder of all stores: created if it does not exist, private to the user, and locked while the runtime runs.
     * NULL: rh_store_open is a misuse. */
    const char *store_folder;
    /* An exit signal ends a process at its next operation; false: where it waits.  As .kills = RH_KILL_ANYWHERE of a
     * test. */
    bool kill_anywhere;
    uint64_t seed; /* seed of rh_random and rh_choose; 0: from the system */
    /* Histories (RH_HISTORY): at most so many operations are recorded, in all; rh_runtime_stop checks what was
     * recorded. 0: histories have no effect. */
    uint32_t history_operations;
    /* Records the run from its beginning, and writes it to this file as a schedule for a test that spawns the same
     * actors (rehearse replay, rehearse show): at the first failure, and when the runtime stops.  The file says in
     * comments what it does not know.  NULL: nothing is recorded. */
    const char *record;
    const char *record_test; /* name of the test; NULL: the first one of the program */
    uint32_t record_limit;   /* at most so many spawns, sends and receives, of 48 bytes each; 0: 1,048,576 */
    /* Called for each failure, on the thread on which it happens; NULL: print the sentence, and abort on an assertion.
     * After an assertion or an unhandled message, the actor ends with reason "failed" when this returns. */
    void (*on_failure)(const struct rh_failure *failure, void *arg);
    void (*on_log)(const char *actor, const char *text, void *arg); /* NULL: standard error */
    void *arg;
};

struct rh_runtime_counts {
    uint64_t messages_sent;
    uint64_t messages_handled;
    uint64_t messages_dropped; /* by overflow, or because the receiver had ended */
    uint64_t actors_spawned;
    uint64_t actors_ended;
};

/* Returns false, with a sentence on standard error, if there are not enough threads or memory, or if store_folder
 * cannot be used: another process uses it, its journal is damaged or unreadable, or it holds stores of an older
 * version.  `options` may be NULL. */
bool rh_runtime_start(const struct rh_runtime_options *options);
void rh_runtime_wait(void);       /* waits until every actor has ended */
void rh_runtime_wait_quiet(void); /* waits until no handler runs and no message, timer or write is pending */
void rh_runtime_stop(void);       /* lets running handlers end, drops waiting messages, and ends all actors */
struct rh_runtime_counts rh_runtime_count(void);

#ifdef __cplusplus
}
#endif
#endif
