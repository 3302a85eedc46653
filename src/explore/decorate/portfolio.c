/* See portfolio.h. */
#include "explore/decorate/portfolio.h"

#include "base/bytes.h"
#include "explore/explorers.h"

const struct rh_inner *rh__portfolio_members(const void *state, uint32_t *count, uint32_t *now)
{
    const struct rh__portfolio *p = state;
    *count = p->count;
    *now = p->turn;
    return p->member;
}

static bool portfolio_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                           size_t error_size)
{
    struct rh__portfolio *p = state;
    for (uint32_t count = rh_arguments_explorers(a); p->count < count; p->count++)
        if (!rh_exploration_inner(x, a, p->count, &p->member[p->count], error, error_size))
            return false;
    p->turn = p->count - 1;
    return true;
}

uint32_t rh__portfolio_begin_member(struct rh__portfolio *p, const struct rh_world *w)
{
    uint32_t keep = rh_inner_begin(&p->member[p->turn], w);
    p->done[p->turn] = !keep;
    return keep;
}

bool rh__portfolio_is_settled(const struct rh__portfolio *p)
{
    const struct rh_inner *m = &p->member[p->turn];
    return p->done[p->turn] && (rh_inner_diverged(m) || rh_inner_verdict(m) == RH_VERDICT_EXHAUSTIVE);
}

/* A member may keep only events of its own last run, and other members have run since.  So every run starts from the
 * beginning, and members that keep events (dfs) replay them. */
static uint32_t portfolio_begin(void *state, const struct rh_world *w)
{
    struct rh__portfolio *p = state;
    for (uint32_t tries = 0; tries < p->count; tries++) {
        p->turn = (p->turn + 1) % p->count;
        if (p->done[p->turn])
            continue;
        if (rh__portfolio_begin_member(p, w))
            return 1;
        if (rh__portfolio_is_settled(p))
            return 0;
    }
    return 0;
}

/* Returns the best verdict of all members that are done. */
enum rh_verdict rh__portfolio_verdict(const void *state)
{
    const struct rh__portfolio *p = state;
    enum rh_verdict best = RH_VERDICT_SAMPLED;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->done[i]) {
            enum rh_verdict v = rh_inner_verdict(&p->member[i]);
            best = v > best ? v : best;
        }
    return best;
}

/* Returns the estimate of the first member that has one. */
double rh__portfolio_estimate(const void *state)
{
    const struct rh__portfolio *p = state;
    for (uint32_t i = 0; i < p->count; i++) {
        double estimate = rh_inner_estimate(&p->member[i]);
        if (estimate > 0)
            return estimate;
    }
    return 0;
}

/* An item is done when one member has explored the whole item.  With two exhaustive members, each could finish some
 * items and neither all of them.  So at most one member may be exhaustive.  The other members are samplers. */
bool rh__portfolio_can_share(const void *state)
{
    const struct rh__portfolio *p = state;
    uint32_t exhaustive = 0;
    bool rounds = false; /* a round ends for all members, or for none */
    for (uint32_t i = 0; i < p->count; i++) {
        exhaustive += rh_inner_can_finish(&p->member[i]);
        rounds |= rh_inner_with_rounds(&p->member[i]) != NULL;
    }
    return exhaustive <= 1 && !rounds;
}

/* Writes the items of the members with their lengths; length 0 for a sampler without an item.  The exhaustive member
 * comes first: if it has no work to share, the portfolio has none. */
size_t rh__portfolio_pack(void *state, void *buffer, size_t room, bool half)
{
    struct rh__portfolio *p = state;
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

/* A claim of the exhaustive member, as an item in which the samplers have none. */
size_t rh__portfolio_claim(void *state, void *buffer, size_t room, uint64_t key[2])
{
    struct rh__portfolio *p = state;
    size_t lengths = p->count * sizeof(uint64_t);
    for (uint32_t i = 0; i < p->count && room > lengths; i++) {
        const struct rh_inner *m = &p->member[i];
        struct rh__writer w = rh__writer_of(buffer, room);
        if (!rh_inner_can_finish(m))
            continue;
        size_t size = rh_inner_claim(m, w.at + sizeof(uint64_t), room - lengths);
        if (!size)
            return 0;
        memcpy(key, w.at + sizeof(uint64_t) + RH_ITEM_KEY - 2 * sizeof *key, 2 * sizeof *key);
        rh__put64(&w, size);
        w.len += size;
        for (uint32_t k = 1; k < p->count; k++)
            rh__put64(&w, 0);
        return w.len;
    }
    return 0;
}

bool rh__portfolio_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    struct rh__portfolio *p = state;
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
double rh__portfolio_share(const void *state, uint64_t *runs)
{
    const struct rh__portfolio *p = state;
    uint32_t i = 0;
    while (i + 1 < p->count && !rh_inner_can_finish(&p->member[i]))
        i++;
    return rh_inner_share(&p->member[i], runs);
}

static const struct rh_explorer_report portfolio_report = { .verdict = rh__portfolio_verdict,
                                                            .estimate = rh__portfolio_estimate };
static const struct rh_explorer_share portfolio_shares = { .can = rh__portfolio_can_share,
                                                           .pack = rh__portfolio_pack,
                                                           .unpack = rh__portfolio_unpack,
                                                           .claim = rh__portfolio_claim,
                                                           .share = rh__portfolio_share };
static const struct rh_explorer_decorator portfolio_decorator = { .inner = rh__portfolio_members };
static const struct rh_argument portfolio_arguments[] = {
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .required = true, .many = true, .help = "takes its turn" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_portfolio = {
    .name = "portfolio",
    .summary = "each EXPLORER in turn, a run each",
    .state_size = sizeof(struct rh__portfolio),
    .arguments = portfolio_arguments,
    .resets_only = true,
    .open = portfolio_open,
    .begin = portfolio_begin,
    .report = &portfolio_report,
    .share = &portfolio_shares,
    .decorator = &portfolio_decorator,
};
