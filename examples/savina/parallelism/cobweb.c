/* Unbalanced cobwebbed tree: a tree whose shape depends on a hash of the way from its root.  Every node is an actor
 * that starts its children; a gardener must find out when the tree is complete.
 *
 * Invariant: the gardener hears of as many nodes as a recursive function counts, and of the same sum of values.
 * Without bugs a node reports to its parent when all its children have reported.  The bugs count births and ends, and
 * take the tree for complete when the numbers are equal.
 * Bug own_birth: a node announces its own birth.  Its parent's end may be announced sooner.
 * Bug births: a node announces the births of its children, before its own end.  That looks like a fix, but the end of
 * a child may be announced sooner than its birth: the messages come from different senders. */
#include "../savina.h"

enum { MOST_DEPTH = 10, MOST_CHILDREN = 4 };

RH_MESSAGE(grow_tree, int depth; int children; uint32_t seed;);
RH_MESSAGE(tree_grown, int nodes; uint32_t sum; bool refused;);
RH_MESSAGE(grow, int depth; int children; uint32_t way;);
RH_MESSAGE(grown, int nodes; uint32_t sum;); /* to the parent: this part of the tree is complete */
/* With the bugs. */
RH_MESSAGE(born, int nodes;);
RH_MESSAGE(done, uint32_t value;);
enum way_to_count { BY_PARENTS, BY_OWN_BIRTH, BY_BIRTHS };

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    return x ^ x >> 15;
}
/* A node of this depth has between none and `most` children, the root has all of them. */
static int children_of(uint32_t way, int depth, int most, bool is_root)
{
    return depth == 0 ? 0 : is_root ? most : (int)(mix(way) % (uint32_t)(most + 1));
}
static uint32_t way_of(uint32_t way, int child)
{
    return mix(way + 0x9e3779b9u * (uint32_t)(child + 1));
}
static int count_nodes(uint32_t way, int depth, int most, bool is_root, uint32_t *sum)
{
    int nodes = 1;
    *sum += way % 1000;
    for (int i = children_of(way, depth, most, is_root) - 1; i >= 0; i--)
        nodes += count_nodes(way_of(way, i), depth - 1, most, false, sum);
    return nodes;
}

/* ---- node -------------------------------------------------------------------------------------------------------- */
RH_ACTOR(node, rh_ref gardener; rh_ref parent; bool is_root; int missing; int nodes; uint32_t sum;
         enum way_to_count counts;);

static void report_if_complete(const struct node *state)
{
    if (state->missing > 0)
        return;
    rh_send(state->parent, grown, .nodes = state->nodes, .sum = state->sum);
    rh_stop();
}
RH_HANDLER(node, grow)
{
    int n = children_of(msg->way, msg->depth, msg->children, state->is_root);
    state->missing = n;
    state->nodes = 1;
    state->sum = msg->way % 1000;
    if (state->counts == BY_OWN_BIRTH)
        rh_send(state->gardener, born, .nodes = 1);
    else if (state->counts == BY_BIRTHS && n > 0)
        rh_send(state->gardener, born, .nodes = n);
    for (int i = 0; i < n; i++)
        rh_send(rh_spawn(node, .gardener = state->gardener, .parent = self, .counts = state->counts), grow,
                .depth = msg->depth - 1, .children = msg->children, .way = way_of(msg->way, i));
    if (state->counts == BY_PARENTS) {
        report_if_complete(state);
    } else {
        rh_send(state->gardener, done, .value = state->sum);
        rh_stop();
    }
}
RH_HANDLER(node, grown)
{
    rh_assert(state->missing > 0, "more children than were started");
    state->missing--;
    state->nodes += msg->nodes;
    state->sum += msg->sum;
    report_if_complete(state);
}
RH_BEHAVIOUR(node, growing, grow, grown);

/* ---- gardener ---------------------------------------------------------------------------------------------------- */
RH_ACTOR(gardener, struct rh_request client; int depth; int children; uint32_t seed; int born; int done; uint32_t sum;
         enum way_to_count counts;);
RH_HANDLER(gardener, grow_tree)
{
    if (msg->depth < 0 || msg->depth > MOST_DEPTH || msg->children < 0 || msg->children > MOST_CHILDREN) {
        rh_reply(tree_grown, .refused = true);
        return;
    }
    *state = (struct gardener){ .depth = msg->depth,
                                .children = msg->children,
                                .seed = msg->seed,
                                .born = state->counts == BY_BIRTHS,
                                .counts = state->counts };
    state->client = rh_keep_request();
    rh_send(rh_spawn(node, .gardener = self, .parent = self, .is_root = true, .counts = state->counts), grow,
            .depth = msg->depth, .children = msg->children, .way = msg->seed);
    rh_become(gardener, waiting);
}
static void finish(const struct gardener *state, int nodes, uint32_t sum)
{
    uint32_t expected_sum = 0;
    int expected = count_nodes(state->seed, state->depth, state->children, true, &expected_sum);
    rh_assert(nodes == expected && sum == expected_sum, "%d nodes instead of %d", nodes, expected);
    rh_reply_to(state->client, tree_grown, .nodes = nodes, .sum = sum);
    rh_become(gardener, ready);
}
RH_HANDLER(gardener, grown)
{
    finish(state, msg->nodes, msg->sum);
}
RH_HANDLER(gardener, born)
{
    state->born += msg->nodes;
}
RH_HANDLER(gardener, done)
{
    state->sum += msg->value;
    if (++state->done == state->born)
        finish(state, state->done, state->sum);
}
RH_HANDLER(gardener, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(gardener, ready, grow_tree, stop);
RH_BEHAVIOUR(gardener, waiting, grown, born, done, RH_DEFER(grow_tree), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int depth; int children; uint32_t seed; enum way_to_count counts;);
RH_BODY(driver)
{
    rh_ref g = rh_spawn(gardener, .counts = state->counts);
    const struct tree_grown *r =
        rh_ask(g, grow_tree, tree_grown, .depth = state->depth, .children = state->children, .seed = state->seed);
    rh_assert(!r->refused);
    rh_log("cobweb: %d nodes", r->nodes);
    rh_send(g, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .depth = 8, .children = MOST_CHILDREN, .seed = 1)
#else
RH_PARAM(depth, "3", "how deep the tree is");
RH_PARAM(children, "2", "how many children a node has at most");
RH_PARAM(seed, "1", "of the shape");
RH_BUG(own_birth, "a node announces its own birth, and its end");
RH_BUG(births, "a node announces the births of its children, and its end");

static enum way_to_count way_to_count(void)
{
    return rh_bug("own_birth") ? BY_OWN_BIRTH : rh_bug("births") ? BY_BIRTHS : BY_PARENTS;
}

RH_TEST(the_tree_is_complete)
{
    rh_spawn(driver, .depth = (int)rh_param("depth", 3), .children = (int)rh_param("children", 2),
             .seed = (uint32_t)rh_param("seed", 1), .counts = way_to_count());
}

static bool is_small(const struct grow_tree *m)
{
    return m->depth <= 3 && m->children <= 2;
}
RH_TEST(anybody_may_plant, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(gardener, .counts = way_to_count()), grow_tree, .when = is_small);
}

RH_MAIN()
#endif
