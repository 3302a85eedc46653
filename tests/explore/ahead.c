/* stateful ahead of the world (world/ahead.h), over programs that forget (world/support/automata.h).
 *
 * Brute force goes through all states by steps and undos, without the engine.  In each of them that is simple, a walk
 * ahead and the same steps of the world are compared: choices, and the fingerprints that are foretold.  Then stateful
 * must have the states, transitions and findings that brute force has, and those of stateful(plain), which makes every
 * step.  Other tests of stateful put an explorer around it, so that it never goes ahead. */
#include "explore/support/runs.h"

#include "support/few.h"
#include "support/generated.h"
#include "world/ahead.h"
#include "world/foretell.h"
#include "world/support/automata.h"

enum { PROGRAMS = MANY_OR_FEW(120, 20), SLOTS = 1 << 15, MOST_STATES = 4000, MOST_OPEN = 256, LONGEST_WALK = 12 };

/* ---- brute force ------------------------------------------------------------------------------------------------- */

struct seen {
    bool whole, meaning_changed;
    uint32_t states;
    uint64_t transitions, walks, ahead, failures;
    char wrong[256];
    struct rh_fingerprint set[SLOTS];
    uint64_t failed[SLOTS];
};
static struct seen *seen; /* shared memory */
static struct rh__foretelling *foretelling;
static struct rh__ahead *ahead;
static uint64_t random_walk;

static bool is_same(struct rh_fingerprint a, struct rh_fingerprint b)
{
    return a.high == b.high && a.low == b.low;
}

static bool is_known(struct rh_fingerprint f)
{
    return f.high | f.low;
}

static bool add(struct rh_fingerprint f)
{
    uint32_t i = (uint32_t)(f.low % SLOTS);
    while (is_known(seen->set[i]) && !is_same(seen->set[i], f))
        i = (i + 1) % SLOTS;
    if (is_known(seen->set[i]))
        return false;
    seen->set[i] = f;
    seen->states++;
    return true;
}

/* Findings as the engine tells them apart, by their sum. */
static void add_failure(const struct rh_outcome *o)
{
    uint64_t s = rh__finding_signature(o);
    uint32_t i = (uint32_t)(s % SLOTS);
    while (seen->failed[i] && seen->failed[i] != s)
        i = (i + 1) % SLOTS;
    if (!seen->failed[i])
        seen->failures += s;
    seen->failed[i] = s;
}

static void wrong(const char *what, uint32_t depth)
{
    if (!seen->wrong[0])
        snprintf(seen->wrong, sizeof seen->wrong, "%s, %u steps ahead, after %u states", what, depth, seen->states);
}

/* The position is the state of the world; `told`: what is foretold there, for the way back. */
static bool is_like_the_world(struct rh_world *w, uint32_t depth, struct rh_fingerprint *told, uint32_t count)
{
    struct rh_fingerprint other[MOST_OPEN];
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(w, &n);
    if (n != count)
        return wrong("the number of choices differs", depth), false;
    rh__ahead_foretell(ahead, foretelling, told);
    rh__foretell(foretelling, w, open, n, other);
    for (uint32_t i = 0; i < n; i++) {
        if (open[i].kind != RH_CHOICE_DELIVER || open[i].actor != rh__ahead_receiver(ahead, i))
            return wrong("a choice differs", depth), false;
        if (!is_same(told[i], other[i]))
            return wrong("a foretold fingerprint differs", depth), false;
    }
    return true;
}

static void walk(struct rh_world *w, uint32_t count)
{
    struct rh_fingerprint told[LONGEST_WALK + 1][MOST_OPEN], again[MOST_OPEN];
    uint32_t depth = 0, counts[LONGEST_WALK + 1] = { count };
    while (w->event_count <= w->semantics.max_steps && is_like_the_world(w, depth, told[depth], counts[depth]) &&
           depth < LONGEST_WALK) {
        uint32_t pick = generated_below(&random_walk, counts[depth]), n;
        uint32_t next = rh__ahead_step(ahead, foretelling, pick);
        struct rh_choice c = rh_world_enabled(w, &n)[pick];
        if (!next)
            break;
        if (!is_known(told[depth][pick]))
            wrong("a step is made that is not foretold", depth);
        rh_world_step(w, &c);
        counts[++depth] = next;
        if (w->over || !is_same(rh_world_fingerprint_wide(w), told[depth - 1][pick]))
            wrong("a state differs", depth);
    }
    seen->ahead += depth;
    while (depth) {
        rh_world_undo(w);
        rh__ahead_back(ahead);
        depth--;
        rh__ahead_foretell(ahead, foretelling, again);
        for (uint32_t i = 0; i < counts[depth]; i++)
            if (!is_same(again[i], told[depth][i]))
                wrong("what is foretold differs on the way back", depth);
    }
}

/* What stateful counts as a state.  Notes what has failed. */
static bool is_state_of_an_end(struct rh_world *w)
{
    const struct rh_outcome *o = rh_world_outcome(w);
    if (rh_outcome_failed(o->kind))
        add_failure(o);
    return o->kind == RH_OUTCOME_FINISHED || o->kind == RH_OUTCOME_STUCK || o->kind == RH_OUTCOME_MONITOR ||
           o->kind == RH_OUTCOME_HISTORY;
}

static void visit(struct rh_world *w)
{
    struct rh_choice open[MOST_OPEN];
    uint32_t count;
    const struct rh_choice *list = rh_world_enabled(w, &count);
    if (!count && !is_state_of_an_end(w))
        return;
    if (!add(rh_world_fingerprint_wide(w)))
        return;
    seen->whole &= count <= MOST_OPEN && seen->states < MOST_STATES && w->event_count <= w->semantics.max_steps;
    if (!seen->whole)
        return;
    memcpy(open, list, count * sizeof *open);
    seen->transitions += count;
    for (uint32_t i = 0; i < count && seen->whole && !seen->wrong[0]; i++) {
        rh__foretell_before(foretelling, w, &open[i]);
        rh_world_step(w, &open[i]);
        if (w->over) {
            add_failure(rh_world_outcome(w));
        } else {
            rh_world_fingerprint_wide(w);
            rh__foretell_after(foretelling, w);
            visit(w);
        }
        rh_world_undo(w);
    }
    rh_world_enabled(w, &count); /* the list of this state */
    if (rh__ahead_begin(ahead, w, open, count)) {
        seen->walks++;
        walk(w, count);
        rh__ahead_back(ahead);
    }
}

/* From the beginning, again if fingerprints come to mean something else. */
static void drive(struct rh_world *w, void *arg)
{
    uint32_t meaning;
    (void)arg;
    do {
        memset(seen, 0, sizeof *seen);
        seen->whole = true;
        rh__foretelling_clear(foretelling);
        rh__ahead_clear(ahead);
        rh_world_reset(w);
        meaning = rh_world_fingerprint_meaning(w);
        visit(w);
    } while (seen->whole && meaning != rh_world_fingerprint_meaning(w));
}

static bool brute_search(void)
{
    struct rh_world *w = world_of("automata", &automata.semantics, NULL, 0);
    enum rh_sandbox_end end = rh_sandbox_run(w, drive, NULL);
    rh_world_free(w);
    return end == RH_SANDBOX_DONE && seen->whole;
}

/* ---- explorers --------------------------------------------------------------------------------------------------- */

struct figures {
    unsigned long long states, transitions;
    uint64_t failures;
    enum rh_verdict verdict;
    char notes[1024];
};

static struct figures search(const char *explorer)
{
    struct figures f = { 0 };
    struct rh_world *w = world_of("automata", &automata.semantics, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, 0);
    rh_inner_notes(&x->explorer, f.notes, sizeof f.notes);
    assert_int_equal(sscanf(f.notes, "%llu states, %llu transitions", &f.states, &f.transitions), 2);
    for (uint32_t i = 0; i < x->results->finding_count; i++)
        f.failures += rh__finding_signature(&x->results->findings[i].outcome);
    f.verdict = rh__exploration_verdict(x);
    rh__exploration_free(x);
    rh_world_free(w);
    return f;
}

static const char *difference(void)
{
    static struct figures a, b;
    a = search("stateful");
    b = search("stateful(plain)");
    if (automata.semantics.model == RH_MAILBOX && a.verdict == RH_VERDICT_EXHAUSTIVE) {
        struct figures reduced = search("stateful(reduce)");
        if (reduced.verdict != RH_VERDICT_EXHAUSTIVE || reduced.failures != seen->failures ||
            reduced.states > seen->states)
            return "the reduced search has other findings, or more states";
    }
    if (b.verdict != RH_VERDICT_EXHAUSTIVE) /* runs were cut */
        return a.verdict == b.verdict ? NULL : "plain is not exhaustive";
    return a.verdict != RH_VERDICT_EXHAUSTIVE   ? "the search is not exhaustive"
           : strstr(a.notes, "something else")  ? "a step did something else than foretold"
           : a.states != seen->states           ? "the states are not those of brute force"
           : a.transitions != seen->transitions ? "the transitions are not those of brute force"
           : a.failures != seen->failures       ? "the findings are not those of brute force"
           : a.states != b.states               ? "plain has other states"
           : a.transitions != b.transitions     ? "plain has other transitions"
           : a.failures != b.failures           ? "plain has other findings"
                                                : NULL;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* Faults and granularities other than handler leave no state simple; other deeds than these mostly do. */
static void make(uint64_t seed)
{
    static const enum deed simple[] = { DEED_SEND,     DEED_FAN,     DEED_TAIL,   DEED_BECOME,
                                        DEED_ANNOUNCE, DEED_TIMER,   DEED_CHOOSE, DEED_HEAP,
                                        DEED_RANDOM,   DEED_FORWARD, DEED_SPAWN,  DEED_STOP,
                                        DEED_NAME,     DEED_GLOBAL,  DEED_FAIL,   DEED_EVENTUALLY };
    uint64_t random = seed * 91 + 17;
    automata_make(&automata, seed);
    automata.semantics = (struct rh_semantics){ .model = seed % 2 ? RH_MAILBOX : RH_FIFO,
                                                .granularity = RH_GRAIN_HANDLER,
                                                .time = seed % 3 ? RH_TIME_FREE : automata.semantics.time,
                                                .dead_letters = automata.semantics.dead_letters,
                                                .max_steps = automata.semantics.max_steps };
    for (uint32_t i = 0; i < automata.deed_count && seed % 4; i++)
        automata.deeds[i] = simple[generated_below(&random, sizeof simple / sizeof *simple)];
    automata.walkers = seed % 4 ? 0 : automata.walkers;
    automata.cells = automata.cells + automata.walkers < 2 ? 2 : automata.cells;
    automata.starts += seed % 4 != 0;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* REHEARSE_FIRST and REHEARSE_PROGRAMS: other seeds, and more of them. */
static void states_ahead_are_those_of_the_world(void **unused)
{
    (void)unused;
    uint64_t first = from_environment("REHEARSE_FIRST", 1), compared = 0, with_walks = 0, steps = 0, states = 0;
    uint64_t last = first + from_environment("REHEARSE_PROGRAMS", PROGRAMS);
    seen = rh_shared_new(sizeof *seen);
    foretelling = rh_shared_new(rh__foretelling_size());
    ahead = rh_shared_new(rh__ahead_size());
    assert_true(seen && foretelling && ahead);
    for (uint64_t seed = first; seed < last; seed++) {
        make(seed);
        random_walk = seed;
        bool fine;
        while (!(fine = brute_search()) && !seen->wrong[0] && automata_shrink(&automata))
            ;
        char text[1024];
        automata_write(&automata, text, sizeof text);
        if (seen->wrong[0])
            fail_msg("%s: %s", text, seen->wrong);
        if (!fine)
            continue;
        const char *what = difference();
        if (what)
            fail_msg("%s: %s", text, what);
        compared++;
        with_walks += seen->ahead != 0;
        steps += seen->ahead;
        states += seen->states;
    }
    print_message("%llu programs, %llu states; %llu programs with walks, of %llu steps\n", (unsigned long long)compared,
                  (unsigned long long)states, (unsigned long long)with_walks, (unsigned long long)steps);
    assert_true(compared > (last - first) * 2 / 3 && with_walks > compared / 3);
    rh_shared_free(seen, sizeof *seen);
    rh_shared_free(foretelling, rh__foretelling_size());
    rh_shared_free(ahead, rh__ahead_size());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(states_ahead_are_those_of_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
