/* The functions of the seam: each checks the caller and the arguments, and calls the part of the runtime that does the
 * work. */
#include "runtime/rt_seam.h"

#include <stdlib.h>

#include "actor/table_misuse.h"
#include "base/random.h"
#include "history/history.h"
#include "runtime/actor.h"
#include "runtime/failure.h"
#include "runtime/rt_history.h"
#include "runtime/rt_names.h"
#include "runtime/rt_registry.h"
#include "runtime/rt_store.h"
#include "runtime/rt_tables.h"
#include "runtime/rt_tape.h"

/* An operation of a process is where an exit signal may end it, if the program wants that. */
static inline void hear_signals(struct rh__worker *worker)
{
    if (__builtin_expect(rh__rt.options.kill_anywhere, 0) && worker->actor &&
        worker->actor->type->kind == RH_KIND_PROCESS)
        rh__rt_hear_signals(worker->actor);
}

/* The running actor; reports a misuse and returns NULL if there is none. */
static struct rh__actor *inside(const char *call, const char *here)
{
    struct rh__worker *worker = rh__worker();
    if (__builtin_expect(worker && worker->actor, 1)) {
        hear_signals(worker);
        return worker->actor;
    }
    if (worker) {
        rh__misuse(here, "%s was called outside of an actor", call);
    } else if (rh__gate_enter()) {
        rh__misuse(here, "%s was called outside of an actor", call);
        rh__gate_leave();
    } else {
        rh__no_runtime(call, here);
    }
    return NULL;
}

/* For calls that any thread may make: every enter that returns true is followed by a leave. */
static inline bool enter(struct rh__worker *worker, const char *call, const char *here)
{
    if (worker)
        hear_signals(worker);
    if (worker || rh__gate_enter())
        return true;
    if (call)
        rh__no_runtime(call, here);
    return false;
}

static inline void leave(struct rh__worker *worker)
{
    if (!worker)
        rh__gate_leave();
}

/* Whether the reference names an actor that lives or has lived. */
static bool check_actor(rh_ref who, const char *call, const char *here)
{
    if (rh_is_nobody(who))
        rh__misuse(here, "%s of nobody", call);
    else if (rh__ref_external(who))
        rh__misuse(here, "%s of an external sender", call);
    else if (!rh__ref_known(who))
        rh__misuse(here, "%s of an actor that never existed (reference %llx)", call, (unsigned long long)who.id);
    else
        return true;
    return false;
}

static bool check_name(const char *name, const char *call, const char *here)
{
    if (name && *name)
        return true;
    rh__misuse(here, "%s without a name", call);
    return false;
}

/* ---- actors and messages --------------------------------------------------------------------------------------- */

static rh_ref spawn(const struct rh_actor_type *type, const void *state, enum rh_watch watch, const char *here)
{
    struct rh__worker *worker = rh__worker();
    if (watch != RH_WATCH_NONE && !inside(watch == RH_WATCH_LINK ? "rh_spawn_link" : "rh_spawn_monitor", here))
        return rh_nobody();
    if (!enter(worker, "rh_spawn", here))
        return rh_nobody();
    rh_ref who = rh__rt_actor_spawn(worker, type, state, watch, here);
    leave(worker);
    return who;
}

static void send(rh_ref from, rh_ref to, const struct rh_message_type *type, const void *value, const void *tail,
                 size_t tail_size, const char *here)
{
    struct rh__worker *worker = rh__worker();
    struct rh__letter letter = { .type = type, .value = value, .tail = tail, .tail_size = tail ? tail_size : 0 };
    if (!enter(worker, "rh_send", here))
        return;
    if (__builtin_expect(!rh_is_nobody(from) && !rh__ref_external(from), 0))
        rh__misuse(here, "rh_send_from is for external senders (rh_external)");
    else if (rh_is_nobody(from) && worker && worker->actor)
        rh__send(worker, worker->actor->self, to, &letter, here);
    else
        rh__send(worker, from, to, &letter, here);
    leave(worker);
}

static bool send_to_name(const char *name, const struct rh_message_type *type, const void *value, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__worker *worker = rh__worker();
    struct rh__letter letter = { .type = type, .value = value };
    if (!enter(worker, "rh_send_to_name", here))
        return false;
    rh_ref to = check_name(name, "rh_send_to_name", here) ? rh__registry_find(name) : rh_nobody();
    rh_ref from = worker && worker->actor ? worker->actor->self : rh_nobody();
    bool sent = !rh_is_nobody(to) && rh__send(worker, from, to, &letter, here);
    leave(worker);
    return sent;
}

static struct rh_request request(const char *here)
{
    struct rh_request none = { rh_nobody(), 0 };
    struct rh__actor *actor = inside("rh_reply", here);
    if (!actor)
        return none;
    const struct rh__message *asked = actor->current;
    if (!asked) {
        rh__misuse(here, "rh_reply without a message");
        return none;
    }
    struct rh_request asking = { asked->sender, asked->ticket };
    return asking;
}

static void reply(struct rh_request to, const struct rh_message_type *type, const void *value, const void *tail,
                  size_t tail_size, const char *here)
{
    if (rh_is_nobody(to.who))
        return; /* a foreign thread sent the request; a reply has no effect, as with an external sender */
    struct rh__actor *actor = inside("rh_reply", here);
    if (!actor)
        return;
    struct rh__letter letter = { .type = type, .value = value, .tail = tail, .tail_size = tail ? tail_size : 0 };
    letter.ticket = (uint32_t)to.ticket;
    letter.kind = letter.ticket ? RH__REPLY : RH__PLAIN;
    letter.exempt = letter.ticket != 0; /* the asker waits for it, so there is at most one */
    rh__send(rh__worker(), actor->self, to.who, &letter, here);
}

static void forward(rh_ref to, const char *here)
{
    struct rh__actor *actor = inside("rh_forward", here);
    if (!actor)
        return;
    const struct rh__message *m = actor->current;
    if (!m) {
        rh__misuse(here, "rh_forward without a message");
        return;
    }
    struct rh__letter letter = { .type = m->type, .value = rh__message_value(m), .ticket = m->ticket };
    letter.tail = rh__message_tail(m);
    letter.tail_size = m->tail_size;
    rh__send(rh__worker(), m->sender, to, &letter, here);
}

static const void *ask(rh_ref to, const struct rh_message_type *type, const void *value,
                       const struct rh_message_type *reply_type, int64_t timeout_ms, const char *here)
{
    struct rh__actor *actor = inside("rh_ask", here);
    if (!actor)
        return NULL;
    struct rh__letter letter = { .type = type, .value = value };
    return rh__ask(actor, to, &letter, reply_type, timeout_ms, here);
}

static const struct rh_envelope *receive(const struct rh_filter *filter, const char *here)
{
    struct rh__actor *actor = inside("rh_receive", here);
    if (!actor)
        return NULL;
    return filter->count ? rh__rt_receive_set(actor, filter, here) : rh__rt_receive(actor, filter, here);
}

static void turn_to(const struct rh_envelope *envelope, const char *here)
{
    struct rh__actor *actor = inside("rh_turn_to", here);
    if (actor)
        rh__set_turn_to(actor, envelope, here);
}

static const void *tail_of(size_t *size)
{
    struct rh__worker *worker = rh__worker();
    const struct rh__message *m = worker && worker->actor ? worker->actor->last : NULL;
    if (size)
        *size = m ? m->tail_size : 0;
    return m ? rh__message_tail(m) : NULL;
}

static rh_ref self(void)
{
    struct rh__worker *worker = rh__worker();
    return worker && worker->actor ? worker->actor->self : rh_nobody();
}

static rh_ref sender(void)
{
    struct rh__worker *worker = rh__worker();
    return worker && worker->actor && worker->actor->current ? worker->actor->current->sender : rh_nobody();
}

/* Nobody restarts an actor here. */
static uint32_t restarts(void)
{
    return 0;
}

static bool alive(rh_ref who, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    (void)here;
    struct rh__worker *worker = rh__worker();
    if (rh_is_nobody(who) || !enter(worker, NULL, NULL))
        return false;
    struct rh__slot *slot = rh__ref_external(who) ? NULL : rh__slot_of(who);
    bool lives = rh__ref_external(who) || (slot && rh__slot_has(slot, who));
    leave(worker);
    return lives;
}

/* What the actor of a slot that is at rest is doing.  The caller has the slot. */
static void look_at_rest(const struct rh__slot *slot, uint32_t generation, struct rh_actor_info *info)
{
    struct rh__actor *actor = slot->actor;
    if (!actor || slot->tenant != generation)
        return;
    static const enum rh_doing waits[] = { [RH__WAIT_MESSAGE] = RH_DOING_RECEIVING,
                                           [RH__WAIT_SET] = RH_DOING_RECEIVING,
                                           [RH__WAIT_REPLY] = RH_DOING_ASKING,
                                           [RH__WAIT_WAKE] = RH_DOING_SLEEPING,
                                           [RH__WAIT_STORED] = RH_DOING_SYNCING };
    info->doing = actor->fiber ? waits[actor->wait.what] : RH_DOING_IDLE;
    for (const struct rh__message *m = actor->aside; m; m = m->link)
        info->mailbox += rh__message_stands(actor, m);
    if (info->doing == RH_DOING_RECEIVING) {
        info->type = actor->wait.filter->type;
        info->from = actor->wait.filter->from;
    }
}

/* An actor that is at rest has no worker: who takes the mark away has the slot, until it gives it up again. */
static struct rh_actor_info info(rh_ref who, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_INFO);
    struct rh_actor_info info = { .doing = RH_DOING_ENDED };
    struct rh__actor *self = inside("rh_info", here);
    if (!self || !check_actor(who, "rh_info", here))
        return info;
    struct rh__slot *slot = rh__slot_of(who);
    if (!slot || !rh__slot_has(slot, who))
        return info;
    uintptr_t newest = atomic_load(&slot->newest);
    if (slot == self->slot || !(newest & RH__AT_REST) ||
        !atomic_compare_exchange_strong(&slot->newest, &newest, newest & ~RH__AT_REST)) {
        info.doing = RH_DOING_RUNNING;
        info.mailbox = RH_MAILBOX_UNKNOWN;
        return info;
    }
    look_at_rest(slot, rh__ref_generation(who), &info);
    rh__worker_give_up(rh__worker(), slot);
    return info;
}

static void yield(const char *here)
{
    struct rh__actor *actor = inside("rh_yield", here);
    if (actor)
        rh__rt_yield(actor);
}

static const char *name_of(rh_ref who)
{
    struct rh__worker *worker = rh__worker();
    if (!enter(worker, NULL, NULL))
        return "nobody";
    const char *name = rh__name_of(who);
    leave(worker);
    return name;
}

static rh_ref external(const char *name, const char *here)
{
    struct rh__worker *worker = rh__worker();
    if (!enter(worker, "rh_external", here))
        return rh_nobody();
    rh_ref who = check_name(name, "rh_external", here) ? rh__external(name) : rh_nobody();
    leave(worker);
    return who;
}

static void become(const struct rh_behaviour *behaviour, const char *here)
{
    struct rh__actor *actor = inside("rh_become", here);
    if (!actor)
        return;
    if (!behaviour || behaviour->actor != actor->type) {
        rh__misuse(here, "rh_become: behaviour %s is of %s, not of %s", behaviour ? behaviour->name : "NULL",
                   behaviour && behaviour->actor ? behaviour->actor->name : "nobody", actor->type->name);
        return;
    }
    if (actor->behaviour != behaviour) {
        actor->behaviour = behaviour;
        rh__actor_look_again(actor);
        rh__set_attend(actor, here);
    }
}

/* ---- ends, links, names ---------------------------------------------------------------------------------------- */

static void stop(const char *here)
{
    struct rh__actor *actor = inside("rh_stop", here);
    if (actor && actor->type->kind == RH_KIND_PROCESS)
        rh__misuse(here, "a process ends by returning from its body, or by rh_exit; rh_stop is for actors");
    else if (actor)
        actor->attention |= RH__STOP;
}

static void exit_now(const char *reason, const struct rh_message_type *type, const void *value, const char *here)
{
    struct rh__actor *actor = inside(type ? "rh_return" : "rh_exit", here);
    if (!actor)
        exit(2); /* rh_exit must not return, and there is no actor to end */
    if (type) {
        actor->result = rh__message_make(rh__worker(), RH__STUB, actor->self, type, type->size);
        memcpy(rh__message_value(actor->result), value, type->size);
    }
    rh__actor_exit(actor, reason ? reason : "normal", here);
}

static void kill_other(rh_ref who, const char *reason, const char *here)
{
    struct rh__actor *actor = inside("rh_kill", here);
    if (!actor || !check_actor(who, "rh_kill", here))
        return;
    rh__signal_kill(rh__worker(), actor->self, who, reason ? reason : "kill");
}

static void link_with(rh_ref who, bool on, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__actor *actor = inside(on ? "rh_link" : "rh_unlink", here);
    if (actor && check_actor(who, on ? "rh_link" : "rh_unlink", here))
        rh__signal_link(actor, who, on);
}

static void monitor(rh_ref who, bool on, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__actor *actor = inside(on ? "rh_monitor" : "rh_demonitor", here);
    if (actor && check_actor(who, on ? "rh_monitor" : "rh_demonitor", here))
        rh__signal_watch(actor, who, on);
}

static const struct rh_down *join(rh_ref who, int64_t timeout_ms, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__actor *actor = inside("rh_join", here);
    if (!actor || !check_actor(who, "rh_join", here))
        return NULL;
    if (rh_same(who, actor->self)) {
        rh__misuse(here, "an actor that joins itself (rh_join) waits for ever");
        return NULL;
    }
    struct rh_filter filter = { .type = &rh_message_rh_down, .from = who, .timeout_ms = timeout_ms };
    rh__signal_watch(actor, who, true);
    const struct rh_envelope *e = rh__rt_receive(actor, &filter, here);
    return e ? e->value : NULL;
}

static void trap_exits(bool yes, const char *here)
{
    struct rh__actor *actor = inside("rh_trap_exits", here);
    if (actor)
        actor->traps = yes;
}

static bool name_set(const char *name, rh_ref who, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__worker *worker = rh__worker();
    if (!enter(worker, "rh_register", here))
        return false;
    bool done = check_name(name, "rh_register", here) &&
                (rh_is_nobody(who) || rh__ref_external(who) || check_actor(who, "rh_register", here)) &&
                rh__registry_set(name, who);
    leave(worker);
    return done;
}

static rh_ref name_find(const char *name, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__worker *worker = rh__worker();
    if (!enter(worker, "rh_whereis", here))
        return rh_nobody();
    rh_ref who = check_name(name, "rh_whereis", here) ? rh__registry_find(name) : rh_nobody();
    leave(worker);
    return who;
}

/* ---- time, chance, store --------------------------------------------------------------------------------------- */

static void timer(const char *name, int64_t delay_ms, const struct rh_message_type *type, const void *value,
                  const char *here)
{
    struct rh__actor *actor = inside("rh_timer", here);
    if (!actor || !check_name(name, "rh_timer", here))
        return;
    if (delay_ms < 0)
        rh__misuse(here, "timer \"%s\" has a negative delay (%lld ms)", name, (long long)delay_ms);
    else
        rh__rt_timer_set(rh__worker(), actor, name, delay_ms, type, value);
}

static bool timer_cancel(const char *name, const char *here)
{
    struct rh__actor *actor = inside("rh_timer_cancel", here);
    return actor && check_name(name, "rh_timer_cancel", here) && rh__timer_cancel(rh__worker(), actor, name);
}

static int64_t now_ms(void)
{
    rh__unrecorded(RH__UNRECORDED_CLOCK);
    return rh__now_ns() / 1000000;
}

static void sleep_ms(int64_t ms, const char *here)
{
    struct rh__actor *actor = inside("rh_sleep", here);
    if (actor)
        rh__rt_sleep(actor, ms, here);
}

static uint64_t random_value(void)
{
    rh__unrecorded(RH__UNRECORDED_RANDOM);
    struct rh__worker *worker = rh__worker();
    if (worker && worker->actor)
        return rh__random_next(&worker->actor->chance);
    uint64_t state = atomic_fetch_add(&rh__rt.chance, 0x9e3779b97f4a7c15u);
    return rh__random_next(&state);
}

static uint32_t choose(uint32_t n, const char *here)
{
    struct rh__actor *actor = inside("rh_choose", here);
    if (!actor)
        return 0;
    if (n == 0)
        rh__misuse(here, "rh_choose of nothing");
    uint32_t value = rh__random_below(&actor->chance, n);
    if (rh__recording() && n > 1)
        rh__tape_value(actor, value, n);
    return value;
}

static void store_open(const char *name, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_STORES);
    struct rh__actor *actor = inside("rh_store_open", here);
    if (actor)
        rh__rt_store_open(actor, name, here);
}

static uint32_t store_put(const char *key, const void *bytes, size_t size, const char *here)
{
    struct rh__actor *actor = inside("rh_store_put", here);
    return actor && check_name(key, "rh_store_put", here)
               ? rh__rt_store_put(actor, "rh_store_put", key, bytes, size, here)
               : 0;
}

static void store_put_sync(const char *key, const void *bytes, size_t size, const char *here)
{
    struct rh__actor *actor = inside("rh_store_put_sync", here);
    if (!actor || !check_name(key, "rh_store_put_sync", here))
        return;
    rh__rt_store_put(actor, "rh_store_put_sync", key, bytes, size, here);
    rh__rt_store_sync(actor, here);
}

static int64_t store_get(const char *key, void *buffer, size_t capacity, const char *here)
{
    struct rh__actor *actor = inside("rh_store_get", here);
    return actor && check_name(key, "rh_store_get", here) ? rh__store_get(actor, key, buffer, capacity, here) : -1;
}

static void store_sync(const char *here)
{
    struct rh__actor *actor = inside("rh_store_sync", here);
    if (actor)
        rh__rt_store_sync(actor, here);
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static bool table_change(const struct rh_table *table, const struct rh_table_change *change, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__worker *worker = rh__worker();
    char text[RH__TABLE_TEXT];
    bool result = false;
    if (!enter(worker, change->call, here))
        return false;
    if (rh__table_change_wrong(table, change, rh__rt.options.max_message_bytes, text))
        rh__misuse(here, "%s", text);
    else
        result = rh__tables_change(table, change);
    leave(worker);
    return result;
}

static int64_t table_get(const struct rh_table *table, const char *key, void *buffer, size_t capacity, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__worker *worker = rh__worker();
    char text[RH__TABLE_TEXT];
    int64_t result = -1;
    if (!enter(worker, "rh_table_get", here))
        return -1;
    if (rh__table_get_wrong(table, key, buffer, capacity, text))
        rh__misuse(here, "%s", text);
    else
        result = rh__tables_get(table, key, buffer, capacity);
    leave(worker);
    return result;
}

static int64_t table_add(const struct rh_table *table, const char *key, int64_t delta, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__worker *worker = rh__worker();
    char text[RH__TABLE_TEXT];
    int64_t sum = 0;
    if (!enter(worker, "rh_table_add", here))
        return 0;
    bool bad = rh__table_add_wrong(table, key, text);
    size_t size = 0;
    if (!bad && !rh__tables_add(table, key, delta, &sum, &size)) {
        rh__table_no_counter(table, key, size, text);
        bad = true;
    }
    if (bad)
        rh__misuse(here, "%s", text);
    leave(worker);
    return sum;
}

static uint32_t table_count(const struct rh_table *table, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__worker *worker = rh__worker();
    char text[RH__TABLE_TEXT];
    uint32_t count = 0;
    if (!enter(worker, "rh_table_count", here))
        return 0;
    if (rh__table_count_wrong(table, text))
        rh__misuse(here, "%s", text);
    else
        count = rh__tables_count(table);
    leave(worker);
    return count;
}

static bool table_next(const struct rh_table *table, const char *previous, char *key, size_t capacity, const char *here)
{
    struct rh__worker *worker = rh__worker();
    char text[RH__TABLE_TEXT];
    size_t size = 0;
    if (!enter(worker, "rh_table_next", here))
        return false;
    bool bad = rh__table_next_wrong(table, key, text);
    if (!bad) {
        size = rh__tables_next(table, previous ? previous : "", key, capacity);
        bad = size > capacity;
        if (bad)
            rh__table_no_room(table, size, capacity, text);
    }
    if (bad)
        rh__misuse(here, "%s", text);
    leave(worker);
    return size && !bad;
}

/* ---- histories ------------------------------------------------------------------------------------------------- */

static uint64_t history_call(const struct rh_history *history, const char *key, const struct rh_message_type *type,
                             const void *value, const char *here)
{
    struct rh__worker *worker = rh__worker();
    const char *wrong = rh__history_misuse(history, key);
    uint64_t call = 0;
    if (!enter(worker, "rh_history_call", here))
        return 0;
    if (wrong)
        rh__misuse(here, "%s", wrong);
    else
        call = rh__rt_history_call(history, key, type, value, self());
    leave(worker);
    return call;
}

static void history_return(const struct rh_history *history, uint64_t call, const struct rh_message_type *type,
                           const void *value, const char *here)
{
    struct rh__worker *worker = rh__worker();
    if (!enter(worker, "rh_history_return", here))
        return;
    rh__rt_history_return(history, call, type, value, here);
    leave(worker);
}

/* ---- what must hold -------------------------------------------------------------------------------------------- */

static void failed(const char *here, const char *condition, const char *text)
{
    struct rh__worker *worker = rh__worker();
    bool in = enter(worker, NULL, NULL);
    rh__rt_fail("assertion", here, "`%s` does not hold%s%s", condition, *text ? ": " : "", text);
    if (in)
        leave(worker);
    worker = rh__worker();
    if (worker && worker->actor)
        rh__actor_exit(worker->actor, "failed", NULL);
}

static void assume_failed(const char *here)
{
    (void)here; /* the assumptions of a test do not concern production */
}

static void property(enum rh_property kind, const char *name, bool holds, const char *here)
{
    if (!name)
        rh__misuse(here, "a property needs a name (rh_always, rh_sometimes, rh_eventually, rh_cover)");
    else if (kind == RH_ALWAYS && !holds)
        failed(here, name, "");
}

static void announce(const struct rh_message_type *type, const void *value, const char *here)
{
    (void)type, (void)value, (void)here;
}

static void abstract(const char *key, uint64_t value, const char *here)
{
    (void)value;
    if (!key)
        rh__misuse(here, "rh_abstract needs a key");
}

static rh_ref observe(const struct rh_actor_type *type, const void *state, const char *here)
{
    (void)type, (void)state, (void)here;
    return rh_nobody();
}

/* In production the outside is there. */
static void open_to_outside(rh_ref to, const struct rh_message_type *type, bool (*when)(const void *message),
                            const char *here)
{
    (void)to, (void)type, (void)when, (void)here;
}

/* In production nobody says what is taken next. */
static const void *wanted(int kind, const struct rh_message_type *type, rh_ref from, rh_ref to, const char *here)
{
    (void)kind, (void)type, (void)from, (void)to;
    rh__misuse(here, "rh_expect, rh_allow and rh_disallow are for scenarios under test (RH_SCENARIO)");
    return NULL;
}

static void advance_time(int64_t ms, const char *here)
{
    (void)ms;
    rh__misuse(here, "rh_advance_time is for scenarios under test (RH_SCENARIO)");
}

static const void *state_of(const struct rh_actor_type *type, rh_ref who, const char *here)
{
    (void)type, (void)who;
    rh__misuse(here, "rh_state_of is for scenarios under test (RH_SCENARIO)");
    return NULL;
}

static void log_line(const char *text)
{
    struct rh__worker *worker = rh__worker();
    bool in = enter(worker, NULL, NULL);
    rh__log(text);
    if (in)
        leave(worker);
}

static const char *param(const char *name, bool number)
{
    (void)name, (void)number;
    return NULL;
}

const struct rh_seam rh__runtime_seam = {
    .name = "runtime",
    .spawn = spawn,
    .send = send,
    .send_to_name = send_to_name,
    .request = request,
    .keep_request = request,
    .reply = reply,
    .forward = forward,
    .ask = ask,
    .receive = receive,
    .turn_to = turn_to,
    .tail = tail_of,
    .self = self,
    .sender = sender,
    .alive = alive,
    .yield = yield,
    .info = info,
    .restarts = restarts,
    .name_of = name_of,
    .external = external,
    .become = become,
    .stop = stop,
    .exit = exit_now,
    .kill = kill_other,
    .link = link_with,
    .monitor = monitor,
    .join = join,
    .trap_exits = trap_exits,
    .name_set = name_set,
    .name_find = name_find,
    .timer = timer,
    .timer_cancel = timer_cancel,
    .now_ms = now_ms,
    .sleep = sleep_ms,
    .choose = choose,
    .random = random_value,
    .store_open = store_open,
    .store_put = store_put,
    .store_put_sync = store_put_sync,
    .store_get = store_get,
    .store_sync = store_sync,
    .table_change = table_change,
    .table_get = table_get,
    .table_add = table_add,
    .table_count = table_count,
    .table_next = table_next,
    .failed = failed,
    .assume_failed = assume_failed,
    .property = property,
    .history_call = history_call,
    .history_return = history_return,
    .announce = announce,
    .abstract = abstract,
    .observe = observe,
    .open = open_to_outside,
    .wanted = wanted,
    .advance_time = advance_time,
    .state_of = state_of,
    .log = log_line,
    .param = param,
};
