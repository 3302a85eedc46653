/* The queue on a server does what every queue does: the checks of cluster/support/queue_checks.h over a real
 * redis-server.  Each queue of a check is a job with a link of its own, which is a process as in the command. */
#include <stdio.h>

#include "base/random.h"
#include "cluster/linked.h"
#include "cluster/support.h"
#include "cluster/support/queue_checks.h"
#include "link/support/links.h"

static struct test_server server;

/* A queue with its link.  Its functions are those of rh__queue_linked; totals are as new as a snapshot. */
struct on_server {
    void *q;
    struct test_link link;
};

static const struct rh__linked_job nothing = { .binding = "test", .job = "job", .size = 3, .lease_seconds = 30 };

static void *open_on_server(const char *where, struct rh__results *totals, char *error, size_t error_size)
{
    struct on_server *o = malloc(sizeof *o);
    static unsigned number;
    char job[32], fd[16];
    assert_non_null(o);
    assert_null(where);
    snprintf(job, sizeof job, "job-%u", number++);
    o->link = link_started(&server, job, true);
    snprintf(fd, sizeof fd, "%d", o->link.fd);
    o->q = rh__queue_linked.open(fd, totals, error, error_size);
    if (!o->q || !rh__linked_begin(o->q, &nothing, error, error_size))
        fail_msg("%s", error);
    return o;
}

static void close_on_server(void *state)
{
    struct on_server *o = state;
    rh__linked_end(o->q);
    rh__queue_linked.close(o->q);
    link_end(&o->link);
    free(o);
}

static const struct rh__results *totals(const void *state)
{
    const struct on_server *o = state;
    char error[512];
    if (!rh__linked_attend(o->q, true, error, sizeof error))
        fail_msg("%s", error);
    return rh__queue_linked.totals(o->q);
}

static bool add(void *state, const void *item, size_t size)
{
    return rh__queue_linked.add(((struct on_server *)state)->q, item, size);
}
static bool fetch(void *state, struct rh__lease *lease)
{
    return rh__queue_linked.fetch(((struct on_server *)state)->q, lease);
}
static bool renew(void *state, uint64_t lease)
{
    return rh__queue_linked.renew(((struct on_server *)state)->q, lease);
}
static enum rh__commit commit(void *state, uint64_t lease, const void *results, size_t size,
                              const struct rh__items *rest)
{
    return rh__queue_linked.commit(((struct on_server *)state)->q, lease, results, size, rest);
}
static void give_back(void *state, uint64_t lease, bool died)
{
    rh__queue_linked.give_back(((struct on_server *)state)->q, lease, died);
}
static uint32_t waiting(const void *state)
{
    return rh__queue_linked.waiting(((const struct on_server *)state)->q);
}
static uint32_t leased(const void *state)
{
    return rh__queue_linked.leased(((const struct on_server *)state)->q);
}
static void snapshot(void *state, struct rh__writer *to)
{
    rh__queue_linked.snapshot(((struct on_server *)state)->q, to);
}
static bool restore(void *state, struct rh__reader *from)
{
    return rh__queue_linked.restore(((struct on_server *)state)->q, from);
}

static const struct rh__queue_table on_server = {
    .name = "server",
    .open = open_on_server,
    .close = close_on_server,
    .add = add,
    .fetch = fetch,
    .renew = renew,
    .commit = commit,
    .give_back = give_back,
    .totals = totals,
    .waiting = waiting,
    .leased = leased,
    .snapshot = snapshot,
    .restore = restore,
};

static const struct {
    const char *name;
    const char *(*check)(struct tested_queue *k, uint64_t *random);
} checks[] = {
#define X(name) { #name, name },
    QUEUE_CHECKS(X)
#undef X
};

static void the_queue_on_a_server_conforms(void **unused)
{
    (void)unused;
    for (enum queue_check c = 0; c < QUEUE_CHECK_COUNT; c++) {
        struct tested_queue k = queue_opened(&on_server);
        uint64_t random = rh__random_seed(1, c);
        const char *wrong = checks[c].check(&k, &random);
        if (wrong)
            fail_msg("%s: %s", checks[c].name, wrong);
        queue_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_queue_on_a_server_conforms),
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
