/* preempt against an enumerator that shares nothing with it, over generated programs of processes with every operation:
 * sends, selective receives, time limits, links, monitors, exits, kills, names, tables, spawning, yields.
 *
 *   to exhaustion   the outcomes of every sequence of choices, those of dpor, and of optimal where it does not refuse
 *   at bound c      exactly the sequences with at most c preemptions, and so their outcomes; these also over stateful,
 *                   and without blocking avoidance
 *
 * The enumerator is an odometer over the world, from the beginning for each run, without the engine.  An outcome is the
 * end of a run with the histories of all actors, or the finding (oracle.h).
 *   REHEARSE_PROGRAM='seed=...'   just this program
 *   REHEARSE_FIRST, REHEARSE_PROGRAMS   from which seed, how many */
#include "explore/support/oracle.h"
#include "explore/support/preemptions.h"
#include "support/few.h"

#ifdef PREEMPT_LONG
enum { PROGRAMS = 3000 };
#else
enum { PROGRAMS = MANY_OR_FEW(60, 30) };
#endif
enum { LARGEST = 4000, MOST_BOUND = 4, DEEPEST = 512, SLOTS = 1 << 13 };
enum { MOST_WITH_BLOCKS = 60 }; /* programs with more runs are not made without avoidance */

/* ---- outcomes ---------------------------------------------------------------------------------------------------- */

/* What is told of a run. */
enum what {
    OUTCOMES,
    STATES,    /* outcomes, without what is no part of the last state: the histories of actors that have ended */
    SEQUENCES, /* of choices */
    WHAT_COUNT
};

/* Each outcome with the fewest preemptions of a run that has it; in shared memory. */
struct outcomes {
    uint32_t count;
    uint64_t runs;
    bool cut, full;
    enum what what;
    struct {
        uint64_t outcome; /* 0: free */
        uint32_t fewest;
    } slot[SLOTS];
};

static struct outcomes *outcomes_new(enum what what)
{
    struct outcomes *o = rh_shared_new(sizeof *o);
    assert_non_null(o);
    o->what = what;
    return o;
}

static void outcomes_free(struct outcomes *o)
{
    rh_shared_free(o, sizeof *o);
}

static uint32_t slot_of(const struct outcomes *o, uint64_t outcome)
{
    uint32_t i = (uint32_t)scrambled(outcome, 7) % SLOTS;
    while (o->slot[i].outcome && o->slot[i].outcome != outcome)
        i = (i + 1) % SLOTS;
    return i;
}

static void add(struct outcomes *to, const struct rh_world *w, enum rh_outcome_kind kind, uint32_t preemptions)
{
    to->runs++;
    if (kind == RH_OUTCOME_CUT || kind == RH_OUTCOME_RUNNING || to->count > SLOTS / 2) {
        to->full |= to->count > SLOTS / 2;
        to->cut |= kind == RH_OUTCOME_CUT;
        return;
    }
    uint64_t outcome = to->what == SEQUENCES ? sequence_of(w) : outcome_of(w, kind, to->what == OUTCOMES);
    uint32_t at = slot_of(to, outcome);
    if (!to->slot[at].outcome) {
        to->count++;
        to->slot[at].outcome = outcome;
        to->slot[at].fewest = preemptions;
    } else if (to->slot[at].fewest > preemptions) {
        to->slot[at].fewest = preemptions;
    }
}

/* How many of the one, with at most so many preemptions, the other lacks. */
static uint32_t lacking(const struct outcomes *of, uint32_t most, const struct outcomes *in)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < SLOTS; i++)
        n += of->slot[i].outcome && of->slot[i].fewest <= most && !in->slot[slot_of(in, of->slot[i].outcome)].outcome;
    return n;
}

/* How many have outcomes that only runs with more preemptions have, or none. */
static uint32_t invented(const struct outcomes *by, const struct outcomes *all, uint32_t most)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (!by->slot[i].outcome)
            continue;
        uint32_t at = slot_of(all, by->slot[i].outcome);
        n += !all->slot[at].outcome || all->slot[at].fewest > most;
    }
    return n;
}

/* ---- every sequence, by an odometer ------------------------------------------------------------------------------ */

struct odometer {
    struct outcomes **to; /* by enum what */
    uint32_t top, most;   /* most: preemptions of a run */
    bool done, too_many;
    uint32_t pick[DEEPEST], size[DEEPEST];
};

static void turn(struct odometer *o)
{
    while (o->top && o->pick[o->top - 1] + 1 == o->size[o->top - 1])
        o->top--;
    if (o->top)
        o->pick[o->top - 1]++;
    o->too_many = o->to[0]->runs > LARGEST;
    o->done = !o->top || o->too_many;
}

static void drive(struct rh_world *w, void *arg)
{
    struct odometer *o = arg;
    while (!o->done) {
        uint32_t open, n;
        const struct rh_choice *choices;
        struct preemptions at = { 0 };
        rh_world_reset(w);
        for (uint32_t d = 0;; d++) {
            choices = rh_world_enabled(w, &open);
            const struct rh_event *events = rh_world_events(w, &n);
            at = preemptions_behind(w, d ? &at : NULL, &events[n - 1].choice, choices, open);
            if (!open)
                break;
            assert_true(d < DEEPEST);
            if (d == o->top) {
                o->pick[d] = 0;
                o->size[d] = open;
                o->top++;
            }
            assert_int_equal(o->size[d], open);
            assert_true(rh_world_step(w, &choices[o->pick[d]]));
        }
        o->most = at.count > o->most ? at.count : o->most;
        for (int i = 0; i < WHAT_COUNT; i++)
            add(o->to[i], w, rh_world_outcome(w)->kind, at.count);
        turn(o);
    }
}

/* The most preemptions of a run; RH_NONE if there are too many runs. */
static uint32_t enumerate(struct outcomes **to)
{
    struct rh_semantics s = features_semantics(&program);
    struct rh_world *w = world_of("features", &s, NULL, 0);
    struct odometer *o = rh_shared_new(sizeof *o);
    assert_non_null(o);
    o->to = to;
    assert_int_equal(rh_sandbox_run(w, drive, o), RH_SANDBOX_DONE);
    uint32_t most = o->too_many || to[0]->cut || to[SEQUENCES]->full ? RH_NONE : o->most;
    rh_shared_free(o, sizeof *o);
    rh_world_free(w);
    return most;
}

/* ---- explorers --------------------------------------------------------------------------------------------------- */

static struct outcomes *gathered; /* by the explorer `gathering` */

static void gathering_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    add(gathered, w, run->outcome, 0);
    rh_inner_end(&((struct spy *)state)->inner, w, run);
}

static const struct rh_explorer gathering = {
    .name = "gathering",
    .summary = "notes the outcomes of the runs that another explorer makes",
    .state_size = sizeof(struct spy),
    .arguments = rh_only_arguments,
    .report = &rh_only_report,
    .decorator = &rh_only_decorator,
    .open = rh_only_open,
    .end = gathering_end,
};
RH_EXPLORER(gathering)

enum how { MADE, REFUSED, NOT_ENDED };

static enum how explore(const char *explorer, struct outcomes *to, enum rh_verdict *verdict)
{
    char text[128], error[512];
    struct rh_semantics s = features_semantics(&program);
    struct rh__limits limits = { .max_runs = 300000, .keep_going = true };
    struct rh_world *w = world_of("features", &s, NULL, 0);
    enum what what = to->what;
    memset(to, 0, sizeof *to);
    to->what = what;
    gathered = to;
    snprintf(text, sizeof text, "gathering(%s)", explorer);
    struct rh_exploration *x = rh__exploration_new(w, text, 1, &limits, error, sizeof error);
    if (!x) {
        rh_world_free(w);
        return REFUSED;
    }
    assert_true(rh__explore(x));
    *verdict = rh__exploration_verdict(x);
    enum how how = x->end.exhausted ? MADE : NOT_ENDED;
    rh__exploration_free(x);
    rh_world_free(w);
    return how;
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

struct sums {
    uint32_t programs, with[F_COUNT], bounded, with_blocks, with_optimal, refused, kills;
    uint64_t runs, outcomes, outcomes_at_0;
};

static void complain(const char *explorer, uint32_t left_out, uint32_t made_up, enum rh_verdict verdict)
{
    char text[1024];
    features_write(&program, text, sizeof text);
    fail_msg("%s\n  %s: %u outcomes are missing, %u are not within the bound; %s", text, explorer, left_out, made_up,
             rh_verdict_name(verdict));
}

static void compare(const struct outcomes *all, uint32_t bound, uint32_t most, const char *explorer,
                    struct outcomes *got)
{
    enum rh_verdict verdict = RH_VERDICT_SAMPLED, right = most > bound ? RH_VERDICT_BOUNDED : RH_VERDICT_EXHAUSTIVE;
    enum how how = explore(explorer, got, &verdict);
    if (how == NOT_ENDED)
        return;
    uint32_t left_out = lacking(all, bound, got), made_up = invented(got, all, bound);
    if (how == REFUSED || left_out || made_up || verdict != right)
        complain(explorer, left_out, made_up, verdict);
}

static void compare_bound(struct outcomes **by, uint32_t bound, uint32_t most, struct outcomes **got_by,
                          struct sums *sums)
{
    const struct outcomes *all = by[OUTCOMES];
    struct outcomes *got = got_by[OUTCOMES];
    char text[64];
    snprintf(text, sizeof text, "preempt(%u, only, dfs)", bound);
    compare(all, bound, most, text, got);
    compare(by[SEQUENCES], bound, most, text, got_by[SEQUENCES]);
    snprintf(text, sizeof text, "preempt(%u, only, stateful)", bound);
    compare(by[STATES], bound, most, text, got_by[STATES]);
    sums->bounded += most > bound;
    if (all->runs > MOST_WITH_BLOCKS)
        return;
    enum rh_verdict verdict;
    snprintf(text, sizeof text, "preempt(%u, only, avoid=no, dfs)", bound);
    if (explore(text, got, &verdict) != MADE)
        return;
    /* The verdict is of the sequences with blocks, of which some may be beyond the bound although no run is. */
    uint32_t left_out = lacking(all, bound, got), made_up = invented(got, all, bound);
    if (left_out || made_up || (most > bound && verdict == RH_VERDICT_EXHAUSTIVE))
        complain(text, left_out, made_up, verdict);
    sums->with_blocks++;
}

static void compare_with_optimal(const struct outcomes *all, struct outcomes *got, struct sums *sums)
{
    enum rh_verdict verdict;
    enum how how = explore("optimal", got, &verdict);
    sums->refused += how == REFUSED;
    if (how != MADE)
        return;
    uint32_t left_out = lacking(all, UINT32_MAX, got), made_up = invented(got, all, UINT32_MAX);
    if (left_out || made_up || verdict != RH_VERDICT_EXHAUSTIVE)
        complain("optimal", left_out, made_up, verdict);
    sums->with_optimal++;
}

/* False if it is too large. */
static bool compare_program(struct sums *sums)
{
    struct outcomes *by[WHAT_COUNT], *got[WHAT_COUNT];
    for (int i = 0; i < WHAT_COUNT; i++) {
        by[i] = outcomes_new((enum what)i);
        got[i] = outcomes_new((enum what)i);
    }
    const struct outcomes *all = by[OUTCOMES];
    uint32_t most = enumerate(by);
    if (most != RH_NONE) {
        for (uint32_t bound = 0; bound <= most && bound <= MOST_BOUND; bound++)
            compare_bound(by, bound, most, got, sums);
        compare(by[SEQUENCES], 1000, most, "preempt(1000, only, dfs)", got[SEQUENCES]);
        compare(all, 1000, most, "preempt(1000, dfs)", got[OUTCOMES]);
        compare(all, UINT32_MAX, most, "dpor", got[OUTCOMES]);
        compare_with_optimal(all, got[OUTCOMES], sums);
        sums->programs++;
        sums->runs += all->runs;
        sums->outcomes += all->count;
        for (uint32_t i = 0; i < SLOTS; i++)
            sums->outcomes_at_0 += all->slot[i].outcome && !all->slot[i].fewest;
        sums->kills += program.kills;
        for (uint32_t f = 0; f < F_COUNT; f++)
            sums->with[f] += program.has >> f & 1;
    }
    for (int i = 0; i < WHAT_COUNT; i++) {
        outcomes_free(by[i]);
        outcomes_free(got[i]);
    }
    return most != RH_NONE;
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void outcomes_are_those_within_the_bound(void **unused)
{
    (void)unused;
    static const enum feature every[] = { F_TABLE,   F_ORDERED, F_NAME,  F_TO_NAME, F_LINK,   F_MONITOR, F_TRAP,
                                          F_EXIT,    F_KILL,    F_ALIVE, F_SPAWN,   F_BIRTH,  F_JOIN,    F_RETURN,
                                          F_YIELD,   F_FAN,     F_REPLY, F_ASK,     F_WITHIN, F_TYPE,    F_FROM,
                                          F_TIMEOUT, F_POLL,    F_MATCH, F_EXITED,  F_SLEEP,  F_RECEIVE };
    uint64_t first = number_from("REHEARSE_FIRST", 0), count = number_from("REHEARSE_PROGRAMS", PROGRAMS);
    struct sums sums = { 0 };
    for (uint64_t seed = first; seed < first + count; seed++) {
        features_make_processes(&program, seed);
        program.fails = seed % 3 ? 0 : 12;
        while (!compare_program(&sums) && features_shrink(&program))
            continue;
    }
    print_message("%u programs, %llu runs, %llu outcomes, %llu of them without a preemption; %u bounds, %u without "
                  "avoidance, %u with optimal, which refused %u\n",
                  sums.programs, (unsigned long long)sums.runs, (unsigned long long)sums.outcomes,
                  (unsigned long long)sums.outcomes_at_0, sums.bounded, sums.with_blocks, sums.with_optimal,
                  sums.refused);
    if (getenv("REHEARSE_PROGRAMS"))
        return;
    assert_in_range(sums.programs, count * 3 / 4, count);
    if (MANY_OR_FEW(false, true)) /* too few for every feature */
        return;
    for (uint32_t i = 0; i < sizeof every / sizeof *every; i++)
        if (!sums.with[every[i]])
            fail_msg("no program has %s", feature_names[every[i]]);
    assert_in_range(sums.kills, 1, sums.refused);
    assert_in_range(sums.outcomes_at_0, sums.programs, sums.outcomes - sums.programs / 8);
    assert_in_range(sums.with_blocks, sums.programs / 2, UINT32_MAX);
    assert_in_range(sums.with_optimal, sums.programs / 2, sums.programs);
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(outcomes_are_those_within_the_bound) };
    const char *one = getenv("REHEARSE_PROGRAM");
    struct sums sums = { 0 };
    if (one && features_read(&program, one))
        return !compare_program(&sums);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
