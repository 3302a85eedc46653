/* See minimise.h. */
#include "findings/minimise.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "explore/engine/engine.h"
#include "findings/minimise_endless.h"
#include "findings/minimise_lasso.h"
#include "run/encode.h"
#include "world/live.h"

/* Of candidates that end in an endless handler: each takes max_handler_ms. */
enum { MOST_ENDLESS_MS = 12000 };

struct minimise {
    struct rh__finding *f; /* in memory that children share */
    struct rh__shrink *s;
};

/* The run that the world holds is the smallest so far. */
static void keep(const struct minimise *m, const struct rh_world *w, const struct rh_outcome *outcome)
{
    struct rh__finding *f = m->f;
    const struct rh__shrink_step *best = rh__shrink_best(m->s);
    f->outcome = *outcome;
    f->actor[0] = 0;
    if (f->outcome.actor != RH_NONE)
        rh_world_actor_name(w, f->outcome.actor, f->actor, sizeof f->actor);
    f->pick_count = m->s->best_count;
    for (uint32_t i = 0; i < f->pick_count; i++)
        f->picks[i] = best[i].pick;
    rh__finding_keep_run(f, rh__world_run(w));
}

static void end_candidate(const struct minimise *m, const struct rh_world *w, const struct rh_outcome *outcome)
{
    m->f->minimised.handler_ms += outcome->kind == RH_OUTCOME_ENDLESS ? rh_world_semantics(w)->max_handler_ms : 0;
    if (rh__shrink_end(m->s, rh__world_run(w), outcome))
        keep(m, w, outcome);
}

/* In a child process. */
static void drive(struct rh_world *w, void *arg)
{
    const struct minimise *m = arg;
    rh__mute();
    while (m->f->minimised.handler_ms < MOST_ENDLESS_MS && rh__shrink_begin(m->s)) {
        uint32_t count, pick;
        rh_world_reset(w);
        for (const struct rh_choice *open; (open = rh_world_enabled(w, &count)), count;) {
            pick = rh__shrink_choose(m->s, w, open, count);
            if (pick == RH_NONE)
                break;
            rh_world_step(w, &open[pick]);
        }
        end_candidate(m, w, rh_world_outcome(w));
    }
}

/* A run of a program that is not deterministic is not made again.  A loop of states is minimise_lasso.c's, and
 * minimise_endless.c has runs without end. */
static bool can_minimise(const struct rh__finding *f, const struct rh__run *r)
{
    return r && !r->loop && r->event_count > 1 && f->outcome.kind != RH_OUTCOME_NONDETERMINISM &&
           rh_outcome_failed(f->outcome.kind);
}

static bool run_candidates(struct rh_world *w, const struct minimise *m)
{
    enum rh_sandbox_end end;
    while ((end = rh_sandbox_run(w, drive, (void *)(uintptr_t)m)) == RH_SANDBOX_FINDING) {
        if (!m->s->in_run || rh__world_child_killed(w))
            break; /* it died before the first step, or something outside killed it */
        end_candidate(m, w, rh__world_recorded_outcome(w));
    }
    return end != RH_SANDBOX_FAILED;
}

bool rh__minimise(struct rh_world *w, struct rh__finding *f, const struct rh__shrink_limits *limits)
{
    static const struct rh__shrink_limits usual = { RH__MINIMISE_RUNS, RH__MINIMISE_STEPS };
    char error[128];
    struct rh__run *r = f->encoded_size ? rh__run_decode(f->encoded, f->encoded_size, error, sizeof error) : NULL;
    if (r && (r->loop || f->outcome.kind == RH_OUTCOME_ENDLESS_RUN)) {
        bool done = (r->loop ? rh__minimise_lasso : rh__minimise_endless)(w, f, r, limits ? limits : &usual);
        rh__run_free(r);
        return done;
    }
    size_t size = can_minimise(f, r) ? rh__shrink_size(r, 0) : 0;
    struct minimise m = { f, size ? rh_shared_new(size) : NULL };
    bool good = true;
    f->minimised = (struct rh__minimised){ 0 };
    if (m.s) {
        rh__shrink_init(m.s, r, 0, rh__finding_signature(&f->outcome), limits ? limits : &usual);
        uint32_t faults = m.s->cost.faults;
        good = run_candidates(w, &m);
        f->minimised = (struct rh__minimised){ .before = m.s->first_count,
                                               .after = m.s->best_count,
                                               .faults_before = faults,
                                               .faults_after = m.s->cost.faults,
                                               .runs = m.s->runs,
                                               .repeats = m.s->repeats,
                                               .whole = m.s->whole };
        rh_shared_free(m.s, size);
    }
    rh__run_free(r);
    return good;
}

const char *rh__minimised_text(const struct rh__finding *f, char *text, size_t size)
{
    const struct rh__minimised *m = &f->minimised;
    *text = 0;
    const char *all = m->whole ? "" : " (limit reached: more may be possible)";
    if (m->costly)
        snprintf(text, size, "not minimised: it would take too long");
    else if (m->before && !m->repeats)
        snprintf(text, size, "not minimised: its choices did not fail again");
    else if (m->before && f->outcome.kind == RH_OUTCOME_ENDLESS_RUN && m->after == m->before)
        snprintf(text, size, "minimised in %llu runs%s: after event %u whoever has waited longest moves",
                 (unsigned long long)m->runs, all, m->tail);
    else if (m->before && m->after == m->before)
        snprintf(text, size, "%s its %u event%s",
                 m->whole ? "nothing can be left out of" : "the limit was too low to shorten", m->after,
                 m->after == 1 ? "" : "s");
    else if (m->before)
        snprintf(text, size, "minimised from %u to %u events in %llu runs%s", m->before, m->after,
                 (unsigned long long)m->runs, all);
    return text;
}
