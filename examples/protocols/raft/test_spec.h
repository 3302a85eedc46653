/* The specification of raft.h, for test.c.  That puts and gets are linearizable is in client.c, which records them. */
#ifndef RAFT_TEST_SPEC_H
#define RAFT_TEST_SPEC_H

#include <rehearse/test.h>

#include "raft.h"

enum { MOST_TERMS = 64, MOST_INDICES = 24, MOST_VERSIONS = 8 };

struct seen_entry {
    uint32_t prev_term;
    struct entry entry;
};
RH_MONITOR(election_safety, uint32_t leader_of[MOST_TERMS];);
RH_MONITOR(log_matching, struct seen_entry at[MOST_INDICES][MOST_VERSIONS];);
/* `newest` is the leader of the highest term so far, with the log that it began with. */
RH_MONITOR(committed_entries, uint32_t count; struct entry at[MOST_INDICES]; struct leader_elected newest;);

void observe_raft(void);

#endif
