/* A plan as a schedule: see plan.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "target/plan.h"

enum { LONGEST = 512, TEXT = 1 << 16 };

struct writing {
    struct plan_search *s;
    const struct plan *p;
    struct plan_formula *f;
    char *text;
    size_t used, room;
    bool loose, failed;
    bool done[PLAN_STEPS]; /* written */
    uint32_t outside;      /* numbers given so far */
    uint32_t numbers[PLAN_STEPS];
};

static const char *type_name(const struct plan_search *s, uint32_t type)
{
    return s->models->program->messages[type].name;
}

/* "boss#1/worker#2": as the world will name it. */
static void name_of(const struct writing *w, uint32_t actor, char *name, size_t size)
{
    const struct plan_actor *a = &w->p->actors[actor];
    if (a->index != RH__NO_INDEX) {
        snprintf(name, size, "%s", w->s->snapshot->actors[a->index].name);
        return;
    }
    char parent[LONGEST], begins[LONGEST + 128];
    const struct plan_step *t = &w->p->steps[a->step];
    uint32_t type = t->path->effects[a->effect].type, ordinal = 1;
    name_of(w, t->actor, parent, sizeof parent);
    int length = snprintf(begins, sizeof begins, "%s/%s#", parent, w->s->models->program->actors[type].name);
    for (uint32_t i = 0; i < w->s->snapshot->actor_count; i++) {
        const char *other = w->s->snapshot->actors[i].name;
        ordinal += strncmp(other, begins, (size_t)length) == 0 && !strchr(other + length, '/');
    }
    for (uint32_t i = 0; i < w->p->lengths[t->actor]; i++) {
        uint32_t step = w->p->history[t->actor][i];
        for (uint32_t e = 0; e < w->p->steps[step].path->effect_count; e++) {
            const struct sym_effect *x = &w->p->steps[step].path->effects[e];
            if (step == a->step && e == a->effect) {
                snprintf(name, size, "%.200s%u", begins, ordinal);
                return;
            }
            ordinal += x->kind == SYM_SPAWN && x->type == type;
        }
    }
    snprintf(name, size, "%.200s%u", begins, ordinal);
}

/* ---- messages between actors ------------------------------------------------------------------------------------- */

/* A message that the plan's steps send, or that was under way. */
struct sent {
    enum plan_supply supply;
    uint32_t from, effect; /* as in a step */
    uint32_t type;
    uint64_t sender, receiver; /* references */
};

/* All messages in the order of their sends, as far as the steps are written: `upto` steps of the order. */
static uint32_t all_sent(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t upto,
                         struct sent *list, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->snapshot->message_count && count < most; i++) {
        const struct rh__snap_message *m = &s->snapshot->messages[i];
        list[count++] =
            (struct sent){ PLAN_UNDER_WAY, i, 0, m->type, rh__snap_reference(m->from), rh__snap_reference(m->to) };
    }
    for (uint32_t i = 0; i < upto; i++) {
        uint32_t step = f->order[i];
        for (uint32_t e = 0; e < p->steps[step].path->effect_count && count < most; e++) {
            const struct sym_effect *x = &p->steps[step].path->effects[e];
            if (x->kind == SYM_SEND)
                list[count++] = (struct sent){ PLAN_SENT,
                                               step,
                                               e,
                                               x->type,
                                               x->from ? plan__value(s, f, plan__put(s, p, f, step, x->from))
                                                       : plan__reference(p, p->steps[step].actor),
                                               plan__value(s, f, plan__put(s, p, f, step, x->to)) };
        }
    }
    return count;
}

static uint32_t taker_of(const struct plan *p, const struct sent *m)
{
    for (uint32_t i = 0; i < p->step_count; i++)
        if (p->steps[i].supply == m->supply && p->steps[i].from == m->from &&
            (m->supply != PLAN_SENT || p->steps[i].effect == m->effect))
            return i;
    return RH__NO_INDEX;
}

/* Whether the receiver leaves a message of this type in its mailbox, in the place where it is before the step. */
static bool is_deferred(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step,
                        uint32_t type)
{
    const struct rh__program *program = s->models->program;
    const struct sum_actor *model = p->actors[p->steps[step].actor].model;
    uint64_t place = plan__value(s, f, plan__byte_before(s, p, f, step, model->size)), n = 0;
    if (program->actors[model->type].body || place >= SUM_WAITS)
        return true; /* a receive takes what fits; the replay decides */
    for (uint32_t b = 0; b < program->behaviour_count; b++)
        if (program->behaviours[b].actor == model->type && n++ == place) {
            const struct rh__program_entry *e = rh__program_entry(program, b, type);
            return e ? e->action == 1 : program->messages[type].unhandled == 1;
        }
    return false;
}

bool plan__overtakes(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t *step,
                     enum plan_supply *supply, uint32_t *from, uint32_t *effect, bool *late)
{
    enum { MOST = 4096 };
    struct sent *list = sym__must(malloc(MOST * sizeof *list));
    uint32_t count = all_sent(s, p, f, p->step_count, list, MOST);
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        uint32_t taker = taker_of(p, &list[i]);
        if (taker == RH__NO_INDEX)
            continue;
        for (uint32_t k = 0; k < i && !found; k++) {
            if (list[k].receiver != list[i].receiver || (list[k].sender != list[i].sender && !s->by_mailbox) ||
                list[k].type == RH__NO_INDEX ||
                (list[k].supply == PLAN_UNDER_WAY && s->snapshot->messages[list[k].from].taken))
                continue;
            uint32_t other = taker_of(p, &list[k]);
            bool before = other != RH__NO_INDEX && plan__position(p, other) < plan__position(p, taker);
            if (before || is_deferred(s, p, f, taker, list[k].type))
                continue;
            found = true;
            *late = other != RH__NO_INDEX;
            *step = taker;
            *supply = list[k].supply;
            *from = list[k].from;
            *effect = list[k].effect;
        }
    }
    free(list);
    return found;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void put_line(struct writing *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (w->loose)
        w->used += (size_t)snprintf(w->text + w->used, w->room - w->used, "...\n");
    if (w->used + LONGEST * 4 < w->room) {
        w->used += (size_t)vsnprintf(w->text + w->used, w->room - w->used, format, list);
        w->text[w->used++] = '\n';
        w->text[w->used] = 0;
    } else
        w->failed = true;
    va_end(list);
}

static void reference_name(const struct writing *w, uint64_t reference, char *name, size_t size)
{
    for (uint32_t i = 0; i < w->s->snapshot->actor_count; i++)
        if (rh__snap_reference(i) == reference) {
            snprintf(name, size, "%s", w->s->snapshot->actors[i].name);
            return;
        }
    for (uint32_t i = 0; i < w->p->actor_count; i++)
        if (plan__reference(w->p, i) == reference) {
            name_of(w, i, name, size);
            return;
        }
    for (uint32_t i = 0; i < w->p->step_count; i++)
        if (w->numbers[i] && plan__value(w->s, w->f, plan__sender(w->s, w->p, w->f, i)) == reference) {
            snprintf(name, size, "outside %u", w->numbers[i]);
            return;
        }
    snprintf(name, size, "nobody");
}

static void put_outside(struct writing *w, uint32_t step, const char *name)
{
    const struct plan_step *t = &w->p->steps[step];
    uint32_t size = w->s->models->program->messages[t->path->message].size;
    char bytes[2 * 1024 + 1] = "";
    if (size > 1024) {
        w->failed = true;
        return;
    }
    for (uint32_t i = 0; i < size; i++)
        snprintf(bytes + 2 * i, 3, "%02x",
                 (unsigned)plan__value(w->s, w->f, plan__message_byte(w->s, w->p, w->f, step, i)));
    w->numbers[step] = w->s->snapshot->outside_next + w->outside++;
    put_line(w, "outside %u sends %s%s%s to %s", w->numbers[step], type_name(w->s, t->path->message),
             size ? " bytes " : "", bytes, name);
}

/* "A takes T from S (2)". */
static void put_take(struct writing *w, uint32_t step, uint32_t upto, const char *name)
{
    enum { MOST = 4096 };
    const struct plan_step *t = &w->p->steps[step];
    char from[LONGEST] = "";
    struct sent *list = sym__must(malloc(MOST * sizeof *list));
    uint32_t count = all_sent(w->s, w->p, w->f, upto, list, MOST), number = 1, at = 0;
    if (t->supply == PLAN_OUTSIDE) {
        snprintf(from, sizeof from, "outside %u", w->numbers[step]);
    } else {
        while (at < count && (list[at].supply != t->supply || list[at].from != t->from ||
                              (t->supply == PLAN_SENT && list[at].effect != t->effect)))
            at++;
        for (uint32_t i = 0; i < at && at < count; i++)
            number += list[i].type == list[at].type && list[i].sender == list[at].sender &&
                      list[i].receiver == list[at].receiver;
        if (at < count)
            reference_name(w, list[at].sender, from, sizeof from);
        else
            w->failed = true;
    }
    free(list);
    if (number > 1)
        put_line(w, "%s takes %s from %s (%u)", name, type_name(w->s, t->path->message), from, number);
    else
        put_line(w, "%s takes %s from %s", name, type_name(w->s, t->path->message), from);
}

static void put_step(struct writing *w, uint32_t step, uint32_t upto)
{
    const struct plan_step *t = &w->p->steps[step];
    const struct rh__program *program = w->s->models->program;
    char name[LONGEST], parent[LONGEST];
    name_of(w, t->actor, name, sizeof name);
    if (program->actors[w->p->actors[t->actor].model->type].kind == 2)
        return; /* a monitor: within the step that announces */
    if (t->supply == PLAN_OUTSIDE)
        put_outside(w, step, name);
    if (t->supply == PLAN_TIMER)
        put_line(w, "%s's timer \"%s\" fires", name, w->s->snapshot->timers[t->from].name);
    else if (t->supply == PLAN_SENT && w->p->steps[t->from].path->effects[t->effect].kind == SYM_TIMER)
        put_line(w, "%s's timer \"%s\" fires", name, w->p->steps[t->from].path->effects[t->effect].name);
    else if (t->supply == PLAN_TIME && t->path->message != RH__NO_INDEX) {
        name_of(w, w->p->steps[w->p->actors[t->actor].step].actor, parent, sizeof parent);
        put_line(w, "%s takes rh_start from %s", name, parent);
    } else if (t->supply == PLAN_TIME)
        put_line(w, "%s stops waiting", name);
    else
        put_take(w, step, upto, name);
    for (uint32_t e = 0; e < t->effects; e++)
        if (t->path->effects[e].kind == SYM_CHOOSE)
            put_line(w, "%s chooses %llu of %llu", name,
                     (unsigned long long)plan__value(w->s, w->f,
                                                     plan__put(w->s, w->p, w->f, step, t->path->effects[e].result)),
                     (unsigned long long)t->path->effects[e].most);
}

char *plan__schedule(struct plan_search *s, const struct plan *p, struct plan_formula *f, bool loose)
{
    struct writing w = { .s = s, .p = p, .f = f, .loose = loose };
    w.room = strlen(s->snapshot->schedule) + TEXT;
    w.text = sym__must(malloc(w.room));
    w.used = (size_t)snprintf(w.text, w.room, "%s", s->snapshot->schedule);
    for (uint32_t i = 0; i < p->step_count && !w.failed; i++)
        put_step(&w, f->order[i], i);
    if (!w.failed)
        return w.text;
    free(w.text);
    return NULL;
}
