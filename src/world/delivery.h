/* Delivery: the guarantees of each delivery model, and which message a receiver takes.
 *
 * Three questions about messages are answered only here.  The world asks them about its present state.  Reductions ask
 * them about an earlier state of the run, recorded as a struct rh__stance.
 *
 *     rh__takes      would a receiver in this stance take this message?
 *     rh__precedes   must one message arrive before the other, if the receiver would take both?
 *     rh__in_queue   do two messages wait in the same queue, so that one must arrive before the other?
 *
 * Layers above src/world include this header, which does not expose the state of a world. */
#ifndef RH_WORLD_DELIVERY_H
#define RH_WORLD_DELIVERY_H

#include <rehearse/world.h>

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* A row for each enum rh_model. */
struct rh__delivery {
    const char *name; /* name in options and schedules */
    const char *help;
    bool in_order;     /* messages of one channel arrive in the order of their sends */
    bool by_receiver;  /* one channel for each receiver, shared by all senders; else one for each sender and receiver */
    bool causal;       /* respects causality across channels; each message carries a vector clock */
    bool head_is_free; /* the first message of a channel can arrive independently of other channels */
};
const struct rh__delivery *rh__delivery(enum rh_model model);

/* ---- does a receiver take a message? ----------------------------------------------------------------------------- */

/* How an actor can react to an arriving message. */
enum rh__stance_kind {
    RH__TAKES_NOTHING, /* crashed, ended, or an external sender */
    RH__STOPPED, /* before an operation on a shared object: takes nothing, and an exit signal only if it is mortal */
    RH__BUSY,    /* takes only exit signals */
    RH__SLEEPS,  /* takes only exit signals and the end of the sleep */
    RH__WAITS,   /* in a receive or an ask */
    RH__IDLE,    /* between two messages */
};

/* A key identifies a message or a sender; 0 is none.  Equal keys mean the same message or sender.  The world and dpor
 * use indices (rh__key), which are valid within one run.  optimal uses keys that are the same in every run. */
static inline uint64_t rh__key(uint32_t index)
{
    return (uint32_t)(index + 1); /* RH_NONE gives 0 */
}

/* Returns the index of a key of this run; the key is not 0. */
static inline uint32_t rh__key_index(uint64_t key)
{
    return (uint32_t)(key - 1);
}

/* The stance of an actor determines which messages it takes.  A recorded stance suffices to decide this later, except
 * for a predicate. */
struct rh__stance {
    enum rh__stance_kind kind;
    bool defers;  /* the behaviour defers a message type */
    bool tested;  /* the receive has a predicate, to be evaluated in the state of the stance */
    bool traps;   /* exit signals are messages to it */
    bool mortal;  /* stopped: a signal may end it (RH_KILL_ANYWHERE) */
    bool settles; /* stopped: a signal that does not end it may still arrive before (FLAG_SETTLES) */
    uint32_t wait, life;
    uint32_t set; /* takes so many messages at once: of those for which rh__joins holds; 0: one message */
    const struct rh_message_type *set_type; /* idle: of this type only (RH_SETS) */
    const struct rh_behaviour *behaviour;
    /* The message that starts the actor's life; the actor takes no other before; 0 for none. */
    uint64_t start;
    uint64_t asking;                            /* an ask: the request that awaits a reply; 0 for none */
    uint64_t from;                              /* a receive: the only accepted sender; 0 for any */
    const struct rh_message_type *type;         /* a receive: the only accepted type; NULL for any */
    const struct rh_message_type *const *types; /* a receive: the accepted types; NULL for any */
};

/* The properties of a message that decide whether a receiver takes it. */
struct rh__mail {
    const struct rh_message_type *type;
    uint64_t key;
    uint64_t answers;    /* a reply: the request; 0 for none */
    uint64_t seen_as;    /* the sender that the receiver sees */
    uint32_t wake, life; /* from the clock: number of the wait that is over, and life of the receiver; else 0 */
    bool signal;         /* an exit signal */
    bool kills;          /* ... which ends also an actor that traps */
    bool heard;          /* ... with granularity object: an actor that traps takes it as the message rh_exited */
    bool quiet;          /* ... of the normal end of a linked actor: nothing to an actor that does not trap */
    bool starts;         /* starts a life of its receiver */
};

/* Returns the action of a behaviour for a message type.  RH_ACTION_HANDLE with *entry NULL is an error. */
static inline enum rh_action rh__disposition(const struct rh_behaviour *b, const struct rh_message_type *type,
                                             const struct rh_entry **entry)
{
    const struct rh_entry *e = b->entries, *end = e + b->entry_count;
    while (e < end && e->type != type)
        e++;
    *entry = e < end ? e : NULL;
    return e < end                                  ? e->action
           : type->unhandled == RH_UNHANDLED_DEFER  ? RH_ACTION_DEFER
           : type->unhandled == RH_UNHANDLED_IGNORE ? RH_ACTION_IGNORE
                                                    : RH_ACTION_HANDLE;
}

static inline bool rh__is_listed(const struct rh_message_type *const *types, const struct rh_message_type *type)
{
    while (*types && *types != type)
        types++;
    return *types != NULL;
}

/* RH__ASK_PREDICATE: takes the message if the predicate of the receive accepts it. */
enum rh__taking { RH__LEAVES, RH__TAKES, RH__ASK_PREDICATE };

/* For an actor in a receive or an ask.  Only an ask takes a reply. */
static inline enum rh__taking rh__wait_takes(const struct rh__stance *s, const struct rh__mail *m)
{
    if (s->asking)
        return m->answers == s->asking ? RH__TAKES : RH__LEAVES;
    if (m->answers || (s->type && s->type != m->type) || (s->from && s->from != m->seen_as) ||
        (s->types && !rh__is_listed(s->types, m->type)))
        return RH__LEAVES;
    return s->tested ? RH__ASK_PREDICATE : RH__TAKES;
}

/* True if a message of this type, which is neither a signal nor the end of a wait, is taken as one of a set. */
static inline bool rh__joins(const struct rh__stance *s, const struct rh_message_type *type)
{
    return s->set && (!s->set_type || s->set_type == type);
}

/* While a receiver waits for a set, a signal becomes a message first. */
static inline bool rh__waits_for_set(const struct rh__stance *s)
{
    return s->set && !s->set_type;
}

/* True if the message is a signal that a receiver in this stance takes in its turn among messages, as rh_exited. */
static inline bool rh__hears(const struct rh__stance *s, const struct rh__mail *m)
{
    return m->heard && s->traps && !rh__waits_for_set(s) && s->kind != RH__STOPPED;
}

/* For an exit signal that is not heard.  With granularity object, a signal to an actor that traps does nothing before
 * the actor wants a message, or settles: so it does not arrive before.  A quiet signal to an actor that does not trap
 * does nothing but end its half of the link, which the actor notices only where it settles. */
static inline bool rh__takes_signal(const struct rh__stance *s, const struct rh__mail *m)
{
    if (s->kind == RH__STOPPED && s->mortal && (m->kills || (!s->traps && !m->quiet)))
        return true;
    if (s->kind == RH__STOPPED)
        return s->settles && (s->traps ? !m->kills : m->quiet);
    if (m->quiet && m->heard && !s->traps)
        return false;
    return !s->traps || !m->heard || rh__waits_for_set(s);
}

/* Inline, because the world asks this question for each message that might arrive. */
static inline enum rh__taking rh__takes(const struct rh__stance *s, const struct rh__mail *m)
{
    const struct rh_entry *entry;
    struct rh__mail heard;
    if (s->kind == RH__TAKES_NOTHING)
        return RH__LEAVES;
    if (m->signal) {
        if (m->life && m->life != s->life)
            return RH__LEAVES;
        if (!rh__hears(s, m))
            return rh__takes_signal(s, m) ? RH__TAKES : RH__LEAVES;
        heard = *m;
        heard.type = &rh_message_rh_exited;
        heard.life = 0;
        m = &heard;
    }
    if (m->wake)
        return (s->kind == RH__WAITS || s->kind == RH__SLEEPS) && s->wait == m->wake ? RH__TAKES : RH__LEAVES;
    if (m->life && m->life != s->life)
        return RH__LEAVES;
    if (m->starts || s->start)
        return s->kind == RH__IDLE && s->start == m->key ? RH__TAKES : RH__LEAVES;
    if (s->kind == RH__WAITS)
        return rh__wait_takes(s, m);
    if (s->kind != RH__IDLE || m->answers)
        return RH__LEAVES;
    if (!s->defers && m->type->unhandled != RH_UNHANDLED_DEFER)
        return RH__TAKES;
    return rh__disposition(s->behaviour, m->type, &entry) != RH_ACTION_DEFER ? RH__TAKES : RH__LEAVES;
}

/* Returns the present stance of an actor.  The list of types belongs to the actor and is valid while the actor
 * waits. */
struct rh__stance rh__stance_of(const struct rh_world *w, uint32_t actor);
/* The same, written to its place once: a copy of what was just stored word by word is slow. */
void rh__stance_read(const struct rh_world *w, uint32_t actor, struct rh__stance *s);
/* Makes a stance valid for longer: copies its list of types to `types`, an array of `room` entries including the final
 * NULL.  If the list does not fit, the stance has no list and is marked as `tested`: the whole filter must be
 * evaluated. */
void rh__stance_keep(struct rh__stance *s, const struct rh_message_type **types, uint32_t room);
/* Returns a message as its receiver would see it, with keys of this run. */
struct rh__mail rh__mail_of(const struct rh_world *w, uint32_t message);

/* ---- order of two messages --------------------------------------------------------------------------------------- */

/* True if both messages go through the same queue: the same channel, and both or neither are exit signals.  Exit
 * signals overtake messages, as in Erlang, where signals act on arrival and not on receipt.  Under models without
 * order, exit signals and messages of the clock still arrive in order. */
bool rh__in_queue(const struct rh_world *w, uint32_t x, uint32_t m, bool hears);
/* True if x must arrive before m although they are in different queues.  One reason is causality.  The other reason:
 * news of an actor's end arrives after the messages that this actor sent before. */
bool rh__precedes_across(const struct rh_world *w, uint32_t x, uint32_t m, bool hears);
/* True if x was sent before m in the same queue (granularities other than send), or precedes m across queues. */
bool rh__precedes(const struct rh_world *w, uint32_t x, uint32_t m, bool hears);
/* Whether a receiver in this stance hears exit signals, for the questions above: then they count as messages. */
static inline bool rh__hears_signals(const struct rh__stance *s)
{
    return s->traps && !rh__waits_for_set(s) && s->kind != RH__STOPPED;
}

#endif
