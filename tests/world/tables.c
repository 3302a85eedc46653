/* Shared tables of the controlled world: equal contents are equal states, whatever led there; going back takes changes
 * of tables back; what is in a table outlives a crash; and a tree of many keys is the list that it should be. */
#include "world/support/driver.h"

RH_MESSAGE(set, char key[8]; int value;);
RH_MESSAGE(unset, char key[8];);
RH_MESSAGE(other, char key[8]; int value;);
RH_MESSAGE(many, uint32_t seed;);
RH_MESSAGE(fill);

RH_TABLE(plain);
RH_TABLE(second);
RH_TABLE_ORDERED(ordered);

RH_ACTOR(setter);
RH_HANDLER(setter, set)
{
    rh_table_put(plain, msg->key, &msg->value, sizeof msg->value);
}
RH_HANDLER(setter, unset)
{
    rh_table_remove(plain, msg->key);
}
RH_HANDLER(setter, other)
{
    rh_table_put(second, msg->key, &msg->value, sizeof msg->value);
}
RH_BEHAVIOUR(setter, open, set, unset, other);

/* ---- fingerprints ------------------------------------------------------------------------------------------------ */

/* Messages of one kind to idle actors, so that the table is all that differs; under bag, in any order. */
RH_TEST(two_setters, .model = RH_BAG)
{
    rh_ref a = rh_spawn(setter);
    rh_send(a, set, .key = "x", .value = 1);
    rh_send(a, set, .key = "y", .value = 2);
    rh_send(a, set, .key = "z", .value = 3);
}

static void fingerprints_of_ends(struct rh_world *w, void *arg)
{
    uint64_t *first = arg, now = rh_world_fingerprint(w);
    if (!*first)
        *first = now;
    assert_true(*first == now);
}

static void contents_count_and_not_the_order_in_which_they_came(void **unused)
{
    (void)unused;
    uint64_t first = 0;
    struct rh_world *w = open_test("two_setters", NULL);
    assert_int_equal(every_run(w, 100, fingerprints_of_ends, &first), 6);
    rh_world_free(w);
}

/* Two keys set, one way or another; what else was under way is gone in each case. */
RH_TEST(detours, .model = RH_BAG)
{
    static const char *const ways[] = { "x1 y2", "y2 x1", "x9 x1 y2", "z3 x1 y2 -z", "y1 x2 x1 y2",
                                        "x2 y1", "x1",    "",         "X1 Y2",       "x1 y2 z0" };
    rh_ref a = rh_spawn(setter);
    for (const char *at = ways[rh_param("way", 0)]; *at; at += 2 + (at[2] == ' ')) {
        char key[8] = { at[*at == '-'] };
        bool in_second = key[0] < 'a' && *at != '-';
        key[0] |= 32;
        struct set s = { .value = at[1] - '0' };
        struct other o = { .value = at[1] - '0' };
        struct unset u = { .key = { key[0] } };
        s.key[0] = o.key[0] = key[0];
        if (*at == '-')
            rh_send_value(a, unset, &u);
        else if (in_second)
            rh_send_value(a, other, &o);
        else
            rh_send_value(a, set, &s);
    }
}

static uint64_t fingerprint_after(const char *way, bool kept_up)
{
    char error[256];
    struct rh_param param = { "way", way };
    struct rh_semantics s = { .model = RH_FIFO };
    struct rh_world_options o = {
        .test = find_test("detours"), .semantics = &s, .params = &param, .param_count = 1, .quiet = true
    };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    assert_non_null(w);
    rh_world_begin(w);
    for (uint32_t n;;) {
        if (kept_up)
            rh_world_fingerprint(w);
        const struct rh_choice *open = rh_world_enabled(w, &n);
        if (!n)
            break;
        assert_true(rh_world_step(w, open));
    }
    assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_FINISHED);
    uint64_t h = rh_world_fingerprint(w);
    rh_world_free(w);
    return h;
}

static void detours_are_forgotten_and_differences_are_not(void **unused)
{
    (void)unused;
    static const char *const same[] = { "0", "1", "2", "3", "4" }, *const different[] = {
        "0", "5", "6", "7", "8", "9"
    };
    uint64_t h = fingerprint_after("0", false);
    for (int i = 0; i < 5; i++)
        for (int kept_up = 0; kept_up < 2; kept_up++)
            if (fingerprint_after(same[i], kept_up) != h)
                fail_msg("way %s, kept up %d, has another fingerprint", same[i], kept_up);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            if (fingerprint_after(different[i], true) == fingerprint_after(different[j], false))
                fail_msg("ways %s and %s have one fingerprint", different[i], different[j]);
}

/* ---- many keys --------------------------------------------------------------------------------------------------- */

enum { KEYS = 600 };

/* What the table should hold, kept by the actor beside it. */
RH_ACTOR(scribe, int value[KEYS]; int count;);
static void key_of(char key[8], uint32_t i)
{
    snprintf(key, 8, "%u", i * 7919 % 10007); /* not in order */
}
static uint32_t next_random(uint32_t *seed)
{
    return (*seed = *seed * 1664525 + 1013904223) >> 8;
}
static void compare_all(const struct scribe *state)
{
    char key[RH_TABLE_KEY_SIZE] = "", last[RH_TABLE_KEY_SIZE] = "";
    int seen = 0, value;
    while (rh_table_next(ordered, key, key, sizeof key)) {
        rh_assert(strcmp(last, key) < 0);
        snprintf(last, sizeof last, "%s", key);
        seen++;
    }
    rh_assert(seen == state->count && rh_table_count(ordered) == (uint32_t)seen);
    for (uint32_t i = 0; i < KEYS; i++) {
        key_of(key, i);
        int64_t size = rh_table_get(ordered, key, &value, sizeof value);
        rh_assert(state->value[i] ? size == sizeof value && value == state->value[i] : size == -1);
    }
}
RH_HANDLER(scribe, many)
{
    uint32_t seed = msg->seed;
    for (int n = 0; n < 300; n++) {
        uint32_t i = next_random(&seed) % KEYS;
        char key[8];
        key_of(key, i);
        if (next_random(&seed) % 5 < 2) {
            rh_assert(rh_table_remove(ordered, key) == (state->value[i] != 0));
            state->count -= state->value[i] != 0;
            state->value[i] = 0;
        } else {
            int value = 1 + (int)(next_random(&seed) % 1000);
            rh_assert(rh_table_put(ordered, key, &value, sizeof value) == (state->value[i] != 0));
            state->count += state->value[i] == 0;
            state->value[i] = value;
        }
    }
    compare_all(state);
}
RH_BEHAVIOUR(scribe, open, many);
RH_TEST(many_keys)
{
    rh_ref s = rh_spawn(scribe);
    for (uint32_t i = 0; i < 12; i++)
        rh_send(s, many, .seed = i);
}

static void a_tree_of_many_keys_is_the_list_it_should_be_on_the_way_there_and_back(void **unused)
{
    (void)unused;
    enum { STEPS = 12 };
    struct digest was[STEPS + 1] = { { 0 } }, now = { 0 };
    uint64_t fingerprint[STEPS + 1];
    struct rh_snapshot *middle = NULL;
    struct rh_world *w = open_test("many_keys", NULL);
    for (int i = 0; i <= STEPS; i++) {
        uint32_t n;
        digest_world(&was[i], w, "", 0);
        fingerprint[i] = rh_world_fingerprint(w);
        if (i == STEPS / 2)
            middle = rh_world_save(w);
        const struct rh_choice *open = rh_world_enabled(w, &n);
        assert_int_equal(n, i < STEPS);
        if (n)
            assert_true(rh_world_step(w, open));
    }
    assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_FINISHED);
    for (int i = STEPS; i--;) {
        assert_true(rh_world_undo(w));
        digest_world(&now, w, "", 0);
        assert_string_equal(now.text, was[i].text);
        assert_true(rh_world_fingerprint(w) == fingerprint[i]);
    }
    rh_world_load(w, middle);
    digest_world(&now, w, "", 0);
    assert_string_equal(now.text, was[STEPS / 2].text);
    assert_true(rh_world_fingerprint(w) == fingerprint[STEPS / 2]); /* computed afresh */
    rh_world_reset(w);
    digest_world(&now, w, "", 0);
    assert_string_equal(now.text, was[0].text);
    assert_int_equal(w->table_count, 0);
    rh_snapshot_free(middle);
    rh_world_free(w);
    for (int i = 0; i <= STEPS; i++)
        digest_free(&was[i]);
    digest_free(&now);
}

/* ---- crashes, limits --------------------------------------------------------------------------------------------- */

RH_PROCESS(patient);
RH_BODY(patient)
{
    int64_t lives = rh_table_add(plain, "lives", 1);
    rh_log("life %lld", (long long)lives);
    rh_receive_any(.idle = true);
}
RH_TEST(crashing, .crashes = 1, .restarts = 1)
{
    rh_spawn(patient);
}

static void what_is_in_a_table_outlives_a_crash(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("crashing", NULL);
    step_by_text(w, "patient#1 takes rh_start");
    step_by_text(w, "patient#1 crashes");
    step_by_text(w, "patient#1 starts again");
    step_by_text(w, "patient#1 takes rh_start");
    assert_int_equal(rh_world_log_count(w), 2);
    assert_string_equal(rh_world_log_line(w, 1).text, "life 2");
    rh_world_free(w);
}

RH_ACTOR(filler);
RH_HANDLER(filler, fill)
{
    char key[16];
    for (uint32_t i = 0; i <= MAX_ITEMS; i++) {
        snprintf(key, sizeof key, "%u", i);
        rh_table_put(ordered, key, "", 0);
    }
}
RH_BEHAVIOUR(filler, open, fill);
RH_TEST(filling)
{
    rh_send(rh_spawn(filler), fill);
}

static void too_many_keys_are_a_finding(void **unused)
{
    (void)unused;
    uint32_t n;
    struct rh_world *w = open_test("filling", NULL);
    for (int again = 0; again < 2; again++) {
        const struct rh_choice *open = rh_world_enabled(w, &n);
        assert_int_equal(n, 1);
        assert_true(rh_world_step(w, open));
        assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_LIMIT);
        assert_non_null(strstr(rh_world_outcome(w)->text, "more than 262144 keys in tables"));
        assert_non_null(strstr(rh_world_outcome(w)->place, "tables.c:"));
        assert_true(rh_world_undo(w));
    }
    rh_world_free(w);
}

/* ---- what is one step -------------------------------------------------------------------------------------------- */

RH_PROCESS(pair, char key[2];);
RH_BODY(pair)
{
    rh_table_add(plain, state->key, 1);
    rh_table_add(plain, state->key, 1);
}
RH_TEST(pairs)
{
    rh_spawn(pair, .key = "x");
    rh_spawn(pair, .key = "y");
}

/* A process of two operations has four steps with granularity object, the first up to its first operation, the last its
 * end.  The test's body, which only spawns, is one step with every granularity. */
static void each_operation_is_a_step_where_the_granularity_says_so(void **unused)
{
    (void)unused;
    static const struct {
        enum rh_granularity granularity;
        uint64_t runs;
    } cases[] = { { RH_GRAIN_HANDLER, 2 }, { RH_GRAIN_OBJECT, 70 } };
    for (int i = 0; i < 2; i++) {
        struct rh_semantics s = { .granularity = cases[i].granularity };
        struct rh_world *w = open_test("pairs", &s);
        assert_int_equal(every_run(w, 1000, NULL, NULL), cases[i].runs);
        rh_world_free(w);
    }
}

RH_PROCESS(toucher, int what;);
RH_BODY(toucher)
{
    char key[RH_TABLE_KEY_SIZE];
    switch (state->what) {
    case 0:
        rh_table_put(plain, "a", "", 0);
        break;
    case 1:
        rh_table_get(plain, "a", NULL, 0);
        break;
    case 2:
        rh_table_add(plain, "b", 1);
        break;
    case 3:
        rh_table_put(second, "a", "", 0);
        break;
    case 4:
        rh_table_put(ordered, "a", "", 0);
        break;
    case 5:
        rh_table_get(ordered, "b", NULL, 0);
        break;
    case 6:
        rh_table_count(ordered);
        break;
    default:
        rh_table_next(ordered, NULL, key, sizeof key);
    }
}
RH_TEST(touchers, .granularity = RH_GRAIN_OBJECT)
{
    for (int i = 0; i < 8; i++)
        rh_spawn(toucher, .what = i);
}

static void an_object_is_a_key_or_an_ordered_table(void **unused)
{
    (void)unused;
    static const int same[8] = { 0, 0, 1, 2, 3, 3, 3, 3 };
    uint64_t object[8];
    struct rh_world *w = open_test("touchers", NULL);
    for (int i = 0; i < 8; i++) {
        char text[64];
        snprintf(text, sizeof text, "toucher#%d takes rh_start", i + 1);
        step_by_text(w, text);
        object[i] = w->actors[1 + i].object; /* it stands before its operation */
        assert_int_equal(w->actors[1 + i].status, STATUS_PREEMPTED);
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            assert_int_equal(object[i] == object[j], same[i] == same[j]);
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(contents_count_and_not_the_order_in_which_they_came),
        WORLD_TEST(detours_are_forgotten_and_differences_are_not),
        WORLD_TEST(a_tree_of_many_keys_is_the_list_it_should_be_on_the_way_there_and_back),
        WORLD_TEST(what_is_in_a_table_outlives_a_crash),
        WORLD_TEST(too_many_keys_are_a_finding),
        WORLD_TEST(each_operation_is_a_step_where_the_granularity_says_so),
        WORLD_TEST(an_object_is_a_key_or_an_ordered_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
