/* What production.c deploys.  A test whose body deploys the same replays its recordings. */
#ifndef TPC_DEPLOYMENT_H
#define TPC_DEPLOYMENT_H

#include <stdio.h>

#include "twophase.h"

enum { PARTICIPANTS = 3, TELLERS = 4, TRANSFERS = 25, OPENING = 1000 };

/* Waits until no transaction is open at a participant, and adds up what all accounts hold. */
RH_PROCESS(auditor, struct peers participants;);
RH_BODY(auditor)
{
    int total = 0;
    for (int i = 0; i < state->participants.count; i++)
        for (;;) {
            struct audited a = *rh_ask(state->participants.at[i], audit, audited);
            if (!a.open) {
                total += a.total;
                break;
            }
            rh_sleep(10);
        }
    rh_assert(total == PARTICIPANTS * MOST_ACCOUNTS * OPENING, "the accounts hold %d", total);
    printf("the accounts of %d participants hold %d\n", state->participants.count, total);
}

/* Participants and a coordinator; who the participants are is written to `peers`. */
static inline rh_ref deploy_bank(struct peers *peers)
{
    peers->count = PARTICIPANTS;
    for (int i = 0; i < PARTICIPANTS; i++)
        peers->at[i] = rh_spawn(participant, .number = i, .opening_balance = OPENING, .timeout_ms = 200,
                                .most_inquiries = 1000000);
    return rh_spawn(coordinator, .participants = *peers, .timeout_ms = 100, .most_resends = 1000000);
}

static inline void deploy_tellers(rh_ref coordinator)
{
    for (int i = 0; i < TELLERS; i++)
        rh_spawn(teller, .coordinator = coordinator, .from = i % PARTICIPANTS, .to = (i + 1) % PARTICIPANTS,
                 .amount = 1 + i, .transfers = TRANSFERS, .timeout_ms = 10000);
}

#endif
