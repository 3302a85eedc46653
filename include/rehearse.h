/* rehearse.h: actors, processes and messages in C.
 *
 * A program that is built from actors includes this header.  The same source runs in production (link librehearse-rt)
 * and under test in a controlled world (link librehearse, see rehearse/test.h).  Only one struct of functions,
 * rehearse/seam.h, lies in between.
 *
 *     RH_MESSAGE(deposit, int amount;);
 *     RH_MESSAGE(close_account);
 *
 *     RH_ACTOR(account, int balance; rh_ref owner;);
 *     RH_HANDLER(account, deposit)         { state->balance += msg->amount; }
 *     RH_HANDLER(account, close_account)   { rh_stop(); }
 *     RH_BEHAVIOUR(account, open, deposit, close_account);
 *
 *     rh_ref a = rh_spawn(account, .balance = 10);
 *     rh_send(a, deposit, .amount = 5);
 *
 * Words
 *   actor      private state, behaviours, a mailbox; its handlers run to completion, one message at a time
 *   process    an actor written as straight-line code that blocks in rh_receive
 *   behaviour  the messages that an actor currently handles; rh_become changes it
 *   message    a typed value that is copied when sent; it may carry references and, after its fields, bytes
 *
 * Names of messages and actors are struct tags, so headers can declare them.  A misused call (no such actor, not inside
 * an actor, ...) is reported with its place and corrupts nothing.  The header is C11 (gcc, clang) and C++, with fields
 * given in order or, in C++20, by designators. */
#ifndef REHEARSE_H
#define REHEARSE_H

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
 * later, whether in the state or behind its pointers, and calls nothing else of this header:
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
 * after the run and in another process: they must not follow its pointers, and call nothing else of this header but
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

/* ---- actors ---------------------------------------------------------------------------------------------------- */

/* rh_ref rh_spawn(actor, .field = value, ...) starts an actor or a process; other fields are zero. */
#define rh_spawn(...)          RH_CAT(RH_SPAWN_, RH_MORE1(__VA_ARGS__))(__VA_ARGS__)
#define RH_SPAWN_0(actor)      rh_spawn_(&rh_actor_##actor, (const void *)0, RH_HERE)
#define RH_SPAWN_M(actor, ...) rh_spawn_(&rh_actor_##actor, RH_VALUE_(actor, __VA_ARGS__), RH_HERE)
/* rh_spawn_link and rh_spawn_monitor also link to the new actor, or monitor it, in the same step: the actor cannot end
 * before.  Only actors may call them. */
enum rh_watch { RH_WATCH_NONE, RH_WATCH_LINK, RH_WATCH_MONITOR };
#define rh_spawn_link(...)        RH_CAT(RH_SPAWNW_, RH_MORE1(__VA_ARGS__))(RH_WATCH_LINK, __VA_ARGS__)
#define rh_spawn_monitor(...)     RH_CAT(RH_SPAWNW_, RH_MORE1(__VA_ARGS__))(RH_WATCH_MONITOR, __VA_ARGS__)
#define RH_SPAWNW_0(watch, actor) rh_spawn_watched_(&rh_actor_##actor, (const void *)0, watch, RH_HERE)
#define RH_SPAWNW_M(watch, actor, ...)                                                                                 \
    rh_spawn_watched_(&rh_actor_##actor, RH_VALUE_(actor, __VA_ARGS__), watch, RH_HERE)
rh_ref rh_spawn_(const struct rh_actor_type *type, const void *state, const char *here);
rh_ref rh_spawn_watched_(const struct rh_actor_type *type, const void *state, enum rh_watch watch, const char *here);

/* rh_send(to, message, .field = value, ...) sends a message; other fields are zero. */
#define rh_send(...)             RH_CAT(RH_SEND_, RH_MORE2(__VA_ARGS__))(__VA_ARGS__)
#define RH_SEND_0(to, type)      rh_send_(to, &rh_message_##type, RH_ZERO_(type), 0, 0, RH_HERE)
#define RH_SEND_M(to, type, ...) rh_send_(to, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), 0, 0, RH_HERE)
/* rh_send_value(to, message, pointer) and rh_spawn_value(actor, pointer) take a struct that you have filled in. */
#define rh_send_value(to, type, pointer) rh_send_(to, &rh_message_##type, RH_POINTER_(type, pointer), 0, 0, RH_HERE)
#define rh_spawn_value(actor, pointer)   rh_spawn_(&rh_actor_##actor, RH_POINTER_(actor, pointer), RH_HERE)
#define RH_POINTER_(type, pointer)       (1 ? (pointer) : (const struct type *)0)
/* rh_send_with(to, bytes, size, message, fields...) appends bytes to the fields; the receiver reads them with
 * rh_tail. */
#define rh_send_with(...)                 RH_CAT(RH_SENDW_, RH_MORE4(__VA_ARGS__))(__VA_ARGS__)
#define RH_SENDW_0(to, bytes, size, type) rh_send_(to, &rh_message_##type, RH_ZERO_(type), bytes, size, RH_HERE)
#define RH_SENDW_M(to, bytes, size, type, ...)                                                                         \
    rh_send_(to, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), bytes, size, RH_HERE)
void rh_send_(rh_ref to, const struct rh_message_type *type, const void *value, const void *tail, size_t tail_size,
              const char *here);
/* bool rh_send_to_name(name, message, fields...) sends to the actor that has this name (rh_register).  If no actor has
 * it, it returns false and sends nothing. */
#define rh_send_to_name(...)        RH_CAT(RH_SENDN_, RH_MORE2(__VA_ARGS__))(__VA_ARGS__)
#define RH_SENDN_0(name, type)      rh_send_to_name_(name, &rh_message_##type, RH_ZERO_(type), RH_HERE)
#define RH_SENDN_M(name, type, ...) rh_send_to_name_(name, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), RH_HERE)
bool rh_send_to_name_(const char *name, const struct rh_message_type *type, const void *value, const char *here);
/* The bytes after the fields of the message being handled (or received last); NULL and 0 if there are none. */
const void *rh_tail(size_t *size);

/* rh_reply(message, fields...) sends to the sender of the message being handled; it also answers rh_ask. */
#define rh_reply(...)         RH_CAT(RH_REPLY_, RH_MORE1(__VA_ARGS__))(__VA_ARGS__)
#define RH_REPLY_0(type)      rh_reply_(&rh_message_##type, RH_ZERO_(type), 0, 0, RH_HERE)
#define RH_REPLY_M(type, ...) rh_reply_(&rh_message_##type, RH_VALUE_(type, __VA_ARGS__), 0, 0, RH_HERE)
/* rh_reply_value(message, pointer) takes a struct that you have filled in.  rh_reply_with(bytes, size, message,
 * fields...) appends bytes, as rh_send_with does, for an asker that takes the answer by rh_receive: rh_tail does not
 * read an answer to rh_ask. */
#define rh_reply_value(type, pointer)  rh_reply_(&rh_message_##type, RH_POINTER_(type, pointer), 0, 0, RH_HERE)
#define rh_reply_with(...)             RH_CAT(RH_REPLYW_, RH_MORE3(__VA_ARGS__))(__VA_ARGS__)
#define RH_REPLYW_0(bytes, size, type) rh_reply_(&rh_message_##type, RH_ZERO_(type), bytes, size, RH_HERE)
#define RH_REPLYW_M(bytes, size, type, ...)                                                                            \
    rh_reply_(&rh_message_##type, RH_VALUE_(type, __VA_ARGS__), bytes, size, RH_HERE)
void rh_reply_(const struct rh_message_type *type, const void *value, const void *tail, size_t tail_size,
               const char *here);

/* To answer later: rh_keep_request() returns the request that rh_reply would answer now, as plain data.
 * rh_reply_to(request, message, fields...) answers it from any later handler.  Each rh_ask takes one answer; further
 * answers are dropped. */
struct rh_request {
    rh_ref who;
    uint64_t ticket;
};
#define rh_keep_request() rh_keep_request_(RH_HERE)
struct rh_request rh_keep_request_(const char *here);
#define rh_reply_to(...)           RH_CAT(RH_REPLYT_, RH_MORE2(__VA_ARGS__))(__VA_ARGS__)
#define RH_REPLYT_0(request, type) rh_reply_to_(request, &rh_message_##type, RH_ZERO_(type), 0, 0, RH_HERE)
#define RH_REPLYT_M(request, type, ...)                                                                                \
    rh_reply_to_(request, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), 0, 0, RH_HERE)
#define rh_reply_to_value(request, type, pointer)                                                                      \
    rh_reply_to_(request, &rh_message_##type, RH_POINTER_(type, pointer), 0, 0, RH_HERE)
void rh_reply_to_(struct rh_request request, const struct rh_message_type *type, const void *value, const void *tail,
                  size_t tail_size, const char *here);

/* Passes the message being handled on.  The receiver sees the original sender, and its reply goes there. */
#define rh_forward(to) rh_forward_(to, RH_HERE)
void rh_forward_(rh_ref to, const char *here);

/* const struct R *rh_ask(to, message, R, fields...) sends and waits for the reply of type R; the actor takes no other
 * message meanwhile.  rh_ask_within(ms, ...) returns NULL if no reply arrives in time; a late reply is dropped.
 * rh_sender, rh_reply and rh_tail still refer to the message being handled.  The result stays valid until the handler
 * ends or until the next receive or ask. */
#define rh_ask(...) RH_CAT(RH_ASK_, RH_MORE3(__VA_ARGS__))(__VA_ARGS__)
#define RH_ASK_0(to, type, reply)                                                                                      \
    ((const struct reply *)rh_ask_(to, &rh_message_##type, RH_ZERO_(type), &rh_message_##reply, 0, RH_HERE))
#define RH_ASK_M(to, type, reply, ...)                                                                                 \
    ((const struct reply *)rh_ask_(to, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), &rh_message_##reply, 0,       \
                                   RH_HERE))
#define rh_ask_within(ms, ...) RH_CAT(RH_ASKW_, RH_MORE3(__VA_ARGS__))(ms, __VA_ARGS__)
#define RH_ASKW_0(ms, to, type, reply)                                                                                 \
    ((const struct reply *)rh_ask_(to, &rh_message_##type, RH_ZERO_(type), &rh_message_##reply, ms, RH_HERE))
#define RH_ASKW_M(ms, to, type, reply, ...)                                                                            \
    ((const struct reply *)rh_ask_(to, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), &rh_message_##reply, ms,      \
                                   RH_HERE))
const void *rh_ask_(rh_ref to, const struct rh_message_type *type, const void *value,
                    const struct rh_message_type *reply, int64_t timeout_ms, const char *here);

rh_ref rh_self(void);                         /* the running actor; also in scope as `self` */
rh_ref rh_sender(void);                       /* the sender of the message being handled */
#define rh_alive(who) rh_alive_(who, RH_HERE) /* false if the actor has ended */
bool rh_alive_(rh_ref who, const char *here);
/* rh_yield() lets others run before this actor goes on: under test a preemption point, whatever the granularity; in
 * production the thread turns to other actors first. */
#define rh_yield() rh_yield_(RH_HERE)
void rh_yield_(const char *here);

/* struct rh_actor_info rh_info(who) tells what another actor is doing, like Erlang's process_info.  What it says may
 * be over when the caller reads it.  An actor that runs, or is about to take a message, is RH_DOING_RUNNING, and its
 * mailbox is not known then.  Under test, reductions (optimal, dpor) do not explore who looks when: their verdict is
 * `sampled` if a program calls this, and auto uses dfs. */
enum rh_doing {
    RH_DOING_ENDED,
    RH_DOING_IDLE,      /* between two messages */
    RH_DOING_RUNNING,   /* also: about to run */
    RH_DOING_RECEIVING, /* waits in rh_receive, rh_join */
    RH_DOING_ASKING,    /* waits for a reply */
    RH_DOING_SLEEPING,
    RH_DOING_SYNCING, /* waits for its store, or for room in a mailbox */
};
enum { RH_MAILBOX_UNKNOWN = -1 };
struct rh_actor_info {
    enum rh_doing doing;
    int64_t mailbox;                    /* messages that it has not taken, and does not take now */
    const struct rh_message_type *type; /* receiving: the only type that it takes; else NULL */
    rh_ref from;                        /* receiving: the only sender; else nobody */
};
#define rh_info(who) rh_info_at_(who, RH_HERE)
void rh_info_(rh_ref who, struct rh_actor_info *to, const char *here);
static inline struct rh_actor_info rh_info_at_(rh_ref who, const char *here)
{
    struct rh_actor_info info;
    rh_info_(who, &info, here);
    return info;
}
/* How often the running actor has restarted after a crash: under test (restarts, kept_restarts); in production 0.  It
 * is the number that rh_start has; processes take no rh_start. */
uint32_t rh_restarts(void);
/* An actor's name, such as "writer#1".  The last RH_NAMES_AT_ONCE results stay valid until the handler ends or waits;
 * copy a name that must last longer.  In production an ended actor may have lost its name. */
enum { RH_NAMES_AT_ONCE = 16 };
const char *rh_name(rh_ref who);

/* rh_become(actor, behaviour) changes the behaviour, from the next message on, to another one of the same actor
 * type. */
#define rh_become(actor, behaviour)                                                                                    \
    do {                                                                                                               \
        extern const struct rh_behaviour rh_behaviour_##actor##__##behaviour;                                          \
        rh_become_(&rh_behaviour_##actor##__##behaviour, RH_HERE);                                                     \
    } while (0)
void rh_become_(const struct rh_behaviour *behaviour, const char *here);

/* Ends this actor, with reason "normal", when its handler returns. */
#define rh_stop() rh_stop_(RH_HERE)
void rh_stop_(const char *here);
/* Ends this actor at once.  The reasons "normal" and "shutdown" are orderly; any other reason is abnormal.  Actors that
 * are linked to it end, too, unless the reason is "normal".
 *
 * An actor's own abnormal rh_exit is a failure if no actor is linked to it or monitors it; an end by a link or by
 * rh_kill is not a failure.  The body of a test is different, because its remaining checks would not be made: its own
 * abnormal rh_exit is always a failure, and so is every end by a link or by rh_kill, even with reason "shutdown". */
#define rh_exit(reason) rh_exit_(reason, RH_HERE)
#ifdef __cplusplus
[[noreturn]]
#else
_Noreturn
#endif
void rh_exit_(const char *reason, const char *here);
/* rh_return(message, fields...) ends this actor at once with reason "normal" and a result.  Actors that monitor it get
 * the result with their rh_down (see rh_join). */
#define rh_return(...)                 RH_CAT(RH_RETURN_, RH_MORE1(__VA_ARGS__))(__VA_ARGS__)
#define RH_RETURN_0(type)              rh_return_(&rh_message_##type, RH_ZERO_(type), RH_HERE)
#define RH_RETURN_M(type, ...)         rh_return_(&rh_message_##type, RH_VALUE_(type, __VA_ARGS__), RH_HERE)
#define rh_return_value(type, pointer) rh_return_(&rh_message_##type, RH_POINTER_(type, pointer), RH_HERE)
#ifdef __cplusplus
[[noreturn]]
#else
_Noreturn
#endif
void rh_return_(const struct rh_message_type *type, const void *value, const char *here);
/* Asks another actor to end.  The signal travels like a message.  An actor that traps exits gets rh_exited instead,
 * unless the reason is "kill". */
#define rh_kill(who, reason) rh_kill_(who, reason, RH_HERE)
void rh_kill_(rh_ref who, const char *reason, const char *here);

/* A link works both ways: when one actor ends abnormally, so does the other, unless it traps exits.  A monitor works
 * one way and gives rh_down.  If the other actor has already ended, both give their signal at once (reason "noproc").
 *
 * A link or a monitor lasts until its signal is taken out of the mailbox.  Linking or monitoring again before that has
 * no effect: each monitor gives one rh_down.  After rh_unlink or rh_demonitor no signal arrives, not even one under
 * way.
 *
 * All actors agree on one order of links, monitors, rh_alive and the end of an actor.  rh_kill only asks for an end,
 * which may come before or after the sender's next action. */
#define rh_link(who)       rh_link_(who, RH_HERE)
#define rh_unlink(who)     rh_unlink_(who, RH_HERE)
#define rh_monitor(who)    rh_monitor_(who, RH_HERE)
#define rh_demonitor(who)  rh_demonitor_(who, RH_HERE)
#define rh_trap_exits(yes) rh_trap_exits_(yes, RH_HERE)
void rh_link_(rh_ref who, const char *here);
void rh_unlink_(rh_ref who, const char *here);
void rh_monitor_(rh_ref who, const char *here);
void rh_demonitor_(rh_ref who, const char *here);
void rh_trap_exits_(bool yes, const char *here);

/* const struct rh_down *rh_join(who) waits for the end of an actor, even if it ended long ago.  If this actor does not
 * monitor the other yet (rh_spawn_monitor, rh_monitor), rh_join begins to.  rh_join_within(ms, who) returns NULL when
 * the time is over (RH_POLL: at once); the monitor stays and can be joined again.
 *
 * const struct T *rh_result(down, T) is the result of an ended actor (rh_return); NULL if there is none or if it has
 * another type.  `down` must be the rh_down being handled or received last, and the result is valid as long as that.
 *
 *     rh_ref w = rh_spawn_monitor(worker, .part = 1);
 *     const struct rh_down *end = rh_join(w);
 *     const struct total *t = rh_result(end, total);
 *     if (!t) rh_log("no total: %s", end->reason); */
#define rh_join(who)            rh_join_(who, 0, RH_HERE)
#define rh_join_within(ms, who) rh_join_(who, ms, RH_HERE)
#define rh_result(down, T)      ((const struct T *)rh_result_(down, &rh_message_##T))
const struct rh_down *rh_join_(rh_ref who, int64_t timeout_ms, const char *here);
const void *rh_result_(const struct rh_down *down, const struct rh_message_type *type);
uint64_t rh_result_type_(const struct rh_message_type *type); /* the type's code in rh_down; never 0 */

/* Names of actors, visible to all.  rh_register returns false if the name is taken; rh_whereis returns nobody if the
 * name is unknown.  An actor that ends loses its names. */
#define rh_register(name, who) rh_register_(name, who, RH_HERE)
#define rh_unregister(name)    rh_unregister_(name, RH_HERE)
#define rh_whereis(name)       rh_whereis_(name, RH_HERE)
bool rh_register_(const char *name, rh_ref who, const char *here);
bool rh_unregister_(const char *name, const char *here);
rh_ref rh_whereis_(const char *name, const char *here);

/* ---- time, random choices -------------------------------------------------------------------------------------- */

/* rh_timer(name, delay_ms, message, fields...) sends the message to the actor itself after the delay.  It replaces a
 * pending timer of the same name.  rh_timer_cancel returns whether the timer was pending. */
#define rh_timer(...)                   RH_CAT(RH_TIMER_, RH_MORE3(__VA_ARGS__))(__VA_ARGS__)
#define RH_TIMER_0(name, ms, type)      rh_timer_(name, ms, &rh_message_##type, RH_ZERO_(type), RH_HERE)
#define RH_TIMER_M(name, ms, type, ...) rh_timer_(name, ms, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), RH_HERE)
#define rh_timer_cancel(name)           rh_timer_cancel_(name, RH_HERE)
void rh_timer_(const char *name, int64_t delay_ms, const struct rh_message_type *type, const void *value,
               const char *here);
bool rh_timer_cancel_(const char *name, const char *here);

int64_t rh_now_ms(void); /* virtual under test; monotonic in production */
#define rh_sleep(ms) rh_sleep_(ms, RH_HERE)
void rh_sleep_(int64_t ms, const char *here); /* blocks this actor only */

/* Returns a value from 0 to n - 1.  Under test every value is explored; in production it is random. */
#define rh_choose(n) rh_choose_(n, RH_HERE)
uint32_t rh_choose_(uint32_t n, const char *here);
uint64_t rh_random(void); /* from the seed; other values are not explored */

/* ---- blocking receive (processes, and handlers that must wait) --------------------------------------------------- */

struct rh_envelope {
    const struct rh_message_type *type;
    const void *value;
    rh_ref sender;
    const void *tail;
    size_t tail_size;
};

enum { RH_POLL = -1 }; /* as timeout_ms: take a message that has arrived, but do not wait */

/* What a receive takes: a message that fits all fields that are set. */
struct rh_filter {
    const struct rh_message_type *type;                          /* the type; NULL for any */
    const struct rh_message_type *const *types;                  /* or a list of types, ended by NULL: see RH_TYPES */
    rh_ref from;                                                 /* the sender; nobody for any */
    bool (*match)(const struct rh_envelope *m, const void *arg); /* a pure predicate on the message */
    const void *arg;                                             /* the second argument of `match` */
    int64_t timeout_ms;                                          /* 0 waits for ever, RH_POLL does not wait */
    bool idle;      /* a run may end while the process waits here: it is a server without requests */
    uint32_t count; /* rh_receive_set sets it; else 0 */
};
#ifdef __cplusplus
#define RH_TYPES(...)                                                                                                  \
    ([]() -> const struct rh_message_type *const * {                                                                   \
        static const struct rh_message_type *const list[] = { RH_MAP(RH_TYPE_AT_, ~, __VA_ARGS__) 0 };                 \
        return list;                                                                                                   \
    }())
#else
#define RH_TYPES(...) ((const struct rh_message_type *const[]){ RH_MAP(RH_TYPE_AT_, ~, __VA_ARGS__) 0 })
#endif
#define RH_TYPE_AT_(c, type) &rh_message_##type,

/* const struct T *rh_receive(T) or rh_receive(T, .from = who, .match = f, .arg = p, .timeout_ms = 100) waits for such a
 * message, and returns NULL when the time is over.  Other messages stay in the mailbox. */
#define rh_receive(...) RH_CAT(RH_RECEIVE_, RH_MORE1(__VA_ARGS__))(__VA_ARGS__)
#define RH_RECEIVE_0(T)                                                                                                \
    ((const struct T *)rh_received_value_(rh_receive_(RH_VALUE_(rh_filter, .type = &rh_message_##T), RH_HERE)))
#define RH_RECEIVE_M(T, ...)                                                                                           \
    ((const struct T *)rh_received_value_(                                                                             \
        rh_receive_(RH_VALUE_(rh_filter, .type = &rh_message_##T, __VA_ARGS__), RH_HERE)))
/* const struct rh_envelope *rh_receive_any(.types = RH_TYPES(a, b), .timeout_ms = 100) waits for one of several types,
 * rh_receive_next() for any message.  rh_as(envelope, T) is a const struct T *, or NULL if the message has another
 * type. */
#define rh_receive_any(...) rh_receive_(RH_VALUE_(rh_filter, __VA_ARGS__), RH_HERE)
#define rh_receive_next()   rh_receive_(RH_ZERO_(rh_filter), RH_HERE)
#define rh_as(envelope, T)                                                                                             \
    ((const struct T *)((envelope)->type == &rh_message_##T ? (envelope)->value : (const void *)0))
const struct rh_envelope *rh_receive_(const struct rh_filter *filter, const char *here);

/* const struct rh_envelope *rh_receive_set(n, T, .from = who, .match = f, .arg = p, .timeout_ms = 100) waits until n
 * such messages have arrived and takes them all at once: a quorum.  The result is an array of n envelopes.  Their order
 * does not tell in which order the messages arrived: it is by the names of the senders (rh_name), and for each sender
 * in the order of its sends.  In production a sender that has ended may have lost its name: it comes last.  When the
 * time is over the result is NULL, and no message was taken.  rh_receive_set_any(n, .types = RH_TYPES(a, b)) is for
 * several types, rh_receive_set_next(n) for any messages.
 *
 *     const struct rh_envelope *votes = rh_receive_set(2, vote, .timeout_ms = 100);
 *     for (int i = 0; votes && i < 2; i++)
 *         yes += rh_as(&votes[i], vote)->yes;
 *
 * A program that takes n votes one by one has n! orders to be tested; a set has one.  Use it where the order must not
 * matter.  After it, the message received last (rh_sender, rh_reply, rh_forward, rh_tail, rh_result) is the last one of
 * the array; rh_turn_to(&votes[i]) makes it another one of the array. */
#define RH_TYPED_(T, ...)          RH_VALUE_(rh_filter, .type = &rh_message_##T, __VA_ARGS__)
#define rh_receive_set(n, ...)     RH_CAT(RH_RECVS_, RH_MORE1(__VA_ARGS__))(n, __VA_ARGS__)
#define RH_RECVS_0(n, T)           rh_receive_set_(n, RH_VALUE_(rh_filter, .type = &rh_message_##T), RH_HERE)
#define RH_RECVS_M(n, T, ...)      rh_receive_set_(n, RH_TYPED_(T, __VA_ARGS__), RH_HERE)
#define rh_receive_set_any(n, ...) rh_receive_set_(n, RH_VALUE_(rh_filter, __VA_ARGS__), RH_HERE)
#define rh_receive_set_next(n)     rh_receive_set_(n, RH_ZERO_(rh_filter), RH_HERE)
#define rh_turn_to(envelope)       rh_turn_to_(envelope, RH_HERE)
const struct rh_envelope *rh_receive_set_(size_t n, const struct rh_filter *filter, const char *here);
void rh_turn_to_(const struct rh_envelope *envelope, const char *here);
static inline const void *rh_received_value_(const struct rh_envelope *m)
{
    return m ? m->value : (const void *)0;
}

/* ---- durable store ----------------------------------------------------------------------------------------------- */

/* A store keeps keys and bytes that outlive the process.  An actor opens its store by name before it uses it:
 *
 *     RH_HANDLER(ledger, rh_start) { rh_store_open("ledger"); ... }
 *
 * The program chooses the name.  The same name is the same store, whichever actor opens it and in whatever order actors
 * are spawned.  The actor owns the store until it ends or crashes; after a restart it must open the store again.  An
 * actor owns at most one store, and a store has at most one owner: opening a second store, or a store that another
 * living actor owns, is a misuse.  Opening one's own store again has no effect.
 *
 * A put is pending until rh_stored arrives with its ticket or rh_store_sync returns.  Puts become durable in order, and
 * a crash keeps a prefix of the pending ones.  Reads see the latest put.  A put of NULL removes the key.  Puts that are
 * pending when an actor ends become durable before the puts of the next owner.
 *
 * rh_store_put_sync is a put that is durable when the call returns, and so is everything that was put before: an actor
 * that must not answer before its vote is on the disk makes the put and answers in the same handler.  There is no
 * ticket, and no rh_stored arrives for puts that became durable during the call.  In production the actor waits for the
 * disk, and takes no message meanwhile.  Under test the call is a part of the step in which it is made: no other actor
 * moves, and no crash happens, between the put and its return.  (With failed_puts it is a put and rh_store_sync, since
 * the put may fail while the actor waits.)
 *
 * Nothing fails silently.  If the store cannot be opened, or a put cannot be made durable, the actor ends with reason
 * "store".  If acknowledged data is missing, the actor ends with reason "damaged".  Linked and monitoring actors hear
 * of it as of any other end; in production the on_failure hook is called first.  After a failed put this program cannot
 * open the store again, because nobody knows how much of the put is on the disk.  Under test these are faults with
 * budgets: failed_puts, failed_opens and damaged_stores of struct rh_semantics. */
enum { RH_STORE_NAME_SIZE = 128 }; /* with the final zero; a name is not empty and has no control characters */
#define rh_store_open(name)                 rh_store_open_(name, RH_HERE)
#define rh_store_put(key, bytes, size)      rh_store_put_(key, bytes, size, RH_HERE)
#define rh_store_put_sync(key, bytes, size) rh_store_put_sync_(key, bytes, size, RH_HERE)
#define rh_store_get(key, buffer, capacity) rh_store_get_(key, buffer, capacity, RH_HERE)
#define rh_store_sync()                     rh_store_sync_(RH_HERE)
void rh_store_open_(const char *name, const char *here);
/* Returns the ticket of the put. */
uint32_t rh_store_put_(const char *key, const void *bytes, size_t size, const char *here);
void rh_store_put_sync_(const char *key, const void *bytes, size_t size, const char *here);
/* Copies at most `capacity` bytes of the value and returns its size; -1 if the key has no value. */
int64_t rh_store_get_(const char *key, void *buffer, size_t capacity, const char *here);
void rh_store_sync_(const char *here); /* waits until everything that the actor can read is durable */

/* ---- shared tables ----------------------------------------------------------------------------------------------- */

/* Keys and bytes that all actors see and change, like Erlang's ETS.  Each call is atomic; other actors may run between
 * two calls (under test with RH_GRAIN_OBJECT; see rehearse/test.h).  To check and act in one step, use
 * rh_table_insert_new, rh_table_swap or rh_table_add.
 *
 *     RH_TABLE(seats);                                  in a header, where several files use it
 *     if (rh_table_insert_new(seats, "12A", &self, sizeof self)) ...
 *
 * RH_TABLE(name) declares a table whose keys are independent of each other.  RH_TABLE_ORDERED(name) declares a table
 * that can also be counted and iterated (rh_table_count, rh_table_next).  These depend on all keys: under test the
 * order of every two calls on such a table is explored, in production the calls share a lock.
 *
 * A table exists, empty, from the beginning of the run or the runtime to its end.  Its contents belong to no actor:
 * they survive the end and the crash of the actor that put them there, and partitions do not divide them.
 *
 * Keys are texts of 1 to RH_TABLE_KEY_SIZE - 1 bytes; values have at most max_message_bytes bytes and are copied in and
 * out.  NULL in place of bytes means no value.  In production any thread may use tables; monitors (RH_MONITOR) may
 * not. */
struct rh_table {
    const char *name;
    bool ordered;
};
enum { RH_TABLE_KEY_SIZE = 128 };

#define RH_TABLE(name)         RH_TABLE_(name, false)
#define RH_TABLE_ORDERED(name) RH_TABLE_(name, true)

/* Sets the value of the key, or removes it (NULL).  Returns whether the key had a value. */
#define rh_table_put(table, key, bytes, size) rh_table_put_(&rh_table_of_##table, key, bytes, size, RH_HERE)
/* Sets the value if the key has none.  Returns whether it did. */
#define rh_table_insert_new(table, key, bytes, size)                                                                   \
    rh_table_insert_new_(&rh_table_of_##table, key, bytes, size, RH_HERE)
/* Removes the value.  Returns whether there was one. */
#define rh_table_remove(table, key) rh_table_remove_(&rh_table_of_##table, key, RH_HERE)
/* Compare and swap: sets the value if the current value equals the expected one.  Returns whether it did.  `expected`
 * NULL expects no value; `bytes` NULL removes the value. */
#define rh_table_swap(table, key, expected, expected_size, bytes, size)                                                \
    rh_table_swap_(&rh_table_of_##table, key, expected, expected_size, bytes, size, RH_HERE)
/* Copies at most `capacity` bytes of the value and returns its size; -1 if the key has no value. */
#define rh_table_get(table, key, buffer, capacity) rh_table_get_(&rh_table_of_##table, key, buffer, capacity, RH_HERE)
/* A counter: adds to the value, an int64_t (0 if there is none), and returns the sum, which wraps around. */
#define rh_table_add(table, key, delta) rh_table_add_(&rh_table_of_##table, key, delta, RH_HERE)
/* The number of keys with a value, of an ordered table. */
#define rh_table_count(table) rh_table_count_(&rh_table_of_##table, RH_HERE)
/* Iterates over an ordered table: finds the first key after `previous` in the order of strcmp; false after the last
 * key.  `previous` need not be in the table; NULL or "" begins at the first key.  `previous` and `key` may be the same
 * buffer:
 *     char key[RH_TABLE_KEY_SIZE] = "";
 *     while (rh_table_next(members, key, key, sizeof key)) ...
 * Each call is a step of its own.  Keys that are added or removed meanwhile may be seen or not; others are seen
 * once. */
#define rh_table_next(table, previous, key, capacity)                                                                  \
    rh_table_next_(&rh_table_of_##table, previous, key, capacity, RH_HERE)

bool rh_table_put_(const struct rh_table *table, const char *key, const void *bytes, size_t size, const char *here);
bool rh_table_insert_new_(const struct rh_table *table, const char *key, const void *bytes, size_t size,
                          const char *here);
bool rh_table_remove_(const struct rh_table *table, const char *key, const char *here);
bool rh_table_swap_(const struct rh_table *table, const char *key, const void *expected, size_t expected_size,
                    const void *bytes, size_t size, const char *here);
int64_t rh_table_get_(const struct rh_table *table, const char *key, void *buffer, size_t capacity, const char *here);
int64_t rh_table_add_(const struct rh_table *table, const char *key, int64_t delta, const char *here);
uint32_t rh_table_count_(const struct rh_table *table, const char *here);
bool rh_table_next_(const struct rh_table *table, const char *previous, char *key, size_t capacity, const char *here);

/* ---- histories ----------------------------------------------------------------------------------------------------
 * */

/* A history is what clients asked of a service, and what they were told.  A client records each call before it asks,
 * and the return when it has the answer.  At the end of each run, the history must agree with a sequential model of the
 * service: there must be an order of the operations in which the model gives each its result, and in which an operation
 * that returned before another was called comes first (linearizability [Herlihy and Wing 1990]).
 *
 *     RH_MESSAGE(write, int value;);  RH_MESSAGE(written);  RH_MESSAGE(read);  RH_MESSAGE(value, int value;);
 *
 *     static bool apply(void *state, const struct rh_operation *o)
 *     {
 *         int *cell = state;
 *         const struct write *w = rh_as(&o->call, write);
 *         if (w)
 *             *cell = w->value;
 *         const struct value *v = rh_as(&o->result, value);
 *         return !v || v->value == *cell;
 *     }
 *     RH_HISTORY(cells, .state_size = sizeof(int), .apply = apply);
 *
 *     struct rh_call c = rh_history_call(cells, "x", write, .value = 5);
 *     rh_ask(server, write, written, .value = 5);
 *     rh_history_return(cells, c, written);
 *
 * Calls and results are messages, of any types.  The key (NULL for none) says which object the operation is about: each
 * key has a state of its own.  An operation that has not returned at the end may have happened, at any time after its
 * call, or not: so a client that gives up, or crashes, just does not record a return.  Do not record a call that was
 * certainly not made.  docs/linearizability.md has more.
 *
 * In production, histories are recorded if the runtime's option history_operations says so, and checked when the
 * runtime stops; any thread may record.  Otherwise these calls have no effect there. */
struct rh_operation {
    const char *key;                 /* "" for none */
    struct rh_envelope call, result; /* rh_as reads them; the type of the result is NULL if there is none */
};

enum rh_consistency {
    RH_LINEARIZABLE, /* the default */
    RH_SEQUENTIAL,   /* only the operations of one client keep their order; states of all keys are checked together */
};

/* The model of a service.  Its functions must be pure, and must not call functions of this header but rh_as, rh_assert
 * and rh_same. */
struct rh_sequential_model {
    uint32_t state_size; /* of one key, in bytes: plain data without pointers to itself; at most 65,536 */
    enum rh_consistency consistency;
    void (*init)(void *state); /* NULL: a new state is all zero */
    /* Makes the operation in this state, and returns whether it can have this result.  Without a result: whether it
     * can happen at all, with any result. */
    bool (*apply)(void *state, const struct rh_operation *operation);
    bool (*equal)(const void *a, const void *b); /* NULL: states are equal if their bytes are */
    uint64_t (*hash)(const void *state);         /* equal states have equal hashes; only makes the check faster */
    /* Writes the operation for a finding; NULL: the types and, under test, the fields. */
    void (*print)(const struct rh_operation *operation, char *text, size_t size);
};

/* RH_HISTORY(name, .apply = f, ...) declares a history; in a header, where several files use it. */
struct rh_history {
    const char *name;
    const char *place;
    struct rh_sequential_model model;
};
enum { RH_HISTORY_KEY_SIZE = 128, RH_HISTORY_STATE_SIZE = 65536 };
#define RH_HISTORY(name, ...) RH_HISTORY_(name, __VA_ARGS__)

/* An operation that was called.  Plain data: keep it in state until the operation returns. */
struct rh_call {
    uint64_t id;
};
/* struct rh_call rh_history_call(history, key, message, fields...) records a call of the running actor. */
#define rh_history_call(history, ...) RH_CAT(RH_HCALL_, RH_MORE2(__VA_ARGS__))(history, __VA_ARGS__)
#define RH_HCALL_0(history, key, type)                                                                                 \
    rh_history_call_(&rh_history_of_##history, key, &rh_message_##type, RH_ZERO_(type), RH_HERE)
#define RH_HCALL_M(history, key, type, ...)                                                                            \
    rh_history_call_(&rh_history_of_##history, key, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), RH_HERE)
#define rh_history_call_value(history, key, type, pointer)                                                             \
    rh_history_call_(&rh_history_of_##history, key, &rh_message_##type, RH_POINTER_(type, pointer), RH_HERE)
struct rh_call rh_history_call_(const struct rh_history *history, const char *key, const struct rh_message_type *type,
                                const void *value, const char *here);
/* rh_history_return(history, call, message, fields...) records that it returned, with this result. */
#define rh_history_return(history, ...) RH_CAT(RH_HRETURN_, RH_MORE2(__VA_ARGS__))(history, __VA_ARGS__)
#define RH_HRETURN_0(history, call, type)                                                                              \
    rh_history_return_(&rh_history_of_##history, call, &rh_message_##type, RH_ZERO_(type), RH_HERE)
#define RH_HRETURN_M(history, call, type, ...)                                                                         \
    rh_history_return_(&rh_history_of_##history, call, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), RH_HERE)
#define rh_history_return_value(history, call, type, pointer)                                                          \
    rh_history_return_(&rh_history_of_##history, call, &rh_message_##type, RH_POINTER_(type, pointer), RH_HERE)
void rh_history_return_(const struct rh_history *history, struct rh_call call, const struct rh_message_type *type,
                        const void *value, const char *here);

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

/* rh_assert(condition) or rh_assert(condition, "format", ...) is never compiled out.  Under test a failure is a finding
 * with its schedule; in production it calls the runtime's failure hook, which by default prints and aborts. */
#define rh_assert(...)                    RH_CAT(RH_ASSERT_, RH_MORE1(__VA_ARGS__))(#__VA_ARGS__, __VA_ARGS__)
#define RH_ASSERT_0(text, condition)      ((condition) ? (void)0 : rh_assert_failed_(RH_HERE, text, (const char *)0))
#define RH_ASSERT_M(text, condition, ...) ((condition) ? (void)0 : rh_assert_failed_(RH_HERE, text, __VA_ARGS__))
__attribute__((format(printf, 3, 4))) void rh_assert_failed_(const char *here, const char *condition,
                                                             const char *format, ...);

/* rh_assume(condition): under test, a run in which the condition does not hold ends there and is not counted; the
 * report says how many runs were assumed away.  An exhaustive verdict then holds for the runs in which every assumption
 * holds.  In production it has no effect; use rh_assert for what must hold there. */
#define rh_assume(condition) ((condition) ? (void)0 : rh_assume_failed_(RH_HERE))
void rh_assume_failed_(const char *here);

/* Named properties.
 *   rh_always      holds at each evaluation
 *   rh_eventually  holds at the last evaluation in every run: rh_eventually("all replicas agree", differing == 0)
 *   rh_sometimes   holds in at least one run of the exploration
 *   rh_cover       is reached in at least one run
 * A property is known from its first evaluation on, and the report does not mention a property whose place no run
 * reaches.  An rh_sometimes that is evaluated and never holds fails an exhaustive exploration; an rh_sometimes that is
 * never evaluated, or an rh_cover that is never reached, does not.  So evaluate a property where every run passes, for
 * example at the end of the test's body: rh_sometimes("a retry was needed", retries > 0). */
enum rh_property { RH_ALWAYS, RH_SOMETIMES, RH_EVENTUALLY };
#define rh_always(name, condition)     rh_property_(RH_ALWAYS, name, condition, RH_HERE)
#define rh_sometimes(name, condition)  rh_property_(RH_SOMETIMES, name, condition, RH_HERE)
#define rh_eventually(name, condition) rh_property_(RH_EVENTUALLY, name, condition, RH_HERE)
#define rh_cover(name)                 rh_property_(RH_SOMETIMES, name, true, RH_HERE)
void rh_property_(enum rh_property kind, const char *name, bool holds, const char *here);

/* rh_announce(message, fields...) runs the handlers of all monitors that observe such messages, at once.  It has no
 * effect in production. */
#define rh_announce(...)                 RH_CAT(RH_ANNOUNCE_, RH_MORE1(__VA_ARGS__))(__VA_ARGS__)
#define RH_ANNOUNCE_0(type)              rh_announce_(&rh_message_##type, RH_ZERO_(type), RH_HERE)
#define RH_ANNOUNCE_M(type, ...)         rh_announce_(&rh_message_##type, RH_VALUE_(type, __VA_ARGS__), RH_HERE)
#define rh_announce_value(type, pointer) rh_announce_(&rh_message_##type, RH_POINTER_(type, pointer), RH_HERE)
void rh_announce_(const struct rh_message_type *type, const void *value, const char *here);

/* rh_abstract(key, value) names the abstract state that the running actor or monitor is in: under `key`, a text, it
 * has this value, a number or a hash: rh_abstract("leader in term", term), rh_abstract("log", length * 2 +
 * committed). Explorers that learn (feedback) go on from runs that showed a value no run before had shown.  So show
 * what makes progress, with few values, tens or thousands, whatever the order of unrelated steps.  It has no effect
 * on what a run does, and none at all in production. */
#define rh_abstract(key, value) rh_abstract_(key, (uint64_t)(value), RH_HERE)
void rh_abstract_(const char *key, uint64_t value, const char *here);

/* Writes a line into the run's record (under test) or to standard error (in production, see rehearse/runtime.h). */
__attribute__((format(printf, 1, 2))) void rh_log(const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
