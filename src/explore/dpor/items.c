/* Parts of the search as items of work [Eta 2011, 6.1].
 *
 * An item is a branch of the decision tree: the nodes from the root to one with an untried choice, with their marks.
 * Whoever has the item explores its untried choices with the whole reduction.  What its runs ask for below the branch
 * is its own affair.  At the nodes that it shares with others (`shared`), they may ask for it, too: so nobody begins
 * it, but writes a claim: an item of this one choice, with a key that is the way to it.  Of claims with the same key
 * the queue keeps the first (rh_inner_claim in rehearse/explorer.h).  The paper's master does the same with its
 * decision tree.
 *
 *   - A choice that is selected at a shared node is explored once, by one of them.  A node becomes shared when work
 *     below it is given away (give_half).  What is selected there by then is known to all who come there later: the
 *     marks go with each item.  What is selected later has a claim.
 *   - What is asked for is a function of the runs (dpor.h).  So the runs are those of one process.
 *   - Untried choices are at the last shared node or below it.  The picks before it stay as they are as long as the
 *     item lasts, so that a claim can be written at any time until then.
 *
 *     item:  version, flags, number of nodes, of shared ones; nodes
 *     node:  number of choices; if there are several: pick, number of selected ones, each with its marks; a hash of the
 *            choice at the pick, but for the last node
 *
 * An item may be any bytes.  Who continues compares each choice on the way with its hash. */
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "explore/dpor/dpor.h"

enum { ITEM_VERSION = 0xd7, WAS_CUT = 1, CLAIM_KEY = 0x63 };

uint16_t rh__dpor_taken(const struct rh_choice *c)
{
    return (uint16_t)rh__mix((uint64_t)c->kind << 32 | c->actor, (uint64_t)c->what << 32 | c->arg);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static unsigned char marks_of(const struct dpor *d, uint32_t node, uint32_t place)
{
    return d->marks[d->node[node].first + place];
}

/* What is written of the marks beside SELECTED. */
struct branch {
    uint32_t nodes, shared;
    unsigned char kept;
    uint32_t from, to;   /* choices of the last node that are given with it: they are untried */
    unsigned char given; /* ... of those with this mark */
};

static void put_node(struct rh__writer *w, const struct dpor *d, const struct branch *b, uint32_t node)
{
    const struct node *n = &d->node[node];
    bool last = node + 1 == b->nodes;
    uint32_t selected = 0, at = 0;
    for (uint32_t i = 0; i < n->count; i++)
        selected += (marks_of(d, node, i) & SELECTED) != 0;
    rh__put_small(w, n->count);
    rh__put_small(w, n->pick);
    rh__put_small(w, selected);
    for (uint32_t i = 0; i < n->count; i++) {
        unsigned char m = marks_of(d, node, i), kept = m & b->kept;
        if (!(m & SELECTED))
            continue;
        if (last && i >= b->from && i < b->to && m & b->given)
            kept = UNTRIED;
        rh__put_small(w, (uint64_t)(i - at) << 2 | (kept & UNTRIED ? 1 : 0) | (kept & CLAIMED ? 2 : 0));
        at = i;
    }
    uint16_t taken = 0;
    if (!last) {
        taken = node < d->bare ? n->taken : rh__dpor_taken(&d->choice[n->first + n->pick]);
        rh__put(w, &taken, sizeof taken);
    }
}

static size_t put_branch(const struct dpor *d, const struct branch *b, void *buffer, size_t room)
{
    struct rh__writer w = rh__writer_of(buffer, room);
    rh__put_small(&w, ITEM_VERSION);
    rh__put_small(&w, d->cut ? WAS_CUT : 0);
    rh__put_small(&w, b->nodes);
    rh__put_small(&w, b->shared);
    for (uint32_t i = 0; i < b->nodes; i++)
        put_node(&w, d, b, i);
    return w.full ? 0 : w.len;
}

/* Takes the mark from these choices of the node. */
static void unmark(struct dpor *d, uint32_t node, uint32_t from, uint32_t to, unsigned char mark)
{
    for (uint32_t i = from; i < to; i++)
        d->marks[d->node[node].first + i] &= (unsigned char)~mark;
}

static uint32_t count_at(const struct dpor *d, uint32_t node, unsigned char mark)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->node[node].count; i++)
        count += (marks_of(d, node, i) & mark) != 0;
    return count;
}

/* Gives the last half of the untried choices at the shallowest node that has some.  If one is left in all, it stays. */
static size_t give_half(struct dpor *d, void *buffer, size_t room)
{
    uint32_t at = 0, here = 0;
    bool elsewhere = false;
    for (uint32_t i = d->top; i-- > 0;) {
        uint32_t untried = count_at(d, i, UNTRIED);
        if (!untried)
            continue;
        elsewhere |= here > 0;
        here = untried;
        at = i;
    }
    uint32_t give = here > 1 ? here / 2 : elsewhere ? here : 0, from = d->node[at].count, to = from;
    if (!give)
        return 0;
    for (uint32_t left = give; left; left -= (marks_of(d, at, from) & UNTRIED) != 0)
        from--;
    struct branch b = { .nodes = at + 1, .shared = at + 1, .from = from, .to = to, .given = UNTRIED };
    size_t size = put_branch(d, &b, buffer, room);
    if (!size)
        return 0;
    unmark(d, at, from, to, UNTRIED);
    d->level[at].children -= give < d->level[at].children ? give : 0;
    d->shared = d->shared > at + 1 ? d->shared : at + 1;
    return size;
}

/* What is untried, and claims that were not written. */
static size_t give_rest(struct dpor *d, void *buffer, size_t room)
{
    uint32_t nodes = d->top;
    while (nodes && !count_at(d, nodes - 1, UNTRIED))
        nodes--;
    if (!nodes && d->claims)
        for (nodes = d->shared; nodes && !count_at(d, nodes - 1, CLAIMED);)
            nodes--;
    struct branch b = { .nodes = nodes, .shared = d->shared < nodes ? d->shared : nodes, .kept = UNTRIED | CLAIMED };
    size_t size = nodes ? put_branch(d, &b, buffer, room) : 0;
    if (size)
        d->top = d->claims = 0;
    return size;
}

static size_t dpor_pack(void *state, void *buffer, size_t room, bool half)
{
    struct dpor *d = state;
    if (d->floor || d->diverged || d->full)
        return 0;
    if (d->whole && !half) {
        size_t size = rh_item_put_root(buffer, room);
        d->whole = !size;
        return size;
    }
    if (d->whole || !d->top || (half && d->moved))
        return 0;
    return half ? give_half(d, buffer, room) : give_rest(d, buffer, room);
}

/* The way to the choice: the same picks are the same way, in all processes. */
static void name_claim(const struct dpor *d, uint32_t node, uint32_t place, uint64_t key[2])
{
    for (uint32_t k = 0; k < 2; k++) {
        key[k] = rh__mix(CLAIM_KEY + k, node);
        for (uint32_t i = 0; i < node; i++)
            key[k] = rh__mix(key[k], (uint64_t)d->node[i].count << 32 | d->node[i].pick);
        key[k] = rh__mix(key[k], (uint64_t)d->node[node].count << 32 | place);
    }
}

static size_t dpor_claim(void *state, void *buffer, size_t room, uint64_t key[2])
{
    struct dpor *d = state;
    if (!d->claims || d->diverged || d->full)
        return 0;
    for (uint32_t node = 0; node < d->shared; node++)
        for (uint32_t i = 0; i < d->node[node].count; i++) {
            if (!(marks_of(d, node, i) & CLAIMED))
                continue;
            struct branch b = { .nodes = node + 1, .shared = node + 1, .from = i, .to = i + 1, .given = CLAIMED };
            size_t size = put_branch(d, &b, buffer, room);
            name_claim(d, node, i, key);
            if (size) {
                unmark(d, node, i, i + 1, CLAIMED);
                d->claims--;
            }
            return size;
        }
    return 0;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool read_marks(struct dpor *d, struct rh__reader *r, uint32_t node, uint64_t selected)
{
    const struct node *n = &d->node[node];
    uint64_t at = 0;
    memset(d->marks + n->first, 0, n->count);
    for (uint64_t i = 0; i < selected; i++) {
        uint64_t mark = rh__get_small(r);
        at += mark >> 2;
        if (r->bad || at >= n->count || (i && mark < 4) || (mark & 1 && node + 1 < d->shared) ||
            (mark & 2 && node >= d->shared) || (mark & 3) == 3)
            return false;
        d->marks[n->first + at] = (unsigned char)(SELECTED | (mark & 1 ? UNTRIED : 0) | (mark & 2 ? CLAIMED : 0));
        d->claims += mark >> 1 & 1;
    }
    return true;
}

static bool read_nodes(struct dpor *d, struct rh__reader *r, uint32_t nodes)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        uint64_t count = rh__get_small(r), pick = rh__get_small(r), selected = rh__get_small(r);
        if (r->bad || !count || count > MOST_CHOICES - first || pick >= count || !selected || selected > count)
            return false;
        d->node[i] = (struct node){ .first = first, .count = (uint32_t)count, .pick = (uint32_t)pick };
        first += (uint32_t)count;
        if (!read_marks(d, r, i, selected))
            return false;
        bool last = i + 1 == nodes;
        const void *taken = last ? NULL : rh__get(r, sizeof d->node[i].taken);
        if (!last && !taken)
            return false;
        if (taken)
            memcpy(&d->node[i].taken, taken, sizeof d->node[i].taken);
        rh__level_enter(&d->level[i], count_at(d, i, UNTRIED) + !last);
        rh__level_enter(&d->space[i], (uint32_t)count);
    }
    return count_at(d, nodes - 1, UNTRIED | CLAIMED) > 0;
}

static bool read_item(struct dpor *d, struct rh__reader *r)
{
    uint64_t version = rh__get_small(r), flags = rh__get_small(r), nodes = rh__get_small(r), shared = rh__get_small(r);
    if (r->bad || version != ITEM_VERSION || flags > WAS_CUT || !nodes || nodes >= d->steps || shared > nodes)
        return false;
    d->shared = (uint32_t)shared;
    if (!read_nodes(d, r, (uint32_t)nodes) || !rh__reader_done(r))
        return false;
    d->cut = flags & WAS_CUT;
    d->top = d->bare = (uint32_t)nodes;
    return true;
}

static bool dpor_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    (void)w;
    struct dpor *d = state;
    struct rh__reader r = rh__reader_of(item, size);
    d->top = d->floor = d->history.floor = d->shared = d->claims = d->bare = 0; /* no work is left if it is refused */
    d->diverged = d->full = d->cut = d->over = false;
    d->unlinked = true;
    d->whole = rh_item_is_root(item, size);
    d->placed = d->moved = !d->whole;
    if (d->whole || read_item(d, &r))
        return true;
    d->claims = 0;
    d->moved = false;
    return false;
}

static uint32_t dpor_lead(const void *state)
{
    const struct dpor *d = state;
    return d->moved && d->top > 1 ? d->top : 0;
}

const struct rh_explorer_share rh__dpor_share = {
    .pack = dpor_pack, .unpack = dpor_unpack, .lead = dpor_lead, .claim = dpor_claim
};
