/* Messages from outside (rh_open): numbers of runs derived by hand, values that fulfil the test's condition, locality,
 * and values as text. */
#include "world/support/driver.h"

#include "world/fields.h"
#include "world/live.h"

RH_MESSAGE(ping);
RH_MESSAGE(amount, int value;);
RH_MESSAGE(letter, char text[8]; rh_ref to; uint8_t small[3]; bool flag; double real; unsigned long long large;
           enum rh_model model; int16_t a, b;);
struct pair {
    int left, right;
};
RH_MESSAGE(odd, struct pair p;);
RH_MESSAGE(bits, int a : 3; int b : 5;);

RH_ACTOR(ear, uint32_t count; int heard[8]; rh_ref from[8];);
RH_HANDLER(ear, ping)
{
    state->heard[state->count++] = 1;
}
RH_HANDLER(ear, amount)
{
    state->heard[state->count++] = msg->value;
}
RH_HANDLER(ear, letter)
{
    state->from[state->count++] = msg->to;
}
RH_BEHAVIOUR(ear, listening, ping, amount, letter);

RH_TEST(pings)
{
    rh_open(rh_spawn(ear), ping);
}

RH_TEST(two_ears)
{
    rh_ref a = rh_spawn(ear), b = rh_spawn(ear);
    rh_open(a, ping);
    rh_open(b, ping);
}

static bool is_even_and_small(const struct amount *m)
{
    return m->value > 0 && m->value < 100 && m->value % 2 == 0;
}
RH_TEST(even_amounts)
{
    rh_open(rh_spawn(ear), amount, .when = is_even_and_small);
}

RH_TEST(any_amount)
{
    rh_open(rh_spawn(ear), amount);
}

static bool is_never(const struct amount *m)
{
    return m->value == 123456789;
}
RH_TEST(rare_amounts)
{
    rh_open(rh_spawn(ear), amount, .when = is_never);
}

RH_TEST(letters)
{
    rh_ref a = rh_spawn(ear);
    rh_spawn(ear); /* not opened: the outside does not know it */
    rh_ref c = rh_spawn(ear);
    rh_open(a, letter);
    rh_open(c, ping);
}

static void count_only(struct rh_world *w, void *arg)
{
    assert_false(rh_outcome_failed(rh_world_outcome(w)->kind));
    ++*(uint64_t *)arg;
}

static uint64_t runs_of(const char *test, struct rh_semantics s)
{
    uint64_t ended = 0;
    struct rh_world *w = open_test(test, &s);
    uint64_t made = every_run(w, 1000000, count_only, &ended);
    rh_world_free(w);
    assert_int_equal(made, ended);
    return made;
}

/* S is a send, D a delivery, E the end, which is offered only when nothing is under way.
 *   one:  E, S D                                           2
 *   two:  E, S D E, S D S D, S S D1 D2, S S D2 D1          5, since the senders differ
 * Two receivers, one message: E, and S D to either           3 */
static void each_message_is_a_choice_within_the_budget(void **unused)
{
    (void)unused;
    assert_int_equal(runs_of("pings", (struct rh_semantics){ .outside = 1 }), 2);
    assert_int_equal(runs_of("pings", (struct rh_semantics){ .outside = 2 }), 5);
    assert_int_equal(runs_of("pings", (struct rh_semantics){ .model = RH_BAG, .outside = 2 }), 5);
    assert_int_equal(runs_of("two_ears", (struct rh_semantics){ .outside = 1 }), 3);
}

/* Under mailbox the order of the sends is the order of arrival: S S has one delivery order, so 4. */
static void under_mailbox_the_first_sent_comes_first(void **unused)
{
    (void)unused;
    assert_int_equal(runs_of("pings", (struct rh_semantics){ .model = RH_MAILBOX, .outside = 2 }), 4);
}

/* Each of k distinct values: 1 + k runs. */
static void each_drawn_value_is_a_choice(void **unused)
{
    (void)unused;
    assert_int_equal(runs_of("any_amount", (struct rh_semantics){ .outside = 1, .outside_values = 1 }), 2);
    assert_int_equal(runs_of("any_amount", (struct rh_semantics){ .outside = 1, .outside_values = 12 }), 13);
}

static void note_heard(struct rh_world *w, void *arg)
{
    const struct ear *e = rh_world_actor_state(w, 1);
    for (uint32_t i = 0; i < e->count; i++) {
        assert_true(is_even_and_small(&(struct amount){ e->heard[i] }));
        ++*(uint64_t *)arg;
    }
}

static void values_fulfil_the_condition(void **unused)
{
    (void)unused;
    uint64_t heard = 0;
    struct rh_world *w = open_test("even_amounts", &(struct rh_semantics){ .outside = 2, .outside_values = 4 });
    every_run(w, 100000, note_heard, &heard);
    assert_true(heard > 20);
    rh_world_free(w);
}

static void a_condition_that_no_drawn_value_fulfils_is_reported(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("rare_amounts", &(struct rh_semantics){ .outside = 1 });
    assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_MISUSE);
    assert_non_null(strstr(rh_world_outcome(w)->text, "fulfils .when"));
    rh_world_free(w);
}

static void a_test_must_say_how_many_messages_come_from_outside(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("pings", NULL);
    assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_MISUSE);
    assert_non_null(strstr(rh_world_outcome(w)->text, ".outside = 4"));
    rh_world_free(w);
}

static void note_references(struct rh_world *w, void *arg)
{
    const struct ear *e = rh_world_actor_state(w, 1);
    char name[64];
    for (uint32_t i = 0; i < e->count; i++) {
        rh_world_actor_name(w, rh__actor_of_ref(w, e->from[i]), name, sizeof name);
        tally_add(arg, name);
    }
}

static void the_outside_knows_only_opened_actors(void **unused)
{
    (void)unused;
    struct tally t = { .count = 0 };
    struct rh_world *w = open_test("letters", &(struct rh_semantics){ .outside = 1, .outside_values = 60 });
    every_run(w, 100000, note_references, &t);
    assert_true(tally_of(&t, "ear#1") && tally_of(&t, "ear#3") && tally_of(&t, "outside"));
    assert_int_equal(tally_of(&t, "ear#2"), 0);
    rh_world_free(w);
}

/* ---- values as text ---------------------------------------------------------------------------------------------- */

static void check_text(const struct rh_world *w, const struct rh_message_type *type, const void *value,
                       const char *wanted)
{
    struct rh__fields f;
    struct rh__text t;
    char text[1024], back[256];
    const uint32_t known[] = { 1, 3 };
    const struct rh__fields_pool pool = { .known = known, .known_count = 2 };
    rh__fields_of(&f, type);
    rh__text_init(&t, text, sizeof text);
    rh__fields_write(&f, w, value, &t);
    assert_string_equal(text, wanted);
    assert_true(rh__fields_read(&f, w, text, &pool, back));
    assert_memory_equal(back, value, type->size);
}

static void values_are_written_and_read_as_text(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("letters", &(struct rh_semantics){ .outside = 1 });
    struct letter l;
    memset(&l, 0, sizeof l);
    check_text(w, &rh_message_letter, &l,
               "letter { .text = \"\", .to = nobody, .small = { 0, 0, 0 }, .flag = 0, .real = 0, .large = 0, .model = "
               "0, .a = 0, .b = 0 }");
    strcpy(l.text, "ab_9");
    l.to = ref_of(3);
    l.small[1] = 255;
    l.flag = true;
    l.real = -0.1;
    l.large = ~0ull;
    l.model = RH_CAUSAL;
    l.b = -32768;
    check_text(w, &rh_message_letter, &l,
               "letter { .text = \"ab_9\", .to = ear#3, .small = { 0, 255, 0 }, .flag = 1, .real = "
               "-0.10000000000000001, .large = 18446744073709551615, .model = 2, .a = 0, .b = -32768 }");
    memcpy(l.text, "a \"#\n}c", 8);
    check_text(w, &rh_message_letter, &l,
               "letter { .text = { 97, 32, 34, 35, 10, 125, 99, 0 }, .to = ear#3, .small = { 0, 255, 0 }, .flag = 1, "
               ".real = -0.10000000000000001, .large = 18446744073709551615, .model = 2, .a = 0, .b = -32768 }");
    check_text(w, &rh_message_ping, &(struct ping){ 0 }, "ping");
    check_text(w, &rh_message_odd, &(struct odd){ { 1, -1 } }, "odd bytes 01000000ffffffff");
    check_text(w, &rh_message_bits, &(struct bits){ .a = 1 }, "bits bytes 01000000");
    rh_world_free(w);
}

static void text_that_is_no_value_is_refused(void **unused)
{
    (void)unused;
    static const char *const wrong[] = {
        "",
        "letter",
        "letter { .text = \"123456789\" }",
        "letter { .to = ear#2 }", /* not known */
        "letter { .flag = 2 }",
        "letter { .small = { 1, 2, 3, 4 } }",
        "letter { .small = { 256 } }",
        "letter { .a = 32768 }",
        "letter { .c = 1 }",
        "letter { .a = }",
        "letter { .a = 1, }",
        "letter { .a = 1",
        "letter { .a = 1 } more",
        "letters { }",
        "letter bytes 00",
        ("letter bytes 0000000000000000010000000000000000000000000000000000000000000000000000000000000000000000"
         "00000000"), /* an unknown reference */
    };
    struct rh_world *w = open_test("letters", &(struct rh_semantics){ .outside = 1 });
    struct rh__fields f;
    struct letter l;
    const uint32_t known[] = { 1, 3 };
    const struct rh__fields_pool pool = { .known = known, .known_count = 2 };
    rh__fields_of(&f, &rh_message_letter);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (rh__fields_read(&f, w, wrong[i], &pool, &l))
            fail_msg("\"%s\" was read", wrong[i]);
    assert_true(rh__fields_read(&f, w,
                                "letter bytes 6100000000000000000000000000000000000000000000000000000000000000"
                                "000000000000000000000000f9ff0000",
                                &pool, &l));
    assert_int_equal(l.b, 0);
    assert_string_equal(l.text, "a");
    assert_true(rh__fields_read(&f, w, "letter { .b=7 , .text = \"x\" }", &pool, &l));
    assert_int_equal(l.b, 7);
    assert_string_equal(l.text, "x");
    rh_world_free(w);
}

static void drawn_values_survive_their_text(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("letters", &(struct rh_semantics){ .outside = 1 });
    struct rh__fields f;
    struct rh__text t;
    uint64_t random = 1;
    char text[1024];
    const uint32_t known[] = { 1, 3 };
    const struct rh__fields_pool pool = { .known = known, .known_count = 2 };
    rh__fields_of(&f, &rh_message_letter);
    for (int i = 0; i < 2000; i++) {
        struct letter l, back;
        rh__fields_draw(&f, &pool, &random, &l);
        rh__text_init(&t, text, sizeof text);
        rh__fields_write(&f, w, &l, &t);
        assert_true(rh__fields_read(&f, w, text, &pool, &back));
        assert_memory_equal(&back, &l, sizeof l);
    }
    rh_world_free(w);
}

/* Half of all numbers that are drawn come from the list: 16 values have 4711 almost surely, and otherwise do not. */
static bool offers_4711(bool listed)
{
    static const int64_t numbers[] = { 4711 };
    char error[256];
    struct rh_semantics s = { .outside = 1, .outside_values = 16 };
    struct rh_world_options o = { .test = find_test("any_amount"), .semantics = &s };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    if (listed)
        rh__world_draw_from(w, numbers, 1);
    rh_world_begin(w);
    bool found = is_open(w, "ear#1 gets amount { .value = 4711 } from outside");
    rh_world_free(w);
    return found;
}

static void listed_numbers_are_drawn(void **unused)
{
    (void)unused;
    assert_true(offers_4711(true));
    assert_false(offers_4711(false));
}

/* A value that is given is offered beside the drawn ones, once; one that the test does not allow is not. */
static void given_values_are_offered(void **unused)
{
    (void)unused;
    char error[256];
    struct rh_semantics s = { .outside = 1, .outside_values = 1 };
    struct rh_world_options o = { .test = find_test("even_amounts"), .semantics = &s };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    rh__world_give(w, "amount { .value = 76 }");
    rh__world_give(w, "amount { .value = 76 }");
    rh__world_give(w, "amount { .value = 77 }");
    rh__world_give(w, "amount { .value = }");
    rh__world_give(w, "ping");
    rh_world_begin(w);
    uint32_t n;
    rh_world_enabled(w, &n);
    assert_int_equal(n, 3); /* the end, the drawn value, the given one */
    assert_true(is_open(w, "ear#1 gets amount { .value = 76 } from outside"));
    step_by_text(w, "ear#1 gets amount { .value = 76 } from outside");
    step_by_text(w, "ear#1 takes amount from outside 1");
    assert_int_equal(((const struct ear *)rh_world_actor_state(w, 1))->heard[0], 76);
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(each_message_is_a_choice_within_the_budget),
        WORLD_TEST(under_mailbox_the_first_sent_comes_first),
        WORLD_TEST(each_drawn_value_is_a_choice),
        WORLD_TEST(values_fulfil_the_condition),
        WORLD_TEST(a_condition_that_no_drawn_value_fulfils_is_reported),
        WORLD_TEST(a_test_must_say_how_many_messages_come_from_outside),
        WORLD_TEST(the_outside_knows_only_opened_actors),
        WORLD_TEST(values_are_written_and_read_as_text),
        WORLD_TEST(text_that_is_no_value_is_refused),
        WORLD_TEST(drawn_values_survive_their_text),
        WORLD_TEST(listed_numbers_are_drawn),
        WORLD_TEST(given_values_are_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
