/* estimate: how many behaviours a test has, before any search: by random ways down the tree that `optimal` would walk. */
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "explore/explorers.h"
#include "report/result.h"
#include "runner/commands.h"
#include "trace/schedule.h"

/* As people write large numbers: 113,400, then 1.2e+15. */
static const char *number(double value, char *buffer, size_t size)
{
    char digits[32];
    if (value >= 1e15 || value != value) {
        snprintf(buffer, size, "%.2g", value);
        return buffer;
    }
    int n = snprintf(digits, sizeof digits, "%.0f", value), at = 0;
    for (int i = 0; i < n && (size_t)at + 2 < size; i++) {
        if (i && (n - i) % 3 == 0)
            buffer[at++] = ',';
        buffer[at++] = digits[i];
    }
    buffer[at] = 0;
    return buffer;
}

static void say_time(double seconds)
{
    if (seconds < 1)
        printf("less than a second");
    else if (seconds < 120)
        printf("at most about %.0f s", seconds);
    else if (seconds < 7200)
        printf("at most about %.0f minutes", seconds / 60);
    else if (seconds < 172800)
        printf("at most about %.0f hours", seconds / 3600);
    else
        printf("at most about %.3g days", seconds / 86400);
}

static void tell(const struct rh__result *r, const struct rh__size *size)
{
    const struct rh_exploration *x = r->x;
    char under[1024];
    struct rh__text t;
    char estimate[40], low[40], high[40], seen[40], descents[40];
    double rate = x->processor_seconds > 0 ? (double)x->runs / x->processor_seconds : 0;
    rh__text_init(&t, under, sizeof under);
    rh__result_semantics(r, &t);
    printf("%s  (%s, granularity object)\n", r->test, r->model);
    rh__terminal_wrapped("  under ", under);
    printf("  about %s behaviour%s; 95 %%: %s to %s\n", number(size->estimate, estimate, sizeof estimate),
           size->estimate > 1.5 ? "s" : "", number(size->low, low, sizeof low), number(size->high, high, sizeof high));
    printf("  from %s descents in %.2f s, which saw %s%s of them\n",
           number((double)size->descents, descents, sizeof descents), x->seconds,
           x->behaviours_at_least ? "at least " : "", number((double)x->behaviours, seen, sizeof seen));
    if (rate > 0) {
        printf("  optimal would take ");
        say_time(size->estimate / rate);
        printf(" on one core\n");
    }
    if (x->cut)
        printf("  note: runs were cut (max_steps); longer ones count once for each place where they were\n");
}

static int estimate(const struct rh__options *o, const struct rh_test *test, const struct rh_semantics *s,
                    const struct rh_semantics *asked)
{
    char error[1024];
    struct rh__limits limits = o->limits;
    limits.keep_going = true;
    if (!limits.max_runs && !limits.max_all_steps && !o->seconds_given)
        limits.max_seconds = 1;
    struct rh_world_options options = {
        .test = test, .semantics = s, .params = o->params, .param_count = o->param_count, .quiet = true
    };
    struct rh_world *w = rh_world_new(&options, error, sizeof error);
    struct rh_exploration *x = w ? rh__exploration_new(w, "descents", s->seed, &limits, error, sizeof error) : NULL;
    int code = RH__EXIT_USAGE;
    if (!x) {
        rh__complain("%s: %s", test->name, error);
    } else {
        x->mute = !o->verbose;
        code = rh__explore(x) ? RH__EXIT_OK : RH__EXIT_TOOL;
        if (*rh_world_refused(w)) {
            rh__complain("%s", rh_world_refused(w));
            code = RH__EXIT_USAGE;
        }
        struct rh__size size;
        struct rh__result r = {
            .test = test->name, .model = rh__model_name(s->model), .x = x, .world = w, .asked = *asked
        };
        rh__descents_result(x->explorer.state, x->behaviours, &size);
        if (code == RH__EXIT_OK && !(o->json && strcmp(o->json, "-") == 0))
            tell(&r, &size);
        if (code == RH__EXIT_OK)
            rh__json_estimate(&r, &size);
        if (x->interrupted)
            code = RH__EXIT_SIGNAL + x->interrupted;
        fflush(stdout);
    }
    rh__exploration_free(x);
    rh_world_free(w);
    return code;
}

static bool wanted(const struct rh__options *o, const struct rh_test *t)
{
    for (size_t i = 0; i < o->word_count; i++)
        if (strcmp(o->words[i], t->name) == 0)
            return true;
    return o->word_count == 0;
}

/* Everything that can be refused is refused before the first descent. */
static bool prepare(const struct rh__options *o, char *error, size_t error_size)
{
    struct rh_semantics s;
    for (size_t i = 0; i < o->word_count; i++)
        if (!rh__test_named(o->words[i])) {
            snprintf(error, error_size, "there is no test %s; `rehearse list` shows them", o->words[i]);
            return false;
        }
    bool good = rh__options_params_known(o, error, error_size);
    for (const struct rh_test *t = rh_test_first(); good && t; t = t->next)
        good = !wanted(o, t) || rh__options_semantics(o, t, &s, NULL, error, error_size);
    return good && (!o->json || rh__json_open(o->json, error, error_size));
}

int rh__command_estimate(const char *program, const struct rh__options *o)
{
    static const enum rh_model every_model[] = { RH_FIFO, RH_BAG, RH_CAUSAL, RH_MAILBOX };
    char error[1024];
    struct rh__options with = *o;
    int code = RH__EXIT_OK;
    (void)program;
    with.explorer = "descents";
    if (!prepare(&with, error, sizeof error)) {
        rh__complain("%s", error);
        rh__reports_drop();
        return RH__EXIT_USAGE;
    }
    for (const struct rh_test *t = rh_test_first(); t && code == RH__EXIT_OK; t = t->next) {
        if (!wanted(o, t))
            continue;
        for (size_t m = 0; m < (o->all_models ? 4 : 1) && code == RH__EXIT_OK; m++) {
            struct rh_semantics s, asked;
            rh__options_semantics(&with, t, &s, &asked, error, sizeof error);
            if (o->all_models)
                s.model = every_model[m];
            code = estimate(o, t, &s, &asked);
        }
    }
    if (!rh__json_close(error, sizeof error)) {
        rh__complain("%s", error);
        code = RH__EXIT_TOOL;
    }
    return code;
}
