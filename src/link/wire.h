/* A connection to a server that speaks the Redis protocol: a socket, perhaps with TLS, around the formatter and the
 * reader of hiredis (whose version in Debian 12 has no TLS).  Every call has a time limit, and whatever the server
 * sends is bounded: the size of an answer, the number of its parts, their nesting. */
#ifndef RH_LINK_WIRE_H
#define RH_LINK_WIRE_H

#include <hiredis/read.h>
#include <stdbool.h>
#include <stddef.h>

#include "link/address.h"

struct rh__secrets {
    const char *password;        /* NULL: none */
    const char *ca, *cert, *key; /* files; NULL: the certificates of the system, and none of the client */
};

/* An answer of the server. */
struct rh__reply {
    int type; /* REDIS_REPLY_... of hiredis */
    long long number;
    char *text; /* with a NUL behind it */
    size_t size;
    struct rh__reply **parts;
    size_t count;
};
void rh__reply_free(struct rh__reply *r);
/* A number, also as text; 0 if it is none. */
long long rh__reply_number(const struct rh__reply *r);
/* Part `i`, or NULL. */
const struct rh__reply *rh__reply_part(const struct rh__reply *r, size_t i);
bool rh__reply_is_text(const struct rh__reply *r);

/* The reader with bounds; for fuzzing as well.  NULL if memory is short. */
redisReader *rh__reader_new(void);
/* The bounds are those of one answer: called before each. */
void rh__reader_restart(redisReader *reader);
void rh__reader_free(redisReader *reader);

struct rh__wire;
/* Connects, and proves who both ends are.  NULL with a sentence; `refused`: another attempt would end likewise. */
struct rh__wire *rh__wire_open(const struct rh__address *a, const struct rh__secrets *s, double seconds, bool *refused,
                               char *error, size_t error_size);
void rh__wire_close(struct rh__wire *w);
/* Sends a command and waits for its answer; NULL with a sentence if the connection is lost: it is closed then.  An
 * answer may be an error of the server. */
struct rh__reply *rh__wire_command(struct rh__wire *w, size_t count, const char *const *words, const size_t *sizes,
                                   char *error, size_t error_size);
/* Likewise, for words that are texts; the last one is NULL. */
struct rh__reply *rh__wire_say(struct rh__wire *w, char *error, size_t error_size, ...);

#endif
