/* A queue that is as simple as possible: a list, the oldest item first. */
#include <rehearse/explorer.h>

#include "cluster/support.h"
#include "cluster/support/queue_checks.h"

struct plain_item {
    struct rh__lease lease;
    struct plain_item *next;
    unsigned char bytes[];
};

struct plain {
    struct rh__writer keys; /* of items that were added */
    struct rh__results *totals;
    struct plain_item *first;
    uint64_t last_number;
};

static void *plain_open(const char *where, struct rh__results *totals_kept, char *error, size_t error_size)
{
    struct plain *p = where ? NULL : calloc(1, sizeof *p);
    if (p)
        *p = (struct plain){ .totals = totals_kept, .keys = rh__writer_new() };
    else
        snprintf(error, error_size, "the reference queue has no address, or there is no memory");
    return p;
}

static void plain_close(void *state)
{
    struct plain *p = state;
    while (p->first) {
        struct plain_item *next = p->first->next;
        free(p->first);
        p->first = next;
    }
    rh__writer_release(&p->keys);
    free(p);
}

/* False if there was an item with this key. */
static bool is_first(struct plain *p, const void *key)
{
    for (size_t at = 0; at < p->keys.len; at += RH_ITEM_KEY)
        if (memcmp(p->keys.at + at, key, RH_ITEM_KEY) == 0)
            return false;
    rh__put(&p->keys, key, RH_ITEM_KEY);
    return true;
}

static bool plain_add(void *state, const void *bytes, size_t size)
{
    struct plain *p = state;
    const void *key = rh_item_key(bytes, size);
    if (key && (!is_first(p, key) || size == RH_ITEM_KEY))
        return true;
    struct plain_item *i = calloc(1, sizeof *i + size), **last = &p->first;
    if (!i)
        return false;
    if (size)
        memcpy(i->bytes, bytes, size);
    i->lease.item = i->bytes;
    i->lease.size = size;
    while (*last)
        last = &(*last)->next;
    *last = i;
    return true;
}

/* Number 0: an item that waits. */
static struct plain_item **plain_find(struct plain *p, uint64_t number)
{
    struct plain_item **i = &p->first;
    while (*i && (*i)->lease.number != number)
        i = &(*i)->next;
    return i;
}

static struct plain_item **plain_lease(struct plain *p, uint64_t number)
{
    static struct plain_item *none;
    none = NULL;
    return number ? plain_find(p, number) : &none;
}

static bool plain_fetch(void *state, struct rh__lease *lease)
{
    struct plain *p = state;
    struct plain_item *i = *plain_find(p, 0);
    if (!i)
        return false;
    i->lease.number = ++p->last_number;
    *lease = i->lease;
    return true;
}

static bool plain_renew(void *state, uint64_t lease)
{
    return *plain_lease(state, lease) != NULL;
}

static enum rh__commit plain_commit(void *state, uint64_t lease, const void *results, size_t size,
                                    const struct rh__items *rest)
{
    struct plain *p = state;
    struct plain_item *i = *plain_lease(p, lease);
    if (!i)
        return RH__COMMIT_LATE;
    if (!rh__items_check(rest) || !rh__results_add_encoded(p->totals, results, size))
        return RH__COMMIT_REFUSED;
    struct rh__reader r = rh__reader_of(rest->bytes, rest->size);
    for (uint32_t n = 0; n < rest->count; n++) {
        size_t item_size;
        const void *item = rh__get_block(&r, &item_size);
        assert_true(plain_add(p, item, item_size));
    }
    struct plain_item **at = plain_lease(p, lease);
    *at = i->next;
    free(i);
    return RH__COMMITTED;
}

static void plain_give_back(void *state, uint64_t lease, bool died)
{
    struct plain_item *i = *plain_lease(state, lease);
    if (i) {
        i->lease.number = 0;
        i->lease.deaths += died;
    }
}

static const struct rh__results *plain_totals(const void *state)
{
    return ((const struct plain *)state)->totals;
}

static uint32_t plain_count(const void *state, bool leased)
{
    uint32_t n = 0;
    for (const struct plain_item *i = ((const struct plain *)state)->first; i; i = i->next)
        n += (i->lease.number != 0) == leased;
    return n;
}

static uint32_t plain_waiting(const void *state)
{
    return plain_count(state, false);
}

static uint32_t plain_leased(const void *state)
{
    return plain_count(state, true);
}

static void plain_snapshot(void *state, struct rh__writer *to)
{
    const struct plain *p = state;
    struct rh__writer totals = rh__writer_new();
    rh__results_encode(p->totals, NULL, &totals);
    rh__put_block(to, totals.at, totals.len);
    rh__writer_release(&totals);
    size_t keys = p->first ? p->keys.len : 0;
    rh__put_small(to, plain_waiting(p) + plain_leased(p) + keys / RH_ITEM_KEY);
    for (const struct plain_item *i = p->first; i; i = i->next)
        rh__put_block(to, i->bytes, i->lease.size);
    for (size_t at = 0; at < keys; at += RH_ITEM_KEY)
        rh__put_block(to, p->keys.at + at, RH_ITEM_KEY);
}

static bool plain_restore(void *state, struct rh__reader *from)
{
    struct plain *p = state;
    size_t size;
    const void *totals = rh__get_block(from, &size);
    if (from->bad || !rh__results_add_encoded(p->totals, totals, size))
        return false;
    for (uint64_t n = rh__get_small(from); n && !from->bad; n--) {
        const void *item = rh__get_block(from, &size);
        if (item && !plain_add(p, item, size))
            return false;
    }
    return !from->bad;
}

const struct rh__queue_table queue_reference = { "reference",  plain_open,    plain_close,  plain_add,
                                                 plain_fetch,  plain_renew,   plain_commit, plain_give_back,
                                                 plain_totals, plain_waiting, plain_leased, plain_snapshot,
                                                 plain_restore };
