/* roundrobin, random and delayed: the baselines [Eta 2011, 3] [Bita 2013, VI-A]. */
#include <stdio.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"
#include "explore/explorers.h"
#include "explore/samplers/stream.h"

/* ---- roundrobin: actors in turn, once ---------------------------------------------------------------------------- */

struct roundrobin {
    uint32_t runs, last;
};

static uint32_t roundrobin_begin(void *state, const struct rh_world *w)
{
    (void)w;
    struct roundrobin *r = state;
    r->last = 0;
    return r->runs++ == 0;
}

static uint32_t roundrobin_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w;
    struct roundrobin *r = state;
    uint32_t best = 0, distance = RH_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (open[i].actor - r->last - 1 < distance) { /* the next actor after the last one, cyclically */
            distance = open[i].actor - r->last - 1;
            best = i;
        }
    r->last = open[best].actor;
    return best;
}

const struct rh_explorer rh__explorer_roundrobin = {
    .name = "roundrobin",
    .summary = "actors in turn; one run, always the same",
    .state_size = sizeof(struct roundrobin),
    .resets_only = true,
    .begin = roundrobin_begin,
    .choose = roundrobin_choose,
};

/* ---- random: uniform over the enabled choices -------------------------------------------------------------------- */

static bool random_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                        size_t error_size)
{
    (void)a, (void)error, (void)error_size;
    rh__stream_open(state, x, RH__STREAM_RANDOM);
    return true;
}

static uint32_t random_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w, (void)open;
    return rh__random_below(&((struct rh__stream *)state)->next, count);
}

const struct rh_explorer rh__explorer_random = {
    .name = "random",
    .summary = "a random open choice at each step",
    .state_size = sizeof(struct rh__stream),
    .resets_only = true,
    .open = random_open,
    .begin = rh__stream_begin,
    .choose = random_choose,
    .share = &rh__stream_share,
};

/* ---- delayed: each message and timer gets a random delay of at most d_max, in virtual time ----------------------- */

enum { DELAYED_ITEM = 0xa2 };

struct delayed {
    uint64_t first; /* the seed of the first stream */
    uint64_t seed, run;
    uint64_t given; /* number of streams derived from this stream */
    bool active;    /* it has a stream */
    double max_ms;
    double *time; /* virtual time of each event */
};

static bool delayed_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                         size_t error_size)
{
    struct delayed *d = state;
    d->max_ms = rh_arguments_real(a, "ms", 100);
    d->first = rh_exploration_seed(x);
    d->time = rh_exploration_memory(x, ((size_t)rh_exploration_max_steps(x) + 2) * sizeof *d->time);
    if (!d->time)
        snprintf(error, error_size, "no memory for explorer delayed");
    return d->time != NULL;
}

static uint32_t delayed_begin(void *state, const struct rh_world *w)
{
    (void)w;
    struct delayed *d = state;
    d->run++;
    return d->active;
}

/* Pseudo-random number in [0, 1).  The number of a message is the same in each call.  Numbers of messages follow each
 * other, so a hash that only mixes would not do: orders would not be equally likely. */
static double chance(const struct delayed *d, uint64_t what)
{
    return (double)(rh__random_seed(rh__mix(d->seed, d->run), what) >> 11) * 0x1p-53;
}

static double arrival(const struct delayed *d, const struct rh_world *w, const struct rh_choice *c, double now)
{
    if (c->kind == RH_CHOICE_DELIVER)
        return d->time[rh_world_message(w, c->what).event] + chance(d, c->what) * d->max_ms;
    return now + chance(d, (uint64_t)c->kind << 48 ^ (uint64_t)c->what << 16 ^ c->actor) * d->max_ms;
}

static uint32_t delayed_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct delayed *d = state;
    uint32_t events = rh__depth(w), best = 0;
    double now = d->time[events - 1], soonest = 0;
    for (uint32_t i = 0; i < count; i++) {
        double at = arrival(d, w, &open[i], now);
        if (i == 0 || at < soonest) {
            soonest = at;
            best = i;
        }
    }
    d->time[events] = soonest > now ? soonest : now;
    return best;
}

static size_t delayed_pack(void *state, void *buffer, size_t room, bool half)
{
    struct delayed *d = state;
    struct rh__writer w = rh__writer_of(buffer, room);
    rh__put32(&w, DELAYED_ITEM);
    rh__put64(&w, half ? rh__random_seed(d->seed, d->given + 1) : d->seed);
    rh__put64(&w, half ? 0 : d->run);
    rh__put64(&w, half ? 0 : d->given);
    if (!d->active || w.full)
        return 0;
    d->given += half;
    d->active = half;
    return w.len;
}

static bool delayed_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    (void)w;
    struct delayed *d = state;
    d->seed = d->first;
    d->run = d->given = 0;
    d->active = rh_item_is_root(item, size);
    if (d->active)
        return true;
    struct rh__reader from = rh__reader_of(item, size);
    uint32_t version = rh__get32(&from);
    d->seed = rh__get64(&from);
    d->run = rh__get64(&from);
    d->given = rh__get64(&from);
    d->active = version == DELAYED_ITEM && rh__reader_done(&from);
    return d->active;
}

static const struct rh_explorer_share delayed_share = { .pack = delayed_pack, .unpack = delayed_unpack };
static const struct rh_argument delayed_arguments[] = {
    { .name = "ms", .kind = RH_ARGUMENT_REAL, .least = 1e-9, .most = 1e12, .help = "the longest delay, default 100" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_delayed = {
    .name = "delayed",
    .summary = "each message arrives after a random delay of at most MS (100) ms of virtual time",
    .state_size = sizeof(struct delayed),
    .arguments = delayed_arguments,
    .resets_only = true,
    .open = delayed_open,
    .begin = delayed_begin,
    .choose = delayed_choose,
    .share = &delayed_share,
};
