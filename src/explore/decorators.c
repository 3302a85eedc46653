/* Explorers around other explorers.
 *
 *     bound:BOUNDS,EXPLORER       runs end after so many events; what an exhaustive EXPLORER says is then bounded.  BOUNDS
 *                                 are depth=N (or just N), runs=N and steps=N, with semicolons between them
 *     portfolio:EXPLORER+...      each in turn, a run each, until all are done
 *
 * Seconds are the engine's (--max-seconds): explorers look at no clock.  Replay-then-hand-over is replay:FILE,EXPLORER; determinism is checked before the first run (rh_world_check_determinism), and the engine keeps
 * the metrics of every explorer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "explore/explorers.h"

/* ---- bound -------------------------------------------------------------------------------------------------------------- */

struct bound {
    uint64_t depth, runs, steps; /* 0: none */
    uint64_t runs_made, steps_made;
    bool cut, stopped;
    struct rh_inner inner;
};

/* One bound, up to a semicolon or the comma; NULL where it makes no sense. */
static const char *read_bound(struct bound *b, const char *text)
{
    static const char *const names[] = { "depth=", "runs=", "steps=" };
    uint64_t *fields[] = { &b->depth, &b->runs, &b->steps }, *field = &b->depth;
    char *end;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0) {
            field = fields[i];
            text += strlen(names[i]);
            break;
        }
    *field = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    return *field && (*end == ';' || *end == ',') ? end : NULL;
}

static bool bound_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    struct bound *b = state;
    const char *at = read_bound(b, arg);
    while (at && *at == ';')
        at = read_bound(b, at + 1);
    if (!at) {
        snprintf(error, error_size,
                 "bound:%s: a depth and an explorer are wanted, as in bound:20,dfs or "
                 "bound:depth=20;runs=1000,random",
                 arg);
        return false;
    }
    return rh_exploration_inner(x, at + 1, &b->inner, error, error_size);
}

static uint32_t bound_begin(void *state, struct rh_world *w)
{
    struct bound *b = state;
    if ((b->runs && b->runs_made >= b->runs) || (b->steps && b->steps_made >= b->steps)) {
        b->stopped = true;
        return 0;
    }
    return b->inner.explorer->begin(b->inner.state, w);
}

static uint32_t bound_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct bound *b = state;
    if (b->depth && rh__depth(w) > b->depth) {
        b->cut = true;
        return RH_NONE;
    }
    return b->inner.explorer->choose(b->inner.state, w, open, count);
}

static void bound_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct bound *b = state;
    b->runs_made++;
    b->steps_made += run->events - 1;
    if (b->inner.explorer->end)
        b->inner.explorer->end(b->inner.state, w, run);
}

static enum rh_verdict bound_verdict(const void *state)
{
    const struct bound *b = state;
    enum rh_verdict v = b->inner.explorer->verdict ? b->inner.explorer->verdict(b->inner.state) : RH_VERDICT_SAMPLED;
    if (b->stopped)
        return RH_VERDICT_SAMPLED;
    return v == RH_VERDICT_EXHAUSTIVE && b->cut ? RH_VERDICT_BOUNDED : v;
}

static double bound_estimate(const void *state)
{
    const struct bound *b = state;
    return b->inner.explorer->estimate ? b->inner.explorer->estimate(b->inner.state) : 0;
}

/* How many runs and steps others have made is not known here, so only a depth can be shared. */
static size_t bound_pack(void *state, void *buffer, size_t room, bool half)
{
    struct bound *b = state;
    const struct rh_explorer *e = b->inner.explorer;
    return e->pack && !b->runs && !b->steps ? e->pack(b->inner.state, buffer, room, half) : 0;
}

static bool bound_unpack(void *state, struct rh_world *w, const void *item, size_t size)
{
    struct bound *b = state;
    return b->inner.explorer->unpack && b->inner.explorer->unpack(b->inner.state, w, item, size);
}

static double bound_share(const void *state, uint64_t *runs)
{
    const struct bound *b = state;
    *runs = 0;
    return b->inner.explorer->share ? b->inner.explorer->share(b->inner.state, runs) : 0;
}

const struct rh_explorer rh__explorer_bound = {
    .name = "bound",
    .summary = "bound:DEPTH[;runs=N;steps=N],EXPLORER: as EXPLORER wants, but runs end after DEPTH events",
    .state_size = sizeof(struct bound),
    .open = bound_open,
    .begin = bound_begin,
    .choose = bound_choose,
    .end = bound_end,
    .verdict = bound_verdict,
    .estimate = bound_estimate,
    .pack = bound_pack,
    .unpack = bound_unpack,
    .share = bound_share,
};

/* ---- portfolio ------------------------------------------------------------------------------------------------------------ */

enum { MOST_MEMBERS = 8 };

struct portfolio {
    uint32_t count, turn;
    struct rh_inner member[MOST_MEMBERS];
    bool done[MOST_MEMBERS];
};

static bool portfolio_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    struct portfolio *p = state;
    while (*arg) {
        char one[1024];
        size_t length = strcspn(arg, "+");
        if (p->count == MOST_MEMBERS || length >= sizeof one) {
            snprintf(error, error_size, "portfolio: at most %d explorers", MOST_MEMBERS);
            return false;
        }
        memcpy(one, arg, length);
        one[length] = 0;
        if (!rh_exploration_inner(x, one, &p->member[p->count++], error, error_size))
            return false;
        arg += length + (arg[length] == '+');
    }
    if (!p->count)
        snprintf(error, error_size, "portfolio wants explorers, as in portfolio:random+delayed:100");
    p->turn = p->count - 1;
    return p->count > 0;
}

/* A member may keep events only of its own last run: with others in between it starts from the beginning, so members that
 * keep (dfs) are brought back by replaying what they kept. */
static uint32_t portfolio_begin(void *state, struct rh_world *w)
{
    struct portfolio *p = state;
    for (uint32_t tries = 0; tries < p->count; tries++) {
        p->turn = (p->turn + 1) % p->count;
        struct rh_inner *m = &p->member[p->turn];
        if (p->done[p->turn])
            continue;
        if (m->explorer->begin(m->state, w))
            return 1;
        p->done[p->turn] = true;
        if (m->explorer->verdict && m->explorer->verdict(m->state) == RH_VERDICT_EXHAUSTIVE)
            return 0; /* nothing is left for the others either */
    }
    return 0;
}

static uint32_t portfolio_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct portfolio *p = state;
    struct rh_inner *m = &p->member[p->turn];
    return m->explorer->choose(m->state, w, open, count);
}

static void portfolio_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct portfolio *p = state;
    struct rh_inner *m = &p->member[p->turn];
    if (m->explorer->end)
        m->explorer->end(m->state, w, run);
}

/* The best that any member that is done can say. */
static enum rh_verdict portfolio_verdict(const void *state)
{
    const struct portfolio *p = state;
    enum rh_verdict best = RH_VERDICT_SAMPLED;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->done[i] && p->member[i].explorer->verdict) {
            enum rh_verdict v = p->member[i].explorer->verdict(p->member[i].state);
            best = v > best ? v : best;
        }
    return best;
}

/* The first member that can tell. */
static double portfolio_estimate(const void *state)
{
    const struct portfolio *p = state;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->member[i].explorer->estimate) {
            double estimate = p->member[i].explorer->estimate(p->member[i].state);
            if (estimate > 0)
                return estimate;
        }
    return 0;
}

/* An item is done when a member has been through all of its part; so only one member may be of that kind, or one would be
 * through with some items and another with the rest, and nobody with all.  The others are samplers and come along. */
static bool can_share(const struct portfolio *p)
{
    uint32_t exhaustive = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        if (!p->member[i].explorer->pack)
            return false;
        exhaustive += p->member[i].explorer->verdict != NULL;
    }
    return exhaustive <= 1;
}

/* One after the other with their lengths; 0 for a sampler that stays behind.  The one that can be done goes first: if it
 * has nothing to give, neither has the portfolio. */
static size_t portfolio_pack(void *state, void *buffer, size_t room, bool half)
{
    struct portfolio *p = state;
    size_t lengths = p->count * sizeof(uint64_t), given = 0;
    if (!can_share(p) || room < lengths)
        return 0;
    struct rh__writer w = rh__writer_of(buffer, room);
    for (int samplers = 0; samplers < 2; samplers++)
        for (uint32_t i = 0; i < p->count; i++) {
            const struct rh_explorer *e = p->member[i].explorer;
            if ((e->verdict == NULL) != (samplers == 1))
                continue;
            unsigned char *at = w.at + w.len + sizeof(uint64_t);
            size_t size = e->pack(p->member[i].state, at, room - lengths - given, half);
            if (!size && e->verdict)
                return 0;
            rh__put64(&w, size);
            w.len += size;
            given += size;
        }
    return given ? w.len : 0;
}

static bool portfolio_unpack(void *state, struct rh_world *w, const void *item, size_t size)
{
    struct portfolio *p = state;
    struct rh__reader r = rh__reader_of(item, size);
    bool good = can_share(p);
    for (int samplers = 0; samplers < 2 && good; samplers++)
        for (uint32_t i = 0; i < p->count && good; i++) {
            const struct rh_explorer *e = p->member[i].explorer;
            if ((e->verdict == NULL) != (samplers == 1))
                continue;
            uint64_t length = rh__get64(&r);
            const void *bytes = rh__get(&r, (size_t)length);
            p->done[i] = bytes && !length && samplers;
            good = p->done[i] || (bytes && e->unpack(p->member[i].state, w, bytes, (size_t)length));
        }
    good = good && rh__reader_done(&r);
    for (uint32_t i = 0; i < p->count && !good; i++)
        p->done[i] = true;
    p->turn = p->count - 1;
    return good;
}

static double portfolio_share(const void *state, uint64_t *runs)
{
    const struct portfolio *p = state;
    *runs = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->member[i].explorer->share)
            return p->member[i].explorer->share(p->member[i].state, runs);
    return 0;
}

const struct rh_explorer rh__explorer_portfolio = {
    .name = "portfolio",
    .summary = "portfolio:EXPLORER+EXPLORER...: each in turn, a run each",
    .state_size = sizeof(struct portfolio),
    .open = portfolio_open,
    .begin = portfolio_begin,
    .choose = portfolio_choose,
    .end = portfolio_end,
    .verdict = portfolio_verdict,
    .estimate = portfolio_estimate,
    .pack = portfolio_pack,
    .unpack = portfolio_unpack,
    .share = portfolio_share,
};
