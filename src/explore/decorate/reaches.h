/* `reaches FILE:LINE`, the last line of a schedule: whether code of this line has run when the schedule is over.
 *
 * It needs a program that counts its blocks (base/blocks.h): one that was compiled by rehearse-bitcode.  A line has run
 * if a block that has code of the line has run.  `reaches block N` is block N of this build, for `rehearse target`. */
#ifndef RH_EXPLORE_DECORATE_REACHES_H
#define RH_EXPLORE_DECORATE_REACHES_H

#include <stdbool.h>
#include <stddef.h>

/* Marks the blocks of the place; false with a sentence if there are none. */
bool rh__reaches_mark(const char *place, char *error, size_t error_size);
/* Forgets that the marked blocks have run; and whether one of them has, since then. */
void rh__reaches_forget(void);
bool rh__reaches_ran(void);

#endif
