/* Hashing: one function over bytes, one that combines two hashes. Both are the same on every run and machine of one
 * byte order, so hashes may be stored; neither is a defence against chosen input. */
#ifndef RH_BASE_HASH_H
#define RH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The 64-bit XXH3 of n bytes at p.  Safe on poisoned bytes, which a region may contain. */
uint64_t rh__hash(const void *p, size_t n, uint64_t seed);

/* Combines two hashes, or a hash and a number; mix(a, b) differs from mix(b, a).  It is the full 128-bit product,
 * folded; a and b are folded in as well, so that no value of one cancels the other. */
static inline uint64_t rh__mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(a ^ 0xa0761d6478bd642fu) * (b ^ 0xe7037ed1a0b428dbu);

    return (a ^ (uint64_t)product) ^ ((b << 32 | b >> 32) ^ (uint64_t)(product >> 64));
}

/* ---- 128 bits ---------------------------------------------------------------------------------------------------- */

/* For hashes that stand for what they hash: fingerprints.  Both halves depend on every bit, by different functions. */
struct rh__wide {
    uint64_t high, low;
};

/* The 128-bit XXH3 of n bytes at p.  Safe on poisoned bytes. */
struct rh__wide rh__wide_hash(const void *p, size_t n, uint64_t seed);

/* A number to mix with. */
static inline struct rh__wide rh__wide_of(uint64_t number)
{
    struct rh__wide h = { number, number };
    return h;
}

static inline struct rh__wide rh__wide_mix(struct rh__wide a, struct rh__wide b)
{
    struct rh__wide h = { rh__mix(a.high, b.high), rh__mix(a.low ^ 0x8ebc6af09c88c6e3u, b.low ^ 0x589965cc75374cc3u) };
    return h;
}

/* Mixes a number in. */
static inline struct rh__wide rh__wide_with(struct rh__wide a, uint64_t number)
{
    return rh__wide_mix(a, rh__wide_of(number));
}

/* For hashes whose order does not matter. */
static inline struct rh__wide rh__wide_xor(struct rh__wide a, struct rh__wide b)
{
    struct rh__wide h = { a.high ^ b.high, a.low ^ b.low };
    return h;
}

static inline struct rh__wide rh__wide_sum(struct rh__wide a, struct rh__wide b)
{
    struct rh__wide h = { a.high + b.high, a.low + b.low };
    return h;
}

static inline int rh__wide_is_zero(struct rh__wide a)
{
    return !(a.high | a.low);
}

#endif
