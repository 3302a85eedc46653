/* See merges.h. */
#include "explore/stateful/merges.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "explore/explorers.h"
#include "world/live.h"

/* ---- splits ------------------------------------------------------------------------------------------------------ */

/* HyperLogLog [Flajolet, Fusy, Gandouet and Meunier 2007] with 256 registers: within 7 % or so.  Actors from number
 * MOST_ACTORS - 1 on are counted together. */
enum { MOST_ACTORS = 256, REGISTERS = 256, SHOWN = 3, FEW_STATES = 1000 };

struct rh__splits {
    unsigned char registers[MOST_ACTORS][REGISTERS];
};

struct rh__splits *rh__splits_new(struct rh_exploration *x)
{
    return rh_exploration_memory(x, sizeof(struct rh__splits));
}

void rh__splits_clear(struct rh__splits *s)
{
    memset(s, 0, sizeof *s);
}

void rh__splits_note(struct rh__splits *s, const struct rh_world *w)
{
    uint32_t n;
    const struct rh_event *events = rh_world_events(w, &n);
    uint32_t actor = events[n - 1].choice.actor;
    if (actor < rh_world_actor_count(w))
        rh__splits_add(s, actor, rh__actor_hash(w, actor));
}

void rh__splits_add(struct rh__splits *s, uint32_t actor, uint64_t hash)
{
    unsigned char *r = s->registers[actor < MOST_ACTORS ? actor : MOST_ACTORS - 1] + hash % REGISTERS;
    unsigned char rank = (unsigned char)(1 + __builtin_clzll(hash | (REGISTERS - 1)));
    *r = rank > *r ? rank : *r;
}

static double estimate(const unsigned char *r)
{
    double sum = 0, m = REGISTERS;
    uint32_t zeroes = 0;
    for (uint32_t i = 0; i < REGISTERS; i++) {
        sum += ldexp(1, -r[i]);
        zeroes += !r[i];
    }
    double n = 0.7213 / (1 + 1.079 / m) * m * m / sum;
    return n <= 2.5 * m && zeroes ? m * log(m / zeroes) : n;
}

void rh__splits_text(const struct rh__splits *s, const struct rh_world *w, uint64_t states, uint64_t transitions,
                     char *buffer, size_t size)
{
    struct rh__text t;
    bool shown[MOST_ACTORS] = { false };
    rh__text_init(&t, buffer, size);
    if (states < FEW_STATES)
        return;
    rh__text_add(
        &t, "\n%.1f transitions for a state; states of single actors, about:", (double)transitions / (double)states);
    for (uint32_t k = 0; k < SHOWN; k++) {
        uint32_t most = RH_NONE;
        for (uint32_t i = 0; i < MOST_ACTORS && i < rh_world_actor_count(w); i++)
            if (!shown[i] && (most == RH_NONE || estimate(s->registers[i]) > estimate(s->registers[most])))
                most = i;
        if (most == RH_NONE || estimate(s->registers[most]) < 0.5)
            break;
        char name[256];
        rh_world_actor_name(w, most, name, sizeof name);
        shown[most] = true;
        rh__text_add(&t, "%s %s %.0f", k ? "," : "", name, estimate(s->registers[most]));
    }
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

enum { STEPS_BITS = 16 };

struct step {
    uint64_t key;  /* of a state and a choice; 0: none */
    uint64_t seen; /* behind it */
};

struct rh__merges {
    struct step steps[1 << STEPS_BITS];
    uint64_t key; /* of the step that is about to be made; 0: none */
    uint64_t compared;
    bool wrong;
    char choice[256], sentence[512];
};

struct rh__merges *rh__merges_new(struct rh_exploration *x)
{
    return rh_exploration_memory(x, sizeof(struct rh__merges));
}

void rh__merges_clear(struct rh__merges *m)
{
    memset(m, 0, sizeof *m);
}

static uint64_t hash_choice(const struct rh_world *w, const struct rh_choice *c)
{
    char text[512];
    rh_world_choice_text(w, c, text, sizeof text);
    uint64_t h = rh__hash(text, strlen(text), c->kind);
    if (c->kind == RH_CHOICE_DELIVER || c->kind == RH_CHOICE_LOSE || c->kind == RH_CHOICE_DUPLICATE) {
        struct rh_message_info message = rh_world_message(w, c->what);
        h = rh__mix(h, rh__hash(message.value, message.size, 1));
        h = message.tail_size ? rh__mix(h, rh__hash(message.tail, message.tail_size, 2)) : h;
    }
    return h;
}

void rh__merges_before(struct rh__merges *m, const struct rh_world *w, struct rh_fingerprint f,
                       const struct rh_choice *choice)
{
    m->key = rh__mix(rh__mix(f.high, f.low), hash_choice(w, choice)) | 1;
    rh_world_choice_text(w, choice, m->choice, sizeof m->choice);
}

void rh__merges_after(struct rh__merges *m, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    if (!m->key)
        return;
    const struct rh_outcome *o = rh_world_outcome(w);
    uint64_t seen = rh__hash(o->place, strlen(o->place), o->kind);
    for (uint32_t i = 0; i < count; i++)
        seen += hash_choice(w, &open[i]);
    struct step *s = &m->steps[m->key >> (64 - STEPS_BITS)];
    if (s->key == m->key) {
        m->compared++;
        if (s->seen != seen && !m->wrong)
            snprintf(
                m->sentence, sizeof m->sentence,
                "two states that count as one behave differently: behind \"%s\" there is not the same; if an actor "
                "has an RH_STATE_HASH, it leaves something out",
                m->choice);
        m->wrong |= s->seen != seen;
    } else if (!s->key) {
        *s = (struct step){ m->key, seen };
    }
    m->key = 0;
}

uint64_t rh__merges_compared(const struct rh__merges *m)
{
    return m->compared;
}

const char *rh__merges_wrong(const struct rh__merges *m)
{
    return m->wrong ? m->sentence : NULL;
}
