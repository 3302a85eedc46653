/* rehearse/unit.h: unit tests with actors, in an ordinary suite of cmocka or Check, that run once in production or in
 * every order under test, depending on the library with which the suite is linked.
 *
 *     #include <cmocka.h>
 *     #include <rehearse/unit.h>
 *
 *     RH_UNIT(a_deposit_is_kept)                      instead of: static void a_deposit_is_kept(void **state)
 *     {
 *         rh_ref a = rh_spawn(account);
 *         rh_send(a, deposit, .amount = 5);
 *         assert_int_equal(rh_ask(a, ask_balance, balance)->amount, 5);
 *     }
 *
 *     int main(void)
 *     {
 *         const struct CMUnitTest tests[] = { cmocka_unit_test(a_deposit_is_kept) };
 *         return cmocka_run_group_tests(tests, NULL, NULL);
 *     }
 *
 * With librehearse-rt the body runs once, as a process of the production runtime.  With librehearse it is explored, as
 * by `rehearse test`; the environment variable REHEARSE_OPTIONS has options for all tests of the suite ("--explorer
 * dfs").  A test fails if an assertion fails, in the body or in an actor, if the body waits for ever, and under
 * exploration for every other reason for which a test can fail.  Options of RH_TEST may follow the name: RH_UNIT(name,
 * .model = RH_BAG).
 *
 * Inside actors an assertion of cmocka or Check must not jump out of the actor.  So this header, which is included
 * after theirs, replaces their usual assertions by rh_assert. */
#ifndef REHEARSE_UNIT_H
#define REHEARSE_UNIT_H

#include <rehearse/test.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs or explores the test; false, with a report, if it failed. */
bool rh_unit_run_(const struct rh_test *test, char *report, size_t size);

#ifdef __cplusplus
}
#endif

enum { RH_UNIT_REPORT = 16384 };

/* How a test of the suite fails: as that of the framework whose header was included before; without one
 * the suite ends. */
#ifndef RH_UNIT_FAIL
#if defined(CMOCKA_H_)
#define RH_UNIT_FAIL(report) (print_error("%s\n", report), _fail(__FILE__, __LINE__))
#elif defined(CHECK_H)
#define RH_UNIT_FAIL(report) ck_abort_msg("%s", report)
#else
#define RH_UNIT_FAIL(report) (fputs(report, stderr), abort())
#endif
#endif

#define RH_UNIT(...)             RH_UNIT_AS_(RH_UNIT_NAME_(__VA_ARGS__, ~), __VA_ARGS__)
#define RH_UNIT_NAME_(name, ...) name
#define RH_UNIT_AS_(name, ...)   RH_UNIT_AS2_(name, __VA_ARGS__)
#ifdef CHECK_H
#define RH_UNIT_AS2_(name, ...)                                                                                        \
    static struct rh_test RH_CAT(rh_test_entry_, name);                                                                \
    START_TEST(name)                                                                                                   \
    {                                                                                                                  \
        static char report[RH_UNIT_REPORT];                                                                            \
        if (!rh_unit_run_(&RH_CAT(rh_test_entry_, name), report, sizeof report))                                       \
            RH_UNIT_FAIL(report);                                                                                      \
    }                                                                                                                  \
    END_TEST                                                                                                           \
    RH_TEST(__VA_ARGS__)
#else
#define RH_UNIT_AS2_(name, ...)                                                                                        \
    static struct rh_test RH_CAT(rh_test_entry_, name);                                                                \
    static void name(void **rh_unit_state)                                                                             \
    {                                                                                                                  \
        static char report[RH_UNIT_REPORT];                                                                            \
        (void)rh_unit_state;                                                                                           \
        if (!rh_unit_run_(&RH_CAT(rh_test_entry_, name), report, sizeof report))                                       \
            RH_UNIT_FAIL(report);                                                                                      \
    }                                                                                                                  \
    RH_TEST(__VA_ARGS__)
#endif

/* The assertions of the frameworks, as the program's own. */
#define RH_UNIT_COMPARE_(a, relation, b)                                                                               \
    rh_assert((a)relation(b), "%s is %lld, %s is %lld", #a, (long long)(a), #b, (long long)(b))
#if defined(CMOCKA_H_)
#undef assert_true
#undef assert_false
#undef assert_null
#undef assert_non_null
#undef assert_int_equal
#undef assert_int_not_equal
#undef assert_ptr_equal
#undef assert_string_equal
#undef assert_memory_equal
#undef assert_in_range
#undef fail_msg
#undef fail
#define assert_true(c)                rh_assert(c)
#define assert_false(c)               rh_assert(!(c))
#define assert_null(p)                rh_assert((p) == NULL)
#define assert_non_null(p)            rh_assert((p) != NULL)
#define assert_int_equal(a, b)        RH_UNIT_COMPARE_(a, ==, b)
#define assert_int_not_equal(a, b)    RH_UNIT_COMPARE_(a, !=, b)
#define assert_ptr_equal(a, b)        rh_assert((a) == (b))
#define assert_string_equal(a, b)     rh_assert(strcmp(a, b) == 0, "\"%s\" is not \"%s\"", a, b)
#define assert_memory_equal(a, b, n)  rh_assert(memcmp(a, b, n) == 0)
#define assert_in_range(v, low, high) rh_assert((v) >= (low) && (v) <= (high))
#define fail_msg(...)                 rh_assert(false, __VA_ARGS__)
#define fail()                        rh_assert(false)
#elif defined(CHECK_H)
#undef ck_assert
#undef ck_assert_msg
#undef ck_assert_int_eq
#undef ck_assert_int_ne
#undef ck_assert_int_lt
#undef ck_assert_int_le
#undef ck_assert_int_gt
#undef ck_assert_int_ge
#undef ck_assert_uint_eq
#undef ck_assert_uint_ne
#undef ck_assert_str_eq
#undef ck_assert_str_ne
#undef ck_assert_ptr_eq
#undef ck_assert_ptr_nonnull
#undef ck_assert_ptr_null
#undef ck_assert_mem_eq
#define ck_assert(c)              rh_assert(c)
#define ck_assert_msg(c, ...)     rh_assert(c, __VA_ARGS__)
#define ck_assert_int_eq(a, b)    RH_UNIT_COMPARE_(a, ==, b)
#define ck_assert_int_ne(a, b)    RH_UNIT_COMPARE_(a, !=, b)
#define ck_assert_int_lt(a, b)    RH_UNIT_COMPARE_(a, <, b)
#define ck_assert_int_le(a, b)    RH_UNIT_COMPARE_(a, <=, b)
#define ck_assert_int_gt(a, b)    RH_UNIT_COMPARE_(a, >, b)
#define ck_assert_int_ge(a, b)    RH_UNIT_COMPARE_(a, >=, b)
#define ck_assert_uint_eq(a, b)   RH_UNIT_COMPARE_(a, ==, b)
#define ck_assert_uint_ne(a, b)   RH_UNIT_COMPARE_(a, !=, b)
#define ck_assert_str_eq(a, b)    rh_assert(strcmp(a, b) == 0, "\"%s\" is not \"%s\"", a, b)
#define ck_assert_str_ne(a, b)    rh_assert(strcmp(a, b) != 0, "both are \"%s\"", a)
#define ck_assert_ptr_eq(a, b)    rh_assert((a) == (b))
#define ck_assert_ptr_nonnull(p)  rh_assert((p) != NULL)
#define ck_assert_ptr_null(p)     rh_assert((p) == NULL)
#define ck_assert_mem_eq(a, b, n) rh_assert(memcmp(a, b, n) == 0)
#endif

#endif
