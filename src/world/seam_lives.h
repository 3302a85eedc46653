/* The part of the seam about lives. */
/* Private to src/world. */
#ifndef RH_WORLD_SEAM_LIVES_H
#define RH_WORLD_SEAM_LIVES_H

#include <rehearse/seam.h>

#include "world/state.h"

/* The actor that the reference names; a misuse if there is none. */
static inline uint32_t rh__known(struct rh_world *w, rh_ref who, const char *call, const char *here);
void rh__unknown(struct rh_world *w, rh_ref who, const char *call, const char *here);
/* The actor that has the name; RH_NONE if there is none. */
uint32_t rh__holder_of(struct rh_world *w, const char *name, const char *call, const char *here);
/* The running actor links to, or monitors, the actor that it has just spawned. */
void rh__watch_from_birth(struct rh_world *w, uint32_t actor, enum rh_watch watch);
/* Stores the result of the running actor for the actors that monitor it. */
void rh__keep_result(struct rh_world *w, const struct rh_message_type *type, const void *value);

void rh__seam_link(rh_ref who, bool on, const char *here);
void rh__seam_monitor(rh_ref who, bool on, const char *here);
const struct rh_down *rh__seam_join(rh_ref who, int64_t timeout_ms, const char *here);
bool rh__seam_name_set(const char *name, rh_ref who, const char *here);
rh_ref rh__seam_name_find(const char *name, const char *here);

static inline uint32_t rh__known(struct rh_world *w, rh_ref who, const char *call, const char *here)
{
    uint32_t actor = actor_of(w, who);
    if (__builtin_expect(actor == RH_NONE, 0))
        rh__unknown(w, who, call, here);
    return actor;
}

#endif
