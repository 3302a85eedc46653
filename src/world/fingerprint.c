/* See fingerprint.h.
 *
 * Excluded, because no program can see it: past events and messages, the ages of actors, free stacks and free list
 * entries, and the clock until the program first asks for it (and with free time the deadlines of timers).  Included:
 * identity, behaviour, status and memory of each actor (with the stack of a suspended one), messages under way by
 * channel and order, timers, names, links, monitors, stores, shared tables, budgets, the partition.
 *
 * Addresses: on the stack of a suspended fiber, an address of that stack counts relative to it, and a pointer to a
 * message or to the envelope of a message counts as what the message contains; a return address counts relative to the
 * program.  So neither the stack that a fiber happened to get nor the number of messages before nor the process makes
 * two states of one. */
#include "world/fingerprint.h"

#include <string.h>

#include "actor/state_hash.h"
#include "base/copy.h"
#include "base/fail.h"
#include "base/hash.h"
#include "world/faults.h"
#include "world/fiber.h"
#include "world/history.h"
#include "world/live.h"
#include "world/liveness.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/sets.h"
#include "world/store.h"
#include "world/tables.h"

void rh__request_over(struct rh_world *w, uint32_t request)
{
    if (!w->hashing)
        return;
    for (uint32_t i = 0; i < w->actor_count; i++)
        if (w->actors[i].stack != RH_NONE && w->actors[i].taken != RH_NONE &&
            w->messages[w->actors[i].taken].request == request)
            rh__actor_stale(w, i);
    for (uint32_t c = 0; c < w->channel_count; c++)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next)
            if (w->messages[i].request == request || w->messages[i].answers == request) {
                rh__channel_stale(w, c);
                break;
            }
}

static struct rh__wide hash_text(const struct rh_world *w, uint64_t text)
{
    const char *s = w->payload + text;
    return rh__wide_hash(s, strlen(s), 1);
}

static uint64_t key_of_channel(const struct world_channel *c)
{
    return (uint64_t)c->sender << 32 | c->receiver;
}

/* An address in the program or a library of it, or NULL. */
static uint64_t in_program(const struct rh_world *w, const void *p)
{
    return rh__image_word(&w->images, (uintptr_t)p);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* All of a message that does not change while it is under way.  It is computed once, and not logged. */
static struct rh__wide hash_contents(struct rh_world *w, uint32_t message)
{
    enum { NOT_POSTED = 1, AT_ONCE = 2, COPY = 4, REPLY = 8 };
    struct world_message *m = &w->messages[message];
    if (!rh__wide_is_zero(m->hash))
        return m->hash;
    struct rh__wide h = rh__wide_hash(rh__message_value(w, m), m->size, in_program(w, m->type));
    if (m->tail_size)
        h = rh__wide_mix(h, rh__wide_hash(rh__message_tail(w, m), m->tail_size, 2));
    h = rh__wide_with(h, (uint64_t)m->sender << 32 | m->receiver);
    uint64_t kind = (m->posted ? 0 : NOT_POSTED) |            /* differs from a forwarded message of the same type */
                    (m->marks & MARK_AT_ONCE ? AT_ONCE : 0) | /* the receiver learns less from it */
                    (m->copy_of != RH_NONE ? COPY : 0) |      /* it cannot be duplicated again */
                    (m->answers != RH_NONE ? REPLY : 0);      /* only an ask takes it, and an ask takes nothing else */
    h = rh__wide_with(h, kind | (uint64_t)m->seen_as << 8);
    if (m->life)
        h = rh__wide_with(h, m->life);
    if (m->timer) /* the process can still cancel it by its name */
        h = rh__wide_mix(h, hash_text(w, (uint64_t)m->timer * 16));
    if (w->semantics.dead_letters == RH_DEAD_LETTER_FAIL &&
        !rh__dead_letters_at_end(w)) { /* the report has the place */
        const char *place = rh__sent_at(w, message);
        h = rh__wide_mix(h, rh__wide_hash(place, strlen(place), 26));
    }
    m->hash = rh__wide_is_zero(h) ? rh__wide_of(1) : h;
    return m->hash;
}

static struct rh__wide hash_message(struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    struct rh__wide h = hash_contents(w, message);
    if (w->clock_used && m->sent_ns)
        h = rh__wide_with(h, (uint64_t)m->sent_ns);
    if (w->sets_used && w->actors[m->sender].status == STATUS_OUTSIDE) /* its place in a set */
        h = rh__wide_with(h, rh__message_by(w, m));
    /* Does an actor still wait for a reply to it, or for it as a reply?  (Somebody always waits for a reply that was
     * accepted: see receive.c.) */
    if (m->request != RH_NONE && w->actors[w->messages[m->request].sender].asking == m->request)
        h = rh__wide_with(h, 4);
    if (m->answers != RH_NONE && w->actors[m->receiver].asking == m->answers)
        h = rh__wide_with(h, 23);
    return h;
}

struct rh__wide rh__message_hash(struct rh_world *w, uint32_t message)
{
    return hash_message(w, message);
}

static bool faults_befall_by_object(const struct rh_world *w)
{
    return rh__by_object(w) && (w->left.losses || w->left.duplicates);
}

void rh__faults_spent(struct rh_world *w)
{
    bool could = rh__by_object(w) && (w->semantics.losses || w->semantics.duplicates);
    for (uint32_t c = 0; could && !faults_befall_by_object(w) && c < w->channel_count; c++)
        if (w->channels[c].first != RH_NONE)
            rh__channel_stale(w, c);
}

/* In a mailbox every message has arrived: only a loss, which granularity object decides at the send, makes a
 * difference between those that were passed over and the others. */
static uint64_t hash_of_place(const struct rh_world *w, const struct world_channel *c, uint32_t message)
{
    bool tells = c->sender != RH_NONE || rh__by_object(w);
    bool arrived = tells && rh__message_passed_over(w, message); /* a wait for it cannot time out */
    bool befallen = faults_befall_by_object(w) && rh__message_is_double(w, message);
    return (uint64_t)arrived | (uint64_t)befallen << 1;
}

/* Where a channel has no order, neither have the hashes of its messages, unless the program takes sets; signals and the
 * clock are in order always. */
void rh__queue_add_any(struct rh_world *w, struct rh__queue_hash *q, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    uint64_t place = q->plain ? 0 : hash_of_place(w, &w->channels[m->channel], message);
    struct rh__wide h = hash_message(w, message);
    rh__queue_add(q, place ? rh__wide_with(h, place) : h, q->in_order || m->type == &rh__exit_signal);
}

static struct rh__wide hash_channel(struct rh_world *w, uint32_t channel)
{
    const struct world_channel *c = &w->channels[channel];
    struct rh__queue_hash q = rh__queue_begin(w, c);
    for (uint32_t i = c->first; i != RH_NONE; i = w->messages[i].next)
        rh__queue_add_message(w, &q, i);
    return rh__queue_end(&q, c->sender, c->receiver);
}

/* Granularity object: messages to actors that have ended are in no channel, and can still be lost or doubled. */
static struct rh__wide hash_befallen(struct rh_world *w)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t i = 0; i < w->message_count; i++)
        if (w->messages[i].taken_by != RH_NONE && rh__message_may_befall(w, i))
            h = rh__wide_sum(h, rh__wide_with(hash_message(w, i), 16));
    return h;
}

/* What can still become of a message and its copies.  Where messages are in no order, or in no channel, nothing else
 * says which of several like messages a fault has befallen. */
static struct rh__wide hash_fate(const struct rh_world *w, uint32_t message)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t i = message; i < w->message_count; i++) {
        const struct world_message *m = &w->messages[i];
        if (i != message && m->copy_of != message)
            continue;
        bool under_way = m->taken_by == RH_NONE;
        uint64_t fate = (uint64_t)(i != message) | (uint64_t)under_way << 1;
        fate |= (uint64_t)(faults_befall_by_object(w) && rh__message_may_befall(w, i)) << 2;
        fate |= (under_way ? hash_of_place(w, &w->channels[m->channel], i) : 0) << 3;
        h = rh__wide_sum(h, rh__wide_with(rh__wide_of(25), fate | (uint64_t)rh__message_held_for(w, i) << 8));
        if (!w->semantics.duplicates)
            break;
    }
    return h;
}

/* Dead letters fail at the end of the run: those that there are and those that there may be, with the places of their
 * sends, in the order in which each actor has sent them (of several, the report has the first). */
static struct rh__wide hash_dead_letters(struct rh_world *w)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t i = 0; i < w->message_count; i++) {
        if (!rh__message_may_die(w, i))
            continue;
        uint64_t before = 0;
        for (uint32_t k = 0; k < i; k++)
            before += w->messages[k].sender == w->messages[i].sender && rh__message_may_die(w, k);
        struct rh__wide place = hash_text(w, (uint64_t)w->messages[i].sent_at * 16);
        place = rh__wide_mix(place, hash_fate(w, i));
        h = rh__wide_sum(h, rh__wide_with(rh__wide_mix(hash_message(w, i), place), before << 8 | 22));
    }
    return h;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

/* The message whose value or tail contains this address, among the first `count`; RH_NONE if none does.  Messages are
 * in the order of their payloads. */
static uint32_t message_at(const struct rh_world *w, uint32_t count, uint64_t offset)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->messages[middle].payload <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return RH_NONE;
    const struct world_message *m = &w->messages[low - 1];
    return offset < m->payload + ((m->size + 15u) & ~15u) + m->tail_size ? low - 1 : RH_NONE;
}

/* The message of which there is an envelope at this place of the payload; RH_NONE if there is none. */
static uint32_t envelope_at(const struct rh_world *w, const struct world_actor *a, uint64_t offset)
{
    struct rh_envelope e;
    if (offset % 16 || offset + sizeof e > a->blocked_payload || w->sets_used) /* sets are arrays of envelopes */
        return RH_NONE;
    memcpy(&e, w->payload + offset, sizeof e);
    uint64_t value = (uint64_t)((uintptr_t)e.value - (uintptr_t)w->payload);
    uint32_t message = value < a->blocked_payload ? message_at(w, a->blocked_messages, value) : RH_NONE;
    if (message == RH_NONE)
        return RH_NONE;
    const struct world_message *m = &w->messages[message];
    bool is = m->payload == value && e.type == m->type && e.sender.id == ref_of(m->seen_as).id &&
              e.tail_size == m->tail_size && (e.tail == NULL) == !m->tail_size;
    return is ? message : RH_NONE;
}

struct stack_reader {
    struct rh_world *w;
    const struct world_actor *actor;
    uint64_t base, size, payload;
    struct rh__wide messages; /* hash of the messages that are pointed at, in the order of the pointers */
};

/* Replaces an address by something that is the same for every stack, every number of messages before, and every
 * process of the program.  An address that was in no use when the fiber blocked is left as it is: what comes to be
 * there later is no state of the actor. */
static uint64_t without_address(struct stack_reader *r, uint64_t word)
{
    static const uint64_t TO_SET = (uint64_t)1 << 40; /* beyond all messages */
    if (word - r->base <= r->size)
        return word - r->base + (uint64_t)(uintptr_t)r->w->stacks; /* as on the first stack */
    uint64_t offset = word - r->payload;
    if (offset >= r->actor->blocked_payload)
        return rh__image_word(&r->w->images, word);
    uint64_t in_set = offset - r->actor->set;
    if (in_set < rh__set_held(r->actor) * sizeof(struct rh_envelope))
        return r->payload + (TO_SET | in_set); /* hash_fiber has its messages */
    uint32_t message = message_at(r->w, r->actor->blocked_messages, offset), envelope = RH_NONE;
    if (message == RH_NONE)
        envelope = envelope_at(r->w, r->actor, offset);
    if (message == RH_NONE && envelope == RH_NONE)
        return word;
    uint64_t within = message != RH_NONE ? offset - r->w->messages[message].payload : 0;
    r->messages = rh__wide_mix(r->messages, hash_contents(r->w, message != RH_NONE ? message : envelope));
    return r->payload + (within << 1 | (message != RH_NONE));
}

static struct rh__wide hash_stack(struct rh_world *w, uint32_t actor)
{
    enum { WORDS = 256 };
    uint64_t words[WORDS];
    uint32_t size;
    const struct world_actor *a = &w->actors[actor];
    const char *live = rh__fiber_live(w, actor, &size);
    if (a->frame) { /* what is below is the library's: it follows from the arguments, status, object, `found` */
        size -= (uint32_t)((const char *)a->frame - live);
        live = a->frame;
    }
    struct stack_reader r = { .w = w,
                              .actor = a,
                              .base = (uint64_t)(uintptr_t)rh__stack_base(w, a->stack),
                              .size = rh__stack_size(w),
                              .payload = (uint64_t)(uintptr_t)w->payload };
    uint32_t choices = a->status == STATUS_CHOOSING ? a->choices : 0; /* else those of a choice that was made */
    struct rh__wide h = rh__wide_of((uint64_t)size << 32 | choices);
    while (size >= sizeof *words) {
        uint32_t n = size / sizeof *words < WORDS ? size / (uint32_t)sizeof *words : WORDS;
        rh__copy(words, live, n * sizeof *words);
        for (uint32_t i = 0; i < n; i++)
            words[i] = without_address(&r, words[i]);
        h = rh__wide_mix(h, rh__wide_hash(words, n * sizeof *words, 18));
        live += n * sizeof *words;
        size -= n * (uint32_t)sizeof *words;
    }
    return rh__wide_mix(h, r.messages);
}

/* ---- actors ------------------------------------------------------------------------------------------------------ */

/* A process that waits for a message, however long, is done with its last message. */
static bool is_done_with_messages(const struct world_actor *a)
{
    return a->status == STATUS_WAITING && a->asking == RH_NONE && a->type->kind == RH_KIND_PROCESS &&
           a->wake == RH_NONE && !a->wait && !a->set;
}

static struct rh__wide hash_fiber(struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    struct rh__wide h = hash_stack(w, actor);
    if (is_done_with_messages(a))
        return h;
    if (a->taken != RH_NONE) /* the actor can still read it, reply to it, forward it */
        h = rh__wide_mix(h, hash_message(w, a->taken));
    if (a->received != RH_NONE)
        h = rh__wide_with(rh__wide_mix(h, hash_message(w, a->received)), 19);
    for (uint32_t i = 0; a->set && i < rh__set_held(a); i++)
        h = rh__wide_mix(h, hash_message(w, rh__set_messages(w, a)[i]));
    if (w->kept_requests && a->asking != RH_NONE) /* a kept request names the ask that it answers */
        h = rh__wide_with(h, a->asking);
    return h;
}

/* What a preempted actor does next. */
static struct rh__wide hash_next(const struct rh_world *w, const struct world_actor *a)
{
    struct rh__wide h = rh__wide_with(rh__wide_of(a->object), (uint64_t)a->then << 32 | a->then_what);
    if (a->found)
        h = rh__wide_with(h, a->found);
    if (a->then == THEN_END)
        h = rh__wide_mix(h, hash_text(w, (uint64_t)a->reason * 16));
    return h;
}

/* By the user's function, if there is one; it must not crash, and the actor is to blame if it does. */
static struct rh__wide hash_memory(struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    struct rh_state_hash h = { { 0, 0 }, { 0, 0 } };
    if (!a->type->state_hash)
        return rh__region_hash(w, actor);
    w->matching = actor;
    a->type->state_hash(&h, a->region);
    w->matching = RH_NONE;
    return rh__wide_mix(rh__wide_with(h.chain, 24), h.sum);
}

static struct rh__wide hash_actor(struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    bool lives = a->status != STATUS_OUTSIDE && a->status != STATUS_ENDED;
    uint64_t words[] = {
        in_program(w, a->type),
        (uint64_t)a->parent << 32 | a->ordinal,
        (uint64_t)a->status << 32 | (a->flags & ~(uint32_t)FLAG_DEFERRED),
        actor, /* references, and so messages, name it by its index */
        lives ? in_program(w, a->behaviour) : 0,
        lives ? a->random : 0,
        lives ? (uint64_t)a->restarts << 1 | (a->start != RH_NONE) : 0,
    };
    struct rh__wide h = rh__wide_hash(words, sizeof words, 30);
    if (a->status == STATUS_OUTSIDE)
        return rh__wide_mix(h, hash_text(w, a->initial));
    if (a->now_ns && w->clock_used) /* also of an ended actor: its time comes with the news of its end */
        h = rh__wide_with(h, (uint64_t)a->now_ns);
    if (a->status == STATUS_ENDED)
        return h;
    if (w->semantics.restarts && a->initial) /* a restart gives it its first state again */
        h = rh__wide_mix(h, rh__wide_hash(w->payload + a->initial, a->type->size, 21));
    h = rh__wide_mix(h, hash_memory(w, actor));
    if (a->stack != RH_NONE)
        h = rh__wide_mix(h, hash_fiber(w, actor));
    if (a->tickets)
        h = rh__wide_with(h, a->tickets);
    if (a->opened != RH_NONE)
        h = rh__wide_mix(h, rh__store_hash(w, a->store, a->writes_open, actor));
    if (a->points)
        h = rh__wide_with(h, a->points);
    if (a->status == STATUS_PREEMPTED)
        h = rh__wide_mix(h, hash_next(w, a));
    if (a->result_type)
        h = rh__wide_mix(h, rh__wide_hash(w->payload + a->result, a->result_size, a->result_type));
    return h;
}

/* ---- timers, small tables ---------------------------------------------------------------------------------------- */

/* The clock's entries: of equal deadlines the first is reached first; a stale entry only advances the time. */
static uint64_t hash_of_clocked(const struct rh_world *w, const struct world_timer *t)
{
    const struct world_actor *a = &w->actors[t->actor];
    uint64_t before = 0;
    for (uint32_t i = t->older; i != RH_NONE; i = w->timers[i].older)
        before += w->timers[i].clocked && w->timers[i].deadline_ns == t->deadline_ns;
    return before << 1 | (t->life == a->restarts + 1 && (t->type || t->wait == a->wait));
}

struct rh__wide rh__timer_hash(const struct rh_world *w, struct world_timer *t)
{
    if (!rh__wide_is_zero(t->hash))
        return t->hash;
    struct rh__wide x = rh__wide_with(rh__wide_of((uint64_t)t->actor << 1 | 1), t->type ? in_program(w, t->type) : 0);
    if (t->type) {
        x = rh__wide_mix(x, rh__wide_hash(w->payload + t->payload, t->type->size, 5));
        x = rh__wide_mix(x, hash_text(w, t->name));
    }
    t->hash = rh__wide_is_zero(x) ? rh__wide_of(1) : x;
    return t->hash;
}

static struct rh__wide hash_timers(const struct rh_world *w)
{
    bool when = w->semantics.time == RH_TIME_ORDERED || w->clock_used;
    struct rh__wide h = { 0, 0 };
    for (uint32_t i = w->timer_newest; i != RH_NONE; i = w->timers[i].older) {
        struct world_timer *t = &w->timers[i];
        struct rh__wide x = rh__timer_hash(w, t);
        if (when)
            x = rh__wide_with(x, (uint64_t)(t->deadline_ns - w->now_ns));
        if (t->clocked)
            x = rh__wide_with(x, hash_of_clocked(w, t));
        h = rh__wide_sum(h, x);
    }
    return h;
}

static struct rh__wide hash_links(const struct rh_world *w, uint32_t first, uint64_t of)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t i = first; i != RH_NONE; i = w->links[i].next)
        h = rh__wide_sum(h, rh__wide_with(rh__wide_of(of), w->links[i].other | (uint64_t)w->links[i].life << 32));
    return h;
}

static struct rh__wide hash_tables(struct rh_world *w)
{
    struct rh__wide h = { 6, 6 };
    for (uint32_t i = w->first_name; i != RH_NONE; i = w->names[i].next)
        h = rh__wide_sum(
            h, rh__wide_with(hash_text(w, w->names[i].text), (uint64_t)w->names[i].life << 32 | w->names[i].actor));
    for (uint32_t a = 0; a < w->actor_count; a++) {
        h = rh__wide_sum(h, hash_links(w, w->actors[a].links, 7 + (uint64_t)a));
        h = rh__wide_sum(h, hash_links(w, w->actors[a].monitors, ((uint64_t)1 << 40) + a));
        h = rh__wide_sum(h, hash_links(w, w->actors[a].watching, ((uint64_t)1 << 41) + a));
    }
    h = rh__wide_sum(h, rh__stores_hash(w));
    return rh__wide_is_zero(h) ? rh__wide_of(1) : h;
}

/* Once somebody has looked at the life of the test, its end is a step (enabled.c). */
static uint64_t test_was_noticed(const struct rh_world *w)
{
    if (!rh__by_object(w) || w->actors[0].status == STATUS_ENDED)
        return 0;
    uint64_t life = rh__object_of_actor(w, RH__OBJECT_LIFE, 0);
    return rh__object_entry((struct rh_world *)w, life)->touches > 0;
}

static struct rh__wide hash_scalars(const struct rh_world *w)
{
    uint64_t scalars[] = {
        test_was_noticed(w) << 63 ^ w->chooser ^ (uint64_t)w->gathered << 32 ^ (uint64_t)w->demand << 56,
        w->clock_used ? (uint64_t)w->now_ns : 0,
        w->semantics.fail_allocation ? w->allocations : 0,
        w->over | (uint64_t)w->kept_requests << 32,
    };
    struct rh__wide h = rh__wide_hash(scalars, sizeof scalars, 8);
    if (w->semantics.quiet_after | w->semantics.temperature)
        h = rh__wide_mix(h, rh__liveness_hash(w));
    if (w->timer_budget_count)
        h = rh__wide_mix(h, rh__wide_hash(w->timers_left, w->timer_budget_count * sizeof *w->timers_left, 13));
    return w->any_faults ? rh__wide_mix(h, rh__faults_hash(w)) : h;
}

/* What an actor has taken of its set, and what it may still take. */
static struct rh__wide hash_gathered(struct rh_world *w)
{
    struct rh__wide h = rh__wide_of(w->gatherer + 10);
    uint32_t n = rh__set_find(w, w->gatherer);
    for (uint32_t i = 0; i < n; i++) {
        const struct world_member *m = &w->members[i];
        h = rh__wide_with(rh__wide_mix(h, hash_message(w, m->message)), (uint64_t)(m->taken | m->behind << 1));
    }
    return h;
}

/* By name: processes that share fingerprints have met the properties in different orders. */
static struct rh__wide hash_eventually(const struct rh_world *w)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t i = 0; i < w->property_count; i++)
        if (w->properties[i].kind == RH_EVENTUALLY && w->properties[i].run) /* otherwise not evaluated in this run */
            h = rh__wide_sum(h, rh__wide_with(rh__wide_of(w->properties[i].named), w->properties[i].run & LAST));
    return h;
}

/* ---- the order of messages in different channels ----------------------------------------------------------------- */

/* Hashes which messages under way are in the past of a vector. */
static struct rh__wide hash_past(const struct rh_world *w, uint64_t vector, struct rh__wide of)
{
    struct rh__wide h = { 0, 0 };
    if (!vector)
        return h;
    const uint32_t *v = (const uint32_t *)(const void *)(w->payload + vector);
    for (uint32_t c = 0; c < w->channel_count; c++) {
        uint64_t position = 0;
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next, position++) {
            const struct world_message *x = &w->messages[i];
            if (x->sender < v[0] && x->send_number <= v[1 + x->sender])
                h = rh__wide_sum(
                    h, rh__wide_mix(rh__wide_with(rh__wide_of(key_of_channel(&w->channels[c])), position), of));
        }
    }
    return h;
}

/* Causal model: the order of later messages depends on which of the messages under way happened before each message
 * under way and each actor, also one that has ended: who monitors it later learns what it knew.  This is not maintained
 * incrementally; it is hashed as a whole. */
static struct rh__wide hash_causes(const struct rh_world *w)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t a = 0; a < w->actor_count; a++)
        h = rh__wide_sum(h, hash_past(w, w->actors[a].clock, rh__wide_with(rh__wide_of(a), 9)));
    for (uint32_t c = 0; c < w->channel_count; c++) {
        struct rh__wide channel = rh__wide_of(key_of_channel(&w->channels[c]));
        uint64_t position = 0;
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next, position++)
            h = rh__wide_sum(h, hash_past(w, rh__message_clock(&w->messages[i]), rh__wide_with(channel, position)));
    }
    return h;
}

/* Hashes how many messages under way each piece of news has to wait for. */
static struct rh__wide hash_news(const struct rh_world *w)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t c = 0; c < w->channel_count; c++) {
        struct rh__wide channel = rh__wide_of(key_of_channel(&w->channels[c]));
        uint64_t position = 0;
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next, position++)
            if (w->messages[i].behind)
                h = rh__wide_sum(h, rh__wide_with(rh__wide_with(channel, position), rh__count_before_news(w, i)));
    }
    return h;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void begin_hashing(struct rh_world *w)
{
    w->hashing = w->fingerprints = true;
    rh__fiber_calls(w);
    w->hashing_since = w->event_count;
    w->total = w->tables_hash = rh__wide_of(0);
    rh__hashes_fresh(w);
    for (uint32_t i = 0; i < w->actor_count; i++) {
        w->actors[i].hash = hash_actor(w, i);
        w->total = rh__wide_xor(w->total, w->actors[i].hash);
    }
    for (uint32_t i = 0; i < w->channel_count; i++) {
        w->channels[i].hash = hash_channel(w, i);
        w->total = rh__wide_xor(w->total, w->channels[i].hash);
    }
    w->total = rh__wide_xor(w->total, rh__wide_xor(rh__tables_hash(w), rh__histories_hash(w)));
    w->hashed_log = (uint64_t)(uintptr_t)w->log;
}

uint64_t rh__fingerprint_anew(struct rh_world *w)
{
    struct rh__wide h = hash_tables(w);
    for (uint32_t i = 0; i < w->actor_count; i++)
        h = rh__wide_xor(h, hash_actor(w, i));
    for (uint32_t i = 0; i < w->channel_count; i++)
        h = rh__wide_xor(h, hash_channel(w, i));
    h = rh__wide_xor(h, rh__wide_xor(rh__tables_hash(w), rh__histories_hash(w)));
    h = rh__wide_mix(h, hash_scalars(w));
    return rh__wide_mix(h, hash_timers(w)).high;
}

static void renew(struct rh_world *w, struct rh__wide *hash, struct rh__wide now, struct rh__wide *total)
{
    struct rh__wide change = rh__wide_xor(*hash, now);
    if (rh__wide_is_zero(change))
        return;
    *total = rh__wide_xor(*total, change);
    put_wide(w, hash, now);
}

/* The lists may have actors and channels that were undone. */
static void hash_stale(struct rh_world *w)
{
    struct rh__wide total = w->total;
    for (uint32_t i = 0; i < w->stale_actor_count; i++) {
        uint32_t a = w->stale_actors[i];
        if (a < w->actor_count)
            renew(w, &w->actors[a].hash, hash_actor(w, a), &total);
    }
    for (uint32_t i = 0; i < w->stale_channel_count; i++) {
        uint32_t c = w->stale_channels[i];
        if (c < w->channel_count)
            renew(w, &w->channels[c].hash, hash_channel(w, c), &total);
    }
    if (!rh__wide_is_zero(rh__wide_xor(total, w->total)))
        put_wide(w, &w->total, total);
    rh__hashes_fresh(w);
}

static void check_hashes(struct rh_world *w)
{
    for (uint32_t i = 0; i < w->actor_count; i++)
        RH__CHECK(rh__wide_is_zero(rh__wide_xor(w->actors[i].hash, hash_actor(w, i))), "actor %u has changed unseen",
                  i);
    for (uint32_t i = 0; i < w->channel_count; i++)
        RH__CHECK(rh__wide_is_zero(rh__wide_xor(w->channels[i].hash, hash_channel(w, i))),
                  "channel %u has changed unseen", i);
}

struct rh__wide rh__parts_apart(const struct world_parts *p)
{
    struct rh__wide h = rh__wide_mix(p->scalars, p->timers);
    return rh__wide_is_zero(p->owed) ? h : rh__wide_mix(h, p->owed);
}

/* Brings all hashes up to date. */
const struct world_parts *rh__fingerprint_parts(struct rh_world *w)
{
    struct world_parts *p = &w->parts;
    const char *log = w->log;
    if (w->hashing && p->log == w->log && p->events == w->event_count)
        return p;
    if (w->hashing)
        hash_stale(w);
    else
        begin_hashing(w);
    if (rh__wide_is_zero(w->tables_hash))
        put_wide(w, &w->tables_hash, hash_tables(w));
    if (w->hashed_log != (uint64_t)(uintptr_t)w->log)
        put64(w, &w->hashed_log, (uint64_t)(uintptr_t)w->log + sizeof(struct world_log_entry));
    if (w->choices_log == log) /* hashes change no choice */
        w->choices_log = w->log;
    if (RH__IS_HOSTILE)
        check_hashes(w);
    p->components = rh__wide_xor(rh__wide_xor(w->total, w->tables_hash), w->globals_hash);
    p->scalars = hash_scalars(w);
    p->timers = hash_timers(w);
    p->owed = w->property_count ? hash_eventually(w) : rh__wide_of(0);
    p->others =
        faults_befall_by_object(w) || rh__dead_letters_at_end(w) || w->news || w->gathered || w->delivery.causal;
    p->apart = rh__parts_apart(p);
    p->events = w->event_count;
    p->log = w->log;
    return p;
}

struct rh_fingerprint rh_world_fingerprint_wide(const struct rh_world *world)
{
    struct rh_world *w = (struct rh_world *)world; /* hashes of parts are kept until these change */
    const struct world_parts *p = rh__fingerprint_parts(w);
    if (!p->others)
        return rh__fingerprint_of(p->components, p->apart);
    struct rh__wide h = rh__wide_mix(p->components, p->apart);
    if (faults_befall_by_object(w))
        h = rh__wide_mix(h, hash_befallen(w));
    if (rh__dead_letters_at_end(w))
        h = rh__wide_mix(h, hash_dead_letters(w));
    if (w->news)
        h = rh__wide_mix(h, hash_news(w));
    if (w->gathered)
        h = rh__wide_mix(h, hash_gathered(w));
    if (w->delivery.causal)
        h = rh__wide_mix(h, hash_causes(w));
    return (struct rh_fingerprint){ h.high, h.low };
}

uint64_t rh__actor_hash(const struct rh_world *w, uint32_t actor)
{
    return w->actors[actor].hash.high;
}

uint64_t rh_world_fingerprint(const struct rh_world *w)
{
    return rh_world_fingerprint_wide(w).high;
}
