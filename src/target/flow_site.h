/* A call of a function without a body, for its models (flow_calls.c, flow_libc.c). */
/* Private to src/target. */
#ifndef RH_TARGET_FLOW_SITE_H
#define RH_TARGET_FLOW_SITE_H

#include "target/flow_analysis.h"

struct site {
    struct analysis *a;
    uint32_t context;
    struct context who;
    LLVMValueRef call;
};

static inline uint32_t argument(const struct site *s, uint32_t i)
{
    return flow__value(s->a, s->context, LLVMGetOperand(s->call, i));
}

static inline uint32_t result(const struct site *s)
{
    return flow__value(s->a, s->context, s->call);
}

/* What a function does with what it is given. */
struct flow_model {
    const char *name;
    uint32_t arguments; /* at least */
    void (*apply)(const struct site *s);
};

/* Applies the model of this name and number of arguments; false if the rows have none. */
bool flow__apply(const struct flow_model *rows, size_t row_count, const struct site *s, const char *name,
                 uint32_t arguments);
bool flow__libc_call(const struct site *s, const char *name, uint32_t arguments);

#endif
