/* Symbolic execution of instructions whose operands are all that matters (symbolic_path.h). */
#include <stddef.h>

#include "target/symbolic_path.h"

static Z3_ast combine(struct sym_run *r, LLVMOpcode code, Z3_ast a, Z3_ast b)
{
    static const struct {
        LLVMOpcode code;
        Z3_ast (*make)(Z3_context z, Z3_ast a, Z3_ast b);
    } rows[] = {
        { LLVMAdd, Z3_mk_bvadd },   { LLVMSub, Z3_mk_bvsub },   { LLVMMul, Z3_mk_bvmul },   { LLVMUDiv, Z3_mk_bvudiv },
        { LLVMSDiv, Z3_mk_bvsdiv }, { LLVMURem, Z3_mk_bvurem }, { LLVMSRem, Z3_mk_bvsrem }, { LLVMShl, Z3_mk_bvshl },
        { LLVMLShr, Z3_mk_bvlshr }, { LLVMAShr, Z3_mk_bvashr }, { LLVMAnd, Z3_mk_bvand },   { LLVMOr, Z3_mk_bvor },
        { LLVMXor, Z3_mk_bvxor },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code)
            return rows[i].make(r->z, a, b);
    return NULL;
}

static Z3_ast compare(struct sym_run *r, LLVMIntPredicate how, Z3_ast a, Z3_ast b)
{
    switch (how) {
    case LLVMIntEQ:
        return Z3_mk_eq(r->z, a, b);
    case LLVMIntNE:
        return Z3_mk_not(r->z, Z3_mk_eq(r->z, a, b));
    case LLVMIntUGT:
        return Z3_mk_bvugt(r->z, a, b);
    case LLVMIntUGE:
        return Z3_mk_bvuge(r->z, a, b);
    case LLVMIntULT:
        return Z3_mk_bvult(r->z, a, b);
    case LLVMIntULE:
        return Z3_mk_bvule(r->z, a, b);
    case LLVMIntSGT:
        return Z3_mk_bvsgt(r->z, a, b);
    case LLVMIntSGE:
        return Z3_mk_bvsge(r->z, a, b);
    case LLVMIntSLT:
        return Z3_mk_bvslt(r->z, a, b);
    case LLVMIntSLE:
        return Z3_mk_bvsle(r->z, a, b);
    }
    return NULL;
}

static bool compute_icmp(struct sym_run *r, LLVMValueRef i, struct sym_value a, struct sym_value b,
                         struct sym_value *to)
{
    LLVMIntPredicate how = LLVMGetICmpPredicate(i);
    Z3_ast is;
    if (a.object == b.object)
        is = compare(r, how, a.bits, b.bits);
    else if (how == LLVMIntEQ || how == LLVMIntNE) /* different objects, or an object and NULL */
        is = how == LLVMIntEQ ? Z3_mk_false(r->z) : Z3_mk_true(r->z);
    else
        return sym__give_up(r, "an order of pointers");
    to->bits = Z3_simplify(r->z, sym__bit(r, is));
    return true;
}

static bool compute_cast(struct sym_run *r, LLVMOpcode code, uint32_t bits, struct sym_value a, struct sym_value *to)
{
    *to = a;
    uint32_t width = sym__width_of(r, a.bits);
    if (!bits)
        return sym__give_up(r, "a cast that is not known");
    if (bits == width)
        return true;
    if (a.object)
        return sym__give_up(r, "a part of a pointer");
    to->bits = Z3_simplify(r->z, bits < width       ? Z3_mk_extract(r->z, bits - 1, 0, a.bits)
                                 : code == LLVMSExt ? Z3_mk_sign_ext(r->z, bits - width, a.bits)
                                                    : Z3_mk_zero_ext(r->z, bits - width, a.bits));
    return true;
}

static bool compute_select(struct sym_run *r, struct sym_value c, struct sym_value a, struct sym_value b,
                           struct sym_value *to)
{
    uint64_t n;
    if (sym__is_constant(r, c.bits, &n)) {
        *to = n ? a : b;
        return true;
    }
    if (a.object != b.object)
        return sym__give_up(r, "one of two pointers");
    *to = (struct sym_value){ Z3_mk_ite(r->z, sym__truth(r, c.bits), a.bits, b.bits), a.object };
    return true;
}

/* Instructions with up to three operands whose values are all that matters. */
bool sym__compute(struct sym_run *r, struct sym_path *p, LLVMValueRef i, struct sym_value *to)
{
    LLVMOpcode code = LLVMGetInstructionOpcode(i);
    struct sym_value v[3] = { { 0 } };
    for (int k = 0; k < LLVMGetNumOperands(i) && k < 3; k++)
        if (!sym__value_of(r, p, LLVMGetOperand(i, (unsigned)k), &v[k]))
            return false;
    switch (code) {
    case LLVMICmp:
        return compute_icmp(r, i, v[0], v[1], to);
    case LLVMSelect:
        return compute_select(r, v[0], v[1], v[2], to);
    case LLVMFreeze:
        *to = v[0];
        return true;
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        return compute_cast(r, code, sym__type_bits(LLVMTypeOf(i)), v[0], to);
    case LLVMFCmp:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMFNeg:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMFPExt:
    case LLVMFPTrunc:
        return sym__compute_float(r, i, v, to);
    default:
        break;
    }
    Z3_ast result = v[0].object || v[1].object || !v[1].bits ? NULL : combine(r, code, v[0].bits, v[1].bits);
    if (!result)
        return sym__give_up(r, "an instruction that is not known");
    to->bits = Z3_simplify(r->z, result);
    return true;
}
