/* See chain.h.
 *
 *     client --ch_update--> head --ch_forward--> ... --ch_forward--> tail --ch_updated--> client
 *     head <--ch_ack-- ... <--ch_ack-- tail;  client --ch_query--> tail --ch_answer--> client
 *
 * A server keeps every update until the tail has it, because it may have to send it again when its successor fails.
 * Links are fifo.
 *
 * Flaws (bugs of test.c):
 *   no_resend         does not send its new successor what that lacks
 *   applies_twice     applies an update that it already has
 *   mute_tail         a server that becomes the tail does not answer updates that the old tail may not have answered
 *   counts_acks       counts acknowledgements instead of reading them
 *   answers_again     answers an update that a client has sent again, although the tail does not have it yet
 *   old_tail_answers  a tail that has handed over to a new one goes on answering queries
 *   forgets_requests  knows only the requests that it has taken as the head */
#include "chain.h"

static void reply(const struct update *u)
{
    rh_announce(ch_replied, .client = u->client, .request = u->request, .sequence = u->sequence);
    rh_send(u->who, ch_updated, .request = u->request, .sequence = u->sequence);
}

static void note_ack(struct server *state, uint32_t sequence)
{
    if (sequence <= state->contents.acked)
        return;
    state->contents.acked = sequence;
    if (!rh_is_nobody(state->predecessor))
        rh_send(state->predecessor, ch_ack, .sequence = sequence);
}

static void apply(struct server *state, const struct update *u)
{
    struct contents *c = &state->contents;
    c->last = u->sequence;
    c->window[u->sequence % WINDOW] = *u;
    c->values[u->key] = u->value;
    if (state->head || !state->flaws.forgets_requests) {
        c->requests[u->client].request = u->request;
        c->requests[u->client].sequence = u->sequence;
    }
    rh_announce(ch_applied, .server = state->number, .update = *u);
    if (state->tail) {
        reply(u);
        note_ack(state, u->sequence);
    } else if (!rh_is_nobody(state->successor)) { /* otherwise it is sent when the successor is known */
        rh_send(state->successor, ch_forward, .update = *u);
    }
}

RH_HANDLER(server, ch_update)
{
    struct contents *c = &state->contents;
    bool valid = msg->client >= 0 && msg->client < MOST_CLIENTS && msg->key >= 0 && msg->key < MOST_KEYS;
    rh_assert(state->head, "%s gets an update, but it is not the head", rh_name(self));
    if (!valid || c->last - c->acked >= WINDOW)
        return; /* the client asks again */
    if (c->requests[msg->client].request >= msg->request) {
        struct update u = { .client = msg->client,
                            .request = msg->request,
                            .who = rh_sender(),
                            .sequence = c->requests[msg->client].sequence };
        if (u.sequence <= c->acked || state->flaws.answers_again)
            reply(&u);
        return; /* otherwise the tail will answer */
    }
    struct update u = { .sequence = c->last + 1,
                        .request = msg->request,
                        .client = msg->client,
                        .key = msg->key,
                        .value = msg->value,
                        .who = rh_sender() };
    apply(state, &u);
}
RH_HANDLER(server, ch_forward)
{
    if (!rh_same(rh_sender(), state->predecessor))
        return; /* of a server that has failed */
    if (msg->update.sequence <= state->contents.last && !state->flaws.applies_twice)
        return;
    rh_assert(msg->update.sequence <= state->contents.last + 1, "%s has %u updates and gets update %u", rh_name(self),
              state->contents.last, msg->update.sequence);
    apply(state, &msg->update);
}
RH_HANDLER(server, ch_ack)
{
    note_ack(state, state->flaws.counts_acks ? state->contents.acked + 1 : msg->sequence);
}
RH_HANDLER(server, ch_query)
{
    if (!state->tail && !state->flaws.old_tail_answers) { /* it was the tail when the client heard of it */
        if (!rh_is_nobody(state->successor))
            rh_forward(state->successor);
        return; /* or it will be: then the client asks again */
    }
    int value = msg->key >= 0 && msg->key < MOST_KEYS ? state->contents.values[msg->key] : 0;
    rh_reply(ch_answer, .request = msg->request, .value = value, .sequence = state->contents.last);
}

/* ---- orders of the master ---------------------------------------------------------------------------------------- */
static bool is_old(struct server *state, uint32_t version)
{
    if (version <= state->version)
        return true;
    state->version = version;
    return false;
}

RH_HANDLER(server, ch_be_head)
{
    if (is_old(state, msg->version))
        return;
    state->head = true;
    state->predecessor = rh_nobody();
    rh_reply(ch_ready, .version = msg->version);
}
RH_HANDLER(server, ch_be_tail)
{
    struct contents *c = &state->contents;
    if (is_old(state, msg->version))
        return;
    state->tail = true;
    state->successor = rh_nobody();
    for (uint32_t i = c->acked + 1; i <= c->last && !state->flaws.mute_tail; i++)
        reply(&c->window[i % WINDOW]);
    note_ack(state, c->last);
    rh_reply(ch_ready, .version = msg->version);
}
RH_HANDLER(server, ch_new_predecessor)
{
    if (is_old(state, msg->version))
        return;
    state->predecessor = msg->predecessor;
    if (state->contents.acked)
        rh_send(state->predecessor, ch_ack, .sequence = state->contents.acked);
    rh_reply(ch_has, .version = msg->version, .last = state->contents.last);
}
RH_HANDLER(server, ch_new_successor)
{
    const struct contents *c = &state->contents;
    if (is_old(state, msg->version))
        return;
    state->successor = msg->successor;
    for (uint32_t i = msg->last + 1; i <= c->last && !state->flaws.no_resend; i++)
        rh_send(state->successor, ch_forward, .update = c->window[i % WINDOW]);
}
RH_HANDLER(server, ch_extend)
{
    if (is_old(state, msg->version) || !state->tail)
        return;
    struct ch_copy copy = {
        .version = msg->version, .master = rh_sender(), .from = state->number, .contents = state->contents
    };
    state->tail = false;
    state->successor = msg->spare;
    rh_send_value(msg->spare, ch_copy, &copy);
}
RH_HANDLER(server, ch_copy)
{
    if (is_old(state, msg->version))
        return; /* of a tail that has failed */
    state->contents = msg->contents;
    state->predecessor = rh_sender();
    state->tail = true;
    rh_announce(ch_copied, .server = state->number, .from = msg->from, .last = msg->contents.last);
    rh_send(msg->master, ch_ready, .version = msg->version);
}
RH_BEHAVIOUR(server, serving, ch_update, ch_forward, ch_ack, ch_query, ch_be_head, ch_be_tail, ch_new_predecessor,
             ch_new_successor, ch_extend, ch_copy);

/* ---- client ------------------------------------------------------------------------------------------------------ */
static void ask(const struct ch_client *state, const struct ch_view *view, uint32_t request)
{
    if (state->reads)
        rh_send(view->tail, ch_query, .client = state->number, .request = request, .key = 0);
    else
        rh_send(view->head, ch_update, .client = state->number, .request = request, .key = state->number % MOST_KEYS,
                .value = (int)request);
}

RH_BODY(ch_client)
{
    rh_send(state->master, ch_subscribe);
    struct ch_view view = *rh_receive(ch_view);
    for (uint32_t request = 1; request <= (uint32_t)state->requests; request++) {
        if (state->reads)
            rh_announce(ch_read_begins, .client = state->number);
        ask(state, &view, request);
        while (state->answered < request) {
            const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(ch_view, ch_updated, ch_answer));
            if (rh_as(e, ch_view)) {
                view = *rh_as(e, ch_view);
                ask(state, &view, request);
            } else if (rh_as(e, ch_updated) && rh_as(e, ch_updated)->request == request) {
                state->answered = request;
            } else if (rh_as(e, ch_answer) && rh_as(e, ch_answer)->request == request) {
                rh_announce(ch_read_ends, .client = state->number, .sequence = rh_as(e, ch_answer)->sequence);
                state->answered = request;
            }
        }
    }
}
