/* All distances are right when the coordinator detects termination, and no message comes too early or too late.  Time
 * is logical: it advances with the messages that an actor takes. */
#include <rehearse/test.h>
#include <stdlib.h>

#include "signal.h"

RH_PARAM(workers, "4", "over how many workers the graph is distributed");
RH_PARAM(branches, "3", "how many ways lead away from the source");
RH_PARAM(length, "16", "how many vertices are on each of them");
RH_PARAM(interval, "8", "after how many ms a worker tells its progress");
RH_BUG(sc1, "the graph is taken for loaded before the last part is confirmed (Bita, SC1)");
RH_BUG(sc2, "termination is detected by adding up changes, some of which are not known yet (Bita, SC2)");
RH_BUG(sc3, "the console is closed while progress is on its way to it (Bita, SC3)");

static int within(const char *name, int otherwise, int least, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= least && value <= most, "%d to %d %s, not %d", least, most, name, (int)value);
    return (int)value;
}

/* Each branch is a line of vertices at distance 1 from each other; a longer edge leads from the source to the end of
 * the branch's first third.  So the first signal takes the short cut, and a better one comes later.  Sorted by
 * `from`. */
static struct edge *make_graph(int branches, int length, int *count)
{
    struct edge *edges = malloc((size_t)(branches * (length + 1)) * sizeof *edges), *e = edges;
    rh_assert(edges != NULL);
    for (int b = 0; b < branches; b++) {
        *e++ = (struct edge){ .to = 1 + b, .length = 1 };
        *e++ = (struct edge){ .to = 1 + length / 3 * branches + b, .length = 10 * length };
    }
    for (int v = 1; v + branches <= branches * length; v++)
        *e++ = (struct edge){ .from = v, .to = v + branches, .length = 1 };
    *count = (int)(e - edges);
    return edges;
}

RH_TEST(distances_are_right, .time = RH_TIME_LOGICAL)
{
    int branches = within("branches", 3, 1, 64), length = within("length", 16, 1, 1000), count;
    struct flaws flaws = { .hurries = rh_bug("sc1"), .counts = rh_bug("sc2"), .closes = rh_bug("sc3") };
    struct workers workers = { .count = within("workers", 4, 1, MOST_WORKERS) };
    workers.span = branches * length / workers.count + 1;
    struct edge *edges = make_graph(branches, length, &count);

    rh_ref screen = rh_spawn(console, .workers = workers.count);
    for (int i = 0; i < workers.count; i++)
        workers.at[i] = rh_spawn(worker, .number = i, .console = screen,
                                 .interval_ms = within("interval", 8, 1, 1000000), .flaws = flaws);
    rh_ref c = rh_spawn(coordinator, .console = screen, .workers = workers, .flaws = flaws,
                        .expected = (int64_t)branches * length * (length + 1) / 2);
    rh_ref l = rh_spawn(loader, .coordinator = c, .workers = workers, .flaws = flaws);
    rh_send_with(l, edges, (size_t)count * sizeof *edges, load_graph);
    free(edges);
}

RH_MAIN()
