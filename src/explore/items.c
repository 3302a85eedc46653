/* Graphs as items of work: what is untried of a search, as bytes that another process of the same program can go on with.
 *
 * An item holds decisions only: for each level the list (which event took what, in which order the nodes were added), the order
 * of the steps, and the options that are untried.  Everything else, types, pasts, who waits for what, is found again when the
 * steps are made: a level that comes from an item is bare until then.  An item may be any bytes; one that does not fit what the
 * program does is noticed on the way.
 *
 *     version, how many levels, whether the last goes on
 *     level: weight, base, nodes, steps
 *     node:  kind, then what it is; how many options, which are untried, each of them */
#include "base/bytes.h"
#include "explore/graph.h"
#include "world/objects.h"

enum { ITEM_VERSION = 0x0a, MOST_IN_LEVEL = 1 << 20 };

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

static void put_option(struct rh__writer *to, const struct option *o)
{
    rh__put_small(to, o->kind);
    rh__put_small(to, (uint32_t)(o->cause + 1));
    rh__put_small(to, o->detail);
}

static void put_node(struct rh__writer *to, const struct graph *g, const struct node *x)
{
    rh__put_small(to, x->kind);
    switch ((enum node_kind)x->kind) {
    case NODE_EVENT:
        rh__put64(to, x->actor == RH_NONE ? x->event.serial : g->identity[x->actor]);
        put_option(to, &x->now);
        rh__put_small(to,
                      (uint64_t)x->event.greatest | (uint64_t)x->event.changed << 1 | (uint64_t)x->event.failed << 2);
        if (x->event.sends == RH_NONE)
            rh__put_small(to, x->actor == RH_NONE ? x->event.promised : 0);
        else
            rh__put_small(to, 1 + (uint64_t)x->event.sends * 2 + x->event.asks);
        break;
    case NODE_SEND:
        rh__put_small(to, x->of);
        rh__put_small(to, (uint64_t)x->send.ordinal * 2 + x->send.copy);
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

static void put_options(struct rh__writer *to, const struct graph *g, const struct node *x, uint32_t next, uint32_t end)
{
    bool some = next < end;
    rh__put_small(to, some ? x->option_count : 0);
    if (!some)
        return;
    rh__put_small(to, next);
    rh__put_small(to, end);
    for (uint32_t i = 0; i < x->option_count; i++)
        put_option(to, &g->options[x->options + i]);
}

/* The list up to node `last`, whose own step is not made again: another option takes its place.  `from` RH_NONE: with all that is
 * untried; else only what is untried of the last from that option on. */
static void put_level(struct rh__writer *to, const struct graph *g, uint32_t level, uint32_t last, uint32_t from,
                      bool goes_on)
{
    const struct level *l = &g->levels[level];
    const struct node *nodes = &g->nodes[l->first];
    uint32_t steps = 0;
    bool without = !goes_on; /* the last one's own step, if it is one */
    rh__put_double(to, l->weight);
    rh__put_small(to, l->base);
    rh__put_small(to, last + 1);
    for (uint32_t i = 0; i <= last; i++) {
        const struct node *x = &nodes[i];
        struct node none = *x;
        none.now.kind = FATE_NONE;
        put_node(to, g, x->kind == NODE_FATE && i == last && without ? &none : x);
        /* Weights need the number of options of every node on the way. */
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

static uint32_t last_untried(const struct graph *g, uint32_t level)
{
    const struct level *l = &g->levels[level];
    for (uint32_t i = l->count; i-- > l->base;)
        if (g->nodes[l->first + i].option_next < g->nodes[l->first + i].option_end)
            return i;
    return RH_NONE;
}

static size_t pack_half(struct graph *g, struct rh__writer *to)
{
    struct node *lowest = NULL;
    uint32_t level = 0, stamp = 0, all = 0;
    for (uint32_t l = 0; l < g->level_count; l++)
        for (uint32_t i = g->levels[l].base; i < g->levels[l].count; i++) {
            struct node *x = &g->nodes[g->levels[l].first + i];
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

size_t rh__graph_pack(struct graph *g, void *buffer, size_t room, bool half, bool goes_on)
{
    struct rh__writer to = rh__writer_of(buffer, room);
    uint32_t levels = 0;
    rh__put_small(&to, ITEM_VERSION);
    for (uint32_t l = 0; l < g->level_count; l++)
        if (g->levels[l].bare && half)
            return 0; /* not known well enough to be taken apart */
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
    g->level_count = 0;
    return to.len;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static uint32_t get_up_to(struct rh__reader *r, uint64_t most)
{
    uint64_t value = rh__get_small(r);
    if (value > most)
        r->bad = true;
    return r->bad ? 0 : (uint32_t)value;
}

static struct option get_option(struct rh__reader *r, uint32_t nodes)
{
    struct option o = { .kind = get_up_to(r, RH_CHOICE_END) };
    o.cause = get_up_to(r, nodes) - 1;
    o.detail = rh__get_small(r);
    return o;
}

static void get_node(struct graph *g, struct rh__reader *r, struct node *x, uint32_t stamp, uint32_t count)
{
    memset(x, 0, sizeof *x);
    x->kind = get_up_to(r, NODE_LIFE);
    x->of = x->now.cause = RH_NONE;
    x->actor = RH_NONE; /* bare */
    switch ((enum node_kind)x->kind) {
    case NODE_EVENT: {
        uint64_t identity = rh__get64(r);
        x->now = get_option(r, count);
        uint32_t flags = get_up_to(r, 7);
        x->event.serial = identity; /* until it is filled in */
        x->event.greatest = flags & 1;
        x->event.changed = flags & 2;
        x->event.failed = flags & 4;
        x->event.promised = get_up_to(r, UINT32_MAX - 1);
        x->event.sends = x->event.last_of = RH_NONE;
        x->event.birth = RH_NONE;
        break;
    }
    case NODE_SEND: {
        x->of = get_up_to(r, stamp ? stamp - 1 : 0);
        uint32_t ordinal = get_up_to(r, UINT32_MAX - 1);
        x->send.ordinal = ordinal / 2;
        x->send.copy = ordinal & 1;
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
    uint32_t options = get_up_to(r, r->left);
    if (!options)
        return;
    if (options != x->option_count)
        r->bad = true;
    x->option_next = get_up_to(r, options);
    x->option_end = get_up_to(r, options);
    for (uint32_t i = 0; i < options && !r->bad; i++)
        g->options[g->option_top++] = get_option(r, count);
}

/* Whether stamps point where they should. */
static bool sound(const struct graph *g, const struct level *l)
{
    const struct node *nodes = &g->nodes[l->first];
    for (uint32_t i = 0; i < l->count; i++) {
        const struct node *x = &nodes[i];
        bool sent = x->kind == NODE_SEND || x->kind == NODE_FATE;
        if ((sent && nodes[x->of].kind != NODE_EVENT) || x->option_end < x->option_next)
            return false;
        if (x->kind == NODE_EVENT && x->now.cause != RH_NONE && nodes[x->now.cause].kind != NODE_SEND)
            return false;
        for (uint32_t k = x->option_next; k < x->option_end; k++) {
            const struct option *o = &g->options[x->options + k];
            if (x->kind == NODE_SEND && (o->cause == RH_NONE || nodes[o->cause].kind != NODE_EVENT || !o->cause))
                return false;
            if (x->kind == NODE_EVENT && o->cause != RH_NONE && nodes[o->cause].kind != NODE_SEND)
                return false;
        }
    }
    return l->count && nodes[0].kind == NODE_EVENT && nodes[0].now.kind == RH_CHOICE_BEGIN && l->base >= 1 &&
           l->base <= l->count && l->steps && g->run[l->first_step].node == 0;
}

static bool get_level(struct graph *g, struct rh__reader *r)
{
    struct level *l = &g->levels[g->level_count];
    *l = (struct level){ .first = g->node_top, .first_step = g->run_top, .option_top = g->option_top, .bare = true };
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
        g->run[g->run_top++] = (struct step){ node, ++g->next_serial };
    }
    l->steps = steps;
    if (r->bad || !(l->weight >= 0 && l->weight <= 1) || !sound(g, l))
        return false;
    g->level_count++;
    return true;
}

bool rh__graph_unpack(struct graph *g, const void *item, size_t size, bool *goes_on)
{
    struct rh__reader r = rh__reader_of(item, size);
    uint32_t version = get_up_to(&r, UINT32_MAX - 1), levels = get_up_to(&r, GRAPH_LEVELS / 2);
    *goes_on = get_up_to(&r, 1);
    g->level_count = 0;
    g->node_top = g->run_top = g->row_top = g->option_top = g->wish_top = g->image_top = 0;
    g->made_count = g->absorbed = g->todo_count = 0;
    if (r.bad || version != ITEM_VERSION || !levels)
        return false;
    for (uint32_t i = 0; i < levels; i++)
        if (!get_level(g, &r)) {
            g->level_count = 0;
            return false;
        }
    if (!rh__reader_done(&r))
        g->level_count = 0;
    return g->level_count > 0;
}

/* ---- filling in ---------------------------------------------------------------------------------------------------------- */

static void begin_filling(struct graph *g, struct rh_world *w)
{
    for (uint32_t p = 0; p < g->places; p++) {
        g->last_event[p] = g->last_of_actor[p] = g->last_send[p] = g->last_life[p] = g->birth[p] = RH_NONE;
        g->frozen[p] = false;
    }
    g->todo_count = g->lost = g->twice = g->crashed = 0;
    uint32_t test = rh__graph_place(g, w->actors[0].identity);
    g->place_of_actor[0] = test;
    g->actor_of[test] = 0;
}

static void fill_event(struct graph *g, struct rh_world *w, uint32_t stamp)
{
    struct node *x = rh__graph_node(g, stamp);
    uint32_t actor = g->actor_of[x->actor];
    x->event.place = x->now.kind == RH_CHOICE_RESUME ? rh__graph_place(g, w->actors[actor].object)
                     : actor == w->clock             ? rh__graph_place(g, rh__object(RH__OBJECT_CLOCK, 0))
                                                     : x->actor;
    x->position = rh__graph_next_position(g, x->actor);
    x->event.birth = stamp ? g->birth[x->actor] : RH_NONE;
    x->event.born_at = g->born_at[x->actor];
    x->event.wish_is_of_this_level = true;
    if (x->event.place == x->actor && stamp)
        x->event.wish = rh__graph_read_wish(g, w, actor);
    rh__graph_link_event(g, stamp);
    rh__graph_set_row(g, x);
}

/* Who makes the step: one of those who can. */
static bool find_actor(struct graph *g, struct rh_world *w, struct node *x, const struct rh_choice *open,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (open[i].actor != RH_NONE && w->actors[open[i].actor].identity == x->event.serial) {
            x->actor = rh__graph_place(g, x->event.serial);
            return g->actor_of[x->actor] == open[i].actor;
        }
    return false;
}

bool rh__graph_fill_before(struct graph *g, struct rh_world *w, uint32_t stamp, const struct rh_choice *open,
                           uint32_t count)
{
    struct node *x = rh__graph_node(g, stamp);
    if (x->kind == NODE_FATE)
        return x->actor != RH_NONE;
    if (x->actor != RH_NONE)
        return false; /* made twice */
    if (!find_actor(g, w, x, open, count) ||
        (x->now.cause != RH_NONE && rh__graph_node(g, x->now.cause)->actor == RH_NONE))
        return false;
    fill_event(g, w, stamp);
    return true;
}

/* `fate` RH_NONE: all but copies; else the copy that it makes. */
static void fill_sends(struct graph *g, struct rh_world *w, uint32_t event, uint32_t fate)
{
    const struct node *of = rh__graph_node(g, event);
    bool copies = fate != RH_NONE;
    uint32_t ordinal = copies ? rh__graph_node(g, fate)->fate.ordinal : 0;
    for (uint32_t i = 0; i < rh__graph_top(g)->count; i++) {
        struct node *x = rh__graph_node(g, i);
        bool due = x->of == event && x->actor == RH_NONE &&
                   ((x->kind == NODE_FATE && !copies) ||
                    (x->kind == NODE_SEND && x->send.copy == copies && (!copies || x->send.ordinal == ordinal)));
        if (!due)
            continue;
        uint32_t which = x->kind == NODE_FATE ? x->fate.ordinal : x->send.ordinal;
        if (which >= of->event.sends + of->event.asks)
            continue; /* stays bare, which is noticed */
        x->actor = of->actor;
        x->position = of->position + (x->kind == NODE_FATE ? 1 : 2 + x->send.copy) + 4 * which;
        *(x->kind == NODE_FATE ? &x->fate.next_of : &x->send.next_of) = of->event.last_of;
        rh__graph_node(g, event)->event.last_of = i;
        if (x->kind == NODE_FATE)
            continue;
        x->send.fate = fate;
        rh__graph_describe(g, w, x);
        if (x->send.type)
            g->send_of_message[rh__graph_message(g, w, x)] = i;
    }
}

void rh__graph_fill_beginning(struct graph *g, struct rh_world *w)
{
    struct node *x = rh__graph_node(g, 0);
    begin_filling(g, w);
    x->actor = g->place_of_actor[0];
    fill_event(g, w, 0);
}

void rh__graph_fill_after(struct graph *g, struct rh_world *w, uint32_t stamp)
{
    const struct node *x = rh__graph_node(g, stamp);
    if (x->kind == NODE_EVENT)
        fill_sends(g, w, stamp, RH_NONE);
    else
        fill_sends(g, w, x->of, stamp);
}

/* The last node of a level has untried options in the place of its own step; and decisions that are no steps. */
static bool fill_rest(struct graph *g, struct rh_world *w)
{
    const struct level *l = rh__graph_top(g);
    for (uint32_t i = 0; i < l->count; i++) {
        struct node *x = rh__graph_node(g, i);
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
            fill_event(g, w, i);
            if (x->event.failed)
                x->event.sends = 0;
        } else {
            return false;
        }
    }
    return true;
}

/* Nodes were filled in as their steps were made, those of steps that fail at the end; they are removed in the order of the list.
 * So what one of them has put on the stacks may lie above what a later one has, and all of it stays as long as the level. */
static void keep_filled(struct graph *g)
{
    for (uint32_t i = 0; i < rh__graph_top(g)->count; i++) {
        struct node *x = rh__graph_node(g, i);
        x->rows_before = g->row_top;
        x->wishes_before = g->wish_top;
        x->images_before = g->image_top;
    }
}

bool rh__graph_filled(struct graph *g, struct rh_world *w)
{
    struct level *l = rh__graph_top(g);
    uint32_t last = l->count - 1;
    if (!fill_rest(g, w))
        return false;
    bool made = rh__graph_node(g, last)->kind != NODE_EVENT || rh__graph_node(g, last)->event.failed;
    for (uint32_t i = 0; i < l->steps && !made; i++)
        made = g->run[l->first_step + i].node == last;
    if (!made) { /* it is there to be replaced, like any other step */
        g->run[g->run_top++] = (struct step){ last, ++g->next_serial };
        l->steps++;
    }
    for (uint32_t i = 0; i < l->steps; i++) {
        struct node *x = rh__graph_node(g, g->run[l->first_step + i].node);
        if (x->kind != NODE_EVENT)
            continue;
        x->event.serial = g->run[l->first_step + i].serial;
        if (x->event.promised && x->event.sends != RH_NONE &&
            x->event.promised - 1 != x->event.sends * 2 + x->event.asks)
            return false; /* the program does something else */
    }
    l->bare = false;
    keep_filled(g);
    rh__graph_rebuild(g);
    return true;
}
