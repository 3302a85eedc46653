/* preempt: runs with few preemptions first [Musuvathi and Qadeer 2007] [Concuerror 2013, VI].
 *
 *     preempt([BOUND], [only], [avoid=no], EXPLORER)
 *
 * EXPLORER's runs with at most 0, 1, ..., BOUND (2) preemptions; with `only`, those with at most BOUND at once.
 *
 * A run is a sequence of steps of actors.  A step of another actor than the last one is a switch.  It is a preemption
 * if the last actor could have gone on: one of its choices is open, other than a timer.  An actor that waits for a
 * message that is not there, or has ended, cannot: its turn is over, and whoever comes next comes free.  That is
 * blocking avoidance as in [Concuerror 2013, VI-A]: there a process must run into its receive to find out that it
 * blocks; here a blocked actor has no open choice, a block is no event, and no run differs from another one in blocks
 * alone.
 *
 * `avoid=no` is for comparison: an actor that waits for a message that is not there may be scheduled once, until its
 * next step, and blocks.  That changes nothing in the world, but it is an event of the sequence, and to pass over such
 * an actor is a preemption.  So one run of the world has several sequences.  An option of EXPLORER is then a list of
 * actors that block and the choice that follows; the blocks at the end of a run, in any order, are only counted.
 *
 * Not steps of actors are faults, recoveries, the clock, messages from outside, and the end of a run: they are never
 * preemptions, and the last actor stays the last one.  A timer of another actor is a switch to it.
 *
 * Each bound has its own instance of EXPLORER, which does not see preemptions beyond the bound; runs with fewer
 * preemptions are made again at the next bound.  If nothing was left out at a bound, the search was exhaustive, and it
 * ends.  With more than 6 as BOUND, the bounds are 0 to 5 and BOUND.
 *
 * Of many actors the free switches alone may be too many: then bound 0 has no end, and the bug needs one preemption.
 * So there is a round before bound 0, the first look, which leaves nothing open but preemptions, at most LOOK of them:
 * whose turn is over is followed by the first who can go on, and of several messages the first is taken.  With N
 * actors of K steps that are about (N K)^LOOK runs.
 *
 * A sampler stays at BOUND, and would use up its preemptions at the beginning of each run.  So each run has BOUND
 * moments, drawn from the length of the longest run so far; behind each of them there may be one preemption more.
 *
 * An explorer that compares states (stateful) must know that two runs in the same state may have different preemptions
 * left: what this explorer knows is a mark, which is a part of the state (rh__exploration_mark).
 *
 * With several workers a bound is a round (struct rh_explorer_rounds): the next one begins when all of it is done.  An
 * item is one of EXPLORER's items with the bound. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "explore/engine/engine.h"
#include "explore/explorers.h"
#include "explore/tree.h"
#include "run/run.h"
#include "world/live.h"

enum { USUAL_BOUND = 2, MOST_BOUND = 1 << 20, MOST_MOMENTS = 64, MOST_ACTORS = 64, MOST_OPTIONS = 1 << 16, LOOK = 2 };
enum { ITEM = 'p', TOLD = 't', SAVED = 'v' };

/* What a sequence has behind it. */
struct point {
    uint32_t last;    /* the actor that made the last step, if it can go on; else RH_NONE, and a switch is free */
    uint32_t used;    /* preemptions so far */
    uint64_t blocked; /* avoid=no: the actors that have blocked since their last step, as bits */
};

/* Runs at a bound, and those of them that use it up.  Sequences are runs, unless blocks are events. */
struct tally {
    uint64_t runs, full, sequences;
    bool hid;
};

struct preempt {
    struct rh_inner inner[RH_MOST_INNER]; /* by round */
    uint32_t bounds[RH_MOST_INNER];
    struct tally tally[RH_MOST_INNER];
    uint32_t count, now;
    bool looks;          /* round 0 is the first look */
    uint32_t floor;      /* number of events before its first choice; 0: not known yet */
    struct point *point; /* by number of events: before the choice there, behind the blocks that come before it */
    struct rh_exploration *x;
    bool avoids, lost; /* lost: some options were left out, because there were too many */
    /* The options of the choice under way: what comes next, its number among the open choices, and the point before. */
    struct rh_choice *choice;
    uint32_t *index;
    struct point *before;
    uint32_t options, room;
    /* A sampler. */
    bool draws;
    uint64_t random;
    uint32_t longest, moment[MOST_MOMENTS];
    /* Several workers: `keeps` keeps the search, `works` has an item. */
    bool keeps, works, begun, idle;
};

static const struct rh_inner *preempt_inner(const void *state, uint32_t *count, uint32_t *now)
{
    const struct preempt *p = state;
    *count = p->count;
    *now = p->now;
    return p->inner;
}

static bool take_memory(struct preempt *p)
{
    struct rh_exploration *x = p->x;
    p->room = p->avoids ? (uint32_t)rh__exploration_most_choices(x) : MOST_OPTIONS;
    p->point = rh_exploration_memory(x, ((size_t)rh_exploration_max_steps(x) + 2) * sizeof *p->point);
    p->choice = rh_exploration_memory(x, (size_t)p->room * sizeof *p->choice);
    p->index = rh_exploration_memory(x, (size_t)p->room * sizeof *p->index);
    p->before = rh_exploration_memory(x, (size_t)p->room * sizeof *p->before);
    return p->point && p->choice && p->index && p->before;
}

/* A reduction makes one of several equivalent runs; the one with the fewest preemptions may be another one.  To reduce
 * within a bound, [Coons, Musuvathi and McKinley 2013] add backtrack points where the other actor began its turn. */
static bool refuses(struct preempt *p, const struct rh_arguments *a, char *error, size_t error_size)
{
    if (rh__tree_has(&p->x->tree, &rh__explorer_delay)) {
        snprintf(error, error_size, "preempt goes with dfs, stateful and samplers, not with delay");
        return true;
    }
    if (rh__tree_is_reduction_from(a->tree, a->node)) {
        snprintf(error, error_size,
                 "preempt: hiding choices and leaving out orders do not go together, since the order that is left out "
                 "may be the one with few preemptions; preempt goes with dfs, stateful and samplers");
        return true;
    }
    if (take_memory(p))
        return false;
    snprintf(error, error_size, "no memory for explorer preempt");
    return true;
}

static bool add_round(struct preempt *p, const struct rh_arguments *a, uint32_t bound, char *error, size_t error_size)
{
    p->bounds[p->count] = bound;
    return rh_exploration_inner(p->x, a, 0, &p->inner[p->count++], error, error_size);
}

static bool preempt_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                         size_t error_size)
{
    struct preempt *p = state;
    uint32_t bound = (uint32_t)rh_arguments_number(a, "bound", USUAL_BOUND);
    bool only = rh_arguments_has(a, "only");
    p->x = x;
    p->avoids = !strcmp(rh_arguments_text(a, "avoid", "yes"), "yes");
    if (refuses(p, a, error, error_size) || !add_round(p, a, bound, error, error_size))
        return false;
    bool draws = !rh_inner_can_finish(&p->inner[0]); /* a sampler does not come to the next bound */
    p->looks = !draws && !only && p->avoids && bound > 0;
    if (p->looks)
        p->bounds[0] = bound < LOOK ? bound : LOOK;
    else if (!draws && !only)
        p->bounds[0] = 0;
    for (uint32_t b = !p->looks; !draws && !only && b <= bound && p->count < RH_MOST_INNER; b++)
        if (!add_round(p, a, p->count + 1 == RH_MOST_INNER ? bound : b, error, error_size))
            return false;
    p->draws = draws && bound <= MOST_MOMENTS;
    p->random = rh__random_seed(rh_exploration_seed(x), ITEM);
    p->longest = 1;
    return true;
}

static uint32_t preempt_begin(void *state, const struct rh_world *w)
{
    struct preempt *p = state;
    p->begun = true;
    for (uint32_t i = 0; p->draws && i < p->bounds[p->now]; i++)
        p->moment[i] = p->floor + rh__random_below(&p->random, p->longest);
    for (;;) {
        uint32_t keep = p->idle ? 0 : rh_inner_begin(&p->inner[p->now], w);
        bool ends = keep || p->idle || p->keeps || p->works || rh_inner_diverged(&p->inner[p->now]);
        if (ends || !p->tally[p->now].hid || p->now + 1 == p->count)
            return keep;
        p->now++;
        *rh__exploration_bounded(p->x) = false; /* what the last bound has hidden is shown again */
    }
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

/* The actor whose step it is; RH_NONE: of none. */
static uint32_t actor_of_step(const struct rh_world *w, const struct rh_choice *c)
{
    bool none = rh__is_fault(c) || rh__befalls(c) || c->actor == rh__world_run(w)->clock;
    return none ? RH_NONE : c->actor;
}

static uint64_t bit_of(uint32_t actor)
{
    return actor < MOST_ACTORS ? (uint64_t)1 << actor : 0;
}

static struct point moved(struct point at, uint32_t actor)
{
    at.used += at.last != RH_NONE && actor != at.last;
    at.last = actor;
    at.blocked &= ~bit_of(actor);
    return at;
}

/* Behind the last event; whether its actor can go on is not looked at. */
static struct point point_behind(const struct preempt *p, const struct rh_world *w, uint32_t events)
{
    uint32_t count;
    const struct rh_event *e = rh_world_events(w, &count);
    uint32_t actor = actor_of_step(w, &e[events - 1].choice);
    if (events == p->floor)
        return (struct point){ .last = actor };
    return actor == RH_NONE ? p->point[events - 1] : moved(p->point[events - 1], actor);
}

/* avoid=no: the actors that wait for what is not there, and have not blocked yet. */
static uint64_t about_to_block(struct preempt *p, const struct rh_world *w, const struct rh_choice *open,
                               uint32_t count, uint64_t blocked)
{
    uint32_t actors = rh_world_actor_count(w);
    uint64_t standing = 0;
    if (p->avoids)
        return 0;
    p->lost |= actors > MOST_ACTORS;
    for (uint32_t i = 0; i < actors && i < MOST_ACTORS; i++)
        if (rh__actor_stands(w, i))
            standing |= bit_of(i);
    for (uint32_t i = 0; i < count; i++)
        standing &= ~bit_of(open[i].actor);
    return standing & ~blocked;
}

/* How many preemptions a run may have had by now. */
static uint32_t allowance(const struct preempt *p, uint32_t events)
{
    uint32_t n = 0;
    if (!p->draws)
        return p->bounds[p->now];
    for (uint32_t i = 0; i < p->bounds[p->now]; i++)
        n += p->moment[i] <= events;
    return n;
}

static bool may_move(const struct point *at, uint32_t actor, uint32_t allowed)
{
    return actor == RH_NONE || at->last == RH_NONE || at->last == actor || at->used < allowed;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Each open choice, and each block with all that may follow it.  Recursive, once for each actor that may block.
 * Returns whether something was left out. */
static bool list_options(struct preempt *p, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                         struct point at, uint64_t may_block, uint32_t allowed)
{
    bool hides = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!may_move(&at, actor_of_step(w, &open[i]), allowed)) {
            hides = true;
        } else if (p->options == p->room) {
            p->lost = true;
        } else {
            p->choice[p->options] = open[i];
            p->index[p->options] = i;
            p->before[p->options++] = at;
        }
    }
    for (uint32_t b = 0; b < MOST_ACTORS && may_block >> b && !p->lost; b++) {
        if (!(may_block & bit_of(b)))
            continue;
        struct point next = moved(at, b);
        next.last = RH_NONE;
        next.blocked |= bit_of(b);
        if (may_move(&at, b, allowed))
            hides |= list_options(p, w, open, count, next, may_block & ~bit_of(b), allowed);
        else
            hides = true;
    }
    return hides;
}

/* What happens by default in the first look: the last actor goes on, or the first one that can. */
static uint32_t by_default(const struct rh_world *w, const struct rh_choice *open, uint32_t count, uint32_t last)
{
    uint32_t any = RH_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t actor = actor_of_step(w, &open[i]);
        if (open[i].kind == RH_CHOICE_TIMER || actor == RH_NONE)
            continue;
        if (actor == last)
            return i;
        any = any == RH_NONE ? i : any;
    }
    return any == RH_NONE ? 0 : any;
}

/* What is open in the first look: what happens by default, and for each actor that may preempt its first choice. */
static bool list_preemptions(struct preempt *p, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                             struct point at, uint32_t allowed)
{
    uint32_t first = by_default(w, open, count, at.last), before = RH_NONE;
    p->choice[0] = open[first];
    p->index[0] = first;
    p->before[0] = at;
    p->options = 1;
    for (uint32_t i = 0; i < count && at.last != RH_NONE && at.used < allowed; i++) {
        uint32_t actor = actor_of_step(w, &open[i]);
        if (actor == RH_NONE || actor == at.last || actor == before)
            continue;
        before = actor;
        p->choice[p->options] = open[i];
        p->index[p->options] = i;
        p->before[p->options++] = at;
    }
    return p->options < count;
}

static uint32_t preempt_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct preempt *p = state;
    uint32_t events = rh__depth(w);
    p->floor = p->floor ? p->floor : events;
    struct point here = point_behind(p, w, events);
    uint64_t may_block = about_to_block(p, w, open, count, here.blocked);
    bool goes_on = here.last != RH_NONE && may_block & bit_of(here.last);
    for (uint32_t i = 0; i < count && here.last != RH_NONE && !goes_on; i++)
        goes_on = open[i].kind != RH_CHOICE_TIMER && actor_of_step(w, &open[i]) == here.last;
    here.last = goes_on ? here.last : RH_NONE;
    rh__exploration_mark(p->x, rh__mix(rh__mix(here.last, here.used + 1), here.blocked));
    p->options = 0;
    bool look = p->looks && p->now == 0;
    bool hides = look ? list_preemptions(p, w, open, count, here, allowance(p, events))
                      : list_options(p, w, open, count, here, may_block, allowance(p, events));
    p->tally[p->now].hid |= hides;
    *rh__exploration_bounded(p->x) |= hides;
    uint32_t pick = p->options ? rh_inner_choose(&p->inner[p->now], w, p->choice, p->options) : RH_NONE;
    if (pick >= p->options)
        return pick;
    p->point[events] = p->before[pick];
    return p->index[pick];
}

/* In how many orders those that are left may block at the end of a run. */
static uint64_t last_blocks(struct preempt *p, const struct rh_world *w, const struct rh_run *run, struct point at)
{
    if (run->outcome != RH_OUTCOME_FINISHED && run->outcome != RH_OUTCOME_STUCK)
        return 1;
    uint64_t left = about_to_block(p, w, NULL, 0, at.blocked), orders = 1;
    uint32_t n = (uint32_t)__builtin_popcountll(left);
    bool must_go_on = at.last != RH_NONE && left & bit_of(at.last) && at.used == p->bounds[p->now];
    p->tally[p->now].hid |= must_go_on && n > 1;
    for (uint32_t i = 2; i <= n - must_go_on && orders < UINT64_MAX / MOST_ACTORS; i++)
        orders *= i;
    return orders;
}

static void preempt_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct preempt *p = state;
    struct tally *t = &p->tally[p->now];
    t->runs++;
    if (p->floor && run->events > p->floor) {
        struct point at = point_behind(p, w, run->events);
        t->full += at.used == p->bounds[p->now];
        t->sequences += p->avoids ? 1 : last_blocks(p, w, run, at);
    } else {
        t->sequences++;
    }
    if (run->events > p->floor + p->longest)
        p->longest = run->events - p->floor;
    rh_inner_end(&p->inner[p->now], w, run);
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static enum rh_verdict preempt_verdict(const void *state)
{
    const struct preempt *p = state;
    enum rh_verdict v = rh_inner_verdict(&p->inner[p->now]);
    bool hid = p->tally[p->now].hid;
    if (p->lost || (hid && p->now + 1 < p->count && !p->works))
        return RH_VERDICT_SAMPLED; /* the next bound has not begun */
    return v == RH_VERDICT_EXHAUSTIVE && hid ? RH_VERDICT_BOUNDED : v;
}

/* How many runs a bound has says little about the next one: before the last bound the number of all is not known. */
static double preempt_estimate(const void *state)
{
    const struct preempt *p = state;
    double here = p->now + 1 == p->count ? rh_inner_estimate(&p->inner[p->now]) : 0;
    for (uint32_t i = 0; here > 0 && i < p->now; i++)
        here += (double)p->tally[i].runs;
    return here;
}

static void preempt_notes(const void *state, char *buffer, size_t size)
{
    const struct preempt *p = state;
    char inner[1024];
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    for (uint32_t i = 0; i <= p->now; i++) {
        const struct tally *n = &p->tally[i];
        rh__text_add(&t, "%s%sat most %u preemption%s: %llu runs, %llu of them with %u", i ? "\n" : "",
                     p->looks && i == 0 ? "first look, nothing else open, " : "", p->bounds[i],
                     p->bounds[i] == 1 ? "" : "s", (unsigned long long)n->runs, (unsigned long long)n->full,
                     p->bounds[i]);
        if (!p->avoids)
            rh__text_add(&t, ", %llu sequences with blocks", (unsigned long long)n->sequences);
        rh__text_add(&t, "%s", n->hid || p->draws ? "" : "; no run has more");
    }
    if (p->lost)
        rh__text_add(&t, "\nthere were too many orders of blocks; some were left out");
    rh_inner_notes(&p->inner[p->now], inner, sizeof inner);
    if (*inner)
        rh__text_add(&t, "\n%s", inner);
}

/* ---- sharing ----------------------------------------------------------------------------------------------------- */

/* An explorer with rounds of its own has no items to be had inside of a bound. */
static bool preempt_can_share(const void *state)
{
    return !rh_inner_with_rounds(&((const struct preempt *)state)->inner[0]);
}

/* An item: the number of the bound, what a sampler goes on with, an item of the inner explorer. */
static size_t put_head(const struct preempt *p, uint32_t bound, uint64_t random, void *buffer, size_t room)
{
    struct rh__writer w = rh__writer_of(buffer, room);
    unsigned char kind = ITEM;
    rh__put(&w, &kind, 1);
    rh__put32(&w, bound);
    rh__put64(&w, random);
    rh__put32(&w, p->longest);
    return w.full ? 0 : w.len;
}

static size_t preempt_pack(void *state, void *buffer, size_t room, bool half)
{
    struct preempt *p = state;
    if (!p->works && !half && !p->begun && !p->idle) {
        p->idle = true;
        return rh_item_put_root(buffer, room);
    }
    uint64_t random = p->random, given = half ? rh__random_seed(rh__random_next(&random), ITEM) : random;
    size_t head = p->works ? put_head(p, p->now, given, buffer, room) : 0;
    size_t size = head ? rh_inner_pack(&p->inner[p->now], (unsigned char *)buffer + head, room - head, half) : 0;
    if (size)
        p->random = random;
    return size ? head + size : 0;
}

static bool unpack_root_items(struct preempt *p, const struct rh_world *w)
{
    p->works = p->begun = p->idle = false;
    for (uint32_t i = 0; i < p->count; i++)
        if (!rh_inner_unpack_root(&p->inner[i], w))
            return false;
    return true;
}

static bool preempt_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    struct preempt *p = state;
    if (rh_item_is_root(item, size))
        return unpack_root_items(p, w);
    struct rh__reader r = rh__reader_of(item, size);
    const unsigned char *kind = rh__get(&r, 1);
    uint32_t now = rh__get32(&r);
    uint64_t random = rh__get64(&r);
    uint32_t longest = rh__get32(&r);
    if (r.bad || *kind != ITEM || now >= p->count || !longest || longest > rh_exploration_max_steps(p->x) + 1)
        return false;
    p->works = true;
    p->idle = false;
    p->now = now;
    p->random = random;
    p->longest = longest;
    memset(p->tally, 0, sizeof p->tally);
    *rh__exploration_bounded(p->x) = false;
    return rh_inner_unpack(&p->inner[now], w, r.at, r.left);
}

/* The share of one bound says little about the next one. */
static double preempt_share_done(const void *state, uint64_t *runs)
{
    const struct preempt *p = state;
    *runs = 0;
    return p->count == 1 ? rh_inner_share(&p->inner[0], runs) : 0;
}

/* ---- the one that keeps the search ------------------------------------------------------------------------------- */

static bool has_next(const struct preempt *p)
{
    return !p->keeps || (p->tally[p->now].hid && p->now + 1 < p->count);
}

static size_t rounds_give(void *state, void *buffer, size_t room, bool idle)
{
    struct preempt *p = state;
    uint32_t bound = p->keeps ? p->now + 1 : 0;
    if (!idle || !has_next(p))
        return 0;
    size_t head = put_head(p, bound, p->random, buffer, room);
    size_t size = head ? rh_item_put_root((unsigned char *)buffer + head, room - head) : 0;
    if (!size)
        return 0;
    p->keeps = true;
    p->now = bound;
    *rh__exploration_bounded(p->x) = false;
    return head + size;
}

static void put_tally(struct rh__writer *w, const struct tally *t)
{
    rh__put64(w, t->runs);
    rh__put64(w, t->full);
    rh__put64(w, t->sequences);
    rh__put32(w, t->hid);
}

static void add_tally(struct rh__reader *r, struct tally *t)
{
    t->runs += rh__get64(r);
    t->full += rh__get64(r);
    t->sequences += rh__get64(r);
    t->hid |= rh__get32(r) != 0;
}

static size_t rounds_tell(void *state, void *buffer, size_t room)
{
    struct preempt *p = state;
    struct rh__writer w = rh__writer_of(buffer, room);
    unsigned char kind = TOLD;
    rh__put(&w, &kind, 1);
    rh__put32(&w, p->now);
    rh__put32(&w, p->lost);
    put_tally(&w, &p->tally[p->now]);
    p->tally[p->now] = (struct tally){ 0 };
    return w.full ? 0 : w.len;
}

static bool rounds_gather(void *state, const void *told, size_t size)
{
    struct preempt *p = state;
    struct rh__reader r = rh__reader_of(told, size);
    const unsigned char *kind = rh__get(&r, 1);
    uint32_t now = rh__get32(&r);
    p->lost |= rh__get32(&r) != 0;
    struct tally t = p->tally[p->now];
    add_tally(&r, &t);
    if (r.bad || *kind != TOLD || now != p->now || !rh__reader_done(&r))
        return false;
    p->tally[now] = t;
    return true;
}

static bool rounds_has_more(const void *state)
{
    return has_next(state);
}

static size_t rounds_save(const void *state, void *buffer, size_t room)
{
    const struct preempt *p = state;
    struct rh__writer w = rh__writer_new();
    unsigned char kind = SAVED;
    rh__put(&w, &kind, 1);
    rh__put32(&w, p->keeps);
    rh__put32(&w, p->lost);
    rh__put32(&w, p->now);
    for (uint32_t i = 0; i <= p->now; i++)
        put_tally(&w, &p->tally[i]);
    size_t size = w.full ? 0 : w.len;
    if (size && size <= room)
        memcpy(buffer, w.at, size);
    rh__writer_release(&w);
    return size;
}

static bool rounds_load(void *state, const void *saved, size_t size)
{
    struct preempt *p = state;
    struct rh__reader r = rh__reader_of(saved, size);
    const unsigned char *kind = rh__get(&r, 1);
    p->keeps = rh__get32(&r) != 0;
    p->lost = rh__get32(&r) != 0;
    uint32_t now = rh__get32(&r);
    if (r.bad || *kind != SAVED || now >= p->count)
        return false;
    p->now = now;
    for (uint32_t i = 0; i <= now; i++)
        add_tally(&r, &p->tally[i]);
    return rh__reader_done(&r);
}

static const struct rh_explorer_rounds preempt_rounds = { .give = rounds_give,
                                                          .gather = rounds_gather,
                                                          .has_more = rounds_has_more,
                                                          .save = rounds_save,
                                                          .load = rounds_load,
                                                          .tell = rounds_tell };
static const struct rh_explorer_report preempt_report = { .verdict = preempt_verdict,
                                                          .estimate = preempt_estimate,
                                                          .notes = preempt_notes };
static const struct rh_explorer_share preempt_share = { .can = preempt_can_share,
                                                        .pack = preempt_pack,
                                                        .unpack = preempt_unpack,
                                                        .share = preempt_share_done,
                                                        .rounds = &preempt_rounds };
static const struct rh_explorer_decorator preempt_decorator = { .inner = preempt_inner, .marks_states = true };
static const struct rh_argument preempt_arguments[] = {
    { .name = "bound",
      .kind = RH_ARGUMENT_NUMBER,
      .most = MOST_BOUND,
      .help = "the largest number of preemptions (2)" },
    { .name = "only", .kind = RH_ARGUMENT_FLAG, .help = "this bound at once, not 0, 1, 2, ... before" },
    { .name = "avoid",
      .kind = RH_ARGUMENT_WORD,
      .words = "yes|no",
      .named = true,
      .help = "no: an actor that is scheduled and blocks is an event, too, to compare (yes)" },
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .required = true, .help = "makes the runs" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_preempt = {
    .name = "preempt",
    .summary = "as EXPLORER wants, with at most 0, 1, ..., BOUND (2) preemptions",
    .prefers_object = true, /* else there are no preemption points but waits */
    .state_size = sizeof(struct preempt),
    .arguments = preempt_arguments,
    .open = preempt_open,
    .begin = preempt_begin,
    .choose = preempt_choose,
    .end = preempt_end,
    .report = &preempt_report,
    .share = &preempt_share,
    .decorator = &preempt_decorator,
};
