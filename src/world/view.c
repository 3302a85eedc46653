/* Inspection of a world, and the names of its things (rehearse/world.h).  Nothing here changes the world: a parent
 * process uses it on what a crashed child left behind. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "world/actors.h"
#include "world/cuts.h"
#include "world/fiber.h"
#include "world/network.h"
#include "world/state.h"

const struct rh__run *rh__world_run(const struct rh_world *w)
{
    struct rh__run *r = &((struct rh_world *)(uintptr_t)w)->run;
    r->event_count = w->event_count;
    r->message_count = w->message_count;
    r->actor_count = w->actor_count;
    r->channel_count = w->channel_count;
    r->access_count = w->access_count;
    r->line_count = w->line_count;
    r->monitor_count = w->monitor_count;
    r->clock = w->clock;
    r->clock_used = w->clock_used;
    r->over = w->over;
    r->loop = w->loop;
    r->loop_monitor = w->loop_monitor;
    return r;
}

void rh__world_run_begin(struct rh_world *w)
{
    w->run = (struct rh__run){
        .test = w->test->name,
        .semantics = &w->semantics,
        .own = &w->test->semantics,
        .delivery = &w->delivery,
        .params = w->params,
        .param_count = w->param_count,
        .events = w->events,
        .first_sets = w->first_sets,
        .messages = w->messages,
        .actors = w->actors,
        .accesses = w->accesses,
        .lines = w->lines,
        .payload = w->payload,
        .monitors = w->monitors,
        .message_stride = sizeof *w->messages,
        .actor_stride = sizeof *w->actors,
        .first_actors = w->baseline_actors,
        .own_clocks = w->own_clocks,
        .live = w,
        .most_value = UINT32_MAX,
    };
}

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
    const struct world_message *m = &w->messages[message];
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

struct rh_timer_info rh_world_timer(const struct rh_world *w, uint32_t timer)
{
    const struct world_timer *t = &w->timers[timer];
    return (struct rh_timer_info){
        .name = t->type ? w->payload + t->name : NULL,
        .type = t->type,
        .deadline_ns = t->deadline_ns,
        .actor = t->actor,
        .event = t->event,
    };
}

uint32_t rh_world_timer_fired(const struct rh_world *w, uint32_t actor, const char *name)
{
    uint32_t fired = 0;
    for (uint32_t i = 1; i < w->event_count; i++) {
        const struct rh_event *e = &w->events[i];
        if (e->choice.kind != RH_CHOICE_TIMER || !e->choice.arg)
            continue;
        bool by_clock = e->choice.actor == w->clock; /* the name is with the message that it has sent */
        const struct world_message *m = &w->messages[e->first_message];
        uint64_t text = (uint64_t)(by_clock ? m->timer : e->choice.arg) * 16;
        fired += (by_clock ? m->receiver : e->choice.actor) == actor && text && strcmp(w->payload + text, name) == 0;
    }
    return fired;
}

uint32_t rh_world_timer_left(const struct rh_world *w, const char *name)
{
    uint32_t budget = rh__timer_budget(w, name);
    return budget == RH_NONE ? RH_NONE : w->timers_left[budget];
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

uint32_t rh_world_fingerprint_meaning(const struct rh_world *w)
{
    return (uint32_t)w->clock_used | (uint32_t)w->sets_used << 1 | rh__stacks_meaning(w) << 2;
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
    const struct rh__run_line *l = &w->lines[line];
    return (struct rh_log_line){ l->event, l->actor, w->payload + l->text };
}

uint32_t rh_world_shown_count(const struct rh_world *w)
{
    return w->shown_count;
}

uint64_t rh_world_shown(const struct rh_world *w, uint32_t number)
{
    return w->shown[number];
}

uint32_t rh_world_property_count(const struct rh_world *w)
{
    return w->property_count;
}

struct rh_property_info rh_world_property(const struct rh_world *w, uint32_t property)
{
    const struct world_property *p = &w->properties[property];
    bool last = p->kind == RH_EVENTUALLY;
    return (struct rh_property_info){
        .kind = (enum rh_property)p->kind,
        .name = p->name,
        .place = p->place,
        .held = p->held,
        .failed = p->failed,
        .held_in_run = (p->run & (last ? LAST_TRUE : WAS_TRUE)) != 0,
        .failed_in_run = (p->run & (last ? LAST_FALSE : WAS_FALSE)) != 0,
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
    counts.memory_bytes =
        w->actor_count * sizeof(struct world_actor) + w->channel_count * sizeof(struct world_channel) +
        w->message_count * sizeof(struct world_message) + w->event_count * sizeof(struct rh_event) + w->payload_at;
    return counts;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

void rh_world_actor_name(const struct rh_world *w, uint32_t actor, char *buffer, size_t size)
{
    rh__run_actor_name(rh__world_run(w), actor, buffer, size);
}

static void add_name(struct rh__text *t, const struct rh_world *w, uint32_t actor)
{
    char name[256];
    rh_world_actor_name(w, actor, name, sizeof name);
    rh__text_add(t, "%s", name);
}

static void add_message(struct rh__text *t, const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    rh__text_add(t, "%s from ", m->type->name);
    add_name(t, w, m->seen_as);
}

static void add_node(void *arg, uint32_t node, struct rh__text *t)
{
    const struct rh_world *w = arg;
    uint32_t i = 1;
    while (w->actors[i].node != node) /* the first one: its children come later */
        i++;
    rh__text_add(t, " ");
    add_name(t, w, i);
}

/* The kinds of choice whose row has no text for people (RH_CHOICES): those that have a case below. */
enum {
    LONG_TEXTS = 1u << RH_CHOICE_OUTSIDE | 1u << RH_CHOICE_BEGIN | 1u << RH_CHOICE_DELIVER | 1u << RH_CHOICE_TIMER |
                 1u << RH_CHOICE_VALUE | 1u << RH_CHOICE_ACCEPT | 1u << RH_CHOICE_OPEN | 1u << RH_CHOICE_CRASH |
                 1u << RH_CHOICE_RESTART | 1u << RH_CHOICE_PARTITION
};
#define RH_X(name, text, attributes, line, people, word)                                                               \
    _Static_assert(RH__HAS_TEXT(people) || LONG_TEXTS >> RH_CHOICE_##name & 1, "a choice without a text: " #name);
RH_CHOICES(RH_X)
#undef RH_X

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
    const char *text = rh__choice_texts(c->kind)->people;
    if (text) {
        rh__text_add(&t, "%s", text);
        if (rh__is_about_message(c))
            add_message(&t, w, c->what);
        return;
    }
    switch (c->kind) {
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
    case RH_CHOICE_ACCEPT:
        rh__text_add(&t, "'s %s is accepted by ", w->messages[c->what].type->name);
        add_name(&t, w, w->messages[c->what].receiver);
        break;
    case RH_CHOICE_OPEN:
        rh__text_add(&t, "%s",
                     c->what == 0   ? " opens its store"
                     : c->what == 1 ? " cannot open its store"
                                    : " finds its store damaged");
        break;
    case RH_CHOICE_CRASH:
        rh__text_add(&t, " crashes");
        if (w->actors[c->actor].writes_open)
            rh__text_add(&t, "; %u of its writes under way survive", c->what);
        break;
    case RH_CHOICE_OUTSIDE:
        rh__text_add(&t, " gets %s from outside", w->payload + (uint64_t)c->arg * 16);
        break;
    case RH_CHOICE_RESTART:
        rh__text_add(&t, " starts again%s", c->what ? " with its state" : "");
        break;
    case RH_CHOICE_PARTITION:
        rh__cut_text(c->what, w->node_count, add_node, (void *)w, &t);
        rh__text_add(&t, "%s", rh__cut_shape(c->what) == RH__CUT_HALVES ? " against the rest" : "");
        break;
    default:
        RH__ASSERT(false, "choice %u has no text", c->kind);
    }
}

static void add_filter(struct rh__text *t, const struct rh_world *w, const struct rh_filter *f)
{
    rh__text_add(t, "waits for");
    if (f->count)
        rh__text_add(t, " a set of %u:", f->count);
    if (f->type) {
        rh__text_add(t, " %s", f->type->name);
    } else if (f->types) {
        for (const struct rh_message_type *const *type = f->types; *type; type++)
            rh__text_add(t, "%s %s", type == f->types ? "" : " or", (*type)->name);
    } else {
        rh__text_add(t, " any message");
    }
    if (!rh_is_nobody(f->from)) {
        rh__text_add(t, " from ");
        add_name(t, w, actor_of(w, f->from));
        rh__text_add(t, "%s", has_ended(&w->actors[actor_of(w, f->from)]) ? ", which has ended" : "");
    }
    if (f->match)
        rh__text_add(t, " that fits its predicate");
}

void rh_world_actor_text(const struct rh_world *w, uint32_t actor, char *buffer, size_t size)
{
    const struct world_actor *a = &w->actors[actor];
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    switch ((enum world_status)a->status) {
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
        if (a->then == THEN_CRASH) { /* nobody knows yet */
            rh__text_add(&t, "has crashed, and is about to be gone");
            return;
        }
        if (a->then == THEN_END) {
            rh__text_add(&t, "is about to end (%s)", w->payload + (uint64_t)a->reason * 16);
            return;
        }
        rh__text_add(&t, a->then == THEN_RESTART ? "is about to start again" : "is about to go on");
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

const char *rh_world_globals_writer(const struct rh_world *w)
{
    return w->globals_writer;
}

const char *rh_world_refused(const struct rh_world *w)
{
    return w->refused;
}
