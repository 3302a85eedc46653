/* Paths from one state: what an actor of a snapshot does first.
 *
 * All bytes of its state are the numbers of the snapshot, and so are those of a message that is under way, or of a
 * timer.  A message from outside is one that the test's body accepts; a few are tried with values that are known, too,
 * because code that computes much with them (a hash, loops in loops) is too hard for the solver.  Loops over the state
 * end, and there are few paths: one where all is known.  Such a path can only be the first step of its actor. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "target/summary.h"

enum { MOST_EXACT = 32, MOST_VALUES = 4 }; /* entries of one actor; values from outside */

struct entry {
    enum sum_origin origin;
    uint32_t from, type;
    const uint8_t *value; /* NULL: from outside */
    uint32_t size;
    uint64_t sender;
    const uint8_t *tail;
    uint32_t tail_size;
    uint32_t like; /* from outside: each number is to be this one, as far as the predicate allows; 0: not known */
};

static bool is_there(const struct entry *list, uint32_t count, const struct entry *e)
{
    for (uint32_t i = 0; i < count; i++)
        if (!e->tail_size && !list[i].tail_size && list[i].type == e->type && list[i].sender == e->sender &&
            list[i].size == e->size && list[i].value && e->value && memcmp(list[i].value, e->value, e->size) == 0)
            return true;
    return false;
}

/* What the actor may take first. */
static uint32_t entries_of(const struct rh__snapshot *s, uint32_t actor, struct entry *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; s->outside_left && i < s->opening_count; i++)
        for (uint32_t k = 0; k <= MOST_VALUES && count < MOST_EXACT && s->openings[i].actor == actor; k++)
            list[count++] = (struct entry){
                .origin = SUM_FROM_OUTSIDE, .from = i, .type = s->openings[i].type, .like = MOST_VALUES - k
            };
    for (uint32_t i = 0; i < s->message_count && count < MOST_EXACT; i++) {
        const struct rh__snap_message *m = &s->messages[i];
        struct entry e = { SUM_UNDER_WAY, i, m->type, m->value, m->size, rh__snap_reference(m->from), m->tail,
                           m->tail_size,  0 };
        if (!m->taken && m->tail_known && m->to == actor && m->type != RH__NO_INDEX && !is_there(list, count, &e))
            list[count++] = e;
    }
    for (uint32_t i = 0; i < s->timer_count && count < MOST_EXACT; i++) {
        const struct rh__snap_timer *t = &s->timers[i];
        if (t->actor == actor)
            list[count++] =
                (struct entry){ SUM_TIMER, i, t->type, t->value, t->size, rh__snap_reference(actor), NULL, 0, 0 };
    }
    return count;
}

/* The function that takes a message of this type, and whether there is one. */
static bool handler_of(const struct rh__program *p, const struct rh__snap_actor *x, uint32_t type,
                       LLVMValueRef *function)
{
    const struct rh__program_actor *t = &p->actors[x->type];
    bool is_new = x->status == RH__SNAP_NEW || x->behaviour == RH__NO_INDEX;
    if (t->body) {
        *function = t->body;
        return is_new && type == rh__program_message_named(p, "rh_start");
    }
    uint32_t behaviour = is_new ? t->first : x->behaviour;
    const struct rh__program_entry *e = behaviour == RH__NO_INDEX ? NULL : rh__program_entry(p, behaviour, type);
    *function = e ? e->handler : NULL;
    return e && e->handler && e->action != 1;
}

/* A message that the predicate accepts, with small numbers; false if none was found. */
static bool find_value(struct sum_models *m, Z3_ast accepted, const Z3_ast *bytes, uint32_t size, uint32_t like,
                       uint8_t *value)
{
    struct sym_run *r = &m->run;
    Z3_solver_push(r->z, r->solver);
    Z3_solver_assert(r->z, r->solver, accepted);
    bool found = Z3_solver_check(r->z, r->solver) == Z3_L_TRUE;
    for (uint32_t k = 0; found && k + 4 <= size; k += 4) {
        Z3_ast word = Z3_mk_concat(r->z, Z3_mk_concat(r->z, bytes[k + 3], bytes[k + 2]),
                                   Z3_mk_concat(r->z, bytes[k + 1], bytes[k]));
        bool fits = false;
        for (uint32_t n = like + 1; n-- > 0 && !fits;) {
            Z3_ast is = Z3_mk_eq(r->z, word, sym__number(r, n, 32));
            Z3_solver_push(r->z, r->solver);
            Z3_solver_assert(r->z, r->solver, is);
            fits = Z3_solver_check(r->z, r->solver) == Z3_L_TRUE;
            Z3_solver_pop(r->z, r->solver, 1);
            if (fits)
                Z3_solver_assert(r->z, r->solver, is);
        }
    }
    if (found && Z3_solver_check(r->z, r->solver) == Z3_L_TRUE) {
        Z3_model model = Z3_solver_get_model(r->z, r->solver);
        for (uint32_t k = 0; k < size; k++) {
            Z3_ast byte;
            uint64_t n = 0;
            if (Z3_model_eval(r->z, model, bytes[k], true, &byte))
                sym__is_constant(r, byte, &n);
            value[k] = (uint8_t)n;
        }
    } else
        found = false;
    Z3_solver_pop(r->z, r->solver, 1);
    return found;
}

/* The message is this one; the path says so. */
static bool set_value(struct sum_models *m, struct sym_path *p, const struct entry *e)
{
    struct sym_run *r = &m->run;
    uint32_t size = p->objects[p->message].size;
    uint8_t *value = sym__must(calloc(size + 1, 1));
    bool found = find_value(m, p->condition, p->objects[p->message].bytes, size, e->like, value);
    for (uint32_t i = 0; found && i < size; i++) {
        Z3_ast byte = sym__number(r, value[i], 8);
        found = sym__require(r, p, Z3_mk_eq(r->z, p->objects[p->message].bytes[i], byte));
        p->objects[p->message].bytes[i] = byte;
    }
    free(value);
    return found;
}

/* ---- the same state and message in another snapshot -------------------------------------------------------------- */

static uint64_t hash_of(const struct rh__snapshot *s, uint32_t actor, const struct entry *e)
{
    const struct rh__snap_actor *x = &s->actors[actor];
    uint64_t hash = rh__mix(rh__mix(actor, x->type), (uint64_t)x->status << 32 | x->behaviour);
    hash = rh__hash(x->state, x->size, hash);
    hash = rh__mix(rh__mix(hash, e->type), e->sender);
    if (!e->value)
        return rh__mix(rh__mix(hash, (uintptr_t)s->openings[e->from].when), e->like + 1);
    return rh__hash(e->tail, e->tail_size, rh__hash(e->value, e->size, hash));
}

static const struct sum_exact *find_made(const struct sum_models *m, uint64_t hash)
{
    for (uint32_t i = 0; i < m->exact_count; i++)
        if (m->exact[i].hash == hash)
            return &m->exact[i];
    return NULL;
}

/* A path that waits is of one actor's summaries, whose places have numbers of their own. */
static bool waits(struct sum_models *m, const struct sum_actor *a, const struct sum_path *p)
{
    uint64_t place;
    return p->whole && p->post[a->size] && (!sym__is_constant(&m->run, p->post[a->size], &place) || place >= SUM_WAITS);
}

/* The paths from `first` on are the models' from now on, unless one waits, or the time was over. */
static void keep_made(struct sum_models *m, struct sum_actor *a, uint32_t first, uint64_t hash)
{
    uint32_t count = a->path_count - first;
    for (uint32_t i = first; i < a->path_count; i++)
        if (waits(m, a, &a->paths[i]))
            return;
    if (m->run.over)
        return;
    if ((m->exact_count & (m->exact_count - 1)) == 0)
        m->exact = sym__must(realloc(m->exact, (m->exact_count ? 2 * (size_t)m->exact_count : 1) * sizeof *m->exact));
    struct sum_exact *x = &m->exact[m->exact_count++];
    *x = (struct sum_exact){ hash, sym__must(malloc((count + 1) * sizeof *x->paths)), count };
    memcpy(x->paths, a->paths + first, count * sizeof *x->paths);
    for (uint32_t i = first; i < a->path_count; i++)
        a->paths[i].shared = true;
}

static void add_made(struct sum_actor *a, const struct sum_exact *x, const struct entry *e)
{
    for (uint32_t i = 0; i < x->count; i++) {
        if ((a->path_count & (a->path_count - 1)) == 0)
            a->paths = sym__must(realloc(a->paths, (a->path_count ? 2 * (size_t)a->path_count : 1) * sizeof *a->paths));
        struct sum_path *p = &a->paths[a->path_count++];
        *p = x->paths[i];
        p->shared = true;
        p->from = e->from;
        p->origin = e->origin;
    }
}

/* ---- making them ------------------------------------------------------------------------------------------------- */

static void make_path(struct sum_models *m, struct sum_actor *a, const struct rh__snapshot *s, uint32_t actor,
                      const struct entry *e)
{
    const struct rh__snap_actor *x = &s->actors[actor];
    struct sym_run *r = &m->run;
    LLVMValueRef function;
    if (!handler_of(m->program, x, e->type, &function))
        return;
    uint64_t hash = hash_of(s, actor, e);
    const struct sum_exact *made = find_made(m, hash);
    if (made) {
        add_made(a, made, e);
        return;
    }
    bool body = m->program->actors[a->type].body, starts = x->status == RH__SNAP_NEW;
    struct sum_making making = {
        .models = m, .actor = a, .message = e->type, .place = starts ? SUM_NEW : RH__NO_INDEX
    };
    sum__reset_run(m, &making);
    struct sym_path *p = sum__begin_path(m, a, e->type, Z3_mk_true(r->z));
    struct sym_object *o = &p->objects[p->message];
    for (uint32_t i = 0; e->value && i < o->size; i++)
        o->bytes[i] = sym__number(r, i < e->size ? e->value[i] : 0, 8);
    if (e->value)
        p->sender = sym__number(r, e->sender, 64);
    else
        sym__set_condition(p, Z3_simplify(r->z, sum__accepts(m, s->openings[e->from].when, o->bytes, o->size)));
    sum__reset_run(m, &making); /* the predicate was a run of its own */
    sum__set_tail(m, p, e->tail, e->tail_size);
    const struct sym_value zero = { sym__number(r, 0, 64), 0 };
    const struct sym_value arguments[] = { { a->self, 0 }, { zero.bits, p->state }, { zero.bits, p->message } };
    uint32_t before = a->path_count;
    if (!e->like || set_value(m, p, e))
        sym__begin(r, function, arguments, body ? 2 : 3, p);
    sym__path_free(p);
    for (uint32_t i = before; i < a->path_count; i++) {
        struct sum_path *path = &a->paths[i];
        path->origin = e->origin;
        path->from = e->from;
        if (starts && !body && path->whole && !path->post[a->size])
            path->post[a->size] = sym__number(r, sum__place_of(m->program, m->program->actors[a->type].first), 8);
    }
    keep_made(m, a, before, hash);
}

uint32_t sum__exact_paths(struct sum_models *m, struct sum_actor *a, const struct rh__snapshot *s, uint32_t actor,
                          struct sum_path **paths)
{
    struct entry list[MOST_EXACT];
    uint32_t entries = entries_of(s, actor, list), waits = a->wait_count, width = a->width;
    struct sum_actor general = *a; /* what is of no one state */
    Z3_ast *known = sum__vector_of(m, a, s, actor);
    for (uint32_t i = a->size + 2; i < width; i++)
        known[i] = NULL;
    a->known = known;
    a->paths = NULL;
    a->path_count = 0;
    for (uint32_t i = 0; i < entries && sym__processor_seconds() < m->until; i++)
        make_path(m, a, s, actor, &list[i]);
    *paths = a->paths;
    uint32_t count = a->path_count;
    /* Waits that only these paths show: what they keep is known if they agree. */
    Z3_ast *old = sym__must(realloc(general.known, (a->width + 1) * sizeof *old));
    for (uint32_t i = width; i < a->width; i++) {
        old[i] = a->known[i];
        for (uint32_t k = 0; k < count; k++)
            if (a->paths[k].whole && i < a->paths[k].post_count && a->paths[k].post[i] && a->paths[k].post[i] != old[i])
                old[i] = NULL;
    }
    free(a->known);
    a->known = old;
    a->paths = general.paths;
    a->path_count = general.path_count;
    m->run.over = false;
    for (uint32_t i = waits; i < a->wait_count && !m->run.over; i++) {
        a->reached[SUM_WAITS + i] = true;
        sum__resume_all(m, a, i);
    }
    return count;
}
