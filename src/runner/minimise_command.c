/* minimise: replays a failing schedule, makes its run smaller (findings/minimise.h), tells it, and keeps the smaller
 * schedule. */
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "explore/explorers.h"
#include "findings/keep.h"
#include "runner/commands.h"
#include "runner/keep_schedules.h"
#include "runner/schedule_plan.h"

/* Gives an exit code. */
static int tell(const struct rh__session *s, const struct rh__options *o)
{
    const struct rh__finding *f = &s->x->results->findings[0];
    struct rh__keeping k = { o->save ? o->save : "rehearse-findings", s->plan.program, s->plan.test->name,
                             rh__model_name(s->plan.semantics.model) };
    static char failure[sizeof f->outcome.text + sizeof f->outcome.place + sizeof f->reason + sizeof f->decided + 512];
    char path[512], error[512], text[256];
    struct rh__text t;
    bool kept;
    if (!o->quiet)
        rh__print_lines_visible(stdout, f->story);
    rh__text_init(&t, failure, sizeof failure);
    rh__finding_tell(f, &t);
    rh__print_lines_visible(stdout, failure);
    putchar('\n');
    printf("%s\n", rh__minimised_text(f, text, sizeof text));
    if (!*k.folder)
        return RH__EXIT_FAILURE;
    if (!rh__keep_folder(k.folder, error, sizeof error) ||
        !rh__finding_keep(&k, f, path, sizeof path, &kept, error, sizeof error)) {
        rh__complain("%s", error);
        return RH__EXIT_TOOL;
    }
    rh__finding_latest(k.folder, path);
    printf("replay it%s: rehearse replay ", kept ? " (a shorter run, found earlier)" : "");
    rh__print_visible(stdout, s->plan.program, SIZE_MAX);
    putchar(' ');
    rh__print_visible(stdout, path, SIZE_MAX);
    putchar('\n');
    return RH__EXIT_FAILURE;
}

static int minimise(struct rh__session *s, const struct rh__options *o, const char *path)
{
    int code = rh__session_run(s);
    if (code != RH__EXIT_OK)
        return code;
    const char *divergence = rh__replay_divergence(s->x->explorer.state);
    if (*divergence) {
        rh__print_visible(stdout, path, SIZE_MAX);
        printf(": ");
        rh__print_lines_visible(stdout, divergence);
        putchar('\n');
        return RH__EXIT_DIVERGED;
    }
    if (!s->x->results->finding_count) {
        printf("nothing failed\n");
        return RH__EXIT_OK;
    }
    return tell(s, o);
}

int rh__command_minimise(const char *program, const struct rh__options *o)
{
    struct rh__schedule schedule;
    struct rh_param params[2 * RH__MOST_PARAMS];
    struct rh__session s = { 0 };
    struct rh__shrink_limits limits = { o->limits.max_runs, o->limits.max_all_steps }; /* as many as there are */
    struct rh__plan plan = { .program = program,
                             .limits = { .max_runs = 1, .keep_going = true, .unchecked = o->limits.unchecked },
                             .quiet = o->quiet,
                             .mute = true,
                             .minimise = true,
                             .explain = !o->quiet,
                             .minimise_limits = &limits };
    char explorer[4200], error[1024];
    if (o->word_count != 1) {
        rh__complain("minimise wants one schedule");
        return RH__EXIT_USAGE;
    }
    if (!rh__schedule_read(&schedule, o->words[0], error, sizeof error)) {
        rh__complain("%s", error);
        return RH__EXIT_USAGE;
    }
    snprintf(explorer, sizeof explorer, "replay:%s", o->words[0]);
    plan.explorer = explorer;
    int code = RH__EXIT_USAGE;
    if (rh__schedule_plan(&schedule, o, &plan, params, error, sizeof error)) {
        code = rh__session_open(&s, &plan);
        if (code == RH__EXIT_OK)
            code = minimise(&s, o, o->words[0]);
        snprintf(error, sizeof error, "%s", s.error);
    }
    if (code != RH__EXIT_OK && *error)
        rh__complain("%s: %s", o->words[0], error);
    rh__session_close(&s);
    rh__schedule_release(&schedule);
    return code;
}
