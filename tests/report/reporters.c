/* What every reporter keeps to (report/reporter.h): each row of the list is opened, gets no, one and many results, is
 * closed or dropped, and says when a report could not be written.  A row of a test's own needs nothing but the row. */
#include <rehearse/test.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "explore/engine/measure.h"
#include "report/reporter.h"
#include "runner/session.h"
#include "trace/schedule.h"

RH_MESSAGE(first);
RH_MESSAGE(second);
RH_ACTOR(box, int seen;);
RH_HANDLER(box, first)
{
    state->seen++;
}
RH_HANDLER(box, second)
{
    rh_assert(state->seen == 1);
}
RH_BEHAVIOUR(box, waiting, first, second);

RH_TEST(two_in_any_order, .model = RH_BAG)
{
    rh_ref b = rh_spawn(box);
    rh_send(b, first);
    rh_send(b, second);
}

/* ---- a result ---------------------------------------------------------------------------------------------------- */

static struct rh__session session;
static struct rh__result result;

static int make_result(void **state)
{
    char folder[] = "/tmp/rehearse-reporters-XXXXXX";
    struct rh__plan plan = { .program = "program",
                             .test = rh_test_first(),
                             .explorer = "dfs",
                             .limits = { .keep_going = true },
                             .quiet = true,
                             .mute = true };
    plan.semantics = plan.asked = plan.test->semantics;
    assert_int_equal(rh__session_open(&session, &plan), RH__EXIT_OK);
    assert_true(rh__measure(session.x, 1));
    assert_int_equal(rh__session_run(&session), RH__EXIT_OK);
    rh__session_result(&session, &result);
    assert_true(result.failed);
    assert_int_equal(session.x->results->count.runs, 2);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    *state = strdup(folder);
    return 0;
}

static int remove_result(void **state)
{
    rh__session_close(&session);
    assert_int_equal(chdir("/"), 0);
    int code = rmdir(*state); /* every test has removed its files: fails otherwise */
    free(*state);
    return code;
}

/* ---- one reporter ------------------------------------------------------------------------------------------------ */

static char complaint[RH__PATH_BYTES + 256];
static void note(const char *sentence)
{
    snprintf(complaint, sizeof complaint, "%s", sentence);
}

static char collected[1 << 16];
static struct rh__text text;

static bool open_report(struct rh__reports *reports, const struct rh__reporter *reporter, const char *path)
{
    const struct rh__reporter *const list[] = { reporter, NULL };
    const char *const values[] = { reporter->option.argument ? path : "" };
    const struct rh__report_setup setup = { .program = "program", .text = &text };
    rh__text_init(&text, collected, sizeof collected);
    complaint[0] = 0;
    const char *const none[] = { NULL };
    return rh__reports_open(reports, list, reporter->option.name ? values : none, &setup, complaint, sizeof complaint);
}

/* Standard output goes to a file, and back. */
static int stdout_to(const char *path)
{
    fflush(stdout);
    int before = dup(STDOUT_FILENO), there = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(before >= 0 && there >= 0);
    dup2(there, STDOUT_FILENO);
    close(there);
    return before;
}
static void stdout_back(int before)
{
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
}

static long size_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (long)s.st_size : -1;
}

enum how { CLOSED, DROPPED };

/* How many bytes a report of so many results has; -1: there is no file. */
static long report_size(const struct rh__reporter *reporter, unsigned results, enum how how)
{
    struct rh__reports reports;
    struct rh__report_end end = { .tests = results };
    int before = stdout_to("out");
    bool opened = open_report(&reports, reporter, "file"), whole = true;
    for (unsigned i = 0; opened && i < results; i++)
        rh__reports_result(&reports, &result);
    if (opened && how == CLOSED)
        whole = rh__reports_close(&reports, &end, note);
    else if (opened)
        rh__reports_drop(&reports);
    stdout_back(before);
    if (!opened || !whole)
        fail_msg("%s: %s", reporter->name, complaint);
    assert_int_equal(reports.count, 0);
    long size = reporter->option.argument ? size_of("file") : reporter->owns_stdout ? size_of("out") : (long)text.len;
    unlink("file");
    unlink("out");
    return size;
}

static void each_reporter(void (*check)(const struct rh__reporter *reporter))
{
    for (size_t i = 0; rh__reporters[i]; i++)
        check(rh__reporters[i]);
    check(&rh__reporter_text);
}

static void check_sizes(const struct rh__reporter *r)
{
    bool file = r->option.argument != NULL;
    long none = report_size(r, 0, CLOSED), one = report_size(r, 1, CLOSED), many = report_size(r, 20, CLOSED);
    long two = report_size(r, 2, CLOSED); /* a page has a fixed part */
    print_message("%s: %ld, %ld, %ld, %ld bytes\n", r->name, none, one, two, many);
    assert_true(file ? none == -1 : none < 10); /* no file; on standard output at most "1..0" */
    assert_true(one > none && one > 0);
    assert_true(r->of_one_test ? many == one : two > one && many - one > 15 * (two - one));
    if (file) {
        assert_int_equal(report_size(r, 0, DROPPED), -1);
        assert_int_equal(report_size(r, 3, DROPPED), -1);
    }
}
static void a_report_grows_with_its_results_and_an_empty_one_is_no_file(void **state)
{
    (void)state;
    each_reporter(check_sizes);
}

static void check_kept(const struct rh__reporter *r)
{
    struct rh__reports reports;
    struct rh__report_end end = { 0 };
    if (!r->option.argument)
        return;
    for (int drop = 0; drop < 2; drop++) {
        FILE *f = fopen("file", "w");
        assert_true(f && fputs("old", f) >= 0 && fclose(f) == 0);
        assert_true(open_report(&reports, r, "file"));
        if (drop)
            rh__reports_drop(&reports);
        else
            assert_true(rh__reports_close(&reports, &end, note));
        assert_int_equal(size_of("file"), 3);
        unlink("file");
    }
}
static void what_was_there_stays_until_there_is_a_report(void **state)
{
    (void)state;
    each_reporter(check_kept);
}

/* ---- estimates, and tests without a result ----------------------------------------------------------------------- */

/* The text of a report that `fill` makes; "" if there is none. */
static char content[1 << 18];
static void make_report(const struct rh__reporter *r, void (*fill)(struct rh__reports *reports),
                        const struct rh__report_end *end)
{
    struct rh__reports reports;
    int before = stdout_to("out");
    bool good = open_report(&reports, r, "file");
    if (good)
        fill(&reports);
    good = good && rh__reports_close(&reports, end, note);
    stdout_back(before);
    assert_true(good);
    FILE *f = fopen(r->option.argument ? "file" : "out", "r");
    size_t n = f ? fread(content, 1, sizeof content - 1, f) : 0;
    content[n] = 0;
    if (f)
        fclose(f);
    unlink("file");
    unlink("out");
}

static void fill_in_estimates(struct rh__reports *reports)
{
    struct rh__size size = { .samples = 10, .estimate = 123456, .low = 100000, .high = 150000 };
    rh__reports_estimate(reports, &result, &size);
    rh__reports_estimate(reports, &result, &size);
}

static void check_estimates(const struct rh__reporter *r)
{
    struct rh__report_end end = { .tests = 2 };
    if (!r->estimate)
        return;
    make_report(r, fill_in_estimates, &end);
    char *first = strstr(content, "two_in_any_order");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "two_in_any_order"));
    assert_true(strstr(content, "123456") || strstr(content, "123,456"));
}
static void an_estimate_is_reported_by_all_that_can(void **state)
{
    (void)state;
    each_reporter(check_estimates);
}

static void fill_in_missing(struct rh__reports *reports)
{
    struct rh__missing begun = { .test = "broken", .model = "bag", .begun = true, .why = "not run" };
    struct rh__missing never = { .test = "forgotten", .model = "bag", .why = "not run: nobody came" };
    rh__reports_result(reports, &result);
    rh__reports_missing(reports, &begun);
    rh__reports_missing(reports, &never);
}

static void check_missing(const struct rh__reporter *r)
{
    struct rh__report_end end = { .tests = 3, .missing = 2, .cut_short = "interrupted" };
    make_report(r, fill_in_missing, &end);
    bool tap = strcmp(r->name, "tap") == 0; /* it ends there, and names only tests that were left out */
    if (r->missing && !tap) {
        assert_non_null(strstr(content, "broken (bag)"));
        assert_non_null(strstr(content, "forgotten (bag)"));
    } else if (r->owns_stdout) {
        assert_non_null(strstr(content, "Bail out! interrupted; 2 of 3 tests not run"));
    }
}
static void a_test_without_a_result_is_not_forgotten(void **state)
{
    (void)state;
    each_reporter(check_missing);
}

/* ---- two at once ------------------------------------------------------------------------------------------------- */

static void check_two(const struct rh__reporter *r)
{
    struct rh__reports a, b;
    struct rh__report_end end = { .tests = 1 };
    if (!r->option.argument)
        return;
    long one = report_size(r, 1, CLOSED), two = report_size(r, 2, CLOSED);
    assert_true(open_report(&a, r, "a"));
    assert_true(open_report(&b, r, "b"));
    rh__reports_result(&a, &result);
    rh__reports_result(&b, &result);
    rh__reports_result(&a, &result);
    assert_true(rh__reports_close(&a, &end, note));
    assert_true(rh__reports_close(&b, &end, note));
    assert_int_equal(size_of("a"), two);
    assert_int_equal(size_of("b"), one);
    unlink("a");
    unlink("b");
}
static void a_reporter_has_no_state_but_its_own(void **state)
{
    (void)state;
    each_reporter(check_two);
}

static void standard_output_is_for_one_of_them(void **state)
{
    (void)state;
    const char *values[RH__MOST_REPORTERS] = { NULL };
    const struct rh__report_setup setup = { .program = "program" };
    struct rh__reports reports;
    size_t json = 0, tap = 0;
    for (size_t i = 0; rh__reporters[i]; i++) {
        json = strcmp(rh__reporters[i]->name, "json") == 0 ? i : json;
        tap = strcmp(rh__reporters[i]->name, "tap") == 0 ? i : tap;
    }
    assert_true(rh__reports_open(&reports, rh__reporters, values, &setup, complaint, sizeof complaint));
    assert_int_equal(reports.count, 1);
    assert_string_equal(reports.open[0].reporter->name, "terminal");
    rh__reports_drop(&reports);
    values[tap] = "";
    assert_true(rh__reports_open(&reports, rh__reporters, values, &setup, complaint, sizeof complaint));
    assert_int_equal(reports.count, 1);
    assert_string_equal(reports.open[0].reporter->name, "tap");
    rh__reports_drop(&reports);
    values[json] = "-";
    assert_false(rh__reports_open(&reports, rh__reporters, values, &setup, complaint, sizeof complaint));
    assert_string_equal(complaint,
                        "standard output can hold one of --json, --junit, --tap and --html: give the others a file");
    values[json] = "file";
    assert_true(rh__reports_open(&reports, rh__reporters, values, &setup, complaint, sizeof complaint));
    assert_int_equal(reports.count, 2);
    rh__reports_drop(&reports);
    assert_int_equal(size_of("file"), -1);
}

/* ---- what cannot be written -------------------------------------------------------------------------------------- */

static void check_full(const struct rh__reporter *r)
{
    struct rh__reports reports;
    struct rh__report_end end = { .tests = 1 };
    if (!r->option.argument || r->option.complete != RH__COMPLETE_STREAM)
        return;
    assert_true(open_report(&reports, r, "/dev/full"));
    rh__reports_result(&reports, &result);
    assert_false(rh__reports_close(&reports, &end, note));
    assert_non_null(strstr(complaint, "/dev/full: not written"));
}

static void check_lost_folder(const struct rh__reporter *r)
{
    struct rh__reports reports;
    struct rh__report_end end = { .tests = 1 };
    if (!r->option.argument)
        return;
    assert_false(open_report(&reports, r, "folder/file"));
    assert_non_null(strstr(complaint, "folder/file"));
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_true(open_report(&reports, r, "folder/file"));
    assert_int_equal(system("rm -rf folder"), 0);
    rh__reports_result(&reports, &result);
    assert_false(rh__reports_close(&reports, &end, note));
    assert_non_null(strstr(complaint, "folder/file"));
}

/* In a process of its own: an error of standard output is never forgotten. */
static void check_stdout(const struct rh__reporter *r)
{
    struct rh__reports reports;
    struct rh__report_end end = { .tests = 1 };
    char error[256];
    int status;
    if (!r->owns_stdout)
        return;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        stdout_to("/dev/full");
        bool good = open_report(&reports, r, "");
        rh__reports_result(&reports, &result);
        rh__reports_close(&reports, &end, note);
        _exit(good && !rh__stdout_flush(error, sizeof error) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
static void a_report_that_is_not_whole_is_an_error(void **state)
{
    (void)state;
    each_reporter(check_lost_folder);
    if (access("/dev/full", W_OK) != 0)
        return;
    each_reporter(check_full);
    each_reporter(check_stdout);
}

/* ---- one of a test's own ----------------------------------------------------------------------------------------- */

static struct rh__text calls;

static bool own_open(void *state, const struct rh__report_setup *setup, char *error, size_t error_size)
{
    (void)error, (void)error_size;
    *(int *)state = 0;
    rh__text_add(&calls, "open %s,", setup->value);
    return true;
}
static void own_result(void *state, const struct rh__result *r)
{
    rh__text_add(&calls, "result %d %s,", ++*(int *)state, r->test);
}
static void own_missing(void *state, const struct rh__missing *m)
{
    (void)state;
    rh__text_add(&calls, "missing %s,", m->test);
}
static bool own_close(void *state, const struct rh__report_end *end, char *error, size_t error_size)
{
    rh__text_add(&calls, "close %d of %u", *(int *)state, end->tests);
    snprintf(error, error_size, "the paper is used up");
    return false;
}
static const struct rh__reporter own = {
    .name = "own",
    .option = { .name = "own", .argument = "FILE", .help = "as the test wants" },
    .state_size = sizeof(int),
    .open = own_open,
    .result = own_result,
    .missing = own_missing,
    .close = own_close,
};

static void a_row_is_all_that_a_reporter_needs(void **state)
{
    (void)state;
    char buffer[256];
    struct rh__reports reports;
    struct rh__report_end end = { .tests = 3, .missing = 1 };
    struct rh__missing missing = { .test = "third", .model = "bag", .why = "nobody knows" };
    rh__text_init(&calls, buffer, sizeof buffer);
    assert_true(open_report(&reports, &own, "there"));
    rh__reports_result(&reports, &result);
    rh__reports_result(&reports, &result);
    rh__reports_missing(&reports, &missing);
    assert_false(rh__reports_close(&reports, &end, note));
    assert_string_equal(complaint, "the paper is used up");
    assert_string_equal(buffer,
                        "open there,result 1 two_in_any_order,result 2 two_in_any_order,missing third,close 2 of 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_grows_with_its_results_and_an_empty_one_is_no_file),
        cmocka_unit_test(what_was_there_stays_until_there_is_a_report),
        cmocka_unit_test(an_estimate_is_reported_by_all_that_can),
        cmocka_unit_test(a_test_without_a_result_is_not_forgotten),
        cmocka_unit_test(a_reporter_has_no_state_but_its_own),
        cmocka_unit_test(standard_output_is_for_one_of_them),
        cmocka_unit_test(a_report_that_is_not_whole_is_an_error),
        cmocka_unit_test(a_row_is_all_that_a_reporter_needs),
    };
    return cmocka_run_group_tests(tests, make_result, remove_result);
}
