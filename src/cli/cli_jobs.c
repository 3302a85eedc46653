/* rehearse jobs: what is on a server, and a few things to do with it (docs/guide/cluster.md). */
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "cli/cli_cluster.h"
#include "cli/cli_jobs_read.h"
#include "link/setup.h"

enum { EXIT_USAGE = 2, EXIT_TOOL = 3 };

static void print_visible(const char *text)
{
    rh__print_visible(stdout, text, strlen(text));
}

/* A line of the table. */
static void print_job(void *arg, const struct rh__job_view *v)
{
    (void)arg;
    print_visible(v->name);
    printf(": ");
    print_visible(v->state);
    printf("%s, ", v->silent ? " (its explorer is silent)" : "");
    print_visible(v->program);
    printf(", %.0f runs, %.0f a second, %lld failing, %lld item%s open, %zu agent%s with %lld worker%s\n", v->runs,
           v->seconds > 1 ? v->runs / v->seconds : v->runs, v->findings, v->open, v->open == 1 ? "" : "s", v->agents,
           v->agents == 1 ? "" : "s", v->workers, v->workers == 1 ? "" : "s");
}

static void print_details(const struct rh__job_view *v)
{
    printf("  explorer ");
    print_visible(v->owner);
    printf(", seen %.0f s ago, generation %lld, %lld commits, %.0f steps\n", v->seen, v->generation, v->commits,
           v->steps);
    for (size_t i = 0; i < v->agents; i++) {
        if (strcmp(rh__job_agent(v, i), v->owner) == 0)
            continue;
        printf("  agent ");
        print_visible(rh__job_agent(v, i));
        printf("\n");
    }
    for (const char *line = v->settings; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        printf("  ");
        rh__print_visible(stdout, line, strcspn(line, "\n"));
        printf("\n");
    }
}

static bool show(struct rh__jobs *l)
{
    struct rh__job_view v;
    bool there = rh__jobs_read(l, l->server->setup.address.job, &v);
    if (there) {
        print_job(NULL, &v);
        print_details(&v);
    } else if (!l->failed) {
        snprintf(l->error, sizeof l->error, "there is no job %s", l->server->setup.address.job);
    }
    rh__job_release(&v);
    return there;
}

/* stop, resume, remove: the state of the job, in one step. */
static bool change(struct rh__jobs *l, const char *word)
{
    static const char script[] =
        "local s = redis.call('HGET', KEYS[1], 'state') "
        "if not s then return 0 end "
        "if ARGV[1] == 'remove' then "
        "  for i = 2, #KEYS do redis.call('DEL', KEYS[i]) end "
        "  if s == 'ended' or s == 'left' then redis.call('DEL', KEYS[1]) return 1 end "
        "  redis.call('HSET', KEYS[1], 'state', 'removed') redis.call('EXPIRE', KEYS[1], 600) return 1 end "
        "if ARGV[1] == 'stop' and s == 'running' then redis.call('HSET', KEYS[1], 'state', 'paused') return 1 end "
        "if ARGV[1] == 'resume' and s == 'paused' then redis.call('HSET', KEYS[1], 'state', 'running') return 1 end "
        "return 2";
    static const char *const names[] = { "spec", "work", "tot", "res", "agents", "out", "sizes", "known" };
    char keys[8][128];
    struct rh__server *s = l->server;
    for (size_t i = 0; i < 8; i++)
        rh__server_key(s, names[i], keys[i], sizeof keys[i]);
    struct rh__reply *r =
        rh__jobs_say(l, rh__wire_say(s->wire, l->error, sizeof l->error, "EVAL", script, "8", keys[0], keys[1], keys[2],
                                     keys[3], keys[4], keys[5], keys[6], keys[7], word, NULL));
    long long how = rh__reply_number(r);
    rh__reply_free(r);
    if (l->failed)
        return false;
    if (how != 1)
        snprintf(l->error, sizeof l->error, how ? "job %s is not %s" : "there is no job %s%s", s->setup.address.job,
                 !how                        ? ""
                 : strcmp(word, "stop") == 0 ? "running"
                                             : "stopped");
    return how == 1;
}

static int help(void)
{
    printf(
        "rehearse jobs --cluster URL [show|stop|resume|remove]\n"
        "    what is on a server: each job with its progress, agents, findings\n\n"
        "    show      the job of the URL, with its program, test, explorer and settings\n"
        "    stop      workers finish their items and wait\n"
        "    resume    they go on\n"
        "    remove    the job ends with what it has, and its result says that this is not all; one that has ended is\n"
        "              forgotten\n\n"
        "The options of the connection are those of `rehearse agent` (--insecure, --cluster-password-file FILE, "
        "...).\n\n"
        "exit: 0 done, 2 wrong use, or there is no such job or server, 3 the server failed\n");
    return 0;
}

int rh__cli_jobs(int argc, char **argv)
{
    static struct rh__server server;
    struct rh__jobs l = { .server = &server };
    const char *word = NULL;
    bool refused, good = true;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            return help();
        if (strcmp(argv[i], "--insecure") == 0)
            continue;
        if (strncmp(argv[i], "--cluster", 9) == 0) {
            i += !strchr(argv[i], '=');
            continue;
        }
        bool known = strcmp(argv[i], "show") == 0 || strcmp(argv[i], "stop") == 0 || strcmp(argv[i], "resume") == 0 ||
                     strcmp(argv[i], "remove") == 0;
        if (!known || word) {
            rh__complain("jobs wants --cluster URL, and show, stop, resume or remove, not \"%s\"", argv[i]);
            return EXIT_USAGE;
        }
        word = argv[i];
    }
    if (!rh__setup_read(&server.setup, argc, argv, l.error, sizeof l.error) ||
        !rh__server_connect(&server, &refused, l.error, sizeof l.error)) {
        rh__complain("%s", l.error);
        return EXIT_USAGE;
    }
    if (word)
        good = strcmp(word, "show") == 0 ? show(&l) : change(&l, word);
    else if (!rh__jobs_each(&l, print_job, NULL) && !l.failed)
        printf("no jobs\n");
    rh__wire_close(server.wire);
    if (l.failed || !good)
        rh__complain("%s", l.error);
    return l.failed ? EXIT_TOOL : good ? 0 : EXIT_USAGE;
}
