/* The work of a sampler: a stream of random numbers, which never ends.  Half of the work is a new stream, whose seed is
 * drawn from the stream that stays.
 *
 * A sampler whose state begins with a struct rh__stream, and which keeps nothing else from one run to the next, can
 * share its work with `rh__stream_share`, and uses `rh__stream_begin` as its `begin`. */
#ifndef RH_EXPLORE_SAMPLERS_STREAM_H
#define RH_EXPLORE_SAMPLERS_STREAM_H

#include <rehearse/explorer.h>

struct rh__stream {
    uint64_t first; /* the seed of the first stream */
    uint64_t next;
    uint32_t kind; /* of the sampler: an item of another sampler is refused */
    /* What the sampler knows from earlier runs; goes with the work: */
    uint32_t learned;
    uint64_t known[4];
    bool active; /* it has work */
};

enum rh__stream_kind {
    RH__STREAM_RANDOM = 0xa1,
    RH__STREAM_WEIGHTED = 0xa3,
    RH__STREAM_SWARM,
    RH__STREAM_POS,
    RH__STREAM_PCT,
    RH__STREAM_PCTCP,
    RH__STREAM_PHASES,
    RH__STREAM_URW,
    RH__STREAM_SURW,
    RH__STREAM_PCTCP_RACING,
    RH__STREAM_COVER
};

/* For `open`. */
void rh__stream_open(struct rh__stream *s, const struct rh_exploration *x, enum rh__stream_kind kind);
/* Keeps nothing of the last run. */
uint32_t rh__stream_begin(void *state, const struct rh_world *w);
extern const struct rh_explorer_share rh__stream_share;

#endif
