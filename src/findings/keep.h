/* Schedules of findings as files: TEST-MODEL-KIND-HASH.schedule, and a link `latest` to the last that was saved.
 *
 * The hash identifies the finding: the program, the test, its semantics and parameters except the seed, and the kind
 * and place of the failure.  So two bugs never share a file, and a bug that is found again gets the same name.  An
 * existing file is replaced only if it is of the same finding and unchanged, and not if its run is shorter and was made
 * by the same build of the program.  All other files, also those edited by hand, stay; then the hash in the name
 * becomes longer. */
#ifndef RH_FINDINGS_KEEP_H
#define RH_FINDINGS_KEEP_H

#include "explore/engine/engine.h"

struct rh__keeping {
    const char *folder, *program, *test, *model;
};

/* Writes the name of the file to `path`.  `kept`: a shorter run of the same finding was there, and stays.  Returns
 * false with a sentence on failure. */
bool rh__finding_keep(const struct rh__keeping *k, const struct rh__finding *f, char *path, size_t size, bool *kept,
                      char *error, size_t error_size);

/* Kind and place of the finding that a file was saved for; false if it is not such a file, or was changed. */
bool rh__finding_recorded(const char *path, char *kind, size_t kind_size, char *place, size_t place_size);

/* Makes FOLDER/latest a link to that file, if `latest` is a link or does not exist.  No effect if the file system has
 * no links. */
void rh__finding_latest(const char *folder, const char *path);

#endif
