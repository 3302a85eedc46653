/* See twophase.h.
 *
 *     teller --begin_tx--> coordinator --prepare_tx--> participants --tx_vote--> coordinator
 *     coordinator --tx_outcome--> teller;  --tx_decision--> participants --tx_ack--> coordinator
 *     participant in doubt --tx_inquiry--> coordinator --tx_decision--> participant
 *
 * What is durable before what: a participant's operations before its vote; the coordinator's life before its first
 * transaction; the commit record before anybody hears of the commit.  A coordinator that has no record of a
 * transaction answers that it was aborted (presumed abort), so a commit record stays until every participant has
 * acknowledged; an abort needs no record.
 *
 * Flaws (bugs of test.c):
 *   early_commit  the commit is told before its record is durable
 *   early_vote    a participant votes yes before its operations are durable
 *   counts_acks   acknowledgements are counted, also when one participant acknowledges twice
 *   reuses_names  the coordinator begins transactions before its new life is durable */
#include "twophase.h"

#include <stdio.h>
#include <string.h>

/* ---- coordinator ------------------------------------------------------------------------------------------------- */
struct timer_text {
    char s[48];
};
static struct timer_text timer_of(const char *what, struct tx tx)
{
    struct timer_text t;
    snprintf(t.s, sizeof t.s, "%s %u.%u", what, tx.life, tx.number);
    return t;
}

static struct open_tx *find_open(struct coordinator *state, struct tx tx)
{
    for (int i = 0; i < MOST_OPEN; i++)
        if (state->open[i].phase != TPC_FREE && same_tx(state->open[i].tx, tx))
            return &state->open[i];
    return NULL;
}

static struct open_tx *find_free(struct coordinator *state)
{
    for (int i = 0; i < MOST_OPEN; i++)
        if (state->open[i].phase == TPC_FREE)
            return &state->open[i];
    return NULL;
}

/* The log again, from what is open. */
static void write_log(struct coordinator *state)
{
    state->log.count = 0;
    for (int i = 0; i < MOST_OPEN; i++)
        if (state->open[i].phase == TPC_COMMITTED) {
            state->log.commits[state->log.count].tx = state->open[i].tx;
            state->log.commits[state->log.count++].participants = state->open[i].participants;
        }
    rh_store_put("log", &state->log, sizeof state->log);
}

static void tell_participants(const struct coordinator *state, const struct open_tx *t, bool commit)
{
    for (int i = 0; i < state->participants.count; i++)
        if (t->participants & ~t->acked & 1u << i)
            rh_send(state->participants.at[i], tx_decision, .tx = t->tx, .commit = commit);
}

static void watch_acks(const struct coordinator *state, struct open_tx *t)
{
    if (t->resends++ < state->most_resends)
        rh_timer(timer_of("acks", t->tx).s, state->timeout_ms, acks_missing, .tx = t->tx);
}

static void abort_tx(struct coordinator *state, struct open_tx *t)
{
    rh_announce(tx_decided, .tx = t->tx);
    rh_timer_cancel(timer_of("votes", t->tx).s);
    tell_participants(state, t, false);
    rh_send(t->client, tx_outcome, .request = t->request);
    *t = (struct open_tx){ 0 };
}

static void commit_tx(struct coordinator *state, struct open_tx *t)
{
    t->phase = TPC_COMMITTED;
    rh_timer_cancel(timer_of("votes", t->tx).s);
    write_log(state);
    if (!state->flaws.early_commit)
        rh_store_sync();
    rh_announce(tx_decided, .tx = t->tx, .commit = true);
    tell_participants(state, t, true);
    rh_send(t->client, tx_outcome, .request = t->request, .committed = true);
    watch_acks(state, t);
}

RH_HANDLER(coordinator, rh_start)
{
    rh_store_open("coordinator");
    rh_register(COORDINATOR, self);
    if (rh_store_get("log", &state->log, sizeof state->log) < 0)
        memset(&state->log, 0, sizeof state->log);
    for (int i = 0; i < state->log.count; i++) {
        state->open[i] = (struct open_tx){ .phase = TPC_COMMITTED,
                                           .tx = state->log.commits[i].tx,
                                           .participants = state->log.commits[i].participants };
        tell_participants(state, &state->open[i], true);
        watch_acks(state, &state->open[i]);
    }
    state->log.life++;
    rh_store_put("log", &state->log, sizeof state->log);
    if (!state->flaws.reuses_names)
        rh_store_sync();
}
RH_HANDLER(coordinator, begin_tx)
{
    struct open_tx *t = find_free(state);
    uint32_t participants = 0;
    bool known = msg->ops.count <= MOST_OPS;
    for (int i = 0; known && i < msg->ops.count; i++) {
        known = msg->ops.at[i].participant >= 0 && msg->ops.at[i].participant < state->participants.count;
        participants |= known ? 1u << msg->ops.at[i].participant : 0;
    }
    if (!t || !known || !participants) {
        rh_reply(tx_outcome, .request = msg->request);
        return;
    }
    *t = (struct open_tx){ .phase = TPC_VOTING,
                           .tx = { state->log.life, ++state->numbers },
                           .client = rh_sender(),
                           .request = msg->request,
                           .participants = participants };
    rh_announce(tx_began, .tx = t->tx, .ops = msg->ops);
    for (int i = 0; i < state->participants.count; i++) {
        struct prepare_tx prepare = { .tx = t->tx };
        for (int k = 0; k < msg->ops.count; k++)
            if (msg->ops.at[k].participant == i)
                prepare.ops.at[prepare.ops.count++] = msg->ops.at[k];
        if (prepare.ops.count)
            rh_send_value(state->participants.at[i], prepare_tx, &prepare);
    }
    rh_timer(timer_of("votes", t->tx).s, state->timeout_ms, votes_missing, .tx = t->tx);
}
RH_HANDLER(coordinator, tx_vote)
{
    struct open_tx *t = find_open(state, msg->tx);
    if (!t || t->phase != TPC_VOTING)
        return;
    if (!msg->yes) {
        abort_tx(state, t);
        return;
    }
    t->yes |= 1u << msg->participant;
    if (t->yes == t->participants)
        commit_tx(state, t);
}
RH_HANDLER(coordinator, votes_missing)
{
    struct open_tx *t = find_open(state, msg->tx);
    if (t && t->phase == TPC_VOTING)
        abort_tx(state, t);
}
RH_HANDLER(coordinator, tx_ack)
{
    struct open_tx *t = find_open(state, msg->tx);
    if (!t || t->phase != TPC_COMMITTED)
        return;
    t->acked |= 1u << msg->participant;
    t->acks++;
    if (state->flaws.counts_acks ? t->acks < __builtin_popcount(t->participants) : t->acked != t->participants)
        return;
    rh_timer_cancel(timer_of("acks", t->tx).s);
    *t = (struct open_tx){ 0 };
    write_log(state); /* if the crash takes it back, the participants acknowledge again */
}
RH_HANDLER(coordinator, acks_missing)
{
    struct open_tx *t = find_open(state, msg->tx);
    if (!t)
        return;
    tell_participants(state, t, true);
    watch_acks(state, t);
}
RH_HANDLER(coordinator, tx_inquiry)
{
    const struct open_tx *t = find_open(state, msg->tx);
    if (!t || t->phase == TPC_COMMITTED)
        rh_reply(tx_decision, .tx = msg->tx, .commit = t != NULL);
}
RH_BEHAVIOUR(coordinator, serving, rh_start, begin_tx, tx_vote, votes_missing, tx_ack, acks_missing, tx_inquiry);

/* ---- participant ------------------------------------------------------------------------------------------------- */
static struct prepared_tx *find_prepared(struct books *books, struct tx tx)
{
    for (int i = 0; i < MOST_OPEN; i++)
        if (books->open[i].used && same_tx(books->open[i].tx, tx))
            return &books->open[i];
    return NULL;
}

static bool is_done(const struct books *books, struct tx tx)
{
    for (uint32_t i = 0; i < MOST_DONE && i < books->done_count; i++)
        if (same_tx(books->done[i], tx))
            return true;
    return false;
}

/* Accounts of other transactions that are prepared are locked; nobody waits for a lock, so there is no deadlock. */
static bool can_apply(const struct books *books, const struct ops *ops)
{
    for (int i = 0; i < ops->count; i++) {
        int account = ops->at[i].account;
        if (account < 0 || account >= MOST_ACCOUNTS || books->balance[account] + ops->at[i].amount < 0)
            return false;
        for (int k = 0; k < MOST_OPEN; k++)
            for (int l = 0; books->open[k].used && l < books->open[k].ops.count; l++)
                if (books->open[k].ops.at[l].account == account)
                    return false;
    }
    return true;
}

static void write_books(const struct participant *state, bool wait)
{
    rh_store_put("books", &state->books, sizeof state->books);
    if (wait)
        rh_store_sync();
}

static void watch_decision(struct participant *state, struct tx tx)
{
    if (state->inquiries++ < state->most_inquiries)
        rh_timer(timer_of("doubt", tx).s, state->timeout_ms, in_doubt, .tx = tx);
}

RH_HANDLER(participant, rh_start)
{
    char name[32];
    snprintf(name, sizeof name, "participant %d", state->number);
    rh_store_open(name);
    if (rh_store_get("books", &state->books, sizeof state->books) < 0) {
        memset(&state->books, 0, sizeof state->books);
        for (int i = 0; i < MOST_ACCOUNTS; i++)
            state->books.balance[i] = state->opening_balance;
    }
    for (int i = 0; i < MOST_OPEN; i++)
        if (state->books.open[i].used)
            watch_decision(state, state->books.open[i].tx);
}
RH_HANDLER(participant, prepare_tx)
{
    if (is_done(&state->books, msg->tx))
        return; /* late: everybody has voted already */
    struct prepared_tx *t = find_prepared(&state->books, msg->tx);
    if (!t) {
        int i = 0;
        while (i < MOST_OPEN && state->books.open[i].used)
            i++;
        if (i == MOST_OPEN || !can_apply(&state->books, &msg->ops)) {
            rh_announce(tx_voted, .tx = msg->tx, .participant = state->number);
            rh_reply(tx_vote, .tx = msg->tx, .participant = state->number);
            return;
        }
        state->books.open[i] = (struct prepared_tx){ .used = true, .tx = msg->tx, .ops = msg->ops };
        write_books(state, !state->flaws.early_vote);
    }
    rh_announce(tx_voted, .tx = msg->tx, .participant = state->number, .yes = true);
    rh_reply(tx_vote, .tx = msg->tx, .participant = state->number, .yes = true);
    watch_decision(state, msg->tx);
}
RH_HANDLER(participant, tx_decision)
{
    struct prepared_tx *t = find_prepared(&state->books, msg->tx);
    if (t) {
        rh_timer_cancel(timer_of("doubt", msg->tx).s);
        rh_announce(tx_applied, .tx = t->tx, .participant = state->number, .commit = msg->commit, .ops = t->ops);
        for (int i = 0; msg->commit && i < t->ops.count; i++)
            state->books.balance[t->ops.at[i].account] += t->ops.at[i].amount;
        t->used = false;
        if (msg->commit)
            state->books.done[state->books.done_count++ % MOST_DONE] = msg->tx;
        write_books(state, true);
    }
    if (msg->commit) {
        rh_assert(is_done(&state->books, msg->tx), "transaction %u.%u is committed, but participant %d has lost it",
                  msg->tx.life, msg->tx.number, state->number);
        rh_reply(tx_ack, .tx = msg->tx, .participant = state->number);
    }
}
RH_HANDLER(participant, in_doubt)
{
    if (!find_prepared(&state->books, msg->tx))
        return;
    rh_send_to_name(COORDINATOR, tx_inquiry, .tx = msg->tx, .participant = state->number);
    watch_decision(state, msg->tx);
}
RH_HANDLER(participant, audit)
{
    int total = 0, open = 0;
    for (int i = 0; i < MOST_ACCOUNTS; i++)
        total += state->books.balance[i];
    for (int i = 0; i < MOST_OPEN; i++)
        open += state->books.open[i].used;
    rh_reply(audited, .total = total, .open = open);
}
RH_BEHAVIOUR(participant, serving, rh_start, prepare_tx, tx_decision, in_doubt, audit);

/* ---- teller ------------------------------------------------------------------------------------------------------ */
static bool is_answer(const struct rh_envelope *m, const void *request)
{
    return rh_as(m, tx_outcome)->request == *(const uint32_t *)request;
}

RH_BODY(teller)
{
    for (uint32_t request = 1; request <= (uint32_t)state->transfers; request++) {
        struct ops ops = { .count = 2,
                           .at = { { .participant = state->from, .amount = -state->amount },
                                   { .participant = state->to, .amount = state->amount } } };
        rh_send(state->coordinator, begin_tx, .request = request, .ops = ops);
        const struct tx_outcome *outcome =
            rh_receive(tx_outcome, .match = is_answer, .arg = &request, .timeout_ms = state->timeout_ms);
        state->committed += outcome && outcome->committed;
    }
}
