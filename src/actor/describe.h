/* The descriptions that a program declares (RH_DESCRIBE): how a message, a state or any other struct is shown. */
#ifndef RH_ACTOR_DESCRIBE_H
#define RH_ACTOR_DESCRIBE_H

#include <rehearse.h>

/* The description of `struct type` of that size; NULL: there is none.  Of several, the one declared last. */
const struct rh_description *rh__description_of(const char *type, uint32_t size);

/* What rh_name answers while a description is written. */
typedef const char *rh__namer_fn(void *arg, rh_ref who);

/* Writes the bytes of such a struct into the buffer, whose size is at least 1.  The bytes may lie anywhere: the program
 * sees an aligned copy.  False, and an empty text: memory is short. */
bool rh__description_write(const struct rh_description *d, const void *bytes, rh__namer_fn *name, void *arg, char *text,
                           size_t size);

/* The name that the description now being written gets from rh_name; NULL: none is being written. */
const char *rh__description_name(rh_ref who);

#endif
