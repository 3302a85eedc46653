/* show: runs one schedule, and writes the run as a chart. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/files.h"
#include "base/visible.h"
#include "findings/shown.h"
#include "report/chart.h"
#include "runner/commands.h"
#include "runner/session.h"

struct show {
    const struct rh__options *o;
    bool written;
    char error[RH__PATH_BYTES + 256];
};

/* "assertion: box#1: two first  (file.c:12)"; the name of the test if nothing failed. */
static void write_title(const struct rh__session *s, const struct rh__finding *f, struct rh__text *t)
{
    if (!f) {
        rh__text_add(t, "%s", s->plan.test->name);
        return;
    }
    rh__text_add(t, "%s: %s%s", rh_outcome_name(f->outcome.kind), f->actor, *f->actor ? ": " : "");
    rh__text_put(t, f->outcome.text, strcspn(f->outcome.text, "\n"));
    if (*f->outcome.place && f->outcome.kind != RH_OUTCOME_STUCK)
        rh__text_add(t, "  (%s)", f->outcome.place);
}

static void write_shown(const struct rh__session *s, const struct rh__finding *f, void *arg)
{
    struct show *x = arg;
    struct rh__shown shown;
    struct rh__output out = { 0 };
    char title[512];
    struct rh__text t;
    rh__text_init(&t, title, sizeof title);
    write_title(s, f, &t);
    if (!rh__shown_make(&shown, s->world, f, x->error, sizeof x->error))
        return;
    struct rh__chart chart = { .run = shown.run, .changes = shown.scenes, .title = title, .failed = f };
    if (rh__output_open(&out, x->o->svg, true, x->error, sizeof x->error)) {
        bool drawn = rh__chart_svg(out.file, &chart);
        if (!drawn)
            snprintf(x->error, sizeof x->error, "no memory for the chart");
        x->written = rh__output_close(&out, drawn ? x->error : (char[8]){ 0 }, drawn ? sizeof x->error : 8) && drawn;
    }
    rh__shown_release(&shown);
}

int rh__command_show(const char *program, const struct rh__options *o)
{
    char text[4200];
    static struct show x;
    x = (struct show){ .o = o };
    if (o->word_count != 1) {
        rh__complain("show wants one schedule");
        return RH__EXIT_USAGE;
    }
    if (!o->svg) {
        rh__complain("show wants --svg FILE");
        return RH__EXIT_USAGE;
    }
    if (!rh__output_possible(o->svg, true, x.error, sizeof x.error)) {
        rh__complain("%s", x.error);
        return RH__EXIT_USAGE;
    }
    enum rh__replayed came_to = rh__replay(program, o->words[0], o, write_shown, &x, text, sizeof text);
    bool ran = came_to == RH__REPLAYED_SAME || came_to == RH__REPLAYED_PASSED || came_to == RH__REPLAYED_DIVERGED;
    if (ran && !x.written) {
        rh__complain("%s", x.error);
        return RH__EXIT_TOOL;
    }
    return rh__replay_tell(strcmp(o->svg, "-") == 0 ? stderr : stdout, o->words[0], came_to, text);
}
