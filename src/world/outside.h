/* Messages from outside (rh_open): anybody outside may send such a message to this actor, with any value that a test
 * allows.
 *
 * A message from outside is a choice (RH_CHOICE_OUTSIDE), at most `outside` of them in a run.  The number of values is
 * too large to offer them all, so the world draws some, from the seed: for each opening and for each of the sends that
 * a run may have, outside_values of them.  They are drawn when the test's body calls rh_open, and are the same in every
 * run; which of them are sent, when and in which order is explored.  A schedule has the values as text, and a replay
 * offers those of its schedule in addition (rh__world_give), so that a schedule may have any values.
 *
 * The n-th message of a run comes from the external sender `outside n`: messages from outside have no order.  The
 * outside knows the actors that were opened, nobody else (locality). */
/* Private to src/world. */
#ifndef RH_WORLD_OUTSIDE_H
#define RH_WORLD_OUTSIDE_H

#include "world/state.h"

/* `what` of such a choice: the number of the send, from 0, the opening, and the index of the value. */
enum { OUTSIDE_VALUE_BITS = 14, OUTSIDE_OPENING_BITS = 6 };

/* rh_open, by the body of the test. */
void rh__outside_open(struct rh_world *w, uint32_t actor, const struct rh_message_type *type, rh_when_fn *when,
                      const char *here);
void rh__outside_release(struct rh_world *w);

/* For the table of faults (faults.h). */
void rh__outside_offer(struct rh_world *w);
void rh__outside_send(struct rh_world *w, const struct rh_choice *c);
struct rh__wide rh__outside_hash(const struct rh_world *w);

#endif
