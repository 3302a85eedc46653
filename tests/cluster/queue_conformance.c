/* Every queue table (cluster/queue.h) does what the interface promises: the checks of support/queue_checks.h.
 *
 * The checks run over the queue in memory and over a reference.  Then they run over tables with a planted defect, one
 * of each kind, and the check that is for this kind must find it.  A table for a server goes into `tables`. */
#include "cluster/support.h"
#include "cluster/support/queue_checks.h"

#include "base/random.h"

static const struct rh__queue_table *const tables[] = { &rh__queue_local, &queue_reference };

static const struct {
    const char *name;
    const char *(*check)(struct tested_queue *k, uint64_t *random);
} checks[] = {
#define X(name) { #name, name },
    QUEUE_CHECKS(X)
#undef X
};

static const char *run_check(const struct rh__queue_table *t, enum queue_check which, uint64_t seed)
{
    struct tested_queue k = queue_opened(t);
    uint64_t random = rh__random_seed(seed, which);
    const char *wrong = checks[which].check(&k, &random);
    queue_close(&k);
    return wrong;
}

static void every_table_conforms(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (enum queue_check c = 0; c < QUEUE_CHECK_COUNT; c++)
            for (uint64_t seed = 1; seed <= 3; seed++) {
                const char *wrong = run_check(tables[i], c, seed);
                if (wrong)
                    fail_msg("%s: %s: %s (seed %llu)", tables[i]->name, checks[c].name, wrong,
                             (unsigned long long)seed);
            }
}

/* A check that finds a defect returns where it is, without freeing: no search for leaks there. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
static void __lsan_disable(void)
{
}
static void __lsan_enable(void)
{
}
#endif

static void every_planted_defect_is_found(void **unused)
{
    (void)unused;
    __lsan_disable();
    for (queue_planted = 0; queue_defect_name(queue_planted); queue_planted++) {
        const char *wrong = NULL, *name = queue_defect_name(queue_planted);
        enum queue_check check = queue_defect_found_by(queue_planted);
        for (uint64_t seed = 1; seed <= 3 && !wrong; seed++)
            wrong = run_check(&queue_broken, check, seed);
        if (!wrong)
            fail_msg("%s: %s does not find it", name, checks[check].name);
        print_message("%s: %s\n", name, wrong);
    }
    __lsan_enable();
}

/* So what the checks find above is the defect. */
static void the_table_for_defects_conforms_without_one(void **unused)
{
    (void)unused;
    queue_planted = UINT32_MAX;
    for (enum queue_check c = 0; c < QUEUE_CHECK_COUNT; c++) {
        const char *wrong = run_check(&queue_broken, c, 1);
        if (wrong)
            fail_msg("%s: %s", checks[c].name, wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_conforms),
        cmocka_unit_test(every_planted_defect_is_found),
        cmocka_unit_test(the_table_for_defects_conforms_without_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
