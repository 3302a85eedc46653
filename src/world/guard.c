/* See guard.h.
 *
 * The handler of SIGSEGV serves three masters: writes to tracked pages (pages.h), which go on; the isolation check; and
 * real crashes.  It runs on a stack of its own, since the fault may be an overflow of the actor's.
 *
 * The watchdog counts processor time (ITIMER_VIRTUAL), so a slow machine does not make a handler endless; one that
 * sleeps in the kernel is noticed by the parent, on the wall clock. */
#define _GNU_SOURCE
#include "world/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/fail.h"
#include "world/control.h"
#include "world/memory.h"
#include "world/outcome.h"
#include "world/pages.h"
#include "world/symbol.h"

enum { TICK_MS = 50, SIGNAL_STACK = 1 << 20 };

static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP };
enum { FATAL_COUNT = sizeof fatal / sizeof *fatal };

/* What was there before, and the watchdog's memory.  Written only while no step runs, but for `watch`. */
static struct {
    struct sigaction before[FATAL_COUNT], alarm_before;
    struct itimerval timer_before;
    stack_t stack_before;
    char *stack;
} saved;

/* Not among the globals that are tracked: it changes during steps. */
struct watch {
    uint64_t step;
    uint32_t ticks;
    uint32_t isolated; /* whose memory is open, + 1 */
};
static struct watch *watch;

__attribute__((weak)) void __asan_set_error_report_callback(void (*callback)(const char *report));
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

/* Ends this process: the finding is in shared memory. */
_Noreturn static void end_with_finding(void)
{
    struct rh_world *w = rh__world;
    w->inside = false;
    if (!w->sandboxed) {
        char name[128];
        rh_world_actor_name(w, w->outcome.actor, name, sizeof name);
        fprintf(stderr, "rehearse: %s: %s: %s (%s)\n", name, rh_outcome_name(w->outcome.kind), w->outcome.text,
                w->outcome.place);
    }
    _exit(RH__EXIT_FINDING);
}

static const void *instruction_of(const void *context)
{
#if defined(__x86_64__)
    return (const void *)(uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)(uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return NULL;
#endif
}

/* ---- isolation --------------------------------------------------------------------------------------------------------- */

static void protect_slot(struct rh_world *w, uint32_t actor, int how)
{
    mprotect(w->regions + w->region_stride * actor, w->region_stride, how);
}

/* All slots are closed but those the world itself has opened since; close them again. */
void rh__isolate(struct rh_world *w, uint32_t actor)
{
    mprotect(w->regions, w->region_stride * w->semantics.max_actors, PROT_NONE);
    protect_slot(w, actor, PROT_READ | PROT_WRITE);
    watch->isolated = actor + 1;
}

/* The world's own access opens a slot; an actor's is a finding. */
static bool isolation_fault(struct rh_world *w, const void *address, const void *pc)
{
    uint32_t owner = rh__region_owner(w, address);
    if (!w->semantics.check_isolation || owner == RH_NONE)
        return false;
    uint32_t runs = w->observing != RH_NONE ? w->observing : w->current;
    if (!w->inside || owner == runs || owner >= w->actor_count) {
        protect_slot(w, owner, PROT_READ | PROT_WRITE);
        return true;
    }
    char mine[128], theirs[128], place[128];
    rh_world_actor_name(w, runs, mine, sizeof mine);
    rh_world_actor_name(w, owner, theirs, sizeof theirs);
    rh__outside_push();
    rh__symbol_place(pc, place, sizeof place);
    rh__outside_pop();
    rh__fail(w, RH_OUTCOME_ISOLATION, runs, place, "%s used memory of %s (%p): pointers must not cross from one actor "
             "to another", mine, theirs, address);
    end_with_finding();
}

/* ---- signals ----------------------------------------------------------------------------------------------------------- */

static void on_fatal(int number, siginfo_t *info, void *context)
{
    int error = errno;
    struct rh_world *w = rh__world;
    bool memory = number == SIGSEGV || number == SIGBUS;
    if (memory && (rh__pages_fault(w, info->si_addr) || isolation_fault(w, info->si_addr, instruction_of(context)))) {
        errno = error;
        return;
    }
    if (!w->inside) { /* our own failure: let it be seen as what it is */
        struct sigaction otherwise = { .sa_handler = SIG_DFL };
        sigaction(number, &otherwise, NULL);
        raise(number);
        return;
    }
    char place[128] = "";
    uint32_t actor = w->observing != RH_NONE ? w->observing : w->current;
    rh__outside_push();
    rh__symbol_place(instruction_of(context), place, sizeof place);
    if (memory && rh__stack_guard_hit(w, info->si_addr))
        rh__fail(w, RH_OUTCOME_STACK_OVERFLOW, actor, place, "it used more than %u bytes of stack (max_stack_bytes)",
                 w->semantics.max_stack_bytes);
    else if (memory)
        rh__fail(w, RH_OUTCOME_CRASH, actor, place, "%s at address %p", strsignal(number), info->si_addr);
    else
        rh__fail(w, RH_OUTCOME_CRASH, actor, place, "%s", strsignal(number));
    end_with_finding();
}

static void on_tick(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    struct rh_world *w = rh__world;
    int error = errno;
    if (!w->inside || w->counts.steps != watch->step) {
        watch->step = w->counts.steps;
        watch->ticks = 0;
    } else if (++watch->ticks * TICK_MS >= w->semantics.max_handler_ms) {
        char place[128] = "";
        rh__outside_push();
        rh__symbol_place(instruction_of(context), place, sizeof place);
        rh__fail(w, RH_OUTCOME_ENDLESS, w->current, place, "its handler ran for more than %u ms of processor time "
                 "(max_handler_ms)", w->semantics.max_handler_ms);
        end_with_finding();
    }
    errno = error;
}

/* ---- sanitizers --------------------------------------------------------------------------------------------------------- */

static void on_report(const char *report)
{
    struct rh_world *w = rh__world;
    if (!w || !w->inside)
        return;
    const char *from = strstr(report, "ERROR: ");
    const char *to = from ? strchr(from, '\n') : NULL;
    rh__fail(w, RH_OUTCOME_SANITIZER, w->current, "", "%.*s", to ? (int)(to - from - 7) : 100, from ? from + 7 : report);
}

static void on_death(void)
{
    struct rh_world *w = rh__world;
    if (!w || !w->inside)
        return;
    rh__fail(w, RH_OUTCOME_SANITIZER, w->current, "", "a sanitizer ended the program; its report is above");
    end_with_finding();
}

/* ---- on and off --------------------------------------------------------------------------------------------------------- */

void rh__guard_begin(struct rh_world *w)
{
    rh__symbol_start();
    watch = mmap(NULL, sizeof *watch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    saved.stack = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    RH__ASSERT(watch != MAP_FAILED && saved.stack != MAP_FAILED, "no memory for signal handlers");
    /* What the handler of a page fault calls must be bound by then: binding writes to a page that may be protected. */
    errno = 0;
    mprotect(watch, sizeof *watch, PROT_READ | PROT_WRITE);
    stack_t stack = { .ss_sp = saved.stack, .ss_size = SIGNAL_STACK };
    sigaltstack(&stack, &saved.stack_before);
    struct sigaction action = { .sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < FATAL_COUNT; i++)
        sigaction(fatal[i], &action, &saved.before[i]);
    action.sa_sigaction = on_tick;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigaction(SIGVTALRM, &action, &saved.alarm_before);
    struct itimerval tick = { { 0, TICK_MS * 1000 }, { 0, TICK_MS * 1000 } };
    setitimer(ITIMER_VIRTUAL, &tick, &saved.timer_before);
    if (__asan_set_error_report_callback)
        __asan_set_error_report_callback(on_report);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(on_death);
    (void)w;
}

void rh__guard_end(struct rh_world *w)
{
    (void)w;
    setitimer(ITIMER_VIRTUAL, &saved.timer_before, NULL);
    sigaction(SIGVTALRM, &saved.alarm_before, NULL);
    for (size_t i = 0; i < FATAL_COUNT; i++)
        sigaction(fatal[i], &saved.before[i], NULL);
    sigaltstack(&saved.stack_before, NULL);
    munmap(saved.stack, SIGNAL_STACK);
    munmap(watch, sizeof *watch);
}
