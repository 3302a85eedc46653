/* See bitcode_program.h. */
#include "target/bitcode_program.h"

#include <rehearse/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grow(void *list, uint32_t count, size_t size)
{
    void *p = realloc(list, (count + 1) * size);
    if (!p) {
        fputs("rehearse: no memory\n", stderr);
        exit(3);
    }
    return p;
}

LLVMValueRef rh__program_strip(LLVMValueRef v)
{
    while (v && LLVMIsAConstantExpr(v) && LLVMGetNumOperands(v) >= 1)
        v = LLVMGetOperand(v, 0);
    return v;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Field i of the initialiser of a global as a number; 0 if it is none. */
static uint32_t number_field(LLVMValueRef init, unsigned i)
{
    LLVMValueRef v = LLVMIsAConstantAggregateZero(init) ? NULL : LLVMGetOperand(init, i);
    return v && LLVMIsAConstantInt(v) ? (uint32_t)LLVMConstIntGetZExtValue(v) : 0;
}

static bool has_fields(LLVMValueRef init, unsigned count)
{
    return init && LLVMGetTypeKind(LLVMTypeOf(init)) == LLVMStructTypeKind &&
           LLVMCountStructElementTypes(LLVMTypeOf(init)) == count && LLVMIsAConstantStruct(init);
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static bool find_types(struct rh__program *p, char *error, size_t error_size)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(p->bitcode.module); g; g = LLVMGetNextGlobal(g)) {
        size_t length;
        const char *name = LLVMGetValueName2(g, &length);
        LLVMValueRef init = LLVMGetInitializer(g);
        bool message = starts(name, "rh_message_"), actor = starts(name, "rh_actor_");
        if (!message && !actor)
            continue;
        if (!has_fields(init, message ? 4 : 6) && !(actor && has_fields(init, 7))) { /* padding may be a field */
            snprintf(error, error_size, "%s does not look as this version of rehearse.h declares it", name);
            return false;
        }
        if (message) {
            p->messages = grow(p->messages, p->message_count, sizeof *p->messages);
            p->messages[p->message_count++] = (struct rh__program_message){
                .global = g, .name = name + 11, .size = number_field(init, 1), .unhandled = number_field(init, 2)
            };
        } else {
            p->actors = grow(p->actors, p->actor_count, sizeof *p->actors);
            p->actors[p->actor_count++] = (struct rh__program_actor){ .global = g,
                                                                      .name = name + 9,
                                                                      .size = number_field(init, 1),
                                                                      .kind = number_field(init, 2),
                                                                      .first = RH__NO_INDEX };
        }
    }
    return true;
}

static bool read_entries(struct rh__program *p, struct rh__program_behaviour *b)
{
    LLVMValueRef init = LLVMGetInitializer(b->global), list;
    if (!has_fields(init, 6) && !has_fields(init, 7)) /* clang may add padding as a field */
        return false;
    list = rh__program_strip(LLVMGetOperand(init, 2));
    list = list && LLVMIsAGlobalVariable(list) ? LLVMGetInitializer(list) : NULL;
    if (!list || LLVMGetTypeKind(LLVMTypeOf(list)) != LLVMArrayTypeKind)
        return false;
    b->entry_count = LLVMGetArrayLength(LLVMTypeOf(list));
    b->entries = calloc(b->entry_count + 1, sizeof *b->entries);
    for (uint32_t i = 0; b->entries && i < b->entry_count; i++) {
        LLVMValueRef e = LLVMGetOperand(list, i);
        if (!LLVMIsAConstantStruct(e))
            return false;
        LLVMValueRef handler = rh__program_strip(LLVMGetOperand(e, 1));
        b->entries[i].message = rh__program_message_of(p, rh__program_strip(LLVMGetOperand(e, 0)));
        b->entries[i].handler = LLVMIsAFunction(handler) ? handler : NULL;
        b->entries[i].action = number_field(e, 2);
        if (b->entries[i].message == RH__NO_INDEX)
            return false;
    }
    return b->entries != NULL;
}

/* A call in a constructor that registers something. */
static bool read_registration(struct rh__program *p, LLVMValueRef call, char *error, size_t error_size)
{
    LLVMValueRef called = LLVMGetCalledValue(call);
    const char *name = LLVMIsAFunction(called) ? LLVMGetValueName(called) : "";
    if (strcmp(name, "rh_behaviour_register_") == 0) {
        struct rh__program_behaviour b = { .global = rh__program_strip(LLVMGetOperand(call, 0)),
                                           .actor =
                                               rh__program_actor_of(p, rh__program_strip(LLVMGetOperand(call, 1))) };
        if (b.actor == RH__NO_INDEX || !LLVMIsAGlobalVariable(b.global) || !read_entries(p, &b)) {
            snprintf(error, error_size, "a behaviour does not look as this version of rehearse.h declares it");
            return false;
        }
        const char *full = LLVMGetValueName(b.global), *bare = strstr(full, "__");
        b.name = bare ? bare + 2 : full;
        if (p->actors[b.actor].first == RH__NO_INDEX)
            p->actors[b.actor].first = p->behaviour_count;
        p->behaviours = grow(p->behaviours, p->behaviour_count, sizeof *p->behaviours);
        p->behaviours[p->behaviour_count++] = b;
    } else if (strcmp(name, "rh_body_register_") == 0) {
        uint32_t a = rh__program_actor_of(p, rh__program_strip(LLVMGetOperand(call, 0)));
        if (a != RH__NO_INDEX)
            p->actors[a].body = rh__program_strip(LLVMGetOperand(call, 1));
    } else if (strcmp(name, "rh_test_register_") == 0) {
        LLVMValueRef g = rh__program_strip(LLVMGetOperand(call, 0)), init;
        init = LLVMIsAGlobalVariable(g) ? LLVMGetInitializer(g) : NULL;
        if (!init || !LLVMIsAConstantStruct(init) || LLVMGetNumOperands(init) < 3)
            return true;
        size_t length;
        const char *full = LLVMGetValueName2(g, &length);
        p->tests = grow(p->tests, p->test_count, sizeof *p->tests);
        p->tests[p->test_count++] =
            (struct rh__program_test){ .name = starts(full, "rh_test_entry_") ? full + 14 : full,
                                       .body = rh__program_strip(LLVMGetOperand(init, 2)) };
    }
    return true;
}

static bool find_registrations(struct rh__program *p, char *error, size_t error_size)
{
    LLVMValueRef list = LLVMGetNamedGlobal(p->bitcode.module, "llvm.global_ctors");
    list = list ? LLVMGetInitializer(list) : NULL;
    for (int i = 0; list && i < LLVMGetNumOperands(list); i++) {
        LLVMValueRef f = rh__program_strip(LLVMGetOperand(LLVMGetOperand(list, (unsigned)i), 1));
        if (!f || !LLVMIsAFunction(f))
            continue;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef k = LLVMGetFirstInstruction(b); k; k = LLVMGetNextInstruction(k))
                if (LLVMIsACallInst(k) && !read_registration(p, k, error, error_size))
                    return false;
    }
    return true;
}

bool rh__program_open(struct rh__program *p, const char *path, char *error, size_t error_size)
{
    char why[512] = "";
    *p = (struct rh__program){ 0 };
    if (!rh__bitcode_open(&p->bitcode, path, error, error_size))
        return false;
    if (!find_types(p, why, sizeof why) || !find_registrations(p, why, sizeof why)) {
        snprintf(error, error_size, "%s: %s", path, why);
        rh__program_close(p);
        return false;
    }
    if (!p->test_count) {
        snprintf(error, error_size,
                 "%s: its bitcode has no test: compile the file with RH_TEST by rehearse-bitcode, too", path);
        rh__program_close(p);
        return false;
    }
    return true;
}

void rh__program_close(struct rh__program *p)
{
    for (uint32_t i = 0; i < p->behaviour_count; i++)
        free(p->behaviours[i].entries);
    free(p->messages);
    free(p->actors);
    free(p->behaviours);
    free(p->tests);
    rh__bitcode_close(&p->bitcode);
    *p = (struct rh__program){ 0 };
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */

uint32_t rh__program_message_of(const struct rh__program *p, LLVMValueRef global)
{
    for (uint32_t i = 0; i < p->message_count; i++)
        if (p->messages[i].global == global)
            return i;
    return RH__NO_INDEX;
}

uint32_t rh__program_message_named(const struct rh__program *p, const char *name)
{
    for (uint32_t i = 0; i < p->message_count; i++)
        if (strcmp(p->messages[i].name, name) == 0)
            return i;
    return RH__NO_INDEX;
}

uint32_t rh__program_actor_of(const struct rh__program *p, LLVMValueRef global)
{
    for (uint32_t i = 0; i < p->actor_count; i++)
        if (p->actors[i].global == global)
            return i;
    return RH__NO_INDEX;
}

uint32_t rh__program_behaviour_of(const struct rh__program *p, LLVMValueRef global)
{
    for (uint32_t i = 0; i < p->behaviour_count; i++)
        if (p->behaviours[i].global == global)
            return i;
    return RH__NO_INDEX;
}

uint32_t rh__program_test_named(const struct rh__program *p, const char *name)
{
    for (uint32_t i = 0; i < p->test_count; i++)
        if (strcmp(p->tests[i].name, name) == 0)
            return i;
    return RH__NO_INDEX;
}

const struct rh__program_entry *rh__program_entry(const struct rh__program *p, uint32_t behaviour, uint32_t message)
{
    const struct rh__program_behaviour *b = &p->behaviours[behaviour];
    for (uint32_t i = 0; i < b->entry_count; i++)
        if (b->entries[i].message == message)
            return &b->entries[i];
    return NULL;
}

bool rh__program_calls(LLVMValueRef from, LLVMValueRef to, uint32_t depth)
{
    if (from == to)
        return true;
    for (LLVMBasicBlockRef b = depth ? LLVMGetFirstBasicBlock(from) : NULL; b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
            if (callee && LLVMIsAFunction(callee) && LLVMGetFirstBasicBlock(callee) &&
                rh__program_calls(callee, to, depth - 1))
                return true;
        }
    return false;
}
