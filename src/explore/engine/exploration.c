/* Makes and frees an exploration, and answers questions about it (engine.h). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "explore/engine/engine.h"
#include "explore/engine/measure.h"
#include "explore/engine/tree_estimate.h"
#include "explore/explorers.h"
#include "world/determinism.h"
#include "world/live.h"

const char *rh_verdict_name(enum rh_verdict verdict)
{
    static const char *const names[] = { "sampled", "bounded", "exhaustive" };
    return names[verdict];
}

uint64_t rh_exploration_seed(const struct rh_exploration *x)
{
    return x->seed;
}

uint32_t rh_exploration_max_steps(const struct rh_exploration *x)
{
    return rh_world_semantics(x->world)->max_steps;
}

struct rh_world *rh__exploration_world(const struct rh_exploration *x)
{
    return x->world;
}

uint32_t rh__exploration_unused_temperature(const struct rh_exploration *x)
{
    return x->unused_temperature;
}

size_t rh__exploration_most_choices(const struct rh_exploration *x)
{
    return rh__world_most_choices(x->world);
}

bool *rh__exploration_bounded(struct rh_exploration *x)
{
    return &x->results->bounded;
}

uint32_t rh__exploration_lead(const struct rh_exploration *x)
{
    return x->run.lead;
}

void rh__exploration_restart(struct rh_exploration *x)
{
    x->run.restarts++;
}

uint32_t rh__exploration_restarts(const struct rh_exploration *x)
{
    return x->run.restarts;
}

void rh__exploration_mark(struct rh_exploration *x, uint64_t mark)
{
    x->run.mark = mark;
}

struct rh_fingerprint rh__exploration_state(const struct rh_exploration *x, const struct rh_world *w)
{
    struct rh_fingerprint f = rh_world_fingerprint_wide(w);
    if (x->run.mark) {
        f.high = rh__mix(f.high, x->run.mark);
        f.low = rh__mix(x->run.mark, f.low);
    }
    return f;
}

void rh__exploration_leaves_out(struct rh_exploration *x)
{
    x->run.left_out = true;
}

bool rh__exploration_is_only(const struct rh_exploration *x, const void *state)
{
    return x->explorer.state == state;
}

bool rh__exploration_needs_steps(const struct rh_exploration *x)
{
    return x->run.mark || x->measure;
}

uint32_t rh__exploration_counters(struct rh_exploration *x, uint32_t count)
{
    uint32_t first = x->counters;
    if (count > RH__NOTED - first)
        return RH_NONE;
    x->counters += count;
    return first;
}

void rh__exploration_count(struct rh_exploration *x, uint32_t counters, uint32_t which)
{
    if (counters != RH_NONE)
        x->results->count.noted[counters + which]++;
}

uint64_t rh__exploration_count_of(const struct rh_exploration *x, uint32_t counters, uint32_t which)
{
    return counters == RH_NONE ? 0 : x->results->count.noted[counters + which];
}

void *rh_exploration_memory(struct rh_exploration *x, size_t bytes)
{
    struct rh__blocks *b = &x->blocks;
    if (b->count == RH__MAX_BLOCKS)
        return NULL;
    void *p = rh_shared_new(bytes);
    if (p) {
        b->list[b->count].at = p;
        b->list[b->count++].size = bytes;
    }
    return p;
}

uint32_t rh__exploration_publish(struct rh_exploration *x, void *memory)
{
    uint32_t n = x->published_count;
    if (n < RH__MAX_PUBLISHED)
        x->published[x->published_count++] = memory;
    return n;
}

void *rh__exploration_published(const struct rh_exploration *x, uint32_t number)
{
    return x->agent && number < x->agent->published_count ? x->agent->published[number] : NULL;
}

static int open_unnamed(const char *folder)
{
    char path[RH__PATH_BYTES];
    int n = folder ? snprintf(path, sizeof path, "%s/rehearse-XXXXXX", folder) : -1;
    int fd = n > 0 && n < (int)sizeof path ? mkstemp(path) : -1;
    if (fd < 0)
        return -1;
    unlink(path);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

int rh__exploration_file(struct rh_exploration *x)
{
    struct rh__files *f = &x->files;
    const char *wanted = getenv("TMPDIR");
    int fd = f->count < RH__MAX_FILES ? open_unnamed(wanted && *wanted ? wanted : "/var/tmp") : -1;
    if (fd >= 0)
        f->list[f->count++] = fd;
    return fd;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

bool rh__exploration_unsound(const struct rh_exploration *x)
{
    return x->is_reduction && !x->trusts_globals && (x->results->shares_globals || rh__world_hides_causes(x->world));
}

enum rh_verdict rh__exploration_verdict(const struct rh_exploration *x)
{
    const struct rh__results *r = x->results;
    enum rh_verdict v = rh_inner_verdict(&x->explorer);
    if (!x->end.exhausted || !r->count.runs || r->incomplete || r->diverged || rh__exploration_unsound(x))
        return RH_VERDICT_SAMPLED;
    bool drawn = rh_world_semantics(x->world)->outside != 0; /* values from outside are drawn, not enumerated */
    bool narrowed = rh__world_test(x->world)->scenario;      /* its body has left out all other orders */
    bool bounded = r->count.cut || r->bounded || drawn || narrowed;
    if ((r->count.cut || (r->bounded && !rh__tree_bounds_mark(&x->tree))) && (r->count.pruned || x->run.left_out))
        /* The bound may have cut the continuations of a visited state there and not cut them here. */
        return RH_VERDICT_SAMPLED;
    return v == RH_VERDICT_EXHAUSTIVE && bounded ? RH_VERDICT_BOUNDED : v;
}

static double mixed_estimate(const struct rh_exploration *x)
{
    const struct rh__results *r = x->results;
    uint64_t runs = r->share_runs, counted = rh__results_counted(r);
    double share = x->workers ? r->share : rh_inner_share(&x->explorer, &runs);
    double all = counted ? (double)r->count.runs / (double)counted : 1; /* samples leave out what rh_assume ended */
    double sampled = x->sampled.runs * all;
    return x->sampled.exact && sampled >= (double)runs ? sampled : rh__mixed_estimate(sampled, (double)runs, share);
}

/* Runs that do not end make a tree with few runs on one side and all others on the other, and an estimate from the runs
 * so far takes one side for the other. */
static bool most_were_cut(const struct rh__results *r)
{
    return r->count.cut > rh__results_counted(r) / 2;
}

double rh__exploration_estimate(const struct rh_exploration *x)
{
    const struct rh__results *r = x->results;
    if (!x->end.exhausted && most_were_cut(r))
        return 0;
    if (x->sampled.runs > 0 && !x->end.exhausted)
        return mixed_estimate(x);
    if (x->workers)
        return x->end.exhausted ? (double)r->share_runs : r->share > 0 ? (double)r->share_runs / r->share : 0;
    double estimate = rh_inner_estimate(&x->explorer);
    if (estimate > 0)
        return estimate;
    return x->end.exhausted && rh__exploration_verdict(x) != RH_VERDICT_SAMPLED ? (double)r->count.runs : 0;
}

void rh__exploration_notes(const struct rh_exploration *x, char *buffer, size_t size)
{
    struct rh__text t;
    rh_inner_notes(&x->explorer, buffer, size);
    size_t length = strlen(buffer);
    rh__text_init(&t, buffer + length, size - length);
    if (*x->beside)
        rh__text_add(&t, "%s%s", length ? "\n" : "", x->beside);
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* Number of events of the longest run with its beginning, plus one. */
static size_t events_of(const struct rh_world *w)
{
    return (size_t)rh_world_semantics(w)->max_steps + 2;
}

/* False if memory is short. */
static bool take_memory(struct rh_exploration *x, size_t events)
{
    x->results = rh__results_new(events);
    x->recovery.replay = rh_shared_new(events * sizeof *x->recovery.replay);
    x->run.prefix = rh_shared_new(events * sizeof *x->run.prefix);
    x->run.picks = rh_shared_new(events * sizeof *x->run.picks);
    x->run.opens = rh_shared_new(events * sizeof *x->run.opens);
    x->repeats.seen = rh__seen_new((uint32_t)events);
    return x->results && x->recovery.replay && x->run.prefix && x->run.picks && x->run.opens && x->repeats.seen;
}

static bool refuses_scenarios(const struct rh__tree *t, const struct rh_test *test, const char *expression, char *error,
                              size_t error_size)
{
    if (!test->scenario || !(rh__tree_is_reduction(t) || rh__tree_uses_symmetry(t) || rh__tree_matches_states(t)))
        return false;
    snprintf(error, error_size,
             "%s is a scenario, whose body says what comes next: explorer %s cannot know that; use dfs or a sampler",
             test->name, expression);
    return true;
}

bool rh__explorer_refuses_test(const char *expression, const struct rh_test *test, char *error, size_t error_size)
{
    struct rh__tree t;
    return rh__tree_parse(&t, expression, error, error_size) &&
           refuses_scenarios(&t, test, expression, error, error_size);
}

static bool open_explorer(struct rh_exploration *x, const char *expression, char *error, size_t error_size)
{
    const struct rh__tree *t = &x->tree;
    if (!rh__tree_parse(&x->tree, expression, error, error_size))
        return false;
    x->is_reduction = rh__tree_is_reduction(t);
    if (x->is_reduction || rh__tree_uses_symmetry(t))
        rh__world_drop_delays(x->world);
    rh__world_only_reset(x->world, rh__tree_resets_only(t));
    x->wants_new = rh__tree_wants_new(t);
    x->has_threads = rh_world_semantics(x->world)->contexts == RH_CONTEXT_THREADS;
    x->repeats.every_run = t->nodes[0].explorer == &rh__explorer_replay;
    const struct rh_semantics *s = rh_world_semantics(x->world);
    if (refuses_scenarios(t, rh__world_test(x->world), expression, error, error_size))
        return false;
    if (x->is_reduction && (s->quiet_after || s->temperature)) {
        snprintf(error, error_size,
                 "%s counts events, and explorer %s leaves out orders of independent steps: use stateful, dfs or a "
                 "sampler",
                 s->quiet_after ? "quiet_after" : "temperature", expression);
        return false;
    }
    if (s->temperature && rh__tree_matches_states(t)) {
        if (!rh__tree_has(t, &rh__explorer_stateful)) {
            snprintf(error, error_size,
                     "temperature depends on the run, and explorer %s compares states: use stateful, which finds loops "
                     "of states, or a sampler",
                     expression);
            return false;
        }
        x->unused_temperature = s->temperature;
        rh__world_drop_temperature(x->world);
    }
    if (!rh__loop_open(x)) {
        snprintf(error, error_size, "no memory for an exploration");
        return false;
    }
    return rh__tree_open(x, t, 0, &x->explorer, error, error_size);
}

struct rh_exploration *rh__exploration_new(struct rh_world *w, const char *expression, uint64_t seed,
                                           const struct rh__limits *limits, char *error, size_t error_size)
{
    struct rh_exploration *x = rh_shared_new(sizeof *x);
    if (!x) {
        snprintf(error, error_size, "no memory for an exploration");
        return NULL;
    }
    x->world = w;
    x->run.events = rh__world_event_counter(w);
    x->clock.world_ticks = rh__world_ticks(w);
    x->clock.meter = &x->clock.own_meter;
    x->repeats.random = seed;
    x->seed = seed;
    x->limits = *limits;
    bool good = take_memory(x, events_of(w));
    if (!good)
        snprintf(error, error_size, "no memory for an exploration");
    if (good && open_explorer(x, expression, error, error_size))
        return x;
    rh__exploration_free(x);
    return NULL;
}

void rh__exploration_free(struct rh_exploration *x)
{
    if (!x)
        return;
    size_t events = events_of(x->world);
    rh__measure_free(x);
    rh__curve_release(&x->curve);
    for (uint32_t i = 0; i < x->blocks.count; i++)
        rh_shared_free(x->blocks.list[i].at, x->blocks.list[i].size);
    for (uint32_t i = 0; i < x->files.count; i++)
        close(x->files.list[i]);
    rh_shared_free(x->recovery.replay, events * sizeof *x->recovery.replay);
    rh_shared_free(x->run.prefix, events * sizeof *x->run.prefix);
    rh_shared_free(x->run.picks, events * sizeof *x->run.picks);
    rh_shared_free(x->run.opens, events * sizeof *x->run.opens);
    rh__seen_free(x->repeats.seen);
    rh__results_free(x->results);
    rh_shared_free(x, sizeof *x);
}
