/* The sieve of Eratosthenes: a chain of filters.  A filter lets numbers through that none of its primes divides; it
 * keeps the first ones as primes of its own, and starts the next filter when it has enough.
 *
 * Invariant: as many primes are found as there are, and the last one is right.
 * Bug scattered: each filter reports its primes to the master when the end comes by, and the last filter says that
 * this is the end.  That may overtake reports of other filters.  Without the bug the end collects the counts on its
 * way. */
#include "../savina.h"

enum { MOST = 20000, OWN = 2, MOST_OWN = 64 };

RH_MESSAGE(find_primes, int below; int own;);
RH_MESSAGE(primes_found, int count; int last; bool refused;);
RH_MESSAGE(candidate, int value;);
RH_MESSAGE(end, int count; int last;);
RH_MESSAGE(report, int count; int last;); /* with the bug */
RH_MESSAGE(chain_end, int count; int last;);

static bool is_prime(int n)
{
    for (int d = 2; d * d <= n; d++)
        if (n % d == 0)
            return false;
    return n >= 2;
}

/* ---- filter ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(filter, rh_ref master; int own; int count; int primes[MOST_OWN]; rh_ref next; bool scattered;);
RH_HANDLER(filter, candidate)
{
    for (int i = 0; i < state->count; i++)
        if (msg->value % state->primes[i] == 0)
            return;
    if (state->count < state->own) {
        rh_assert(is_prime(msg->value), "%d is no prime", msg->value);
        state->primes[state->count++] = msg->value;
        return;
    }
    if (rh_is_nobody(state->next))
        state->next = rh_spawn(filter, .master = state->master, .own = state->own, .scattered = state->scattered);
    rh_send(state->next, candidate, .value = msg->value);
}
RH_HANDLER(filter, end)
{
    int last = state->count ? state->primes[state->count - 1] : msg->last;
    if (state->scattered)
        rh_send(state->master, report, .count = state->count, .last = last);
    int count = state->scattered ? 0 : msg->count + state->count;
    if (rh_is_nobody(state->next))
        rh_send(state->master, chain_end, .count = count, .last = last);
    else
        rh_send(state->next, end, .count = count, .last = last);
    rh_stop();
}
RH_BEHAVIOUR(filter, open, candidate, end);

/* ---- master ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(master, struct rh_request client; int below; int count; int last; bool scattered;);
RH_HANDLER(master, find_primes)
{
    if (msg->below < 3 || msg->below > MOST || msg->own < 1 || msg->own > MOST_OWN) {
        rh_reply(primes_found, .refused = true);
        return;
    }
    *state = (struct master){ .below = msg->below, .scattered = state->scattered };
    state->client = rh_keep_request();
    rh_ref first = rh_spawn(filter, .master = self, .own = msg->own, .scattered = state->scattered);
    rh_send(first, candidate, .value = 2);
    for (int i = 3; i < msg->below; i += 2)
        rh_send(first, candidate, .value = i);
    rh_send(first, end);
    rh_become(master, waiting);
}
RH_HANDLER(master, report)
{
    state->count += msg->count;
}
RH_HANDLER(master, chain_end)
{
    int count = 0, last = 0;
    for (int i = 2; i < state->below; i++)
        if (is_prime(i)) {
            count++;
            last = i;
        }
    state->count += msg->count;
    rh_assert(state->count == count, "%d primes below %d instead of %d", state->count, state->below, count);
    rh_assert(msg->last == last, "the last prime is %d instead of %d", msg->last, last);
    rh_reply_to(state->client, primes_found, .count = count, .last = last);
    rh_become(master, ready);
}
RH_HANDLER(master, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(master, ready, find_primes, stop);
RH_BEHAVIOUR(master, waiting, report, chain_end, RH_DEFER(find_primes), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int below; int own; bool scattered;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(master, .scattered = state->scattered);
    const struct primes_found *r = rh_ask(m, find_primes, primes_found, .below = state->below, .own = state->own);
    rh_assert(!r->refused);
    rh_log("sieve: %d primes below %d, the last is %d", r->count, state->below, r->last);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .below = 10000, .own = MOST_OWN)
#else
RH_PARAM(below, "12", "the primes below this number are found");
RH_PARAM(own, "2", "how many primes a filter has");
RH_BUG(scattered, "each filter reports its own primes");

RH_TEST(all_primes_are_found)
{
    rh_spawn(driver, .below = (int)rh_param("below", 12), .own = (int)rh_param("own", OWN),
             .scattered = rh_bug("scattered"));
}

static bool is_small(const struct find_primes *m)
{
    return m->below <= 20;
}
RH_TEST(anybody_may_ask, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(master, .scattered = rh_bug("scattered")), find_primes, .when = is_small);
}

RH_MAIN()
#endif
