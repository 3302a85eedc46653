/* See store_kill.h. */
#include "runtime/store_kill.h"

static void nothing_acknowledged_is_lost_by_kill_9(void **unused)
{
    (void)unused;
    kill_many(40);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(nothing_acknowledged_is_lost_by_kill_9) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
