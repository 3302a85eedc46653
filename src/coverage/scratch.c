/* See scratch.h. */
#include "coverage/scratch.h"

#include "base/fail.h"

void *rh__scratch(size_t which, size_t bytes)
{
    static struct {
        void *at;
        size_t size;
    } blocks[RH__SCRATCH_BLOCKS];
    if (blocks[which].size < bytes) {
        rh__free(blocks[which].at);
        blocks[which].size = bytes + bytes / 2;
        blocks[which].at = rh__alloc(blocks[which].size);
        if (!blocks[which].at)
            blocks[which].size = 0;
    }
    return blocks[which].at;
}
