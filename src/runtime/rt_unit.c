/* Unit tests of an ordinary suite (rehearse/unit.h), once, in production: the body is a process of a runtime of its
 * own. */
#include <rehearse/runtime.h>
#include <rehearse/test.h>

bool rh_unit_run_(const struct rh_test *test, char *report, size_t size);

#include <pthread.h>
#include <stdio.h>

#include "base/text.h"

static struct unit {
    pthread_mutex_t lock;
    const struct rh_test *test;
    struct rh__text report;
    bool failed, over;
} unit = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void body(rh_ref self, void *state)
{
    unit.test->body(self, state);
    pthread_mutex_lock(&unit.lock);
    unit.over = true;
    pthread_mutex_unlock(&unit.lock);
}

static const struct rh_actor_type test_type = { .name = "test", .kind = RH_KIND_PROCESS, .body = body };

static void on_failure(const struct rh_failure *failure, void *arg)
{
    (void)arg;
    pthread_mutex_lock(&unit.lock);
    unit.failed = true;
    rh__text_add(&unit.report, "%s: %s: %s  (%s)\n", failure->kind, failure->actor, failure->text, failure->place);
    pthread_mutex_unlock(&unit.lock);
}

bool rh_unit_run_(const struct rh_test *test, char *report, size_t size)
{
    struct rh_runtime_options options = { .on_failure = on_failure };
    unit.test = test;
    unit.failed = unit.over = false;
    rh__text_init(&unit.report, report, size);
    if (!rh_runtime_start(&options)) {
        rh__text_add(&unit.report, "the runtime does not start\n");
        return false;
    }
    rh_spawn_(&test_type, NULL, test->place);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    if (!unit.over && !unit.failed)
        rh__text_add(&unit.report, "stuck: the body of %s waits for ever\n", test->name);
    return unit.over && !unit.failed;
}
