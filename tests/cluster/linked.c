/* When the explorer of a cluster takes snapshots: a link that is a part of this test counts them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/linked.h"
#include "cluster/messages.h"

/* Answers every ask; `backlog` bytes of results that nobody has taken wait.  Tells the
 * number of snapshots as the number of agents. */
_Noreturn static void be_link(int fd, uint64_t backlog)
{
    uint64_t length, snapshots = 0;
    static unsigned char bytes[1 << 16];
    while (recv(fd, &length, sizeof length, MSG_WAITALL) == sizeof length && length <= sizeof bytes &&
           recv(fd, bytes, length, MSG_WAITALL) == (ssize_t)length) {
        struct rh__link_ask ask;
        struct rh__link_answer answer = { .status = RH__LINK_OK };
        struct rh__writer w = rh__writer_new();
        if (!rh__link_ask_decode(&ask, bytes, length))
            break;
        snapshots += ask.operation == RH__LINK_SNAPSHOT;
        answer.state.backlog = backlog;
        answer.state.agents = snapshots;
        rh__link_answer_encode(&answer, &w);
        rh__stream_send(fd, w.at, w.len);
        rh__writer_release(&w);
    }
    _exit(0);
}

/* How many snapshots ten calls of rh__linked_attend take, with so many bytes of results on the server. */
static uint64_t snapshots_with(uint64_t backlog)
{
    static const struct rh__linked_job job = { .binding = "test", .job = "job", .size = 3, .lease_seconds = 30 };
    struct rh__results *totals = rh__results_new(0);
    char error[512] = "", number[16];
    int ends[2];
    assert_non_null(totals);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    fflush(NULL);
    pid_t link = fork();
    assert_true(link >= 0);
    if (link == 0) {
        close(ends[0]);
        be_link(ends[1], backlog);
    }
    close(ends[1]);
    snprintf(number, sizeof number, "%d", ends[0]);
    void *q = rh__queue_linked.open(number, totals, error, sizeof error);
    if (!q || !rh__linked_begin(q, &job, error, sizeof error))
        fail_msg("%s", error);
    for (int i = 0; i < 10; i++)
        if (!rh__linked_attend(q, false, error, sizeof error))
            fail_msg("%s", error);
    uint64_t snapshots = rh__linked_state(q)->agents;
    rh__queue_linked.close(q);
    close(ends[0]);
    assert_int_equal(waitpid(link, NULL, 0), link);
    rh__results_free(totals);
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(many_results_are_taken_at_once) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
