/* What a program declares, found in its bitcode: message types, actor types, behaviours, tests.
 *
 * The macros of rehearse.h leave global variables with known names and constructors that register them.  Struct tags in
 * bitcode are not reliable (linking merges types of the same layout), so only names, initialisers and sizes are
 * used. */
#ifndef RH_TARGET_PROGRAM_H
#define RH_TARGET_PROGRAM_H

#include "target/bitcode.h"

#define RH__NO_INDEX 0xffffffffu

struct rh__program_message {
    LLVMValueRef global;
    const char *name;
    uint32_t size;
    uint32_t unhandled; /* enum rh_unhandled */
};

struct rh__program_actor {
    LLVMValueRef global;
    const char *name;
    uint32_t size;
    uint32_t kind;     /* enum rh_actor_kind */
    uint32_t first;    /* behaviour; RH__NO_INDEX for none */
    LLVMValueRef body; /* of a process */
};

struct rh__program_entry {
    uint32_t message;
    LLVMValueRef handler; /* NULL unless action is RH_ACTION_HANDLE */
    uint32_t action;      /* enum rh_action */
};

struct rh__program_behaviour {
    LLVMValueRef global;
    const char *name;
    uint32_t actor;
    struct rh__program_entry *entries;
    uint32_t entry_count;
};

struct rh__program_test {
    const char *name;
    LLVMValueRef body;
};

struct rh__program {
    struct rh__bitcode bitcode;
    struct rh__program_message *messages;
    struct rh__program_actor *actors;
    struct rh__program_behaviour *behaviours;
    struct rh__program_test *tests;
    uint32_t message_count, actor_count, behaviour_count, test_count;
};

bool rh__program_open(struct rh__program *p, const char *path, char *error, size_t error_size);
void rh__program_close(struct rh__program *p);

/* Indices; RH__NO_INDEX for none. */
uint32_t rh__program_message_of(const struct rh__program *p, LLVMValueRef global);
uint32_t rh__program_message_named(const struct rh__program *p, const char *name);
uint32_t rh__program_actor_of(const struct rh__program *p, LLVMValueRef global);
uint32_t rh__program_behaviour_of(const struct rh__program *p, LLVMValueRef global);
uint32_t rh__program_test_named(const struct rh__program *p, const char *name);

/* The entry of a message in a behaviour, or NULL. */
const struct rh__program_entry *rh__program_entry(const struct rh__program *p, uint32_t behaviour, uint32_t message);

/* Whether one function may call another, directly or through at most `depth` others; a function calls itself. */
bool rh__program_calls(LLVMValueRef from, LLVMValueRef to, uint32_t depth);

/* The value without casts. */
LLVMValueRef rh__program_strip(LLVMValueRef v);

#endif
