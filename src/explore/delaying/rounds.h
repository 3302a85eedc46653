/* The delaying explorers of the tool.  Private to src/explore/delaying. */
#ifndef RH_EXPLORE_ROUNDS_H
#define RH_EXPLORE_ROUNDS_H

#include <rehearse/delaying.h>

extern const struct rh_delaying rh__delaying_rtc, rh__delaying_rr, rh__delaying_prr;

#endif
