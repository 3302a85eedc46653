/* See network.h.
 *
 * The delivery models differ in two things only: how channels are keyed, and which messages of a channel may be next.
 *
 *     model     channel per             next
 *     fifo      sender and receiver     the first
 *     bag       sender and receiver     any
 *     causal    sender and receiver     the first, if no message to the same receiver was sent in its past
 *     mailbox   receiver                the first
 *
 * A message that the receiver would not take now (deferred, or it waits for another) does not stand in the way of those
 * behind it.  Exit signals overtake messages, as in Erlang, where they act on arrival and not on receipt.
 *
 * News of an end (rh_down, rh_exited) come behind what the program of the one that has ended sent to the same receiver before.
 * Where all of that is in one channel the channel sees to it.  With granularity object it is not: what an actor is told by its
 * own doing comes from itself.  So there the news name the message that brought them (`behind`: themselves, or the exit
 * signal), and wait for all that was sent before that.  (Not under mailbox, where the world's own are in no mailbox: there
 * news may still overtake.)
 *
 * Causal: every sender carries a vector that counts, per actor, the sends it has seen; a message carries the sender's
 * vector of before its send.  Message x was sent in the past of message m iff m's vector counts x's send. */
#include "world/network.h"

#include <string.h>

#include "base/copy.h"
#include "world/actors.h"
#include "world/fingerprint.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/receive.h"

const struct rh_message_type rh__exit_signal = { "exit signal", sizeof(struct exit_signal), RH_UNHANDLED_ERROR };

const struct rh_message_type rh__wake = { "end of a wait", 1, RH_UNHANDLED_ERROR };

/* ---- channels ---------------------------------------------------------------------------------------------------- */

static uint32_t new_channel(struct rh_world *w, uint32_t sender, uint32_t receiver)
{
    if (w->channel_count == MAX_CHANNELS) {
        rh__fail(w, RH_OUTCOME_LIMIT, sender, "", "more than %u pairs of sender and receiver", MAX_CHANNELS);
        return 0;
    }
    uint32_t c = w->channel_count;
    uint32_t *list = receiver == RH_NONE ? &w->actors[sender].outbox : &w->actors[receiver].channels;
    w->channels[c] =
        (struct channel){ .sender = sender, .receiver = receiver, .first = RH_NONE, .last = RH_NONE, .next = *list };
    put32(w, list, c);
    put32(w, &w->channel_count, c + 1);
    return c;
}

static uint32_t channel_between(struct rh_world *w, uint32_t sender, uint32_t receiver)
{
    uint32_t *cached = &w->channel_cache[(sender * 31 + receiver) % CHANNEL_CACHE];
    uint32_t c = *cached;
    if (c < w->channel_count && w->channels[c].sender == sender && w->channels[c].receiver == receiver)
        return c;
    c = receiver == RH_NONE ? w->actors[sender].outbox : w->actors[receiver].channels;
    while (c != RH_NONE && w->channels[c].sender != sender)
        c = w->channels[c].next;
    if (c == RH_NONE)
        c = new_channel(w, sender, receiver);
    *cached = c;
    return c;
}

static void push(struct rh_world *w, uint32_t channel, uint32_t message)
{
    struct channel *c = &w->channels[channel];
    rh__channel_stale(w, channel);
    if (w->messages[message].next != RH_NONE)
        put32(w, &w->messages[message].next, RH_NONE);
    if (w->messages[message].channel != channel)
        put32(w, &w->messages[message].channel, channel);
    log_pair(w, &c->first);
    if (c->first == RH_NONE) {
        c->first = message;
        put64(w, &w->ready[channel / 64], w->ready[channel / 64] | (uint64_t)1 << channel % 64);
    } else {
        put32(w, &w->messages[c->last].next, message);
    }
    c->last = message;
}

static void pull(struct rh_world *w, uint32_t message)
{
    struct message *m = &w->messages[message];
    uint32_t channel = m->channel;
    struct channel *c = &w->channels[channel];
    uint32_t before = RH_NONE;
    rh__channel_stale(w, channel);
    for (uint32_t i = c->first; i != message; i = w->messages[i].next)
        before = i; /* near the front but in a bag */
    if (before == RH_NONE)
        put32(w, &c->first, m->next);
    else
        put32(w, &w->messages[before].next, m->next);
    if (c->last == message && before != RH_NONE)
        put32(w, &c->last, before);
    if (c->first == RH_NONE) /* then what `last` says is of no interest */
        put64(w, &w->ready[channel / 64], w->ready[channel / 64] & ~((uint64_t)1 << channel % 64));
}

/* ---- vectors of the causal model ----------------------------------------------------------------------------------- */

/* A vector in the payload: its length, then the counts. */
static uint32_t vector_at(const struct rh_world *w, uint64_t vector, uint32_t actor)
{
    if (!vector)
        return 0;
    const uint32_t *v = (const uint32_t *)(const void *)(w->payload + vector);
    return actor < v[0] ? v[1 + actor] : 0;
}

bool rh__sent_in_past(const struct rh_world *w, const struct message *x, const struct message *m)
{
    return x->copy_of == RH_NONE && m->copy_of == RH_NONE && x->send_number <= vector_at(w, m->clock, x->sender);
}

bool rh__message_in_vector(const struct rh_world *w, const struct message *m, uint64_t vector)
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

/* ---- sending and taking ------------------------------------------------------------------------------------------- */

static uint32_t append(struct rh_world *w, const struct sending *s, uint32_t channel)
{
    if (w->message_count == MAX_MESSAGES) {
        rh__fail(w, RH_OUTCOME_LIMIT, s->from, "", "more than %u messages in one run", MAX_MESSAGES);
        return w->message_count - 1;
    }
    uint32_t value_bytes = (s->type->size + 15u) & ~15u;
    uint64_t payload = rh__payload_take(w, value_bytes + s->tail_size);
    struct message *m = &w->messages[w->message_count];
    struct actor *sender = &w->actors[s->from];
    m->type = s->type;
    m->payload = payload;
    m->hash = 0;
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
    m->timer = m->wake = m->life = m->at_once = 0;
    m->posted = s->posted;
    m->over = m->walk = m->behind = 0;
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
    if (w->semantics.model == RH_CAUSAL) {
        put32(w, &sender->sends, sender->sends + 1);
        m->send_number = sender->sends;
        m->clock = sender->clock;
        put64(w, &sender->clock, vector_join(w, sender->clock, 0, s->from, m->send_number));
    }
    return w->message_count++;
}

void rh__sent_at_once(struct rh_world *w, uint32_t sender, uint32_t first, uint64_t clock)
{
    struct actor *a = &w->actors[sender];
    uint32_t number = 0;
    for (uint32_t i = first; i < w->message_count; i++) {
        struct message *m = &w->messages[i];
        if (m->sender != sender)
            continue; /* in the receiver's own name */
        if (!number)
            number = m->send_number;
        m->send_number = number;
        m->clock = clock;
        m->at_once = 1;
    }
    if (!number)
        return;
    put32(w, &a->sends, number);
    put64(w, &a->clock, vector_join(w, clock, 0, sender, number));
}

/* With granularity object only what the program posts is an operation on the mailbox; what the world tells is in order by
 * sender. */
static uint32_t channel_key(const struct rh_world *w, const struct sending *s)
{
    return w->semantics.model == RH_MAILBOX && (s->posted || !rh__fine(w)) ? RH_NONE : s->from;
}

static bool accepts_one_by_one(const struct rh_world *w)
{
    return w->semantics.model == RH_MAILBOX && w->semantics.granularity == RH_GRAIN_SEND;
}

uint32_t rh__message_send(struct rh_world *w, const struct sending *s)
{
    uint32_t channel =
        accepts_one_by_one(w) ? channel_between(w, s->from, RH_NONE) : channel_between(w, channel_key(w, s), s->to);
    uint32_t m = append(w, s, channel);
    w->under_way++;
    push(w, channel, m);
    return m;
}

void rh__message_waste(struct rh_world *w, const struct sending *s)
{
    uint32_t m = append(w, s, RH_NONE);
    w->messages[m].taken_by = w->event_count - 1;
}

static void note_over(struct rh_world *w, uint32_t message)
{
    if (w->any_faults && rh__fine(w))
        put32(w, &w->messages[message].over, 1);
}

static void note_news_gone(struct rh_world *w, uint32_t message)
{
    if (w->messages[message].behind)
        put32(w, &w->news, w->news - 1);
}

static void drop(struct rh_world *w, uint32_t message)
{
    pull(w, message);
    note_news_gone(w, message);
    w->under_way--;
    put32(w, &w->messages[message].taken_by, w->event_count - 1);
}

void rh__message_lose(struct rh_world *w, uint32_t message)
{
    note_over(w, message);
    if (w->messages[message].taken_by == RH_NONE) /* else it was lost before, to one that has ended */
        drop(w, message);
}

void rh__message_accept(struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    if (m->answers != RH_NONE && w->actors[m->receiver].asking != m->answers) {
        drop(w, message); /* nobody waits for this reply any more */
        return;
    }
    pull(w, message);
    push(w, channel_between(w, RH_NONE, m->receiver), message);
}

void rh__message_take(struct rh_world *w, uint32_t message)
{
    struct message *m = &w->messages[message];
    struct channel *c = &w->channels[m->channel];
    note_over(w, message);
    uint32_t sent = rh__message_original(w, message);
    if (c->first != message && sent > c->arrived)
        put32(w, &c->arrived, sent); /* what it has passed over must have come before it */
    pull(w, message);
    note_news_gone(w, message);
    w->under_way--;
    put32(w, &m->taken_by, w->event_count - 1);
    if ((m->sent_ns > w->actors[m->receiver].now_ns) | (w->tick_ns != 0))
        rh__clock_hear(w, m->receiver, m->sent_ns);
    if (w->semantics.model == RH_CAUSAL && w->actors[m->receiver].status != STATUS_OUTSIDE)
        put64(w, &w->actors[m->receiver].clock,
              vector_join(w, w->actors[m->receiver].clock, m->clock, m->sender, m->send_number - m->at_once));
}

void rh__message_duplicate(struct rh_world *w, uint32_t message)
{
    struct message original = w->messages[message];
    struct sending again = {
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
    uint32_t copy = append(w, &again, original.channel);
    struct message *m = &w->messages[copy];
    m->send_number = original.send_number;
    m->clock = original.clock;
    m->sent_ns = original.sent_ns;
    if (original.taken_by != RH_NONE) { /* as lost as the original */
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

/* Does this message tell of the end of `who`, by the link or the monitor in question? */
static bool is_news(const struct rh_world *w, const struct message *m, uint32_t receiver, uint32_t who, bool link)
{
    if (m->receiver != receiver || m->seen_as != who)
        return false;
    if (!link)
        return rh__message_is_down(m);
    return (m->type == &rh_message_rh_exited && !m->posted) ||
           (m->type == &rh__exit_signal &&
            ((const struct exit_signal *)(const void *)rh__message_value(w, m))->from_link);
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
    for (uint32_t c = w->actors[actor].channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next) {
            const struct message *m = &w->messages[i];
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
            const struct message *m = &w->messages[i];
            bool news = rh__fine(w) && (m->type == &rh__exit_signal || rh__message_is_down(m));
            if ((!rh__message_travels(m) && !news) || m->answers != RH_NONE)
                drop(w, i);
            i = next;
        }
}

void rh__messages_drop(struct rh_world *w, uint32_t receiver)
{
    for (uint32_t i = w->actors[receiver].channels; i != RH_NONE; i = w->channels[i].next)
        while (w->channels[i].first != RH_NONE)
            drop(w, w->channels[i].first);
}

/* ---- which may be next --------------------------------------------------------------------------------------------- */

enum rh_action rh__disposition(const struct actor *a, const struct rh_message_type *type, const struct rh_entry **entry)
{
    const struct rh_behaviour *b = a->behaviour;
    for (size_t i = 0; i < b->entry_count; i++)
        if (b->entries[i].type == type) {
            *entry = &b->entries[i];
            return b->entries[i].action;
        }
    *entry = NULL;
    return type->unhandled == RH_UNHANDLED_DEFER    ? RH_ACTION_DEFER
           : type->unhandled == RH_UNHANDLED_IGNORE ? RH_ACTION_IGNORE
                                                    : RH_ACTION_HANDLE;
}

/* Would the receiver, as it is now, take this message if it came? */
static bool wanted(struct rh_world *w, const struct actor *a, uint32_t message)
{
    const struct message *m = &w->messages[message];
    const struct rh_entry *entry;
    if (m->type == &rh__exit_signal)
        return a->status != STATUS_PREEMPTED;
    if (rh__message_is_start(m))
        return a->status == STATUS_IDLE && a->start == message; /* not one of an earlier life */
    if (m->wake)
        return a->status == STATUS_WAITING ||
               a->status == STATUS_SLEEPING; /* one of an earlier wait is lost with that */
    switch (a->status) {
    case STATUS_IDLE:
        if (a->start != RH_NONE)
            return a->start == message;
        if (!(a->flags & FLAG_DEFERS) && m->type->unhandled != RH_UNHANDLED_DEFER)
            return true;
        return rh__disposition(a, m->type, &entry) != RH_ACTION_DEFER;
    case STATUS_WAITING:
        return rh__filter_matches(w, a, message);
    default:
        return false;
    }
}

static bool cut_off(const struct rh_world *w, uint32_t one, uint32_t other)
{
    uint32_t a = w->actors[one].node, b = w->actors[other].node;
    return a != RH_NONE && b != RH_NONE && ((w->cut >> a ^ w->cut >> b) & 1);
}

/* Causal: nothing else to this receiver was sent in the past of this message. */
static bool first_in_its_past(const struct rh_world *w, const struct message *m)
{
    for (uint32_t c = w->actors[m->receiver].channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next) {
            const struct message *x = &w->messages[i];
            if (x != m && x->type != &rh__exit_signal && rh__sent_in_past(w, x, m))
                return false;
        }
    return true;
}

/* A causal predecessor that the receiver does not want now does not hold up the rest, as in the other models. */
static bool causal_ready(struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    if (m->type == &rh__exit_signal || first_in_its_past(w, m))
        return true;
    const struct actor *a = &w->actors[m->receiver];
    for (uint32_t c = a->channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next) {
            const struct message *x = &w->messages[i];
            if (x != m && x->type != &rh__exit_signal && rh__sent_in_past(w, x, m) && wanted(w, a, i))
                return false;
        }
    return true;
}

/* ---- news ------------------------------------------------------------------------------------------------------------ */

void rh__message_is_news(struct rh_world *w, uint32_t message, uint32_t behind)
{
    if (!rh__fine(w) || w->semantics.model == RH_BAG || w->semantics.model == RH_MAILBOX || !behind)
        return;
    w->messages[message].behind = behind;
    put32(w, &w->news, w->news + 1);
}

void rh__messages_have_come(struct rh_world *w, uint32_t sender, uint32_t receiver)
{
    if (w->semantics.model == RH_BAG)
        return;
    for (uint32_t c = w->actors[receiver].channels; c != RH_NONE; c = w->channels[c].next)
        if (w->channels[c].sender == sender) {
            rh__channel_stale(w, c);
            put32(w, &w->channels[c].arrived, w->message_count);
        }
}

bool rh__message_comes_before_news(const struct rh_world *w, uint32_t message, uint32_t news)
{
    const struct message *x = &w->messages[message], *m = &w->messages[news];
    return m->type != &rh__exit_signal && x->posted && x->sender == m->seen_as && x->receiver == m->receiver &&
           rh__message_original(w, message) < m->behind;
}

uint32_t rh__count_before_news(const struct rh_world *w, uint32_t news)
{
    const struct message *m = &w->messages[news];
    uint32_t n = 0;
    for (uint32_t c = w->actors[m->receiver].channels; c != RH_NONE && m->behind; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next)
            n += w->messages[i].posted && w->messages[i].sender == m->seen_as && rh__message_original(w, i) < m->behind;
    return n;
}

/* As everywhere, one that the receiver does not want now does not stand in the way; nor one that cannot come. */
static bool waits_for_others(struct rh_world *w, const struct actor *a, uint32_t news)
{
    for (uint32_t c = a->channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next)
            if (rh__message_comes_before_news(w, i, news) && wanted(w, a, i) &&
                !(w->cut && cut_off(w, w->messages[i].sender, w->messages[i].receiver)))
                return true;
    return false;
}

bool rh__message_in_past(const struct rh_world *w, uint32_t message, uint32_t of)
{
    const struct message *x = &w->messages[message], *m = &w->messages[of];
    return x->copy_of == RH_NONE && m->copy_of == RH_NONE && x->send_number <= vector_at(w, m->clock, x->sender);
}

void rh__channel_deliverable(struct rh_world *w, uint32_t channel, void (*each)(struct rh_world *w, uint32_t message))
{
    const struct channel *c = &w->channels[channel];
    const struct actor *a = &w->actors[c->receiver];
    bool any = w->semantics.model == RH_BAG && c->sender != w->clock, causal = w->semantics.model == RH_CAUSAL;
    bool found = false, signalled = false;
    if (a->status == STATUS_CRASHED || (a->outbox != RH_NONE && w->channels[a->outbox].first != RH_NONE))
        return;
    for (uint32_t i = c->first; i != RH_NONE; i = w->messages[i].next) {
        bool signal = w->messages[i].type == &rh__exit_signal;
        if ((signal ? signalled : found && !any) || !wanted(w, a, i))
            continue;
        if (w->cut && cut_off(w, w->messages[i].sender, c->receiver))
            continue;
        if (signal)
            signalled = true;
        else
            found = true;
        if ((causal && !causal_ready(w, i)) || (w->messages[i].behind && waits_for_others(w, a, i)))
            continue;
        each(w, i);
    }
}

/* rh__message_deliverable asks the same question for one message: is it among those of its channel? */
static void note_if_sought(struct rh_world *w, uint32_t message)
{
    if (message == w->sought)
        w->sought_found = true;
}

bool rh__message_deliverable(struct rh_world *w, uint32_t message)
{
    const struct message *m;
    if (message >= w->message_count)
        return false;
    m = &w->messages[message];
    if (m->taken_by != RH_NONE || m->channel == RH_NONE || w->channels[m->channel].receiver == RH_NONE)
        return false;
    w->sought = message;
    w->sought_found = false;
    rh__channel_deliverable(w, m->channel, note_if_sought);
    return w->sought_found;
}
