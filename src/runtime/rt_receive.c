/* Blocking: receive, ask, sleep.
 *
 * All waits work in the same way: the actor takes messages out of its mailbox and offers them to the wait; messages
 * that do not end it are set aside, in order.  When the mailbox is empty, the actor is parked, and from then on the
 * worker that runs its slot makes the offers.  The fiber is resumed only when the wait is over. */
#include "runtime/actor.h"

#include <fcntl.h>
#include <unistd.h>

#include "runtime/failure.h"
#include "runtime/rt_store.h"
#include "runtime/rt_tape.h"

void rh__envelope_fill(struct rh_envelope *e, const struct rh__message *m)
{
    e->type = m->type;
    e->value = rh__message_value(m);
    e->sender = m->sender;
    e->tail = rh__message_tail(m);
    e->tail_size = m->tail_size;
}

bool rh__filter_fits(const struct rh_filter *filter, const struct rh__message *m)
{
    if (filter->type && filter->type != m->type)
        return false;
    if (filter->types) {
        const struct rh_message_type *const *type = filter->types;
        while (*type && *type != m->type)
            type++;
        if (!*type)
            return false;
    }
    if (!rh_is_nobody(filter->from) && !rh_same(filter->from, m->sender))
        return false;
    if (filter->match) {
        struct rh_envelope e;
        rh__envelope_fill(&e, m);
        return filter->match(&e, filter->arg);
    }
    return true;
}

static bool ends_wait(struct rh__actor *actor, struct rh__message *m)
{
    struct rh__wait *wait = &actor->wait;
    if (wait->what != RH__WAIT_MESSAGE || !rh__filter_fits(wait->filter, m) || !rh__message_claim(actor, m))
        return false;
    m->held = 1;
    wait->found = m;
    return true;
}

/* Returns RH__DELIVER if the wait is over. */
enum rh__outcome rh__offer(struct rh__worker *worker, struct rh__actor *actor, struct rh__message *m)
{
    struct rh__wait *wait = &actor->wait;
    if (m->kind == RH__WAKE)
        return m->ticket == wait->ticket ? RH__DELIVER : RH__DONE;
    if (m->kind == RH__REPLY && wait->what == RH__WAIT_REPLY && m->ticket == wait->ask) {
        m->kind = RH__PLAIN;
        m->ticket = 0;
        m->held = 1;
        wait->found = m;
        return RH__DELIVER;
    }
    if (m->kind == RH__STORED && wait->what == RH__WAIT_STORED) { /* the end of the wait reports it */
        rh__store_durable(actor->store, m->ticket);
        rh__count(&worker->tally.handled);
        return rh__store_all_durable(actor->store) ? RH__DELIVER : RH__DONE;
    }
    enum rh__outcome outcome = rh__rt_signal(worker, actor, m);
    if (outcome != RH__DELIVER)
        return outcome;
    if (wait->what == RH__WAIT_SET)
        return rh__set_offer(actor, m);
    if (ends_wait(actor, m))
        return RH__DELIVER;
    rh__actor_set_aside(actor, m);
    actor->attention |= RH__RESCAN;
    return RH__DONE;
}

/* Takes the messages in the mailbox; true if one ends the wait. */
static bool take_there(struct rh__actor *actor)
{
    struct rh__worker *worker = rh__worker();
    struct rh__slot *slot = actor->slot;
    struct rh__message *m;
    while ((m = rh__mailbox_take(slot, &worker->cache))) {
        if (m->kind == RH__STUB)
            continue;
        if (m->generation != slot->tenant) {
            rh__message_left(slot, m);
            rh__undeliverable(worker, rh__ref_make(slot->index, m->generation), m);
            continue;
        }
        switch (rh__offer(worker, actor, m)) {
        case RH__DELIVER:
            return true;
        case RH__ENDED:
            rh__worker_later(worker, slot);
            rh__rt_fiber_abandon(worker);
        case RH__DONE:
            break;
        }
    }
    return false;
}

/* Never continues as if the wait were over. */
_Noreturn static void no_stack(struct rh__actor *actor, const char *here)
{
    char mappings[24] = ""; /* one read, without a buffer: memory may be exhausted */
    int fd = open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, mappings, sizeof mappings - 1);
    if (fd >= 0)
        close(fd);
    mappings[n > 0 ? strcspn(mappings, "\n") : 0] = '\0';
    rh__rt_fail(
        "limit", here,
        "it cannot wait: there is no memory for another stack.  There are %ld stacks of stack_bytes = %u, each with "
        "up to 2 mappings; a process may have %s of them (vm.max_map_count)",
        rh__fiber_count(), rh__rt.options.stack_bytes, *mappings ? mappings : "a limited number");
    rh__actor_exit(actor, "failed", NULL);
}

void rh__wait(struct rh__actor *actor, int64_t timeout_ms, const char *here)
{
    actor->wait.ticket = actor->tickets;
    if (actor->current)
        actor->current->held = 1;
    if (take_there(actor) || timeout_ms < 0)
        return;
    struct rh__worker *worker = rh__worker();
    if (!rh__fiber_prepare(worker))
        no_stack(actor, here);
    if (timeout_ms > 0)
        rh__alarm_set(actor, timeout_ms);
    actor->fiber = worker->fiber;
    worker->actor = NULL;
    rh__fiber_park(worker, actor->slot);
    if (timeout_ms > 0)
        rh__alarm_clear(actor);
}

static struct rh__message *find_aside(struct rh__actor *actor)
{
    for (struct rh__message **at = &actor->aside; *at;) {
        struct rh__message *m = *at;
        if (!rh__filter_fits(actor->wait.filter, m)) {
            at = &m->link;
            continue;
        }
        rh__actor_unlink(actor, at);
        if (rh__message_claim(actor, m))
            return m;
        rh__message_left(actor->slot, m);
        rh__count(&rh__worker()->tally.dropped);
        rh__mailbox_release(actor->slot, &rh__worker()->cache, m);
    }
    return NULL;
}

static struct rh__message *found_take(struct rh__actor *actor)
{
    struct rh__message *m = actor->wait.found;
    actor->wait.found = NULL;
    if (m) {
        rh__message_left(actor->slot, m);
        rh__count(&rh__worker()->tally.handled);
    }
    if (rh__recording())
        rh__tape_add(m ? RH__TAPE_RECEIVE : RH__TAPE_TIMEOUT, actor, m);
    return m;
}

void rh__actor_replace(struct rh__actor *actor, struct rh__message *m)
{
    bool process = actor->type->kind == RH_KIND_PROCESS;
    struct rh__message **held = process ? &actor->current : &actor->received;
    rh__actor_let_go(actor, held);
    rh__set_release(actor);
    *held = actor->last = m;
    if (!process)
        actor->attention |= RH__RELEASE;
}

const struct rh_envelope *rh__rt_receive(struct rh__actor *actor, const struct rh_filter *filter, const char *here)
{
    if (rh__set_is_handled(actor, here))
        return NULL;
    actor->tickets++;
    actor->wait.what = RH__WAIT_MESSAGE;
    actor->wait.filter = filter;
    actor->wait.found = find_aside(actor);
    if (!actor->wait.found)
        rh__wait(actor, filter->timeout_ms, here);
    struct rh__message *m = found_take(actor);
    if (!m)
        return NULL;
    rh__actor_let_go(actor, &actor->answer);
    rh__actor_replace(actor, m);
    rh__envelope_fill(&actor->envelope, m);
    return &actor->envelope;
}

const void *rh__ask(struct rh__actor *actor, rh_ref to, const struct rh__letter *letter,
                    const struct rh_message_type *reply, int64_t timeout_ms, const char *here)
{
    struct rh__letter asking = *letter;
    if (rh_same(to, actor->self)) {
        rh__misuse(here, "an actor that asks itself (rh_ask) waits for ever");
        return NULL;
    }
    actor->asks += actor->asks == UINT32_MAX ? 2 : 1; /* 0 is for messages that are not asks */
    asking.ticket = actor->asks;
    if (!rh__send(rh__worker(), actor->self, to, &asking, here))
        return NULL;
    actor->tickets++;
    actor->wait.what = RH__WAIT_REPLY;
    actor->wait.ask = asking.ticket;
    rh__wait(actor, timeout_ms > 0 ? timeout_ms : 0, here);
    actor->wait.ask = 0;
    struct rh__message *m = found_take(actor);
    rh__actor_let_go(actor, &actor->answer);
    actor->answer = m;
    actor->attention |= RH__RELEASE;
    if (m && m->type != reply) {
        rh__misuse(here, "rh_ask expected %s as the reply to %s, but got %s", reply->name, letter->type->name,
                   m->type->name);
        return NULL;
    }
    return m ? rh__message_value(m) : NULL;
}

void rh__rt_sleep(struct rh__actor *actor, int64_t ms, const char *here)
{
    actor->tickets++;
    actor->wait.what = RH__WAIT_WAKE;
    if (ms > 0)
        rh__wait(actor, ms, here);
    if (rh__recording())
        rh__tape_add(RH__TAPE_TIMEOUT, actor, NULL);
}

void rh__rt_yield(struct rh__actor *actor)
{
    struct rh__worker *worker = rh__worker();
    if (!rh__fiber_prepare(worker))
        goto goes_on;
    actor->tickets++;
    actor->wait.what = RH__WAIT_WAKE;
    actor->wait.ticket = actor->tickets;
    if (actor->current)
        actor->current->held = 1;
    struct rh__message *m = rh__message_make(worker, RH__WAKE, rh_nobody(), &rh_message_rh_start, 0);
    m->ticket = actor->tickets;
    rh__post(worker, actor->self, m);
    actor->fiber = worker->fiber;
    worker->actor = NULL;
    rh__fiber_park(worker, actor->slot);
goes_on:
    if (rh__recording())
        rh__tape_add(RH__TAPE_YIELD, actor, NULL);
}

void rh__rt_hear_signals(struct rh__actor *actor)
{
    actor->tickets++;
    actor->wait.what = RH__WAIT_WAKE;
    rh__wait(actor, RH_POLL, NULL);
}
