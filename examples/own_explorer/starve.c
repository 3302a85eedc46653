/* A user's own explorer: starve.  A pair is a sender and a receiver.  The first run takes the first open choice at each
 * step and records the pairs that it meets.  Each later run delays one pair: its messages are taken only when nothing
 * else can happen.  The exploration ends when every pair has had its run. */
#include <rehearse/explorer.h>

enum { MOST = 256 };

struct starve {
    uint32_t runs, pairs;
    uint32_t pair[MOST]; /* receiver << 16 | sender */
};

static uint32_t pair_of(const struct rh_world *w, const struct rh_choice *c)
{
    uint32_t sender = c->kind == RH_CHOICE_DELIVER ? rh_world_message(w, c->what).sender : c->actor;
    return c->actor << 16 | (sender & 0xffff);
}

static uint32_t starve_begin(void *state, const struct rh_world *w)
{
    (void)w;
    struct starve *s = state;
    return s->runs++ <= s->pairs; /* the first run delays no pair */
}

static uint32_t starve_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct starve *s = state;
    uint32_t best = RH_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pair = pair_of(w, &open[i]), at = 0;
        while (at < s->pairs && s->pair[at] != pair)
            at++;
        if (at == s->pairs && at < MOST)
            s->pair[s->pairs++] = pair;
        if (best == RH_NONE && at + 2 != s->runs)
            best = i;
    }
    return best == RH_NONE ? 0 : best;
}

static const struct rh_explorer starve = { .name = "starve",
                                           .summary = "one run for each sender and receiver: their messages come last",
                                           .state_size = sizeof(struct starve),
                                           .begin = starve_begin,
                                           .choose = starve_choose };
RH_EXPLORER(starve)
