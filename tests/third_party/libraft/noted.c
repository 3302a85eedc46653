/* For libraft.sh: explorers that write each run of the explorer inside into the file that RH_TEST_NOTED names, as a
 * hash of the bytes of the run and of the states of its actors.
 *
 *     noted:INNER     the world gives memory back at the end of a run only, if that is enough for INNER
 *     undone:INNER    the world can undo each step
 *
 * Both make the same runs, if the world gives all memory back. */
#include <rehearse/explorer.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "run/encode.h"
#include "world/live.h"

enum { ROOM = 1 << 20, WHOLE = 1 << 16 };

struct noted {
    struct rh_inner inner;
};

static char bytes[ROOM];

static uint64_t hash_of_states(const struct rh_world *w, uint64_t hash)
{
    const struct rh__run *r = rh__world_run(w);
    for (uint32_t i = 1; i < r->actor_count; i++) {
        const struct rh__run_actor *a = rh__run_actor(r, i);
        if (a->type && rh_world_actor_state(w, i))
            hash = rh__hash(rh_world_actor_state(w, i), a->type->size, hash);
    }
    return hash;
}

static void noted_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    const struct noted *n = state;
    struct rh__writer to = rh__writer_of(bytes, ROOM);
    char line[96];
    int file = open(getenv("RH_TEST_NOTED"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    rh__run_encode(rh__world_run(w), WHOLE, &to);
    int size = snprintf(line, sizeof line, "%u events, %zu bytes: %016llx %016llx\n", run->events, to.len,
                        (unsigned long long)rh__hash(bytes, to.len, 0), (unsigned long long)hash_of_states(w, 0));
    if (to.full || file < 0 || write(file, line, (size_t)size) != size)
        abort();
    close(file);
    rh_inner_end(&n->inner, w, run);
}

#define NOTES(name_, resets)                                                                                           \
    static const struct rh_explorer name_ = {                                                                          \
        .name = #name_,                                                                                                \
        .summary = "writes each run of the explorer inside into a file",                                               \
        .state_size = sizeof(struct noted),                                                                            \
        .arguments = rh_only_arguments,                                                                                \
        .resets_only = resets,                                                                                         \
        .decorator = &rh_only_decorator,                                                                               \
        .open = rh_only_open,                                                                                          \
        .end = noted_end,                                                                                              \
    };                                                                                                                 \
    RH_EXPLORER(name_)

NOTES(noted, true)
NOTES(undone, false)
