/* world/heap.h: what a program does wrong with its heap is found, named, and leaves the heap usable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/copy.h"
#include "base/random.h"
#include "world/heap.h"

#define CAPACITY 65536

static _Alignas(4096) unsigned char region[CAPACITY];
static struct rh__heap *const heap = (struct rh__heap *)region;
static const void *where;

/* The program's wild write. Exempt, because under AddressSanitizer it would be reported before we see it. */
RH__NO_SANITIZE static void scribble(void *p, ptrdiff_t at, unsigned char value)
{
    *(volatile unsigned char *)((unsigned char *)p + at) = value;
}

RH__NO_SANITIZE static unsigned char peek(const void *p, ptrdiff_t at)
{
    return *(const volatile unsigned char *)((const unsigned char *)p + at);
}

static int fresh_heap(void **state)
{
    (void)state;
    rh__zero(region, sizeof region);
    rh__heap_init(heap, CAPACITY);
    return 0;
}

static void *block(size_t n)
{
    void *p = rh__heap_alloc(heap, n, 16);

    assert_non_null(p);
    return p;
}

static void assert_free(void *p)
{
    assert_int_equal(rh__heap_free(heap, p), RH__HEAP_OK);
}

static void assert_sound(void)
{
    assert_int_equal(rh__heap_check(heap, &where), RH__HEAP_OK);
    assert_null(where);
}

static void a_second_free_is_found_wherever_the_block_went(void **state)
{
    /* first, middle and last; merged with neighbours before, behind, both; behind the top */
    void *p[7];

    (void)state;
    for (int i = 0; i < 7; i++)
        p[i] = block(24 + 40 * (size_t)i);
    static const int order[] = { 1, 3, 2, 0, 6, 5 };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        assert_free(p[order[i]]);
        for (size_t k = 0; k <= i; k++)
            assert_int_equal(rh__heap_free(heap, p[order[k]]), RH__HEAP_DOUBLE_FREE);
        assert_sound();
    }
    assert_int_equal(rh__heap_size(heap, p[1]), 0);
    assert_int_equal(rh__heap_size(heap, p[4]), 24 + 160);
    assert_free(p[4]);
    assert_int_equal(rh__heap_free(heap, p[4]), RH__HEAP_DOUBLE_FREE);
    assert_sound();
}

static void a_pointer_that_is_no_block_is_refused(void **state)
{
    unsigned char *p = block(200);
    int local = 0;
    void *inside = p + 16, *copy = &local;

    (void)state;
    memset(p, 0x5a, 200);
    assert_int_equal(rh__heap_free(heap, p + 1), RH__HEAP_NOT_A_BLOCK);
    assert_int_equal(rh__heap_free(heap, p + 8), RH__HEAP_NOT_A_BLOCK);
    assert_int_equal(rh__heap_free(heap, inside), RH__HEAP_NOT_A_BLOCK);
    assert_int_equal(rh__heap_free(heap, heap), RH__HEAP_NOT_A_BLOCK);
    assert_int_equal(rh__heap_free(heap, &local), RH__HEAP_NOT_A_BLOCK);
    assert_int_equal(rh__heap_free(heap, (void *)((uintptr_t)region + CAPACITY + 16)), RH__HEAP_NOT_A_BLOCK);
    assert_int_equal(rh__heap_free(heap, (void *)(uintptr_t)16), RH__HEAP_NOT_A_BLOCK);
    assert_int_equal(rh__heap_resize(heap, &inside, 10), RH__HEAP_NOT_A_BLOCK);
    assert_int_equal(rh__heap_resize(heap, &copy, 10), RH__HEAP_NOT_A_BLOCK);
    assert_ptr_equal(copy, &local);
    assert_int_equal(rh__heap_size(heap, p + 16), 0);
    assert_int_equal(rh__heap_size(heap, NULL), 0);
    assert_sound();
    assert_free(p);
}

static void a_copied_header_does_not_make_a_block(void **state)
{
    unsigned char *p = block(64), *q = block(300);

    (void)state;
    /* What would pass for a block of 64 bytes with its guard, and the start of another behind it. */
    memset(q, 0xb5, 300);
    for (int i = 0; i < 8; i++)
        q[8 + i] = q[88 + i] = peek(p, i - 8);
    assert_int_equal(rh__heap_free(heap, q + 16), RH__HEAP_NOT_A_BLOCK);
    assert_sound();
}

static void one_byte_past_any_size_is_found(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 130; n++) {
        unsigned char *p = block(n), *next = block(8);
        scribble(p, (ptrdiff_t)n, 0);
        assert_int_equal(rh__heap_check(heap, &where), RH__HEAP_OVERRUN);
        assert_ptr_equal(where, p);
        assert_int_equal(rh__heap_free(heap, p), RH__HEAP_OVERRUN);
        void *moved = p;
        assert_int_equal(rh__heap_resize(heap, &moved, n + 1), RH__HEAP_OVERRUN);
        assert_ptr_equal(moved, p);
        scribble(p, (ptrdiff_t)n, 0xb5);
        assert_sound();
        assert_free(p);
        assert_free(next);
    }
}

static void every_byte_between_two_blocks_is_watched(void **state)
{
    unsigned char *p = block(10), *next = block(10);

    (void)state;
    for (ptrdiff_t i = 10; i < next - p; i++) {
        unsigned char kept = peek(p, i);
        scribble(p, i, (unsigned char)~kept);
        assert_int_equal(rh__heap_check(heap, &where), RH__HEAP_OVERRUN);
        assert_ptr_equal(where, i < next - p - 8 ? p : next);
        scribble(p, i, kept);
    }
    assert_sound();
}

static void a_write_before_a_block_is_found(void **state)
{
    unsigned char *p = block(10), *next = block(10);

    (void)state;
    scribble(next, -1, 0);
    scribble(next, -2, 0);
    assert_int_equal(rh__heap_free(heap, next), RH__HEAP_OVERRUN);
    assert_int_equal(rh__heap_free(heap, p), RH__HEAP_OVERRUN);
}

static void every_write_to_a_freed_block_is_found(void **state)
{
    unsigned char *p = block(100), *behind = block(10);

    (void)state;
    assert_free(p);
    for (ptrdiff_t i = 0; i < 100; i++) {
        unsigned char kept = peek(p, i);
        scribble(p, i, (unsigned char)(kept ^ 0x21));
        assert_int_equal(rh__heap_check(heap, &where), RH__HEAP_FREE_WRITTEN);
        scribble(p, i, kept);
    }
    assert_sound();
    assert_free(behind);
}

static void a_write_to_a_block_freed_at_the_end_is_found_with_the_extent(void **state)
{
    unsigned char *p = block(10), *last = block(100);
    uint32_t widest = rh__heap_used(heap);

    (void)state;
    assert_free(last);
    assert_int_equal(rh__heap_check_behind(heap, widest, &where), RH__HEAP_OK);
    scribble(last, 50, 1);
    assert_int_equal(rh__heap_check_behind(heap, widest, &where), RH__HEAP_FREE_WRITTEN);
    assert_ptr_equal(where, last + 50);
    assert_free(p);
}

static void overwritten_links_do_not_lead_out_of_the_region(void **state)
{
    unsigned char *p = block(100), *keep = block(10), *q = block(100), *keep2 = block(10);

    (void)state;
    assert_free(p);
    assert_free(q);
    for (ptrdiff_t i = 0; i < 8; i++) {
        scribble(p, i, 0xee);
        scribble(q, i, 0xee);
    }
    assert_int_equal(rh__heap_check(heap, &where), RH__HEAP_FREE_WRITTEN);
    assert_int_equal(rh__heap_free(heap, keep), RH__HEAP_FREE_WRITTEN);
    for (int i = 0; i < 3000; i++)
        (void)!rh__heap_alloc(heap, (size_t)i % 300, 16);
    assert_int_equal(rh__heap_size(heap, keep2), 10);
}

static void random_damage_never_leads_out_of_the_region(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = rh__random_seed(seed, 0);
        void *p[64] = { NULL };
        fresh_heap(NULL);
        for (int i = 0; i < 600; i++) {
            uint32_t k = rh__random_below(&random, 64);
            uint32_t n = rh__random_below(&random, 500);
            if (p[k] == NULL)
                p[k] = rh__heap_alloc(heap, n, 16);
            else if (rh__random_below(&random, 4) == 0)
                (void)!rh__heap_resize(heap, &p[k], n);
            else if (rh__heap_free(heap, p[k]) == RH__HEAP_OK || rh__random_below(&random, 2))
                p[k] = NULL;
            if (i > 200 && i % 10 == 0) /* behind the header, which no overrun of a block reaches */
                scribble(region + sizeof *heap, rh__random_below(&random, 20000),
                         (unsigned char)rh__random_next(&random));
        }
        enum rh__heap_error error = rh__heap_check(heap, &where);
        if (error)
            assert_in_range((uintptr_t)where, (uintptr_t)region, (uintptr_t)region + CAPACITY);
        assert_true(rh__heap_used(heap) <= CAPACITY);
    }
}

static void an_overwritten_header_is_found(void **state)
{
    (void)state;
    assert_non_null(block(10));
    for (size_t i = 0; i < sizeof *heap; i++) {
        if (i >= offsetof(struct rh__heap, capacity) && i < offsetof(struct rh__heap, top))
            continue; /* a wrong capacity need not contradict the rest */
        region[i] ^= 0x40;
        assert_int_not_equal(rh__heap_check(heap, &where), RH__HEAP_OK);
        region[i] ^= 0x40;
    }
    assert_sound();
}

static void exhaustion_gives_null_and_the_heap_stays_sound(void **state)
{
    static void *blocks[CAPACITY / 32];
    static const size_t sizes[] = { 0, 16, 100, 1000, 20000 };

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t count = 0;
        void *p;
        fresh_heap(NULL);
        uint32_t least = rh__heap_used(heap);
        while ((p = rh__heap_alloc(heap, sizes[s], 16)) != NULL)
            blocks[count++] = p;
        assert_true(count >= (CAPACITY - sizeof *heap) / (sizes[s] + 32));
        assert_sound();
        void *first = blocks[0];
        assert_int_equal(rh__heap_resize(heap, &first, CAPACITY / 2), RH__HEAP_EXHAUSTED);
        assert_ptr_equal(first, blocks[0]);
        assert_null(rh__heap_alloc(heap, sizes[s], 64));
        assert_null(rh__heap_alloc(heap, CAPACITY, 16));
        assert_null(rh__heap_alloc(heap, SIZE_MAX, 16));
        assert_null(rh__heap_alloc(heap, SIZE_MAX - 8, 4096));
        assert_null(rh__heap_alloc(heap, UINT32_MAX - 8, 16));
        assert_null(rh__heap_alloc(heap, 1, (size_t)1 << 40));
        assert_int_equal(rh__heap_resize(heap, &first, SIZE_MAX - 3), RH__HEAP_EXHAUSTED);
        assert_sound();
        assert_free(blocks[count / 2]);
        assert_ptr_equal(rh__heap_alloc(heap, sizes[s], 16), blocks[count / 2]);
        for (size_t i = 0; i < count; i++)
            assert_free(blocks[i]);
        assert_int_equal(rh__heap_used(heap), least);
        assert_sound();
    }
}

static void a_fit_far_down_its_list_is_found_when_nothing_else_is_left(void **state)
{
    enum { holes = 100 };
    void *hole[holes];

    (void)state;
    for (int i = 0; i < holes; i++) { /* all in the bin of 256 to 511 bytes; only the last is large enough */
        hole[i] = block(i < holes - 1 ? 300 : 480);
        assert_non_null(block(1));
    }
    while (rh__heap_alloc(heap, 1000, 16) != NULL)
        ;
    while (rh__heap_alloc(heap, 1, 16) != NULL)
        ;
    for (int i = holes - 1; i >= 0; i--) /* so that each comes before those in the list */
        assert_free(hole[i]);
    assert_ptr_equal(rh__heap_alloc(heap, 480, 16), hole[holes - 1]);
    assert_null(rh__heap_alloc(heap, 480, 16));
    assert_sound();
}

static void one_block_may_fill_the_whole_heap(void **state)
{
    /* capacity, less the header, the block's header and its guard */
    size_t most = (CAPACITY - sizeof *heap - 16) / 16 * 16;
    unsigned char *p;

    (void)state;
    assert_null(rh__heap_alloc(heap, CAPACITY - sizeof *heap - 8, 16));
    p = block(most);
    memset(p, 1, most);
    assert_sound();
    assert_null(rh__heap_alloc(heap, 0, 16));
    assert_free(p);
    assert_sound();
    assert_int_equal(rh__heap_check_behind(heap, CAPACITY, &where), RH__HEAP_OK);
}

static void every_error_has_a_name_and_a_text(void **state)
{
    (void)state;
    assert_string_equal(rh__heap_error_name(RH__HEAP_OK), "ok");
    assert_string_equal(rh__heap_error_name(RH__HEAP_DOUBLE_FREE), "double-free");
    assert_string_equal(rh__heap_error_name(RH__HEAP_BROKEN), "broken");
    assert_string_equal(rh__heap_error_text(RH__HEAP_EXHAUSTED), "the heap of the actor is full");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_second_free_is_found_wherever_the_block_went, fresh_heap),
        cmocka_unit_test_setup(a_pointer_that_is_no_block_is_refused, fresh_heap),
        cmocka_unit_test_setup(a_copied_header_does_not_make_a_block, fresh_heap),
        cmocka_unit_test_setup(one_byte_past_any_size_is_found, fresh_heap),
        cmocka_unit_test_setup(every_byte_between_two_blocks_is_watched, fresh_heap),
        cmocka_unit_test_setup(a_write_before_a_block_is_found, fresh_heap),
        cmocka_unit_test_setup(every_write_to_a_freed_block_is_found, fresh_heap),
        cmocka_unit_test_setup(a_write_to_a_block_freed_at_the_end_is_found_with_the_extent, fresh_heap),
        cmocka_unit_test_setup(overwritten_links_do_not_lead_out_of_the_region, fresh_heap),
        cmocka_unit_test_setup(random_damage_never_leads_out_of_the_region, fresh_heap),
        cmocka_unit_test_setup(an_overwritten_header_is_found, fresh_heap),
        cmocka_unit_test_setup(exhaustion_gives_null_and_the_heap_stays_sound, fresh_heap),
        cmocka_unit_test_setup(a_fit_far_down_its_list_is_found_when_nothing_else_is_left, fresh_heap),
        cmocka_unit_test_setup(one_block_may_fill_the_whole_heap, fresh_heap),
        cmocka_unit_test_setup(every_error_has_a_name_and_a_text, fresh_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
