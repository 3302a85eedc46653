/* Coverage as bytes: from a worker to whoever adds it up, and in files that are merged (`rehearse coverage merge`).
 *
 * Sets of goals are united, so the same bytes may be added twice, and in any order. */
#ifndef RH_COVERAGE_PACK_H
#define RH_COVERAGE_PACK_H

#include "base/bytes.h"
#include "coverage/goals.h"

void rh__coverage_pack(const struct rh__coverage *c, struct rh__writer *w);

/* Adds what the bytes say; with `c` NULL only looks whether they make sense, which may be any.  False with a sentence: they do
 * not, or are of another subject; then nothing is changed. */
bool rh__coverage_unpack(struct rh__coverage *c, const void *bytes, size_t size, char *error, size_t error_size);

/* Files.  Reading makes a new coverage, or adds to what is there; NULL or false with a sentence. */
bool rh__coverage_write(const struct rh__coverage *c, const char *path, char *error, size_t error_size);
bool rh__coverage_read(struct rh__coverage **c, const char *path, char *error, size_t error_size);

#endif
