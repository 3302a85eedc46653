/* Identity by causes (identity.h). */
#include "run/identity.h"

#include <string.h>

#include "base/hash.h"
#include "world/cuts.h"
#include "world/live.h"

enum { TEXT_SEED = 0xb17a };

static uint64_t hash_text(const char *text)
{
    return rh__hash(text, strlen(text), TEXT_SEED);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

enum { PER_EVENT = sizeof(uint64_t) + 8 * sizeof(uint32_t), PER_ACTOR = sizeof(uint64_t) + sizeof(uint32_t) };

/* Entries of the table of timers: a power of two, and more than twice as many as can be used. */
static uint32_t timer_entries(uint32_t most_events)
{
    uint32_t n = 64;
    while (n < 2 * most_events)
        n *= 2;
    return n;
}

size_t rh__identities_size(uint32_t most_events, uint32_t most_actors)
{
    return timer_entries(most_events) * sizeof(struct rh__fired) + (size_t)most_events * PER_EVENT +
           (size_t)most_actors * PER_ACTOR;
}

void rh__identities_init(struct rh__identities *n, void *memory, uint32_t most_events, uint32_t most_actors)
{
    *n = (struct rh__identities){ .most_events = most_events, .most_actors = most_actors };
    n->fired_mask = timer_entries(most_events) - 1;
    n->fired = memory;
    n->id = (uint64_t *)(n->fired + n->fired_mask + 1);
    n->actor_id = n->id + most_events;
    uint32_t *at = (uint32_t *)(n->actor_id + most_actors);
    uint32_t **of_events[] = { &n->root,        &n->previous,     &n->sent, &n->parts,
                               &n->sent_in_all, &n->parts_in_all, &n->made, &n->parent };
    for (size_t i = 0; i < sizeof of_events / sizeof *of_events; i++, at += most_events)
        *of_events[i] = at;
    n->last = at;
}

/* ---- identities -------------------------------------------------------------------------------------------------- */

static bool is_part(const struct rh_event *e)
{
    return e->flags & RH_EVENT_INSIDE || e->choice.kind == RH_CHOICE_ACCEPT;
}

bool rh__event_of_actor(const struct rh__run *r, const struct rh_event *e)
{
    const struct rh_choice *c = &e->choice;
    bool posts = c->kind == RH_CHOICE_TIMER && c->arg && c->actor != r->clock && e->first_message < r->message_count &&
                 /* The timer only puts a message into the mailbox.  Taking the message is the actor's event. */
                 rh__run_message(r, e->first_message)->timer;
    return c->actor != RH_NONE && !rh__befalls(c) && !posts;
}

static uint64_t id_of_message(const struct rh__identities *n, const struct rh__run *r, uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    uint64_t copy = 0;
    if (m->copy_of != RH_NONE) {
        for (uint32_t i = m->copy_of; i <= message; i++)
            copy += rh__run_message(r, i)->copy_of == m->copy_of;
        m = rh__run_message(r, m->copy_of);
    }
    uint64_t ordinal = n->sent[m->event] + m->ordinal;
    return rh__mix(rh__mix(n->id[n->root[m->event]], hash_text(m->type->name)), ordinal << 16 | copy);
}

/* The entry of a named timer; if it has not fired in this run, a free one. */
static struct rh__fired *fired(const struct rh__identities *n, const struct rh__run *r, const struct rh_choice *c)
{
    uint64_t key = rh__mix(n->actor_id[c->actor], hash_text(rh__run_text(r, c->arg)));
    uint32_t i = (uint32_t)rh__mix(key, 11) & n->fired_mask;
    while (n->fired[i].run == n->run && n->fired[i].key != key)
        i = (i + 1) & n->fired_mask;
    if (n->fired[i].run != n->run)
        n->fired[i] = (struct rh__fired){ .key = key, .last = RH_NONE };
    return &n->fired[i];
}

static uint64_t id_of_timer(const struct rh__identities *n, const struct rh__run *r, const struct rh_choice *c,
                            uint32_t set_by)
{
    const struct rh__fired *f = c->arg ? fired(n, r, c) : NULL;
    if (f)
        return rh__mix(rh__mix(f->key, RH_CHOICE_TIMER), f->count);
    return rh__mix(rh__mix(n->id[n->root[set_by]], RH_CHOICE_TIMER), n->parts[set_by]); /* the end of a wait */
}

/* `set_by` is used only for ends of waits. */
static uint64_t id_of(const struct rh__identities *n, const struct rh__run *r, const struct rh_choice *c,
                      uint32_t set_by)
{
    uint64_t who = c->actor == RH_NONE ? 0 : n->actor_id[c->actor];
    uint64_t what = 0;
    if (rh__is_about_message(c))
        return rh__mix(id_of_message(n, r, c->what), c->kind == RH_CHOICE_DELIVER ? who : c->kind);
    if (c->kind == RH_CHOICE_TIMER)
        return rh__mix(id_of_timer(n, r, c, set_by), who);
    if (c->kind == RH_CHOICE_PARTITION) {
        for (uint32_t i = 0; i < n->actors; i++) /* without actors that are spawned later in this run */
            if (rh__cut_group(c->what, rh__run_actor(r, i)->node))
                what ^= rh__mix(n->actor_id[i], rh__cut_group(c->what, rh__run_actor(r, i)->node));
        what = rh__mix(what, rh__cut_shape(c->what));
    } else {
        what = c->what; /* a value, the result of opening a store, the kind of a crash or restart; else 0 */
    }
    /* All other choices are identified by the last event of their actor: the choice may be the next part of that
     * event. */
    uint32_t last = c->actor == RH_NONE ? RH_NONE : n->last[c->actor];
    uint64_t behind = last == RH_NONE ? 0 : rh__mix(n->id[n->root[last]], n->parts_in_all[n->root[last]]);
    return rh__mix(rh__mix(rh__mix(who, c->kind), behind), what);
}

uint64_t rh__choice_identity(const struct rh__identities *n, const struct rh__run *r, const struct rh_choice *c)
{
    return id_of(n, r, c, c->kind == RH_CHOICE_TIMER ? rh__timer_origin(r->live, c->what).event : RH_NONE);
}

/* ---- following a run --------------------------------------------------------------------------------------------- */

static void name_actors(struct rh__identities *n, const struct rh__run *r)
{
    for (; n->actors < r->actor_count && n->actors < n->most_actors; n->actors++) {
        const struct rh__run_actor *a = rh__run_actor(r, n->actors);
        uint32_t born = a->born == RH_NONE ? 0 : a->born; /* the test exists from the start */
        if (born >= n->events)
            return;
        uint64_t of_type = hash_text(a->type->name);
        uint32_t root = n->root[born];
        n->last[n->actors] = RH_NONE;
        if (a->status == STATUS_OUTSIDE)
            n->actor_id[n->actors] = a->identity; /* identified by its own name */
        else if (a->parent == RH_NONE)
            n->actor_id[n->actors] = of_type;
        else
            n->actor_id[n->actors] = rh__mix(rh__mix(n->id[root], of_type), (uint64_t)n->made[root]++ << 32 | 1);
    }
}

static uint32_t root_of_birth(const struct rh__identities *n, const struct rh__run *r, uint32_t actor)
{
    uint32_t born = rh__run_actor(r, actor)->born;
    return born == RH_NONE ? 0 : n->root[born];
}

/* The event from whose identity id_of computes that of this one. */
static uint32_t parent_of(const struct rh__identities *n, const struct rh__run *r, const struct rh_event *e)
{
    const struct rh_choice *c = &e->choice;
    if (rh__is_about_message(c)) {
        const struct rh__run_message *m = rh__run_message(r, c->what);
        return n->root[m->copy_of == RH_NONE ? m->event : rh__run_message(r, m->copy_of)->event];
    }
    if (c->kind == RH_CHOICE_TIMER && !c->arg)
        return n->root[e->set_by];
    if (c->kind == RH_CHOICE_TIMER) {
        uint32_t last = fired(n, r, c)->last;
        return last != RH_NONE ? last : root_of_birth(n, r, c->actor);
    }
    uint32_t last = c->actor == RH_NONE ? RH_NONE : n->last[c->actor];
    return last == RH_NONE ? RH_NONE : n->root[last];
}

static void note_timer(struct rh__identities *n, const struct rh__run *r, const struct rh_choice *c, uint32_t at)
{
    struct rh__fired *f = fired(n, r, c);
    f->run = n->run;
    f->count++;
    f->last = at;
}

static void add_event(struct rh__identities *n, const struct rh__run *r)
{
    uint32_t at = n->events;
    const struct rh_event *e = rh__run_event(r, at);
    const struct rh_choice *c = &e->choice;
    bool own = at && rh__event_of_actor(r, e);
    uint32_t before = own ? n->last[c->actor] : RH_NONE;
    bool part = is_part(e) && before != RH_NONE;
    uint32_t root = part ? n->root[before] : at;
    uint32_t end = at + 1 < r->event_count ? rh__run_event(r, at + 1)->first_message : r->message_count;
    n->id[at] = at ? id_of(n, r, c, e->set_by) : 0;
    n->parent[at] = at ? parent_of(n, r, e) : RH_NONE;
    if (c->kind == RH_CHOICE_TIMER && c->arg)
        note_timer(n, r, c, at);
    n->root[at] = root;
    n->previous[at] = before;
    if (!part)
        n->sent_in_all[at] = n->parts_in_all[at] = n->made[at] = 0;
    n->sent[at] = n->sent_in_all[root];
    n->parts[at] = n->parts_in_all[root]++;
    n->sent_in_all[root] += end - e->first_message;
    n->events++;
    name_actors(n, r);
    if (own || !at)
        n->last[c->actor] = at;
}

void rh__identities_begin(struct rh__identities *n)
{
    n->events = n->actors = 0;
    n->run++; /* entries of timers that fired in earlier runs are free */
}

void rh__identities_follow(struct rh__identities *n, const struct rh__run *r)
{
    while (n->events < r->event_count && n->events < n->most_events)
        add_event(n, r);
}
