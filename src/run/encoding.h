/* The encoding that encode.c and decode.c share.  Private to src/run. */
#ifndef RH_RUN_ENCODING_H
#define RH_RUN_ENCODING_H

#include "run/run.h"

/* Types of the world.  Readers of a run compare the addresses of these types, so a decoded run uses the same
 * addresses. */
static const struct rh_message_type *const rh__world_types[] = { &rh__exit_signal, &rh__wake, &rh_message_rh_start,
                                                                 &rh_message_rh_down };
enum { RH__WORLD_TYPES = sizeof rh__world_types / sizeof *rh__world_types };

enum { RH__RUN_CLOCK_USED = 1, RH__RUN_OWN_CLOCKS = 2, RH__RUN_OVER = 4 };

/* True if a nonzero argument of such a choice is a text. */
static inline bool rh__has_text(uint32_t kind)
{
    return kind == RH_CHOICE_TIMER || kind == RH_CHOICE_RESUME || kind == RH_CHOICE_OUTSIDE;
}

/* True if the choice is about a message. */
static inline bool rh__has_message(uint32_t kind)
{
    return rh_choice_attributes(kind) & RH_ABOUT_MESSAGE;
}

#endif
