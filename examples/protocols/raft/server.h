/* Between the files of a server: log.c (the log, its snapshot, what is durable), election.c (terms and votes),
 * replication.c (entries, commits, reads), server.c (the handlers of the actor).
 *
 * What must be durable before what (section 3.8).  Puts become durable in the order in which they were made:
 *   the term and the vote            before a vote is sent, and before a candidate asks for votes
 *   the log of a candidate           before it asks for votes: the put of its vote comes behind those of its log
 *   the term and the new entries     before a follower says that it has them
 * A leader sends entries while it writes them, and counts itself when they are durable (section 10.2.1).
 *
 * Where the flaws are (bugs of test.c):
 *   counts_votes     election.c     a vote that comes twice counts twice
 *   forgets_vote     election.c     a vote is sent before it is durable
 *   names_pending    election.c     a candidate asks for votes before its log and its own vote are durable
 *   transfer_votes   election.c     in an election that a transfer began, a server votes although it has voted
 *   stale_append     replication.c  entries behind those of a request are removed, also if they agree
 *   stale_reply      replication.c  a leader takes replies that were sent in an older term
 *   late_write       log.c          when a write ends, the follower says that it has all that it wrote, although it has
 *                    replication.c  removed it since
 *   old_term_commit  replication.c  entries of older terms are committed by counting
 *   snapshot_state   replication.c  a snapshot that is installed replaces the term and forgets the vote
 *   single_server    server.c       a new leader changes members before it has committed an entry of its term
 *   local_read       server.c       a leader answers a read without asking whether it still leads */
#ifndef RAFT_SERVER_H
#define RAFT_SERVER_H

#include "raft.h"

/* Sends to a server by its number, if it is known where that is. */
#define RAFT_TELL(s, number, ...)                                                                                      \
    do {                                                                                                               \
        rh_ref raft_to = peer(s, number);                                                                              \
        if (!rh_is_nobody(raft_to))                                                                                    \
            rh_send(raft_to, __VA_ARGS__);                                                                             \
    } while (0)

/* log.c */
rh_ref peer(struct raft_server *s, uint32_t number);           /* as raft_server_at, remembered */
bool add_waiting(struct waiting_list *list, struct waiting w); /* false: there is no room */
bool members_pending(const struct raft_server *s);             /* a change of members is not yet committed */
uint32_t log_last(const struct raft_server *s);
uint32_t log_term(const struct raft_server *s, uint32_t index); /* base <= index <= last; 0 if it is not there */
const struct entry *log_entry(const struct raft_server *s, uint32_t index); /* base < index <= last */
bool log_append(struct raft_server *s, struct entry entry);                 /* false: it is full */
void log_truncate(struct raft_server *s, uint32_t from);                    /* removes `from` and what follows */
void log_save(struct raft_server *s);
void log_take_snapshot(struct raft_server *s); /* of everything that is committed */
void log_install_snapshot(struct raft_server *s, const struct snapshot *snapshot);
void log_load(struct raft_server *s);
void log_stored(struct raft_server *s, uint32_t ticket);
void meta_save(struct raft_server *s);

/* election.c */
bool is_majority(const struct raft_server *s, uint32_t servers); /* of the members */
void set_timers(struct raft_server *s);
void follow(struct raft_server *s, uint32_t term, uint32_t leader); /* leader 0: not known */
void begin_election(struct raft_server *s, bool transfer);
void on_request_vote(struct raft_server *s, const struct request_vote *m);
void on_vote(struct raft_server *s, const struct vote *m);
void on_meta_stored(struct raft_server *s);
void refuse(struct raft_server *s, rh_ref client, uint32_t request); /* says who leads, as soon as that is known */
void leader_known(struct raft_server *s);

/* replication.c */
void lead(struct raft_server *s);
void send_to_others(struct raft_server *s);
void advance_commit(struct raft_server *s);
void hand_over(struct raft_server *s); /* if the other one has all entries */
void on_append_entries(struct raft_server *s, const struct append_entries *m);
void on_append_reply(struct raft_server *s, const struct append_reply *m);
void on_install_snapshot(struct raft_server *s, const struct install_snapshot *m);
void on_log_stored(struct raft_server *s);
void answer_gets(struct raft_server *s);

#endif
