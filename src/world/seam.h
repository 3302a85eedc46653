/* The controlled world's side of the seam. */
/* Private to src/world. */
#ifndef RH_WORLD_SEAM_H
#define RH_WORLD_SEAM_H

#include <rehearse/seam.h>

#include "world/outcome.h"

extern const struct rh_seam rh__controlled_seam;

/* The world, if an actor makes the call; otherwise reports a misuse and returns NULL. */
static inline struct rh_world *inside(const char *call, const char *here)
{
    struct rh_world *w = rh__world;
    if (__builtin_expect(w->inside, 1))
        return w;
    rh__misuse(w, here ? here : "", "%s was called outside of an actor", call);
    return NULL;
}

/* The same for calls that block or need the actor's own mailbox. */
static inline struct rh_world *inside_actor(const char *call, const char *here)
{
    struct rh_world *w = inside(call, here);
    if (w && w->observing != RH_NONE)
        rh__misuse(w, here, "%s cannot be used by a monitor", call);
    return w;
}

#endif
