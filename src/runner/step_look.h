/* What `step` shows: where a run stands, with the values of messages and states (step.c). */
#ifndef RH_RUNNER_STEP_LOOK_H
#define RH_RUNNER_STEP_LOOK_H

#include <stdio.h>

#include "runner/stepper.h"

/* The actor of the last step as it was before. */
struct rh__step_look {
    void *state;
    uint32_t actor, size;
    const struct rh_behaviour *behaviour;
    bool known;
};

/* Before a choice is taken: remembers its actor, so that the next look shows what changed. */
void rh__step_look_before(struct rh__step_look *l, struct rh_world *w, uint32_t pick);
void rh__step_look_forget(struct rh__step_look *l);
void rh__step_look_release(struct rh__step_look *l);

/* The last event, what it changed, and the open choices by number; the outcome if the run is over. */
void rh__step_look_here(const struct rh__step_look *l, const struct rh__stepper *s, FILE *to);
/* All actors in a line each; or the one of that name, with state, mailbox and log. */
void rh__step_look_actors(const struct rh__stepper *s, const char *name, FILE *to);
/* All events so far. */
void rh__step_look_run(const struct rh__stepper *s, FILE *to);
/* An open choice with its values; returns `text`. */
const char *rh__step_look_choice(const struct rh__stepper *s, uint32_t pick, char *text, size_t size);
/* The last event, as the run has it; returns `text`. */
const char *rh__step_look_event(const struct rh__stepper *s, char *text, size_t size);
/* The run so far as a schedule. */
void rh__step_look_schedule(const struct rh__stepper *s, char *text, size_t size);

/* Where the user is. */
struct rh__step_here {
    const uint32_t *picks; /* the choices from the beginning on */
    uint32_t taken;        /* their number */
    const char *crash;     /* how the last one has ended the program; "" if it has not */
    const char *said;      /* why `until` has found nothing */
    const char *schedule;
};

/* The run so far as one line of JSON, for `serve`: taken, path, open, failed, outcome, crash, said, schedule, run
 * (report/page.h).  Goes back to the beginning and forward again. */
void rh__step_json(struct rh__stepper *s, const struct rh__step_here *here, FILE *to);

#endif
