/* Revisits: a new send s appears, and an earlier event r of the same place takes s instead of what it took [TruSt
 * 2022] [Must 2024].
 *
 * The graph of a revisit keeps what was added before r and the past of s; all other nodes are deleted (levels.c).
 * The search goes on from that graph only if r could have taken s, and if r and every deleted node are canonical:
 *   - a send: no event with a lower stamp takes it;
 *   - an event: it took the greatest of what was deliverable to it when only nodes added before it and the past of s
 *     count;
 *   - an operation: it found the newest version of those that count, and no event with a lower stamp finds its change;
 *   - a FATE: nothing happened to the message; a LIFE: the actor did not crash.
 * The same holds if an operation e appears that would change its object at some version, and r is an operation on the
 * object: r finds e.  Then the past of s is that of e with this version, and e is kept, too.
 *
 * Invariants:
 *   - Of all graphs from which a revisit leads to the same graph exactly one has canonical nodes only.  So each graph
 *     is visited once, and none is remembered.  (TruSt calls such nodes maximally added.)  tests/reference has the
 *     executable specification.
 *   - The greatest option is a function of the graph: rh__graph_greater compares identities and positions, which are
 *     the same in every run.
 *   - Whether a node is canonical does not depend on r.  So one walk from the newest node down, until a node is not
 *     canonical, finds every r.
 *   - The stance of an event takes the message that the event took (checked in the hostile build). */
#include "explore/optimal/revisit.h"
#include "base/fail.h"
#include "base/hash.h"
#include "world/live.h"

static uint64_t key_of(const struct optimal_graph *g, uint32_t actor)
{
    return g->exchange.rule && g->exchange.key[actor] ? g->exchange.key[actor] : g->identity[actor];
}

bool rh__graph_greater(const struct optimal_graph *g, const struct optimal_option *a, const struct optimal_option *b)
{
    if (a->cause == RH_NONE || b->cause == RH_NONE) {
        if (a->cause != b->cause)
            return b->cause == RH_NONE; /* a message is greater than what an actor does by itself */
        return a->kind != b->kind ? a->kind > b->kind : a->detail > b->detail;
    }
    const struct optimal_node *x = rh__graph_node(g, a->cause), *y = rh__graph_node(g, b->cause);
    if (x == y)
        return a->detail > b->detail;
    struct optimal_send_id one = rh__graph_id(g, x), other = rh__graph_id(g, y);
    return one.actor != other.actor ? key_of(g, one.actor) > key_of(g, other.actor) : one.position > other.position;
}

uint32_t rh__graph_restarts_left(const struct optimal_graph *g, const struct optimal_node *x)
{
    uint32_t used[2] = { 0 };
    for (uint32_t y = x->event.before_in_place; y != RH_NONE; y = rh__graph_node(g, y)->event.before_in_place)
        used[rh__graph_node(g, y)->now.detail & 1]++;
    return (used[0] < g->seen->semantics->restarts) | (uint32_t)(used[1] < g->seen->semantics->kept_restarts) << 1;
}

/* Whether a restart in turn keeps the state, if it can. */
static bool restarts_as_it_should(const struct optimal_graph *g, const struct optimal_node *x)
{
    return x->now.detail || !(rh__graph_restarts_left(g, x) & 2);
}

/* ---- would it have taken this? ----------------------------------------------------------------------------------- */

static bool ask_now(const struct optimal_graph *g, const struct rh_world *w, const struct optimal_node *event,
                    const struct optimal_stance *stance, const struct optimal_node *send)
{
    uint32_t message = rh__graph_message(g, send);
    if (stance->image != RH_NONE && !event->event.stale)
        return rh__predicate_ask(w, &stance->predicate, g->images + stance->image, g->images + g->image_top, message);
    /* The world is right before the step of a new event.  The actor of an event that fails does nothing more: the end
     * of the run is as good. */
    bool unmade = event->event.failed || event->event.sends == RH_NONE;
    uint32_t step = unmade ? g->seen->event_count : event->event.step;
    return rh__predicate_ask_before(w, step, g->actor_of[event->actor], message);
}

/* Under mailbox the same question is asked again and again, because each walk over the events that come before others
 * asks what the receives want (before.c).  The answer depends on the state in which the actor waits, after its previous
 * event, and on the message.  Equal serials mean the same event with the same past, in all levels. */
static bool ask(const struct optimal_graph *g, const struct rh_world *w, const struct optimal_node *event,
                const struct optimal_stance *stance, const struct optimal_node *send)
{
    if (!g->by_receiver || event->event.before_of_actor == RH_NONE)
        return ask_now(g, w, event, stance, send);
    uint64_t before = rh__graph_node(g, event->event.before_of_actor)->event.serial;
    uint64_t sender = rh__graph_node(g, send->of)->event.serial;
    uint64_t hash = rh__mix(before, sender ^ (uint64_t)send->send.ordinal << 32);
    struct optimal_answer *a = &g->answers[hash % GRAPH_ANSWERS];
    if (a->before != before || a->sender != sender || a->ordinal != send->send.ordinal)
        *a = (struct optimal_answer){ before, sender, send->send.ordinal, ask_now(g, w, event, stance, send) };
    else
        RH__CHECK(a->takes == ask_now(g, w, event, stance, send), "a predicate accepts a message now and then");
    return a->takes;
}

static struct rh__mail mail_of(const struct optimal_graph *g, const struct optimal_node *send)
{
    return (struct rh__mail){ .type = send->send.type,
                              .key = rh__graph_key(rh__graph_id(g, send)),
                              .answers = rh__graph_key(send->send.answers),
                              .seen_as = rh__key(send->send.seen_as),
                              .wake = send->send.wake,
                              .life = send->send.life,
                              .signal = send->send.signal,
                              .kills = send->send.kills,
                              .heard = send->send.heard,
                              .quiet = send->send.quiet,
                              .starts = send->send.starts };
}
/* Whether the actor of this event would have taken the send in its place; an object takes every operation. */
static bool wants(const struct optimal_graph *g, const struct rh_world *w, const struct optimal_node *event,
                  const struct optimal_node *send)
{
    if (event->event.place != event->actor)
        return true;
    const struct optimal_stance *stance = &g->stances[event->event.stance];
    struct rh__mail mail = mail_of(g, send);
    enum rh__taking takes = rh__takes(&stance->stance, &mail);
    return takes == RH__ASK_PREDICATE ? ask(g, w, event, stance, send) : takes == RH__TAKES;
}

/* ---- was it deliverable? ----------------------------------------------------------------------------------------- */

/* Whether the send was taken by its place before the event, or dropped by an earlier event of the actor. */
static bool gone_before(const struct optimal_graph *g, const struct optimal_node *event,
                        const struct optimal_node *send)
{
    const struct optimal_level *l = &g->levels[g->level_count - 1];
    if (send->send.taken != RH_NONE)
        return rh__graph_node(g, send->send.taken)->event.index < event->event.index;
    if (!send->send.type)
        return false;
    uint32_t by = rh__run_message(g->seen, rh__graph_message(g, send))->taken_by;
    if (by == RH_NONE || by >= l->steps)
        return false;
    const struct optimal_node *x = rh__graph_node(g, g->run[l->first_step + by].node);
    return x->kind == NODE_EVENT && x->actor == event->actor && x->position < event->position;
}

bool rh__graph_wants(struct optimal_graph *g, const struct rh_world *w, uint32_t event, uint32_t send)
{
    const struct optimal_node *x = rh__graph_node(g, event), *s = rh__graph_node(g, send);
    return !gone_before(g, x, s) && wants(g, w, x, s);
}

bool rh__graph_same_step_before(const struct optimal_node *z, const struct optimal_node *y)
{
    return z->of == y->of && (z->send.ordinal != y->send.ordinal ? z->send.ordinal < y->send.ordinal : !z->send.copy);
}

/* Whether a send waits for others of its type, so that it is not in the way of what the event takes alone. */
static bool waits_for_others(const struct optimal_graph *g, const struct optimal_node *event,
                             const struct optimal_node *send)
{
    return rh__graph_gathers(g, event) && rh__graph_joins(g, event, send);
}

bool rh__graph_comes_first(struct optimal_graph *g, const struct rh_world *w, const struct optimal_part *part,
                           uint32_t event, uint32_t send)
{
    const struct optimal_node *x = rh__graph_node(g, event), *s = rh__graph_node(g, send);
    bool marked = false;
    for (uint32_t z = g->last_send[s->send.to]; z != RH_NONE; z = rh__graph_node(g, z)->send.before_to) {
        const struct optimal_node *other = rh__graph_node(g, z);
        if (z == send || !other->send.posted || !rh__graph_has(g, part, z) || waits_for_others(g, x, other) ||
            !rh__graph_wants(g, w, event, z))
            continue;
        if (!marked)
            rh__graph_mark_before(g, w, part, RH_NONE, send);
        marked = true;
        if (other->of == s->of ? rh__graph_same_step_before(other, s) : g->map[other->of])
            return false;
    }
    return true;
}

/* Under mailbox: whether all that the event wants may come after it, in a part of the graph.  `wake` is the message
 * from the clock that ends the wait;  RH_NONE for none. */
static bool may_find_nothing(struct optimal_graph *g, const struct rh_world *w, const struct optimal_part *part,
                             uint32_t event, uint32_t wake)
{
    const struct optimal_node *x = rh__graph_node(g, event);
    bool marked = false;
    for (uint32_t z = g->last_send[x->event.place]; z != RH_NONE; z = rh__graph_node(g, z)->send.before_to) {
        const struct optimal_node *s = rh__graph_node(g, z);
        if (!s->send.posted || !rh__graph_has(g, part, z) || !rh__graph_wants(g, w, event, z))
            continue;
        if (!marked)
            rh__graph_mark_before(g, w, part, x->event.before_of_actor, wake);
        marked = true;
        if (g->map[s->of])
            return false;
    }
    return true;
}

/* Whether z must come before y, if the receiver would take both in the place of the event. */
static bool goes_before(const struct view *v, const struct optimal_node *event, const struct optimal_node *z,
                        const struct optimal_node *y)
{
    bool hears = rh__hears_signals(&v->g->stances[event->event.stance].stance);
    return rh__precedes(v->w, rh__graph_message(v->g, z), rh__graph_message(v->g, y), hears);
}

bool rh__view_deliverable(const struct view *v, uint32_t stamp, uint32_t y)
{
    const struct optimal_node *event = rh__graph_node(v->g, stamp), *send = rh__graph_node(v->g, y);
    if (gone_before(v->g, event, send) || !wants(v->g, v->w, event, send))
        return false;
    if (event->event.place != event->actor)
        return true;
    if (rh__graph_joins(v->g, event, send))
        return false; /* not alone */
    if (v->g->by_receiver && send->send.posted) {
        struct optimal_part part = rh__view_part_before(v, stamp);
        return rh__graph_comes_first(v->g, v->w, &part, stamp, y);
    }
    if (v->g->by_receiver && send->send.wake) {
        struct optimal_part part = rh__view_part_before(v, stamp);
        if (!may_find_nothing(v->g, v->w, &part, stamp, y))
            return false;
    }
    for (uint32_t z = v->g->last_send[event->event.place]; z != RH_NONE;) {
        const struct optimal_node *other = rh__graph_node(v->g, z);
        if (z != y && (other == v->s || rh__view_knows(v, stamp, z)) && goes_before(v, event, other, send) &&
            !waits_for_others(v->g, event, other) && !gone_before(v->g, event, other) &&
            wants(v->g, v->w, event, other))
            return false;
        z = other->send.before_to;
    }
    return true;
}

/* ---- which revisits -------------------------------------------------------------------------------------------- */

static bool took_the_greatest(const struct view *v, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(v->g, stamp);
    if (x->event.revisited ? !rh__view_knows(v, stamp, x->now.cause) : !x->event.greatest)
        return false;
    if (x->now.kind == RH_CHOICE_RESTART && x->event.place != x->actor && !restarts_as_it_should(v->g, x))
        return false;
    for (uint32_t y = v->g->last_send[x->event.place]; y != RH_NONE;) {
        const struct optimal_node *send = rh__graph_node(v->g, y);
        struct optimal_option other = { .cause = y };
        if (y < stamp && !x->event.revisited && !v->g->by_receiver)
            break; /* sends before it were compared when the event was added; in a mailbox that may change */
        if (send != v->s && y != x->now.cause && rh__view_knows(v, stamp, y) &&
            rh__graph_greater(v->g, &other, &x->now) && rh__view_deliverable(v, stamp, y))
            return false;
        y = send->send.before_to;
    }
    return true;
}

/* Whether an operation found the newest version, and no earlier event found its change. */
static bool found_the_newest(const struct view *v, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(v->g, stamp);
    uint32_t next = rh__graph_next_change(v->g, x->event.place, x->now.cause);
    if (next != RH_NONE && next != stamp && (next < stamp || rh__view_in_past(v, rh__graph_node(v->g, next))))
        return false;
    for (uint32_t y = x->event.wrote ? v->g->last_event[x->event.place] : RH_NONE; y != RH_NONE;
         y = rh__graph_node(v->g, y)->event.before_in_place)
        if (y < stamp && rh__graph_node(v->g, y)->now.cause == stamp)
            return false;
    return true;
}

bool rh__view_canonical_event(const struct view *v, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(v->g, stamp);
    if (x->event.finds)
        return found_the_newest(v, stamp);
    RH__CHECK(x->now.cause == RH_NONE || wants(v->g, v->w, x, rh__graph_node(v->g, x->now.cause)),
              "event %u took what its stance does not take", stamp);
    if (x->event.part)
        return true; /* its unit is asked for as a whole */
    return rh__graph_awaited(v->g, x) ? rh__view_took_greatest_set(v, stamp) : took_the_greatest(v, stamp);
}

/* Under mailbox the steps may need another order, so that the receive finds the message first. */
static uint32_t order_of_revisit(const struct view *v, uint32_t event, uint32_t send)
{
    const struct optimal_option was = rh__graph_node(v->g, event)->now;
    struct optimal_option other = { .kind = RH_CHOICE_DELIVER, .cause = send };
    struct optimal_part part = rh__view_part_before(v, event);
    if (!v->g->by_receiver || !(v->s->send.posted || v->s->send.wake))
        return 0;
    rh__graph_decide(v->g, event, &other);
    uint32_t order = rh__graph_order(v->g, v->w, &part, send, event, 0);
    rh__graph_decide(v->g, event, &was);
    return order;
}

/* Whether the graph in which r takes s leads to no run in order (exchange.h).  As long as r stands there, that is so if
 * r takes s too early.  And r stands there for good if it could take something greater: then it is not canonical, nor
 * will it be, because all that is known now will be known. */
static bool is_left_out(const struct view *v, uint32_t r)
{
    const struct optimal_node *x = rh__graph_node(v->g, r);
    uint32_t s = (uint32_t)(v->s - rh__graph_node(v->g, 0));
    const struct optimal_option now = { .cause = s };
    if (!v->g->exchange.rule || x->event.place != x->actor || !rh__graph_out_of_order(v->g, x, s))
        return false;
    for (uint32_t y = v->g->last_send[x->event.place]; y != RH_NONE; y = rh__graph_node(v->g, y)->send.before_to) {
        struct optimal_option other = { .cause = y };
        if (y != s && rh__view_knows(v, r, y) && rh__graph_greater(v->g, &other, &now) && rh__view_deliverable(v, r, y))
            return true;
    }
    return false;
}

void rh__graph_leave_out_revisits(struct optimal_graph *g, const struct rh_world *w, uint32_t s)
{
    struct optimal_node *send = rh__graph_node(g, s);
    struct view v = { g, w, send, rh__graph_past(g, send) };
    uint32_t kept = send->option_next;
    for (uint32_t i = kept; i < send->option_end; i++)
        if (!is_left_out(&v, g->options[send->options + i].cause))
            g->options[send->options + kept++] = g->options[send->options + i];
    rh__graph_keep_options(send, kept);
}

static void add_option(struct optimal_graph *g, uint32_t stamp, struct optimal_option option)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    g->options[g->option_top++] = option;
    x->option_count++;
    x->option_end++;
}

/* One option, or one for each kind of restart that was left. */
static void add_revisits(const struct view *v, uint32_t r, uint32_t s)
{
    const struct optimal_node *x = rh__graph_node(v->g, r);
    bool restarts = x->now.kind == RH_CHOICE_RESTART && x->event.place != x->actor;
    uint32_t kinds = restarts ? rh__graph_restarts_left(v->g, x) : 1;
    for (uint32_t kind = 0; kind < 2; kind++)
        if (kinds >> kind & 1)
            add_option(v->g, s,
                       (struct optimal_option){ .cause = r, .detail = kind, .order = order_of_revisit(v, r, s) });
}

/* Whether the event took a message that must come before the new send: then it cannot take that send.  This costs less
 * than to ask for every message that it could have taken (rh__view_deliverable), and mostly settles it: a receiver that
 * has taken the first message of a sender gets the second one later. */
static bool took_what_goes_before(const struct view *v, uint32_t stamp)
{
    const struct optimal_node *event = rh__graph_node(v->g, stamp);
    if (event->event.place != event->actor || event->now.cause == RH_NONE || v->g->by_receiver ||
        rh__graph_awaited(v->g, event))
        return false;
    return rh__view_knows(v, stamp, event->now.cause) &&
           goes_before(v, event, rh__graph_node(v->g, event->now.cause), v->s);
}

void rh__graph_find_revisits(struct optimal_graph *g, const struct rh_world *w, uint32_t s)
{
    struct optimal_node *send = rh__graph_node(g, s);
    struct view v = { g, w, send, rh__graph_past(g, send) };
    uint32_t lowest = RH_NONE;
    for (uint32_t r = g->last_event[send->send.to]; r != RH_NONE; r = rh__graph_node(g, r)->event.before_in_place) {
        if (rh__view_in_past(&v, rh__graph_node(g, r)))
            break;
        if (!took_what_goes_before(&v, r))
            lowest = r;
    }
    if (lowest == RH_NONE)
        return;
    for (uint32_t r = g->last_event[send->send.to]; r != RH_NONE; r = rh__graph_node(g, r)->event.before_in_place) {
        const struct optimal_node *x = rh__graph_node(g, r);
        if (rh__view_in_past(&v, x))
            break;
        if (rh__graph_awaited(g, x) && !x->event.part && rh__graph_joins(g, x, send) && rh__graph_wants(g, w, r, s))
            rh__graph_find_set_revisits(g, w, s, r);
    }
    for (uint32_t i = s; i-- > lowest;) {
        const struct optimal_node *x = rh__graph_node(g, i);
        if (rh__view_in_past(&v, x))
            continue;
        if (!rh__view_canonical(&v, i))
            break;
        if (x->kind == NODE_EVENT && x->event.place == send->send.to && !x->event.part &&
            rh__view_deliverable(&v, i, s) && !is_left_out(&v, i))
            add_revisits(&v, i, s);
    }
}

uint32_t rh__graph_find_revisits_of(struct optimal_graph *g, const struct rh_world *w, uint32_t actor, uint32_t object,
                                    uint32_t version)
{
    uint32_t top = g->row_top, lowest = RH_NONE, n = 0, next = rh__graph_next_change(g, object, version);
    struct view v = {
        g, w, NULL, { 0, actor, rh__graph_next_position(g, actor), rh__graph_push_row(g, actor, version) }
    };
    for (uint32_t r = g->last_event[object]; r != RH_NONE; r = rh__graph_node(g, r)->event.before_in_place)
        if (r < lowest && !rh__view_in_past(&v, rh__graph_node(g, r)))
            lowest = r;
    for (uint32_t i = rh__graph_top(g)->count; lowest != RH_NONE && i-- > lowest;) {
        const struct optimal_node *x = rh__graph_node(g, i);
        if (rh__view_in_past(&v, x))
            continue;
        if (!rh__view_canonical(&v, i))
            break;
        if (x->kind == NODE_EVENT && x->event.finds && x->event.place == object && (next == RH_NONE || i <= next)) {
            g->options[g->option_top++] =
                (struct optimal_option){ .kind = RH_CHOICE_RESUME, .cause = version, .detail = i };
            n++;
        }
    }
    g->row_top = top;
    return n;
}

/* ---- options of a new event that need another order -------------------------------------------------------------- */

static bool is_listed(const struct optimal_graph *g, const struct optimal_node *x, uint32_t send)
{
    for (uint32_t i = 0; i < x->option_count; i++)
        if (g->options[x->options + i].cause == send)
            return true;
    return false;
}

/* Whether another message that the event wants must come before this one, which is in no mailbox. */
static bool waits_behind(struct optimal_graph *g, const struct rh_world *w, uint32_t stamp, uint32_t send)
{
    uint32_t message = rh__graph_message(g, rh__graph_node(g, send));
    for (uint32_t z = g->last_send[rh__graph_node(g, send)->send.to]; z != RH_NONE;
         z = rh__graph_node(g, z)->send.before_to)
        if (z != send && rh__precedes(w, rh__graph_message(g, rh__graph_node(g, z)), message, false) &&
            rh__graph_wants(g, w, stamp, z))
            return true;
    return false;
}

/* Under mailbox: messages that are not the first in this run, but may be in another one; and to find nothing, if all
 * that the receive wants may come later. */
static void add_from_mailbox(struct optimal_graph *g, const struct rh_world *w, uint32_t stamp)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    struct optimal_part part = { .below = stamp, .row = RH_NONE };
    bool offered = false; /* to find nothing */
    for (uint32_t i = 0; i < x->option_count; i++) {
        const struct optimal_option *o = &g->options[x->options + i];
        offered |= o->kind == RH_CHOICE_TIMER && !o->detail;
    }
    const struct optimal_option first = x->now, none = { .kind = RH_CHOICE_TIMER, .cause = RH_NONE };
    rh__graph_decide(g, stamp, &none); /* it takes nothing while it is asked what it wants */
    for (uint32_t s = g->last_send[x->event.place]; s != RH_NONE; s = rh__graph_node(g, s)->send.before_to) {
        const struct optimal_node *send = rh__graph_node(g, s);
        if (!(send->send.posted || send->send.wake) || rh__graph_joins(g, x, send) || is_listed(g, x, s) ||
            !rh__graph_wants(g, w, stamp, s))
            continue;
        if (send->send.posted ? rh__graph_comes_first(g, w, &part, stamp, s)
                              : !waits_behind(g, w, stamp, s) && may_find_nothing(g, w, &part, stamp, s))
            add_option(g, stamp, (struct optimal_option){ .kind = RH_CHOICE_DELIVER, .cause = s });
    }
    bool waits = g->stances[x->event.stance].stance.kind == RH__WAITS && rh__actor_is_timed(w, g->actor_of[x->actor]) &&
                 !rh__must_take_apart(w, g->actor_of[x->actor]);
    if (waits && !offered && may_find_nothing(g, w, &part, stamp, RH_NONE))
        add_option(g, stamp, none);
    rh__graph_decide(g, stamp, &first);
}

/* Whether the world would not make the step at the end of this run. */
static bool needs_order(const struct optimal_graph *g, uint32_t stamp, uint32_t option, uint32_t offered)
{
    const struct optimal_option *o = &g->options[rh__graph_node(g, stamp)->options + option];
    return rh__graph_node(g, stamp)->event.finds ? option && !o->detail : option >= offered;
}

void rh__graph_more_options(struct optimal_graph *g, const struct rh_world *w, uint32_t stamp)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    uint32_t offered = x->option_count;
    struct optimal_part part = { .below = stamp, .row = RH_NONE };
    if (rh__graph_awaited(g, x)) {
        rh__graph_more_sets(g, w, stamp);
        if (!rh__graph_gathers(g, x))
            return;
        offered = x->option_count;
    }
    if (g->by_receiver && x->event.place == x->actor && x->now.kind != RH_CHOICE_RESUME)
        add_from_mailbox(g, w, stamp);
    const struct optimal_option first = x->now;
    for (uint32_t i = 0; i < x->option_count; i++) {
        if (!needs_order(g, stamp, i, offered))
            continue;
        rh__graph_decide(g, stamp, &g->options[x->options + i]);
        g->options[x->options + i].order = rh__graph_order(g, w, &part, RH_NONE, stamp, 0);
        rh__graph_decide(g, stamp, &first);
    }
    x->orders_end = g->order_top;
}
