/* See options.h. */
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guess.h"
#include "cluster/pool.h"
#include "coverage/goals.h"
#include "explore/engine/engine.h"
#include "explore/tree.h"
#include "runner/option_rows.h"
#include "trace/schedule.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Each function reads the value of an option; false with a sentence. */

static bool is_digits(const char *value)
{
    return *value && strspn(value, "0123456789") == strlen(value);
}

static bool take_number(const char *name, const char *value, uint64_t most, uint64_t *to, char *error,
                        size_t error_size)
{
    errno = 0;
    unsigned long long number = strtoull(value, NULL, 10);
    if (!is_digits(value) || errno || number > most) {
        snprintf(error, error_size, "--%s %s: a whole number is wanted", name, value);
        return false;
    }
    *to = number;
    return true;
}

static bool take_seconds(const char *name, const char *value, double *to, char *error, size_t error_size)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || !(number > 0) || number > 1e9) {
        snprintf(error, error_size, "--%s %s: a number of seconds is wanted%s", name, value,
                 number == 0 && end != value && !*end ? ", more than 0" : "");
        return false;
    }
    *to = number;
    return true;
}

/* The value is checked now and applied to the semantics of each test later. */
static bool take_setting(struct rh__options *o, const char *field, const char *value, char *error, size_t error_size)
{
    struct rh_semantics scratch = { .model = RH_FIFO };
    if (strcmp(field, "model") == 0 && strcmp(value, "all") == 0) {
        o->all_models = true;
        return true;
    }
    if (o->setting_count == RH__MOST_SETTINGS) {
        snprintf(error, error_size, "more than %d settings", RH__MOST_SETTINGS);
        return false;
    }
    if (!rh__semantics_set(&scratch, field, value, error, error_size))
        return false;
    o->settings[o->setting_count++] = (struct rh_param){ field, value };
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

/* Fields may be written with dashes, as options are: kept-restarts is kept_restarts. */
static bool take_set(struct rh__options *o, const char *value, char *error, size_t error_size)
{
    const char *field, *rest;
    char *name = o->names + o->names_used;
    if (!split(o, value, &field, &rest, error, error_size))
        return false;
    for (char *c = name; *c; c++)
        if (*c == '-')
            *c = '_';
    return take_setting(o, field, rest, error, error_size);
}

static bool take_parameter(struct rh__options *o, const char *value, char *error, size_t error_size)
{
    struct rh_param p;
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

/* The explorers that have weights have the same classes. */
static const struct rh_argument *next_class(const struct rh_argument *before)
{
    const struct rh_explorer *e = rh__explorer_named("weighted", strlen("weighted"));
    const struct rh_argument *a = before ? before + 1 : e->arguments;
    while (a->name && !(a->kind == RH_ARGUMENT_REAL && a->named))
        a++;
    return a->name ? a : NULL;
}

static bool is_class(const char *value, char *error, size_t error_size)
{
    size_t length = strcspn(value, "=");
    struct rh__guess g = rh__guess_of(value, length);
    struct rh__text t;
    for (const struct rh_argument *a = next_class(NULL); a; a = next_class(a)) {
        if (strlen(a->name) == length && strncmp(a->name, value, length) == 0)
            return true;
        rh__guess_try(&g, a->name);
    }
    rh__text_init(&t, error, error_size);
    rh__text_add(&t, "--weight %s: there is no such class of choices", value);
    rh__guess_add(&g, &t);
    rh__text_add(&t, "; there are");
    for (const struct rh_argument *a = next_class(NULL); a; a = next_class(a))
        rh__text_add(&t, " %s", a->name);
    return false;
}

static bool take_weight(struct rh__options *o, const char *value, char *error, size_t error_size)
{
    size_t used = strlen(o->weights), length = strlen(value);
    if (!strchr(value, '=') || strpbrk(value, "(), ") || *value == '=') {
        snprintf(error, error_size, "--weight %s: CLASS=W is wanted, such as timer=0.5", value);
        return false;
    }
    if (!is_class(value, error, error_size))
        return false;
    if (used + length + 3 > sizeof o->weights) {
        snprintf(error, error_size, "--weight %s: there are too many weights", value);
        return false;
    }
    snprintf(o->weights + used, sizeof o->weights - used, "%s%s", used ? ", " : "", value);
    return true;
}

static bool take_verdict(const char *name, const char *value, enum rh_verdict *to, char *error, size_t error_size)
{
    for (*to = RH_VERDICT_BOUNDED; *to <= RH_VERDICT_EXHAUSTIVE; (*to)++)
        if (strcmp(value, rh_verdict_name(*to)) == 0)
            return true;
    snprintf(error, error_size, "--%s %s: it is one of exhaustive, bounded", name, value);
    return false;
}

/* `value` is NULL for -j alone. */
static bool take_workers(const char *value, uint32_t *to, char *error, size_t error_size)
{
    errno = 0;
    unsigned long long n = value ? strtoull(value, NULL, 10) : 0;
    if (value && (!is_digits(value) || errno || n > RH__MOST_WORKERS)) {
        snprintf(error, error_size, "-j %s: a number of workers is wanted, at most %d; 0 for one on each processor",
                 value, RH__MOST_WORKERS);
        return false;
    }
    *to = n ? (uint32_t)n : rh__cores();
    return true;
}

static bool take(struct rh__options *o, const struct rh__option_row *row, const char *value, char *error,
                 size_t error_size)
{
    const char *name = row->option.name;
    void *at = (char *)o + row->offset;
    uint64_t number;
    if (row->given)
        *(bool *)((char *)o + row->given) = true;
    switch (row->kind) {
    case RH__OPTION_FLAG:
        return *(bool *)at = true;
    case RH__OPTION_TEXT:
        *(const char **)at = value ? value : "";
        return true;
    case RH__OPTION_NUMBER:
        return take_number(name, value, UINT64_MAX, at, error, error_size);
    case RH__OPTION_SMALL:
        if (!take_number(name, value, UINT32_MAX, &number, error, error_size))
            return false;
        *(uint32_t *)at = (uint32_t)number;
        return true;
    case RH__OPTION_SECONDS:
        return take_seconds(name, value, at, error, error_size);
    case RH__OPTION_SETTING:
        return take_setting(o, row->setting, value, error, error_size);
    case RH__OPTION_SET:
        return take_set(o, value, error, error_size);
    case RH__OPTION_WEIGHT:
        return take_weight(o, value, error, error_size);
    case RH__OPTION_PARAMETER:
        return take_parameter(o, value, error, error_size);
    case RH__OPTION_CRITERIA:
        return (*(uint32_t *)at = rh__criteria_parse(value, error, error_size)) != 0;
    case RH__OPTION_VERDICT:
        return take_verdict(name, value, at, error, error_size);
    case RH__OPTION_WORKERS:
        return take_workers(value, at, error, error_size);
    case RH__OPTION_SETTINGS:
    case RH__OPTION_REPORTERS:
        break; /* rh__option_next gives the rows in their place */
    }
    return false;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static bool find(const char *name, size_t length, bool is_short, struct rh__option_row *row)
{
    struct rh__option_walk walk = { 0 };
    while (rh__option_next(&walk, row))
        if (strlen(row->option.name) == length && strncmp(row->option.name, name, length) == 0)
            return is_short == !row->option.name[1];
    return false;
}

static void refuse_option(const char *word, const char *name, size_t length, char *error, size_t error_size)
{
    struct rh__option_walk walk = { 0 };
    struct rh__option_row row;
    struct rh__text t;
    struct rh__guess g = rh__guess_of(name, length);
    while (rh__option_next(&walk, &row))
        if (row.option.name[1])
            rh__guess_try(&g, row.option.name);
    rh__text_init(&t, error, error_size);
    rh__text_add(&t, "%s: there is no such option ", word);
    if (g.best)
        rh__text_add(&t, "(did you mean --%s? --help lists them all)", g.best);
    else
        rh__text_add(&t, "(--help lists them)");
}

/* "--gdb is for `replay`": an option that a command would ignore is refused. */
static bool is_taken_by(const struct rh__option_row *row, uint32_t command, char *error, size_t error_size)
{
    struct rh__text t;
    unsigned left = 0;
    if (row->commands & command)
        return true;
    rh__text_init(&t, error, error_size);
    rh__text_add(&t, "%s%s", rh__option_dashes(&row->option), row->option.name);
    if (command == RH__FOR_EMBEDDED) {
        rh__text_add(&t, ": options of another kind than say what to explore: see rehearse/run.h");
        return false;
    }
    for (const struct rh__command_row *c = rh__command_rows; c->name; c++)
        left += (row->commands & c->bit) != 0;
    rh__text_add(&t, " is for");
    for (const struct rh__command_row *c = rh__command_rows; c->name; c++)
        if (row->commands & c->bit) {
            left--;
            rh__text_add(&t, " `%s`%s", c->name, left > 1 ? "," : left ? " and" : "");
        }
    return false;
}

/* One option, with its value in the same word or in the next; the number of words it took, or 0 with a sentence. */
static int parse_option(struct rh__options *o, uint32_t command, char **words, int count, char *error,
                        size_t error_size)
{
    const char *word = words[0], *next = count > 1 ? words[1] : NULL, *value = NULL;
    bool is_short = word[1] != '-';
    const char *name = word + 1 + !is_short;
    size_t length = is_short ? strlen(name) : strcspn(name, "=");
    struct rh__option_row row;
    int taken = 1;
    if (is_short && *name == 'j') { /* -j, -j4, -j 4 */
        bool number_follows = !name[1] && next && is_digits(next);
        value = name[1] ? name + 1 : number_follows ? next : NULL;
        taken = number_follows ? 2 : 1;
        length = 1;
    } else if (!is_short && name[length]) {
        value = name + length + 1;
    }
    if (!find(name, length, is_short, &row)) {
        refuse_option(word, name, length, error, error_size);
        return 0;
    }
    if (!is_taken_by(&row, command, error, error_size))
        return 0;
    if (!row.option.argument && value) {
        snprintf(error, error_size, "--%s takes no value", row.option.name);
        return 0;
    }
    if (row.option.argument && !value && row.kind != RH__OPTION_WORKERS) {
        if (!next) {
            snprintf(error, error_size, "%s wants %s", word, row.option.argument);
            return 0;
        }
        value = next;
        taken = 2;
    }
    return take(o, &row, value, error, error_size) ? taken : 0;
}

/* Whether the explorer takes the class of the first of these weights. */
static bool has_weight(const struct rh_explorer *e, const char *weights)
{
    size_t length = strcspn(weights, "=");
    for (const struct rh_argument *a = e->arguments; a && a->name; a++)
        if (a->kind == RH_ARGUMENT_REAL && a->named && strlen(a->name) == length &&
            strncmp(a->name, weights, length) == 0)
            return true;
    return false;
}

/* Puts the weights among the arguments of the explorer.  It must have weights itself: of an expression with several
 * explorers, which of them is meant would be a guess. */
static bool apply_weights(struct rh__options *o, char *error, size_t error_size)
{
    size_t name = strcspn(o->explorer, "(: +"), all = strlen(o->explorer);
    const struct rh_explorer *e = rh__explorer_named(o->explorer, name);
    bool bare = name == all, closed = o->explorer[name] == '(' && o->explorer[all - 1] == ')';
    if (!e || (!bare && !closed) || !has_weight(e, o->weights)) {
        bool has_some = e && has_weight(e, "deliver=");
        snprintf(error, error_size,
                 has_some && (bare || closed)
                     ? "--weight %s: explorer %s has no such class (`rehearse list` shows them)"
                     : "--weight %s: explorer %s has no weights: use weighted, swarm or phases, or write the weights "
                       "into the expression",
                 o->weights, o->explorer);
        return false;
    }
    size_t inside = bare ? 0 : all - name - 2;
    int n = snprintf(o->weighted_explorer, sizeof o->weighted_explorer, "%.*s(%.*s%s%s)", (int)name, o->explorer,
                     (int)inside, bare ? "" : o->explorer + name + 1, inside ? ", " : "", o->weights);
    if (n < 0 || (size_t)n >= sizeof o->weighted_explorer) {
        snprintf(error, error_size, "--weight %s: the explorer is too long", o->weights);
        return false;
    }
    o->explorer = o->weighted_explorer;
    return true;
}

/* Work does not depend on the load or the speed of the machine, so a verdict of auto does not, either.  The time is a
 * limit for slow programs. */
static void set_default_limits(struct rh__options *o)
{
    struct rh__limits *l = &o->limits;
    bool automatic = strcmp(o->explorer, "auto") == 0;
    o->limit_given = l->max_runs || l->max_seconds > 0 || l->max_all_steps;
    if (o->limit_given)
        return;
    l->max_all_steps = automatic ? 10000000 : 0;
    l->max_seconds = automatic ? 60 : 10;
}

bool rh__options_parse(struct rh__options *o, uint32_t command, int argc, char **argv, char *error, size_t error_size)
{
    *o = (struct rh__options){ .explorer = "auto", .seed = 1 };
    for (int i = 0, words; i < argc; i += words) {
        words = 1;
        if (argv[i][0] == '-' && argv[i][1]) {
            words = parse_option(o, command, argv + i, argc - i, error, error_size);
            if (!words)
                return false;
        } else if (o->word_count == RH__MOST_WORDS) {
            snprintf(error, error_size, "too many words: \"%s\"", argv[i]);
            return false;
        } else {
            o->words[o->word_count++] = argv[i];
        }
    }
    if (o->all_models && !(command & RH__FOR_RUNS)) {
        snprintf(error, error_size, "--model all is for `test` and `estimate`");
        return false;
    }
    if (o->resume && !o->checkpoint) {
        snprintf(error, error_size, "--resume wants --checkpoint FILE, to go on from");
        return false;
    }
    if (*o->weights && !apply_weights(o, error, error_size))
        return false;
    set_default_limits(o);
    /* Not all members of auto can share their work. */
    if (strcmp(o->explorer, "auto") == 0 && (o->workers > 1 || o->checkpoint || o->cluster))
        o->explorer = "auto(shared)";
    return true;
}

/* ---- what they mean ---------------------------------------------------------------------------------------------- */

const struct rh__reporter *rh__options_one_test(const struct rh__options *o)
{
    for (size_t i = 0; rh__reporters[i]; i++)
        if (o->reports[i] && rh__reporters[i]->of_one_test)
            return rh__reporters[i];
    return NULL;
}

bool rh__options_need_coverage(const struct rh__options *o)
{
    bool needed = o->suite != NULL;
    for (size_t i = 0; rh__reporters[i]; i++)
        needed |= o->reports[i] && rh__reporters[i]->needs_coverage;
    return needed;
}

/* Object granularity has no partitions: they only postpone steps, and an explorer of every order does not need them.  A
 * sampler does. */
static bool suits_object(const struct rh_semantics *s)
{
    return !s->partitions;
}

static bool settle_granularity(const struct rh__options *o, const struct rh_test *test, struct rh_semantics *s,
                               char *error, size_t error_size)
{
    bool named = false, stated = s->granularity != RH_GRAIN_DEFAULT;
    if (test->scenario) {
        if (stated && s->granularity != RH_GRAIN_HANDLER) {
            snprintf(error, error_size, "%s is a scenario: its steps have granularity handler, and no other",
                     test->name);
            return false;
        }
        s->granularity = RH_GRAIN_HANDLER;
        return true;
    }
    for (size_t i = 0; i < o->setting_count; i++)
        named |= strcmp(o->settings[i].name, "granularity") == 0 && stated;
    if (rh__explorer_needs_object_granularity(o->explorer)) {
        if (named && s->granularity != RH_GRAIN_OBJECT) {
            snprintf(error, error_size, "explorer %s works with granularity object only", o->explorer);
            return false;
        }
        s->granularity = RH_GRAIN_OBJECT;
    } else if (!stated) {
        bool wanted = rh__explorer_prefers_object(o->explorer) || s->kills == RH_KILL_ANYWHERE;
        bool object = wanted && suits_object(s);
        s->granularity = object ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER;
    }
    return true;
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
    return settle_granularity(o, test, s, error, error_size);
}

static const struct rh_param_entry *declared(const struct rh_param_entry *list, const char *name)
{
    while (list && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

static void add_guess(struct rh__text *t, const char *word, const struct rh_param_entry *list)
{
    struct rh__guess g = rh__guess_of(word, strlen(word));
    for (; list; list = list->next)
        rh__guess_try(&g, list->name);
    rh__guess_add(&g, t);
}

static void add_names(struct rh__text *t, const struct rh_param_entry *list)
{
    if (!list)
        rh__text_add(t, " none");
    for (; list; list = list->next)
        rh__text_add(t, " %s", list->name);
}

/* If a program declares parameters or bugs (RH_PARAM, RH_BUG), it declares all of them, and other names are refused. */
bool rh__params_known(const struct rh_param *params, size_t count, const char *prefix, char *error, size_t error_size)
{
    struct rh__text t;
    rh__text_init(&t, error, error_size);
    bool any = rh_param_first() || rh_bug_first();
    for (size_t i = 0; i < count; i++) {
        const struct rh_param *p = &params[i];
        bool bug = strcmp(p->name, "bug") == 0 && !declared(rh_param_first(), p->name);
        if (bug && any && *p->value && !declared(rh_bug_first(), p->value)) {
            rh__text_add(&t, "%sbug=%s: there is no such bug", prefix, p->value);
            add_guess(&t, p->value, rh_bug_first());
            rh__text_add(&t, "; there are");
            add_names(&t, rh_bug_first());
            return false;
        }
        if (!bug && any && !declared(rh_param_first(), p->name)) {
            rh__text_add(&t, "%s%s=%s: there is no such parameter", prefix, p->name, p->value);
            add_guess(&t, p->name, rh_param_first());
            rh__text_add(&t, "; there are");
            add_names(&t, rh_param_first());
            if (rh_bug_first()) {
                rh__text_add(&t, ", and bug, which may be");
                add_names(&t, rh_bug_first());
            }
            return false;
        }
        const struct rh_param_entry *entry = declared(rh_param_first(), p->name);
        if (entry && rh__text_is_number(entry->otherwise) && !rh__text_is_number(p->value)) {
            rh__text_add(&t, "%s%s=%s: a whole number of 64 bits is wanted", prefix, p->name, p->value);
            return false;
        }
    }
    return true;
}
