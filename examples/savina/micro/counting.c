/* Counting: producers send increments to a counter, and a manager wants to know the total.
 *
 * Invariant: the total is the sum of all increments, 1 + 2 + ... + n from each producer.
 * Bug hasty: a producer tells the manager that it is done, and the manager asks the counter.  This question may
 * overtake increments, because it comes from another sender.  Without the bug the producer says `last` to the counter
 * itself. */
#include "../savina.h"

enum { MOST_PRODUCERS = 8, MOST_INCREMENTS = 100000 };

RH_MESSAGE(tally, int producers; int increments;);
RH_MESSAGE(tallied, int64_t total; bool refused;);
RH_MESSAGE(produce, rh_ref counter; int increments;);
RH_MESSAGE(increment, int by;);
RH_MESSAGE(last);      /* producer to counter: nothing more from me */
RH_MESSAGE(exhausted); /* producer to manager, with the bug: nothing more from me */
RH_MESSAGE(retrieve);
RH_MESSAGE(counted, int64_t total;);

/* ---- counter ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(counter, rh_ref manager; int producers; int64_t total;);
RH_HANDLER(counter, increment)
{
    rh_assert(msg->by > 0, "an increment of %d", msg->by);
    state->total += msg->by;
}
RH_HANDLER(counter, last)
{
    if (--state->producers == 0) {
        rh_send(state->manager, counted, .total = state->total);
        rh_stop();
    }
}
RH_HANDLER(counter, retrieve)
{
    rh_reply(counted, .total = state->total);
}
RH_HANDLER(counter, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(counter, counting, increment, last, retrieve, stop);

/* ---- producer ---------------------------------------------------------------------------------------------------- */
RH_ACTOR(producer, bool hasty;);
RH_HANDLER(producer, produce)
{
    for (int i = 1; i <= msg->increments; i++)
        rh_send(msg->counter, increment, .by = i);
    if (state->hasty)
        rh_reply(exhausted);
    else
        rh_send(msg->counter, last);
    rh_stop();
}
RH_BEHAVIOUR(producer, idle, produce);

/* ---- manager ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(manager, struct rh_request client; rh_ref counter; int64_t expected; int busy; bool hasty;);
RH_HANDLER(manager, tally)
{
    int n = msg->increments;
    if (msg->producers < 1 || msg->producers > MOST_PRODUCERS || n < 0 || n > MOST_INCREMENTS) {
        rh_reply(tallied, .refused = true);
        return;
    }
    state->client = rh_keep_request();
    state->busy = msg->producers;
    state->expected = (int64_t)msg->producers * n * (n + 1) / 2;
    state->counter = rh_spawn(counter, .manager = self, .producers = msg->producers);
    for (int i = 0; i < msg->producers; i++)
        rh_send(rh_spawn(producer, .hasty = state->hasty), produce, .counter = state->counter, .increments = n);
    rh_become(manager, busy);
}
RH_HANDLER(manager, exhausted)
{
    if (--state->busy == 0)
        rh_send(state->counter, retrieve);
}
RH_HANDLER(manager, counted)
{
    rh_assert(msg->total == state->expected, "the total is %lld instead of %lld", (long long)msg->total,
              (long long)state->expected);
    if (state->hasty)
        rh_reply(stop);
    rh_reply_to(state->client, tallied, .total = msg->total);
    rh_become(manager, ready);
}
RH_HANDLER(manager, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(manager, ready, tally, stop);
RH_BEHAVIOUR(manager, busy, exhausted, counted, RH_DEFER(tally), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int producers; int increments; bool hasty;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(manager, .hasty = state->hasty);
    const struct tallied *r = rh_ask(m, tally, tallied, .producers = state->producers, .increments = state->increments);
    rh_assert(!r->refused);
    rh_log("counting: %lld", (long long)r->total);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .producers = 4, .increments = 5000)
#else
RH_PARAM(producers, "2", "how many producers there are");
RH_PARAM(increments, "2", "how many increments each of them sends");
RH_BUG(hasty, "the manager asks for the total before the counter has all increments");

RH_TEST(the_total_is_right)
{
    rh_spawn(driver, .producers = (int)rh_param("producers", 2), .increments = (int)rh_param("increments", 2),
             .hasty = rh_bug("hasty"));
}

static bool is_small(const struct tally *m)
{
    return m->producers <= 3 && m->increments <= 3;
}
RH_TEST(anybody_may_count, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(manager, .hasty = rh_bug("hasty")), tally, .when = is_small);
}

RH_MAIN()
#endif
