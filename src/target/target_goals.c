/* See target_goals.h. */
#include "target/target_goals.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

__attribute__((format(printf, 1, 2))) static char *text(const char *format, ...)
{
    char buffer[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(buffer, sizeof buffer, format, list);
    va_end(list);
    char *copy = strdup(buffer);
    RH__ASSERT(copy, "no memory for the goals");
    return copy;
}

static bool starts(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* ---- blocks of the source ---------------------------------------------------------------------------------------- */

/* A block with coverage, for the loops below. */
struct place {
    const struct rh__bitcode_function *function;
    LLVMBasicBlockRef block;
    uint32_t index;  /* in its function, of all blocks */
    uint32_t number; /* of block coverage */
};

static void each_block(const struct rh__bitcode *b, void (*call)(const struct place *p, void *arg), void *arg)
{
    for (uint32_t i = 0; i < b->function_count; i++) {
        const struct rh__bitcode_function *f = &b->functions[i];
        struct place p = { .function = f, .number = f->first_block };
        /* Without a value another file's definition of a weak function was taken. */
        for (LLVMBasicBlockRef x = f->value ? LLVMGetFirstBasicBlock(f->value) : NULL; x && p.index < f->all_blocks;
             x = LLVMGetNextBasicBlock(x), p.index++)
            if (f->counted[p.index]) {
                p.block = x;
                call(&p, arg);
                p.number++;
            }
    }
}

/* What the macros of rehearse.h make, and code of its headers. */
static bool is_generated(const struct place *p)
{
    static const char *const beginnings[] = {
        "rh_call_",        "rh_adds_",           "rh_body_add_",         "rh_test_add_",
        "rh_bug_register", "rh_param_register_", "rh_explorer_register_"
    };
    char file[4096] = "";
    if (strcmp(p->function->name, "main") == 0 || !rh__bitcode_block_line(p->block, file, sizeof file))
        return true;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (starts(p->function->name, beginnings[i]))
            return true;
    return rh__bitcode_is_file(file, "rehearse.h") || strstr(file, "/rehearse/");
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- goals ------------------------------------------------------------------------------------------------------- */

static struct rh__goal *add(struct rh__goals *g)
{
    g->at = realloc(g->at, (g->count + 1) * sizeof *g->at);
    RH__ASSERT(g->at, "no memory for the goals");
    g->at[g->count] = (struct rh__goal){ .status = RH__GOAL_OPEN };
    return &g->at[g->count++];
}

static void add_block(struct rh__goal *x, uint32_t number)
{
    x->blocks = realloc(x->blocks, (x->block_count + 1) * sizeof *x->blocks);
    RH__ASSERT(x->blocks, "no memory for the goals");
    x->blocks[x->block_count++] = number;
}

static void add_place(struct rh__goals *g, const struct place *p, const char *what)
{
    char file[4096] = "";
    uint32_t line = rh__bitcode_block_line(p->block, file, sizeof file);
    struct rh__goal *x = add(g);
    x->place = text("%s:%u", base_name(file), line);
    x->what = what ? strdup(what) : text("block %u of %s", p->index, p->function->name);
    add_block(x, p->number);
}

struct search {
    struct rh__goals *goals;
    const struct rh__flow *flow;
    struct rh__goal *goal;
    const char *file, *name;
    uint32_t line;
};

static void add_if_line(const struct place *p, void *arg)
{
    struct search *s = arg;
    char file[4096];
    for (LLVMValueRef i = LLVMGetFirstInstruction(p->block); i; i = LLVMGetNextInstruction(i))
        if (rh__bitcode_line(i, file, sizeof file) == s->line && rh__bitcode_is_file(file, s->file)) {
            add_block(s->goal, p->number);
            return;
        }
}

bool rh__goals_add_line(struct rh__goals *g, const char *file, uint32_t line, char *error, size_t error_size)
{
    struct search s = { .goals = g, .goal = add(g), .file = file, .line = line };
    s.goal->place = text("%s:%u", file, line);
    s.goal->what = text("line");
    each_block(&g->program->bitcode, add_if_line, &s);
    if (!s.goal->block_count)
        snprintf(error, error_size, "%s:%u: the program has no code there", file, line);
    return s.goal->block_count != 0;
}

/* What the block says when it runs, if it belongs to a check of `rehearse-bitcode --null`; else NULL. */
static const char *check_of(LLVMBasicBlockRef block)
{
    static const char *const checks[][2] = { { "__ubsan_handle_type_mismatch_minimal_abort", "null pointer" },
                                             { "__ubsan_handle_out_of_bounds_minimal_abort", "out of bounds" },
                                             { "rh_to_nobody_", "send to nobody" } };
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        for (size_t k = 0; called && LLVMIsAFunction(called) && k < sizeof checks / sizeof *checks; k++)
            if (strcmp(LLVMGetValueName(called), checks[k][0]) == 0)
                return checks[k][1];
    }
    return NULL;
}

/* Whether a function gets its state, or the state and a message, from the world. */
static bool is_called_by_world(LLVMValueRef function)
{
    const char *name = LLVMGetValueName(function);
    return starts(name, "rh_on_") || starts(name, "rh_body_of_");
}

/* State and message of a handler, variables, and places in what is not null; a field of a structure has been checked
 * with the structure. */
static bool never_null(LLVMValueRef pointer, uint32_t deep)
{
    if (LLVMIsAArgument(pointer))
        return is_called_by_world(LLVMGetParamParent(pointer));
    if (LLVMIsAAllocaInst(pointer) || LLVMIsAGlobalVariable(pointer))
        return true;
    if (!deep || !(LLVMIsABitCastInst(pointer) || LLVMIsAGetElementPtrInst(pointer)))
        return false;
    LLVMValueRef base = LLVMGetOperand(pointer, 0);
    bool field = LLVMIsAGetElementPtrInst(pointer) && LLVMGetNumOperands(pointer) > 2 &&
                 LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(base))) == LLVMStructTypeKind;
    return field || never_null(base, deep - 1);
}

/* Whether the check cannot fail: the passes have found that, or its pointer is never null. */
static bool is_superfluous(LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    LLVMValueRef branch = use ? LLVMGetUser(use) : NULL;
    LLVMValueRef is =
        branch && LLVMIsABranchInst(branch) && LLVMIsConditional(branch) ? LLVMGetCondition(branch) : NULL;
    if (is && LLVMIsAConstantInt(is))
        return LLVMGetSuccessor(branch, LLVMConstIntGetZExtValue(is) ? 0 : 1) != block;
    return is && LLVMIsAICmpInst(is) && never_null(LLVMGetOperand(is, 0), 8);
}

static void add_if_check(const struct place *p, void *arg)
{
    struct search *s = arg;
    const char *what = check_of(p->block);
    if (what && !is_generated(p) && !is_superfluous(p->block))
        add_place(s->goals, p, what);
}

bool rh__goals_add_checks(struct rh__goals *g, char *error, size_t error_size)
{
    struct search s = { .goals = g };
    LLVMModuleRef m = g->program->bitcode.module;
    each_block(&g->program->bitcode, add_if_check, &s);
    if (!g->count && !LLVMGetNamedFunction(m, "__ubsan_handle_type_mismatch_minimal_abort") &&
        !LLVMGetNamedFunction(m, "rh_to_nobody_"))
        snprintf(error, error_size, "--null: the program has no checks: build it with `rehearse-bitcode --null`");
    else if (!g->count)
        snprintf(error, error_size, "--null: no check of the program can fail");
    return g->count != 0;
}

static void add_if_assertion(const struct place *p, void *arg)
{
    struct search *s = arg;
    for (LLVMValueRef i = LLVMGetFirstInstruction(p->block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (called && LLVMIsAFunction(called) && strcmp(LLVMGetValueName(called), "rh_assert_failed_") == 0) {
            add_place(s->goals, p, "assertion");
            return;
        }
    }
}

bool rh__goals_add_assertions(struct rh__goals *g, char *error, size_t error_size)
{
    struct search s = { .goals = g };
    each_block(&g->program->bitcode, add_if_assertion, &s);
    if (!g->count)
        snprintf(error, error_size, "the program has no rh_assert");
    return g->count != 0;
}

/* A handler may be named as in the source, ACTOR__MESSAGE. */
static bool is_named(const char *function, const char *name)
{
    return strcmp(function, name) == 0 || (starts(function, "rh_on_") && strcmp(function + 6, name) == 0);
}

static void add_if_function(const struct place *p, void *arg)
{
    struct search *s = arg;
    if (p->index == 0 && is_named(p->function->name, s->name))
        add_place(s->goals, p, s->name);
}

bool rh__goals_add_function(struct rh__goals *g, const char *name, char *error, size_t error_size)
{
    struct search s = { .goals = g, .name = name };
    each_block(&g->program->bitcode, add_if_function, &s);
    if (!g->count)
        snprintf(error, error_size, "the program has no function %s (a handler is ACTOR__MESSAGE)", name);
    return g->count != 0;
}

/* A predicate: a function that the program passes to a call (.match, .when, qsort). */
static bool is_passed(const struct rh__bitcode_function *f)
{
    for (LLVMUseRef u = LLVMGetFirstUse(f->value); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsACallInst(user) ? LLVMGetCalledValue(user) != f->value : LLVMIsAStoreInst(user) != NULL)
            return true;
    }
    return false;
}

static void add_if_own(const struct place *p, void *arg)
{
    struct search *s = arg;
    const struct rh__program *program = s->goals->program;
    bool of_test = false;
    for (uint32_t i = 0; i < program->test_count; i++)
        of_test |= program->tests[i].body == p->function->value;
    bool of_actors = s->flow->entered[p->function - program->bitcode.functions] ||
                     starts(p->function->name, "rh_on_") || is_passed(p->function);
    if (of_actors && !of_test && !is_generated(p) && !check_of(p->block))
        add_place(s->goals, p, NULL);
}

bool rh__goals_add_all(struct rh__goals *g, const struct rh__flow *f, char *error, size_t error_size)
{
    struct search s = { .goals = g, .flow = f };
    each_block(&g->program->bitcode, add_if_own, &s);
    if (!g->count)
        snprintf(error, error_size, "the program has no code but its tests");
    return g->count != 0;
}

static void release_goal(struct rh__goal *x)
{
    char *texts[] = { x->place, x->what, x->how, x->schedule, x->saved };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        free(texts[k]);
    free(x->blocks);
}

bool rh__goals_keep(struct rh__goals *g, const char *path, char *error, size_t error_size)
{
    FILE *f = fopen(path, "r");
    bool *wanted = calloc(g->program->bitcode.block_count + 1, sizeof *wanted);
    uint32_t count = 0, block;
    RH__ASSERT(wanted, "no memory for a list of blocks");
    while (f && fscanf(f, "%" SCNu32, &block) == 1)
        if (block < g->program->bitcode.block_count)
            wanted[block] = true;
    bool good = f && feof(f);
    if (f)
        fclose(f);
    for (uint32_t i = 0; good && i < g->count; i++)
        if (wanted[g->at[i].blocks[0]])
            g->at[count++] = g->at[i];
        else
            release_goal(&g->at[i]);
    free(wanted);
    if (good)
        g->count = count;
    if (!good || !count)
        snprintf(error, error_size, good ? "%s names no block of the goals" : "%s is no list of blocks", path);
    return good && count;
}

void rh__goals_release(struct rh__goals *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        release_goal(&g->at[i]);
    free(g->at);
    *g = (struct rh__goals){ 0 };
}

uint32_t rh__goals_with(const struct rh__goals *g, enum rh__goal_status status)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->count; i++)
        n += g->at[i].status == status;
    return n;
}

uint32_t rh__goals_by(const struct rh__goals *g, enum rh__stage stage, enum rh__goal_status status)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->count; i++)
        n += g->at[i].stage == stage && g->at[i].status == status;
    return n;
}

const char *rh__stage_name(enum rh__stage stage)
{
    static const char *const names[RH__STAGES] = {
        "none", "graph", "samplers", "optimal", "solver", "search", "repair"
    };
    return names[stage];
}

void rh__goals_explain(struct rh__goal *x, const char *how)
{
    free(x->how);
    x->how = text("%s", how);
}

void rh__goals_settle(struct rh__goals *g, struct rh__goal *x, enum rh__goal_status status, enum rh__stage stage,
                      const char *how)
{
    x->status = status;
    x->stage = stage;
    rh__goals_explain(x, how);
    if (g->settled)
        g->settled(g, (uint32_t)(x - g->at), g->arg);
}

/* ---- functions that are never called ----------------------------------------------------------------------------- */

static bool is_entry(LLVMValueRef user)
{
    return LLVMIsAConstantStruct(user) && LLVMCountStructElementTypes(LLVMTypeOf(user)) == 5; /* struct rh_entry */
}

/* RH_BODY registers the body of a process before main. */
static bool registers_body(LLVMValueRef user, LLVMValueRef function)
{
    LLVMValueRef called = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
    size_t size;
    return called && called != function && !strcmp(LLVMGetValueName2(called, &size), "rh_body_register_");
}

/* Whether every use of the function is a call in a function that is never called, the entry of a behaviour, or the
 * registration of a body: the analysis knows when entries and bodies are called. */
static bool used_by_dead(const struct rh__flow *f, const bool *alive, uint32_t function)
{
    const struct rh__bitcode *b = &f->program->bitcode;
    LLVMValueRef value = b->functions[function].value;
    if (!value || LLVMGetLinkage(value) != LLVMInternalLinkage)
        return false; /* code without bitcode may call it */
    for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool calls = LLVMIsACallInst(user) && LLVMGetCalledValue(user) == value;
        const struct rh__bitcode_function *in =
            calls ? rh__bitcode_function(b, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))) : NULL;
        if (!(in && !alive[in - b->functions]) && !is_entry(user) && !registers_body(user, value))
            return false;
    }
    return true;
}

/* Begins with all functions that the analysis has not entered, and takes out those that something else may call. */
static bool *find_alive(const struct rh__flow *f)
{
    const struct rh__bitcode *b = &f->program->bitcode;
    bool *alive = calloc(b->function_count + 1, sizeof *alive);
    RH__ASSERT(alive, "no memory for %u functions", b->function_count);
    memcpy(alive, f->entered, b->function_count * sizeof *alive);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < b->function_count; i++)
            if (!alive[i] && !used_by_dead(f, alive, i))
                alive[i] = changed = true;
    }
    return alive;
}

void rh__goals_judge_by_flow(struct rh__goals *g, const struct rh__flow *f)
{
    const struct rh__bitcode *b = &g->program->bitcode;
    if (f->note_count)
        return; /* something may happen that the graph does not show */
    bool *alive = find_alive(f);
    for (uint32_t i = 0; i < g->count; i++) {
        struct rh__goal *x = &g->at[i];
        const char *name = NULL;
        bool dead = true;
        for (uint32_t k = 0; k < x->block_count; k++)
            for (uint32_t n = 0; n < b->function_count; n++)
                if (x->blocks[k] - b->functions[n].first_block < b->functions[n].block_count) {
                    dead &= !alive[n];
                    name = b->functions[n].name;
                }
        if (dead && name) {
            char how[512];
            snprintf(how, sizeof how, "no run of the test calls %s: the message flow graph has no way to it", name);
            rh__goals_settle(g, x, RH__GOAL_UNREACHABLE, RH__STAGE_GRAPH, how);
        }
    }
    free(alive);
}
