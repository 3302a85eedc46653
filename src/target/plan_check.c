/* A plan as a formula: see plan.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/plan.h"

enum { SPAWNED = 1 << 20, FROM_OUTSIDE = 1 << 21 }; /* numbers of references that no snapshot has */

uint64_t plan__reference(const struct plan *p, uint32_t actor)
{
    const struct plan_actor *a = &p->actors[actor];
    return rh__snap_reference(a->index != RH__NO_INDEX ? a->index : SPAWNED + a->step * 64 + a->effect);
}

uint32_t plan__position(const struct plan *p, uint32_t step)
{
    uint32_t a = p->steps[step].actor, i = 0;
    while (i < p->lengths[a] && p->history[a][i] != step)
        i++;
    return i;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* Whether a step must come directly after another. */
static bool needs(const struct plan_search *s, const struct plan *p, uint32_t step, uint32_t other)
{
    const struct plan_step *a = &p->steps[step], *b = &p->steps[other];
    const struct plan_actor *x = &p->actors[a->actor];
    if (a->supply == PLAN_SENT && a->from == other)
        return true;
    if (x->index == RH__NO_INDEX && x->step == other)
        return true;
    if (a->actor == b->actor)
        return plan__position(p, other) < plan__position(p, step);
    /* Who sends first, if the receiver's mailbox has one order, or is a monitor. */
    for (uint32_t i = 0; i < p->step_count; i++)
        for (uint32_t k = 0; k < p->step_count; k++) {
            const struct plan_step *c = &p->steps[i], *d = &p->steps[k];
            if (c->actor != d->actor || c->supply != PLAN_SENT || d->supply != PLAN_SENT || c->from != other ||
                d->from != step || plan__position(p, i) >= plan__position(p, k))
                continue;
            if (s->by_mailbox || s->models->program->actors[p->actors[c->actor].model->type].kind == 2)
                return true;
        }
    return false;
}

bool plan__order(const struct plan_search *s, const struct plan *p, uint8_t *order)
{
    bool done[PLAN_STEPS] = { false };
    for (uint32_t n = 0; n < p->step_count; n++) {
        uint32_t pick = RH__NO_INDEX;
        for (uint32_t i = p->step_count; i-- > 0 && pick == RH__NO_INDEX;) { /* steps that were put in last are first */
            bool ready = !done[i];
            for (uint32_t k = 0; k < p->step_count && ready; k++)
                ready = done[k] || k == i || !needs(s, p, i, k);
            if (ready)
                pick = i;
        }
        if (pick == RH__NO_INDEX)
            return false;
        done[pick] = true;
        order[n] = (uint8_t)pick;
    }
    return true;
}

/* ---- values put in ----------------------------------------------------------------------------------------------- */

struct putting {
    struct plan_search *s;
    const struct plan *plan;
    struct plan_formula *f;
    uint32_t step;
    Z3_ast *from, *to;
    uint32_t count;
};

static Z3_ast fresh(struct plan_search *s, char kind, uint32_t step, uint32_t index, uint32_t width)
{
    char name[48];
    snprintf(name, sizeof name, "%c_%u_%u", kind, step, index);
    Z3_context z = s->models->run.z;
    return Z3_mk_const(z, Z3_mk_string_symbol(z, name), Z3_mk_bv_sort(z, width));
}

static Z3_ast put(const struct putting *x, Z3_ast e)
{
    Z3_context z = x->s->models->run.z;
    return e ? Z3_simplify(z, Z3_substitute(z, e, x->count, x->from, x->to)) : NULL;
}

static Z3_ast number(struct plan_search *s, uint64_t n, uint32_t width)
{
    return sym__number(&s->models->run, n, width);
}

/* What each variable of the path is in this step. */
static void prepare(struct putting *x)
{
    const struct plan_step *t = &x->plan->steps[x->step];
    const struct sum_actor *model = x->plan->actors[t->actor].model;
    Z3_context z = x->s->models->run.z;
    x->from = sym__must(malloc((t->path->var_count + 1) * sizeof *x->from));
    x->to = sym__must(malloc((t->path->var_count + 1) * sizeof *x->to));
    for (uint32_t i = 0; i < t->path->var_count; i++) {
        const struct sum_var *v = &t->path->vars[i];
        Z3_ast to = NULL;
        if (v->kind == SUM_STATE && v->index < model->width)
            to = x->f->before[x->step][v->index];
        else if (v->kind == SUM_MESSAGE)
            to = x->f->message[x->step][v->index];
        else if (v->kind == SUM_SENDER)
            to = x->f->sender[x->step];
        else if (Z3_is_eq_ast(z, v->var, model->self))
            to = number(x->s, plan__reference(x->plan, t->actor), 64);
        for (uint32_t e = 0; !to && e < t->path->effect_count; e++) /* the reference of an actor that it spawns */
            if (t->path->effects[e].kind == SYM_SPAWN && Z3_is_eq_ast(z, v->var, t->path->effects[e].result))
                to = number(x->s, rh__snap_reference(SPAWNED + x->step * 64 + e), 64);
        if (!to)
            to = fresh(x->s, 'f', x->step, v->index, sym__width_of(&x->s->models->run, v->var));
        x->from[x->count] = v->var;
        x->to[x->count++] = to;
    }
}

/* The message of a step and its sender. */
static void set_message(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step)
{
    const struct plan_step *t = &p->steps[step];
    const struct rh__snapshot *snap = s->snapshot;
    uint32_t size = t->path->message == RH__NO_INDEX ? 0 : s->models->program->messages[t->path->message].size;
    Z3_ast *bytes = sym__must(calloc(size + 1, sizeof *bytes));
    const uint8_t *constant = NULL;
    uint32_t constants = 0;
    f->sender[step] = fresh(s, 'd', step, 0, 64);
    if (t->supply == PLAN_UNDER_WAY) {
        const struct rh__snap_message *m = &snap->messages[t->from];
        constant = m->value;
        constants = m->size;
        f->sender[step] = number(s, rh__snap_reference(m->from), 64);
    } else if (t->supply == PLAN_TIMER) {
        constant = snap->timers[t->from].value;
        constants = snap->timers[t->from].size;
        f->sender[step] = number(s, plan__reference(p, t->actor), 64);
    } else if (t->supply == PLAN_OUTSIDE)
        f->sender[step] = number(s, rh__snap_reference(FROM_OUTSIDE + step), 64);
    else if (t->supply == PLAN_SENT) {
        Z3_ast from = f->effects[t->from][t->effect].from;
        f->sender[step] = from ? from : number(s, plan__reference(p, p->steps[t->from].actor), 64);
    }
    for (uint32_t i = 0; i < size; i++) {
        const struct plan_effect *e = t->supply == PLAN_SENT ? &f->effects[t->from][t->effect] : NULL;
        bytes[i] = constant ? number(s, i < constants ? constant[i] : 0, 8)
                   : e      ? e->bytes[i]
                            : fresh(s, 'o', step, i, 8);
    }
    f->message[step] = bytes;
}

static void add_clause(struct plan_search *s, struct plan_formula *f, Z3_ast is, uint32_t step, uint32_t clause)
{
    Z3_context z = s->models->run.z;
    is = Z3_simplify(z, is);
    if (Z3_is_eq_ast(z, is, Z3_mk_true(z)))
        return;
    if (f->clause_count % 64 == 0)
        f->clauses = sym__must(realloc(f->clauses, (f->clause_count + 64) * sizeof *f->clauses));
    f->clauses[f->clause_count++] = (struct plan_clause){ is, step, clause };
}

/* The outside knows the actors that are open, and nobody else: eight bytes that are used as a reference to another one
 * would not be accepted.  Its values must satisfy the predicate. */
static void add_outside(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step)
{
    const struct rh__snap_opening *o = &s->snapshot->openings[p->steps[step].from];
    uint32_t size = s->models->program->messages[o->type].size;
    add_clause(s, f, sum__accepts(s->models, o->when, f->message[step], size), step, RH__NO_INDEX);
}

static void add_effects(struct putting *x)
{
    const struct sum_path *path = x->plan->steps[x->step].path;
    struct plan_effect *all = sym__must(calloc(path->effect_count + 1, sizeof *all));
    for (uint32_t i = 0; i < path->effect_count; i++) {
        const struct sym_effect *e = &path->effects[i];
        all[i] = (struct plan_effect){ put(x, e->to), put(x, e->from), put(x, e->result), NULL };
        all[i].bytes = sym__must(calloc(e->size + 1, sizeof(Z3_ast)));
        for (uint32_t k = 0; k < e->size; k++)
            all[i].bytes[k] = put(x, e->bytes[k]);
    }
    x->f->effects[x->step] = all;
}

/* The vector with which an actor begins. */
static Z3_ast *first_vector(struct plan_search *s, const struct plan *p, const struct plan_formula *f, uint32_t actor)
{
    const struct plan_actor *a = &p->actors[actor];
    if (a->index != RH__NO_INDEX)
        return sum__vector_of(s->models, a->model, s->snapshot, a->index);
    Z3_ast *v = sym__must(calloc(a->model->width, sizeof *v));
    for (uint32_t i = 0; i < a->model->width; i++)
        v[i] = i < a->model->size     ? f->effects[a->step][a->effect].bytes[i]
               : a->model->initial[i] ? a->model->initial[i]
                                      : number(s, 0, 8);
    return v;
}

static void put_step(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step,
                     Z3_ast **vectors)
{
    const struct plan_step *t = &p->steps[step];
    const struct sum_actor *model = p->actors[t->actor].model;
    if (!vectors[t->actor])
        vectors[t->actor] = first_vector(s, p, f, t->actor);
    f->before[step] = vectors[t->actor];
    set_message(s, p, f, step);
    struct putting x = { .s = s, .plan = p, .f = f, .step = step };
    prepare(&x);
    for (uint32_t i = 0; i < t->clauses; i++)
        add_clause(s, f, put(&x, t->path->clauses[i]), step, i);
    if (t->guard)
        add_clause(s, f, put(&x, t->guard), step, PLAN_GUARD);
    add_effects(&x);
    if (t->supply == PLAN_OUTSIDE)
        add_outside(s, p, f, step);
    if (t->supply == PLAN_SENT && p->steps[t->from].path->effects[t->effect].kind == SYM_SEND)
        add_clause(
            s, f,
            Z3_mk_eq(s->models->run.z, f->effects[t->from][t->effect].to, number(s, plan__reference(p, t->actor), 64)),
            step, RH__NO_INDEX);
    Z3_ast *after = sym__must(calloc(model->width, sizeof *after));
    for (uint32_t i = 0; i < model->width; i++)
        after[i] = i < t->path->post_count && t->path->post[i] ? put(&x, t->path->post[i]) : f->before[step][i];
    vectors[t->actor] = after;
    free(x.from);
    free(x.to);
}

/* ---- the solver -------------------------------------------------------------------------------------------------- */

/* Clauses that are false by themselves are a core without a solver. */
static bool is_plainly_false(struct plan_search *s, struct plan_formula *f)
{
    Z3_context z = s->models->run.z;
    bool found = false;
    for (uint32_t i = 0; i < f->clause_count; i++)
        if (Z3_is_eq_ast(z, f->clauses[i].is, Z3_mk_false(z)))
            f->core[i] = found = true;
    return found;
}

static Z3_ast label(struct plan_search *s, uint32_t i)
{
    char name[32];
    Z3_context z = s->models->run.z;
    snprintf(name, sizeof name, "c_%u", i);
    return Z3_mk_const(z, Z3_mk_string_symbol(z, name), Z3_mk_bool_sort(z));
}

static bool ask_solver(struct plan_search *s, struct plan_formula *f)
{
    struct sym_run *r = &s->models->run;
    Z3_ast *labels = sym__must(calloc(f->clause_count + 1, sizeof *labels));
    s->checks++;
    Z3_solver_push(r->z, r->solver);
    for (uint32_t i = 0; i < f->clause_count; i++) {
        labels[i] = label(s, i);
        Z3_solver_assert(r->z, r->solver, Z3_mk_implies(r->z, labels[i], f->clauses[i].is));
    }
    Z3_lbool is = Z3_solver_check_assumptions(r->z, r->solver, f->clause_count, labels);
    if (is == Z3_L_TRUE) {
        f->model = Z3_solver_get_model(r->z, r->solver);
        Z3_model_inc_ref(r->z, f->model);
    } else if (is == Z3_L_FALSE) {
        Z3_ast_vector core = Z3_solver_get_unsat_core(r->z, r->solver);
        Z3_ast_vector_inc_ref(r->z, core);
        for (uint32_t i = 0; i < Z3_ast_vector_size(r->z, core); i++)
            for (uint32_t k = 0; k < f->clause_count; k++)
                if (Z3_is_eq_ast(r->z, labels[k], Z3_ast_vector_get(r->z, core, i)))
                    f->core[k] = true;
        Z3_ast_vector_dec_ref(r->z, core);
    } else
        f->unknown = true;
    Z3_solver_pop(r->z, r->solver, 1);
    free(labels);
    return is == Z3_L_TRUE;
}

bool plan__check(struct plan_search *s, const struct plan *p, struct plan_formula *f)
{
    Z3_ast *vectors[PLAN_ACTORS] = { NULL };
    *f = (struct plan_formula){ .clauses = NULL };
    if (!plan__order(s, p, f->order))
        return false;
    for (uint32_t i = 0; i < p->step_count; i++)
        put_step(s, p, f, f->order[i], vectors);
    for (uint32_t i = 0; i < PLAN_ACTORS; i++) { /* the last ones belong to no step */
        bool kept = false;
        for (uint32_t k = 0; k < p->step_count; k++)
            kept |= f->before[k] == vectors[i];
        if (!kept)
            free(vectors[i]);
    }
    f->core = sym__must(calloc(f->clause_count + 1, sizeof *f->core));
    return !is_plainly_false(s, f) && ask_solver(s, f);
}

void plan__release(struct plan_search *s, struct plan_formula *f, const struct plan *p)
{
    for (uint32_t i = 0; i < p->step_count; i++) {
        free(f->before[i]);
        free(f->message[i]);
        for (uint32_t k = 0; f->effects[i] && k < p->steps[i].path->effect_count; k++)
            free(f->effects[i][k].bytes);
        free(f->effects[i]);
    }
    free(f->clauses);
    free(f->core);
    if (f->model)
        Z3_model_dec_ref(s->models->run.z, f->model);
}

uint64_t plan__value(const struct plan_search *s, const struct plan_formula *f, Z3_ast e)
{
    struct sym_run *r = &s->models->run;
    Z3_ast value;
    uint64_t n = 0;
    if (e && Z3_model_eval(r->z, f->model, e, true, &value))
        sym__is_constant(r, value, &n);
    return n;
}

void plan__make_small(struct plan_search *s, const struct plan *p, struct plan_formula *f)
{
    static const uint32_t bounds[] = { 8, 128, 32768 };
    struct sym_run *r = &s->models->run;
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        bool found = false;
        Z3_solver_push(r->z, r->solver);
        for (uint32_t i = 0; i < f->clause_count; i++)
            Z3_solver_assert(r->z, r->solver, f->clauses[i].is);
        for (uint32_t i = 0; i < p->step_count; i++) {
            uint32_t size =
                p->steps[i].supply == PLAN_OUTSIDE ? s->models->program->messages[p->steps[i].path->message].size : 0;
            for (uint32_t k = 0; k + 4 <= size; k += 4) {
                Z3_ast word = Z3_mk_concat(r->z, Z3_mk_concat(r->z, f->message[i][k + 3], f->message[i][k + 2]),
                                           Z3_mk_concat(r->z, f->message[i][k + 1], f->message[i][k]));
                Z3_solver_assert(r->z, r->solver, Z3_mk_bvsle(r->z, word, number(s, bounds[b], 32)));
                Z3_solver_assert(r->z, r->solver, Z3_mk_bvsge(r->z, word, number(s, 0u - bounds[b], 32)));
            }
        }
        if (Z3_solver_check(r->z, r->solver) == Z3_L_TRUE) {
            Z3_model_dec_ref(r->z, f->model);
            f->model = Z3_solver_get_model(r->z, r->solver);
            Z3_model_inc_ref(r->z, f->model);
            found = true;
        }
        Z3_solver_pop(r->z, r->solver, 1);
        if (found)
            return;
    }
}
