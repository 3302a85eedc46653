/* Questions about a live world and changes to it, beyond rehearse/world.h and the rows of its run (run_record.h).
 *
 * Each question and each change has its own function.  No code outside src/world reads or writes struct rh_world. */
#ifndef RH_WORLD_LIVE_H
#define RH_WORLD_LIVE_H

#include "world/run_record.h"

/* ---- the current run --------------------------------------------------------------------------------------------- */

/* Origin of an enabled timer: the event that set the timer or began the wait that the timer ends, and the payload
 * offset of its name; 0 for a wait; and when it is due. */
struct rh__timer_origin {
    uint32_t event;
    uint64_t name;
    int64_t due_ns;
};
struct rh__timer_origin rh__timer_origin(const struct rh_world *w, uint32_t timer);

/* Who has set the timer. */
uint32_t rh__timer_actor(const struct rh_world *w, uint32_t timer);

/* A hash of the timer's name, computed once while the timer is set; 0: it has none. */
uint64_t rh__timer_name_hash(const struct rh_world *w, uint32_t timer);

/* The message that a named timer sends; false if the timer only ends a wait. */
struct rh__timer_message {
    const struct rh_message_type *type;
    const void *value;
    const char *name;
};
bool rh__timer_message(const struct rh_world *w, uint32_t timer, struct rh__timer_message *m);

/* A call of rh_open, by its number; false if there are not so many.  And how many messages may still come. */
struct rh__opening {
    const struct rh_message_type *type;
    const void *when; /* the address of its predicate; NULL for none */
    uint32_t actor;
};
bool rh__opening(const struct rh_world *w, uint32_t number, struct rh__opening *o);
uint32_t rh__outside_left(const struct rh_world *w);

/* True if rh_start is on its way to the actor, which takes nothing else before. */
bool rh__actor_awaits_start(const struct rh_world *w, uint32_t actor);

/* Writes what a blocked actor waits for, as rh_world_actor_text does.  False if the actor is not blocked, or is an idle
 * server. */
bool rh__actor_waits(const struct rh_world *w, uint32_t actor, char *buffer, size_t size);

/* True if the actor waits for a message, in a receive or between handlers, and no time ends the wait. */
bool rh__actor_stands(const struct rh_world *w, uint32_t actor);

/* Returns the actor of a reference; RH_NONE if this world never gave the reference. */
uint32_t rh__actor_of_ref(const struct rh_world *w, rh_ref ref);
/* Identity of the clock as an actor (timers.c). */
uint64_t rh__clock_identity(void);
/* Ordered time with granularity object and without pauses: who keeps the clock from advancing (timers.c), as a sum and
 * as bits by number, with `many` actors one for several; the time; how many timers are set, and how many of them by
 * the last event. */
struct rh__clock_holders {
    uint64_t some, sum;
    int64_t now_ns;
    uint32_t set, set_now;
    bool many;
};
struct rh__clock_holders rh__clock_holders(const struct rh_world *w);
/* True if the actor has set timers; true if a timer will end its wait or sleep. */
bool rh__actor_has_timers(const struct rh_world *w, uint32_t actor);
/* True if the actor waits, and a message apart from its mailbox must have arrived: the wait cannot time out. */
bool rh__must_take_apart(const struct rh_world *w, uint32_t actor);
bool rh__actor_is_timed(const struct rh_world *w, uint32_t actor);
/* The actor whose handler runs now, and the message that it has taken in this event; false if there is none. */
bool rh__world_handling(const struct rh_world *w, uint32_t *actor, uint32_t *message);
/* True if an actor is in rh_choose, or has taken a part of its set, and no other actor moves before it goes on; or has
 * stopped at a crash point, where nobody else need move. */
bool rh__world_is_choosing(const struct rh_world *w);
/* How many of the choices need to be considered, from the first one on.  Where an actor has just stopped at a crash
 * point (world/crash_points.h): its own ones, because they commute with all others. */
uint32_t rh__world_narrows(const struct rh_world *w, const struct rh_choice *open, uint32_t count);
/* True if some fault has a budget. */
bool rh__world_has_faults(const struct rh_world *w);
/* Largest number of choices that can be enabled at once. */
uint32_t rh__world_most_choices(const struct rh_world *w);
/* Of a run, also those that are not under way any more: max_messages is about those under way. */
uint32_t rh__world_most_messages(void);
/* Returns the outcome that a step has recorded, if any.  A parent process reads the outcome of a crashed child here.
 * rh_world_outcome checks in addition whether the run is over. */
const struct rh_outcome *rh__world_recorded_outcome(const struct rh_world *w);
/* Replaces the recorded outcome, if the run has an outcome that its steps do not show. */
void rh__world_set_outcome(struct rh_world *w, const struct rh_outcome *o);

/* ---- all runs of this world -------------------------------------------------------------------------------------- */

const struct rh_test *rh__world_test(const struct rh_world *w);
/* Address of the number of watchdog ticks.  The time between two ticks is a few milliseconds of processor time. */
const volatile uint64_t *rh__world_ticks(const struct rh_world *w);
/* Address of the event count of the current run, for error messages of a process that ends. */
const uint32_t *rh__world_event_counter(const struct rh_world *w);
/* Number of steps so far, including repeated steps. */
uint64_t rh__world_steps(const struct rh_world *w);

/* Offers this value, as a schedule has it (`deposit { .amount = 50 }`), in addition to those that are drawn for
 * rh_open.  Call it before the world begins.  A text that is no value of the type has no effect. */
void rh__world_give(struct rh_world *w, const char *text);

/* Draws these numbers for rh_open, too, beside small ones: constants of the program, say.  Call it before the world
 * begins; the world keeps the address. */
void rh__world_draw_from(struct rh_world *w, const int64_t *numbers_kept, uint32_t count);

/* The place of an instruction of the program: "bank.c:12 in on_deposit".  False if its line is not known. */
bool rh__address_place(const void *address, char *buffer, size_t size);

/* ---- the child process that takes the steps ---------------------------------------------------------------------- */

/* True if something outside killed the last child. */
bool rh__world_child_killed(const struct rh_world *w);
/* Returns errno if the last child could not be started, else 0. */
int rh__world_fork_error(const struct rh_world *w);
/* True if the last child ended with an internal error, which it has printed. */
bool rh__world_tool_failed(const struct rh_world *w);
/* Suppresses messages about lost children: the caller repeats their work. */
void rh__world_supervise(struct rh_world *w);

/* The part of an actor in the fingerprint that was asked for last. */
uint64_t rh__actor_hash(const struct rh_world *w, uint32_t actor);

/* Fingerprints will be asked for.  Call it before the world begins: stacks are clean from the first step on, so that
 * equal steps leave equal stacks in every process. */
void rh__world_will_print(struct rh_world *w);

/* Between runs: another process has seen the program do what changes the meaning of fingerprints
 * (rh_world_fingerprint_meaning). */
void rh__world_has_seen(struct rh_world *w, uint32_t meaning);

/* ---- actors that are alike (alike.h) ----------------------------------------------------------------------------- */

/* From now on the world records whether the program tells alike actors apart, and keeps stacks clean. */
void rh__world_watch_twins(struct rh_world *w);
/* True if the program has asked a question whose answers differ for alike actors, or has written a global variable. */
bool rh__world_told_apart(const struct rh_world *w);

/* An explorer cannot explore programs that call rh_receive_set, or call it with a time limit: the call ends the run,
 * and the user is told this sentence (rh_world_refused). */
void rh__world_refuse_sets(struct rh_world *w, const char *sentence, bool only_timed);
/* That sentence; NULL if sets are explored. */
const char *rh__world_refuses_sets(const struct rh_world *w);
/* True if the program has called rh_receive_set, in this run or another one. */
bool rh__world_uses_sets(const struct rh_world *w);
/* A set that the actor, which waits for a set, can take now: its messages.  False if there is none. */
bool rh__world_set_now(const struct rh_world *w, uint32_t actor, uint32_t *messages);
/* Of these messages, which the actor takes as a set: the one that it takes next.  RH_NONE if it cannot take them. */
uint32_t rh__world_set_next(const struct rh_world *w, uint32_t actor, const uint32_t *messages, uint32_t count);

/* ---- liveness ---------------------------------------------------------------------------------------------------- */

/* Sets `temperature` to 0, before the world begins: the explorer finds loops of states, and the temperature of a run is
 * not in its state. */
void rh__world_drop_temperature(struct rh_world *w);
/* The monitors, as actors. */
uint32_t rh__world_monitors(const struct rh_world *w, const uint32_t **monitors);
/* The event that made the monitor hot; RH_NONE while it is not hot. */
uint32_t rh__monitor_hot_since(const struct rh_world *w, uint32_t monitor);
/* The run is cut here: notes which monitors are hot.  Nobody judges them, unless there is a temperature. */
void rh__world_was_cut(struct rh_world *w);
/* All open choices, also those that a filter hides from an explorer. */
const struct rh_choice *rh__world_open(const struct rh_world *w, uint32_t *count);
/* Names an open choice among those of its state, by the same number in every run that comes to this state. */
uint64_t rh__choice_key(const struct rh_world *w, const struct rh_choice *c);
/* The run is a lasso: the state after the last event is that before event `loop`, and the monitor was hot all the time;
 * or, with RH__NO_MONITOR, no timer has fired.  Ends the run with this finding. */
void rh__world_close_loop(struct rh_world *w, uint32_t loop, uint32_t monitor);

/* Sets the budgets of faults that only delay (RH_ONLY_DELAYS) to 0, before the world begins.  A delay adds no distinct
 * run: the delayed steps can happen equally late without the fault. */
void rh__world_drop_delays(struct rh_world *w);
/* From the next run on: the driver only resets the world, and never undoes a part of a run.  What a run changes is then
 * copied once a run, and not at every step. */
void rh__world_only_reset(struct rh_world *w, bool only);

/* True if what an actor did may depend on what the record of a run does not show: on a global variable that an actor
 * has written, or on what another actor was doing (rh_info). */
bool rh__world_hides_causes(const struct rh_world *w);

/* How often the program has asked for the time so far, in all runs together. */
uint64_t rh__clock_questions(const struct rh_world *w);

#endif
