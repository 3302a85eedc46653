/* See switch.h. */
#include "world/switch.h"

#include <stddef.h>
#include <string.h>

#if defined(__x86_64__) && !defined(RH_FIBER_BOOST)

/* System V ABI: rbx, rbp, r12 to r15 and rsp survive a call.  All four functions push the six registers and store
 * their rsp in *world or *fiber; the side that continues pops them from there.  enter and call keep `world` in rbx,
 * which fn preserves, because *world has changed if fn was suspended meanwhile.
 *
 * The fiber starts with empty registers.  A register that fn does not use is pushed when the fiber yields, and so
 * becomes part of the actor's state.  The fingerprint must not depend on the caller's value of that register. */
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden rh__switch_enter\n"
        ".globl rh__switch_enter\n"
        ".type rh__switch_enter,@function\n"
        "rh__switch_enter:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rcx, %rbx\n"
        "    mov %rsp, (%rcx)\n"
        "    mov %rdi, %rsp\n"
        "    mov %rdx, %rdi\n"
        "    xor %ebp, %ebp\n" /* the outermost frame of the fiber */
        "    xor %r12d, %r12d\n    xor %r13d, %r13d\n    xor %r14d, %r14d\n    xor %r15d, %r15d\n"
        "    call *%rsi\n"
        "    mov (%rbx), %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        ".size rh__switch_enter,.-rh__switch_enter\n"
        ".p2align 4\n"
        ".hidden rh__switch_call\n"
        ".globl rh__switch_call\n"
        ".type rh__switch_call,@function\n"
        "rh__switch_call:\n"
        "    .cfi_startproc\n    .cfi_undefined rip\n" /* the outermost frame */
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsi, %rbx\n"
        "    mov %rsp, (%rsi)\n"
        "    mov %rdi, %rsp\n"
        "    mov %rdx, %rax\n    mov %rcx, %rdi\n    mov %r8, %rsi\n    mov %r9, %rdx\n"
        "    xor %ebp, %ebp\n"
        "    xor %r12d, %r12d\n    xor %r13d, %r13d\n    xor %r14d, %r14d\n    xor %r15d, %r15d\n"
        "    call *%rax\n"
        "    mov (%rbx), %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size rh__switch_call,.-rh__switch_call\n"
        ".p2align 4\n"
        ".hidden rh__switch_yield\n"
        ".globl rh__switch_yield\n"
        ".type rh__switch_yield,@function\n"
        "rh__switch_yield:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov (%rsi), %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        ".size rh__switch_yield,.-rh__switch_yield\n"
        ".p2align 4\n"
        ".hidden rh__switch_resume\n"
        ".globl rh__switch_resume\n"
        ".type rh__switch_resume,@function\n"
        "rh__switch_resume:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rsi)\n"
        "    mov %rdi, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        ".size rh__switch_resume,.-rh__switch_resume\n");

uintptr_t rh__switch_caller(void)
{
    return (uintptr_t)rh__switch_call;
}

#else

typedef void *fcontext_t;
typedef struct {
    fcontext_t context;
    void *data;
} transfer_t;
extern transfer_t jump_fcontext(fcontext_t to, void *data);
extern fcontext_t make_fcontext(void *top, size_t size, void (*entry)(transfer_t));

struct entry {
    void (*fn)(void *arg);
    void *arg;
    void **world;
};

static void begin(transfer_t from)
{
    struct entry e = *(struct entry *)from.data;
    *e.world = from.context;
    e.fn(e.arg);
    jump_fcontext(*e.world, NULL);
}

void rh__switch_enter(void *stack_top, void (*fn)(void *arg), void *arg, void **world)
{
    enum { REGISTERS = 256 }; /* at least what make_fcontext reserves, from which the fiber's registers are loaded */
    struct entry e = { fn, arg, world };
    memset((char *)stack_top - REGISTERS, 0, REGISTERS);
    transfer_t back = jump_fcontext(make_fcontext(stack_top, 16384, begin), &e);
    if (back.data)
        *(void **)back.data = back.context;
}

struct handler_call {
    rh_handler_fn *fn;
    rh_ref ref;
    void *state;
    const void *value;
};

static void call_handler(void *arg)
{
    struct handler_call c = *(struct handler_call *)arg;
    c.fn(c.ref, c.state, c.value);
    __asm__ volatile(""); /* no tail call: this frame stays */
}

void rh__switch_call(void *stack_top, void **world, rh_handler_fn *fn, rh_ref ref, void *state, const void *value)
{
    struct handler_call c = { fn, ref, state, value };
    rh__switch_enter(stack_top, call_handler, &c, world);
}

uintptr_t rh__switch_caller(void)
{
    return (uintptr_t)call_handler;
}

void rh__switch_yield(void **fiber, void **world)
{
    transfer_t from = jump_fcontext(*world, fiber);
    *world = from.context;
}

void rh__switch_resume(void *fiber, void **world)
{
    transfer_t back = jump_fcontext(fiber, NULL);
    (void)world;
    if (back.data)
        *(void **)back.data = back.context;
}

#endif
