/* See finding.h. */
#include "results/finding.h"

#include <rehearse/sandbox.h>
#include <string.h>

#include "base/hash.h"
#include "run/encode.h"

/* Hashes the name of the kind instead of its number, because the signature is part of file names (findings/keep.h). */
uint64_t rh__finding_signature(const struct rh_outcome *o)
{
    char text[sizeof o->text];
    size_t n = 0;
    bool one = o->kind == RH_OUTCOME_ENDLESS_RUN; /* cut, or a loop: the same */
    for (const char *c = one ? "" : *o->place ? o->place : o->text; *c; c++)
        if (*o->place || *c < '0' || *c > '9')
            text[n++] = *c;
    const char *kind = rh_outcome_name(o->kind);
    return rh__hash(text, n, rh__hash(kind, strlen(kind), 0));
}

bool rh__picks_before(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    uint32_t i = 0;
    while (i < a_count && i < b_count && a[i] == b[i])
        i++;
    return i < a_count && i < b_count ? a[i] < b[i] : a_count < b_count;
}

bool rh__picks_better(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    return a_count != b_count ? a_count < b_count : rh__picks_before(a, a_count, b, b_count);
}

void rh__finding_drop_run(struct rh__finding *f)
{
    f->encoded_size = 0;
    f->schedule[0] = f->story[0] = 0;
    f->reason[0] = f->decided[0] = 0;
}

void rh__finding_keep_run(struct rh__finding *f, const struct rh__run *r)
{
    static const uint32_t values[] = { 256, 16, 0 };
    rh__finding_drop_run(f);
    for (size_t i = 0; i < sizeof values / sizeof *values && !f->encoded_size; i++) {
        struct rh__writer to = rh__writer_of(f->encoded, RH__RUN_BYTES);
        rh__run_encode(r, values[i], &to);
        f->encoded_size = to.full ? 0 : to.len;
    }
}

void rh__finding_copy(struct rh__finding *to, const struct rh__finding *from)
{
    to->run = from->run;
    to->outcome = from->outcome;
    memcpy(to->actor, from->actor, sizeof to->actor);
    memcpy(to->picks, from->picks, from->pick_count * sizeof *from->picks);
    to->pick_count = from->pick_count;
    rh__finding_drop_run(to);
    if (from->encoded_size)
        memcpy(to->encoded, from->encoded, from->encoded_size);
    to->encoded_size = from->encoded_size;
    to->changed = true;
}

static size_t bytes_of_one(size_t events)
{
    return RH__RUN_BYTES + RH__SCHEDULE_BYTES + RH__STORY_BYTES + RH__PASSING_BYTES +
           (events * sizeof(uint32_t) + 63) / 64 * 64;
}

void *rh__findings_init(struct rh__finding findings[RH__MAX_FINDINGS], size_t events)
{
    unsigned char *memory = rh_shared_new(RH__MAX_FINDINGS * bytes_of_one(events)), *at = memory;
    for (struct rh__finding *f = findings; memory && f < findings + RH__MAX_FINDINGS; f++, at += bytes_of_one(events)) {
        f->encoded = at;
        f->schedule = (char *)f->encoded + RH__RUN_BYTES;
        f->story = f->schedule + RH__SCHEDULE_BYTES;
        f->why.passing = (unsigned char *)f->story + RH__STORY_BYTES;
        f->picks = (uint32_t *)(void *)(f->why.passing + RH__PASSING_BYTES);
    }
    return memory;
}

void rh__findings_release(void *memory, size_t events)
{
    rh_shared_free(memory, RH__MAX_FINDINGS * bytes_of_one(events));
}
