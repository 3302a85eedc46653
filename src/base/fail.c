/* Internal errors and the tool's own memory. */
#include "base/fail.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

/* A sanitizer wants to see all memory, and keeps its own way past our malloc. */
#if defined(__GLIBC__) && !defined(SANITIZED)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void __libc_free(void *p);
#define SYSTEM(name) __libc_##name
#else
#define SYSTEM(name) name
#endif

static _Atomic(const char *) replay_command;
static atomic_long until_failure; /* allocations until one fails; 0 and below: none will */
static atomic_bool failed;
static atomic_long live;

_Noreturn void rh__bug(const char *place, const char *format, ...)
{
    char buffer[2048];
    struct rh__text text = { .at = buffer, .cap = sizeof buffer - 1 }; /* one for the newline */
    const char *replay = atomic_load(&replay_command);
    va_list list;

    rh__text_add(&text, "rehearse: internal error at %s: ", place);
    va_start(list, format);
    rh__text_add_list(&text, format, list);
    va_end(list);
    if (replay)
        rh__text_add(&text, "\nrehearse: replay it with: %s", replay);
    text.at[text.len++] = '\n';

    for (size_t done = 0; done < text.len;) {
        ssize_t n = write(STDERR_FILENO, text.at + done, text.len - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    _exit(RH__BUG_EXIT);
}

void rh__bug_set_replay(const char *command_kept)
{
    atomic_store(&replay_command, command_kept);
}

/* Whether this allocation is the one that was asked to fail. */
static bool fails_now(void)
{
    if (atomic_load_explicit(&until_failure, memory_order_relaxed) <= 0)
        return false;
    if (atomic_fetch_sub(&until_failure, 1) != 1)
        return false;
    atomic_store(&failed, true);
    return true;
}

static void *counted(void *p)
{
    if (p)
        atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return p;
}

void *rh__alloc(size_t size)
{
    return fails_now() ? NULL : counted(SYSTEM(malloc)(size ? size : 1));
}

void *rh__alloc_array(size_t count, size_t size)
{
    size_t bytes;

    /* calloc would find the overflow too, but a sanitizer's ends the process over it. */
    if (__builtin_mul_overflow(count, size, &bytes) || fails_now())
        return NULL;
    return counted(SYSTEM(calloc)(1, bytes ? bytes : 1));
}

void *rh__realloc(void *p, size_t size)
{
    if (fails_now())
        return NULL;
    void *moved = SYSTEM(realloc)(p, size ? size : 1);
    return p ? moved : counted(moved);
}

void rh__free(void *p)
{
    if (!p)
        return;
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    SYSTEM(free)(p);
}

void rh__alloc_fail_after(long k)
{
    atomic_store(&failed, false);
    atomic_store(&until_failure, k);
}

bool rh__alloc_has_failed(void)
{
    return atomic_load(&failed);
}

long rh__alloc_live(void)
{
    return atomic_load(&live);
}
