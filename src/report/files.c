/* Results for machines (result.h): JSON lines and JUnit XML.
 *
 * JSON, one object per test; these names are the contract for scripts:
 *     test explorer model granularity time seed workers executions steps behaviours behaviours_at_least blocked cut failed
 *     assumed_away
 *     result verdict incomplete seconds estimate deterministic notes unfinished required met stale next
 *     semantics: all of struct rh_semantics; changed_by_explorer: fields that it changed, as they were; limits
 *     parameters: object
 *     escapes: list of { call, place }
 *     coverage: see docs/json.md
 *     properties: list of { property, name, place, held, not_held }
 *     failures: list of { kind, message, place, actor, run, count, schedule }
 * and of `estimate`: test model granularity estimate low high confidence descents behaviours seconds */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "explore/measure.h"
#include "report/coverage.h"
#include "report/result.h"
#include "trace/schedule.h"

static struct rh__output json;
static unsigned json_objects;

static struct {
    struct rh__output out;
    FILE *body;
    const char *program;
    char *text;
    size_t size;
    unsigned tests, failures, errors, skipped;
    double seconds;
} junit;

/* ---- JSON ---------------------------------------------------------------------------------------------------------------- */

static void json_pair(FILE *f, const char *name, const char *text)
{
    fprintf(f, "\"%s\":", name);
    rh__json_text(f, text);
}

bool rh__json_open(const char *path, char *error, size_t error_size)
{
    return rh__output_open(&json, path, true, error, error_size);
}

/* Points: run, seconds, and for each criterion goals and pairs covered. */
static void json_growth(FILE *f, const void *arg)
{
    const struct rh__measure *m = arg;
    fputs(",\"growth\":{\"columns\":[\"run\",\"seconds\"", f);
    for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
        if (m->coverage->criteria >> i & 1)
            fprintf(f, ",\"%s\",\"%s_pairs\"", rh__criterion_name(i), rh__criterion_name(i));
    fputs("],\"points\":[", f);
    for (uint32_t k = 0; k < m->growth_count; k++) {
        fprintf(f, "%s[%llu,%.6f", k ? "," : "", (unsigned long long)m->growth[k].run, m->growth[k].seconds);
        for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
            if (m->coverage->criteria >> i & 1)
                fprintf(f, ",%llu,%llu", (unsigned long long)m->growth[k].counts[i].goals,
                        (unsigned long long)m->growth[k].counts[i].pairs);
        fputc(']', f);
    }
    fputs("]}", f);
}

/* In JSON what is too large for a double is not a number that everybody reads: a seed of 64 bits is written as one all the same. */
static void json_setting(void *arg, const struct rh__setting *s)
{
    FILE *f = arg;
    fprintf(f, "%s\"%s\":", strcmp(s->name, "model") == 0 ? "" : ",", s->name); /* that is the first */
    if (s->word)
        rh__json_text(f, s->value);
    else if (strcmp(s->name, "check_isolation") == 0)
        fputs(*s->value == '1' ? "true" : "false", f);
    else
        fputs(s->value, f);
}

static void json_limit(FILE *f, const char *name, double value)
{
    if (value > 0)
        fprintf(f, "\"%s\":%.17g", name, value);
    else
        fprintf(f, "\"%s\":null", name);
}

/* What the result holds for. */
static void json_semantics(FILE *f, const struct rh__result *r)
{
    const struct rh_semantics *s = rh_world_semantics(r->world);
    const struct rh__limits *l = &r->x->limits;
    fputs(",\"semantics\":{", f);
    rh__semantics_each(s, json_setting, f);
    fputs("},\"changed_by_explorer\":{", f);
    if (s->granularity != r->asked.granularity)
        json_pair(f, "granularity", rh__granularity_name(r->asked.granularity));
    fputs("},\"limits\":{", f);
    json_limit(f, "max_runs", (double)l->max_runs);
    fputc(',', f);
    json_limit(f, "max_seconds", l->max_seconds);
    fputc(',', f);
    json_limit(f, "max_all_steps", (double)l->max_all_steps);
    fputs("},\"parameters\":{", f);
    const char *name, *value;
    for (size_t i = 0; rh__result_param(r, i, &name, &value); i++) {
        fputs(i ? "," : "", f);
        rh__json_text(f, name);
        fputc(':', f);
        rh__json_text(f, value);
    }
    fputc('}', f);
}

/* What it came to. */
static void json_summary(FILE *f, const struct rh__result *r)
{
    char line[8192], why[256];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    fputc(',', f);
    json_pair(f, "result", rh__came_to_name(rh__result_came_to(r)));
    fprintf(f, ",\"required\":%s%s%s,\"met\":%s", r->required ? "\"" : "",
            r->required ? rh_verdict_name(r->require) : "null", r->required ? "\"" : "",
            r->failed || r->x->stale || rh__result_unmet(r, why, sizeof why) ? "false" : "true");
    fputs(",\"stale\":", f);
    if (r->x->stale) {
        rh__text_add(&t, "%s: %s", r->x->stale_file, r->x->stale);
        rh__json_text(f, line);
    } else {
        fputs("null", f);
    }
    rh__text_clear(&t);
    rh__result_next(r, &t);
    fputs(",\"next\":", f);
    if (*line)
        rh__json_text(f, line);
    else
        fputs("null", f);
    fprintf(f, ",\"unfinished\":%u,\"escapes\":[", r->x->unfinished);
    for (uint32_t i = 0; i < rh_world_escape_count(r->world); i++) {
        struct rh_escape e = rh_world_escape(r->world, i);
        fputs(i ? ",{" : "{", f);
        json_pair(f, "call", e.call);
        fputc(',', f);
        json_pair(f, "place", e.place);
        fputc('}', f);
    }
    fputc(']', f);
}

static bool is_deterministic(const struct rh__result *r)
{
    bool is = r->determinism.kind == RH_OUTCOME_FINISHED;
    for (uint32_t i = 0; i < r->x->finding_count; i++)
        is = is && r->x->findings[i].outcome.kind != RH_OUTCOME_NONDETERMINISM;
    return is;
}

static void json_failures(FILE *f, const struct rh__result *r)
{
    struct rh__failure g;
    for (uint32_t i = 0; rh__result_failure(r, i, &g); i++) {
        fputs(i ? ",{" : "{", f);
        json_pair(f, "kind", g.kind);
        fputc(',', f);
        json_pair(f, "message", g.message);
        fputc(',', f);
        json_pair(f, "place", g.place);
        fputc(',', f);
        json_pair(f, "actor", g.actor);
        fprintf(f, ",\"run\":%llu,\"count\":%llu,\"schedule\":", (unsigned long long)g.run,
                (unsigned long long)g.count);
        if (*g.schedule)
            rh__json_text(f, g.schedule);
        else
            fputs("null", f);
        fputc('}', f);
    }
}

void rh__json_result(const struct rh__result *r)
{
    FILE *f = json.file;
    const struct rh_exploration *x = r->x;
    const struct rh_semantics *s = rh_world_semantics(r->world);
    if (!f)
        return;
    fputc('{', f);
    json_pair(f, "test", r->test);
    fputc(',', f);
    json_pair(f, "explorer", r->explorer);
    fputc(',', f);
    json_pair(f, "model", r->model);
    fprintf(f, ",\"granularity\":\"%s\",\"time\":\"%s\"", rh__granularity_name(s->granularity), rh__time_name(s->time));
    fprintf(f,
            ",\"seed\":%llu,\"workers\":%u,\"executions\":%llu,\"steps\":%llu,\"behaviours\":%llu,"
            "\"behaviours_at_least\":%s",
            (unsigned long long)r->seed, x->workers ? x->workers : 1, (unsigned long long)rh__exploration_counted(x),
            (unsigned long long)x->steps, (unsigned long long)x->behaviours, x->behaviours_at_least ? "true" : "false");
    fprintf(f, ",\"blocked\":%llu,\"cut\":%llu,\"failed\":%llu,\"assumed_away\":%llu", (unsigned long long)x->blocked,
            (unsigned long long)x->cut, (unsigned long long)x->failed, (unsigned long long)x->assumed);
    fprintf(f, ",\"verdict\":\"%s\",\"incomplete\":%s,\"seconds\":%.6f", rh__result_verdict(r),
            x->incomplete ? "true" : "false", x->seconds);
    double estimate = rh__exploration_estimate(x);
    if (estimate > 0 && isfinite(estimate))
        fprintf(f, ",\"estimate\":%.17g", estimate);
    else
        fprintf(f, ",\"estimate\":null");
    json_semantics(f, r);
    json_summary(f, r);
    fprintf(f, ",\"properties\":[");
    for (uint32_t i = 0; i < rh_world_property_count(r->world); i++) {
        static const char *const kinds[] = { "always", "sometimes", "eventually" };
        struct rh_property_info p = rh_world_property(r->world, i);
        fputs(i ? ",{" : "{", f);
        json_pair(f, "property", kinds[p.kind]);
        fputc(',', f);
        json_pair(f, "name", p.name);
        fputc(',', f);
        json_pair(f, "place", p.place);
        fprintf(f, ",\"held\":%llu,\"not_held\":%llu}", (unsigned long long)p.held_in, (unsigned long long)p.failed_in);
    }
    fputc(']', f);
    if (x->measure) {
        fputs(",\"coverage\":", f);
        rh__coverage_json(f, x->measure->coverage, json_growth, x->measure);
    }
    char notes[4096] = "";
    struct rh__text t;
    rh_inner_notes(&x->explorer, notes, sizeof notes);
    if (*notes) {
        fputs(",\"notes\":", f);
        rh__json_text(f, notes);
    }
    rh__text_init(&t, notes, sizeof notes);
    rh__result_unasked(r, &t);
    if (*notes) {
        fputs(",\"parameters_note\":", f);
        rh__json_text(f, notes);
    }
    if (r->determinism.kind == RH_OUTCOME_FINISHED && *r->determinism.text) {
        fputs(",\"determinism_note\":", f);
        rh__json_text(f, r->determinism.text);
    }
    fprintf(f, ",\"determinism_checked\":%s,\"deterministic\":%s,\"failures\":[",
            x->limits.unchecked ? "false" : "true", is_deterministic(r) ? "true" : "false");
    json_failures(f, r);
    fputs("]}\n", f);
    json_objects++;
    rh__output_flush(&json);
}

/* More than a double can hold is not known. */
static void json_number(FILE *f, const char *name, double value)
{
    if (isfinite(value))
        fprintf(f, ",\"%s\":%.17g", name, value);
    else
        fprintf(f, ",\"%s\":null", name);
}

void rh__json_estimate(const struct rh__result *r, const struct rh__size *size)
{
    FILE *f = json.file;
    const struct rh_exploration *x = r->x;
    if (!f)
        return;
    fputc('{', f);
    json_pair(f, "test", r->test);
    fprintf(f, ",\"model\":\"%s\",\"granularity\":\"%s\"", r->model,
            rh__granularity_name(rh_world_semantics(r->world)->granularity));
    json_semantics(f, r);
    json_number(f, "estimate", size->estimate);
    json_number(f, "low", size->low);
    json_number(f, "high", size->high);
    fprintf(f, ",\"confidence\":0.95,\"descents\":%llu,\"behaviours\":%llu,\"seconds\":%.6f}\n",
            (unsigned long long)size->descents, (unsigned long long)x->behaviours, x->seconds);
    json_objects++;
    rh__output_flush(&json);
}

bool rh__json_close(char *error, size_t error_size)
{
    if (!json_objects)
        rh__output_drop(&json); /* nothing came of it: no empty file */
    return !json.file || rh__output_close(&json, error, error_size);
}

/* ---- JUnit --------------------------------------------------------------------------------------------------------------- */

/* Control characters have no place in XML. */
static void xml_text(FILE *f, const char *text)
{
    int length;
    for (const unsigned char *c = (const unsigned char *)text; *c; c += length ? length : 1) {
        length = rh__utf8_length(c);
        if (!length || (length == 3 && c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe)) /* U+FFFE, U+FFFF */
            fputs(rh__no_character, f);
        else if (*c == '<')
            fputs("&lt;", f);
        else if (*c == '>')
            fputs("&gt;", f);
        else if (*c == '&')
            fputs("&amp;", f);
        else if (*c == '"')
            fputs("&quot;", f);
        else if (*c == '\n' || *c == '\t' || rh__is_plain(c, length))
            fwrite(c, 1, (size_t)length, f);
        else
            fputs(rh__no_character, f);
    }
}

bool rh__junit_open(const char *path, const char *program, char *error, size_t error_size)
{
    junit.program = program;
    if (!rh__output_open(&junit.out, path, true, error, error_size))
        return false;
    junit.body = open_memstream(&junit.text, &junit.size);
    if (!junit.body) {
        snprintf(error, error_size, "%s: no memory", path);
        rh__output_drop(&junit.out);
    }
    return junit.body != NULL;
}

static void junit_property(FILE *f, const char *name, const char *value)
{
    fprintf(f, "      <property name=\"");
    xml_text(f, name);
    fprintf(f, "\" value=\"");
    xml_text(f, value);
    fprintf(f, "\"/>\n");
}

static void junit_setting(void *arg, const struct rh__setting *s)
{
    junit_property(arg, s->name, s->value);
}

static void junit_trouble(FILE *f, const char *element, const char *type, const char *message)
{
    fprintf(f, "    <%s type=\"%s\" message=\"", element, type);
    xml_text(f, message);
    fprintf(f, "\"/>\n");
}

/* This element has a message only. */
static void junit_skipped(FILE *f, const char *message)
{
    fprintf(f, "    <skipped message=\"");
    xml_text(f, message);
    fprintf(f, "\"/>\n");
}

static void junit_line(FILE *f, const struct rh__result *r,
                       void (*line)(const struct rh__result *r, struct rh__text *t))
{
    char text[8192];
    struct rh__text t;
    rh__text_init(&t, text, sizeof text);
    line(r, &t);
    xml_text(f, text);
    if (*text)
        fputc('\n', f);
}

/* In the message what went wrong, in the text who, where, how to replay it, and the story. */
static void junit_failures(FILE *f, const struct rh__result *r)
{
    char line[2048];
    struct rh__failure g;
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    for (uint32_t i = 0; rh__result_failure(r, i, &g); i++) {
        fprintf(f, "    <failure type=\"%s\" message=\"", g.kind);
        xml_text(f, g.message);
        fprintf(f, "\">");
        rh__text_clear(&t);
        rh__text_add(&t, "%s%s%s%s%s%s", g.actor, *g.actor ? ": " : "", g.message, *g.place ? "  (" : "", g.place,
                     *g.place ? ")" : "");
        xml_text(f, line);
        fputc('\n', f);
        rh__text_clear(&t);
        rh__failure_replay(r, &g, &t);
        xml_text(f, line);
        fputs(*line ? "\n" : "", f);
        xml_text(f, g.story);
        fprintf(f, "</failure>\n");
    }
}

/* Where there is something to say. */
static void junit_caveat(FILE *f, const struct rh__result *r, const char *name,
                         void (*line)(const struct rh__result *r, struct rh__text *t))
{
    char text[8192];
    struct rh__text t;
    rh__text_init(&t, text, sizeof text);
    line(r, &t);
    if (*text)
        junit_property(f, name, text);
}

void rh__junit_result(const struct rh__result *r)
{
    FILE *f = junit.body;
    char why[256];
    if (!f)
        return;
    const char *unmet = rh__result_unmet(r, why, sizeof why);
    junit.tests++;
    junit.failures += r->failed || unmet;
    bool interrupted = rh__result_came_to(r) == RH__INTERRUPTED && !unmet;
    junit.errors += (!r->failed && r->x->stale) || interrupted;
    junit.seconds += r->x->seconds;
    fprintf(f, "  <testcase classname=\"");
    xml_text(f, junit.program);
    fprintf(f, "\" name=\"%s (%s)\" time=\"%.6f\">\n    <properties>\n", r->test, r->model, r->x->seconds);
    junit_property(f, "result", rh__came_to_name(rh__result_came_to(r)));
    junit_property(f, "verdict", rh__result_verdict(r));
    junit_caveat(f, r, "escapes", rh__result_escapes); /* a verdict without that would promise too much */
    junit_caveat(f, r, "parameters_note", rh__result_unasked);
    junit_property(f, "explorer", r->explorer);
    rh__semantics_each(rh_world_semantics(r->world), junit_setting, f);
    if (rh_world_semantics(r->world)->granularity != r->asked.granularity)
        junit_property(f, "granularity_before_the_explorer", rh__granularity_name(r->asked.granularity));
    const char *name, *value;
    char param[256];
    for (size_t i = 0; rh__result_param(r, i, &name, &value); i++) {
        snprintf(param, sizeof param, "param.%s", name);
        junit_property(f, param, value);
    }
    fprintf(f, "    </properties>\n");
    if (unmet)
        junit_trouble(f, "failure", "requirement", unmet);
    if (interrupted)
        junit_trouble(f, "error", "interrupted", "interrupted before it was done; nothing found until then");
    if (r->x->stale)
        junit_trouble(f, r->failed ? "failure" : "error", "stale schedule", r->x->stale);
    junit_failures(f, r);
    fprintf(f, "    <system-out>");
    junit_line(f, r, rh__result_headline);
    junit_line(f, r, rh__result_counts);
    fputs("under ", f);
    junit_line(f, r, rh__result_semantics);
    junit_line(f, r, rh__result_sentence);
    junit_line(f, r, rh__result_next);
    fprintf(f, "</system-out>\n  </testcase>\n");
}

void rh__junit_missing(const char *test, const char *model, bool begun, const char *why)
{
    FILE *f = junit.body;
    if (!f)
        return;
    junit.tests++;
    *(begun ? &junit.errors : &junit.skipped) += 1;
    fprintf(f, "  <testcase classname=\"");
    xml_text(f, junit.program);
    fprintf(f, "\" name=\"%s (%s)\" time=\"0\">\n", test, model);
    if (begun)
        junit_trouble(f, "error", "no result", "it has no result: the tool could not go on; standard error says why");
    else
        junit_skipped(f, why);
    fprintf(f, "  </testcase>\n");
}

void rh__reports_drop(void)
{
    rh__output_drop(&json);
    rh__output_drop(&junit.out);
    if (junit.body)
        fclose(junit.body);
    junit.body = NULL;
}

bool rh__junit_close(char *error, size_t error_size)
{
    FILE *f = junit.out.file;
    if (!f)
        return true;
    if (!junit.tests) {
        rh__reports_drop();
        return true;
    }
    bool whole = fclose(junit.body) == 0;
    junit.body = NULL;
    if (!whole) {
        snprintf(error, error_size, "%s: no memory", junit.out.path);
        rh__output_drop(&junit.out);
        return false;
    }
    fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"");
    xml_text(f, junit.program);
    fprintf(f, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.6f\">\n", junit.tests,
            junit.failures, junit.errors, junit.skipped, junit.seconds);
    fwrite(junit.text, 1, junit.size, f);
    fprintf(f, "</testsuite>\n");
    return rh__output_close(&junit.out, error, error_size);
}
