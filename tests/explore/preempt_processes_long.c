/* tests/explore/preempt_processes.c over many more programs. */
#define PREEMPT_LONG
#include "preempt_processes.c"
