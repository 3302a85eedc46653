/* Guards against what a program can do to the process: fatal signals, handlers that never end, sanitizer reports.
 *
 * Inside an actor each of these is a finding: it is written to the world's shared memory, and the process ends with
 * RH__EXIT_FINDING for its parent to read it there (rehearse/sandbox.h).  Outside, it is a failure of the tool. */
#ifndef RH_WORLD_GUARD_H
#define RH_WORLD_GUARD_H

#include "world/state.h"

enum { RH__EXIT_FINDING = 113 };

/* What the parent asks its child by SIGVTALRM: to say what its handler does, and to end. */
enum { RH__ASK_BLOCKED = 0x7268, RH__ASK_BUSY };

void rh__guard_begin(struct rh_world *w);
void rh__guard_end(struct rh_world *w);

/* The place of the call that returns to `from`.  Looked up on a stack of its own: libdw has frames of 150 KiB, more than an
 * actor may have left, and large enough to step over the guard page into the next stack. */
void rh__place_of_call(const void *from, char *buffer, size_t size);

/* The call in the program that a library's call, which returns to `from`, was made for. */
const void *rh__caller_in_program(const void *from);

/* Isolation (struct rh_semantics): while this actor runs the memory of all others is out of reach. */
void rh__isolate(struct rh_world *w, uint32_t actor);

#endif
