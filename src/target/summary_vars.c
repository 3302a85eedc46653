/* The variables of summaries: bytes of the state, bytes of the message, the sender, and what is not known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/summary.h"

static Z3_ast named(struct sum_models *m, char kind, uint32_t index, uint32_t width)
{
    char name[32];
    snprintf(name, sizeof name, "%c%u", kind, index);
    return Z3_mk_const(m->run.z, Z3_mk_string_symbol(m->run.z, name), Z3_mk_bv_sort(m->run.z, width));
}

static Z3_ast byte_var(struct sum_models *m, struct sum_vars *v, char kind, uint32_t index)
{
    if (index >= v->count) {
        uint32_t count = 2 * index + 64;
        v->all = sym__must(realloc(v->all, count * sizeof *v->all));
        for (; v->count < count; v->count++)
            v->all[v->count] = named(m, kind, v->count, 8);
    }
    return v->all[index];
}

Z3_ast sum__state_var(struct sum_models *m, uint32_t index)
{
    return byte_var(m, &m->state_vars, 's', index);
}

Z3_ast sum__message_var(struct sum_models *m, uint32_t index)
{
    return byte_var(m, &m->message_vars, 'm', index);
}

bool sum__any_tail(struct sum_models *m, struct sym_path *p)
{
    p->tail = sym__object_new(&m->run, p, SUM_TAIL_BYTES, true);
    for (uint32_t i = 0; i < SUM_TAIL_BYTES; i++)
        p->objects[p->tail].bytes[i] = byte_var(m, &m->tail_vars, 't', i);
    p->tail_size = named(m, 'n', 0, 64);
    return sym__require(&m->run, p, Z3_mk_bvule(m->run.z, p->tail_size, sym__number(&m->run, SUM_TAIL_BYTES, 64)));
}

void sum__set_tail(struct sum_models *m, struct sym_path *p, const uint8_t *tail, uint32_t size)
{
    p->tail = sym__object_new(&m->run, p, size, true);
    for (uint32_t i = 0; i < size; i++)
        p->objects[p->tail].bytes[i] = sym__number(&m->run, tail[i], 8);
    p->tail_size = sym__number(&m->run, size, 64);
}

Z3_ast sum__sender_var(struct sum_models *m)
{
    return named(m, 'd', 0, 64);
}

Z3_ast sum__entry_byte(struct sum_models *m, const struct sum_actor *a, uint32_t index)
{
    return index < a->width && a->known[index] ? a->known[index] : sum__state_var(m, index);
}

struct collecting {
    struct sum_models *models;
    struct sum_var **vars;
    uint32_t *count;
    unsigned *seen; /* a hash table of identities, 0 for none */
    uint32_t seen_count, room;
};

/* False if it was there. */
static bool note_seen(struct collecting *c, unsigned id)
{
    if (2 * c->seen_count >= c->room) {
        uint32_t old = c->room;
        unsigned *from = c->seen;
        c->room = old ? 2 * old : 256;
        c->seen = sym__must(calloc(c->room, sizeof *c->seen));
        c->seen_count = 0;
        for (uint32_t i = 0; i < old; i++)
            if (from[i])
                note_seen(c, from[i] - 1);
        free(from);
    }
    uint32_t at = (id * 2654435761u) % c->room;
    while (c->seen[at] && c->seen[at] != id + 1)
        at = (at + 1) % c->room;
    if (c->seen[at])
        return false;
    c->seen[at] = id + 1;
    c->seen_count++;
    return true;
}

static void add_var(struct collecting *c, Z3_ast e, Z3_func_decl d)
{
    Z3_context z = c->models->run.z;
    Z3_symbol s = Z3_get_decl_name(z, d);
    if (Z3_get_symbol_kind(z, s) != Z3_STRING_SYMBOL)
        return;
    const char *name = Z3_get_symbol_string(z, s);
    struct sum_var v = { e, SUM_FRESH, (uint32_t)strtoul(name + 1, NULL, 10) };
    static const char letters[] = "smdtn"; /* enum sum_var_kind */
    if (strchr(letters, *name))
        v.kind = (enum sum_var_kind)(strchr(letters, *name) - letters);
    for (uint32_t i = 0; i < *c->count; i++)
        if (Z3_is_eq_ast(z, (*c->vars)[i].var, e))
            return;
    if ((*c->count & (*c->count - 1)) == 0)
        *c->vars = sym__must(realloc(*c->vars, (*c->count ? 2 * (size_t)*c->count : 1) * sizeof v));
    (*c->vars)[(*c->count)++] = v;
}

static void walk(struct collecting *c, Z3_ast e)
{
    Z3_context z = c->models->run.z;
    if (Z3_get_ast_kind(z, e) != Z3_APP_AST || !note_seen(c, Z3_get_ast_id(z, e)))
        return;
    Z3_app app = Z3_to_app(z, e);
    unsigned n = Z3_get_app_num_args(z, app);
    Z3_func_decl d = Z3_get_app_decl(z, app);
    if (!n && Z3_get_decl_kind(z, d) == Z3_OP_UNINTERPRETED)
        add_var(c, e, d);
    for (unsigned i = 0; i < n; i++)
        walk(c, Z3_get_app_arg(z, app, i));
}

void sum__collect(struct sum_models *m, Z3_ast e, struct sum_var **vars, uint32_t *count)
{
    struct collecting c = { .models = m, .vars = vars, .count = count };
    walk(&c, e);
    free(c.seen);
}

void sum__collect_path(struct sum_models *m, struct sum_path *p)
{
    struct collecting c = { .models = m, .vars = &p->vars, .count = &p->var_count };
    for (uint32_t i = 0; i < p->clause_count; i++)
        walk(&c, p->clauses[i]);
    for (uint32_t i = 0; i < p->visit_count; i++)
        if (p->visits[i].guard)
            walk(&c, p->visits[i].guard);
    for (uint32_t i = 0; i < p->post_count; i++)
        if (p->post[i])
            walk(&c, p->post[i]);
    for (uint32_t i = 0; i < p->effect_count; i++) {
        const struct sym_effect *e = &p->effects[i];
        const Z3_ast single[] = { e->to, e->from, e->result, e->tail_size };
        for (uint32_t k = 0; k < 4; k++)
            if (single[k])
                walk(&c, single[k]);
        for (uint32_t k = 0; k < e->size; k++)
            walk(&c, e->bytes[k]);
        for (uint32_t k = 0; k < e->tail_count; k++)
            walk(&c, e->tail[k]);
    }
    free(c.seen);
}
