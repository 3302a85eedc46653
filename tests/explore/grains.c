/* Granularity object is finer than whole handlers: every outcome with whole handlers is one with object, too, except
 * where docs/guarantees.md says that object has other rules.
 *
 *   REHEARSE_PROGRAM, REHEARSE_FIRST, REHEARSE_PROGRAMS, REHEARSE_LARGEST, REHEARSE_BRIEF as in optimal.c */
#include "explore/support/oracle.h"
#include "support/few.h"

static struct notes *coarse, *fine;

static int by_outcome(const void *a, const void *b)
{
    const struct noted *x = a, *y = b;
    return (x->outcome > y->outcome) - (x->outcome < y->outcome);
}

static void notes_of(struct notes *n, const char *explorer, uint32_t grain, uint32_t largest)
{
    program.grain = grain;
    take_notes(n, explorer, largest);
    qsort(n->end, n->ended, sizeof *n->end, by_outcome);
    distinct(n->finding, n->broken);
}

struct lack {
    bool too_large;
    uint32_t outcomes, lacking;
    uint64_t example; /* an outcome, or a finding */
};

static void lacks(struct lack *d, const struct features *p, uint32_t largest)
{
    *d = (struct lack){ 0 };
    program = *p;
    notes_of(coarse, "noting:dfs", RH_GRAIN_HANDLER, largest);
    d->too_large = !coarse->complete || coarse->cut;
    if (d->too_large)
        return;
    notes_of(fine, "noting:optimal:private-globals", RH_GRAIN_OBJECT, 2 * largest);
    d->too_large = !fine->complete || fine->cut;
    if (d->too_large)
        return;
    for (uint32_t i = 0; i < coarse->ended; i++) {
        if (i && coarse->end[i].outcome == coarse->end[i - 1].outcome)
            continue;
        d->outcomes++;
        if (bsearch(&coarse->end[i], fine->end, fine->ended, sizeof *fine->end, by_outcome))
            continue;
        d->lacking++;
        d->example = coarse->end[i].outcome;
    }
    for (uint32_t i = 0; i < coarse->broken; i++) {
        if (i && coarse->finding[i] == coarse->finding[i - 1])
            continue;
        d->outcomes++;
        if (bsearch(&coarse->finding[i], fine->finding, fine->broken, sizeof *fine->finding, by_number))
            continue;
        d->lacking++;
        d->example = coarse->finding[i];
    }
}

static bool accepts(struct features *p, struct lack *d, const struct features *candidate, uint32_t largest)
{
    struct lack c;
    lacks(&c, candidate, largest);
    if (c.too_large || !c.lacking || c.outcomes > d->outcomes)
        return false;
    *p = *candidate;
    *d = c;
    return true;
}

static void make_smaller(struct features *p, struct lack *d, uint32_t largest)
{
    bool better = true;
    for (int round = 0; better && round < 5; round++) {
        struct features c;
        better = false;
#define TRY(change)                                                                                                    \
    do {                                                                                                               \
        c = *p;                                                                                                        \
        change;                                                                                                        \
        better |= memcmp(&c, p, sizeof c) && accepts(p, d, &c, largest);                                               \
    } while (0)
        TRY(c.losses = 0);
        TRY(c.duplicates = 0);
        TRY(c.crashes = c.restarts = c.kept = 0);
        TRY(c.kept = 0);
        TRY(c.starts -= c.starts > 0);
        TRY(c.ttl -= c.ttl > 1);
        TRY(c.time = RH_TIME_FREE);
        TRY(c.walkers -= c.walkers > 0 && c.actors + c.walkers > 1);
        TRY(c.actors -= c.actors > 0 && c.actors + c.walkers > 1);
        for (uint32_t f = 0; f < F_COUNT; f++)
            if (p->has >> f & 1 && !(p->off >> f & 1))
                TRY(c.off |= (uint64_t)1 << f);
#undef TRY
        static uint32_t list[MOST_DECISIONS];
        struct lack again;
        decisions = rh_shared_new(sizeof *decisions);
        assert_non_null(decisions);
        lacks(&again, p, largest);
        uint32_t count = decisions->count;
        memcpy(list, decisions->list, count * sizeof *list);
        rh_shared_free(decisions, sizeof *decisions);
        decisions = NULL;
        for (uint32_t i = 0; i < count && p->cut_count < MOST_CUTS; i++) {
            c = *p;
            for (uint32_t k = 0; k < p->cut_count; k++)
                if (p->cut[k] == list[i])
                    c.cut_count = MOST_CUTS;
            if (c.cut_count == MOST_CUTS)
                continue;
            c.cut[c.cut_count++] = list[i];
            better |= accepts(p, d, &c, largest);
        }
    }
}

static void tell_lack(const struct features *p, const struct lack *d)
{
    char text[2048];
    features_write(p, text, sizeof text);
    fprintf(stderr, "  %u of %u outcomes are missing with object; again: REHEARSE_PROGRAM='%s' explore_grains\n",
            d->lacking, d->outcomes, text);
    if (getenv("REHEARSE_BRIEF"))
        return;
    program = *p;
    program.grain = RH_GRAIN_HANDLER;
    struct notes *n = notes_new();
    show = (struct shown){ .on = true, .all = false, .most = 1, .outcome = d->example };
    program_talks = true;
    for (uint32_t i = 0; i < coarse->ended; i++)
        if (coarse->end[i].outcome == d->example)
            show.behaviour = coarse->end[i].behaviour;
    take_notes(n, "noting:dfs", 1 << 17);
    if (getenv("REHEARSE_ALL")) {
        program.grain = RH_GRAIN_OBJECT;
        show = (struct shown){ .on = true, .all = true, .most = 50 };
        take_notes(n, "noting:optimal:private-globals", 1 << 17);
    }
    program_talks = show.on = false;
    notes_free(n);
}

static uint64_t set_of(enum feature f)
{
    return (uint64_t)1 << f;
}

/* What has other rules with object (docs/guarantees.md, "Granularity object"). */
static void leave_out_other_rules(struct features *p)
{
    const uint64_t timed = set_of(F_WITHIN) | set_of(F_TIMEOUT) | set_of(F_POLL) | set_of(F_JOIN);
    if (p->time == RH_TIME_ORDERED)
        p->has &= ~set_of(F_TIMER); /* of equal deadlines of one actor, the first one that was set comes first */
    else
        p->has &= ~(set_of(F_NOW) | set_of(F_LATE)); /* there is no shared clock */
    p->has &= ~set_of(F_TRAP);                       /* the place of an exit signal among messages */
    if (p->model == RH_CAUSAL && p->losses)
        p->duplicates = 0; /* the first of two copies is not lost */
    if (p->crashes && (p->restarts || p->kept))
        p->has &= ~set_of(F_KILL); /* it waits for the restart */
    /* News of ends: at an actor that crashes, before a wait of the one who asked, in the order of its own messages. */
    if (p->crashes)
        p->has &= ~set_of(F_BIRTH);
    if (p->crashes || p->has & timed || p->model != RH_BAG)
        p->has &= ~(set_of(F_MONITOR) | set_of(F_JOIN));
    if (p->has & timed)
        p->has &= ~set_of(F_LINK);
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void what_whole_handlers_do_is_done_by_object(void **unused)
{
    (void)unused;
    static void (*const make[])(struct features *, uint64_t) = { features_make, features_make_linked,
                                                                 features_make_crowd, features_make_scarce };
    uint64_t first = number_from("REHEARSE_FIRST", 0),
             programs = number_from("REHEARSE_PROGRAMS", MANY_OR_FEW(300, 60));
    uint32_t largest = (uint32_t)number_from("REHEARSE_LARGEST", 4000), compared = 0, different = 0, outcomes = 0;
    const char *one = getenv("REHEARSE_PROGRAM");
    coarse = notes_new();
    fine = notes_new();
    for (uint64_t seed = first; seed < first + (one ? 1 : programs); seed++) {
        struct features p;
        struct lack d;
        if (one)
            assert_true(features_read(&p, one));
        else
            make[seed / 4 % 4](&p, seed);
        if (!one)
            leave_out_other_rules(&p);
        do
            lacks(&d, &p, largest);
        while (d.too_large && features_shrink(&p));
        if (d.too_large)
            continue;
        compared++;
        outcomes += d.outcomes;
        different += d.lacking > 0;
        if (d.lacking) {
            fprintf(stderr, "program %llu: %u of %u\n", (unsigned long long)seed, d.lacking, d.outcomes);
            if (!one || getenv("REHEARSE_MINIMISE"))
                make_smaller(&p, &d, largest);
            tell_lack(&p, &d);
        }
    }
    print_message("%u programs, %u outcomes, %u programs lack some\n", compared, outcomes, different);
    assert_int_equal(different, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(what_whole_handlers_do_is_done_by_object) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
