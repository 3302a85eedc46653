/* What the program under test prints on standard output, kept in memory: a child process writes it, and what was
 * written is there if the child dies. */
#ifndef RH_BASE_CAPTURE_H
#define RH_BASE_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

/* A file without a name; -1 if there is none.  The caller closes it. */
int rh__capture_open(void);

/* Makes it the standard output of this process.  If it is -1, what is printed goes nowhere. */
void rh__capture_begin(int capture);

/* Number of bytes that this process, or its child, has printed so far. */
uint64_t rh__capture_size(int capture);

/* Forgets what was printed so far. */
void rh__capture_clear(int capture);

/* Copies at most `size` bytes from the beginning; returns how many there were to copy. */
size_t rh__capture_read(int capture, char *to, size_t size);

/* Number of lines; an unfinished one counts. */
uint64_t rh__capture_lines(int capture);

#endif
