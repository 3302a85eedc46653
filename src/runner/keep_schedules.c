/* See keep_schedules.h. */
#include "runner/keep_schedules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "explore/engine/measure.h"
#include "findings/keep.h"
#include "trace/schedule.h"

/* Like mkdir -p. */
static bool make_folders(const char *folder)
{
    char path[RH__PATH_BYTES];
    if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (char *c = path + 1; *path && *c; c++) {
        if (*c != '/' || c[-1] == '/')
            continue;
        *c = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return false;
        *c = '/';
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

bool rh__keep_folder(const char *folder, char *error, size_t error_size)
{
    struct stat s;
    if (!make_folders(folder) || stat(folder, &s) != 0 || !S_ISDIR(s.st_mode) || access(folder, W_OK | X_OK) != 0) {
        snprintf(error, error_size, "%s: schedules cannot be kept there: %s", folder,
                 errno == EEXIST ? "it is no folder that can be written" : strerror(errno));
        return false;
    }
    return true;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

bool rh__keep_findings(struct rh__result *r, const char *folder, char *error, size_t error_size)
{
    struct rh__keeping k = { folder, r->program, r->test, r->model };
    const char *last = NULL;
    if (!r->x->results->finding_count || !*folder)
        return true;
    if (!rh__keep_folder(folder, error, error_size))
        return false;
    for (uint32_t i = 0; i < r->x->results->finding_count; i++) {
        if (!*r->x->results->findings[i].schedule)
            continue; /* the finding belongs to no run */
        if (!rh__finding_keep(&k, &r->x->results->findings[i], r->files[i], sizeof r->files[i], &r->kept[i], error,
                              error_size)) {
            r->files[i][0] = 0;
            return false;
        }
        last = r->files[i];
    }
    if (last)
        rh__finding_latest(folder, last);
    return true;
}

/* ---- runs that covered a new goal -------------------------------------------------------------------------------- */

/* Lives in the memory of the exploration: the runs are made in child processes. */
struct suite {
    const char *folder, *test, *model;
    uint32_t count;                /* of schedules so far */
    char text[RH__SCHEDULE_BYTES]; /* of one schedule; only the part that is used takes memory */
};

static bool name_schedule(const struct suite *s, uint32_t number, char *path, size_t size)
{
    int length = snprintf(path, size, "%s/%s-%s-coverage-%05u.schedule", s->folder, s->test, s->model, number);
    return (size_t)length < size;
}

static void keep_schedule(struct rh_exploration *x, void *arg)
{
    struct suite *s = arg;
    char path[1024];
    struct rh__text t;
    bool fits = name_schedule(s, ++s->count, path, sizeof path);
    rh__text_init(&t, s->text, sizeof s->text);
    rh__schedule_write(rh__world_run(x->world), &t);
    if (!fits)
        snprintf(x->end.trouble, sizeof x->end.trouble, "%.100s...: the name of a schedule in there is too long",
                 s->folder);
    else if (rh__file_write(path, s->text, strlen(s->text), x->end.trouble, sizeof x->end.trouble))
        return;
    x->measure->keep = NULL; /* one complaint is enough */
}

bool rh__keep_suite(struct rh_exploration *x, const char *folder, const char *test, const char *model, char *error,
                    size_t error_size)
{
    char first[1024];
    struct suite *s = rh_exploration_memory(x, sizeof *s);
    if (!s) {
        snprintf(error, error_size, "no memory for the coverage");
        return false;
    }
    s->folder = folder;
    s->test = test;
    s->model = model;
    name_schedule(s, 1, first, sizeof first);
    if (access(first, F_OK) == 0) {
        snprintf(error, error_size, "%s: there is a suite of this test already; remove it or name another folder",
                 folder);
        return false;
    }
    x->measure->keep = keep_schedule;
    x->measure->keep_arg = s;
    return true;
}
