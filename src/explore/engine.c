/* See engine.h. */
#include "explore/engine.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "explore/measure.h"
#include "trace/behaviour.h"
#include "world/determinism.h"
#include "world/properties.h"
#include "world/state.h"

double rh__now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

double rh__meter_seconds(const struct rh__meter *m)
{
    pid_t pid = m->pid;
    clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
    if (!pid || (pid != getpid() && clock_getcpuclockid(pid, &clock) != 0))
        return m->before;
    return m->before + seconds_of(clock);
}

void rh__mute(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
    }
}

const char *rh_verdict_name(enum rh_verdict verdict)
{
    static const char *const names[] = { "sampled", "bounded", "exhaustive" };
    return names[verdict];
}

/* ---- the loop ---------------------------------------------------------------------------------------------------------- */

static bool start_run(struct rh_exploration *x, uint32_t keep);
static void end_run(struct rh_exploration *x, enum rh_outcome_kind outcome);
static void give_up_run(struct rh_exploration *x, bool late);
static void check_run(struct rh_exploration *x, bool ended);
static bool enough(struct rh_exploration *x);
static bool too_late(struct rh_exploration *x);

static void drive(struct rh_world *w, void *arg)
{
    struct rh_exploration *x = arg;
    const struct rh_inner *e = &x->explorer;
    if (x->mute)
        rh__mute();
    x->meter->pid = getpid();
    for (;;) {
        uint32_t keep = enough(x) ? 0 : rh_inner_begin(e, w), open;
        if (!keep) {
            x->exhausted = !x->stopped;
            x->diverged |= rh_inner_confused(e);
            if (!x->more || !x->more(x))
                break;
            continue;
        }
        if (!start_run(x, keep))
            continue;
        uint32_t pick = 0;
        bool late = false;
        for (const struct rh_choice *choices; (choices = rh_world_enabled(w, &open)), open;) {
            pick = rh_inner_choose(e, w, choices, open);
            if (pick >= open || (late = too_late(x)))
                break;
            x->picks[w->event_count] = pick;
            x->opens[w->event_count] = open;
            rh_world_step(w, &choices[pick]);
        }
        if (open && (late || pick == RH_ELSEWHERE)) {
            give_up_run(x, late);
            continue;
        }
        end_run(x, open ? RH_OUTCOME_RUNNING : rh_world_outcome(w)->kind);
        check_run(x, !open);
    }
}

/* ---- its parts --------------------------------------------------------------------------------------------------------- */

/* The explorer leads to where its work begins; false if the program does not follow. */
static bool lead(struct rh_exploration *x, uint32_t keep)
{
    struct rh_world *w = x->world;
    while (w->event_count < keep) {
        uint32_t open;
        const struct rh_choice *choices = rh_world_enabled(w, &open);
        uint32_t pick = open ? rh_inner_choose(&x->explorer, w, choices, open) : RH_NONE;
        if (pick >= open)
            return false;
        x->picks[w->event_count] = pick;
        x->opens[w->event_count] = open;
        rh_world_step(w, &choices[pick]);
    }
    return true;
}

/* In a child that follows one that died the run so far has to be made again first; likewise where the explorer goes on with
 * what another process has begun. */
static bool start_run(struct rh_exploration *x, uint32_t keep)
{
    struct rh_world *w = x->world;
    uint32_t from = x->moved ? 1 : keep;
    if (from < w->event_count)
        rh_world_rollback(w, from);
    if (x->kept > from)
        x->kept = from;
    while (!x->moved && w->event_count < keep && w->event_count - 1 < x->replay_count)
        if (!rh_world_step(w, &x->replay[w->event_count - 1]))
            break;
    if (x->moved && !lead(x, keep))
        x->diverged = x->stopped = true;
    x->replay_count = 0;
    x->moved = false;
    if (x->diverged)
        return false;
    x->open = true;
    return true;
}

/* The set begins small and doubles, so that it stays in the cache while there are few behaviours, and a short exploration
 * does not pay for pages that it touches once.  Tables of all sizes lie one behind the other in `behaviour_set`. */
static uint64_t *table_of(struct rh_exploration *x, uint64_t size)
{
    return x->behaviour_set + (size - RH__FEWEST_BEHAVIOURS);
}

/* The place of a hash in a table, or the free one where it would stand. */
static uint64_t *place_of(uint64_t *table, uint64_t size, uint64_t hash)
{
    uint64_t i = rh__mix(hash, 1) & (size - 1);
    while (table[i] && table[i] != hash)
        i = (i + 1) & (size - 1);
    return &table[i];
}

static void grow_behaviours(struct rh_exploration *x)
{
    uint64_t size = x->behaviour_size, *old = table_of(x, size), *new = table_of(x, size * 2);
    for (uint64_t i = 0; i < size; i++)
        if (old[i])
            *place_of(new, size * 2, old[i]) = old[i];
    x->behaviour_size = size * 2;
}

static bool is_new_behaviour(struct rh_exploration *x, uint64_t hash)
{
    uint64_t *place = place_of(table_of(x, x->behaviour_size), x->behaviour_size, hash);
    if (*place)
        return false;
    if (x->behaviours >= RH__BEHAVIOURS / 4 * 3) {
        x->behaviours_at_least = true;
        return false;
    }
    *place = hash;
    x->behaviours++;
    if (x->behaviours > x->behaviour_size / 2 && x->behaviour_size < RH__BEHAVIOURS)
        grow_behaviours(x);
    return true;
}

static void settle_behaviours(struct rh_exploration *x)
{
    if (x->noted)
        is_new_behaviour(x, x->noted);
    x->noted = 0;
}

/* Not counted here, but passed on. */
static void tell_behaviour(struct rh_exploration *x, uint64_t hash)
{
    uint64_t *lately = &x->news.lately[rh__mix(hash, 1) & (RH__LATELY - 1)];
    if (*lately == hash || x->news.count == RH__MOST_NEWS)
        return; /* `enough` does not let it become so full */
    *lately = hash;
    x->news.list[x->news.count++] = hash;
}

/* The table is larger than any cache, and waiting for it would take as long as a short run.  Where nobody asks whether the
 * behaviour is new, it is entered a run later, when its place has come from memory. */
static void note_behaviour(struct rh_exploration *x, uint64_t hash)
{
    settle_behaviours(x);
    x->noted = hash;
    uint64_t *table = table_of(x, x->behaviour_size);
    __builtin_prefetch(&table[rh__mix(x->noted, 1) & (x->behaviour_size - 1)], 1);
}

/* Findings of the same kind at the same place are one; where there is no place the sentence counts, without numbers. */
static uint64_t signature_of(const struct rh_world *w)
{
    const struct rh_outcome *o = &w->outcome;
    char text[sizeof o->text];
    size_t n = 0;
    for (const char *c = *o->place ? o->place : o->text; *c; c++)
        if (*o->place || *c < '0' || *c > '9')
            text[n++] = *c;
    const char *kind = rh_outcome_name(o->kind); /* not its number: it is in names of files (findings/keep.h) */
    return rh__hash(text, n, rh__hash(kind, strlen(kind), 0));
}

bool rh__picks_before(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    uint32_t i = 0;
    while (i < a_count && i < b_count && a[i] == b[i])
        i++;
    return i < a_count && i < b_count ? a[i] < b[i] : a_count < b_count;
}

/* The run that has just ended is the one to show. */
static void fill_in_finding(struct rh_exploration *x, struct rh__finding *f, uint64_t run)
{
    struct rh_world *w = x->world;
    f->run = run;
    f->outcome = w->outcome;
    f->actor[0] = 0;
    if (f->outcome.actor != RH_NONE)
        rh_world_actor_name(w, f->outcome.actor, f->actor, sizeof f->actor);
    f->pick_count = w->event_count - 1;
    memcpy(f->picks, x->picks + 1, f->pick_count * sizeof *f->picks);
    f->changed = true;
    if (x->describe)
        x->describe(x, f);
}

static void add_finding(struct rh_exploration *x, uint64_t run)
{
    uint64_t signature = signature_of(x->world);
    for (uint32_t i = 0; i < x->finding_count; i++) {
        struct rh__finding *f = &x->findings[i];
        if (f->signature == signature) {
            f->count++;
            if (x->least && rh__picks_before(x->picks + 1, x->world->event_count - 1, f->picks, f->pick_count))
                fill_in_finding(x, f, run);
            return;
        }
    }
    if (x->finding_count == RH__MAX_FINDINGS)
        return; /* counted among the failed runs all the same */
    struct rh__finding *f = &x->findings[x->finding_count];
    f->signature = signature;
    f->count = 1;
    fill_in_finding(x, f, run);
    x->finding_count++;
}

static uint64_t behaviour_of_run(struct rh_exploration *x)
{
    struct rh_world *w = x->world;
    for (uint32_t i = x->kept ? x->kept : 1; i < w->event_count; i++)
        x->prefix[i] = x->prefix[i - 1] ^ rh__event_hash(w, i);
    x->kept = w->event_count;
    uint64_t hash = x->prefix[w->event_count - 1];
    return hash ? hash : 1;
}

/* The explorer has to know what it must not try again; for all others there was no such run. */
static void assume_away(struct rh_exploration *x, struct rh_run *run)
{
    x->assumed++;
    x->steps += run->events - 1; /* they were made, and are limited */
    x->open = false;
    if (x->measure)
        rh__measure_nothing(x);
    rh_inner_end(&x->explorer, x->world, run);
}

static void end_run(struct rh_exploration *x, enum rh_outcome_kind outcome)
{
    struct rh_world *w = x->world;
    struct rh_run run = { .number = ++x->runs, .events = w->event_count, .outcome = outcome };
    run.behaviour = behaviour_of_run(x);
    if (outcome == RH_OUTCOME_ASSUMED) {
        assume_away(x, &run);
        return;
    }
    if (x->wants_new)
        run.is_new = is_new_behaviour(x, run.behaviour);
    else if (!x->news.list)
        note_behaviour(x, run.behaviour);
    if (x->news.list)
        tell_behaviour(x, run.behaviour);
    x->steps += w->event_count - 1; /* the beginning is none */
    rh__properties_count(w);
    x->cut += outcome == RH_OUTCOME_CUT || outcome == RH_OUTCOME_RUNNING;
    x->blocked += outcome == RH_OUTCOME_STUCK;
    x->open = false;
    if (rh_outcome_failed(outcome)) {
        x->failed++;
        add_finding(x, run.number);
    }
    if (x->measure)
        rh__measure_run(x);
    rh_inner_end(&x->explorer, w, &run);
}

/* A run that is made again must not print again. */
static void silence(int kept[2])
{
    fflush(NULL);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int i = 0; i < 2 && nowhere >= 0; i++) {
        kept[i] = fcntl(STDOUT_FILENO + i, F_DUPFD_CLOEXEC, 3);
        if (kept[i] >= 0)
            dup2(nowhere, STDOUT_FILENO + i);
    }
    if (nowhere >= 0)
        close(nowhere);
}

static void speak(const int kept[2])
{
    fflush(NULL);
    for (int i = 0; i < 2; i++)
        if (kept[i] >= 0) {
            dup2(kept[i], STDOUT_FILENO + i);
            close(kept[i]);
        }
}

/* The first runs are made again, and then some, chosen by chance: as many as cost less than a hundredth of all the rest. */
static void check_run(struct rh_exploration *x, bool ended)
{
    enum { FREE_STEPS = 512, SHARE = 128, ONE_IN = 4 };
    struct rh_world *w = x->world;
    if (x->limits.unchecked || x->known_to_differ || x->diverged)
        return;
    uint64_t with_this = x->check_steps + w->event_count;
    bool few = with_this <= FREE_STEPS || x->checks_every_run;
    bool affordable = with_this <= (w->counts.steps - x->check_steps) / SHARE;
    if (!few && (!affordable || rh__random_below(&x->check_random, ONE_IN)))
        return;
    if (!rh__seen_note(x->seen, w, x->opens, ended))
        return;
    int kept[2] = { -1, -1 };
    if (!x->mute)
        silence(kept);
    struct rh_outcome o = rh__seen_again(x->seen, w, &x->check_steps);
    if (!x->mute)
        speak(kept);
    if (o.kind == RH_OUTCOME_FINISHED) {
        if (*o.text && !*x->note)
            snprintf(x->note, sizeof x->note, "%s", o.text);
        return;
    }
    w->outcome = o;
    x->failed++;
    add_finding(x, x->runs);
    x->stopped = x->incomplete = true;
}

static void give_up_run(struct rh_exploration *x, bool late)
{
    x->unfinished = late ? x->world->event_count - 1 : 0;
    x->given_up++;
    x->open = false;
}

/* Processor time counts, so that what comes of an exploration does not depend on what else the machine does. */
static bool out_of_time(const struct rh_exploration *x, double now)
{
    double most = x->limits.max_seconds;
    return most > 0 && (rh__meter_seconds(x->meter) >= most || now - x->started >= most * RH__WALL_FACTOR);
}

/* Also in the middle of a run, which may be long: when the watchdog has ticked it is worth a look at the clock. */
static bool too_late(struct rh_exploration *x)
{
    if (!x->interrupted && x->ticks == x->world->ticks)
        return false;
    x->ticks = x->world->ticks;
    if (x->interrupted || out_of_time(x, rh__now_seconds()))
        x->stopped = true;
    return x->stopped;
}

bool rh_exploration_is_over(struct rh_exploration *x)
{
    return x->stopped || too_late(x);
}

/* The clock is looked at now and then only: it costs as much as a short run. */
static bool enough(struct rh_exploration *x)
{
    if (x->stopped || x->interrupted || (x->finding_count && !x->limits.keep_going) ||
        (x->limits.max_runs && x->runs >= x->limits.max_runs) ||
        (x->limits.max_all_steps && x->steps >= x->limits.max_all_steps) || x->news.count == RH__MOST_NEWS)
        return x->stopped = true;
    if (x->runs % 64 && x->steps < x->next_look && x->ticks == x->world->ticks)
        return false;
    x->next_look = x->steps + 2000;
    x->ticks = x->world->ticks;
    double now = rh__now_seconds();
    if (out_of_time(x, now) ||
        (x->slice_end > 0 && x->runs != x->slice_runs && rh__meter_seconds(x->meter) >= x->slice_end))
        return x->stopped = true;
    if (x->progress && now >= x->next_progress)
        x->progress(x);
    return false;
}

/* ---- children ------------------------------------------------------------------------------------------------------------ */

/* The child died of the program: that ends the run under way, here in the parent, and the next child goes on. */
static void bury(struct rh_exploration *x)
{
    struct rh_world *w = x->world;
    x->replay_count = w->event_count - 1;
    for (uint32_t i = 0; i < x->replay_count; i++)
        x->replay[i] = w->events[i + 1].choice;
    if (!x->open) {                        /* it died at its beginning: in the body of the test, before any choice */
        x->diverged |= w->event_count > 1; /* or else on a way that did not kill it before */
        x->stillborn = true;
        x->runs++;
        x->failed++;
        rh__properties_count(w);
        add_finding(x, x->runs);
        x->stopped = true;
        return;
    }
    end_run(x, w->outcome.kind);
}

static double children_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static enum rh_sandbox_end run_child(struct rh_exploration *x)
{
    double before = children_seconds();
    enum rh_sandbox_end end = rh_sandbox_run(x->world, drive, x);
    x->meter->pid = 0;
    x->meter->before += children_seconds() - before;
    return end;
}

bool rh__explore(struct rh_exploration *x)
{
    struct rh__interrupts interrupts;
    if (!x->more) { /* a worker's time is somebody else's */
        x->started = rh__now_seconds();
        rh__interrupts_begin(&interrupts, &x->interrupted);
    }
    enum rh_sandbox_end end;
    while ((end = run_child(x)) == RH_SANDBOX_FINDING) {
        if (x->more && x->world->killed)
            return false; /* not the program's doing, or not for sure */
        bury(x);
        if ((x->stopped || enough(x)) && (!x->more || !x->more(x)))
            break;
    }
    if (!x->more)
        rh__interrupts_end(&interrupts);
    settle_behaviours(x);
    x->seconds = rh__now_seconds() - x->started;
    x->processor_seconds = rh__meter_seconds(x->meter);
    return end != RH_SANDBOX_FAILED;
}

/* ---- making and asking ----------------------------------------------------------------------------------------------------- */

uint64_t rh_exploration_seed(const struct rh_exploration *x)
{
    return x->seed;
}

uint32_t rh_exploration_max_steps(const struct rh_exploration *x)
{
    return x->world->semantics.max_steps;
}

void *rh_exploration_memory(struct rh_exploration *x, size_t bytes)
{
    if (x->block_count == RH__MAX_BLOCKS)
        return NULL;
    void *p = rh_shared_new(bytes);
    if (p)
        x->blocks[x->block_count++] = (struct rh__block){ p, bytes };
    return p;
}

/* A global variable that an actor changes and another reads puts their steps in an order that the reduction cannot see. */
bool rh__exploration_unsound(const struct rh_exploration *x)
{
    return x->reduces && !x->trusts_globals && (x->shares_globals || *x->world->globals_writer);
}

enum rh_verdict rh__exploration_verdict(const struct rh_exploration *x)
{
    enum rh_verdict v = rh_inner_verdict(&x->explorer);
    if (!x->exhausted || x->incomplete || x->diverged || rh__exploration_unsound(x))
        return RH_VERDICT_SAMPLED;
    return v == RH_VERDICT_EXHAUSTIVE && x->cut ? RH_VERDICT_BOUNDED : v;
}

double rh__exploration_estimate(const struct rh_exploration *x)
{
    if (x->workers)
        return x->exhausted ? (double)x->share_runs : x->share > 0 ? (double)x->share_runs / x->share : 0;
    double estimate = rh_inner_estimate(&x->explorer);
    if (estimate > 0)
        return estimate;
    return x->exhausted && rh__exploration_verdict(x) != RH_VERDICT_SAMPLED ? (double)x->runs : 0;
}

void rh__exploration_add_behaviours(struct rh_exploration *x, const uint64_t *hashes, size_t count)
{
    enum { AHEAD = 8 }; /* so that places come from memory meanwhile */
    if (x->behaviours_at_least)
        return; /* the table is full, and somebody was left out: more of them change nothing */
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&table_of(x, x->behaviour_size)[rh__mix(hashes[i + AHEAD], 1) & (x->behaviour_size - 1)],
                               1);
        if (hashes[i])
            is_new_behaviour(x, hashes[i]);
    }
}

void rh__exploration_each_behaviour(const struct rh_exploration *x, void (*each)(void *arg, uint64_t hash), void *arg)
{
    const uint64_t *table = x->behaviour_set + (x->behaviour_size - RH__FEWEST_BEHAVIOURS);
    for (uint64_t i = 0; i < x->behaviour_size; i++)
        if (table[i])
            each(arg, table[i]);
}

struct rh_exploration *rh__exploration_new(struct rh_world *w, const char *name_and_arg, uint64_t seed,
                                           const struct rh__limits *limits, char *error, size_t error_size)
{
    size_t events = (size_t)w->semantics.max_steps + 2;
    struct rh_exploration *x = rh_shared_new(sizeof *x);
    if (!x) {
        snprintf(error, error_size, "no memory for an exploration");
        return NULL;
    }
    x->world = w;
    x->meter = &x->own_meter;
    x->reduces = rh__explorer_reduces(name_and_arg);
    x->wants_new = rh__explorer_wants_new(name_and_arg);
    x->check_random = seed;
    x->checks_every_run = strncmp(name_and_arg, "replay:", 7) == 0;
    x->seed = seed;
    x->limits = *limits;
    x->replay = rh_shared_new(events * sizeof *x->replay);
    x->prefix = rh_shared_new(events * sizeof *x->prefix);
    x->picks = rh_shared_new(events * sizeof *x->picks);
    x->opens = rh_shared_new(events * sizeof *x->opens);
    x->seen = rh__seen_new((uint32_t)events);
    x->behaviour_set = rh_shared_new(2 * RH__BEHAVIOURS * sizeof *x->behaviour_set);
    x->behaviour_size = RH__FEWEST_BEHAVIOURS;
    bool texts = true;
    for (int i = 0; i < RH__MAX_FINDINGS; i++) {
        x->findings[i].schedule = rh_shared_new(RH__SCHEDULE_BYTES);
        x->findings[i].story = rh_shared_new(RH__STORY_BYTES);
        x->findings[i].picks = rh_shared_new(events * sizeof *x->picks);
        texts = texts && x->findings[i].schedule && x->findings[i].story && x->findings[i].picks;
    }
    if (!x->replay || !x->prefix || !x->picks || !x->opens || !x->seen || !x->behaviour_set || !texts) {
        snprintf(error, error_size, "no memory for an exploration");
        rh__exploration_free(x);
        return NULL;
    }
    if (!rh_exploration_inner(x, name_and_arg, &x->explorer, error, error_size)) {
        rh__exploration_free(x);
        return NULL;
    }
    return x;
}

void rh__exploration_free(struct rh_exploration *x)
{
    if (!x)
        return;
    size_t events = (size_t)x->world->semantics.max_steps + 2;
    for (int i = 0; i < RH__MAX_FINDINGS; i++) {
        rh_shared_free(x->findings[i].schedule, RH__SCHEDULE_BYTES);
        rh_shared_free(x->findings[i].story, RH__STORY_BYTES);
        rh_shared_free(x->findings[i].picks, events * sizeof *x->picks);
    }
    rh__measure_free(x);
    for (uint32_t i = 0; i < x->block_count; i++)
        rh_shared_free(x->blocks[i].at, x->blocks[i].size);
    rh_shared_free(x->replay, events * sizeof *x->replay);
    rh_shared_free(x->prefix, events * sizeof *x->prefix);
    rh_shared_free(x->picks, events * sizeof *x->picks);
    rh_shared_free(x->opens, events * sizeof *x->opens);
    rh__seen_free(x->seen);
    rh_shared_free(x->behaviour_set, 2 * RH__BEHAVIOURS * sizeof *x->behaviour_set);
    rh_shared_free(x, sizeof *x);
}
