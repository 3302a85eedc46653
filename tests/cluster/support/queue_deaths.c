/* The checks of queue_checks.h in which workers and agents are killed between any two of their steps. */
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "cluster/messages.h"
#include "cluster/support.h"
#include "cluster/support/queue_checks.h"

enum { WORKER_STEPS = 4 }; /* before the order, before the work, in the middle of the report, behind the report */

/* A worker: one order, one report.  It kills itself before this step. */
_Noreturn static void be_worker(int fd, int dies_before, uint64_t random)
{
    static unsigned char in[4096], out[1 << 20];
    struct rh__order order;
    size_t size;
    if (dies_before == 0)
        raise(SIGKILL);
    if (!rh__stream_receive(fd, in, sizeof in, &size) || !rh__order_decode(&order, in, size))
        _exit(1);
    if (dies_before == 1)
        raise(SIGKILL);
    struct queue_range range;
    memcpy(&range, order.item, sizeof range);
    struct queue_outcome o = queue_work_on(range, &random);
    struct rh__writer w = rh__writer_of(out, sizeof out);
    struct rh__report report = { .lease = order.lease, .rest = queue_rest_of(&o) };
    rh__report_encode_front(&report, &w);
    rh__put(&w, o.results.at, o.results.len);
    if (dies_before == 2) {
        uint64_t length = w.len;
        if (send(fd, &length, sizeof length, MSG_NOSIGNAL) > 0)
            send(fd, w.at, w.len / 2, MSG_NOSIGNAL);
        raise(SIGKILL);
    }
    rh__stream_send(fd, w.at, w.len);
    if (dies_before == 3)
        raise(SIGKILL);
    _exit(0);
}

/* The agent's side: commits a whole report, and gives the item back without one.  False if a commit is refused. */
static bool let_worker(struct tested_queue *k, int dies_before, uint64_t *random)
{
    static unsigned char in[1 << 20];
    struct rh__lease l;
    struct rh__report report;
    struct rh__writer w = rh__writer_new();
    int ends[2];
    size_t size;
    if (!k->t->fetch(k->q, &l))
        return true;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(ends[0]);
        be_worker(ends[1], dies_before, rh__random_next(random));
    }
    close(ends[1]);
    rh__random_next(random);
    rh__order_encode(&(struct rh__order){ .lease = l.number, .seconds = 1, .item = l.item, .size = l.size }, &w);
    bool good = true;
    if (rh__stream_send(ends[0], w.at, w.len) && rh__stream_receive(ends[0], in, sizeof in, &size) &&
        rh__report_decode(&report, in, size) && report.lease == l.number)
        good = k->t->commit(k->q, l.number, report.results, report.results_size, &report.rest) == RH__COMMITTED;
    else
        k->t->give_back(k->q, l.number, true);
    rh__writer_release(&w);
    close(ends[0]);
    waitpid(pid, NULL, 0);
    return good;
}

const char *a_worker_may_die_at_every_step(struct tested_queue *k, uint64_t *random)
{
    const struct queue_range all = { 0, QUEUE_LEAVES };
    REQUIRE(k->t->add(k->q, &all, sizeof all), "an item is not taken");
    for (int i = 0; i < 4 * WORKER_STEPS; i++) /* each death, with a worker that lives after some */
        REQUIRE(let_worker(k, i % 3 ? i % WORKER_STEPS : WORKER_STEPS, random), "a commit is refused");
    REQUIRE(queue_finish(k, random), "the work does not end");
    REQUIRE(queue_is_done(k), "after the death of workers the totals are not those of one process");
    return NULL;
}

/* What outlives an agent: its last snapshot.  Shared memory. */
struct kept {
    uint32_t size[2], which; /* the whole one of two */
    unsigned char bytes[2][1 << 16];
};

static void keep_snapshot(struct tested_queue *k, struct kept *kept)
{
    struct rh__writer w = queue_snapshot_of(k);
    uint32_t other = !kept->which;
    assert_in_range(w.len, 1, sizeof kept->bytes[0]);
    memcpy(kept->bytes[other], w.at, w.len);
    kept->size[other] = (uint32_t)w.len;
    kept->which = other;
    rh__writer_release(&w);
}

/* In a process of its own: one call of the queue after the other, with a snapshot now and then.  Dies before the
 * step. */
_Noreturn static void be_agent(const struct rh__queue_table *t, struct kept *kept, int dies_before, uint64_t random)
{
    struct tested_queue k = queue_opened(t);
    struct rh__lease l = { 0 };
    if (!queue_restored(&k, kept->bytes[kept->which], kept->size[kept->which]))
        _exit(2);
    for (int step = 0; step < QUEUE_MOST_STEPS; step++) {
        if (step == dies_before)
            raise(SIGKILL);
        if (step % 4 == 3) {
            keep_snapshot(&k, kept);
        } else if (!l.number) {
            if (!t->fetch(k.q, &l)) {
                keep_snapshot(&k, kept);
                _exit(0);
            }
        } else if (rh__random_below(&random, 5) == 0) {
            t->give_back(k.q, l.number, true);
            l.number = 0;
        } else {
            struct queue_outcome o = queue_work_on(queue_range_of(&l), &random);
            struct rh__items rest = queue_rest_of(&o);
            if (t->commit(k.q, l.number, o.results.at, o.results.len, &rest) != RH__COMMITTED)
                _exit(3);
            queue_release(&o);
            l.number = 0;
        }
    }
    _exit(4);
}

/* Each agent dies one step later than the one before, until one comes to the end. */
const char *an_agent_may_die_at_every_step(struct tested_queue *k, uint64_t *random)
{
    struct tested_queue first = queue_with_all_leaves(k->t);
    struct kept *kept = rh_shared_new(sizeof *kept);
    const char *wrong = "the work does not end";
    assert_non_null(kept);
    keep_snapshot(&first, kept);
    queue_close(&first);
    for (int step = 0; step < 400; step++) {
        int status = 0;
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            be_agent(k->t, kept, step % 40, rh__random_seed(11, (uint64_t)step) + *random);
        waitpid(pid, &status, 0);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
            continue;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            wrong = queue_restored(k, kept->bytes[kept->which], kept->size[kept->which]) && queue_is_done(k)
                        ? NULL
                        : "after the death of agents the totals are not those of one process";
        break;
    }
    rh_shared_free(kept, sizeof *kept);
    return wrong;
}
