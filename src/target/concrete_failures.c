/* See concrete_failures.h. */
#include "target/concrete_failures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* The first line of the text of `"name":"..."` behind `json`; NULL if there is none before `end`. */
static char *text_of(const char *json, const char *end, const char *name)
{
    const char *at = strstr(json, name);
    if (!at || at >= end)
        return NULL;
    char *text = malloc((size_t)(end - at) + 1), *to = text;
    RH__ASSERT(text, "no memory for a failure");
    for (at += strlen(name); *at && *at != '"'; at++) {
        if (*at == '\\' && at[1] == 'n')
            break; /* advice for people follows */
        at += *at == '\\' && at[1];
        *to++ = *at;
    }
    *to = 0;
    return text;
}

static bool is_known(const struct rh__concrete *c, const struct rh__failed_run *x)
{
    for (uint32_t i = 0; i < c->failure_count; i++)
        if (strcmp(c->failures[i].kind, x->kind) == 0 && strcmp(c->failures[i].place, x->place) == 0)
            return true;
    return false;
}

/* The failures in the program's JSON, with their schedules. */
void rh__concrete_keep_failures(struct rh__concrete *c, const char *json)
{
    static const char begins[] = "{\"kind\":\"";
    const char *at = strstr(json, "\"failures\":[");
    for (at = at ? strstr(at, begins) : NULL; at && c->failure_count < RH__CONCRETE_FAILURES;) {
        const char *next = strstr(at + 1, begins), *end = next ? next : at + strlen(at);
        struct rh__failed_run x = { .kind = text_of(at, end, "\"kind\":\""),
                                    .message = text_of(at, end, "\"message\":\""),
                                    .place = text_of(at, end, "\"place\":\""),
                                    .schedule = text_of(at, end, "\"schedule\":\"") };
        if (!x.place)
            x.place = strdup("");
        if (x.schedule) {
            char *name = x.schedule;
            x.schedule = rh__concrete_read_file(name);
            free(name);
        }
        uint32_t room = c->failure_count;
        c->failures[room] = x;
        if (x.kind && x.message && x.place && x.schedule && *x.schedule && !is_known(c, &x)) {
            c->failure_count++;
        } else {
            free(x.kind), free(x.message), free(x.place), free(x.schedule);
        }
        at = next;
    }
}

void rh__concrete_release(struct rh__concrete *c)
{
    for (uint32_t i = 0; i < c->failure_count; i++) {
        char *texts[] = { c->failures[i].kind, c->failures[i].message, c->failures[i].place, c->failures[i].schedule,
                          c->failures[i].saved };
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            free(texts[k]);
    }
    c->failure_count = 0;
}
