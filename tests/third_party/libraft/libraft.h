/* Debian's libraft (package libraft-dev), unchanged, in actors: a `server` owns a struct raft and the struct raft_io
 * through which the library meets the world.  Messages are rh_send; disk writes end by a timer, or at once; ticks are
 * timers with a budget.
 *
 *   node.c    the actor
 *   io.c      raft_io and raft_fsm
 *   test.c    the specification, as monitors, and the tests
 *   driver.c  another program: the same library under a random scheduler written for it, for comparison */
#ifndef LIBRAFT_H
#define LIBRAFT_H

#include <raft.h>
#include <rehearse.h>

enum { MOST_SERVERS = 7, MOST_ENTRIES = 64, MOST_TERMS = 128, MOST_WRITES = 64 };

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* Between servers: the fields of struct raft_message.  append_entries has its entries behind it. */
RH_MESSAGE(append_entries, raft_term term; raft_index prev; raft_term prev_term; raft_index commit; unsigned count;);
RH_MESSAGE(append_result, raft_term term; raft_index rejected; raft_index last;);
RH_MESSAGE(request_vote, raft_term term; raft_index last; raft_term last_term; bool disrupt; bool pre;);
RH_MESSAGE(vote, raft_term term; bool granted; raft_tribool pre;);
RH_MESSAGE(timeout_now, raft_term term; raft_index last; raft_term last_term;);

/* Timers. */
RH_MESSAGE(election_timeout);
RH_MESSAGE(heartbeat);
RH_MESSAGE(disk_done);
RH_MESSAGE(client_write);
RH_MESSAGE(client_transfer); /* somebody asks the leader to hand over */

/* An entry as specifications see it; `id` is that of the command, -1 for entries of the library itself. */
struct entry {
    int32_t term, id;
};
/* Announced: a server has become leader, with this log (indices from 1); a server has moved its commit index. */
RH_MESSAGE(now_leads, int server; int term; int last; struct entry log[MOST_ENTRIES];);
RH_MESSAGE(has_committed, int server; int index; struct entry entry;);

/* ---- a server ---------------------------------------------------------------------------------------------------- */

/* How the test is set; the same for all servers of a run. */
struct cluster {
    int count;
    bool slow_disk, pre_vote;
    int elections, heartbeats, writes, transfers; /* how many timers of each kind may fire, for each server */
    rh_ref at[MOST_SERVERS];
};
extern struct cluster cluster;

struct disk_entry {
    raft_term term;
    uint32_t type, size;
    char bytes[112];
};
struct sent {
    struct raft_io_send *request;
    raft_io_send_cb done;
};

/* What raft_io works on.  It does not move, because the library keeps its address. */
struct machine {
    struct raft raft;
    struct raft_io io;
    struct raft_fsm fsm;
    raft_io_tick_cb tick;
    raft_io_recv_cb receive;
    raft_time clock;
    char address[8];
    int number;
    raft_term term; /* durable, like vote and disk */
    raft_id vote;
    struct disk_entry disk[MOST_ENTRIES];
    int disk_count;
    struct raft_io_append *writes[MOST_WRITES]; /* not yet durable, the oldest first */
    int write_count;
    struct sent sent[MOST_WRITES]; /* the library has not heard yet that they are sent */
    int sent_count;
};

RH_ACTOR(server, int number; struct machine * machine; int elections; int heartbeats; int writes; int transfers;
         bool leading; raft_term led; int announced; bool election_set; bool heartbeat_set; bool disk_set;
         bool write_set; bool transfer_set;);

/* io.c */
void machine_init(struct machine *m, int number); /* m is zero; ends in assertions if the library refuses */
void machine_flush(struct machine *m);            /* tells the library that its messages are sent */
void machine_complete_write(struct machine *m);   /* the oldest write is durable */
struct raft_entry *entries_from_disk(const struct disk_entry *from, unsigned count); /* the library frees them */
int log_last(const struct raft_log *log);
struct entry log_entry(const struct raft_log *log, int index);

#endif
