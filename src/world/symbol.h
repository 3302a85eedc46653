/* An address as people read it: "client.c:12 in on_reply".
 *
 * Lines come from libdw (elfutils) where it is installed, at build time its header and at run time its library, which is
 * loaded when the first address is looked up.  Without it, or without debug information, the text is
 * "on_reply+0x12 (program)" or "0x4012ab".
 *
 * Nothing here is allocated from an actor's region.  Not for signal handlers that may have interrupted malloc. */
#ifndef RH_WORLD_SYMBOL_H
#define RH_WORLD_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for what is remembered between look-ups.  Before the first run: the place where it is kept is a global, and
 * would be put back with the others. */
void rh__symbol_start(void);

/* The place of an instruction or function; whether that is a line.  Always terminates the text; size is at least 1. */
bool rh__symbol_place(const void *address, char *buffer, size_t size);

/* The place of the call that returns to an address: __builtin_return_address, a frame of a backtrace. */
bool rh__symbol_call_place(const void *return_address, char *buffer, size_t size);

/* Why there is no line: "compile with -g", "libdw is not installed". */
const char *rh__symbol_hint(void);

/* The field of `struct type`, of so many bytes, that the byte at `offset` is in: "yes", "conf.servers".  False where the byte is
 * padding, or where there is no debug information.  `near`: an object of the program or library that declares the struct. */
bool rh__symbol_field(const void *near, const char *type, size_t size, size_t offset, char *buffer, size_t buffer_size);

#endif
