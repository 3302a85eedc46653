/* world/interpose_memory.c: who allocates decides where from, the address decides how to free. */
#include "interpose/fake.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

/* Values that compilers must not see through: they know what malloc does. */
static void *volatile hidden;
static volatile size_t huge = SIZE_MAX, odd = 24;

/* And clang thinks that malloc does not set errno. */
static void *(*volatile call_malloc)(size_t) = malloc;
static void *(*volatile call_calloc)(size_t, size_t) = calloc;
static void *(*volatile call_realloc)(void *, size_t) = realloc;
static void *(*volatile call_aligned_alloc)(size_t, size_t) = aligned_alloc;

static void an_actor_allocates_from_its_region(void **state)
{
    (void)state;
    void *before = malloc(10);
    enter();
    void *p = malloc(10);
    hidden = p;
    void *q = calloc(3, 7);
    hidden = q;
    char *copied = strdup("some text");
    char *cut = strndup("some text", 4);
    void *aligned = aligned_alloc(256, 512);
    void *array = reallocarray(NULL, 3, 5);
    void *page = valloc(1);
    void *pages = pvalloc(1);
    void *few = memalign(64, 3);
    void *posix = NULL;
    int error = posix_memalign(&posix, 128, 5);
    char *printed = NULL;
    int length = asprintf(&printed, "%d", 12345);
    size_t sizes[] = { malloc_usable_size(p), malloc_usable_size(pages), malloc_usable_size(before) };
    leave();

    assert_outside(before);
    assert_in_region(p);
    assert_in_region(q);
    for (int i = 0; i < 21; i++)
        assert_int_equal(((unsigned char *)q)[i], 0);
    assert_in_region(copied);
    assert_string_equal(copied, "some text");
    assert_in_region(cut);
    assert_string_equal(cut, "some");
    assert_in_region(aligned);
    assert_int_equal((uintptr_t)aligned % 256, 0);
    assert_in_region(array);
    assert_in_region(page);
    assert_int_equal((uintptr_t)page % (uintptr_t)getpagesize(), 0);
    assert_in_region(few);
    assert_int_equal((uintptr_t)few % 64, 0);
    assert_int_equal(error, 0);
    assert_in_region(posix);
    assert_int_equal((uintptr_t)posix % 128, 0);
    assert_int_equal(length, 5);
    assert_in_region(printed); /* libc's allocation for the program is the program's */
    assert_int_equal(sizes[0], 10);
    assert_int_equal(sizes[1], getpagesize());
    assert_true(sizes[2] >= 10);

    int live = fake.live;
    enter();
    free(p);
    free(q);
    free(copied);
    leave();
    free(cut); /* the world may free what an actor allocated */
    free(aligned);
    assert_int_equal(fake.live, live - 5);
    free(before);
}

static void blocks_stay_where_they_came_from(void **state)
{
    (void)state;
    char *ours = strdup("outside");
    int frees = fake.frees;

    enter();
    ours = realloc(ours, 5000);
    void *not_mine = malloc(1);
    leave();
    assert_outside(ours);
    assert_string_equal(ours, "outside");
    not_mine = realloc(not_mine, 100); /* outside of the actor, yet in its region */
    assert_in_region(not_mine);
    assert_int_equal(malloc_usable_size(not_mine), 100);

    enter();
    free(ours);
    leave();
    assert_int_equal(fake.frees, frees + 1);
    free(not_mine);
    assert_int_equal(fake.frees, frees + 2);
}

static void pushed_outside_allocates_outside(void **state)
{
    (void)state;
    enter();
    rh__outside_push();
    void *p = malloc(1);
    rh__outside_pop();
    void *q = malloc(1);
    leave();
    assert_outside(p);
    assert_in_region(q);
    free(p);
    free(q);
}

static void errors_are_those_of_libc(void **state)
{
    void *results[8];
    int errors[8];
    int n = 0;
    void *posix = &n;

    (void)state;
    enter();
#define TRY(call) (errno = 0, results[n] = (call), errors[n++] = errno)
    TRY(call_malloc(huge));
    TRY(call_calloc(huge / 2, 3));
    TRY(reallocarray(NULL, huge / 2, 3));
    TRY(call_aligned_alloc(odd, 48));
    TRY(pvalloc(huge));
    fake.fails = true;
    TRY(call_malloc(1));
    hidden = malloc(4);
    TRY(call_realloc(hidden, huge));
#undef TRY
    errno = 77;
    int bad_power = posix_memalign(&posix, odd, 8);
    int too_small = posix_memalign(&posix, sizeof(void *) / 2, 8);
    int too_large = posix_memalign(&posix, 64, huge / 2);
    int errno_after = errno;
    leave();

    static const int expected[] = { ENOMEM, ENOMEM, ENOMEM, EINVAL, ENOMEM, ENOMEM, ENOMEM };
    assert_int_equal(n, 7);
    for (int i = 0; i < n; i++) {
        assert_null(results[i]);
        assert_int_equal(errors[i], expected[i]);
    }
    assert_int_equal(rh__region_size(hidden), 4); /* a failed realloc leaves the block */
    assert_int_equal(bad_power, EINVAL);
    assert_int_equal(too_small, EINVAL);
    assert_int_equal(too_large, ENOMEM);
    assert_int_equal(errno_after, 77);
    assert_ptr_equal(posix, &n);
    free(hidden);
}

static void no_bytes_are_a_block_and_null_is_none(void **state)
{
    (void)state;
    enter();
    void *q = malloc(0);
    hidden = q;
    void *p = malloc(0);
    hidden = p;
    int frees = fake.frees;
    free(NULL);
    bool none_freed = fake.frees == frees;
    void *gone = realloc(hidden, 0);
    size_t nothing = malloc_usable_size(NULL);
    leave();
    assert_in_region(p);
    assert_in_region(q);
    assert_ptr_not_equal(p, q);
    assert_true(none_freed);
    assert_null(gone);
    assert_int_equal(fake.frees, frees + 1);
    assert_int_equal(nothing, 0);
    free(q);
}

static void outside_is_plain_libc(void **state)
{
    (void)state;
    size_t used = fake.used;
    void *p[] = { malloc(100), calloc(10, 10), aligned_alloc(64, 128),   memalign(64, 3),
                  valloc(5),   pvalloc(5),     reallocarray(NULL, 5, 5), strdup("x") };
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
        assert_outside(p[i]);
        assert_true(malloc_usable_size(p[i]) > 0);
        p[i] = realloc(p[i], 3000);
        assert_outside(p[i]);
        free(p[i]);
    }
    assert_int_equal(fake.used, used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_actor_allocates_from_its_region),    cmocka_unit_test(blocks_stay_where_they_came_from),
        cmocka_unit_test(pushed_outside_allocates_outside),      cmocka_unit_test(errors_are_those_of_libc),
        cmocka_unit_test(no_bytes_are_a_block_and_null_is_none), cmocka_unit_test(outside_is_plain_libc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
