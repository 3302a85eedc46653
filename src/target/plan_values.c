/* The values of a plan's steps: what each expression of a path is, with the vectors, messages and senders put in.
 *
 * They are computed when they are asked for: a step may change thousands of bytes of which the plan needs three. */
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

static Z3_ast fresh(struct plan_search *s, char kind, uint32_t step, uint32_t index, uint32_t width)
{
    char name[48];
    snprintf(name, sizeof name, "%c_%u_%u", kind, step, index);
    Z3_context z = s->models->run.z;
    return Z3_mk_const(z, Z3_mk_string_symbol(z, name), Z3_mk_bv_sort(z, width));
}

static Z3_ast number(struct plan_search *s, uint64_t n, uint32_t width)
{
    return sym__number(&s->models->run, n, width);
}

/* ---- what was computed before ------------------------------------------------------------------------------------ */

static struct plan_value *slot_of(struct plan_formula *f, uint32_t step, Z3_ast e)
{
    uint32_t at = (uint32_t)(((uintptr_t)e >> 4) * 31 + step) * 2654435761u % f->value_room;
    while (f->values[at].of && (f->values[at].of != e || f->values[at].step != step))
        at = (at + 1) % f->value_room;
    return &f->values[at];
}

static void keep_value(struct plan_formula *f, uint32_t step, Z3_ast e, Z3_ast is)
{
    if (2 * f->value_count >= f->value_room) {
        uint32_t old = f->value_room;
        struct plan_value *from = f->values;
        f->value_room = old ? 2 * old : 256;
        f->values = sym__must(calloc(f->value_room, sizeof *f->values));
        for (uint32_t i = 0; i < old; i++)
            if (from[i].of)
                *slot_of(f, from[i].step, from[i].of) = from[i];
        free(from);
    }
    struct plan_value *to = slot_of(f, step, e);
    f->value_count += !to->of;
    *to = (struct plan_value){ e, is, step };
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static const struct sym_effect *message_of(const struct plan *p, const struct plan_step *t)
{
    return &p->steps[t->from].path->effects[t->effect];
}

Z3_ast plan__byte_before(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step,
                         uint32_t byte)
{
    uint32_t actor = p->steps[step].actor;
    for (uint32_t at = plan__position(p, step); at-- > 0;) {
        uint32_t earlier = p->history[actor][at];
        const struct sum_path *path = p->steps[earlier].path;
        if (byte < path->post_count && path->post[byte])
            return plan__put(s, p, f, earlier, path->post[byte]);
    }
    const struct plan_actor *a = &p->actors[actor];
    if (a->index != RH__NO_INDEX)
        return sum__byte_of(s->models, a->model, s->snapshot, a->index, byte);
    if (byte < a->model->size) {
        const struct sym_effect *e = &p->steps[a->step].path->effects[a->effect];
        return byte < e->size ? plan__put(s, p, f, a->step, e->bytes[byte]) : number(s, 0, 8);
    }
    return a->model->initial[byte] ? a->model->initial[byte] : number(s, 0, 8);
}

Z3_ast plan__message_byte(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step,
                          uint32_t byte)
{
    const struct plan_step *t = &p->steps[step];
    const uint8_t *constant = NULL;
    uint32_t constants = 0;
    if (t->supply == PLAN_SENT) {
        const struct sym_effect *e = message_of(p, t);
        return byte < e->size ? plan__put(s, p, f, t->from, e->bytes[byte]) : number(s, 0, 8);
    }
    if (t->supply == PLAN_UNDER_WAY) {
        constant = s->snapshot->messages[t->from].value;
        constants = s->snapshot->messages[t->from].size;
    } else if (t->supply == PLAN_TIMER) {
        constant = s->snapshot->timers[t->from].value;
        constants = s->snapshot->timers[t->from].size;
    } else
        return fresh(s, 'o', step, byte, 8);
    return number(s, constant && byte < constants ? constant[byte] : 0, 8);
}

static Z3_ast tail_byte(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step,
                        uint32_t byte)
{
    const struct plan_step *t = &p->steps[step];
    const struct sym_effect *e = t->supply == PLAN_SENT ? message_of(p, t) : NULL;
    if (e && e->passes_tail)
        return tail_byte(s, p, f, t->from, byte);
    if (e)
        return byte < e->tail_count ? plan__put(s, p, f, t->from, e->tail[byte]) : number(s, 0, 8);
    if (t->supply == PLAN_OPEN)
        return fresh(s, 't', step, byte, 8);
    const struct rh__snap_message *m = t->supply == PLAN_UNDER_WAY ? &s->snapshot->messages[t->from] : NULL;
    return number(s, m && m->tail_known && byte < m->tail_size ? m->tail[byte] : 0, 8);
}

/* Messages from outside have no tails, and so have timers. */
static Z3_ast tail_size(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step)
{
    const struct plan_step *t = &p->steps[step];
    const struct sym_effect *e = t->supply == PLAN_SENT ? message_of(p, t) : NULL;
    if (e && e->passes_tail)
        return tail_size(s, p, f, t->from);
    if (e)
        return e->tail_size ? plan__put(s, p, f, t->from, e->tail_size) : number(s, 0, 64);
    if (t->supply == PLAN_OPEN)
        return fresh(s, 'n', step, 0, 64);
    return number(s, t->supply == PLAN_UNDER_WAY ? s->snapshot->messages[t->from].tail_size : 0, 64);
}

Z3_ast plan__sender(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step)
{
    const struct plan_step *t = &p->steps[step];
    switch (t->supply) {
    case PLAN_UNDER_WAY:
        return number(s, rh__snap_reference(s->snapshot->messages[t->from].from), 64);
    case PLAN_TIMER:
        return number(s, plan__reference(p, t->actor), 64);
    case PLAN_OUTSIDE:
        return number(s, rh__snap_reference(FROM_OUTSIDE + step), 64);
    case PLAN_SENT:
        return message_of(p, t)->from ? plan__put(s, p, f, t->from, message_of(p, t)->from)
                                      : number(s, plan__reference(p, p->steps[t->from].actor), 64);
    case PLAN_OPEN:
    case PLAN_TIME:
        break;
    }
    return fresh(s, 'd', step, 0, 64);
}

static Z3_ast value_of_var(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step,
                           const struct sum_var *v)
{
    const struct plan_step *t = &p->steps[step];
    const struct sum_actor *model = p->actors[t->actor].model;
    if (v->kind == SUM_STATE && v->index < model->width)
        return plan__byte_before(s, p, f, step, v->index);
    if (v->kind == SUM_MESSAGE)
        return plan__message_byte(s, p, f, step, v->index);
    if (v->kind == SUM_SENDER)
        return plan__sender(s, p, f, step);
    if (v->kind == SUM_TAIL)
        return tail_byte(s, p, f, step, v->index);
    if (v->kind == SUM_TAIL_SIZE)
        return tail_size(s, p, f, step);
    if (v->var == model->self)
        return number(s, plan__reference(p, t->actor), 64);
    for (uint32_t e = 0; e < t->path->effect_count; e++) /* the reference of an actor that it spawns */
        if (t->path->effects[e].kind == SYM_SPAWN && t->path->effects[e].result == v->var)
            return number(s, rh__snap_reference(SPAWNED + step * 64 + e), 64);
    return fresh(s, 'f', step, v->index, sym__width_of(&s->models->run, v->var));
}

Z3_ast plan__put(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step, Z3_ast e)
{
    Z3_context z = s->models->run.z;
    struct sum_var *vars = NULL;
    uint32_t count = 0;
    if (Z3_is_numeral_ast(z, e))
        return e;
    if (f->value_room && slot_of(f, step, e)->of)
        return slot_of(f, step, e)->is;
    sum__collect(s->models, e, &vars, &count);
    Z3_ast *from = sym__must(malloc((2 * count + 1) * sizeof *from)), *to = from + count;
    for (uint32_t i = 0; i < count; i++) {
        from[i] = vars[i].var;
        to[i] = value_of_var(s, p, f, step, &vars[i]);
    }
    Z3_ast is = count ? Z3_simplify(z, Z3_substitute(z, e, count, from, to)) : Z3_simplify(z, e);
    free(from);
    free(vars);
    keep_value(f, step, e, is);
    return is;
}
