/* See why.h.  All runs are made in children that the program may kill.  What is to be done, and what came of it, is in
 * shared memory; the parent ends the run in which a child died. */
#include "findings/why.h"

#include <rehearse/sandbox.h>
#include <string.h>

#include "base/fail.h"
#include "base/random.h"
#include "explore/engine/engine.h"
#include "explore/explorers.h"
#include "findings/why_lasso.h"
#include "findings/why_objects.h"
#include "findings/why_parts.h"
#include "run/encode.h"
#include "world/live.h"

enum {
    SAMPLES = 24,        /* of each prefix */
    MORE_SAMPLES = 300,  /* of the prefix up to the decisive step, if there are too many continuations */
    MOST_STEPS = 300000, /* of tries, and again of continuations */
    MOST_RUNS = 3000,    /* of one exhaustive search */
    MOST_SEARCHES = 6,   /* exhaustive ones */
    ALL_POINTS = 48      /* prefixes of a run of at most so many events are all drawn from */
};

static uint32_t *picks_of(struct rh__why_work *x)
{
    return x->arrays + x->most + 2;
}

static uint32_t *opens_of(struct rh__why_work *x)
{
    return x->arrays + 2 * (x->most + 2);
}

/* ---- continuations ----------------------------------------------------------------------------------------------- */

/* The choices that are no faults, and those that undo one: their number, and the index of number `which`. */
static bool goes_on(const struct rh_choice *c)
{
    return !rh__is_fault(c) || c->kind == RH_CHOICE_HEAL || c->kind == RH_CHOICE_RESTART;
}

static uint32_t no_faults(const struct rh_choice *open, uint32_t count, uint32_t which, uint32_t *pick)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (goes_on(&open[i]) && n++ == which)
            *pick = i;
    return n;
}

/* Makes the first steps of the run.  False if the program differs. */
static bool go_to_prefix(const struct rh__why_work *x, struct rh_world *w)
{
    rh_world_reset(w);
    for (uint32_t i = 0; i < x->prefix; i++) {
        uint32_t count;
        const struct rh_choice *open = rh_world_enabled(w, &count);
        if (x->f->picks[i] >= count || !rh_world_step(w, &open[x->f->picks[i]]))
            return false;
    }
    return true;
}

static void run_sample(struct rh__why_work *x, struct rh_world *w)
{
    uint64_t random = rh__random_seed(x->wanted, (uint64_t)x->prefix << 32 | x->drawn);
    x->cold_at = 0;
    uint32_t count, pick = 0;
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &count)), count;) {
        uint32_t events, n = no_faults(open, count, RH_NONE, &pick);
        rh_world_events(w, &events);
        if (!n || events > x->prefix + x->most)
            break;
        no_faults(open, count, rh__random_below(&random, n), &pick);
        rh_world_step(w, &open[pick]);
        x->made++;
        if (x->r->loop_monitor != RH__NO_MONITOR && rh__monitor_hot_since(w, x->r->loop_monitor) == RH_NONE)
            x->cold_at = rh__depth(w);
    }
    x->drawn_events = rh__depth(w) - x->prefix;
}

/* The next sequence of choices after the prefix, in the order of an odometer. */
static void run_search(struct rh__why_work *x, struct rh_world *w)
{
    uint32_t count, pick = 0, at = 0;
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &count)), count; at++) {
        uint32_t n = no_faults(open, count, at < x->depth ? picks_of(x)[at] : 0, &pick);
        if (!n || at == x->most)
            break;
        if (at >= x->depth) {
            picks_of(x)[at] = 0;
            x->depth = at + 1;
        }
        opens_of(x)[at] = n;
        rh_world_step(w, &open[pick]);
        x->made++;
        x->search_steps++;
    }
}

/* Turns the odometer to the next sequence; false behind the last. */
static bool advance(struct rh__why_work *x)
{
    while (x->depth && picks_of(x)[x->depth - 1] + 1 == opens_of(x)[x->depth - 1])
        x->depth--;
    if (x->depth)
        picks_of(x)[x->depth - 1]++;
    return x->depth != 0;
}

/* A drawn continuation of a lasso fails if the monitor is hot all the time in its second half, or at its end; of a
 * circle of messages, if it does not end. */
static bool goes_round(const struct rh__why_work *x, const struct rh_outcome *outcome)
{
    bool cut = outcome->kind == RH_OUTCOME_RUNNING || outcome->kind == RH_OUTCOME_CUT ||
               outcome->kind == RH_OUTCOME_ENDLESS_RUN;
    if (x->r->loop_monitor == RH__NO_MONITOR)
        return cut;
    return (cut && x->cold_at < x->prefix + x->drawn_events / 2) ||
           (outcome->kind == RH_OUTCOME_MONITOR && x->cold_at < x->prefix + x->drawn_events);
}

static bool is_the_failure(const struct rh__why_work *x, const struct rh_outcome *outcome)
{
    if (x->r->loop)
        return goes_round(x, outcome);
    return rh_outcome_failed(outcome->kind) && rh__finding_signature(outcome) == x->wanted;
}

static void draw_from(struct rh__why_work *x, uint32_t prefix, uint32_t samples)
{
    x->prefix = prefix;
    x->drawn = x->samples = x->failed = 0;
    x->avoided = false;
    x->wanted_samples = samples;
}

/* The samples of the prefix are complete. */
static void note_point(const struct rh__why_work *x)
{
    struct rh__why *y = &x->f->why;
    uint32_t at = 0;
    while (at < y->point_count && y->points[at].event < x->prefix)
        at++;
    if (at == y->point_count || y->points[at].event != x->prefix) {
        if (y->point_count == RH__WHY_POINTS)
            return;
        memmove(&y->points[at + 1], &y->points[at], (y->point_count++ - at) * sizeof *y->points);
        y->points[at] = (struct rh__why_point){ .event = x->prefix };
    }
    y->points[at].failed += x->failed;
    y->points[at].samples += x->samples;
}

static uint32_t prefix_of_point(const struct rh__why_curve *c)
{
    return c->steps < ALL_POINTS ? c->at : (uint32_t)((uint64_t)c->at * c->steps / c->count);
}

/* The next prefix after this one, if the curve is not done. */
static void next_point(struct rh__why_work *x)
{
    struct rh__why_curve *c = &x->curve;
    note_point(x);
    if (x->avoided) {
        c->low = x->prefix;
        c->high = c->narrows ? c->high : c->steps;
    } else if (c->narrows || c->high == c->steps) {
        c->high = x->prefix;
    }
    c->narrows |= ++c->at >= c->count || x->made >= MOST_STEPS;
    c->done = c->narrows && c->high == c->low + 1;
    draw_from(x, c->narrows ? c->low + 1 + (c->high - c->low - 1) / 2 : prefix_of_point(c), SAMPLES);
}

static void end_continuation(struct rh__why_work *x, const struct rh_outcome *outcome)
{
    bool failed = is_the_failure(x, outcome);
    x->avoided |= !failed && outcome->kind != RH_OUTCOME_ASSUMED;
    if (x->phase == RH__WHY_SEARCHING) {
        x->search_runs++;
        x->searched = !advance(x);
        return;
    }
    x->drawn++;
    x->samples += outcome->kind != RH_OUTCOME_ASSUMED;
    x->failed += failed;
    if (x->phase == RH__WHY_DRAWING && x->drawn == x->wanted_samples)
        next_point(x);
}

/* ---- children ---------------------------------------------------------------------------------------------------- */

static bool is_done(const struct rh__why_work *x)
{
    switch (x->phase) {
    case RH__WHY_TRYING:
        return x->try_at == x->try_count || x->made >= MOST_STEPS;
    case RH__WHY_DRAWING:
        return x->curve.done;
    case RH__WHY_SAMPLING:
        return x->drawn >= x->wanted_samples || (x->avoided && x->wanted_samples == MORE_SAMPLES);
    default:
        return x->avoided || x->searched || x->search_runs >= MOST_RUNS || x->search_steps >= MOST_STEPS / 4;
    }
}

static void end_run(struct rh__why_work *x, const struct rh_world *w, const struct rh_outcome *outcome)
{
    x->in_run = false;
    x->runs++;
    if (x->phase == RH__WHY_TRYING)
        rh__why_end_try(x, w, outcome);
    else
        end_continuation(x, outcome);
}

/* In a child process. */
static void drive(struct rh_world *w, void *arg)
{
    struct rh__why_work *x = arg;
    rh__mute();
    while (!is_done(x)) {
        if (x->phase != RH__WHY_TRYING && !go_to_prefix(x, w))
            return;
        x->in_run = true;
        if (x->phase == RH__WHY_TRYING)
            rh__why_run_try(x, w);
        else if (x->phase == RH__WHY_SEARCHING)
            run_search(x, w);
        else
            run_sample(x, w);
        end_run(x, w, rh_world_outcome(w));
    }
}

/* Makes all runs of the phase.  False if the tool failed; then, or if the program differs, it is not done. */
static bool make_runs(struct rh__why_work *x, struct rh_world *w, enum rh__why_phase phase)
{
    enum rh_sandbox_end end = RH_SANDBOX_DONE;
    x->phase = phase;
    while (!is_done(x) && (end = rh_sandbox_run(w, drive, x)) == RH_SANDBOX_FINDING) {
        if (!x->in_run || rh__world_child_killed(w))
            break;
        end_run(x, w, rh__world_recorded_outcome(w));
    }
    return end != RH_SANDBOX_FAILED;
}

/* ---- the decisive step ------------------------------------------------------------------------------------------- */

static bool sample(struct rh__why_work *x, struct rh_world *w, uint32_t prefix)
{
    draw_from(x, prefix, MORE_SAMPLES);
    bool good = make_runs(x, w, RH__WHY_SAMPLING);
    if (good)
        note_point(x);
    return good;
}

static bool search(struct rh__why_work *x, struct rh_world *w, uint32_t prefix)
{
    x->prefix = prefix;
    x->avoided = x->searched = false;
    x->search_runs = x->search_steps = 0;
    x->depth = 0;
    return make_runs(x, w, RH__WHY_SEARCHING);
}

/* Draws from the prefixes, and narrows down where the drawn continuations cease to avoid the failure. */
static bool draw_curve(struct rh__why_work *x, struct rh_world *w)
{
    uint32_t n = x->r->loop ? x->r->loop : x->steps;
    x->curve =
        (struct rh__why_curve){ .steps = n, .count = n < ALL_POINTS ? n : 16, .low = RH__WHY_NO_EVENT, .high = n };
    draw_from(x, 0, SAMPLES);
    return make_runs(x, w, RH__WHY_DRAWING);
}

/* Of a lasso: the states that follow say it, or samples. */
static bool decide_lasso(struct rh__why_work *x, struct rh_world *w, uint32_t low)
{
    struct rh__why *y = &x->f->why;
    struct rh__why_lasso known;
    uint32_t stem = x->r->loop - 1;
    if (!rh__why_lasso(w, x->f, x->r, &known))
        return false;
    bool sampled = !known.exact && low + 1 < known.certain;
    y->decisive = sampled ? low + 1 : known.certain;
    y->exhaustive = !sampled;
    y->continuations = known.states;
    if (sampled && y->decisive <= stem) {
        if (!sample(x, w, y->decisive))
            return false;
        y->continuations = x->samples;
        y->decisive = x->avoided ? stem + 1 : y->decisive;
    }
    y->known = y->decisive <= stem;
    y->leaves_loop = !y->known;
    return true;
}

/* From there on, is it certain? */
static bool decide(struct rh__why_work *x, struct rh_world *w, uint32_t low)
{
    struct rh__why *y = &x->f->why;
    uint32_t searches = 0;
    for (uint32_t k = low + 1; k < x->steps; k++) {
        if (searches++ < MOST_SEARCHES) {
            if (!search(x, w, k))
                return false;
            y->exhaustive = x->searched && !x->avoided;
            y->continuations = x->search_runs;
        }
        if (!x->avoided && !y->exhaustive) {
            if (!sample(x, w, k))
                return false;
            y->continuations = x->samples;
        }
        if (!x->avoided) {
            y->decisive = k;
            return y->known = true;
        }
        x->avoided = false;
    }
    y->decisive = x->steps;
    y->exhaustive = true; /* it has failed */
    y->continuations = 1;
    return y->known = true;
}

bool rh__why(struct rh_world *w, struct rh__finding *f)
{
    char error[128];
    struct rh__run *r = f->encoded_size ? rh__run_decode(f->encoded, f->encoded_size, error, sizeof error) : NULL;
    unsigned char *passing = f->why.passing;
    bool usable = r && f->pick_count && f->pick_count == r->event_count - 1 &&
                  f->outcome.kind != RH_OUTCOME_NONDETERMINISM &&
                  (r->loop || f->outcome.kind != RH_OUTCOME_ENDLESS_RUN) && f->outcome.kind != RH_OUTCOME_ENDLESS &&
                  (f->minimised.repeats || !f->minimised.before);
    bool good = true;
    f->why = (struct rh__why){ .passing = passing };
    uint32_t most = !usable ? 0 : r->loop ? 2 * f->pick_count + 100 : 4 * f->pick_count + 400;
    size_t size = sizeof(struct rh__why_work) + 3 * (most + 2) * sizeof(uint32_t);
    struct rh__why_work *x = usable ? rh_shared_new(size) : NULL;
    size_t shrink_size = usable ? rh__shrink_size(r, most) : 0;
    struct rh__shrink *s = x ? rh_shared_new(shrink_size) : NULL;
    if (s) {
        struct rh__shrink_limits limits = { 0 };
        x->f = f;
        x->s = s;
        x->wanted = rh__finding_signature(&f->outcome);
        x->steps = f->pick_count;
        x->most = most;
        x->best_class = x->best_places = RH_NONE;
        x->r = r;
        rh__shrink_init(s, r, most, x->wanted, &limits);
        rh__why_collect_tries(x);
        good = make_runs(x, w, RH__WHY_TRYING);
        x->made = 0;
        good = good && draw_curve(x, w) && (r->loop ? decide_lasso(x, w, x->curve.low) : decide(x, w, x->curve.low)) &&
               rh__why_name_uses(w, f, r);
        f->why.runs = x->runs;
        rh_shared_free(s, shrink_size);
    }
    if (x)
        rh_shared_free(x, size);
    rh__run_free(r);
    return good;
}
