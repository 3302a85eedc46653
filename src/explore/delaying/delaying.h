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
/* For several workers, as those of the exhaustive search. */
size_t rh__ss_pack(struct rh__ss *s, void *buffer, size_t room, bool half);
bool rh__ss_unpack(struct rh__ss *s, const void *item, size_t size);
size_t rh__ss_tell(struct rh__ss *s, void *buffer, size_t room);
size_t rh__ss_give(struct rh__ss *s, void *buffer, size_t room, bool idle);
bool rh__ss_gather(struct rh__ss *s, const void *told, size_t size);
bool rh__ss_has_more(const struct rh__ss *s);
/* A worker's: it has nothing but items. */
bool rh__ss_works(const struct rh__ss *s);
size_t rh__ss_save(const struct rh__ss *s, void *buffer, size_t room);
bool rh__ss_load(struct rh__ss *s, const void *saved, size_t size);

#endif
