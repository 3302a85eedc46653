/* States of a search, collected by states_of(EXPLORER) around any explorer, and explorers against dfs: the same set of
 * states, the same outcomes, the same findings. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_STATES_H
#define RH_TESTS_EXPLORE_SUPPORT_STATES_H

#include "explore/support/generated_actors.h"
#include "explore/support/program.h"
#include "explore/support/runs.h"

#include "support/few.h"

enum { PROGRAMS = MANY_OR_FEW(60, 16), LARGEST = 1500, SLOTS = 1 << 17 };

/* ---- what was visited -------------------------------------------------------------------------------------------- */

struct collected {
    uint32_t states;
    uint64_t choices;  /* calls of choose */
    uint64_t outcomes; /* sum of the hashes of the outcomes, each once */
    uint32_t meaning;
    bool changed; /* fingerprints mean something else than at first */
    bool full;
    struct rh_fingerprint set[SLOTS];
    uint64_t outcome[SLOTS];
};
static struct collected *collected; /* shared memory */

static void collect(const struct rh_world *w)
{
    struct rh_fingerprint f = rh_world_fingerprint_wide(w);
    uint32_t meaning = rh_world_fingerprint_meaning(w);
    collected->changed |= collected->states && meaning != collected->meaning;
    collected->meaning = meaning;
    uint32_t i = (uint32_t)(f.low % SLOTS);
    while ((collected->set[i].high || collected->set[i].low) &&
           (collected->set[i].high != f.high || collected->set[i].low != f.low))
        i = (i + 1) % SLOTS;
    if (collected->set[i].high || collected->set[i].low || collected->full)
        return;
    collected->set[i] = f;
    collected->full = ++collected->states > SLOTS / 2;
}

/* By names and texts only, whatever the order of spawns. */
static uint64_t outcome_of(const struct rh_world *w, enum rh_outcome_kind kind)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rh_world_actor_count(w) && !rh_outcome_failed(kind); i++) {
        char name[256];
        rh_world_actor_name(w, i, name, sizeof name);
        uint64_t hash = fnv(FNV_START, name, strlen(name));
        const struct rh_actor_type *type = rh_world_actor_type(w, i);
        if (type == &rh_actor_taker && !rh_world_actor_ended(w, i)) {
            const struct taker *t = rh_world_actor_state(w, i);
            hash = fnv(fnv(hash, &t->number, sizeof t->number), &t->took, sizeof t->took);
        } else if (type == &rh_actor_node && !rh_world_actor_ended(w, i)) {
            const struct node *n = rh_world_actor_state(w, i);
            hash = fnv(fnv(hash, &n->number, sizeof n->number), &n->children, sizeof n->children);
        }
        sum += hash;
    }
    return fnv(fnv(FNV_START, &kind, sizeof kind), &sum, sizeof sum);
}

static void collect_outcome(uint64_t outcome)
{
    uint32_t i = (uint32_t)(outcome % SLOTS);
    while (collected->outcome[i] && collected->outcome[i] != outcome)
        i = (i + 1) % SLOTS;
    if (collected->outcome[i] != outcome)
        collected->outcomes += outcome;
    collected->outcome[i] = outcome;
}

static uint32_t states_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    collect(w);
    collected->choices++;
    return rh_inner_choose(state, w, open, count);
}

static void states_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    if (run->outcome == RH_OUTCOME_FINISHED || run->outcome == RH_OUTCOME_STUCK || run->outcome == RH_OUTCOME_MONITOR ||
        run->outcome == RH_OUTCOME_HISTORY)
        collect(w);
    if (!run->pruned)
        collect_outcome(outcome_of(w, run->outcome));
    rh_inner_end(state, w, run);
}

static const struct rh_explorer states_of = {
    .name = "states_of",
    .summary = "collects the states of another explorer",
    .state_size = sizeof(struct rh_inner),
    .arguments = rh_only_arguments,
    .open = rh_only_open,
    .choose = states_choose,
    .end = states_end,
    .report = &rh_only_report,
    .decorator = &rh_only_decorator,
};
RH_EXPLORER(states_of)

/* ---- explorations ------------------------------------------------------------------------------------------------ */

struct totals {
    struct collected *collected;
    uint64_t runs, pruned, cut;
    uint32_t findings;
    enum rh_verdict verdict;
    char notes[512];
};

static struct totals explore(const char *test, const struct rh_semantics *s, const char *explorer, uint64_t most)
{
    char text[256];
    struct rh_world *w = world_of(test, s, NULL, 0);
    collected = rh_shared_new(sizeof *collected);
    assert_non_null(collected);
    snprintf(text, sizeof text, "states_of(%s)", explorer);
    struct rh_exploration *x = explored(w, text, 1, most);
    struct totals t = { .collected = collected,
                        .runs = x->results->count.runs,
                        .pruned = x->results->count.pruned,
                        .cut = x->results->count.cut,
                        .findings = x->results->finding_count,
                        .verdict = rh__exploration_verdict(x) };
    rh_inner_notes(&x->explorer, t.notes, sizeof t.notes);
    rh__exploration_free(x);
    rh_world_free(w);
    return t;
}

static void release(struct totals *t)
{
    rh_shared_free(t->collected, sizeof *t->collected);
}

static bool is_in(const struct collected *c, struct rh_fingerprint f)
{
    uint32_t i = (uint32_t)(f.low % SLOTS);
    while (c->set[i].high || c->set[i].low) {
        if (c->set[i].high == f.high && c->set[i].low == f.low)
            return true;
        i = (i + 1) % SLOTS;
    }
    return false;
}

/* Whether all states of one are among those of the other. */
static bool are_among(const struct collected *some, const struct collected *all)
{
    for (uint32_t i = 0; i < SLOTS; i++)
        if ((some->set[i].high || some->set[i].low) && !is_in(all, some->set[i]))
            return false;
    return true;
}

static bool same_states(const struct collected *a, const struct collected *b)
{
    return a->states == b->states && are_among(a, b);
}

static const char *difference(const struct totals *all, const struct totals *t)
{
    if (t->verdict != RH_VERDICT_EXHAUSTIVE)
        return "the verdict is not exhaustive";
    if (all->findings != t->findings)
        return "the findings differ";
    if (all->collected->outcomes != t->collected->outcomes)
        return "the outcomes differ";
#ifdef __SANITIZE_ADDRESS__
    /* Dead parts of stacks are not cleaned then: one state of a suspended process may have several fingerprints, and a
     * search that goes on from it only once sees fewer. */
    if (!all->collected->changed && !are_among(t->collected, all->collected))
        return "there are states that dfs has not";
#else
    if (!all->collected->changed && !same_states(all->collected, t->collected))
        return "the states differ";
#endif
    return NULL;
}

/* The number at the beginning of the notes. */
static uint64_t counted_states(const struct totals *t)
{
    return strtoull(t->notes, NULL, 10);
}

struct sum {
    uint32_t programs, states;
    uint64_t runs, of;
};

static void compare(struct sum *sum, const char *test, const struct rh_semantics *s, uint64_t seed,
                    const char *explorer)
{
    struct totals all = explore(test, s, "dfs", LARGEST);
    if (all.verdict == RH_VERDICT_EXHAUSTIVE && !all.collected->full) {
        struct totals t = explore(test, s, explorer, 4 * LARGEST);
        const char *wrong = difference(&all, &t);
        if (!wrong && !t.collected->changed && counted_states(&t) != t.collected->states)
            wrong = "another number of states is reported";
        if (wrong)
            fail_msg("%s, seed %llu, %s: %s: %u states in %llu runs, dfs %u in %llu; %s", test,
                     (unsigned long long)seed, explorer, wrong, t.collected->states, (unsigned long long)t.runs,
                     all.collected->states, (unsigned long long)all.runs, t.notes);
        sum->programs++;
        sum->states += t.collected->states;
        sum->runs += t.runs;
        sum->of += all.runs;
        release(&t);
    }
    release(&all);
}

static void require_enough(const struct sum *sum)
{
    print_message("%u programs, %u states, %llu runs, dfs %llu\n", sum->programs, sum->states,
                  (unsigned long long)sum->runs, (unsigned long long)sum->of);
    assert_in_range(sum->programs, PROGRAMS / 4, PROGRAMS);
    assert_true(sum->runs < sum->of);
}

/* Every model, timers, asks, processes, stores, faults and crashes. */
static void compare_with_brute_force(const char *const *explorers, uint64_t count)
{
    static const enum rh_model models[] = { RH_FIFO, RH_BAG, RH_MAILBOX, RH_CAUSAL };
    struct sum small = { 0 }, rich = { 0 };
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        const char *explorer = explorers[seed % count];
        struct rh_semantics s = { .model = models[seed / count % 4], .max_steps = 400, .max_actors = 16 };
        generated_make(&generated, seed);
        compare(&small, "generated_program", &s, seed, explorer);
        s = program_semantics(seed);
        program_seed = seed;
        program_crashes = seed % 4 == 0;
        compare(&rich, "program", &s, seed, explorer);
    }
    program_crashes = false;
    require_enough(&small);
    require_enough(&rich);
}

#endif
