/* See directory.h.  The directory remembers the entry that it found last, because the same name is often looked up
 * several times in a row.
 *
 * A forgetful directory (bug pr) keeps the remembered entry when that service withdraws.  If the very next message
 * looks up the same name, the answer is a service that has ended.  Any other message in between replaces the remembered
 * entry. */
#include "directory.h"

/* ---- directory --------------------------------------------------------------------------------------------------- */
static rh_ref find(struct directory *state, int name)
{
    if (state->last.name != name || rh_is_nobody(state->last.who))
        state->last = (struct remembered){ .name = name, .who = state->owners[name] };
    return state->last.who;
}

RH_HANDLER(directory, enrol)
{
    state->owners[msg->name] = rh_sender();
    state->last = (struct remembered){ .name = msg->name, .who = rh_sender() };
    rh_announce(is_at, .name = msg->name, .who = rh_sender());
}
RH_HANDLER(directory, withdraw)
{
    if (!rh_same(find(state, msg->name), rh_sender()))
        return;
    state->owners[msg->name] = rh_nobody();
    if (!state->forgetful)
        state->last.who = rh_nobody();
    rh_announce(is_at, .name = msg->name);
}
RH_HANDLER(directory, lookup)
{
    rh_ref who = find(state, msg->name);
    rh_announce(says, .name = msg->name, .who = who);
    rh_reply(entry, .who = who);
}
RH_BEHAVIOUR(directory, open, enrol, withdraw, lookup);

/* ---- service ----------------------------------------------------------------------------------------------------- */
RH_HANDLER(service, rh_start)
{
    rh_send(state->directory, enrol, .name = state->name);
}
RH_HANDLER(service, close_down)
{
    rh_send(state->directory, withdraw, .name = state->name);
    rh_stop();
}
RH_BEHAVIOUR(service, open, rh_start, close_down);

/* ---- caller ------------------------------------------------------------------------------------------------------ */
RH_BODY(caller)
{
    for (int i = 0; i < state->calls; i++)
        rh_ask(state->directory, lookup, entry, .name = state->name);
}

/* ---- host: passes the visitor on to the next; the last one looks up the name ------------------------------- */
RH_HANDLER(host, introduce)
{
    if (rh_is_nobody(state->next))
        rh_send(state->directory, lookup, .name = state->name);
    else
        rh_send(state->next, introduce);
}
RH_HANDLER(host, entry)
{
    rh_log("the visitor is told %s", rh_is_nobody(msg->who) ? "that there is nobody" : rh_name(msg->who));
}
RH_BEHAVIOUR(host, welcoming, introduce, entry);
