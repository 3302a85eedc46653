/* Questions about a live world (live.h). */
#include "world/live.h"

#include <string.h>

#include "base/hash.h"
#include "world/crash_points.h"
#include "world/fiber.h"
#include "world/fingerprint.h"
#include "world/memory.h"
#include "world/state.h"
#include "world/step.h"
#include "world/symbol.h"

/* ---- the current run --------------------------------------------------------------------------------------------- */

struct rh__timer_origin rh__timer_origin(const struct rh_world *w, uint32_t timer)
{
    const struct world_timer *t = &w->timers[timer];
    return (struct rh__timer_origin){ t->event, t->type ? t->name : 0, t->deadline_ns };
}

uint32_t rh__timer_actor(const struct rh_world *w, uint32_t timer)
{
    return w->timers[timer].actor;
}

uint64_t rh__timer_name_hash(const struct rh_world *w, uint32_t timer)
{
    struct world_timer *t = &w->timers[timer];
    if (t->type && !t->name_hash) {
        const char *name = w->payload + t->name;
        uint64_t hash = rh__hash(name, strlen(name), 0);
        t->name_hash = hash ? hash : 1;
    }
    return t->name_hash;
}

bool rh__timer_message(const struct rh_world *w, uint32_t timer, struct rh__timer_message *m)
{
    const struct world_timer *t = &w->timers[timer];
    *m = (struct rh__timer_message){ t->type, w->payload + t->payload, w->payload + t->name };
    return t->type && !t->clocked;
}

bool rh__opening(const struct rh_world *w, uint32_t number, struct rh__opening *o)
{
    const struct world_opening *x = &w->openings[number < w->opening_count ? number : 0];
    *o = (struct rh__opening){ x->type, (const void *)(uintptr_t)x->when, x->actor };
    return number < w->opening_count;
}

uint32_t rh__outside_left(const struct rh_world *w)
{
    return w->left.outside;
}

bool rh__actor_awaits_start(const struct rh_world *w, uint32_t actor)
{
    return w->actors[actor].start != RH_NONE;
}

bool rh__actor_waits(const struct rh_world *w, uint32_t actor, char *buffer, size_t size)
{
    const struct world_actor *a = &w->actors[actor];
    if (a->status != STATUS_WAITING && a->status != STATUS_SLEEPING && a->status != STATUS_SYNCING)
        return false;
    if (a->status == STATUS_WAITING && w->can_read_stacks && a->asking == RH_NONE && a->filter->idle)
        return false; /* an idle server */
    rh_world_actor_text(w, actor, buffer, size);
    return true;
}

bool rh__actor_stands(const struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    return (a->status == STATUS_WAITING && !rh__actor_is_timed(w, actor)) || a->status == STATUS_IDLE;
}

uint32_t rh__actor_of_ref(const struct rh_world *w, rh_ref ref)
{
    return actor_of(w, ref);
}

bool rh__actor_has_timers(const struct rh_world *w, uint32_t actor)
{
    return w->actors[actor].timers != RH_NONE;
}

bool rh__actor_is_timed(const struct rh_world *w, uint32_t actor)
{
    return w->actors[actor].wake != RH_NONE;
}

bool rh__world_handling(const struct rh_world *w, uint32_t *actor, uint32_t *message)
{
    const struct rh_choice *c = w->event_count ? &w->events[w->event_count - 1].choice : NULL;
    if (!c || c->kind != RH_CHOICE_DELIVER || w->current != c->actor || w->observing != RH_NONE)
        return false;
    *actor = c->actor;
    *message = c->what;
    return true;
}

bool rh__world_is_choosing(const struct rh_world *w)
{
    return w->chooser != RH_NONE || w->gathered || (rh__at_point_now(w) != RH_NONE && !w->delivery.by_receiver);
}

uint32_t rh__world_narrows(const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    /* A quiet phase begins after so many events: steps before it do not commute with the others. */
    bool all = w->delivery.by_receiver || w->semantics.quiet_after;
    uint32_t point = all ? RH_NONE : rh__at_point_now(w), n = 0;
    while (point != RH_NONE && n < count && open[n].actor == point &&
           (open[n].kind == RH_CHOICE_RESUME || open[n].kind == RH_CHOICE_CRASH))
        n++;
    return n ? n : count;
}

bool rh__world_has_faults(const struct rh_world *w)
{
    return w->any_faults;
}

uint32_t rh__world_most_choices(const struct rh_world *w)
{
    return w->choice_capacity;
}

uint32_t rh__world_most_messages(void)
{
    return MAX_MESSAGES;
}

const struct rh_outcome *rh__world_recorded_outcome(const struct rh_world *w)
{
    return &w->outcome;
}

void rh__world_set_outcome(struct rh_world *w, const struct rh_outcome *o)
{
    w->outcome = *o;
}

/* ---- all runs of this world -------------------------------------------------------------------------------------- */

const struct rh_test *rh__world_test(const struct rh_world *w)
{
    return w->test;
}

const volatile uint64_t *rh__world_ticks(const struct rh_world *w)
{
    return &w->ticks;
}

const uint32_t *rh__world_event_counter(const struct rh_world *w)
{
    return &w->event_count;
}

uint64_t rh__world_steps(const struct rh_world *w)
{
    return w->counts.steps;
}

bool rh__address_place(const void *address, char *buffer, size_t size)
{
    return rh__symbol_place(address, buffer, size);
}

/* ---- the child process that takes the steps ---------------------------------------------------------------------- */

bool rh__world_child_killed(const struct rh_world *w)
{
    return w->killed;
}

int rh__world_fork_error(const struct rh_world *w)
{
    return w->fork_errno;
}

bool rh__world_tool_failed(const struct rh_world *w)
{
    return w->tool_failed;
}

void rh__world_supervise(struct rh_world *w)
{
    w->supervised = true;
}

void rh__world_will_print(struct rh_world *w)
{
    w->fingerprints = true;
    rh__fiber_calls(w);
}

void rh__world_has_seen(struct rh_world *w, uint32_t meaning)
{
    if (meaning & 1)
        rh__clock_seen(w);
    if (meaning & 2)
        rh__set_seen(w);
    rh__stacks_have_meant(w, meaning >> 2);
}

/* ---- actors that are alike --------------------------------------------------------------------------------------- */

/* A repeated run compares alike actors again.  Then handlers must find the same bytes on their stacks, because handlers
 * copy stack bytes as padding. */
static void clean_stacks(struct rh_world *w)
{
    enum { USUAL = 8192, MARGIN = 1024 };
    uint32_t depth = w->handler_depth ? w->handler_depth + MARGIN : USUAL;
    uint32_t all = w->semantics.max_stack_bytes;
    depth = depth < all ? depth : all;
    rh__stacks_clean_to(w, depth);
}

void rh__world_watch_twins(struct rh_world *w)
{
    w->watches_twins = true;
    clean_stacks(w);
}

bool rh__world_told_apart(const struct rh_world *w)
{
    return w->told_apart || *w->globals_writer;
}

void rh__world_only_reset(struct rh_world *w, bool only)
{
    bool no_undo = only || w->never_undoes;
    if (w->no_undo == no_undo)
        return;
    w->no_undo = no_undo;
    rh__lists_forget(w);
    if (w->large_count)
        rh__regions_begin_anew(w);
}

void rh__world_drop_delays(struct rh_world *w)
{
    w->semantics.delays = 0;
}

const char *rh__world_refuses_sets(const struct rh_world *w)
{
    return w->no_sets;
}

void rh__world_refuse_sets(struct rh_world *w, const char *sentence, bool only_timed)
{
    w->no_sets = sentence;
    w->no_timed_sets_only = only_timed;
}

bool rh__world_hides_causes(const struct rh_world *w)
{
    return w->looked_around || *w->globals_writer;
}

uint64_t rh__clock_questions(const struct rh_world *w)
{
    return w->clock_questions;
}
