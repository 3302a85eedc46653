/* See worker.h.
 *
 * A worker is two processes, as any exploration: one that waits, and its child, which makes runs until one kills it.  The
 * child takes orders and reports by itself, so that it lives for many items; when the program has killed it the waiting one
 * notes that as the end of a run, and the next child goes on in the middle of the item.  All that both use is in shared
 * memory: globals go back to what they were with every run. */
#include "cluster/worker.h"
#include "base/visible.h"

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "cluster/results.h"
#include "explore/measure.h"
#include "world/state.h"

enum {
    MOST_BYTES = 1u << 29,     /* of a message: address space */
    ITEM_BYTES_PER_EVENT = 32, /* more than any explorer of ours needs */
};

struct worker {
    int fd;
    struct rh__order order;
    struct rh__told told;
    size_t room;             /* for an item */
    unsigned char *in, *out; /* messages */
    struct rh__writer parts; /* what was split off */
    uint32_t part_count;
};

/* ---- messages ---------------------------------------------------------------------------------------------------------- */

static bool send_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive_all(int fd, unsigned char *bytes, size_t size)
{
    while (size) {
        ssize_t n = recv(fd, bytes, size, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

bool rh__stream_send(int fd, const void *bytes, size_t size)
{
    uint64_t length = size;
    return send_all(fd, (const unsigned char *)&length, sizeof length) && send_all(fd, bytes, size);
}

bool rh__stream_receive(int fd, void *buffer, size_t room, size_t *size)
{
    uint64_t length;
    if (!receive_all(fd, (unsigned char *)&length, sizeof length) || length > room)
        return false;
    *size = (size_t)length;
    return receive_all(fd, buffer, *size);
}

size_t rh__item_room(const struct rh_exploration *x)
{
    return 4096 + (size_t)x->world->semantics.max_steps * ITEM_BYTES_PER_EVENT;
}

/* ---- reporting --------------------------------------------------------------------------------------------------------- */

static size_t put_part(struct rh_exploration *x, struct worker *k, bool half)
{
    unsigned char *one = k->in; /* the order has been read */
    size_t size = rh_inner_pack(&x->explorer, one, k->room, half);
    if (size) {
        rh__put_block(&k->parts, one, size);
        k->part_count++;
    }
    return size;
}

/* Cuts off what is wanted by others, and then the rest; false if that cannot be had. */
static bool cut_up(struct rh_exploration *x, struct worker *k)
{
    while (k->part_count < k->order.parts && k->part_count < RH__MOST_PARTS - 1 && put_part(x, k, true))
        continue;
    return put_part(x, k, false);
}

static bool report(struct rh_exploration *x, struct worker *k)
{
    struct rh__writer w = rh__writer_of(k->out, MOST_BYTES);
    rh__put64(&w, k->order.lease);
    rh__results_write(&w, x, &k->told, k->parts.at, k->parts.len, k->part_count);
    if (w.full) {
        rh__complain("more than %u bytes have come of one item", (unsigned)MOST_BYTES);
        return false;
    }
    rh__results_told(x, &k->told);
    return rh__stream_send(k->fd, w.at, w.len);
}

static bool take_order(struct rh_exploration *x, struct worker *k)
{
    size_t size;
    bool good;
    if (!rh__stream_receive(k->fd, k->in, k->room + sizeof k->order, &size) || size < sizeof k->order)
        return false;
    memcpy(&k->order, k->in, sizeof k->order);
    good = rh_inner_unpack(&x->explorer, x->world, k->in + sizeof k->order, size - sizeof k->order);
    k->parts.len = k->part_count = 0;
    x->exhausted = false;
    x->stopped = x->diverged = !good; /* then that is what is told next */
    x->stillborn = false;
    x->moved = true;
    x->limits.max_runs = k->order.max_runs ? x->runs + k->order.max_runs : 0;
    x->limits.max_all_steps = k->order.max_steps ? x->steps + k->order.max_steps : 0;
    x->slice_end = rh__meter_seconds(x->meter) + k->order.seconds;
    x->slice_runs = x->runs;
    x->next_look = x->steps + 100;
    return true;
}

/* For the engine: there is enough of this item, or nothing is left of it. */
static bool more(struct rh_exploration *x)
{
    struct worker *k = x->more_arg;
    if (!x->exhausted && !x->diverged && !x->stillborn) {
        if (!cut_up(x, k) && (x->limits.keep_going || !x->finding_count) && x->news.count < RH__MOST_NEWS) {
            /* There is nothing left, as the explorer is about to say, or it cannot be packed: then go on with it. */
            x->stopped = false;
            x->limits.max_runs = x->limits.max_all_steps = 0;
            x->slice_end = rh__meter_seconds(x->meter) + k->order.seconds;
            return true;
        }
    }
    return report(x, k) && take_order(x, k);
}

/* ---- the process --------------------------------------------------------------------------------------------------------- */

static struct rh_exploration *open_exploration(const struct rh__job *job)
{
    char error[1024];
    struct rh__limits limits = { .keep_going = job->keep_going, .unchecked = job->unchecked };
    struct rh_world_options options = *job->world;
    options.quiet = true; /* what is worth saying reaches the agent */
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
    w->supervised = true;
    x->describe = job->describe;
    x->mute = job->mute;
    x->least = true;
    x->meter = job->meter;
    return x;
}

static struct worker *open_worker(struct rh_exploration *x, int fd)
{
    struct worker *k = rh_shared_new(sizeof *k);
    if (!k || !rh__told_init(&k->told))
        return NULL;
    k->fd = fd;
    k->room = rh__item_room(x);
    k->in = rh_shared_new(k->room + sizeof k->order);
    k->out = rh_shared_new(MOST_BYTES);
    void *parts = rh_shared_new(MOST_BYTES);
    k->parts = rh__writer_of(parts, MOST_BYTES);
    x->news.list = rh_shared_new(RH__MOST_NEWS * sizeof *x->news.list);
    x->news.lately = rh_shared_new(RH__LATELY * sizeof *x->news.lately);
    x->more = more;
    x->more_arg = k;
    return k->in && k->out && parts && x->news.list && x->news.lately ? k : NULL;
}

void rh__worker_run(const struct rh__job *job, int fd)
{
    rh__interrupts_ignore(); /* the agent sees to it */
    struct rh_exploration *x = open_exploration(job);
    struct worker *k = x ? open_worker(x, fd) : NULL;
    if (!k)
        _exit(RH__WORKER_FAILED);
    rh_inner_pack(&x->explorer, k->in, k->room, false); /* the whole tree is not for us */
    bool good = !take_order(x, k) || rh__explore(x);
    _exit(good                   ? 0
          : x->world->fork_errno ? RH__WORKER_WITHOUT_CHILD
          : x->world->killed     ? RH__WORKER_CHILD_KILLED
                                 : RH__WORKER_FAILED);
}
