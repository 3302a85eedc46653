/* The fields of struct rh_semantics by name (schedule.h): one table for the command line, schedules and reports. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/schedule.h"

static const char *const models[] = { "fifo", "bag", "causal", "mailbox", NULL };
static const char *const granularities[] = { "handler", "send", "operation", "object", NULL };
static const char *const times[] = { "free", "ordered", "logical", NULL };
static const char *const dead_letters[] = { "log", "fail", "ignore", NULL };

static const struct field {
    const char *name;
    size_t offset;
    const char *const *words; /* NULL: a number */
    bool wide, flag;
    uint32_t otherwise; /* what a world makes of 0 */
    bool fault;
} fields[] = {
#define NUMBER(f)                                                                                                      \
    {                                                                                                                  \
#f, offsetof(struct rh_semantics, f), NULL, false, false, 0, false                                             \
    }
#define FAULTS(f)                                                                                                      \
    {                                                                                                                  \
#f, offsetof(struct rh_semantics, f), NULL, false, false, 0, true                                              \
    }
#define LIMIT(f, otherwise)                                                                                            \
    {                                                                                                                  \
#f, offsetof(struct rh_semantics, f), NULL, false, false, otherwise, false                                     \
    }
    { "model", offsetof(struct rh_semantics, model), models, false, false, 0, false },
    { "granularity", offsetof(struct rh_semantics, granularity), granularities, false, false, 0, false },
    { "time", offsetof(struct rh_semantics, time), times, false, false, 0, false },
    { "dead_letters", offsetof(struct rh_semantics, dead_letters), dead_letters, false, false, 0, false },
    FAULTS(losses),
    FAULTS(duplicates),
    FAULTS(crashes),
    FAULTS(restarts),
    FAULTS(kept_restarts),
    FAULTS(partitions),
    FAULTS(failed_opens),
    FAULTS(damaged_stores),
    FAULTS(failed_puts),
    LIMIT(max_actors, 4096),
    LIMIT(max_messages, 65536),
    LIMIT(max_message_bytes, 1 << 20),
    LIMIT(max_bytes_per_actor, 4 << 20),
    LIMIT(max_stack_bytes, 256 << 10),
    LIMIT(max_steps, 100000),
    LIMIT(max_handler_ms, 2000),
    NUMBER(fail_allocation),
    { "check_isolation", offsetof(struct rh_semantics, check_isolation), NULL, false, true, 0, false },
    { "seed", offsetof(struct rh_semantics, seed), NULL, true, false, 0, false },
};

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

bool rh__semantics_set(struct rh_semantics *s, const char *name, const char *value, char *error, size_t error_size)
{
    _Static_assert(sizeof(enum rh_model) == sizeof(int) && sizeof(enum rh_time) == sizeof(int), "enums are ints");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct field *f = &fields[i];
        char *at = (char *)s + f->offset;
        if (strcmp(f->name, name) != 0)
            continue;
        if (f->words)
            return set_word(at, f, value, error, error_size);
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
    snprintf(error, error_size, "%s: there is no such setting", name);
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
        uint64_t value = value_of(f, s);
        bool always =
            strcmp(f->name, "model") == 0 || strcmp(f->name, "granularity") == 0 || strcmp(f->name, "time") == 0;
        if (!always && value == f->otherwise && value == value_of(f, own))
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
    struct rh__setting setting = { name, names, true, false, !list };
    each(arg, &setting);
}

void rh__semantics_each(const struct rh_semantics *s, void (*each)(void *arg, const struct rh__setting *setting),
                        void *arg)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct field *f = &fields[i];
        uint64_t value = value_of(f, s);
        char number[24];
        snprintf(number, sizeof number, "%llu", (unsigned long long)value);
        struct rh__setting setting = { f->name, f->words ? f->words[value] : number, f->words != NULL, f->fault,
                                       value == (f->wide ? 1 : f->otherwise) };
        each(arg, &setting);
    }
    each_type("may_crash", s->may_crash, each, arg);
    each_type("may_lose", s->may_lose, each, arg);
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
