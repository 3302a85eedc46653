/* See barber.h.  The room sends the barber to sleep, so the room knows whether he sleeps: after the room has told him
 * that nobody waits, the next customer wakes him.  Messages from the room to the barber arrive in order (model fifo).
 *
 * Bug lost_wakeup: the room considers the barber awake until he reports that he fell asleep.  A customer who arrives
 * before the report sits down, and nobody wakes the barber.
 * Bug eager: the room sends every customer who finds all chairs free to the barber, even while he is at work. */
#include "barber.h"

/* ---- barber ------------------------------------------------------------------------------------------------------ */
RH_HANDLER(barber, serve)
{
    state->customer = msg->customer;
    rh_timer("cut", 30, cut);
    rh_become(barber, cutting);
}
RH_HANDLER(barber, cut)
{
    rh_send(state->customer, shaved);
    rh_send(state->room, who_is_next);
    rh_become(barber, looking);
}
RH_HANDLER(barber, nobody_waits)
{
    if (state->says_so)
        rh_send(state->room, fell_asleep);
    rh_become(barber, asleep);
}
RH_BEHAVIOUR(barber, asleep, serve);
RH_BEHAVIOUR(barber, cutting, cut);
RH_BEHAVIOUR(barber, looking, serve, nobody_waits);

/* ---- room -------------------------------------------------------------------------------------------------------- */
RH_HANDLER(room, open_shop)
{
    state->barber = msg->barber;
    state->barber_sleeps = true;
    rh_become(room, open);
}
RH_HANDLER(room, arrive)
{
    if (state->barber_sleeps || (state->eager && state->waiting == 0)) {
        state->barber_sleeps = false;
        rh_send(state->barber, serve, .customer = rh_sender());
    } else if (state->waiting < state->chairs) {
        state->queue[state->waiting++] = rh_sender();
    } else {
        rh_cover("a customer finds the room full");
        rh_reply(full);
    }
}
RH_HANDLER(room, who_is_next)
{
    if (state->waiting == 0) {
        state->barber_sleeps = !state->waits_to_hear;
        rh_send(state->barber, nobody_waits);
        return;
    }
    rh_cover("a customer is called from a chair");
    rh_send(state->barber, serve, .customer = state->queue[0]);
    state->waiting--;
    for (int i = 0; i < state->waiting; i++)
        state->queue[i] = state->queue[i + 1];
}
RH_HANDLER(room, fell_asleep)
{
    state->barber_sleeps = true;
}
RH_BEHAVIOUR(room, closed, open_shop, RH_DEFER(arrive));
RH_BEHAVIOUR(room, open, arrive, who_is_next, fell_asleep);

/* ---- customer ---------------------------------------------------------------------------------------------------- */
RH_BODY(customer)
{
    rh_send(state->room, arrive);
    const struct rh_envelope *answer = rh_receive_any(.types = RH_TYPES(shaved, full));
    rh_log(rh_as(answer, shaved) ? "is shaved" : "goes home");
}
