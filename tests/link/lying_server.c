/* A server that lies to the command and its programs (support/liar.h): nobody crashes, hangs or takes memory without
 * end, whatever it says.  Where it only fails (it is silent, cuts, has errors of its own), totals are exact or the
 * result says otherwise.  And servers that are of no use are refused with a sentence. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/engine/engine.h"
#include "explore/support/runs.h"
#include "link/support/liar.h"
#include "link/support/servers.h"

enum { TEXT = 1 << 16, LONGEST_SECONDS = 120, MOST_MB = 1200 };
static struct test_server server;
static unsigned number;

struct heard {
    int code; /* of the explorer; its signal + 1000 */
    char out[TEXT], err[TEXT];
};

static pid_t started(const struct liar *l, bool explorer, const char *const *options)
{
    char program[256], tool[256], url[256];
    const char *words[32] = { tool, explorer ? "test" : "agent", program, "--cluster", url, "--quiet", "-j1" };
    int n = 7;
    snprintf(tool, sizeof tool, "%s/bin/rehearse", getenv("BUILD_DIR"));
    snprintf(program, sizeof program, "%s/tests/fixtures/slow", getenv("BUILD_DIR"));
    snprintf(url, sizeof url, "%s?job%u", l->url, number);
    while (explorer && *options)
        words[n++] = *options++;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid)
        return pid;
    char path[128];
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int fd = 0; fd < 3; fd++) {
        snprintf(path, sizeof path, fd ? "%s/%s%d" : "/dev/null", server.folder, explorer ? "told" : "agent", fd);
        dup2(open(path, fd ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY, 0600), fd);
    }
    close_range(3, ~0u, 0);
    execv(tool, (char *const *)(uintptr_t)words);
    _exit(127);
}

static void read_file(const char *name, char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", server.folder, name);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, TEXT - 1, f) : 0;
    text[n] = 0;
    if (f)
        fclose(f);
}

static int waited(pid_t pid, const char *who, const char *kind, uint64_t seed)
{
    int status;
    double until = rh__now_seconds() + LONGEST_SECONDS;
    pid_t end;
    while ((end = waitpid(pid, &status, WNOHANG)) == 0 && rh__now_seconds() < until)
        usleep(2000);
    kill(-pid, SIGKILL);
    if (end != pid)
        fail_msg("%s, seed %llu: the %s goes on and on", kind, (unsigned long long)seed, who);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* An exploration, perhaps with an agent, both of which hear lies. */
static struct heard *hear(const struct lies *lies, const char *kind, const char *const *options, bool with_agent,
                          unsigned *told)
{
    static struct heard h;
    char path[128];
    snprintf(path, sizeof path, "%s/socket", server.folder);
    struct liar l = liar_started(server.folder, path, lies);
    number++;
    pid_t agent = with_agent ? started(&l, false, NULL) : 0, explorer = started(&l, true, options);
    h.code = waited(explorer, "explorer", kind, lies->seed);
    if (agent) {
        kill(agent, SIGTERM); /* it may wait for a job */
        int code = waited(agent, "agent", kind, lies->seed);
        read_file("agent2", h.err);
        if (code > 3 && code != 128 + SIGTERM && code != 1000 + SIGTERM)
            fail_msg("%s, seed %llu: the agent ends with %d: %s", kind, (unsigned long long)lies->seed, code, h.err);
    }
    read_file("told1", h.out);
    read_file("told2", h.err);
    *told = *l.told;
    liar_end(&l);
    return &h;
}

static const char *const dfs[] = { "--explorer", "dfs",           "-p",   "n=6", "--keep-going", "--lease",
                                   "0.4",        "--max-seconds", "1000", NULL };
static const char *const stateful[] = { "--explorer", "stateful",      "-p",   "n=5", "--keep-going", "--lease",
                                        "0.4",        "--max-seconds", "1000", NULL };

static bool is_long; /* more seeds than one */

static void check(enum lie kind, uint64_t seed, const char *const *options, const char *exact)
{
    bool waits = kind == LIE_silent || kind == LIE_huge; /* for an answer: an agent ten seconds, an explorer one */
    const struct lies lies = {
        .kinds = 1u << kind, .one_in = 4 + (unsigned)(seed % 5), .most = waits ? 2 : 12, .seed = seed
    };
    bool honest = kind == LIE_silent || kind == LIE_cut || kind == LIE_huge || kind == LIE_nested || kind == LIE_error;
    unsigned told;
    const struct heard *h = hear(&lies, lie_name(kind), options, !waits || is_long, &told);
    if (h->code > 3)
        fail_msg("%s, seed %llu: the explorer ends with %d\n%s", lie_name(kind), (unsigned long long)seed, h->code,
                 h->err);
    if (h->code > 1 && !*h->err && !strstr(h->out, "incomplete"))
        fail_msg("%s, seed %llu: the explorer ends with %d and no word", lie_name(kind), (unsigned long long)seed,
                 h->code);
    if (honest && h->code < 2 && !strstr(h->out, exact) && !strstr(h->out, "incomplete"))
        fail_msg("%s, seed %llu: other totals\n%s", lie_name(kind), (unsigned long long)seed, h->out);
    if (!told)
        print_message("%s, seed %llu: no lie was told\n", lie_name(kind), (unsigned long long)seed);
}

/* REHEARSE_FIRST and REHEARSE_PROGRAMS: other seeds, and more of them. */
static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void a_server_that_lies_does_no_harm(void **unused)
{
    struct rusage usage;
    (void)unused;
    uint64_t first = from_environment("REHEARSE_FIRST", 1), last = first + from_environment("REHEARSE_PROGRAMS", 1);
    is_long = last > first + 1;
    for (uint64_t seed = first; seed < last; seed++)
        for (enum lie kind = 0; kind < LIE_info; kind++) {
            check(kind, seed, dfs, "720 runs");
            if (kind != LIE_silent || is_long) /* it takes seconds */
                check(kind, seed, stateful, "120 runs, 600 steps");
        }
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    if (usage.ru_maxrss > MOST_MB * 1024l)
        fail_msg("a process took %ld MB", usage.ru_maxrss / 1024);
}

static void servers_of_no_use_are_refused(void **unused)
{
    static const struct {
        const char *was, *is, *sentence;
    } rows[] = {
        { "redis_version:", "redis_version:6.0.16\r\nx:", "the server has version 6.0.16 of Redis; 6.2 is the oldest" },
        { "redis_version:", "redis_version:3.2\r\nx:", "the server has version 3.2 of Redis" },
        { "redis_version:", "x:", "the server has version (unknown) of Redis" },
        { "redis_mode:standalone", "redis_mode:cluster", "the server runs in mode cluster; it must be standalone" },
        { "redis_mode:standalone", "redis_mode:sentinel", "the server runs in mode sentinel" },
        { "role:master", "role:slave", "the server is a replica" },
        { "run_id:", "x:", "the server does not say its run_id" },
    };
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct lies lies = {
            .kinds = 1u << LIE_info, .one_in = 1, .most = 1000, .info_was = rows[i].was, .info_is = rows[i].is
        };
        unsigned told;
        const struct heard *h = hear(&lies, rows[i].is, dfs, true, &told);
        if (h->code != 2 || !strstr(h->err, rows[i].sentence))
            fail_msg("\"%s\": exit %d, \"%s\"", rows[i].is, h->code, h->err);
        assert_true(told);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_of_no_use_are_refused),
        cmocka_unit_test(a_server_that_lies_does_no_harm),
    };
    if (!server_is_installed()) {
        printf("skipped: redis-server is not installed (Debian: redis-server)\n");
        return 77;
    }
    server = server_started("");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    server_end(&server);
    return failed;
}
