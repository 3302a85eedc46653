/* Histories of clients (RH_HISTORY): the operations of a run, and their check at its end.
 *
 * A call and a return are operations on a shared object: of one key if the history must be linearizable, because then
 * it matters which operation returned before which was called.  A return changes the object, a call only looks at it:
 * the order of two calls between which nothing returned does not matter.  (The order of two returns does not matter
 * either, but changes of an object are always ordered: some distinct runs have the same history.)  If only sequential
 * consistency is asked for, just the order of the calls and returns of one client matters: the object is the client's.
 *
 * See objects.h. */
/* Private to src/world. */
#ifndef RH_WORLD_HISTORY_H
#define RH_WORLD_HISTORY_H

#include <rehearse/seam.h>

#include "world/state.h"

uint64_t rh__seam_history_call(const struct rh_history *history, const char *key, const struct rh_message_type *type,
                               const void *value, const char *here);
void rh__seam_history_return(const struct rh_history *history, uint64_t call, const struct rh_message_type *type,
                             const void *value, const char *here);

/* Checks the histories of the run so far.  True if one is not explained: then the outcome says so. */
bool rh__histories_fail(struct rh_world *w);
/* Part of the fingerprint: what the end of the run will be told. */
struct rh__wide rh__histories_hash(const struct rh_world *w);
/* Memory of the check; false: there is not enough. */
bool rh__histories_reserve(void);
void rh__histories_release(void);

#endif
