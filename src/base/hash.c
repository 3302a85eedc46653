/* The hash over bytes.  It is in a file of its own because compiling XXH3 inline costs more than calling it. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/copy.h"
#include "base/hash.h"

#if defined(__SANITIZE_ADDRESS__)
#define INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define INSTRUMENTED 1
#endif
#endif

#ifndef INSTRUMENTED

uint64_t rh__hash(const void *p, size_t n, uint64_t seed)
{
    return XXH3_64bits_withSeed(p, n, seed);
}

struct rh__wide rh__wide_hash(const void *p, size_t n, uint64_t seed)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(p, n, seed);
    return (struct rh__wide){ h.high64, h.low64 };
}

#else

/* AddressSanitizer has instrumented XXH3 here and would report the red zones of a region.  So the bytes are hashed
 * through a clean buffer; the value is the same. */
uint64_t rh__hash(const void *p, size_t n, uint64_t seed)
{
    unsigned char buffer[4096];
    const unsigned char *at = p;

    if (n <= sizeof buffer) {
        rh__copy(buffer, at, n);
        return XXH3_64bits_withSeed(buffer, n, seed);
    }
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset_withSeed(&state, seed);
    while (n > 0) {
        size_t part = n < sizeof buffer ? n : sizeof buffer;
        rh__copy(buffer, at, part);
        XXH3_64bits_update(&state, buffer, part);
        at += part;
        n -= part;
    }
    return XXH3_64bits_digest(&state);
}

struct rh__wide rh__wide_hash(const void *p, size_t n, uint64_t seed)
{
    unsigned char buffer[4096];
    const unsigned char *at = p;
    XXH128_hash_t h;

    if (n <= sizeof buffer) {
        rh__copy(buffer, at, n);
        h = XXH3_128bits_withSeed(buffer, n, seed);
    } else {
        XXH3_state_t state;
        XXH3_INITSTATE(&state);
        XXH3_128bits_reset_withSeed(&state, seed);
        while (n > 0) {
            size_t part = n < sizeof buffer ? n : sizeof buffer;
            rh__copy(buffer, at, part);
            XXH3_128bits_update(&state, buffer, part);
            at += part;
            n -= part;
        }
        h = XXH3_128bits_digest(&state);
    }
    return (struct rh__wide){ h.high64, h.low64 };
}

#endif
