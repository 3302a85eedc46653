/* Links, monitors and exit signals, after Erlang.
 *
 * Whether an actor lives, and which actors hear of its end, is one object, the actor's life.  One lock guards it, so
 * that all actors agree on the order of links, monitors, rh_alive and the end.  The controlled world explores exactly
 * these orders (src/world/objects.h).  A link has two ends; each belongs to the life of the actor of whose end it
 * tells, and they are made one after the other.  The consequences of an end, and rh_kill, are messages: they take
 * effect when they are taken out of the mailbox.
 *
 * Each link and each monitor has a number, which its signal carries.  The number distinguishes the signal of an earlier
 * link or monitor between the same two actors, which was removed meanwhile, from that of the current one. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/actor.h"

#include "base/hash.h"
#include "runtime/failure.h"
#include "runtime/rt_store.h"
#include "runtime/rt_tape.h"

/* The ticket of an RH__EXITED. */
enum { TAKEN_BACK = 1 };

enum { LOCKS = 64 };
static pthread_mutex_t locks[LOCKS] = { [0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER };
static _Atomic(uint32_t) numbers;

static pthread_mutex_t *lock_of(const struct rh__slot *slot)
{
    return &locks[slot->index % LOCKS];
}

static uint32_t new_number(void)
{
    uint32_t number;
    do
        number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
    while (number == 0); /* 0 means neither link nor monitor */
    return number;
}

/* ---- sets of ties ---------------------------------------------------------------------------------------------- */

static void add(struct rh__ties *ties, struct rh__tie tie)
{
    if (ties->count == ties->room) {
        ties->room = ties->room ? ties->room * 2 : 4;
        ties->at = rh__need_more(ties->at, ties->room * sizeof *ties->at);
    }
    ties->at[ties->count++] = tie;
}

/* The index of the tie with this number; the count if there is none. */
static uint32_t numbered(const struct rh__ties *ties, uint32_t number)
{
    uint32_t i = 0;
    while (i < ties->count && ties->at[i].number != number)
        i++;
    return i;
}

static uint32_t with(const struct rh__ties *ties, rh_ref who, bool only_mine)
{
    uint32_t i = 0;
    while (i < ties->count && !(rh_same(ties->at[i].who, who) && (ties->at[i].mine || !only_mine)))
        i++;
    return i;
}

static void remove_all(struct rh__ties *ties, rh_ref who)
{
    for (uint32_t i; (i = with(ties, who, false)) < ties->count;)
        ties->at[i] = ties->at[--ties->count];
}

bool rh__signal_watches(const struct rh__actor *actor, uint32_t number)
{
    return numbered(&actor->watching, number) < actor->watching.count;
}

bool rh__signal_claim(struct rh__actor *actor, uint32_t number)
{
    struct rh__ties *watching = &actor->watching;
    uint32_t i = numbered(watching, number);
    if (i == watching->count)
        return false;
    watching->at[i] = watching->at[--watching->count];
    return true;
}

/* ---- telling --------------------------------------------------------------------------------------------------- */

static void tell_exit(struct rh__worker *worker, rh_ref to, uint32_t number, rh_ref who, const char *reason)
{
    struct rh__message *m = rh__message_make(worker, RH__EXIT, who, &rh_message_rh_exited, sizeof(struct rh_exited));
    struct rh_exited *value = rh__message_value(m);
    memset(value, 0, sizeof *value);
    value->who = who;
    snprintf(value->reason, sizeof value->reason, "%s", reason);
    m->ticket = number;
    rh__post(worker, to, m);
}

static void tell_down(struct rh__worker *worker, rh_ref to, uint32_t number, rh_ref who, const char *reason,
                      const struct rh__message *result)
{
    size_t tail_at = rh__message_tail_at(sizeof(struct rh_down)), tail_size = result ? result->type->size : 0;
    struct rh__message *m = rh__message_make(worker, RH__DOWN, who, &rh_message_rh_down, tail_at + tail_size);
    struct rh_down *value = rh__message_value(m);
    memset(value, 0, sizeof *value);
    value->who = who;
    snprintf(value->reason, sizeof value->reason, "%s", reason);
    if (result) {
        value->result = rh_result_type_(result->type);
        memcpy((char *)value + tail_at, rh__message_value(result), tail_size);
        m->tail_size = (uint32_t)tail_size;
    }
    m->ticket = number;
    rh__post(worker, to, m);
}

void rh__undeliverable(struct rh__worker *worker, rh_ref to, struct rh__message *m)
{
    (void)to;
    switch ((enum rh__kind)m->kind) {
    case RH__PLAIN:
    case RH__REPLY:
    case RH__TIMER:
    case RH__DOWN:
    case RH__EXITED:
    case RH__STORED:
        rh__count_dropped(worker);
        break;
    default:
        break;
    }
}

/* Removes the link of an exit signal; false if it does not exist any more. */
static bool link_claim(struct rh__actor *actor, rh_ref who, uint32_t number)
{
    struct rh__ties *links = &actor->slot->links;
    pthread_mutex_lock(lock_of(actor->slot));
    bool there = numbered(links, number) < links->count;
    if (there)
        remove_all(links, who);
    pthread_mutex_unlock(lock_of(actor->slot));
    return there;
}

static enum rh__outcome exit_signal(struct rh__worker *worker, struct rh__actor *actor, struct rh__message *m)
{
    struct rh_exited *value = rh__message_value(m);
    bool by_link = m->ticket != 0;
    if (by_link && !link_claim(actor, value->who, m->ticket))
        return RH__DONE; /* unlinked meanwhile */
    if (!by_link && strcmp(value->reason, "kill") == 0) {
        if (rh__recording())
            rh__tape_add(RH__TAPE_HANDLE, actor, m);
        rh__rt_actor_end(worker, actor, "killed");
        return RH__ENDED;
    }
    if (actor->traps) {
        m->kind = by_link ? RH__EXITED : RH__PLAIN;
        m->ticket = 0;
        rh__count_sent(worker);
        return RH__DELIVER;
    }
    if (rh__recording())
        rh__tape_add(RH__TAPE_HANDLE, actor, m);
    if (strcmp(value->reason, "normal") == 0)
        return RH__DONE;
    rh__rt_actor_end(worker, actor, value->reason);
    return RH__ENDED;
}

enum rh__outcome rh__rt_signal(struct rh__worker *worker, struct rh__actor *actor, struct rh__message *m)
{
    switch ((enum rh__kind)m->kind) {
    case RH__PLAIN:
        return RH__DELIVER;
    case RH__TIMER:
        if (rh__timer_due(actor, m->ticket, false))
            return RH__DELIVER;
        rh__count_dropped(worker);
        return RH__DONE;
    case RH__DOWN:
        if (rh__signal_watches(actor, m->ticket))
            return RH__DELIVER;
        rh__count_dropped(worker);
        return RH__DONE;
    case RH__STORED:
        rh__store_durable(actor->store, m->ticket);
        m->kind = RH__PLAIN;
        m->ticket = 0;
        return RH__DELIVER;
    case RH__REPLY: /* to an ask that has ended */
        rh__count_dropped(worker);
        return RH__DONE;
    case RH__EXIT:
        return exit_signal(worker, actor, m);
    case RH__STORE_BAD:
        rh__rt_actor_end(worker, actor, "store");
        return RH__ENDED;
    case RH__EXITED: /* made only from an RH__EXIT */
    case RH__WAKE:   /* of a wait that has ended */
    case RH__BEGIN:
    case RH__STUB:
        return RH__DONE;
    }
    return RH__DONE;
}

/* ---- the end --------------------------------------------------------------------------------------------------- */

/* An actor that monitors others ends: removes its monitors. */
static void stop_watching(struct rh__actor *actor)
{
    for (uint32_t i = 0; i < actor->watching.count; i++) {
        struct rh__slot *slot = rh__slot_of(actor->watching.at[i].who);
        pthread_mutex_lock(lock_of(slot));
        if (rh__slot_has(slot, actor->watching.at[i].who))
            remove_all(&slot->watchers, actor->self);
        pthread_mutex_unlock(lock_of(slot));
    }
}

static bool orderly(const char *reason)
{
    return strcmp(reason, "normal") == 0 || strcmp(reason, "shutdown") == 0;
}

void rh__signal_end(struct rh__worker *worker, struct rh__actor *actor, const char *reason, const char *here)
{
    struct rh__slot *slot = actor->slot;
    struct rh__ties none = { NULL, 0, 0 };
    char kept[RH_REASON_SIZE] = "";
    snprintf(kept, sizeof kept, "%s", reason);
    pthread_mutex_lock(lock_of(slot));
    atomic_store(&slot->generation, rh__ref_generation(actor->self) + 1);
    struct rh__ties links = slot->links, watchers = slot->watchers;
    slot->links = slot->watchers = none;
    pthread_mutex_unlock(lock_of(slot));
    if (here && !orderly(kept) && links.count + watchers.count == 0)
        rh__rt_fail("exit", here, "ends with reason \"%s\", and nobody is linked to it or monitors it", kept);
    for (uint32_t i = 0; i < links.count; i++)
        tell_exit(worker, links.at[i].who, links.at[i].number, actor->self, kept);
    for (uint32_t i = 0; i < watchers.count; i++)
        tell_down(worker, watchers.at[i].who, watchers.at[i].number, actor->self, kept, actor->result);
    stop_watching(actor);
    free(links.at);
    free(watchers.at);
}

/* ---- what actors ask for --------------------------------------------------------------------------------------- */

/* Adds a tie to the actor that the reference names; false if the actor has ended. */
static bool tie_to(rh_ref who, bool link, struct rh__tie tie)
{
    struct rh__slot *slot = rh__slot_of(who);
    pthread_mutex_lock(lock_of(slot));
    bool lives = rh__slot_has(slot, who);
    if (lives)
        add(link ? &slot->links : &slot->watchers, tie);
    pthread_mutex_unlock(lock_of(slot));
    return lives;
}

static void untie_from(rh_ref who, bool link, rh_ref from)
{
    struct rh__slot *slot = rh__slot_of(who);
    pthread_mutex_lock(lock_of(slot));
    if (rh__slot_has(slot, who))
        remove_all(link ? &slot->links : &slot->watchers, from);
    pthread_mutex_unlock(lock_of(slot));
}

static bool has_linked(struct rh__actor *actor, rh_ref who)
{
    pthread_mutex_lock(lock_of(actor->slot));
    bool has = with(&actor->slot->links, who, true) < actor->slot->links.count;
    pthread_mutex_unlock(lock_of(actor->slot));
    return has;
}

void rh__signal_link(struct rh__actor *actor, rh_ref who, bool on)
{
    if (rh_same(who, actor->self))
        return;
    if (!on) {
        untie_from(who, true, actor->self);
        untie_from(actor->self, true, who);
        for (struct rh__message *m = actor->aside; m; m = m->link)
            if (m->kind == RH__EXITED && rh_same(m->sender, who))
                m->ticket = TAKEN_BACK;
        return;
    }
    if (has_linked(actor, who)) /* the link lasts until the other actor's end is taken out of the mailbox */
        return;
    uint32_t number = new_number();
    bool lives = tie_to(who, true, (struct rh__tie){ .who = actor->self, .number = number });
    tie_to(actor->self, true, (struct rh__tie){ .who = who, .number = number, .mine = true });
    if (!lives)
        tell_exit(rh__worker(), actor->self, number, who, "noproc");
}

void rh__signal_watch(struct rh__actor *actor, rh_ref who, bool on)
{
    if (rh_same(who, actor->self))
        return;
    if (!on) {
        remove_all(&actor->watching, who);
        untie_from(who, false, actor->self);
        return;
    }
    if (with(&actor->watching, who, false) < actor->watching.count)
        return;
    uint32_t number = new_number();
    add(&actor->watching, (struct rh__tie){ .who = who, .number = number });
    if (!tie_to(who, false, (struct rh__tie){ .who = actor->self, .number = number }))
        tell_down(rh__worker(), actor->self, number, who, "noproc", NULL);
}

void rh__signal_born(struct rh__actor *creator, rh_ref who, enum rh_watch watch)
{
    struct rh__tie of_creator = { .who = creator->self, .number = new_number() };
    struct rh__tie of_child = { .who = who, .number = of_creator.number, .mine = true };
    tie_to(who, watch == RH_WATCH_LINK, of_creator);
    if (watch == RH_WATCH_LINK)
        tie_to(creator->self, true, of_child);
    else
        add(&creator->watching, of_child);
}

void rh__signal_kill(struct rh__worker *worker, rh_ref from, rh_ref who, const char *reason)
{
    tell_exit(worker, who, 0, from, reason);
}
