/* Globals of the program belong to the run: handlers may write them, and undo and reset put them back.  A driver may
 * keep its own globals in the same pages.  Pages that nobody writes cost nothing. */
#include "sandbox/drive.h"

#ifdef RH_NO_GLOBALS_TRACKING

int main(void)
{
    return 77;
}

#else

/* ---- the program ------------------------------------------------------------------------------------------------- */

static int in_data = 7;
static int in_bss;
static char wide[40 * 4096]; /* 40 pages */
static int drivers_own;      /* near the others: in the same page */
static uint64_t drivers_sum = 100;

static int count_calls(void)
{
    static int calls = 3;
    return ++calls;
}

RH_MESSAGE(write_globals, int amount;);
RH_MESSAGE(keep_quiet, int left;);
RH_MESSAGE(write_page, int page; char value;);

RH_ACTOR(writer, int last;);
RH_HANDLER(writer, write_globals)
{
    in_data += msg->amount;
    in_bss -= msg->amount;
    state->last = count_calls();
}
RH_HANDLER(writer, keep_quiet)
{
    state->last = msg->left;
    if (msg->left)
        rh_send(self, keep_quiet, .left = msg->left - 1);
}
RH_HANDLER(writer, write_page)
{
    wide[msg->page * 4096 + 17] = msg->value;
    wide[msg->page * 4096 + 4095] ^= 1;
}
RH_BEHAVIOUR(writer, writing, write_globals, keep_quiet, write_page);

RH_TEST(three_writes)
{
    rh_ref w = rh_spawn(writer);
    for (int i = 1; i <= 3; i++)
        rh_send(w, write_globals, .amount = i * 10);
}

RH_TEST(all_pages)
{
    rh_ref w = rh_spawn(writer);
    for (int i = 0; i < 40; i++)
        rh_send(w, write_page, .page = i, .value = (char)(i + 1));
}

RH_TEST(quiet, .max_steps = 1000000)
{
    rh_send(rh_spawn(writer), keep_quiet, .left = 5000);
}

RH_TEST(body_writes)
{
    in_data = 99;
    rh_send(rh_spawn(writer), write_globals, .amount = 1);
}

/* ---- claims ------------------------------------------------------------------------------------------------------ */

static void step(struct rh_world *w)
{
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(w, &n);
    assert_true(n > 0);
    assert_true(rh_world_step(w, &open[0]));
}

static void undo_puts_back_data_bss_and_static_locals_step_by_step(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("three_writes");
    rh_world_begin(w);
    for (int round = 0; round < 3; round++) {
        static const int data[] = { 7, 17, 37, 67 };
        for (int i = 0; i < 3; i++) {
            assert_int_equal(in_data, data[i]);
            assert_int_equal(in_bss, 7 - data[i]);
            step(w);
            assert_int_equal(((const struct writer *)rh_world_actor_state(w, 1))->last, 4 + i);
        }
        for (int i = 3; i > 0; i--) {
            assert_int_equal(in_data, data[i]);
            assert_true(rh_world_undo(w));
        }
        assert_int_equal(in_data, 7);
        assert_int_equal(in_bss, 0);
    }
    close_world(w);
}

static void reset_puts_them_back_at_once(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("three_writes");
    rh_world_begin(w);
    for (int round = 0; round < 100; round++) {
        run_first(w, NULL);
        assert_int_equal(in_data, 67);
        assert_int_equal(in_bss, -60);
        assert_int_equal(((const struct writer *)rh_world_actor_state(w, 1))->last, 6);
        rh_world_reset(w);
        assert_int_equal(in_data, 7);
        assert_int_equal(in_bss, 0);
    }
    close_world(w);
}

static void a_reset_goes_to_what_the_body_of_the_test_has_written(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("body_writes");
    rh_world_begin(w);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(in_data, 99);
        run_first(w, NULL);
        assert_int_equal(in_data, 100);
        rh_world_reset(w);
    }
    close_world(w);
    assert_int_equal(in_data, 7); /* and the end of the world to what was there before it */
}

static void snapshots_hold_globals(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("three_writes");
    rh_world_begin(w);
    step(w);
    step(w);
    struct rh_snapshot *s = rh_world_save(w);
    assert_non_null(s);
    step(w);
    rh_world_reset(w);
    assert_int_equal(in_data, 7);
    rh_world_load(w, s);
    assert_int_equal(in_data, 37);
    assert_int_equal(in_bss, -30);
    step(w);
    assert_int_equal(in_data, 67);
    assert_int_equal(((const struct writer *)rh_world_actor_state(w, 1))->last, 6);
    rh_snapshot_free(s);
    rh_world_reset(w);
    assert_int_equal(in_data, 7);
    close_world(w);
}

static void globals_of_the_driver_in_the_same_pages_stay(void **unused)
{
    (void)unused;
    drivers_own = 0;
    drivers_sum = 100;
    struct rh_world *w = world_of("three_writes");
    rh_world_begin(w);
    for (int round = 1; round <= 200; round++) {
        for (uint32_t n; rh_world_enabled(w, &n), n;) {
            drivers_sum += n; /* between two steps */
            step(w);
        }
        drivers_own++;
        rh_world_undo(w);
        drivers_own++;
        rh_world_reset(w);
        assert_int_equal(drivers_own, 2 * round);
        assert_int_equal(drivers_sum, 100 + 3 * round);
        assert_int_equal(in_data, 7);
    }
    close_world(w);
    assert_int_equal(drivers_own, 400);
}

static void many_pages_are_put_back(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("all_pages");
    rh_world_begin(w);
    for (int round = 0; round < 5; round++) {
        run_first(w, NULL);
        for (int i = 0; i < 40; i++) {
            assert_int_equal(wide[i * 4096 + 17], i + 1);
            assert_int_equal(wide[i * 4096 + 4095], 1);
        }
        if (round % 2)
            rh_world_reset(w);
        else
            while (rh_world_undo(w))
                ;
        for (size_t i = 0; i < sizeof wide; i++)
            assert_int_equal(wide[i], 0);
    }
    assert_true(rh_world_count(w).page_faults >= 40);
    close_world(w);
}

static void fingerprints_see_globals(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("all_pages");
    rh_world_begin(w);
    uint64_t before = rh_world_fingerprint(w);
    step(w);
    uint64_t after = rh_world_fingerprint(w);
    assert_true(before != after);
    rh_world_undo(w);
    assert_true(before == rh_world_fingerprint(w));
    step(w);
    assert_true(after == rh_world_fingerprint(w));
    close_world(w);
}

/* In a variable that is not among the tracked globals, as a driver's loop would keep it on its stack. */
static void thousands_of_steps_that_write_no_globals_take_no_page_fault(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("quiet");
    rh_world_begin(w);
    uint64_t before = rh_world_count(w).page_faults;
    run_first(w, NULL);
    assert_true(rh_world_count(w).steps > 5000);
    uint64_t first = rh_world_count(w).page_faults;
    rh_world_reset(w);
    run_first(w, NULL);
    assert_int_equal(rh_world_count(w).page_faults, first);
    assert_true(first - before <= 1); /* cmocka's assert_true may write its own globals: not the program's */
    close_world(w);
}

static void a_page_that_is_written_often_faults_once(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("three_writes");
    rh_world_begin(w);
    run_first(w, NULL);
    rh_world_reset(w);
    uint64_t warm = rh_world_count(w).page_faults;
    assert_true(warm > 0);
    for (int round = 0; round < 1000; round++) {
        run_first(w, NULL);
        rh_world_reset(w);
    }
    assert_int_equal(rh_world_count(w).page_faults, warm);
    close_world(w);
}

static void a_page_that_is_not_written_any_more_cools_down_and_faults_again(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("all_pages");
    rh_world_begin(w);
    run_first(w, NULL); /* 40 steps, each another page: the first ones have cooled down by the end of the third round */
    uint64_t first = rh_world_count(w).page_faults;
    for (int round = 0; round < 4; round++) {
        rh_world_reset(w);
        run_first(w, NULL);
    }
    uint64_t last = rh_world_count(w).page_faults;
    assert_true(last >= first);
    for (int i = 0; i < 40; i++)
        assert_int_equal(wide[i * 4096 + 17], i + 1);
    rh_world_reset(w);
    for (size_t i = 0; i < sizeof wide; i++)
        assert_int_equal(wide[i], 0);
    close_world(w);
}

#define TEST(f) cmocka_unit_test_teardown(f, free_world_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(undo_puts_back_data_bss_and_static_locals_step_by_step),
        TEST(reset_puts_them_back_at_once),
        TEST(a_reset_goes_to_what_the_body_of_the_test_has_written),
        TEST(snapshots_hold_globals),
        TEST(globals_of_the_driver_in_the_same_pages_stay),
        TEST(many_pages_are_put_back),
        TEST(fingerprints_see_globals),
        TEST(thousands_of_steps_that_write_no_globals_take_no_page_fault),
        TEST(a_page_that_is_written_often_faults_once),
        TEST(a_page_that_is_not_written_any_more_cools_down_and_faults_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
