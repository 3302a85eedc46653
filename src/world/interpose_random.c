/* Random numbers: inside an actor all of them come from the actor's own seeded stream, that of rh_random.
 *
 * Functions with hidden state (rand, random, drand48) and the kernel's generators return values of the stream in their
 * usual ranges.  Their seeds (srand, initstate, seed48, ...) are ignored: a run must not depend on a seed that an actor
 * of an earlier run has set, and the test has the seed of a run.  So srand(42) does not give the numbers that it gives
 * elsewhere.
 *
 * Functions whose state belongs to the caller (rand_r, random_r, erand48, nrand48, jrand48) depend on nothing else and
 * are not interposed.
 *
 * The devices /dev/random and /dev/urandom: see open, fopen and read in interpose_file.c and interpose_read.c. */
#include "world/interpose_next.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void rh__random_fill(void *memory, size_t size)
{
    unsigned char *at = (unsigned char *)memory;

    while (size > 0) {
        uint64_t value = rh__virtual_random();
        size_t n = size < sizeof value ? size : sizeof value;
        memcpy(at, &value, n);
        at += n;
        size -= n;
    }
}

bool rh__random_device(int fd)
{
    struct stat s;
    int saved = errno;
    bool found = NEXT(fstat)(fd, &s) == 0 && S_ISCHR(s.st_mode) && major(s.st_rdev) == 1 &&
                 (minor(s.st_rdev) == 8 || minor(s.st_rdev) == 9);

    errno = saved;
    return found;
}

/* 0 .. 2^31 - 1, which is RAND_MAX too. */
static int32_t bits31(void)
{
    return (int32_t)(rh__virtual_random() >> 33);
}

/* A uniform number in 0 .. bound - 1 (Lemire, "Fast random integer generation in an interval", 2019). */
static uint32_t below(uint32_t bound)
{
    uint64_t product = (rh__virtual_random() >> 32) * bound;

    if ((uint32_t)product < bound) {
        uint32_t unfair = -bound % bound;
        while ((uint32_t)product < unfair)
            product = (rh__virtual_random() >> 32) * bound;
    }
    return (uint32_t)(product >> 32);
}

_Static_assert(RAND_MAX == INT32_MAX, "rand has 31 bits");

int rand(void)
{
    return rh__inside() ? bits31() : NEXT(rand)();
}

long random(void)
{
    return rh__inside() ? bits31() : NEXT(random)();
}

void srand(unsigned int seed)
{
    if (!rh__inside())
        NEXT(srand)(seed);
}

void srandom(unsigned int seed)
{
    if (!rh__inside())
        NEXT(srandom)(seed);
}

/* The caller may restore the returned state with setstate, which is also ignored: any pointer will do. */
char *initstate(unsigned int seed, char *state, size_t size)
{
    if (!rh__inside())
        return NEXT(initstate)(seed, state, size);
    if (size < 8) {
        errno = EINVAL;
        return NULL;
    }
    return state;
}

char *setstate(char *state)
{
    return rh__inside() ? state : NEXT(setstate)(state);
}

double drand48(void)
{
    return rh__inside() ? (double)(rh__virtual_random() >> 16) * 0x1p-48 : NEXT(drand48)();
}

long lrand48(void)
{
    return rh__inside() ? bits31() : NEXT(lrand48)();
}

long mrand48(void)
{
    return rh__inside() ? (int32_t)(rh__virtual_random() >> 32) : NEXT(mrand48)();
}

void srand48(long seed)
{
    if (!rh__inside())
        NEXT(srand48)(seed);
}

unsigned short *seed48(unsigned short seed[3])
{
    static unsigned short before[3];

    return rh__inside() ? before : NEXT(seed48)(seed);
}

void lcong48(unsigned short parameters[7])
{
    if (!rh__inside())
        NEXT(lcong48)(parameters);
}

ssize_t getrandom(void *memory, size_t size, unsigned int flags)
{
    enum { LONGEST = 33554431 }; /* the most that the kernel returns at once */

    if (!rh__inside())
        return NEXT(getrandom)(memory, size, flags);
    if (flags & ~(unsigned int)(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE)) {
        errno = EINVAL;
        return -1;
    }
    if (size > LONGEST)
        size = LONGEST;
    rh__random_fill(memory, size);
    return (ssize_t)size;
}

int getentropy(void *memory, size_t size)
{
    if (!rh__inside())
        return NEXT(getentropy)(memory, size);
    if (size > 256) {
        errno = EIO;
        return -1;
    }
    rh__random_fill(memory, size);
    return 0;
}

/* In glibc from 2.36 on; older versions do not declare them. */
uint32_t arc4random(void);
void arc4random_buf(void *memory, size_t size);
uint32_t arc4random_uniform(uint32_t bound);

uint32_t arc4random(void)
{
    return rh__inside() ? (uint32_t)(rh__virtual_random() >> 32) : NEXT(arc4random)();
}

void arc4random_buf(void *memory, size_t size)
{
    if (rh__inside())
        rh__random_fill(memory, size);
    else
        NEXT(arc4random_buf)(memory, size);
}

uint32_t arc4random_uniform(uint32_t bound)
{
    if (!rh__inside())
        return NEXT(arc4random_uniform)(bound);
    return bound < 2 ? 0 : below(bound);
}
