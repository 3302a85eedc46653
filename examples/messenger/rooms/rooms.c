/* See rooms.h.  Lines go from a room straight to its members.  To log a user off, the server tells every room to let go
 * of the user, sends the session to the archive block by block, and confirms:
 *
 *     user --logoff--> server --leave--> rooms --has_left--> server <--store, stored--> archive
 *     server --logged_off--> user
 *
 * By then a line may still be on its way from a room to the user.  Therefore a room also tells the user that it has let
 * go (`left`).  That message arrives after all lines of the room, and the user waits for it from every room.
 *
 * Bug ms: a user waits only for the server's confirmation, and rooms do not send `left`. */
#include "rooms.h"

/* ---- server ------------------------------------------------------------------------------------------------------ */
static struct session *session_of(struct server *state, rh_ref user)
{
    int i = 0;
    while (!rh_same(state->sessions[i].user, user))
        i++;
    return &state->sessions[i];
}

RH_HANDLER(server, logon)
{
    rh_assert(state->count < MOST_USERS, "at most %d users", MOST_USERS);
    state->sessions[state->count++] = (struct session){ .user = rh_sender(), .rooms = state->rooms.count };
    rh_reply(welcome);
}
RH_HANDLER(server, logoff)
{
    for (int i = 0; i < state->rooms.count; i++)
        rh_send(state->rooms.at[i], leave, .user = rh_sender());
}
RH_HANDLER(server, has_left)
{
    if (--session_of(state, msg->user)->rooms == 0)
        rh_send(state->archive, store, .user = msg->user, .blocks = state->blocks);
}
RH_HANDLER(server, stored)
{
    if (msg->blocks > 1)
        rh_send(state->archive, store, .user = msg->user, .blocks = msg->blocks - 1);
    else
        rh_send(msg->user, logged_off);
}
RH_BEHAVIOUR(server, serving, logon, logoff, has_left, stored);

RH_HANDLER(archive, store)
{
    state->blocks++;
    rh_reply(stored, .user = msg->user, .blocks = msg->blocks);
}
RH_BEHAVIOUR(archive, open, store);

/* ---- room -------------------------------------------------------------------------------------------------------- */
RH_HANDLER(room, enter)
{
    state->members[state->count++] = rh_sender();
    rh_reply(entered);
}
RH_HANDLER(room, say)
{
    for (int i = 0; i < state->count; i++)
        if (!rh_same(state->members[i], rh_sender()))
            rh_send(state->members[i], said, .line = msg->line);
}
RH_HANDLER(room, leave)
{
    int i = 0;
    while (!rh_same(state->members[i], msg->user))
        i++;
    state->members[i] = state->members[--state->count];
    if (!state->silent)
        rh_send(msg->user, left);
    rh_reply(has_left, .user = msg->user);
}
RH_BEHAVIOUR(room, open, enter, say, leave);

/* ---- user -------------------------------------------------------------------------------------------------------- */
static void go_if_off(const struct user *state)
{
    if (state->logged_off && (state->left == state->rooms.count || state->hasty))
        rh_become(user, away);
}

RH_HANDLER(user, rh_start)
{
    rh_send(state->server, logon);
}
RH_HANDLER(user, welcome)
{
    for (int i = 0; i < state->rooms.count; i++)
        rh_send(state->rooms.at[i], enter);
}
RH_HANDLER(user, entered)
{
    if (++state->entered < state->rooms.count)
        return;
    for (int line = 1; line <= state->lines; line++)
        for (int i = 0; i < state->rooms.count; i++)
            rh_send(state->rooms.at[i], say, .line = line);
    rh_send(state->server, logoff);
}
RH_HANDLER(user, said)
{
    state->read++;
}
RH_HANDLER(user, left)
{
    state->left++;
    go_if_off(state);
}
RH_HANDLER(user, logged_off)
{
    state->logged_off = true;
    go_if_off(state);
}
RH_HANDLER_AS(user, said, lost)
{
    rh_assert(false, "line %d from %s comes when nobody is there to read it", msg->line, rh_name(rh_sender()));
}
RH_BEHAVIOUR(user, online, rh_start, welcome, entered, said, left, logged_off);
RH_BEHAVIOUR(user, away, RH_ON(said, lost));
