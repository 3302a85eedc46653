/* The beginning and the end of actors.  See actor.h. */
#include <stdio.h>

#include "runtime/actor.h"

#include <stdlib.h>

#include "base/random.h"
#include "runtime/failure.h"
#include "runtime/rt_names.h"
#include "runtime/rt_registry.h"
#include "runtime/rt_store.h"
#include "runtime/rt_tape.h"

/* ---- begin ----------------------------------------------------------------------------------------------------- */

static uint32_t count_spawn(struct rh__actor *creator, const struct rh_actor_type *type)
{
    for (uint32_t i = 0; i < creator->spawned_types; i++)
        if (creator->spawned[i].type == type)
            return ++creator->spawned[i].count;
    uint32_t n = creator->spawned_types++;
    creator->spawned = rh__need_more(creator->spawned, (n + 1) * sizeof *creator->spawned);
    creator->spawned[n].type = type;
    creator->spawned[n].count = 1;
    return 1;
}

static bool can_spawn(const struct rh_actor_type *type, const char *here)
{
    if (!type)
        rh__misuse(here, "rh_spawn of no type");
    else if (type->kind == RH_KIND_MONITOR)
        rh__misuse(here, "%s is a monitor: it is not spawned but observes (rh_observe)", type->name);
    else if (type->kind == RH_KIND_PROCESS && !type->body)
        rh__misuse(here, "process %s has no body (RH_BODY)", type->name);
    else if (type->kind == RH_KIND_ACTOR && !type->initial)
        rh__misuse(here, "actor %s has no behaviour (RH_BEHAVIOUR)", type->name);
    else
        return true;
    return false;
}

rh_ref rh__rt_actor_spawn(struct rh__worker *worker, const struct rh_actor_type *type, const void *state,
                          enum rh_watch watch, const char *here)
{
    if (!can_spawn(type, here))
        return rh_nobody();
    struct rh__actor *creator = worker ? worker->actor : NULL;
    struct rh__name *name = creator ? rh__name_new(creator->name, type->name, count_spawn(creator, type))
                                    : rh__name_new(NULL, type->name, rh__name_count_root(type));
    struct rh__slot *slot = rh__slot_new(name);
    if (!slot) {
        rh__name_drop(name);
        rh__misuse(here, "rh_spawn: there are too many actors, or not enough memory");
        return rh_nobody();
    }
    struct rh__actor *actor = rh__need(sizeof *actor + type->size);
    memset(actor, 0, sizeof *actor);
    if (state)
        memcpy(actor->state, state, type->size);
    else
        memset(actor->state, 0, type->size);
    actor->self = rh__ref_make(slot->index, atomic_load_explicit(&slot->generation, memory_order_relaxed));
    actor->slot = slot;
    actor->type = type;
    actor->behaviour = type->initial;
    actor->aside_end = actor->seen = &actor->aside;
    actor->name = rh__name_keep(name);
    rh__set_attend(actor, here);
    actor->chance = rh__random_seed(rh__rt.options.seed, rh__name_hash(name));
    atomic_fetch_add_explicit(&rh__rt.spawned, 1, memory_order_relaxed);
    atomic_fetch_add(&rh__rt.live, 1);

    rh_ref self = actor->self; /* after the push the actor may run, and end */
    if (watch != RH_WATCH_NONE && creator)
        rh__signal_born(creator, self, watch);
    struct rh__message *m =
        rh__message_make(worker, RH__BEGIN, creator ? creator->self : rh_nobody(), &rh_message_rh_start,
                         rh__message_tail_at(sizeof(struct rh_start)) + sizeof actor);
    m->generation = rh__ref_generation(self);
    memset(rh__message_value(m), 0, sizeof(struct rh_start));
    memcpy((char *)rh__message_value(m) + rh__message_tail_at(sizeof(struct rh_start)), &actor, sizeof actor);
    if (rh__recording())
        rh__tape_spawn(actor, creator);
    if (rh__mailbox_push(slot, m))
        rh__worker_ready(worker, slot);
    return self;
}

/* ---- end ------------------------------------------------------------------------------------------------------- */

static void actor_free(struct rh__actor *actor)
{
    rh__name_drop(actor->name);
    free(actor->watching.at);
    if (actor->result)
        rh__block_free(rh__worker(), actor->result);
    free(actor->spawned);
    free(actor);
}

static void drop_aside(struct rh__worker *worker, struct rh__actor *actor)
{
    while (actor->aside) {
        struct rh__message *m = rh__actor_unlink(actor, &actor->aside);
        rh__message_left(actor->slot, m);
        rh__undeliverable(worker, actor->self, m);
        rh__mailbox_release(actor->slot, &worker->cache, m);
    }
}

static void end(struct rh__worker *worker, struct rh__actor *actor, const char *reason, const char *here)
{
    struct rh__slot *slot = actor->slot;
    rh__store_close(actor->store); /* first: an actor that hears of the end may open the store */
    rh__signal_end(worker, actor, reason, here);
    if (atomic_load(&slot->has_names))
        rh__registry_forget(slot, actor->self);
    rh__alarm_clear(actor);
    rh__timers_drop(worker, actor);
    if (actor->current && actor->current->held)
        rh__actor_let_go(actor, &actor->current);
    rh__actor_let_go(actor, &actor->received);
    rh__actor_let_go(actor, &actor->answer);
    rh__set_release(actor);
    drop_aside(worker, actor);
    if (actor->fiber)
        rh__fiber_recycle(worker, actor->fiber);
    if (rh__rt.limited) {
        rh__room_leave(worker, actor);
        rh__room_offer(worker, slot);
    }
    slot->actor = NULL;
    slot->tenant = 0;
    worker->actor = NULL;
    actor_free(actor);
    rh__slot_free(slot);
    rh__live_down();
}

void rh__rt_actor_end(struct rh__worker *worker, struct rh__actor *actor, const char *reason)
{
    end(worker, actor, reason, NULL);
}

_Noreturn void rh__actor_exit(struct rh__actor *actor, const char *reason, const char *here)
{
    struct rh__worker *worker = rh__worker();
    struct rh__slot *slot = actor->slot;
    char kept[RH_REASON_SIZE] = ""; /* the reason may be in the actor's own state */
    snprintf(kept, sizeof kept, "%s", reason ? reason : "");
    end(worker, actor, kept, here);
    rh__worker_later(worker, slot); /* a worker drops what is left in the mailbox */
    rh__rt_fiber_abandon(worker);
}

/* ---- the end of all -------------------------------------------------------------------------------------------- */

static struct rh__actor *actor_in(struct rh__message *begin)
{
    struct rh__actor *actor;
    memcpy(&actor, (char *)rh__message_value(begin) + rh__message_tail_at(sizeof(struct rh_start)), sizeof actor);
    return actor;
}

static void clear_actor(struct rh__slot *slot, struct rh__actor *actor)
{
    rh__timers_drop(NULL, actor);
    rh__store_close(actor->store);
    for (struct rh__message *m = actor->aside, *next; m; m = next) {
        next = m->link;
        if (m != slot->taken)
            rh__block_free(NULL, m);
        else
            m->held = 0;
    }
    struct rh__message *held[] = { actor->current, actor->received, actor->answer, actor->wait.found };
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        if (held[i] && held[i]->held && held[i] != slot->taken && !rh__set_holds(actor, held[i]))
            rh__block_free(NULL, held[i]);
    rh__set_clear(slot, actor);
    if (actor->fiber)
        rh__fiber_free(actor->fiber);
    actor_free(actor);
}

void rh__slot_clear(struct rh__slot *slot)
{
    if (slot->actor)
        clear_actor(slot, slot->actor);
    free(slot->links.at);
    free(slot->watchers.at);
    struct rh__message *next;
    for (struct rh__message *m = slot->taken; m; m = next) {
        next = atomic_load(&m->next);
        if (m != slot->taken && m->kind == RH__BEGIN)
            clear_actor(slot, actor_in(m));
        if (m != &slot->stub)
            rh__block_free(NULL, m);
    }
}
