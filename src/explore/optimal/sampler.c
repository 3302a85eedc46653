/* A tour: a random part of the tree of optimal, from which the number of leaves of the whole tree is estimated.
 *
 * At each node the tour takes a random subset of the children, each with a known probability.  What it finds below a
 * child counts as many times as the probability goes into one.  So a tour estimates without bias, whatever the
 * probabilities are [Knuth 1975].  If all of them are 1, the tour is the whole tree, and its estimate is exact.
 *
 * The probabilities decide how far apart the estimates of different tours are.  They would be equal if each leaf that
 * is found stood for the same number of leaves, `target`.  A child that stands for w nodes with m leaves each stands
 * for w * m leaves.  So it is taken with probability w * m / target, at most 1: large subtrees are divided among
 * several paths, of small ones few are visited.  Stochastic enumeration [Vaisman 2017] does this with a population of
 * paths that advance together, and without m.  A population needs the world at all of its paths at once.  A tour is a
 * depth-first search, which keeps the steps that successive runs have in common, as optimal does.
 *
 * m is learned: the mean of what tours found below children with the same key.  The key says how much of the graph is
 * still to be added, how much of it can still be revisited, and how many faults are used up.  Wrong means make
 * estimates vary more; they add no bias, because a probability depends only on what was found before.
 *
 * Rounds of tours: in the first round a tour is a single path.  In each further round tours aim at twice as many
 * leaves as in the round before.  When all leaves together seem to be no more than the tours so far have found, a tour
 * takes everything.  The result weighs tours by their aim. */
#include "explore/optimal/sampler.h"

#include <math.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/random.h"

enum {
    MOST_FRAMES = 1 << 24,   /* as many as a graph has nodes */
    MOST_CHILDREN = 1 << 24, /* as many as a graph has options */
    MEANS = 1 << 16,
    TOURS = 16, /* of a round */
};
static const double most = 1e250; /* leaves; more are not told apart */

bool rh__sampler_open(struct sampler *s, struct rh_exploration *x)
{
    s->random = rh__random_seed(rh_exploration_seed(x), 7);
    s->aim = 1;
    s->frames = rh_exploration_memory(x, MOST_FRAMES * sizeof *s->frames);
    s->children = rh_exploration_memory(x, MOST_CHILDREN * sizeof *s->children);
    s->means = rh_exploration_memory(x, MEANS * sizeof *s->means);
    return s->frames && s->children && s->means;
}

/* ---- what is expected below a child ------------------------------------------------------------------------------ */

static struct sampler_mean *mean_of(const struct sampler *s, uint64_t key)
{
    uint32_t i = (uint32_t)key & (MEANS - 1);
    while (s->means[i].key && s->means[i].key != key)
        i = (i + 1) & (MEANS - 1);
    return &s->means[i];
}

static void learn(struct sampler *s, uint64_t key, double weight, double leaves)
{
    struct sampler_mean *m = mean_of(s, key);
    if (!(weight * leaves < most) || (!m->key && s->mean_count >= MEANS / 4 * 3))
        return;
    s->mean_count += !m->key;
    m->key = key;
    m->weight += weight;
    m->leaves += weight * leaves;
}

/* What is expected counts as much as the `weight` nodes that the child stands for. */
static double expected(const struct sampler *s, uint64_t key, double weight, double otherwise)
{
    const struct sampler_mean *m = mean_of(s, key);
    if (!m->key || !(weight < most))
        return otherwise;
    return (m->leaves + weight * otherwise) / (m->weight + weight);
}

/* The newest node before `stamp` that is not canonical (revisit.c).  Most revisits of earlier events are impossible. */
static uint32_t barrier_before(const struct optimal_graph *g, uint32_t stamp)
{
    while (stamp-- > 1) {
        const struct optimal_node *x = rh__graph_node(g, stamp);
        if (x->kind == NODE_EVENT  ? x->event.revisited || !x->event.greatest
            : x->kind == NODE_FATE ? x->now.kind != FATE_NONE
                                   : x->kind == NODE_LIFE && x->now.detail)
            return stamp;
    }
    return 0;
}

/* Number of nodes that are kept if send `s` revisits event `r` (levels.c). */
static uint32_t kept_by_revisit(const struct optimal_graph *g, uint32_t s, uint32_t r)
{
    uint32_t kept = r + 2;
    for (uint32_t i = r + 1; i < s; i++)
        kept += rh__graph_in_past(g, rh__graph_node(g, i), rh__graph_node(g, s));
    return kept;
}

enum child_class { CHILD_STAYS, CHILD_GREATEST, CHILD_OTHER, CHILD_REVISIT, CHILD_FAULT };

static uint64_t key_of(const struct optimal_graph *g, enum child_class class, uint32_t nodes, uint32_t barrier)
{
    uint64_t faults = (uint64_t)g->lost << 40 | (uint64_t)g->twice << 20 | g->crashed;
    uint64_t key = rh__mix(rh__mix(faults, class), (uint64_t)nodes << 32 | barrier);
    return key ? key : 1;
}

/* Index of the option that is canonical. */
static uint32_t greatest_of(const struct optimal_graph *g, const struct optimal_option *options, uint32_t count)
{
    uint32_t greatest = 0;
    for (uint32_t i = 1; i < count; i++)
        if (rh__graph_greater(g, &options[i], &options[greatest]))
            greatest = i;
    return greatest;
}

static void find_keys(struct sampler *s, enum optimal_node_kind kind, uint32_t stamp, uint32_t options, uint32_t count,
                      struct sampler_child *stays)
{
    const struct optimal_graph *g = &s->search.graph;
    const struct optimal_option *o = &g->options[options];
    uint32_t barrier = barrier_before(g, stamp);
    uint32_t greatest = kind == NODE_EVENT ? greatest_of(g, o, count) : 0;
    stays->key = key_of(g, CHILD_STAYS, stamp + 1, barrier);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key;
        if (kind == NODE_SEND)
            key = key_of(g, CHILD_REVISIT, kept_by_revisit(g, stamp, o[i].cause), o[i].cause);
        else if (kind == NODE_EVENT)
            key = i == greatest ? key_of(g, CHILD_GREATEST, stamp + 1, barrier)
                                : key_of(g, CHILD_OTHER, stamp + 1, stamp);
        else
            key = key_of(g, CHILD_FAULT + (kind == NODE_FATE ? o[i].kind : 0), stamp + 1, stamp);
        s->children[options + i].key = key;
    }
}

/* ---- which children are taken ------------------------------------------------------------------------------------ */

/* The numbers from 0 on, shifted by a random number: a child is taken if one of them falls into its share of a line
 * of all probabilities.  So the number of children that are taken hardly varies. */
struct comb {
    double at, next;
};

static bool comb_takes(struct comb *c, double probability)
{
    if (probability >= 1)
        return true;
    c->at += probability;
    if (c->next >= c->at)
        return false;
    c->next += 1;
    return true;
}

static double uniform(struct sampler *s)
{
    return (double)(rh__random_next(&s->random) >> 11) * 0x1p-53;
}

static struct sampler_frame *top_of(const struct sampler *s)
{
    return &s->frames[s->frame_count - 1];
}

/* The children of a node: as it is, if it can stay so, and with an option instead. */
struct family {
    struct sampler_child stay, *other;
    uint32_t can_stay, count;
};

static struct sampler_child *child_of(struct family *f, uint32_t i)
{
    return i < f->can_stay ? &f->stay : &f->other[i - f->can_stay];
}

/* A child of which little is known is expected to be as large as its largest sibling.  If less were expected, it would
 * rarely be taken, and that would long remain so: the child without a crash has most of the leaves, but many nodes in
 * succession offer a crash, and the first paths end in crashes. */
static double expected_of_unknown(const struct sampler *s, struct family *f)
{
    double largest = fmax(1, top_of(s)->now.leaves / f->count);
    for (uint32_t i = 0; i < f->count; i++) {
        const struct sampler_mean *m = mean_of(s, child_of(f, i)->key);
        if (m->key && m->leaves > largest * m->weight)
            largest = m->leaves / m->weight;
    }
    return largest;
}

/* The first round takes one child.  Later rounds take none in up to half of the cases, if little is expected. */
static void find_probabilities(struct sampler *s, struct family *f, double weight)
{
    double sum = 0, all = 0, least = s->round ? 0.5 : 1, otherwise = expected_of_unknown(s, f);
    for (uint32_t i = 0; i < f->count; i++) {
        struct sampler_child *c = child_of(f, i);
        c->leaves = fmin(expected(s, c->key, weight, otherwise), most);
        c->probability = s->target <= 1 ? 1 : fmin(1, weight * c->leaves / s->target);
        sum += c->probability;
        all += c->leaves;
    }
    for (uint32_t i = 0; i < f->count && !(sum >= least); i++) {
        struct sampler_child *c = child_of(f, i);
        c->probability = all > 0 ? c->leaves / all * least : least / f->count;
    }
    for (uint32_t i = 0; i < f->count && s->whole; i++)
        s->whole = child_of(f, i)->probability >= 1;
}

static void push_frame(struct sampler *s, uint32_t node, double weight, struct sampler_child now)
{
    RH__ASSERT(s->frame_count < MOST_FRAMES, "no room for the frames of a sample");
    s->frames[s->frame_count++] = (struct sampler_frame){ .node = node, .weight = weight, .now = now };
}

static void swap_options(struct sampler *s, uint32_t a, uint32_t b)
{
    struct optimal_option *options = s->search.graph.options, o = options[a];
    struct sampler_child c = s->children[a];
    options[a] = options[b];
    s->children[a] = s->children[b];
    options[b] = o;
    s->children[b] = c;
}

uint32_t rh__sampler_draw(struct sampler *s, enum optimal_node_kind kind, uint32_t stamp, uint32_t options,
                          uint32_t count, bool *stays)
{
    const struct sampler_frame *above = top_of(s);
    double weight = above->weight / above->now.probability;
    bool can_stay = kind != NODE_EVENT;
    struct family f = { .other = &s->children[options], .can_stay = can_stay, .count = can_stay + count };
    uint32_t taken = 0;
    *stays = can_stay;
    if (f.count < 2)
        return count;
    find_keys(s, kind, stamp, options, count, &f.stay);
    find_probabilities(s, &f, weight);
    struct comb comb = { 0, uniform(s) };
    *stays = can_stay && comb_takes(&comb, f.stay.probability);
    for (uint32_t i = 0; i < count; i++)
        if (comb_takes(&comb, f.other[i].probability))
            swap_options(s, options + i, options + taken++);
    if (taken || *stays)
        push_frame(s, rh__graph_top(&s->search.graph)->first + stamp, weight, *stays ? f.stay : f.other[0]);
    return taken;
}

/* ---- what was found ---------------------------------------------------------------------------------------------- */

static void end_child(struct sampler *s, struct sampler_frame *f)
{
    f->sum += f->below / f->now.probability;
    learn(s, f->now.key, f->weight / f->now.probability, f->below);
    f->below = 0;
}

static void pop_frame(struct sampler *s)
{
    struct sampler_frame *f = top_of(s);
    end_child(s, f);
    s->frame_count--;
    top_of(s)->below += f->sum;
}

void rh__sampler_next_child(struct sampler *s, uint32_t node)
{
    const struct optimal_node *x = &s->search.graph.nodes[node];
    while (s->frame_count > 1 && top_of(s)->node > node)
        pop_frame(s);
    struct sampler_frame *f = top_of(s);
    RH__ASSERT(f->node == node && s->frame_count > 1, "node %u was not drawn", node);
    end_child(s, f);
    f->now = s->children[x->options + x->option_next];
}

void rh__sampler_add_leaf(struct sampler *s, bool counts)
{
    top_of(s)->below += counts;
    s->leaves++;
    if (++s->found < s->patience)
        return;
    s->patience *= 2; /* there is more than was expected */
    s->target = 2 * fmax(s->target, 1);
}

double rh__sampler_estimate_tour(const struct sampler *s)
{
    const struct optimal_graph *g = &s->search.graph;
    double below = 0;
    for (uint32_t i = s->frame_count; i-- > 0;) {
        const struct sampler_frame *f = &s->frames[i];
        below = f->sum + (f->below + below) / f->now.probability;
        const struct optimal_node *x = &g->nodes[f->node];
        for (uint32_t k = i ? x->option_next : x->option_end; k < x->option_end; k++)
            below += s->children[x->options + k].leaves / s->children[x->options + k].probability;
    }
    return below;
}

/* ---- tours ------------------------------------------------------------------------------------------------------- */

void rh__sampler_begin_tour(struct sampler *s)
{
    double mean = s->weights > 0 ? s->weighted / s->weights : 1;
    bool few = s->round && mean <= (double)s->leaves; /* all leaves together cost no more than the tours so far */
    s->target = few ? 1 : s->round ? mean / s->aim : INFINITY;
    s->found = 0;
    s->patience = (few ? 2 * s->leaves : (uint64_t)fmin(4 * s->aim, 1e15)) + 16;
    s->whole = true;
    s->frame_count = 0;
    push_frame(s, 0, 1, (struct sampler_child){ .key = 1, .probability = 1, .leaves = fmax(mean, 1) });
}

void rh__sampler_end_tour(struct sampler *s)
{
    while (s->frame_count > 1)
        pop_frame(s);
    double estimate = top_of(s)->below, square = s->aim * s->aim;
    s->frame_count = 0;
    s->exact = s->whole;
    s->exactly = estimate;
    s->count++;
    s->weights += s->aim;
    s->weighted += s->aim * estimate;
    s->squares[0] += square;
    s->squares[1] += square * estimate;
    s->squares[2] += square * estimate * estimate;
    if (++s->tours < TOURS)
        return;
    s->tours = 0;
    s->round++;
    s->aim *= 2;
}
