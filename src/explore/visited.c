/* A set of fingerprints in shared memory (rehearse/visited.h).
 *
 * The hash of a fingerprint selects a shard.  A shard is a hash table with its own lock and its own growth, so no
 * insertion waits for the whole set.  A fingerprint is stored in a window of WINDOW slots that starts at its home slot,
 * before the first empty slot.  A table doubles when three quarters of its slots or a whole window are in use.  Tables
 * of all sizes are consecutive in address space, and old tables are given back.  At the largest size, a new fingerprint
 * replaces another one in a full window.
 *
 * A process may be killed at any point.  The order of writes makes this harmless.  A slot is valid when its first word
 * is not zero, and this word is written last.  A table is valid when `bits` names it, and `bits` is written after all
 * slots were copied.  The lock names its owner, and other processes take over the lock of a dead owner. */
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
#include "explore/explorers.h"

enum { SHARDS = 64, SHARD_BITS = 6, WINDOW = 16, FIRST_BITS = 6, PAGE = 4096, SPINS = 200 };
static const size_t usual_bytes = (size_t)1 << 30;

struct shard {
    _Atomic pid_t owner; /* process that holds the lock; 0: none */
    _Atomic uint32_t bits;
    uint32_t most_bits;
    uint64_t used; /* number of slots in use */
    uint64_t states, hits, replaced;
    _Atomic uint64_t *tables; /* tables of all sizes */
};

struct rh_visited {
    uint32_t words; /* words per slot; 0: bit-state */
    uint32_t fingerprint_bits, marks;
    uint64_t mark_bits; /* bit-state: size of the array in bits, a power of two */
    _Atomic uint64_t *array, ones, mark_states, mark_hits;
    bool begun, outdated;
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

static void lock(struct shard *s)
{
    pid_t nobody = 0, me = own_pid();
    for (uint32_t tries = 1;
         !atomic_compare_exchange_weak_explicit(&s->owner, &nobody, me, memory_order_acquire, memory_order_relaxed);
         tries++) {
        pid_t owner = nobody;
        nobody = 0;
        if (tries % SPINS)
            continue;
        sched_yield();
        if (owner && kill(owner, 0) != 0 && errno == ESRCH && atomic_compare_exchange_strong(&s->owner, &owner, me))
            return;
    }
}

static void unlock(struct shard *s)
{
    atomic_store_explicit(&s->owner, 0, memory_order_release);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static _Atomic uint64_t *table_of(const struct rh_visited *v, const struct shard *s, uint32_t bits)
{
    return s->tables + (((uint64_t)1 << bits) - ((uint64_t)1 << FIRST_BITS)) * v->words;
}

static uint64_t place_of(struct rh_fingerprint f)
{
    return rh__mix(f.high, f.low ^ 0x9e3779b97f4a7c15u);
}

static uint64_t get(const _Atomic uint64_t *slot)
{
    return atomic_load_explicit(slot, memory_order_relaxed);
}

static bool holds(const struct rh_visited *v, const _Atomic uint64_t *slot, struct rh_fingerprint f)
{
    return get(&slot[0]) == f.high && (v->words == 1 || get(&slot[1]) == f.low);
}

static void put(const struct rh_visited *v, _Atomic uint64_t *slot, struct rh_fingerprint f)
{
    atomic_store_explicit(&slot[0], 0, memory_order_release);
    if (v->words > 1)
        atomic_store_explicit(&slot[1], f.low, memory_order_release);
    atomic_store_explicit(&slot[0], f.high, memory_order_release);
}

/* Returns the slot that holds f, or the empty slot for f.  Returns NULL if other fingerprints fill the window. */
static _Atomic uint64_t *find(const struct rh_visited *v, _Atomic uint64_t *table, uint32_t bits,
                              struct rh_fingerprint f)
{
    uint64_t mask = ((uint64_t)1 << bits) - 1, home = place_of(f);
    for (uint32_t i = 0; i < WINDOW; i++) {
        _Atomic uint64_t *slot = &table[((home + i) & mask) * v->words];
        if (!get(&slot[0]) || holds(v, slot, f))
            return slot;
    }
    return NULL;
}

/* Empties a table and returns its whole pages to the system. */
static void give_back(_Atomic uint64_t *table, size_t bytes)
{
    uintptr_t at = (uintptr_t)table, end = at + bytes;
    uintptr_t from = (at + PAGE - 1) & ~(uintptr_t)(PAGE - 1), to = end & ~(uintptr_t)(PAGE - 1);
    if (to <= from || madvise((void *)from, to - from, MADV_REMOVE) != 0) {
        memset((void *)table, 0, bytes);
        return;
    }
    memset((void *)at, 0, from - at);
    memset((void *)to, 0, end - to);
}

/* Copies the table into the next larger table.  Drops a fingerprint whose window there is full, which is rare. */
static void grow(struct rh_visited *v, struct shard *s)
{
    uint32_t bits = s->bits;
    uint64_t slots = (uint64_t)1 << bits, used = 0;
    _Atomic uint64_t *old = table_of(v, s, bits), *new = table_of(v, s, bits + 1);
    for (uint64_t i = 0; i < slots; i++) {
        struct rh_fingerprint f = { get(&old[i * v->words]), v->words > 1 ? get(&old[i * v->words + 1]) : 0 };
        _Atomic uint64_t *slot = f.high ? find(v, new, bits + 1, f) : NULL;
        if (slot && !get(&slot[0]))
            put(v, slot, f);
        used += slot != NULL;
        s->replaced += f.high && !slot;
    }
    s->used = used;
    atomic_store_explicit(&s->bits, bits + 1, memory_order_release);
    give_back(old, slots * v->words * sizeof *old);
}

static enum rh_visited_answer add_to(struct rh_visited *v, struct shard *s, struct rh_fingerprint f)
{
    for (;;) {
        uint32_t bits = s->bits;
        uint64_t slots = (uint64_t)1 << bits;
        _Atomic uint64_t *table = table_of(v, s, bits), *slot = find(v, table, bits, f);
        if (slot && get(&slot[0])) {
            s->hits++;
            return RH_VISITED_BEFORE;
        }
        if (bits < s->most_bits && (!slot || s->used >= slots / 4 * 3)) {
            grow(v, s);
            continue;
        }
        if (slot) {
            s->used++;
        } else {
            uint64_t victim = place_of(f) + rh__mix(f.high, s->replaced++) % WINDOW;
            slot = &table[(victim & (slots - 1)) * v->words];
        }
        put(v, slot, f);
        s->states++;
        return RH_VISITED_FIRST;
    }
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

/* Avoids zero, which marks an empty slot. */
static struct rh_fingerprint usable(const struct rh_visited *v, struct rh_fingerprint f)
{
    f.high = f.high ? f.high : 1;
    f.low = v->fingerprint_bits > 64 ? f.low : 0;
    return f;
}

static struct shard *shard_of(struct rh_visited *v, struct rh_fingerprint f)
{
    return &v->shards[place_of(f) >> (64 - SHARD_BITS)];
}

enum rh_visited_answer rh_visited_add(struct rh_visited *v, struct rh_fingerprint f)
{
    f = usable(v, f);
    if (!v->words)
        return add_marks(v, f);
    struct shard *s = shard_of(v, f);
    lock(s);
    enum rh_visited_answer answer = add_to(v, s, f);
    unlock(s);
    return answer;
}

bool rh_visited_has(struct rh_visited *v, struct rh_fingerprint f)
{
    f = usable(v, f);
    if (!v->words)
        return has_marks(v, f);
    struct shard *s = shard_of(v, f);
    lock(s);
    uint32_t bits = s->bits;
    _Atomic uint64_t *slot = find(v, table_of(v, s, bits), bits, f);
    bool there = slot && get(&slot[0]);
    unlock(s);
    return there;
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
    struct rh_fingerprint fingerprint = rh_world_fingerprint_wide(w);
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
    for (uint32_t i = 0; i < SHARDS && v->words; i++) {
        struct shard *s = &v->shards[i];
        lock(s);
        /* Clears also smaller tables and the next larger table: a killed process may have left slots there. */
        for (uint32_t bits = FIRST_BITS; bits <= s->bits + 1 && bits <= s->most_bits; bits++)
            give_back(table_of(v, s, bits), ((size_t)1 << bits) * v->words * sizeof *s->tables);
        s->bits = FIRST_BITS;
        s->used = s->states = s->hits = s->replaced = 0;
        unlock(s);
    }
    if (!v->words) {
        memset((void *)v->array, 0, v->mark_bits / 8);
        v->ones = v->mark_states = v->mark_hits = 0;
    }
    v->begun = v->outdated = false;
}

struct rh_visited_counts rh_visited_count(const struct rh_visited *v)
{
    struct rh_visited_counts c = { .states = v->mark_states, .hits = v->mark_hits };
    uint64_t used = 0, slots = 0;
    for (uint32_t i = 0; i < SHARDS && v->words; i++) {
        const struct shard *s = &v->shards[i];
        c.states += s->states;
        c.hits += s->hits;
        c.replaced += s->replaced;
        used += s->used;
        slots += (uint64_t)1 << s->bits;
    }
    double n = (double)c.states, wrong;
    if (v->words) {
        c.bytes = slots * v->words * sizeof(uint64_t);
        c.load = (double)used / (double)slots;
        c.bytes_per_state = used ? (double)c.bytes / (double)used : 0;
        wrong = n * (n - 1) / 2 * pow(2, -(double)v->fingerprint_bits);
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
    size_t slot = v->words * sizeof(uint64_t);
    uint32_t most = floor_bits(bytes / SHARDS / slot);
    most = most < FIRST_BITS ? FIRST_BITS : most;
    size_t each = (((size_t)2 << most) - ((size_t)1 << FIRST_BITS)) * slot;
    each = (each + PAGE - 1) & ~(size_t)(PAGE - 1);
    char *all = rh_exploration_memory(x, each * SHARDS);
    for (uint32_t i = 0; i < SHARDS; i++) {
        v->shards[i].tables = (_Atomic uint64_t *)(void *)(all + i * each);
        v->shards[i].bits = FIRST_BITS;
        v->shards[i].most_bits = most;
    }
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
    v->x = x;
    v->fingerprint_bits = bits;
    v->marks = marks;
    if (!options->bit_state) {
        v->words = bits / 64;
        return open_tables(v, x, bytes) ? v : NULL;
    }
    v->mark_bits = (uint64_t)1 << floor_bits((bytes < PAGE ? PAGE : bytes) * 8);
    v->array = rh_exploration_memory(x, v->mark_bits / 8);
    return v->array ? v : NULL;
}
