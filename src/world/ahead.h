/* Ahead of the world: states behind foretold steps, without the world.
 *
 * Where all that can happen is that actors take messages, and the effects of these steps are known (foretell.h), the
 * next state follows from the effects: the hash of one actor, and the messages in a few channels.  So a search goes on
 * from state to state without making a step, and the world follows only where a step is not foretold, or nothing is
 * left to do.
 *
 * A state is simple, and can be the beginning, if all of this holds; no other state is left behind a simple one:
 *     the world      model fifo or mailbox, granularity handler, no faults; steps can be foretold
 *     its choices    the first message of each channel that has one, and nothing else
 *     receivers      actors between handlers that defer nothing
 *     messages       sent by the program, no requests, no replies, nothing that a receiver may defer
 *     timers         none are set
 *
 * Positions are a stack: rh__ahead_begin and each rh__ahead_step put one on it, which rh__ahead_back takes off. */
#ifndef RH_WORLD_AHEAD_H
#define RH_WORLD_AHEAD_H

#include "world/foretell.h"

struct rh__ahead;

/* Bytes that it needs, of memory that is zero at first and survives the process. */
size_t rh__ahead_size(void);
/* Forgets all positions. */
void rh__ahead_clear(struct rh__ahead *a);

/* The state of the world, in which these choices are open, becomes the position; false if it is not simple. */
bool rh__ahead_begin(struct rh__ahead *a, const struct rh_world *w, const struct rh_choice *open, uint32_t count);
/* The fingerprints behind the choices of the position, in the order of the world's list: as rh__foretell. */
void rh__ahead_foretell(struct rh__ahead *a, struct rh__foretelling *f, struct rh_fingerprint *told);
/* After rh__ahead_foretell in the same position, as rh__foretold_enough: under mailbox an actor has one choice. */
uint32_t rh__ahead_enough(const struct rh__ahead *a);
/* Goes to the state behind a choice.  Returns the number of choices there; 0, and does not go, if the effect is not
 * known, or the state is not simple, or nothing is left to do there. */
uint32_t rh__ahead_step(struct rh__ahead *a, struct rh__foretelling *f, uint32_t pick);
void rh__ahead_back(struct rh__ahead *a);

/* The receiver of a choice of the position. */
uint32_t rh__ahead_receiver(const struct rh__ahead *a, uint32_t pick);
/* The actor that made the last step, and the hash of its state. */
uint32_t rh__ahead_actor(const struct rh__ahead *a, uint64_t *hash);

#endif
