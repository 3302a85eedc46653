/* Scale on paper: how fast one exploration on a Redis server would be with 1 to 10,000 workers, by a simulation of
 * discrete events.  The costs of the server are measured, the others are assumed.  Nothing here explores anything.
 *
 *     cluster [NAME=VALUE...] [WORKERS...]     --help lists the names; --check compares with closed forms
 *
 * What is simulated, as in src/cluster and src/link:
 *
 *   item     the rest of a tree, as so much work.  A worker takes `item` to begin it, explores for one slice, and hands
 *            back the rest.  The rest is one item, or parts of very different size while few items wait.
 *   slice    dispatch.c: max(20 ms, workers * 55 us / 0.4, workers of the agent * what a commit takes / 0.4), an
 *            eighth of it while few items wait
 *   agent    one of each machine; it does one thing at a time, and waits for each answer of the server
 *   server   one core, one operation after the other: commit with the next item, or a fetch.  Idle agents ask again
 *            after 2 to 100 ms.
 *   network  latency, and the one link of the server, each direction for itself
 *   explorer takes the results (snapshots, linked.c); while 50,000 wait, the server hands out nothing
 *
 * The search does not end: like [Eta 2011, 6.3] this is the work done in a fixed time, beginning with one item,
 * against one process without a server.  Steady is the second half of that time, where ramping up is over.
 *
 * The limit is what stands in the way of linear growth: a resource that is busy for more than 95 % of the time, the
 * explorer if results had to wait for it, agents that do something or wait for an answer for more than 80 %, or the
 * larger part of what workers lose: `slices` (beginning items, waiting for the answer), `work` (no item waits). */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COSTS(X)                                                                                                       \
    X(commit, 55, "us of the server for a commit that fetches the next item")                                          \
    X(fetch, 30, "us of the server for a fetch")                                                                       \
    X(add, 3, "us of the server for each further item of a commit")                                                    \
    X(agent, 20, "us of an agent and its link for a commit")                                                           \
    X(item, 60, "us of a worker to begin an item: read it, make its prefix, write the rest")                           \
    X(explorer, 10, "us of the explorer to add up one result")                                                         \
    X(snapshot, 1, "us of the server for each item and result of a snapshot")                                          \
    X(pause, 250, "ms, the least time between two snapshots")                                                          \
    X(hurry, 10000, "results that wait (4 MiB) for which a snapshot comes at once (0: for none)")                      \
    X(bytes, 600, "bytes of an item or a result")                                                                      \
    X(latency, 100, "us one way")                                                                                      \
    X(gbit, 1, "Gbit/s of the link of the server")                                                                     \
    X(machine, 16, "workers of one agent")                                                                             \
    X(parts, 16, "most parts that the rest of an item is cut into")                                                    \
    X(slice, 20, "ms, the shortest slice while enough items wait")                                                     \
    X(share, 0.4, "share of the server's time for which slices grow")                                                  \
    X(assumed, 55, "us of a commit as slices assume it")                                                               \
    X(own, 0.4, "share of an agent's time for commits for which its slices grow (0: they do not)")                     \
    X(seconds, 600, "simulated")

struct costs {
#define X(name, value, text) double name;
    COSTS(X)
#undef X
};

enum { ITEMS_PER_WORKER = 2, MOST_PARTS = 1024, MOST_BACKLOG = 50000, MOST_WORKERS = 1000000 };

struct event {
    double at;
    enum { FINISH, SEND, ARRIVE, ANSWER, POLL, SNAPSHOT } kind;
    uint32_t who; /* a worker of FINISH, else an agent */
};

struct worker {
    double work, slice; /* the item it has, and how much of it in this slice */
    double since;       /* when it began to wait, for an answer or for an item */
    bool starved;       /* ... for an item */
    uint32_t parts;     /* to cut the rest into */
    uint32_t next;      /* of the agent's line of finished or idle workers; UINT32_MAX: the last */
};

struct agent {
    uint32_t first, last;      /* finished workers in a line */
    uint32_t idle, idle_count; /* workers without an item */
    uint32_t now;              /* the worker whose commit is under way; UINT32_MAX: a fetch */
    bool busy, polling;
    double pause, got; /* got: the item that the answer brings, 0: none */
    double since;      /* when it began what it does */
};

struct simulation {
    struct costs c;
    uint32_t n, agents;
    struct worker *worker;
    struct agent *agent;
    struct event *heap;
    size_t heap_count, heap_room;
    double *item; /* a ring: items that wait */
    size_t item_first, item_count, item_room;
    double now, server_free, in_free, out_free, explorer_free;
    double next_snapshot;
    uint64_t random, commits, polls, backlog, refused;
    /* in the second half: */
    double work, all_work, server, in, out, explorer, busy, begins, waits, starved;
};

struct outcome {
    double speed, steady, server, network, explorer, agents, begins, waits, starved, commits, slice;
    const char *limit;
};

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static double chance(struct simulation *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (double)(s->random >> 11) / 9007199254740992.0;
}

static void *grown(void *at, size_t size)
{
    void *new = realloc(at, size);
    if (!new) {
        fprintf(stderr, "cluster: no memory\n");
        exit(1);
    }
    return new;
}

static void later(struct simulation *s, double at, int kind, uint32_t who)
{
    if (s->heap_count == s->heap_room) {
        s->heap_room = s->heap_room * 2 + 1024;
        s->heap = grown(s->heap, s->heap_room * sizeof *s->heap);
    }
    size_t i = s->heap_count++;
    for (; i && s->heap[(i - 1) / 2].at > at; i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = (struct event){ at, (unsigned)kind, who };
}

static struct event soonest(struct simulation *s)
{
    struct event top = s->heap[0], last = s->heap[--s->heap_count];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < s->heap_count) {
        child += child + 1 < s->heap_count && s->heap[child + 1].at < s->heap[child].at;
        if (s->heap[child].at >= last.at)
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = last;
    return top;
}

static void put_item(struct simulation *s, double work)
{
    if (s->item_count == s->item_room) {
        size_t room = s->item_room * 2 + 1024;
        double *items = grown(NULL, room * sizeof *items);
        for (size_t i = 0; i < s->item_count; i++)
            items[i] = s->item[(s->item_first + i) % s->item_room];
        free(s->item);
        s->item = items;
        s->item_room = room;
        s->item_first = 0;
    }
    s->item[(s->item_first + s->item_count++) % s->item_room] = work;
}

static double take_item(struct simulation *s)
{
    if (!s->item_count)
        return 0;
    if (s->backlog > MOST_BACKLOG) {
        s->refused++;
        return 0;
    }
    double work = s->item[s->item_first];
    s->item_first = (s->item_first + 1) % s->item_room;
    s->item_count--;
    return work;
}

/* Uses a resource that does one thing at a time; adds to `sum` what falls into the second half.  Returns the end. */
static double use(struct simulation *s, double *free_at, double from, double seconds, double *sum)
{
    double begin = from > *free_at ? from : *free_at;
    *free_at = begin + seconds;
    double half = s->c.seconds / 2, counted = fmin(*free_at, s->c.seconds) - fmax(begin, half);
    *sum += counted > 0 ? counted : 0;
    return *free_at;
}

static void count(const struct simulation *s, double *sum, double from, double to)
{
    double counted = fmin(to, s->c.seconds) - fmax(from, s->c.seconds / 2);
    *sum += counted > 0 ? counted : 0;
}

/* Seconds that so many items take on the link of the server. */
static double transfer(const struct simulation *s, double items)
{
    return items * s->c.bytes * 8 / (s->c.gbit * 1e9);
}

/* ---- what happens ------------------------------------------------------------------------------------------------ */

/* What a commit takes, seen by an agent with nobody else on the server. */
static double commit_seconds(const struct costs *c)
{
    return (c->agent + c->commit + 2 * c->latency) * 1e-6 + 3 * c->bytes * 8 / (c->gbit * 1e9);
}

static double slice_of(const struct costs *c, uint32_t workers)
{
    double own = c->own > 0 ? fmin(workers, c->machine) * commit_seconds(c) / c->own : 0;
    return fmax(fmax(c->slice * 1e-3, fmin(own, 1)), workers * c->assumed * 1e-6 / c->share);
}

static void begin(struct simulation *s, uint32_t w, double work)
{
    struct worker *k = &s->worker[w];
    bool few = s->n > 1 && s->item_count < s->n;
    double most = slice_of(&s->c, s->n);
    most = few ? fmax(most / 8, 0.002) : most;
    count(s, k->starved ? &s->starved : &s->waits, k->since, s->now);
    k->starved = false;
    k->work = work;
    k->slice = fmin(work, most);
    k->parts = few ? (uint32_t)fmin((double)ITEMS_PER_WORKER * s->n - (double)s->item_count, MOST_PARTS) : 0;
    double from = s->now + s->c.item * 1e-6;
    count(s, &s->begins, s->now, from);
    count(s, &s->work, from, from + k->slice);
    s->all_work += fmax(0, fmin(from + k->slice, s->c.seconds) - from);
    later(s, from + k->slice, FINISH, w);
}

static void send_next(struct simulation *s, uint32_t a)
{
    struct agent *g = &s->agent[a];
    if (g->busy)
        return;
    if (g->first != UINT32_MAX) {
        g->now = g->first;
        g->first = s->worker[g->first].next;
        g->busy = true;
        g->since = s->now;
        later(s, s->now + s->c.agent * 1e-6, SEND, a);
    } else if (g->idle_count && g->pause == 0) {
        g->now = UINT32_MAX;
        g->busy = true;
        g->since = s->now;
        later(s, s->now + s->c.agent * 1e-6, SEND, a);
    } else if (g->idle_count && !g->polling) {
        g->polling = true;
        later(s, s->now + g->pause * (0.5 + chance(s)), POLL, a);
    }
}

static void finish(struct simulation *s, uint32_t w)
{
    uint32_t a = w / (uint32_t)s->c.machine;
    struct agent *g = &s->agent[a];
    s->worker[w].since = s->now;
    s->worker[w].next = UINT32_MAX;
    if (g->first == UINT32_MAX)
        g->first = w;
    else
        s->worker[g->last].next = w;
    g->last = w;
    send_next(s, a);
}

/* Parts of very different size: the cube of a random number of exponential distribution. */
static uint32_t put_rest(struct simulation *s, const struct worker *k)
{
    double rest = k->work - k->slice, share[MOST_PARTS], sum = 0;
    uint32_t most = (uint32_t)s->c.parts, parts = k->parts < most ? k->parts : most;
    if (rest <= 1e-6)
        return 0;
    if (parts < 2) {
        put_item(s, rest);
        return 1;
    }
    for (uint32_t i = 0; i < parts; i++)
        sum += share[i] = pow(-log(1 - chance(s)), 3);
    for (uint32_t i = 0; i < parts; i++)
        put_item(s, rest * share[i] / sum);
    return parts;
}

/* Results and all items go to the explorer; between two of them at least 20 times as long as one took. */
static void snapshot(struct simulation *s)
{
    double things = (double)s->backlog + (double)s->item_count;
    double done = use(s, &s->server_free, s->now, things * s->c.snapshot * 1e-6, &s->server);
    double out = use(s, &s->out_free, done, transfer(s, things), &s->out) + s->c.latency * 1e-6;
    double end = use(s, &s->explorer_free, out, (double)s->backlog * s->c.explorer * 1e-6, &s->explorer);
    s->backlog = 0;
    s->next_snapshot = end + fmax(s->c.pause * 1e-3, (end - s->now) * 20);
    later(s, s->next_snapshot, SNAPSHOT, 0);
}

static void arrive(struct simulation *s, uint32_t a)
{
    struct agent *g = &s->agent[a];
    double cost = s->c.fetch;
    if (g->now != UINT32_MAX) {
        uint32_t added = put_rest(s, &s->worker[g->now]);
        cost = s->c.commit + s->c.add * (added ? added - 1 : 0);
        s->commits++;
        s->backlog++;
    } else {
        s->polls++;
    }
    if (s->c.hurry > 0 && (double)s->backlog > s->c.hurry && s->explorer_free <= s->now)
        snapshot(s);
    g->got = take_item(s);
    double done = use(s, &s->server_free, s->now, cost * 1e-6, &s->server);
    double out = use(s, &s->out_free, done, transfer(s, g->got > 0 ? 1 : 0.2), &s->out);
    later(s, out + s->c.latency * 1e-6, ANSWER, a);
}

static void answer(struct simulation *s, uint32_t a)
{
    struct agent *g = &s->agent[a];
    uint32_t w = g->now;
    g->busy = false;
    count(s, &s->busy, g->since, s->now);
    if (g->got > 0) {
        if (w == UINT32_MAX) {
            w = g->idle;
            g->idle = s->worker[w].next;
            g->idle_count--;
        }
        g->pause = 0;
        begin(s, w, g->got);
    } else {
        if (w != UINT32_MAX) {
            count(s, &s->waits, s->worker[w].since, s->now);
            s->worker[w].since = s->now;
            s->worker[w].starved = true;
            s->worker[w].next = g->idle;
            g->idle = w;
            g->idle_count++;
        }
        g->pause = fmin(fmax(g->pause * 2, 0.002), 0.1);
    }
    send_next(s, a);
}

/* ---- one simulation ---------------------------------------------------------------------------------------------- */

static void happen(struct simulation *s, const struct event *e)
{
    struct agent *g = &s->agent[e->who];
    switch (e->kind) {
    case FINISH:
        finish(s, e->who);
        break;
    case SEND: {
        uint32_t items = g->now == UINT32_MAX ? 0 : 1 + (s->worker[g->now].parts ? (uint32_t)s->c.parts : 1);
        double in = use(s, &s->in_free, s->now, transfer(s, items ? items : 0.2), &s->in);
        later(s, in + s->c.latency * 1e-6, ARRIVE, e->who);
        break;
    }
    case ARRIVE:
        arrive(s, e->who);
        break;
    case ANSWER:
        answer(s, e->who);
        break;
    case POLL:
        g->polling = false;
        if (!g->busy && g->first == UINT32_MAX && g->idle_count) {
            g->now = UINT32_MAX;
            g->busy = true;
            g->since = s->now;
            later(s, s->now + s->c.agent * 1e-6, SEND, e->who);
        }
        break;
    case SNAPSHOT:
        if (s->now >= s->next_snapshot) /* else there was one in between */
            snapshot(s);
        break;
    }
}

static const char *limit_of(const struct outcome *o, uint32_t n, bool refused)
{
    if (refused)
        return "explorer";
    if (o->server > 0.95)
        return "server core";
    if (o->network > 0.95)
        return "network";
    if (o->explorer > 0.95)
        return "explorer";
    if (o->steady > 0.98 * n)
        return "none";
    if (o->agents > 0.8)
        return "agents";
    return o->starved > o->begins + o->waits ? "work" : "slices";
}

static struct outcome simulate(const struct costs *c, uint32_t n)
{
    uint32_t agents = (n + (uint32_t)c->machine - 1) / (uint32_t)c->machine;
    struct simulation s = { .c = *c, .n = n, .agents = agents, .random = 88172645463325252u };
    s.worker = grown(NULL, n * sizeof *s.worker);
    s.agent = grown(NULL, agents * sizeof *s.agent);
    for (uint32_t i = 0; i < n; i++)
        s.worker[i] = (struct worker){ .starved = true, .next = UINT32_MAX };
    for (uint32_t a = 0; a < agents; a++) {
        s.agent[a] = (struct agent){ .first = UINT32_MAX, .idle = UINT32_MAX };
        for (uint32_t w = a * (uint32_t)c->machine; w < n && w < (a + 1) * (uint32_t)c->machine; w++) {
            s.worker[w].next = s.agent[a].idle;
            s.agent[a].idle = w;
            s.agent[a].idle_count++;
        }
        later(&s, chance(&s) * 0.005, POLL, a);
        s.agent[a].polling = true;
    }
    put_item(&s, n * c->seconds * 3); /* more than they can do */
    s.next_snapshot = c->pause * 1e-3;
    later(&s, s.next_snapshot, SNAPSHOT, 0);
    while (s.heap_count) {
        struct event e = soonest(&s);
        if (e.at > c->seconds)
            break;
        s.now = e.at;
        happen(&s, &e);
    }
    double half = c->seconds / 2, all = n * half;
    for (uint32_t w = 0; w < n; w++) /* those that wait at the end */
        if (s.worker[w].starved)
            count(&s, &s.starved, s.worker[w].since, c->seconds);
    struct outcome o = { .speed = s.all_work / c->seconds,
                         .steady = s.work / half,
                         .server = s.server / half,
                         .network = fmax(s.in, s.out) / half,
                         .explorer = s.explorer / half,
                         .agents = s.busy / half / agents,
                         .begins = s.begins / all,
                         .waits = s.waits / all,
                         .starved = s.starved / all,
                         .commits = (double)s.commits / c->seconds,
                         .slice = slice_of(c, n) };
    o.limit = limit_of(&o, n, s.refused > 0);
    free(s.worker);
    free(s.agent);
    free(s.heap);
    free(s.item);
    return o;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* [Eta 2011, Figure 6] as a closed form: a worker thinks for Z, then the master is busy for S with its report.  The
 * paper gives the largest gain, 17.5x, reached at 24 workers: so Z / S is 17.5.  Its other points are only drawn. */
static double eta(uint32_t n)
{
    const double most = 17.5, alone = n / (1 + 1 / most);
    return alone < most ? alone : most;
}

static void print_costs(const struct costs *c)
{
#define X(name, value, text) printf("  %-9s %8g  %s\n", #name, c->name, text);
    COSTS(X)
#undef X
}

static void table(const struct costs *c, const uint32_t *workers, size_t count)
{
    printf("%8s | %9s %9s %7s | %9s %7s %7s %7s %7s | %8s %8s %8s | %-12s | %s\n", "workers", "x in all", "x steady",
           "each", "commits/s", "server", "network", "explor.", "agents", "to begin", "waiting", "no item", "limit",
           "Eta 2011, fitted");
    for (size_t i = 0; i < count; i++) {
        uint32_t n = workers[i];
        struct outcome o = simulate(c, n);
        printf("%8u | %9.1f %9.1f %6.1f%% | %9.0f %6.1f%% %6.1f%% %6.1f%% %6.1f%% | %7.2f%% %7.2f%% %7.2f%% | %-12s | ",
               n, o.speed, o.steady, 100 * o.steady / n, o.commits, 100 * o.server, 100 * o.network, 100 * o.explorer,
               100 * o.agents, 100 * o.begins, 100 * o.waits, 100 * o.starved, o.limit);
        if (n <= 40)
            printf("%.1f\n", eta(n));
        else
            printf("-\n");
        fflush(stdout);
    }
}

/* ---- the simulation against closed forms ------------------------------------------------------------------------- */

static bool good = true;

static void compare(const char *what, double got, double expected, double off)
{
    bool fine = fabs(got - expected) <= off * fabs(expected);
    printf("%s %-58s %10.4f, by hand %10.4f\n", fine ? "ok    " : "WRONG ", what, got, expected);
    good &= fine;
}

static struct costs measured(void)
{
    struct costs c;
#define X(name, value, text) c.name = value;
    COSTS(X)
#undef X
    return c;
}

static int check(void)
{
    struct costs c = measured(), free_of_cost = c;
    c.seconds = free_of_cost.seconds = 60;
    free_of_cost.commit = free_of_cost.fetch = free_of_cost.add = free_of_cost.agent = free_of_cost.item = 0;
    free_of_cost.explorer = free_of_cost.snapshot = free_of_cost.latency = free_of_cost.bytes = 0;
    compare("one worker, nothing costs anything", simulate(&free_of_cost, 1).steady, 1, 1e-6);
    compare("40 workers, nothing costs anything", simulate(&free_of_cost, 40).steady, 40, 0.01);

    double loss = c.item * 1e-6 + commit_seconds(&c);
    compare("one worker: slice / (slice + costs)", simulate(&c, 1).steady, 0.02 / (0.02 + loss), 0.005);

    struct costs slow = c; /* 1 ms a commit, and slices do not grow */
    slow.commit = 1000;
    slow.add = slow.snapshot = 0;
    slow.share = 1e9;
    struct outcome o = simulate(&slow, 1000);
    compare("1,000 workers, 1 ms a commit: commits a second", o.commits, 1000, 0.05);
    compare("... the server is busy", o.server, 1, 0.02);
    good &= strcmp(o.limit, "server core") == 0;

    /* 10 ms to the server, 16 workers of one agent: behind slices of 16 * 20 ms / 0.4 their commits stand in a line. */
    struct costs far = c;
    far.latency = 1e4;
    compare("10 ms away: 16 workers of one agent lose little", simulate(&far, 16).steady, 15.5, 0.02);

    struct costs narrow = slow; /* 1 Mbit/s, and commits cost nothing */
    narrow.commit = 0;
    narrow.gbit = 1e-3;
    narrow.pause = 1e9; /* snapshots need the network, too */
    narrow.hurry = 0;
    o = simulate(&narrow, 1000);
    compare("1,000 workers at 1 Mbit/s: the network is busy", o.network, 1, 0.02);
    good &= strcmp(o.limit, "network") == 0;

    struct costs late = c; /* an explorer that adds up 10 results a second */
    late.explorer = 1e5;
    late.seconds = 4000;
    o = simulate(&late, 100);
    compare("the explorer takes 0.1 s a result: it is busy", o.explorer, 1, 0.02);
    good &= strcmp(o.limit, "explorer") == 0;

    /* A slice of 1 ms and a millisecond of costs: half of the time is lost, however many workers there are. */
    struct costs half = free_of_cost;
    half.slice = 2;
    half.assumed = 0;
    half.item = 2000;
    compare("as long to begin an item as a slice: half", simulate(&half, 64).begins, 0.5, 0.02);
    compare("Eta: 17.5 from 24 workers on", eta(24), 17.5, 1e-9);
    printf("%s\n", good ? "the simulation agrees with the closed forms" : "WRONG");
    return good ? 0 : 1;
}

static void help(void)
{
    struct costs c = measured();
    printf("cluster [NAME=VALUE...] [WORKERS...] | --check\n\n");
    print_costs(&c);
}

static bool set(struct costs *c, const char *word)
{
    const char *equals = strchr(word, '=');
    char *end;
    double value = equals ? strtod(equals + 1, &end) : 0;
    if (!equals || end == equals + 1 || *end || !(value >= 0 && value < 1e12))
        return false;
#define X(cost, standard, text)                                                                                        \
    if (strncmp(word, #cost "=", strlen(#cost) + 1) == 0) {                                                            \
        c->cost = value;                                                                                               \
        return true;                                                                                                   \
    }
    COSTS(X)
#undef X
    return false;
}

int main(int argc, char **argv)
{
    static const uint32_t standard[] = { 1, 2, 4, 8, 16, 24, 32, 40, 64, 100, 200, 500, 1000, 2000, 5000, 10000 };
    uint32_t workers[64];
    size_t count = 0;
    struct costs c = measured();
    for (int i = 1; i < argc; i++) {
        char *end;
        unsigned long n = strtoul(argv[i], &end, 10);
        if (strcmp(argv[i], "--check") == 0)
            return check();
        if (strcmp(argv[i], "--help") == 0) {
            help();
            return 0;
        }
        if (!*end && n >= 1 && n <= MOST_WORKERS && count < 64) {
            workers[count++] = (uint32_t)n;
        } else if (!set(&c, argv[i])) {
            fprintf(stderr, "cluster: \"%s\" is no NAME=VALUE of --help and no number of workers\n", argv[i]);
            return 2;
        }
    }
    c.machine = floor(c.machine);
    c.parts = floor(c.parts);
    if (c.machine < 1 || c.parts < 1 || c.parts > MOST_PARTS || c.slice <= 0 || c.share <= 0 || c.seconds <= 0 ||
        c.gbit <= 0) {
        fprintf(stderr, "cluster: machine, parts (up to %d), slice, share, gbit and seconds are positive\n",
                MOST_PARTS);
        return 2;
    }
    printf("Simulated, not measured: one exploration on a Redis server; x: against one process without a server\n");
    print_costs(&c);
    printf("\n");
    if (!count)
        memcpy(workers, standard, sizeof standard);
    table(&c, workers, count ? count : sizeof standard / sizeof *standard);
    printf("steady: the second half, without ramping up.  to begin, waiting (for an answer), no item: lost time of the "
           "workers.\n");
    return 0;
}
