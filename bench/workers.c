/* The cost and gain of several workers: the pool of processes (cluster/pool.h) against the engine in one process.
 *
 *     items       processor time with one worker, with items of 1,000 runs (100 of optimal) and slices of time, against
 *                 the engine alone
 *     speed-up    wall time of two workers against one, and their memory; with --long on spaces that take one worker
 *                 about a minute
 *
 *     pairs(p, m)      dfs: p receivers with m messages each, in that order: (p m)! / m!^p runs, one distinct run
 *     senders(n)       n! runs, all distinct, which the agent has to count
 *     clients(c, r)    c clients make r requests of a server, one at a time: (c r)! / r!^c distinct runs
 *
 * On a busy machine wall time says little: two workers that share one processor are no faster.  "if idle" is the most
 * that two processors of their own would gain, computed from the processor time.
 *
 * An item of optimal is the graph with what is untried in it; the worker that continues it makes its steps again.
 *
 * GOALS: an item below 100 us; slices of time within 5%, except for counting distinct runs; two workers at least 1.8
 * times as fast on two idle processors; memory of a worker flat. */
#include <rehearse/explorer.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "cluster/pool.h"

RH_MESSAGE(hello, uint8_t from;);
RH_ACTOR(receiver, uint8_t bytes[64];);
RH_HANDLER(receiver, hello)
{
    state->bytes[1 + state->bytes[0]++ % 63] = msg->from;
}
RH_BEHAVIOUR(receiver, listening, hello);

RH_TEST(senders)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };
    rh_ref r = rh_spawn(receiver);
    for (int64_t i = 0; i < rh_param("n", 10); i++)
        rh_send_from(rh_external(names[i]), r, hello, .from = (uint8_t)i);
}

RH_TEST(pairs)
{
    for (int64_t i = 0; i < rh_param("pairs", 4); i++) {
        rh_ref r = rh_spawn(receiver);
        for (int64_t k = 0; k < rh_param("messages", 4); k++)
            rh_send(r, hello, .from = (uint8_t)k);
    }
}

RH_MESSAGE(request, uint8_t client;);
RH_MESSAGE(answer);
RH_ACTOR(server, uint8_t count; uint8_t order[31];);
RH_HANDLER(server, request)
{
    state->order[state->count++ % 31] = msg->client;
    rh_reply(answer);
}
RH_BEHAVIOUR(server, serving, request);

RH_ACTOR(client, rh_ref server; uint8_t number; uint8_t left;);
RH_HANDLER(client, answer)
{
    if (state->left--)
        rh_send(state->server, request, .client = state->number);
}
RH_BEHAVIOUR(client, asking, answer);

RH_TEST(clients)
{
    rh_ref s = rh_spawn(server);
    for (int64_t i = 0; i < rh_param("clients", 4); i++) {
        rh_ref c = rh_spawn(client, .server = s, .number = (uint8_t)i, .left = (uint8_t)rh_param("requests", 2));
        rh_send(c, answer); /* for the first one */
    }
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

struct figures {
    double cpu, wall;
    uint64_t runs, distinct;
};

static double all_cpu_seconds(void)
{
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
           1e-6 * (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + children.ru_utime.tv_usec +
                           children.ru_stime.tv_usec);
}

struct subject {
    const char *explorer, *test, *values;
    struct rh_param params[2];
    size_t count;
};

/* `workers` 0: the engine alone. */
static struct figures explore(const struct subject *s, struct rh__pool_options pool)
{
    char error[256] = "";
    const struct rh_test *t = rh_test_first();
    while (t && strcmp(t->name, s->test) != 0)
        t = t->next;
    if (!t)
        exit(1);
    struct rh_semantics semantics = t->semantics;
    if (strcmp(s->explorer, "optimal") == 0)
        semantics.granularity = RH_GRAIN_OBJECT;
    struct rh_world_options options = {
        .test = t, .semantics = &semantics, .params = s->params, .param_count = s->count, .quiet = true
    };
    struct rh__limits limits = { .keep_going = true };
    double cpu = all_cpu_seconds(), wall = rh__now_seconds();
    struct rh_world *w = rh_world_new(&options, error, sizeof error);
    struct rh_exploration *x = w ? rh__exploration_new(w, s->explorer, 1, &limits, error, sizeof error) : NULL;
    pool.world = &options;
    pool.explorer = s->explorer;
    bool good = x && (pool.workers ? rh__pool_explore(x, &pool, error, sizeof error) == RH__POOL_DONE : rh__explore(x));
    if (!good || !x->end.exhausted) {
        printf("WRONG: %s was not explored: %s\n", s->test, error);
        exit(1);
    }
    struct figures f = { all_cpu_seconds() - cpu, rh__now_seconds() - wall, x->results->count.runs,
                         x->results->distinct.count };
    rh__exploration_free(x);
    rh_world_free(w);
    return f;
}

static struct figures best_of(int rounds, const struct subject *s, struct rh__pool_options pool)
{
    struct figures best = explore(s, pool);
    for (int i = 1; i < rounds; i++) {
        struct figures f = explore(s, pool);
        best = f.cpu < best.cpu ? f : best;
    }
    return best;
}

static const char *name_of(const struct subject *s)
{
    static char name[64];
    snprintf(name, sizeof name, "%s %s(%s)", s->explorer, s->test, s->values);
    return name;
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

static void compare(const struct subject *s, int rounds)
{
    uint64_t per_item = strcmp(s->explorer, "optimal") == 0 ? 100 : 1000; /* its runs are longer */
    struct figures alone = best_of(rounds, s, (struct rh__pool_options){ 0 });
    struct figures slices = best_of(rounds, s, (struct rh__pool_options){ .workers = 1 });
    struct figures items = best_of(rounds, s, (struct rh__pool_options){ .workers = 1, .slice_runs = per_item });
    if (alone.runs != slices.runs || alone.runs != items.runs || alone.distinct != items.distinct)
        printf("WRONG: %llu, %llu and %llu runs\n", (unsigned long long)alone.runs, (unsigned long long)slices.runs,
               (unsigned long long)items.runs);
    double item = (items.cpu - slices.cpu) / (double)(items.runs / per_item);
    printf("%-22s %10llu %12llu %10.2f %12.2f %7.1f%% %14.1f\n", name_of(s), (unsigned long long)alone.runs,
           (unsigned long long)alone.distinct, alone.cpu, slices.cpu, 100 * (slices.cpu / alone.cpu - 1), item * 1e6);
}

/* ---- speed-up ---------------------------------------------------------------------------------------------------- */

struct gauge {
    uint64_t early_runs, late_runs; /* when to look */
    long early_kb, late_kb;         /* the largest of the workers' exploring processes */
};

static long kb_in(const char *folder, pid_t pid, const char *format)
{
    char path[64];
    long pages = 0;
    snprintf(path, sizeof path, folder, (int)pid, (int)pid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, format, &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages;
}

static void look(void *arg, struct rh_exploration *x, const pid_t *workers)
{
    struct gauge *g = arg;
    long *kb = !g->early_kb && x->results->count.runs >= g->early_runs ? &g->early_kb
               : !g->late_kb && x->results->count.runs >= g->late_runs ? &g->late_kb
                                                                       : NULL;
    for (uint32_t i = 0; kb && i < x->workers; i++) {
        long child = kb_in("/proc/%d/task/%d/children", workers[i], "%ld");
        long pages = child ? kb_in("/proc/%d/statm", (pid_t)child, "%*s %ld") : 0;
        *kb = pages * 4 > *kb ? pages * 4 : *kb;
    }
}

static void measure_speed_up(const struct subject *s)
{
    struct figures one = explore(s, (struct rh__pool_options){ .workers = 1 });
    struct gauge g = { one.runs / 50, one.runs / 50 * 49, 0, 0 };
    struct figures two = explore(s, (struct rh__pool_options){ .workers = 2, .watch = look, .watch_arg = &g });
    if (two.runs != one.runs)
        printf("WRONG: %llu and %llu runs\n", (unsigned long long)one.runs, (unsigned long long)two.runs);
    printf("%-22s %11llu %7.1f %7.1f %7.2fx %7.1f %7.1f %10.2f %7.2fx %8ld %8ld\n", name_of(s),
           (unsigned long long)one.runs, one.wall, two.wall, one.wall / two.wall, one.cpu, two.cpu, two.cpu / two.wall,
           2 * one.cpu / two.cpu, g.early_kb, g.late_kb);
}

#define PAIRS(p, m)                                                                                                    \
    {                                                                                                                  \
        "dfs", "pairs", #p ", " #m, { { "pairs", #p }, { "messages", #m } }, 2                                         \
    }
#define SENDERS(explorer, n)                                                                                           \
    {                                                                                                                  \
        explorer, "senders", #n, { { "n", #n } }, 1                                                                    \
    }
#define CLIENTS(c, r)                                                                                                  \
    {                                                                                                                  \
        "optimal", "clients", #c ", " #r, { { "clients", #c }, { "requests", #r } }, 2                                 \
    }

int main(int argc, char **argv)
{
    static const struct subject cut[] = { PAIRS(4, 3), PAIRS(3, 5), SENDERS("dfs", 10), SENDERS("optimal", 9),
                                          CLIENTS(5, 2) };
    static const struct subject quick[] = { PAIRS(3, 6), CLIENTS(3, 5) }, slow[] = { PAIRS(5, 3), CLIENTS(3, 6) };
    bool at_length = argc > 1 && strcmp(argv[1], "--long") == 0;
    printf("%-22s %10s %12s %10s %12s %8s %14s\n", "", "runs", "distinct", "cpu alone", "one worker", "more",
           "us per item");
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
        compare(&cut[i], 3);
    printf("\n%-22s %11s %15s %8s %15s %10s %8s %17s\n", "", "", "wall s", "", "cpu s", "processors", "",
           "KB of a worker");
    printf("%-22s %11s %7s %7s %8s %7s %7s %10s %8s %8s %8s\n", "", "runs", "one", "two", "speed-up", "one", "two",
           "two had", "if idle", "at 2 %", "at 98 %");
    for (size_t i = 0; i < 2; i++)
        measure_speed_up(at_length ? &slow[i] : &quick[i]);
    if (!at_length)
        printf("--long: the same on spaces that take one worker about a minute\n");
    return 0;
}
