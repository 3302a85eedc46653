/* dpor with several workers, over programs of every feature: each run that one process makes is made once, by somebody,
 * whoever is killed, and wherever the exploration stops and goes on from its file.  Findings and distinct runs are
 * those of every sequence of choices (dfs), too; tests/explore/dpor.c compares one process with these in detail. */
#include "cluster/support.h"

#include <signal.h>
#include <unistd.h>

#include "base/random.h"
#include "cluster/mover.h"
#include "explore/support/palette.h"
#include "support/few.h"

enum { PROGRAMS = MANY_OR_FEW(60, 12), TROUBLED = MANY_OR_FEW(30, 6), LARGEST = 4000, LEAST = 20 };
enum { MOST_WORKERS = 4, MOST_KILLS = 3, CUTS = 3 };

/* The findings, in any order: each by its signature, or with how often it was found. */
static uint64_t findings_of(const struct rh_exploration *x, bool counted)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < x->results->finding_count; i++) {
        uint64_t count = counted ? x->results->findings[i].count : 1;
        sum += fnv(x->results->findings[i].signature, &count, sizeof count);
    }
    return sum;
}

struct all {
    uint64_t runs, steps, cut, failed, distinct, findings;
    enum rh_verdict verdict;
    bool exhausted;
};

static struct all all_of(const struct rh_exploration *x)
{
    const struct rh__results *r = x->results;
    return (struct all){ .runs = r->count.runs,
                         .steps = r->count.steps,
                         .cut = r->count.cut,
                         .failed = r->count.failed,
                         .distinct = r->distinct.count,
                         .findings = findings_of(x, true),
                         .verdict = rh__exploration_verdict(x),
                         .exhausted = x->end.exhausted };
}

static struct setting setting_of(const struct rh_semantics *s, const char *explorer, uint64_t max_runs)
{
    return (struct setting){
        .test = "palette", .semantics = s, .explorer = explorer, .limits = { .max_runs = max_runs, .keep_going = true }
    };
}

static struct all by_one(const struct rh_semantics *s, const char *explorer, uint64_t *different)
{
    struct setting with = setting_of(s, explorer, LARGEST);
    struct rh_exploration *x = opened(&with);
    assert_true(rh__explore(x));
    struct all a = all_of(x);
    if (different)
        *different = findings_of(x, false);
    closed(x);
    return a;
}

static void must_be(const struct all *one, const struct all *many, uint64_t seed, const char *how)
{
    if (one->runs == many->runs && one->steps == many->steps && one->cut == many->cut && one->failed == many->failed &&
        one->distinct == many->distinct && one->findings == many->findings && one->verdict == many->verdict &&
        many->exhausted)
        return;
    fail_msg("seed %llu, %s: %llu runs %llu steps %llu cut %llu failed %llu distinct %s, one process makes %llu runs "
             "%llu steps %llu cut %llu failed %llu distinct %s; findings %s",
             (unsigned long long)seed, how, (unsigned long long)many->runs, (unsigned long long)many->steps,
             (unsigned long long)many->cut, (unsigned long long)many->failed, (unsigned long long)many->distinct,
             rh_verdict_name(many->verdict), (unsigned long long)one->runs, (unsigned long long)one->steps,
             (unsigned long long)one->cut, (unsigned long long)one->failed, (unsigned long long)one->distinct,
             rh_verdict_name(one->verdict), one->findings == many->findings ? "equal" : "differ");
}

static struct all by_pool(const struct rh_semantics *s, uint64_t max_runs, struct rh__pool_options o)
{
    char error[512] = "";
    struct setting with = setting_of(s, "dpor", max_runs);
    struct rh_exploration *x = opened(&with);
    if (pooled(x, &with, o, error, sizeof error) != RH__POOL_DONE)
        fail_msg("%s", error);
    struct all a = all_of(x);
    closed(x);
    return a;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* Compares with every sequence of choices, where there are not too many. */
static bool compare_with_all(const struct rh_semantics *s, const struct all *one, uint64_t different, uint64_t seed)
{
    uint64_t findings;
    struct all every = by_one(s, "dfs", &findings);
    if (!every.exhausted)
        return false;
    assert_true(different == findings);
    if (!every.failed && !every.cut && one->distinct != every.distinct)
        fail_msg("seed %llu: %llu distinct runs of %llu", (unsigned long long)seed, (unsigned long long)one->distinct,
                 (unsigned long long)every.distinct);
    return true;
}

/* REHEARSE_FIRST and REHEARSE_PROGRAMS: other seeds, and more of them. */
static void each_run_is_made_by_somebody(void **unused)
{
    (void)unused;
    uint64_t first = from_environment("REHEARSE_FIRST", 1), runs = 0;
    uint32_t programs = (uint32_t)from_environment("REHEARSE_PROGRAMS", PROGRAMS), compared = 0, with_all = 0;
    for (uint64_t seed = first; compared < programs; seed++) {
        struct rh_semantics s = palette_semantics(seed);
        uint64_t different;
        palette_seed = seed;
        struct all one = by_one(&s, "dpor", &different);
        if (!one.exhausted || one.runs < LEAST)
            continue;
        with_all += compare_with_all(&s, &one, different, seed);
        longest_stay = 1 + (uint32_t)(seed % 20);
        struct all moved = by_one(&s, "mover:dpor", NULL);
        must_be(&one, &moved, seed, "moved");
        for (uint32_t workers = 1; workers <= MOST_WORKERS; workers++) {
            struct all many = by_pool(&s, 0, (struct rh__pool_options){ workers, .slice_runs = 1 + seed % 13 });
            must_be(&one, &many, seed, "several workers");
        }
        runs += one.runs;
        compared++;
    }
    print_message("%u programs, %llu runs; %u of them with every sequence\n", compared, (unsigned long long)runs,
                  with_all);
    assert_in_range(with_all, programs / 10, programs);
}

struct killer {
    uint64_t random;
    uint32_t workers, kills;
};

static void kill_one(void *arg, struct rh_exploration *x, const pid_t *workers)
{
    struct killer *k = arg;
    (void)x;
    pid_t worker = workers[rh__random_below(&k->random, k->workers)];
    if (worker <= 0 || k->kills == MOST_KILLS || rh__random_below(&k->random, 4))
        return;
    kill(worker, SIGKILL);
    k->kills++;
}

/* Workers are killed; the exploration stops after some runs, and goes on from its file with other workers. */
static struct all with_trouble(const struct rh_semantics *s, uint64_t seed, uint64_t runs, uint32_t *kills)
{
    char path[] = "/tmp/rehearse-reduction-XXXXXX";
    struct all a = { 0 };
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (uint32_t i = 0; i <= CUTS; i++) {
        struct killer k = { rh__random_seed(seed, i), 1 + (uint32_t)((seed + i) % MOST_WORKERS), 0 };
        struct rh__pool_options o = { .workers = k.workers,
                                      .slice_runs = 1 + seed % 7,
                                      .checkpoint = path,
                                      .resume = i > 0,
                                      .most_deaths = 1000,
                                      .watch = kill_one,
                                      .watch_arg = &k };
        a = by_pool(s, i < CUTS ? 1 + runs * (i + 1) / (CUTS + 2) : 0, o);
        *kills += k.kills;
    }
    unlink(path);
    return a;
}

static void who_is_killed_and_where_it_stops_does_not_show(void **unused)
{
    (void)unused;
    uint64_t first = from_environment("REHEARSE_FIRST", 1000);
    uint32_t programs = (uint32_t)from_environment("REHEARSE_PROGRAMS", TROUBLED), compared = 0, kills = 0;
    for (uint64_t seed = first; compared < programs; seed++) {
        struct rh_semantics s = palette_semantics(seed);
        palette_seed = seed;
        struct all one = by_one(&s, "dpor", NULL);
        if (!one.exhausted || one.runs < LEAST)
            continue;
        struct all many = with_trouble(&s, seed, one.runs, &kills);
        must_be(&one, &many, seed, "with trouble");
        compared++;
    }
    print_message("%u programs, %u workers killed\n", compared, kills);
    assert_true(kills > compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(each_run_is_made_by_somebody),
        EXPLORE_TEST(who_is_killed_and_where_it_stops_does_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
