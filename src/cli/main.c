/* rehearse: the front door.  It looks whether a file is a test program made with RH_MAIN and hands over to it: the
 * explorer is in the test program itself, next to the code it explores. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/visible.h"
#include "cli/coverage.h"

enum { EXIT_USAGE = 2, EXIT_TOOL = 3 };

static const char *const commands[] = { "test", "estimate", "list", "replay", "corpus" };

static int usage(FILE *to)
{
    fprintf(to,
            "rehearse test BINARY [TEST...]     explore; finds message-ordering bugs\n"
            "rehearse estimate BINARY [TEST...] how many behaviours there are, before any search\n"
            "rehearse list BINARY               tests, parameters, explorers\n"
            "rehearse replay BINARY SCHEDULE    run one schedule; --step N stops there, --gdb starts gdb at that step\n"
            "rehearse corpus BINARY DIR         replay every schedule in DIR as a regression suite\n"
            "rehearse coverage show|merge FILE  coverage of ordering goals that `test --coverage-file` kept\n"
            "\nBINARY is a program made with RH_MAIN; `rehearse test BINARY --help` lists the options.\n"
            "exit: 0 nothing found, 1 something found, 2 wrong use, 3 the tool failed, 4 not reproducible, 5 less than "
            "--require wants, 128+N ended by signal N\n");
    return to == stdout ? 0 : EXIT_USAGE;
}

/* Made so that this file does not itself contain what it looks for. */
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

/* The exit status, if all that was printed could be. */
static int printed(int code)
{
    char error[256];
    if (rh__stdout_flush(error, sizeof error))
        return code;
    rh__complain("%s", error);
    return code ? code : EXIT_TOOL;
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
    if (strcmp(argv[1], "coverage") == 0)
        return printed(rh__cli_coverage(argc - 2, argv + 2));
    bool known = false;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        known |= strcmp(argv[1], commands[i]) == 0;
    if (!known) {
        rh__complain("there is no command \"%s\"", argv[1]);
        return usage(stderr);
    }
    if (argc == 3 && strcmp(argv[2], "--help") == 0)
        return printed(usage(stdout));
    if (argc < 3 || argv[2][0] == '-') {
        rh__complain("%s wants a test program first", argv[1]);
        return EXIT_USAGE;
    }
    /* As a shell would: without a slash it would be looked for in PATH, but people mean the file beside them. */
    snprintf(path, sizeof path, "%s%s", strchr(argv[2], '/') ? "" : "./", argv[2]);
    if (!is_test_program(path, error, sizeof error)) {
        rh__complain("%s", error);
        return EXIT_USAGE;
    }
    char *command = argv[1];
    argv[1] = argv[2];
    argv[2] = command;
    execv(path, argv + 1);
    rh__complain("%s cannot be run: %s", path, strerror(errno));
    return EXIT_USAGE;
}
