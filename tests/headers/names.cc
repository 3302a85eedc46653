/* The same names in C++. */
#include "names.c"
