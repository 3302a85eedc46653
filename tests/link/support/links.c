/* See links.h. */
#include "link/support/links.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/support/runs.h"
#include "link/server.h"

_Noreturn static void be_link(int fd, const char *url, bool explorer)
{
    static struct rh__server s;
    char error[512];
    struct rh__server_setup setup = { .explorer = explorer, .lease_seconds = 30, .program = "test", .sha256 = "0" };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(fd, 3);
    close_range(4, ~0u, 0);
    if (!rh__address_parse(&setup.address, url, error, sizeof error) ||
        rh__server_open(&s, &setup, error, sizeof error) != RH__SERVER_OPEN) {
        fprintf(stderr, "%s\n", error);
        _exit(1);
    }
    rh__server_serve(&s, 3);
    rh__server_close(&s);
    _exit(0);
}

struct test_link link_started(const struct test_server *s, const char *job, bool explorer)
{
    char url[256];
    int ends[2];
    snprintf(url, sizeof url, "%s?%s-%ld", s->url, job, (long)getpid());
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    fflush(NULL);
    struct test_link l = { .pid = fork(), .fd = ends[0] };
    assert_true(l.pid >= 0);
    if (l.pid == 0)
        be_link(ends[1], url, explorer);
    close(ends[1]);
    return l;
}

void link_end(struct test_link *l)
{
    close(l->fd);
    waitpid(l->pid, NULL, 0);
}
