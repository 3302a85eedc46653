/* See effects.h. */
#include "world/effects.h"

#include <stdatomic.h>
#include <string.h>

/* The key comes last: the process may be killed at any point. */
void rh__effect_keep(struct rh__foretelling *f, const struct rh__effect *e)
{
    struct rh__effect_bucket *b = &f->buckets[e->key.high % RH__EFFECT_BUCKETS];
    uint8_t *last = &f->last[e->key.high % RH__EFFECT_BUCKETS];
    uint32_t i = rh__wide_is_same(b->effects[*last].key, e->key) ? *last : 1u - *last;
    struct rh__effect *to = &b->effects[i];
    to->key = rh__wide_of(0);
    atomic_signal_fence(memory_order_seq_cst);
    to->after = e->after;
    to->timers = e->timers;
    to->monitors = e->monitors;
    to->kind = e->kind;
    to->count = e->count;
    to->recalls = e->recalls;
    to->silent = e->silent;
    to->more = e->more;
    to->simple = e->simple;
    memcpy(to->sent, e->sent, e->count * sizeof *e->sent);
    atomic_signal_fence(memory_order_seq_cst);
    to->key = e->key;
    *last = (uint8_t)i;
}

size_t rh__foretelling_size(void)
{
    return sizeof(struct rh__foretelling);
}

void rh__foretelling_clear(struct rh__foretelling *f)
{
    memset(f, 0, sizeof *f);
}
