/* What the functions of libc that we put ourselves in front of (interpose_*.c) ask of the world.
 *
 * They act only while an actor's code runs (rh__inside); at all other times they go straight to libc.  All of these are
 * cheap, allocate nothing and may be called from any point of a handler. */
#ifndef RH_WORLD_CONTROL_H
#define RH_WORLD_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This thread takes steps from now on; before each step: nothing is pushed outside. */
void rh__control_begin(void);

/* An actor's code runs now, on this thread. */
bool rh__inside(void);

/* Memory of the actor that runs.  free and resize take only pointers for which rh__in_region is true; what is wrong with
 * them (freed twice, another actor's) becomes a finding and the call does not return. */
void *rh__region_alloc(size_t size, size_t align); /* NULL if a test wants this one to fail, or out of bounds */
void *rh__region_resize(void *p, size_t size);
void rh__region_free(void *p);
size_t rh__region_size(void *p);
bool rh__in_region(const void *p); /* p lies in some actor's region; cheap, true also outside of handlers */

/* Virtual time, chance. */
int64_t rh__virtual_ns(void);       /* since the start of the run */
void rh__virtual_sleep(int64_t ns); /* blocks the actor that runs */
uint64_t rh__virtual_random(void);  /* the actor's own stream */

/* A call escapes control: noted once per place.  `from` is the return address of the interposed function. */
void rh__escaped(const char *call, const void *from);

/* exit, _exit, quick_exit, abort: ends the run with a finding; does not return. */
void rh__exit_called(const char *call, int status, const void *from);

/* While on (nesting), allocations go to libc although an actor runs: for libc's own long-lived objects (FILE). */
void rh__outside_push(void);
void rh__outside_pop(void);

#endif
