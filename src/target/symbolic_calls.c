/* Calls in symbolic execution: functions with code are executed inside the path, others have models, or any result. */
#include <stdlib.h>
#include <string.h>

#include "target/symbolic_path.h"

static bool is_among(const char *name, const char *list)
{
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += n)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

static bool copy_memory(struct sym_run *r, struct sym_path *p, LLVMValueRef call)
{
    struct sym_value to, from, size;
    uint64_t n;
    return sym__value_of(r, p, LLVMGetOperand(call, 0), &to) && sym__value_of(r, p, LLVMGetOperand(call, 1), &from) &&
           sym__value_of(r, p, LLVMGetOperand(call, 2), &size) &&
           (sym__is_constant(r, size.bits, &n) ? sym__copy_bytes(r, p, to, from, n)
                                               : sym__copy_some(r, p, to, from, size.bits));
}

static bool set_memory(struct sym_run *r, struct sym_path *p, LLVMValueRef call)
{
    struct sym_value to, byte, size;
    uint64_t n;
    uint32_t at;
    if (!sym__value_of(r, p, LLVMGetOperand(call, 0), &to) || !sym__value_of(r, p, LLVMGetOperand(call, 1), &byte) ||
        !sym__value_of(r, p, LLVMGetOperand(call, 2), &size) || !sym__is_constant(r, size.bits, &n) ||
        !sym__offset_of(r, p, to, n, &at))
        return sym__give_up(r, "memset of unknown size");
    Z3_ast low = sym__width_of(r, byte.bits) > 8 ? Z3_mk_extract(r->z, 7, 0, byte.bits) : byte.bits;
    for (uint32_t i = 0; i < n; i++) {
        p->objects[to.object].bytes[at + i] = low;
        p->objects[to.object].pointers[(at + i) / 8].bits = NULL;
    }
    return true;
}

const char *sym__parameter(const struct sym_run *r, const char *name)
{
    size_t n = strlen(name);
    for (const char *const *x = r->parameters; x && *x; x++)
        if (strncmp(*x, name, n) == 0 && (*x)[n] == '=')
            return *x + n + 1;
    return NULL;
}

/* rh_bug(name), rh_param(name, otherwise): as the command line has them. */
static bool parameter(struct sym_run *r, struct sym_path *p, LLVMValueRef call, bool is_bug, uint32_t bits)
{
    const char *name = sym__text_of(LLVMGetOperand(call, 0)), *value;
    struct sym_value v = { .bits = sym__number(r, 0, bits) };
    if (!name)
        return sym__give_up(r, "a parameter whose name is not constant");
    if (is_bug)
        v.bits = sym__number(r, (value = sym__parameter(r, "bug")) && strcmp(value, name) == 0, bits);
    else if ((value = sym__parameter(r, name)))
        v.bits = sym__number(r, (uint64_t)strtoll(value, NULL, 10), bits);
    else if (!sym__value_of(r, p, LLVMGetOperand(call, 1), &v))
        return false;
    *sym__slot(&p->frames[p->depth - 1], call) = v;
    return true;
}

/* A function without code here.  True if the path goes on. */
static bool call_outer(struct sym_run *r, struct sym_path *p, LLVMValueRef call, const char *name)
{
    static const char ends[] = " rh_assert_failed_ rh_assume_failed_ rh_exit_ rh_return_ abort exit _exit "
                               "__assert_fail rh_kill_ __ubsan_handle_type_mismatch_minimal_abort "
                               "__ubsan_handle_out_of_bounds_minimal_abort ";
    static const char waits[] = " rh_ask_ rh_receive_ rh_receive_set_ rh_join_ rh_sleep_ rh_choose_ ";
    struct sym_frame *f = &p->frames[p->depth - 1];
    uint32_t bits = sym__type_bits(LLVMTypeOf(call));
    if (strncmp(name, "llvm.memcpy", 11) == 0 || strncmp(name, "llvm.memmove", 12) == 0 ||
        strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0)
        return copy_memory(r, p, call);
    if (strncmp(name, "llvm.memset", 11) == 0 || strcmp(name, "memset") == 0)
        return set_memory(r, p, call);
    if (p->stop && (is_among(name, ends) || is_among(name, waits)))
        return false; /* not merged */
    if (r->hooks && !r->accepted) {
        uint32_t effects = p->effect_count;
        enum sym_outcome o = r->hooks->call(r, p, call, name);
        if (o != SYM_UNKNOWN)
            return o == SYM_GOES_ON && (!p->stop || p->effect_count == effects);
    }
    if (is_among(name, ends))
        return false;
    if (is_among(name, waits))
        return sym__give_up(r, "%s, which waits", name);
    if (!bits && sym__is_aggregate(LLVMTypeOf(call))) { /* any bytes */
        const struct sym_value any = { sym__number(r, 0, 64),
                                       sym__object_new(r, p, sym__type_bytes(r, LLVMTypeOf(call)), false) };
        *sym__slot(f, call) = any;
        return true;
    }
    if (!bits)
        return LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind || sym__give_up(r, "a result of %s", name);
    struct sym_value v[3];
    uint32_t count = LLVMGetNumArgOperands(call);
    Z3_ast computed = NULL;
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMFloatTypeKind &&
        LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMDoubleTypeKind)
        count = 0;
    for (uint32_t i = 0; i < count && i < 3; i++)
        if (!sym__value_of(r, p, LLVMGetOperand(call, i), &v[i]))
            return false;
    if (count)
        sym__call_float(r, name, LLVMTypeOf(call), v, count, &computed);
    struct sym_value *result = sym__slot(f, call);
    if (strcmp(name, "rh_bug") == 0 || strcmp(name, "rh_param") == 0)
        return parameter(r, p, call, name[3] == 'b', bits);
    *result = (struct sym_value){ .bits = computed ? computed : sym__unknown(r, bits) };
    return true;
}

bool sym__call(struct sym_run *r, struct sym_path *p, LLVMValueRef i)
{
    LLVMValueRef callee = rh__program_strip(LLVMGetCalledValue(i));
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
    if (!*name)
        return sym__give_up(r, "a call by a pointer");
    if (strncmp(name, "llvm.dbg", 8) == 0 || strncmp(name, "llvm.lifetime", 13) == 0)
        return true;
    if (!LLVMGetFirstBasicBlock(callee))
        return call_outer(r, p, i, name);
    if (p->depth == MOST_FRAMES)
        return sym__give_up(r, "calls nested too deep");
    struct sym_frame f = { .call = i };
    uint32_t k = 0;
    for (LLVMValueRef x = LLVMGetFirstParam(callee); x; x = LLVMGetNextParam(x), k++) {
        struct sym_value v = { 0 };
        if (k >= LLVMGetNumArgOperands(i) || !sym__value_of(r, p, LLVMGetOperand(i, k), &v)) {
            free(f.known);
            return sym__give_up(r, "an argument of %s", name);
        }
        *sym__slot(&f, x) = v;
    }
    p->frames[p->depth++] = f;
    if (sym__enter(r, p, LLVMGetEntryBasicBlock(callee)))
        return true;
    return false;
}

/* True if the path goes on in the caller. */
bool sym__return(struct sym_run *r, struct sym_path *p, LLVMValueRef i)
{
    struct sym_value v = { 0 };
    if (LLVMGetNumOperands(i) && !sym__value_of(r, p, LLVMGetOperand(i, 0), &v))
        return false;
    LLVMValueRef to = p->frames[p->depth - 1].call;
    if (p->stop && p->depth == p->stop_depth)
        return false; /* the way leaves the function */
    if (p->depth > 1) {
        free(p->frames[--p->depth].known);
        if (v.bits)
            *sym__slot(&p->frames[p->depth - 1], to) = v;
        return true;
    }
    r->a->paths++;
    if (r->hooks && !r->accepted) {
        p->done = true;
        r->hooks->returned(r, p);
        return false;
    }
    if (r->accepted && v.bits) {
        const Z3_ast either[] = { r->accepted, sym__and_of(r, p->condition, sym__truth(r, v.bits)) };
        r->accepted = Z3_mk_or(r->z, 2, either);
    }
    return false;
}
