/* Partitions the messages of a run into chains, as they are sent: in a chain each message was sent because of the one
 * before it.
 *
 * A message is caused by the event that sent it, which took a message that was caused earlier, and so on: its
 * ancestors.  If w messages are the most of which none is an ancestor of another (the width), there are at most
 * w (w + 1) / 2 chains, although the partition is made online [Chains 2007] [PCTCP 2018, 4]. */
#ifndef RH_EXPLORE_SAMPLERS_CHAINS_H
#define RH_EXPLORE_SAMPLERS_CHAINS_H

#include <rehearse/explorer.h>

struct rh__chains;

/* The event that led to event `at`: the send of what it took, the event that set the timer, the event before it of the
 * handler that goes on.  RH_NONE for the beginning, and for what comes from outside. */
uint32_t rh__cause_of(const struct rh_world *w, const struct rh_event *events, uint32_t at);

/* NULL: no memory.  The memory belongs to the exploration. */
struct rh__chains *rh__chains_new(struct rh_exploration *x);
/* A run begins. */
void rh__chains_begin(struct rh__chains *c);
/* Takes note of the messages that were sent since the last call. */
void rh__chains_follow(struct rh__chains *c, const struct rh_world *w);
/* The chain of a message that was noted. */
uint32_t rh__chain_of(const struct rh__chains *c, uint32_t message);
/* Whether an event that was noted is an ancestor of a later one, or the same event. */
bool rh__chains_is_ancestor(const struct rh__chains *c, uint32_t old, uint32_t at);
uint32_t rh__chains_count(const struct rh__chains *c);

#endif
