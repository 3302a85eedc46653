/* See job.h. */
#include "runner/job.h"

#include <stdio.h>
#include <string.h>

#include "runner/commands.h"
#include "runner/schedule_plan.h"

enum { VERSION = 1, KEEP_GOING = 1, UNCHECKED = 2, MUTE = 4, ALL_FLAGS = 7, HEAD_BYTES = 1 << 16 };

/* The name of an explorer with options.  It cannot name a file. */
static bool is_explorer(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-:(),.= +";
    return strlen(text) < 1024 && *text && text[strspn(text, allowed)] == 0 && !strstr(text, "replay") &&
           !strstr(text, "reach") && !strstr(text, "worlds");
}

static bool write_head(const struct rh__plan *p, char *buffer, size_t size)
{
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    rh__text_add(&t, "rehearse schedule %d\ntest %s\n", RH__SCHEDULE_VERSION, p->test->name);
    rh__semantics_write(&p->semantics, &p->test->semantics, &t);
    for (size_t i = 0; i < p->param_count; i++) {
        rh__text_add(&t, "set param.");
        rh__text_escape(&t, p->params[i].name);
        rh__text_add(&t, "=");
        rh__text_escape(&t, p->params[i].value);
        rh__text_add(&t, "\n");
    }
    return !t.cut;
}

bool rh__job_write(const struct rh__session *s, struct rh__writer *w, char *error, size_t error_size)
{
    const struct rh__plan *p = &s->plan;
    static char head[HEAD_BYTES];
    if (!is_explorer(p->explorer)) {
        snprintf(error, error_size, "explorer %s names something of this machine, so agents cannot have it",
                 p->explorer);
        return false;
    }
    if (!write_head(p, head, sizeof head)) {
        snprintf(error, error_size, "parameters and settings are too long for a job");
        return false;
    }
    rh__put_small(w, VERSION);
    rh__put_text(w, head);
    rh__put_text(w, p->explorer);
    rh__put64(w, s->x->seed);
    rh__put_small(w, (p->limits.keep_going ? KEEP_GOING : 0) | (p->limits.unchecked ? UNCHECKED : 0) |
                         (p->mute ? MUTE : 0));
    rh__put_small(w, s->x->results->coverage ? s->x->results->coverage->criteria : 0);
    return !w->full;
}

bool rh__job_read(struct rh__read_job *j, const void *bytes, size_t size, char *error, size_t error_size)
{
    static const struct rh__options none;
    char why[512];
    struct rh__reader r = rh__reader_of(bytes, size);
    *j = (struct rh__read_job){ 0 };
    bool good = rh__get_small(&r) == VERSION;
    const char *head = rh__get_text(&r), *explorer = rh__get_text(&r);
    uint64_t seed = rh__get64(&r), flags = rh__get_small(&r), criteria = rh__get_small(&r);
    if (!good || !rh__reader_done(&r) || flags > ALL_FLAGS || criteria >> RH__CRITERION_COUNT ||
        !is_explorer(explorer)) {
        snprintf(error, error_size, "the job on the server makes no sense to this version of rehearse");
        return false;
    }
    if (!rh__schedule_parse(&j->schedule, head, strlen(head), why, sizeof why) || !j->schedule.test) {
        snprintf(error, error_size, "the job on the server makes no sense: its head cannot be read");
        rh__schedule_release(&j->schedule);
        return false;
    }
    if (j->schedule.line_count || !rh__schedule_plan(&j->schedule, &none, &j->plan, j->params, why, sizeof why)) {
        snprintf(error, error_size, "the job on the server does not fit this program: %s",
                 j->schedule.line_count ? "it has events" : why);
        rh__schedule_release(&j->schedule);
        return false;
    }
    snprintf(j->explorer, sizeof j->explorer, "%s", explorer);
    j->plan.explorer = j->explorer;
    j->plan.semantics.seed = seed;
    j->plan.limits = (struct rh__limits){ .keep_going = flags & KEEP_GOING, .unchecked = flags & UNCHECKED };
    j->plan.mute = flags & MUTE;
    j->plan.quiet = true;
    j->criteria = (uint32_t)criteria;
    return true;
}

void rh__job_release(struct rh__read_job *j)
{
    rh__schedule_release(&j->schedule);
}
