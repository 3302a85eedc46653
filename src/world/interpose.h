/* The functions of libc that test builds put themselves in front of: the face towards the world.
 *
 * interpose_*.c define malloc, clock_gettime, open, ... and are linked whole into every test program, so that its calls,
 * and those of the shared libraries it uses, come here first.  While an actor's code runs (rh__inside of control.h) they
 * act; at all other times they go straight on to the next definition, libc's or AddressSanitizer's.
 *
 *   interpose_memory.c   malloc and its family: from the region of the actor that runs
 *   interpose_time.c     clocks and sleeps: virtual
 *   interpose_random.c   chance: the actor's own seeded stream
 *   interpose_file.c     files and streams: writing is noted, streams live outside of regions
 *   interpose_process.c  exit, fork, exec, threads, signals
 *   interpose_net.c      sockets and waiting for descriptors
 *   interpose_read.c     system calls that write into memory of the program
 *   interpose_libc.c     what libc allocates for itself and keeps
 *   interpose_start.c    the routine below
 *   interpose_next.c     finds the next definitions
 *
 * "Noted" means: rh__escaped with the place of the call, then done for real. */
#ifndef RH_WORLD_INTERPOSE_H
#define RH_WORLD_INTERPOSE_H

/* Makes libc allocate what it allocates at first use and keeps, so that it does not do so while an actor runs: buffers of
 * the standard streams, time zone, line tables.  Before the first step of the first world; again does nothing. */
void rh__interpose_start(void);

#endif
