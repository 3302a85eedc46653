/* The world before there is a world: every call reports, with its place, that it came too early, and does nothing. */
#ifndef RH_ACTOR_NOWHERE_H
#define RH_ACTOR_NOWHERE_H

#include <rehearse/seam.h>

extern const struct rh_seam rh__nowhere;

#endif
