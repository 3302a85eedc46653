/* Internal errors and the tool's own memory. */
#include "base/fail.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

/* A sanitizer must see all memory, and bypasses our malloc in its own way. */
#if defined(__GLIBC__) && !defined(SANITIZED)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void __libc_free(void *p);
#define SYSTEM(name) __libc_##name
#else
#define SYSTEM(name) name
#endif

static struct {
    _Atomic(const char *) replay;
    _Atomic(const uint64_t *) runs;
    _Atomic(const uint32_t *) events;
    _Atomic(bool *) mark;
} context;
static atomic_long until_failure; /* allocations until one fails; 0 or less: none fails */
static atomic_bool failed;
static atomic_long live;

/* ---- internal errors --------------------------------------------------------------------------------------------- */

static void add_context(struct rh__text *text)
{
    const char *replay = atomic_load(&context.replay);
    const uint64_t *runs = atomic_load(&context.runs);
    const uint32_t *events = atomic_load(&context.events);

    if (runs && events)
        rh__text_add(text, "\nrehearse: in run %llu, at event %u", (unsigned long long)*runs + 1, (unsigned)*events);
    if (replay)
        rh__text_add(text, "\nrehearse: replay it with: %s", replay);
}

void rh__bug_context(char *buffer, size_t size)
{
    struct rh__text text = { .at = buffer, .cap = size };
    buffer[0] = 0;
    add_context(&text);
}

_Noreturn void rh__bug(const char *place, const char *format, ...)
{
    char buffer[4096];
    struct rh__text message = { .at = buffer, .cap = sizeof buffer / 2 };
    bool *mark = atomic_load(&context.mark);
    va_list list;

    rh__text_add(&message, "rehearse: internal error at %s: ", place);
    va_start(list, format);
    rh__text_add_list(&message, format, list);
    va_end(list);
    struct rh__text text = { .at = buffer, .cap = sizeof buffer - 1, .len = message.len }; /* one for the newline */
    add_context(&text);
    text.at[text.len++] = '\n';

    if (mark)
        *mark = true;
    for (size_t done = 0; done < text.len;) {
        long n = syscall(SYS_write, STDERR_FILENO, text.at + done, text.len - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    for (;;)
        syscall(SYS_exit_group, RH__BUG_EXIT);
}

void rh__bug_set_replay(const char *command_kept)
{
    atomic_store(&context.replay, command_kept);
}

void rh__bug_set_run(const uint64_t *runs_kept, const uint32_t *events_kept)
{
    atomic_store(&context.runs, runs_kept);
    atomic_store(&context.events, events_kept);
}

void rh__bug_set_mark(bool *mark_kept)
{
    atomic_store(&context.mark, mark_kept);
}

#ifdef RH__HOSTILE
static char plant[64];

__attribute__((constructor)) static void read_plant(void)
{
    const char *text = getenv("REHEARSE_PLANT");

    for (size_t i = 0; text && text[i] && i < sizeof plant - 1; i++)
        plant[i] = text[i];
}

bool rh__bug_is_planted(const char *name, uint64_t value)
{
    size_t n = strlen(name);

    return strncmp(plant, name, n) == 0 && plant[n] == '=' && strtoull(plant + n + 1, NULL, 10) == value;
}
#else
bool rh__bug_is_planted(const char *name, uint64_t value)
{
    (void)name, (void)value;
    return false;
}
#endif

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Whether this is the allocation that a test wants to fail. */
static bool fails_now(void)
{
    if (atomic_load_explicit(&until_failure, memory_order_relaxed) <= 0)
        return false;
    if (atomic_fetch_sub(&until_failure, 1) != 1)
        return false;
    atomic_store(&failed, true);
    return true;
}

#ifdef RH__HOSTILE
/* A hostile block is [head | content | tail]. The content keeps malloc's alignment. */
struct head {
    size_t size;
    uint64_t mark;
};

_Static_assert(sizeof(struct head) == 16, "the content of a block must stay aligned");

static const uint64_t mark_live = 0x6c69766568656164, mark_tail = 0x7461696c7461696c;

static size_t with_marks(size_t size)
{
    return size > SIZE_MAX - 24 ? SIZE_MAX : sizeof(struct head) + size + sizeof mark_tail;
}

static void *block_open(void *memory, size_t size)
{
    struct head *h = memory;

    if (!h)
        return NULL;
    *h = (struct head){ .size = size, .mark = mark_live };
    memcpy((char *)(h + 1) + size, &mark_tail, sizeof mark_tail);
    return h + 1;
}

static struct head *block_close(void *p)
{
    struct head *h = (struct head *)p - 1;

    RH__ASSERT(h->mark == mark_live, "%p is freed twice, or not ours, or the bytes before it were overwritten", p);
    RH__ASSERT(memcmp((char *)p + h->size, &mark_tail, sizeof mark_tail) == 0,
               "the bytes after the %zu bytes at %p were overwritten", h->size, p);
    h->mark = 0;
    memset(p, 0xdd, h->size);
    return h;
}

static void *raw_alloc(size_t size)
{
    void *p = block_open(SYSTEM(malloc)(with_marks(size)), size);

    return p ? memset(p, 0xa5, size) : NULL;
}

static void *raw_alloc_zeroed(size_t size)
{
    return block_open(SYSTEM(calloc)(1, with_marks(size)), size);
}

static void raw_free(void *p)
{
    SYSTEM(free)(block_close(p));
}

/* Always moves. */
static void *raw_realloc(void *p, size_t size)
{
    void *moved = raw_alloc(size);

    if (!p || !moved)
        return moved;
    const size_t old = ((struct head *)p - 1)->size;
    memcpy(moved, p, old < size ? old : size);
    raw_free(p);
    return moved;
}
#else
static void *raw_alloc(size_t size)
{
    return SYSTEM(malloc)(size ? size : 1);
}

static void *raw_alloc_zeroed(size_t size)
{
    return SYSTEM(calloc)(1, size ? size : 1);
}

static void *raw_realloc(void *p, size_t size)
{
    return SYSTEM(realloc)(p, size ? size : 1);
}

static void raw_free(void *p)
{
    SYSTEM(free)(p);
}
#endif

static void *counted(void *p)
{
    if (p)
        atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return p;
}

void *rh__alloc(size_t size)
{
    return fails_now() ? NULL : counted(raw_alloc(size));
}

void *rh__alloc_array(size_t count, size_t size)
{
    size_t bytes;

    /* calloc would detect the overflow, too, but a sanitizer's calloc ends the process. */
    if (__builtin_mul_overflow(count, size, &bytes) || fails_now())
        return NULL;
    return counted(raw_alloc_zeroed(bytes));
}

void *rh__realloc(void *p, size_t size)
{
    if (fails_now())
        return NULL;
    void *moved = raw_realloc(p, size);
    return p ? moved : counted(moved);
}

void rh__free(void *p)
{
    if (!p)
        return;
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    raw_free(p);
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
