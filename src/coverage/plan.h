/* Schedules that reach ordering goals, made from one run [Bita 2013, IV, Algorithms 1 to 3].
 *
 * A schedule has the run's steps up to the first receive of a pair, then what must happen before the second receive,
 * then the two in the wanted order (Algorithm 2), and continues in the same way with the rest of the run (Algorithm 3).
 * It omits everything that depends on a receive that was moved, because that may not happen any more.
 *
 * The three algorithms are one pass here.  The rest keeps the order of the run, because a delayed receive precedes
 * everything else that is left.  So the search for the next pair starts where the last one was found, and each step is
 * scheduled, delayed or omitted once.  One schedule costs
 *     O(steps + what they cause + sum over actors of receives^2 / 64),
 * and each goal of a run is looked at once more when it is found achieved: over all schedules the search is linear in
 * the number of goals.
 *
 * If mailboxes are in the order of sends, a receive cannot be moved by itself.  Then the senders of the two are ordered
 * in the same way, and a schedule has no receives of an actor whose messages come in another order than in the run.
 *
 * With `farthest`, the partner of a receive is the last receive with which it has a goal, not the first as in the
 * paper: one schedule then delays a receive behind all its partners, which come in reverse order. */
#ifndef RH_COVERAGE_PLAN_H
#define RH_COVERAGE_PLAN_H

#include "coverage/goals.h"

struct rh__plan_input;

/* For one run and criterion; goals in `c` are not wanted again.  Everything is in `memory`, which may be shared; the
 * steps must not move.  Returns NULL if it does not fit. */
struct rh__plan_input *rh__plan_input_new(void *memory, size_t size, const struct rh__steps *s,
                                          enum rh__criterion criterion, bool farthest, const struct rh__coverage *c);

struct rh__schedule_plan {
    const uint32_t *steps; /* steps of the run, in their new order */
    uint32_t count;
    uint32_t first, second; /* the goal for which it was made, first -> second, as steps */
    uint32_t goals;         /* number of goals for which it was made */
};

/* The next schedule for a goal that is not achieved in `c`; false if none is left.  Its first goal is not tried again
 * with this input, whatever the result. */
bool rh__plan(struct rh__plan_input *g, const struct rh__coverage *c, struct rh__schedule_plan *plan);

#endif
