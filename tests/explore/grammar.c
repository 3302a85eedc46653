/* Expressions of explorers: what the forms mean, what is refused and where, and that print and parse are inverse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "explore/explorers.h"
#include "explore/tree.h"

/* An explorer with every kind of argument, some of them alike. */
static const struct rh_argument everything_arguments[] = {
    { .name = "count", .kind = RH_ARGUMENT_NUMBER, .least = 2, .most = 1000 },
    { .name = "other", .kind = RH_ARGUMENT_NUMBER },
    { .name = "rate", .kind = RH_ARGUMENT_REAL, .named = true },
    { .name = "mode", .kind = RH_ARGUMENT_WORD, .words = "slow|fast" },
    { .name = "title", .kind = RH_ARGUMENT_WORD, .named = true },
    { .name = "loud", .kind = RH_ARGUMENT_FLAG },
    { .name = "from", .kind = RH_ARGUMENT_FILE, .named = true },
    { .name = "first", .kind = RH_ARGUMENT_EXPLORER },
    { .name = "rest", .kind = RH_ARGUMENT_EXPLORER, .many = true },
    { .name = NULL },
};
static const struct rh_explorer everything = { .name = "everything", .arguments = everything_arguments };
RH_EXPLORER(everything)

static bool is_file(const char *path)
{
    return strcmp(path, "a,b.schedule") == 0 || strcmp(path, "dfs") == 0 || strcmp(path, "odd(name") == 0;
}

static void means(const char *text, const char *canonical)
{
    struct rh__tree tree, again;
    char error[1024] = "", printed[1024];
    if (!rh__tree_parse_with(&tree, text, is_file, error, sizeof error))
        fail_msg("%s: %s", text, error);
    assert_true(rh__tree_print(&tree, printed, sizeof printed));
    assert_string_equal(printed, canonical);
    assert_true(rh__tree_parse_with(&again, printed, is_file, error, sizeof error));
    assert_true(rh__tree_equal(&tree, &again));
}

static void parentheses(void **unused)
{
    (void)unused;
    means("dfs", "dfs");
    means("dfs()", "dfs");
    means(" bound( 20 ,\tsymmetry( dfs ) ) ", "bound(20, symmetry(dfs))");
    means("bound(depth=20, runs=1000, random)", "bound(20, runs=1000, random)");
    means("bound(random, runs=1000)", "bound(runs=1000, random)");
    means("bound(explorer=random, steps=9)", "bound(steps=9, random)");
    means("portfolio(random, dfs)", "portfolio(random, dfs)");
    means("replay(x.schedule, dfs)", "replay(x.schedule, dfs)");
    means("replay(\"a, (b) \\\"c\\\" \\\\.schedule\", dfs)", "replay(\"a, (b) \\\"c\\\" \\\\.schedule\", dfs)");
    means("replay(file=\"a=b\")", "replay(\"a=b\")");
    means("replay(dir/a=b)", "replay(\"dir/a=b\")");
    means("cover(pr)", "cover(pr)");
    means("cover(paper)", "cover(paper)");
    means("cover(paper, all)", "cover(all, paper)");
    means("delayed(100)", "delayed(100)");
    means("delayed(ms=0.5)", "delayed(0.5)");
    means("everything(first=dfs)", "everything(dfs)");
    means("everything(rest=dfs)", "everything(rest=dfs)");
    means("everything(other=3)", "everything(other=3)");
    means("everything(dfs, random, dfs, 5)", "everything(5, dfs, random, dfs)");
    means("everything(title=\"\", loud)", "everything(title=\"\", loud)");
    means("bound(20, delayed:5)", "bound(20, delayed(5))"); /* one argument: no comma can be meant */
}

/* The short form means what it has always meant. */
static void short_form(void **unused)
{
    (void)unused;
    means("bound:20,dfs", "bound(20, dfs)");
    means("bound:depth=20;runs=1000,random", "bound(20, runs=1000, random)");
    means("bound:runs=20;steps=3,portfolio:dfs+optimal", "bound(runs=20, steps=3, portfolio(dfs, optimal))");
    means("portfolio:random+dfs", "portfolio(random, dfs)");
    means("portfolio:dfs+", "portfolio(dfs)");
    means("portfolio:random+bound:20,dfs", "portfolio(random, bound(20, dfs))");
    means("portfolio:bound(20,dfs)+random", "portfolio(bound(20, dfs), random)");
    means("portfolio:replay(\"a+b\", dfs)+random", "portfolio(replay(a+b, dfs), random)");
    means("portfolio:portfolio:dfs+random", "portfolio(portfolio(dfs), random)");
    means("bound:40,bound:30,portfolio:roundrobin+dfs", "bound(40, bound(30, portfolio(roundrobin, dfs)))");
    means("replay:x", "replay(x)");
    means("replay:x,dfs", "replay(x, dfs)");
    means("replay:a,b.schedule,dfs", "replay(\"a,b.schedule\", dfs)");
    means("replay:a,b.schedule", "replay(\"a,b.schedule\")");
    means("replay:dfs", "replay(dfs)");
    means("replay:odd(name,dfs", "replay(\"odd(name\", dfs)");
    means("replay:a:optimal,random", "replay(a:optimal, random)");
    means("symmetry:bound:3,dfs", "symmetry(bound(3, dfs))");
    means("cover:pr,paper", "cover(pr, paper)");
    means("cover:", "cover");
    means("delayed:", "delayed");
    means("optimal:private-globals", "optimal(private-globals)");
    means("dpor:space", "dpor(space)");
}

static void refused(const char *text, const char *with)
{
    struct rh__tree tree;
    char error[1024] = "";
    if (rh__tree_parse_with(&tree, text, is_file, error, sizeof error))
        fail_msg("%s was accepted", text);
    if (strncmp(error, with, strlen(with)) != 0)
        fail_msg("%s\n  says     %s\n  expected %s", text, error, with);
}

static void refusals_name_the_column(void **unused)
{
    (void)unused;
    refused("", "column 1 of the explorer: an explorer is wanted; there are ");
    refused("dsf", "column 1 of the explorer: no explorer is called \"dsf\" (did you mean dfs?); there are ");
    refused("bound(20, dsf)", "column 11 of the explorer: no explorer is called \"dsf\"");
    refused("bound(20, dfs", "column 6 of the explorer: this parenthesis is not closed");
    refused("bound(20, dfs)x", "column 15 of the explorer: \"x\" follows the closing parenthesis");
    refused("bound(20, dfs))", "column 15 of the explorer: \")\" follows");
    refused("bound(20)", "column 1 of the explorer: bound wants an explorer; it is written "
                         "bound([DEPTH], [runs=N], [steps=N], EXPLORER)");
    refused("bound(0, dfs)", "column 7 of the explorer: depth is a whole number of at least 1, not \"0\"");
    refused("preempt(99999999, dfs)", "column 9 of the explorer: bound is a whole number from 0 to 1048576, not");
    refused("bound(2x, dfs)", "column 7 of the explorer: depth is a whole number");
    refused("bound(0x20, dfs)", "column 7 of the explorer: depth is a whole number");
    refused("bound(99999999999999999999, dfs)", "column 7 of the explorer: depth is a whole number");
    refused("bound(1, 2, dfs)", "column 10 of the explorer: no explorer is called \"2\"");
    refused("bound(1, depth=2, dfs)", "column 16 of the explorer: bound has its depth already");
    refused("bound(1,, dfs)", "column 9 of the explorer: an argument is missing");
    refused("bound(high=1, dfs)", "column 7 of the explorer: bound has no argument called high");
    refused("bound(1, dfs, random)", "column 15 of the explorer: bound cannot take \"random\"");
    refused("dfs(1)", "column 5 of the explorer: dfs takes no argument");
    refused("dfs:1", "column 5 of the explorer: dfs takes no argument");
    refused("delayed(0)", "column 9 of the explorer: ms is a number from 1e-09 to 1e+12, not \"0\"");
    refused("delayed:inf", "column 9 of the explorer: delayed cannot take \"inf\"");
    refused("delayed(\"5\")", "column 10 of the explorer: delayed cannot take \"5\"");
    refused("cover(pqr)", "column 7 of the explorer: cover cannot take \"pqr\"; it is written cover([pr|pmr|pcr|all], "
                          "[paper])");
    refused("cover:pr,", "column 10 of the explorer: an argument is missing");
    refused("portfolio", "column 1 of the explorer: portfolio wants an explorer");
    refused("portfolio:dfs++dfs", "column 15 of the explorer: an explorer is wanted");
    refused("portfolio(dfs,dfs,dfs,dfs,dfs,dfs,dfs,dfs,dfs)", "column 1 of the explorer: portfolio: at most 8");
    refused("portfolio(bound:20,dfs)",
            "column 17 of the explorer: inside of parentheses bound needs its own: bound(20)");
    refused("replay", "column 1 of the explorer: replay wants a file");
    refused("replay(\"a)", "column 7 of the explorer: this parenthesis is not closed");
    refused("replay(\"a\"b)", "column 8 of the explorer: something follows the closing quote");
    refused("replay(a=b)",
            "column 8 of the explorer: replay has no argument called a; a text with = in it needs quotes");
    refused("cover(paper, paper)", "column 14 of the explorer: cover cannot take \"paper\"");
    refused("everything(1)", "column 12 of the explorer: count is a whole number from 2 to 1000");
}

static void size_is_limited(void **unused)
{
    (void)unused;
    static char text[3 * RH__TREE_LONGEST];
    char error[256];
    struct rh__tree tree;
    for (int form = 0; form < 2; form++) {
        text[0] = 0;
        for (uint32_t i = 0; i < RH__TREE_DEPTH; i++)
            strcat(text, form ? "symmetry(" : "symmetry:");
        strcat(text, "dfs");
        for (uint32_t i = 0; form && i < RH__TREE_DEPTH; i++)
            strcat(text, ")");
        assert_false(rh__tree_parse(&tree, text, error, sizeof error));
        assert_non_null(strstr(error, "nested"));
        char *shorter = strchr(text, form ? '(' : ':') + 1;
        text[strlen(text) - (form ? 1 : 0)] = 0;
        assert_true(rh__tree_parse(&tree, shorter, error, sizeof error));
        assert_int_equal(tree.node_count, RH__TREE_DEPTH);
    }
    strcpy(text, "portfolio(");
    for (uint32_t i = 0; i < 7; i++)
        strcat(text, "portfolio(dfs,dfs,dfs,dfs,dfs,dfs,dfs,dfs),");
    strcat(text, "dfs)");
    assert_false(rh__tree_parse(&tree, text, error, sizeof error)); /* 65 explorers */
    assert_non_null(strstr(error, "more than"));
    memset(text, ' ', sizeof text - 1);
    text[0] = 'd';
    text[sizeof text - 2] = 'x';
    assert_false(rh__tree_parse(&tree, text, error, sizeof error));
    assert_non_null(strstr(error, "longer than"));
}

/* ---- print and parse are inverse --------------------------------------------------------------------------------- */

static void make_text(uint64_t *random, struct rh__text *t)
{
    static const char letters[] = "ab1=,()\"\\ :;+|./";
    rh__text_add(t, "\"");
    for (uint32_t n = 1 + rh__random_below(random, 6); n; n--) {
        char c = letters[rh__random_below(random, sizeof letters - 1)];
        rh__text_add(t, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
    }
    rh__text_add(t, "\"");
}

/* A text of an expression in parentheses, every argument by name or, where it must do, without. */
static void make_expression(uint64_t *random, struct rh__text *t, uint32_t depth)
{
    static const char *const leaves[] = { "dfs", "random", "optimal", "delayed(3)" };
    uint32_t what = depth < 4 ? rh__random_below(random, 5) : 4;
    if (what == 4) {
        rh__text_add(t, "%s", leaves[rh__random_below(random, 4)]);
        return;
    }
    if (what == 3) {
        rh__text_add(t, "portfolio(");
        for (uint32_t n = 1 + rh__random_below(random, 3); n; n--) {
            make_expression(random, t, depth + 1);
            rh__text_add(t, n > 1 ? "," : ")");
        }
        return;
    }
    rh__text_add(t, "everything(");
    const char *comma = "";
    for (uint32_t row = 0; everything_arguments[row].name; row++) {
        const struct rh_argument *r = &everything_arguments[row];
        if (rh__random_below(random, 2))
            continue;
        rh__text_add(t, "%s", comma);
        if (r->kind != RH_ARGUMENT_FLAG)
            rh__text_add(t, "%s=", r->name);
        comma = ", ";
        switch (r->kind) {
        case RH_ARGUMENT_NUMBER:
            rh__text_add(t, "%u", 2 + rh__random_below(random, 999));
            break;
        case RH_ARGUMENT_REAL:
            rh__text_add(t, "%.17g", (double)rh__random_below(random, 1000) / 7);
            break;
        case RH_ARGUMENT_WORD:
            if (r->words)
                rh__text_add(t, "%s", rh__random_below(random, 2) ? "slow" : "fast");
            else
                make_text(random, t);
            break;
        case RH_ARGUMENT_FILE:
            make_text(random, t);
            break;
        case RH_ARGUMENT_FLAG:
            rh__text_add(t, "%s", r->name);
            break;
        case RH_ARGUMENT_EXPLORER:
            make_expression(random, t, depth + 1);
            break;
        }
    }
    rh__text_add(t, ")");
}

static void print_and_parse_are_inverse(void **unused)
{
    (void)unused;
    uint64_t random = 1;
    uint32_t made = 0;
    for (uint32_t i = 0; i < 5000; i++) {
        char text[4096], printed[4096], again[4096], error[1024];
        struct rh__text t;
        struct rh__tree one, two;
        rh__text_init(&t, text, sizeof text);
        make_expression(&random, &t, 0);
        if (t.cut || !rh__tree_parse(&one, text, error, sizeof error)) {
            if (!t.cut && !strstr(error, "more than"))
                fail_msg("%s: %s", text, error);
            continue;
        }
        made++;
        assert_true(rh__tree_print(&one, printed, sizeof printed));
        if (!rh__tree_parse(&two, printed, error, sizeof error) || !rh__tree_equal(&one, &two))
            fail_msg("%s\n  prints as %s\n  which is another: %s", text, printed, error);
        assert_true(rh__tree_print(&two, again, sizeof again));
        assert_string_equal(printed, again);
    }
    assert_true(made > 4000);
}

/* Whatever the text is: a tree that prints and parses again, or a sentence. */
static void any_text_is_a_tree_or_a_sentence(void **unused)
{
    (void)unused;
    static const char *const pieces[] = { "dfs",        "bound",   "portfolio", "replay", "cover",    "pr",
                                          "everything", "delayed", "(",         ")",      ",",        ":",
                                          "+",          ";",       "=",         "\"",     "20",       "0.5",
                                          " ",          "\\",      "rest",      "loud",   "symmetry", "a" };
    uint64_t random = 2;
    uint32_t trees = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        char text[512] = "", printed[2048], error[1024] = "";
        struct rh__tree one, two;
        for (uint32_t n = 1 + rh__random_below(&random, 12); n; n--)
            strcat(text, pieces[rh__random_below(&random, sizeof pieces / sizeof *pieces)]);
        if (!rh__tree_parse_with(&one, text, is_file, error, sizeof error)) {
            assert_true(strncmp(error, "column ", 7) == 0);
            continue;
        }
        trees++;
        assert_true(rh__tree_print(&one, printed, sizeof printed));
        if (!rh__tree_parse_with(&two, printed, is_file, error, sizeof error) || !rh__tree_equal(&one, &two))
            fail_msg("%s prints as %s: %s", text, printed, error);
    }
    assert_true(trees > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parentheses),
        cmocka_unit_test(short_form),
        cmocka_unit_test(refusals_name_the_column),
        cmocka_unit_test(size_is_limited),
        cmocka_unit_test(print_and_parse_are_inverse),
        cmocka_unit_test(any_text_is_a_tree_or_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
