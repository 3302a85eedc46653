/* See event_text.h. */
#include "findings/event_text.h"

#include <string.h>

#include "base/text.h"
#include "base/visible.h"
#include "trace/schedule.h"
#include "world/values.h"

enum { NAME = 128, VALUE = 1024, LISTED_VALUE = 240 };

void rh__event_actor(const struct rh__run *r, uint32_t actor, char *buffer, size_t size)
{
    char name[NAME * 2];
    struct rh__text t;
    rh__run_actor_name(r, actor, name, sizeof name);
    rh__text_init(&t, buffer, size);
    rh__text_add_visible(&t, name);
}

/* The body of a test goes on, and nobody notices: it has no state, and reads nothing that others can see. */
static bool is_silent(const struct rh__run *r, uint32_t event)
{
    const struct rh_choice *c = rh__run_choice(r, event);
    if (c->kind != RH_CHOICE_RESUME || c->actor != 0 || event + 1 >= r->event_count || event == r->loop)
        return false;
    const struct rh_event *e = rh__run_event(r, event), *next = rh__run_event(r, event + 1);
    if (e->first_message != next->first_message || e->first_access != next->first_access)
        return false;
    for (uint32_t i = 0; i < r->line_count; i++)
        if (r->lines[i].event == event)
            return false;
    return true;
}

bool rh__event_has_row(const struct rh__run *r, uint32_t event)
{
    const struct rh_choice *c = rh__run_choice(r, event);
    if (is_silent(r, event))
        return false;
    return c->kind != RH_CHOICE_RESUME || event + 1 == r->event_count || event == r->loop ||
           rh__run_choice(r, event - 1)->actor != c->actor;
}

uint32_t rh__event_row_of(const struct rh__run *r, uint32_t event)
{
    while (event && event < r->event_count && !rh__event_has_row(r, event))
        event--;
    return event;
}

uint32_t rh__event_last_of_row(const struct rh__run *r, uint32_t event)
{
    while (event + 1 < r->event_count && !rh__event_has_row(r, event + 1))
        event++;
    return event;
}

static void sends_of(const struct rh__run *r, uint32_t event, struct rh__text *t)
{
    uint32_t from = rh__run_event(r, event)->first_message;
    uint32_t to = rh__run_messages_end(r, rh__event_last_of_row(r, event));
    uint32_t shown = 0;
    for (uint32_t i = from, end; i < to; i = end) {
        for (end = i + 1; end < to && rh__run_message(r, end)->type == rh__run_message(r, i)->type; end++)
            ;
        if (rh__run_message(r, i)->taken_by == event &&
            rh__run_message(r, i)->sender == rh__run_message(r, i)->receiver && ++i == end)
            continue; /* the message of a timer */
        if (shown++ == 4) {
            rh__text_add(t, ", ...");
            break;
        }
        rh__text_add(t, "%s", shown == 1 ? " -> " : ", ");
        if (end - i > 2)
            rh__text_add(t, "%ux %s", end - i, rh__run_message(r, i)->type->name);
        else
            rh__text_add(t, "%s%s%s", rh__run_message(r, i)->type->name, end - i == 2 ? ", " : "",
                         end - i == 2 ? rh__run_message(r, i)->type->name : "");
    }
}

/* A run that was read has no text of fields; a message without fields is one byte, of zero. */
static bool has_fields(const struct rh_message_type *type, const char *value, uint32_t kept)
{
    return type->fields ? strcmp(type->fields, "char rh_no_fields;") != 0 : type->size > 1 || !kept || *value;
}

/* The messages of the world itself need no bytes. */
static bool is_of_world(const struct rh__run_message *m)
{
    return rh__is_exit_signal(m) || strncmp(m->type->name, "rh_", 3) == 0;
}

bool rh__message_is_bytes(const struct rh__run *r, uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    uint32_t kept;
    const char *value = rh__run_value(r, message, &kept);
    return !m->wake && !rh__is_start(m) && !is_of_world(m) && has_fields(m->type, value, kept) &&
           !rh__value_is_known(m->type->name, m->type->size);
}

const char *rh__message_values(const struct rh__run *r, uint32_t message, char *text, size_t size)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    struct rh__text t, plain;
    char fields[VALUE];
    uint32_t kept;
    const char *value = rh__run_value(r, message, &kept);
    rh__text_init(&t, text, size);
    rh__text_init(&plain, fields, sizeof fields);
    if (m->wake || rh__is_start(m))
        return text;
    if (!rh__value_write(r, m->type->name, m->type->size, value, kept, &plain) && rh__message_is_bytes(r, message))
        rh__value_write_bytes(m->type->size, value, kept, &plain);
    rh__text_add_visible(&t, fields);
    return text;
}

const char *rh__event_values(const struct rh__run *r, uint32_t event, char *text, size_t size)
{
    const struct rh_choice *c = rh__run_choice(r, event);
    *text = 0;
    return rh__is_about_message(c) ? rh__message_values(r, c->what, text, size) : text;
}

bool rh__line_tells_of_crash(const struct rh__run *r, const struct rh__run_line *line)
{
    return rh__run_choice(r, line->event)->kind == RH_CHOICE_CRASH && r->payload[line->text] == '(';
}

static void add_crash(const struct rh__run *r, uint32_t event, struct rh__text *t)
{
    const struct rh_choice *c = rh__run_choice(r, event);
    rh__text_add(t, "CRASH");
    if (c->arg)
        rh__text_add(t, ", %u of %u writes kept", c->what, c->arg);
    for (uint32_t i = 0; i < r->line_count; i++)
        if (r->lines[i].event == event && rh__line_tells_of_crash(r, &r->lines[i])) {
            rh__text_add(t, " ");
            rh__text_add_visible(t, r->payload + r->lines[i].text);
        }
}

/* True if the actor has crashed before the event, and not started again.  Its step is then that others notice it. */
static bool is_gone(const struct rh__run *r, uint32_t actor, uint32_t event)
{
    while (r->semantics->crashes && event-- > 1) {
        const struct rh_choice *c = rh__run_choice(r, event);
        if (c->actor == actor && (c->kind == RH_CHOICE_CRASH || c->kind == RH_CHOICE_RESTART))
            return c->kind == RH_CHOICE_CRASH;
    }
    return false;
}

void rh__event_text(const struct rh__run *r, uint32_t event, unsigned parts, char *text, size_t size)
{
    char values[LISTED_VALUE];
    const struct rh_choice *c = &rh__run_event(r, event)->choice;
    struct rh__text t;
    const char *word = rh__choice_texts(c->kind)->word;
    rh__text_init(&t, text, size);
    switch (c->kind) {
    case RH_CHOICE_DELIVER:
        if (rh__run_message(r, c->what)->wake) {
            rh__text_add(&t, "time is over");
            break;
        }
        rh__text_add(&t, "%s",
                     rh__is_start(rh__run_message(r, c->what)) ? "start" : rh__run_message(r, c->what)->type->name);
        if (parts & RH__EVENT_VALUES && *rh__event_values(r, event, values, sizeof values))
            rh__text_add(&t, "(%s)", values);
        break;
    case RH_CHOICE_RESUME: {
        if (is_gone(r, c->actor, event)) {
            rh__text_add(&t, "is gone");
            break;
        }
        const char *place = rh__run_text(r, c->arg), *file = strrchr(place, '/');
        rh__text_add(&t, *place ? "goes on (" : "goes on");
        rh__text_add_visible(&t, file ? file + 1 : place);
        rh__text_add(&t, *place ? ")" : "");
        break;
    }
    case RH_CHOICE_TIMER:
        rh__text_add(&t, "%s", c->actor == r->clock ? "reaches " : c->arg ? "timer " : "time is over");
        if (c->actor == r->clock || c->arg)
            rh__text_add_visible(&t, rh__run_text(r, c->arg));
        break;
    case RH_CHOICE_VALUE:
        rh__text_add(&t, "chooses %u", c->what);
        break;
    case RH_CHOICE_OPEN:
        rh__text_add(&t, "%s", c->what == 0 ? "opens its store" : c->what == 1 ? "STORE NOT OPENED" : "STORE DAMAGED");
        break;
    case RH_CHOICE_OUTSIDE:
        rh__text_add(&t, "outside -> %s", rh__run_text(r, c->arg));
        parts &= ~RH__EVENT_SENDS;
        break;
    case RH_CHOICE_CRASH:
        add_crash(r, event, &t);
        break;
    case RH_CHOICE_PARTITION: /* with who is cut off */
        rh__choice_line(r, c, &t);
        break;
    default:
        if (rh__is_about_message(c))
            rh__text_add(&t, "%s ", rh__run_message(r, c->what)->type->name);
        rh__text_add(&t, "%s", word ? word : rh_choice_name((enum rh_choice_kind)c->kind));
        break;
    }
    if (parts & RH__EVENT_SENDER && c->kind == RH_CHOICE_DELIVER && rh__run_message(r, c->what)->sender != c->actor &&
        !rh__run_message(r, c->what)->life) {
        char from[NAME];
        rh__event_actor(r, rh__run_message(r, c->what)->seen_as, from, sizeof from);
        rh__text_add(&t, " < %s", from);
    }
    if (rh__run_goes_on_with_set(r, event) || rh__run_event(r, event)->flags & RH_EVENT_MORE) {
        uint32_t first = rh__run_first_of_set(r, event), last = event;
        while (rh__run_event(r, last)->flags & RH_EVENT_MORE && last + 1 < r->event_count)
            last++;
        rh__text_add(&t, " (%u of %u)", event - first + 1, last - first + 1);
    }
    if (parts & RH__EVENT_SENDS)
        sends_of(r, event, &t);
}
