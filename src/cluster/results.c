/* See results.h.
 *
 *     version; runs steps cut blocked failed assumed; share, runs for it; flags
 *     behaviours: a block of hashes
 *     findings: signature, count, then flag and, if set, all of it
 *     properties: kind, name, place, runs in which it held and failed, whether it ever held
 *     escapes: call, place
 *     coverage: a block; empty where nothing is new, or nobody asked
 *     items: blocks
 *
 * Bytes are read twice: the first time only to see that all make sense.  Then what can fail for lack of memory is taken, and then all
 * else, which cannot. */
#include "cluster/results.h"

#include <stdlib.h>

#include "coverage/pack.h"
#include "explore/measure.h"
#include "world/state.h"

enum { VERSION = 0xc4, INCOMPLETE = 1, DIVERGED = 2, AT_LEAST = 4, SHARES_GLOBALS = 8, MOST_TEXTS = 1 << 20 };

bool rh__told_init(struct rh__told *t)
{
    *t = (struct rh__told){ .tally = rh_shared_new(MAX_PROPERTIES * sizeof *t->tally) };
    return t->tally != NULL;
}

void rh__told_release(struct rh__told *t)
{
    rh_shared_free(t->tally, MAX_PROPERTIES * sizeof *t->tally);
    t->tally = NULL;
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

static void put_counts(struct rh__writer *w, const struct rh_exploration *x, const struct rh__told *t, double share,
                       uint64_t share_runs, uint64_t flags)
{
    rh__put_small(w, VERSION);
    rh__put_small(w, x->runs - t->runs);
    rh__put_small(w, x->steps - t->steps);
    rh__put_small(w, x->cut - t->cut);
    rh__put_small(w, x->blocked - t->blocked);
    rh__put_small(w, x->failed - t->failed);
    rh__put_small(w, x->assumed - t->assumed);
    rh__put_double(w, share);
    rh__put_small(w, share_runs);
    rh__put_small(w, flags);
}

static void put_findings(struct rh__writer *w, const struct rh_exploration *x, bool all, uint64_t first_run)
{
    rh__put_small(w, x->finding_count);
    for (uint32_t i = 0; i < x->finding_count; i++) {
        const struct rh__finding *f = &x->findings[i];
        rh__put64(w, f->signature);
        rh__put_small(w, all ? f->count : f->count - f->told);
        rh__put_small(w, all || f->changed);
        if (!all && !f->changed)
            continue;
        rh__put_small(w, f->run - first_run);
        rh__put_small(w, f->outcome.kind);
        rh__put32(w, f->outcome.actor);
        rh__put_text(w, f->outcome.place);
        rh__put_text(w, f->outcome.text);
        rh__put_text(w, f->actor);
        rh__put_block(w, f->picks, f->pick_count * sizeof *f->picks);
        rh__put_text(w, f->schedule);
        rh__put_text(w, f->story);
    }
}

static void put_world(struct rh__writer *w, const struct rh_world *world, const struct rh__told *t)
{
    rh__put_small(w, world->property_count);
    for (uint32_t i = 0; i < world->property_count; i++) {
        const struct property *p = &world->properties[i];
        rh__put_small(w, p->kind);
        rh__put_text(w, p->name);
        rh__put_text(w, p->place);
        rh__put_small(w, p->held_in - t->tally[i].held);
        rh__put_small(w, p->failed_in - t->tally[i].failed);
        rh__put_small(w, p->held != 0);
    }
    rh__put_small(w, world->escape_count - t->escapes);
    for (uint32_t i = t->escapes; i < world->escape_count; i++) {
        rh__put_text(w, world->escapes[i].call);
        rh__put_text(w, world->escapes[i].place);
    }
}

/* All of it, if there is anything new in it since it was told last: sets can be united again and again. */
static void put_coverage(struct rh__writer *w, const struct rh_exploration *x, uint64_t told)
{
    struct rh__writer bytes = rh__writer_new();
    if (x->measure && rh__coverage_changes(x->measure->coverage) != told)
        rh__coverage_pack(x->measure->coverage, &bytes);
    w->full |= bytes.full;
    rh__put_block(w, bytes.at, bytes.len);
    rh__writer_release(&bytes);
}

void rh__results_write(struct rh__writer *w, struct rh_exploration *x, const struct rh__told *since, const void *items,
                       size_t items_size, uint32_t item_count)
{
    uint64_t share_runs = 0;
    double share = rh_inner_share(&x->explorer, &share_runs);
    /* It may have lost its way in the middle of the item. */
    bool lost = x->stillborn || (x->exhausted && rh_inner_can_finish(&x->explorer) &&
                                 rh_inner_verdict(&x->explorer) == RH_VERDICT_SAMPLED);
    put_counts(w, x, since, share, share_runs,
               (lost || x->incomplete ? INCOMPLETE : 0) | (x->diverged ? DIVERGED : 0) |
                   (*x->world->globals_writer ? SHARES_GLOBALS : 0));
    rh__put_block(w, x->news.list, x->news.count * sizeof *x->news.list);
    put_findings(w, x, false, since->runs);
    put_world(w, x->world, since);
    put_coverage(w, x, since->coverage);
    rh__put_small(w, item_count);
    rh__put(w, items, items_size);
}

void rh__results_told(struct rh_exploration *x, struct rh__told *t)
{
    t->runs = x->runs;
    t->steps = x->steps;
    t->cut = x->cut;
    t->blocked = x->blocked;
    t->failed = x->failed;
    t->assumed = x->assumed;
    t->escapes = x->world->escape_count;
    t->coverage = x->measure ? rh__coverage_changes(x->measure->coverage) : 0;
    for (uint32_t i = 0; i < x->world->property_count; i++)
        t->tally[i] = (struct rh__tally){ x->world->properties[i].held_in, x->world->properties[i].failed_in };
    for (uint32_t i = 0; i < x->finding_count; i++) {
        x->findings[i].told = x->findings[i].count;
        x->findings[i].changed = false;
    }
    x->news.count = 0;
}

static void put_behaviour(void *arg, uint64_t hash)
{
    rh__put64(arg, hash);
}

void rh__sums_write(struct rh__writer *w, const struct rh_exploration *x, const struct rh__told *before)
{
    put_counts(w, x, before, x->share, x->share_runs,
               (x->incomplete ? INCOMPLETE : 0) | (x->diverged ? DIVERGED : 0) |
                   (x->behaviours_at_least ? AT_LEAST : 0) | (x->shares_globals ? SHARES_GLOBALS : 0));
    rh__put_small(w, x->behaviours * sizeof(uint64_t));
    rh__exploration_each_behaviour(x, put_behaviour, w);
    put_findings(w, x, true, 0);
    put_world(w, x->world, before);
    put_coverage(w, x, 0);
    rh__put_small(w, 0);
}

/* ---- adding up -------------------------------------------------------------------------------------------------------- */

/* A text that stays, for as long as the exploration does. */
static const char *keep_text(struct rh_exploration *x, const char *text)
{
    size_t size = strlen(text) + 1;
    if (!x->texts)
        x->texts = rh_exploration_memory(x, MOST_TEXTS);
    if (!x->texts || size > MOST_TEXTS - x->texts_used)
        return "";
    char *kept = memcpy(x->texts + x->texts_used, text, size);
    x->texts_used += size;
    return kept;
}

static bool copy_text(char *to, size_t room, const char *text)
{
    size_t size = strlen(text) + 1;
    if (size > room)
        return false;
    memcpy(to, text, size);
    return true;
}

static struct rh__finding *finding_with(struct rh_exploration *x, uint64_t signature)
{
    for (uint32_t i = 0; i < x->finding_count; i++)
        if (x->findings[i].signature == signature)
            return &x->findings[i];
    return NULL;
}

/* What can fail for lack of memory, as the first reading finds it. */
struct parts {
    const void *coverage;
    size_t coverage_size;
    struct rh__reader items;
    uint64_t item_count;
    size_t picks; /* bytes of the longest list of picks */
    uint32_t *scratch;
};

/* What there is to know about a finding; where it is only looked at, `f` is NULL. */
static bool read_finding(struct rh_exploration *x, struct rh__reader *r, struct rh__finding *f, bool is_new,
                         struct parts *p)
{
    struct rh_outcome o;
    size_t picks_size, most = ((size_t)x->world->semantics.max_steps + 1) * sizeof(uint32_t);
    uint64_t run = rh__get_small(r), kind = rh__get_small(r);
    o.kind = (enum rh_outcome_kind)kind;
    o.actor = rh__get32(r);
    bool fits = kind <= RH_OUTCOME_NONDETERMINISM && copy_text(o.place, sizeof o.place, rh__get_text(r)) &&
                copy_text(o.text, sizeof o.text, rh__get_text(r));
    if (!fits)
        return false;
    const char *actor = rh__get_text(r);
    const void *picks = rh__get_block(r, &picks_size);
    const char *schedule = rh__get_text(r), *story = rh__get_text(r);
    if (r->bad || strlen(actor) >= sizeof f->actor || picks_size > most || picks_size % sizeof(uint32_t) ||
        strlen(schedule) >= RH__SCHEDULE_BYTES || strlen(story) >= RH__STORY_BYTES)
        return false;
    p->picks = picks_size > p->picks ? picks_size : p->picks;
    if (!f)
        return true;
    uint32_t *aligned = memcpy(p->scratch, picks, picks_size); /* bytes may lie anywhere */
    uint32_t count = (uint32_t)(picks_size / sizeof *aligned);
    if (is_new || rh__picks_before(aligned, count, f->picks, f->pick_count)) {
        f->run = x->runs + run;
        f->outcome = o;
        copy_text(f->actor, sizeof f->actor, actor);
        memcpy(f->picks, aligned, picks_size);
        f->pick_count = count;
        copy_text(f->schedule, RH__SCHEDULE_BYTES, schedule);
        copy_text(f->story, RH__STORY_BYTES, story);
        f->changed = true;
    }
    return true;
}

static bool read_findings(struct rh_exploration *x, struct rh__reader *r, bool apply, struct parts *p)
{
    uint64_t n = rh__get_small(r);
    if (n > RH__MAX_FINDINGS)
        return false;
    for (; n && !r->bad; n--) {
        uint64_t signature = rh__get64(r), count = rh__get_small(r);
        bool whole = rh__get_small(r) != 0;
        struct rh__finding *f = apply ? finding_with(x, signature) : NULL;
        bool is_new = apply && !f && whole && x->finding_count < RH__MAX_FINDINGS;
        if (is_new) {
            f = &x->findings[x->finding_count++];
            f->signature = signature;
            f->count = 0;
        }
        if (f)
            f->count += count;
        if (whole && !read_finding(x, r, f, is_new, p))
            return false;
    }
    return true;
}

static bool read_properties(struct rh_exploration *x, struct rh__reader *r, bool apply)
{
    struct rh_world *w = x->world;
    uint64_t n = rh__get_small(r);
    if (n > MAX_PROPERTIES)
        return false;
    for (; n && !r->bad; n--) {
        uint64_t kind = rh__get_small(r);
        const char *name = rh__get_text(r), *place = rh__get_text(r);
        uint64_t held = rh__get_small(r), failed = rh__get_small(r), ever = rh__get_small(r);
        if (kind > RH_EVENTUALLY || ever > 1 || strlen(name) >= PROPERTY_NAME)
            return false;
        if (!apply)
            continue;
        uint32_t i = 0;
        while (i < w->property_count && (w->properties[i].kind != kind || strcmp(w->properties[i].name, name) != 0))
            i++;
        if (i == MAX_PROPERTIES)
            continue;
        struct property *p = &w->properties[i];
        if (i == w->property_count) {
            *p = (struct property){ .place = keep_text(x, place), .kind = (uint32_t)kind };
            copy_text(p->name, sizeof p->name, name);
            w->property_count++;
        }
        p->held_in += held;
        p->failed_in += failed;
        p->held |= ever;
    }
    return true;
}

static bool read_escapes(struct rh_exploration *x, struct rh__reader *r, bool apply)
{
    struct rh_world *w = x->world;
    uint64_t n = rh__get_small(r);
    if (n > MAX_ESCAPES)
        return false;
    for (; n && !r->bad; n--) {
        const char *call = rh__get_text(r), *place = rh__get_text(r);
        if (strlen(place) >= sizeof w->escapes[0].place)
            return false;
        bool known = !apply || w->escape_count == MAX_ESCAPES;
        for (uint32_t i = 0; i < w->escape_count && !known; i++)
            known = strcmp(w->escapes[i].call, call) == 0 && strcmp(w->escapes[i].place, place) == 0;
        if (known)
            continue;
        struct rh_escape *e = &w->escapes[w->escape_count++];
        e->call = keep_text(x, call);
        copy_text(e->place, sizeof e->place, place);
    }
    return true;
}

static void add_behaviours(struct rh_exploration *x, const unsigned char *bytes, size_t size)
{
    enum { SOME = 512 };
    uint64_t some[SOME]; /* for the alignment */
    for (size_t at = 0; at < size; at += sizeof some) {
        size_t n = size - at < sizeof some ? size - at : sizeof some;
        memcpy(some, bytes + at, n);
        rh__exploration_add_behaviours(x, some, n / sizeof *some);
    }
}

static bool read_coverage(const struct rh_exploration *x, struct rh__reader *r, struct parts *p)
{
    char error[256];
    p->coverage = rh__get_block(r, &p->coverage_size);
    if (r->bad || !p->coverage_size)
        return !r->bad;
    return x->measure && rh__coverage_check(x->measure->coverage, p->coverage, p->coverage_size, error, sizeof error);
}

static bool read_items(struct rh__reader *r, struct parts *p)
{
    size_t size;
    p->item_count = rh__get_small(r);
    p->items = *r;
    for (uint64_t i = 0; i < p->item_count && i < RH__MOST_PARTS && !r->bad; i++)
        rh__get_block(r, &size);
    return p->item_count <= RH__MOST_PARTS && rh__reader_done(r);
}

/* Not `apply`: nothing is changed but `p`.  Else, for bytes that have been looked at, nothing can fail; coverage and items have been
 * taken. */
static bool walk(struct rh_exploration *x, const void *bytes, size_t size, bool apply, struct parts *p)
{
    struct rh__reader r = rh__reader_of(bytes, size);
    size_t hashes;
    uint64_t count[6];
    bool good = rh__get_small(&r) == VERSION;
    for (int i = 0; i < 6; i++)
        count[i] = rh__get_small(&r);
    double share = rh__get_double(&r);
    uint64_t share_runs = rh__get_small(&r), flags = rh__get_small(&r);
    const unsigned char *behaviours = rh__get_block(&r, &hashes);
    good = good && share >= 0 && share <= 2 && flags <= (INCOMPLETE | DIVERGED | AT_LEAST | SHARES_GLOBALS) &&
           hashes % 8 == 0 && count[2] <= count[0] && count[3] <= count[0] && count[4] <= count[0] &&
           count[5] <= count[0];
    if (apply)
        add_behaviours(x, behaviours, hashes);
    good = good && read_findings(x, &r, apply, p) && read_properties(x, &r, apply) && read_escapes(x, &r, apply);
    if (!apply)
        return good && read_coverage(x, &r, p) && read_items(&r, p);
    x->runs += count[0];
    x->steps += count[1];
    x->cut += count[2];
    x->blocked += count[3];
    x->failed += count[4];
    x->assumed += count[5];
    x->share += share;
    x->share_runs += share_runs;
    x->incomplete |= (flags & INCOMPLETE) != 0;
    x->diverged |= (flags & DIVERGED) != 0;
    x->behaviours_at_least |= (flags & AT_LEAST) != 0;
    x->shares_globals |= (flags & SHARES_GLOBALS) != 0;
    return true;
}

static bool take_items(struct parts *p, bool (*rest)(void *arg, const void *item, size_t size), void *arg)
{
    size_t size;
    bool good = true;
    for (uint64_t i = 0; i < p->item_count && good; i++) {
        const void *item = rh__get_block(&p->items, &size);
        good = rest(arg, item, size);
    }
    return good;
}

static bool take_coverage(struct rh_exploration *x, const struct parts *p)
{
    char error[256];
    if (!p->coverage_size)
        return true;
    if (!rh__coverage_unpack(x->measure->coverage, p->coverage, p->coverage_size, error, sizeof error))
        return false;
    rh__measure_growth(x);
    return true;
}

bool rh__results_add(struct rh_exploration *x, const void *bytes, size_t size,
                     bool (*rest)(void *arg, const void *item, size_t size), void *arg)
{
    struct parts p = { .coverage = NULL };
    if (!walk(x, bytes, size, false, &p))
        return false;
    p.scratch = rh__alloc(p.picks ? p.picks : 1);
    bool good = p.scratch && take_items(&p, rest, arg) && take_coverage(x, &p) && walk(x, bytes, size, true, &p);
    rh__free(p.scratch);
    return good;
}

/* ---- order ------------------------------------------------------------------------------------------------------------ */

static int by_place_in_the_tree(const void *a, const void *b)
{
    const struct rh__finding *f = a, *g = b;
    return rh__picks_before(f->picks, f->pick_count, g->picks, g->pick_count)   ? -1
           : rh__picks_before(g->picks, g->pick_count, f->picks, f->pick_count) ? 1
                                                                                : 0;
}

static int by_place_in_the_program(const void *a, const void *b)
{
    const struct property *p = a, *q = b;
    int order = strcmp(p->place, q->place);
    return order ? order : strcmp(p->name, q->name);
}

void rh__sums_settle(struct rh_exploration *x, uint32_t properties_before)
{
    struct rh_world *w = x->world;
    qsort(x->findings, x->finding_count, sizeof *x->findings, by_place_in_the_tree);
    qsort(w->properties + properties_before, w->property_count - properties_before, sizeof *w->properties,
          by_place_in_the_program);
}
