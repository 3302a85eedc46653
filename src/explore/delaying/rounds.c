/* The round of actors (rehearse/delaying.h), and the explorers on it [Desai 2015, 5.2]:
 *
 *     rtc   whom something was sent to last is first: a run follows a chain of messages to its end
 *     rr    actors in the order of their spawns; the first stays first until it has nothing to do
 *     prr   the same with new actors at random places
 *
 * Under each of them a delay passes over the next choice.  A run without delays has no fault, and no timer fires
 * early; but a delay of an actor's last message gives the faults that hit it.  That is worth much: with faults behind
 * the messages of all actors, most bugs of examples/protocols need two delays more. */
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

/* Choices of an actor that nobody has put in the round: of the clock, of nobody. */
static void know_all(struct rh_round *r, const struct rh_choice *open, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!memchr(r->actors, place_of(open[i].actor), r->count))
            rh_round_put(r, open[i].actor, RH_ROUND_ACTORS);
}

/* When a choice comes by itself: steps of actors first, and what repairs a fault.  A timer fires when nothing else can
 * happen, a run ends when no timer is left, and no run has a fault without delays. */
enum when { STEP, TIMER, END, FAULT };

static enum when when_of(const struct rh_choice *c)
{
    if (c->kind == RH_CHOICE_RESTART || c->kind == RH_CHOICE_HEAL)
        return STEP;
    return c->kind == RH_CHOICE_END ? END : rh__is_fault(c) ? FAULT : c->kind == RH_CHOICE_TIMER ? TIMER : STEP;
}

static enum when earliest_of(const struct rh_choice *open, uint32_t count)
{
    enum when earliest = FAULT;
    for (uint32_t i = 0; i < count; i++)
        earliest = when_of(&open[i]) < earliest ? when_of(&open[i]) : earliest;
    return earliest;
}

/* Counts the choices of an actor that come at `latest` or before. */
static uint32_t choices_of(uint8_t who, enum when latest, const struct rh_choice *open, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += place_of(open[i].actor) == who && when_of(&open[i]) <= latest;
    return n;
}

static void to_end(struct rh_round *r, uint32_t at)
{
    rh_round_put(r, r->actors[at] == NOBODY ? RH_NONE : r->actors[at], RH_ROUND_ACTORS);
}

/* Finds the actor that is next: the first one with something that comes now; when delays have passed over all of these,
 * the first one with anything.  Those whom delays have passed over are at the end. */
static uint32_t find_actor(struct rh_round *r, const struct rh_choice *open, uint32_t count)
{
    enum when now = earliest_of(open, count);
    know_all(r, open, count);
    if (!r->passed && !r->moved) /* whoever has nothing to do loses its turn */
        while (!choices_of(r->actors[0], now, open, count))
            to_end(r, 0);
    for (uint32_t i = 0; i + r->moved < r->count; i++)
        if (choices_of(r->actors[i], now, open, count))
            return i;
    for (uint32_t i = 0; i + r->moved < r->count; i++)
        if (choices_of(r->actors[i], FAULT, open, count))
            return i;
    return 0; /* more delays than choices */
}

/* The choices of an actor: what comes now, then faults, then what comes later. */
enum { NOW, FAULTS, LATER, TURNS };

static uint32_t turn_of(const struct rh_choice *c, enum when now)
{
    enum when when = when_of(c);
    return when == now ? NOW : when == FAULT ? FAULTS : LATER;
}

uint32_t rh_round_next(void *round, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w;
    struct rh_round *r = round;
    uint8_t who = r->actors[find_actor(r, open, count)];
    enum when now = earliest_of(open, count);
    uint32_t before = r->passed;
    for (uint32_t turn = NOW; turn < TURNS; turn++)
        for (uint32_t i = 0; i < count; i++)
            if (place_of(open[i].actor) == who && turn_of(&open[i], now) == turn && before-- == 0)
                return i;
    return 0; /* more delays than choices */
}

void rh_round_delay(void *round, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w;
    struct rh_round *r = round;
    uint32_t at = find_actor(r, open, count);
    if (++r->passed < choices_of(r->actors[at], FAULT, open, count))
        return;
    to_end(r, at);
    r->moved++;
    r->passed = 0;
}

void rh_round_step(struct rh_round *r)
{
    r->passed = r->moved = 0;
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
