/* See network.h.
 *
 * A channel is a queue of messages under way. Its key and the order of delivery are in the row of the delivery model
 * (delivery.h):
 *
 *     model     channel per             next
 *     fifo      sender and receiver     the first
 *     bag       sender and receiver     any
 *     causal    sender and receiver     the first, if no message to the same receiver was sent in its past
 *     mailbox   receiver                the first
 *
 * A message that the receiver would not take now (deferred, or the receiver waits for another) does not stand in the
 * way of those behind it. Exit signals overtake messages.
 *
 * News of an end (rh_down, rh_exited) come behind what the ended actor's program sent to the same receiver before. The
 * queue ensures that if all of these are in one channel. With granularity object they are not: an actor that finds an
 * end by its own operation tells itself, and under mailbox the world's own messages are in no mailbox. So the news name
 * the message that brought them (`behind`: themselves, or the exit signal), and wait for all that was sent before it.
 *
 * Causal: each actor carries a vector that counts, per actor, the sends it has seen. A message carries the vector of
 * its sender before the send. Message x was sent in the past of message m iff the vector of m counts the send of x. */
#include "world/network.h"

#include <stdio.h>
#include <string.h>

#include "base/copy.h"
#include "world/actors.h"
#include "world/cuts.h"
#include "world/fingerprint.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/receive.h"
#include "world/sets.h"
#include "world/step.h"

/* RH_UNHANDLED_DEFER keeps it from being taken without a closer look (rh__first_is_open). */
const struct rh_message_type rh__exit_signal = { "exit signal", sizeof(struct world_exit_signal), RH_UNHANDLED_DEFER,
                                                 "" };

const struct rh_message_type rh__wake = { "end of a wait", 1, RH_UNHANDLED_ERROR, "" };

/* ---- channels ---------------------------------------------------------------------------------------------------- */

static uint32_t new_channel(struct rh_world *w, uint32_t sender, uint32_t receiver)
{
    if (w->channel_count == MAX_CHANNELS) {
        rh__fail(w, RH_OUTCOME_LIMIT, sender, "", "more than %u pairs of sender and receiver", MAX_CHANNELS);
        return 0;
    }
    uint32_t c = w->channel_count;
    uint32_t *list = receiver == RH_NONE ? &w->actors[sender].outbox : &w->actors[receiver].channels;
    w->channels[c] = (struct world_channel){ .sender = sender,
                                             .receiver = receiver,
                                             .first = RH_NONE,
                                             .last = RH_NONE,
                                             .next = *list,
                                             .stale = w->channels[c].stale };
    put32(w, list, c);
    put32(w, &w->channel_count, c + 1);
    return c;
}

RH__APART static uint32_t find_channel(struct rh_world *w, uint32_t sender, uint32_t receiver)
{
    uint32_t c = receiver == RH_NONE ? w->actors[sender].outbox : w->actors[receiver].channels;
    while (c != RH_NONE && w->channels[c].sender != sender)
        c = w->channels[c].next;
    return c == RH_NONE ? new_channel(w, sender, receiver) : c;
}

static inline uint32_t channel_between(struct rh_world *w, uint32_t sender, uint32_t receiver)
{
    uint32_t *cached = &w->channel_cache[rh__channel_slot(sender, receiver)];
    uint32_t c = *cached;
    if (c >= w->channel_count || w->channels[c].sender != sender || w->channels[c].receiver != receiver)
        *cached = c = find_channel(w, sender, receiver);
    return c;
}

/* The message is marked as the last one of this channel already. */
static inline void push(struct rh_world *w, uint32_t channel, uint32_t message)
{
    struct world_channel *c = &w->channels[channel];
    rh__channel_stale(w, channel);
    log_pair(w, &c->first);
    if (c->first == RH_NONE) {
        c->first = message;
        rh__channel_ready(w, channel, true);
    } else {
        put32(w, &w->messages[c->last].next, message);
    }
    c->last = message;
}

/* Pulls a message that is not the first of its channel. */
RH__APART static void pull_later(struct rh_world *w, uint32_t message)
{
    struct world_channel *c = &w->channels[w->messages[message].channel];
    uint32_t before = c->first;
    while (w->messages[before].next != message)
        before = w->messages[before].next; /* near the front, except in a bag */
    put32(w, &w->messages[before].next, w->messages[message].next);
    if (c->last == message)
        put32(w, &c->last, before);
}

static inline void pull(struct rh_world *w, uint32_t message)
{
    struct world_message *m = &w->messages[message];
    uint32_t channel = m->channel;
    struct world_channel *c = &w->channels[channel];
    rh__channel_stale(w, channel);
    if (c->first != message) {
        pull_later(w, message);
        return;
    }
    put32(w, &c->first, m->next);
    if (c->first == RH_NONE) /* then `last` is not used */
        rh__channel_ready(w, channel, false);
}

/* ---- vectors of the causal model --------------------------------------------------------------------------------- */

/* A vector in the payload: its length, then the counts. */
static uint32_t vector_at(const struct rh_world *w, uint64_t vector, uint32_t actor)
{
    if (!vector)
        return 0;
    const uint32_t *v = (const uint32_t *)(const void *)(w->payload + vector);
    return actor < v[0] ? v[1 + actor] : 0;
}

bool rh__message_in_vector(const struct rh_world *w, const struct world_message *m, uint64_t vector)
{
    return m->copy_of == RH_NONE && m->send_number <= vector_at(w, vector, m->sender);
}

static uint64_t vector_join(struct rh_world *w, uint64_t a, uint64_t b, uint32_t also, uint32_t count)
{
    uint32_t n = w->actor_count;
    uint64_t at = rh__payload_take(w, (n + 1) * sizeof(uint32_t));
    uint32_t *v = (uint32_t *)(void *)(w->payload + at);
    v[0] = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = vector_at(w, a, i), y = vector_at(w, b, i);
        v[1 + i] = x > y ? x : y;
    }
    if (also != RH_NONE && v[1 + also] < count)
        v[1 + also] = count;
    return at;
}

/* ---- sending and taking ------------------------------------------------------------------------------------------ */

__attribute__((always_inline)) static inline uint32_t append(struct rh_world *w, const struct world_sending *s,
                                                             uint32_t channel)
{
    if (w->message_count == MAX_MESSAGES) {
        rh__fail(w, RH_OUTCOME_LIMIT, s->from, "", "more than %u messages in one run", MAX_MESSAGES);
        return w->message_count - 1;
    }
    uint32_t value_bytes = (s->type->size + 15u) & ~15u;
    uint64_t payload = rh__payload_take(w, value_bytes + s->tail_size);
    struct world_message *m = &w->messages[w->message_count];
    struct world_actor *sender = &w->actors[s->from];
    m->type = s->type;
    m->payload = payload;
    m->hash = rh__wide_of(0);
    m->clock = 0;
    m->size = s->type->size;
    m->tail_size = s->tail_size;
    m->sender = s->from;
    m->receiver = s->to;
    m->seen_as = s->seen_as == RH_NONE ? s->from : s->seen_as;
    m->event = w->event_count - 1;
    m->ordinal = w->event_sends++;
    m->send_number = 0;
    m->answers = s->answers;
    m->request = s->request;
    m->taken_by = RH_NONE;
    m->copy_of = s->copy_of;
    m->timer = m->wake = m->life = m->behind = m->marks = m->sent_at = 0;
    m->posted = s->posted;
    m->channel = channel;
    m->next = RH_NONE;
    m->sent_ns = sender->now_ns;
    char *value = w->payload + payload;
    rh__zero(value + value_bytes - 16, 16); /* no leftovers between the end of the value and the tail */
    if (s->value)
        rh__copy(value, s->value, m->size);
    else
        rh__zero(value, m->size);
    if (s->tail_size) {
        rh__zero(value + value_bytes + ((s->tail_size - 1) & ~15u), 16);
        rh__copy(value + value_bytes, s->tail, s->tail_size);
    }
    if (w->delivery.causal) {
        put32(w, &sender->sends, sender->sends + 1);
        m->send_number = sender->sends;
        m->clock = (uint32_t)(sender->clock / 16);
        put64(w, &sender->clock, vector_join(w, sender->clock, 0, s->from, m->send_number));
    }
    return w->message_count++;
}

void rh__sent_at_once(struct rh_world *w, uint32_t sender, uint32_t first, uint64_t clock)
{
    struct world_actor *a = &w->actors[sender];
    uint32_t number = 0;
    for (uint32_t i = first; i < w->message_count; i++) {
        struct world_message *m = &w->messages[i];
        if (m->sender != sender)
            continue; /* sent in the receiver's own name */
        if (!number)
            number = m->send_number;
        m->send_number = number;
        m->clock = (uint32_t)(clock / 16);
        m->marks |= MARK_AT_ONCE;
    }
    if (!number)
        return;
    put32(w, &a->sends, number);
    put64(w, &a->clock, vector_join(w, clock, 0, sender, number));
}

/* For the story of the run. */
RH__APART static void note_dropped(struct rh_world *w, uint32_t message)
{
    char name[192], text[320];
    rh_world_actor_name(w, w->messages[message].receiver, name, sizeof name);
    snprintf(text, sizeof text, "(%s to %s is dropped)", w->messages[message].type->name, name);
    rh__note(w, w->messages[message].sender, text);
}

/* Messages of the world, such as news of ends, are held until the network heals. */
void rh__message_drop_across(struct rh_world *w, uint32_t message)
{
    if (rh__message_travels(&w->messages[message]) && rh__message_cut_off(w, message)) {
        note_dropped(w, message);
        rh__message_lose(w, message);
    }
}

static inline bool accepts_one_by_one(const struct rh_world *w)
{
    return w->semantics.granularity == RH_GRAIN_SEND;
}

__attribute__((always_inline)) static inline uint32_t send(struct rh_world *w, const struct world_sending *s)
{
    uint32_t channel = accepts_one_by_one(w) ? channel_between(w, s->from, RH_NONE)
                                             : channel_between(w, rh__channel_key(w, s->from, s->posted), s->to);
    uint32_t m = append(w, s, channel);
    w->under_way++;
    push(w, channel, m);
    if (__builtin_expect(w->cut && w->semantics.across == RH_ACROSS_DROPPED, 0))
        rh__message_drop_across(w, m);
    return m;
}

uint32_t rh__message_send(struct rh_world *w, const struct world_sending *s)
{
    return send(w, s);
}

uint32_t rh__message_post(struct rh_world *w, uint32_t from, uint32_t to, const struct rh_message_type *type,
                          const void *value)
{
    const struct world_sending s = SENDING(.from = from, .to = to, .type = type, .value = value, .posted = true);
    return send(w, &s);
}

/* The same apart, for the rarer kinds of messages. */
RH__APART static uint32_t append_apart(struct rh_world *w, const struct world_sending *s, uint32_t channel)
{
    return append(w, s, channel);
}

void rh__message_waste(struct rh_world *w, const struct world_sending *s)
{
    uint32_t m = append_apart(w, s, RH_NONE);
    w->messages[m].taken_by = w->event_count - 1;
}

static inline void note_over(struct rh_world *w, uint32_t message)
{
    if (w->any_faults && rh__by_object(w))
        put_flag(w, &w->messages[message].marks, MARK_OVER, true);
}

static inline void note_news_gone(struct rh_world *w, uint32_t message)
{
    if (w->messages[message].behind)
        put32(w, &w->news, w->news - 1);
}

RH__APART static void drop(struct rh_world *w, uint32_t message)
{
    pull(w, message);
    note_news_gone(w, message);
    w->under_way--;
    put32(w, &w->messages[message].taken_by, w->event_count - 1);
}

void rh__message_lose(struct rh_world *w, uint32_t message)
{
    put_flag(w, &w->messages[message].marks, MARK_OVER, true);
    if (w->messages[message].taken_by == RH_NONE) /* otherwise it was already lost, because its receiver had ended */
        drop(w, message);
}

void rh__message_accept(struct rh_world *w, uint32_t message)
{
    struct world_message *m = &w->messages[message];
    if (m->answers != RH_NONE && w->actors[m->receiver].asking != m->answers) {
        drop(w, message); /* nobody waits for this reply any more */
        return;
    }
    pull(w, message);
    uint32_t channel = channel_between(w, RH_NONE, m->receiver);
    put32(w, &m->next, RH_NONE);
    put32(w, &m->channel, channel);
    push(w, channel, message);
}

/* The message has overtaken others: these must have arrived before it. */
RH__APART static void overtake(struct rh_world *w, uint32_t message)
{
    struct world_channel *c = &w->channels[w->messages[message].channel];
    uint32_t sent = rh__message_original(w, message);
    if (sent > c->arrived)
        put32(w, &c->arrived, sent);
}

/* What the receiver learns of the time and, under causal, of the past. */
RH__APART static void learn(struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    struct world_actor *a = &w->actors[m->receiver];
    if (rh__message_changes_time(w, m)) {
        if (rh__set_goes_on(w, message)) /* a set is one tick of the clock, in whatever order its messages are taken */
            rh__clock_reach(w, m->receiver, m->sent_ns);
        else
            rh__clock_hear(w, m->receiver, m->sent_ns);
    }
    if (w->delivery.causal && a->status != STATUS_OUTSIDE)
        put64(w, &a->clock,
              vector_join(w, a->clock, rh__message_clock(m), m->sender,
                          m->marks & MARK_AT_ONCE ? m->send_number - 1 : m->send_number));
}

void rh__message_take_any(struct rh_world *w, uint32_t message)
{
    struct world_message *m = &w->messages[message];
    note_over(w, message);
    if (w->channels[m->channel].first != message)
        overtake(w, message);
    pull(w, message);
    note_news_gone(w, message);
    w->under_way--;
    put32(w, &m->taken_by, w->event_count - 1);
    learn(w, message);
}

void rh__message_duplicate(struct rh_world *w, uint32_t message)
{
    struct world_message original = w->messages[message];
    struct world_sending again = {
        .from = original.sender,
        .to = original.receiver,
        .type = original.type,
        .value = rh__message_value(w, &original),
        .tail = rh__message_tail(w, &original),
        .tail_size = original.tail_size,
        .answers = original.answers,
        .request = original.request,
        .copy_of = message,
        .seen_as = original.seen_as,
        .posted = original.posted,
    };
    uint32_t copy = append_apart(w, &again, original.channel);
    struct world_message *m = &w->messages[copy];
    m->send_number = original.send_number;
    m->clock = original.clock;
    m->sent_ns = original.sent_ns;
    if (original.taken_by != RH_NONE) { /* lost like the original */
        m->taken_by = w->event_count - 1;
        return;
    }
    w->under_way++;
    /* Right behind the original. */
    m->next = original.next;
    rh__channel_stale(w, original.channel);
    put32(w, &w->messages[message].next, copy);
    if (w->channels[original.channel].last == message)
        put32(w, &w->channels[original.channel].last, copy);
}

bool rh__message_is_double(const struct rh_world *w, uint32_t message)
{
    bool is = w->messages[message].copy_of != RH_NONE;
    for (uint32_t i = message + 1; i < w->message_count && !is; i++)
        is = w->messages[i].copy_of == message;
    return is;
}

void rh__replies_drop(struct rh_world *w, uint32_t receiver, uint32_t request)
{
    for (uint32_t c = w->actors[receiver].channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE;) {
            uint32_t next = w->messages[i].next;
            if (w->messages[i].answers == request)
                drop(w, i);
            i = next;
        }
}

void rh__wakes_drop(struct rh_world *w, uint32_t receiver)
{
    for (uint32_t c = w->actors[receiver].channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE;) {
            uint32_t next = w->messages[i].next;
            if (w->messages[i].wake)
                drop(w, i);
            i = next;
        }
}

/* Whether this message tells of the end of `who`, by the link or monitor in question. */
static bool is_news(const struct rh_world *w, const struct world_message *m, uint32_t receiver, uint32_t who, bool link)
{
    if (m->receiver != receiver || m->seen_as != who)
        return false;
    if (!link)
        return rh__message_is_down(m);
    return (m->type == &rh_message_rh_exited && !m->posted) ||
           (m->type == &rh__exit_signal &&
            ((const struct world_exit_signal *)(const void *)rh__message_value(w, m))->from_link);
}

static void drop_news(struct rh_world *w, uint32_t channel, uint32_t receiver, uint32_t who, bool link)
{
    for (uint32_t i = w->channels[channel].first; i != RH_NONE;) {
        uint32_t next = w->messages[i].next;
        if (is_news(w, &w->messages[i], receiver, who, link))
            drop(w, i);
        i = next;
    }
}

void rh__news_drop(struct rh_world *w, uint32_t receiver, uint32_t who, bool link)
{
    for (uint32_t c = w->actors[receiver].channels; c != RH_NONE; c = w->channels[c].next)
        drop_news(w, c, receiver, who, link);
    for (uint32_t c = w->actors[who].outbox; c != RH_NONE; c = w->channels[c].next)
        drop_news(w, c, receiver, who, link);
}

bool rh__timer_recall(struct rh_world *w, uint32_t actor, const char *name)
{
    w->footprint.recalled++;
    for (uint32_t c = w->actors[actor].channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next) {
            const struct world_message *m = &w->messages[i];
            if (m->timer && strcmp(w->payload + (uint64_t)m->timer * 16, name) == 0) {
                drop(w, i);
                return true;
            }
        }
    return false;
}

void rh__messages_drop_own(struct rh_world *w, uint32_t receiver)
{
    for (uint32_t c = w->actors[receiver].channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE;) {
            uint32_t next = w->messages[i].next;
            const struct world_message *m = &w->messages[i];
            bool news = rh__by_object(w) && (m->type == &rh__exit_signal || rh__message_is_down(m));
            if ((!rh__message_travels(m) && !news) || m->answers != RH_NONE)
                drop(w, i);
            i = next;
        }
    uint32_t start = w->actors[receiver].start; /* with granularity send perhaps not accepted yet */
    if (start != RH_NONE && w->messages[start].taken_by == RH_NONE)
        drop(w, start);
}

void rh__messages_drop(struct rh_world *w, uint32_t receiver)
{
    for (uint32_t i = w->actors[receiver].channels; i != RH_NONE; i = w->channels[i].next)
        while (w->channels[i].first != RH_NONE)
            drop(w, w->channels[i].first);
}

/* ---- which may be next ------------------------------------------------------------------------------------------- */

/* The list of choices asks the questions below for every message that might arrive.  In the common case stance and mail
 * stay in registers: rare questions are functions apart that get the stance by value. */

static inline bool is_wanted(struct rh_world *w, const struct rh__stance *s, const struct rh__mail *m, uint32_t message)
{
    enum rh__taking takes = rh__takes(s, m);
    return takes == RH__ASK_PREDICATE ? rh__filter_predicate(w, message) : takes == RH__TAKES;
}

RH__APART static bool signal_wanted(struct rh_world *w, struct rh__stance s, uint32_t message)
{
    struct rh__mail m = rh__live_mail(w, message);
    return is_wanted(w, &s, &m, message);
}

/* Would the receiver, in its present stance, take this message if it came? */
static inline bool wanted(struct rh_world *w, const struct rh__stance *s, uint32_t message)
{
    if (rh__message_is_signal(&w->messages[message]))
        return signal_wanted(w, *s, message);
    struct rh__mail m = rh__plain_mail(w, message);
    return is_wanted(w, s, &m, message);
}

RH__APART static bool signal_heard(struct rh_world *w, struct rh__stance s, uint32_t message)
{
    return rh__message_heard(w, &s, message);
}

static bool cut_off(const struct rh_world *w, uint32_t sender, uint32_t receiver)
{
    uint32_t from = w->actors[sender].node, to = w->actors[receiver].node;
    return from != RH_NONE && to != RH_NONE && rh__cut_divides(w->cut, from, to);
}

bool rh__message_heard(struct rh_world *w, const struct rh__stance *s, uint32_t message)
{
    struct rh__mail m = rh__live_mail(w, message);
    return rh__hears(s, &m);
}

bool rh__message_wanted(struct rh_world *w, const struct rh__stance *s, uint32_t message)
{
    return wanted(w, s, message);
}

bool rh__message_cut_off(const struct rh_world *w, uint32_t message)
{
    return w->cut && cut_off(w, w->messages[message].sender, w->messages[message].receiver);
}

/* Whether a message in another queue must arrive first. One that the receiver would not take now does not stand in the
 * way of those behind it, as within a queue. The first loop asks no predicate, and mostly suffices. */
RH__APART static bool waits_for_others(struct rh_world *w, const struct world_actor *a, uint32_t message)
{
    bool any = false;
    struct rh__stance s = rh__live_stance(a);
    bool hears = rh__hears_signals(&s);
    for (uint32_t c = a->channels; c != RH_NONE && !any; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE && !any; i = w->messages[i].next)
            any = i != message && rh__precedes_across(w, i, message, hears);
    if (!any)
        return false;
    for (uint32_t c = a->channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next)
            if (i != message && rh__precedes_across(w, i, message, hears) && wanted(w, &s, i) &&
                !(s.set_type && rh__joins(&s, w->messages[i].type)))
                return true;
    return false;
}

/* ---- news -------------------------------------------------------------------------------------------------------- */

void rh__message_is_news(struct rh_world *w, uint32_t message, uint32_t behind)
{
    if (!rh__by_object(w) || !w->delivery.in_order || !behind)
        return;
    w->messages[message].behind = behind;
    if (w->messages[message].taken_by == RH_NONE)
        put32(w, &w->news, w->news + 1);
}

void rh__messages_have_come(struct rh_world *w, uint32_t sender, uint32_t receiver)
{
    if (!w->delivery.in_order)
        return;
    for (uint32_t c = w->actors[receiver].channels; c != RH_NONE; c = w->channels[c].next)
        if (w->channels[c].sender == sender) {
            rh__channel_stale(w, c);
            put32(w, &w->channels[c].arrived, w->message_count);
        }
}

uint32_t rh__count_before_news(const struct rh_world *w, uint32_t news)
{
    const struct world_message *m = &w->messages[news];
    uint32_t n = 0;
    for (uint32_t c = w->actors[m->receiver].channels; c != RH_NONE && m->behind; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next)
            n += w->messages[i].posted && w->messages[i].sender == m->seen_as && rh__message_original(w, i) < m->behind;
    return n;
}

/* Whether the mailbox has a message that the actor would take now. */
RH__APART static bool mailbox_has_one(struct rh_world *w, const struct world_actor *a)
{
    struct rh__stance s = rh__live_stance(a);
    for (uint32_t c = w->delivery.by_receiver ? a->channels : RH_NONE; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next)
            if (w->channels[c].sender == RH_NONE && wanted(w, &s, i))
                return true;
    return false;
}

/* Calls `each` for the messages of this channel that can be taken now. */
__attribute__((always_inline)) static inline void each_deliverable(struct rh_world *w, uint32_t channel,
                                                                   void (*each)(struct rh_world *w, uint32_t message))
{
    const struct world_channel *c = &w->channels[channel];
    const struct world_actor *a = &w->actors[c->receiver];
    bool any = !w->delivery.in_order && c->sender != w->clock, causal = w->delivery.causal;
    bool found = false, signalled = false;
    if (a->outbox != RH_NONE && w->channels[a->outbox].first != RH_NONE)
        return;
    struct rh__stance s = rh__live_stance(a);
    for (uint32_t i = c->first; i != RH_NONE; i = w->messages[i].next) {
        bool signal = rh__message_is_signal(&w->messages[i]) && !signal_heard(w, s, i);
        bool joins = !signal && !w->messages[i].wake && rh__joins(&s, w->messages[i].type);
        bool apart = joins && s.set_type; /* not in the way of other messages */
        if ((signal ? signalled : found && !any && !apart) || !wanted(w, &s, i))
            continue;
        if (w->cut && cut_off(w, w->messages[i].sender, c->receiver))
            continue;
        if (w->messages[i].wake && mailbox_has_one(w, a))
            continue;
        if (signal)
            signalled = true;
        else if (!apart)
            found = true;
        if (apart ? !rh__set_open(w, c->receiver, i) : (causal || w->messages[i].behind) && waits_for_others(w, a, i))
            continue;
        if (joins && !apart && !rh__set_open(w, c->receiver, i))
            continue;
        each(w, i);
    }
}

static inline void offer(struct rh_world *w, uint32_t message)
{
    rh__offer(w, RH_CHOICE_DELIVER, w->messages[message].receiver, message, 0);
}

/* An idle actor that takes what comes. */
static inline bool takes_what_comes(const struct world_actor *a)
{
    return a->status == STATUS_IDLE && !(a->flags & (FLAG_DEFERS | FLAG_GATHERS)) && a->start == RH_NONE &&
           a->outbox == RH_NONE;
}

static inline bool is_plain(const struct world_message *m)
{
    return m->type->unhandled != RH_UNHANDLED_DEFER && m->answers == RH_NONE && !(m->wake | m->life | m->behind) &&
           !rh__message_is_start(m);
}

/* The common case in a few instructions: nothing is special about the receiver and the messages.  False, and nothing is
 * offered, if something is. */
static inline bool offer_plain(struct rh_world *w, const struct world_channel *c)
{
    uint32_t before = w->choice_count;
    if (w->delivery.causal || w->cut || !takes_what_comes(&w->actors[c->receiver]))
        return false;
    for (uint32_t i = c->first; i != RH_NONE; i = w->messages[i].next) {
        if (!is_plain(&w->messages[i])) {
            w->choice_count = before;
            return false;
        }
        if (i == c->first || (!w->delivery.in_order && c->sender != w->clock))
            offer(w, i);
    }
    return true;
}

void rh__channel_offer(struct rh_world *w, uint32_t channel)
{
    if (!offer_plain(w, &w->channels[channel]))
        each_deliverable(w, channel, offer);
}

/* rh__message_deliverable asks for one message whether it is among the deliverable ones of its channel. */
static void note_if_sought(struct rh_world *w, uint32_t message)
{
    if (message == w->sought)
        w->sought_found = true;
}

bool rh__message_deliverable(struct rh_world *w, uint32_t message)
{
    const struct world_message *m;
    if (message >= w->message_count)
        return false;
    m = &w->messages[message];
    if (m->taken_by != RH_NONE || m->channel == RH_NONE || w->channels[m->channel].receiver == RH_NONE)
        return false;
    w->sought = message;
    w->sought_found = false;
    rh__sets_anew(w);
    each_deliverable(w, m->channel, note_if_sought);
    return w->sought_found;
}
