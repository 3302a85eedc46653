/* See loop.h. */
#include "explore/engine/loop.h"

#include "explore/engine/engine.h"
#include "explore/explorers.h"
#include "explore/fairness.h"
#include "world/live.h"

bool rh__loop_open(struct rh_exploration *x)
{
    size_t most = rh__exploration_most_choices(x) * RH__UNITS_OF_CHOICE * sizeof(uint64_t);
    if (!x->loop.pending)
        x->loop.pending = rh_exploration_memory(x, most);
    if (!x->loop.here)
        x->loop.here = rh_exploration_memory(x, most);
    return x->loop.pending && x->loop.here;
}

void rh__loop_clear(struct rh__loop *l)
{
    l->active = l->known = false;
}

void rh__loop_begin(struct rh__loop *l, const struct rh_world *w)
{
    l->active = true;
    l->known = false;
    l->events = rh__depth(w);
    l->state = rh_world_fingerprint_wide(w);
}

void rh__exploration_loop_begins(struct rh_exploration *x, const struct rh_world *w)
{
    rh__loop_begin(&x->loop, w);
}

/* The state after the last step.  While an actor is in rh_choose nobody else can move, but that is no state in which
 * anything waits: the handler is not at its end. */
static void enter(struct rh__loop *l, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    if (rh__world_is_choosing(w))
        return;
    uint32_t n = rh__units_of_state(w, open, count, l->here);
    if (l->known) {
        l->pending_count = rh__units_keep(l->pending, l->pending_count, l->here, n);
        n = rh__units_set(w, open, count, l->here);
        for (uint32_t i = 0; i < n; i++)
            l->pending_count = rh__units_remove(l->pending, l->pending_count, l->here[i]);
        return;
    }
    uint64_t *mine = l->pending;
    l->pending = l->here;
    l->here = mine;
    l->pending_count = n;
    l->known = true;
}

void rh__loop_step(struct rh__loop *l, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                   uint32_t pick)
{
    uint64_t served[RH__UNITS_OF_CHOICE];
    enter(l, w, open, count);
    uint32_t n = pick < count ? rh__units_of_choice(w, &open[pick], served) : 0;
    for (uint32_t i = 0; i < n && l->known; i++)
        l->pending_count = rh__units_remove(l->pending, l->pending_count, served[i]);
}

/* The first monitor, or this one, that was hot before the loop and has been hot since. */
static uint32_t hot_monitor(const struct rh__loop *l, const struct rh_world *w, uint32_t monitor)
{
    const uint32_t *monitors;
    uint32_t count = rh__world_monitors(w, &monitors);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t since = rh__monitor_hot_since(w, monitors[i]);
        if (since != RH_NONE && since < l->events && (monitor == RH_NONE || monitor == monitors[i]))
            return monitors[i];
    }
    return RH_NONE;
}

static bool has_timer(const struct rh_world *w, uint32_t from)
{
    uint32_t count;
    const struct rh_event *events = rh_world_events(w, &count);
    while (from < count && events[from].choice.kind != RH_CHOICE_TIMER)
        from++;
    return from < count;
}

const char *rh__loop_end(struct rh__loop *l, const struct rh_world *w, uint32_t monitor)
{
    struct rh_fingerprint now = rh_world_fingerprint_wide(w);
    uint32_t count;
    const struct rh_choice *open = rh__world_open(w, &count);
    if (!l->active || rh__depth(w) == l->events)
        return "the loop has no events";
    if (now.high != l->state.high || now.low != l->state.low)
        return "the loop does not come back to the state in which it began";
    l->monitor = monitor == RH__NO_MONITOR ? monitor : hot_monitor(l, w, monitor);
    if (monitor == RH__NO_MONITOR && has_timer(w, l->events))
        return "timers drive the loop";
    if (l->monitor == RH_NONE)
        return monitor == RH_NONE ? "no monitor is hot all the time in the loop"
                                  : "the monitor is not hot all the time in the loop";
    enter(l, w, open, count);
    if (l->known && l->pending_count)
        return "the loop is not fair: something could always happen in it, and never happens";
    return NULL;
}

const char *rh__exploration_loop_ends(struct rh_exploration *x, const struct rh_world *w, uint32_t monitor)
{
    return rh__loop_end(&x->loop, w, monitor);
}
