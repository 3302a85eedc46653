/* malloc and its family: memory of the running actor comes from its region.
 *
 * The place of the allocation decides where the memory comes from; the address decides how it is freed, resized and
 * measured.  So memory may change hands: an actor may free memory that was allocated before the run, and the world may
 * free memory that an actor allocated.  A block that was allocated outside stays outside when an actor resizes it.
 *
 * Outside, these call __libc_malloc and so on, or AddressSanitizer's functions if it runs. libc also calls malloc
 * through us (asprintf, getline, qsort): memory that it gives to the program is the program's; memory that it keeps
 * must not come from a region, see interpose_libc.c and interpose_file.c.
 *
 * The dynamic linker allocates before anything is initialised: rh__inside and rh__in_region must work at that time. */
#include "world/interpose_next.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIGNMENT = _Alignof(max_align_t) };

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *p);

/* Defined if AddressSanitizer runs. */
extern void *__interceptor_malloc(size_t size) __attribute__((weak));
extern void *__interceptor_calloc(size_t count, size_t size) __attribute__((weak));
extern void *__interceptor_realloc(void *p, size_t size) __attribute__((weak));
extern void *__interceptor_memalign(size_t align, size_t size) __attribute__((weak));
extern void __interceptor_free(void *p) __attribute__((weak));

#define SYSTEM(name) (__interceptor_##name ? __interceptor_##name : __libc_##name)

static bool power_of_two(size_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* Allocates memory of the running actor, and sets errno like malloc. */
static void *take(size_t size, size_t align)
{
    void *p = size <= PTRDIFF_MAX ? rh__region_alloc(size, align < ALIGNMENT ? ALIGNMENT : align) : NULL;

    if (!p)
        errno = ENOMEM;
    return p;
}

/* New memory of a region is already zero (heap.h).  Reading does not change a page; clearing would. */
static void clear(void *p, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)p;

    if (size > 0 && (bytes[0] != 0 || memcmp(bytes, bytes + 1, size - 1) != 0))
        memset(p, 0, size);
}

void *malloc(size_t size)
{
    return rh__inside() ? take(size, ALIGNMENT) : SYSTEM(malloc)(size);
}

void free(void *p)
{
    if (!p)
        return;
    if (rh__in_region(p))
        rh__region_free(p);
    else
        SYSTEM(free)(p);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;

    if (!rh__inside())
        return SYSTEM(calloc)(count, size);
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    void *p = take(bytes, ALIGNMENT);
    if (p)
        clear(p, bytes);
    return p;
}

void *realloc(void *p, size_t size)
{
    if (!p)
        return malloc(size);
    if (!rh__in_region(p))
        return SYSTEM(realloc)(p, size);
    if (size == 0) { /* as glibc does */
        rh__region_free(p);
        return NULL;
    }
    void *moved = size <= PTRDIFF_MAX ? rh__region_resize(p, size) : NULL;
    if (!moved)
        errno = ENOMEM;
    return moved;
}

void *reallocarray(void *p, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, bytes);
}

void *memalign(size_t align, size_t size)
{
    if (!rh__inside())
        return SYSTEM(memalign)(align, size);
    if (align > PTRDIFF_MAX) {
        errno = EINVAL;
        return NULL;
    }
    /* glibc uses the next power of two for other values */
    size_t power = ALIGNMENT;
    while (power < align)
        power *= 2;
    return take(size, power);
}

void *aligned_alloc(size_t align, size_t size)
{
    /* Strict, like C17 and glibc from 2.38 on, so that a program behaves the same with either. */
    if (rh__inside() && !power_of_two(align)) {
        errno = EINVAL;
        return NULL;
    }
    return memalign(align, size);
}

int posix_memalign(void **result, size_t align, size_t size)
{
    int saved = errno;

    if (!power_of_two(align) || align % sizeof(void *) != 0)
        return EINVAL;
    void *p = memalign(align, size);
    errno = saved;
    if (!p)
        return ENOMEM;
    *result = p;
    return 0;
}

void *valloc(size_t size)
{
    return memalign((size_t)getpagesize(), size);
}

void *pvalloc(size_t size)
{
    size_t page = (size_t)getpagesize();
    size_t rounded;

    if (__builtin_add_overflow(size, page - 1, &rounded)) {
        errno = ENOMEM;
        return NULL;
    }
    return memalign(page, rounded & ~(page - 1));
}

size_t malloc_usable_size(void *p)
{
    if (!p)
        return 0;
    return rh__in_region(p) ? rh__region_size(p) : NEXT(malloc_usable_size)(p);
}

/* Only because AddressSanitizer's versions do not allocate through malloc. */
static char *copy(const char *text, size_t length)
{
    char *p = (char *)malloc(length + 1);

    if (p) {
        memcpy(p, text, length);
        p[length] = '\0';
    }
    return p;
}

#undef strdup
#undef strndup
char *strdup(const char *text)
{
    return copy(text, strlen(text));
}

char *strndup(const char *text, size_t length)
{
    return copy(text, strnlen(text, length));
}
