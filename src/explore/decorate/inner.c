/* Calls an explorer that may be a decorator (rehearse/explorer.h).  A function that the decorator's tables omit is
 * forwarded to the inner explorer.  All callers use these functions, so every decorator forwards a function that is
 * added to a table later. */
#include <string.h>

#include "base/fail.h"
#include "explore/explorers.h"
#include "explore/tree.h"

/* Sets e to the outermost explorer that has the function, or to NULL if none has. */
#define FIND(e, has)                                                                                                   \
    while ((e) && !(has))                                                                                              \
    (e) = acting(e)
#define REPORTS(e, call) ((e)->explorer->report && (e)->explorer->report->call)
#define SHARES(e, call)  ((e)->explorer->share && (e)->explorer->share->call)

static const struct rh_inner *all_inner(const struct rh_inner *e, uint32_t *count, uint32_t *now)
{
    *count = *now = 0;
    return e->explorer->decorator ? e->explorer->decorator->inner(e->state, count, now) : NULL;
}

static const struct rh_inner *acting(const struct rh_inner *e)
{
    uint32_t count, now;
    const struct rh_inner *list = all_inner(e, &count, &now);
    return now < count ? &list[now] : NULL;
}

uint32_t rh_inner_begin(const struct rh_inner *e, const struct rh_world *w)
{
    FIND(e, e->explorer->begin);
    return e ? e->explorer->begin(e->state, w) : 0;
}

static bool is_filter(const struct rh_inner *e)
{
    return e->explorer->decorator && e->explorer->decorator->hide;
}

static uint32_t choose_filtered(const struct rh_inner *e, const struct rh_world *w, const struct rh_choice *open,
                                uint32_t count)
{
    const struct rh_explorer_decorator *d = e->explorer->decorator;
    const struct rh_inner *inner = acting(e);
    struct rh_filter_room *r = e->room;
    uint32_t hides = d->hide(e->state, w, open, count, r->hidden);
    if (!hides)
        return rh_inner_choose(inner, w, open, count);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!r->hidden[i]) {
            r->seen[seen] = open[i];
            r->index[seen++] = i;
        }
        r->hidden[i] = false;
    }
    RH__ASSERT(seen + hides == count, "filter %s says that it hides %u of %u choices, and marks %u", e->explorer->name,
               hides, count, count - seen);
    r->hid = true;
    *r->bounded |= !d->hides_explored;
    if (!seen)
        return d->hides_explored ? RH_PRUNED : RH_NONE;
    uint32_t pick = rh_inner_choose(inner, w, r->seen, seen);
    return pick < seen ? r->index[pick] : pick;
}

__attribute__((noinline)) static uint32_t choose_inside(const struct rh_inner *e, const struct rh_world *w,
                                                        const struct rh_choice *open, uint32_t count)
{
    FIND(e, e->explorer->choose || is_filter(e));
    if (!e)
        return RH_NONE;
    return e->explorer->choose ? e->explorer->choose(e->state, w, open, count) : choose_filtered(e, w, open, count);
}

/* Called at every step: the common case first. */
uint32_t rh_inner_choose(const struct rh_inner *e, const struct rh_world *w, const struct rh_choice *open,
                         uint32_t count)
{
    if (e->explorer->choose)
        return e->explorer->choose(e->state, w, open, count);
    return choose_inside(e, w, open, count);
}

void rh_inner_end(const struct rh_inner *e, const struct rh_world *w, const struct rh_run *run)
{
    FIND(e, e->explorer->end);
    if (e)
        e->explorer->end(e->state, w, run);
}

/* A decorator that begins runs or chooses by itself may leave runs out, so it has no part in the promise of the
 * explorer inside.  A filter hides choices, and the flags of its row say what that means. */
static bool promises_nothing(const struct rh_inner *e)
{
    return !REPORTS(e, verdict) && (e->explorer->begin || e->explorer->choose);
}

enum rh_verdict rh_inner_verdict(const struct rh_inner *e)
{
    bool bounded = false;
    for (; e && !REPORTS(e, verdict); e = acting(e)) {
        if (promises_nothing(e))
            return RH_VERDICT_SAMPLED;
        bounded |= is_filter(e) && e->room->hid && !e->explorer->decorator->hides_explored;
    }
    enum rh_verdict v = e ? e->explorer->report->verdict(e->state) : RH_VERDICT_SAMPLED;
    return v == RH_VERDICT_EXHAUSTIVE && bounded ? RH_VERDICT_BOUNDED : v;
}

bool rh_inner_can_finish(const struct rh_inner *e)
{
    for (; e && !REPORTS(e, verdict); e = acting(e))
        if (promises_nothing(e))
            return false;
    return e != NULL;
}

double rh_inner_estimate(const struct rh_inner *e)
{
    FIND(e, REPORTS(e, estimate));
    return e ? e->explorer->report->estimate(e->state) : 0;
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

enum { ROOT = 'R' };

bool rh_item_is_root(const void *item, size_t size)
{
    return size == 1 && *(const unsigned char *)item == ROOT;
}

size_t rh_item_put_root(void *buffer, size_t room)
{
    if (room)
        *(unsigned char *)buffer = ROOT;
    return room > 0;
}

static const unsigned char keyed[8] = { 0xff, 'r', 'h', 'o', 'n', 'c', 'e', 0xff };

const void *rh_item_key(const void *item, size_t size)
{
    return size >= RH_ITEM_KEY && memcmp(item, keyed, sizeof keyed) == 0 ? item : NULL;
}

/* Recursive.  The parser limits the depth. */
bool rh_inner_claims(const struct rh_inner *e)
{
    uint32_t count, now;
    const struct rh_inner *list = all_inner(e, &count, &now);
    bool claims = SHARES(e, claim);
    for (uint32_t i = 0; i < count && !claims; i++)
        claims = rh_inner_claims(&list[i]);
    return claims;
}

/* Recursive.  The parser limits the depth.  Forwarding reaches one inner explorer only. */
bool rh_inner_can_share(const struct rh_inner *e)
{
    uint32_t count, now;
    const struct rh_inner *list = all_inner(e, &count, &now);
    bool own = SHARES(e, pack) && SHARES(e, unpack);
    if ((SHARES(e, can) && !e->explorer->share->can(e->state)) || (!own && count != 1))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!rh_inner_can_share(&list[i]) || (own && !SHARES(e, claim) && rh_inner_claims(&list[i])))
            return false;
    return true;
}

size_t rh_inner_pack(const struct rh_inner *e, void *buffer, size_t room, bool half)
{
    if (!rh_inner_can_share(e))
        return 0;
    FIND(e, SHARES(e, pack));
    return e ? e->explorer->share->pack(e->state, buffer, room, half) : 0;
}

size_t rh_inner_claim(const struct rh_inner *e, void *buffer, size_t room)
{
    uint64_t key[2];
    if (room < RH_ITEM_KEY || !rh_inner_can_share(e))
        return 0;
    FIND(e, SHARES(e, claim));
    size_t size = e ? e->explorer->share->claim(e->state, (char *)buffer + RH_ITEM_KEY, room - RH_ITEM_KEY, key) : 0;
    if (!size)
        return 0;
    memcpy(buffer, keyed, sizeof keyed);
    memcpy((char *)buffer + sizeof keyed, key, sizeof key);
    return RH_ITEM_KEY + size;
}

/* The explorers without unpack have their work already. */
static bool unpack_root(const struct rh_inner *e, const struct rh_world *w, const void *item, size_t size)
{
    if (SHARES(e, unpack))
        return e->explorer->share->unpack(e->state, w, item, size);
    uint32_t count, now;
    const struct rh_inner *list = all_inner(e, &count, &now);
    for (uint32_t i = 0; i < count; i++)
        if (!unpack_root(&list[i], w, item, size))
            return false;
    return true;
}

bool rh_inner_unpack_root(const struct rh_inner *e, const struct rh_world *w)
{
    unsigned char item;
    return unpack_root(e, w, &item, rh_item_put_root(&item, sizeof item));
}

bool rh_inner_unpack(const struct rh_inner *e, const struct rh_world *w, const void *item, size_t size)
{
    if (rh_item_key(item, size)) {
        item = (const char *)item + RH_ITEM_KEY;
        size -= RH_ITEM_KEY;
    }
    if (rh_item_is_root(item, size))
        return unpack_root(e, w, item, size);
    if (!rh_inner_can_share(e))
        return false;
    FIND(e, SHARES(e, unpack));
    return e && e->explorer->share->unpack(e->state, w, item, size);
}

uint32_t rh_inner_lead(const struct rh_inner *e)
{
    FIND(e, SHARES(e, lead));
    return e ? e->explorer->share->lead(e->state) : 0;
}

uint32_t rh_inner_arrived(const struct rh_inner *e, const struct rh_world *w)
{
    FIND(e, SHARES(e, arrived));
    return e ? e->explorer->share->arrived(e->state, w) : rh__depth(w);
}

const struct rh_inner *rh_inner_with_rounds(const struct rh_inner *e)
{
    if (!rh_inner_can_share(e))
        return NULL;
    FIND(e, SHARES(e, unpack));
    return e && SHARES(e, rounds) ? e : NULL;
}

double rh_inner_share(const struct rh_inner *e, uint64_t *runs)
{
    *runs = 0;
    FIND(e, SHARES(e, share));
    return e ? e->explorer->share->share(e->state, runs) : 0;
}

/* ---- questions to all inner explorers ---------------------------------------------------------------------------- */

/* Recursive.  The parser limits the depth. */
bool rh_inner_diverged(const struct rh_inner *e)
{
    if (REPORTS(e, diverged))
        return e->explorer->report->diverged(e->state);
    uint32_t count, now;
    const struct rh_inner *list = all_inner(e, &count, &now);
    for (uint32_t i = 0; i < count; i++)
        if (rh_inner_diverged(&list[i]))
            return true;
    return false;
}

/* Recursive, like rh_inner_can_share. */
static bool only_resets(const struct rh_inner *e)
{
    uint32_t count, now;
    const struct rh_inner *list = all_inner(e, &count, &now);
    for (uint32_t i = 0; i < count; i++)
        if (!only_resets(&list[i]))
            return false;
    return e->explorer->resets_only;
}

bool rh__inner_only_resets(const struct rh_inner *e)
{
    return only_resets(e) && !rh__inner_needs_beginning(e);
}

const struct rh_explorer *rh__inner_needs_beginning(const struct rh_inner *e)
{
    uint32_t count, now;
    const struct rh_inner *list = all_inner(e, &count, &now);
    const struct rh_explorer *found = e->explorer->needs_beginning ? e->explorer : NULL;
    for (uint32_t i = 0; i < count && !found; i++)
        found = rh__inner_needs_beginning(&list[i]);
    return found;
}

void rh_inner_notes(const struct rh_inner *e, char *buffer, size_t size)
{
    if (!size)
        return;
    buffer[0] = 0;
    if (REPORTS(e, notes)) {
        e->explorer->report->notes(e->state, buffer, size);
        return;
    }
    uint32_t count, now;
    const struct rh_inner *list = all_inner(e, &count, &now);
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(buffer);
        bool line = length && length + 2 < size;
        rh_inner_notes(&list[i], buffer + length + line, size - length - line);
        if (line && buffer[length + 1])
            buffer[length] = '\n';
    }
}

/* ---- decorators that take one explorer --------------------------------------------------------------------------- */

const struct rh_argument rh_only_arguments[] = {
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .help = "the explorer inside", .required = true },
    { .name = NULL },
};

static const struct rh_inner *only_inner(const void *state, uint32_t *count, uint32_t *now)
{
    *count = 1;
    *now = 0;
    return state;
}

const struct rh_explorer_decorator rh_only_decorator = { .inner = only_inner };

static enum rh_verdict only_verdict(const void *state)
{
    return rh_inner_verdict(state);
}

const struct rh_explorer_report rh_only_report = { .verdict = only_verdict };

bool rh_only_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error, size_t error_size)
{
    return rh_exploration_inner(x, a, 0, state, error, error_size);
}
