/* A user's own delaying explorer: settled, for failures after start-up [Desai 2015, 5.3].  Actors take
 * turns.  Actors of type fault come last until the program says that it has settled (rh_log), and first from then
 * on.  So runs with few delays have no failure during start-up, and failures at once afterwards. */
#include <rehearse/delaying.h>

#include <string.h>

struct settled {
    struct rh_round round;
    uint32_t faults[4], count;
};

static bool is_fault(const struct rh_world *w, uint32_t actor)
{
    const struct rh_actor_type *type = rh_world_actor_type(w, actor);
    return type && strcmp(type->name, "fault") == 0;
}

static void start(void *state, const struct rh_world *w, uint32_t actor, uint64_t random)
{
    struct settled *s = state;
    (void)random;
    if (is_fault(w, actor) && s->count < 4)
        s->faults[s->count++] = actor;
    rh_round_put(&s->round, actor, is_fault(w, actor) ? RH_ROUND_ACTORS : 0);
}

static void step(void *state, const struct rh_world *w, const struct rh_step *did)
{
    struct settled *s = state;
    (void)w;
    rh_round_step(&s->round);
    for (uint32_t i = 0; i < s->count; i++)
        if (did->said && strcmp(did->said, "settled") == 0)
            rh_round_put(&s->round, s->faults[i], 0);
}

static const struct rh_delaying settled = { .name = "settled",
                                            .summary = "failures come after start-up",
                                            .state_size = sizeof(struct settled),
                                            .next = rh_round_next,
                                            .delay = rh_round_delay,
                                            .start = start,
                                            .step = step };
RH_DELAYING(settled)
