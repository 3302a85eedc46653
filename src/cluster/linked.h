/* The queue on a server, as the test program sees it (queue.h): it speaks to its link (link.h), which holds the
 * connection.
 *
 * Of an explorer.  `totals` and the list of open items are one snapshot: results since the last snapshot and all items
 * come from the server together.  So they are a consistent state of the exploration at any time, and a server that has
 * lost its data, or was started again, gets a new generation from them.  Totals lag behind by the time between two
 * snapshots.
 *
 * Of an agent.  Totals stay empty: the explorer has them. */
#ifndef RH_CLUSTER_LINKED_H
#define RH_CLUSTER_LINKED_H

#include "cluster/link.h"

/* What is said of a job when it begins. */
struct rh__linked_job {
    const char *binding; /* checkpoint.h */
    const void *job;     /* what an agent needs to take part, as bytes */
    size_t size;
    double lease_seconds;
    uint64_t max_runs, max_steps; /* 0: no limit */
};

/* For a search in rounds (rehearse/explorer.h).  An item of it can be cut everywhere, and the last part of its rest is
 * what the worker tells. */
struct rh__linked_rounds {
    void *arg;
    bool (*gather)(void *arg, const void *told, size_t size);
    const void *(*known)(void *arg, uint64_t *life, size_t *size); /* size 0: nothing is to be learned */
    bool (*learn)(void *arg, const void *bytes, size_t size);
};

/* `where` is the number of the file descriptor of the link. */
extern const struct rh__queue_table rh__queue_linked;

/* The explorer begins, with the items that were added or restored before.  The job is borrowed until the queue is
 * closed.  False with a sentence. */
bool rh__linked_begin(void *state, const struct rh__linked_job *job, char *error, size_t error_size);
/* An agent begins: it has joined (rh__linked_ask). */
void rh__linked_join(void *state, double lease_seconds);
/* Before beginning. */
void rh__linked_set_rounds(void *state, const struct rh__linked_rounds *rounds);
/* No item is open, and all that was told has been gathered: the next round may begin.  May ask the server. */
bool rh__linked_is_idle(void *state);
/* How many workers this process has. */
void rh__linked_set_workers(void *state, uint32_t workers);

/* Keeps the leases alive, sends what could not be sent, takes a snapshot when it is time (or `now_please`), begins a
 * new generation when the server has lost the old one.  Called all the time.  False with a sentence: the link or the
 * server is of no use any more. */
bool rh__linked_attend(void *state, bool now_please, char *error, size_t error_size);
/* Nothing is left to do: of an explorer no item is open; of an agent the generation is over. */
bool rh__linked_is_over(void *state);
/* All leases were dropped since the last call: the connection was lost, or the generation.
 *
 * Then other workers must take the place of those that there are.  A worker reports each distinct run and each finding
 * once, and takes for granted that its reports were added; some may not have been.  The same holds for the worker of a
 * commit that is late. */
bool rh__linked_has_dropped(void *state);
/* The job was removed by somebody. */
bool rh__linked_is_removed(const void *state);
/* No job needs the server any more. */
void rh__linked_end(void *state);
const struct rh__link_state *rh__linked_state(const void *state);
/* How long a commit takes at present, with the way to the server and back; 0: there was none. */
double rh__linked_commit_seconds(const void *state);
/* How often a new generation had to begin. */
uint32_t rh__linked_losses(const void *state);
/* Whether the link had a connection when it was asked last. */
bool rh__linked_is_online(const void *state);

/* One ask and its answer; the answer is valid until the next call.  False if the link has ended. */
bool rh__linked_ask(int fd, struct rh__writer *buffer, const struct rh__link_ask *ask, struct rh__link_answer *answer);

#endif
