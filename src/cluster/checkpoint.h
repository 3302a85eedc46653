/* A file with all that an exploration has found and all that is left to do, from which it can go on: whole or as it was
 * before, whatever happens while it is written.
 *
 *     rehearse checkpoint 1
 *     size and hash of what follows, eight bytes each
 *     what it belongs to: a text with a line each for program, test, explorer, seed, settings, parameters
 *     seconds, sums (results.h), items (queue.h)
 *
 * It is for the same program on the same kind of machine, which is checked, not for keeping. */
#ifndef RH_CLUSTER_CHECKPOINT_H
#define RH_CLUSTER_CHECKPOINT_H

#include "base/files.h"
#include "cluster/queue.h"
#include "cluster/results.h"

enum { RH__BINDING_BYTES = 1 << 16 };

/* What an exploration belongs to; false with a sentence. */
bool rh__checkpoint_binding(const struct rh_exploration *x, const char *explorer, char *text, size_t size, char *error,
                            size_t error_size);

/* `before` is what `x` had counted before this exploration. */
bool rh__checkpoint_write(struct rh__kept *file, const char *binding, const struct rh_exploration *x,
                          const struct rh__told *before, struct rh__queue *q, double seconds, char *error,
                          size_t error_size);
/* Into an exploration and a queue that are empty; false with a sentence that names the file. */
bool rh__checkpoint_read(struct rh__kept *file, const char *binding, struct rh_exploration *x, struct rh__queue *q,
                         double *seconds, char *error, size_t error_size);

#endif
