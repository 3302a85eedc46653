/* The fingerprint: a hash of all that can influence the rest of the run, kept up by what changes.
 *
 * It is the exclusive or of one hash per actor, channel, timer and item of a shared table, and of one for the small tables; a change takes the
 * old hash out and puts the thing on a list of stale ones, and asking for the fingerprint hashes those anew.  All of it
 * is logged like any other change.  Nothing is kept up before the first fingerprint is asked for. */
#ifndef RH_WORLD_FINGERPRINT_H
#define RH_WORLD_FINGERPRINT_H

#include "world/log.h"

void rh__actor_hash_out(struct rh_world *w, uint32_t actor);
void rh__channel_hash_out(struct rh_world *w, uint32_t channel);
/* Nobody waits for the answer to this request any more: it means less than before wherever it is under way, forwarded, or
 * being answered. */
void rh__request_over(struct rh_world *w, uint32_t request);

static inline void rh__actor_stale(struct rh_world *w, uint32_t actor)
{
    if (w->hashing && !w->actors[actor].stale)
        rh__actor_hash_out(w, actor);
}

static inline void rh__channel_stale(struct rh_world *w, uint32_t channel)
{
    if (w->hashing && !w->channels[channel].stale)
        rh__channel_hash_out(w, channel);
}

/* The program looks at the clock.  From the first time on it counts in the hash of every actor: all are stale. */
static inline void rh__clock_seen(struct rh_world *w)
{
    if (!w->clock_used) {
        w->clock_used = true;
        w->hashing = false;
    }
}

static inline void rh__tables_stale(struct rh_world *w)
{
    if (w->hashing && w->tables_hash)
        put64(w, &w->tables_hash, 0);
}

#endif
