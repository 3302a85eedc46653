/* See history.h. */
#include "world/history.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "history/history.h"
#include "world/crash_points.h"
#include "world/fiber.h"
#include "world/fields.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/seam.h"

/* ---- recording --------------------------------------------------------------------------------------------------- */

static const char *key_of(const struct rh_world *w, const struct world_operation *o)
{
    return w->payload + o->key;
}

static uint64_t object_of(const struct rh_world *w, const struct rh_history *h, const char *key, uint32_t client)
{
    uint64_t which = rh__hash(h->name, strlen(h->name), 0);
    uint64_t part = h->model.consistency == RH_SEQUENTIAL ? w->actors[client].identity : rh__hash(key, strlen(key), 1);
    return rh__object(RH__OBJECT_HISTORY, rh__mix(which, part));
}

/* Stops for others, and records the access.  Returns the object as it was before. */
static struct world_object enter(struct rh_world *w, uint64_t object, bool returns, const char *here)
{
    const struct rh__action action = { .when = returns ? RH__CHANGES : RH__LOOKS };
    rh__before_effect(w, here);
    rh__stop_before(w, object, &action, here);
    struct world_object before = *rh__object_entry(w, object);
    rh__touch_as(w, object, returns, 0, 0);
    if (w->over) /* no room to record it */
        rh__fiber_abandon(w);
    return before;
}

/* The hash depends on the order of calls and returns only as far as it matters: a call knows how many returns came
 * before it, and a return how many calls. */
static struct rh__wide hash_operation(const struct rh_world *w, const struct world_operation *o)
{
    const char *name = o->history->name, *key = key_of(w, o);
    struct rh__wide h = rh__wide_mix(rh__wide_hash(name, strlen(name), 20), rh__wide_hash(key, strlen(key), 21));
    h = rh__wide_with(h, (uint64_t)o->actor << 32 | o->number);
    h = rh__wide_with(h, rh__image_word(&w->images, (uintptr_t)o->call_type));
    h = rh__wide_mix(h, rh__wide_hash(w->payload + o->call, o->call_type->size, 22));
    h = rh__wide_with(h, o->returns_before);
    if (!o->result_type)
        return h;
    h = rh__wide_with(h, rh__image_word(&w->images, (uintptr_t)o->result_type));
    h = rh__wide_mix(h, rh__wide_hash(w->payload + o->result, o->result_type->size, 23));
    return rh__wide_with(h, o->calls_before);
}

/* Adds the hash of an operation to the fingerprint, or removes it. */
static void hash_turn(struct rh_world *w, const struct world_operation *o)
{
    if (w->hashing)
        put_wide(w, &w->total, rh__wide_xor(w->total, hash_operation(w, o)));
}

struct rh__wide rh__histories_hash(const struct rh_world *w)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t i = 0; i < w->operation_count; i++)
        h = rh__wide_xor(h, hash_operation(w, &w->operations[i]));
    return h;
}

static uint64_t keep(struct rh_world *w, const struct rh_message_type *type, const void *value)
{
    uint64_t at = rh__payload_take(w, type->size);
    rh__copy(w->payload + at, value, type->size);
    return at;
}

static struct rh_world *inside_history(const char *call, const struct rh_history *h, const char *key, const char *here)
{
    struct rh_world *w = inside_actor(call, here);
    const char *wrong = rh__history_misuse(h, key);
    if (w && wrong)
        rh__misuse(w, here, "%s", wrong);
    if (w)
        w->footprint.beyond++;
    return w;
}

uint64_t rh__seam_history_call(const struct rh_history *history, const char *given, const struct rh_message_type *type,
                               const void *value, const char *here)
{
    struct rh_world *w = inside_history("rh_history_call", history, given, here);
    if (!w)
        return 0;
    if (w->operation_count == MAX_OPERATIONS)
        rh__fail_inside(w, RH_OUTCOME_LIMIT, here, "more than %u operations in the histories of one run",
                        MAX_OPERATIONS);
    char key[RH_HISTORY_KEY_SIZE]; /* the argument's memory may change while this actor waits for its turn */
    snprintf(key, sizeof key, "%s", given ? given : "");
    uint64_t bytes = keep(w, type, value);
    uint32_t actor = w->current;
    struct world_object before = enter(w, object_of(w, history, key, actor), false, here);
    struct world_operation *o = &w->operations[w->operation_count];
    struct world_actor *a = &w->actors[actor];
    put32(w, &w->moments, w->moments + 1);
    *o = (struct world_operation){ .history = history,
                                   .call_type = type,
                                   .key = rh__payload_text(w, key),
                                   .call = bytes,
                                   .actor = actor,
                                   .number = a->operations,
                                   .older = a->operation,
                                   .called = w->moments,
                                   .returns_before = before.writes };
    put32(w, &w->operation_count, w->operation_count + 1);
    put32(w, &a->operation, w->operation_count); /* + 1: 0 is none */
    put32(w, &a->operations, a->operations + 1);
    hash_turn(w, o);
    return ((uint64_t)actor + 1) << 32 | (o->number + 1);
}

static struct world_operation *find(struct rh_world *w, uint64_t call)
{
    uint64_t actor = (call >> 32) - 1;
    uint32_t number = (uint32_t)call - 1;
    uint32_t i = actor < w->actor_count ? w->actors[actor].operation : 0;
    while (i && w->operations[i - 1].number != number)
        i = w->operations[i - 1].older;
    return i ? &w->operations[i - 1] : NULL;
}

void rh__seam_history_return(const struct rh_history *history, uint64_t call, const struct rh_message_type *type,
                             const void *value, const char *here)
{
    struct rh_world *w = inside_history("rh_history_return", history, NULL, here);
    if (!w)
        return;
    struct world_operation *o = find(w, call);
    if (!o || o->history != history)
        rh__misuse(w, here, "rh_history_return: this is not a call of history %s", history->name);
    uint64_t bytes = keep(w, type, value);
    struct world_object before = enter(w, object_of(w, history, key_of(w, o), o->actor), true, here);
    if (o->result_type)
        rh__misuse(w, here, "rh_history_return: the operation has returned already");
    hash_turn(w, o);
    put_pointer(w, &o->result_type, type);
    put64(w, &o->result, bytes);
    put32(w, &w->moments, w->moments + 1);
    put32(w, &o->returned, w->moments);
    put32(w, &o->calls_before, before.touches - before.writes);
    hash_turn(w, o);
}

/* ---- the end of a run -------------------------------------------------------------------------------------------- */

struct world_check {
    struct rh__history_checker *checker;
    struct rh__history_op *ops;
    size_t room;
};

/* Of the world of this process; there is one at most.  The world's own memory is shared by processes, and what this
 * points to is not. */
static struct world_check *check;

bool rh__histories_reserve(void)
{
    check = rh__alloc_array(1, sizeof *check);
    if (check)
        check->checker = rh__history_checker_new();
    return check && check->checker;
}

void rh__histories_release(void)
{
    if (!check)
        return;
    rh__history_checker_free(check->checker);
    rh__free(check->ops);
    rh__free(check);
    check = NULL;
}

static bool make_room(struct world_check *c, size_t count)
{
    if (c->room >= count)
        return true;
    size_t room = count + count / 2 + 16;
    struct rh__history_op *ops = rh__realloc(c->ops, room * sizeof *ops);
    if (!ops)
        return false;
    c->ops = ops;
    c->room = room;
    return true;
}

static struct rh_envelope envelope_of(const struct rh_world *w, const struct rh_message_type *type, uint64_t value)
{
    return (struct rh_envelope){ .type = type, .value = type ? w->payload + value : NULL };
}

static uint32_t collect(const struct rh_world *w, const struct rh_history *h, struct rh__history_op *ops)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->operation_count; i++) {
        const struct world_operation *o = &w->operations[i];
        if (o->history == h)
            ops[count++] = (struct rh__history_op){
                .seen = { .key = key_of(w, o),
                          .call = envelope_of(w, o->call_type, o->call),
                          .result = envelope_of(w, o->result_type, o->result) },
                .client = o->actor,
                .called = o->called,
                .returned = o->result_type ? o->returned : RH__NOT_RETURNED,
                .index = i,
            };
    }
    return count;
}

/* An assertion of the model has failed: the run has its outcome. */
static bool is_over(void *arg)
{
    const struct rh_world *w = arg;
    return w->over;
}

static void say_client(void *arg, uint64_t client, struct rh__text *to)
{
    char name[128];
    rh_world_actor_name(arg, (uint32_t)client, name, sizeof name);
    rh__text_add(to, "%s", name);
}

static void say_value(void *arg, const struct rh_message_type *type, const void *value, struct rh__text *to)
{
    struct rh__fields f;
    rh__fields_of(&f, type);
    rh__fields_write_short(&f, arg, value, to);
}

static bool fails(struct rh_world *w, const struct rh_history *h)
{
    struct world_check *c = check;
    struct rh__history_core core;
    const struct rh__history_words words = { say_client, say_value, w };
    struct rh__text t;
    uint32_t count = collect(w, h, c->ops);
    w->matching = w->operations[c->ops[0].index].actor; /* to blame if the model crashes */
    enum rh__history_verdict v = rh__history_check(c->checker, h, c->ops, count, is_over, w, &core);
    if (v != RH__HISTORY_EXPLAINED && !w->over) {
        w->outcome.kind = RH_OUTCOME_HISTORY;
        w->outcome.actor = RH_NONE;
        snprintf(w->outcome.place, sizeof w->outcome.place, "%s", h->place);
        rh__text_init(&t, w->outcome.text, sizeof w->outcome.text);
        if (v == RH__HISTORY_UNEXPLAINED)
            rh__history_draw(h, &core, &words, &t);
        else
            rh__text_add(&t, "%s is not decided: its %u operations have too many orders to check them all", h->name,
                         core.others);
    }
    w->matching = RH_NONE;
    return v != RH__HISTORY_EXPLAINED;
}

bool rh__histories_fail(struct rh_world *w)
{
    if (!w->operation_count)
        return false;
    if (!make_room(check, w->operation_count)) {
        w->outcome = (struct rh_outcome){ .kind = RH_OUTCOME_HISTORY, .actor = RH_NONE };
        snprintf(w->outcome.text, sizeof w->outcome.text, "not decided: no memory to check the histories");
        return true;
    }
    for (uint32_t i = 0; i < w->operation_count; i++) {
        const struct rh_history *h = w->operations[i].history;
        uint32_t first = 0;
        while (w->operations[first].history != h)
            first++;
        if (first == i && fails(w, h))
            return true;
    }
    return false;
}
