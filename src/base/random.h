/* Seeded random numbers.  The state of a generator is one word, so an actor or an explorer can have its own, and
 * copying the word copies the generator.  Not for secrets.
 *
 * The generator is splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014, figure
 * 17): period 2^64, each value once a period. */
#ifndef RH_BASE_RANDOM_H
#define RH_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t rh__random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The initial state of stream number `stream` under `seed`.  Any numbers will do; the states of different streams are
 * almost certainly far apart on the cycle. */
static inline uint64_t rh__random_seed(uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;

    state = rh__random_next(&state) ^ stream;
    return rh__random_next(&state);
}

/* A uniform number in 0 .. n - 1; 0 if n is 0.  Lemire: Fast random integer generation in an interval, ACM TOMACS
 * 29(1), 2019, algorithm 5. */
static inline uint32_t rh__random_below(uint64_t *state, uint32_t n)
{
    uint64_t m = (rh__random_next(state) >> 32) * n;

    if ((uint32_t)m < n) {
        uint32_t unfair = -n % n;
        while ((uint32_t)m < unfair)
            m = (rh__random_next(state) >> 32) * n;
    }
    return (uint32_t)(m >> 32);
}

#endif
