/* The fields of struct rh_semantics by name (schedule.h): one table for schedules, reports and the command line. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guess.h"
#include "trace/schedule.h"
#include "world/timer_budgets.h"

#define RH_X(name, text, help) text,
static const char *const models[] = { RH_MODELS(RH_X) NULL };
static const char *const granularities[] = { RH_GRANULARITIES(RH_X) NULL };
static const char *const times[] = { RH_TIMES(RH_X) NULL };
static const char *const dead_letters[] = { RH_DEAD_LETTERS(RH_X) NULL };
static const char *const crash_points[] = { RH_CRASHES(RH_X) NULL };
static const char *const kills[] = { RH_KILLS(RH_X) NULL };
static const char *const contexts[] = { RH_CONTEXTS(RH_X) NULL };
static const char *const splits[] = { RH_SPLITS(RH_X) NULL };
static const char *const across[] = { RH_ACROSS(RH_X) NULL };
#undef RH_X
/* A line of the manual for each word. */
#define MANUAL(name, text, help) "`" text "`: " help ".\n"

/* A row is all that a setting needs: from it come the line of a schedule, the option of the command line with its help,
 * completion and manual, the field in reports, and its name for --set. */
static const struct field {
    const char *name;
    size_t offset;
    const char *const *words; /* NULL: a number */
    bool wide, flag, text;
    uint32_t otherwise;       /* what a world makes of 0 */
    bool fault, always;       /* see struct rh__setting */
    bool unwritten;           /* not in schedules: it makes no difference to a run */
    struct rh__option option; /* without a name: only --set reaches the field */
} fields[] = {
#define WORD(field, words_, argument_, also_, help_, manual_)                                                          \
    {                                                                                                                  \
        .name = #field, .offset = offsetof(struct rh_semantics, field), .words = words_, .always = true, .option = {   \
            .group = RH__GROUP_SEMANTICS,                                                                              \
            .name = #field,                                                                                            \
            .argument = argument_,                                                                                     \
            .help = help_,                                                                                             \
            .complete = RH__COMPLETE_CHOICES,                                                                          \
            .choices = words_,                                                                                         \
            .also = also_,                                                                                             \
            .manual = manual_                                                                                          \
        }                                                                                                              \
    }
#define FAULT(field, option_, help_)                                                                                   \
    {                                                                                                                  \
        .name = #field, .offset = offsetof(struct rh_semantics, field), .fault = true, .option = {                     \
            .group = RH__GROUP_SEMANTICS,                                                                              \
            .name = option_,                                                                                           \
            .argument = "N",                                                                                           \
            .help = help_                                                                                              \
        }                                                                                                              \
    }
#define LIMIT(field, otherwise_, option_, help_)                                                                       \
    {                                                                                                                  \
        .name = #field, .offset = offsetof(struct rh_semantics, field), .otherwise = otherwise_, .option = {           \
            .group = RH__GROUP_RUNS,                                                                                   \
            .name = option_,                                                                                           \
            .argument = "N",                                                                                           \
            .help = help_                                                                                              \
        }                                                                                                              \
    }
/* The form that a fault takes: shown where it is not the usual one. */
#define FORM(field, option_, argument_, help_, manual_)                                                                \
    {                                                                                                                  \
        .name = #field, .offset = offsetof(struct rh_semantics, field), .words = field, .option = {                    \
            .group = RH__GROUP_SEMANTICS,                                                                              \
            .name = option_,                                                                                           \
            .argument = argument_,                                                                                     \
            .help = help_,                                                                                             \
            .complete = RH__COMPLETE_CHOICES,                                                                          \
            .choices = field,                                                                                          \
            .manual = manual_                                                                                          \
        }                                                                                                              \
    }
    WORD(model, models, "MODEL", "all", "the order in which messages may arrive",
         RH_MODELS(MANUAL) "`all`: each of these models in turn."),
    WORD(granularity, granularities, "GRAIN", NULL, "what is one step", RH_GRANULARITIES(MANUAL)),
    WORD(time, times, "TIME", NULL, "when timers may fire", RH_TIMES(MANUAL)),
    { .name = "dead_letters", .offset = offsetof(struct rh_semantics, dead_letters), .words = dead_letters },
#define RH_X(field, spends, option, help) FAULT(field, option, help),
    RH_BUDGETS(RH_X)
#undef RH_X
#define RH_X(field, otherwise, most, option, help) LIMIT(field, otherwise, option, help),
        RH_LIMITS(RH_X)
#undef RH_X
            LIMIT(fail_allocation, 0, NULL, NULL),
    FORM(crash_points, "crash-points", "WHERE", "where a crash may strike an actor (anywhere)", RH_CRASHES(MANUAL)),
    FORM(kills, "kills", "WHERE", "where an exit signal may end a process (at-waits)", RH_KILLS(MANUAL)),
    FORM(splits, "splits", "HOW", "how the network splits (halves)", RH_SPLITS(MANUAL)),
    FORM(across, "across", "WHAT", "what happens to messages across a split (held)", RH_ACROSS(MANUAL)),
    { .name = "timer_budgets",
      .offset = offsetof(struct rh_semantics, timer_budgets),
      .text = true,
      .option = { .group = RH__GROUP_SEMANTICS,
                  .name = "timer-budget",
                  .argument = "NAME=N",
                  .help = "timers of that name fire up to N times, of all actors together (repeatable)" } },
    { .name = "contexts",
      .offset = offsetof(struct rh_semantics, contexts),
      .words = contexts,
      .unwritten = true,
      .option = { .group = RH__GROUP_RUNS,
                  .name = "contexts",
                  .argument = "WHAT",
                  .help = "what the code of actors runs on (fibers)",
                  .complete = RH__COMPLETE_CHOICES,
                  .choices = contexts,
                  .manual = RH_CONTEXTS(MANUAL) } },
    { .name = "pauses", .offset = offsetof(struct rh_semantics, pauses), .flag = true },
    { .name = "outside_may_remain", .offset = offsetof(struct rh_semantics, outside_may_remain), .flag = true },
    { .name = "check_isolation", .offset = offsetof(struct rh_semantics, check_isolation), .flag = true },
    { .name = "seed", .offset = offsetof(struct rh_semantics, seed), .wide = true },
};

const struct rh__option *rh__semantics_option(size_t i, const char **field)
{
    if (i >= sizeof fields / sizeof *fields)
        return NULL;
    *field = fields[i].name;
    return &fields[i].option;
}

static bool set_word(void *at, const struct field *f, const char *value, char *error, size_t error_size)
{
    for (int i = 0; f->words[i]; i++)
        if (strcmp(f->words[i], value) == 0) {
            memcpy(at, &i, sizeof i); /* all of them are enums, which are ints here */
            return true;
        }
    int n = snprintf(error, error_size, "%s=%s: it is one of", f->name, value);
    for (int i = 0; f->words[i] && n > 0 && (size_t)n < error_size; i++)
        n += snprintf(error + n, error_size - (size_t)n, "%s %s", i ? "," : "", f->words[i]);
    return false;
}

/* Adds budgets to those that are there; of one name the last one counts. */
static bool add_timer_budgets(char *budgets, const char *value, char *error, size_t error_size)
{
    struct rh__timer_budget all[RH__TIMER_BUDGETS];
    char text[2 * RH_TIMER_BUDGETS_SIZE], why[256] = "there are too many budgets of timers";
    struct rh__text t;
    if (strlen(value) < RH_TIMER_BUDGETS_SIZE) {
        snprintf(text, sizeof text, "%s,%s", budgets, value);
        int count = rh__timer_budgets_read(text, all, why, sizeof why);
        char joined[RH_TIMER_BUDGETS_SIZE];
        rh__text_init(&t, joined, sizeof joined);
        for (int i = 0; i < count; i++)
            rh__text_add(&t, "%s%.*s=%u", i ? "," : "", (int)all[i].length, all[i].name, all[i].most);
        if (count >= 0 && !t.cut) {
            snprintf(budgets, RH_TIMER_BUDGETS_SIZE, "%s", joined);
            return true;
        }
    }
    snprintf(error, error_size, "timer_budgets=%s: %s", value, why);
    return false;
}

bool rh__semantics_set(struct rh_semantics *s, const char *name, const char *value, char *error, size_t error_size)
{
    _Static_assert(sizeof(enum rh_model) == sizeof(int) && sizeof(enum rh_time) == sizeof(int), "enums are ints");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct field *f = &fields[i];
        char *at = (char *)s + f->offset;
        if (strcmp(f->name, name) != 0)
            continue;
        if (f->text)
            return add_timer_budgets(at, value, error, error_size);
        if (f->words)
            return set_word(at, f, value, error, error_size);
        if (f->flag && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0))
            value = *value == 't' ? "1" : "0";
        bool digits = *value && strspn(value, "0123456789") == strlen(value);
        errno = 0;
        unsigned long long number = strtoull(value, NULL, 10);
        if (!digits || errno || (!f->wide && number > UINT32_MAX) || (f->flag && number > 1)) {
            snprintf(error, error_size, "%s=%s: a whole number is wanted, at most %llu", name, value,
                     f->flag   ? 1ull
                     : f->wide ? ~0ull
                               : (unsigned long long)UINT32_MAX);
            return false;
        }
        if (f->flag)
            *(bool *)at = number != 0;
        else if (f->wide)
            memcpy(at, &(uint64_t){ number }, 8);
        else
            memcpy(at, &(uint32_t){ (uint32_t)number }, 4);
        return true;
    }
    struct rh__guess g = rh__guess_of(name, strlen(name));
    struct rh__text t;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        rh__guess_try(&g, fields[i].name);
    rh__text_init(&t, error, error_size);
    rh__text_add(&t, "%s: there is no such setting", name);
    rh__guess_add(&g, &t);
    return false;
}

static uint64_t value_of(const struct field *f, const struct rh_semantics *s)
{
    const char *at = (const char *)s + f->offset;
    uint64_t wide;
    uint32_t narrow;
    if (f->flag)
        return *(const bool *)at;
    memcpy(&wide, at, f->wide ? sizeof wide : sizeof narrow);
    memcpy(&narrow, at, sizeof narrow);
    return f->wide ? wide : narrow ? narrow : f->otherwise;
}

void rh__semantics_write(const struct rh_semantics *s, const struct rh_semantics *own, struct rh__text *to)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct field *f = &fields[i];
        const char *text = (const char *)s + f->offset;
        if (f->text) {
            if (*text)
                rh__text_add(to, "set %s=%s\n", f->name, text);
            continue;
        }
        uint64_t value = value_of(f, s);
        if (f->unwritten || (!f->always && value == f->otherwise && value == value_of(f, own)))
            continue;
        if (f->words)
            rh__text_add(to, "set %s=%s\n", f->name, f->words[value]);
        else
            rh__text_add(to, "set %s=%llu\n", f->name, (unsigned long long)value);
    }
}

static void each_type(const char *name, const struct rh_actor_type *const *list,
                      void (*each)(void *arg, const struct rh__setting *setting), void *arg)
{
    char names[512] = "all";
    struct rh__text t;
    rh__text_init(&t, names, sizeof names);
    for (const struct rh_actor_type *const *type = list; type && *type; type++)
        rh__text_add(&t, "%s%s", type == list ? "" : ",", (*type)->name);
    if (!list)
        rh__text_add(&t, "all");
    struct rh__setting setting = { .name = name, .value = names, .word = true, .usual = !list };
    each(arg, &setting);
}

void rh__semantics_each(const struct rh_semantics *s, void (*each)(void *arg, const struct rh__setting *setting),
                        void *arg)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct field *f = &fields[i];
        const char *text = (const char *)s + f->offset;
        uint64_t value = f->text ? *text != 0 : value_of(f, s);
        char number[24];
        snprintf(number, sizeof number, "%llu", (unsigned long long)value);
        struct rh__setting setting = { .name = f->name,
                                       .value = f->text    ? text
                                                : f->words ? f->words[value]
                                                           : number,
                                       .word = f->words || f->text,
                                       .flag = f->flag,
                                       .fault = f->fault,
                                       .always = f->always,
                                       .usual = value == (f->wide ? 1 : f->otherwise) };
        each(arg, &setting);
    }
    each_type("may_crash", s->may_crash, each, arg);
    each_type("may_lose", s->may_lose, each, arg);
    each_type("may_split", s->may_split, each, arg);
}

bool rh__schedule_settings(const struct rh__schedule *s, struct rh_semantics *semantics, struct rh_param *params,
                           size_t *param_count, size_t most, char *error, size_t error_size)
{
    for (uint32_t i = 0; i < s->setting_count; i++) {
        const struct rh__schedule_setting *x = &s->settings[i];
        if (strncmp(x->name, "param.", 6) != 0) {
            if (!rh__semantics_set(semantics, x->name, x->value, error, error_size))
                return false;
        } else if (*param_count == most) {
            snprintf(error, error_size, "more than %zu parameters", most);
            return false;
        } else {
            params[(*param_count)++] = (struct rh_param){ x->name + 6, x->value };
        }
    }
    return true;
}

const char *rh__model_name(enum rh_model model)
{
    return models[model];
}

const char *rh__granularity_name(enum rh_granularity granularity)
{
    return granularities[granularity];
}

const char *rh__time_name(enum rh_time time)
{
    return times[time];
}
