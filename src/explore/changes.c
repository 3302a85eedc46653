/* When a send appears, which earlier events could have taken it, and from which of these the search must go on (graph.h,
 * optimal.c).
 *
 * The executable specification calls it a revisit: event r of the same place, not in the past of send s, takes s instead; what
 * was added after r and is not in the past of s is thrown away.  That happens only if everything thrown away, and r itself,
 * was canonical:
 *   - a send that no event with a lower stamp takes;
 *   - an event that took the greatest of what was deliverable to it, counting only what was added before it and the past of s;
 *   - a message that nothing befell; an actor that did not crash.
 * Of all graphs from which the same change could be made exactly one passes.  Whether a node is canonical does not depend on
 * r, so one walk from the newest node down, as far as all are canonical, finds every r. */
#include "base/copy.h"
#include "base/fail.h"
#include "explore/graph.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/receive.h"

bool rh__graph_greater(const struct graph *g, const struct option *a, const struct option *b)
{
    if (a->cause == RH_NONE || b->cause == RH_NONE) {
        if (a->cause != b->cause)
            return b->cause == RH_NONE; /* a message above all that an actor does by itself */
        return a->kind != b->kind ? a->kind > b->kind : a->detail > b->detail;
    }
    const struct node *x = rh__graph_node(g, a->cause), *y = rh__graph_node(g, b->cause);
    return x->actor != y->actor ? g->identity[x->actor] > g->identity[y->actor] : x->position > y->position;
}

/* ---- would it have taken this? -------------------------------------------------------------------------------------------- */

static bool same_send(const struct send_id *id, const struct node *send)
{
    return id->actor == send->actor && id->position == send->position;
}

/* Where a snapshot was loaded before, the way back leads over the beginning. */
static void go_back_to(struct rh_world *w, uint32_t step)
{
    size_t bytes = step * sizeof(struct rh_choice);
    struct rh_choice *choices = rh__alloc(bytes);
    RH__ASSERT(choices, "no memory to look back");
    for (uint32_t i = 0; i < step; i++)
        choices[i] = w->events[i].choice;
    rh_world_rollback(w, step);
    while (w->event_count < step && rh_world_step(w, &choices[w->event_count]))
        ;
    RH__ASSERT(w->event_count == step, "step %u is out of reach", step);
    rh__free(choices);
}

/* The predicate of a receive can only be asked in the state in which it waited: the world goes back there and returns.  The
 * message does not exist then; its copy stands where the next one would. */
static bool ask_predicate(const struct graph *g, struct rh_world *w, const struct node *event, const struct node *send)
{
    struct message m = w->messages[rh__graph_message(g, w, send)];
    size_t bytes = ((m.size + 15u) & ~15u) + m.tail_size;
    struct rh_snapshot *now = rh_world_save(w);
    char *value = rh__alloc(bytes + 1);
    RH__ASSERT(now && value, "no memory to look back");
    rh__copy(value, w->payload + m.payload, bytes);
    go_back_to(w, event->event.step);
    uint64_t at = (w->payload_at + 15) & ~(uint64_t)15;
    rh__copy(w->payload + at, value, bytes);
    m.payload = at;
    w->messages[w->message_count] = m;
    bool fits = rh__filter_matches(w, &w->actors[g->actor_of[event->actor]], w->message_count);
    rh_world_load(w, now);
    rh__free(value);
    rh_snapshot_free(now);
    return fits;
}

static void exchange(char *one, char *other, uint32_t size)
{
    char bytes[256];
    for (uint32_t i = 0, n; i < size; i += n) {
        n = size - i < sizeof bytes ? size - i : (uint32_t)sizeof bytes;
        rh__copy(bytes, one + i, n);
        rh__copy(one + i, other + i, n);
        rh__copy(other + i, bytes, n);
    }
}

/* Nobody runs on that stack now, so what the predicate can see may stand there for a moment. */
static bool ask_image(const struct graph *g, struct rh_world *w, const struct wish *wish, const struct node *send)
{
    char *image = g->images + wish->image;
    for (int turn = 0;; turn++) {
        char *at = image;
        for (int i = 0; i < 2; i++) {
            exchange(wish->at[i], at, wish->size[i]);
            at += (wish->size[i] + 15) & ~15u;
        }
        if (turn)
            return w->sought_found;
        w->sought_found = rh__filter_fits(w, wish->filter, rh__graph_message(g, w, send));
    }
}

static bool ask(const struct graph *g, struct rh_world *w, const struct node *event, const struct wish *wish,
                const struct node *send)
{
    return wish->image != RH_NONE ? ask_image(g, w, wish, send) : ask_predicate(g, w, event, send);
}

static bool fits_wait(const struct graph *g, struct rh_world *w, const struct node *event, const struct wish *wish,
                      const struct node *send)
{
    if (wish->asking.actor != RH_NONE)
        return same_send(&wish->asking,
                         &(struct node){ .actor = send->send.answers.actor, .position = send->send.answers.position });
    if (send->send.answers.actor != RH_NONE || (wish->from != RH_NONE && wish->from != send->send.seen_as))
        return false;
    bool listed = !wish->type_count;
    for (uint32_t i = 0; i < wish->type_count && !listed; i++)
        listed = wish->types[i] == send->send.type;
    return listed && (!wish->tested || ask(g, w, event, wish, send));
}

/* As network.c says of a receiver as it is now. */
static bool wants(const struct graph *g, struct rh_world *w, const struct node *event, const struct node *send)
{
    if (event->event.place != event->actor)
        return true; /* an object takes every operation */
    const struct wish *wish = &g->wishes[event->event.wish];
    if (wish->status == STATUS_CRASHED)
        return false;
    if (send->send.signal)
        return true;
    if (send->send.wake)
        return wish->wait == send->send.wake;
    if (send->send.life && wish->life != send->send.life)
        return false;
    if (send->send.starts || wish->start.actor != RH_NONE)
        return same_send(&wish->start, send);
    if (wish->status == STATUS_WAITING)
        return fits_wait(g, w, event, wish, send);
    if (wish->status != STATUS_IDLE || send->send.answers.actor != RH_NONE)
        return false; /* a reply is for whoever waits for it, and else lost */
    if (!wish->defers && send->send.type->unhandled != RH_UNHANDLED_DEFER)
        return true;
    const struct rh_entry *entry;
    return rh__disposition(&(struct actor){ .behaviour = wish->behaviour }, send->send.type, &entry) != RH_ACTION_DEFER;
}

/* ---- was it there? ---------------------------------------------------------------------------------------------------------- */

/* A send, and all that has to be known about it while others are compared with it. */
struct view {
    struct graph *g;
    struct rh_world *w;
    const struct node *s; /* the new send */
};

/* What counts for an event: what was added before it, and the past of s. */
static bool known(const struct view *v, uint32_t event, uint32_t send)
{
    return send < event || rh__graph_in_past(v->g, rh__graph_node(v->g, send), v->s);
}

/* Taken by its place before the event, or dropped by what its actor did before. */
static bool gone_before(const struct view *v, const struct node *event, const struct node *send)
{
    if (send->send.taken != RH_NONE)
        return rh__graph_node(v->g, send->send.taken)->event.index < event->event.index;
    if (!send->send.type)
        return false;
    uint32_t by = v->w->messages[rh__graph_message(v->g, v->w, send)].taken_by;
    if (by == RH_NONE || by >= rh__graph_top(v->g)->steps)
        return false;
    const struct node *x = rh__graph_node(v->g, v->g->run[rh__graph_top(v->g)->first_step + by].node);
    return x->kind == NODE_EVENT && x->actor == event->actor && x->position < event->position;
}

/* Whether z must come before y, if the receiver wants both. */
static bool goes_before(const struct view *v, const struct node *z, const struct node *y)
{
    if (z->send.signal != y->send.signal)
        return false;
    if (y->send.tells != RH_NONE && z->send.posted && z->actor == y->send.tells && z->position < y->send.told)
        return true;
    if (v->w->semantics.model == RH_CAUSAL && !y->send.signal &&
        rh__message_in_past(v->w, rh__graph_message(v->g, v->w, z), rh__graph_message(v->g, v->w, y)))
        return true;
    return z->send.channel != RH_NONE && z->send.channel == y->send.channel && z->send.rank < y->send.rank;
}

/* Whether the event could have taken y: it would, and nothing stands before it. */
static bool deliverable(const struct view *v, uint32_t stamp, uint32_t y)
{
    const struct node *event = rh__graph_node(v->g, stamp), *send = rh__graph_node(v->g, y);
    if (gone_before(v, event, send) || !wants(v->g, v->w, event, send))
        return false;
    if (event->event.place != event->actor)
        return true;
    for (uint32_t z = v->g->last_send[event->event.place]; z != RH_NONE;) {
        const struct node *other = rh__graph_node(v->g, z);
        if (z != y && goes_before(v, other, send) && (other == v->s || known(v, stamp, z)) &&
            !gone_before(v, event, other) && wants(v->g, v->w, event, other))
            return false;
        z = other->send.before_to;
    }
    return true;
}

/* ---- which changes ------------------------------------------------------------------------------------------------------------ */

static bool took_the_greatest(const struct view *v, uint32_t stamp)
{
    const struct node *x = rh__graph_node(v->g, stamp);
    if (x->event.changed ? !rh__graph_in_past(v->g, rh__graph_node(v->g, x->now.cause), v->s) : !x->event.greatest)
        return false;
    for (uint32_t y = v->g->last_send[x->event.place]; y != RH_NONE;) {
        const struct node *send = rh__graph_node(v->g, y);
        struct option other = { .cause = y };
        if (y < stamp && !x->event.changed)
            break; /* those before it were compared when it was added */
        if (send != v->s && y != x->now.cause && known(v, stamp, y) && rh__graph_greater(v->g, &other, &x->now) &&
            deliverable(v, stamp, y))
            return false;
        y = send->send.before_to;
    }
    return true;
}

static bool canonical(const struct view *v, uint32_t stamp)
{
    const struct node *x = rh__graph_node(v->g, stamp);
    switch ((enum node_kind)x->kind) {
    case NODE_EVENT:
        return took_the_greatest(v, stamp);
    case NODE_SEND:
        return x->send.taken == RH_NONE || x->send.taken > stamp;
    case NODE_FATE:
        return x->now.kind == FATE_NONE;
    default:
        return x->now.detail == 0;
    }
}

void rh__graph_find_changes(struct graph *g, struct rh_world *w, uint32_t s)
{
    struct node *send = rh__graph_node(g, s);
    struct view v = { g, w, send };
    uint32_t lowest = RH_NONE;
    for (uint32_t r = g->last_event[send->send.to]; r != RH_NONE; r = rh__graph_node(g, r)->event.before_in_place) {
        if (rh__graph_in_past(g, rh__graph_node(g, r), send))
            break;
        lowest = r;
    }
    if (lowest == RH_NONE)
        return;
    for (uint32_t i = s; i-- > lowest;) {
        const struct node *x = rh__graph_node(g, i);
        if (rh__graph_in_past(g, x, send))
            continue;
        if (!canonical(&v, i))
            break;
        if (x->kind == NODE_EVENT && x->event.place == send->send.to && deliverable(&v, i, s)) {
            g->options[g->option_top++] = (struct option){ .cause = i };
            send->option_count++;
            send->option_end++;
        }
    }
}
