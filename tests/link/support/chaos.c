/* See chaos.h. */
#include "link/support/chaos.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "explore/engine/engine.h"
#include "explore/support/runs.h"
#include "link/support/proxy.h"
#include "link/support/servers.h"
#include "link/wire.h"

enum { AGENTS = 2, MOST_PROCESSES = 4096, MOST_WORDS = 48, MOST_STOPPED = 16, TEXT = 1 << 16 };
/* Explorers of one exploration: there is a checkpoint every five seconds, so one that needs more never ends if its
 * explorer is killed every second. */
enum { MOST_EXPLORERS = 8 };
/* Of one exploration, if its setting does not say: on a busy machine some would never end else. */
enum { MOST_FAILURES = 400 };
static const double lease = 0.4;

struct chaos {
    const struct chaos_setting *setting;
    struct chaos_counts *counts;
    uint64_t random;
    char folder[64];
    struct test_server server;
    struct proxy proxy;
    pid_t explorer, agents[AGENTS]; /* processes of the command, each with the test program as its child */
    double explorer_at;             /* when the next explorer may begin; 0: there is one */
    struct {
        pid_t pid;
        double until;
    } stopped[MOST_STOPPED];
    unsigned stopped_count;
    double network_until, next_server, next_copy;
    bool has_copy;
    unsigned begun, failures; /* explorers and failures of this exploration */
};

static uint32_t below(struct chaos *c, uint32_t n)
{
    return rh__random_below(&c->random, n);
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* In a process group of its own, so that nothing of it is left. */
static pid_t started(const struct chaos *c, char **words, const char *log, int more)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", c->folder, log);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid)
        return pid;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* if the test fails */
    int fd = open(path, O_WRONLY | O_CREAT | more, 0600), nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    close_range(3, ~0u, 0);
    execv(words[0], words);
    _exit(127);
}

static const char *build_folder(void)
{
    const char *folder = getenv("BUILD_DIR");
    assert_non_null(folder);
    return folder;
}

struct words {
    char *words[MOST_WORDS];
    unsigned count;
    char texts[2048];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add_word(struct words *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    assert_true(w->count + 1 < MOST_WORDS);
    w->words[w->count++] = w->texts + w->used;
    w->used += (size_t)vsnprintf(w->texts + w->used, sizeof w->texts - w->used, format, list) + 1;
    assert_true(w->used < sizeof w->texts);
    va_end(list);
}

static void add_test(struct words *w, const struct chaos_setting *s)
{
    add_word(w, "%s/bin/rehearse", build_folder());
    add_word(w, "test");
    add_word(w, "%s/%s", build_folder(), s->program);
    for (const char *const *o = s->options; *o; o++)
        add_word(w, "%s", *o);
    for (const char *const *o = (const char *const[]){ "--keep-going", "--quiet", "--no-minimise", "--save", "",
                                                       "--max-seconds", "36000", "--json", NULL };
         *o; o++)
        add_word(w, "%s", *o);
}

static const char *url_of(const struct chaos *c)
{
    return c->proxy.pid ? c->proxy.url : c->server.url;
}

static void begin_explorer(struct chaos *c)
{
    struct words w = { .count = 0 };
    char checkpoint[128];
    snprintf(checkpoint, sizeof checkpoint, "%s/json", c->folder);
    unlink(checkpoint); /* of one that was killed when it had the result */
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint", c->folder);
    add_test(&w, c->setting);
    add_word(&w, "%s/json", c->folder);
    add_word(&w, "--cluster");
    add_word(&w, "%s", url_of(c));
    add_word(&w, "--lease");
    add_word(&w, "%g", lease);
    add_word(&w, "-j1");
    add_word(&w, "--checkpoint");
    add_word(&w, "%s", checkpoint);
    if (access(checkpoint, F_OK) == 0)
        add_word(&w, "--resume");
    c->explorer = started(c, w.words, "explorer.log", O_TRUNC);
    c->explorer_at = 0;
    c->begun++;
}

static void begin_agent(struct chaos *c, unsigned i)
{
    struct words w = { .count = 0 };
    add_word(&w, "%s/bin/rehearse", build_folder());
    add_word(&w, "agent");
    add_word(&w, "%s/%s", build_folder(), c->setting->program);
    add_word(&w, "--cluster");
    add_word(&w, "%s", url_of(c));
    add_word(&w, "-j2");
    c->agents[i] = started(c, w.words, "agents.log", O_APPEND);
}

static void end_group(pid_t *pid)
{
    if (*pid <= 0)
        return;
    kill(-*pid, SIGKILL);
    kill(*pid, SIGKILL);
    waitpid(*pid, NULL, 0);
    *pid = 0;
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

static pid_t parent_of(pid_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    const char *behind = strrchr(text, ')');
    int parent = 0;
    return behind && sscanf(behind + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* The processes that descend from one in so many steps, "least" to "most". */
static unsigned descendants(pid_t from, unsigned least, unsigned most, pid_t *found)
{
    unsigned count = 0;
    DIR *d = opendir("/proc");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        pid_t pid = (pid_t)atoi(e->d_name), up = pid;
        unsigned steps = 0;
        while (pid > 0 && up > 1 && up != from && steps++ < most)
            up = parent_of(up);
        if (pid > 0 && up == from && steps >= least && steps <= most && count < MOST_PROCESSES)
            found[count++] = pid;
    }
    closedir(d);
    return count;
}

/* One of them, or 0. */
static pid_t some_process(struct chaos *c, pid_t from, unsigned least, unsigned most)
{
    static pid_t found[MOST_PROCESSES];
    unsigned n = from > 0 ? descendants(from, least, most, found) : 0;
    return n ? found[below(c, n)] : 0;
}

/* ---- what fails -------------------------------------------------------------------------------------------------- */

/* command: 0 steps; test program: 1; worker and its child: 2 and 3. */
static bool fail_workers(struct chaos *c)
{
    uint32_t which = below(c, AGENTS + 1);
    pid_t pid = some_process(c, which < AGENTS ? c->agents[which] : c->explorer, 2, 3);
    return pid && kill(pid, SIGKILL) == 0;
}

static bool fail_agents(struct chaos *c)
{
    uint32_t which = below(c, AGENTS);
    pid_t pid = below(c, 2) ? c->agents[which] : some_process(c, c->agents[which], 1, 1);
    return pid > 0 && kill(pid, SIGKILL) == 0;
}

static bool fail_stops(struct chaos *c)
{
    uint32_t which = below(c, AGENTS);
    pid_t pid = below(c, 2) ? c->agents[which] : some_process(c, c->agents[which], 1, 3);
    if (pid <= 0 || c->stopped_count == MOST_STOPPED || kill(pid, SIGSTOP) != 0)
        return false;
    c->stopped[c->stopped_count].pid = pid;
    c->stopped[c->stopped_count++].until = rh__now_seconds() + lease * (1.2 + below(c, 200) / 100.0);
    return true;
}

/* Runs a line of the shell in the folder of the server. */
static void in_server(const struct chaos *c, const char *line)
{
    char command[512];
    snprintf(command, sizeof command, "cd '%s' && %s", c->server.folder, line);
    assert_int_equal(system(command), 0);
}

static bool fail_servers(struct chaos *c)
{
    double now = rh__now_seconds();
    if (now < c->next_server)
        return false;
    server_kill(&c->server);
    switch (below(c, 4)) {
    case 0:
        in_server(c, "rm -rf appendonlydir");
        break;
    case 1: /* with its file */
        break;
    case 2:
        if (c->has_copy)
            in_server(c, "rm -rf appendonlydir && cp -r old appendonlydir");
        break;
    default: { /* in the middle of a transaction, perhaps */
        char line[160];
        snprintf(line, sizeof line, "for f in appendonlydir/*.incr.aof; do truncate -s -%u \"$f\" || true; done",
                 1 + below(c, 4000));
        in_server(c, line);
        break;
    }
    }
    server_begin_again(&c->server);
    c->next_server = rh__now_seconds() + 0.7;
    return true;
}

static bool fail_flushes(struct chaos *c)
{
    char error[256];
    bool refused;
    struct rh__address a;
    struct rh__secrets none = { 0 };
    assert_true(rh__address_parse(&a, c->server.url, error, sizeof error));
    struct rh__wire *w = rh__wire_open(&a, &none, 5, &refused, error, sizeof error);
    struct rh__reply *r = w ? rh__wire_say(w, error, sizeof error, "FLUSHALL", NULL) : NULL;
    bool good = r != NULL;
    rh__reply_free(r);
    rh__wire_close(w);
    return good;
}

static bool fail_networks(struct chaos *c)
{
    if (c->network_until > 0)
        return false;
    *c->proxy.mode = 1 + below(c, PROXY_MODE_COUNT - 1);
    c->network_until = rh__now_seconds() + (below(c, 3) ? 0.02 + below(c, 300) / 1000.0 : lease * 1.5);
    return true;
}

static bool fail_explorers(struct chaos *c)
{
    pid_t pid = below(c, 2) ? c->explorer : some_process(c, c->explorer, 1, 1);
    if (c->explorer_at > 0 || pid <= 0 || c->begun >= MOST_EXPLORERS)
        return false;
    kill(pid, SIGKILL);
    waitpid(c->explorer, NULL, 0); /* the other one ends, too */
    end_group(&c->explorer);
    c->explorer_at = rh__now_seconds() + 2.5 * lease; /* then it is silent for long enough */
    return true;
}

static const struct {
    const char *name;
    unsigned weight;
    bool (*make)(struct chaos *c);
} kinds[] = {
#define X(name, weight) { #name, weight, fail_##name },
    CHAOS_KINDS(X)
#undef X
};

static void let_something_fail(struct chaos *c)
{
    uint32_t at = below(c, 100);
    for (unsigned k = 0; k < CHAOS_KIND_COUNT; k++) {
        if (at < kinds[k].weight) {
            if (c->setting->kinds >> k & 1 && kinds[k].make(c)) {
                c->counts->happened[k]++;
                c->failures++;
            }
            return;
        }
        at -= kinds[k].weight;
    }
}

/* What is to go on goes on; who is gone is replaced. */
static void repair(struct chaos *c, bool all)
{
    double now = rh__now_seconds();
    for (unsigned i = c->stopped_count; i--;)
        if (all || now > c->stopped[i].until) {
            kill(c->stopped[i].pid, SIGCONT);
            c->stopped[i] = c->stopped[--c->stopped_count];
        }
    if (c->proxy.pid && (all || (c->network_until > 0 && now > c->network_until))) {
        *c->proxy.mode = PROXY_PASSES;
        c->network_until = 0;
    }
    for (unsigned i = 0; i < AGENTS; i++)
        if (c->agents[i] <= 0 || waitpid(c->agents[i], NULL, WNOHANG) != 0) {
            end_group(&c->agents[i]);
            begin_agent(c, i);
        }
    if (c->explorer_at > 0 && now > c->explorer_at)
        begin_explorer(c);
    if (now > c->next_copy && c->setting->kinds >> CHAOS_servers & 1) {
        in_server(c, "rm -rf old && cp -r appendonlydir old");
        c->has_copy = true;
        c->next_copy = now + 2;
    }
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Removes the values of a key: they differ between runs, and say nothing of the result. */
static void strip(char *json, const char *key)
{
    char name[64];
    int n = snprintf(name, sizeof name, "\"%s\":", key);
    for (char *at = json; (at = strstr(at, name));) {
        char *value = at + n, *end = value + (*value == '"');
        end += strcspn(end, *value == '"' ? "\"" : ",}]\n");
        end += *value == '"';
        memmove(value, end, strlen(end) + 1);
        at = value;
    }
}

/* In a buffer of malloc. */
static char *result_in(const struct chaos *c)
{
    static const char *const strange[] = { "seconds", "workers", "estimate", "run", "checkpoint", "notes" };
    static const char *const repeated[] = { "executions", "steps", "failed", "count", "summary", "not_held", "held" };
    char path[128], *text = calloc(1, TEXT);
    snprintf(path, sizeof path, "%s/json", c->folder);
    FILE *f = fopen(path, "r");
    assert_non_null(text);
    if (f) {
        size_t n = fread(text, 1, TEXT - 1, f);
        assert_true(n < TEXT - 1);
        fclose(f);
    }
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        strip(text, strange[i]);
    for (size_t i = 0; c->setting->repeats && i < sizeof repeated / sizeof *repeated; i++)
        strip(text, repeated[i]);
    return text;
}

static char *result_of_one(struct chaos *c, int *code)
{
    struct words w = { .count = 0 };
    int status;
    add_test(&w, c->setting);
    add_word(&w, "%s/json", c->folder);
    if (c->setting->rounds)
        add_word(&w, "-j2");
    pid_t pid = started(c, w.words, "one.log", O_TRUNC);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    *code = WEXITSTATUS(status);
    return result_in(c);
}

static void show_logs(const struct chaos *c)
{
    char command[256];
    snprintf(command, sizeof command, "cd '%s' && tail -n 20 explorer.log agents.log", c->folder);
    if (system(command) != 0)
        print_message("no logs\n");
}

static void compare(struct chaos *c, const char *expected, int expected_code, int code)
{
    char *result = result_in(c);
    c->counts->explorations++;
    if (strcmp(result, expected) == 0 && code == expected_code)
        c->counts->exact++;
    else if (strstr(result, "\"incomplete\":true"))
        c->counts->incomplete++;
    else {
        size_t i = 0;
        show_logs(c);
        while (expected[i] && expected[i] == result[i])
            i++;
        i = i > 60 ? i - 60 : 0;
        fail_msg("%s: exit %d instead of %d\n--- expected ... %.400s\n--- got ... %.400s", c->setting->name, code,
                 expected_code, expected + i, strlen(result) > i ? result + i : result);
    }
    free(result);
}

/* ---- explorations ------------------------------------------------------------------------------------------------ */

static bool is_enough(const struct chaos *c)
{
    bool enough = c->counts->explorations > 0;
    for (unsigned k = 0; k < CHAOS_KIND_COUNT; k++)
        enough &= c->counts->happened[k] >= c->setting->least[k];
    return enough;
}

/* There was no server when it began, or one of its processes that was no worker was killed: it says so. */
static bool says_why(const struct chaos *c, int status)
{
    char command[512];
    snprintf(command, sizeof command,
             "test ! -s '%s/json' && grep -Eq 'ended from outside by signal 9|connection is lost|is not ready: "
             "LOADING|/(socket|proxy): ' "
             "'%s/explorer.log'",
             c->folder, c->folder);
    return WIFEXITED(status) && (WEXITSTATUS(status) == 2 || WEXITSTATUS(status) == 3) && system(command) == 0;
}

/* True if the explorer has ended: `status` says how. */
static bool explorer_ended(struct chaos *c, int *status)
{
    if (c->explorer <= 0 || waitpid(c->explorer, status, WNOHANG) != c->explorer)
        return false;
    if (!says_why(c, *status))
        return true;
    end_group(&c->explorer);
    c->explorer_at = rh__now_seconds() + 2.5 * lease;
    return false;
}

static void explore(struct chaos *c, const char *expected, int expected_code)
{
    int status = 0;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'/*", c->folder);
    assert_int_equal(system(command), 0);
    c->server = server_started(c->setting->kinds >> CHAOS_servers & 1 ? "appendonly yes\nappendfsync no\n" : "");
    c->proxy = (struct proxy){ .pid = 0 };
    if (c->setting->kinds >> CHAOS_networks & 1) {
        char path[128];
        snprintf(path, sizeof path, "%s/socket", c->server.folder);
        c->proxy = proxy_started(c->server.folder, path);
    }
    c->stopped_count = 0;
    c->network_until = c->next_server = c->next_copy = 0;
    c->has_copy = false;
    c->begun = c->failures = 0;
    begin_explorer(c);
    while (!explorer_ended(c, &status)) {
        bool enough = is_enough(c) || c->failures >= (c->setting->most ? c->setting->most : MOST_FAILURES);
        repair(c, enough);
        usleep(1000 * (5 + below(c, 40)));
        if (!enough)
            let_something_fail(c);
    }
    c->explorer = 0;
    compare(c, expected, expected_code, WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status));
    for (unsigned i = 0; i < AGENTS; i++)
        end_group(&c->agents[i]);
    if (c->proxy.pid)
        proxy_end(&c->proxy);
    server_end(&c->server);
}

void chaos_make(const struct chaos_setting *setting, uint64_t seed, struct chaos_counts *counts)
{
    struct chaos c = {
        .setting = setting, .counts = counts, .random = rh__random_seed(seed, 7), .folder = "/tmp/rehearse-chaos-XXXXXX"
    };
    char command[128];
    int code;
    *counts = (struct chaos_counts){ .explorations = 0 };
    assert_non_null(mkdtemp(c.folder));
    char *expected = result_of_one(&c, &code);
    assert_non_null(strstr(expected, "\"executions\""));
    do
        explore(&c, expected, code);
    while (!is_enough(&c));
    free(expected);
    snprintf(command, sizeof command, "rm -rf '%s'", c.folder);
    assert_int_equal(system(command), 0);
    print_message("%s: ", setting->name);
    chaos_print(counts);
}

void chaos_add(struct chaos_counts *sum, const struct chaos_counts *counts)
{
    sum->explorations += counts->explorations;
    sum->exact += counts->exact;
    sum->incomplete += counts->incomplete;
    for (unsigned k = 0; k < CHAOS_KIND_COUNT; k++)
        sum->happened[k] += counts->happened[k];
}

void chaos_print(const struct chaos_counts *counts)
{
    print_message("%u explorations, %u exact, %u incomplete; failed:", counts->explorations, counts->exact,
                  counts->incomplete);
    for (unsigned k = 0; k < CHAOS_KIND_COUNT; k++)
        print_message(" %s %u", kinds[k].name, counts->happened[k]);
    print_message("\n");
}
