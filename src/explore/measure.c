/* See measure.h. */
#include "explore/measure.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "coverage/scratch.h"
#include "trace/schedule.h"
#include "world/state.h"

/* What the coverage is of: sets of goals are merged only where that is the same. */
static void write_subject(const struct rh_world *w, struct rh__text *t)
{
    static const struct rh_semantics none;
    rh__text_add(t, "%s", w->test->name);
    for (size_t i = 0; i < w->param_count; i++)
        rh__text_add(t, " %s=%s", w->params[i].name, w->params[i].value);
    rh__text_add(t, "\n");
    struct rh_semantics s = w->semantics;
    s.seed = 0;                       /* schedules of any seed are schedules of the same program */
    s.granularity = none.granularity; /* goals do not depend on it */
    rh__semantics_write(&s, &none, t);
}

static struct rh__measure *measure_new(struct rh_exploration *x, uint32_t criteria)
{
    struct rh_world *w = x->world;
    uint32_t events = w->semantics.max_steps + 2, actors = w->semantics.max_actors;
    size_t names = rh__identities_size(events, actors), size = sizeof(struct rh__measure) + names;
    size = (size + 15) / 16 * 16 + (size_t)events * sizeof(struct rh__step);
    struct rh__measure *m = rh_shared_new(size);
    char subject[4096];
    struct rh__text t;
    if (!m)
        return NULL;
    rh__text_init(&t, subject, sizeof subject);
    write_subject(w, &t);
    m->size = size;
    m->coverage = rh__coverage_new(criteria, subject);
    rh__identities_init(&m->names, m + 1, events, actors);
    m->list = (struct rh__step *)((char *)m + size) - events;
    if (!m->coverage) {
        rh_shared_free(m, size);
        return NULL;
    }
    m->coverage->grain = w->semantics.granularity;
    return m;
}

bool rh__measure(struct rh_exploration *x, uint32_t criteria)
{
    if (!x->measure)
        x->measure = measure_new(x, criteria);
    if (x->measure)
        x->measure->coverage->criteria |= criteria;
    return x->measure != NULL;
}

static void name_step(void *arg, uint32_t step, bool receive, char *buffer, size_t size)
{
    const struct rh_world *w = arg;
    const struct rh_choice *c = &w->events[step].choice;
    char from[256];
    if (!receive) {
        rh_world_actor_name(w, c->actor, buffer, size);
    } else if (c->kind == RH_CHOICE_DELIVER) {
        const struct message *m = &w->messages[c->what];
        rh_world_actor_name(w, m->seen_as, from, sizeof from);
        snprintf(buffer, size, "%s from %s", m->type->name, from);
    } else if (c->arg) {
        snprintf(buffer, size, "timer \"%s\"", w->payload + (uint64_t)c->arg * 16);
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

/* When there are too many points, every second one goes, and the next ones are farther apart. */
void rh__measure_growth(struct rh_exploration *x)
{
    struct rh__measure *m = x->measure;
    struct rh__growth now = { .run = x->runs, .seconds = rh__now_seconds() - x->started }, none = { .run = 0 };
    const struct rh__growth *last = m->growth_count ? &m->growth[m->growth_count - 1] : &none;
    memcpy(now.counts, m->coverage->counts, sizeof now.counts);
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
    rh__coverage_no_news(x->measure->coverage);
}

void rh__measure_run(struct rh_exploration *x)
{
    struct rh__measure *m = x->measure;
    struct rh_world *w = x->world;
    uint32_t *scratch = rh__scratch(5, rh__steps_scratch(w) * sizeof *scratch);
    if (!scratch) {
        m->coverage->full = 1;
        return;
    }
    rh__identities_begin(&m->names);
    rh__identities_follow(&m->names, w);
    rh__steps_of(w, &m->names, &m->steps, m->list, scratch);
    rh__coverage_add(m->coverage, &m->steps, m->names.actor_id, name_step, w);
    rh__measure_growth(x);
    bool raised = false;
    for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
        raised |= m->coverage->criteria >> i & 1 && m->coverage->news[i].goals;
    if (raised && m->keep)
        m->keep(x, m->keep_arg);
}

void rh__measure_free(struct rh_exploration *x)
{
    if (!x->measure) /* nothing is changed: a worker frees what the agent goes on using */
        return;
    rh__coverage_free(x->measure->coverage);
    rh_shared_free(x->measure, x->measure->size);
}
