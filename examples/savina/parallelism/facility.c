/* Online facility location: customers come one after the other, each at a place in a square.  A quadrant adds up what
 * they pay to reach its facility; when that is too much, it opens facilities in four smaller quadrants, which are
 * actors of their own, and passes customers on to them.
 *
 * Invariant: every customer is served by the quadrant in which it is; a quadrant has four parts or none.
 * Bug overtaken: the master asks for the totals when the producers say that they are done.  The question may overtake
 * customers, which come from other senders.  Without the bug each producer says so to the root quadrant, and that
 * tells the master. */
#include "../savina.h"

enum { SIDE = 1024, SMALLEST = 64, MOST_PRODUCERS = 4, MOST_CUSTOMERS = 2000 };

RH_MESSAGE(locate, int producers; int customers; int limit; uint32_t seed;);
RH_MESSAGE(located, int customers; int facilities; bool refused;);
RH_MESSAGE(customer, int x; int y;);
RH_MESSAGE(last_customer); /* producer to the root quadrant */
RH_MESSAGE(all_customers); /* root quadrant to master */
RH_MESSAGE(produced);      /* producer to master, with the bug */
RH_MESSAGE(produce);
RH_MESSAGE(count);
RH_MESSAGE(counted, int customers; int facilities;);

/* ---- quadrant ---------------------------------------------------------------------------------------------------- */
RH_ACTOR(quadrant, rh_ref master; int x; int y; int side; int limit; int paid; int customers; int producers;
         bool divided; rh_ref parts[4]; rh_ref asker; int missing; int facilities;);

/* The way to the middle of the quadrant, along the streets. */
static int way(const struct quadrant *state, int x, int y)
{
    int dx = x - (state->x + state->side / 2), dy = y - (state->y + state->side / 2);
    return (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
}
RH_HANDLER(quadrant, customer)
{
    rh_assert(msg->x >= state->x && msg->x < state->x + state->side && msg->y >= state->y &&
                  msg->y < state->y + state->side,
              "the customer at %d, %d is not in this quadrant", msg->x, msg->y);
    int half = state->side / 2;
    if (state->divided) {
        rh_forward(state->parts[(msg->x >= state->x + half) + 2 * (msg->y >= state->y + half)]);
        return;
    }
    state->customers++;
    state->paid += way(state, msg->x, msg->y);
    if (state->paid <= state->limit || state->side <= SMALLEST)
        return;
    state->divided = true;
    for (int i = 0; i < 4; i++)
        state->parts[i] = rh_spawn(quadrant, .x = state->x + (i & 1) * half, .y = state->y + (i >> 1) * half,
                                   .side = half, .limit = state->limit);
}
RH_HANDLER(quadrant, last_customer)
{
    if (--state->producers == 0)
        rh_send(state->master, all_customers);
}
RH_HANDLER(quadrant, count)
{
    rh_assert(state->missing == 0, "counted twice at once");
    state->facilities = 1;
    if (!state->divided) {
        rh_reply(counted, .customers = state->customers, .facilities = 1);
        return;
    }
    state->asker = rh_sender();
    state->missing = 4;
    for (int i = 0; i < 4; i++)
        rh_send(state->parts[i], count);
}
RH_HANDLER(quadrant, counted)
{
    state->customers += msg->customers;
    state->facilities += msg->facilities;
    if (--state->missing == 0)
        rh_send(state->asker, counted, .customers = state->customers, .facilities = state->facilities);
}
RH_HANDLER(quadrant, stop)
{
    for (int i = 0; state->divided && i < 4; i++)
        rh_send(state->parts[i], stop);
    rh_stop();
}
RH_BEHAVIOUR(quadrant, open, customer, last_customer, count, counted, stop);

/* ---- producer ---------------------------------------------------------------------------------------------------- */
RH_ACTOR(producer, rh_ref root; int customers; uint32_t random; bool overtaken;);
RH_HANDLER(producer, produce)
{
    for (int i = 0; i < state->customers; i++) {
        state->random = state->random * 1664525 + 1013904223;
        rh_send(state->root, customer, .x = (int)(state->random >> 20) % SIDE, .y = (int)(state->random >> 8) % SIDE);
    }
    if (state->overtaken)
        rh_reply(produced);
    else
        rh_send(state->root, last_customer);
    rh_stop();
}
RH_BEHAVIOUR(producer, idle, produce);

/* ---- master ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(master, struct rh_request client; rh_ref root; int producers; int customers; bool overtaken;);
RH_HANDLER(master, locate)
{
    if (msg->producers < 1 || msg->producers > MOST_PRODUCERS || msg->customers < 0 ||
        msg->customers > MOST_CUSTOMERS || msg->limit < 0) {
        rh_reply(located, .refused = true);
        return;
    }
    state->client = rh_keep_request();
    state->producers = msg->producers;
    state->customers = msg->producers * msg->customers;
    state->root = rh_spawn(quadrant, .master = self, .side = SIDE, .limit = msg->limit, .producers = msg->producers);
    for (int i = 0; i < msg->producers; i++)
        rh_send(rh_spawn(producer, .root = state->root, .customers = msg->customers, .random = msg->seed + (uint32_t)i,
                         .overtaken = state->overtaken),
                produce);
    rh_become(master, busy);
}
RH_HANDLER(master, produced)
{
    if (--state->producers == 0)
        rh_send(state->root, count);
}
RH_HANDLER(master, all_customers)
{
    rh_send(state->root, count);
}
RH_HANDLER(master, counted)
{
    rh_assert(msg->customers == state->customers, "%d customers instead of %d", msg->customers, state->customers);
    rh_assert(msg->facilities % 4 == 1, "%d facilities", msg->facilities);
    rh_send(state->root, stop);
    rh_reply_to(state->client, located, .customers = msg->customers, .facilities = msg->facilities);
    rh_become(master, ready);
}
RH_HANDLER(master, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(master, ready, locate, stop);
RH_BEHAVIOUR(master, busy, produced, all_customers, counted, RH_DEFER(locate), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int producers; int customers; int limit; bool overtaken;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(master, .overtaken = state->overtaken);
    const struct located *r = rh_ask(m, locate, located, .producers = state->producers, .customers = state->customers,
                                     .limit = state->limit, .seed = 1);
    rh_assert(!r->refused && r->customers == state->producers * state->customers);
    rh_log("facility: %d customers are served", r->customers);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .producers = MOST_PRODUCERS, .customers = 1000, .limit = 20000)
#else
RH_PARAM(producers, "2", "how many producers of customers there are");
RH_PARAM(customers, "2", "how many customers each of them has");
RH_PARAM(limit, "800", "what customers of a quadrant may pay before it is divided");
RH_BUG(overtaken, "the master asks for totals while customers are under way");

RH_TEST(every_customer_is_served)
{
    rh_spawn(driver, .producers = (int)rh_param("producers", 2), .customers = (int)rh_param("customers", 2),
             .limit = (int)rh_param("limit", 800), .overtaken = rh_bug("overtaken"));
}

static bool is_small(const struct locate *m)
{
    return m->producers <= 2 && m->customers <= 3;
}
RH_TEST(anybody_may_ask, .outside = 1, .outside_values = 40)
{
    rh_open(rh_spawn(master, .overtaken = rh_bug("overtaken")), locate, .when = is_small);
}
static bool is_inside(const struct customer *m)
{
    return m->x >= 0 && m->x < SIDE && m->y >= 0 && m->y < SIDE;
}
RH_TEST(customers_may_come_from_outside, .outside = 6, .outside_values = 20)
{
    rh_open(rh_spawn(quadrant, .side = SIDE, .limit = 800), customer, .when = is_inside);
}

RH_MAIN()
#endif
