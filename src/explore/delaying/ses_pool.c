/* ses with several workers (struct rh_explorer_rounds).
 *
 * One explorer, that of the agent, keeps the search: the frontier and the set of visited states.  A round is a stratum.
 * Workers get items of it, a batch at a time, and make their runs.  A run is a function of its item and the set as it
 * was at the beginning of the round: it goes on until a state is in this set, or on its own path.  The worker tells the
 * states that it came to, with their numbers of choices (a record).  When the round is over, the records are settled in
 * the order of the items: a record enters its states into the set up to the first one that is there, and puts off their
 * other choices.  So the totals do not depend on who made which run or how often workers were lost; runs, states and
 * transitions are those of one process.  What is made in vain: a run that goes on behind a state that another run of
 * the same round enters.
 *
 * Workers read the set in shared memory; it changes between rounds only. */
#include <stdlib.h>
#include <string.h>

#include "explore/delaying/ses.h"
#include "explore/explorers.h"
#include "world/live.h"

enum { BATCH = 'b', RECORDS = 'r', SAVED = 's', VERSION = 3, MOST_BATCH = 256, TOLD_BYTES = 1 << 22 };
static const uint32_t HOT = (uint32_t)1 << 31;    /* beside the meaning of fingerprints */
static const size_t kept_bytes = (size_t)1 << 31; /* of records, and of fingerprints; only address space */

bool rh__ses_pool_open(struct rh__ses *s)
{
    struct rh__ses_pool *p = &s->pool;
    p->print = rh_exploration_memory(s->x, (size_t)s->room * sizeof *p->print);
    p->entry = rh_exploration_memory(s->x, RH__FRONTIER_ITEM);
    p->told = rh_exploration_memory(s->x, TOLD_BYTES + (size_t)s->room * 24 + RH__FRONTIER_ITEM + 64);
    p->slot = rh__exploration_publish(s->x, s->visited);
    void *records = rh_exploration_memory(s->x, kept_bytes), *states = rh_exploration_memory(s->x, kept_bytes);
    p->records = rh__writer_of(records, kept_bytes);
    p->states = rh__writer_of(states, kept_bytes);
    return p->print && p->entry && p->told && records && states;
}

/* ---- a worker ---------------------------------------------------------------------------------------------------- */

bool rh__ses_pool_visited(const struct rh__ses *s, struct rh_fingerprint f)
{
    return rh_visited_has(s->pool.common, f);
}

static void put_print(struct rh__writer *w, struct rh_fingerprint f)
{
    rh__put64(w, f.high);
    rh__put64(w, f.low);
}

static struct rh_fingerprint get_print(struct rh__reader *r)
{
    uint64_t high = rh__get64(r);
    return (struct rh_fingerprint){ high, rh__get64(r) };
}

/* A record: number of the item, meaning of fingerprints, the item; states from its own one on, with their choices; the
 * last state. */
static void write_record(struct rh__ses *s)
{
    struct rh__ses_pool *p = &s->pool;
    struct rh__writer w = rh__writer_of(p->told + p->told_size, (size_t)s->room * 24 + RH__FRONTIER_ITEM + 64);
    rh__put64(&w, p->number);
    rh__put_small(&w, p->meaning | (p->hot ? HOT : 0));
    rh__put_block(&w, p->entry, p->entry_size);
    rh__put_small(&w, s->top > s->base ? s->top - s->base : 0);
    for (uint32_t i = s->base; i < s->top; i++) {
        rh__put_small(&w, s->path[i].count);
        put_print(&w, p->print[i]);
    }
    rh__put_small(&w, p->has_last);
    if (p->has_last)
        put_print(&w, p->last);
    p->told_size += w.len;
}

/* The run goes on from the last one, or begins anew. */
static uint32_t begin_item(struct rh__ses *s, const struct rh_world *w)
{
    struct rh__ses_pool *p = &s->pool;
    if (p->common_meaning & ~rh_world_fingerprint_meaning(w)) {
        rh__world_has_seen(rh__exploration_world(s->x), p->common_meaning);
        rh__ses_leave_path(s);
    }
    uint32_t levels = p->entry_size ? rh__ses_read_item(s, p->entry, p->entry_size, s->given) : 0;
    p->running = true;
    p->has_last = false;
    p->meaning = rh_world_fingerprint_meaning(w);
    return rh__ses_take(s, levels);
}

/* The run has ended.  If fingerprints mean something else now (the program has read the clock), the record says so, and
 * the search starts over: nobody looks at its states. */
static void end_item(struct rh__ses *s)
{
    struct rh__ses_pool *p = &s->pool;
    uint32_t meaning = rh_world_fingerprint_meaning(rh__exploration_world(s->x));
    bool outdated = p->running && p->meaning != meaning;
    p->meaning = meaning;
    if (p->running && !s->diverged)
        write_record(s);
    if (outdated)
        rh__ses_leave_path(s);
    p->running = false;
}

uint32_t rh__ses_pool_begin(struct rh__ses *s, const struct rh_world *w)
{
    struct rh__ses_pool *p = &s->pool;
    end_item(s);
    size_t size;
    const void *item = p->told_size < TOLD_BYTES && !s->diverged ? rh__frontier_take(s->now, &size) : NULL;
    if (!item)
        return 0;
    p->number++;
    memcpy(p->entry, item, size);
    p->entry_size = size;
    return begin_item(s, w);
}

/* A batch: meaning of fingerprints, number of the first item, number of items, items. */
static size_t write_batch(struct rh__ses *s, uint64_t first, uint32_t most, void *buffer, size_t room)
{
    struct rh__writer w = rh__writer_of(buffer, room), count;
    struct rh__frontier *from = s->now;
    uint32_t n = 0;
    unsigned char kind = BATCH;
    rh__put(&w, &kind, 1);
    rh__put32(&w, s->pool.common_meaning);
    rh__put64(&w, first);
    size_t place = w.len;
    rh__put32(&w, 0);
    while (n < most && rh__frontier_left(from) && w.len + RH__FRONTIER_ITEM + 16 <= room) {
        size_t size;
        const void *item = rh__frontier_take(from, &size);
        if (!item)
            return 0;
        rh__put_block(&w, item, size);
        n++;
    }
    count = rh__writer_of(w.at + place, 4);
    rh__put32(&count, n);
    return w.full || !n ? 0 : w.len;
}

size_t rh__ses_pack(struct rh__ses *s, void *buffer, size_t room, bool half)
{
    struct rh__ses_pool *p = &s->pool;
    if (half || !s->active || (p->works && s->diverged))
        return 0;
    if (!p->works && s->begun)
        return 0; /* one process keeps it all */
    end_item(s);
    size_t size = p->works ? write_batch(s, p->number + 1, UINT32_MAX, buffer, room) : rh_item_put_root(buffer, room);
    s->active = size ? false : s->active;
    return size;
}

static bool read_batch(struct rh__ses *s, struct rh__reader *r)
{
    s->pool.common_meaning = rh__get32(r);
    uint64_t first = rh__get64(r);
    uint32_t n = rh__get32(r);
    rh__frontier_clear(s->now);
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        size_t size;
        const void *item = rh__get_block(r, &size);
        bool good = item && size < RH__FRONTIER_ITEM - 8 && (!size || rh__ses_read_item(s, item, size, s->given)) &&
                    rh__frontier_put(s->now, item, size);
        if (!good)
            return false;
    }
    s->pool.number = first - 1;
    return n && first && rh__reader_done(r);
}

bool rh__ses_unpack(struct rh__ses *s, const void *item, size_t size)
{
    struct rh__ses_pool *p = &s->pool;
    s->active = false;
    if (rh_item_is_root(item, size)) {
        p->works = false;
        s->active = true;
        return true;
    }
    struct rh__reader r = rh__reader_of(item, size);
    const unsigned char *kind = rh__get(&r, 1);
    p->common = rh__exploration_published(s->x, p->slot);
    p->works = true;
    p->running = false;
    s->placed = true;
    rh__ses_leave_path(s);
    s->diverged = false;
    s->active = p->common && kind && *kind == BATCH && read_batch(s, &r);
    return s->active;
}

size_t rh__ses_tell(struct rh__ses *s, void *buffer, size_t room)
{
    struct rh__writer w = rh__writer_of(buffer, room);
    unsigned char kind = RECORDS;
    end_item(s);
    rh__put(&w, &kind, 1);
    rh__put(&w, s->pool.told, s->pool.told_size);
    s->pool.told_size = 0;
    return w.full ? 0 : w.len;
}

/* ---- the one that keeps the search ------------------------------------------------------------------------------- */

/* Reads over a record and returns its number and the meaning of its fingerprints.  False for bytes that are none. */
static bool skip_record(struct rh__reader *r, uint64_t *number, uint32_t *meaning)
{
    size_t size;
    *number = rh__get64(r);
    *meaning = (uint32_t)rh__get_small(r);
    rh__get_block(r, &size);
    for (uint64_t n = rh__get_small(r); n && !r->bad; n--) {
        rh__get_small(r);
        get_print(r);
    }
    if (rh__get_small(r))
        get_print(r);
    return !r->bad;
}

bool rh__ses_gather(struct rh__ses *s, const void *told, size_t size)
{
    struct rh__reader r = rh__reader_of(told, size);
    const unsigned char *kind = rh__get(&r, 1);
    if (!kind || *kind != RECORDS)
        return false;
    rh__put(&s->pool.records, r.at, r.left);
    uint64_t number;
    uint32_t meaning;
    while (r.left) {
        if (!skip_record(&r, &number, &meaning))
            return false;
        s->pool.hot |= (meaning & HOT) != 0;
        s->pool.starts_over |= (meaning & ~s->pool.common_meaning & ~HOT) != 0;
        s->pool.common_meaning |= meaning & ~HOT;
    }
    return !s->pool.records.full;
}

static bool enter_state(struct rh__ses *s, struct rh_fingerprint f)
{
    bool first = rh_visited_add(s->visited, f) == RH_VISITED_FIRST;
    if (first)
        put_print(&s->pool.states, f);
    return first;
}

/* Enters the states of a record, and puts off their other choices: those of the last state first, as in one process. */
static bool settle(struct rh__ses *s, struct rh__reader *r)
{
    size_t size;
    rh__get64(r);
    rh__get_small(r);
    const void *item = rh__get_block(r, &size);
    uint32_t levels = item && size ? rh__ses_read_item(s, item, size, s->given) : 0;
    uint32_t base = levels ? levels - 1 : s->floor, top = base;
    uint64_t n = rh__get_small(r);
    bool entered = true, is_first = !levels;
    if (r->bad || n > s->room - base || (size && !levels))
        return false;
    for (uint32_t i = s->floor; i < base; i++)
        s->path[i].delays = s->given[i];
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        uint32_t count = (uint32_t)rh__get_small(r);
        struct rh_fingerprint f = get_print(r);
        entered = entered && ((i == 0 && !is_first) || enter_state(s, f));
        if (!entered)
            continue;
        s->path[top] = (struct rh__ses_level){ .count = count, .delays = i == 0 && levels ? s->given[base] : 0 };
        top++;
        s->transitions++;
    }
    if (rh__get_small(r)) {
        struct rh_fingerprint f = get_print(r);
        if (entered && !r->bad)
            enter_state(s, f);
    }
    for (uint32_t i = top; i-- > base && !r->bad;)
        if (s->path[i].delays + 1 < s->path[i].count)
            rh__ses_put_off(s, i);
    return !r->bad;
}

struct place {
    uint64_t number;
    const unsigned char *at;
    size_t left;
};

static int by_number(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* The round is over: all of its records are here.  False if memory is short, or the records make no sense. */
static bool settle_all(struct rh__ses *s)
{
    struct rh__writer *records = &s->pool.records;
    struct rh__reader r = rh__reader_of(records->at, records->len);
    size_t count = 0, room = 0;
    struct place *places = NULL;
    bool good = true;
    while (good && r.left) {
        uint32_t meaning;
        struct place p = { .at = r.at, .left = r.left };
        good = skip_record(&r, &p.number, &meaning);
        if (good && count == room) {
            struct place *more = rh__realloc(places, (room = room * 2 + 64) * sizeof *places);
            good = more != NULL;
            places = more ? more : places;
        }
        if (good)
            places[count++] = p;
    }
    if (count)
        qsort(places, count, sizeof *places, by_number);
    for (size_t i = 0; good && i < count; i++) {
        struct rh__reader one = rh__reader_of(places[i].at, places[i].left);
        good = settle(s, &one);
    }
    rh__free(places);
    records->len = 0;
    return good && !s->pool.states.full;
}

/* As one process does when fingerprints mean something else: begins again with the run without delays. */
static void begin_search(struct rh__ses *s)
{
    struct rh__ses_pool *p = &s->pool;
    p->keeps = true;
    p->life++;
    p->starts_over = s->stopped = false;
    p->records.len = p->states.len = 0;
    s->transitions = s->most_items = 0;
    s->delays = 0;
    rh_visited_clear(s->visited);
    rh__frontier_clear(s->now);
    rh__frontier_clear(s->next);
    s->full |= !rh__frontier_put(s->now, "", 0);
}

size_t rh__ses_give(struct rh__ses *s, void *buffer, size_t room, bool idle)
{
    struct rh__ses_pool *p = &s->pool;
    if (!p->keeps || (p->starts_over && idle))
        begin_search(s);
    if (s->full || p->starts_over || (!rh__frontier_left(s->now) && !idle))
        return 0;
    if (!rh__frontier_left(s->now)) {
        s->full |= !settle_all(s);
        if (s->full || !rh__ses_next_stratum(s))
            return 0;
    }
    uint64_t left = rh__frontier_left(s->now);
    uint32_t most = left / 16 < MOST_BATCH ? (uint32_t)(left / 16) + 1 : MOST_BATCH;
    size_t size = write_batch(s, p->numbered + 1, most, buffer, room);
    p->numbered += left - rh__frontier_left(s->now);
    s->full |= !size;
    return size;
}

bool rh__ses_has_more(const struct rh__ses *s)
{
    bool any = rh__frontier_left(s->now) || rh__frontier_left(s->next) || s->pool.records.len;
    return !s->pool.keeps || s->pool.starts_over || (any && !s->stopped);
}

/* ---- workers without this memory --------------------------------------------------------------------------------- */

const void *rh__ses_known(const struct rh__ses *s, uint64_t *life, size_t *size)
{
    *life = s->pool.life;
    *size = s->pool.states.len;
    return s->pool.states.at;
}

bool rh__ses_learn(struct rh__ses *s, const void *bytes, size_t size)
{
    struct rh__reader r = rh__reader_of(bytes, size);
    while (r.left && !r.bad)
        rh_visited_add(s->visited, get_print(&r));
    return !r.bad;
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

static void save_frontier(struct rh__frontier *f, struct rh__writer *w)
{
    size_t size;
    const void *item;
    rh__put64(w, rh__frontier_left(f));
    for (uint64_t at = f->at, next; (item = rh__frontier_read(f, at, &next, &size)); at = next)
        rh__put_block(w, item, size);
}

static bool load_frontier(struct rh__ses *s, struct rh__frontier *f, struct rh__reader *r)
{
    for (uint64_t n = rh__get64(r); n && !r->bad; n--) {
        size_t size;
        const void *item = rh__get_block(r, &size);
        if (!item || size > RH__FRONTIER_ITEM - 8 || (size && !rh__ses_read_item(s, item, size, s->given)) ||
            !rh__frontier_put(f, item, size))
            return false;
    }
    return !r->bad;
}

static void save(const struct rh__ses *s, struct rh__writer *w)
{
    const struct rh__ses_pool *p = &s->pool;
    const unsigned char front[] = { SAVED, VERSION, p->keeps, s->stopped, s->full, p->starts_over, p->hot };
    rh__put(w, front, sizeof front);
    rh__put32(w, p->common_meaning);
    rh__put32(w, s->delays);
    rh__put64(w, p->numbered);
    rh__put64(w, s->transitions);
    rh__put64(w, s->most_items);
    save_frontier(s->now, w);
    save_frontier(s->next, w);
    rh__put64(w, p->records.len);
    rh__put(w, p->records.at, p->records.len);
    rh__put64(w, p->states.len);
    rh__put(w, p->states.at, p->states.len);
}

size_t rh__ses_save(const struct rh__ses *s, void *buffer, size_t room)
{
    struct rh__writer w = rh__writer_new();
    save(s, &w);
    size_t size = w.full ? 0 : w.len;
    if (size && size <= room)
        memcpy(buffer, w.at, size);
    rh__writer_release(&w);
    return size;
}

static bool load_bytes(struct rh__writer *to, struct rh__reader *r)
{
    uint64_t size = rh__get64(r);
    const void *bytes = rh__get(r, size < SIZE_MAX ? (size_t)size : SIZE_MAX);
    if (bytes)
        rh__put(to, bytes, (size_t)size);
    return bytes && !to->full;
}

bool rh__ses_load(struct rh__ses *s, const void *saved, size_t size)
{
    struct rh__ses_pool *p = &s->pool;
    struct rh__reader r = rh__reader_of(saved, size);
    const unsigned char *front = rh__get(&r, 7);
    if (!front || front[0] != SAVED || front[1] != VERSION)
        return false;
    p->keeps = front[2];
    s->stopped = front[3];
    s->full = front[4];
    p->starts_over = front[5];
    p->hot = front[6];
    p->common_meaning = rh__get32(&r);
    s->delays = rh__get32(&r);
    p->numbered = rh__get64(&r);
    s->transitions = rh__get64(&r);
    s->most_items = rh__get64(&r);
    if (!load_frontier(s, s->now, &r) || !load_frontier(s, s->next, &r) || !load_bytes(&p->records, &r) ||
        !load_bytes(&p->states, &r) || !rh__reader_done(&r) || p->states.len % 16)
        return false;
    struct rh__reader records = rh__reader_of(p->records.at, p->records.len),
                      states = rh__reader_of(p->states.at, p->states.len);
    uint64_t number;
    uint32_t meaning;
    while (records.left)
        if (!skip_record(&records, &number, &meaning))
            return false;
    while (states.left)
        rh_visited_add(s->visited, get_print(&states));
    return true;
}
