/* Loops in which a monitor stays hot: what `stateful` finds in generated programs, against a model that knows nothing
 * of the world.
 *
 * Programs and model are in support/cells.h.  The model decides by a fixpoint [Emerson and Lei 1986] whether there is a
 * fair infinite run in which a monitor is hot from some time on: the largest set Z of states such that from each of
 * them, within Z, for each unit a step can be reached that serves the unit or leaves a state in which the unit is not
 * open. */
#include <unistd.h>

#include "explore/support/cells.h"
#include "findings/story.h"
#include "support/few.h"

static bool in_z[MOST_STATES], reaches[MOST_STATES];

/* Keeps in Z what reaches, within Z, a step that is good for the unit (UNITS: any step).  Whether Z has changed. */
static bool shrink(uint32_t monitor, uint32_t unit)
{
    bool more = true, changed = false;
    memset(reaches, 0, sizeof reaches);
    while (more) {
        more = false;
        for (uint32_t i = 0; i < graph.edges; i++) {
            uint32_t from = graph.edge[i].from, to = graph.edge[i].to;
            if (reaches[from] || !in_z[from] || !in_z[to] || graph.edge[i].cooled >> monitor & 1)
                continue;
            bool good = unit == UNITS || graph.edge[i].serves & bit(unit) || !(graph.open[from] & bit(unit));
            if (good || reaches[to])
                more = reaches[from] = true;
        }
    }
    for (uint32_t i = 0; i < graph.states; i++) {
        changed |= in_z[i] && !reaches[i];
        in_z[i] = in_z[i] && reaches[i];
    }
    return changed;
}

static bool stays_hot(uint32_t monitor)
{
    bool any = false, changed = true;
    for (uint32_t i = 0; i < graph.states; i++)
        in_z[i] = graph.state[i].hot[monitor];
    while (changed) {
        changed = false;
        for (uint32_t u = 0; u <= UNITS; u++)
            changed |= shrink(monitor, u);
    }
    for (uint32_t i = 0; i < graph.states; i++)
        any |= in_z[i];
    return any;
}

/* ---- the comparison ---------------------------------------------------------------------------------------------- */

static const char file[] = "/tmp/rehearse-liveness-test";

/* The schedule of the finding shows it again. */
static bool replays(const struct rh_semantics *semantics, const struct rh__finding *f)
{
    char path[64], explorer[96];
    snprintf(path, sizeof path, "%s-%d", file, (int)getpid());
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(f->schedule, to);
    fclose(to);
    snprintf(explorer, sizeof explorer, "replay(\"%s\")", path);
    struct rh_world *w = world_of("cells", semantics, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, 1);
    bool same = x->results->finding_count == 1 && x->results->findings[0].outcome.kind == RH_OUTCOME_LIVENESS &&
                strcmp(x->results->findings[0].outcome.text, f->outcome.text) == 0;
    rh__exploration_free(x);
    rh_world_free(w);
    unlink(path);
    return same;
}

struct sums {
    uint32_t programs, loops, none, states;
};

static void compare(uint64_t seed, struct sums *sums)
{
    static const enum rh_model models[] = { RH_FIFO, RH_BAG, RH_MAILBOX };
    make_program(seed);
    if (!make_graph())
        return;
    struct rh_semantics s = {
        .model = models[program.model], .losses = program.losses, .max_steps = 20000, .max_actors = 16
    };
    struct rh_world *w = world_of("cells", &s, NULL, 0);
    struct rh_exploration *x = explored(w, "stateful", 1, 0);
    bool found[MONITORS] = { false };
    rh__findings_describe(x->results, NULL, false);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    for (uint32_t i = 0; i < x->results->finding_count; i++) {
        const struct rh__finding *f = &x->results->findings[i];
        if (f->outcome.kind != RH_OUTCOME_LIVENESS) {
            assert_int_equal(f->outcome.kind, RH_OUTCOME_MONITOR); /* a run that ends while it is hot */
            continue;
        }
        found[strcmp(f->actor, "other#1") == 0] = true;
    }
    for (uint32_t m = 0; m < MONITORS; m++) {
        bool expected = stays_hot(m);
        if (expected != found[m])
            fail_msg("seed %llu: monitor %u: %s, but the model says %s (%u states)", (unsigned long long)seed, m,
                     found[m] ? "a loop" : "no loop", expected ? "a loop" : "no loop", graph.states);
        sums->loops += expected;
        sums->none += !expected;
    }
    sums->programs++;
    sums->states += graph.states;
    struct rh__results *r = x->results;
    for (uint32_t i = 0; i < r->finding_count && seed % 4 == 0; i++)
        if (r->findings[i].outcome.kind == RH_OUTCOME_LIVENESS) {
            struct rh__finding copy = r->findings[i];
            char *schedule = strdup(copy.schedule);
            copy.schedule = schedule;
            rh__exploration_free(x);
            rh_world_free(w);
            x = NULL;
            if (!replays(&s, &copy))
                fail_msg("seed %llu: the schedule does not show the loop:\n%s", (unsigned long long)seed, schedule);
            free(schedule);
            break;
        }
    if (x) {
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

static void loops_are_those_of_the_model(void **unused)
{
    (void)unused;
    struct sums sums = { 0 };
    const char *first = getenv("REHEARSE_FIRST"), *count = getenv("REHEARSE_PROGRAMS");
    uint64_t from = first ? strtoull(first, NULL, 10) : 1;
    uint64_t programs = count ? strtoull(count, NULL, 10) : MANY_OR_FEW(300, 60);
    for (uint64_t seed = from; seed < from + programs; seed++)
        compare(seed, &sums);
    print_message("%u programs with %u states; %u monitors stay hot in a fair loop, %u do not\n", sums.programs,
                  sums.states, sums.loops, sums.none);
    if (!count) {
        assert_true(sums.programs > programs / 2);
        assert_true(sums.loops > programs / 8 && sums.none > programs / 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(loops_are_those_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
