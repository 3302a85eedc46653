/* The handlers of a Raft server: messages of others go to election.c and replication.c; requests of clients and
 * operators are here. */
#include "server.h"

#include <string.h>

RH_HANDLER(raft_server, rh_start)
{
    rh_store_open(raft_name(state->number).s);
    log_load(state);
    set_timers(state);
}
RH_HANDLER(raft_server, rh_stored)
{
    uint32_t writes = state->write_count;
    log_stored(state, msg->ticket);
    if (state->meta_ticket && state->meta_ticket <= msg->ticket) {
        state->meta_ticket = 0;
        on_meta_stored(state);
        on_log_stored(state);
    } else if (state->write_count < writes) {
        on_log_stored(state);
    }
}

/* ---- other servers ----------------------------------------------------------------------------------------------- */
RH_HANDLER(raft_server, request_vote)
{
    on_request_vote(state, msg);
}
RH_HANDLER(raft_server, vote)
{
    on_vote(state, msg);
}
RH_HANDLER(raft_server, append_entries)
{
    on_append_entries(state, msg);
}
RH_HANDLER(raft_server, append_reply)
{
    on_append_reply(state, msg);
}
RH_HANDLER(raft_server, install_snapshot)
{
    on_install_snapshot(state, msg);
}
/* Section 3.10: the leader wants this server to be elected. */
RH_HANDLER(raft_server, timeout_now)
{
    if (msg->term == state->meta.term && state->role == FOLLOWER)
        begin_election(state, true);
}

/* ---- timers ------------------------------------------------------------------------------------------------------ */
RH_HANDLER(raft_server, election_timeout)
{
    state->settings.elections--;
    begin_election(state, false);
}
RH_HANDLER(raft_server, heartbeat_due)
{
    enum { PATIENCE = 5 }; /* heartbeats until a transfer has failed (section 3.10) */
    state->settings.beats--;
    if (state->transfer_to && ++state->transfer_beats > PATIENCE)
        state->transfer_to = 0;
    send_to_others(state);
    set_timers(state);
}

/* ---- clients and operators --------------------------------------------------------------------------------------- */
/* A leader takes requests unless it is about to hand over, or too much is waiting. */
static bool takes_requests(const struct raft_server *s)
{
    return s->role == LEADER && !s->transfer_to && s->log.count < MOST_LOG && s->puts.count < MOST_WAITING &&
           s->gets.count < MOST_WAITING;
}
static bool has_committed_in_term(const struct raft_server *s)
{
    return log_term(s, s->commit) == s->meta.term;
}
static void append_for(struct raft_server *s, uint32_t request, struct entry entry)
{
    entry.term = s->meta.term;
    log_append(s, entry);
    add_waiting(&s->puts, (struct waiting){ .client = rh_sender(), .request = request, .at = log_last(s) });
    log_save(s);
    send_to_others(s);
}

RH_HANDLER(raft_server, client_put)
{
    if (!takes_requests(state) || msg->client >= MOST_CLIENTS || msg->key >= MOST_KEYS)
        refuse(state, rh_sender(), msg->request);
    else if (msg->request <= state->registers.last_request[msg->client]) /* it was lost that it is done */
        rh_reply(client_answer, .request = msg->request, .done = true, .value = msg->value, .leader = state->leader);
    else
        append_for(state, msg->request,
                   (struct entry){ .kind = ENTRY_PUT,
                                   .client = msg->client,
                                   .request = msg->request,
                                   .key = msg->key,
                                   .value = msg->value });
}
RH_HANDLER(raft_server, client_get)
{
    if (!takes_requests(state) || !has_committed_in_term(state) || msg->key >= MOST_KEYS) {
        refuse(state, rh_sender(), msg->request);
        return;
    }
    state->round++;
    add_waiting(
        &state->gets,
        (struct waiting){ .client = rh_sender(), .request = msg->request, .round = state->round, .key = msg->key });
    if (!state->settings.flaws.local_read)
        send_to_others(state);
    answer_gets(state);
}

/* Section 4.1: one server at a time.  A leader that has not committed an entry of its term may not know of a change
 * that is committed or can be; then two majorities need not meet (Ongaro, raft-dev, July 2015). */
RH_HANDLER(raft_server, change_members)
{
    uint32_t members = msg->add ? state->members | 1u << msg->server : state->members & ~(1u << msg->server);
    if (!takes_requests(state) || members_pending(state) || msg->server < 1 || msg->server > MOST_SERVERS || !members ||
        !(has_committed_in_term(state) || state->settings.flaws.single_server))
        refuse(state, rh_sender(), msg->request);
    else if (members == state->members)
        rh_reply(client_answer, .request = msg->request, .done = true, .value = members, .leader = state->leader);
    else
        append_for(state, msg->request, (struct entry){ .kind = ENTRY_MEMBERS, .value = members });
}
/* Section 3.10.  The others are asked to vote although they hear of a leader. */
RH_HANDLER(raft_server, transfer_leadership)
{
    bool possible = msg->to >= 1 && msg->to <= MOST_SERVERS && state->members >> msg->to & 1;
    if (!takes_requests(state) || !possible) {
        refuse(state, rh_sender(), msg->request);
        return;
    }
    rh_reply(client_answer, .request = msg->request, .done = true, .value = msg->to, .leader = state->leader);
    if (msg->to == state->number)
        return;
    state->transfer_to = msg->to;
    state->transfer_beats = 0;
    hand_over(state);
}

RH_BEHAVIOUR(raft_server, serving, rh_start, rh_stored, request_vote, vote, append_entries, append_reply,
             install_snapshot, timeout_now, election_timeout, heartbeat_due, client_put, client_get, change_members,
             transfer_leadership);
