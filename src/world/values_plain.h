/* Values without debug information: references, descriptions of the program (RH_DESCRIBE), bytes. */
/* Private to src/world. */
#ifndef RH_WORLD_VALUES_PLAIN_H
#define RH_WORLD_VALUES_PLAIN_H

#include "base/text.h"
#include "world/run_record.h"

/* "server#2", "nobody", or "no actor (7f)". */
void rh__value_write_reference(const struct rh__run *r, uint64_t id, struct rh__text *to);

/* Appends what the program's description says.  False, and nothing, if it has none of such a struct, or if not all of
 * its bytes were kept. */
bool rh__value_write_described(const struct rh__run *r, const char *type, uint32_t size, const void *bytes,
                               uint32_t kept, struct rh__text *to);

#endif
