/* Properties (rh_always, rh_sometimes, rh_eventually): their evaluations, and what a run has seen of each. */
/* Private to src/world. */
#ifndef RH_WORLD_PROPERTIES_H
#define RH_WORLD_PROPERTIES_H

#include <rehearse/seam.h>

/* For the seam. */
void rh__seam_property(enum rh_property kind, const char *name, bool holds, const char *here);

#endif
