/* The reasons why a test failed, in the same order for every reporter (result.h). */
#include <stdio.h>
#include <string.h>

#include "report/result.h"

static void of_finding(const struct rh__result *r, uint32_t i, struct rh__failure *f)
{
    const struct rh__finding *g = &r->x->results->findings[i];
    f->kind = rh_outcome_name(g->outcome.kind);
    f->message = g->outcome.text;
    f->place = g->outcome.place;
    f->actor = g->actor;
    f->story = g->story;
    f->reason = g->reason;
    f->decided = g->decided;
    f->schedule = r->files[i];
    f->run = g->run;
    f->count = g->count;
}

static bool of_property(const struct rh__result *r, uint32_t i, struct rh__failure *f)
{
    if (!rh__result_never(r))
        return false;
    for (uint32_t k = 0; k < r->x->results->property_count; k++) {
        const struct rh__property_result *p = &r->x->results->properties[k];
        if (!rh__result_never_held(r, p) || i--)
            continue;
        struct rh__text t;
        rh__text_init(&t, f->text, sizeof f->text);
        rh__text_add(&t, "sometimes `%s` held in no run", p->name);
        f->kind = rh_outcome_name(RH_OUTCOME_PROPERTY);
        f->message = f->text;
        f->place = p->place;
        return true;
    }
    return false;
}

bool rh__result_failure(const struct rh__result *r, uint32_t i, struct rh__failure *f)
{
    bool differs = r->determinism.kind != RH_OUTCOME_FINISHED;
    f->place = f->actor = f->story = f->reason = f->decided = f->schedule = "";
    f->run = f->count = 0;
    if (i < r->x->results->finding_count) {
        of_finding(r, i, f);
        return true;
    }
    i -= r->x->results->finding_count;
    if (differs && i == 0) {
        f->kind = rh_outcome_name(r->determinism.kind);
        f->message = r->determinism.text;
        f->run = f->count = 1;
        return true;
    }
    return of_property(r, i - differs, f);
}

void rh__failure_replay(const struct rh__result *r, const struct rh__failure *f, struct rh__text *t)
{
    if (*f->schedule)
        rh__text_add(t, "rehearse replay %s %s", r->program, f->schedule);
}
