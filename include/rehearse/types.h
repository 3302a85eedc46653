/* A part of rehearse.h: references, and how a program declares its messages, actors and processes.  Programs include
 * rehearse.h. */
#ifndef REHEARSE_TYPES_H
#define REHEARSE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rehearse/macros.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- references ------------------------------------------------------------------------------------------------ */

/* Names an actor, a process or an external sender.  Plain data: keep it in state, send it in messages. */
typedef struct rh_ref {
    uint64_t id;
} rh_ref;

/* The reference that names nobody. */
static inline rh_ref rh_nobody(void)
{
    rh_ref none = { 0 };
    return none;
}
static inline bool rh_same(rh_ref a, rh_ref b)
{
    return a.id == b.id;
}
static inline bool rh_is_nobody(rh_ref a)
{
    return a.id == 0;
}

/* ---- types and their descriptors ------------------------------------------------------------------------------- */

/* What happens to a message that the actor's behaviour does not list. */
enum rh_unhandled {
    RH_UNHANDLED_ERROR,  /* the run fails (the default) */
    RH_UNHANDLED_DEFER,  /* the message stays in the mailbox until a behaviour lists it */
    RH_UNHANDLED_IGNORE, /* the message is taken and dropped */
};

struct rh_message_type {
    const char *name;
    uint32_t size;
    uint32_t unhandled; /* enum rh_unhandled */
    const char *fields; /* the text of their declaration */
};

enum rh_actor_kind { RH_KIND_ACTOR, RH_KIND_PROCESS, RH_KIND_MONITOR };

typedef void rh_handler_fn(rh_ref self, void *state, const void *msg);
typedef void rh_body_fn(rh_ref self, void *state);

enum rh_action { RH_ACTION_HANDLE, RH_ACTION_DEFER, RH_ACTION_IGNORE, RH_ACTION_GATHER };

struct rh_entry {
    const struct rh_message_type *type;
    rh_handler_fn *call;
    enum rh_action action;
    uint32_t set;    /* RH_SETS: so many messages are taken at once; 0: see set_at */
    uint32_t set_at; /* RH_SETS_OF: 1 + offset of the field with that number; 0: none */
};

struct rh_actor_type;
struct rh_behaviour {
    const char *name;
    const struct rh_actor_type *actor;
    const struct rh_entry *entries;
    size_t entry_count;
    bool hot;
    const char *place; /* file:line */
};

struct rh_state_hash;
typedef void rh_state_fn(struct rh_state_hash *hash, const void *state);

struct rh_actor_type {
    const char *name;
    uint32_t size;
    uint32_t kind;                      /* enum rh_actor_kind */
    const struct rh_behaviour *initial; /* the behaviour declared first; filled in before main */
    rh_body_fn *body;                   /* of a process; filled in before main */
    bool may_be_hot;                    /* one of its behaviours is hot; filled in before main */
    rh_state_fn *state_hash;            /* RH_STATE_HASH; filled in before main, NULL: none */
};

/* RH_MESSAGE(name) or RH_MESSAGE(name, int field; char other[8];) declares struct name and its descriptor.  A message
 * must not carry pointers into the sender's memory; `.check_isolation = true` of a test finds those that do. */
#define RH_MESSAGE(...) RH_CAT(RH_MESSAGE_, RH_MORE1(__VA_ARGS__))(RH_UNHANDLED_ERROR, __VA_ARGS__)
/* The same for messages that are deferred, or dropped, while the behaviour does not list them. */
#define RH_MESSAGE_DEFERRED(...) RH_CAT(RH_MESSAGE_, RH_MORE1(__VA_ARGS__))(RH_UNHANDLED_DEFER, __VA_ARGS__)
#define RH_MESSAGE_IGNORED(...)  RH_CAT(RH_MESSAGE_, RH_MORE1(__VA_ARGS__))(RH_UNHANDLED_IGNORE, __VA_ARGS__)

/* RH_ACTOR(name, fields of its state) declares struct name and the actor type. */
#define RH_ACTOR(...) RH_CAT(RH_ACTOR_, RH_MORE1(__VA_ARGS__))(RH_KIND_ACTOR, __VA_ARGS__)
/* RH_PROCESS(name, fields) declares a process type; RH_BODY(name) { ... } is its code. */
#define RH_PROCESS(...) RH_CAT(RH_ACTOR_, RH_MORE1(__VA_ARGS__))(RH_KIND_PROCESS, __VA_ARGS__)
/* RH_MONITOR(name, fields) declares an observer of announcements (rh_announce), with behaviours like an actor. */
#define RH_MONITOR(...) RH_CAT(RH_ACTOR_, RH_MORE1(__VA_ARGS__))(RH_KIND_MONITOR, __VA_ARGS__)

/* RH_HANDLER(actor, message) { ... } defines a handler.  In scope are `self` (rh_ref), `state` (struct actor *) and
 * `msg` (const struct message *).  RH_HANDLER_AS gives the handler a name, for RH_ON in a behaviour. */
#define RH_HANDLER(actor, message) RH_HANDLER_AS(actor, message, message)
#define RH_HANDLER_AS(actor, message, name)                                                                            \
    static void rh_on_##actor##__##name(rh_ref self, struct actor *state, const struct message *msg);                  \
    static void rh_call_##actor##__##name(rh_ref self, void *state, const void *msg)                                   \
    {                                                                                                                  \
        rh_on_##actor##__##name(self, (struct actor *)state, (const struct message *)msg);                             \
    }                                                                                                                  \
    static void rh_on_##actor##__##name(RH_UNUSED rh_ref self, RH_UNUSED struct actor *state,                          \
                                        RH_UNUSED const struct message *msg)

/* RH_BEHAVIOUR(actor, name, items...) declares a behaviour; an actor starts with the one declared first.  An item is
 *   message                   RH_HANDLER(actor, message) handles the message
 *   RH_ON(message, handler)   RH_HANDLER_AS(actor, message, handler) handles the message
 *   RH_DEFER(message)         the message stays in the mailbox while this behaviour lasts
 *   RH_IGNORE(message)        the message is taken and dropped
 *   RH_SETS(message, n)       messages of this type are taken n at a time, as a set (below)
 *   RH_SETS_OF(message, field)  the same; the field of the state, an int or uint32_t, is the number
 * RH_HOT_BEHAVIOUR is for monitors: a run must not end in it, because a promise is still open, and must not stay in it
 * for ever (docs/liveness.md). */
#define RH_BEHAVIOUR(actor, name, ...)     RH_BEHAVIOUR_(actor, name, false, __VA_ARGS__)
#define RH_HOT_BEHAVIOUR(actor, name, ...) RH_BEHAVIOUR_(actor, name, true, __VA_ARGS__)
#define RH_ON(message, handler)            (ON, message, handler)
#define RH_DEFER(message)                  (DEFER, message, ~)
#define RH_IGNORE(message)                 (IGNORE, message, ~)

/* Sets: for handlers to which the order of messages does not matter, such as one that counts votes.
 *
 *     RH_HANDLER(candidate, vote) { state->yes += msg->yes; if (++state->votes == state->quorum) ... }
 *     RH_BEHAVIOUR(candidate, campaigning, RH_SETS_OF(vote, quorum), heartbeat);
 *
 * Votes wait in the mailbox until there are n; meanwhile the actor takes other messages.  Then it takes the n votes at
 * once: the handler runs for each of them, one after the other, and no other message is handled in between.  So n votes
 * have one order instead of n! to be tested.  The order is by the names of the senders, as with rh_receive_set; it says
 * nothing about the order of arrival, and the handler must not depend on it.  Under test some runs are made again with
 * the opposite order; a difference in what the actor sends, or in whether it fails, is a finding.
 *
 * A set may be taken later than another message that came after it, but a message of another type that must arrive
 * before one of the set is taken before the set.  With a number below 2 messages are taken one by one.  A behaviour has
 * at most one such item, which is not for rh_start and rh_exited. */
#define RH_SETS(message, n)        (SETS, message, n)
#define RH_SETS_OF(message, field) (SETS_OF, message, field)

/* RH_BODY(process) { ... } is the code of a process.  In scope are `self` and `state`.  The process ends when the body
 * returns. */
#define RH_BODY(process)                                                                                               \
    static void rh_body_of_##process(rh_ref self, struct process *state);                                              \
    static void rh_run_##process(rh_ref self, void *state)                                                             \
    {                                                                                                                  \
        rh_body_of_##process(self, (struct process *)state);                                                           \
    }                                                                                                                  \
    __attribute__((constructor)) static void rh_body_add_##process(void)                                               \
    {                                                                                                                  \
        rh_body_register_(&rh_actor_##process, rh_run_##process);                                                      \
    }                                                                                                                  \
    static void rh_body_of_##process(RH_UNUSED rh_ref self, RH_UNUSED struct process *state)

/* RH_STATE_HASH(actor) { ... } says what of an actor's state counts when states are compared (explorers `stateful` and
 * `delay`): without it, every byte of the state and of its heap, also padding and addresses.  In scope are `hash` and
 * `state` (const struct actor *).  The code adds to the hash, by rh_state_add, all that can change what the actor does
 * later, whether in the state or behind its pointers, and calls nothing else of rehearse.h:
 *
 *     RH_STATE_HASH(cache)
 *     {
 *         rh_state_add(hash, &state->count, sizeof state->count);
 *         for (const struct entry *e = state->first; e; e = e->next)
 *             rh_state_add_any(hash, e->key, strlen(e->key));              the order of entries does not matter
 *     }
 *
 * What it leaves out, explorers do not see: two states that differ in that alone count as one, and only one of them is
 * explored.  `stateful(check)` looks for such mistakes.  In production it has no effect. */
#define RH_STATE_HASH(actor)                                                                                           \
    static void rh_state_of_##actor(struct rh_state_hash *hash, const struct actor *state);                            \
    static void rh_state_call_##actor(struct rh_state_hash *hash, const void *state)                                   \
    {                                                                                                                  \
        rh_state_of_##actor(hash, (const struct actor *)state);                                                        \
    }                                                                                                                  \
    __attribute__((constructor)) static void rh_state_add_##actor(void)                                                \
    {                                                                                                                  \
        rh_state_register_(&rh_actor_##actor, rh_state_call_##actor);                                                  \
    }                                                                                                                  \
    static void rh_state_of_##actor(RH_UNUSED struct rh_state_hash *hash, RH_UNUSED const struct actor *state)
/* Adds bytes, in this order; or in any order among those that are added so. */
void rh_state_add(struct rh_state_hash *hash, const void *bytes, size_t size);
void rh_state_add_any(struct rh_state_hash *hash, const void *bytes, size_t size);

/* RH_DESCRIBE(struct's name, "format", expressions...) says how findings, pages and `rehearse step` show a message, the
 * state of an actor or any struct inside of one; without it they show all fields, by the debug information.  `it` is a
 * pointer to the struct:
 *
 *     RH_MESSAGE(append, uint32_t term, prev; rh_ref leader; char op[16];);
 *     RH_DESCRIBE(append, "t%u prev %u of %s", it->term, it->prev, rh_name(it->leader));
 *
 * shows append(t3 prev 2 of server#1).  The format is that of printf.  The expressions see a copy of the struct, often
 * after the run and in another process: they must not follow its pointers, and call nothing else of rehearse.h but
 * rh_name and rh_same.  At most 1,023 characters are shown.  In production it has no effect. */
typedef void rh_describe_fn(const void *value, char *text, size_t size);
struct rh_description {
    const char *type;
    uint32_t size;
    rh_describe_fn *write;
    struct rh_description *next; /* filled in before main */
};
#define RH_DESCRIBE(type, ...)                                                                                         \
    static void rh_described_##type(const void *value, char *text, size_t size)                                        \
    {                                                                                                                  \
        RH_UNUSED const struct type *it = (const struct type *)value;                                                  \
        rh_describe_(text, size, __VA_ARGS__);                                                                         \
    }                                                                                                                  \
    static struct rh_description rh_description_entry_##type = { #type, sizeof(struct type), rh_described_##type, 0 }; \
    __attribute__((constructor)) static void rh_description_add_##type(void)                                           \
    {                                                                                                                  \
        rh_description_register_(&rh_description_entry_##type);                                                        \
    }                                                                                                                  \
    struct rh_description
__attribute__((format(printf, 3, 4))) void rh_describe_(char *text, size_t size, const char *format, ...);
void rh_description_register_(struct rh_description *description);

void rh_state_register_(struct rh_actor_type *actor, rh_state_fn *state_hash);
void rh_behaviour_register_(const struct rh_behaviour *behaviour, struct rh_actor_type *actor);
void rh_body_register_(struct rh_actor_type *process, rh_body_fn *body);

/* ---- messages that the world itself sends ---------------------------------------------------------------------- */
enum { RH_REASON_SIZE = 48 };

/* The first message to an actor whose first behaviour lists rh_start; sent again after a restart. */
RH_MESSAGE(rh_start, uint32_t restarts;);
/* To an actor that traps exits: a linked actor has ended. */
RH_MESSAGE(rh_exited, rh_ref who; char reason[RH_REASON_SIZE];);
/* To an actor that monitors another: the other has ended.  rh_result reads its result, if there is one. */
RH_MESSAGE(rh_down, rh_ref who; char reason[RH_REASON_SIZE]; uint64_t result;);
/* To an actor that called rh_store_put: the put is durable. */
RH_MESSAGE_IGNORED(rh_stored, uint32_t ticket;);

#ifdef __cplusplus
}
#endif
#endif
