/* The reporter `junit` (reporter.h): JUnit XML, one test case per test and model.
 *
 * The head of the file holds the totals, so the test cases are collected in memory and written by close. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "report/reporter.h"
#include "report/xml_text.h"
#include "trace/schedule.h"

struct junit {
    struct rh__output out;
    FILE *body; /* writes to `text` */
    char *text;
    size_t size;
    const char *program;
    unsigned tests, failures, errors, skipped;
    double seconds;
};

static void put_property(FILE *f, const char *name, const char *value)
{
    fprintf(f, "      <property name=\"");
    rh__xml_text(f, name);
    fprintf(f, "\" value=\"");
    rh__xml_text(f, value);
    fprintf(f, "\"/>\n");
}

static void put_setting(void *arg, const struct rh__setting *s)
{
    put_property(arg, s->name, s->value);
}

static void put_trouble(FILE *f, const char *element, const char *type, const char *message)
{
    fprintf(f, "    <%s type=\"%s\" message=\"", element, type);
    rh__xml_text(f, message);
    fprintf(f, "\"/>\n");
}

/* A `skipped` element has a message, but no type. */
static void put_skipped(FILE *f, const char *message)
{
    fprintf(f, "    <skipped message=\"");
    rh__xml_text(f, message);
    fprintf(f, "\"/>\n");
}

static void put_line(FILE *f, const struct rh__result *r, void (*line)(const struct rh__result *r, struct rh__text *t))
{
    char text[8192];
    struct rh__text t;
    rh__text_init(&t, text, sizeof text);
    line(r, &t);
    rh__xml_text(f, text);
    if (*text)
        fputc('\n', f);
}

static void put_reason(FILE *f, const char *sentence)
{
    rh__xml_text(f, sentence);
    fputs(*sentence ? "\n" : "", f);
}

/* The message says what went wrong.  The text says who did it and where, why, how to replay it, and tells the
 * story. */
static void put_failures(FILE *f, const struct rh__result *r)
{
    char line[2048];
    struct rh__failure g;
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    for (uint32_t i = 0; rh__result_failure(r, i, &g); i++) {
        fprintf(f, "    <failure type=\"%s\" message=\"", g.kind);
        rh__xml_text(f, g.message);
        fprintf(f, "\">");
        rh__text_clear(&t);
        rh__text_add(&t, "%s%s%s%s%s%s", g.actor, *g.actor ? ": " : "", g.message, *g.place ? "  (" : "", g.place,
                     *g.place ? ")" : "");
        rh__xml_text(f, line);
        fputc('\n', f);
        put_reason(f, g.reason);
        put_reason(f, g.decided);
        rh__text_clear(&t);
        rh__failure_replay(r, &g, &t);
        rh__xml_text(f, line);
        fputs(*line ? "\n" : "", f);
        rh__xml_text(f, g.story);
        fprintf(f, "</failure>\n");
    }
}

/* A property only if there is something to say. */
static void put_caveat(FILE *f, const struct rh__result *r, const char *name,
                       void (*line)(const struct rh__result *r, struct rh__text *t))
{
    char text[8192];
    struct rh__text t;
    rh__text_init(&t, text, sizeof text);
    line(r, &t);
    if (*text)
        put_property(f, name, text);
}

static void put_properties(FILE *f, const struct rh__result *r)
{
    const char *name, *value;
    char param[256];
    fprintf(f, "    <properties>\n");
    put_property(f, "result", rh__came_to_name(rh__result_came_to(r)));
    put_property(f, "verdict", rh__result_verdict(r));
    put_caveat(f, r, "escapes", rh__result_escapes); /* without it the verdict would promise too much */
    put_caveat(f, r, "reached", rh__result_reached);
    put_caveat(f, r, "gaps", rh__result_gaps);
    put_caveat(f, r, "globals", rh__result_globals);
    put_caveat(f, r, "parameters_note", rh__result_unasked);
    put_caveat(f, r, "monitors_note", rh__result_untold);
    put_property(f, "explorer", r->explorer);
    rh__semantics_each(rh_world_semantics(r->world), put_setting, f);
    if (rh_world_semantics(r->world)->granularity != r->asked.granularity)
        put_property(f, "granularity_before_the_explorer", rh__granularity_name(r->asked.granularity));
    for (size_t i = 0; rh__result_param(r, i, &name, &value); i++) {
        snprintf(param, sizeof param, "param.%s", name);
        put_property(f, param, value);
    }
    fprintf(f, "    </properties>\n");
}

/* ---- the reporter ------------------------------------------------------------------------------------------------ */

static bool junit_open(void *state, const struct rh__report_setup *setup, char *error, size_t error_size)
{
    struct junit *j = state;
    j->program = setup->program;
    if (!rh__output_open(&j->out, setup->value, true, error, error_size))
        return false;
    j->body = open_memstream(&j->text, &j->size);
    if (!j->body) {
        snprintf(error, error_size, "%s: no memory", setup->value);
        rh__output_drop(&j->out);
    }
    return j->body != NULL;
}

static void begin_case(struct junit *j, const char *test, const char *model, const char *seconds)
{
    j->tests++;
    fprintf(j->body, "  <testcase classname=\"");
    rh__xml_text(j->body, j->program);
    fprintf(j->body, "\" name=\"%s (%s)\" time=\"%s\">\n", test, model, seconds);
}

static void junit_result(void *state, const struct rh__result *r)
{
    struct junit *j = state;
    FILE *f = j->body;
    char why[256], seconds[32];
    const char *unmet = rh__result_unmet(r, why, sizeof why);
    bool interrupted = rh__result_came_to(r) == RH__INTERRUPTED && !unmet;
    j->failures += r->failed || unmet;
    j->errors += (!r->failed && r->x->end.stale) || interrupted;
    j->seconds += r->x->clock.seconds;
    snprintf(seconds, sizeof seconds, "%.6f", r->x->clock.seconds);
    begin_case(j, r->test, r->model, seconds);
    put_properties(f, r);
    if (unmet)
        put_trouble(f, "failure", "requirement", unmet);
    if (interrupted)
        put_trouble(f, "error", "interrupted", "interrupted before it was done; nothing found until then");
    if (r->x->end.stale)
        put_trouble(f, r->failed ? "failure" : "error", "stale schedule", r->x->end.stale);
    put_failures(f, r);
    fprintf(f, "    <system-out>");
    put_line(f, r, rh__result_headline);
    put_line(f, r, rh__result_counts);
    fputs("under ", f);
    put_line(f, r, rh__result_semantics);
    put_line(f, r, rh__result_sentence);
    put_line(f, r, rh__result_next);
    fprintf(f, "</system-out>\n  </testcase>\n");
}

static void junit_missing(void *state, const struct rh__missing *m)
{
    struct junit *j = state;
    *(m->begun ? &j->errors : &j->skipped) += 1;
    begin_case(j, m->test, m->model, "0");
    if (m->begun)
        put_trouble(j->body, "error", "no result",
                    "it has no result: the tool could not go on; standard error says why");
    else
        put_skipped(j->body, m->why);
    fprintf(j->body, "  </testcase>\n");
}

/* False if memory was short while the test cases were collected. */
static bool end_body(struct junit *j)
{
    return fclose(j->body) == 0;
}

static void junit_drop(void *state)
{
    struct junit *j = state;
    end_body(j);
    free(j->text);
    rh__output_drop(&j->out);
}

static void put_suite(struct junit *j)
{
    FILE *f = j->out.file;
    fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"");
    rh__xml_text(f, j->program);
    fprintf(f, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.6f\">\n", j->tests, j->failures,
            j->errors, j->skipped, j->seconds);
    fwrite(j->text, 1, j->size, f);
    fprintf(f, "</testsuite>\n");
}

static bool junit_close(void *state, const struct rh__report_end *end, char *error, size_t error_size)
{
    struct junit *j = state;
    (void)end;
    if (!j->tests) {
        junit_drop(j);
        return true;
    }
    bool whole = end_body(j);
    if (whole) {
        put_suite(j);
        whole = rh__output_close(&j->out, error, error_size);
    } else {
        snprintf(error, error_size, "%s: no memory", j->out.path);
        rh__output_drop(&j->out);
    }
    free(j->text);
    return whole;
}

const struct rh__reporter rh__reporter_junit = {
    .name = "junit",
    .option = { .name = "junit",
                .argument = "FILE",
                .help = "JUnit XML",
                .manual = "`-` is standard output, which can hold one of `--json`, `--junit` and `--tap`.",
                .complete = RH__COMPLETE_STREAM },
    .state_size = sizeof(struct junit),
    .open = junit_open,
    .result = junit_result,
    .missing = junit_missing,
    .close = junit_close,
    .drop = junit_drop,
};
