/* Messages under way: channels, and which message may arrive next under each delivery model. */
#ifndef RH_WORLD_NETWORK_H
#define RH_WORLD_NETWORK_H

#include "world/state.h"

/* The type of exit signals; they are not for handlers. */
extern const struct rh_message_type rh__exit_signal;
struct exit_signal {
    uint32_t who;
    uint32_t from_link; /* or from rh_kill */
    char reason[RH_REASON_SIZE];
};

/* The type of what the clock tells one whose wait is over; not for programs either. */
extern const struct rh_message_type rh__wake;

struct sending {
    uint32_t from, to;
    const struct rh_message_type *type;
    const void *value; /* NULL: all zero */
    const void *tail;
    uint32_t tail_size;
    uint32_t answers, request, copy_of; /* each RH_NONE for none */
    uint32_t seen_as;                   /* RH_NONE: the sender itself */
    bool posted;                        /* by the program, not by the world */
};
#define SENDING(...)                                                                                                   \
    {                                                                                                                  \
        .answers = RH_NONE, .request = RH_NONE, .copy_of = RH_NONE, .seen_as = RH_NONE, __VA_ARGS__                    \
    }

/* Appends the message and puts it under way.  The receiver must not have ended.  Gives its index. */
uint32_t rh__message_send(struct rh_world *w, const struct sending *s);
/* The same for a receiver that has ended, or waits for it no more: it is lost at once, but counts among what was sent, so that
 * the others are called the same whether it came in time or not. */
void rh__message_waste(struct rh_world *w, const struct sending *s);

/* Causal: what `sender`, whose vector was `clock` before, has sent since message `first` was sent at once: none of it is in the
 * past of the rest. */
void rh__sent_at_once(struct rh_world *w, uint32_t sender, uint32_t first, uint64_t clock);

/* Causal: whether x was sent in the past of m's send. */
bool rh__sent_in_past(const struct rh_world *w, const struct message *x, const struct message *m);

/* Takes it out of its channel; the receiver of record stays. */
void rh__message_take(struct rh_world *w, uint32_t message);
/* The same, but the receiver never sees it (and so learns nothing from it: causal). */
void rh__message_lose(struct rh_world *w, uint32_t message);
/* Granularity send: from its sender's outbox into the receiver's mailbox. */
void rh__message_accept(struct rh_world *w, uint32_t message);
/* A second copy, right behind the first. */
void rh__message_duplicate(struct rh_world *w, uint32_t message);
/* It is a copy, or there is one of it. */
bool rh__message_is_double(const struct rh_world *w, uint32_t message);
/* The replies to this request that are under way are lost. */
void rh__replies_drop(struct rh_world *w, uint32_t receiver, uint32_t request);
/* What the clock has told the actor of the end of a wait is lost. */
void rh__wakes_drop(struct rh_world *w, uint32_t receiver);
/* What tells `receiver` of the end of `who` is lost: by a link, or by a monitor. */
void rh__news_drop(struct rh_world *w, uint32_t receiver, uint32_t who, bool link);
/* Of what is under way to the actor, what concerns its present life only is lost: its own messages, replies, the world's. */
void rh__messages_drop_own(struct rh_world *w, uint32_t receiver);
/* The message of a timer that has fired, but has not been received, is taken back; false where there is none. */
bool rh__timer_recall(struct rh_world *w, uint32_t actor, const char *name);
/* All that is under way to the actor is lost. */
void rh__messages_drop(struct rh_world *w, uint32_t receiver);

/* Causal: whether a vector counts its send. */
bool rh__message_in_vector(const struct rh_world *w, const struct message *m, uint64_t vector);
/* Causal: whether it was sent in the past of the other. */
bool rh__message_in_past(const struct rh_world *w, uint32_t message, uint32_t of);
/* Whether the receiver can take it now. */
bool rh__message_deliverable(struct rh_world *w, uint32_t message);
/* Calls `each` for the messages of this channel that can be taken now. */
void rh__channel_deliverable(struct rh_world *w, uint32_t channel, void (*each)(struct rh_world *w, uint32_t message));

/* The common case in a few instructions: the first message of the channel can be taken, and is the only one of it. */
static inline bool rh__first_is_open(const struct rh_world *w, uint32_t channel)
{
    const struct channel *c = &w->channels[channel];
    const struct actor *a;
    if (c->receiver == RH_NONE || w->cut || (w->semantics.model != RH_FIFO && w->semantics.model != RH_MAILBOX))
        return false;
    a = &w->actors[c->receiver];
    return a->status == STATUS_IDLE && !(a->flags & FLAG_DEFERS) && a->start == RH_NONE && a->outbox == RH_NONE &&
           w->messages[c->first].type->unhandled != RH_UNHANDLED_DEFER && w->messages[c->first].next == RH_NONE &&
           !w->messages[c->first].behind;
}

/* What the receiver's behaviour says of a message: RH_ACTION_HANDLE with *entry NULL is an error. */
enum rh_action rh__disposition(const struct actor *a, const struct rh_message_type *type,
                               const struct rh_entry **entry);

/* A program may send and forward messages of the types that the world itself sends (rh_start, rh_down, ...).  Those are
 * messages like any other: what comes from the world is known by who sent it, never by its type. */

/* With it an actor begins a life. */
static inline bool rh__message_is_start(const struct message *m)
{
    return m->type == &rh_message_rh_start && !m->posted;
}

/* It tells of an end that its receiver watches. */
static inline bool rh__message_is_down(const struct message *m)
{
    return m->type == &rh_message_rh_down && !m->posted;
}

/* Whether faults of the network can befall it: not what the world itself tells an actor, nor what one sends to oneself. */
static inline bool rh__message_travels(const struct message *m)
{
    return m->posted && m->sender != m->receiver;
}

/* Of the types that faults may befall; NULL for all. */
static inline bool rh__is_among(const struct rh_actor_type *const *list, const struct rh_actor_type *type)
{
    while (list && *list && *list != type)
        list++;
    return !list || *list;
}

/* Whether it may be lost or doubled. */
static inline bool rh__message_may_fail(const struct rh_world *w, const struct message *m)
{
    return rh__message_travels(m) && rh__is_among(w->semantics.may_lose, w->actors[m->receiver].type);
}

/* A copy is as old as its original. */
static inline uint32_t rh__message_original(const struct rh_world *w, uint32_t message)
{
    return w->messages[message].copy_of == RH_NONE ? message : w->messages[message].copy_of;
}

/* A later one of its channel was taken, so it must have come. */
static inline bool rh__message_passed_over(const struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    return w->semantics.model != RH_BAG && m->taken_by == RH_NONE &&
           rh__message_original(w, message) < w->channels[m->channel].arrived;
}

/* With granularity object: this message tells of the end of its `seen_as`, as the message `behind` did first. */
void rh__message_is_news(struct rh_world *w, uint32_t message, uint32_t behind);
/* Whether the model puts a message before news of its sender's end, if the receiver wants both. */
bool rh__message_comes_before_news(const struct rh_world *w, uint32_t message, uint32_t news);
/* How many of those under way. */
uint32_t rh__count_before_news(const struct rh_world *w, uint32_t news);
/* All that the one has sent to the other so far must have come: the other was found to have ended. */
void rh__messages_have_come(struct rh_world *w, uint32_t sender, uint32_t receiver);

static inline char *rh__message_value(const struct rh_world *w, const struct message *m)
{
    return w->payload + m->payload;
}
static inline char *rh__message_tail(const struct rh_world *w, const struct message *m)
{
    return w->payload + m->payload + ((m->size + 15u) & ~15u);
}

#endif
