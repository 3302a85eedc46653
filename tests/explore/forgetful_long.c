/* forgetful.c with many more programs, and larger ones. */
#define FORGETFUL_LONG
#include "forgetful.c"
