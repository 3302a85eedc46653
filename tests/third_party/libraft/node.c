/* The actor `server` of libraft.h.  Each handler makes one call into the library; `settle` does what follows: the
 * library hears that its messages are sent, monitors hear of a new leader and of commits, timers are set.
 *
 * A timer of a kind is set at most once at a time and fires as often as its budget allows, so runs end. */
#include "libraft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cluster cluster;

/* ---- after each call of the library ------------------------------------------------------------------------------ */

static void announce(struct server *state)
{
    struct raft *raft = &state->machine->raft;
    if (state->leading && raft->current_term != state->led) {
        struct now_leads m = { .server = state->number, .term = (int)raft->current_term, .last = log_last(&raft->log) };
        rh_assert(m.last < MOST_ENTRIES, "%d entries", m.last);
        for (int i = 1; i <= m.last; i++)
            m.log[i] = log_entry(&raft->log, i);
        state->led = raft->current_term;
        rh_announce_value(now_leads, &m);
    }
    while (state->announced < (int)raft->commit_index) {
        int i = ++state->announced;
        rh_announce(has_committed, .server = state->number, .index = i, .entry = log_entry(&raft->log, i));
    }
}

/* Sets the timer if it is wanted and not set, or the other way round. */
#define HAVE_TIMER(flag, wanted, name, ms, message)                                                                    \
    do {                                                                                                               \
        if ((wanted) && !state->flag)                                                                                  \
            rh_timer(name, ms, message);                                                                               \
        else if (!(wanted) && state->flag)                                                                             \
            rh_timer_cancel(name);                                                                                     \
        state->flag = (wanted);                                                                                        \
    } while (0)

static void settle(struct server *state)
{
    struct machine *m = state->machine;
    machine_flush(m);
    while (!cluster.slow_disk && m->write_count)
        machine_complete_write(m);
    bool leading = raft_state(&m->raft) == RAFT_LEADER;
    if (leading != state->leading) {
        if (leading)
            rh_become(server, leading);
        else
            rh_become(server, following);
    }
    state->leading = leading;
    announce(state);
    HAVE_TIMER(disk_set, m->write_count > 0, "disk", 1, disk_done);
    HAVE_TIMER(election_set, !leading && state->elections > 0, "election", 1000, election_timeout);
    HAVE_TIMER(heartbeat_set, leading && state->heartbeats > 0, "heartbeat", 100, heartbeat);
    HAVE_TIMER(write_set, leading && state->writes > 0, "write", 10, client_write);
    HAVE_TIMER(transfer_set, leading && state->transfers > 0, "transfer", 10, client_transfer);
}

RH_HANDLER(server, rh_start)
{
    state->machine = calloc(1, sizeof *state->machine);
    rh_assert(state->machine, "no memory");
    state->elections = cluster.elections;
    state->heartbeats = cluster.heartbeats;
    state->writes = cluster.writes;
    state->transfers = cluster.transfers;
    machine_init(state->machine, state->number);
    settle(state);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static int sender_number(void)
{
    int i = 0;
    while (i < cluster.count && !rh_same(cluster.at[i], rh_sender()))
        i++;
    rh_assert(i < cluster.count, "a message of no server");
    return i;
}
static void receive(struct server *state, struct raft_message *x)
{
    char address[8];
    int from = sender_number();
    snprintf(address, sizeof address, "%d", (from + 1) % 100);
    x->server_id = (raft_id)from + 1;
    x->server_address = address;
    state->machine->receive(&state->machine->io, x);
    settle(state);
}

RH_HANDLER(server, append_entries)
{
    size_t size;
    const struct disk_entry *tail = rh_tail(&size);
    struct raft_message x = { .type = RAFT_IO_APPEND_ENTRIES };
    x.append_entries = (struct raft_append_entries){ .term = msg->term,
                                                     .prev_log_index = msg->prev,
                                                     .prev_log_term = msg->prev_term,
                                                     .leader_commit = msg->commit,
                                                     .entries = entries_from_disk(tail, msg->count),
                                                     .n_entries = msg->count };
    receive(state, &x);
}
RH_HANDLER(server, append_result)
{
    struct raft_message x = { .type = RAFT_IO_APPEND_ENTRIES_RESULT };
    x.append_entries_result = (struct raft_append_entries_result){ .term = msg->term,
                                                                   .rejected = msg->rejected,
                                                                   .last_log_index = msg->last };
    receive(state, &x);
}
RH_HANDLER(server, request_vote)
{
    struct raft_message x = { .type = RAFT_IO_REQUEST_VOTE };
    x.request_vote = (struct raft_request_vote){ .term = msg->term,
                                                 .candidate_id = (raft_id)sender_number() + 1,
                                                 .last_log_index = msg->last,
                                                 .last_log_term = msg->last_term,
                                                 .disrupt_leader = msg->disrupt,
                                                 .pre_vote = msg->pre };
    receive(state, &x);
}
RH_HANDLER(server, vote)
{
    struct raft_message x = { .type = RAFT_IO_REQUEST_VOTE_RESULT };
    x.request_vote_result =
        (struct raft_request_vote_result){ .term = msg->term, .vote_granted = msg->granted, .pre_vote = msg->pre };
    receive(state, &x);
}
RH_HANDLER(server, timeout_now)
{
    struct raft_message x = { .type = RAFT_IO_TIMEOUT_NOW };
    x.timeout_now =
        (struct raft_timeout_now){ .term = msg->term, .last_log_index = msg->last, .last_log_term = msg->last_term };
    receive(state, &x);
}

/* ---- timers ------------------------------------------------------------------------------------------------------ */

static void tick(struct server *state, raft_time ms)
{
    state->machine->clock += ms;
    state->machine->tick(&state->machine->io);
    settle(state);
}
RH_HANDLER(server, election_timeout)
{
    state->election_set = false;
    state->elections--;
    tick(state, 2500); /* longer than the longest election timeout */
}
RH_HANDLER(server, heartbeat)
{
    state->heartbeat_set = false;
    state->heartbeats--;
    tick(state, 150);
}
RH_HANDLER(server, disk_done)
{
    state->disk_set = false;
    machine_complete_write(state->machine);
    settle(state);
}

static void applied(struct raft_apply *request, int status, void *result)
{
    (void)status, (void)result;
    raft_free(request);
}
RH_HANDLER(server, client_write)
{
    int32_t id = 1000 * (state->number + 1) + state->writes;
    struct raft_buffer command = { .base = raft_calloc(1, 8), .len = 8 };
    struct raft_apply *request = raft_calloc(1, sizeof *request);
    rh_assert(command.base && request, "no memory");
    state->write_set = false;
    state->writes--;
    memcpy(command.base, &id, sizeof id);
    if (raft_apply(&state->machine->raft, request, &command, 1, applied) != 0) {
        raft_free(request);
        raft_free(command.base);
    }
    settle(state);
}

static void transferred(struct raft_transfer *request)
{
    raft_free(request);
}
RH_HANDLER(server, client_transfer)
{
    struct raft_transfer *request = raft_calloc(1, sizeof *request);
    rh_assert(request, "no memory");
    state->transfer_set = false;
    int to = (state->number + 1 + state->transfers-- % (cluster.count - 1)) % cluster.count;
    if (raft_transfer(&state->machine->raft, request, (raft_id)to + 1, transferred) != 0)
        raft_free(request);
    settle(state);
}

RH_BEHAVIOUR(server, following, rh_start, append_entries, append_result, request_vote, vote, timeout_now,
             election_timeout, disk_done);
RH_BEHAVIOUR(server, leading, append_entries, append_result, request_vote, vote, timeout_now, heartbeat, disk_done,
             client_write, client_transfer);
