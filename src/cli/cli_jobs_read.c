/* See cli_jobs_read.h. */
#include "cli/cli_jobs_read.h"

#include <hiredis/hiredis.h>
#include <stdio.h>
#include <string.h>

enum { MOST_JOBS = 1000 };
enum { SPEC, SUMS, OPEN, AGENTS, TIME }; /* parts of a view */

struct rh__reply *rh__jobs_say(struct rh__jobs *j, struct rh__reply *r)
{
    if (r && r->type != REDIS_REPLY_ERROR)
        return r;
    if (r)
        snprintf(j->error, sizeof j->error, "the server refuses: %.300s", r->text);
    j->failed = true;
    rh__reply_free(r);
    return NULL;
}

static const char *text_of(const struct rh__reply *r, size_t i)
{
    const struct rh__reply *one = rh__reply_part(r, i);
    return rh__reply_is_text(one) ? one->text : "";
}

static double number_of(const struct rh__reply *r, size_t i)
{
    return (double)rh__reply_number(rh__reply_part(r, i));
}

static bool read_parts(struct rh__jobs *j, struct rh__reply **parts)
{
    char key[128], tot[128], work[128], agents[128];
    struct rh__server *s = j->server;
    rh__server_key(s, "spec", key, sizeof key);
    rh__server_key(s, "tot", tot, sizeof tot);
    rh__server_key(s, "work", work, sizeof work);
    rh__server_key(s, "agents", agents, sizeof agents);
    return (parts[SPEC] =
                rh__jobs_say(j, rh__wire_say(s->wire, j->error, sizeof j->error, "HMGET", key, "state", "owner",
                                             "program", "generation", "seen", "begun", "lease", "binding", "ended",
                                             "runs", "steps", "findings", "commits", NULL))) &&
           (parts[SUMS] = rh__jobs_say(j, rh__wire_say(s->wire, j->error, sizeof j->error, "HMGET", tot, "runs",
                                                       "steps", "findings", "workers", "commits", NULL))) &&
           (parts[OPEN] = rh__jobs_say(j, rh__wire_say(s->wire, j->error, sizeof j->error, "XLEN", work, NULL))) &&
           (parts[AGENTS] =
                rh__jobs_say(j, rh__wire_say(s->wire, j->error, sizeof j->error, "ZRANGE", agents, "0", "-1", NULL))) &&
           (parts[TIME] = rh__jobs_say(j, rh__wire_say(s->wire, j->error, sizeof j->error, "TIME", NULL)));
}

bool rh__jobs_read(struct rh__jobs *j, const char *name, struct rh__job_view *v)
{
    char *own = j->server->setup.address.job;
    *v = (struct rh__job_view){ 0 };
    if (name != own)
        snprintf(own, sizeof j->server->setup.address.job, "%s", name);
    snprintf(v->name, sizeof v->name, "%s", own);
    if (!read_parts(j, v->parts))
        return false;
    const struct rh__reply *spec = v->parts[SPEC], *sums = v->parts[SUMS];
    const char *state = text_of(spec, 0);
    double now = number_of(v->parts[TIME], 0), seen = now - number_of(spec, 4) / 1000;
    bool works = strcmp(state, "running") == 0 || strcmp(state, "paused") == 0;
    v->state = strcmp(state, "paused") == 0 ? "stopped" : state;
    v->owner = text_of(spec, 1);
    v->program = text_of(spec, 2);
    v->settings = text_of(spec, 7);
    v->generation = rh__reply_number(rh__reply_part(spec, 3));
    v->seconds = now - number_of(spec, 5) / 1000;
    v->seen = seen > 0 ? seen : 0;
    v->silent = works && seen > 2e-3 * number_of(spec, 6);
    if (*text_of(sums, 0)) {
        v->runs = number_of(sums, 0);
        v->steps = number_of(sums, 1);
        v->findings = rh__reply_number(rh__reply_part(sums, 2));
        v->workers = rh__reply_number(rh__reply_part(sums, 3));
        v->commits = rh__reply_number(rh__reply_part(sums, 4));
    } else { /* no generation is under way: how far the last one came */
        v->seconds = *text_of(spec, 8) ? (number_of(spec, 8) - number_of(spec, 5)) / 1000 : 0;
        v->runs = number_of(spec, 9);
        v->steps = number_of(spec, 10);
        v->findings = rh__reply_number(rh__reply_part(spec, 11));
        v->commits = rh__reply_number(rh__reply_part(spec, 12));
    }
    v->open = rh__reply_number(v->parts[OPEN]);
    v->agents = v->parts[AGENTS]->count;
    return *state != 0;
}

const char *rh__job_agent(const struct rh__job_view *v, size_t i)
{
    return text_of(v->parts[AGENTS], i);
}

void rh__job_release(struct rh__job_view *v)
{
    for (size_t i = 0; i < sizeof v->parts / sizeof *v->parts; i++)
        rh__reply_free(v->parts[i]);
    *v = (struct rh__job_view){ 0 };
}

uint32_t rh__jobs_each(struct rh__jobs *j, void tell(void *arg, const struct rh__job_view *v), void *arg)
{
    char cursor[32] = "0";
    uint32_t found = 0;
    do {
        struct rh__reply *r = rh__jobs_say(j, rh__wire_say(j->server->wire, j->error, sizeof j->error, "SCAN", cursor,
                                                           "MATCH", "{rh:*}:spec", "COUNT", "1000", NULL));
        const struct rh__reply *keys = rh__reply_part(r, 1);
        snprintf(cursor, sizeof cursor, "%s", r ? text_of(r, 0) : "0");
        for (size_t i = 0; keys && i < keys->count && found < MOST_JOBS && !j->failed; i++) {
            char name[64];
            struct rh__job_view v;
            const char *key = text_of(keys, i);
            size_t n = strlen(key);
            if (n < 10 || n - 10 >= sizeof name)
                continue;
            snprintf(name, sizeof name, "%.*s", (int)(n - 10), key + 4); /* {rh:NAME}:spec */
            if (rh__jobs_read(j, name, &v)) {
                tell(arg, &v);
                found++;
            }
            rh__job_release(&v);
        }
        rh__reply_free(r);
    } while (!j->failed && strcmp(cursor, "0") != 0 && *cursor && found < MOST_JOBS);
    return found;
}
