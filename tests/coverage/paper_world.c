/* The worked examples of [Bita 2013, III and IV] as programs that run: Listing 1 and its variants, forced into the
 * orders of the text.  Their constraints, goals and schedules are those of paper.c, by the same names. */
#include "coverage/support/covering.h"

#include "coverage/plan.h"
#include "explore/cover/enforce.h"

/* ---- Listing 1 --------------------------------------------------------------------------------------------------- */

RH_MESSAGE(execute);
RH_MESSAGE(write_it, int action;);
RH_MESSAGE(action_done);
RH_MESSAGE(flush);
RH_MESSAGE(flushed);
RH_MESSAGE(check_for_error);
RH_MESSAGE(error);

RH_ACTOR(writer, int results; bool gone; rh_ref terminator;);
RH_ACTOR(action, rh_ref writer, terminator; int name;);
RH_ACTOR(terminator, int actions; rh_ref writer; bool error;);

RH_HANDLER(action, execute)
{
    (void)msg;
    for (int64_t i = 0; i < rh_param("writes", 1); i++)
        rh_send(state->writer, write_it, .action = state->name);
    rh_send(state->terminator, action_done);
}
RH_BEHAVIOUR(action, acting, execute);

RH_HANDLER(writer, write_it)
{
    (void)msg;
    if (state->gone && rh_param("figure", 1) == 2)
        rh_send(state->terminator, error);
    state->results++;
}
RH_HANDLER(writer, flush)
{
    (void)msg;
    state->gone = true;
    state->terminator = rh_sender();
    rh_reply(flushed);
    if (rh_param("becomes", 0))
        rh_become(writer, closed);
}
RH_BEHAVIOUR(writer, open, write_it, flush);
RH_BEHAVIOUR(writer, closed, flush, write_it);

RH_HANDLER(terminator, action_done)
{
    (void)msg;
    if (--state->actions == 0)
        rh_send(state->writer, flush);
}
RH_HANDLER(terminator, flushed)
{
    (void)msg;
    (void)state;
}
RH_HANDLER(terminator, check_for_error)
{
    (void)msg;
    (void)state;
}
RH_HANDLER(terminator, error)
{
    (void)msg;
    state->error = true;
}
RH_BEHAVIOUR(terminator, waiting, action_done, flushed, check_for_error, error);

RH_TEST(gatling)
{
    int actions = (int)rh_param("actions", 1);
    rh_ref w = rh_spawn(writer), t = rh_spawn(terminator, .actions = actions, .writer = w);
    for (int i = 0; i < actions; i++)
        rh_send(rh_spawn(action, .writer = w, .terminator = t, .name = i + 1), execute);
    if (rh_param("figure", 1) == 2)
        rh_send(t, check_for_error);
}

/* ---- runs by names ----------------------------------------------------------------------------------------------- */

static int given(const struct rh_world *w, const char *name)
{
    for (size_t i = 0; i < w->param_count; i++)
        if (strcmp(w->params[i].name, name) == 0)
            return atoi(w->params[i].value);
    return 1;
}

/* ex, w, ad, fl, fd, ch, er, with the number of the action where there are several; w1, w2 for two writes of one. */
static void label_of(const struct rh_world *w, uint32_t message, char *to, size_t size)
{
    static const struct {
        const struct rh_message_type *type;
        const char *name;
    } names[] = { { &rh_message_execute, "ex" },        { &rh_message_write_it, "w" },
                  { &rh_message_action_done, "ad" },    { &rh_message_flush, "fl" },
                  { &rh_message_flushed, "fd" },        { &rh_message_error, "er" },
                  { &rh_message_check_for_error, "ch" } };
    struct rh_message_info m = rh_world_message(w, message);
    const char *name = "?";
    uint32_t number = 0, like = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].type == m.type)
            name = names[i].name;
    uint32_t who = m.type == &rh_message_execute ? m.receiver : m.sender;
    if (rh_world_actor_type(w, who) == &rh_actor_action && given(w, "actions") == 2)
        number = ((const struct action *)rh_world_actor_state(w, who))->name;
    for (uint32_t i = 0; i < rh_world_message_count(w); i++) {
        struct rh_message_info o = rh_world_message(w, i);
        like += o.type == m.type && o.sender == m.sender && o.receiver == m.receiver;
        if (i == message && like && m.type == &rh_message_write_it && given(w, "writes") == 2)
            number = like;
    }
    if (number)
        snprintf(to, size, "%s%u", name, number);
    else
        snprintf(to, size, "%s", name);
}

struct running {
    struct rh_world *w;
    struct rh_exploration *x;
};

static struct running running_of(const struct rh_param *params, size_t count)
{
    struct rh_semantics s = { .model = RH_FIFO, .max_actors = 16, .max_bytes_per_actor = 65536, .max_steps = 100 };
    struct running r = { .w = world_of("gatling", &s, params, count) };
    r.x = measuring_of(r.w);
    rh_world_begin(r.w);
    return r;
}

static void running_free(struct running *r)
{
    measuring_free(r->x);
    rh_world_free(r->w);
}

/* Takes the messages in this order; then what is left as it comes. */
static void run_as(struct running *r, const char *order)
{
    char names[256];
    snprintf(names, sizeof names, "%s", order);
    rh_world_reset(r->w);
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
        uint32_t open;
        const struct rh_choice *c = rh_world_enabled(r->w, &open);
        bool found = false;
        for (uint32_t i = 0; i < open && !found; i++) {
            char label[16];
            label_of(r->w, c[i].what, label, sizeof label);
            found = strcmp(label, name) == 0;
            if (found)
                assert_true(rh_world_step(r->w, &c[i]));
        }
        if (!found)
            fail_msg("%s is not there, in %s", name, order);
    }
    for (uint32_t open;;) {
        const struct rh_choice *c = rh_world_enabled(r->w, &open);
        if (!open)
            break;
        assert_true(rh_world_step(r->w, &c[0]));
    }
    assert_int_equal(rh_world_outcome(r->w)->kind, RH_OUTCOME_FINISHED);
    rh__measure_run(r->x);
}

static const char *label_of_step(const struct running *r, uint32_t step)
{
    static char label[8][16];
    static uint32_t turn;
    char *to = label[turn++ % 8];
    uint32_t n;
    label_of(r->w, rh_world_events(r->w, &n)[step].choice.what, to, sizeof *label);
    return to;
}

/* Must-happen-before of all receives at once: under fifo nothing of it is about one actor only. */
static const char *constraints(const struct running *r)
{
    static char text[2048];
    uint64_t seen[200], must[101];
    uint32_t bits[100];
    const struct rh__steps *s = &r->x->measure->steps;
    size_t at = 0;
    *text = 0;
    for (uint32_t i = 0; i < s->count; i++)
        bits[i] = i ? i : RH_NONE;
    rh__must_happen_before(s, bits, 1, seen, must);
    for (uint32_t i = 1; i < s->count; i++)
        for (uint32_t j = 1; j < s->count; j++)
            if (must[j] >> i & 1)
                at += (size_t)snprintf(text + at, sizeof text - at, "%s(%s,%s)", at ? " " : "", label_of_step(r, i),
                                       label_of_step(r, j));
    return text;
}

static const char *order_of(const struct running *r, const uint32_t *steps, uint32_t count)
{
    static char text[512];
    size_t at = 0;
    *text = 0;
    for (uint32_t i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", i ? " " : "", label_of_step(r, steps[i]));
    return text;
}

/* The first schedule from the run that was measured last. */
static const char *first_schedule(const struct running *r, enum rh__criterion criterion, const struct rh__coverage *c)
{
    static char memory[1 << 20];
    struct rh__schedule_plan plan;
    struct rh__plan_input *g = rh__plan_input_new(memory, sizeof memory, &r->x->measure->steps, criterion, false, c);
    assert_non_null(g);
    return rh__plan(g, c, &plan) ? order_of(r, plan.steps, plan.count) : "";
}

static uint32_t step_named(const struct running *r, const char *name)
{
    for (uint32_t i = 1; i < r->x->measure->steps.count; i++)
        if (strcmp(label_of_step(r, i), name) == 0)
            return i;
    fail_msg("there is no %s", name);
    return 0;
}

/* A run that is forced into this order of receives of the last run, and is random otherwise; whether that could be
 * done. */
static bool force_run(struct running *r, const char *order, uint64_t seed)
{
    static struct rh__coverage_step list[100];
    static struct rh__enforce force;
    static struct rh_exploration *made;
    char names[256], error[256];
    uint32_t plan[32], count = 0, open;
    struct rh__steps s = r->x->measure->steps;
    memcpy(list, s.list, s.count * sizeof *list);
    s.list = list;
    snprintf(names, sizeof names, "%s", order);
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
        plan[count++] = step_named(r, name);
    struct rh__limits limits = { .max_runs = 1 };
    made = rh__exploration_new(r->w, "random", 1, &limits, error, sizeof error); /* for its memory */
    assert_non_null(made);
    assert_true(rh__enforce_open(&force, made, r->w));
    rh__enforce_plan(&force, &s, plan, count);
    rh_world_reset(r->w);
    for (;;) {
        const struct rh_choice *c = rh_world_enabled(r->w, &open);
        if (!open)
            break;
        uint32_t pick = rh__enforce(&force, r->w, c, open, &seed);
        assert_true(rh_world_step(r->w, &c[pick != RH_NONE ? pick : rh__random_below(&seed, open)]));
    }
    rh__measure_run(r->x);
    bool forced = rh__forced(&force);
    rh__exploration_free(made);
    return forced;
}

static bool happened(const struct running *r, const char *order)
{
    char names[256];
    uint32_t at = 0;
    snprintf(names, sizeof names, "%s", order);
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
        uint32_t step = step_named(r, name);
        if (step < at)
            return false;
        at = step;
    }
    return true;
}

/* ---- the examples ------------------------------------------------------------------------------------------------ */

static const struct rh_param two_actions[] = { { "actions", "2" } };
static const struct rh_param two_writes[] = { { "writes", "2" } };
static const struct rh_param figure2[] = { { "figure", "2" } };
static const struct rh_param changing[] = { { "actions", "2" }, { "becomes", "1" } };

static void figure_1_has_its_constraints(void **unused)
{
    (void)unused;
    struct running r = running_of(NULL, 0);
    run_as(&r, "ex w ad fl fd");
    assert_string_equal(constraints(&r), "(ex,w) (ex,ad) (ex,fl) (ex,fd) (w,fd) (ad,fl) (ad,fd) (fl,fd)");
    assert_string_equal(first_schedule(&r, RH__PR, r.x->results->coverage), "ex ad fl w");
    running_free(&r);
    r = running_of(two_writes, 1);
    run_as(&r, "ex w1 w2 ad fl fd");
    assert_non_null(strstr(constraints(&r), "(w1,w2)"));
    assert_null(strstr(constraints(&r), "(w1,fl)"));
    running_free(&r);
}

static void what_is_feasible_can_be_forced(void **unused)
{
    (void)unused;
    struct running r = running_of(NULL, 0);
    for (uint64_t seed = 1; seed < 30; seed++) {
        run_as(&r, "ex w ad fl fd");
        assert_true(force_run(&r, "w fl", seed));
        assert_true(happened(&r, "w fl"));
        run_as(&r, "ex w ad fl fd");
        assert_true(force_run(&r, "fl w", seed));
        assert_true(happened(&r, "fl w"));
        run_as(&r, "ex w ad fl fd");
        assert_false(force_run(&r, "fd ad", seed));
        assert_true(happened(&r, "ad fd"));
    }
    running_free(&r);
}

/* Goals of the writer only: those of the terminator are others. */
static struct rh__count of_writer(const struct running *r, enum rh__criterion k)
{
    const struct rh__coverage *c = r->x->results->coverage;
    struct rh__count n = { 0, 0 };
    for (uint32_t a = 0; a < c->receive_count; a++)
        for (uint32_t b = 0; b < c->receive_count; b++) {
            const struct rh__covered_receive *x = rh__covered_receive(c, a), *y = rh__covered_receive(c, b);
            if (a == b || x->actor != y->actor ||
                strcmp(rh__coverage_text(c, rh__covered_actor(c, x->actor)->name), "writer#1") != 0)
                continue;
            n.goals += rh__achieved(c, k, a, b);
            n.pairs += a < b && rh__pair_of(c, k, a, b) == RH__PAIR_COVERED;
        }
    return n;
}

static void covered_by(const struct rh_param *params, size_t count, const char *const *orders, enum rh__criterion k,
                       uint64_t goals, uint64_t pairs)
{
    struct running r = running_of(params, count);
    for (; *orders; orders++)
        run_as(&r, *orders);
    assert_int_equal(of_writer(&r, k).goals, goals);
    assert_int_equal(of_writer(&r, k).pairs, pairs);
    running_free(&r);
}

static void goals_of_the_writer(void **unused)
{
    (void)unused;
    static const char *const pcr[] = { "ex1 ex2 w1 w2 ad1 ad2 fl", "ex1 ex2 ad1 ad2 fl w2 w1",
                                       "ex1 ex2 ad1 ad2 w1 fl w2", "ex1 ex2 ad1 ad2 fl w1 w2", NULL };
    static const char *const pr[] = { "ex1 ex2 w1 w2 ad1 ad2 fl", "ex1 ex2 ad1 ad2 fl w2 w1", NULL };
    static const char *const pmr[] = { "ex1 ex2 w1 w2 ad1 ad2 fl", "ex1 ex2 ad1 ad2 fl w1 w2", NULL };
    covered_by(two_actions, 1, pcr, RH__PCR, 6, 3);
    covered_by(two_actions, 1, pr, RH__PR, 6, 3);
    covered_by(two_actions, 1, pr, RH__PCR, 4, 2);
    covered_by(changing, 2, pmr, RH__PMR, 4, 2);
}

/* fl is sent by whichever done comes last, so it is the one of the text where that is ad2. */
static void two_actions_give_the_schedule_of_section_4d(void **unused)
{
    (void)unused;
    struct running r = running_of(two_actions, 1);
    run_as(&r, "ex1 w1 ex2 w2 ad1 ad2 fl fd");
    assert_string_equal(first_schedule(&r, RH__PR, r.x->results->coverage), "ex1 ex2 w2 ad1 ad2 fl w1");
    uint64_t before = r.x->results->coverage->counts[RH__PR].goals;
    assert_true(force_run(&r, "ex1 ex2 w2 ad1 ad2 fl w1", 3));
    assert_true(happened(&r, "w2 fl w1"));
    assert_int_equal(r.x->results->coverage->counts[RH__PR].goals, before + 2);
    running_free(&r);
}

static void the_error_of_figure_2(void **unused)
{
    (void)unused;
    struct running r = running_of(figure2, 1);
    uint32_t in_vain = 0;
    for (uint64_t seed = 1; seed < 30; seed++) {
        run_as(&r, "ex ad fl w fd ch er");
        assert_non_null(strstr(constraints(&r), "(fl,er)"));
        assert_null(strstr(constraints(&r), "(ch,er)"));
        /* Not enough: if the write is first there is no error. */
        in_vain += !force_run(&r, "er ch", seed);
        run_as(&r, "ex ad fl w fd ch er");
        assert_true(force_run(&r, "ex ad fl w fd er ch", seed));
        assert_true(happened(&r, "fl w er ch"));
        run_as(&r, "ex ad fl w fd ch er");
        assert_true(force_run(&r, "w fl ch fd", seed));
    }
    assert_in_range(in_vain, 1, 29);
    running_free(&r);
}

/* ---- all of it by cover ------------------------------------------------------------------------------------------ */

static void cover_reaches_all_goals_of_the_writer(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "cover:pr,paper", "cover:pr", "cover:pcr,paper", "cover:pcr" };
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++) {
            struct rh_semantics s = { .max_actors = 16, .max_bytes_per_actor = 65536, .max_steps = 100 };
            struct running r = { .w = world_of("gatling", &s, two_actions, 1) };
            struct told told = { 0, 0, 0, 0 };
            r.x = explored(r.w, explorers[i], seed, 40);
            told_by(r.x, &told);
            assert_true(r.x->end.exhausted == (strstr(explorers[i], "paper") != NULL));
            assert_int_equal(told.infeasible + told.missed + told.nothing, 0);
            /* Which done sends the flush makes it another receive: there may be more than one. */
            uint64_t pairs = of_writer(&r, i < 2 ? RH__PR : RH__PCR).pairs;
            if (pairs < 3)
                fail_msg("%s, seed %llu: %llu pairs of the writer", explorers[i], (unsigned long long)seed,
                         (unsigned long long)pairs);
            rh__exploration_free(r.x);
            rh_world_free(r.w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(figure_1_has_its_constraints), EXPLORE_TEST(what_is_feasible_can_be_forced),
        EXPLORE_TEST(goals_of_the_writer),          EXPLORE_TEST(two_actions_give_the_schedule_of_section_4d),
        EXPLORE_TEST(the_error_of_figure_2),        EXPLORE_TEST(cover_reaches_all_goals_of_the_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
