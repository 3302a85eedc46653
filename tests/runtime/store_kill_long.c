/* See store_kill.h. */
#include "runtime/store_kill.h"

static void nothing_acknowledged_is_lost_by_a_thousand_kills(void **unused)
{
    (void)unused;
    kill_many(1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(nothing_acknowledged_is_lost_by_a_thousand_kills) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
