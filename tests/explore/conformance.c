/* What every explorer must do, alone and inside of every decorator; and explorers and decorators with a planted defect,
 * which must be caught.  An explorer that can be opened without arguments is covered as soon as it is registered: so is
 * the user's own explorer of examples/own_explorer, which is part of this program.
 *
 * The checks are in support/conform.c.  Not here: pruned runs and filters (visited.c, pruning.c). */
#include "explore/support/conform.h"

#include <unistd.h>

#include "../../examples/own_explorer/starve.c"
#include "explore/explorers.h"
#include "support/few.h"

struct check {
    const char *name;
    const char *(*wrong)(const struct subject *s);
};
#define X(name) { #name, name },
static const struct check checks[] = { CONFORM_CHECKS(X) };
static const struct check decorator_checks[] = { CONFORM_DECORATOR_CHECKS(X) };
#undef X

/* An empty schedule. */
static char file[] = "/tmp/rehearse-conformance-XXXXXX";
static char replay_text[64];
static const struct around decorators[] = {
    { "%s", .same = true, .keeps = true },
    { "bound(40, %s)", .same = true, .keeps = true },
    { "portfolio(%s)", .same = true },
    { "portfolio(random, %s)", .same = false },
    { "symmetry(%s)", .same = true, .keeps = true },
    { "bound(runs=5, bound(40, %s))", .keeps = true },
    { "bound(40, portfolio(symmetry(%s)))", .same = true },
    { "passes(%s)", .same = true, .keeps = true },
    { "preempt(1000, only, %s)", .same = true, .keeps = true },
    { "grow(step=40, factor=1000, %s)", .same = true },
    { replay_text, .same = true, .keeps = true },
};
enum { DECORATORS = sizeof decorators / sizeof *decorators };

static bool go_together(const struct around *a, const char *explorer)
{
    if (strstr(a->text, "preempt") && strcmp(explorer, "delay") == 0)
        return false;
    return (!strstr(a->text, "symmetry") && !strstr(a->text, "preempt")) ||
           (!rh__explorer_is_reduction(explorer) && !rh__explorer_needs_object_granularity(explorer));
}

static bool opens_without_arguments(const struct rh_explorer *e)
{
    for (const struct rh_argument *a = e->arguments; a && a->name; a++)
        if (a->required)
            return false;
    return true;
}

static void demand(const struct check *c, const struct subject *s)
{
    const char *wrong = c->wrong(s);
    char text[512];
    conform_expression(s, "%s", text, sizeof text);
    if (wrong)
        fail_msg("%s: %s: %s", text, c->name, wrong);
}

static void every_explorer_conforms(void **unused)
{
    (void)unused;
    uint32_t checked = 0;
    bool users = false;
    for (const struct rh_explorer_entry *e = rh_explorer_first(); e; e = e->next) {
        if (conform_is_defect(e->explorer) || !opens_without_arguments(e->explorer))
            continue; /* decorators are around them */
        users |= e->explorer == &starve;
        for (size_t d = 0; d < DECORATORS; d += MANY_OR_FEW(1, 3)) {
            struct subject s = { &decorators[d], e->explorer->name };
            for (size_t i = 0; i < sizeof checks / sizeof *checks && go_together(s.around, s.explorer); i++) {
                demand(&checks[i], &s);
                checked++;
            }
        }
    }
    print_message("%u checks\n", checked);
    assert_true(users);
    assert_in_range(checked, MANY_OR_FEW(400, 200), 10000);
}

/* Explorers that are another one with an argument. */
static void modes_of_explorers_conform(void **unused)
{
    (void)unused;
    static const char *const modes[] = { "pctcp(3, racing)" };
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
            demand(&checks[i], &(struct subject){ &decorators[0], modes[m] });
}

static void every_decorator_conforms(void **unused)
{
    (void)unused;
    for (size_t d = 0; d < DECORATORS; d++)
        for (size_t i = 0; i < sizeof decorator_checks / sizeof *decorator_checks; i++)
            demand(&decorator_checks[i], &(struct subject){ &decorators[d], "" });
}

/* Every planted defect, alone and inside of two decorators that pass all on. */
static void planted_defects_are_caught(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *explorer;
        const char *(*wrong)(const struct subject *s);
    } planted[] = {
        { "%s", "moody", same_seed_same_runs },
        { "%s", "boaster", verdict_holds },
        { "stopper(%s)", "dfs", verdict_holds },
        { "stopper(%s)", "dfs", limits_hold },
        { "%s", "greedy", starts_without_work },
        { "%s", "greedy", packed_work_is_gone },
        { "loser(%s)", "dfs", moved_work_gives_the_same_runs },
        { "%s", "amnesiac", a_crash_is_a_run },
        { "deaf(%s)", "dfs", a_crash_is_a_run },
        { "mixed(%s)", "dfs", a_crash_is_a_run },
        { "shy(%s)", "dfs", calls_come_in_order },
        { "grabby(%s)", "dfs", calls_come_in_order },
        { "mixed(%s)", "dfs", calls_come_in_order },
        { "clumsy(%s)", "", abandoned_runs_do_not_count },
        { "stubborn(%s)", "", abandoned_runs_do_not_count },
        { "silent(%s)", "", answers_come_through },
        { "denier(%s)", "", answers_come_through },
    };
    static const char *const outside[] = { "", "bound(40, ", "passes(" };
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++)
        for (size_t d = 0; d < sizeof outside / sizeof *outside; d++) {
            char text[128];
            snprintf(text, sizeof text, "%s%s%s", outside[d], planted[i].text, *outside[d] ? ")" : "");
            struct around a = { text, .same = true, .keeps = true };
            const char *wrong = planted[i].wrong(&(struct subject){ &a, planted[i].explorer });
            if (!wrong)
                fail_msg("%s, %s: defect %zu was not caught", text, planted[i].explorer, i);
            if (!d)
                print_message("%s %s: %s\n", text, planted[i].explorer, wrong);
        }
}

int main(void)
{
    int fd = mkstemp(file);
    if (fd < 0 || write(fd, "rehearse schedule 1\n", 20) != 20)
        return 1;
    close(fd);
    snprintf(replay_text, sizeof replay_text, "replay(%s, %%s)", file);
    conform_outside = rh_shared_new(sizeof *conform_outside);
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(every_explorer_conforms),
        EXPLORE_TEST(modes_of_explorers_conform),
        EXPLORE_TEST(every_decorator_conforms),
        EXPLORE_TEST(planted_defects_are_caught),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return failed;
}
