/* Thousands of programs. */
#define COUNT 4000
#define RUNS  60
#include "conformance/generated.c"
