/* optimal against an oracle that shares nothing with the world: the programs of support/generated.h as real actors.
 *
 * Behaviours are read from what the actors themselves have written down: which messages each took, in which order.
 * Each comes in exactly one run. */
#include "explore/support/runs.h"

#include "explore/support/generated_actors.h"

#ifdef RH_TEST_FEW
enum { SEEDS = 60, MOST_SEQUENCES = 2000 };
#else
enum { SEEDS = 400, MOST_SEQUENCES = 20000 };
#endif
enum { MOST_TAKEN = 1 << 16 };

/* ---- what was taken ---------------------------------------------------------------------------------------------- */

struct taken {
    uint32_t count;
    struct generated_behaviour list[MOST_TAKEN];
};
static struct taken *taken; /* shared memory */

static void taking_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    struct generated_id orders[GENERATED_ACTORS][GENERATED_MESSAGES];
    uint32_t counts[GENERATED_ACTORS] = { 0 };
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++) {
        if (rh_world_actor_type(w, i) != &rh_actor_taker)
            continue;
        const struct taker *a = rh_world_actor_state(w, i);
        counts[a->me] = a->took;
        memcpy(orders[a->me], a->order, sizeof a->order);
    }
    if (taken->count < MOST_TAKEN)
        generated_behaviour_from(&taken->list[taken->count++], &generated,
                                 (const struct generated_id(*)[GENERATED_MESSAGES])orders, counts);
    rh_inner_end(&s->inner, w, run);
}

static const struct rh_explorer taking = {
    .name = "taking",
    .summary = "notes what actors took in the runs that another explorer makes",
    .state_size = sizeof(struct spy),
    .arguments = rh_only_arguments,
    .decorator = &rh_only_decorator,
    .open = rh_only_open,
    .end = taking_end,
};
RH_EXPLORER(taking)

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* False where the program is too large. */
static bool compare(uint64_t seed, enum generated_model model, enum rh_model as)
{
    struct rh_semantics s = {
        .model = as, .granularity = RH_GRAIN_OBJECT, .max_actors = 16, .max_bytes_per_actor = 65536, .max_steps = 500
    };
    struct generated_behaviours want = { 0 }, got = { 0 };
    generated_make(&generated, seed);
    bool fits = generated_oracle(&generated, model, MOST_SEQUENCES, &want) != 0;
    if (fits) {
        struct rh_world *w = world_of("generated_program", &s, NULL, 0);
        taken->count = 0;
        struct rh_exploration *x = explored(w, "taking:optimal", 1, MOST_TAKEN);
        for (uint32_t i = 0; i < taken->count; i++)
            generated_behaviours_add(&got, &taken->list[i]);
        generated_behaviours_settle(&got);
        size_t missing = generated_behaviours_missing(&want, &got),
               impossible = generated_behaviours_missing(&got, &want);
        bool once = x->results->count.runs == want.count;
        if (missing || impossible || !once || x->end.abandoned || x->results->count.cut || !x->end.exhausted ||
            x->results->distinct.count != x->results->count.runs)
            fail_msg("program %llu: %llu runs, %llu of them given up, for %zu behaviours; %zu are missing, %zu are "
                     "impossible",
                     (unsigned long long)seed, (unsigned long long)x->results->count.runs,
                     (unsigned long long)x->end.abandoned, want.count, missing, impossible);
        rh__exploration_free(x);
        rh_world_free(w);
    }
    generated_behaviours_free(&want);
    generated_behaviours_free(&got);
    return fits;
}

static void compare_all(enum generated_model model, enum rh_model as)
{
    uint32_t compared = 0;
    taken = rh_shared_new(sizeof *taken);
    assert_non_null(taken);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        compared += compare(seed, model, as);
    print_message("%u programs compared\n", compared);
    assert_in_range(compared, SEEDS / 3, SEEDS);
    rh_shared_free(taken, sizeof *taken);
}

static void fifo_gives_each_behaviour_once(void **unused)
{
    (void)unused;
    compare_all(GENERATED_FIFO, RH_FIFO);
}

static void bag_gives_each_behaviour_once(void **unused)
{
    (void)unused;
    compare_all(GENERATED_BAG, RH_BAG);
}

static void causal_gives_each_behaviour_once(void **unused)
{
    (void)unused;
    compare_all(GENERATED_CAUSAL, RH_CAUSAL);
}

static void mailbox_gives_each_behaviour_once(void **unused)
{
    (void)unused;
    compare_all(GENERATED_ACCEPT, RH_MAILBOX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(fifo_gives_each_behaviour_once),
        EXPLORE_TEST(bag_gives_each_behaviour_once),
        EXPLORE_TEST(causal_gives_each_behaviour_once),
        EXPLORE_TEST(mailbox_gives_each_behaviour_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
