/* Sets: an actor in rh_receive_set takes n sends at once, which is a unit of n events in the graph
 * (tests/reference/optimal_more.py).
 *
 * A unit is one event for everybody else: nothing happens between its events, and the first n - 1 of them do nothing.
 * Which event of the unit takes which send says nothing; the world takes the messages of a set in an order of its own.
 *
 * A set can be taken if nothing that must come first is left behind.  So it is a set of n messages that is closed under
 * an order of those that the receive wants: the order of a queue, causality, or, under mailbox, what comes before what
 * (before.c).
 *
 * Revisits.  A new send s makes the sets possible that contain s.  The other members of such a set were known to the
 * unit, or they were added behind it and are not in the past of s.  Then they are kept, with their pasts.
 *
 * Invariants:
 *   - The canonical set is found by taking the greatest send that can be taken first, then the greatest that can be
 *     taken with it, and so on.
 *   - For the unit that is revisited and for all that is deleted, the pasts of the members count, but not the members
 *     themselves, unless they were added before.  Otherwise there would be a canonical graph for each order in which
 *     members can be added, and the revisited graph would be visited once for each.
 *   - A deleted send that was taken by an event with a lower stamp is not canonical.  So from a unit that has been
 *     revisited, other sets are reached only through members that are kept.
 *
 * A receive of a set that timed out says, under mailbox, that fewer than n messages were there.  Which ones were is no
 * matter of order alone; optimal refuses these. */
#include <string.h>

#include "base/fail.h"
#include "explore/optimal/revisit.h"
#include "world/live.h"

enum { MOST_TRIED = 1 << 20 }; /* ways to put together a set, of one send */

/* ---- members ----------------------------------------------------------------------------------------------------- */

static bool has(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

/* Whether z must come before y or with it.  Under mailbox, what comes before y is marked. */
static bool goes_before(const struct view *v, const struct optimal_node *event, const struct optimal_node *z,
                        const struct optimal_node *y)
{
    bool hears = rh__hears_signals(&v->g->stances[event->event.stance].stance);
    if (v->g->by_receiver && y->send.posted)
        return z->send.posted && (z->of == y->of ? rh__graph_same_step_before(z, y) : v->g->map[z->of]);
    return rh__precedes(v->w, rh__graph_message(v->g, z), rh__graph_message(v->g, y), hears);
}

static void find_orders(const struct view *v, uint32_t event, uint32_t s)
{
    struct optimal_members *m = v->g->members;
    struct optimal_part part = rh__view_part_before(v, event);
    uint32_t words = (m->count + 63) / 64;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct optimal_node *y = rh__graph_node(v->g, m->send[i]);
        memset(m->must[i], 0, words * sizeof *m->must[i]);
        if (v->g->by_receiver && y->send.posted)
            rh__graph_mark_before_send(v->g, v->w, &part, m->send[i], s);
        for (uint32_t k = 0; k < m->count; k++)
            if (k != i && goes_before(v, rh__graph_node(v->g, event), rh__graph_node(v->g, m->send[k]), y))
                m->must[i][k / 64] |= UINT64_C(1) << k % 64;
    }
}

static bool joins(const struct optimal_graph *g, uint32_t event, uint32_t send)
{
    return rh__graph_joins(g, rh__graph_node(g, event), rh__graph_node(g, send));
}

/* Collects the sends that the event wants: of those that count for it, and `s` (RH_NONE: none).  The end of its wait is
 * one of them, and all that an actor that gathers takes alone, though no set has it: it may have to come first.
 * False if there are too many. */
static bool collect(const struct view *v, uint32_t event, uint32_t s)
{
    struct optimal_graph *g = v->g;
    struct optimal_members *m = g->members;
    m->count = 0;
    for (uint32_t y = g->last_send[rh__graph_node(g, event)->event.place]; y != RH_NONE;
         y = rh__graph_node(g, y)->send.before_to) {
        if (!(y == s || rh__view_knows(v, event, y)) || !rh__graph_wants(g, v->w, event, y))
            continue;
        if (m->count == MOST_MEMBERS_OF_SET)
            return false;
        m->send[m->count++] = y;
    }
    find_orders(v, event, s);
    return true;
}

static bool can_follow(const struct optimal_members *m, uint32_t i)
{
    for (uint32_t k = 0; k < m->count; k++)
        if (!m->in[k] && has(m->must[i], k))
            return false;
    return true;
}

/* ---- the canonical set ------------------------------------------------------------------------------------------- */

/* Whether the event took the send. */
static bool took(const struct optimal_graph *g, uint32_t event, uint32_t send)
{
    uint32_t by = rh__graph_node(g, send)->send.taken, n = rh__graph_node(g, event)->event.set;
    return by != RH_NONE && by >= event && by < event + n;
}

/* Chooses the greatest set: true if there is one.  *same: the event took it. */
static bool find_greatest(const struct view *v, uint32_t event, bool *same)
{
    struct optimal_members *m = v->g->members;
    uint32_t n = rh__graph_awaited(v->g, rh__graph_node(v->g, event));
    *same = true;
    memset(m->in, 0, m->count * sizeof *m->in);
    for (uint32_t taken = 0; taken < n; taken++) {
        uint32_t best = RH_NONE;
        for (uint32_t i = 0; i < m->count; i++) {
            struct optimal_option one = { .cause = m->send[i] }, other = { .cause = best };
            other.cause = best == RH_NONE ? RH_NONE : m->send[best];
            if (!m->in[i] && joins(v->g, event, m->send[i]) && can_follow(m, i) &&
                (best == RH_NONE || rh__graph_greater(v->g, &one, &other)))
                best = i;
        }
        if (best == RH_NONE)
            return false;
        m->in[best] = true;
        *same &= took(v->g, event, m->send[best]);
    }
    return true;
}

bool rh__view_took_greatest_set(const struct view *v, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(v->g, stamp);
    bool same;
    if (!collect(v, stamp, RH_NONE)) {
        v->g->overflows = true;
        return false;
    }
    if (find_greatest(v, stamp, &same))
        return same;
    if (x->event.set || (x->now.cause == RH_NONE && !x->event.greatest) ||
        (x->now.cause != RH_NONE && !rh__view_knows(v, stamp, x->now.cause)))
        return false;
    for (uint32_t y = v->g->last_send[x->event.place]; y != RH_NONE; y = rh__graph_node(v->g, y)->send.before_to) {
        struct optimal_option other = { .cause = y };
        if (y != x->now.cause && rh__view_knows(v, stamp, y) && rh__graph_greater(v->g, &other, &x->now) &&
            rh__view_deliverable(v, stamp, y))
            return false;
    }
    return true;
}

/* ---- all sets ---------------------------------------------------------------------------------------------------- */

uint32_t rh__graph_push_set(struct optimal_graph *g, uint32_t size)
{
    uint32_t at = g->order_top;
    g->orders[at] = size;
    g->order_top += 1 + size;
    return at + 1;
}

/* Members sorted so that what must come first is first: it has fewer before it. */
static void sort_members(struct optimal_members *m, uint32_t *sorted)
{
    uint32_t below[MOST_MEMBERS_OF_SET];
    for (uint32_t i = 0; i < m->count; i++) {
        uint32_t n = 0, k = i;
        for (uint32_t j = 0; j < (m->count + 63) / 64; j++)
            n += (uint32_t)__builtin_popcountll(m->must[i][j]);
        for (; k && below[k - 1] > n; k--) {
            sorted[k] = sorted[k - 1];
            below[k] = below[k - 1];
        }
        sorted[k] = i;
        below[k] = n;
    }
}

/* One who goes through all sets. */
struct sets {
    struct optimal_graph *g;
    uint32_t left; /* members to be chosen */
    const uint32_t *sorted;
    void (*each)(struct sets *k);
    uint32_t size, found;
    const struct rh_world *w; /* for the options of a new event */
    uint32_t event, offered;  /* ... and how many options it had before */
};

/* A member that is not forced is chosen only if all is chosen that must come first; a forced one is in the set from the
 * beginning, so that is asked for at the end. */
static void choose(struct sets *k, uint32_t at)
{
    struct optimal_members *m = k->g->members;
    if (k->g->overflows)
        return;
    if (!k->left) {
        for (uint32_t i = 0; i < m->count; i++)
            if (m->forced[i] && !can_follow(m, i))
                return;
        k->each(k);
        return;
    }
    if (m->count - at < k->left)
        return;
    uint32_t i = k->sorted[at];
    if (!m->forced[i] && !m->barred[i] && can_follow(m, i)) {
        m->in[i] = true;
        k->left--;
        choose(k, at + 1);
        k->left++;
        m->in[i] = false;
    }
    choose(k, at + 1);
}

static void choose_all(struct sets *k)
{
    struct optimal_members *m = k->g->members;
    uint32_t sorted[MOST_MEMBERS_OF_SET];
    sort_members(m, sorted);
    k->sorted = sorted;
    k->left = k->size;
    for (uint32_t i = 0; i < m->count; i++) {
        m->in[i] = m->forced[i];
        k->left -= m->forced[i];
    }
    choose(k, 0);
}

/* Puts the chosen set on the stack; 0 if there is no room. */
static uint32_t push_chosen(struct sets *k)
{
    struct optimal_members *m = k->g->members;
    if (!rh__graph_has_room(k->g, k->size)) {
        k->g->overflows = true;
        return 0;
    }
    uint32_t set = rh__graph_push_set(k->g, k->size), n = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->in[i])
            k->g->orders[set + n++] = m->send[i];
    RH__ASSERT(n == k->size, "a set of %u, not of %u", n, k->size);
    return set;
}

static void note_set(struct sets *k)
{
    k->found += push_chosen(k) != 0;
}

static void add_set(struct optimal_graph *g, uint32_t stamp, struct optimal_option option)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    g->options[g->option_top++] = option;
    x->option_count++;
    x->option_end++;
}

/* ---- options of a new unit --------------------------------------------------------------------------------------- */

/* Whether the chosen set was offered by the world. */
static bool is_offered(const struct sets *k)
{
    const struct optimal_members *m = k->g->members;
    const struct optimal_node *x = rh__graph_node(k->g, k->event);
    for (uint32_t i = 0; i < k->offered; i++) {
        uint32_t set = k->g->options[x->options + i].set, same = 0;
        for (uint32_t j = 0; set && j < k->size; j++)
            for (uint32_t n = 0; n < m->count; n++)
                same += m->in[n] && m->send[n] == rh__graph_set(k->g, set)[j];
        if (set && same == k->size)
            return true;
    }
    return false;
}

static void add_option(struct sets *k)
{
    struct optimal_part part = { .below = k->event, .row = RH_NONE };
    if (is_offered(k))
        return;
    uint32_t set = push_chosen(k);
    if (!set)
        return;
    struct optimal_option option = { .kind = RH_CHOICE_DELIVER, .cause = rh__graph_set(k->g, set)[0], .set = set };
    if (k->g->by_receiver)
        option.order = rh__graph_order(k->g, k->w, &part, RH_NONE, k->event, set);
    add_set(k->g, k->event, option);
}

void rh__graph_more_sets(struct optimal_graph *g, const struct rh_world *w, uint32_t stamp)
{
    struct optimal_members *m = g->members;
    struct view v = { g, w, NULL, { .actor = RH_NONE, .row = RH_NONE } };
    struct sets k = { .g = g, .each = add_option, .w = w, .event = stamp };
    k.size = rh__graph_awaited(g, rh__graph_node(g, stamp));
    k.offered = rh__graph_node(g, stamp)->option_count;
    if (collect(&v, stamp, RH_NONE)) {
        memset(m->forced, 0, m->count * sizeof *m->forced);
        for (uint32_t i = 0; i < m->count; i++)
            m->barred[i] = !joins(g, stamp, m->send[i]);
        choose_all(&k);
    } else {
        g->overflows = true;
    }
    rh__graph_node(g, stamp)->orders_end = g->order_top;
}

/* ---- revisits ---------------------------------------------------------------------------------------------------- */

/* What is looked for: sets with s that r can take. */
struct revisits {
    struct optimal_graph *g;
    const struct rh_world *w;
    uint32_t s, r, size;
};

static bool is_chosen(const struct optimal_members *m, uint32_t send)
{
    for (uint32_t i = 0; i < m->chosen_count; i++)
        if (m->chosen[i] == send)
            return true;
    return false;
}

/* The sets of s, all chosen extras and others that count for r without the extras: behind each other on the stack. */
static uint32_t find_sets(const struct revisits *f, const struct view *v, const struct view *alone)
{
    struct optimal_members *m = f->g->members;
    struct sets k = { .g = f->g, .each = note_set, .size = f->size };
    if (!collect(v, f->r, f->s)) {
        f->g->overflows = true;
        return 0;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        m->forced[i] = m->send[i] == f->s || is_chosen(m, m->send[i]);
        m->barred[i] = !m->forced[i] && !(joins(f->g, f->r, m->send[i]) && rh__view_knows(alone, f->r, m->send[i]));
    }
    choose_all(&k);
    return k.found;
}

/* Whether the unit and all that is deleted are canonical.  Nothing of that is known of the chosen extras but their
 * pasts.  (The other members are known to the unit, or are in the past of s.) */
static bool all_canonical(const struct revisits *f)
{
    struct optimal_graph *g = f->g;
    const struct optimal_members *m = g->members;
    uint32_t rows = g->row_top;
    struct view v = { g, f->w, rh__graph_node(g, f->s), { .actor = RH_NONE } };
    bool good = true;
    v.past.row = rh__graph_push_past(g, f->s, f->r, m->chosen, m->chosen_count, false);
    for (uint32_t i = f->s; i-- > f->r && good;)
        good = rh__view_in_past(&v, rh__graph_node(g, i)) || is_chosen(m, i) || rh__view_canonical(&v, i);
    g->row_top = rows;
    return good;
}

/* With these extras. */
static void try_extras(const struct revisits *f, const struct view *alone)
{
    struct optimal_graph *g = f->g;
    struct optimal_members *m = g->members;
    uint32_t rows = g->row_top, first = g->order_top + 1;
    struct view v = { g, f->w, rh__graph_node(g, f->s), { .actor = RH_NONE } };
    if (!all_canonical(f))
        return;
    v.past.row = rh__graph_push_past(g, f->s, f->r, m->chosen, m->chosen_count, true);
    uint32_t n = find_sets(f, &v, alone);
    struct optimal_part part = rh__view_part_before(&v, f->r);
    for (uint32_t i = 0; i < n; i++) {
        struct optimal_option option = { .cause = f->r, .set = first + i * (f->size + 1) };
        if (g->by_receiver)
            option.order = rh__graph_order(g, f->w, &part, f->s, f->r, option.set);
        add_set(g, f->s, option);
    }
    g->row_top = rows;
}

static void choose_extras(const struct revisits *f, const struct view *alone, uint32_t at)
{
    struct optimal_members *m = f->g->members;
    if (m->tried++ > MOST_TRIED)
        f->g->overflows = true;
    if (f->g->overflows)
        return;
    if (at == m->extra_count || m->chosen_count + 1 == f->size) {
        try_extras(f, alone);
        return;
    }
    choose_extras(f, alone, at + 1);
    m->chosen[m->chosen_count++] = m->extra[at];
    choose_extras(f, alone, at + 1);
    m->chosen_count--;
}

void rh__graph_find_set_revisits(struct optimal_graph *g, const struct rh_world *w, uint32_t s, uint32_t r)
{
    struct optimal_members *m = g->members;
    const struct optimal_node *send = rh__graph_node(g, s), *x = rh__graph_node(g, r);
    const struct revisits f = { g, w, s, r, rh__graph_awaited(g, x) };
    struct view alone = { g, w, send, rh__graph_past(g, send) };
    m->extra_count = m->chosen_count = m->tried = 0;
    for (uint32_t y = g->last_send[x->event.place]; y != RH_NONE && y > r; y = rh__graph_node(g, y)->send.before_to) {
        const struct optimal_node *other = rh__graph_node(g, y);
        if (y == s || rh__view_in_past(&alone, other) || rh__graph_in_past(g, x, other) || !joins(g, r, y) ||
            !rh__graph_wants(g, w, r, y))
            continue;
        if (m->extra_count == MOST_MEMBERS_OF_SET) {
            g->overflows = true;
            return;
        }
        m->extra[m->extra_count++] = y;
    }
    choose_extras(&f, &alone, 0);
}
