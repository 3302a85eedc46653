/* See results.h. */
#include "results/results.h"

#include <rehearse/sandbox.h>
#include <stdio.h>
#include <stdlib.h>

#include "coverage/pack.h"

enum { TEXT_BYTES = 1 << 20, PROPERTY_BYTES = RH__MOST_PROPERTIES * sizeof(struct rh__property_result) };

struct rh__results *rh__results_new(size_t events)
{
    struct rh__results *r = rh_shared_new(sizeof *r);
    if (!r)
        return NULL;
    r->events = events;
    r->properties = rh_shared_new(PROPERTY_BYTES);
    r->texts = rh_shared_new(TEXT_BYTES);
    r->findings_memory = rh__findings_init(r->findings, events);
    if (rh__distinct_init(&r->distinct) && r->properties && r->texts && r->findings_memory)
        return r;
    rh__results_free(r);
    return NULL;
}

void rh__results_free(struct rh__results *r)
{
    if (!r)
        return;
    rh__findings_release(r->findings_memory, r->events);
    rh__distinct_release(&r->distinct);
    rh__coverage_free(r->coverage);
    rh_shared_free(r->properties, PROPERTY_BYTES);
    rh_shared_free(r->texts, TEXT_BYTES);
    rh_shared_free(r, sizeof *r);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Copies a text.  The copy lives as long as the results.  Returns "" if there is no room. */
static const char *keep_text(struct rh__results *r, const char *text)
{
    size_t size = strlen(text) + 1;
    if (size > TEXT_BYTES - r->texts_used)
        return "";
    char *copy = memcpy(r->texts + r->texts_used, text, size);
    r->texts_used += size;
    return copy;
}

static struct rh__finding *finding_with(struct rh__results *r, uint64_t signature)
{
    for (uint32_t i = 0; i < r->finding_count; i++)
        if (r->findings[i].signature == signature)
            return &r->findings[i];
    return NULL;
}

/* Returns NULL if there is no room.  Then the runs still count as failed. */
static struct rh__finding *new_finding(struct rh__results *r, uint64_t signature)
{
    if (r->finding_count == RH__MAX_FINDINGS)
        return NULL;
    struct rh__finding *f = &r->findings[r->finding_count++];
    f->signature = signature;
    f->count = 0;
    return f;
}

struct rh__finding *rh__results_find(struct rh__results *r, uint64_t signature, const uint32_t *picks,
                                     uint32_t pick_count)
{
    struct rh__finding *f = finding_with(r, signature);
    bool is_new = !f;
    if (is_new && !(f = new_finding(r, signature)))
        return NULL;
    f->count++;
    bool better = r->prefer_first_in_tree ? rh__picks_better(picks, pick_count, f->picks, f->pick_count)
                                          : pick_count < f->pick_count;
    return is_new || better ? f : NULL;
}

void rh__results_add_finding(struct rh__results *r, const struct rh__finding *f, bool whole)
{
    struct rh__finding *to = finding_with(r, f->signature);
    bool is_new = !to && whole;
    if (is_new)
        to = new_finding(r, f->signature);
    if (!to)
        return;
    to->count += f->count;
    if (is_new || (whole && rh__picks_better(f->picks, f->pick_count, to->picks, to->pick_count))) {
        uint64_t run = is_new ? r->count.runs + f->run : to->run;
        rh__finding_copy(to, f);
        to->run = run;
    }
}

static struct rh__property_result *new_property(struct rh__results *r, enum rh_property kind, const char *name,
                                                const char *place)
{
    struct rh__property_result *p = &r->properties[r->property_count++];
    *p = (struct rh__property_result){ .kind = kind, .place = keep_text(r, place) };
    snprintf(p->name, sizeof p->name, "%s", name);
    return p;
}

void rh__results_add_property(struct rh__results *r, const struct rh__property_result *p)
{
    uint32_t i = 0;
    while (i < r->property_count && (r->properties[i].kind != p->kind || strcmp(r->properties[i].name, p->name) != 0))
        i++;
    if (i == RH__MOST_PROPERTIES)
        return;
    struct rh__property_result *to =
        i < r->property_count ? &r->properties[i] : new_property(r, p->kind, p->name, p->place);
    to->held += p->held;
    to->failed += p->failed;
    to->ever_held |= p->ever_held;
}

void rh__results_add_escape(struct rh__results *r, const char *call, const char *place)
{
    for (uint32_t i = 0; i < r->escape_count; i++)
        if (strcmp(r->escapes[i].call, call) == 0 && strcmp(r->escapes[i].place, place) == 0)
            return;
    if (r->escape_count == RH__MOST_ESCAPES)
        return;
    struct rh_escape *e = &r->escapes[r->escape_count++];
    e->call = keep_text(r, call);
    snprintf(e->place, sizeof e->place, "%s", place);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void meet_properties(struct rh__results *r, const struct rh_world *w, uint32_t count)
{
    while (r->property_count < count) {
        struct rh_property_info p = rh_world_property(w, r->property_count);
        new_property(r, p.kind, p.name, p.place);
    }
}

void rh__results_meet(struct rh__results *r, const struct rh_world *w)
{
    uint32_t count = rh_world_property_count(w), escapes = rh_world_escape_count(w);
    meet_properties(r, w, count);
    for (uint32_t i = 0; i < count; i++)
        r->properties[i].ever_held |= rh_world_property(w, i).held > 0;
    for (uint32_t i = 0; i < escapes; i++) {
        struct rh_escape e = rh_world_escape(w, i);
        rh__results_add_escape(r, e.call, e.place);
    }
    r->own_properties = count;
    r->own_escapes = escapes < r->escape_count ? escapes : r->escape_count;
}

static void count_properties(struct rh__results *r, const struct rh_world *w, uint32_t count)
{
    if (count > r->property_count)
        meet_properties(r, w, count);
    for (uint32_t i = 0; i < count; i++) {
        struct rh_property_info p = rh_world_property(w, i);
        r->properties[i].held += p.held_in_run;
        r->properties[i].failed += p.failed_in_run;
    }
}

static void add_distinct(struct rh__results *r, struct rh_run *run, bool wants_new)
{
    if (wants_new)
        run->is_new = rh__distinct_add(&r->distinct, run->distinct);
    else if (!rh__distinct_passes_on(&r->distinct))
        rh__distinct_note(&r->distinct, run->distinct);
    if (rh__distinct_passes_on(&r->distinct))
        rh__distinct_put_pending(&r->distinct, run->distinct);
}

void rh__results_add_run(struct rh__results *r, const struct rh_world *w, struct rh_run *run, bool wants_new)
{
    struct rh__counts *c = &r->count;
    run->number = ++c->runs;
    c->steps += run->events - 1; /* the first event is the beginning of the run and no step */
    if (run->outcome == RH_OUTCOME_ASSUMED) {
        c->assumed++;
        return;
    }
    c->pruned += run->pruned;
    c->cut += run->outcome == RH_OUTCOME_CUT || (run->outcome == RH_OUTCOME_RUNNING && !run->pruned);
    if (!run->pruned) /* the events of a pruned run are a prefix of other runs, so the run is not distinct */
        add_distinct(r, run, wants_new);
    uint32_t properties = rh_world_property_count(w);
    if (properties)
        count_properties(r, w, properties);
    if (run->outcome == RH_OUTCOME_FINISHED)
        return;
    c->blocked += run->outcome == RH_OUTCOME_STUCK;
    c->failed += rh_outcome_failed(run->outcome);
}

void rh__results_add_aside(struct rh__results *r, const struct rh_world *w)
{
    count_properties(r, w, rh_world_property_count(w));
}

void rh__results_add_failed_body(struct rh__results *r, const struct rh_world *w)
{
    r->count.runs++;
    r->count.failed++;
    count_properties(r, w, rh_world_property_count(w));
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static void add_hash(void *arg, uint64_t hash)
{
    rh__distinct_add(arg, hash);
}

static void add_hashes(struct rh__distinct_set *to, const struct rh__distinct_set *from)
{
    rh__distinct_each(from, add_hash, to);
    rh__distinct_add_all(to, from->noted, from->noted_count);
    rh__distinct_add_all(to, from->pending, from->pending_count);
    to->at_least |= from->at_least;
}

/* Adds the coverage.  No other part of an addition can fail. */
static bool add_coverage(struct rh__coverage *to, const struct rh__coverage *from)
{
    char error[256];
    struct rh__writer bytes = rh__writer_new();
    if (!from)
        return true;
    rh__coverage_pack(from, &bytes);
    bool good = to && !bytes.full && rh__coverage_unpack(to, bytes.at, bytes.len, error, sizeof error);
    rh__writer_release(&bytes);
    return good;
}

bool rh__results_add(struct rh__results *r, const struct rh__results *other)
{
    if (other->events > r->events || !add_coverage(r->coverage, other->coverage))
        return false;
    add_hashes(&r->distinct, &other->distinct);
    for (uint32_t i = 0; i < other->finding_count; i++)
        rh__results_add_finding(r, &other->findings[i], true);
    for (uint32_t i = 0; i < other->property_count; i++)
        rh__results_add_property(r, &other->properties[i]);
    for (uint32_t i = 0; i < other->escape_count; i++)
        rh__results_add_escape(r, other->escapes[i].call, other->escapes[i].place);
#define RH__X(name) r->count.name += other->count.name;
    RH__COUNTS(RH__X)
#undef RH__X
    r->share += other->share;
    r->share_runs += other->share_runs;
    r->incomplete |= other->incomplete;
    r->bounded |= other->bounded;
    r->diverged |= other->diverged;
    r->shares_globals |= other->shares_globals;
    return true;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static int by_place_in_the_tree(const void *a, const void *b)
{
    const struct rh__finding *f = a, *g = b;
    return rh__picks_before(f->picks, f->pick_count, g->picks, g->pick_count)   ? -1
           : rh__picks_before(g->picks, g->pick_count, f->picks, f->pick_count) ? 1
                                                                                : 0;
}

static int by_place_in_the_program(const void *a, const void *b)
{
    const struct rh__property_result *p = a, *q = b;
    int order = strcmp(p->place, q->place);
    return order ? order : strcmp(p->name, q->name);
}

static int by_place_of_call(const void *a, const void *b)
{
    const struct rh_escape *e = a, *f = b;
    int order = strcmp(e->place, f->place);
    return order ? order : strcmp(e->call, f->call);
}

void rh__results_sort(struct rh__results *r)
{
    qsort(r->findings, r->finding_count, sizeof *r->findings, by_place_in_the_tree);
    qsort(r->properties + r->own_properties, r->property_count - r->own_properties, sizeof *r->properties,
          by_place_in_the_program);
    qsort(r->escapes + r->own_escapes, r->escape_count - r->own_escapes, sizeof *r->escapes, by_place_of_call);
}
