/* See symbolic_path.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "target/symbolic_path.h"

enum { MOST_OBJECT = 1 << 16 };

/* ---- memory of the analysis -------------------------------------------------------------------------------------- */

void *sym__must(void *p)
{
    RH__ASSERT(p, "no memory for symbolic execution");
    return p;
}

static void *copy_of(const void *from, size_t size)
{
    return size ? memcpy(sym__must(malloc(size)), from, size) : NULL;
}

struct sym_path *sym__path_copy(const struct sym_path *p)
{
    struct sym_path *c = copy_of(p, sizeof *p);
    if (c->model)
        Z3_model_inc_ref(c->z, c->model);
    c->objects = copy_of(p->objects, p->object_count * sizeof *p->objects);
    for (uint32_t i = 1; i < c->object_count; i++) {
        c->objects[i].bytes = copy_of(p->objects[i].bytes, p->objects[i].size * sizeof(Z3_ast));
        c->objects[i].pointers =
            copy_of(p->objects[i].pointers, (p->objects[i].size / 8 + 1) * sizeof(struct sym_value));
    }
    for (uint32_t i = 0; i < c->depth; i++)
        c->frames[i].known = copy_of(p->frames[i].known, p->frames[i].known_room * sizeof(struct sym_known));
    c->clauses = copy_of(p->clauses, (p->clause_count + 15) / 16 * 16 * sizeof *p->clauses);
    c->visits = copy_of(p->visits, (p->visit_count + 63) / 64 * 64 * sizeof *p->visits);
    c->effects = copy_of(p->effects, p->effect_count * sizeof *p->effects);
    return c;
}

void sym__path_free(struct sym_path *p)
{
    if (p->model)
        Z3_model_dec_ref(p->z, p->model);
    for (uint32_t i = 1; i < p->object_count; i++) {
        free(p->objects[i].bytes);
        free(p->objects[i].pointers);
    }
    for (uint32_t i = 0; i < p->depth; i++)
        free(p->frames[i].known);
    free(p->objects);
    free(p->clauses);
    free(p->visits);
    free(p->effects);
    free(p);
}

bool sym__give_up(struct sym_run *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!*r->a->trouble)
        vsnprintf(r->a->trouble, sizeof r->a->trouble, format, list);
    va_end(list);
    return false;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static Z3_sort bits_sort(struct sym_run *r, uint32_t width)
{
    return Z3_mk_bv_sort(r->z, width);
}

Z3_ast sym__number(struct sym_run *r, uint64_t n, uint32_t width)
{
    if (width == 8 && r->bytes[n & 0xff])
        return r->bytes[n & 0xff];
    Z3_ast a = Z3_mk_unsigned_int64(r->z, width < 64 ? n & (((uint64_t)1 << width) - 1) : n, bits_sort(r, width));
    if (width == 8)
        r->bytes[n & 0xff] = a;
    return a;
}

Z3_ast sym__unknown(struct sym_run *r, uint32_t width)
{
    char name[32];
    snprintf(name, sizeof name, "u%u", r->fresh++);
    return Z3_mk_const(r->z, Z3_mk_string_symbol(r->z, name), bits_sort(r, width));
}

uint32_t sym__width_of(struct sym_run *r, Z3_ast a)
{
    return Z3_get_bv_sort_size(r->z, Z3_get_sort(r->z, a));
}

bool sym__is_constant(struct sym_run *r, Z3_ast a, uint64_t *n)
{
    if (!Z3_is_numeral_ast(r->z, a))
        a = Z3_simplify(r->z, a);
    return Z3_is_numeral_ast(r->z, a) && Z3_get_numeral_uint64(r->z, a, n);
}

Z3_ast sym__and_of(struct sym_run *r, Z3_ast a, Z3_ast b)
{
    const Z3_ast both[] = { a, b };
    return Z3_mk_and(r->z, 2, both);
}

/* i1 from a truth value, and back. */
Z3_ast sym__bit(struct sym_run *r, Z3_ast truth)
{
    return Z3_mk_ite(r->z, truth, sym__number(r, 1, 1), sym__number(r, 0, 1));
}

Z3_ast sym__truth(struct sym_run *r, Z3_ast b)
{
    return Z3_mk_not(r->z, Z3_mk_eq(r->z, b, sym__number(r, 0, sym__width_of(r, b))));
}

bool sym__possible(struct sym_run *r, Z3_ast condition, Z3_model *model)
{
    if (condition == Z3_mk_false(r->z))
        return false;
    r->a->queries++;
    Z3_solver_push(r->z, r->solver);
    Z3_solver_assert(r->z, r->solver, condition);
    Z3_lbool is = Z3_solver_check(r->z, r->solver);
    if (is == Z3_L_TRUE && model) {
        *model = Z3_solver_get_model(r->z, r->solver);
        Z3_model_inc_ref(r->z, *model);
    }
    Z3_solver_pop(r->z, r->solver, 1);
    if (is == Z3_L_UNDEF)
        sym__give_up(r, "a question that is too hard for the solver");
    return is == Z3_L_TRUE;
}

void sym__set_condition(struct sym_path *p, Z3_ast condition)
{
    p->condition = condition;
    if (p->model)
        Z3_model_dec_ref(p->z, p->model);
    p->model = NULL;
}

/* Whether the known solution of the path's condition has this, too: then the solver is not asked. */
static bool is_solved(struct sym_run *r, const struct sym_path *p, Z3_ast clause)
{
    Z3_ast value;
    return p->model && Z3_model_eval(r->z, p->model, clause, true, &value) && value == Z3_mk_true(r->z);
}

bool sym__may_be(struct sym_run *r, struct sym_path *p, Z3_ast clause)
{
    clause = Z3_simplify(r->z, clause);
    return clause == Z3_mk_true(r->z) || is_solved(r, p, clause) ||
           sym__possible(r, Z3_simplify(r->z, sym__and_of(r, p->condition, clause)), NULL);
}

bool sym__require(struct sym_run *r, struct sym_path *p, Z3_ast clause)
{
    Z3_model model = NULL;
    clause = Z3_simplify(r->z, clause);
    if (clause == Z3_mk_true(r->z))
        return true;
    if (clause == Z3_mk_false(r->z))
        return false;
    Z3_ast both = Z3_simplify(r->z, sym__and_of(r, p->condition, clause));
    if (is_solved(r, p, clause))
        p->condition = both;
    else if (sym__possible(r, both, &model)) {
        sym__set_condition(p, both);
        p->model = model;
    } else
        return false;
    if (r->hooks && !r->accepted) {
        if (p->clause_count % 16 == 0)
            p->clauses = sym__must(realloc(p->clauses, (p->clause_count + 16) * sizeof *p->clauses));
        p->clauses[p->clause_count++] = clause;
    }
    return true;
}

uint32_t sym__type_bits(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64)
        return LLVMGetIntTypeWidth(type);
    return kind == LLVMPointerTypeKind || kind == LLVMDoubleTypeKind ? 64 : kind == LLVMFloatTypeKind ? 32 : 0;
}

uint64_t sym__type_bytes(struct sym_run *r, LLVMTypeRef type)
{
    return LLVMABISizeOfType(r->q->program->bitcode.layout, type);
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

uint32_t sym__object_new(struct sym_run *r, struct sym_path *p, uint64_t size, bool zero)
{
    p->objects = sym__must(realloc(p->objects, (p->object_count + 1) * sizeof *p->objects));
    struct sym_object *o = &p->objects[p->object_count];
    o->size = size > MOST_OBJECT ? 0 : (uint32_t)size;
    o->bytes = sym__must(calloc(o->size + 1, sizeof *o->bytes));
    o->pointers = sym__must(calloc(o->size / 8 + 1, sizeof *o->pointers));
    for (uint32_t i = 0; i < o->size; i++)
        o->bytes[i] = zero ? sym__number(r, 0, 8) : sym__unknown(r, 8);
    return p->object_count++;
}

/* The offset of an access, if it is one number within the object. */
bool sym__offset_of(struct sym_run *r, const struct sym_path *p, struct sym_value pointer, uint64_t size,
                    uint32_t *offset)
{
    uint64_t at;
    if (!pointer.object || pointer.object >= p->object_count)
        return sym__give_up(r, "a pointer that is not known");
    if (!sym__is_constant(r, pointer.bits, &at))
        return sym__give_up(r, "an index that depends on the message");
    if (at > p->objects[pointer.object].size || size > p->objects[pointer.object].size - at)
        return sym__give_up(r, "an access outside of an object");
    *offset = (uint32_t)at;
    return true;
}

Z3_ast sym__bytes_at(struct sym_run *r, const struct sym_object *o, uint32_t at, uint64_t size)
{
    uint64_t number = 0, byte;
    uint32_t known = 0;
    while (known < size && size <= 8 && Z3_is_numeral_ast(r->z, o->bytes[at + known]) &&
           sym__is_constant(r, o->bytes[at + known], &byte))
        number |= byte << (8 * known++);
    if (known == size)
        return sym__number(r, number, 8 * (uint32_t)size);
    Z3_ast all = o->bytes[at];
    for (uint32_t i = 1; i < size; i++)
        all = Z3_mk_concat(r->z, o->bytes[at + i], all);
    return all;
}

bool sym__load(struct sym_run *r, struct sym_path *p, struct sym_value pointer, LLVMTypeRef type, struct sym_value *to)
{
    uint64_t size = sym__type_bytes(r, type);
    uint32_t at, bits = sym__type_bits(type);
    if (sym__is_aggregate(type))
        return sym__load_aggregate(r, p, pointer, type, to);
    if (!bits)
        return sym__give_up(r, "a load of a type that is not known");
    if (sym__is_index(r, p, pointer))
        return sym__load_any(r, p, pointer, size, bits, to);
    if (!sym__offset_of(r, p, pointer, size, &at))
        return false;
    const struct sym_object *o = &p->objects[pointer.object];
    if (at % 8 == 0 && size == 8 && o->pointers[at / 8].bits) {
        *to = o->pointers[at / 8];
        return true;
    }
    Z3_ast all = sym__bytes_at(r, o, at, size);
    if (bits < 8 * size)
        all = Z3_mk_extract(r->z, bits - 1, 0, all);
    *to = (struct sym_value){ .bits = Z3_is_numeral_ast(r->z, all) ? all : Z3_simplify(r->z, all) };
    return true;
}

bool sym__store(struct sym_run *r, struct sym_path *p, struct sym_value pointer, struct sym_value v, LLVMTypeRef type)
{
    uint64_t size = sym__type_bytes(r, type);
    uint32_t at, bits = sym__type_bits(type);
    if (sym__is_aggregate(type) && v.object)
        return sym__copy_bytes(r, p, pointer, v, size);
    if (!bits || !v.bits)
        return sym__give_up(r, "a store of a type that is not known");
    if (sym__is_index(r, p, pointer) && !v.object)
        return sym__store_any(r, p, pointer, size,
                              bits < 8 * size ? Z3_mk_zero_ext(r->z, (unsigned)(8 * size) - bits, v.bits) : v.bits);
    if (!sym__offset_of(r, p, pointer, size, &at))
        return false;
    struct sym_object *o = &p->objects[pointer.object];
    for (uint32_t i = at / 8; i <= (at + (uint32_t)size - 1) / 8; i++)
        o->pointers[i].bits = NULL;
    if (v.object) {
        if (at % 8 || size != 8)
            return sym__give_up(r, "a pointer at an odd place");
        o->pointers[at / 8] = v;
        return true;
    }
    uint64_t n;
    if (Z3_is_numeral_ast(r->z, v.bits) && sym__is_constant(r, v.bits, &n)) {
        for (uint32_t i = 0; i < size; i++)
            o->bytes[at + i] = sym__number(r, i < 8 ? n >> (8 * i) : 0, 8);
        return true;
    }
    Z3_ast all = bits < 8 * size ? Z3_mk_zero_ext(r->z, (unsigned)(8 * size) - bits, v.bits) : v.bits;
    for (uint32_t i = 0; i < size; i++)
        o->bytes[at + i] = Z3_simplify(r->z, Z3_mk_extract(r->z, 8 * i + 7, 8 * i, all));
    return true;
}

bool sym__copy_bytes(struct sym_run *r, struct sym_path *p, struct sym_value to, struct sym_value from, uint64_t size)
{
    uint32_t at = 0, source = 0;
    if (size && sym__is_index(r, p, from) && !sym__copy_from_any(r, p, &from, size))
        return false;
    if (size && sym__is_index(r, p, to))
        return sym__copy_to_any(r, p, to, from, size);
    if (!sym__offset_of(r, p, to, size, &at) || !sym__offset_of(r, p, from, size, &source))
        return false;
    struct sym_object *t = &p->objects[to.object];
    const struct sym_object *f = &p->objects[from.object];
    memmove(t->bytes + at, f->bytes + source, size * sizeof *t->bytes);
    for (uint32_t i = 0; i < size / 8; i++)
        t->pointers[at / 8 + i] = at % 8 || source % 8 ? (struct sym_value){ 0 } : f->pointers[source / 8 + i];
    return true;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

struct sym_value *sym__slot(struct sym_frame *f, LLVMValueRef v)
{
    for (uint32_t i = f->known_count; i-- > 0;)
        if (f->known[i].of == v)
            return &f->known[i].value;
    if (f->known_count == f->known_room) {
        f->known_room = f->known_room ? 2 * f->known_room : 64;
        f->known = sym__must(realloc(f->known, f->known_room * sizeof *f->known));
    }
    f->known[f->known_count] = (struct sym_known){ v, { 0 } };
    return &f->known[f->known_count++].value;
}

const char *sym__text_of(LLVMValueRef pointer)
{
    LLVMValueRef v = rh__program_strip(pointer);
    if (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr) {
        for (int i = 1; i < LLVMGetNumOperands(v); i++)
            if (!LLVMIsNull(LLVMGetOperand(v, (unsigned)i)))
                return NULL;
        v = rh__program_strip(LLVMGetOperand(v, 0));
    }
    LLVMValueRef text = LLVMIsAGlobalVariable(v) && LLVMIsGlobalConstant(v) ? LLVMGetInitializer(v) : NULL;
    size_t size;
    return text && LLVMIsAConstantDataSequential(text) && LLVMIsConstantString(text) ? LLVMGetAsString(text, &size)
                                                                                     : NULL;
}

/* The bytes of a constant; those of other kinds (addresses) are not known. */
static void fill(struct sym_run *r, struct sym_path *p, uint32_t object, uint64_t at, LLVMValueRef c)
{
    LLVMTypeRef type = LLVMTypeOf(c);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    uint32_t size = p->objects[object].size;
    LLVMValueRef target = kind == LLVMPointerTypeKind ? rh__program_strip(c) : NULL;
    uint64_t n;
    if (LLVMIsAConstantFP(c) && sym__type_bits(type)) {
        sym__is_constant(r, sym__float_constant(r, c), &n);
        for (uint32_t i = 0; i < sym__type_bytes(r, type) && at + i < size; i++)
            p->objects[object].bytes[at + i] = sym__number(r, n >> (8 * i), 8);
    } else if (LLVMIsAConstantInt(c) && sym__type_bits(type)) {
        for (uint32_t i = 0; i < sym__type_bytes(r, type) && at + i < size; i++)
            p->objects[object].bytes[at + i] = sym__number(r, LLVMConstIntGetZExtValue(c) >> (8 * i), 8);
    } else if (kind == LLVMStructTypeKind && LLVMIsAConstantStruct(c)) {
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            fill(r, p, object, at + LLVMOffsetOfElement(r->q->program->bitcode.layout, type, i), LLVMGetOperand(c, i));
    } else if (kind == LLVMArrayTypeKind && (LLVMIsAConstantArray(c) || LLVMIsAConstantDataSequential(c))) {
        for (unsigned i = 0; i < LLVMGetArrayLength(type); i++) {
            LLVMValueRef e = LLVMIsAConstantArray(c) ? LLVMGetOperand(c, i) : LLVMGetElementAsConstant(c, i);
            fill(r, p, object, at + i * sym__type_bytes(r, LLVMGetElementType(type)), e);
        }
    } else if (target && (LLVMIsAGlobalVariable(target) || LLVMIsAFunction(target)) && at % 8 == 0 && at + 8 <= size) {
        struct sym_value v;
        if (sym__value_of(r, p, target, &v))
            p->objects[object].pointers[at / 8] = v;
    } else if (!LLVMIsNull(c)) {
        for (uint32_t i = 0; i < sym__type_bytes(r, type) && at + i < size; i++)
            p->objects[object].bytes[at + i] = sym__unknown(r, 8);
    }
}

/* A global is a local of the outermost frame.  Only constants are known: others may have changed. */
static bool global(struct sym_run *r, struct sym_path *p, LLVMValueRef g, struct sym_value *to)
{
    struct sym_value *kept = sym__slot(&p->frames[0], g);
    if (!kept->bits) {
        LLVMValueRef init = LLVMIsAGlobalVariable(g) ? LLVMGetInitializer(g) : NULL;
        uint64_t size = init ? sym__type_bytes(r, LLVMTypeOf(init)) : 0;
        uint32_t object = sym__object_new(r, p, size, init && LLVMIsGlobalConstant(g));
        *sym__slot(&p->frames[0], g) = (struct sym_value){ sym__number(r, 0, 64), object };
        if (init && LLVMIsGlobalConstant(g) && strncmp(LLVMGetValueName(g), "rh_", 3) != 0) /* no descriptors */
            fill(r, p, object, 0, init);                                                    /* which may make others */
        kept = sym__slot(&p->frames[0], g);
    }
    *to = *kept;
    return true;
}

bool sym__value_of(struct sym_run *r, struct sym_path *p, LLVMValueRef v, struct sym_value *to)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    uint32_t bits = sym__type_bits(type);
    *to = (struct sym_value){ 0 };
    if (LLVMIsAConstantInt(v) && bits) {
        to->bits = sym__number(r, LLVMConstIntGetZExtValue(v), bits);
        return true;
    }
    if (LLVMIsAGlobalVariable(v) || LLVMIsAFunction(v))
        return global(r, p, v, to);
    if (LLVMIsAConstantFP(v) && bits) {
        to->bits = sym__float_constant(r, v);
        return true;
    }
    if (LLVMIsAConstant(v) && sym__is_aggregate(type)) { /* zero, undef, or elements */
        *to = (struct sym_value){ sym__number(r, 0, 64), sym__object_new(r, p, sym__type_bytes(r, type), true) };
        fill(r, p, to->object, 0, v);
        return true;
    }
    if (LLVMIsAConstantExpr(v)) {
        LLVMOpcode code = LLVMGetConstOpcode(v);
        if (code == LLVMBitCast || code == LLVMPtrToInt || code == LLVMIntToPtr)
            return sym__value_of(r, p, LLVMGetOperand(v, 0), to);
        struct sym_value base;
        return code == LLVMGetElementPtr && sym__value_of(r, p, LLVMGetOperand(v, 0), &base)
                   ? sym__offset_in(r, p, v, base, to)
                   : sym__give_up(r, "a constant that is not known");
    }
    if (LLVMIsAConstant(v)) { /* null, undef, zero */
        to->bits = bits ? (LLVMIsUndef(v) ? sym__unknown(r, bits) : sym__number(r, 0, bits)) : NULL;
        return bits ? true : sym__give_up(r, "a constant that is not known");
    }
    *to = *sym__slot(&p->frames[p->depth - 1], v);
    return to->bits ? true : sym__give_up(r, "a value that is not known");
}

/* The address that getelementptr computes, of an instruction or a constant. */
bool sym__offset_in(struct sym_run *r, struct sym_path *p, LLVMValueRef gep, struct sym_value base,
                    struct sym_value *to)
{
    LLVMTargetDataRef layout = r->q->program->bitcode.layout;
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(gep, 0)));
    struct sym_address form = sym__address_of(r, base.bits);
    Z3_ast sum = base.bits;
    for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        struct sym_value n;
        uint64_t length = 0;
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            uint64_t at = LLVMOffsetOfElement(layout, type, field);
            sum = Z3_mk_bvadd(r->z, sum, sym__number(r, at, 64));
            form.base += at;
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        if (!sym__value_of(r, p, index, &n) || n.object)
            return false;
        if (i > 1) {
            length = LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMGetArrayLength(type) : 0;
            type = LLVMGetElementType(type);
        }
        if (sym__width_of(r, n.bits) < 64)
            n.bits = Z3_mk_sign_ext(r->z, 64 - sym__width_of(r, n.bits), n.bits);
        uint64_t stride = sym__type_bytes(r, type);
        sym__address_add(r, &form, n.bits, stride, length);
        sum = Z3_mk_bvadd(r->z, sum, Z3_mk_bvmul(r->z, n.bits, sym__number(r, stride, 64)));
    }
    *to = (struct sym_value){ Z3_simplify(r->z, sum), base.object };
    sym__address_keep(r, to->bits, &form);
    return true;
}
