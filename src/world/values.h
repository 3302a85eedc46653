/* The bytes of a struct as text, by the debug information of the program:
 *
 *     term=3, from=server#2, kind=VOTE_YES, entries=[(term=1, op=7), (term=2, op=8)], name="a"
 *
 * Numbers, bool, characters, enums (one name, or several joined by |), arrays, nested structs, bit-fields, strings and
 * references to actors.  Of a union the largest member is shown.  A pointer is NULL or "pointer": its address says
 * nothing.  At the end of an array a value that is repeated is shown once, with its number: [4, 0 x 15].  A struct that
 * the program describes (RH_DESCRIBE) is shown by that. */
#ifndef RH_WORLD_VALUES_H
#define RH_WORLD_VALUES_H

#include "base/text.h"
#include "world/run_record.h"

/* Appends the fields of `struct type`, which has `size` bytes, of which the first `kept` are at `bytes`; what lies
 * beyond is "?".  Returns false, and appends nothing, if there is no debug information about such a struct. */
bool rh__value_write(const struct rh__run *r, const char *type, uint32_t size, const void *bytes, uint32_t kept,
                     struct rh__text *to);

/* Appends the parts of a struct that differ, as they are afterwards: "balance=150, votes[2]=true, conf.epoch=3".
 * Returns false, and appends nothing, if there is no debug information about such a struct. */
bool rh__value_write_changes(const struct rh__run *r, const char *type, uint32_t size, const void *before,
                             const void *after, struct rh__text *to);

/* Without debug information: "8 bytes: 03 00 00 00 2a 00 00 00", and "bytes 4 to 5: 2a 01, byte 9: 07". */
void rh__value_write_bytes(uint32_t size, const void *bytes, uint32_t kept, struct rh__text *to);
void rh__value_write_byte_changes(uint32_t size, const void *before, const void *after, struct rh__text *to);

/* Whether something is known about such a struct, by a description or by debug information. */
bool rh__value_is_known(const char *type, uint32_t size);

#endif
