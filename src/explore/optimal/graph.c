/* The execution graph (graph.h): positions, rows, adding nodes and removing them.
 *
 * Positions.  Everything that an actor does has a position, a number in fours:
 *
 *     p                    an event; p is a multiple of 4, and 4 for the first event of an actor
 *     p + 4k + 1           the FATE of the event's send number k
 *     p + 4k + 2           that SEND; the request for an operation, if there is one, is the last send
 *     p + 4k + 3           the second copy of a duplicated message
 *     p + 4k               where an actor is spawned after k sends
 *     p + 4 (n + 1) + 1    the LIFE node after an event with n messages; 1 for an actor without events
 *     p + 4 (n + 2)        the next event of the actor
 *
 * Invariants (graph_check.c checks them in the hostile build):
 *   - Positions of one actor are in program order, in every run.  A position depends only on the earlier actions of the
 *     actor, so a send keeps its position in every graph that contains it.
 *   - The number of sends of an event is known before a later event of the actor gets a position.
 *
 * Rows.  The row of an event has an entry for each place: the first position that is not in the past of the event.  The
 * event itself counts as past.  A row is a vector clock [Lamport 1978] whose entries are positions.  A send has the
 * past of its event, and in addition all lower positions of its own actor (rh__graph_in_past).  The row of an operation
 * includes the row of the change that it finds; of an operation in turn: the row of the previous operation.
 *   - A row is exact.  It is the join of the rows of the actor's previous event (for the first one: of the event that
 *     spawned the actor), of the event that sent the cause, and of the change or previous operation.  With too small
 *     a row a revisit would delete what its send depends on.  With too large a row revisits would be missed.
 *   - A row stays valid when a graph is revisited.  A revisit of event r keeps, behind r, only nodes in the past of the
 *     new send.  r is not in this past, so no kept row contains r (levels.c).
 *
 * Links.  The events of each place are linked, newest first (before_in_place).  So are the sends to a place, by stamp
 * (before_to), the events of each actor (before_of_actor), and the sends of each event (last_of, next_of).  `taken` of
 * a send and `now.cause` of an event are inverse to each other.
 *
 * Nodes are removed in the reverse order of adding.  Only the last node is unlinked, and the stacks of rows, options,
 * stances and images shrink to their size before that node (rows_before and the like). */
#include "explore/optimal/graph.h"
#include "explore/optimal/revisit.h"

#include <string.h>

#include "base/copy.h"
#include "base/fail.h"
#include "base/hash.h"
#include "explore/engine/engine.h"

enum {
    MOST_NODES = 1 << 24,
    MOST_STEPS = 1 << 23,
    MOST_ROWS = 1 << 28,
    MOST_OPTIONS = 1 << 24,
    MOST_STANCES = 1 << 22,
    MOST_IMAGES = 1 << 30,
    MOST_ORDERS = 1 << 28,
    MOST_OF_MESSAGES = 1 << 24,
    SPARE = 1 << 14,
};

bool rh__graph_open(struct optimal_graph *g, struct rh_exploration *x)
{
    size_t steps = (size_t)rh_exploration_max_steps(x) + 2;
    bool good = true;
#define ROOM(field, count) good &= (g->field = rh_exploration_memory(x, (size_t)(count) * sizeof *g->field)) != NULL;
    ROOM(nodes, MOST_NODES)
    ROOM(run, MOST_STEPS)
    ROOM(rows, MOST_ROWS)
    ROOM(options, MOST_OPTIONS)
    ROOM(stances, MOST_STANCES)
    ROOM(images, MOST_IMAGES)
    ROOM(orders, MOST_ORDERS)
    ROOM(levels, GRAPH_LEVELS)
    ROOM(identity, GRAPH_PLACES)
    ROOM(by_identity, 2 * GRAPH_PLACES)
    ROOM(birth, GRAPH_PLACES)
    ROOM(born_at, GRAPH_PLACES)
    ROOM(actor_of, GRAPH_PLACES)
    ROOM(place_of_actor, GRAPH_PLACES)
    ROOM(of_places, GRAPH_OF_PLACES)
    ROOM(waiting, GRAPH_PLACES)
    ROOM(send_of_message, MOST_OF_MESSAGES)
    ROOM(all_todo, MOST_STEPS)
    ROOM(made, steps)
    ROOM(answers, GRAPH_ANSWERS)
    ROOM(map, MOST_NODES)
    ROOM(walk, MOST_NODES)
    ROOM(members, 1)
    ROOM(exchange.key, GRAPH_PLACES)
    ROOM(exchange.turn, GRAPH_PLACES)
    ROOM(exchange.class_of, GRAPH_PLACES)
    ROOM(exchange.rank, GRAPH_PLACES)
#undef ROOM
    return good;
}

bool rh__graph_full(const struct optimal_graph *g)
{
    const struct optimal_level *l = &g->levels[g->level_count - 1];
    return g->overflows || g->node_top + 3 * l->count + SPARE > MOST_NODES ||
           g->run_top + l->steps + SPARE > MOST_STEPS || g->row_top + (uint64_t)SPARE * 16 + GRAPH_PLACES > MOST_ROWS ||
           g->option_top + SPARE > MOST_OPTIONS || g->order_top + (uint64_t)SPARE * 1024 > MOST_ORDERS ||
           g->stance_top + SPARE > MOST_STANCES || g->image_top + SPARE * 64 > MOST_IMAGES ||
           g->level_count + 2 > GRAPH_LEVELS || g->places + SPARE / 8 > GRAPH_PLACES ||
           rh__graph_places_end(g) > GRAPH_OF_PLACES;
}

bool rh__graph_has_room(const struct optimal_graph *g, uint32_t size)
{
    return g->option_top + SPARE < MOST_OPTIONS &&
           g->order_top + (uint64_t)size + rh__graph_top((struct optimal_graph *)(uintptr_t)g)->steps + 2 * SPARE <
               MOST_ORDERS;
}

/* ---- pasts ------------------------------------------------------------------------------------------------------- */

bool rh__graph_in_past(const struct optimal_graph *g, const struct optimal_node *x, const struct optimal_node *send)
{
    struct optimal_part past = rh__graph_past(g, send);
    if (x->actor == past.actor)
        return x->position < past.position;
    return rh__graph_row_at(g, past.row, x->actor) > x->position;
}

/* A row with the entries of an older row, RH_NONE: with none.  Later places are not in the past. */
static uint32_t new_row(struct optimal_graph *g, uint32_t from)
{
    uint32_t row = g->row_top, n = g->places, known = from == RH_NONE ? 0 : g->rows[from];
    g->row_top += 1 + n;
    g->rows[row] = n;
    if (known)
        memcpy(&g->rows[row + 1], &g->rows[from + 1], known * sizeof *g->rows);
    for (uint32_t i = known; i < n; i++)
        g->rows[row + 1 + i] = 0;
    return row;
}

static void row_join(struct optimal_graph *g, uint32_t row, uint32_t other)
{
    uint32_t *restrict to = &g->rows[row + 1];
    const uint32_t *restrict from = &g->rows[other + 1];
    for (uint32_t i = 0, n = g->rows[other]; i < n; i++)
        to[i] = to[i] < from[i] ? from[i] : to[i];
}

static void row_raise(struct optimal_graph *g, uint32_t row, uint32_t place, uint32_t position)
{
    if (g->rows[row + 1 + place] < position + 1)
        g->rows[row + 1 + place] = position + 1;
}

/* Computes the row of an event.  Its past: the actor's earlier events, the send that it takes, the change that it
 * finds, and the previous operation on an object that takes operations in turn. */
void rh__graph_set_row(struct optimal_graph *g, struct optimal_node *x)
{
    uint32_t own = x->event.before_of_actor == RH_NONE ? x->event.birth : x->event.before_of_actor;
    uint32_t row = new_row(g, own == RH_NONE ? RH_NONE : rh__graph_node(g, own)->event.row);
    if (x->event.before_of_actor == RH_NONE && own != RH_NONE)
        row_raise(g, row, rh__graph_node(g, own)->actor, x->event.born_at);
    if (x->event.finds) {
        row_join(g, row, rh__graph_node(g, x->now.cause)->event.row);
    } else if (x->event.place != x->actor && x->event.before_in_place != RH_NONE) {
        const struct optimal_node *before = rh__graph_node(g, x->event.before_in_place);
        row_join(g, row, before->event.row);
        if (before->event.posts) /* includes the second copy */
            row_raise(g, row, before->actor, before->position + 3);
    }
    if (x->now.cause != RH_NONE && !x->event.finds) {
        const struct optimal_node *s = rh__graph_node(g, x->now.cause);
        row_join(g, row, rh__graph_past(g, s).row);
        if (!s->send.notice)
            row_raise(g, row, s->actor, s->position);
    }
    row_raise(g, row, x->actor, x->position);
    x->event.row = row;
}

uint32_t rh__graph_push_past(struct optimal_graph *g, uint32_t s, uint32_t r, const uint32_t *set, uint32_t size,
                             bool with)
{
    uint32_t row = g->row_top, n = g->places;
    const struct optimal_node *send = rh__graph_node(g, s);
    g->row_top += 1 + n;
    g->rows[row] = n;
    memset(&g->rows[row + 1], 0, n * sizeof *g->rows);
    row_join(g, row, rh__graph_past(g, send).row);
    if (!send->send.notice)
        row_raise(g, row, send->actor, send->position - 1);
    for (uint32_t i = 0; i < size; i++) {
        const struct optimal_node *other = rh__graph_node(g, set[i]);
        if (set[i] == s || set[i] < r)
            continue;
        row_join(g, row, rh__graph_past(g, other).row);
        if (!other->send.notice)
            row_raise(g, row, other->actor, other->position - !with);
    }
    return row;
}

uint32_t rh__graph_push_row(struct optimal_graph *g, uint32_t actor, uint32_t version)
{
    uint32_t row = new_row(g, rh__graph_node(g, g->last_of_actor[actor])->event.row);
    row_join(g, row, rh__graph_node(g, version)->event.row);
    return row;
}

uint32_t rh__graph_push_row_of_notice(struct optimal_graph *g, uint32_t end, uint32_t watch)
{
    const struct optimal_node *x = rh__graph_node(g, end);
    uint32_t row = new_row(g, x->event.row);
    row_join(g, row, rh__graph_node(g, watch)->event.row);
    row_raise(g, row, x->actor, x->position + 4 * x->event.sends);
    return row;
}

/* ---- reading the world ------------------------------------------------------------------------------------------- */

struct optimal_send_id rh__graph_id_of_message(const struct optimal_graph *g, uint32_t message)
{
    struct optimal_send_id none = { RH_NONE, 0 };
    if (message >= g->seen->message_count)
        return none;
    if (g->send_of_message[message] == RH_NONE)
        return none; /* the message is lost */
    return rh__graph_id(g, rh__graph_node(g, g->send_of_message[message]));
}

/* ---- effects of a step ------------------------------------------------------------------------------------------- */

static void put_on_todo(struct optimal_graph *g, uint32_t event)
{
    for (uint32_t i = 0; i < g->todo_count; i++)
        if (g->todo[i] == event)
            return;
    g->todo[g->todo_count++] = event;
}

static void note_births(struct optimal_graph *g, const struct rh__run *r, uint32_t step, uint32_t stamp)
{
    uint32_t i = r->actor_count;
    while (i > 0 && rh__run_actor(r, i - 1)->born > step)
        i--;
    for (; i > 0 && rh__run_actor(r, i - 1)->born == step; i--) {
        uint32_t p = rh__graph_place(g, rh__run_actor(r, i - 1)->identity);
        g->place_of_actor[i - 1] = p;
        g->actor_of[p] = i - 1;
        g->birth[p] = stamp;
        g->born_at[p] = rh__graph_node(g, stamp)->position + 4 * rh__run_actor(r, i - 1)->born_behind;
    }
}

/* True if the send of a message is an operation on a shared object: an external sender for which several actors send.
 * */
static bool in_turn(const struct rh__run *r, const struct rh__run_message *m)
{
    return rh__run_is_outside(r, m->sender) && !m->life && /* deadlines order the messages of the clock */
           (r->delivery->in_order || rh__is_exit_signal(m));
}

static void absorb_event(struct optimal_graph *g, const struct rh__run *r, uint32_t step, uint32_t stamp)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    uint32_t end = rh__run_messages_end(r, step);
    note_births(g, r, step, stamp);
    x->event.step = step;
    x->event.notices = x->event.finds ? rh__graph_count_notices(r, step) : 0;
    if (x->event.sends == RH_NONE) {
        x->event.sends = end - r->events[step].first_message - x->event.notices;
        const struct rh__run_actor *a = rh__run_actor(r, r->events[step].choice.actor);
        x->event.asks = rh__graph_asks(g, a);
        if (x->event.finds)
            rh__graph_note_operation(g, stamp, step);
        /* Recorded now, because a lost message has no node that could tell later. */
        x->event.posts = x->event.place != x->actor && !x->event.finds && x->event.sends &&
                         in_turn(r, rh__run_message(r, r->events[step].first_message));
        x->event.unnoticed =
            !r->events[step].choice.actor && !x->event.sends && rh__run_actor(r, 0)->status == STATUS_ENDED;
        if (x->event.sends || x->event.asks)
            g->todo[g->todo_count++] = stamp;
    }
    if (x->event.notices && rh__graph_lacks_notices(g, stamp))
        put_on_todo(g, stamp);
    for (uint32_t m = r->events[step].first_message; m < end; m++)
        g->send_of_message[m] = RH_NONE; /* set when the SEND is added; a lost message has no SEND */
    for (uint32_t s = x->event.last_of; s != RH_NONE;) {
        const struct optimal_node *n = rh__graph_node(g, s);
        if (n->kind == NODE_SEND && !n->send.copy && n->send.type) {
            uint32_t message = rh__graph_message(g, n);
            if (message != RH_NONE)
                g->send_of_message[message] = s;
        }
        s = rh__graph_next_of(n);
    }
}

static void absorb_fate(struct optimal_graph *g, const struct rh__run *r, uint32_t step, uint32_t stamp)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    x->fate.step = step;
    g->send_of_message[x->now.kind == FATE_LOST ? r->events[step].choice.what : r->events[step].first_message] =
        RH_NONE;
    for (uint32_t s = rh__graph_node(g, x->of)->event.last_of; s != RH_NONE;) {
        const struct optimal_node *n = rh__graph_node(g, s);
        if (n->kind == NODE_SEND && n->send.copy && n->send.ordinal == x->fate.ordinal)
            g->send_of_message[r->events[step].first_message] = s;
        s = n->kind == NODE_SEND ? n->send.next_of : n->fate.next_of;
    }
}

void rh__graph_absorb(struct optimal_graph *g, const struct rh_world *w)
{
    const struct optimal_level *l = rh__graph_top(g);
    rh__graph_look(g, w);
    for (; g->absorbed < g->seen->event_count && g->absorbed < l->steps; g->absorbed++) {
        struct optimal_step *made = &g->run[l->first_step + g->absorbed];
        g->made[g->absorbed] = *made;
        if (l->bare && g->absorbed == 0)
            rh__graph_fill_beginning(g, w);
        if (rh__graph_node(g, made->node)->kind == NODE_EVENT)
            absorb_event(g, g->seen, g->absorbed, made->node);
        else
            absorb_fate(g, g->seen, g->absorbed, made->node);
        if (l->bare)
            rh__graph_fill_after(g, made->node);
    }
    g->made_count = g->absorbed;
}

/* Counts equal steps at the start: equal serials after equal steps mean the same step.  What is absorbed was made. */
uint32_t rh__graph_common(struct optimal_graph *g)
{
    if (RH__IS_HOSTILE)
        rh__graph_check(g);
    const struct optimal_level *l = rh__graph_top(g);
    uint32_t n = l->steps < g->made_count ? l->steps : g->made_count, i = g->absorbed < n ? g->absorbed : n;
    while (i < n && g->run[l->first_step + i].serial == g->made[i].serial)
        i++;
    return i;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

static uint32_t new_node(struct optimal_graph *g, enum optimal_node_kind kind, uint32_t actor, uint32_t position)
{
    struct optimal_level *l = rh__graph_top(g);
    struct optimal_node *x = &g->nodes[g->node_top++];
    rh__zero(x, sizeof *x);
    x->kind = kind;
    x->actor = actor;
    x->position = position;
    x->of = x->now.cause = RH_NONE;
    x->rows_before = g->row_top;
    x->options_before = g->option_top;
    x->stances_before = g->stance_top;
    x->images_before = g->image_top;
    x->orders_before = x->orders_end = g->order_top;
    x->options = g->option_top;
    return l->count++;
}

static void add_step(struct optimal_graph *g, uint32_t stamp, uint64_t serial)
{
    struct optimal_level *l = rh__graph_top(g);
    g->run[g->run_top++] = (struct optimal_step){ stamp, serial };
    l->steps++;
}

uint32_t rh__graph_next_position(const struct optimal_graph *g, uint32_t actor)
{
    if (g->last_of_actor[actor] == RH_NONE)
        return 4;
    const struct optimal_node *last = rh__graph_node(g, g->last_of_actor[actor]);
    RH__ASSERT(rh__graph_sends(last) != RH_NONE, "a position after event %u, which was not made",
               g->last_of_actor[actor]);
    return last->position + 4 * (rh__graph_sends(last) + 2);
}

/* After a step that fails its actor does nothing more, and an object that takes operations in turn takes no more.
 * Others still find the older versions of another object. */
void rh__graph_freeze(struct optimal_graph *g, const struct optimal_node *x, bool on)
{
    g->frozen[x->actor] = on;
    if (!x->event.finds)
        g->frozen[x->event.place] = on;
}

/* Links the event to earlier events, which must be linked already. */
void rh__graph_link_event(struct optimal_graph *g, uint32_t stamp)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    x->event.before_of_actor = g->last_of_actor[x->actor];
    x->event.before_in_place = g->last_event[x->event.place];
    if (x->event.before_in_place != RH_NONE)
        x->event.index = rh__graph_node(g, x->event.before_in_place)->event.index + 1;
    else
        x->event.index = 0;
    if (x->event.before_of_actor != RH_NONE)
        x->event.birth = RH_NONE; /* of the actor's first event alone */
    g->last_of_actor[x->actor] = g->last_event[x->event.place] = stamp;
    if (x->event.finds) {
        x->event.next = RH_NONE;
        if (x->event.wrote)
            rh__graph_link_change(g, stamp);
    } else if (x->now.cause != RH_NONE) {
        rh__graph_set_taken(g, x->now.cause, stamp);
    }
    if (x->event.failed)
        rh__graph_freeze(g, x, true);
    g->crashed += x->now.kind == RH_CHOICE_CRASH;
}

uint32_t rh__graph_add_event(struct optimal_graph *g, const struct rh_world *w, uint32_t actor, uint32_t place,
                             uint32_t options, uint32_t count, uint32_t chosen, const struct optimal_node *again)
{
    uint32_t stamp = new_node(g, NODE_EVENT, actor, rh__graph_next_position(g, actor));
    struct optimal_node *x = rh__graph_node(g, stamp);
    x->options_before = x->options = options;
    x->option_count = count;
    x->option_next = chosen + 1;
    x->option_end = count;
    x->now = g->options[options + chosen];
    x->event.place = place;
    x->event.set = x->now.set ? rh__graph_set_size(g, x->now.set) : 0;
    x->event.finds = x->now.kind == RH_CHOICE_RESUME && x->now.cause != RH_NONE &&
                     rh__graph_node(g, x->now.cause)->kind == NODE_EVENT;
    x->event.sends = x->event.last_of = RH_NONE;
    x->event.serial = ++g->next_serial;
    x->event.greatest =
        x->now.kind != RH_CHOICE_CRASH && x->now.kind != RH_CHOICE_UNSTORED; /* a crash is never canonical */
    for (uint32_t i = 0; i < count; i++)
        if (i != chosen && !(g->by_receiver && g->options[options + i].cause != RH_NONE) &&
            rh__graph_greater(g, &g->options[options + i], &x->now))
            x->event.greatest = false;
    if (g->option_top < options + count)
        g->option_top = options + count;
    if (again) {
        x->event.stance = again->event.stance;
        /* Another actor at the same object has events already, or is the clock, which is born with the test. */
        x->event.birth = again->actor == actor ? again->event.birth : 0;
        x->event.born_at = again->actor == actor ? again->event.born_at : g->born_at[actor];
        x->option_end = again->option_end;
        if (again->orders_end > x->orders_end)
            g->order_top = x->orders_end = again->orders_end;
        x->event.stance_is_current = again->event.stance_is_current;
        x->event.watches = again->event.watches;
        if (place == actor && g->stance_top <= x->event.stance)
            rh__graph_keep_stance(g, x->event.stance);
    } else {
        x->event.birth = g->birth[actor] == stamp ? RH_NONE : g->birth[actor];
        x->event.born_at = g->born_at[actor];
        x->event.stance_is_current = true;
        x->event.watches = rh__graph_watches(g, x);
        if (place == actor)
            x->event.stance = rh__graph_read_stance(g, w, g->actor_of[actor]);
    }
    rh__graph_link_event(g, stamp);
    rh__graph_set_row(g, x);
    add_step(g, stamp, x->event.serial);
    if (x->event.set > 1)
        rh__graph_add_parts(g, stamp);
    return stamp;
}

void rh__graph_add_parts(struct optimal_graph *g, uint32_t stamp)
{
    const struct optimal_node first = *rh__graph_node(g, stamp);
    for (uint32_t i = 1; i < first.event.set; i++) {
        uint32_t part = new_node(g, NODE_EVENT, first.actor, rh__graph_next_position(g, first.actor));
        struct optimal_node *x = rh__graph_node(g, part);
        x->now = (struct optimal_option){ .kind = RH_CHOICE_DELIVER, .cause = rh__graph_set(g, first.now.set)[i] };
        x->event.place = first.event.place;
        x->event.set = first.event.set;
        x->event.part = i;
        x->event.sends = x->event.last_of = RH_NONE;
        x->event.serial = ++g->next_serial;
        x->event.stance = first.event.stance;
        x->event.stance_is_current = first.event.stance_is_current;
        x->event.birth = RH_NONE;
        rh__graph_link_event(g, part);
        rh__graph_set_row(g, x);
        add_step(g, part, x->event.serial);
    }
}

void rh__graph_begin(struct optimal_graph *g, const struct rh_world *w)
{
    g->levels[0] = (struct optimal_level){ .weight = 1 };
    rh__graph_set_levels(g, 1);
    g->node_top = g->run_top = g->row_top = g->option_top = g->stance_top = g->image_top = g->order_top = 0;
    g->absorbed = g->made_count = 0;
    g->overflows = false;
    for (uint32_t p = 0; p < g->places; p++)
        g->birth[p] = RH_NONE;
    rh__graph_begin_places(g);
    rh__graph_look(g, w);
    g->by_receiver = g->seen->delivery->by_receiver;
    uint32_t test = rh__graph_place(g, rh__run_actor(g->seen, 0)->identity);
    g->place_of_actor[0] = test;
    g->actor_of[test] = 0;
    g->options[0] = (struct optimal_option){ .kind = RH_CHOICE_BEGIN, .cause = RH_NONE };
    g->option_top = 1;
    struct optimal_node first = { .actor = test, .option_end = 1, .event.birth = RH_NONE };
    rh__graph_add_event(g, w, test, test, 0, 1, 0, &first);
    rh__graph_top(g)->base = 1;
}

static uint32_t send_total(const struct optimal_node *event)
{
    return event->event.sends + event->event.asks;
}

/* Finds the next due node of the event from the event's newest send. */
bool rh__graph_due_of(const struct optimal_graph *g, uint32_t stamp, struct optimal_send_due *due)
{
    const struct optimal_node *x = rh__graph_node(g, stamp);
    uint32_t last = rh__graph_last_own(g, x);
    *due = (struct optimal_send_due){ .event = stamp, .fate = true };
    if (last != RH_NONE) {
        const struct optimal_node *n = rh__graph_node(g, last);
        if (n->kind == NODE_FATE) {
            due->ordinal = n->fate.ordinal + (n->now.kind == FATE_LOST);
            due->fate = n->now.kind == FATE_LOST;
        } else {
            const struct optimal_node *fate = n->send.next_of == RH_NONE ? NULL : rh__graph_node(g, n->send.next_of);
            due->copy = !n->send.copy && fate && fate->kind == NODE_FATE && fate->fate.ordinal == n->send.ordinal &&
                        fate->now.kind == FATE_TWICE;
            due->ordinal = n->send.ordinal + !due->copy;
            due->fate = !due->copy;
        }
    }
    return due->ordinal < send_total(x);
}

bool rh__graph_send_due(struct optimal_graph *g, struct optimal_send_due *due)
{
    while (g->todo_count) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < g->todo_count; i++) {
            const struct optimal_node *x = rh__graph_node(g, g->todo[i]), *b = rh__graph_node(g, g->todo[best]);
            if (g->identity[x->actor] < g->identity[b->actor] || (x->actor == b->actor && x->position < b->position))
                best = i;
        }
        if (rh__graph_due_of(g, g->todo[best], due))
            return true;
        due->notice = rh__graph_notice_due(g, due->event, &due->to);
        if (due->notice)
            return true;
        g->todo[best] = g->todo[--g->todo_count];
    }
    return false;
}

uint32_t rh__graph_add_fate(struct optimal_graph *g, const struct optimal_send_due *due)
{
    struct optimal_node *event = rh__graph_node(g, due->event);
    uint32_t stamp = new_node(g, NODE_FATE, event->actor, event->position + 1 + 4 * due->ordinal);
    struct optimal_node *x = rh__graph_node(g, stamp);
    x->of = due->event;
    x->fate.ordinal = due->ordinal;
    x->fate.next_of = event->event.last_of;
    event->event.last_of = stamp;
    return stamp;
}

void rh__graph_add_fate_step(struct optimal_graph *g, uint32_t stamp)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    g->lost += x->now.kind == FATE_LOST;
    g->twice += x->now.kind == FATE_TWICE;
    x->fate.serial = ++g->next_serial;
    add_step(g, stamp, x->fate.serial);
}

static void describe_message(struct optimal_graph *g, struct optimal_node *x)
{
    const struct rh__run_message *m = rh__run_message(g->seen, rh__graph_message(g, x));
    x->send.to = g->place_of_actor[m->receiver];
    x->send.type = m->type;
    x->send.signal = rh__is_exit_signal(m);
    x->send.posted = m->posted;
    x->send.starts = rh__is_start(m);
    x->send.seen_as = g->place_of_actor[m->seen_as];
    x->send.answers = rh__graph_id_of_message(g, m->answers);
    x->send.wake = m->wake;
    x->send.life = m->life;
    if (!x->send.signal)
        return;
    struct rh__mail mail = rh__mail_of(g->seen->live, rh__graph_message(g, x));
    x->send.kills = mail.kills;
    x->send.heard = mail.heard;
    x->send.quiet = mail.quiet;
    x->send.life = mail.life;
}

void rh__graph_describe(struct optimal_graph *g, struct optimal_node *x)
{
    const struct optimal_node *event = rh__graph_node(g, x->of);
    if (x->send.notice || x->send.ordinal < event->event.sends) {
        describe_message(g, x);
    } else {
        x->send.to = rh__graph_place(g, rh__run_actor(g->seen, g->actor_of[event->actor])->object);
        x->send.answers.actor = RH_NONE;
        x->send.seen_as = RH_NONE;
    }
}

uint32_t rh__graph_add_send(struct optimal_graph *g, const struct optimal_send_due *due)
{
    struct optimal_node *event = rh__graph_node(g, due->event);
    uint32_t stamp = new_node(g, NODE_SEND, event->actor, event->position + 2 + due->copy + 4 * due->ordinal);
    struct optimal_node *x = rh__graph_node(g, stamp);
    x->of = due->event;
    x->send.ordinal = due->ordinal;
    x->send.copy = due->copy;
    x->send.taken = RH_NONE;
    x->send.next_of = event->event.last_of;
    if (due->copy) /* order: FATE, first message, copy */
        x->send.fate = rh__graph_node(g, x->send.next_of)->send.next_of;
    event->event.last_of = stamp;
    if (due->notice)
        rh__graph_enter_notice(g, x, due->to);
    rh__graph_describe(g, x);
    if (x->send.type)
        g->send_of_message[rh__graph_message(g, x)] = stamp;
    x->send.before_to = g->last_send[x->send.to];
    g->last_send[x->send.to] = stamp;
    return stamp;
}

static uint32_t life_position(const struct optimal_graph *g, uint32_t actor)
{
    return g->last_of_actor[actor] == RH_NONE ? 1 : rh__graph_next_position(g, actor) - 3;
}

bool rh__graph_life_due(const struct optimal_graph *g, uint32_t actor)
{
    return g->last_life[actor] == RH_NONE ||
           rh__graph_node(g, g->last_life[actor])->position != life_position(g, actor);
}

uint32_t rh__graph_add_life(struct optimal_graph *g, uint32_t actor)
{
    uint32_t stamp = new_node(g, NODE_LIFE, actor, life_position(g, actor));
    rh__graph_node(g, stamp)->of = g->last_life[actor];
    rh__graph_node(g, stamp)->event.birth = g->birth[actor];
    rh__graph_node(g, stamp)->event.born_at = g->born_at[actor];
    g->last_life[actor] = stamp;
    return stamp;
}

/* ---- removing ------------------------------------------------------------------------------------------------- */

static void take_off_todo(struct optimal_graph *g, uint32_t event)
{
    for (uint32_t i = 0; i < g->todo_count; i++)
        if (g->todo[i] == event)
            g->todo[i--] = g->todo[--g->todo_count];
}

/* Removes the step of a node.  It is the last one, unless steps were moved (rh__graph_move_step). */
void rh__graph_drop_step(struct optimal_graph *g, uint32_t stamp)
{
    struct optimal_level *l = rh__graph_top(g);
    uint32_t at = l->steps - 1;
    while (g->run[l->first_step + at].node != stamp)
        at--;
    rh__graph_steps_change(g, at);
    l->steps--;
    g->run_top--;
    memmove(&g->run[l->first_step + at], &g->run[l->first_step + at + 1], (l->steps - at) * sizeof *g->run);
}

void rh__graph_drop_fate_step(struct optimal_graph *g, uint32_t stamp)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    g->lost -= x->now.kind == FATE_LOST;
    g->twice -= x->now.kind == FATE_TWICE;
    if (x->now.kind != FATE_NONE)
        rh__graph_drop_step(g, stamp);
    if (x->now.kind == FATE_LOST)
        put_on_todo(g, x->of); /* the send of the event is due again */
    x->now.kind = FATE_NONE;
}

/* The same for a node that is removed, too. */
static inline void forget_step(struct optimal_graph *g, uint32_t stamp)
{
    struct optimal_level *l = rh__graph_top(g);
    if (g->run[g->run_top - 1].node != stamp) {
        rh__graph_drop_step(g, stamp);
        return;
    }
    l->steps--;
    g->run_top--;
    if (g->absorbed > l->steps)
        g->absorbed = l->steps;
}

/* The newest event of a place is the last one there, except among operations that are not in turn. */
static void leave_place(struct optimal_graph *g, const struct optimal_node *x, uint32_t stamp)
{
    uint32_t *at = &g->last_event[x->event.place];
    while (*at != stamp)
        at = &rh__graph_node(g, *at)->event.before_in_place;
    *at = x->event.before_in_place;
}

static void unlink_node(struct optimal_graph *g, struct optimal_node *x, uint32_t stamp)
{
    switch ((enum optimal_node_kind)x->kind) {
    case NODE_EVENT:
        leave_place(g, x, stamp);
        g->last_of_actor[x->actor] = x->event.before_of_actor;
        if (x->event.wrote)
            rh__graph_unlink_change(g, x);
        if (x->now.cause != RH_NONE && !x->event.finds)
            rh__graph_set_taken(g, x->now.cause, RH_NONE);
        g->crashed -= x->now.kind == RH_CHOICE_CRASH;
        take_off_todo(g, stamp);
        if (x->event.failed)
            rh__graph_freeze(g, x, false);
        else
            forget_step(g, stamp);
        break;
    case NODE_SEND:
        g->last_send[x->send.to] = x->send.before_to;
        rh__graph_node(g, x->of)->event.last_of = x->send.next_of;
        put_on_todo(g, x->of);
        break;
    case NODE_FATE:
        rh__graph_node(g, x->of)->event.last_of = x->fate.next_of;
        put_on_todo(g, x->of);
        rh__graph_drop_fate_step(g, stamp);
        break;
    case NODE_LIFE:
        g->last_life[x->actor] = x->of;
        break;
    }
}

void rh__graph_cut(struct optimal_graph *g, uint32_t count)
{
    struct optimal_level *l = rh__graph_top(g);
    while (l->count > count) {
        struct optimal_node *x = rh__graph_node(g, l->count - 1);
        unlink_node(g, x, l->count - 1);
        g->row_top = x->rows_before;
        g->option_top = x->options_before;
        g->stance_top = x->stances_before;
        g->image_top = x->images_before;
        g->order_top = x->orders_before;
        l->count--;
        g->node_top--;
    }
}
