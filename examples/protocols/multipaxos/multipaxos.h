/* Multi-Paxos: replicas agree on a log of commands.  One of them leads; when it is not heard of, another one takes over
 * with a higher ballot and finishes what the majority may have chosen.  Each replica applies the log in order to a map
 * of write-once registers: the first value that is appended for a key is the value of the key. */
#ifndef MULTIPAXOS_H
#define MULTIPAXOS_H

#include <rehearse.h>

enum { MOST_REPLICAS = 5, MOST_SLOTS = 32 };

struct command {
    int key; /* 0: nothing, which fills a slot of which nobody knows */
    int value;
};

/* Client and replica.  The answer has the value that the key got first.  A replica that does not lead names one that
 * may (-1: it does not know). */
RH_MESSAGE(mp_append, struct command command;);
RH_MESSAGE(mp_appended, struct command command;);
RH_MESSAGE(mp_elsewhere, int key; int leader;);

/* Ballots are numbered from 1; replica r of n has the ballots r + 1, r + 1 + n, ... */
RH_MESSAGE(mp_prepare, uint32_t ballot; int first;);
/* The tail is what the replica has accepted from slot `first` on: struct mp_entry. */
RH_MESSAGE(mp_promise, uint32_t ballot; int replica;);
RH_MESSAGE(mp_accept, uint32_t ballot; int slot; struct command command;);
RH_MESSAGE(mp_accepted, uint32_t ballot; int slot; int replica;);
RH_MESSAGE(mp_reject, uint32_t ballot; uint32_t promised;);
RH_MESSAGE(mp_commit, int slot; struct command command;);
/* The leader lives, and has `commits` slots chosen; a replica that lacks some of them asks for them. */
RH_MESSAGE(mp_heartbeat, uint32_t ballot; int leader; int commits;);
RH_MESSAGE(mp_catch_up, int first;);

/* Timers. */
RH_MESSAGE(mp_election);
RH_MESSAGE(mp_beat);

/* Announced, for the specification. */
RH_MESSAGE(mp_voted, int replica; int slot; uint32_t ballot; struct command command;);
RH_MESSAGE(mp_learned, int replica; int slot; struct command command;);
RH_MESSAGE(mp_applied, int replica; int slot; struct command command;); /* with the value that counts */

/* Flaws: the bugs of test.c; see multipaxos.c. */
struct mp_flaws {
    bool own_log, keeps_promise, mixed_ballots;
};

struct mp_vote {
    uint32_t ballot; /* 0: nothing accepted */
    struct command command;
};
struct mp_entry {
    int slot;
    struct mp_vote vote;
};
struct mp_slot {
    struct mp_vote vote; /* durable: "slot N" */
    bool chosen;
    struct command command; /* if chosen; what the leader proposes */
    uint32_t acks;          /* leader: the replicas that have accepted it */
    rh_ref client;          /* leader: whom to answer */
};
struct replicas {
    int count;
    rh_ref at[MOST_REPLICAS];
};
enum mp_role { MP_FOLLOWER, MP_CANDIDATE, MP_LEADER };

/* Replicas find each other by name, also after a crash. */
RH_ACTOR(replica, int number; int count; int timeout_ms; int most_elections; int most_beats; struct mp_flaws flaws;
         uint32_t promised; enum mp_role role; uint32_t ballot; uint32_t promises; int leader; int next; int applied;
         int elections; int beats; struct mp_slot slots[MOST_SLOTS];);

/* The name of a replica: mp_name(2).s is "replica 2". */
struct mp_text {
    char s[32];
};
struct mp_text mp_name(int replica);

/* Appends `commands` values, for the keys first, first + 1, ...; tries the replicas in turn, and rests for rest_ms
 * where one knows of no leader. */
RH_PROCESS(mp_client, int first; int commands; int replicas; int value; int timeout_ms; int rest_ms; int tries;
           int done;);

#endif
