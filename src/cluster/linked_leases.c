/* Asks, leases and commits: what explorer and agents do alike (linked_parts.h). */
#include "cluster/linked_parts.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/random.h"
#include "cluster/messages.h"
#include "explore/engine/engine.h"

static const double shortest_poll = 0.002, longest_poll = 0.1; /* while no item waits */

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

void rh__linked_break(struct rh__linked *l, const char *why)
{
    if (!l->broken)
        snprintf(l->why, sizeof l->why, "%s", why);
    l->broken = true;
}

/* A connection that was lost may have taken a commit with it.  So nothing goes on from before (linked.h). */
static enum rh__link_status note(struct rh__linked *l, const struct rh__link_answer *a)
{
    if (a->status == RH__LINK_OFFLINE && !l->offline) {
        rh__linked_drop_all(l);
        l->has_dropped = true;
        l->next_renewal = 0; /* the first thing that the server hears then */
    }
    l->offline = a->status == RH__LINK_OFFLINE;
    l->gone |= a->status == RH__LINK_GONE;
    l->removed |= a->status == RH__LINK_ENDED;
    if (a->status == RH__LINK_REFUSED)
        rh__linked_break(l, a->text);
    if (a->status <= RH__LINK_LATE)
        l->state = a->state;
    return a->status;
}

enum rh__link_status rh__linked_say_bytes(struct rh__linked *l, const void *bytes, size_t size,
                                          struct rh__link_answer *a)
{
    *a = (struct rh__link_answer){ .status = RH__LINK_OFFLINE };
    if (l->broken)
        return a->status;
    if (!exchange(l->fd, &l->buffer, bytes, size, a)) {
        rh__linked_break(l, "the link to the server has ended");
        return a->status = RH__LINK_OFFLINE;
    }
    return note(l, a);
}

enum rh__link_status rh__linked_say(struct rh__linked *l, const struct rh__link_ask *ask, struct rh__link_answer *a)
{
    struct rh__writer w = rh__writer_new();
    rh__link_ask_encode(ask, &w);
    enum rh__link_status status = RH__LINK_OFFLINE;
    *a = (struct rh__link_answer){ .status = status };
    if (w.full)
        rh__linked_break(l, "no memory for a message to the link");
    else
        status = rh__linked_say_bytes(l, w.at, w.len, a);
    rh__writer_release(&w);
    return status;
}

/* ---- leases ------------------------------------------------------------------------------------------------------ */

static uint32_t find(const struct rh__linked *l, uint64_t number)
{
    uint32_t i = 0;
    while (i < l->lease_count && l->leases[i].lease.number != number)
        i++;
    return i;
}

static void drop(struct rh__linked *l, uint32_t i)
{
    if (i >= l->lease_count)
        return;
    rh__free(l->leases[i].bytes);
    l->leases[i] = l->leases[--l->lease_count];
}

void rh__linked_drop_all(struct rh__linked *l)
{
    while (l->lease_count)
        drop(l, 0);
    rh__free(l->next.bytes);
    l->next = (struct rh__linked_lease){ 0 };
}

void rh__linked_give_back(void *state, uint64_t lease, bool died)
{
    struct rh__linked *l = state;
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_GIVE_BACK, .lease = lease, .died = died };
    uint32_t i = find(l, lease);
    if (i == l->lease_count)
        return;
    drop(l, i);
    l->poll_pause = 0;
    rh__linked_say(l, &q, &a); /* if it does not arrive, the lease ends with the next renewal, which does not name it */
}

/* Keeps a lease that came with an answer in `to`.  False if there is no memory: it is given back. */
static bool take_lease(struct rh__linked *l, const struct rh__link_answer *a, struct rh__linked_lease *to)
{
    unsigned char *copy = rh__alloc(a->size ? a->size : 1);
    *to = (struct rh__linked_lease){ 0 };
    if (!copy) {
        struct rh__link_answer unused;
        struct rh__link_ask q = { .operation = RH__LINK_GIVE_BACK, .lease = a->lease };
        rh__linked_say(l, &q, &unused);
        return false;
    }
    if (a->size)
        memcpy(copy, a->bytes, a->size);
    *to = (struct rh__linked_lease){ .lease = { .number = a->lease,
                                                .deaths = a->deaths,
                                                .item = copy,
                                                .size = a->size,
                                                .max_runs = a->max_runs,
                                                .max_steps = a->max_steps },
                                     .bytes = copy };
    return true;
}

static bool has_room(struct rh__linked *l)
{
    if (l->lease_count < l->lease_room)
        return true;
    uint32_t room = l->lease_room * 2 + 16;
    struct rh__linked_lease *leases = rh__realloc(l->leases, room * sizeof *leases);
    l->leases = leases ? leases : l->leases;
    l->lease_room = leases ? room : l->lease_room;
    return leases != NULL;
}

/* While no item waits, the pauses between two questions grow; they are random, so that idle agents do not ask at the
 * same time. */
static void pause_polling(struct rh__linked *l)
{
    double random = 0.5 + rh__random_below(&l->random, 1024) / 1024.0;
    l->poll_pause = l->poll_pause * 2 > longest_poll ? longest_poll : l->poll_pause * 2;
    l->poll_pause = l->poll_pause < shortest_poll ? shortest_poll : l->poll_pause;
    l->next_poll = rh__now_seconds() + l->poll_pause * random;
}

/* Of an agent: learns what the item that it has fetched may ask for.  That is all that is there: the next round begins
 * when this item is done.  If it was lost, its commit will be late, and nobody minds. */
static bool learn_all(struct rh__linked *l)
{
    while (!l->explorer && l->rounds.learn && l->known < l->state.known) {
        struct rh__link_answer a;
        struct rh__link_ask q = { .operation = RH__LINK_KNOWN, .lease = l->known };
        if (rh__linked_say(l, &q, &a) != RH__LINK_OK)
            return false;
        if (!a.size || !l->rounds.learn(l->rounds.arg, a.bytes, a.size)) {
            rh__linked_break(l, "what the server says of a search makes no sense");
            return false;
        }
        l->known += a.size;
    }
    return true;
}

bool rh__linked_fetch(void *state, struct rh__lease *lease)
{
    struct rh__linked *l = state;
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_FETCH };
    struct rh__linked_lease got = l->next;
    if (!l->begun || l->gone || l->removed || l->broken || !has_room(l))
        return false;
    l->next = (struct rh__linked_lease){ 0 };
    if (!got.lease.number) {
        if (l->poll_pause > 0 && rh__now_seconds() < l->next_poll)
            return false;
        if (rh__linked_say(l, &q, &a) != RH__LINK_OK || !a.lease || !take_lease(l, &a, &got)) {
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

bool rh__linked_renew(void *state, uint64_t lease)
{
    struct rh__linked *l = state;
    struct rh__link_answer a;
    struct rh__link_ask q = { .operation = RH__LINK_RENEW, .workers = l->workers };
    return find(l, lease) < l->lease_count && rh__linked_say(l, &q, &a) == RH__LINK_OK && !a.max_runs;
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

/* A single long one (a network that holds for a moment) counts little. */
static void note_commit_seconds(struct rh__linked *l, double took)
{
    double most = 2 * l->commit_seconds + 0.001;
    l->commit_seconds += ((took < most ? took : most) - l->commit_seconds) / 8;
}

/* A commit that could not be sent may have arrived all the same: nobody knows, so it is late. */
enum rh__commit rh__linked_commit(void *state, uint64_t lease, const void *results, size_t size,
                                  const struct rh__items *rest)
{
    struct rh__linked *l = state;
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
    double from = rh__now_seconds();
    if (!l->gone && rh__linked_say_bytes(l, w.at, w.len, &a) == RH__LINK_OK)
        note_commit_seconds(l, rh__now_seconds() - from);
    if (a.status == RH__LINK_OK && a.lease)
        take_lease(l, &a, &l->next);
    rh__writer_release(&w);
    drop(l, find(l, lease));
    return a.status == RH__LINK_OK ? RH__COMMITTED : RH__COMMIT_LATE;
}
