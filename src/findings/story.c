/* See story.h.  Rows are events; a cell says what its actor took and from whom.  A world with more actors than fit on a
 * line is told as a list instead, with what each event sent behind an arrow. */
#include "findings/story.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/visible.h"
#include "trace/schedule.h"
#include "world/network.h"
#include "world/state.h"

enum { WIDEST = 132, NARROWEST = 60, MOST_COLUMNS = 12, NAME = 128, CELL = 256, LONGEST = 400 };

static void name_of(const struct rh_world *w, uint32_t actor, char *buffer, size_t size)
{
    char name[NAME * 2];
    struct rh__text t;
    rh_world_actor_name(w, actor, name, sizeof name);
    rh__text_init(&t, buffer, size);
    rh__text_add_visible(&t, name);
}

static void sends_of(const struct rh_world *w, uint32_t event, struct rh__text *t)
{
    uint32_t from = w->events[event].first_message;
    uint32_t to = event + 1 < w->event_count ? w->events[event + 1].first_message : w->message_count;
    uint32_t shown = 0;
    for (uint32_t i = from; i < to; i++) {
        if (w->messages[i].taken_by == event && w->messages[i].sender == w->messages[i].receiver)
            continue; /* a timer's own message */
        if (shown++ == 4) {
            rh__text_add(t, ", ...");
            break;
        }
        rh__text_add(t, "%s%s", shown == 1 ? " -> " : ", ", w->messages[i].type->name);
    }
}

static void cell(const struct rh_world *w, uint32_t event, bool with_sends, char *text, size_t size)
{
    const struct rh_choice *c = &w->events[event].choice;
    struct rh__text t;
    rh__text_init(&t, text, size);
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_DELIVER:
        if (w->messages[c->what].wake) {
            rh__text_add(&t, "time is over");
            break;
        }
        rh__text_add(&t, "%s", rh__message_is_start(&w->messages[c->what]) ? "start" : w->messages[c->what].type->name);
        break;
    case RH_CHOICE_RESUME: {
        const char *place = w->payload + (uint64_t)c->arg * 16, *file = strrchr(place, '/');
        rh__text_add(&t, "goes on (");
        rh__text_add_visible(&t, file ? file + 1 : place);
        rh__text_add(&t, ")");
        break;
    }
    case RH_CHOICE_TIMER:
        rh__text_add(&t, "%s", c->actor == w->clock ? "reaches " : c->arg ? "timer " : "time is over");
        if (c->actor == w->clock || c->arg)
            rh__text_add_visible(&t, w->payload + (uint64_t)c->arg * 16);
        break;
    case RH_CHOICE_VALUE:
        rh__text_add(&t, "chooses %u", c->what);
        break;
    case RH_CHOICE_ACCEPT:
        rh__text_add(&t, "%s accepted", w->messages[c->what].type->name);
        break;
    case RH_CHOICE_LOSE:
        rh__text_add(&t, "%s LOST", w->messages[c->what].type->name);
        break;
    case RH_CHOICE_DUPLICATE:
        rh__text_add(&t, "%s DOUBLED", w->messages[c->what].type->name);
        break;
    case RH_CHOICE_OPEN:
        rh__text_add(&t, "%s", c->what == 0 ? "opens its store" : c->what == 1 ? "STORE NOT OPENED" : "STORE DAMAGED");
        break;
    case RH_CHOICE_UNSTORED:
        rh__text_add(&t, "WRITE FAILED");
        break;
    case RH_CHOICE_CRASH:
        rh__text_add(&t, "CRASH");
        if (c->arg)
            rh__text_add(&t, ", %u of %u writes kept", c->what, c->arg);
        break;
    case RH_CHOICE_RESTART:
        rh__text_add(&t, "RESTART");
        break;
    default:
        rh__text_add(&t, "%s", rh_choice_name((enum rh_choice_kind)c->kind));
        break;
    }
    if (c->kind == RH_CHOICE_DELIVER && w->messages[c->what].sender != c->actor && !w->messages[c->what].life) {
        char from[NAME];
        name_of(w, w->messages[c->what].seen_as, from, sizeof from);
        rh__text_add(&t, " < %s", from);
    }
    if (with_sends)
        sends_of(w, event, &t);
}

/* Long runs: the end matters most. */
static uint32_t first_shown(const struct rh_world *w, struct rh__text *t)
{
    if (w->event_count <= LONGEST)
        return 0;
    rh__text_add(t, "  (the first %u events are left out here; the schedule has them all)\n", w->event_count - LONGEST);
    return w->event_count - LONGEST;
}

/* As wide as the terminal, if it is one. */
static uint32_t line_width(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < NARROWEST)
        return WIDEST;
    return size.ws_col - 3u;
}

static bool as_columns(const struct rh_world *w, struct rh__text *t)
{
    uint32_t column_of[MOST_COLUMNS], width[MOST_COLUMNS], columns = 0, total = 5;
    char text[CELL];
    for (uint32_t e = 0; e < w->event_count; e++) {
        uint32_t actor = w->events[e].choice.actor, c = 0;
        if (actor == RH_NONE)
            continue;
        while (c < columns && column_of[c] != actor)
            c++;
        if (c == columns) {
            if (columns == MOST_COLUMNS)
                return false;
            for (; c && column_of[c - 1] > actor; c--) { /* in the order in which they were spawned */
                column_of[c] = column_of[c - 1];
                width[c] = width[c - 1];
            }
            columns++;
            column_of[c] = actor;
            name_of(w, actor, text, sizeof text);
            width[c] = (uint32_t)strlen(text);
        }
        cell(w, e, false, text, sizeof text);
        if (strlen(text) > width[c])
            width[c] = (uint32_t)strlen(text);
    }
    for (uint32_t c = 0; c < columns; c++)
        total += width[c] + 2;
    if (total > line_width())
        return false;
    uint32_t first = first_shown(w, t);
    rh__text_add(t, "    ");
    for (uint32_t c = 0; c < columns; c++) {
        name_of(w, column_of[c], text, sizeof text);
        rh__text_add(t, "  %-*s", c + 1 < columns ? (int)width[c] : 0, text);
    }
    for (uint32_t e = first; e < w->event_count; e++) {
        rh__text_add(t, "\n%4u", e);
        uint32_t actor = w->events[e].choice.actor;
        cell(w, e, false, text, sizeof text);
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
    return true;
}

static void as_list(const struct rh_world *w, struct rh__text *t)
{
    char name[NAME], text[CELL];
    for (uint32_t e = first_shown(w, t); e < w->event_count; e++) {
        uint32_t actor = w->events[e].choice.actor;
        name[0] = 0;
        if (actor != RH_NONE)
            name_of(w, actor, name, sizeof name);
        cell(w, e, true, text, sizeof text);
        rh__text_add(t, "%4u  %-24s %s\n", e, name, text);
    }
}

static void last_words(const struct rh_world *w, struct rh__text *t)
{
    bool any = false;
    for (uint32_t a = 0; a < w->actor_count; a++)
        for (uint32_t i = w->line_count; i-- > 0;)
            if (w->lines[i].actor == a) {
                char name[NAME];
                name_of(w, a, name, sizeof name);
                rh__text_add(t, "%s    %s: ", any ? "" : "  last logged:\n", name);
                rh__text_add_visible(t, w->payload + w->lines[i].text);
                rh__text_add(t, "  (event %u)\n", w->lines[i].event);
                any = true;
                break;
            }
}

static void what_is_left(const struct rh_world *w, struct rh__text *t)
{
    bool any = false, waiting = false;
    for (uint32_t i = 0; i < w->message_count; i++) {
        const struct message *m = &w->messages[i];
        if (m->taken_by != RH_NONE)
            continue;
        char from[NAME], to[NAME];
        name_of(w, m->seen_as, from, sizeof from);
        name_of(w, m->receiver, to, sizeof to);
        rh__text_add(t, "%s    %s from %s to %s\n", any ? "" : "  still under way:\n", m->type->name, from, to);
        any = true;
    }
    for (uint32_t a = 0; a < w->actor_count; a++) {
        enum status status = (enum status)w->actors[a].status;
        if (status != STATUS_WAITING && status != STATUS_SLEEPING && status != STATUS_SYNCING)
            continue;
        if (status == STATUS_WAITING && w->can_read_stacks && w->actors[a].asking == RH_NONE &&
            w->actors[a].filter->idle)
            continue; /* a server with nothing to do */
        char name[NAME], doing[CELL];
        name_of(w, a, name, sizeof name);
        rh_world_actor_text(w, a, doing, sizeof doing);
        rh__text_add(t, "%s    %s ", waiting ? "" : "  waiting:\n", name);
        rh__text_add_visible(t, doing);
        rh__text_add(t, "\n");
        waiting = true;
    }
}

void rh__story_write(struct rh_world *w, struct rh__text *t)
{
    if (!as_columns(w, t))
        as_list(w, t);
    last_words(w, t);
    what_is_left(w, t);
}

void rh__describe(struct rh_exploration *x, struct rh__finding *f)
{
    struct rh__text t;
    rh__text_init(&t, f->schedule, RH__SCHEDULE_BYTES);
    rh__schedule_write(x->world, &t);
    rh__text_init(&t, f->story, RH__STORY_BYTES);
    rh__story_write(x->world, &t);
}
