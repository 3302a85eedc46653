/* Clients and operators of raft.h.  A request is sent again, to the leader that a server names or to the next server,
 * until it is answered or given up. */
#include "raft.h"

static bool is_answer(const struct rh_envelope *m, const void *request)
{
    return rh_as(m, client_answer)->request == *(const uint32_t *)request;
}

/* Waits for the answer to the request; true if it is done.  Otherwise `at` is the server to ask next.  A leader that
 * refuses is busy: it is asked again after a while. */
static bool is_done(uint32_t request, int timeout_ms, uint32_t servers, uint32_t *at, uint32_t *value)
{
    const struct client_answer *a =
        rh_receive(client_answer, .match = is_answer, .arg = &request, .timeout_ms = timeout_ms, .idle = true);
    if (a && a->done) {
        *value = a->value;
        return true;
    }
    bool busy = a && a->leader == *at;
    *at = a && a->leader ? a->leader : 1 + *at % servers;
    if (busy && timeout_ms)
        rh_sleep(timeout_ms / 10);
    return false;
}

RH_BODY(raft_client)
{
    uint32_t key = 1;
    for (uint32_t request = 1; request <= state->requests; request++) {
        uint32_t at = 1 + (state->number + request) % state->servers;
        bool get = request % 2 == 0, done = false;
        uint32_t value = 100 * (state->number + 1) + request;
        if (get)
            rh_announce(get_called, .client = state->number, .key = key);
        for (int i = 0; i < state->tries && !done; i++) {
            rh_ref to = raft_server_at(at);
            if (rh_is_nobody(to))
                at = 1;
            else if (get)
                rh_send(to, client_get, .request = request, .key = key);
            else
                rh_send(to, client_put, .client = state->number, .request = request, .key = key, .value = value);
            done = is_done(request, state->timeout_ms, state->servers, &at, &value);
        }
        if (done && get)
            rh_announce(get_returned, .client = state->number, .key = key, .value = value);
        else if (done)
            rh_announce(put_returned, .key = key, .value = value);
        state->done += done;
        state->last_value = get && done ? value : state->last_value;
    }
}

RH_BODY(raft_operator)
{
    uint32_t at = state->first, value = 0, request = 0;
    for (uint32_t i = 0; i < state->count + (state->transfer_to != 0); i++) {
        bool done = false;
        for (int tries = 0; tries < state->tries && !done; tries++) {
            rh_ref to = raft_server_at(at);
            request++;
            if (rh_is_nobody(to))
                at = 1;
            else if (i < state->count)
                rh_send(to, change_members, .request = request, .server = state->changes[i].server,
                        .add = state->changes[i].add);
            else
                rh_send(to, transfer_leadership, .request = request, .to = state->transfer_to);
            done = is_done(request, state->timeout_ms, state->servers, &at, &value);
        }
        state->done += done;
    }
}
