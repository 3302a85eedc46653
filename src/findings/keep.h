/* Schedules of findings as files: TEST-MODEL-KIND-HASH.schedule, and a link `latest` to the last that was kept.
 *
 * The hash is of what makes it this finding and no other: the program, the test, its semantics and parameters but not the seed,
 * and kind and place of what went wrong.  So two bugs never share a file, and one that is found again has the same name as before.  A
 * file that is there is replaced only if it is of the same finding and as it was written, and not if the run in it is shorter and
 * still good: made by the very same program.  All others, those edited by hand too, stay; the hash becomes longer then. */
#ifndef RH_FINDINGS_KEEP_H
#define RH_FINDINGS_KEEP_H

#include "explore/engine.h"

struct rh__keeping {
    const char *folder, *program, *test, *model;
};

/* The name of the file goes to `path`; `kept`: what was there is a shorter run of the same finding, and stays.  False with a
 * sentence. */
bool rh__finding_keep(const struct rh__keeping *k, const struct rh__finding *f, char *path, size_t size, bool *kept,
                      char *error, size_t error_size);

/* Kind and place of what a file was kept for, as they stand in it; false where it is none that was kept, or not as it was. */
bool rh__finding_recorded(const char *path, char *kind, size_t kind_size, char *place, size_t place_size);

/* FOLDER/latest becomes a link to that file of the folder, if it is one or nothing is there; where there can be no links there is
 * none. */
void rh__finding_latest(const char *folder, const char *path);

#endif
