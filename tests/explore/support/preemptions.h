/* How many preemptions a sequence of choices has [Concuerror 2013, VI-B], counted from the choices and from what was
 * open, and by nothing of the explorer `preempt`. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_PREEMPTIONS_H
#define RH_TESTS_EXPLORE_SUPPORT_PREEMPTIONS_H

#include "world/state.h"

struct preemptions {
    uint32_t actor; /* of the last step of an actor; RH_NONE: none, or its turn is over */
    bool ready;     /* it can make another step, other than by a timer */
    uint32_t count;
};

/* The kinds that are steps of an actor, one by one.  The clock is none. */
static inline bool is_step(const struct rh_world *w, const struct rh_choice *c)
{
    if (c->actor == w->clock)
        return false;
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_BEGIN:
    case RH_CHOICE_DELIVER:
    case RH_CHOICE_TIMER:
    case RH_CHOICE_VALUE:
    case RH_CHOICE_RESUME:
    case RH_CHOICE_ACCEPT:
    case RH_CHOICE_STORED:
        return true;
    case RH_CHOICE_OPEN:
        return c->what == 0;
    default:
        return false;
    }
}

/* Behind the choice that was made, where these choices are open; `before` is NULL for the first event of a run. */
static inline struct preemptions preemptions_behind(const struct rh_world *w, const struct preemptions *before,
                                                    const struct rh_choice *made, const struct rh_choice *open,
                                                    uint32_t choices)
{
    struct preemptions at = { .actor = before ? before->actor : RH_NONE, .count = before ? before->count : 0 };
    if (is_step(w, made)) {
        at.count += before && before->ready && before->actor != made->actor;
        at.actor = made->actor;
    }
    for (uint32_t i = 0; i < choices; i++)
        at.ready |= is_step(w, &open[i]) && open[i].kind != RH_CHOICE_TIMER && open[i].actor == at.actor;
    if (!at.ready)
        at.actor = RH_NONE; /* its turn is over, also if a fault lets it go on later */
    return at;
}

#endif
