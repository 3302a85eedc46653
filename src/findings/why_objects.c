/* See why_objects.h. */
#include "findings/why_objects.h"

#include <rehearse/sandbox.h>
#include <string.h>

#include "base/text.h"
#include "explore/engine/engine.h"
#include "findings/changes.h"
#include "run/encode.h"
#include "world/deeds.h"

/* A monitor only watches: the order of what it is told is no cause of anything. */
static bool is_monitor(const struct rh__run *r, uint64_t object)
{
    bool is = object == rh__object(RH__OBJECT_MONITOR, 0);
    for (uint32_t i = 0; i < r->actor_count && !is; i++)
        is = rh__run_actor(r, i)->type->kind == RH_KIND_MONITOR &&
             object == rh__object(RH__OBJECT_MONITOR, rh__run_actor(r, i)->identity);
    return is;
}

bool rh__why_shared_uses(const struct rh__run *r, uint32_t first, uint32_t second, uint32_t *use, uint32_t *other)
{
    uint32_t firsts, seconds;
    const struct rh__access *x = rh__run_accesses(r, first, &firsts), *y = rh__run_accesses(r, second, &seconds);
    for (uint32_t i = 0; i < firsts; i++)
        for (uint32_t k = 0; k < seconds; k++) {
            if (x[i].object != y[k].object || (!x[i].wrote && !y[k].wrote) || is_monitor(r, x[i].object))
                continue;
            *use = (uint32_t)(x + i - r->accesses);
            *other = (uint32_t)(y + k - r->accesses);
            return true;
        }
    return false;
}

bool rh__why_uses(const struct rh__run *r, uint32_t event)
{
    uint32_t count;
    rh__run_accesses(r, event, &count);
    return count != 0;
}

static uint64_t who_made(const struct rh__run *r, const struct rh__access *a)
{
    uint32_t actor = rh__run_choice(r, a->event)->actor;
    return actor < r->actor_count ? rh__run_actor(r, actor)->identity : 0;
}

/* The index of an access among those of its actor and object. */
static uint32_t rank_of(const struct rh__run *r, const struct rh__access *a)
{
    uint32_t n = 0;
    for (const struct rh__access *x = r->accesses; x < a; x++)
        n += x->object == a->object && who_made(r, x) == who_made(r, a);
    return n;
}

/* The access with this rank; NULL for none. */
static const struct rh__access *access_like(const struct rh__run *r, uint64_t who, uint64_t object, uint32_t rank)
{
    for (uint32_t i = 0; i < r->access_count; i++)
        if (r->accesses[i].object == object && who_made(r, &r->accesses[i]) == who && !rank--)
            return &r->accesses[i];
    return NULL;
}

bool rh__why_later_use(const struct rh__run *r, uint32_t event, const struct rh__run *other, uint32_t *use,
                       uint32_t *change)
{
    uint32_t count;
    const struct rh__access *a = rh__run_accesses(r, event, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t who = who_made(r, &a[i]);
        const struct rh__access *b =
            is_monitor(r, a[i].object) ? NULL : access_like(other, who, a[i].object, rank_of(r, &a[i]));
        for (uint32_t k = 0; b && b->ordinal > a[i].ordinal && k < other->access_count; k++) {
            const struct rh__access *c = &other->accesses[k];
            if (c->object != b->object || !c->wrote || c->ordinal + 1 != b->ordinal || who_made(other, c) == who)
                continue;
            *use = (uint32_t)(a + i - r->accesses);
            *change = k;
            return true;
        }
    }
    return false;
}

/* ---- what they do ------------------------------------------------------------------------------------------------ */

struct repeat {
    const struct rh__run *r;
    struct rh__deeds *deeds;
    uint32_t last; /* the last event to make */
};

/* In a child process. */
static void repeat(struct rh_world *w, void *arg)
{
    const struct repeat *x = arg;
    rh__mute();
    for (uint32_t event = 1; event <= x->last; event++) {
        uint32_t count;
        const struct rh_choice *open = rh_world_enabled(w, &count);
        const struct rh_choice *next = rh__same_choice(w, open, count, x->r, event);
        uint32_t actor = next ? next->actor : RH_NONE;
        bool good = next && rh_world_step(w, next);
        if (actor < rh_world_actor_count(w) && rh_world_actor_ended(w, actor))
            rh__deed_add(x->deeds, event, actor, NULL, "ends");
        if (!good)
            return;
    }
}

/* "teller#1 puts "x" in table t (t.c:31)"; "" if the operation is not known.  It is the first that was noted behind its
 * access.  False if the tool failed. */
static bool write_use(struct rh_world *w, const struct rh__run *r, uint32_t access, char *text, size_t size)
{
    uint32_t event = r->accesses[access].event, actor = rh__run_choice(r, event)->actor;
    char name[128];
    struct rh__text t;
    struct rh__deeds *d = rh__deeds_new();
    if (!d)
        return true;
    rh__world_note_deeds(w, d);
    d->story_names = true;
    struct repeat x = { r, d, event };
    bool good = rh_sandbox_run(w, repeat, &x) != RH_SANDBOX_FAILED, known = false;
    rh__world_note_deeds(w, NULL);
    rh__text_init(&t, text, size);
    for (uint32_t i = 0; i < d->count && !known && actor < r->actor_count; i++) {
        const struct rh__deed *deed = &d->at[i];
        const char *place = d->texts + deed->place, *file = strrchr(place, '/');
        if (deed->event != event || deed->actor != actor || deed->accesses <= access)
            continue;
        rh__run_actor_name(r, actor, name, sizeof name);
        rh__text_add(&t, "%s %s", name, d->texts + deed->text);
        if (*place)
            rh__text_add(&t, " (%s)", file ? file + 1 : place);
        known = true;
    }
    rh__deeds_free(d);
    return good;
}

bool rh__why_name_uses(struct rh_world *w, struct rh__finding *f, const struct rh__run *r)
{
    struct rh__why *y = &f->why;
    char error[128];
    uint32_t use, other;
    y->uses[0][0] = y->uses[1][0] = 0;
    if (y->differs == RH__WHY_ORDER && rh__why_shared_uses(r, y->first, y->second, &use, &other))
        return write_use(w, r, use, y->uses[0], sizeof y->uses[0]) &&
               write_use(w, r, other, y->uses[1], sizeof y->uses[1]);
    if (y->differs != RH__WHY_USE || !y->passing_size)
        return true;
    struct rh__run *passing = rh__run_decode(y->passing, y->passing_size, error, sizeof error);
    bool good = !passing || !rh__why_later_use(r, y->first, passing, &use, &other) ||
                (write_use(w, r, use, y->uses[0], sizeof y->uses[0]) &&
                 write_use(w, passing, other, y->uses[1], sizeof y->uses[1]));
    rh__run_free(passing);
    return good;
}
