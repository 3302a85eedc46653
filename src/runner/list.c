/* list: what a test program holds. */
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "runner/commands.h"
#include "trace/schedule.h"

static void budget(const char *name, uint32_t n)
{
    if (n)
        printf(" %s=%u", name, n);
}

static void befalls(const char *name, const struct rh_actor_type *const *list)
{
    for (const struct rh_actor_type *const *t = list; t && *t; t++)
        printf("%s%s%s", t == list ? " " : "", t == list ? name : ",", (*t)->name);
}

/* The texts are the program's: they reach the terminal without control characters. */
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

int rh__command_list(const char *program, const struct rh__options *o)
{
    char error[1024];
    (void)program;
    printf("tests:\n");
    for (const struct rh_test *t = rh_test_first(); t; t = t->next) {
        struct rh_semantics s;
        if (!rh__options_semantics(o, t, &s, NULL, error, sizeof error)) {
            rh__complain("%s", error);
            return RH__EXIT_USAGE;
        }
        printf("  %-32s model=%s granularity=%s time=%s", t->name, rh__model_name(s.model),
               rh__granularity_name(s.granularity), rh__time_name(s.time));
        budget("losses", s.losses);
        budget("duplicates", s.duplicates);
        budget("crashes", s.crashes);
        budget("restarts", s.restarts);
        budget("kept_restarts", s.kept_restarts);
        budget("partitions", s.partitions);
        budget("failed_opens", s.failed_opens);
        budget("damaged_stores", s.damaged_stores);
        budget("failed_puts", s.failed_puts);
        befalls("may_crash=", s.may_crash);
        befalls("may_lose=", s.may_lose);
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
        print_row(e->explorer->name, "", e->explorer->summary ? e->explorer->summary : "");
    return RH__EXIT_OK;
}
