/* Histories with every way to explore: whether the history of a run has an order depends only on its behaviour, and no
 * reduction loses a run whose history has none. */
#include <stdlib.h>

#include "explore/support/oracle.h"
#include "support/few.h"

enum { PROGRAMS = MANY_OR_FEW(120, 12), LARGEST = 8000 };

/* As large as can be compared. */
static void compare(struct features *p, struct difference *d,
                    void (*differs)(struct difference *d, const struct features *p, uint32_t largest))
{
    do
        differs(d, p, LARGEST);
    while (d->too_large && features_shrink(p));
}

static void compare_all(uint32_t grain,
                        void (*differs)(struct difference *d, const struct features *p, uint32_t largest))
{
    uint32_t programs = 0, different = 0, with_both = 0;
    uint64_t runs = 0, unexplained = 0;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        struct features p;
        struct difference d;
        features_make_clients(&p, seed);
        p.grain = grain;
        compare(&p, &d, differs);
        if (d.too_large)
            continue;
        programs++;
        runs += d.all_runs;
        unexplained += d.unexplained;
        with_both += d.unexplained && d.unexplained < d.all_runs;
        if (!d.any)
            continue;
        different++;
        minimise(&p, &d, LARGEST);
        tell(&p, &d);
        tell_runs(&p, &d);
    }
    print_message("%u programs, %llu runs of dfs, %llu of them without an order; %u programs have both; %u differ\n",
                  programs, (unsigned long long)runs, (unsigned long long)unexplained, with_both, different);
    assert_int_equal(different, 0);
    assert_in_range(programs, PROGRAMS * 3 / 4, PROGRAMS);
    assert_in_range(with_both, MANY_OR_FEW(PROGRAMS / 6, 0), PROGRAMS); /* the first seeds have few of them */
}

static void optimal_and_dpor_agree_with_dfs(void **unused)
{
    (void)unused;
    compare_all(0, differ);
}

static void dpor_agrees_with_dfs_if_steps_are_handlers(void **unused)
{
    (void)unused;
    compare_all(RH_GRAIN_HANDLER, differ_with_dpor);
}

static int by_outcome(const void *a, const void *b)
{
    uint64_t x = ((const struct noted *)a)->outcome, y = ((const struct noted *)b)->outcome;
    return x < y ? -1 : x > y;
}

static uint32_t outcomes_of(struct notes *n)
{
    uint32_t kept = 0;
    qsort(n->end, n->ended, sizeof *n->end, by_outcome);
    for (uint32_t i = 0; i < n->ended; i++)
        if (!i || n->end[i].outcome != n->end[kept - 1].outcome)
            n->end[kept++] = n->end[i];
    return kept;
}

/* What the end of a run will be told is a part of its state. */
static void stateful_sees_every_outcome(void **unused)
{
    (void)unused;
    struct notes *all = notes_new(), *got = notes_new();
    uint32_t compared = 0, with_both = 0;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        features_make_clients(&program, seed);
        take_notes(all, "noting:dfs", LARGEST);
        if (!all->complete || all->cut)
            continue;
        take_notes(got, "noting:stateful", LARGEST);
        with_both += all->unexplained && all->unexplained < all->runs;
        compared++;
        uint32_t a = outcomes_of(all), b = outcomes_of(got);
        bool same = a == b;
        for (uint32_t i = 0; same && i < a; i++)
            same = all->end[i].outcome == got->end[i].outcome;
        char text[512];
        features_write(&program, text, sizeof text);
        if (!same)
            fail_msg("%s: dfs sees %u outcomes, stateful %u", text, a, b);
    }
    print_message("%u programs, %u with both\n", compared, with_both);
    assert_in_range(with_both, PROGRAMS / 20, PROGRAMS);
    notes_free(all);
    notes_free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(optimal_and_dpor_agree_with_dfs),
        EXPLORE_TEST(dpor_agrees_with_dfs_if_steps_are_handlers),
        EXPLORE_TEST(stateful_sees_every_outcome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
