/* See shrink.h. */
#include "explore/shrink.h"

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "results/finding.h"

enum { FAULT = 1, OFF_DEFAULT = 2, CONTINUES = 4, PAST = 8, FIRST_OF_ACTOR = 16 };
enum { DEFAULT_HERE = 0xfffffffeu }; /* in a plan, instead of a step: the first open choice */

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static struct rh__shrink_step *best_of(struct rh__shrink *s)
{
    return (void *)((char *)s + s->best_at);
}

const struct rh__shrink_step *rh__shrink_best(const struct rh__shrink *s)
{
    return (const void *)((const char *)s + s->best_at);
}

static struct rh__shrink_step *now_of(struct rh__shrink *s)
{
    return (void *)((char *)s + s->now_at);
}

static uint32_t *plan_of(struct rh__shrink *s)
{
    return (void *)((char *)s + s->plan_at_offset);
}

static uint32_t *ranks_of(struct rh__shrink *s)
{
    return (void *)((char *)s + s->rank_at);
}

static uint32_t *slots_of(struct rh__shrink *s)
{
    return (void *)((char *)s + s->slot_at);
}

/* Candidates are no longer than the run, but may send more. */
static uint32_t messages_for(const struct rh__run *r)
{
    uint32_t n = 1024;
    while (n < 2 * r->message_count)
        n *= 2;
    return n;
}

static uint32_t steps_for(const struct rh__run *r, uint32_t most)
{
    return (most > r->event_count ? most : r->event_count) + 1;
}

size_t rh__shrink_size(const struct rh__run *r, uint32_t most)
{
    return sizeof(struct rh__shrink) + (size_t)steps_for(r, most) * (2 * sizeof(struct rh__shrink_step) + 8) +
           (size_t)messages_for(r) * 3 * sizeof(uint32_t) + 64;
}

/* ---- steps that are alike in every run --------------------------------------------------------------------------- */

static uint64_t name_hash(const char *name)
{
    return rh__hash(name, strlen(name), 0);
}

static uint64_t identity_of(const struct rh__run *r, uint32_t actor)
{
    return actor < r->actor_count ? rh__run_actor(r, actor)->identity : 0;
}

static uint64_t kind_of_message(const struct rh__run *r, const struct rh__run_message *m)
{
    uint64_t h = rh__mix(name_hash(m->type->name), identity_of(r, m->seen_as));
    return rh__mix(rh__mix(h, identity_of(r, m->receiver)), m->copy_of != RH_NONE);
}

static void forget_messages(struct rh__shrink *s)
{
    if (s->ranks.count)
        memset(slots_of(s), 0, (size_t)s->ranks.room * 2 * sizeof(uint32_t));
    s->ranks.count = 0;
}

/* Counts the new messages of the run, each among those of its type, sender and receiver.  False if there is no room. */
static bool meet_messages(struct rh__shrink *s, const struct rh__run *r)
{
    uint32_t *rank = ranks_of(s), *slot = slots_of(s), mask = s->ranks.room * 2 - 1;
    if (r->message_count > s->ranks.room)
        return false;
    for (; s->ranks.count < r->message_count; s->ranks.count++) {
        uint32_t i = s->ranks.count;
        uint64_t kind = kind_of_message(r, rh__run_message(r, i));
        uint32_t at = (uint32_t)kind & mask;
        while (slot[at] && kind_of_message(r, rh__run_message(r, slot[at] - 1)) != kind)
            at = (at + 1) & mask;
        rank[i] = slot[at] ? rank[slot[at] - 1] + 1 : 1;
        slot[at] = i + 1; /* the last of its kind */
    }
    return true;
}

static struct rh__shrink_step step_of(struct rh__shrink *s, const struct rh__run *r, const struct rh_choice *c)
{
    struct rh__shrink_step x = { .actor = identity_of(r, c->actor), .own = RH_NONE };
    x.who = rh__mix(rh__mix(c->kind, 17), x.actor);
    if (rh__is_about_message(c)) {
        x.who = rh__mix(x.who, kind_of_message(r, rh__run_message(r, c->what)));
        x.rank = ranks_of(s)[c->what];
    } else if (c->kind == RH_CHOICE_TIMER) {
        x.who = rh__mix(x.who, c->arg ? name_hash(rh__run_text(r, c->arg)) : 1);
    } else if (c->kind == RH_CHOICE_OUTSIDE) {
        x.who = rh__mix(x.who, name_hash(rh__run_text(r, c->arg)));
        x.rank = rh__outside_number(c);
    } else if (c->kind == RH_CHOICE_VALUE) {
        x.who = rh__mix(rh__mix(x.who, c->what), c->arg);
    } else if (c->kind == RH_CHOICE_CRASH) {
        x.rank = c->what;
    } else if (c->kind != RH_CHOICE_RESUME) {
        x.who = rh__mix(x.who, c->what);
    }
    if (rh__is_fault(c))
        x.flags |= FAULT;
    if (rh_choice_attributes(c->kind) & RH_CONTINUES)
        x.flags |= CONTINUES;
    return x;
}

/* ---- what the best run is like ----------------------------------------------------------------------------------- */

enum { MOST_OBJECTS = 256 };

/* The actors and shared objects on which the last event depends, met from the end of the run to its beginning. */
struct past {
    unsigned char *actors;
    uint64_t objects[MOST_OBJECTS];
    uint32_t object_count;
    bool all_objects;
};

static bool touches_past(const struct past *p, const struct rh__run *r, uint32_t event)
{
    uint32_t count;
    const struct rh__access *a = rh__run_accesses(r, event, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; a[i].wrote && k < p->object_count; k++)
            if (p->objects[k] == a[i].object)
                return true;
    return count && p->all_objects;
}

static void add_objects(struct past *p, const struct rh__run *r, uint32_t event)
{
    uint32_t count;
    const struct rh__access *a = rh__run_accesses(r, event, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        while (k < p->object_count && p->objects[k] != a[i].object)
            k++;
        if (k == MOST_OBJECTS)
            p->all_objects = true;
        else if (k == p->object_count)
            p->objects[p->object_count++] = a[i].object;
    }
}

static void mark(struct rh__shrink_step *steps, uint32_t event)
{
    if (event && event != RH_NONE)
        steps[event - 1].flags |= PAST;
}

static void mark_causes(struct rh__shrink_step *steps, const struct rh__run *r, uint32_t event)
{
    const struct rh_event *e = rh__run_event(r, event);
    if (rh__is_about_message(&e->choice))
        mark(steps, rh__run_message(r, e->choice.what)->event);
    mark(steps, e->set_by);
    if (e->choice.actor < r->actor_count)
        mark(steps, rh__run_actor(r, e->choice.actor)->born);
}

/* Marks what the last event depends on: earlier steps of its actor, whatever sent its messages and set its timers, and
 * changes of shared objects that it has used. */
static void mark_past(struct rh__shrink_step *steps, const struct rh__run *r)
{
    struct past *p = rh__alloc(sizeof *p + r->actor_count);
    if (!p)
        return; /* then the slice is empty, and no better run */
    p->actors = (unsigned char *)(p + 1);
    memset(p->actors, 0, r->actor_count);
    p->object_count = 0;
    p->all_objects = false;
    mark(steps, r->event_count - 1);
    for (uint32_t e = r->event_count; --e > 0;) {
        uint32_t actor = rh__run_choice(r, e)->actor;
        bool known = actor < r->actor_count;
        if (!(steps[e - 1].flags & PAST) && !(known && p->actors[actor]) && !touches_past(p, r, e))
            continue;
        mark(steps, e);
        mark_causes(steps, r, e);
        if (known)
            p->actors[actor] = 1;
        add_objects(p, r, e);
    }
    rh__free(p);
}

static void mark_own(struct rh__shrink_step *steps, const struct rh__run *r)
{
    uint32_t *last = rh__alloc_array(r->actor_count ? r->actor_count : 1, sizeof *last);
    for (uint32_t i = 0; last && i < r->actor_count; i++)
        last[i] = RH_NONE;
    for (uint32_t e = 1; last && e < r->event_count; e++) {
        uint32_t actor = rh__run_choice(r, e)->actor;
        if (actor >= r->actor_count)
            continue;
        steps[e - 1].own = last[actor];
        if (last[actor] == RH_NONE)
            steps[e - 1].flags |= FIRST_OF_ACTOR;
        last[actor] = e - 1;
    }
    rh__free(last);
}

static void count_step(struct rh__shrink_cost *c, const struct rh__shrink_step *x, const struct rh__shrink_step *before)
{
    bool switches = before && before->actor != x->actor;
    c->faults += (x->flags & FAULT) != 0;
    c->events++;
    c->preemptions += switches && x->flags & CONTINUES;
    c->switches += switches;
    c->off_default += (x->flags & OFF_DEFAULT) != 0;
}

static bool is_less(const struct rh__shrink_cost *a, const struct rh__shrink_cost *b)
{
    if (a->faults != b->faults)
        return a->faults < b->faults;
    if (a->events != b->events)
        return a->events < b->events;
    if (a->preemptions != b->preemptions)
        return a->preemptions < b->preemptions;
    if (a->switches != b->switches)
        return a->switches < b->switches;
    return a->off_default < b->off_default;
}

void rh__shrink_init(struct rh__shrink *s, const struct rh__run *r, uint32_t most, uint64_t signature,
                     const struct rh__shrink_limits *limits)
{
    uint64_t at = (sizeof *s + 15) / 16 * 16, steps = (uint64_t)steps_for(r, most) * sizeof(struct rh__shrink_step);
    s->wanted = signature;
    s->limits = *limits;
    s->ranks.room = messages_for(r);
    s->best_at = at;
    s->now_at = s->best_at + steps;
    s->plan_at_offset = s->now_at + steps;
    s->rank_at = s->plan_at_offset + (uint64_t)steps_for(r, most) * 8;
    s->slot_at = s->rank_at + (uint64_t)s->ranks.room * sizeof(uint32_t);
    RH__ASSERT(s->slot_at + (uint64_t)s->ranks.room * 2 * sizeof(uint32_t) <= rh__shrink_size(r, most),
               "shrink: no room");
    s->most = most;
    meet_messages(s, r);
    s->best_count = s->first_count = r->event_count - 1;
    for (uint32_t i = 0; i < s->best_count; i++) {
        best_of(s)[i] = step_of(s, r, rh__run_choice(r, i + 1));
        count_step(&s->cost, &best_of(s)[i], i ? &best_of(s)[i - 1] : NULL);
    }
    s->stage = RH__SHRINK_AS_IS;
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

/* The best run without the steps for which `left_out` holds.  False if that is all of them, or none. */
static bool plan_without(struct rh__shrink *s, bool (*left_out)(const struct rh__shrink *s, uint32_t step, void *arg),
                         void *arg)
{
    s->plan_count = 0;
    for (uint32_t i = 0; i < s->best_count; i++)
        if (!left_out(s, i, arg))
            plan_of(s)[s->plan_count++] = i;
    return s->plan_count < s->best_count;
}

static bool not_past(const struct rh__shrink *s, uint32_t step, void *arg)
{
    (void)arg;
    return !(rh__shrink_best(s)[step].flags & PAST);
}

static bool of_part(const struct rh__shrink *s, uint32_t step, void *arg)
{
    (void)arg;
    return step >= s->at && step - s->at < s->part;
}

static bool of_faults(const struct rh__shrink *s, uint32_t step, void *arg)
{
    uint32_t *faults = arg; /* so far */
    if (!(rh__shrink_best(s)[step].flags & FAULT))
        return false;
    uint32_t i = (*faults)++;
    return i >= s->at && i - s->at < s->part;
}

static bool of_actor(const struct rh__shrink *s, uint32_t step, void *arg)
{
    (void)arg;
    return rh__shrink_best(s)[step].actor == rh__shrink_best(s)[s->at].actor;
}

/* Halves, quarters, ..., single ones.  False behind the last. */
static bool next_part(struct rh__shrink *s, uint32_t count)
{
    while (s->at >= count) {
        if (s->part <= 1)
            return false;
        s->part = s->part / 2 < count ? s->part / 2 : count;
        s->at = 0;
    }
    return true;
}

static void next_stage(struct rh__shrink *s)
{
    s->stage++;
    s->at = 0;
    uint32_t steps = s->stage == RH__SHRINK_FAULTS ? s->cost.faults : s->best_count;
    s->part = s->round ? 1 : s->stage == RH__SHRINK_FAULTS ? steps : steps / 2;
    if (s->part < 1)
        s->part = 1;
    if (s->stage == RH__SHRINK_DONE && s->improved) {
        s->stage = RH__SHRINK_SLICE;
        s->improved = false;
        s->round++;
    }
}

/* The step at s->at comes directly after the one before it of the same actor. */
static void plan_move(struct rh__shrink *s, uint32_t behind)
{
    s->plan_count = 0;
    for (uint32_t i = 0; i < s->best_count; i++) {
        if (i != s->at)
            plan_of(s)[s->plan_count++] = i;
        if (i == behind)
            plan_of(s)[s->plan_count++] = s->at;
    }
}

static void plan_default(struct rh__shrink *s)
{
    s->plan_count = 0;
    for (uint32_t i = 0; i < s->best_count; i++) {
        if (i == s->at)
            plan_of(s)[s->plan_count++] = DEFAULT_HERE;
        plan_of(s)[s->plan_count++] = i;
    }
}

/* Makes the plan of the candidate at s->at.  False if there is none there; s->at is advanced by the caller then. */
static bool propose(struct rh__shrink *s)
{
    const struct rh__shrink_step *best = rh__shrink_best(s);
    uint32_t faults = 0;
    switch ((enum rh__shrink_stage)s->stage) {
    case RH__SHRINK_AS_IS:
        for (s->plan_count = 0; s->plan_count < s->best_count; s->plan_count++)
            plan_of(s)[s->plan_count] = s->plan_count;
        return true;
    case RH__SHRINK_SLICE:
        return plan_without(s, not_past, NULL);
    case RH__SHRINK_FAULTS:
        return plan_without(s, of_faults, &faults);
    case RH__SHRINK_ACTORS:
        return best[s->at].flags & FIRST_OF_ACTOR && plan_without(s, of_actor, NULL);
    case RH__SHRINK_PARTS:
        return plan_without(s, of_part, NULL);
    case RH__SHRINK_GATHER:
        if (best[s->at].own == RH_NONE || best[s->at].own + 1 == s->at)
            return false;
        plan_move(s, best[s->at].own);
        return true;
    case RH__SHRINK_DEFAULT:
        if (!(best[s->at].flags & OFF_DEFAULT))
            return false;
        plan_default(s);
        return true;
    default:
        return false;
    }
}

/* Whether the stage has something at s->at. */
static bool is_in_stage(struct rh__shrink *s)
{
    switch ((enum rh__shrink_stage)s->stage) {
    case RH__SHRINK_AS_IS:
    case RH__SHRINK_SLICE:
        return s->at == 0;
    case RH__SHRINK_FAULTS:
        return next_part(s, s->cost.faults);
    case RH__SHRINK_PARTS:
        return next_part(s, s->best_count);
    default:
        return s->at < s->best_count;
    }
}

static void advance(struct rh__shrink *s)
{
    bool parts = s->stage == RH__SHRINK_FAULTS || s->stage == RH__SHRINK_PARTS;
    s->at += parts ? s->part : 1;
}

bool rh__shrink_begin(struct rh__shrink *s)
{
    if (s->in_run) /* the caller has given up the last one */
        advance(s);
    s->in_run = false;
    while (s->stage != RH__SHRINK_DONE) {
        if (s->runs && !s->repeats)
            return false;
        if ((s->limits.max_runs && s->runs >= s->limits.max_runs) ||
            (s->limits.max_steps && s->steps >= s->limits.max_steps))
            return false;
        if (!is_in_stage(s)) {
            next_stage(s);
        } else if (!propose(s)) {
            advance(s);
        } else {
            s->in_run = true;
            s->plan_at = s->now_count = 0;
            s->now_cost = (struct rh__shrink_cost){ 0 };
            forget_messages(s);
            return true;
        }
    }
    s->whole = true;
    return false;
}

/* ---- the run of a candidate -------------------------------------------------------------------------------------- */

/* The first choice that is no fault, and not the end of the run if there is another one. */
static uint32_t default_of(const struct rh_choice *open, uint32_t count)
{
    uint32_t end = RH_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (open[i].kind == RH_CHOICE_END)
            end = end == RH_NONE ? i : end;
        else if (!rh__is_fault(&open[i]))
            return i;
    }
    return end == RH_NONE ? 0 : end;
}

/* The open choice that is the step, or the nearest one of its kind; RH_NONE for none. */
static uint32_t find(struct rh__shrink *s, const struct rh__run *r, const struct rh_choice *open, uint32_t count,
                     const struct rh__shrink_step *step)
{
    uint32_t best = RH_NONE, distance = RH_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (identity_of(r, open[i].actor) != step->actor)
            continue;
        struct rh__shrink_step x = step_of(s, r, &open[i]);
        uint32_t d = x.rank > step->rank ? x.rank - step->rank : step->rank - x.rank;
        if (x.who == step->who && d < distance) {
            best = i;
            distance = d;
        }
    }
    return best;
}

/* True if only one actor can move: it has to, before others can. */
static bool is_forced(const struct rh_choice *open, uint32_t count)
{
    uint32_t i = 1;
    while (i < count && open[i].actor == open[0].actor)
        i++;
    return i == count;
}

/* The step has happened already: not once more.  Gives which step of the best run it was, or RH_NONE. */
static uint32_t drop_from_plan(struct rh__shrink *s, const struct rh__shrink_step *step)
{
    uint32_t *plan = plan_of(s);
    for (uint32_t i = s->plan_at; i < s->plan_count; i++) {
        if (plan[i] >= RH__SHRINK_OTHER || best_of(s)[plan[i]].who != step->who ||
            best_of(s)[plan[i]].rank != step->rank)
            continue;
        uint32_t dropped = plan[i];
        memmove(plan + i, plan + i + 1, (s->plan_count - i - 1) * sizeof *plan);
        s->plan_count--;
        return dropped;
    }
    return RH_NONE;
}

/* The first choice that is no fault and not the held step, if there is one. */
static uint32_t without_held(struct rh__shrink *s, const struct rh__run *r, const struct rh_choice *open,
                             uint32_t count)
{
    const struct rh__shrink_step *held = &best_of(s)[s->held];
    for (uint32_t i = 0; i < count; i++) {
        struct rh__shrink_step x = step_of(s, r, &open[i]);
        if (!rh__is_fault(&open[i]) && open[i].kind != RH_CHOICE_END && (x.who != held->who || x.rank != held->rank))
            return i;
    }
    return default_of(open, count);
}

static uint32_t next_of_plan(struct rh__shrink *s, const struct rh__run *r, const struct rh_choice *open,
                             uint32_t count, uint32_t *from)
{
    *from = RH_NONE;
    while (s->plan_at < s->plan_count) {
        uint32_t i = plan_of(s)[s->plan_at];
        if (i == DEFAULT_HERE) {
            uint32_t pick = default_of(open, count);
            struct rh__shrink_step step = step_of(s, r, &open[pick]);
            s->plan_at++;
            drop_from_plan(s, &step);
            return pick;
        }
        if (i >= RH__SHRINK_OTHER) {
            struct rh__shrink_step step = step_of(s, r, &open[(i - RH__SHRINK_OTHER) % count]);
            s->plan_at++;
            drop_from_plan(s, &step);
            return (i - RH__SHRINK_OTHER) % count;
        }
        uint32_t pick = find(s, r, open, count, &best_of(s)[i]);
        if (pick == RH_NONE && best_of(s)[i].actor != identity_of(r, open[0].actor) && is_forced(open, count)) {
            pick = default_of(open, count);
            struct rh__shrink_step step = step_of(s, r, &open[pick]);
            *from = drop_from_plan(s, &step);
            return pick;
        }
        s->plan_at++;
        if (pick != RH_NONE) {
            *from = i;
            return pick;
        }
    }
    return s->plays && s->held != RH_NONE ? without_held(s, r, open, count) : default_of(open, count);
}

uint32_t rh__shrink_choose(struct rh__shrink *s, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    const struct rh__run *r = rh__world_run(w);
    uint32_t from;
    if (s->now_count == (s->plays ? s->most : s->best_count) || !meet_messages(s, r))
        return RH_NONE;
    uint32_t pick = next_of_plan(s, r, open, count, &from);
    struct rh__shrink_step *x = &now_of(s)[s->now_count];
    *x = step_of(s, r, &open[pick]);
    x->pick = pick;
    x->from = from;
    if (pick != default_of(open, count))
        x->flags |= OFF_DEFAULT;
    count_step(&s->now_cost, x, s->now_count ? x - 1 : NULL);
    s->now_count++;
    return s->now_cost.faults > s->cost.faults && !s->plays ? RH_NONE : pick;
}

void rh__shrink_play(struct rh__shrink *s, const uint32_t *steps, uint32_t count, uint32_t held)
{
    s->held = held;
    s->plays = true;
    memcpy(plan_of(s), steps, count * sizeof *steps);
    s->plan_count = count;
    s->plan_at = s->now_count = 0;
    s->now_cost = (struct rh__shrink_cost){ 0 };
    forget_messages(s);
}

const struct rh__shrink_step *rh__shrink_now(const struct rh__shrink *s, uint32_t *count)
{
    *count = s->now_count;
    return (const void *)((const char *)s + s->now_at);
}

bool rh__shrink_end(struct rh__shrink *s, const struct rh__run *r, const struct rh_outcome *outcome)
{
    bool first = s->stage == RH__SHRINK_AS_IS;
    bool same = rh_outcome_failed(outcome->kind) && rh__finding_signature(outcome) == s->wanted &&
                s->now_count == r->event_count - 1;
    s->runs++;
    s->steps += s->now_count;
    s->in_run = false;
    if (same && (first || is_less(&s->now_cost, &s->cost))) {
        memcpy(best_of(s), now_of(s), s->now_count * sizeof(struct rh__shrink_step));
        s->best_count = s->now_count;
        s->cost = s->now_cost;
        mark_own(best_of(s), r);
        mark_past(best_of(s), r);
        s->repeats = true;
        s->improved |= !first;
        if (first || s->stage >= RH__SHRINK_GATHER || s->stage == RH__SHRINK_SLICE)
            advance(s); /* in the others, the next step stands there now */
        return true;
    }
    advance(s);
    return false;
}
