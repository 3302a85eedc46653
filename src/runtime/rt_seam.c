/* The functions of the seam: each checks the caller and the arguments, and calls the part of the runtime that does the
 * work.  Here are actors, messages, ends, names and time; stores, tables and histories are in rt_seam_data.c, and what
 * must hold in rt_seam_checks.c. */
#include "runtime/rt_seam.h"

#include <stdlib.h>

#include "base/random.h"
#include "runtime/rt_names.h"
#include "runtime/rt_registry.h"
#include "runtime/rt_seam_parts.h"
#include "runtime/rt_tape.h"

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
    else {
        if (!rh_is_nobody(from) && worker && worker->actor)
            letter.by = worker->actor->self;
        rh__send(worker, from, to, &letter, here);
    }
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
    letter.forwarded = !rh_same(m->sender, actor->self);
    letter.by = letter.forwarded ? actor->self : rh_nobody();
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

rh_ref rh__rt_seam_self(void)
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

/* ---- time, chance ---------------------------------------------------------------------------------------------- */

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
    .self = rh__rt_seam_self,
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
    .store_open = rh__rt_seam_store_open,
    .store_put = rh__rt_seam_store_put,
    .store_put_sync = rh__rt_seam_store_put_sync,
    .store_get = rh__rt_seam_store_get,
    .store_sync = rh__rt_seam_store_sync,
    .table_change = rh__rt_seam_table_change,
    .table_get = rh__rt_seam_table_get,
    .table_add = rh__rt_seam_table_add,
    .table_count = rh__rt_seam_table_count,
    .table_next = rh__rt_seam_table_next,
    .failed = rh__rt_seam_failed,
    .assume_failed = rh__rt_seam_assume_failed,
    .property = rh__rt_seam_property,
    .history_call = rh__rt_seam_history_call,
    .history_return = rh__rt_seam_history_return,
    .announce = rh__rt_seam_announce,
    .abstract = rh__rt_seam_abstract,
    .observe = rh__rt_seam_observe,
    .open = rh__rt_seam_open_to_outside,
    .wanted = rh__rt_seam_wanted,
    .advance_time = rh__rt_seam_advance_time,
    .state_of = rh__rt_seam_state_of,
    .log = rh__rt_seam_log_line,
    .param = rh__rt_seam_param,
};
