/* See stream.h. */
#include "explore/samplers/stream.h"

#include <string.h>

#include "base/bytes.h"
#include "base/random.h"

void rh__stream_open(struct rh__stream *s, const struct rh_exploration *x, enum rh__stream_kind kind)
{
    s->first = rh__random_seed(rh_exploration_seed(x), 1);
    s->kind = kind;
}

uint32_t rh__stream_begin(void *state, const struct rh_world *w)
{
    (void)w;
    return ((struct rh__stream *)state)->active;
}

static size_t pack(void *state, void *buffer, size_t room, bool half)
{
    struct rh__stream *s = state;
    struct rh__writer w = rh__writer_of(buffer, room);
    uint64_t next = s->next, given = half ? rh__random_seed(rh__random_next(&next), 1) : next;
    rh__put32(&w, s->kind);
    rh__put64(&w, given);
    rh__put32(&w, s->learned);
    for (size_t i = 0; i < sizeof s->known / sizeof *s->known; i++)
        rh__put64(&w, s->known[i]);
    if (!s->active || w.full)
        return 0;
    s->next = next;
    s->active = half;
    return w.len;
}

static bool unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    (void)w;
    struct rh__stream *s = state;
    s->next = s->first;
    s->learned = 0;
    memset(s->known, 0, sizeof s->known);
    s->active = rh_item_is_root(item, size);
    if (s->active)
        return true;
    struct rh__reader from = rh__reader_of(item, size);
    uint32_t kind = rh__get32(&from);
    s->next = rh__get64(&from);
    s->learned = rh__get32(&from);
    for (size_t i = 0; i < sizeof s->known / sizeof *s->known; i++)
        s->known[i] = rh__get64(&from);
    s->active = kind == s->kind && rh__reader_done(&from);
    return s->active;
}

const struct rh_explorer_share rh__stream_share = { .pack = pack, .unpack = unpack };
