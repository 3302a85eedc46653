/* See identity.h. */
#include "coverage/identity.h"

#include <string.h>

#include "base/hash.h"
#include "world/state.h"

enum { TEXT_SEED = 0xb17a };

static uint64_t hash_text(const char *text)
{
    return rh__hash(text, strlen(text), TEXT_SEED);
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

enum { PER_EVENT = sizeof(uint64_t) + 7 * sizeof(uint32_t), PER_ACTOR = sizeof(uint64_t) + sizeof(uint32_t) };

size_t rh__identities_size(uint32_t most_events, uint32_t most_actors)
{
    return (size_t)most_events * PER_EVENT + (size_t)most_actors * PER_ACTOR;
}

void rh__identities_init(struct rh__identities *n, void *memory, uint32_t most_events, uint32_t most_actors)
{
    *n = (struct rh__identities){ .most_events = most_events, .most_actors = most_actors };
    n->id = memory;
    n->actor_id = n->id + most_events;
    uint32_t *at = (uint32_t *)(n->actor_id + most_actors);
    uint32_t **of_events[] = {
        &n->root, &n->previous, &n->sent, &n->parts, &n->sent_in_all, &n->parts_in_all, &n->made
    };
    for (size_t i = 0; i < sizeof of_events / sizeof *of_events; i++, at += most_events)
        *of_events[i] = at;
    n->last = at;
}

/* ---- names ------------------------------------------------------------------------------------------------------------- */

static bool is_part(const struct rh_event *e)
{
    return e->flags & RH_EVENT_INSIDE || e->choice.kind == RH_CHOICE_ACCEPT;
}

bool rh__event_of_actor(const struct rh_world *w, const struct rh_event *e)
{
    const struct rh_choice *c = &e->choice;
    bool posts = c->kind == RH_CHOICE_TIMER && c->arg && c->actor != w->clock && e->first_message < w->message_count &&
                 w->messages[e->first_message].timer; /* to the mailbox; it is an event of its actor when it is taken */
    return c->actor != RH_NONE && c->kind != RH_CHOICE_LOSE && c->kind != RH_CHOICE_DUPLICATE && !posts;
}

static uint64_t id_of_message(const struct rh__identities *n, const struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    uint64_t copy = 0;
    if (m->copy_of != RH_NONE) {
        for (uint32_t i = m->copy_of; i <= message; i++)
            copy += w->messages[i].copy_of == m->copy_of;
        m = &w->messages[m->copy_of];
    }
    uint64_t ordinal = n->sent[m->event] + m->ordinal;
    return rh__mix(rh__mix(n->id[n->root[m->event]], hash_text(m->type->name)), ordinal << 16 | copy);
}

static uint64_t id_of_timer(const struct rh__identities *n, const struct rh_world *w, uint32_t set_by, uint64_t name)
{
    uint64_t what = name ? hash_text(w->payload + name) : n->parts[set_by];
    return rh__mix(rh__mix(n->id[n->root[set_by]], RH_CHOICE_TIMER), what);
}

/* `set_by` and `name` are those of a timer. */
static uint64_t id_of(const struct rh__identities *n, const struct rh_world *w, const struct rh_choice *c,
                      uint32_t set_by, uint64_t name)
{
    uint64_t who = c->actor == RH_NONE ? 0 : n->actor_id[c->actor];
    uint64_t what = 0;
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_DELIVER:
        return rh__mix(id_of_message(n, w, c->what), who);
    case RH_CHOICE_ACCEPT:
    case RH_CHOICE_LOSE:
    case RH_CHOICE_DUPLICATE:
        return rh__mix(id_of_message(n, w, c->what), c->kind);
    case RH_CHOICE_TIMER:
        return rh__mix(id_of_timer(n, w, set_by, name), who);
    case RH_CHOICE_PARTITION:
        for (uint32_t i = 0; i < n->actors; i++) /* not those that come later in this run */
            if (w->actors[i].node < 16 && c->what >> w->actors[i].node & 1)
                what ^= n->actor_id[i];
        break;
    case RH_CHOICE_VALUE:
    case RH_CHOICE_OPEN:
    case RH_CHOICE_CRASH:
    case RH_CHOICE_RESTART:
        what = c->what;
        break;
    default:
        break;
    }
    /* The others are known by what their actor did last, of which they may be the next part. */
    uint32_t last = c->actor == RH_NONE ? RH_NONE : n->last[c->actor];
    uint64_t behind = last == RH_NONE ? 0 : rh__mix(n->id[n->root[last]], n->parts_in_all[n->root[last]]);
    return rh__mix(rh__mix(rh__mix(who, c->kind), behind), what);
}

uint64_t rh__choice_identity(const struct rh__identities *n, const struct rh_world *w, const struct rh_choice *c)
{
    const struct timer *t = c->kind == RH_CHOICE_TIMER ? &w->timers[c->what] : NULL;
    return id_of(n, w, c, t ? t->event : RH_NONE, t && t->type ? t->name : 0);
}

/* ---- following a run --------------------------------------------------------------------------------------------------- */

static void name_actors(struct rh__identities *n, const struct rh_world *w)
{
    for (; n->actors < w->actor_count && n->actors < n->most_actors; n->actors++) {
        const struct actor *a = &w->actors[n->actors];
        uint32_t born = a->born == RH_NONE ? 0 : a->born; /* the test was there before */
        if (born >= n->events)
            return;
        uint64_t of_type = hash_text(a->type->name);
        uint32_t root = n->root[born];
        n->last[n->actors] = RH_NONE;
        if (a->status == STATUS_OUTSIDE)
            n->actor_id[n->actors] = a->identity; /* by its own name */
        else if (a->parent == RH_NONE)
            n->actor_id[n->actors] = of_type;
        else
            n->actor_id[n->actors] = rh__mix(rh__mix(n->id[root], of_type), (uint64_t)n->made[root]++ << 32 | 1);
    }
}

static void add_event(struct rh__identities *n, const struct rh_world *w)
{
    uint32_t at = n->events;
    const struct rh_event *e = &w->events[at];
    const struct rh_choice *c = &e->choice;
    bool own = at && rh__event_of_actor(w, e);
    uint32_t before = own ? n->last[c->actor] : RH_NONE;
    bool part = is_part(e) && before != RH_NONE;
    uint32_t root = part ? n->root[before] : at;
    uint32_t end = at + 1 < w->event_count ? w->events[at + 1].first_message : w->message_count;
    n->id[at] = at ? id_of(n, w, c, e->set_by, (uint64_t)c->arg * 16) : 0;
    n->root[at] = root;
    n->previous[at] = before;
    if (!part)
        n->sent_in_all[at] = n->parts_in_all[at] = n->made[at] = 0;
    n->sent[at] = n->sent_in_all[root];
    n->parts[at] = n->parts_in_all[root]++;
    n->sent_in_all[root] += end - e->first_message;
    n->events++;
    name_actors(n, w);
    if (own || !at)
        n->last[c->actor] = at;
}

void rh__identities_begin(struct rh__identities *n)
{
    n->events = n->actors = 0;
}

void rh__identities_follow(struct rh__identities *n, const struct rh_world *w)
{
    while (n->events < w->event_count && n->events < n->most_events)
        add_event(n, w);
}
