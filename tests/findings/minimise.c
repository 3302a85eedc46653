/* minimise: the smallest run fails in the same way, and none of its steps can be left out.
 *
 * The judge plays candidates by itself: steps are texts, found among the texts of the open choices, and messages of one
 * text are told apart by how many of them were sent before. */
#include "findings/minimise.h"

#include "explore/support/oracle.h"
#include "run/encode.h"
#include "support/few.h"

/* ---- the judge --------------------------------------------------------------------------------------------------- */

enum { MOST_LINES = 600, LINE = 200 };

struct line {
    char text[LINE];
    uint32_t rank;
    bool fault;
};

struct play {
    uint32_t count; /* of lines */
    uint32_t limit; /* of events */
    uint32_t without;
    uint32_t made, faults;
    bool over;
    struct rh_outcome outcome;
    struct line lines[MOST_LINES];
};

static bool is_fault(const struct rh_choice *c)
{
    return rh_choice_attributes(c->kind) & RH_IS_FAULT || (c->kind == RH_CHOICE_OPEN && c->what);
}

static struct line line_of(const struct rh_world *w, const struct rh_choice *c)
{
    struct line l = { .fault = is_fault(c) };
    rh_world_choice_text(w, c, l.text, sizeof l.text);
    if (rh_choice_attributes(c->kind) & RH_ABOUT_MESSAGE) {
        struct rh_message_info m = rh_world_message(w, c->what);
        uint32_t seen_as = w->messages[c->what].seen_as;
        for (uint32_t i = 0; i <= c->what; i++) {
            struct rh_message_info o = rh_world_message(w, i);
            l.rank += w->messages[i].type == w->messages[c->what].type && w->messages[i].seen_as == seen_as &&
                      o.receiver == m.receiver && (o.copy_of == RH_NONE) == (m.copy_of == RH_NONE);
        }
        l.text[LINE - 2] = m.copy_of == RH_NONE ? 0 : 'c';
    }
    if (c->kind == RH_CHOICE_CRASH) { /* its number of kept writes is a matter of rank */
        l.rank = c->what;
        l.text[strcspn(l.text, "(")] = 0;
    }
    if (c->kind == RH_CHOICE_RESUME)
        l.text[strcspn(l.text, "(")] = 0;
    return l;
}

static uint32_t first_choice(const struct rh_choice *open, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (open[i].kind != RH_CHOICE_END && !is_fault(&open[i]))
            return i;
    for (uint32_t i = 0; i < count; i++)
        if (open[i].kind == RH_CHOICE_END)
            return i;
    return 0;
}

static bool one_actor(const struct rh_choice *open, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (open[i].actor != open[0].actor)
            return false;
    return true;
}

static uint32_t nearest(const struct rh_world *w, const struct rh_choice *open, uint32_t count, const struct line *l)
{
    uint32_t best = RH_NONE, distance = RH_NONE;
    for (uint32_t i = 0; i < count; i++) {
        struct line x = line_of(w, &open[i]);
        uint32_t d = x.rank > l->rank ? x.rank - l->rank : l->rank - x.rank;
        if (strcmp(x.text, l->text) == 0 && x.text[LINE - 2] == l->text[LINE - 2] && d < distance) {
            best = i;
            distance = d;
        }
    }
    return best;
}

static void play(struct rh_world *w, void *arg)
{
    struct play *p = arg;
    uint32_t at = 0, count;
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &count)), count;) {
        uint32_t pick = RH_NONE;
        if (p->made == p->limit)
            return;
        char name[256];
        rh_world_actor_name(w, open[0].actor, name, sizeof name);
        while (at < p->count && pick == RH_NONE) {
            if (at == p->without) {
                at++;
                continue;
            }
            pick = nearest(w, open, count, &p->lines[at]);
            bool other = strncmp(p->lines[at].text, name, strlen(name)) != 0; /* whose step it is */
            if (pick == RH_NONE && one_actor(open, count) && other)
                break;
            at++;
        }
        if (pick == RH_NONE)
            pick = first_choice(open, count);
        p->made++;
        p->faults += is_fault(&open[pick]);
        rh_world_step(w, &open[pick]);
    }
    p->over = true;
    p->outcome = *rh_world_outcome(w);
}

static void play_lines(struct rh_world *w, struct play *p, uint32_t without)
{
    p->without = without;
    p->made = p->faults = 0;
    p->over = false;
    enum rh_sandbox_end end = rh_sandbox_run(w, play, p);
    assert_int_not_equal(end, RH_SANDBOX_FAILED);
    if (end == RH_SANDBOX_FINDING) {
        p->over = true;
        p->outcome = *rh_world_outcome(w);
    }
}

/* Kind and place; sentences without a place are compared without digits. */
static bool same_failure(const struct rh_outcome *a, const struct rh_outcome *b)
{
    if (a->kind != b->kind || strcmp(a->place, b->place) != 0)
        return false;
    const char *x = a->text, *y = b->text;
    while (!*a->place && (*x || *y)) {
        x += strspn(x, "0123456789");
        y += strspn(y, "0123456789");
        if (*x != *y)
            return false;
        x += *x != 0;
        y += *y != 0;
    }
    return true;
}

struct walk {
    const struct rh__finding *f;
    struct play *to;
    struct rh_outcome outcome;
    bool fits;
};

/* Takes the picks of the finding, and notes the lines. */
static void follow(struct rh_world *w, void *arg)
{
    struct walk *k = arg;
    uint32_t count;
    for (uint32_t i = 0; i < k->f->pick_count; i++) {
        const struct rh_choice *open = rh_world_enabled(w, &count);
        if (k->f->picks[i] >= count)
            return;
        k->to->lines[k->to->count++] = line_of(w, &open[k->f->picks[i]]);
        k->to->faults += is_fault(&open[k->f->picks[i]]);
        rh_world_step(w, &open[k->f->picks[i]]);
    }
    k->fits = true;
    k->outcome = *rh_world_outcome(w);
}

static struct play *lines_of(struct rh_world *w, const struct rh__finding *f)
{
    struct play *p = rh_shared_new(sizeof *p);
    struct walk *k = rh_shared_new(sizeof *k);
    *k = (struct walk){ .f = f, .to = p };
    enum rh_sandbox_end end = rh_sandbox_run(w, follow, k);
    assert_int_not_equal(end, RH_SANDBOX_FAILED);
    if (end == RH_SANDBOX_FINDING)
        k->outcome = *rh_world_outcome(w);
    assert_true(k->fits || (end == RH_SANDBOX_FINDING && p->count == f->pick_count));
    assert_true(same_failure(&k->outcome, &f->outcome));
    rh_shared_free(k, sizeof *k);
    return p;
}

struct totals {
    uint32_t findings, smaller, whole, left_out, kinds[64];
};

static void judge(struct rh_world *w, struct rh__finding *f, struct totals *t, const struct features *program_of)
{
    struct rh_outcome before = f->outcome;
    uint32_t events = f->pick_count;
    assert_true(rh__minimise(w, f, NULL));
    assert_true(f->minimised.repeats);
    assert_true(same_failure(&before, &f->outcome));
    assert_int_equal(f->minimised.before, events);
    assert_int_equal(f->minimised.after, f->pick_count);
    assert_true(f->minimised.faults_after < f->minimised.faults_before || f->pick_count <= events);
    t->findings++;
    t->kinds[f->outcome.kind]++;
    t->smaller += f->pick_count < events;
    t->whole += f->minimised.whole;
    if (!f->minimised.whole || f->pick_count > MOST_LINES)
        return;
    struct play *p = lines_of(w, f);
    uint32_t faults = p->faults;
    p->limit = p->count;
    for (uint32_t i = 0; i < p->count; i++) {
        play_lines(w, p, i);
        t->left_out++;
        bool same = p->over && same_failure(&p->outcome, &f->outcome);
        if (same && (p->faults < faults || (p->faults == faults && p->made < p->count))) {
            char text[4096] = "";
            if (program_of)
                features_write(program_of, text, sizeof text);
            fail_msg("step %u of %u can be left out: %s (%s)", i + 1, p->count, p->lines[i].text, text);
        }
    }
    rh_shared_free(p, sizeof *p);
}

static void judge_all(struct rh_exploration *x, struct totals *t, const struct features *program_of)
{
    for (uint32_t i = 0; i < x->results->finding_count; i++) {
        struct rh__finding *f = &x->results->findings[i];
        if (f->pick_count && f->outcome.kind != RH_OUTCOME_NONDETERMINISM && f->outcome.kind != RH_OUTCOME_ENDLESS_RUN)
            judge(x->world, f, t, program_of);
    }
}

/* ---- generated programs ------------------------------------------------------------------------------------------ */

static void generated_programs(struct totals *t, uint64_t seeds, void (*make)(struct features *p, uint64_t seed))
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        make(&program, seed);
        program.fails = seed % 2 ? 11 : 31;
        struct rh_semantics s = features_semantics(&program);
        struct rh_world *w = world_of("features", &s, NULL, 0);
        struct rh_exploration *x = explored(w, "random", seed, 60);
        judge_all(x, t, &program);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

static void generated_findings_become_minimal(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    generated_programs(&t, MANY_OR_FEW(160, 16), features_make);
    generated_programs(&t, MANY_OR_FEW(40, 4), features_make_crowd);
    generated_programs(&t, MANY_OR_FEW(40, 4), features_make_scarce);
    generated_programs(&t, MANY_OR_FEW(40, 4), features_make_linked);
    print_message("%u findings, %u smaller, %u whole, %u steps left out\n", t.findings, t.smaller, t.whole, t.left_out);
    for (uint32_t i = 0; i < 64; i++)
        if (t.kinds[i])
            print_message("    %u %s\n", t.kinds[i], rh_outcome_name((enum rh_outcome_kind)i));
    assert_in_range(t.findings, MANY_OR_FEW(150, 10), 100000);
    assert_in_range(t.smaller, t.findings / 4, t.findings);
    assert_in_range(t.whole, t.findings * 9 / 10, t.findings);
}

/* ---- a crash of the process -------------------------------------------------------------------------------------- */

RH_MESSAGE(part, int number;);
RH_ACTOR(machine, int seen; bool three_first;);
RH_HANDLER(machine, part)
{
    if (msg->number == 3 && !(state->seen & 1 << 1))
        state->three_first = true;
    state->seen |= 1 << msg->number;
    if (msg->number == 5 && state->three_first) {
        volatile int *nowhere = NULL;
        *nowhere = 1;
    }
}
RH_BEHAVIOUR(machine, running, part);
RH_TEST(a_machine)
{
    rh_ref m = rh_spawn(machine), other = rh_spawn(machine);
    for (int i = 0; i < 7; i++) {
        char name[24];
        snprintf(name, sizeof name, "belt %d", i);
        rh_send_from(rh_external(name), m, part, .number = i);
        rh_send_from(rh_external(name), other, part, .number = 0);
    }
}

/* 14 messages, of which two are enough: 3 before 1, then 5. */
static void a_crash_is_made_smaller_in_children(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("a_machine", NULL, NULL, 0);
    struct rh_exploration *x = explored(w, "random", 4, 40);
    struct totals t = { 0 };
    assert_int_equal(x->results->finding_count, 1);
    judge_all(x, &t, NULL);
#ifdef __SANITIZE_ADDRESS__
    assert_int_equal(x->results->findings[0].outcome.kind, RH_OUTCOME_SANITIZER);
#else
    assert_int_equal(x->results->findings[0].outcome.kind, RH_OUTCOME_CRASH);
#endif
    assert_int_equal(x->results->findings[0].pick_count, 2);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* ---- a step that can be left out alone only ---------------------------------------------------------------------- */

static int pieces_needed, pieces_sent;
RH_MESSAGE(piece);
RH_MESSAGE(count_them);
RH_ACTOR(box, int pieces;);
RH_HANDLER(box, piece)
{
    state->pieces++;
}
RH_HANDLER(box, count_them)
{
    rh_assert(state->pieces < pieces_needed);
}
RH_BEHAVIOUR(box, open, piece, count_them);
RH_TEST(a_full_box)
{
    rh_ref b = rh_spawn(box), packer = rh_external("packer"), clerk = rh_external("clerk");
    for (int i = 0; i < pieces_sent; i++)
        rh_send_from(packer, b, piece);
    rh_send_from(clerk, b, count_them);
}

/* The first choices put all pieces into the box, one more than are needed; two together are needed.  So halves,
 * quarters, ... are of no use, whatever their sizes are, and single steps must be tried although nothing was found
 * before. */
static void one_superfluous_step_is_left_out(void **unused)
{
    (void)unused;
    for (pieces_sent = 2; pieces_sent <= 20; pieces_sent++) {
        pieces_needed = pieces_sent - 1;
        struct rh_world *w = world_of("a_full_box", NULL, NULL, 0);
        struct rh_exploration *x = explored(w, "dfs", 1, 1);
        struct totals t = { 0 };
        assert_int_equal(x->results->finding_count, 1);
        assert_int_equal(x->results->findings[0].pick_count, pieces_sent + 1);
        judge_all(x, &t, NULL);
        assert_int_equal(x->results->findings[0].pick_count, pieces_sent);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

/* The run without its finding, and with a limit that ends the search. */
static void a_limit_is_said(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("a_machine", NULL, NULL, 0);
    struct rh_exploration *x = explored(w, "random", 4, 40);
    struct rh__finding *f = &x->results->findings[0];
    char text[256];
    struct rh__shrink_limits few = { .max_runs = 3 };
    assert_string_equal(rh__minimised_text(f, text, sizeof text), "");
    assert_true(rh__minimise(w, f, &few));
    assert_int_equal(f->minimised.runs, 3);
    assert_false(f->minimised.whole);
    assert_non_null(strstr(rh__minimised_text(f, text, sizeof text), "limit reached"));
    rh__exploration_free(x);
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(generated_findings_become_minimal),
        EXPLORE_TEST(a_crash_is_made_smaller_in_children),
        EXPLORE_TEST(one_superfluous_step_is_left_out),
        EXPLORE_TEST(a_limit_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
