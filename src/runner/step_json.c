/* rh__step_json of step_look.h. */
#include <stdlib.h>

#include "findings/changes.h"
#include "report/json_text.h"
#include "report/page.h"
#include "runner/step_look.h"

/* Notes what each event changes, on the way from the beginning to here. */
static struct rh__changes *watch_again(struct rh__stepper *s)
{
    uint32_t events = rh__stepper_event(s);
    struct rh__changes *scenes = rh__scenes_new();
    struct rh__watch *watch = scenes ? rh__watch_new(scenes) : NULL;
    if (watch) {
        rh__stepper_go(s, 1);
        bool good = rh__watch_begin(watch, s->world);
        while (rh__stepper_event(s) < events && rh__stepper_forward(s))
            if (good)
                rh__watch_event(watch, s->world);
    }
    rh__watch_free(watch);
    return scenes;
}

static void put_state(struct rh__stepper *s, const struct rh__step_here *here, const struct rh__changes *scenes,
                      FILE *f)
{
    char text[4096];
    uint32_t count;
    const struct rh_outcome *o = rh_world_outcome(s->world);
    rh__stepper_open(s, &count);
    fprintf(f, "{\"taken\":%u,\"failed\":%s,\"outcome\":", here->taken, rh_outcome_failed(o->kind) ? "true" : "false");
    snprintf(text, sizeof text, "%s: %s", rh_outcome_name(o->kind), o->text);
    rh__json_text(f, text);
    fputs(",\"crash\":", f);
    rh__json_text(f, here->crash);
    fputs(",\"said\":", f);
    rh__json_text(f, here->said);
    fputs(",\"schedule\":", f);
    rh__json_text(f, here->schedule);
    fputs(",\"path\":[", f);
    for (uint32_t i = 0; i < here->taken; i++)
        fprintf(f, "%s%u", i ? "," : "", here->picks[i]);
    fputs("]", f);
    fputs(",\"open\":[", f);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i ? "," : "", f);
        rh__json_text(f, rh__step_look_choice(s, i, text, sizeof text));
    }
    fputs("],\"run\":", f);
    rh__page_run_json(f, rh__world_run(s->world), scenes, 0);
    fputs("}", f);
}

void rh__step_json(struct rh__stepper *s, const struct rh__step_here *here, FILE *to)
{
    char *line = NULL;
    size_t size = 0;
    struct rh__changes *scenes = watch_again(s);
    FILE *f = scenes ? open_memstream(&line, &size) : NULL;
    if (f) {
        put_state(s, here, scenes, f);
        fclose(f);
        for (size_t i = 0; i < size; i++) /* texts have no line breaks, only the form has */
            line[i] = line[i] == '\n' ? ' ' : line[i];
        fwrite(line, 1, size, to);
        fputc('\n', to);
    } else {
        fputs("{}\n", to);
    }
    free(line);
    rh__changes_free(scenes);
}
