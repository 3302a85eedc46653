/* rehearse-target summaries BINARY TEST: compares summaries with runs, for tests of this program.
 *
 * Two snapshots of a run with one step between them show what an actor did with a message.  Among its summaries there
 * must be exactly one path whose condition holds for that state and that message, and it must say what was observed:
 * the bytes of the state, the behaviour, and the messages that were sent.  What a path leaves open (results of calls
 * without code) is not compared; an actor with a path that was given up may have no path for a step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "target/concrete.h"
#include "target/plan.h"
#include "target/target_commands.h"

enum { SECONDS_EACH = 2 }; /* for the summaries of an actor */

struct verifying {
    struct sum_models *m;
    uint32_t compared, open, without; /* steps: compared; with unknown parts; without a path, where that is allowed */
    uint32_t differences;
};

/* One step: the first snapshot, the actor and the message that it took. */
struct observed {
    const struct rh__snapshot *before, *after;
    uint32_t actor, message;
};

static bool is_prefix(const struct rh__snapshot *a, const struct rh__snapshot *b)
{
    return a->choices + 1 == b->choices && a->actor_count <= b->actor_count && a->message_count <= b->message_count;
}

/* Whether the second is the first and one more delivery; the heads of the schedules count their events in a comment. */
static bool observe(const struct rh__snapshot *a, const struct rh__snapshot *b, struct observed *o)
{
    const char *x = strstr(a->schedule, " event"), *y = strstr(b->schedule, " event");
    x = x ? strchr(x, '\n') : NULL;
    y = y ? strchr(y, '\n') : NULL;
    if (!is_prefix(a, b) || !x || !y || strncmp(x, y, strlen(x)) != 0)
        return false;
    *o = (struct observed){ a, b, RH__NO_INDEX, RH__NO_INDEX };
    uint32_t taken = 0;
    for (uint32_t i = 0; i < a->message_count; i++)
        if (!a->messages[i].taken && b->messages[i].taken) {
            taken++;
            o->message = i;
            o->actor = a->messages[i].to;
        }
    return taken == 1 && a->messages[o->message].type != RH__NO_INDEX && a->messages[o->message].tail_known;
}

/* ---- one path with the values of the step ------------------------------------------------------------------------ */

struct values {
    Z3_ast *from, *to;
    uint32_t count;
};

static Z3_ast put(const struct verifying *v, const struct values *x, Z3_ast e)
{
    Z3_context z = v->m->run.z;
    return Z3_simplify(z, Z3_substitute(z, e, x->count, x->from, x->to));
}

static struct values values_of(const struct verifying *v, const struct sum_path *p, Z3_ast *const vector,
                               const struct observed *o)
{
    struct values x = { 0 };
    const struct rh__snap_message *m = &o->before->messages[o->message];
    x.from = sym__must(malloc((p->var_count + 1) * sizeof(Z3_ast)));
    x.to = sym__must(malloc((p->var_count + 1) * sizeof(Z3_ast)));
    for (uint32_t i = 0; i < p->var_count; i++) {
        Z3_ast to = NULL;
        if (p->vars[i].kind == SUM_STATE)
            to = vector[p->vars[i].index];
        else if (p->vars[i].kind == SUM_MESSAGE)
            to = sym__number(&v->m->run, p->vars[i].index < m->size ? m->value[p->vars[i].index] : 0, 8);
        else if (p->vars[i].kind == SUM_SENDER)
            to = sym__number(&v->m->run, rh__snap_reference(m->from), 64);
        else if (p->vars[i].kind == SUM_TAIL)
            to = sym__number(&v->m->run, p->vars[i].index < m->tail_size ? m->tail[p->vars[i].index] : 0, 8);
        else if (p->vars[i].kind == SUM_TAIL_SIZE)
            to = sym__number(&v->m->run, m->tail_size, 64);
        if (!to)
            continue;
        x.from[x.count] = p->vars[i].var;
        x.to[x.count++] = to;
    }
    return x;
}

/* 1: it holds; 0: it does not; -1: it depends on what is open. */
static int holds(const struct verifying *v, const struct sum_path *p, const struct values *x)
{
    Z3_context z = v->m->run.z;
    int all = 1;
    for (uint32_t i = 0; i < p->clause_count; i++) {
        Z3_ast is = put(v, x, p->clauses[i]);
        if (Z3_is_eq_ast(z, is, Z3_mk_false(z)))
            return 0;
        if (!Z3_is_eq_ast(z, is, Z3_mk_true(z)))
            all = -1;
    }
    return all;
}

static void differ(struct verifying *v, const struct observed *o, const char *what, uint64_t expected, uint64_t found)
{
    const struct rh__snapshot *s = o->before;
    v->differences++;
    printf("%s takes %s after %u steps: %s: the summary says %llu, the run shows %llu\n", s->actors[o->actor].name,
           v->m->program->messages[s->messages[o->message].type].name, s->choices, what, (unsigned long long)expected,
           (unsigned long long)found);
}

static void compare_number(struct verifying *v, const struct observed *o, const char *what, Z3_ast e, uint64_t found)
{
    uint64_t n;
    if (sym__is_constant(&v->m->run, e, &n) && n != found)
        differ(v, o, what, n, found);
}

/* Messages that the world sends: to who begins, and news of an end to who watches one that has ended before. */
static bool is_of_world(const struct verifying *v, uint32_t type)
{
    static const char *const names[] = { "rh_start", "rh_down", "rh_exited", "rh_stored" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (type != RH__NO_INDEX && strcmp(v->m->program->messages[type].name, names[i]) == 0)
            return true;
    return false;
}

/* The messages that the step sent, in their order; those of the world are left out. */
static void compare_sends(struct verifying *v, const struct observed *o, const struct sum_path *p,
                          const struct values *x)
{
    uint32_t at = o->before->message_count;
    for (uint32_t i = 0; i < p->effect_count; i++) {
        const struct sym_effect *e = &p->effects[i];
        uint64_t to;
        if (e->kind != SYM_SEND)
            continue;
        Z3_ast receiver = put(v, x, e->to);
        while (at < o->after->message_count && o->after->messages[at].type != e->type &&
               is_of_world(v, o->after->messages[at].type))
            at++;
        if (sym__is_constant(&v->m->run, receiver, &to)) {
            uint64_t actor = to - rh__snap_reference(0);
            bool gone = o->before->actors[actor < o->before->actor_count ? actor : 0].status == RH__SNAP_GONE;
            bool kept = at < o->after->message_count && o->after->messages[at].to == actor &&
                        o->after->messages[at].type == e->type; /* it crashed, and may come back */
            if (actor >= o->after->actor_count || o->after->actors[actor].status == RH__SNAP_OUTSIDE || (gone && !kept))
                continue; /* to nobody: the run has no message */
        }
        if (at == o->after->message_count) {
            differ(v, o, "messages sent", i + 1, i);
            return;
        }
        const struct rh__snap_message *m = &o->after->messages[at++];
        if (m->type != e->type)
            differ(v, o, "the type of a message", e->type, m->type);
        compare_number(v, o, "the receiver of a message", receiver, rh__snap_reference(m->to));
        Z3_ast tail_size = e->tail_size ? put(v, x, e->tail_size) : sym__number(&v->m->run, 0, 64);
        if (!e->passes_tail)
            compare_number(v, o, "the size of a tail", tail_size, m->tail_size);
        for (uint32_t k = 0; k < e->tail_count && k < m->tail_size && m->tail_known && !m->taken; k++)
            compare_number(v, o, "a byte of a tail", put(v, x, e->tail[k]), m->tail[k]);
        for (uint32_t k = 0; k < e->size && !m->taken; k++)
            compare_number(v, o, "a byte of a message", put(v, x, e->bytes[k]), k < m->size ? m->value[k] : 0);
    }
}

static void compare_path(struct verifying *v, const struct observed *o, const struct sum_actor *a,
                         const struct sum_path *p, const struct values *x, Z3_ast *const vector)
{
    const struct rh__snap_actor *after = &o->after->actors[o->actor];
    bool idle = after->status == RH__SNAP_IDLE && after->size >= a->size;
    Z3_ast *expected = idle ? sum__vector_of(v->m, a, o->after, o->actor) : NULL;
    uint64_t n;
    for (uint32_t i = 0; expected && i < a->size + 2; i++)
        if (sym__is_constant(&v->m->run, expected[i], &n))
            compare_number(v, o,
                           i < a->size    ? "a byte of the state"
                           : i == a->size ? "the behaviour"
                                          : "the end",
                           i < p->post_count && p->post[i] ? put(v, x, p->post[i]) : vector[i], n);
    free(expected);
    compare_sends(v, o, p, x);
}

/* The run waits inside of the handler where the path does not: in rh_store_sync, which summaries take for a call. */
static bool waits_elsewhere(const struct verifying *v, const struct observed *o, const struct sum_actor *a,
                            const struct sum_path *p)
{
    uint64_t place = 0;
    return o->after->actors[o->actor].status == RH__SNAP_INSIDE &&
           (!p->post[a->size] || (sym__is_constant(&v->m->run, p->post[a->size], &place) && place < SUM_WAITS));
}

static void verify(struct verifying *v, const struct observed *o, const struct sum_actor *a)
{
    Z3_ast *vector = sum__vector_of(v->m, a, o->before, o->actor);
    uint32_t sure = 0, open = 0, partial = 0;
    for (uint32_t i = 0; i < a->path_count; i++) {
        const struct sum_path *p = &a->paths[i];
        if (p->message != o->before->messages[o->message].type)
            continue;
        struct values x = values_of(v, p, vector, o);
        int is = holds(v, p, &x);
        partial += is && !p->whole;
        open += is < 0 && p->whole;
        bool elsewhere = is > 0 && p->whole && waits_elsewhere(v, o, a, p);
        partial += elsewhere;
        if (is > 0 && p->whole && !elsewhere && sure++ == 0)
            compare_path(v, o, a, p, &x, vector);
        free(x.from);
        free(x.to);
    }
    free(vector);
    if (sure > 1)
        differ(v, o, "paths", 1, sure);
    if (sure == 1)
        v->compared++;
    else if (open)
        v->open++;
    else if (partial || a->trouble[0])
        v->without++;
    else if (!sure)
        differ(v, o, "paths", 1, 0);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static void verify_all(struct verifying *v, struct rh__snapshot *all, uint32_t count)
{
    struct sum_actor **models = sym__must(calloc(all[0].actor_count + 1, sizeof(struct sum_actor *)));
    for (uint32_t i = 0; i + 1 < count; i++) {
        struct observed o;
        if (!observe(&all[i], &all[i + 1], &o) || o.actor >= all[0].actor_count)
            continue;
        const struct rh__snap_actor *x = &all[i].actors[o.actor];
        if (x->status != RH__SNAP_IDLE && x->status != RH__SNAP_NEW)
            continue;
        v->m->until = sym__processor_seconds() + SECONDS_EACH;
        if (!models[o.actor])
            models[o.actor] = sum__actor_of_snapshot(v->m, &all[0], o.actor);
        if (!models[o.actor])
            continue;
        if (!models[o.actor]->path_count)
            sum__make_paths(v->m, models[o.actor]);
        if (sum__holds(v->m, models[o.actor], &all[i], o.actor))
            verify(v, &o, models[o.actor]);
        else if (models[o.actor]->trouble[0])
            v->without++;
        else
            differ(v, &o, "what never changes", 1, 0);
    }
    free(models);
}

int rh__command_summaries(int argc, char **argv)
{
    struct rh__program p;
    struct rh__concrete c = { .seconds = 0.2 };
    char error[1024], path[4096];
    if (argc < 2) {
        rh__complain("summaries wants a test program, a test, and parameters");
        return RH__TARGET_USAGE;
    }
    if (!rh__command_open(&p, argv[0]))
        return RH__TARGET_USAGE;
    snprintf(path, sizeof path, "%s%s", strchr(argv[0], '/') ? "" : "./", argv[0]);
    c.program = path;
    c.test = argv[1];
    const char *parameters[RH__CONCRETE_WORDS] = { NULL };
    for (int i = 2; i < argc && c.word_count + 2 < RH__CONCRETE_WORDS; i++) {
        parameters[i - 2] = argv[i];
        c.words[c.word_count++] = "-p";
        c.words[c.word_count++] = argv[i];
    }
    struct rh__goals g = { .program = &p };
    struct verifying v = { .m = sum__models_new(&p, parameters) };
    if (!rh__concrete_open(&c, g.program, error, sizeof error) || !rh__concrete_look(&c, error, sizeof error)) {
        rh__complain("%s", error);
        rh__concrete_close(&c);
        return RH__TARGET_USAGE;
    }
    for (uint64_t seed = 1; seed <= 2; seed++) {
        uint32_t count = 0;
        char *record = rh__concrete_worlds(&c, &g, NULL, 0, 64, 0, seed, 0.3);
        struct rh__snapshot *all = record ? rh__snapshots_read(&p, record, &count) : NULL;
        if (count)
            verify_all(&v, all, count);
        rh__snapshots_free(all, count);
        free(record);
    }
    rh__concrete_close(&c);
    printf("%u steps compared, %u with open results, %u without a path; %u differences\n", v.compared, v.open,
           v.without, v.differences);
    sum__models_free(v.m);
    rh__program_close(&p);
    return v.differences ? RH__TARGET_MISSED : RH__TARGET_OK;
}
