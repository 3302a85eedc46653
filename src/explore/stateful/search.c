/* The search of one process: depth first, see stateful.c.
 *
 * At a new state, the fingerprints of its successors are foretold where that is possible (world/foretell.h).  A step to
 * a visited state is not made then.  Neither is a step to a new state in which nothing but messages can be taken: the
 * search goes ahead of the world (world/ahead.h), which follows only to make a step that is not foretold, or every
 * BREATH states.  Each step that is made is compared with what was foretold: if one differs, the program does something
 * that is not seen, and the search starts over without foretelling.
 *
 * The path is that of dfs: at each level the choices from `next` on are untried.  A new level asks the set of visited
 * states (rehearse/visited.h), and its run ends there (RH_PRUNED) if the state is in the set.  A state on the path is a
 * cycle.  Such a state counts as visited even if a full set has dropped it, so the search ends with a set of any size.
 * States at which a run ends are entered at the end of the run. */
#include <rehearse/world.h>

#include "base/fail.h"
#include "explore/stateful/stateful.h"
#include "world/live.h"

enum { LOOK_AGAIN = 8, BREATH = RH__IS_HOSTILE ? 3 : 64 };

static void go_up(struct stateful *s)
{
    s->top--;
    rh__on_path_leave(&s->on_path, s->top);
    if (s->path[s->top].ahead)
        rh__ahead_back(s->ahead);
}

static void start_over(struct stateful *s)
{
    rh__on_path_clear(&s->on_path);
    rh__ahead_clear(s->ahead);
    s->top = s->floor;
    s->inside = false;
    s->begun = false;
    s->transitions = s->cycles = s->foretold = s->reduced = 0;
    s->again = false;
    rh__splits_clear(s->splits);
    if (s->checks)
        rh__merges_clear(s->merges);
    rh__foretelling_clear(s->foretelling);
    rh__exploration_restart(s->x);
    if (rh__lasso_has_started(s->lasso) || s->starts_over)
        rh__lasso_start(s->lasso);
    s->starts_over = false;
}

/* ---- successors -------------------------------------------------------------------------------------------------- */

static struct rh_fingerprint told(const struct stateful *s, const struct level *l)
{
    return l->told ? s->told[l->told - 1 + l->pick] : (struct rh_fingerprint){ 0, 0 };
}

static bool is_known(struct rh_fingerprint f)
{
    return f.high | f.low;
}

static bool was_visited(struct stateful *s, struct rh_fingerprint f)
{
    bool cycle = rh__on_path_has(&s->on_path, f);
    s->cycles += cycle;
    return cycle || rh_visited_has(s->visited, f);
}

static void note_foretold(struct stateful *s)
{
    if (!s->foretold++)
        rh__exploration_leaves_out(s->x);
}

/* Goes to the next choice that may lead to a new state; false if there is none. */
static bool advance(struct stateful *s, struct level *l)
{
    while (l->next < l->end) {
        l->pick = l->next++;
        struct rh_fingerprint f = told(s, l);
        s->transitions += !l->again;
        if (s->checks || !is_known(f) || !was_visited(s, f))
            return true;
        note_foretold(s);
    }
    return false;
}

static bool may_foretell(const struct stateful *s, const struct rh_world *w)
{
    return s->tells && !rh__lasso_has_started(s->lasso) && !rh__lasso_matters(w) && !rh__exploration_needs_steps(s->x);
}

static bool goes_ahead(const struct stateful *s)
{
    return !s->checks && rh__exploration_is_only(s->x, s);
}

static void prefetch(struct stateful *s, uint32_t at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_known(s->told[at + i]))
            rh__visited_prefetch(s->visited, s->told[at + i]);
}

/* One choice may be enough. */
static void reduce(struct stateful *s, struct level *l, uint32_t enough)
{
    if (enough == RH_NONE)
        return;
    l->next = enough;
    l->end = enough + 1;
    s->reduced += l->count > 1;
    rh__exploration_leaves_out(s->x);
}

/* The level of a new state. */
static struct level level_of(struct stateful *s, const struct rh_world *w, uint32_t depth, const struct rh_choice *open,
                             uint32_t count)
{
    struct level l = { .end = count, .count = count };
    const struct level *above = depth > s->floor ? &s->path[depth - 1] : NULL;
    uint32_t at = above && above->told ? above->told - 1 + above->count : 0;
    if (!may_foretell(s, w) || count > STATEFUL_TOLD - at || (above && !above->told))
        return l;
    l.told = at + 1;
    rh__foretell(s->foretelling, w, open, count, s->told + at);
    prefetch(s, at, count);
    l.ahead = goes_ahead(s) && rh__ahead_begin(s->ahead, w, open, count);
    if (s->reduces)
        reduce(s, &l, rh__foretold_enough(s->foretelling, w, open, count));
    return l;
}

static void mistake(struct stateful *s)
{
    s->mistaken = s->again = true;
    s->tells = false;
}

/* A step was made: compares its state with what was foretold, or learns what the step does. */
static void compare(struct stateful *s, const struct rh_world *w, uint32_t depth, struct rh_fingerprint f)
{
    if (depth <= s->floor || !s->path[depth - 1].told)
        return;
    struct rh_fingerprint before = told(s, &s->path[depth - 1]);
    if (!is_known(before)) {
        rh__foretell_after(s->foretelling, w);
    } else if (before.high != f.high || before.low != f.low) {
        mistake(s);
    }
}

/* ---- ahead of the world ------------------------------------------------------------------------------------------ */

/* Goes to the new state behind the choice of the last level, without the world.  False if the step must be made. */
static bool go_ahead(struct stateful *s)
{
    const struct level *from = &s->path[s->top - 1];
    struct rh_fingerprint f = told(s, from);
    if (!from->ahead || !is_known(f) || s->breath == BREATH || s->top + 3 > s->room)
        return false;
    uint32_t at = from->told - 1 + from->count, count = rh__ahead_step(s->ahead, s->foretelling, from->pick);
    if (count > STATEFUL_TOLD - at)
        rh__ahead_back(s->ahead);
    if (!count || count > STATEFUL_TOLD - at)
        return false;
    uint64_t hash;
    uint32_t actor = rh__ahead_actor(s->ahead, &hash);
    rh__ahead_foretell(s->ahead, s->foretelling, s->told + at);
    prefetch(s, at, count);
    rh_visited_add(s->visited, f);
    rh__splits_add(s->splits, actor, hash);
    rh__on_path_enter(&s->on_path, s->top, f);
    s->path[s->top++] = (struct level){ .end = count, .count = count, .told = at + 1, .ahead = true, .unseen = true };
    if (s->reduces)
        reduce(s, &s->path[s->top - 1], rh__ahead_enough(s->ahead));
    s->deepest = s->top > s->deepest ? s->top : s->deepest;
    s->breath++;
    note_foretold(s);
    return true;
}

/* Goes on from the last level to a step that has to be made; false if there is none from level `least` on. */
static bool proceed(struct stateful *s, uint32_t least)
{
    bool good = true;
    s->inside = true;
    for (bool more = true; more;) {
        s->kept = s->kept < s->top ? s->kept : s->top;
        if (advance(s, &s->path[s->top - 1])) {
            more = go_ahead(s);
        } else {
            more = s->top - 1 > least;
            good = more;
            if (more)
                go_up(s);
        }
    }
    s->inside = false;
    return good;
}

/* The world has come to a level. */
static void see(struct stateful *s, const struct rh_world *w, uint32_t depth, uint32_t count)
{
    struct level *l = &s->path[depth];
    if (l->unseen)
        compare(s, w, depth, rh__exploration_state(s->x, w));
    if (l->unseen && l->count != count)
        mistake(s);
    l->unseen = false;
    s->diverged |= !s->again && l->count != count; /* the program is not deterministic */
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* A search that drops states may take for ever, and one that may have missed a loop promises nothing. */
static bool is_too_large(const struct stateful *s)
{
    return rh_visited_count(s->visited).replaced || rh__lasso_missed(s->lasso);
}

uint32_t rh__stateful_begin(struct stateful *s, const struct rh_world *w)
{
    enum { LOOK = 256 };
    s->again |= s->inside; /* the process was killed there */
    if (s->fits && s->begins++ % LOOK == 0)
        s->gave_up |= is_too_large(s);
    if (s->gave_up)
        return 0;
    s->follows = false;
    rh__foretell_nothing(s->foretelling);
    if (s->reduces && rh__is_enough_spoilt(w)) {
        s->reduces = false;
        s->again |= s->reduced != 0;
    }
    /* Or fingerprints mean something else: with the clock. */
    if (rh_visited_restart(s->visited, w) || s->starts_over || s->again)
        start_over(s);
    if (!s->begun) {
        s->begun = true;
        return 1;
    }
    while (s->top > s->floor && !proceed(s, s->top - 1)) {
        s->follows = rh__lasso_leave(s->lasso, s->top - 1, s->top - 1 == s->floor);
        if (s->follows)
            return s->top;
        go_up(s);
    }
    return s->top <= s->floor || s->diverged ? 0 : s->kept;
}

/* With `check`, the steps of some visited states are made again, to see that they lead where they did at first. */
static bool looks_again(struct stateful *s, uint32_t depth)
{
    bool above = depth > s->floor && s->path[depth - 1].again;
    return s->checks && !above && !rh__lasso_has_started(s->lasso) && s->met++ % LOOK_AGAIN == 0;
}

/* A state below the path.  False if there is no step to make: it was visited before, or all its successors were. */
static bool enter(struct stateful *s, const struct rh_world *w, uint32_t depth, const struct rh_choice *open,
                  uint32_t count)
{
    struct rh_fingerprint f = rh__exploration_state(s->x, w);
    compare(s, w, depth, f);
    bool cycle = rh__on_path_has(&s->on_path, f);
    s->cycles += cycle;
    if (!rh__lasso_has_started(s->lasso) && rh__lasso_matters(w)) {
        if (depth > s->floor)
            s->starts_over = true;
        else
            rh__lasso_start(s->lasso);
    }
    if (rh__lasso_meets(s->lasso, w, depth, f) || cycle)
        return false;
    bool visited = rh_visited_state(s->visited, w) == RH_VISITED_BEFORE;
    if (visited && !looks_again(s, depth))
        return false;
    if (visited) {
        s->path[depth] = (struct level){ .end = count, .count = count, .again = true };
    } else {
        rh__splits_note(s->splits, w);
        s->path[depth] = level_of(s, w, depth, open, count);
    }
    if (s->checks)
        s->states[depth] = f;
    rh__on_path_enter(&s->on_path, depth, f);
    rh__lasso_enter(s->lasso, w, depth, depth == s->floor, f, count);
    s->top = depth + 1;
    s->deepest = s->top > s->deepest ? s->top : s->deepest;
    s->breath = 0;
    return proceed(s, depth);
}

uint32_t rh__stateful_choose(struct stateful *s, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t depth = rh__depth(w) - 1;
    count = rh__world_narrows(w, open, count);
    if (!s->placed) {
        s->placed = true;
        s->floor = s->top = depth;
    }
    if (s->follows && depth + 1 >= s->top)
        return rh__lasso_follow(s->lasso, s->x, w, depth + 1 - s->top, open, count);
    s->kept = depth + 1;
    if (depth < s->top) {
        see(s, w, depth, count);
        if (s->diverged)
            return RH_NONE;
        if (s->again)
            return RH_PRUNED;
    } else {
        if (s->checks)
            rh__merges_after(s->merges, w, open, count);
        if (!enter(s, w, depth, open, count))
            return RH_PRUNED;
    }
    const struct level *l = &s->path[depth];
    if (s->checks && depth == s->top - 1)
        rh__merges_before(s->merges, w, s->states[depth], &open[l->pick]);
    if (depth == s->top - 1 && l->told && !is_known(told(s, l)))
        rh__foretell_before(s->foretelling, w, &open[l->pick]);
    rh__lasso_step(s->lasso, w, depth, &open[l->pick]);
    return l->pick;
}

/* A run that ends with nothing left to do ends in a state like any other.  After a failed step there is none. */
void rh__stateful_end(struct stateful *s, const struct rh_world *w, const struct rh_run *run)
{
    if (s->checks && !run->pruned)
        rh__merges_after(s->merges, w, NULL, 0);
    if (!run->pruned && run->events - 1 < s->top && s->path[run->events - 1].unseen)
        mistake(s);
    if (run->outcome == RH_OUTCOME_FINISHED || run->outcome == RH_OUTCOME_STUCK || run->outcome == RH_OUTCOME_MONITOR ||
        run->outcome == RH_OUTCOME_HISTORY) {
        if (rh_visited_state(s->visited, w) == RH_VISITED_FIRST)
            rh__splits_note(s->splits, w);
        if (run->events - 1 == s->top)
            compare(s, w, s->top, rh__exploration_state(s->x, w));
    }
}
