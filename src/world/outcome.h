/* How a run ends: the first thing that goes wrong is what it came to. */
#ifndef RH_WORLD_OUTCOME_H
#define RH_WORLD_OUTCOME_H

#include "world/state.h"

/* Records what went wrong and ends the run; returns. */
__attribute__((format(printf, 5, 6))) void rh__fail(struct rh_world *w, enum rh_outcome_kind kind, uint32_t actor,
                                                    const char *place, const char *format, ...);
/* The same about the actor whose code runs now; its handler is left at once. */
__attribute__((format(printf, 4, 5))) _Noreturn void rh__fail_inside(struct rh_world *w, enum rh_outcome_kind kind,
                                                                     const char *place, const char *format, ...);
/* A misuse of the API, from inside an actor: a finding.  From outside: a sentence on standard error; returns. */
__attribute__((format(printf, 3, 4))) void rh__misuse(struct rh_world *w, const char *place, const char *format, ...);

/* A line in the run's record, from the actor that runs. */
void rh__note(struct rh_world *w, uint32_t actor, const char *text);

/* Looks at a run in which nothing is left to do: stuck, hot, not eventually, or finished. */
void rh__conclude(struct rh_world *w);
/* Looks at a run that was cut: endless, or merely long. */
void rh__conclude_cut(struct rh_world *w);

#endif
