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
    struct rh_inner inner;
    uint64_t depth, runs, steps; /* 0: none */
    uint64_t runs_made, steps_made;
    bool cut, stopped;
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

static uint32_t bound_parts(const char *arg, struct rh_part *parts)
{
    const char *comma = strchr(arg, ',');
    parts[0] = (struct rh_part){ comma ? comma + 1 : "", comma ? strlen(comma + 1) : 0 };
    return comma != NULL;
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
    return rh_inner_begin(&b->inner, w);
}

static uint32_t bound_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct bound *b = state;
    if (b->depth && rh__depth(w) > b->depth) {
        b->cut = true;
        return RH_NONE;
    }
    return rh_inner_choose(&b->inner, w, open, count);
}

static void bound_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct bound *b = state;
    b->runs_made++;
    b->steps_made += run->events - 1;
    rh_inner_end(&b->inner, w, run);
}

static enum rh_verdict bound_verdict(const void *state)
{
    const struct bound *b = state;
    enum rh_verdict v = rh_inner_verdict(&b->inner);
    if (b->stopped)
        return RH_VERDICT_SAMPLED;
    return v == RH_VERDICT_EXHAUSTIVE && b->cut ? RH_VERDICT_BOUNDED : v;
}

/* How many runs and steps others have made is not known here, so only a depth can be shared. */
static size_t bound_pack(void *state, void *buffer, size_t room, bool half)
{
    struct bound *b = state;
    return !b->runs && !b->steps ? rh_inner_pack(&b->inner, buffer, room, half) : 0;
}

const struct rh_explorer rh__explorer_bound = {
    .name = "bound",
    .summary = "bound:DEPTH[;runs=N;steps=N],EXPLORER: as EXPLORER wants, but runs end after DEPTH events",
    .state_size = sizeof(struct bound),
    .parts = bound_parts,
    .inner = rh_only_inner,
    .open = bound_open,
    .begin = bound_begin,
    .choose = bound_choose,
    .end = bound_end,
    .verdict = bound_verdict,
    .pack = bound_pack,
};

/* ---- portfolio ------------------------------------------------------------------------------------------------------------ */

struct portfolio {
    uint32_t count, turn;
    struct rh_inner member[RH_MOST_PARTS];
    bool done[RH_MOST_PARTS];
};

static uint32_t portfolio_parts(const char *arg, struct rh_part *parts)
{
    uint32_t count = 0;
    for (; *arg && count < RH_MOST_PARTS; arg += arg[0] == '+') {
        parts[count++] = (struct rh_part){ arg, strcspn(arg, "+") };
        arg += parts[count - 1].length;
    }
    return count;
}

static const struct rh_inner *portfolio_inner(const void *state, uint32_t *count, uint32_t *now)
{
    const struct portfolio *p = state;
    *count = p->count;
    *now = p->turn;
    return p->member;
}

static bool portfolio_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    struct portfolio *p = state;
    struct rh_part parts[RH_MOST_PARTS];
    uint32_t count = portfolio_parts(arg, parts);
    if (!count) {
        snprintf(error, error_size, "portfolio wants explorers, as in portfolio:random+delayed:100");
        return false;
    }
    const struct rh_part *last = &parts[count - 1];
    if (last->text[last->length] && last->text[last->length + 1]) {
        snprintf(error, error_size, "portfolio: at most %d explorers", RH_MOST_PARTS);
        return false;
    }
    for (; p->count < count; p->count++) {
        char one[1024];
        if (parts[p->count].length >= sizeof one) {
            snprintf(error, error_size, "portfolio: the text of an explorer is too long");
            return false;
        }
        snprintf(one, sizeof one, "%.*s", (int)parts[p->count].length, parts[p->count].text);
        if (!rh_exploration_inner(x, one, &p->member[p->count], error, error_size))
            return false;
    }
    p->turn = p->count - 1;
    return true;
}

/* A member may keep events only of its own last run: with others in between it starts from the beginning, so members that
 * keep (dfs) are brought back by replaying what they kept. */
static uint32_t portfolio_begin(void *state, struct rh_world *w)
{
    struct portfolio *p = state;
    for (uint32_t tries = 0; tries < p->count; tries++) {
        p->turn = (p->turn + 1) % p->count;
        const struct rh_inner *m = &p->member[p->turn];
        if (p->done[p->turn])
            continue;
        if (rh_inner_begin(m, w))
            return 1;
        p->done[p->turn] = true;
        if (rh_inner_confused(m) || rh_inner_verdict(m) == RH_VERDICT_EXHAUSTIVE)
            return 0; /* the others cannot add anything */
    }
    return 0;
}

/* The best that any member that is done can say. */
static enum rh_verdict portfolio_verdict(const void *state)
{
    const struct portfolio *p = state;
    enum rh_verdict best = RH_VERDICT_SAMPLED;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->done[i]) {
            enum rh_verdict v = rh_inner_verdict(&p->member[i]);
            best = v > best ? v : best;
        }
    return best;
}

/* The first member that can tell. */
static double portfolio_estimate(const void *state)
{
    const struct portfolio *p = state;
    for (uint32_t i = 0; i < p->count; i++) {
        double estimate = rh_inner_estimate(&p->member[i]);
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
        if (!rh_inner_can_share(&p->member[i]))
            return false;
        exhaustive += rh_inner_can_finish(&p->member[i]);
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
            const struct rh_inner *m = &p->member[i];
            if (rh_inner_can_finish(m) == (samplers == 1))
                continue;
            unsigned char *at = w.at + w.len + sizeof(uint64_t);
            size_t size = rh_inner_pack(m, at, room - lengths - given, half);
            if (!size && !samplers)
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
            const struct rh_inner *m = &p->member[i];
            if (rh_inner_can_finish(m) == (samplers == 1))
                continue;
            uint64_t length = rh__get64(&r);
            const void *bytes = rh__get(&r, (size_t)length);
            p->done[i] = bytes && !length && samplers;
            good = p->done[i] || (bytes && rh_inner_unpack(m, w, bytes, (size_t)length));
        }
    good = good && rh__reader_done(&r);
    for (uint32_t i = 0; i < p->count && !good; i++)
        p->done[i] = true;
    p->turn = p->count - 1;
    return good;
}

/* Of the member that can go through all of it. */
static double portfolio_share(const void *state, uint64_t *runs)
{
    const struct portfolio *p = state;
    uint32_t i = 0;
    while (i + 1 < p->count && !rh_inner_can_finish(&p->member[i]))
        i++;
    return rh_inner_share(&p->member[i], runs);
}

const struct rh_explorer rh__explorer_portfolio = {
    .name = "portfolio",
    .summary = "portfolio:EXPLORER+EXPLORER...: each in turn, a run each",
    .state_size = sizeof(struct portfolio),
    .parts = portfolio_parts,
    .inner = portfolio_inner,
    .open = portfolio_open,
    .begin = portfolio_begin,
    .verdict = portfolio_verdict,
    .estimate = portfolio_estimate,
    .pack = portfolio_pack,
    .unpack = portfolio_unpack,
    .share = portfolio_share,
};
