/* The search for a plan, backwards from the block: see plan.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "target/plan.h"

enum { MOST_SOLUTIONS = 40, CALLS_DEEP = 8 };

/* ---- changing a plan --------------------------------------------------------------------------------------------- */

static uint32_t actor_in(struct plan *p, struct plan_actor x)
{
    for (uint32_t i = 0; i < p->actor_count; i++) {
        const struct plan_actor *a = &p->actors[i];
        if (x.index != RH__NO_INDEX ? a->index == x.index
                                    : a->index == RH__NO_INDEX && a->step == x.step && a->effect == x.effect)
            return i;
    }
    if (p->actor_count == PLAN_ACTORS)
        return RH__NO_INDEX;
    p->actors[p->actor_count] = x;
    p->lengths[p->actor_count] = 0;
    return p->actor_count++;
}

static bool is_used(const struct plan *p, enum plan_supply supply, uint32_t from, uint32_t effect)
{
    for (uint32_t i = 0; i < p->step_count; i++)
        if (p->steps[i].supply == supply && p->steps[i].from == from &&
            (supply != PLAN_SENT || p->steps[i].effect == effect))
            return true;
    return false;
}

/* A path from one state is the first step of its actor, and has its message; false if that cannot be. */
static bool bind(const struct plan *p, struct plan_step *t, uint32_t position)
{
    static const enum plan_supply supplies[] = { PLAN_OPEN, PLAN_OUTSIDE, PLAN_UNDER_WAY, PLAN_TIMER };
    const struct sum_path *path = t->path;
    if (path->origin == SUM_ANY_STATE)
        return true;
    t->supply = supplies[path->origin];
    t->from = path->from;
    return !position && (t->supply == PLAN_OUTSIDE || !is_used(p, t->supply, t->from, 0));
}

/* Puts a step into the history of an actor, which is open unless its path says otherwise; false if there is no room. */
bool plan__insert(struct plan *p, uint32_t actor, uint32_t position, const struct sum_path *path, uint32_t clauses,
                  uint32_t effects)
{
    if (p->step_count == PLAN_STEPS || position > p->lengths[actor] ||
        (!position && p->lengths[actor] && p->steps[p->history[actor][0]].path->origin != SUM_ANY_STATE))
        return false;
    p->steps[p->step_count] =
        (struct plan_step){ .actor = actor, .path = path, .clauses = clauses, .effects = effects };
    if (!bind(p, &p->steps[p->step_count], position))
        return false;
    if (path->message == RH__NO_INDEX)
        p->steps[p->step_count].supply = PLAN_TIME;
    memmove(&p->history[actor][position + 1], &p->history[actor][position], p->lengths[actor] - position);
    p->history[actor][position] = (uint8_t)p->step_count++;
    p->lengths[actor]++;
    return true;
}

/* ---- where a message comes from ---------------------------------------------------------------------------------- */

static void supply(struct plan_search *s, struct plan_queue *q, const struct plan *p, uint32_t step,
                   enum plan_supply how, uint32_t from, uint32_t effect)
{
    struct plan c = *p;
    uint8_t order[PLAN_STEPS];
    c.steps[step].supply = how;
    c.steps[step].from = from;
    c.steps[step].effect = effect;
    if (plan__order(s, &c, order))
        plan__push(s, q, &c);
}

/* Whether an effect may be this step's message. */
static bool may_be(struct plan_search *s, const struct plan *p, uint32_t step, const struct sym_effect *e)
{
    const struct plan_step *t = &p->steps[step];
    uint64_t to;
    bool monitor = s->models->program->actors[p->actors[t->actor].model->type].kind == 2;
    if (e->type != t->path->message ||
        (e->kind != SYM_SEND && e->kind != SYM_TIMER && (uint32_t)e->kind != SUM_ANNOUNCE))
        return false;
    if (((uint32_t)e->kind == SUM_ANNOUNCE) != monitor)
        return false;
    return monitor || e->kind == SYM_TIMER || !sym__is_constant(&s->models->run, e->to, &to) ||
           to == plan__reference(p, t->actor);
}

/* Whether actors of this type may send this step's message, by the message flow graph. */
static bool type_may_send(const struct plan_search *s, const struct plan *p, uint32_t step, uint32_t type)
{
    const struct plan_step *t = &p->steps[step];
    return type != RH__NO_INDEX &&
           (!s->flow || rh__flow_has(s->flow, RH__FLOW_SEND, type, p->actors[t->actor].model->type, t->path->message));
}

/* Whether one that they create may. */
static bool child_may_send(const struct plan_search *s, const struct plan *p, uint32_t step, uint32_t parent)
{
    bool may = parent != RH__NO_INDEX && !s->flow;
    for (uint32_t c = 0; parent != RH__NO_INDEX && s->flow && c < s->models->program->actor_count && !may; c++)
        may = rh__flow_has(s->flow, RH__FLOW_CREATE, parent, c, RH__NO_INDEX) && type_may_send(s, p, step, c);
    return may;
}

/* New steps of an actor that send the message; at every place of its history. */
static void supply_by(struct plan_search *s, struct plan_queue *q, const struct plan *p, uint32_t step,
                      struct plan_actor who)
{
    const struct sum_path *path;
    for (uint32_t i = 0; (path = plan__path(s, &who, i)); i++)
        for (uint32_t e = 0; path->whole && e < path->effect_count; e++) {
            if (!may_be(s, p, step, &path->effects[e]))
                continue;
            bool self = path->effects[e].kind == SYM_TIMER;
            struct plan base = *p;
            uint32_t actor = actor_in(&base, who);
            if (actor == RH__NO_INDEX || (self && actor != p->steps[step].actor))
                continue;
            for (uint32_t at = 0; at <= base.lengths[actor]; at++) {
                struct plan c = base;
                if (plan__insert(&c, actor, base.lengths[actor] - at, path, path->clause_count, path->effect_count))
                    supply(s, q, &c, step, PLAN_SENT, c.step_count - 1, e);
            }
        }
}

/* New steps of an actor that is not there yet: one more step spawns it. */
static void supply_by_child(struct plan_search *s, struct plan_queue *q, const struct plan *p, uint32_t step,
                            uint32_t parent)
{
    struct plan_actor who = { .index = parent, .model = plan__actor(s, parent) };
    const struct sum_path *path;
    for (uint32_t i = 0; (path = plan__path(s, &who, i)); i++)
        for (uint32_t e = 0; path->whole && e < path->effect_count; e++) {
            const struct sym_effect *x = &path->effects[e];
            struct sum_actor *child = x->kind == SYM_SPAWN ? plan__spawned(s, x) : NULL;
            bool sends = false;
            for (uint32_t k = 0; child && k < child->path_count; k++)
                for (uint32_t n = 0; n < child->paths[k].effect_count; n++)
                    sends |= may_be(s, p, step, &child->paths[k].effects[n]);
            struct plan base = *p;
            uint32_t actor = sends ? actor_in(&base, who) : RH__NO_INDEX;
            for (uint32_t at = 0; actor != RH__NO_INDEX && at <= base.lengths[actor]; at++) {
                struct plan c = base;
                if (plan__insert(&c, actor, at, path, path->clause_count, path->effect_count))
                    supply_by(s, q, &c, step,
                              (struct plan_actor){
                                  .index = RH__NO_INDEX, .step = c.step_count - 1, .effect = e, .model = child });
            }
        }
}

/* The messages of the world: a spawned actor gets rh_start from who spawned it; it has no effect of its own. */
static void supply_open(struct plan_search *s, struct plan_queue *q, const struct plan *p, uint32_t step)
{
    const struct rh__snapshot *snap = s->snapshot;
    const struct plan_step *t = &p->steps[step];
    const struct plan_actor *a = &p->actors[t->actor];
    uint32_t start = rh__program_message_named(s->models->program, "rh_start"), outside = 0;
    if (t->path->message == start && a->index == RH__NO_INDEX) {
        supply(s, q, p, step, PLAN_TIME, RH__NO_INDEX, 0); /* its line is written as one of rh_start */
        return;
    }
    for (uint32_t i = 0; i < p->step_count; i++)
        outside += p->steps[i].supply == PLAN_OUTSIDE;
    for (uint32_t i = 0; i < snap->opening_count && outside < snap->outside_left; i++)
        if (snap->openings[i].actor == a->index && snap->openings[i].type == t->path->message)
            supply(s, q, p, step, PLAN_OUTSIDE, i, 0);
    for (uint32_t i = 0; i < snap->message_count; i++) {
        const struct rh__snap_message *m = &snap->messages[i];
        if (!m->taken && m->tail_known && m->to == a->index && m->type == t->path->message &&
            !is_used(p, PLAN_UNDER_WAY, i, 0))
            supply(s, q, p, step, PLAN_UNDER_WAY, i, 0);
    }
    for (uint32_t i = 0; i < snap->timer_count; i++)
        if (snap->timers[i].actor == a->index && snap->timers[i].type == t->path->message &&
            !is_used(p, PLAN_TIMER, i, 0))
            supply(s, q, p, step, PLAN_TIMER, i, 0);
    for (uint32_t i = 0; i < p->step_count; i++)
        for (uint32_t e = 0; i != step && p->steps[i].path->whole && e < p->steps[i].path->effect_count; e++)
            if (may_be(s, p, step, &p->steps[i].path->effects[e]) && !is_used(p, PLAN_SENT, i, e) &&
                (p->steps[i].path->effects[e].kind != SYM_TIMER || p->steps[i].actor == t->actor))
                supply(s, q, p, step, PLAN_SENT, i, e);
    for (uint32_t i = 0; i < snap->actor_count; i++)
        if (type_may_send(s, p, step, snap->actors[i].type))
            supply_by(s, q, p, step, (struct plan_actor){ .index = i, .model = plan__actor(s, i) });
    for (uint32_t i = 0; i < snap->actor_count; i++)
        if (child_may_send(s, p, step, snap->actors[i].type))
            supply_by_child(s, q, p, step, i);
    for (uint32_t i = 0; i < p->step_count; i++)
        for (uint32_t e = 0; e < p->steps[i].path->effect_count; e++)
            if (p->steps[i].path->effects[e].kind == SYM_SPAWN && p->steps[i].path->whole &&
                type_may_send(s, p, step, p->steps[i].path->effects[e].type))
                supply_by(s, q, p, step,
                          (struct plan_actor){ .index = RH__NO_INDEX,
                                               .step = i,
                                               .effect = e,
                                               .model = plan__spawned(s, &p->steps[i].path->effects[e]) });
}

/* ---- one plan ---------------------------------------------------------------------------------------------------- */

/* Takes a message that must come before: along any path of its receiver that takes it. */
static void insert_taker(struct plan_search *s, struct plan_queue *q, const struct plan *p, uint32_t step,
                         enum plan_supply how, uint32_t from, uint32_t effect)
{
    uint32_t actor = p->steps[step].actor;
    const struct sum_path *path;
    uint32_t type =
        how == PLAN_UNDER_WAY ? s->snapshot->messages[from].type : p->steps[from].path->effects[effect].type;
    for (uint32_t k = 0; (path = plan__path(s, &p->actors[actor], k)); k++)
        for (uint32_t at = plan__position(p, step) + 1; path->whole && path->message == type && at-- > 0;) {
            struct plan c = *p;
            bool fits = path->origin == SUM_ANY_STATE ||
                        (path->origin == SUM_UNDER_WAY && how == PLAN_UNDER_WAY && path->from == from);
            if (fits && plan__insert(&c, actor, at, path, path->clause_count, path->effect_count))
                supply(s, q, &c, c.step_count - 1, how, from, effect);
        }
}

static bool try_solution(struct plan_search *s, struct plan_queue *q, const struct plan_goal *g, const struct plan *p,
                         struct plan_formula *f, uint32_t block)
{
    enum plan_supply how;
    uint32_t step, from, effect;
    bool late;
    if (s->ordered && plan__overtakes(s, p, f, &step, &how, &from, &effect, &late)) {
        if (!late && !s->one_step)
            insert_taker(s, q, p, step, how, from, effect);
        return false;
    }
    plan__make_small(s, p, f);
    s->tried++;
    for (uint32_t loose = 0; loose < 2; loose++) {
        char *text = plan__schedule(s, p, f, loose);
        bool found = text && g->confirm(g->arg, text, block);
        free(text);
        if (found)
            return true;
    }
    s->stale++;
    return false;
}

static bool expand(struct plan_search *s, struct plan_queue *q, const struct plan_goal *g, const struct plan *p,
                   uint32_t block)
{
    struct plan_formula f;
    uint32_t open = p->step_count;
    while (open > 0 && p->steps[open - 1].supply != PLAN_OPEN)
        open--;
    s->plans++;
    bool solved = plan__check(s, p, &f), found = false;
    if (solved && !open)
        found = try_solution(s, q, g, p, &f, block);
    struct plan_blames b = { .count = 0 };
    if (!solved && !f.unknown)
        plan__blame(s, p, &f, &b);
    if (!solved && f.unknown && !s->trouble[0])
        snprintf(s->trouble, sizeof s->trouble, "a question was too hard for the solver");
    if (open && (solved || b.count || f.unknown))
        supply_open(s, q, p, open - 1);
    else if (!open && !solved && !found && !s->one_step) {
        plan__repair(s, q, p, &b);
    }
    plan__release(s, &f);
    return found;
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

/* Whether an earlier path of the actor is the same up to this visit. */
static bool is_again(const struct plan_search *s, const struct plan_actor *who, const struct sum_path *path, uint32_t i,
                     uint32_t at)
{
    const struct sym_visit *v = &path->visits[at];
    for (uint32_t k = 0; k < i; k++) {
        const struct sum_path *other = plan__path(s, who, k);
        bool same = other->origin == path->origin && other->from == path->from && other->message == path->message &&
                    other->visit_count > at && other->visits[at].block == v->block &&
                    other->visits[at].clauses == v->clauses && other->visits[at].guard == v->guard;
        for (uint32_t c = 0; same && c < v->clauses; c++)
            same = Z3_is_eq_ast(s->models->run.z, other->clauses[c], path->clauses[c]);
        if (same)
            return true;
    }
    return false;
}

/* Steps along the first `paths` paths of this actor that run the block: the first time, or with one of the conditions
 * for it. */
static void begin_with(struct plan_search *s, struct plan_queue *q, const struct plan *base, struct plan_actor who,
                       uint32_t paths, LLVMBasicBlockRef block)
{
    enum { MOST_GUARDS = 8 };
    const struct sum_path *path;
    for (uint32_t i = 0; i < paths && (path = plan__path(s, &who, i)); i++) {
        bool free_way = false;
        for (uint32_t at = 0, guards = 0; at < path->visit_count && !free_way && guards < MOST_GUARDS; at++) {
            const struct sym_visit *v = &path->visits[at];
            if (v->block != block)
                continue;
            free_way = !v->guard;
            guards++;
            struct plan p = *base;
            uint32_t actor = is_again(s, &who, path, i, at) ? RH__NO_INDEX : actor_in(&p, who);
            if (actor == RH__NO_INDEX || !plan__insert(&p, actor, p.lengths[actor], path, v->clauses, v->effects))
                continue;
            p.steps[p.step_count - 1].guard = v->guard;
            plan__push(s, q, &p);
        }
    }
}

/* Whether an earlier actor of the snapshot is of the same type, and in the same behaviour. */
static bool has_double(const struct rh__snapshot *snap, uint32_t actor)
{
    const struct rh__snap_actor *x = &snap->actors[actor];
    for (uint32_t i = 0; i < actor; i++)
        if (snap->actors[i].type == x->type && snap->actors[i].behaviour == x->behaviour &&
            snap->actors[i].status == x->status)
            return true;
    return false;
}

static bool may_create(const struct plan_search *s, uint32_t parent, const bool *types)
{
    bool may = parent != RH__NO_INDEX && !s->flow;
    for (uint32_t c = 0; parent != RH__NO_INDEX && s->flow && c < s->models->program->actor_count && !may; c++)
        may = types[c] && rh__flow_has(s->flow, RH__FLOW_CREATE, parent, c, RH__NO_INDEX);
    return may;
}

/* The block in an actor that is there, or in one that a first step spawns; of actors that are alike the first one, or
 * the others: summaries are made for each. */
static void begin(struct plan_search *s, struct plan_queue *q, const bool *may_run, LLVMBasicBlockRef block,
                  bool doubles)
{
    const struct plan nothing = { .step_count = 0 };
    for (uint32_t i = 0; i < s->snapshot->actor_count; i++)
        if (s->snapshot->actors[i].type != RH__NO_INDEX && may_run[s->snapshot->actors[i].type] &&
            has_double(s->snapshot, i) == doubles)
            begin_with(s, q, &nothing, (struct plan_actor){ .index = i, .model = plan__actor(s, i) }, UINT32_MAX,
                       block);
    for (uint32_t i = 0; i < s->snapshot->actor_count; i++) {
        if (!may_create(s, s->snapshot->actors[i].type, may_run) || has_double(s->snapshot, i) != doubles)
            continue;
        const struct plan_actor parent = { .index = i, .model = plan__actor(s, i) };
        const struct sum_path *path;
        for (uint32_t k = 0; (path = plan__path(s, &parent, k)); k++)
            for (uint32_t e = 0; path->whole && e < path->effect_count; e++) {
                const struct sym_effect *x = &path->effects[e];
                if (x->kind != SYM_SPAWN || !may_run[x->type])
                    continue;
                struct plan p = nothing;
                actor_in(&p, parent);
                plan__insert(&p, 0, 0, path, path->clause_count, path->effect_count);
                begin_with(
                    s, q, &p,
                    (struct plan_actor){ .index = RH__NO_INDEX, .step = 0, .effect = e, .model = plan__spawned(s, x) },
                    UINT32_MAX, block);
            }
    }
}

static bool type_runs(const struct rh__program *p, uint32_t type, LLVMValueRef function)
{
    if (p->actors[type].body && rh__program_calls(p->actors[type].body, function, CALLS_DEEP))
        return true;
    for (uint32_t b = 0; b < p->behaviour_count; b++)
        for (uint32_t i = 0; p->behaviours[b].actor == type && i < p->behaviours[b].entry_count; i++)
            if (p->behaviours[b].entries[i].handler &&
                rh__program_calls(p->behaviours[b].entries[i].handler, function, CALLS_DEEP))
                return true;
    return false;
}

/* What is not supported on the way, by name. */
static void note_trouble(struct plan_search *s, const bool *may_run)
{
    for (uint32_t i = 0; i < s->snapshot->actor_count && !s->trouble[0]; i++) {
        const struct rh__snap_actor *a = &s->snapshot->actors[i];
        if (a->type == RH__NO_INDEX || !may_run[a->type])
            continue;
        const struct sum_actor *model = plan__actor(s, i);
        if (model && model->trouble[0])
            snprintf(s->trouble, sizeof s->trouble, "%s: %s", a->name, model->trouble);
        else if (!model && a->status == RH__SNAP_INSIDE)
            snprintf(s->trouble, sizeof s->trouble, "%s waits inside of its code in the state where the search begins",
                     a->name);
    }
}

/* Looks at plans, the cheapest first. */
static bool work(struct plan_search *s, struct plan_queue *q, const struct plan_goal *g, uint32_t block, double until)
{
    double spent = s->summaries;
    uint32_t tried = s->tried;
    bool found = false;
    while (q->count && !found && !*g->interrupted && s->tried - tried < MOST_SOLUTIONS &&
           sym__processor_seconds() < until + s->summaries - spent) {
        struct plan *x = plan__pop(q);
        found = expand(s, q, g, x, block);
        free(x);
    }
    s->ended = !q->count || found;
    while (q->count)
        free(plan__pop(q));
    free(q->seen);
    free(q->plans);
    *q = (struct plan_queue){ 0 };
    return found;
}

bool plan__search(struct plan_search *s, const struct plan_goal *g)
{
    const struct rh__program *p = s->models->program;
    bool found = false, *may_run = sym__must(calloc(p->actor_count + 1, sizeof *may_run));
    s->random = rh__random_seed(s->settings.seed, 5);
    s->trouble[0] = 0;
    struct plan_queue q = { 0 };
    for (uint32_t b = 0; b < g->block_count && !found; b++) {
        LLVMValueRef function = g->blocks[b] ? LLVMGetBasicBlockParent(g->blocks[b]) : NULL;
        if (!function)
            continue;
        for (uint32_t i = 0; i < p->actor_count; i++)
            may_run[i] = type_runs(p, i, function);
        double now = sym__processor_seconds(), until = now + (g->until - now) / (g->block_count - b);
        for (uint32_t doubles = 0; doubles < 2 && !found; doubles++) {
            double spent = s->summaries, share = doubles ? 1 : 0.6;
            begin(s, &q, may_run, g->blocks[b], doubles);
            until += s->summaries - spent;
            now = sym__processor_seconds();
            found = work(s, &q, g, b, now + (until - now) * share);
        }
        note_trouble(s, may_run);
    }
    free(may_run);
    return found;
}

bool plan__search_step(struct plan_search *s, const struct plan_goal *g)
{
    const struct plan nothing = { .step_count = 0 };
    struct plan_queue q = { 0 };
    bool found = false;
    s->one_step = true;
    for (uint32_t b = 0; b < g->block_count && !found; b++) {
        for (uint32_t i = 0; g->blocks[b] && i < s->snapshot->actor_count; i++) {
            if (s->made[i] == PLAN_NOT_MADE && !g->makes)
                continue;
            const struct plan_actor who = { .index = i, .model = plan__exact_actor(s, i) };
            if (who.model)
                begin_with(s, &q, &nothing, who, s->exact_counts[i], g->blocks[b]);
        }
        found = work(s, &q, g, b, g->until);
    }
    s->one_step = false;
    return found;
}

void plan__openings(struct plan_search *s, uint32_t most, void (*add)(void *arg, const char *schedule), void *arg)
{
    for (uint32_t i = 0; i < s->snapshot->actor_count; i++) {
        const struct plan_actor who = { .index = i, .model = plan__exact_actor(s, i) };
        for (uint32_t k = 0; who.model && k < s->exact_counts[i] && most; k++) {
            const struct sum_path *path = &s->exact[i][k];
            struct plan p = { .step_count = 0 };
            struct plan_formula f;
            if (path->origin != SUM_FROM_OUTSIDE || !path->whole || !path->effect_count || actor_in(&p, who) ||
                !plan__insert(&p, 0, 0, path, path->clause_count, path->effect_count))
                continue;
            if (plan__check(s, &p, &f)) {
                plan__make_small(s, &p, &f);
                char *text = plan__schedule(s, &p, &f, false);
                if (text) {
                    add(arg, text);
                    most--;
                }
                free(text);
            }
            plan__release(s, &f);
        }
    }
}
