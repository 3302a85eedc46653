/* See minimise_lasso.h.
 *
 * A candidate is a part of the best lasso: some steps of its stem, then some of its loop.  It is played, and judged by
 * what judges every lasso (explore/engine/loop.h): the loop comes back to the state in which it began, the same monitor
 * is hot all the time, and the loop is fair.  So no candidate is believed because of where it comes from.
 *
 *     cuts     steps between two equal states of the stem, or of the loop, the longest first; a stem that enters the
 *              loop at a later state (the loop is turned then)
 *     parts    without halves, quarters, ..., single steps
 *
 * in rounds, until one has brought nothing.  Smaller is fewer faults, then fewer events. */
#include "findings/minimise_lasso.h"

#include <rehearse/sandbox.h>
#include <string.h>

#include "base/fail.h"
#include "explore/engine/engine.h"
#include "explore/engine/loop.h"
#include "explore/fairness.h"
#include "run/encode.h"
#include "world/live.h"

enum stage { AS_IS, CUTS, PARTS, DONE };

/* In memory that children share, as is what it points to. */
struct lasso {
    struct rh__finding *f;
    struct rh__shrink *s; /* plays candidates */
    size_t shrink_size;
    struct rh__shrink_limits limits;
    uint64_t wanted; /* signature */
    uint32_t monitor;
    uint32_t count, loop; /* of the best lasso: steps, and those before the loop */
    uint32_t faults, first_faults;
    enum stage stage;
    uint32_t from, to, part; /* the next candidate */
    uint64_t runs, steps;
    bool in_run, improved, repeats, cut_short;

    uint32_t plan_count, plan_stem;
    uint32_t *plan;
    struct rh_fingerprint *best_states, *states; /* before each step, and at the end */
};

static uint32_t most_steps(const struct rh__run *r)
{
    return r->event_count + 16;
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

static void plan_steps(struct lasso *x, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        x->plan[x->plan_count++] = i;
}

static void plan_without(struct lasso *x, uint32_t from, uint32_t to)
{
    x->plan_count = 0;
    plan_steps(x, 0, from < x->loop ? from : x->loop);
    plan_steps(x, to, x->loop);
    x->plan_stem = x->plan_count;
    plan_steps(x, x->loop, from);
    plan_steps(x, to > x->loop ? to : x->loop, x->count);
}

/* The stem leads to a state of the loop: that is where the loop begins. */
static void plan_turned(struct lasso *x, uint32_t stem, uint32_t entry)
{
    x->plan_count = 0;
    plan_steps(x, 0, stem);
    x->plan_stem = x->plan_count;
    plan_steps(x, entry, x->count);
    plan_steps(x, x->loop, entry);
}

static bool same_state(const struct lasso *x, uint32_t a, uint32_t b)
{
    return x->best_states[a].high == x->best_states[b].high && x->best_states[a].low == x->best_states[b].low;
}

/* The next pair of equal states, `from` forward and `to` backward. */
static bool next_cut(struct lasso *x)
{
    for (; x->from < x->count; x->from++, x->to = x->count)
        for (; x->to > x->from; x->to--) {
            bool whole = x->from == x->loop && x->to == x->count;
            if (whole || !same_state(x, x->from, x->to))
                continue;
            if (x->from < x->loop && x->to > x->loop)
                plan_turned(x, x->from, x->to);
            else
                plan_without(x, x->from, x->to);
            x->to--;
            return true;
        }
    return false;
}

static bool next_part(struct lasso *x)
{
    for (; x->part; x->part /= 2, x->from = 0)
        while (x->from < x->count) {
            uint32_t end = x->from < x->loop ? x->loop : x->count;
            uint32_t to = x->from + x->part < end ? x->from + x->part : end;
            bool all = x->from == x->loop && to == x->count;
            uint32_t from = x->from;
            x->from = to;
            if (all)
                continue;
            plan_without(x, from, to);
            x->to = from; /* to go on from there if it is better */
            return true;
        }
    return false;
}

static void begin_stage(struct lasso *x, enum stage stage)
{
    x->stage = stage;
    x->from = 0;
    x->to = x->count;
    x->part = (x->count + 1) / 2;
}

/* False if there is no candidate left, or a limit is reached. */
static bool next_candidate(struct lasso *x)
{
    x->cut_short = x->stage != DONE && ((x->limits.max_runs && x->runs >= x->limits.max_runs) ||
                                        (x->limits.max_steps && x->steps >= x->limits.max_steps));
    if (x->stage == AS_IS && !x->runs) {
        plan_without(x, 0, 0);
        return true;
    }
    if (!x->repeats || x->cut_short)
        return false;
    if (x->stage == AS_IS)
        begin_stage(x, CUTS);
    while (x->stage != DONE) {
        if (x->stage == CUTS ? next_cut(x) : next_part(x))
            return true;
        if (x->stage == PARTS && !x->improved)
            x->stage = DONE;
        else
            begin_stage(x, x->stage == CUTS ? PARTS : CUTS);
        if (x->stage == CUTS)
            x->improved = false;
    }
    return false;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void play(struct lasso *x, struct rh_world *w, struct rh__loop *l)
{
    uint32_t count, from;
    rh_world_reset(w);
    rh__loop_clear(l);
    rh__shrink_play(x->s, x->plan, x->plan_count, RH_NONE);
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &count)), count && x->s->plan_at < x->plan_count;) {
        uint32_t at = x->s->now_count, pick = rh__shrink_choose(x->s, w, open, count);
        if (pick == RH_NONE)
            return;
        x->states[at] = rh_world_fingerprint_wide(w);
        from = rh__shrink_now(x->s, &at)[at - 1].from;
        if (from != RH_NONE && x->s->plan_at > x->plan_stem && !l->active)
            rh__loop_begin(l, w);
        if (l->active)
            rh__loop_step(l, w, open, count, pick);
        if (!rh_world_step(w, &open[pick]))
            return;
    }
    x->states[x->s->now_count] = rh_world_fingerprint_wide(w);
    if (count && x->s->now_count && l->active && !rh__loop_end(l, w, x->monitor))
        rh__world_close_loop(w, l->events, l->monitor);
}

static bool is_better(const struct lasso *x)
{
    uint32_t faults = x->s->now_cost.faults;
    return !x->repeats || faults < x->faults || (faults == x->faults && x->s->now_count < x->count);
}

/* The run that the world holds is the smallest so far. */
static void keep(struct lasso *x, const struct rh_world *w, const struct rh_outcome *outcome)
{
    const struct rh__run *r = rh__world_run(w);
    struct rh__finding *f = x->f;
    const struct rh__shrink_limits none = { 0 };
    uint32_t count, most = x->s->most;
    const struct rh__shrink_step *now = rh__shrink_now(x->s, &count);
    f->outcome = *outcome;
    f->pick_count = count;
    for (uint32_t i = 0; i < count; i++)
        f->picks[i] = now[i].pick;
    rh__finding_keep_run(f, r);
    x->count = count;
    x->loop = r->loop - 1;
    x->faults = x->s->now_cost.faults;
    memcpy(x->best_states, x->states, (count + 1) * sizeof *x->states);
    memset(x->s, 0, x->shrink_size);
    rh__shrink_init(x->s, r, most, x->wanted, &none);
}

static void end_candidate(struct lasso *x, const struct rh_world *w, const struct rh_outcome *outcome)
{
    bool first = x->stage == AS_IS, same = rh_outcome_failed(outcome->kind) && rh__world_run(w)->loop &&
                                           rh__finding_signature(outcome) == x->wanted;
    x->in_run = false;
    x->runs++;
    x->steps += x->s->now_count;
    if (!same || (!first && !is_better(x)))
        return;
    if (first)
        x->first_faults = x->s->now_cost.faults;
    keep(x, w, outcome);
    x->repeats = true;
    x->improved |= !first;
    if (x->stage == CUTS)
        begin_stage(x, CUTS);
    else if (x->stage == PARTS)
        x->from = x->to;
}

/* In a child process. */
static void drive(struct rh_world *w, void *arg)
{
    struct lasso *x = arg;
    struct rh__loop loop = { 0 };
    size_t most = rh__world_most_choices(w) * RH__UNITS_OF_CHOICE * sizeof(uint64_t);
    rh__mute();
    loop.pending = rh__alloc(most);
    loop.here = rh__alloc(most);
    while (loop.pending && loop.here && next_candidate(x)) {
        x->in_run = true;
        play(x, w, &loop);
        end_candidate(x, w, rh_world_outcome(w));
    }
    rh__free(loop.pending);
    rh__free(loop.here);
}

static bool run_candidates(struct rh_world *w, struct lasso *x)
{
    enum rh_sandbox_end end;
    while ((end = rh_sandbox_run(w, drive, x)) == RH_SANDBOX_FINDING) {
        if (!x->in_run || rh__world_child_killed(w))
            break; /* it died before the first step, or something outside killed it */
        end_candidate(x, w, rh__world_recorded_outcome(w));
    }
    return end != RH_SANDBOX_FAILED;
}

bool rh__minimise_lasso(struct rh_world *w, struct rh__finding *f, const struct rh__run *r,
                        const struct rh__shrink_limits *limits)
{
    const struct rh__shrink_limits none = { 0 };
    uint32_t most = most_steps(r);
    size_t shrink_size = rh__shrink_size(r, most);
    size_t size = sizeof(struct lasso) + most * (sizeof(uint32_t) + 2 * sizeof(struct rh_fingerprint));
    struct lasso *x = rh_shared_new(size);
    struct rh__shrink *s = rh_shared_new(shrink_size);
    bool good = true;
    f->minimised = (struct rh__minimised){ 0 };
    if (x && s) {
        *x = (struct lasso){ .f = f,
                             .s = s,
                             .shrink_size = shrink_size,
                             .limits = *limits,
                             .wanted = rh__finding_signature(&f->outcome),
                             .monitor = r->loop_monitor,
                             .count = r->event_count - 1,
                             .loop = r->loop - 1 };
        x->best_states = (struct rh_fingerprint *)(x + 1);
        x->states = x->best_states + most;
        x->plan = (uint32_t *)(x->states + most);
        rh__shrink_init(s, r, most, x->wanted, &none);
        good = run_candidates(w, x);
        f->minimised = (struct rh__minimised){ .before = r->event_count - 1,
                                               .after = x->count,
                                               .faults_before = x->first_faults,
                                               .faults_after = x->faults,
                                               .runs = x->runs,
                                               .repeats = x->repeats,
                                               .whole = x->stage == DONE };
    }
    if (x)
        rh_shared_free(x, size);
    if (s)
        rh_shared_free(s, shrink_size);
    return good;
}
