/* Looking at a world, and how its things are called (rehearse/world.h).  Nothing here changes anything: a parent process
 * uses it on what a child that crashed left behind. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "world/actors.h"
#include "world/network.h"
#include "world/state.h"

const struct rh_event *rh_world_events(const struct rh_world *w, uint32_t *count)
{
    *count = w->event_count;
    return w->events;
}

uint32_t rh_world_message_count(const struct rh_world *w)
{
    return w->message_count;
}

struct rh_message_info rh_world_message(const struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    return (struct rh_message_info){
        .type = m->type == &rh__exit_signal ? NULL : m->type,
        .value = rh__message_value(w, m),
        .tail = m->tail_size ? rh__message_tail(w, m) : NULL,
        .size = m->size,
        .tail_size = m->tail_size,
        .sender = m->sender,
        .receiver = m->receiver,
        .event = m->event,
        .ordinal = m->ordinal,
        .taken_by = m->taken_by,
        .copy_of = m->copy_of,
    };
}

uint32_t rh_world_actor_count(const struct rh_world *w)
{
    return w->actor_count;
}

const struct rh_actor_type *rh_world_actor_type(const struct rh_world *w, uint32_t actor)
{
    return w->actors[actor].type;
}

const struct rh_behaviour *rh_world_actor_behaviour(const struct rh_world *w, uint32_t actor)
{
    return w->actors[actor].behaviour;
}

const void *rh_world_actor_state(const struct rh_world *w, uint32_t actor)
{
    return w->actors[actor].region;
}

bool rh_world_actor_ended(const struct rh_world *w, uint32_t actor)
{
    return has_ended(&w->actors[actor]) || (actor == 0 && rh__test_is_over(w));
}

int64_t rh_world_now_ns(const struct rh_world *w)
{
    int64_t now = w->now_ns;
    for (uint32_t i = 0; w->tick_ns && i < w->actor_count; i++)
        if (w->actors[i].now_ns > now)
            now = w->actors[i].now_ns;
    return now;
}

bool rh_world_clock_used(const struct rh_world *w)
{
    return w->clock_used;
}

const struct rh_semantics *rh_world_semantics(const struct rh_world *w)
{
    return &w->semantics;
}

uint32_t rh_world_log_count(const struct rh_world *w)
{
    return w->line_count;
}

struct rh_log_line rh_world_log_line(const struct rh_world *w, uint32_t line)
{
    const struct line *l = &w->lines[line];
    return (struct rh_log_line){ l->event, l->actor, w->payload + l->text };
}

uint32_t rh_world_property_count(const struct rh_world *w)
{
    return w->property_count;
}

struct rh_property_info rh_world_property(const struct rh_world *w, uint32_t property)
{
    const struct property *p = &w->properties[property];
    return (struct rh_property_info){
        (enum rh_property)p->kind, p->name, p->place, p->held, p->failed, p->held_in, p->failed_in
    };
}

uint32_t rh_world_escape_count(const struct rh_world *w)
{
    return w->escape_count;
}

struct rh_escape rh_world_escape(const struct rh_world *w, uint32_t escape)
{
    return w->escapes[escape];
}

struct rh_world_counts rh_world_count(const struct rh_world *w)
{
    struct rh_world_counts counts = w->counts;
    counts.log_bytes = (uint64_t)(w->log - w->log_start);
    counts.memory_bytes = w->actor_count * sizeof(struct actor) + w->channel_count * sizeof(struct channel) +
                          w->message_count * sizeof(struct message) + w->event_count * sizeof(struct rh_event) +
                          w->payload_at;
    return counts;
}

/* ---- texts --------------------------------------------------------------------------------------------------------- */

void rh_world_actor_name(const struct rh_world *w, uint32_t actor, char *buffer, size_t size)
{
    enum { DEEPEST = 32 };
    uint32_t path[DEEPEST], depth = 0;
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    if (actor >= w->actor_count) {
        rh__text_add(&t, "nobody");
        return;
    }
    if (actor == 0) {
        rh__text_add(&t, "test");
        return;
    }
    if (w->actors[actor].status == STATUS_OUTSIDE) {
        rh__text_add(&t, "%s", w->payload + w->actors[actor].initial);
        return;
    }
    for (uint32_t i = actor; i != 0 && i != RH_NONE && depth < DEEPEST; i = w->actors[i].parent)
        path[depth++] = i;
    if (depth == DEEPEST && w->actors[path[depth - 1]].parent != 0)
        rh__text_add(&t, ".../");
    while (depth--)
        rh__text_add(&t, "%s#%u%s", w->actors[path[depth]].type->name, w->actors[path[depth]].ordinal,
                     depth ? "/" : "");
}

void rh__actor_path_write(const struct rh_world *w, uint32_t actor, struct rh__text *t)
{
    enum { PART = 64 };
    uint32_t path[PART], depth = 0;
    if (actor == 0 || actor >= w->actor_count || w->actors[actor].status == STATUS_OUTSIDE) {
        char name[16];
        if (actor && actor < w->actor_count) {
            rh__text_add(t, "%s", w->payload + w->actors[actor].initial);
            return;
        }
        rh_world_actor_name(w, actor, name, sizeof name);
        rh__text_add(t, "%s", name);
        return;
    }
    for (uint32_t i = actor; i != 0 && i != RH_NONE; i = w->actors[i].parent)
        depth++;
    while (depth) { /* from the oldest on, as many at a time as there is room for */
        uint32_t count = depth < PART ? depth : PART, skip = depth - count, at = actor;
        for (; skip; skip--)
            at = w->actors[at].parent;
        for (uint32_t k = 0; k < count; k++, at = w->actors[at].parent)
            path[k] = at;
        for (uint32_t k = count; k--; depth--)
            rh__text_add(t, "%s#%u%s", w->actors[path[k]].type->name, w->actors[path[k]].ordinal, depth > 1 ? "/" : "");
    }
}

size_t rh__actor_path_room(const struct rh_world *w, uint32_t actor)
{
    enum { NUMBER = 12 }; /* with what stands around it */
    size_t room = NUMBER;
    if (actor < w->actor_count && w->actors[actor].status == STATUS_OUTSIDE)
        return strlen(w->payload + w->actors[actor].initial) + NUMBER;
    for (uint32_t i = actor; i < w->actor_count && i != 0; i = w->actors[i].parent)
        room += strlen(w->actors[i].type->name) + NUMBER;
    return room;
}

static void add_name(struct rh__text *t, const struct rh_world *w, uint32_t actor)
{
    char name[256];
    rh_world_actor_name(w, actor, name, sizeof name);
    rh__text_add(t, "%s", name);
}

static void add_message(struct rh__text *t, const struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    rh__text_add(t, "%s from ", m->type->name);
    add_name(t, w, m->seen_as);
}

void rh_world_choice_text(const struct rh_world *w, const struct rh_choice *c, char *buffer, size_t size)
{
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    if (c->actor == w->clock && c->actor != RH_NONE) {
        rh__text_add(&t, "the clock reaches %s", w->payload + (uint64_t)c->arg * 16);
        return;
    }
    if (c->actor != RH_NONE)
        add_name(&t, w, c->actor);
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_BEGIN:
        rh__text_add(&t, " begins");
        break;
    case RH_CHOICE_DELIVER:
        if (w->messages[c->what].wake) {
            rh__text_add(&t, " stops waiting: its time is over");
            break;
        }
        rh__text_add(&t, " takes ");
        add_message(&t, w, c->what);
        break;
    case RH_CHOICE_TIMER:
        if (c->arg)
            rh__text_add(&t, "'s timer \"%s\" fires", w->payload + (uint64_t)c->arg * 16);
        else
            rh__text_add(&t, " stops waiting: its time is over");
        break;
    case RH_CHOICE_VALUE:
        rh__text_add(&t, " chooses %u of %u", c->what, c->arg);
        break;
    case RH_CHOICE_RESUME:
        rh__text_add(&t, " goes on");
        break;
    case RH_CHOICE_ACCEPT:
        rh__text_add(&t, "'s %s is accepted by ", w->messages[c->what].type->name);
        add_name(&t, w, w->messages[c->what].receiver);
        break;
    case RH_CHOICE_STORED:
        rh__text_add(&t, "'s oldest write becomes durable");
        break;
    case RH_CHOICE_UNSTORED:
        rh__text_add(&t, "'s oldest write fails, and it ends");
        break;
    case RH_CHOICE_OPEN:
        rh__text_add(&t, "%s",
                     c->what == 0   ? " opens its store"
                     : c->what == 1 ? " cannot open its store"
                                    : " finds its store damaged");
        break;
    case RH_CHOICE_LOSE:
        rh__text_add(&t, " never gets ");
        add_message(&t, w, c->what);
        break;
    case RH_CHOICE_DUPLICATE:
        rh__text_add(&t, " will get twice ");
        add_message(&t, w, c->what);
        break;
    case RH_CHOICE_CRASH:
        rh__text_add(&t, " crashes");
        if (w->actors[c->actor].writes_open)
            rh__text_add(&t, "; %u of its writes under way survive", c->what);
        break;
    case RH_CHOICE_RESTART:
        rh__text_add(&t, " starts again%s", c->what ? " with its state" : "");
        break;
    case RH_CHOICE_PARTITION:
        rh__text_add(&t, "the network splits:");
        for (uint32_t i = 0; i < w->actor_count; i++)
            if (w->actors[i].parent == 0 && w->actors[i].node != RH_NONE && c->what >> w->actors[i].node & 1) {
                rh__text_add(&t, " ");
                add_name(&t, w, i);
            }
        rh__text_add(&t, " against the rest");
        break;
    case RH_CHOICE_HEAL:
        rh__text_add(&t, "the network is whole again");
        break;
    case RH_CHOICE_END:
        rh__text_add(&t, "the run ends");
        break;
    }
}

static void add_filter(struct rh__text *t, const struct rh_world *w, const struct rh_filter *f)
{
    if (f->type)
        rh__text_add(t, "waits for %s", f->type->name);
    else if (f->types) {
        rh__text_add(t, "waits for");
        for (const struct rh_message_type *const *type = f->types; *type; type++)
            rh__text_add(t, "%s %s", type == f->types ? "" : " or", (*type)->name);
    } else {
        rh__text_add(t, "waits for any message");
    }
    if (!rh_is_nobody(f->from)) {
        rh__text_add(t, " from ");
        add_name(t, w, actor_of(w, f->from));
    }
    if (f->match)
        rh__text_add(t, " that fits its predicate");
}

void rh_world_actor_text(const struct rh_world *w, uint32_t actor, char *buffer, size_t size)
{
    const struct actor *a = &w->actors[actor];
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    switch ((enum status)a->status) {
    case STATUS_IDLE:
        rh__text_add(&t, "is idle in %s", a->behaviour ? a->behaviour->name : "its beginning");
        return;
    case STATUS_RUNNING:
        rh__text_add(&t, "runs");
        return;
    case STATUS_WAITING:
        if (a->asking != RH_NONE && a->asking >= w->message_count) { /* see seam_ask */
            rh__text_add(&t, "waits for a reply from outside");
        } else if (a->asking != RH_NONE) {
            rh__text_add(&t, "waits for the reply of ");
            add_name(&t, w, w->messages[a->asking].receiver);
            rh__text_add(&t, "%s to %s",
                         has_ended(&w->actors[w->messages[a->asking].receiver]) ? ", which has ended," : "",
                         w->messages[a->asking].type->name);
        } else if (w->can_read_stacks) {
            add_filter(&t, w, a->filter);
        } else {
            rh__text_add(&t, "waits for a message");
        }
        break;
    case STATUS_SLEEPING:
        rh__text_add(&t, "sleeps");
        break;
    case STATUS_SYNCING:
        rh__text_add(&t, "waits for its writes");
        break;
    case STATUS_CHOOSING:
        rh__text_add(&t, "chooses one of %u", a->choices);
        break;
    case STATUS_PREEMPTED:
        if (actor == 0 && rh__test_is_over(w)) {
            rh__text_add(&t, "has ended (normal)");
            return;
        }
        rh__text_add(&t, "is about to go on");
        break;
    case STATUS_ENDED:
    case STATUS_CRASHED:
        rh__text_add(&t, "has ended (%s)", w->payload + (uint64_t)a->reason * 16);
        return;
    case STATUS_OUTSIDE:
        rh__text_add(&t, "is outside");
        return;
    }
    if (a->place)
        rh__text_add(&t, " (%s)", a->place);
}

const char *rh_world_refused(const struct rh_world *w)
{
    return w->refused;
}
