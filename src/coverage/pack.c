/* See pack.h.
 *
 *     version; subject; criteria, flags, granularity, runs
 *     actors: id, name
 *     receives: id, actor, whether it changes handlers, text
 *     for each actor with two receives or more and each matrix: its rows, as blocks of words
 *
 * A receive's bit is its index among the receives of its actor, in the order of the list. */
#include "coverage/pack.h"

#include <errno.h>
#include <stdio.h>

#include "base/files.h"
#include "base/hash.h"

enum { VERSION = 0xc3, FULL = 1, EXHAUSTED = 2, MOST_FILE = 1 << 30 };
/* A file has the line `rehearse coverage 4`, the bytes, and their hash.  Version 1 had no hash and is refused. */
static const char magic[] = "rehearse coverage ";
enum { FILE_VERSION = 4 };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static uint32_t words_of(uint32_t receives)
{
    return (receives + 63) / 64;
}

void rh__coverage_pack(const struct rh__coverage *c, struct rh__writer *w)
{
    rh__put_small(w, VERSION);
    rh__put_text(w, rh__coverage_text(c, c->subject));
    rh__put_small(w, c->criteria);
    rh__put_small(w, (c->full ? FULL : 0) | (c->exhausted ? EXHAUSTED : 0));
    rh__put_small(w, c->grain);
    rh__put_small(w, c->runs);
    rh__put_small(w, c->actor_count);
    for (uint32_t i = 0; i < c->actor_count; i++) {
        const struct rh__covered_actor *a = rh__covered_actor(c, i);
        rh__put64(w, a->id);
        rh__put_text(w, rh__coverage_text(c, a->name));
    }
    rh__put_small(w, c->receive_count);
    for (uint32_t i = 0; i < c->receive_count; i++) {
        const struct rh__covered_receive *r = rh__covered_receive(c, i);
        rh__put64(w, r->id);
        rh__put_small(w, r->actor);
        rh__put_small(w, r->becomes);
        rh__put_text(w, rh__coverage_text(c, r->text));
    }
    for (uint32_t i = 0; i < c->actor_count; i++) {
        const struct rh__covered_actor *a = rh__covered_actor(c, i);
        for (uint32_t m = 0; m < RH__MATRICES && a->count > 1; m++)
            for (uint32_t bit = 0; bit < a->count; bit++)
                rh__put(w, rh__coverage_row(c, a, m, bit), words_of(a->count) * sizeof(uint64_t));
    }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* What was read: for each of their actors, our actor and its number of receives; for each of their receives, ours. */
struct reading {
    struct rh__coverage *c; /* NULL: check only */
    struct rh__reader r;
    uint32_t *actors, *counts, *starts, *receives, *by_actor;
    uint32_t actor_count, receive_count;
};

static bool read_actors(struct reading *t)
{
    for (uint32_t i = 0; i < t->actor_count && !t->r.bad; i++) {
        uint64_t id = rh__get64(&t->r);
        const char *name = rh__get_text(&t->r);
        t->actors[i] = t->c && !t->r.bad ? rh__coverage_know_actor(t->c, id, name) : RH_NONE;
    }
    return !t->r.bad;
}

static bool read_receives(struct reading *t)
{
    struct rh__reader again = t->r;
    for (uint32_t i = 0; i < t->receive_count && !t->r.bad; i++) {
        uint64_t id = rh__get64(&t->r);
        uint64_t actor = rh__get_small(&t->r), becomes = rh__get_small(&t->r);
        const char *text = rh__get_text(&t->r);
        if (t->r.bad || actor >= t->actor_count || becomes > 1)
            return false;
        t->counts[actor]++;
        t->receives[i] = t->c && t->actors[actor] != RH_NONE
                             ? rh__coverage_know_receive(t->c, id, t->actors[actor], text, becomes != 0)
                             : RH_NONE;
    }
    for (uint32_t i = 0, at = 0; i < t->actor_count; at += t->counts[i++])
        t->starts[i] = at;
    for (uint32_t i = 0; i < t->receive_count && !t->r.bad; i++) {
        rh__get64(&again);
        uint64_t actor = rh__get_small(&again);
        rh__get_small(&again);
        rh__get_text(&again);
        t->by_actor[t->starts[actor]++] = t->receives[i];
    }
    for (uint32_t i = 0; i < t->actor_count; i++)
        t->starts[i] -= t->counts[i];
    return !t->r.bad;
}

static bool read_row(struct reading *t, uint32_t actor, uint32_t matrix, uint32_t bit)
{
    const uint32_t *ours = t->by_actor + t->starts[actor];
    for (uint32_t k = 0; k < words_of(t->counts[actor]); k++)
        for (uint64_t left = rh__get64(&t->r); left; left &= left - 1) {
            uint32_t to = k * 64 + (uint32_t)__builtin_ctzll(left);
            if (to >= t->counts[actor] || to == bit)
                return false;
            if (t->c && ours[bit] != RH_NONE && ours[to] != RH_NONE)
                rh__coverage_achieve(t->c, matrix, ours[bit], ours[to]);
        }
    return !t->r.bad;
}

static bool read_matrices(struct reading *t)
{
    bool good = true;
    for (uint32_t i = 0; i < t->actor_count && good; i++) {
        if (t->counts[i] < 2)
            continue;
        good = t->r.left / 8 / RH__MATRICES / t->counts[i] >= words_of(t->counts[i]);
        for (uint32_t m = 0; m < RH__MATRICES && good; m++)
            for (uint32_t bit = 0; bit < t->counts[i] && good; bit++)
                good = read_row(t, i, m, bit);
    }
    return good;
}

/* With `c` NULL it checks the bytes and counts the receives; otherwise it adds them, and needs that count: so
 * everything that can fail for lack of memory happens before the first change. */
static bool walk(struct rh__coverage *c, const void *bytes, size_t size, const char **subject, uint32_t *receive_count)
{
    struct reading t = { .c = c, .r = rh__reader_of(bytes, size) };
    bool good = rh__get_small(&t.r) == VERSION;
    *subject = rh__get_text(&t.r);
    uint64_t criteria = rh__get_small(&t.r), flags = rh__get_small(&t.r);
    uint64_t grain = rh__get_small(&t.r), runs = rh__get_small(&t.r);
    uint64_t actors = rh__get_small(&t.r);
    good = good && !t.r.bad && criteria < 1u << RH__CRITERION_COUNT && flags <= (FULL | EXHAUSTED) &&
           grain < RH_ROWS(RH_GRANULARITIES) && actors <= t.r.left / 9;
    if (!good)
        return false;
    t.actor_count = (uint32_t)actors;
    t.actors = rh__alloc_array(3 * (actors + 1), sizeof *t.actors); /* zero-filled */
    if (c)
        t.receives = rh__alloc_array(2 * ((size_t)*receive_count + 1), sizeof *t.receives);
    if (!t.actors || (c && !t.receives)) {
        rh__free(t.actors);
        rh__free(t.receives);
        return false;
    }
    t.counts = t.actors + actors + 1;
    t.starts = t.counts + actors + 1;
    good = read_actors(&t);
    uint64_t receives = rh__get_small(&t.r);
    good = good && !t.r.bad && receives <= t.r.left / 11;
    t.receive_count = good ? (uint32_t)receives : 0;
    if (!c) {
        *receive_count = t.receive_count;
        t.receives = rh__alloc_array(2 * ((size_t)t.receive_count + 1), sizeof *t.receives);
    }
    t.by_actor = t.receives ? t.receives + t.receive_count + 1 : NULL;
    good = good && t.receives && read_receives(&t) && read_matrices(&t) && rh__reader_done(&t.r);
    if (good && c) {
        c->criteria |= (uint32_t)criteria;
        c->full |= (flags & FULL) != 0;
        bool theirs = flags & EXHAUSTED && grain >= c->grain, ours = c->exhausted && c->grain >= grain;
        c->exhausted = theirs || ours;
        c->grain = grain > c->grain ? (uint32_t)grain : c->grain;
        c->runs += runs;
    }
    rh__free(t.receives);
    rh__free(t.actors);
    return good;
}

static bool check(const struct rh__coverage *c, const void *bytes, size_t size, uint32_t *receives, char *error,
                  size_t error_size)
{
    const char *subject = "";
    if (!walk(NULL, bytes, size, &subject, receives)) {
        snprintf(error, error_size, "this is not a coverage file, or it is incomplete");
        return false;
    }
    if (c && strcmp(subject, rh__coverage_text(c, c->subject)) != 0) {
        snprintf(error, error_size, "it is the coverage of another test, or of other parameters or semantics");
        return false;
    }
    return true;
}

bool rh__coverage_check(const struct rh__coverage *c, const void *bytes, size_t size, char *error, size_t error_size)
{
    uint32_t receives;
    return check(c, bytes, size, &receives, error, error_size);
}

bool rh__coverage_unpack(struct rh__coverage *c, const void *bytes, size_t size, char *error, size_t error_size)
{
    const char *subject;
    uint32_t receives;
    if (!check(c, bytes, size, &receives, error, error_size))
        return false;
    if (walk(c, bytes, size, &subject, &receives))
        return true;
    snprintf(error, error_size, "no memory to add coverage");
    return false;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

void rh__coverage_pack_file(const struct rh__coverage *c, struct rh__writer *w)
{
    char line[64];
    snprintf(line, sizeof line, "%s%d\n", magic, FILE_VERSION);
    rh__put(w, line, strlen(line));
    rh__coverage_pack(c, w);
    rh__put64(w, w->full ? 0 : rh__hash(w->at + strlen(line), w->len - strlen(line), FILE_VERSION));
}

bool rh__coverage_write(const struct rh__coverage *c, const char *path, char *error, size_t error_size)
{
    struct rh__writer w = rh__writer_new();
    rh__coverage_pack_file(c, &w);
    bool good = !w.full;
    if (w.full)
        snprintf(error, error_size, "%s: no memory for the coverage", path);
    else
        good = rh__file_write(path, w.at, w.len, error, error_size);
    rh__writer_release(&w);
    return good;
}

static bool read_all(const char *path, struct rh__writer *w, char *error, size_t error_size)
{
    enum { CHUNK = 1 << 16 };
    FILE *f = fopen(path, "rb");
    size_t n = 1;
    while (f && n && w->len < MOST_FILE && rh__writer_has(w, CHUNK)) {
        n = fread(w->at + w->len, 1, CHUNK, f);
        w->len += n;
    }
    bool good = f && !ferror(f) && !n;
    if (!good)
        snprintf(error, error_size, "%s: %s", path, f && !ferror(f) ? "it is too large" : strerror(errno));
    if (f)
        fclose(f);
    return good;
}

/* Finds the bytes of a file between its first line and its hash; false with a sentence if the file is invalid. */
static bool open_up(const struct rh__writer *w, const char *path, struct rh__reader *body, char *error,
                    size_t error_size)
{
    struct rh__reader r = rh__reader_of(w->at, w->len);
    size_t head = sizeof magic - 1;
    const unsigned char *line = w->len > head && memcmp(w->at, magic, head) == 0 ? w->at + head : NULL;
    const unsigned char *end = line ? memchr(line, '\n', w->len - head < 16 ? w->len - head : 16) : NULL;
    if (!end) {
        snprintf(error, error_size, "%s is no file of --coverage-file", path);
        return false;
    }
    if (end != line + 1 || *line != '0' + FILE_VERSION) {
        snprintf(error, error_size, "%s is of version %.*s of coverage files, and this reads version %d: measure again",
                 path, (int)(end - line), (const char *)line, FILE_VERSION);
        return false;
    }
    rh__get(&r, (size_t)(end + 1 - w->at));
    size_t size = r.left >= sizeof(uint64_t) ? r.left - sizeof(uint64_t) : 0;
    const void *bytes = rh__get(&r, size);
    if (r.left != sizeof(uint64_t) || rh__get64(&r) != rh__hash(bytes, size, FILE_VERSION)) {
        snprintf(error, error_size, "%s is damaged: its checksum does not fit", path);
        return false;
    }
    *body = rh__reader_of(bytes, size);
    return true;
}

bool rh__coverage_read(struct rh__coverage **c, const char *path, char *error, size_t error_size)
{
    struct rh__writer w = rh__writer_new();
    struct rh__reader body;
    struct rh__coverage *new = NULL;
    char why[256];
    const char *subject = "";
    uint32_t receives;
    bool good = read_all(path, &w, error, error_size) && open_up(&w, path, &body, error, error_size);
    if (good && !*c && walk(NULL, body.at, body.left, &subject, &receives)) {
        new = rh__coverage_new(0, subject);
        good = new != NULL;
        if (!good)
            snprintf(error, error_size, "no memory");
    }
    if (good && !rh__coverage_unpack(*c ? *c : new, body.at, body.left, why, sizeof why)) {
        snprintf(error, error_size, "%s: %s", path, why);
        good = false;
    }
    if (good && new)
        *c = new;
    else
        rh__coverage_free(new);
    rh__writer_release(&w);
    return good;
}
