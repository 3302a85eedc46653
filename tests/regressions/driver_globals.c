/* A driver's own globals are not taken back with the run, though they lie in one word with those of the program. */
#include "sandbox/drive.h"

#ifdef RH_NO_GLOBALS_TRACKING

int main(void)
{
    return 77;
}

#else

/* Each in one word of eight bytes. */
static struct {
    int program, driver;
} halves __attribute__((aligned(8)));
static struct {
    int driver, program;
} swapped __attribute__((aligned(8)));

RH_MESSAGE(go);
RH_ACTOR(counter);
RH_HANDLER(counter, go)
{
    halves.program++;
    swapped.program--;
}
RH_BEHAVIOUR(counter, counting, go);
RH_TEST(counts)
{
    rh_ref c = rh_spawn(counter);
    for (int i = 0; i < 3; i++)
        rh_send(c, go);
}

static void check_program(int is)
{
    assert_int_equal(halves.program, is);
    assert_int_equal(swapped.program, -is);
}

static void check_driver(int is)
{
    assert_int_equal(halves.driver, is);
    assert_int_equal(swapped.driver, is);
}

static void drive(void)
{
    halves.driver++;
    swapped.driver++;
}

static void neither_reset_nor_undo_takes_back_the_drivers_part(void **unused)
{
    (void)unused;
    int driven = 0;
    struct rh_world *w = world_of("counts");
    rh_world_begin(w);
    for (int round = 0; round < 6; round++) {
        uint32_t n;
        int steps = 0;
        for (const struct rh_choice *open; (open = rh_world_enabled(w, &n)), n;) {
            assert_true(rh_world_step(w, &open[0]));
            drive();
            driven++;
            check_program(++steps);
            check_driver(driven);
        }
        assert_int_equal(steps, 3);
        if (round % 2) {
            while (rh_world_undo(w)) {
                check_program(--steps);
                check_driver(driven);
                drive();
                driven++;
            }
            assert_int_equal(steps, 0);
        } else {
            rh_world_reset(w);
        }
        check_program(0);
        check_driver(driven);
    }
    close_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(neither_reset_nor_undo_takes_back_the_drivers_part, free_world_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
