/* A run as bytes, to store it or to pass it to another process of the same program.
 *
 * A decoded run has the same accessors (run.h) and gives the same schedule, story, identities and hash.  Three things
 * are not encoded: answers that only a live world can give (run.live is NULL), the bytes of a message after
 * `most_value`, and the handlers of a behaviour.  The types of messages and actors are copies, with their names. */
#ifndef RH_RUN_ENCODE_H
#define RH_RUN_ENCODE_H

#include "base/bytes.h"
#include "run/run.h"

enum { RH__RUN_VERSION = 3 };

/* Writes the run, with at most `most_value` bytes of the value and of the tail of each message.  If there is no room,
 * the writer is marked as full. */
void rh__run_encode(const struct rh__run *r, uint32_t most_value, struct rh__writer *to);

/* Decodes a run.  All bytes are checked before use.  If they are invalid, returns NULL and a sentence in `error`.  The
 * run does not refer to the bytes. */
struct rh__run *rh__run_decode(const void *bytes, size_t size, char *error, size_t error_size);
void rh__run_free(struct rh__run *r);

#endif
