/* Must-happen-before (steps.h): of the steps alone, so that whoever has no world can link it. */
#include <string.h>

#include "coverage/steps.h"

struct sets {
    uint64_t *seen, *must;
    uint32_t words;
};

static uint64_t *seen_by(const struct sets *x, uint32_t step)
{
    return x->seen + (size_t)step * 2 * x->words;
}

static void add(uint64_t *to, const uint64_t *from, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        to[i] |= from[i];
}

static void put_bit(uint64_t *set, uint32_t bit)
{
    set[bit / 64] |= (uint64_t)1 << bit % 64;
}

/* Whether the order of sends is about this step. */
static bool is_by_sends(const struct rh__steps *s, const struct rh__step *e)
{
    return s->by_sends && e->cause != RH_NONE && e->flags & RH__STEP_QUEUED && !(e->flags & RH__STEP_CHOSEN) &&
           (s->mailbox || !(e->flags & RH__STEP_APART));
}

/* What a step must come behind.  The first half of what was seen is receives, the second those whose messages were sent; that
 * is of interest for another receive of their actor (`same`) only. */
static void find_must(const struct rh__steps *s, const struct sets *x, uint32_t at, bool same, const uint64_t *received,
                      uint64_t *must)
{
    const struct rh__step *e = &s->list[at];
    uint32_t n = x->words;
    memset(must, 0, n * sizeof *must);
    if (e->flags & RH__STEP_FENCE && e->actor == RH_NONE) {
        add(must, received, n);
        return;
    }
    if (e->cause != RH_NONE)
        add(must, seen_by(x, e->cause), n);
    if (e->born != RH_NONE)
        add(must, seen_by(x, e->born), n);
    if (e->before != RH_NONE && e->flags & (RH__STEP_PART | RH__STEP_FENCE))
        add(must, seen_by(x, e->before), n);
    if (same && is_by_sends(s, e))
        for (uint32_t i = 0; i < n; i++)
            must[i] |= seen_by(x, e->cause)[n + i] & received[i];
}

void rh__must_happen_before(const struct rh__steps *s, const uint32_t *bit, uint32_t words, uint64_t *seen,
                            uint64_t *must)
{
    struct sets x = { seen, must, words };
    uint64_t *received = must + (size_t)s->count * words; /* so far */
    memset(received, 0, words * sizeof *received);
    memset(seen, 0, (size_t)s->count * 2 * words * sizeof *seen);
    for (uint32_t i = 0; s->by_sends && i < s->count; i++)
        if (bit[i] != RH_NONE && is_by_sends(s, &s->list[i]))
            put_bit(seen_by(&x, s->list[i].cause) + words, bit[i]);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct rh__step *e = &s->list[i];
        uint64_t *own = must + (size_t)i * words, *saw = seen_by(&x, i);
        find_must(s, &x, i, bit[i] != RH_NONE, received, own);
        if (e->after != RH_NONE) {
            add(own, must + (size_t)e->after * words, words);
            if (bit[e->after] != RH_NONE)
                put_bit(own, bit[e->after]);
        }
        add(saw, own, words);
        if (e->before != RH_NONE)
            add(saw, seen_by(&x, e->before), s->by_sends ? 2 * words : words);
        if (s->by_sends && e->cause != RH_NONE && (s->mailbox || !(e->flags & RH__STEP_APART)))
            add(saw + words, seen_by(&x, e->cause) + words, words);
        if (bit[i] != RH_NONE) {
            put_bit(saw, bit[i]);
            put_bit(received, bit[i]);
        }
    }
}
