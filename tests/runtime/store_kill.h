/* A program that puts is killed, again and again: nothing that was acknowledged is ever lost.  The moment of the kill
 * is a number of acknowledgements, not a time. */
#ifndef TESTS_RUNTIME_STORE_KILL_H
#define TESTS_RUNTIME_STORE_KILL_H

#include "runtime/store_support.h"

#include "base/random.h"

static uint64_t all_acknowledged(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < ACCOUNTS; i++)
        sum += shared->acknowledged[i];
    return sum;
}

static void kill_after(uint64_t acknowledgements)
{
    int status;
    uint64_t before = all_acknowledged();
    pid_t child = fork();
    if (child == 0) {
        quiet_begin();
        run_accounts(ACCOUNTS, 1 << 30);
        _exit(1);
    }
    while (all_acknowledged() < before + acknowledgements && waitpid(child, &status, WNOHANG) == 0)
        sched_yield();
    kill(child, SIGKILL);
    if (waitpid(child, &status, 0) == child)
        assert_true(WIFSIGNALED(status));
}

static void kill_many(int kills)
{
    uint64_t random = 3, seen = 0;
    for (int k = 0; k < kills; k++) {
        uint64_t before = all_acknowledged();
        kill_after(rh__random_below(&random, 4) ? rh__random_below(&random, 400) : 0);
        seen += all_acknowledged() - before;
        if (rh__random_below(&random, 3) == 0) { /* what a crash of the machine could leave besides */
            char path[400], torn[700];
            path_of(path, sizeof path, "journal");
            int fd = open(path, O_WRONLY | O_APPEND);
            for (size_t i = 0; i < sizeof torn; i++)
                torn[i] = (char)rh__random_next(&random);
            if (fd >= 0)
                assert_true(write(fd, torn, rh__random_below(&random, sizeof torn) + 1) > 0);
            close(fd);
        }
        int old = quiet_begin();
        bool started = run_auditors(ACCOUNTS);
        quiet_end(old);
        assert_true(started);
        assert_int_equal(shared->wrong, 0);
        for (int i = 0; i < ACCOUNTS; i++) {
            if (shared->found[i] < shared->acknowledged[i])
                fail_msg("kill %d: %llu were acknowledged, %llu are there", k,
                         (unsigned long long)shared->acknowledged[i], (unsigned long long)shared->found[i]);
            shared->acknowledged[i] = shared->found[i];
        }
    }
    print_message("%d kills, %llu acknowledgements, nothing lost\n", kills, (unsigned long long)seen);
    assert_true(seen > (uint64_t)kills);
}

#endif
