/* Timers (actors.h): a list per actor; a list of all timers that are set, newest first, for the set of enabled choices;
 * and a hash table that finds a timer by its name.
 *
 * enabled.c decides which of them may fire.
 *
 * With granularity object there is no shared clock, because reading it would order all steps: an actor knows the
 * deadlines of its own timers that have fired, and what the senders of its messages knew (now_ns, sent_ns).
 *
 * Logical time is the same with any granularity, and each message that is taken is a tick: logical time [Bita 2013,
 * VI-A], with which programs that depend on the passing of time can be tested, counted as in [Lamport 1978], so that
 * steps of different actors still commute.
 *
 *     an actor       begins with its creator's clock
 *     takes m        clock = max(clock, clock of the sender when it sent m) + tick
 *     timer fires    clock = max(clock + tick, deadline)
 *
 * Ordered time with granularity object: the next timer depends on all actors, so there is one clock, which is a shared
 * object.  Setting a timer, cancelling one, beginning a sleep or a wait with a time limit, and reading the time are
 * operations on the clock, and steps of their own.  So is each advance of the clock to the next deadline: a step of a
 * hidden actor, which sends the owner a message.  Of equal deadlines the one that was set first is next, as if setting
 * it had taken some time.  Whether the clock may advance depends on these operations alone, not on what owners do
 * otherwise: a wait that was ended by a message, or an actor that has ended, leaves its timers with the clock, which
 * reaches them without effect unless the owner makes a clock operation before.  A poll (RH_POLL) needs no clock: its
 * end is a step of its actor, as with free time.  An actor knows the time of its last clock operation, and what the
 * senders of its messages knew; monitors and predicates use that time.
 *
 * Unless the test asks for pauses, that clock stands still while somebody acts: it advances only if no actor is inside
 * a handler, and none can take what the clock has sent it.  So a handler reads the same time twice, and whoever is due
 * earlier acts earlier, as with granularity handler.  Then operations on the clock need no stop before them, and do not
 * meet each other: only the advance of the clock changes what they find. */
#include <stdio.h>
#include <string.h>

#include "base/copy.h"
#include "base/hash.h"
#include "base/text.h"
#include "world/actors.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/step.h"

static uint64_t label_of(struct rh_world *w, uint32_t actor, const char *name)
{
    static const char timer[] = "'s timer \"", wait[] = "the end of ", whose[] = "'s wait";
    size_t room = rh__run_actor_path_room(rh__world_run(w), actor) + (name ? strlen(name) : 0) + sizeof timer +
                  sizeof wait + sizeof whose;
    uint64_t at = rh__payload_take(w, room);
    struct rh__text t;
    rh__text_init(&t, w->payload + at, room);
    if (!name)
        rh__text_put(&t, wait, sizeof wait - 1);
    rh__run_actor_path(rh__world_run(w), actor, &t);
    if (name) {
        rh__text_put(&t, timer, sizeof timer - 1);
        rh__text_put(&t, name, strlen(name));
        rh__text_put(&t, "\"", 1);
    } else {
        rh__text_put(&t, whose, sizeof whose - 1);
    }
    return at;
}

/* The first timer in the list of those whose owner and name have this hash. */
static uint32_t *names_like(const struct rh_world *w, uint32_t actor, const char *name)
{
    return &w->timer_names[rh__hash(name, strlen(name), actor) & (TIMER_NAMES - 1)];
}

/* In memory that processes share: two that note a name at once lose one of them at most. */
RH__APART static void note_name(struct rh_timer_names *seen, const char *name)
{
    uint32_t count = seen->count, room = sizeof seen->names / sizeof *seen->names;
    for (uint32_t i = 0; i < count; i++)
        if (strncmp(seen->names[i], name, sizeof *seen->names - 1) == 0)
            return;
    if (count == room)
        return;
    snprintf(seen->names[count], sizeof *seen->names, "%s", name);
    seen->count = count + 1;
}

uint32_t rh__timer_set(struct rh_world *w, uint32_t actor, const char *name, int64_t delay_ns,
                       const struct rh_message_type *type, const void *value)
{
    struct world_actor *a = &w->actors[actor];
    uint32_t index = POOL_TAKE(w, timer_pool, timers, MAX_TIMERS);
    if (index == RH_NONE) {
        rh__fail(w, RH_OUTCOME_LIMIT, actor, "", "more than %u timers are set", MAX_TIMERS);
        return RH_NONE;
    }
    struct world_timer *t = &w->timers[index];
    rh__log_image(w, t, sizeof *t);
    t->type = type;
    t->deadline_ns = rh__later(rh__time_of(w, actor), delay_ns);
    t->actor = actor;
    t->event = t->first_set = w->event_count - 1;
    t->budget = name && w->timer_budget_count ? rh__timer_budget(w, name) : RH_NONE;
    if (name && w->timer_budget_count && w->timer_names_seen)
        note_name(w->timer_names_seen, name);
    t->clocked = w->clock != RH_NONE && (type || delay_ns > 0);
    t->wait = t->clocked && !type ? a->wait : 0;
    t->life = a->restarts + 1;
    t->label = t->clocked ? label_of(w, actor, type ? name : NULL) : 0;
    t->name = type ? rh__payload_text(w, name) : 0;
    t->payload = 0;
    t->hash = rh__wide_of(0);
    t->name_hash = 0;
    if (type) {
        t->payload = rh__payload_take(w, type->size);
        rh__copy(w->payload + t->payload, value, type->size);
    }
    if (type) {
        uint32_t *alike = names_like(w, actor, name);
        t->next_alike = *alike;
        put32(w, alike, index + 1);
    }
    t->previous = RH_NONE;
    t->next = a->timers;
    if (t->next != RH_NONE)
        put32(w, &w->timers[t->next].previous, index);
    put32(w, &a->timers, index);
    t->newer = RH_NONE;
    t->older = w->timer_newest;
    if (t->older != RH_NONE)
        put32(w, &w->timers[t->older].newer, index);
    put32(w, &w->timer_newest, index);
    return index;
}

uint32_t rh__timer_budget(const struct rh_world *w, const char *name)
{
    uint32_t i = rh__timer_budget_of(w->timer_budgets, w->timer_budget_count, name);
    return i < w->timer_budget_count ? i : RH_NONE;
}

void rh__timer_spend(struct rh_world *w, const struct world_timer *t)
{
    if (t->budget != RH_NONE)
        put32(w, &w->timers_left[t->budget], w->timers_left[t->budget] - 1);
}

bool rh__timers_are_spent(const struct rh_world *w)
{
    uint32_t i = w->timer_budget_count ? w->timer_newest : RH_NONE;
    while (i != RH_NONE && !rh__timer_is_spent(w, &w->timers[i]))
        i = w->timers[i].older;
    return i != RH_NONE;
}

void rh__clock_reach(struct rh_world *w, uint32_t actor, int64_t ns)
{
    struct world_actor *a = &w->actors[actor];
    if (ns > a->now_ns)
        put_time(w, &a->now_ns, ns);
}

void rh__clock_hear(struct rh_world *w, uint32_t actor, int64_t sent_ns)
{
    int64_t own = w->actors[actor].now_ns;
    rh__clock_reach(w, actor, rh__later(sent_ns > own ? sent_ns : own, w->tick_ns));
}

uint32_t rh__timer_find(const struct rh_world *w, uint32_t actor, const char *name)
{
    uint32_t i = *names_like(w, actor, name);
    while (i && (w->timers[i - 1].actor != actor || strcmp(w->payload + w->timers[i - 1].name, name) != 0))
        i = w->timers[i - 1].next_alike;
    return i ? i - 1 : RH_NONE;
}

void rh__timer_unset(struct rh_world *w, uint32_t timer)
{
    struct world_timer *t = &w->timers[timer];
    put32(w, t->previous != RH_NONE ? &w->timers[t->previous].next : &w->actors[t->actor].timers, t->next);
    if (t->next != RH_NONE)
        put32(w, &w->timers[t->next].previous, t->previous);
    if (t->type) {
        uint32_t *at = names_like(w, t->actor, w->payload + t->name);
        while (*at != timer + 1)
            at = &w->timers[*at - 1].next_alike;
        put32(w, at, t->next_alike);
    }
    if (t->newer != RH_NONE)
        put32(w, &w->timers[t->newer].older, t->older);
    else
        put32(w, &w->timer_newest, t->older);
    if (t->older != RH_NONE)
        put32(w, &w->timers[t->older].newer, t->newer);
    put32(w, &t->next, w->timer_pool.free);
    put32(w, &w->timer_pool.free, timer);
}

/* ---- the clock of ordered time with granularity object ----------------------------------------------------------- */

static const char clock_name[] = "the clock";

uint64_t rh__clock_identity(void)
{
    return rh__hash(clock_name, sizeof clock_name, 3);
}

void rh__clock_begin(struct rh_world *w)
{
    if (rh__by_object(w) && w->semantics.time == RH_TIME_ORDERED)
        w->clock = rh__actor_outside(w, clock_name, rh__clock_identity());
}

static uint64_t clock_object(void)
{
    return rh__object(RH__OBJECT_CLOCK, 0);
}

static bool is_stale(const struct world_actor *owner, const struct world_timer *t)
{
    return t->clocked && (t->life != owner->restarts + 1 || (!t->type && t->wait != owner->wait));
}

void rh__clock_operation(struct rh_world *w, const char *place)
{
    if (w->clock == RH_NONE || !w->inside || w->observing != RH_NONE || w->matching != RH_NONE)
        return;
    if (rh__clock_is_still(w))
        rh__touch_as(w, clock_object(), false, 0, 0);
    else
        rh__operation(w, clock_object(), place);
    rh__clock_reach(w, w->current, w->now_ns);
    const struct world_actor *a = &w->actors[w->current];
    for (uint32_t i = a->timers, next; i != RH_NONE; i = next) {
        next = w->timers[i].next;
        if (is_stale(a, &w->timers[i]))
            rh__timer_unset(w, i);
    }
}

/* Of two timers, `one` was set earlier.  A clock that stands still does not know which of two actors was earlier. */
static bool comes_first(const struct rh_world *w, const struct world_timer *one, const struct world_timer *other)
{
    if (one->deadline_ns != other->deadline_ns || !rh__clock_is_still(w) || one->actor == other->actor)
        return one->deadline_ns <= other->deadline_ns;
    return w->actors[one->actor].identity < w->actors[other->actor].identity;
}

uint32_t rh__clock_next(const struct rh_world *w)
{
    uint32_t best = RH_NONE;
    for (uint32_t i = w->timer_newest; i != RH_NONE; i = w->timers[i].older)
        if (w->timers[i].clocked && !rh__timer_is_spent(w, &w->timers[i]) &&
            (best == RH_NONE || comes_first(w, &w->timers[i], &w->timers[best])))
            best = i;
    return best;
}

/* ---- a clock that stands still ----------------------------------------------------------------------------------- */

/* A message of the clock that its receiver can take now, from this channel on; RH_NONE for none. */
static uint32_t due_from(struct rh_world *w, uint32_t channel)
{
    for (uint32_t c = channel; c < w->channel_count; c++) {
        if (!(w->ready[c / 64] >> c % 64)) {
            c |= 63;
            continue;
        }
        if (w->channels[c].sender != w->clock || !(w->ready[c / 64] >> c % 64 & 1))
            continue;
        for (uint32_t m = w->channels[c].first; m != RH_NONE; m = w->messages[m].next)
            if (rh__message_deliverable(w, m))
                return m;
    }
    return RH_NONE;
}

bool rh__clock_may_reach(struct rh_world *w, uint32_t timer)
{
    if (!rh__clock_is_still(w) || w->timers[timer].deadline_ns <= w->now_ns)
        return true;
    return !w->halted && due_from(w, 0) == RH_NONE;
}

static void holds(struct rh__clock_holders *h, uint32_t actor)
{
    h->some |= (uint64_t)1 << actor % 64;
    h->sum += rh__mix(actor, 11);
}

struct rh__clock_holders rh__clock_holders(const struct rh_world *world)
{
    struct rh_world *w = (struct rh_world *)(uintptr_t)world; /* asking changes nothing that lasts */
    struct rh__clock_holders h = { .now_ns = w->now_ns, .many = w->actor_count > 64 };
    if (!rh__clock_is_still(w))
        return h;
    for (uint32_t i = w->timer_newest; i != RH_NONE; i = w->timers[i].older) {
        h.set += w->timers[i].clocked;
        h.set_now += w->timers[i].clocked && w->timers[i].event == w->event_count - 1;
    }
    for (uint32_t i = rh__test_is_over(w); i < w->actor_count; i++)
        if (rh__is_busy(w, &w->actors[i]))
            holds(&h, i);
    for (uint32_t m = due_from(w, 0); m != RH_NONE; m = due_from(w, w->messages[m].channel + 1))
        holds(&h, w->messages[m].receiver); /* who is inside a handler takes none */
    return h;
}

void rh__clock_ring(struct rh_world *w, uint32_t timer)
{
    struct world_timer t = w->timers[timer];
    const struct world_actor *owner = &w->actors[t.actor];
    rh__touch(w, clock_object());
    if (t.deadline_ns > w->now_ns)
        put_time(w, &w->now_ns, t.deadline_ns);
    rh__clock_reach(w, w->clock, w->now_ns);
    rh__timer_unset(w, timer);
    struct world_sending s = SENDING(.from = w->clock, .to = t.actor, .type = t.type ? t.type : &rh__wake,
                                     .value = t.type ? w->payload + t.payload : NULL);
    s.seen_as = t.actor;
    if (has_ended(owner) || is_stale(owner, &t))
        rh__message_waste(w, &s);
    else {
        rh__timer_spend(w, &t);
        rh__message_send(w, &s);
    }
    struct world_message *m = &w->messages[w->message_count - 1];
    m->timer = (uint32_t)(t.name / 16);
    m->wake = t.wait;
    m->life = t.life;
}
