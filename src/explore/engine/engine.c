/* The loop over runs: beginning and end of a run, limits (engine.h). */
#include "explore/engine/engine.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "explore/engine/engine_parts.h"
#include "explore/engine/measure.h"
#include "explore/explorers.h"
#include "run/identity.h"
#include "world/live.h"

void rh__mute(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
    }
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static bool start_run(struct rh_exploration *x, uint32_t keep);
static void abandon_run(struct rh_exploration *x, bool late);
static bool look_at_clock(struct rh_exploration *x);

/* Checks the time in the middle of a run, which may be long.  Reads the clock only when the watchdog has ticked. */
static inline bool is_too_late(struct rh_exploration *x)
{
    return (x->end.interrupted || x->clock.ticks != *x->clock.world_ticks) && look_at_clock(x);
}

static inline uint32_t depth(const struct rh_exploration *x)
{
    return *x->run.events;
}

/* Stops an explorer that casts away `const` and moves the world. */
static inline void check_unmoved(const struct rh_exploration *x, uint32_t events)
{
    RH__ASSERT(depth(x) == events, "explorer %s moved the world", x->explorer.explorer->name);
}

static uint32_t begin(struct rh_exploration *x)
{
    uint32_t events = depth(x), keep = rh_inner_begin(&x->explorer, x->world);
    check_unmoved(x, events);
    return keep;
}

/* Asks the explorer for a choice, and records it. */
static inline uint32_t choose(struct rh_exploration *x, const struct rh_choice *choices, uint32_t open)
{
    const struct rh_inner *e = &x->explorer;
    uint32_t at = depth(x);
    uint32_t pick = e->explorer->choose ? e->explorer->choose(e->state, x->world, choices, open)
                                        : rh_inner_choose(e, x->world, choices, open);
    check_unmoved(x, at);
    RH__ASSERT(pick < open || pick >= RH_ASIDE, "explorer %s chose number %u of %u choices", x->explorer.explorer->name,
               pick, open);
    x->run.picks[at] = pick;
    x->run.opens[at] = open;
    if (x->loop.active)
        rh__loop_step(&x->loop, x->world, choices, open, pick);
    return pick;
}

void rh__engine_drive(struct rh_world *w, void *arg)
{
    struct rh_exploration *x = arg;
    const struct rh_inner *e = &x->explorer;
    if (x->mute)
        rh__mute();
    x->clock.meter->pid = getpid();
    for (;;) {
        uint32_t keep = rh__engine_is_enough(x) ? 0 : begin(x), open;
        if (!keep) {
            x->end.exhausted = !x->end.stopped && !x->end.paused;
            x->results->diverged |= rh_inner_diverged(e);
            if (x->end.paused)
                rh__engine_keep_choices(x, depth(x) - 1); /* the next child keeps events of this run */
            if (!x->work.next || !x->work.next(x))
                break;
            continue;
        }
        if (!start_run(x, keep))
            continue;
        RH__PLANT("run", x->results->count.runs);
        uint32_t pick = 0;
        bool late = false;
        for (const struct rh_choice *choices; (choices = rh_world_enabled(w, &open)), open;) {
            pick = choose(x, choices, open);
            if (pick >= open || (late = is_too_late(x)))
                break;
            rh_world_step(w, &choices[pick]);
        }
        if (open && !late && pick == RH_ASIDE)
            rh__results_add_aside(x->results, w);
        if (open && (late || pick == RH_ABANDON || pick == RH_ASIDE)) {
            abandon_run(x, late);
            continue;
        }
        bool lasso = open && pick == RH_LASSO;
        if (lasso)
            rh__world_close_loop(w, x->loop.events, x->loop.monitor);
        rh__engine_end_run(x, open && !lasso ? RH_OUTCOME_RUNNING : rh_world_outcome(w)->kind,
                           open && pick == RH_PRUNED);
        rh__engine_repeat_run(x, !open);
    }
}

/* ---- the beginning of a run -------------------------------------------------------------------------------------- */

/* Makes the kept events again that the world does not hold. */
static void repeat_kept(struct rh_exploration *x, uint32_t keep)
{
    struct rh_world *w = x->world;
    const struct rh__recovery *c = &x->recovery;
    while (depth(x) < keep && depth(x) - 1 < c->replay_count)
        if (!rh_world_step(w, &c->replay[depth(x) - 1]))
            break;
}

/* With threads the kept events are made again: what a library keeps by thread is not undone, and begins anew. */
static void go_back(struct rh_exploration *x, uint32_t keep)
{
    bool anew = x->has_threads && keep > 1 && keep < depth(x);
    if (anew)
        rh__engine_keep_choices(x, keep - 1);
    rh_world_rollback(x->world, anew ? 1 : keep);
    if (anew)
        repeat_kept(x, keep);
    if (x->run.hashed_events > keep)
        x->run.hashed_events = keep;
}

/* Makes the events that lead to the explorer's work, from the beginning on.  Then the explorer knows which of these
 * events its run keeps.  False if the program diverges. */
static bool lead(struct rh_exploration *x, uint32_t events)
{
    struct rh_world *w = x->world;
    go_back(x, 1);
    while (depth(x) < events) {
        uint32_t open;
        const struct rh_choice *choices = rh_world_enabled(w, &open);
        uint32_t pick = open ? choose(x, choices, open) : RH_NONE;
        if (pick >= open)
            return false;
        rh_world_step(w, &choices[pick]);
    }
    uint32_t keep = rh_inner_arrived(&x->explorer, w);
    if (keep)
        go_back(x, keep);
    return keep != 0;
}

/* Goes to the events that the explorer keeps.  False if the program diverges on the way. */
static bool start_run(struct rh_exploration *x, uint32_t keep)
{
    struct rh__recovery *c = &x->recovery;
    uint32_t events = x->run.lead = rh_inner_lead(&x->explorer);
    if (events) {
        if (!lead(x, events))
            x->results->diverged = x->end.stopped = true;
    } else {
        go_back(x, keep);
        repeat_kept(x, keep); /* in a child that follows a crashed child */
    }
    c->replay_count = 0;
    rh__loop_clear(&x->loop);
    x->run.mark = 0;
    if (x->results->diverged)
        return false;
    c->in_run = true;
    return true;
}

/* ---- the end of a run -------------------------------------------------------------------------------------------- */

static uint64_t hash_run(struct rh_exploration *x)
{
    const struct rh__run *r = rh__world_run(x->world);
    struct rh__current_run *run = &x->run;
    uint32_t from = run->hashed_events ? run->hashed_events : 1;
    run->hashed_events = r->event_count;
    return rh__run_hash(r, from, run->prefix);
}

/* Adds a finding that shows the run that has just ended. */
void rh__engine_add_finding(struct rh_exploration *x, uint64_t run)
{
    struct rh_world *w = x->world;
    const struct rh_outcome *o = rh__world_recorded_outcome(w);
    const uint32_t *picks = x->run.picks + 1, count = depth(x) - 1;
    struct rh__finding *f = rh__results_find(x->results, rh__finding_signature(o), picks, count);
    if (!f)
        return;
    f->run = f->count == 1 ? run : f->run; /* where it was first found */
    f->outcome = *o;
    f->actor[0] = 0;
    if (f->outcome.actor != RH_NONE)
        rh_world_actor_name(w, f->outcome.actor, f->actor, sizeof f->actor);
    f->pick_count = count;
    memcpy(f->picks, picks, f->pick_count * sizeof *f->picks);
    f->changed = true;
    rh__finding_keep_run(f, rh__world_run(w));
}

/* Tells the explorer also about a run that rh_assume ended, so that the explorer does not try this run again. */
void rh__engine_end_run(struct rh_exploration *x, enum rh_outcome_kind outcome, bool pruned)
{
    struct rh_world *w = x->world;
    struct rh_run run = { .events = depth(x), .outcome = outcome, .distinct = hash_run(x), .pruned = pruned };
    uint64_t runs = x->results->count.runs;
    if (outcome == RH_OUTCOME_CUT || (outcome == RH_OUTCOME_RUNNING && !pruned))
        rh__world_was_cut(w);
    rh__results_add_run(x->results, w, &run, x->wants_new || x->curve.wanted);
    if (x->curve.wanted && x->results->count.runs != runs) /* not one that rh_assume ended */
        rh__curve_run(x, run.is_new);
    x->recovery.in_run = false;
    if (rh_outcome_failed(outcome))
        rh__engine_add_finding(x, run.number);
    if (x->measure && outcome == RH_OUTCOME_ASSUMED)
        rh__measure_nothing(x);
    else if (x->measure)
        rh__measure_run(x);
    rh_inner_end(&x->explorer, w, &run);
}

void rh__exploration_adopt_run(struct rh_exploration *x)
{
    const struct rh_outcome *o = rh__world_recorded_outcome(x->world);
    x->run.hashed_events = 0;
    struct rh_run run = { .events = depth(x), .outcome = o->kind, .distinct = hash_run(x) };
    rh__results_add_run(x->results, x->world, &run, false);
    rh__distinct_settle(&x->results->distinct);
    memset(x->run.picks, 0, depth(x) * sizeof *x->run.picks);
    rh__engine_add_finding(x, run.number);
    x->end.stopped = true;
}

static void abandon_run(struct rh_exploration *x, bool late)
{
    x->end.unfinished = late ? depth(x) - 1 : 0;
    x->end.abandoned++;
    x->recovery.in_run = false;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static bool look_at_clock(struct rh_exploration *x)
{
    x->clock.ticks = *x->clock.world_ticks;
    if (x->end.interrupted || rh__engine_out_of_time(x, rh__now_seconds()))
        x->end.stopped = true;
    return x->end.stopped;
}

bool rh_exploration_is_over(struct rh_exploration *x)
{
    return x->end.stopped || is_too_late(x);
}

/* Reads the clock only now and then, because reading the clock costs as much as a short run. */
bool rh__engine_is_enough(struct rh_exploration *x)
{
    const struct rh__results *r = x->results;
    const struct rh__limits *l = &x->limits;
    struct rh__clock *c = &x->clock;
    if (x->end.stopped || x->end.interrupted || (r->finding_count && !l->keep_going) ||
        (l->max_runs && r->count.runs >= l->max_runs) || (l->max_all_steps && r->count.steps >= l->max_all_steps) ||
        rh__distinct_is_full(&r->distinct))
        return x->end.stopped = true;
    if (l->pause && r->count.steps >= l->pause)
        return x->end.paused = true;
    if (r->count.runs % 256 && r->count.steps < c->next_look && c->ticks == *c->world_ticks)
        return false;
    c->next_look = r->count.steps + 8000;
    c->ticks = *c->world_ticks;
    double now = rh__now_seconds();
    rh__curve_note(x, false);
    if (rh__engine_out_of_time(x, now) || (x->work.slice_end > 0 && r->count.runs != x->work.slice_runs &&
                                           rh__meter_seconds(c->meter) >= x->work.slice_end))
        return x->end.stopped = true;
    if (x->progress && now >= c->next_progress) {
        rh__distinct_settle(&x->results->distinct);
        x->progress(x);
    }
    return false;
}
