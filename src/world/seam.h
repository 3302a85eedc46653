/* The controlled world's side of the seam. */
#ifndef RH_WORLD_SEAM_H
#define RH_WORLD_SEAM_H

#include <rehearse/seam.h>

extern const struct rh_seam rh__controlled_seam;

#endif
