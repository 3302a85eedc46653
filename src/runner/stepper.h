/* A stepper walks over the runs of a world, one event at a time: forward along a run, back, and aside.
 *
 * The stepper remembers the run as far as it has seen it.  So forward after back takes the same events again, and
 * only the first visit of an event asks the guide which choice to take.  Choosing something else forgets the rest of
 * the run that was known, and the guide with it: from there on forward takes the first open choice.
 *
 *     struct rh__stepper s;
 *     rh__stepper_init(&s, world, guide, arg);        the world has begun
 *     rh__stepper_go(&s, 7);                          seven events, the beginning of the run included
 *     rh__stepper_look(&s, &text);                    actors, messages under way, open choices
 *     rh__stepper_back(&s);
 *     rh__stepper_choose(&s, 2);                      another branch
 *     rh__stepper_release(&s);
 *
 * Going back undoes steps of the world (rehearse/world.h), so it costs what the steps had changed.  While a stepper
 * is in use, nothing else moves the world.  `replay --step`, and gdb through it, are made of this. */
#ifndef RH_RUNNER_STEPPER_H
#define RH_RUNNER_STEPPER_H

#include <rehearse/world.h>

#include "base/text.h"

/* Which of the open choices comes next; RH_NONE: the guide ends the run here. */
typedef uint32_t rh__stepper_guide(void *arg, struct rh_world *w, const struct rh_choice *open, uint32_t count);

struct rh__stepper {
    struct rh_world *world;
    rh__stepper_guide *guide; /* NULL: the first open choice */
    void *guide_arg;
    struct rh_choice *known; /* known[k]: the choice of event k + 1, as far as the run is known */
    uint32_t known_count, room;
};

/* `guide` may be NULL. */
void rh__stepper_init(struct rh__stepper *s, struct rh_world *w, rh__stepper_guide *guide, void *guide_arg);
void rh__stepper_release(struct rh__stepper *s);

/* How many events the run has now, with its beginning: at least 1. */
uint32_t rh__stepper_event(const struct rh__stepper *s);

/* Takes the next event.  False, and nothing is changed: the run is over, the guide ends it, or memory is short. */
bool rh__stepper_forward(struct rh__stepper *s);
/* Takes back the last event.  False at the beginning of the run. */
bool rh__stepper_back(struct rh__stepper *s);
/* Goes forward or back until there are so many events.  False: the run ends before, and the stepper is at its end; or
 * `events` is 0, and the stepper is at the beginning. */
bool rh__stepper_go(struct rh__stepper *s, uint32_t events);

/* The choices that are open, valid until the next call; none where the run is over. */
const struct rh_choice *rh__stepper_open(const struct rh__stepper *s, uint32_t *count);
/* Which of them forward would take if the run is known here; RH_NONE otherwise.  Asks no guide. */
uint32_t rh__stepper_next(const struct rh__stepper *s);
/* Takes the open choice of that index.  False, and nothing is changed: there is none, or memory is short. */
bool rh__stepper_choose(struct rh__stepper *s, uint32_t pick);

/* Where the run stands, in lines for people: the last event, each actor and the messages on their way to it, the open
 * choices by index, and the outcome if the run is over.  The line of the choice that comes next begins with `>`. */
void rh__stepper_look(const struct rh__stepper *s, struct rh__text *to);

#endif
