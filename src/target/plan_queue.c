/* Plans that wait for their turn, the cheapest first; each plan once.  See plan.h. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "target/plan.h"

enum { MOST_PLANS = 60000 };

static bool note_seen(struct plan_queue *q, uint64_t hash)
{
    if (2 * q->seen_count >= q->room) {
        uint32_t old = q->room;
        uint64_t *from = q->seen;
        q->room = old ? 2 * old : 1024;
        q->seen = sym__must(calloc(q->room, sizeof *q->seen));
        q->seen_count = 0;
        for (uint32_t i = 0; i < old; i++)
            if (from[i])
                note_seen(q, from[i]);
        free(from);
    }
    hash += !hash;
    uint32_t at = (uint32_t)(hash % q->room);
    while (q->seen[at] && q->seen[at] != hash)
        at = (at + 1) % q->room;
    if (q->seen[at])
        return false;
    q->seen[at] = hash;
    q->seen_count++;
    return true;
}

/* The same for plans that differ only in the order in which they were made. */
static uint64_t hash_of(const struct plan *p)
{
    uint64_t all = 0;
    for (uint32_t a = 0; a < p->actor_count; a++) {
        const struct plan_actor *x = &p->actors[a];
        uint64_t h = x->index != RH__NO_INDEX
                         ? x->index
                         : rh__mix(p->steps[x->step].actor, plan__position(p, x->step) * 64 + x->effect);
        for (uint32_t i = 0; i < p->lengths[a]; i++) {
            const struct plan_step *t = &p->steps[p->history[a][i]];
            h = rh__mix(h, (uintptr_t)t->path);
            h = rh__mix(h, t->supply * 64 + t->clauses);
            h = rh__mix(h, (uintptr_t)t->guard);
            if (t->supply == PLAN_SENT)
                h = rh__mix(h, (uint64_t)p->steps[t->from].actor << 32 | plan__position(p, t->from) << 8 | t->effect);
            else
                h = rh__mix(h, t->from);
        }
        all += rh__mix(h, 77);
    }
    return all;
}

/* Few steps, few open ones, and by heuristic 2 few actors, come first; without heuristic 2 the order is random. */
static double cost_of(struct plan_search *s, const struct plan *p)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < p->step_count; i++)
        open += p->steps[i].supply == PLAN_OPEN;
    double noise = (double)(rh__random_next(&s->random) >> 40) / (1 << 24);
    if (!s->settings.h2)
        return s->settings.feedback ? p->step_count + noise : noise * 1000;
    return 10.0 * p->step_count + 12.0 * p->actor_count + 4.0 * open + noise;
}

static void push(struct plan_search *s, struct plan_queue *q, const struct plan *p, uint64_t salt)
{
    if (q->count >= MOST_PLANS || !note_seen(q, rh__mix(hash_of(p), salt)))
        return;
    if ((q->count & (q->count - 1)) == 0)
        q->plans = sym__must(realloc(q->plans, (q->count ? 2 * (size_t)q->count : 1) * sizeof(struct plan *)));
    struct plan *c = memcpy(sym__must(malloc(sizeof *c)), p, sizeof *c);
    c->cost = cost_of(s, p);
    uint32_t at = q->count++;
    while (at && q->plans[(at - 1) / 2]->cost > c->cost) {
        q->plans[at] = q->plans[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    q->plans[at] = c;
}

struct plan *plan__pop(struct plan_queue *q)
{
    struct plan *first = q->plans[0], *last = q->plans[--q->count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < q->count; at = child) {
        if (child + 1 < q->count && q->plans[child + 1]->cost < q->plans[child]->cost)
            child++;
        if (q->plans[child]->cost >= last->cost)
            break;
        q->plans[at] = q->plans[child];
    }
    q->plans[at] = last;
    return first;
}

/* Without heuristic 1 handlers interleave: a plan with one more step is as many plans as there are places for the step
 * among the others. */
void plan__push(struct plan_search *s, struct plan_queue *q, const struct plan *p)
{
    uint32_t segments = 1;
    for (uint32_t i = 0; !s->settings.h1 && i < p->step_count; i++)
        segments += 1 + p->steps[i].path->effect_count;
    for (uint32_t i = 0; i < segments; i++)
        push(s, q, p, i);
}
