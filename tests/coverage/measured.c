/* Names, constraints and goals against a slow implementation, on programs that use every feature of the world. */
#include "coverage/support/measuring.h"

#include "explore/support/palette.h"

#ifdef RH_TEST_FEW
enum { SEEDS = 150 };
#else
enum { SEEDS = 1500 };
#endif

static void everything_is_as_the_slow_implementation_has_it(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        palette_seed = seed;
        struct rh_semantics s = palette_semantics(seed);
        measure_program("palette", &s, 12, seed);
    }
    tell_compared();
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(everything_is_as_the_slow_implementation_has_it) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
