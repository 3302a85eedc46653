/* See again.h. */
#include "runner/again.h"

#include <string.h>

#include "trace/schedule.h"

/* Adds one word for a shell: in single quotes unless it is plain. */
static void add_word(struct rh__text *to, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (*word && word[strspn(word, plain)] == 0) {
        rh__text_add(to, "%s", word);
        return;
    }
    rh__text_add(to, "'");
    for (; *word; word++)
        rh__text_add(to, *word == '\'' ? "'\\''" : "%c", *word);
    rh__text_add(to, "'");
}

/* What differs from the test's own semantics, or from the usual ones: lines "set NAME=VALUE", as in schedules. */
static void add_settings(struct rh__text *to, const struct rh__plan *plan)
{
    char lines[2048];
    struct rh__text text;
    rh__text_init(&text, lines, sizeof lines);
    rh__semantics_write(&plan->semantics, &plan->test->semantics, &text);
    for (char *line = lines, *end; (end = strchr(line, '\n')); line = end + 1) {
        bool is_seed = strncmp(line, "set seed=", 9) == 0;
        *end = 0;
        if (is_seed)
            rh__text_add(to, " --seed %s", line + 9);
        else
            rh__text_add(to, " --%s", line);
    }
}

void rh__again_directly(const struct rh__plan *plan, struct rh__text *to)
{
    add_word(to, plan->program ? plan->program : "PROGRAM");
    rh__text_add(to, " ");
    add_word(to, plan->test->name);
    rh__text_add(to, " --explorer ");
    add_word(to, plan->explorer);
    add_settings(to, plan);
    for (size_t i = 0; i < plan->param_count; i++) {
        rh__text_add(to, " -p %s=", plan->params[i].name);
        add_word(to, plan->params[i].value);
    }
    if (plan->limits.keep_going)
        rh__text_add(to, " --keep-going");
    if (plan->limits.max_seconds > 0)
        rh__text_add(to, " --max-seconds %g", plan->limits.max_seconds);
}

void rh__again(const struct rh__plan *plan, struct rh__text *to)
{
    rh__text_add(to, "rehearse test ");
    rh__again_directly(plan, to);
}
