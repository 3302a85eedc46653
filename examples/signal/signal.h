/* Shortest paths in a graph whose vertices are distributed over workers, after Signal/Collect: a vertex that gets
 * closer to the source signals that along its edges, until no signal is under way. */
#ifndef SIGNAL_H
#define SIGNAL_H

#include <rehearse.h>

enum { MOST_WORKERS = 16 };

struct edge {
    int from, to, length;
};

/* Vertices are numbered from 0, the source; worker k has the vertices k * span to (k + 1) * span - 1. */
struct workers {
    int count, span;
    rh_ref at[MOST_WORKERS];
};

/* To the loader: the tail is the graph.  To a worker: the tail is the edges that begin at its vertices. */
RH_MESSAGE(load_graph);
RH_MESSAGE(load, rh_ref coordinator; struct workers workers;);
RH_MESSAGE(loaded);
RH_MESSAGE(graph_loaded);

/* Between workers: `vertex` is at `distance` from the source.  The signal carries a share of the credit. */
RH_MESSAGE(signal, int vertex; int distance; uint64_t credit;);
/* Worker to coordinator: returned credit, and the change in the number of signals under way. */
RH_MESSAGE(report, uint64_t credit; int64_t change;);

/* Coordinator and workers, after the computation. */
RH_MESSAGE(collect);
RH_MESSAGE(result, int64_t distances; int64_t reached;);

/* To the console. */
RH_MESSAGE(progress, int signals;);
RH_MESSAGE(bye);           /* from a worker: it sends no more progress */
RH_MESSAGE(close_console); /* from the coordinator (bug sc3) */

static const uint64_t all_credit = 1ull << 60;

/* Flaws: bugs sc1, sc2, sc3. */
struct flaws {
    bool hurries, counts, closes;
};

RH_ACTOR(worker, int number; rh_ref coordinator; rh_ref console; int interval_ms; struct flaws flaws;
         struct workers workers; int first; int edges; struct edge * edge; int *distance; int signals;
         int64_t told_ms;);
RH_ACTOR(loader, rh_ref coordinator; struct workers workers; struct flaws flaws; int next; int edges;
         struct edge * edge;);
RH_ACTOR(coordinator, rh_ref console; struct workers workers; struct flaws flaws; int asked; int open;
         uint64_t returned; int64_t distances; int64_t reached; int64_t expected;);
RH_ACTOR(console, int workers; int gone; int signals;);

#endif
