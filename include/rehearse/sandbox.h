/* rehearse/sandbox.h: runs a world in a child process, so that a crash of the program is a finding and not the end.
 *
 *     struct progress *p = rh_shared_new(sizeof *p);        memory that survives a crash of the child
 *     while (rh_sandbox_run(w, explore, p) == RH_SANDBOX_FINDING)
 *         report(rh_world_outcome(w), rh_world_events(w, &n));   the next child continues where this one ended
 *
 * The parent holds the world but never begins it; it reads what a child did in the shared tables. */
#ifndef REHEARSE_SANDBOX_H
#define REHEARSE_SANDBOX_H

#include <rehearse/world.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rh_sandbox_end {
    RH_SANDBOX_DONE,    /* `drive` returned */
    RH_SANDBOX_FINDING, /* the program ended the process; rh_world_outcome and rh_world_events say how */
    RH_SANDBOX_FAILED,  /* the tool itself failed; a sentence is on standard error */
};

/* Forks.  The child begins the world and calls `drive`; the parent waits for it. */
enum rh_sandbox_end rh_sandbox_run(struct rh_world *w, void (*drive)(struct rh_world *w, void *arg), void *arg);

/* Zero-filled memory shared between parent and children; NULL if there is not enough memory. */
void *rh_shared_new(size_t size);
void rh_shared_free(void *p, size_t size);

#ifdef __cplusplus
}
#endif
#endif
