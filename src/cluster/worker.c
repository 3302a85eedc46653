/* See worker.h.
 *
 * A worker is two processes, like any exploration: a parent that waits, and a child that makes runs until a run kills
 * it.  The child receives orders and sends reports by itself, so a child lives for many items.  When the program kills
 * the child, the parent ends that run, and the next child continues in the middle of the item.  All data of both
 * processes is in shared memory, because each run resets global variables. */
#include "cluster/worker.h"

#include <stdio.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/visible.h"
#include "cluster/messages.h"
#include "explore/engine/measure.h"
#include "world/live.h"

enum {
    MOST_BYTES = 1u << 29,     /* largest message; only address space */
    ITEM_BYTES_PER_EVENT = 32, /* upper bound for all explorers */
    TOLD_BYTES = 1 << 23,      /* what an explorer in rounds tells of an item */
};

struct worker {
    int fd;
    struct rh__order order; /* the order under way, without its item */
    struct rh__results_mark reported;
    size_t room;             /* largest size of an item */
    unsigned char *in, *out; /* buffers for messages */
    struct rh__writer parts; /* items split off, as blocks */
    uint32_t part_count;
};

/* Largest size of an item for this explorer and this world. */
static size_t item_room(const struct rh_exploration *x)
{
    size_t told = rh_inner_with_rounds(&x->explorer) ? TOLD_BYTES : 0;
    return 4096 + told + (size_t)rh_world_semantics(x->world)->max_steps * ITEM_BYTES_PER_EVENT;
}

/* ---- reporting --------------------------------------------------------------------------------------------------- */

static size_t put_part(struct rh_exploration *x, struct worker *k, bool half)
{
    unsigned char *one = k->in; /* the buffer is free: the order has been read */
    size_t size = rh_inner_pack(&x->explorer, one, k->room, half);
    if (size) {
        rh__put_block(&k->parts, one, size);
        k->part_count++;
    }
    return size;
}

/* Writes what others may claim as well.  What there is no room for is a part of the rest. */
static void put_claims(struct rh_exploration *x, struct worker *k)
{
    size_t size;
    while (k->part_count < RH__MOST_PARTS - 1 && (size = rh_inner_claim(&x->explorer, k->in, k->room)) != 0) {
        rh__put_block(&k->parts, k->in, size);
        k->part_count++;
    }
}

/* Splits off the number of items in the order, and packs the rest.  False if the rest cannot be packed. */
static bool cut_up(struct rh_exploration *x, struct worker *k)
{
    while (k->part_count < k->order.parts && k->part_count < RH__MOST_PARTS - 1 && put_part(x, k, true))
        continue;
    put_claims(x, k);
    return put_part(x, k, false);
}

/* A search in rounds: what has come of the item, behind what is left of it. */
static void tell(struct worker *k, const struct rh_inner *e)
{
    size_t size = e->explorer->share->rounds->tell(e->state, k->in, k->room);
    rh__put_block(&k->parts, k->in, size);
    k->part_count++;
}

/* Completes the results of the item with facts that the engine does not know, such as the share of the tree. */
static void complete_results(struct rh_exploration *x)
{
    struct rh__results *r = x->results;
    bool lost = x->end.exhausted && rh_inner_can_finish(&x->explorer) &&
                rh_inner_verdict(&x->explorer) == RH_VERDICT_SAMPLED; /* the explorer diverged within the item */
    r->share = rh_inner_share(&x->explorer, &r->share_runs);
    r->incomplete |= lost || x->end.dies_in_body;
    r->shares_globals |= rh__world_hides_causes(x->world);
    rh__results_meet(r, x->world);
}

static bool report(struct rh_exploration *x, struct worker *k)
{
    struct rh__writer w = rh__writer_of(k->out, MOST_BYTES);
    struct rh__report r = { .lease = k->order.lease, .rest = { k->parts.at, k->parts.len, k->part_count } };
    rh__report_encode_front(&r, &w);
    complete_results(x);
    rh__results_encode(x->results, &k->reported, &w);
    if (w.full) {
        rh__complain("more than %u bytes have come of one item", (unsigned)MOST_BYTES);
        return false;
    }
    rh__results_set_mark(x->results, &k->reported);
    return rh__stream_send(k->fd, w.at, w.len);
}

/* Receives an order.  False if the stream has ended.  An item that does not fit the program is reported as
 * divergence. */
static bool take_order(struct rh_exploration *x, struct worker *k)
{
    size_t size;
    const struct rh__counts *c = &x->results->count;
    struct rh__order *o = &k->order;
    if (!rh__stream_receive(k->fd, k->in, k->room + RH__ORDER_BYTES, &size) || !rh__order_decode(o, k->in, size))
        return false;
    bool good = rh_inner_unpack(&x->explorer, x->world, o->item, o->size);
    k->parts.len = k->part_count = 0;
    x->end.exhausted = false;
    x->end.stopped = x->results->diverged = !good;
    x->end.dies_in_body = false;
    x->limits.max_runs = o->max_runs ? c->runs + o->max_runs : 0;
    x->limits.max_all_steps = o->max_steps ? c->steps + o->max_steps : 0;
    x->work.slice_end = rh__meter_seconds(x->clock.meter) + o->seconds;
    x->work.slice_runs = c->runs;
    x->clock.next_look = c->steps + 100;
    return true;
}

/* The source of work for the engine (struct rh__work_source).  There are two reasons why the rest of the item cannot be
 * packed.  Either no rest exists, and the explorer is about to report that.  Or the explorer cannot pack the rest now,
 * and the engine continues with the item. */
static bool next_work(struct rh_exploration *x)
{
    struct worker *k = x->work.arg;
    const struct rh__results *r = x->results;
    bool left = !x->end.exhausted && !r->diverged && !x->end.dies_in_body;
    const struct rh_inner *rounds = rh_inner_with_rounds(&x->explorer);
    bool may_go_on = (x->limits.keep_going || !r->finding_count) && !rh__distinct_is_full(&r->distinct);
    bool claims = x->end.exhausted && !r->diverged && rh_inner_claims(&x->explorer);
    /* A search in rounds may stop early, and keep the rest; claims may be all that is left. */
    bool packed = (left || rounds || claims) && cut_up(x, k);
    if (left && !packed && may_go_on) {
        x->end.stopped = false;
        x->limits.max_runs = x->limits.max_all_steps = 0;
        x->work.slice_end = rh__meter_seconds(x->clock.meter) + k->order.seconds;
        return true;
    }
    if (rounds)
        tell(k, rounds);
    return report(x, k) && take_order(x, k);
}

/* ---- the process ------------------------------------------------------------------------------------------------- */

static struct rh_exploration *open_exploration(const struct rh__worker_job *job)
{
    char error[1024];
    struct rh__limits limits = { .keep_going = job->keep_going, .unchecked = job->unchecked };
    struct rh_world_options options = *job->world;
    options.quiet = true; /* the agent prints warnings */
    struct rh_world *w = rh_world_new(&options, error, sizeof error);
    struct rh_exploration *x =
        w ? rh__exploration_new(w, job->explorer, job->seed, &limits, error, sizeof error) : NULL;
    if (!x) {
        rh__complain("a worker cannot start: %s", error);
        return NULL;
    }
    if (job->criteria && !rh__measure(x, job->criteria)) {
        rh__complain("a worker cannot start: no memory for the coverage");
        return NULL;
    }
    rh__world_supervise(w);
    x->mute = job->mute;
    x->results->prefer_first_in_tree = true;
    x->agent = job->agent;
    x->clock.meter = job->meter;
    return x;
}

static struct worker *open_worker(struct rh_exploration *x, int fd)
{
    struct worker *k = rh_shared_new(sizeof *k);
    if (!k)
        return NULL;
    k->fd = fd;
    k->room = item_room(x);
    k->in = rh_shared_new(k->room + RH__ORDER_BYTES);
    k->out = rh_shared_new(MOST_BYTES);
    void *parts = rh_shared_new(MOST_BYTES);
    k->parts = rh__writer_of(parts, MOST_BYTES);
    x->work.next = next_work;
    x->work.arg = k;
    return k->in && k->out && parts && rh__distinct_pass_on(&x->results->distinct) ? k : NULL;
}

void rh__worker_run(const struct rh__worker_job *job, int fd)
{
    rh__interrupts_ignore(); /* the agent handles interrupts */
    struct rh_exploration *x = open_exploration(job);
    struct worker *k = x ? open_worker(x, fd) : NULL;
    if (!k)
        _exit(RH__WORKER_FAILED);
    bool good = !take_order(x, k) || rh__explore(x);
    _exit(good                               ? 0
          : rh__world_tool_failed(x->world)  ? RH__WORKER_BROKEN
          : rh__world_fork_error(x->world)   ? RH__WORKER_WITHOUT_CHILD
          : rh__world_child_killed(x->world) ? RH__WORKER_CHILD_KILLED
                                             : RH__WORKER_FAILED);
}
