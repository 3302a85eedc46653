/* The part of the seam (seam.c) about what actors are doing: rh_yield, rh_info. */
/* Private to src/world. */
#ifndef RH_WORLD_SEAM_INFO_H
#define RH_WORLD_SEAM_INFO_H

#include <rehearse.h>

void rh__seam_yield(const char *here);
struct rh_actor_info rh__seam_info(rh_ref who, const char *here);

#endif
