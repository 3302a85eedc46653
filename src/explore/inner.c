/* The calls of an explorer that may be a decorator (rehearse/explorer.h): what its table leaves NULL goes to the explorer
 * inside.  All callers come through here, so a call that is added to the table is forwarded by every decorator. */
#include <string.h>

#include "explore/explorers.h"

/* The one that a call goes to: the outermost that has it; NULL where nobody does. */
#define WHO(e, call) who((e), offsetof(struct rh_explorer, call))

static bool has(const struct rh_explorer *e, size_t call)
{
    void (*function)(void);
    memcpy(&function, (const char *)e + call, sizeof function);
    return function != NULL;
}

static const struct rh_inner *acting(const struct rh_inner *e)
{
    uint32_t count = 0, now = 0;
    const struct rh_inner *list = e->explorer->inner ? e->explorer->inner(e->state, &count, &now) : NULL;
    return now < count ? &list[now] : NULL;
}

static const struct rh_inner *who(const struct rh_inner *e, size_t call)
{
    while (e && !has(e->explorer, call))
        e = acting(e);
    return e;
}

uint32_t rh_inner_begin(const struct rh_inner *e, struct rh_world *w)
{
    e = WHO(e, begin);
    return e ? e->explorer->begin(e->state, w) : 0;
}

uint32_t rh_inner_choose(const struct rh_inner *e, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    e = WHO(e, choose);
    return e ? e->explorer->choose(e->state, w, open, count) : RH_NONE;
}

void rh_inner_end(const struct rh_inner *e, struct rh_world *w, const struct rh_run *run)
{
    e = WHO(e, end);
    if (e)
        e->explorer->end(e->state, w, run);
}

enum rh_verdict rh_inner_verdict(const struct rh_inner *e)
{
    e = WHO(e, verdict);
    return e ? e->explorer->verdict(e->state) : RH_VERDICT_SAMPLED;
}

bool rh_inner_can_finish(const struct rh_inner *e)
{
    return WHO(e, verdict) != NULL;
}

double rh_inner_estimate(const struct rh_inner *e)
{
    e = WHO(e, estimate);
    return e ? e->explorer->estimate(e->state) : 0;
}

bool rh_inner_can_share(const struct rh_inner *e)
{
    return WHO(e, pack) && WHO(e, unpack);
}

size_t rh_inner_pack(const struct rh_inner *e, void *buffer, size_t room, bool half)
{
    const struct rh_inner *packs = WHO(e, pack);
    return rh_inner_can_share(e) ? packs->explorer->pack(packs->state, buffer, room, half) : 0;
}

bool rh_inner_unpack(const struct rh_inner *e, struct rh_world *w, const void *item, size_t size)
{
    const struct rh_inner *unpacks = WHO(e, unpack);
    return rh_inner_can_share(e) && unpacks->explorer->unpack(unpacks->state, w, item, size);
}

double rh_inner_share(const struct rh_inner *e, uint64_t *runs)
{
    *runs = 0;
    e = WHO(e, share);
    return e ? e->explorer->share(e->state, runs) : 0;
}

/* ---- what all of them have a say in -------------------------------------------------------------------------------------- */

/* Decorators are as deep as the expression is long, which a person types. */
bool rh_inner_confused(const struct rh_inner *e)
{
    if (e->explorer->confused)
        return e->explorer->confused(e->state);
    uint32_t count = 0, now = 0;
    const struct rh_inner *list = e->explorer->inner ? e->explorer->inner(e->state, &count, &now) : NULL;
    for (uint32_t i = 0; i < count; i++)
        if (rh_inner_confused(&list[i]))
            return true;
    return false;
}

void rh_inner_notes(const struct rh_inner *e, char *buffer, size_t size)
{
    if (!size)
        return;
    buffer[0] = 0;
    if (e->explorer->notes) {
        e->explorer->notes(e->state, buffer, size);
        return;
    }
    uint32_t count = 0, now = 0;
    const struct rh_inner *list = e->explorer->inner ? e->explorer->inner(e->state, &count, &now) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(buffer);
        bool line = length && length + 2 < size;
        rh_inner_notes(&list[i], buffer + length + line, size - length - line);
        if (line && buffer[length + 1])
            buffer[length] = '\n';
    }
}

/* ---- decorators of one whole argument ------------------------------------------------------------------------------------ */

uint32_t rh_only_part(const char *arg, struct rh_part parts[RH_MOST_PARTS])
{
    parts[0] = (struct rh_part){ arg, strlen(arg) };
    return *arg != 0;
}

const struct rh_inner *rh_only_inner(const void *state, uint32_t *count, uint32_t *now)
{
    *count = 1;
    *now = 0;
    return state;
}

bool rh_only_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    return rh_exploration_inner(x, arg, state, error, error_size);
}
