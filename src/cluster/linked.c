/* See linked.h. */
#include "cluster/linked.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/random.h"
#include "cluster/messages.h"
#include "explore/engine/engine.h"

static const double shortest_poll = 0.002, longest_poll = 0.1; /* while no item waits */
static const double snapshot_pause = 0.25;                     /* least time between two snapshots */
static const uint64_t large_backlog = (uint64_t)4 << 20;       /* bytes that do not wait for that */
static const double snapshot_share = 0.05;                     /* largest share of the time for snapshots */

struct linked_lease {
    struct rh__lease lease;
    unsigned char *bytes;
};

struct linked {
    int fd;
    bool explorer, begun;
    const struct rh__linked_job *job;
    struct rh__linked_rounds rounds; /* NULL: no search in rounds */
    uint64_t life, known;            /* of what is on the server; of an agent: how much it has learned */
    double lease_seconds;
    uint32_t workers;

    struct rh__results *totals; /* with `items`: the last snapshot */
    struct rh__writer items;
    uint32_t item_count;
    uint64_t adds; /* number of the last ADD */
    bool changed;  /* something was committed since, perhaps */

    struct rh__link_state state;
    bool gone, removed, offline, broken, has_dropped;
    char why[512]; /* if broken */
    uint32_t losses;

    struct linked_lease *leases;
    uint32_t lease_count, lease_room;
    struct linked_lease next; /* came with a commit; number 0: none */
    bool wants_next;

    struct rh__writer unsent; /* items (ADD) that could not be sent, as blocks */
    struct rh__writer buffer; /* of the answer */
    double next_poll, poll_pause, next_renewal, next_snapshot;
    uint64_t random;
};

/* ---- asking ------------------------------------------------------------------------------------------------------ */

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

static bool exchange(int fd, struct rh__writer *buffer, const void *bytes, size_t size, struct rh__link_answer *answer)
{
    uint64_t length;
    if (!rh__stream_send(fd, bytes, size) || !receive_all(fd, (unsigned char *)&length, sizeof length) ||
        length > RH__LINK_MOST_FRAME)
        return false;
    buffer->len = 0;
    return rh__writer_has(buffer, (size_t)length) && receive_all(fd, buffer->at, (size_t)length) &&
           rh__link_answer_decode(answer, buffer->at, (size_t)length);
}

bool rh__linked_ask(int fd, struct rh__writer *buffer, const struct rh__link_ask *ask, struct rh__link_answer *answer)
{
    struct rh__writer w = rh__writer_new();
    rh__link_ask_encode(ask, &w);
    bool good = !w.full && exchange(fd, buffer, w.at, w.len, answer);
    rh__writer_release(&w);
    return good;
}

static void break_off(struct linked *l, const char *why)
{
    if (!l->broken)
        snprintf(l->why, sizeof l->why, "%s", why);
    l->broken = true;
}

static void drop_all(struct linked *l);

/* A connection that was lost may have taken a commit with it.  So nothing goes on from before (linked.h). */
static enum rh__link_status note(struct linked *l, const struct rh__link_answer *a)
{
    if (a->status == RH__LINK_OFFLINE && !l->offline) {
        drop_all(l);
        l->has_dropped = true;
        l->next_renewal = 0; /* the first thing that the server hears then */
    }
    l->offline = a->status == RH__LINK_OFFLINE;
    l->gone |= a->status == RH__LINK_GONE;
    l->removed |= a->status == RH__LINK_ENDED;
    if (a->status == RH__LINK_REFUSED)
        break_off(l, a->text);
    if (a->status <= RH__LINK_LATE)
        l->state = a->state;
    return a->status;
}

static enum rh__link_status ask(struct linked *l, const struct rh__link_ask *ask, struct rh__link_answer *a)
{
    *a = (struct rh__link_answer){ .status = RH__LINK_OFFLINE };
    if (l->broken)
        return a->status;
    if (!rh__linked_ask(l->fd, &l->buffer, ask, a)) {
        break_off(l, "the link to the server has ended");
        return a->status = RH__LINK_OFFLINE;
    }
    return note(l, a);
}

/* ---- leases ------------------------------------------------------------------------------------------------------ */

static uint32_t find(const struct linked *l, uint64_t number)
{
    uint32_t i = 0;
    while (i < l->lease_count && l->leases[i].lease.number != number)
        i++;
    return i;
}

static void drop(struct linked *l, uint32_t i)
{
    if (i >= l->lease_count)
        return;
    rh__free(l->leases[i].bytes);
    l->leases[i] = l->leases[--l->lease_count];
}

static void drop_all(struct linked *l)
{
    while (l->lease_count)
        drop(l, 0);
    rh__free(l->next.bytes);
    l->next = (struct linked_lease){ 0 };
}

static void give_back(void *state, uint64_t lease, bool died)
{
    struct linked *l = state;
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_GIVE_BACK, .lease = lease, .died = died };
    uint32_t i = find(l, lease);
    if (i == l->lease_count)
        return;
    drop(l, i);
    l->poll_pause = 0;
    ask(l, &q, &a); /* if it does not arrive, the lease ends with the next renewal, which does not name it */
}

/* Keeps a lease that came with an answer in `to`.  False if there is no memory: it is given back. */
static bool take_lease(struct linked *l, const struct rh__link_answer *a, struct linked_lease *to)
{
    unsigned char *copy = rh__alloc(a->size ? a->size : 1);
    *to = (struct linked_lease){ 0 };
    if (!copy) {
        struct rh__link_answer unused;
        struct rh__link_ask q = { .operation = RH__LINK_GIVE_BACK, .lease = a->lease };
        ask(l, &q, &unused);
        return false;
    }
    if (a->size)
        memcpy(copy, a->bytes, a->size);
    *to = (struct linked_lease){ .lease = { .number = a->lease,
                                            .deaths = a->deaths,
                                            .item = copy,
                                            .size = a->size,
                                            .max_runs = a->max_runs,
                                            .max_steps = a->max_steps },
                                 .bytes = copy };
    return true;
}

static bool has_room(struct linked *l)
{
    if (l->lease_count < l->lease_room)
        return true;
    uint32_t room = l->lease_room * 2 + 16;
    struct linked_lease *leases = rh__realloc(l->leases, room * sizeof *leases);
    l->leases = leases ? leases : l->leases;
    l->lease_room = leases ? room : l->lease_room;
    return leases != NULL;
}

/* While no item waits, the pauses between two questions grow; they are random, so that idle agents do not ask at the
 * same time. */
static void pause_polling(struct linked *l)
{
    double random = 0.5 + rh__random_below(&l->random, 1024) / 1024.0;
    l->poll_pause = l->poll_pause * 2 > longest_poll ? longest_poll : l->poll_pause * 2;
    l->poll_pause = l->poll_pause < shortest_poll ? shortest_poll : l->poll_pause;
    l->next_poll = rh__now_seconds() + l->poll_pause * random;
}

/* Of an agent: learns what the item that it has fetched may ask for.  That is all that is there: the next round begins
 * when this item is done.  If it was lost, its commit will be late, and nobody minds. */
static bool learn_all(struct linked *l)
{
    while (!l->explorer && l->rounds.learn && l->known < l->state.known) {
        struct rh__link_answer a;
        struct rh__link_ask q = { .operation = RH__LINK_KNOWN, .lease = l->known };
        if (ask(l, &q, &a) != RH__LINK_OK)
            return false;
        if (!a.size || !l->rounds.learn(l->rounds.arg, a.bytes, a.size)) {
            break_off(l, "what the server says of a search makes no sense");
            return false;
        }
        l->known += a.size;
    }
    return true;
}

static bool fetch(void *state, struct rh__lease *lease)
{
    struct linked *l = state;
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_FETCH };
    struct linked_lease got = l->next;
    if (!l->begun || l->gone || l->removed || l->broken || !has_room(l))
        return false;
    l->next = (struct linked_lease){ 0 };
    if (!got.lease.number) {
        if (l->poll_pause > 0 && rh__now_seconds() < l->next_poll)
            return false;
        if (ask(l, &q, &a) != RH__LINK_OK || !a.lease || !take_lease(l, &a, &got)) {
            pause_polling(l);
            return false;
        }
    }
    if (!learn_all(l)) { /* the lease is another's before long */
        rh__free(got.bytes);
        return false;
    }
    l->poll_pause = 0;
    l->leases[l->lease_count++] = got;
    *lease = got.lease;
    return true;
}

static bool renew(void *state, uint64_t lease)
{
    struct linked *l = state;
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_RENEW, .workers = l->workers };
    return find(l, lease) < l->lease_count && ask(l, &q, &a) == RH__LINK_OK && !a.max_runs;
}

/* ---- commits ----------------------------------------------------------------------------------------------------- */

/* Takes the last part: what the worker tells. */
static const void *take_told(struct rh__items *items, size_t *size)
{
    struct rh__reader r = rh__reader_of(items->bytes, items->size);
    const void *told = NULL;
    *size = 0;
    for (uint32_t i = 0; i < items->count; i++) {
        items->size = (size_t)(r.at - (const unsigned char *)items->bytes);
        told = rh__get_block(&r, size);
    }
    items->count -= items->count > 0;
    return told;
}

/* A commit that could not be sent may have arrived all the same: nobody knows, so it is late. */
static enum rh__commit commit(void *state, uint64_t lease, const void *results, size_t size,
                              const struct rh__items *rest)
{
    struct linked *l = state;
    struct rh__results_peek peek;
    uint32_t i = find(l, lease);
    if (i == l->lease_count)
        return RH__COMMIT_LATE;
    struct rh__items items = *rest;
    struct rh__writer both = rh__writer_new();
    if (!rh__items_check(rest) || !rh__results_check(l->totals, results, size) ||
        !rh__results_look(results, size, &peek))
        return RH__COMMIT_REFUSED;
    if (l->rounds.arg) {
        size_t told_size;
        const void *told = take_told(&items, &told_size);
        rh__put_block(&both, results, size);
        rh__put_block(&both, told, told_size);
    }
    struct rh__link_ask q = { .operation = RH__LINK_COMMIT,
                              .lease = lease,
                              .wants = l->wants_next && !l->next.lease.number,
                              .runs = peek.count.runs,
                              .steps = peek.count.steps,
                              .findings = peek.findings,
                              .bytes = l->rounds.arg ? both.at : results,
                              .size = l->rounds.arg ? both.len : size,
                              .items = items };
    struct rh__writer w = rh__writer_new();
    struct rh__link_answer a = { .status = RH__LINK_GONE };
    rh__link_ask_encode(&q, &w);
    w.full |= both.full;
    rh__writer_release(&both);
    if (w.full) {
        rh__writer_release(&w);
        return RH__COMMIT_REFUSED;
    }
    l->changed = true;
    l->poll_pause = rest->count ? 0 : l->poll_pause;
    if (!l->broken && !l->gone && !exchange(l->fd, &l->buffer, w.at, w.len, &a))
        break_off(l, "the link to the server has ended");
    else
        note(l, &a);
    if (a.status == RH__LINK_OK && a.lease)
        take_lease(l, &a, &l->next);
    rh__writer_release(&w);
    drop(l, find(l, lease));
    return a.status == RH__LINK_OK ? RH__COMMITTED : RH__COMMIT_LATE;
}

/* Sends the items that could not be sent.  False if that is not possible now. */
static bool send_unsent(struct linked *l)
{
    struct rh__reader r = rh__reader_of(l->unsent.at, l->unsent.len);
    struct rh__link_answer a;
    while (r.left && !l->broken && !l->gone) {
        struct rh__reader before = r;
        size_t size;
        const void *bytes = rh__get_block(&r, &size);
        if (!exchange(l->fd, &l->buffer, bytes, size, &a)) {
            break_off(l, "the link to the server has ended");
            return false;
        }
        if (note(l, &a) == RH__LINK_OFFLINE) { /* keep this one and those behind it */
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
static bool teach(struct linked *l)
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
        if (ask(l, &q, &a) != RH__LINK_OK)
            return false;
        l->known += piece;
    }
    return true;
}

static bool keep_unsent(struct linked *l, const struct rh__link_ask *q)
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
    struct linked *l = state;
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
        good = ask(l, &q, &a) != RH__LINK_OFFLINE || keep_unsent(l, &q);
        l->changed = true;
        l->poll_pause = 0;
    }
    rh__writer_release(&w);
    return good;
}

static bool add_results(struct linked *l, const void *bytes, size_t size)
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
static void take_snapshot(struct linked *l)
{
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_SNAPSHOT };
    double from = rh__now_seconds();
    l->changed = false;
    if (ask(l, &q, &a) != RH__LINK_OK)
        return;
    struct rh__reader r = rh__reader_of(a.results.bytes, a.results.size);
    for (uint32_t i = 0; i < a.results.count; i++) {
        size_t size;
        const void *results = rh__get_block(&r, &size);
        if (!add_results(l, results, size)) {
            break_off(l, "results on the server make no sense, or there is no memory for them");
            return;
        }
    }
    l->items.len = 0;
    l->item_count = 0;
    rh__put(&l->items, a.items.bytes, a.items.size);
    l->item_count = a.items.count;
    if (l->items.full)
        break_off(l, "no memory for a snapshot");
    double now = rh__now_seconds(), pause = (now - from) / snapshot_share;
    l->next_snapshot = now + (pause > snapshot_pause ? pause : snapshot_pause);
}

static void snapshot(void *state, struct rh__writer *to)
{
    struct linked *l = state;
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
    struct linked *l = state;
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
static enum rh__link_status begin(struct linked *l)
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
    if (ask(l, &q, &a) != RH__LINK_OK)
        return a.status;
    l->gone = false;
    l->known = 0;
    if (l->rounds.known) { /* agents learn before they get items */
        items.lease = ++l->adds;
        if (!teach(l) || (l->item_count && ask(l, &items, &a) != RH__LINK_OK)) {
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
    struct linked *l = state;
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
    ((struct linked *)state)->rounds = *rounds;
}

void rh__linked_join(void *state, double lease_seconds)
{
    struct linked *l = state;
    l->begun = true;
    l->lease_seconds = lease_seconds;
}

void rh__linked_set_workers(void *state, uint32_t workers)
{
    ((struct linked *)state)->workers = workers;
    ((struct linked *)state)->wants_next = true;
}

bool rh__linked_attend(void *state, bool now_please, char *error, size_t error_size)
{
    struct linked *l = state;
    struct rh__link_answer a;
    double now = rh__now_seconds();
    if (l->gone && l->explorer && !l->removed) {
        drop_all(l); /* their commits are late */
        l->has_dropped = true;
        if (begin(l) == RH__LINK_OK)
            l->losses++;
    }
    bool sent = !l->gone && send_unsent(l);
    if (sent && !l->gone && now >= l->next_renewal) {
        struct rh__link_ask q = { .operation = RH__LINK_RENEW, .workers = l->workers };
        if (ask(l, &q, &a) != RH__LINK_OFFLINE)
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
    struct linked *l = state;
    if (l->removed || l->gone || l->offline || l->unsent.len || l->state.waiting || l->state.leased)
        return false;
    take_snapshot(l);
    return !l->gone && !l->offline && !l->broken && !l->changed && l->item_count == 0;
}

bool rh__linked_is_over(void *state)
{
    struct linked *l = state;
    return !l->explorer || l->removed ? l->gone || l->removed : rh__linked_is_idle(l);
}

bool rh__linked_has_dropped(void *state)
{
    struct linked *l = state;
    bool has = l->has_dropped;
    l->has_dropped = false;
    return has;
}

bool rh__linked_is_removed(const void *state)
{
    return ((const struct linked *)state)->removed;
}

void rh__linked_end(void *state)
{
    struct linked *l = state;
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_END };
    if (l->begun && l->explorer)
        ask(l, &q, &a);
    l->begun = false;
}

const struct rh__link_state *rh__linked_state(const void *state)
{
    return &((const struct linked *)state)->state;
}

uint32_t rh__linked_losses(const void *state)
{
    return ((const struct linked *)state)->losses;
}

bool rh__linked_is_online(const void *state)
{
    return !((const struct linked *)state)->offline;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const struct rh__results *totals(const void *state)
{
    return ((const struct linked *)state)->totals;
}

static uint32_t waiting(const void *state)
{
    const struct linked *l = state;
    return l->begun ? (uint32_t)l->state.waiting : l->item_count;
}

static uint32_t leased(const void *state)
{
    return (uint32_t)((const struct linked *)state)->state.leased;
}

static void *open_linked(const char *where, struct rh__results *totals_kept, char *error, size_t error_size)
{
    struct linked *l = where ? rh__alloc_array(1, sizeof *l) : NULL;
    if (!l) {
        snprintf(error, error_size, where ? "no memory for a queue" : "the queue on a server needs a link");
        return NULL;
    }
    *l = (struct linked){ .fd = atoi(where),
                          .totals = totals_kept,
                          .items = rh__writer_new(),
                          .unsent = rh__writer_new(),
                          .buffer = rh__writer_new() };
    l->random = rh__random_seed((uint64_t)(rh__now_seconds() * 1e6), 0);
    return l;
}

static void close_linked(void *state)
{
    struct linked *l = state;
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_GIVE_BACK, .lease = l->next.lease.number };
    if (q.lease && !l->explorer && !l->gone && !l->removed)
        ask(l, &q, &a);
    drop_all(l);
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
    .fetch = fetch,
    .renew = renew,
    .commit = commit,
    .give_back = give_back,
    .totals = totals,
    .waiting = waiting,
    .leased = leased,
    .snapshot = snapshot,
    .restore = restore,
};
