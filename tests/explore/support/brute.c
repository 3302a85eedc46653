#include "explore/support/brute.h"

#include "explore/support/program.h"
#include "explore/support/runs.h"

#define SAME(found, wanted, what)                                                                                      \
    do {                                                                                                               \
        if ((found) != (wanted))                                                                                       \
            fail_msg("seed %llu: %s makes %llu " what ", brute force %llu", (unsigned long long)seed, explorer,        \
                     (unsigned long long)(found), (unsigned long long)(wanted));                                       \
    } while (0)

static void compare(const char *explorer, uint64_t seed, struct rh_world *w, struct record *expected,
                    struct compared *t)
{
    char spying[64];
    uint32_t runs = expected->count;
    snprintf(spying, sizeof spying, "spy:%s", explorer);
    spied = record_new();
    struct rh_exploration *x = explored(w, spying, seed, 0);
    SAME(spied->count, runs, "runs");
    SAME(x->results->count.runs, runs, "counted runs");
    SAME(spied->failed, expected->failed, "failing runs");
    SAME(x->results->count.failed, expected->failed, "counted failing runs");
    t->out_of_order += memcmp(spied->sequence, expected->sequence, runs * sizeof *spied->sequence) != 0;
    SAME(distinct(expected->sequence, runs), runs, "different runs"); /* sorts them */
    SAME(distinct(spied->sequence, runs), runs, "different runs");
    if (memcmp(spied->sequence, expected->sequence, runs * sizeof *spied->sequence) != 0)
        fail_msg("seed %llu: %s makes other runs than brute force", (unsigned long long)seed, explorer);
    uint32_t behaviours = distinct(expected->behaviour, runs);
    SAME(x->results->distinct.count, behaviours, "behaviours");
    assert_true(x->end.exhausted);
    assert_float_equal(rh__exploration_estimate(x), (double)runs, 1e-6 * runs);
    assert_int_equal(rh__exploration_verdict(x), x->results->count.cut ? RH_VERDICT_BOUNDED : RH_VERDICT_EXHAUSTIVE);
    rh__exploration_free(x);
    record_free(spied);
    t->programs++;
    t->runs += runs;
    t->behaviours += behaviours;
    t->failed += expected->failed;
}

struct compared compare_with_brute_force(const char *explorer, uint64_t programs, uint32_t largest, bool crashes)
{
    struct compared t = { 0 };
    program_crashes = crashes;
    for (program_seed = 1; program_seed <= programs; program_seed++) {
        struct rh_semantics s = program_semantics(program_seed);
        struct record *expected = record_new();
        struct rh_world *w = world_of("program", &s, NULL, 0);
        if (brute_force(w, expected, largest)) {
            compare(explorer, program_seed, w, expected, &t);
            t.per_model[s.model]++;
            t.with_faults += s.losses || s.duplicates || s.crashes || s.partitions;
        } else {
            t.too_large++;
        }
        rh_world_free(w);
        record_free(expected);
    }
    program_crashes = false;
    print_message("%s: %u programs (fifo %u, bag %u, causal %u, mailbox %u; %u with faults, %u in another order), %llu "
                  "runs, %llu behaviours, %llu runs failed; %u more programs were too large\n",
                  explorer, t.programs, t.per_model[0], t.per_model[1], t.per_model[2], t.per_model[3], t.with_faults,
                  t.out_of_order, (unsigned long long)t.runs, (unsigned long long)t.behaviours,
                  (unsigned long long)t.failed, t.too_large);
    return t;
}
