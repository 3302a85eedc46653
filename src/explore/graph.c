/* See graph.h. */
#include "explore/graph.h"

#include <string.h>

#include "base/copy.h"
#include "base/fail.h"
#include "base/hash.h"
#include "explore/engine.h"
#include "world/fiber.h"
#include "world/network.h"
#include "world/objects.h"

enum {
    MOST_NODES = 1 << 24,
    MOST_STEPS = 1 << 23,
    MOST_ROWS = 1 << 28,
    MOST_OPTIONS = 1 << 24,
    MOST_WISHES = 1 << 22,
    MOST_IMAGES = 1 << 30,
    MOST_OF_MESSAGES = 1 << 24,
    SPARE = 1 << 14,
};

bool rh__graph_open(struct graph *g, struct rh_exploration *x)
{
    size_t steps = (size_t)rh_exploration_max_steps(x) + 2;
    bool good = true;
#define ROOM(field, count) good &= (g->field = rh_exploration_memory(x, (size_t)(count) * sizeof *g->field)) != NULL;
    ROOM(nodes, MOST_NODES)
    ROOM(run, MOST_STEPS)
    ROOM(rows, MOST_ROWS)
    ROOM(options, MOST_OPTIONS)
    ROOM(wishes, MOST_WISHES)
    ROOM(images, MOST_IMAGES)
    ROOM(levels, GRAPH_LEVELS)
    ROOM(identity, GRAPH_PLACES)
    ROOM(by_identity, 2 * GRAPH_PLACES)
    ROOM(last_event, GRAPH_PLACES)
    ROOM(last_of_actor, GRAPH_PLACES)
    ROOM(last_send, GRAPH_PLACES)
    ROOM(last_life, GRAPH_PLACES)
    ROOM(birth, GRAPH_PLACES)
    ROOM(born_at, GRAPH_PLACES)
    ROOM(actor_of, GRAPH_PLACES)
    ROOM(place_of_actor, GRAPH_PLACES)
    ROOM(waiting, GRAPH_PLACES)
    ROOM(frozen, GRAPH_PLACES)
    ROOM(send_of_message, MOST_OF_MESSAGES)
    ROOM(todo, steps)
    ROOM(made, steps)
    ROOM(map, MOST_NODES)
#undef ROOM
    return good;
}

bool rh__graph_full(const struct graph *g)
{
    return g->node_top + 3 * rh__graph_top((struct graph *)(uintptr_t)g)->count + SPARE > MOST_NODES ||
           g->run_top + rh__graph_top((struct graph *)(uintptr_t)g)->steps + SPARE > MOST_STEPS ||
           g->row_top + (uint64_t)SPARE * 16 + GRAPH_PLACES > MOST_ROWS || g->option_top + SPARE > MOST_OPTIONS ||
           g->wish_top + SPARE > MOST_WISHES || g->image_top + SPARE * 64 > MOST_IMAGES ||
           g->level_count + 2 > GRAPH_LEVELS || g->places + SPARE / 8 > GRAPH_PLACES;
}

/* ---- places and pasts ------------------------------------------------------------------------------------------------ */

uint32_t rh__graph_place(struct graph *g, uint64_t identity)
{
    uint32_t mask = 2 * GRAPH_PLACES - 1, i = (uint32_t)(identity ^ identity >> 32) & mask;
    while (g->by_identity[i] && g->identity[g->by_identity[i] - 1] != identity)
        i = (i + 1) & mask;
    if (!g->by_identity[i]) {
        RH__ASSERT(g->places < GRAPH_PLACES, "more than %d actors and objects", GRAPH_PLACES);
        uint32_t p = g->places++;
        g->identity[p] = identity;
        g->by_identity[i] = p + 1;
        g->last_event[p] = g->last_of_actor[p] = g->last_send[p] = g->last_life[p] = g->birth[p] = RH_NONE;
        g->frozen[p] = false;
    }
    return g->by_identity[i] - 1;
}

bool rh__graph_in_past(const struct graph *g, const struct node *x, const struct node *send)
{
    if (x->actor == send->actor)
        return x->position < send->position;
    return rh__graph_row_at(g, rh__graph_node(g, send->of)->event.row, x->actor) > x->position;
}

static void row_join(struct graph *g, uint32_t row, uint32_t other)
{
    uint32_t *to = &g->rows[row + 1];
    const uint32_t *from = &g->rows[other + 1];
    for (uint32_t i = 0, n = g->rows[other]; i < n; i++)
        if (to[i] < from[i])
            to[i] = from[i];
}

static void row_raise(struct graph *g, uint32_t row, uint32_t place, uint32_t position)
{
    if (g->rows[row + 1 + place] < position + 1)
        g->rows[row + 1 + place] = position + 1;
}

/* The past of an event: what its actor did before, the send it takes, the operation before on the same object. */
void rh__graph_set_row(struct graph *g, struct node *x)
{
    uint32_t row = g->row_top, n = g->places;
    g->row_top += 1 + n;
    g->rows[row] = n;
    memset(&g->rows[row + 1], 0, n * sizeof *g->rows);
    if (x->event.before_of_actor != RH_NONE) {
        row_join(g, row, rh__graph_node(g, x->event.before_of_actor)->event.row);
    } else if (x->event.birth != RH_NONE) {
        row_join(g, row, rh__graph_node(g, x->event.birth)->event.row);
        row_raise(g, row, rh__graph_node(g, x->event.birth)->actor, x->event.born_at);
    }
    if (x->event.place != x->actor && x->event.before_in_place != RH_NONE) {
        const struct node *before = rh__graph_node(g, x->event.before_in_place);
        row_join(g, row, before->event.row);
        if (before->event.posts) /* with its copy */
            row_raise(g, row, before->actor, before->position + 3);
    }
    if (x->now.cause != RH_NONE) {
        const struct node *s = rh__graph_node(g, x->now.cause);
        row_join(g, row, rh__graph_node(g, s->of)->event.row);
        row_raise(g, row, s->actor, s->position);
    }
    row_raise(g, row, x->actor, x->position);
    x->event.row = row;
}

/* ---- reading the world ----------------------------------------------------------------------------------------------- */

uint32_t rh__graph_message(const struct graph *g, const struct rh_world *w, const struct node *send)
{
    if (!send->send.copy)
        return w->events[rh__graph_node(g, send->of)->event.step].first_message + send->send.ordinal;
    return w->events[rh__graph_node(g, send->send.fate)->fate.step].first_message;
}

struct send_id rh__graph_id_of_message(const struct graph *g, const struct rh_world *w, uint32_t message)
{
    struct send_id none = { RH_NONE, 0 };
    if (message >= w->message_count)
        return none;
    if (g->send_of_message[message] == RH_NONE)
        return none; /* lost */
    const struct node *s = rh__graph_node(g, g->send_of_message[message]);
    return (struct send_id){ s->actor, s->position };
}

/* ---- what a step did --------------------------------------------------------------------------------------------------- */

static void note_births(struct graph *g, const struct rh_world *w, uint32_t step, uint32_t stamp)
{
    uint32_t i = w->actor_count;
    while (i > 0 && w->actors[i - 1].born > step)
        i--;
    for (; i > 0 && w->actors[i - 1].born == step; i--) {
        uint32_t p = rh__graph_place(g, w->actors[i - 1].identity);
        g->place_of_actor[i - 1] = p;
        g->actor_of[p] = i - 1;
        g->birth[p] = stamp;
        g->born_at[p] = rh__graph_node(g, stamp)->position + 4 * w->actors[i - 1].born_behind;
    }
}

/* Whether a message has its place among the operations on an object: of a mailbox, or of an outsider for whom several send. */
static bool in_turn(const struct rh_world *w, const struct message *m)
{
    if (w->semantics.model == RH_MAILBOX && m->posted)
        return true;
    return w->actors[m->sender].status == STATUS_OUTSIDE && !m->life && /* the clock's come as they are reached */
           (w->semantics.model != RH_BAG || m->type == &rh__exit_signal);
}

static void absorb_event(struct graph *g, const struct rh_world *w, uint32_t step, uint32_t stamp)
{
    struct node *x = rh__graph_node(g, stamp);
    uint32_t end = step + 1 < w->event_count ? w->events[step + 1].first_message : w->message_count;
    note_births(g, w, step, stamp);
    x->event.step = step;
    if (x->event.sends == RH_NONE) {
        x->event.sends = end - w->events[step].first_message;
        x->event.asks = w->actors[w->events[step].choice.actor].status == STATUS_PREEMPTED;
        /* Known now, whatever becomes of the message: one that is lost has no node that could tell later. */
        x->event.posts =
            x->event.place != x->actor && x->event.sends && in_turn(w, &w->messages[w->events[step].first_message]);
        x->event.unnoticed = !w->events[step].choice.actor && !x->event.sends && w->actors[0].status == STATUS_ENDED;
        if (x->event.sends || x->event.asks)
            g->todo[g->todo_count++] = stamp;
    }
    for (uint32_t m = w->events[step].first_message; m < end; m++)
        g->send_of_message[m] = RH_NONE; /* until it is added, if it ever is */
    for (uint32_t s = x->event.last_of; s != RH_NONE;) {
        const struct node *n = rh__graph_node(g, s);
        if (n->kind == NODE_SEND && !n->send.copy && n->send.type)
            g->send_of_message[w->events[step].first_message + n->send.ordinal] = s;
        s = n->kind == NODE_SEND ? n->send.next_of : n->fate.next_of;
    }
}

static void absorb_fate(struct graph *g, const struct rh_world *w, uint32_t step, uint32_t stamp)
{
    struct node *x = rh__graph_node(g, stamp);
    x->fate.step = step;
    g->send_of_message[x->now.kind == FATE_LOST ? w->events[step].choice.what : w->events[step].first_message] =
        RH_NONE;
    for (uint32_t s = rh__graph_node(g, x->of)->event.last_of; s != RH_NONE;) {
        const struct node *n = rh__graph_node(g, s);
        if (n->kind == NODE_SEND && n->send.copy && n->send.ordinal == x->fate.ordinal)
            g->send_of_message[w->events[step].first_message] = s;
        s = n->kind == NODE_SEND ? n->send.next_of : n->fate.next_of;
    }
}

void rh__graph_absorb(struct graph *g, struct rh_world *w)
{
    const struct level *l = rh__graph_top(g);
    for (; g->absorbed < w->event_count && g->absorbed < l->steps; g->absorbed++) {
        struct step *made = &g->run[l->first_step + g->absorbed];
        g->made[g->absorbed] = *made;
        if (l->bare && g->absorbed == 0)
            rh__graph_fill_beginning(g, w);
        if (rh__graph_node(g, made->node)->kind == NODE_EVENT)
            absorb_event(g, w, g->absorbed, made->node);
        else
            absorb_fate(g, w, g->absorbed, made->node);
        if (l->bare)
            rh__graph_fill_after(g, w, made->node);
    }
    g->made_count = g->absorbed;
}

/* Steps that are the same decision after the same steps are the same. */
uint32_t rh__graph_common(struct graph *g)
{
    const struct level *l = rh__graph_top(g);
    uint32_t i = 0, n = l->steps < g->made_count ? l->steps : g->made_count;
    while (i < n && g->run[l->first_step + i].serial == g->made[i].serial)
        i++;
    return i;
}

/* ---- adding ---------------------------------------------------------------------------------------------------------------- */

static uint32_t new_node(struct graph *g, enum node_kind kind, uint32_t actor, uint32_t position)
{
    struct level *l = rh__graph_top(g);
    struct node *x = &g->nodes[g->node_top++];
    memset(x, 0, sizeof *x);
    x->kind = kind;
    x->actor = actor;
    x->position = position;
    x->of = x->now.cause = RH_NONE;
    x->rows_before = g->row_top;
    x->options_before = g->option_top;
    x->wishes_before = g->wish_top;
    x->images_before = g->image_top;
    x->options = g->option_top;
    return l->count++;
}

static void add_step(struct graph *g, uint32_t stamp, uint64_t serial)
{
    struct level *l = rh__graph_top(g);
    g->run[g->run_top++] = (struct step){ stamp, serial };
    l->steps++;
}

uint32_t rh__graph_next_position(const struct graph *g, uint32_t actor)
{
    if (g->last_of_actor[actor] == RH_NONE)
        return 4;
    const struct node *last = rh__graph_node(g, g->last_of_actor[actor]);
    return last->position + 4 * (last->event.sends + 2);
}

/* Its links to what came before, which must be in place. */
void rh__graph_link_event(struct graph *g, uint32_t stamp)
{
    struct node *x = rh__graph_node(g, stamp);
    x->event.before_of_actor = g->last_of_actor[x->actor];
    x->event.before_in_place = g->last_event[x->event.place];
    if (x->event.before_in_place != RH_NONE)
        x->event.index = rh__graph_node(g, x->event.before_in_place)->event.index + 1;
    else
        x->event.index = 0;
    g->last_of_actor[x->actor] = g->last_event[x->event.place] = stamp;
    if (x->now.cause != RH_NONE)
        rh__graph_node(g, x->now.cause)->send.taken = stamp;
    if (x->event.failed)
        g->frozen[x->actor] = g->frozen[x->event.place] = true;
    g->crashed += x->now.kind == RH_CHOICE_CRASH;
}

uint32_t rh__graph_add_event(struct graph *g, struct rh_world *w, uint32_t actor, uint32_t place, uint32_t options,
                             uint32_t count, uint32_t chosen, const struct node *again)
{
    uint32_t stamp = new_node(g, NODE_EVENT, actor, rh__graph_next_position(g, actor));
    struct node *x = rh__graph_node(g, stamp);
    x->options_before = x->options = options;
    x->option_count = count;
    x->option_next = chosen + 1;
    x->option_end = count;
    x->now = g->options[options + chosen];
    x->event.place = place;
    x->event.sends = x->event.last_of = RH_NONE;
    x->event.serial = ++g->next_serial;
    x->event.greatest =
        x->now.kind != RH_CHOICE_CRASH && x->now.kind != RH_CHOICE_UNSTORED; /* never what must be thrown away */
    for (uint32_t i = 0; i < count; i++)
        if (i != chosen && rh__graph_greater(g, &g->options[options + i], &x->now))
            x->event.greatest = false;
    if (g->option_top < options + count)
        g->option_top = options + count;
    if (again) {
        x->event.wish = again->event.wish;
        x->event.birth = again->event.birth;
        x->event.born_at = again->event.born_at;
        x->option_end = again->option_end;
        x->event.wish_is_of_this_level = again->event.wish_is_of_this_level;
        if (place == actor && g->wish_top <= x->event.wish)
            rh__graph_keep_wish(g, x->event.wish);
    } else {
        x->event.birth = g->birth[actor] == stamp ? RH_NONE : g->birth[actor];
        x->event.born_at = g->born_at[actor];
        x->event.wish_is_of_this_level = true;
        if (place == actor)
            x->event.wish = rh__graph_read_wish(g, w, g->actor_of[actor]);
    }
    rh__graph_link_event(g, stamp);
    rh__graph_set_row(g, x);
    add_step(g, stamp, x->event.serial);
    return stamp;
}

void rh__graph_begin(struct graph *g, struct rh_world *w)
{
    g->levels[0] = (struct level){ .weight = 1 };
    g->level_count = 1;
    g->node_top = g->run_top = g->row_top = g->option_top = g->wish_top = g->image_top = 0;
    g->todo_count = g->lost = g->twice = g->crashed = 0;
    g->absorbed = g->made_count = 0;
    for (uint32_t p = 0; p < g->places; p++) {
        g->last_event[p] = g->last_of_actor[p] = g->last_send[p] = g->last_life[p] = g->birth[p] = RH_NONE;
        g->frozen[p] = false;
    }
    uint32_t test = rh__graph_place(g, w->actors[0].identity);
    g->place_of_actor[0] = test;
    g->actor_of[test] = 0;
    g->options[0] = (struct option){ RH_CHOICE_BEGIN, RH_NONE, 0 };
    g->option_top = 1;
    rh__graph_add_event(g, w, test, test, 0, 1, 0, &(struct node){ .option_end = 1, .event.birth = RH_NONE });
    rh__graph_top(g)->base = 1;
    rh__graph_absorb(g, w);
}

static uint32_t send_total(const struct node *event)
{
    return event->event.sends + event->event.asks;
}

/* The newest of the event's sends says what comes next. */
bool rh__graph_due_of(const struct graph *g, uint32_t stamp, struct send_due *due)
{
    const struct node *x = rh__graph_node(g, stamp);
    *due = (struct send_due){ .event = stamp, .fate = true };
    if (x->event.last_of != RH_NONE) {
        const struct node *n = rh__graph_node(g, x->event.last_of);
        if (n->kind == NODE_FATE) {
            due->ordinal = n->fate.ordinal + (n->now.kind == FATE_LOST);
            due->fate = n->now.kind == FATE_LOST;
        } else {
            const struct node *fate = n->send.next_of == RH_NONE ? NULL : rh__graph_node(g, n->send.next_of);
            due->copy = !n->send.copy && fate && fate->kind == NODE_FATE && fate->fate.ordinal == n->send.ordinal &&
                        fate->now.kind == FATE_TWICE;
            due->ordinal = n->send.ordinal + !due->copy;
            due->fate = !due->copy;
        }
    }
    return due->ordinal < send_total(x);
}

bool rh__graph_send_due(struct graph *g, struct send_due *due)
{
    while (g->todo_count) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < g->todo_count; i++) {
            const struct node *x = rh__graph_node(g, g->todo[i]), *b = rh__graph_node(g, g->todo[best]);
            if (g->identity[x->actor] < g->identity[b->actor] || (x->actor == b->actor && x->position < b->position))
                best = i;
        }
        if (rh__graph_due_of(g, g->todo[best], due))
            return true;
        g->todo[best] = g->todo[--g->todo_count];
    }
    return false;
}

uint32_t rh__graph_add_fate(struct graph *g, const struct send_due *due)
{
    struct node *event = rh__graph_node(g, due->event);
    uint32_t stamp = new_node(g, NODE_FATE, event->actor, event->position + 1 + 4 * due->ordinal);
    struct node *x = rh__graph_node(g, stamp);
    x->of = due->event;
    x->fate.ordinal = due->ordinal;
    x->fate.next_of = event->event.last_of;
    event->event.last_of = stamp;
    return stamp;
}

void rh__graph_add_fate_step(struct graph *g, uint32_t stamp)
{
    struct node *x = rh__graph_node(g, stamp);
    g->lost += x->now.kind == FATE_LOST;
    g->twice += x->now.kind == FATE_TWICE;
    x->fate.serial = ++g->next_serial;
    add_step(g, stamp, x->fate.serial);
}

/* News of an end come behind what is in the past of the message that brought them. */
static void describe_news(const struct graph *g, const struct message *m, struct node *x, uint32_t message)
{
    x->send.tells = RH_NONE;
    if (!m->behind || x->send.signal)
        return;
    RH__ASSERT(m->behind == message || g->send_of_message[m->behind] != RH_NONE, "news that nobody brought");
    const struct node *news = m->behind == message ? x : rh__graph_node(g, g->send_of_message[m->behind]);
    x->send.tells = g->place_of_actor[m->seen_as];
    x->send.told = news->actor == x->send.tells
                       ? news->position
                       : rh__graph_row_at(g, rh__graph_node(g, news->of)->event.row, x->send.tells);
}

/* Under fifo and causal the channel is the sender; under mailbox, for what the program posts, the mailbox, in the order of the
 * operations on it. */
static void describe_message(struct graph *g, const struct rh_world *w, struct node *x)
{
    const struct node *event = rh__graph_node(g, x->of);
    const struct message *m = &w->messages[rh__graph_message(g, w, x)];
    x->send.to = g->place_of_actor[m->receiver];
    x->send.type = m->type;
    x->send.signal = m->type == &rh__exit_signal;
    x->send.starts = rh__message_is_start(m);
    x->send.posted = m->posted;
    x->send.seen_as = g->place_of_actor[m->seen_as];
    describe_news(g, m, x, rh__graph_message(g, w, x));
    x->send.answers = rh__graph_id_of_message(g, w, m->answers);
    x->send.channel = w->semantics.model == RH_BAG && !x->send.signal ? RH_NONE : g->place_of_actor[m->sender];
    x->send.rank = x->position;
    x->send.wake = m->wake;
    x->send.life = m->life;
    if (m->life) /* in order under every model */
        x->send.channel = g->place_of_actor[m->sender];
    if (w->semantics.model == RH_MAILBOX && m->posted)
        x->send.channel = RH_NONE - 1;
    if (event->event.posts && x->send.ordinal == 0) /* else in the test's preparations, before all others */
        x->send.rank = (1u << 30) + event->event.index * 2 + x->send.copy;
}

void rh__graph_describe(struct graph *g, const struct rh_world *w, struct node *x)
{
    const struct node *event = rh__graph_node(g, x->of);
    if (x->send.ordinal < event->event.sends) {
        describe_message(g, w, x);
    } else {
        x->send.to = rh__graph_place(g, w->actors[g->actor_of[event->actor]].object);
        x->send.answers.actor = RH_NONE;
        x->send.channel = x->send.seen_as = x->send.tells = RH_NONE;
    }
}

uint32_t rh__graph_add_send(struct graph *g, struct rh_world *w, const struct send_due *due)
{
    struct node *event = rh__graph_node(g, due->event);
    uint32_t stamp = new_node(g, NODE_SEND, event->actor, event->position + 2 + due->copy + 4 * due->ordinal);
    struct node *x = rh__graph_node(g, stamp);
    x->of = due->event;
    x->send.ordinal = due->ordinal;
    x->send.copy = due->copy;
    x->send.taken = RH_NONE;
    x->send.next_of = event->event.last_of;
    if (due->copy) /* right behind the first, which is right behind its fate */
        x->send.fate = rh__graph_node(g, x->send.next_of)->send.next_of;
    event->event.last_of = stamp;
    rh__graph_describe(g, w, x);
    if (x->send.type)
        g->send_of_message[rh__graph_message(g, w, x)] = stamp;
    x->send.before_to = g->last_send[x->send.to];
    g->last_send[x->send.to] = stamp;
    return stamp;
}

static uint32_t life_position(const struct graph *g, uint32_t actor)
{
    return g->last_of_actor[actor] == RH_NONE ? 1 : rh__graph_next_position(g, actor) - 3;
}

bool rh__graph_life_due(const struct graph *g, uint32_t actor)
{
    return g->last_life[actor] == RH_NONE ||
           rh__graph_node(g, g->last_life[actor])->position != life_position(g, actor);
}

uint32_t rh__graph_add_life(struct graph *g, uint32_t actor)
{
    uint32_t stamp = new_node(g, NODE_LIFE, actor, life_position(g, actor));
    rh__graph_node(g, stamp)->of = g->last_life[actor];
    rh__graph_node(g, stamp)->event.birth = g->birth[actor];
    rh__graph_node(g, stamp)->event.born_at = g->born_at[actor];
    g->last_life[actor] = stamp;
    return stamp;
}

/* ---- taking away ------------------------------------------------------------------------------------------------------------ */

static void put_on_todo(struct graph *g, uint32_t event)
{
    for (uint32_t i = 0; i < g->todo_count; i++)
        if (g->todo[i] == event)
            return;
    g->todo[g->todo_count++] = event;
}

static void take_off_todo(struct graph *g, uint32_t event)
{
    for (uint32_t i = 0; i < g->todo_count; i++)
        if (g->todo[i] == event)
            g->todo[i--] = g->todo[--g->todo_count];
}

static void drop_step(struct graph *g)
{
    struct level *l = rh__graph_top(g);
    l->steps--;
    g->run_top--;
    if (g->absorbed > l->steps)
        g->absorbed = l->steps;
}

void rh__graph_drop_fate_step(struct graph *g, uint32_t stamp)
{
    struct node *x = rh__graph_node(g, stamp);
    g->lost -= x->now.kind == FATE_LOST;
    g->twice -= x->now.kind == FATE_TWICE;
    if (x->now.kind != FATE_NONE)
        drop_step(g);
    if (x->now.kind == FATE_LOST)
        put_on_todo(g, x->of); /* its event was done with the loss */
    x->now.kind = FATE_NONE;
}

static void unlink_node(struct graph *g, struct node *x, uint32_t stamp)
{
    switch ((enum node_kind)x->kind) {
    case NODE_EVENT:
        g->last_event[x->event.place] = x->event.before_in_place;
        g->last_of_actor[x->actor] = x->event.before_of_actor;
        if (x->now.cause != RH_NONE)
            rh__graph_node(g, x->now.cause)->send.taken = RH_NONE;
        g->crashed -= x->now.kind == RH_CHOICE_CRASH;
        take_off_todo(g, stamp);
        if (x->event.failed)
            g->frozen[x->actor] = g->frozen[x->event.place] = false;
        else
            drop_step(g);
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

void rh__graph_cut(struct graph *g, uint32_t count)
{
    struct level *l = rh__graph_top(g);
    while (l->count > count) {
        struct node *x = rh__graph_node(g, l->count - 1);
        unlink_node(g, x, l->count - 1);
        g->row_top = x->rows_before;
        g->option_top = x->options_before;
        g->wish_top = x->wishes_before;
        g->image_top = x->images_before;
        l->count--;
        g->node_top--;
    }
}
