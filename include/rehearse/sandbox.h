/* rehearse/sandbox.h: runs in a child process, so that a crash of the program is a finding and not the end.
 *
 *     struct progress *p = rh_shared_new(sizeof *p);        memory that a crash does not take along
 *     while (rh_sandbox_run(w, explore, p) == RH_SANDBOX_FINDING)
 *         report(rh_world_outcome(w), rh_world_events(w, &n));   then go on: `explore` picks up where it was
 *
 * The parent holds the world but never begins it; what a child did is in the shared tables. */
#ifndef REHEARSE_SANDBOX_H
#define REHEARSE_SANDBOX_H

#include <rehearse/world.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rh_sandbox_end {
    RH_SANDBOX_DONE,    /* `drive` returned */
    RH_SANDBOX_FINDING, /* the program ended the process: rh_world_outcome and rh_world_events say how */
    RH_SANDBOX_FAILED,  /* the tool itself failed; a sentence is on standard error */
};

/* Forks; in the child begins the world and calls `drive`. */
enum rh_sandbox_end rh_sandbox_run(struct rh_world *w, void (*drive)(struct rh_world *w, void *arg), void *arg);

/* Zero-filled memory shared between parent and children; NULL where there is none. */
void *rh_shared_new(size_t size);
void rh_shared_free(void *p, size_t size);

#ifdef __cplusplus
}
#endif
#endif
