/* How a run ends: its first failure is its outcome. */
/* Private to src/world. */
#ifndef RH_WORLD_OUTCOME_H
#define RH_WORLD_OUTCOME_H

#include "world/state.h"

/* Records a failure and ends the run; returns. */
__attribute__((format(printf, 5, 6))) void rh__fail(struct rh_world *w, enum rh_outcome_kind kind, uint32_t actor,
                                                    const char *place, const char *format, ...);
/* The same for the running actor; leaves its handler at once. */
__attribute__((format(printf, 4, 5))) _Noreturn void rh__fail_inside(struct rh_world *w, enum rh_outcome_kind kind,
                                                                     const char *place, const char *format, ...);
/* A misuse of the API: inside an actor a finding; outside, a sentence on standard error, and the call returns. */
__attribute__((format(printf, 3, 4))) void rh__misuse(struct rh_world *w, const char *place, const char *format, ...);

/* Adds a line of the running actor to the run's record. */
void rh__note(struct rh_world *w, uint32_t actor, const char *text);

/* True of a dead letter, and of a message that is one if its receiver ends now.  A dead letter is a message of the
 * program that no fault has lost, and that its receiver never took, because it has ended.  Replies are no dead letters:
 * the asker may have given up.  Nor are messages of an actor to itself, or second copies. */
bool rh__message_may_die(const struct rh_world *w, uint32_t message);

/* Judges a run in which no choice is left: stuck, in a hot behaviour, a property that does not hold, or finished. */
void rh__conclude(struct rh_world *w);
/* Judges a run that was cut: endless, or only long. */
void rh__conclude_cut(struct rh_world *w);

/* Whether the test lets such a message of this sender remain at the end (may_remain, may_remain_from). */
bool rh__may_remain(const struct rh_world *w, const struct rh_message_type *type, uint32_t sender);

#endif
