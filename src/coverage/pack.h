/* Coverage as bytes: sent from a worker to the process that adds it up, and in files that are merged (`rehearse
 * coverage merge`).
 *
 * Adding is the union of sets of goals, so the same bytes may be added twice, and in any order. */
#ifndef RH_COVERAGE_PACK_H
#define RH_COVERAGE_PACK_H

#include "base/bytes.h"
#include "coverage/goals.h"

void rh__coverage_pack(const struct rh__coverage *c, struct rh__writer *w);

/* Checks untrusted bytes, and that they are of the subject of `c` unless `c` is NULL; false with a sentence. */
bool rh__coverage_check(const struct rh__coverage *c, const void *bytes, size_t size, char *error, size_t error_size);

/* Adds the bytes.  Returns false with a sentence, and changes nothing, if they are invalid or of another subject, or if
 * memory is short. */
bool rh__coverage_unpack(struct rh__coverage *c, const void *bytes, size_t size, char *error, size_t error_size);

/* Files, with a checksum.  Reading makes a new coverage where *c is NULL, or adds to what is there; false with a
 * sentence, and then nothing is changed. */
bool rh__coverage_write(const struct rh__coverage *c, const char *path, char *error, size_t error_size);
/* The bytes of such a file, in a writer that is empty. */
void rh__coverage_pack_file(const struct rh__coverage *c, struct rh__writer *w);
bool rh__coverage_read(struct rh__coverage **c, const char *path, char *error, size_t error_size);

#endif
