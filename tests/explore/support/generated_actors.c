#include "explore/support/generated_actors.h"

struct generated_program generated;

/* By number; written by the test's body before anything else happens. */
static rh_ref takers[GENERATED_ACTORS];

RH_HANDLER(taker, parcel)
{
    struct generated_message sends[GENERATED_FAN];
    uint32_t count;
    state->number =
        generated_handle(&generated, state->me, state->number, (uint8_t)state->took, &msg->m, sends, &count);
    state->order[state->took++] = msg->m.id;
    for (uint32_t i = 0; i < count; i++)
        rh_send(takers[sends[i].to], parcel, .m = sends[i]);
}
RH_BEHAVIOUR(taker, taking_parcels, parcel);

/* Somebody outside: first messages must not be in the order of the test's body. */
RH_HANDLER(source, go)
{
    for (uint32_t i = 0; i < generated.starts; i++)
        if (generated.start[i].id.sender == state->me)
            rh_send(takers[generated.start[i].to], parcel, .m = generated.start[i]);
}
RH_BEHAVIOUR(source, waiting, go);

RH_TEST(generated_program)
{
    for (uint8_t i = 0; i < generated.actors; i++)
        takers[i] = rh_spawn(taker, .me = i, .number = i);
    for (uint8_t i = 0; i < GENERATED_STARTS; i++)
        rh_send(rh_spawn(source, .me = (uint8_t)(GENERATED_OUTSIDE + i)), go);
}
