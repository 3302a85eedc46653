/* See multipaxos.h.
 *
 *     client --mp_append--> leader --mp_accept--> replicas --mp_accepted--> leader --mp_commit--> replicas
 *     leader --mp_appended--> client, when it has applied the slot
 *     candidate --mp_prepare--> replicas --mp_promise--> candidate, which leads when a majority has promised
 *
 * Durable: a ballot before mp_prepare, a promise before mp_promise, a vote before mp_accepted.  What is chosen is not:
 * a leader that knows nothing of a slot proposes it again, with the value of the highest ballot that a majority shows.
 *
 * Flaws (bugs of test.c):
 *   own_log        a new leader appends after the last slot that it has itself accepted, not after the last one that a
 *                  promise shows
 *   keeps_promise  an acceptance does not count as a promise: later the replica accepts what an older leader sends
 *   mixed_ballots  a leader counts acceptances of a slot, of whatever ballot */
#include "multipaxos.h"

#include <stdio.h>
#include <string.h>

struct mp_text mp_name(int replica)
{
    struct mp_text t;
    snprintf(t.s, sizeof t.s, "replica %d", replica);
    return t;
}

static struct mp_text slot_key(int slot)
{
    struct mp_text t;
    snprintf(t.s, sizeof t.s, "slot %d", slot);
    return t;
}

#define SEND_ALL(state, ...)                                                                                           \
    for (int to = 0; to < (state)->count; to++)                                                                        \
    rh_send_to_name(mp_name(to).s, __VA_ARGS__)

static bool has_majority(const struct replica *state, uint32_t set)
{
    return 2 * __builtin_popcount(set) > state->count;
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

/* The first value that was appended for a key counts. */
static struct command what_counts(const struct replica *state, int slot)
{
    for (int i = 0; i < slot; i++)
        if (state->slots[i].command.key == state->slots[slot].command.key)
            return state->slots[i].command;
    return state->slots[slot].command;
}

static void apply(struct replica *state)
{
    for (; state->applied < MOST_SLOTS && state->slots[state->applied].chosen; state->applied++) {
        struct mp_slot *s = &state->slots[state->applied];
        struct command c = s->command.key ? what_counts(state, state->applied) : s->command;
        rh_announce(mp_applied, .replica = state->number, .slot = state->applied, .command = c);
        if (!rh_is_nobody(s->client))
            rh_send(s->client, mp_appended, .command = c);
        s->client = rh_nobody();
    }
}

static void choose(struct replica *state, int slot, struct command command)
{
    struct mp_slot *s = &state->slots[slot];
    rh_assert(!s->chosen || (s->command.key == command.key && s->command.value == command.value),
              "slot %d has %d = %d, and %d = %d is chosen", slot, s->command.key, s->command.value, command.key,
              command.value);
    if (s->chosen)
        return;
    s->chosen = true;
    s->command = command;
    rh_announce(mp_learned, .replica = state->number, .slot = slot, .command = command);
    apply(state);
}

static int first_not_chosen(const struct replica *state)
{
    int slot = 0;
    while (slot < MOST_SLOTS && state->slots[slot].chosen)
        slot++;
    return slot;
}

/* ---- following --------------------------------------------------------------------------------------------------- */
static void await_leader(struct replica *state)
{
    if (state->elections < state->most_elections)
        rh_timer("election", state->timeout_ms * (state->number + 2), mp_election);
}

static void follow(struct replica *state)
{
    if (state->role == MP_LEADER)
        rh_timer_cancel("beat");
    state->role = MP_FOLLOWER;
    await_leader(state);
}

RH_HANDLER(replica, rh_start)
{
    rh_store_open(mp_name(state->number).s);
    rh_register(mp_name(state->number).s, self);
    if (rh_store_get("promised", &state->promised, sizeof state->promised) < 0)
        state->promised = 0;
    for (int i = 0; i < MOST_SLOTS; i++)
        if (rh_store_get(slot_key(i).s, &state->slots[i].vote, sizeof state->slots[i].vote) < 0)
            memset(&state->slots[i].vote, 0, sizeof state->slots[i].vote);
    state->leader = -1;
    await_leader(state);
}
RH_HANDLER(replica, mp_prepare)
{
    if (msg->ballot < state->promised) {
        rh_reply(mp_reject, .ballot = msg->ballot, .promised = state->promised);
        return;
    }
    if (msg->ballot > state->promised) {
        state->promised = msg->ballot;
        rh_store_put("promised", &state->promised, sizeof state->promised);
        rh_store_sync();
    }
    if (state->role != MP_FOLLOWER && msg->ballot > state->ballot)
        follow(state);
    struct mp_entry accepted[MOST_SLOTS];
    int count = 0;
    memset(accepted, 0, sizeof accepted);
    for (int i = msg->first; i >= 0 && i < MOST_SLOTS; i++)
        if (state->slots[i].vote.ballot)
            accepted[count++] = (struct mp_entry){ .slot = i, .vote = state->slots[i].vote };
    rh_send_with(rh_sender(), accepted, (size_t)count * sizeof *accepted, mp_promise, .ballot = msg->ballot,
                 .replica = state->number);
}
RH_HANDLER(replica, mp_accept)
{
    if (msg->ballot < state->promised || msg->slot < 0 || msg->slot >= MOST_SLOTS) {
        rh_reply(mp_reject, .ballot = msg->ballot, .promised = state->promised);
        return;
    }
    if (msg->ballot > state->promised && !state->flaws.keeps_promise) {
        state->promised = msg->ballot;
        rh_store_put("promised", &state->promised, sizeof state->promised);
    }
    if (state->role != MP_FOLLOWER && msg->ballot > state->ballot)
        follow(state);
    struct mp_vote *v = &state->slots[msg->slot].vote;
    *v = (struct mp_vote){ .ballot = msg->ballot, .command = msg->command };
    rh_store_put(slot_key(msg->slot).s, v, sizeof *v);
    rh_store_sync();
    rh_announce(mp_voted, .replica = state->number, .slot = msg->slot, .ballot = msg->ballot, .command = msg->command);
    rh_reply(mp_accepted, .ballot = msg->ballot, .slot = msg->slot, .replica = state->number);
}
RH_HANDLER(replica, mp_commit)
{
    choose(state, msg->slot, msg->command);
}
RH_HANDLER(replica, mp_heartbeat)
{
    if (msg->ballot < state->promised)
        return;
    state->leader = msg->leader;
    if (state->role == MP_FOLLOWER)
        await_leader(state);
    if (msg->commits > first_not_chosen(state))
        rh_reply(mp_catch_up, .first = first_not_chosen(state));
}
RH_HANDLER(replica, mp_catch_up)
{
    for (int i = msg->first; i >= 0 && i < MOST_SLOTS; i++)
        if (state->slots[i].chosen)
            rh_reply(mp_commit, .slot = i, .command = state->slots[i].command);
}

/* ---- leading ----------------------------------------------------------------------------------------------------- */
static void propose(struct replica *state, int slot, struct command command, rh_ref client)
{
    struct mp_slot *s = &state->slots[slot];
    s->command = command;
    s->client = client;
    s->acks = 0;
    SEND_ALL(state, mp_accept, .ballot = state->ballot, .slot = slot, .command = command);
}

static void beat(struct replica *state)
{
    SEND_ALL(state, mp_heartbeat, .ballot = state->ballot, .leader = state->number, .commits = first_not_chosen(state));
    rh_timer("beat", state->timeout_ms, mp_beat);
}

/* What a majority shows may have been chosen: it is proposed again.  Slots in between of which nobody knows get
 * nothing.  `slots[i].command` has the candidates, with their ballots in `acks`. */
static void lead(struct replica *state)
{
    int end = 0;
    for (int i = 0; i < MOST_SLOTS; i++) {
        bool shown = state->flaws.own_log ? state->slots[i].vote.ballot != 0 : state->slots[i].acks != 0;
        if (shown || state->slots[i].chosen)
            end = i + 1;
    }
    state->role = MP_LEADER;
    state->leader = state->number;
    state->next = end;
    rh_timer_cancel("election");
    for (int i = 0; i < end; i++)
        if (!state->slots[i].chosen)
            propose(state, i, state->slots[i].acks ? state->slots[i].command : (struct command){ 0 }, rh_nobody());
    if (state->beats++ < state->most_beats)
        beat(state);
}

RH_HANDLER(replica, mp_election)
{
    if (state->role == MP_LEADER || state->elections++ >= state->most_elections)
        return;
    uint32_t n = (uint32_t)state->count, above = state->promised > state->ballot ? state->promised : state->ballot;
    state->ballot = (above / n + 1) * n + (uint32_t)state->number + 1;
    state->promised = state->ballot; /* durable, so that the ballot is not used again after a crash */
    rh_store_put("promised", &state->promised, sizeof state->promised);
    rh_store_sync();
    state->role = MP_CANDIDATE;
    state->promises = 0;
    for (int i = 0; i < MOST_SLOTS; i++) {
        state->slots[i].acks = 0;
        state->slots[i].client = rh_nobody();
    }
    SEND_ALL(state, mp_prepare, .ballot = state->ballot, .first = first_not_chosen(state));
    await_leader(state);
}
RH_HANDLER(replica, mp_promise)
{
    if (state->role != MP_CANDIDATE || msg->ballot != state->ballot)
        return;
    size_t size;
    const struct mp_entry *accepted = rh_tail(&size);
    for (size_t i = 0; i < size / sizeof *accepted; i++) {
        struct mp_slot *s = &state->slots[accepted[i].slot];
        if (!s->chosen && accepted[i].vote.ballot > s->acks) {
            s->acks = accepted[i].vote.ballot;
            s->command = accepted[i].vote.command;
        }
    }
    state->promises |= 1u << msg->replica;
    if (has_majority(state, state->promises))
        lead(state);
}
RH_HANDLER(replica, mp_accepted)
{
    if (state->role != MP_LEADER || (msg->ballot != state->ballot && !state->flaws.mixed_ballots))
        return;
    struct mp_slot *s = &state->slots[msg->slot];
    s->acks |= 1u << msg->replica;
    if (s->chosen || !has_majority(state, s->acks))
        return;
    struct command command = s->command;
    choose(state, msg->slot, command);
    for (int to = 0; to < state->count; to++)
        if (to != state->number)
            rh_send_to_name(mp_name(to).s, mp_commit, .slot = msg->slot, .command = command);
}
RH_HANDLER(replica, mp_reject)
{
    if (state->role != MP_FOLLOWER && msg->ballot == state->ballot)
        follow(state);
}
RH_HANDLER(replica, mp_beat)
{
    if (state->role == MP_LEADER && state->beats++ < state->most_beats)
        beat(state);
}
RH_HANDLER(replica, mp_append)
{
    if (state->role != MP_LEADER || state->next >= MOST_SLOTS) {
        rh_reply(mp_elsewhere, .key = msg->command.key, .leader = state->role == MP_LEADER ? -1 : state->leader);
        return;
    }
    for (int i = 0; i < state->next; i++)
        if (state->slots[i].command.key == msg->command.key) { /* the client asks again */
            state->slots[i].client = rh_sender();
            if (i < state->applied)
                rh_reply(mp_appended, .command = state->slots[i].command);
            return;
        }
    propose(state, state->next++, msg->command, rh_sender());
}
RH_BEHAVIOUR(replica, serving, rh_start, mp_prepare, mp_accept, mp_commit, mp_heartbeat, mp_catch_up, mp_election,
             mp_promise, mp_accepted, mp_reject, mp_beat, mp_append);

/* ---- client ------------------------------------------------------------------------------------------------------ */
RH_BODY(mp_client)
{
    int at = 0;
    for (int i = 0; i < state->commands; i++) {
        struct command c = { .key = state->first + i, .value = state->value };
        for (int k = 0; k < state->tries && state->done == i; k++) {
            rh_send_to_name(mp_name(at).s, mp_append, .command = c);
            const struct rh_envelope *e =
                rh_receive_any(.types = RH_TYPES(mp_appended, mp_elsewhere), .timeout_ms = state->timeout_ms);
            if (e && rh_as(e, mp_appended) && rh_as(e, mp_appended)->command.key == c.key)
                state->done++;
            else if (e && rh_as(e, mp_elsewhere) && rh_as(e, mp_elsewhere)->leader >= 0)
                at = rh_as(e, mp_elsewhere)->leader;
            else
                at = (at + 1) % state->replicas;
            if (e && state->rest_ms && rh_as(e, mp_elsewhere) && rh_as(e, mp_elsewhere)->leader < 0)
                rh_sleep(state->rest_ms);
        }
        if (state->done == i)
            return;
    }
}
