/* test: explores each test under each model that was asked for, reports, and keeps schedules of what was found. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/interrupt.h"
#include "base/visible.h"
#include "coverage/pack.h"
#include "explore/measure.h"
#include "findings/keep.h"
#include "findings/story.h"
#include "report/result.h"
#include "runner/commands.h"
#include "trace/schedule.h"

static const char *const default_folder = "rehearse-findings";

/* ---- keeping schedules ------------------------------------------------------------------------------------------------- */

static bool make_folder(const char *folder, char *error, size_t error_size)
{
    struct stat s;
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || stat(folder, &s) != 0 || !S_ISDIR(s.st_mode) ||
        access(folder, W_OK | X_OK) != 0) {
        snprintf(error, error_size, "%s: schedules cannot be kept there: %s", folder,
                 errno == EEXIST ? "it is no folder that can be written" : strerror(errno));
        return false;
    }
    return true;
}

static bool save_findings(struct rh__result *r, const char *program, const char *folder, char *error, size_t error_size)
{
    struct rh__keeping k = { folder, program, r->test, r->model };
    const char *last = NULL;
    if (!r->x->finding_count || !*folder)
        return true;
    if (!make_folder(folder, error, error_size))
        return false;
    for (uint32_t i = 0; i < r->x->finding_count; i++) {
        if (!*r->x->findings[i].schedule)
            continue; /* it is not of a run */
        if (!rh__finding_keep(&k, &r->x->findings[i], r->files[i], sizeof r->files[i], &r->kept[i], error,
                              error_size)) {
            r->files[i][0] = 0;
            return false;
        }
        last = r->files[i];
    }
    if (last)
        rh__finding_latest(folder, last);
    return true;
}

/* ---- coverage ---------------------------------------------------------------------------------------------------------- */

/* The schedules that brought a goal, in the order of the runs: TEST-MODEL-coverage-N.schedule. */
struct suite {
    const struct rh__result *r;
    const char *folder;
    uint32_t *count; /* in shared memory, with the text */
    char *text;
};

static bool name_schedule(const struct suite *s, uint32_t number, char *path, size_t size)
{
    int length = snprintf(path, size, "%s/%s-%s-coverage-%05u.schedule", s->folder, s->r->test, s->r->model, number);
    return (size_t)length < size;
}

static void keep_schedule(struct rh_exploration *x, void *arg)
{
    struct suite *s = arg;
    char path[1024];
    struct rh__text t;
    bool fits = name_schedule(s, ++*s->count, path, sizeof path);
    rh__text_init(&t, s->text, RH__SCHEDULE_BYTES);
    rh__schedule_write(x->world, &t);
    if (!fits)
        snprintf(x->trouble, sizeof x->trouble, "%.100s...: the name of a schedule in there is too long", s->folder);
    else if (rh__file_write(path, s->text, strlen(s->text), x->trouble, sizeof x->trouble))
        return;
    x->measure->keep = NULL; /* once is enough */
}

/* False with a sentence. */
static bool start_measuring(struct rh_exploration *x, const struct rh__options *o, struct suite *s, char *error,
                            size_t error_size)
{
    char first[1024];
    snprintf(error, error_size, "no memory for the coverage");
    uint32_t criteria = o->criteria;
    if (!criteria && (o->coverage_file || o->suite) && !x->measure)
        criteria = (1u << RH__CRITERION_COUNT) - 1;
    if (criteria && !rh__measure(x, criteria))
        return false;
    if (!o->suite)
        return true;
    s->folder = o->suite;
    name_schedule(s, 1, first, sizeof first);
    if (access(first, F_OK) == 0) {
        snprintf(error, error_size, "%s: there is a suite of this test already; remove it or name another folder",
                 o->suite);
        return false;
    }
    s->count = rh_exploration_memory(x, sizeof *s->count);
    s->text = rh_exploration_memory(x, RH__SCHEDULE_BYTES);
    x->measure->keep = keep_schedule;
    x->measure->keep_arg = s;
    return s->count && s->text;
}

/* What there is to say when all is done; false with a sentence. */
static bool end_measuring(struct rh_exploration *x, const struct rh__options *o, char *error, size_t error_size)
{
    if (!x->measure)
        return true;
    /* What symmetry leaves out has other orders. */
    if (rh__exploration_verdict(x) == RH_VERDICT_EXHAUSTIVE && !rh__explorer_folds(o->explorer))
        x->measure->coverage->exhausted = 1;
    x->measure->coverage->runs = rh__exploration_counted(x);
    return !o->coverage_file || rh__coverage_write(x->measure->coverage, o->coverage_file, error, error_size);
}

/* ---- one test ------------------------------------------------------------------------------------------------------------ */

static void check_determinism(struct rh_world *w, void *arg)
{
    rh__mute();
    *(struct rh_outcome *)arg = rh_world_check_determinism(w, rh_world_semantics(w)->seed);
}

/* --json - and --junit - have standard output for themselves. */
static bool machine_reads_output(const struct rh__options *o)
{
    return (o->json && strcmp(o->json, "-") == 0) || (o->junit && strcmp(o->junit, "-") == 0);
}

/* What came of all tests. */
struct sum {
    bool failed, stale, unmet;
    unsigned begun, told; /* tests under a model; of those with a report */
};

/* Opening a world and an exploration can fail by what the person asked for; all else is ours. */
static int explore(const char *program, const struct rh__options *o, const struct rh_test *test,
                   const struct rh_semantics *semantics, const struct rh_semantics *asked, struct sum *sum)
{
    static struct rh__result r;
    static struct suite suite;
    char error[1024];
    int code = RH__EXIT_TOOL;
    struct rh_world_options w = {
        .test = test, .semantics = semantics, .params = o->params, .param_count = o->param_count, .quiet = o->quiet
    };
    w.params_asked = o->resume ? NULL : rh_shared_new(sizeof *w.params_asked); /* of runs before nothing is known */
    memset(&r, 0, sizeof r);
    r.program = program;
    r.test = test->name;
    r.explorer = o->explorer;
    r.model = rh__model_name(semantics->model);
    r.seed = semantics->seed;
    r.asked = *asked;
    r.required = o->required;
    r.require = o->require;
    r.checkpoint = o->checkpoint;
    r.world = rh_world_new(&w, error, sizeof error);
    if (!r.world) {
        rh__complain("%s: %s", test->name, error);
        rh_shared_free(w.params_asked, sizeof *w.params_asked);
        return RH__EXIT_USAGE;
    }
    struct rh_exploration *x =
        rh__exploration_new(r.world, o->explorer, semantics->seed, &o->limits, error, sizeof error);
    struct rh_outcome *checked = rh_shared_new(sizeof *checked);
    if (!x || !checked) {
        rh__complain("%s", x ? "no memory" : error);
        code = x ? RH__EXIT_TOOL : RH__EXIT_USAGE;
        goto release;
    }
    r.x = x;
    suite = (struct suite){ .r = &r };
    if (!start_measuring(x, o, &suite, error, sizeof error)) {
        rh__complain("%s", error);
        code = RH__EXIT_USAGE;
        goto release;
    }
    x->describe = rh__describe;
    x->mute = !o->verbose;
    if (!o->quiet && !o->tap)
        x->progress = rh__terminal_progress;
    checked->kind = RH_OUTCOME_FINISHED;
    if (!o->limits.unchecked && rh_sandbox_run(r.world, check_determinism, checked) == RH_SANDBOX_FAILED)
        goto release; /* it has said why */
    r.determinism = *checked;
    x->known_to_differ = checked->kind != RH_OUTCOME_FINISHED;
    if (!*rh_world_refused(r.world))
        code = rh__run_exploration(x, o, &w, error, sizeof error);
    rh__terminal_clear();
    if (*rh_world_refused(r.world)) {
        rh__complain("%s", rh_world_refused(r.world));
        code = RH__EXIT_USAGE;
        goto release;
    }
    if (code != RH__EXIT_OK) {
        if (code == RH__EXIT_USAGE || x->workers)
            rh__complain("%s", error);
        goto release;
    }
    rh__note_divergence(x, &r.determinism);
    r.failed = x->finding_count || r.determinism.kind != RH_OUTCOME_FINISHED || rh__result_never(&r);
    sum->failed |= r.failed;
    sum->stale |= x->stale != NULL;
    sum->unmet |= rh__result_unmet(&r, error, sizeof error) != NULL;
    if (!end_measuring(x, o, error, sizeof error) ||
        !save_findings(&r, program, o->save ? o->save : default_folder, error, sizeof error)) {
        rh__complain("%s", error);
        code = RH__EXIT_TOOL;
    }
    if (x->trouble[0]) {
        rh__complain("%s", x->trouble);
        code = RH__EXIT_TOOL;
    }
    struct sigaction before, ignore = { .sa_handler = SIG_IGN };
    sigaction(SIGPIPE, &ignore, &before); /* nobody reads on: that is told like a full disk */
    if (o->tap)
        rh__tap_result(&r, sum->begun);
    else if (!machine_reads_output(o))
        rh__terminal_result(&r, o->quiet, o->verbose);
    rh__stdout_flush(error, sizeof error); /* what is lost is told at the end */
    rh__json_result(&r);
    rh__junit_result(&r);
    sum->told++;
    sigaction(SIGPIPE, &before, NULL);
    if (x->interrupted)
        code = RH__EXIT_SIGNAL + x->interrupted; /* the loop below ends */
release:
    rh_shared_free(w.params_asked, sizeof *w.params_asked);
    rh_shared_free(checked, sizeof *checked);
    rh__exploration_free(x);
    rh_world_free(r.world);
    return code;
}

static bool wanted(const struct rh__options *o, const struct rh_test *t)
{
    for (size_t i = 0; i < o->word_count; i++)
        if (strcmp(o->words[i], t->name) == 0)
            return true;
    return o->word_count == 0;
}

static size_t count_wanted(const struct rh__options *o)
{
    size_t n = 0;
    for (const struct rh_test *t = rh_test_first(); t; t = t->next)
        n += wanted(o, t);
    return n;
}

/* What a program is to read there: with two of them it could read neither. */
static int outputs_on_stdout(const struct rh__options *o)
{
    const char *const paths[] = { o->json, o->junit };
    int n = o->tap;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        n += paths[i] &&
             (strcmp(paths[i], "-") == 0 || strcmp(paths[i], "/dev/stdout") == 0 || strcmp(paths[i], "/dev/fd/1") == 0);
    return n;
}

/* Everything that can be refused is refused before the first run. */
static bool prepare(const char *program, const struct rh__options *o)
{
    char error[1024];
    struct rh_semantics s;
    for (size_t i = 0; i < o->word_count; i++)
        if (!rh__test_named(o->words[i])) {
            struct rh__text t;
            rh__text_init(&t, error, sizeof error);
            rh__text_add(&t, "%s has no test \"%s\"; it has", program, o->words[i]);
            for (const struct rh_test *has = rh_test_first(); has; has = has->next)
                rh__text_add(&t, " %s", has->name);
            rh__complain("%s", error);
            return false;
        }
    if (!rh__options_params_known(o, error, sizeof error)) {
        rh__complain("%s", error);
        return false;
    }
    if (o->checkpoint && (o->all_models || count_wanted(o) != 1)) {
        rh__complain("--checkpoint is for one test under one model: name them");
        return false;
    }
    if (o->coverage_file && (o->all_models || count_wanted(o) != 1)) {
        rh__complain("--coverage-file is for one test under one model: name them");
        return false;
    }
    if (o->coverage_file && !rh__output_possible(o->coverage_file, false, error, sizeof error)) { /* better known now */
        rh__complain("--coverage-file %s", error);
        return false;
    }
    if (outputs_on_stdout(o) > 1) {
        rh__complain("standard output can hold one of --json, --junit and --tap: give the others a file");
        return false;
    }
    if (o->suite && (o->workers > 1 || o->checkpoint)) {
        rh__complain("--suite is made by one worker: leave out -j and --checkpoint");
        return false;
    }
    bool good = true;
    for (const struct rh_test *t = rh_test_first(); good && t; t = t->next)
        good = rh__options_semantics(o, t, &s, NULL, error, sizeof error);
    good = good && (!o->save || !*o->save || make_folder(o->save, error, sizeof error)) &&
           (!o->suite || make_folder(o->suite, error, sizeof error)) &&
           (!o->json || rh__json_open(o->json, error, sizeof error)) &&
           (!o->junit || rh__junit_open(o->junit, program, error, sizeof error));
    if (!good)
        rh__complain("%s", error);
    return good;
}

/* ---- all tests ------------------------------------------------------------------------------------------------------------ */

static const enum rh_model every_model[] = { RH_FIFO, RH_BAG, RH_CAUSAL, RH_MAILBOX };

/* Each test under each model that was asked for, until `visit` gives something else than RH__EXIT_OK: that. */
struct all {
    const char *program;
    const struct rh__options *o;
    struct sum sum;
    unsigned count;        /* of all there are */
    const char *why;       /* some have no report */
    struct rh__text names; /* of those */
};
static int each(struct all *all, int (*visit)(struct all *all, const struct rh_test *test, const struct rh_semantics *s,
                                              const struct rh_semantics *asked))
{
    char error[1024];
    int code = RH__EXIT_OK;
    for (const struct rh_test *t = rh_test_first(); t && code == RH__EXIT_OK; t = t->next)
        for (size_t m = 0; m < (all->o->all_models ? 4 : 1) && wanted(all->o, t) && code == RH__EXIT_OK; m++) {
            struct rh_semantics s, asked;
            rh__options_semantics(all->o, t, &s, &asked, error, sizeof error);
            if (all->o->all_models)
                s.model = every_model[m];
            code = visit(all, t, &s, &asked);
        }
    return code;
}

static int explore_one(struct all *all, const struct rh_test *test, const struct rh_semantics *s,
                       const struct rh_semantics *asked)
{
    all->sum.begun++;
    return explore(all->program, all->o, test, s, asked, &all->sum);
}

static int note_missing(struct all *all, const struct rh_test *test, const struct rh_semantics *s,
                        const struct rh_semantics *asked)
{
    (void)asked;
    if (++all->count <= all->sum.told)
        return RH__EXIT_OK;
    rh__text_add(&all->names, "%s%s (%s)", all->names.len ? ", " : "", test->name, rh__model_name(s->model));
    if (all->why)
        rh__junit_missing(test->name, rh__model_name(s->model), all->count <= all->sum.begun, all->why);
    return RH__EXIT_OK;
}

/* Tests that were not begun, or of which nothing came, do not vanish: whoever reads a report sees that it is not of all. */
static void tell_missing(struct all *all, int code)
{
    char names[8192], lead[128];
    rh__text_init(&all->names, names, sizeof names);
    if (code > RH__EXIT_SIGNAL)
        all->why = "not run: the tool was interrupted before";
    else if (code != RH__EXIT_OK && all->sum.told) /* else nothing was run, and there is no report */
        all->why = "not run: the tool could not go on; standard error says why";
    each(all, note_missing);
    unsigned missing = all->count - all->sum.told;
    if (all->o->tap && (code == RH__EXIT_OK || all->why))
        printf("1..%u\n", all->count);
    if (all->o->tap && all->why)
        printf("Bail out! %s; %u of %u tests not run\n",
               code > RH__EXIT_SIGNAL ? "interrupted" : "the tool could not go on", missing, all->count);
    if (!missing || !all->why || all->o->tap || machine_reads_output(all->o))
        return;
    snprintf(lead, sizeof lead, "not run, %u of %u tests: ", missing, all->count);
    rh__terminal_wrapped(lead, names);
}

int rh__command_test(const char *program, const struct rh__options *o)
{
    struct all all = { .program = program, .o = o };
    const struct sum *sum = &all.sum;
    char error[1024];
    static volatile int interrupted;
    struct rh__interrupts interrupts;
    rh__interrupts_begin(&interrupts, &interrupted); /* from here on there are files that must not stay unfinished */
    if (!prepare(program, o)) {
        rh__reports_drop();
        rh__interrupts_end(&interrupts);
        return RH__EXIT_USAGE;
    }
    int code = each(&all, explore_one);
    tell_missing(&all, code);
    if (code > RH__EXIT_SIGNAL && sum->failed)
        code = RH__EXIT_OK; /* what was found counts more */
    if (!rh__json_close(error, sizeof error)) {
        rh__complain("%s", error);
        code = RH__EXIT_TOOL;
    }
    if (!rh__junit_close(error, sizeof error)) {
        rh__complain("%s", error);
        code = RH__EXIT_TOOL;
    }
    rh__interrupts_end(&interrupts);
    if (sum->failed && code == RH__EXIT_TOOL)
        code = RH__EXIT_FAILURE; /* likewise */
    return code != RH__EXIT_OK ? code : rh__exit_of(sum->failed, sum->stale, sum->unmet);
}
