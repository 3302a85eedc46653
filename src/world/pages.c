/* See pages.h.  There is one tracker for each segment of globals and each large region, in one list for the fault
 * handler.  Trackers are created in the middle of steps, so their memory comes directly from the kernel: rh__alloc
 * counts in a global of ours, which would look like a global that the program has changed. */
#define _GNU_SOURCE
#include "world/pages.h"

#include <string.h>
#include <sys/mman.h>

#include "base/copy.h"
#include "base/hash.h"
#include "world/alike.h"
#include "world/log.h"
#include "world/memory.h"

enum { PAGE = 4096, WORDS = PAGE / 8, COOL_AFTER = 64, AT_ONCE = 16 };

struct rh__pages {
    struct rh__pages *next;
    char *base;
    size_t pages;
    char *shadow;   /* reserved like the pages themselves */
    uint8_t *hot;   /* per page */
    uint8_t *calm;  /* per page: comparisons since the last change */
    uint32_t *list; /* the hot pages */
    uint32_t count; /* of hot pages; with images (rh__pages_keep_images) 0 only if there are none, and no list */
    uint32_t actor; /* RH_NONE for globals */
    uint64_t skip_from, skip_to;
    bool active;
    size_t bytes; /* size of this mapping: the struct and its arrays, then the shadow */
};

/* Private to the process that makes the steps, which is also the one that faults. */
static struct rh__pages *trackers(struct rh_world *w)
{
    return w->globals;
}

static bool protect(struct rh__pages *p, size_t page, size_t count, int how)
{
    return mprotect(p->base + page * PAGE, count * PAGE, how) == 0;
}

struct rh__pages *rh__pages_new(struct rh_world *w, char *base, size_t size)
{
    char *from = (char *)((uintptr_t)base & ~(uintptr_t)(PAGE - 1));
    size_t pages = ((size_t)(base + size - from) + PAGE - 1) / PAGE;
    size_t arrays = (sizeof(struct rh__pages) + pages * (sizeof(uint32_t) + 2) + PAGE - 1) / PAGE * PAGE;
    size_t bytes = arrays + pages * PAGE;
    struct rh__pages *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    p->bytes = bytes;
    p->base = from;
    p->pages = pages;
    p->actor = RH_NONE;
    p->list = (uint32_t *)(void *)(p + 1);
    p->hot = (uint8_t *)(p->list + pages);
    p->calm = p->hot + pages;
    p->shadow = (char *)p + arrays;
    if (!protect(p, 0, pages, PROT_READ)) {
        munmap(p, bytes);
        return NULL;
    }
    p->active = true;
    p->next = w->globals;
    w->globals = p;
    return p;
}

struct rh__pages *rh__pages_for_actor(struct rh_world *w, uint32_t actor)
{
    for (struct rh__pages *p = trackers(w); p; p = p->next)
        if (p->actor == actor) {
            if (!p->active) {
                protect(p, 0, p->pages, PROT_READ);
                p->active = true;
            }
            return p;
        }
    struct rh__pages *p = rh__pages_new(w, w->regions + w->region_stride * actor, w->region_stride - PAGE);
    if (p) {
        p->actor = actor;
        w->large_count++;
    }
    return p;
}

static void let_go(struct rh__pages *p)
{
    protect(p, 0, p->pages, PROT_READ | PROT_WRITE);
    memset(p->hot, 0, p->pages);
    p->count = 0;
    p->active = false;
}

void rh__pages_free_all(struct rh_world *w)
{
    while (w->globals) {
        struct rh__pages *p = w->globals;
        w->globals = p->next;
        let_go(p);
        munmap(p, p->bytes);
    }
}

void rh__pages_protect_actors(struct rh_world *w)
{
    for (struct rh__pages *p = trackers(w); p; p = p->next)
        if (p->actor != RH_NONE && p->active && p->count && protect(p, 0, p->pages, PROT_READ)) {
            memset(p->hot, 0, p->pages);
            p->count = 0;
        }
}

void rh__pages_settle(struct rh_world *w)
{
    for (struct rh__pages *p = trackers(w); p; p = p->next)
        if (p->actor != RH_NONE && p->active && w->large[p->actor] != p)
            let_go(p);
        else if (p->actor != RH_NONE && !p->active && w->large[p->actor] == p)
            p->active = protect(p, 0, p->pages, PROT_READ); /* a snapshot made the region large again */
    if (rh__pages_keep_images(w))
        rh__pages_protect_actors(w);
}

/* Puts a page into the log, with those around it: a fault costs more than to copy them. */
static bool log_pages(struct rh_world *w, struct rh__pages *p, size_t page)
{
    size_t first = page / AT_ONCE * AT_ONCE, count = p->pages - first < AT_ONCE ? p->pages - first : AT_ONCE;
    if (!protect(p, first, count, PROT_READ | PROT_WRITE))
        return false;
    rh__log_image(w, p->base + first * PAGE, (uint32_t)(count * PAGE));
    memset(p->hot + first, 1, count);
    p->count++;
    w->counts.page_faults++;
    return true;
}

bool rh__pages_fault(struct rh_world *w, void *address)
{
    for (struct rh__pages *p = trackers(w); p; p = p->next) {
        size_t page = (size_t)((char *)address - p->base) / PAGE;
        if ((char *)address < p->base || page >= p->pages || p->hot[page] || !p->active)
            continue;
        if (p->actor != RH_NONE && rh__pages_keep_images(w))
            return log_pages(w, p, page);
        if (!protect(p, page, 1, PROT_READ | PROT_WRITE))
            return false;
        rh__copy(p->shadow + page * PAGE, p->base + page * PAGE, PAGE);
        p->hot[page] = 1;
        p->calm[page] = 0;
        p->list[p->count++] = (uint32_t)page;
        w->hot_pages += p->actor == RH_NONE;
        w->counts.page_faults++;
        return true;
    }
    return false;
}

void rh__pages_sync(struct rh__pages *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        rh__copy(p->shadow + (size_t)p->list[i] * PAGE, p->base + (size_t)p->list[i] * PAGE, PAGE);
}

void rh__pages_skip(struct rh__pages *p, uintptr_t from, uintptr_t to)
{
    p->skip_from = from;
    p->skip_to = to;
}

/* The hash of a word in its place; of a zero, nothing. */
static inline struct rh__wide hash_word(uint64_t where, uint64_t word)
{
    return word ? rh__wide_with(rh__wide_of(where), word) : rh__wide_of(0);
}

RH__NO_SANITIZE static bool diff_page(struct rh_world *w, const struct rh__pages *p, char *page, char *shadow,
                                      struct rh__wide *hash)
{
    if (rh__equal(page, shadow, PAGE))
        return false;
    uint64_t *now = (uint64_t *)(void *)page, *before = (uint64_t *)(void *)shadow;
    for (size_t i = 0; i < WORDS; i++)
        if (now[i] != before[i]) {
            uint64_t where = (uint64_t)(uintptr_t)&now[i];
            if (where >= p->skip_from && where < p->skip_to)
                continue;
            /* By halves: the driver of the world may have an int beside the program's. */
            uint32_t *halves = (uint32_t *)(void *)&now[i], *were = (uint32_t *)(void *)&before[i];
            for (int half = 0; half < 2; half++)
                if (halves[half] != were[half])
                    log_push(w, &halves[half], LOG_WORD32, were[half]);
            where = rh__image_word(&w->images, where);
            *hash = rh__wide_xor(*hash, rh__wide_xor(hash_word(where, rh__image_word(&w->images, before[i])),
                                                     hash_word(where, rh__image_word(&w->images, now[i]))));
            before[i] = now[i];
        }
    return true;
}

void rh__pages_diff(struct rh_world *w, struct rh__pages *p, struct rh__wide *hash)
{
    for (uint32_t i = 0; i < p->count;) {
        uint32_t page = p->list[i];
        if (diff_page(w, p, p->base + (size_t)page * PAGE, p->shadow + (size_t)page * PAGE, hash)) {
            p->calm[page] = 0;
        } else if (++p->calm[page] >= COOL_AFTER && protect(p, page, 1, PROT_READ)) {
            p->hot[page] = 0;
            p->list[i] = p->list[--p->count];
            w->hot_pages -= p->actor == RH_NONE;
            continue;
        }
        i++;
    }
}

RH__NO_SANITIZE struct rh__wide rh__pages_hash(const char *base, uint32_t size)
{
    /* `base` need not be aligned to the words of its page; regions are not. */
    const uint64_t *words = (const uint64_t *)(const void *)base;
    struct rh__wide hash = { 0, 0 };
    for (size_t i = 0; i < (size + 7) / 8; i++)
        hash = rh__wide_xor(hash, hash_word((uint64_t)(uintptr_t)&words[i], words[i]));
    return hash;
}

/* Most words of a page that nobody wrote are zero, or older than all actors; neither refers to an actor. */
void rh__globals_know(const struct rh_world *w, unsigned char *marks)
{
    for (const struct rh__pages *p = w->globals; p; p = p->next)
        if (p->actor == RH_NONE)
            rh__globals_mark(w, p->base, p->pages * PAGE, marks);
}

void rh__globals_sync(struct rh_world *w)
{
    for (struct rh__pages *p = trackers(w); p; p = p->next)
        if (p->actor == RH_NONE && p->count)
            rh__pages_sync(p);
}

void rh__globals_diff(struct rh_world *w)
{
    struct rh__wide hash = w->globals_hash;
    for (struct rh__pages *p = trackers(w); p; p = p->next)
        if (p->actor == RH_NONE && p->count)
            rh__pages_diff(w, p, &hash);
    if (rh__wide_is_zero(rh__wide_xor(hash, w->globals_hash)))
        return;
    put_wide(w, &w->globals_hash, hash);
    uint32_t actor = w->events[w->event_count - 1].choice.actor;
    if (w->event_count > 1 && actor != RH_NONE && !*w->globals_writer)
        rh_world_actor_name(w, actor, w->globals_writer, sizeof w->globals_writer);
}
