/* The part of the seam (seam.c) that is about lives: to watch others, to join them, names; see objects.h. */
#include "world/seam_lives.h"

#include <string.h>

#include "base/copy.h"
#include "world/actors.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/receive.h"
#include "world/seam.h"

uint32_t rh__known(struct rh_world *w, rh_ref who, const char *call, const char *here)
{
    uint32_t actor = actor_of(w, who);
    if (actor == RH_NONE)
        rh__misuse(w, here,
                   rh_is_nobody(who) ? "%s was given the reference that names nobody"
                                     : "%s was given a reference to no actor of this world (%llu)",
                   call, (unsigned long long)who.id);
    return actor;
}

/* With granularity object whether one has ended is an operation of its own. */
static void look_at_life(struct rh_world *w, uint32_t actor, const char *here)
{
    if (rh__fine(w) && actor != RH_NONE && actor != w->current)
        rh__operation(w, rh__object_of_actor(w, RH__OBJECT_LIFE, actor), here);
}

/* Who has the name; RH_NONE for nobody. */
uint32_t rh__holder_of(struct rh_world *w, const char *name, const char *call, const char *here)
{
    if (!name)
        rh__misuse(w, here, "%s needs a name", call);
    rh__operation(w, rh__object_named(RH__OBJECT_NAME, name), here);
    uint32_t actor = rh__name_find(w, name);
    look_at_life(w, actor, here);
    return actor == RH_NONE || has_ended(&w->actors[actor]) ? RH_NONE : actor;
}

/* ---- links and monitors ------------------------------------------------------------------------------------------ */

/* Nobody else knows of the new one yet: what its creator does to its life has no order with anything. */
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
    struct actor *a = &w->actors[w->current];
    uint64_t at = rh__payload_take(w, type->size);
    rh__copy(w->payload + at, value, type->size);
    put64(w, &a->result, at);
    put32(w, &a->result_size, type->size);
    put64(w, &a->result_type, rh_result_type_(type));
}

void rh__seam_link(rh_ref who, bool on, const char *here)
{
    struct rh_world *w = inside_actor("rh_link", here);
    if (!w)
        return;
    uint32_t actor = rh__known(w, who, "rh_link", here);
    if (actor == w->current)
        return;
    rh__operation(w, rh__object_of_actor(w, RH__OBJECT_LIFE, actor), here);
    if (on && has_ended(&w->actors[actor])) {
        if (rh__fine(w))
            rh__operation(w, rh__object_of_actor(w, RH__OBJECT_LIFE, w->current), here);
        rh__link_half(w, w->current, actor, true); /* a signal counts only for a link that is there */
        rh__signal(w, actor, w->current, "noproc", true);
        return;
    }
    if (!on)
        rh__news_drop(w, w->current, actor, true);
    if (rh__fine(w)) { /* each half with the one whose end it tells of */
        rh__link_half(w, actor, w->current, on);
        rh__operation(w, rh__object_of_actor(w, RH__OBJECT_LIFE, w->current), here);
        rh__link_half(w, w->current, actor, on);
    } else {
        rh__link(w, w->current, actor, on);
    }
}

static void watch(struct rh_world *w, uint32_t actor, bool on, const char *here)
{
    if (actor == w->current || (on && rh__watches(w, w->current, actor)))
        return; /* what it watches already it watches until the rh_down is taken: nobody else can tell */
    rh__operation(w, rh__object_of_actor(w, RH__OBJECT_LIFE, actor), here);
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
        rh__misuse(w, here, "rh_join of oneself would wait for ever");
    struct rh_filter filter = { .type = &rh_message_rh_down, .from = who, .timeout_ms = timeout_ms };
    watch(w, actor, true, here);
    const struct rh_envelope *e = rh__receive(w, &filter, here);
    return e ? e->value : NULL;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* With granularity object a name may be held by one that has ended, and counts as free: to find out, and to take it over, are two operations; if
 * another one was quicker it begins anew. */
static bool set_name_in_turns(struct rh_world *w, const char *name, uint32_t actor, const char *here)
{
    uint32_t gone = RH_NONE;
    look_at_life(w, actor, here);
    if (actor != RH_NONE && has_ended(&w->actors[actor]))
        return false;
    for (;;) {
        rh__operation(w, rh__object_named(RH__OBJECT_NAME, name), here);
        uint32_t holder = rh__name_find(w, name);
        if (actor == RH_NONE || holder == RH_NONE || holder == gone)
            rh__name_set(w, name, actor);
        if (holder == RH_NONE || (holder == gone && actor != RH_NONE))
            return actor != RH_NONE;
        look_at_life(w, holder, here);
        bool held = !has_ended(&w->actors[holder]);
        if (held || actor == RH_NONE)
            return held && actor == RH_NONE;
        gone = holder;
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
    if (rh__fine(w))
        return set_name_in_turns(w, name, actor, here);
    rh__operation(w, rh__object_named(RH__OBJECT_NAME, name), here);
    uint32_t holder = rh__name_find(w, name);
    if (actor != RH_NONE && actor != w->current)
        rh__touch(w, rh__object_of_actor(w, RH__OBJECT_LIFE, actor)); /* one that has ended gets no name */
    if (holder != RH_NONE && holder != w->current && holder != actor)
        rh__touch(w, rh__object_of_actor(w, RH__OBJECT_LIFE, holder)); /* its end would have freed the name */
    return rh__name_set(w, name, actor);
}

rh_ref rh__seam_name_find(const char *name, const char *here)
{
    struct rh_world *w = inside("rh_whereis", here);
    if (!w)
        return rh_nobody();
    uint32_t actor = rh__holder_of(w, name, "rh_whereis", here);
    return actor == RH_NONE ? rh_nobody() : ref_of(actor);
}
