/* The round of actors (rehearse/delaying.h), and the explorers on it [Desai 2015, 5.2]:
 *
 *     rtc   whom something was sent to last is first: a run follows a chain of messages to its end
 *     rr    actors in the order of their spawns; the first stays first until it has nothing to do
 *     prr   the same with new actors at random places
 *
 * Under each of them a delay passes over the next choice.  Timers and faults come after all messages: so a run without
 * delays has no fault, and no timer fires early. */
#include "explore/delaying/rounds.h"

#include <string.h>

#include "world/run_record.h"

enum { NOBODY = RH_ROUND_ACTORS - 1, OTHERS = RH_ROUND_ACTORS - 2 };

static uint8_t place_of(uint32_t actor)
{
    return (uint8_t)(actor == RH_NONE ? NOBODY : actor < OTHERS ? actor : OTHERS);
}

void rh_round_put(struct rh_round *r, uint32_t actor, uint32_t place)
{
    uint8_t who = place_of(actor);
    uint32_t at = 0;
    while (at < r->count && r->actors[at] != who)
        at++;
    if (at < r->count)
        memmove(&r->actors[at], &r->actors[at + 1], r->count - at - 1u);
    else
        r->count++;
    if (place >= r->count)
        place = r->count - 1u;
    memmove(&r->actors[place + 1], &r->actors[place], r->count - place - 1u);
    r->actors[place] = who;
}

static void first_to_end(struct rh_round *r)
{
    rh_round_put(r, r->actors[0] == NOBODY ? RH_NONE : r->actors[0], RH_ROUND_ACTORS);
    r->passed = 0;
}

/* Choices of an actor that nobody has put in the round: of the clock, of nobody. */
static void know_all(struct rh_round *r, const struct rh_choice *open, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!memchr(r->actors, place_of(open[i].actor), r->count))
            rh_round_put(r, open[i].actor, RH_ROUND_ACTORS);
}

/* When a choice comes by itself: steps of actors first, and what repairs a fault.  A timer fires when nothing else can
 * happen, a run ends when no timer is left, and no run has a fault without delays. */
enum when { STEP, TIMER, END, FAULT, WHENS };

static enum when when_of(const struct rh_choice *c)
{
    if (c->kind == RH_CHOICE_RESTART || c->kind == RH_CHOICE_HEAL)
        return STEP;
    return c->kind == RH_CHOICE_END ? END : rh__is_fault(c) ? FAULT : c->kind == RH_CHOICE_TIMER ? TIMER : STEP;
}

/* Counts the steps of an actor, by its place; RH_ROUND_ACTORS: of all actors. */
static uint32_t steps_of(uint32_t who, const struct rh_choice *open, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += when_of(&open[i]) == STEP && (who == RH_ROUND_ACTORS || place_of(open[i].actor) == who);
    return n;
}

/* Returns choice n of those that are no steps. */
static uint32_t later_choice(const struct rh_round *r, const struct rh_choice *open, uint32_t count, uint32_t n)
{
    for (enum when when = TIMER; when < WHENS; when++)
        for (uint32_t place = 0; place < r->count; place++)
            for (uint32_t i = 0; i < count; i++)
                if (when_of(&open[i]) == when && place_of(open[i].actor) == r->actors[place] && n-- == 0)
                    return i;
    return 0; /* an explorer that delays more often than there are choices */
}

uint32_t rh_round_next(void *round, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w;
    struct rh_round *r = round;
    uint32_t steps = steps_of(RH_ROUND_ACTORS, open, count), i = 0, before = 0;
    know_all(r, open, count);
    if (r->delays >= steps)
        return later_choice(r, open, count, r->delays - steps);
    while (steps_of(r->actors[0], open, count) <= r->passed)
        first_to_end(r);
    while (when_of(&open[i]) != STEP || place_of(open[i].actor) != r->actors[0] || before++ < r->passed)
        i++;
    return i;
}

void rh_round_delay(void *round, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct rh_round *r = round;
    rh_round_next(r, w, open, count); /* those who have nothing to do are behind */
    if (r->delays++ >= steps_of(RH_ROUND_ACTORS, open, count))
        return;
    r->passed++;
    if (steps_of(r->actors[0], open, count) <= r->passed)
        first_to_end(r);
}

void rh_round_step(struct rh_round *r)
{
    r->passed = r->delays = 0;
}

/* ---- the explorers
 * ----------------------------------------------------------------------------------------------- */

static void start_last(void *state, const struct rh_world *w, uint32_t actor, uint64_t random)
{
    (void)w, (void)random;
    rh_round_put(state, actor, RH_ROUND_ACTORS);
}

static void start_anywhere(void *state, const struct rh_world *w, uint32_t actor, uint64_t random)
{
    (void)w;
    const struct rh_round *r = state;
    rh_round_put(state, actor, (uint32_t)(random % (r->count + 1u)));
}

static void step(void *state, const struct rh_world *w, const struct rh_step *did)
{
    (void)w, (void)did;
    rh_round_step(state);
}

static void step_to_receivers(void *state, const struct rh_world *w, const struct rh_step *did)
{
    rh_round_step(state);
    for (uint32_t i = 0; i < did->sent; i++)
        rh_round_put(state, rh_world_message(w, did->first_message + i).receiver, 0);
}

const struct rh_delaying rh__delaying_rtc = { .name = "rtc",
                                              .summary = "run to completion: the last receiver is first",
                                              .state_size = sizeof(struct rh_round),
                                              .next = rh_round_next,
                                              .delay = rh_round_delay,
                                              .step = step_to_receivers,
                                              .start = start_last };
const struct rh_delaying rh__delaying_rr = { .name = "rr",
                                             .summary = "round robin, in the order of spawns",
                                             .state_size = sizeof(struct rh_round),
                                             .next = rh_round_next,
                                             .delay = rh_round_delay,
                                             .step = step,
                                             .start = start_last };
const struct rh_delaying rh__delaying_prr = { .name = "prr",
                                              .summary = "round robin, in a random order",
                                              .state_size = sizeof(struct rh_round),
                                              .next = rh_round_next,
                                              .delay = rh_round_delay,
                                              .step = step,
                                              .start = start_anywhere };
