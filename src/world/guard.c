/* See guard.h.
 *
 * The handler of SIGSEGV has three purposes: writes to tracked pages (pages.h), which continue; the isolation check;
 * and real crashes.  It runs on its own stack, because the fault may be an overflow of the actor's stack.
 *
 * The watchdog counts processor time (ITIMER_VIRTUAL), so a slow machine does not make a handler endless.  The parent
 * (sandbox.c) notices a handler that sleeps or works in the kernel, and asks it here to report where it is. */
#define _GNU_SOURCE
#include "world/guard.h"
#include "base/visible.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "base/fail.h"
#include "base/text.h"
#include "world/control.h"
#include "world/memory.h"
#include "world/outcome.h"
#include "world/pages.h"
#include "world/switch.h"
#include "world/symbol.h"

enum { TICK_MS = 50, SIGNAL_STACK = 1 << 20, PLACE_STACK = 1 << 20 };

static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP };
enum { FATAL_COUNT = sizeof fatal / sizeof *fatal };

/* The state before, and the watchdog's memory.  Written only while no step runs, except `watch`. */
static struct {
    struct sigaction before[FATAL_COUNT], alarm_before;
    struct itimerval timer_before;
    stack_t stack_before;
    char *stack, *place_stack;
} saved;

/* Not among the tracked globals, because it changes during steps. */
struct watch {
    uint64_t step;
    uint32_t ticks;
    uint32_t isolated;  /* the actor whose memory is accessible, + 1 */
    uint32_t unwinding; /* a broken stack may break the unwinder, too: try once */
};
static struct watch *watch;

__attribute__((weak)) void __asan_set_error_report_callback(void (*callback)(const char *report));
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

/* Ends this process; the finding is in shared memory. */
_Noreturn static void end_with_finding(void)
{
    struct rh_world *w = rh__world;
    w->inside = false;
    if (!w->sandboxed) {
        char name[128];
        rh_world_actor_name(w, w->outcome.actor, name, sizeof name);
        rh__complain("%s: %s: %s (%s)", name, rh_outcome_name(w->outcome.kind), w->outcome.text, w->outcome.place);
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

/* ---- places ------------------------------------------------------------------------------------------------------ */

__attribute__((weak)) void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *size);

struct look_up {
    const void *from;
    char *buffer;
    size_t size;
    bool asan;
};

static void look_up(void *arg)
{
    const struct look_up *job = arg;
    const void *bottom; /* of the stack that we came from */
    size_t size;
    if (job->asan)
        __sanitizer_finish_switch_fiber(NULL, &bottom, &size);
    rh__symbol_call_place(job->from, job->buffer, job->size);
    if (job->asan)
        __sanitizer_start_switch_fiber(NULL, bottom, size);
}

void rh__place_of_call(const void *from, char *buffer, size_t size)
{
    struct look_up job = { from, buffer, size, rh__world->asan };
    void *fake = NULL, *back;
    if (job.asan)
        __sanitizer_start_switch_fiber(&fake, saved.place_stack, PLACE_STACK);
    rh__switch_enter(saved.place_stack + PLACE_STACK, look_up, &job, &back);
    if (job.asan)
        __sanitizer_finish_switch_fiber(fake, NULL, NULL);
}

/* ---- what the program was doing ---------------------------------------------------------------------------------- */

/* Libraries that the program calls; the place to report is the program's call. */
static bool is_library(const void *address)
{
    static const char *const names[] = { "libc.so", "libc-",      "libm.so",  "ld-linux",
                                         "ld-",     "libpthread", "libgcc_s", "libstdc++" };
    Dl_info module;
    if (!dladdr(address, &module) || !module.dli_fname)
        return true; /* not code at all: a call through a wrong pointer */
    const char *slash = strrchr(module.dli_fname, '/'), *name = slash ? slash + 1 : module.dli_fname;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

struct caller {
    const void *pc; /* of the signal; the frames before it are ours */
    bool reached;
    const void *from;
};

static _Unwind_Reason_Code find_caller(struct _Unwind_Context *context, void *arg)
{
    struct caller *c = arg;
    const void *at = (const void *)(uintptr_t)_Unwind_GetIP(context);
    if (c->reached && !is_library(at))
        c->from = at;
    c->reached |= at == c->pc;
    return c->from ? _URC_END_OF_STACK : _URC_NO_REASON;
}

const void *rh__caller_in_program(const void *from)
{
    struct caller c = { .pc = from };
    if (is_library(from))
        _Unwind_Backtrace(find_caller, &c);
    return c.from ? c.from : from;
}

/* The return address of a call through a wrong pointer; NULL if the stack cannot be read. */
static const void *return_address(const struct rh_world *w, const void *context)
{
    uintptr_t top = (uintptr_t)w->stacks + w->stack_stride * (w->semantics.max_actors + 1);
#if defined(__x86_64__)
    uintptr_t sp = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
    if (sp < (uintptr_t)w->stacks || sp >= top - sizeof(void *) || sp % sizeof(void *))
        return NULL;
    return *(void *const *)sp;
#elif defined(__aarch64__)
    (void)top;
    return (const void *)(uintptr_t)((const ucontext_t *)context)->uc_mcontext.regs[30];
#else
    (void)top, (void)context;
    return NULL;
#endif
}

/* Finds the program's instruction that a signal concerns: where it was, or the call that it was in.  Adds to the text
 * the called function, the message being handled, and why there is no line. */
static void tell_place(struct rh_world *w, const void *context, char *place, size_t size, struct rh__text *what)
{
    const void *pc = instruction_of(context), *from = NULL;
    Dl_info symbol = { 0 };
    bool line = false, nowhere = !dladdr(pc, &symbol) || !symbol.dli_fname;
    rh__outside_push();
    if (is_library(pc) && !watch->unwinding++) {
        struct caller c = { .pc = pc };
        if (nowhere)
            from = return_address(w, context);
        else
            _Unwind_Backtrace(find_caller, &c);
        from = from ? from : c.from;
        if (nowhere)
            rh__text_add(what, ", in a call through an invalid function pointer");
        else if (symbol.dli_sname)
            rh__text_add(what, ", in %s", symbol.dli_sname);
    }
    line = from ? rh__symbol_call_place(from, place, size) : rh__symbol_place(pc, place, size);
    const struct world_actor *a = w->current < w->actor_count ? &w->actors[w->current] : NULL;
    if (a && w->observing == RH_NONE && a->type->kind != RH_KIND_PROCESS && a->taken < w->message_count &&
        w->messages[a->taken].type)
        rh__text_add(what, ", while it handled %s", w->messages[a->taken].type->name);
    if (!line)
        rh__text_add(what, "; %s", rh__symbol_hint());
    rh__outside_pop();
}

/* ---- isolation --------------------------------------------------------------------------------------------------- */

static void protect_slot(struct rh_world *w, uint32_t actor, int how)
{
    mprotect(w->regions + w->region_stride * actor, w->region_stride, how);
}

/* All slots are closed except those that the world has opened since; this closes them again. */
void rh__isolate(struct rh_world *w, uint32_t actor)
{
    mprotect(w->regions, w->regions_bytes, PROT_NONE);
    protect_slot(w, actor, PROT_READ | PROT_WRITE);
    watch->isolated = actor + 1;
}

/* An access by the world opens a slot; an access by an actor is a finding.  While an actor runs, the world accesses
 * only the memory of actors that have not run yet (it is spawning them) or never run (monitors), and no other actor can
 * know an address there. */
static bool isolation_fault(struct rh_world *w, const void *address, const void *pc)
{
    uint32_t owner = rh__region_owner(w, address);
    if (!w->semantics.check_isolation || owner == RH_NONE)
        return false;
    uint32_t runs = w->observing != RH_NONE ? w->observing : w->current;
    if (!w->inside || owner == runs || owner >= w->actor_count || w->actors[owner].events == 0) {
        protect_slot(w, owner, PROT_READ | PROT_WRITE);
        return true;
    }
    char mine[128], theirs[128], place[128];
    rh_world_actor_name(w, runs, mine, sizeof mine);
    rh_world_actor_name(w, owner, theirs, sizeof theirs);
    rh__outside_push();
    rh__symbol_place(pc, place, sizeof place);
    rh__outside_pop();
    rh__fail(w, RH_OUTCOME_ISOLATION, runs, place,
             "%s used memory of %s (%p): pointers must not cross from one actor "
             "to another",
             mine, theirs, address);
    end_with_finding();
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static void on_fatal(int number, siginfo_t *info, void *context)
{
    int error = errno;
    struct rh_world *w = rh__world;
    bool memory = number == SIGSEGV || number == SIGBUS;
    if (memory && (rh__pages_fault(w, info->si_addr) || isolation_fault(w, info->si_addr, instruction_of(context)))) {
        errno = error;
        return;
    }
    if (code_of(w) == RH_NONE) { /* our own failure: do not disguise it */
        struct sigaction otherwise = { .sa_handler = SIG_DFL };
        sigaction(number, &otherwise, NULL);
        raise(number);
        return;
    }
    char place[128] = "", text[256];
    uint32_t actor = code_of(w);
    struct rh__text what;
    rh__text_init(&what, text, sizeof text);
    if (memory && !rh__stack_guard_hit(w, info->si_addr))
        rh__text_add(&what, " at address %p", info->si_addr);
    tell_place(w, context, place, sizeof place, &what);
    if (memory && rh__stack_guard_hit(w, info->si_addr))
        rh__fail(w, RH_OUTCOME_STACK_OVERFLOW, actor, place, "it used more than %u bytes of stack (max_stack_bytes)%s",
                 w->semantics.max_stack_bytes, text);
    else
        rh__fail(w, RH_OUTCOME_CRASH, actor, place, "%s%s", strsignal(number), text);
    end_with_finding();
}

/* The handler does not return. */
_Noreturn static void end_as_endless(struct rh_world *w, const void *context, const char *why)
{
    char place[128] = "", text[256];
    struct rh__text what;
    rh__text_init(&what, text, sizeof text);
    tell_place(w, context, place, sizeof place, &what);
    rh__fail(w, RH_OUTCOME_ENDLESS, code_of(w), place, why, w->semantics.max_handler_ms, text);
    end_with_finding();
}

static void on_tick(int number, siginfo_t *info, void *context)
{
    (void)number;
    static const char too_long[] = "its handler ran for more than %u ms of processor time (max_handler_ms)%s";
    struct rh_world *w = rh__world;
    int error = errno;
    bool asked = info->si_code == SI_QUEUE;
    w->ticks += !asked;
    if (code_of(w) == RH_NONE || (w->counts.steps != watch->step && !asked)) {
        watch->step = w->counts.steps;
        watch->ticks = 0;
    } else if (asked && info->si_value.sival_int == RH__ASK_BLOCKED) {
        end_as_endless(w, context,
                       "its handler does not return: it sleeps or waits outside of control, without using the "
                       "processor, for longer than %u ms (max_handler_ms)%s");
    } else if (asked || ++watch->ticks * TICK_MS >= w->semantics.max_handler_ms) {
        end_as_endless(w, context, too_long);
    }
    errno = error;
}

/* ---- sanitizers -------------------------------------------------------------------------------------------------- */

__attribute__((weak)) void *__asan_get_report_pc(void);

/* The place where the program called a sanitizer's runtime: the frame after the runtime's own. */
struct reported {
    bool in_runtime;
    const void *from;
};

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *arg)
{
    struct reported *r = arg;
    Dl_info module;
    const void *at = (const void *)(uintptr_t)_Unwind_GetIP(context);
    bool runtime = dladdr(at, &module) && module.dli_fname && strstr(module.dli_fname, "san.so");
    if (!runtime && r->in_runtime)
        r->from = at;
    r->in_runtime |= runtime;
    return r->from ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void on_report(const char *report)
{
    struct rh_world *w = rh__world;
    if (!w || code_of(w) == RH_NONE)
        return;
    char place[128] = "";
    const char *from = strstr(report, "ERROR: ");
    const char *to = from ? strchr(from, '\n') : NULL;
    if (__asan_get_report_pc) /* after the access: it is a call of the runtime */
        rh__place_of_call(__asan_get_report_pc(), place, sizeof place);
    rh__fail(w, RH_OUTCOME_SANITIZER, code_of(w), place, "%.*s", to ? (int)(to - from - 7) : 100,
             from ? from + 7 : report);
}

static void on_death(void)
{
    struct rh_world *w = rh__world;
    if (!w || code_of(w) == RH_NONE)
        return;
    char place[128] = "";
    struct reported reported = { false, NULL };
    rh__outside_push();
    if (!w->over)
        _Unwind_Backtrace(look_at, &reported);
    if (reported.from)
        rh__place_of_call(reported.from, place, sizeof place);
    rh__fail(w, RH_OUTCOME_SANITIZER, code_of(w), place,
             "a sanitizer ended the program; its report is on standard error");
    end_with_finding();
}

/* gcc's libubsan has its own list of such callbacks, hidden behind libasan's function of the same name. */
static void watch_ubsan(void)
{
    void *library = dlopen("libubsan.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return;
    void (*set)(void (*callback)(void)) =
        (void (*)(void (*)(void)))(uintptr_t)dlsym(library, "__sanitizer_set_death_callback");
    if (set)
        set(on_death);
    dlclose(library);
}

/* ---- on and off -------------------------------------------------------------------------------------------------- */

void rh__guard_begin(struct rh_world *w)
{
    rh__symbol_start();
    watch = mmap(NULL, sizeof *watch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    saved.stack = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    saved.place_stack = mmap(NULL, PLACE_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    RH__ASSERT(watch != MAP_FAILED && saved.stack != MAP_FAILED && saved.place_stack != MAP_FAILED,
               "no memory for signal handlers");
    /* The functions that the page fault handler calls must be bound before: binding writes to a page that may be
     * protected. */
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
    watch_ubsan();
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
    munmap(saved.place_stack, PLACE_STACK);
    munmap(watch, sizeof *watch);
}
