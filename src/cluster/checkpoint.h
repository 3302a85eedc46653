/* A file with all results of an exploration and all work that is left.  Another process can continue from this file.
 * Writing replaces the whole file: a crash leaves either the old file or the new one.
 *
 *     rehearse checkpoint 3
 *     size and hash of the rest of the file, eight bytes each
 *     the binding: a text with a line each for program, test, explorer, seed, settings, parameters; the explorer in
 *     its canonical form (explore/tree.h)
 *     seconds, and a snapshot of the queue (queue.h): totals and items
 *     of a search in rounds (rehearse/explorer.h): what its explorer keeps
 *
 * A checkpoint is valid only for the same program on the same kind of machine.  Reading checks the binding. */
#ifndef RH_CLUSTER_CHECKPOINT_H
#define RH_CLUSTER_CHECKPOINT_H

#include "base/files.h"
#include "cluster/queue.h"
#include "explore/engine/engine.h"

enum { RH__BINDING_BYTES = 1 << 16 };

/* Writes the binding of an exploration to `text`.  On failure returns false and a sentence in `error`. */
bool rh__checkpoint_binding(const struct rh_exploration *x, char *text, size_t size, char *error, size_t error_size);

/* Replaces the file.  `explorer` may be NULL.  On failure returns false and a sentence in `error`. */
bool rh__checkpoint_write(struct rh__kept *file, const char *binding, const struct rh_inner *explorer,
                          const struct rh__queue *q, double seconds, char *error, size_t error_size);
/* Reads the file into an empty queue.  On failure returns false and a sentence in `error` that names the file. */
bool rh__checkpoint_read(struct rh__kept *file, const char *binding, const struct rh_inner *explorer,
                         struct rh__queue *q, double *seconds, char *error, size_t error_size);

#endif
