/* The same actors in production: transfers, a stop, and a second start that finds the books of the first.
 *
 *     protocols-twophase-production FOLDER     the stores are in FOLDER */
#include <rehearse/runtime.h>
#include <stdio.h>

#include "../record.h"
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

static rh_ref start_bank(const char *folder, const char *record, struct peers *peers)
{
    struct rh_runtime_options options = { .store_folder = folder, .record = record };
    if (!rh_runtime_start(&options))
        return rh_nobody();
    peers->count = PARTICIPANTS;
    for (int i = 0; i < PARTICIPANTS; i++)
        peers->at[i] = rh_spawn(participant, .number = i, .opening_balance = OPENING, .timeout_ms = 200,
                                .most_inquiries = 1000000);
    return rh_spawn(coordinator, .participants = *peers, .timeout_ms = 100, .most_resends = 1000000);
}

int main(int argc, char **argv)
{
    struct peers peers = { 0 };
    const char *record = take_record(&argc, argv);
    rh_ref c = argc == 2 ? start_bank(argv[1], record, &peers) : rh_nobody();
    if (rh_is_nobody(c)) {
        fprintf(stderr, "usage: %s FOLDER [--record FILE]\n", argv[0]);
        return 1;
    }
    for (int i = 0; i < TELLERS; i++)
        rh_spawn(teller, .coordinator = c, .from = i % PARTICIPANTS, .to = (i + 1) % PARTICIPANTS, .amount = 1 + i,
                 .transfers = TRANSFERS, .timeout_ms = 10000);
    rh_runtime_wait_quiet();
    rh_spawn(auditor, .participants = peers);
    rh_runtime_wait_quiet();
    rh_runtime_stop();

    if (rh_is_nobody(start_bank(argv[1], NULL, &peers)))
        return 1;
    rh_spawn(auditor, .participants = peers);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    return 0;
}
