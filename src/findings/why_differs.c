/* The nearest run that passes: one thing differs (why.h). */
#include <string.h>

#include "findings/why_objects.h"
#include "findings/why_parts.h"
#include "run/encode.h"
#include "world/live.h"

static uint32_t *plan_of(struct rh__why_work *x)
{
    return x->arrays;
}

/* ---- what may differ --------------------------------------------------------------------------------------------- */

static bool is_receive(const struct rh__run *r, uint32_t step)
{
    const struct rh_event *e = rh__run_event(r, step + 1);
    return (e->choice.kind == RH_CHOICE_DELIVER || e->choice.kind == RH_CHOICE_TIMER) && !(e->flags & RH_EVENT_INSIDE);
}

static bool share_object(const struct rh__run *r, uint32_t a, uint32_t b)
{
    uint32_t use, other;
    return rh__why_shared_uses(r, a + 1, b + 1, &use, &other);
}

static void add_try(struct rh__why_work *x, enum rh__why_differs kind, uint32_t first, uint32_t second)
{
    if (x->try_count < RH__WHY_TRIES)
        x->tries[x->try_count++] = (struct rh__why_attempt){ kind, first, second, false };
    if (kind == RH__WHY_ORDER && x->try_count < RH__WHY_TRIES)
        x->tries[x->try_count++] = (struct rh__why_attempt){ kind, first, second, true };
}

/* Messages to the actor of a receive that were under way at that time, and are not taken in the run. */
static void add_waiting(struct rh__why_work *x, const struct rh__run *r, uint32_t step)
{
    for (uint32_t i = 0; is_receive(r, step) && i < r->message_count; i++) {
        const struct rh__run_message *m = rh__run_message(r, i);
        if (m->event <= step && m->taken_by == RH_NONE && m->receiver == rh__run_choice(r, step + 1)->actor)
            add_try(x, RH__WHY_WAITING, step, i);
    }
}

/* Two receives of one actor, the later ones and the nearer ones first; then two uses of one object; then faults. */
void rh__why_collect_tries(struct rh__why_work *x)
{
    const struct rh__run *r = x->r;
    uint32_t last = x->steps > 200 ? x->steps - 200 : 0;
    for (uint32_t i = x->steps; i-- > last;)
        add_waiting(x, r, i);
    for (uint32_t apart = 0; apart < 2; apart++)
        for (uint32_t b = x->steps; b-- > last;) {
            uint32_t seen = 0;
            for (uint32_t a = b; is_receive(r, b) && a-- > last;) {
                if (!is_receive(r, a) || rh__run_choice(r, a + 1)->actor != rh__run_choice(r, b + 1)->actor)
                    continue;
                if (apart ? seen > 0 : seen == 0)
                    add_try(x, RH__WHY_ORDER, a, b);
                if (++seen == 6)
                    break;
            }
        }
    for (uint32_t i = x->steps; i-- > 0;)
        if (rh__is_fault(rh__run_choice(r, i + 1)))
            add_try(x, RH__WHY_FAULT, i, 0);
    for (uint32_t b = x->steps; b-- > last;)
        for (uint32_t a = b; a-- > last && a + 20 > b;)
            if (rh__run_choice(r, a + 1)->actor != rh__run_choice(r, b + 1)->actor && share_object(r, a, b))
                add_try(x, RH__WHY_ORDER, a, b);
    for (uint32_t i = x->steps; i-- > last;)
        if (rh__why_uses(r, i + 1))
            add_try(x, RH__WHY_USE, i, 0);
    for (uint32_t i = x->steps; i-- > last;)
        for (uint32_t k = 0; k < 4; k++)
            add_try(x, RH__WHY_OTHER, i, k);
}

/* An order is turned round by making the first of the two directly after the second. */
static uint32_t make_plan(struct rh__why_work *x, const struct rh__why_attempt *t)
{
    uint32_t *plan = plan_of(x), n = 0;
    for (uint32_t i = 0; i < x->steps; i++) {
        if (t->kind == RH__WHY_OTHER && i == t->first)
            plan[n++] = RH__SHRINK_OTHER + t->second;
        if (t->kind == RH__WHY_OTHER || i != t->first)
            plan[n++] = i;
        if (t->kind == RH__WHY_ORDER && i == t->second && !t->late)
            plan[n++] = t->first;
    }
    return n;
}

/* The index of a message among those of its type, sender and receiver. */
static uint32_t rank_of(const struct rh__run *r, uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    uint32_t n = 0;
    for (uint32_t i = 0; i < message; i++) {
        const struct rh__run_message *o = rh__run_message(r, i);
        n += o->seen_as == m->seen_as && o->receiver == m->receiver && strcmp(o->type->name, m->type->name) == 0;
    }
    return n;
}

/* The event of another run that took the same message; RH_NONE for none. */
static uint32_t taken_in(const struct rh__run *other, const struct rh__run *r, uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    uint32_t rank = rank_of(r, message);
    for (uint32_t i = 0; i < other->message_count; i++) {
        const struct rh__run_message *o = rh__run_message(other, i);
        if (strcmp(o->type->name, m->type->name) == 0 &&
            rh__run_actor(other, o->seen_as)->identity == rh__run_actor(r, m->seen_as)->identity &&
            rh__run_actor(other, o->receiver)->identity == rh__run_actor(r, m->receiver)->identity && rank-- == 0)
            return o->taken_by;
    }
    return RH_NONE;
}

/* Whether the message was taken before what the step took, if that was taken at all. */
static bool came_first(const struct rh__run *other, const struct rh__run *r, uint32_t message, uint32_t step)
{
    const struct rh_choice *c = rh__run_choice(r, step + 1);
    uint32_t m = taken_in(other, r, message);
    return m != RH_NONE && (c->kind != RH_CHOICE_DELIVER || m < taken_in(other, r, c->what));
}

static uint32_t position_of(const struct rh__shrink_step *now, uint32_t count, uint32_t step)
{
    uint32_t i = 0;
    while (i < count && now[i].from != step)
        i++;
    return i;
}

/* How many events only one of the two runs has, as far as the failing one goes; RH_NONE if the try was not made as it
 * was meant. */
static uint32_t places_of(const struct rh__why_work *x, const struct rh__run *other, const struct rh__why_attempt *t)
{
    uint32_t count, kept = 0, behind = 0, use, change;
    const struct rh__shrink_step *now = rh__shrink_now(x->s, &count);
    for (uint32_t i = 0; i < count; i++)
        if (now[i].from != RH_NONE) {
            kept++;
            behind = i + 1;
        }
    uint32_t a = position_of(now, count, t->first), b = position_of(now, count, t->second);
    if (t->kind == RH__WHY_ORDER && (b == count || a < b || (a == count && !t->late)))
        return RH_NONE;
    /* A step may have taken another message of its kind than it was meant to. */
    if (t->kind == RH__WHY_ORDER && is_receive(x->r, t->first) && is_receive(x->r, t->second) &&
        !came_first(other, x->r, rh__run_choice(x->r, t->second + 1)->what, t->first))
        return RH_NONE;
    if (t->kind == RH__WHY_WAITING && !came_first(other, x->r, t->second, t->first))
        return RH_NONE;
    if (t->kind == RH__WHY_FAULT && a < count)
        return RH_NONE;
    if (t->kind == RH__WHY_USE && !rh__why_later_use(x->r, t->first + 1, other, &use, &change))
        return RH_NONE;
    return 1 + (x->steps - kept) + (behind - kept);
}

/* What differs at the failing event itself says most, another choice somewhere least. */
static uint32_t class_of(const struct rh__why_work *x, const struct rh__why_attempt *t)
{
    bool at_end = t->first == x->steps - 1 || (t->kind == RH__WHY_ORDER && t->second == x->steps - 1);
    if (t->kind == RH__WHY_USE ||
        (t->kind == RH__WHY_ORDER && (!is_receive(x->r, t->first) || !is_receive(x->r, t->second))))
        return 3; /* uses of an object, which rows of stories show badly */
    return t->kind == RH__WHY_OTHER ? 4 : t->kind == RH__WHY_FAULT ? 1 : at_end ? 0 : 2;
}

void rh__why_end_try(struct rh__why_work *x, const struct rh_world *w, const struct rh_outcome *outcome)
{
    const struct rh__why_attempt *t = &x->tries[x->try_at++];
    struct rh__why *y = &x->f->why;
    uint32_t places = outcome->kind == RH_OUTCOME_FINISHED ? places_of(x, rh__world_run(w), t) : RH_NONE;
    uint32_t kind = class_of(x, t);
    if (places == RH_NONE || kind > x->best_class || (kind == x->best_class && places >= x->best_places))
        return;
    struct rh__writer to = rh__writer_of(y->passing, RH__PASSING_BYTES);
    rh__run_encode(rh__world_run(w), 256, &to);
    x->best_class = kind;
    x->best_places = places;
    y->differs = t->kind;
    y->first = t->first + 1;
    y->second = t->kind == RH__WHY_ORDER ? t->second + 1 : 0;
    y->message = t->kind == RH__WHY_WAITING ? t->second : RH_NONE;
    y->places = places;
    y->passing_size = to.full ? 0 : to.len;
}

void rh__why_run_try(struct rh__why_work *x, struct rh_world *w)
{
    uint32_t count;
    rh_world_reset(w);
    const struct rh__why_attempt *t = &x->tries[x->try_at];
    bool late = t->kind == RH__WHY_WAITING || t->kind == RH__WHY_USE || t->late;
    rh__shrink_play(x->s, plan_of(x), make_plan(x, t), late ? t->first : RH_NONE);
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &count)), count;) {
        uint32_t pick = rh__shrink_choose(x->s, w, open, count);
        if (pick == RH_NONE)
            break;
        rh_world_step(w, &open[pick]);
        x->made++;
    }
}
