/* The table of slots: chunks that never move, and a list of free slots.  See table.h. */
#include "runtime/table.h"

#include <pthread.h>
#include <stdlib.h>

#include "runtime/rt_names.h"

_Atomic(struct rh__slot *) rh__chunks[RH__CHUNKS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rh__slot *free_slots;
static uint32_t slots; /* number of slots */
/* The first generation of each chunk: in each runtime above all generations of earlier runtimes, so that an old
 * reference names nobody in this one. */
static uint32_t first_generation[RH__CHUNKS];

/* Whether a free slot has unused generations.  If not, it stays empty, because a reference must never name another
 * actor. */
static bool has_generations(uint32_t generation)
{
    return generation < UINT32_MAX - 2;
}

static struct rh__slot *chunk_make(uint32_t chunk)
{
    struct rh__slot *base = aligned_alloc(64, RH__CHUNK * sizeof *base);
    if (!base)
        return NULL;
    memset(base, 0, RH__CHUNK * sizeof *base);
    for (uint32_t i = 0; i < RH__CHUNK; i++) {
        base[i].index = chunk << RH__CHUNK_BITS | i;
        atomic_store_explicit(&base[i].generation, first_generation[chunk], memory_order_relaxed);
        rh__mailbox_init(&base[i]);
    }
    atomic_store_explicit(&rh__chunks[chunk], base, memory_order_release);
    return base;
}

static struct rh__slot *slot_make(void)
{
    uint32_t chunk = slots >> RH__CHUNK_BITS;
    while (chunk < RH__CHUNKS && !has_generations(first_generation[chunk]))
        slots = ++chunk << RH__CHUNK_BITS;
    if (chunk >= RH__CHUNKS)
        return NULL;
    struct rh__slot *base = atomic_load_explicit(&rh__chunks[chunk], memory_order_relaxed);
    if (!base && !(base = chunk_make(chunk)))
        return NULL;
    return &base[slots++ & (RH__CHUNK - 1)];
}

bool rh__ref_known(rh_ref ref)
{
    struct rh__slot *slot = rh__slot_of(ref);
    uint32_t generation = rh__ref_generation(ref);
    return slot && generation % 2 == 1 && generation <= atomic_load_explicit(&slot->generation, memory_order_acquire);
}

struct rh__slot *rh__slot_new(struct rh__name *name_kept)
{
    pthread_mutex_lock(&lock);
    struct rh__slot *slot = free_slots;
    if (slot)
        free_slots = slot->free_next;
    else
        slot = slot_make();
    struct rh__name *old = NULL;
    if (slot) {
        old = slot->name;
        slot->name = name_kept;
        uint32_t generation = atomic_load_explicit(&slot->generation, memory_order_relaxed);
        atomic_store_explicit(&slot->generation, generation + 1, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    rh__name_drop(old);
    return slot;
}

void rh__slot_free(struct rh__slot *slot)
{
    if (!has_generations(atomic_load_explicit(&slot->generation, memory_order_relaxed)))
        return;
    pthread_mutex_lock(&lock);
    slot->free_next = free_slots;
    free_slots = slot;
    pthread_mutex_unlock(&lock);
}

struct rh__name *rh__slot_name(rh_ref ref)
{
    struct rh__slot *slot = rh__slot_of(ref);
    if (!slot)
        return NULL;
    pthread_mutex_lock(&lock);
    uint32_t now = atomic_load_explicit(&slot->generation, memory_order_relaxed);
    uint32_t wanted = rh__ref_generation(ref);
    struct rh__name *name = now == wanted || now == wanted + 1 ? rh__name_keep(slot->name) : NULL;
    pthread_mutex_unlock(&lock);
    return name;
}

void rh__table_release(void (*each)(struct rh__slot *slot))
{
    for (uint32_t i = 0; i < slots; i++) {
        uint32_t chunk = i >> RH__CHUNK_BITS;
        if (!rh__chunks[chunk])
            continue;
        struct rh__slot *slot = &rh__chunks[chunk][i & (RH__CHUNK - 1)];
        uint32_t generation = atomic_load(&slot->generation);
        if (generation > first_generation[chunk])
            first_generation[chunk] = generation + generation % 2;
        each(slot);
        rh__name_drop(slot->name);
    }
    for (uint32_t c = 0; c < RH__CHUNKS; c++) {
        free(rh__chunks[c]);
        atomic_store(&rh__chunks[c], NULL);
    }
    free_slots = NULL;
    slots = 0;
}
