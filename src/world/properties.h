/* Properties (rh_always, rh_sometimes, rh_eventually): their evaluations, and what a run has seen of each. */
#ifndef RH_WORLD_PROPERTIES_H
#define RH_WORLD_PROPERTIES_H

#include <rehearse/seam.h>

struct rh_world;

/* For the seam. */
void rh__seam_property(enum rh_property kind, const char *name, bool holds, const char *here);

/* The run that the world holds counts, for each property, as one in which it held, did not, both or neither; of `eventually`
 * the last evaluation decides. */
void rh__properties_count(struct rh_world *w);

#endif
