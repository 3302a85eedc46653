/* A verdict is a promise, and nobody inherits a promise while changing the search: explorers of users that leave runs
 * out without saying so, sets of visited states in the places where they are easily used wrongly, and schedules inside
 * of other explorers. */
#include "explore/support/runs.h"

#include <rehearse/visited.h>
#include <unistd.h>

#include "base/files.h"

/* ---- a program: relays send numbers to a node, which must not see 2 before 1 ------------------------------------- */

RH_MESSAGE(number, int n;);
RH_ACTOR(node, int last;);
RH_HANDLER(node, number)
{
    rh_assert(!(state->last == 0 && msg->n == 2), "2 came first");
    state->last = msg->n;
}
RH_BEHAVIOUR(node, ready, number);
RH_ACTOR(relay_actor, rh_ref to; int n;);
RH_HANDLER(relay_actor, rh_start)
{
    (void)msg;
    rh_send(state->to, number, .n = state->n);
}
RH_BEHAVIOUR(relay_actor, ready, rh_start);

RH_TEST(two_relays)
{
    rh_ref to = rh_spawn(node);
    rh_spawn(relay_actor, .to = to, .n = 1);
    rh_spawn(relay_actor, .to = to, .n = 2);
}

/* Three alike actors that ask for their names: symmetry hides choices, and then starts over. */
RH_ACTOR(sink, int taken;);
RH_HANDLER(sink, number)
{
    (void)msg;
    if (++state->taken == 2)
        rh_log("%s", rh_name(self));
}
RH_BEHAVIOUR(sink, ready, number);

RH_TEST(told_apart)
{
    for (int i = 0; i < 3; i++) {
        rh_ref s = rh_spawn(sink);
        rh_send(s, number, .n = 1);
        rh_send(s, number, .n = 2);
    }
}

/* ---- explorers that leave runs out, and say nothing of verdicts -------------------------------------------------- */

static uint32_t few_begin(void *state, const struct rh_world *w)
{
    static const struct rh_inner *once;
    bool first = once != state;
    once = state;
    return first ? rh_inner_begin(state, w) : 0;
}
static uint32_t picky_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    return rh_inner_choose(state, w, open, count) ? RH_ABANDON : 0;
}
static uint32_t zero_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    rh_inner_choose(state, w, open, count);
    return 0;
}
#define DECORATOR(table, ...)                                                                                          \
    static const struct rh_explorer table = { .name = #table,                                                          \
                                              .state_size = sizeof(struct rh_inner),                                   \
                                              .arguments = rh_only_arguments,                                          \
                                              .open = rh_only_open,                                                    \
                                              .decorator = &rh_only_decorator,                                         \
                                              __VA_ARGS__ };                                                           \
    RH_EXPLORER(table)
DECORATOR(few, .begin = few_begin)
DECORATOR(picky, .choose = picky_choose)
DECORATOR(zero, .choose = zero_choose)

static uint32_t nothing_begin(void *state, const struct rh_world *w)
{
    (void)state, (void)w;
    return 0;
}
static uint32_t first_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)state, (void)w, (void)open, (void)count;
    return 0;
}
static enum rh_verdict boasting(const void *state)
{
    (void)state;
    return RH_VERDICT_EXHAUSTIVE;
}
static const struct rh_explorer_report boast = { .verdict = boasting };
static const struct rh_explorer nothing = {
    .name = "nothing", .state_size = 8, .begin = nothing_begin, .choose = first_choose, .report = &boast
};
RH_EXPLORER(nothing)

/* ---- visit(EXPLORER): as the head of visited.h says ------------------------------------------------------------- */

struct visit {
    struct rh_inner inner;
    struct rh_visited *visited;
};
static bool visit_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error, size_t size)
{
    struct visit *v = state;
    v->visited = rh_exploration_visited(x, &(struct rh_visited_options){ .memory_bytes = 1 << 20 });
    return v->visited && rh_only_open(state, x, a, error, size);
}
static uint32_t visit_begin(void *state, const struct rh_world *w)
{
    struct visit *v = state;
    return rh_visited_begin(v->visited, rh_inner_begin(&v->inner, w));
}
static uint32_t visit_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct visit *v = state;
    if (rh_visited_here(v->visited, w) == RH_VISITED_BEFORE)
        return RH_PRUNED;
    return rh_inner_choose(&v->inner, w, open, count);
}
static const struct rh_explorer visit = { .name = "visit",
                                          .state_size = sizeof(struct visit),
                                          .arguments = rh_only_arguments,
                                          .open = visit_open,
                                          .begin = visit_begin,
                                          .choose = visit_choose,
                                          .report = &rh_only_report,
                                          .decorator = &rh_only_decorator };
RH_EXPLORER(visit)

/* ---- what they may say ------------------------------------------------------------------------------------------- */

struct found {
    enum rh_verdict verdict;
    uint64_t runs, failed;
};

static struct found look(const char *test, const char *expression)
{
    struct rh_world *w = world_of(test, NULL, NULL, 0);
    struct rh_exploration *x = explored(w, expression, 1, 100000);
    struct found f = { rh__exploration_verdict(x), x->results->count.runs, x->results->count.failed };
    assert_false(x->results->diverged);
    rh__exploration_free(x);
    rh_world_free(w);
    return f;
}

static void who_changes_the_search_promises_nothing(void **unused)
{
    static const char *const expressions[] = { "few(dfs)",    "few(dpor)", "picky(dfs)",
                                               "picky(dpor)", "zero(dfs)", "portfolio(few(dfs), bound(runs=1, random))",
                                               "nothing" };
    (void)unused;
    assert_int_equal(look("two_relays", "dfs").verdict, RH_VERDICT_EXHAUSTIVE);
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
        struct found f = look("two_relays", expressions[i]);
        print_message("%s: %llu runs\n", expressions[i], (unsigned long long)f.runs);
        assert_int_equal(f.verdict, RH_VERDICT_SAMPLED);
    }
}

static void visited_states_cost_no_finding(void **unused)
{
    static const char *const expressions[] = { "visit(dfs)", "bound(30, visit(dfs))", "portfolio(visit(dfs), random)",
                                               "symmetry(visit(dfs))", "visit(symmetry(dfs))" };
    (void)unused;
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
        struct found f = look("two_relays", expressions[i]);
        assert_int_equal(f.verdict, RH_VERDICT_EXHAUSTIVE);
        assert_in_range(f.failed, 1, f.runs);
    }
}

/* symmetry starts over when a name tells alike actors apart; the set outside forgets what it has seen until then.  All
 * three orders in which the sinks become full are states of their own: names are logged, and a log is no state, so
 * what can be counted are runs: as many as without symmetry. */
static void a_set_around_symmetry_starts_over_with_it(void **unused)
{
    (void)unused;
    struct found plain = look("told_apart", "visit(dfs)");
    struct found folded = look("told_apart", "visit(symmetry(dfs))");
    assert_int_equal(folded.verdict, RH_VERDICT_EXHAUSTIVE);
    assert_in_range(folded.runs, plain.runs, 10 * plain.runs);
}

/* ---- schedules inside of other explorers ------------------------------------------------------------------------- */

static const char *schedule(char path[64], const char *line)
{
    char text[256], error[256];
    snprintf(text, sizeof text, "rehearse schedule 1\n%s\n", line);
    assert_true(rh__file_write(path, text, strlen(text), error, sizeof error));
    return path;
}

static void a_schedule_inside_a_schedule_begins_where_the_other_ends(void **unused)
{
    char one[64], two[64], expression[256];
    (void)unused;
    snprintf(one, sizeof one, "promises-one-%d.schedule", (int)getpid());
    snprintf(two, sizeof two, "promises-two-%d.schedule", (int)getpid());
    schedule(one, "sink#1 takes number from test");
    schedule(two, "sink#2 takes number from test");
    static const char *const forms[] = { "replay(%s, replay(%s, dfs))",
                                         "portfolio(replay(%s, replay(%s, dfs)), bound(runs=5, random))",
                                         "replay(%s, portfolio(replay(%s, dfs), bound(runs=5, random)))" };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(expression, sizeof expression, forms[i], one, two);
#pragma GCC diagnostic pop
        struct found f = look("told_apart", expression);
        assert_int_equal(f.verdict, RH_VERDICT_BOUNDED);
        assert_in_range(f.runs, 12, 40); /* 4!/2! ways to go on, and those of the sampler */
    }
    unlink(one);
    unlink(two);
}

/* The graph of optimal begins with the test; it used to crash here. */
static void optimal_does_not_go_on_from_a_schedule(void **unused)
{
    char path[64], expression[256], error[256] = "";
    const struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
    (void)unused;
    snprintf(path, sizeof path, "promises-%d.schedule", (int)getpid());
    snprintf(expression, sizeof expression, "replay(%s, portfolio(random, optimal))",
             schedule(path, "sink#1 takes number from test"));
    struct rh_world *w = world_of("told_apart", &s, NULL, 0);
    struct rh_exploration *x = rh__exploration_new(w, expression, 1, &(struct rh__limits){ 0 }, error, sizeof error);
    unlink(path);
    assert_null(x);
    assert_non_null(strstr(error, "explorer optimal explores from the beginning of a test"));
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(who_changes_the_search_promises_nothing),
        EXPLORE_TEST(visited_states_cost_no_finding),
        EXPLORE_TEST(a_set_around_symmetry_starts_over_with_it),
        EXPLORE_TEST(a_schedule_inside_a_schedule_begins_where_the_other_ends),
        EXPLORE_TEST(optimal_does_not_go_on_from_a_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
