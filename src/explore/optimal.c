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
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"
#include "explore/engine.h"
#include "explore/explorers.h"
#include "explore/graph.h"
#include "world/network.h"
#include "world/objects.h"

struct optimal {
    struct graph graph;
    bool started, confused, full;
    bool failed;   /* the last run ended in a step that fails */
    bool sampling; /* one random way down the tree for each run */
    bool on_way;   /* the graph is the next to go on with: begin need not look for one */
    uint64_t runs, samples;
    double initial, given; /* share of the tree that was to do, and that was given away since */
    uint64_t random;
    double weight; /* sampling: how many leaves this one stands for */
    double sum, squares;
};

static bool refuse(const struct rh_semantics *s, char *error, size_t error_size)
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
    else if (s->fail_allocation)
        why = "which allocation is the k-th depends on the order of unrelated steps (fail_allocation)";
    if (why)
        snprintf(error, error_size, "explorer optimal: %s", why);
    return why != NULL;
}

static bool optimal_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    struct optimal *o = state;
    x->trusts_globals |= strcmp(arg, "private-globals") == 0;
    if (*arg && !x->trusts_globals) {
        snprintf(error, error_size, "explorer optimal:%s: the only argument is private-globals", arg);
        return false;
    }
    if (refuse(&x->world->semantics, error, error_size))
        return false;
    o->random = rh__random_seed(rh_exploration_seed(x), 7);
    o->initial = 1;
    if (!graph_open(&o->graph, x)) {
        snprintf(error, error_size, "no memory for explorer optimal");
        return false;
    }
    return true;
}

/* ---- options of the open choices ------------------------------------------------------------------------------------------ */

/* Which of an actor's own things: the same in every order of steps. */
static uint64_t detail_of(const struct rh_world *w, const struct rh_choice *c)
{
    if (c->kind != RH_CHOICE_TIMER)
        return c->what;
    if (!c->arg)
        return 0;
    const char *name = w->payload + (uint64_t)c->arg * 16;
    return rh__hash(name, strlen(name), 1);
}

/* Restarts within a budget that may run out are less than those that cannot. */
static uint64_t order_of(const struct rh_world *w, const struct rh_choice *c)
{
    if (c->kind == RH_CHOICE_RESTART && w->semantics.restarts >= w->semantics.crashes)
        return !c->what;
    return detail_of(w, c);
}

static uint32_t place_of(struct graph *g, const struct rh_world *w, const struct rh_choice *c)
{
    return c->kind == RH_CHOICE_RESUME ? graph_place(g, w->actors[c->actor].object) : g->place_of_actor[c->actor];
}

static bool ordinary(const struct rh_choice *c)
{
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_DELIVER:
    case RH_CHOICE_TIMER:
    case RH_CHOICE_VALUE:
    case RH_CHOICE_RESUME:
    case RH_CHOICE_STORED:
    case RH_CHOICE_RESTART:
        return true;
    default:
        return false;
    }
}

/* The request of an actor that stopped before an operation is the last send of its last event. */
static uint32_t request_of(const struct graph *g, uint32_t actor)
{
    return graph_node(g, g->last_of_actor[actor])->event.last_of;
}

static struct option option_of(struct graph *g, const struct rh_world *w, const struct rh_choice *c)
{
    struct option o = { .kind = c->kind, .cause = RH_NONE };
    if (c->kind == RH_CHOICE_DELIVER)
        o.cause = g->send_of_message[c->what];
    else if (c->kind == RH_CHOICE_RESUME)
        o.cause = request_of(g, g->place_of_actor[c->actor]);
    else
        o.detail = order_of(w, c);
    return o;
}

/* ---- the next step ------------------------------------------------------------------------------------------------------------ */

static uint32_t below(struct optimal *o, uint32_t n)
{
    return (uint32_t)(rh__random_next(&o->random) % n);
}

/* The index of the step among the open choices; RH_NONE if it is not there. */
static uint32_t find_step(struct optimal *o, struct rh_world *w, const struct node *x, const struct rh_choice *open,
                          uint32_t count)
{
    struct graph *g = &o->graph;
    uint32_t message = RH_NONE, kind = x->now.kind;
    uint32_t actor = g->actor_of[x->actor];
    if (x->kind == NODE_FATE) {
        kind = x->now.kind == FATE_LOST ? RH_CHOICE_LOSE : RH_CHOICE_DUPLICATE;
        message = w->events[graph_node(g, x->of)->event.step].first_message + x->fate.ordinal;
    } else if (x->now.kind == RH_CHOICE_DELIVER) {
        message = graph_message(g, w, graph_node(g, x->now.cause));
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct rh_choice *c = &open[i];
        if (c->kind != kind)
            continue;
        if (message != RH_NONE ? c->what == message
                               : c->actor == actor && (kind == RH_CHOICE_RESUME ||
                                                       order_of(w, c) == x->now.detail - (kind == RH_CHOICE_CRASH)))
            return i;
    }
    return RH_NONE;
}

/* Of all places that can take something the one with the fewest things to take: then most sends are known before there is
 * anything to choose.  Any order will do that is a function of the graph alone. */
static uint32_t choose_place(struct graph *g, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t best = RH_NONE, *places = g->map; /* of no other use now */
    for (uint32_t i = 0; i < count; i++) {
        places[i] = ordinary(&open[i]) ? place_of(g, w, &open[i]) : RH_NONE;
        if (places[i] != RH_NONE)
            g->waiting[places[i]] = 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (places[i] != RH_NONE)
            g->waiting[places[i]]++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t p = places[i];
        if (p == RH_NONE || g->frozen[p] || g->frozen[g->place_of_actor[open[i].actor]])
            continue;
        if (best == RH_NONE || g->waiting[p] < g->waiting[best] ||
            (g->waiting[p] == g->waiting[best] && g->identity[p] < g->identity[best]))
            best = p;
    }
    return best;
}

static uint32_t step_of_place(struct optimal *o, struct rh_world *w, uint32_t place, const struct rh_choice *open,
                              uint32_t count)
{
    struct graph *g = &o->graph;
    uint32_t options = g->option_top, n = 0, pick = RH_NONE;
    const uint32_t *places = g->map; /* as choose_place left it */
    uint32_t chosen = o->sampling ? below(o, g->waiting[place]) : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (places[i] != place)
            continue;
        if (n == chosen)
            pick = i;
        g->options[options + n++] = option_of(g, w, &open[i]);
    }
    g->option_top += n;
    uint32_t actor = g->place_of_actor[open[pick].actor];
    uint32_t stamp = graph_add_event(g, w, actor, place, options, n, chosen, NULL);
    if (o->sampling) {
        o->weight *= n;
        graph_node(g, stamp)->option_next = n;
    }
    return pick;
}

static bool can_befall(const struct graph *g, const struct rh_world *w, const struct send_due *due)
{
    const struct node *event = graph_node(g, due->event);
    if (!due->fate || due->ordinal >= event->event.sends || !(w->semantics.losses || w->semantics.duplicates))
        return false;
    const struct message *m = &w->messages[w->events[event->event.step].first_message + due->ordinal];
    return rh__message_travels(m);
}

/* Samplers take one of a node's options at once, or none of them. */
static bool sampled_otherwise(struct optimal *o, struct node *x)
{
    if (!o->sampling || !x->option_count)
        return false;
    uint32_t pick = below(o, x->option_count + 1);
    o->weight *= x->option_count + 1;
    if (pick) {
        struct option swapped = o->graph.options[x->options];
        o->graph.options[x->options] = o->graph.options[x->options + pick - 1];
        o->graph.options[x->options + pick - 1] = swapped;
        return true;
    }
    x->option_next = x->option_count;
    return false;
}

static uint32_t take_option(struct optimal *o, uint32_t stamp);
static uint32_t last_with_options(const struct graph *g);

/* Sends first; false where a sampler has gone off to another graph. */
static bool add_sends(struct optimal *o, struct rh_world *w)
{
    struct graph *g = &o->graph;
    struct send_due due;
    while (graph_send_due(g, &due)) {
        uint32_t stamp;
        if (can_befall(g, w, &due)) {
            stamp = graph_add_fate(g, &due);
            struct node *x = graph_node(g, stamp);
            if (g->lost < w->semantics.losses)
                g->options[x->options + x->option_count++] = (struct option){ .kind = FATE_LOST };
            if (g->twice < w->semantics.duplicates)
                g->options[x->options + x->option_count++] = (struct option){ .kind = FATE_TWICE };
            g->option_top += x->option_end = x->option_count;
            due.fate = false;
        } else {
            stamp = graph_add_send(g, w, &due);
            graph_find_changes(g, w, stamp);
        }
        if (sampled_otherwise(o, graph_node(g, stamp))) {
            take_option(o, stamp);
            return false;
        }
    }
    return true;
}

/* Whether each actor goes on. */
static bool add_lives(struct optimal *o, const struct rh_choice *open, uint32_t count)
{
    struct graph *g = &o->graph;
    for (uint32_t i = 0; i < count; i++) {
        if (open[i].kind != RH_CHOICE_CRASH)
            continue;
        uint32_t actor = g->place_of_actor[open[i].actor];
        if (g->frozen[actor] || !graph_life_due(g, actor))
            continue;
        uint32_t stamp = graph_add_life(g, actor);
        struct node *x = graph_node(g, stamp);
        for (uint32_t k = i; k < count; k++)
            if (open[k].kind == RH_CHOICE_CRASH && open[k].actor == open[i].actor)
                g->options[x->options + x->option_count++] =
                    (struct option){ RH_CHOICE_CRASH, RH_NONE, (uint64_t)open[k].what + 1 };
        g->option_top += x->option_end = x->option_count;
        if (sampled_otherwise(o, x)) {
            take_option(o, stamp);
            return false;
        }
    }
    return true;
}

static uint32_t step_again(struct optimal *o, struct rh_world *w, uint32_t stamp, const struct rh_choice *open,
                           uint32_t count)
{
    struct graph *g = &o->graph;
    uint32_t pick = RH_NONE;
    if (graph_top(g)->bare ? graph_fill_before(g, w, stamp, open, count) : true) {
        graph_before_step(g, w, stamp);
        pick = find_step(o, w, graph_node(g, stamp), open, count);
    }
    o->confused |= pick == RH_NONE; /* the program does not do again what it did */
    return pick;
}

static uint32_t end_of(const struct rh_choice *open, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (open[i].kind == RH_CHOICE_END)
            return i;
    return RH_NONE;
}

static uint32_t optimal_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct optimal *o = state;
    struct graph *g = &o->graph;
    graph_absorb(g, w);
    const struct level *l = graph_top(g);
    if (w->event_count < l->steps)
        return step_again(o, w, g->run[l->first_step + w->event_count].node, open, count);
    if (graph_full(g)) {
        o->full = true;
        return RH_NONE;
    }
    bool here = add_sends(o, w);
    open = rh_world_enabled(w, &count); /* predicates may have been asked in the past, over the same table */
    if (!here || !add_lives(o, open, count)) {
        o->on_way = true; /* a sampler has gone off: begin says how much to keep */
        return RH_ELSEWHERE;
    }
    uint32_t place = choose_place(g, w, open, count);
    if (place != RH_NONE)
        return step_of_place(o, w, place, open, count);
    uint32_t end = end_of(open, count);
    return end != RH_NONE ? end : RH_ELSEWHERE;
}

/* ---- the next graph ------------------------------------------------------------------------------------------------------------- */

/* The node's next option, and the list up to there; gives how many steps of the world's run remain. */
static uint32_t take_option(struct optimal *o, uint32_t stamp)
{
    struct graph *g = &o->graph;
    struct node *x = graph_node(g, stamp), was;
    struct option option = g->options[x->options + x->option_next];
    x->option_next++;
    switch ((enum node_kind)x->kind) {
    case NODE_EVENT: {
        was = *x;
        uint32_t actor = was.actor;
        if (was.event.place != was.actor)
            actor = graph_node(g, option.cause)->actor;
        graph_cut(g, stamp);
        graph_add_event(g, NULL, actor, was.event.place, was.options, was.option_count, was.option_next - 1, &was);
        break;
    }
    case NODE_SEND: {
        double weight = graph_weight_of(g, stamp);
        graph_cut(g, stamp + 1);
        graph_push_change(g, stamp, option.cause);
        graph_top(g)->weight = weight;
        break;
    }
    case NODE_FATE:
        graph_cut(g, stamp + 1);
        graph_drop_fate_step(g, stamp);
        graph_node(g, stamp)->now = option;
        graph_add_fate_step(g, stamp);
        break;
    case NODE_LIFE:
        graph_cut(g, stamp + 1);
        x = graph_node(g, stamp);
        x->now = option;
        g->options[g->option_top] = option;
        was = (struct node){
            .actor = x->actor, .option_end = 1, .event.wish = g->wish_top, .event.birth = x->event.birth
        };
        graph_add_event(g, NULL, x->actor, x->actor, g->option_top, 1, 0, &was);
        break;
    }
    return graph_common(g);
}

static uint32_t last_with_options(const struct graph *g)
{
    const struct level *l = &g->levels[g->level_count - 1];
    for (uint32_t i = l->count; i-- > l->base;)
        if (graph_node(g, i)->option_next < graph_node(g, i)->option_end)
            return i;
    return RH_NONE;
}

/* The way to where an item's level was, on which it is filled in. */
static bool lead(struct optimal *o, struct rh_world *w)
{
    struct graph *g = &o->graph;
    rh_world_rollback(w, 1);
    g->absorbed = g->made_count = 0;
    for (graph_absorb(g, w); w->event_count < graph_top(g)->steps; graph_absorb(g, w)) {
        uint32_t count;
        const struct rh_choice *open = rh_world_enabled(w, &count);
        uint32_t node = g->run[graph_top(g)->first_step + w->event_count].node;
        uint32_t pick = count ? step_again(o, w, node, open, count) : RH_NONE;
        if (pick >= count)
            break;
        rh_world_step(w, &open[pick]);
    }
    o->confused |= w->event_count < graph_top(g)->steps || !graph_filled(g, w);
    if (!o->confused && !o->failed)
        take_option(o, last_with_options(g));
    o->failed = false;
    return !o->confused;
}

static uint32_t optimal_begin(void *state, struct rh_world *w)
{
    struct optimal *o = state;
    struct graph *g = &o->graph;
    if (o->confused || o->full)
        return 0;
    if (o->on_way) {
        o->on_way = false;
        return graph_common(g);
    }
    if (!o->started || o->sampling) {
        o->started = true;
        o->weight = 1;
        graph_begin(g, w);
        return 1;
    }
    if (o->failed && g->level_count && !graph_top(g)->bare) {
        o->failed = false;
        return graph_common(g);
    }
    while (g->level_count) {
        if (graph_top(g)->bare)
            return lead(o, w) ? 1 : 0; /* whoever drives the world has not seen these steps */
        uint32_t stamp = last_with_options(g);
        if (stamp != RH_NONE)
            return take_option(o, stamp);
        graph_pop(g);
    }
    return 0;
}

static bool fails_in_a_step(const struct rh_world *w, const struct rh_run *run)
{
    if (!rh_outcome_failed(run->outcome) || w->events[w->event_count - 1].choice.kind == RH_CHOICE_END)
        return false;
    return w->over || (run->outcome != RH_OUTCOME_STUCK && run->outcome != RH_OUTCOME_MONITOR &&
                       run->outcome != RH_OUTCOME_PROPERTY);
}

/* The step that fails stays in the list, but is not made again. */
static void freeze(struct graph *g)
{
    struct level *l = graph_top(g);
    uint32_t stamp = g->run[l->first_step + l->steps - 1].node;
    struct node *x = graph_node(g, stamp);
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

static void optimal_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct optimal *o = state;
    o->runs++;
    if (o->confused || o->full)
        return;
    o->failed = fails_in_a_step(w, run);
    if (o->failed) {
        freeze(&o->graph);
        return;
    }
    graph_absorb(&o->graph, w);
    bool over = run->outcome == RH_OUTCOME_CUT || run->outcome == RH_OUTCOME_RUNNING ||
                w->events[w->event_count - 1].choice.kind == RH_CHOICE_END || add_sends(o, w);
    if (o->sampling && over) {
        o->samples++;
        o->sum += o->weight;
        o->squares += o->weight * o->weight;
    }
    o->on_way = o->sampling && !over;
}

static bool optimal_confused(const void *state)
{
    const struct optimal *o = state;
    return o->confused || o->full;
}

static enum rh_verdict optimal_verdict(const void *state)
{
    const struct optimal *o = state;
    return o->confused || o->full || o->sampling ? RH_VERDICT_SAMPLED : RH_VERDICT_EXHAUSTIVE;
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
    double before = graph_untried(&o->graph);
    bool goes_on = o->failed && o->graph.level_count;
    size_t size = o->started ? graph_pack(&o->graph, buffer, room, half, goes_on) : 0;
    if (size) {
        o->given += before - graph_untried(&o->graph);
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
    if (!graph_unpack(&o->graph, item, size, &o->failed))
        return false;
    o->started = true;
    o->initial = graph_untried(&o->graph);
    return true;
}

/* If all subtrees of a node weighed the same, what is untried would be a known share of the tree. */
static double optimal_share(const void *state, uint64_t *runs)
{
    const struct optimal *o = state;
    double left = o->started ? graph_untried(&o->graph) : 1;
    *runs = o->runs;
    return o->initial - o->given - left;
}

static double optimal_estimate(const void *state)
{
    uint64_t runs;
    double share = optimal_share(state, &runs);
    return share > 0 ? (double)runs / share : 0;
}

/* ---- random ways down --------------------------------------------------------------------------------------------------------- */

static bool descents_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    ((struct optimal *)state)->sampling = true;
    return optimal_open(state, x, arg, error, error_size);
}

/* Knuth's estimate: the product of the numbers of ways at each node of a random path is, on average, the number of leaves.  The
 * interval is for the logarithm of the mean, which is less skewed than the mean; it never excludes what was seen. */
void rh__descents_result(const void *state, uint64_t seen, struct rh__size *size)
{
    const struct optimal *o = state;
    double n = (double)o->samples, mean = o->samples ? o->sum / n : 0;
    double variance = o->samples > 1 ? (o->squares - o->sum * mean) / (n - 1) : 0;
    double spread = mean > 0 && variance > 0 ? 2.6 * sqrt(log(1 + variance / n / (mean * mean))) : 0;
    *size = (struct rh__size){ o->samples, mean, mean * exp(-spread), mean * exp(spread) };
    if (size->low < (double)seen)
        size->low = (double)seen;
    if (size->high < size->low)
        size->high = size->low;
}

static double descents_estimate(const void *state)
{
    const struct optimal *o = state;
    return o->samples ? o->sum / (double)o->samples : 0;
}

const struct rh_explorer rh__explorer_descents = {
    .name = "descents",
    .summary = "random ways down the tree of optimal; estimates how many behaviours there are",
    .state_size = sizeof(struct optimal),
    .objects = true,
    .open = descents_open,
    .begin = optimal_begin,
    .choose = optimal_choose,
    .end = optimal_end,
    .estimate = descents_estimate,
};

const struct rh_explorer rh__explorer_optimal = {
    .name = "optimal",
    .summary = "every behaviour, once",
    .state_size = sizeof(struct optimal),
    .objects = true,
    .reduces = true,
    .open = optimal_open,
    .begin = optimal_begin,
    .choose = optimal_choose,
    .end = optimal_end,
    .verdict = optimal_verdict,
    .estimate = optimal_estimate,
    .pack = optimal_pack,
    .unpack = optimal_unpack,
    .share = optimal_share,
    .confused = optimal_confused,
};
