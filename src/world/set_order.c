/* See set_order.h. */
#include "world/set_order.h"

#include <stdio.h>
#include <string.h>

#include "base/copy.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "world/network.h"
#include "world/sets.h"
#include "world/symbol.h"

/* What a step has left behind. */
struct effect {
    bool whole; /* the handler has seen all messages of the set */
    uint32_t sent;
    uint64_t messages; /* their types, receivers and bytes; in order for each receiver only */
    enum rh_outcome_kind outcome;
    char place[128];
    const struct rh_behaviour *behaviour;
    uint32_t status;
};

static uint64_t hash_message(const struct rh_world *w, uint32_t message, uint32_t number)
{
    const struct world_message *m = &w->messages[message];
    uint64_t h = rh__mix((uint64_t)m->receiver << 32 | number, (uint64_t)(uintptr_t)m->type);
    h = rh__mix(h, (uint64_t)m->size << 32 | m->tail_size);
    return rh__hash(rh__message_tail(w, m), m->tail_size, rh__hash(rh__message_value(w, m), m->size, h));
}

static struct effect effect_of(const struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    uint32_t first = w->events[w->event_count - 1].first_message;
    struct effect e = { .whole = a->stack == RH_NONE,
                        .sent = w->message_count - first,
                        .behaviour = a->behaviour,
                        .status = a->status,
                        .outcome = w->over ? w->outcome.kind : RH_OUTCOME_RUNNING };
    if (w->over)
        memcpy(e.place, w->outcome.place, sizeof e.place);
    for (uint32_t i = first; i < w->message_count; i++) {
        uint32_t number = 0;
        for (uint32_t k = first; k < i; k++)
            number += w->messages[k].receiver == w->messages[i].receiver;
        e.messages += hash_message(w, i, number); /* a sum: messages to different receivers have no order */
    }
    return e;
}

/* ---- the step, twice --------------------------------------------------------------------------------------------- */

struct check {
    struct rh_world *w;
    struct rh_choice *choices; /* of the run, by event */
    uint32_t count;
    uint64_t *steps;
};

/* Makes the run again up to an event, which is not made; false if that does not succeed. */
static bool go_to(struct check *c, uint32_t event)
{
    rh_world_reset(c->w);
    for (uint32_t i = 1; i < event; i++, ++*c->steps) {
        uint32_t open;
        rh_world_enabled(c->w, &open);
        if (!rh_world_step(c->w, &c->choices[i]))
            return false;
    }
    return true;
}

/* On clean stacks, which are cleaned again before each message of the set. */
static bool make_step(struct check *c, uint32_t event, bool backwards, struct effect *e)
{
    uint32_t open;
    rh_world_enabled(c->w, &open);
    c->w->fill = FILL_ZERO;
    c->w->sets_backwards = backwards;
    bool made = rh_world_step(c->w, &c->choices[event]);
    c->w->fill = FILL_NOT;
    c->w->sets_backwards = false;
    if (made)
        *e = effect_of(c->w, c->choices[event].actor);
    return made;
}

static bool completes_set(const struct rh_world *w, const struct rh_choice *c)
{
    return w->actors[c->actor].flags & FLAG_GATHERS && w->actors[c->actor].status == STATUS_IDLE &&
           rh__set_joins(w, c->what) && !rh__set_goes_on(w, c->what);
}

/* ---- saying ------------------------------------------------------------------------------------------------------ */

static void add_difference(struct rh__text *t, const struct effect *one, const struct effect *other)
{
    if (one->outcome != other->outcome || strcmp(one->place, other->place) != 0)
        rh__text_add(t, "in one order %s%s%s, in the other %s%s%s",
                     one->outcome == RH_OUTCOME_RUNNING ? "nothing fails" : rh_outcome_name(one->outcome),
                     *one->place ? " at " : "", one->place,
                     other->outcome == RH_OUTCOME_RUNNING ? "nothing fails" : rh_outcome_name(other->outcome),
                     *other->place ? " at " : "", other->place);
    else if (one->sent != other->sent)
        rh__text_add(t, "it sends %u messages in one order and %u in the other", one->sent, other->sent);
    else if (one->messages != other->messages)
        rh__text_add(t, "the messages that it sends differ");
    else if (one->behaviour != other->behaviour)
        rh__text_add(t, "its behaviour is %s in one order and %s in the other", one->behaviour->name,
                     other->behaviour->name);
    else
        rh__text_add(t, "it ends in one order only");
}

static bool differ(const struct effect *one, const struct effect *other)
{
    bool same_end = one->outcome == other->outcome && strcmp(one->place, other->place) == 0;
    if (!same_end || one->outcome != RH_OUTCOME_RUNNING)
        return !same_end; /* a step that fails in both orders is cut short */
    return one->sent != other->sent || one->messages != other->messages || one->behaviour != other->behaviour ||
           one->status != other->status;
}

static void begin_text(struct check *c, uint32_t event, struct rh__text *t)
{
    const struct rh_choice *choice = &c->choices[event];
    char name[128];
    rh_world_actor_name(c->w, choice->actor, name, sizeof name);
    rh__text_add(t, "the handler of %s depends on the order of a set (RH_SETS), which %s took at event %u: ",
                 c->w->messages[choice->what].type->name, name, event);
}

/* The first byte of the state that differs; the number of bytes if none does. */
RH__NO_SANITIZE static size_t find_byte(const char *was, const char *is, size_t size)
{
    size_t at = 0;
    while (at < size && was[at] == is[at])
        at++;
    return at;
}

static void note_state(struct check *c, uint32_t event, size_t at, struct rh_outcome *o)
{
    const struct rh_actor_type *type = c->w->actors[c->choices[event].actor].type;
    struct rh__text t;
    char field[128];
    rh__text_init(&t, o->text, sizeof o->text);
    begin_text(c, event, &t);
    if (rh__symbol_field(type, type->name, type->size, at, field, sizeof field))
        rh__text_add(&t, "field `%s` of its state differs", field);
    else
        rh__text_add(&t, "byte %zu of its state differs", at);
    rh__text_add(&t, ", but nothing that it sends");
}

/* ---- one step of a run ------------------------------------------------------------------------------------------- */

static struct rh_outcome check_step(struct check *c, uint32_t event)
{
    struct rh_outcome o = { .kind = RH_OUTCOME_FINISHED, .actor = RH_NONE };
    struct effect one, other;
    uint32_t actor = c->choices[event].actor;
    if (!go_to(c, event) || !completes_set(c->w, &c->choices[event]) || !make_step(c, event, false, &one))
        return o;
    size_t size = c->w->actors[actor].type->size;
    char *state = one.whole ? rh__alloc_array(size + 1, 1) : NULL;
    if (!state)
        return o;
    rh__copy(state, c->w->actors[actor].region, size);
    if (go_to(c, event) && make_step(c, event, true, &other) && other.whole) {
        size_t at = find_byte(state, c->w->actors[actor].region, size);
        if (differ(&one, &other)) {
            struct rh__text t;
            o.kind = RH_OUTCOME_SET_ORDER;
            o.actor = actor;
            rh__text_init(&t, o.text, sizeof o.text);
            begin_text(c, event, &t);
            add_difference(&t, &one, &other);
        } else if (at < size && one.outcome == RH_OUTCOME_RUNNING) {
            note_state(c, event, at, &o);
        }
    }
    rh__free(state);
    return o;
}

static bool may_complete_set(const struct rh_world *w, uint32_t event)
{
    const struct rh_event *e = &w->events[event], *before = e - 1;
    return e->choice.kind == RH_CHOICE_DELIVER && before->flags & RH_EVENT_MORE && !(e->flags & RH_EVENT_MORE) &&
           w->actors[e->choice.actor].type->kind == RH_KIND_ACTOR;
}

struct rh_outcome rh__check_set_order(struct rh_world *w, bool all, uint64_t *random, uint64_t *steps)
{
    struct rh_outcome o = { .kind = RH_OUTCOME_FINISHED, .actor = RH_NONE };
    struct check c = { .w = w, .count = w->event_count, .steps = steps };
    uint32_t sets = 0;
    if (!w->sets_gathered)
        return o;
    c.choices = rh__alloc_array(c.count + 1, sizeof *c.choices);
    bool *completes = rh__alloc_array(c.count + 1, sizeof *completes);
    for (uint32_t i = 1; c.choices && completes && i < c.count; i++) {
        c.choices[i] = w->events[i].choice;
        completes[i] = may_complete_set(w, i);
        sets += completes[i];
    }
    uint32_t chosen = sets && !all ? rh__random_below(random, sets) : 0, number = 0;
    for (uint32_t i = 1; sets && i < c.count && o.kind == RH_OUTCOME_FINISHED; i++)
        if (completes[i] && (number++ == chosen || all)) {
            struct rh_outcome found = check_step(&c, i);
            if (found.kind != RH_OUTCOME_FINISHED || *found.text)
                o = found;
        }
    if (sets && o.kind == RH_OUTCOME_FINISHED)
        go_to(&c, c.count);
    rh__free(c.choices);
    rh__free(completes);
    return o;
}
