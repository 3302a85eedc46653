/* The cost of exploring: dfs through the engine against a hand-written explorer of the same choices in the same
 * program.
 *
 *     senders(8)     8 senders, one receiver: 8! = 40,320 runs of 8 steps
 *     senders(10)    10! = 3,628,800 runs of 10 steps
 *     pingpong(15)   15 rounds in which two messages cross in any order: 2^15 = 32,768 runs of 46 steps
 *     start-up       a test program from its start to its end, with one run
 *     memory         of the exploring process after a hundred thousand and after ten million runs
 *
 * The hand-written explorer knows that handlers change 16 bytes and a queue, and undoes just that, or makes each run
 * again from the beginning; the faster of both counts.  It has no identities, models, records, checks or crashes.
 *
 * GOALS: within 8x; 500 thousand runs of ten steps a second; start-up below 10 ms; memory flat. */
#include <rehearse/explorer.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "explore/engine/engine.h"

enum { SHORT_RUNS = 100000, LONG_RUNS = 10000000 };

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

enum { RAW_CHANNELS = 16, RAW_ACTORS = 4, RAW_ROOM = 2, RAW_DEEPEST = 64 };

struct raw_message {
    uint8_t kind, value;
};
struct raw_actor {
    uint8_t bytes[16];
};
struct raw_world {
    uint32_t ready; /* channels that hold something */
    uint8_t length[RAW_CHANNELS];
    struct raw_message queue[RAW_CHANNELS][RAW_ROOM];
    struct raw_actor actor[RAW_ACTORS];
};
typedef void raw_handler(struct raw_actor *self, struct raw_message m);

static struct raw_world raw;
static raw_handler *raw_code[RAW_ACTORS];
static uint8_t raw_receiver[RAW_CHANNELS];
static uint32_t raw_channels, raw_rounds;
static uint64_t raw_runs, raw_steps;

static inline void raw_send(uint32_t channel, struct raw_message m)
{
    raw.queue[channel][raw.length[channel]++] = m;
    raw.ready |= 1u << channel;
}

static inline void raw_deliver(uint32_t channel)
{
    struct raw_message m = raw.queue[channel][0];
    raw.queue[channel][0] = raw.queue[channel][1];
    if (!--raw.length[channel])
        raw.ready &= ~(1u << channel);
    uint32_t to = raw_receiver[channel];
    raw_code[to](&raw.actor[to], m);
    raw_steps++;
}

__attribute__((noinline)) static void raw_receive(struct raw_actor *self, struct raw_message m)
{
    self->bytes[1 + self->bytes[0]++] = m.value;
}

__attribute__((noinline)) static void raw_ping(struct raw_actor *self, struct raw_message m)
{
    (void)m;
    if (self->bytes[0]++ < raw_rounds) {
        raw_send(0, (struct raw_message){ 1, 1 });
        raw_send(1, (struct raw_message){ 1, 2 });
    }
}

__attribute__((noinline)) static void raw_pong(struct raw_actor *self, struct raw_message m)
{
    self->bytes[1] = (uint8_t)(self->bytes[1] * 3 + m.value);
    if (++self->bytes[0] == 2) {
        self->bytes[0] = 0;
        raw_send(2, (struct raw_message){ 2, 0 });
    }
}

static void raw_begin_senders(uint32_t n)
{
    memset(&raw, 0, sizeof raw);
    raw_channels = n;
    raw_code[0] = raw_receive;
    for (uint32_t i = 0; i < n; i++) {
        raw_receiver[i] = 0;
        raw_send(i, (struct raw_message){ 1, (uint8_t)i });
    }
}

static void raw_begin_pingpong(uint32_t n)
{
    memset(&raw, 0, sizeof raw);
    raw_channels = 3;
    raw_rounds = n;
    raw_code[0] = raw_ping;
    raw_code[1] = raw_pong;
    raw_receiver[0] = raw_receiver[1] = 1;
    raw_receiver[2] = 0;
    raw_send(2, (struct raw_message){ 2, 0 });
}

/* Puts back what a step has changed: the actor, its channel, and what was sent. */
static void raw_explore_by_undo(void)
{
    uint32_t ready = raw.ready;
    if (!ready) {
        raw_runs++;
        return;
    }
    for (uint32_t left = ready; left; left &= left - 1) {
        uint32_t channel = (uint32_t)__builtin_ctz(left), to = raw_receiver[channel];
        struct raw_actor actor = raw.actor[to];
        struct raw_message queue[RAW_ROOM];
        uint8_t length[RAW_CHANNELS];
        memcpy(queue, raw.queue[channel], sizeof queue);
        memcpy(length, raw.length, sizeof length);
        raw_deliver(channel);
        raw_explore_by_undo();
        raw.actor[to] = actor;
        memcpy(raw.queue[channel], queue, sizeof queue);
        memcpy(raw.length, length, sizeof length);
        raw.ready = ready;
    }
}

static void raw_explore_by_replay(void)
{
    struct raw_world first = raw;
    uint8_t pick[RAW_DEEPEST], size[RAW_DEEPEST];
    for (uint32_t top = 0;;) {
        for (uint32_t depth = 0; raw.ready; depth++) {
            if (depth == top) {
                pick[top] = 0;
                size[top++] = (uint8_t)__builtin_popcount(raw.ready);
            }
            uint32_t bits = raw.ready;
            for (uint32_t k = pick[depth]; k; k--)
                bits &= bits - 1;
            raw_deliver((uint32_t)__builtin_ctz(bits));
        }
        raw_runs++;
        while (top && pick[top - 1] + 1 == size[top - 1])
            top--;
        if (!top)
            return;
        pick[top - 1]++;
        raw = first;
    }
}

struct raw_work {
    void (*begin)(uint32_t n), (*explore)(void);
    uint32_t n;
};

static void raw_work(void *arg, long operations)
{
    const struct raw_work *work = arg;
    (void)operations;
    raw_runs = raw_steps = 0;
    work->begin(work->n);
    work->explore();
}

/* ---- the same under test ----------------------------------------------------------------------------------------- */

RH_MESSAGE(hello, uint8_t from;);
RH_MESSAGE(ball, uint8_t value;);

RH_ACTOR(receiver, uint8_t bytes[16];);
RH_HANDLER(receiver, hello)
{
    state->bytes[1 + state->bytes[0]++] = msg->from;
}
RH_BEHAVIOUR(receiver, listening, hello);

RH_ACTOR(ping, uint8_t count; rh_ref pong; rh_ref left; rh_ref right; uint32_t rounds;);
RH_HANDLER(ping, ball)
{
    if (state->count++ < state->rounds) {
        rh_send_from(state->left, state->pong, ball, .value = 1);
        rh_send_from(state->right, state->pong, ball, .value = 2);
    }
}
RH_BEHAVIOUR(ping, playing, ball);

RH_ACTOR(pong, uint8_t count; uint8_t value;);
RH_HANDLER(pong, ball)
{
    state->value = (uint8_t)(state->value * 3 + msg->value);
    if (++state->count == 2) {
        state->count = 0;
        rh_send(rh_whereis("ping"), ball);
    }
}
RH_BEHAVIOUR(pong, playing, ball);

RH_TEST(senders)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };
    rh_ref r = rh_spawn(receiver);
    for (int64_t i = 0; i < rh_param("n", 8); i++)
        rh_send_from(rh_external(names[i]), r, hello, .from = (uint8_t)i);
}

RH_TEST(pingpong)
{
    rh_ref b = rh_spawn(pong);
    rh_ref a = rh_spawn(ping, .pong = b, .left = rh_external("left"), .right = rh_external("right"),
                        .rounds = (uint32_t)rh_param("n", 15));
    rh_register("ping", a);
    rh_send(a, ball);
}

/* ---- exploring --------------------------------------------------------------------------------------------------- */

struct figures {
    double seconds; /* of processor time */
    uint64_t runs, steps;
};

static double children_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static struct figures explore(const char *test, const char *n, const char *explorer, uint64_t max_runs)
{
    char error[256];
    struct rh_param params[] = { { "n", n } };
    const struct rh_test *t = rh_test_first();
    while (t && strcmp(t->name, test) != 0)
        t = t->next;
    struct rh_world_options o = { .test = t, .params = params, .param_count = 1, .quiet = true };
    struct rh__limits limits = { .max_runs = max_runs };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    struct rh_exploration *x = w ? rh__exploration_new(w, explorer, 1, &limits, error, sizeof error) : NULL;
    if (!x) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    double from = children_seconds();
    if (!rh__explore(x) || x->results->finding_count) {
        fprintf(stderr, "%s: %s\n", test,
                x->results->finding_count ? x->results->findings[0].outcome.text : "the tool failed");
        exit(1);
    }
    struct figures f = { children_seconds() - from, x->results->count.runs, rh_world_count(w).steps };
    rh__exploration_free(x);
    rh_world_free(w);
    return f;
}

static void compare(const char *test, void (*begin)(uint32_t n), uint32_t n, int rounds)
{
    char text[16];
    struct raw_work undo = { begin, raw_explore_by_undo, n }, replay = { begin, raw_explore_by_replay, n };
    double by_undo = best_ns(rounds, 1, raw_work, &undo) * 1e-9;
    double by_replay = best_ns(rounds, 1, raw_work, &replay) * 1e-9;
    uint64_t runs = raw_runs;
    snprintf(text, sizeof text, "%u", n);
    struct figures best = explore(test, text, "dfs", 0);
    for (int i = 1; i < rounds; i++) {
        struct figures f = explore(test, text, "dfs", 0);
        if (f.seconds < best.seconds)
            best = f;
    }
    if (best.runs != runs)
        printf("WRONG: %s(%u) has %llu runs by hand and %llu under test\n", test, n, (unsigned long long)runs,
               (unsigned long long)best.runs);
    printf("%-8s(%2u) %9llu %10.2f %7.1fx %12.2f %7.1fx %12.3f %9.1f %9.0f\n", test, n, (unsigned long long)runs,
           (double)runs / by_replay * 1e-6, best.seconds / by_replay, (double)runs / by_undo * 1e-6,
           best.seconds / by_undo, (double)best.runs / best.seconds * 1e-6, (double)best.steps / best.seconds * 1e-6,
           best.seconds / (double)best.steps * 1e9);
}

/* ---- start-up ---------------------------------------------------------------------------------------------------- */

static double wall_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure_start_up(void)
{
    double best = 1e9;
    for (int i = 0; i < 30; i++) {
        int status;
        double from = wall_seconds();
        pid_t pid = fork();
        if (pid == 0) {
            int fd = open("/dev/null", O_WRONLY);
            dup2(fd, STDOUT_FILENO);
            execl("/proc/self/exe", "explore", "test", "senders", "-p", "n=1", "--max-runs", "1", "--save", "",
                  (char *)NULL);
            _exit(127);
        }
        waitpid(pid, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            printf("start-up: the program ended with status %d\n", status);
            return;
        }
        double seconds = wall_seconds() - from;
        best = seconds < best ? seconds : best;
    }
    printf("start-up: %.1f ms from fork to exit, with the determinism check and one run (goal: below 10)\n",
           best * 1e3);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static struct gauge_marks {
    long early_kb, late_kb;
} * marks;

static long resident_kb(void)
{
    char text[128];
    long pages = 0;
    int fd = open("/proc/self/statm", O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (n > 0) {
        text[n] = 0;
        sscanf(text, "%*s %ld", &pages);
    }
    close(fd);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void gauge_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    (void)state, (void)w;
    if (run->number == SHORT_RUNS)
        marks->early_kb = resident_kb();
    if (run->number == LONG_RUNS)
        marks->late_kb = resident_kb();
}
static const struct rh_explorer gauge = {
    .name = "gauge",
    .state_size = sizeof(struct rh_inner),
    .arguments = rh_only_arguments,
    .decorator = &rh_only_decorator,
    .open = rh_only_open,
    .end = gauge_end,
};
RH_EXPLORER(gauge)

static void measure_memory(void)
{
    marks = rh_shared_new(sizeof *marks);
    if (!marks)
        return;
    struct figures f = explore("senders", "4", "gauge:random", LONG_RUNS);
    printf("memory: %ld KB after %d runs, %ld KB after %d (random, %.2f M runs/s)\n", marks->early_kb, (int)SHORT_RUNS,
           marks->late_kb, (int)LONG_RUNS, (double)f.runs / f.seconds * 1e-6);
    rh_shared_free(marks, sizeof *marks);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return rh_main(argc, argv); /* started by measure_start_up */
    printf("%-12s %9s %19s %21s %12s %9s %9s\n", "dfs", "runs", "by hand, replay", "by hand, undo", "ours", "", "");
    printf("%-12s %9s %10s %8s %12s %8s %12s %9s %9s\n", "", "", "M runs/s", "ratio", "M runs/s", "ratio", "M runs/s",
           "M steps/s", "ns/step");
    compare("senders", raw_begin_senders, 8, 5);
    compare("senders", raw_begin_senders, 10, 2);
    compare("pingpong", raw_begin_pingpong, 15, 5);
    measure_start_up();
    measure_memory();
    return 0;
}
