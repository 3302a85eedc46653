/* Schedules that a session leaves as files: of findings (--save), and of runs that covered a new goal (--suite). */
#ifndef RH_RUNNER_KEEP_SCHEDULES_H
#define RH_RUNNER_KEEP_SCHEDULES_H

#include "report/result.h"

/* Makes the folder unless it is there and can be written.  All of these calls are false with a sentence. */
bool rh__keep_folder(const char *folder, char *error, size_t error_size);

/* Writes the schedules of all findings to the folder, which is made if there are any; "": nowhere.  The result then
 * names the files. */
bool rh__keep_findings(struct rh__result *r, const char *folder, char *error, size_t error_size);

/* From now on each run that covers a new goal leaves its schedule in the folder, which exists, as
 * TEST-MODEL-coverage-N.schedule.  The exploration measures coverage. */
bool rh__keep_suite(struct rh_exploration *x, const char *folder, const char *test, const char *model, char *error,
                    size_t error_size);

#endif
