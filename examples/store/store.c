/* See store.h.  A front-end forwards: the back-end sees the client as the sender and replies to the client directly.
 *
 * A forgetful front-end (bug crossed) receives the replies itself, and gives them to the client that asked last. */
#include "store.h"

#include <stdio.h>

/* ---- client: put and get in turn, one at a time ------------------------------------------------------------------ */
static int value_of(int client, int request)
{
    return client * 100 + request;
}

static bool answers(const struct rh_envelope *m, const void *request)
{
    return rh_as(m, reply)->request == *(const int *)request;
}

RH_BODY(client)
{
    for (int k = 1; k <= state->requests; k++) {
        int key = state->number + k;
        rh_ref to = state->frontends.at[key % state->frontends.count];
        if (k % 2)
            rh_send(to, put, .request = k, .key = key, .value = value_of(state->number, k));
        else
            rh_send(to, get, .request = k, .key = key);
        const struct reply *r = rh_receive(reply, .match = answers, .arg = &k);
        rh_assert(r->key == key, "client %d asked for key %d and was told about %d", state->number, key, r->key);
        if (r->value) /* whoever wrote it, it belongs to the key */
            rh_assert(r->value / 100 + r->value % 100 == key, "key %d has value %d", key, r->value);
    }
    rh_send(state->parent, done, .client = state->number);
}

/* ---- front-end --------------------------------------------------------------------------------------------------- */
static rh_ref who_has(const struct frontend *state, int key)
{
    return state->backends.at[key % state->backends.count];
}

RH_HANDLER(frontend, put)
{
    state->client = rh_sender();
    if (state->forgetful)
        rh_send(who_has(state, msg->key), put, .request = msg->request, .key = msg->key, .value = msg->value);
    else
        rh_forward(who_has(state, msg->key));
}
RH_HANDLER(frontend, get)
{
    state->client = rh_sender();
    if (state->forgetful)
        rh_send(who_has(state, msg->key), get, .request = msg->request, .key = msg->key);
    else
        rh_forward(who_has(state, msg->key));
}
RH_HANDLER(frontend, reply)
{
    rh_forward(state->client);
}
RH_BEHAVIOUR(frontend, serving, put, get, reply);

/* ---- back-end ---------------------------------------------------------------------------------------------------- */
RH_HANDLER(backend, put)
{
    state->values[msg->key] = msg->value;
    rh_reply(reply, .request = msg->request, .key = msg->key, .value = msg->value);
}
RH_HANDLER(backend, get)
{
    rh_reply(reply, .request = msg->request, .key = msg->key, .value = state->values[msg->key]);
}
RH_BEHAVIOUR(backend, serving, put, get);

/* ---- keeper ------------------------------------------------------------------------------------------------------ */
struct key_text {
    char text[16];
};
static struct key_text text_of(int key)
{
    struct key_text t;
    snprintf(t.text, sizeof t.text, "%d", key);
    return t;
}

RH_HANDLER(keeper, rh_start)
{
    rh_store_open("values");
}
RH_HANDLER(keeper, put)
{
    rh_store_put(text_of(msg->key).text, &msg->value, sizeof msg->value);
    if (!state->hasty)
        rh_store_sync();
    rh_reply(reply, .request = msg->request, .key = msg->key, .value = msg->value);
}
RH_HANDLER(keeper, get)
{
    int value = 0;
    rh_store_get(text_of(msg->key).text, &value, sizeof value);
    rh_reply(reply, .request = msg->request, .key = msg->key, .value = value);
}
RH_BEHAVIOUR(keeper, serving, rh_start, put, get);
