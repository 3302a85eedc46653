/* What contradicts in a plan, and steps that change it: see plan.h. */
#include <stdlib.h>

#include "target/plan.h"

struct blaming {
    struct plan_search *s;
    const struct plan *p;
    struct plan_blames *found;
    uint32_t depth;
};

static void blame_vars(struct blaming *b, uint32_t step, Z3_ast e);

static void blame_byte(struct blaming *b, uint32_t step, uint32_t byte)
{
    const struct plan *p = b->p;
    uint32_t actor = p->steps[step].actor, at = plan__position(p, step);
    for (uint32_t i = 0; i < b->found->count; i++)
        if (b->found->all[i].actor == actor && b->found->all[i].byte == byte && b->found->all[i].before == step)
            return;
    if (b->found->count == PLAN_BLAMES)
        return;
    b->found->all[b->found->count++] = (struct plan_blame){ actor, byte, step };
    while (at-- > 0) {
        uint32_t earlier = p->history[actor][at];
        const struct sum_path *path = p->steps[earlier].path;
        if (byte < path->post_count && path->post[byte]) {
            blame_vars(b, earlier, path->post[byte]);
            return;
        }
    }
    const struct plan_actor *a = &p->actors[actor];
    if (a->index == RH__NO_INDEX && byte < p->steps[a->step].path->effects[a->effect].size)
        blame_vars(b, a->step, p->steps[a->step].path->effects[a->effect].bytes[byte]);
}

static void blame_vars(struct blaming *b, uint32_t step, Z3_ast e)
{
    struct sum_var *vars = NULL;
    uint32_t count = 0;
    const struct plan_step *t = &b->p->steps[step];
    if (!e || b->depth > 12)
        return;
    b->depth++;
    sum__collect(b->s->models, e, &vars, &count);
    for (uint32_t i = 0; i < count; i++)
        if (vars[i].kind == SUM_STATE)
            blame_byte(b, step, vars[i].index);
        else if (vars[i].kind == SUM_MESSAGE && t->supply == PLAN_SENT) {
            const struct sym_effect *f = &b->p->steps[t->from].path->effects[t->effect];
            if (vars[i].index < f->size)
                blame_vars(b, t->from, f->bytes[vars[i].index]);
        } else if ((vars[i].kind == SUM_TAIL || vars[i].kind == SUM_TAIL_SIZE) && t->supply == PLAN_SENT) {
            const struct sym_effect *f = &b->p->steps[t->from].path->effects[t->effect];
            if (vars[i].kind == SUM_TAIL_SIZE)
                blame_vars(b, t->from, f->tail_size);
            else if (vars[i].index < f->tail_count)
                blame_vars(b, t->from, f->tail[vars[i].index]);
        } else if (vars[i].kind == SUM_SENDER && t->supply == PLAN_SENT)
            blame_vars(b, t->from, b->p->steps[t->from].path->effects[t->effect].from);
    free(vars);
    b->depth--;
}

/* Steps that change what is blamed, anywhere before. */
static void insert_writers(struct plan_search *s, struct plan_queue *q, const struct plan *p,
                           const struct plan_blames *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const struct plan_blame *x = &b->all[i];
        const struct sum_actor *model = p->actors[x->actor].model;
        const struct sum_path *path;
        for (uint32_t k = 0; (path = plan__path(s, &p->actors[x->actor], k)); k++) {
            if (!path->whole || x->byte >= path->post_count || !path->post[x->byte])
                continue;
            /* Where the code waits is set by the step directly before. */
            uint32_t position = plan__position(p, x->before), place = p->steps[x->before].path->place;
            bool by_place = x->byte == model->size && place != RH__NO_INDEX;
            uint64_t leads_to;
            if (by_place && sym__is_constant(&s->models->run, path->post[x->byte], &leads_to) && leads_to != place)
                continue;
            for (uint32_t at = by_place ? position : 0; at <= position; at++) {
                struct plan c = *p;
                if (plan__insert(&c, x->actor, at, path, path->clause_count, path->effect_count))
                    plan__push(s, q, &c);
            }
        }
    }
}

/* Without feedback: any step that changes anything, anywhere. */
static void insert_any(struct plan_search *s, struct plan_queue *q, const struct plan *p)
{
    const struct sum_path *path;
    for (uint32_t a = 0; a < p->actor_count; a++)
        for (uint32_t k = 0; (path = plan__path(s, &p->actors[a], k)); k++) {
            bool changes = false;
            for (uint32_t i = 0; i < path->post_count; i++)
                changes |= path->post[i] != NULL;
            for (uint32_t at = 0; changes && path->whole && at <= p->lengths[a]; at++) {
                struct plan c = *p;
                if (plan__insert(&c, a, at, path, path->clause_count, path->effect_count))
                    plan__push(s, q, &c);
            }
        }
}

void plan__blame(struct plan_search *s, const struct plan *p, const struct plan_formula *f, struct plan_blames *found)
{
    struct blaming all = { .s = s, .p = p, .found = found }, *b = &all;
    for (uint32_t i = 0; i < f->clause_count; i++) {
        const struct plan_clause *c = &f->clauses[i];
        const struct plan_step *t = &b->p->steps[c->step];
        if (!f->core[i])
            continue;
        if (c->clause == PLAN_GUARD)
            blame_vars(b, c->step, t->guard);
        else if (c->clause != RH__NO_INDEX)
            blame_vars(b, c->step, t->path->clauses[c->clause]);
        else if (t->supply == PLAN_SENT)
            blame_vars(b, t->from, b->p->steps[t->from].path->effects[t->effect].to);
    }
}

void plan__repair(struct plan_search *s, struct plan_queue *q, const struct plan *p, const struct plan_blames *b)
{
    if (s->settings.feedback)
        insert_writers(s, q, p, b);
    else
        insert_any(s, q, p);
}
