/* show: runs one schedule, and writes the run as a chart or as a page; another run beside it, if asked.
 *
 * A run that is shown is a value (findings/shown.h), so the one beside is made first, and outlives its world. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/visible.h"
#include "report/chart.h"
#include "report/page.h"
#include "report/reporter.h"
#include "runner/commands.h"
#include "runner/session.h"

struct picture {
    struct rh__shown shown;
    char title[512];
    bool made, failed;
    const struct rh__finding *finding; /* of the session that makes it; NULL: nothing failed */
};

struct show {
    const char *program, *svg, *html; /* files; NULL: not wanted */
    struct picture run, beside;
    struct picture *next; /* that the replay makes */
    bool written;
    char error[RH__PATH_BYTES + 256];
};

/* "assertion: box#1: two first  (file.c:12)"; the name of the test if nothing failed. */
static void write_title(const struct rh__session *s, const struct rh__finding *f, struct rh__text *t)
{
    if (!f) {
        rh__text_add(t, "%s passes", s->plan.test->name);
        return;
    }
    rh__text_add(t, "%s: %s%s", rh_outcome_name(f->outcome.kind), f->actor, *f->actor ? ": " : "");
    rh__text_put(t, f->outcome.text, strcspn(f->outcome.text, "\n"));
    if (*f->outcome.place && f->outcome.kind != RH_OUTCOME_STUCK)
        rh__text_add(t, "  (%s)", f->outcome.place);
}

/* Calls `write` with an open file.  False with a sentence in x->error. */
static bool write_file(struct show *x, const char *path, const struct rh__session *s,
                       bool (*write)(struct show *x, const struct rh__session *s, FILE *f))
{
    struct rh__output out = { 0 };
    if (!rh__output_open(&out, path, true, x->error, sizeof x->error))
        return false;
    if (write(x, s, out.file))
        return rh__output_close(&out, x->error, sizeof x->error);
    rh__output_drop(&out);
    snprintf(x->error, sizeof x->error, "%s: no memory", path);
    return false;
}

static bool write_svg(struct show *x, const struct rh__session *s, FILE *f)
{
    (void)s;
    struct rh__chart chart = { .run = x->run.shown.run,
                               .changes = x->run.shown.scenes,
                               .title = x->run.title,
                               .failed = x->run.failed,
                               .decisive =
                                   x->run.finding && x->run.finding->why.known ? x->run.finding->why.decisive : 0 };
    return rh__chart_svg(f, &chart);
}

static bool write_html(struct show *x, const struct rh__session *s, FILE *f)
{
    struct rh__result result;
    struct rh__page page;
    struct rh__page_run run = { x->run.title, &x->run.shown, x->run.failed, x->run.finding };
    struct rh__page_run beside = { x->beside.title, &x->beside.shown, x->beside.failed, NULL };
    if (!rh__page_begin(&page, x->program))
        return false;
    rh__session_result(s, &result);
    rh__page_runs(&page, &result, &run, x->beside.made ? &beside : NULL);
    bool whole = rh__page_write(&page, f);
    rh__page_release(&page);
    return whole;
}

static void take_picture(const struct rh__session *s, const struct rh__finding *f, void *arg)
{
    struct show *x = arg;
    struct picture *p = x->next;
    struct rh__text t;
    rh__text_init(&t, p->title, sizeof p->title);
    write_title(s, f, &t);
    p->failed = f != NULL;
    p->finding = f;
    p->made = rh__shown_make(&p->shown, s->world, f, x->error, sizeof x->error);
    if (p->made && p == &x->run)
        x->written =
            (!x->svg || write_file(x, x->svg, s, write_svg)) && (!x->html || write_file(x, x->html, s, write_html));
}

/* The report that `show` has in common with `test`. */
static const char *page_of(const struct rh__options *o)
{
    for (size_t i = 0; rh__reporters[i]; i++)
        if (rh__reporters[i]->of_runs)
            return o->reports[i];
    return NULL;
}

static bool is_possible(struct show *x, const struct rh__options *o)
{
    if (o->word_count != 1)
        snprintf(x->error, sizeof x->error, "show wants one schedule");
    else if (!x->svg && !x->html)
        snprintf(x->error, sizeof x->error, "show wants --svg FILE or --html FILE");
    else if (o->beside && !x->html)
        snprintf(x->error, sizeof x->error, "--beside is for --html");
    else
        return (!x->svg || rh__output_possible(x->svg, true, x->error, sizeof x->error)) &&
               (!x->html || rh__output_possible(x->html, true, x->error, sizeof x->error));
    return false;
}

static enum rh__replayed make(struct show *x, struct picture *p, const char *path, const struct rh__options *o,
                              char *text, size_t size)
{
    x->next = p;
    const struct rh__replay_view view = { .look = take_picture, .arg = x, .explain = p == &x->run };
    return rh__replay(x->program, path, o, &view, text, size);
}

int rh__command_show(const char *program, const struct rh__options *o)
{
    char text[4200];
    static struct show x;
    x = (struct show){ .program = program, .svg = o->svg, .html = page_of(o) };
    if (!is_possible(&x, o)) {
        rh__complain("%s", x.error);
        return RH__EXIT_USAGE;
    }
    if (o->beside) {
        enum rh__replayed beside = make(&x, &x.beside, o->beside, o, text, sizeof text);
        if (beside == RH__REPLAYED_REFUSED || beside == RH__REPLAYED_DIVERGED)
            return rh__replay_tell(stderr, o->beside, beside, text);
    }
    enum rh__replayed came_to = make(&x, &x.run, o->words[0], o, text, sizeof text);
    bool ran = came_to != RH__REPLAYED_REFUSED && came_to != RH__REPLAYED_BROKEN;
    bool to_stdout = (x.svg && strcmp(x.svg, "-") == 0) || (x.html && strcmp(x.html, "-") == 0);
    rh__shown_release(&x.run.shown);
    rh__shown_release(&x.beside.shown);
    if (ran && !x.written) {
        rh__complain("%s", x.error);
        return RH__EXIT_TOOL;
    }
    return rh__replay_tell(to_stdout ? stderr : stdout, o->words[0], came_to, text);
}
