/* The agent sends orders to workers and commits their reports (agent.h). */
#include <errno.h>
#include <sys/socket.h>

#include "cluster/agent.h"
#include "cluster/messages.h"
#include "explore/engine/measure.h"

enum { MOST_MESSAGE = 1 << 30, ITEMS_PER_WORKER = 2, FEWEST_RUNS = 16, POLL_MS = 50, LINK_POLL_MS = 5 };

static const double slice_seconds = 0.020, shortest_slice = 0.002;
static const double commit_seconds = 55e-6; /* cost of one commit, for the server or for a pool on one machine */
static const double commit_share = 0.4;     /* largest share of its time for commits, and of the time of an agent */
static const double longest_of_agent = 1;   /* slice for the sake of one agent */

/* ---- orders ------------------------------------------------------------------------------------------------------ */

/* Computes the budget of one worker: a part of the rest of a limit, or 0 if there is no limit.  Returns false if other
 * workers hold the whole rest. */
static bool budget(uint64_t limit, uint64_t used, uint64_t out, uint32_t workers, uint64_t *mine)
{
    *mine = 0;
    if (!limit)
        return true;
    if (used + out >= limit)
        return false;
    uint64_t left = limit - used - out, share = left / (2 * workers);
    *mine = share > FEWEST_RUNS ? share : left < FEWEST_RUNS ? left : FEWEST_RUNS;
    return true;
}

/* Sets the budgets for runs and steps.  Returns false if the limits leave no budget. */
static bool take_budget(struct rh__agent *a, struct rh__order *order)
{
    const struct rh__limits *l = &a->x->limits;
    const struct rh__counts *done = &rh__agent_totals(a)->count;
    uint32_t n = a->o->workers;
    uint64_t runs_out = 0, steps_out = 0;
    for (uint32_t i = 0; i < n; i++)
        if (rh__slot_is_busy(&a->slots[i])) {
            runs_out += a->slots[i].max_runs;
            steps_out += a->slots[i].max_steps;
        }
    return budget(l->max_runs, done->runs, runs_out, n, &order->max_runs) &&
           budget(l->max_all_steps, done->steps, steps_out, n, &order->max_steps);
}

/* An agent has one commit under way at a time.  So its slices grow with the way to the server: else most of its workers
 * would wait in a line.
 *
 * An item over which workers died gets a shorter slice.  A harmless item still finishes, and a lethal item loses less
 * work. */
double rh__slice_seconds(uint32_t workers, uint32_t own, double own_commit_seconds, uint32_t deaths, bool few)
{
    double seconds = workers * commit_seconds / commit_share, mine = own * own_commit_seconds / commit_share;
    mine = mine < longest_of_agent ? mine : longest_of_agent;
    seconds = seconds > mine ? seconds : mine;
    seconds = seconds > slice_seconds ? seconds : slice_seconds;
    if (few)
        seconds /= 8;
    seconds = seconds > shortest_slice ? seconds : shortest_slice;
    for (; deaths && seconds > 1e-9; deaths--)
        seconds /= 4;
    return seconds;
}

static void send_order(struct rh__agent *a, struct rh__slot *s, const struct rh__order *order)
{
    struct rh__writer w = rh__writer_new();
    rh__order_encode(order, &w);
    if (w.full) {
        errno = ENOMEM;
        rh__agent_fail(a, "no memory for an item");
    } else if (!rh__stream_send(s->fd, w.at, w.len)) {
        rh__agent_end_worker(a, s); /* the worker died while idle: the item counts a death too many, which is rare */
    }
    rh__writer_release(&w);
}

/* A search in rounds gives its next item.  False if there is none. */
static bool give(struct rh__agent *a, const struct rh_inner *e, bool idle)
{
    size_t size = e->explorer->share->rounds->give(e->state, a->given, RH__GIVEN_BYTES, idle);
    if (!size || a->queue.table->add(a->queue.state, a->given, size))
        return size;
    errno = ENOMEM;
    return rh__agent_fail(a, "no memory for an item");
}

/* Leases an item.  A search in rounds gives its items one after the other. */
static bool fetch(struct rh__agent *a, struct rh__lease *lease)
{
    const struct rh__queue_table *q = a->queue.table;
    const struct rh_inner *e = rh_inner_with_rounds(&a->x->explorer);
    if (e && !a->o->link && !q->waiting(a->queue.state))
        give(a, e, !q->leased(a->queue.state));
    return !a->failed && q->fetch(a->queue.state, lease);
}

/* The workers of all agents. */
static uint32_t all_workers(const struct rh__agent *a)
{
    uint64_t n = a->o->link ? rh__linked_state(a->queue.state)->workers : 0;
    return n < a->o->workers ? a->o->workers : n < 1000000 ? (uint32_t)n : 1000000;
}

void rh__agent_feed(struct rh__agent *a)
{
    const struct rh_inner *e = rh_inner_with_rounds(&a->x->explorer);
    uint32_t most = ITEMS_PER_WORKER * all_workers(a);
    void *q = a->queue.state;
    if (!e || !a->o->link || !a->o->link->explorer)
        return;
    while (!a->failed && rh__linked_is_online(q) && a->queue.table->waiting(q) < most &&
           give(a, e, rh__linked_is_idle(q)))
        continue;
}

/* Sends one order.  Returns false if no item or no budget is left. */
static bool hand_out(struct rh__agent *a, struct rh__slot *s)
{
    uint32_t n = all_workers(a), most = a->o->most_deaths ? a->o->most_deaths : RH__MOST_DEATHS;
    struct rh__order order = { 0 };
    if (!(a->o->link || take_budget(a, &order)) || !fetch(a, &s->lease))
        return false;
    if (a->o->link) { /* the server keeps the budgets, and counts lost agents */
        order.max_runs = s->lease.max_runs;
        order.max_steps = s->lease.max_steps;
        if (s->lease.deaths >= most) {
            rh__agent_leave_out_lost(a, s);
            return true;
        }
    }
    if (a->o->slice_runs && (!order.max_runs || order.max_runs > a->o->slice_runs))
        order.max_runs = a->o->slice_runs;
    uint32_t waiting = a->queue.table->waiting(a->queue.state);
    bool few = n > 1 && waiting < n;
    order.lease = s->lease.number;
    order.seconds = rh__slice_seconds(n, a->o->workers, a->o->link ? rh__linked_commit_seconds(a->queue.state) : 0,
                                      s->lease.deaths, few);
    order.parts = !few                                              ? 0
                  : ITEMS_PER_WORKER * n - waiting < RH__MOST_PARTS ? ITEMS_PER_WORKER * n - waiting
                                                                    : RH__MOST_PARTS;
    order.item = s->lease.item;
    order.size = s->lease.size;
    s->max_runs = order.max_runs;
    s->max_steps = order.max_steps;
    send_order(a, s, &order);
    return true;
}

/* If sending an order shows that the worker has died, its slot gets a new worker and another order.  The slot may be
 * the only one, and the main loop ends when no worker is busy. */
void rh__agent_hand_out(struct rh__agent *a)
{
    for (uint32_t i = 0; i < a->o->workers && !a->failed;)
        if (rh__slot_is_busy(&a->slots[i]) || a->slots[i].pid <= 0)
            i++;
        else if (!hand_out(a, &a->slots[i]))
            return;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/* The last part of a report is for the explorer that keeps a search in rounds. */
static bool gather(struct rh__agent *a, struct rh__items *rest)
{
    const struct rh_inner *e = rh_inner_with_rounds(&a->x->explorer);
    if (!e || a->o->link) /* on a server it is a part of the results */
        return true;
    if (!rest->count || !rh__items_check(rest))
        return false;
    struct rh__reader r = rh__reader_of(rest->bytes, rest->size);
    size_t size = 0, items = 0;
    const void *told = NULL;
    for (uint32_t i = 0; i < rest->count; i++) {
        items = rest->size - r.left;
        told = rh__get_block(&r, &size);
    }
    rest->count--;
    rest->size = items;
    return e->explorer->share->rounds->gather(e->state, told, size);
}

static void take_report(struct rh__agent *a, struct rh__slot *s, const unsigned char *bytes, size_t size)
{
    struct rh__report r;
    enum rh__commit end = RH__COMMIT_REFUSED;
    if (rh__slot_is_busy(s) && rh__report_decode(&r, bytes, size) && r.lease == s->lease.number && gather(a, &r.rest))
        end = a->queue.table->commit(a->queue.state, r.lease, r.results, r.results_size, &r.rest);
    /* On a server another agent may have the item by now. */
    if (end != RH__COMMITTED && !(a->o->link && end == RH__COMMIT_LATE)) {
        errno = EPROTO;
        rh__agent_fail(a, "a worker reports what makes no sense");
        return;
    }
    s->lease.number = 0;
    a->failures = 0;
    if (end == RH__COMMIT_LATE) {
        rh__agent_replace(a, s);
        return;
    }
    if (a->x->measure)
        rh__measure_growth(a->x);
}

/* Reads the available bytes, and handles the message when it is complete. */
static void listen_to(struct rh__agent *a, struct rh__slot *s)
{
    uint64_t length = 0;
    size_t have = s->in.len, want = sizeof length;
    if (have >= sizeof length) {
        memcpy(&length, s->in.at, sizeof length);
        want += (size_t)length;
    }
    if (length > MOST_MESSAGE || !rh__writer_has(&s->in, want - have)) {
        errno = ENOMEM;
        rh__agent_fail(a, "no room for the report of a worker");
        return;
    }
    ssize_t n = recv(s->fd, s->in.at + have, want - have, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
        rh__agent_end_worker(a, s);
        return;
    }
    s->in.len += n > 0 ? (size_t)n : 0;
    if (s->in.len == want && length) {
        s->in.len = 0;
        take_report(a, s, s->in.at + sizeof length, (size_t)length);
    }
}

void rh__agent_take_reports(struct rh__agent *a)
{
    for (uint32_t i = 0; i < a->o->workers; i++)
        a->polls[i] = (struct pollfd){ .fd = a->slots[i].fd, .events = POLLIN };
    if (poll(a->polls, a->o->workers, a->o->link ? LINK_POLL_MS : POLL_MS) <= 0)
        return;
    for (uint32_t i = 0; i < a->o->workers && !a->failed; i++)
        if (a->polls[i].revents)
            listen_to(a, &a->slots[i]);
}
