/* RH_STATE_HASH: what of an actor's state counts when states are compared; how well states merge. */
#include "explore/support/runs.h"

/* A set, as a list in the order in which its elements came.  Five elements are in it or not: 32 sets, and 326 orders in
 * which some of five can have come (the sum over k of 5! / (5 - k)!). */
RH_MESSAGE(put, uint32_t key;);
struct link {
    struct link *next;
    uint32_t key;
};
#define BAG_FIELDS                                                                                                     \
    struct link *first;                                                                                                \
    uint32_t count;
RH_ACTOR(plain_bag, BAG_FIELDS);
RH_ACTOR(hashed_bag, BAG_FIELDS);
RH_ACTOR(wrong_bag, BAG_FIELDS);

static void push(struct link **first, uint32_t *count, uint32_t key)
{
    struct link *n = malloc(sizeof *n);
    assert_non_null(n);
    *n = (struct link){ *first, key };
    *first = n;
    ++*count;
}
RH_HANDLER(plain_bag, put)
{
    push(&state->first, &state->count, msg->key);
}
RH_BEHAVIOUR(plain_bag, open_, put);

RH_HANDLER(hashed_bag, put)
{
    push(&state->first, &state->count, msg->key);
}
RH_BEHAVIOUR(hashed_bag, open_, put);
RH_STATE_HASH(hashed_bag)
{
    rh_state_add(hash, &state->count, sizeof state->count);
    for (const struct link *n = state->first; n; n = n->next)
        rh_state_add_any(hash, &n->key, sizeof n->key);
}

/* The third element makes it tell of the first one, and its hash leaves out which one that was. */
RH_HANDLER(wrong_bag, put)
{
    push(&state->first, &state->count, msg->key);
    if (state->count == 3)
        rh_send(self, put, .key = 90 + state->first->next->next->key);
}
RH_BEHAVIOUR(wrong_bag, open_, put);
RH_STATE_HASH(wrong_bag)
{
    rh_state_add(hash, &state->count, sizeof state->count);
}

#define FIVE_PUTS(bag)                                                                                                 \
    rh_ref to = rh_spawn(bag);                                                                                         \
    for (uint32_t i = 0; i < 5; i++)                                                                                   \
    rh_send(to, put, .key = i)
RH_TEST(plain, .model = RH_BAG)
{
    FIVE_PUTS(plain_bag);
}
RH_TEST(hashed, .model = RH_BAG)
{
    FIVE_PUTS(hashed_bag);
}
RH_TEST(wrong, .model = RH_BAG)
{
    FIVE_PUTS(wrong_bag);
}

struct told {
    char notes[1024];
    enum rh_verdict verdict;
    uint64_t states;
};

static struct told explore(const char *test, const char *explorer)
{
    struct told t;
    struct rh_world *w = world_of(test, NULL, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, 0);
    rh_inner_notes(&x->explorer, t.notes, sizeof t.notes);
    t.verdict = rh__exploration_verdict(x);
    t.states = strtoull(t.notes, NULL, 10);
    rh__exploration_free(x);
    rh_world_free(w);
    return t;
}

static void states_differ_by_what_the_hash_has(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "stateful", "stateful(check)", "stateful(plain)", "delay(rtc, ses)" };
    for (size_t i = 0; i < 4; i++) {
        struct told bytes = explore("plain", explorers[i]), own = explore("hashed", explorers[i]);
        assert_int_equal(bytes.states, 326);
        assert_int_equal(own.states, 32);
        assert_int_equal(own.verdict, RH_VERDICT_EXHAUSTIVE);
    }
}

/* Two orders of two elements count as one state, and the third element shows the difference. */
static void a_wrong_hash_is_found_by_check(void **unused)
{
    (void)unused;
    struct told t = explore("wrong", "stateful(check)");
    print_message("%s\n", t.notes);
    assert_int_equal(t.verdict, RH_VERDICT_SAMPLED);
    assert_non_null(strstr(t.notes, "two states that count as one behave differently"));
    t = explore("hashed", "stateful(check)");
    assert_null(strstr(t.notes, "behave differently"));
    assert_non_null(strstr(t.notes, " steps from states that were visited before"));
}

/* ---- which actor splits ------------------------------------------------------------------------------------------ */

RH_MESSAGE(tick_);
RH_ACTOR(counter, uint32_t at, end;);
RH_HANDLER(counter, tick_)
{
    if (++state->at < state->end)
        rh_send(self, tick_);
}
RH_BEHAVIOUR(counter, counting, tick_);
/* One of 400 states and two of 3 each, besides the first: 401 * 4 * 4. */
RH_TEST(counters, .max_steps = 2000)
{
    for (uint32_t i = 0; i < 3; i++)
        rh_send(rh_spawn(counter, .end = i ? 3 : 400), tick_);
}

static double number_behind(const char *notes, const char *name)
{
    const char *at = strstr(notes, name);
    assert_non_null(at);
    return strtod(at + strlen(name), NULL);
}

static void notes_say_which_actor_has_most_states(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "stateful", "delay(rr, ses)" };
    for (size_t i = 0; i < 2; i++) {
        struct told t = explore("counters", explorers[i]);
        print_message("%s\n", t.notes);
        assert_int_equal(t.states, 401 * 4 * 4);
        double first = number_behind(t.notes, "counter#1 "), second = number_behind(t.notes, "counter#2 ");
        assert_true(first > 340 && first < 460);
        assert_true(second > 2 && second < 5);
        assert_true(strstr(t.notes, "counter#1") < strstr(t.notes, "counter#2"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(states_differ_by_what_the_hash_has),
        EXPLORE_TEST(a_wrong_hash_is_found_by_check),
        EXPLORE_TEST(notes_say_which_actor_has_most_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
