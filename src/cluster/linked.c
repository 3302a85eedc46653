/* See linked.h. */
#include "cluster/linked_parts.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "explore/engine/engine.h"

static const double snapshot_pause = 0.25;               /* least time between two snapshots */
static const uint64_t large_backlog = (uint64_t)4 << 20; /* bytes that do not wait for that */
static const double snapshot_share = 0.05;               /* largest share of the time for snapshots */

/* ---- items ------------------------------------------------------------------------------------------------------- */

/* Sends the items that could not be sent.  False if that is not possible now. */
static bool send_unsent(struct rh__linked *l)
{
    struct rh__reader r = rh__reader_of(l->unsent.at, l->unsent.len);
    struct rh__link_answer a;
    while (r.left && !l->broken && !l->gone) {
        struct rh__reader before = r;
        size_t size;
        const void *bytes = rh__get_block(&r, &size);
        if (rh__linked_say_bytes(l, bytes, size, &a) == RH__LINK_OFFLINE) { /* keep this one and those behind it */
            memmove(l->unsent.at, before.at, before.left);
            l->unsent.len = before.left;
            return false;
        }
    }
    l->unsent.len = 0;
    return true;
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

/* Of the explorer of a search in rounds: before agents get items of a round they can learn what they need.  False if it
 * cannot be said in this generation. */
static bool teach(struct rh__linked *l)
{
    enum { PIECE = 1 << 24 };
    uint64_t life = l->life;
    size_t size = 0;
    const unsigned char *known = l->rounds.known ? l->rounds.known(l->rounds.arg, &life, &size) : NULL;
    if (l->known && (life != l->life || size < l->known))
        return false;
    l->life = life;
    while (known && l->known < size) {
        struct rh__link_answer a;
        size_t piece = size - l->known < PIECE ? (size_t)(size - l->known) : PIECE;
        struct rh__link_ask q = {
            .operation = RH__LINK_LEARN, .lease = l->known, .bytes = known + l->known, .size = piece
        };
        if (rh__linked_say(l, &q, &a) != RH__LINK_OK)
            return false;
        l->known += piece;
    }
    return true;
}

static bool keep_unsent(struct rh__linked *l, const struct rh__link_ask *q)
{
    struct rh__writer w = rh__writer_new();
    rh__link_ask_encode(q, &w);
    if (!w.full)
        rh__put_block(&l->unsent, w.at, w.len);
    bool good = !w.full && !l->unsent.full;
    rh__writer_release(&w);
    return good;
}

static bool add(void *state, const void *item, size_t size)
{
    struct rh__linked *l = state;
    struct rh__writer w = rh__writer_new();
    rh__put_block(&w, item, size);
    rh__put(&l->items, w.at, w.len); /* a generation that begins before the next snapshot needs it, too */
    bool good = !w.full && !l->items.full;
    l->item_count += good;
    if (good && l->begun && !teach(l))
        l->gone = true; /* a generation without it is of no use */
    else if (good && l->begun) {
        struct rh__link_answer a;
        struct rh__link_ask q = { .operation = RH__LINK_ADD, .lease = ++l->adds, .items = { w.at, w.len, 1 } };
        good = rh__linked_say(l, &q, &a) != RH__LINK_OFFLINE || keep_unsent(l, &q);
        l->changed = true;
        l->poll_pause = 0;
    }
    rh__writer_release(&w);
    return good;
}

static bool add_results(struct rh__linked *l, const void *bytes, size_t size)
{
    if (!l->rounds.arg)
        return rh__results_add_encoded(l->totals, bytes, size);
    struct rh__reader r = rh__reader_of(bytes, size);
    size_t results_size, told_size;
    const void *results = rh__get_block(&r, &results_size), *told = rh__get_block(&r, &told_size);
    return rh__reader_done(&r) && rh__results_add_encoded(l->totals, results, results_size) &&
           (!told_size || l->rounds.gather(l->rounds.arg, told, told_size));
}

/* Results and items of one moment.  Whatever does not make sense breaks the queue: half of it may be added. */
static void take_snapshot(struct rh__linked *l)
{
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_SNAPSHOT };
    double from = rh__now_seconds();
    l->changed = false;
    if (rh__linked_say(l, &q, &a) != RH__LINK_OK)
        return;
    struct rh__reader r = rh__reader_of(a.results.bytes, a.results.size);
    for (uint32_t i = 0; i < a.results.count; i++) {
        size_t size;
        const void *results = rh__get_block(&r, &size);
        if (!add_results(l, results, size)) {
            rh__linked_break(l, "results on the server make no sense, or there is no memory for them");
            return;
        }
    }
    l->items.len = 0;
    l->item_count = 0;
    rh__put(&l->items, a.items.bytes, a.items.size);
    l->item_count = a.items.count;
    if (l->items.full)
        rh__linked_break(l, "no memory for a snapshot");
    double now = rh__now_seconds(), pause = (now - from) / snapshot_share;
    l->next_snapshot = now + (pause > snapshot_pause ? pause : snapshot_pause);
}

static void snapshot(void *state, struct rh__writer *to)
{
    struct rh__linked *l = state;
    struct rh__writer sums = rh__writer_new();
    if (l->begun && l->explorer && !l->gone && !l->removed && send_unsent(l))
        take_snapshot(l);
    rh__results_encode(l->totals, NULL, &sums);
    to->full |= sums.full;
    rh__put_block(to, sums.at, sums.len);
    rh__writer_release(&sums);
    rh__put_small(to, l->item_count);
    rh__put(to, l->items.at, l->items.len);
}

static bool restore(void *state, struct rh__reader *from)
{
    struct rh__linked *l = state;
    size_t size;
    const void *sums = rh__get_block(from, &size);
    if (from->bad || !rh__results_add_encoded(l->totals, sums, size))
        return false;
    for (uint64_t n = rh__get_small(from); n && !from->bad; n--) {
        const void *item = rh__get_block(from, &size);
        if (item && !add(l, item, size))
            return false;
    }
    return !from->bad;
}

/* ---- generations ------------------------------------------------------------------------------------------------- */

/* A generation from the last snapshot.  Leases of another one mean nothing in it. */
static enum rh__link_status begin(struct rh__linked *l)
{
    const struct rh__linked_job *j = l->job;
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_BEGIN,
                              .text = j->binding,
                              .bytes = j->job,
                              .size = j->size,
                              .lease_seconds = j->lease_seconds,
                              .runs = j->max_runs,
                              .steps = j->max_steps,
                              .done_runs = l->totals->count.runs,
                              .done_steps = l->totals->count.steps,
                              .findings = l->totals->finding_count };
    struct rh__link_ask items = { .operation = RH__LINK_ADD, .items = { l->items.at, l->items.len, l->item_count } };
    if (!l->rounds.known)
        q.items = items.items;
    if (rh__linked_say(l, &q, &a) != RH__LINK_OK)
        return a.status;
    l->gone = false;
    l->known = 0;
    if (l->rounds.known) { /* agents learn before they get items */
        items.lease = ++l->adds;
        if (!teach(l) || (l->item_count && rh__linked_say(l, &items, &a) != RH__LINK_OK)) {
            l->gone = true;
            return RH__LINK_OFFLINE;
        }
    }
    l->begun = true;
    l->unsent.len = 0;
    l->next_renewal = 0;
    return a.status;
}

bool rh__linked_begin(void *state, const struct rh__linked_job *job, char *error, size_t error_size)
{
    struct rh__linked *l = state;
    l->explorer = true;
    l->job = job;
    l->lease_seconds = job->lease_seconds;
    enum rh__link_status status;
    double until = rh__now_seconds() + 60;
    do
        status = begin(l);
    while (status == RH__LINK_OFFLINE && !l->broken && rh__now_seconds() < until && poll(NULL, 0, 50) == 0);
    if (status == RH__LINK_OK)
        return true;
    snprintf(error, error_size, "%s",
             l->broken                  ? l->why
             : status == RH__LINK_ENDED ? "the job was removed"
                                        : "the server does not answer");
    return false;
}

void rh__linked_set_rounds(void *state, const struct rh__linked_rounds *rounds)
{
    ((struct rh__linked *)state)->rounds = *rounds;
}

void rh__linked_join(void *state, double lease_seconds)
{
    struct rh__linked *l = state;
    l->begun = true;
    l->lease_seconds = lease_seconds;
}

void rh__linked_set_workers(void *state, uint32_t workers)
{
    ((struct rh__linked *)state)->workers = workers;
    ((struct rh__linked *)state)->wants_next = true;
}

bool rh__linked_attend(void *state, bool now_please, char *error, size_t error_size)
{
    struct rh__linked *l = state;
    struct rh__link_answer a;
    double now = rh__now_seconds();
    if (l->gone && l->explorer && !l->removed) {
        rh__linked_drop_all(l); /* their commits are late */
        l->has_dropped = true;
        if (begin(l) == RH__LINK_OK)
            l->losses++;
    }
    bool sent = !l->gone && send_unsent(l);
    if (sent && !l->gone && now >= l->next_renewal) {
        struct rh__link_ask q = { .operation = RH__LINK_RENEW, .workers = l->workers };
        if (rh__linked_say(l, &q, &a) != RH__LINK_OFFLINE)
            l->next_renewal = now + l->lease_seconds / 4;
    }
    now_please |= now >= l->next_snapshot || l->state.backlog > large_backlog;
    if (sent && l->explorer && !l->gone && !l->removed && now_please)
        take_snapshot(l);
    if (l->broken)
        snprintf(error, error_size, "%s", l->why);
    return !l->broken;
}

bool rh__linked_is_idle(void *state)
{
    struct rh__linked *l = state;
    if (l->removed || l->gone || l->offline || l->unsent.len || l->state.waiting || l->state.leased)
        return false;
    take_snapshot(l);
    return !l->gone && !l->offline && !l->broken && !l->changed && l->item_count == 0;
}

bool rh__linked_is_over(void *state)
{
    struct rh__linked *l = state;
    return !l->explorer || l->removed ? l->gone || l->removed : rh__linked_is_idle(l);
}

bool rh__linked_has_dropped(void *state)
{
    struct rh__linked *l = state;
    bool has = l->has_dropped;
    l->has_dropped = false;
    return has;
}

bool rh__linked_is_removed(const void *state)
{
    return ((const struct rh__linked *)state)->removed;
}

void rh__linked_end(void *state)
{
    struct rh__linked *l = state;
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_END };
    if (l->begun && l->explorer)
        rh__linked_say(l, &q, &a);
    l->begun = false;
}

const struct rh__link_state *rh__linked_state(const void *state)
{
    return &((const struct rh__linked *)state)->state;
}

double rh__linked_commit_seconds(const void *state)
{
    return ((const struct rh__linked *)state)->commit_seconds;
}

uint32_t rh__linked_losses(const void *state)
{
    return ((const struct rh__linked *)state)->losses;
}

bool rh__linked_is_online(const void *state)
{
    return !((const struct rh__linked *)state)->offline;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const struct rh__results *totals(const void *state)
{
    return ((const struct rh__linked *)state)->totals;
}

static uint32_t waiting(const void *state)
{
    const struct rh__linked *l = state;
    return l->begun ? (uint32_t)l->state.waiting : l->item_count;
}

static uint32_t leased(const void *state)
{
    return (uint32_t)((const struct rh__linked *)state)->state.leased;
}

static void *open_linked(const char *where, struct rh__results *totals_kept, char *error, size_t error_size)
{
    struct rh__linked *l = where ? rh__alloc_array(1, sizeof *l) : NULL;
    if (!l) {
        snprintf(error, error_size, where ? "no memory for a queue" : "the queue on a server needs a link");
        return NULL;
    }
    *l = (struct rh__linked){ .fd = atoi(where),
                              .totals = totals_kept,
                              .items = rh__writer_new(),
                              .unsent = rh__writer_new(),
                              .buffer = rh__writer_new() };
    l->random = rh__random_seed((uint64_t)(rh__now_seconds() * 1e6), 0);
    return l;
}

static void close_linked(void *state)
{
    struct rh__linked *l = state;
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_GIVE_BACK, .lease = l->next.lease.number };
    if (q.lease && !l->explorer && !l->gone && !l->removed)
        rh__linked_say(l, &q, &a);
    rh__linked_drop_all(l);
    rh__writer_release(&l->items);
    rh__writer_release(&l->unsent);
    rh__writer_release(&l->buffer);
    rh__free(l->leases);
    rh__free(l);
}

const struct rh__queue_table rh__queue_linked = {
    .name = "linked",
    .open = open_linked,
    .close = close_linked,
    .add = add,
    .fetch = rh__linked_fetch,
    .renew = rh__linked_renew,
    .commit = rh__linked_commit,
    .give_back = rh__linked_give_back,
    .totals = totals,
    .waiting = waiting,
    .leased = leased,
    .snapshot = snapshot,
    .restore = restore,
};
