/* Exploring from within another program (rehearse/run.h): what `test` does, with a text in place of reports and files. */
#include <rehearse/run.h>

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "findings/story.h"
#include "report/result.h"
#include "runner/commands.h"
#include "trace/schedule.h"

enum { MOST_WORDS = 128, MOST_BYTES = 4096 };

/* Words between white space, or between quotes of either kind. */
static bool cut_into_words(char *text, char **words, int *count, struct rh__text *report)
{
    char *c = text;
    for (*count = 0;; (*count)++) {
        while (isspace((unsigned char)*c))
            c++;
        if (!*c)
            return true;
        if (*count == MOST_WORDS) {
            rh__text_add(report, "more than %d words of options", MOST_WORDS);
            return false;
        }
        /* Quotes may begin inside a word, as in -p name="two words": they are taken out. */
        char *to = words[*count] = c, quote = 0;
        for (; *c && (quote || !isspace((unsigned char)*c)); c++)
            if (quote ? *c == quote : *c == '"' || *c == '\'')
                quote = quote ? 0 : *c;
            else
                *to++ = *c;
        if (quote) {
            rh__text_add(report, "a quote without its end in the options");
            return false;
        }
        c += *c != 0;
        *to = 0;
    }
}

static bool read_options(struct rh__options *o, char *text, struct rh__text *report)
{
    char *words[MOST_WORDS], error[1024];
    int count;
    if (!cut_into_words(text, words, &count, report))
        return false;
    if (!rh__options_parse(o, count, words, error, sizeof error)) {
        rh__text_add(report, "%s", error);
        return false;
    }
    if (!rh__options_params_known(o, error, sizeof error)) {
        rh__text_add(report, "%s", error);
        return false;
    }
    if (o->word_count || o->json || o->junit || o->save || o->tap || o->checkpoint || o->gdb || o->step || o->help) {
        rh__text_add(report, "options of another kind than say what to explore: see rehearse/run.h");
        return false;
    }
    return true;
}

static void check_determinism(struct rh_world *w, void *arg)
{
    *(struct rh_outcome *)arg = rh_world_check_determinism(w, rh_world_semantics(w)->seed);
}

/* Lines of the program's texts, for people. */
static void add_lines(struct rh__text *to, const char *text)
{
    while (*text) {
        char line[1024];
        size_t n = strcspn(text, "\n");
        while (n) { /* in pieces, which do not end within a character */
            size_t piece = n < sizeof line ? n : sizeof line - 1;
            while (piece < n && piece > 1 && ((unsigned char)text[piece] & 0xc0) == 0x80)
                piece--;
            memcpy(line, text, piece);
            line[piece] = 0;
            rh__text_add_visible(to, line);
            text += piece;
            n -= piece;
        }
        if (*text == '\n')
            rh__text_put(to, text++, 1);
    }
}

static void report_finding(const struct rh_exploration *x, const struct rh__finding *f, struct rh__text *to)
{
    rh__text_add(to, "%s: ", rh_outcome_name(f->outcome.kind));
    add_lines(to, f->actor);
    rh__text_add(to, "%s", *f->actor ? ": " : "");
    add_lines(to, f->outcome.text);
    if (*f->outcome.place) {
        rh__text_add(to, "  (");
        add_lines(to, f->outcome.place);
        rh__text_add(to, ")");
    }
    rh__text_add(to, "\nfound in run %llu of %llu, in %llu of them\n", (unsigned long long)f->run,
                 (unsigned long long)x->runs, (unsigned long long)f->count);
    add_lines(to, f->story);
    rh__text_add(to, "its schedule:\n%s", f->schedule);
}

/* The same lines as on the terminal. */
static void report_result(const struct rh__result *r, struct rh__text *to)
{
    char line[8192], why[256];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    rh__result_headline(r, to);
    rh__text_add(to, "\n");
    rh__result_counts(r, to);
    rh__text_add(to, "\nunder ");
    rh__result_semantics(r, to);
    rh__result_sentence(r, &t);
    rh__text_add(to, "%s%s\n", *line ? "\n" : "", line);
    if (rh__result_unmet(r, why, sizeof why))
        rh__text_add(to, "required: %s\n", why);
    rh__text_clear(&t);
    rh__result_next(r, &t);
    if (*line)
        rh__text_add(to, "next: %s\n", line);
    struct rh__failure f;
    for (uint32_t i = r->x->finding_count; rh__result_failure(r, i, &f); i++) {
        rh__text_add(to, "%s: ", f.kind);
        add_lines(to, f.message);
        if (*f.place) {
            rh__text_add(to, "  (");
            add_lines(to, f.place);
            rh__text_add(to, ")");
        }
        rh__text_add(to, "\n");
    }
    if (r->determinism.kind == RH_OUTCOME_FINISHED && *r->determinism.text)
        rh__text_add(to, "note: %s\n", r->determinism.text);
    rh__text_clear(&t);
    rh__result_unasked(r, &t);
    if (*line)
        rh__text_add(to, "note: %s\n", line);
    for (uint32_t i = 0; i < r->x->finding_count; i++)
        report_finding(r->x, &r->x->findings[i], to);
}

static int explore(const struct rh__options *o, const struct rh_test *test, const struct rh_semantics *semantics,
                   const struct rh_semantics *asked, struct rh__text *to)
{
    char error[1024];
    int code = RH__EXIT_USAGE;
    struct rh_exploration *x = NULL;
    struct rh_outcome *checked = rh_shared_new(sizeof *checked);
    struct rh_world_options w = {
        .test = test, .semantics = semantics, .params = o->params, .param_count = o->param_count, .quiet = true
    };
    w.params_asked = o->resume ? NULL : rh_shared_new(sizeof *w.params_asked); /* of runs before nothing is known */
    struct rh_world *world = checked ? rh_world_new(&w, error, sizeof error) : NULL;
    if (!world) {
        rh__text_add(to, "%s: %s", test->name, checked ? error : "no memory");
        goto release;
    }
    x = rh__exploration_new(world, o->explorer, semantics->seed, &o->limits, error, sizeof error);
    if (!x) {
        rh__text_add(to, "%s", error);
        goto release;
    }
    x->describe = rh__describe;
    checked->kind = RH_OUTCOME_FINISHED;
    snprintf(error, sizeof error, "the tool failed");
    code = RH__EXIT_TOOL;
    bool good = o->limits.unchecked || rh_sandbox_run(world, check_determinism, checked) != RH_SANDBOX_FAILED;
    x->known_to_differ = checked->kind != RH_OUTCOME_FINISHED;
    if (good && !*rh_world_refused(world))
        code = rh__run_exploration(x, o, &w, error, sizeof error);
    if (*rh_world_refused(world)) {
        snprintf(error, sizeof error, "%s", rh_world_refused(world));
        code = RH__EXIT_USAGE;
    }
    if (code != RH__EXIT_OK) {
        rh__text_add(to, "%s: %s", test->name, error);
        goto release;
    }
    if (x->interrupted)
        raise(x->interrupted); /* the suite is who is meant */
    rh__note_divergence(x, checked);
    struct rh__result r = { .test = test->name,
                            .explorer = o->explorer,
                            .model = rh__model_name(semantics->model),
                            .seed = semantics->seed,
                            .x = x,
                            .world = world,
                            .asked = *asked,
                            .required = o->required,
                            .require = o->require,
                            .determinism = *checked };
    r.failed = x->finding_count || checked->kind != RH_OUTCOME_FINISHED || rh__result_never(&r);
    report_result(&r, to);
    code = rh__exit_of(r.failed, x->stale, rh__result_unmet(&r, error, sizeof error));
release:
    rh__exploration_free(x);
    rh_world_free(world);
    rh_shared_free(w.params_asked, sizeof *w.params_asked);
    rh_shared_free(checked, sizeof *checked);
    return code;
}

/* Wrong use, or the tool failed: there is no result. */
static bool broken(int code)
{
    return code == RH__EXIT_USAGE || code == RH__EXIT_TOOL;
}

/* In this order: broken, something found, a stale schedule, less than what is required. */
static bool worse(int a, int b)
{
    static const unsigned char rank[] = {
        [RH__EXIT_UNMET] = 1, [RH__EXIT_DIVERGED] = 2, [RH__EXIT_FAILURE] = 3, [RH__EXIT_USAGE] = 4, [RH__EXIT_TOOL] = 4
    };
    return rank[a] > rank[b];
}

int rh_explore_test(const char *test, const char *options, char *report, size_t size)
{
    static const enum rh_model every_model[] = { RH_FIFO, RH_BAG, RH_CAUSAL, RH_MAILBOX };
    struct rh__options o;
    struct rh__text to;
    char text[MOST_BYTES], error[1024], nowhere[1];
    int worst = RH__EXIT_OK;
    rh__text_init(&to, size ? report : nowhere, size ? size : 1);
    const struct rh_test *t = rh__test_named(test);
    if (!t) {
        rh__text_add(&to, "there is no RH_TEST(%s) in this program", test);
        return RH__EXIT_USAGE;
    }
    if (options && strlen(options) >= sizeof text) {
        rh__text_add(&to, "more than %d bytes of options", MOST_BYTES - 1);
        return RH__EXIT_USAGE;
    }
    snprintf(text, sizeof text, "%s", options ? options : "");
    if (!read_options(&o, text, &to))
        return RH__EXIT_USAGE;
    for (size_t m = 0; m < (o.all_models ? 4 : 1) && !broken(worst); m++) {
        struct rh_semantics s, asked;
        if (!rh__options_semantics(&o, t, &s, &asked, error, sizeof error)) {
            rh__text_add(&to, "%s", error);
            return RH__EXIT_USAGE;
        }
        if (o.all_models)
            s.model = every_model[m];
        int code = explore(&o, t, &s, &asked, &to);
        worst = worse(code, worst) ? code : worst;
    }
    return worst;
}
