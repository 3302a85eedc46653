/* See story.h.  Rows are events; a cell says what its actor took and from whom.  An event that only goes on with what
 * its actor did in the event before has no row: nobody else has moved in between.  If there are more actors than fit on
 * a line, the run is a list instead, with the sends of each event after an arrow. */
#include "findings/story.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/visible.h"
#include "run/encode.h"
#include "trace/schedule.h"

enum { WIDEST = 132, NARROWEST = 60, MOST_COLUMNS = 12, NAME = 128, CELL = 256, LONGEST = 400 };

static void name_of(const struct rh__run *r, uint32_t actor, char *buffer, size_t size)
{
    char name[NAME * 2];
    struct rh__text t;
    rh__run_actor_name(r, actor, name, sizeof name);
    rh__text_init(&t, buffer, size);
    rh__text_add_visible(&t, name);
}

/* The last event has a row in any case, for a failing run fails there, and so has the first event of a loop. */
static bool has_row(const struct rh__run *r, uint32_t event)
{
    const struct rh_choice *c = rh__run_choice(r, event);
    return c->kind != RH_CHOICE_RESUME || event + 1 == r->event_count || event == r->loop ||
           rh__run_choice(r, event - 1)->actor != c->actor;
}

/* What the event sent, and the events without a row behind it. */
static void sends_of(const struct rh__run *r, uint32_t event, struct rh__text *t)
{
    uint32_t from = rh__run_event(r, event)->first_message, last = event;
    while (last + 1 < r->event_count && !has_row(r, last + 1))
        last++;
    uint32_t to = rh__run_messages_end(r, last);
    uint32_t shown = 0;
    for (uint32_t i = from; i < to; i++) {
        if (rh__run_message(r, i)->taken_by == event &&
            rh__run_message(r, i)->sender == rh__run_message(r, i)->receiver)
            continue; /* the message of a timer */
        if (shown++ == 4) {
            rh__text_add(t, ", ...");
            break;
        }
        rh__text_add(t, "%s%s", shown == 1 ? " -> " : ", ", rh__run_message(r, i)->type->name);
    }
}

static void cell(const struct rh__run *r, uint32_t event, bool with_sends, char *text, size_t size)
{
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
        break;
    case RH_CHOICE_RESUME: {
        const char *place = rh__run_text(r, c->arg), *file = strrchr(place, '/');
        rh__text_add(&t, "goes on (");
        rh__text_add_visible(&t, file ? file + 1 : place);
        rh__text_add(&t, ")");
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
        with_sends = false;
        break;
    case RH_CHOICE_CRASH:
        rh__text_add(&t, "CRASH");
        if (c->arg)
            rh__text_add(&t, ", %u of %u writes kept", c->what, c->arg);
        break;
    default:
        if (rh__is_about_message(c))
            rh__text_add(&t, "%s ", rh__run_message(r, c->what)->type->name);
        rh__text_add(&t, "%s", word ? word : rh_choice_name((enum rh_choice_kind)c->kind));
        break;
    }
    if (c->kind == RH_CHOICE_DELIVER && rh__run_message(r, c->what)->sender != c->actor &&
        !rh__run_message(r, c->what)->life) {
        char from[NAME];
        name_of(r, rh__run_message(r, c->what)->seen_as, from, sizeof from);
        rh__text_add(&t, " < %s", from);
    }
    if (rh__run_goes_on_with_set(r, event) || rh__run_event(r, event)->flags & RH_EVENT_MORE) {
        uint32_t first = rh__run_first_of_set(r, event), last = event;
        while (rh__run_event(r, last)->flags & RH_EVENT_MORE && last + 1 < r->event_count)
            last++;
        rh__text_add(&t, " (%u of %u)", event - first + 1, last - first + 1);
    }
    if (with_sends)
        sends_of(r, event, &t);
}

/* In a long run the end matters most. */
static uint32_t first_shown(const struct rh__run *r, struct rh__text *t)
{
    if (r->event_count <= LONGEST)
        return 0;
    rh__text_add(t, "  (the first %u events are omitted here; the schedule has them all)\n", r->event_count - LONGEST);
    return r->event_count - LONGEST;
}

/* The width of the terminal, if it is one. */
static uint32_t line_width(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < NARROWEST)
        return WIDEST;
    return size.ws_col - 3u;
}

static void back_to_the_loop(const struct rh__run *r, struct rh__text *t)
{
    if (r->loop)
        rh__text_add(t, "      -- back to event %u, in the same state, for ever --\n", r->loop);
}

static bool as_columns(const struct rh__run *r, struct rh__text *t)
{
    uint32_t column_of[MOST_COLUMNS], width[MOST_COLUMNS], columns = 0, total = 5;
    char text[CELL];
    for (uint32_t e = 0; e < r->event_count; e++) {
        uint32_t actor = rh__run_event(r, e)->choice.actor, c = 0;
        if (actor == RH_NONE || !has_row(r, e))
            continue;
        while (c < columns && column_of[c] != actor)
            c++;
        if (c == columns) {
            if (columns == MOST_COLUMNS)
                return false;
            for (; c && column_of[c - 1] > actor; c--) { /* in the order of their spawns */
                column_of[c] = column_of[c - 1];
                width[c] = width[c - 1];
            }
            columns++;
            column_of[c] = actor;
            name_of(r, actor, text, sizeof text);
            width[c] = (uint32_t)strlen(text);
        }
        cell(r, e, false, text, sizeof text);
        if (strlen(text) > width[c])
            width[c] = (uint32_t)strlen(text);
    }
    for (uint32_t c = 0; c < columns; c++)
        total += width[c] + 2;
    if (total > line_width())
        return false;
    uint32_t first = first_shown(r, t);
    rh__text_add(t, "    ");
    for (uint32_t c = 0; c < columns; c++) {
        name_of(r, column_of[c], text, sizeof text);
        rh__text_add(t, "  %-*s", c + 1 < columns ? (int)width[c] : 0, text);
    }
    for (uint32_t e = first; e < r->event_count; e++) {
        if (r->loop && e == r->loop)
            rh__text_add(t, "\n      -- the loop begins --");
        if (!has_row(r, e))
            continue;
        rh__text_add(t, "\n%4u", e);
        uint32_t actor = rh__run_event(r, e)->choice.actor;
        cell(r, e, false, text, sizeof text);
        if (actor == RH_NONE)
            rh__text_add(t, "  -- %s --", text);
        else
            for (uint32_t c = 0; c < columns; c++) {
                if (column_of[c] == actor) {
                    rh__text_add(t, "  %s", text);
                    break;
                }
                rh__text_add(t, "  %-*s", (int)width[c], "");
            }
    }
    rh__text_add(t, "\n");
    back_to_the_loop(r, t);
    return true;
}

static void as_list(const struct rh__run *r, struct rh__text *t)
{
    char name[NAME], text[CELL];
    for (uint32_t e = first_shown(r, t); e < r->event_count; e++) {
        uint32_t actor = rh__run_event(r, e)->choice.actor;
        if (r->loop && e == r->loop)
            rh__text_add(t, "      -- the loop begins --\n");
        if (!has_row(r, e))
            continue;
        name[0] = 0;
        if (actor != RH_NONE)
            name_of(r, actor, name, sizeof name);
        cell(r, e, true, text, sizeof text);
        rh__text_add(t, "%4u  %-24s %s\n", e, name, text);
    }
    back_to_the_loop(r, t);
}

static void last_log_lines(const struct rh__run *r, struct rh__text *t)
{
    bool any = false;
    for (uint32_t a = 0; a < r->actor_count; a++)
        for (uint32_t i = r->line_count; i-- > 0;)
            if (r->lines[i].actor == a) {
                char name[NAME];
                name_of(r, a, name, sizeof name);
                rh__text_add(t, "%s    %s: ", any ? "" : "  last logged:\n", name);
                rh__text_add_visible(t, r->payload + r->lines[i].text);
                rh__text_add(t, "  (event %u)\n", r->lines[i].event);
                any = true;
                break;
            }
}

static void what_is_left(const struct rh__run *r, struct rh__text *t)
{
    bool any = false, waiting = false;
    for (uint32_t i = 0; i < r->message_count; i++) {
        const struct rh__run_message *m = rh__run_message(r, i);
        if (m->taken_by != RH_NONE)
            continue;
        char from[NAME], to[NAME];
        name_of(r, m->seen_as, from, sizeof from);
        name_of(r, m->receiver, to, sizeof to);
        rh__text_add(t, "%s    %s from %s to %s\n", any ? "" : "  still under way:\n", m->type->name, from, to);
        any = true;
    }
    for (uint32_t a = 0; a < r->actor_count; a++) {
        char name[NAME], doing[CELL];
        if (!rh__run_waits(r, a, doing, sizeof doing))
            continue;
        name_of(r, a, name, sizeof name);
        rh__text_add(t, "%s    %s ", waiting ? "" : "  waiting:\n", name);
        rh__text_add_visible(t, doing);
        rh__text_add(t, "\n");
        waiting = true;
    }
}

void rh__story_write(const struct rh__run *r, struct rh__text *t)
{
    if (!as_columns(r, t))
        as_list(r, t);
    last_log_lines(r, t);
    what_is_left(r, t);
}

void rh__findings_describe(struct rh__results *results)
{
    for (uint32_t i = 0; i < results->finding_count; i++) {
        struct rh__finding *f = &results->findings[i];
        char error[128];
        struct rh__text t;
        struct rh__run *r = f->encoded_size ? rh__run_decode(f->encoded, f->encoded_size, error, sizeof error) : NULL;
        RH__ASSERT(r || !f->encoded_size, "a finding keeps what is %s", error);
        rh__text_init(&t, f->schedule, RH__SCHEDULE_BYTES);
        if (r)
            rh__schedule_write(r, &t);
        rh__text_init(&t, f->story, RH__STORY_BYTES);
        if (r)
            rh__story_write(r, &t);
        rh__run_free(r);
    }
}
