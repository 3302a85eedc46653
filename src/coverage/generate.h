/* Schedules that reach ordering goals, made from one run (Bita IV, Algorithms 1 to 3).
 *
 * A schedule keeps the run's steps up to the first receive of a pair, then has what must happen before the second one, then
 * the two in the order that is wanted (Algorithm 2), and goes on in the same way with what is left of the run (Algorithm 3).
 * What depends on a receive that was moved is left out: it may not happen any more.
 *
 * The three algorithms are one pass here.  Whatever is left keeps the order of the run, because a receive that was put off
 * is before all else that is left; so the next pair is looked for from where the last one was found, and each step is
 * scheduled, put off or left out once.  One schedule costs
 *     O(steps + what they cause + sum over actors of receives^2 / 64),
 * and the goals of a run are each looked at once more when they are found achieved: over all schedules the search is linear
 * in the number of goals.
 *
 * Where mailboxes are in the order of sends a receive cannot be moved by itself: there the senders of the two are put in order, in
 * the same way, and a schedule has no receives of an actor whose messages come in another order than they did.
 *
 * With `farthest` the partner of a receive is the last one that it has a goal with, not the first as in the paper: a receive
 * is then put off behind all of them in one schedule, with these in reverse order. */
#ifndef RH_COVERAGE_GENERATE_H
#define RH_COVERAGE_GENERATE_H

#include "coverage/goals.h"

struct rh__generator;

/* For one run and criterion; what `c` has is not wanted again.  Everything is in `memory`, which may be shared; the steps must
 * stay where they are.  NULL where it does not fit. */
struct rh__generator *rh__generator_new(void *memory, size_t size, const struct rh__steps *s,
                                        enum rh__criterion criterion, bool farthest, const struct rh__coverage *c);

struct rh__schedule_plan {
    const uint32_t *steps; /* of the run, in their new order */
    uint32_t count;
    uint32_t first, second; /* steps: the goal that it was made for, first -> second */
    uint32_t goals;         /* that it was made for in all */
};

/* The next schedule that reaches a goal which is not achieved in `c` now; false: there is none left.  Its first goal will not be
 * tried again with this generator, whatever comes of it. */
bool rh__generate(struct rh__generator *g, const struct rh__coverage *c, struct rh__schedule_plan *plan);

#endif
