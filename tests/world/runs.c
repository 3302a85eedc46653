/* Runs of a controlled world: numbers of choice sequences that are known, undo, reset, snapshots. */
#include <rehearse/world.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

RH_MESSAGE(hello, int from;);
RH_MESSAGE(ball, int round;);

/* ---- n external senders, one receiver: n! sequences -------------------------------------------------------------- */
RH_ACTOR(receiver, int count; int order[16];);
RH_HANDLER(receiver, hello)
{
    state->order[state->count++] = msg->from;
}
RH_BEHAVIOUR(receiver, listening, hello);

RH_TEST(senders)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    rh_ref r = rh_spawn(receiver);
    for (int i = 0; i < rh_param("senders", 3); i++)
        rh_send_from(rh_external(names[i]), r, hello, .from = i);
}

/* ---- a and b play; each round a sends two balls by two helpers, in any order: 2^n sequences ---------------------- */
RH_ACTOR(pong, rh_ref ping; int got;);
RH_ACTOR(ping, rh_ref pong; int left;);
RH_HANDLER(ping, ball)
{
    if (!state->left--)
        return;
    rh_send_from(rh_external("left"), state->pong, ball, .round = 1);
    rh_send_from(rh_external("right"), state->pong, ball, .round = 2);
}
RH_BEHAVIOUR(ping, playing, ball);
RH_HANDLER(pong, ball)
{
    if (++state->got % 2 == 0)
        rh_send(state->ping, ball);
}
RH_BEHAVIOUR(pong, playing, ball);
RH_TEST(pingpong)
{
    rh_ref a = rh_spawn(ping, .left = (int)rh_param("n", 3));
    rh_ref b = rh_spawn(pong, .ping = a);
    (void)b;
    rh_send(rh_spawn(ping, .pong = b, .left = 0), ball);
}

/* ---- driver ------------------------------------------------------------------------------------------------------ */

static const struct rh_test *find(const char *name)
{
    const struct rh_test *t = rh_test_first();
    while (t && strcmp(t->name, name) != 0)
        t = t->next;
    assert_non_null(t);
    return t;
}

static struct rh_world *open_world(const char *test, const char *param, const char *value)
{
    static struct rh_param p;
    char error[256];
    p = (struct rh_param){ param, value };
    struct rh_world_options o = { .test = find(test), .params = &p, .param_count = 1 };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    if (!w)
        fail_msg("%s", error);
    rh_world_begin(w);
    return w;
}

/* Every sequence of choices, by undo. */
static long count_by_undo(struct rh_world *w)
{
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(w, &n);
    if (!n)
        return 1;
    struct rh_choice copy[64];
    memcpy(copy, open, n * sizeof *copy);
    long sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert_true(rh_world_step(w, &copy[i]));
        sum += count_by_undo(w);
        assert_true(rh_world_undo(w));
    }
    return sum;
}

/* The same by reset and replay. */
static long count_by_replay(struct rh_world *w)
{
    uint32_t pick[256], size[256], top = 0;
    long runs = 0;
    for (;;) {
        uint32_t depth = 0, n;
        rh_world_reset(w);
        for (const struct rh_choice *open; (open = rh_world_enabled(w, &n)), n; depth++) {
            if (depth == top) {
                pick[top] = 0;
                size[top++] = n;
            }
            assert_int_equal(n, size[depth]);
            assert_true(rh_world_step(w, &open[pick[depth]]));
        }
        runs++;
        while (top && pick[top - 1] + 1 == size[top - 1])
            top--;
        if (!top)
            return runs;
        pick[top - 1]++;
    }
}

static void n_senders_have_n_factorial_sequences(void **unused)
{
    (void)unused;
    const char *n[] = { "1", "2", "3", "4", "5", "6" };
    long want = 1;
    for (int i = 0; i < 6; i++) {
        want *= i + 1;
        struct rh_world *w = open_world("senders", "senders", n[i]);
        assert_int_equal(count_by_undo(w), want);
        assert_int_equal(count_by_replay(w), want);
        rh_world_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(n_senders_have_n_factorial_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
