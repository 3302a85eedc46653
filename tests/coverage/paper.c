/* The worked examples of [Bita 2013, III and IV], on runs written down as they are in the text; and its three
 * algorithms, word by word, against the one pass that src/coverage makes of them. */
#include "coverage/support/written.h"

#include "support/generated.h"

/* Listing 1.  ex Execute, w Write, ad ActionDone, fl Flush, fd Flushed. */
static const struct receive figure1[] = {
    { "ex", "action", "", false },   { "w", "writer", "ex", false },      { "ad", "terminator", "ex", false },
    { "fl", "writer", "ad", false }, { "fd", "terminator", "fl", false },
};
static const struct receive two_writes[] = {
    { "ex", "action", "", false },       { "w1", "writer", "ex", false }, { "w2", "writer", "ex", false },
    { "ad", "terminator", "ex", false }, { "fl", "writer", "ad", false }, { "fd", "terminator", "fl", false },
};
static const struct receive two_actions[] = {
    { "ex1", "action1", "", false },  { "w1", "writer", "ex1", false },      { "ex2", "action2", "", false },
    { "w2", "writer", "ex2", false }, { "ad1", "terminator", "ex1", false }, { "ad2", "terminator", "ex2", false },
    { "fl", "writer", "ad2", false }, { "fd", "terminator", "fl", false },
};
/* Figure 2: ch CheckForError, er Error, which the writer sends because it had flushed before the write. */
static const struct receive figure2[] = {
    { "ex", "action", "", false },      { "ad", "terminator", "ex", false }, { "fl", "writer", "ad", false },
    { "w", "writer", "ex", false },     { "fd", "terminator", "fl", false }, { "ch", "terminator", "", false },
    { "er", "terminator", "w", false },
};

static struct schedule by_names(const struct written *w, const char *names)
{
    struct schedule s = { 0, { 0 } };
    char copy[256];
    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok(copy, " "); name; name = strtok(NULL, " "))
        for (uint32_t i = 1; i <= w->count; i++)
            if (strcmp(w->r[i]->name, name) == 0)
                append_to(&s, i);
    assert_string_equal(text_of(w, &s), names);
    return s;
}

/* ---- constraints (IV-C) ------------------------------------------------------------------------------------------ */

static void one_action_has_the_constraints_of_figure_1(void **unused)
{
    (void)unused;
    struct written w;
    bool found[LONGEST][LONGEST] = { { false } };
    WRITE(&w, figure1);
    assert_string_equal(pairs_of(&w, w.causality), "(ex,w) (ex,ad) (w,fd) (ad,fl) (fl,fd)");
    assert_string_equal(pairs_of(&w, w.send_rec), "");
    found_relation(&w, found);
    assert_string_equal(pairs_of(&w, found), "(ex,w) (ex,ad) (ex,fl) (ex,fd) (w,fd) (ad,fl) (ad,fd) (fl,fd)");
}

static void two_writes_of_one_action_are_in_order(void **unused)
{
    (void)unused;
    struct written w;
    bool found[LONGEST][LONGEST] = { { false } };
    WRITE(&w, two_writes);
    assert_string_equal(pairs_of(&w, w.send_rec), "(w1,w2)");
    found_relation(&w, found);
    assert_true(found[2][3]);
    assert_memory_equal(found, w.must, sizeof found);
    written_make(&w, two_writes, 6, false); /* not where channels keep no order */
    found_relation(&w, found);
    assert_false(found[2][3]);
}

/* ---- criteria (III-A) -------------------------------------------------------------------------------------------- */

/* The goals of the writer that these schedules achieve, and the pairs they cover; where `skip` is one of them, without
 * it. */
static struct rh__count covered_by(const char *const *schedules, int skip, enum rh__criterion criterion, bool becomes)
{
    struct receive list[] = { { "w1", "writer", "", false },
                              { "w2", "writer", "", false },
                              { "fl", "writer", "", becomes } };
    struct written w;
    struct rh__coverage *c = rh__coverage_new(1u << criterion, "paper");
    written_make(&w, list, 3, false);
    for (int i = 0; schedules[i]; i++) {
        struct schedule s = by_names(&w, schedules[i]);
        if (i != skip)
            count_schedule(c, &w, &s);
    }
    struct rh__count n = c->counts[criterion];
    rh__coverage_free(c);
    return n;
}

static void six_goals_of_the_writer_by_four_two_and_two_schedules(void **unused)
{
    (void)unused;
    static const char *const pcr[] = { "w1 w2 fl", "fl w2 w1", "w1 fl w2", "fl w1 w2", NULL };
    static const char *const pr[] = { "w1 w2 fl", "fl w2 w1", NULL };
    static const char *const pmr[] = { "w1 w2 fl", "fl w1 w2", NULL };
    struct rh__count n = covered_by(pcr, -1, RH__PCR, false);
    assert_int_equal(n.goals, 6);
    assert_int_equal(n.pairs, 3);
    for (int i = 0; i < 4; i++)
        assert_in_range(covered_by(pcr, i, RH__PCR, false).goals, 4, 5);
    n = covered_by(pr, -1, RH__PR, false);
    assert_int_equal(n.goals, 6);
    assert_int_equal(n.pairs, 3);
    assert_int_equal(covered_by(pr, 1, RH__PR, false).goals, 3);
    n = covered_by(pmr, -1, RH__PMR, true); /* w1 and w2 are not related */
    assert_int_equal(n.goals, 4);
    assert_int_equal(n.pairs, 2);
    assert_int_equal(covered_by(pmr, -1, RH__PMR, false).goals, 0);
}

/* ---- schedules (IV, IV-D) ---------------------------------------------------------------------------------------- */

static bool satisfies(const struct schedule *run, const struct schedule *s)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < run->count && at < s->count; i++)
        at += run->at[i] == s->at[at];
    return at == s->count;
}

/* Every order of figure 1 that keeps to the constraints: <w,fl> is among them, <fd,ad> is not. */
static void orders(const struct written *w, struct schedule *s, const struct schedule *sought, uint32_t *satisfying)
{
    if (s->count == w->count)
        *satisfying += satisfies(s, sought);
    for (uint32_t i = 1; i <= w->count; i++) {
        bool ready = !contains(s, i);
        for (uint32_t k = 1; k <= w->count; k++)
            ready &= !w->must[k][i] || contains(s, k);
        if (!ready)
            continue;
        append_to(s, i);
        orders(w, s, sought, satisfying);
        s->count--;
    }
}

static void a_schedule_need_not_be_complete_but_must_be_feasible(void **unused)
{
    (void)unused;
    struct written w;
    struct schedule s = { 0, { 0 } };
    uint32_t n = 0;
    WRITE(&w, figure1);
    struct schedule yes = by_names(&w, "w fl"), no = by_names(&w, "fd ad");
    orders(&w, &s, &yes, &n);
    assert_int_not_equal(n, 0);
    n = 0;
    orders(&w, &s, &no, &n);
    assert_int_equal(n, 0);
    /* And so no generator gives it: fl and w are all that can be exchanged. */
    struct generating x;
    struct rh__schedule_plan plan;
    generating_new(&x, &w, RH__PR, false);
    assert_true(next_plan(&x, &s, &plan));
    assert_string_equal(text_of(&w, &s), "ex ad fl w");
    count_schedule(x.coverage, &w, &s);
    assert_false(next_plan(&x, &s, &plan));
    generating_free(&x);
}

static void two_actions_give_the_schedule_of_section_4d(void **unused)
{
    (void)unused;
    struct written w;
    struct schedule s, run;
    struct goals o;
    struct midway m = { .set = false };
    memset(&o, 0, sizeof o);
    WRITE(&w, two_actions);
    run = whole(&w);
    add_goals(&w, &run, RH__PR, &o);
    schedule(&w, &run, 1, 3, true, RH__PR, &o, &s, &m);
    assert_string_equal(text_of(&w, &m.prefix), "ex1 ex2 w2 w1");
    assert_string_equal(text_of(&w, &m.tail), "w1 ad1 ad2 fl");
    assert_string_equal(text_of(&w, &s), "ex1 ex2 w2 ad1 ad2 fl w1");

    struct generating x;
    struct rh__schedule_plan plan;
    generating_new(&x, &w, RH__PR, false);
    assert_true(next_plan(&x, &s, &plan));
    assert_string_equal(text_of(&w, &s), "ex1 ex2 w2 ad1 ad2 fl w1");
    assert_string_equal(w.r[plan.first]->name, "w2");
    assert_string_equal(w.r[plan.second]->name, "w1");
    assert_int_equal(plan.goals, 2);
    assert_int_equal(add_goals(&w, &s, RH__PR, &o), 2);
    assert_true(o.has[4][2] && o.has[7][2]); /* w2 -> w1, fl -> w1 */
    uint64_t before = x.coverage->counts[RH__PR].goals;
    count_schedule(x.coverage, &w, &s);
    assert_int_equal(x.coverage->counts[RH__PR].goals, before + 2);
    generating_free(&x);
}

/* All goals but those that are named are achieved before: "ch er" for er -> ch. */
static void generate_for(const struct written *w, const char *wanted, struct schedule *s)
{
    struct generating x;
    struct rh__schedule_plan plan;
    generating_new(&x, w, RH__PR, false);
    for (uint32_t i = 1; i <= w->count; i++)
        for (uint32_t j = i + 1; j <= w->count; j++) {
            char pair[32];
            struct schedule two = { 2, { j, i } };
            snprintf(pair, sizeof pair, "%s %s", w->r[i]->name, w->r[j]->name);
            if (same_receiver(w, i, j) && !strstr(wanted, pair))
                count_schedule(x.coverage, w, &two);
        }
    assert_true(next_plan(&x, s, &plan));
    generating_free(&x);
}

static void the_error_of_figure_2_needs_the_flush_before_the_write(void **unused)
{
    (void)unused;
    struct written w;
    struct schedule s;
    bool found[LONGEST][LONGEST] = { { false } };
    WRITE(&w, figure2);
    found_relation(&w, found);
    assert_memory_equal(found, w.must, sizeof found);
    assert_true(found[3][7] && found[4][7]); /* fl and w before er */
    assert_false(found[3][4] || found[6][7]);
    generate_for(&w, "ch er", &s);
    struct schedule er_ch = by_names(&w, "er ch"), fl_w = by_names(&w, "fl w er");
    assert_true(satisfies(&s, &er_ch));
    assert_true(satisfies(&s, &fl_w));
    assert_string_equal(text_of(&w, &s), "ex ad fl w fd er ch");
    /* <w, fl, ch, fd> achieves two goals that the run has not. */
    struct goals o;
    struct schedule run = whole(&w), longer = by_names(&w, "w fl ch fd");
    memset(&o, 0, sizeof o);
    add_goals(&w, &run, RH__PR, &o);
    assert_int_equal(add_goals(&w, &longer, RH__PR, &o), 2);
    assert_true(o.has[4][3] && o.has[6][5]);
}

/* ---- the algorithms, word by word -------------------------------------------------------------------------------- */

static void make_random(struct receive *list, char names[][16], uint32_t *count, uint64_t seed)
{
    static const char *const actors[] = { "a", "b", "c", "d" };
    uint64_t random = seed * 77 + 5;
    uint32_t n = 3 + generated_below(&random, 12), who = 2 + generated_below(&random, 3);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t cause = generated_below(&random, 3) ? generated_below(&random, i + 1) : 0;
        snprintf(names[i], sizeof names[i], "r%u", i + 1);
        list[i] = (struct receive){ names[i], actors[generated_below(&random, who)], cause ? names[cause - 1] : "",
                                    generated_below(&random, 4) == 0 };
    }
    *count = n;
}

/* Algorithm 1, one schedule after the other; each must be what the generator gives. */
static uint32_t compare_algorithms(const struct written *w, enum rh__criterion criterion, uint64_t seed)
{
    struct generating x;
    struct goals o;
    struct schedule run = whole(w), want, got;
    struct rh__schedule_plan plan;
    uint32_t schedules = 0;
    memset(&o, 0, sizeof o);
    add_goals(w, &run, criterion, &o);
    generating_new(&x, w, criterion, false);
    for (uint32_t i = 1; i < w->count; i++)
        for (uint32_t j = i + 1; j <= w->count; j++)
            for (int swap = 0; swap < 2; swap++) {
                struct midway m = { .set = false };
                if (!cr_related(w, i, j, criterion) || w->must[i][j] || (swap ? o.has[j][i] : o.has[i][j]))
                    continue;
                schedule(w, &run, i - 1, j - 1, swap, criterion, &o, &want, &m);
                if (!next_plan(&x, &got, &plan))
                    fail_msg("run %llu: no schedule where %s was wanted", (unsigned long long)seed, text_of(w, &want));
                if (strcmp(text_of(w, &want), text_of(w, &got)) != 0)
                    fail_msg("run %llu by %s: %s; the paper has %s", (unsigned long long)seed,
                             rh__criterion_name(criterion), text_of(w, &got), text_of(w, &want));
                if (!add_goals(w, &want, criterion, &o))
                    fail_msg("run %llu: %s achieves nothing", (unsigned long long)seed, text_of(w, &want));
                count_schedule(x.coverage, w, &want);
                schedules++;
            }
    if (next_plan(&x, &got, &plan))
        fail_msg("run %llu: %s is one too many", (unsigned long long)seed, text_of(w, &got));
    generating_free(&x);
    return schedules;
}

static void one_pass_gives_what_the_three_algorithms_give(void **unused)
{
    (void)unused;
    static char names[LONGEST][16];
    struct receive list[LONGEST];
    struct written w;
    bool found[LONGEST][LONGEST];
    uint32_t count, schedules = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        make_random(list, names, &count, seed);
        written_make(&w, list, count, seed % 2);
        memset(found, 0, sizeof found);
        found_relation(&w, found);
        assert_memory_equal(found, w.must, sizeof found);
        for (int c = 0; c < RH__CRITERION_COUNT; c++)
            schedules += compare_algorithms(&w, (enum rh__criterion)c, seed);
    }
    print_message("%u schedules are those of the paper\n", schedules);
    assert_in_range(schedules, 10000, 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_action_has_the_constraints_of_figure_1),
        cmocka_unit_test(two_writes_of_one_action_are_in_order),
        cmocka_unit_test(six_goals_of_the_writer_by_four_two_and_two_schedules),
        cmocka_unit_test(a_schedule_need_not_be_complete_but_must_be_feasible),
        cmocka_unit_test(two_actions_give_the_schedule_of_section_4d),
        cmocka_unit_test(the_error_of_figure_2_needs_the_flush_before_the_write),
        cmocka_unit_test(one_pass_gives_what_the_three_algorithms_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
