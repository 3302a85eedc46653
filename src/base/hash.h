/* Hashing: one function over bytes, one that combines two hashes. Both are the same on every run and machine of one
 * byte order, so hashes may be stored; neither is a defence against chosen input. */
#ifndef RH_BASE_HASH_H
#define RH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH3, 64 bits, of n bytes at p. Safe on bytes that a sanitizer has poisoned, as those of a region may be. */
uint64_t rh__hash(const void *p, size_t n, uint64_t seed);

/* Combines two hashes (or a hash and a number) into one; mix(a, b) differs from mix(b, a). The full product of 64 by
 * 64 bits, folded; a and b are folded in as well, so that no value of one swallows the other. */
static inline uint64_t rh__mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(a ^ 0xa0761d6478bd642fu) * (b ^ 0xe7037ed1a0b428dbu);

    return (a ^ (uint64_t)product) ^ ((b << 32 | b >> 32) ^ (uint64_t)(product >> 64));
}

#endif
