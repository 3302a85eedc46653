/* Block coverage: which basic blocks of the program have run.
 *
 * A program that was compiled by rehearse-bitcode has a call at the beginning of each of its blocks, and
 * librehearse-blocks.a (src/target/blocks), which defines rh__blocks and counts there.  In other programs the address
 * of rh__blocks is NULL: ask rh__has_blocks.
 * The blocks of a function are numbered as in its bitcode, functions as in their file, files as they were linked. */
#ifndef RH_BASE_BLOCKS_H
#define RH_BASE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RH__BLOCK_RAN = 1,
    RH__BLOCK_WANTED = 2, /* calls `reached` */
};

struct rh__blocks {
    uint32_t count;
    uint8_t *flags;         /* of each block; in memory shared with child processes */
    const uintptr_t *table; /* for each block its address, and 1 if it is the first of its function */
    void (*reached)(uint32_t block);
};
extern struct rh__blocks rh__blocks __attribute__((weak, visibility("default")));

static inline bool rh__has_blocks(void)
{
    return &rh__blocks != NULL && rh__blocks.count;
}

#endif
