/* Explorers around other explorers.
 *
 *     bound(depth=N, runs=N, steps=N, EXPLORER)   ends runs after N events, and the search after N runs or steps; the
 *                                                 verdict of an exhaustive EXPLORER is then bounded
 *     portfolio(EXPLORER, ...)                    the explorers take turns, a run each, until all are done
 *
 * The engine limits the time (--max-seconds): explorers read no clock.  replay(FILE, EXPLORER) is in prefix.c, symmetry
 * in symmetry.c.  For every explorer, the engine checks determinism and counts runs. */
#include <stdio.h>

#include "base/bytes.h"
#include "explore/explorers.h"

/* ---- bound ------------------------------------------------------------------------------------------------------- */

struct bound {
    struct rh_inner inner;
    uint64_t depth, runs, steps; /* 0: no limit */
    uint64_t runs_made, steps_made;
    bool cut, stopped;
};

static bool bound_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                       size_t error_size)
{
    struct bound *b = state;
    b->depth = rh_arguments_number(a, "depth", 0);
    b->runs = rh_arguments_number(a, "runs", 0);
    b->steps = rh_arguments_number(a, "steps", 0);
    if (!b->depth && !b->runs && !b->steps) {
        snprintf(error, error_size,
                 "bound wants a depth, runs or steps, as in bound(20, dfs) or bound(runs=1000, random)");
        return false;
    }
    return rh_exploration_inner(x, a, 0, &b->inner, error, error_size);
}

static uint32_t bound_begin(void *state, const struct rh_world *w)
{
    struct bound *b = state;
    if ((b->runs && b->runs_made >= b->runs) || (b->steps && b->steps_made >= b->steps)) {
        b->stopped = true;
        return 0;
    }
    return rh_inner_begin(&b->inner, w);
}

static uint32_t bound_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct bound *b = state;
    if (b->depth && rh__depth(w) > b->depth) {
        b->cut = true;
        return RH_NONE;
    }
    return rh_inner_choose(&b->inner, w, open, count);
}

static void bound_end(void *state, const struct rh_world *w, const struct rh_run *run)
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

/* This process does not know how many runs and steps other processes have made.  So only a bound of the depth can be
 * shared. */
static bool bound_can_share(const void *state)
{
    const struct bound *b = state;
    return !b->runs && !b->steps;
}

static const struct rh_explorer_report bound_report = { .verdict = bound_verdict };
static const struct rh_explorer_share bound_share = { .can = bound_can_share };
static const struct rh_argument bound_arguments[] = {
    { .name = "depth", .kind = RH_ARGUMENT_NUMBER, .least = 1, .help = "runs end after so many events" },
    { .name = "runs", .kind = RH_ARGUMENT_NUMBER, .least = 1, .named = true, .help = "the search ends after so many" },
    { .name = "steps",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .named = true,
      .help = "the same, of all runs together" },
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .required = true, .help = "makes the runs" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_bound = {
    .name = "bound",
    .summary = "as EXPLORER wants, but runs end after DEPTH events",
    .state_size = sizeof(struct bound),
    .arguments = bound_arguments,
    .resets_only = true,
    .open = bound_open,
    .begin = bound_begin,
    .choose = bound_choose,
    .end = bound_end,
    .report = &bound_report,
    .share = &bound_share,
    .decorator = &rh_only_decorator,
};

/* ---- portfolio --------------------------------------------------------------------------------------------------- */

struct portfolio {
    uint32_t count, turn;
    struct rh_inner member[RH_MOST_INNER];
    bool done[RH_MOST_INNER];
};

static const struct rh_inner *portfolio_inner(const void *state, uint32_t *count, uint32_t *now)
{
    const struct portfolio *p = state;
    *count = p->count;
    *now = p->turn;
    return p->member;
}

static bool portfolio_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                           size_t error_size)
{
    struct portfolio *p = state;
    for (uint32_t count = rh_arguments_explorers(a); p->count < count; p->count++)
        if (!rh_exploration_inner(x, a, p->count, &p->member[p->count], error, error_size))
            return false;
    p->turn = p->count - 1;
    return true;
}

/* A member may keep only events of its own last run, and other members have run since.  So every run starts from the
 * beginning, and members that keep events (dfs) replay them. */
static uint32_t portfolio_begin(void *state, const struct rh_world *w)
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
        if (rh_inner_diverged(m) || rh_inner_verdict(m) == RH_VERDICT_EXHAUSTIVE)
            return 0; /* the other members cannot add anything */
    }
    return 0;
}

/* Returns the best verdict of all members that are done. */
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

/* Returns the estimate of the first member that has one. */
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

/* An item is done when one member has explored the whole item.  With two exhaustive members, each could finish some
 * items and neither all of them.  So at most one member may be exhaustive.  The other members are samplers. */
static bool portfolio_can_share(const void *state)
{
    const struct portfolio *p = state;
    uint32_t exhaustive = 0;
    for (uint32_t i = 0; i < p->count; i++)
        exhaustive += rh_inner_can_finish(&p->member[i]);
    return exhaustive <= 1;
}

/* Writes the items of the members with their lengths; length 0 for a sampler without an item.  The exhaustive member
 * comes first: if it has no work to share, the portfolio has none. */
static size_t portfolio_pack(void *state, void *buffer, size_t room, bool half)
{
    struct portfolio *p = state;
    size_t lengths = p->count * sizeof(uint64_t), given = 0;
    if (room < lengths)
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

static bool portfolio_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    struct portfolio *p = state;
    struct rh__reader r = rh__reader_of(item, size);
    bool good = true;
    p->turn = p->count - 1;
    if (rh_item_is_root(item, size)) {
        for (uint32_t i = 0; i < p->count; i++) {
            p->done[i] = false;
            good = good && rh_inner_unpack_root(&p->member[i], w);
        }
        return good;
    }
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
    return good;
}

/* Returns the share of the exhaustive member. */
static double portfolio_share(const void *state, uint64_t *runs)
{
    const struct portfolio *p = state;
    uint32_t i = 0;
    while (i + 1 < p->count && !rh_inner_can_finish(&p->member[i]))
        i++;
    return rh_inner_share(&p->member[i], runs);
}

static const struct rh_explorer_report portfolio_report = { .verdict = portfolio_verdict,
                                                            .estimate = portfolio_estimate };
static const struct rh_explorer_share portfolio_shares = {
    .can = portfolio_can_share, .pack = portfolio_pack, .unpack = portfolio_unpack, .share = portfolio_share
};
static const struct rh_explorer_decorator portfolio_decorator = { .inner = portfolio_inner };
static const struct rh_argument portfolio_arguments[] = {
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .required = true, .many = true, .help = "takes its turn" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_portfolio = {
    .name = "portfolio",
    .summary = "each EXPLORER in turn, a run each",
    .state_size = sizeof(struct portfolio),
    .arguments = portfolio_arguments,
    .resets_only = true,
    .open = portfolio_open,
    .begin = portfolio_begin,
    .report = &portfolio_report,
    .share = &portfolio_shares,
    .decorator = &portfolio_decorator,
};
