/* See summary.h: the fixpoint over the paths of an actor. */
#include "target/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 96, MOST_FORKS = 48, MOST_ROUNDS = 8, QUERY_EFFORT = 400000, MOST_KEPT = 6000 };

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static void *copied(const void *from, size_t size)
{
    return size ? memcpy(sym__must(malloc(size)), from, size) : NULL;
}

struct sum_path *sum__add_path(struct sum_making *x, struct sym_path *p, bool whole)
{
    struct sum_actor *a = x->actor;
    struct sum_models *m = x->models;
    Z3_context z = m->run.z;
    if (a->path_count >= MOST_KEPT)
        return NULL;
    if ((a->path_count & (a->path_count - 1)) == 0)
        a->paths = sym__must(realloc(a->paths, (a->path_count ? 2 * (size_t)a->path_count : 1) * sizeof *a->paths));
    struct sum_path *s = &a->paths[a->path_count++];
    *s = (struct sum_path){ .message = x->message, .place = x->place, .is_reply = x->is_reply, .whole = whole };
    s->clauses = copied(p->clauses, p->clause_count * sizeof *p->clauses);
    s->clause_count = p->clause_count;
    s->effects = copied(p->effects, p->effect_count * sizeof *p->effects);
    s->effect_count = p->effect_count;
    s->visits = copied(p->visits, p->visit_count * sizeof *p->visits);
    s->visit_count = p->visit_count;
    if (whole) {
        s->post = sym__must(calloc(a->width, sizeof *s->post));
        s->post_count = a->width;
        const struct sym_object *o = &p->objects[p->state];
        for (uint32_t i = 0; i < a->size; i++) {
            Z3_ast entry = sum__entry_byte(m, a, i), byte = o->bytes[i];
            if (o->pointers[i / 8].bits)
                byte = sym__unknown(&m->run, 8);
            else if (byte != entry)
                byte = Z3_simplify(z, byte);
            s->post[i] = byte == entry ? NULL : byte;
        }
        if (p->place != RH__NO_INDEX)
            s->post[a->size] = sym__number(&m->run, p->place, 8);
        else
            s->post[a->size] = p->returns;
        if (p->stops)
            s->post[a->size + 1] = sym__number(&m->run, 0, 8);
        for (uint32_t i = a->size; i < a->size + 2; i++)
            if (s->post[i] && Z3_is_eq_ast(z, s->post[i], sum__entry_byte(m, a, i)))
                s->post[i] = NULL;
    }
    sum__collect_path(m, s);
    x->paths++;
    m->handler_paths++;
    return s;
}

static void path_returned(struct sym_run *r, struct sym_path *p)
{
    struct sum_making *x = r->user;
    if (x->models->program->actors[x->actor->type].body)
        p->stops = true; /* the body of a process has ended */
    sum__add_path(x, p, true);
    r->over |= sym__processor_seconds() > x->models->until;
}

static void path_failed(struct sym_run *r, struct sym_path *p)
{
    struct sum_making *x = r->user;
    sum__add_path(x, p, false);
    r->over |= sym__processor_seconds() > x->models->until;
}

static const struct sym_hooks hooks = { .call = sum__call, .returned = path_returned, .failed = path_failed };

void sum__paths_free(struct sum_path *paths, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (paths[i].shared)
            continue;
        free(paths[i].clauses);
        free(paths[i].effects);
        free(paths[i].post);
        free(paths[i].visits);
        free(paths[i].vars);
    }
    free(paths);
}

static void free_paths(struct sum_actor *a)
{
    sum__paths_free(a->paths, a->path_count);
    a->paths = NULL;
    a->path_count = 0;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

uint32_t sum__place_of(const struct rh__program *p, uint32_t behaviour)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < behaviour; i++)
        n += p->behaviours[i].actor == p->behaviours[behaviour].actor;
    return n < SUM_NEW ? n : SUM_NEW - 1;
}

struct sym_path *sum__begin_path(struct sum_models *m, struct sum_actor *a, uint32_t message, Z3_ast places)
{
    struct sym_run *r = &m->run;
    struct sym_path *p = sym__path_new(r);
    p->state = sym__object_new(r, p, a->size, true);
    for (uint32_t i = 0; i < a->size; i++)
        p->objects[p->state].bytes[i] = sum__entry_byte(m, a, i);
    uint32_t size = message == RH__NO_INDEX ? 0 : m->program->messages[message].size;
    p->message = sym__object_new(r, p, size, true);
    for (uint32_t i = 0; i < p->objects[p->message].size; i++)
        p->objects[p->message].bytes[i] = sum__message_var(m, i);
    p->self = a->self;
    p->sender = sum__sender_var(m);
    sym__require(r, p, places);
    sym__require(r, p, Z3_mk_eq(r->z, sum__entry_byte(m, a, a->size + 1), sym__number(r, 1, 8)));
    return p;
}

void sum__reset_run(struct sum_models *m, struct sum_making *x)
{
    m->run.user = x;
    m->run.until = m->until;
    m->run.over = sym__processor_seconds() > m->until;
    m->answer.paths = 0;
    m->answer.trouble[0] = 0;
    m->handlers++;
}

static void keep_trouble(struct sum_models *m, struct sum_actor *a)
{
    if (m->answer.trouble[0] && !a->trouble[0])
        snprintf(a->trouble, sizeof a->trouble, "%s", m->answer.trouble);
}

static Z3_ast place_is(struct sum_models *m, const struct sum_actor *a, uint32_t place)
{
    return Z3_mk_eq(m->run.z, sum__entry_byte(m, a, a->size), sym__number(&m->run, place, 8));
}

/* All paths of a handler, which several behaviours may list. */
static void make_entry(struct sum_models *m, struct sum_actor *a, uint32_t message, LLVMValueRef function,
                       Z3_ast places, uint32_t place, bool starts_body)
{
    struct sum_making x = { .models = m, .actor = a, .message = message, .place = place };
    struct sym_run *r = &m->run;
    sum__reset_run(m, &x);
    struct sym_path *p = sum__begin_path(m, a, message, places);
    const struct sym_value zero = { sym__number(r, 0, 64), 0 };
    const struct sym_value arguments[] = { { a->self, 0 }, { zero.bits, p->state }, { zero.bits, p->message } };
    if (function)
        sym__begin(r, function, arguments, starts_body ? 2 : 3, p);
    else {
        struct sum_path *s = sum__add_path(&x, p, true);
        if (s)
            s->ignores = true;
    }
    keep_trouble(m, a);
    sym__path_free(p);
}

/* The places in which this entry is the one for its message. */
static Z3_ast places_of(struct sum_models *m, struct sum_actor *a, uint32_t message, LLVMValueRef function,
                        uint32_t action)
{
    const struct rh__program *p = m->program;
    Z3_ast any = Z3_mk_false(m->run.z);
    for (uint32_t b = 0; b < p->behaviour_count; b++) {
        const struct rh__program_entry *e = p->behaviours[b].actor == a->type && a->reached[sum__place_of(p, b)]
                                                ? rh__program_entry(p, b, message)
                                                : NULL;
        if (!e || e->handler != function || e->action != action)
            continue;
        const Z3_ast both[] = { any, place_is(m, a, sum__place_of(p, b)) };
        any = Z3_mk_or(m->run.z, 2, both);
    }
    return Z3_simplify(m->run.z, any);
}

static void make_handlers(struct sum_models *m, struct sum_actor *a)
{
    const struct rh__program *p = m->program;
    LLVMValueRef done[512];
    uint32_t done_types[512], done_count = 0;
    for (uint32_t b = 0; b < p->behaviour_count; b++) {
        if (p->behaviours[b].actor != a->type || !a->reached[sum__place_of(p, b)])
            continue;
        for (uint32_t i = 0; i < p->behaviours[b].entry_count; i++) {
            const struct rh__program_entry *e = &p->behaviours[b].entries[i];
            uint32_t k = 0;
            while (k < done_count && (done[k] != e->handler || done_types[k] != e->message))
                k++;
            if (k < done_count || done_count == 512 || e->action == 1 || m->run.over)
                continue;
            done[done_count] = e->handler;
            done_types[done_count++] = e->message;
            make_entry(m, a, e->message, e->handler, places_of(m, a, e->message, e->handler, e->action), RH__NO_INDEX,
                       false);
        }
    }
}

/* rh_start: the body of a process, or the handler of an actor's first behaviour, which comes before all else. */
static void make_start(struct sum_models *m, struct sum_actor *a)
{
    const struct rh__program *p = m->program;
    const struct rh__program_actor *t = &p->actors[a->type];
    uint32_t start = rh__program_message_named(p, "rh_start");
    const struct rh__program_entry *e =
        t->first != RH__NO_INDEX && start != RH__NO_INDEX ? rh__program_entry(p, t->first, start) : NULL;
    uint32_t before = a->path_count;
    if (t->body)
        make_entry(m, a, start, t->body, place_is(m, a, SUM_NEW), SUM_NEW, true);
    else if (e)
        make_entry(m, a, start, e->handler, place_is(m, a, SUM_NEW), SUM_NEW, false);
    for (uint32_t i = before; i < a->path_count && !t->body; i++)
        if (a->paths[i].whole && !a->paths[i].post[a->size]) /* from then on in its first behaviour */
            a->paths[i].post[a->size] = sym__number(&m->run, sum__place_of(p, t->first), 8);
}

/* ---- the fixpoint ------------------------------------------------------------------------------------------------ */

/* What paths change is not known; true if something was. */
static bool widen(struct sum_models *m, struct sum_actor *a)
{
    bool changed = false;
    for (uint32_t i = 0; i < a->path_count; i++)
        for (uint32_t k = 0; a->paths[i].whole && k < a->paths[i].post_count; k++) {
            Z3_ast byte = a->paths[i].post[k];
            uint64_t n;
            if (byte && a->known[k] && !Z3_is_eq_ast(m->run.z, byte, a->known[k])) {
                a->known[k] = NULL;
                changed = true;
            }
            if (k == a->size && byte && sym__is_constant(&m->run, byte, &n) && n < SUM_PLACES && !a->reached[n])
                a->reached[n] = changed = true;
        }
    return changed;
}

void sum__set_known(struct sum_actor *a, uint32_t width)
{
    if (width <= a->width)
        return;
    a->known = sym__must(realloc(a->known, width * sizeof *a->known));
    a->initial = sym__must(realloc(a->initial, width * sizeof *a->initial));
    for (uint32_t i = a->width; i < width; i++)
        a->known[i] = a->initial[i] = NULL;
    a->width = width;
}

/* The time was over before nothing changed any more: the paths hold only where what has changed since is as it was when
 * they were made. */
static void restrict_paths(struct sum_models *m, struct sum_actor *a, Z3_ast *const old, uint32_t width)
{
    Z3_context z = m->run.z;
    Z3_ast all = NULL;
    for (uint32_t i = 0; i < width; i++) {
        if (!old[i] || a->known[i])
            continue;
        Z3_ast is = Z3_mk_eq(z, sum__state_var(m, i), old[i]);
        all = all ? sym__and_of(&m->run, all, is) : is;
    }
    for (uint32_t i = 0; all && i < a->path_count; i++) {
        struct sum_path *p = &a->paths[i];
        p->clauses = sym__must(realloc(p->clauses, (p->clause_count + 1) * sizeof *p->clauses));
        memmove(p->clauses + 1, p->clauses, p->clause_count * sizeof *p->clauses); /* visits count the first ones */
        p->clauses[0] = all;
        p->clause_count++;
        for (uint32_t k = 0; k < p->visit_count; k++)
            p->visits[k].clauses++;
        sum__collect(m, all, &p->vars, &p->var_count);
    }
}

static void make_all(struct sum_models *m, struct sum_actor *a)
{
    Z3_ast *old = NULL;
    uint32_t old_width = 0;
    bool changed = true;
    for (uint32_t round = 0; changed && round <= MOST_ROUNDS; round++) {
        uint32_t width = a->width;
        free_paths(a);
        a->trouble[0] = 0;
        m->run.over = false;
        if (round == MOST_ROUNDS) /* whatever may change is unknown now */
            memset(a->known, 0, a->width * sizeof *a->known);
        if (a->reached[SUM_NEW])
            make_start(m, a);
        make_handlers(m, a);
        for (uint32_t i = 0; i < a->wait_count && !m->run.over; i++)
            sum__resume_all(m, a, i);
        old_width = a->width;
        old = sym__must(realloc(old, (old_width + 1) * sizeof *old));
        memcpy(old, a->known, old_width * sizeof *old);
        changed = (widen(m, a) || a->width > width) && sym__processor_seconds() < m->until;
    }
    restrict_paths(m, a, old, old_width);
    free(old);
    if (sym__processor_seconds() > m->until && !a->trouble[0])
        snprintf(a->trouble, sizeof a->trouble, "the time for summaries was over");
}

static struct sum_actor *actor_new(struct sum_models *m, uint32_t type, Z3_ast self)
{
    struct sum_actor *a = sym__must(calloc(1, sizeof *a));
    a->type = type;
    a->self = self;
    a->size = m->program->actors[type].size;
    sum__set_known(a, a->size + 2);
    m->actors = sym__must(realloc(m->actors, (m->actor_count + 1) * sizeof(struct sum_actor *)));
    m->actors[m->actor_count++] = a;
    return a;
}

/* Whether an actor of this type takes rh_start first. */
static bool starts(const struct rh__program *p, uint32_t type)
{
    uint32_t start = rh__program_message_named(p, "rh_start");
    const struct rh__program_actor *t = &p->actors[type];
    return t->body || (t->first != RH__NO_INDEX && start != RH__NO_INDEX && rh__program_entry(p, t->first, start));
}

static uint32_t place_in(const struct sum_models *m, const struct rh__snapshot *s, uint32_t actor)
{
    const struct rh__snap_actor *x = &s->actors[actor];
    return x->status == RH__SNAP_NEW || x->behaviour == RH__NO_INDEX ? SUM_NEW
                                                                     : sum__place_of(m->program, x->behaviour);
}

static void begin_at(struct sum_models *m, struct sum_actor *a, uint32_t place)
{
    uint64_t n;
    a->initial[a->size] = sym__number(&m->run, place, 8);
    a->initial[a->size + 1] = sym__number(&m->run, 1, 8);
    a->reached[place] = true;
    for (uint32_t i = 0; i < a->width; i++)
        a->known[i] = a->initial[i] && sym__is_constant(&m->run, a->initial[i], &n) ? a->initial[i] : NULL;
}

struct sum_actor *sum__actor_of_snapshot(struct sum_models *m, const struct rh__snapshot *s, uint32_t actor)
{
    const struct rh__snap_actor *x = &s->actors[actor];
    if (x->type == RH__NO_INDEX || (x->status != RH__SNAP_IDLE && x->status != RH__SNAP_NEW) ||
        x->size < m->program->actors[x->type].size)
        return NULL;
    struct sum_actor *a = actor_new(m, x->type, sym__number(&m->run, rh__snap_reference(actor), 64));
    for (uint32_t i = 0; i < a->size; i++)
        a->initial[i] = sym__number(&m->run, x->state[i], 8);
    begin_at(m, a, place_in(m, s, actor));
    return a;
}

void sum__make_paths(struct sum_models *m, struct sum_actor *a)
{
    make_all(m, a);
}

struct sum_actor *sum__actor_of_spawn(struct sum_models *m, uint32_t type, Z3_ast *const bytes, uint32_t size,
                                      Z3_ast self)
{
    struct sum_actor *a = actor_new(m, type, self);
    for (uint32_t i = 0; i < a->size; i++)
        a->initial[i] = i < size ? bytes[i] : sym__number(&m->run, 0, 8);
    uint32_t first = m->program->actors[type].first;
    begin_at(m, a, starts(m->program, type) || first == RH__NO_INDEX ? SUM_NEW : sum__place_of(m->program, first));
    make_all(m, a);
    return a;
}

Z3_ast sum__byte_of(struct sum_models *m, const struct sum_actor *a, const struct rh__snapshot *s, uint32_t actor,
                    uint32_t byte)
{
    uint32_t is = byte < a->size    ? s->actors[actor].state[byte]
                  : byte == a->size ? place_in(m, s, actor)
                                    : byte == a->size + 1;
    return sym__number(&m->run, is, 8);
}

Z3_ast *sum__vector_of(struct sum_models *m, const struct sum_actor *a, const struct rh__snapshot *s, uint32_t actor)
{
    Z3_ast *v = sym__must(calloc(a->width, sizeof *v));
    for (uint32_t i = 0; i < a->width; i++)
        v[i] = sum__byte_of(m, a, s, actor, i);
    return v;
}

bool sum__holds(struct sum_models *m, const struct sum_actor *a, const struct rh__snapshot *s, uint32_t actor)
{
    Z3_ast *v = sum__vector_of(m, a, s, actor);
    uint64_t place = 0;
    bool holds = sym__is_constant(&m->run, v[a->size], &place) && a->reached[place];
    for (uint32_t i = 0; i < a->size + 2 && holds; i++)
        holds = !a->known[i] || Z3_is_eq_ast(m->run.z, a->known[i], v[i]);
    free(v);
    return holds;
}

/* ---- predicates -------------------------------------------------------------------------------------------------- */

Z3_ast sum__accepts(struct sum_models *m, LLVMValueRef when, Z3_ast *bytes, uint32_t size)
{
    struct sym_run *r = &m->run;
    if (!when)
        return Z3_mk_true(r->z);
    struct sym_path *p = sym__path_new(r);
    uint32_t object = sym__object_new(r, p, size, true);
    for (uint32_t i = 0; i < size; i++)
        p->objects[object].bytes[i] = bytes[i];
    const struct sym_value argument = { sym__number(r, 0, 64), object };
    r->accepted = Z3_mk_false(r->z);
    r->over = false;
    m->answer.paths = 0;
    sym__begin(r, when, &argument, 1, p);
    sym__path_free(p);
    Z3_ast all = r->accepted;
    r->accepted = NULL;
    return all;
}

Z3_ast sum__accepts_message(struct sum_models *m, LLVMValueRef when, uint32_t type)
{
    for (uint32_t i = 0; i < m->predicate_count; i++)
        if (m->predicates[i].when == when && m->predicates[i].type == type)
            return m->predicates[i].is;
    uint32_t size = m->program->messages[type].size, n = m->predicate_count++;
    Z3_ast *bytes = sym__must(malloc((size + 1) * sizeof *bytes));
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = sum__message_var(m, i);
    m->predicates = sym__must(realloc(m->predicates, m->predicate_count * sizeof *m->predicates));
    m->predicates[n] = (struct sum_predicate){ when, type, NULL };
    m->predicates[n].is = sum__accepts(m, when, bytes, size);
    free(bytes);
    return m->predicates[n].is;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

struct sum_models *sum__models_new(const struct rh__program *p, const char *const *parameters)
{
    struct sum_models *m = sym__must(calloc(1, sizeof *m));
    Z3_config config = Z3_mk_config();
    m->program = p;
    m->question = (struct rh__symbolic_question){ .program = p, .most_paths = MOST_PATHS };
    m->run = (struct sym_run){ .q = &m->question, .a = &m->answer, .z = Z3_mk_context(config), .hooks = &hooks };
    Z3_del_config(config);
    m->run.parameters = parameters;
    m->run.most_forks = MOST_FORKS;
    m->until = 1e30;
    Z3_set_error_handler(m->run.z, NULL);
    m->run.solver = Z3_mk_solver_for_logic(m->run.z, Z3_mk_string_symbol(m->run.z, "QF_BV"));
    Z3_solver_inc_ref(m->run.z, m->run.solver);
    m->params = Z3_mk_params(m->run.z);
    Z3_params_inc_ref(m->run.z, m->params);
    Z3_params_set_uint(m->run.z, m->params, Z3_mk_string_symbol(m->run.z, "rlimit"), QUERY_EFFORT);
    Z3_solver_set_params(m->run.z, m->run.solver, m->params);
    return m;
}

void sum__models_free(struct sum_models *m)
{
    for (uint32_t i = 0; i < m->actor_count; i++) {
        struct sum_actor *a = m->actors[i];
        free_paths(a);
        for (uint32_t k = 0; k < a->wait_count; k++)
            sum__wait_free(a->waits[k]);
        free(a->waits);
        free(a->initial);
        free(a->known);
        free(a);
    }
    free(m->actors);
    free(m->run.meetings);
    free(m->run.addresses);
    free(m->state_vars.all);
    free(m->message_vars.all);
    free(m->tail_vars.all);
    free(m->predicates);
    for (uint32_t i = 0; i < m->exact_count; i++)
        sum__paths_free(m->exact[i].paths, m->exact[i].count);
    free(m->exact);
    for (uint32_t i = 0; i < m->text_count; i++)
        free(m->texts[i]);
    free(m->texts);
    Z3_params_dec_ref(m->run.z, m->params);
    Z3_solver_dec_ref(m->run.z, m->run.solver);
    Z3_del_context(m->run.z);
    free(m);
}
