/* urw and surw: interleavings that are uniform, by counts learned from earlier runs [SURW 2025].
 *
 * The paper's walk lets the thread of which n events are left go on with a probability of n / (all that are left):
 * then all interleavings of the threads have the same probability, which a fair choice at each step is far from.
 * Here events cause each other by messages, and the causes are a forest.  A choice stands for the events that follow
 * from it, itself among them; and the orders of a forest are uniform if each step takes an open choice with a
 * probability in proportion to that number.
 *
 *     paper                here
 *     thread               an open choice with all that follows from it.  In a channel that keeps messages in order
 *                          the first message also stands for those behind it
 *     events that are      the mean, over earlier runs, of the events that followed from such a choice: the same kind,
 *     left of it           message type or timer, sender and receiver.  1 if there was none
 *     interesting events   urw: all.  surw: those of one actor that is drawn for each run
 *
 * surw makes the order of the interesting events uniform.  It draws the choice from which the next of them is to
 * follow, in proportion to how many follow from each, and goes on with what follows from that choice until it has
 * happened. Choices from which no interesting event follows are taken meanwhile, each as likely as that one.
 *
 * The counts are means: orders are uniform if they are the same in all runs, and nearly so if they vary.  Faults are
 * no part of an interleaving: all open faults together count as half an event.  The values of rh_choose share what
 * follows from it.  In urw each open choice has a positive probability. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "explore/explorers.h"
#include "explore/samplers/chains.h"
#include "explore/samplers/stream.h"
#include "run/run.h"

enum {
    SLOTS = 1 << 16,    /* of the table of counts; a power of two, filled up to a half */
    CHANNELS = 1 << 10, /* more share their counts */
    MEMORY = 64,        /* a mean is one over about so many runs */
    MOST_ACTORS = 64,   /* that can be drawn */
};

/* How many interesting events follow from choices of a key. */
struct count {
    uint64_t key; /* of the choice, and of the actor whose events are interesting */
    double mean;
    uint32_t seen;
};

struct urw {
    struct rh__stream stream;
    bool selective;
    uint32_t most; /* events */
    struct count *table;
    uint32_t keys;
    uint64_t actors[MOST_ACTORS]; /* identities of actors that took something */
    uint32_t actor_count;
    uint64_t drawn; /* the actor whose events are interesting; 0: all */
    /* of each event of the run under way */
    uint64_t *key;
    uint32_t *cause, *follow;
    double *weight; /* of each open choice */
    /* of the run under way */
    uint64_t random;
    uint32_t intended; /* go on with what follows from this event; RH_NONE: draw */
    uint32_t noted;    /* messages that are counted in `behind` */
    double behind[CHANNELS];
};

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static uint64_t identity_of(const struct rh_world *w, uint32_t actor)
{
    const struct rh__run *r = rh__world_run(w);
    return actor < r->actor_count ? rh__run_actor(r, actor)->identity : 0;
}

static uint64_t hash_text(const char *text)
{
    return text ? rh__hash(text, strlen(text), 0) : 0;
}

/* Choices with the same key are alike. */
static uint64_t key_of(const struct rh_world *w, const struct rh_choice *c)
{
    uint64_t key = rh__mix(identity_of(w, c->actor), c->kind);
    if (rh_choice_attributes(c->kind) & RH_ABOUT_MESSAGE) {
        struct rh_message_info m = rh_world_message(w, c->what);
        return rh__mix(rh__mix(key, m.type ? hash_text(m.type->name) : 0), identity_of(w, m.sender));
    }
    return c->kind == RH_CHOICE_TIMER ? rh__mix(key, hash_text(rh_world_timer(w, c->what).name)) : key;
}

/* The place of a key for the actor that is drawn; NULL: the table is full. */
static struct count *count_of(const struct urw *u, uint64_t key)
{
    key = rh__mix(key, u->drawn) | 1;
    uint32_t at = (uint32_t)(key >> 7) & (SLOTS - 1);
    while (u->table[at].key && u->table[at].key != key)
        at = (at + 1) & (SLOTS - 1);
    struct count *c = &u->table[at];
    if (!c->key && u->keys >= SLOTS / 2)
        return NULL;
    c->key = key;
    return c;
}

static bool is_interesting(const struct urw *u, const struct rh_world *w, const struct rh_choice *c)
{
    return !rh__is_fault(c) && (!u->drawn || identity_of(w, c->actor) == u->drawn);
}

/* How many interesting events follow from a choice with this key.  Of a choice that is new, only itself. */
static double follows(const struct urw *u, uint64_t key, bool interesting)
{
    const struct count *c = count_of(u, key);
    double least = interesting ? 1 : 0;
    return c && c->seen && c->mean > least ? c->mean : least;
}

/* Adds the run that has ended to the counts of the actor that is drawn. */
static void learn(struct urw *u, const struct rh_world *w)
{
    uint32_t events;
    const struct rh_event *e = rh_world_events(w, &events);
    events = events < u->most ? events : u->most;
    for (uint32_t i = 1; i < events; i++)
        u->follow[i] = is_interesting(u, w, &e[i].choice);
    for (uint32_t i = events; i-- > 1;) {
        struct count *c = count_of(u, u->key[i]);
        uint32_t cause = u->cause[i];
        if (cause != RH_NONE && cause)
            u->follow[cause] += u->follow[i];
        if (!c || rh__is_fault(&e[i].choice))
            continue;
        u->keys += !c->seen;
        c->seen += c->seen < MEMORY;
        c->mean += (u->follow[i] - c->mean) / c->seen;
    }
}

/* ---- channels ---------------------------------------------------------------------------------------------------- */

static double *channel_of(struct urw *u, uint32_t sender, uint32_t receiver)
{
    return &u->behind[rh__mix(sender, receiver) % CHANNELS];
}

static double weight_of_message(const struct urw *u, const struct rh_world *w, uint32_t message)
{
    struct rh_message_info m = rh_world_message(w, message);
    struct rh_choice c = { .kind = RH_CHOICE_DELIVER, .actor = m.receiver, .what = message };
    return follows(u, key_of(w, &c), is_interesting(u, w, &c));
}

/* Takes note of the last event, and of the messages that it sent. */
static void note_step(struct urw *u, const struct rh_world *w)
{
    uint32_t events, last, messages = rh_world_message_count(w);
    const struct rh_event *e = rh_world_events(w, &events);
    bool ordered = rh_world_semantics(w)->model != RH_BAG;
    last = events - 1;
    for (; ordered && u->noted < messages; u->noted++) {
        struct rh_message_info m = rh_world_message(w, u->noted);
        *channel_of(u, m.sender, m.receiver) += weight_of_message(u, w, u->noted);
    }
    if (last && last < u->most) {
        const struct rh_choice *c = &e[last].choice;
        u->cause[last] = rh__cause_of(w, e, last);
        if (ordered && (c->kind == RH_CHOICE_DELIVER || c->kind == RH_CHOICE_LOSE)) {
            double *behind = channel_of(u, rh_world_message(w, c->what).sender, rh_world_message(w, c->what).receiver);
            *behind -= weight_of_message(u, w, c->what);
            if (*behind < 1e-6)
                *behind = 0;
        }
    }
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static double weight_of(struct urw *u, const struct rh_world *w, const struct rh_choice *c)
{
    double weight = follows(u, key_of(w, c), is_interesting(u, w, c));
    if (c->kind == RH_CHOICE_VALUE && c->arg)
        return weight / c->arg;
    if (c->kind != RH_CHOICE_DELIVER || rh_world_semantics(w)->model == RH_BAG)
        return weight;
    double all = *channel_of(u, rh_world_message(w, c->what).sender, c->actor);
    return all > weight ? all : weight;
}

/* Whether the choice follows from the intended event. */
static bool is_intended(const struct urw *u, const struct rh_world *w, const struct rh_choice *c)
{
    uint32_t attributes = rh_choice_attributes(c->kind), at = RH_NONE, events;
    const struct rh_event *e = rh_world_events(w, &events);
    if (attributes & RH_ABOUT_MESSAGE)
        at = rh_world_message(w, c->what).event;
    else if (c->kind == RH_CHOICE_TIMER)
        at = rh_world_timer(w, c->what).event;
    else
        for (at = events; at-- && e[at].choice.actor != c->actor;)
            continue;
    while (at != RH_NONE && at > u->intended && at < u->most)
        at = u->cause[at];
    return at == u->intended;
}

static uint32_t draw(struct urw *u, uint32_t count, double sum)
{
    double left = (double)(rh__random_next(&u->random) >> 11) * 0x1p-53 * sum;
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (u->weight[i] <= 0)
            continue;
        last = i;
        if (left < u->weight[i])
            break;
        left -= u->weight[i];
    }
    return last;
}

/* Weights of the interesting part become those of one choice, beside the others. */
static double mix_free(struct urw *u, const struct rh_choice *open, uint32_t count, double sum)
{
    double all = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool idle = u->weight[i] == 0 && !rh__is_fault(&open[i]);
        u->weight[i] = idle ? 1 : u->weight[i] > 0 && sum > 0 ? u->weight[i] / sum : 0;
        all += u->weight[i];
    }
    return all;
}

static uint32_t urw_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct urw *u = state;
    uint32_t faults = 0, at = rh__depth(w);
    double sum = 0;
    note_step(u, w);
    for (int with_intent = u->intended != RH_NONE; with_intent >= 0 && sum <= 0; with_intent--)
        for (uint32_t i = faults = 0; i < count; i++) {
            bool fault = rh__is_fault(&open[i]);
            faults += fault;
            u->weight[i] = fault ? 0 : weight_of(u, w, &open[i]);
            if (with_intent && u->weight[i] > 0 && !is_intended(u, w, &open[i]))
                u->weight[i] = -1; /* has to wait */
            sum += u->weight[i] > 0 ? u->weight[i] : 0;
        }
    if (u->drawn)
        sum = mix_free(u, open, count, sum);
    for (uint32_t i = 0; i < count; i++)
        if (rh__is_fault(&open[i]))
            u->weight[i] = 0.5 / faults;
    uint32_t pick = draw(u, count, sum + (faults ? 0.5 : 0));
    if (at < u->most)
        u->key[at] = key_of(w, &open[pick]);
    if (is_interesting(u, w, &open[pick]))
        u->intended = RH_NONE;
    else if (u->drawn && u->intended == RH_NONE && follows(u, key_of(w, &open[pick]), false) > 0)
        u->intended = at;
    return pick;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static uint32_t urw_begin(void *state, const struct rh_world *w)
{
    struct urw *u = state;
    (void)w;
    u->random = rh__random_next(&u->stream.next);
    u->intended = RH_NONE;
    u->noted = 0;
    memset(u->behind, 0, sizeof u->behind);
    return u->stream.active;
}

/* Draws the actor of the next run from those that have taken something, and counts what this run says of it. */
static void draw_actor(struct urw *u, const struct rh_world *w)
{
    uint32_t events;
    const struct rh_event *e = rh_world_events(w, &events);
    for (uint32_t i = 1; i < events && u->actor_count < MOST_ACTORS; i++) {
        uint64_t who = e[i].choice.kind == RH_CHOICE_DELIVER ? identity_of(w, e[i].choice.actor) : 0;
        uint32_t k = 0;
        while (k < u->actor_count && u->actors[k] != who)
            k++;
        if (who && k == u->actor_count)
            u->actors[u->actor_count++] = who;
    }
    if (u->actor_count)
        u->drawn = u->actors[rh__random_below(&u->random, u->actor_count)];
}

static void urw_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct urw *u = state;
    (void)run;
    note_step(u, w);
    if (u->selective)
        draw_actor(u, w);
    learn(u, w);
}

static bool open_urw(struct urw *u, struct rh_exploration *x, enum rh__stream_kind kind, char *error, size_t error_size)
{
    rh__stream_open(&u->stream, x, kind);
    u->most = rh_exploration_max_steps(x) + 2;
    u->table = rh_exploration_memory(x, SLOTS * sizeof *u->table);
    u->key = rh_exploration_memory(x, u->most * sizeof *u->key);
    u->cause = rh_exploration_memory(x, u->most * sizeof *u->cause);
    u->follow = rh_exploration_memory(x, u->most * sizeof *u->follow);
    u->weight = rh_exploration_memory(x, rh__exploration_most_choices(x) * sizeof *u->weight);
    bool good = u->table && u->key && u->cause && u->follow && u->weight;
    if (!good)
        snprintf(error, error_size, "no memory for explorer %s", u->selective ? "surw" : "urw");
    return good;
}

static bool urw_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                     size_t error_size)
{
    (void)a;
    return open_urw(state, x, RH__STREAM_URW, error, error_size);
}

static bool surw_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                      size_t error_size)
{
    (void)a;
    ((struct urw *)state)->selective = true;
    return open_urw(state, x, RH__STREAM_SURW, error, error_size);
}

const struct rh_explorer rh__explorer_urw = {
    .name = "urw",
    .summary = "uniform over interleavings, by how many events followed from such choices in earlier runs",
    .state_size = sizeof(struct urw),
    .resets_only = true,
    .open = urw_open,
    .begin = urw_begin,
    .choose = urw_choose,
    .end = urw_end,
    .share = &rh__stream_share,
};

const struct rh_explorer rh__explorer_surw = {
    .name = "surw",
    .summary = "uniform over the orders of what one actor takes, which is drawn for each run",
    .state_size = sizeof(struct urw),
    .resets_only = true,
    .open = surw_open,
    .begin = urw_begin,
    .choose = urw_choose,
    .end = urw_end,
    .share = &rh__stream_share,
};
