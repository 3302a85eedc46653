/* See shown.h. */
#include "findings/shown.h"

#include <stdio.h>

#include "base/fail.h"
#include "run/encode.h"

enum { MOST_VALUE = 256 };

static struct rh__run *copy_run(struct rh_world *w, char *error, size_t error_size)
{
    unsigned char *bytes = rh__alloc(RH__RUN_BYTES);
    struct rh__run *r = NULL;
    snprintf(error, error_size, "the run is too long to be shown");
    if (bytes) {
        struct rh__writer to = rh__writer_of(bytes, RH__RUN_BYTES);
        rh__run_encode(rh__world_run(w), MOST_VALUE, &to);
        r = to.full ? NULL : rh__run_decode(bytes, to.len, error, error_size);
    }
    rh__free(bytes);
    return r;
}

static bool note_scenes(struct rh__shown *s, struct rh_world *w, enum rh_outcome_kind outcome, char *error,
                        size_t error_size)
{
    s->scenes = s->run ? rh__scenes_new() : NULL;
    if (!s->run)
        return false;
    if (s->scenes && rh__changes_note(s->scenes, w, s->run, 0, rh__events_to_watch(s->run, outcome)))
        return true;
    snprintf(error, error_size, "%s", s->scenes ? "the run could not be made again" : "no memory");
    rh__shown_release(s);
    return false;
}

bool rh__shown_decode(struct rh__shown *s, struct rh_world *w, const void *bytes, size_t size,
                      enum rh_outcome_kind outcome, char *error, size_t error_size)
{
    s->run = rh__run_decode(bytes, size, error, error_size);
    return note_scenes(s, w, outcome, error, error_size);
}

bool rh__shown_make(struct rh__shown *s, struct rh_world *w, const struct rh__finding *f, char *error,
                    size_t error_size)
{
    if (f && f->encoded_size)
        return rh__shown_decode(s, w, f->encoded, f->encoded_size, f->outcome.kind, error, error_size);
    s->run = copy_run(w, error, error_size);
    return note_scenes(s, w, f ? f->outcome.kind : rh_world_outcome(w)->kind, error, error_size);
}

void rh__shown_release(struct rh__shown *s)
{
    rh__run_free(s->run);
    rh__changes_free(s->scenes);
    *s = (struct rh__shown){ 0 };
}
