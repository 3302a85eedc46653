/* Foretold fingerprints: the fingerprint of the state that a step leads to, without the step.
 *
 * What a handler makes of its actor, and what it sends, is a function of the actor's state, its timers and the message,
 * as long as the handler looks at nothing else.  So the effect of a step is kept: the hash of the actor afterwards, the
 * hashes of the messages that it sends, the change of its timers.  When the same handler would run again in an equal
 * actor with an equal message, the fingerprint follows from that and from the hashes of the components (fingerprint.h).
 *
 * A step is foretold only if all of this holds; every other step has to be made:
 *     the step       a delivery, or a timer, with granularity handler; its handler began in an idle actor without
 *                    a store, and returned; it has not spawned, ended, failed, or chosen
 *     what it saw    nothing but its actor and message: the world counts every look at something else (struct
 *                    world_footprint).  Global variables, names and budgets of faults are part of the key of an effect.
 *                    With an announcement, the states of all monitors are, too
 *     what it did    every hash of a component that has changed is one of those above: this is compared when the effect
 *                    is learnt
 *     the others     each receiver lives; no limit is near
 *     the world      no clock that was read, no sets, no causal order, no quiet phase or temperature, no delays that
 *                    hold something back */
#ifndef RH_WORLD_FORETELL_H
#define RH_WORLD_FORETELL_H

#include <rehearse/world.h>

struct rh__foretelling;

/* Bytes that it needs, of memory that is zero at first and survives the process. */
size_t rh__foretelling_size(void);
/* Forgets all effects. */
void rh__foretelling_clear(struct rh__foretelling *f);

/* In a state, with choices that are open: the fingerprint of the state behind each choice; zero where it is not
 * known. */
void rh__foretell(struct rh__foretelling *f, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                  struct rh_fingerprint *told);

/* A choice that is enough alone, RH_NONE for none; after rh__foretell in the same state.  RH_NONE also if
 * some open choice is not among these.
 *
 * Model mailbox: the actor has no other choice and no timer, and its handler does nothing but change its own memory.
 * Whatever others do before, the actor takes the same message and does the same with it, and nobody notices when: the
 * step commutes with all others until it is made (a persistent set of one).  No cycle consists of such steps, since
 * each leaves one message less under way.  Faults that befall messages, and actors that share global variables or send
 * exit signals, which overtake messages, could notice: see rh__is_enough_spoilt. */
uint32_t rh__foretold_enough(const struct rh__foretelling *f, const struct rh_world *w, const struct rh_choice *open,
                             uint32_t count);
/* True if this program has exit signals, or writes global variables: what rh__foretold_enough has answered before
 * does not hold. */
bool rh__is_enough_spoilt(const struct rh_world *w);

/* A run begins: no choice is about to be made. */
void rh__foretell_nothing(struct rh__foretelling *f);
/* The choice is about to be made. */
void rh__foretell_before(struct rh__foretelling *f, const struct rh_world *w, const struct rh_choice *choice);
/* It was made, the run goes on or has ended well: learns its effect. */
void rh__foretell_after(struct rh__foretelling *f, const struct rh_world *w);

#endif
