/* See knowledge.h.
 *
 * Under mailbox a message is in the mailbox when it has been sent.  With granularity object a wait that ends in vain is no
 * operation on the mailbox, or else it would be in order with all sends to it; it may end as if it had come before a send that is
 * not in its past.  If the send is in its past there is no such order: a process that sends to itself, or reads in a table what
 * another wrote after sending to it, finds the message.
 *
 * What is in whose past is not kept, but looked for when there is a wait that could end: from the event of the send on, all that
 * has it in its past is marked with the number of the walk:
 *
 *     an event     of an actor that is marked; that takes a message that is; that touches an object that is
 *     then marked  its actor, the messages that it sends, the actors that it makes, the objects that it touches
 *
 * optimal has the same past in its graph (rh__graph_set_row). */
#include "world/knowledge.h"

#include "base/hash.h"
#include "world/network.h"
#include "world/objects.h"

/* Of a walk. */
struct spread {
    uint32_t born;    /* the next actor that an event may have made */
    uint64_t objects; /* a hash of those marked */
};

static bool is_met(struct rh_world *w, const struct rh_event *e, uint32_t event)
{
    const struct rh_choice *c = &e->choice;
    uint32_t n;
    if (c->kind == RH_CHOICE_LOSE || c->kind == RH_CHOICE_DUPLICATE)
        return w->messages[c->what].walk == w->walk;
    if (c->actor != RH_NONE && w->actors[c->actor].walk == w->walk)
        return true;
    if (c->kind == RH_CHOICE_DELIVER && w->messages[c->what].walk == w->walk)
        return true;
    const struct rh__access *a = rh__event_accesses(w, event, &n);
    for (uint32_t i = 0; i < n; i++)
        if (rh__object_entry(w, a[i].object)->walk == w->walk)
            return true;
    return false;
}

static void mark(struct rh_world *w, struct spread *s, uint32_t event)
{
    const struct rh_choice *c = &w->events[event].choice;
    bool own = c->kind != RH_CHOICE_LOSE && c->kind != RH_CHOICE_DUPLICATE; /* no event of its receiver */
    uint32_t end = event + 1 < w->event_count ? w->events[event + 1].first_message : w->message_count, n;
    if (own && c->actor != RH_NONE)
        w->actors[c->actor].walk = w->walk;
    for (uint32_t m = w->events[event].first_message; m < end; m++)
        w->messages[m].walk = w->walk;
    for (; s->born < w->actor_count && w->actors[s->born].born == event; s->born++)
        w->actors[s->born].walk = w->walk;
    const struct rh__access *a = rh__event_accesses(w, event, &n);
    for (uint32_t i = 0; i < n; i++) {
        struct object *o = rh__object_entry(w, a[i].object);
        if (o->walk != w->walk)
            s->objects ^= rh__mix(o->object, 1);
        o->walk = w->walk;
    }
}

/* All that has the send of this message in its past. */
static uint64_t spread_from(struct rh_world *w, uint32_t message)
{
    uint32_t first = w->messages[rh__message_original(w, message)].event;
    struct spread s = { .born = w->actor_count };
    while (s.born && w->actors[s.born - 1].born != RH_NONE && w->actors[s.born - 1].born >= first)
        s.born--;
    w->walk++;
    for (uint32_t e = first; e < w->event_count; e++) {
        while (s.born < w->actor_count && w->actors[s.born].born < e)
            s.born++;
        if (e == first || is_met(w, &w->events[e], e))
            mark(w, &s, e);
    }
    return s.objects;
}

bool rh__message_known(struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    if (w->semantics.model == RH_CAUSAL)
        return m->type != &rh__exit_signal && rh__message_in_vector(w, m, w->actors[m->receiver].clock);
    if (w->semantics.model != RH_MAILBOX || !m->posted)
        return false;
    spread_from(w, message);
    return w->actors[m->receiver].walk == w->walk;
}

uint64_t rh__knowledge_hash(struct rh_world *w)
{
    uint64_t h = 0;
    for (uint32_t c = 0; c < w->channel_count; c++)
        for (uint32_t i = w->channels[c].first, at = 1; i != RH_NONE; i = w->messages[i].next, at++) {
            if (!w->messages[i].posted)
                continue;
            uint64_t known = spread_from(w, i), of = (uint64_t)w->channels[c].receiver << 32 | at;
            for (uint32_t a = 0; a < w->actor_count; a++)
                if (w->actors[a].walk == w->walk && w->actors[a].status != STATUS_ENDED)
                    known += rh__mix(a, 2);
            for (uint32_t k = 0; k < w->channel_count; k++)
                for (uint32_t m = w->channels[k].first, n = 0; m != RH_NONE; m = w->messages[m].next, n++)
                    if (w->messages[m].walk == w->walk)
                        known += rh__mix((uint64_t)w->channels[k].sender << 32 | w->channels[k].receiver, n + 3);
            h += rh__mix(known, of);
        }
    return h;
}
