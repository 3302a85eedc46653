/* What the interposed functions of libc (interpose_*.c) ask of the world.
 *
 * They act only while an actor's code runs (rh__inside); at all other times they call libc.  All of these functions are
 * cheap, allocate nothing, and may be called at any point of a handler. */
/* Private to src/world. */
#ifndef RH_WORLD_CONTROL_H
#define RH_WORLD_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This thread makes steps from now on.  Called before each step, when nothing is pushed outside. */
void rh__control_begin(void);
/* This thread makes no steps any more. */
void rh__control_end(void);

/* Whether an actor's code runs now, on this thread. */
bool rh__inside(void);

/* Memory of the running actor. free and resize accept only pointers for which rh__in_region is true; an error (freed
 * twice, another actor's block) becomes a finding, and the call does not return. */
/* NULL if a test wants this call to fail, or if the size exceeds the limit. */
void *rh__region_alloc(size_t size, size_t align);
void *rh__region_resize(void *p, size_t size);
void rh__region_free(void *p);
size_t rh__region_size(void *p);
bool rh__in_region(const void *p); /* p is in some actor's region; cheap, also works outside of handlers */

/* Virtual time, random numbers. */
int64_t rh__virtual_ns(void);       /* since the start of the run */
void rh__virtual_sleep(int64_t ns); /* blocks the running actor */
uint64_t rh__virtual_random(void);  /* the actor's own stream */

/* Notes a call that escapes control, once per place.  `from` is the return address of the interposed function. */
void rh__escaped(const char *call, const void *from);

/* Called by exit, _exit, quick_exit, abort: ends the run with a finding, and does not return. */
void rh__exit_called(const char *call, int status, const void *from);

/* While pushed (calls nest), allocations go to libc although an actor runs: for libc's own long-lived objects
 * (FILE). */
void rh__outside_push(void);
void rh__outside_pop(void);

#endif
