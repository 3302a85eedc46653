/* Two-phase commit with presumed abort: a coordinator moves money between accounts at several participants, and either
 * all of them apply a transaction or none.  Coordinator and participants recover from crashes by their stores; messages
 * may be lost, doubled and reordered. */
#ifndef TWOPHASE_H
#define TWOPHASE_H

#include <rehearse.h>

enum { MOST_PARTICIPANTS = 4, MOST_ACCOUNTS = 4, MOST_OPS = 4, MOST_OPEN = 8, MOST_DONE = 64 };

/* The name of a transaction: the coordinator's life, counted in its store, and the number in that life. */
struct tx {
    uint32_t life, number;
};
static inline bool same_tx(struct tx a, struct tx b)
{
    return a.life == b.life && a.number == b.number;
}

/* Adds `amount`, which may be negative, to an account. */
struct op {
    int participant, account, amount;
};
struct ops {
    int count;
    struct op at[MOST_OPS];
};

/* Client and coordinator.  `request` is the client's own number. */
RH_MESSAGE(begin_tx, uint32_t request; struct ops ops;);
RH_MESSAGE(tx_outcome, uint32_t request; bool committed;);

/* Coordinator and participants.  prepare_tx has the operations of this participant only. */
RH_MESSAGE(prepare_tx, struct tx tx; struct ops ops;);
RH_MESSAGE(tx_vote, struct tx tx; int participant; bool yes;);
RH_MESSAGE(tx_decision, struct tx tx; bool commit;);
RH_MESSAGE(tx_ack, struct tx tx; int participant;);     /* the commit is durable at the participant */
RH_MESSAGE(tx_inquiry, struct tx tx; int participant;); /* the participant has voted yes and hears nothing */

/* Timers. */
RH_MESSAGE(votes_missing, struct tx tx;);
RH_MESSAGE(acks_missing, struct tx tx;);
RH_MESSAGE(in_doubt, struct tx tx;);

/* Anybody and a participant: what the accounts hold. */
RH_MESSAGE(audit);
RH_MESSAGE(audited, int total; int open;);

/* Announced, for the specification. */
RH_MESSAGE(tx_began, struct tx tx; struct ops ops;);
RH_MESSAGE(tx_voted, struct tx tx; int participant; bool yes;);
RH_MESSAGE(tx_decided, struct tx tx; bool commit;);
RH_MESSAGE(tx_applied, struct tx tx; int participant; bool commit; struct ops ops;);

/* Flaws: the bugs of test.c; see twophase.c. */
struct tpc_flaws {
    bool early_commit, early_vote, counts_acks, reuses_names;
};

enum tpc_phase { TPC_FREE, TPC_VOTING, TPC_COMMITTED };
struct open_tx {
    enum tpc_phase phase;
    struct tx tx;
    rh_ref client;
    uint32_t request, participants, yes, acked; /* sets of participants */
    int acks, resends;
};
/* What the coordinator keeps: its life, and the commits that some participant has not acknowledged. */
struct tpc_log {
    uint32_t life;
    int count;
    struct {
        struct tx tx;
        uint32_t participants;
    } commits[MOST_OPEN];
};
struct peers {
    int count;
    rh_ref at[MOST_PARTICIPANTS];
};
/* It has the name COORDINATOR while it is up. */
#define COORDINATOR "coordinator"
RH_ACTOR(coordinator, struct peers participants; int timeout_ms; int most_resends; struct tpc_flaws flaws;
         uint32_t numbers; struct open_tx open[MOST_OPEN]; struct tpc_log log;);

struct prepared_tx {
    bool used;
    struct tx tx;
    struct ops ops;
};
/* What a participant keeps, as one value, so that a crash leaves the old books or the new ones. */
struct books {
    int balance[MOST_ACCOUNTS];
    struct prepared_tx open[MOST_OPEN];
    uint32_t done_count; /* the last MOST_DONE commits, in a ring */
    struct tx done[MOST_DONE];
};
RH_ACTOR(participant, int number; int opening_balance; int timeout_ms; int most_inquiries; struct tpc_flaws flaws;
         struct books books; int inquiries;);
/* Makes transfers of `amount` from account 0 of `from` to account 0 of `to`, one after the other. */
RH_PROCESS(teller, rh_ref coordinator; int from; int to; int amount; int transfers; int timeout_ms; int committed;);

#endif
