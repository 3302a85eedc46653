/* For the tests of the runtime: start and finish, and what was told to the failure hook.  Checks are made by the main
 * thread, on what actors have left in globals: cmocka's assertions must not run on a worker. */
#ifndef TESTS_RUNTIME_HELPER_H
#define TESTS_RUNTIME_HELPER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <rehearse.h>
#include <rehearse/runtime.h>
#include <rehearse/test.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct told {
    pthread_mutex_t lock;
    int count;
    char kind[32], actor[128], place[128], text[512]; /* of the last one */
};
static struct told told = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void tell(const struct rh_failure *failure, void *arg)
{
    (void)arg;
    pthread_mutex_lock(&told.lock);
    told.count++;
    snprintf(told.kind, sizeof told.kind, "%s", failure->kind);
    snprintf(told.actor, sizeof told.actor, "%s", failure->actor);
    snprintf(told.place, sizeof told.place, "%s", failure->place);
    snprintf(told.text, sizeof told.text, "%s", failure->text);
    pthread_mutex_unlock(&told.lock);
}

static inline void start_with(struct rh_runtime_options options)
{
    rh_runtime_stop(); /* what a test that failed has left */
    told.count = 0;
    told.kind[0] = told.actor[0] = told.place[0] = told.text[0] = '\0';
    options.on_failure = tell;
    if (options.threads == 0)
        options.threads = 2;
    assert_true(rh_runtime_start(&options));
}
#define START(...) start_with((struct rh_runtime_options){ __VA_ARGS__ })

/* Waits until every actor has ended, stops, and checks that no message is unaccounted for. */
static inline struct rh_runtime_counts finish(void)
{
    rh_runtime_wait();
    rh_runtime_wait_quiet();
    struct rh_runtime_counts counts = rh_runtime_count();
    rh_runtime_stop();
    assert_int_equal(counts.actors_spawned, counts.actors_ended);
    assert_int_equal(counts.messages_sent, counts.messages_handled + counts.messages_dropped);
    return counts;
}

static inline void expect_told(int count, const char *kind, const char *text)
{
    assert_int_equal(told.count, count);
    assert_string_equal(told.kind, kind);
    if (!strstr(told.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, told.text);
}

#endif
