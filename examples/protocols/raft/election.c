/* Terms, votes and leaders: sections 3.4, 3.6.1, 3.10 (transfer), 4.2.3 and 9.6 (pre-vote). */
#include "server.h"

bool is_majority(const struct raft_server *s, uint32_t servers)
{
    return 2 * __builtin_popcount(servers & s->members) > __builtin_popcount(s->members);
}
static bool has_majority(const struct raft_server *s)
{
    if (s->settings.flaws.counts_votes)
        return 2 * s->vote_count > (uint32_t)__builtin_popcount(s->members);
    return is_majority(s, s->votes);
}

/* Section 3.4: election timeouts are random, so that candidates rarely meet. */
void set_timers(struct raft_server *s)
{
    bool leads = s->role == LEADER;
    if (leads)
        rh_timer_cancel("election");
    else
        rh_timer_cancel("heartbeat");
    if (leads && s->settings.beats > 0)
        rh_timer("heartbeat", s->settings.beat_ms, heartbeat_due);
    if (!leads && s->settings.elections > 0)
        rh_timer("election", s->settings.timeout_ms + (int64_t)(rh_random() % (uint64_t)s->settings.timeout_ms),
                 election_timeout);
}

/* A term begins for this server, or it votes.  What it was told and what it owes belong to the term before. */
static void enter_term(struct raft_server *s, uint32_t term, uint32_t vote)
{
    s->meta = (struct meta){ term, vote };
    s->verified = s->round_seen = 0;
    s->owes_reply = s->owes_vote = false;
    meta_save(s);
}

/* Clients wait here until somebody leads.  Those for whom there is no room ask another server when
 * their time is over. */
void refuse(struct raft_server *s, rh_ref client, uint32_t request)
{
    if (s->leader)
        rh_send(client, client_answer, .request = request, .leader = s->leader);
    else
        add_waiting(&s->asking, (struct waiting){ .client = client, .request = request });
}
void leader_known(struct raft_server *s)
{
    for (uint32_t i = 0; i < s->asking.count; i++)
        rh_send(s->asking.at[i].client, client_answer, .request = s->asking.at[i].request, .leader = s->leader);
    s->asking.count = 0;
}
static void refuse_all(struct raft_server *s, struct waiting_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        refuse(s, list->at[i].client, list->at[i].request);
    list->count = 0;
}

void follow(struct raft_server *s, uint32_t term, uint32_t leader)
{
    if (term > s->meta.term)
        enter_term(s, term, 0);
    s->role = FOLLOWER;
    s->leader = leader;
    s->votes = s->vote_count = s->transfer_to = 0;
    refuse_all(s, &s->puts);
    refuse_all(s, &s->gets);
    if (leader)
        leader_known(s);
    set_timers(s);
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

static void count_vote(struct raft_server *s, uint32_t voter)
{
    s->votes |= 1u << voter;
    s->vote_count++;
}
static void ask_for_votes(struct raft_server *s, bool pre)
{
    count_vote(s, s->number);
    for (uint32_t i = 1; i <= MOST_SERVERS; i++)
        if (i != s->number && s->members >> i & 1)
            RAFT_TELL(s, i, request_vote, .term = s->meta.term + pre, .candidate = s->number, .last = log_last(s),
                      .last_term = log_term(s, log_last(s)), .pre = pre, .transfer = s->transfer);
}

static void become_candidate(struct raft_server *s)
{
    s->role = CANDIDATE;
    s->votes = s->vote_count = 0;
    enter_term(s, s->meta.term + 1, s->number); /* on_meta_stored asks for votes */
    if (s->settings.flaws.names_pending)
        on_meta_stored(s);
}

/* With pre-vote a server asks first whether it would be elected; its term does not change (section 9.6).  A server that
 * is not a member stays quiet (section 4.2.2). */
void begin_election(struct raft_server *s, bool transfer)
{
    s->leader = 0;
    set_timers(s);
    if (!(s->members >> s->number & 1))
        return;
    s->transfer = transfer;
    if (!s->settings.pre_vote || transfer) {
        become_candidate(s);
        return;
    }
    s->role = PRE_CANDIDATE;
    s->votes = s->vote_count = 0;
    ask_for_votes(s, true);
    if (has_majority(s))
        become_candidate(s);
}

void on_vote(struct raft_server *s, const struct vote *m)
{
    if (m->term > s->meta.term && !m->granted) { /* the term of a pre-vote that is granted has not begun */
        follow(s, m->term, 0);
        return;
    }
    enum role role = m->pre ? PRE_CANDIDATE : CANDIDATE;
    if (!m->granted || s->role != role || m->term != s->meta.term + m->pre)
        return;
    count_vote(s, m->voter);
    if (!has_majority(s))
        return;
    if (m->pre)
        become_candidate(s);
    else
        lead(s);
}

/* ---- voters ------------------------------------------------------------------------------------------------------ */

static void send_vote(struct raft_server *s)
{
    s->owes_vote = false;
    RAFT_TELL(s, s->meta.vote, vote, .term = s->meta.term, .voter = s->number, .granted = true);
}

/* Section 3.6.1: a voter's log is not newer than the candidate's. */
static bool is_up_to_date(const struct raft_server *s, const struct request_vote *m)
{
    uint32_t last_term = log_term(s, log_last(s));
    return m->last_term > last_term || (m->last_term == last_term && m->last >= log_last(s));
}

void on_request_vote(struct raft_server *s, const struct request_vote *m)
{
    if (m->term < s->meta.term) {
        RAFT_TELL(s, m->candidate, vote, .term = s->meta.term, .voter = s->number);
        return;
    }
    /* Whoever hears of a leader does not help to depose it (section 4.2.3), unless the leader wants that. */
    if (s->settings.pre_vote && !m->transfer && (s->leader || s->role == LEADER))
        return;
    if (m->pre) {
        if (m->term > s->meta.term && is_up_to_date(s, m))
            RAFT_TELL(s, m->candidate, vote, .term = m->term, .voter = s->number, .granted = true, .pre = true);
        return;
    }
    bool is_new = m->term > s->meta.term;
    bool is_free = is_new || !s->meta.vote || (s->settings.flaws.transfer_votes && m->transfer);
    if (is_free && is_up_to_date(s, m)) {
        enter_term(s, m->term, m->candidate);
        s->owes_vote = true;
        if (is_new)
            follow(s, m->term, 0);
    } else if (is_new) {
        follow(s, m->term, 0);
    } else if (s->meta.vote == m->candidate) {
        s->owes_vote = true; /* again: the vote may have been lost */
    }
    if (s->owes_vote && (!s->meta_ticket || s->settings.flaws.forgets_vote))
        send_vote(s);
}

/* Term and vote are durable, with everything that was written before. */
void on_meta_stored(struct raft_server *s)
{
    if (s->role == CANDIDATE && !s->votes) {
        ask_for_votes(s, false);
        if (has_majority(s))
            lead(s);
    }
    if (s->owes_vote)
        send_vote(s);
}
