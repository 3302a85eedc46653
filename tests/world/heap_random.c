/* world/heap.h against a model: random sequences of calls, with every live block's content known.
 *
 * After each call the touched block is looked at, every so often all of them: contents intact, no two overlap,
 * alignment, rh__heap_used between what must be and what may be used, zero behind it, rh__heap_check content.
 * A failure prints the seed; RH_TEST_SEED=n runs that seed alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/copy.h"
#include "base/hash.h"
#include "base/random.h"
#include "support/few.h"
#include "world/heap.h"

#define MOST_BLOCKS 400

struct entry {
    unsigned char *p;
    uint32_t n;
    uint64_t tag; /* the content is a function of this */
};

struct model {
    struct rh__heap *heap;
    uint32_t capacity, widest;
    uint64_t random, seed;
    uint32_t step, count, refused;
    uint64_t history; /* hash of all addresses given out */
    struct entry entries[MOST_BLOCKS];
};

#define CHECK(m, condition, ...) ((condition) ? (void)0 : failed(m, #condition, __VA_ARGS__))

__attribute__((format(printf, 3, 4))) static void failed(const struct model *m, const char *condition,
                                                         const char *format, ...)
{
    va_list list;

    fprintf(stderr, "RH_TEST_SEED=%llu, step %u: %s: ", (unsigned long long)m->seed, m->step, condition);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n");
    fail();
}

static struct rh__heap *map(uint32_t capacity)
{
    void *p = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(p != MAP_FAILED);
    return p;
}

static unsigned char content(uint64_t tag, uint32_t i)
{
    return (unsigned char)((tag >> (i % 8 * 8)) + i / 8);
}

static void fill(struct model *m, struct entry *e, uint32_t from)
{
    for (uint32_t i = from; i < e->n; i++) {
        CHECK(m, e->p[i] == 0, "byte %u of %u is %u", i, e->n, e->p[i]);
        e->p[i] = content(e->tag, i);
    }
}

static void check_entry(struct model *m, const struct entry *e)
{
    CHECK(m, (uintptr_t)e->p % 16 == 0, "%p", (void *)e->p);
    CHECK(m, rh__heap_size(m->heap, e->p) == e->n, "%zu not %u", rh__heap_size(m->heap, e->p), e->n);
    for (uint32_t i = 0; i < e->n; i++)
        CHECK(m, e->p[i] == content(e->tag, i), "byte %u of %u", i, e->n);
}

static int by_address(const void *left, const void *right)
{
    const struct entry *l = left, *r = right;

    return l->p < r->p ? -1 : l->p > r->p;
}

static void check_all(struct model *m)
{
    static struct entry sorted[MOST_BLOCKS];
    unsigned char *base = (unsigned char *)m->heap;
    uint32_t used = rh__heap_used(m->heap), end = 0;
    const void *where;
    enum rh__heap_error error = rh__heap_check(m->heap, &where);

    CHECK(m, error == RH__HEAP_OK, "%s at +%td", rh__heap_error_name(error), (const unsigned char *)where - base);
    CHECK(m, rh__heap_blocks(m->heap) == m->count, "%u not %u", rh__heap_blocks(m->heap), m->count);
    memcpy(sorted, m->entries, m->count * sizeof *sorted);
    qsort(sorted, m->count, sizeof *sorted, by_address);
    for (uint32_t i = 0; i < m->count; i++) {
        check_entry(m, &sorted[i]);
        CHECK(m, sorted[i].p >= base + sizeof *m->heap, "block in the header");
        CHECK(m, i == 0 || sorted[i - 1].p + sorted[i - 1].n <= sorted[i].p, "blocks %u and %u overlap", i - 1, i);
        end = (uint32_t)(sorted[i].p - base) + sorted[i].n;
    }
    /* Behind the last block asked for are its guard bytes and nothing else. */
    CHECK(m, used <= m->capacity, "%u", used);
    CHECK(m, m->count == 0 ? used < sizeof *m->heap : used >= end + 8 && used <= end + 64, "used %u, end %u", used,
          end);
    if (used > m->widest)
        m->widest = used;
    error = rh__heap_check_behind(m->heap, m->widest, &where);
    CHECK(m, error == RH__HEAP_OK, "behind used is +%td", (const unsigned char *)where - base);
}

static uint32_t random_size(struct model *m)
{
    switch (rh__random_below(&m->random, 8)) {
    case 0:
        return rh__random_below(&m->random, 5);
    case 1:
    case 2:
    case 3:
    case 4:
        return rh__random_below(&m->random, 100);
    case 5:
    case 6:
        return rh__random_below(&m->random, 1000);
    default:
        return rh__random_below(&m->random, 20000);
    }
}

static void random_alloc(struct model *m)
{
    struct entry *e = &m->entries[m->count];
    uint32_t align = rh__random_below(&m->random, 6) ? 16 : 1u << rh__random_below(&m->random, 13);

    e->n = random_size(m);
    e->tag = rh__random_next(&m->random);
    e->p = rh__heap_alloc(m->heap, e->n, align);
    m->history = rh__mix(m->history, e->p ? (uint64_t)(e->p - (unsigned char *)m->heap) : 0);
    if (!e->p) {
        m->refused++;
        return;
    }
    CHECK(m, (uintptr_t)e->p % align == 0, "%p is not %u-aligned", (void *)e->p, align);
    m->count++;
    fill(m, e, 0);
}

static void random_resize(struct model *m)
{
    struct entry *e = &m->entries[rh__random_below(&m->random, m->count)];
    uint32_t n = rh__random_below(&m->random, 2) ? random_size(m) : e->n + rh__random_below(&m->random, 40);
    void *p = e->p;
    enum rh__heap_error error = rh__heap_resize(m->heap, &p, n);

    if (error == RH__HEAP_EXHAUSTED) {
        CHECK(m, p == e->p, "moved on failure");
        m->refused++;
    } else {
        uint32_t old = e->n;
        CHECK(m, error == RH__HEAP_OK, "%s", rh__heap_error_name(error));
        e->p = p;
        e->n = n;
        if (n > old)
            fill(m, e, old);
    }
    m->history = rh__mix(m->history, (uint64_t)(e->p - (unsigned char *)m->heap));
    check_entry(m, e);
}

static void free_entry(struct model *m, uint32_t i)
{
    check_entry(m, &m->entries[i]);
    enum rh__heap_error error = rh__heap_free(m->heap, m->entries[i].p);
    CHECK(m, error == RH__HEAP_OK, "%s", rh__heap_error_name(error));
    m->entries[i] = m->entries[--m->count];
}

/* Grows and shrinks in waves, so that the heap is full at times and empty at others. */
static void run_steps(struct model *m, uint32_t steps)
{
    for (uint32_t to = m->step + steps; m->step < to; m->step++) {
        bool growing = m->step / 300 % 2 == 0;
        uint32_t dice = rh__random_below(&m->random, 10);
        if (dice == 0 && m->count > 0)
            random_resize(m);
        else if (m->count > 0 && (m->count == MOST_BLOCKS || dice <= (growing ? 3u : 6u)))
            free_entry(m, rh__random_below(&m->random, m->count));
        else
            random_alloc(m);
        if (m->step % 16 == 0)
            check_all(m);
    }
}

static void free_all(struct model *m)
{
    while (m->count > 0)
        free_entry(m, rh__random_below(&m->random, m->count));
    check_all(m);
}

static void start(struct model *m, struct rh__heap *heap, uint32_t capacity, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    m->heap = heap;
    m->capacity = capacity;
    m->seed = seed;
    m->random = rh__random_seed(seed, 0);
    rh__heap_init(heap, capacity);
}

/* The seeds to run: a few of ours, or the one asked for. */
static uint64_t first_seed, last_seed;

static const uint32_t capacities[] = { 3000, 40000, 300007, 4 << 20 };
#define CAPACITIES (sizeof capacities / sizeof *capacities)

static void every_live_block_stays_intact(void **state)
{
    static struct model m;

    (void)state;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++) {
        for (size_t c = 0; c < CAPACITIES; c++) {
            struct rh__heap *heap = map(capacities[c]);
            start(&m, heap, capacities[c], seed);
            uint32_t least = rh__heap_used(heap);
            run_steps(&m, 2000);
            CHECK(&m, c > 0 || m.refused > 0, "a heap of %u bytes was never full", capacities[c]);
            CHECK(&m, c < 3 || m.refused == 0, "%u refused of a large heap", m.refused);
            free_all(&m);
            CHECK(&m, rh__heap_used(heap) == least, "%u not %u", rh__heap_used(heap), least);
            munmap(heap, capacities[c]);
        }
    }
}

static void one_seed_gives_the_same_addresses_and_bytes_again(void **state)
{
    static struct model one, two;

    (void)state;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++) {
        uint32_t capacity = 100000;
        struct rh__heap *heap = map(capacity), *other = map(capacity);
        start(&one, heap, capacity, seed);
        run_steps(&one, 1000);
        start(&two, other, capacity, seed);
        run_steps(&two, 1000);
        CHECK(&one, one.history == two.history, "addresses differ");
        CHECK(&one, rh__heap_used(heap) == rh__heap_used(other), "extents differ");
        CHECK(&one, rh__equal(heap, other, capacity), "bytes differ");
        munmap(heap, capacity);
        munmap(other, capacity);
    }
}

/* Restores only what was in use at the snapshot, and clears what was used since, as the world does. */
static void a_restored_heap_goes_on_as_if_nothing_had_been(void **state)
{
    static struct model m, kept;
    static unsigned char snapshot[200000];

    (void)state;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++) {
        uint32_t capacity = sizeof snapshot;
        struct rh__heap *heap = map(capacity);
        start(&m, heap, capacity, seed);
        for (int round = 0; round < 6; round++) {
            uint32_t used = rh__heap_used(heap);
            rh__copy(snapshot, heap, used);
            kept = m;
            run_steps(&m, 400);
            uint64_t history = m.history, hash = rh__hash(heap, capacity, 0);
            uint32_t later = rh__heap_used(heap);
            rh__copy(heap, snapshot, used);
            if (later > used)
                rh__zero((unsigned char *)heap + used, later - used);
            rh__heap_restored(heap, later > used ? later : used);
            m = kept;
            check_all(&m);
            run_steps(&m, 400);
            CHECK(&m, m.history == history, "round %d went elsewhere", round);
            CHECK(&m, rh__hash(heap, capacity, 0) == hash, "round %d gave other bytes", round);
        }
        free_all(&m);
        munmap(heap, capacity);
    }
}

static void a_long_run_does_not_fragment_to_death(void **state)
{
    static struct model m;
    uint32_t capacity = 8 << 20;
    struct rh__heap *heap = map(capacity);

    (void)state;
    start(&m, heap, capacity, first_seed);
    uint64_t most_asked = 0;
    for (; m.step < 100000; m.step++) {
        if (m.count > 0 && (m.count == 300 || rh__random_below(&m.random, 2)))
            free_entry(&m, rh__random_below(&m.random, m.count));
        else
            random_alloc(&m);
        if (heap->asked > most_asked)
            most_asked = heap->asked;
        if (rh__heap_used(heap) > m.widest)
            m.widest = rh__heap_used(heap);
    }
    check_all(&m);
    CHECK(&m, m.refused == 0, "%u refused", m.refused);
    CHECK(&m, m.widest < 2 * most_asked, "extent %u for %llu bytes", m.widest, (unsigned long long)most_asked);
    free_all(&m);
    munmap(heap, capacity);
}

int main(void)
{
    const char *asked = getenv("RH_TEST_SEED");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_live_block_stays_intact),
        cmocka_unit_test(one_seed_gives_the_same_addresses_and_bytes_again),
        cmocka_unit_test(a_restored_heap_goes_on_as_if_nothing_had_been),
        cmocka_unit_test(a_long_run_does_not_fragment_to_death),
    };

    first_seed = asked ? strtoull(asked, NULL, 0) : 1;
    last_seed = asked ? first_seed : MANY_OR_FEW(10, 2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
