/* A job on a server: what asks of a test program (cluster/link.h) become there.  work.lua is the other half.
 *
 *     explorer     the process that began the job, and that alone knows its results
 *     generation   a life of the job's data on the server, named by a token.  When the server has lost its data, or was
 *                  started again, the explorer begins another one from its own snapshot: a server is never trusted to
 *                  remember
 *
 * Keys: {rh:JOB}:spec and, beside it, work, tot, res, agents, out, sizes, known. */
#ifndef RH_LINK_SERVER_H
#define RH_LINK_SERVER_H

#include "cluster/link.h"
#include "link/wire.h"

enum { RH__MOST_LEASES = 4096 };

struct rh__server_setup {
    struct rh__address address;
    struct rh__secrets secrets;
    bool explorer;        /* else an agent */
    double lease_seconds; /* of an explorer */
    const char *program;  /* its file name */
    char sha256[65];      /* of the test program */
};

/* A lease that the test program holds. */
struct rh__held {
    uint64_t number;
    char entry[48]; /* of the stream */
    char count[24]; /* deliveries of the entry, as text */
};

struct rh__server {
    struct rh__server_setup setup;
    struct rh__wire *wire; /* NULL: offline */
    double next_attempt;   /* to connect */
    uint32_t attempts;
    char run_id[64];   /* of the server process */
    char begun_on[64]; /* of the server process that has this generation */
    char token[64], owner[128], me[128];
    char script[64];      /* SHA1 of work.lua, once the server has it */
    uint64_t taken;       /* results that the test program has */
    uint64_t offered;     /* the same, when it has those of the last snapshot */
    uint64_t last_number; /* of a lease */
    struct rh__held held[RH__MOST_LEASES];
    uint32_t held_count;
    bool seen_job;           /* an agent: there was a job */
    bool begun, ended;       /* an explorer: a generation; it has said END */
    struct rh__reply *reply; /* the last one: answers point into it */
    struct rh__writer results, items;
    char text[512];
};

enum rh__server_open {
    RH__SERVER_OPEN,
    RH__SERVER_BUSY,    /* another explorer has the job */
    RH__SERVER_REFUSED, /* `error` says why */
    RH__SERVER_OFFLINE, /* likewise; another attempt may do */
};

/* Connects, checks the server, and takes the job if this is an explorer. */
enum rh__server_open rh__server_open(struct rh__server *s, const struct rh__server_setup *setup, char *error,
                                     size_t error_size);
/* The test program has ended. */
void rh__server_close(struct rh__server *s);
/* Answers an ask.  What the answer points to is valid until the next ask. */
void rh__server_answer(struct rh__server *s, const struct rh__link_ask *ask, struct rh__link_answer *answer);

/* Answers asks from the stream until it ends. */
void rh__server_serve(struct rh__server *s, int fd);

/* ---- for the command jobs ---------------------------------------------------------------------------------------- */

/* Connects and refuses servers that are of no use: too old, a replica, one that drops keys. */
bool rh__server_connect(struct rh__server *s, bool *refused, char *error, size_t error_size);
/* The name of a key of the job. */
void rh__server_key(const struct rh__server *s, const char *what, char *key, size_t size);

#endif
