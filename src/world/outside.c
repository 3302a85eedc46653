/* See outside.h. */
#include "world/outside.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/random.h"
#include "world/actors.h"
#include "world/fields.h"
#include "world/live.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/step.h"

_Static_assert(OUTSIDE_OPENING_BITS + OUTSIDE_VALUE_BITS == RH__OUTSIDE_BITS, "the number is above them");
_Static_assert(MAX_OPENINGS == 1 << OUTSIDE_OPENING_BITS, "an opening fits into its bits");

enum {
    MOST_SETS = 64,     /* sends with values of their own; later sends use them again */
    MOST_TRIES = 64,    /* values drawn for each that is offered */
    LONGEST_TEXT = 4096 /* of a value; longer values are not offered */
};

/* A value of an opening: payload offsets / 16 of the bytes and of the text; 0 for none. */
struct slot {
    uint32_t value, text;
};

static uint32_t sets_of(const struct rh_world *w)
{
    return w->semantics.outside < MOST_SETS ? w->semantics.outside : MOST_SETS;
}

static struct slot *slot_of(const struct rh_world *w, const struct world_opening *o, uint32_t set, uint32_t i)
{
    return (struct slot *)(void *)(w->payload + o->slots) + (size_t)set * o->count + i;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

struct drawing {
    struct rh_world *w;
    const struct world_opening *opening;
    struct rh__fields fields;
    uint32_t known[MAX_OPENINGS + 1]; /* actors that the outside knows */
    struct rh__fields_pool from;
    uint64_t bytes; /* payload offset of a value that is not kept yet */
    char text[LONGEST_TEXT];
};

static void add_known(struct drawing *d, uint32_t actor)
{
    uint32_t i = 0;
    while (i < d->from.known_count && d->known[i] != actor)
        i++;
    d->known[i] = actor;
    d->from.known_count += i == d->from.known_count;
}

/* Keeps the value under this text in the set, unless the text is there already, or the test does not allow the
 * value. */
static bool keep(struct drawing *d, uint32_t set, uint32_t into, const char *text)
{
    struct rh_world *w = d->w;
    if (d->opening->when && !d->opening->when(w->payload + d->bytes))
        return false;
    for (uint32_t i = 0; i < into; i++) {
        const struct slot *s = slot_of(w, d->opening, set, i);
        if (s->value && strcmp(w->payload + (uint64_t)s->text * 16, text) == 0)
            return false;
    }
    struct slot *s = slot_of(w, d->opening, set, into);
    s->value = (uint32_t)(d->bytes / 16);
    s->text = (uint32_t)(rh__payload_text(w, text) / 16);
    d->bytes = rh__payload_take(w, d->opening->type->size);
    return true;
}

static bool keep_drawn(struct drawing *d, uint32_t set, uint32_t into)
{
    struct rh__text t;
    rh__text_init(&t, d->text, sizeof d->text);
    rh__fields_write(&d->fields, d->w, d->w->payload + d->bytes, &t);
    return !t.cut && keep(d, set, into, d->text);
}

/* The first value of all is zero. */
static uint32_t draw_set(struct drawing *d, uint32_t set)
{
    struct rh_world *w = d->w;
    uint32_t kept = 0, most = d->fields.none ? 1 : w->semantics.outside_values;
    const char *name = d->opening->type->name;
    uint64_t stream = rh__hash(name, strlen(name), rh__mix(set, d->opening->actor));
    uint64_t random = rh__random_seed(w->semantics.seed, stream);
    for (uint32_t tries = 0; kept < most && tries < most * MOST_TRIES; tries++) {
        if (d->fields.none || (!set && !tries))
            memset(w->payload + d->bytes, 0, d->opening->type->size);
        else
            rh__fields_draw(&d->fields, &d->from, &random, w->payload + d->bytes);
        kept += keep_drawn(d, set, kept);
        if (d->fields.none)
            break;
    }
    return kept;
}

static uint32_t add_given(struct drawing *d, uint32_t set, uint32_t into)
{
    struct rh_world *w = d->w;
    uint32_t kept = 0;
    for (const struct world_given *g = w->given; g; g = g->next)
        if (rh__fields_read(&d->fields, w, g->text, &d->from, w->payload + d->bytes))
            kept += keep(d, set, into + kept, g->text); /* as the schedule has it, so that its line fits */
    return kept;
}

static uint32_t given_count(const struct rh_world *w)
{
    uint32_t n = 0;
    for (const struct world_given *g = w->given; g; g = g->next)
        n++;
    return n;
}

static void draw_values(struct drawing *d, struct world_opening *o)
{
    struct rh_world *w = d->w;
    uint32_t count = w->semantics.outside_values + given_count(w), kept = 0;
    if (count >= 1u << OUTSIDE_VALUE_BITS)
        count = (1u << OUTSIDE_VALUE_BITS) - 1;
    size_t bytes = sizeof(struct slot) * count * sets_of(w);
    uint64_t slots = rh__payload_take(w, bytes);
    memset(w->payload + slots, 0, bytes);
    put64(w, &o->slots, slots);
    put32(w, &o->count, count);
    d->opening = o;
    rh__fields_of(&d->fields, o->type);
    d->bytes = rh__payload_take(w, o->type->size);
    for (uint32_t i = 0; i < sets_of(w) && !w->over; i++) {
        uint32_t drawn = draw_set(d, i);
        kept += drawn + add_given(d, i, drawn);
    }
    if (!kept && !w->over)
        rh__misuse(
            w, o->here,
            "rh_open: none of the drawn values of %s fulfils .when: draw more of them (outside_values), or allow "
            "more",
            o->type->name);
}

/* All values are drawn again, because those of earlier openings may now refer to this actor. */
static void draw_all(struct rh_world *w)
{
    struct drawing *d = (struct drawing *)(void *)(w->payload + rh__payload_take(w, sizeof *d));
    *d = (struct drawing){ .w = w };
    d->from = (struct rh__fields_pool){ .known = d->known, .numbers = w->draw_numbers, .number_count = w->draw_count };
    add_known(d, rh__actor_external(w, "outside"));
    for (uint32_t i = 0; i < w->opening_count; i++)
        add_known(d, w->openings[i].actor);
    for (uint32_t i = 0; i < w->opening_count && !w->over; i++)
        draw_values(d, &w->openings[i]);
}

void rh__outside_open(struct rh_world *w, uint32_t actor, const struct rh_message_type *type, rh_when_fn *when,
                      const char *here)
{
    if (w->opening_count == MAX_OPENINGS)
        rh__misuse(w, here, "rh_open was called more than %d times", MAX_OPENINGS);
    struct world_opening *o = &w->openings[w->opening_count];
    put_pointer(w, &o->type, type);
    put_pointer(w, &o->when, when);
    put_pointer(w, &o->here, here);
    put32(w, &o->actor, actor);
    put32(w, &w->opening_count, w->opening_count + 1);
    if (w->semantics.outside)
        draw_all(w);
}

void rh__world_give(struct rh_world *w, const char *text)
{
    size_t size = strlen(text) + 1;
    struct world_given *g = rh__alloc(sizeof *g + size);
    RH__ASSERT(g, "no memory for a value of a schedule");
    g->next = w->given;
    memcpy(g->text, text, size);
    w->given = g;
}

void rh__world_draw_from(struct rh_world *w, const int64_t *numbers_kept, uint32_t count)
{
    w->draw_numbers = numbers_kept;
    w->draw_count = count;
}

void rh__outside_release(struct rh_world *w)
{
    for (struct world_given *g = w->given, *next; g; g = next) {
        next = g->next;
        rh__free(g);
    }
    w->given = NULL;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

static uint32_t sent(const struct rh_world *w)
{
    return w->semantics.outside - w->left.outside;
}

void rh__outside_offer(struct rh_world *w)
{
    uint32_t number = sent(w);
    for (uint32_t i = 0; i < w->opening_count; i++) {
        const struct world_opening *o = &w->openings[i];
        for (uint32_t k = 0; k < o->count && w->actors[o->actor].status != STATUS_ENDED; k++) {
            const struct slot *s = slot_of(w, o, number % sets_of(w), k);
            if (s->value)
                rh__offer(w, RH_CHOICE_OUTSIDE, o->actor,
                          (number << OUTSIDE_OPENING_BITS | i) << OUTSIDE_VALUE_BITS | k, s->text);
        }
    }
}

void rh__outside_send(struct rh_world *w, const struct rh_choice *c)
{
    uint32_t number = sent(w) - 1; /* it has been spent */
    const struct world_opening *o = &w->openings[c->what >> OUTSIDE_VALUE_BITS & (MAX_OPENINGS - 1)];
    const struct slot *s = slot_of(w, o, number % sets_of(w), c->what & ((1u << OUTSIDE_VALUE_BITS) - 1));
    char name[32];
    snprintf(name, sizeof name, "outside %u", number + 1);
    uint32_t sender = rh__actor_external(w, name);
    if (w->over)
        return;
    struct world_sending message = SENDING(.from = sender, .to = o->actor, .type = o->type,
                                           .value = w->payload + (uint64_t)s->value * 16, .posted = true);
    uint32_t sent_as = rh__message_send(w, &message);
    if (rh__dead_letters_at_end(w) && sent_as != RH_NONE)
        w->messages[sent_as].sent_at = (uint32_t)(rh__payload_text(w, o->here) / 16);
}

/* What may still be sent: to whom, and with which values.  The budget has its hash. */
struct rh__wide rh__outside_hash(const struct rh_world *w)
{
    struct rh__wide h = rh__wide_of(0);
    for (uint32_t i = 0; i < w->opening_count; i++) {
        const struct world_opening *o = &w->openings[i];
        h = rh__wide_with(rh__wide_with(h, o->actor + 13), (uint64_t)(uintptr_t)o->type);
        h = rh__wide_with(h, (uint64_t)(uintptr_t)o->when);
    }
    return h;
}
