/* Snapshots that outlive the run (rehearse/world.h).
 *
 * The log knows what differs from the beginning of the run.  So a snapshot contains the current value of every place in
 * the log, the appended rows of the tables that only grow, and the stacks of suspended fibers, which are logged only
 * when the fibers continue.  Loading goes back to the beginning and writes everything through the log, so that a later
 * reset works, too.
 *
 * Layout: the header, then entries (where, size, bytes rounded up to 8), then events, messages, payload. */
#include <string.h>

#include "base/copy.h"
#include "base/fail.h"
#include "world/fiber.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/objects.h"
#include "world/pages.h"
#include "world/step.h"

__attribute__((weak)) void __asan_unpoison_memory_region(void const volatile *at, size_t size);

struct rh_snapshot {
    size_t bytes;
    uint32_t entries;
    uint32_t events, messages, under_way;
    uint64_t payload_from, payload_to;
    uint32_t messages_from;
    bool hashing;
    uint32_t hashing_since;
    struct rh_outcome outcome;
};

struct entry {
    uint64_t where;
    uint64_t size;
};

static size_t up(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

/* Walks the log from the top down to the beginning, and returns the place and size of each entry. */
static char *walk(const struct world_log_entry *e, struct entry *found)
{
    uint64_t where = e->where & ~(uint64_t)LOG_TAGS;
    switch (e->where & LOG_TAGS) {
    case LOG_WORD64:
        *found = (struct entry){ where, 8 };
        break;
    case LOG_WORD32:
        *found = (struct entry){ where, 4 };
        break;
    default:
        *found = (struct entry){ where + (e->old & 3), rh__log_size(e) };
        break;
    }
    return rh__log_before(e);
}

/* A word that was written many times is saved once: a hash table of addresses with open addressing. */
struct seen {
    uint64_t *slots;
    size_t mask;
};

static bool first_time(struct seen *s, uint64_t where, uint64_t size)
{
    uint64_t key = where << 1 | (size == 8);
    for (size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & s->mask;; i = (i + 1) & s->mask) {
        if (s->slots[i] == key)
            return false;
        if (!s->slots[i]) {
            s->slots[i] = key;
            return true;
        }
    }
}

static size_t put_entry(char *to, size_t at, const struct entry *e)
{
    if (to) {
        memcpy(to + at, e, sizeof *e);
        rh__copy(to + at + sizeof *e, (const void *)(uintptr_t)e->where, e->size);
    }
    return sizeof *e + up(e->size);
}

/* Appended rows are written without the log. */
static size_t collect_rows(struct rh_world *w, char *to, size_t at, uint32_t *count)
{
    size_t bytes = 0;
#define ROWS(table, from, to_)                                                                                         \
    {                                                                                                                  \
        (uint64_t)(uintptr_t) & w->table[w->from], (uint64_t)((w->to_) - (w->from)) * sizeof *w->table                 \
    }
    const struct entry rows[] = {
        ROWS(actors, baseline_actors, actor_count),      ROWS(channels, baseline_channels, channel_count),
        ROWS(writes, baseline_writes, write_pool.count), ROWS(lines, baseline_lines, line_count),
        ROWS(accesses, baseline_accesses, access_count), ROWS(operations, baseline_operations, operation_count),
        ROWS(shown, baseline_shown, shown_count),
    };
#undef ROWS
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].size) {
            bytes += put_entry(to, at + bytes, &rows[i]);
            ++*count;
        }
    return bytes;
}

static size_t collect_stacks(struct rh_world *w, char *to, size_t at, uint32_t *count)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < w->actor_count; i++)
        if (w->actors[i].stack != RH_NONE) {
            uint32_t size;
            struct entry e = { .where = (uint64_t)(uintptr_t)rh__fiber_live(w, i, &size) };
            e.size = size;
            bytes += put_entry(to, at + bytes, &e);
            ++*count;
        }
    return bytes;
}

static size_t collect(struct rh_world *w, struct seen *seen, char *to, uint32_t *count)
{
    size_t bytes = 0;
    *count = 0;
    memset(seen->slots, 0, (seen->mask + 1) * sizeof *seen->slots);
    for (char *top = w->log; top > w->baseline_log;) {
        struct entry e;
        top = walk((const struct world_log_entry *)(const void *)top - 1, &e);
        if (e.size <= 8 && !first_time(seen, e.where, e.size))
            continue;
        bytes += put_entry(to, bytes, &e);
        ++*count;
    }
    bytes += collect_rows(w, to, bytes, count);
    return bytes + collect_stacks(w, to, bytes, count);
}

struct rh_snapshot *rh_world_save(struct rh_world *w)
{
    RH__ASSERT(!w->no_undo, "a world without undo cannot be saved");
    size_t slots = 64;
    while (slots < (size_t)(w->log - w->baseline_log) / 8)
        slots *= 2;
    struct seen seen = { rh__alloc_array(slots, sizeof(uint64_t)), slots - 1 };
    if (!seen.slots)
        return NULL;
    uint32_t entries;
    size_t deltas = collect(w, &seen, NULL, &entries);
    size_t messages = (w->message_count - w->baseline_messages) * sizeof(struct world_message);
    size_t events = (w->event_count - 1) * sizeof(struct rh_event);
    size_t payload = w->payload_at - w->baseline_payload;
    size_t bytes = up(sizeof(struct rh_snapshot)) + deltas + up(events) + up(messages) + payload;
    struct rh_snapshot *s = rh__alloc(bytes);
    if (s) {
        *s = (struct rh_snapshot){ .bytes = bytes,
                                   .events = w->event_count,
                                   .messages = w->message_count,
                                   .under_way = w->under_way,
                                   .messages_from = w->baseline_messages,
                                   .payload_from = w->baseline_payload,
                                   .payload_to = w->payload_at,
                                   .hashing = w->hashing,
                                   .hashing_since = w->hashing_since,
                                   .outcome = w->outcome };
        char *at = (char *)s + up(sizeof *s);
        at += collect(w, &seen, at, &s->entries);
        memcpy(at, w->events + 1, events);
        at += up(events);
        memcpy(at, w->messages + w->baseline_messages, messages);
        at += up(messages);
        memcpy(at, w->payload + w->baseline_payload, payload);
    }
    rh__free(seen.slots);
    return s;
}

/* Bypasses AddressSanitizer: a word of globals may contain red zones, and a stack or heap may be poisoned now. */
static void write_back(struct rh_world *w, const struct entry *e, const char *bytes)
{
    char *where = (char *)(uintptr_t)e->where;
    if (e->size == 8 && !(e->where & 7)) {
        uint64_t old;
        rh__copy(&old, where, 8);
        log_push(w, where, LOG_WORD64, old);
    } else if (e->size == 4 && !(e->where & 3)) {
        uint32_t old;
        rh__copy(&old, where, 4);
        log_push(w, where, LOG_WORD32, old);
    } else {
        rh__log_image(w, where, (uint32_t)e->size);
        if (w->asan) /* red zones of the fiber that was there before; heaps are updated when their actor runs */
            __asan_unpoison_memory_region(where, e->size);
    }
    rh__copy(where, bytes, e->size);
}

void rh_world_load(struct rh_world *w, const struct rh_snapshot *s)
{
    rh_world_reset(w);
    const char *at = (const char *)s + up(sizeof *s);
    for (uint32_t i = 0; i < s->entries; i++) {
        struct entry e;
        memcpy(&e, at, sizeof e);
        write_back(w, &e, at + sizeof e);
        at += sizeof e + up(e.size);
    }
    size_t events = (s->events - 1) * sizeof(struct rh_event);
    size_t messages = (s->messages - s->messages_from) * sizeof(struct world_message);
    memcpy(w->events + 1, at, events);
    at += up(events);
    memcpy(w->messages + s->messages_from, at, messages);
    at += up(messages);
    memcpy(w->payload + s->payload_from, at, s->payload_to - s->payload_from);
    w->event_count = s->events;
    w->message_count = s->messages;
    w->payload_at = s->payload_to;
    w->under_way = s->under_way;
    w->outcome = s->outcome;
    w->choices_log = w->parts.log = NULL;
    /* Undoing these steps one by one would need their log; from here only reset, and undo of later steps, are
     * possible. */
    for (uint32_t i = 1; i < w->event_count; i++)
        w->events[i].private_mark[0] = 0;
    rh__lists_forget(w);
    w->loaded_events = s->events;
    w->hashing = false;
    rh__pages_settle(w);
    for (uint32_t i = 0; i < w->actor_count; i++)
        w->actors[i].image = NULL; /* rows of another log */
    rh__epoch_begin(w);
}

size_t rh_snapshot_bytes(const struct rh_snapshot *s)
{
    return s->bytes;
}

void rh_snapshot_free(struct rh_snapshot *s)
{
    rh__free(s);
}
