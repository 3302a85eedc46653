/* See type_orders.h. */
#include "coverage/type_orders.h"

#include <stdlib.h>

#include "base/hash.h"

/* Whether all messages of the type of `x` came before all of the type of `y`. */
static bool types_in_order(const struct rh__steps *s, const uint32_t *receives, uint32_t count, uint32_t x, uint32_t y)
{
    uint32_t early = s->list[x].type, late = s->list[y].type, first = RH_NONE, last = 0;
    for (uint32_t i = 0; i < count && early != late; i++) {
        if (s->list[receives[i]].type == late && first == RH_NONE)
            first = receives[i];
        if (s->list[receives[i]].type == early)
            last = receives[i];
    }
    return early != late && last < first;
}

void rh__type_orders_note(struct rh__type_orders *k, const struct rh__steps *s, const uint32_t *receives,
                          uint32_t count, uint32_t x, uint32_t y)
{
    struct rh__type_order new = { s->list[x].actor, s->list[x].type, s->list[y].type, x, y };
    uint32_t mask = RH__MOST_KINDS - 1, at = (uint32_t)rh__mix(rh__mix(new.early, new.late), new.actor) & mask;
    for (; k->list[at].y; at = (at + 1) & mask) {
        struct rh__type_order *have = &k->list[at];
        if (have->actor != new.actor || have->early != new.early || have->late != new.late)
            continue;
        if (have->x && y - x > have->y - have->x)
            *have = new;
        return;
    }
    if (k->count == RH__MOST_KINDS / 2)
        return; /* enough to begin with */
    if (!types_in_order(s, receives, count, x, y))
        new.x = 0;
    k->list[at] = new;
    k->count++;
}

static uint32_t distance(const struct rh__type_order *k)
{
    return k->x ? k->y - k->x : 0;
}

static int by_distance(const void *a, const void *b)
{
    const struct rh__type_order *k = a, *l = b;
    if (distance(k) != distance(l))
        return distance(k) > distance(l) ? -1 : 1;
    return k->x != l->x ? (k->x < l->x ? -1 : 1) : k->y < l->y ? -1 : k->y > l->y;
}

void rh__type_orders_sort(struct rh__type_orders *k)
{
    qsort(k->list, RH__MOST_KINDS, sizeof *k->list, by_distance);
}
