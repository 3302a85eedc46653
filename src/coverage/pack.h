/* Coverage as bytes: from a worker to whoever adds it up, and in files that are merged (`rehearse coverage merge`).
 *
 * Sets of goals are united, so the same bytes may be added twice, and in any order. */
#ifndef RH_COVERAGE_PACK_H
#define RH_COVERAGE_PACK_H

#include "base/bytes.h"
#include "coverage/goals.h"

void rh__coverage_pack(const struct rh__coverage *c, struct rh__writer *w);

/* Whether the bytes, which may be any, make sense, and are of the subject of `c` unless that is NULL; false with a sentence. */
bool rh__coverage_check(const struct rh__coverage *c, const void *bytes, size_t size, char *error, size_t error_size);

/* Adds what they say.  False with a sentence: they do not make sense, are of another subject, or memory is short; then nothing is
 * changed. */
bool rh__coverage_unpack(struct rh__coverage *c, const void *bytes, size_t size, char *error, size_t error_size);

/* Files, with a checksum.  Reading makes a new coverage where *c is NULL, or adds to what is there; false with a sentence, and then
 * nothing is changed. */
bool rh__coverage_write(const struct rh__coverage *c, const char *path, char *error, size_t error_size);
bool rh__coverage_read(struct rh__coverage **c, const char *path, char *error, size_t error_size);

#endif
