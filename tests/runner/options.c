/* Options are rows (runner/option_rows.h): every row is complete, and does what it says when it is given.  A setting, a
 * reporter and an option of a command need nothing but their row. */
#include <rehearse/test.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/option_print.h"
#include "runner/option_rows.h"
#include "runner/options.h"
#include "trace/schedule.h"

RH_TEST(nothing_happens)
{
}

static struct rh__options o;
static char error[1024];

static bool parse(uint32_t command, const char *a, const char *b)
{
    char *argv[] = { (char *)a, (char *)b };
    error[0] = 0;
    return rh__options_parse(&o, command, b ? 2 : 1, argv, error, sizeof error);
}

static const char *dashed(const struct rh__option *option)
{
    static char name[64];
    snprintf(name, sizeof name, "%s%s", rh__option_dashes(option), option->name);
    return name;
}

/* The option that can be given several times, for a setting that is a list. */
static bool is_budgets(const char *name)
{
    return strcmp(name, "timer-budget") == 0;
}

/* A value that the row accepts. */
static const char *value_for(const struct rh__option_row *row)
{
    if (row->option.complete == RH__COMPLETE_CHOICES)
        return row->option.choices[0];
    return row->kind == RH__OPTION_SET         ? "losses=3"
           : row->kind == RH__OPTION_WEIGHT    ? "timer=3"
           : row->kind == RH__OPTION_PARAMETER ? "name=value"
           : is_budgets(row->option.name)      ? "tick=3"
                                               : "3";
}

static void every_row_is_complete(void **state)
{
    (void)state;
    struct rh__option_walk walk = { 0 }, other;
    struct rh__option_row row, again;
    size_t group = 0, count = 0;
    for (; rh__option_next(&walk, &row); count++) {
        const struct rh__option *option = &row.option;
        assert_true(option->name && *option->name);
        assert_true(option->help && *option->help && strchr(option->help, '\n') == NULL);
        assert_int_not_equal(option->help[strlen(option->help) - 1], '.');
        assert_true(option->group >= group); /* so that help has each group once */
        group = option->group;
        assert_int_equal(option->complete == RH__COMPLETE_CHOICES, option->choices != NULL);
        assert_true(row.commands != 0);
        unsigned same = 0;
        for (other = (struct rh__option_walk){ 0 }; rh__option_next(&other, &again);)
            same += strcmp(again.option.name, option->name) == 0;
        assert_int_equal(same, 1);
    }
    assert_true(count >= 38);
}

static void a_row_decides_which_commands_take_the_option(void **state)
{
    (void)state;
    struct rh__option_walk walk = { 0 };
    struct rh__option_row row;
    while (rh__option_next(&walk, &row))
        for (const struct rh__command_row *c = rh__command_rows; c->name; c++) {
            bool needs_more = strcmp(row.option.name, "resume") == 0 || /* --checkpoint */
                              row.kind == RH__OPTION_WEIGHT;            /* an explorer that has weights */
            bool good = parse(c->bit, dashed(&row.option), row.option.argument ? value_for(&row) : NULL);
            if (!(row.commands & c->bit)) {
                assert_false(good);
                assert_non_null(strstr(error, " is for `"));
            } else if (!good && !needs_more) {
                fail_msg("%s %s: %s", c->name, dashed(&row.option), error);
            }
        }
}

static bool parse_weights(const char *explorer, const char *one, const char *two)
{
    static char name[] = "--explorer", weight[] = "--weight";
    char *argv[] = { name, (char *)explorer, weight, (char *)one, weight, (char *)two };
    error[0] = 0;
    return rh__options_parse(&o, RH__FOR_TEST, two ? 6 : 4, argv, error, sizeof error);
}

static void weights_become_arguments_of_the_explorer(void **state)
{
    (void)state;
    assert_true(parse_weights("swarm", "timer=5", "fault=0.1"));
    assert_string_equal(o.explorer, "swarm(timer=5, fault=0.1)");
    assert_true(parse_weights("weighted(heal=2)", "timer=5", NULL));
    assert_string_equal(o.explorer, "weighted(heal=2, timer=5)");
    assert_true(parse_weights("phases()", "timer=5", NULL));
    assert_string_equal(o.explorer, "phases(timer=5)");
    static const char *const without[] = { "auto", "random", "dfs", "bound(9, swarm)", "swarm+random", "nobody" };
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        assert_false(parse_weights(without[i], "timer=5", NULL));
        assert_non_null(strstr(error, "has no weights"));
    }
    assert_false(parse_weights("swarm", "tea=5", NULL));
    assert_non_null(strstr(error, "no such class"));
    static const char *const bad[] = { "timer", "=5", "timer=(5", "timer=5, fault=1" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(parse_weights("swarm", bad[i], NULL));
        assert_non_null(strstr(error, "CLASS=W is wanted"));
    }
}

static void a_choice_is_accepted_and_another_word_is_not(void **state)
{
    (void)state;
    struct rh__option_walk walk = { 0 };
    struct rh__option_row row;
    unsigned choices = 0;
    while (rh__option_next(&walk, &row)) {
        for (size_t i = 0; row.option.choices && row.option.choices[i]; i++, choices++)
            if (!parse(RH__FOR_TEST, dashed(&row.option), row.option.choices[i]))
                fail_msg("%s %s: %s", dashed(&row.option), row.option.choices[i], error);
        if (row.option.also)
            assert_true(parse(RH__FOR_TEST, dashed(&row.option), row.option.also));
        if (row.option.choices) {
            assert_false(parse(RH__FOR_TEST, dashed(&row.option), "nonsense"));
            assert_non_null(strstr(error, "nonsense"));
        }
    }
    assert_true(choices >= 15);
}

/* The option of a setting sets the field of that name, by whatever way it is spelled. */
static void a_setting_is_an_option_by_its_row(void **state)
{
    (void)state;
    const char *field;
    unsigned faults = 0;
    for (size_t i = 0; rh__semantics_option(i, &field); i++) {
        const struct rh__option *option = rh__semantics_option(i, &field);
        if (!option->name)
            continue;
        assert_int_equal(strlen(option->name) + is_budgets(option->name), strlen(field));
        for (size_t k = 0; option->name[k]; k++)
            assert_int_equal(option->name[k], field[k] == '_' ? '-' : field[k]);
        const char *value = option->choices ? option->choices[1] : is_budgets(option->name) ? "tick=7" : "7";
        struct rh_semantics by_option, by_set;
        char set[64];
        snprintf(set, sizeof set, "%s=%s", field, value);
        assert_true(parse(RH__FOR_TEST, dashed(option), value));
        assert_true(rh__options_semantics(&o, rh_test_first(), &by_option, NULL, error, sizeof error));
        assert_true(parse(RH__FOR_TEST, "--set", set));
        assert_true(rh__options_semantics(&o, rh_test_first(), &by_set, NULL, error, sizeof error));
        assert_memory_equal(&by_option, &by_set, sizeof by_set);
        assert_memory_not_equal(&by_option, &rh_test_first()->semantics, sizeof by_option);
        faults += !option->choices;
    }
    assert_true(faults >= 10);
}

static void a_reporter_is_an_option_by_its_row(void **state)
{
    (void)state;
    for (size_t i = 0; rh__reporters[i]; i++) {
        const struct rh__option *option = &rh__reporters[i]->option;
        if (!option->name)
            continue;
        assert_true(parse(RH__FOR_TEST, dashed(option), option->argument ? "there" : NULL));
        for (size_t k = 0; rh__reporters[k]; k++)
            if (k == i)
                assert_string_equal(o.reports[k], option->argument ? "there" : "");
            else
                assert_null(o.reports[k]);
        assert_int_equal(parse(RH__FOR_ESTIMATE, dashed(option), option->argument ? "there" : NULL),
                         rh__reporters[i]->estimate != NULL);
    }
}

/* ---- what is printed --------------------------------------------------------------------------------------------- */

static char *filled(const char *template_text)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    bool good = rh__options_fill(f, template_text, error, sizeof error);
    assert_int_equal(fclose(f), 0);
    if (!good)
        fail_msg("%s", error);
    return text;
}

static void every_list_has_every_option(void **state)
{
    (void)state;
    struct rh__option_walk walk = { 0 };
    struct rh__option_row row;
    char *bash = filled("@bash options@\n"), *zsh = filled("  @zsh options@\n"), *values = filled("@bash values@\n"),
         *man = filled("@man runs@\n@man semantics@\n@man reports@\n@man replay@\n"), want[96];
    while (rh__option_next(&walk, &row)) {
        const char *name = dashed(&row.option);
        assert_non_null(strstr(bash, name));
        snprintf(want, sizeof want, "%s[", name);
        assert_non_null(strstr(zsh, want));
        snprintf(want, sizeof want, "%s) ", name);
        assert_int_equal(strstr(values, want) != NULL, row.option.argument != NULL);
        snprintf(want, sizeof want, "\n.It Fl %s", name + 1);
        assert_true(strstr(man, want) || strncmp(man, want + 1, strlen(want + 1)) == 0);
    }
    free(bash);
    free(zsh);
    free(values);
    free(man);
}

static void a_template_is_copied_but_for_its_lists(void **state)
{
    (void)state;
    char *text = filled("one @man runs@\n  @bash commands@\nno end");
    assert_string_equal(text, "one @man runs@\n  test estimate list replay show minimise step corpus agent\nno end\n");
    free(text);
    char buffer[256];
    FILE *f = fmemopen(buffer, sizeof buffer, "w");
    assert_false(rh__options_fill(f, "one\ntwo\n@three@\n", error, sizeof error));
    assert_string_equal(error, "line 3: there is no list @three@");
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(a_row_decides_which_commands_take_the_option),
        cmocka_unit_test(weights_become_arguments_of_the_explorer),
        cmocka_unit_test(a_choice_is_accepted_and_another_word_is_not),
        cmocka_unit_test(a_setting_is_an_option_by_its_row),
        cmocka_unit_test(a_reporter_is_an_option_by_its_row),
        cmocka_unit_test(every_list_has_every_option),
        cmocka_unit_test(a_template_is_copied_but_for_its_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
