/* Makes a failing run smaller: proposes candidates, one run after the other, and keeps the best one that fails in the
 * same way (kind and place: rh__finding_signature).
 *
 *     struct rh__shrink *s = rh_shared_new(rh__shrink_size(run, 0));
 *     rh__shrink_init(s, run, 0, signature, &limits);
 *     while (rh__shrink_begin(s)) {                    the next candidate
 *         reset the world;
 *         while ((open = rh_world_enabled(w, &count)), count) {
 *             pick = rh__shrink_choose(s, w, open, count);
 *             if (pick == RH_NONE) break;              this candidate cannot be better any more
 *             rh_world_step(w, &open[pick]);
 *         }
 *         if (rh__shrink_end(s, rh__world_run(w), outcome))
 *             this run is the smallest so far: keep it, s->best has its picks
 *     }
 *
 * It never moves the world: the caller does, be it a driver (findings/minimise.c, the one to call if you have a finding
 * and a world) or an explorer (begin, choose and end are calls of the same meaning).  All state is in one block
 * without outside pointers, so it survives the crash of a child process in shared memory: the parent calls
 * rh__shrink_end for the run that the child died in.
 *
 * Smaller is, in this order: fewer faults and messages from outside; fewer events; fewer preemptions (an actor that
 * stands inside a handler while others move); fewer switches between actors; fewer choices that are not the first that
 * is open.  A candidate is the best run without some of its steps, or with one of them moved.  A step that is not
 * possible then is left out, or is the nearest one of its kind: the second heartbeat for the third.  After the last
 * step a run goes on with first choices, because a failure may show only at the end of a run.
 *
 * The candidates, in rounds, until a round has brought nothing [Zeller 2002; Scott 2016 on distributed systems]:
 *
 *     slice     only what the last event depends on
 *     faults    without all, halves, ..., single ones of the faults
 *     actors    without all steps of one actor
 *     parts     without halves, quarters, ..., single steps
 *     gather    a step directly after the one before it of the same actor
 *     default   the first open choice instead of another one
 *
 * So if the rounds end by themselves (`whole`), no single step can be left out. */
#ifndef RH_EXPLORE_SHRINK_H
#define RH_EXPLORE_SHRINK_H

#include <rehearse/world.h>

#include "run/run.h"

struct rh__shrink_limits {
    uint64_t max_runs, max_steps; /* of all candidates; 0: none */
};

/* What makes a run small, the most important first. */
struct rh__shrink_cost {
    uint32_t faults, events, preemptions, switches, off_default;
};

struct rh__shrink_step {
    uint64_t who;   /* what happens to whom, alike in every run */
    uint64_t actor; /* identity; 0: of no actor */
    uint32_t rank;  /* which of several such */
    uint32_t pick;  /* index of the choice among the open ones */
    uint32_t own;   /* index of the actor's step before, or RH_NONE */
    uint32_t from;  /* of a run under way: the step of the best run that this is; RH_NONE: a first choice */
    uint32_t flags; /* private */
};

enum rh__shrink_stage {
    RH__SHRINK_AS_IS,
    RH__SHRINK_SLICE,
    RH__SHRINK_FAULTS,
    RH__SHRINK_ACTORS,
    RH__SHRINK_PARTS,
    RH__SHRINK_GATHER,
    RH__SHRINK_DEFAULT,
    RH__SHRINK_DONE,
};

struct rh__shrink {
    uint64_t wanted; /* signature of the failure */
    struct rh__shrink_limits limits;
    uint64_t runs, steps;        /* so far */
    struct rh__shrink_cost cost; /* of the best run */
    uint32_t best_count;         /* steps of the best run: its events but the first */
    uint32_t first_count;        /* of the run to begin with */
    bool repeats;                /* the run to begin with has failed again in the same way */
    bool whole;                  /* all candidates were tried: not ended by a limit */

    /* private */
    uint32_t stage, at, part, round;
    bool improved, in_run;
    uint32_t plan_count, plan_at, now_count, most, held;
    bool plays;
    struct rh__shrink_cost now_cost;
    struct rh__shrink_ranks {
        uint32_t room, count; /* of messages; the table has twice as many slots */
    } ranks;
    uint64_t best_at, now_at, plan_at_offset, rank_at, slot_at; /* offsets of arrays behind this struct */
};

/* For rh__shrink_play a candidate may have up to `most` steps; otherwise `most` is 0. */
size_t rh__shrink_size(const struct rh__run *r, uint32_t most);
/* `s` is zero-filled memory of that size. */
void rh__shrink_init(struct rh__shrink *s, const struct rh__run *r, uint32_t most, uint64_t signature,
                     const struct rh__shrink_limits *limits);

/* Makes the next candidate; false if there is none, or a limit is reached. */
bool rh__shrink_begin(struct rh__shrink *s);
/* The next choice of the candidate; RH_NONE: it cannot be better than the best run, so the caller ends the run. */
uint32_t rh__shrink_choose(struct rh__shrink *s, const struct rh_world *w, const struct rh_choice *open,
                           uint32_t count);
/* The candidate's run is over.  True if it is the best so far. */
bool rh__shrink_end(struct rh__shrink *s, const struct rh__run *r, const struct rh_outcome *outcome);

/* Instead of rh__shrink_begin: plays the steps of the best run with these indices, in this order, and then first
 * choices, up to `most` of rh__shrink_init.  RH__SHRINK_OTHER + n among them is the n-th open choice at that point.
 * The step `held` (RH_NONE for none) is no first choice while there is another.  rh__shrink_choose is as above;
 * rh__shrink_end is not called. */
enum { RH__SHRINK_OTHER = 0x80000000u };
void rh__shrink_play(struct rh__shrink *s, const uint32_t *steps, uint32_t count, uint32_t held);
/* The steps of the run under way, or of the last one. */
const struct rh__shrink_step *rh__shrink_now(const struct rh__shrink *s, uint32_t *count);

/* The steps of the best run: step i is event i + 1. */
const struct rh__shrink_step *rh__shrink_best(const struct rh__shrink *s);

#endif
