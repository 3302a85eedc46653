/* rehearse/run.h: explores a test from within another program, for example a suite of a unit test framework
 * (rehearse/cmocka.h, rehearse/check.h).
 *
 *     char report[4096];
 *     if (rh_explore_test("a_write_is_never_lost", "--model bag --max-runs 1000", report, sizeof report) != 0)
 *         fail(report);
 *
 * The program links librehearse and contains RH_TESTs, but has its own main instead of RH_MAIN. */
#ifndef REHEARSE_RUN_H
#define REHEARSE_RUN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Explores the RH_TEST of that name.  `options` are options of `rehearse test` that say what to explore (--explorer,
 * --model, --max-runs, -p NAME=VALUE, ...), separated by spaces, with quotes where needed; or NULL.
 *
 * Returns the exit code of `rehearse test`: 0 nothing found, 1 something found, 2 wrong use, 3 the tool failed, 4 a
 * schedule of --explorer replay:FILE does not fit, 5 less than --require demands.  0 alone does not say how much was
 * explored; with "--require exhaustive" or "--require bounded" it does.
 *
 * `report` gets a zero-terminated text.  If nothing was found: the result, its semantics, and what to do next.  For
 * each finding: what went wrong, the run that shows it, and its schedule for `rehearse replay`.  For wrong use: a
 * sentence.  Nothing is printed, and no file is written. */
int rh_explore_test(const char *test, const char *options, char *report, size_t size);

#ifdef __cplusplus
}
#endif
#endif
