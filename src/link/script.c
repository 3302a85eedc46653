/* The script for the server (work.lua), as bytes. */
#include "link/script.h"

__asm__(".section .rodata\n"
        ".hidden rh__work_script\n.globl rh__work_script\n.type rh__work_script,%object\n"
        "rh__work_script:\n"
        "    .incbin \"" RH_WORK_SCRIPT "\"\n"
        "rh__work_script_end:\n"
        "    .byte 0\n"
        ".size rh__work_script,.-rh__work_script\n"
        ".balign 8\n"
        ".hidden rh__work_script_size\n.globl rh__work_script_size\n.type rh__work_script_size,%object\n"
        "rh__work_script_size:\n"
        "    .quad rh__work_script_end - rh__work_script\n"
        ".size rh__work_script_size,8\n"
        ".previous\n");
