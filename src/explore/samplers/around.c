/* See around.h. */
#include "explore/samplers/around.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/random.h"
#include "explore/explorers.h"

bool rh__around_open(struct rh__around *s, struct rh_exploration *x, const struct rh_arguments *a, const char *usual,
                     enum rh__around_kind kind, char *error, size_t error_size)
{
    s->kind = kind;
    static const struct {
        const char *name;
        uint64_t stream;
    } kinds[] = { { "feedback", 2 }, { "onward", 3 }, { "whole", 8 } };
    s->random = rh__random_seed(rh_exploration_seed(x), kinds[kind - RH__AROUND_FEEDBACK].stream);
    if (rh_arguments_explorers(a) ? !rh_exploration_inner(x, a, 0, &s->inner, error, error_size)
                                  : !rh__tree_parse(&s->usual, usual, error, error_size) ||
                                        !rh__tree_open(x, &s->usual, 0, &s->inner, error, error_size))
        return false;
    if (rh__inner_only_resets(&s->inner))
        return true;
    snprintf(error, error_size,
             "%s: explorer %s keeps account of all runs, and cannot go on from another one: use a sampler",
             kinds[kind - RH__AROUND_FEEDBACK].name, s->inner.explorer->name);
    return false;
}

static size_t pack(void *state, void *buffer, size_t room, bool half)
{
    struct rh__around *s = state;
    struct rh__writer to = rh__writer_of(buffer, room);
    uint64_t next = s->random;
    rh__put32(&to, s->kind);
    rh__put64(&to, half ? rh__random_seed(rh__random_next(&next), 1) : next);
    if (to.full)
        return 0;
    size_t size = rh_inner_pack(&s->inner, to.at + to.len, room - to.len, half);
    if (!size)
        return 0;
    s->random = next;
    return to.len + size;
}

static bool unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    struct rh__around *s = state;
    if (rh_item_is_root(item, size))
        return rh_inner_unpack_root(&s->inner, w);
    struct rh__reader from = rh__reader_of(item, size);
    uint32_t kind = rh__get32(&from);
    uint64_t random = rh__get64(&from);
    size_t head = sizeof kind + sizeof random;
    if (kind != s->kind || size <= head)
        return false;
    s->random = random;
    return rh_inner_unpack(&s->inner, w, (const char *)item + head, size - head);
}

static bool can(const void *state)
{
    return rh_inner_can_share(&((const struct rh__around *)state)->inner);
}

const struct rh_explorer_share rh__around_share = { .can = can, .pack = pack, .unpack = unpack };
