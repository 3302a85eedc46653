/* The monitors that the program declares (RH_MONITOR), the first 64, each with a number. */
#ifndef RH_ACTOR_MONITORS_H
#define RH_ACTOR_MONITORS_H

#include <rehearse.h>

enum { RH__MONITORS = 64 };
/* What is known of them, as sets (struct rh_world_options). */
enum { RH__MONITOR_STARTED, RH__MONITOR_TOLD, RH__MONITOR_CUT_HOT, RH__MONITOR_SETS };

/* NULL: there is none with this number. */
const struct rh_actor_type *rh__monitor_declared(uint32_t number);
/* RH__MONITORS: it has no number. */
uint32_t rh__monitor_number(const struct rh_actor_type *type);

#endif
