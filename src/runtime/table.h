/* References and the slots that they name.
 *
 * A reference has the number of a slot, plus one, in its low half and a generation in its high half.  Odd generations
 * are tenants of the slot; generation 0 is for external senders, which have a number but no slot. */
#ifndef RH_RUNTIME_TABLE_H
#define RH_RUNTIME_TABLE_H

#include "runtime/mailbox.h"

enum { RH__CHUNK_BITS = 10, RH__CHUNK = 1 << RH__CHUNK_BITS, RH__CHUNKS = 1 << 14 };

extern _Atomic(struct rh__slot *) rh__chunks[RH__CHUNKS];

static inline uint32_t rh__ref_generation(rh_ref ref)
{
    return (uint32_t)(ref.id >> 32);
}

static inline rh_ref rh__ref_make(uint32_t index, uint32_t generation)
{
    return (rh_ref){ (uint64_t)generation << 32 | (index + 1) };
}

/* The slot that the reference names, whichever actor lives there now; NULL for a value that was never a reference to an
 * actor. */
static inline struct rh__slot *rh__slot_of(rh_ref ref)
{
    uint32_t index = (uint32_t)ref.id - 1;
    if (__builtin_expect(index >> RH__CHUNK_BITS >= RH__CHUNKS, 0))
        return NULL;
    struct rh__slot *chunk = atomic_load_explicit(&rh__chunks[index >> RH__CHUNK_BITS], memory_order_acquire);
    return chunk ? &chunk[index & (RH__CHUNK - 1)] : NULL;
}

/* Whether the actor that the reference names lives in the slot; never for an even generation, such as that of an
 * external sender. */
static inline bool rh__slot_has(const struct rh__slot *slot, rh_ref ref)
{
    uint32_t generation = rh__ref_generation(ref);
    return generation % 2 == 1 && atomic_load_explicit(&slot->generation, memory_order_acquire) == generation;
}

/* Whether the reference can have been issued: not nobody, not external, a current or past generation. */
bool rh__ref_known(rh_ref ref);
static inline bool rh__ref_external(rh_ref ref)
{
    return ref.id != 0 && rh__ref_generation(ref) == 0;
}

/* A free slot with a new, odd generation and this name (kept); NULL if there are too many slots. */
struct rh__slot *rh__slot_new(struct rh__name *name_kept);
/* The tenant has ended; its generation is already even. */
void rh__slot_free(struct rh__slot *slot);

/* The name of the tenant that the reference names, with a reference count; NULL if another tenant lives there now. */
struct rh__name *rh__slot_name(rh_ref ref);

/* Calls the function for each slot, then frees the slots.  For the end of the runtime. */
void rh__table_release(void (*each)(struct rh__slot *slot));

#endif
