/* The world between two steps, as lines of text behind a schedule: for `rehearse target`, which searches from there.
 *
 *     # world E                             after E choices
 *     # outside LEFT NUMBER                 so many messages may still come from outside; the next one's number
 *     # actor I STATUS TYPE BEHAVIOUR STATE NAME      STATUS: idle, new (it has not taken rh_start), inside (its code
 *                                           waits), gone, outside; STATE: bytes in hexadecimal; `-` for none
 *     # message TAKEN TYPE FROM TO SIZE VALUE TAIL    of every message of the run; SIZE: that of its tail; VALUE, and
 *                                           a TAIL that is short, only if TAKEN is 0
 *     # timer ACTOR TYPE VALUE NAME         it may fire now
 *     # opening ACTOR TYPE BLOCK            rh_open; BLOCK: the first one of its predicate, `-` for none
 *     # end of world */
#ifndef RH_EXPLORE_DECORATE_WORLDS_H
#define RH_EXPLORE_DECORATE_WORLDS_H

#include <stdio.h>

#include "world/live.h"

enum { RH__WORLDS_STATE = 65536, RH__WORLDS_ACTORS = 400, RH__WORLDS_MESSAGES = 2000, RH__WORLDS_TAIL = 256 };

/* Whether the world is small enough to be written. */
bool rh__worlds_fits(const struct rh_world *w);
void rh__worlds_write(const struct rh_world *w, const struct rh_choice *open, uint32_t count, FILE *to);

#endif
