#include "coverage/support/written.h"

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash;
}

bool same_receiver(const struct written *w, uint32_t a, uint32_t b)
{
    return strcmp(w->r[a]->receiver, w->r[b]->receiver) == 0;
}

static const char *sender_of(const struct written *w, uint32_t a)
{
    return w->cause[a] ? w->r[w->cause[a]]->receiver : "";
}

/* ---- Definitions 5 to 7 ------------------------------------------------------------------------------------------ */

/* Actors here are all made by the entry point, so the two conditions on created(r) never hold. */
static void find_relations(struct written *w)
{
    uint32_t n = w->count;
    for (uint32_t i = 1; i <= n; i++)
        for (uint32_t j = i + 1; j <= n; j++) {
            w->causality[i][j] = w->cause[j] == i;
            for (uint32_t k = i + 1; k < j; k++)
                w->causality[i][j] |= same_receiver(w, i, k) && w->cause[j] == k;
            w->send_rec[i][j] = w->fifo && same_receiver(w, i, j) && strcmp(sender_of(w, i), sender_of(w, j)) == 0;
            w->must[i][j] = w->causality[i][j] || w->send_rec[i][j];
        }
    for (uint32_t k = 1; k <= n; k++)
        for (uint32_t i = 1; i <= n; i++)
            for (uint32_t j = 1; j <= n; j++)
                w->must[i][j] |= w->must[i][k] && w->must[k][j];
}

/* ---- as src/coverage has it -------------------------------------------------------------------------------------- */

static uint32_t actor_index(const struct written *w, uint32_t a)
{
    for (uint32_t i = 1; i <= w->count; i++)
        if (same_receiver(w, i, a))
            return i; /* any number will do */
    return 0;
}

static void make_steps(struct written *w)
{
    w->list[0] = (struct rh__coverage_step){ .actor = 0,
                                             .cause = RH_NONE,
                                             .born = RH_NONE,
                                             .before = RH_NONE,
                                             .after = RH_NONE,
                                             .earlier = RH_NONE,
                                             .elder = RH_NONE,
                                             .arrival = 0 };
    for (uint32_t i = 1; i <= w->count; i++) {
        struct rh__coverage_step s = { .id = hash_name(w->r[i]->name),
                                       .actor = actor_index(w, i),
                                       .cause = w->cause[i] };
        s.before = s.after = s.earlier = s.elder = RH_NONE;
        s.arrival = i;
        s.flags = RH__STEP_RECEIVE | (w->r[i]->becomes ? RH__STEP_BECOMES : 0);
        for (uint32_t k = 1; k < i; k++) {
            if (same_receiver(w, i, k))
                s.before = k;
            if (w->send_rec[k][i])
                s.after = k;
        }
        w->list[i] = s;
        w->actor_ids[s.actor] = hash_name(w->r[i]->receiver);
    }
    w->steps = (struct rh__steps){ .list = w->list, .count = w->count + 1, .actors = w->count + 1 };
}

void written_make(struct written *w, const struct receive *list, uint32_t count, bool fifo)
{
    memset(w, 0, sizeof *w);
    w->count = count;
    w->fifo = fifo;
    assert_true(count + 1 < LONGEST);
    for (uint32_t i = 1; i <= count; i++) {
        w->r[i] = &list[i - 1];
        for (uint32_t k = 1; k < i; k++)
            if (strcmp(list[k - 1].name, list[i - 1].cause) == 0)
                w->cause[i] = k;
    }
    find_relations(w);
    make_steps(w);
}

void found_relation(const struct written *w, bool must[LONGEST][LONGEST])
{
    static uint64_t seen[2 * LONGEST], sets[LONGEST + 1];
    uint32_t bits[LONGEST];
    for (uint32_t i = 0; i <= w->count; i++)
        bits[i] = i ? i : RH_NONE;
    rh__must_happen_before(&w->steps, bits, 1, seen, sets);
    for (uint32_t i = 1; i <= w->count; i++)
        for (uint32_t j = 1; j <= w->count; j++)
            must[i][j] = sets[j] >> i & 1;
}

/* ---- schedules and goals ----------------------------------------------------------------------------------------- */

bool achieves(const struct written *w, const struct schedule *s, uint32_t a, uint32_t b, enum rh__criterion criterion)
{
    uint32_t i = a, j = b;
    const struct receive *ri = w->r[s->at[i]], *rj = w->r[s->at[j]];
    bool between = false, change_between = false;
    if (!same_receiver(w, s->at[i], s->at[j]) || i >= j)
        return false;
    for (uint32_t k = i + 1; k < j; k++)
        if (same_receiver(w, s->at[k], s->at[i])) {
            between = true;
            change_between |= w->r[s->at[k]]->becomes;
        }
    return criterion == RH__PR    ? true
           : criterion == RH__PCR ? !between
                                  : (ri->becomes || rj->becomes) && !change_between;
}

uint32_t add_goals(const struct written *w, const struct schedule *s, enum rh__criterion criterion, struct goals *o)
{
    uint32_t added = 0;
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t j = 0; j < s->count; j++)
            if (achieves(w, s, i, j, criterion) && !o->has[s->at[i]][s->at[j]]) {
                o->has[s->at[i]][s->at[j]] = true;
                added++;
            }
    return added;
}

bool cr_related(const struct written *w, uint32_t a, uint32_t b, enum rh__criterion criterion)
{
    return same_receiver(w, a, b) && (criterion != RH__PMR || w->r[a]->becomes || w->r[b]->becomes);
}

/* ---- Algorithms 2 and 3 ------------------------------------------------------------------------------------------ */

void append_to(struct schedule *s, uint32_t r)
{
    s->at[s->count++] = r;
}

bool contains(const struct schedule *s, uint32_t r)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->at[i] == r)
            return true;
    return false;
}

static void schedule_tail(const struct written *w, struct schedule *p, const struct schedule *t,
                          enum rh__criterion criterion, const struct goals *o, struct midway *m);

void schedule(const struct written *w, const struct schedule *s, uint32_t i, uint32_t j, bool swap,
              enum rh__criterion criterion, const struct goals *o, struct schedule *out, struct midway *m)
{
    struct schedule made = { 0, { 0 } }, tail = { 0, { 0 } };
    uint32_t ri = s->at[i], rj = s->at[j];
    for (uint32_t k = 0; k < i; k++)
        append_to(&made, s->at[k]);
    for (uint32_t k = i + 1; k < j; k++)
        if (w->must[s->at[k]][rj])
            append_to(&made, s->at[k]);
    append_to(&made, swap ? rj : ri);
    append_to(&made, swap ? ri : rj);
    if (criterion == RH__PR)
        append_to(&tail, made.at[made.count - 1]);
    for (uint32_t k = 0; k < s->count; k++)
        if (!contains(&made, s->at[k]) && !w->must[ri][s->at[k]] && !w->must[rj][s->at[k]])
            append_to(&tail, s->at[k]);
    if (!m->set)
        *m = (struct midway){ true, made, tail };
    schedule_tail(w, &made, &tail, criterion, o, m);
    *out = made;
}

static void schedule_tail(const struct written *w, struct schedule *p, const struct schedule *t,
                          enum rh__criterion criterion, const struct goals *o, struct midway *m)
{
    struct schedule all = *p;
    if (t->count && p->count && p->at[p->count - 1] == t->at[0])
        all.count--;
    uint32_t before = all.count;
    for (uint32_t k = 0; k < t->count; k++)
        append_to(&all, t->at[k]);
    for (uint32_t i = 0; i < t->count; i++)
        for (uint32_t j = i + 1; j < t->count; j++) {
            uint32_t ri = t->at[i], rj = t->at[j];
            if (!cr_related(w, ri, rj, criterion) || w->must[ri][rj])
                continue;
            if (!o->has[ri][rj] || !o->has[rj][ri]) {
                schedule(w, &all, before + i, before + j, o->has[ri][rj], criterion, o, p, m);
                return;
            }
        }
}

/* ---- a generator, with what its schedules achieve ---------------------------------------------------------------- */

static void name_written(void *arg, uint32_t step, bool receive, char *buffer, size_t size)
{
    const struct written *w = arg;
    const char *name = receive ? w->r[step]->name : w->r[step]->receiver;
    snprintf(buffer, size, "%s", name);
}

void count_schedule(struct rh__coverage *c, const struct written *w, const struct schedule *s)
{
    struct receive list[LONGEST];
    struct written run;
    for (uint32_t i = 0; i < s->count; i++)
        list[i] = *w->r[s->at[i]];
    written_make(&run, list, s->count, w->fifo);
    rh__coverage_add(c, &run.steps, run.actor_ids, name_written, &run);
}

struct schedule whole(const struct written *w)
{
    struct schedule s = { 0, { 0 } };
    for (uint32_t i = 1; i <= w->count; i++)
        append_to(&s, i);
    return s;
}

void generating_new(struct generating *x, const struct written *w, enum rh__criterion criterion, bool farthest)
{
    struct schedule all = whole(w);
    x->coverage = rh__coverage_new(1u << RH__PR | 1u << RH__PCR | 1u << RH__PMR, "written");
    assert_non_null(x->coverage);
    count_schedule(x->coverage, w, &all);
    x->memory = malloc(GENERATOR_BYTES);
    assert_non_null(x->memory);
    x->g = rh__plan_input_new(x->memory, GENERATOR_BYTES, &w->steps, criterion, farthest, x->coverage);
    assert_non_null(x->g);
}

void generating_free(struct generating *x)
{
    rh__coverage_free(x->coverage);
    free(x->memory);
}

bool next_plan(struct generating *x, struct schedule *s, struct rh__schedule_plan *plan)
{
    bool any = rh__plan(x->g, x->coverage, plan);
    s->count = 0;
    for (uint32_t i = 0; any && i < plan->count; i++)
        append_to(s, plan->steps[i]);
    return any;
}

/* ---- as text ----------------------------------------------------------------------------------------------------- */

const char *text_of(const struct written *w, const struct schedule *s)
{
    static char text[4][1024];
    static uint32_t turn;
    char *to = text[turn++ % 4];
    size_t at = 0;
    *to = 0;
    for (uint32_t i = 0; i < s->count; i++)
        at += (size_t)snprintf(to + at, sizeof *text - at, "%s%s", i ? " " : "", w->r[s->at[i]]->name);
    return to;
}

const char *pairs_of(const struct written *w, bool relation[LONGEST][LONGEST])
{
    static char text[4096];
    size_t at = 0;
    *text = 0;
    for (uint32_t i = 1; i <= w->count; i++)
        for (uint32_t j = 1; j <= w->count; j++)
            if (relation[i][j])
                at += (size_t)snprintf(text + at, sizeof text - at, "%s(%s,%s)", at ? " " : "", w->r[i]->name,
                                       w->r[j]->name);
    return text;
}
