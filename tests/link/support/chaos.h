/* Explorations that are shared over a server while workers, agents, servers, networks and explorers fail at random.
 * The result must be that of one process, or say that it is incomplete. */
#ifndef RH_TESTS_LINK_CHAOS_H
#define RH_TESTS_LINK_CHAOS_H

#include <stdbool.h>
#include <stdint.h>

/* What fails.  Beside each: how often in a hundred. */
#define CHAOS_KINDS(X)                                                                                                 \
    X(workers, 46)  /* one process of a worker is killed */                                                            \
    X(agents, 18)   /* a process of an agent is killed, and another agent comes */                                     \
    X(stops, 10)    /* a process of an agent is stopped, for longer than a lease, and goes on */                       \
    X(servers, 9)   /* killed, and begun again: empty, with its file, with an old file, with one that is cut */        \
    X(flushes, 3)   /* the server loses its data while it runs */                                                      \
    X(networks, 12) /* the network delays, holds, cuts or drops for a while */                                         \
    X(explorers, 2) /* a process of the explorer is killed, and another one goes on from the checkpoint */

enum chaos_kind {
#define X(name, weight) CHAOS_##name,
    CHAOS_KINDS(X)
#undef X
        CHAOS_KIND_COUNT
};

struct chaos_setting {
    const char *name;
    const char *program;        /* below the folder of the build */
    const char *const *options; /* of `rehearse test`, with NULL at the end */
    bool rounds;    /* a search in rounds: the result is that of a pool, which makes some steps more than one process */
    unsigned kinds; /* bits of enum chaos_kind */
    unsigned least[CHAOS_KIND_COUNT]; /* how often each must have happened: explorations are made until then */
    unsigned most;                    /* failures of one exploration, 0: 400 */
    bool repeats; /* workers make some runs of others again: their numbers say nothing, distinct runs and findings do */
};

struct chaos_counts {
    unsigned happened[CHAOS_KIND_COUNT];
    unsigned explorations, exact, incomplete;
};

/* Makes explorations until enough has failed.  Fails the test if one says what is wrong. */
void chaos_make(const struct chaos_setting *setting, uint64_t seed, struct chaos_counts *counts);
void chaos_add(struct chaos_counts *sum, const struct chaos_counts *counts);
void chaos_print(const struct chaos_counts *counts);

#endif
