/* Memory that is used again and again in this process, for as long as it lives. */
#ifndef RH_COVERAGE_SCRATCH_H
#define RH_COVERAGE_SCRATCH_H

#include <stddef.h>

enum { RH__SCRATCH_BLOCKS = 6 };

/* Block number `which`, of so many bytes at least; what was in it may be gone.  NULL where there is no memory. */
void *rh__scratch(size_t which, size_t bytes);

#endif
