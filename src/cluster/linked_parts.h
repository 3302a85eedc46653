/* What the parts of the queue on a server share (linked.h):
 *
 *     linked.c          the table, the explorer's generations and snapshots
 *     linked_leases.c   asks and their answers, leases and commits: also an agent's */
/* Private to src/cluster. */
#ifndef RH_CLUSTER_LINKED_PARTS_H
#define RH_CLUSTER_LINKED_PARTS_H

#include "cluster/linked.h"

struct rh__linked_lease {
    struct rh__lease lease;
    unsigned char *bytes;
};

struct rh__linked {
    int fd;
    bool explorer, begun;
    const struct rh__linked_job *job;
    struct rh__linked_rounds rounds; /* NULL: no search in rounds */
    uint64_t life, known;            /* of what is on the server; of an agent: how much it has learned */
    double lease_seconds;
    uint32_t workers;

    struct rh__results *totals; /* with `items`: the last snapshot */
    struct rh__writer items;
    uint32_t item_count;
    uint64_t adds; /* number of the last ADD */
    bool changed;  /* something was committed since, perhaps */

    struct rh__link_state state;
    bool gone, removed, offline, broken, has_dropped;
    char why[512]; /* if broken */
    uint32_t losses;

    struct rh__linked_lease *leases;
    uint32_t lease_count, lease_room;
    struct rh__linked_lease next; /* came with a commit; number 0: none */
    bool wants_next;

    struct rh__writer unsent; /* items (ADD) that could not be sent, as blocks */
    struct rh__writer buffer; /* of the answer */
    double next_poll, poll_pause, next_renewal, next_snapshot;
    double commit_seconds; /* that a commit takes, smoothed */
    uint64_t random;
};

/* The queue is of no use any more, for this reason. */
void rh__linked_break(struct rh__linked *l, const char *why);
/* Asks, and notes what the answer says of the connection and the job. */
enum rh__link_status rh__linked_say(struct rh__linked *l, const struct rh__link_ask *ask, struct rh__link_answer *a);
/* The same with an ask as bytes. */
enum rh__link_status rh__linked_say_bytes(struct rh__linked *l, const void *bytes, size_t size,
                                          struct rh__link_answer *a);
void rh__linked_drop_all(struct rh__linked *l);

/* Of the table. */
bool rh__linked_fetch(void *state, struct rh__lease *lease);
bool rh__linked_renew(void *state, uint64_t lease);
enum rh__commit rh__linked_commit(void *state, uint64_t lease, const void *results, size_t size,
                                  const struct rh__items *rest);
void rh__linked_give_back(void *state, uint64_t lease, bool died);

#endif
