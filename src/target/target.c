/* rehearse target BINARY [TEST]: runs that reach given lines, assertions or functions. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/interrupt.h"
#include "base/visible.h"
#include "target/plan_goals.h"
#include "target/solve.h"
#include "target/target_commands.h"
#include "target/target_results.h"
#include "target/target_tests.h"
#include "target/workers.h"

static const char help[] =
    "rehearse target BINARY [TEST] GOALS   find runs of the test that reach these places of the code\n"
    "goals:\n"
    "  --line FILE:LINE     this line; may be given several times\n"
    "  --function NAME      this function; a handler is ACTOR__MESSAGE\n"
    "  --assertions         each rh_assert fails\n"
    "  --null               a null pointer is used, an array is left, a message is sent to nobody; the program must "
    "be\n"
    "                       built with `rehearse-bitcode --null`\n"
    "  --uncovered          every block of the program but its tests; lists those that were not reached\n"
    "  --blocks FILE        of these goals, only blocks whose numbers are in FILE (as JSON has them)\n"
    "options:\n"
    "  --seconds S          processor time for all goals together (10)\n"
    "  --seed N             of the explorers and of drawn values (1)\n"
    "  -j N                 so many processes: solver and search share the goals, samplers get other seeds (1)\n"
    "  --stages LIST        of concrete, solver, search, repair (all): how to look for runs\n"
    "  --search LIST        of h1, h2, feedback, snapshots, or none: what guides the search\n"
    "  --save DIR           for the schedules (rehearse-targets)\n"
    "  --tests FILE         gets an RH_TEST in C for each goal that is reached\n"
    "  --json FILE          as JSON; - is standard output\n"
    "  --html FILE          a page that shows the lines of the source, and what became of each\n"
    "  -p NAME=VALUE, --model, --granularity, --time, --outside, --outside-values, --set   as for `rehearse test`\n"
    "A goal is reached (a schedule is saved, and its replay reaches the goal), unreachable (and why), or not found.\n"
    "exit: 0 all goals are reached or unreachable, 1 some were not found, 2 wrong use, 3 the tool failed\n";

enum { MOST_LINES = 256, SNAPSHOTS = 48 };

struct asked {
    const char *program, *test, *save, *json, *html, *tests, *blocks;
    const char *lines[MOST_LINES], *functions[MOST_LINES];
    uint32_t line_count, function_count;
    bool assertions, uncovered, null;
    uint32_t jobs;
    bool progress, line_of_progress; /* standard error is a terminal; something stands there */
    const struct rh__goals *goals;
    bool concrete_stage, solver_stage, search_stage;
    struct rh__search_options search;
    struct rh__concrete concrete;
    char path[RH__PATH_BYTES]; /* of the program, with a slash */
};

/* ---- words ------------------------------------------------------------------------------------------------------- */

static bool is_passed_on(const char *word)
{
    static const char *const options[] = { "-p",        "--model",          "--granularity", "--time",
                                           "--outside", "--outside-values", "--set" };
    size_t i = 0;
    while (i < sizeof options / sizeof *options && strcmp(options[i], word) != 0)
        i++;
    return i < sizeof options / sizeof *options;
}

static bool read_number(const char *word, const char *value, double least, double *number)
{
    char *end;
    *number = strtod(value, &end);
    if (end != value && !*end && *number >= least && *number < 1e15)
        return true;
    rh__complain("%s wants a number from %g on, not \"%s\"", word, least, value);
    return false;
}

static bool take_list(const char **list, uint32_t *count, const char *word, const char *value)
{
    if (*count == MOST_LINES)
        rh__complain("%s was given more than %d times", word, MOST_LINES);
    else
        list[(*count)++] = value;
    return *count <= MOST_LINES;
}

static const char *const stage_words[] = { "concrete", "solver", "search", "repair", NULL };
static const char *const search_words[] = { "h1", "h2", "feedback", "snapshots", "alone", NULL };

/* A list of these words, or `none`: sets those that are in it. */
static bool take_words(const char *word, const char *value, const char *const *words, bool *const *set)
{
    for (uint32_t i = 0; words[i]; i++)
        *set[i] = false;
    for (const char *at = value; strcmp(value, "none") != 0; at++) {
        size_t n = strcspn(at, ",");
        uint32_t i = 0;
        while (words[i] && (strlen(words[i]) != n || strncmp(words[i], at, n) != 0))
            i++;
        if (!words[i]) {
            rh__complain("%s has no \"%.*s\"", word, (int)n, at);
            return false;
        }
        *set[i] = true;
        at += n;
        if (!*at)
            break;
    }
    return true;
}

/* An option with a value. */
static bool take_value(struct asked *a, const char *word, const char *value)
{
    struct rh__concrete *c = &a->concrete;
    double number = 0;
    if (strcmp(word, "--line") == 0)
        return take_list(a->lines, &a->line_count, word, value);
    if (strcmp(word, "--function") == 0)
        return take_list(a->functions, &a->function_count, word, value);
    if (strcmp(word, "--seconds") == 0)
        return read_number(word, value, 0.01, &c->seconds);
    if (strcmp(word, "--seed") == 0) {
        bool good = read_number(word, value, 0, &number);
        c->seed = (uint64_t)number;
        return good;
    }
    if (strcmp(word, "-j") == 0) {
        bool good = read_number(word, value, 1, &number) && number <= RH__MOST_WORKERS;
        if (number > RH__MOST_WORKERS)
            rh__complain("-j is %d at most", RH__MOST_WORKERS);
        a->jobs = good ? (uint32_t)number : 1;
        return good;
    }
    if (strcmp(word, "--stages") == 0)
        return take_words(word, value, stage_words,
                          (bool *const[]){ &a->concrete_stage, &a->solver_stage, &a->search_stage, &a->search.repair });
    if (strcmp(word, "--search") == 0) {
        bool snapshots = false;
        bool good = take_words(
            word, value, search_words,
            (bool *const[]){ &a->search.h1, &a->search.h2, &a->search.feedback, &snapshots, &a->search.alone });
        a->search.snapshots = snapshots ? SNAPSHOTS : 1;
        return good;
    }
    if (strcmp(word, "--save") == 0) {
        a->save = value;
    } else if (strcmp(word, "--json") == 0) {
        a->json = value;
    } else if (strcmp(word, "--html") == 0) {
        a->html = value;
    } else if (strcmp(word, "--tests") == 0) {
        a->tests = value;
    } else if (strcmp(word, "--blocks") == 0) {
        a->blocks = value;
    } else if (is_passed_on(word) && c->word_count + 2 <= RH__CONCRETE_WORDS) {
        c->words[c->word_count++] = word;
        c->words[c->word_count++] = value;
    } else {
        rh__complain("target has no option %s", word);
        return false;
    }
    return true;
}

static bool read_words(int argc, char **argv, struct asked *a)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--assertions") == 0) {
            a->assertions = true;
        } else if (strcmp(argv[i], "--uncovered") == 0) {
            a->uncovered = true;
        } else if (strcmp(argv[i], "--null") == 0) {
            a->null = true;
        } else if (argv[i][0] == '-' && argv[i][1]) {
            if (i + 1 == argc) {
                rh__complain("%s wants a value, or target has no such option", argv[i]);
                return false;
            }
            if (!take_value(a, argv[i], argv[i + 1]))
                return false;
            i++;
        } else if (!a->program) {
            a->program = argv[i];
        } else if (!a->test) {
            a->test = argv[i];
        } else {
            rh__complain("target takes one test; %s is one too many", argv[i]);
            return false;
        }
    }
    bool has_goals = a->line_count || a->function_count || a->assertions || a->uncovered || a->null;
    if (!a->program)
        rh__complain("target wants a test program first");
    else if (!has_goals)
        rh__complain("target wants a goal: --line FILE:LINE, --function NAME, --assertions, --null or --uncovered");
    return a->program && has_goals;
}

/* ---- goals ------------------------------------------------------------------------------------------------------- */

static bool add_line(struct rh__goals *g, const char *word, char *error, size_t error_size)
{
    char file[RH__PATH_BYTES], *end = NULL;
    const char *colon = strrchr(word, ':');
    unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (!line || *end || colon == word || line > UINT32_MAX || (size_t)(colon - word) >= sizeof file) {
        snprintf(error, error_size, "--line wants FILE:LINE, not \"%s\"", word);
        return false;
    }
    snprintf(file, sizeof file, "%.*s", (int)(colon - word), word);
    return rh__goals_add_line(g, file, (uint32_t)line, error, error_size);
}

static bool make_goals(const struct asked *a, struct rh__goals *g, char *error, size_t error_size)
{
    bool good = true;
    for (uint32_t i = 0; good && i < a->line_count; i++)
        good = add_line(g, a->lines[i], error, error_size);
    for (uint32_t i = 0; good && i < a->function_count; i++)
        good = rh__goals_add_function(g, a->functions[i], error, error_size);
    if (good && a->assertions)
        good = rh__goals_add_assertions(g, error, error_size);
    if (good && a->null)
        good = rh__goals_add_checks(g, error, error_size);
    if (good && a->uncovered) {
        struct rh__flow f;
        rh__flow_make(&f, g->program, RH__NO_INDEX, true);
        good = rh__goals_add_all(g, &f, error, error_size);
        rh__flow_release(&f);
    }
    if (good && a->blocks)
        good = rh__goals_keep(g, a->blocks, error, error_size);
    return good;
}

static bool choose_test(struct asked *a, const struct rh__program *p)
{
    if (!a->test && p->test_count == 1)
        a->test = p->tests[0].name;
    if (a->test && rh__program_test_named(p, a->test) != RH__NO_INDEX)
        return true;
    if (a->test)
        rh__complain("%s has no test %s", a->program, a->test);
    else
        rh__complain("%s has %u tests: name one of them", a->program, p->test_count);
    return false;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* "DIR/bank.c-50.schedule"; goals of the same place get numbers. */
static void name_schedule(const struct asked *a, const struct rh__goals *g, uint32_t goal, char *path, size_t size)
{
    uint32_t same = 1;
    char place[256];
    for (uint32_t i = 0; i < goal; i++)
        same += strcmp(g->at[i].place, g->at[goal].place) == 0;
    snprintf(place, sizeof place, "%s", g->at[goal].place);
    for (char *c = place; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.' && *c != '_')
            *c = '-';
    if (same > 1)
        snprintf(path, size, "%s/%s-%u.schedule", a->save, place, same);
    else
        snprintf(path, size, "%s/%s.schedule", a->save, place);
}

static bool make_folder(const struct asked *a)
{
    if (mkdir(a->save, 0777) == 0 || errno == EEXIST)
        return true;
    rh__complain("%s cannot be made: %s", a->save, strerror(errno));
    return false;
}

/* A goal whose schedule does not lead there again is not reached.  The blocks of --uncovered are only counted. */
static void confirm(struct asked *a, struct rh__goals *g, uint32_t count)
{
    char path[RH__PATH_BYTES], error[1024];
    for (uint32_t i = 0; i < count; i++) {
        struct rh__goal *x = &g->at[i];
        if (x->status == RH__GOAL_REACHED && a->concrete.interrupted) {
            x->status = RH__GOAL_OPEN;
            rh__goals_explain(x, "interrupted before it was replayed");
        }
        if (x->status != RH__GOAL_REACHED)
            continue;
        name_schedule(a, g, i, path, sizeof path);
        if (!make_folder(a))
            return;
        if (rh__concrete_confirm(&a->concrete, x, path, error, sizeof error)) {
            x->saved = strdup(path);
            continue;
        }
        x->status = RH__GOAL_OPEN;
        rh__goals_explain(x, error);
    }
}

/* Schedules of runs that failed on the way. */
static void save_failures(struct asked *a, const struct rh__goals *g)
{
    char path[RH__PATH_BYTES], error[RH__PATH_BYTES + 256];
    for (uint32_t i = 0; i < a->concrete.failure_count; i++) {
        struct rh__failed_run *x = &a->concrete.failures[i];
        if (rh__results_is_goal(g, x) || !make_folder(a))
            continue;
        snprintf(path, sizeof path, "%s/failure-%u.schedule", a->save, i + 1);
        if (rh__file_write(path, x->schedule, strlen(x->schedule), error, sizeof error))
            x->saved = strdup(path);
        else
            rh__complain("%s", error);
    }
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

static void show_progress(struct asked *a, const struct rh__goals *g, const char *what)
{
    if (!a->progress)
        return;
    fprintf(stderr, "\r\033[K%s: %u of %u goals reached, %u unreachable", what, rh__goals_with(g, RH__GOAL_REACHED),
            g->count, rh__goals_with(g, RH__GOAL_UNREACHABLE));
    fflush(stderr);
    a->line_of_progress = true;
}

static void clear_progress(struct asked *a)
{
    if (a->line_of_progress)
        fputs("\r\033[K", stderr);
    a->line_of_progress = false;
}

static void on_exploration(void *arg, const char *what)
{
    struct asked *a = arg;
    show_progress(a, a->goals, what);
}

static void on_work(const struct rh__goals *g, void *arg)
{
    show_progress(arg, g, "solver and search");
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* The stages that use the solver; in a process of their own. */
static void solve_and_search(struct rh__concrete *c, struct rh__goals *g, double seconds, void *arg)
{
    struct asked *a = arg;
    c->doing = NULL;
    bool solves = a->solver_stage && c->is_open;
    if (solves && rh__goals_with(g, RH__GOAL_OPEN))
        rh__solve_goals(c, g, a->search_stage ? seconds * 9 / 14 : seconds);
    if (a->search_stage && rh__goals_with(g, RH__GOAL_OPEN)) {
        a->search.seconds = solves && a->concrete_stage ? seconds * 5 / 14 : seconds;
        rh__search_goals(c, g, &a->search);
    }
}

static uint32_t use_solver(struct asked *a, struct rh__goals *g)
{
    if (!rh__goals_with(g, RH__GOAL_OPEN) || a->concrete.interrupted || !(a->solver_stage || a->search_stage))
        return 0;
    if (!rh__solve_possible()) {
        rh__complain(
            "note: this build has no solver (Debian: libz3-dev): values from outside are only drawn, and nothing is "
            "searched for backwards");
        return 0;
    }
    double share = a->concrete.seconds * (a->concrete_stage ? 14.0 / 20 : 1);
    struct rh__workers w = { .name = "the solver and the search",
                             .count = a->jobs,
                             .seconds = share,
                             .divide = true,
                             .work = solve_and_search,
                             .progress = on_work,
                             .arg = a };
    rh__workers_start(&w, &a->concrete, g);
    rh__workers_finish(&w, &a->concrete, g);
    return w.ended_early;
}

static void sample(struct rh__concrete *c, struct rh__goals *g, double seconds, void *arg)
{
    (void)arg;
    c->doing = NULL;
    c->seconds = seconds;
    rh__concrete_explore_more(c, g);
}

/* Runs of the program; with -j, samplers with other seeds beside them.  Without this stage only what must be known of
 * the test. */
static bool explore(struct asked *a, struct rh__goals *g, char *error, size_t error_size)
{
    struct rh__workers w = { .name = "a sampler",
                             .count = a->jobs - 1,
                             .seconds = a->concrete.seconds * (a->jobs - 1),
                             .work = sample,
                             .arg = a };
    double share = a->concrete.seconds;
    if (!a->concrete_stage) {
        a->concrete.seconds /= 20;
        bool looked = rh__concrete_look(&a->concrete, error, error_size);
        a->concrete.seconds = share;
        return looked;
    }
    if (rh__goals_with(g, RH__GOAL_OPEN))
        rh__workers_start(&w, &a->concrete, g);
    bool good = rh__concrete_explore(&a->concrete, g, error, error_size);
    rh__workers_finish(&w, &a->concrete, g);
    return good;
}

static int report(struct asked *a, struct rh__goals *g, uint32_t listed, uint32_t ended_early)
{
    struct rh__target_results r = { .program = a->program,
                                    .test = a->test,
                                    .goals = g,
                                    .listed = listed,
                                    .concrete = &a->concrete,
                                    .solver = rh__solve_possible(),
                                    .tests = a->tests != NULL,
                                    .jobs = a->jobs,
                                    .ended_early = ended_early };
    clear_progress(a);
    bool written = (!a->json || rh__results_json(&r, a->json)) && (!a->html || rh__results_html(&r, a->html)) &&
                   (!a->tests || rh__tests_write(a->tests, a->test, g));
    if (!a->json || strcmp(a->json, "-") != 0)
        rh__results_print(&r);
    return !written ? RH__TARGET_TOOL : rh__goals_with(g, RH__GOAL_OPEN) ? RH__TARGET_MISSED : RH__TARGET_OK;
}

static int reach_goals(struct asked *a, const struct rh__program *p)
{
    struct rh__goals g = { .program = p };
    struct rh__flow f;
    char error[8192];
    int code = RH__TARGET_USAGE;
    if (!choose_test(a, p))
        return code;
    a->concrete.test = a->test;
    struct rh__interrupts interrupts; /* before there are files that must not be left */
    rh__interrupts_begin(&interrupts, &a->concrete.interrupted);
    if (!make_goals(a, &g, error, sizeof error) || !rh__concrete_open(&a->concrete, p, error, sizeof error)) {
        rh__complain("%s", error);
        rh__interrupts_end(&interrupts);
        rh__goals_release(&g);
        return code;
    }
    rh__flow_make(&f, p, rh__program_test_named(p, a->test), true);
    rh__goals_judge_by_flow(&g, &f);
    g.flow = &f;
    uint32_t listed = g.count;
    for (uint32_t i = 0; a->uncovered && i < g.count; i++)
        if (strncmp(g.at[i].what, "block ", 6) == 0 && i < listed)
            listed = i;
    a->goals = &g;
    a->concrete.doing = on_exploration;
    a->concrete.doing_arg = a;
    if (!explore(a, &g, error, sizeof error)) {
        clear_progress(a);
        rh__complain("%s", error);
    } else {
        uint32_t ended_early = use_solver(a, &g);
        if (a->concrete_stage)
            rh__concrete_explore_more(&a->concrete, &g);
        confirm(a, &g, listed);
        save_failures(a, &g);
        code = report(a, &g, listed, ended_early);
    }
    rh__concrete_release(&a->concrete);
    rh__concrete_close(&a->concrete);
    rh__interrupts_end(&interrupts);
    rh__flow_release(&f);
    rh__goals_release(&g);
    return a->concrete.interrupted ? 128 + a->concrete.interrupted : code;
}

int rh__command_target(int argc, char **argv)
{
    struct asked a = { .save = "rehearse-targets", .jobs = 1, .concrete = { .seconds = 10, .seed = 1 } };
    a.progress = isatty(STDERR_FILENO);
    a.concrete_stage = a.solver_stage = a.search_stage = true;
    a.search =
        (struct rh__search_options){ .snapshots = SNAPSHOTS, .h1 = true, .h2 = true, .feedback = true, .repair = true };
    struct rh__program p;
    if (argc == 1 && strcmp(argv[0], "--help") == 0) {
        fputs(help, stdout);
        return RH__TARGET_OK;
    }
    if (!read_words(argc, argv, &a))
        return RH__TARGET_USAGE;
    if (!rh__command_open(&p, a.program))
        return RH__TARGET_USAGE;
    snprintf(a.path, sizeof a.path, "%s%s", strchr(a.program, '/') ? "" : "./", a.program);
    a.concrete.program = a.path;
    int code = reach_goals(&a, &p);
    rh__program_close(&p);
    return code;
}
