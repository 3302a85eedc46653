/* A set of fingerprints in shared memory (rehearse/visited.h).
 *
 * The hash of a fingerprint selects a shard: a dense table (dense.h) with its own lock and its own growth, so no
 * insertion waits for the whole set.  Of a fingerprint of 128 bits a table keeps KEPT_BYTES: with them, a state takes
 * less than 16 bytes.  The probability of a collision counts the bits that are kept.
 *
 * A process may be killed at any point.  The lock names its owner: another process takes over the lock of a dead owner,
 * and repairs the table. */
#include <rehearse/visited.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "explore/dense.h"
#include "explore/explorers.h"
#include "world/live.h"

enum { SHARDS = 16, SHARD_BITS = 4, KEPT_BYTES = 12, LEAST_BYTES = 64, PAGE = 4096, SPINS = 200 };
static const size_t usual_bytes = (size_t)1 << 30;

struct shard {
    _Atomic pid_t owner; /* process that holds the lock; 0: none */
    uint64_t hits;
    struct rh__dense table;
};

struct rh_visited {
    uint32_t width; /* bytes that are kept of a fingerprint; 0: bit-state */
    size_t shard_bytes;
    uint32_t fingerprint_bits, marks;
    uint64_t mark_bits; /* bit-state: size of the array in bits, a power of two */
    _Atomic uint64_t *array, ones, mark_states, mark_hits;
    bool begun, outdated;
    bool alone;       /* one process after the other uses the set, so that a lock is a note of who is at work */
    uint32_t meaning; /* of the fingerprints */
    const struct rh_exploration *x;
    uint32_t restarts; /* of the exploration, when the set was last cleared */
    uint32_t keep;     /* events that the run under way keeps; 0: not known */
    struct shard shards[SHARDS];
};

/* ---- the lock ---------------------------------------------------------------------------------------------------- */

/* Cached process id, because getpid is a system call. */
static pid_t self;

static void forget_self(void)
{
    self = 0;
}

static pid_t own_pid(void)
{
    static bool watched;
    if (!watched)
        watched = pthread_atfork(NULL, NULL, forget_self) == 0;
    if (!self || !watched)
        self = getpid();
    return self;
}

static void take_over(struct shard *s, pid_t me)
{
    if (atomic_load_explicit(&s->owner, memory_order_relaxed))
        rh__dense_repair(&s->table);
    atomic_store_explicit(&s->owner, me, memory_order_relaxed);
}

static void lock(const struct rh_visited *v, struct shard *s)
{
    pid_t nobody = 0, me = own_pid();
    if (v->alone) {
        take_over(s, me);
        return;
    }
    for (uint32_t tries = 1;
         !atomic_compare_exchange_weak_explicit(&s->owner, &nobody, me, memory_order_acquire, memory_order_relaxed);
         tries++) {
        pid_t owner = nobody;
        nobody = 0;
        if (tries % SPINS)
            continue;
        sched_yield();
        if (owner && kill(owner, 0) != 0 && errno == ESRCH && atomic_compare_exchange_strong(&s->owner, &owner, me)) {
            rh__dense_repair(&s->table);
            return;
        }
    }
}

static void unlock(struct shard *s)
{
    atomic_store_explicit(&s->owner, 0, memory_order_release);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static uint64_t place_of(struct rh_fingerprint f)
{
    return rh__mix(f.high, f.low ^ 0x9e3779b97f4a7c15u);
}

static uint64_t get(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

/* One to one in `high`, so that a set of 64 bits is exact for fingerprints of 64 bits.  The first bits of the product,
 * which say where a key is, depend on all bits. */
static uint64_t scattered(struct rh_fingerprint f)
{
    return (f.high ^ f.low * 0xff51afd7ed558ccdu) * 0x9e3779b97f4a7c15u;
}

/* The shard is not part of the key: its bits are shifted out, and those of the other half come in. */
static struct shard *shard_of(struct rh_visited *v, struct rh_fingerprint f, struct rh__dense_key *key)
{
    uint64_t high = scattered(f);
    key->first =
        high << SHARD_BITS | (v->fingerprint_bits > 64 ? f.low >> (64 - SHARD_BITS) : high >> (64 - SHARD_BITS));
    key->rest = f.low;
    key->first += !key->first; /* zero is an empty slot */
    return &v->shards[high >> (64 - SHARD_BITS)];
}

/* Empties a part of memory and returns its whole pages to the system. */
static void give_back(void *memory, size_t bytes)
{
    uintptr_t at = (uintptr_t)memory, end = at + bytes;
    uintptr_t from = (at + PAGE - 1) & ~(uintptr_t)(PAGE - 1), to = end & ~(uintptr_t)(PAGE - 1);
    if (to <= from || madvise((void *)from, to - from, MADV_REMOVE) != 0) {
        memset(memory, 0, bytes);
        return;
    }
    memset((void *)at, 0, from - at);
    memset((void *)to, 0, end - to);
}

/* ---- bit-state --------------------------------------------------------------------------------------------------- */

static uint64_t mark_of(const struct rh_visited *v, struct rh_fingerprint f, uint32_t i)
{
    uint64_t one = place_of(f), step = rh__mix(f.low ^ 0x517cc1b727220a95u, f.high) | 1;
    return (one + i * step) & (v->mark_bits - 1);
}

static enum rh_visited_answer add_marks(struct rh_visited *v, struct rh_fingerprint f)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < v->marks; i++) {
        uint64_t at = mark_of(v, f, i), bit = (uint64_t)1 << at % 64;
        set += !(atomic_fetch_or_explicit(&v->array[at / 64], bit, memory_order_relaxed) & bit);
    }
    atomic_fetch_add_explicit(&v->ones, set, memory_order_relaxed);
    atomic_fetch_add_explicit(set ? &v->mark_states : &v->mark_hits, 1, memory_order_relaxed);
    return set ? RH_VISITED_FIRST : RH_VISITED_BEFORE;
}

static bool has_marks(const struct rh_visited *v, struct rh_fingerprint f)
{
    bool all = true;
    for (uint32_t i = 0; i < v->marks && all; i++) {
        uint64_t at = mark_of(v, f, i);
        all = get(&v->array[at / 64]) >> at % 64 & 1;
    }
    return all;
}

/* ---- the set ----------------------------------------------------------------------------------------------------- */

static struct rh_fingerprint usable(const struct rh_visited *v, struct rh_fingerprint f)
{
    f.low = v->fingerprint_bits > 64 ? f.low : 0;
    return f;
}

enum rh_visited_answer rh_visited_add(struct rh_visited *v, struct rh_fingerprint f)
{
    struct rh__dense_key key;
    f = usable(v, f);
    if (!v->width)
        return add_marks(v, f);
    struct shard *s = shard_of(v, f, &key);
    lock(v, s);
    bool first = rh__dense_add(&s->table, key);
    s->hits += !first;
    unlock(s);
    return first ? RH_VISITED_FIRST : RH_VISITED_BEFORE;
}

bool rh_visited_has(struct rh_visited *v, struct rh_fingerprint f)
{
    struct rh__dense_key key;
    f = usable(v, f);
    if (!v->width)
        return has_marks(v, f);
    struct shard *s = shard_of(v, f, &key);
    if (v->alone && !atomic_load_explicit(&s->owner, memory_order_relaxed))
        return rh__dense_has(&s->table, key);
    lock(v, s);
    bool there = rh__dense_has(&s->table, key);
    unlock(s);
    return there;
}

void rh__visited_prefetch(struct rh_visited *v, struct rh_fingerprint f)
{
    struct rh__dense_key key;
    if (v->width)
        rh__dense_prefetch(&shard_of(v, usable(v, f), &key)->table, key);
}

void rh__visited_alone(struct rh_visited *v)
{
    v->alone = true;
}

uint32_t rh_visited_begin(struct rh_visited *v, uint32_t keep)
{
    v->keep = keep;
    return keep;
}

/* True if the world is at an event that the run keeps, or on the way to the work of an item.  The state was entered
 * when it was first reached, perhaps by another process. */
static bool is_kept(const struct rh_visited *v, const struct rh_world *w)
{
    uint32_t events = rh__depth(w);
    return !v->keep || events <= v->keep || events <= rh__exploration_lead(v->x);
}

static void follow_restarts(struct rh_visited *v)
{
    if (v->restarts == rh__exploration_restarts(v->x))
        return;
    rh_visited_clear(v);
    v->restarts = rh__exploration_restarts(v->x);
}

enum rh_visited_answer rh_visited_here(struct rh_visited *v, const struct rh_world *w)
{
    follow_restarts(v);
    return is_kept(v, w) ? RH_VISITED_FIRST : rh_visited_state(v, w);
}

enum rh_visited_answer rh_visited_state(struct rh_visited *v, const struct rh_world *w)
{
    follow_restarts(v);
    struct rh_fingerprint fingerprint = rh__exploration_state(v->x, w);
    uint32_t meaning = rh_world_fingerprint_meaning(w);
    v->outdated |= v->begun && meaning != v->meaning;
    v->meaning = meaning;
    v->begun = true;
    return v->outdated ? RH_VISITED_FIRST : rh_visited_add(v, fingerprint);
}

bool rh_visited_restart(struct rh_visited *v, const struct rh_world *w)
{
    if (!v->outdated && (!v->begun || rh_world_fingerprint_meaning(w) == v->meaning))
        return false;
    rh_visited_clear(v);
    return true;
}

void rh_visited_clear(struct rh_visited *v)
{
    for (uint32_t i = 0; i < SHARDS && v->width; i++) {
        struct shard *s = &v->shards[i];
        lock(v, s);
        give_back(s->table.bytes, v->shard_bytes); /* also what a killed process has left */
        rh__dense_begin(&s->table, s->table.bytes, v->shard_bytes, v->width == KEPT_BYTES);
        s->hits = 0;
        unlock(s);
    }
    if (!v->width) {
        memset((void *)v->array, 0, v->mark_bits / 8);
        v->ones = v->mark_states = v->mark_hits = 0;
    }
    v->begun = v->outdated = false;
}

struct rh_visited_counts rh_visited_count(const struct rh_visited *v)
{
    struct rh_visited_counts c = { .states = v->mark_states, .hits = v->mark_hits };
    uint64_t used = 0, slots = 0;
    for (uint32_t i = 0; i < SHARDS && v->width; i++) {
        const struct rh__dense *t = &v->shards[i].table;
        c.states += t->added;
        c.hits += v->shards[i].hits;
        c.replaced += t->replaced;
        c.bytes += rh__dense_bytes(t);
        used += t->used;
        slots += t->slots;
    }
    double n = (double)c.states, wrong;
    if (v->width) {
        c.load = (double)used / (double)slots;
        c.bytes_per_state = used ? (double)c.bytes / (double)used : 0;
        wrong = n * (n - 1) / 2 * pow(2, -8 * (double)v->width);
    } else {
        /* A new state finds all its marks set with probability load^marks.  The estimate uses the mean of this
         * probability while the array filled up. */
        c.bytes = v->mark_bits / 8;
        c.load = (double)v->ones / (double)v->mark_bits;
        c.bytes_per_state = c.states ? (double)c.bytes / n : 0;
        wrong = n * pow(c.load, v->marks) / (v->marks + 1);
    }
    c.missed = -expm1(-wrong);
    return c;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* Returns the exponent of the largest power of two that is at most n. */
static uint32_t floor_bits(uint64_t n)
{
    return n ? 63 - (uint32_t)__builtin_clzll(n) : 0;
}

static bool open_tables(struct rh_visited *v, struct rh_exploration *x, size_t bytes)
{
    v->shard_bytes = bytes / SHARDS < LEAST_BYTES ? LEAST_BYTES : bytes / SHARDS;
    char *all = rh_exploration_memory(x, v->shard_bytes * SHARDS);
    for (uint32_t i = 0; i < SHARDS && all; i++)
        rh__dense_begin(&v->shards[i].table, all + i * v->shard_bytes, v->shard_bytes, v->width == KEPT_BYTES);
    return all != NULL;
}

struct rh_visited *rh_exploration_visited(struct rh_exploration *x, const struct rh_visited_options *options)
{
    size_t bytes = options->memory_bytes ? options->memory_bytes : usual_bytes;
    uint32_t bits = options->bits ? options->bits : 128, marks = options->marks ? options->marks : 3;
    if ((bits != 64 && bits != 128) || marks > 16)
        return NULL;
    struct rh_visited *v = rh_exploration_memory(x, sizeof *v);
    if (!v)
        return NULL;
    rh__world_will_print(rh__exploration_world(x));
    v->x = x;
    v->fingerprint_bits = bits;
    v->marks = marks;
    if (!options->bit_state) {
        v->width = bits > 64 ? KEPT_BYTES : sizeof(uint64_t);
        return open_tables(v, x, bytes) ? v : NULL;
    }
    v->mark_bits = (uint64_t)1 << floor_bits((bytes < PAGE ? PAGE : bytes) * 8);
    v->array = rh_exploration_memory(x, v->mark_bits / 8);
    return v->array ? v : NULL;
}
