/* rehearse/run.h: explores a test from within another program, such as a suite of a unit test framework
 * (rehearse/cmocka.h, rehearse/check.h).
 *
 *     char report[4096];
 *     if (rh_explore_test("a_write_is_never_lost", "--model bag --max-runs 1000", report, sizeof report) != 0)
 *         fail(report);
 *
 * The program links librehearse and has RH_TESTs, but a main of its own in place of RH_MAIN. */
#ifndef REHEARSE_RUN_H
#define REHEARSE_RUN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Explores the RH_TEST of that name.  `options` are words as on the command line of `rehearse test` that say what to
 * explore (--explorer, --model, --max-runs, -p NAME=VALUE, ...; a word may stand in quotes), or NULL for none.
 *
 * Gives what `rehearse test` would exit with: 0 nothing found, 1 something found, 2 wrong use, 3 the tool failed, 4 a schedule of
 * --explorer replay:FILE does not fit, 5 less than --require wants.  0 does not say how much was explored: with
 * "--require exhaustive" or "--require bounded" it does.  `report` gets a text that ends in zero: what it came to, under which
 * semantics, and what to do next; or the sentence; or for each finding what went wrong, the run that shows it and its schedule,
 * which `rehearse replay` takes.  Nothing is printed, and no file is written. */
int rh_explore_test(const char *test, const char *options, char *report, size_t size);

#ifdef __cplusplus
}
#endif
#endif
