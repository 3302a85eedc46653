/* cover: schedules that reach ordering goals which no run has reached yet ([Bita 2013]; coverage/).
 *
 *     cover(pr)   cover(pmr)   cover(pcr)   by one criterion
 *     cover(all)                            by pr, and pmr where handlers change.  Not by pcr: random runs cover as
 *                                           many of its pairs, and bugs are found no sooner with it (docs/coverage.md)
 *     cover(all, paper)                     as in the paper (VI-B), pcr included: from the first run only, partners
 *                                           nearest first, one criterion after the other
 *
 * The first run is a random one.  From it schedules are generated; each is forced, and whatever it does not say is left
 * to chance (see release).  A run that had receives, or freely ordered pairs, which no run before had becomes a source
 * of schedules itself; and now and then a run is left to chance as a whole, to find such.  So goals are found that the
 * first run could not show.  When nothing is left to schedule, all runs are left to chance until one of them is a
 * source again: the search comes to no end of its own, except as in the paper.
 *
 * Faults are not goals.  Runs by chance have them, and every second schedule: they are drawn before the run, and spread
 * over it (samplers/classes.h).
 *
 * Several workers have their own sources and goals; what goes from one to the other is random numbers (stream.h). */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "coverage/abandoned.h"
#include "coverage/plan.h"
#include "explore/cover/enforce.h"
#include "explore/engine/measure.h"
#include "explore/explorers.h"
#include "explore/samplers/classes.h"
#include "explore/samplers/stream.h"
#include "world/live.h"

enum {
    MOST_SOURCES = 1 << 14,
    EARLY = 12,       /* runs; of these every fourth is left to chance, later every second */
    FEW = 50,         /* schedules, to see whether a criterion is any good here */
    IDLE_RUNS = 10,   /* by chance, with nothing new, are enough while there are schedules */
    NOW_AND_THEN = 32 /* see release */
};
static const size_t source_bytes = (size_t)1 << 29, generator_bytes = (size_t)1 << 34; /* address space */

/* Schedules by one criterion, from one source after the other. */
struct phase {
    enum rh__criterion criterion;
    struct rh__plan_input *generator; /* for `source`; NULL: there is none yet */
    uint32_t source;
    void *memory;
    uint64_t schedules;  /* forced */
    uint64_t infeasible; /* some event of them never came */
    uint64_t missed;     /* forced to the end, but the goal was not achieved */
    uint64_t nothing;    /* no new goal */
    uint64_t spoiled;    /* infeasible, perhaps because of a fault */
    bool abandoned;      /* nearly all of them were in vain */
};

struct cover {
    struct rh__stream stream; /* first */
    struct rh_exploration *x;
    struct rh__enforce force;
    struct rh__classes classes; /* of this run: its faults */
    bool has_faults;            /* the test allows some */
    bool with_faults;           /* this run has the faults that were drawn for it */
    bool by_class;              /* and all else in it is drawn by class, too */
    uint32_t length;            /* of runs, learned */
    uint64_t random, ranks;     /* the latter of this run */
    struct phase phases[RH__CRITERION_COUNT];
    uint32_t phase_count, phase; /* the one in use */
    bool paper;
    uint64_t runs, free_runs;
    uint32_t idle; /* of these, since there was something new */

    struct rh__steps *sources; /* runs that schedules are made from */
    uint32_t source_count;     /* in store */
    uint64_t all_sources;
    char *store;
    size_t stored;
    bool full; /* a source was not kept, or not used */

    bool planned;           /* the run under way has a schedule, for this goal: */
    uint32_t first, second; /* receives of the coverage */
    uint64_t missing;       /* the last event that never came */
    bool ended;             /* cover(paper) */
    uint64_t done;          /* runs by chance since nothing is left to schedule */
    uint64_t found;         /* the first run with a schedule that failed; its goal: */
    uint32_t found_first, found_second;
};

/* ---- what it was asked for --------------------------------------------------------------------------------------- */

static bool cover_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                       size_t error_size)
{
    struct cover *c = state;
    c->x = x;
    c->paper = rh_arguments_has(a, "paper");
    const char *criterion = rh_arguments_text(a, "criterion", "all");
    uint32_t wanted = rh__criteria_parse(criterion, error, error_size);
    if (!wanted)
        return false;
    if (strcmp(criterion, "all") == 0 && !c->paper)
        wanted &= ~(1u << RH__PCR);
    bool memory = true;
    for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
        if (wanted & 1u << i) {
            struct phase *p = &c->phases[c->phase_count++];
            p->criterion = i;
            p->memory = rh_exploration_memory(x, generator_bytes);
            memory = memory && p->memory;
        }
    rh__stream_open(&c->stream, x, RH__STREAM_COVER);
    rh__classes_open(&c->classes, a);
    c->has_faults = rh__world_has_faults(x->world) && !c->paper;
    c->sources = rh_exploration_memory(x, MOST_SOURCES * sizeof *c->sources);
    c->store = rh_exploration_memory(x, source_bytes);
    if (!memory || !c->sources || !c->store || !rh__enforce_open(&c->force, x, x->world) || !rh__measure(x, wanted)) {
        snprintf(error, error_size, "no memory for explorer cover");
        return false;
    }
    return true;
}

/* ---- sources ----------------------------------------------------------------------------------------------------- */

static void keep_source(struct cover *c)
{
    const struct rh__steps *s = &c->x->measure->steps;
    size_t bytes = s->count * sizeof *s->list;
    if (c->source_count == MOST_SOURCES || bytes > source_bytes - c->stored) {
        c->full = true;
        return;
    }
    struct rh__steps *to = &c->sources[c->source_count++];
    *to = *s;
    to->list = memcpy(c->store + c->stored, s->list, bytes);
    c->stored += bytes;
    c->all_sources++;
}

/* Sources that no criterion needs any more make room for others. */
static void drop_sources(struct cover *c)
{
    for (uint32_t i = 0; i < c->phase_count; i++)
        if (c->phases[i].source < c->source_count && !c->phases[i].abandoned)
            return;
    for (uint32_t i = 0; i < c->phase_count; i++)
        c->phases[i].source = 0;
    c->source_count = 0;
    c->stored = 0;
}

/* The next schedule of a phase; false: it needs other sources than there are. */
static bool next_of_phase(struct cover *c, struct phase *p)
{
    const struct rh__coverage *coverage = c->x->results->coverage;
    struct rh__schedule_plan plan;
    for (; p->source < c->source_count && !p->abandoned; p->source++) {
        const struct rh__steps *s = &c->sources[p->source];
        if (!p->generator) {
            p->generator = rh__plan_input_new(p->memory, generator_bytes, s, p->criterion, !c->paper, coverage);
            c->full |= !p->generator;
        }
        if (p->generator && rh__plan(p->generator, coverage, &plan)) {
            rh__enforce_plan(&c->force, s, plan.steps, plan.count);
            c->first = rh__coverage_find(coverage, s->list[plan.first].id);
            c->second = rh__coverage_find(coverage, s->list[plan.second].id);
            return true;
        }
        p->generator = NULL;
    }
    return false;
}

/* First all that the first run gives by the first criterion, then the criteria in turn: another one may show what a
 * hundred more runs by the same do not. */
static bool next_schedule(struct cover *c)
{
    if (c->phases[0].source > 0 || c->all_sources > 1 || c->paper)
        c->phase = c->paper ? 0 : (c->phase + 1) % c->phase_count;
    for (uint32_t i = 0; i < c->phase_count; i++, c->phase = (c->phase + 1) % c->phase_count)
        if (next_of_phase(c, &c->phases[c->phase]))
            return true;
    return false;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Draws what is left to chance in the run that begins. */
static void draw_run(struct cover *c, const struct rh_world *w)
{
    c->random = rh__random_next(&c->stream.next);
    c->ranks = rh__random_next(&c->random);
    c->with_faults = c->has_faults && (!c->planned || rh__random_below(&c->random, 2));
    c->by_class = !c->planned && c->all_sources && !c->paper && rh__random_below(&c->random, 2);
    if (c->with_faults || c->by_class)
        rh__classes_begin(&c->classes, rh_world_semantics(w), rh__random_next(&c->random), c->length, true);
}

static uint32_t cover_begin(void *state, const struct rh_world *w)
{
    struct cover *c = state;
    if (!c->stream.active)
        return 0;
    uint64_t every = ++c->runs <= EARLY ? 4 : 2;
    bool by_chance = !c->all_sources || (!c->paper && c->runs % every == 0 && c->idle < IDLE_RUNS);
    c->planned = !by_chance && next_schedule(c);
    if (!by_chance && !c->planned) {
        c->ended = c->paper;
        c->done++;
        drop_sources(c);
    }
    draw_run(c, w);
    c->free_runs += !c->planned && !c->ended;
    return !c->ended;
}

/* In each run, whoever sends something of one type to somebody has a rank of its own for that.  Numbers only: what is
 * done must not depend on addresses. */
static uint64_t rank_of(const struct cover *c, const struct rh_world *w, const struct rh_choice *o)
{
    uint64_t rank = rh__mix(c->ranks, (uint64_t)o->actor << 32 | o->kind);
    if (o->kind == RH_CHOICE_DELIVER) {
        const struct rh__run_message *m = rh__run_message(rh__world_run(w), o->what);
        rank = rh__mix(rh__mix(rank, m->sender), rh__hash(m->type->name, strlen(m->type->name), 0));
    }
    return rank | 1;
}

static bool is_fault(const struct rh_choice *c)
{
    return rh__is_fault(c) || c->kind == RH_CHOICE_END;
}

/* What no schedule says is left to chance; but after the first run not step by step: then all would come about when it
 * was sent.  By ranks, what some send to others waits for long.  Now and then any choice is taken.  (For consecutive
 * receives, pcr, any choice is better.) */
static uint32_t release(struct cover *c, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t best = rh__random_below(&c->random, count);
    uint64_t best_rank = 0;
    if (c->paper || !c->all_sources || c->phases[c->phase].criterion == RH__PCR ||
        rh__random_below(&c->random, NOW_AND_THEN) == 0)
        return best;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t rank = is_fault(&open[i]) ? 0 : rank_of(c, w, &open[i]); /* now and then */
        if (rank > best_rank) {
            best_rank = rank;
            best = i;
        }
    }
    return best;
}

static uint32_t cover_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct cover *c = state;
    if (c->by_class)
        return rh__classes_choose(&c->classes, w, open, count, NULL);
    uint32_t pick = c->with_faults ? rh__classes_due(&c->classes, w, open, count) : RH_NONE;
    if (pick == RH_NONE && c->planned)
        pick = rh__enforce(&c->force, w, open, count, &c->random);
    return pick != RH_NONE ? pick : release(c, w, open, count);
}

/* A run that does not count: the goal was not achieved, and there is nothing to make other schedules of. */
static void assumed_away(struct cover *c, struct rh__coverage *coverage)
{
    c->idle += !c->planned;
    if (!c->planned)
        return;
    struct phase *n = &c->phases[c->phase];
    n->schedules++;
    n->missed++;
    n->nothing++;
    rh__goal_failed(coverage, n->criterion, c->first, c->second);
}

static void cover_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    (void)w;
    struct cover *c = state;
    struct rh__coverage *coverage = c->x->results->coverage;
    if (run->outcome == RH_OUTCOME_ASSUMED) {
        assumed_away(c, coverage);
        return;
    }
    bool failed = rh_outcome_failed(run->outcome);
    if (c->planned) {
        struct phase *n = &c->phases[c->phase];
        bool forced = rh__forced(&c->force) || failed; /* what was found on the way is worth more */
        bool fair = forced || !c->with_faults;         /* a fault may have come in its way */
        n->schedules++;
        n->infeasible += !forced;
        bool achieved = rh__achieved(coverage, n->criterion, c->first, c->second);
        n->missed += forced && !failed && !achieved;
        if (!achieved && !failed && fair)
            rh__goal_failed(coverage, n->criterion, c->first, c->second);
        n->nothing += !failed && !coverage->news[n->criterion].goals;
        if (!forced)
            c->missing = c->force.missing;
        n->spoiled += !fair;
        n->abandoned = n->schedules - n->spoiled >= FEW &&
                       n->missed + n->infeasible - n->spoiled > (n->schedules - n->spoiled) / 10 * 9;
        if (failed && !c->found) {
            c->found = run->number;
            c->found_first = c->first;
            c->found_second = c->second;
        }
    }
    bool has_new = coverage->new_receives || coverage->new_pairs;
    c->idle = has_new ? 0 : c->idle + !c->planned;
    c->length = rh__classes_learn(c->length, run);
    if (!c->all_sources ? !failed || c->free_runs == IDLE_RUNS : !c->paper && !failed && has_new)
        keep_source(c);
}

/* "writer#1 takes flush from terminator#1": of a receive of the coverage. */
static const char *actor_name(const struct rh__coverage *c, uint32_t receive)
{
    return rh__coverage_text(c, rh__covered_actor(c, rh__covered_receive(c, receive)->actor)->name);
}

static const char *what_name(const struct rh__coverage *c, uint32_t receive)
{
    return rh__coverage_text(c, rh__covered_receive(c, receive)->text);
}

static void write_counts(struct rh__text *t, const struct phase *n, uint64_t goals)
{
    rh__text_add(t, "%s: %llu schedule%s", rh__criterion_name(n->criterion), (unsigned long long)n->schedules,
                 n->schedules == 1 ? "" : "s");
    if (n->schedules)
        rh__text_add(
            t,
            " (%.1f for each 1,000 goals), %llu could not be forced, %llu missed their goal, %llu achieved nothing new",
            1000.0 * (double)n->schedules / (double)(goals ? goals : 1), (unsigned long long)n->infeasible,
            (unsigned long long)n->missed, (unsigned long long)n->nothing);
    if (n->abandoned)
        rh__text_add(t, "; given up");
    rh__text_add(t, "\n");
}

static void cover_notes(const void *state, char *buffer, size_t size)
{
    const struct cover *c = state;
    const struct rh__coverage *coverage = c->x->results->coverage;
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    if (!c->runs)
        return;
    if (c->found)
        rh__text_add(&t, "run %llu was made so that %s takes %s before %s\n", (unsigned long long)c->found,
                     actor_name(coverage, c->found_first), what_name(coverage, c->found_first),
                     what_name(coverage, c->found_second));
    for (uint32_t i = 0; i < c->phase_count; i++)
        if (c->phases[i].schedules)
            write_counts(&t, &c->phases[i], coverage->counts[c->phases[i].criterion].goals);
    uint32_t missing = c->missing ? rh__coverage_find(coverage, c->missing) : RH_NONE;
    if (missing != RH_NONE)
        rh__text_add(&t, "the last that could not be forced: %s never took %s\n", actor_name(coverage, missing),
                     what_name(coverage, missing));
    rh__text_add(&t, "%llu run%s left to chance; schedules were made from %llu run%s%s\n",
                 (unsigned long long)c->free_runs, c->free_runs == 1 ? "" : "s", (unsigned long long)c->all_sources,
                 c->all_sources == 1 ? "" : "s", c->full ? "; some did not fit into memory" : "");
    if (!coverage->all_free)
        rh__text_add(&t,
                     "no actor takes two messages whose order is open: cover cannot help here; use dfs or optimal\n");
    else if (c->ended)
        rh__text_add(&t, "no order is left to try\n");
    else if (c->done > IDLE_RUNS)
        rh__text_add(&t, "%llu of them because no order was left to try\n", (unsigned long long)c->done);
    if (c->has_faults)
        rh__text_add(&t, "faults are no goals: every second schedule has some, at random steps\n");
}

static const struct rh_explorer_report cover_report = { .notes = cover_notes };
static const struct rh_argument cover_arguments[] = {
    { .name = "criterion", .kind = RH_ARGUMENT_WORD, .words = "pr|pmr|pcr|all", .help = "default all" },
    { .name = "paper", .kind = RH_ARGUMENT_FLAG, .help = "schedules from the first run only, as in Bita VI-B" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_cover = {
    .name = "cover",
    .summary = "schedules for pairs of receives whose other order no run has had",
    .state_size = sizeof(struct cover),
    .arguments = cover_arguments,
    .open = cover_open,
    .begin = cover_begin,
    .choose = cover_choose,
    .end = cover_end,
    .report = &cover_report,
    .share = &rh__stream_share,
};
