/* The monitors that the program declares (RH_MONITOR), the first 64, each with a number. */
#ifndef RH_ACTOR_MONITORS_H
#define RH_ACTOR_MONITORS_H

#include <rehearse.h>

enum { RH__MONITORS = 64 };

/* NULL: there is none with this number. */
const struct rh_actor_type *rh__monitor_declared(uint32_t number);
/* RH__MONITORS: it has no number. */
uint32_t rh__monitor_number(const struct rh_actor_type *type);

#endif
