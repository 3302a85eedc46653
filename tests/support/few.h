/* How many generated programs a test makes: all in the dev build, few in the builds that repeat the suite (asan, tsan,
 * clang, release, hostile, arm64, cov: RH_TEST_FEW in CMakePresets.json). */
#ifndef RH_TESTS_SUPPORT_FEW_H
#define RH_TESTS_SUPPORT_FEW_H

#ifdef RH_TEST_FEW
#define MANY_OR_FEW(many, few) (few)
#else
#define MANY_OR_FEW(many, few) (many)
#endif

#endif
