/* A toy world for the tests of the interposed functions: all hooks of world/control.h, in the test program itself.
 *
 * The interposers are linked whole; what they ask of the world is found here, in an object of the program, before the
 * linker looks into librehearse.a for it.  So none of the world's own objects is linked, as long as the test uses
 * nothing else of the world; if it did, the linker would complain about two definitions.
 *
 * Between enter() and leave() an actor "runs".  Its region is a heap that only grows; freed blocks are marked. */
#ifndef TESTS_INTERPOSE_FAKE_H
#define TESTS_INTERPOSE_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <rehearse.h>

#include "world/control.h"
#include "world/interpose.h"
#include "world/symbol.h"

/* The dynamic linker calls malloc before a sanitizer is ready. */
#define UNWATCHED __attribute__((no_sanitize("address")))

enum { REGION_SIZE = 4 << 20, ESCAPES = 64 };

struct block {
    size_t size;
    size_t state; /* LIVE or FREED */
};
enum { LIVE = 0x11fe, FREED = 0xf4ee };

static struct {
    _Alignas(4096) unsigned char region[REGION_SIZE];
    volatile size_t used; /* volatile: see `inside` */
    volatile int live, frees;
    volatile bool fails; /* the next allocation does */
    volatile int64_t now_ns;
    volatile int sleeps;
    uint64_t random;
    const char *escapes[ESCAPES];
    const void *escaped_from[ESCAPES];
    int escape_count;
    const char *volatile exit_call;
    int exit_status;
    char failed[256];
    jmp_buf out;
} fake;

/* volatile: compilers think that malloc looks at nothing of ours, and would move or drop the writes around it */
static _Thread_local volatile int inside, pushed;

static inline void enter(void)
{
    inside = 1;
    fake.escape_count = 0;
}

static inline void leave(void)
{
    inside = 0;
}

UNWATCHED bool rh__inside(void)
{
    return inside && !pushed;
}

void rh__outside_push(void)
{
    pushed = pushed + 1;
}

void rh__outside_pop(void)
{
    pushed = pushed - 1;
}

UNWATCHED bool rh__in_region(const void *p)
{
    return (uintptr_t)p - (uintptr_t)fake.region < REGION_SIZE;
}

static struct block *block_of(void *p)
{
    struct block *b = (struct block *)p - 1;

    if (b->state != LIVE) {
        fprintf(stderr, "not a live block: %p\n", p);
        __builtin_trap();
    }
    return b;
}

void *rh__region_alloc(size_t size, size_t align)
{
    size_t at = (fake.used + sizeof(struct block) + align - 1) & ~(align - 1);

    if (fake.fails || size > REGION_SIZE || at + size > REGION_SIZE) {
        fake.fails = false;
        return NULL;
    }
    fake.used = at + (size ? size : 1);
    struct block *b = (struct block *)(void *)(fake.region + at) - 1;
    *b = (struct block){ size, LIVE };
    memset(b + 1, 0xab, size); /* calloc must not rely on more than it is told */
    fake.live = fake.live + 1;
    return b + 1;
}

void rh__region_free(void *p)
{
    block_of(p)->state = FREED;
    fake.live = fake.live - 1;
    fake.frees = fake.frees + 1;
}

size_t rh__region_size(void *p)
{
    return block_of(p)->size;
}

void *rh__region_resize(void *p, size_t size)
{
    size_t before = rh__region_size(p);
    void *moved = rh__region_alloc(size, 16);

    if (moved) {
        memcpy(moved, p, before < size ? before : size);
        rh__region_free(p);
    }
    return moved;
}

int64_t rh__virtual_ns(void)
{
    return fake.now_ns;
}

void rh__virtual_sleep(int64_t ns)
{
    fake.now_ns = fake.now_ns + ns;
    fake.sleeps = fake.sleeps + 1;
}

uint64_t rh__virtual_random(void)
{
    fake.random = fake.random * 6364136223846793005u + 1442695040888963407u;
    return fake.random ^ fake.random >> 29;
}

void rh__escaped(const char *call, const void *from)
{
    if (fake.escape_count < ESCAPES) {
        fake.escapes[fake.escape_count] = call;
        fake.escaped_from[fake.escape_count++] = from;
    }
}

void rh__exit_called(const char *call, int status, const void *from)
{
    (void)from;
    fake.exit_call = call;
    fake.exit_status = status;
    longjmp(fake.out, 1);
}

void rh_assert_failed_(const char *here, const char *condition, const char *format, ...)
{
    snprintf(fake.failed, sizeof fake.failed, "%s: %s%s", here, condition, format ? "" : "?");
    longjmp(fake.out, 1);
}

/* Where a block lies. */
static inline void assert_outside(const void *p)
{
    assert_non_null(p);
    assert_false(rh__in_region(p));
}

static inline void assert_in_region(const void *p)
{
    assert_non_null(p);
    assert_true(rh__in_region(p));
}

/* Exactly these calls were noted since enter(). */
static inline void assert_noted(const char *first, const char *second)
{
    int expected = (first != NULL) + (second != NULL);

    if (fake.escape_count != expected)
        for (int i = 0; i < fake.escape_count; i++)
            print_message("noted: %s\n", fake.escapes[i]);
    assert_int_equal(fake.escape_count, expected);
    if (first)
        assert_string_equal(fake.escapes[0], first);
    if (second)
        assert_string_equal(fake.escapes[1], second);
}

#endif
