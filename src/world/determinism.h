/* Checks whether equal choices give equal runs.
 *
 * A run is recorded and made again from the beginning.  The observable parts are compared: the open choices, the
 * messages sent, and the end of the run.  A difference there is nondeterminism.
 *
 * If bytes of a message differ, that is not always a value: they may be padding, which contains what earlier calls have
 * left on the stack.  So if only bytes differ, the run is made twice more, on stacks that are filled in the same way
 * before each handler.  Padding is then equal; a clock, an address or state that was not restored still differs.  A
 * difference that shows only in the memory of an actor is worth a note.
 *
 * Not detected: a value that differs only in runs that are not compared. */
#ifndef RH_WORLD_DETERMINISM_H
#define RH_WORLD_DETERMINISM_H

#include <rehearse/world.h>

struct rh__seen;

/* Allocates a record for runs of at most `events` events, in memory that outlives this process; NULL if there is not
 * enough. */
struct rh__seen *rh__seen_new(uint32_t events);
void rh__seen_free(struct rh__seen *s);

/* Records the run that the world has made.  `open` has the number of choices before each event.  `ended`: the run was
 * not abandoned.  Returns false if the run is too long. */
bool rh__seen_note(struct rh__seen *s, struct rh_world *w, const uint32_t *open, bool ended);

/* Makes the recorded run again.  Returns RH_OUTCOME_FINISHED, and the world is in the same state as before; or
 * RH_OUTCOME_NONDETERMINISM with the difference, and the run stops there. *steps grows by the number of steps made. */
struct rh_outcome rh__seen_again(struct rh__seen *s, struct rh_world *w, uint64_t *steps);

#endif
