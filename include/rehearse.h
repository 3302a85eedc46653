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

#include <rehearse/types.h>

#ifdef __cplusplus
extern "C" {
#endif

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
 * in the order of its sends.  Messages in its name that other actors have sent (rh_forward, rh_send_from) are ordered
 * by the names of these.  In production an actor that has ended may have lost its name: it comes last.  When the
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
 * Reports list each rh_sometimes and rh_cover that no run of any test has reached (those of C code that the linker has
 * put into the test program, not those of C++).  An rh_sometimes that is evaluated and never holds fails an exhaustive
 * exploration; an rh_sometimes that is never evaluated, or an rh_cover that is never reached, does not.  So evaluate a
 * property where every run passes, for example at the end of the test's body:
 * rh_sometimes("a retry was needed", retries > 0). */
enum rh_property { RH_ALWAYS, RH_SOMETIMES, RH_EVENTUALLY };
#define rh_always(name, condition)     rh_property_(RH_ALWAYS, name, condition, RH_HERE)
#define rh_sometimes(name, condition)  (RH_SITE_(#name), rh_property_(RH_SOMETIMES, name, condition, RH_HERE))
#define rh_eventually(name, condition) rh_property_(RH_EVENTUALLY, name, condition, RH_HERE)
#define rh_cover(name)                 (RH_SITE_(#name), rh_property_(RH_SOMETIMES, name, true, RH_HERE))
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

/* Durable stores and shared tables; histories. */
#include <rehearse/data.h>
#include <rehearse/histories.h>
#endif
