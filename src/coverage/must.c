/* Must-happen-before (steps.h).  It needs only the steps, so that it can be linked without a world. */
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

/* Whether the order of sends concerns this step. */
static bool is_by_sends(const struct rh__steps *s, const struct rh__coverage_step *e)
{
    return s->by_sends && e->cause != RH_NONE && e->flags & RH__STEP_QUEUED && !(e->flags & RH__STEP_CHOSEN) &&
           (s->mailbox || !(e->flags & RH__STEP_APART));
}

/* Finds the steps that must precede a step.  The first half of a "seen" set is receives; the second half is receives
 * whose messages were sent, which matters only for another receive of the same actor (`same`). */
static void find_must(const struct rh__steps *s, const struct sets *x, uint32_t at, bool same, const uint64_t *received,
                      uint64_t *must)
{
    const struct rh__coverage_step *e = &s->list[at];
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
            must[i] |= seen_by(x, at)[n + i] & received[i]; /* so far it has seen what its message carries */
}

/* A step that takes a message from outside learns of all messages that were sent from there before. */
static void learn_from_outside(const struct rh__steps *s, const struct sets *x, const uint32_t *bit, uint32_t at)
{
    enum { FAR = 64 }; /* how many steps to look back among those taken later */
    uint64_t *learnt = seen_by(x, at) + x->words;
    for (uint32_t i = s->list[at].earlier, far = FAR; i != RH_NONE && far; i = s->list[i].earlier, far--) {
        if (bit[i] != RH_NONE)
            put_bit(learnt, bit[i]);
        if (i < at) {
            add(learnt, seen_by(x, i) + x->words, x->words);
            return;
        }
    }
}

/* Causal model: a step does not learn of messages that its cause sent after the step's own message.  They are stored in
 * the place of its must set until its turn comes. */
static void find_unlearnt(const struct rh__steps *s, const struct sets *x, const uint32_t *bit)
{
    memset(x->must, 0, (size_t)s->count * x->words * sizeof *x->must);
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].flags & RH__STEP_LAST)
            for (uint32_t k = i, elder; (elder = s->list[k].elder) != RH_NONE; k = elder) {
                uint64_t *unlearnt = x->must + (size_t)elder * x->words;
                add(unlearnt, x->must + (size_t)k * x->words, x->words);
                if (bit[k] != RH_NONE)
                    put_bit(unlearnt, bit[k]);
            }
}

/* The sends of which a message tells its receiver. */
static void learn_sends(const struct rh__steps *s, const struct sets *x, uint32_t at, const uint64_t *unlearnt)
{
    const struct rh__coverage_step *e = &s->list[at];
    if (e->cause == RH_NONE || (!s->mailbox && e->flags & RH__STEP_APART))
        return;
    const uint64_t *from = seen_by(x, e->cause) + x->words;
    uint64_t *to = seen_by(x, at) + x->words;
    for (uint32_t i = 0; i < x->words; i++)
        to[i] |= from[i] & ~(s->mailbox ? 0 : unlearnt[i]);
}

void rh__must_happen_before(const struct rh__steps *s, const uint32_t *bit, uint32_t words, uint64_t *seen,
                            uint64_t *must)
{
    struct sets x = { seen, must, words };
    uint64_t *received = must + (size_t)s->count * words; /* so far */
    memset(received, 0, words * sizeof *received);
    memset(seen, 0, (size_t)s->count * 2 * words * sizeof *seen);
    if (s->by_sends && !s->mailbox) {
        find_unlearnt(s, &x, bit);
        for (uint32_t i = 0; i < s->count; i++)
            learn_from_outside(s, &x, bit, i);
    }
    for (uint32_t i = 0; s->by_sends && i < s->count; i++)
        if (bit[i] != RH_NONE && is_by_sends(s, &s->list[i]))
            put_bit(seen_by(&x, s->list[i].cause) + words, bit[i]);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct rh__coverage_step *e = &s->list[i];
        uint64_t *own = must + (size_t)i * words, *saw = seen_by(&x, i);
        if (s->by_sends)
            learn_sends(s, &x, i, own);
        find_must(s, &x, i, bit[i] != RH_NONE, received, own);
        if (e->after != RH_NONE) {
            add(own, must + (size_t)e->after * words, words);
            if (bit[e->after] != RH_NONE)
                put_bit(own, bit[e->after]);
        }
        add(saw, own, words);
        if (e->before != RH_NONE)
            add(saw, seen_by(&x, e->before), s->by_sends ? 2 * words : words);
        if (bit[i] != RH_NONE) {
            put_bit(saw, bit[i]);
            put_bit(received, bit[i]);
        }
    }
}
