/* See liveness.h. */
#include "world/liveness.h"

#include <string.h>

#include "actor/monitors.h"
#include "base/hash.h"
#include "world/fingerprint.h"
#include "world/live.h"
#include "world/log.h"
#include "world/outcome.h"

/* ---- the quiet phase --------------------------------------------------------------------------------------------- */

/* Restarts stay: they end what a crash has begun.  So do messages from outside, which are no faults. */
static bool ends_with_faults(const uint32_t *budget, const struct rh_world *w)
{
    return budget != &w->left.restarts && budget != &w->left.kept_restarts && budget != &w->left.outside;
}

static void begin_quiet_phase(struct rh_world *w)
{
#define RH_X(field, spends, option, help)                                                                              \
    if (w->left.field && ends_with_faults(&w->left.field, w))                                                          \
        put32(w, &w->left.field, 0);
    RH_BUDGETS(RH_X)
#undef RH_X
    rh__faults_spent(w);
    if (w->cut)
        put32(w, &w->cut, 0);
    for (uint32_t i = 0; i < MAX_HOLDS; i++)
        if (w->holds[i].until > w->event_count)
            put32(w, &w->holds[i].until, w->event_count);
    if (w->held_until > w->event_count)
        put32(w, &w->held_until, w->event_count);
}

/* ---- temperature ------------------------------------------------------------------------------------------------- */

/* A run that keeps something waiting shows nothing: another run would do it, and the monitor might be cold.  So at
 * the n-th event in a row, and at each multiple of it, nothing may have waited during the last n events for more than
 * a quarter of them.  Else an explorer that is not fair (dfs, pct) would find what is none.  (It still can, by
 * keeping one thing after the other waiting.) */
enum { PATIENCE = 4 };

/* The number of events in a row that count for the temperature of a monitor. */
static uint32_t hot_for(const struct rh_world *w, uint32_t monitor)
{
    const struct world_actor *m = &w->actors[monitor];
    uint32_t now = w->event_count - 1, since = m->hot_since;
    if (since < w->semantics.quiet_after)
        since = w->semantics.quiet_after;
    return m->behaviour->hot && now > since ? now - since : 0;
}

/* Some events of a run: [from, to). */
struct stretch {
    uint32_t from, to;
};

/* True if one of the events has this kind and this actor. */
static bool has_event(const struct rh_world *w, struct stretch s, uint32_t kind, uint32_t actor)
{
    uint32_t e = s.to;
    while (e > s.from && (w->events[e - 1].choice.kind != kind || w->events[e - 1].choice.actor != actor))
        e--;
    return e > s.from;
}

static bool has_moved(const struct rh_world *w, struct stretch s, uint32_t actor)
{
    uint32_t e = s.to;
    while (e > s.from && (w->events[e - 1].choice.actor != actor || rh__befalls(&w->events[e - 1].choice)))
        e--;
    return e > s.from;
}

static bool has_taken(const struct rh_world *w, struct stretch s, const struct world_message *m)
{
    for (uint32_t e = s.to; e > s.from; e--) {
        const struct rh_choice *c = &w->events[e - 1].choice;
        if (c->kind == RH_CHOICE_DELIVER && c->actor == m->receiver && w->messages[c->what].sender == m->sender)
            return true;
    }
    return false;
}

/* True if the choice, which is open or is made behind the stretch, may have been open since before the stretch, and
 * nothing of its kind has happened in it (explore/fairness.h).  In doubt true: then the run says nothing yet.  `set` is
 * the event that has set a timer. */
static bool has_waited(const struct rh_world *w, const struct rh_choice *c, uint32_t set, struct stretch s)
{
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_DELIVER:
        return w->messages[c->what].event < s.from && !has_taken(w, s, &w->messages[c->what]);
    case RH_CHOICE_TIMER:
        return set < s.from;
    case RH_CHOICE_HEAL:
        return !has_event(w, s, RH_CHOICE_PARTITION, RH_NONE);
    case RH_CHOICE_RESTART:
        return !has_event(w, s, RH_CHOICE_CRASH, c->actor);
    case RH_CHOICE_STORED:
        return !has_event(w, s, RH_CHOICE_STORED, c->actor);
    default:
        return !rh__is_fault(c) && c->actor != RH_NONE && !has_moved(w, s, c->actor);
    }
}

static uint32_t set_by(const struct rh_world *w, const struct rh_choice *c)
{
    return c->kind == RH_CHOICE_TIMER ? w->timers[c->what].event : 0;
}

bool rh__keeps_waiting(const struct rh_world *w, const struct rh_choice *open, uint32_t count, uint32_t since)
{
    uint32_t i = 0;
    while (i < count && !has_waited(w, &open[i], set_by(w, &open[i]), (struct stretch){ since, w->event_count }))
        i++;
    return i < count;
}

/* True if nothing has waited for long during the last `temperature` events. */
static bool is_fair(struct rh_world *w)
{
    uint32_t count, end = w->event_count, patience = w->semantics.temperature / PATIENCE + 1;
    if (end > w->semantics.max_steps)
        return false; /* the run is cut: no choice is open */
    const struct rh_choice *open = rh_world_enabled(w, &count);
    if (rh__keeps_waiting(w, open, count, end > patience ? end - patience : 0))
        return false;
    for (uint32_t e = end - w->semantics.temperature; e < end; e++)
        if (has_waited(w, &w->events[e].choice, w->events[e].set_by,
                       (struct stretch){ e > patience ? e - patience : 0, e }))
            return false;
    return true;
}

static void check_temperature(struct rh_world *w, uint32_t monitor)
{
    const struct world_actor *m = &w->actors[monitor];
    uint32_t events = hot_for(w, monitor);
    if (events && events % w->semantics.temperature == 0 && is_fair(w))
        rh__fail(w, RH_OUTCOME_LIVENESS, monitor, "",
                 "monitor %s has been hot for %u events%s, and is in behaviour %s (temperature)", m->type->name, events,
                 w->semantics.quiet_after ? " of the quiet phase" : "", m->behaviour->name);
}

void rh__liveness_step(struct rh_world *w)
{
    if (w->semantics.quiet_after && w->event_count - 1 == w->semantics.quiet_after)
        begin_quiet_phase(w);
    for (uint32_t i = 0; w->semantics.temperature && !w->over && i < w->monitor_count; i++)
        check_temperature(w, w->monitors[i]);
}

struct rh__wide rh__liveness_hash(const struct rh_world *w)
{
    uint32_t now = w->event_count - 1, quiet = w->semantics.quiet_after;
    struct rh__wide h = rh__wide_of(now < quiet ? now : quiet);
    for (uint32_t i = 0; w->semantics.temperature && i < w->monitor_count; i++)
        h = rh__wide_with(h, (uint64_t)i << 32 | hot_for(w, w->monitors[i]));
    return h;
}

/* ---- for the search for loops (live.h) --------------------------------------------------------------------------- */

void rh__world_drop_temperature(struct rh_world *w)
{
    w->semantics.temperature = 0;
}

uint32_t rh__world_monitors(const struct rh_world *w, const uint32_t **monitors)
{
    *monitors = w->monitors;
    return w->monitor_count;
}

uint32_t rh__monitor_hot_since(const struct rh_world *w, uint32_t monitor)
{
    return w->actors[monitor].behaviour->hot ? w->actors[monitor].hot_since : RH_NONE;
}

const struct rh_choice *rh__world_open(const struct rh_world *w, uint32_t *count)
{
    return rh_world_enabled((struct rh_world *)(uintptr_t)w, count); /* asking changes nothing that lasts */
}

static uint64_t hash_name(const struct rh_world *w, uint32_t text)
{
    const char *name = w->payload + (uint64_t)text * 16;
    return rh__hash(name, strlen(name), 3);
}

uint64_t rh__choice_key(const struct rh_world *w, const struct rh_choice *c)
{
    uint64_t h = rh__mix((uint64_t)c->kind << 32 | c->actor, 1);
    if (rh__is_about_message(c)) {
        const struct world_message *m = &w->messages[c->what];
        h = rh__mix(rh__mix(h, (uint64_t)m->sender << 32 | m->seen_as),
                    rh__message_hash((struct rh_world *)(uintptr_t)w, c->what).high);
    } else if (c->kind == RH_CHOICE_TIMER || c->kind == RH_CHOICE_OUTSIDE) {
        h = rh__mix(h, c->arg ? hash_name(w, c->arg) : 0);
    } else if (c->kind != RH_CHOICE_RESUME) {
        h = rh__mix(h, c->what);
    }
    return h;
}

void rh__world_close_loop(struct rh_world *w, uint32_t loop, uint32_t monitor)
{
    const struct world_actor *m = &w->actors[monitor];
    put32(w, &w->loop, loop);
    put32(w, &w->loop_monitor, monitor);
    if (monitor == RH__NO_MONITOR) {
        rh__fail(w, RH_OUTCOME_ENDLESS_RUN, w->events[w->event_count - 1].choice.actor, "",
                 "the events from %u to %u repeat for ever, and no timer drives them: messages go in a circle", loop,
                 w->event_count - 1);
        return;
    }
    rh__fail(w, RH_OUTCOME_LIVENESS, monitor, "",
             "monitor %s stays hot for ever, here in behaviour %s: the events from %u to %u repeat", m->type->name,
             m->behaviour->name, loop, w->event_count - 1);
}

void rh__world_was_cut(struct rh_world *w)
{
    for (uint32_t i = 0; i < w->monitor_count && w->monitors_known && !w->semantics.temperature; i++) {
        const struct world_actor *m = &w->actors[w->monitors[i]];
        uint32_t number = m->behaviour->hot ? rh__monitor_number(m->type) : RH__MONITORS;
        if (number < RH__MONITORS)
            __atomic_fetch_or(&w->monitors_known[RH__MONITOR_CUT_HOT], (uint64_t)1 << number, __ATOMIC_RELAXED);
    }
}
