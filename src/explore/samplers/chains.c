/* See chains.h.
 *
 * The chains are in sets B1, B2, ...: Bi has room for i chains.  A message goes to the first set that has a chain whose
 * last message is an ancestor, or room for a new chain.  If that is Bi with i > 1, the rest of Bi and B(i-1) change
 * places: so a set holds chains that a later antichain can use, and Bw is never passed.
 *
 * Each event has one cause, so that causes are a forest.  Whether an event is an ancestor of another one takes a number
 * of steps that is logarithmic in the length of the run: each event knows its cause and one ancestor farther away
 * [Myers 1983]. */
#include "explore/samplers/chains.h"

#include "explore/explorers.h"
#include "world/live.h"

enum { SETS = 64, CHAINS = SETS * (SETS + 1) / 2 };

struct set {
    uint32_t count;
    uint32_t chain[SETS];
};

struct ancestors {
    uint32_t cause, far, depth; /* an event without a cause: itself, itself, 0 */
    bool leaf;                  /* it is nobody's cause */
};

struct rh__chains {
    uint32_t *of;                /* of each message: its chain */
    struct ancestors *ancestors; /* of each event */
    uint32_t events, messages;   /* that were noted */
    uint32_t count;
    uint32_t last[CHAINS]; /* of each chain: its last message */
    struct set sets[SETS]; /* sets[i] is B(i+1) */
};

struct rh__chains *rh__chains_new(struct rh_exploration *x)
{
    struct rh__chains *c = rh_exploration_memory(x, sizeof *c);
    if (!c)
        return NULL;
    c->of = rh_exploration_memory(x, (size_t)rh__world_most_messages() * sizeof *c->of);
    c->ancestors = rh_exploration_memory(x, ((size_t)rh_exploration_max_steps(x) + 2) * sizeof *c->ancestors);
    return c->of && c->ancestors ? c : NULL;
}

void rh__chains_begin(struct rh__chains *c)
{
    c->events = c->messages = c->count = 0;
    for (uint32_t i = 0; i < SETS; i++)
        c->sets[i].count = 0;
}

uint32_t rh__cause_of(const struct rh_world *w, const struct rh_event *events, uint32_t at)
{
    uint32_t attributes = rh_choice_attributes(events[at].choice.kind), actor = events[at].choice.actor;
    if (attributes & RH_ABOUT_MESSAGE)
        return rh_world_message(w, events[at].choice.what).event;
    if (events[at].set_by != RH_NONE || !(attributes & RH_CONTINUES))
        return events[at].set_by;
    while (at-- && events[at].choice.actor != actor)
        continue;
    return at;
}

static void note_event(struct rh__chains *c, const struct rh_world *w, const struct rh_event *events, uint32_t at)
{
    struct ancestors *all = c->ancestors;
    uint32_t cause = rh__cause_of(w, events, at);
    if (cause == RH_NONE) {
        all[at] = (struct ancestors){ .cause = at, .far = at, .leaf = true };
        return;
    }
    uint32_t far = all[cause].far, farther = all[far].far;
    bool twice = all[cause].depth - all[far].depth == all[far].depth - all[farther].depth;
    all[cause].leaf = false;
    all[at] = (struct ancestors){
        .cause = cause, .far = twice ? farther : cause, .depth = all[cause].depth + 1, .leaf = true
    };
}

bool rh__chains_is_ancestor(const struct rh__chains *c, uint32_t old, uint32_t at)
{
    const struct ancestors *all = c->ancestors;
    while (!all[old].leaf && all[at].depth > all[old].depth)
        at = all[all[at].far].depth >= all[old].depth ? all[at].far : all[at].cause;
    return at == old;
}

/* Whether the last message of the chain is an ancestor of a message that the event sent. */
static bool can_grow(const struct rh__chains *c, const struct rh_world *w, uint32_t chain, uint32_t event)
{
    uint32_t by = rh_world_message(w, c->last[chain]).taken_by;
    return by != RH_NONE && event != RH_NONE && rh__chains_is_ancestor(c, by, event);
}

/* The place in the set of a chain that can grow, or of a new chain if there is room for one; else RH_NONE. */
static uint32_t find_place(struct rh__chains *c, const struct rh_world *w, uint32_t set, uint32_t event)
{
    struct set *b = &c->sets[set];
    for (uint32_t i = 0; i < b->count; i++)
        if (can_grow(c, w, b->chain[i], event))
            return i;
    if (b->count > set)
        return RH_NONE;
    b->chain[b->count] = c->count++;
    return b->count++;
}

/* The rest of the set changes places with the set before it. */
static void exchange(struct rh__chains *c, uint32_t set, uint32_t place)
{
    struct set *b = &c->sets[set], *before = b - 1, rest = *b;
    uint32_t chain = b->chain[place];
    rest.chain[place] = rest.chain[--rest.count];
    *b = *before;
    b->chain[b->count++] = chain;
    *before = rest;
}

static uint32_t chain_for(struct rh__chains *c, const struct rh_world *w, uint32_t message)
{
    uint32_t event = rh_world_message(w, message).event;
    for (uint32_t set = 0; set < SETS; set++) {
        uint32_t place = find_place(c, w, set, event);
        if (place == RH_NONE)
            continue;
        uint32_t chain = c->sets[set].chain[place];
        if (set)
            exchange(c, set, place);
        return chain;
    }
    return message % CHAINS; /* wider than SETS: no guarantee any more */
}

void rh__chains_follow(struct rh__chains *c, const struct rh_world *w)
{
    uint32_t count;
    const struct rh_event *events = rh_world_events(w, &count);
    for (; c->events < count; c->events++)
        note_event(c, w, events, c->events);
    for (uint32_t end = rh_world_message_count(w); c->messages < end; c->messages++) {
        uint32_t chain = chain_for(c, w, c->messages);
        c->last[chain] = c->messages;
        c->of[c->messages] = chain;
    }
}

uint32_t rh__chain_of(const struct rh__chains *c, uint32_t message)
{
    return c->of[message];
}

uint32_t rh__chains_count(const struct rh__chains *c)
{
    return c->count;
}
