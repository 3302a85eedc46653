/* Entries from the leader to the others, commits, and reads: sections 3.5, 3.6.2, 5.3, 6.4 and 10.2.1. */
#include "server.h"

/* ---- leader ------------------------------------------------------------------------------------------------------ */

static void send_entries(struct raft_server *s, uint32_t to)
{
    uint32_t prev = s->next[to] - 1;
    if (prev < s->log.base) { /* what it needs is in the snapshot (section 5.3) */
        RAFT_TELL(s, to, install_snapshot, .term = s->meta.term, .leader = s->number, .round = s->round,
                  .snapshot = s->snapshot);
        return;
    }
    struct append_entries m = { .term = s->meta.term,
                                .leader = s->number,
                                .prev = prev,
                                .prev_term = log_term(s, prev),
                                .commit = s->commit,
                                .round = s->round };
    while (m.count < s->settings.batch && prev + m.count < log_last(s)) {
        m.entries[m.count] = *log_entry(s, prev + 1 + m.count);
        m.count++;
    }
    rh_ref who = peer(s, to);
    if (!rh_is_nobody(who))
        rh_send_value(who, append_entries, &m);
}
void send_to_others(struct raft_server *s)
{
    for (uint32_t i = 1; i <= MOST_SERVERS; i++)
        if (i != s->number && s->members >> i & 1)
            send_entries(s, i);
}

/* A new leader has a first entry of its own: only that can show what is committed (sections 3.6.2, 6.4). */
void lead(struct raft_server *s)
{
    struct leader_elected m = { .server = s->number,
                                .term = s->meta.term,
                                .base = s->log.base,
                                .base_term = s->log.base_term,
                                .count = s->log.count };
    for (uint32_t i = 0; i < s->log.count; i++)
        m.entries[i] = s->log.at[i];
    rh_announce_value(leader_elected, &m);
    s->role = LEADER;
    s->leader = s->number;
    s->round = 1;
    for (uint32_t i = 1; i <= MOST_SERVERS; i++) {
        s->next[i] = log_last(s) + 1;
        s->match[i] = s->acked[i] = 0;
    }
    if (log_append(s, (struct entry){ .term = s->meta.term, .kind = ENTRY_NOTHING }))
        log_save(s);
    set_timers(s);
    leader_known(s);
    send_to_others(s);
}

/* ---- commits ----------------------------------------------------------------------------------------------------- */

static void answer_put(struct raft_server *s, uint32_t index, uint32_t value)
{
    for (uint32_t i = 0; i < s->puts.count; i++)
        if (s->puts.at[i].at == index) {
            rh_send(s->puts.at[i].client, client_answer, .request = s->puts.at[i].request, .done = true, .value = value,
                    .leader = s->leader);
            s->puts.at[i] = s->puts.at[--s->puts.count];
            return;
        }
}
static void apply(struct raft_server *s, uint32_t index)
{
    struct entry e = *log_entry(s, index);
    rh_announce(entry_committed, .server = s->number, .index = index, .entry = e);
    if (e.kind == ENTRY_PUT && e.request > s->registers.last_request[e.client]) {
        s->registers.last_request[e.client] = e.request;
        s->registers.value[e.key] = e.value;
    }
    if (e.kind != ENTRY_NOTHING)
        answer_put(s, index, e.value);
}
static void commit_to(struct raft_server *s, uint32_t index)
{
    while (s->commit < index)
        apply(s, ++s->commit);
    if (s->settings.snapshot_every && s->commit - s->log.base >= s->settings.snapshot_every)
        log_take_snapshot(s);
    if (s->role == LEADER && !(s->members >> s->number & 1) && !members_pending(s)) {
        send_to_others(s); /* they hear of the commit that removes this leader (section 4.2.2) */
        follow(s, s->meta.term, 0);
    }
}

/* Section 3.6.2: an entry of this term is committed when a majority has it, older entries with it.  An older entry that
 * a majority has may still be replaced. */
void advance_commit(struct raft_server *s)
{
    for (uint32_t index = log_last(s); index > s->commit; index--) {
        uint32_t have = s->durable >= index ? 1u << s->number : 0;
        for (uint32_t i = 1; i <= MOST_SERVERS; i++)
            have |= s->match[i] >= index ? 1u << i : 0;
        if (is_majority(s, have) && (log_term(s, index) == s->meta.term || s->settings.flaws.old_term_commit)) {
            commit_to(s, index);
            return;
        }
    }
}

/* Section 6.4: a read sees what was committed when it came, and is answered when a majority has replied to a message
 * that was sent since: then there was no newer leader when it came. */
void answer_gets(struct raft_server *s)
{
    for (uint32_t i = 0; i < s->gets.count;) {
        struct waiting *g = &s->gets.at[i];
        uint32_t replied = 1u << s->number;
        for (uint32_t k = 1; k <= MOST_SERVERS; k++)
            replied |= s->acked[k] >= g->round ? 1u << k : 0;
        if (!is_majority(s, replied) && !s->settings.flaws.local_read) {
            i++;
            continue;
        }
        rh_send(g->client, client_answer, .request = g->request, .done = true, .value = s->registers.value[g->key],
                .leader = s->number);
        *g = s->gets.at[--s->gets.count];
    }
}

void hand_over(struct raft_server *s)
{
    if (s->transfer_to && s->match[s->transfer_to] == log_last(s))
        RAFT_TELL(s, s->transfer_to, timeout_now, .term = s->meta.term);
}

/* What a reply says of the other log: it has entries up to `match`, or does not agree behind `match`.  False if that is
 * not new. */
static bool has_more(struct raft_server *s, uint32_t who, uint32_t match)
{
    bool more = match > s->match[who];
    if (more) {
        s->match[who] = match;
        s->next[who] = match < log_last(s) ? match + 1 : log_last(s) + 1;
    }
    return more;
}
static bool has_less(struct raft_server *s, uint32_t who, uint32_t match)
{
    uint32_t least = match > s->match[who] ? match + 1 : s->match[who] + 1;
    bool less = least < s->next[who];
    if (less)
        s->next[who] = least;
    return less;
}

void on_append_reply(struct raft_server *s, const struct append_reply *m)
{
    if (m->term > s->meta.term) {
        follow(s, m->term, 0);
        return;
    }
    if (s->role != LEADER || (m->term < s->meta.term && !s->settings.flaws.stale_reply))
        return;
    if (m->round > s->acked[m->from])
        s->acked[m->from] = m->round;
    answer_gets(s);
    if (m->ok ? !has_more(s, m->from, m->match) : !has_less(s, m->from, m->match))
        return; /* nothing new: a heartbeat tries again */
    advance_commit(s);
    if (s->role != LEADER)
        return;
    hand_over(s);
    if (s->next[m->from] <= log_last(s))
        send_entries(s, m->from);
}

/* ---- followers --------------------------------------------------------------------------------------------------- */

static void send_reply(struct raft_server *s, bool ok, uint32_t match)
{
    RAFT_TELL(s, s->leader, append_reply, .term = s->meta.term, .from = s->number, .ok = ok, .match = match,
              .round = s->round_seen);
}

/* What this server has of the leader's log: not more than was compared with it in this term, nor than is durable. */
static void reply_if_durable(struct raft_server *s)
{
    if (!s->owes_reply || s->meta_ticket || s->durable < s->verified)
        return;
    s->owes_reply = false;
    send_reply(s, true, s->verified);
}
void on_log_stored(struct raft_server *s)
{
    if (s->role == LEADER)
        advance_commit(s);
    else if (s->settings.flaws.late_write && s->leader && s->role == FOLLOWER)
        send_reply(s, true, s->durable);
    else
        reply_if_durable(s);
}

/* Adds what is new, and removes what is in its way.  Returns the index up to which this log is that of the message. */
static uint32_t merge(struct raft_server *s, const struct append_entries *m)
{
    bool changed = false;
    uint32_t index = m->prev;
    if (s->settings.flaws.stale_append && m->prev + m->count < log_last(s) && m->prev + m->count >= s->log.base) {
        log_truncate(s, m->prev + m->count + 1);
        changed = true;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->prev + 1 + i > s->log.base && log_term(s, m->prev + 1 + i) != m->entries[i].term) {
            if (m->prev + 1 + i <= log_last(s))
                log_truncate(s, m->prev + 1 + i);
            changed = log_append(s, m->entries[i]) || changed;
            if (log_last(s) < m->prev + 1 + i)
                break; /* no room: the leader sends it again */
        }
        index++;
    }
    if (changed)
        log_save(s);
    return index;
}

/* A leader of an older term hears of the new one. */
static bool is_old(struct raft_server *s, uint32_t term, uint32_t leader)
{
    if (term >= s->meta.term)
        return false;
    RAFT_TELL(s, leader, append_reply, .term = s->meta.term, .from = s->number);
    return true;
}
static void hear(struct raft_server *s, uint32_t term, uint32_t leader, uint32_t round)
{
    follow(s, term, leader);
    if (round > s->round_seen)
        s->round_seen = round;
}

void on_append_entries(struct raft_server *s, const struct append_entries *m)
{
    if (is_old(s, m->term, m->leader))
        return;
    hear(s, m->term, m->leader, m->round);
    if (m->prev > log_last(s) || (m->prev >= s->log.base && log_term(s, m->prev) != m->prev_term)) {
        uint32_t before = m->prev - 1;
        send_reply(s, false, before < log_last(s) ? before : log_last(s));
        return;
    }
    uint32_t same = merge(s, m);
    if (same > s->verified)
        s->verified = same;
    if (s->commit < m->commit)
        commit_to(s, m->commit < same ? m->commit : same);
    s->owes_reply = true;
    reply_if_durable(s);
}

void on_install_snapshot(struct raft_server *s, const struct install_snapshot *m)
{
    if (is_old(s, m->term, m->leader))
        return;
    hear(s, m->term, m->leader, m->round);
    if (m->snapshot.index > s->commit) {
        log_install_snapshot(s, &m->snapshot);
        s->commit = m->snapshot.index;
        s->registers = m->snapshot.registers;
        if (s->settings.flaws.snapshot_state) {
            s->meta = (struct meta){ .term = m->snapshot.term };
            meta_save(s);
        }
    }
    if (m->snapshot.index > s->verified)
        s->verified = m->snapshot.index; /* what is committed is the same everywhere */
    s->owes_reply = true;
    reply_if_durable(s);
}
