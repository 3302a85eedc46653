/* Why a run fails, against brute force: from every prefix of the run every continuation is made, by restarts from the
 * beginning.  A passing run is made again from its encoded choices. */
#include "findings/why.h"

#include "explore/support/oracle.h"
#include "findings/minimise.h"
#include "run/encode.h"
#include "support/few.h"
#include "trace/schedule.h"

enum { DEEPEST = 4000, MOST_RUNS_OF_ONE = 20000 };

/* ---- brute force ------------------------------------------------------------------------------------------------- */

struct brute {
    const struct rh__finding *f;
    uint32_t prefix, runs;
    bool avoided, all, in_run;
    uint32_t depth, pick[DEEPEST], open[DEEPEST];
};

static bool is_fault(const struct rh_choice *c)
{
    if (c->kind == RH_CHOICE_HEAL || c->kind == RH_CHOICE_RESTART)
        return false; /* they undo one */
    return rh_choice_attributes(c->kind) & RH_IS_FAULT || (c->kind == RH_CHOICE_OPEN && c->what);
}

static bool same_failure(const struct rh_outcome *a, const struct rh_outcome *b)
{
    return a->kind == b->kind && strcmp(a->place, b->place) == 0 && (*a->place || strlen(a->text) == strlen(b->text));
}

static void end_one(struct brute *b, const struct rh_outcome *o)
{
    b->in_run = false;
    b->runs++;
    b->avoided |= !same_failure(o, &b->f->outcome) && o->kind != RH_OUTCOME_ASSUMED;
    while (b->depth && b->pick[b->depth - 1] + 1 == b->open[b->depth - 1])
        b->depth--;
    b->all = !b->depth;
    if (b->depth)
        b->pick[b->depth - 1]++;
}

static void one(struct rh_world *w, struct brute *b)
{
    uint32_t count;
    rh_world_reset(w);
    for (uint32_t i = 0; i < b->prefix; i++) {
        const struct rh_choice *open = rh_world_enabled(w, &count);
        rh_world_step(w, &open[b->f->picks[i]]);
    }
    b->in_run = true;
    for (uint32_t at = 0;; at++) {
        uint32_t good[256], n = 0;
        const struct rh_choice *open = rh_world_enabled(w, &count);
        for (uint32_t i = 0; i < count && n < 256; i++)
            if (!is_fault(&open[i]))
                good[n++] = i;
        if (!n || at == DEEPEST)
            return;
        if (at >= b->depth) {
            b->pick[at] = 0;
            b->depth = at + 1;
        }
        b->open[at] = n;
        rh_world_step(w, &open[good[b->pick[at]]]);
    }
}

static void drive_brute(struct rh_world *w, void *arg)
{
    struct brute *b = arg;
    while (!b->all && !b->avoided && b->runs < MOST_RUNS_OF_ONE) {
        one(w, b);
        end_one(b, rh_world_outcome(w));
    }
}

/* 1: every continuation of the prefix fails in this way; 0: not; -1: too many. */
static int all_fail(struct rh_world *w, const struct rh__finding *f, uint32_t prefix)
{
    struct brute *b = rh_shared_new(sizeof *b);
    b->f = f;
    b->prefix = prefix;
    while (!b->all && !b->avoided && b->runs < MOST_RUNS_OF_ONE) {
        enum rh_sandbox_end end = rh_sandbox_run(w, drive_brute, b);
        assert_int_not_equal(end, RH_SANDBOX_FAILED);
        if (end == RH_SANDBOX_FINDING && b->in_run)
            end_one(b, rh_world_outcome(w));
    }
    int result = b->avoided ? 0 : b->all ? 1 : -1;
    rh_shared_free(b, sizeof *b);
    return result;
}

/* ---- the passing run --------------------------------------------------------------------------------------------- */

struct again {
    const struct rh__run *r;
    struct rh_outcome outcome;
    bool fits;
};

static void make_again(struct rh_world *w, void *arg)
{
    struct again *a = arg;
    char wanted[512], is[512];
    struct rh__text t, u;
    for (uint32_t e = 1; e < a->r->event_count; e++) {
        uint32_t count, i = 0;
        const struct rh_choice *open = rh_world_enabled(w, &count), *c = rh__run_choice(a->r, e);
        for (; i < count; i++) {
            rh__text_init(&t, wanted, sizeof wanted);
            rh__choice_line(a->r, c, &t);
            rh__text_init(&u, is, sizeof is);
            rh__choice_line(rh__world_run(w), &open[i], &u);
            if (open[i].kind == c->kind && open[i].actor == c->actor && strcmp(wanted, is) == 0)
                break;
        }
        if (i == count)
            return;
        rh_world_step(w, &open[i]);
    }
    a->fits = true;
    a->outcome = *rh_world_outcome(w);
}

/* It finishes without a failure. */
static struct rh__run *passing_run(struct rh_world *w, const struct rh__finding *f)
{
    char error[128];
    struct rh__run *r = rh__run_decode(f->why.passing, f->why.passing_size, error, sizeof error);
    struct again *a = rh_shared_new(sizeof *a);
    assert_non_null(r);
    a->r = r;
    assert_int_equal(rh_sandbox_run(w, make_again, a), RH_SANDBOX_DONE);
    assert_true(a->fits);
    assert_int_equal(a->outcome.kind, RH_OUTCOME_FINISHED);
    rh_shared_free(a, sizeof *a);
    return r;
}

/* ---- over programs ----------------------------------------------------------------------------------------------- */

struct totals {
    uint32_t findings, exhaustive, sampled, earlier, passing, orders, curves;
};

static void judge(struct rh_world *w, struct rh__finding *f, struct totals *t)
{
    assert_true(rh__minimise(w, f, NULL));
    assert_true(rh__why(w, f));
    const struct rh__why *y = &f->why;
    if (!y->known)
        return;
    t->findings++;
    assert_in_range(y->decisive, 0, f->pick_count);
    int after = all_fail(w, f, y->decisive), before = y->decisive ? all_fail(w, f, y->decisive - 1) : 0;
    if (y->exhaustive)
        assert_int_equal(after, 1);
    assert_int_not_equal(before, 1); /* one that avoids it was seen */
    t->exhaustive += y->exhaustive;
    t->sampled += !y->exhaustive;
    t->earlier += y->decisive < f->pick_count;
    for (uint32_t i = 0; i < y->point_count; i++) {
        const struct rh__why_point *p = &y->points[i];
        assert_in_range(p->failed, 0, p->samples);
        assert_true(!i || y->points[i - 1].event < p->event);
        if (p->event >= y->decisive && y->exhaustive)
            assert_int_equal(p->failed, p->samples);
        t->curves++;
    }
    if (y->differs != RH__WHY_UNKNOWN && y->passing_size) {
        t->passing++;
        t->orders += y->differs == RH__WHY_ORDER || y->differs == RH__WHY_WAITING;
        rh__run_free(passing_run(w, f));
    }
}

static void generated_findings_are_explained(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    void (*const make[])(struct features *, uint64_t) = { features_make, features_make_crowd, features_make_linked };
    for (uint64_t seed = 1; seed <= MANY_OR_FEW(150, 15); seed++) {
        make[seed % 3](&program, seed);
        program.fails = seed % 2 ? 11 : 31;
        struct rh_semantics s = features_semantics(&program);
        struct rh_world *w = world_of("features", &s, NULL, 0);
        struct rh_exploration *x = explored(w, "random", seed, 60);
        for (uint32_t i = 0; i < x->results->finding_count; i++)
            if (x->results->findings[i].pick_count)
                judge(w, &x->results->findings[i], &t);
        rh__exploration_free(x);
        rh_world_free(w);
    }
    print_message(
        "%u findings, %u decided exhaustively, %u by samples, %u before the last event; %u passing runs, %u by "
        "orders; %u points\n",
        t.findings, t.exhaustive, t.sampled, t.earlier, t.passing, t.orders, t.curves);
    assert_in_range(t.findings, MANY_OR_FEW(70, 5), 10000);
    assert_in_range(t.exhaustive, t.findings / 2, t.findings);
    assert_in_range(t.earlier, t.findings / 10, t.findings);
    assert_in_range(t.passing, t.findings / 5, t.findings);
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(generated_findings_are_explained) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
