/* See json_story.h. */
#include "report/json_story.h"

#include "findings/changes.h"
#include "findings/event_text.h"
#include "report/json_text.h"
#include "run/encode.h"

enum { MOST_EVENTS = 10000, TEXT = 1024, NAME = 256 };

static void put_text(FILE *f, const char *name, const char *text)
{
    fprintf(f, ",\"%s\":", name);
    rh__json_text(f, text);
}

static void put_actor(FILE *f, const char *name, const struct rh__run *r, uint32_t actor)
{
    char text[NAME];
    if (actor >= r->actor_count) {
        fprintf(f, ",\"%s\":null", name);
        return;
    }
    rh__event_actor(r, actor, text, sizeof text);
    put_text(f, name, text);
}

static void put_sends(FILE *f, const struct rh__run *r, uint32_t event)
{
    char text[TEXT];
    bool first = true;
    fputs(",\"sends\":[", f);
    for (uint32_t i = rh__run_event(r, event)->first_message; i < rh__run_messages_end(r, event); i++) {
        const struct rh__run_message *m = rh__run_message(r, i);
        if (m->wake || rh__is_start(m))
            continue;
        fputs(first ? "{\"message\":" : ",{\"message\":", f);
        rh__json_text(f, m->type->name);
        put_actor(f, "to", r, m->receiver);
        put_text(f, "values", rh__message_values(r, i, text, sizeof text));
        fputc('}', f);
        first = false;
    }
    fputc(']', f);
}

static void put_log(FILE *f, const struct rh__run *r, uint32_t event)
{
    bool first = true;
    fputs(",\"log\":[", f);
    for (uint32_t i = 0; i < r->line_count; i++)
        if (r->lines[i].event == event) {
            fputs(first ? "" : ",", f);
            rh__json_text(f, r->payload + r->lines[i].text);
            first = false;
        }
    fputc(']', f);
}

static void put_event(FILE *f, const struct rh__run *r, const struct rh__changes *c, uint32_t event)
{
    const struct rh_choice *choice = rh__run_choice(r, event);
    char text[TEXT];
    fprintf(f, "{\"event\":%u,\"choice\":\"%s\"", event, rh_choice_name((enum rh_choice_kind)choice->kind));
    put_actor(f, "actor", r, choice->actor);
    rh__event_text(r, event, RH__EVENT_SENDER, text, sizeof text);
    put_text(f, "text", text);
    if (rh__is_about_message(choice)) {
        put_text(f, "message", rh__run_message(r, choice->what)->type->name);
        put_actor(f, "from", r, rh__run_message(r, choice->what)->seen_as);
    }
    put_text(f, "values", rh__event_values(r, event, text, sizeof text));
    put_text(f, "changes", rh__changes_text(c, r, event, event, text, sizeof text));
    put_sends(f, r, event);
    put_log(f, r, event);
    fputc('}', f);
}

void rh__json_story(FILE *f, const struct rh__result *r, const struct rh__finding *g)
{
    char error[128];
    struct rh__run *run = g->encoded_size ? rh__run_decode(g->encoded, g->encoded_size, error, sizeof error) : NULL;
    if (!run) {
        fputs("null", f);
        return;
    }
    uint32_t first = run->event_count > MOST_EVENTS ? run->event_count - MOST_EVENTS : 0;
    struct rh__changes *c = rh__changes_new();
    bool noted = c && !r->x->end.interrupted &&
                 rh__changes_note(c, r->world, run, first, rh__events_to_watch(run, g->outcome.kind));
    fputc('[', f);
    for (uint32_t e = first; e < run->event_count; e++) {
        fputs(e > first ? "," : "", f);
        put_event(f, run, noted ? c : NULL, e);
    }
    fputc(']', f);
    rh__changes_free(c);
    rh__run_free(run);
}
