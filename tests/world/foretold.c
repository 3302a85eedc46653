/* Foretold fingerprints (world/foretell.h) against steps, over programs that forget (support/automata.h): every model,
 * granularity, time and fault.  In every reachable state, every open choice is foretold and made.  The states are
 * those of a search that makes every step; and where one choice is enough, following it alone reaches the same ends. */
#include "world/support/driver.h"

#include "support/few.h"
#include "support/generated.h"
#include "world/foretell.h"
#include "world/state.h"
#include "world/support/automata.h"

enum { SLOTS = 1 << 15, MOST_STATES = 1500, MOST_OPEN = 256 };

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

struct set {
    uint32_t count;
    struct rh_fingerprint at[SLOTS];
};

static bool add(struct set *s, struct rh_fingerprint f)
{
    uint32_t i = (uint32_t)(f.low % SLOTS);
    while ((s->at[i].high | s->at[i].low) && (s->at[i].high != f.high || s->at[i].low != f.low))
        i = (i + 1) % SLOTS;
    if (s->at[i].high | s->at[i].low)
        return false;
    s->at[i] = f;
    s->count++;
    return true;
}

static bool is_same_set(const struct set *a, const struct set *b)
{
    static struct set both;
    both = *a;
    for (uint32_t i = 0; i < SLOTS; i++)
        if ((b->at[i].high | b->at[i].low) && add(&both, b->at[i]))
            return false;
    return a->count == b->count;
}

static struct search {
    struct rh__foretelling *f;
    bool reduces;
    struct set states, ends;
    uint64_t steps, foretold, alone;
    bool whole;
    char wrong[256];
} full, reduced;

/* An end as a fingerprint: of its state, or of what went wrong. */
static struct rh_fingerprint end_of(struct rh_world *w)
{
    const struct rh_outcome *o = rh_world_outcome(w);
    if (!rh_outcome_failed(o->kind))
        return rh_world_fingerprint_wide(w);
    uint64_t h = (uint64_t)o->kind + 1;
    for (const char *c = o->text; *c; c++)
        h = h * 0x100000001b3u ^ (uint8_t)*c;
    return (struct rh_fingerprint){ generated_random(&h), 77 };
}

static void visit(struct search *s, struct rh_world *w)
{
    struct rh_choice open[MOST_OPEN];
    struct rh_fingerprint told[MOST_OPEN];
    uint32_t count;
    if (!add(&s->states, rh_world_fingerprint_wide(w)))
        return;
    const struct rh_choice *choices = rh_world_enabled(w, &count);
    s->whole &= count <= MOST_OPEN && s->states.count < MOST_STATES;
    if (!s->whole)
        return;
    if (!count)
        add(&s->ends, end_of(w));
    memcpy(open, choices, count * sizeof *open);
    rh__foretell(s->f, w, open, count, told);
    uint32_t enough = s->reduces ? rh__foretold_enough(s->f, w, open, count) : RH_NONE;
    s->alone += enough != RH_NONE && count > 1;
    for (uint32_t i = 0; i < count && s->whole && !s->wrong[0]; i++) {
        if (enough != RH_NONE && i != enough)
            continue;
        bool known = told[i].high | told[i].low;
        rh__foretell_nothing(s->f);
        if (!known)
            rh__foretell_before(s->f, w, &open[i]);
        assert_true(rh_world_step(w, &open[i]));
        s->steps++;
        s->foretold += known;
        struct rh_fingerprint f = rh_world_fingerprint_wide(w);
        if (known && (f.high != told[i].high || f.low != told[i].low))
            snprintf(s->wrong, sizeof s->wrong, "a choice of kind %u of actor %u, after %u states", open[i].kind,
                     open[i].actor, s->states.count);
        if (w->over) {
            add(&s->ends, end_of(w));
            if (known)
                snprintf(s->wrong, sizeof s->wrong, "a step was foretold that fails");
        } else {
            if (!known)
                rh__foretell_after(s->f, w);
            visit(s, w);
        }
        rh_world_undo(w);
    }
}

/* From the beginning, again if fingerprints come to mean something else.  True if exit signals or global variables have
 * spoilt a reduced search. */
static bool search(struct search *s, bool reduces)
{
    struct rh_world *w = open_test("automata", &automata.semantics);
    struct rh__foretelling *f = s->f ? s->f : malloc(rh__foretelling_size());
    uint32_t meaning;
    do {
        assert_non_null(f);
        *s = (struct search){ .f = f, .reduces = reduces, .whole = true };
        rh__foretelling_clear(f);
        meaning = rh_world_fingerprint_meaning(w);
        visit(s, w);
        rh_world_reset(w);
    } while (s->whole && meaning != rh_world_fingerprint_meaning(w));
    bool spoilt = rh__is_enough_spoilt(w);
    rh_world_free(w);
    return spoilt;
}

static void report(const char *what)
{
    char text[1024];
    automata_write(&automata, text, sizeof text);
    fail_msg("%s: %s", text, what);
}

struct sum {
    uint64_t programs, states, steps, foretold, reductions, alone;
};

/* With another granularity nothing is foretold. */
static void compare(struct sum *sum, uint64_t seed, bool mailbox)
{
    automata_make(&automata, seed);
    if (seed % 8)
        automata.semantics.granularity = RH_GRAIN_HANDLER;
    if (mailbox) {
        automata.semantics.model = RH_MAILBOX;
        automata.semantics.granularity = RH_GRAIN_HANDLER;
        automata.semantics.losses = automata.semantics.duplicates = automata.semantics.crashes = 0;
        automata.semantics.partitions = automata.semantics.delays = automata.semantics.restarts = 0;
        automata.semantics.kept_restarts = 0;
    }
    bool spoilt;
    do
        spoilt = search(&full, false);
    while (!full.whole && !full.wrong[0] && automata_shrink(&automata));
    if (full.wrong[0])
        report(full.wrong);
    sum->programs += full.whole;
    sum->states += full.states.count;
    sum->steps += full.steps;
    sum->foretold += full.foretold;
    if (!full.whole)
        return;
    bool spoilt_too = search(&reduced, true);
    if (reduced.wrong[0])
        report(reduced.wrong);
    if (spoilt != spoilt_too)
        report("the reduced search does not notice exit signals or global variables");
    if (spoilt)
        return;
    if (!is_same_set(&full.ends, &reduced.ends))
        report("the reduced search has other ends");
    sum->reductions += reduced.alone != 0;
    sum->alone += reduced.alone;
}

static void print(const struct sum *sum)
{
    print_message(
        "%llu programs, %llu states, %llu steps, %llu of them foretold; %llu programs reduced, in %llu states\n",
        (unsigned long long)sum->programs, (unsigned long long)sum->states, (unsigned long long)sum->steps,
        (unsigned long long)sum->foretold, (unsigned long long)sum->reductions, (unsigned long long)sum->alone);
}

/* REHEARSE_FIRST and REHEARSE_PROGRAMS: other seeds, and more of them. */
static void steps_are_as_foretold(void **unused)
{
    (void)unused;
    struct sum sum = { 0 };
    uint64_t first = from_environment("REHEARSE_FIRST", 1);
    uint64_t last = first + from_environment("REHEARSE_PROGRAMS", MANY_OR_FEW(120, 24));
    for (uint64_t seed = first; seed < last; seed++)
        compare(&sum, seed, false);
    print(&sum);
    assert_true(sum.programs > (last - first) / 2 && sum.foretold > 20 * sum.programs);
}

static void one_choice_is_enough_for_all_ends(void **unused)
{
    (void)unused;
    struct sum sum = { 0 };
    uint64_t first = from_environment("REHEARSE_FIRST", 1);
    uint64_t last = first + from_environment("REHEARSE_PROGRAMS", MANY_OR_FEW(120, 24));
    for (uint64_t seed = first; seed < last; seed++)
        compare(&sum, seed, true);
    print(&sum);
    assert_true(sum.reductions > sum.programs / 10);
}

/* The time that is left of a timer that a handler cancels; whether there is an external sender of some name. */
static void programs_that_were_once_wrong(void **unused)
{
    (void)unused;
    static const uint64_t seeds[] = { 34, 5133 };
    struct sum sum = { 0 };
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        for (uint32_t mailbox = 0; mailbox < 2; mailbox++)
            compare(&sum, seeds[i], mailbox);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(programs_that_were_once_wrong),
        WORLD_TEST(steps_are_as_foretold),
        WORLD_TEST(one_choice_is_enough_for_all_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
