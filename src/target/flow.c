/* See flow.h and flow_analysis.h: sets, memory, instructions, and the loop until nothing changes.
 *
 * The loop makes a pass over all functions that are known to run, in their contexts, until a pass changes nothing.  The
 * paper's Algorithm 1 has one state machine for each actor type and a worklist; the fixed point is the same. */
#include <rehearse.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/flow_analysis.h"

static void *must(void *p)
{
    if (!p) {
        fputs("rehearse: no memory\n", stderr);
        exit(3);
    }
    return p;
}

/* ---- atoms, objects, nodes --------------------------------------------------------------------------------------- */

uint32_t flow__atom(struct analysis *a, enum atom_kind kind, uint64_t what, uint32_t offset)
{
    return rh__index_of(&a->atoms, kind, what, offset);
}

enum atom_kind flow__atom_kind(const struct analysis *a, uint32_t atom)
{
    return (enum atom_kind)a->atoms.keys[atom][0];
}

uint32_t flow__atom_what(const struct analysis *a, uint32_t atom)
{
    return (uint32_t)a->atoms.keys[atom][1];
}

uint32_t flow__atom_offset(const struct analysis *a, uint32_t atom)
{
    return (uint32_t)a->atoms.keys[atom][2];
}

uint32_t flow__object(struct analysis *a, enum object_kind kind, uint64_t x, uint64_t y, uint32_t size)
{
    uint32_t before = a->objects.count, o = rh__index_of(&a->objects, kind, x, y);
    if (o < before)
        return o;
    if (o >= a->object_room) {
        uint32_t room = a->object_room ? 2 * a->object_room : 256;
        a->cells = must(realloc(a->cells, room * sizeof *a->cells));
        a->object_sizes = must(realloc(a->object_sizes, room * sizeof *a->object_sizes));
        memset(a->cells + a->object_room, 0, (room - a->object_room) * sizeof *a->cells);
        a->object_room = room;
    }
    a->object_sizes[o] = size;
    return o;
}

uint32_t flow__node(struct analysis *a, enum node_kind kind, uint64_t x, uint64_t y)
{
    uint32_t n = rh__index_of(&a->nodes, kind, x, y);
    if (n >= a->set_room) {
        uint32_t room = a->set_room ? 2 * a->set_room : 1024;
        a->sets = must(realloc(a->sets, room * sizeof *a->sets));
        memset(a->sets + a->set_room, 0, (room - a->set_room) * sizeof *a->sets);
        a->set_room = room;
    }
    return n;
}

void flow__add(struct analysis *a, uint32_t node, uint32_t atom)
{
    a->changed |= rh__set_add(&a->sets[node], atom);
}

void flow__to(struct analysis *a, uint32_t from, uint32_t to)
{
    a->changed |= rh__set_add_all(&a->sets[to], &a->sets[from]);
}

struct rh__set flow__copy_set(const struct analysis *a, uint32_t node)
{
    struct rh__set copy = { 0 };
    rh__set_add_all(&copy, &a->sets[node]);
    return copy;
}

static uint32_t size_of(const struct analysis *a, LLVMTypeRef type)
{
    if (!LLVMTypeIsSized(type))
        return 0;
    unsigned long long size = LLVMABISizeOfType(a->program->bitcode.layout, type);
    return size > 0x7fffffff ? 0 : (uint32_t)size;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static uint32_t cell(struct analysis *a, uint32_t object, uint32_t offset)
{
    if (offset != ANY_OFFSET)
        offset -= offset % CELL_BYTES;
    rh__set_add(&a->cells[object], offset);
    return flow__node(a, NODE_CELL, object, offset);
}

static bool has_cell(const struct analysis *a, uint32_t object, uint32_t offset)
{
    return rh__set_has(&a->cells[object], offset == ANY_OFFSET ? offset : offset - offset % CELL_BYTES);
}

/* A pointer, `by` bytes further.  Outside of its object, or far into one, it may point anywhere in it. */
static uint32_t moved(struct analysis *a, uint32_t atom, int64_t by, bool any)
{
    uint32_t object = flow__atom_what(a, atom), offset = flow__atom_offset(a, atom), size = a->object_sizes[object];
    int64_t at = (int64_t)offset + by;
    if (any || offset == ANY_OFFSET || at < 0 || at >= MOST_OFFSET || (size && at > size))
        return flow__atom(a, ATOM_POINTER, object, ANY_OFFSET);
    return flow__atom(a, ATOM_POINTER, object, (uint32_t)at);
}

void flow__load(struct analysis *a, uint32_t pointers, uint32_t bytes, uint32_t to)
{
    struct rh__set from = flow__copy_set(a, pointers);
    for (uint32_t i = 0; i < from.count; i++) {
        if (flow__atom_kind(a, from.at[i]) == ATOM_UNKNOWN)
            flow__add(a, to, from.at[i]); /* memory of unknown code */
        if (flow__atom_kind(a, from.at[i]) != ATOM_POINTER)
            continue;
        uint32_t object = flow__atom_what(a, from.at[i]), offset = flow__atom_offset(a, from.at[i]);
        if (offset == ANY_OFFSET) {
            for (uint32_t k = 0; k < a->cells[object].count; k++)
                flow__to(a, flow__node(a, NODE_CELL, object, a->cells[object].at[k]), to);
            continue;
        }
        for (uint32_t at = offset - offset % CELL_BYTES; at < offset + bytes; at += CELL_BYTES)
            if (has_cell(a, object, at))
                flow__to(a, cell(a, object, at), to);
        if (has_cell(a, object, ANY_OFFSET))
            flow__to(a, cell(a, object, ANY_OFFSET), to);
    }
    rh__set_release(&from);
}

void flow__store(struct analysis *a, uint32_t pointers, uint32_t bytes, uint32_t from)
{
    if (!a->sets[from].count)
        return;
    struct rh__set into = flow__copy_set(a, pointers);
    for (uint32_t i = 0; i < into.count; i++) {
        if (flow__atom_kind(a, into.at[i]) != ATOM_POINTER)
            continue;
        uint32_t object = flow__atom_what(a, into.at[i]), offset = flow__atom_offset(a, into.at[i]);
        if (offset == ANY_OFFSET) {
            flow__to(a, from, cell(a, object, ANY_OFFSET));
            continue;
        }
        for (uint32_t at = offset - offset % CELL_BYTES; at < offset + bytes; at += CELL_BYTES)
            flow__to(a, from, cell(a, object, at));
    }
    rh__set_release(&into);
}

/* Copies the cells of one object that are within `bytes` behind `from` (0: all) to `to` of another. */
static void copy_object(struct analysis *a, uint32_t to_object, uint32_t to, uint32_t from_object, uint32_t from,
                        uint64_t bytes)
{
    struct rh__set offsets = { 0 };
    rh__set_add_all(&offsets, &a->cells[from_object]);
    for (uint32_t i = 0; i < offsets.count; i++) {
        uint32_t at = offsets.at[i], source = flow__node(a, NODE_CELL, from_object, at);
        if (at == ANY_OFFSET || from == ANY_OFFSET || to == ANY_OFFSET) {
            flow__to(a, source, cell(a, to_object, ANY_OFFSET));
            continue;
        }
        if (at + CELL_BYTES <= from || (bytes && at >= from + bytes))
            continue;
        int64_t place = (int64_t)at - from + to;
        if (place >= MOST_OFFSET) {
            flow__to(a, source, cell(a, to_object, ANY_OFFSET));
            continue;
        }
        flow__to(a, source, cell(a, to_object, place < 0 ? 0 : (uint32_t)place));
        if (place % CELL_BYTES)
            flow__to(a, source, cell(a, to_object, (uint32_t)(place + CELL_BYTES)));
    }
    rh__set_release(&offsets);
}

void flow__copy_into(struct analysis *a, uint32_t object, uint32_t from, uint64_t bytes)
{
    struct rh__set source = flow__copy_set(a, from);
    for (uint32_t i = 0; i < source.count; i++) {
        if (flow__atom_kind(a, source.at[i]) == ATOM_POINTER)
            copy_object(a, object, 0, flow__atom_what(a, source.at[i]), flow__atom_offset(a, source.at[i]), bytes);
        else if (flow__atom_kind(a, source.at[i]) == ATOM_UNKNOWN)
            flow__add(a, cell(a, object, ANY_OFFSET), source.at[i]);
    }
    rh__set_release(&source);
}

void flow__copy(struct analysis *a, uint32_t to, uint32_t from, uint64_t bytes)
{
    struct rh__set target = flow__copy_set(a, to), source = flow__copy_set(a, from);
    for (uint32_t i = 0; i < target.count; i++)
        for (uint32_t k = 0; k < source.count; k++)
            if (flow__atom_kind(a, target.at[i]) == ATOM_POINTER && flow__atom_kind(a, source.at[k]) == ATOM_POINTER)
                copy_object(a, flow__atom_what(a, target.at[i]), flow__atom_offset(a, target.at[i]),
                            flow__atom_what(a, source.at[k]), flow__atom_offset(a, source.at[k]), bytes);
    rh__set_release(&target);
    rh__set_release(&source);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

static void initialise(struct analysis *a, uint32_t object, uint32_t offset, LLVMValueRef c)
{
    LLVMTypeRef type = LLVMTypeOf(c);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (LLVMIsAConstantAggregateZero(c) || LLVMIsUndef(c) || LLVMIsAConstantDataSequential(c) || LLVMIsAConstantInt(c))
        return;
    if (kind == LLVMArrayTypeKind) {
        uint32_t stride = size_of(a, LLVMGetElementType(type));
        for (int i = 0; i < LLVMGetNumOperands(c); i++)
            initialise(a, object, offset + (uint32_t)i * stride, LLVMGetOperand(c, (unsigned)i));
    } else if (kind == LLVMStructTypeKind) {
        for (int i = 0; i < LLVMGetNumOperands(c); i++)
            initialise(a, object, offset + (uint32_t)LLVMOffsetOfElement(a->program->bitcode.layout, type, (unsigned)i),
                       LLVMGetOperand(c, (unsigned)i));
    } else if (kind == LLVMPointerTypeKind || kind == LLVMIntegerTypeKind) {
        flow__to(a, flow__value(a, 0, c), cell(a, object, offset >= MOST_OFFSET ? ANY_OFFSET : offset));
    }
}

uint32_t flow__global(struct analysis *a, LLVMValueRef global)
{
    uint32_t before = a->objects.count;
    uint32_t o = flow__object(a, OBJECT_GLOBAL, (uintptr_t)global, 0, size_of(a, LLVMGlobalGetValueType(global)));
    LLVMValueRef init = o == before ? LLVMGetInitializer(global) : NULL;
    if (init)
        initialise(a, o, 0, init);
    return o;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

enum { MOST_PLACES = 64 };
struct places {
    int64_t at[MOST_PLACES];
    uint32_t count;
    bool any;
};

/* Adds index * stride, for each index below `length`. */
static void add_places(struct places *p, uint64_t length, uint64_t stride)
{
    uint32_t count = p->count;
    if (!length || length * count > MOST_PLACES) {
        p->any = true;
        return;
    }
    for (uint64_t i = 1; i < length; i++)
        for (uint32_t k = 0; k < count; k++)
            p->at[p->count++] = p->at[k] + (int64_t)(i * stride);
}

static void address_places(const struct analysis *a, LLVMValueRef gep, struct places *p)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    *p = (struct places){ .count = 1 };
    for (int i = 1; i < LLVMGetNumOperands(gep) && !p->any; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        bool constant = LLVMIsAConstantInt(index);
        int64_t number = constant ? LLVMConstIntGetSExtValue(index) : 0, by = 0;
        uint64_t length = 0;
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            if (!constant)
                p->any = true;
            by = (int64_t)LLVMOffsetOfElement(a->program->bitcode.layout, type, (unsigned)number);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)number);
        } else {
            if (i > 1) {
                length = LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMGetArrayLength(type) : 0;
                type = LLVMGetElementType(type);
            }
            by = number * (int64_t)size_of(a, type);
            if (!constant)
                add_places(p, length, size_of(a, type));
        }
        for (uint32_t k = 0; k < p->count && constant; k++)
            p->at[k] += by;
    }
}

static void flow_address(struct analysis *a, uint32_t base, LLVMValueRef gep, uint32_t to)
{
    struct places p;
    address_places(a, gep, &p);
    struct rh__set from = flow__copy_set(a, base);
    for (uint32_t i = 0; i < from.count; i++) {
        if (flow__atom_kind(a, from.at[i]) != ATOM_POINTER) {
            flow__add(a, to, from.at[i]);
            continue;
        }
        for (uint32_t k = 0; k < (p.any ? 1 : p.count); k++)
            flow__add(a, to, moved(a, from.at[i], p.at[k], p.any));
    }
    rh__set_release(&from);
}

static void constant_atoms(struct analysis *a, LLVMValueRef v, uint32_t to)
{
    if (LLVMIsAFunction(v)) {
        flow__add(a, to, flow__atom(a, ATOM_FUNCTION, (uintptr_t)v, 0));
    } else if (LLVMIsAGlobalVariable(v)) {
        flow__add(a, to, flow__atom(a, ATOM_POINTER, flow__global(a, v), 0));
    } else if (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr) {
        flow_address(a, flow__value(a, 0, LLVMGetOperand(v, 0)), v, to);
    } else if (LLVMIsAConstantExpr(v) || LLVMIsAConstantStruct(v) || LLVMIsAConstantArray(v)) {
        for (int i = 0; i < LLVMGetNumOperands(v); i++)
            flow__to(a, flow__value(a, 0, LLVMGetOperand(v, (unsigned)i)), to);
    }
}

uint32_t flow__value(struct analysis *a, uint32_t context, LLVMValueRef v)
{
    if (!LLVMIsConstant(v))
        return flow__node(a, NODE_VALUE, context, (uintptr_t)v);
    uint32_t before = a->nodes.count, n = flow__node(a, NODE_CONSTANT, (uintptr_t)v, 0);
    if (n == before)
        constant_atoms(a, v, n);
    return n;
}

/* ---- control ----------------------------------------------------------------------------------------------------- */

uint32_t flow__context(struct analysis *a, uint32_t actor, uint32_t message)
{
    return rh__index_of(&a->contexts, actor, message, 0);
}

struct context flow__context_of(const struct analysis *a, uint32_t context)
{
    return (struct context){ (uint32_t)a->contexts.keys[context][0], (uint32_t)a->contexts.keys[context][1] };
}

void flow__call(struct analysis *a, uint32_t context, LLVMValueRef f, const uint32_t *arguments, uint32_t count)
{
    uint32_t before = a->calls.count, i = 0;
    if (rh__index_of(&a->calls, context, (uintptr_t)f, 0) == before)
        a->changed = true;
    for (LLVMValueRef p = LLVMGetFirstParam(f); p && i < count; p = LLVMGetNextParam(p), i++)
        flow__to(a, arguments[i], flow__value(a, context, p));
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)))
        flow__note(a, "%.*s takes variable arguments, which are not followed",
                   (int)rh__bitcode_name_length(LLVMGetValueName(f)), LLVMGetValueName(f));
}

void flow__edge(struct analysis *a, enum rh__flow_kind kind, uint32_t from, uint32_t to, uint32_t message)
{
    uint32_t before = a->edges.count;
    if (rh__index_of(&a->edges, kind, (uint64_t)from << 32 | to, message) == before)
        a->changed = true;
}

void flow__note(struct analysis *a, const char *format, ...)
{
    struct rh__flow *f = a->flow;
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (uint32_t i = 0; i < f->note_count; i++)
        if (strcmp(f->notes[i], text) == 0)
            return;
    f->notes = must(realloc(f->notes, (f->note_count + 1) * sizeof *f->notes));
    f->notes[f->note_count++] = must(strdup(text));
}

/* Optimisation 2 for processes: `rh_as(envelope, T)` reads the value only if the type is T.  So a load in a block that
 * follows the comparison with T gives only messages of type T.  RH__NO_INDEX: no such comparison. */
static uint32_t compared_type(const struct analysis *a, LLVMValueRef load)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(load), before = NULL;
    uint32_t uses = 0;
    if (!a->optimised)
        return RH__NO_INDEX;
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); u; u = LLVMGetNextUse(u), uses++) {
        LLVMValueRef user = LLVMGetUser(u);
        before = LLVMIsAInstruction(user) ? LLVMGetInstructionParent(user) : NULL;
    }
    LLVMValueRef end = uses == 1 && before ? LLVMGetBasicBlockTerminator(before) : NULL;
    if (!end || LLVMGetInstructionOpcode(end) != LLVMBr || !LLVMIsConditional(end) || LLVMGetSuccessor(end, 0) != block)
        return RH__NO_INDEX;
    LLVMValueRef test = LLVMGetCondition(end);
    if (!LLVMIsAICmpInst(test) || LLVMGetICmpPredicate(test) != LLVMIntEQ)
        return RH__NO_INDEX;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t m = rh__program_message_of(a->program, rh__program_strip(LLVMGetOperand(test, i)));
        if (m != RH__NO_INDEX)
            return m;
    }
    return RH__NO_INDEX;
}

static void analyse_load(struct analysis *a, uint32_t context, LLVMValueRef i)
{
    uint32_t pointers = flow__value(a, context, LLVMGetOperand(i, 0)), to = flow__value(a, context, i);
    uint32_t type = compared_type(a, i), bytes = size_of(a, LLVMTypeOf(i));
    if (type == RH__NO_INDEX) {
        flow__load(a, pointers, bytes, to);
        return;
    }
    uint32_t all = flow__node(a, NODE_VALUE, context, (uintptr_t)i | 1); /* before the filter; pointers are even */
    flow__load(a, pointers, bytes, all);
    struct rh__set found = flow__copy_set(a, all);
    for (uint32_t k = 0; k < found.count; k++) {
        uint32_t o = flow__atom_what(a, found.at[k]);
        bool other = flow__atom_kind(a, found.at[k]) == ATOM_POINTER && a->objects.keys[o][0] == OBJECT_MESSAGE &&
                     a->objects.keys[o][2] != type && a->objects.keys[o][2] != CONTEXT_MERGED;
        if (!other)
            flow__add(a, to, found.at[k]);
    }
    rh__set_release(&found);
}

static void analyse_call(struct analysis *a, uint32_t context, LLVMValueRef i)
{
    LLVMValueRef callee = LLVMGetCalledValue(i), direct = rh__program_strip(callee);
    uint32_t arguments[64], count = LLVMGetNumArgOperands(i);
    if (LLVMIsAInlineAsm(callee)) {
        flow__note(a, "assembler code is not followed");
        return;
    }
    count = count > 64 ? 64 : count;
    if (direct && LLVMIsAFunction(direct) && !LLVMGetFirstBasicBlock(direct)) {
        flow__outer_call(a, context, i, LLVMGetValueName(direct));
        return;
    }
    for (uint32_t k = 0; k < count; k++)
        arguments[k] = flow__value(a, context, LLVMGetOperand(i, k));
    struct rh__set targets = flow__copy_set(a, flow__value(a, context, callee));
    for (uint32_t k = 0; k < targets.count; k++) {
        if (flow__atom_kind(a, targets.at[k]) != ATOM_FUNCTION)
            continue;
        LLVMValueRef f = (LLVMValueRef)(uintptr_t)a->atoms.keys[targets.at[k]][1];
        if (!LLVMGetFirstBasicBlock(f)) {
            flow__outer_call(a, context, i, LLVMGetValueName(f));
            continue;
        }
        flow__call(a, context, f, arguments, count);
        flow__to(a, flow__node(a, NODE_RETURN, context, (uintptr_t)f), flow__value(a, context, i));
    }
    rh__set_release(&targets);
}

/* The operands of arithmetic flow into its result: a reference may be packed into bits, a pointer moved. */
static void analyse_arithmetic(struct analysis *a, uint32_t context, LLVMValueRef i)
{
    uint32_t to = flow__value(a, context, i);
    bool moves = LLVMIsABinaryOperator(i);
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef operand = LLVMGetOperand(i, (unsigned)k);
        if (LLVMValueIsBasicBlock(operand))
            continue;
        struct rh__set from = flow__copy_set(a, flow__value(a, context, operand));
        for (uint32_t j = 0; j < from.count; j++)
            flow__add(a, to,
                      moves && flow__atom_kind(a, from.at[j]) == ATOM_POINTER ? moved(a, from.at[j], 0, true)
                                                                              : from.at[j]);
        rh__set_release(&from);
    }
}

static void analyse_phi(struct analysis *a, uint32_t context, LLVMValueRef i)
{
    for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
        flow__to(a, flow__value(a, context, LLVMGetIncomingValue(i, k)), flow__value(a, context, i));
}

static void analyse_instruction(struct analysis *a, uint32_t context, LLVMValueRef f, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAlloca: {
        uint32_t o = flow__object(a, OBJECT_LOCAL, context, (uintptr_t)i,
                                  LLVMIsAConstantInt(LLVMGetOperand(i, 0)) ? size_of(a, LLVMGetAllocatedType(i)) : 0);
        flow__add(a, flow__value(a, context, i), flow__atom(a, ATOM_POINTER, o, 0));
        return;
    }
    case LLVMLoad:
        analyse_load(a, context, i);
        return;
    case LLVMStore:
        flow__store(a, flow__value(a, context, LLVMGetOperand(i, 1)), size_of(a, LLVMTypeOf(LLVMGetOperand(i, 0))),
                    flow__value(a, context, LLVMGetOperand(i, 0)));
        return;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        for (int k = 1; k < LLVMGetNumOperands(i); k++)
            flow__store(a, flow__value(a, context, LLVMGetOperand(i, 0)), CELL_BYTES,
                        flow__value(a, context, LLVMGetOperand(i, (unsigned)k)));
        flow__load(a, flow__value(a, context, LLVMGetOperand(i, 0)), CELL_BYTES, flow__value(a, context, i));
        return;
    case LLVMGetElementPtr:
        flow_address(a, flow__value(a, context, LLVMGetOperand(i, 0)), i, flow__value(a, context, i));
        return;
    case LLVMCall:
        analyse_call(a, context, i);
        return;
    case LLVMRet:
        if (LLVMGetNumOperands(i))
            flow__to(a, flow__value(a, context, LLVMGetOperand(i, 0)),
                     flow__node(a, NODE_RETURN, context, (uintptr_t)f));
        return;
    case LLVMPHI:
        analyse_phi(a, context, i);
        return;
    case LLVMBr:
    case LLVMSwitch:
    case LLVMUnreachable:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMFence:
        return;
    case LLVMIndirectBr:
    case LLVMVAArg:
        flow__note(a, "%.*s uses an instruction that is not followed",
                   (int)rh__bitcode_name_length(LLVMGetValueName(f)), LLVMGetValueName(f));
        return;
    default:
        analyse_arithmetic(a, context, i);
    }
}

static void analyse_function(struct analysis *a, uint32_t context, LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            analyse_instruction(a, context, f, i);
}

/* ---- actors ------------------------------------------------------------------------------------------------------ */

static uint32_t ref_node(struct analysis *a, uint32_t actor)
{
    uint32_t n = flow__node(a, NODE_REF, actor, 0);
    flow__add(a, n, flow__atom(a, ATOM_REF, actor, 0));
    return n;
}

/* A node with one pointer, to the beginning of the object. */
static uint32_t pointer_node(struct analysis *a, uint32_t object)
{
    uint32_t n = flow__node(a, NODE_REF, object, 1);
    flow__add(a, n, flow__atom(a, ATOM_POINTER, object, 0));
    return n;
}

static void start_handlers(struct analysis *a, uint32_t actor)
{
    const struct rh__program *p = a->program;
    for (uint32_t b = 0; b < p->behaviour_count; b++) {
        if (p->behaviours[b].actor != actor || (a->optimised && !a->active[b]))
            continue;
        for (uint32_t k = 0; k < p->behaviours[b].entry_count; k++) {
            const struct rh__program_entry *e = &p->behaviours[b].entries[k];
            if (!e->handler || (a->optimised && !a->arrived[actor * p->message_count + e->message]))
                continue;
            uint32_t message = a->optimised ? e->message : CONTEXT_MERGED;
            const uint32_t arguments[] = {
                ref_node(a, actor),
                pointer_node(a, flow__object(a, OBJECT_STATE, actor, 0, p->actors[actor].size)),
                pointer_node(a, flow__message_object(a, actor, message)),
            };
            flow__call(a, flow__context(a, actor, message), e->handler, arguments, 3);
        }
    }
}

static void start_actor(struct analysis *a, uint32_t actor)
{
    const struct rh__program_actor *x = &a->program->actors[actor];
    if (x->kind != RH_KIND_PROCESS) {
        if (x->first == RH__NO_INDEX)
            flow__note(a, "%s has no behaviour in the bitcode: a file was compiled without rehearse-bitcode", x->name);
        else if (!a->active[x->first])
            a->active[x->first] = a->changed = true;
        start_handlers(a, actor);
        return;
    }
    if (!x->body || !LLVMIsAFunction(x->body) || !LLVMGetFirstBasicBlock(x->body)) {
        flow__note(a, "%s has no body in the bitcode: a file was compiled without rehearse-bitcode", x->name);
        return;
    }
    const uint32_t arguments[] = { ref_node(a, actor),
                                   pointer_node(a, flow__object(a, OBJECT_STATE, actor, 0, x->size)) };
    flow__call(a, flow__context(a, actor, CONTEXT_BODY), x->body, arguments, 2);
}

static int compare_edges(const void *x, const void *y)
{
    const struct rh__flow_edge *e = x, *g = y;
    if (e->kind != g->kind)
        return e->kind < g->kind ? -1 : 1;
    if (e->from != g->from)
        return e->from < g->from ? -1 : 1;
    if (e->to != g->to)
        return e->to < g->to ? -1 : 1;
    return (e->message > g->message) - (e->message < g->message);
}

static void take_edges(struct analysis *a)
{
    struct rh__flow *f = a->flow;
    f->edge_count = a->edges.count;
    f->edges = must(calloc(f->edge_count + 1, sizeof *f->edges));
    for (uint32_t i = 0; i < f->edge_count; i++)
        f->edges[i] = (struct rh__flow_edge){ .kind = (enum rh__flow_kind)a->edges.keys[i][0],
                                              .from = (uint32_t)(a->edges.keys[i][1] >> 32),
                                              .to = (uint32_t)a->edges.keys[i][1],
                                              .message = (uint32_t)a->edges.keys[i][2] };
    qsort(f->edges, f->edge_count, sizeof *f->edges, compare_edges);
    for (uint32_t i = 0; i < a->contexts.count; i++)
        f->handlers++;
}

static void release(struct analysis *a)
{
    for (uint32_t i = 0; i < a->set_room; i++)
        rh__set_release(&a->sets[i]);
    for (uint32_t i = 0; i < a->object_room; i++)
        rh__set_release(&a->cells[i]);
    free(a->sets);
    free(a->cells);
    free(a->object_sizes);
    free(a->arrived);
    free(a->active);
    free(a->observed);
    struct rh__index *all[] = { &a->atoms, &a->objects, &a->nodes, &a->contexts, &a->calls, &a->edges, &a->notes };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        rh__index_release(all[i]);
}

void rh__flow_make(struct rh__flow *f, const struct rh__program *p, uint32_t test, bool optimised)
{
    struct analysis a = { .program = p, .flow = f, .optimised = optimised, .changed = true };
    *f = (struct rh__flow){
        .program = p, .test_node = p->actor_count, .outside_node = p->actor_count + 1, .node_count = p->actor_count + 2
    };
    f->present = must(calloc(f->node_count, sizeof(bool)));
    f->present[f->test_node] = f->present[f->outside_node] = true;
    a.arrived = must(calloc((size_t)f->node_count * (p->message_count + 1), sizeof(bool)));
    a.active = must(calloc(p->behaviour_count + 1, sizeof(bool)));
    a.observed = must(calloc(p->actor_count + 1, sizeof(bool)));
    uint32_t body = flow__context(&a, f->test_node, CONTEXT_BODY);
    for (uint32_t i = 0; i < p->test_count; i++) {
        const uint32_t arguments[] = { ref_node(&a, f->test_node) };
        if (test == RH__NO_INDEX || test == i)
            flow__call(&a, body, p->tests[i].body, arguments, 1);
    }
    while (a.changed) {
        a.changed = false;
        for (uint32_t i = 0; i < p->actor_count; i++)
            if (f->present[i])
                start_actor(&a, i);
        for (uint32_t i = 0; i < a.calls.count; i++)
            analyse_function(&a, (uint32_t)a.calls.keys[i][0], (LLVMValueRef)(uintptr_t)a.calls.keys[i][1]);
    }
    take_edges(&a);
    f->entered = must(calloc(p->bitcode.function_count + 1, sizeof(bool)));
    for (uint32_t i = 0; i < a.calls.count; i++) {
        const struct rh__bitcode_function *x =
            rh__bitcode_function(&p->bitcode, (LLVMValueRef)(uintptr_t)a.calls.keys[i][1]);
        if (x)
            f->entered[x - p->bitcode.functions] = true;
    }
    release(&a);
}

void rh__flow_release(struct rh__flow *f)
{
    for (uint32_t i = 0; i < f->note_count; i++)
        free(f->notes[i]);
    free(f->notes);
    free(f->edges);
    free(f->present);
    free(f->entered);
    *f = (struct rh__flow){ 0 };
}

const char *rh__flow_node_name(const struct rh__flow *f, uint32_t node)
{
    return node == f->test_node ? "test" : node == f->outside_node ? "(outside)" : f->program->actors[node].name;
}

bool rh__flow_has(const struct rh__flow *f, enum rh__flow_kind kind, uint32_t from, uint32_t to, uint32_t message)
{
    struct rh__flow_edge key = { kind, from, to, message };
    return bsearch(&key, f->edges, f->edge_count, sizeof key, compare_edges) != NULL;
}
