/* The commands for gdb (gdb/rehearse-gdb.py), as bytes of the library: `replay --gdb` needs no file then. */
#include "runner/gdb_script.h"

__asm__(".section .rodata\n"
        ".hidden rh__gdb_script\n.globl rh__gdb_script\n.type rh__gdb_script,%object\n"
        "rh__gdb_script:\n"
        "    .incbin \"" RH_GDB_SCRIPT "\"\n"
        "    .byte 0\n"
        ".size rh__gdb_script,.-rh__gdb_script\n"
        ".previous\n");
