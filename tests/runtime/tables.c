/* Shared tables on several threads: each call is atomic, and foreign threads may call as well. */
#include "helper.h"

#ifdef RH_TEST_FEW
enum { EACH = 200 };
#else
enum { EACH = 2000 };
#endif
enum { WORKERS = 8, KEYS = 40 };

RH_MESSAGE(go);
RH_TABLE(counters);
RH_TABLE(slots);
RH_TABLE_ORDERED(members);

static _Atomic(long) won, lost, bad;

/* ---- counters and swaps ---- */
RH_ACTOR(adder);
RH_HANDLER(adder, go)
{
    for (int i = 0; i < EACH; i++) {
        int64_t old = 0, new;
        char key[16];
        snprintf(key, sizeof key, "n%d", i % KEYS);
        rh_table_add(counters, key, 1);
        do {
            if (rh_table_get(counters, "swapped", &old, sizeof old) != sizeof old)
                bad++;
            new = old + 1;
        } while (!rh_table_swap(counters, "swapped", &old, sizeof old, &new, sizeof new));
    }
    rh_stop();
}
RH_BEHAVIOUR(adder, open, go);

static void no_update_is_lost(void **unused)
{
    (void)unused;
    int64_t value = 0, sum = 0;
    START(.threads = 4);
    bad = 0;
    rh_table_put(counters, "swapped", &value, sizeof value); /* from the main thread */
    for (int i = 0; i < WORKERS; i++)
        rh_send(rh_spawn(adder), go);
    rh_runtime_wait();
    for (int i = 0; i < KEYS; i++) {
        char key[16];
        snprintf(key, sizeof key, "n%d", i);
        assert_int_equal(rh_table_get(counters, key, &value, sizeof value), sizeof value);
        sum += value;
    }
    assert_int_equal(rh_table_get(counters, "swapped", &value, sizeof value), sizeof value);
    finish();
    assert_int_equal(sum, WORKERS * EACH);
    assert_int_equal(value, WORKERS * EACH);
    assert_int_equal(bad, 0);
    assert_int_equal(told.count, 0);
}

/* ---- one winner each time; values are never torn ---- */
RH_ACTOR(racer, unsigned char me;);
RH_HANDLER(racer, go)
{
    unsigned char mine[100], seen[100];
    memset(mine, state->me, sizeof mine);
    for (int i = 0; i < EACH; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i % KEYS);
        if (rh_table_insert_new(slots, key, mine, sizeof mine))
            won++;
        if (rh_table_get(slots, key, seen, sizeof seen) == sizeof seen)
            for (size_t k = 1; k < sizeof seen; k++)
                bad += seen[k] != seen[0];
        if (rh_table_remove(slots, key))
            lost++;
    }
    rh_stop();
}
RH_BEHAVIOUR(racer, open, go);

static void what_is_inserted_is_removed_once(void **unused)
{
    (void)unused;
    START(.threads = 4);
    won = lost = bad = 0;
    for (int i = 0; i < WORKERS; i++)
        rh_send(rh_spawn(racer, .me = (unsigned char)(i + 1)), go);
    rh_runtime_wait();
    for (int i = 0; i < KEYS; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        assert_int_equal(rh_table_get(slots, key, NULL, 0), -1);
    }
    finish();
    assert_true(won >= EACH);
    assert_int_equal(won, lost);
    assert_int_equal(bad, 0);
}

/* ---- walks while others come and go ---- */
RH_ACTOR(mover, int me;);
RH_HANDLER(mover, go)
{
    for (int i = 0; i < EACH; i++) {
        char key[16];
        snprintf(key, sizeof key, "m%d.%d", state->me, i % 7);
        if (i % 2)
            rh_table_remove(members, key);
        else
            rh_table_put(members, key, &i, sizeof i);
    }
    rh_stop();
}
RH_BEHAVIOUR(mover, open, go);

RH_ACTOR(walker);
RH_HANDLER(walker, go)
{
    for (int i = 0; i < EACH / 10; i++) {
        char key[RH_TABLE_KEY_SIZE] = "", last[RH_TABLE_KEY_SIZE] = "";
        int fixed = 0;
        while (rh_table_next(members, key, key, sizeof key)) {
            bad += strcmp(last, key) >= 0;
            snprintf(last, sizeof last, "%s", key);
            fixed += key[0] == 'a' || key[0] == 'z';
        }
        bad += fixed != 2;
        bad += rh_table_count(members) < 2;
    }
    rh_stop();
}
RH_BEHAVIOUR(walker, open, go);

static void a_walk_is_in_order_and_sees_what_stays(void **unused)
{
    (void)unused;
    START(.threads = 4);
    bad = 0;
    rh_table_put(members, "a", "", 0);
    rh_table_put(members, "z", "", 0);
    for (int i = 0; i < WORKERS; i++)
        rh_send(i % 4 ? rh_spawn(mover, .me = i) : rh_spawn(walker), go);
    finish();
    assert_int_equal(bad, 0);
}

/* ---- foreign threads, the end ---- */
static void *foreign(void *unused)
{
    (void)unused;
    for (int i = 0; i < EACH; i++)
        rh_table_add(counters, "foreign", 1);
    return NULL;
}

static void any_thread_may_use_tables_and_they_end_with_the_runtime(void **unused)
{
    (void)unused;
    pthread_t threads[3];
    int64_t value = 0;
    START(.threads = 2);
    assert_int_equal(rh_table_get(counters, "swapped", NULL, 0), -1); /* of the runtime before */
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, foreign, NULL), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(rh_table_get(counters, "foreign", &value, sizeof value), sizeof value);
    assert_int_equal(value, 3 * EACH);
    assert_int_equal(rh_table_count(counters), 0); /* not ordered: told, and outside of actors too */
    expect_told(1, "misuse", "table counters is not ordered");
    rh_runtime_stop();
    START(.threads = 1);
    assert_int_equal(rh_table_get(counters, "foreign", NULL, 0), -1);
    rh_runtime_stop();
}

/* A model of one table, kept beside it. */
static void many_keys_are_kept_in_order(void **unused)
{
    (void)unused;
    enum { MANY = 500 };
    static int value[MANY];
    uint32_t seed = 7, count = 0;
    char key[RH_TABLE_KEY_SIZE], last[RH_TABLE_KEY_SIZE] = "";
    START(.threads = 1);
    for (int n = 0; n < 5000; n++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t i = (seed >> 8) % MANY;
        snprintf(key, sizeof key, "%u", i * 7919 % 10007);
        if (seed >> 30) {
            assert_int_equal(rh_table_put(members, key, &n, sizeof n), value[i] != 0);
            count += value[i] == 0;
            value[i] = n + 1;
        } else {
            assert_int_equal(rh_table_remove(members, key), value[i] != 0);
            count -= value[i] != 0;
            value[i] = 0;
        }
    }
    assert_int_equal(rh_table_count(members), count);
    for (uint32_t i = 0; i < MANY; i++) {
        int now = 0;
        snprintf(key, sizeof key, "%u", i * 7919 % 10007);
        assert_int_equal(rh_table_get(members, key, &now, sizeof now), value[i] ? (int)sizeof now : -1);
        if (value[i])
            assert_int_equal(now, value[i] - 1);
    }
    for (key[0] = 0; rh_table_next(members, key, key, sizeof key); count--) {
        assert_true(strcmp(last, key) < 0);
        snprintf(last, sizeof last, "%s", key);
    }
    assert_int_equal(count, 0);
    rh_runtime_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_update_is_lost),
        cmocka_unit_test(what_is_inserted_is_removed_once),
        cmocka_unit_test(a_walk_is_in_order_and_sees_what_stays),
        cmocka_unit_test(any_thread_may_use_tables_and_they_end_with_the_runtime),
        cmocka_unit_test(many_keys_are_kept_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
