/* See tables.h.
 *
 * A table is a treap [Aragon and Seidel 1989] whose priorities are the hashes of the keys: its shape depends only on
 * the keys, not on the order of insertion, so equal contents are equal states.  Rows and links are changed by put32 and
 * put64, and keys and values are appended to the payload, so the log undoes everything.  The fingerprint has one hash
 * per item, which is removed and added as values change. */
#include "world/tables.h"

#include <string.h>

#include "base/hash.h"
#include "world/actors.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/outcome.h"

static const char *key_of(const struct rh_world *w, uint32_t item)
{
    return w->payload + w->items[item].key;
}

static uint32_t row_of(const struct rh_world *w, const struct rh_table *table)
{
    for (uint32_t i = 0; i < w->table_count; i++)
        if (w->tables[i].declared == table || strcmp(w->tables[i].declared->name, table->name) == 0)
            return i;
    return RH_NONE;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

uint32_t rh__table_find(const struct rh_world *w, const struct rh_table *table, const char *key)
{
    uint32_t row = row_of(w, table);
    uint32_t item = row == RH_NONE ? RH_NONE : w->tables[row].root;
    for (int order; item != RH_NONE && (order = strcmp(key, key_of(w, item))) != 0;)
        item = order < 0 ? w->items[item].left : w->items[item].right;
    return item;
}

uint32_t rh__table_count(const struct rh_world *w, const struct rh_table *table)
{
    uint32_t row = row_of(w, table);
    return row == RH_NONE ? 0 : w->tables[row].count;
}

uint32_t rh__table_after(const struct rh_world *w, const struct rh_table *table, const char *key)
{
    uint32_t row = row_of(w, table), after = RH_NONE;
    for (uint32_t item = row == RH_NONE ? RH_NONE : w->tables[row].root; item != RH_NONE;)
        if (strcmp(key_of(w, item), key) > 0) {
            after = item;
            item = w->items[item].left;
        } else {
            item = w->items[item].right;
        }
    return after;
}

/* ---- the fingerprint --------------------------------------------------------------------------------------------- */

static struct rh__wide hash_item(const struct rh_world *w, uint32_t item)
{
    const struct world_item *i = &w->items[item];
    const char *name = w->tables[i->table].declared->name, *key = key_of(w, item);
    struct rh__wide h = rh__wide_mix(rh__wide_hash(name, strlen(name), 10), rh__wide_hash(key, strlen(key), 12));
    return rh__wide_mix(h, rh__wide_hash(w->payload + i->bytes, i->size, 11));
}

/* Adds the hash of an item to the fingerprint, or removes it. */
static void hash_turn(struct rh_world *w, uint32_t item)
{
    if (w->hashing)
        put_wide(w, &w->total, rh__wide_xor(w->total, hash_item(w, item)));
}

struct rh__wide rh__tables_hash(const struct rh_world *w)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t i = 0; i < w->item_pool.count; i++)
        if (w->items[i].table != RH_NONE)
            h = rh__wide_xor(h, hash_item(w, i));
    return h;
}

/* ---- changing ---------------------------------------------------------------------------------------------------- */

static uint32_t row_new(struct rh_world *w, const struct rh_table *table, const char *here)
{
    uint32_t row = w->table_count;
    if (row == MAX_TABLES)
        rh__fail_inside(w, RH_OUTCOME_LIMIT, here, "more than %u tables", MAX_TABLES);
    put_pointer(w, &w->tables[row].declared, table);
    put32(w, &w->tables[row].root, RH_NONE);
    put32(w, &w->tables[row].count, 0);
    put32(w, &w->table_count, row + 1);
    return row;
}

/* Inserts the item at the place of its rank, and divides the subtree there between its two children. */
static void insert(struct rh_world *w, uint32_t row, uint32_t new)
{
    struct world_item *i = &w->items[new];
    const char *key = key_of(w, new);
    uint32_t *at = &w->tables[row].root;
    while (*at != RH_NONE && w->items[*at].rank > i->rank)
        at = strcmp(key, key_of(w, *at)) < 0 ? &w->items[*at].left : &w->items[*at].right;
    uint32_t *left = &i->left, *right = &i->right;
    for (uint32_t rest = *at; rest != RH_NONE;) {
        struct world_item *r = &w->items[rest];
        bool before = strcmp(key_of(w, rest), key) < 0;
        uint32_t **side = before ? &left : &right;
        put32(w, *side, rest);
        *side = before ? &r->right : &r->left;
        rest = **side;
    }
    put32(w, left, RH_NONE);
    put32(w, right, RH_NONE);
    put32(w, at, new);
    put32(w, &w->tables[row].count, w->tables[row].count + 1);
}

/* Replaces the item by the union of its two subtrees. */
static void take_out(struct rh_world *w, uint32_t row, uint32_t old)
{
    const char *key = key_of(w, old);
    uint32_t *at = &w->tables[row].root;
    while (*at != old)
        at = strcmp(key, key_of(w, *at)) < 0 ? &w->items[*at].left : &w->items[*at].right;
    uint32_t left = w->items[old].left, right = w->items[old].right;
    while (left != RH_NONE && right != RH_NONE) {
        bool leftmost = w->items[left].rank > w->items[right].rank;
        put32(w, at, leftmost ? left : right);
        at = leftmost ? &w->items[left].right : &w->items[right].left;
        *(leftmost ? &left : &right) = *at;
    }
    put32(w, at, left != RH_NONE ? left : right);
    put32(w, &w->tables[row].count, w->tables[row].count - 1);
    put32(w, &w->items[old].table, RH_NONE);
    put32(w, &w->items[old].next, w->item_pool.free);
    put32(w, &w->item_pool.free, old);
}

static uint32_t item_new(struct rh_world *w, uint32_t row, const char *key, const char *here)
{
    uint32_t item = POOL_TAKE(w, item_pool, items, MAX_ITEMS);
    if (item == RH_NONE)
        rh__fail_inside(w, RH_OUTCOME_LIMIT, here, "more than %u keys in tables", MAX_ITEMS);
    struct world_item *i = &w->items[item];
    put64(w, &i->key, rh__payload_text(w, key));
    put64(w, &i->rank, rh__hash(key, strlen(key), 0));
    put32(w, &i->table, row);
    return item;
}

static void set_value(struct rh_world *w, uint32_t item, const void *bytes, uint32_t size)
{
    uint64_t at = rh__payload_take(w, size);
    if (size)
        memcpy(w->payload + at, bytes, size);
    put64(w, &w->items[item].bytes, at);
    put32(w, &w->items[item].size, size);
}

void rh__table_set(struct rh_world *w, const struct rh_table *table, const char *key, const void *bytes, uint32_t size,
                   const char *here)
{
    uint32_t item = rh__table_find(w, table, key);
    if (item != RH_NONE) {
        hash_turn(w, item);
        if (!bytes) {
            take_out(w, w->items[item].table, item);
            return;
        }
        set_value(w, item, bytes, size);
    } else if (bytes) {
        uint32_t row = row_of(w, table);
        if (row == RH_NONE)
            row = row_new(w, table, here);
        item = item_new(w, row, key, here);
        set_value(w, item, bytes, size);
        insert(w, row, item);
    } else {
        return;
    }
    hash_turn(w, item);
}
