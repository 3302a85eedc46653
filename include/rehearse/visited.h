/* rehearse/visited.h: states that an explorer has visited.
 *
 * A set of fingerprints for explorers that prune (RH_PRUNED) where a state was visited before.  `open` makes it;
 * `begin` tells it which events the run keeps, and `choose` asks it:
 *
 *     begin:   if (rh_visited_restart(c->visited, w)) ...       start over
 *              return rh_visited_begin(c->visited, rh_inner_begin(&c->inner, w));
 *     choose:  if (rh_visited_here(c->visited, w) == RH_VISITED_BEFORE) return RH_PRUNED;
 *
 * The set lives in memory that survives crashes of the program
 * under test.  It grows up to a limit of memory; then new states replace old ones, which may be visited again.  So a
 * full set costs time, never a state.
 *
 * With several workers (-j) each worker has a set of its own.  A common set would be unsound: what a worker had visited
 * when it was lost is explored again by others, who would prune it.  Processes that do share a set may add at the same
 * time.
 *
 * A fingerprint that two different states share hides one of them: rh_visited_count gives the probability.  Bit-state
 * mode (Holzmann's supertrace) keeps some bits a state in place of the fingerprint: far more states in the same memory,
 * at a higher probability. */
#ifndef REHEARSE_VISITED_H
#define REHEARSE_VISITED_H

#include <rehearse/explorer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a struct rh_fingerprint (rehearse/world.h), `low` is not used with 64 bits.  With 128 bits the set keeps 96 of
 * them, and a state takes at most 16 bytes. */

struct rh_visited_options {
    size_t memory_bytes; /* at most; 0: 1 GiB */
    uint32_t bits;       /* of a fingerprint: 64 or 128; 0: 128 */
    bool bit_state;
    uint32_t marks; /* bit-state: bits that a state sets, 1 to 16; 0: 3 */
};

enum rh_visited_answer {
    RH_VISITED_FIRST,  /* it was not in the set, and is now */
    RH_VISITED_BEFORE, /* it was in the set */
};

struct rh_visited_counts {
    uint64_t states;        /* added */
    uint64_t hits;          /* asked for and found */
    uint64_t replaced;      /* states that are no longer in the set */
    uint64_t bytes;         /* of memory in use */
    double bytes_per_state; /* in the set */
    double load;            /* of the memory in use, 0 to 1 */
    double missed;          /* probability that some state was taken for another and so never visited */
};

struct rh_visited;
/* In `open`.  NULL where memory is short or the options make no sense. */
struct rh_visited *rh_exploration_visited(struct rh_exploration *x, const struct rh_visited_options *options);

/* Adds a fingerprint, if it is not there. */
enum rh_visited_answer rh_visited_add(struct rh_visited *v, struct rh_fingerprint f);
bool rh_visited_has(struct rh_visited *v, struct rh_fingerprint f);
/* In `begin`: the run keeps so many events, with the beginning.  Returns `keep`. */
uint32_t rh_visited_begin(struct rh_visited *v, uint32_t keep);
/* Adds the state of the world (rh_world_fingerprint_wide).  States of events that the run keeps, or that lead to
 * the work of an item, were reached before, and their other continuations are still to be explored: there the answer is
 * always RH_VISITED_FIRST.  It is so also until rh_visited_begin is called.
 *
 * That fingerprint leaves out the clock until the program reads it for the first time.  From then on, fingerprints from
 * before mean nothing: until rh_visited_restart is called, every state is a first one. */
enum rh_visited_answer rh_visited_here(struct rh_visited *v, const struct rh_world *w);
/* The same, also where the run keeps its events. */
enum rh_visited_answer rh_visited_state(struct rh_visited *v, const struct rh_world *w);
/* In `begin`.  True if the clock has become visible since states were added: the set is empty now, and the explorer
 * must start over. */
bool rh_visited_restart(struct rh_visited *v, const struct rh_world *w);
/* Empties the set; counts start again. */
void rh_visited_clear(struct rh_visited *v);
struct rh_visited_counts rh_visited_count(const struct rh_visited *v);

#ifdef __cplusplus
}
#endif
#endif
