/* See store.h. */
#include "world/store.h"

#include <ctype.h>
#include <string.h>

#include "base/copy.h"
#include "base/hash.h"
#include "world/actors.h"
#include "world/crash_points.h"
#include "world/fiber.h"
#include "world/fingerprint.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/receive.h"
#include "world/step.h"

static const char *const reasons[] = { [RH__STORE_FAILED] = "store", [RH__STORE_DAMAGED] = "damaged" };

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static uint32_t find_store(const struct rh_world *w, const char *name)
{
    uint32_t i = w->first_store;
    while (i != RH_NONE && strcmp(w->payload + w->stores[i].name, name) != 0)
        i = w->stores[i].next;
    return i;
}

static uint32_t new_store(struct rh_world *w, const char *name)
{
    if (w->store_pool.count == MAX_STORES)
        rh__fail_inside(w, RH_OUTCOME_LIMIT, "", "more than %u stores in one run", MAX_STORES);
    uint32_t i = rh__pool_grow(w, &w->store_pool);
    struct world_store *s = &w->stores[i];
    put64(w, &s->name, rh__payload_text(w, name));
    put32(w, &s->owner, RH_NONE);
    put32(w, &s->newest, RH_NONE);
    put32(w, &s->under_way, 0);
    put32(w, &s->state, RH__STORE_GOOD);
    put32(w, &s->next, w->first_store);
    put32(w, &w->first_store, i);
    return i;
}

/* Whether the life in which an actor has opened a store lasts: a store is held as long as its owner lives. */
static bool lives(const struct rh_world *w, uint32_t actor, uint32_t life)
{
    const struct world_actor *a = &w->actors[actor];
    return !has_ended(a) && a->restarts == life;
}

/* The last owner's life decides whether it still holds the store.  With granularity object, finding out and taking over
 * are two operations; if another actor was faster, this one starts again.  Each operation reads only its own object:
 * the first reads who has opened the store, in which life; the second whether that life lasts. */
static uint32_t take(struct rh_world *w, const char *name, const char *place)
{
    uint32_t gone = RH_NONE, gone_life = 0;
    for (;;) {
        rh__operation(w, rh__object_named(RH__OBJECT_STORE, name), place);
        rh__has_found(w, 0);
        uint32_t i = find_store(w, name);
        if (i == RH_NONE)
            i = new_store(w, name);
        uint32_t owner = w->stores[i].owner, life = w->stores[i].life;
        bool free = owner == RH_NONE || owner == w->current || (owner == gone && life == gone_life);
        if (!free) {
            if (rh__by_object(w)) {
                rh__has_found(w, ((uint64_t)owner + 1) << 32 | life); /* also while it begins again */
                rh__look_at_life(w, owner, place);
            } else {
                rh__touch_as(w, rh__object_of_actor(w, RH__OBJECT_LIFE, owner), false, 0, 0);
            }
            if (lives(w, owner, life))
                rh__misuse(w, place, "rh_store_open(\"%s\"): another actor has it open", name);
            gone = owner;
            gone_life = life;
            free = !rh__by_object(w);
        }
        if (free)
            return i;
    }
}

/* Ends the actor, as by rh_exit, but it is not a finding if no actor is told, because the test asked for the fault. */
_Noreturn static void end(struct rh_world *w, enum rh__store_state state)
{
    strcpy(w->exit_text, reasons[state]);
    w->exit_reason = w->exit_text;
    w->exit_place = NULL;
    rh__fiber_abandon(w);
    __builtin_unreachable();
}

static void set_state(struct rh_world *w, uint32_t store, enum rh__store_state state)
{
    rh__tables_stale(w);
    put32(w, &w->stores[store].state, state);
}

static void check_name(struct rh_world *w, const char *name, const char *place)
{
    size_t length = name ? strnlen(name, RH_STORE_NAME_SIZE) : 0;
    bool plain = length > 0 && length < RH_STORE_NAME_SIZE;
    for (size_t i = 0; plain && i < length; i++)
        plain = !iscntrl((unsigned char)name[i]);
    if (!plain)
        rh__misuse(w, place, "rh_store_open: a name has 1 to %d bytes and no control characters",
                   RH_STORE_NAME_SIZE - 1);
}

/* Gives the store, with its pending writes, to the actor. */
static void hand_over(struct rh_world *w, uint32_t store)
{
    struct world_actor *a = &w->actors[w->current];
    struct world_store *s = &w->stores[store];
    rh__tables_stale(w);
    put32(w, &s->owner, w->current);
    put32(w, &s->life, a->restarts);
    put32(w, &a->opened, store);
    put32(w, &a->store, s->newest);
    put32(w, &a->writes_open, s->under_way);
    put32(w, &w->writes_open, w->writes_open + s->under_way);
}

void rh__store_open(struct rh_world *w, const char *given, const char *place)
{
    const struct world_actor *a = &w->actors[w->current];
    char name[RH_STORE_NAME_SIZE]; /* the argument's memory may change while this actor waits for its turn */
    check_name(w, given, place);
    strcpy(name, given);
    if (a->opened != RH_NONE) {
        const char *other = w->payload + w->stores[a->opened].name;
        if (strcmp(name, other) == 0)
            return;
        rh__misuse(w, place, "rh_store_open(\"%s\"): it has opened \"%s\" already, and an actor has one store", name,
                   other);
    }
    uint32_t i = take(w, name, place);
    hand_over(w, i);
    /* The number of steps must not depend on whether the budgets are used up. */
    bool may_fail = w->semantics.failed_opens || w->semantics.damaged_stores;
    uint32_t state = w->stores[i].state;
    if (state == RH__STORE_GOOD && may_fail && (state = rh__choose_opening(w, place)) != RH__STORE_GOOD)
        set_state(w, i, state);
    if (state != RH__STORE_GOOD)
        end(w, state);
}

void rh__store_release(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    if (a->opened == RH_NONE)
        return;
    rh__tables_stale(w);
    put32(w, &w->stores[a->opened].newest, a->store);
    put32(w, &w->stores[a->opened].under_way, a->writes_open);
    put32(w, &w->writes_open, w->writes_open - a->writes_open);
    put32(w, &a->writes_open, 0);
    put32(w, &a->store, RH_NONE);
    put32(w, &a->opened, RH_NONE);
}

void rh__store_crash(struct rh_world *w, uint32_t actor, uint32_t surviving)
{
    struct world_actor *a = &w->actors[actor];
    uint32_t under_way = a->writes_open;
    for (uint32_t i = under_way; i > surviving; i--)
        put32(w, &a->store, w->writes[a->store].older);
    put32(w, &w->writes_open, w->writes_open - under_way);
    put32(w, &a->writes_open, 0);
    rh__store_release(w, actor);
}

/* ---- writes ------------------------------------------------------------------------------------------------------ */

uint32_t rh__store_put(struct rh_world *w, uint32_t actor, const char *key, const void *bytes, uint32_t size)
{
    struct world_actor *a = &w->actors[actor];
    if (w->write_pool.count == MAX_WRITES)
        rh__fail_inside(w, RH_OUTCOME_LIMIT, "", "more than %u writes to stores in one run", MAX_WRITES);
    uint32_t index = rh__pool_grow(w, &w->write_pool);
    struct world_write *x = &w->writes[index];
    x->key = rh__payload_text(w, key);
    x->bytes = rh__payload_take(w, bytes ? size : 0);
    x->size = bytes ? size : RH_NONE;
    put32(w, &a->tickets, a->tickets + 1); /* counted per actor: it must not depend on others */
    x->ticket = a->tickets;
    x->writer = actor;
    x->older = a->store;
    if (bytes)
        rh__copy(w->payload + x->bytes, bytes, size);
    put32(w, &a->store, index);
    put32(w, &a->writes_open, a->writes_open + 1);
    put32(w, &w->writes_open, w->writes_open + 1);
    return x->ticket;
}

uint32_t rh__store_find(const struct rh_world *w, uint32_t actor, const char *key)
{
    uint32_t i = w->actors[actor].store;
    while (i != RH_NONE && strcmp(w->payload + w->writes[i].key, key) != 0)
        i = w->writes[i].older;
    return i;
}

void rh__store_complete(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    uint32_t oldest = a->store;
    for (uint32_t i = 1; i < a->writes_open; i++)
        oldest = w->writes[oldest].older;
    put32(w, &a->writes_open, a->writes_open - 1);
    put32(w, &w->writes_open, w->writes_open - 1);
    if (a->status == STATUS_SYNCING) {
        if (a->writes_open == 0) {
            put32(w, &a->status, STATUS_RUNNING);
            rh__fiber_resume(w, actor);
        }
        return;
    }
    const struct rh_entry *entry = NULL;
    if (a->behaviour)
        rh__disposition(a->behaviour, &rh_message_rh_stored, &entry);
    if (w->writes[oldest].writer == actor && (entry || a->type->kind == RH_KIND_PROCESS)) {
        struct rh_stored value = { .ticket = w->writes[oldest].ticket };
        struct world_sending s = SENDING(.from = actor, .to = actor, .type = &rh_message_rh_stored, .value = &value);
        rh__message_send(w, &s);
    }
}

bool rh__store_can_fail(const struct rh_world *w, uint32_t actor)
{
    return w->left.failed_puts && w->actors[actor].writes_open && rh__can_crash(w, actor) &&
           !rh__is_at_point(&w->actors[actor]); /* only a crash strikes inside a handler */
}

void rh__store_fail(struct rh_world *w, uint32_t actor)
{
    set_state(w, w->actors[actor].opened, RH__STORE_FAILED);
    rh__actor_end_in_turn(w, actor, reasons[RH__STORE_FAILED]);
}

void rh__store_sync(struct rh_world *w, const char *place)
{
    if (w->actors[w->current].writes_open)
        rh__block_syncing(w, place);
}

/* Whether the actor waits must not depend on whether the budget is used up. */
void rh__store_make_durable(struct rh_world *w, const char *place)
{
    struct world_actor *a = &w->actors[w->current];
    bool may_fail = w->semantics.failed_puts && w->current != 0 && rh__is_among(w->semantics.may_crash, a->type);
    if (may_fail) {
        rh__store_sync(w, place);
        return;
    }
    put32(w, &w->writes_open, w->writes_open - a->writes_open);
    put32(w, &a->writes_open, 0);
}

/* ---- fingerprint ------------------------------------------------------------------------------------------------- */

static struct rh__wide hash_write(const struct rh_world *w, const struct world_write *x)
{
    const char *key = w->payload + x->key;
    uint32_t size = x->size == RH_NONE ? 0 : x->size;
    return rh__wide_mix(rh__wide_hash(key, strlen(key), 0), rh__wide_hash(w->payload + x->bytes, size, x->size));
}

/* True if a write to the same key is newer; `from` is the newest that counts. */
static bool is_overwritten(const struct rh_world *w, uint32_t from, uint32_t write)
{
    const char *key = w->payload + w->writes[write].key;
    while (from != write && strcmp(w->payload + w->writes[from].key, key) != 0)
        from = w->writes[from].older;
    return from != write;
}

/* Writes under way are in order; of durable ones only the newest of each key can be seen. */
struct rh__wide rh__store_hash(const struct rh_world *w, uint32_t newest, uint32_t under_way, uint32_t owner)
{
    struct rh__wide h = rh__wide_of(under_way), durable = { 0, 0 };
    uint32_t i = newest;
    for (uint32_t n = 0; i != RH_NONE && n < under_way; i = w->writes[i].older, n++) {
        const struct world_write *x = &w->writes[i];
        h = rh__wide_mix(h, hash_write(w, x));
        h = rh__wide_with(h, x->writer == owner ? (uint64_t)x->ticket + 1 : 0); /* its owner is told, or not */
    }
    for (uint32_t from = i; i != RH_NONE; i = w->writes[i].older)
        if (w->writes[i].size != RH_NONE && !is_overwritten(w, from, i))
            durable = rh__wide_sum(durable, rh__wide_with(hash_write(w, &w->writes[i]), 14));
    return rh__wide_mix(h, durable);
}

/* Open stores are hashed with their owners, except for who the owner is. */
struct rh__wide rh__stores_hash(const struct rh_world *w)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t i = w->first_store; i != RH_NONE; i = w->stores[i].next) {
        const struct world_store *s = &w->stores[i];
        const char *name = w->payload + s->name;
        bool held = s->owner != RH_NONE && lives(w, s->owner, s->life);
        struct rh__wide x =
            rh__wide_with(rh__wide_hash(name, strlen(name), 9), (uint64_t)s->owner << 8 | s->state << 1 | held);
        if (!held)
            x = rh__wide_mix(x, rh__store_hash(w, s->newest, s->under_way, RH_NONE));
        h = rh__wide_sum(h, x);
    }
    return h;
}
