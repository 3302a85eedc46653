/* rehearse jobs: what is on a server, and a few things to do with it (docs/guide/cluster.md). */
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "cli/cli_cluster.h"
#include "link/setup.h"

enum { EXIT_USAGE = 2, EXIT_TOOL = 3, MOST_JOBS = 1000 };

struct look {
    struct rh__server *server;
    char error[512];
    bool failed;
};

static struct rh__reply *say(struct look *l, struct rh__reply *r)
{
    if (r && r->type != REDIS_REPLY_ERROR)
        return r;
    if (r)
        snprintf(l->error, sizeof l->error, "the server refuses: %.300s", r->text);
    l->failed = true;
    rh__reply_free(r);
    return NULL;
}

static const char *text_of(const struct rh__reply *r, size_t i)
{
    const struct rh__reply *one = rh__reply_part(r, i);
    return rh__reply_is_text(one) ? one->text : "";
}

static void print_visible(const char *text)
{
    rh__print_visible(stdout, text, strlen(text));
}

/* ---- one job ----------------------------------------------------------------------------------------------------- */

/* A line of the table; false if there is no such job. */
static bool print_job(struct look *l, const char *job, bool whole)
{
    char key[128], tot[128], work[128], agents[128];
    struct rh__server *s = l->server;
    if (job != s->setup.address.job)
        snprintf(s->setup.address.job, sizeof s->setup.address.job, "%s", job);
    rh__server_key(s, "spec", key, sizeof key);
    rh__server_key(s, "tot", tot, sizeof tot);
    rh__server_key(s, "work", work, sizeof work);
    rh__server_key(s, "agents", agents, sizeof agents);
    struct rh__reply *spec = say(l, rh__wire_say(s->wire, l->error, sizeof l->error, "HMGET", key, "state", "owner",
                                                 "program", "generation", "seen", "begun", "lease", "binding", NULL));
    struct rh__reply *sums = spec ? say(l, rh__wire_say(s->wire, l->error, sizeof l->error, "HMGET", tot, "runs",
                                                        "steps", "findings", "workers", "commits", NULL))
                                  : NULL;
    struct rh__reply *open = sums ? say(l, rh__wire_say(s->wire, l->error, sizeof l->error, "XLEN", work, NULL)) : NULL;
    struct rh__reply *who =
        open ? say(l, rh__wire_say(s->wire, l->error, sizeof l->error, "ZRANGE", agents, "0", "-1", NULL)) : NULL;
    struct rh__reply *time = who ? say(l, rh__wire_say(s->wire, l->error, sizeof l->error, "TIME", NULL)) : NULL;
    bool there = time && *text_of(spec, 0);
    if (there) {
        double now = (double)rh__reply_number(rh__reply_part(time, 0));
        double begun = (double)rh__reply_number(rh__reply_part(spec, 5)) / 1000;
        double runs = (double)rh__reply_number(rh__reply_part(sums, 0)), age = now - begun;
        const char *state = text_of(spec, 0);
        double silent = now - (double)rh__reply_number(rh__reply_part(spec, 4)) / 1000;
        bool lost = (strcmp(state, "running") == 0 || strcmp(state, "paused") == 0) &&
                    silent > 2e-3 * (double)rh__reply_number(rh__reply_part(spec, 6));
        print_visible(job);
        printf(": %s%s, ", strcmp(state, "paused") == 0 ? "stopped" : state, lost ? " (its explorer is silent)" : "");
        print_visible(text_of(spec, 2));
        printf(", %.0f runs, %.0f a second, %lld failing, %lld items open, %zu agents with %lld workers\n", runs,
               age > 1 ? runs / age : runs, rh__reply_number(rh__reply_part(sums, 2)), rh__reply_number(open),
               who->count, rh__reply_number(rh__reply_part(sums, 3)));
        if (whole) {
            printf("  explorer ");
            print_visible(text_of(spec, 1));
            printf(", seen %.0f s ago, generation %lld, %lld commits, %lld steps\n", silent > 0 ? silent : 0,
                   rh__reply_number(rh__reply_part(spec, 3)), rh__reply_number(rh__reply_part(sums, 4)),
                   rh__reply_number(rh__reply_part(sums, 1)));
            for (size_t i = 0; i < who->count; i++) {
                printf("  agent ");
                print_visible(text_of(who, i));
                printf("\n");
            }
            for (const char *line = text_of(spec, 7); *line; line += strcspn(line, "\n"), line += *line == '\n') {
                printf("  ");
                rh__print_visible(stdout, line, strcspn(line, "\n"));
                printf("\n");
            }
        }
    }
    rh__reply_free(time);
    rh__reply_free(who);
    rh__reply_free(open);
    rh__reply_free(sums);
    rh__reply_free(spec);
    return there;
}

/* ---- all jobs ---------------------------------------------------------------------------------------------------- */

static void list(struct look *l)
{
    char cursor[32] = "0";
    uint32_t found = 0;
    do {
        struct rh__reply *r = say(l, rh__wire_say(l->server->wire, l->error, sizeof l->error, "SCAN", cursor, "MATCH",
                                                  "{rh:*}:spec", "COUNT", "1000", NULL));
        const struct rh__reply *keys = rh__reply_part(r, 1);
        snprintf(cursor, sizeof cursor, "%s", r ? text_of(r, 0) : "0");
        for (size_t i = 0; keys && i < keys->count && found < MOST_JOBS; i++) {
            char job[64];
            const char *key = text_of(keys, i);
            size_t n = strlen(key);
            if (n < 10 || n - 10 >= sizeof job)
                continue;
            snprintf(job, sizeof job, "%.*s", (int)(n - 10), key + 4); /* {rh:JOB}:spec */
            found += print_job(l, job, false);
        }
        rh__reply_free(r);
    } while (!l->failed && strcmp(cursor, "0") != 0 && *cursor && found < MOST_JOBS);
    if (!l->failed && !found)
        printf("no jobs\n");
}

/* stop, resume, remove: the state of the job, in one step. */
static bool change(struct look *l, const char *word)
{
    static const char script[] =
        "local s = redis.call('HGET', KEYS[1], 'state') "
        "if not s then return 0 end "
        "if ARGV[1] == 'remove' then "
        "  for i = 2, #KEYS do redis.call('DEL', KEYS[i]) end "
        "  redis.call('HSET', KEYS[1], 'state', 'removed') redis.call('EXPIRE', KEYS[1], 600) return 1 end "
        "if ARGV[1] == 'stop' and s == 'running' then redis.call('HSET', KEYS[1], 'state', 'paused') return 1 end "
        "if ARGV[1] == 'resume' and s == 'paused' then redis.call('HSET', KEYS[1], 'state', 'running') return 1 end "
        "return 2";
    static const char *const names[] = { "spec", "work", "tot", "res", "agents", "out", "sizes", "known" };
    char keys[8][128];
    struct rh__server *s = l->server;
    for (size_t i = 0; i < 8; i++)
        rh__server_key(s, names[i], keys[i], sizeof keys[i]);
    struct rh__reply *r = say(l, rh__wire_say(s->wire, l->error, sizeof l->error, "EVAL", script, "8", keys[0], keys[1],
                                              keys[2], keys[3], keys[4], keys[5], keys[6], keys[7], word, NULL));
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
    printf("rehearse jobs --cluster URL [show|stop|resume|remove]\n"
           "    what is on a server: each job with its progress, agents, findings\n\n"
           "    show      the job of the URL, with its program, test, explorer and settings\n"
           "    stop      workers finish their items and wait\n"
           "    resume    they go on\n"
           "    remove    the job ends with what it has, and its result says that this is not all\n\n"
           "The options of the connection are those of `rehearse agent` (--insecure, --cluster-password-file FILE, "
           "...).\n\n"
           "exit: 0 done, 2 wrong use, or there is no such job or server, 3 the server failed\n");
    return 0;
}

int rh__cli_jobs(int argc, char **argv)
{
    static struct rh__server server;
    struct look l = { .server = &server };
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
    if (!word)
        list(&l);
    else if (strcmp(word, "show") != 0)
        good = change(&l, word);
    else if (!print_job(&l, server.setup.address.job, true) && !l.failed) {
        snprintf(l.error, sizeof l.error, "there is no job %s", server.setup.address.job);
        good = false;
    }
    rh__wire_close(server.wire);
    if (l.failed || !good)
        rh__complain("%s", l.error);
    return l.failed ? EXIT_TOOL : good ? 0 : EXIT_USAGE;
}
