/* An explorer that claims one run for each behaviour, compared with every sequence of choices (dfs) on the same program.
 *
 *   behaviour   as the engine has it: which messages each actor took in which order, and the operations on shared objects
 *   outcome     of a run that came to its end: how it ended and the histories of all actors, whatever the order of steps;
 *               of one in which a step fails: the finding
 *
 * Runs that come to their end are compared by behaviour, each with its outcome; runs in which a step fails by their findings,
 * since where such a run breaks off is a matter of order.  That one behaviour has one outcome is checked, too: else
 * something is seen by several actors and not counted as shared.
 *
 * A difference is made smaller (minimise), then told with the runs that show it and the line that makes it again. */
#ifndef RH_TESTS_EXPLORE_ORACLE_H
#define RH_TESTS_EXPLORE_ORACLE_H

#include "explore/oracle_make.h"
#include "explore/support.h"

/* ---- what was seen ----------------------------------------------------------------------------------------------------- */

enum { MOST_NOTED = 1 << 18 };
#define ASSUMED_AWAY ((uint64_t)1 << 63) /* a run that breaks off, too, but no finding */

struct noted {
    uint64_t behaviour, outcome;
};

struct notes {
    uint32_t ended, broken; /* how many in the two lists */
    uint64_t runs, steps, cut, given_up;
    bool complete; /* the explorer says that nothing is left */
    bool tool_failed;
    struct noted end[MOST_NOTED];
    uint64_t finding[MOST_NOTED];
};
static struct notes *notes; /* set before the exploration begins */

/* Which runs to print. */
static struct {
    bool on, given_up, cut, all;
    bool not_this;               /* another outcome than this one */
    uint64_t behaviour, outcome; /* outcome 0: any */
    uint32_t most;
} show;

static uint64_t hash_of_text(const char *text, uint64_t start)
{
    return fnv(start, text, strlen(text));
}

/* Lines in any order: actors are numbered in the order of their birth. */
static uint64_t hash_of_lines(const char *text)
{
    uint64_t sum = 0;
    while (*text) {
        size_t n = strcspn(text, "\n");
        sum += scrambled(fnv(FNV_START, text, n), 3);
        text += n + (text[n] == '\n');
    }
    return sum;
}

static uint64_t hash_of_actor(const struct rh_world *w, uint32_t actor)
{
    const struct rh_actor_type *type = rh_world_actor_type(w, actor);
    uint64_t hash = w->actors[actor].identity;
    if (type == &rh_actor_player || type == &rh_actor_starter || type == &rh_actor_walker || type == &rh_actor_watcher)
        hash = scrambled(hash, ((const struct mind *)rh_world_actor_state(w, actor))->history);
    return scrambled(hash, rh_world_actor_ended(w, actor));
}

static bool came_to_its_end(enum rh_outcome_kind kind)
{
    return kind == RH_OUTCOME_FINISHED || kind == RH_OUTCOME_STUCK || kind == RH_OUTCOME_PROPERTY ||
           kind == RH_OUTCOME_MONITOR;
}

static uint64_t outcome_of(struct rh_world *w, enum rh_outcome_kind kind)
{
    const struct rh_outcome *o = rh_world_outcome(w);
    uint64_t hash = scrambled(kind, 5) + hash_of_text(o->place, FNV_START);
    if (kind !=
        RH_OUTCOME_STUCK) /* which says of whom one waits whether it has ended: that is no part of a behaviour */
        hash += hash_of_lines(o->text);
    if (o->actor != RH_NONE)
        hash += w->actors[o->actor].identity;
    for (uint32_t i = 0; came_to_its_end(kind) && i < rh_world_actor_count(w); i++)
        hash += hash_of_actor(w, i);
    return hash;
}

static void print_run(struct rh_world *w, const char *title)
{
    uint32_t n;
    const struct rh_event *events = rh_world_events(w, &n);
    char text[1200];
    fprintf(stderr, "  %s\n", title);
    for (uint32_t i = 0; i < n; i++) {
        rh_world_choice_text(w, &events[i].choice, text, sizeof text);
        if (events[i].choice.kind == RH_CHOICE_DELIVER && rh_world_message(w, events[i].choice.what).type &&
            has_content(rh_world_message(w, events[i].choice.what).type)) {
            const struct work *c = rh_world_message(w, events[i].choice.what).value;
            size_t at = strlen(text);
            snprintf(text + at, sizeof text - at, " (%u of %u, ttl %d)", c->value, c->from, c->ttl);
        }
        fprintf(stderr, "    %2u  %s\n", i, text);
        for (uint32_t k = 0; k < rh_world_log_count(w); k++)
            if (rh_world_log_line(w, k).event == i)
                fprintf(stderr, "          %s\n", rh_world_log_line(w, k).text);
    }
    fprintf(stderr, "        %s: %s\n", rh_outcome_name(rh_world_outcome(w)->kind), rh_world_outcome(w)->text);
}

/* ---- an explorer around another one that takes notes -------------------------------------------------------------------- */

static uint32_t noting_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t pick = rh_inner_choose(&((struct spy *)state)->inner, w, open, count);
    if (pick == RH_ELSEWHERE && show.given_up && show.most) {
        show.most--;
        print_run(w, "a run that was given up:");
    }
    return pick;
}

static void noting_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    struct noted n = { run->behaviour, outcome_of(w, run->outcome) };
    if (came_to_its_end(run->outcome)) {
        if (notes->ended < MOST_NOTED)
            notes->end[notes->ended++] = n;
    } else if (run->outcome != RH_OUTCOME_CUT && run->outcome != RH_OUTCOME_RUNNING && notes->broken < MOST_NOTED) {
        n.outcome = run->outcome == RH_OUTCOME_ASSUMED ? n.outcome | ASSUMED_AWAY : n.outcome & ~ASSUMED_AWAY;
        notes->finding[notes->broken++] = n.outcome;
        n.behaviour = 0;
    }
    bool fits = n.behaviour == show.behaviour && (!show.outcome || (n.outcome == show.outcome) != show.not_this);
    if (show.on && show.most && (show.all || (show.cut ? run->outcome == RH_OUTCOME_RUNNING : fits))) {
        show.most--;
        print_run(w, run->outcome == RH_OUTCOME_RUNNING ? "a run that was broken off:" : "a run:");
    }
    rh_inner_end(&s->inner, w, run);
}

static const struct rh_explorer noting = {
    .name = "noting",
    .summary = "takes notes of the runs that another explorer makes",
    .state_size = sizeof(struct spy),
    .parts = rh_only_part,
    .inner = rh_only_inner,
    .open = rh_only_open,
    .choose = noting_choose,
    .end = noting_end,
};
RH_EXPLORER(noting)

static struct notes *notes_new(void)
{
    struct notes *n = rh_shared_new(sizeof *n);
    assert_non_null(n);
    return n;
}

static void notes_free(struct notes *n)
{
    rh_shared_free(n, sizeof *n);
}

/* Explores the program as it stands. */
static void take_notes(struct notes *to, const char *explorer, uint64_t max_runs)
{
    char error[512];
    struct rh_semantics s = features_semantics(&program);
    struct rh__limits limits = { .max_runs = max_runs, .max_seconds = 60, .keep_going = true };
    struct rh_world *w = world_of("features", &s, NULL, 0);
    notes = to;
    to->ended = to->broken = 0;
    struct rh_exploration *x = rh__exploration_new(w, explorer, 1, &limits, error, sizeof error);
    if (!x)
        fail_msg("%s", error);
    to->tool_failed = !rh__explore(x);
    to->runs = x->runs;
    to->steps = x->steps;
    to->cut = x->cut;
    to->given_up = x->given_up;
    to->complete = x->exhausted && (to->cut || rh__exploration_verdict(x) == RH_VERDICT_EXHAUSTIVE);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* ---- differences ----------------------------------------------------------------------------------------------------------- */

#define DIFFERENCES(X)                                                                                                 \
    X(FAILED, "the explorer failed")                                                                                   \
    X(CUT, "cut")                                                                                                      \
    X(SPLIT, "one behaviour, two outcomes")                                                                            \
    X(IMPOSSIBLE, "impossible")                                                                                        \
    X(MISSING, "missing")                                                                                              \
    X(TWICE, "twice")                                                                                                  \
    X(OTHER, "another outcome")                                                                                        \
    X(GIVEN_UP, "given up")                                                                                            \
    X(NOT_FOUND, "findings not found")                                                                                 \
    X(INVENTED, "findings invented")                                                                                   \
    X(INCOMPLETE, "something is left")                                                                                 \
    X(DPOR, "missing with dpor")

enum {
#define D_X(name, text) D_##name,
    DIFFERENCES(D_X)
#undef D_X
        D_COUNT
};
static const char *const difference_names[] = {
#define D_X(name, text) text,
    DIFFERENCES(D_X)
#undef D_X
};

struct difference {
    bool too_large, any;
    uint32_t behaviours, findings;
    uint64_t runs, all_runs;
    uint64_t count[D_COUNT];
    struct noted example[D_COUNT]; /* behaviour, for split also an outcome */
};

static void note_difference(struct difference *d, int kind, uint64_t count, struct noted example)
{
    if (count && !d->count[kind])
        d->example[kind] = example;
    d->count[kind] += count;
    d->any |= count != 0;
}

static int by_behaviour(const void *a, const void *b)
{
    const struct noted *x = a, *y = b;
    if (x->behaviour != y->behaviour)
        return x->behaviour < y->behaviour ? -1 : 1;
    return (x->outcome > y->outcome) - (x->outcome < y->outcome);
}

/* Each behaviour with each outcome once. */
static void settle(struct notes *n)
{
    uint32_t kept = 0;
    qsort(n->end, n->ended, sizeof *n->end, by_behaviour);
    for (uint32_t i = 0; i < n->ended; i++)
        if (!kept || by_behaviour(&n->end[kept - 1], &n->end[i]) != 0)
            n->end[kept++] = n->end[i];
    n->ended = kept;
}

static void compare_ends(const struct notes *all, const struct notes *got, struct difference *d)
{
    const struct noted *a = all->end, *b = got->end;
    uint32_t i = 0, k = 0;
    while (i < all->ended || k < got->ended) {
        uint64_t x = i < all->ended ? a[i].behaviour : UINT64_MAX, y = k < got->ended ? b[k].behaviour : UINT64_MAX;
        uint64_t next = x < y ? x : y;
        uint32_t outcomes = 0, times = 0, first = k;
        for (; i < all->ended && a[i].behaviour == next; i++)
            outcomes++;
        for (; k < got->ended && b[k].behaviour == next; k++)
            times++;
        d->behaviours += outcomes > 0;
        note_difference(d, D_SPLIT, outcomes > 1, outcomes ? a[i - 1] : b[first]);
        note_difference(d, D_MISSING, outcomes && !times, outcomes ? a[i - 1] : b[first]);
        note_difference(d, D_IMPOSSIBLE, !outcomes && times, b[first < got->ended ? first : 0]);
        note_difference(d, D_TWICE, times > 1 ? times - 1 : 0, b[first < got->ended ? first : 0]);
        if (outcomes == 1 && times)
            note_difference(d, D_OTHER, a[i - 1].outcome != b[first].outcome, b[first]);
    }
}

static void compare_findings(struct notes *all, struct notes *got, struct difference *d)
{
    uint64_t *a = all->finding, *b = got->finding;
    distinct(a, all->broken);
    distinct(b, got->broken);
    for (uint32_t i = 0; i < all->broken; i++) {
        if (i && a[i] == a[i - 1])
            continue;
        d->findings += !(a[i] & ASSUMED_AWAY);
        if (!bsearch(&a[i], b, got->broken, sizeof *b, by_number))
            note_difference(d, D_NOT_FOUND, 1, (struct noted){ 0, a[i] });
    }
    for (uint32_t i = 0; i < got->broken; i++)
        if (!(i && b[i] == b[i - 1]) && !bsearch(&b[i], a, all->broken, sizeof *a, by_number))
            note_difference(d, D_INVENTED, 1, (struct noted){ 0, b[i] });
}

/* dpor may make a behaviour more than once, but must make all. */
static void compare_with_dpor(struct notes *all, struct notes *got, struct difference *d)
{
    struct difference other = { 0 };
    take_notes(got, "noting:dpor", 2 * all->runs + 100);
    settle(got);
    compare_ends(all, got, &other);
    compare_findings(all, got, &other);
    uint64_t wrong = other.count[D_MISSING] + other.count[D_IMPOSSIBLE] + other.count[D_OTHER] +
                     other.count[D_NOT_FOUND] + other.count[D_INVENTED] + got->tool_failed + !got->complete;
    note_difference(d, D_DPOR, wrong, other.example[other.count[D_MISSING] ? D_MISSING : D_NOT_FOUND]);
}

static void differ(struct difference *d, const struct features *p, uint32_t largest)
{
    static struct notes *all, *got;
    struct noted none = { 0, 0 };
    if (!all) {
        all = notes_new();
        got = notes_new();
    }
    program = *p;
    *d = (struct difference){ 0 };
    take_notes(all, "noting:dfs", largest);
    d->all_runs = all->runs;
    d->too_large = !all->complete || all->cut;
    if (d->too_large)
        return;
    settle(all);
    take_notes(got, "noting:optimal:private-globals", 2 * all->runs + 100);
    d->runs = got->runs;
    note_difference(d, D_FAILED, got->tool_failed, none);
    if (got->tool_failed)
        return;
    qsort(got->end, got->ended, sizeof *got->end, by_behaviour);
    compare_ends(all, got, d);
    compare_findings(all, got, d);
    note_difference(d, D_GIVEN_UP, all->broken ? 0 : got->given_up, none);
    note_difference(d, D_CUT, got->cut, none);
    note_difference(d, D_INCOMPLETE, !got->complete, none);
    compare_with_dpor(all, got, d);
}

/* ---- making it smaller -------------------------------------------------------------------------------------------------------- */

static int first_difference(const struct difference *d)
{
    for (int i = 0; i < D_COUNT; i++)
        if (d->count[i])
            return i;
    return D_COUNT;
}

/* Takes the candidate if it still differs in the same way and has no more runs. */
static bool accept(struct features *p, struct difference *d, const struct features *candidate, uint32_t largest)
{
    struct difference c;
    differ(&c, candidate, largest);
    if (c.too_large || first_difference(&c) != first_difference(d) || c.all_runs > d->all_runs)
        return false;
    *p = *candidate;
    *d = c;
    return true;
}

static bool minimise_round(struct features *p, struct difference *d, uint32_t largest)
{
    bool better = false;
    struct features c;
#define TRY(change)                                                                                                    \
    do {                                                                                                               \
        c = *p;                                                                                                        \
        change;                                                                                                        \
        better |= memcmp(&c, p, sizeof c) && accept(p, d, &c, largest);                                                \
    } while (0)
    TRY(c.losses = 0);
    TRY(c.duplicates = 0);
    TRY(c.crashes = c.restarts = c.kept = 0);
    TRY(c.kept = 0);
    TRY(c.restarts = c.kept ? c.restarts : 0);
    TRY(c.losses -= c.losses > 1);
    TRY(c.starts -= c.starts > 0);
    TRY(c.ttl -= c.ttl > 1);
    TRY(c.model = c.model == RH_FIFO ? RH_BAG : c.model);
    TRY(c.time = RH_TIME_FREE);
    TRY(c.walkers -= c.walkers > 0 && c.actors + c.walkers > 1);
    TRY(c.actors -= c.actors > 0 && c.actors + c.walkers > 1);
    for (uint32_t f = 0; f < F_COUNT; f++)
        if (p->has >> f & 1 && !(p->off >> f & 1))
            TRY(c.off |= (uint64_t)1 << f);
    for (uint32_t f = 0; f < F_COUNT; f++)
        if (p->off >> f & 1)
            TRY((c.off &= ~((uint64_t)1 << f), c.has &= ~((uint64_t)1 << f)));
    for (uint32_t i = 0; i < p->cut_count; i++)
        TRY((c.cut_count--, memmove(c.cut + i, c.cut + i + 1, (c.cut_count - i) * sizeof *c.cut)));
#undef TRY
    return better;
}

static bool is_cut(const struct features *p, uint32_t decision)
{
    for (uint32_t i = 0; i < p->cut_count; i++)
        if (p->cut[i] == decision)
            return true;
    return false;
}

static bool cut_decisions(struct features *p, struct difference *d, uint32_t largest)
{
    static uint32_t list[MOST_DECISIONS];
    bool better = false;
    struct difference again;
    decisions = rh_shared_new(sizeof *decisions);
    assert_non_null(decisions);
    differ(&again, p, largest);
    uint32_t count = decisions->count;
    memcpy(list, decisions->list, count * sizeof *list);
    rh_shared_free(decisions, sizeof *decisions);
    decisions = NULL;
    for (uint32_t i = 0; i < count && p->cut_count < MOST_CUTS; i++) {
        struct features c = *p;
        uint64_t runs = d->all_runs;
        if (is_cut(p, list[i]))
            continue;
        c.cut[c.cut_count++] = list[i];
        if (accept(p, d, &c, largest)) {
            better = true;
            if (d->all_runs == runs && count > 200)
                p->cut_count--; /* it does not matter */
        }
    }
    return better;
}

static void minimise(struct features *p, struct difference *d, uint32_t largest)
{
    for (int round = 0; round < 6; round++) {
        bool better = minimise_round(p, d, largest);
        better |= cut_decisions(p, d, largest);
        if (!better)
            break;
    }
}

/* ---- telling ------------------------------------------------------------------------------------------------------------------- */

static void show_runs(const char *explorer, uint64_t behaviour, uint64_t outcome, uint32_t most, bool given_up)
{
    struct notes *n = notes_new();
    show.on = !given_up;
    show.given_up = given_up;
    show.behaviour = behaviour;
    show.outcome = outcome;
    show.most = most;
    program_talks = true;
    take_notes(n, explorer, 1 << 17);
    program_talks = show.on = show.given_up = false;
    notes_free(n);
}

static void tell(const struct features *p, const struct difference *d)
{
    char text[2048];
    features_write(p, text, sizeof text);
    fprintf(stderr,
            "  %llu runs of dfs, %u behaviours, %u findings; %llu runs of optimal:", (unsigned long long)d->all_runs,
            d->behaviours, d->findings, (unsigned long long)d->runs);
    for (int i = 0; i < D_COUNT; i++)
        if (d->count[i])
            fprintf(stderr, " %llu %s", (unsigned long long)d->count[i], difference_names[i]);
    fprintf(stderr, "%s\n  again: REHEARSE_PROGRAM='%s' explore_optimal\n", d->any ? "" : " the same", text);
}

static void tell_runs(const struct features *p, const struct difference *d)
{
    program = *p;
    if (getenv("REHEARSE_ALL")) {
        show.all = true;
        show_runs("noting:optimal:private-globals", 0, 0, 1000, false);
        show.all = false;
    }
    if (d->count[D_SPLIT]) {
        struct noted one = d->example[D_SPLIT];
        fprintf(stderr, " one behaviour with two outcomes (dfs):\n");
        show_runs("noting:dfs", one.behaviour, one.outcome, 1, false);
        show.not_this = true;
        show_runs("noting:dfs", one.behaviour, one.outcome, 1, false);
        show.not_this = false;
    }
    if (d->count[D_CUT]) {
        show.cut = true;
        show_runs("noting:optimal:private-globals", 0, 0, 1, false);
        show.cut = false;
    }
    if (d->count[D_MISSING]) {
        fprintf(stderr, " missing:\n");
        show_runs("noting:dfs", d->example[D_MISSING].behaviour, 0, 1, false);
    }
    if (d->count[D_DPOR]) {
        fprintf(stderr, " missing with dpor:\n");
        show_runs("noting:dfs", d->example[D_DPOR].behaviour, d->example[D_DPOR].outcome, 1, false);
    }
    if (d->count[D_IMPOSSIBLE]) {
        fprintf(stderr, " impossible:\n");
        show_runs("noting:optimal:private-globals", d->example[D_IMPOSSIBLE].behaviour, 0, 1, false);
    }
    if (d->count[D_TWICE]) {
        fprintf(stderr, " twice:\n");
        show_runs("noting:optimal:private-globals", d->example[D_TWICE].behaviour, 0, 2, false);
    }
    if (d->count[D_OTHER]) {
        fprintf(stderr, " another outcome (optimal, then dfs):\n");
        show_runs("noting:optimal:private-globals", d->example[D_OTHER].behaviour, 0, 1, false);
        show_runs("noting:dfs", d->example[D_OTHER].behaviour, 0, 1, false);
    }
    if (d->count[D_GIVEN_UP])
        show_runs("noting:optimal:private-globals", 0, 0, 1, true);
    if (d->count[D_NOT_FOUND]) {
        fprintf(stderr, " a finding that is not found:\n");
        show_runs("noting:dfs", 0, d->example[D_NOT_FOUND].outcome, 1, false);
    }
    if (d->count[D_INVENTED]) {
        fprintf(stderr, " a finding that is not there:\n");
        show_runs("noting:optimal:private-globals", 0, d->example[D_INVENTED].outcome, 1, false);
    }
}

#endif
