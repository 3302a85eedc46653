/* Messages between a test program and its link.
 *
 * A link is a process of the command `rehearse` that holds the connection to a server (src/link).  The test program, an
 * agent with its workers, talks to the link over a socket pair.  So a test program needs no library for networks, and
 * the program under test shares no process with the secrets of the connection.
 *
 *     ask       one request of the test program: an operation and its arguments
 *     answer    what the link says to it, always with the state of the job
 *
 * One answer follows each ask.  Both ends check the bytes that they read: some of them are the server's. */
#ifndef RH_CLUSTER_LINK_H
#define RH_CLUSTER_LINK_H

#include "cluster/queue.h"

#define RH__LINK_FORMAT_ 1 /* of asks, answers, and what is on the server */
enum {
    RH__LINK_FORMAT = RH__LINK_FORMAT_,
    RH__LINK_MOST_ITEM = 1 << 27, /* largest item or result */
    RH__LINK_MOST_FRAME = 1 << 30,
};

/* The environment variable by which a test program finds its end of the socket pair: its number, a space, and what
 * this build can say over it (rh__link_words).  The command and the program may be of different builds. */
#define RH__LINK_VARIABLE "REHEARSE_LINK"

#define RH__LINK_OPERATIONS(X)                                                                                         \
    X(BEGIN)     /* the explorer: a new generation of the job, with these items; bytes: the job, text: its binding */  \
    X(JOIN)      /* an agent: the job under way */                                                                     \
    X(ADD)       /* items; lease: the number of this ask, from 1.  A second one of a number changes nothing */         \
    X(FETCH)     /* a lease */                                                                                         \
    X(COMMIT)    /* bytes: results of the lease; items: its rest; wants: a lease in the answer */                      \
    X(RENEW)     /* all leases of this link */                                                                         \
    X(GIVE_BACK) /* the lease; died: a worker died over it */                                                          \
    X(SNAPSHOT)  /* the explorer: results since the last snapshot and all items, at one moment */                      \
    X(LEARN) /* the explorer of a search in rounds: bytes that agents must know from now on, behind `lease` bytes */   \
    X(KNOWN) /* an agent: a piece of those bytes, behind `lease` bytes */                                              \
    X(LOOK)  /* the state of the job */                                                                                \
    X(END)   /* the explorer: nothing more is to be done in this generation */

enum rh__link_operation {
#define RH__X(name) RH__LINK_##name,
    RH__LINK_OPERATIONS(RH__X)
#undef RH__X
        RH__LINK_OPERATION_COUNT
};

struct rh__link_ask {
    enum rh__link_operation operation;
    uint64_t lease;
    bool died, wants;
    uint64_t runs, steps, findings; /* of a commit; of BEGIN: the limits, and what is done before */
    uint64_t done_runs, done_steps;
    uint64_t workers;
    double lease_seconds; /* of BEGIN */
    const char *text;     /* NULL: "" */
    const void *bytes;
    size_t size;
    struct rh__items items;
};

enum rh__link_status {
    RH__LINK_OK,
    RH__LINK_NONE,    /* no item, or no job, for now */
    RH__LINK_LATE,    /* the lease has ended */
    RH__LINK_GONE,    /* the server has lost this generation, or there is another one */
    RH__LINK_OFFLINE, /* there is no connection for now */
    RH__LINK_ENDED,   /* the job has ended */
    RH__LINK_REFUSED, /* text: why */
    RH__LINK_STATUS_COUNT
};

#define RH__LINK_STATE(X)                                                                                              \
    X(waiting)                                                                                                         \
    X(leased)                                                                                                          \
    X(runs)                                                                                                            \
    X(steps)                                                                                                           \
    X(findings)                                                                                                        \
    X(agents)                                                                                                          \
    X(workers)                                                                                                         \
    X(backlog) /* bytes of results that the explorer has not taken */                                                  \
    X(paused)                                                                                                          \
    X(known) /* bytes that agents must know */

struct rh__link_state {
#define RH__X(name) uint64_t name;
    RH__LINK_STATE(RH__X)
#undef RH__X
};

struct rh__link_answer {
    enum rh__link_status status;
    struct rh__link_state state;
    uint64_t lease; /* of FETCH and COMMIT; 0: none */
    uint32_t deaths;
    uint64_t max_runs, max_steps; /* what the lease may use up; 0: no limit.  Of RENEW: the number of ended leases */
    const char *text;
    const void *bytes; /* an item; of JOIN: the job */
    size_t size;
    /* Blocks, without the limit on their number that a commit has. */
    struct rh__items results, items;
};

/* The format and the words of asks and answers: both ends must have the same. */
extern const char rh__link_words[];
/* Of a test program: its end of the socket pair.  -1 with a sentence if there is none, or if the other end is of
 * another build. */
int rh__link_find(const char *program, char *error, size_t error_size);

void rh__link_ask_encode(const struct rh__link_ask *a, struct rh__writer *w);
/* False if the bytes are invalid.  Pointers are into the bytes. */
bool rh__link_ask_decode(struct rh__link_ask *a, const void *bytes, size_t size);
void rh__link_answer_encode(const struct rh__link_answer *a, struct rh__writer *w);
bool rh__link_answer_decode(struct rh__link_answer *a, const void *bytes, size_t size);

#endif
