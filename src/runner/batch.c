/* See batch.h. */
#include "runner/batch.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guess.h"
#include "base/interrupt.h"
#include "base/visible.h"
#include "cluster/link.h"
#include "report/terminal.h"
#include "runner/commands.h"
#include "trace/schedule.h"
#include "world/delivery.h"

/* ---- plans ------------------------------------------------------------------------------------------------------- */

/* A word names a test whole, by its beginning, or as a pattern with * ? [].  A whole name is no beginning. */
static bool names(const char *word, const struct rh_test *t)
{
    if (rh__test_named(word))
        return strcmp(word, t->name) == 0;
    if (strpbrk(word, "*?["))
        return fnmatch(word, t->name, 0) == 0;
    return *word && strncmp(word, t->name, strlen(word)) == 0;
}

static bool is_named(const struct rh__options *o, const struct rh_test *t)
{
    for (size_t i = 0; i < o->word_count; i++)
        if (names(o->words[i], t))
            return true;
    return o->word_count == 0;
}

/* A report that has standard output for itself is for a program, and nobody watches. */
static bool somebody_watches(const struct rh__options *o)
{
    bool alone = false;
    for (size_t i = 0; rh__reporters[i]; i++)
        alone |= o->reports[i] && rh__reporters[i]->owns_stdout;
    return !o->quiet && !alone;
}

static bool draws_curves(const struct rh__options *o)
{
    bool any = o->curve;
    for (size_t i = 0; rh__reporters[i]; i++)
        any |= o->reports[i] && rh__reporters[i]->draws_curves;
    return any;
}

static bool make_plan(const struct rh__batch *b, const struct rh_test *test, struct rh__plan *plan, char *error,
                      size_t error_size)
{
    const struct rh__options *o = b->options;
    *plan = (struct rh__plan){ .program = b->program,
                               .test = test,
                               .params = o->params,
                               .param_count = o->param_count,
                               .explorer = o->explorer,
                               .limits = o->limits,
                               .first_run_twice = true,
                               .quiet = o->quiet,
                               .curves = draws_curves(o),
                               .curves_of_sequences = o->curve && o->workers <= 1 && !o->cluster,
                               .in_words = o->in_words,
                               .whole_story = o->whole_story,
                               .mute = !o->verbose,
                               .progress = somebody_watches(o) ? rh__terminal_progress : NULL,
                               .workers = o->workers,
                               .checkpoint = o->checkpoint,
                               .resume = o->resume,
                               .cluster = o->cluster != NULL,
                               .lease_seconds = o->lease > 0 ? o->lease : 30,
                               .minimise = !o->no_minimise,
                               .explain = !o->no_explain,
                               .required = o->required,
                               .require = o->require };
    return rh__options_semantics(o, test, &plan->semantics, &plan->asked, error, error_size);
}

static bool is_one_test(const struct rh__options *o)
{
    size_t n = 0;
    for (const struct rh_test *t = rh_test_first(); t; t = t->next)
        n += is_named(o, t);
    return n == 1 && !o->all_models;
}

/* A scenario has one granularity, and not every explorer can explore it.  If it is one of several tests, and nobody has
 * asked for it by its name, the others are run, and a sentence says why it is not. */
static bool is_left_out(const struct rh__batch *b, const struct rh_test *t, char *why, size_t size)
{
    const struct rh__options *o = b->options;
    struct rh__plan plan;
    bool by_name = is_one_test(o);
    for (size_t i = 0; i < o->word_count; i++)
        by_name |= strcmp(o->words[i], t->name) == 0;
    if (!t->scenario || by_name || !is_named(o, t))
        return false;
    if (!make_plan(b, t, &plan, why, size))
        return true;
    bool automatic = strncmp(o->explorer, "auto", 4) == 0; /* the session takes dfs */
    return !automatic && rh__explorer_refuses_test(o->explorer, t, why, size);
}

int rh__batch_each(struct rh__batch *b, int (*visit)(struct rh__batch *b, const struct rh__plan *plan, void *arg),
                   void *arg)
{
    size_t models = b->options->all_models ? RH_ROWS(RH_MODELS) : 1;
    char error[1024];
    int code = RH__EXIT_OK;
    for (const struct rh_test *t = rh_test_first(); t && code == RH__EXIT_OK; t = t->next) {
        bool wanted = is_named(b->options, t) && !is_left_out(b, t, error, sizeof error);
        for (size_t m = 0; m < models && wanted && code == RH__EXIT_OK; m++) {
            struct rh__plan plan;
            make_plan(b, t, &plan, error, sizeof error); /* it was checked */
            if (b->options->all_models)
                plan.semantics.model = (enum rh_model)m;
            code = visit(b, &plan, arg);
        }
    }
    return code;
}

/* ---- what is refused before the first run ------------------------------------------------------------------------ */

static bool names_are_known(const struct rh__batch *b, char *error, size_t error_size)
{
    const struct rh__options *o = b->options;
    struct rh__text t;
    rh__text_init(&t, error, error_size);
    for (size_t i = 0; i < o->word_count; i++) {
        const char *word = o->words[i];
        struct rh__guess g = rh__guess_of(word, strlen(word));
        bool known = false;
        for (const struct rh_test *has = rh_test_first(); has; has = has->next) {
            known |= names(word, has);
            rh__guess_try(&g, has->name);
        }
        if (known)
            continue;
        rh__text_add(&t, "%s has no test \"%s\"", b->program, word);
        rh__guess_add(&g, &t);
        rh__text_add(&t, "; it has");
        for (const struct rh_test *has = rh_test_first(); has; has = has->next)
            rh__text_add(&t, " %s", has->name);
        return false;
    }
    return true;
}

bool rh__batch_check(const struct rh__batch *b, char *error, size_t error_size)
{
    const struct rh__options *o = b->options;
    const struct rh__reporter *single = rh__options_one_test(o);
    struct rh__plan plan;
    if (!names_are_known(b, error, error_size) ||
        !rh__params_known(o->params, o->param_count, "-p ", error, error_size))
        return false;
    if ((o->checkpoint || single) && !is_one_test(o)) {
        snprintf(error, error_size, "--%s is for one test under one model: name them",
                 o->checkpoint ? "checkpoint" : single->option.name);
        return false;
    }
    if (o->cluster && rh__link_find(b->program, error, error_size) < 0)
        return false;
    if (o->suite && (o->workers > 1 || o->checkpoint || o->cluster)) {
        snprintf(error, error_size, "--suite is made by one worker: leave out -j, --checkpoint and --cluster");
        return false;
    }
    bool any = false;
    for (const struct rh_test *t = rh_test_first(); t; t = t->next) {
        if (!is_named(o, t) || is_left_out(b, t, error, error_size))
            continue;
        any = true;
        if (!make_plan(b, t, &plan, error, error_size))
            return false;
    }
    return any || !rh_test_first();
}

/* ---- budgets of timers that do not exist ------------------------------------------------------------------------- */

/* Of the options, not those that tests declare.  Gives how many; their names are in `text`. */
static int budgets_of(const struct rh__options *o, struct rh_semantics *text, struct rh__timer_budget *budgets)
{
    char error[256];
    *text->timer_budgets = 0;
    for (size_t i = 0; i < o->setting_count; i++)
        if (strcmp(o->settings[i].name, "timer_budgets") == 0)
            rh__semantics_set(text, "timer_budgets", o->settings[i].value, error, sizeof error);
    return *text->timer_budgets ? rh__timer_budgets_read(text->timer_budgets, budgets, NULL, 0) : 0;
}

static void note_budgets(struct rh__batch *b, const struct rh__result *r)
{
    struct rh_semantics text = { 0 };
    struct rh__timer_budget budgets[RH__TIMER_BUDGETS];
    int count = budgets_of(b->options, &text, budgets);
    b->whole = rh__exploration_verdict(r->x) == RH_VERDICT_EXHAUSTIVE && (b->whole || !b->any);
    b->any = true;
    for (int i = 0; i < count; i++) {
        struct rh__guess g = rh__guess_of(budgets[i].name, budgets[i].length);
        if (rh__result_set_timer(r, budgets[i].name, budgets[i].length, &g))
            b->budgets_used |= 1u << i;
        else if (g.best)
            snprintf(b->nearest[i], sizeof b->nearest[i], "%s", g.best);
    }
}

/* Names of timers are known only by running: a name is refused at the end, and only if every run was made. */
static bool budgets_exist(const struct rh__batch *b)
{
    struct rh_semantics text = { 0 };
    struct rh__timer_budget budgets[RH__TIMER_BUDGETS];
    int count = b->whole ? budgets_of(b->options, &text, budgets) : 0;
    bool good = true;
    for (int i = 0; i < count; i++) {
        if (b->budgets_used & 1u << i)
            continue;
        const char *near = b->nearest[i];
        rh__complain("--timer-budget %.*s=%u: every run was made, and none sets a timer of that name%s%s%s",
                     (int)budgets[i].length, budgets[i].name, budgets[i].most, *near ? " (did you mean " : "", near,
                     *near ? "?)" : "");
        good = false;
    }
    return good;
}

/* ---- all tests --------------------------------------------------------------------------------------------------- */

void rh__batch_add(struct rh__batch *b, const struct rh__result *r)
{
    char why[256];
    note_budgets(b, r);
    rh__sites_add(&b->sites, r->x->results);
    b->failed |= r->failed;
    b->stale |= r->x->end.stale != NULL;
    b->unmet |= rh__result_unmet(r, why, sizeof why) != NULL;
}

int rh__batch_exit(const struct rh__batch *b)
{
    return b->failed ? RH__EXIT_FAILURE : b->stale ? RH__EXIT_DIVERGED : b->unmet ? RH__EXIT_UNMET : RH__EXIT_OK;
}

/* Names the tests that are left out, and says why. */
static void report_left_out(struct rh__batch *b)
{
    char why[1024];
    for (const struct rh_test *t = rh_test_first(); t; t = t->next) {
        if (!is_left_out(b, t, why, sizeof why))
            continue;
        const char *model = b->options->all_models ? "all models" : rh__model_name(t->semantics.model);
        struct rh__missing m = { .test = t->name, .model = model, .why = why, .left_out = true };
        rh__complain("not run: %s", why);
        rh__reports_missing(&b->reports, &m);
        b->left_out++;
    }
}

static int report_missing(struct rh__batch *b, const struct rh__plan *plan, void *why)
{
    struct rh__missing m = { .test = plan->test->name, .model = rh__model_name(plan->semantics.model), .why = why };
    m.begun = ++b->tests <= b->begun;
    if (b->tests > b->reported && why)
        rh__reports_missing(&b->reports, &m);
    return RH__EXIT_OK;
}

static void complain(const char *sentence)
{
    rh__complain("%s", sentence);
}

/* Names the tests without a result, so that nobody takes the reports for reports of all tests.  If no test has a result
 * because the tool failed, there are no reports.  False, after a complaint, if a report is not whole. */
static bool close_reports(struct rh__batch *b, int code)
{
    bool interrupted = code > RH__EXIT_SIGNAL;
    struct rh__report_end end = { 0 };
    const char *why = interrupted           ? "not run: the tool was interrupted before"
                      : code != RH__EXIT_OK ? "not run: the tool could not go on; standard error says why"
                                            : NULL;
    if (why && !interrupted && !b->reported) {
        rh__reports_drop(&b->reports);
        return true;
    }
    rh__batch_each(b, report_missing, (void *)why);
    end.tests = b->tests + b->left_out;
    end.missing = end.tests - b->reported;
    char line[2048];
    struct rh__text unreached;
    rh__text_init(&unreached, line, sizeof line);
    rh__sites_unreached(&b->sites, &unreached);
    if (*line && b->any && !end.missing && !b->options->word_count && rh_test_first()->next)
        end.unreached = line;
    end.cut_short = interrupted ? "interrupted" : why ? "the tool could not go on" : NULL;
    return rh__reports_close(&b->reports, &end, complain);
}

int rh__batch_run(struct rh__batch *b, int (*run)(struct rh__batch *b, const struct rh__plan *plan, void *arg))
{
    char error[1024];
    static volatile int interrupted;
    struct rh__interrupts interrupts;
    const struct rh__options *o = b->options;
    const struct rh__report_setup setup = { .program = b->program, .quiet = o->quiet, .verbose = o->verbose };
    rh__interrupts_begin(&interrupts, &interrupted); /* from here on there are files that must not stay unfinished */
    if (!rh__reports_open(&b->reports, rh__reporters, o->reports, &setup, error, sizeof error)) {
        rh__complain("%s", error);
        rh__interrupts_end(&interrupts);
        return RH__EXIT_USAGE;
    }
    report_left_out(b);
    int code = rh__batch_each(b, run, NULL);
    bool whole = close_reports(b, code);
    rh__interrupts_end(&interrupts);
    if (!whole)
        code = RH__EXIT_TOOL;
    if (b->failed && (code > RH__EXIT_SIGNAL || code == RH__EXIT_TOOL))
        return RH__EXIT_FAILURE; /* what was found counts more */
    if (code == RH__EXIT_OK && !budgets_exist(b) && !b->failed)
        code = RH__EXIT_USAGE;
    return code != RH__EXIT_OK ? code : rh__batch_exit(b);
}
