/* optimal: one run for each distinct run; none is made twice, none is cut short, and only the graph of the current
 * run and the graphs that it was made from are remembered [TruSt 2022] [Must 2024].  tests/reference has the
 * executable specification.
 *
 * The search:
 *   - Add the sends of the steps that were made, in a fixed order.  Then add an event of the place with the fewest
 *     options, of those the one with the fewest events, and explore each of its options.
 *   - When a send is added, also explore each graph in which an earlier event takes the send: a revisit (revisit.c).
 * The graph of a revisit is a level on top of the level that it was made from (levels.c).  Between runs the world
 * keeps the steps that the old and the new run begin with.
 *
 * optimal needs granularity object (world/objects.h), where every step concerns one place.  Faults are decided where
 * they arise: a loss or duplication when the message is sent (FATE), a crash right after the actor's last event
 * (LIFE).  So each is explored at one moment only.
 *
 * A step in which the program fails ends its run.  The search then goes on without that step, to explore what else
 * the failing actor could have taken.  Such a run is abandoned: it does not come to an end, and is not counted.  Its
 * properties are (RH_ASIDE): if the step that fails is made as well, the run ends in it. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "explore/engine/engine.h"
#include "explore/exchange.h"
#include "explore/explorers.h"
#include "explore/optimal/sampler.h"
#include "world/live.h"

/* What optimal does about each fault (RH_BUDGETS); a budget without a line here does not compile. */
enum fault_treatment {
    EXPLORES,    /* a node of the graph or an option decides it */
    ONLY_DELAYS, /* every run with the fault is equivalent to one without it */
    REFUSES,     /* see rh__optimal_refuses */
};
#define TREATS_losses         EXPLORES
#define TREATS_duplicates     EXPLORES
#define TREATS_crashes        EXPLORES
#define TREATS_restarts       EXPLORES
#define TREATS_kept_restarts  EXPLORES
#define TREATS_partitions     ONLY_DELAYS /* but see rh__optimal_refuses */
#define TREATS_failed_opens   EXPLORES
#define TREATS_damaged_stores EXPLORES
#define TREATS_failed_puts    EXPLORES
#define TREATS_delays         ONLY_DELAYS
#define TREATS_outside        REFUSES
#define RH_X(field, spends, option, help)                                                                              \
    _Static_assert(TREATS_##field == EXPLORES || TREATS_##field == ONLY_DELAYS || TREATS_##field == REFUSES,           \
                   "a fault that optimal does not know");
RH_BUDGETS(RH_X)
#undef RH_X

bool rh__optimal_refuses(const struct rh_semantics *s, char *error, size_t error_size)
{
    const char *why = NULL;
    if (s->granularity != RH_GRAIN_OBJECT)
        why = "it needs granularity object";
    else if (s->partitions && rh__delivery(s->model)->by_receiver)
        why = "partitions under model mailbox put messages in an order that no mailbox has";
    else if (s->time == RH_TIME_ORDERED && !s->pauses)
        why = "with ordered time, time stands still while any handler runs, which optimal does not explore: use dpor, "
              "stateful or dfs, or let time pass inside handlers (.pauses = true)";
    else if (s->partitions && s->across == RH_ACROSS_DROPPED)
        why =
            "a partition that drops messages has an effect on all actors at one moment, which is no order of receives: "
            "use dpor or dfs, or --across held";
    else if (*s->timer_budgets)
        why = "which timers fire within a budget is an order of all of them: use dpor, dfs or stateful";
    else if (s->kills == RH_KILL_ANYWHERE)
        why = "signals that end a process between two operations (kills) are not explored: use dpor, dfs or stateful, "
              "or --kills at-waits";
    else if (s->atomic)
        why = "operations that are no steps (.atomic) are not explored: use dpor, stateful or dfs";
    else if (s->outside)
        why =
            "messages from outside (rh_open) may come at any moment, which optimal does not explore: use dpor or dfs, "
            "or --outside 0";
    else if (s->fail_allocation)
        why = "with fail_allocation, which allocation is the k-th depends on the order of independent steps: use dfs";
    if (why)
        snprintf(error, error_size, "explorer optimal: %s", why);
    return why != NULL;
}

const struct rh_argument rh__optimal_arguments[] = {
    { .name = "private-globals",
      .kind = RH_ARGUMENT_FLAG,
      .help = "trust that no two actors use the same global variable" },
    { .name = NULL },
};

bool rh__optimal_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                      size_t error_size)
{
    struct optimal *o = state;
    x->trusts_globals |= rh_arguments_has(a, "private-globals");
    if (rh__optimal_refuses(rh_world_semantics(x->world), error, error_size))
        return false;
    if (rh__delivery(rh_world_semantics(x->world)->model)->by_receiver)
        rh__world_refuse_sets(x->world,
                              "explorer optimal does not explore rh_receive_set with a time limit under model mailbox, "
                              "where which messages were there in time is no order of steps: use dpor or dfs",
                              true);
    if (!rh__graph_open(&o->graph, x)) {
        snprintf(error, error_size, "no memory for explorer optimal");
        return false;
    }
    return true;
}

void rh__optimal_exchanges(void *state, struct rh__exchange *e)
{
    ((struct optimal *)state)->graph.exchange.rule = e;
}

/* ---- the next graph ---------------------------------------------------------------------------------------------- */

/* The node's next option, and the list up to there; gives how many steps of the world's run remain. */
uint32_t rh__optimal_take_option(struct optimal *o, uint32_t stamp)
{
    struct optimal_graph *g = &o->graph;
    struct optimal_node *x = rh__graph_node(g, stamp), was;
    struct optimal_option option = g->options[x->options + x->option_next];
    x->option_next++;
    switch ((enum optimal_node_kind)x->kind) {
    case NODE_EVENT: {
        if (option.kind == RH_CHOICE_RESUME && x->event.finds && option.detail) {
            double weight = rh__graph_weight_of(g, stamp);
            rh__graph_cut(g, stamp + 1);
            rh__graph_push_revisit(g, stamp, (uint32_t)option.detail, option.cause, &option);
            rh__graph_top(g)->weight = weight;
            break;
        }
        was = *x;
        uint32_t actor = was.actor;
        if (was.event.place != was.actor &&
            !was.event.finds) /* one that asks for an operation, or the clock by itself */
            actor = option.cause == RH_NONE ? rh__graph_place(g, rh__clock_identity())
                                            : rh__graph_node(g, option.cause)->actor;
        rh__graph_cut(g, stamp);
        rh__graph_add_event(g, NULL, actor, was.event.place, was.options, was.option_count, was.option_next - 1, &was);
        rh__graph_take_order(g, &option);
        break;
    }
    case NODE_SEND: {
        double weight = rh__graph_weight_of(g, stamp);
        rh__graph_cut(g, stamp + 1);
        rh__graph_push_revisit(g, stamp, option.cause, RH_NONE, &option);
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
        g->stances[g->stance_top] =
            (struct optimal_stance){ .stance.kind = RH__TAKES_NOTHING }; /* what stood there is another event's */
        was = (struct optimal_node){
            .actor = x->actor,
            .option_end = 1,
            .event.stance = g->stance_top,
            .event.birth = x->event.birth,
            .event.born_at = x->event.born_at,
        };
        rh__graph_add_event(g, NULL, x->actor, x->actor, g->option_top, 1, 0, &was);
        break;
    }
    return rh__graph_common(g);
}

uint32_t rh__optimal_last_with_options(const struct optimal_graph *g)
{
    const struct optimal_level *l = &g->levels[g->level_count - 1];
    for (uint32_t i = l->count; i-- > l->base;)
        if (rh__graph_node(g, i)->option_next < rh__graph_node(g, i)->option_end)
            return i;
    return RH_NONE;
}

uint32_t rh__optimal_begin(void *state, const struct rh_world *w)
{
    struct optimal *o = state;
    struct optimal_graph *g = &o->graph;
    rh__graph_look(g, w);
    if (o->diverged || o->full)
        return 0;
    if (o->whole) {
        o->whole = false;
        rh__graph_begin(g, w);
        return 1;
    }
    if (o->failed && g->level_count && !rh__graph_top(g)->bare) {
        o->failed = false;
        return rh__graph_common(g);
    }
    while (g->level_count) {
        if (rh__graph_top(g)->bare) {
            g->absorbed = g->made_count = 0;
            return 1; /* the steps of this level come first: see optimal_lead */
        }
        uint32_t stamp = rh__optimal_last_with_options(g);
        if (stamp != RH_NONE)
            return rh__optimal_take_option(o, stamp);
        rh__graph_pop(g);
    }
    return 0;
}

/* A limit of steps has cut the run; a dead letter is a finding there, too. */
static bool was_cut(const struct rh__run *r, const struct rh_run *run)
{
    return run->outcome == RH_OUTCOME_CUT || run->outcome == RH_OUTCOME_RUNNING ||
           ((run->outcome == RH_OUTCOME_DEAD_LETTER || run->outcome == RH_OUTCOME_HISTORY) &&
            r->event_count > r->semantics->max_steps);
}

/* Or what was assumed does not hold in it: others, which have yet to move, go on without it in other runs. */
static bool fails_in_a_step(const struct rh__run *r, const struct rh_run *run)
{
    if (run->outcome == RH_OUTCOME_ASSUMED)
        return true;
    if (!rh_outcome_failed(run->outcome) || rh__run_choice(r, r->event_count - 1)->kind == RH_CHOICE_END)
        return false;
    return r->over || (run->outcome != RH_OUTCOME_STUCK && run->outcome != RH_OUTCOME_MONITOR &&
                       run->outcome != RH_OUTCOME_PROPERTY && run->outcome != RH_OUTCOME_HISTORY &&
                       run->outcome != RH_OUTCOME_DEAD_LETTER);
}

/* The event stays in the list, but its step is not made again, nor are those of its unit. */
static void give_up(struct optimal_graph *g, uint32_t stamp, bool counts)
{
    uint32_t first = stamp - rh__graph_node(g, stamp)->event.part;
    if (g->todo_count && g->todo[g->todo_count - 1] == stamp)
        g->todo_count--;
    for (uint32_t i = stamp + 1; i-- > first;) {
        struct optimal_node *x = rh__graph_node(g, i);
        rh__graph_drop_step(g, i);
        x->event.failed = true;
        x->event.counts = counts;
        x->event.sends = 0;
        x->event.asks = false;
        rh__graph_freeze(g, x, true);
    }
}

/* The last step that was made fails.  It may be an operation whose change another one should find, as the last step of
 * the run (levels.c): that one cannot be made, either. */
static void freeze(struct optimal_graph *g, bool counts)
{
    struct optimal_level *l = rh__graph_top(g);
    uint32_t step = g->seen->event_count - 1, stamp = g->run[l->first_step + step].node;
    const struct optimal_node *x = rh__graph_node(g, stamp);
    if (x->kind != NODE_EVENT || stamp == 0) {
        rh__graph_set_levels(g, 0); /* it fails before there is anything to choose */
        return;
    }
    if (x->event.finds)
        rh__graph_note_operation(g, stamp, step);
    uint32_t last = g->run[l->first_step + l->steps - 1].node;
    const struct optimal_node *y = rh__graph_node(g, last);
    if (last != stamp && y->kind == NODE_EVENT && y->event.finds && y->now.cause == stamp)
        give_up(g, last, false);
    give_up(g, stamp, counts);
}

void rh__optimal_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct optimal *o = state;
    o->runs++;
    rh__graph_look(&o->graph, w);
    bool cut = was_cut(o->graph.seen, run);
    o->cut |= cut;
    if (o->sampler)
        rh__sampler_add_leaf(o->sampler, run->outcome != RH_OUTCOME_ASSUMED);
    if (o->diverged || o->full)
        return;
    o->failed = fails_in_a_step(o->graph.seen, run);
    if (o->failed) {
        freeze(&o->graph, run->outcome != RH_OUTCOME_ASSUMED);
        return;
    }
    rh__graph_absorb(&o->graph, w);
    const struct rh__run *r = o->graph.seen;
    rh__graph_exchange_again(&o->graph, w);
    if (!cut && rh__run_choice(r, r->event_count - 1)->kind != RH_CHOICE_END)
        rh__optimal_add_sends(o, w);
    o->full |= o->graph.overflows;
}

static bool optimal_diverged(const void *state)
{
    return ((const struct optimal *)state)->diverged; /* too little memory is not the program's doing */
}

static enum rh_verdict optimal_verdict(const void *state)
{
    const struct optimal *o = state;
    return o->diverged || o->full || o->cut ? RH_VERDICT_SAMPLED : RH_VERDICT_EXHAUSTIVE;
}

/* ---- sharing the work -------------------------------------------------------------------------------------------- */

static size_t optimal_pack(void *state, void *buffer, size_t room, bool half)
{
    struct optimal *o = state;
    if (o->diverged || o->full)
        return 0;
    if (o->whole) {
        size_t size = half ? 0 : rh_item_put_root(buffer, room);
        o->whole = !size;
        o->given = size ? 1 : 0;
        return size;
    }
    double before = rh__graph_untried(&o->graph);
    bool goes_on = o->failed && o->graph.level_count;
    size_t size = rh__graph_pack(&o->graph, buffer, room, half, goes_on);
    if (size) {
        o->given += before - rh__graph_untried(&o->graph);
        if (!half)
            o->failed = false;
    }
    return size;
}

static bool optimal_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    (void)w;
    struct optimal *o = state;
    o->runs = 0;
    o->given = 0;
    o->failed = false;
    o->whole = rh_item_is_root(item, size);
    if (o->whole) {
        rh__graph_set_levels(&o->graph, 0);
        o->initial = 1;
        return true;
    }
    if (!rh__graph_unpack(&o->graph, item, size, &o->failed))
        return false;
    o->initial = rh__graph_untried(&o->graph);
    return true;
}

/* The steps of a bare level, which fill it. */
static uint32_t optimal_lead(const void *state)
{
    const struct optimal_graph *g = &((const struct optimal *)state)->graph;
    const struct optimal_level *l = g->level_count ? &g->levels[g->level_count - 1] : NULL;
    return l && l->bare ? l->steps : 0;
}

static uint32_t optimal_arrived(void *state, const struct rh_world *w)
{
    struct optimal *o = state;
    struct optimal_graph *g = &o->graph;
    rh__graph_absorb(g, w);
    o->diverged |= !rh__graph_filled(g, w);
    if (o->diverged)
        return 0;
    if (!o->failed)
        rh__optimal_take_option(o, rh__optimal_last_with_options(g));
    o->failed = false;
    return rh__graph_common(g);
}

/* If all subtrees of a node weighed the same, what is untried would be a known share of the tree. */
static double optimal_share(const void *state, uint64_t *runs)
{
    const struct optimal *o = state;
    double left = o->whole ? 1 : rh__graph_untried(&o->graph);
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

static const struct rh_explorer_report optimal_report = { .verdict = optimal_verdict,
                                                          .estimate = optimal_estimate,
                                                          .diverged = optimal_diverged };
static const struct rh_explorer_share optimal_shares = { .pack = optimal_pack,
                                                         .unpack = optimal_unpack,
                                                         .lead = optimal_lead,
                                                         .arrived = optimal_arrived,
                                                         .share = optimal_share };

const struct rh_explorer rh__explorer_optimal = {
    .name = "optimal",
    .summary = "every distinct run, once",
    .state_size = sizeof(struct optimal),
    .arguments = rh__optimal_arguments,
    .needs_object_granularity = true,
    .needs_beginning = true,
    .is_reduction = true,
    .open = rh__optimal_open,
    .begin = rh__optimal_begin,
    .choose = rh__optimal_choose,
    .end = rh__optimal_end,
    .report = &optimal_report,
    .share = &optimal_shares,
};
