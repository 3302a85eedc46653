/* optimal: one run for every behaviour, none twice, none cut short, and nothing remembered but the graph of the current run
 * and those it was made from.
 *
 * The search (the executable specification's visit):
 *   - add what must be added: sends of steps that were made, in a fixed order; then an event of the place with the fewest
 *     things to take, and besides go on with each of the others it could take;
 *   - when a send is added, also go on from each graph in which an earlier event takes it (changes.c).
 * Levels are a stack: a changed graph is a level on top of the one it was made from, and is done when none of its own nodes has
 * an option left.  Between runs the world keeps the steps that the old and the new run begin with.
 *
 * It works with granularity object (world/objects.h): there every step is a matter of one place.  What is not a matter of a
 * receiver's choice is decided where it arises: a loss or duplication right when a message is sent (FATE), a crash right after
 * an actor's last event (LIFE), so that neither is explored at more than one moment.
 *
 * A step in which the program fails ends its run.  To see what else the failing actor could have taken instead, the search
 * goes on without it: such a run comes to no end of its own and is not counted. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/random.h"
#include "explore/engine.h"
#include "explore/explorers.h"
#include "explore/optimal.h"
#include "world/actors.h"
#include "world/objects.h"

bool rh__optimal_refuses(const struct rh_semantics *s, char *error, size_t error_size)
{
    const char *why = NULL;
    if (s->granularity != RH_GRAIN_OBJECT)
        why = "it needs granularity object";
    else if (s->partitions && s->model == RH_MAILBOX)
        why = "partitions under model mailbox put messages in an order that no mailbox has";
    else if (s->crashes && (s->restarts || s->kept_restarts) && s->restarts < s->crashes &&
             s->kept_restarts < s->crashes)
        why = "with fewer restarts than crashes actors compete for them: give restarts (or kept_restarts) for all "
              "crashes, or "
              "none";
    else if (s->dead_letters == RH_DEAD_LETTER_FAIL)
        why = "where a message to one that has ended is a failure, the order of sends and ends matters, which it does "
              "not "
              "explore (dead_letters=fail): use dpor or dfs";
    else if (s->fail_allocation)
        why = "which allocation is the k-th depends on the order of unrelated steps (fail_allocation)";
    if (why)
        snprintf(error, error_size, "explorer optimal: %s", why);
    return why != NULL;
}

bool rh__optimal_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    struct optimal *o = state;
    x->trusts_globals |= strcmp(arg, "private-globals") == 0;
    if (*arg && !x->trusts_globals) {
        snprintf(error, error_size, "explorer optimal:%s: the only argument is private-globals", arg);
        return false;
    }
    if (rh__optimal_refuses(&x->world->semantics, error, error_size))
        return false;
    o->random = rh__random_seed(rh_exploration_seed(x), 7);
    o->initial = 1;
    if (!rh__graph_open(&o->graph, x)) {
        snprintf(error, error_size, "no memory for explorer optimal");
        return false;
    }
    return true;
}

/* ---- the next graph ------------------------------------------------------------------------------------------------------------- */

/* The node's next option, and the list up to there; gives how many steps of the world's run remain. */
uint32_t rh__optimal_take_option(struct optimal *o, uint32_t stamp)
{
    struct graph *g = &o->graph;
    struct node *x = rh__graph_node(g, stamp), was;
    struct option option = g->options[x->options + x->option_next];
    x->option_next++;
    switch ((enum node_kind)x->kind) {
    case NODE_EVENT: {
        was = *x;
        uint32_t actor = was.actor;
        if (was.event.place != was.actor) /* one that asks for an operation, or the clock by itself */
            actor = option.cause == RH_NONE ? rh__graph_place(g, rh__clock_identity())
                                            : rh__graph_node(g, option.cause)->actor;
        rh__graph_cut(g, stamp);
        rh__graph_add_event(g, NULL, actor, was.event.place, was.options, was.option_count, was.option_next - 1, &was);
        break;
    }
    case NODE_SEND: {
        double weight = rh__graph_weight_of(g, stamp);
        rh__graph_cut(g, stamp + 1);
        rh__graph_push_change(g, stamp, option.cause);
        rh__graph_top(g)->weight = weight;
        break;
    }
    case NODE_FATE:
        rh__graph_cut(g, stamp + 1);
        rh__graph_drop_fate_step(g, stamp);
        rh__graph_node(g, stamp)->now = option;
        rh__graph_add_fate_step(g, stamp);
        break;
    case NODE_LIFE:
        rh__graph_cut(g, stamp + 1);
        x = rh__graph_node(g, stamp);
        x->now = option;
        g->options[g->option_top] = option;
        g->wishes[g->wish_top] = (struct wish){ .status = STATUS_CRASHED }; /* what stood there is somebody else's */
        was = (struct node){
            .actor = x->actor,
            .option_end = 1,
            .event.wish = g->wish_top,
            .event.birth = x->event.birth,
            .event.born_at = x->event.born_at,
        };
        rh__graph_add_event(g, NULL, x->actor, x->actor, g->option_top, 1, 0, &was);
        break;
    }
    return rh__graph_common(g);
}

uint32_t rh__optimal_last_with_options(const struct graph *g)
{
    const struct level *l = &g->levels[g->level_count - 1];
    for (uint32_t i = l->count; i-- > l->base;)
        if (rh__graph_node(g, i)->option_next < rh__graph_node(g, i)->option_end)
            return i;
    return RH_NONE;
}

/* The way to where an item's level was, on which it is filled in. */
static bool lead(struct optimal *o, struct rh_world *w)
{
    struct graph *g = &o->graph;
    rh_world_rollback(w, 1);
    g->absorbed = g->made_count = 0;
    for (rh__graph_absorb(g, w); w->event_count < rh__graph_top(g)->steps; rh__graph_absorb(g, w)) {
        uint32_t count;
        const struct rh_choice *open = rh_world_enabled(w, &count);
        uint32_t node = g->run[rh__graph_top(g)->first_step + w->event_count].node;
        uint32_t pick = count ? rh__optimal_step_again(o, w, node, open, count) : RH_NONE;
        if (pick >= count)
            break;
        rh_world_step(w, &open[pick]);
    }
    o->confused |= w->event_count < rh__graph_top(g)->steps || !rh__graph_filled(g, w);
    if (!o->confused && !o->failed)
        rh__optimal_take_option(o, rh__optimal_last_with_options(g));
    o->failed = false;
    return !o->confused;
}

uint32_t rh__optimal_begin(void *state, struct rh_world *w)
{
    struct optimal *o = state;
    struct graph *g = &o->graph;
    if (o->confused || o->full)
        return 0;
    if (o->on_way) {
        o->on_way = false;
        return rh__graph_common(g);
    }
    if (!o->started || o->sampling) {
        o->started = true;
        o->weight = 1;
        rh__graph_begin(g, w);
        return 1;
    }
    if (o->failed && g->level_count && !rh__graph_top(g)->bare) {
        o->failed = false;
        return rh__graph_common(g);
    }
    while (g->level_count) {
        if (rh__graph_top(g)->bare)
            return lead(o, w) ? 1 : 0; /* whoever drives the world has not seen these steps */
        uint32_t stamp = rh__optimal_last_with_options(g);
        if (stamp != RH_NONE)
            return rh__optimal_take_option(o, stamp);
        rh__graph_pop(g);
    }
    return 0;
}

/* Or what was assumed does not hold in it: others, which have yet to move, go on without it in other runs. */
static bool fails_in_a_step(const struct rh_world *w, const struct rh_run *run)
{
    if (run->outcome == RH_OUTCOME_ASSUMED)
        return true;
    if (!rh_outcome_failed(run->outcome) || w->events[w->event_count - 1].choice.kind == RH_CHOICE_END)
        return false;
    return w->over || (run->outcome != RH_OUTCOME_STUCK && run->outcome != RH_OUTCOME_MONITOR &&
                       run->outcome != RH_OUTCOME_PROPERTY);
}

/* The step that fails stays in the list, but is not made again. */
static void freeze(struct graph *g)
{
    struct level *l = rh__graph_top(g);
    uint32_t stamp = g->run[l->first_step + l->steps - 1].node;
    struct node *x = rh__graph_node(g, stamp);
    if (x->kind != NODE_EVENT || stamp == 0) {
        g->level_count = 0; /* it fails before there is anything to choose */
        return;
    }
    x->event.failed = true;
    x->event.sends = 0;
    x->event.asks = false;
    g->frozen[x->actor] = g->frozen[x->event.place] = true;
    l->steps--;
    g->run_top--;
    if (g->absorbed > l->steps)
        g->absorbed = l->steps;
    if (g->todo_count && g->todo[g->todo_count - 1] == stamp)
        g->todo_count--;
}

void rh__optimal_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct optimal *o = state;
    o->runs++;
    o->cut |= run->outcome == RH_OUTCOME_CUT || run->outcome == RH_OUTCOME_RUNNING;
    if (o->confused || o->full)
        return;
    o->failed = fails_in_a_step(w, run);
    if (o->failed) {
        freeze(&o->graph);
        return;
    }
    rh__graph_absorb(&o->graph, w);
    bool over = run->outcome == RH_OUTCOME_CUT || run->outcome == RH_OUTCOME_RUNNING ||
                w->events[w->event_count - 1].choice.kind == RH_CHOICE_END || rh__optimal_add_sends(o, w);
    if (o->sampling && over) {
        o->samples++;
        o->sum += o->weight;
        o->squares += o->weight * o->weight;
    }
    o->on_way = o->sampling && !over;
}

static bool optimal_confused(const void *state)
{
    return ((const struct optimal *)state)->confused; /* too little memory is not the program's doing */
}

static enum rh_verdict optimal_verdict(const void *state)
{
    const struct optimal *o = state;
    return o->confused || o->full || o->cut || o->sampling ? RH_VERDICT_SAMPLED : RH_VERDICT_EXHAUSTIVE;
}

/* ---- sharing the work -------------------------------------------------------------------------------------------------------- */

enum { WHOLE_TREE = 0x0b };

static size_t optimal_pack(void *state, void *buffer, size_t room, bool half)
{
    struct optimal *o = state;
    if (o->confused || o->full || o->sampling)
        return 0;
    if (!o->started && !half) {
        struct rh__writer to = rh__writer_of(buffer, room);
        rh__put_small(&to, WHOLE_TREE);
        o->started = !to.full;
        o->given = 1;
        return to.full ? 0 : to.len;
    }
    double before = rh__graph_untried(&o->graph);
    bool goes_on = o->failed && o->graph.level_count;
    size_t size = o->started ? rh__graph_pack(&o->graph, buffer, room, half, goes_on) : 0;
    if (size) {
        o->given += before - rh__graph_untried(&o->graph);
        if (!half)
            o->failed = false;
    }
    return size;
}

static bool optimal_unpack(void *state, struct rh_world *w, const void *item, size_t size)
{
    (void)w;
    struct optimal *o = state;
    o->runs = 0;
    o->given = 0;
    o->failed = o->on_way = false;
    if (size == 1 && *(const unsigned char *)item == WHOLE_TREE) {
        o->started = false;
        o->initial = 1;
        return true;
    }
    if (!rh__graph_unpack(&o->graph, item, size, &o->failed))
        return false;
    o->started = true;
    o->initial = rh__graph_untried(&o->graph);
    return true;
}

/* If all subtrees of a node weighed the same, what is untried would be a known share of the tree. */
static double optimal_share(const void *state, uint64_t *runs)
{
    const struct optimal *o = state;
    double left = o->started ? rh__graph_untried(&o->graph) : 1;
    *runs = o->runs;
    double share = o->initial - o->given - left;
    return share > 0 ? share : 0; /* what comes after a failing step has no share of its own */
}

static double optimal_estimate(const void *state)
{
    uint64_t runs;
    double share = optimal_share(state, &runs);
    return share > 0 ? (double)runs / share : 0;
}

const struct rh_explorer rh__explorer_optimal = {
    .name = "optimal",
    .summary = "every behaviour, once",
    .state_size = sizeof(struct optimal),
    .objects = true,
    .reduces = true,
    .open = rh__optimal_open,
    .begin = rh__optimal_begin,
    .choose = rh__optimal_choose,
    .end = rh__optimal_end,
    .verdict = optimal_verdict,
    .estimate = optimal_estimate,
    .pack = optimal_pack,
    .unpack = optimal_unpack,
    .share = optimal_share,
    .confused = optimal_confused,
};
