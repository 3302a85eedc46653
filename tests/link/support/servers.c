/* See servers.h. */
#include "link/support/servers.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/support/runs.h"
#include "link/wire.h"

bool server_is_installed(void)
{
    return system("command -v redis-server >/dev/null") == 0;
}

static bool answers(const struct test_server *s)
{
    char error[256];
    bool refused;
    struct rh__address a;
    struct rh__secrets none = { 0 };
    assert_true(rh__address_parse(&a, s->url, error, sizeof error));
    struct rh__wire *w = rh__wire_open(&a, &none, 5, &refused, error, sizeof error);
    rh__wire_close(w);
    return w || refused; /* one that wants a password is there, too */
}

void server_begin_again(struct test_server *s)
{
    int in[2];
    char lines[1024];
    int n = snprintf(lines, sizeof lines, "port 0\nunixsocket %s/socket\ndir %s\nsave \"\"\nlogfile %s/log\n%s\n",
                     s->folder, s->folder, s->folder, s->more);
    assert_true(n > 0 && (size_t)n < sizeof lines && pipe(in) == 0);
    s->pid = fork();
    assert_true(s->pid >= 0);
    if (s->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(in[0], STDIN_FILENO);
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        close_range(3, ~0u, 0);
        execlp("redis-server", "redis-server", "-", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    assert_int_equal(write(in[1], lines, (size_t)n), n);
    close(in[1]);
    for (int i = 0; !answers(s); i++) {
        if (i == 6000 || waitpid(s->pid, NULL, WNOHANG) != 0)
            fail_msg("redis-server does not start; %s/log says why", s->folder);
        usleep(10000);
    }
}

struct test_server server_started(const char *more)
{
    struct test_server s = { .folder = "/tmp/rehearse-redis-XXXXXX", .more = more };
    assert_non_null(mkdtemp(s.folder));
    snprintf(s.url, sizeof s.url, "redis+unix://%s/socket", s.folder);
    server_begin_again(&s);
    return s;
}

void server_kill(struct test_server *s)
{
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
}

void server_end(struct test_server *s)
{
    char command[128];
    server_kill(s);
    snprintf(command, sizeof command, "rm -rf '%s'", s->folder);
    if (system(command) != 0)
        print_message("%s stays\n", s->folder);
}
