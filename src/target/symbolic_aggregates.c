/* Structures as values: an object that only the value knows, and never changes. */
#include <string.h>

#include "target/symbolic_path.h"

bool sym__is_aggregate(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
}

bool sym__load_aggregate(struct sym_run *r, struct sym_path *p, struct sym_value pointer, LLVMTypeRef type,
                         struct sym_value *to)
{
    uint64_t size = sym__type_bytes(r, type);
    struct sym_value copy = { sym__number(r, 0, 64), sym__object_new(r, p, size, true) };
    *to = copy;
    return sym__copy_bytes(r, p, copy, pointer, size);
}

/* Where `extractvalue` and `insertvalue` go, and the type there. */
static uint64_t offset_of(struct sym_run *r, LLVMValueRef i, LLVMTypeRef *type)
{
    const unsigned *indices = LLVMGetIndices(i);
    uint64_t at = 0;
    for (unsigned k = 0; k < LLVMGetNumIndices(i); k++)
        if (LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
            at += LLVMOffsetOfElement(r->q->program->bitcode.layout, *type, indices[k]);
            *type = LLVMStructGetTypeAtIndex(*type, indices[k]);
        } else {
            *type = LLVMGetElementType(*type);
            at += indices[k] * sym__type_bytes(r, *type);
        }
    return at;
}

bool sym__extract(struct sym_run *r, struct sym_path *p, LLVMValueRef i, struct sym_value *to)
{
    struct sym_value whole;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
    uint64_t at = offset_of(r, i, &type);
    return sym__value_of(r, p, LLVMGetOperand(i, 0), &whole) &&
           sym__load(r, p, (struct sym_value){ sym__number(r, at, 64), whole.object }, type, to);
}

bool sym__insert(struct sym_run *r, struct sym_path *p, LLVMValueRef i, struct sym_value *to)
{
    struct sym_value whole, part;
    LLVMTypeRef type = LLVMTypeOf(i);
    return sym__value_of(r, p, LLVMGetOperand(i, 0), &whole) && sym__value_of(r, p, LLVMGetOperand(i, 1), &part) &&
           sym__load_aggregate(r, p, whole, type, to) &&
           sym__store(r, p, (struct sym_value){ sym__number(r, offset_of(r, i, &type), 64), to->object }, part,
                      LLVMTypeOf(LLVMGetOperand(i, 1)));
}
