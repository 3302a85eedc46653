/* A lock server that starves a client.
 *
 * Clients ask for the lock, get it, give it back and ask again.  With bug `stack` the server gives the lock to the
 * client that asked last: while two clients take turns, the third one waits for ever, although each message arrives. */
#include <rehearse/test.h>

RH_BUG(stack, "lock: the server gives the lock to the client that asked last");

RH_MESSAGE(acquire);
RH_MESSAGE(granted);
RH_MESSAGE(release);
RH_MESSAGE(asked, int client;);
RH_MESSAGE(served, int client;);

enum { MOST_WAITING = 4 };
RH_ACTOR(lock_server, bool newest_first; bool taken; int count; rh_ref waiting[MOST_WAITING];);

static void grant(struct lock_server *state)
{
    state->taken = state->count > 0;
    if (!state->taken)
        return;
    int next = state->newest_first ? state->count - 1 : 0;
    rh_send(state->waiting[next], granted);
    for (int i = next; i + 1 < state->count; i++)
        state->waiting[i] = state->waiting[i + 1];
    state->waiting[--state->count] = rh_nobody();
}
RH_HANDLER(lock_server, acquire)
{
    state->waiting[state->count++] = rh_sender();
    if (!state->taken)
        grant(state);
}
RH_HANDLER(lock_server, release)
{
    grant(state);
}
RH_BEHAVIOUR(lock_server, serving, acquire, release);

RH_ACTOR(lock_client, rh_ref server; int number;);
static void ask(struct lock_client *state)
{
    rh_announce(asked, .client = state->number);
    rh_send(state->server, acquire);
}
RH_HANDLER(lock_client, rh_start)
{
    ask(state);
}
RH_HANDLER(lock_client, granted)
{
    rh_announce(served, .client = state->number);
    rh_send(state->server, release);
    ask(state);
}
RH_BEHAVIOUR(lock_client, working, rh_start, granted);

/* One client, whichever: all are alike. */
RH_MONITOR(the_first_client_is_served);
RH_HANDLER(the_first_client_is_served, asked)
{
    if (msg->client == 1)
        rh_become(the_first_client_is_served, waits);
}
RH_HANDLER(the_first_client_is_served, served)
{
    if (msg->client == 1)
        rh_become(the_first_client_is_served, rests);
}
RH_BEHAVIOUR(the_first_client_is_served, rests, asked, RH_IGNORE(served));
RH_HOT_BEHAVIOUR(the_first_client_is_served, waits, served, RH_IGNORE(asked));

RH_TEST(lock)
{
    rh_observe(the_first_client_is_served);
    rh_ref server = rh_spawn(lock_server, .newest_first = rh_bug("stack"));
    for (int i = 1; i <= 3; i++)
        rh_spawn(lock_client, .server = server, .number = i);
}
