/* The determinism check (rehearse/world.h): the same choices twice, compared event by event.
 *
 * Compared are the choice, the number of messages sent and their bytes, and the memory of the actor that moved, as one
 * hash per event.  The likely cause is guessed from what differs: a call that escaped control, or a value that looks like
 * an address outside of the world. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/random.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/state.h"

enum { LONGEST = 10000, MOST_TICKS = 5 };

struct record {
    struct rh_choice choice;
    uint64_t messages, state;
    uint32_t sent, open;
};

static uint64_t hash_sent(const struct rh_world *w, uint32_t first)
{
    uint64_t h = 0;
    for (uint32_t i = first; i < w->message_count; i++) {
        const struct message *m = &w->messages[i];
        h = rh__mix(h, rh__hash(rh__message_value(w, m), m->size, (uint64_t)m->sender << 32 | m->receiver));
        h = rh__mix(h, rh__hash(rh__message_tail(w, m), m->tail_size, (uint64_t)(uintptr_t)m->type));
    }
    return h;
}

static struct record step(struct rh_world *w, uint64_t *random)
{
    uint32_t open;
    const struct rh_choice *choices = rh_world_enabled(w, &open);
    struct record r = { .open = open };
    if (!open)
        return r;
    r.choice = choices[rh__random_below(random, open)];
    uint32_t before = w->message_count;
    rh_world_step(w, &r.choice);
    r.sent = w->message_count - before;
    r.messages = hash_sent(w, before);
    if (r.choice.actor != RH_NONE && w->actors[r.choice.actor].status != STATUS_OUTSIDE)
        r.state = rh__region_hash(w, r.choice.actor);
    return r;
}

static void likely_cause(const struct rh_world *w, char *text, size_t size)
{
    if (w->escape_count)
        snprintf(text, size, "the program calls %s at %s, which is not controlled", w->escapes[0].call,
                 w->escapes[0].place);
    else
        snprintf(text, size,
                 "an uninitialised value, or an address outside of the actors' memory, may have got into a "
                 "message or a state");
}

static struct rh_outcome differs(const struct rh_world *w, uint32_t event, const struct record *was,
                                 const struct record *is)
{
    struct rh_outcome o = { .kind = RH_OUTCOME_NONDETERMINISM, .actor = is->choice.actor };
    char choice[256], cause[256];
    if (is->open)
        rh_world_choice_text(w, &is->choice, choice, sizeof choice);
    else
        snprintf(choice, sizeof choice, "the run ends");
    likely_cause(w, cause, sizeof cause);
    snprintf(o.text, sizeof o.text, "the same choices gave different runs at event %u (%s): %s differ; %s", event,
             choice,
             was->open != is->open                                        ? "the choices that are open"
             : memcmp(&was->choice, &is->choice, sizeof was->choice) != 0 ? "the choices"
             : was->sent != is->sent                                      ? "the numbers of messages sent"
             : was->messages != is->messages                              ? "the messages sent"
                                                                          : "the states of the actor",
             cause);
    return o;
}

struct rh_outcome rh_world_check_determinism(struct rh_world *w, uint64_t seed)
{
    struct rh_outcome fine = { .kind = RH_OUTCOME_FINISHED, .actor = RH_NONE };
    struct record *first = rh__alloc_array(LONGEST, sizeof *first);
    if (!first)
        return fine;
    uint32_t length = LONGEST;
    for (int round = 0; round < 2; round++) {
        uint64_t random = seed, ticks = w->ticks;
        rh_world_reset(w);
        for (uint32_t i = 0; i < length; i++) {
            struct record r = step(w, &random);
            if (round == 0)
                first[i] = r;
            else if (memcmp(&first[i], &r, sizeof r) != 0) {
                struct rh_outcome o = differs(w, w->event_count - 1, &first[i], &r);
                rh__free(first);
                return o;
            }
            if (!r.open)
                break;
            if (round == 0 && w->ticks - ticks > MOST_TICKS)
                length = i + 1; /* it is slow: a part must do */
        }
    }
    rh__free(first);
    rh_world_reset(w);
    return fine;
}
