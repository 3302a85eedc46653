/* See measure.h. */
#include "explore/engine/measure.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "coverage/scratch.h"
#include "trace/schedule.h"

/* Writes the subject of the coverage.  Sets of goals are merged only if their subjects are equal. */
static void write_subject(const struct rh__run *r, struct rh__text *t)
{
    static const struct rh_semantics none;
    rh__text_add(t, "%s", r->test);
    for (size_t i = 0; i < r->param_count; i++)
        rh__text_add(t, " %s=%s", r->params[i].name, r->params[i].value);
    rh__text_add(t, "\n");
    struct rh_semantics s = *r->semantics;
    s.seed = 0;                       /* all seeds belong to the same subject */
    s.granularity = none.granularity; /* goals do not depend on the granularity */
    rh__semantics_write(&s, &none, t);
}

static struct rh__measure *measure_new(struct rh_exploration *x, uint32_t criteria)
{
    const struct rh__run *r = rh__world_run(x->world);
    uint32_t events = r->semantics->max_steps + 2, actors = r->semantics->max_actors;
    size_t names = rh__identities_size(events, actors), size = sizeof(struct rh__measure) + names;
    size = (size + 15) / 16 * 16 + (size_t)events * sizeof(struct rh__coverage_step);
    struct rh__measure *m = rh_shared_new(size);
    char subject[4096];
    struct rh__text t;
    if (!m)
        return NULL;
    rh__text_init(&t, subject, sizeof subject);
    write_subject(r, &t);
    m->size = size;
    x->results->coverage = rh__coverage_new(criteria, subject);
    rh__identities_init(&m->names, m + 1, events, actors);
    m->list = (struct rh__coverage_step *)((char *)m + size) - events;
    if (!x->results->coverage) {
        rh_shared_free(m, size);
        return NULL;
    }
    x->results->coverage->grain = r->semantics->granularity;
    return m;
}

bool rh__measure(struct rh_exploration *x, uint32_t criteria)
{
    if (!x->measure)
        x->measure = measure_new(x, criteria);
    if (x->measure)
        x->results->coverage->criteria |= criteria;
    return x->measure != NULL;
}

static void name_step(void *arg, uint32_t step, bool receive, char *buffer, size_t size)
{
    const struct rh__run *r = arg;
    const struct rh_choice *c = rh__run_choice(r, step);
    char from[256];
    if (!receive) {
        rh__run_actor_name(r, c->actor, buffer, size);
    } else if (c->kind == RH_CHOICE_DELIVER) {
        const struct rh__run_message *m = rh__run_message(r, c->what);
        rh__run_actor_name(r, m->seen_as, from, sizeof from);
        snprintf(buffer, size, "%s from %s", m->type->name, from);
    } else if (c->arg) {
        snprintf(buffer, size, "timer \"%s\"", rh__run_text(r, c->arg));
    } else {
        snprintf(buffer, size, "end of a wait");
    }
}

static bool grew(const struct rh__growth *a, const struct rh__growth *b)
{
    for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
        if (a->counts[i].goals != b->counts[i].goals)
            return true;
    return false;
}

/* Adds a point to the growth curve.  If the curve is full, every second point is removed, and later points are farther
 * apart. */
void rh__measure_growth(struct rh_exploration *x)
{
    struct rh__measure *m = x->measure;
    struct rh__growth now = { .run = x->results->count.runs, .seconds = rh__now_seconds() - x->clock.started },
                      none = { .run = 0 };
    const struct rh__growth *last = m->growth_count ? &m->growth[m->growth_count - 1] : &none;
    memcpy(now.counts, x->results->coverage->counts, sizeof now.counts);
    if (!grew(&now, last) || (m->growth_count && now.run < last->run + m->growth_apart))
        return;
    if (m->growth_count == RH__MOST_GROWTH) {
        for (uint32_t i = 0; i < RH__MOST_GROWTH / 2; i++)
            m->growth[i] = m->growth[2 * i];
        m->growth_count = RH__MOST_GROWTH / 2;
        m->growth_apart = m->growth_apart ? m->growth_apart * 2 : 2;
    }
    m->growth[m->growth_count++] = now;
}

void rh__measure_nothing(struct rh_exploration *x)
{
    rh__coverage_no_news(x->results->coverage);
}

void rh__measure_run(struct rh_exploration *x)
{
    struct rh__measure *m = x->measure;
    const struct rh__run *r = rh__world_run(x->world);
    uint32_t *scratch = rh__scratch(5, rh__steps_scratch(r) * sizeof *scratch);
    if (!scratch) {
        x->results->coverage->full = 1;
        return;
    }
    rh__identities_begin(&m->names);
    rh__identities_follow(&m->names, r);
    rh__steps_of(r, &m->names, &m->steps, m->list, scratch);
    rh__coverage_add(x->results->coverage, &m->steps, m->names.actor_id, name_step, (void *)(uintptr_t)r);
    rh__measure_growth(x);
    bool raised = false;
    for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
        raised |= x->results->coverage->criteria >> i & 1 && x->results->coverage->news[i].goals;
    if (raised && m->keep)
        m->keep(x, m->keep_arg);
}

void rh__measure_free(struct rh_exploration *x)
{
    if (x->measure)
        rh_shared_free(x->measure, x->measure->size);
}
