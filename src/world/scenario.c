/* See scenario.h.  The body is actor 0.  It stops as a preempted process does, so that `RESUME 0` goes on with it. */
#include "world/scenario.h"

#include <rehearse/test.h>

#include "base/text.h"
#include "base/visible.h"
#include "world/actors.h"
#include "world/faults.h"
#include "world/log.h"
#include "world/network.h"
#include "world/receive.h"
#include "world/run_record.h"
#include "world/seam.h"
#include "world/seam_lives.h"
#include "world/step.h"

enum { MOST_NAMED = 8 };

static const struct rh_message_type *type_of(const struct world_message *m)
{
    return m->type == &rh__exit_signal ? &rh_message_rh_exited : m->type;
}

/* A timer of a process only puts its message into the mailbox; one without a type ends a wait. */
static bool is_taken_at_once(const struct rh_world *w, const struct world_timer *t)
{
    return t->type && w->actors[t->actor].type->kind != RH_KIND_PROCESS && w->actors[t->actor].status == STATUS_IDLE;
}

static bool fits(const struct rh_world *w, const struct rh_choice *c, const struct rh__demanded *d)
{
    if (c->actor == 0 || (d->to != RH_NONE && d->to != c->actor))
        return false;
    if (c->kind == RH_CHOICE_DELIVER) {
        const struct world_message *m = &w->messages[c->what];
        return !m->wake && type_of(m) == d->type && (d->from == RH_NONE || d->from == m->seen_as);
    }
    const struct world_timer *t = &w->timers[c->what];
    return c->kind == RH_CHOICE_TIMER && t->type == d->type && (d->from == RH_NONE || d->from == c->actor) &&
           is_taken_at_once(w, t);
}

/* Whether the choice completes what was begun: it is nothing that a scenario has to mention. */
static bool completes(const struct rh_choice *c)
{
    return c->actor != 0 && !rh__is_fault(c) &&
           (c->kind == RH_CHOICE_RESUME || c->kind == RH_CHOICE_VALUE || c->kind == RH_CHOICE_OPEN ||
            c->kind == RH_CHOICE_STORED);
}

/* ---- what is enabled --------------------------------------------------------------------------------------------- */

/* Leaves one choice. */
static void keep(struct rh_world *w, uint32_t i)
{
    w->choices[0] = w->choices[i];
    w->choice_count = 1;
}

/* Leaves the choice that completes a step, all values of it if it is a value; false if there is none. */
static bool keep_rest(struct rh_world *w)
{
    uint32_t first = 0, n = 0;
    while (first < w->choice_count && !completes(&w->choices[first]))
        first++;
    if (first == w->choice_count)
        return false;
    struct rh_choice c = w->choices[first];
    for (uint32_t i = first; i < w->choice_count; i++)
        if (i == first || (completes(&w->choices[i]) && c.kind == RH_CHOICE_VALUE &&
                           w->choices[i].kind == RH_CHOICE_VALUE && w->choices[i].actor == c.actor))
            w->choices[n++] = w->choices[i];
    w->choice_count = n;
    return true;
}

static bool keep_fitting(struct rh_world *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->choice_count; i++)
        if (fits(w, &w->choices[i], w->demanded))
            w->choices[n++] = w->choices[i];
    if (n)
        w->choice_count = n;
    return n;
}

/* The body goes on. */
static void keep_body(struct rh_world *w)
{
    for (uint32_t i = 0; i < w->choice_count; i++)
        if (w->choices[i].kind == RH_CHOICE_RESUME && w->choices[i].actor == 0) {
            keep(w, i);
            return;
        }
    w->choice_count = 0;
}

/* The timer that is due first; of several, that of the body last, so that it wakes after them. */
static void keep_first_timer(struct rh_world *w)
{
    uint32_t best = RH_NONE;
    for (uint32_t i = 0; i < w->choice_count; i++) {
        if (w->choices[i].kind != RH_CHOICE_TIMER)
            continue;
        int64_t due = w->timers[w->choices[i].what].deadline_ns;
        int64_t least = best == RH_NONE ? 0 : w->timers[w->choices[best].what].deadline_ns;
        if (best == RH_NONE || due < least || (due == least && w->choices[best].actor == 0))
            best = i;
    }
    if (best == RH_NONE)
        w->choice_count = 0;
    else
        keep(w, best);
}

void rh__demand_narrow(struct rh_world *w)
{
    if (w->demand == RH__DEMANDS_MESSAGE && keep_fitting(w))
        return;
    if (keep_rest(w))
        return;
    if (w->demand == RH__DEMANDS_TIME)
        keep_first_timer(w);
    else
        keep_body(w);
}

void rh__demand_step(struct rh_world *w, const struct rh_event *event)
{
    const struct rh_choice *c = &event->choice;
    bool took = c->actor != 0 && (c->kind == RH_CHOICE_DELIVER || c->kind == RH_CHOICE_TIMER);
    if (w->demand != RH__DEMANDS_MESSAGE || !took)
        return;
    put32(w, &w->demand, RH__DEMANDS_REST);
    put32(w, &w->demand_message, c->kind == RH_CHOICE_DELIVER ? c->what : event->first_message);
}

/* ---- the body's side --------------------------------------------------------------------------------------------- */

static struct rh_world *inside_scenario(const char *call, const char *here)
{
    struct rh_world *w = inside_actor(call, here);
    if (w && (w->current != 0 || !w->test->scenario))
        rh__misuse(w, here, "%s is for the body of a scenario: RH_SCENARIO(name)", call);
    return w;
}

static void demand(struct rh_world *w, enum rh__demand what, const char *here)
{
    put32(w, &w->demand, what);
    rh__halt(w, STATUS_PREEMPTED, here);
    put32(w, &w->demand, RH__DEMANDS_NOTHING);
}

/* Completes what earlier steps began, and lists what can happen then. */
static void list_choices(struct rh_world *w, const char *here)
{
    rh__choices_inside(w);
    bool rest = false;
    for (uint32_t i = 0; i < w->choice_count; i++)
        rest |= completes(&w->choices[i]);
    if (!rest)
        return;
    demand(w, RH__DEMANDS_REST, here);
    rh__choices_inside(w);
}

static void add_name(const struct rh_world *w, uint32_t actor, struct rh__text *t)
{
    char name[128];
    rh_world_actor_name(w, actor, name, sizeof name);
    rh__text_add_visible(t, name);
}

static void add_wanted(const struct rh_world *w, const struct rh__demanded *d, struct rh__text *t)
{
    rh__text_add(t, "%s", d->type->name);
    if (d->from != RH_NONE) {
        rh__text_add(t, " from ");
        add_name(w, d->from, t);
    }
    if (d->to != RH_NONE) {
        rh__text_add(t, " to ");
        add_name(w, d->to, t);
    }
}

/* What could be taken now. */
static void add_possible(const struct rh_world *w, struct rh__text *t)
{
    uint32_t named = 0, more = 0;
    for (uint32_t i = 0; i < w->choice_count; i++) {
        const struct rh_choice *c = &w->choices[i];
        bool message = c->kind == RH_CHOICE_DELIVER && !w->messages[c->what].wake;
        bool timer = c->kind == RH_CHOICE_TIMER && w->timers[c->what].type;
        if (c->actor == 0 || (!message && !timer))
            continue;
        if (named == MOST_NAMED) {
            more++;
            continue;
        }
        rh__text_add(t, "%s", named++ ? ", " : "; possible is: ");
        if (timer) {
            rh__text_add(t, "%s by a timer of ", w->timers[c->what].type->name);
            add_name(w, c->actor, t);
        } else {
            const struct world_message *m = &w->messages[c->what];
            add_wanted(w, &(struct rh__demanded){ type_of(m), m->seen_as, c->actor }, t);
        }
    }
    if (more)
        rh__text_add(t, " and %u more", more);
    else if (!named)
        rh__text_add(t, "; nothing can be taken now");
}

static uint32_t actor_or_any(struct rh_world *w, rh_ref who, const char *call, const char *here)
{
    return rh_is_nobody(who) ? RH_NONE : rh__known(w, who, call, here);
}

const void *rh__seam_wanted(int wanted, const struct rh_message_type *type, rh_ref from, rh_ref to, const char *here)
{
    static const char *const calls[] = { "rh_expect", "rh_allow", "rh_disallow" };
    const char *call = calls[wanted];
    struct rh_world *w = inside_scenario(call, here);
    char text[1024];
    struct rh__text t;
    if (!w)
        return NULL;
    struct rh__demanded d = { type, actor_or_any(w, from, call, here), actor_or_any(w, to, call, here) };
    if (d.to == 0)
        rh__misuse(w, here, "%s: .to is the scenario itself, which takes messages by rh_receive", call);
    list_choices(w, here);
    uint32_t found = RH_NONE;
    for (uint32_t i = 0; i < w->choice_count && found == RH_NONE; i++)
        if (fits(w, &w->choices[i], &d))
            found = i;
    rh__text_init(&t, text, sizeof text);
    if (wanted == RH_EXPECTED && found == RH_NONE) {
        add_wanted(w, &d, &t);
        rh__text_add(&t, " cannot be taken now");
        add_possible(w, &t);
        rh__fail_inside(w, RH_OUTCOME_ASSERTION, here, "rh_expect: %s", text);
    }
    if (wanted == RH_DISALLOWED && found != RH_NONE) {
        const struct rh_choice *c = &w->choices[found];
        add_wanted(w,
                   &(struct rh__demanded){ type, c->kind == RH_CHOICE_DELIVER ? w->messages[c->what].seen_as : c->actor,
                                           c->actor },
                   &t);
        rh__fail_inside(w, RH_OUTCOME_ASSERTION, here, "rh_disallow: %s can be taken now", text);
    }
    if (wanted == RH_DISALLOWED || found == RH_NONE)
        return NULL;
    put32(w, &w->demand_message, RH_NONE);
    put_pointer(w, &w->demanded, &d);
    demand(w, RH__DEMANDS_MESSAGE, here);
    if (w->demand_message == RH_NONE) { /* another process has changed what can happen: the program is at fault */
        add_wanted(w, &d, &t);
        rh__fail_inside(w, RH_OUTCOME_ASSERTION, here, "%s: %s was not taken", call, text);
    }
    return rh__message_value(w, &w->messages[w->demand_message]);
}

void rh__seam_advance_time(int64_t ms, const char *here)
{
    struct rh_world *w = inside_scenario("rh_advance_time", here);
    if (!w)
        return;
    if (ms < 0)
        rh__misuse(w, here, "rh_advance_time(%lld): time does not go back", (long long)ms);
    if (w->semantics.time == RH_TIME_LOGICAL)
        rh__misuse(w, here, "rh_advance_time: with logical time each actor has a clock of its own");
    list_choices(w, here);
    put32(w, &w->demand, RH__DEMANDS_TIME);
    rh__sleep(w, rh__ms(ms), here);
    put32(w, &w->demand, RH__DEMANDS_NOTHING);
}

const void *rh__seam_state_of(const struct rh_actor_type *type, rh_ref who, const char *here)
{
    struct rh_world *w = inside_scenario("rh_state_of", here);
    if (!w)
        return NULL;
    uint32_t actor = rh__known(w, who, "rh_state_of", here);
    const struct world_actor *a = &w->actors[actor];
    char name[128];
    rh_world_actor_name(w, actor, name, sizeof name);
    if (a->type != type)
        rh__misuse(w, here, "rh_state_of: %s is no %s", name, type->name);
    if (has_ended(a))
        rh__misuse(w, here, "rh_state_of: %s has ended", name);
    if (w->semantics.check_isolation)
        rh__misuse(w, here, "rh_state_of: with check_isolation nobody reads the memory of another");
    return a->region;
}
