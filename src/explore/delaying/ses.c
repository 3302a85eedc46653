/* Stratified exhaustive search [Desai 2015, 3].  An item of the frontier is a choice that needs one delay more than the
 * stratum allows.  Its run makes the choice and goes on without delays until a state was visited before; all other
 * choices on the way are put off, and are the work of the next stratum.
 *
 * Every reachable state is visited, although the set has states of the program only, not of the explorer, and may be
 * too small for them: a state that a run enters puts off all of its other choices, and a run stops only at a state that
 * was entered before.  So the states that were entered have no successor that was not.  It ends: a run also stops where
 * a state is on its path, and there are finitely many paths without a cycle.  (With a set that drops states they are
 * many.)
 *
 * The explorer is a function of what it has seen.  So a run is told by the number of delays before each step, and an
 * item is this list, without its zeroes: a few bytes.  The next item shares most of its steps with the last one,
 * because items are taken in the order in which they were put off. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/random.h"
#include "base/text.h"
#include "explore/delaying/rounds.h"
#include "explore/delaying/ses.h"
#include "explore/explorers.h"
#include "explore/stateful/lasso.h"
#include "explore/stateful/merges.h"
#include "world/live.h"

enum { MOST_CHECKED = 4096, LOOK_EVERY = 64, FEW = 64, MOST_STARTS = 1 << 24 };

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
    s->o.delaying = o->delaying ? o->delaying : &rh__delaying_rtc;
    o = &s->o;
    s->x = x;
    s->room = rh_exploration_max_steps(x) + 2;
    s->path = rh_exploration_memory(x, (size_t)s->room * sizeof *s->path);
    s->given = rh_exploration_memory(x, (size_t)s->room * sizeof *s->given);
    s->states = rh_exploration_memory(x, (size_t)s->room * o->delaying->state_size);
    s->after = rh_exploration_memory(x, (size_t)s->room * o->delaying->state_size);
    s->item = rh_exploration_memory(x, RH__FRONTIER_ITEM);
    s->starts = o->combined ? rh_exploration_memory(x, MOST_STARTS * sizeof *s->starts) : NULL;
    s->visited = rh_exploration_visited(x, &(struct rh_visited_options){ .memory_bytes = (size_t)o->kilobytes << 10 });
    s->splits = rh__splits_new(x);
    s->now = &s->frontiers[0];
    s->next = &s->frontiers[1];
    bool good = s->splits && s->path && s->given && s->states && s->after && s->item && (s->starts || !o->combined) &&
                s->visited;
    for (uint32_t i = 0; i < 2 && good; i++)
        good = rh__frontier_open(&s->frontiers[i], x, (size_t)o->frontier_kilobytes << 10);
    return good && rh__on_path_open(&s->on_path, x, s->room) && rh__ses_pool_open(s) ? s : NULL;
}

/* ---- the frontier ------------------------------------------------------------------------------------------------ */

void rh__ses_put_off(struct rh__ses *s, uint32_t level)
{
    struct rh__writer w = rh__writer_of(s->item, RH__FRONTIER_ITEM);
    uint32_t last = s->floor;
    rh__put_small(&w, level + 1);
    for (uint32_t i = s->floor; i <= level; i++) {
        uint32_t delays = s->path[i].delays + (i == level);
        if (!delays)
            continue;
        rh__put_small(&w, i - last);
        rh__put_small(&w, delays);
        last = i;
    }
    s->full |= w.full || !rh__frontier_put(s->next, w.at, w.len);
    s->most_items = s->next->put > s->most_items ? s->next->put : s->most_items;
}

uint32_t rh__ses_read_item(const struct rh__ses *s, const void *item, size_t size, uint32_t *delays)
{
    struct rh__reader r = rh__reader_of(item, size);
    uint64_t top = rh__get_small(&r), at = s->floor;
    if (top <= s->floor || top > s->room)
        return 0;
    memset(delays + s->floor, 0, (top - s->floor) * sizeof *delays);
    while (!rh__reader_done(&r) && !r.bad && at < top) {
        at += rh__get_small(&r);
        uint64_t n = rh__get_small(&r);
        if (at < top)
            delays[at] = (uint32_t)n;
    }
    return r.bad || at + 1 != top ? 0 : (uint32_t)top;
}

bool rh__ses_next_stratum(struct rh__ses *s)
{
    if (!rh__frontier_left(s->next))
        return false;
    s->stopped = s->o.bounded && s->delays >= s->o.most;
    if (s->stopped)
        return false;
    struct rh__frontier *done = s->now;
    s->now = s->next;
    s->next = done;
    rh__frontier_clear(done);
    s->delays++;
    return true;
}

/* The item shares its first levels with the path of the last run.  The others are made again. */
uint32_t rh__ses_take(struct rh__ses *s, uint32_t levels)
{
    uint32_t same = s->floor, held = s->top;
    s->given_top = levels;
    while (same < held && same + 1 < levels && s->path[same].delays == s->given[same])
        same++;
    while (held > same)
        rh__on_path_leave(&s->on_path, --held);
    s->top = same;
    s->base = levels > s->floor ? levels - 1 : s->floor; /* the levels above have items of their own, or are done */
    return same + 1;
}

static uint32_t take_item(struct rh__ses *s)
{
    size_t size;
    const void *item = rh__frontier_take(s->now, &size);
    uint32_t levels = item ? rh__ses_read_item(s, item, size, s->given) : 0;
    RH__ASSERT(!item || levels, "an item of the frontier makes no sense");
    s->full |= !item; /* the file cannot be read */
    return item ? rh__ses_take(s, levels) : 0;
}

/* ---- the path ---------------------------------------------------------------------------------------------------- */

void rh__ses_leave_path(struct rh__ses *s)
{
    while (s->top > s->floor)
        rh__on_path_leave(&s->on_path, --s->top);
    s->base = s->floor;
    s->given_top = 0;
}

static void start_over(struct rh__ses *s)
{
    rh__ses_leave_path(s);
    s->delays = 0;
    rh__frontier_clear(s->now);
    rh__frontier_clear(s->next);
    s->begun = false;
    s->transitions = 0;
    rh__splits_clear(s->splits);
    rh__exploration_restart(s->x);
}

/* Looks now and then whether the set is full: single states may be dropped before. */
static bool memory_is_used(struct rh__ses *s)
{
    if (s->runs++ % LOOK_EVERY == 0) {
        struct rh_visited_counts c = rh_visited_count(s->visited);
        s->set_full |= c.replaced > c.states / FEW;
    }
    return s->set_full || s->next->in_tail || s->next->in_file || s->next->error;
}

uint32_t rh__ses_begin(struct rh__ses *s, const struct rh_world *w)
{
    if (!s->active || s->pool.works)
        return s->active ? rh__ses_pool_begin(s, w) : 0;
    if (rh_visited_restart(s->visited, w))
        start_over(s);
    if (!s->begun) {
        s->begun = true;
        return 1;
    }
    for (uint32_t i = s->top; i-- > s->base;)
        if (s->path[i].delays + 1 < s->path[i].count)
            rh__ses_put_off(s, i);
    s->base = s->top; /* all is put off */
    s->used_up = memory_is_used(s) && s->o.combined && (rh__frontier_left(s->now) || rh__frontier_left(s->next));
    if (s->diverged || s->full || s->used_up)
        return 0;
    return rh__frontier_left(s->now) || rh__ses_next_stratum(s) ? take_item(s) : 0;
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
    struct rh__ses_level *l = &s->path[level];
    memcpy(state_after(s, level), state_at(s, level), s->o.delaying->state_size);
    l->pick = choice_after(s, w, state_after(s, level), l->delays, open, count);
    l->actors = rh_world_actor_count(w);
    return l->pick;
}

static bool was_visited(struct rh__ses *s, const struct rh_world *w, struct rh_fingerprint f)
{
    return s->pool.works ? rh__ses_pool_visited(s, f) : rh_visited_state(s->visited, w) == RH_VISITED_BEFORE;
}

/* A level that is not on the path. */
static bool enter(struct rh__ses *s, const struct rh_world *w, uint32_t depth, const struct rh_choice *open,
                  uint32_t count)
{
    const struct rh_delaying *d = s->o.delaying;
    bool given = depth < s->given_top;
    struct rh_fingerprint f = rh__exploration_state(s->x, w);
    if (!given && (rh__on_path_has(&s->on_path, f) || was_visited(s, w, f)))
        return false;
    if (!given)
        rh__splits_note(s->splits, w);
    s->pool.print[depth] = f;
    rh__on_path_enter(&s->on_path, depth, f);
    const struct rh__ses_level *above = depth > s->floor ? &s->path[depth - 1] : NULL;
    if (above) {
        memcpy(state_at(s, depth), state_after(s, depth - 1), d->state_size);
        rh__delaying_step(d, state_at(s, depth), w, above->actors, s->o.seed);
    } else {
        rh__delaying_begin(d, state_at(s, depth), w, s->o.seed);
    }
    s->path[depth] = (struct rh__ses_level){ .count = count, .delays = given ? s->given[depth] : 0 };
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
    count = s->o.narrows ? rh__world_narrows(w, open, count) : count;
    s->pool.hot |= s->o.narrows && rh__lasso_matters(w);
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
    return known ? s->path[depth].pick : take(s, w, depth, open, count);
}

/* ---- answers
 * ----------------------------------------------------------------------------------------------------- */

void rh__ses_end(struct rh__ses *s, const struct rh_world *w, const struct rh_run *run)
{
    bool lasts = run->outcome == RH_OUTCOME_FINISHED || run->outcome == RH_OUTCOME_STUCK ||
                 run->outcome == RH_OUTCOME_MONITOR || run->outcome == RH_OUTCOME_HISTORY;
    if (lasts && s->pool.works) {
        s->pool.last = rh__exploration_state(s->x, w);
        s->pool.has_last = true;
    } else if (lasts) {
        rh_visited_state(s->visited, w);
    }
}

enum rh_verdict rh__ses_verdict(const struct rh__ses *s)
{
    bool falls_short = s->diverged || s->full || s->unsound || s->stopped || s->used_up;
    return falls_short ? RH_VERDICT_SAMPLED : RH_VERDICT_EXHAUSTIVE;
}

bool rh__ses_diverged(const struct rh__ses *s)
{
    return s->diverged;
}

bool rh__ses_was_hot(const struct rh__ses *s)
{
    return s->pool.keeps && s->pool.hot;
}

void rh__ses_notes(const struct rh__ses *s, char *buffer, size_t size)
{
    struct rh_visited_counts c = rh_visited_count(s->visited);
    struct rh__text t;
    int error = s->next->error ? s->next->error : s->now->error;
    rh__text_init(&t, buffer, size);
    rh__text_add(&t, "%llu states, %llu transitions, %u %s, at most %llu items put off, %.1f bytes a state",
                 (unsigned long long)c.states, (unsigned long long)s->transitions, s->delays,
                 s->o.narrows ? "rounds" : "delays", (unsigned long long)s->most_items, c.bytes_per_state);
    if (c.replaced)
        rh__text_add(&t, "; %llu states were dropped for lack of memory and may be counted again",
                     (unsigned long long)c.replaced);
    char splits[512] = "";
    if (!s->pool.keeps) /* workers do not tell */
        rh__splits_text(s->splits, rh__exploration_world(s->x), c.states, s->transitions, splits, sizeof splits);
    rh__text_add(&t, "%s", splits);
    rh__text_add(&t, "\nprobability that a collision hid a state: %.2g", c.missed);
    if (s->full)
        rh__text_add(&t, "\nthe frontier is full (%s)%s%s%s",
                     error == ENOENT ? "there is no temporary file" : strerror(error ? error : ENOMEM),
                     s->o.narrows ? "" : ": delay(", s->o.narrows ? "" : s->o.delaying->name,
                     s->o.narrows ? "" : ", ses+ss) goes on with samples");
    if (s->unsound)
        rh__text_add(&t, "\nexplorer %s is not sound: %s", s->o.delaying->name, s->where);
}

/* ---- sampling from the frontier ---------------------------------------------------------------------------------- */

bool rh__ses_is_used_up(const struct rh__ses *s)
{
    return s->used_up && !s->diverged;
}

static uint32_t get_start(void *arg, uint64_t which, uint32_t *delays)
{
    struct rh__ses *s = arg;
    uint64_t offset = s->starts[which], next;
    size_t size;
    const void *item = rh__frontier_read(offset & 1 ? s->next : s->now, offset >> 1, &next, &size);
    return item ? rh__ses_read_item(s, item, size, delays) : s->floor;
}

/* Lists the items that are left; if they are too many, a random part of them [Vitter 1985, algorithm R]. */
struct rh__starts rh__ses_starts(struct rh__ses *s)
{
    uint64_t seen = 0, random = rh__random_seed(s->o.seed, 7);
    for (uint64_t k = 0; k < 2; k++) {
        struct rh__frontier *f = k ? s->next : s->now;
        size_t size;
        for (uint64_t at = f->at, next; rh__frontier_read(f, at, &next, &size); at = next, seen++) {
            uint64_t place = seen < MOST_STARTS ? seen : rh__random_next(&random) % (seen + 1);
            if (place < MOST_STARTS)
                s->starts[place] = at << 1 | k;
        }
    }
    return (struct rh__starts){ seen < MOST_STARTS ? seen : MOST_STARTS, s->delays, get_start, s };
}
