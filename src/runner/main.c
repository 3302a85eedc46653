/* A test program's main (RH_MAIN): a command and its options; without a command it tests. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/visible.h"
#include "runner/commands.h"
#include "runner/option_print.h"
#include "runner/option_rows.h"

/* src/cli looks for this text in a file before it runs it. */
__attribute__((used)) static const char mark[] = "rehearse test program, protocol 1";

typedef int command_fn(const char *program, const struct rh__options *o);
static const struct {
    uint32_t bit;
    command_fn *run;
} commands[] = {
    { RH__FOR_TEST, rh__command_test },         { RH__FOR_ESTIMATE, rh__command_estimate },
    { RH__FOR_LIST, rh__command_list },         { RH__FOR_REPLAY, rh__command_replay },
    { RH__FOR_CORPUS, rh__command_corpus },     { RH__FOR_SHOW, rh__command_show },
    { RH__FOR_MINIMISE, rh__command_minimise }, { RH__FOR_STEP, rh__command_step },
    { RH__FOR_AGENT, rh__command_agent },
};

/* Of one command, or of all. */
static void help(const char *program, const struct rh__command_row *command)
{
    printf("%s [COMMAND] [OPTION...]    a test program made with rehearse\n\n", program);
    for (const struct rh__command_row *c = rh__command_rows; c->name; c++)
        if (!command || c == command)
            printf("    %-8s %-16s %s\n", c->name, c->arguments, c->help);
    rh__options_print_help(stdout, command ? command->bit : RH__FOR_EVERY);
    fputs(rh__exit_text, stdout);
}

/* The exit status, or RH__EXIT_TOOL if standard output could not be written and nothing was found. */
static int printed(int code)
{
    char error[256];
    if (rh__stdout_flush(error, sizeof error))
        return code;
    rh__complain("%s", error);
    return code == RH__EXIT_OK ? RH__EXIT_TOOL : code;
}

/* The command that a word names; without one it is `test`. */
static const struct rh__command_row *command_named(const char *word)
{
    for (const struct rh__command_row *c = rh__command_rows; word && c->name; c++)
        if (strcmp(word, c->name) == 0)
            return c;
    return NULL;
}

int rh_main(int argc, char **argv)
{
    const char *program = argc ? argv[0] : "test";
    const struct rh__command_row *named = argc > 1 ? command_named(argv[1]) : NULL;
    uint32_t bit = named ? named->bit : RH__FOR_TEST;
    int first = named ? 2 : 1;
    static struct rh__options options;
    char error[1024];
    if (!rh__options_parse(&options, bit, argc - first, argv + first, error, sizeof error)) {
        rh__complain("%s", error);
        return RH__EXIT_USAGE;
    }
    if (options.help) {
        help(program, named);
        return printed(RH__EXIT_OK);
    }
    if (!rh_test_first()) {
        rh__complain("%s has no tests (RH_TEST)", program);
        return RH__EXIT_USAGE;
    }
    size_t i = 0;
    while (commands[i].bit != bit)
        i++;
    return printed(commands[i].run(program, &options));
}

const struct rh_test *rh__test_named(const char *name)
{
    const struct rh_test *t = rh_test_first();
    while (t && strcmp(t->name, name) != 0)
        t = t->next;
    return t;
}
