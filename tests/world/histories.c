/* Histories are a part of the world: undo, rollback and snapshots restore them, and the state has them. */
#include "world/support/driver.h"

RH_MESSAGE(go);
RH_MESSAGE(add, int value;);
RH_MESSAGE(sum, int value;);

static bool apply(void *state, const struct rh_operation *o)
{
    int *total = state;
    const struct add *a = rh_as(&o->call, add);
    const struct sum *s = rh_as(&o->result, sum);
    *total += a->value;
    return !s || s->value == *total;
}
RH_HISTORY(counters, .state_size = sizeof(int), .apply = apply);

/* Both add 1.  One says that the sum was 1, the other that it was 2: an order, unless the other was first. */
RH_ACTOR(client, int claims; struct rh_call call;);
RH_HANDLER(client, go)
{
    if (!state->call.id) {
        state->call = rh_history_call(counters, "k", add, .value = 1);
        rh_send(self, go);
    } else {
        rh_history_return(counters, state->call, sum, .value = state->claims);
    }
}
RH_BEHAVIOUR(client, calling, go);
RH_TEST(two_clients)
{
    rh_send(rh_spawn(client, .claims = 1), go);
    rh_send(rh_spawn(client, .claims = 2), go);
}

/* The four steps of two clients have 6 orders; in one of them the second client is over before the first begins. */
static void note_end(struct rh_world *w, void *arg)
{
    tally_add(arg, rh_outcome_name(rh_world_outcome(w)->kind));
}

static void only_one_order_has_no_explanation(void **unused)
{
    (void)unused;
    struct tally t = { .count = 0 };
    struct rh_world *w = open_test("two_clients", NULL);
    assert_int_equal(every_run(w, 100, note_end, &t), 6);
    assert_int_equal(tally_of(&t, "history"), 1);
    assert_int_equal(tally_of(&t, "finished"), 5);
    rh_world_free(w);
}

/* Makes the choices of the given clients; each has one at a time. */
static void walk(struct rh_world *w, const char *clients)
{
    for (; *clients; clients++) {
        uint32_t n, i = 0;
        const struct rh_choice *open = rh_world_enabled(w, &n);
        while (i < n && open[i].actor != (uint32_t)(*clients - '0'))
            i++;
        assert_true(i < n);
        struct rh_choice c = open[i];
        assert_true(rh_world_step(w, &c));
    }
}

static const char *end_of(struct rh_world *w)
{
    return rh_outcome_name(rh_world_outcome(w)->kind);
}

static void going_back_restores_the_history(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("two_clients", NULL);
    walk(w, "22");
    struct rh_snapshot *s = rh_world_save(w);
    walk(w, "11");
    assert_string_equal(end_of(w), "history");
    assert_non_null(strstr(rh_world_outcome(w)->text, "on \"k\""));
    rh_world_rollback(w, 1);
    walk(w, "1122");
    assert_string_equal(end_of(w), "finished");
    for (int i = 0; i < 3; i++)
        assert_true(rh_world_undo(w));
    walk(w, "221");
    assert_string_equal(end_of(w), "finished"); /* the first was called before the second returned */
    rh_world_load(w, s);
    rh_snapshot_free(s);
    walk(w, "11");
    assert_string_equal(end_of(w), "history");
    rh_world_reset(w);
    walk(w, "1212");
    assert_string_equal(end_of(w), "finished");
    rh_world_free(w);
}

static uint64_t state_after(struct rh_world *w, const char *clients)
{
    rh_world_reset(w);
    walk(w, clients);
    return rh_world_fingerprint(w);
}

/* Two calls, or two returns, have no order that matters; a return and a call have. */
static void the_state_has_what_matters_of_the_order(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("two_clients", NULL);
    assert_int_equal(state_after(w, "12"), state_after(w, "21"));
    assert_int_equal(state_after(w, "1212"), state_after(w, "1221"));
    assert_int_equal(state_after(w, "1212"), state_after(w, "2112"));
    assert_int_not_equal(state_after(w, "1122"), state_after(w, "1212"));
    assert_int_not_equal(state_after(w, "1122"), state_after(w, "2211"));
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(only_one_order_has_no_explanation),
        WORLD_TEST(going_back_restores_the_history),
        WORLD_TEST(the_state_has_what_matters_of_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
