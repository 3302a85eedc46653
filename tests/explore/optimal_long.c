/* optimal.c with many more programs, and larger ones. */
#define OPTIMAL_LONG
#include "optimal.c"
