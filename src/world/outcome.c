/* See outcome.h. */
#include "world/outcome.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "world/fiber.h"
#include "world/log.h"
#include "world/memory.h"

const char *rh_outcome_name(enum rh_outcome_kind kind)
{
    static const char *const names[] = {
#define RH_X(name, text) text,
        RH_OUTCOMES(RH_X)
#undef RH_X
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

const char *rh_choice_name(enum rh_choice_kind kind)
{
    static const char *const names[] = {
#define RH_X(name, text) text,
        RH_CHOICES(RH_X)
#undef RH_X
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

static void record(struct rh_world *w, enum rh_outcome_kind kind, uint32_t actor, const char *place, const char *format,
                   va_list args)
{
    if (w->over)
        return; /* the first thing that goes wrong counts */
    put32(w, &w->over, 1);
    w->outcome.kind = kind;
    w->outcome.actor = actor;
    snprintf(w->outcome.place, sizeof w->outcome.place, "%s", place);
    vsnprintf(w->outcome.text, sizeof w->outcome.text, format, args);
}

void rh__fail(struct rh_world *w, enum rh_outcome_kind kind, uint32_t actor, const char *place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(w, kind, actor, place, format, args);
    va_end(args);
}

void rh__fail_inside(struct rh_world *w, enum rh_outcome_kind kind, const char *place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(w, kind, code_of(w), place, format, args);
    va_end(args);
    rh__fiber_abandon(w);
}

void rh__misuse(struct rh_world *w, const char *place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (w->inside) {
        record(w, RH_OUTCOME_MISUSE, code_of(w), place, format, args);
        va_end(args);
        rh__fiber_abandon(w);
    }
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rh__complain("%s: %s", place, text);
}

void rh__note(struct rh_world *w, uint32_t actor, const char *text)
{
    if (w->line_count == MAX_LINES)
        return;
    struct line *line = &w->lines[w->line_count];
    line->text = rh__payload_text(w, text);
    line->event = w->event_count - 1;
    line->actor = actor;
    put32(w, &w->line_count, w->line_count + 1);
}

/* ---- the end of a run in which nothing went wrong ------------------------------------------------------------------ */

static bool blocked_for_ever(const struct rh_world *w, uint32_t actor)
{
    const struct actor *a = &w->actors[actor];
    if (actor == 0 && rh__test_is_over(w))
        return false;
    if (a->status == STATUS_WAITING)
        return a->asking != RH_NONE || !a->filter->idle;
    return a->status == STATUS_SLEEPING || a->status == STATUS_SYNCING || a->status == STATUS_PREEMPTED;
}

/* Messages that an idle actor keeps putting off. */
static uint32_t deferred_for_ever(const struct rh_world *w, uint32_t actor)
{
    uint32_t n = 0;
    if (w->actors[actor].status != STATUS_IDLE || !w->under_way)
        return 0;
    for (uint32_t c = w->actors[actor].channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t m = w->channels[c].first; m != RH_NONE; m = w->messages[m].next)
            n++;
    return n;
}

/* One that asked, and to which the one it asked has sent something else: a mistake that is easily made. */
static const struct message *answer_by_send(const struct rh_world *w, const struct actor *a)
{
    if (a->status != STATUS_WAITING || a->asking >= w->message_count)
        return NULL;
    for (uint32_t c = a->channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next)
            if (w->messages[i].sender == w->messages[a->asking].receiver)
                return &w->messages[i];
    return NULL;
}

static bool stuck(struct rh_world *w)
{
    struct rh__text t;
    uint32_t count = 0, first = RH_NONE;
    bool receives = false;
    if (!w->stack_count && !w->under_way)
        return false; /* nobody was ever suspended, and no message is left */
    rh__text_init(&t, w->outcome.text, sizeof w->outcome.text);
    for (uint32_t i = 0; i < w->actor_count; i++) {
        uint32_t put_off = deferred_for_ever(w, i);
        if (!blocked_for_ever(w, i) && !put_off)
            continue;
        char name[128], doing[256];
        rh_world_actor_name(w, i, name, sizeof name);
        rh_world_actor_text(w, i, doing, sizeof doing);
        rh__text_add(&t, "%s%s %s", count++ ? "\n" : "nobody can move: ", name, doing);
        if (put_off)
            rh__text_add(&t, ", with %u deferred message%s left", put_off, put_off == 1 ? "" : "s");
        const struct message *sent = answer_by_send(w, &w->actors[i]);
        if (sent)
            rh__text_add(&t, "; %s from it is no reply: rh_ask is answered by rh_reply", sent->type->name);
        receives |= i != 0 && w->actors[i].status == STATUS_WAITING && w->actors[i].asking == RH_NONE;
        if (first == RH_NONE)
            first = i;
    }
    if (!count)
        return false;
    if (receives)
        rh__text_add(&t, "\n(a server that may wait in a receive for ever says so there: .idle = true)");
    w->outcome.kind = RH_OUTCOME_STUCK;
    w->outcome.actor = first;
    snprintf(w->outcome.place, sizeof w->outcome.place, "%s",
             blocked_for_ever(w, first) && w->actors[first].place ? w->actors[first].place : "");
    return true;
}

void rh__conclude(struct rh_world *w)
{
    if (stuck(w))
        return;
    for (uint32_t i = 0; i < w->monitor_count; i++) {
        const struct actor *m = &w->actors[w->monitors[i]];
        if (m->behaviour->hot) {
            w->outcome.kind = RH_OUTCOME_MONITOR;
            w->outcome.actor = w->monitors[i];
            w->outcome.place[0] = 0;
            snprintf(w->outcome.text, sizeof w->outcome.text, "the run ends while monitor %s is in hot behaviour %s",
                     m->type->name, m->behaviour->name);
            return;
        }
    }
    for (uint32_t i = 0; i < w->property_count; i++) {
        const struct property *p = &w->properties[i];
        if (p->kind == RH_EVENTUALLY && (p->run & LAST) == LAST_FALSE) {
            w->outcome.kind = RH_OUTCOME_PROPERTY;
            w->outcome.actor = RH_NONE;
            snprintf(w->outcome.place, sizeof w->outcome.place, "%s", p->place);
            snprintf(w->outcome.text, sizeof w->outcome.text, "eventually `%s` does not hold at the end of the run",
                     p->name);
            return;
        }
    }
    static const char finished[] = "nothing is left to do";
    w->outcome.kind = RH_OUTCOME_FINISHED;
    w->outcome.actor = RH_NONE;
    w->outcome.place[0] = 0;
    memcpy(w->outcome.text, finished, sizeof finished);
}

/* A program with a periodic timer never comes to rest, and need not.  One that goes on for thousands of events with
 * messages alone is a circle.  A limit below that was set to cut runs, not to find such programs. */
void rh__conclude_cut(struct rh_world *w)
{
    enum { LONG = 10000 };
    bool driven = w->event_count < LONG;
    w->outcome.kind = RH_OUTCOME_CUT;
    snprintf(w->outcome.text, sizeof w->outcome.text, "the run was cut after %u events (max_steps)",
             w->event_count - 1);
    for (uint32_t i = w->event_count / 2; i < w->event_count && !driven; i++)
        driven = w->events[i].choice.kind == RH_CHOICE_TIMER;
    if (driven)
        return;
    w->outcome.kind = RH_OUTCOME_ENDLESS_RUN;
    w->outcome.actor = w->events[w->event_count - 1].choice.actor;
    snprintf(w->outcome.text, sizeof w->outcome.text,
             "the run has not come to rest after %u events, and no timer drives "
             "it: messages go in a circle",
             w->event_count - 1);
}
