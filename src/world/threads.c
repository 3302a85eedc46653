/* See threads.h.
 *
 * The interposed functions of libc take whoever drives the world for the running actor while one runs
 * (control.h).  So hand-over is by the system's calls alone.  The watchdog's signal goes to any thread of the process
 * that does not block it: the one that runs. */
#define _GNU_SOURCE
#include "world/threads.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "actor/blocking.h"
#include "base/fail.h"
#include "world/control.h"

enum { NATIVE_STACK = 128 << 10, SIGNAL_STACK = 1 << 20 };
enum turn { TURN_WAIT, TURN_RUN, TURN_END };

struct thread {
    pthread_t id;
    bool lives;
    _Atomic uint32_t turn; /* enum turn */
    void (*fn)(void *arg);
    void *arg;
    void *frame; /* rh__program_frame and rh__clean_down_to of the driver */
    char *clean;
    char name[16]; /* as debuggers show it */
};

/* By actor; the pointer is written only where the world begins and ends. */
static struct thread *threads;
static uint32_t thread_count;

/* Between pass_turn and the end of await_turn one thread runs, also where threads begin and end: two must not write to
 * tracked pages at the same time, and even the first call of a function of libc does (its address is found then). */
static void pass_turn(_Atomic uint32_t *turn, enum turn to)
{
    atomic_store_explicit(turn, (uint32_t)to, memory_order_release);
    syscall(SYS_futex, turn, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* Waits while it is the turn of the other one. */
static uint32_t await_turn(_Atomic uint32_t *turn, enum turn of_other)
{
    uint32_t now;
    while ((now = atomic_load_explicit(turn, memory_order_acquire)) == (uint32_t)of_other)
        syscall(SYS_futex, turn, FUTEX_WAIT_PRIVATE, (uint32_t)of_other, NULL, NULL, 0);
    return now;
}

/* Inside of an actor the world's signals cannot be blocked: callers are outside. */
static void heed_watchdog(bool yes)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGVTALRM);
    pthread_sigmask(yes ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
}

static void *memory_for(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    RH__ASSERT(at != MAP_FAILED, "no memory for threads");
    return at;
}

static void *thread_main(void *arg)
{
    struct thread *t = arg;
    char *own = memory_for(SIGNAL_STACK); /* an overflow of the actor's stack is handled elsewhere */
    stack_t stack = { .ss_sp = own, .ss_size = SIGNAL_STACK }, none = { .ss_flags = SS_DISABLE };
    sigaltstack(&stack, NULL);
    pthread_setname_np(pthread_self(), t->name);
    pass_turn(&t->turn, TURN_WAIT);
    while (await_turn(&t->turn, TURN_WAIT) == TURN_RUN) {
        heed_watchdog(true);
        rh__program_frame = t->frame;
        rh__clean_down_to = t->clean;
        rh__control_begin();
        t->fn(t->arg);
        rh__clean_down_to = NULL;
        rh__control_end();
        heed_watchdog(false);
        pass_turn(&t->turn, TURN_WAIT);
    }
    sigaltstack(&none, NULL);
    munmap(own, SIGNAL_STACK);
    pass_turn(&t->turn, TURN_WAIT);
    return NULL;
}

void rh__threads_begin(struct rh_world *w)
{
    thread_count = w->semantics.contexts == RH_CONTEXT_THREADS ? w->semantics.max_actors : 0;
    threads = thread_count ? memory_for(thread_count * sizeof *threads) : NULL;
}

static void end_from(uint32_t first)
{
    for (uint32_t i = first; i < thread_count; i++) {
        struct thread *t = &threads[i];
        if (!t->lives)
            continue;
        pass_turn(&t->turn, TURN_END);
        await_turn(&t->turn, TURN_END);
        pthread_join(t->id, NULL);
        *t = (struct thread){ .lives = false };
    }
}

void rh__threads_end(struct rh_world *w)
{
    (void)w;
    if (!threads) /* no write to a page that is tracked, whose handler of faults may be gone (cmocka's tear-down) */
        return;
    end_from(0);
    munmap(threads, thread_count * sizeof *threads);
    threads = NULL;
    thread_count = 0;
}

void rh__threads_renew(struct rh_world *w)
{
    (void)w;
    end_from(1); /* the body of the test goes on where it was */
}

void rh__thread_prepare(struct rh_world *w, uint32_t actor)
{
    struct thread *t = &threads[actor];
    char name[128];
    if (t->lives)
        return;
    pthread_attr_t attributes;
    rh_world_actor_name(w, actor, name, sizeof name);
    snprintf(t->name, sizeof t->name, "%.15s", name);
    heed_watchdog(false); /* the new thread inherits that */
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, NATIVE_STACK);
    pass_turn(&t->turn, TURN_RUN);
    int failed = pthread_create(&t->id, &attributes, thread_main, t);
    RH__ASSERT(!failed, "no thread for actor %s: contexts=threads needs one for each actor", name);
    await_turn(&t->turn, TURN_RUN);
    pthread_attr_destroy(&attributes);
    heed_watchdog(true);
    t->lives = true;
}

void rh__thread_call(struct rh_world *w, uint32_t actor, void (*fn)(void *arg), void *arg)
{
    (void)w;
    struct thread *t = &threads[actor];
    t->fn = fn;
    t->arg = arg;
    t->frame = rh__program_frame;
    t->clean = rh__clean_down_to;
    rh__outside_push();
    heed_watchdog(false);
    pass_turn(&t->turn, TURN_RUN);
    await_turn(&t->turn, TURN_RUN);
    heed_watchdog(true);
    rh__outside_pop();
}
