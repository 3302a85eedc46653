/* See register.h. */
#include "register.h"

/* ---- the sequential model ---------------------------------------------------------------------------------------- */

static bool apply(void *state, const struct rh_operation *o)
{
    int *cell = state;
    const struct write *w = rh_as(&o->call, write);
    const struct value *v = rh_as(&o->result, value);
    if (w)
        *cell = w->value;
    return !v || v->value == *cell;
}
RH_HISTORY(registers, .state_size = sizeof(int), .apply = apply);

/* ---- replicas ---------------------------------------------------------------------------------------------------- */

RH_HANDLER(replica, query)
{
    rh_reply(version, .request = msg->request, .stamp = state->stamp, .value = state->value);
}
RH_HANDLER(replica, store)
{
    if (msg->stamp > state->stamp) {
        state->stamp = msg->stamp;
        state->value = msg->value;
    }
    rh_reply(stored, .request = msg->request);
}
RH_BEHAVIOUR(replica, serving, query, store);

/* ---- clients ----------------------------------------------------------------------------------------------------- */

static bool is_version_for(const struct rh_envelope *m, const void *request)
{
    return rh_as(m, version)->request == *(const int *)request;
}

static bool is_stored_for(const struct rh_envelope *m, const void *request)
{
    return rh_as(m, stored)->request == *(const int *)request;
}

/* Returns when so many replicas have the value. */
static void store_at(const struct group *g, int replicas, int request, int stamp, int value)
{
    for (int i = 0; i < g->count; i++)
        rh_send(g->at[i], store, .request = request, .stamp = stamp, .value = value);
    rh_receive_set((size_t)replicas, stored, .match = is_stored_for, .arg = &request);
}

RH_BODY(writer)
{
    int majority = state->group.count / 2 + 1;
    for (int i = 1; i <= state->writes; i++) {
        struct rh_call call = rh_history_call(registers, NULL, write, .value = i);
        store_at(&state->group, state->hasty ? 1 : majority, i, i, i);
        rh_history_return(registers, call, written);
    }
}

RH_BODY(reader)
{
    int majority = state->group.count / 2 + 1;
    for (int i = 0; i < state->reads; i++) {
        int ask = 2 * i, keep = 2 * i + 1;
        struct version best = { .stamp = -1 };
        struct rh_call call = rh_history_call(registers, NULL, read);
        for (int k = 0; k < state->group.count; k++)
            rh_send(state->group.at[k], query, .request = ask);
        const struct rh_envelope *found =
            rh_receive_set((size_t)majority, version, .match = is_version_for, .arg = &ask);
        for (int k = 0; k < majority; k++)
            if (rh_as(&found[k], version)->stamp > best.stamp)
                best = *rh_as(&found[k], version);
        if (!state->lazy)
            store_at(&state->group, majority, keep, best.stamp, best.value);
        rh_history_return(registers, call, value, .value = best.value);
    }
}
