/* See quorum.h. */
#include "quorum.h"

RH_HANDLER(voter, request)
{
    if (state->voted)
        rh_reply(refusal);
    else
        rh_reply(vote);
    state->voted = true;
}
RH_BEHAVIOUR(voter, voting, request);

RH_HANDLER(candidate, campaign)
{
    for (uint32_t i = 0; i < msg->count; i++)
        rh_send(msg->voters[i], request);
}

/* Runs for each vote of a quorum. */
RH_HANDLER(candidate, vote)
{
    if (++state->votes == 1 && state->names_first)
        state->first = rh_sender();
    if (state->votes < state->quorum)
        return;
    rh_send(state->registrar, leads, .who = state->names_first ? state->first : self);
    rh_become(candidate, leading);
}
RH_HANDLER(candidate, refusal)
{
    state->refusals++;
}
RH_BEHAVIOUR(candidate, campaigning, campaign, RH_SETS_OF(vote, quorum), refusal);
RH_BEHAVIOUR(candidate, leading, RH_IGNORE(vote), RH_IGNORE(refusal));

RH_HANDLER(registrar, leads)
{
    rh_assert(rh_is_nobody(state->leader), "%s leads, and so does %s", rh_name(state->leader), rh_name(msg->who));
    state->leader = msg->who;
}
RH_BEHAVIOUR(registrar, registering, leads);
