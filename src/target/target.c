/* rehearse target BINARY [TEST]: runs that reach given lines, assertions or functions. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/interrupt.h"
#include "base/visible.h"
#include "target/plan_goals.h"
#include "target/solve.h"
#include "target/target_commands.h"
#include "target/target_tests.h"

static const char help[] =
    "rehearse target BINARY [TEST] GOALS   find runs of the test that reach these places of the code\n"
    "goals:\n"
    "  --line FILE:LINE     this line; may be given several times\n"
    "  --function NAME      this function; a handler is ACTOR__MESSAGE\n"
    "  --assertions         each rh_assert fails\n"
    "  --uncovered          every block of the program but its tests; lists those that were not reached\n"
    "  --blocks FILE        of these goals, only blocks whose numbers are in FILE (as JSON has them)\n"
    "options:\n"
    "  --seconds S          processor time for all goals together (10)\n"
    "  --seed N             of the explorers and of drawn values (1)\n"
    "  --stages LIST        of concrete, solver, search (all): how to look for runs\n"
    "  --search LIST        of h1, h2, feedback, snapshots, or none: what guides the search\n"
    "  --save DIR           for the schedules (rehearse-targets)\n"
    "  --tests FILE         gets an RH_TEST in C for each goal that is reached\n"
    "  --json FILE          as JSON; - is standard output\n"
    "  -p NAME=VALUE, --model, --granularity, --time, --outside, --outside-values, --set   as for `rehearse test`\n"
    "A goal is reached (a schedule is saved, and its replay reaches the goal), unreachable (and why), or not found.\n"
    "exit: 0 all goals are reached or unreachable, 1 some were not found, 2 wrong use, 3 the tool failed\n";

enum { MOST_LINES = 256, SNAPSHOTS = 16 };

struct asked {
    const char *program, *test, *save, *json, *tests, *blocks;
    const char *lines[MOST_LINES], *functions[MOST_LINES];
    uint32_t line_count, function_count;
    bool assertions, uncovered;
    bool concrete_stage, solver_stage, search_stage;
    struct rh__search_options search;
    struct rh__search_counts searched;
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

static const char *const stage_words[] = { "concrete", "solver", "search", NULL };
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
    if (strcmp(word, "--stages") == 0)
        return take_words(word, value, stage_words,
                          (bool *const[]){ &a->concrete_stage, &a->solver_stage, &a->search_stage });
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
    if (!a->program)
        rh__complain("target wants a test program first");
    else if (!a->line_count && !a->function_count && !a->assertions && !a->uncovered)
        rh__complain("target wants a goal: --line FILE:LINE, --function NAME, --assertions or --uncovered");
    return a->program && (a->line_count || a->function_count || a->assertions || a->uncovered);
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

/* A goal whose schedule does not lead there again is not reached.  The blocks of --uncovered are only counted. */
static void confirm(struct asked *a, struct rh__goals *g, uint32_t count)
{
    char path[RH__PATH_BYTES], error[1024];
    for (uint32_t i = 0; i < count; i++) {
        struct rh__goal *x = &g->at[i];
        if (x->status == RH__GOAL_REACHED && a->concrete.interrupted) {
            x->status = RH__GOAL_OPEN;
            free(x->how);
            x->how = strdup("interrupted before it was replayed");
        }
        if (x->status != RH__GOAL_REACHED)
            continue;
        name_schedule(a, g, i, path, sizeof path);
        if (mkdir(a->save, 0777) != 0 && errno != EEXIST) {
            rh__complain("%s cannot be made: %s", a->save, strerror(errno));
            return;
        }
        if (rh__concrete_confirm(&a->concrete, x, path, error, sizeof error)) {
            x->saved = strdup(path);
            continue;
        }
        x->status = RH__GOAL_OPEN;
        free(x->how);
        x->how = strdup(error);
    }
}

static void print_goal(const struct rh__goal *x)
{
    printf("%s (%s) ", x->place, x->what);
    if (x->status == RH__GOAL_REACHED)
        printf("reached by %u choice%s (%s)%s%s\n", x->choices, x->choices == 1 ? "" : "s", x->how,
               x->saved ? ": " : "", x->saved ? x->saved : "");
    else if (x->status == RH__GOAL_UNREACHABLE)
        printf("unreachable: %s\n", x->how);
    else
        printf("not found%s%s\n", x->how ? ": " : "", x->how ? x->how : "");
}

/* Of --uncovered only those are listed that were not reached. */
static void print_all(const struct asked *a, const struct rh__goals *g, uint32_t listed)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (i < listed || g->at[i].status != RH__GOAL_REACHED)
            print_goal(&g->at[i]);
    printf("%u goal%s of %s: %u reached, %u unreachable, %u not found; %llu run%s\n", g->count,
           g->count == 1 ? "" : "s", a->test, rh__goals_with(g, RH__GOAL_REACHED),
           rh__goals_with(g, RH__GOAL_UNREACHABLE), rh__goals_with(g, RH__GOAL_OPEN),
           (unsigned long long)a->concrete.runs, a->concrete.runs == 1 ? "" : "s");
    const struct rh__concrete *c = &a->concrete;
    printf("reached by samplers %u, by optimal %u, by the solver %u, by the search %u; unreachable by the graph %u, by "
           "optimal %u\n",
           c->by_random, c->by_optimal, c->by_solver, a->searched.reached,
           rh__goals_with(g, RH__GOAL_UNREACHABLE) - c->by_exhaustion, c->by_exhaustion);
}

static void put_string(FILE *f, const char *name, const char *text)
{
    fprintf(f, "\"%s\":", name);
    if (!text)
        fputs("null", f);
    else
        fputc('"', f);
    for (const char *c = text; c && *c; c++)
        fprintf(f, *c == '"' || *c == '\\' ? "\\%c" : (unsigned char)*c < ' ' ? "\\u%04x" : "%c", (unsigned char)*c);
    if (text)
        fputc('"', f);
}

static bool write_json(const struct asked *a, const struct rh__goals *g)
{
    static const char *const words[] = { "not found", "reached", "unreachable" };
    struct rh__output o;
    char error[RH__PATH_BYTES + 256];
    if (!rh__output_open(&o, a->json, true, error, sizeof error)) {
        rh__complain("%s", error);
        return false;
    }
    fputs("{", o.file);
    put_string(o.file, "test", a->test);
    fprintf(o.file, ",\"runs\":%llu,\"goals\":[", (unsigned long long)a->concrete.runs);
    for (uint32_t i = 0; i < g->count; i++) {
        const struct rh__goal *x = &g->at[i];
        fputs(i ? ",{" : "{", o.file);
        put_string(o.file, "place", x->place);
        fputc(',', o.file);
        put_string(o.file, "goal", x->what);
        fputc(',', o.file);
        put_string(o.file, "result", words[x->status]);
        fputc(',', o.file);
        put_string(o.file, "how", x->how);
        fputc(',', o.file);
        put_string(o.file, "schedule", x->saved);
        fprintf(o.file, ",\"seconds\":%.3f", x->seconds);
        for (uint32_t k = 0; k < x->block_count; k++)
            fprintf(o.file, "%s%u", k ? "," : ",\"blocks\":[", x->blocks[k]);
        fputs("]}", o.file);
    }
    fputs("]}\n", o.file);
    if (rh__output_close(&o, error, sizeof error))
        return true;
    rh__complain("%s", error);
    return false;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static void solve(struct asked *a, struct rh__goals *g)
{
    if (rh__solve_possible())
        rh__solve_goals(&a->concrete, g, a->concrete.seconds * 9 / 20);
    else
        rh__complain("note: this build has no solver (Debian: libz3-dev): values from outside are only drawn");
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
    if (!make_goals(a, &g, error, sizeof error) || !rh__concrete_open(&a->concrete, error, sizeof error)) {
        rh__complain("%s", error);
        rh__interrupts_end(&interrupts);
        rh__goals_release(&g);
        return code;
    }
    rh__flow_make(&f, p, rh__program_test_named(p, a->test), true);
    rh__goals_judge_by_flow(&g, &f);
    rh__flow_release(&f);
    uint32_t listed = g.count;
    for (uint32_t i = 0; a->uncovered && i < g.count; i++)
        if (strncmp(g.at[i].what, "block ", 6) == 0 && i < listed)
            listed = i;
    double share = a->concrete.seconds;
    if (!a->concrete_stage)
        a->concrete.seconds /= 20; /* only to know the test */
    if (!(a->concrete_stage ? rh__concrete_explore : rh__concrete_look)(&a->concrete, &g, error, sizeof error)) {
        rh__complain("%s", error);
    } else {
        a->concrete.seconds = share;
        if (a->solver_stage && a->concrete.is_open && rh__goals_with(&g, RH__GOAL_OPEN))
            solve(a, &g);
        if (a->search_stage && rh__goals_with(&g, RH__GOAL_OPEN) && rh__search_possible()) {
            a->search.seconds = a->concrete_stage ? share * 5 / 20 : share;
            rh__search_goals(&a->concrete, &g, &a->search, &a->searched);
        }
        if (a->concrete_stage)
            rh__concrete_explore_more(&a->concrete, &g);
        confirm(a, &g, listed);
        bool written = (!a->json || write_json(a, &g)) && (!a->tests || rh__tests_write(a->tests, a->test, &g));
        if (!a->json)
            print_all(a, &g, listed);
        code = !written ? RH__TARGET_TOOL : rh__goals_with(&g, RH__GOAL_OPEN) ? RH__TARGET_MISSED : RH__TARGET_OK;
    }
    rh__concrete_close(&a->concrete);
    rh__interrupts_end(&interrupts);
    rh__goals_release(&g);
    return a->concrete.interrupted ? 128 + a->concrete.interrupted : code;
}

int rh__command_target(int argc, char **argv)
{
    struct asked a = { .save = "rehearse-targets", .concrete = { .seconds = 10, .seed = 1 } };
    a.concrete_stage = a.solver_stage = a.search_stage = true;
    a.search = (struct rh__search_options){ .snapshots = SNAPSHOTS, .h1 = true, .h2 = true, .feedback = true };
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
