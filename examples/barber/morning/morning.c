/* See morning.h.  The barber can work when the shop is unlocked and the towels have arrived, in either order.  A
 * customer whom the room sends earlier has to wait; the room sends the next customer when the barber asks for one.
 *
 *     shut  --unlock-->  unlocked  --towels-->  ready  <--serve, cut-->  cutting
 *
 * A forgetful barber (bug ba) handles a customer who comes while the shop is shut, but not one who comes when the shop
 * is unlocked and the towels have not arrived: the behaviour of that phase does not list `serve`.  The bug needs
 * `serve` after `unlock` with no change of behaviour in between; a customer who comes earlier or later does no harm. */
#include "morning.h"

/* ---- barber ------------------------------------------------------------------------------------------------------ */
static void work_if_possible(const struct barber *state)
{
    if (rh_is_nobody(state->customer)) {
        rh_become(barber, ready);
    } else {
        rh_timer("cut", 30, cut);
        rh_become(barber, cutting);
    }
}

RH_HANDLER(barber, unlock)
{
    if (state->has_towels)
        work_if_possible(state);
    else if (state->forgetful)
        rh_become(barber, unlocked_forgetful);
    else
        rh_become(barber, unlocked);
}
RH_HANDLER_AS(barber, towels, early_towels)
{
    state->has_towels = true;
}
RH_HANDLER(barber, towels)
{
    work_if_possible(state);
}
RH_HANDLER_AS(barber, serve, early_serve)
{
    rh_cover("a customer comes too early");
    state->room = rh_sender();
    state->customer = msg->customer;
}
RH_HANDLER(barber, serve)
{
    state->room = rh_sender();
    state->customer = msg->customer;
    work_if_possible(state);
}
RH_HANDLER(barber, cut)
{
    rh_send(state->customer, shaved);
    rh_send(state->room, who_is_next);
    state->customer = rh_nobody();
    rh_become(barber, ready);
}
RH_BEHAVIOUR(barber, shut, unlock, RH_ON(towels, early_towels), RH_ON(serve, early_serve));
RH_BEHAVIOUR(barber, unlocked, towels, RH_ON(serve, early_serve));
RH_BEHAVIOUR(barber, unlocked_forgetful, towels);
RH_BEHAVIOUR(barber, ready, serve);
RH_BEHAVIOUR(barber, cutting, cut);

/* ---- towels ------------------------------------------------------------------------------------------------------ */
RH_HANDLER(wholesaler, order)
{
    rh_send(state->driver, load);
}
RH_BEHAVIOUR(wholesaler, open, order);

RH_HANDLER(driver, load)
{
    rh_send(state->barber, towels);
}
RH_BEHAVIOUR(driver, waiting, load);

/* ---- room -------------------------------------------------------------------------------------------------------- */
static void call_next(struct room *state)
{
    state->barber_works = state->first < state->last;
    if (state->barber_works)
        rh_send(state->barber, serve, .customer = state->queue[state->first++]);
}

RH_HANDLER(room, arrive)
{
    state->queue[state->last++] = msg->customer;
    if (!state->barber_works)
        call_next(state);
}
RH_HANDLER(room, who_is_next)
{
    call_next(state);
}
RH_BEHAVIOUR(room, open, arrive, who_is_next);

/* ---- receptionist: asks each customer a few questions ------------------------------------------------------------ */
RH_HANDLER(receptionist, greet)
{
    rh_reply(question, .left = state->questions - 1);
}
RH_HANDLER(receptionist, reply)
{
    if (msg->left > 0)
        rh_reply(question, .left = msg->left - 1);
    else
        rh_send(state->room, arrive, .customer = rh_sender());
}
RH_BEHAVIOUR(receptionist, talking, greet, reply);

/* ---- customer ---------------------------------------------------------------------------------------------------- */
RH_BODY(customer)
{
    rh_send(state->receptionist, greet);
    for (;;) {
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(question, shaved));
        const struct question *q = rh_as(e, question);
        if (!q)
            break;
        rh_reply(reply, .left = q->left);
    }
}
