/* The reader of coverage on hostile bytes: whatever they are, it takes all of them or says that they make no sense,
 * changes nothing in that case, and leaks nothing.  What it takes it writes again, and that is taken with nothing new
 * in it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "coverage/pack.h"
#include "fuzz/check.h"

enum { LARGEST = 1 << 16 };

/* Some actors with some receives and goals. */
static struct rh__coverage *example(uint64_t *random)
{
    struct rh__coverage *c = rh__coverage_new(rh__random_below(random, 8), "a test\nmodel=fifo\n");
    CHECK(c);
    uint32_t actors = 1 + rh__random_below(random, 4);
    for (uint32_t i = 0; i < actors; i++) {
        uint32_t receives[70], n = rh__random_below(random, 70);
        uint32_t actor = rh__coverage_know_actor(c, 100 + i, "somebody#1");
        for (uint32_t k = 0; k < n; k++)
            receives[k] = rh__coverage_know_receive(c, 1000 * (i + 1) + k, actor, "something from somebody#2",
                                                    rh__random_below(random, 5) == 0);
        for (uint32_t k = 0; n > 1 && k < 3 * n; k++)
            rh__coverage_achieve(c, rh__random_below(random, RH__MATRICES), receives[rh__random_below(random, n)],
                                 receives[rh__random_below(random, n)]);
    }
    return c;
}

static void damage(unsigned char *bytes, size_t *size, uint64_t *random)
{
    for (uint32_t times = 1 + rh__random_below(random, 4); times && *size; times--) {
        size_t at = rh__random_below(random, (uint32_t)*size);
        switch (rh__random_below(random, 4)) {
        case 0:
            bytes[at] ^= (unsigned char)(1u << rh__random_below(random, 8));
            break;
        case 1:
            bytes[at] = (unsigned char)rh__random_below(random, 256);
            break;
        case 2:
            *size = at;
            break;
        default:
            if (*size < LARGEST - 1) {
                memmove(bytes + at + 1, bytes + at, *size - at);
                (*size)++;
            }
            break;
        }
    }
}

/* Gives whether it was taken. */
static bool read_one(const void *bytes, size_t size)
{
    char error[128];
    long live = rh__alloc_live();
    struct rh__coverage *c = rh__coverage_new(0, "a test\nmodel=fifo\n");
    CHECK(c);
    memset(error, 'x', sizeof error);
    uint64_t before = rh__coverage_changes(c);
    bool good = rh__coverage_unpack(c, bytes, size, error, sizeof error);
    if (good) {
        struct rh__writer w = rh__writer_new();
        uint64_t has = rh__coverage_changes(c);
        rh__coverage_pack(c, &w);
        CHECK(!w.full && rh__coverage_unpack(c, w.at, w.len, error, sizeof error) && rh__coverage_changes(c) == has);
        rh__writer_release(&w);
    } else {
        CHECK(memchr(error, 0, sizeof error) && *error && rh__coverage_changes(c) == before);
    }
    rh__coverage_free(c);
    CHECK(rh__alloc_live() == live);
    return good;
}

int main(int argc, char **argv)
{
    static unsigned char bytes[LARGEST];
    uint64_t random = 1;
    unsigned long taken = 0, refused = 0;
    unsigned long most = argc > 1 ? strtoul(argv[1], NULL, 10) : getenv("REHEARSE_LONG") ? 200000 : 4000;
    for (unsigned long i = 0; i < most; i++) {
        struct rh__coverage *c = example(&random);
        struct rh__writer w = rh__writer_of(bytes, sizeof bytes);
        rh__coverage_pack(c, &w);
        rh__coverage_free(c);
        size_t size = w.len;
        CHECK(!w.full && read_one(bytes, size));
        damage(bytes, &size, &random);
        *(read_one(bytes, size) ? &taken : &refused) += 1;
    }
    printf("%lu damaged ones taken, %lu refused\n", taken, refused);
    return taken && refused ? 0 : 1;
}
