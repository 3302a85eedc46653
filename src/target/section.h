/* The section of an object file, and of a program, that holds bitcode: rehearse-bitcode writes it, bitcode.c reads it.
 *
 * It is a sequence of blobs, one for each source file, in the order in which the objects were linked: a head, the
 * absolute name of the source, the bitcode.  Numbers are in the byte order of the machine, because a program is
 * analysed where it was built. */
#ifndef RH_TARGET_SECTION_H
#define RH_TARGET_SECTION_H

#include <stddef.h>
#include <stdint.h>

#define RH__SECTION_NAME  ".rehearse.bitcode"
#define RH__SECTION_MAGIC "RHBC0002"

struct rh__section_head {
    char magic[8];
    uint64_t size; /* of the bitcode */
    uint64_t name_size;
    uint64_t hash; /* of the bitcode: LLVM's reader ends the process on many kinds of damage */
};

/* FNV-1a; begin with RH__SECTION_HASH. */
#define RH__SECTION_HASH 1469598103934665603u
static inline uint64_t rh__section_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * 1099511628211u;
    return hash;
}

#endif
