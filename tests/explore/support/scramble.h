/* The random numbers of generated programs: the same everywhere for the same two numbers (splitmix64's finaliser). */
#ifndef RH_TESTS_EXPLORE_SUPPORT_SCRAMBLE_H
#define RH_TESTS_EXPLORE_SUPPORT_SCRAMBLE_H

#include <stdint.h>

static inline uint64_t scrambled(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Draws a number below n, and changes the state. */
static inline uint32_t below(uint64_t *random, uint32_t n)
{
    *random = scrambled(*random, 1);
    return (uint32_t)(*random >> 20) % n;
}

#endif
