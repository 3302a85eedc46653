/* See minimise_endless.h.
 *
 * A candidate is some of the first steps of the run, and then a tail without faults that is fair to actors and
 * messages: whoever has waited longest moves, and takes its oldest message.  It fails if the tail comes back to a
 * state, and what lies between is a fair loop (explore/engine/loop.h); or if the tail is LONG, and no timer drives it.
 *
 *     beginnings   the first 0, 1, 2, 4, 8, ... steps, until a tail fails
 *     parts        without all, halves, quarters, ..., single ones of these steps
 *     confirm      the best one, up to the limit of steps at which the run was cut
 *
 * Smaller is fewer steps before the tail: the tail is what every run of its kind does.  A run that closes a loop is a
 * lasso then, and minimise_lasso.c goes on with it. */
#include "findings/minimise_endless.h"

#include <rehearse/sandbox.h>
#include <string.h>

#include "base/fail.h"
#include "base/random.h"
#include "explore/engine/engine.h"
#include "explore/engine/loop.h"
#include "explore/explorers.h"
#include "explore/fairness.h"
#include "findings/minimise_lasso.h"
#include "run/encode.h"
#include "world/live.h"

enum { LONG = 10000, MOST_WORK = 4 << 20 };

enum stage { BEGINNINGS, PARTS, CONFIRM, DONE };

/* In memory that children share, as is what it points to. */
struct endless {
    struct rh__finding *f;
    struct rh__shrink *s; /* plays the steps before the tail */
    uint64_t max_runs, max_steps;
    uint32_t steps, actors; /* of the run; room for so many actors */
    enum stage stage;
    uint32_t from, part; /* of the next candidate */
    uint32_t faults, first_faults;
    uint64_t runs, made, work; /* `work`: of all runs, if a step costs more the more messages there were */
    bool in_run, repeats, cut_short, improved, has_best;
    bool by_messages; /* choices are listed by a look at all messages: granularity object with losses or duplicates */
    bool by_timer;    /* the run under way: a timer has fired in the tail */

    uint32_t best_count, plan_count;
    uint32_t *best, *plan; /* steps of the run */
    uint32_t *picks;       /* of the run under way */
    uint32_t *moved;       /* of each actor: the event in which it moved last */
};

/* ---- candidates -------------------------------------------------------------------------------------------------- */

static void plan_beginning(struct endless *x, uint32_t count)
{
    for (x->plan_count = 0; x->plan_count < count; x->plan_count++)
        x->plan[x->plan_count] = x->plan_count;
}

static void plan_without_part(struct endless *x)
{
    x->plan_count = 0;
    for (uint32_t i = 0; i < x->best_count; i++)
        if (i < x->from || i - x->from >= x->part)
            x->plan[x->plan_count++] = x->best[i];
}

/* False if there is no candidate left, or a limit is reached. */
static bool next_candidate(struct endless *x)
{
    if (x->work >= MOST_WORK)
        return false;
    if (x->stage < CONFIRM && (x->runs >= x->max_runs || x->made >= x->max_steps || x->work >= MOST_WORK / 4)) {
        x->cut_short = true;
        x->stage = x->has_best ? CONFIRM : DONE;
    }
    if (x->stage == BEGINNINGS) {
        plan_beginning(x, x->from < x->steps ? x->from : x->steps);
        return true;
    }
    for (; x->stage == PARTS && x->part; x->part /= 2, x->from = 0)
        if (x->from < x->best_count) {
            plan_without_part(x);
            return true;
        } else if (x->part == 1 && x->improved) {
            x->part = 2; /* once more */
            x->improved = false;
        }
    if (x->stage == PARTS)
        x->stage = CONFIRM;
    memcpy(x->plan, x->best, x->best_count * sizeof *x->plan);
    x->plan_count = x->best_count;
    return x->stage == CONFIRM;
}

static void advance(struct endless *x, bool fails)
{
    if (x->stage == CONFIRM) {
        x->stage = DONE;
    } else if (x->stage == BEGINNINGS && !fails) {
        if (x->from >= x->steps)
            x->stage = DONE;
        x->from = x->from ? 2 * x->from : 1;
    } else if (x->stage == BEGINNINGS) {
        x->stage = PARTS;
        x->from = 0;
        x->part = x->best_count;
    } else if (fails) {
        x->improved = true; /* the next part stands there now */
    } else {
        x->from += x->part;
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* A random value; else the actor that has waited longest, and its oldest message. */
static uint32_t choose_fairly(const struct endless *x, const struct rh_choice *open, uint32_t count, uint64_t *random)
{
    uint32_t best = RH_NONE;
    if (open[0].kind == RH_CHOICE_VALUE)
        return rh__random_below(random, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct rh_choice *c = &open[i], *b = best == RH_NONE ? NULL : &open[best];
        if (rh__is_fault(c) || c->actor >= x->actors)
            continue;
        bool before = !b || x->moved[c->actor] < x->moved[b->actor];
        bool older =
            b && c->actor == b->actor && rh__is_about_message(c) && rh__is_about_message(b) && c->what < b->what;
        if (before || older)
            best = i;
    }
    return best;
}

/* The tail is in this state.  True if it closes a loop; then the run is over.  [Brent 1980]: the loop may begin in the
 * states after 1, 2, 4, 8, ... steps. */
static bool closes_loop(struct rh__loop *l, struct rh_world *w, uint32_t at)
{
    if (rh__world_is_choosing(w))
        return false;
    if (l->active && !rh__loop_end(l, w, RH__NO_MONITOR)) {
        rh__world_close_loop(w, l->events, RH__NO_MONITOR);
        return true;
    }
    if (!l->active || (at & (at - 1)) == 0)
        rh__loop_begin(l, w);
    return false;
}

static void play(struct endless *x, struct rh_world *w, struct rh__loop *l)
{
    uint64_t random = rh__random_seed(1, 0);
    uint32_t count, tail = 0;
    rh_world_reset(w);
    rh__loop_clear(l);
    x->by_timer = false;
    memset(x->moved, 0, x->actors * sizeof *x->moved);
    rh__shrink_play(x->s, x->plan, x->plan_count, RH_NONE);
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &count)), count;) {
        uint32_t pick, depth = rh__depth(w) - 1;
        x->work += 1 + (x->by_messages ? rh__world_run(w)->message_count / 32 : 0);
        if (depth >= x->steps || x->work >= MOST_WORK || (tail && closes_loop(l, w, tail)) ||
            (tail == LONG && x->stage < CONFIRM))
            return;
        if (x->s->plan_at < x->plan_count) {
            pick = rh__shrink_choose(x->s, w, open, count);
        } else {
            pick = choose_fairly(x, open, count, &random);
            x->by_timer |= pick != RH_NONE && open[pick].kind == RH_CHOICE_TIMER;
            tail++;
        }
        if (pick == RH_NONE)
            return;
        if (l->active)
            rh__loop_step(l, w, open, count, pick);
        if (open[pick].actor < x->actors)
            x->moved[open[pick].actor] = depth + 1;
        x->picks[depth] = pick;
        if (!rh_world_step(w, &open[pick]))
            return;
    }
}

/* The run that the world holds is the smallest one. */
static void keep(struct endless *x, const struct rh_world *w, const struct rh_outcome *outcome)
{
    const struct rh__run *r = rh__world_run(w);
    struct rh__finding *f = x->f;
    f->outcome = *outcome;
    f->actor[0] = 0;
    if (f->outcome.actor != RH_NONE)
        rh_world_actor_name(w, f->outcome.actor, f->actor, sizeof f->actor);
    f->pick_count = r->event_count - 1;
    memcpy(f->picks, x->picks, f->pick_count * sizeof *f->picks);
    rh__finding_keep_run(f, r);
    x->faults = x->s->now_cost.faults;
    x->repeats = true;
}

static void end_candidate(struct endless *x, const struct rh_world *w, const struct rh_outcome *outcome)
{
    bool long_enough = x->stage < CONFIRM && outcome->kind == RH_OUTCOME_RUNNING && !x->by_timer && x->work < MOST_WORK;
    bool fails = outcome->kind == RH_OUTCOME_ENDLESS_RUN || long_enough;
    x->in_run = false;
    x->runs++;
    x->made += rh__world_run(w)->event_count - 1;
    if (fails && x->stage == CONFIRM) {
        keep(x, w, outcome);
    } else if (fails) {
        memcpy(x->best, x->plan, x->plan_count * sizeof *x->best);
        x->best_count = x->plan_count;
        x->has_best = true;
    }
    advance(x, fails);
}

/* In a child process. */
static void drive(struct rh_world *w, void *arg)
{
    struct endless *x = arg;
    struct rh__loop loop = { 0 };
    size_t most = rh__world_most_choices(w) * RH__UNITS_OF_CHOICE * sizeof(uint64_t);
    rh__mute();
    rh_world_reset(w);
    (void)rh_world_fingerprint_wide(w); /* from now on stacks are cleaned, and equal states look equal */
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

static bool run_candidates(struct rh_world *w, struct endless *x)
{
    enum rh_sandbox_end end;
    while ((end = rh_sandbox_run(w, drive, x)) == RH_SANDBOX_FINDING) {
        if (!x->in_run || rh__world_child_killed(w))
            break; /* it died before the first step, or something outside killed it */
        end_candidate(x, w, rh__world_recorded_outcome(w));
    }
    return end != RH_SANDBOX_FAILED;
}

static uint32_t count_faults(const struct rh__run *r)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < r->event_count; i++)
        n += rh__is_fault(rh__run_choice(r, i));
    return n;
}

/* The smallest run is a lasso: its loop, and the way there, are made smaller. */
static bool minimise_loop(struct rh_world *w, struct rh__finding *f, const struct rh__shrink_limits *limits)
{
    struct rh__minimised first = f->minimised;
    char error[128];
    struct rh__run *r = rh__run_decode(f->encoded, f->encoded_size, error, sizeof error);
    bool good = !r || !r->loop || rh__minimise_lasso(w, f, r, limits);
    if (r && r->loop && f->minimised.repeats) {
        f->minimised.before = first.before;
        f->minimised.faults_before = first.faults_before;
        f->minimised.runs += first.runs;
        f->minimised.whole &= first.whole;
    } else {
        f->minimised = first;
    }
    rh__run_free(r);
    return good;
}

bool rh__minimise_endless(struct rh_world *w, struct rh__finding *f, const struct rh__run *r,
                          const struct rh__shrink_limits *limits)
{
    const struct rh__shrink_limits none = { 0 };
    const struct rh_semantics *semantics = rh_world_semantics(w);
    uint32_t steps = r->event_count - 1, actors = semantics->max_actors;
    size_t shrink_size = rh__shrink_size(r, steps);
    size_t size = sizeof(struct endless) + (3 * (size_t)steps + 3 + actors) * sizeof(uint32_t);
    struct endless *x = rh_shared_new(size);
    struct rh__shrink *s = rh_shared_new(shrink_size);
    bool good = true;
    f->minimised = (struct rh__minimised){ 0 };
    if (x && s) {
        *x = (struct endless){ .f = f,
                               .s = s,
                               .max_runs = limits->max_runs ? limits->max_runs : UINT64_MAX,
                               .max_steps = limits->max_steps ? limits->max_steps : UINT64_MAX,
                               .steps = steps,
                               .actors = actors,
                               .by_messages = semantics->granularity == RH_GRAIN_OBJECT &&
                                              (semantics->losses || semantics->duplicates),
                               .first_faults = count_faults(r) };
        x->best = (uint32_t *)(x + 1);
        x->plan = x->best + steps + 1;
        x->picks = x->plan + steps + 1;
        x->moved = x->picks + steps + 1;
        rh__shrink_init(s, r, steps, rh__finding_signature(&f->outcome), &none);
        good = run_candidates(w, x);
        f->minimised = (struct rh__minimised){ .before = steps,
                                               .after = f->pick_count,
                                               .faults_before = x->first_faults,
                                               .faults_after = x->faults,
                                               .runs = x->runs,
                                               .repeats = x->repeats,
                                               .costly = !x->repeats && x->work >= MOST_WORK,
                                               .tail = x->best_count,
                                               .whole = x->stage == DONE && !x->cut_short };
        good = good && minimise_loop(w, f, limits);
    }
    if (x)
        rh_shared_free(x, size);
    if (s)
        rh_shared_free(s, shrink_size);
    return good;
}
