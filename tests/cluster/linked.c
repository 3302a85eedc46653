/* When the explorer of a cluster takes snapshots, and how long slices are far from the server: with a link that is a
 * part of this test. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/agent.h"
#include "cluster/linked.h"
#include "cluster/messages.h"

/* Answers every ask; `backlog` bytes of results that nobody has taken wait.  Tells the
 * number of snapshots as the number of agents. */
_Noreturn static void be_link(int fd, uint64_t backlog)
{
    uint64_t length, snapshots = 0, leases = 0;
    static unsigned char bytes[1 << 16];
    while (recv(fd, &length, sizeof length, MSG_WAITALL) == sizeof length && length <= sizeof bytes &&
           recv(fd, bytes, length, MSG_WAITALL) == (ssize_t)length) {
        struct rh__link_ask ask;
        struct rh__link_answer answer = { .status = RH__LINK_OK };
        struct rh__writer w = rh__writer_new();
        if (!rh__link_ask_decode(&ask, bytes, length))
            break;
        snapshots += ask.operation == RH__LINK_SNAPSHOT;
        if (ask.operation == RH__LINK_COMMIT)
            usleep(20000); /* far away */
        if (ask.operation == RH__LINK_FETCH || ask.operation == RH__LINK_COMMIT)
            answer.lease = ++leases;
        answer.state.backlog = backlog;
        answer.state.agents = snapshots;
        rh__link_answer_encode(&answer, &w);
        rh__stream_send(fd, w.at, w.len);
        rh__writer_release(&w);
    }
    _exit(0);
}

struct explorer {
    struct rh__results *totals;
    void *q;
    int fd;
    pid_t link;
    char error[512];
};

static void begin(struct explorer *x, uint64_t backlog)
{
    static const struct rh__linked_job job = { .binding = "test", .job = "job", .size = 3, .lease_seconds = 30 };
    char number[16];
    int ends[2];
    assert_non_null(x->totals = rh__results_new(0));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    fflush(NULL);
    x->link = fork();
    assert_true(x->link >= 0);
    if (x->link == 0) {
        close(ends[0]);
        be_link(ends[1], backlog);
    }
    close(ends[1]);
    x->fd = ends[0];
    snprintf(number, sizeof number, "%d", ends[0]);
    x->q = rh__queue_linked.open(number, x->totals, x->error, sizeof x->error);
    if (!x->q || !rh__linked_begin(x->q, &job, x->error, sizeof x->error))
        fail_msg("%s", x->error);
}

static void end(struct explorer *x)
{
    rh__queue_linked.close(x->q);
    close(x->fd);
    assert_int_equal(waitpid(x->link, NULL, 0), x->link);
    rh__results_free(x->totals);
}

/* How many snapshots ten calls of rh__linked_attend take, with so many bytes of results on the server. */
static uint64_t snapshots_with(uint64_t backlog)
{
    struct explorer x;
    begin(&x, backlog);
    for (int i = 0; i < 10; i++)
        if (!rh__linked_attend(x.q, false, x.error, sizeof x.error))
            fail_msg("%s", x.error);
    uint64_t snapshots = rh__linked_state(x.q)->agents;
    end(&x);
    return snapshots;
}

/* After a snapshot the next one is due in 0.25 s, and in 20 times as long as it took.  If more results come in that
 * time than the server keeps, it hands out nothing, and the workers of all agents wait (bench/cluster.c). */
static void many_results_are_taken_at_once(void **state)
{
    (void)state;
    uint64_t few = snapshots_with(3 << 20), many = snapshots_with(5 << 20);
    printf("snapshots in ten turns: %llu with 3 MiB of results, %llu with 5\n", (unsigned long long)few,
           (unsigned long long)many);
    assert_in_range(few, 1, 9); /* one, unless the machine is very slow */
    assert_int_equal(many, 10);
}

/* An agent has one question under way at a time: slices must be so long that its workers do not wait in a line. */
static void slices_grow_with_the_way_to_the_server(void **state)
{
    (void)state;
    struct explorer x;
    struct rh__writer nothing = rh__writer_new();
    const struct rh__items no_rest = { NULL, 0, 0 };
    begin(&x, 0);
    assert_true(rh__linked_commit_seconds(x.q) == 0);
    rh__results_encode(x.totals, NULL, &nothing);
    for (int i = 0; i < 40; i++) {
        struct rh__lease lease;
        assert_true(rh__queue_linked.fetch(x.q, &lease));
        assert_int_equal(rh__queue_linked.commit(x.q, lease.number, nothing.at, nothing.len, &no_rest), RH__COMMITTED);
        if (i == 0) /* one that takes long says little */
            assert_true(rh__linked_commit_seconds(x.q) < 0.001);
    }
    double seconds = rh__linked_commit_seconds(x.q);
    printf("a commit takes %.1f ms\n", 1000 * seconds);
    assert_true(seconds > 0.010); /* 20 ms and more, once enough of them were seen */
    rh__writer_release(&nothing);
    end(&x);

    const double off = 1e-9;
    assert_true(rh__slice_seconds(1, 1, 0, 0, false) == 0.020);
    assert_true(rh__slice_seconds(16, 16, 0.0002, 0, false) == 0.020);
    assert_true(fabs(rh__slice_seconds(16, 16, 0.010, 0, false) - 0.4) < off);
    assert_true(fabs(rh__slice_seconds(16, 16, 0.010, 0, true) - 0.05) < off);
    assert_true(fabs(rh__slice_seconds(16, 16, 0.010, 2, false) - 0.025) < off);
    assert_true(rh__slice_seconds(16, 16, 60, 0, false) == 1); /* not for ever, when the server is ill */
    assert_true(rh__slice_seconds(16, 1, 0.005, 0, false) == 0.020);
    assert_true(rh__slice_seconds(10000, 16, 0.001, 0, false) > 1.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(many_results_are_taken_at_once),
                                        cmocka_unit_test(slices_grow_with_the_way_to_the_server) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
