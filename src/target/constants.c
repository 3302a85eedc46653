/* See constants.h. */
#include "target/constants.h"

struct list {
    int64_t *at;
    uint32_t count, most;
};

static void add(struct list *l, int64_t number)
{
    uint32_t i = 0;
    while (i < l->count && l->at[i] != number)
        i++;
    if (i == l->count && l->count < l->most)
        l->at[l->count++] = number;
}

static bool is_number(LLVMValueRef v)
{
    return v && LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 1 &&
           LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64;
}

static void add_operands(struct list *l, LLVMValueRef i)
{
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
        if (is_number(LLVMGetOperand(i, (unsigned)k)))
            add(l, LLVMConstIntGetSExtValue(LLVMGetOperand(i, (unsigned)k)));
}

static void each_instruction(const struct rh__bitcode *b, struct list *l, bool compared)
{
    for (uint32_t f = 0; f < b->function_count; f++)
        for (LLVMBasicBlockRef x = b->functions[f].value ? LLVMGetFirstBasicBlock(b->functions[f].value) : NULL; x;
             x = LLVMGetNextBasicBlock(x))
            for (LLVMValueRef i = LLVMGetFirstInstruction(x); i; i = LLVMGetNextInstruction(i)) {
                LLVMOpcode code = LLVMGetInstructionOpcode(i);
                bool compares = code == LLVMICmp || code == LLVMSwitch;
                bool computes = code == LLVMStore || code == LLVMAdd || code == LLVMSub || code == LLVMMul ||
                                code == LLVMPHI || code == LLVMSelect;
                if (compared ? compares : computes)
                    add_operands(l, i);
            }
}

uint32_t rh__constants_of(const struct rh__program *p, int64_t *numbers, uint32_t most)
{
    enum { MOST = 64 };
    int64_t compared_at[MOST], other_at[MOST];
    struct list compared = { compared_at, 0, MOST }, others = { other_at, 0, MOST }, all = { numbers, 0, most };
    each_instruction(&p->bitcode, &compared, true);
    each_instruction(&p->bitcode, &others, false);
    for (uint32_t i = 0; i < compared.count; i++)
        for (int64_t near = -1; near <= 1; near++)
            add(&all, (int64_t)((uint64_t)compared.at[i] + (uint64_t)near));
    for (uint32_t i = 0; i < others.count; i++)
        add(&all, others.at[i]);
    for (uint32_t i = 0; i < compared.count; i++)
        for (uint32_t k = 0; k < others.count; k++)
            add(&all, (int64_t)((uint64_t)compared.at[i] - (uint64_t)others.at[k]));
    return all.count;
}
