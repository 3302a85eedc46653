/* See plan.h: makes schedules, one pass each. */
#include "coverage/plan_prepare.h"

#include <stdlib.h>
#include <string.h>

#include "coverage/abandoned.h"

/* ---- what must come before --------------------------------------------------------------------------------------- */

static void remove_from_tail(struct rh__plan_input *g, uint32_t step)
{
    struct plan_party *p = step_at(g, step)->actor == RH_NONE ? NULL : &g->parties[step_at(g, step)->actor];
    if (p && p->tail && g->known[step] != RH_NONE)
        clear_bit(p->tail, g->place[step]);
}

static void spoil(struct rh__plan_input *g, uint32_t step);

/* Mailbox: messages that this step sends to an actor overtake messages that were sent earlier in the run and are sent
 * later now.  From there on that actor may behave differently. */
static void note_arrivals(struct rh__plan_input *g, uint32_t step)
{
    for (uint32_t k = g->first.cause[step]; k != RH_NONE; k = g->next.cause[k]) {
        if (step_at(g, k)->arrival != step || g->known[k] == RH_NONE)
            continue;
        struct plan_party *p = &g->parties[step_at(g, k)->actor];
        const uint32_t *all = g->receives + p->first;
        while (p->arrived < p->count && g->marks[step_at(g, all[p->arrived])->arrival] & SCHEDULED)
            p->arrived++;
        if (p->arrived < g->place[k] && !(g->marks[all[p->arrived]] & POISONED))
            spoil(g, all[p->arrived]);
    }
}

static void append(struct rh__plan_input *g, uint32_t step)
{
    g->marks[step] |= SCHEDULED;
    g->plan[g->plan_count++] = step;
    remove_from_tail(g, step);
    if (g->s->mailbox)
        note_arrivals(g, step);
}

/* Whether a step must not be scheduled (again).  In a mailbox, messages of an actor that behaves differently would come
 * before messages of others. */
static bool is_out(const struct rh__plan_input *g, uint32_t step)
{
    return g->marks[step] & (SCHEDULED | LEFT_OUT | (g->s->mailbox ? POISONED : 0));
}

/* Schedules everything of the run before `step` that is left. */
static void flush(struct rh__plan_input *g, uint32_t step)
{
    for (; g->flushed < step; g->flushed++)
        if (!is_out(g, g->flushed) && !(g->marks[g->flushed] & PUT_OFF))
            append(g, g->flushed);
}

/* Steps that are not scheduled yet and must precede the step that was asked for. */
struct needs {
    uint32_t wanted, stacked;
};

static void want(struct rh__plan_input *g, struct needs *n, uint32_t step, bool with_all_before)
{
    unsigned char *m = &g->marks[step];
    if (*m & SCHEDULED || *m & ALL_OF || (*m & WANTED && !with_all_before))
        return;
    if (!(*m & WANTED))
        g->wanted[n->wanted++] = step;
    *m |= with_all_before ? WANTED | ALL_OF : WANTED;
    g->stack[n->stacked++] = step;
}

/* If sends are in order, a step depends on receives of the same actor that are not among its own causes. */
static void want_by_sends(struct rh__plan_input *g, struct needs *n, uint32_t step)
{
    const struct plan_party *p = g->known[step] == RH_NONE ? NULL : &g->parties[step_at(g, step)->actor];
    if (!p || !p->must)
        return;
    const uint64_t *must = p->must + (size_t)g->place[step] * p->words;
    for (uint32_t i = 0; i < p->words; i++)
        for (uint64_t left = must[i]; left; left &= left - 1)
            want(g, n, g->receives[p->first + i * 64 + (uint32_t)__builtin_ctzll(left)], false);
}

static void want_what_must_be(struct rh__plan_input *g, struct needs *n, uint32_t step)
{
    const struct rh__coverage_step *e = step_at(g, step);
    if (g->s->by_sends)
        want_by_sends(g, n, step);
    if (e->flags & RH__STEP_FENCE && e->actor == RH_NONE)
        for (uint32_t i = 1; i < step; i++)
            want(g, n, i, false);
    if (e->cause != RH_NONE)
        want(g, n, e->cause, true);
    if (e->born != RH_NONE)
        want(g, n, e->born, true);
    if (e->after != RH_NONE)
        want(g, n, e->after, false);
    if (e->before != RH_NONE && (e->flags & (RH__STEP_PART | RH__STEP_FENCE) || g->marks[step] & ALL_OF))
        want(g, n, e->before, true);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Schedules the wanted steps, except `step` itself, in the order of the run. */
static void append_wanted(struct rh__plan_input *g, struct needs *n, uint32_t step)
{
    while (n->stacked)
        want_what_must_be(g, n, g->stack[--n->stacked]);
    qsort(g->wanted, n->wanted, sizeof *g->wanted, by_number);
    for (uint32_t i = 0; i < n->wanted; i++) {
        g->marks[g->wanted[i]] &= (unsigned char)~(WANTED | ALL_OF);
        if (g->wanted[i] != step && !is_out(g, g->wanted[i]))
            append(g, g->wanted[i]);
    }
}

/* Schedules what must precede `step` (Algorithm 2, lines 3 to 5), with the earlier steps of its actor if they
 * matter. */
static void append_needs(struct rh__plan_input *g, uint32_t step, bool with_all_before)
{
    struct needs n = { 0, 0 };
    if (with_all_before)
        want(g, &n, step, true);
    else
        want_what_must_be(g, &n, step);
    append_wanted(g, &n, step);
}

/* ---- what may not come any more ---------------------------------------------------------------------------------- */

static void poison(struct rh__plan_input *g, uint32_t *stacked, uint32_t step)
{
    if (!(g->marks[step] & POISONED))
        g->stack[(*stacked)++] = step;
    g->marks[step] |= POISONED;
}

static void leave_out(struct rh__plan_input *g, uint32_t *stacked, uint32_t step)
{
    if (g->marks[step] & LEFT_OUT)
        return;
    remove_from_tail(g, step);
    g->stack[(*stacked)++] = step; /* perhaps again: then for later messages of its channel */
    g->marks[step] |= LEFT_OUT | POISONED;
}

/* Omits everything that must happen after `step`, which is moved (IV-D). */
static void spoil(struct rh__plan_input *g, uint32_t step)
{
    const struct rh__coverage_step *e = step_at(g, step);
    const struct plan_party *p = &g->parties[e->actor];
    uint32_t stacked = 0;
    poison(g, &stacked, step);
    /* Ordered only by the delivery model: such a receive still happens, and comes later all the same; the paper omits
     * it. */
    const uint64_t *behind = p->behind ? p->behind + (size_t)g->place[step] * p->words : NULL;
    for (uint32_t i = 0; behind && i < p->words; i++)
        for (uint64_t left = behind[i]; left; left &= left - 1)
            leave_out(g, &stacked, g->receives[p->first + i * 64 + (uint32_t)__builtin_ctzll(left)]);
    for (uint32_t i = 0; i < g->fence_count; i++)
        if (g->fences[i] > step)
            leave_out(g, &stacked, g->fences[i]);
    while (stacked) {
        uint32_t at = g->stack[--stacked];
        for (uint32_t k = g->first.cause[at]; k != RH_NONE; k = g->next.cause[k])
            leave_out(g, &stacked, k);
        for (uint32_t k = g->first.born[at]; k != RH_NONE; k = g->next.born[k])
            leave_out(g, &stacked, k);
        for (uint32_t k = g->first.after[at]; g->marks[at] & LEFT_OUT && k != RH_NONE; k = g->next.after[k])
            leave_out(g, &stacked, k);
        uint32_t next = g->first.local[at];
        if (next == RH_NONE)
            continue;
        if (step_at(g, next)->flags & (RH__STEP_PART | RH__STEP_FENCE))
            leave_out(g, &stacked, next);
        poison(g, &stacked, next);
    }
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

struct pair {
    uint32_t x, y; /* in the order of the run */
    bool swap;
};

/* Whether a goal of the pair is still wanted; if not, it is removed. */
static bool open_goal(struct rh__plan_input *g, const struct rh__coverage *c, uint64_t *set, uint32_t bit,
                      uint32_t first, uint32_t second)
{
    if (!has_bit(set, bit))
        return false;
    if (!rh__achieved(c, g->criterion, g->known[first], g->known[second]) &&
        !rh__goal_is_abandoned(c, g->criterion, g->known[first], g->known[second]))
        return true;
    clear_bit(set, bit);
    return false;
}

/* Mailbox: messages that the senders of the two send to the same actor between them arrive between them.  By pcr there
 * must be none, by pmr no change of handlers. */
static bool comes_between(const struct rh__plan_input *g, uint32_t step, uint32_t k, bool behind)
{
    const struct rh__coverage_step *e = step_at(g, k);
    return (behind ? k > step : k < step) && e->actor == step_at(g, step)->actor && g->known[k] != RH_NONE &&
           (g->criterion == RH__PCR || e->flags & RH__STEP_BECOMES);
}

static bool comes_next(const struct rh__plan_input *g, uint32_t first, uint32_t second)
{
    if (!g->s->mailbox || g->criterion == RH__PR)
        return true;
    for (uint32_t k = g->first.cause[step_at(g, first)->cause]; k != RH_NONE; k = g->next.cause[k])
        if (comes_between(g, first, k, true))
            return false;
    for (uint32_t k = g->first.cause[step_at(g, second)->cause]; k != RH_NONE; k = g->next.cause[k])
        if (comes_between(g, second, k, false))
            return false;
    return true;
}

/* By pr, the run itself has achieved the goals in its own order, unless its coverage was not recorded. */
static bool find_partner(struct rh__plan_input *g, const struct rh__coverage *c, uint32_t x, struct pair *found)
{
    const struct plan_party *p = &g->parties[step_at(g, x)->actor];
    uint64_t *forward = p->forward + (size_t)g->place[x] * p->words, *back = p->back + (size_t)g->place[x] * p->words;
    for (uint32_t i = 0; i < p->words; i++) {
        uint32_t k = g->farthest ? p->words - 1 - i : i;
        for (uint64_t left = (forward[k] | back[k]) & p->tail[k]; left;) {
            uint32_t at = g->farthest ? 63 - (uint32_t)__builtin_clzll(left) : (uint32_t)__builtin_ctzll(left);
            uint32_t bit = k * 64 + at, y = g->receives[p->first + bit];
            left &= ~((uint64_t)1 << at);
            if (y == x || is_out(g, step_at(g, y)->arrival))
                continue;
            if (comes_next(g, x, y) && open_goal(g, c, forward, bit, x, y)) {
                *found = (struct pair){ x, y, false };
                return true;
            }
            if (comes_next(g, y, x) && open_goal(g, c, back, bit, y, x)) {
                *found = (struct pair){ x, y, true };
                return true;
            }
        }
    }
    return false;
}

/* Finds a pair whose first receive is caused by step `at`: that receive itself or, if mailboxes are in the order of
 * sends, one whose message `at` sent. */
static bool find_pair(struct rh__plan_input *g, const struct rh__coverage *c, uint32_t at, struct pair *found)
{
    if (!g->s->mailbox)
        return g->known[at] != RH_NONE && g->parties[step_at(g, at)->actor].count > 1 && find_partner(g, c, at, found);
    for (uint32_t k = g->first.cause[at]; k != RH_NONE; k = g->next.cause[k])
        if (step_at(g, k)->arrival == at && g->known[k] != RH_NONE && !(g->marks[k] & LEFT_OUT) &&
            g->parties[step_at(g, k)->actor].count > 1 && find_partner(g, c, k, found))
            return true;
    return false;
}

/* Algorithm 2 if mailboxes are in the order of sends: it orders the senders.  The two receives then follow at the end
 * of the schedule. */
static bool schedule_senders(struct rh__plan_input *g, uint32_t at, const struct pair *p)
{
    uint32_t other = step_at(g, p->y)->arrival;
    flush(g, at);
    if (is_out(g, at) || is_out(g, other))
        return false; /* receives that were delayed before have changed their actors */
    append_needs(g, other, other != p->y);
    if (p->swap)
        append(g, other);
    if (p->swap && g->criterion == RH__PR && other != p->y)
        g->marks[at] |= PUT_OFF;
    else
        append(g, at);
    if (!p->swap && !is_out(g, other))
        append(g, other);
    spoil(g, p->x);
    g->goals++;
    return true;
}

/* Algorithm 2.  By pr, the delayed receive can be delayed further.  Returns false if that is no longer possible. */
static bool schedule_pair(struct rh__plan_input *g, uint32_t at, const struct pair *p)
{
    uint32_t first = p->swap ? p->y : p->x, second = p->swap ? p->x : p->y;
    if (g->s->mailbox)
        return schedule_senders(g, at, p);
    flush(g, at);
    append_needs(g, p->y, false);
    append(g, first);
    if (p->swap && g->criterion == RH__PR)
        g->marks[second] |= PUT_OFF;
    else
        append(g, second);
    spoil(g, p->x);
    spoil(g, p->y);
    g->goals++;
    return true;
}

static void forget(struct rh__plan_input *g, const struct pair *p)
{
    struct plan_party *party = &g->parties[step_at(g, p->x)->actor];
    uint64_t *set = (p->swap ? party->back : party->forward) + (size_t)g->place[p->x] * party->words;
    clear_bit(set, g->place[p->y]);
}

static void restart(struct rh__plan_input *g)
{
    memset(g->marks, 0, g->s->count);
    for (uint32_t a = 0; a < g->s->actors; a++)
        for (uint32_t i = 0; g->parties[a].tail && i < g->parties[a].count; i++)
            put_bit(g->parties[a].tail, i);
    for (uint32_t a = 0; a < g->s->actors; a++)
        g->parties[a].arrived = 0;
    g->marks[0] = SCHEDULED;
    g->flushed = 1;
    g->plan_count = g->goals = 0;
}

/* Where to begin.  As in the paper: with the first receive that has a goal.  With `farthest`: with an order of types
 * that the run does not have, which is then `p`; otherwise with the receive whose partner is farthest after it, because
 * other explorers rarely delay one message for long. */
static uint32_t begin_at(struct rh__plan_input *g, const struct rh__coverage *c, struct pair *p)
{
    uint32_t best = g->first_open ? g->first_open : 1, distance = 0;
    struct pair q;
    if (!g->farthest || g->s->mailbox)
        return best;
    for (struct rh__type_orders *k = &g->kinds; k->next < RH__MOST_KINDS && k->list[k->next].x; k->next++) {
        q = (struct pair){ k->list[k->next].x, k->list[k->next].y, true };
        const struct plan_party *party = &g->parties[step_at(g, q.x)->actor];
        if (open_goal(g, c, party->back + (size_t)g->place[q.x] * party->words, g->place[q.y], q.y, q.x)) {
            *p = q;
            return q.x;
        }
    }
    for (uint32_t x = best, n = g->s->count; x < n && n - x > distance; x++)
        if (find_pair(g, c, x, &q) && q.y - q.x > distance) {
            distance = q.y - q.x;
            best = x;
        }
    return distance ? best : g->s->count;
}

bool rh__plan(struct rh__plan_input *g, const struct rh__coverage *c, struct rh__schedule_plan *plan)
{
    struct pair p, chosen = { 0, 0, false };
    *plan = (struct rh__schedule_plan){ .steps = g->plan };
    restart(g);
    for (uint32_t at = begin_at(g, c, &chosen); at < g->s->count;) {
        p = chosen;
        chosen.x = 0;
        if (!is_out(g, at) && (p.x || find_pair(g, c, at, &p))) {
            if (schedule_pair(g, at, &p) && g->goals == 1) {
                plan->first = p.swap ? p.y : p.x;
                plan->second = p.swap ? p.x : p.y;
                if (!g->farthest || g->s->mailbox)
                    g->first_open = at;
                forget(g, &p);
            }
            continue;
        }
        if (g->marks[at] & PUT_OFF && !(g->marks[at] & SCHEDULED))
            append(g, at);
        at++;
    }
    if (!g->goals)
        g->first_open = g->s->count;
    plan->count = g->plan_count;
    plan->goals = g->goals;
    return g->goals != 0;
}
