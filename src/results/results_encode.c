/* Results as bytes (results.h):
 *
 *     version; the counts; share, runs in the share; flags
 *     distinct runs: a block of hashes
 *     findings: signature, count, a flag, and the rest of the finding if the flag is set
 *     properties: kind, name, place, runs in which it held and failed, whether it ever held
 *     escapes: call, place
 *     coverage: a block; empty if nothing is new or coverage is not measured
 *
 * The bytes are read twice.  The first reading checks all bytes and changes nothing.  Then come all steps that need
 * memory and may fail.  The second reading adds the rest and cannot fail. */
#include "coverage/pack.h"
#include "results/results.h"
#include "run/encode.h"

enum { VERSION = 0xc8, INCOMPLETE = 1, DIVERGED = 2, AT_LEAST = 4, SHARES_GLOBALS = 8, BOUNDED = 16, ALL_FLAGS = 31 };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_hash(void *arg, uint64_t hash)
{
    rh__put64(arg, hash);
}

static void put_hashes(const struct rh__distinct_set *s, bool since, struct rh__writer *w)
{
    uint64_t noted = since ? 0 : s->noted_count, count = since ? 0 : s->count;
    rh__put_small(w, (count + noted + s->pending_count) * sizeof(uint64_t));
    if (!since)
        rh__distinct_each(s, put_hash, w);
    rh__put(w, s->noted, noted * sizeof *s->noted);
    rh__put(w, s->pending, s->pending_count * sizeof *s->pending);
}

static void put_findings(const struct rh__results *r, const struct rh__results_mark *since, struct rh__writer *w)
{
    rh__put_small(w, r->finding_count);
    for (uint32_t i = 0; i < r->finding_count; i++) {
        const struct rh__finding *f = &r->findings[i];
        bool whole = !since || f->changed;
        rh__put64(w, f->signature);
        rh__put_small(w, f->count - (since ? since->findings[i] : 0));
        rh__put_small(w, whole);
        if (!whole)
            continue;
        rh__put_small(w, f->run - (since ? since->count.runs : 0));
        rh__put_small(w, f->outcome.kind);
        rh__put32(w, f->outcome.actor);
        rh__put_text(w, f->outcome.place);
        rh__put_text(w, f->outcome.text);
        rh__put_text(w, f->actor);
        rh__put_block(w, f->picks, f->pick_count * sizeof *f->picks);
        rh__put_block(w, f->encoded, f->encoded_size);
    }
}

static void put_properties(const struct rh__results *r, const struct rh__results_mark *since, struct rh__writer *w)
{
    rh__put_small(w, r->property_count);
    for (uint32_t i = 0; i < r->property_count; i++) {
        const struct rh__property_result *p = &r->properties[i];
        rh__put_small(w, p->kind);
        rh__put_text(w, p->name);
        rh__put_text(w, p->place);
        rh__put_small(w, p->held - (since ? since->tally[i].held : 0));
        rh__put_small(w, p->failed - (since ? since->tally[i].failed : 0));
        rh__put_small(w, p->ever_held);
    }
}

static void put_escapes(const struct rh__results *r, uint32_t from, struct rh__writer *w)
{
    rh__put_small(w, r->escape_count - from);
    for (uint32_t i = from; i < r->escape_count; i++) {
        rh__put_text(w, r->escapes[i].call);
        rh__put_text(w, r->escapes[i].place);
    }
}

/* Writes the whole coverage if any part is new.  Receiving a goal twice is harmless, because sets of goals are
 * united. */
static void put_coverage(const struct rh__results *r, uint64_t passed_on, struct rh__writer *w)
{
    struct rh__writer bytes = rh__writer_new();
    if (r->coverage && rh__coverage_changes(r->coverage) != passed_on)
        rh__coverage_pack(r->coverage, &bytes);
    w->full |= bytes.full;
    rh__put_block(w, bytes.at, bytes.len);
    rh__writer_release(&bytes);
}

void rh__results_encode(const struct rh__results *r, const struct rh__results_mark *since, struct rh__writer *w)
{
    rh__put_small(w, VERSION);
#define RH__X(name) rh__put_small(w, r->count.name - (since ? since->count.name : 0));
    RH__COUNTS(RH__X)
#undef RH__X
    rh__put_double(w, r->share);
    rh__put_small(w, r->share_runs);
    rh__put_small(w, (r->incomplete ? INCOMPLETE : 0) | (r->bounded ? BOUNDED : 0) | (r->diverged ? DIVERGED : 0) |
                         (r->distinct.at_least && !since ? AT_LEAST : 0) | (r->shares_globals ? SHARES_GLOBALS : 0));
    put_hashes(&r->distinct, since != NULL, w);
    put_findings(r, since, w);
    put_properties(r, since, w);
    put_escapes(r, since ? since->escapes : 0, w);
    put_coverage(r, since ? since->coverage : 0, w);
}

void rh__results_set_mark(struct rh__results *r, struct rh__results_mark *mark)
{
    mark->count = r->count;
    mark->escapes = r->escape_count;
    mark->coverage = r->coverage ? rh__coverage_changes(r->coverage) : 0;
    for (uint32_t i = 0; i < r->property_count; i++)
        mark->tally[i] = (struct rh__tally){ r->properties[i].held, r->properties[i].failed };
    for (uint32_t i = 0; i < r->finding_count; i++) {
        mark->findings[i] = r->findings[i].count;
        r->findings[i].changed = false;
    }
    r->distinct.pending_count = 0;
    r->share = 0;
    r->share_runs = 0;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The state of a reading.  The first reading has no `to` and fills in the other fields.  The second reading adds to
 * `to`. */
struct reading {
    struct rh__results *to;
    size_t events;     /* capacity of picks */
    size_t most_picks; /* size of the longest list of picks, in bytes */
    uint32_t *picks;   /* aligned copy of a list of picks, which is unaligned in the bytes */
    const void *coverage;
    size_t coverage_size;
};

static bool copy_text(char *to, size_t room, const char *text)
{
    size_t size = strlen(text) + 1;
    if (size > room)
        return false;
    memcpy(to, text, size);
    return true;
}

/* True if the bytes are empty or decode as a run. */
static bool is_run(const void *bytes, size_t size)
{
    char error[128];
    struct rh__run *r = size && size <= RH__RUN_BYTES ? rh__run_decode(bytes, size, error, sizeof error) : NULL;
    rh__run_free(r);
    return !size || r;
}

/* Reads a finding except its signature and count. */
static bool read_finding(struct rh__reader *r, struct rh__finding *f, struct reading *reading)
{
    size_t picks_size;
    f->run = rh__get_small(r);
    uint64_t kind = rh__get_small(r);
    f->outcome.kind = (enum rh_outcome_kind)kind;
    f->outcome.actor = rh__get32(r);
    if (kind >= RH_ROWS(RH_OUTCOMES) || !copy_text(f->outcome.place, sizeof f->outcome.place, rh__get_text(r)) ||
        !copy_text(f->outcome.text, sizeof f->outcome.text, rh__get_text(r)) ||
        !copy_text(f->actor, sizeof f->actor, rh__get_text(r)))
        return false;
    const void *picks = rh__get_block(r, &picks_size);
    const void *encoded = rh__get_block(r, &f->encoded_size);
    f->encoded = (unsigned char *)(uintptr_t)encoded; /* borrowed for this call */
    if (r->bad || picks_size > reading->events * sizeof *f->picks || picks_size % sizeof *f->picks ||
        (!reading->to && !is_run(encoded, f->encoded_size)))
        return false;
    f->pick_count = (uint32_t)(picks_size / sizeof *f->picks);
    if (reading->to)
        f->picks = memcpy(reading->picks, picks, picks_size);
    else if (picks_size > reading->most_picks)
        reading->most_picks = picks_size;
    return true;
}

static bool read_findings(struct rh__reader *r, struct reading *reading)
{
    struct rh__finding f;
    uint64_t n = rh__get_small(r);
    if (n > RH__MAX_FINDINGS)
        return false;
    for (; n && !r->bad; n--) {
        f.signature = rh__get64(r);
        f.count = rh__get_small(r);
        uint64_t whole = rh__get_small(r);
        if (whole > 1 || (whole && !read_finding(r, &f, reading)))
            return false;
        if (reading->to)
            rh__results_add_finding(reading->to, &f, whole != 0);
    }
    return true;
}

static bool read_properties(struct rh__reader *r, struct reading *reading)
{
    struct rh__property_result p;
    uint64_t n = rh__get_small(r);
    if (n > RH__MOST_PROPERTIES)
        return false;
    for (; n && !r->bad; n--) {
        uint64_t kind = rh__get_small(r);
        bool fits = copy_text(p.name, sizeof p.name, rh__get_text(r));
        p.kind = (enum rh_property)kind;
        p.place = rh__get_text(r);
        p.held = rh__get_small(r);
        p.failed = rh__get_small(r);
        uint64_t ever_held = rh__get_small(r);
        if (kind > RH_EVENTUALLY || ever_held > 1 || !fits)
            return false;
        p.ever_held = ever_held != 0;
        if (reading->to)
            rh__results_add_property(reading->to, &p);
    }
    return true;
}

static bool read_escapes(struct rh__reader *r, struct reading *reading)
{
    uint64_t n = rh__get_small(r);
    if (n > RH__MOST_ESCAPES)
        return false;
    for (; n && !r->bad; n--) {
        const char *call = rh__get_text(r), *place = rh__get_text(r);
        if (strlen(place) >= sizeof reading->to->escapes[0].place)
            return false;
        if (reading->to)
            rh__results_add_escape(reading->to, call, place);
    }
    return true;
}

static void add_hashes(struct rh__distinct_set *to, const unsigned char *bytes, size_t size)
{
    enum { SOME = 512 };
    uint64_t some[SOME]; /* aligned copy */
    for (size_t at = 0; at < size; at += sizeof some) {
        size_t n = size - at < sizeof some ? size - at : sizeof some;
        memcpy(some, bytes + at, n);
        rh__distinct_add_all(to, some, n / sizeof *some);
    }
}

static void add_counts(struct rh__results *to, const struct rh__counts *c, double share, uint64_t share_runs,
                       uint64_t flags)
{
#define RH__X(name) to->count.name += c->name;
    RH__COUNTS(RH__X)
#undef RH__X
    to->share += share;
    to->share_runs += share_runs;
    to->incomplete |= (flags & INCOMPLETE) != 0;
    to->bounded |= (flags & BOUNDED) != 0;
    to->diverged |= (flags & DIVERGED) != 0;
    to->distinct.at_least |= (flags & AT_LEAST) != 0;
    to->shares_globals |= (flags & SHARES_GLOBALS) != 0;
}

static bool is_possible(const struct rh__counts *c)
{
    return c->cut <= c->runs && c->pruned <= c->runs && c->blocked <= c->runs && c->failed <= c->runs &&
           c->assumed <= c->runs;
}

/* Does one reading.  Returns false if the bytes are invalid.  The second reading sees the same valid bytes and returns
 * true. */
static bool read_all(const void *bytes, size_t size, struct reading *reading)
{
    struct rh__reader r = rh__reader_of(bytes, size);
    struct rh__counts c;
    size_t hashes;
    bool good = rh__get_small(&r) == VERSION;
#define RH__X(name) c.name = rh__get_small(&r);
    RH__COUNTS(RH__X)
#undef RH__X
    double share = rh__get_double(&r);
    uint64_t share_runs = rh__get_small(&r), flags = rh__get_small(&r);
    const unsigned char *distinct = rh__get_block(&r, &hashes);
    good = good && is_possible(&c) && share >= 0 && share <= 2 && flags <= ALL_FLAGS && hashes % sizeof(uint64_t) == 0;
    if (reading->to)
        add_hashes(&reading->to->distinct, distinct, hashes);
    good = good && read_findings(&r, reading) && read_properties(&r, reading) && read_escapes(&r, reading);
    reading->coverage = rh__get_block(&r, &reading->coverage_size);
    if (reading->to)
        add_counts(reading->to, &c, share, share_runs, flags);
    return good && rh__reader_done(&r);
}

bool rh__results_look(const void *bytes, size_t size, struct rh__results_peek *peek)
{
    struct rh__reader r = rh__reader_of(bytes, size);
    size_t unused;
    bool good = rh__get_small(&r) == VERSION;
#define RH__X(name) peek->count.name = rh__get_small(&r);
    RH__COUNTS(RH__X)
#undef RH__X
    rh__get_double(&r);
    rh__get_small(&r);
    rh__get_small(&r);
    rh__get_block(&r, &unused);
    peek->findings = 0;
    for (uint64_t n = rh__get_small(&r); n && !r.bad; n--) {
        rh__get64(&r);
        peek->findings += rh__get_small(&r);
        if (!rh__get_small(&r))
            continue;
        rh__get_small(&r);
        rh__get_small(&r);
        rh__get32(&r);
        for (int i = 0; i < 5; i++) /* three texts, picks, the run */
            rh__get_block(&r, &unused);
    }
    return good && !r.bad;
}

static bool check(const struct rh__results *r, const void *bytes, size_t size, struct reading *reading)
{
    char error[256];
    *reading = (struct reading){ .events = r->events };
    return read_all(bytes, size, reading) &&
           (!reading->coverage_size ||
            (r->coverage &&
             rh__coverage_check(r->coverage, reading->coverage, reading->coverage_size, error, sizeof error)));
}

bool rh__results_check(const struct rh__results *r, const void *bytes, size_t size)
{
    struct reading reading;
    return check(r, bytes, size, &reading);
}

bool rh__results_add_encoded(struct rh__results *r, const void *bytes, size_t size)
{
    char error[256];
    struct reading reading;
    if (!check(r, bytes, size, &reading))
        return false;
    reading.picks = rh__alloc(reading.most_picks ? reading.most_picks : 1);
    bool good = reading.picks &&
                (!reading.coverage_size ||
                 rh__coverage_unpack(r->coverage, reading.coverage, reading.coverage_size, error, sizeof error));
    reading.to = good ? r : NULL;
    good = good && read_all(bytes, size, &reading);
    rh__free(reading.picks);
    return good;
}
