/* What Bita promises of its schedules (IV): each can be forced, and each reaches a goal that no run had reached. */
#include "coverage/covering.h"

#include "coverage/plain.h"

#ifdef __SANITIZE_ADDRESS__
enum { SEEDS = 25 };
#else
enum { SEEDS = 250 };
#endif

static void keep_promises(enum rh_model model, const char *explorer)
{
    struct told sum = { 0, 0, 0, 0 };
    uint64_t runs = 0, bad = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct rh_semantics s = { .model = model, .max_actors = 16, .max_bytes_per_actor = 65536, .max_steps = 400 };
        plain_make(seed, 2 + seed % 3);
        struct rh_world *w = world_of("plain", &s, NULL, 0);
        struct rh_exploration *x = explored(w, explorer, seed, 400);
        struct told one = { 0, 0, 0, 0 };
        told_by(x, &one);
        runs += x->runs;
        if (one.infeasible || one.missed || one.nothing) {
            if (bad++ < 3)
                print_message("model %d, %s, program %llu: %llu schedules, %llu, %llu, %llu\n", (int)model, explorer,
                              (unsigned long long)seed, (unsigned long long)one.schedules,
                              (unsigned long long)one.infeasible, (unsigned long long)one.missed,
                              (unsigned long long)one.nothing);
        }
        sum.schedules += one.schedules;
        sum.infeasible += one.infeasible;
        sum.missed += one.missed;
        sum.nothing += one.nothing;
        rh__exploration_free(x);
        rh_world_free(w);
    }
    print_message("model %d, %-14s %llu runs, %llu schedules, %llu infeasible, %llu missed, %llu nothing\n", (int)model,
                  explorer, (unsigned long long)runs, (unsigned long long)sum.schedules,
                  (unsigned long long)sum.infeasible, (unsigned long long)sum.missed, (unsigned long long)sum.nothing);
}

static void all_criteria(enum rh_model model)
{
    static const char *const explorers[] = { "cover:pr,paper", "cover:pcr,paper", "cover:pmr,paper",
                                             "cover:pr",       "cover:pcr",       "cover:pmr" };
    for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++)
        keep_promises(model, explorers[i]);
}

static void under_fifo(void **unused)
{
    (void)unused;
    all_criteria(RH_FIFO);
}
static void under_bag(void **unused)
{
    (void)unused;
    all_criteria(RH_BAG);
}
static void under_causal(void **unused)
{
    (void)unused;
    all_criteria(RH_CAUSAL);
}
static void under_mailbox(void **unused)
{
    (void)unused;
    all_criteria(RH_MAILBOX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(under_fifo),
        EXPLORE_TEST(under_bag),
        EXPLORE_TEST(under_causal),
        EXPLORE_TEST(under_mailbox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
