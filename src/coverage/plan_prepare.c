/* See plan.h: what is computed once for a run, before the first schedule. */
#include "coverage/plan_prepare.h"

#include <string.h>

#include "coverage/scratch.h"

static void *take(struct rh__plan_input *g, size_t bytes)
{
    size_t from = (g->used + 15) / 16 * 16;
    if (from > g->size || bytes > g->size - from)
        return NULL;
    g->used = from + bytes;
    return g->memory + from;
}

static uint32_t *take_numbers(struct rh__plan_input *g, size_t count, int fill)
{
    uint32_t *numbers = take(g, count * sizeof *numbers);
    if (numbers)
        memset(numbers, fill, count * sizeof *numbers);
    return numbers;
}

/* Finds the steps that count: those that the coverage knows, each once.  Returns false if memory is short. */
static bool find_receives(struct rh__plan_input *g, const struct rh__coverage *c)
{
    uint32_t n = g->s->count, total = 0;
    size_t bytes = ((size_t)c->receive_count / 64 + 1) * sizeof(uint64_t);
    uint64_t *met = rh__scratch(0, bytes);
    if (!met)
        return false;
    memset(met, 0, bytes);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t known = step_at(g, i)->flags & RH__STEP_RECEIVE ? rh__coverage_find(c, step_at(g, i)->id) : RH_NONE;
        if (known == RH_NONE || has_bit(met, known))
            continue;
        put_bit(met, known);
        g->known[i] = known;
        g->parties[step_at(g, i)->actor].count++;
    }
    for (uint32_t a = 0; a < g->s->actors; a++) {
        g->parties[a].first = total;
        total += g->parties[a].count;
        g->parties[a].words = g->parties[a].count / 64 + 1;
        g->parties[a].count = 0;
    }
    for (uint32_t i = 0; i < n; i++)
        if (g->known[i] != RH_NONE) {
            struct plan_party *p = &g->parties[step_at(g, i)->actor];
            g->place[i] = p->count;
            g->receives[p->first + p->count++] = i;
        }
    return true;
}

static void add_to_list(uint32_t *first, uint32_t *next, uint32_t head, uint32_t step)
{
    if (head == RH_NONE)
        return;
    next[step] = first[head];
    first[head] = step;
}

/* Backwards, so that the lists are in the order of the run. */
static void make_lists(struct rh__plan_input *g)
{
    for (uint32_t i = g->s->count; i-- > 0;) {
        const struct rh__coverage_step *e = step_at(g, i);
        add_to_list(g->first.cause, g->next.cause, e->cause, i);
        add_to_list(g->first.born, g->next.born, e->born, i);
        add_to_list(g->first.after, g->next.after, e->after, i);
        add_to_list(g->first.local, g->next.local, e->before, i);
    }
    for (uint32_t i = 1; i < g->s->count; i++)
        if (step_at(g, i)->flags & RH__STEP_FENCE && step_at(g, i)->actor == RH_NONE)
            g->fences[g->fence_count++] = i;
}

/* If an actor chooses what to take, could it have taken `late` when it took `early`?  We assume so if it took a message
 * of that type there.  A wrong answer costs a schedule, or a goal that only other runs show. */
static bool could_be_taken(const struct rh__plan_input *g, const struct plan_party *p, uint32_t early, uint32_t late)
{
    const struct rh__coverage_step *x = step_at(g, early), *y = step_at(g, late);
    if (!(x->flags & RH__STEP_CHOSEN) || x->site == y->site || x->type == y->type)
        return true;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct rh__coverage_step *e = step_at(g, g->receives[p->first + i]);
        if (e->site == x->site && e->type == y->type)
            return true;
    }
    return false;
}

/* Finds pairs that are related (IV-B) and not ordered in any case (IV-C), as goals in both directions. */
static bool find_pairs(struct rh__plan_input *g, struct plan_party *p, uint32_t *bits)
{
    uint32_t w = p->words, n = g->s->count;
    size_t bytes = (size_t)p->count * w * sizeof(uint64_t);
    uint64_t *seen = rh__scratch(0, (size_t)n * 2 * w * sizeof *seen);
    uint64_t *must = rh__scratch(1, ((size_t)n + 1) * w * sizeof *must);
    p->forward = take(g, bytes);
    p->back = take(g, bytes);
    p->must = take(g, bytes);
    p->tail = take(g, w * sizeof *p->tail);
    bool behind = !g->farthest && !g->s->mailbox;
    p->behind = behind ? take(g, bytes) : NULL;
    if (!seen || !must || !p->forward || !p->back || !p->must || !p->tail || (behind && !p->behind))
        return false;
    if (behind)
        memset(p->behind, 0, bytes);
    memset(p->forward, 0, bytes);
    for (uint32_t i = 0; i < p->count; i++)
        bits[g->receives[p->first + i]] = i;
    rh__must_happen_before(g->s, bits, w, seen, must);
    for (uint32_t j = 0; j < p->count; j++) {
        uint32_t step = g->receives[p->first + j];
        const uint64_t *forced = must + (size_t)step * w;
        memcpy(p->must + (size_t)j * w, forced, w * sizeof *forced);
        for (uint32_t i = 0; i < j; i++) {
            if (behind && has_bit(forced, i))
                put_bit(p->behind + (size_t)i * w, j);
            uint32_t other = g->receives[p->first + i];
            uint32_t change = step_at(g, step)->flags | step_at(g, other)->flags;
            if (!has_bit(forced, i) && (g->criterion != RH__PMR || change & RH__STEP_BECOMES) &&
                could_be_taken(g, p, other, step)) {
                put_bit(p->forward + (size_t)i * w, j);
                if (g->farthest)
                    rh__type_orders_note(&g->kinds, g->s, g->receives + p->first, p->count, other, step);
            }
        }
    }
    memcpy(p->back, p->forward, bytes);
    for (uint32_t i = 0; i < p->count; i++)
        bits[g->receives[p->first + i]] = RH_NONE;
    return true;
}

struct rh__plan_input *rh__plan_input_new(void *memory, size_t size, const struct rh__steps *s,
                                          enum rh__criterion criterion, bool farthest, const struct rh__coverage *c)
{
    if (size < sizeof(struct rh__plan_input))
        return NULL;
    struct rh__plan_input *g = memory;
    *g = (struct rh__plan_input){ .s = s, .criterion = criterion, .farthest = farthest && criterion == RH__PR };
    g->memory = memory;
    g->size = size;
    g->used = sizeof *g;
    size_t n = (size_t)s->count + 1;
    g->parties = take(g, s->actors * sizeof *g->parties);
    g->marks = take(g, n);
    uint32_t **const zero[] = { &g->receives, &g->place, &g->plan, &g->wanted };
    uint32_t **const none[] = { &g->known,      &g->first.cause, &g->first.born, &g->first.after, &g->first.local,
                                &g->next.cause, &g->next.born,   &g->next.after, &g->next.local,  &g->fences };
    g->stack = take_numbers(g, 2 * n, 0);
    g->kinds.list = take(g, RH__MOST_KINDS * sizeof *g->kinds.list);
    bool fits = g->parties && g->marks && g->stack && g->kinds.list;
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        fits = fits && (*zero[i] = take_numbers(g, n, 0));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        fits = fits && (*none[i] = take_numbers(g, n, 0xff));
    uint32_t *bits = rh__scratch(4, n * sizeof *bits);
    if (!fits || !bits)
        return NULL;
    memset(g->parties, 0, s->actors * sizeof *g->parties);
    memset(g->kinds.list, 0, RH__MOST_KINDS * sizeof *g->kinds.list);
    memset(bits, 0xff, n * sizeof *bits);
    if (!find_receives(g, c))
        return NULL;
    make_lists(g);
    for (uint32_t a = 0; a < s->actors; a++)
        if (g->parties[a].count > 1 && !find_pairs(g, &g->parties[a], bits))
            return NULL;
    rh__type_orders_sort(&g->kinds);
    return g;
}
