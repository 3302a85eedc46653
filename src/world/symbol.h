/* An address as text: "client.c:12 in on_reply".
 *
 * Lines come from libdw (elfutils) if it is installed: its header at build time, its library at run time, loaded when
 * the first address is looked up.  Without it, or without debug information, the text is "on_reply+0x12 (program)" or
 * "0x4012ab".
 *
 * Nothing here is allocated from an actor's region.  Do not call these functions in a signal handler that may have
 * interrupted malloc. */
/* Private to src/world. */
#ifndef RH_WORLD_SYMBOL_H
#define RH_WORLD_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

/* Allocates the memory that is kept between look-ups.  Called before the first run, because the pointer to it is a
 * global, which would be restored with the others. */
void rh__symbol_start(void);

/* The place of an instruction or function; returns whether it is a line.  Always terminates the text; size is at least
 * 1. */
bool rh__symbol_place(const void *address, char *buffer, size_t size);

/* The place of the call that returns to an address: __builtin_return_address, a frame of a backtrace. */
bool rh__symbol_call_place(const void *return_address, char *buffer, size_t size);

/* True if the instruction belongs to a function of this name, also to one that was inlined there. */
bool rh__symbol_is_in(const void *address, const char *function);

/* Why there is no line: "compile with -g", "libdw is not installed". */
const char *rh__symbol_hint(void);

/* The field of `struct type`, which has `size` bytes, that contains the byte at `offset`: "yes", "conf.servers".
 * Returns false if the byte is padding, or without debug information.  `near` is an object of the program or library
 * that declares the struct. */
bool rh__symbol_field(const void *near, const char *type, size_t size, size_t offset, char *buffer, size_t buffer_size);

#endif
