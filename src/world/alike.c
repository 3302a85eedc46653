/* See alike.h.
 *
 * The exchange maps actors, references and pointers into their regions, and nothing else.  A state is the same under
 * the exchange if and only if each table and all memory is.  Things that would be hard to compare (stacks, timers,
 * links, stores, requests of the two) make the two actors different; that only loses some reduction.
 *
 * Excluded, as in the fingerprint, because no program can see them: past events and messages. */
#include "world/alike.h"

#include <string.h>

#include "base/copy.h"
#include "world/cuts.h"
#include "world/fiber.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/pages.h"

struct exchange {
    uint32_t one, other;
    uint64_t one_at, other_at, bytes; /* their regions */
};

static uint32_t actor_exchanged(const struct exchange *x, uint32_t actor)
{
    return actor == x->one ? x->other : actor == x->other ? x->one : actor;
}

static uint64_t word_exchanged(const struct exchange *x, uint64_t word)
{
    if (word == REF_BASE + x->one)
        return REF_BASE + x->other;
    if (word == REF_BASE + x->other)
        return REF_BASE + x->one;
    if (word - x->one_at < x->bytes)
        return word - x->one_at + x->other_at;
    if (word - x->other_at < x->bytes)
        return word - x->other_at + x->one_at;
    return word;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

RH__NO_SANITIZE static bool bytes_exchanged(const struct exchange *x, const char *left, const char *right, size_t size)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8)
        if (RH__CONST_AT(8, right, i) != word_exchanged(x, RH__CONST_AT(8, left, i)))
            return false;
    return rh__equal(left + i, right + i, size - i);
}

/* Whether the bytes refer to neither.  References may be at any offset: programs pack them behind other data in
 * tails. */
RH__NO_SANITIZE static bool knows_neither(const struct exchange *x, const char *at, size_t size)
{
    for (size_t i = 0; i + 8 <= size; i++) {
        uint64_t word = RH__CONST_AT(8, at, i);
        if (word_exchanged(x, word) != word)
            return false;
    }
    return true;
}

RH__NO_SANITIZE void rh__globals_mark(const struct rh_world *w, const char *at, size_t size, unsigned char *marks)
{
    for (size_t i = 0; i + 8 <= size; i++) {
        uint64_t word = RH__CONST_AT(8, at, i);
        if (word - REF_BASE < w->actor_count)
            marks[word - REF_BASE] = 1;
        uint32_t owner = rh__region_owner(w, (const void *)(uintptr_t)word);
        if (owner < w->actor_count)
            marks[owner] = 1;
    }
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static bool stands_alone(const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    return m->answers == RH_NONE && m->request == RH_NONE && m->copy_of == RH_NONE && !m->timer && !m->life &&
           m->type != &rh__exit_signal && m->type != &rh_message_rh_exited && m->type != &rh_message_rh_down;
}

static bool message_knows_neither(const struct rh_world *w, const struct exchange *x, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    uint32_t asked = m->request == RH_NONE ? RH_NONE : w->messages[m->request].sender;
    return actor_exchanged(x, m->sender) == m->sender && actor_exchanged(x, m->seen_as) == m->seen_as &&
           actor_exchanged(x, m->receiver) == m->receiver && actor_exchanged(x, asked) == asked &&
           !(m->type == &rh__exit_signal && /* an exit signal names the ended actor by index */
             actor_exchanged(x, ((const struct world_exit_signal *)(const void *)rh__message_value(w, m))->who) !=
                 ((const struct world_exit_signal *)(const void *)rh__message_value(w, m))->who) &&
           knows_neither(x, rh__message_value(w, m), m->size) && knows_neither(x, rh__message_tail(w, m), m->tail_size);
}

static bool message_exchanged(const struct rh_world *w, const struct exchange *x, uint32_t left, uint32_t right)
{
    const struct world_message *l = &w->messages[left], *r = &w->messages[right];
    return l->type == r->type && l->size == r->size && l->tail_size == r->tail_size && l->posted == r->posted &&
           rh__count_before_news(w, left) == rh__count_before_news(w, right) && l->sent_ns == r->sent_ns &&
           stands_alone(w, left) && stands_alone(w, right) && actor_exchanged(x, l->sender) == r->sender &&
           actor_exchanged(x, l->receiver) == r->receiver && actor_exchanged(x, l->seen_as) == r->seen_as &&
           (w->actors[l->receiver].start == left) == (w->actors[r->receiver].start == right) &&
           bytes_exchanged(x, rh__message_value(w, l), rh__message_value(w, r), l->size) &&
           bytes_exchanged(x, rh__message_tail(w, l), rh__message_tail(w, r), l->tail_size);
}

static uint32_t channel_exchanged(const struct rh_world *w, const struct exchange *x, uint32_t channel)
{
    uint32_t sender = actor_exchanged(x, w->channels[channel].sender);
    uint32_t receiver = actor_exchanged(x, w->channels[channel].receiver);
    uint32_t c = receiver == RH_NONE ? w->actors[sender].outbox : w->actors[receiver].channels;
    while (c != RH_NONE && w->channels[c].sender != sender)
        c = w->channels[c].next;
    return c;
}

/* Under mailbox a channel belongs to its receiver, whoever sends: it distinguishes two senders in the channel of a
 * third actor.  With granularity send, the outbox of a third actor distinguishes two receivers. */
static bool channel_same(const struct rh_world *w, const struct exchange *x, uint32_t channel)
{
    const struct world_channel *left = &w->channels[channel];
    uint32_t to = channel_exchanged(w, x, channel);
    if (to == RH_NONE)
        return false;
    const struct world_channel *right = &w->channels[to];
    uint32_t i = left->first, k = right->first;
    for (; i != RH_NONE && k != RH_NONE; i = w->messages[i].next, k = w->messages[k].next)
        if (to == channel
                ? !message_knows_neither(w, x, i)
                : (rh__message_original(w, i) < left->arrived) != (rh__message_original(w, k) < right->arrived) ||
                      !message_exchanged(w, x, i, k))
            return false;
    return i == k;
}

static bool channels_same(const struct rh_world *w, const struct exchange *x)
{
    for (uint32_t word = 0; word < (w->channel_count + 63) / 64; word++)
        for (uint64_t bits = w->ready[word]; bits; bits &= bits - 1)
            if (!channel_same(w, x, word * 64 + (uint32_t)__builtin_ctzll(bits)))
                return false;
    return true;
}

uint32_t rh__message_exchanged(const struct rh_world *w, uint32_t message, uint32_t one, uint32_t other)
{
    struct exchange x = { .one = one, .other = other };
    uint32_t channel = w->messages[message].channel;
    if (channel == RH_NONE || w->messages[message].taken_by != RH_NONE)
        return RH_NONE;
    uint32_t to = channel_exchanged(w, &x, channel);
    uint32_t k = to == RH_NONE ? RH_NONE : w->channels[to].first;
    for (uint32_t i = w->channels[channel].first; i != message && k != RH_NONE; i = w->messages[i].next)
        k = w->messages[k].next;
    return k;
}

/* ---- the two ----------------------------------------------------------------------------------------------------- */

static bool is_plain(const struct world_actor *a)
{
    return (a->status == STATUS_IDLE || a->status == STATUS_ENDED) && a->stack == RH_NONE && a->asking == RH_NONE &&
           a->outbox == RH_NONE && a->timers == RH_NONE && a->wake == RH_NONE && a->links == RH_NONE &&
           a->monitors == RH_NONE && a->watching == RH_NONE && a->opened == RH_NONE && !a->tickets &&
           a->first_child == RH_NONE && a->random == a->seed;
}

static uint32_t side_of(const struct rh_world *w, const struct world_actor *a)
{
    return a->node == RH_NONE ? 0 : rh__cut_group(w->cut, a->node);
}

bool rh__is_untouched(const struct rh_world *w, uint32_t actor)
{
    const struct rh__run *r = rh__world_run(w);
    for (uint32_t i = 0; i < r->event_count; i++)
        if (r->events[i].choice.actor == actor)
            return false;
    for (uint32_t i = 0; i < w->message_count; i++)
        if (w->messages[i].sender == actor || w->messages[i].seen_as == actor)
            return false;
    return true;
}

/* The field that numbers replicas of this type; NULL if there is none, or if a number may be known to others. */
static const struct rh_replica_number *number_of(const struct rh_world *w, const struct exchange *x)
{
    const struct rh_replica_number *n = rh_replica_number_first();
    while (n && n->type != w->actors[x->one].type)
        n = n->next;
    return n && rh__is_untouched(w, x->one) && rh__is_untouched(w, x->other) ? n : NULL;
}

/* Compares states, in which the number may be another one. */
RH__NO_SANITIZE static bool state_exchanged(const struct exchange *x, const char *left, const char *right, size_t size,
                                            const struct rh_replica_number *n)
{
    if (!n)
        return bytes_exchanged(x, left, right, size);
    /* Words, so that references are seen as such: those with the number are compared byte by byte. */
    size_t from = n->at & ~(size_t)7, end = (n->at + n->size + 7) & ~(size_t)7;
    end = end < size ? end : size;
    for (size_t i = from; i < end; i++)
        if (i - n->at >= n->size && left[i] != right[i])
            return false;
    return bytes_exchanged(x, left, right, from) && bytes_exchanged(x, left + end, right + end, size - end);
}

static bool pair_same(const struct rh_world *w, const struct exchange *x)
{
    const struct world_actor *a = &w->actors[x->one], *b = &w->actors[x->other];
    if (!is_plain(a) || !is_plain(b) || a->status != b->status || a->behaviour != b->behaviour ||
        (a->flags ^ b->flags) & ~(uint32_t)FLAG_DEFERRED || a->restarts != b->restarts || a->now_ns != b->now_ns ||
        a->used != b->used || a->heap != b->heap || (a->start == RH_NONE) != (b->start == RH_NONE) ||
        (a->node == RH_NONE) != (b->node == RH_NONE) || side_of(w, a) != side_of(w, b))
        return false;
    if (a->status == STATUS_ENDED &&
        strcmp(w->payload + (uint64_t)a->reason * 16, w->payload + (uint64_t)b->reason * 16) != 0)
        return false;
    const struct rh_replica_number *n = number_of(w, x);
    if (w->any_faults && !state_exchanged(x, w->payload + a->initial, w->payload + b->initial, a->type->size, n))
        return false;
    return state_exchanged(x, a->region, b->region, a->used, n);
}

/* ---- what is known of messages under way (causal) ---------------------------------------------------------------- */

/* Whether the message is under way to one of the two, behind the start of its life, which comes first anyway. */
static bool comes_to_pair(const struct rh_world *w, const struct exchange *x, const struct world_message *m)
{
    return m->taken_by == RH_NONE && (m->receiver == x->one || m->receiver == x->other) &&
           !rh__is_start(rh__run_message(rh__world_run(w), (uint32_t)(m - w->messages)));
}

/* Whether who takes `k` learns of m. */
static bool tells_of(const struct rh_world *w, const struct world_message *k, const struct world_message *m)
{
    return rh__message_in_vector(w, m, rh__message_clock(k)) ||
           (m->sender == k->sender && m->send_number < k->send_number);
}

/* Whether who takes this message learns of as many messages to the one as to the other. */
static bool tells_equally(const struct rh_world *w, const struct exchange *x, const struct world_message *k)
{
    int32_t balance = 0;
    for (uint32_t i = 0; i < w->message_count; i++) {
        const struct world_message *m = &w->messages[i];
        if (comes_to_pair(w, x, m) && tells_of(w, k, m))
            balance += m->receiver == x->one ? 1 : -1;
    }
    return balance == 0;
}

static bool actor_knows_equally(const struct rh_world *w, const struct exchange *x, uint32_t actor)
{
    int32_t balance = 0;
    for (uint32_t i = 0; i < w->message_count; i++) {
        const struct world_message *m = &w->messages[i];
        if (comes_to_pair(w, x, m) && (m->sender == actor || rh__message_in_vector(w, m, w->actors[actor].clock)))
            balance += m->receiver == x->one ? 1 : -1;
    }
    return balance == 0;
}

static bool tells_of_twin(const struct rh_world *w, const struct exchange *x, const struct world_message *k)
{
    for (uint32_t i = 0; i < w->message_count; i++)
        if (comes_to_pair(w, x, &w->messages[i]) && w->messages[i].receiver != k->receiver &&
            tells_of(w, k, &w->messages[i]))
            return true;
    return false;
}

/* Under causal a message comes behind those that its sender knew of.  If it was sent to the younger one after another
 * one to the older one, then what the younger one sends cannot overtake the older one's message, and the other way
 * round it can. */
static bool known_alike(const struct rh_world *w, const struct exchange *x)
{
    for (uint32_t i = 0; i < w->message_count; i++) {
        const struct world_message *m = &w->messages[i];
        if (m->taken_by == RH_NONE && (comes_to_pair(w, x, m) ? tells_of_twin(w, x, m) : !tells_equally(w, x, m)))
            return false;
    }
    for (uint32_t i = 0; i < w->actor_count; i++)
        if (!actor_knows_equally(w, x, i))
            return false;
    return true;
}

/* ---- all others -------------------------------------------------------------------------------------------------- */

static bool list_knows_neither(const struct rh_world *w, const struct exchange *x, uint32_t list)
{
    for (; list != RH_NONE; list = w->links[list].next)
        if (actor_exchanged(x, w->links[list].other) != w->links[list].other)
            return false;
    return true;
}

static bool store_knows_neither(const struct rh_world *w, const struct exchange *x, uint32_t newest)
{
    for (uint32_t i = newest; i != RH_NONE; i = w->writes[i].older)
        if (w->writes[i].size != RH_NONE && !knows_neither(x, w->payload + w->writes[i].bytes, w->writes[i].size))
            return false;
    return true;
}

static bool stack_knows_neither(struct rh_world *w, const struct exchange *x, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    uint32_t size;
    if (a->stack == RH_NONE)
        return true;
    const char *live = rh__fiber_live(w, actor, &size);
    return knows_neither(x, live, size) && (a->taken == RH_NONE || message_knows_neither(w, x, a->taken)) &&
           (a->received == RH_NONE || message_knows_neither(w, x, a->received));
}

static bool knows(struct rh_world *w, const struct exchange *x, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    if (a->status == STATUS_OUTSIDE)
        return false;
    if (!list_knows_neither(w, x, a->links) || !list_knows_neither(w, x, a->monitors) ||
        !list_knows_neither(w, x, a->watching))
        return true;
    if (a->status == STATUS_ENDED)
        return false; /* nobody will read it */
    return !knows_neither(x, a->region, a->used) || !stack_knows_neither(w, x, actor) ||
           !store_knows_neither(w, x, a->store) ||
           (w->any_faults && !knows_neither(x, w->payload + a->initial, a->type->size));
}

static bool tables_know(const struct rh_world *w, const struct exchange *x)
{
    for (uint32_t i = w->first_name; i != RH_NONE; i = w->names[i].next)
        if (actor_exchanged(x, w->names[i].actor) != w->names[i].actor)
            return true;
    for (uint32_t i = w->first_store; i != RH_NONE; i = w->stores[i].next)
        if (w->stores[i].owner == x->one || w->stores[i].owner == x->other ||
            !store_knows_neither(w, x, w->stores[i].newest))
            return true;
    for (uint32_t i = w->timer_newest; i != RH_NONE; i = w->timers[i].older)
        if (w->timers[i].type && !knows_neither(x, w->payload + w->timers[i].payload, w->timers[i].type->size))
            return true;
    for (uint32_t i = 0; i < w->opening_count; i++) /* each has values of its own, which may contain it */
        if (w->openings[i].actor == x->one || w->openings[i].actor == x->other)
            return true;
    for (uint32_t i = 0; i < w->item_pool.count; i++)
        if (w->items[i].table != RH_NONE && !knows_neither(x, w->payload + w->items[i].bytes, w->items[i].size))
            return true;
    for (uint32_t i = 0; i < w->operation_count; i++) {
        const struct world_operation *o = &w->operations[i];
        if (!knows_neither(x, w->payload + o->call, o->call_type->size) ||
            (o->result_type && !knows_neither(x, w->payload + o->result, o->result_type->size)))
            return true;
    }
    return false;
}

bool rh__maybe_alike(const struct rh_world *w, uint32_t one, uint32_t other)
{
    const struct world_actor *a = &w->actors[one], *b = &w->actors[other];
    return one != other && a->type == b->type && a->parent == b->parent && a->parent != RH_NONE &&
           a->type->kind != RH_KIND_MONITOR && a->status == b->status && a->used == b->used && !a->operations &&
           !b->operations; /* a history knows its clients */
}

bool rh__alike(struct rh_world *w, uint32_t one, uint32_t other)
{
    struct exchange x = {
        .one = one,
        .other = other,
        .one_at = (uint64_t)(uintptr_t)w->actors[one].region,
        .other_at = (uint64_t)(uintptr_t)w->actors[other].region,
        .bytes = w->actors[one].used,
    };
    if (!rh__maybe_alike(w, one, other) || !pair_same(w, &x) || !channels_same(w, &x) || tables_know(w, &x) ||
        (w->delivery.causal && !known_alike(w, &x)))
        return false;
    for (uint32_t i = 0; i < w->actor_count; i++)
        if (i != one && i != other && knows(w, &x, i))
            return false;
    return true;
}

/* ---- telling apart ----------------------------------------------------------------------------------------------- */

static bool has_twin(const struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    if (a->parent == RH_NONE)
        return false;
    for (uint32_t i = w->actors[a->parent].first_child; i != RH_NONE; i = w->actors[i].next_sibling)
        if (i != actor && w->actors[i].type == a->type)
            return true;
    return false;
}

void rh__tell_apart(struct rh_world *w, uint32_t actor)
{
    if (!w->watches_twins || w->told_apart || actor == RH_NONE)
        return;
    /* Its name and its seed are derived from those of its ancestors. */
    for (uint32_t i = actor; i != RH_NONE && !w->told_apart; i = w->actors[i].parent)
        w->told_apart = has_twin(w, i);
}
