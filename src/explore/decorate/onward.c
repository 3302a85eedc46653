/* onward(EXPLORER): from a finding on.  With --keep-going, a finding is a place that is hard to reach: deeper failures
 * are often behind it.
 *
 * A run of EXPLORER that fails in a new way is made smaller at once (explore/shrink.h): the candidates are runs of the
 * exploration, and those that cannot become smaller are dropped.  Of the later runs a half begins with a smallest
 * failing run, without its last event or as a shorter part, and goes on as EXPLORER wants.  The other half is
 * EXPLORER's own: an open choice that EXPLORER may take keeps a positive probability.
 *
 * Without findings it makes the runs of EXPLORER. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "explore/explorers.h"
#include "explore/samplers/around.h"
#include "explore/shrink.h"
#include "results/finding.h"
#include "world/live.h"

enum {
    MOST_FOUND = 64,       /* ways to fail that are told apart */
    LONGEST = 4096,        /* events of a run that is made smaller */
    MOST_MESSAGES = 16384, /* of such a run */
    SHRINK_RUNS = 300,
    SHRINK_STEPS = 100000,
};

struct found {
    uint64_t signature;
    uint32_t count; /* picks of the smallest run; 0: it could not be made again */
    uint32_t picks[LONGEST];
};

struct onward {
    struct rh__around around;
    struct rh__shrink *shrink;
    struct found *found;
    uint32_t found_count, usable; /* usable: with picks */
    bool shrinking;
    uint32_t own, continued, shrunk; /* runs */
    /* of the run under way */
    const struct found *from; /* NULL: the run is EXPLORER's own */
    uint32_t until;
};

static size_t shrink_size(void)
{
    return rh__shrink_size(&(struct rh__run){ .event_count = LONGEST, .message_count = MOST_MESSAGES }, 0);
}

static bool onward_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                        size_t error_size)
{
    struct onward *o = state;
    o->shrink = rh_exploration_memory(x, shrink_size());
    o->found = rh_exploration_memory(x, MOST_FOUND * sizeof *o->found);
    if (!o->shrink || !o->found) {
        snprintf(error, error_size, "no memory for explorer onward");
        return false;
    }
    return rh__around_open(&o->around, x, a, "swarm", RH__AROUND_ONWARD, error, error_size);
}

/* ---- making a finding smaller ------------------------------------------------------------------------------------ */

static bool is_known(const struct onward *o, uint64_t signature)
{
    uint32_t i = 0;
    while (i < o->found_count && o->found[i].signature != signature)
        i++;
    return i < o->found_count;
}

/* A loop has no last event, and a run of a program that is not deterministic is not made again. */
static bool can_shrink(const struct rh__run *r, enum rh_outcome_kind outcome)
{
    return !r->loop && r->event_count > 1 && r->event_count <= LONGEST && r->message_count <= MOST_MESSAGES &&
           outcome != RH_OUTCOME_NONDETERMINISM && outcome != RH_OUTCOME_ENDLESS_RUN;
}

/* The next candidate, or the end. */
static void go_on_shrinking(struct onward *o)
{
    struct found *f = &o->found[o->found_count - 1];
    o->shrinking = rh__shrink_begin(o->shrink);
    if (o->shrinking || !o->shrink->repeats)
        return;
    f->count = o->shrink->best_count;
    for (uint32_t i = 0; i < f->count; i++)
        f->picks[i] = rh__shrink_best(o->shrink)[i].pick;
    o->usable++;
}

static void note_failure(struct onward *o, const struct rh_world *w, const struct rh_outcome *outcome)
{
    static const struct rh__shrink_limits limits = { SHRINK_RUNS, SHRINK_STEPS };
    const struct rh__run *r = rh__world_run(w);
    uint64_t signature = rh__finding_signature(outcome);
    if (is_known(o, signature) || o->found_count == MOST_FOUND)
        return;
    o->found[o->found_count++] = (struct found){ .signature = signature };
    if (!can_shrink(r, outcome->kind))
        return;
    memset(o->shrink, 0, rh__shrink_size(r, 0));
    rh__shrink_init(o->shrink, r, 0, signature, &limits);
    go_on_shrinking(o);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* One of the findings that have picks. */
static const struct found *draw_found(struct onward *o)
{
    uint32_t which = rh__random_below(&o->around.random, o->usable), i = 0;
    while (!o->found[i].count || which--)
        i++;
    return &o->found[i];
}

static uint32_t onward_begin(void *state, const struct rh_world *w)
{
    struct onward *o = state;
    o->from = NULL;
    o->until = 0;
    if (o->shrinking)
        return 1;
    if (o->usable && rh__random_below(&o->around.random, 2)) {
        o->from = draw_found(o);
        o->until = o->from->count - 1; /* without the last event */
        if (rh__random_below(&o->around.random, 2))
            o->until = rh__random_below(&o->around.random, o->from->count);
    }
    return rh_inner_begin(&o->around.inner, w) ? 1 : 0;
}

static const struct rh_outcome is_running = { .kind = RH_OUTCOME_RUNNING };

/* A run that goes on from a finding leaves it for good if the program has fewer choices than it had. */
static uint32_t onward_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct onward *o = state;
    uint32_t at = rh__depth(w) - 1;
    if (o->shrinking) {
        uint32_t pick = rh__shrink_choose(o->shrink, w, open, count);
        if (pick != RH_NONE)
            return pick;
        rh__shrink_end(o->shrink, rh__world_run(w), &is_running);
        go_on_shrinking(o);
        return RH_ABANDON;
    }
    if (at < o->until && o->from->picks[at] < count)
        return o->from->picks[at];
    o->until = 0;
    return rh_inner_choose(&o->around.inner, w, open, count);
}

static void onward_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct onward *o = state;
    const struct rh_outcome *outcome = rh__world_recorded_outcome(w);
    if (run->outcome != outcome->kind)
        outcome = &is_running; /* that of an earlier run */
    if (o->shrinking) {
        o->shrunk++;
        rh__shrink_end(o->shrink, rh__world_run(w), outcome);
        go_on_shrinking(o);
        return;
    }
    o->own += !o->from;
    o->continued += o->from != NULL;
    rh_inner_end(&o->around.inner, w, run);
    if (rh_outcome_failed(outcome->kind))
        note_failure(o, w, outcome);
}

static void onward_notes(const void *state, char *buffer, size_t size)
{
    const struct onward *o = state;
    char inner[256] = "";
    rh_inner_notes(&o->around.inner, inner, sizeof inner);
    if (o->usable)
        snprintf(buffer, size, "%u of %u runs went on from one of %u findings; %u runs made these smaller%s%s",
                 o->continued, o->own + o->continued + o->shrunk, o->usable, o->shrunk, *inner ? "; " : "", inner);
    else
        snprintf(buffer, size, "%s", inner);
}

static const struct rh_explorer_report onward_report = { .notes = onward_notes };

static const struct rh_argument onward_arguments[] = {
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .help = "a sampler; default swarm" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_onward = {
    .name = "onward",
    .summary = "as EXPLORER (swarm) wants, but many runs go on from findings (with --keep-going)",
    .state_size = sizeof(struct onward),
    .arguments = onward_arguments,
    .resets_only = true,
    .open = onward_open,
    .begin = onward_begin,
    .choose = onward_choose,
    .end = onward_end,
    .report = &onward_report,
    .share = &rh__around_share,
    .decorator = &rh_only_decorator,
};
