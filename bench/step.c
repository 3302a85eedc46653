/* What a controlled step costs: against the raw loop (ring-buffer dequeue, indirect call, enqueue) in the same program.
 *
 *     step        two actors and one message between them; 100 actors in a ring; enabled + step, records and checks on
 *     reset       a world of 8 actors with 256 bytes each, all of them changed
 *     undo        step and undo, with 10, 100 and 1,000 actors
 *     fingerprint step, fingerprint and undo, likewise
 *     counts      allocations and system calls in 100,000 steps
 *
 * GOALS: a step at most 6x the raw loop and 10 million a second; reset below 1 us; undo and fingerprint independent of
 * the number of actors; no allocation and no system call per step. */
#include <rehearse/world.h>

#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "bench.h"

/* ---- the raw loop ------------------------------------------------------------------------------------------------ */

struct raw_message {
    uint32_t to, kind;
    uint64_t value;
};
struct raw_world;
struct raw_actor {
    void (*handle)(struct raw_world *w, struct raw_actor *self, const struct raw_message *m);
    uint32_t id, head, tail, count;
    struct raw_message box[64];
};
struct raw_world {
    uint32_t actors, head, tail;
    uint32_t run_queue[256];
    struct raw_actor actor[128];
};

static inline void raw_send(struct raw_world *w, uint32_t to, uint64_t value)
{
    struct raw_actor *a = &w->actor[to];
    a->box[a->tail++ % 64] = (struct raw_message){ to, 1, value };
    w->run_queue[w->tail++ % 256] = to;
}

__attribute__((noinline)) static void raw_pass_on(struct raw_world *w, struct raw_actor *self,
                                                  const struct raw_message *m)
{
    self->count++;
    raw_send(w, (self->id + 1) % w->actors, m->value + 1);
}

static void raw_run(void *arg, long steps)
{
    struct raw_world *w = arg;
    while (steps--) {
        struct raw_actor *a = &w->actor[w->run_queue[w->head++ % 256]];
        struct raw_message m = a->box[a->head++ % 64];
        a->handle(w, a, &m);
    }
}

static double raw_ns(uint32_t actors)
{
    struct raw_world *w = calloc(1, sizeof *w);
    w->actors = actors;
    for (uint32_t i = 0; i < actors; i++) {
        w->actor[i].handle = raw_pass_on;
        w->actor[i].id = i;
    }
    raw_send(w, 0, 0);
    double ns = best_ns(9, 3000000, raw_run, w);
    free(w);
    return ns;
}

/* ---- the same in the controlled world ---------------------------------------------------------------------------- */

RH_MESSAGE(token, uint64_t value;);
RH_MESSAGE(introduce, rh_ref next;);
RH_ACTOR(node, rh_ref next; uint64_t count; char more[240];);
RH_HANDLER(node, introduce)
{
    state->next = msg->next;
}
RH_HANDLER(node, token)
{
    state->count++;
    rh_send(state->next, token, .value = msg->value + 1);
}
RH_BEHAVIOUR(node, running, introduce, token);

RH_ACTOR(small_node, rh_ref next; uint64_t count;);
RH_HANDLER(small_node, introduce)
{
    state->next = msg->next;
}
RH_HANDLER(small_node, token)
{
    state->count++;
    rh_send(state->next, token, .value = msg->value + 1);
}
RH_BEHAVIOUR(small_node, running, introduce, token);

RH_TEST(ring)
{
    rh_ref first = rh_nobody(), last = rh_nobody();
    for (int64_t i = 0; i < rh_param("actors", 2); i++) {
        rh_ref n = rh_param("small", 0) ? rh_spawn(small_node, .next = last) : rh_spawn(node, .next = last);
        if (i == 0)
            first = n;
        last = n;
    }
    rh_send(first, introduce, .next = last);
    rh_send(first, token);
}

RH_TEST(changed)
{
    for (int64_t i = 0; i < rh_param("actors", 8); i++)
        rh_send(rh_spawn(node), introduce);
}

static struct rh_world *world(const char *test, long actors, bool small, bool no_undo)
{
    static char number[16];
    static struct rh_param params[2];
    const struct rh_test *t = rh_test_first();
    char error[256];
    while (strcmp(t->name, test) != 0)
        t = t->next;
    snprintf(number, sizeof number, "%ld", actors);
    params[0] = (struct rh_param){ "actors", number };
    params[1] = (struct rh_param){ "small", small ? "1" : "0" };
    struct rh_semantics s = { .max_steps = 20000000, .max_bytes_per_actor = 1 << 16 };
    struct rh_world_options o = { .test = t, .semantics = &s, .params = params, .param_count = 2, .no_undo = no_undo };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    if (!w) {
        fprintf(stderr, "bench: %s\n", error);
        exit(3);
    }
    rh_world_begin(w);
    return w;
}

static void take_first(struct rh_world *w)
{
    uint32_t n;
    const struct rh_choice *c = rh_world_enabled(w, &n);
    rh_world_step(w, c);
}

/* Runs of 1,000 steps: what an exploration does. */
static void run_steps(void *arg, long steps)
{
    struct rh_world *w = arg;
    while (steps > 0) {
        rh_world_reset(w);
        for (int i = 0; i < 1000 && steps > 0; i++, steps--)
            take_first(w);
    }
}

static double step_ns(long actors, bool small)
{
    struct rh_world *w = world("ring", actors, small, false);
    double ns = best_ns(9, 1000000, run_steps, w);
    rh_world_free(w);
    return ns;
}

/* ---- going back -------------------------------------------------------------------------------------------------- */

static void step_and_undo(void *arg, long n)
{
    struct rh_world *w = arg;
    while (n--) {
        take_first(w);
        rh_world_undo(w);
    }
}

static void step_fingerprint_undo(void *arg, long n)
{
    struct rh_world *w = arg;
    while (n--) {
        take_first(w);
        rh_world_fingerprint(w);
        rh_world_undo(w);
    }
}

/* The wall clock: it is read without a system call, which would take longer than a reset. */
static double wall_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double reset_ns(void)
{
    struct rh_world *w = world("changed", 8, false, false);
    double best = 1e30;
    for (int round = 0; round < 20000; round++) {
        for (int i = 0; i < 8; i++)
            take_first(w);
        double from = wall_ns();
        rh_world_reset(w);
        double ns = wall_ns() - from;
        if (ns < best)
            best = ns;
    }
    rh_world_free(w);
    return best; /* with one look at the clock */
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

/* System calls of a child that takes `steps` steps, seen from outside. */
static long system_calls(long steps)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct rh_world *w = world("ring", 2, true, false);
        run_steps(w, 2000); /* pages are touched for the first time */
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        run_steps(w, steps);
        kill(getpid(), SIGKILL);
    }
    int status;
    long count = 0;
    waitpid(pid, &status, 0);
    if (!WIFSTOPPED(status))
        return -1;
    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD);
    for (int signal = 0;;) {
        if (ptrace(PTRACE_SYSCALL, pid, 0, signal) || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
            return count / 2;
        bool call = WSTOPSIG(status) == (SIGTRAP | 0x80);
        count += call;
        signal = call ? 0 : WSTOPSIG(status); /* the watchdog's tick */
    }
}

static void row(const char *what, double ns, double against, const char *goal)
{
    printf("%-44s %9.1f ns %8.2fx   %s\n", what, ns, ns / against, goal);
}

int main(void)
{
    double raw2 = raw_ns(2), raw100 = raw_ns(100);
    double two = step_ns(2, true), hundred = step_ns(100, true), big = step_ns(2, false);
    printf("%-44s %12s %9s   %s\n", "controlled step", "time", "to raw", "goal");
    row("raw loop, 2 actors", raw2, raw2, "");
    row("controlled, 2 actors of 16 bytes", two, raw2, "6x");
    row("controlled, 2 actors of 256 bytes", big, raw2, "6x");
    row("raw loop, ring of 100", raw100, raw100, "");
    row("controlled, ring of 100", hundred, raw100, "6x");
    printf("%-44s %9.1f M      goal 10 M\n\n", "steps a second, 2 actors of 16 bytes", 1e3 / two);

    printf("%-44s %9.1f ns   goal below 1,000 ns\n\n", "reset, 8 actors of 256 bytes all changed", reset_ns());

    double undo[3], print[3];
    const long sizes[] = { 10, 100, 1000 };
    for (int i = 0; i < 3; i++) {
        struct rh_world *w = world("ring", sizes[i], true, false);
        take_first(w);
        undo[i] = best_ns(9, 200000, step_and_undo, w);
        rh_world_fingerprint(w);
        print[i] = best_ns(9, 200000, step_fingerprint_undo, w);
        rh_world_free(w);
    }
    printf("%-44s %12s %12s %12s\n", "actors", "10", "100", "1,000");
    printf("%-44s %9.1f ns %9.1f ns %9.1f ns   goal: equal\n", "step and undo", undo[0], undo[1], undo[2]);
    printf("%-44s %9.1f ns %9.1f ns %9.1f ns   goal: equal\n\n", "step, fingerprint, undo", print[0], print[1],
           print[2]);

    struct rh_world *w = world("ring", 2, true, false);
    run_steps(w, 2000);
    long before = rh__alloc_live();
    run_steps(w, 100000);
    long allocated = rh__alloc_live() - before;
    rh_world_free(w);
    printf("%-44s %12ld   goal 0\n", "allocations in 100,000 steps", allocated);
    printf("%-44s %12ld   goal 0; the watchdog's tick returns 20 times a second\n", "system calls in 100,000 steps",
           system_calls(100000));
    return 0;
}
