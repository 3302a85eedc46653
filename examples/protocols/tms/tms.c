/* See tms.h.
 *
 *     client --tms_begin--> manager --tms_prepare--> shards --ch_update--> their chains
 *     shard --tms_vote--> manager --mp_append--> log --mp_appended--> manager --tms_decision--> shards
 *     manager --tms_outcome--> client;  shard --ch_update--> its chain, --tms_ack--> manager
 *
 * A client that hears nothing asks the other manager.  Then both may manage one transaction: both prepare it, and both
 * append a decision, perhaps different ones.  The log keeps the first, and both follow it.
 *
 * What is replicated before what: the record of the operation before the vote; the decision before anybody hears of it.
 * A shard keeps the record of a decided transaction, because the other manager may come later.
 *
 * Flaws (bugs of test.c):
 *   tells_first       a manager tells the shards when it appends its decision, not when that is in the log
 *   own_decision      a manager takes what it has appended for what was decided
 *   votes_early       a shard votes before its chain has the record
 *   forgets_decision  a shard forgets a transaction when it is decided */
#include "tms.h"

#include <stdio.h>

/* ---- shard ------------------------------------------------------------------------------------------------------- */
static bool is_valid(int tx)
{
    return tx > 0 && tx < MOST_TX;
}

/* Waits until the chain has the record. */
static void write_record(struct tms_shard *state, int tx, int record)
{
    struct ch_update update = { .client = 0, .request = ++state->requests, .key = tx, .value = record };
    state->records[tx] = record;
    rh_send_value(state->view.head, ch_update, &update);
    for (;;) {
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(ch_view, ch_updated));
        if (rh_as(e, ch_updated)) {
            if (rh_as(e, ch_updated)->request == update.request)
                return;
        } else {
            state->view = *rh_as(e, ch_view);
            rh_send_value(state->view.head, ch_update, &update);
        }
    }
}

static int read_record(struct tms_shard *state, int tx)
{
    uint32_t request = ++state->requests;
    rh_send(state->view.tail, ch_query, .request = request, .key = tx);
    for (;;) {
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(ch_view, ch_answer));
        if (rh_as(e, ch_answer)) {
            if (rh_as(e, ch_answer)->request == request)
                return rh_as(e, ch_answer)->value;
        } else {
            state->view = *rh_as(e, ch_view);
            rh_send(state->view.tail, ch_query, .request = request, .key = tx);
        }
    }
}

/* Amounts may be negative: 4 * amount + record, with the record in the last two bits. */
static int record_of(int amount, enum tms_record record)
{
    return amount * 4 + (int)record;
}
static int amount_of(int record)
{
    return (record - (record & 3)) / 4;
}

/* With all that is prepared and takes money away. */
static int least_balance(const struct tms_shard *state)
{
    int balance = state->opening_balance;
    for (int i = 1; i < MOST_TX; i++) {
        int amount = amount_of(state->records[i]), record = state->records[i] & 3;
        if (record == RECORD_COMMITTED || (record == RECORD_PREPARED && amount < 0))
            balance += amount;
    }
    return balance;
}

/* A life has request numbers of its own: the chain drops what it takes for repeated. */
RH_HANDLER(tms_shard, rh_start)
{
    state->requests = msg->restarts << 16;
    rh_send(state->master, ch_subscribe);
    state->view = *rh_receive(ch_view);
    for (int i = 1; i < MOST_TX && msg->restarts; i++)
        state->records[i] = read_record(state, i);
}
RH_HANDLER(tms_shard, ch_view)
{
    state->view = *msg;
}
RH_HANDLER(tms_shard, tms_prepare)
{
    int tx = msg->tx, amount = msg->amount;
    if (!is_valid(tx))
        return;
    struct rh_request manager = rh_keep_request();
    int record = state->records[tx] & 3;
    bool yes = record == RECORD_PREPARED || record == RECORD_COMMITTED;
    if (record == RECORD_NONE && (amount >= 0 || least_balance(state) + amount >= 0)) {
        if (state->flaws.votes_early)
            state->records[tx] = record_of(amount, RECORD_PREPARED); /* written with the decision */
        else
            write_record(state, tx, record_of(amount, RECORD_PREPARED));
        yes = true;
    }
    rh_reply_to(manager, tms_vote, .tx = tx, .shard = state->number, .yes = yes);
}
RH_HANDLER(tms_shard, tms_decision)
{
    int tx = msg->tx;
    bool commit = msg->commit, forgets = state->flaws.forgets_decision;
    if (!is_valid(tx))
        return;
    struct rh_request manager = rh_keep_request();
    int amount = amount_of(state->records[tx]), record = state->records[tx] & 3;
    rh_assert(!commit || record == RECORD_PREPARED || record == RECORD_COMMITTED || forgets,
              "transaction %d is committed, but shard %d has %s it", tx, state->number,
              record == RECORD_NONE ? "lost" : "aborted");
    if (record == RECORD_PREPARED)
        rh_announce(tms_applied, .tx = tx, .shard = state->number, .commit = commit, .amount = amount);
    if (record == RECORD_PREPARED || record == RECORD_NONE)
        write_record(state, tx, forgets ? RECORD_NONE : record_of(amount, commit ? RECORD_COMMITTED : RECORD_ABORTED));
    rh_reply_to(manager, tms_ack, .tx = tx, .shard = state->number);
}
RH_HANDLER(tms_shard, tms_audit)
{
    int balance = state->opening_balance, open = 0;
    for (int i = 1; i < MOST_TX; i++) {
        balance += (state->records[i] & 3) == RECORD_COMMITTED ? amount_of(state->records[i]) : 0;
        open += (state->records[i] & 3) == RECORD_PREPARED;
    }
    rh_reply(tms_balance, .balance = balance, .open = open);
}
RH_BEHAVIOUR(tms_shard, serving, rh_start, ch_view, tms_prepare, tms_decision, tms_audit, RH_IGNORE(ch_updated),
             RH_IGNORE(ch_answer));

/* ---- manager ----------------------------------------------------------------------------------------------------- */
static struct mp_text timer_of(int tx)
{
    struct mp_text t;
    snprintf(t.s, sizeof t.s, "transaction %d", tx);
    return t;
}

static rh_ref shard_of(const struct manager *state, const struct managed_tx *t, int leg)
{
    return state->shards[t->transfer.legs[leg].shard];
}

static void tell_shards(const struct manager *state, const struct managed_tx *t)
{
    for (int i = 0; i < 2; i++)
        if (!(t->acked >> i & 1))
            rh_send(shard_of(state, t, i), tms_decision, .tx = t->transfer.tx, .commit = t->decision == DECIDE_COMMIT);
}

static void append_decision(struct manager *state, struct managed_tx *t)
{
    t->phase = TMS_LOGGING;
    if (t->tries++ >= state->most_tries)
        return; /* the other manager, or this one when the client asks again */
    rh_send_to_name(mp_name(state->log_at).s, mp_append, .command = { .key = t->transfer.tx, .value = t->decision });
    rh_timer(timer_of(t->transfer.tx).s, state->timeout_ms, tms_log_silent, .tx = t->transfer.tx);
}

static void decide(struct manager *state, struct managed_tx *t, int decision)
{
    t->decision = decision;
    t->tries = 0;
    if (state->flaws.tells_first)
        tell_shards(state, t);
    append_decision(state, t);
}

static void tell_client(const struct managed_tx *t)
{
    rh_announce(tms_told, .tx = t->transfer.tx, .committed = t->decision == DECIDE_COMMIT);
    rh_send(t->client, tms_outcome, .tx = t->transfer.tx, .committed = t->decision == DECIDE_COMMIT);
}

RH_HANDLER(manager, tms_begin)
{
    if (!is_valid(msg->transfer.tx))
        return;
    struct managed_tx *t = &state->open[msg->transfer.tx];
    bool is_new = t->phase == TMS_FREE;
    if (is_new)
        *t = (struct managed_tx){ .phase = TMS_VOTING, .transfer = msg->transfer };
    t->client = rh_sender();
    if (t->phase == TMS_DECIDED)
        tell_client(t);
    if (!is_new)
        return;
    for (int i = 0; i < 2; i++)
        rh_send(shard_of(state, t, i), tms_prepare, .tx = t->transfer.tx, .amount = t->transfer.legs[i].amount);
    rh_timer(timer_of(t->transfer.tx).s, state->timeout_ms, tms_votes_missing, .tx = t->transfer.tx);
}
RH_HANDLER(manager, tms_vote)
{
    struct managed_tx *t = &state->open[msg->tx];
    if (t->phase != TMS_VOTING)
        return;
    for (int i = 0; i < 2; i++)
        t->yes |= (t->transfer.legs[i].shard == msg->shard && msg->yes) << i;
    if (!msg->yes)
        decide(state, t, DECIDE_ABORT);
    else if (t->yes == 3)
        decide(state, t, DECIDE_COMMIT);
}
RH_HANDLER(manager, tms_votes_missing)
{
    if (state->open[msg->tx].phase == TMS_VOTING)
        decide(state, &state->open[msg->tx], DECIDE_ABORT);
}
RH_HANDLER(manager, mp_appended)
{
    struct managed_tx *t = &state->open[msg->command.key];
    if (t->phase != TMS_LOGGING)
        return;
    if (!state->flaws.own_decision)
        t->decision = msg->command.value;
    t->phase = TMS_DECIDED;
    t->tries = 0;
    tell_client(t);
    tell_shards(state, t);
    rh_timer(timer_of(t->transfer.tx).s, state->timeout_ms, tms_acks_missing, .tx = t->transfer.tx);
}
RH_HANDLER(manager, mp_elsewhere)
{
    struct managed_tx *t = &state->open[msg->key];
    state->log_at = msg->leader >= 0 ? msg->leader : (state->log_at + 1) % state->replicas;
    bool rests = state->patient && msg->leader < 0; /* until tms_log_silent */
    if (t->phase == TMS_LOGGING && !rests)
        append_decision(state, t);
}
RH_HANDLER(manager, tms_log_silent)
{
    if (state->open[msg->tx].phase != TMS_LOGGING)
        return;
    state->log_at = (state->log_at + 1) % state->replicas;
    append_decision(state, &state->open[msg->tx]);
}
RH_HANDLER(manager, tms_ack)
{
    struct managed_tx *t = &state->open[msg->tx];
    for (int i = 0; i < 2; i++)
        t->acked |= (t->phase == TMS_DECIDED && t->transfer.legs[i].shard == msg->shard) << i;
    if (t->acked == 3)
        rh_timer_cancel(timer_of(msg->tx).s);
}
RH_HANDLER(manager, tms_acks_missing)
{
    struct managed_tx *t = &state->open[msg->tx];
    if (t->acked == 3 || t->tries++ >= state->most_tries)
        return;
    tell_shards(state, t);
    rh_timer(timer_of(msg->tx).s, state->timeout_ms, tms_acks_missing, .tx = msg->tx);
}
RH_BEHAVIOUR(manager, managing, tms_begin, tms_vote, tms_votes_missing, mp_appended, mp_elsewhere, tms_log_silent,
             tms_ack, tms_acks_missing);

/* ---- client ------------------------------------------------------------------------------------------------------ */
RH_BODY(tms_client)
{
    const struct tms_outcome *outcome = NULL;
    for (int k = 0; k < state->tries && !outcome; k++) {
        rh_send(state->managers[k % 2], tms_begin, .transfer = state->transfer);
        outcome = rh_receive(tms_outcome, .timeout_ms = state->timeout_ms);
    }
}
