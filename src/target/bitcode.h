/* The bitcode of a program, as one module.
 *
 * A program that was built with rehearse-bitcode has its bitcode in a section (section.h).  Everything here refuses
 * what it cannot read with a sentence: the file is input of strangers. */
#ifndef RH_TARGET_BITCODE_H
#define RH_TARGET_BITCODE_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function with code, in the order of block coverage: files in the order of linking, functions as in the file. */
struct rh__bitcode_function {
    LLVMValueRef value;
    const char *name; /* as in the source */
    uint32_t file;
    uint32_t first_block; /* index in the coverage of the whole program */
    uint32_t block_count; /* blocks with coverage */
    bool *counted;        /* for each block of the function: whether it has coverage */
    uint32_t all_blocks;
};

struct rh__bitcode {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    char **files; /* sources, absolute */
    bool *newer;  /* whether the source has changed since the program was built */
    uint32_t file_count;
    struct rh__bitcode_function *functions;
    uint32_t function_count;
    uint32_t block_count;
};

bool rh__bitcode_open(struct rh__bitcode *b, const char *program, char *error, size_t error_size);
void rh__bitcode_close(struct rh__bitcode *b);

/* The function of this value, or NULL. */
const struct rh__bitcode_function *rh__bitcode_function(const struct rh__bitcode *b, LLVMValueRef value);

/* The name in the source: internal functions get a suffix, because two files may use one name. */
size_t rh__bitcode_name_length(const char *name);

/* The place of an instruction: its line, and the file as the compiler was given it; 0 if it has none. */
uint32_t rh__bitcode_line(LLVMValueRef instruction, char *file, size_t size);
/* The first line of a block; 0 if it has none. */
uint32_t rh__bitcode_block_line(LLVMBasicBlockRef block, char *file, size_t size);
/* Whether a file of debug information is the one that a user names: the same, or the same behind a slash. */
bool rh__bitcode_is_file(const char *file, const char *named);

#endif
