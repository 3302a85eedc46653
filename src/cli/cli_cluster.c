/* See cli_cluster.h. */
#include "cli/cli_cluster.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/visible.h"
#include "link/setup.h"

enum { EXIT_USAGE = 2, EXIT_TOOL = 3, EXIT_SIGNALLED = 128 };

static pid_t child;

/* A terminal sends its signals to the test program as well; others reach only this process. */
static void pass_on(int number)
{
    if (child > 0)
        kill(child, number);
}

static void ignore(int number)
{
    (void)number;
}

static void set_signals(void)
{
    struct sigaction passed = { .sa_handler = pass_on, .sa_flags = SA_RESTART };
    struct sigaction ignored = { .sa_handler = ignore, .sa_flags = SA_RESTART };
    sigaction(SIGTERM, &passed, NULL);
    sigaction(SIGHUP, &passed, NULL);
    sigaction(SIGINT, isatty(STDIN_FILENO) ? &ignored : &passed, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Starts the test program with one end of a socket pair.  Returns the other end, or -1. */
static int start(char **words)
{
    int ends[2];
    char variable[512];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        /* Agents tell each other of states, and a state may have addresses of the program in it.  Where the system does
         * not allow this (some containers), such states count as different ones. */
        int persona = personality(0xffffffff);
        if (persona >= 0)
            (void)personality((unsigned long)persona | ADDR_NO_RANDOMIZE);
        int kept = dup(ends[1]); /* it outlives execv */
        snprintf(variable, sizeof variable, "%d %s", kept, rh__link_words);
        if (kept < 0 || setenv(RH__LINK_VARIABLE, variable, 1) != 0)
            _exit(EXIT_TOOL);
        execv(words[0], words);
        rh__complain("%s cannot be run: %s", words[0], strerror(errno));
        _exit(EXIT_USAGE);
    }
    close(ends[1]);
    if (child > 0)
        return ends[0];
    close(ends[0]);
    return -1;
}

static int wait_for_child(void)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SIGNALLED + (WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

/* The words of the test program: as they are, or those of an agent with as many workers if a test lends them. */
static char **words_of(int argc, char **argv, bool lends)
{
    char **words = calloc((size_t)argc + 2, sizeof *words);
    static char program_agent[] = "agent";
    bool picks = lends && strcmp(argv[0], program_agent) != 0;
    int n = 0;
    if (!words)
        return NULL;
    words[n++] = argv[1];
    words[n++] = lends ? program_agent : argv[0];
    for (int i = 2; i < argc; i++) {
        bool j = strncmp(argv[i], "-j", 2) == 0;
        if (!picks || j || strcmp(argv[i], "--quiet") == 0)
            words[n++] = argv[i];
        if (picks && j && !argv[i][2] && i + 1 < argc && argv[i + 1][0] >= '0' && argv[i + 1][0] <= '9')
            words[n++] = argv[++i];
    }
    return words;
}

int rh__cli_cluster(int argc, char **argv)
{
    static struct rh__server server;
    struct rh__server_setup setup;
    char error[1024] = "", sha256[65];
    bool lends = strcmp(argv[0], "agent") == 0;
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) {
            execv(argv[1], (char *[]){ argv[1], argv[0], argv[i], NULL });
            return EXIT_TOOL;
        }
    if (!rh__setup_read(&setup, argc - 2, argv + 2, error, sizeof error) ||
        !rh__setup_hash(argv[1], sha256, error, sizeof error)) {
        rh__complain("%s", error);
        return EXIT_USAGE;
    }
    memcpy(setup.sha256, sha256, sizeof sha256);
    const char *slash = strrchr(argv[1], '/');
    setup.program = slash ? slash + 1 : argv[1];
    setup.explorer = !lends;
    switch (rh__server_open(&server, &setup, error, sizeof error)) {
    case RH__SERVER_OPEN:
        break;
    case RH__SERVER_BUSY:
        rh__complain("note: %s: this process lends its workers, and the result is reported there", error);
        server.setup.explorer = setup.explorer = false;
        lends = true;
        break;
    default:
        rh__complain("%s", error);
        server.owner[0] = 0;
        rh__server_close(&server);
        return EXIT_USAGE;
    }
    set_signals();
    char **words = words_of(argc, argv, lends);
    int fd = words ? start(words) : -1;
    free(words);
    if (fd < 0) {
        rh__complain("the test program cannot be started: %s", strerror(errno));
        rh__server_close(&server);
        return EXIT_TOOL;
    }
    rh__server_serve(&server, fd);
    close(fd);
    int code = wait_for_child();
    rh__server_close(&server);
    return code;
}
