/* See rt_tables.h.
 *
 * A table is created when it is first used and stays until the runtime ends, so the list of tables is read without a
 * lock.  The hash of the key selects one of several shards, each a tree with its own lock; an ordered table has one
 * shard.  The trees are treaps [Aragon and Seidel 1989] whose priorities are the hashes of the keys: balanced for any
 * order of insertion, without random numbers. */
#include "runtime/rt_tables.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/hash.h"
#include "runtime/failure.h"
#include "runtime/runtime.h"

enum { SHARDS = 16 };

struct item {
    struct item *left, *right;
    uint64_t hash;
    char *bytes;
    size_t size;
    char key[];
};

struct shard {
    _Alignas(64) pthread_mutex_t lock;
    struct item *root;
    uint32_t count;
};

struct table {
    struct table *next;
    const struct rh_table *declared;
    uint32_t shards;
    struct shard shard[];
};

static _Atomic(struct table *) tables;
static pthread_mutex_t tables_lock = PTHREAD_MUTEX_INITIALIZER; /* for creating a table */

/* ---- tables and shards ----------------------------------------------------------------------------------------- */

static struct table *table_find(const struct rh_table *declared)
{
    struct table *t = atomic_load_explicit(&tables, memory_order_acquire);
    while (t && t->declared != declared && strcmp(t->declared->name, declared->name) != 0)
        t = t->next;
    return t;
}

static struct table *table_make(const struct rh_table *declared)
{
    pthread_mutex_lock(&tables_lock);
    struct table *t = table_find(declared);
    if (!t) {
        uint32_t shards = declared->ordered ? 1 : SHARDS;
        t = aligned_alloc(64, (sizeof *t + shards * sizeof t->shard[0] + 63) & ~(size_t)63);
        if (!t)
            rh__out_of_memory();
        t->declared = declared;
        t->shards = shards;
        for (uint32_t i = 0; i < shards; i++) {
            pthread_mutex_init(&t->shard[i].lock, NULL);
            t->shard[i].root = NULL;
            t->shard[i].count = 0;
        }
        t->next = atomic_load_explicit(&tables, memory_order_relaxed);
        atomic_store_explicit(&tables, t, memory_order_release);
    }
    pthread_mutex_unlock(&tables_lock);
    return t;
}

static uint64_t hash_of(const char *key)
{
    return rh__hash(key, strlen(key), 0);
}

/* Locks and returns the shard of a key. */
static struct shard *shard_lock(const struct rh_table *declared, uint64_t hash)
{
    struct table *t = table_find(declared);
    if (!t)
        t = table_make(declared);
    struct shard *shard = &t->shard[hash % t->shards];
    pthread_mutex_lock(&shard->lock);
    return shard;
}

/* ---- the tree -------------------------------------------------------------------------------------------------- */

static struct item *find(const struct shard *shard, const char *key)
{
    struct item *item = shard->root;
    for (int order; item && (order = strcmp(key, item->key)) != 0;)
        item = order < 0 ? item->left : item->right;
    return item;
}

static void insert(struct shard *shard, struct item *new)
{
    struct item **at = &shard->root;
    while (*at && (*at)->hash > new->hash)
        at = strcmp(new->key, (*at)->key) < 0 ? &(*at)->left : &(*at)->right;
    struct item **left = &new->left, **right = &new->right;
    for (struct item *rest = *at; rest;)
        if (strcmp(rest->key, new->key) < 0) {
            *left = rest;
            left = &rest->right;
            rest = rest->right;
        } else {
            *right = rest;
            right = &rest->left;
            rest = rest->left;
        }
    *left = *right = NULL;
    *at = new;
    shard->count++;
}

static void item_free(struct item *item)
{
    free(item->bytes);
    free(item);
}

static void unlink_item(struct shard *shard, struct item *old)
{
    struct item **at = &shard->root;
    while (*at != old)
        at = strcmp(old->key, (*at)->key) < 0 ? &(*at)->left : &(*at)->right;
    struct item *left = old->left, *right = old->right;
    while (left && right)
        if (left->hash > right->hash) {
            *at = left;
            at = &left->right;
            left = left->right;
        } else {
            *at = right;
            at = &right->left;
            right = right->left;
        }
    *at = left ? left : right;
    shard->count--;
}

static struct item *item_new(const char *key, uint64_t hash)
{
    size_t size = strlen(key) + 1;
    struct item *item = rh__need(sizeof *item + size);
    *item = (struct item){ .hash = hash };
    memcpy(item->key, key, size);
    return item;
}

static void set(struct shard *shard, struct item *item, const char *key, uint64_t hash, const void *bytes, size_t size)
{
    if (!item) {
        item = item_new(key, hash);
        insert(shard, item);
    }
    if (item->size != size || !item->bytes) {
        item->bytes = rh__need_more(item->bytes, size);
        item->size = size;
    }
    if (size)
        memcpy(item->bytes, bytes, size);
}

/* ---- what the seam calls --------------------------------------------------------------------------------------- */

static bool holds(const struct rh_table_change *change, const struct item *item)
{
    switch (change->when) {
    case RH_WHEN_ABSENT:
        return !item;
    case RH_WHEN_EQUAL:
        return item && item->size == change->expected_size &&
               (!item->size || memcmp(item->bytes, change->expected, item->size) == 0);
    default:
        return true;
    }
}

bool rh__tables_change(const struct rh_table *table, const struct rh_table_change *change)
{
    uint64_t hash = hash_of(change->key);
    struct shard *shard = shard_lock(table, hash);
    struct item *item = find(shard, change->key), *gone = NULL;
    bool there = item != NULL, make = holds(change, item);
    if (make && change->bytes) {
        set(shard, item, change->key, hash, change->bytes, change->size);
    } else if (make && item) {
        unlink_item(shard, item);
        gone = item;
    }
    pthread_mutex_unlock(&shard->lock);
    if (gone)
        item_free(gone);
    return change->when == RH_WHEN_ANY ? there : make;
}

int64_t rh__tables_get(const struct rh_table *table, const char *key, void *buffer, size_t capacity)
{
    struct shard *shard = shard_lock(table, hash_of(key));
    const struct item *item = find(shard, key);
    int64_t size = item ? (int64_t)item->size : -1;
    if (item && item->size && capacity)
        memcpy(buffer, item->bytes, item->size < capacity ? item->size : capacity);
    pthread_mutex_unlock(&shard->lock);
    return size;
}

bool rh__tables_add(const struct rh_table *table, const char *key, int64_t delta, int64_t *sum, size_t *size)
{
    uint64_t hash = hash_of(key);
    struct shard *shard = shard_lock(table, hash);
    struct item *item = find(shard, key);
    bool counter = !item || item->size == sizeof *sum;
    *size = item ? item->size : 0;
    *sum = 0;
    if (counter) {
        if (item)
            memcpy(sum, item->bytes, sizeof *sum);
        *sum = (int64_t)((uint64_t)*sum + (uint64_t)delta);
        set(shard, item, key, hash, sum, sizeof *sum);
    }
    pthread_mutex_unlock(&shard->lock);
    return counter;
}

uint32_t rh__tables_count(const struct rh_table *table)
{
    struct shard *shard = shard_lock(table, 0);
    uint32_t count = shard->count;
    pthread_mutex_unlock(&shard->lock);
    return count;
}

size_t rh__tables_next(const struct rh_table *table, const char *previous, char *key, size_t capacity)
{
    struct shard *shard = shard_lock(table, 0);
    const struct item *next = NULL;
    for (const struct item *item = shard->root; item;)
        if (strcmp(item->key, previous) > 0) {
            next = item;
            item = item->left;
        } else {
            item = item->right;
        }
    size_t size = next ? strlen(next->key) + 1 : 0;
    if (size && size <= capacity)
        memcpy(key, next->key, size);
    pthread_mutex_unlock(&shard->lock);
    return size;
}

void rh__tables_release(void)
{
    struct table *t = atomic_exchange(&tables, NULL);
    while (t) {
        struct table *next = t->next;
        for (uint32_t i = 0; i < t->shards; i++) {
            struct shard *shard = &t->shard[i];
            for (struct item *item; (item = shard->root);) {
                unlink_item(shard, item);
                item_free(item);
            }
            pthread_mutex_destroy(&shard->lock);
        }
        free(t);
        t = next;
    }
}
