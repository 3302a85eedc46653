/* Sets of small numbers, and a table from keys to numbers: what the flow analysis is made of. */
#ifndef RH_TARGET_SETS_H
#define RH_TARGET_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh__set {
    uint32_t *at; /* sorted */
    uint32_t count, room;
};

/* Both return whether the set grew. */
bool rh__set_add(struct rh__set *s, uint32_t x);
bool rh__set_add_all(struct rh__set *s, const struct rh__set *more);
bool rh__set_has(const struct rh__set *s, uint32_t x);
void rh__set_release(struct rh__set *s);

/* Numbers the keys in the order of their first use. */
struct rh__index {
    uint64_t (*keys)[3];
    uint32_t count, room;
    uint32_t *slots; /* hash table of numbers + 1 */
    uint32_t slot_count;
};
uint32_t rh__index_of(struct rh__index *t, uint64_t a, uint64_t b, uint64_t c);
void rh__index_release(struct rh__index *t);

#endif
