/* The explorers of the tool. */
#ifndef RH_EXPLORE_EXPLORERS_H
#define RH_EXPLORE_EXPLORERS_H

#include <rehearse/explorer.h>

extern const struct rh_explorer rh__explorer_roundrobin, rh__explorer_random, rh__explorer_delayed, rh__explorer_dfs,
    rh__explorer_dpor, rh__explorer_optimal, rh__explorer_descents, rh__explorer_replay, rh__explorer_bound,
    rh__explorer_portfolio, rh__explorer_symmetry, rh__explorer_cover;

/* How many behaviours there are, by descents; `seen` were. */
struct rh__size {
    uint64_t descents;
    double estimate, low, high; /* the interval holds the truth in 95 of 100 cases, over many programs */
};
void rh__descents_result(const void *state, uint64_t seen, struct rh__size *size);

/* Whether `optimal` would not work with these semantics, of granularity object: then a sentence says why. */
bool rh__optimal_refuses(const struct rh_semantics *s, char *error, size_t error_size);

/* What a replay came to: the line that did not fit, with what was possible instead; "" if all fitted. */
const char *rh__replay_divergence(const void *state);
/* Whether the run has gone on behind the last line. */
bool rh__replay_went_on(const void *state);

/* How many events the run has. */
static inline uint32_t rh__depth(const struct rh_world *w)
{
    uint32_t n;
    rh_world_events(w, &n);
    return n;
}

#endif
