/* The round of actors (rehearse/delaying.h), and the explorers on it [Desai 2015, 5.2]:
 *
 *     rtc   whom something was sent to last is first: a run follows a chain of messages to its end
 *     rr    actors in the order of their spawns; the first stays first until it has nothing to do
 *     prr   the same with new actors at random places
 *
 * Under each of them a delay passes over the next choice. */
#include "explore/delaying/rounds.h"

#include <string.h>

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

static uint32_t choices_of_first(const struct rh_round *r, const struct rh_choice *open, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += place_of(open[i].actor) == r->actors[0];
    return n;
}

uint32_t rh_round_next(void *round, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w;
    struct rh_round *r = round;
    know_all(r, open, count);
    while (choices_of_first(r, open, count) <= r->passed)
        first_to_end(r);
    uint32_t i = 0, before = 0;
    while (place_of(open[i].actor) != r->actors[0] || before++ < r->passed)
        i++;
    return i;
}

void rh_round_delay(void *round, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct rh_round *r = round;
    rh_round_next(r, w, open, count); /* those who have nothing to do are behind */
    r->passed++;
    if (choices_of_first(r, open, count) <= r->passed)
        first_to_end(r);
}

void rh_round_step(struct rh_round *r)
{
    r->passed = 0;
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
