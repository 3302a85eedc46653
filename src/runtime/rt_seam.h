/* The production world, as a struct of functions. */
#ifndef RH_RUNTIME_SEAM_H
#define RH_RUNTIME_SEAM_H

#include <rehearse/seam.h>

extern const struct rh_seam rh__runtime_seam;

#endif
