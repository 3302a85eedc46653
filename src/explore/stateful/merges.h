/* How well states merge.
 *
 * Splits: about how many states each actor was seen in.  An actor with many of them makes many states of the world:
 * perhaps addresses or padding are in its state, and RH_STATE_HASH helps.
 *
 * Checks, now and then: whether the states that a fingerprint takes for one behave alike.  A step from a state is kept,
 * with what can be seen behind it: the outcome, or the open choices with the contents of messages.  If the same step is
 * made from a state with the same fingerprint, the same must be seen behind it.  A state hash of the user that leaves
 * something out is found so. */
#ifndef RH_EXPLORE_MERGES_H
#define RH_EXPLORE_MERGES_H

#include <rehearse/explorer.h>

struct rh__splits;
struct rh__splits *rh__splits_new(struct rh_exploration *x);
void rh__splits_clear(struct rh__splits *s);
/* A new state: the actor that moved last is in its present state. */
void rh__splits_note(struct rh__splits *s, const struct rh_world *w);
/* The same, from the actor that made the step, and the hash of its state. */
void rh__splits_add(struct rh__splits *s, uint32_t actor, uint64_t hash);
/* Writes a line for people, that begins with a line break; nothing while there is little to say. */
void rh__splits_text(const struct rh__splits *s, const struct rh_world *w, uint64_t states, uint64_t transitions,
                     char *buffer, size_t size);

struct rh__merges;
struct rh__merges *rh__merges_new(struct rh_exploration *x);
void rh__merges_clear(struct rh__merges *m);
/* The choice is about to be made in this state; then what is there behind it, at the next choice or at the end of the
 * run. */
void rh__merges_before(struct rh__merges *m, const struct rh_world *w, struct rh_fingerprint f,
                       const struct rh_choice *choice);
void rh__merges_after(struct rh__merges *m, const struct rh_world *w, const struct rh_choice *open, uint32_t count);
/* How many steps were compared; a sentence if one differed, else NULL. */
uint64_t rh__merges_compared(const struct rh__merges *m);
const char *rh__merges_wrong(const struct rh__merges *m);

#endif
