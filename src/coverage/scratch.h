/* Memory that is reused for the lifetime of this process. */
#ifndef RH_COVERAGE_SCRATCH_H
#define RH_COVERAGE_SCRATCH_H

#include <stddef.h>

enum { RH__SCRATCH_BLOCKS = 6 };

/* Block number `which`, of at least `bytes` bytes; its old contents may be lost.  NULL if there is not enough
 * memory. */
void *rh__scratch(size_t which, size_t bytes);

#endif
