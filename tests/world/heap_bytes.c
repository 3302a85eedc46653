/* world/heap.h: equal live blocks give equal bytes, the extent is as small as they allow, and AddressSanitizer, where
 * it runs, sees live blocks and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/copy.h"
#include "base/hash.h"
#include "base/random.h"
#include "world/heap.h"

#define CAPACITY 65536
#define BLOCKS   12

extern int __asan_address_is_poisoned(void const volatile *at) __attribute__((weak));

static _Alignas(4096) unsigned char region[CAPACITY];
static struct rh__heap *const heap = (struct rh__heap *)region;

static int fresh_heap(void **state)
{
    (void)state;
    rh__zero(region, sizeof region);
    rh__heap_init(heap, CAPACITY);
    return 0;
}

static void assert_free(void *p)
{
    assert_int_equal(rh__heap_free(heap, p), RH__HEAP_OK);
}

static void the_order_of_frees_leaves_no_trace(void **state)
{
    uint64_t random = rh__random_seed(1, 0), first = 0;

    (void)state;
    for (int round = 0; round < 200; round++) {
        void *p[BLOCKS];
        int order[BLOCKS];
        fresh_heap(NULL);
        for (int i = 0; i < BLOCKS; i++) {
            p[i] = rh__heap_alloc(heap, 20 + (size_t)i % 3 * 100, 16);
            assert_non_null(p[i]);
            memset(p[i], i + 1, 20);
            order[i] = i;
        }
        for (uint32_t i = BLOCKS - 1; i > 0; i--) {
            uint32_t k = rh__random_below(&random, i + 1);
            int swapped = order[i];
            order[i] = order[k];
            order[k] = swapped;
        }
        for (int i = 0; i < BLOCKS; i++) {
            if (order[i] % 4 != 2) /* 2, 6 and 10 stay */
                assert_free(p[order[i]]);
        }
        uint64_t hash = rh__hash(region, CAPACITY, 0);
        if (round == 0)
            first = hash;
        assert_int_equal(hash, first);
    }
}

static void a_block_allocated_and_freed_leaves_no_trace(void **state)
{
    static unsigned char before[CAPACITY];
    void *p[6];

    (void)state;
    for (int i = 0; i < 6; i++)
        p[i] = rh__heap_alloc(heap, 300, 16);
    assert_free(p[1]);
    assert_free(p[3]);
    rh__copy(before, region, CAPACITY);
    for (size_t n = 0; n < 1000; n++) {
        for (size_t align = 16; align <= 256; align *= 4) {
            unsigned char *q = rh__heap_alloc(heap, n, align);
            assert_non_null(q);
            memset(q, 0xff, n);
            assert_free(q);
            assert_true(rh__equal(before, region, CAPACITY));
        }
    }
}

static void the_extent_shrinks_with_the_last_blocks(void **state)
{
    void *p[5];
    uint32_t used[5], least = rh__heap_used(heap);

    (void)state;
    for (int i = 0; i < 5; i++) {
        p[i] = rh__heap_alloc(heap, 100, 16);
        used[i] = rh__heap_used(heap);
    }
    assert_free(p[3]);
    assert_int_equal(rh__heap_used(heap), used[4]);
    assert_free(p[4]);
    assert_int_equal(rh__heap_used(heap), used[2]);
    assert_free(p[0]);
    assert_free(p[1]);
    assert_int_equal(rh__heap_used(heap), used[2]);
    assert_free(p[2]);
    assert_int_equal(rh__heap_used(heap), least);
    assert_true(least <= 32);
    assert_int_equal(rh__heap_blocks(heap), 0);
}

static void small_blocks_cost_what_the_layout_says(void **state)
{
    /* 8 bytes of header, 8 of guard, a multiple of 16, at least 32 */
    static const struct {
        size_t asked;
        uint32_t taken;
    } cases[] = { { 0, 32 }, { 1, 32 }, { 16, 32 }, { 17, 48 }, { 32, 48 }, { 33, 64 }, { 64, 80 } };

    (void)state;
    assert_true(sizeof *heap <= 160);
    void *anchor = rh__heap_alloc(heap, 1, 16);
    uint32_t before = rh__heap_used(heap);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *p = rh__heap_alloc(heap, cases[i].asked, 16);
        assert_int_equal(rh__heap_used(heap) - before, cases[i].taken);
        assert_free(p);
    }
    assert_free(anchor);
}

static void a_low_gap_is_used_before_the_end(void **state)
{
    void *a = rh__heap_alloc(heap, 100, 16), *b = rh__heap_alloc(heap, 50, 16), *c = rh__heap_alloc(heap, 100, 16);
    void *d = rh__heap_alloc(heap, 50, 16);

    (void)state;
    assert_free(a);
    assert_free(c);
    assert_ptr_equal(rh__heap_alloc(heap, 100, 16), a);
    assert_ptr_equal(rh__heap_alloc(heap, 40, 16), c);
    assert_free(b);
    assert_free(d);
}

static void resize_stays_in_place_where_it_can(void **state)
{
    void *a = rh__heap_alloc(heap, 100, 16), *b = rh__heap_alloc(heap, 100, 16), *p = a;

    (void)state;
    memset(a, 7, 100);
    assert_int_equal(rh__heap_resize(heap, &p, 10), RH__HEAP_OK);
    assert_ptr_equal(p, a);
    assert_int_equal(rh__heap_resize(heap, &p, 90), RH__HEAP_OK);
    assert_ptr_equal(p, a);
    for (int i = 0; i < 90; i++)
        assert_int_equal(((unsigned char *)p)[i], i < 10 ? 7 : 0);
    assert_free(b);
    assert_int_equal(rh__heap_resize(heap, &p, 5000), RH__HEAP_OK); /* the last block grows into the end */
    assert_ptr_equal(p, a);
    assert_int_equal(rh__heap_size(heap, p), 5000);
    assert_free(p);
}

static void only_live_bytes_are_addressable_under_asan(void **state)
{
    static unsigned char snapshot[CAPACITY];
    unsigned char *p[20];
    uint32_t used;

    (void)state;
    if (!__asan_address_is_poisoned)
        skip();
    for (size_t i = 0; i < 20; i++) {
        p[i] = rh__heap_alloc(heap, i * 7, i % 5 ? 16 : 64);
        assert_non_null(p[i]);
    }
    for (size_t i = 0; i < 20; i += 3)
        assert_free(p[i]);
    void *resized = p[1];
    assert_int_equal(rh__heap_resize(heap, &resized, 3), RH__HEAP_OK);
    assert_ptr_equal(resized, p[1]);
    used = rh__heap_used(heap);
    rh__copy(snapshot, region, used);

    for (int round = 0; round < 2; round++) {
        static unsigned char may[CAPACITY];
        memset(may, 0, sizeof may);
        memset(may, 1, sizeof *heap);
        for (size_t i = 0; i < 20; i++) {
            if (i % 3 != 0)
                memset(may + (p[i] - region), 1, i == 1 ? 3 : i * 7);
        }
        for (uint32_t i = 0; i < used + 200; i++)
            assert_int_equal(__asan_address_is_poisoned(region + i) == 0, may[i]);
        if (round == 1)
            break;

        /* Everything goes another way, then comes back by a copy. */
        for (size_t i = 0; i < 20; i++) {
            if (i % 3 != 0)
                assert_free(p[i]);
        }
        unsigned char *large = rh__heap_alloc(heap, 3000, 16);
        memset(large, 1, 3000);
        uint32_t later = rh__heap_used(heap);
        rh__zero(region, later);
        rh__copy(region, snapshot, used);
        rh__heap_restored(heap, later > used ? later : used);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_order_of_frees_leaves_no_trace, fresh_heap),
        cmocka_unit_test_setup(a_block_allocated_and_freed_leaves_no_trace, fresh_heap),
        cmocka_unit_test_setup(the_extent_shrinks_with_the_last_blocks, fresh_heap),
        cmocka_unit_test_setup(small_blocks_cost_what_the_layout_says, fresh_heap),
        cmocka_unit_test_setup(a_low_gap_is_used_before_the_end, fresh_heap),
        cmocka_unit_test_setup(resize_stays_in_place_where_it_can, fresh_heap),
        cmocka_unit_test_setup(only_live_bytes_are_addressable_under_asan, fresh_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
