/* The reporter `json` (reporter.h): JSON lines, one object per test.  These names are the contract for scripts:
 *
 *     test explorer model granularity time seed workers executions steps distinct_runs distinct_runs_at_least
 *     blocked cut pruned failed assumed_away
 *     result verdict incomplete seconds estimate unreached deterministic notes unfinished required met stale next
 *     semantics: all of struct rh_semantics
 *     changed_by_explorer: fields that the explorer changed, with the values that the user asked for
 *     limits, parameters: objects
 *     escapes: list of { call, place }
 *     coverage: see docs/json.md
 *     curve members: with --curve, and beside a page
 *     properties: list of { property, name, place, held, not_held }
 *     failures: list of { kind, message, place, actor, run, count, schedule }
 *
 * and of `estimate`: test model granularity estimate low high exact confidence samples distinct_runs seconds */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "explore/decorate/novelty.h"
#include "explore/engine/measure.h"
#include "report/coverage.h"
#include "report/curve_json.h"
#include "report/json_story.h"
#include "report/reporter.h"
#include "trace/schedule.h"

struct json {
    struct rh__output out;
    unsigned objects;
};

static void put_pair(FILE *f, const char *name, const char *text)
{
    fprintf(f, "\"%s\":", name);
    rh__json_text(f, text);
}

/* One point of the growth: run, seconds, and for each criterion the goals and pairs covered. */
static void put_growth(FILE *f, const void *arg)
{
    const struct rh_exploration *x = arg;
    const struct rh__measure *m = x->measure;
    fputs(",\"growth\":{\"columns\":[\"run\",\"seconds\"", f);
    for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
        if (x->results->coverage->criteria >> i & 1)
            fprintf(f, ",\"%s\",\"%s_pairs\"", rh__criterion_name(i), rh__criterion_name(i));
    fputs("],\"points\":[", f);
    for (uint32_t k = 0; k < m->growth_count; k++) {
        fprintf(f, "%s[%llu,%.6f", k ? "," : "", (unsigned long long)m->growth[k].run, m->growth[k].seconds);
        for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
            if (x->results->coverage->criteria >> i & 1)
                fprintf(f, ",%llu,%llu", (unsigned long long)m->growth[k].counts[i].goals,
                        (unsigned long long)m->growth[k].counts[i].pairs);
        fputc(']', f);
    }
    fputs("]}", f);
}

/* A seed of 64 bits is written as a number, although some readers of JSON round numbers that a double cannot hold. */
struct members {
    FILE *f;
    const char *comma; /* before the next member */
};

static void put_setting(void *arg, const struct rh__setting *s)
{
    struct members *m = arg;
    FILE *f = m->f;
    fprintf(f, "%s\"%s\":", m->comma, s->name);
    m->comma = ",";
    if (s->word)
        rh__json_text(f, s->value);
    else if (s->flag)
        fputs(*s->value == '1' ? "true" : "false", f);
    else
        fputs(s->value, f);
}

static void put_limit(FILE *f, const char *name, double value)
{
    if (value > 0)
        fprintf(f, "\"%s\":%.17g", name, value);
    else
        fprintf(f, "\"%s\":null", name);
}

/* The semantics, limits and parameters that the result holds for. */
static void put_semantics(FILE *f, const struct rh__result *r)
{
    const struct rh_semantics *s = rh_world_semantics(r->world);
    const struct rh__limits *l = &r->x->limits;
    fputs(",\"semantics\":{", f);
    rh__semantics_each(s, put_setting, &(struct members){ f, "" });
    fputs("},\"changed_by_explorer\":{", f);
    bool granularity = r->asked.granularity != RH_GRAIN_DEFAULT && s->granularity != r->asked.granularity;
    if (granularity)
        put_pair(f, "granularity", rh__granularity_name(r->asked.granularity));
    if (s->delays != r->asked.delays)
        fprintf(f, "%s\"delays\":%u", granularity ? "," : "", r->asked.delays);
    fputs("},\"limits\":{", f);
    put_limit(f, "max_runs", (double)l->max_runs);
    fputc(',', f);
    put_limit(f, "max_seconds", l->max_seconds);
    fputc(',', f);
    put_limit(f, "max_all_steps", (double)l->max_all_steps);
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

/* The result in words, what the user required, and what to do next. */
static void put_summary(FILE *f, const struct rh__result *r)
{
    char line[8192], why[256];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    fputc(',', f);
    put_pair(f, "result", rh__came_to_name(rh__result_came_to(r)));
    fprintf(f, ",\"required\":%s%s%s,\"met\":%s", r->required ? "\"" : "",
            r->required ? rh_verdict_name(r->require) : "null", r->required ? "\"" : "",
            r->failed || r->x->end.stale || rh__result_unmet(r, why, sizeof why) ? "false" : "true");
    fputs(",\"stale\":", f);
    if (r->x->end.stale) {
        rh__text_add(&t, "%s: %s", r->x->end.stale_file, r->x->end.stale);
        rh__json_text(f, line);
    } else {
        fputs("null", f);
    }
    rh__text_clear(&t);
    rh__result_sentence(r, &t);
    fputs(",\"summary\":", f);
    if (*line)
        rh__json_text(f, line);
    else
        fputs("null", f);
    rh__text_clear(&t);
    rh__result_globals(r, &t);
    fputs(",\"globals\":", f);
    if (*line)
        rh__json_text(f, line);
    else
        fputs("null", f);
    rh__text_clear(&t);
    rh__result_next(r, &t);
    fputs(",\"next\":", f);
    if (*line)
        rh__json_text(f, line);
    else
        fputs("null", f);
    fprintf(f, ",\"unfinished\":%u,\"escapes\":[", r->x->end.unfinished);
    for (uint32_t i = 0; i < r->x->results->escape_count; i++) {
        const struct rh_escape *e = &r->x->results->escapes[i];
        fputs(i ? ",{" : "{", f);
        put_pair(f, "call", e->call);
        fputc(',', f);
        put_pair(f, "place", e->place);
        fputc('}', f);
    }
    fputc(']', f);
}

static bool is_deterministic(const struct rh__result *r)
{
    bool is = r->determinism.kind == RH_OUTCOME_FINISHED;
    for (uint32_t i = 0; i < r->x->results->finding_count; i++)
        is = is && r->x->results->findings[i].outcome.kind != RH_OUTCOME_NONDETERMINISM;
    return is;
}

/* How the run of a finding was made smaller, and why it fails. */
static void put_reasons(FILE *f, const struct rh__finding *g)
{
    static const char *const differs[] = { "unknown", "order", "waiting", "fault", "other", "use" };
    const struct rh__minimised *m = &g->minimised;
    const struct rh__why *y = &g->why;
    fprintf(f, ",\"events\":%u,\"minimised\":", g->pick_count);
    if (m->before)
        fprintf(f, "{\"before\":%u,\"after\":%u,\"runs\":%llu,\"whole\":%s}", m->before, m->after,
                (unsigned long long)m->runs, m->whole ? "true" : "false");
    else
        fputs("null", f);
    fputs(",\"reason\":", f);
    if (y->differs != RH__WHY_UNKNOWN)
        fprintf(f, "{\"differs\":\"%s\",\"first\":%u,\"second\":%u,\"places\":%u,", differs[y->differs], y->first,
                y->second, y->places);
    if (y->differs != RH__WHY_UNKNOWN) {
        put_pair(f, "text", g->reason);
        fputc('}', f);
    } else {
        fputs("null", f);
    }
    fputs(",\"decisive\":", f);
    if (!y->known) {
        fputs("null", f);
        return;
    }
    fprintf(f, "{\"event\":%u,\"exhaustive\":%s,\"continuations\":%llu,\"curve\":[", y->decisive,
            y->exhaustive ? "true" : "false", (unsigned long long)y->continuations);
    for (uint32_t i = 0; i < y->point_count; i++)
        fprintf(f, "%s[%u,%u,%u]", i ? "," : "", y->points[i].event, y->points[i].failed, y->points[i].samples);
    fputs("]}", f);
}

static void put_failures(FILE *f, const struct rh__result *r)
{
    struct rh__failure g;
    for (uint32_t i = 0; rh__result_failure(r, i, &g); i++) {
        fputs(i ? ",{" : "{", f);
        put_pair(f, "kind", g.kind);
        fputc(',', f);
        put_pair(f, "message", g.message);
        fputc(',', f);
        put_pair(f, "place", g.place);
        fputc(',', f);
        put_pair(f, "actor", g.actor);
        fprintf(f, ",\"run\":%llu,\"count\":%llu,\"schedule\":", (unsigned long long)g.run,
                (unsigned long long)g.count);
        if (*g.schedule)
            rh__json_text(f, g.schedule);
        else
            fputs("null", f);
        char replay[2048];
        struct rh__text t;
        rh__text_init(&t, replay, sizeof replay);
        rh__failure_replay(r, &g, &t);
        fputs(",\"replay\":", f);
        if (*replay)
            rh__json_text(f, replay);
        else
            fputs("null", f);
        if (i < r->x->results->finding_count) {
            put_reasons(f, &r->x->results->findings[i]);
            fputs(",\"story\":", f);
            rh__json_story(f, r, &r->x->results->findings[i]);
        }
        fputc('}', f);
    }
}

static void put_counts(FILE *f, const struct rh__result *r)
{
    const struct rh_exploration *x = r->x;
    const struct rh_semantics *s = rh_world_semantics(r->world);
    put_pair(f, "test", r->test);
    fputc(',', f);
    put_pair(f, "explorer", r->explorer);
    fputc(',', f);
    put_pair(f, "model", r->model);
    fprintf(f, ",\"granularity\":\"%s\",\"time\":\"%s\"", rh__granularity_name(s->granularity), rh__time_name(s->time));
    fprintf(f,
            ",\"seed\":%llu,\"workers\":%u,\"executions\":%llu,\"steps\":%llu,\"distinct_runs\":%llu,"
            "\"distinct_runs_at_least\":%s",
            (unsigned long long)r->seed, x->workers ? x->workers : 1, (unsigned long long)rh__exploration_counted(x),
            (unsigned long long)x->results->count.steps, (unsigned long long)x->results->distinct.count,
            x->results->distinct.at_least ? "true" : "false");
    fprintf(f, ",\"blocked\":%llu,\"cut\":%llu,\"pruned\":%llu,\"failed\":%llu,\"assumed_away\":%llu",
            (unsigned long long)x->results->count.blocked, (unsigned long long)x->results->count.cut,
            (unsigned long long)x->results->count.pruned, (unsigned long long)x->results->count.failed,
            (unsigned long long)x->results->count.assumed);
    fprintf(f, ",\"verdict\":\"%s\",\"incomplete\":%s,\"seconds\":%.6f", rh__result_verdict(r),
            x->results->incomplete ? "true" : "false", x->clock.seconds);
    const struct rh__novelty *n = rh__auto_novelty(x);
    if (n)
        fprintf(f, ",\"orders\":{\"pairs\":%u,\"in_both_orders\":%u,\"last_new_run\":%llu}", n->pairs, n->both,
                (unsigned long long)n->last_new);
    double estimate = rh__exploration_estimate(x);
    if (estimate > 0 && isfinite(estimate))
        fprintf(f, ",\"estimate\":%.17g", estimate);
    else
        fprintf(f, ",\"estimate\":null");
}

static void put_properties(FILE *f, const struct rh__result *r)
{
    fprintf(f, ",\"properties\":[");
    for (uint32_t i = 0; i < r->x->results->property_count; i++) {
        static const char *const kinds[] = { "always", "sometimes", "eventually" };
        const struct rh__property_result *p = &r->x->results->properties[i];
        fputs(i ? ",{" : "{", f);
        put_pair(f, "property", kinds[p->kind]);
        fputc(',', f);
        put_pair(f, "name", p->name);
        fputc(',', f);
        put_pair(f, "place", p->place);
        fprintf(f, ",\"held\":%llu,\"not_held\":%llu}", (unsigned long long)p->held, (unsigned long long)p->failed);
    }
    char unreached[4096];
    struct rh__text t;
    rh__text_init(&t, unreached, sizeof unreached);
    rh__result_unreached(r, &t);
    fputs("],", f);
    put_pair(f, "unreached", unreached);
}

static void put_notes(FILE *f, const struct rh__result *r)
{
    char notes[4096] = "";
    struct rh__text t;
    rh__exploration_notes(r->x, notes, sizeof notes);
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
    rh__text_clear(&t);
    rh__result_untold(r, &t);
    if (*notes) {
        fputs(",\"monitors_note\":", f);
        rh__json_text(f, notes);
    }
    if (r->determinism.kind == RH_OUTCOME_FINISHED && *r->determinism.text) {
        fputs(",\"determinism_note\":", f);
        rh__json_text(f, r->determinism.text);
    }
}

/* ---- the reporter ------------------------------------------------------------------------------------------------ */

static bool json_open(void *state, const struct rh__report_setup *setup, char *error, size_t error_size)
{
    struct json *j = state;
    return rh__output_open(&j->out, setup->value, true, error, error_size);
}

static void end_object(struct json *j)
{
    fputs("}\n", j->out.file);
    j->objects++;
    rh__output_flush(&j->out);
}

static void json_result(void *state, const struct rh__result *r)
{
    struct json *j = state;
    FILE *f = j->out.file;
    fputc('{', f);
    put_counts(f, r);
    put_semantics(f, r);
    put_summary(f, r);
    put_properties(f, r);
    if (r->x->measure) {
        fputs(",\"coverage\":", f);
        rh__coverage_json(f, r->x->results->coverage, put_growth, r->x);
    }
    if (r->x->curve.wanted) {
        fputc(',', f);
        rh__curve_json(f, &r->x->curve);
    }
    put_notes(f, r);
    fprintf(f, ",\"determinism_checked\":%s,\"deterministic\":%s,\"failures\":[",
            r->x->limits.unchecked ? "false" : "true", is_deterministic(r) ? "true" : "false");
    put_failures(f, r);
    fputc(']', f);
    end_object(j);
}

/* A number that a double cannot hold is not known. */
static void put_number(FILE *f, const char *name, double value)
{
    if (isfinite(value))
        fprintf(f, ",\"%s\":%.17g", name, value);
    else
        fprintf(f, ",\"%s\":null", name);
}

static void json_estimate(void *state, const struct rh__result *r, const struct rh__size *size)
{
    struct json *j = state;
    FILE *f = j->out.file;
    fputc('{', f);
    put_pair(f, "test", r->test);
    fprintf(f, ",\"model\":\"%s\",\"granularity\":\"%s\"", r->model,
            rh__granularity_name(rh_world_semantics(r->world)->granularity));
    put_semantics(f, r);
    fprintf(f, ",\"of\":\"%s\"", size->of_choices ? "sequences of choices" : "distinct runs");
    put_number(f, "estimate", size->estimate);
    put_number(f, "low", size->low);
    put_number(f, "high", size->high);
    fprintf(f, ",\"exact\":%s", size->exact ? "true" : "false");
    fprintf(f, ",\"confidence\":0.95,\"samples\":%llu,\"distinct_runs\":%llu,\"seconds\":%.6f",
            (unsigned long long)size->samples, (unsigned long long)r->x->results->distinct.count, r->x->clock.seconds);
    end_object(j);
}

static void json_drop(void *state)
{
    struct json *j = state;
    rh__output_drop(&j->out);
}

static bool json_close(void *state, const struct rh__report_end *end, char *error, size_t error_size)
{
    struct json *j = state;
    (void)end;
    if (j->objects)
        return rh__output_close(&j->out, error, error_size);
    json_drop(j);
    return true;
}

const struct rh__reporter rh__reporter_json = {
    .name = "json",
    .option = { .name = "json",
                .argument = "FILE",
                .help = "one JSON object per test",
                .manual = "`-` is standard output.",
                .complete = RH__COMPLETE_STREAM },
    .state_size = sizeof(struct json),
    .open = json_open,
    .result = json_result,
    .estimate = json_estimate,
    .close = json_close,
    .drop = json_drop,
};
