/* What several workers cost and bring: the pool of processes (cluster/pool.h) against the engine in one process.
 *
 *     items       processor time with one worker, cut into items of 1,000 runs and by slices of time, against none
 *     --long      wall time of two workers against one, and their memory, on a space that takes one about a minute
 *
 *     pairs(5, 3)     5 receivers with 3 messages each, in that order: 15! / 3!^5 = 168,168,000 runs, one behaviour
 *     senders(10)     10! = 3,628,800 runs, all of them of other behaviours, which the agent has to count
 *
 * GOALS: an item below 100 us; slices of time within 5%, but for behaviours to be counted; two workers at least 1.8 times as fast on two idle processors;
 * memory of a worker flat. */
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

/* ---- measuring --------------------------------------------------------------------------------------------------------- */

struct figures {
    double cpu, wall;
    uint64_t runs, behaviours;
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

/* `workers` 0: the engine by itself. */
static struct figures explore(const char *test, const struct rh_param *params, size_t count,
                              struct rh__pool_options pool)
{
    char error[256] = "";
    const struct rh_test *t = rh_test_first();
    while (t && strcmp(t->name, test) != 0)
        t = t->next;
    struct rh_world_options options = { .test = t, .params = params, .param_count = count, .quiet = true };
    struct rh__limits limits = { .keep_going = true };
    double cpu = all_cpu_seconds(), wall = rh__now_seconds();
    struct rh_world *w = rh_world_new(&options, error, sizeof error);
    struct rh_exploration *x = w ? rh__exploration_new(w, "dfs", 1, &limits, error, sizeof error) : NULL;
    pool.world = &options;
    pool.explorer = "dfs";
    bool good = x && (pool.workers ? rh__pool_explore(x, &pool, error, sizeof error) == RH__POOL_DONE : rh__explore(x));
    if (!good || !x->exhausted) {
        printf("WRONG: %s was not explored: %s\n", test, error);
        exit(1);
    }
    struct figures f = { all_cpu_seconds() - cpu, rh__now_seconds() - wall, x->runs, x->behaviours };
    rh__exploration_free(x);
    rh_world_free(w);
    return f;
}

static struct figures best_of(int rounds, const char *test, const struct rh_param *params, size_t count,
                              struct rh__pool_options pool)
{
    struct figures best = explore(test, params, count, pool);
    for (int i = 1; i < rounds; i++) {
        struct figures f = explore(test, params, count, pool);
        best = f.cpu < best.cpu ? f : best;
    }
    return best;
}

/* ---- items ------------------------------------------------------------------------------------------------------------- */

static void compare(const char *test, const struct rh_param *params, size_t count, int rounds)
{
    enum { RUNS_PER_ITEM = 1000 };
    struct figures alone = best_of(rounds, test, params, count, (struct rh__pool_options){ 0 });
    struct figures slices = best_of(rounds, test, params, count, (struct rh__pool_options){ .workers = 1 });
    struct figures items =
        best_of(rounds, test, params, count, (struct rh__pool_options){ .workers = 1, .slice_runs = RUNS_PER_ITEM });
    if (alone.runs != slices.runs || alone.runs != items.runs || alone.behaviours != items.behaviours)
        printf("WRONG: %llu, %llu and %llu runs\n", (unsigned long long)alone.runs, (unsigned long long)slices.runs,
               (unsigned long long)items.runs);
    double per_item = (items.cpu - slices.cpu) / (double)(items.runs / RUNS_PER_ITEM);
    printf("%-8s %10llu %12llu %10.2f %12.2f %7.1f%% %14.1f\n", test, (unsigned long long)alone.runs,
           (unsigned long long)alone.behaviours, alone.cpu, slices.cpu, 100 * (slices.cpu / alone.cpu - 1),
           per_item * 1e6);
}

/* ---- --long ------------------------------------------------------------------------------------------------------------ */

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
    long *kb = !g->early_kb && x->runs >= g->early_runs ? &g->early_kb
               : !g->late_kb && x->runs >= g->late_runs ? &g->late_kb
                                                        : NULL;
    for (uint32_t i = 0; kb && i < x->workers; i++) {
        long child = kb_in("/proc/%d/task/%d/children", workers[i], "%ld");
        long pages = child ? kb_in("/proc/%d/statm", (pid_t)child, "%*s %ld") : 0;
        *kb = pages * 4 > *kb ? pages * 4 : *kb;
    }
}

static void measure_long(const struct rh_param *params)
{
    struct figures alone = explore("pairs", params, 2, (struct rh__pool_options){ 0 });
    struct figures one = explore("pairs", params, 2, (struct rh__pool_options){ .workers = 1 });
    struct gauge g = { one.runs / 50, one.runs / 50 * 49, 0, 0 };
    struct figures two =
        explore("pairs", params, 2, (struct rh__pool_options){ .workers = 2, .watch = look, .watch_arg = &g });
    if (one.runs != alone.runs || two.runs != alone.runs)
        printf("WRONG: %llu, %llu and %llu runs\n", (unsigned long long)alone.runs, (unsigned long long)one.runs,
               (unsigned long long)two.runs);
    printf("\npairs, %llu runs: %.1f s by the engine alone, %.1f s with one worker, %.1f s with two: %.2fx\n",
           (unsigned long long)alone.runs, alone.wall, one.wall, two.wall, one.wall / two.wall);
    printf("processor time: %.1f s, %.1f s, %.1f s; two workers had %.2f processors\n", alone.cpu, one.cpu, two.cpu,
           two.cpu / two.wall);
    printf("memory of a worker: %ld KB after %llu runs of all, %ld KB after %llu\n", g.early_kb,
           (unsigned long long)g.early_runs, g.late_kb, (unsigned long long)g.late_runs);
}

int main(int argc, char **argv)
{
    static const struct rh_param ten[] = { { "n", "10" } };
    static const struct rh_param few[] = { { "pairs", "4" }, { "messages", "3" } };
    static const struct rh_param middle[] = { { "pairs", "3" }, { "messages", "5" } };
    static const struct rh_param many[] = { { "pairs", "5" }, { "messages", "3" } };
    printf("%-8s %10s %12s %10s %12s %8s %14s\n", "", "runs", "behaviours", "cpu alone", "one worker", "more",
           "us per item");
    compare("pairs", few, 2, 5);
    compare("pairs", middle, 2, 5);
    compare("senders", ten, 1, 3);
    if (argc > 1 && strcmp(argv[1], "--long") == 0)
        measure_long(many);
    else
        printf("--long: the speed-up of two workers, on a space that takes one about a minute\n");
    return 0;
}
