/* See sets.h.
 *
 * An actor in rh_receive_set(n) takes n messages by n deliveries in a row.  Nothing else happens between the first and
 * the last: while w->gathered is not 0, only deliveries to w->gatherer are enabled, as only values are while an actor
 * chooses.  The actor's code runs after the last one.  So the n deliveries are one step for all other actors, and what
 * is chosen is which set.
 *
 * Each set is offered once, because its messages are taken in one order: by sender, and those of one sender in the
 * order of their sends; under causal, a message that must come first comes first.  That order is a function of the
 * state, so that states with equal fingerprints have equal futures.  A message is open as the next one if
 *     - it is behind the one that was taken before, in that order;
 *     - no other member must be taken first;
 *     - enough members behind it can follow, so that no choice leads into a dead end.
 *
 * An idle actor gathers (RH_SETS): it takes a set of one type in the same way, or another message alone.  A message
 * that is taken alone must be taken first if it precedes one of the set, as among all messages of a queue; a message of
 * the type that is gathered waits for others of its type, so it never stands in the way of those that are taken alone.
 *
 * The program sees the messages in another order, which does not depend on the run: by the names of their senders.  */
#include "world/sets.h"

#include <string.h>

#include "actor/name_order.h"
#include "world/alike.h"
#include "world/delivery.h"
#include "world/live.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"

/* ---- members ----------------------------------------------------------------------------------------------------- */

static bool is_ordinary(const struct world_message *m)
{
    return m->type != &rh__exit_signal && !m->wake;
}

bool rh__set_joins(const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    struct rh__stance s = rh__live_stance(&w->actors[m->receiver]);
    return is_ordinary(m) && rh__joins(&s, m->type);
}

static bool sent_before(const struct rh_world *w, uint32_t x, uint32_t m)
{
    uint32_t one = rh__message_original(w, x), other = rh__message_original(w, m);
    return one != other ? one < other : x < m;
}

static bool is_before(const struct rh_world *w, uint32_t x, uint32_t m)
{
    uint32_t one = w->channels[w->messages[x].channel].sender, other = w->channels[w->messages[m].channel].sender;
    return one != other ? one < other : sent_before(w, x, m);
}

static bool crosses(const struct rh_world *w, const struct world_member *m)
{
    return w->delivery.causal || w->messages[m->message].behind;
}

static bool must_precede(const struct rh_world *w, const struct world_member *x, const struct world_member *m)
{
    return crosses(w, m) && rh__precedes_across(w, x->message, m->message, w->members_hear);
}

static void insert(struct rh_world *w, uint32_t from, uint32_t to)
{
    struct world_member m = w->members[from];
    for (; from > to; from--)
        w->members[from] = w->members[from - 1];
    w->members[to] = m;
}

/* With granularity send there is one queue, in the order in which messages were accepted. */
static void sort_members(struct rh_world *w)
{
    if (w->semantics.granularity == RH_GRAIN_SEND)
        return;
    for (uint32_t i = 1, k; i < w->member_count; i++) {
        for (k = i; k && is_before(w, w->members[i].message, w->members[k - 1].message); k--)
            ;
        insert(w, i, k);
    }
    /* The first one that need not wait for another is next. */
    for (uint32_t i = 0, k, x; (w->delivery.causal || w->news) && i < w->member_count; i++) {
        for (k = i; k < w->member_count; k++) {
            for (x = i; x < w->member_count && !must_precede(w, &w->members[x], &w->members[k]); x++)
                ;
            if (x == w->member_count)
                break;
        }
        if (k < w->member_count)
            insert(w, k, i);
    }
}

static void link_members(struct rh_world *w)
{
    for (uint32_t i = 0; i < w->member_count; i++) {
        struct world_member *m = &w->members[i];
        uint32_t channel = w->messages[m->message].channel, k = i;
        m->before = RH_NONE;
        if (!w->delivery.in_order && w->channels[channel].sender != w->clock)
            continue;
        while (k && (w->messages[w->members[k - 1].message].channel != channel || w->members[k - 1].cut_off))
            k--;
        if (k)
            m->before = k - 1;
    }
}

static void collect(struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    uint32_t n = 0;
    w->members_of = actor;
    for (uint32_t i = w->gatherer == actor ? w->gathered : 0; i; i--)
        w->members[n++] = (struct world_member){ .message = w->events[w->event_count - i].choice.what, .taken = true };
    struct rh__stance s = rh__live_stance(a);
    w->members_hear = rh__hears_signals(&s);
    bool waits = a->outbox != RH_NONE && w->channels[a->outbox].first != RH_NONE; /* until its messages are accepted */
    for (uint32_t c = waits ? RH_NONE : a->channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next)
            if (is_ordinary(&w->messages[i])
                    ? rh__message_wanted(w, &s, i)
                    : s.set_type && rh__message_heard(w, &s, i) && rh__message_wanted(w, &s, i))
                w->members[n++] = (struct world_member){ .message = i,
                                                         .cut_off = rh__message_cut_off(w, i),
                                                         .single = !rh__joins(&s, w->messages[i].type) };
    w->member_count = n;
    sort_members(w);
    link_members(w);
}

/* ---- which sets there are ---------------------------------------------------------------------------------------- */

/* Whether each member that must come before `i` fits. */
static bool follows(const struct rh_world *w, uint32_t i)
{
    const struct world_member *m = &w->members[i];
    if (m->cut_off || m->single || (m->before != RH_NONE && !w->members[m->before].fits))
        return false;
    for (uint32_t k = 0; k < i && crosses(w, m); k++)
        if (!w->members[k].fits && must_precede(w, &w->members[k], m))
            return false;
    return true;
}

/* Whether member `first` can be next, and at least `more` others can follow, without those before it. */
static bool leads_to_set(struct rh_world *w, uint32_t first, uint32_t more)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < first; i++)
        w->members[i].fits = w->members[i].taken;
    if (!follows(w, first))
        return false;
    w->members[first].fits = true;
    for (uint32_t i = first + 1; i < w->member_count && n < more; i++)
        n += w->members[i].fits = follows(w, i);
    return n >= more;
}

uint32_t rh__set_find(struct rh_world *w, uint32_t actor)
{
    collect(w, actor);
    uint32_t taken = w->gatherer == actor ? w->gathered : 0, behind = 0;
    for (uint32_t i = 0; i < w->member_count; i++)
        behind = w->members[i].taken ? i + 1 : behind;
    for (uint32_t i = 0; i < w->member_count; i++) {
        struct world_member *m = &w->members[i];
        m->behind = i >= behind;
        m->open = m->behind && leads_to_set(w, i, rh__set_awaited(&w->actors[actor]) - taken - 1);
    }
    return w->member_count;
}

bool rh__set_open(struct rh_world *w, uint32_t actor, uint32_t message)
{
    if (w->members_of != actor)
        rh__set_find(w, actor);
    for (uint32_t i = 0; i < w->member_count; i++)
        if (w->members[i].message == message)
            return w->members[i].open;
    return false;
}

uint32_t rh__set_size(struct rh_world *w, uint32_t actor, bool (*may)(struct rh_world *w, uint32_t message))
{
    uint32_t n = 0;
    collect(w, actor);
    for (uint32_t i = 0; i < w->member_count; i++) {
        struct world_member *m = &w->members[i];
        m->fits = m->taken || (follows(w, i) && may(w, m->message));
        n += m->fits;
    }
    rh__sets_anew(w);
    return n;
}

static bool any(struct rh_world *w, uint32_t message)
{
    (void)w, (void)message;
    return true;
}

/* The number of members that must be taken with member `last`, itself included; 0 if that is impossible. */
static uint32_t count_needed(struct rh_world *w, uint32_t last)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < last; i++)
        w->members[i].fits = false;
    w->members[last].fits = true;
    for (uint32_t i = last + 1; i-- > 0;) {
        const struct world_member *m = &w->members[i];
        if (!m->fits)
            continue;
        if (m->cut_off || m->single)
            return 0;
        n++;
        if (m->before != RH_NONE)
            w->members[m->before].fits = true;
        for (uint32_t k = 0; k < i && crosses(w, m); k++)
            w->members[k].fits |= must_precede(w, &w->members[k], m);
    }
    return n;
}

bool rh__set_has(struct rh_world *w, uint32_t actor, uint32_t message)
{
    uint32_t awaited = rh__set_awaited(&w->actors[actor]), i = 0;
    if (rh__set_size(w, actor, any) < awaited)
        return false;
    while (i < w->member_count && w->members[i].message != message)
        i++;
    uint32_t needed = i < w->member_count ? count_needed(w, i) : 0;
    return needed && needed <= awaited;
}

/* ---- for explorers that choose a set as a whole ------------------------------------------------------------------ */

bool rh__world_uses_sets(const struct rh_world *w)
{
    return w->sets_used;
}

bool rh__world_set_now(const struct rh_world *world, uint32_t actor, uint32_t *messages)
{
    struct rh_world *w = (struct rh_world *)(uintptr_t)world; /* asking changes nothing that lasts */
    uint32_t n = 0, awaited = rh__set_awaited(&w->actors[actor]);
    collect(w, actor);
    for (uint32_t i = 0; i < w->member_count && n < awaited; i++) {
        w->members[i].fits = follows(w, i);
        if (w->members[i].fits)
            messages[n++] = w->members[i].message;
    }
    rh__sets_anew(w);
    return n && n == awaited;
}

uint32_t rh__world_set_next(const struct rh_world *world, uint32_t actor, const uint32_t *messages, uint32_t count)
{
    struct rh_world *w = (struct rh_world *)(uintptr_t)world;
    uint32_t next = RH_NONE;
    collect(w, actor);
    for (uint32_t i = 0; i < w->member_count && next == RH_NONE; i++)
        for (uint32_t k = 0; k < count && !w->members[i].taken; k++)
            if (messages[k] == w->members[i].message)
                next = messages[k];
    rh__sets_anew(w);
    return next;
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */

/* Compares actors by their names, which are the same in every run: the test, actors, external senders. */
static int compare_names(const struct rh_world *w, uint32_t a, uint32_t b)
{
    char one[256], other[256];
    uint32_t actors[] = { a, b }, rank[2];
    for (int i = 0; i < 2; i++)
        rank[i] = actors[i] == 0 ? 0 : w->actors[actors[i]].status == STATUS_OUTSIDE ? 2 : 1;
    if (a == b || rank[0] != rank[1])
        return (int)rank[0] - (int)rank[1];
    rh_world_actor_name(w, a, one, sizeof one);
    rh_world_actor_name(w, b, other, sizeof other);
    return rank[0] == 1 ? rh__name_order(one, other) : strcmp(one, other);
}

/* By the sender that the receiver sees.  What several actors have sent in its name (rh_forward, rh_send_from) is
 * ordered by their own names. */
static bool is_shown_before(const struct rh_world *w, uint32_t x, uint32_t m)
{
    const struct world_message *a = &w->messages[rh__message_original(w, x)];
    const struct world_message *b = &w->messages[rh__message_original(w, m)];
    int order = compare_names(w, a->seen_as, b->seen_as);
    if (!order)
        order = compare_names(w, rh__message_by(w, a), rh__message_by(w, b));
    if (!order) /* two channels have no order: what was sent first, then what was forwarded */
        order = (a->sender != a->seen_as) - (b->sender != b->seen_as);
    return order ? order < 0 : sent_before(w, x, m);
}

struct rh_envelope *rh__set_envelopes(const struct rh_world *w, const struct world_actor *a)
{
    return (struct rh_envelope *)(void *)(w->payload + a->set);
}

static uint32_t *messages_of(const struct rh_world *w, const struct world_actor *a)
{
    return (uint32_t *)(void *)(rh__set_envelopes(w, a) + a->set_count);
}

uint32_t rh__set_held(const struct world_actor *a)
{
    return a->set ? a->set_count : 0;
}

bool rh__set_handles(const struct rh_world *w, const struct world_actor *a)
{
    uint32_t n = a->type->kind == RH_KIND_PROCESS ? 0 : rh__set_held(a);
    while (n && messages_of(w, a)[n - 1] != a->taken)
        n--;
    return n;
}

const uint32_t *rh__set_messages(const struct rh_world *w, const struct world_actor *a)
{
    return messages_of(w, a);
}

/* The last `count` events have taken the messages. */
static void complete(struct rh_world *w, struct world_actor *a, uint32_t count)
{
    put64(w, &a->set, rh__payload_take(w, count * (sizeof(struct rh_envelope) + sizeof(uint32_t))));
    put32(w, &a->set_count, count);
    uint32_t *list = messages_of(w, a);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t m = w->events[w->event_count - count + i].choice.what, k = i;
        if (count > 1) { /* their order tells alike senders apart */
            rh__tell_apart(w, w->messages[m].seen_as);
            rh__tell_apart(w, rh__message_by(w, &w->messages[m]));
        }
        for (; k && is_shown_before(w, m, list[k - 1]); k--)
            list[k] = list[k - 1];
        list[k] = m;
    }
}

bool rh__set_goes_on(const struct rh_world *w, uint32_t message)
{
    return w->gathered + 1 < rh__set_awaited(&w->actors[w->messages[message].receiver]) && rh__set_joins(w, message);
}

uint32_t rh__set_take(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    uint32_t count = rh__set_awaited(a), taken = w->gathered + 1;
    if (taken < count) {
        put32(w, &w->gathered, taken);
        put32(w, &w->gatherer, actor);
        w->events[w->event_count - 1].flags |= RH_EVENT_MORE;
        return RH_NONE;
    }
    if (w->gathered)
        put32(w, &w->gathered, 0);
    complete(w, a, count);
    return messages_of(w, a)[count - 1];
}
