/* See crash_points.h. */
#include "world/crash_points.h"

#include "world/fingerprint.h"
#include "world/log.h"
#include "world/network.h"
#include "world/objects.h"

/* True if the code that runs is that of an actor that may crash. */
static bool may_crash_here(const struct rh_world *w)
{
    return w->inside && w->observing == RH_NONE && w->current != 0 &&
           rh__is_among(w->semantics.may_crash, w->actors[w->current].type);
}

bool rh__crash_point(struct rh_world *w, const char *place)
{
    if (!may_crash_here(w))
        return false;
    struct world_actor *a = &w->actors[w->current];
    bool stops = a->flags & FLAG_ACTED && a->points < RH__MOST_POINTS;
    if (stops) {
        put32(w, &a->points, a->points + 1);
        put_flag(w, &a->flags, FLAG_ACTED, false);
        put_flag(w, &a->flags, FLAG_AT_POINT, true);
        rh__stop_before_send(w, place);
        put_flag(w, &a->flags, FLAG_AT_POINT, false);
    }
    put_flag(w, &a->flags, FLAG_ACTED, true);
    return stops;
}

void rh__acted_on(struct rh_world *w)
{
    if (may_crash_here(w))
        put_flag(w, &w->actors[w->current].flags, FLAG_ACTED, true);
}

/* A message that a crash takes away from a later life has an effect: not one that the crash would have taken away in
 * any case. */
void rh__has_begun(struct rh_world *w, struct world_actor *a, const struct world_message *m)
{
    bool gone_anyway =
        !m || m->sender == (uint32_t)(a - w->actors) || rh__message_is_start(m) || m->answers != RH_NONE || m->wake;
    put_flag(w, &a->flags, FLAG_ACTED, w->semantics.restarts && !gone_anyway);
    if (a->points)
        put32(w, &a->points, 0);
}
