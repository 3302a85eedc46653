#include "explore/support/conform.h"

#include <rehearse/test.h>

#include "explore/explorers.h"
#include "support/few.h"

/* Three external senders and one receiver: 6 sequences, 6 distinct runs.  Two of the sequences fail at their second
 * message: by a crash, or by an assertion that leaves the process alive. */
enum { RUNS = 40, SEQUENCES = 6, STATE_ENDS = 3 /* of the door: who was first */ };

RH_MESSAGE(knock, int from;);
RH_ACTOR(door, bool fails; bool crashes; int count; int first;);
RH_HANDLER(door, knock)
{
    state->first = state->count ? state->first : msg->from;
    bool bad = state->fails && ++state->count == 2 && (state->first + 1) % 3 == msg->from && state->first != 1;
    state->count += !state->fails;
    if (bad && state->crashes)
        __builtin_trap();
    rh_assert(!bad, "a bad order");
}
RH_BEHAVIOUR(door, closed, knock);

static void knock_three_times(bool fails, bool crashes)
{
    rh_ref d = rh_spawn(door, .fails = fails, .crashes = crashes);
    rh_send_from(rh_external("a"), d, knock, .from = 0);
    rh_send_from(rh_external("b"), d, knock, .from = 1);
    rh_send_from(rh_external("c"), d, knock, .from = 2);
}
RH_TEST(knocks)
{
    knock_three_times(false, false);
}
RH_TEST(knocks_that_fail)
{
    knock_three_times(true, false);
}
RH_TEST(knocks_that_crash)
{
    knock_three_times(true, true);
}

/* ---- explorations ------------------------------------------------------------------------------------------------ */

static void fill(const char *expression, const char *with, char *text, size_t size)
{
    const char *at = strstr(expression, "%s");
    assert_non_null(at);
    snprintf(text, size, "%.*s%s%s", (int)(at - expression), expression, with, at + 2);
}

void conform_expression(const struct subject *s, const char *wrap, char *text, size_t size)
{
    char inside[256];
    fill(wrap, s->explorer, inside, sizeof inside);
    fill(s->around->text, inside, text, size);
}

/* Of one exploration; `record` is the caller's. */
struct totals {
    struct record *record;
    uint64_t runs, failed, cut, steps, distinct, abandoned;
    uint32_t findings;
    bool diverged, exhausted;
    enum rh_verdict verdict;
    char notes[256];
};

static struct totals explore(const char *test, const char *expression, const struct rh__limits *limits)
{
    char text[600], error[512];
    struct totals t = { .record = record_new() };
    snprintf(text, sizeof text, "spy(%s)", expression);
    struct rh_semantics s = { .granularity =
                                  rh__explorer_needs_object_granularity(text) ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER };
    struct rh_world *w = world_of(test, &s, NULL, 0);
    spied = t.record;
    struct rh_exploration *x = rh__exploration_new(w, text, 7, limits, error, sizeof error);
    if (!x)
        fail_msg("%s: %s", text, error);
    assert_true(rh__explore(x));
    const struct rh__counts *c = &x->results->count;
    t.runs = c->runs;
    t.failed = c->failed;
    t.cut = c->cut;
    t.steps = c->steps;
    t.distinct = x->results->distinct.count;
    t.abandoned = x->end.abandoned;
    t.findings = x->results->finding_count;
    t.diverged = x->results->diverged;
    t.exhausted = x->end.exhausted;
    t.verdict = rh__exploration_verdict(x);
    rh_inner_notes(&x->explorer, t.notes, sizeof t.notes);
    rh__exploration_free(x);
    rh_world_free(w);
    return t;
}

static const struct rh__limits usual = { .max_runs = RUNS, .keep_going = true };

static struct totals explore_subject(const char *test, const struct subject *s, const char *wrap)
{
    char text[512];
    conform_expression(s, wrap, text, sizeof text);
    return explore(test, text, &usual);
}

/* The same runs in the same order, with the same totals. */
static bool same_runs(const struct totals *a, const struct totals *b)
{
    return a->runs == b->runs && a->failed == b->failed && a->cut == b->cut && a->steps == b->steps &&
           a->distinct == b->distinct && a->findings == b->findings && a->record->count == b->record->count &&
           !memcmp(a->record->sequence, b->record->sequence, a->record->count * sizeof *a->record->sequence);
}

/* The same distinct runs and the same verdict; of an explorer that is no reduction also each sequence as often. */
static bool same_set(const struct totals *a, const struct totals *b, bool each_sequence)
{
    uint64_t one[RUNS], other[RUNS];
    bool same = a->distinct == b->distinct && a->verdict == b->verdict && a->findings == b->findings;
    if (!same || !each_sequence)
        return same;
    if (a->record->count != b->record->count || a->record->count > RUNS)
        return false;
    size_t size = a->record->count * sizeof *one;
    distinct(memcpy(one, a->record->sequence, size), a->record->count);
    distinct(memcpy(other, b->record->sequence, size), b->record->count);
    return !memcmp(one, other, size);
}

/* ---- runs and verdicts ------------------------------------------------------------------------------------------- */

/* All distinct runs are there; of an explorer that matches states, one for each state at the end. */
static bool has_all(const struct subject *s, const struct totals *t)
{
    return rh__explorer_matches_states(s->explorer) ? t->distinct >= STATE_ENDS : t->distinct == SEQUENCES;
}

const char *same_seed_same_runs(const struct subject *s)
{
    struct totals a = explore_subject("knocks", s, "%s"), b = explore_subject("knocks", s, "%s");
    bool same = same_runs(&a, &b);
    record_free(a.record);
    record_free(b.record);
    assert_true(a.runs > 0);
    return same ? NULL : "the same seed gave other runs";
}

const char *verdict_holds(const struct subject *s)
{
    struct totals t = explore_subject("knocks", s, "%s");
    record_free(t.record);
    return t.verdict == RH_VERDICT_EXHAUSTIVE && !has_all(s, &t) ? "exhaustive, and runs are missing" : NULL;
}

const char *limits_hold(const struct subject *s)
{
    char text[512];
    conform_expression(s, "%s", text, sizeof text);
    for (uint64_t most = 1; most <= SEQUENCES; most += most) {
        struct rh__limits runs = { .max_runs = most, .keep_going = true };
        struct rh__limits steps = { .max_all_steps = most, .max_runs = RUNS, .keep_going = true };
        struct totals r = explore("knocks", text, &runs), t = explore("knocks", text, &steps);
        uint64_t last = t.record->events[t.record->count - 1] - 1;
        record_free(r.record);
        record_free(t.record);
        if (r.runs > most)
            return "more runs than the limit";
        if (t.steps >= most + last)
            return "a run began after the limit of steps";
        if ((!has_all(s, &r) && r.verdict == RH_VERDICT_EXHAUSTIVE) ||
            (!has_all(s, &t) && t.verdict == RH_VERDICT_EXHAUSTIVE))
            return "exhaustive, and a limit ended the search";
    }
    struct rh__limits first = { .max_runs = RUNS };
    struct totals f = explore("knocks_that_crash", text, &first);
    record_free(f.record);
    return f.failed > 1 || f.findings != f.failed ? "the search did not end at the first finding" : NULL;
}

/* ---- work that is given away ------------------------------------------------------------------------------------- */

static struct rh_world *world_for(const char *text)
{
    struct rh_semantics semantics = { .granularity = rh__explorer_needs_object_granularity(text) ? RH_GRAIN_OBJECT
                                                                                                 : RH_GRAIN_HANDLER };
    return world_of("knocks", &semantics, NULL, 0);
}

/* If it can share: the first item is one like any other. */
const char *starts_without_work(const struct subject *s)
{
    static unsigned char item[1 << 16];
    char text[512], error[512];
    conform_expression(s, "%s", text, sizeof text);
    struct rh_world *w = world_for(text);
    struct rh_exploration *x = rh__exploration_new(w, text, 1, &usual, error, sizeof error);
    assert_non_null(x);
    const struct rh_inner *e = &x->explorer;
    const char *wrong = NULL;
    size_t size;
    if (!rh_inner_can_share(e))
        wrong = rh_inner_pack(e, item, sizeof item, false) ? "it cannot share, and gives work away" : NULL;
    else if (rh_inner_begin(e, w) || rh_inner_pack(e, item, sizeof item, false))
        wrong = "it has work before its first item";
    else if (!rh_inner_unpack_root(e, w))
        wrong = "the root item is refused";
    else if (!(size = rh_inner_pack(e, item, sizeof item, false)) || rh_inner_begin(e, w))
        wrong = "the root item cannot be given away";
    else if (!rh_inner_unpack(e, w, item, size) || !rh_inner_begin(e, w))
        wrong = "the root item does not come back";
    rh__exploration_free(x);
    rh_world_free(w);
    return wrong;
}

/* What is packed is gone, and comes back by unpacking. */
const char *packed_work_is_gone(const struct subject *s)
{
    static unsigned char item[1 << 16];
    char text[512];
    conform_expression(s, "%s", text, sizeof text);
    struct rh_world *w = world_for(text);
    struct rh_exploration *x = explored(w, text, 1, 2);
    const struct rh_inner *e = &x->explorer;
    const char *wrong = NULL;
    size_t size = rh_inner_can_share(e) ? rh_inner_pack(e, item, sizeof item, false) : 0;
    if (size && rh_inner_begin(e, w))
        wrong = "work that was given away is still there";
    else if (size && !rh_inner_unpack(e, w, item, size))
        wrong = "its own item is refused";
    else if (size && !rh_inner_pack(e, item, sizeof item, false))
        wrong = "unpacked work cannot be packed again";
    rh__exploration_free(x);
    rh_world_free(w);
    return wrong;
}

/* Between any two runs.  All of the work: the same runs follow, unless several explorers take turns.  Half of it: all
 * distinct runs are made in the end, if they were without the move. */
const char *moved_work_gives_the_same_runs(const struct subject *s)
{
    char text[512], moved_text[600];
    bool reduces = rh__explorer_is_reduction(s->explorer);
    const char *wrong = NULL;
    conform_expression(s, "%s", text, sizeof text);
    snprintf(moved_text, sizeof moved_text, "relay(%s)", text);
    struct totals still = explore("knocks_that_crash", text, &usual);
    bool all = still.verdict == RH_VERDICT_EXHAUSTIVE;
    for (uint32_t i = 0; i < 2 * (SEQUENCES + 1) && !wrong; i += MANY_OR_FEW(1, 3)) {
        heard_clear();
        relay_at = i / 2;
        relay_half = i % 2;
        struct totals moved = explore("knocks_that_crash", moved_text, &usual);
        wrong = heard->wrong;
        if (!relay_half && s->around->same && !same_runs(&still, &moved))
            wrong = "the work was moved, and the runs are others";
        if (all && !same_set(&still, &moved, s->around->same && !reduces))
            wrong = wrong ? wrong : "a part of the work was moved, and the runs are others";
        record_free(moved.record);
        if (!relay_half && !heard->again)
            break; /* the explorer shares no work, or none is left */
    }
    relay_at = RELAY_NEVER;
    record_free(still.record);
    return wrong;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* A crash ends a run as a failed assertion does: the explorer is told, and goes on.  Without decorators the runs are
 * the same. */
const char *a_crash_is_a_run(const struct subject *s)
{
    static const struct around nothing = { "%s", true, true };
    uint64_t least = rh__explorer_matches_states(s->explorer) ? STATE_ENDS : SEQUENCES;
    struct subject bare = { &nothing, s->explorer };
    heard_clear();
    struct totals crash = explore_subject("knocks_that_crash", s, "told(%s)");
    const char *wrong = heard->wrong;
    if (s->around->same && (heard->ends != crash.runs || heard->failed != crash.failed))
        wrong = "the explorer was not told of all runs";
    if (crash.record->count != crash.runs || crash.record->failed != crash.failed)
        wrong = "the decorator was not told of all runs";
    if (crash.findings != (crash.failed > 0))
        wrong = "a finding is missing, or is there twice";
    if (crash.verdict == RH_VERDICT_EXHAUSTIVE && crash.distinct < least)
        wrong = "exhaustive, and runs are missing after a crash";
    heard_clear();
    struct totals assertion = explore_subject("knocks_that_fail", s, "told(%s)");
    struct totals again = explore_subject("knocks_that_crash", s, "%s");
    struct totals alone = explore_subject("knocks_that_crash", &bare, "%s");
    if (!same_runs(&crash, &assertion))
        wrong = "after a crash other runs follow than after a failed assertion";
    if (s->around->same && !same_runs(&again, &alone))
        wrong = "the decorator changes the runs of a program that crashes";
    record_free(crash.record);
    record_free(assertion.record);
    record_free(again.record);
    record_free(alone.record);
    return wrong;
}

/* begin, the choices behind the events that begin keeps, end or RH_ABANDON.  Kept events are asked about again only
 * inside of decorators that do not pass `keep` on. */
const char *calls_come_in_order(const struct subject *s)
{
    heard_clear();
    struct totals t = explore_subject("knocks", s, "told(%s)");
    record_free(t.record);
    if (heard->wrong)
        return heard->wrong;
    if (s->around->same && heard->ends != t.runs)
        return "the explorer was not told of all runs";
    return s->around->keeps && heard->again ? "choose was asked about an event that begin keeps" : NULL;
}

/* ---- of decorators ----------------------------------------------------------------------------------------------- */

/* The run is not counted, end is not called, and begin is next. */
const char *abandoned_runs_do_not_count(const struct subject *s)
{
    struct subject quits = { s->around, "quitter" };
    heard_clear();
    struct totals t = explore_subject("knocks", &quits, "told(%s)");
    uint32_t told = t.record->count;
    record_free(t.record);
    if (heard->wrong)
        return heard->wrong;
    if (!heard->abandoned || heard->abandoned != t.abandoned)
        return "the engine was not told that a run was abandoned";
    if (told != t.runs || (s->around->same && (t.runs != 5 || heard->ends != 5)))
        return "an abandoned run was counted";
    return t.cut ? "an abandoned run was counted as cut" : NULL;
}

const char *answers_come_through(const struct subject *s)
{
    struct subject speaks = { s->around, "witness" };
    struct totals t = explore_subject("knocks", &speaks, "%s");
    record_free(t.record);
    if (!strstr(t.notes, "the witness speaks"))
        return "the notes of the explorer inside are missing";
    if (!t.diverged)
        return "the divergence that the explorer inside saw is missing";
    return t.verdict != RH_VERDICT_SAMPLED ? "the program diverged, and the verdict is more than sampled" : NULL;
}
