/* rehearse-target: the commands `graph` and `target`.  `rehearse` executes it; it needs LLVM, and `rehearse` does
 * not. */
#include <llvm-c/ErrorHandling.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/visible.h"
#include "target/bitcode_program.h"
#include "target/target_commands.h"

/* LLVM ends the process when a module is damaged in certain ways. */
static void on_fatal(const char *reason)
{
    rh__complain("LLVM cannot read the program's bitcode: %s", reason);
    _exit(RH__TARGET_USAGE);
}

bool rh__command_open(struct rh__program *p, const char *path)
{
    char error[8192];
    if (!rh__program_open(p, path, error, sizeof error)) {
        rh__complain("%s", error);
        return false;
    }
    for (uint32_t i = 0; i < p->bitcode.file_count; i++)
        if (p->bitcode.newer[i])
            rh__complain("note: %s has changed since %s was built", p->bitcode.files[i], path);
    return true;
}

static int run(int argc, char **argv)
{
    char error[256];
    int code = RH__TARGET_USAGE;
    if (argc >= 2 && strcmp(argv[1], "graph") == 0)
        code = rh__command_graph(argc - 2, argv + 2);
    else if (argc >= 2 && strcmp(argv[1], "target") == 0)
        code = rh__command_target(argc - 2, argv + 2);
    else if (argc >= 2 && strcmp(argv[1], "summaries") == 0)
        code = rh__command_summaries(argc - 2, argv + 2);
    else
        rh__complain("rehearse-target is a part of `rehearse`: use `rehearse graph` or `rehearse target`");
    if (!rh__stdout_flush(error, sizeof error)) {
        rh__complain("%s", error);
        return code ? code : RH__TARGET_TOOL;
    }
    return code;
}

static volatile pid_t worker;

/* A signal for this process alone; Ctrl-C goes to both. */
static void pass_on(int number)
{
    if (worker > 0)
        kill(worker, number);
}

/* The work is done in a child process: bitcode is input of strangers, and LLVM's reader may crash. */
int main(int argc, char **argv)
{
    int status;
    sigset_t early, before; /* a signal that comes before the handlers are there waits for them */
    sigemptyset(&early);
    sigaddset(&early, SIGTERM);
    sigaddset(&early, SIGHUP);
    sigprocmask(SIG_BLOCK, &early, &before);
    pid_t pid = fork();
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        LLVMInstallFatalErrorHandler(on_fatal);
        exit(run(argc, argv));
    }
    worker = pid;
    struct sigaction passes = { .sa_handler = pass_on, .sa_flags = SA_RESTART };
    sigaction(SIGTERM, &passes, NULL);
    sigaction(SIGHUP, &passes, NULL);
    signal(SIGINT, SIG_IGN); /* the child decides */
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        rh__complain("no process can be started");
        return RH__TARGET_TOOL;
    }
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    if (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM)
        return 128 + WTERMSIG(status);
    rh__complain(
        "the analysis was ended by signal %d: the program's bitcode is damaged, or this is a defect of rehearse",
        WTERMSIG(status));
    return RH__TARGET_TOOL;
}
