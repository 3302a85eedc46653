/* rh_choose: every value, everywhere it may be called. */
#include "world/support/driver.h"

RH_MESSAGE(go);
RH_MESSAGE(told, uint32_t value;);

/* ---- in the body of the test ----------------------------------------------------------------------------------- */

RH_ACTOR(keeper, uint32_t first; uint32_t second;);
RH_HANDLER(keeper, go)
{
}
RH_BEHAVIOUR(keeper, keeping, go);

RH_TEST(two_choices)
{
    uint32_t a = rh_choose(3), b = rh_choose(4);
    rh_spawn(keeper, .first = a, .second = b);
}

RH_TEST(dependent_choices)
{
    uint32_t a = rh_choose(3), b = rh_choose(a + 1);
    rh_spawn(keeper, .first = a, .second = b);
}

static void note_kept(struct rh_world *w, void *arg)
{
    char text[64];
    const struct keeper *k = rh_world_actor_state(w, rh_world_actor_count(w) - 1);
    snprintf(text, sizeof text, "%u %u", k->first, k->second);
    tally_add(arg, text);
}

static void choices_of_the_test_give_their_product(void **unused)
{
    (void)unused;
    struct tally t = { .count = 0 };
    struct rh_world *w = open_test("two_choices", NULL);
    assert_int_equal(every_run(w, 100, note_kept, &t), 12); /* 3 * 4 */
    assert_int_equal(t.count, 12);
    rh_world_free(w);
}

static void a_choice_may_depend_on_one_before(void **unused)
{
    (void)unused;
    struct tally t = { .count = 0 };
    struct rh_world *w = open_test("dependent_choices", NULL);
    assert_int_equal(every_run(w, 100, note_kept, &t), 6); /* 1 + 2 + 3; of one value there is no choice */
    assert_int_equal(t.count, 6);
    assert_int_equal(tally_of(&t, "0 0"), 1);
    assert_int_equal(tally_of(&t, "2 2"), 1);
    rh_world_free(w);
}

/* ---- in the middle of a handler -------------------------------------------------------------------------------- */

RH_ACTOR(ear, uint32_t count; uint32_t heard[4];);
RH_HANDLER(ear, told)
{
    state->heard[state->count++] = msg->value;
}
RH_BEHAVIOUR(ear, listening, told);

RH_ACTOR(mouth, rh_ref ear; uint32_t base; bool sender_kept;);
RH_HANDLER(mouth, go)
{
    rh_ref before = rh_sender();
    rh_send(state->ear, told, .value = state->base);
    uint32_t x = rh_choose(3);
    rh_send(state->ear, told, .value = state->base + 1 + x);
    state->sender_kept = rh_same(before, rh_sender());
}
RH_BEHAVIOUR(mouth, ready, go);

RH_TEST(one_mouth)
{
    rh_send(rh_spawn(mouth, .ear = rh_spawn(ear), .base = 10), go);
}

RH_TEST(two_mouths)
{
    rh_ref e = rh_spawn(ear);
    rh_send(rh_spawn(mouth, .ear = e, .base = 10), go);
    rh_send(rh_spawn(mouth, .ear = e, .base = 20), go);
}

static void note_heard(struct rh_world *w, void *arg)
{
    char text[64] = "";
    const struct ear *e = rh_world_actor_state(w, 1);
    for (uint32_t i = 0; i < e->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i ? " " : "", e->heard[i]);
    tally_add(arg, text);
}

static void nobody_moves_while_a_handler_chooses(void **unused)
{
    (void)unused;
    uint32_t n;
    struct rh_world *w = open_test("one_mouth", NULL);
    step_by_text(w, "mouth#1 takes go");
    const struct rh_choice *open = rh_world_enabled(w, &n);
    assert_int_equal(n, 3); /* not the message that was sent before */
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(open[i].kind, RH_CHOICE_VALUE);
        assert_int_equal(open[i].what, i);
        assert_int_equal(open[i].arg, 3);
    }
    struct rh_choice other = { RH_CHOICE_DELIVER, 1, 1, 0 };
    assert_false(rh_world_step(w, &other));
    struct rh_choice beyond = { RH_CHOICE_VALUE, 2, 3, 3 };
    assert_false(rh_world_step(w, &beyond));
    rh_world_free(w);
}

static void a_handler_sends_before_and_after_it_chooses(void **unused)
{
    (void)unused;
    struct tally t = { .count = 0 };
    struct rh_world *w = open_test("one_mouth", NULL);
    assert_int_equal(every_run(w, 100, note_heard, &t), 3);
    assert_int_equal(tally_of(&t, "10 11"), 1);
    assert_int_equal(tally_of(&t, "10 12"), 1);
    assert_int_equal(tally_of(&t, "10 13"), 1);
    rh_world_free(w);
}

static void choices_multiply_with_orders(void **unused)
{
    (void)unused;
    struct tally t = { .count = 0 };
    struct rh_world *w = open_test("two_mouths", NULL);
    uint64_t runs = every_run(w, 10000, note_heard, &t);
    /* Values: 3 * 3.  Orders (fifo): each mouth makes a chain of go, then two messages that the ear takes; both chains
     * interleave freely: 6! / (3! 3!) = 20.  The ear hears the two pairs in one of 4! / (2! 2!) = 6 orders. */
    assert_int_equal(runs, 9 * 20);
    assert_int_equal(t.count, 9 * 6);
    rh_world_free(w);
}

static void the_sender_stays_the_same_over_a_choice(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("one_mouth", NULL);
    step_by_text(w, "mouth#1 takes go");
    step_by_text(w, "mouth#1 chooses 2");
    const struct mouth *m = rh_world_actor_state(w, 2);
    assert_true(m->sender_kept);
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(choices_of_the_test_give_their_product), WORLD_TEST(a_choice_may_depend_on_one_before),
        WORLD_TEST(nobody_moves_while_a_handler_chooses),   WORLD_TEST(a_handler_sends_before_and_after_it_chooses),
        WORLD_TEST(choices_multiply_with_orders),           WORLD_TEST(the_sender_stays_the_same_over_a_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
