/* An exploration whose queue is on a server: what only this queue can lose. */
#include <stdio.h>

#include "cluster/mixed.h"
#include "cluster/support.h"
#include "link/support/links.h"
#include "link/wire.h"

static struct test_server server;

/* ---- a server that loses its data -------------------------------------------------------------------------------- */

struct loser {
    struct rh__wire *wire;
    char tot[64];
    uint64_t after; /* runs */
    unsigned lost;
};

static long long ask_number(struct rh__wire *w, const char *command, const char *key, const char *field)
{
    char error[256];
    struct rh__reply *r = rh__wire_say(w, error, sizeof error, command, key, field, NULL);
    if (!r)
        fail_msg("%s", error);
    long long n = rh__reply_number(r);
    rh__reply_free(r);
    return n;
}

static void lose_data(void *arg, struct rh_exploration *x, const pid_t *workers)
{
    struct loser *l = arg;
    (void)x, (void)workers;
    if (l->lost || (uint64_t)ask_number(l->wire, "HGET", l->tot, "runs") < l->after)
        return;
    ask_number(l->wire, "FLUSHALL", NULL, NULL);
    l->lost++;
}

static struct rh__wire *wire_of(const struct test_server *s)
{
    char error[256];
    bool refused;
    struct rh__address a;
    struct rh__secrets none = { 0 };
    assert_true(rh__address_parse(&a, s->url, error, sizeof error));
    struct rh__wire *w = rh__wire_open(&a, &none, 5, &refused, error, sizeof error);
    if (!w)
        fail_msg("%s", error);
    return w;
}

/* A worker says each distinct run and each finding once.  When what it said is lost with the server, it is said again:
 * the worker is another one. */
static void a_report_that_is_lost_with_the_server_is_made_again(void **unused)
{
    static const struct rh_param params[] = { { "fails", "1" }, { "n", "3" } };
    const struct setting s = { .test = "mixed", .params = params, .param_count = 2, .limits.keep_going = true };
    static const unsigned after[] = { 1, 5000, 20000 };
    (void)unused;
    char *expected = told_by_one(&s);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        char job[32];
        snprintf(job, sizeof job, "lost-%zu", i);
        struct loser loser = { .wire = wire_of(&server), .after = after[i] };
        struct test_link link = link_started(&server, job, true);
        snprintf(loser.tot, sizeof loser.tot, "{rh:%s-%ld}:tot", job, (long)getpid());
        struct rh__pool_link to = { .fd = link.fd, .explorer = true, .lease_seconds = 30, .job = "job", .job_size = 3 };
        struct rh__pool_options o = {
            .workers = 1, .link = &to, .slice_runs = 500, .watch = lose_data, .watch_arg = &loser
        };
        same_text(strdup(expected), told_by_pool(&s, o), "totals after a loss", after[i]);
        assert_int_equal(loser.lost, 1);
        link_end(&link);
        rh__wire_close(loser.wire);
    }
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_that_is_lost_with_the_server_is_made_again),
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
