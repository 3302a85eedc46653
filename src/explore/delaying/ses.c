/* Stratified exhaustive search [Desai 2015, 3]: depth-first within a number of delays; what needs one more is put
 * off to the frontier, and is the work of the next stratum.  The set of visited states has states of the program
 * only, not of the explorer, and still every state is visited: a state that is reached first puts off all of its
 * choices that the delays do not allow, and the search ends when nothing is put off.
 *
 * The explorer is a function of what it has seen.  So a run is told by the number of delays before each step, and
 * an item of the frontier is this list, without its zeroes: a few bytes.  The next item of the frontier shares most
 * of its steps with the last one, because items are taken in the order in which they were put off. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/text.h"
#include "explore/delaying/delaying.h"
#include "explore/explorers.h"
#include "rehearse/visited.h"

enum { FRONTIER_BYTES = 1 << 30, ITEM_BYTES = 1 << 16, MOST_CHECKED = 4096 };

struct level {
    uint32_t count;  /* open choices */
    uint32_t delays; /* before the present choice, at this level */
    uint32_t before; /* delays of all levels above */
    uint32_t pick;
    uint32_t actors; /* before the step */
};

/* Items one after the other: number of bytes, depth, then pairs of the distance to the next level with delays and
 * their number. */
struct frontier {
    unsigned char *bytes;
    size_t used, at; /* `at`: the next item to take */
    uint64_t items;
};

struct rh__ses {
    struct rh__delay_options o;
    struct rh_exploration *x;
    struct rh_visited *visited;
    struct level *path;
    unsigned char *states, *after; /* of the explorer, by level: before the delays of the choice, and with it */
    struct frontier now, next;
    uint32_t *given; /* delays by level, of the item under way */
    uint32_t given_top;
    uint32_t top, room, floor;
    uint32_t base;   /* levels before this one are the way to the item */
    uint32_t delays; /* of the stratum */
    bool anew;       /* the deepest level has another number of delays, and its choice was not made yet */
    bool begun, placed, diverged, unsound, full, stopped;
    char where[256]; /* of an unsound explorer */
    uint64_t transitions, most_items;
    uint32_t deepest;
};

static void *state_at(const struct rh__ses *s, uint32_t level)
{
    return s->states + (size_t)level * s->o.delaying->state_size;
}

static void *state_after(const struct rh__ses *s, uint32_t level)
{
    return s->after + (size_t)level * s->o.delaying->state_size;
}

struct rh__ses *rh__ses_open(struct rh_exploration *x, const struct rh__delay_options *o)
{
    struct rh__ses *s = rh_exploration_memory(x, sizeof *s);
    if (!s)
        return NULL;
    s->o = *o;
    s->x = x;
    s->room = rh_exploration_max_steps(x) + 2;
    s->path = rh_exploration_memory(x, (size_t)s->room * sizeof *s->path);
    s->given = rh_exploration_memory(x, (size_t)s->room * sizeof *s->given);
    s->states = rh_exploration_memory(x, (size_t)s->room * o->delaying->state_size);
    s->after = rh_exploration_memory(x, (size_t)s->room * o->delaying->state_size);
    s->now.bytes = rh_exploration_memory(x, FRONTIER_BYTES);
    s->next.bytes = rh_exploration_memory(x, FRONTIER_BYTES);
    s->visited = rh_exploration_visited(x, &(struct rh_visited_options){ .memory_bytes = (size_t)o->kilobytes << 10 });
    return s->path && s->given && s->states && s->after && s->now.bytes && s->next.bytes && s->visited ? s : NULL;
}

/* ---- the frontier
 * ------------------------------------------------------------------------------------------------ */

/* Puts the rest of the deepest level off to the next stratum. */
static void put_off(struct rh__ses *s)
{
    struct frontier *f = &s->next;
    if (f->used + ITEM_BYTES > FRONTIER_BYTES) {
        s->full = true;
        return;
    }
    struct rh__writer w = rh__writer_of(f->bytes + f->used + 4, ITEM_BYTES - 4);
    uint32_t last = s->floor;
    rh__put_small(&w, s->top);
    for (uint32_t i = s->floor; i < s->top; i++) {
        uint32_t delays = s->path[i].delays + (i + 1 == s->top);
        if (!delays)
            continue;
        rh__put_small(&w, i - last);
        rh__put_small(&w, delays);
        last = i;
    }
    s->full |= w.full;
    if (w.full)
        return;
    uint32_t size = (uint32_t)w.len;
    memcpy(f->bytes + f->used, &size, sizeof size);
    f->used += sizeof size + w.len;
    f->items++;
    s->most_items = f->items > s->most_items ? f->items : s->most_items;
}

static void read_item(struct rh__ses *s)
{
    struct frontier *f = &s->now;
    uint32_t size, at = s->floor;
    memcpy(&size, f->bytes + f->at, sizeof size);
    struct rh__reader r = rh__reader_of(f->bytes + f->at + sizeof size, size);
    f->at += sizeof size + size;
    s->given_top = (uint32_t)rh__get_small(&r);
    memset(s->given + s->floor, 0, (s->given_top - s->floor) * sizeof *s->given);
    while (!rh__reader_done(&r) && !r.bad) {
        at += (uint32_t)rh__get_small(&r);
        s->given[at] = (uint32_t)rh__get_small(&r);
    }
    RH__ASSERT(!r.bad && at + 1 == s->given_top, "an item of the frontier ends at level %u of %u", at, s->given_top);
}

static bool next_stratum(struct rh__ses *s)
{
    if (s->now.at < s->now.used)
        return true;
    if (!s->next.used)
        return false;
    s->stopped = s->o.bounded && s->delays >= s->o.most;
    if (s->stopped)
        return false;
    struct frontier done = s->now;
    s->now = s->next;
    s->next = (struct frontier){ .bytes = done.bytes };
    s->delays++;
    return true;
}

/* The item shares its first levels with the path of the last run, which has `held` levels.  The others are made
 * again. */
static uint32_t take_item(struct rh__ses *s, uint32_t held)
{
    uint32_t same = s->floor;
    read_item(s);
    while (same < held && same + 1 < s->given_top && s->path[same].delays == s->given[same])
        same++;
    s->top = same;
    s->base = s->given_top - 1; /* the levels above have items of their own, or are done */
    return same + 1;
}

/* ---- the path
 * ---------------------------------------------------------------------------------------------------- */

static void start_over(struct rh__ses *s)
{
    s->top = s->base = s->floor;
    s->anew = false;
    s->given_top = s->delays = 0;
    s->now.used = s->now.at = s->now.items = s->next.used = s->next.items = 0;
    s->begun = false;
    s->transitions = 0;
    rh__exploration_restart(s->x);
}

/* Goes to the next choice of the deepest level that has one within the delays.  Returns the events to keep; 0 if no
 * level has one. */
static uint32_t go_on(struct rh__ses *s)
{
    for (; s->top > s->base; s->top--) {
        struct level *l = &s->path[s->top - 1];
        if (l->delays + 1 < l->count && l->before + l->delays < s->delays) {
            l->delays++;
            s->anew = true;
            return s->top;
        }
        if (l->delays + 1 < l->count)
            put_off(s);
    }
    return 0;
}

uint32_t rh__ses_begin(struct rh__ses *s, const struct rh_world *w)
{
    if (rh_visited_restart(s->visited, w))
        start_over(s);
    if (!s->begun) {
        s->begun = true;
        return 1;
    }
    /* A set that drops states does not end: it would visit them again, and put their choices off again. */
    s->full |= rh_visited_count(s->visited).replaced > 0;
    uint32_t held = s->top, keep = s->diverged || s->full ? 0 : go_on(s);
    if (keep || s->diverged || s->full)
        return s->full ? 0 : keep;
    return next_stratum(s) ? take_item(s, held) : 0;
}

static void note_unsound(struct rh__ses *s, const struct rh_world *w, const struct rh_choice *again)
{
    char text[128];
    if (s->unsound)
        return;
    s->unsound = true;
    rh_world_choice_text(w, again, text, sizeof text);
    snprintf(s->where, sizeof s->where, "after %u events, delays lead to \"%s\" twice, and not to all choices",
             rh__depth(w) - 1, text);
}

/* Gives the choice after a number of delays, and the explorer's state with it.  All choices on the way must differ:
 * so as many delays as there are choices give each of them once. */
static uint32_t choice_after(struct rh__ses *s, const struct rh_world *w, void *state, uint32_t delays,
                             const struct rh_choice *open, uint32_t count)
{
    const struct rh_delaying *d = s->o.delaying;
    uint64_t seen[MOST_CHECKED / 64] = { 0 };
    for (uint32_t i = 0;; i++) {
        uint32_t pick = d->next(state, w, open, count);
        RH__ASSERT(pick < count, "delaying explorer %s chose number %u of %u choices", d->name, pick, count);
        if (pick >= MOST_CHECKED || seen[pick / 64] >> pick % 64 & 1)
            note_unsound(s, w, &open[pick]);
        else
            seen[pick / 64] |= (uint64_t)1 << pick % 64;
        if (i == delays)
            return pick;
        d->delay(state, w, open, count);
    }
}

static void check_sound(struct rh__ses *s, const struct rh_world *w, uint32_t level, const struct rh_choice *open,
                        uint32_t count)
{
    _Alignas(16) unsigned char state[RH_DELAYING_MOST_STATE];
    memcpy(state, state_at(s, level), s->o.delaying->state_size);
    choice_after(s, w, state, count - 1, open, count);
}

static uint32_t take(struct rh__ses *s, const struct rh_world *w, uint32_t level, const struct rh_choice *open,
                     uint32_t count)
{
    struct level *l = &s->path[level];
    memcpy(state_after(s, level), state_at(s, level), s->o.delaying->state_size);
    l->pick = choice_after(s, w, state_after(s, level), l->delays, open, count);
    l->actors = rh_world_actor_count(w);
    s->anew = false;
    return l->pick;
}

/* A level that is not on the path. */
static bool enter(struct rh__ses *s, const struct rh_world *w, uint32_t depth, const struct rh_choice *open,
                  uint32_t count)
{
    const struct rh_delaying *d = s->o.delaying;
    bool given = depth < s->given_top;
    if (!given && rh_visited_state(s->visited, w) == RH_VISITED_BEFORE)
        return false;
    const struct level *above = depth > s->floor ? &s->path[depth - 1] : NULL;
    if (above) {
        memcpy(state_at(s, depth), state_after(s, depth - 1), d->state_size);
        rh__delaying_step(d, state_at(s, depth), w, above->actors, s->o.seed);
    } else {
        rh__delaying_begin(d, state_at(s, depth), w, s->o.seed);
    }
    s->path[depth] = (struct level){ .count = count,
                                     .delays = given ? s->given[depth] : 0,
                                     .before = above ? above->before + above->delays : 0 };
    s->top = depth + 1;
    s->deepest = s->top > s->deepest ? s->top : s->deepest;
    s->diverged |= s->path[depth].delays >= count;
    if (!given || depth + 1 == s->given_top)
        s->transitions++;
    if (depth + 1 == s->given_top)
        s->given_top = 0; /* from here on all is new */
    if (s->o.check && !given)
        check_sound(s, w, depth, open, count);
    return true;
}

uint32_t rh__ses_choose(struct rh__ses *s, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t depth = rh__depth(w) - 1;
    if (!s->placed) {
        s->placed = true;
        s->floor = s->base = s->top = depth;
    }
    bool known = depth < s->top;
    s->diverged |= known && s->path[depth].count != count;
    if (!known && !s->diverged && !enter(s, w, depth, open, count))
        return RH_PRUNED;
    if (s->diverged)
        return RH_NONE;
    if (known && !(s->anew && depth + 1 == s->top))
        return s->path[depth].pick;
    s->transitions += known;
    return take(s, w, depth, open, count);
}

/* ---- answers
 * ----------------------------------------------------------------------------------------------------- */

void rh__ses_end(struct rh__ses *s, const struct rh_world *w, const struct rh_run *run)
{
    if (run->outcome == RH_OUTCOME_FINISHED || run->outcome == RH_OUTCOME_STUCK || run->outcome == RH_OUTCOME_MONITOR)
        rh_visited_state(s->visited, w);
}

enum rh_verdict rh__ses_verdict(const struct rh__ses *s)
{
    return s->diverged || s->full || s->unsound || s->stopped ? RH_VERDICT_SAMPLED : RH_VERDICT_EXHAUSTIVE;
}

bool rh__ses_diverged(const struct rh__ses *s)
{
    return s->diverged;
}

void rh__ses_notes(const struct rh__ses *s, char *buffer, size_t size)
{
    struct rh_visited_counts c = rh_visited_count(s->visited);
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    rh__text_add(&t, "%llu states, %llu transitions, %u delays, at most %llu items put off, %.1f bytes a state",
                 (unsigned long long)c.states, (unsigned long long)s->transitions, s->delays,
                 (unsigned long long)s->most_items, c.bytes_per_state);
    rh__text_add(&t, "\nprobability that a collision hid a state: %.2g", c.missed);
    if (s->full)
        rh__text_add(&t, "\nthe frontier is full: delay(%s, ss) samples runs with more delays", s->o.delaying->name);
    if (s->unsound)
        rh__text_add(&t, "\nexplorer %s is not sound: %s", s->o.delaying->name, s->where);
}
