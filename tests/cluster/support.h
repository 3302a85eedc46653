/* What tests of the pool share: explorations by one process and by several, and their comparison. */
#ifndef RH_TESTS_CLUSTER_SUPPORT_H
#define RH_TESTS_CLUSTER_SUPPORT_H

#include "explore/support/runs.h"

#include "cluster/pool.h"
#include "explore/engine/measure.h"
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

/* Results as text: all that must be the same.  Findings in another order differ.  The run in which something was found
 * is left out: with several workers it may vary. */
static inline void tell_results(FILE *f, struct rh__results *r)
{
    rh__findings_describe(r, NULL, false);
    char *lines[64];
    uint32_t n = 0;
    fprintf(f, "%llu runs %llu steps %llu cut %llu blocked %llu failed %llu assumed %llu distinct%s\n",
            (unsigned long long)r->count.runs, (unsigned long long)r->count.steps, (unsigned long long)r->count.cut,
            (unsigned long long)r->count.blocked, (unsigned long long)r->count.failed,
            (unsigned long long)r->count.assumed, (unsigned long long)r->distinct.count,
            r->distinct.at_least ? " at least" : "");
    if (r->coverage) {
        const struct rh__coverage *c = r->coverage;
        fprintf(f, "coverage of %u receives of %u actors", c->receive_count, c->actor_count);
        for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
            fprintf(f, ", %s: %llu goals %llu pairs", rh__criterion_name(i), (unsigned long long)c->counts[i].goals,
                    (unsigned long long)c->counts[i].pairs);
        fputc('\n', f);
    }
    for (uint32_t i = 0; i < r->finding_count; i++)
        fprintf(f, "%016llx %llu times: %s %s %s %s\n%s\n%s\n", (unsigned long long)r->findings[i].signature,
                (unsigned long long)r->findings[i].count, rh_outcome_name(r->findings[i].outcome.kind),
                r->findings[i].actor, r->findings[i].outcome.place, r->findings[i].outcome.text,
                r->findings[i].schedule, r->findings[i].story);
    for (uint32_t i = 0; i < r->property_count && n < 64; i++) {
        const struct rh__property_result *p = &r->properties[i];
        lines[n] = malloc(512);
        assert_non_null(lines[n]);
        snprintf(lines[n++], 512, "%d %s %s %llu held %llu not\n", p->kind, p->name, p->place,
                 (unsigned long long)p->held, (unsigned long long)p->failed);
    }
    for (uint32_t i = 0; i < n; i++) /* in order of their texts: which is evaluated first is not a total */
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
    for (uint32_t i = 0; i < r->escape_count; i++)
        fprintf(f, "escape %s %s\n", r->escapes[i].call, r->escapes[i].place);
}

/* In a buffer of malloc. */
static inline char *results_as_text(struct rh__results *r)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    tell_results(f, r);
    fprintf(f, "incomplete %d, bounded %d, diverged %d\n", r->incomplete, r->bounded, r->diverged);
    fclose(f);
    return text;
}

/* Likewise, with what the exploration concludes. */
static inline char *told(const struct rh_exploration *x)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    tell_results(f, x->results);
    fprintf(f, "%s, estimate %.6g\n", rh_verdict_name(rh__exploration_verdict(x)), rh__exploration_estimate(x));
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
