/* optimal.c with twenty times as many programs. */
#define REFERENCE_LONG
#include "optimal.c"
