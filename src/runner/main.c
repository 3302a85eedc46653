/* A test program's main (RH_MAIN): a command and its options; without a command it tests. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/visible.h"
#include "runner/commands.h"

/* What src/cli looks for in a file before it runs it. */
__attribute__((used)) static const char mark[] = "rehearse test program, protocol 1";

static const struct command {
    const char *name, *arguments, *text;
    int (*run)(const char *program, const struct rh__options *o);
} commands[] = {
    { "test", "[TEST...]", "explore (all tests, or these)", rh__command_test },
    { "estimate", "[TEST...]", "how many behaviours there are, before any search", rh__command_estimate },
    { "list", "", "tests, their semantics, explorers", rh__command_list },
    { "replay", "SCHEDULE", "run one schedule and tell what happens", rh__command_replay },
    { "corpus", "DIR", "replay every schedule in DIR, as a regression suite", rh__command_corpus },
};

static void help(const char *program)
{
    printf("%s [COMMAND] [OPTION...]    a test program made with rehearse\n\n", program);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("    %-8s %-16s %s\n", commands[i].name, commands[i].arguments, commands[i].text);
    printf("\n");
    rh__options_help();
    printf(
        "\nexit: 0 nothing found, 1 something found, 2 wrong use, 3 the tool failed, 4 not reproducible, 5 less than "
        "--require wants, 128+N ended by signal N\n");
}

/* The exit status, if all that was printed could be; what was found counts more. */
static int printed(int code)
{
    char error[256];
    if (rh__stdout_flush(error, sizeof error))
        return code;
    rh__complain("%s", error);
    return code == RH__EXIT_OK ? RH__EXIT_TOOL : code;
}

int rh_main(int argc, char **argv)
{
    const char *program = argc ? argv[0] : "test";
    const struct command *command = &commands[0];
    int first = 1;
    static struct rh__options options;
    char error[1024];
    if (argc > 1)
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
            if (strcmp(argv[1], commands[i].name) == 0) {
                command = &commands[i];
                first = 2;
            }
    if (!rh__options_parse(&options, argc - first, argv + first, error, sizeof error)) {
        rh__complain("%s", error);
        return RH__EXIT_USAGE;
    }
    if (options.help) {
        help(program);
        return printed(RH__EXIT_OK);
    }
    if (command != &commands[0] && (options.criteria || options.coverage_file || options.suite)) {
        rh__complain("--coverage, --coverage-file and --suite are for `test`");
        return RH__EXIT_USAGE;
    }
    if (!rh_test_first()) {
        rh__complain("%s has no tests (RH_TEST)", program);
        return RH__EXIT_USAGE;
    }
    return printed(command->run(program, &options));
}

const struct rh_test *rh__test_named(const char *name)
{
    const struct rh_test *t = rh_test_first();
    while (t && strcmp(t->name, name) != 0)
        t = t->next;
    return t;
}
