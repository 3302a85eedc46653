/* The numbers that occur in a program's code, for values that are drawn: what it compares with, first. */
#ifndef RH_TARGET_CONSTANTS_H
#define RH_TARGET_CONSTANTS_H

#include "target/bitcode_program.h"

/* Writes at most `most` different numbers: those in comparisons and their neighbours, other constants, and differences
 * of the two (a sum that is compared has parts).  Returns how many. */
uint32_t rh__constants_of(const struct rh__program *p, int64_t *numbers, uint32_t most);

#endif
