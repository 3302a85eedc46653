/* Messages under way: channels, and which message may arrive next under each delivery model. */
/* Private to src/world. */
#ifndef RH_WORLD_NETWORK_H
#define RH_WORLD_NETWORK_H

#include "world/delivery.h"
#include "world/log.h"
#include "world/state.h"

/* An actor that traps sees the first field. */
struct world_exit_signal {
    struct rh_exited exited;
    uint32_t who;
    uint32_t from_link; /* or from rh_kill */
    uint32_t life;      /* from a link: restarts of `who` before */
    uint32_t for_life;  /* ... and of the receiver, when it was linked, + 1; 0: of any life */
};

struct world_sending {
    uint32_t from, to;
    const struct rh_message_type *type;
    const void *value; /* NULL: all zero */
    const void *tail;
    uint32_t tail_size;
    uint32_t answers, request, copy_of; /* each RH_NONE if there is none */
    uint32_t seen_as;                   /* RH_NONE: the sender itself */
    bool posted;                        /* sent by the program, not by the world */
};
#define SENDING(...)                                                                                                   \
    {                                                                                                                  \
        .answers = RH_NONE, .request = RH_NONE, .copy_of = RH_NONE, .seen_as = RH_NONE, __VA_ARGS__                    \
    }

/* Appends the message and puts it under way; returns its index.  The receiver must not have ended. */
uint32_t rh__message_send(struct rh_world *w, const struct world_sending *s);
/* The same for a message of the program that has no tail and is no request, reply or copy: most are of this kind. */
uint32_t rh__message_post(struct rh_world *w, uint32_t from, uint32_t to, const struct rh_message_type *type,
                          const void *value);
/* The same for a receiver that has ended or no longer waits for the message: it is lost at once, but counts among the
 * sent messages, so that the names of the others do not depend on whether it came in time. */
void rh__message_waste(struct rh_world *w, const struct world_sending *s);

/* Where the program sent the message, as file:line; "" for a message of the world, or of a shared library. */
const char *rh__sent_at(const struct rh_world *w, uint32_t message);

/* Causal: makes the messages that `sender`, whose vector was `clock` before, has sent since message `first`
 * simultaneous: none of them is in the past of another. */
void rh__sent_at_once(struct rh_world *w, uint32_t sender, uint32_t first, uint64_t clock);

/* Removes the message from its channel; its receiver stays recorded. */
static inline void rh__message_take(struct rh_world *w, uint32_t message);
void rh__message_take_any(struct rh_world *w, uint32_t message);
/* The same, but the receiver never sees the message, and so learns nothing from it (causal). */
void rh__message_lose(struct rh_world *w, uint32_t message);
/* Loses a message that a partition divides from its receiver (RH_ACROSS_DROPPED). */
void rh__message_drop_across(struct rh_world *w, uint32_t message);
/* Granularity send: moves the message from its sender's outbox to the receiver's mailbox. */
void rh__message_accept(struct rh_world *w, uint32_t message);
/* Adds a copy right behind the original. */
void rh__message_duplicate(struct rh_world *w, uint32_t message);
/* Whether the message is a copy, or has one. */
bool rh__message_is_double(const struct rh_world *w, uint32_t message);
/* Drops the replies to this request that are under way. */
void rh__replies_drop(struct rh_world *w, uint32_t receiver, uint32_t request);
/* Drops the clock's messages about the end of a wait. */
void rh__wakes_drop(struct rh_world *w, uint32_t receiver);
/* Drops the news of the end of `who` that are under way to `receiver`: by a link, or by a monitor. */
void rh__news_drop(struct rh_world *w, uint32_t receiver, uint32_t who, bool link);
/* Drops the messages under way that concern only the actor's present life: its own messages, replies, the world's. */
void rh__messages_drop_own(struct rh_world *w, uint32_t receiver);
/* Cancels the message of a timer that has fired and was not received; false if there is none. */
bool rh__timer_recall(struct rh_world *w, uint32_t actor, const char *name);
/* Drops all messages under way to the actor. */
void rh__messages_drop(struct rh_world *w, uint32_t receiver);

/* Causal: the vector of the sender before the send, payload offset. */
static inline uint64_t rh__message_clock(const struct world_message *m)
{
    return (uint64_t)m->clock * 16;
}
/* Causal: whether a vector counts the send of the message. */
bool rh__message_in_vector(const struct rh_world *w, const struct world_message *m, uint64_t vector);
/* Whether the receiver can take the message now. */
bool rh__message_deliverable(struct rh_world *w, uint32_t message);
/* Offers the messages of this channel that can be taken now (step.h). */
void rh__channel_offer(struct rh_world *w, uint32_t channel);

/* Whether the receiver, in this stance, takes the message. */
bool rh__message_wanted(struct rh_world *w, const struct rh__stance *s, uint32_t message);
/* Whether a partition is between sender and receiver. */
bool rh__message_cut_off(const struct rh_world *w, uint32_t message);

/* The common case in a few instructions: the receiver takes every message, and the first one of its channel is like
 * others and alone. */
static inline bool rh__takes_every(const struct world_actor *a)
{
    return a->status == STATUS_IDLE && !(a->flags & (FLAG_DEFERS | FLAG_GATHERS)) && a->start == RH_NONE &&
           a->outbox == RH_NONE;
}

static inline bool rh__message_is_plain(const struct world_message *m)
{
    return m->type->unhandled != RH_UNHANDLED_DEFER && m->next == RH_NONE && !m->behind;
}

/* The first message of the channel can be taken, and it is the only candidate, if rh__heads_are_free as well. */
static inline bool rh__first_is_open(const struct world_channel *c, const struct world_actor *actors,
                                     const struct world_message *messages)
{
    return c->receiver != RH_NONE && rh__takes_every(&actors[c->receiver]) && rh__message_is_plain(&messages[c->first]);
}

static inline bool rh__heads_are_free(const struct rh_world *w)
{
    return w->delivery.head_is_free && !w->cut;
}

/* Whether an actor begins a life with this message. */
static inline bool rh__message_is_start(const struct world_message *m)
{
    return rh__is_start(&m->row);
}

/* Whether the message tells of an end that its receiver monitors. */
static inline bool rh__message_is_down(const struct world_message *m)
{
    return rh__is_down(&m->row);
}

static inline bool rh__message_travels(const struct world_message *m)
{
    return rh__travels(&m->row);
}

/* The part of a waiting actor's stance that its filter decides. */
static inline void rh__stance_filter(struct rh__stance *s, const struct rh_filter *f)
{
    s->set = f->count;
    s->tested = f->match != NULL;
    s->from = f->from.id;
    s->type = f->type;
    s->types = f->types;
}

/* The part of an idle actor's stance that its state decides (RH_SETS_OF).  A value, not a part of the stance: a stance
 * whose address is nowhere needed stays in registers. */
struct rh__gathering {
    const struct rh_message_type *type; /* NULL: no set */
    uint32_t set;
};
struct rh__gathering rh__gathering_of(const struct rh_behaviour *behaviour, const void *state);

/* The stance of an actor now (delivery.h). */
static inline struct rh__stance rh__live_stance(const struct world_actor *a)
{
    static const unsigned char kinds[] = {
        [STATUS_IDLE] = RH__IDLE,
        [STATUS_RUNNING] = RH__BUSY,
        [STATUS_WAITING] = RH__WAITS,
        [STATUS_SLEEPING] = RH__SLEEPS,
        [STATUS_SYNCING] = RH__BUSY,
        [STATUS_CHOOSING] = RH__BUSY,
        [STATUS_PREEMPTED] = RH__STOPPED,
        [STATUS_ENDED] = RH__TAKES_NOTHING,
        [STATUS_CRASHED] = RH__TAKES_NOTHING,
        [STATUS_OUTSIDE] = RH__TAKES_NOTHING,
    };
    struct rh__stance s = { .kind = (enum rh__stance_kind)kinds[a->status],
                            .defers = a->flags & FLAG_DEFERS,
                            .traps = a->flags & FLAG_TRAPS,
                            .settles = a->flags & FLAG_SETTLES,
                            .mortal = a->flags & FLAG_MORTAL && a->then == THEN_GO_ON,
                            .wait = a->wait,
                            .life = a->restarts + 1,
                            .behaviour = a->behaviour,
                            .start = rh__key(a->start) };
    if (__builtin_expect(a->flags & FLAG_GATHERS, 0) && s.kind == RH__IDLE && !s.start) {
        struct rh__gathering g = rh__gathering_of(a->behaviour, a->region);
        s.set = g.set;
        s.set_type = g.type;
    }
    if (s.kind != RH__WAITS)
        return s;
    s.asking = rh__key(a->asking);
    if (!s.asking)
        rh__stance_filter(&s, a->filter);
    return s;
}

/* Completes the mail of an exit signal. */
void rh__mail_of_signal(const struct rh_world *w, const struct world_message *m, struct rh__mail *mail);

/* The mail of a message that is no exit signal. */
static inline struct rh__mail rh__plain_mail(const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    return (struct rh__mail){ .type = m->type,
                              .key = rh__key(message),
                              .answers = rh__key(m->answers),
                              .seen_as = ref_of(m->seen_as).id,
                              .wake = m->wake,
                              .life = m->life,
                              .starts = rh__message_is_start(m) };
}

static inline bool rh__message_is_signal(const struct world_message *m)
{
    return __builtin_expect(m->type == &rh__exit_signal, 0);
}

static inline struct rh__mail rh__live_mail(const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    struct rh__mail mail = rh__plain_mail(w, message);
    mail.signal = rh__message_is_signal(m);
    if (mail.signal)
        rh__mail_of_signal(w, m, &mail);
    return mail;
}

/* Whether the message is an exit signal that the receiver takes as the message rh_exited. */
bool rh__message_heard(struct rh_world *w, const struct rh__stance *s, uint32_t message);

/* Whether the message may be lost or duplicated. */
static inline bool rh__message_may_fail(const struct rh_world *w, const struct world_message *m)
{
    return rh__message_travels(m) && rh__is_among(w->semantics.may_lose, w->actors[m->receiver].type);
}

/* The original of a copy, which is as old as the copy. */
static inline uint32_t rh__message_original(const struct rh_world *w, uint32_t message)
{
    return w->messages[message].copy_of == RH_NONE ? message : w->messages[message].copy_of;
}

/* The actor that made the send: that forwarded the message, or sent it in the name of an external sender. */
static inline uint32_t rh__message_by(const struct rh_world *w, const struct world_message *m)
{
    uint32_t by = m->sender;
    if (w->actors[m->sender].status == STATUS_OUTSIDE)
        by = w->events[m->event].choice.actor;
    return by == RH_NONE ? 0 : by; /* from outside: as the test */
}

/* Whether a later message of its channel was taken: then this one must have arrived. */
static inline bool rh__message_passed_over(const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    return w->delivery.in_order && m->taken_by == RH_NONE &&
           rh__message_original(w, message) < w->channels[m->channel].arrived;
}

/* The sender of the channel that a message goes to; RH_NONE for the channel that all senders share. With granularity
 * object only what the program posts is an operation on the mailbox; what the world tells is in order by sender. */
static inline uint32_t rh__channel_key(const struct rh_world *w, uint32_t sender, bool posted)
{
    return w->delivery.by_receiver && (posted || w->semantics.granularity != RH_GRAIN_OBJECT) ? RH_NONE : sender;
}

/* Where the channel is in w->channel_cache.  Neither few actors collide there, nor the pairs of a ring of up to 256
 * actors, nor those of one actor with many. */
static inline uint32_t rh__channel_slot(uint32_t sender, uint32_t receiver)
{
    return (sender * 37 + receiver) % CHANNEL_CACHE;
}

/* Granularity object: this message tells of the end of its `seen_as`, of which the message `behind` told first. */
void rh__message_is_news(struct rh_world *w, uint32_t message, uint32_t behind);
/* How many messages under way must arrive before the news. */
uint32_t rh__count_before_news(const struct rh_world *w, uint32_t news);
/* All messages from `sender` to `receiver` so far must have arrived, because the receiver has found that the sender has
 * ended. */
void rh__messages_have_come(struct rh_world *w, uint32_t sender, uint32_t receiver);

static inline char *rh__message_value(const struct rh_world *w, const struct world_message *m)
{
    return w->payload + m->payload;
}
static inline char *rh__message_tail(const struct rh_world *w, const struct world_message *m)
{
    return w->payload + m->payload + ((m->size + 15u) & ~15u);
}

/* ---- the short way, taken at every step -------------------------------------------------------------------------- */

/* Whether the receiver learns something of the time. */
static inline bool rh__message_changes_time(const struct rh_world *w, const struct world_message *m)
{
    return w->own_clocks && (m->sent_ns > w->actors[m->receiver].now_ns || w->tick_ns);
}

/* Notes whether the channel holds something.  A step mostly changes one word of these bits several times: it goes to
 * the log once. */
static inline void rh__channel_ready(struct rh_world *w, uint32_t channel, bool is)
{
    uint64_t *word = &w->ready[channel / 64], bit = (uint64_t)1 << channel % 64;
    if (w->ready_logged != channel / 64) {
        log_push(w, word, LOG_WORD64, *word);
        w->ready_logged = channel / 64;
    }
    *word = is ? *word | bit : *word & ~bit;
}

/* The common case: the message is the first of its channel, and there are no faults, news, hashes or clocks to
 * follow. */
static inline void rh__message_take(struct rh_world *w, uint32_t message)
{
    struct world_message *m = &w->messages[message];
    uint32_t channel = m->channel;
    struct world_channel *c = &w->channels[channel];
    if (c->first != message || (w->any_faults | w->hashing | w->delivery.causal) || m->behind ||
        rh__message_changes_time(w, m)) {
        rh__message_take_any(w, message);
        return;
    }
    put32(w, &c->first, m->next);
    if (m->next == RH_NONE) /* then `last` is not used */
        rh__channel_ready(w, channel, false);
    w->under_way--;
    put32(w, &m->taken_by, w->event_count - 1);
}

#endif
