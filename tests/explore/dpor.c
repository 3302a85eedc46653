/* dpor against dfs: the same outcomes, and the same behaviours of runs that come to their end. */
#include "explore/features.h"
#include "explore/support.h"
#include "world/objects.h"

enum { LARGEST = 20000 };

struct ends {
    uint32_t runs, outcomes, behaviours;
    uint64_t outcome[MOST_RUNS], behaviour[MOST_RUNS];
};
static struct ends *noted;

/* ---- ends: an explorer around another one that notes how runs end ------------------------------------------------------- */
static bool ends_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    return rh_exploration_inner(x, arg, state, error, error_size);
}
static uint32_t ends_begin(void *state, struct rh_world *w)
{
    struct rh_inner *inner = state;
    return inner->explorer->begin(inner->state, w);
}
static uint32_t ends_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct rh_inner *inner = state;
    return inner->explorer->choose(inner->state, w, open, count);
}
static void ends_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct rh_inner *inner = state;
    const struct rh_outcome *o = &w->outcome;
    uint64_t hash = fnv(FNV_START, &run->outcome, sizeof run->outcome);
    if (rh_outcome_failed(run->outcome)) {
        hash = fnv(hash, o->place, strlen(o->place));
        hash = fnv(hash, o->text, strlen(o->text));
    }
    if (getenv("DUMP")) {
        char text[1024];
        snprintf(text, sizeof text, "%s", o->text);
        for (char *c = text; *c; c++)
            if (*c == '\n')
                *c = '|';
        fprintf(stderr, "-- run %llu: %s %s %s beh %llx\n", (unsigned long long)run->number, rh_outcome_name(run->outcome),
                rh_outcome_failed(run->outcome) ? text : "", rh_outcome_failed(run->outcome) ? o->place : "", (unsigned long long)run->behaviour);
        for (uint32_t i = 1; i < w->event_count; i++) {
            rh_world_choice_text(w, &w->events[i].choice, text, sizeof text);
            fprintf(stderr, "   %u %s   [", i, text);
            uint32_t to = i + 1 < w->event_count ? w->events[i + 1].first_message : w->message_count;
            for (uint32_t m = w->events[i].first_message; m < to; m++)
                fprintf(stderr, " %u:%s>%u", m, w->messages[m].type->name, w->messages[m].receiver);
            uint32_t na = (i + 1 < w->event_count ? w->events[i + 1].first_access : w->access_count);
            fprintf(stderr, " ] ");
            for (uint32_t k = w->events[i].first_access; k < na; k++)
                fprintf(stderr, " %04x.%u", (unsigned)(w->accesses[k].object & 0xffff), w->accesses[k].ordinal);
            fprintf(stderr, "\n");
        }
    }
    if (noted->runs < MOST_RUNS) {
        noted->outcome[noted->outcomes++] = hash;
        if (!w->over || w->events[w->event_count - 1].choice.kind == RH_CHOICE_END)
            noted->behaviour[noted->behaviours++] = run->behaviour;
        noted->runs++;
    }
    if (inner->explorer->end)
        inner->explorer->end(inner->state, w, run);
}
static const struct rh_explorer ends = {
    .name = "ends",
    .state_size = sizeof(struct rh_inner),
    .open = ends_open,
    .begin = ends_begin,
    .choose = ends_choose,
    .end = ends_end,
};
RH_EXPLORER(ends)

static void settle(struct ends *e)
{
    e->outcomes = distinct(e->outcome, e->outcomes) ? e->outcomes : 0;
    uint32_t n = 0;
    distinct(e->behaviour, e->behaviours);
    for (uint32_t i = 0; i < e->behaviours; i++)
        if (!n || e->behaviour[n - 1] != e->behaviour[i])
            e->behaviour[n++] = e->behaviour[i];
    e->behaviours = n;
    n = 0;
    for (uint32_t i = 0; i < e->outcomes; i++)
        if (!n || e->outcome[n - 1] != e->outcome[i])
            e->outcome[n++] = e->outcome[i];
    e->outcomes = n;
}

static uint32_t missing(const uint64_t *left, uint32_t n, const uint64_t *right, uint32_t m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += !bsearch(&left[i], right, m, sizeof *right, by_number);
    return count;
}

struct totals {
    uint64_t programs, dfs, dpor, wrong;
};

static bool compare(const char *test, const struct rh_semantics *s, uint64_t seed, struct totals *t)
{
    if (getenv("VERBOSE")) print_message("seed %llu\n", (unsigned long long)seed);
    struct ends *a = rh_shared_new(sizeof *a), *b = rh_shared_new(sizeof *b);
    struct rh_world *w = world_of(test, s, NULL, 0);
    noted = a;
    struct rh_exploration *x = explored(w, "ends:dfs", 1, LARGEST);
    bool all = x->exhausted;
    rh__exploration_free(x);
    rh_world_free(w);
    if (all) {
        w = world_of(test, s, NULL, 0);
        noted = b;
        x = explored(w, "ends:dpor", 1, 4 * LARGEST);
        settle(a);
        settle(b);
        uint32_t o = missing(a->outcome, a->outcomes, b->outcome, b->outcomes),
                 h = missing(a->behaviour, a->behaviours, b->behaviour, b->behaviours);
        if (o || h || !x->exhausted || b->runs > a->runs) {
            t->wrong++;
            print_error("seed %llu model %d grain %d time %d losses %u dup %u crash %u part %u: dfs %u runs, dpor %u; "
                        "missing %u of %u outcomes, %u of %u behaviours\n",
                        (unsigned long long)seed, s->model, s->granularity, s->time, s->losses, s->duplicates,
                        s->crashes, s->partitions, a->runs, b->runs, o, a->outcomes, h, a->behaviours);
        }
        t->programs++;
        t->dfs += a->runs;
        t->dpor += b->runs;
        rh__exploration_free(x);
        rh_world_free(w);
    }
    rh_shared_free(a, sizeof *a);
    rh_shared_free(b, sizeof *b);
    return all;
}

static void dpor_finds_what_dfs_finds(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    uint64_t from = getenv("FROM") ? strtoull(getenv("FROM"), 0, 10) : 1, to = getenv("TO") ? strtoull(getenv("TO"), 0, 10) : 400;
    for (uint64_t seed = from; seed <= to; seed++) {
        struct rh_semantics s = features_semantics(seed);
        features_seed = seed;
        compare("features", &s, seed, &t);
    }
    print_message("%llu programs, %llu runs by dfs, %llu by dpor\n", (unsigned long long)t.programs,
                  (unsigned long long)t.dfs, (unsigned long long)t.dpor);
    assert_int_equal(t.wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(dpor_finds_what_dfs_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
