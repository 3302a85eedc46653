/* One step of the world; shared by step.c, enabled.c, faults.c and world.c. */
/* Private to src/world. */
#ifndef RH_WORLD_STEP_H
#define RH_WORLD_STEP_H

#include "world/objects.h"
#include "world/outcome.h"
#include "world/sets.h"
#include "world/state.h"

/* Adds a choice to the list of enabled choices, while the list is made (enabled.c, faults.c). */
static inline void rh__offer(struct rh_world *w, enum rh_choice_kind kind, uint32_t actor, uint32_t what, uint32_t arg)
{
    if (w->choice_count < w->choice_capacity)
        w->choices[w->choice_count++] = (struct rh_choice){ kind, actor, what, arg };
    else
        rh__fail(w, RH_OUTCOME_LIMIT, RH_NONE, "", "more than %u choices are open at once (max_messages)",
                 w->choice_capacity);
}

/* With granularity object, an actor that stopped in the middle of a handler must continue before it does anything
 * else. */
static inline bool rh__is_busy(const struct rh_world *w, const struct world_actor *a)
{
    return rh__by_object(w) && (a->status == STATUS_PREEMPTED || a->status == STATUS_CHOOSING);
}

/* Fills the table of choices while an actor runs: what could happen next without that actor. */
void rh__choices_inside(struct rh_world *w);

/* True if nothing has changed since the table of choices was filled. */
static inline bool rh__choices_are_fresh(const struct rh_world *w)
{
    return w->choices_events == w->event_count && w->choices_log == w->log;
}

/* Keeps the list of the present state, if it is known, until the run goes back behind this state. */
static inline void rh__list_keep(struct rh_world *w)
{
    bool known = rh__choices_are_fresh(w) && w->lists_end < MAX_LISTED;
    w->lists[w->event_count] = (struct world_list){ w->lists_end, known ? w->choice_count : RH_NONE };
    if (known)
        w->lists_end += w->choice_count;
}

/* The run has gone back to this state, in which the last of the undone events was made. */
static inline void rh__list_again(struct rh_world *w)
{
    struct world_list list = w->lists[w->event_count];
    w->lists_end = list.from;
    w->choices_log = NULL;
    if (list.count == RH_NONE)
        return;
    w->choices = w->choice_table + list.from;
    w->choice_count = list.count;
    w->cut_short = 0;
    w->choices_events = w->event_count;
    w->choices_log = w->log;
    rh__sets_anew(w);
}

/* Forgets the lists of the events so far: these cannot be undone one by one, or were made without undo. */
static inline void rh__lists_forget(struct rh_world *w)
{
    w->lists_end = 0;
    for (uint32_t i = 0; i < w->event_count; i++)
        w->lists[i] = (struct world_list){ 0, RH_NONE };
}

/* A quick test whether a choice is enabled: true if it is in the table of choices, and the table is fresh. */
static inline bool rh__choice_just_offered(const struct rh_world *w, const struct rh_choice *c)
{
    return c >= w->choices && c < w->choices + w->choice_count && rh__choices_are_fresh(w);
}

/* True if the choice is enabled now. */
bool rh__choice_open(struct rh_world *w, const struct rh_choice *c);
/* True if the choice is in the list of enabled choices: a search, for rare kinds of choices. */
bool rh__choice_offered(struct rh_world *w, const struct rh_choice *c);
/* True if the actor waits for a message that has already arrived. */
bool rh__must_take(struct rh_world *w, const struct world_actor *a);
bool rh__can_crash(const struct rh_world *w, uint32_t actor);

/* Records the event and makes the step. */
void rh__take(struct rh_world *w, const struct rh_choice *c);

/* Called before the memory of a monitor changes as part of this step. */
void rh__touch_monitor(struct rh_world *w, uint32_t monitor);

#endif
