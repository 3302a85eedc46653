/* What [Bita 2013, IV] promises of its schedules: each can be forced, and each reaches a goal that no run had reached.
 *
 * For pmr the promise rests on Definition 3, by which it is a property of a receive whether it changes handlers.  Where
 * that depends on what its actor received before, a schedule can be forced all the same, but may miss its goal. */
#include "coverage/support/covering.h"

#include "coverage/support/plain.h"

#ifdef RH_TEST_FEW
enum { SEEDS = 12, MOST = 60 };
#else
enum { SEEDS = 80, MOST = 150 };
#endif

static struct told promises(enum rh_model model, const char *explorer, uint64_t seed, bool by_state)
{
    struct rh_semantics s = { .model = model, .max_actors = 16, .max_bytes_per_actor = 65536, .max_steps = 400 };
    struct told told = { 0, 0, 0, 0 };
    plain_make(seed, 2 + seed % 3);
    plain_program.by_state = by_state;
    struct rh_world *w = world_of("plain", &s, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, seed, MOST);
    told_by(x, &told);
    assert_int_equal(x->results->count.failed, 0);
    if (strstr(explorer, "paper"))
        assert_int_equal(told.schedules + 1, x->results->count.runs);
    else
        assert_in_range(told.schedules + 1, 1, x->results->count.runs); /* some are left to chance */
    rh__exploration_free(x);
    rh_world_free(w);
    return told;
}

static void keep(enum rh_model model, const char *explorer, bool by_state)
{
    struct told sum = { 0, 0, 0, 0 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct told one = promises(model, explorer, seed, by_state);
        bool may_miss = by_state && strstr(explorer, "pmr");
        if (one.infeasible || (!may_miss && (one.missed || one.nothing)))
            fail_msg(
                "%s, program %llu: of %llu schedules %llu could not be forced, %llu missed their goal, %llu brought "
                "nothing",
                explorer, (unsigned long long)seed, (unsigned long long)one.schedules,
                (unsigned long long)one.infeasible, (unsigned long long)one.missed, (unsigned long long)one.nothing);
        sum.schedules += one.schedules;
        sum.missed += one.missed;
    }
    print_message("%s: %llu schedules forced, %llu missed their goal\n", explorer, (unsigned long long)sum.schedules,
                  (unsigned long long)sum.missed);
    assert_in_range(sum.schedules, SEEDS / 3, 1u << 30);
}

static void keep_all(enum rh_model model)
{
    static const char *const explorers[] = { "cover:pr,paper", "cover:pcr,paper", "cover:pmr,paper",
                                             "cover:pr",       "cover:pcr",       "cover:pmr" };
    for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++)
        keep(model, explorers[i], strstr(explorers[i], "pmr") == NULL);
    keep(model, "cover:pmr", true);
}

static void under_fifo(void **unused)
{
    (void)unused;
    keep_all(RH_FIFO);
}
static void under_bag(void **unused)
{
    (void)unused;
    keep_all(RH_BAG);
}
static void under_causal(void **unused)
{
    (void)unused;
    keep_all(RH_CAUSAL);
}
static void under_mailbox(void **unused)
{
    (void)unused;
    keep_all(RH_MAILBOX);
}

/* ---- programs that were once gone wrong on ----------------------------------------------------------------------- */

static void holds(enum rh_model model, const char *explorer, uint64_t seed)
{
    struct told one = promises(model, explorer, seed, true);
    assert_int_not_equal(one.schedules, 0);
    assert_int_equal(one.infeasible + one.missed + one.nothing, 0);
}

/* b, who is outside, sends to two actors; what the second then sends to the first is in b's future. */
static void one_outside_has_its_own_sends_in_its_past(void **unused)
{
    (void)unused;
    holds(RH_CAUSAL, "cover:pr,paper", 6);
}

/* What was sent in the past of a message must be taken before it, whoever needs it. */
static void the_order_of_sends_is_scheduled(void **unused)
{
    (void)unused;
    holds(RH_CAUSAL, "cover:pcr,paper", 23);
    holds(RH_CAUSAL, "cover:pr", 8);
}

/* To be the first in a mailbox is to be sent first: with all that the sender had done before it. */
static void senders_are_put_in_order(void **unused)
{
    (void)unused;
    holds(RH_MAILBOX, "cover:pr,paper", 6);
    holds(RH_MAILBOX, "cover:pcr,paper", 42);
    holds(RH_MAILBOX, "cover:pcr", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(under_fifo),
        EXPLORE_TEST(under_bag),
        EXPLORE_TEST(under_causal),
        EXPLORE_TEST(under_mailbox),
        EXPLORE_TEST(one_outside_has_its_own_sends_in_its_past),
        EXPLORE_TEST(the_order_of_sends_is_scheduled),
        EXPLORE_TEST(senders_are_put_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
