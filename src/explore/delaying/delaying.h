/* Delaying explorers inside of searches.  Private to src/explore/delaying.
 *
 *     delaying.c   explorers by name; telling one of a step
 *     rounds.c     the round of actors; rtc, rr, prr
 *     ses.c        stratified exhaustive search; ses_pool.c: with several workers
 *     frontier.c   what was put off, in memory and a file
 *     ss.c         stratified sampling
 *     delay.c      the explorer delay(NAME, SEARCH)
 *
 * search.h is what other explorers see. */
#ifndef RH_EXPLORE_DELAYING_H
#define RH_EXPLORE_DELAYING_H

#include <rehearse/delaying.h>

#include "explore/delaying/search.h"

const struct rh_delaying *rh__delaying_named(const char *name);
/* Writes the names of all, for an error. */
void rh__delaying_names(char *buffer, size_t size);

/* Tells of the beginning of a run, at its first choice. */
void rh__delaying_begin(const struct rh_delaying *d, void *state, const struct rh_world *w, uint64_t seed);
/* Tells of the last step of the world; `actors`: how many there were before.  */
void rh__delaying_step(const struct rh_delaying *d, void *state, const struct rh_world *w, uint32_t actors,
                       uint64_t seed);

/* ---- sampling ---------------------------------------------------------------------------------------------------- */

struct rh__ss *rh__ss_open(struct rh_exploration *x, const struct rh__delay_options *o);
/* Before the first run. */
void rh__ss_start_from(struct rh__ss *s, const struct rh__starts *starts);
uint32_t rh__ss_begin(struct rh__ss *s, const struct rh_world *w);
uint32_t rh__ss_choose(struct rh__ss *s, const struct rh_world *w, const struct rh_choice *open, uint32_t count);
void rh__ss_notes(const struct rh__ss *s, char *buffer, size_t size);

#endif
