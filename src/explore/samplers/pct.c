/* pct and pctcp: random priorities with d - 1 change points [PCT 2010] [PCTCP 2018].
 *
 * Each thread has a random priority, and the open choice of the highest priority is next.  At d - 1 steps, drawn at the
 * beginning of the run, the thread that would be next gets a priority below all others.  A bug of depth d (d events
 * must come in a certain order) is found in a run with a probability of at least
 *
 *     1 / (n k^(d-1))       pct: n threads, runs of at most k steps
 *     1 / (c k^(d-1))       pctcp: c chains; at most w (w + 1) / 2 for the width w
 *     1 / (c r^(d-1))       pctcp(d, racing): r racing steps; changes of priority at other steps change nothing
 *
 * k is the length of the longest run before, and r the most racing steps of one, so the first runs may have less.
 * Threads of this world:
 *
 *     pct      a channel: messages from one actor to another; in a bag, which has no order, each message
 *     pctcp    a chain of messages that caused each other (chains.h): a request that goes through many actors is one
 *              thread, and not one for each hop
 *     both     the timers of an actor; the faults of a kind that happen to an actor; an actor that goes on */
#include <stdio.h>

#include "base/hash.h"
#include "base/random.h"
#include "explore/explorers.h"
#include "explore/samplers/chains.h"
#include "explore/samplers/races.h"
#include "explore/samplers/stream.h"

enum { MOST_DEPTH = 16, FIRST_LENGTH = 64 };

struct pct {
    struct rh__stream stream; /* `learned` is the most steps that count of a run, `known` the kinds that race */
    uint32_t depth;
    struct rh__chains *chains; /* NULL: pct */
    struct rh__races *races;   /* NULL: all steps count */
    /* of the run under way */
    uint64_t seed;
    uint32_t counted;            /* steps so far that count, if not all do */
    uint32_t change[MOST_DEPTH]; /* the change points, in steps that count */
    uint64_t low[MOST_DEPTH];    /* threads that were put below all others, the lowest one last */
    uint32_t lowered;
};

static bool open_pct(struct pct *p, struct rh_exploration *x, const struct rh_arguments *a, enum rh__stream_kind kind)
{
    rh__stream_open(&p->stream, x, kind);
    p->depth = (uint32_t)rh_arguments_number(a, "depth", 3);
    return true;
}

static bool pct_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                     size_t error_size)
{
    (void)error, (void)error_size;
    return open_pct(state, x, a, RH__STREAM_PCT);
}

static bool pctcp_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                       size_t error_size)
{
    struct pct *p = state;
    bool racing = rh_arguments_has(a, "racing");
    p->chains = rh__chains_new(x);
    if (racing)
        p->races = rh__races_new(x);
    bool good = p->chains && (p->races || !racing);
    if (!good)
        snprintf(error, error_size, "no memory for explorer pctcp");
    return good && open_pct(p, x, a, racing ? RH__STREAM_PCTCP_RACING : RH__STREAM_PCTCP);
}

static uint32_t pct_begin(void *state, const struct rh_world *w)
{
    struct pct *p = state;
    uint32_t length = p->stream.learned ? p->stream.learned : FIRST_LENGTH;
    uint64_t random = rh__random_next(&p->stream.next);
    (void)w;
    p->seed = random;
    for (uint32_t i = 0; i + 1 < p->depth; i++)
        p->change[i] = 1 + rh__random_below(&random, length);
    p->lowered = p->counted = 0;
    if (p->chains)
        rh__chains_begin(p->chains);
    return p->stream.active;
}

static void pct_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct pct *p = state;
    uint32_t length = p->races ? p->counted : run->events;
    if (length > p->stream.learned)
        p->stream.learned = length;
    if (p->races) {
        rh__chains_follow(p->chains, w);
        rh__races_learn(p->races, &p->stream, p->chains, w);
    }
}

/* The thread of a choice. */
static uint64_t thread_of(const struct pct *p, const struct rh_world *w, const struct rh_choice *c)
{
    bool message = c->kind == RH_CHOICE_DELIVER || c->kind == RH_CHOICE_ACCEPT;
    if (message && p->chains)
        return rh__mix(1, rh__chain_of(p->chains, c->what));
    if (message && rh_world_semantics(w)->model == RH_BAG)
        return rh__mix(0, c->what);
    if (message)
        return rh__mix(2, (uint64_t)rh_world_message(w, c->what).sender << 32 | c->actor);
    return rh__mix(3 + (uint64_t)c->kind, c->actor);
}

/* Threads that were lowered are below all others, the last one at the bottom.  Choices of one thread (two timers, the
 * values of rh_choose) are apart, so that each of them can be first. */
static uint64_t priority_of(const struct pct *p, uint64_t thread, const struct rh_choice *c)
{
    bool message = c->kind == RH_CHOICE_DELIVER || c->kind == RH_CHOICE_ACCEPT;
    for (uint32_t i = p->lowered; i--;)
        if (p->low[i] == thread)
            return MOST_DEPTH - i;
    uint64_t within = message ? 0 : rh__mix(p->seed, (uint64_t)c->what << 32 | c->arg) % 256;
    return MOST_DEPTH + 1 + (rh__mix(p->seed, thread) >> 16) * 256 + within;
}

static uint32_t find_first(const struct pct *p, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t best = 0;
    uint64_t highest = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t priority = priority_of(p, thread_of(p, w, &open[i]), &open[i]);
        if (priority > highest) {
            highest = priority;
            best = i;
        }
    }
    return best;
}

static bool counts(const struct pct *p, const struct rh_world *w, const struct rh_choice *c)
{
    return !p->races || rh__races_has(&p->stream, w, c);
}

static uint32_t pct_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct pct *p = state;
    if (p->chains)
        rh__chains_follow(p->chains, w);
    uint32_t first = find_first(p, w, open, count);
    if (!counts(p, w, &open[first]))
        return first;
    uint32_t step = p->races ? p->counted + 1 : rh__depth(w);
    for (uint32_t i = 0; i + 1 < p->depth; i++)
        if (p->change[i] == step && p->lowered < MOST_DEPTH) {
            p->low[p->lowered++] = thread_of(p, w, &open[first]);
            p->change[i] = 0; /* the step that comes instead may not count */
            first = find_first(p, w, open, count);
        }
    p->counted += counts(p, w, &open[first]);
    return first;
}

static const struct rh_argument pct_arguments[] = {
    { .name = "depth",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .most = MOST_DEPTH,
      .help = "how many events must come in a certain order, default 3" },
    { .name = NULL },
};

static const struct rh_argument pctcp_arguments[] = {
    { .name = "depth",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .most = MOST_DEPTH,
      .help = "how many events must come in a certain order, default 3" },
    { .name = "racing",
      .kind = RH_ARGUMENT_FLAG,
      .help = "changes only at steps that race, as learnt from earlier runs" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_pct = {
    .name = "pct",
    .summary = "random priorities of channels, with DEPTH - 1 (2) changes in each run",
    .state_size = sizeof(struct pct),
    .arguments = pct_arguments,
    .resets_only = true,
    .open = pct_open,
    .begin = pct_begin,
    .choose = pct_choose,
    .end = pct_end,
    .share = &rh__stream_share,
};

const struct rh_explorer rh__explorer_pctcp = {
    .name = "pctcp",
    .summary = "random priorities of chains of messages, with DEPTH - 1 (2) changes in each run",
    .state_size = sizeof(struct pct),
    .arguments = pctcp_arguments,
    .resets_only = true,
    .open = pctcp_open,
    .begin = pct_begin,
    .choose = pct_choose,
    .end = pct_end,
    .share = &rh__stream_share,
};
