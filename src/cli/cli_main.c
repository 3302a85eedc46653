/* rehearse: checks that a file is a test program made with RH_MAIN, and executes it.  The explorer is in the test
 * program itself, next to the code that it explores. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/guess.h"
#include "base/visible.h"
#include "cli/cli_cluster.h"
#include "cli/cli_coverage.h"
#include "cli/cli_init.h"
#include "cli/cli_serve.h"
#include "cli/cli_serve_jobs.h"
#include "cli/option_help.h"
#include "runner/command_rows.h"

enum { EXIT_USAGE = 2, EXIT_TOOL = 3 };

/* Commands that are no commands of a test program. */
static const char *const others[] = { "graph", "target", "coverage", "init", "jobs", "help" };

static int usage(FILE *to)
{
    for (const struct rh__command_row *c = rh__command_rows; c->name; c++) {
        char left[64];
        snprintf(left, sizeof left, "rehearse %s BINARY %s", c->name, c->arguments);
        fprintf(to, "%-34s %s\n", left, c->help);
    }
    fputs("rehearse graph BINARY [TEST]       who may create whom and send what to whom (docs/target.md)\n"
          "rehearse target BINARY [TEST] ...  runs that reach given lines, assertions, functions (docs/target.md)\n"
          "rehearse init DIR                  write a small project to begin with\n"
          "rehearse serve BINARY TEST         stepping in a page on this machine (--port N)\n"
          "rehearse serve --cluster URL       jobs of a server in a page, as they go on (--port N)\n"
          "rehearse jobs --cluster URL [show|stop|resume|remove]\n"
          "                                   jobs that `test --cluster` began, with progress, agents, findings\n"
          "rehearse coverage show|merge FILE  coverage of ordering goals that `test --coverage-file` kept\n"
          "\nBINARY is a program made with RH_MAIN; `rehearse test --help` lists the options.\n",
          to);
    fputs(rh__exit_text, to);
    return to == stdout ? 0 : EXIT_USAGE;
}

/* The options of a command, without a test program. */
static int help_of(const char *command)
{
    for (const struct rh__command_row *c = rh__command_rows; c->name; c++)
        if (strcmp(command, c->name) == 0)
            printf("rehearse %s BINARY %s\n    %s\n", c->name, c->arguments, c->help);
    if (strcmp(command, "serve") == 0)
        printf("rehearse serve BINARY TEST [OPTION...] [--port N]\n"
               "    stepping in a page on this machine; the options are those of `rehearse step`\n"
               "rehearse serve --cluster URL [--port N]\n"
               "    jobs of a server in a page, as they go on; the options of the connection are those of `rehearse "
               "agent`\n\n"
               "Prints the address of the page, and listens on 127.0.0.1 only; without --port the system chooses a "
               "port.\n\n");
    for (const struct rh__option_help *h = rh__option_help; h->command; h++)
        if (strcmp(command, h->command) == 0)
            fputs(h->text, stdout);
    fputs(rh__exit_text, stdout);
    return 0;
}

/* The mark is put together at run time, so that this program does not contain it. */
static bool is_test_program(const char *path, char *error, size_t error_size)
{
    char mark[64];
    struct stat s;
    bool found = false;
    snprintf(mark, sizeof mark, "%s test program, protocol %d", "rehearse", 1);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s) != 0) {
        (void)!snprintf(error, error_size, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(s.st_mode) || access(path, X_OK) != 0) {
        snprintf(error, error_size, "%s is not a program that can be run", path);
    } else {
        void *bytes = s.st_size ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
        if (bytes != MAP_FAILED) {
            found = memmem(bytes, (size_t)s.st_size, mark, strlen(mark)) != NULL;
            munmap(bytes, (size_t)s.st_size);
        }
        if (!found)
            snprintf(error, error_size, "%s is not a test program made with rehearse (RH_MAIN)", path);
    }
    if (fd >= 0)
        close(fd);
    return found;
}

/* The exit status, or EXIT_TOOL if standard output could not be written. */
static int printed(int code)
{
    char error[256];
    if (rh__stdout_flush(error, sizeof error))
        return code;
    rh__complain("%s", error);
    return code ? code : EXIT_TOOL;
}

/* `graph` and `target` are in a program of its own beside this one, because it needs LLVM (docs/target.md). */
static int execute_target(char **argv)
{
    char path[4096 + 32], self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    snprintf(path, sizeof path, "%.*s/rehearse-target", slash ? (int)(slash - self) : 0, self);
    if (access(path, X_OK) != 0) {
        rh__complain("this build of rehearse has no command %s: it needs the Debian packages llvm-14-dev and clang-14 "
                     "when rehearse is built (docs/target.md)",
                     argv[1]);
        return EXIT_USAGE;
    }
    execv(path, argv);
    rh__complain("%s cannot be run: %s", path, strerror(errno));
    return EXIT_TOOL;
}

static int refuse_command(const char *word)
{
    char guess[80];
    struct rh__text t;
    struct rh__guess g = rh__guess_of(word, strlen(word));
    for (const struct rh__command_row *c = rh__command_rows; c->name; c++)
        rh__guess_try(&g, c->name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        rh__guess_try(&g, others[i]);
    rh__text_init(&t, guess, sizeof guess);
    rh__guess_add(&g, &t);
    rh__complain("there is no command \"%s\"%s", word, guess);
    return usage(stderr);
}

int main(int argc, char **argv)
{
    char error[8192], path[4200];
    if (argc < 2)
        return usage(stderr);
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return printed(usage(stdout));
    if (strcmp(argv[1], "--version") == 0) {
        printf("rehearse %s\n", RH_VERSION);
        return printed(0);
    }
    if (strcmp(argv[1], "init") == 0)
        return printed(rh__cli_init(argc - 2, argv + 2));
    if (strcmp(argv[1], "coverage") == 0)
        return printed(rh__cli_coverage(argc - 2, argv + 2));
    if (strcmp(argv[1], "jobs") == 0)
        return printed(rh__cli_jobs(argc - 2, argv + 2));
    if (strcmp(argv[1], "graph") == 0 || strcmp(argv[1], "target") == 0)
        return execute_target(argv);
    bool known = strcmp(argv[1], "serve") == 0;
    for (const struct rh__command_row *c = rh__command_rows; c->name; c++)
        known |= strcmp(argv[1], c->name) == 0;
    if (!known) {
        return refuse_command(argv[1]);
    }
    if (argc == 3 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0))
        return printed(help_of(argv[1]));
    if (strcmp(argv[1], "serve") == 0 && argc > 2 && strncmp(argv[2], "--", 2) == 0)
        return printed(rh__cli_serve_jobs(argc - 1, argv + 1));
    if (argc < 3 || argv[2][0] == '-') {
        rh__complain("%s wants a test program first", argv[1]);
        return EXIT_USAGE;
    }
    /* execv takes a path.  A name without a slash means a file in this folder. */
    snprintf(path, sizeof path, "%s%s", strchr(argv[2], '/') ? "" : "./", argv[2]);
    if (!is_test_program(path, error, sizeof error)) {
        rh__complain("%s", error);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "serve") == 0) {
        argv[2] = path;
        return rh__cli_serve(argc - 2, argv + 2);
    }
    if (rh__cli_wants_cluster(argc - 1, argv + 1)) {
        argv[2] = path;
        return rh__cli_cluster(argc - 1, argv + 1);
    }
    char *command = argv[1];
    argv[1] = argv[2];
    argv[2] = command;
    execv(path, argv + 1);
    rh__complain("%s cannot be run: %s", path, strerror(errno));
    return EXIT_USAGE;
}
