/* roundrobin, random and delayed: the baselines (Eta 3, Bita VI-A).
 *
 * Samplers have no end, so an item of theirs is a stream of random numbers: half of one is a stream of its own, whose seed
 * is drawn from the one that stays. */
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"
#include "explore/explorers.h"

/* ---- roundrobin: actors in turn, once --------------------------------------------------------------------------------- */

struct roundrobin {
    uint32_t runs, last;
};

static uint32_t roundrobin_begin(void *state, struct rh_world *w)
{
    (void)w;
    struct roundrobin *r = state;
    r->last = 0;
    return r->runs++ == 0;
}

static uint32_t roundrobin_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w;
    struct roundrobin *r = state;
    uint32_t best = 0, distance = RH_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (open[i].actor - r->last - 1 < distance) { /* the next one behind the last, around the corner */
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
    .begin = roundrobin_begin,
    .choose = roundrobin_choose,
};

/* ---- random: uniform over the open choices ------------------------------------------------------------------------------ */

struct random {
    uint64_t next;
    bool idle; /* its stream was given away */
};

static bool random_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    if (*arg) {
        snprintf(error, error_size, "explorer random takes no argument (\"%s\"); --seed sets its seed", arg);
        return false;
    }
    ((struct random *)state)->next = rh__random_seed(rh_exploration_seed(x), 1);
    return true;
}

static uint32_t random_begin(void *state, struct rh_world *w)
{
    (void)w;
    return !((struct random *)state)->idle; /* always from the start */
}

static uint32_t random_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w, (void)open;
    return rh__random_below(&((struct random *)state)->next, count);
}

enum { RANDOM_ITEM = 0xa1, DELAYED_ITEM };

static size_t random_pack(void *state, void *buffer, size_t room, bool half)
{
    struct random *r = state;
    struct rh__writer w = rh__writer_of(buffer, room);
    uint64_t next = r->next, given = half ? rh__random_seed(rh__random_next(&next), 1) : next;
    rh__put32(&w, RANDOM_ITEM);
    rh__put64(&w, given);
    if (r->idle || w.full)
        return 0;
    r->next = next;
    r->idle = !half;
    return w.len;
}

static bool random_unpack(void *state, struct rh_world *w, const void *item, size_t size)
{
    (void)w;
    struct random *r = state;
    struct rh__reader from = rh__reader_of(item, size);
    uint32_t version = rh__get32(&from);
    r->next = rh__get64(&from);
    r->idle = version != RANDOM_ITEM || !rh__reader_done(&from);
    return !r->idle;
}

const struct rh_explorer rh__explorer_random = {
    .name = "random",
    .summary = "any open choice, each as likely",
    .state_size = sizeof(struct random),
    .open = random_open,
    .begin = random_begin,
    .choose = random_choose,
    .pack = random_pack,
    .unpack = random_unpack,
};

/* ---- delayed: each message and timer gets a random delay of at most d_max, in virtual time -------------------------------- */

struct delayed {
    uint64_t seed, run;
    uint64_t given; /* streams that came of this one */
    bool idle;
    double max_ms;
    double *time; /* when each event happened */
};

static bool delayed_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    struct delayed *d = state;
    char *end = NULL;
    d->max_ms = *arg ? strtod(arg, &end) : 100;
    if ((*arg && *end) || !(d->max_ms > 0)) {
        snprintf(error, error_size, "delayed:%s: the longest delay in milliseconds is wanted, as in delayed:100", arg);
        return false;
    }
    d->seed = rh_exploration_seed(x);
    d->time = rh_exploration_memory(x, ((size_t)rh_exploration_max_steps(x) + 2) * sizeof *d->time);
    if (!d->time)
        snprintf(error, error_size, "no memory for explorer delayed");
    return d->time != NULL;
}

static uint32_t delayed_begin(void *state, struct rh_world *w)
{
    (void)w;
    struct delayed *d = state;
    d->run++;
    return !d->idle;
}

/* The same for a message however often it is looked at. */
static double chance(const struct delayed *d, uint64_t what)
{
    return (double)(rh__mix(rh__mix(d->seed, d->run), what) >> 11) * 0x1p-53;
}

static double arrival(const struct delayed *d, const struct rh_world *w, const struct rh_choice *c, double now)
{
    if (c->kind == RH_CHOICE_DELIVER)
        return d->time[rh_world_message(w, c->what).event] + chance(d, c->what) * d->max_ms;
    return now + chance(d, (uint64_t)c->kind << 48 ^ (uint64_t)c->what << 16 ^ c->actor) * d->max_ms;
}

static uint32_t delayed_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
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
    if (d->idle || w.full)
        return 0;
    d->given += half;
    d->idle = !half;
    return w.len;
}

static bool delayed_unpack(void *state, struct rh_world *w, const void *item, size_t size)
{
    (void)w;
    struct delayed *d = state;
    struct rh__reader from = rh__reader_of(item, size);
    uint32_t version = rh__get32(&from);
    d->seed = rh__get64(&from);
    d->run = rh__get64(&from);
    d->given = rh__get64(&from);
    d->idle = version != DELAYED_ITEM || !rh__reader_done(&from);
    return !d->idle;
}

const struct rh_explorer rh__explorer_delayed = {
    .name = "delayed",
    .summary = "delayed:MS: each message arrives after a random delay of at most MS (100) ms of virtual time",
    .state_size = sizeof(struct delayed),
    .open = delayed_open,
    .begin = delayed_begin,
    .choose = delayed_choose,
    .pack = delayed_pack,
    .unpack = delayed_unpack,
};
