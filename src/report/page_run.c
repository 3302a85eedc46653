/* A run as JSON, for the page (page.h).  Rows are lists, because there are many:
 *
 *     actors    [name, type, event of birth, is a monitor, is outside]
 *     events    [kind, actor or -1, what happened, values, event that set the timer or -1, flags, message or -1]
 *     messages  [type, sender, receiver, event of the send, event that took it or -1, values, flags]
 *     lines     [event, actor, text]
 *     changes   [event, actor or -1, kind, text], kinds as in findings/changes.h
 *     accesses  [event, number of the object, changed it]
 *     waits     [actor, text]
 */
#include <stdlib.h>

#include "findings/event_text.h"
#include "report/json_text.h"
#include "report/page.h"

enum { VALUE = 1024, TEXT = 512 };

/* Of events and of messages; page.js has the same numbers. */
enum { EVENT_ROW = 1, EVENT_FAULT = 2, EVENT_TIMER = 4, EVENT_CRASH = 8, EVENT_RESTART = 16 };
enum { MESSAGE_DELIVERED = 1, MESSAGE_START = 2, MESSAGE_OWN = 4 };

static long index_of(uint32_t i)
{
    return i == RH_NONE ? -1L : (long)i;
}

static void put_actors(FILE *f, const struct rh__run *r)
{
    char name[256];
    fputs("\"actors\":[", f);
    for (uint32_t a = 0; a < r->actor_count; a++) {
        const struct rh__run_actor *actor = rh__run_actor(r, a);
        bool monitor = false;
        for (uint32_t i = 0; i < r->monitor_count; i++)
            monitor |= r->monitors[i] == a;
        rh__event_actor(r, a, name, sizeof name);
        fputs(a ? ",[" : "[", f);
        rh__json_text(f, name);
        fputc(',', f);
        rh__json_text(f, actor->type ? actor->type->name : "");
        fprintf(f, ",%ld,%d,%d]", index_of(actor->born), monitor, rh__run_is_outside(r, a));
    }
    fputc(']', f);
}

static unsigned flags_of_event(const struct rh__run *r, uint32_t e)
{
    const struct rh_choice *c = rh__run_choice(r, e);
    return (rh__event_has_row(r, e) ? EVENT_ROW : 0u) | (rh__is_fault(c) ? EVENT_FAULT : 0u) |
           (c->kind == RH_CHOICE_TIMER ? EVENT_TIMER : 0u) | (c->kind == RH_CHOICE_CRASH ? EVENT_CRASH : 0u) |
           (c->kind == RH_CHOICE_RESTART ? EVENT_RESTART : 0u);
}

static void put_events(FILE *f, const struct rh__run *r)
{
    char text[VALUE];
    fputs(",\"events\":[", f);
    for (uint32_t e = 0; e < r->event_count; e++) {
        const struct rh_event *event = rh__run_event(r, e);
        bool about = rh__is_about_message(&event->choice);
        fprintf(f, "%s[\"%s\",%ld,", e ? ",\n" : "", rh_choice_name((enum rh_choice_kind)event->choice.kind),
                event->choice.actor < r->actor_count ? (long)event->choice.actor : -1L);
        rh__event_text(r, e, 0, text, TEXT);
        rh__json_text(f, text);
        fputc(',', f);
        rh__json_text(f, rh__event_values(r, e, text, sizeof text));
        fprintf(f, ",%ld,%u,%ld]", index_of(event->set_by), flags_of_event(r, e),
                about ? (long)event->choice.what : -1L);
    }
    fputc(']', f);
}

static void put_messages(FILE *f, const struct rh__run *r)
{
    char text[VALUE];
    fputs(",\"messages\":[", f);
    for (uint32_t i = 0; i < r->message_count; i++) {
        const struct rh__run_message *m = rh__run_message(r, i);
        bool delivered = m->taken_by != RH_NONE && rh__run_is_delivery(r, m->taken_by, i);
        fputs(i ? ",\n[" : "[", f);
        rh__json_text(f, rh__is_start(m) ? "start" : m->wake ? "time is over" : m->type->name);
        fprintf(f, ",%ld,%ld,%u,%ld,", index_of(m->seen_as), index_of(m->receiver), m->event, index_of(m->taken_by));
        rh__json_text(f, rh__message_values(r, i, text, sizeof text));
        fprintf(f, ",%u]",
                (delivered ? MESSAGE_DELIVERED : 0u) | (rh__is_start(m) ? MESSAGE_START : 0u) |
                    (m->sender == m->receiver ? MESSAGE_OWN : 0u));
    }
    fputc(']', f);
}

/* What the program printed is beside what it logged. */
static void put_prints(FILE *f, const struct rh__run *r, const struct rh__changes *c)
{
    char text[VALUE];
    for (uint32_t i = 0; i < c->print_count; i++) {
        const struct rh__print *p = &c->prints[i];
        uint32_t actor = rh__run_choice(r, p->event)->actor;
        snprintf(text, sizeof text, "(printed) %.*s", (int)(p->to - p->from), c->printed + p->from);
        fprintf(f, "%s[%u,%ld,", i || r->line_count ? "," : "", p->event,
                actor < r->actor_count ? (long)actor
                : p->event             ? -1L
                                       : 0L);
        rh__json_text(f, text);
        fputc(']', f);
    }
}

static void put_lines(FILE *f, const struct rh__run *r, const struct rh__changes *c)
{
    fputs(",\"lines\":[", f);
    for (uint32_t i = 0; i < r->line_count; i++) {
        fprintf(f, "%s[%u,%ld,", i ? "," : "", r->lines[i].event, index_of(r->lines[i].actor));
        rh__json_text(f, r->payload + r->lines[i].text);
        fputc(']', f);
    }
    put_prints(f, r, c);
    fputc(']', f);
}

static void put_changes(FILE *f, const struct rh__changes *c)
{
    fputs(",\"changes\":[", f);
    for (uint32_t i = 0; i < c->count; i++) {
        fprintf(f, "%s[%u,%ld,%u,", i ? ",\n" : "", c->at[i].event, index_of(c->at[i].actor), c->at[i].kind);
        rh__json_text(f, c->texts + c->at[i].text);
        fputc(']', f);
    }
    fprintf(f, "],\"watched\":%u,\"full\":%s", c->watched, c->full ? "true" : "false");
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Objects are hashes: the page gets small numbers. */
static void put_accesses(FILE *f, const struct rh__run *r)
{
    uint64_t *objects = calloc(r->access_count ? r->access_count : 1, sizeof *objects);
    fputs(",\"accesses\":[", f);
    for (uint32_t i = 0; objects && i < r->access_count; i++)
        objects[i] = r->accesses[i].object;
    if (objects)
        qsort(objects, r->access_count, sizeof *objects, by_value);
    for (uint32_t i = 0; objects && i < r->access_count; i++) {
        const uint64_t *at = bsearch(&r->accesses[i].object, objects, r->access_count, sizeof *objects, by_value),
                       *first = at;
        while (first > objects && first[-1] == *at)
            first--;
        fprintf(f, "%s[%u,%u,%d]", i ? "," : "", r->accesses[i].event, (unsigned)(first - objects),
                r->accesses[i].wrote != 0);
    }
    fputc(']', f);
    free(objects);
}

static void put_waits(FILE *f, const struct rh__run *r)
{
    char doing[RH__RUN_WAIT_BYTES];
    const char *comma = "";
    fputs(",\"waits\":[", f);
    for (uint32_t a = 0; a < r->actor_count; a++)
        if (rh__run_waits(r, a, doing, sizeof doing)) {
            fprintf(f, "%s[%u,", comma, a);
            rh__json_text(f, doing);
            fputc(']', f);
            comma = ",";
        }
    fputc(']', f);
}

void rh__page_run_json(FILE *f, const struct rh__run *run, const struct rh__changes *scenes, uint32_t decisive)
{
    fputc('{', f);
    put_actors(f, run);
    put_events(f, run);
    put_messages(f, run);
    put_lines(f, run, scenes);
    put_changes(f, scenes);
    put_accesses(f, run);
    put_waits(f, run);
    fprintf(f, ",\"loop\":%u,\"decisive\":%u}", run->loop, decisive);
}
