/* Sleeping barber: customers come to a waiting room with some chairs and go away if none is free.  The room sends them
 * to the barber, one at a time, and the barber sleeps when nobody waits.
 *
 * Invariant: every customer is shaved or has found the room full; nobody waits while the barber sleeps.
 * Bug lost_wakeup: the room takes the barber to be asleep only when the barber says so.  A customer who comes before
 * that is put on a chair, and nobody wakes the barber. */
#include "../savina.h"

enum { MOST_CHAIRS = 8, MOST_CUSTOMERS = 1000 };

RH_MESSAGE(open_shop, int customers; int chairs;);
RH_MESSAGE(shop_closed, int shaved; int turned_away; bool refused;);
RH_MESSAGE(enter);
RH_MESSAGE(full);                   /* to a customer */
RH_MESSAGE(shaved);                 /* to a customer */
RH_MESSAGE(shave, rh_ref client;);  /* to the barber */
RH_MESSAGE(no_customer);            /* to the barber */
RH_MESSAGE(next);                   /* from the barber: whom do I shave now? */
RH_MESSAGE(asleep);                 /* from the barber */
RH_MESSAGE(gone, bool was_shaved;); /* from a customer */

/* ---- customer ---------------------------------------------------------------------------------------------------- */
RH_ACTOR(customer, rh_ref room;);
RH_HANDLER(customer, rh_start)
{
    rh_send(state->room, enter);
}
RH_HANDLER(customer, full)
{
    rh_send(state->room, gone);
    rh_stop();
}
RH_HANDLER(customer, shaved)
{
    rh_send(state->room, gone, .was_shaved = true);
    rh_stop();
}
RH_BEHAVIOUR(customer, unshaved, rh_start, full, shaved);

/* ---- barber ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(barber, int shaved;);
RH_HANDLER(barber, shave)
{
    state->shaved++;
    rh_send(msg->client, shaved);
    rh_reply(next);
}
RH_HANDLER(barber, no_customer)
{
    rh_reply(asleep);
}
RH_HANDLER(barber, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(barber, at_work, shave, no_customer, stop);

/* ---- waiting room ------------------------------------------------------------------------------------------------ */
RH_ACTOR(room, struct rh_request client; rh_ref barber; int customers; int chairs; int first; int waiting;
         rh_ref at[MOST_CHAIRS]; bool sleeps; int unconfirmed; int shaved; int turned_away; bool lost_wakeup;);

static void send_to_barber(struct room *state, rh_ref who)
{
    state->sleeps = false;
    rh_send(state->barber, shave, .client = who);
}
RH_HANDLER(room, open_shop)
{
    if (msg->customers < 1 || msg->customers > MOST_CUSTOMERS || msg->chairs < 1 || msg->chairs > MOST_CHAIRS) {
        rh_reply(shop_closed, .refused = true);
        return;
    }
    *state = (struct room){
        .customers = msg->customers, .chairs = msg->chairs, .sleeps = true, .lost_wakeup = state->lost_wakeup
    };
    state->client = rh_keep_request();
    state->barber = rh_spawn(barber);
    for (int i = 0; i < msg->customers; i++)
        rh_spawn(customer, .room = self);
    rh_become(room, open);
}
RH_HANDLER(room, enter)
{
    if (state->sleeps) {
        rh_assert(state->waiting == 0, "%d wait while the barber sleeps", state->waiting);
        send_to_barber(state, rh_sender());
    } else if (state->waiting == state->chairs) {
        rh_reply(full);
    } else {
        state->at[(state->first + state->waiting++) % MOST_CHAIRS] = rh_sender();
    }
}
RH_HANDLER(room, next)
{
    if (state->waiting == 0) {
        if (!state->lost_wakeup)
            state->sleeps = true;
        state->unconfirmed++;
        rh_send(state->barber, no_customer);
        return;
    }
    rh_ref who = state->at[state->first];
    state->first = (state->first + 1) % MOST_CHAIRS;
    state->waiting--;
    send_to_barber(state, who);
}
/* The shop closes when everybody is gone and the barber has nothing more to say. */
static void close_if_empty(struct room *state)
{
    if (state->shaved + state->turned_away < state->customers || !state->sleeps || state->unconfirmed)
        return;
    rh_assert(state->shaved >= 1 && state->waiting == 0, "%d are shaved, %d wait", state->shaved, state->waiting);
    rh_send(state->barber, stop);
    rh_reply_to(state->client, shop_closed, .shaved = state->shaved, .turned_away = state->turned_away);
    rh_become(room, ready);
}
RH_HANDLER(room, asleep)
{
    state->unconfirmed--;
    if (state->lost_wakeup)
        state->sleeps = true;
    close_if_empty(state);
}
RH_HANDLER(room, gone)
{
    if (msg->was_shaved)
        state->shaved++;
    else
        state->turned_away++;
    close_if_empty(state);
}
RH_HANDLER(room, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(room, ready, open_shop, stop);
RH_BEHAVIOUR(room, open, enter, next, asleep, gone, RH_DEFER(open_shop), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int customers; int chairs; bool lost_wakeup;);
RH_BODY(driver)
{
    rh_ref r = rh_spawn(room, .lost_wakeup = state->lost_wakeup);
    const struct shop_closed *c =
        rh_ask(r, open_shop, shop_closed, .customers = state->customers, .chairs = state->chairs);
    rh_assert(!c->refused && c->shaved + c->turned_away == state->customers);
    rh_log("barber: %d customers have come", c->shaved + c->turned_away);
    rh_send(r, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .customers = MOST_CUSTOMERS, .chairs = 4)
#else
RH_PARAM(customers, "3", "how many customers come");
RH_PARAM(chairs, "1", "how many chairs there are");
RH_BUG(lost_wakeup, "the room wakes the barber only if the barber has said that it sleeps");

RH_TEST(everybody_is_shaved_or_turned_away)
{
    rh_spawn(driver, .customers = (int)rh_param("customers", 3), .chairs = (int)rh_param("chairs", 1),
             .lost_wakeup = rh_bug("lost_wakeup"));
}

static bool is_small(const struct open_shop *m)
{
    return m->customers <= 4;
}
RH_TEST(anybody_may_open_the_shop, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(room, .lost_wakeup = rh_bug("lost_wakeup")), open_shop, .when = is_small);
}

RH_MAIN()
#endif
