/* See blocking.h. */
#include "actor/blocking.h"

bool rh__calls_are_plain = true;
_Thread_local void *rh__program_frame;
_Thread_local char *rh__clean_down_to;

#if defined(__x86_64__)

/* System V ABI: rbx, rbp and r12 to r15 survive a call, so they may hold the program's variables while it is stopped.
 * They are pushed first, then the arguments of the call.  PUSH_n pushes n words of arguments, and a zero where that
 * keeps the stack aligned: BYTES_n in all.  The seventh word is on the stack, and is pushed again for the call. */
#define PUSH(register) "    push " register "\n    .cfi_adjust_cfa_offset 8\n"
#define SAVE(register) PUSH("%" register) "    .cfi_rel_offset " register ", 0\n"
#define LOAD(register) "    pop %" register "\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore " register "\n"

#define PUSH_0  PUSH("$0")
#define PUSH_1  PUSH("%rdi")
#define PUSH_2  PUSH("$0") PUSH("%rsi") PUSH_1
#define PUSH_3  PUSH("%rdx") PUSH("%rsi") PUSH_1
#define PUSH_4  PUSH("$0") PUSH("%rcx") PUSH_3
#define PUSH_5  PUSH("%r8") PUSH("%rcx") PUSH_3
#define PUSH_6  PUSH("$0") PUSH("%r9") PUSH_5
#define PUSH_7  PUSH("%r9") PUSH_5 PUSH("104(%rsp)")
#define BYTES_0 "8"
#define BYTES_1 "8"
#define BYTES_2 "24"
#define BYTES_3 "24"
#define BYTES_4 "40"
#define BYTES_5 "40"
#define BYTES_6 "56"
#define BYTES_7 "56"

/* Keeps rax, which the call may return.  The other registers are cleared, too: a variadic function saves all that could
 * hold arguments. */
#define CLEAN                                                                                                          \
    "    mov rh__clean_down_to@gottpoff(%rip), %rcx\n"                                                                 \
    "    mov %fs:(%rcx), %rdi\n"                                                                                       \
    "    test %rdi, %rdi\n"                                                                                            \
    "    jz 1f\n"                                                                                                      \
    "    mov %rsp, %rcx\n"                                                                                             \
    "    sub %rdi, %rcx\n"                                                                                             \
    "    jbe 1f\n"                                                                                                     \
    "    mov %rax, %r8\n"                                                                                              \
    "    shr $3, %rcx\n"                                                                                               \
    "    xor %eax, %eax\n"                                                                                             \
    "    rep stosq\n"                                                                                                  \
    "    mov %r8, %rax\n"                                                                                              \
    "    xor %edx, %edx\n    xor %esi, %esi\n    xor %edi, %edi\n    xor %r8d, %r8d\n"                                 \
    "    xor %r9d, %r9d\n    xor %r10d, %r10d\n    xor %r11d, %r11d\n"                                                 \
    "1:\n"
#define TRAMPOLINE(name, behind, arguments, bytes, shortcut)                                                           \
    __asm__(".text\n    .p2align 4\n    .globl " name "\n    .type " name ",@function\n" name ":\n"                    \
            "    .cfi_startproc\n" shortcut SAVE("rbp") SAVE("rbx") SAVE("r12") SAVE("r13") SAVE("r14") SAVE("r15")    \
                arguments "    mov rh__program_frame@gottpoff(%rip), %rax\n"                                           \
                          "    mov %rsp, %fs:(%rax)\n"                                                                 \
                          "    call " behind "\n"                                                                      \
                          "    mov rh__program_frame@gottpoff(%rip), %rcx\n"                                           \
                          "    movq $0, %fs:(%rcx)\n" CLEAN "    add $" bytes                                          \
                          ", %rsp\n    .cfi_adjust_cfa_offset -" bytes "\n" LOAD("r15") LOAD("r14") LOAD("r13")        \
                              LOAD("r12") LOAD("rbx") LOAD("rbp") "    ret\n    .cfi_endproc\n    .size " name         \
                                                                  ",.-" name "\n");
#define TRAMPOLINE_X(name, words) TRAMPOLINE(#name, "rh__call_" #name, PUSH_##words, BYTES_##words, "")
RH__CALLS_THAT_BLOCK(TRAMPOLINE_X)
#define PLAINLY(behind) "    cmpb $0, rh__calls_are_plain(%rip)\n    jne " behind "\n"
#define SHORTCUT_X(name, words)                                                                                        \
    TRAMPOLINE(#name, "rh__call_" #name, PUSH_##words, BYTES_##words, PLAINLY("rh__call_" #name))
RH__CALLS_THAT_GO_ON(SHORTCUT_X)

__asm__(".text\n    .p2align 4\n    .globl rh__clean_stack\n    .type rh__clean_stack,@function\n"
        "rh__clean_stack:\n    .cfi_startproc\n" CLEAN "    ret\n    .cfi_endproc\n"
        "    .size rh__clean_stack,.-rh__clean_stack\n");

#endif
