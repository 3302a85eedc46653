/* See generated.h. */
#include "support/generated.h"

#include <stdlib.h>
#include <string.h>

/* ---- programs -------------------------------------------------------------------------------------------------- */

uint64_t generated_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t generated_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((generated_random(state) >> 32) * n >> 32);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t state = a * 0xff51afd7ed558ccdu ^ b;
    return generated_random(&state);
}

void generated_make(struct generated_program *p, uint64_t seed)
{
    uint64_t random = mix(seed, 77);
    memset(p, 0, sizeof *p);
    p->seed = seed;
    p->actors = 2 + generated_below(&random, 3);
    p->starts = 1 + generated_below(&random, 4);
    p->fan = 1 + generated_below(&random, 2);
    p->one_sender = generated_below(&random, 10) < 3;
    int8_t ttl = (int8_t)(1 + generated_below(&random, 3));
    for (uint32_t i = 0; i < p->starts; i++) {
        struct generated_message *m = &p->start[i];
        m->id.sender = (uint8_t)(GENERATED_OUTSIDE + (p->one_sender ? 0 : i));
        m->id.ordinal = (uint8_t)i;
        m->to = (uint8_t)generated_below(&random, p->actors);
        m->ttl = ttl;
        m->value = (uint16_t)generated_below(&random, 1000);
    }
}

uint64_t generated_handle(const struct generated_program *p, uint8_t actor, uint64_t state, uint8_t receive,
                          const struct generated_message *m, struct generated_message sends[GENERATED_FAN],
                          uint32_t *count)
{
    uint64_t payload = (uint64_t)(uint8_t)m->ttl << 16 | m->value;
    uint64_t random = mix(mix(mix(p->seed, actor), state), payload);
    *count = 0;
    for (uint32_t i = m->ttl > 0 ? generated_below(&random, p->fan + 1) : 0; i > 0; i--) {
        struct generated_message s = {
            .id = { actor, receive, (uint8_t)*count },
            .to = (uint8_t)generated_below(&random, p->actors),
            .ttl = (int8_t)(m->ttl - 1 - (int8_t)generated_below(&random, 2)),
        };
        s.value = (uint16_t)generated_below(&random, 1000);
        if (s.ttl >= 0)
            sends[(*count)++] = s;
    }
    return mix(state + 1, payload);
}

/* ---- sets of behaviours ---------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct generated_behaviour));
}

void generated_behaviours_add(struct generated_behaviours *set, const struct generated_behaviour *b)
{
    if (set->count == set->capacity) {
        set->capacity = set->capacity ? set->capacity * 2 : 64;
        set->list = realloc(set->list, set->capacity * sizeof *set->list);
        if (!set->list)
            abort();
    }
    set->list[set->count++] = *b;
}

void generated_behaviours_settle(struct generated_behaviours *set)
{
    size_t kept = 0;
    if (set->count)
        qsort(set->list, set->count, sizeof *set->list, compare);
    for (size_t i = 0; i < set->count; i++)
        if (!kept || compare(&set->list[kept - 1], &set->list[i]) != 0)
            set->list[kept++] = set->list[i];
    set->count = kept;
}

void generated_behaviours_free(struct generated_behaviours *set)
{
    free(set->list);
    memset(set, 0, sizeof *set);
}

size_t generated_behaviours_missing(const struct generated_behaviours *left, const struct generated_behaviours *right)
{
    size_t missing = 0;
    for (size_t i = 0; i < left->count; i++)
        missing += !right->count || !bsearch(&left->list[i], right->list, right->count, sizeof *right->list, compare);
    return missing;
}

void generated_behaviour_from(struct generated_behaviour *b, const struct generated_program *p,
                              const struct generated_id orders[][GENERATED_MESSAGES], const uint32_t counts[])
{
    size_t at = 0;
    memset(b, 0, sizeof *b);
    for (uint32_t a = 0; a < p->actors; a++) {
        b->bytes[at++] = (uint8_t)counts[a];
        for (uint32_t i = 0; i < counts[a] && at + 3 <= sizeof b->bytes; i++) {
            b->bytes[at++] = orders[a][i].sender;
            b->bytes[at++] = orders[a][i].receive;
            b->bytes[at++] = orders[a][i].ordinal;
        }
    }
}

/* ---- the oracle ------------------------------------------------------------------------------------------------ */

/* All messages of the run so far, in the order in which they were sent; a set of them is a bit mask. */
struct sent {
    struct generated_message m;
    uint64_t past;     /* causal: those sent before it as its sender can know */
    uint32_t accepted; /* when its mailbox took it, from 1; 0 not yet */
    bool taken;
};

struct oracle {
    const struct generated_program *p;
    enum generated_model model;
    uint64_t limit, sequences;
    bool too_large;
    struct generated_behaviours *found;
};

struct run {
    struct sent sent[GENERATED_MESSAGES];
    uint32_t count, accepts;
    uint64_t state[GENERATED_ACTORS], past[GENERATED_ACTORS];
    uint32_t took[GENERATED_ACTORS];
    struct generated_id order[GENERATED_ACTORS][GENERATED_MESSAGES];
};

static bool add_sent(struct run *r, const struct generated_message *m, uint64_t past)
{
    if (r->count == GENERATED_MESSAGES)
        return false;
    r->sent[r->count++] = (struct sent){ .m = *m, .past = past };
    return true;
}

/* May the receiver take message i now? */
static bool may_take(const struct oracle *o, const struct run *r, uint32_t i)
{
    const struct sent *x = &r->sent[i];
    if (x->taken)
        return false;
    if (o->model == GENERATED_ACCEPT && !x->accepted)
        return false;
    for (uint32_t k = 0; k < r->count; k++) {
        const struct sent *y = &r->sent[k];
        if (o->model == GENERATED_ACCEPT && y->m.id.sender == x->m.to && !y->accepted)
            return false; /* the receiver's own sends are not over */
        if (k == i || y->taken || y->m.to != x->m.to)
            continue;
        switch (o->model) {
        case GENERATED_BAG:
            break;
        case GENERATED_FIFO:
            if (k < i && y->m.id.sender == x->m.id.sender)
                return false;
            break;
        case GENERATED_CAUSAL:
            if (x->past >> k & 1)
                return false;
            break;
        case GENERATED_MAILBOX:
            if (k < i)
                return false;
            break;
        case GENERATED_ACCEPT:
            if (y->accepted && y->accepted < x->accepted)
                return false;
            break;
        }
    }
    return true;
}

/* May message i be accepted now: the first of its sender that is not? */
static bool may_accept(const struct oracle *o, const struct run *r, uint32_t i)
{
    if (o->model != GENERATED_ACCEPT || r->sent[i].accepted)
        return false;
    for (uint32_t k = 0; k < i; k++)
        if (r->sent[k].m.id.sender == r->sent[i].m.id.sender && !r->sent[k].accepted)
            return false;
    return true;
}

static bool take(const struct oracle *o, struct run *r, uint32_t i)
{
    struct generated_message sends[GENERATED_FAN];
    uint32_t count;
    struct sent *x = &r->sent[i];
    uint8_t a = x->m.to;
    x->taken = true;
    r->past[a] |= x->past | (uint64_t)1 << i;
    r->state[a] = generated_handle(o->p, a, r->state[a], (uint8_t)r->took[a], &x->m, sends, &count);
    r->order[a][r->took[a]++] = x->m.id;
    for (uint32_t k = 0; k < count; k++) {
        if (!add_sent(r, &sends[k], r->past[a]))
            return false;
        r->past[a] |= (uint64_t)1 << (r->count - 1);
    }
    return true;
}

static void visit(struct oracle *o, const struct run *r)
{
    bool moved = false;
    for (uint32_t i = 0; i < r->count && !o->too_large; i++) {
        bool taking = may_take(o, r, i);
        if (!taking && !may_accept(o, r, i))
            continue;
        struct run next = *r;
        moved = true;
        if (!taking)
            next.sent[i].accepted = ++next.accepts;
        else if (!take(o, &next, i)) {
            o->too_large = true;
            return;
        }
        visit(o, &next);
    }
    if (moved || o->too_large)
        return;
    if (++o->sequences > o->limit) {
        o->too_large = true;
        return;
    }
    struct generated_behaviour b;
    generated_behaviour_from(&b, o->p, (const struct generated_id(*)[GENERATED_MESSAGES])r->order, r->took);
    generated_behaviours_add(o->found, &b);
}

uint64_t generated_oracle(const struct generated_program *p, enum generated_model model, uint64_t limit,
                          struct generated_behaviours *found)
{
    struct oracle o = { .p = p, .model = model, .limit = limit, .found = found };
    struct run r;
    memset(&r, 0, sizeof r);
    found->count = 0;
    for (uint32_t a = 0; a < p->actors; a++)
        r.state[a] = a;
    for (uint32_t i = 0; i < p->starts; i++) {
        uint64_t past = 0;
        for (uint32_t k = 0; k < i; k++)
            if (p->start[k].id.sender == p->start[i].id.sender)
                past |= (uint64_t)1 << k;
        add_sent(&r, &p->start[i], past);
    }
    visit(&o, &r);
    generated_behaviours_settle(found);
    return o.too_large ? 0 : o.sequences;
}
