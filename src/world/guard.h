/* Guards against what a program can do to the process: fatal signals, handlers that never end, sanitizer reports.
 *
 * Inside an actor each of these is a finding: it is written to the world's shared memory, and the process ends with
 * RH__EXIT_FINDING, so that its parent can read it there (rehearse/sandbox.h).  Outside, it is a failure of the
 * tool. */
/* Private to src/world. */
#ifndef RH_WORLD_GUARD_H
#define RH_WORLD_GUARD_H

#include "world/state.h"

enum { RH__EXIT_FINDING = 113 };

/* Sent by the parent to its child with SIGVTALRM: report what the handler does, and end. */
enum { RH__ASK_BLOCKED = 0x7268, RH__ASK_BUSY };

void rh__guard_begin(struct rh_world *w);
void rh__guard_end(struct rh_world *w);

/* The place of the call that returns to `from`.  It is looked up on a separate stack: libdw has frames of 150 KiB,
 * which is more than an actor may have left, and enough to step over the guard page into the next stack. */
void rh__place_of_call(const void *from, char *buffer, size_t size);

/* The program's call for which a library made a call that returns to `from`. */
const void *rh__caller_in_program(const void *from);

/* Isolation (struct rh_semantics): while this actor runs, the memory of all others is inaccessible. */
void rh__isolate(struct rh_world *w, uint32_t actor);

#endif
