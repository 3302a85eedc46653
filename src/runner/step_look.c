/* See step_look.h. */
#include "runner/step_look.h"

#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "findings/event_text.h"
#include "trace/schedule.h"
#include "world/values.h"

enum { TEXT = 4096, NAME = 256 };

static void remember(struct rh__step_look *l, struct rh_world *w, uint32_t actor)
{
    const struct rh_actor_type *type = rh_world_actor_type(w, actor);
    const void *state = rh_world_actor_state(w, actor);
    l->actor = actor;
    l->behaviour = rh_world_actor_behaviour(w, actor);
    l->size = type && state && !rh_world_actor_ended(w, actor) ? type->size : 0;
    void *copy = realloc(l->state, l->size ? l->size : 1);
    l->known = copy != NULL;
    if (!copy)
        return;
    l->state = copy;
    if (l->size)
        memcpy(copy, state, l->size);
}

void rh__step_look_before(struct rh__step_look *l, struct rh_world *w, uint32_t pick)
{
    uint32_t count;
    const struct rh_choice *open = rh_world_enabled(w, &count);
    l->known = false;
    if (pick < count && open[pick].actor < rh_world_actor_count(w))
        remember(l, w, open[pick].actor);
}

void rh__step_look_forget(struct rh__step_look *l)
{
    l->known = false;
}

void rh__step_look_release(struct rh__step_look *l)
{
    free(l->state);
    *l = (struct rh__step_look){ 0 };
}

/* ---- an event ---------------------------------------------------------------------------------------------------- */

static const char *event_line(const struct rh__run *r, uint32_t event, char *line, size_t size)
{
    char text[TEXT], name[NAME] = "", values[TEXT];
    const struct rh_choice *c = rh__run_choice(r, event);
    struct rh__text t;
    if (c->actor < r->actor_count)
        rh__event_actor(r, c->actor, name, sizeof name);
    rh__event_text(r, event, RH__EVENT_SENDER, text, sizeof text);
    rh__event_values(r, event, values, sizeof values);
    rh__text_init(&t, line, size);
    rh__text_add(&t, "%s%s%s%s%s%s", name, *name ? ": " : "", text, *values ? " (" : "", values, *values ? ")" : "");
    return line;
}

static void put_event(const struct rh__run *r, uint32_t event, FILE *to)
{
    char line[2 * TEXT + NAME];
    fprintf(to, "event %u: %s\n", event, event_line(r, event, line, sizeof line));
}

const char *rh__step_look_event(const struct rh__stepper *s, char *text, size_t size)
{
    const struct rh__run *r = rh__world_run(s->world);
    return event_line(r, r->event_count - 1, text, size);
}

static void put_change(const struct rh__step_look *l, const struct rh_world *w, FILE *to)
{
    char text[TEXT];
    struct rh__text t;
    const struct rh_behaviour *now = rh_world_actor_behaviour(w, l->actor);
    rh__text_init(&t, text, sizeof text);
    if (l->size && !rh_world_actor_ended(w, l->actor)) {
        const struct rh_actor_type *type = rh_world_actor_type(w, l->actor);
        const void *state = rh_world_actor_state(w, l->actor);
        if (!rh__value_write_changes(rh__world_run(w), type->name, type->size, l->state, state, &t))
            rh__value_write_byte_changes(type->size, l->state, state, &t);
    }
    if (now && l->behaviour && now != l->behaviour)
        rh__text_add(&t, "%sbecomes %s", t.len ? ", " : "", now->name);
    if (t.len) {
        fputs("    => ", to);
        rh__print_visible(to, text, SIZE_MAX);
        fputc('\n', to);
    }
}

static void put_logged(const struct rh__run *r, uint32_t event, FILE *to)
{
    for (uint32_t i = 0; i < r->line_count; i++)
        if (r->lines[i].event == event) {
            fputs("    log: ", to);
            rh__print_visible(to, r->payload + r->lines[i].text, SIZE_MAX);
            fputc('\n', to);
        }
}

const char *rh__step_look_choice(const struct rh__stepper *s, uint32_t pick, char *text, size_t size)
{
    char plain[1024], values[TEXT];
    uint32_t count;
    struct rh__text t;
    const struct rh_choice *open = rh__stepper_open(s, &count);
    const struct rh_choice choice = open[pick];
    rh_world_choice_text(s->world, &choice, plain, sizeof plain);
    rh__text_init(&t, text, size);
    rh__text_add_visible(&t, plain);
    if (rh__is_about_message(&choice) &&
        *rh__message_values(rh__world_run(s->world), choice.what, values, sizeof values))
        rh__text_add(&t, " (%s)", values);
    return text;
}

void rh__step_look_here(const struct rh__step_look *l, const struct rh__stepper *s, FILE *to)
{
    char text[TEXT];
    const struct rh__run *r = rh__world_run(s->world);
    const struct rh_outcome *o = rh_world_outcome(s->world);
    uint32_t count, next = rh__stepper_next(s);
    put_event(r, r->event_count - 1, to);
    if (l->known)
        put_change(l, s->world, to);
    put_logged(r, r->event_count - 1, to);
    rh__stepper_open(s, &count);
    for (uint32_t i = 0; i < count; i++)
        fprintf(to, "  %c %u  %s\n", i == next ? '>' : ' ', i, rh__step_look_choice(s, i, text, sizeof text));
    if (!count) {
        fprintf(to, "the run is over: %s%s", rh_outcome_name(o->kind), *o->text ? ": " : "");
        rh__print_lines_visible(to, o->text);
        fprintf(to, "%s%s%s\n", *o->place ? "  (" : "", o->place, *o->place ? ")" : "");
    }
}

/* ---- actors and the run ------------------------------------------------------------------------------------------ */

static uint32_t put_mailbox(const struct rh__run *r, uint32_t actor, FILE *to)
{
    char values[TEXT], from[NAME];
    uint32_t found = 0;
    for (uint32_t i = 0; i < r->message_count; i++) {
        const struct rh__run_message *m = rh__run_message(r, i);
        if (m->receiver != actor || m->taken_by != RH_NONE)
            continue;
        found++;
        if (!to)
            continue;
        rh__event_actor(r, m->seen_as, from, sizeof from);
        rh__message_values(r, i, values, sizeof values);
        fprintf(to, "    mailbox: %s%s%s%s < %s\n", rh__is_start(m) ? "start" : m->type->name, *values ? " (" : "",
                values, *values ? ")" : "", from);
    }
    return found;
}

static void put_actor(const struct rh__stepper *s, uint32_t actor, bool whole, FILE *to)
{
    const struct rh__run *r = rh__world_run(s->world);
    char text[TEXT], name[NAME];
    struct rh__text t;
    rh__event_actor(r, actor, name, sizeof name);
    rh_world_actor_text(s->world, actor, text, sizeof text);
    fprintf(to, "%s ", name);
    rh__print_visible(to, text, SIZE_MAX);
    uint32_t mail = put_mailbox(r, actor, NULL);
    if (!whole) {
        if (mail)
            fprintf(to, ", %u message%s on the way", mail, mail == 1 ? "" : "s");
        fputc('\n', to);
        return;
    }
    fputc('\n', to);
    const struct rh_actor_type *type = rh_world_actor_type(s->world, actor);
    const void *state = rh_world_actor_state(s->world, actor);
    rh__text_init(&t, text, sizeof text);
    if (type && state && type->size && !rh_world_actor_ended(s->world, actor)) {
        if (!rh__value_write(r, type->name, type->size, state, type->size, &t))
            rh__value_write_bytes(type->size, state, type->size, &t);
        fputs("    state: ", to);
        rh__print_visible(to, text, SIZE_MAX);
        fputc('\n', to);
    }
    put_mailbox(r, actor, to);
    for (uint32_t i = 0; i < r->line_count; i++)
        if (r->lines[i].actor == actor) {
            fprintf(to, "    log at %u: ", r->lines[i].event);
            rh__print_visible(to, r->payload + r->lines[i].text, SIZE_MAX);
            fputc('\n', to);
        }
}

void rh__step_look_actors(const struct rh__stepper *s, const char *wanted, FILE *to)
{
    const struct rh__run *r = rh__world_run(s->world);
    char name[NAME];
    bool found = !*wanted;
    for (uint32_t a = 0; a < r->actor_count; a++) {
        rh__event_actor(r, a, name, sizeof name);
        if (*wanted && strcmp(name, wanted) != 0)
            continue;
        found = true;
        put_actor(s, a, *wanted, to);
    }
    if (!found) {
        fputs("there is no actor ", to);
        rh__print_visible(to, wanted, SIZE_MAX);
        fputs("  (look)\n", to);
    }
}

void rh__step_look_run(const struct rh__stepper *s, FILE *to)
{
    const struct rh__run *r = rh__world_run(s->world);
    for (uint32_t e = 0; e < r->event_count; e++)
        put_event(r, e, to);
}

void rh__step_look_schedule(const struct rh__stepper *s, char *text, size_t size)
{
    struct rh__text t;
    rh__text_init(&t, text, size);
    rh__schedule_write(rh__world_run(s->world), &t);
}
