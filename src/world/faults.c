/* See faults.h: when each fault is possible, what it does, and what it leaves behind.
 *
 * A fault is offered only if something else is enabled: where nothing is left to do, the run is over.  There are two
 * exceptions.  A restart is offered as long as there is a crashed actor.  If only crashes or messages from outside
 * are left, they are offered together with RH_CHOICE_END.  With granularity object, a fault never depends on what
 * other actors can do: all faults are offered together with RH_CHOICE_END.
 *
 * Delays, and partitions that hold messages, only postpone steps: granularity object has neither, see
 * docs/guarantees.md. */
#include "world/faults.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "world/actors.h"
#include "world/crash_points.h"
#include "world/cuts.h"
#include "world/fingerprint.h"
#include "world/log.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/outside.h"
#include "world/sets.h"
#include "world/step.h"
#include "world/store.h"

#define RH_X(name, possible, offer, open, apply, hash) | 1u << RH_CHOICE_##name
enum { WITH_ROWS = 0 RH__FAULTS(RH_X) };
#undef RH_X
#define RH_X(name, text, attributes, line, people, word)                                                               \
    _Static_assert(!((attributes)&RH_IS_FAULT) == !(WITH_ROWS >> RH_CHOICE_##name & 1),                                \
                   "RH__FAULTS has a row for each fault: " text);
RH_CHOICES(RH_X)
#undef RH_X

/* With more nodes, each one is split from the rest. */
enum { MOST_SPLIT = 7 };

static bool is_offered(struct rh_world *w, const struct rh_choice *c)
{
    return rh__choice_offered(w, c);
}

static struct rh__wide no_state(const struct rh_world *w)
{
    (void)w;
    return rh__wide_of(0);
}

/* ---- delays ------------------------------------------------------------------------------------------------------ */

static bool is_held(const struct rh_world *w, const struct rh_choice *c)
{
    for (uint32_t i = 0; i < MAX_HOLDS; i++) {
        const struct world_hold *h = &w->holds[i];
        if (w->event_count < h->until &&
            (h->message == RH_NONE ? h->actor == c->actor : rh__is_about_message(c) && h->message == c->what))
            return true;
    }
    return false;
}

/* A delay never blocks a run: if all choices are held, none is removed.  Messages behind a held message in a queue are
 * not in the list. */
void rh__leave_out_held(struct rh_world *w)
{
    uint32_t free = 0;
    for (uint32_t i = 0; i < w->choice_count; i++)
        free += !is_held(w, &w->choices[i]);
    if (!free)
        return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->choice_count; i++)
        if (!is_held(w, &w->choices[i]))
            w->choices[kept++] = w->choices[i];
    w->choice_count = kept;
}

/* A delay needs another choice that can come first. */
static bool may_delay(const struct rh_world *w, uint32_t ordinary)
{
    bool room = false;
    for (uint32_t i = 0; i < MAX_HOLDS; i++)
        room |= w->holds[i].until <= w->event_count;
    return room && ordinary >= 2 && !rh__by_object(w);
}

static void offer_delays(struct rh_world *w, uint32_t ordinary)
{
    uint32_t candidates = may_delay(w, ordinary) ? ordinary : 0;
    for (uint32_t i = 0; i < candidates; i++) {
        struct rh_choice c = w->choices[i];
        if (c.kind == RH_CHOICE_DELIVER && rh__message_travels(&w->messages[c.what]))
            rh__offer(w, RH_CHOICE_DELAY, c.actor, c.what, 0);
    }
}

static bool acts_before(const struct rh_world *w, uint32_t choice)
{
    uint32_t i = 0;
    while (i < choice && w->choices[i].actor != w->choices[choice].actor)
        i++;
    return i < choice;
}

static bool others_act(const struct rh_world *w, uint32_t ordinary, uint32_t actor)
{
    uint32_t i = 0;
    while (i < ordinary && w->choices[i].actor == actor)
        i++;
    return i < ordinary;
}

static void offer_slow_actors(struct rh_world *w, uint32_t ordinary)
{
    uint32_t candidates = may_delay(w, ordinary) ? ordinary : 0;
    for (uint32_t i = 0; i < candidates; i++)
        if (!acts_before(w, i) && others_act(w, ordinary, w->choices[i].actor))
            rh__offer(w, RH_CHOICE_SLOW, w->choices[i].actor, 0, 0);
}

static void hold_back(struct rh_world *w, uint32_t actor, uint32_t message)
{
    struct world_hold *h = w->holds;
    while (h < w->holds + MAX_HOLDS && h->until >= w->event_count)
        h++;
    RH__ASSERT(h < w->holds + MAX_HOLDS, "more than %u delays at once", MAX_HOLDS);
    uint32_t until = w->event_count + w->semantics.delay_steps;
    put32(w, &h->message, message);
    put32(w, &h->actor, actor);
    put32(w, &h->until, until);
    put32(w, &w->held_until, until);
}

static void delay(struct rh_world *w, const struct rh_choice *c)
{
    hold_back(w, c->actor, c->what);
}

static void slow_down(struct rh_world *w, const struct rh_choice *c)
{
    hold_back(w, c->actor, RH_NONE);
}

/* Of a message in a channel: its place; where the channel has no order, its contents. */
static struct rh__wide place_in_channel(const struct rh_world *w, uint32_t message)
{
    const struct world_channel *c = &w->channels[w->messages[message].channel];
    uint64_t position = 0;
    if (!w->delivery.in_order && !w->sets_used)
        return rh__message_hash((struct rh_world *)w, message); /* which is kept with the message */
    for (uint32_t i = c->first; i != RH_NONE && i != message; i = w->messages[i].next)
        position++;
    return rh__wide_with(rh__wide_of((uint64_t)c->sender << 32 | c->receiver), position);
}

/* Hashes what is still held back, and for how long. */
static struct rh__wide hash_holds(const struct rh_world *w)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t i = 0; rh__holds_any(w) && i < MAX_HOLDS; i++) {
        const struct world_hold *x = &w->holds[i];
        if (x->until <= w->event_count || (x->message != RH_NONE && w->messages[x->message].taken_by != RH_NONE))
            continue;
        struct rh__wide what =
            x->message == RH_NONE ? rh__wide_with(rh__wide_of(x->actor), 11) : place_in_channel(w, x->message);
        h = rh__wide_sum(h, rh__wide_with(what, x->until - w->event_count));
    }
    return h;
}

uint32_t rh__message_held_for(const struct rh_world *w, uint32_t message)
{
    uint32_t left = 0;
    for (uint32_t i = 0; rh__holds_any(w) && i < MAX_HOLDS; i++)
        if (w->holds[i].message == message && w->holds[i].until > w->event_count)
            left = w->holds[i].until - w->event_count;
    return left;
}

/* ---- lost and duplicated messages -------------------------------------------------------------------------------- */

/* With granularity object, at most one fault affects a message. */
static inline bool may_befall(const struct rh_world *w, uint32_t message)
{
    return rh__message_may_fail(w, &w->messages[message]) &&
           !(rh__by_object(w) && (w->messages[message].marks & MARK_OVER || rh__message_is_double(w, message)));
}

bool rh__message_may_befall(const struct rh_world *w, uint32_t message)
{
    return may_befall(w, message);
}

/* With granularity object, a message that must have arrived cannot be lost. */
static inline bool may_be_lost(const struct rh_world *w, uint32_t message)
{
    return w->left.losses && may_befall(w, message) && !(rh__by_object(w) && rh__message_passed_over(w, message));
}

static inline bool may_be_doubled(const struct rh_world *w, uint32_t message)
{
    return w->left.duplicates && w->messages[message].copy_of == RH_NONE && may_befall(w, message);
}

/* A lost message never arrives, so the moment of the loss does not matter.  It is enough to offer the loss of
 * deliverable messages.  With granularity object, the loss of every message that is not yet received is offered.  So
 * the loss can be decided at the send, independently of the end of the receiver. */
__attribute__((always_inline)) static inline void
offer_for_messages(struct rh_world *w, uint32_t ordinary, enum rh_choice_kind kind,
                   bool may(const struct rh_world *w, uint32_t message))
{
    bool all = rh__by_object(w), sets = w->sets_used && !all;
    uint32_t candidates = all ? w->message_count : ordinary;
    for (uint32_t i = 0; i < candidates; i++) {
        if (!all && w->choices[i].kind != RH_CHOICE_DELIVER)
            continue;
        uint32_t message = all ? i : w->choices[i].what;
        if (may(w, message) && !(sets && rh__set_joins(w, message)))
            rh__offer(w, kind, w->messages[message].receiver, message, 0);
    }
    for (uint32_t a = 0; sets && a < w->actor_count; a++) {
        uint32_t members = rh__set_awaited(&w->actors[a]) ? rh__set_find(w, a) : 0;
        for (uint32_t i = 0; i < members; i++)
            if (!w->members[i].single && may(w, w->members[i].message) && rh__set_has(w, a, w->members[i].message))
                rh__offer(w, kind, a, w->members[i].message, 0);
    }
}

/* Of a set, every message: several are taken before the next one could be lost. */
static bool is_under_way(struct rh_world *w, const struct rh_choice *c)
{
    if (c->what >= w->message_count || w->messages[c->what].receiver != c->actor)
        return false;
    if (rh__by_object(w) || !rh__set_joins(w, c->what))
        return rh__by_object(w) || rh__message_deliverable(w, c->what);
    return rh__set_has(w, c->actor, c->what);
}

static void offer_losses(struct rh_world *w, uint32_t ordinary)
{
    offer_for_messages(w, ordinary, RH_CHOICE_LOSE, may_be_lost);
}

static bool loss_open(struct rh_world *w, const struct rh_choice *c)
{
    return is_under_way(w, c) && may_be_lost(w, c->what);
}

static void lose(struct rh_world *w, const struct rh_choice *c)
{
    rh__message_lose(w, c->what);
}

static void offer_duplicates(struct rh_world *w, uint32_t ordinary)
{
    offer_for_messages(w, ordinary, RH_CHOICE_DUPLICATE, may_be_doubled);
}

static bool duplicate_open(struct rh_world *w, const struct rh_choice *c)
{
    return is_under_way(w, c) && may_be_doubled(w, c->what);
}

static void duplicate(struct rh_world *w, const struct rh_choice *c)
{
    rh__message_duplicate(w, c->what);
}

/* ---- crashes, restarts, stores ----------------------------------------------------------------------------------- */

/* With granularity handler an actor is inside a handler where it yields (rh_yield). */
static bool is_inside(const struct rh_world *w, const struct world_actor *a)
{
    return rh__is_busy(w, a) || (a->status == STATUS_PREEMPTED && a->then == THEN_GO_ON);
}

bool rh__can_crash(const struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    return actor != 0 && a->type->kind != RH_KIND_MONITOR && a->status != STATUS_OUTSIDE && !has_ended(a) &&
           (!is_inside(w, a) || rh__is_at_point(a)) && rh__is_among(w->semantics.may_crash, a->type);
}

static void offer_crashes_of(struct rh_world *w, uint32_t actor)
{
    for (uint32_t k = 0; rh__can_crash(w, actor) && k <= w->actors[actor].writes_open; k++)
        rh__offer(w, RH_CHOICE_CRASH, actor, k, w->actors[actor].writes_open);
}

static void offer_all_crashes(struct rh_world *w)
{
    uint32_t first = rh__at_point_now(w); /* rh__point_offer has offered them */
    for (uint32_t i = 1; i < w->actor_count; i++)
        if (i != first)
            offer_crashes_of(w, i);
}

void rh__point_offer(struct rh_world *w, uint32_t actor)
{
    rh__offer(w, RH_CHOICE_RESUME, actor, 0, 0);
    if (w->left.crashes)
        offer_crashes_of(w, actor);
}

static void offer_crashes(struct rh_world *w, uint32_t ordinary)
{
    if (ordinary || rh__by_object(w))
        offer_all_crashes(w);
}

/* For the story of the run: the rest of the handler does not happen. */
static void note_point(struct rh_world *w, uint32_t actor)
{
    const char *place = w->actors[actor].place, *file = strrchr(place, '/');
    char text[192];
    snprintf(text, sizeof text, "(inside its handler, before %s)", file ? file + 1 : place);
    put_flag(w, &w->actors[actor].flags, FLAG_AT_POINT, false);
    rh__note(w, actor, text);
}

static void crash(struct rh_world *w, const struct rh_choice *c)
{
    if (rh__is_at_point(&w->actors[c->actor]))
        note_point(w, c->actor);
    rh__actor_crash_in_turn(w, c->actor, c->what);
}

static void offer_restarts(struct rh_world *w, uint32_t ordinary)
{
    (void)ordinary;
    for (uint32_t i = 1; i < w->actor_count; i++)
        if (w->actors[i].status == STATUS_CRASHED) {
            if (w->left.restarts)
                rh__offer(w, RH_CHOICE_RESTART, i, 0, 0);
            if (w->left.kept_restarts)
                rh__offer(w, RH_CHOICE_RESTART, i, 1, 0);
        }
}

static void restart(struct rh_world *w, const struct rh_choice *c)
{
    if (rh__by_object(w) && rh__restarts_are_scarce(&w->semantics))
        rh__touch(w, rh__object(RH__OBJECT_RESTARTS, 0));
    rh__actor_restart_in_turn(w, c->actor, c->what != 0);
}

static void offer_failed_puts(struct rh_world *w, uint32_t ordinary)
{
    for (uint32_t i = 1; (ordinary || rh__by_object(w)) && w->writes_open && i < w->actor_count; i++)
        if (rh__store_can_fail(w, i))
            rh__offer(w, RH_CHOICE_UNSTORED, i, 0, 0);
}

static void fail_put(struct rh_world *w, const struct rh_choice *c)
{
    rh__store_fail(w, c->actor);
}

/* ---- partitions -------------------------------------------------------------------------------------------------- */

/* Whether explorers are to make splits of this shape.  Two halves are two groups. */
static bool splits_into(const struct rh_world *w, enum rh_splits how)
{
    enum rh_splits wanted = w->semantics.splits;
    return wanted == how || wanted == RH_SPLIT_ANY || (wanted == RH_SPLIT_GROUPS && how == RH_SPLIT_HALVES);
}

static void offer_cut(struct rh_world *w, enum rh__cut_shape shape, uint32_t nodes)
{
    rh__offer(w, RH_CHOICE_PARTITION, RH_NONE, rh__cut(shape, nodes), 0);
}

/* The first node is on the other side: a half and the rest of it are one split. */
static void offer_halves(struct rh_world *w)
{
    uint32_t n = w->node_count;
    if (n <= MOST_SPLIT)
        for (uint32_t side = 1; side < 1u << (n - 1); side++)
            offer_cut(w, RH__CUT_HALVES, side << 1);
    else
        for (uint32_t i = 0; i < n; i++)
            offer_cut(w, RH__CUT_HALVES, 1u << i);
}

static void offer_one_way(struct rh_world *w)
{
    uint32_t n = w->node_count, all = (1u << n) - 1;
    if (n <= MOST_SPLIT)
        for (uint32_t side = 1; side < all; side++)
            offer_cut(w, RH__CUT_UNHEARD, side);
    for (uint32_t i = 0; i < n && n > MOST_SPLIT; i++) {
        offer_cut(w, RH__CUT_UNHEARD, 1u << i);
        offer_cut(w, RH__CUT_UNHEARD, all & ~(1u << i));
    }
}

/* Of two nodes a pair is the same as halves. */
static void offer_pairs(struct rh_world *w)
{
    for (uint32_t i = 0; i < w->node_count && w->node_count > 2; i++)
        for (uint32_t k = i + 1; k < w->node_count; k++)
            offer_cut(w, RH__CUT_APART, 1u << i | 1u << k);
}

/* Every partition of the set of nodes into three or more groups, as a restricted growth string: the group of a node is
 * at most one more than those of the nodes before it. */
static void offer_groups(struct rh_world *w, uint32_t node, uint32_t groups, uint32_t cut)
{
    if (node < w->node_count) {
        for (uint32_t group = 0; group <= groups; group++)
            offer_groups(w, node + 1, group == groups ? groups + 1 : groups, cut | group << 3 * node);
    } else if (groups > 2) {
        offer_cut(w, RH__CUT_GROUPS, cut);
    }
}

/* With granularity object a partition that holds messages only postpones steps; one that drops them is a choice. */
static bool partitions_matter(const struct rh_world *w)
{
    return !rh__by_object(w) || w->semantics.across == RH_ACROSS_DROPPED;
}

static void offer_partitions(struct rh_world *w, uint32_t ordinary)
{
    if (w->cut || !(ordinary || rh__by_object(w)) || w->node_count < 2 || !partitions_matter(w))
        return;
    if (splits_into(w, RH_SPLIT_HALVES))
        offer_halves(w);
    if (splits_into(w, RH_SPLIT_GROUPS) && w->node_count <= RH__CUT_GROUPED)
        offer_groups(w, 0, 0, 0);
    else if (splits_into(w, RH_SPLIT_GROUPS))
        offer_cut(w, RH__CUT_APART, (1u << w->node_count) - 1);
    if (splits_into(w, RH_SPLIT_ONE_WAY))
        offer_one_way(w);
    if (splits_into(w, RH_SPLIT_PAIRS))
        offer_pairs(w);
}

static void partition(struct rh_world *w, const struct rh_choice *c)
{
    put32(w, &w->cut, c->what);
    for (uint32_t i = 0; i < w->channel_count && w->semantics.across == RH_ACROSS_DROPPED; i++)
        for (uint32_t m = w->channels[i].first, next; m != RH_NONE; m = next) {
            next = w->messages[m].next;
            rh__message_drop_across(w, m);
        }
}

static struct rh__wide hash_cut(const struct rh_world *w)
{
    return w->cut ? rh__wide_with(rh__wide_of(w->cut), 12) : rh__wide_of(0);
}

static void offer_healing(struct rh_world *w, uint32_t ordinary)
{
    if (ordinary || w->under_way || rh__by_object(w))
        rh__offer(w, RH_CHOICE_HEAL, RH_NONE, 0, 0);
}

static void heal(struct rh_world *w, const struct rh_choice *c)
{
    (void)c;
    put32(w, &w->cut, 0);
}

/* ---- messages from outside --------------------------------------------------------------------------------------- */

static void offer_outside(struct rh_world *w, uint32_t ordinary)
{
    (void)ordinary;
    rh__outside_offer(w);
}

static bool only_outside_is_offered(const struct rh_world *w)
{
    uint32_t i = 0;
    while (i < w->choice_count && w->choices[i].kind == RH_CHOICE_OUTSIDE)
        i++;
    return i == w->choice_count;
}

/* ---- all faults -------------------------------------------------------------------------------------------------- */

static bool restart_is_offered(const struct rh_world *w)
{
    uint32_t i = 0;
    while (i < w->choice_count && w->choices[i].kind != RH_CHOICE_RESTART)
        i++;
    return i < w->choice_count;
}

/* Only faults are left: the run may end without them. */
static void offer_end(struct rh_world *w)
{
    if (rh__by_object(w)) {
        if (w->choice_count && !restart_is_offered(w))
            rh__offer(w, RH_CHOICE_END, RH_NONE, 0, 0);
    } else if (only_outside_is_offered(w) && (w->choice_count || w->left.crashes)) {
        rh__offer(w, RH_CHOICE_END, RH_NONE, 0, 0);
        struct rh_choice end = w->choices[w->choice_count - 1];
        w->choices[w->choice_count - 1] = w->choices[0];
        w->choices[0] = end; /* the first choice is the one that adds nothing */
        if (w->left.crashes)
            offer_all_crashes(w);
        if (w->choice_count == 1)
            w->choice_count = 0; /* no actor is left that could crash: the run is over */
    }
}

void rh__faults_offer(struct rh_world *w)
{
    uint32_t ordinary = w->choice_count;
#define RH_X(name, possible, offer, open, apply, hash)                                                                 \
    if (possible)                                                                                                      \
        offer(w, ordinary);
    RH__FAULTS(RH_X)
#undef RH_X
    if (!ordinary)
        offer_end(w);
}

bool rh__fault_open(struct rh_world *w, const struct rh_choice *c)
{
#define RH_X(name, possible, offer, open, apply, hash)                                                                 \
    if (c->kind == RH_CHOICE_##name)                                                                                   \
        return (possible) && open(w, c);
    RH__FAULTS(RH_X)
#undef RH_X
    return false;
}

void rh__fault_spend(struct rh_world *w, const struct rh_choice *c)
{
#define RH_X(field, spends, option, help)                                                                              \
    if (spends)                                                                                                        \
        put32(w, &w->left.field, w->left.field - 1);
    RH_BUDGETS(RH_X)
#undef RH_X
    rh__faults_spent(w);
}

void rh__fault_apply(struct rh_world *w, const struct rh_choice *c)
{
#define RH_X(name, possible, offer, open, apply, hash)                                                                 \
    if (c->kind == RH_CHOICE_##name)                                                                                   \
        apply(w, c);
    RH__FAULTS(RH_X)
#undef RH_X
}

struct rh__wide rh__faults_hash(const struct rh_world *w)
{
    struct rh__wide h = rh__wide_hash(&w->left, sizeof w->left, 8);
#define RH_X(name, possible, offer, open, apply, hash) h = rh__wide_sum(h, hash(w));
    RH__FAULTS(RH_X)
#undef RH_X
    return h;
}
