/* dfs: every sequence of choices, once: a stateless depth-first search [Godefroid 1997] [Eta 2011, 3].  Only the
 * current branch of the decision tree is kept, so memory is linear in its depth.  The next run keeps the events that
 * it shares with the last.
 *
 * At each level of the branch the choices pick + 1 .. end - 1 are untried.  `end` is the number of open choices, or
 * less if some of the last ones were given away (pack).  An item is such a branch: the picks that lead to the deepest
 * level with an untried choice, and a hash of the choices at these picks.  The process that continues compares the
 * hash.
 *
 * The weight of a run is its share of the tree if all subtrees of a node are equally large.  The estimate is the
 * number of runs divided by the sum of their weights.  The estimate of [Eta 2011, 4] (engine/tree_estimate.h) has the
 * same idea, but it depends on little more than the latest run right after the search has entered a new subtree.
 * Measured over ten searches of our examples (store, philosophers, pingpong, scheduler): after a quarter of the runs
 * weights are off by a factor of 1.3 on average and 1.8 at worst, averages per subtree by 1.7 and 26; after half of
 * the runs by 1.3 and 2.2 against 1.7 and 4.  Weights also add up over the workers of one tree. */
#include <stdio.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "explore/explorers.h"
#include "world/live.h"

enum { ITEM_VERSION = 0xd2 };

struct branch {
    uint32_t pick, end, size;
    double weight;          /* of each subtree */
    struct rh_choice taken; /* the choice at `pick`, once the run has made it */
};

struct dfs {
    const uint32_t *events; /* number of events of the run */
    struct branch *path;
    uint32_t top, room;
    uint32_t floor; /* a decorator takes the choices before this one */
    bool whole;     /* all of the tree is left, and no run was made */
    bool placed, diverged;
    bool moved;    /* the path comes from an item, and no run has followed it yet */
    uint64_t way;  /* ... hash of the choices that lead to its deepest level */
    uint64_t runs; /* of this item */
    double done;   /* their weight */
};

static bool dfs_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                     size_t error_size)
{
    (void)a;
    struct dfs *d = state;
    d->events = rh__world_event_counter(rh__exploration_world(x));
    d->room = rh_exploration_max_steps(x) + 2;
    d->path = rh_exploration_memory(x, (size_t)d->room * sizeof *d->path);
    if (!d->path)
        snprintf(error, error_size, "no memory for explorer dfs");
    return d->path != NULL;
}

static bool is_open(const struct branch *b)
{
    return b->pick + 1 < b->end;
}

static void drop_finished_levels(struct dfs *d)
{
    while (d->top > d->floor && !is_open(&d->path[d->top - 1]))
        d->top--;
}

/* A hash of the choices before this level.  Only items need it, so it is computed when there is one. */
static uint64_t way_to(const struct dfs *d, uint32_t level)
{
    uint64_t way = 0;
    for (uint32_t i = 0; i < level; i++) {
        const struct rh_choice *c = &d->path[i].taken;
        way = rh__mix(way, rh__mix((uint64_t)c->kind << 32 | c->actor, (uint64_t)c->what << 32 | c->arg));
    }
    return way;
}

/* The weight of each subtree at the level below `above`; NULL: at the first level. */
static double weight_below(const struct branch *above, uint32_t size)
{
    double weight = above ? above->weight : 1;
    return size > 1 ? weight / size : weight;
}

static uint32_t dfs_begin(void *state, const struct rh_world *w)
{
    (void)w;
    struct dfs *d = state;
    if (d->whole) {
        d->whole = false;
        return 1;
    }
    drop_finished_levels(d);
    if (d->top <= d->floor || d->diverged)
        return 0;
    d->path[d->top - 1].pick++;
    return d->moved ? 1 : d->top; /* the beginning and the choices before this one; the world holds none of an item */
}

static uint32_t dfs_lead(const void *state)
{
    const struct dfs *d = state;
    return d->moved ? d->top : 0;
}

/* False: the same picks led to other choices in another process. */
static bool is_on_its_way(struct dfs *d, uint32_t depth)
{
    if (depth + 2 == d->top && d->way != way_to(d, d->top - 1))
        return false;
    d->moved = depth + 2 < d->top;
    return true;
}

static uint32_t dfs_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w;
    struct dfs *d = state;
    uint32_t depth = *d->events - 1;
    struct branch *b = &d->path[depth];
    if (!d->placed) {
        d->placed = true;
        d->floor = depth;
    }
    if (depth >= d->top) {
        b->pick = 0;
        b->end = b->size = count;
        b->weight = weight_below(depth > d->floor ? b - 1 : NULL, count);
        d->top = depth + 1;
    }
    bool same = b->size == count; /* else the program is not deterministic: the counts of runs would be wrong */
    if (same)
        rh__choice_copy(&b->taken, &open[b->pick]);
    if (same && (!d->moved || is_on_its_way(d, depth)))
        return b->pick;
    d->diverged = true;
    return RH_NONE;
}

static void dfs_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    (void)w, (void)run;
    struct dfs *d = state;
    d->runs++;
    d->done += d->top > d->floor ? d->path[d->top - 1].weight : 1;
}

static bool dfs_diverged(const void *state)
{
    return ((const struct dfs *)state)->diverged;
}

static enum rh_verdict dfs_verdict(const void *state)
{
    return ((const struct dfs *)state)->diverged ? RH_VERDICT_SAMPLED : RH_VERDICT_EXHAUSTIVE;
}

static double dfs_share(const void *state, uint64_t *runs)
{
    const struct dfs *d = state;
    *runs = d->runs;
    return d->done;
}

static double dfs_estimate(const void *state)
{
    const struct dfs *d = state;
    bool all = d->runs;
    for (uint32_t i = d->floor; i < d->top && all; i++)
        all = !is_open(&d->path[i]);
    return all ? (double)d->runs : d->done > 0 ? (double)d->runs / d->done : 0; /* sums of many shares are not exact */
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

static size_t write_item(const struct dfs *d, uint32_t levels, const struct branch *last, void *buffer, size_t room)
{
    struct rh__writer w = rh__writer_of(buffer, room);
    rh__put_small(&w, ITEM_VERSION);
    rh__put_small(&w, levels);
    for (uint32_t i = 0; i < levels; i++) {
        const struct branch *b = i + 1 == levels ? last : &d->path[i];
        rh__put_small(&w, b->size);
        if (b->size > 1) {
            rh__put_small(&w, b->pick);
            rh__put_small(&w, b->end - b->pick);
        }
    }
    rh__put64(&w, d->moved ? d->way : way_to(d, levels - 1));
    return w.full ? 0 : w.len;
}

/* Writes the last half of the untried choices at the shallowest level that has some.  If one choice is left in all, it
 * stays. */
static size_t pack_half(struct dfs *d, void *buffer, size_t room)
{
    uint32_t at = 0, open = 0;
    for (uint32_t i = d->top; i-- > 0;)
        if (is_open(&d->path[i])) {
            at = i;
            open++;
        }
    if (!open || (open == 1 && d->path[at].pick + 2 == d->path[at].end))
        return 0;
    struct branch *b = &d->path[at], given = *b;
    uint32_t share = (b->end - b->pick) / 2;
    given.pick = b->end - share - 1;
    size_t size = write_item(d, at + 1, &given, buffer, room);
    if (size)
        b->end -= share;
    return size;
}

static size_t dfs_pack(void *state, void *buffer, size_t room, bool half)
{
    struct dfs *d = state;
    if (d->floor || d->diverged)
        return 0;
    if (d->whole && !half) {
        size_t size = rh_item_put_root(buffer, room);
        d->whole = !size;
        return size;
    }
    drop_finished_levels(d);
    if (!d->top || (half && d->moved))
        return 0;
    if (half)
        return pack_half(d, buffer, room);
    size_t size = write_item(d, d->top, &d->path[d->top - 1], buffer, room);
    if (size)
        d->top = 0;
    return size;
}

static bool read_levels(struct dfs *d, struct rh__reader *r, uint64_t levels)
{
    for (uint32_t i = 0; i < levels; i++) {
        uint64_t size = rh__get_small(r), pick = 0, left = 1;
        if (size > 1) {
            pick = rh__get_small(r);
            left = rh__get_small(r);
        }
        /* The deepest level of an item has an untried choice. */
        if (r->bad || !size || size > UINT32_MAX || pick >= size || !left || left > size - pick ||
            (i + 1 == levels && left < 2))
            return false;
        d->path[i] = (struct branch){ .pick = (uint32_t)pick,
                                      .end = (uint32_t)(pick + left),
                                      .size = (uint32_t)size,
                                      .weight = weight_below(i ? &d->path[i - 1] : NULL, (uint32_t)size) };
    }
    return true;
}

static bool dfs_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    (void)w;
    struct dfs *d = state;
    d->top = d->floor = 0; /* no work is left if the item is refused */
    d->moved = d->diverged = false;
    d->runs = 0;
    d->done = 0;
    d->whole = rh_item_is_root(item, size);
    d->placed = !d->whole;
    if (d->whole)
        return true;
    struct rh__reader r = rh__reader_of(item, size);
    uint64_t version = rh__get_small(&r), levels = rh__get_small(&r);
    if (version != ITEM_VERSION || !levels || levels >= d->room || !read_levels(d, &r, levels))
        return false;
    d->way = rh__get64(&r);
    if (!rh__reader_done(&r))
        return false;
    d->top = (uint32_t)levels;
    d->moved = levels > 1;
    return true;
}

static const struct rh_explorer_report dfs_report = { .verdict = dfs_verdict,
                                                      .estimate = dfs_estimate,
                                                      .diverged = dfs_diverged };
static const struct rh_explorer_share dfs_shares = {
    .pack = dfs_pack, .unpack = dfs_unpack, .lead = dfs_lead, .share = dfs_share
};

const struct rh_explorer rh__explorer_dfs = {
    .name = "dfs",
    .summary = "every sequence of choices",
    .state_size = sizeof(struct dfs),
    .open = dfs_open,
    .begin = dfs_begin,
    .choose = dfs_choose,
    .end = dfs_end,
    .report = &dfs_report,
    .share = &dfs_shares,
};
