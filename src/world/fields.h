/* The fields of a message, from the text of its declaration (struct rh_message_type): values as text, text as values,
 * and random values.  For messages that come from outside (outside.h).
 *
 *     deposit { .amount = 50, .owner = client#1, .name = "ab", .list = { 1, 2 } }
 *
 * Numbers, bool, enums, rh_ref and arrays of these are known.  If a message has any other field (a struct, a union, a
 * bit-field, a pointer, a type of the program's own), it is a row of bytes:
 *
 *     deposit bytes 0a00ff00 */
/* Private to src/world. */
#ifndef RH_WORLD_FIELDS_H
#define RH_WORLD_FIELDS_H

#include "base/text.h"
#include "world/state.h"

enum rh__field_kind { RH__FIELD_SIGNED, RH__FIELD_UNSIGNED, RH__FIELD_BOOL, RH__FIELD_REAL, RH__FIELD_REF };

struct rh__field {
    enum rh__field_kind kind;
    const char *name; /* not terminated */
    uint32_t name_size;
    uint32_t offset, size; /* of the first element; size of each */
    uint32_t count;
    bool is_array, is_text; /* is_text: an array of char */
};

enum { RH__MOST_FIELDS = 32 };

struct rh__fields {
    const struct rh_message_type *type;
    bool none;   /* the message has no fields */
    bool opaque; /* a row of bytes */
    uint32_t count;
    struct rh__field at[RH__MOST_FIELDS];
};

/* Reads the declaration.  If it is not understood, or the sizes do not add up to the size of the type, the message is
 * opaque. */
void rh__fields_of(struct rh__fields *f, const struct rh_message_type *type);

/* Appends the value, with the name of its type. */
void rh__fields_write(const struct rh__fields *f, const struct rh_world *w, const void *value, struct rh__text *t);
/* The same for people: without names if there is one field. */
void rh__fields_write_short(const struct rh__fields *f, const struct rh_world *w, const void *value,
                            struct rh__text *t);
/* What values may consist of. */
struct rh__fields_pool {
    const uint32_t *known; /* actors */
    uint32_t known_count;
    const int64_t *numbers; /* drawn beside small numbers and the limits of the types */
    uint32_t number_count;
};

/* Reads such a text.  References must be among those of the pool, or nobody.  Fields that are not named are zero. */
bool rh__fields_read(const struct rh__fields *f, const struct rh_world *w, const char *text,
                     const struct rh__fields_pool *pool, void *value);
void rh__fields_draw(const struct rh__fields *f, const struct rh__fields_pool *pool, uint64_t *random, void *value);

#endif
