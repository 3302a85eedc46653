/* See options.h. */
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/pool.h"
#include "coverage/goals.h"
#include "explore/engine.h"
#include "trace/schedule.h"

typedef bool take_fn(struct rh__options *o, const char *name, const char *value, char *error, size_t error_size);

static bool take_explorer(struct rh__options *o, const char *name, const char *value, char *error, size_t error_size)
{
    (void)name, (void)error, (void)error_size;
    o->explorer = value;
    return true;
}

static bool take_setting(struct rh__options *o, const char *name, const char *value, char *error, size_t error_size)
{
    struct rh_semantics scratch = { .model = RH_FIFO };
    static char fixed[RH__MOST_SETTINGS][32];
    if (strcmp(name, "model") == 0 && strcmp(value, "all") == 0) {
        o->all_models = true;
        return true;
    }
    if (o->setting_count == RH__MOST_SETTINGS) {
        snprintf(error, error_size, "more than %d settings", RH__MOST_SETTINGS);
        return false;
    }
    /* --kept-restarts is kept_restarts. */
    char *own = fixed[o->setting_count];
    snprintf(own, sizeof fixed[0], "%s", name);
    for (char *c = own; *c; c++)
        if (*c == '-')
            *c = '_';
    if (!rh__semantics_set(&scratch, own, value, error, error_size))
        return false;
    o->settings[o->setting_count++] = (struct rh_param){ own, value };
    return true;
}

static bool split(struct rh__options *o, const char *value, const char **name, const char **rest, char *error,
                  size_t error_size)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        snprintf(error, error_size, "%s: NAME=VALUE is wanted", value);
        return false;
    }
    size_t length = (size_t)(equals - value);
    if (length + 1 > sizeof o->names - o->names_used) {
        snprintf(error, error_size, "%.40s...: the names are too long", value);
        return false;
    }
    *name = memcpy(o->names + o->names_used, value, length);
    o->names_used += length;
    o->names[o->names_used++] = 0;
    *rest = equals + 1;
    return true;
}

static bool take_set(struct rh__options *o, const char *name, const char *value, char *error, size_t error_size)
{
    const char *field, *rest;
    (void)name;
    return split(o, value, &field, &rest, error, error_size) && take_setting(o, field, rest, error, error_size);
}

static bool take_param(struct rh__options *o, const char *name, const char *value, char *error, size_t error_size)
{
    struct rh_param p;
    (void)name;
    if (!split(o, value, &p.name, &p.value, error, error_size))
        return false;
    if (o->param_count == RH__MOST_PARAMS) {
        snprintf(error, error_size, "more than %d parameters", RH__MOST_PARAMS);
        return false;
    }
    for (size_t i = 0; i < o->param_count; i++)
        if (strcmp(o->params[i].name, p.name) == 0) {
            snprintf(error, error_size, "-p %s: it is given twice, as %s and as %s", p.name, o->params[i].value,
                     p.value);
            return false;
        }
    o->params[o->param_count++] = p;
    return true;
}

static bool take_number(struct rh__options *o, const char *name, const char *value, char *error, size_t error_size)
{
    char *end;
    double number = strtod(value, &end);
    bool whole = strcmp(name, "max-seconds") != 0;
    bool digits = *value && strspn(value, "0123456789") == strlen(value);
    errno = 0;
    uint64_t exact = strtoull(value, NULL, 10);
    if (whole && (!digits || errno || (strcmp(name, "step") == 0 && exact > UINT32_MAX))) {
        snprintf(error, error_size, "--%s %s: a whole number is wanted", name, value);
        return false;
    }
    if (!whole && (end == value || *end || !(number >= 0) || number > 1e9)) {
        snprintf(error, error_size, "--%s %s: a number of seconds is wanted", name, value);
        return false;
    }
    if (strcmp(name, "seed") == 0)
        o->seed = exact, o->seed_given = true;
    else if (strcmp(name, "max-runs") == 0)
        o->limits.max_runs = exact;
    else if (strcmp(name, "max-seconds") == 0)
        o->limits.max_seconds = number;
    else if (strcmp(name, "max-all-steps") == 0)
        o->limits.max_all_steps = exact;
    else
        o->step = (uint32_t)exact;
    return true;
}

static bool take_path(struct rh__options *o, const char *name, const char *value, char *error, size_t error_size)
{
    (void)error, (void)error_size;
    const struct {
        const char *name, **to;
    } paths[] = { { "save", &o->save },   { "checkpoint", &o->checkpoint },       { "json", &o->json },
                  { "junit", &o->junit }, { "coverage-file", &o->coverage_file }, { "suite", &o->suite } };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (strcmp(name, paths[i].name) == 0)
            *paths[i].to = value;
    return true;
}

static bool take_coverage(struct rh__options *o, const char *name, const char *value, char *error, size_t error_size)
{
    (void)name;
    o->criteria = rh__criteria_parse(value, error, error_size);
    return o->criteria != 0;
}

static bool take_require(struct rh__options *o, const char *name, const char *value, char *error, size_t error_size)
{
    (void)name;
    for (o->require = RH_VERDICT_BOUNDED; o->require <= RH_VERDICT_EXHAUSTIVE; o->require++)
        if (strcmp(value, rh_verdict_name(o->require)) == 0)
            return o->required = true;
    snprintf(error, error_size, "--require %s: it is one of exhaustive, bounded", value);
    return false;
}

/* `value` is NULL for -j alone. */
static bool take_workers(struct rh__options *o, const char *name, const char *value, char *error, size_t error_size)
{
    (void)name;
    errno = 0;
    unsigned long long n = value ? strtoull(value, NULL, 10) : 0;
    if (value && (!*value || strspn(value, "0123456789") != strlen(value) || errno || n > RH__MOST_WORKERS)) {
        snprintf(error, error_size, "-j %s: a number of workers is wanted, at most %d; 0 for one on each processor",
                 value, RH__MOST_WORKERS);
        return false;
    }
    o->workers = n ? (uint32_t)n : rh__cores();
    return true;
}

static bool take_flag(struct rh__options *o, const char *name, const char *value, char *error, size_t error_size)
{
    (void)value, (void)error, (void)error_size;
    if (strcmp(name, "keep-going") == 0)
        o->limits.keep_going = true;
    else if (strcmp(name, "no-determinism-check") == 0)
        o->limits.unchecked = true;
    else if (strcmp(name, "tap") == 0)
        o->tap = true;
    else if (strcmp(name, "quiet") == 0)
        o->quiet = true;
    else if (strcmp(name, "verbose") == 0)
        o->verbose = true;
    else if (strcmp(name, "gdb") == 0)
        o->gdb = true;
    else if (strcmp(name, "resume") == 0)
        o->resume = true;
    else
        o->help = true;
    return true;
}

static const struct option {
    const char *name, *value, *text;
    take_fn *take;
} options[] = {
    { "explorer", "NAME[:ARG]", "who decides which runs to make; `rehearse list` shows them", take_explorer },
    { "model", "M", "bag, fifo, causal, mailbox, or all of them", take_setting },
    { "granularity", "G", "handler, send (with mailbox), operation, object", take_setting },
    { "time", "T", "free, ordered or logical", take_setting },
    { "seed", "N", "of the explorer and of rh_random (1)", take_number },
    { "p", "NAME=VALUE", "a parameter of the test", take_param },
    { "max-runs", "N", "stop after N runs", take_number },
    { "max-seconds", "S", "stop after S seconds of processor time, of each worker (10, if no limit is given)",
      take_number },
    { "max-steps", "N", "cut a run after N events (100000)", take_setting },
    { "max-all-steps", "N", "stop after N events in all runs", take_number },
    { "keep-going", NULL, "go on after the first finding", take_flag },
    { "no-determinism-check", NULL, "make no run again to see whether the program does the same", take_flag },
    { "j", "[N]", "with N workers; 0 or no number: one on each processor", take_workers },
    { "checkpoint", "FILE", "keep there what is done and what is left", take_path },
    { "resume", NULL, "go on from the checkpoint", take_flag },
    { "losses", "N", "up to N messages are lost", take_setting },
    { "duplicates", "N", "up to N messages arrive twice", take_setting },
    { "crashes", "N", "up to N actors crash", take_setting },
    { "restarts", "N", "up to N of them start again with their first state", take_setting },
    { "kept-restarts", "N", "up to N of them start again with the state they had", take_setting },
    { "partitions", "N", "the network splits up to N times", take_setting },
    { "failed-opens", "N", "up to N times a store cannot be opened", take_setting },
    { "damaged-stores", "N", "up to N stores are damaged", take_setting },
    { "failed-puts", "N", "up to N puts cannot be made durable", take_setting },
    { "set", "NAME=VALUE", "any other field of struct rh_semantics", take_set },
    { "save", "DIR", "schedules of findings go there", take_path },
    { "coverage", "C", "measure coverage of ordering goals: pr, pcr, pmr, several with commas, or all", take_coverage },
    { "coverage-file", "FILE", "keep that coverage there, for `rehearse coverage`", take_path },
    { "suite", "DIR", "keep the schedules that brought it there, as a corpus", take_path },
    { "require", "VERDICT", "exhaustive or bounded: less than that is exit 5", take_require },
    { "json", "FILE", "one JSON object per test", take_path },
    { "junit", "FILE", "JUnit XML", take_path },
    { "tap", NULL, "Test Anything Protocol on standard output", take_flag },
    { "step", "N", "replay: stop after event N", take_number },
    { "gdb", NULL, "replay: in gdb, stopped before the event that --step names (the last)", take_flag },
    { "quiet", NULL, "findings and verdicts only", take_flag },
    { "verbose", NULL, "also what is logged", take_flag },
    { "help", NULL, "this text", take_flag },
};

static const struct option *find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

static bool is_short(const struct option *option)
{
    return !option->name[1];
}

/* The value of -j is optional: a number in the same word or in the next.  Gives how many words it took; 0: it is not -j. */
static int parse_workers(struct rh__options *o, const char *word, const char *next, bool *good, char *error,
                         size_t error_size)
{
    if (strncmp(word, "-j", 2) != 0)
        return 0;
    bool here = word[2], there = !here && next && *next && strspn(next, "0123456789") == strlen(next);
    *good = take_workers(o, "j", here ? word + 2 : there ? next : NULL, error, error_size);
    return there ? 2 : 1;
}

bool rh__options_parse(struct rh__options *o, int argc, char **argv, char *error, size_t error_size)
{
    *o = (struct rh__options){ .explorer = "portfolio:random+dfs", .seed = 1 };
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (word[0] != '-' || !word[1]) {
            if (o->word_count == RH__MOST_WORDS) {
                snprintf(error, error_size, "too many words: \"%s\"", word);
                return false;
            }
            o->words[o->word_count++] = word;
            continue;
        }
        bool good = true;
        int words = parse_workers(o, word, i + 1 < argc ? argv[i + 1] : NULL, &good, error, error_size);
        if (words && !good)
            return false;
        if (words) {
            i += words - 1;
            continue;
        }
        const char *name = word + 1 + (word[1] == '-');
        size_t length = strcspn(name, "=");
        const char *value = name[length] && word[1] == '-' ? name + length + 1 : NULL;
        const struct option *option = find(name, value ? length : strlen(name));
        if (!option || (word[1] != '-') != is_short(option)) {
            snprintf(error, error_size, "%s: there is no such option (--help lists them)", word);
            return false;
        }
        if (option->value && !value) {
            if (i + 1 == argc) {
                snprintf(error, error_size, "%s wants %s", word, option->value);
                return false;
            }
            value = argv[++i];
        } else if (!option->value && value) {
            snprintf(error, error_size, "--%s takes no value", option->name);
            return false;
        }
        if (!option->take(o, option->name, value, error, error_size))
            return false;
    }
    if (o->resume && !o->checkpoint) {
        snprintf(error, error_size, "--resume wants --checkpoint FILE, to go on from");
        return false;
    }
    o->seconds_given = o->limits.max_seconds > 0;
    if (o->limits.max_runs == 0 && o->limits.max_seconds == 0 && o->limits.max_all_steps == 0)
        o->limits.max_seconds = 10;
    return true;
}

void rh__options_help(void)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s %s", is_short(&options[i]) ? "-" : "--", options[i].name,
                 options[i].value ? options[i].value : "");
        printf("    %-24s %s\n", left, options[i].text);
    }
}

bool rh__options_semantics(const struct rh__options *o, const struct rh_test *test, struct rh_semantics *s,
                           struct rh_semantics *asked, char *error, size_t error_size)
{
    *s = test->semantics;
    if (o->seed_given || !s->seed)
        s->seed = o->seed;
    for (size_t i = 0; i < o->setting_count; i++)
        if (!rh__semantics_set(s, o->settings[i].name, o->settings[i].value, error, error_size))
            return false;
    if (asked)
        *asked = *s;
    if (rh__explorer_wants_objects(o->explorer)) {
        bool named = false;
        for (size_t i = 0; i < o->setting_count; i++)
            named |= strcmp(o->settings[i].name, "granularity") == 0;
        if (named && s->granularity != RH_GRAIN_OBJECT) {
            snprintf(error, error_size, "explorer %s works with granularity object only", o->explorer);
            return false;
        }
        s->granularity = RH_GRAIN_OBJECT;
    }
    return true;
}

static const struct rh_param_entry *declared(const struct rh_param_entry *list, const char *name)
{
    while (list && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

static void add_names(struct rh__text *t, const struct rh_param_entry *list)
{
    if (!list)
        rh__text_add(t, " none");
    for (; list; list = list->next)
        rh__text_add(t, " %s", list->name);
}

/* A program that declares its parameters or bugs (RH_PARAM, RH_BUG) means all of them: a slip of the pen is refused. */
bool rh__options_params_known(const struct rh__options *o, char *error, size_t error_size)
{
    struct rh__text t;
    rh__text_init(&t, error, error_size);
    bool any = rh_param_first() || rh_bug_first();
    for (size_t i = 0; i < o->param_count; i++) {
        const struct rh_param *p = &o->params[i];
        bool bug = strcmp(p->name, "bug") == 0 && !declared(rh_param_first(), p->name);
        if (bug && any && *p->value && !declared(rh_bug_first(), p->value)) {
            rh__text_add(&t, "-p bug=%s: there is no such bug; there are", p->value);
            add_names(&t, rh_bug_first());
            return false;
        }
        if (!bug && any && !declared(rh_param_first(), p->name)) {
            rh__text_add(&t, "-p %s=%s: there is no such parameter; there are", p->name, p->value);
            add_names(&t, rh_param_first());
            if (rh_bug_first()) {
                rh__text_add(&t, ", and bug, which may be");
                add_names(&t, rh_bug_first());
            }
            return false;
        }
        const struct rh_param_entry *entry = declared(rh_param_first(), p->name);
        if (entry && rh__text_is_number(entry->otherwise) && !rh__text_is_number(p->value)) {
            rh__text_add(&t, "-p %s=%s: a whole number of 64 bits is wanted", p->name, p->value);
            return false;
        }
    }
    return true;
}
