/* Graphs as items of work: the untried part of a search as bytes, with which another process of the same program
 * continues.
 *
 * An item contains decisions only: for each level the nodes in the order in which they were added (which event took
 * what), the order of the steps, and the untried options.  Positions, rows, message types and stances are computed
 * again when the steps are made.  Until then a decoded level is bare.  Graphs share nothing [TruSt 2022], so an item
 * needs no other one.
 *
 *     item:  version, number of levels, whether the last level goes on after a step that failed
 *     level: weight, base, nodes, steps
 *     node:  kind, its decision, number of options, which of them are untried, the options with their orders of steps
 *            and sets
 *
 * Invariants:
 *   - An item may be any bytes.  What is decoded has stamps that point to nodes of the right kind (is_sound), and all
 *     else is compared with what the program does: each event has its actor among the open choices, is made once, and
 *     sends as much as before (`promised`).  A difference means that the program diverged, never an internal error.
 *   - The nodes of a bare level have no actor (RH_NONE) until their step is made.  A level is filled when none is left.
 *   - Encoding removes exactly what it writes: the untried options of an item are tried by its receiver alone. */
#include "base/bytes.h"
#include "base/fail.h"
#include "explore/optimal/graph.h"

enum { ITEM_VERSION = 0x0f, MOST_IN_LEVEL = 1 << 20 };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_option(struct rh__writer *to, const struct optimal_option *o)
{
    rh__put_small(to, o->kind);
    rh__put_small(to, (uint32_t)(o->cause + 1));
    rh__put_small(to, o->detail);
}

static void put_order(struct rh__writer *to, const struct optimal_graph *g, uint32_t order)
{
    uint32_t steps = order ? g->orders[order - 1] : 0;
    rh__put_small(to, steps);
    for (uint32_t i = 0; i < steps; i++)
        rh__put_small(to, g->orders[order + i]);
}

/* A change by a step that fails: nobody makes the step again to see what it does. */
static bool changes_unmade(const struct optimal_node *x)
{
    return x->event.failed && x->event.wrote;
}

static void put_node(struct rh__writer *to, const struct optimal_graph *g, const struct optimal_node *x)
{
    rh__put_small(to, x->kind);
    switch ((enum optimal_node_kind)x->kind) {
    case NODE_EVENT:
        rh__put64(to, x->actor == RH_NONE ? x->event.serial : g->identity[x->actor]);
        put_option(to, &x->now);
        rh__put_small(to, (uint64_t)x->event.greatest | (uint64_t)x->event.revisited << 1 |
                              (uint64_t)x->event.failed << 2 | (uint64_t)changes_unmade(x) << 3 |
                              (uint64_t)x->event.counts << 4);
        if (changes_unmade(x)) {
            rh__put64(to, x->event.key);
            rh__put64(to, x->event.value);
        }
        rh__put_small(to, x->event.set);
        if (x->event.set)
            rh__put_small(to, x->event.part);
        if (x->event.sends == RH_NONE)
            rh__put_small(to, x->actor == RH_NONE ? x->event.promised : 0);
        else
            rh__put_small(to, 1 + (uint64_t)x->event.sends * 2 + x->event.asks);
        break;
    case NODE_SEND:
        rh__put_small(to, x->of);
        rh__put_small(to, (uint64_t)x->send.ordinal * 4 + x->send.notice * 2u + x->send.copy);
        if (x->send.notice)
            rh__put64(to, x->actor == RH_NONE ? x->now.detail : g->identity[x->actor]);
        break;
    case NODE_FATE:
        rh__put_small(to, x->of);
        rh__put_small(to, x->fate.ordinal);
        rh__put_small(to, x->now.kind);
        break;
    case NODE_LIFE:
        rh__put64(to, x->actor == RH_NONE ? x->fate.serial : g->identity[x->actor]);
        rh__put_small(to, x->position);
        put_option(to, &x->now);
        break;
    }
}

static void put_options(struct rh__writer *to, const struct optimal_graph *g, const struct optimal_node *x,
                        uint32_t next, uint32_t end)
{
    bool some = next < end;
    rh__put_small(to, some ? x->option_count : 0);
    if (!some)
        return;
    rh__put_small(to, next);
    rh__put_small(to, end);
    for (uint32_t i = 0; i < x->option_count; i++) {
        put_option(to, &g->options[x->options + i]);
        put_order(to, g, g->options[x->options + i].order);
        put_order(to, g, g->options[x->options + i].set);
    }
}

/* Writes the nodes up to `last`.  The step of `last` is not written: another option takes its place.  With `from`
 * RH_NONE all untried options are written, otherwise those of `last` alone, from option `from` on. */
static void put_level(struct rh__writer *to, const struct optimal_graph *g, uint32_t level, uint32_t last,
                      uint32_t from, bool goes_on)
{
    const struct optimal_level *l = &g->levels[level];
    const struct optimal_node *nodes = &g->nodes[l->first];
    uint32_t steps = 0;
    bool without = !goes_on; /* the step of `last` */
    rh__put_double(to, l->weight);
    rh__put_small(to, l->base);
    rh__put_small(to, last + 1);
    for (uint32_t i = 0; i <= last; i++) {
        const struct optimal_node *x = &nodes[i];
        struct optimal_node none = *x;
        none.now.kind = FATE_NONE;
        put_node(to, g, x->kind == NODE_FATE && i == last && without ? &none : x);
        /* The weight of a subtree depends on the number of options of each node above it. */
        rh__put_small(to, i >= l->base ? x->option_count : 0);
        if (from == RH_NONE)
            put_options(to, g, x, i >= l->base ? x->option_next : 0, i >= l->base ? x->option_end : 0);
        else
            put_options(to, g, x, from, i == last ? x->option_end : 0);
    }
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            rh__put_small(to, steps);
        for (uint32_t i = 0; i < l->steps; i++) {
            uint32_t node = g->run[l->first_step + i].node;
            if (node > last || (node == last && without))
                continue;
            if (pass)
                rh__put_small(to, node);
            else
                steps++;
        }
    }
}

static uint32_t last_untried(const struct optimal_graph *g, uint32_t level)
{
    const struct optimal_level *l = &g->levels[level];
    for (uint32_t i = l->count; i-- > l->base;)
        if (g->nodes[l->first + i].option_next < g->nodes[l->first + i].option_end)
            return i;
    return RH_NONE;
}

static size_t pack_half(struct optimal_graph *g, struct rh__writer *to)
{
    struct optimal_node *lowest = NULL;
    uint32_t level = 0, stamp = 0, all = 0;
    for (uint32_t l = 0; l < g->level_count; l++)
        for (uint32_t i = g->levels[l].base; i < g->levels[l].count; i++) {
            struct optimal_node *x = &g->nodes[g->levels[l].first + i];
            all += x->option_end - x->option_next;
            if (!lowest && x->option_next < x->option_end) {
                lowest = x;
                level = l;
                stamp = i;
            }
        }
    if (all < 2)
        return 0;
    uint32_t middle = lowest->option_next + (lowest->option_end - lowest->option_next) / 2;
    rh__put_small(to, 1);
    rh__put_small(to, false);
    put_level(to, g, level, stamp, middle, false);
    if (to->full)
        return 0;
    lowest->option_end = middle;
    return to->len;
}

size_t rh__graph_pack(struct optimal_graph *g, void *buffer, size_t room, bool half, bool goes_on)
{
    struct rh__writer to = rh__writer_of(buffer, room);
    uint32_t levels = 0;
    rh__put_small(&to, ITEM_VERSION);
    for (uint32_t l = 0; l < g->level_count; l++)
        if (g->levels[l].bare && half)
            return 0; /* a bare level cannot be split */
    if (half)
        return goes_on ? 0 : pack_half(g, &to);
    for (uint32_t l = 0; l < g->level_count; l++)
        levels += last_untried(g, l) != RH_NONE || (goes_on && l + 1 == g->level_count);
    if (!levels)
        return 0;
    rh__put_small(&to, levels);
    rh__put_small(&to, goes_on);
    for (uint32_t l = 0; l < g->level_count; l++) {
        bool on = goes_on && l + 1 == g->level_count;
        uint32_t last = on ? g->levels[l].count - 1 : last_untried(g, l);
        if (last != RH_NONE)
            put_level(&to, g, l, last, RH_NONE, on);
    }
    if (to.full)
        return 0;
    rh__graph_set_levels(g, 0);
    return to.len;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static uint32_t get_up_to(struct rh__reader *r, uint64_t most)
{
    uint64_t value = rh__get_small(r);
    if (value > most)
        r->bad = true;
    return r->bad ? 0 : (uint32_t)value;
}

static struct optimal_option get_option(struct rh__reader *r, uint32_t nodes)
{
    struct optimal_option o = { .kind = get_up_to(r, RH_CHOICE_END) };
    o.cause = get_up_to(r, nodes) - 1;
    o.detail = rh__get_small(r);
    return o;
}

/* An order has each step at most once.  If it is not an order of the right steps, the program will seem to diverge. */
static uint32_t get_order(struct optimal_graph *g, struct rh__reader *r, uint32_t nodes)
{
    uint32_t at = g->order_top, steps = get_up_to(r, r->left < nodes ? r->left : nodes);
    if (!steps)
        return 0;
    memset(g->map, 0, nodes * sizeof *g->map);
    for (uint32_t i = 0; i < steps && !r->bad; i++) {
        uint32_t stamp = get_up_to(r, nodes - 1);
        if (g->map[stamp]++)
            r->bad = true;
        g->orders[at + 1 + i] = stamp;
    }
    g->orders[at] = steps;
    g->order_top += 1 + steps;
    return at + 1;
}

static void get_node(struct optimal_graph *g, struct rh__reader *r, struct optimal_node *x, uint32_t stamp,
                     uint32_t count)
{
    memset(x, 0, sizeof *x);
    x->kind = get_up_to(r, NODE_LIFE);
    x->of = x->now.cause = RH_NONE;
    x->actor = RH_NONE; /* bare */
    switch ((enum optimal_node_kind)x->kind) {
    case NODE_EVENT: {
        uint64_t identity = rh__get64(r);
        x->now = get_option(r, count);
        uint32_t flags = get_up_to(r, 31);
        x->event.serial = identity; /* until the node is filled */
        x->event.greatest = flags & 1;
        x->event.revisited = flags & 2;
        x->event.failed = flags & 4;
        x->event.wrote = flags & 8;
        x->event.counts = flags & 16;
        if (x->event.wrote) {
            x->event.key = rh__get64(r);
            x->event.value = rh__get64(r);
        }
        x->event.set = get_up_to(r, count);
        x->event.part = x->event.set ? get_up_to(r, x->event.set - 1) : 0;
        x->event.promised = get_up_to(r, UINT32_MAX - 1);
        x->event.sends = x->event.last_of = RH_NONE;
        x->event.birth = RH_NONE;
        break;
    }
    case NODE_SEND: {
        x->of = get_up_to(r, stamp ? stamp - 1 : 0);
        uint32_t ordinal = get_up_to(r, UINT32_MAX - 1);
        x->send.ordinal = ordinal / 4;
        x->send.notice = ordinal & 2;
        x->send.copy = ordinal & 1 && !x->send.notice;
        if (x->send.notice) /* of its receiver, until the node is filled */
            x->now.detail = rh__get64(r);
        x->send.taken = RH_NONE;
        break;
    }
    case NODE_FATE:
        x->of = get_up_to(r, stamp ? stamp - 1 : 0);
        x->fate.ordinal = get_up_to(r, UINT32_MAX / 8);
        x->now.kind = get_up_to(r, FATE_TWICE);
        break;
    case NODE_LIFE:
        x->fate.serial = rh__get64(r);
        x->position = get_up_to(r, UINT32_MAX - 1);
        x->now = get_option(r, count);
        break;
    }
    x->option_count = get_up_to(r, MOST_IN_LEVEL);
    x->options_before = x->options = g->option_top;
    x->orders_before = x->orders_end = g->order_top;
    uint32_t options = get_up_to(r, r->left);
    if (!options)
        return;
    if (options != x->option_count)
        r->bad = true;
    x->option_next = get_up_to(r, options);
    x->option_end = get_up_to(r, options);
    for (uint32_t i = 0; i < options && !r->bad; i++) {
        struct optimal_option *o = &g->options[g->option_top++];
        *o = get_option(r, count);
        o->order = get_order(g, r, count);
        o->set = get_order(g, r, count);
    }
    x->orders_end = g->order_top;
}

/* Whether an event may take this: a send, or, if it goes on with an operation, find a change. */
static bool is_cause(const struct optimal_node *nodes, const struct optimal_option *o)
{
    if (o->cause == RH_NONE)
        return o->kind != RH_CHOICE_DELIVER;
    return nodes[o->cause].kind == NODE_SEND || (nodes[o->cause].kind == NODE_EVENT && o->kind == RH_CHOICE_RESUME);
}

/* Whether the node stands behind the other events of its unit.  The last node of the list may be a unit's first one
 * without the rest: another set takes its place. */
static bool is_in_unit(const struct optimal_node *nodes, uint32_t stamp, uint32_t count)
{
    const struct optimal_node *x = &nodes[stamp], *before = stamp ? x - 1 : NULL;
    if (x->event.part && (!before || before->kind != NODE_EVENT || before->event.set != x->event.set ||
                          before->event.part + 1 != x->event.part || before->event.serial != x->event.serial))
        return false;
    bool ends = !x->event.set || x->event.part + 1 == x->event.set || (stamp + 1 == count && !x->event.part);
    return ends || (stamp + 1 < count && nodes[stamp + 1].kind == NODE_EVENT &&
                    nodes[stamp + 1].event.part == x->event.part + 1);
}

static bool is_set(const struct optimal_graph *g, const struct optimal_node *nodes, uint32_t set)
{
    for (uint32_t i = 0; set && i < rh__graph_set_size(g, set); i++)
        if (nodes[rh__graph_set(g, set)[i]].kind != NODE_SEND)
            return false;
    return true;
}

/* Whether all stamps point to nodes of the right kind. */
static bool is_sound(const struct optimal_graph *g, const struct optimal_level *l)
{
    const struct optimal_node *nodes = &g->nodes[l->first];
    for (uint32_t i = 0; i < l->count; i++) {
        const struct optimal_node *x = &nodes[i];
        bool sent = x->kind == NODE_SEND || x->kind == NODE_FATE;
        if ((sent && nodes[x->of].kind != NODE_EVENT) || x->option_end < x->option_next)
            return false;
        if (x->kind == NODE_EVENT && (!is_in_unit(nodes, i, l->count) || (x->event.set && x->now.cause == RH_NONE)))
            return false;
        if (x->kind == NODE_EVENT && (!is_cause(nodes, &x->now) || (x->event.wrote && !x->event.failed)))
            return false;
        for (uint32_t k = x->option_next; k < x->option_end; k++) {
            const struct optimal_option *o = &g->options[x->options + k];
            if (!is_set(g, nodes, o->set))
                return false;
            if (x->kind == NODE_SEND && (o->cause == RH_NONE || nodes[o->cause].kind != NODE_EVENT || !o->cause))
                return false;
            if (x->kind == NODE_EVENT && !is_cause(nodes, o))
                return false;
        }
    }
    return l->count && nodes[0].kind == NODE_EVENT && nodes[0].now.kind == RH_CHOICE_BEGIN && l->base >= 1 &&
           l->base <= l->count && l->steps && g->run[l->first_step].node == 0;
}

static bool get_level(struct optimal_graph *g, struct rh__reader *r)
{
    struct optimal_level *l = &g->levels[g->level_count];
    *l = (struct optimal_level){ .first = g->node_top,
                                 .first_step = g->run_top,
                                 .option_top = g->option_top,
                                 .order_top = g->order_top,
                                 .bare = true };
    l->weight = rh__get_double(r);
    l->base = get_up_to(r, MOST_IN_LEVEL);
    uint32_t count = get_up_to(r, r->left < MOST_IN_LEVEL ? r->left : MOST_IN_LEVEL);
    for (uint32_t i = 0; i < count && !r->bad; i++)
        get_node(g, r, &g->nodes[g->node_top++], i, count);
    l->count = count;
    uint32_t steps = get_up_to(r, r->left);
    for (uint32_t i = 0; i < steps && !r->bad; i++) {
        uint32_t node = get_up_to(r, count ? count - 1 : 0);
        uint32_t kind = g->nodes[l->first + node].kind;
        if (kind != NODE_EVENT && kind != NODE_FATE)
            r->bad = true;
        g->run[g->run_top++] = (struct optimal_step){ node, ++g->next_serial };
    }
    l->steps = steps;
    if (r->bad || !(l->weight >= 0 && l->weight <= 1) || !is_sound(g, l))
        return false;
    rh__graph_set_levels(g, g->level_count + 1);
    return true;
}

bool rh__graph_unpack(struct optimal_graph *g, const void *item, size_t size, bool *goes_on)
{
    struct rh__reader r = rh__reader_of(item, size);
    uint32_t version = get_up_to(&r, UINT32_MAX - 1), levels = get_up_to(&r, GRAPH_LEVELS / 2);
    *goes_on = get_up_to(&r, 1);
    rh__graph_set_levels(g, 0);
    g->node_top = g->run_top = g->row_top = g->option_top = g->stance_top = g->image_top = g->order_top = 0;
    g->made_count = g->absorbed = g->todo_count = 0;
    if (r.bad || version != ITEM_VERSION || !levels)
        return false;
    for (uint32_t i = 0; i < levels; i++)
        if (!get_level(g, &r)) {
            rh__graph_set_levels(g, 0);
            return false;
        }
    bool good = rh__reader_done(&r);
    for (uint32_t i = 0; i < levels; i++) /* a level without untried options is not written, unless it goes on */
        good = good && (last_untried(g, i) != RH_NONE || (*goes_on && i + 1 == levels));
    rh__graph_set_levels(g, good ? levels : 0);
    return good;
}

/* ---- filling ----------------------------------------------------------------------------------------------------- */

static void begin_filling(struct optimal_graph *g)
{
    for (uint32_t p = 0; p < g->places; p++)
        g->birth[p] = RH_NONE;
    rh__graph_begin_places(g);
    g->by_receiver = g->seen->delivery->by_receiver;
    uint32_t test = rh__graph_place(g, rh__run_actor(g->seen, 0)->identity);
    g->place_of_actor[0] = test;
    g->actor_of[test] = 0;
}

/* Whether the stamp is a version of the object. */
static bool is_version(const struct optimal_graph *g, uint32_t stamp, uint32_t object)
{
    const struct optimal_node *v = rh__graph_node(g, stamp);
    return !stamp || (v->kind == NODE_EVENT && v->actor != RH_NONE && v->event.finds && v->event.place == object &&
                      v->event.wrote);
}

/* Whether the options of an operation are versions of its object, and operations on it. */
static bool finds_versions(const struct optimal_graph *g, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(g, stamp);
    for (uint32_t i = x->option_next; i < x->option_end; i++) {
        const struct optimal_option *o = &g->options[x->options + i];
        const struct optimal_node *r = o->detail < stamp ? rh__graph_node(g, (uint32_t)o->detail) : NULL;
        if (!is_version(g, o->cause, x->event.place) || !r ||
            (o->detail && !(r->kind == NODE_EVENT && r->event.finds && r->event.place == x->event.place)))
            return false;
    }
    return true;
}

/* Whether the sets among the options of an event, or of a send for events, have as many sends as these wait for. */
static bool has_sets(const struct optimal_graph *g, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(g, stamp);
    for (uint32_t i = x->option_next; i < x->option_end; i++) {
        const struct optimal_option *o = &g->options[x->options + i];
        const struct optimal_node *takes = x->kind == NODE_SEND ? rh__graph_node(g, o->cause) : x;
        uint32_t size = o->set ? rh__graph_set_size(g, o->set) : 0;
        if (size && (takes->kind != NODE_EVENT || takes->event.part || rh__graph_awaited(g, takes) != size))
            return false;
        for (uint32_t k = 0; k < size; k++)
            if (rh__graph_node(g, rh__graph_set(g, o->set)[k])->send.to != takes->event.place)
                return false;
        if (x->kind == NODE_SEND && takes->event.part)
            return false;
    }
    return true;
}

static bool fill_event(struct optimal_graph *g, const struct rh_world *w, uint32_t stamp)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    uint32_t actor = g->actor_of[x->actor];
    const struct rh__run_actor *a = rh__run_actor(g->seen, actor);
    bool resumes =
        (x->now.kind == RH_CHOICE_RESUME && a->object) || (x->now.kind == RH_CHOICE_RESTART && rh__graph_asks(g, a));
    x->event.place = resumes                   ? rh__graph_place(g, a->object)
                     : actor == g->seen->clock ? rh__graph_place(g, rh__object(RH__OBJECT_CLOCK, 0))
                                               : x->actor;
    x->event.finds = resumes && rh__graph_operation(g, a);
    x->event.watches = rh__graph_watches(g, x);
    if (resumes && x->now.cause == RH_NONE)
        return false;
    if (x->now.cause != RH_NONE && (x->event.finds ? !is_version(g, x->now.cause, x->event.place)
                                                   : rh__graph_node(g, x->now.cause)->kind != NODE_SEND))
        return false;
    x->position = rh__graph_next_position(g, x->actor);
    x->event.birth = stamp ? g->birth[x->actor] : RH_NONE;
    x->event.born_at = g->born_at[x->actor];
    x->event.stance_is_current = true;
    if (x->event.part)
        x->event.stance = rh__graph_node(g, stamp - x->event.part)->event.stance;
    else if (x->event.place == x->actor && stamp)
        x->event.stance = rh__graph_read_stance(g, w, actor);
    if (x->event.set && rh__graph_awaited(g, x) != x->event.set)
        return false;
    rh__graph_link_event(g, stamp);
    rh__graph_set_row(g, x);
    return true;
}

/* Finds the actor of the step among the open choices. */
static bool find_actor(struct optimal_graph *g, struct optimal_node *x, const struct rh_choice *open, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (open[i].actor != RH_NONE && rh__run_actor(g->seen, open[i].actor)->identity == x->event.serial) {
            x->actor = rh__graph_place(g, x->event.serial);
            return g->actor_of[x->actor] == open[i].actor;
        }
    return false;
}

bool rh__graph_fill_before(struct optimal_graph *g, const struct rh_world *w, uint32_t stamp,
                           const struct rh_choice *open, uint32_t count)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    if (x->kind == NODE_FATE)
        return x->actor != RH_NONE;
    if (x->actor != RH_NONE)
        return false; /* the item has the step twice */
    if (!find_actor(g, x, open, count) ||
        (x->now.cause != RH_NONE && rh__graph_node(g, x->now.cause)->actor == RH_NONE))
        return false;
    return fill_event(g, w, stamp);
}

/* Fills the sends of an event: the second copy that `fate` makes; if `fate` is RH_NONE, all but second copies. */
static void fill_sends(struct optimal_graph *g, uint32_t event, uint32_t fate)
{
    const struct optimal_node *of = rh__graph_node(g, event);
    bool copies = fate != RH_NONE;
    uint32_t ordinal = copies ? rh__graph_node(g, fate)->fate.ordinal : 0;
    for (uint32_t i = 0; i < rh__graph_top(g)->count; i++) {
        struct optimal_node *x = rh__graph_node(g, i);
        bool due = x->of == event && x->actor == RH_NONE &&
                   ((x->kind == NODE_FATE && !copies) ||
                    (x->kind == NODE_SEND && x->send.copy == copies && (!copies || x->send.ordinal == ordinal)));
        if (!due)
            continue;
        uint32_t which = x->kind == NODE_FATE ? x->fate.ordinal : x->send.ordinal;
        bool notice = rh__graph_is_notice(x);
        uint32_t to = notice ? rh__graph_place_told(g, event, x->now.detail) : RH_NONE;
        if (notice ? to == RH_NONE : which >= of->event.sends + of->event.asks)
            continue; /* stays without an actor: the level will not be filled */
        if (notice) {
            rh__graph_enter_notice(g, x, to);
        } else {
            x->actor = of->actor;
            x->position = of->position + (x->kind == NODE_FATE ? 1 : 2 + x->send.copy) + 4 * which;
        }
        *(x->kind == NODE_FATE ? &x->fate.next_of : &x->send.next_of) = of->event.last_of;
        rh__graph_node(g, event)->event.last_of = i;
        if (x->kind == NODE_FATE)
            continue;
        x->send.fate = fate;
        rh__graph_describe(g, x);
        if (x->send.type)
            g->send_of_message[rh__graph_message(g, x)] = i;
    }
}

void rh__graph_fill_beginning(struct optimal_graph *g, const struct rh_world *w)
{
    struct optimal_node *x = rh__graph_node(g, 0);
    begin_filling(g);
    x->actor = g->place_of_actor[0];
    fill_event(g, w, 0);
}

void rh__graph_fill_after(struct optimal_graph *g, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(g, stamp);
    if (x->kind == NODE_EVENT)
        fill_sends(g, stamp, RH_NONE);
    else
        fill_sends(g, x->of, stamp);
}

/* Fills nodes without a step: lives, events that fail, and the last node, whose step was not written. */
static bool fill_rest(struct optimal_graph *g, const struct rh_world *w)
{
    const struct optimal_level *l = rh__graph_top(g);
    for (uint32_t i = 0; i < l->count; i++) {
        struct optimal_node *x = rh__graph_node(g, i);
        if (x->actor != RH_NONE)
            continue;
        if (x->kind == NODE_LIFE) {
            x->actor = rh__graph_place(g, x->fate.serial);
            x->event.birth = g->birth[x->actor];
            x->event.born_at = g->born_at[x->actor];
        } else if (x->kind == NODE_EVENT && (x->event.failed || i + 1 == l->count)) {
            x->actor = rh__graph_place(g, x->event.serial);
            if (g->birth[x->actor] == RH_NONE && x->actor != g->place_of_actor[0])
                return false;
            if (!fill_event(g, w, i))
                return false;
            if (x->event.failed)
                x->event.sends = 0;
        } else {
            return false;
        }
    }
    return true;
}

/* Nodes were filled in the order of their steps and are removed in the order of the list.  So the rows and stances of
 * a node may be above those of a later node on the stacks.  All of them stay as long as the level. */
static void keep_filled(struct optimal_graph *g)
{
    for (uint32_t i = 0; i < rh__graph_top(g)->count; i++) {
        struct optimal_node *x = rh__graph_node(g, i);
        x->rows_before = g->row_top;
        x->stances_before = g->stance_top;
        x->images_before = g->image_top;
    }
}

bool rh__graph_filled(struct optimal_graph *g, const struct rh_world *w)
{
    struct optimal_level *l = rh__graph_top(g);
    uint32_t last = l->count - 1;
    if (!fill_rest(g, w))
        return false;
    for (uint32_t i = 0; i < l->count; i++)
        if ((rh__graph_node(g, i)->kind == NODE_EVENT && rh__graph_node(g, i)->event.finds && !finds_versions(g, i)) ||
            (rh__graph_node(g, i)->kind <= NODE_SEND && !has_sets(g, i)))
            return false;
    bool made = rh__graph_node(g, last)->kind != NODE_EVENT || rh__graph_node(g, last)->event.failed;
    for (uint32_t i = 0; i < l->steps && !made; i++)
        made = g->run[l->first_step + i].node == last;
    if (!made) { /* an option will replace it, like any other step */
        g->run[g->run_top++] = (struct optimal_step){ last, ++g->next_serial };
        l->steps++;
    }
    for (uint32_t i = 0; i < l->steps; i++) {
        struct optimal_node *x = rh__graph_node(g, g->run[l->first_step + i].node);
        if (x->kind == NODE_FATE)
            x->fate.serial = g->run[l->first_step + i].serial;
        if (x->kind != NODE_EVENT)
            continue;
        x->event.serial = g->run[l->first_step + i].serial;
        if (x->event.promised && x->event.sends != RH_NONE &&
            x->event.promised - 1 != x->event.sends * 2 + x->event.asks)
            return false; /* the program diverged */
    }
    l->bare = false;
    keep_filled(g);
    rh__graph_rebuild(g);
    g->absorbed = 0;
    if (RH__IS_HOSTILE)
        rh__graph_check(g);
    return true;
}
