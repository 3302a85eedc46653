/* See actors.h.
 *
 * Identity [Bita 2013, III-B]: an actor is identified by its type, its creator, and how many actors of that type the
 * creator had created before; a message by its sender, the sender's event, and its index among that event's messages.
 * These do not change when unrelated actors are scheduled differently. */
#include "world/actors.h"

#include <stdio.h>
#include <string.h>

#include "actor/set_items.h"
#include "base/copy.h"
#include "base/hash.h"
#include "base/random.h"
#include "world/cuts.h"
#include "world/fiber.h"
#include "world/fingerprint.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/receive.h"
#include "world/store.h"

static const struct rh_actor_type external_type = { .name = "external", .kind = RH_KIND_ACTOR };

uint32_t rh__pool_pop(struct rh_world *w, struct world_pool *pool, uint32_t next_free)
{
    uint32_t index = pool->free;
    put32(w, &pool->free, next_free);
    return index;
}

uint32_t rh__pool_grow(struct rh_world *w, struct world_pool *pool)
{
    put32(w, &pool->count, pool->count + 1);
    return pool->count - 1;
}

/* ---- birth ------------------------------------------------------------------------------------------------------- */

static uint32_t new_actor(struct rh_world *w, uint32_t parent, const struct rh_actor_type *type, const char *place)
{
    uint32_t index = w->actor_count;
    if (index == w->semantics.max_actors) {
        rh__fail(w, RH_OUTCOME_LIMIT, w->current, place, "more than %u actors, with those that have ended (max_actors)",
                 w->semantics.max_actors);
        return RH_NONE;
    }
    struct world_actor *a = &w->actors[index];
    uint32_t ordinal = 1;
    *a = (struct world_actor){
        .type = type,
        .behaviour = type->initial,
        .parent = parent,
        .born = w->event_count - 1,
        .born_behind = w->event_sends,
        .clock = parent == RH_NONE ? 0 : w->actors[parent].clock,
        .first_child = RH_NONE,
        .next_sibling = RH_NONE,
        .channels = RH_NONE,
        .outbox = RH_NONE,
        .start = RH_NONE,
        .asking = RH_NONE,
        .taken = RH_NONE,
        .received = RH_NONE,
        .timers = RH_NONE,
        .wake = RH_NONE,
        .links = RH_NONE,
        .monitors = RH_NONE,
        .watching = RH_NONE,
        .opened = RH_NONE,
        .store = RH_NONE,
        .stack = RH_NONE,
        .node = RH_NONE,
        .hot_since = w->event_count - 1,
        .epoch = w->epoch,
        .stale = a->stale, /* an actor that was undone may be on the list */
        .now_ns = parent == RH_NONE ? 0 : w->actors[parent].now_ns,
    };
    if (parent != RH_NONE) {
        struct world_actor *p = &w->actors[parent];
        for (uint32_t i = p->first_child; i != RH_NONE; i = w->actors[i].next_sibling)
            if (w->actors[i].type == type) {
                ordinal = w->actors[i].ordinal + 1;
                break;
            }
        a->next_sibling = p->first_child;
        put32(w, &p->first_child, index);
    }
    a->ordinal = ordinal;
    /* Depends on the seed, so that explorers that use an order of identities do not always use the same order. */
    uint64_t root = w->semantics.seed > 1 ? rh__mix(1, w->semantics.seed) : 1;
    a->identity = rh__mix(parent == RH_NONE ? root : w->actors[parent].identity,
                          rh__hash(type->name, strlen(type->name), ordinal));
    /* Not derived from the index, which depends on unrelated actors. */
    a->random = rh__random_seed(parent == RH_NONE ? w->semantics.seed : w->actors[parent].random,
                                rh__hash(type->name, strlen(type->name), ordinal));
    a->seed = a->random;
    put32(w, &w->actor_count, index + 1);
    rh__actor_stale(w, index);
    return index;
}

static void note_sets(struct rh_world *w, const struct world_actor *a)
{
    const char *wrong = rh__set_misuse(a->behaviour);
    if (wrong)
        rh__fail(w, RH_OUTCOME_MISUSE, (uint32_t)(a - w->actors), "", "behaviour %s: %s", a->behaviour->name, wrong);
    else
        rh__note_sets(w, 0, "");
}

/* What the behaviour says of messages that are not simply handled. */
static void note_items(struct rh_world *w, struct world_actor *a)
{
    bool defers = false, gathers = false;
    for (size_t i = 0; i < a->behaviour->entry_count; i++) {
        defers |= a->behaviour->entries[i].action == RH_ACTION_DEFER;
        gathers |= rh__is_set_entry(&a->behaviour->entries[i]);
    }
    put_flag(w, &a->flags, FLAG_DEFERS, defers);
    if (defers)
        put_flag(w, &a->flags, FLAG_DEFERRED, true);
    put_flag(w, &a->flags, FLAG_GATHERS, gathers);
    if (gathers)
        note_sets(w, a);
}

/* A node of the network: an actor of these types, or one that the test spawns if there is no list.  Actors that it
 * spawns are on the same node. */
static bool is_node(const struct rh_world *w, const struct world_actor *a)
{
    const struct rh_actor_type *const *types = w->semantics.may_split;
    return a->type->kind != RH_KIND_MONITOR && w->node_count < RH__CUT_NODES &&
           (types ? rh__is_among(types, a->type) : a->parent == 0);
}

static void place_on_node(struct rh_world *w, struct world_actor *a)
{
    if (a->parent == RH_NONE)
        return;
    a->node = w->actors[a->parent].node;
    if (is_node(w, a)) {
        a->node = w->node_count;
        put32(w, &w->node_count, w->node_count + 1);
    }
}

/* With granularity object, what an actor learns by its own operation has no order with what the other actor sends. */
static void in_own_name(const struct rh_world *w, struct world_sending *s)
{
    if (!rh__by_object(w) || w->events[w->event_count - 1].choice.actor != s->to)
        return;
    s->seen_as = s->from;
    s->from = s->to;
}

/* Sends the message that comes before all others, to actors that want one. */
static void send_start(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    const struct rh_entry *entry;
    if (a->type->kind == RH_KIND_PROCESS) {
        entry = NULL;
    } else {
        rh__disposition(a->behaviour, &rh_message_rh_start, &entry);
        if (!entry)
            return;
    }
    struct rh_start value = { .restarts = a->restarts };
    uint32_t from = a->parent == RH_NONE ? actor : a->parent;
    struct world_sending s = SENDING(.from = from, .to = actor, .type = &rh_message_rh_start, .value = &value);
    in_own_name(w, &s);
    put32(w, &a->start, rh__message_send(w, &s));
    w->messages[a->start].sent_ns = a->now_ns; /* not what the parent knows at the time of a restart */
}

uint32_t rh__actor_spawn(struct rh_world *w, uint32_t parent, const struct rh_actor_type *type, const void *state,
                         const char *place)
{
    if (type->size > rh__region_capacity(w, 0)) {
        rh__fail(w, RH_OUTCOME_LIMIT, parent, place,
                 "the state of %s has %u bytes, the limit is %u "
                 "(max_bytes_per_actor)",
                 type->name, type->size, w->semantics.max_bytes_per_actor);
        return RH_NONE;
    }
    uint32_t index = new_actor(w, parent, type, place);
    if (index == RH_NONE)
        return RH_NONE;
    struct world_actor *a = &w->actors[index];
    a->initial = rh__payload_take(w, type->size);
    if (state)
        rh__copy(w->payload + a->initial, state, type->size);
    else
        rh__zero(w->payload + a->initial, type->size);
    rh__region_begin(w, index, state);
    place_on_node(w, a);
    if (type->kind == RH_KIND_PROCESS) {
        if (!type->body && index != 0)
            rh__fail(w, RH_OUTCOME_MISUSE, parent, place, "process %s has no RH_BODY", type->name);
    } else if (!a->behaviour) {
        rh__fail(w, RH_OUTCOME_MISUSE, parent, place, "actor %s has no RH_BEHAVIOUR", type->name);
        return index;
    } else {
        note_items(w, a);
    }
    if (type->kind != RH_KIND_MONITOR && index != 0)
        send_start(w, index);
    return index;
}

uint32_t rh__actor_outside(struct rh_world *w, const char *name, uint64_t identity)
{
    uint32_t index = new_actor(w, RH_NONE, &external_type, "");
    if (index == RH_NONE)
        return RH_NONE;
    w->actors[index].initial = rh__payload_text(w, name);
    w->actors[index].identity = identity;
    w->actors[index].status = STATUS_OUTSIDE;
    w->actors[index].region = (char *)w->payload;
    return index;
}

uint32_t rh__actor_external(struct rh_world *w, const char *name)
{
    for (uint32_t i = 0; i < w->actor_count; i++)
        if (w->actors[i].status == STATUS_OUTSIDE && i != w->clock &&
            strcmp(w->payload + w->actors[i].initial, name) == 0)
            return i;
    return rh__actor_outside(w, name, rh__hash(name, strlen(name), 2));
}

void rh__actor_become(struct rh_world *w, uint32_t actor, const struct rh_behaviour *behaviour)
{
    struct world_actor *a = &w->actors[actor];
    if (a->behaviour != behaviour && actor == w->current)
        w->events[w->event_count - 1].flags |= RH_EVENT_BECOMES;
    if (behaviour->hot && !a->behaviour->hot)
        put32(w, &a->hot_since, w->event_count - 1);
    put_pointer(w, &a->behaviour, behaviour);
    note_items(w, a);
}

/* ---- links and monitors ------------------------------------------------------------------------------------------ */

static void list_add(struct rh_world *w, uint32_t *list, uint32_t other, uint32_t life)
{
    for (uint32_t i = *list; i != RH_NONE; i = w->links[i].next)
        if (w->links[i].other == other && w->links[i].life == life)
            return;
    uint32_t node = POOL_TAKE(w, link_pool, links, MAX_LINKS);
    if (node == RH_NONE) {
        rh__fail(w, RH_OUTCOME_LIMIT, w->current, "", "more than %u links and monitors", MAX_LINKS);
        return;
    }
    put32(w, &w->links[node].other, other);
    put32(w, &w->links[node].life, life);
    put32(w, &w->links[node].next, *list);
    put32(w, list, node);
}

static bool list_has(const struct rh_world *w, uint32_t list, uint32_t other, uint32_t life)
{
    while (list != RH_NONE && !(w->links[list].other == other && w->links[list].life == life))
        list = w->links[list].next;
    return list != RH_NONE;
}

static void list_pull(struct rh_world *w, uint32_t *at)
{
    uint32_t node = *at;
    put32(w, at, w->links[node].next);
    put32(w, &w->links[node].next, w->link_pool.free);
    put32(w, &w->link_pool.free, node);
}

/* All entries of the other actor, or those of one life. */
static void list_remove(struct rh_world *w, uint32_t *list, uint32_t other, const uint32_t *life)
{
    for (uint32_t *at = list; *at != RH_NONE;)
        if (w->links[*at].other == other && (!life || w->links[*at].life == *life))
            list_pull(w, at);
        else
            at = &w->links[*at].next;
}

void rh__link_half(struct rh_world *w, uint32_t one, uint32_t other, uint32_t life)
{
    rh__tables_stale(w);
    list_add(w, &w->actors[one].links, other, life);
}

void rh__unlink_half(struct rh_world *w, uint32_t one, uint32_t other)
{
    rh__tables_stale(w);
    list_remove(w, &w->actors[one].links, other, NULL);
}

void rh__link(struct rh_world *w, uint32_t one, uint32_t other, bool on)
{
    if (on) {
        rh__link_half(w, one, other, w->actors[other].restarts);
        rh__link_half(w, other, one, w->actors[one].restarts);
    } else {
        rh__unlink_half(w, one, other);
        rh__unlink_half(w, other, one);
    }
}

/* Stored with the watched actor. */
void rh__monitor(struct rh_world *w, uint32_t watcher, uint32_t watched, bool on)
{
    rh__tables_stale(w);
    if (on)
        list_add(w, &w->actors[watched].monitors, watcher, 0);
    else
        list_remove(w, &w->actors[watched].monitors, watcher, NULL);
}

bool rh__watches(const struct rh_world *w, uint32_t watcher, uint32_t watched)
{
    return list_has(w, w->actors[watcher].watching, watched, 0);
}

void rh__watch(struct rh_world *w, uint32_t watcher, uint32_t watched, bool on)
{
    rh__tables_stale(w);
    if (on)
        list_add(w, &w->actors[watcher].watching, watched, 0);
    else
        list_remove(w, &w->actors[watcher].watching, watched, NULL);
}

/* With granularity object a crashed actor is told, too, as it gets messages: after its restart. */
static bool out_of_reach(const struct rh_world *w, uint32_t actor)
{
    return rh__by_object(w) ? w->actors[actor].status == STATUS_ENDED : has_ended(&w->actors[actor]);
}

/* Tells of the end of `who`.  If the receiver finds out by itself, all messages of the ended actor have arrived at
 * once. */
static void send_news(struct rh_world *w, uint32_t who, const struct world_sending *s)
{
    if (out_of_reach(w, s->to)) {
        rh__message_waste(w, s);
        rh__message_is_news(w, w->message_count - 1, w->message_count - 1);
        return;
    }
    uint32_t m = rh__message_send(w, s);
    if (s->from != who)
        rh__messages_have_come(w, who, s->to);
    rh__message_is_news(w, m, m);
}

/* `for_life` as in struct world_exit_signal; 0: rh_kill. */
static void signal_to(struct rh_world *w, uint32_t from, uint32_t to, const char *reason, uint32_t life,
                      uint32_t for_life)
{
    struct world_exit_signal value;
    w->footprint.signals = true;
    memset(&value, 0, sizeof value);
    value.exited.who = ref_of(from);
    snprintf(value.exited.reason, sizeof value.exited.reason, "%s", reason);
    value.who = from;
    value.from_link = for_life != 0;
    value.life = life;
    value.for_life = for_life;
    struct world_sending s = SENDING(.from = from, .to = to, .type = &rh__exit_signal, .value = &value);
    in_own_name(w, &s);
    /* Finding that an actor has ended and being told so are two operations; the actor may have begun another life in
     * between. */
    bool lived_on = s.from != from && (w->actors[from].status != STATUS_ENDED || w->actors[from].restarts);
    if (!lived_on)
        send_news(w, from, &s);
    else if (out_of_reach(w, to))
        rh__message_waste(w, &s);
    else
        rh__message_send(w, &s);
}

void rh__signal_kill(struct rh_world *w, uint32_t from, uint32_t to, const char *reason)
{
    signal_to(w, from, to, reason, 0, 0);
}

/* The life of an actor that had ended when another one linked itself to it. */
enum { NO_LIFE = UINT32_MAX };

/* Whether the actor that runs is still linked to that life.  With granularity object, looking is an operation on its
 * own life, since others may unlink themselves from it: also from a later life. */
static bool is_linked_still(struct rh_world *w, uint32_t other, uint32_t life, const char *place)
{
    if (rh__by_object(w)) {
        rh__has_found(w, (uint64_t)life + 1);
        rh__operation_on_life(w, w->current, place);
        rh__has_found(w, 0);
    }
    return list_has(w, w->actors[w->current].links, other, life);
}

/* One that is still linked is told of the end anyway, and so is one that has linked itself too late before. */
void rh__link_too_late(struct rh_world *w, uint32_t other, const char *place)
{
    struct world_actor *self = &w->actors[w->current];
    uint32_t life = w->actors[other].restarts; /* as the operation found it: while this one stops, another may begin */
    bool linked = is_linked_still(w, other, life, place);
    if (linked && rh__by_object(w) && !(self->flags & FLAG_TRAPS)) {
        rh__settle_here(w, place);
        is_linked_still(w, other, life, place);
    }
    if (list_has(w, self->links, other, life) || list_has(w, self->links, other, NO_LIFE))
        return;
    rh__link_half(w, w->current, other, NO_LIFE);
    signal_to(w, other, w->current, "noproc", NO_LIFE, self->restarts + 1);
}

void rh__send_down(struct rh_world *w, uint32_t who, uint32_t watcher, const char *reason)
{
    const struct world_actor *a = &w->actors[who];
    bool in_time = strcmp(reason, "noproc") != 0; /* a result is only for actors that monitor it when it ends */
    struct rh_down value;
    memset(&value, 0, sizeof value);
    value.who = ref_of(who);
    value.result = in_time ? a->result_type : 0;
    snprintf(value.reason, sizeof value.reason, "%s", reason);
    struct world_sending s = SENDING(.from = who, .to = watcher, .type = &rh_message_rh_down, .value = &value);
    if (value.result) {
        s.tail = w->payload + a->result;
        s.tail_size = a->result_size;
    }
    in_own_name(w, &s);
    send_news(w, who, &s);
}

/* The order in which actors are told must not depend on the order of links, which may be operations on different
 * objects. */
static struct world_link next_to_tell(const struct rh_world *w, uint32_t list)
{
    struct world_link best = w->links[list];
    for (uint32_t i = best.next; i != RH_NONE; i = w->links[i].next) {
        const struct world_link *l = &w->links[i];
        uint64_t one = w->actors[l->other].identity, other = w->actors[best.other].identity;
        if (one != other ? one < other : l->life < best.life)
            best = *l;
    }
    return best;
}

static void tell_the_others(struct rh_world *w, uint32_t actor, const char *reason)
{
    struct world_actor *a = &w->actors[actor];
    uint32_t first = w->message_count;
    uint64_t clock = a->clock;
    while (a->links != RH_NONE) {
        struct world_link link = next_to_tell(w, a->links);
        rh__tables_stale(w);
        list_remove(w, &a->links, link.other, &link.life); /* the other keeps its half until it has taken the signal */
        if (link.life != NO_LIFE)
            signal_to(w, actor, link.other, reason, a->restarts, link.life + 1);
    }
    while (a->monitors != RH_NONE) {
        uint32_t watcher = next_to_tell(w, a->monitors).other;
        rh__monitor(w, watcher, actor, false);
        rh__send_down(w, actor, watcher, reason);
    }
    if (w->delivery.causal)
        rh__sent_at_once(w, actor, first, clock);
}

/* ---- death ------------------------------------------------------------------------------------------------------- */

static void remove_name(struct rh_world *w, uint32_t *at);

static void drop_names(struct rh_world *w, uint32_t actor)
{
    for (uint32_t *at = &w->first_name; *at != RH_NONE;)
        if (w->names[*at].actor == actor) {
            rh__touch(w, rh__object_named(RH__OBJECT_NAME, w->payload + w->names[*at].text));
            remove_name(w, at);
        } else {
            at = &w->names[*at].next;
        }
}

static void leave(struct rh_world *w, uint32_t actor, uint32_t status, const char *reason)
{
    struct world_actor *a = &w->actors[actor];
    if (a->status != STATUS_RUNNING)
        rh__fiber_discard(w, actor);
    rh__actor_stale(w, actor);
    put32(w, &a->status, status);
    put32(w, &a->reason, (uint32_t)(rh__payload_text(w, reason) / 16));
    if (a->asking != RH_NONE) {
        uint32_t request = a->asking;
        put32(w, &a->asking, RH_NONE);
        rh__request_over(w, request);
    }
    put32(w, &a->start, RH_NONE);
    put32(w, &a->wake, RH_NONE);
    put_flag(w, &a->flags, FLAG_STOPPING, false);
    put_flag(w, &a->flags, FLAG_SETTLES, false);
    put_flag(w, &a->flags, FLAG_ACTED, false);
    put_flag(w, &a->flags, FLAG_AT_POINT, false);
    if (a->points)
        put32(w, &a->points, 0);
    for (uint32_t i = a->timers, next; i != RH_NONE; i = next) {
        next = w->timers[i].next;
        if (!w->timers[i].clocked) /* an end is not an operation on the clock */
            rh__timer_unset(w, i);
    }
    if (!rh__by_object(
            w)) /* otherwise a name whose owner has ended counts as free: its end is an operation on one object only */
        drop_names(w, actor);
    while (a->watching != RH_NONE)
        rh__watch(w, actor, w->links[a->watching].other, false);
    rh__touch_as(w, rh__object_of_actor(w, RH__OBJECT_LIFE, actor), true, 0, RH__LIFE_OVER);
    tell_the_others(w, actor, reason);
}

static bool is_dead_letter(const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    return m->type != &rh__exit_signal && !rh__message_is_start(m) && m->sender != m->receiver && !m->life &&
           !rh__may_remain(w, m->type, m->seen_as);
}

/* Of several, the one whose place is the first: the order in which they were sent is not always a part of the state. */
static void fail_for_dead_letters(struct rh_world *w, uint32_t actor)
{
    uint32_t first = RH_NONE;
    char name[128], from[128];
    for (uint32_t c = w->actors[actor].channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next)
            if (is_dead_letter(w, i) && (first == RH_NONE || strcmp(rh__sent_at(w, i), rh__sent_at(w, first)) < 0))
                first = i;
    if (first == RH_NONE)
        return;
    rh_world_actor_name(w, actor, name, sizeof name);
    rh_world_actor_name(w, w->messages[first].seen_as, from, sizeof from);
    rh__fail(w, RH_OUTCOME_DEAD_LETTER, actor, rh__sent_at(w, first), "%s from %s was under way to %s when it ended",
             w->messages[first].type->name, from, name);
}

/* Messages under way to an actor that ends are lost, like those sent to it later. */
static void tell_of_dead_letters(struct rh_world *w, uint32_t actor)
{
    enum { MOST = 4 };
    uint32_t told = 0;
    if (w->semantics.dead_letters == RH_DEAD_LETTER_IGNORE || rh__dead_letters_at_end(w) || !w->under_way || w->over)
        return;
    if (w->semantics.dead_letters == RH_DEAD_LETTER_FAIL) {
        fail_for_dead_letters(w, actor);
        return;
    }
    for (uint32_t c = w->actors[actor].channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE && told < MOST; i = w->messages[i].next) {
            char name[128], from[128], text[512];
            if (!is_dead_letter(w, i))
                continue;
            rh_world_actor_name(w, actor, name, sizeof name);
            rh_world_actor_name(w, w->messages[i].seen_as, from, sizeof from);
            snprintf(text, sizeof text, "(%s from %s is lost: %s has ended)", w->messages[i].type->name, from, name);
            rh__note(w, actor, text);
            told++;
        }
}

/* With granularity object the end of an actor is an operation on its life, and others may run before it. */
static bool halt_before(struct rh_world *w, uint32_t actor, enum world_then then, uint32_t what, const char *reason)
{
    struct world_actor *a = &w->actors[actor];
    if (!rh__by_object(w))
        return false;
    if (a->status != STATUS_RUNNING)
        rh__fiber_discard(w, actor);
    if (a->wake != RH_NONE) {
        rh__timer_unset(w, a->wake);
        put32(w, &a->wake, RH_NONE);
    }
    rh__wait_forget(w, actor);
    rh__await_life(w, actor, then != THEN_RESTART);
    put32(w, &a->then, then);
    put32(w, &a->then_what, what);
    put32(w, &a->reason, (uint32_t)(rh__payload_text(w, reason) / 16));
    if (a->status != STATUS_PREEMPTED)
        put32(w, &w->halted, w->halted + 1);
    put32(w, &a->status, STATUS_PREEMPTED);
    return true;
}

void rh__settle_first(struct rh_world *w, uint32_t actor)
{
    put_flag(w, &w->actors[actor].flags, FLAG_SETTLES, true);
    put64(w, &w->actors[actor].object, 0);
}

void rh__settle_here(struct rh_world *w, const char *place)
{
    struct world_actor *a = &w->actors[w->current];
    put_flag(w, &a->flags, FLAG_SETTLES, true);
    rh__stop_before_send(w, place);
    put_flag(w, &a->flags, FLAG_SETTLES, false);
}

bool rh__settle(struct rh_world *w, uint32_t actor)
{
    if (!(w->actors[actor].flags & FLAG_SETTLES))
        return false;
    put_flag(w, &w->actors[actor].flags, FLAG_SETTLES, false);
    rh__await_life(w, actor, w->actors[actor].then != THEN_RESTART);
    return true;
}

void rh__actor_end_in_turn(struct rh_world *w, uint32_t actor, const char *reason)
{
    if (!halt_before(w, actor, THEN_END, 0, reason))
        rh__actor_end(w, actor, reason);
}

/* The test is not among the halted actors: its end is a step only if somebody looks. */
void rh__test_end_in_turn(struct rh_world *w)
{
    rh__actor_end_in_turn(w, 0, "normal");
    if (!rh__by_object(w))
        return;
    tell_of_dead_letters(w, 0);
    rh__messages_drop(w, 0); /* it takes no more messages, whenever it ends */
    put32(w, &w->actors[0].then_what, ENDS_UNNOTICED);
    put32(w, &w->halted, w->halted - 1);
}

void rh__actor_crash_in_turn(struct rh_world *w, uint32_t actor, uint32_t surviving_writes)
{
    if (!halt_before(w, actor, THEN_CRASH, surviving_writes, "crashed"))
        rh__actor_crash(w, actor, surviving_writes);
    else if (w->actors[actor].flags & FLAG_TRAPS) /* a signal that has become a message is lost with the others */
        rh__settle_first(w, actor);
}

void rh__actor_restart_in_turn(struct rh_world *w, uint32_t actor, bool keep_state)
{
    if (!halt_before(w, actor, THEN_RESTART, keep_state, "crashed"))
        rh__actor_restart(w, actor, keep_state);
}

void rh__actor_end(struct rh_world *w, uint32_t actor, const char *reason)
{
    tell_of_dead_letters(w, actor);
    rh__messages_drop(w, actor);
    rh__store_release(w, actor);
    leave(w, actor, STATUS_ENDED, reason);
}

/* Messages under way to the actor stay under way, and may arrive after a restart; losing them is a separate fault with
 * its own budget. */
void rh__actor_crash(struct rh_world *w, uint32_t actor, uint32_t surviving_writes)
{
    rh__messages_drop_own(w, actor);
    rh__store_crash(w, actor, surviving_writes);
    leave(w, actor, STATUS_CRASHED, "crashed");
    if (rh__by_object(w) && rh__restarts_are_scarce(&w->semantics))
        rh__await_restart(w, actor);
}

void rh__actor_restart(struct rh_world *w, uint32_t actor, bool keep_state)
{
    struct world_actor *a = &w->actors[actor];
    rh__actor_stale(w, actor);
    rh__touch(w, rh__object_of_actor(w, RH__OBJECT_LIFE, actor));
    put32(w, &a->status, STATUS_IDLE);
    put32(w, &a->restarts, a->restarts + 1);
    if (!keep_state || a->type->kind == RH_KIND_PROCESS) {
        rh__region_clear(w, actor);
        rh__region_enter(w, actor);
        rh__copy(a->region, w->payload + a->initial, a->type->size);
        rh__region_leave(w, actor);
        put32(w, &a->flags, 0);
        if (a->type->initial) {
            put_pointer(w, &a->behaviour, a->type->initial);
            note_items(w, a);
        }
    }
    send_start(w, actor);
}

/* A signal must not end a test, because its remaining checks would not be made.  No actor is told, because the run ends
 * here. */
static void fail_the_test(struct rh_world *w, const struct world_exit_signal *signal, const char *reason)
{
    const struct world_actor *test = &w->actors[0];
    char who[128];
    rh_world_actor_name(w, signal->who, who, sizeof who);
    rh__fail(w, RH_OUTCOME_ABNORMAL_EXIT, 0, test->place ? test->place : "",
             "the body of the test was ended with reason \"%s\": %s %s", reason, who,
             signal->from_link ? "was linked to it, and has ended" : "called rh_kill");
}

static void end_by_signal(struct rh_world *w, uint32_t actor, const struct world_exit_signal *signal,
                          const char *reason)
{
    if (actor == 0)
        fail_the_test(w, signal, reason);
    else
        rh__actor_end_in_turn(w, actor, reason);
}

static struct world_exit_signal signal_of(const struct rh_world *w, uint32_t message)
{
    return *(struct world_exit_signal *)(void *)rh__message_value(w, &w->messages[message]);
}

static uint32_t see_to_signal(struct rh_world *w, uint32_t actor, uint32_t message)
{
    const struct world_exit_signal signal = signal_of(w, message);
    const char *reason = signal.exited.reason;
    struct world_actor *a = &w->actors[actor];
    bool killed = !signal.from_link && strcmp(reason, "kill") == 0;
    if (a->flags & FLAG_TRAPS && !killed) {
        struct world_sending s =
            SENDING(.from = signal.who, .to = actor, .type = &rh_message_rh_exited, .value = &signal.exited);
        in_own_name(w, &s);
        uint32_t exited = rh__message_send(w, &s);
        rh__message_is_news(w, exited, w->messages[message].behind);
        return exited;
    }
    if (killed || strcmp(reason, "normal") != 0)
        end_by_signal(w, actor, &signal, killed ? "killed" : reason);
    return RH_NONE;
}

uint32_t rh__actor_signal(struct rh_world *w, uint32_t actor, uint32_t message)
{
    const struct world_exit_signal signal = signal_of(w, message);
    struct world_actor *a = &w->actors[actor];
    if (signal.from_link && signal.for_life != a->restarts + 1)
        return RH_NONE; /* a link of an earlier life */
    if (signal.from_link) {
        rh__tables_stale(w);
        list_remove(w, &a->links, signal.who, &signal.life);
    }
    return see_to_signal(w, actor, message);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static uint32_t *name_at(struct rh_world *w, const char *name)
{
    uint32_t *at = &w->first_name;
    while (*at != RH_NONE && strcmp(w->payload + w->names[*at].text, name) != 0)
        at = &w->names[*at].next;
    return at;
}

struct world_holder rh__name_find(struct rh_world *w, const char *name)
{
    uint32_t node = *name_at(w, name);
    return node == RH_NONE ? (struct world_holder){ RH_NONE, 0 }
                           : (struct world_holder){ w->names[node].actor, w->names[node].life };
}

static void remove_name(struct rh_world *w, uint32_t *at)
{
    uint32_t node = *at;
    rh__tables_stale(w);
    put32(w, at, w->names[node].next);
    put32(w, &w->names[node].next, w->name_pool.free);
    put32(w, &w->name_pool.free, node);
}

bool rh__name_set(struct rh_world *w, const char *name, struct world_holder holder)
{
    uint32_t actor = holder.actor;
    uint32_t *at = name_at(w, name);
    bool held = *at != RH_NONE;
    if (!rh__by_object(w) && actor != RH_NONE && (held || has_ended(&w->actors[actor])))
        return false;
    if (*at != RH_NONE)
        remove_name(w, at);
    if (actor == RH_NONE)
        return held;
    uint32_t node = POOL_TAKE(w, name_pool, names, MAX_NAMES);
    if (node == RH_NONE) {
        rh__fail(w, RH_OUTCOME_LIMIT, w->current, "", "more than %u registered names", MAX_NAMES);
        return false;
    }
    rh__tables_stale(w);
    put64(w, &w->names[node].text, rh__payload_text(w, name));
    put32(w, &w->names[node].actor, actor);
    put32(w, &w->names[node].life, holder.life);
    put32(w, &w->names[node].next, w->first_name);
    put32(w, &w->first_name, node);
    return true;
}
