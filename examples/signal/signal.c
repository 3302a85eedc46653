/* See signal.h.
 *
 *     loader --load, loaded--> each worker in turn;  --graph_loaded--> coordinator --signal--> worker of the source
 *     workers --signal--> workers, as long as a vertex gets closer;  --report--> coordinator
 *     coordinator --collect, result--> each worker in turn;  workers --bye--> console
 *
 * Termination: the first signal carries all credit.  A vertex that sends signals on divides its credit among them, and
 * returns the remainder to the coordinator.  When the coordinator has all credit, no signal is under way, whatever the
 * order of reports.
 *   bug sc1  the loader considers the graph loaded when it has sent the last part, not when that part is confirmed
 *   bug sc2  the coordinator adds up the changes in the number of signals; changes that have not arrived yet are
 *            missing, so the sum may be zero while signals are under way
 *   bug sc3  the coordinator closes the console while a worker's progress may be on its way to it.  Workers report
 *            progress when some time has passed since their last report, so this needs logical time */
#include "signal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- worker ------------------------------------------------------------------------------------------------------ */
static void tell_progress(struct worker *state)
{
    state->signals++;
    if (rh_now_ms() - state->told_ms < state->interval_ms)
        return;
    state->told_ms = rh_now_ms();
    rh_send(state->console, progress, .signals = state->signals);
}

static void give_back(const struct worker *state, uint64_t credit, int64_t change)
{
    if (state->flaws.counts ? change != 0 : credit != 0)
        rh_send(state->coordinator, report, .credit = credit, .change = change);
}

RH_HANDLER(worker, load)
{
    size_t size;
    const void *edges = rh_tail(&size);
    state->coordinator = msg->coordinator;
    state->workers = msg->workers;
    state->first = state->number * msg->workers.span;
    state->edges = (int)(size / sizeof *state->edge);
    state->edge = malloc(size);
    state->distance = malloc((size_t)msg->workers.span * sizeof *state->distance);
    rh_assert(state->edge && state->distance);
    memcpy(state->edge, edges, size);
    for (int i = 0; i < msg->workers.span; i++)
        state->distance[i] = INT_MAX;
    state->told_ms = rh_now_ms();
    rh_reply(loaded);
    rh_become(worker, computing);
}
RH_HANDLER(worker, signal)
{
    tell_progress(state);
    int *distance = &state->distance[msg->vertex - state->first], sent = 0;
    if (msg->distance >= *distance) {
        give_back(state, msg->credit, -1);
        return;
    }
    *distance = msg->distance;
    for (int i = 0; i < state->edges; i++)
        sent += state->edge[i].from == msg->vertex;
    uint64_t share = sent ? msg->credit / (uint64_t)sent : 0;
    rh_assert(share || !sent, "the graph is too deep for the credit");
    for (int i = 0; i < state->edges; i++)
        if (state->edge[i].from == msg->vertex)
            rh_send(state->workers.at[state->edge[i].to / state->workers.span], signal, .vertex = state->edge[i].to,
                    .distance = msg->distance + state->edge[i].length, .credit = share);
    give_back(state, msg->credit - share * (uint64_t)sent, sent - 1);
}
RH_HANDLER(worker, collect)
{
    struct result r = { 0 };
    for (int i = 0; i < state->workers.span; i++)
        if (state->distance[i] < INT_MAX) {
            r.reached++;
            r.distances += state->distance[i];
        }
    rh_send_value(rh_sender(), result, &r);
    if (!state->flaws.closes)
        rh_send(state->console, bye);
}
RH_HANDLER_AS(worker, signal, early_signal)
{
    rh_assert(false, "a signal comes to vertex %d, which is not loaded", msg->vertex);
}
RH_BEHAVIOUR(worker, empty, load, RH_ON(signal, early_signal));
RH_BEHAVIOUR(worker, computing, signal, collect);

/* ---- loader ------------------------------------------------------------------------------------------------------ */

/* Edges are sorted by the vertex at which they begin. */
static void load_next(struct loader *state)
{
    int first = state->next * state->workers.span, end = first + state->workers.span, from = 0;
    while (from < state->edges && state->edge[from].from < first)
        from++;
    int to = from;
    while (to < state->edges && state->edge[to].from < end)
        to++;
    rh_send_with(state->workers.at[state->next++], state->edge + from, (size_t)(to - from) * sizeof *state->edge, load,
                 .coordinator = state->coordinator, .workers = state->workers);
}

RH_HANDLER(loader, load_graph)
{
    size_t size;
    const void *edges = rh_tail(&size);
    state->edges = (int)(size / sizeof *state->edge);
    state->edge = malloc(size);
    rh_assert(state->edge != NULL);
    memcpy(state->edge, edges, size);
    load_next(state);
}
RH_HANDLER(loader, loaded)
{
    int last = state->workers.count;
    bool confirmed = state->next == last;
    if (state->next < last)
        load_next(state);
    if (state->flaws.hurries ? !confirmed && state->next == last : confirmed)
        rh_send(state->coordinator, graph_loaded);
}
RH_BEHAVIOUR(loader, loading, load_graph, loaded);

/* ---- coordinator ------------------------------------------------------------------------------------------------- */
static void collect_next(struct coordinator *state)
{
    if (state->asked < state->workers.count) {
        rh_send(state->workers.at[state->asked++], collect);
        return;
    }
    rh_assert(state->distances == state->expected, "%d vertices are %lld from the source in sum, not %lld",
              (int)state->reached, (long long)state->distances, (long long)state->expected);
    if (state->flaws.closes)
        rh_send(state->console, close_console);
}

RH_HANDLER(coordinator, graph_loaded)
{
    state->open = 1;
    rh_send(state->workers.at[0], signal, .credit = all_credit);
    rh_become(coordinator, computing);
}
RH_HANDLER(coordinator, report)
{
    state->open += msg->change;
    state->returned += msg->credit;
    if (state->flaws.counts ? state->open == 0 : state->returned == all_credit) {
        collect_next(state);
        rh_become(coordinator, collecting);
    }
}
RH_HANDLER(coordinator, result)
{
    state->distances += msg->distances;
    state->reached += msg->reached;
    collect_next(state);
}
RH_BEHAVIOUR(coordinator, waiting, graph_loaded);
RH_BEHAVIOUR(coordinator, computing, report);
RH_BEHAVIOUR(coordinator, collecting, result);

/* ---- console ----------------------------------------------------------------------------------------------------- */
RH_HANDLER(console, progress)
{
    rh_cover("a worker tells its progress");
    state->signals = msg->signals;
}
RH_HANDLER(console, bye)
{
    if (++state->gone == state->workers)
        rh_become(console, closed);
}
RH_HANDLER(console, close_console)
{
    rh_become(console, closed);
}
RH_HANDLER_AS(console, progress, late_progress)
{
    rh_assert(false, "%s tells its progress, but the console is closed", rh_name(rh_sender()));
}
RH_BEHAVIOUR(console, showing, progress, bye, close_console);
RH_BEHAVIOUR(console, closed, RH_ON(progress, late_progress));
