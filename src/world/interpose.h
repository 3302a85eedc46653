/* The functions of libc that test builds interpose: the interface towards the world.
 *
 * interpose_*.c define malloc, clock_gettime, open, ... and are linked as a whole into every test program, so that its
 * calls, and those of the shared libraries that it uses, come here first.  While an actor's code runs (rh__inside of
 * control.h) they act; at all other times they call the next definition, that of libc or of AddressSanitizer.
 *
 *   interpose_memory.c   malloc and its family: from the region of the running actor
 *   interpose_time.c     clocks and sleeps: virtual
 *   interpose_random.c   random numbers: the actor's own seeded stream
 *   interpose_file.c     files and streams: writing is noted, streams live outside of regions
 *   interpose_process.c  exit, fork, exec, threads, signals
 *   interpose_net.c      sockets and waiting for descriptors
 *   interpose_read.c     system calls that write into the program's memory
 *   interpose_libc.c     what libc allocates for itself and keeps
 *   interpose_start.c    the function below
 *   interpose_next.c     finds the next definitions
 *
 * "Noted" means: rh__escaped with the place of the call, then done for real. */
/* Private to src/world. */
#ifndef RH_WORLD_INTERPOSE_H
#define RH_WORLD_INTERPOSE_H

/* Makes libc allocate what it allocates at first use and keeps (buffers of the standard streams, time zone, line
 * tables), so that it does not do so while an actor runs.  Called before the first step of the first world; later calls
 * have no effect. */
void rh__interpose_start(void);

#endif
