/* Raft: a replicated log with elected leaders, and on top of it a few registers that clients write and read.  With
 * snapshots, changes of members, transfers of leadership, pre-vote, and a disk that is written while the server goes
 * on.
 *
 * Sections are those of Ongaro's dissertation (2014), "Consensus: Bridging Theory and Practice"; docs/papers.md has it
 * beside the paper of Ongaro and Ousterhout (2014).
 *
 * Servers have numbers from 1; 0 is nobody.  A set of servers has a bit for each number.  Indices of the log begin with
 * 1.  This header is for programs that use Raft; server.h is between the files of the server. */
#ifndef RAFT_H
#define RAFT_H

#include <rehearse.h>

enum { MOST_SERVERS = 5, MOST_LOG = 32, MOST_BATCH = 4, MOST_KEYS = 4, MOST_CLIENTS = 8, MOST_WAITING = 8 };

/* ---- log and state machine --------------------------------------------------------------------------------------- */

enum entry_kind {
    ENTRY_NOTHING, /* the first entry of a leader (section 6.4) */
    ENTRY_PUT,
    ENTRY_MEMBERS, /* `value` is the set of members from here on (section 4.1) */
};
struct entry {
    uint32_t term, kind, client, request, key, value;
};

/* A client's request is applied once, although the client may send it again (section 6.3). */
struct registers {
    uint32_t value[MOST_KEYS], last_request[MOST_CLIENTS];
};

/* Everything up to `index` (chapter 5).  Index 0 is the beginning: empty registers and the first members. */
struct snapshot {
    uint32_t index, term, members;
    struct registers registers;
};

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* Between servers: figure 3.1, with `pre` for a request that changes nothing (section 9.6) and `transfer` for an
 * election that the leader has asked for (section 3.10).  An append_reply that is not ok has a hint in `match`: the
 * logs can agree only up to there.  `round` numbers the messages of a leader, to confirm reads (section 6.4). */
RH_MESSAGE(request_vote, uint32_t term; uint32_t candidate; uint32_t last; uint32_t last_term; bool pre;
           bool transfer;);
RH_MESSAGE(vote, uint32_t term; uint32_t voter; bool granted; bool pre;);
RH_MESSAGE(append_entries, uint32_t term; uint32_t leader; uint32_t prev; uint32_t prev_term; uint32_t commit;
           uint32_t round; uint32_t count; struct entry entries[MOST_BATCH];);
RH_MESSAGE(append_reply, uint32_t term; uint32_t from; uint32_t ok; uint32_t match; uint32_t round;);
RH_MESSAGE(install_snapshot, uint32_t term; uint32_t leader; uint32_t round; struct snapshot snapshot;);
RH_MESSAGE(timeout_now, uint32_t term;);

/* Timers. */
RH_MESSAGE(election_timeout);
RH_MESSAGE(heartbeat_due);

/* Clients and servers.  An answer that is not done says whom to ask instead; it comes when the server knows. */
RH_MESSAGE(client_put, uint32_t client; uint32_t request; uint32_t key; uint32_t value;);
RH_MESSAGE(client_get, uint32_t request; uint32_t key;);
RH_MESSAGE(client_answer, uint32_t request; uint32_t done; uint32_t value; uint32_t leader;);

/* Operators and servers, answered with a client_answer: a change of members when it is committed, a transfer when it
 * begins. */
RH_MESSAGE(change_members, uint32_t request; uint32_t server; bool add;);
RH_MESSAGE(transfer_leadership, uint32_t request; uint32_t to;);

/* Announced, for the specification: a log has a new entry; a server has become leader; an entry is known to be
 * committed. */
RH_MESSAGE(entry_appended, uint32_t server; uint32_t index; uint32_t prev_term; struct entry entry;);
RH_MESSAGE(leader_elected, uint32_t server; uint32_t term; uint32_t base; uint32_t base_term; uint32_t count;
           struct entry entries[MOST_LOG];);
RH_MESSAGE(entry_committed, uint32_t server; uint32_t index; struct entry entry;);

/* ---- actors ------------------------------------------------------------------------------------------------------ */

/* Where servers are: the key is raft_name, the value an rh_ref.  Whoever spawns a server writes it. */
RH_TABLE(raft_servers);
struct raft_text {
    char s[16];
};
struct raft_text raft_name(uint32_t number);
void raft_introduce(uint32_t number, rh_ref who);
rh_ref raft_server_at(uint32_t number); /* nobody if there is none */

/* The bugs of test.c; server.h says where each one is. */
struct raft_flaws {
    bool counts_votes, old_term_commit, stale_reply, stale_append, forgets_vote, snapshot_state, single_server,
        transfer_votes, late_write, names_pending, local_read;
};
/* A server's election timeout is drawn between timeout_ms and twice that; heartbeats come every beat_ms.  Timers fire
 * as often as `elections` and `beats` allow, so that tests end.  A snapshot is taken every `snapshot_every` entries (at
 * most MOST_LOG / 2); a message has at most `batch` entries. */
struct raft_settings {
    int timeout_ms, beat_ms, elections, beats;
    uint32_t snapshot_every, batch;
    bool pre_vote;
    struct raft_flaws flaws;
};

enum role { FOLLOWER, PRE_CANDIDATE, CANDIDATE, LEADER };
struct meta {
    uint32_t term, vote;
};
struct raft_log {
    uint32_t base, base_term, count; /* the entries behind the snapshot: base + 1 to base + count */
    struct entry at[MOST_LOG];
};
/* A put of the log that is not yet durable; when it is, entries up to `last` are. */
struct log_write {
    uint32_t ticket, last;
};
struct waiting {
    rh_ref client;
    uint32_t request;
    uint32_t at;    /* a put: its index */
    uint32_t round; /* a get: a reply to this round confirms it */
    uint32_t key;
};
struct waiting_list {
    uint32_t count;
    struct waiting at[MOST_WAITING];
};

/* Spawn it with number, first_members and settings. */
RH_ACTOR(raft_server, uint32_t number; uint32_t first_members; struct raft_settings settings;
         /* durable */
         struct meta meta; struct raft_log log; struct snapshot snapshot;
         /* what the disk has: the ticket of a put of `meta` that is not durable, puts of the log, and how far the log
            is durable */
         uint32_t meta_ticket; uint32_t write_count; struct log_write writes[MOST_LOG]; uint32_t durable;
         /* every role */
         rh_ref peers[MOST_SERVERS + 1]; enum role role; uint32_t leader; uint32_t members; uint32_t commit;
         struct registers registers; struct waiting_list asking; /* they want to know who leads */
         /* a follower: how far its log is the leader's, the leader's last round, what it owes to whom */
         uint32_t verified; uint32_t round_seen; bool owes_reply; bool owes_vote;
         /* a candidate */
         uint32_t votes; uint32_t vote_count; bool transfer;
         /* a leader */
         uint32_t next[MOST_SERVERS + 1]; uint32_t match[MOST_SERVERS + 1]; uint32_t acked[MOST_SERVERS + 1];
         uint32_t round; uint32_t transfer_to; uint32_t transfer_beats; struct waiting_list puts;
         struct waiting_list gets;);

/* Puts and gets in turn, each with at most `tries` attempts, and each beginning at another server.  With timeout_ms 0
 * it waits for ever. */
RH_PROCESS(raft_client, uint32_t number; uint32_t servers; uint32_t requests; int timeout_ms; int tries;
           uint32_t done;);

/* Asks for these changes of members, in turn, and then for leadership of server `transfer_to`, if that is not 0: server
 * `first`, and then whoever leads; `tries` attempts for each. */
struct change {
    uint32_t server;
    bool add;
};
RH_PROCESS(raft_operator, uint32_t servers; uint32_t first; uint32_t count; struct change changes[4];
           uint32_t transfer_to; int timeout_ms; int tries; uint32_t done;);

#endif
