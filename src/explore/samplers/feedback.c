/* feedback(EXPLORER): later runs go on from where earlier runs showed something rare.
 *
 * What a program shows of its state is abstract:
 *
 *   - the values that it names itself (rh_abstract), and the types that it announces (rh_announce);
 *   - how many actors of each type are in which behaviour or have ended, monitors among them;
 *   - which properties have held or failed (rh_sometimes, rh_cover, ...).
 *
 * A run that shows something no run before has shown is kept, up to the last such event.  Up to half of the later runs
 * begin with a part of a kept run, all of it or a random part, and go on as EXPLORER wants.  A kept run is chosen the
 * less, the more runs have been spent on what it showed; and not at all if EXPLORER's own runs show the same often.  At
 * least half of the runs are EXPLORER's own: an open choice that EXPLORER may take keeps a positive probability.
 *
 * Hashes of whole runs are no such signal: in 200 steps every run is a new one.
 *
 * The part of a kept run is made again, by its choices: samplers have no undo log, and keep runs cheap that way. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "explore/explorers.h"
#include "explore/samplers/around.h"

enum {
    KEPT = 1024,         /* runs */
    LONGEST = 2048,      /* events of a kept run */
    SLOTS = 1 << 16,     /* of the table of what was shown; a power of two, filled up to a half */
    MOST_FOLLOWED = 256, /* actors and properties that count */
    LOOKS = 4,           /* kept runs that are compared before one is chosen */
    OFTEN = 16,          /* shown by more than one of so many own runs: nothing that is worth to go on from */
};

struct shown {
    uint64_t hash;
    uint32_t own;  /* EXPLORER's own runs that have shown it */
    uint32_t last; /* the last run that has */
};

struct kept {
    uint32_t events; /* picks[1] .. picks[events - 1] lead to what is new */
    uint32_t slot;   /* what it showed */
    uint32_t tries;  /* runs that went on from it */
    uint32_t picks[LONGEST];
};

enum { OWN, CONTINUED, COUNTERS };

struct feedback {
    struct rh__around around;
    struct rh_exploration *x;
    uint32_t counters; /* of runs: EXPLORER's own, others; also those of other workers */
    struct kept *kept;
    uint32_t *picks; /* of the run under way */
    struct shown *shown;
    uint32_t kept_count, shown_count;
    uint32_t run, own; /* runs of this process: all, and EXPLORER's own */
    /* of the run under way */
    struct kept *from;  /* NULL: the run is EXPLORER's own */
    uint32_t until;     /* the events of the part */
    uint32_t new_at;    /* the last event that showed something new; 0: none */
    uint32_t new_slot;  /* what it showed */
    uint32_t looked_at; /* the events so far that were looked at */
    uint32_t heard;     /* of rh_world_shown */
};

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool feedback_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                          size_t error_size)
{
    struct feedback *f = state;
    f->x = x;
    f->counters = rh__exploration_counters(x, COUNTERS);
    f->kept = rh_exploration_memory(x, KEPT * sizeof *f->kept);
    f->picks = rh_exploration_memory(x, LONGEST * sizeof *f->picks);
    f->shown = rh_exploration_memory(x, SLOTS * sizeof *f->shown);
    if (!f->kept || !f->picks || !f->shown) {
        snprintf(error, error_size, "no memory for explorer feedback");
        return false;
    }
    return rh__around_open(&f->around, x, a, "phases", RH__AROUND_FEEDBACK, error, error_size);
}

/* ---- what runs show ---------------------------------------------------------------------------------------------- */

/* Notes what the run shows now, after so many events; 0: nothing. */
static void note(struct feedback *f, uint64_t hash, uint32_t events)
{
    if (!hash)
        return;
    uint32_t at = (uint32_t)rh__mix(hash, 0) & (SLOTS - 1);
    while (f->shown[at].hash && f->shown[at].hash != hash)
        at = (at + 1) & (SLOTS - 1);
    struct shown *s = &f->shown[at];
    if (!s->hash) {
        if (f->shown_count >= SLOTS / 2)
            return; /* too much: it is nothing abstract */
        s->hash = hash;
        f->shown_count++;
        f->new_at = events;
        f->new_slot = at;
    }
    if (s->last != f->run)
        s->own += !f->from;
    s->last = f->run;
}

/* A sum over actors: their order does not count.  The addresses of types and behaviours stand for their names: only
 * whether two sums are equal is used. */
static uint64_t sum_of_behaviours(const struct rh_world *w)
{
    uint64_t sum = 0;
    uint32_t actors = rh_world_actor_count(w);
    for (uint32_t i = 0; i < actors && i < MOST_FOLLOWED; i++) {
        uint64_t type = (uintptr_t)rh_world_actor_type(w, i), is = (uintptr_t)rh_world_actor_behaviour(w, i);
        sum += rh__mix(type, rh_world_actor_ended(w, i) ? 1 : is);
    }
    return rh__mix(sum, 3);
}

static uint64_t sum_of_properties(const struct rh_world *w)
{
    uint64_t sum = 0;
    uint32_t properties = rh_world_property_count(w);
    for (uint32_t i = 0; i < properties && i < MOST_FOLLOWED; i++) {
        struct rh_property_info p = rh_world_property(w, i);
        if (p.held_in_run || p.failed_in_run)
            sum += rh__mix(rh__hash(p.name, strlen(p.name), 4), (uint64_t)p.held_in_run << 1 | p.failed_in_run);
    }
    return sum ? rh__mix(sum, 5) : 0;
}

static void look(struct feedback *f, const struct rh_world *w)
{
    uint32_t events = rh__depth(w), shown = rh_world_shown_count(w);
    if (events <= f->looked_at || events > LONGEST)
        return;
    f->looked_at = events;
    note(f, sum_of_behaviours(w), events);
    note(f, sum_of_properties(w), events);
    for (; f->heard < shown; f->heard++)
        note(f, rh_world_shown(w, f->heard), events);
}

/* ---- kept runs --------------------------------------------------------------------------------------------------- */

/* How many runs were spent on what a kept run showed. */
static uint32_t spent_on(const struct feedback *f, const struct kept *k)
{
    return k->tries + f->shown[k->slot].own;
}

/* One of a few: that on which the fewest (else the most) runs were spent. */
static struct kept *draw_kept(struct feedback *f, bool fewest)
{
    struct kept *best = NULL;
    for (uint32_t i = 0; i < LOOKS; i++) {
        struct kept *k = &f->kept[rh__random_below(&f->around.random, f->kept_count)];
        if (!best || (fewest ? spent_on(f, k) < spent_on(f, best) : spent_on(f, k) > spent_on(f, best)))
            best = k;
    }
    return best;
}

static void keep_run(struct feedback *f)
{
    struct kept *k = f->kept_count < KEPT ? &f->kept[f->kept_count++] : draw_kept(f, false);
    k->events = f->new_at;
    k->slot = f->new_slot;
    k->tries = 0;
    memcpy(k->picks, f->picks, f->new_at * sizeof *f->picks);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static uint32_t feedback_begin(void *state, const struct rh_world *w)
{
    struct feedback *f = state;
    f->from = NULL;
    f->until = f->new_at = f->looked_at = f->heard = 0;
    f->run++;
    if (f->kept_count && rh__random_below(&f->around.random, 2)) {
        struct kept *k = draw_kept(f, true);
        if ((uint64_t)f->shown[k->slot].own * OFTEN <= f->own) {
            f->from = k;
            f->until =
                rh__random_below(&f->around.random, 2) ? k->events : 1 + rh__random_below(&f->around.random, k->events);
        }
    }
    return rh_inner_begin(&f->around.inner, w) ? 1 : 0;
}

/* A run that goes on from a kept one leaves it for good if the program has fewer choices than it had. */
static uint32_t feedback_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct feedback *f = state;
    uint32_t at = rh__depth(w), pick = RH_NONE;
    look(f, w);
    if (f->from && at < f->until && f->from->picks[at] < count)
        pick = f->from->picks[at];
    else
        f->until = 0;
    if (pick == RH_NONE)
        pick = rh_inner_choose(&f->around.inner, w, open, count);
    if (at < LONGEST)
        f->picks[at] = pick;
    return pick;
}

static void feedback_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct feedback *f = state;
    if (!rh_outcome_failed(run->outcome)) /* after a crash there is nothing to look at */
        look(f, w);
    if (f->from)
        f->from->tries++;
    else
        f->own++;
    rh__exploration_count(f->x, f->counters, f->from ? CONTINUED : OWN);
    if (f->new_at > 1)
        keep_run(f);
    rh_inner_end(&f->around.inner, w, run);
}

static void feedback_notes(const void *state, char *buffer, size_t size)
{
    const struct feedback *f = state;
    uint64_t own = rh__exploration_count_of(f->x, f->counters, OWN),
             continued = rh__exploration_count_of(f->x, f->counters, CONTINUED);
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    if (!(own + continued))
        return;
    if (f->run)
        rh__text_add(&t, "%u abstract states; ", f->shown_count);
    rh__text_add(&t, "%llu of %llu runs went on from ", (unsigned long long)continued,
                 (unsigned long long)(own + continued));
    if (f->run)
        rh__text_add(&t, "one of %u kept runs", f->kept_count);
    else
        rh__text_add(&t, "runs that a worker has kept");
}

static const struct rh_explorer_report feedback_report = { .notes = feedback_notes };
static const struct rh_argument feedback_arguments[] = {
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .help = "a sampler; default phases" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_feedback = {
    .name = "feedback",
    .summary = "as EXPLORER (phases) wants, but many runs go on from runs that showed rare abstract states",
    .state_size = sizeof(struct feedback),
    .arguments = feedback_arguments,
    .resets_only = true,
    .open = feedback_open,
    .begin = feedback_begin,
    .choose = feedback_choose,
    .end = feedback_end,
    .report = &feedback_report,
    .share = &rh__around_share,
    .decorator = &rh_only_decorator,
};
