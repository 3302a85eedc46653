/* world/interpose_random.c: chance comes from the actor's stream, in the ranges of libc. */
#include "interpose/fake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#if __GLIBC_PREREQ(2, 36)
#define WITH_ARC4RANDOM 1
#endif

struct draws {
    long numbers[8];
    double fraction;
    unsigned char bytes[4][37];
};

/* One of each, all inside. */
static struct draws draw(uint64_t seed, unsigned int program_seed)
{
    struct draws d;
    unsigned short seed48_state[3] = { 1, 2, 3 };
    char area[64];

    memset(&d, 0, sizeof d);
    fake.random = seed;
    enter();
    srand(program_seed);
    srandom(program_seed);
    srand48((long)program_seed);
    seed48(seed48_state);
    initstate(program_seed, area, sizeof area);
    d.numbers[0] = rand();
    d.numbers[1] = random();
    d.numbers[2] = lrand48();
    d.numbers[3] = mrand48();
    d.fraction = drand48();
    ssize_t got = getrandom(d.bytes[0], sizeof d.bytes[0], 0);
    int entropy = getentropy(d.bytes[1], sizeof d.bytes[1]);
    int fd = open("/dev/urandom", O_RDONLY);
    ssize_t from_device = read(fd, d.bytes[2], sizeof d.bytes[2]);
    close(fd);
    FILE *stream = fopen("/dev/urandom", "r");
    size_t from_stream = fread(d.bytes[3], 1, sizeof d.bytes[3], stream);
    d.numbers[4] = fgetc(stream);
    fclose(stream);
#ifdef WITH_ARC4RANDOM
    d.numbers[5] = arc4random();
    d.numbers[6] = arc4random_uniform(10);
    arc4random_buf(&d.numbers[7], sizeof d.numbers[7]);
#endif
    leave();
    assert_int_equal(got, sizeof d.bytes[0]);
    assert_int_equal(entropy, 0);
    assert_int_equal(from_device, sizeof d.bytes[2]);
    assert_int_equal(from_stream, sizeof d.bytes[3]);
    assert_noted(NULL, NULL);
    return d;
}

static void the_same_stream_gives_the_same_draws_whatever_the_program_seeds(void **state)
{
    (void)state;
    struct draws a = draw(7, 1), b = draw(7, 2), c = draw(8, 1);
    assert_memory_equal(&a, &b, sizeof a);
    for (int i = 0; i < 4; i++) {
        assert_int_not_equal(a.numbers[i], c.numbers[i]);
        assert_memory_not_equal(a.bytes[i], c.bytes[i], sizeof a.bytes[i]);
    }
}

static void ranges_are_those_of_libc(void **state)
{
    bool negative = false, seen[6] = { false };

    (void)state;
    fake.random = 1;
    enter();
    for (int i = 0; i < 2000; i++) {
        int r = rand();
        long l = random(), p = lrand48(), m = mrand48();
        double f = drand48();
        assert_in_range(r, 0, RAND_MAX);
        assert_in_range(l, 0, INT32_MAX);
        assert_in_range(p, 0, INT32_MAX);
        assert_true(m >= INT32_MIN && m <= INT32_MAX);
        negative |= m < 0;
        assert_true(f >= 0 && f < 1);
#ifdef WITH_ARC4RANDOM
        uint32_t u = arc4random_uniform(6);
        assert_in_range(u, 0, 5);
        seen[u] = true;
#else
        seen[i % 6] = true;
#endif
    }
    leave();
    assert_true(negative);
    for (int i = 0; i < 6; i++)
        assert_true(seen[i]);
}

static void limits_are_those_of_the_kernel(void **state)
{
    unsigned char bytes[300];

    (void)state;
    enter();
    errno = 0;
    assert_int_equal(getentropy(bytes, 257), -1);
    assert_int_equal(errno, EIO);
    errno = 0;
    assert_int_equal(getrandom(bytes, 1, 0x8000), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(getrandom(bytes, 0, 0), 0);
#ifdef WITH_ARC4RANDOM
    assert_int_equal(arc4random_uniform(0), 0);
    assert_int_equal(arc4random_uniform(1), 0);
#endif
    leave();
}

static void functions_with_the_callers_state_are_left_alone(void **state)
{
    unsigned int a = 42, b = 42;
    unsigned short x[3] = { 1, 2, 3 }, y[3] = { 1, 2, 3 };

    (void)state;
    int outside = rand_r(&a);
    long outside48 = nrand48(x);
    enter();
    int in = rand_r(&b);
    long in48 = nrand48(y);
    leave();
    assert_int_equal(in, outside);
    assert_int_equal(in48, outside48);
}

static void outside_the_programs_seed_counts(void **state)
{
    (void)state;
    srand(5);
    int first = rand();
    enter();
    srand(6);
    rand();
    leave();
    int second = rand();
    srand(5);
    assert_int_equal(rand(), first);
    assert_int_equal(rand(), second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_stream_gives_the_same_draws_whatever_the_program_seeds),
        cmocka_unit_test(ranges_are_those_of_libc),
        cmocka_unit_test(limits_are_those_of_the_kernel),
        cmocka_unit_test(functions_with_the_callers_state_are_left_alone),
        cmocka_unit_test(outside_the_programs_seed_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
