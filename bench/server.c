/* How many commits a second one redis-server takes: clients that play the script of commits (src/link/work.lua) as
 * agents do, without exploring anything.  Each commit brings its results and one item, and fetches the next.
 *
 *     server [CLIENTS [COMMITS [BYTES]]]     4 clients, 50,000 commits in all, items and results of 300 bytes each
 *
 * The limit is that of one core: `us` is processor time of the server for one commit, with its part of snapshots and of
 * the kernel, as the server tells it.  Commits a second by the clock depend on what else the machine does. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "link/server.h"

enum { MOST_CLIENTS = 512, MOST_BYTES = 1 << 20, ITEMS_PER_WORKER = 2 };

static struct rh__server server;
static struct rh__server_setup setup = { .lease_seconds = 30, .program = "bench", .sha256 = "0" };
static char folder[] = "/tmp/rehearse-bench-XXXXXX";
static pid_t redis;
static unsigned char bytes[MOST_BYTES];

_Noreturn static void fail(const char *why)
{
    fprintf(stderr, "server: %s\n", why);
    if (redis > 0)
        kill(redis, SIGKILL);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the server -------------------------------------------------------------------------------------------------- */

static void begin_server(void)
{
    char lines[512], socket[64], url[128], error[512];
    int in[2];
    if (!mkdtemp(folder) || pipe(in) != 0)
        fail("no folder for the server");
    snprintf(socket, sizeof socket, "%s/socket", folder);
    int n = snprintf(lines, sizeof lines, "port 0\nunixsocket %s\ndir %s\nsave \"\"\n", socket, folder);
    redis = fork();
    if (redis == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(in[0], STDIN_FILENO);
        close(in[1]);
        if (!freopen("/dev/null", "w", stdout))
            _exit(127);
        execlp("redis-server", "redis-server", "-", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    if (redis < 0 || write(in[1], lines, (size_t)n) != n)
        fail("redis-server does not start");
    close(in[1]);
    snprintf(url, sizeof url, "redis+unix://%s?bench", socket);
    if (!rh__address_parse(&setup.address, url, error, sizeof error))
        fail(error);
    setup.explorer = true;
    for (int i = 0; rh__server_open(&server, &setup, error, sizeof error) != RH__SERVER_OPEN; i++) {
        if (i == 1000 || waitpid(redis, NULL, WNOHANG) != 0)
            fail("redis-server does not start (Debian: redis-server)");
        usleep(10000);
    }
}

/* A number of INFO. */
static double told(const char *name)
{
    char error[512];
    struct rh__reply *r = rh__wire_say(server.wire, error, sizeof error, "INFO", "cpu", NULL);
    const char *at = rh__reply_is_text(r) ? strstr(r->text, name) : NULL;
    double number = at ? strtod(at + strlen(name), NULL) : -1;
    rh__reply_free(r);
    if (number < 0)
        fail("the server tells nothing of itself");
    return number;
}

static double server_seconds(void)
{
    return told("used_cpu_user:") + told("used_cpu_sys:");
}

/* ---- clients ----------------------------------------------------------------------------------------------------- */

static struct rh__items items_of(struct rh__writer *w, uint32_t count, size_t size)
{
    for (uint32_t i = 0; i < count; i++)
        rh__put_block(w, bytes, size);
    return (struct rh__items){ w->at, w->len, count };
}

_Noreturn static void be_client(long commits, size_t size)
{
    static struct rh__server s;
    char error[512];
    struct rh__link_answer a;
    struct rh__writer w = rh__writer_new();
    struct rh__items rest = items_of(&w, 1, size);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setup.explorer = false;
    if (rh__server_open(&s, &setup, error, sizeof error) != RH__SERVER_OPEN)
        _exit(1);
    rh__server_answer(&s, &(struct rh__link_ask){ .operation = RH__LINK_JOIN, .workers = 1 }, &a);
    if (a.status != RH__LINK_OK)
        _exit(1);
    uint64_t lease = 0;
    while (commits) {
        struct rh__link_ask q = { .operation = lease ? RH__LINK_COMMIT : RH__LINK_FETCH };
        if (lease)
            q = (struct rh__link_ask){ .operation = RH__LINK_COMMIT,
                                       .lease = lease,
                                       .wants = commits > 1,
                                       .runs = 1,
                                       .steps = 10,
                                       .bytes = bytes,
                                       .size = size,
                                       .items = rest };
        rh__server_answer(&s, &q, &a);
        if (a.status != RH__LINK_OK && a.status != RH__LINK_NONE)
            _exit(1);
        commits -= lease != 0;
        lease = a.lease;
    }
    rh__server_close(&s);
    _exit(0);
}

/* ---- the measurement --------------------------------------------------------------------------------------------- */

static void say(enum rh__link_operation operation)
{
    struct rh__link_answer a;
    rh__server_answer(&server, &(struct rh__link_ask){ .operation = operation, .workers = 1 }, &a);
    if (a.status != RH__LINK_OK)
        fail(a.status == RH__LINK_REFUSED ? a.text : "the server has lost the job");
}

int main(int argc, char **argv)
{
    long clients = argc > 1 ? atol(argv[1]) : 4, commits = argc > 2 ? atol(argv[2]) : 50000;
    long size = argc > 3 ? atol(argv[3]) : 300;
    if (argc > 4 || clients < 1 || clients > MOST_CLIENTS || commits < clients || size < 1 || size > MOST_BYTES)
        fail("CLIENTS (1 to 512) COMMITS BYTES (of an item, and of results)");
    begin_server();
    struct rh__link_answer a;
    struct rh__writer w = rh__writer_new();
    struct rh__link_ask begin = { .operation = RH__LINK_BEGIN,
                                  .text = "bench",
                                  .bytes = "job",
                                  .size = 3,
                                  .lease_seconds = 30,
                                  .items = items_of(&w, (uint32_t)clients * ITEMS_PER_WORKER, (size_t)size) };
    rh__server_answer(&server, &begin, &a);
    if (a.status != RH__LINK_OK)
        fail("no job");
    double from = now(), used = server_seconds();
    for (long i = 0; i < clients; i++)
        if (fork() == 0)
            be_client(commits / clients + (i < commits % clients), (size_t)size);
    long left = clients, snapshots = 0;
    for (int status; left; usleep(2000)) {
        while (left && waitpid(-1, &status, WNOHANG) > 0) {
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                fail("a client failed");
            left--;
        }
        if (now() - from > 0.25 * (double)(snapshots + 1)) {
            say(RH__LINK_RENEW);
            say(RH__LINK_SNAPSHOT);
            snapshots++;
        }
    }
    double seconds = now() - from;
    used = server_seconds() - used;
    printf("%ld clients, %ld commits of %ld bytes and one item of %ld, each with the next item; %ld snapshots\n",
           clients, commits, size, size, snapshots);
    printf("  %.1f us of the server for a commit: at most %.0f commits a second of one core\n",
           1e6 * used / (double)commits, (double)commits / used);
    printf("  %.0f commits a second by the clock, the server was busy for %.0f %% of the time\n",
           (double)commits / seconds, 100 * used / seconds);
    rh__writer_release(&w);
    rh__server_close(&server);
    kill(redis, SIGKILL);
    waitpid(redis, NULL, 0);
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) == 0 ? 0 : 1;
}
