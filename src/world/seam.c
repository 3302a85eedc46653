/* The functions of rehearse.h in the controlled world.  Each checks for misuse first; a misuse is a finding about the
 * actor (or, outside of all actors, a sentence on standard error). */
#include "world/seam.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actor/monitors.h"
#include "base/copy.h"
#include "base/fail.h"
#include "base/random.h"
#include "base/text.h"
#include "base/visible.h"
#include "world/actors.h"
#include "world/alike.h"
#include "world/crash_points.h"
#include "world/fiber.h"
#include "world/fingerprint.h"
#include "world/history.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/outside.h"
#include "world/properties.h"
#include "world/receive.h"
#include "world/scenario.h"
#include "world/seam_info.h"
#include "world/seam_lives.h"
#include "world/seam_store.h"
#include "world/seam_tables.h"
#include "world/step.h"

/* ---- spawning and sending ---------------------------------------------------------------------------------------- */

static rh_ref seam_spawn(const struct rh_actor_type *type, const void *state, enum rh_watch watch, const char *here)
{
    struct rh_world *w = watch == RH_WATCH_NONE   ? inside("rh_spawn", here)
                         : watch == RH_WATCH_LINK ? inside_actor("rh_spawn_link", here)
                                                  : inside_actor("rh_spawn_monitor", here);
    if (!w)
        return rh_nobody();
    /* No preemption: nobody can know the new actor before its reference is passed on. */
    if (type->kind == RH_KIND_MONITOR)
        rh__misuse(w, here, "%s is a monitor: use rh_observe", type->name);
    if (!rh__before_effect(w, here))
        rh__kill_point(w, here);
    uint32_t actor = rh__actor_spawn(w, code_of(w), type, state, here);
    if (!w->over)
        rh__watch_from_birth(w, actor, watch);
    if (w->over)
        rh__fiber_abandon(w);
    return ref_of(actor);
}

static void dead_letter(struct rh_world *w, uint32_t to, const struct rh_message_type *type, const char *here)
{
    char name[128], text[256];
    if (w->semantics.dead_letters == RH_DEAD_LETTER_IGNORE || rh__dead_letters_at_end(w))
        return;
    rh_world_actor_name(w, to, name, sizeof name);
    if (w->semantics.dead_letters == RH_DEAD_LETTER_FAIL)
        rh__fail_inside(w, RH_OUTCOME_DEAD_LETTER, here, "%s was sent to %s, which has ended", type->name, name);
    snprintf(text, sizeof text, "(%s to %s is lost: it has ended)", type->name, name);
    rh__note(w, code_of(w), text);
}

/* Places are texts of the program, near to this one unless a shared library sends. */
static const char near_by[] = "?:0";

RH__APART static void keep_place(struct rh_world *w, uint32_t message, const char *here)
{
    w->messages[message].sent_at = (uint32_t)(rh__payload_text(w, here) / 16);
}

/* The distance fits 32 bits, or the place is not kept: no message is worth more memory for it. */
static inline void keep_distance(struct rh_world *w, uint32_t message, const char *here)
{
    intptr_t distance = (intptr_t)here - (intptr_t)near_by;
    w->messages[message].sent_at = distance == (int32_t)distance ? (uint32_t)distance : 0;
}

const char *rh__sent_at(const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    uint32_t at = m->copy_of == RH_NONE ? m->sent_at : w->messages[m->copy_of].sent_at;
    if (!at)
        return "";
    return rh__dead_letters_at_end(w) ? w->payload + (uint64_t)at * 16 : near_by + (int32_t)at;
}

/* The receiver has ended, or is the environment.  Returns false if it only is down, and may yet restart. */
RH__APART static bool is_lost(struct rh_world *w, struct world_sending *s, const char *here)
{
    const struct world_actor *to = &w->actors[s->to];
    if (to->status == STATUS_OUTSIDE)
        return true; /* messages to the environment have no effect here */
    if (to->status != STATUS_ENDED && !(s->to == 0 && rh__test_is_over(w)))
        return false;
    s->posted = true;
    rh__message_waste(w, s);
    if (rh__dead_letters_at_end(w))
        keep_place(w, w->message_count - 1, here);
    if (!rh__may_remain(w, s->type, s->seen_as == RH_NONE ? s->from : s->seen_as))
        dead_letter(w, s->to, s->type, here);
    return true;
}

static inline bool may_be_lost(const struct rh_world *w, uint32_t to)
{
    return w->actors[to].status >= STATUS_ENDED || (to == 0 && rh__test_is_over(w));
}

static inline void check_sending(struct rh_world *w, uint32_t receiver, const struct rh_message_type *type,
                                 uint32_t tail_size, const char *here)
{
    const struct rh_actor_type *to = w->actors[receiver].type;
    if (__builtin_expect(type->size + (size_t)tail_size > w->semantics.max_message_bytes, 0))
        rh__misuse(w, here, "message %s has %zu bytes, the limit is %u (max_message_bytes)", type->name,
                   type->size + (size_t)tail_size, w->semantics.max_message_bytes);
    if (__builtin_expect(w->under_way >= w->semantics.max_messages, 0))
        rh__fail_inside(w, RH_OUTCOME_LIMIT, here, "more than %u messages are under way (max_messages)",
                        w->semantics.max_messages);
    if (__builtin_expect(to->kind == RH_KIND_MONITOR, 0))
        rh__misuse(w, here, "%s was sent to monitor %s: use rh_announce", type->name, to->name);
}

static inline void keep_sent_at(struct rh_world *w, uint32_t message, const char *here)
{
    if (__builtin_expect(rh__dead_letters_at_end(w), 0))
        keep_place(w, message, here);
    else
        keep_distance(w, message, here);
}

/* Sends any message of the program; returns RH_NONE if it was lost. */
static inline uint32_t post(struct rh_world *w, struct world_sending *s, const char *here)
{
    if (__builtin_expect(may_be_lost(w, s->to), 0) && is_lost(w, s, here))
        return RH_NONE;
    check_sending(w, s->to, s->type, s->tail_size, here);
    s->posted = true;
    uint32_t m = rh__message_send(w, s);
    keep_sent_at(w, m, here);
    return m;
}

/* Called before each send.  If arrival order is send order, others may run before each send: it is a step of its own.
 * */
RH__APART static void stop_before_sending(struct rh_world *w, uint32_t from, uint32_t to, const char *here)
{
    bool for_another = w->actors[from].status == STATUS_OUTSIDE && w->delivery.in_order;
    bool stopped = w->actors[to].status != STATUS_OUTSIDE && rh__before_effect(w, here);
    if (for_another && !w->delivery.by_receiver)
        rh__operation(w, rh__object_of_actor(w, RH__OBJECT_SENDER, from), here);
    else if (!stopped && w->delivery.by_receiver && w->actors[to].status != STATUS_OUTSIDE)
        rh__stop_before_send(w, here);
    else if (!stopped)
        rh__kill_point(w, here);
}

static inline void before_sending(struct rh_world *w, uint32_t from, uint32_t to, const char *here)
{
    if (rh__by_object(w))
        stop_before_sending(w, from, to, here);
}

static inline uint32_t bounded(struct rh_world *w, size_t size, const char *here)
{
    if (size > UINT32_MAX / 2)
        rh__misuse(w, here, "a message of %zu bytes is over the limit of %u (max_message_bytes)", size,
                   w->semantics.max_message_bytes);
    return (uint32_t)size;
}

RH__APART static void send_any(struct rh_world *w, uint32_t from, uint32_t to, const struct rh_message_type *type,
                               const void *value, const void *tail, size_t tail_size, const char *here)
{
    struct world_sending s = SENDING(.from = from, .to = to, .type = type, .value = value, .tail = tail,
                                     .tail_size = bounded(w, tail_size, here));
    post(w, &s, here);
}

static void seam_send(rh_ref from, rh_ref to, const struct rh_message_type *type, const void *value, const void *tail,
                      size_t tail_size, const char *here)
{
    struct rh_world *w = inside("rh_send", here);
    if (!w)
        return;
    RH__PLANT("send", w->event_count);
    uint32_t receiver = rh__known(w, to, "rh_send", here);
    uint32_t sender = code_of(w);
    if (!rh_is_nobody(from)) {
        sender = rh__known(w, from, "rh_send_from", here);
        if (w->actors[sender].status != STATUS_OUTSIDE)
            rh__misuse(w, here, "rh_send_from is for external senders (rh_external)");
    }
    before_sending(w, sender, receiver, here);
    if (__builtin_expect(tail_size || may_be_lost(w, receiver), 0)) {
        send_any(w, sender, receiver, type, value, tail, tail_size, here);
        return;
    }
    check_sending(w, receiver, type, 0, here);
    keep_sent_at(w, rh__message_post(w, sender, receiver, type, value), here);
}

/* One step, except with granularity object, where each operation concerns one object: there the owner of the name may
 * have ended before the send, as with any send. */
static bool seam_send_to_name(const char *name, const struct rh_message_type *type, const void *value, const char *here)
{
    struct rh_world *w = inside("rh_send_to_name", here);
    if (!w)
        return false;
    uint32_t to = rh__holder_of(w, name, "rh_send_to_name", here);
    if (to == RH_NONE)
        return false;
    if (rh__by_object(w)) {
        rh__has_found(w, (uint64_t)to + 1);
        before_sending(w, code_of(w), to, here);
        rh__has_found(w, 0);
    }
    struct world_sending s = SENDING(.from = code_of(w), .to = to, .type = type, .value = value);
    post(w, &s, here);
    return true;
}

/* The message that the actor handles or took last; RH_NONE for a process before its first receive. */
static uint32_t message_taken(const struct rh_world *w)
{
    const struct world_actor *a = &w->actors[w->current];
    bool began =
        a->taken != RH_NONE && a->type->kind == RH_KIND_PROCESS && rh__message_is_start(&w->messages[a->taken]);
    return began ? RH_NONE : a->taken;
}

static const struct world_message *handled(struct rh_world *w, const char *call, const char *here)
{
    uint32_t taken = message_taken(w);
    if (taken == RH_NONE)
        rh__misuse(w, here, "%s: no message is being handled", call);
    return &w->messages[taken];
}

static struct rh_request seam_request(const char *here)
{
    struct rh_request request = { rh_nobody(), 0 };
    struct rh_world *w = inside_actor("rh_reply", here);
    if (!w)
        return request;
    const struct world_message *m = handled(w, "rh_reply", here);
    request.who = ref_of(m->seen_as);
    request.ticket = m->request == RH_NONE ? 0 : (uint64_t)m->request + 1;
    return request;
}

/* From now on it matters for which ask an actor waits: the program holds the number of one. */
static struct rh_request seam_keep_request(const char *here)
{
    struct rh_request request = seam_request(here);
    struct rh_world *w = rh__world;
    if (!request.ticket || w->kept_requests)
        return request;
    put32(w, &w->kept_requests, 1);
    for (uint32_t i = 0; i < w->actor_count; i++)
        if (w->actors[i].asking != RH_NONE)
            rh__actor_stale(w, i);
    return request;
}

static void seam_reply(struct rh_request request, const struct rh_message_type *type, const void *value,
                       const void *tail, size_t tail_size, const char *here)
{
    if (rh_is_nobody(request.who))
        return; /* there was nothing to answer, which has been reported */
    struct rh_world *w = inside_actor("rh_reply", here);
    if (!w)
        return;
    uint32_t to = rh__known(w, request.who, "rh_reply_to", here);
    before_sending(w, w->current, to, here);
    uint32_t asked = request.ticket ? (uint32_t)(request.ticket - 1) : RH_NONE;
    struct world_sending s = SENDING(.from = w->current, .to = to, .type = type, .value = value, .tail = tail,
                                     .tail_size = bounded(w, tail_size, here));
    s.answers = asked;
    if (asked != RH_NONE && w->actors[to].asking != asked)
        s.posted = true, rh__message_waste(w, &s); /* the asker has given up, or has its answer */
    else
        post(w, &s, here);
}

static void seam_forward(rh_ref to, const char *here)
{
    struct rh_world *w = inside_actor("rh_forward", here);
    if (!w)
        return;
    uint32_t receiver = rh__known(w, to, "rh_forward", here);
    before_sending(w, w->current, receiver, here);
    const struct world_message *m = handled(w, "rh_forward", here);
    struct world_sending s =
        SENDING(.from = w->current, .to = receiver, .type = m->type, .value = rh__message_value(w, m),
                .tail = rh__message_tail(w, m), .tail_size = m->tail_size);
    s.request = m->request;
    s.seen_as = m->seen_as;
    post(w, &s, here);
}

static const void *seam_ask(rh_ref to, const struct rh_message_type *type, const void *value,
                            const struct rh_message_type *reply, int64_t timeout_ms, const char *here)
{
    struct rh_world *w = inside_actor("rh_ask", here);
    if (!w)
        return NULL;
    uint32_t receiver = rh__known(w, to, "rh_ask", here);
    if (receiver == w->current)
        rh__misuse(w, here, "an actor that asks itself (rh_ask) waits for ever");
    before_sending(w, w->current, receiver, here);
    struct world_sending s = SENDING(.from = w->current, .to = receiver, .type = type, .value = value);
    s.request = w->message_count; /* its index after the send */
    uint32_t request = post(w, &s, here);
    if (request == RH_NONE) /* nobody will answer: wait for the timeout, or for ever */
        request = s.request < w->message_count ? s.request : RH_NONE - 1;
    uint32_t got = rh__await_reply(w, request, timeout_ms, here);
    if (got == RH_NONE)
        return NULL;
    if (w->messages[got].type != reply)
        rh__misuse(w, here, "rh_ask expected %s as the reply to %s, but got %s", reply->name, type->name,
                   w->messages[got].type->name);
    return rh__message_value(w, &w->messages[got]);
}

static const struct rh_envelope *seam_receive(const struct rh_filter *filter, const char *here)
{
    struct rh_world *w = inside_actor("rh_receive", here);
    return w ? rh__receive(w, filter, here) : NULL;
}

static void seam_turn_to(const struct rh_envelope *envelope, const char *here)
{
    struct rh_world *w = inside_actor("rh_turn_to", here);
    if (w)
        rh__turn_to(w, envelope, here);
}

static const void *seam_tail(size_t *size)
{
    struct rh_world *w = rh__world;
    if (size)
        *size = 0;
    if (!w->inside || w->actors[w->current].taken == RH_NONE)
        return NULL;
    const struct world_actor *self = &w->actors[w->current];
    bool received = self->received != RH_NONE && w->messages[self->received].answers == RH_NONE;
    const struct world_message *m = &w->messages[received ? self->received : self->taken];
    if (size)
        *size = m->tail_size;
    return m->tail_size ? rh__message_tail(w, m) : NULL;
}

/* ---- who --------------------------------------------------------------------------------------------------------- */

static rh_ref seam_self(void)
{
    struct rh_world *w = rh__world;
    return w->inside ? ref_of(code_of(w)) : rh_nobody();
}

static rh_ref seam_sender(void)
{
    struct rh_world *w = rh__world;
    uint32_t taken = w->inside ? message_taken(w) : RH_NONE;
    return taken == RH_NONE ? rh_nobody() : ref_of(w->messages[taken].seen_as);
}

static uint32_t seam_restarts(void)
{
    uint32_t actor = code_of(rh__world);
    return actor == RH_NONE ? 0 : rh__world->actors[actor].restarts;
}

static bool seam_alive(rh_ref who, const char *here)
{
    struct rh_world *w = rh__world;
    uint32_t actor = actor_of(w, who);
    if (actor == RH_NONE || !w->inside || actor == w->current)
        return actor != RH_NONE && !has_ended(&w->actors[actor]);
    rh__look_at_life(w, actor, here);
    return !has_ended(&w->actors[actor]);
}

static const char *seam_name_of(rh_ref who)
{
    struct rh_world *w = rh__world;
    rh__tell_apart(w, actor_of(w, who));
    char *buffer = w->name_buffers[w->names_given++ % RH_NAMES_AT_ONCE];
    rh_world_actor_name(w, actor_of(w, who), buffer, sizeof w->name_buffers[0]);
    if (!w->inside || w->matching != RH_NONE)
        return buffer; /* a predicate changes nothing */
    /* An actor keeps its own copy until the end of the run, because others may ask for names before it has used this
     * one: rh_register(rh_name(self), self) stops before it registers. */
    size_t size = strlen(buffer) + 1;
    return memcpy(w->payload + rh__payload_take(w, size), buffer, size);
}

static rh_ref seam_external(const char *name, const char *here)
{
    struct rh_world *w = inside("rh_external", here);
    if (!w)
        return rh_nobody();
    if (!name || !*name)
        rh__misuse(w, here, "an external sender needs a name");
    if (strcmp(name, "test") == 0 || strchr(name, '#'))
        rh__misuse(w, here, "an external sender cannot be called \"%s\": actors have such names", name);
    w->footprint.beyond++; /* whether there is one of this name */
    uint32_t actor = rh__actor_external(w, name);
    if (w->over)
        rh__fiber_abandon(w);
    return ref_of(actor);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void seam_become(const struct rh_behaviour *behaviour, const char *here)
{
    struct rh_world *w = inside("rh_become", here);
    if (!w)
        return;
    const struct world_actor *a = &w->actors[code_of(w)];
    if (behaviour->actor != a->type)
        rh__misuse(w, here, "%s cannot become %s: that is a behaviour of %s", a->type->name, behaviour->name,
                   behaviour->actor->name);
    rh__actor_become(w, code_of(w), behaviour);
}

static void seam_stop(const char *here)
{
    struct rh_world *w = inside_actor("rh_stop", here);
    if (!w)
        return;
    if (w->actors[w->current].type->kind == RH_KIND_PROCESS)
        rh__misuse(w, here, "a process ends by returning from its body, or by rh_exit; rh_stop is for actors");
    put_flag(w, &w->actors[w->current].flags, FLAG_STOPPING, true);
}

static void seam_exit(const char *reason, const struct rh_message_type *type, const void *value, const char *here)
{
    struct rh_world *w = inside_actor(type ? "rh_return" : "rh_exit", here);
    if (!w)
        _Exit(2);
    if (!rh__before_effect(w, here))
        rh__kill_point(w, here);
    if (type)
        rh__keep_result(w, type, value);
    snprintf(w->exit_text, sizeof w->exit_text, "%s", reason ? reason : "normal");
    w->exit_reason = w->exit_text;
    w->exit_place = here;
    rh__fiber_abandon(w);
}

static void seam_kill(rh_ref who, const char *reason, const char *here)
{
    struct rh_world *w = inside("rh_kill", here);
    if (!w)
        return;
    w->footprint.beyond++;
    uint32_t actor = rh__known(w, who, "rh_kill", here);
    if (!rh__before_effect(w, here))
        rh__kill_point(w, here);
    if (w->actors[actor].status != STATUS_OUTSIDE)
        rh__signal_kill(w, code_of(w), actor, reason ? reason : "kill");
}

static void seam_trap_exits(bool yes, const char *here)
{
    struct rh_world *w = inside_actor("rh_trap_exits", here);
    if (!w)
        return;
    struct world_actor *a = &w->actors[w->current];
    bool traps = a->flags & FLAG_TRAPS;
    if (rh__by_object(w) && yes != traps && (yes || a->trapped != a->events))
        rh__settle_here(w, here);
    if (rh__by_object(w) && yes && !traps)
        put32(w, &a->trapped, a->events);
    put_flag(w, &a->flags, FLAG_TRAPS, yes);
}

/* ---- time and chance --------------------------------------------------------------------------------------------- */

static void seam_timer(const char *name, int64_t delay_ms, const struct rh_message_type *type, const void *value,
                       const char *here)
{
    struct rh_world *w = inside_actor("rh_timer", here);
    if (!w)
        return;
    if (!name)
        rh__misuse(w, here, "a timer needs a name");
    if (delay_ms < 0)
        rh__misuse(w, here, "timer \"%s\" has a negative delay (%lld ms)", name, (long long)delay_ms);
    rh__clock_operation(w, here);
    uint32_t old = rh__timer_find(w, w->current, name);
    uint32_t first_set = old != RH_NONE ? w->timers[old].first_set : w->event_count - 1;
    if (old != RH_NONE)
        rh__timer_unset(w, old);
    else
        rh__timer_recall(w, w->current, name);
    uint32_t timer = rh__timer_set(w, w->current, name, rh__ms(delay_ms), type, value);
    if (timer != RH_NONE)
        w->timers[timer].first_set = first_set;
    if (w->over)
        rh__fiber_abandon(w);
}

static bool seam_timer_cancel(const char *name, const char *here)
{
    struct rh_world *w = inside_actor("rh_timer_cancel", here);
    if (!w)
        return false;
    if (!name)
        rh__misuse(w, here, "rh_timer_cancel needs a name");
    rh__clock_operation(w, here);
    uint32_t timer = rh__timer_find(w, w->current, name);
    if (timer == RH_NONE)
        return rh__timer_recall(w, w->current, name);
    rh__timer_unset(w, timer);
    return true;
}

static int64_t seam_now_ms(void)
{
    struct rh_world *w = rh__world;
    if (w->inside)
        rh__clock_seen(w);
    rh__clock_operation(w, "rh_now_ms");
    uint32_t actor = code_of(w);
    return (actor == RH_NONE ? w->now_ns : rh__time_of(w, actor)) / 1000000;
}

static void seam_sleep(int64_t ms, const char *here)
{
    struct rh_world *w = inside_actor("rh_sleep", here);
    if (w)
        rh__sleep(w, rh__ms(ms), here);
}

static uint32_t seam_choose(uint32_t n, const char *here)
{
    struct rh_world *w = inside_actor("rh_choose", here);
    if (!w)
        return 0;
    if (n == 0 || n > w->choice_capacity)
        rh__misuse(w, here, "rh_choose(%u): there must be 1 to %u values", n, w->choice_capacity);
    return n == 1 ? 0 : rh__choose(w, n, here);
}

static uint64_t seam_random(void)
{
    struct rh_world *w = rh__world;
    if (!w->inside)
        return 0;
    struct world_actor *a = &w->actors[code_of(w)];
    rh__tell_apart(w, code_of(w));
    uint64_t state = a->random, value = rh__random_next(&state);
    put64(w, &a->random, state);
    return value;
}

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

static void seam_failed(const char *here, const char *condition, const char *text)
{
    struct rh_world *w = rh__world;
    if (w->inside)
        rh__fail_inside(w, RH_OUTCOME_ASSERTION, here, "%s%s`%s` does not hold", text, *text ? ": " : "", condition);
    if (w->matching != RH_NONE) { /* in a predicate, which continues; the run is over */
        rh__fail(w, RH_OUTCOME_ASSERTION, w->matching, here, "%s%s`%s` does not hold", text, *text ? ": " : "",
                 condition);
        return;
    }
    rh__complain("%s: outside of an actor: `%s` does not hold%s%s", here, condition, *text ? ": " : "", text);
}

static void seam_assume_failed(const char *here)
{
    static const char text[] = "an assumption does not hold";
    struct rh_world *w = rh__world;
    if (w->inside)
        rh__fail_inside(w, RH_OUTCOME_ASSUMED, here, text);
    if (w->matching != RH_NONE) /* in a predicate, which continues; the run is over */
        rh__fail(w, RH_OUTCOME_ASSUMED, w->matching, here, text);
    else
        rh__misuse(w, here, "rh_assume was called outside of an actor");
}

/* `set`: of monitors.h. */
static void know_monitor(struct rh_world *w, int set, const struct rh_actor_type *type)
{
    uint32_t number = w->monitors_known ? rh__monitor_number(type) : RH__MONITORS;
    uint64_t bit = number < RH__MONITORS ? (uint64_t)1 << number : 0;
    if (bit && !(__atomic_load_n(&w->monitors_known[set], __ATOMIC_RELAXED) & bit))
        __atomic_fetch_or(&w->monitors_known[set], bit, __ATOMIC_RELAXED);
}

static void seam_announce(const struct rh_message_type *type, const void *value, const char *here)
{
    struct rh_world *w = inside("rh_announce", here);
    if (!w)
        return;
    if (w->observing != RH_NONE)
        rh__misuse(w, here, "a monitor cannot announce");
    rh__before_effect(w, here);
    w->footprint.announced++;
    if (rh__by_object(w)) /* all monitors are one object, even if there is none yet */
        rh__operation(w, rh__object(RH__OBJECT_MONITOR, 0), here);
    rh__show_announcement(w, type);
    for (uint32_t i = 0; i < w->monitor_count; i++) {
        const struct rh_entry *entry;
        uint32_t monitor = w->monitors[i];
        rh__disposition(w->actors[monitor].behaviour, type, &entry);
        if (!entry || entry->action != RH_ACTION_HANDLE)
            continue;
        if (!rh__by_object(w)) {
            rh__touch(w, rh__object_of_actor(w, RH__OBJECT_MONITOR, monitor));
            w->footprint.beyond--; /* it is in the count of announcements */
        }
        rh__touch_monitor(w, monitor);
        know_monitor(w, RH__MONITOR_TOLD, w->actors[monitor].type);
        if (w->own_clocks)
            rh__clock_hear(w, monitor, w->actors[w->current].now_ns);
        w->observing = monitor;
        entry->call(ref_of(monitor), w->actors[monitor].region, value);
        w->observing = RH_NONE;
        rh__region_leave(w, monitor);
    }
}

static rh_ref seam_observe(const struct rh_actor_type *type, const void *state, const char *here)
{
    struct rh_world *w = inside_actor("rh_observe", here);
    if (!w)
        return rh_nobody();
    if (type->kind != RH_KIND_MONITOR)
        rh__misuse(w, here, "%s is not a monitor (RH_MONITOR)", type->name);
    rh__before_effect(w, here);
    if (rh__by_object(w))
        rh__operation(w, rh__object(RH__OBJECT_MONITOR, 0), here);
    uint32_t actor = rh__actor_spawn(w, w->current, type, state, here);
    if (w->over)
        rh__fiber_abandon(w);
    rh__touch(w, rh__object_of_actor(w, RH__OBJECT_MONITOR, actor));
    know_monitor(w, RH__MONITOR_STARTED, type);
    put32(w, &w->monitors[w->monitor_count], actor);
    put32(w, &w->monitor_count, w->monitor_count + 1);
    return ref_of(actor);
}

static void seam_open(rh_ref to, const struct rh_message_type *type, rh_when_fn *when, const char *here)
{
    struct rh_world *w = inside_actor("rh_open", here);
    if (!w)
        return;
    uint32_t actor = rh__known(w, to, "rh_open", here);
    if (w->current != 0)
        rh__misuse(w, here, "rh_open is for the body of a test");
    if (w->actors[actor].status == STATUS_OUTSIDE || w->actors[actor].type->kind == RH_KIND_MONITOR)
        rh__misuse(w, here, "rh_open needs an actor or a process that can take messages");
    if (!w->semantics.outside && !w->test->semantics.outside)
        rh__misuse(w, here,
                   "rh_open: the test must say how many messages come from outside, as in RH_TEST(%s, .outside = 4)",
                   w->test->name);
    rh__outside_open(w, actor, type, when, here);
}

static void seam_log(const char *text)
{
    struct rh_world *w = rh__world;
    if (w->inside)
        rh__note(w, code_of(w), text);
    else
        rh__complain("%s", text);
}

static const char *seam_param(const char *name, bool number)
{
    struct rh_world *w = rh__world;
    const char *value = NULL;
    if (!name) {
        rh__misuse(w, "", "rh_param, rh_param_text and rh_bug need a name");
        return NULL;
    }
    for (size_t i = 0; i < w->param_count && !value; i++)
        if (strcmp(w->params[i].name, name) == 0) {
            value = w->params[i].value;
            if (w->params_asked && i < 64)
                __atomic_fetch_or(w->params_asked, (uint64_t)1 << i, __ATOMIC_RELAXED);
        }
    if (!value || !number || rh__text_is_number(value))
        return value;
    /* Not an error of the program: the user is told, and there is no finding. */
    snprintf(w->refused, sizeof w->refused, "-p %.60s=%.60s: a whole number of 64 bits is wanted", name, value);
    if (w->inside)
        rh__fail_inside(w, RH_OUTCOME_MISUSE, "", "%s", w->refused);
    return NULL;
}

const struct rh_seam rh__controlled_seam = {
    .name = "controlled",
    .spawn = seam_spawn,
    .send = seam_send,
    .send_to_name = seam_send_to_name,
    .request = seam_request,
    .keep_request = seam_keep_request,
    .reply = seam_reply,
    .forward = seam_forward,
    .ask = seam_ask,
    .receive = seam_receive,
    .turn_to = seam_turn_to,
    .tail = seam_tail,
    .self = seam_self,
    .sender = seam_sender,
    .alive = seam_alive,
    .yield = rh__seam_yield,
    .info = rh__seam_info,
    .restarts = seam_restarts,
    .name_of = seam_name_of,
    .external = seam_external,
    .become = seam_become,
    .stop = seam_stop,
    .exit = seam_exit,
    .kill = seam_kill,
    .link = rh__seam_link,
    .monitor = rh__seam_monitor,
    .join = rh__seam_join,
    .trap_exits = seam_trap_exits,
    .name_set = rh__seam_name_set,
    .name_find = rh__seam_name_find,
    .timer = seam_timer,
    .timer_cancel = seam_timer_cancel,
    .now_ms = seam_now_ms,
    .sleep = seam_sleep,
    .choose = seam_choose,
    .random = seam_random,
    .store_open = rh__seam_store_open,
    .store_put = rh__seam_store_put,
    .store_put_sync = rh__seam_store_put_sync,
    .store_get = rh__seam_store_get,
    .store_sync = rh__seam_store_sync,
    .table_change = rh__seam_table_change,
    .table_get = rh__seam_table_get,
    .table_add = rh__seam_table_add,
    .table_count = rh__seam_table_count,
    .table_next = rh__seam_table_next,
    .failed = seam_failed,
    .assume_failed = seam_assume_failed,
    .property = rh__seam_property,
    .history_call = rh__seam_history_call,
    .history_return = rh__seam_history_return,
    .announce = seam_announce,
    .abstract = rh__seam_abstract,
    .observe = seam_observe,
    .open = seam_open,
    .wanted = rh__seam_wanted,
    .advance_time = rh__seam_advance_time,
    .state_of = rh__seam_state_of,
    .log = seam_log,
    .param = seam_param,
};
