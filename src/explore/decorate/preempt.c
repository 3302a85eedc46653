/* preempt: runs with few preemptions first [Musuvathi and Qadeer 2007] [Concuerror 2013, VI].
 *
 *     preempt([BOUND], [only], EXPLORER)   EXPLORER's runs with at most 0, 1, ..., BOUND (2) preemptions; with `only`,
 *                                          those with at most BOUND at once
 *
 * A run is a sequence of steps of actors.  A step of another actor than the last one is a switch.  It is a preemption
 * if the last actor could have gone on: one of its choices is open, other than a timer.  An actor that waits for a
 * message that is not there, or has ended, cannot: its turn is over, and whoever comes next comes free.  That is
 * blocking avoidance as in [Concuerror 2013, VI-A]: there a process must run into its receive to find out that it
 * blocks; here a blocked actor has no open choice, a block is no event, and no run differs from another one in blocks
 * alone.
 *
 * Not steps of actors are faults, recoveries, the clock, messages from outside, and the end of a run: they are never
 * preemptions, and the last actor stays the last one.  A timer of another actor is a switch to it.
 *
 * Each bound has its own instance of EXPLORER, from which the filter hides preemptions beyond the bound; runs with
 * fewer preemptions are made again at the next bound.  If nothing was hidden at a bound, the search was exhaustive,
 * and it ends.  With more than 7 as BOUND, the bounds are 0 to 6 and BOUND.
 *
 * An explorer that compares states (stateful) must know that two runs in the same state may have different preemptions
 * left: the actor and the number are a mark, which is a part of the state (rh__exploration_mark). */
#include <stdio.h>

#include "base/hash.h"
#include "base/text.h"
#include "explore/engine/engine.h"
#include "explore/explorers.h"
#include "run/run.h"
#include "world/live.h"

/* The state before the choice behind so many events. */
struct level {
    uint32_t last; /* the actor that made the last step, if it can go on; else RH_NONE, and a switch is free */
    uint32_t used; /* preemptions so far */
};

struct preempt {
    struct rh_inner inner[RH_MOST_INNER]; /* by bound */
    uint32_t bounds[RH_MOST_INNER];
    uint64_t runs[RH_MOST_INNER], full[RH_MOST_INNER]; /* all of them, and those that use up the bound */
    bool hid[RH_MOST_INNER];
    uint32_t count, now;
    uint32_t floor; /* number of events before its first choice; 0: not known yet */
    struct level *levels;
    struct rh_exploration *x;
};

enum { USUAL_BOUND = 2, MOST_BOUND = 1 << 20 };

static const struct rh_inner *preempt_inner(const void *state, uint32_t *count, uint32_t *now)
{
    const struct preempt *p = state;
    *count = p->count;
    *now = p->now;
    return p->inner;
}

static bool preempt_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                         size_t error_size)
{
    struct preempt *p = state;
    uint32_t bound = (uint32_t)rh_arguments_number(a, "bound", USUAL_BOUND);
    p->x = x;
    if (rh__tree_has(&x->tree, &rh__explorer_delay)) {
        snprintf(error, error_size, "preempt goes with dfs, stateful and samplers, not with delay");
        return false;
    }
    p->levels = rh_exploration_memory(x, ((size_t)rh_exploration_max_steps(x) + 2) * sizeof *p->levels);
    if (!p->levels) {
        snprintf(error, error_size, "no memory for explorer preempt");
        return false;
    }
    bool only = rh_arguments_has(a, "only");
    for (uint32_t b = only ? bound : 0; p->count < RH_MOST_INNER; b++) {
        struct rh_inner *inner = &p->inner[p->count];
        bool last = b >= bound || p->count + 1 == RH_MOST_INNER;
        if (!rh_exploration_inner(x, a, 0, inner, error, error_size))
            return false;
        p->bounds[p->count++] = last ? bound : b;
        if (last || !rh_inner_can_finish(inner)) { /* a sampler does not come to the next bound */
            p->bounds[p->count - 1] = bound;
            break;
        }
    }
    return true;
}

static uint32_t preempt_begin(void *state, const struct rh_world *w)
{
    struct preempt *p = state;
    for (;;) {
        uint32_t keep = rh_inner_begin(&p->inner[p->now], w);
        if (keep || rh_inner_diverged(&p->inner[p->now]) || !p->hid[p->now] || p->now + 1 == p->count)
            return keep;
        p->now++;
        *rh__exploration_bounded(p->x) = false; /* what the last bound has hidden is shown again */
    }
}

/* The actor whose step it is; RH_NONE: of none. */
static uint32_t actor_of_step(const struct rh_world *w, const struct rh_choice *c)
{
    bool none = rh__is_fault(c) || rh__befalls(c) || c->actor == rh__world_run(w)->clock;
    return none ? RH_NONE : c->actor;
}

static struct level level_here(const struct preempt *p, const struct rh_world *w, uint32_t events)
{
    uint32_t count;
    const struct rh_event *e = rh_world_events(w, &count);
    uint32_t actor = actor_of_step(w, &e[events - 1].choice);
    if (events == p->floor)
        return (struct level){ .last = actor };
    struct level here = p->levels[events - 1];
    if (actor != RH_NONE) {
        here.used += here.last != RH_NONE && actor != here.last;
        here.last = actor;
    }
    return here;
}

static uint32_t preempt_hide(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                             bool *hidden)
{
    struct preempt *p = state;
    uint32_t events = rh__depth(w), hides = 0;
    p->floor = p->floor ? p->floor : events;
    struct level here = level_here(p, w, events);
    bool goes_on = false;
    for (uint32_t i = 0; i < count && here.last != RH_NONE && !goes_on; i++)
        goes_on = open[i].kind != RH_CHOICE_TIMER && actor_of_step(w, &open[i]) == here.last;
    here.last = goes_on ? here.last : RH_NONE;
    p->levels[events] = here;
    rh__exploration_mark(p->x, rh__mix(here.last, here.used + 1));
    for (uint32_t i = 0; here.last != RH_NONE && here.used == p->bounds[p->now] && i < count; i++) {
        uint32_t actor = actor_of_step(w, &open[i]);
        hidden[i] = actor != RH_NONE && actor != here.last;
        hides += hidden[i];
    }
    p->hid[p->now] |= hides > 0;
    return hides;
}

static void preempt_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct preempt *p = state;
    p->runs[p->now]++;
    if (p->floor && run->events > p->floor)
        p->full[p->now] += level_here(p, w, run->events).used == p->bounds[p->now];
    rh_inner_end(&p->inner[p->now], w, run);
}

static enum rh_verdict preempt_verdict(const void *state)
{
    const struct preempt *p = state;
    enum rh_verdict v = rh_inner_verdict(&p->inner[p->now]);
    if (p->hid[p->now] && p->now + 1 < p->count)
        return RH_VERDICT_SAMPLED; /* the next bound has not begun */
    return v == RH_VERDICT_EXHAUSTIVE && p->hid[p->now] ? RH_VERDICT_BOUNDED : v;
}

static void preempt_notes(const void *state, char *buffer, size_t size)
{
    const struct preempt *p = state;
    char inner[1024];
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    for (uint32_t i = 0; i <= p->now; i++)
        rh__text_add(&t, "%sat most %u preemption%s: %llu runs, %llu of them with %u%s", i ? "\n" : "", p->bounds[i],
                     p->bounds[i] == 1 ? "" : "s", (unsigned long long)p->runs[i], (unsigned long long)p->full[i],
                     p->bounds[i], p->hid[i] ? "" : "; no run has more");
    rh_inner_notes(&p->inner[p->now], inner, sizeof inner);
    if (*inner)
        rh__text_add(&t, "\n%s", inner);
}

/* All processes must come to the end of a bound before one begins with the next. */
static bool preempt_can_share(const void *state)
{
    return ((const struct preempt *)state)->count == 1;
}

static const struct rh_explorer_report preempt_report = { .verdict = preempt_verdict, .notes = preempt_notes };
static const struct rh_explorer_share preempt_share = { .can = preempt_can_share };
static const struct rh_explorer_decorator preempt_decorator = { .inner = preempt_inner,
                                                                .hide = preempt_hide,
                                                                .marks_states = true };
static const struct rh_argument preempt_arguments[] = {
    { .name = "bound",
      .kind = RH_ARGUMENT_NUMBER,
      .most = MOST_BOUND,
      .help = "the largest number of preemptions (2)" },
    { .name = "only", .kind = RH_ARGUMENT_FLAG, .help = "this bound at once, not 0, 1, 2, ... before" },
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .required = true, .help = "makes the runs" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_preempt = {
    .name = "preempt",
    .summary = "as EXPLORER wants, with at most 0, 1, ..., BOUND (2) preemptions",
    .state_size = sizeof(struct preempt),
    .arguments = preempt_arguments,
    .open = preempt_open,
    .begin = preempt_begin,
    .end = preempt_end,
    .report = &preempt_report,
    .share = &preempt_share,
    .decorator = &preempt_decorator,
};
