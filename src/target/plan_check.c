/* A plan as a formula: see plan.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/plan.h"

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

/* ---- conditions -------------------------------------------------------------------------------------------------- */

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

/* The conditions of a step; of a message from outside, that the test accepts it; of one that was sent, that it went to
 * this actor. */
static void put_step(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step)
{
    const struct plan_step *t = &p->steps[step];
    Z3_context z = s->models->run.z;
    for (uint32_t i = 0; i < t->clauses; i++)
        add_clause(s, f, plan__put(s, p, f, step, t->path->clauses[i]), step, i);
    if (t->guard)
        add_clause(s, f, plan__put(s, p, f, step, t->guard), step, PLAN_GUARD);
    if (t->supply == PLAN_OUTSIDE) {
        const struct rh__snap_opening *o = &s->snapshot->openings[t->from];
        Z3_ast accepts = sum__accepts_message(s->models, o->when, o->type);
        add_clause(s, f, plan__put(s, p, f, step, accepts), step, RH__NO_INDEX);
    }
    const struct sym_effect *e = t->supply == PLAN_SENT ? &p->steps[t->from].path->effects[t->effect] : NULL;
    if (e && e->kind == SYM_SEND)
        add_clause(s, f,
                   Z3_mk_eq(z, plan__put(s, p, f, t->from, e->to),
                            sym__number(&s->models->run, plan__reference(p, t->actor), 64)),
                   step, RH__NO_INDEX);
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
    *f = (struct plan_formula){ .clauses = NULL };
    if (!plan__order(s, p, f->order))
        return false;
    for (uint32_t i = 0; i < p->step_count; i++)
        put_step(s, p, f, f->order[i]);
    f->core = sym__must(calloc(f->clause_count + 1, sizeof *f->core));
    return !is_plainly_false(s, f) && ask_solver(s, f);
}

void plan__release(struct plan_search *s, struct plan_formula *f)
{
    free(f->values);
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
                Z3_ast word = plan__message_byte(s, p, f, i, k);
                for (uint32_t n = 1; n < 4; n++)
                    word = Z3_mk_concat(r->z, plan__message_byte(s, p, f, i, k + n), word);
                Z3_solver_assert(r->z, r->solver, Z3_mk_bvsle(r->z, word, sym__number(r, bounds[b], 32)));
                Z3_solver_assert(r->z, r->solver, Z3_mk_bvsge(r->z, word, sym__number(r, 0u - bounds[b], 32)));
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
