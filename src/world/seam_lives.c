/* The part of the seam (seam.c) about lives: watching and joining other actors, and names; see objects.h. */
#include "world/seam_lives.h"

#include <string.h>

#include "base/copy.h"
#include "base/hash.h"
#include "world/actors.h"
#include "world/crash_points.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/receive.h"
#include "world/seam.h"

void rh__unknown(struct rh_world *w, rh_ref who, const char *call, const char *here)
{
    rh__misuse(w, here,
               rh_is_nobody(who) ? "%s was given the reference that names nobody"
                                 : "%s was given a reference to no actor of this world (%llu)",
               call, (unsigned long long)who.id);
}

/* With granularity object, finding out whether an actor has ended is an operation of its own. */
static void look_at_life(struct rh_world *w, uint32_t actor, const char *here)
{
    if (rh__by_object(w) && actor != RH_NONE && actor != w->current)
        rh__look_at_life(w, actor, here);
}

/* The value of a name: its holder, in the life that it has the name in. */
static uint64_t value_of_holder(const struct rh_world *w, struct world_holder h)
{
    return h.actor == RH_NONE ? 0 : h.life ? rh__mix(w->actors[h.actor].identity, h.life) : w->actors[h.actor].identity;
}

/* Whether the holder is in that life, as the last look at its life found it. */
static bool is_held(const struct rh_world *w, struct world_holder h)
{
    return h.actor != RH_NONE && !has_ended(&w->actors[h.actor]) && w->actors[h.actor].restarts == h.life;
}

/* Stops before an operation on a name. */
static void stop_before_name(struct rh_world *w, const char *name, enum rh__when when, uint64_t gone, uint64_t sets,
                             const char *here)
{
    struct rh__action action = { .when = when, .expected = gone, .sets = sets };
    if (when != RH__LOOKS)
        rh__before_effect(w, here);
    rh__stop_before(w, rh__object_named(RH__OBJECT_NAME, name), &action, here);
}

/* Who has the name; RH_NONE for nobody. */
uint32_t rh__holder_of(struct rh_world *w, const char *name, const char *call, const char *here)
{
    if (!name)
        rh__misuse(w, here, "%s needs a name", call);
    stop_before_name(w, name, RH__LOOKS, 0, 0, here);
    rh__touch_as(w, rh__object_named(RH__OBJECT_NAME, name), false, 0, 0);
    struct world_holder holder = rh__name_find(w, name);
    rh__has_found(w, (uint64_t)holder.life + 1);
    look_at_life(w, holder.actor, here);
    rh__has_found(w, 0);
    return is_held(w, holder) ? holder.actor : RH_NONE;
}

/* ---- links and monitors ------------------------------------------------------------------------------------------ */

/* Nobody else knows the new actor yet, so its creator's operations on its life have no order with any others. */
void rh__watch_from_birth(struct rh_world *w, uint32_t actor, enum rh_watch watch)
{
    if (watch == RH_WATCH_LINK) {
        rh__link(w, w->current, actor, true);
    } else if (watch == RH_WATCH_MONITOR) {
        rh__monitor(w, w->current, actor, true);
        rh__watch(w, w->current, actor, true);
    }
}

void rh__keep_result(struct rh_world *w, const struct rh_message_type *type, const void *value)
{
    struct world_actor *a = &w->actors[w->current];
    uint64_t at = rh__payload_take(w, type->size);
    rh__copy(w->payload + at, value, type->size);
    put64(w, &a->result, at);
    put32(w, &a->result_size, type->size);
    put64(w, &a->result_type, rh_result_type_(type));
}

/* With granularity object, each half of a link is an operation on the life of the actor of whose end it tells.  False
 * if the other actor has ended. */
static bool link_in_turns(struct rh_world *w, uint32_t actor, const char *here)
{
    rh__operation_on_life(w, actor, here);
    if (has_ended(&w->actors[actor]))
        return false;
    uint32_t life = w->actors[actor].restarts;
    rh__link_half(w, actor, w->current, w->actors[w->current].restarts);
    rh__has_found(w, (uint64_t)life + 1);
    rh__operation_on_life(w, w->current, here);
    rh__has_found(w, 0);
    rh__link_half(w, w->current, actor, life);
    return true;
}

/* The own half first: then no signal of the other actor's end that comes after this counts. */
static void unlink_in_turns(struct rh_world *w, uint32_t actor, const char *here)
{
    rh__operation_on_life(w, w->current, here);
    rh__unlink_half(w, w->current, actor);
    rh__operation_on_life(w, actor, here);
    rh__news_drop(w, w->current, actor, true);
    rh__unlink_half(w, actor, w->current);
}

void rh__seam_link(rh_ref who, bool on, const char *here)
{
    struct rh_world *w = inside_actor("rh_link", here);
    if (!w)
        return;
    uint32_t actor = rh__known(w, who, "rh_link", here);
    if (actor == w->current)
        return;
    rh__before_effect(w, here);
    if (!rh__by_object(w))
        rh__operation_on_life(w, actor, here);
    else if (!on)
        unlink_in_turns(w, actor, here);
    else if (link_in_turns(w, actor, here))
        return;
    if (on && has_ended(&w->actors[actor]))
        rh__link_too_late(w, actor, here);
    if (rh__by_object(w) || (on && has_ended(&w->actors[actor])))
        return;
    if (!on)
        rh__news_drop(w, w->current, actor, true);
    rh__link(w, w->current, actor, on);
}

static void watch(struct rh_world *w, uint32_t actor, bool on, const char *here)
{
    if (actor == w->current || (on && rh__watches(w, w->current, actor)))
        return; /* a monitor lasts until its rh_down is taken; monitoring again changes nothing that others can see */
    rh__before_effect(w, here);
    rh__watch_life(w, actor, on, here);
    rh__watch(w, w->current, actor, on);
    if (on && has_ended(&w->actors[actor])) {
        rh__send_down(w, actor, w->current, "noproc");
        return;
    }
    rh__monitor(w, w->current, actor, on);
    if (!on)
        rh__news_drop(w, w->current, actor, false);
}

void rh__seam_monitor(rh_ref who, bool on, const char *here)
{
    struct rh_world *w = inside_actor("rh_monitor", here);
    if (!w)
        return;
    watch(w, rh__known(w, who, "rh_monitor", here), on, here);
}

const struct rh_down *rh__seam_join(rh_ref who, int64_t timeout_ms, const char *here)
{
    struct rh_world *w = inside_actor("rh_join", here);
    if (!w)
        return NULL;
    uint32_t actor = rh__known(w, who, "rh_join", here);
    if (actor == w->current)
        rh__misuse(w, here, "an actor that joins itself (rh_join) waits for ever");
    struct rh_filter filter = { .type = &rh_message_rh_down, .from = who, .timeout_ms = timeout_ms };
    watch(w, actor, true, here);
    const struct rh_envelope *e = rh__receive(w, &filter, here);
    return e ? e->value : NULL;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* With granularity object, an actor that has ended, or is in a later life, may still hold a name, which counts as free.
 * Finding out and taking
 * the name over are two operations; if another actor was faster, this one starts again. */
static bool set_name_in_turns(struct rh_world *w, const char *name, uint32_t actor, const char *here)
{
    look_at_life(w, actor, here);
    if (actor != RH_NONE && has_ended(&w->actors[actor]))
        return false;
    struct world_holder next = { actor, actor == RH_NONE ? 0 : w->actors[actor].restarts };
    uint64_t gone = 0, sets = value_of_holder(w, next);
    for (;;) {
        rh__has_found(w, rh__mix(gone, sets));
        stop_before_name(w, name, sets ? RH__SETS_IF_FREE : RH__SETS, gone, sets, here);
        rh__has_found(w, 0);
        struct world_holder holder = rh__name_find(w, name);
        uint64_t found = value_of_holder(w, holder);
        bool free = !found || found == gone;
        rh__touch_as(w, rh__object_named(RH__OBJECT_NAME, name), (free || !sets) && found != sets, 0, sets);
        if (free || !sets)
            rh__name_set(w, name, next);
        if (!found || (free && sets))
            return sets != 0;
        rh__has_found(w, rh__mix(found, ~sets)); /* in another step: the holder may be the actor itself */
        look_at_life(w, holder.actor, here);
        rh__has_found(w, 0);
        bool held = is_held(w, holder);
        if (held || !sets)
            return held && !sets;
        gone = found;
    }
}

bool rh__seam_name_set(const char *name, rh_ref who, const char *here)
{
    struct rh_world *w = inside("rh_register", here);
    if (!w)
        return false;
    if (!name || !*name)
        rh__misuse(w, here, "rh_register needs a name");
    uint32_t actor = rh_is_nobody(who) ? RH_NONE : rh__known(w, who, "rh_register", here);
    if (rh__by_object(w))
        return set_name_in_turns(w, name, actor, here);
    uint32_t holder = rh__name_find(w, name).actor;
    bool frees = actor == RH_NONE && holder != RH_NONE;
    bool takes = actor != RH_NONE && holder == RH_NONE && !has_ended(&w->actors[actor]);
    rh__touch_as(w, rh__object_named(RH__OBJECT_NAME, name), frees || takes, 0, 0);
    if (actor != RH_NONE && actor != w->current) /* an actor that has ended gets no name */
        rh__touch_as(w, rh__object_of_actor(w, RH__OBJECT_LIFE, actor), false, 0, 0);
    if (holder != RH_NONE && holder != w->current && holder != actor) /* its end would have freed the name */
        rh__touch_as(w, rh__object_of_actor(w, RH__OBJECT_LIFE, holder), false, 0, 0);
    uint32_t life = actor == RH_NONE ? 0 : w->actors[actor].restarts;
    return rh__name_set(w, name, (struct world_holder){ actor, life });
}

rh_ref rh__seam_name_find(const char *name, const char *here)
{
    struct rh_world *w = inside("rh_whereis", here);
    if (!w)
        return rh_nobody();
    uint32_t actor = rh__holder_of(w, name, "rh_whereis", here);
    return actor == RH_NONE ? rh_nobody() : ref_of(actor);
}
