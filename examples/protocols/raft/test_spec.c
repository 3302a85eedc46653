/* What Raft promises (figure 3.2), as monitors of what servers announce.  Of very long runs they see the first entries
 * and terms only. */
#include "test_spec.h"

/* ---- election safety: at most one leader in a term --------------------------------------------------------------- */

RH_HANDLER(election_safety, leader_elected)
{
    if (msg->term >= MOST_TERMS)
        return;
    uint32_t *leader = &state->leader_of[msg->term];
    rh_assert(!*leader || *leader == msg->server, "term %u has two leaders, servers %u and %u", msg->term, *leader,
              msg->server);
    *leader = msg->server;
}
RH_BEHAVIOUR(election_safety, watching_leaders, leader_elected);

/* ---- log matching: two entries of one index and term are equal, and so is all before them ------------------------ */

static bool same_entry(struct entry a, struct entry b)
{
    return a.term == b.term && a.kind == b.kind && a.client == b.client && a.request == b.request && a.key == b.key &&
           a.value == b.value;
}

/* By induction it is enough that the entries before have one term.  An index remembers its last few terms. */
RH_HANDLER(log_matching, entry_appended)
{
    if (msg->index >= MOST_INDICES)
        return;
    struct seen_entry *seen = &state->at[msg->index][msg->entry.term % MOST_VERSIONS];
    if (seen->entry.term == msg->entry.term) {
        rh_assert(same_entry(seen->entry, msg->entry), "entry %u of term %u is not the same everywhere", msg->index,
                  msg->entry.term);
        rh_assert(seen->prev_term == msg->prev_term, "before entry %u of term %u, logs are not the same", msg->index,
                  msg->entry.term);
    }
    *seen = (struct seen_entry){ msg->prev_term, msg->entry };
}
RH_BEHAVIOUR(log_matching, watching_logs, entry_appended);

/* ---- leader completeness and state machine safety ---------------------------------------------------------------- */

static void check_leader(const struct committed_entries *state, uint32_t index)
{
    const struct leader_elected *l = &state->newest;
    struct entry c = state->at[index];
    if (c.term >= l->term || index < l->base)
        return;
    if (index == l->base) {
        rh_assert(l->base_term == c.term, "the snapshot of server %u ends with another entry %u than was committed",
                  l->server, index);
        return;
    }
    rh_assert(index <= l->base + l->count,
              "the leader of term %u, server %u, misses entry %u of term %u, which was committed", l->term, l->server,
              index, c.term);
    rh_assert(same_entry(l->entries[index - l->base - 1], c),
              "the leader of term %u, server %u, has another entry %u than was committed in term %u", l->term,
              l->server, index, c.term);
}
RH_HANDLER(committed_entries, leader_elected)
{
    if (msg->term < state->newest.term)
        return;
    state->newest = *msg;
    for (uint32_t i = 1; i <= state->count; i++)
        check_leader(state, i);
}
RH_HANDLER(committed_entries, entry_committed)
{
    if (msg->index >= MOST_INDICES)
        return;
    rh_assert(msg->index <= state->count + 1, "entry %u is committed before entry %u", msg->index, state->count + 1);
    struct entry *c = &state->at[msg->index];
    if (msg->index > state->count) {
        state->count = msg->index;
        *c = msg->entry;
    }
    rh_assert(same_entry(*c, msg->entry), "server %u has committed another entry %u (of term %u) than others (term %u)",
              msg->server, msg->index, msg->entry.term, c->term);
    check_leader(state, msg->index);
}
RH_BEHAVIOUR(committed_entries, watching_commits, leader_elected, entry_committed);

void observe_raft(void)
{
    rh_observe(election_safety);
    rh_observe(log_matching);
    rh_observe(committed_entries);
}
