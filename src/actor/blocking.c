/* See blocking.h. */
#include "actor/blocking.h"

_Thread_local void *rh__program_frame;

#if defined(__x86_64__)

/* System V ABI: rbx, rbp and r12 to r15 survive a call, so they may hold the program's variables while it is blocked.
 * They are pushed first, then the arguments of the call.  `arguments` pushes them, and zeroes to a number of bytes that
 * keeps the stack aligned. */
#define PUSH(register) "    push " register "\n    .cfi_adjust_cfa_offset 8\n"
#define SAVE(register) PUSH("%" register) "    .cfi_rel_offset " register ", 0\n"
#define LOAD(register) "    pop %" register "\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore " register "\n"
#define TRAMPOLINE(name, behind, arguments, bytes)                                                                     \
    __asm__(".text\n    .p2align 4\n    .globl " name "\n    .type " name ",@function\n" name ":\n"                    \
            "    .cfi_startproc\n" SAVE("rbp") SAVE("rbx") SAVE("r12") SAVE("r13") SAVE("r14") SAVE("r15") arguments   \
            "    mov rh__program_frame@gottpoff(%rip), %rax\n"                                                         \
            "    mov %rsp, %fs:(%rax)\n"                                                                               \
            "    call " behind "\n"                                                                                    \
            "    mov rh__program_frame@gottpoff(%rip), %rcx\n"                                                         \
            "    movq $0, %fs:(%rcx)\n"                                                                                \
            "    add $" bytes ", %rsp\n    .cfi_adjust_cfa_offset -" bytes "\n" LOAD("r15") LOAD("r14") LOAD("r13")    \
                LOAD("r12") LOAD("rbx") LOAD("rbp") "    ret\n    .cfi_endproc\n    .size " name ",.-" name "\n")

#define ONE  PUSH("%rdi")
#define TWO  PUSH("$0") PUSH("%rsi") PUSH("%rdi")
#define FOUR PUSH("$0") PUSH("%rcx") PUSH("%rdx") PUSH("%rsi") PUSH("%rdi")
#define SIX  PUSH("$0") PUSH("%r9") PUSH("%r8") PUSH("%rcx") PUSH("%rdx") PUSH("%rsi") PUSH("%rdi")

TRAMPOLINE("rh_ask_", "rh__call_ask", SIX, "56");
TRAMPOLINE("rh_sleep_", "rh__call_sleep", TWO, "24");
TRAMPOLINE("rh_choose_", "rh__call_choose", TWO, "24");
TRAMPOLINE("rh_receive_", "rh__call_receive", TWO, "24");
TRAMPOLINE("rh_store_sync_", "rh__call_store_sync", ONE, "8");
TRAMPOLINE("rh_store_put_sync_", "rh__call_store_put_sync", FOUR, "40");

#else

const void *rh_ask_(rh_ref to, const struct rh_message_type *type, const void *value,
                    const struct rh_message_type *reply, int64_t timeout_ms, const char *here)
{
    return rh__call_ask(to, type, value, reply, timeout_ms, here);
}

void rh_sleep_(int64_t ms, const char *here)
{
    rh__call_sleep(ms, here);
}

uint32_t rh_choose_(uint32_t n, const char *here)
{
    return rh__call_choose(n, here);
}

const struct rh_envelope *rh_receive_(const struct rh_filter *filter, const char *here)
{
    return rh__call_receive(filter, here);
}

void rh_store_sync_(const char *here)
{
    rh__call_store_sync(here);
}

void rh_store_put_sync_(const char *key, const void *bytes, size_t size, const char *here)
{
    rh__call_store_put_sync(key, bytes, size, here);
}

#endif
