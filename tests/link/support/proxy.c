/* See proxy.h. */
#include "link/support/proxy.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "explore/support/runs.h"

enum { MOST_PAIRS = 256, PIECE = 1 << 16 };

/* One connection: client and server. */
struct pair {
    int ends[2];
};

static int connected_to(const char *path)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

static void end_pair(struct pair *pairs, int *count, int i)
{
    close(pairs[i].ends[0]);
    close(pairs[i].ends[1]);
    pairs[i] = pairs[--*count];
}

static bool send_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

/* Passes on what one side has sent.  False if the connection is over. */
static bool pass(const struct proxy *p, const struct pair *pair, int side, uint64_t *random)
{
    static char piece[PIECE];
    ssize_t n = recv(pair->ends[side], piece, sizeof piece, 0);
    if (n <= 0)
        return false;
    if (*p->mode == PROXY_DROPS && side == 1)
        return true;
    if (*p->mode == PROXY_CUTS) { /* half a message arrives, or none */
        send_all(pair->ends[!side], piece, rh__random_below(random, (uint32_t)n));
        return false;
    }
    if (*p->mode == PROXY_DELAYS)
        usleep(rh__random_below(random, 20000));
    ++*p->passed;
    return send_all(pair->ends[!side], piece, (size_t)n);
}

static void accept_one(int listener, const char *server, struct pair *pairs, int *count)
{
    int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC), to = *count < MOST_PAIRS ? connected_to(server) : -1;
    if (client >= 0 && to >= 0)
        pairs[(*count)++] = (struct pair){ { client, to } };
    else {
        close(client);
        close(to);
    }
}

_Noreturn static void serve(const struct proxy *p, int listener, const char *server)
{
    static struct pair pairs[MOST_PAIRS];
    static struct pollfd polls[2 * MOST_PAIRS + 1];
    uint64_t random = rh__random_seed((uint64_t)getpid(), 1);
    int count = 0;
    signal(SIGPIPE, SIG_IGN);
    for (;;) {
        if (*p->mode == PROXY_HOLDS) {
            usleep(5000);
            continue;
        }
        int n = count; /* those that are polled */
        polls[0] = (struct pollfd){ .fd = listener, .events = POLLIN };
        for (int i = 0; i < 2 * n; i++)
            polls[i + 1] = (struct pollfd){ .fd = pairs[i / 2].ends[i % 2], .events = POLLIN };
        if (poll(polls, (nfds_t)(2 * n + 1), 20) <= 0)
            continue;
        for (int i = n; i--;) /* from the end: the last one takes the place of one that ends */
            for (int side = 0; side < 2; side++)
                if (polls[2 * i + side + 1].revents && !pass(p, &pairs[i], side, &random)) {
                    end_pair(pairs, &count, i);
                    break;
                }
        if (polls[0].revents)
            accept_one(listener, server, pairs, &count);
    }
}

struct proxy proxy_started(const char *folder, const char *server)
{
    struct proxy p = { 0 };
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    p.mode = shared;
    p.passed = (volatile unsigned *)shared + 16;
    assert_true((size_t)snprintf(at.sun_path, sizeof at.sun_path, "%s/proxy", folder) < sizeof at.sun_path);
    snprintf(p.url, sizeof p.url, "redis+unix://%s", at.sun_path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(listener >= 0 && bind(listener, (const struct sockaddr *)&at, sizeof at) == 0 &&
                listen(listener, 64) == 0);
    fflush(NULL);
    p.pid = fork();
    assert_true(p.pid >= 0);
    if (p.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(&p, listener, server);
    }
    close(listener);
    return p;
}

void proxy_end(struct proxy *p)
{
    kill(p->pid, SIGKILL);
    waitpid(p->pid, NULL, 0);
    munmap((void *)(uintptr_t)p->mode, 4096);
}
