/* Explores from within another program (rehearse/run.h): does what `test` does, with a text in place of reports and
 * files. */
#include <rehearse/run.h>

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/batch.h"
#include "runner/commands.h"
#include "runner/option_rows.h"

enum { MOST_WORDS = 128, MOST_BYTES = 4096 };

/* Splits the text into words at white space; quotes of either kind keep white space together. */
static bool split_into_words(char *text, char **words, int *count, struct rh__text *report)
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
        /* Quotes may begin inside a word, as in -p name="two words".  They are removed. */
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
    if (!split_into_words(text, words, &count, report))
        return false;
    if (!rh__options_parse(o, RH__FOR_EMBEDDED, count, words, error, sizeof error)) {
        rh__text_add(report, "%s", error);
        return false;
    }
    if (o->word_count) {
        rh__text_add(report, "options of another kind than say what to explore: see rehearse/run.h");
        return false;
    }
    return true;
}

/* See rehearse/unit.h, which needs the header of a framework. */
bool rh_unit_run_(const struct rh_test *test, char *report, size_t size);

/* ---- one test under one model ------------------------------------------------------------------------------------ */

struct embedding {
    struct rh__text *to;
    int worst;
};

/* Exit codes by how much they say: wrong use or a failure of the tool, a finding, a stale schedule, less than
 * required. */
static bool is_worse(int a, int b)
{
    static const unsigned char rank[] = {
        [RH__EXIT_UNMET] = 1, [RH__EXIT_DIVERGED] = 2, [RH__EXIT_FAILURE] = 3, [RH__EXIT_USAGE] = 4, [RH__EXIT_TOOL] = 4
    };
    return rank[a] > rank[b];
}

/* Stops the batch by an exit code only if there is no result. */
static int explore(struct rh__batch *b, const struct rh__plan *plan, void *arg)
{
    struct embedding *e = arg;
    struct rh__session s;
    struct rh__plan own = *plan;
    struct rh__result r;
    own.quiet = true;
    own.progress = NULL;
    int code = rh__session_open(&s, &own);
    if (code == RH__EXIT_OK) {
        code = rh__session_run(&s);
        if (code == RH__EXIT_OK && s.x->end.interrupted)
            raise(s.x->end.interrupted); /* the signal is meant for the suite */
    }
    if (code == RH__EXIT_OK) {
        struct rh__batch one = { .options = b->options };
        rh__session_result(&s, &r);
        rh__reports_result(&b->reports, &r);
        rh__batch_add(&one, &r);
        int found = rh__batch_exit(&one);
        e->worst = is_worse(found, e->worst) ? found : e->worst;
    } else {
        rh__text_add(e->to, "%s", *s.error ? s.error : "the tool failed");
        e->worst = code;
    }
    rh__session_close(&s);
    return code;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static void ignore(const char *sentence)
{
    (void)sentence;
}

int rh_explore_test(const char *test, const char *options, char *report, size_t size)
{
    static const struct rh__reporter *const reporters[] = { &rh__reporter_text, NULL };
    static const char *const values[] = { NULL };
    static const struct rh__report_end end;
    struct rh__options o;
    struct rh__text to;
    struct embedding e = { .to = &to, .worst = RH__EXIT_OK };
    struct rh__batch batch = { .program = "", .options = &o };
    struct rh__report_setup setup = { .program = "", .text = &to };
    char text[MOST_BYTES], error[1024], nowhere[1];
    rh__text_init(&to, size ? report : nowhere, size ? size : 1);
    if (!rh__test_named(test)) {
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
    o.words[o.word_count++] = test;
    if (!rh__batch_check(&batch, error, sizeof error) ||
        !rh__reports_open(&batch.reports, reporters, values, &setup, error, sizeof error)) {
        rh__text_add(&to, "%s", error);
        return RH__EXIT_USAGE;
    }
    rh__batch_each(&batch, explore, &e);
    rh__reports_close(&batch.reports, &end, ignore);
    return e.worst;
}

bool rh_unit_run_(const struct rh_test *test, char *report, size_t size)
{
    return rh_explore_test(test->name, getenv("REHEARSE_OPTIONS"), report, size) == RH__EXIT_OK;
}
