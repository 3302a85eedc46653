/* Shared by tests that drive worlds: finding a test by its name, opening its world, simple ways through it. */
#ifndef TESTS_SANDBOX_DRIVE_H
#define TESTS_SANDBOX_DRIVE_H

#include <rehearse/sandbox.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline const struct rh_test *test_named(const char *name)
{
    const struct rh_test *t = rh_test_first();
    while (t && strcmp(t->name, name) != 0)
        t = t->next;
    assert_non_null(t);
    return t;
}

/* The world of the test that runs, for free_world_left where the test fails in the middle. */
static struct rh_world *world_in_use;

/* Parameters are kept, not copied: the caller may change their values between two runs of a sandbox. */
static inline struct rh_world *world_with(const char *test, const struct rh_semantics *semantics,
                                          const struct rh_param *params, size_t count)
{
    char error[512] = "";
    struct rh_world_options o = {
        .test = test_named(test), .semantics = semantics, .params = params, .param_count = count, .quiet = true
    };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    if (!w)
        fail_msg("%s", error);
    world_in_use = w;
    return w;
}

static inline void close_world(struct rh_world *w)
{
    world_in_use = NULL;
    rh_world_free(w);
}

/* For cmocka: after each test. */
static inline int free_world_left(void **unused)
{
    (void)unused;
    close_world(world_in_use);
    return 0;
}

static inline struct rh_world *world_of(const char *test)
{
    return world_with(test, NULL, NULL, 0);
}

/* Takes the first open choice until the run is over. */
static inline void run_first(struct rh_world *w, void *unused)
{
    uint32_t n;
    (void)unused;
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &n)), n;)
        rh_world_step(w, &open[0]);
}

/* Both values are in the message where they differ. */
static inline void check_outcome(struct rh_world *w, enum rh_outcome_kind kind)
{
    const struct rh_outcome *o = rh_world_outcome(w);
    if (o->kind != kind)
        fail_msg("the outcome is \"%s\" (%s; %s), not \"%s\"", rh_outcome_name(o->kind), o->text, o->place,
                 rh_outcome_name(kind));
}

static inline void check_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

static inline const char *name_of(const struct rh_world *w, uint32_t actor)
{
    static char name[128];
    rh_world_actor_name(w, actor, name, sizeof name);
    return name;
}

#endif
