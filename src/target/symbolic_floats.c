/* Floating point in symbolic execution.  Numbers are kept as their bits.  What is computed from constants is computed
 * as the processor does; anything else is not known: a plan proposes, and the replay decides. */
#include <math.h>
#include <string.h>

#include "target/symbolic_path.h"

static bool is_float(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static double number_of(LLVMTypeRef type, uint64_t bits)
{
    double d;
    float f;
    uint32_t low = (uint32_t)bits;
    if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind) {
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    memcpy(&f, &low, sizeof f);
    return (double)f;
}

static uint64_t bits_of(LLVMTypeRef type, double d)
{
    uint64_t bits = 0;
    float f = (float)d;
    if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind)
        memcpy(&bits, &d, sizeof d);
    else
        memcpy(&bits, &f, sizeof f);
    return bits;
}

Z3_ast sym__float_constant(struct sym_run *r, LLVMValueRef v)
{
    LLVMBool loses;
    LLVMTypeRef type = LLVMTypeOf(v);
    return sym__number(r, bits_of(type, LLVMConstRealGetDouble(v, &loses)), sym__type_bits(type));
}

/* The predicates of fcmp are four bits: equal, greater, less, unordered. */
static bool compare(LLVMRealPredicate how, double a, double b)
{
    unsigned is = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
    return (unsigned)how & is;
}

/* What `code` computes of these; a type of 32 bits rounds each result once more, which is exact for these. */
static bool combine(LLVMOpcode code, double a, double b, double *to)
{
    switch (code) {
    case LLVMFAdd:
        *to = a + b;
        return true;
    case LLVMFSub:
        *to = a - b;
        return true;
    case LLVMFMul:
        *to = a * b;
        return true;
    case LLVMFDiv:
        *to = a / b;
        return true;
    case LLVMFRem:
        *to = fmod(a, b);
        return true;
    case LLVMFNeg:
        *to = -a;
        return true;
    default:
        return false;
    }
}

static bool is_conversion(LLVMOpcode code)
{
    return code == LLVMSIToFP || code == LLVMUIToFP || code == LLVMFPToSI || code == LLVMFPToUI || code == LLVMFPExt ||
           code == LLVMFPTrunc;
}

static int64_t extended(uint64_t n, uint32_t width)
{
    return width >= 64 ? (int64_t)n : (int64_t)(n << (64 - width)) >> (64 - width);
}

/* A conversion whose result the type cannot hold is undefined: false. */
static bool convert(LLVMOpcode code, LLVMTypeRef from, LLVMTypeRef to, uint64_t n, uint64_t *result)
{
    uint32_t width = sym__type_bits(is_float(from) ? to : from);
    double d = is_float(from) ? number_of(from, n) : 0;
    switch (code) {
    case LLVMSIToFP:
        *result = bits_of(to, LLVMGetTypeKind(to) == LLVMFloatTypeKind ? (double)(float)extended(n, width)
                                                                       : (double)extended(n, width));
        return true;
    case LLVMUIToFP:
        *result = bits_of(to, LLVMGetTypeKind(to) == LLVMFloatTypeKind ? (double)(float)n : (double)n);
        return true;
    case LLVMFPToSI:
        if (!(d > -9.2e18 && d < 9.2e18))
            return false;
        *result = (uint64_t)(int64_t)d;
        return true;
    case LLVMFPToUI:
        if (!(d > -1 && d < 1.8e19))
            return false;
        *result = (uint64_t)d;
        return true;
    default:
        *result = bits_of(to, d);
        return true;
    }
}

bool sym__compute_float(struct sym_run *r, LLVMValueRef i, const struct sym_value *v, struct sym_value *to)
{
    LLVMOpcode code = LLVMGetInstructionOpcode(i);
    LLVMTypeRef type = LLVMTypeOf(i), from = LLVMTypeOf(LLVMGetOperand(i, 0));
    uint32_t bits = sym__type_bits(type);
    uint64_t a, b = 0, result = 0;
    double d;
    bool unary = code == LLVMFNeg || is_conversion(code);
    if (!bits || !sym__type_bits(from) || v[0].object || v[1].object ||
        (!is_conversion(code) && code != LLVMFCmp && !combine(code, 0, 1, &d)))
        return sym__give_up(r, "an instruction that is not known");
    bool known = sym__is_constant(r, v[0].bits, &a) && (unary || sym__is_constant(r, v[1].bits, &b));
    if (known && code == LLVMFCmp)
        result = compare(LLVMGetFCmpPredicate(i), number_of(from, a), number_of(from, b));
    else if (known && is_conversion(code))
        known = convert(code, from, type, a, &result);
    else if (known && combine(code, number_of(from, a), number_of(from, b), &d))
        result = bits_of(type, d);
    to->bits = known ? sym__number(r, result, bits) : sym__unknown(r, bits);
    return true;
}

/* A function of the C library, or an intrinsic, over constants: false if it is not one of these. */
bool sym__call_float(struct sym_run *r, const char *name, LLVMTypeRef type, const struct sym_value *v, uint32_t count,
                     Z3_ast *result)
{
    static const struct {
        const char *name;
        double (*of)(double);
    } rows[] = {
        { "fabs", fabs },   { "sqrt", sqrt }, { "floor", floor }, { "ceil", ceil }, { "round", round },
        { "trunc", trunc }, { "exp", exp },   { "log", log },     { "sin", sin },   { "cos", cos },
    };
    uint64_t n[3] = { 0 };
    if (!is_float(type) || !count || count > 3)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (v[i].object || !sym__is_constant(r, v[i].bits, &n[i]))
            return false;
    if (strncmp(name, "llvm.fmuladd.", 13) == 0 && count == 3) { /* two operations, unless the processor has one */
        double product = number_of(type, bits_of(type, number_of(type, n[0]) * number_of(type, n[1])));
        *result = sym__number(r, bits_of(type, product + number_of(type, n[2])), sym__type_bits(type));
        return true;
    }
    if (strncmp(name, "llvm.", 5) == 0)
        name += 5;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t size = strlen(rows[i].name);
        if (strncmp(name, rows[i].name, size) != 0 || (name[size] && name[size] != '.' && strcmp(name + size, "f")))
            continue;
        *result = sym__number(r, bits_of(type, rows[i].of(number_of(type, n[0]))), sym__type_bits(type));
        return true;
    }
    return false;
}
