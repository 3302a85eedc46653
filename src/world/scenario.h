/* Scenarios (RH_SCENARIO): the body of the test says what is taken next.
 *
 * The body demands a step and stops.  While there is a demand, only what it asks for is enabled; afterwards what
 * belongs to that step (a handler that was preempted, writes that become durable), and then the body goes on.  So every
 * explorer sees a world in which there is little to choose. */
/* Private to src/world. */
#ifndef RH_WORLD_SCENARIO_H
#define RH_WORLD_SCENARIO_H

#include <rehearse/seam.h>

#include "world/state.h"

enum rh__demand {
    RH__DEMANDS_NOTHING,
    RH__DEMANDS_MESSAGE, /* one like w->demanded is taken */
    RH__DEMANDS_REST,    /* the step is completed */
    RH__DEMANDS_TIME,    /* timers fire until the body wakes */
};

/* A message, by its type, sender and receiver; RH_NONE: anybody. */
struct rh__demanded {
    const struct rh_message_type *type;
    uint32_t from, to;
};

/* Leaves in the table of choices what the demand allows. */
void rh__demand_narrow(struct rh_world *w);
/* At the end of a step: what it means for the demand. */
void rh__demand_step(struct rh_world *w, const struct rh_event *event);

const void *rh__seam_wanted(int wanted, const struct rh_message_type *type, rh_ref from, rh_ref to, const char *here);
void rh__seam_advance_time(int64_t ms, const char *here);
const void *rh__seam_state_of(const struct rh_actor_type *type, rh_ref who, const char *here);

#endif
