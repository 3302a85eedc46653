/* See stepper.h. */
#include "runner/stepper.h"

#include <stdlib.h>
#include <string.h>

#include "base/visible.h"

void rh__stepper_init(struct rh__stepper *s, struct rh_world *w, rh__stepper_guide *guide, void *guide_arg)
{
    *s = (struct rh__stepper){ .world = w, .guide = guide, .guide_arg = guide_arg };
}

void rh__stepper_release(struct rh__stepper *s)
{
    free(s->known);
    *s = (struct rh__stepper){ 0 };
}

uint32_t rh__stepper_event(const struct rh__stepper *s)
{
    uint32_t n;
    rh_world_events(s->world, &n);
    return n;
}

const struct rh_choice *rh__stepper_open(const struct rh__stepper *s, uint32_t *count)
{
    return rh_world_enabled(s->world, count);
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static bool is_known(const struct rh__stepper *s)
{
    return rh__stepper_event(s) <= s->known_count;
}

static bool is_same(const struct rh_choice *a, const struct rh_choice *b)
{
    return a->kind == b->kind && a->actor == b->actor && a->what == b->what && a->arg == b->arg;
}

/* Room for one more event, before the world moves. */
static bool has_room(struct rh__stepper *s)
{
    enum { FIRST = 256 };
    if (s->known_count < s->room)
        return true;
    uint32_t room = s->room ? s->room * 2 : FIRST;
    struct rh_choice *known = room > s->room ? realloc(s->known, room * sizeof *known) : NULL;
    if (!known)
        return false;
    s->known = known;
    s->room = room;
    return true;
}

/* The event becomes the last that is known. */
static bool take(struct rh__stepper *s, struct rh_choice choice)
{
    uint32_t at = rh__stepper_event(s) - 1;
    if (!has_room(s) || !rh_world_step(s->world, &choice))
        return false;
    s->known[at] = choice;
    s->known_count = at + 1;
    return true;
}

bool rh__stepper_forward(struct rh__stepper *s)
{
    uint32_t count;
    if (is_known(s))
        return rh_world_step(s->world, &s->known[rh__stepper_event(s) - 1]);
    const struct rh_choice *open = rh__stepper_open(s, &count);
    uint32_t pick = !count ? RH_NONE : s->guide ? s->guide(s->guide_arg, s->world, open, count) : 0;
    if (pick >= count)
        return false;
    open = rh__stepper_open(s, &count); /* the guide may have looked at the world */
    return take(s, open[pick]);
}

bool rh__stepper_back(struct rh__stepper *s)
{
    return rh_world_undo(s->world);
}

bool rh__stepper_go(struct rh__stepper *s, uint32_t events)
{
    while (rh__stepper_event(s) > events)
        if (!rh__stepper_back(s))
            return false;
    while (rh__stepper_event(s) < events)
        if (!rh__stepper_forward(s))
            return false;
    return true;
}

uint32_t rh__stepper_next(const struct rh__stepper *s)
{
    uint32_t count;
    const struct rh_choice *open = rh__stepper_open(s, &count);
    for (uint32_t i = 0; i < count && is_known(s); i++)
        if (is_same(&open[i], &s->known[rh__stepper_event(s) - 1]))
            return i;
    return RH_NONE;
}

bool rh__stepper_choose(struct rh__stepper *s, uint32_t pick)
{
    uint32_t count;
    const struct rh_choice *open = rh__stepper_open(s, &count);
    if (pick >= count)
        return false;
    if (pick == rh__stepper_next(s))
        return rh__stepper_forward(s);
    open = rh__stepper_open(s, &count);
    if (!take(s, open[pick]))
        return false;
    s->guide = NULL; /* it knows nothing of this branch */
    return true;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static void add_message(const struct rh__stepper *s, const struct rh_message_info *m, struct rh__text *to)
{
    char sender[256];
    rh_world_actor_name(s->world, m->sender, sender, sizeof sender);
    rh__text_add_visible(to, m->type ? m->type->name : "exit signal");
    rh__text_add(to, " from ");
    rh__text_add_visible(to, sender);
    if (m->copy_of != RH_NONE)
        rh__text_add(to, " (a copy)");
}

/* "writer#1: is idle in open" and a line for the messages on their way to it. */
static void add_actor(const struct rh__stepper *s, uint32_t actor, struct rh__text *to)
{
    char text[512];
    const char *lead = "\n        on the way to it: ";
    rh__text_add(to, "    ");
    rh_world_actor_name(s->world, actor, text, sizeof text);
    rh__text_add_visible(to, text);
    rh__text_add(to, " ");
    rh_world_actor_text(s->world, actor, text, sizeof text);
    rh__text_add_visible(to, text);
    for (uint32_t i = 0; i < rh_world_message_count(s->world); i++) {
        struct rh_message_info m = rh_world_message(s->world, i);
        if (m.receiver != actor || m.taken_by != RH_NONE)
            continue;
        rh__text_add(to, "%s", lead);
        add_message(s, &m, to);
        lead = ", ";
    }
    rh__text_add(to, "\n");
}

static void add_choices(const struct rh__stepper *s, struct rh__text *to)
{
    char text[512];
    uint32_t count, next = rh__stepper_next(s);
    const struct rh_choice *open = rh__stepper_open(s, &count);
    const struct rh_outcome *o = rh_world_outcome(s->world);
    if (!count) {
        rh__text_add(to, "the run is over: %s%s", rh_outcome_name(o->kind), *o->text ? ": " : "");
        rh__text_add_visible(to, o->text);
        rh__text_add(to, "\n");
        return;
    }
    rh__text_add(to, "open choices:\n");
    for (uint32_t i = 0; i < count; i++) {
        rh_world_choice_text(s->world, &open[i], text, sizeof text);
        rh__text_add(to, "  %c %u  ", i == next ? '>' : ' ', i);
        rh__text_add_visible(to, text);
        rh__text_add(to, "\n");
    }
}

void rh__stepper_look(const struct rh__stepper *s, struct rh__text *to)
{
    char text[512];
    uint32_t count;
    const struct rh_event *events = rh_world_events(s->world, &count);
    rh_world_choice_text(s->world, &events[count - 1].choice, text, sizeof text);
    rh__text_add(to, "event %u: ", count - 1);
    rh__text_add_visible(to, count > 1 ? text : "the test begins");
    rh__text_add(to, "\nactors:\n");
    for (uint32_t i = 0; i < rh_world_actor_count(s->world); i++)
        add_actor(s, i, to);
    add_choices(s, to);
}
