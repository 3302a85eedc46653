/* See page.h. */
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/engine/measure.h"
#include "findings/minimise.h"
#include "report/coverage.h"
#include "report/curve_json.h"
#include "report/page_form.h"

/* ---- the data ---------------------------------------------------------------------------------------------------- */

static void put_pair(FILE *f, const char *name, const char *text)
{
    fprintf(f, "\"%s\":", name);
    rh__json_text(f, text);
}

static void put_line(FILE *f, const char *name, const struct rh__result *r,
                     void (*line)(const struct rh__result *r, struct rh__text *t))
{
    char text[8192];
    struct rh__text t;
    rh__text_init(&t, text, sizeof text);
    line(r, &t);
    fputc(',', f);
    put_pair(f, name, text);
}

static void put_summary(FILE *f, const struct rh__result *r)
{
    char notes[4096] = "";
    put_pair(f, "test", r->test);
    fputc(',', f);
    put_pair(f, "model", r->model);
    fputc(',', f);
    put_pair(f, "explorer", r->explorer);
    fputc(',', f);
    put_pair(f, "verdict", rh__result_verdict(r));
    fputc(',', f);
    put_pair(f, "result", rh__came_to_name(rh__result_came_to(r)));
    put_line(f, "headline", r, rh__result_headline);
    put_line(f, "counts", r, rh__result_counts);
    put_line(f, "semantics", r, rh__result_semantics);
    put_line(f, "sentence", r, rh__result_sentence);
    put_line(f, "escapes", r, rh__result_escapes);
    put_line(f, "next", r, rh__result_next);
    rh__exploration_notes(r->x, notes, sizeof notes);
    fputc(',', f);
    put_pair(f, "notes", notes);
    fputc(',', f);
    rh__curve_json(f, &r->x->curve);
    fputs(",\"coverage\":", f);
    if (r->x->measure)
        rh__coverage_json(f, r->x->results->coverage, NULL, NULL);
    else
        fputs("null", f);
}

static void put_failure(FILE *f, const struct rh__result *r, const struct rh__failure *g,
                        const struct rh__finding *finding)
{
    char replay[2048];
    struct rh__text t;
    put_pair(f, "kind", g->kind);
    fputc(',', f);
    put_pair(f, "message", g->message);
    fputc(',', f);
    put_pair(f, "place", g->place);
    fputc(',', f);
    put_pair(f, "actor", g->actor);
    fputc(',', f);
    rh__text_init(&t, replay, sizeof replay);
    rh__failure_replay(r, g, &t);
    put_pair(f, "replay", replay);
    fputc(',', f);
    put_pair(f, "minimised", finding ? rh__minimised_text(finding, replay, sizeof replay) : "");
    fprintf(f, ",\"number\":%llu,\"count\":%llu", (unsigned long long)g->run, (unsigned long long)g->count);
}

/* Why the run fails: the sentences, and how often random continuations of its beginnings fail. */
static void put_why(FILE *f, const struct rh__finding *finding)
{
    const struct rh__why *y = &finding->why;
    fputc(',', f);
    put_pair(f, "reason", finding->reason);
    fputc(',', f);
    put_pair(f, "decided", finding->decided);
    fputs(",\"chances\":[", f);
    for (uint32_t i = 0; i < y->point_count; i++)
        fprintf(f, "%s[%u,%u,%u]", i ? "," : "", y->points[i].event, y->points[i].failed, y->points[i].samples);
    fputc(']', f);
}

static void put_passing(FILE *f, struct rh_world *w, const struct rh__finding *finding)
{
    struct rh__shown shown;
    char error[256];
    const struct rh__why *y = &finding->why;
    if (!y->passing_size ||
        !rh__shown_decode(&shown, w, y->passing, y->passing_size, RH_OUTCOME_FINISHED, error, sizeof error))
        return;
    fputs(",\"beside\":{\"message\":\"the nearest run that passes\",\"passed\":true,\"run\":", f);
    rh__page_run_json(f, shown.run, shown.scenes, 0);
    fputc('}', f);
    rh__shown_release(&shown);
}

static void put_findings(FILE *f, const struct rh__result *r)
{
    struct rh__failure g;
    const struct rh__results *results = r->x->results;
    fputs(",\"failures\":[", f);
    for (uint32_t i = 0; rh__result_failure(r, i, &g); i++) {
        struct rh__shown shown;
        char error[256];
        fputs(i ? ",{" : "{", f);
        const struct rh__finding *finding = i < results->finding_count ? &results->findings[i] : NULL;
        put_failure(f, r, &g, finding);
        if (finding && finding->encoded_size && rh__shown_make(&shown, r->world, finding, error, sizeof error)) {
            fputs(",\"run\":", f);
            rh__page_run_json(f, shown.run, shown.scenes, finding->why.known ? finding->why.decisive : 0);
            rh__shown_release(&shown);
            put_why(f, finding);
            put_passing(f, r->world, finding);
        }
        fputc('}', f);
    }
    fputc(']', f);
}

bool rh__page_begin(struct rh__page *p, const char *program)
{
    *p = (struct rh__page){ 0 };
    p->body = open_memstream(&p->text, &p->size);
    if (!p->body)
        return false;
    fputs("{\"version\":1,", p->body);
    put_pair(p->body, "program", program);
    fputs(",\"results\":[", p->body);
    return true;
}

void rh__page_result(struct rh__page *p, const struct rh__result *r)
{
    fputs(p->count++ ? ",{" : "{", p->body);
    put_summary(p->body, r);
    put_findings(p->body, r);
    fputc('}', p->body);
}

void rh__page_missing(struct rh__page *p, const char *test, const char *model, const char *why)
{
    char headline[1024];
    struct rh__text t;
    fputs(p->count++ ? ",{" : "{", p->body);
    put_pair(p->body, "test", test);
    fputc(',', p->body);
    put_pair(p->body, "model", model);
    fputc(',', p->body);
    rh__text_init(&t, headline, sizeof headline);
    rh__text_add(&t, "%s (%s): %s", test, model, why);
    put_pair(p->body, "headline", headline);
    fputs(",\"result\":\"missing\",\"failures\":[],\"curve\":[],\"members\":[],\"coverage\":null,\"explorer\":\"\"}",
          p->body);
}

void rh__page_runs(struct rh__page *p, const struct rh__result *r, const struct rh__page_run *run,
                   const struct rh__page_run *beside)
{
    FILE *f = p->body;
    fputs(p->count++ ? ",{" : "{", f);
    put_summary(f, r);
    fputs(",\"failures\":[{", f);
    put_pair(f, "message", run->title);
    fprintf(f, ",\"kind\":\"\",\"place\":\"\",\"actor\":\"\",\"replay\":\"\",\"number\":0,\"count\":0,\"passed\":%s",
            run->failed ? "false" : "true");
    fputs(",\"run\":", f);
    rh__page_run_json(f, run->shown->run, run->shown->scenes,
                      run->finding && run->finding->why.known ? run->finding->why.decisive : 0);
    if (run->finding)
        put_why(f, run->finding);
    if (run->finding && !beside)
        put_passing(f, r->world, run->finding);
    if (beside) {
        fputs(",\"beside\":{", f);
        put_pair(f, "message", beside->title);
        fprintf(f, ",\"passed\":%s,\"run\":", beside->failed ? "false" : "true");
        rh__page_run_json(f, beside->shown->run, beside->shown->scenes, 0);
        fputc('}', f);
    }
    fputs("}]}", f);
}

bool rh__page_write(struct rh__page *p, FILE *f)
{
    fputs("]}", p->body);
    bool good = fclose(p->body) == 0;
    p->body = NULL;
    if (good)
        rh__page_put(f, p->text, p->size, "'none'");
    return good;
}

void rh__page_release(struct rh__page *p)
{
    if (p->body)
        fclose(p->body);
    free(p->text);
    *p = (struct rh__page){ 0 };
}
