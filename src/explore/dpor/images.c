/* See images.h. */
#include "explore/dpor/images.h"

#include "explore/dpor/dpor.h"
#include "explore/explorers.h"

/* ---- events and messages of the exchange ------------------------------------------------------------------------- */

static uint32_t exchanged(const struct dpor_pair *p, uint32_t actor)
{
    return actor == p->one ? p->other : actor == p->other ? p->one : actor;
}

static bool is_of_pair(const struct dpor_pair *p, uint32_t actor)
{
    return actor == p->one || actor == p->other;
}

/* The actor whose event this is; RH_NONE: nobody's. */
static uint32_t owner_of(const struct rh__run *r, uint32_t event)
{
    const struct rh_choice *c = rh__run_choice(r, event);
    return rh__befalls(c) ? RH_NONE : c->actor;
}

static void number_events(struct dpor_images *s, const struct rh__run *r, uint32_t from)
{
    for (uint32_t i = from; i < r->event_count; i++) {
        uint32_t owner = owner_of(r, i), k = i;
        s->ordinal[i] = 0;
        while (owner != RH_NONE && k-- > 1)
            if (owner_of(r, k) == owner) {
                s->ordinal[i] = s->ordinal[k] + 1;
                break;
            }
    }
}

/* The event of the actor with this number, before `end`; RH_NONE: it has none. */
static uint32_t event_of(const struct dpor_images *s, const struct rh__run *r, uint32_t actor, uint32_t number,
                         uint32_t end)
{
    for (uint32_t i = 1; i < end; i++)
        if (owner_of(r, i) == actor && s->ordinal[i] == number)
            return i;
    return RH_NONE;
}

/* How many messages to the receiver of m its event had sent before. */
static uint32_t number_of(const struct rh__run *r, const struct rh__run_message *m)
{
    uint32_t first = rh__run_event(r, m->event)->first_message, count = 0;
    for (uint32_t i = 0; i < m->ordinal; i++)
        count += rh__run_message(r, first + i)->receiver == m->receiver;
    return count;
}

static uint32_t image_of_message(const struct dpor_images *s, const struct rh__run *r, const struct dpor_pair *p,
                                 uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    uint32_t owner = m->event ? owner_of(r, m->event) : RH_NONE, event = m->event;
    if (owner != RH_NONE && is_of_pair(p, owner))
        event = event_of(s, r, exchanged(p, owner), s->ordinal[event], r->event_count);
    if (event == RH_NONE || m->copy_of != RH_NONE)
        return RH_NONE;
    uint32_t number = number_of(r, m);
    for (uint32_t i = rh__run_event(r, event)->first_message; i < rh__run_messages_end(r, event); i++) {
        const struct rh__run_message *k = rh__run_message(r, i);
        if (k->receiver == exchanged(p, m->receiver) && k->copy_of == RH_NONE && number-- == 0)
            return k->type == m->type && k->sender == exchanged(p, m->sender) && k->seen_as == exchanged(p, m->seen_as)
                       ? i
                       : RH_NONE;
    }
    return RH_NONE;
}

static bool concerns(const struct rh__run *r, const struct rh_choice *c, uint32_t actor)
{
    const struct rh__run_message *m = rh__is_about_message(c) ? rh__run_message(r, c->what) : NULL;
    return c->actor == actor || (m && (m->sender == actor || m->seen_as == actor || m->receiver == actor));
}

/* The choice with the two exchanged; false: not known. */
static bool image_of(const struct dpor_images *s, const struct rh__run *r, const struct dpor_pair *p,
                     struct rh_choice *c)
{
    c->actor = exchanged(p, c->actor);
    if (rh__is_about_message(c))
        c->what = image_of_message(s, r, p, c->what);
    return c->what != RH_NONE && c->kind != RH_CHOICE_TIMER && c->kind != RH_CHOICE_OPEN &&
           c->kind != RH_CHOICE_OUTSIDE && c->kind != RH_CHOICE_PARTITION;
}

/* ---- what tells two actors apart --------------------------------------------------------------------------------- */

static bool same_label(const struct dpor_images *s, const struct rh__run *r, const struct dpor_pair *p, uint32_t one,
                       uint32_t other)
{
    struct rh_choice image = *rh__run_choice(r, one);
    const struct rh_choice *c = rh__run_choice(r, other);
    return image_of(s, r, p, &image) && image.kind == c->kind && image.actor == c->actor && image.what == c->what &&
           image.arg == c->arg;
}

static bool depend(const struct dpor *d, uint32_t one, uint32_t other)
{
    const struct rh__history *h = &d->history;
    return rh__dependence(h, h->step[one].unit, h->step[other].unit) != RH__INDEPENDENT;
}

/* An event of one of the two: it must be like its image, no event of the other one may meet it, and none of a third
 * actor may be ordered between. */
static bool own_tells_apart(const struct dpor *d, const struct rh__run *r, const struct dpor_pair *p, uint32_t event)
{
    const struct dpor_images *s = &d->images;
    uint32_t owner = owner_of(r, event), twin = exchanged(p, owner);
    for (uint32_t i = 0; i < r->actor_count; i++)
        if (rh__run_actor(r, i)->born == event)
            return true;
    for (uint32_t i = 1; i < event; i++)
        if (owner_of(r, i) == twin && depend(d, i, event))
            return true;
    uint32_t image = event_of(s, r, twin, s->ordinal[event], event);
    if (image == RH_NONE) {
        struct rh_choice c = *rh__run_choice(r, event);
        return c.kind == RH_CHOICE_TIMER || c.kind == RH_CHOICE_OPEN;
    }
    if (!same_label(s, r, p, image, event))
        return true;
    for (uint32_t i = image + 1; i < event; i++)
        if (!is_of_pair(p, owner_of(r, i)) && depend(d, i, event))
            return true;
    return false;
}

/* An event of a third: it may not know one of the two, nor stand between an event and its image. */
static bool other_tells_apart(const struct dpor *d, const struct rh__run *r, const struct dpor_pair *p, uint32_t event)
{
    const struct dpor_images *s = &d->images;
    const struct rh_choice *c = rh__run_choice(r, event);
    if (c->kind == RH_CHOICE_PARTITION || c->kind == RH_CHOICE_HEAL || c->kind == RH_CHOICE_OUTSIDE ||
        concerns(r, c, p->one) || concerns(r, c, p->other))
        return true;
    for (uint32_t i = rh__run_event(r, event)->first_message; i < rh__run_messages_end(r, event); i++)
        if (is_of_pair(p, rh__run_message(r, i)->receiver) || is_of_pair(p, rh__run_message(r, i)->sender))
            return true;
    for (uint32_t i = 1; i < event; i++)
        if (is_of_pair(p, owner_of(r, i)) &&
            event_of(s, r, exchanged(p, owner_of(r, i)), s->ordinal[i], event) == RH_NONE &&
            (c->kind == RH_CHOICE_TIMER || depend(d, i, event)))
            return true;
    return false;
}

static void follow(const struct dpor *d, const struct rh__run *r, struct dpor_pair *p, uint32_t from)
{
    from = from > d->images.rule->looked ? from : d->images.rule->looked; /* until then all runs are the same */
    if (p->apart != RH_NONE && p->apart < from)
        return;
    p->apart = RH_NONE;
    for (uint32_t i = from; i < r->event_count && p->apart == RH_NONE; i++)
        if (is_of_pair(p, owner_of(r, i)) ? own_tells_apart(d, r, p, i) : other_tells_apart(d, r, p, i))
            p->apart = i;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static bool is_mapped_to_itself(const struct rh__run *r, const struct dpor_pair *p, uint32_t node)
{
    int32_t balance = 0;
    if (p->apart <= node)
        return false;
    for (uint32_t i = 1; i <= node; i++)
        balance += owner_of(r, i) == p->one ? 1 : owner_of(r, i) == p->other ? -1 : 0;
    return balance == 0;
}

static void look_at(struct dpor *d, const struct rh__run *r, uint32_t node)
{
    struct dpor_images *s = &d->images;
    const struct node *n = &d->node[node];
    s->left_out[node] = 0;
    for (uint32_t i = 0; i < n->count; i++)
        s->first[n->first + i] = i;
    for (uint32_t k = 0; k < s->pairs && node + 1 >= s->rule->looked; k++) {
        const struct dpor_pair *p = &s->pair[k];
        if (!is_mapped_to_itself(r, p, node))
            continue;
        for (uint32_t i = 1; i < n->count; i++) {
            struct rh_choice c = d->choice[n->first + i];
            if (concerns(r, &c, p->one) == concerns(r, &c, p->other) || !image_of(s, r, p, &c))
                continue;
            uint32_t at = rh__dpor_place_of(d, node, &c);
            if (at == RH_NONE || at >= s->first[n->first + i])
                continue;
            s->first[n->first + i] = at;
            s->left_out[node] |= (uint64_t)1 << (s->class_of[p->one] - 1);
        }
    }
    for (uint32_t i = 0; i < n->count; i++) /* earlier places are settled */
        s->first[n->first + i] = s->first[n->first + s->first[n->first + i]];
    s->rule->left_out |= s->left_out[node] != 0;
}

static void find_pairs(struct dpor_images *s)
{
    const struct rh__exchange *e = s->rule;
    unsigned char classes = 0;
    s->found = true;
    s->pairs = 0;
    for (uint32_t b = 1; b < e->actors; b++)
        for (uint32_t a = e->leader[b]; a < b && s->pairs < MOST_PAIRS && classes < 64; a++) {
            if (e->leader[a] != e->leader[b])
                continue;
            if (!s->class_of[e->leader[b]])
                s->class_of[e->leader[b]] = ++classes;
            s->class_of[b] = s->class_of[a];
            s->pair[s->pairs++] = (struct dpor_pair){ .one = a, .other = b, .apart = RH_NONE };
        }
}

void rh__dpor_images_find(struct dpor *d, const struct rh__run *r, uint32_t node)
{
    struct dpor_images *s = &d->images;
    if (!s->rule->found) /* no state so far had two choices */
        return;
    if (!s->found) {
        find_pairs(s);
        node = d->floor;
    }
    if (!s->pairs)
        return;
    number_events(s, r, node); /* event number `node` leads to the node */
    for (uint32_t i = 0; i < s->pairs; i++)
        follow(d, r, &s->pair[i], node);
    for (; node < d->top; node++)
        look_at(d, r, node);
}

/* ---- what images of a run ask for -------------------------------------------------------------------------------- */

static void select_first(struct dpor *d, uint32_t node, uint32_t place)
{
    rh__dpor_mark(d, node, d->images.first[d->node[node].first + place]);
}

static void select_all(struct dpor *d, uint32_t node)
{
    for (uint32_t i = 0; i < d->node[node].count; i++)
        select_first(d, node, i);
}

static bool is_among(const struct dpor_images *s, uint64_t classes, uint32_t actor)
{
    return actor < s->rule->actors && s->class_of[actor] && classes >> (s->class_of[actor] - 1) & 1;
}

/* The earlier event of the race is of an actor of these classes: its images are of the others of its class. */
static void select_before_images(struct dpor *d, const struct rh__run *r, uint32_t event)
{
    const struct dpor_images *s = &d->images;
    uint32_t owner = owner_of(r, event);
    for (uint32_t i = 1; i < s->rule->actors; i++) {
        uint32_t image = i != owner && s->class_of[i] == s->class_of[owner]
                             ? event_of(s, r, i, s->ordinal[event], r->event_count)
                             : RH_NONE;
        if (image != RH_NONE && d->history.step[image].unit > d->floor)
            select_all(d, d->history.step[image].unit - 1);
    }
}

/* Selects the images of the choice with another one in the place of this actor. */
static void select_images(struct dpor *d, const struct rh__run *r, uint32_t node, uint32_t place, uint32_t actor)
{
    const struct dpor_images *s = &d->images;
    for (uint32_t i = 1; i < s->rule->actors; i++) {
        if (i == actor || s->class_of[i] != s->class_of[actor])
            continue;
        struct dpor_pair p = { .one = actor, .other = i };
        struct rh_choice c = d->choice[d->node[node].first + place];
        uint32_t at = image_of(s, r, &p, &c) ? rh__dpor_place_of(d, node, &c) : RH_NONE;
        if (at == RH_NONE) {
            select_all(d, node);
            return;
        }
        select_first(d, node, at);
    }
}

void rh__dpor_images_want(struct dpor *d, const struct rh__run *r, uint32_t node, uint32_t place)
{
    const struct dpor_images *s = &d->images;
    uint64_t classes = 0;
    select_first(d, node, place);
    for (uint32_t i = node + 1; i < s->unit && i < d->top; i++)
        classes |= s->left_out[i];
    if (!classes)
        return;
    if (is_among(s, classes, owner_of(r, node + 1)))
        select_before_images(d, r, node + 1);
    const struct rh_choice *c = &d->choice[d->node[node].first + place];
    uint32_t among = rh__run_is_clock(r, c) ? 2 : 0, actor = RH_NONE; /* the clock's timers are those of all */
    for (uint32_t i = 1; i < s->rule->actors; i++)
        if (is_among(s, classes, i) && concerns(r, c, i)) {
            among++;
            actor = i;
        }
    if (among > 1)
        select_all(d, node);
    else if (among)
        select_images(d, r, node, place, actor);
}
