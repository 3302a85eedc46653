/* The master; see chain.h.  It hears of a failure by rh_down and repairs the chain:
 *
 *     the head has failed     --ch_be_head--> the next server, --ch_ready--> master, --ch_view--> clients
 *     the tail has failed     --ch_be_tail--> the server before it, --ch_ready--> master, --ch_view--> clients
 *     a server between them   --ch_new_predecessor--> its successor, --ch_has--> master, --ch_new_successor--> its
 *                             predecessor, which sends what the successor lacks
 *     a spare joins           --ch_extend--> tail, --ch_copy--> spare, --ch_ready--> master, --ch_view--> clients
 *
 * Each order has a version, so that an answer counts only for the latest one: the server that was asked may fail, too.
 *
 * Flaws (bugs of test.c):
 *   two_neighbours       when a second server fails while the master waits for its ch_has, nobody else is asked
 *   stale_report         takes a ch_has for the answer to its latest order, although it is that to an earlier one
 *   tells_clients_first  tells the clients before the new tail knows */
#include "chain.h"

static bool is_linking(const struct master *state)
{
    for (int i = 0; i < state->count; i++)
        if (state->chain[i].asked)
            return true;
    return false;
}

/* Head and tail are ready; before the first request all others are, too. */
static bool is_open(struct master *state)
{
    state->started |= !is_linking(state);
    return state->started && !state->head_order && !state->tail_order;
}

static void tell_clients(const struct master *state)
{
    for (int i = 0; i < state->client_count; i++)
        rh_send(state->clients[i], ch_view, .head = state->chain[0].server,
                .tail = state->chain[state->count - 1].server);
}

/* Links the member at `i` to the one before it. */
static void relink(struct master *state, int i)
{
    struct member *m = &state->chain[i];
    m->asked = ++state->version;
    rh_send(m->server, ch_new_predecessor, .version = m->asked, .predecessor = state->chain[i - 1].server);
}

static void extend(struct master *state)
{
    if (!state->spare_count || state->tail_order)
        return;
    state->extending = true;
    state->tail_order = ++state->version;
    rh_send(state->chain[state->count - 1].server, ch_extend, .version = state->version,
            .spare = state->spares[0].server);
}

static void new_head(struct master *state)
{
    state->chain[0].asked = 0;
    state->head_order = ++state->version;
    rh_send(state->chain[0].server, ch_be_head, .version = state->head_order);
}

static void new_tail(struct master *state)
{
    state->extending = false;
    state->tail_order = ++state->version;
    rh_send(state->chain[state->count - 1].server, ch_be_tail, .version = state->tail_order);
    if (state->flaws.tells_clients_first && state->started) {
        tell_clients(state);
        state->tail_order = 0;
    }
}

static void remove_member(struct member *members, int *count, int i)
{
    rh_announce(ch_failed, .server = members[i].number);
    --*count;
    for (int k = i; k < *count; k++)
        members[k] = members[k + 1];
}

static int find(const struct master *state, rh_ref server)
{
    int i = 0;
    while (i < state->count && !rh_same(state->chain[i].server, server))
        i++;
    return i;
}

RH_HANDLER(master, rh_start)
{
    for (int i = 0; i < state->count; i++) {
        rh_monitor(state->chain[i].server);
        rh_announce(ch_in_chain, .server = state->chain[i].number);
        if (i > 0)
            relink(state, i);
    }
    for (int i = 0; i < state->spare_count; i++)
        rh_monitor(state->spares[i].server);
    new_head(state);
    new_tail(state);
}
RH_HANDLER(master, ch_subscribe)
{
    rh_assert(state->client_count < MOST_CLIENTS, "more than %d clients", MOST_CLIENTS);
    state->clients[state->client_count++] = rh_sender();
    if (is_open(state))
        rh_reply(ch_view, .head = state->chain[0].server, .tail = state->chain[state->count - 1].server);
}
RH_HANDLER(master, ch_has)
{
    int i = find(state, rh_sender());
    if (i == state->count || !state->chain[i].asked)
        return;
    if (state->chain[i].asked != msg->version && !(state->flaws.stale_report && state->started))
        return;
    bool was_open = is_open(state);
    state->chain[i].asked = 0;
    rh_send(state->chain[i - 1].server, ch_new_successor, .version = ++state->version,
            .successor = state->chain[i].server, .last = msg->last);
    if (!was_open && is_open(state))
        tell_clients(state);
}
RH_HANDLER(master, ch_ready)
{
    if (msg->version == state->head_order) {
        state->head_order = 0;
    } else if (msg->version == state->tail_order) {
        state->tail_order = 0;
        if (state->extending) {
            state->extending = false;
            rh_announce(ch_in_chain, .server = state->spares[0].number);
            state->chain[state->count++] = state->spares[0];
            state->spare_count--;
            for (int i = 0; i < state->spare_count; i++)
                state->spares[i] = state->spares[i + 1];
        }
    } else {
        return;
    }
    if (is_open(state))
        tell_clients(state);
    extend(state);
}
RH_HANDLER(master, rh_down)
{
    for (int i = 0; i < state->spare_count; i++)
        if (rh_same(state->spares[i].server, msg->who)) {
            bool joining = state->extending && i == 0;
            remove_member(state->spares, &state->spare_count, i);
            if (joining)
                new_tail(state); /* again */
            return;
        }
    int i = find(state, msg->who);
    if (i == state->count)
        return;
    bool linking = state->started && is_linking(state); /* the flawed master takes one repair for both */
    remove_member(state->chain, &state->count, i);
    rh_assert(state->count > 0, "all servers have failed");
    if (i > 0 && i < state->count && !(linking && state->flaws.two_neighbours))
        relink(state, i);
    if (i == 0)
        new_head(state);
    if (i == state->count)
        new_tail(state);
}
RH_BEHAVIOUR(master, watching, rh_start, ch_subscribe, ch_has, ch_ready, rh_down);
