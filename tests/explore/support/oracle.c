#include "explore/support/oracle.h"

/* ---- differences ------------------------------------------------------------------------------------------------- */

const char *const difference_names[D_COUNT] = {
#define D_X(name, text) text,
    DIFFERENCES(D_X)
#undef D_X
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

static struct notes *all, *got;

/* All runs, by dfs; false where there are too many. */
static bool take_all(struct difference *d, const struct features *p, uint32_t largest)
{
    if (!all) {
        all = notes_new();
        got = notes_new();
    }
    program = *p;
    *d = (struct difference){ 0 };
    take_notes(all, "noting:dfs", largest);
    d->all_runs = all->runs;
    d->unexplained = all->unexplained;
    d->too_large = !all->complete || all->cut;
    if (!d->too_large)
        settle(all);
    return !d->too_large;
}

void differ_with_dpor(struct difference *d, const struct features *p, uint32_t largest)
{
    if (!take_all(d, p, largest))
        return;
    for (uint32_t i = 0; i < all->ended; i++) {
        bool again = i && all->end[i].behaviour == all->end[i - 1].behaviour;
        d->behaviours += !again;
        note_difference(d, D_SPLIT, again, all->end[i]);
    }
    compare_with_dpor(all, got, d);
    d->runs = got->runs;
}

void differ(struct difference *d, const struct features *p, uint32_t largest)
{
    struct noted none = { 0, 0 };
    if (p->still) {
        differ_with_dpor(d, p, largest);
        return;
    }
    if (!take_all(d, p, largest))
        return;
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
    if (p->time == RH_TIME_ORDERED) {
        struct features without = *p;
        struct difference also;
        without.still = 1;
        differ_with_dpor(&also, &without, largest);
        note_difference(d, D_STILL, also.any, none);
    }
}

/* ---- making it smaller ------------------------------------------------------------------------------------------- */

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

void minimise(struct features *p, struct difference *d, uint32_t largest)
{
    for (int round = 0; round < 6; round++) {
        bool better = minimise_round(p, d, largest);
        better |= cut_decisions(p, d, largest);
        if (!better)
            break;
    }
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

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

void tell(const struct features *p, const struct difference *d)
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

void tell_runs(const struct features *p, const struct difference *d)
{
    program = *p;
    if (getenv("REHEARSE_ALL")) {
        show.all = true;
        show_runs(strcmp(getenv("REHEARSE_ALL"), "dpor") == 0 ? "noting:dpor" : "noting:optimal:private-globals", 0, 0,
                  1000, false);
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
