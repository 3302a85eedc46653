/* Clients and operators of raft.h.  A request is sent again, to the leader that a server names or to the next server,
 * until it is answered or given up. */
#include "raft.h"

/* Puts and gets of a key are linearizable.  A client records them as the messages that it sends. */
static bool apply_operation(void *state, const struct rh_operation *o)
{
    uint32_t *value = state;
    const struct client_put *put = rh_as(&o->call, client_put);
    const struct client_answer *got = rh_as(&o->result, client_answer);
    if (put)
        *value = put->value;
    return put || !got || got->value == *value;
}
RH_HISTORY(raft_registers, .state_size = sizeof(uint32_t), .apply = apply_operation);

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
    for (uint32_t request = 1; request <= state->requests; request++) {
        uint32_t at = 1 + (state->number + request) % state->servers, value = 0;
        struct client_get get = { .request = request, .key = 1 };
        struct client_put put = { .client = state->number, .request = request, .key = 1 };
        bool gets = request % 2 == 0, done = false;
        put.value = 100 * (state->number + 1) + request;
        struct rh_call call = gets ? rh_history_call_value(raft_registers, "1", client_get, &get)
                                   : rh_history_call_value(raft_registers, "1", client_put, &put);
        for (int i = 0; i < state->tries && !done; i++) {
            rh_ref to = raft_server_at(at);
            if (rh_is_nobody(to))
                at = 1;
            else if (gets)
                rh_send_value(to, client_get, &get);
            else
                rh_send_value(to, client_put, &put);
            done = is_done(request, state->timeout_ms, state->servers, &at, &value);
        }
        if (done)
            rh_history_return(raft_registers, call, client_answer, .request = request, .done = true, .value = value);
        state->done += done;
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
