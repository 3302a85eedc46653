/* list: the tests, parameters, bugs and explorers of a test program. */
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "explore/tree.h"
#include "runner/commands.h"
#include "trace/schedule.h"

static void print_budget(void *arg, const struct rh__setting *s)
{
    (void)arg;
    if (s->fault && !s->usual)
        printf(" %s=%s", s->name, s->value);
}

static void print_types(const char *name, const struct rh_actor_type *const *list)
{
    for (const struct rh_actor_type *const *t = list; t && *t; t++)
        printf("%s%s%s", t == list ? " " : "", t == list ? name : ",", (*t)->name);
}

/* The texts are the program's own: control characters are made visible. */
static void print_row(const char *name, const char *otherwise, const char *text)
{
    printf("  %-16s ", name);
    if (*otherwise) {
        rh__print_visible(stdout, otherwise, SIZE_MAX);
        printf("%*s ", strlen(otherwise) < 12 ? (int)(12 - strlen(otherwise)) : 0, "");
    }
    rh__print_visible(stdout, text, SIZE_MAX);
    putchar('\n');
}

static void print_explorer(const struct rh_explorer *e)
{
    char usage[256];
    print_row(e->name, "", e->summary ? e->summary : "");
    rh__explorer_usage(e, usage, sizeof usage);
    if (strcmp(usage, e->name) != 0)
        print_row("", "", usage);
}

int rh__command_list(const char *program, const struct rh__options *o)
{
    char error[1024];
    (void)program;
    printf("tests:\n");
    for (const struct rh_test *t = rh_test_first(); t; t = t->next) {
        struct rh_semantics s, settled;
        if (!rh__options_semantics(o, t, &settled, &s, error, sizeof error)) {
            rh__complain("%s", error);
            return RH__EXIT_USAGE;
        }
        printf("  %-32s model=%s granularity=%s time=%s", t->name, rh__model_name(s.model),
               rh__granularity_name(s.granularity), rh__time_name(s.time));
        rh__semantics_each(&s, print_budget, NULL);
        print_types("may_crash=", s.may_crash);
        print_types("may_lose=", s.may_lose);
        print_types("may_split=", s.may_split);
        printf("  (%s)\n", t->place);
    }
    if (rh_param_first())
        printf("parameters (-p NAME=VALUE):\n");
    for (const struct rh_param_entry *p = rh_param_first(); p; p = p->next)
        print_row(p->name, p->otherwise, p->text);
    if (rh_bug_first())
        printf("bugs (-p bug=NAME):\n");
    for (const struct rh_param_entry *p = rh_bug_first(); p; p = p->next)
        print_row(p->name, "", p->text);
    printf("explorers:\n");
    for (const struct rh_explorer_entry *e = rh_explorer_first(); e; e = e->next)
        print_explorer(e->explorer);
    return RH__EXIT_OK;
}
