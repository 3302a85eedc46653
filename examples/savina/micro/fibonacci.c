/* Fibonacci: an actor for each call of the recursive function; it starts two others for its arguments.
 *
 * Invariant: the result is the Fibonacci number, and the tree has as many actors as calls.
 * No bug: the parent adds two numbers, whichever comes first. */
#include "../savina.h"

enum { MOST = 24 };

RH_MESSAGE(fib, int n;);
RH_MESSAGE(value, int64_t value; int64_t calls;);
RH_MESSAGE(compute_fib, int n;);
RH_MESSAGE(computed, int64_t value; int64_t calls; bool refused;);

/* ---- a call ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(call, rh_ref parent; int missing; int64_t sum; int64_t calls;);
RH_HANDLER(call, fib)
{
    rh_assert(msg->n >= 0 && msg->n <= MOST, "fib(%d)", msg->n);
    state->parent = rh_sender();
    state->calls = 1;
    if (msg->n < 2) {
        rh_reply(value, .value = msg->n, .calls = 1);
        rh_stop();
        return;
    }
    state->missing = 2;
    rh_send(rh_spawn(call), fib, .n = msg->n - 1);
    rh_send(rh_spawn(call), fib, .n = msg->n - 2);
}
RH_HANDLER(call, value)
{
    state->sum += msg->value;
    state->calls += msg->calls;
    if (--state->missing == 0) {
        rh_send(state->parent, value, .value = state->sum, .calls = state->calls);
        rh_stop();
    }
}
RH_BEHAVIOUR(call, open, fib, value);

/* ---- root -------------------------------------------------------------------------------------------------------- */
RH_ACTOR(root, struct rh_request client; int n;);

static int64_t fib_of(int n)
{
    int64_t a = 0, b = 1;
    while (n-- > 0) {
        int64_t next = a + b;
        a = b;
        b = next;
    }
    return a;
}
RH_HANDLER(root, compute_fib)
{
    if (msg->n < 0 || msg->n > MOST) {
        rh_reply(computed, .refused = true);
        return;
    }
    state->client = rh_keep_request();
    state->n = msg->n;
    rh_send(rh_spawn(call), fib, .n = msg->n);
    rh_become(root, waiting);
}
RH_HANDLER(root, value)
{
    rh_assert(msg->value == fib_of(state->n), "fib(%d) is %lld", state->n, (long long)msg->value);
    /* The calls for n: 1 and those for n - 1 and n - 2, which is 2 fib(n + 1) - 1. */
    rh_assert(msg->calls == 2 * fib_of(state->n + 1) - 1, "%lld calls for %d", (long long)msg->calls, state->n);
    rh_reply_to(state->client, computed, .value = msg->value, .calls = msg->calls);
    rh_become(root, ready);
}
RH_HANDLER(root, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(root, ready, compute_fib, stop);
RH_BEHAVIOUR(root, waiting, value, RH_DEFER(compute_fib), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int n;);
RH_BODY(driver)
{
    rh_ref r = rh_spawn(root);
    const struct computed *c = rh_ask(r, compute_fib, computed, .n = state->n);
    rh_assert(!c->refused);
    rh_log("fibonacci: fib(%d) is %lld, in %lld calls", state->n, (long long)c->value, (long long)c->calls);
    rh_send(r, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .n = 18)
#else
RH_PARAM(n, "4", "the argument");

RH_TEST(the_number_is_right)
{
    rh_spawn(driver, .n = (int)rh_param("n", 4));
}

static bool is_small(const struct compute_fib *m)
{
    return m->n <= 5 || m->n > MOST;
}
RH_TEST(anybody_may_ask, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(root), compute_fib, .when = is_small);
}

RH_MAIN()
#endif
