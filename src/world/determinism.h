/* Whether equal choices give equal runs.
 *
 * A run is noted and made again from the beginning.  What can be observed is compared: the choices that are open, the messages
 * that are sent, how the run ends.  A difference there is nondeterminism.
 *
 * Bytes of a message that differ are not always a value that differs: they may be padding, which holds what earlier calls have
 * left on the stack.  So where only bytes differ the run is made twice more, on stacks that are filled in the same way before
 * each handler.  Padding is then the same; a clock, an address or state that was not put back still differs.  What only the
 * memory of an actor shows is worth a note.
 *
 * Not seen: a value that differs in runs that are not compared. */
#ifndef RH_WORLD_DETERMINISM_H
#define RH_WORLD_DETERMINISM_H

#include "world/state.h"

struct rh__seen;

/* Room for runs of at most so many events, in memory that outlives this process; NULL where there is none. */
struct rh__seen *rh__seen_new(uint32_t events);
void rh__seen_free(struct rh__seen *s);

/* Notes the run that the world has made.  `open`: how many choices there were before each event, by its number.  `ended`: it
 * was not broken off.  False where it is too long. */
bool rh__seen_note(struct rh__seen *s, struct rh_world *w, const uint32_t *open, bool ended);

/* Makes the noted run again.  RH_OUTCOME_FINISHED, and the world stands where it stood; or RH_OUTCOME_NONDETERMINISM with what
 * differs, and the run is broken off there.  *steps grows by the work it took, in steps. */
struct rh_outcome rh__seen_again(struct rh__seen *s, struct rh_world *w, uint64_t *steps);

#endif
