/* What tests of the pool share: explorations by one process and by several, and their comparison. */
#ifndef RH_TESTS_CLUSTER_SUPPORT_H
#define RH_TESTS_CLUSTER_SUPPORT_H

#include "explore/support.h"

#include "cluster/pool.h"
#include "explore/measure.h"
#include "findings/story.h"

struct setting {
    const char *test;
    const struct rh_semantics *semantics;
    const struct rh_param *params;
    size_t param_count;
    const char *explorer; /* NULL: dfs */
    struct rh__limits limits;
    uint32_t criteria; /* of coverage, as bits */
};

static inline struct rh_world_options options_of(const struct setting *s)
{
    return (struct rh_world_options){ .test = test_named(s->test),
                                      .semantics = s->semantics,
                                      .params = s->params,
                                      .param_count = s->param_count,
                                      .quiet = true };
}

static inline struct rh_exploration *opened(const struct setting *s)
{
    char error[512];
    struct rh_world_options o = options_of(s);
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    if (!w)
        fail_msg("%s", error);
    struct rh_exploration *x =
        rh__exploration_new(w, s->explorer ? s->explorer : "dfs", 1, &s->limits, error, sizeof error);
    if (!x)
        fail_msg("%s", error);
    if (s->criteria)
        assert_true(rh__measure(x, s->criteria));
    x->describe = rh__describe;
    x->mute = true;
    return x;
}

static inline void closed(struct rh_exploration *x)
{
    struct rh_world *w = x->world;
    rh__exploration_free(x);
    rh_world_free(w);
}

static inline enum rh__pool_end pooled(struct rh_exploration *x, const struct setting *s, struct rh__pool_options o,
                                       char *error, size_t error_size)
{
    struct rh_world_options w = options_of(s);
    o.world = &w;
    o.explorer = s->explorer ? s->explorer : "dfs";
    return rh__pool_explore(x, &o, error, error_size);
}

/* All that must be the same, as text; where findings or properties are in another order that shows.  Not in which run
 * something was found: that is told as it came.  Kept in a buffer of malloc. */
static inline char *told(const struct rh_exploration *x)
{
    char *text, *lines[64];
    size_t size;
    uint32_t n = 0;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    fprintf(f, "%llu runs %llu steps %llu cut %llu blocked %llu failed %llu%s behaviours, %s\n",
            (unsigned long long)x->runs, (unsigned long long)x->steps, (unsigned long long)x->cut,
            (unsigned long long)x->blocked, (unsigned long long)x->failed, (unsigned long long)x->behaviours,
            x->behaviours_at_least ? " at least" : "", rh_verdict_name(rh__exploration_verdict(x)));
    fprintf(f, "estimate %.6g\n", rh__exploration_estimate(x));
    if (x->measure) {
        const struct rh__coverage *c = x->measure->coverage;
        fprintf(f, "coverage of %u receives of %u actors", c->receive_count, c->actor_count);
        for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
            fprintf(f, ", %s: %llu goals %llu pairs", rh__criterion_name(i), (unsigned long long)c->counts[i].goals,
                    (unsigned long long)c->counts[i].pairs);
        fputc('\n', f);
    }
    for (uint32_t i = 0; i < x->finding_count; i++)
        fprintf(f, "%016llx %llu times: %s %s %s %s\n%s\n%s\n", (unsigned long long)x->findings[i].signature,
                (unsigned long long)x->findings[i].count, rh_outcome_name(x->findings[i].outcome.kind),
                x->findings[i].actor, x->findings[i].outcome.place, x->findings[i].outcome.text,
                x->findings[i].schedule, x->findings[i].story);
    for (uint32_t i = 0; i < rh_world_property_count(x->world) && n < 64; i++) {
        struct rh_property_info p = rh_world_property(x->world, i);
        lines[n] = malloc(512);
        assert_non_null(lines[n]);
        snprintf(lines[n++], 512, "%d %s %s %llu held %llu not\n", p.kind, p.name, p.place,
                 (unsigned long long)p.held_in, (unsigned long long)p.failed_in);
    }
    for (uint32_t i = 0; i < n; i++) /* in order of their texts: who is evaluated first is not a total */
        for (uint32_t j = i + 1; j < n; j++)
            if (strcmp(lines[j], lines[i]) < 0) {
                char *kept = lines[i];
                lines[i] = lines[j];
                lines[j] = kept;
            }
    for (uint32_t i = 0; i < n; i++) {
        fputs(lines[i], f);
        free(lines[i]);
    }
    fclose(f);
    return text;
}

static inline char *told_by_one(const struct setting *s)
{
    struct rh_exploration *x = opened(s);
    assert_true(rh__explore(x));
    char *text = told(x);
    closed(x);
    return text;
}

static inline char *told_by_pool(const struct setting *s, struct rh__pool_options o)
{
    char error[512] = "";
    struct rh_exploration *x = opened(s);
    enum rh__pool_end end = pooled(x, s, o, error, sizeof error);
    if (end != RH__POOL_DONE)
        fail_msg("the pool ended with %d: %s", (int)end, error);
    char *text = told(x);
    closed(x);
    return text;
}

/* Compares and frees both. */
static inline void same_text(char *expected, char *actual, const char *what, unsigned long long seed)
{
    if (strcmp(expected, actual) != 0) {
        size_t i = 0;
        while (expected[i] == actual[i])
            i++;
        while (i && expected[i - 1] != '\n')
            i--;
        fail_msg("%s (seed %llu)\n--- expected\n%.600s\n--- actual\n%.600s", what, seed, expected + i, actual + i);
    }
    free(expected);
    free(actual);
}

#endif
