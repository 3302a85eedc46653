/* The depot behind the workers' caches, and the slabs behind the depot.  See message.h. */
#include "runtime/message.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { FIRST_SLAB = 64 << 10, LAST_SLAB = 1 << 20 };

struct slab {
    struct slab *next;
    size_t size;
};

/* A batch is a list of RH__BATCH blocks; the `next` of their first blocks links the batches. */
static struct {
    pthread_mutex_t lock;
    struct rh__message *batches[RH__CLASSES];
    size_t slab_size[RH__CLASSES];
    struct slab *slabs;
} depot = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* A thread that needs one of the largest slabs will use all of it: populating its pages at once costs a third of one by
 * one. */
static void *map_slab(size_t size)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (size == LAST_SLAB ? MAP_POPULATE : 0);
    char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static bool refill_fresh(struct rh__cache *cache, int c)
{
    size_t size = depot.slab_size[c] ? depot.slab_size[c] : FIRST_SLAB;
    struct slab *slab = map_slab(size);
    if (!slab)
        return false;
    depot.slab_size[c] = size < LAST_SLAB ? size * 2 : LAST_SLAB;
    slab->size = size;
    slab->next = depot.slabs;
    depot.slabs = slab;
    size_t block = (size_t)64 << c;
    cache->of[c].fresh = (char *)slab + block;
    cache->of[c].fresh_end = (char *)slab + size;
    return true;
}

static struct rh__message *alloc_large(size_t bytes)
{
    struct rh__message *m = malloc(RH__HEADER + bytes);
    if (m)
        m->size_class = RH__CLASS_LARGE;
    return m;
}

struct rh__message *rh__message_refill(struct rh__cache *cache, size_t bytes)
{
    int c = RH__ASAN ? RH__CLASS_LARGE : rh__class_of(bytes);
    if (c >= RH__CLASSES)
        return alloc_large(bytes);
    if (cache->of[c].spare) {
        cache->of[c].loaded = cache->of[c].spare;
        cache->of[c].count = RH__BATCH;
        cache->of[c].spare = NULL;
        return rh__message_alloc(cache, bytes);
    }
    pthread_mutex_lock(&depot.lock);
    struct rh__message *batch = depot.batches[c];
    bool got = true;
    if (batch) {
        depot.batches[c] = atomic_load_explicit(&batch->next, memory_order_relaxed);
        cache->of[c].loaded = batch;
        cache->of[c].count = RH__BATCH;
    } else {
        got = refill_fresh(cache, c);
    }
    pthread_mutex_unlock(&depot.lock);
    return got ? rh__message_alloc(cache, bytes) : NULL;
}

void rh__message_spill(struct rh__cache *cache, struct rh__message *m)
{
    int c = m->size_class;
    if (c == RH__CLASS_LARGE) {
        free(m);
        return;
    }
    struct rh__message *full = cache->of[c].loaded;
    if (!cache->of[c].spare) {
        cache->of[c].spare = full;
    } else {
        pthread_mutex_lock(&depot.lock);
        atomic_store_explicit(&full->next, depot.batches[c], memory_order_relaxed);
        depot.batches[c] = full;
        pthread_mutex_unlock(&depot.lock);
    }
    m->link = NULL;
    cache->of[c].loaded = m;
    cache->of[c].count = 1;
}

void rh__message_release_pools(void)
{
    while (depot.slabs) {
        struct slab *slab = depot.slabs;
        depot.slabs = slab->next;
        munmap(slab, slab->size);
    }
    memset(depot.batches, 0, sizeof depot.batches);
    memset(depot.slab_size, 0, sizeof depot.slab_size);
}
