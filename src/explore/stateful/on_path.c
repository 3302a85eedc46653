/* See on_path.h. */
#include "explore/stateful/on_path.h"

#include <string.h>

enum { LISTS = 1 << 12 };

struct rh__on_path_level {
    struct rh_fingerprint state;
    uint32_t before; /* the next level of the same list, + 1 */
};

static uint32_t *list_of(const struct rh__on_path *p, struct rh_fingerprint f)
{
    return &p->newest[f.low % LISTS];
}

bool rh__on_path_open(struct rh__on_path *p, struct rh_exploration *x, uint32_t room)
{
    p->levels = rh_exploration_memory(x, (size_t)room * sizeof *p->levels);
    p->newest = rh_exploration_memory(x, LISTS * sizeof *p->newest);
    return p->levels && p->newest;
}

void rh__on_path_clear(struct rh__on_path *p)
{
    memset(p->newest, 0, LISTS * sizeof *p->newest);
}

void rh__on_path_enter(struct rh__on_path *p, uint32_t depth, struct rh_fingerprint f)
{
    uint32_t *list = list_of(p, f);
    p->levels[depth] = (struct rh__on_path_level){ f, *list };
    *list = depth + 1;
}

void rh__on_path_leave(struct rh__on_path *p, uint32_t depth)
{
    *list_of(p, p->levels[depth].state) = p->levels[depth].before;
}

uint32_t rh__on_path_has(const struct rh__on_path *p, struct rh_fingerprint f)
{
    uint32_t at = *list_of(p, f);
    while (at && (p->levels[at - 1].state.high != f.high || p->levels[at - 1].state.low != f.low))
        at = p->levels[at - 1].before;
    return at;
}
