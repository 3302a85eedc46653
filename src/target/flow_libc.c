/* Models of the functions of libc (flow_calls.c). */
#include "target/flow_site.h"

static void copy_memory(const struct site *s)
{
    LLVMValueRef size = LLVMGetOperand(s->call, 2);
    flow__copy(s->a, argument(s, 0), argument(s, 1), LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : 0);
    flow__to(s->a, argument(s, 0), result(s));
}

static void copy_text(const struct site *s)
{
    flow__to(s->a, argument(s, 0), result(s)); /* texts hold no references */
}

static void allocate(const struct site *s)
{
    flow__add(s->a, result(s),
              flow__atom(s->a, ATOM_POINTER, flow__object(s->a, OBJECT_LOCAL, s->context, (uintptr_t)s->call, 0), 0));
}

static void reallocate(const struct site *s)
{
    allocate(s);
    flow__copy(s->a, result(s), argument(s, 0), 0);
}

/* qsort and bsearch: the function is called with pointers anywhere into the array. */
static void call_with(const struct site *s, uint32_t array, uint32_t function, uint32_t key)
{
    struct analysis *a = s->a;
    uint32_t any = flow__node(a, NODE_VALUE, s->context, (uintptr_t)s->call | 1);
    struct rh__set from = flow__copy_set(a, argument(s, array)), f = flow__copy_set(a, argument(s, function));
    for (uint32_t i = 0; i < from.count; i++)
        flow__add(a, any,
                  flow__atom_kind(a, from.at[i]) == ATOM_POINTER
                      ? flow__atom(a, ATOM_POINTER, flow__atom_what(a, from.at[i]), ANY_OFFSET)
                      : from.at[i]);
    for (uint32_t i = 0; i < f.count; i++) {
        LLVMValueRef called = (LLVMValueRef)(uintptr_t)a->atoms.keys[f.at[i]][1];
        const uint32_t arguments[] = { key == RH__NO_INDEX ? any : argument(s, key), any };
        if (flow__atom_kind(a, f.at[i]) == ATOM_FUNCTION && LLVMGetFirstBasicBlock(called))
            flow__call(a, s->context, called, arguments, 2);
    }
    rh__set_release(&from);
    rh__set_release(&f);
    flow__copy(a, any, any, 0);
    flow__to(a, any, result(s));
}

static void sort(const struct site *s)
{
    call_with(s, 0, 3, RH__NO_INDEX);
}

static void search(const struct site *s)
{
    call_with(s, 1, 4, 0);
}

static const struct flow_model models[] = {
    { "memcpy", 3, copy_memory }, { "memmove", 3, copy_memory }, { "strcpy", 2, copy_text },
    { "strncpy", 2, copy_text },  { "strcat", 2, copy_text },    { "strncat", 2, copy_text },
    { "strchr", 2, copy_text },   { "strrchr", 2, copy_text },   { "strstr", 2, copy_text },
    { "memset", 3, copy_text },   { "malloc", 1, allocate },     { "calloc", 2, allocate },
    { "strdup", 1, allocate },    { "realloc", 2, reallocate },  { "qsort", 4, sort },
    { "bsearch", 5, search },
};

bool flow__libc_call(const struct site *s, const char *name, uint32_t arguments)
{
    return flow__apply(models, sizeof models / sizeof *models, s, name, arguments);
}
