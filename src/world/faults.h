/* Faults: a row for each kind of choice that is a fault (RH_IS_FAULT). */
/* Private to src/world. */
#ifndef RH_WORLD_FAULTS_H
#define RH_WORLD_FAULTS_H

#include "world/state.h"

/* X(NAME, possible, offer, open, apply, hash), in the order in which faults are offered.  A kind of choice without a
 * row does not compile, and neither does a row without one of its parts.  The functions are in faults.c:
 *
 *     possible   a condition on `w` that is cheap to check: what the fault spends is left
 *     offer      adds the possible choices of this kind to the list
 *     open       decides whether one choice is enabled; `is_offered` searches the list
 *     apply      does it; the budget has been spent
 *     hash       hashes what `apply` changes in fields of its own; `no_state`: it changes only actors, messages, stores
 *                and budgets, which have their hashes (fingerprint.c) */
#define RH__FAULTS(X)                                                                                                  \
    X(DELAY, w->left.delays, offer_delays, is_offered, delay, hash_holds)                                              \
    X(SLOW, w->left.delays, offer_slow_actors, is_offered, slow_down, no_state) /* in hash_holds */                    \
    X(LOSE, w->left.losses, offer_losses, loss_open, lose, no_state)                                                   \
    X(DUPLICATE, w->left.duplicates, offer_duplicates, duplicate_open, duplicate, no_state)                            \
    X(RESTART, w->left.restarts || w->left.kept_restarts, offer_restarts, is_offered, restart, no_state)               \
    X(CRASH, w->left.crashes, offer_crashes, is_offered, crash, no_state)                                              \
    X(UNSTORED, w->left.failed_puts, offer_failed_puts, is_offered, fail_put, no_state)                                \
    X(PARTITION, w->left.partitions, offer_partitions, is_offered, partition, hash_cut)                                \
    X(HEAL, w->cut, offer_healing, is_offered, heal, no_state) /* in hash_cut */                                       \
    X(OUTSIDE, w->left.outside && w->opening_count, offer_outside, is_offered, rh__outside_send, rh__outside_hash)

/* The labels of a switch that treats all faults alike. */
#define RH__FAULT_CASE(name, possible, offer, open, apply, hash) case RH_CHOICE_##name:
#define RH__FAULT_CASES                                          RH__FAULTS(RH__FAULT_CASE)

/* Adds the faults that are possible now to the list of choices, which has all other choices. */
void rh__faults_offer(struct rh_world *w);
/* Adds the choices of an actor at a crash point (crash_points.h). */
void rh__point_offer(struct rh_world *w, uint32_t actor);
/* True if the fault is enabled now. */
bool rh__fault_open(struct rh_world *w, const struct rh_choice *c);
/* Spends the fault from its budget; and makes it happen. */
void rh__fault_spend(struct rh_world *w, const struct rh_choice *c);
void rh__fault_apply(struct rh_world *w, const struct rh_choice *c);
/* True if a loss or a duplication may still befall the message, within the budgets. */
bool rh__message_may_befall(const struct rh_world *w, uint32_t message);
/* For how many events a delay still holds the message back. */
uint32_t rh__message_held_for(const struct rh_world *w, uint32_t message);
/* Hashes the budgets that are left and the state that faults add to a world. */
struct rh__wide rh__faults_hash(const struct rh_world *w);

/* True if a delay holds a choice back now.  Then rh__leave_out_held removes the held choices from the list. */
static inline bool rh__holds_any(const struct rh_world *w)
{
    return w->event_count < w->held_until;
}
void rh__leave_out_held(struct rh_world *w);

#endif
