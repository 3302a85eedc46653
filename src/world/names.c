/* Stable names of actors (run_record.h, after Bita III-B): by type and birth, the same in every run. */
#include <string.h>

#include "base/text.h"
#include "world/run_record.h"

static uint32_t parent_of(const struct rh__run *r, uint32_t actor)
{
    return rh__run_actor(r, actor)->parent;
}

static void add_part(const struct rh__run *r, uint32_t actor, bool last, struct rh__text *t)
{
    const struct rh__run_actor *a = rh__run_actor(r, actor);
    rh__text_add(t, "%s#%u%s", a->type->name, a->ordinal, last ? "" : "/");
}

/* Those without a path: the test, nobody, and external senders, which have names of their own. */
static const char *own_name(const struct rh__run *r, uint32_t actor)
{
    if (actor >= r->actor_count)
        return "nobody";
    if (actor == 0)
        return "test";
    const struct rh__run_actor *a = rh__run_actor(r, actor);
    return a->status == STATUS_OUTSIDE ? r->payload + a->initial : NULL;
}

void rh__run_actor_name(const struct rh__run *r, uint32_t actor, char *buffer, size_t size)
{
    enum { DEEPEST = 32 };
    uint32_t path[DEEPEST], depth = 0;
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    if (own_name(r, actor)) {
        rh__text_add(&t, "%s", own_name(r, actor));
        return;
    }
    for (uint32_t i = actor; i != 0 && i != RH_NONE && depth < DEEPEST; i = parent_of(r, i))
        path[depth++] = i;
    if (depth == DEEPEST && parent_of(r, path[depth - 1]) != 0)
        rh__text_add(&t, ".../");
    while (depth--)
        add_part(r, path[depth], depth == 0, &t);
}

void rh__run_actor_path(const struct rh__run *r, uint32_t actor, struct rh__text *t)
{
    enum { PART = 64 };
    uint32_t path[PART], depth = 0;
    if (own_name(r, actor)) {
        rh__text_add(t, "%s", own_name(r, actor));
        return;
    }
    for (uint32_t i = actor; i != 0 && i != RH_NONE; i = parent_of(r, i))
        depth++;
    while (depth) { /* from the oldest on, as many at a time as there is room for */
        uint32_t count = depth < PART ? depth : PART, skip = depth - count, at = actor;
        for (; skip; skip--)
            at = parent_of(r, at);
        for (uint32_t k = 0; k < count; k++, at = parent_of(r, at))
            path[k] = at;
        for (uint32_t k = count; k--; depth--)
            add_part(r, path[k], depth == 1, t);
    }
}

size_t rh__run_actor_path_room(const struct rh__run *r, uint32_t actor)
{
    enum { NUMBER = 12 }; /* with what stands around it */
    size_t room = NUMBER;
    if (own_name(r, actor))
        return strlen(own_name(r, actor)) + NUMBER;
    for (uint32_t i = actor; i < r->actor_count && i != 0; i = parent_of(r, i))
        room += strlen(rh__run_actor(r, i)->type->name) + NUMBER;
    return room;
}
