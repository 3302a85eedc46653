/* See properties.h.  Every evaluation is counted, also in steps that are made again.  What the run has seen of a
 * property is stored in bits that are undone with its steps.  Whoever counts runs reads the bits when a run ends
 * (rh_world_property). */
#include "world/properties.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "world/crash_points.h"
#include "world/fiber.h"
#include "world/log.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/seam.h"

static struct world_property *property_named(struct rh_world *w, enum rh_property kind, const char *name,
                                             const char *here)
{
    for (uint32_t i = 0; i < w->property_count; i++)
        if (w->properties[i].kind == (uint32_t)kind && strncmp(w->properties[i].name, name, PROPERTY_NAME - 1) == 0)
            return &w->properties[i];
    if (w->property_count == MAX_PROPERTIES) {
        rh__fail(w, RH_OUTCOME_LIMIT, code_of(w), here, "more than %u properties", MAX_PROPERTIES);
        return &w->properties[0];
    }
    struct world_property *p = &w->properties[w->property_count++];
    *p = (struct world_property){ .place = here, .kind = kind };
    snprintf(p->name, sizeof p->name, "%s", name); /* the name may be in a buffer, and must outlive this process */
    p->named = rh__hash(p->name, strlen(p->name), 24);
    return p;
}

void rh__seam_property(enum rh_property kind, const char *name, bool holds, const char *here)
{
    struct rh_world *w = rh__world;
    if (w->matching == RH_NONE && !inside("a property", here))
        return;
    if (!name) {
        rh__misuse(w, here, "a property needs a name (rh_always, rh_sometimes, rh_eventually, rh_cover)");
        return;
    }
    if (kind == RH_EVENTUALLY && w->inside) { /* the last evaluation counts, whichever actor makes it */
        uint64_t object = rh__object_named(RH__OBJECT_PROPERTY, name);
        rh__before_effect(w, here);
        if (rh__by_object(w))
            rh__operation(w, object, here);
        else
            rh__touch(w, object);
    }
    struct world_property *p = property_named(w, kind, name, here);
    p->held += holds;
    p->failed += !holds;
    put32(w, &p->run, (p->run & ~(uint32_t)LAST) | (holds ? LAST_TRUE | WAS_TRUE : LAST_FALSE | WAS_FALSE));
    if (kind == RH_ALWAYS && !holds)
        rh__fail(w, RH_OUTCOME_PROPERTY, code_of(w), here, "always `%s` does not hold", name);
    if (w->over && w->inside)
        rh__fiber_abandon(w);
}

/* ---- abstract states --------------------------------------------------------------------------------------------- */

/* A run that shows more is not followed farther. */
static void show(struct rh_world *w, uint64_t hash)
{
    if (w->shown_count == MAX_SHOWN)
        return;
    w->shown[w->shown_count] = hash;
    put32(w, &w->shown_count, w->shown_count + 1);
}

void rh__seam_abstract(const char *key, uint64_t value, const char *here)
{
    struct rh_world *w = inside("rh_abstract", here);
    if (!w)
        return;
    if (key)
        show(w, rh__mix(rh__hash(key, strlen(key), 1), value));
    else
        rh__misuse(w, here, "rh_abstract needs a key");
}

void rh__show_announcement(struct rh_world *w, const struct rh_message_type *type)
{
    uint64_t name = rh__hash(type->name, strlen(type->name), 2);
    show(w, rh__mix(w->announced, name));
    put64(w, &w->announced, name);
}
