/* A server that sends whatever it likes: the reader takes it or refuses it, within bounds, and leaks nothing. */
#include <hiredis/hiredis.h>
#include <stdio.h>

#include "base/random.h"
#include "explore/support/runs.h"
#include "link/wire.h"

enum { LONGEST = 512, MOST = 200000 };

static const char *const samples[] = {
    "+OK\r\n",
    "-ERR no such operation\r\n",
    ":-9223372036854775807\r\n",
    "$5\r\nhello\r\n",
    "$-1\r\n",
    "*3\r\n+ok\r\n:7\r\n$3\r\nabc\r\n",
    "*2\r\n*2\r\n:1\r\n$0\r\n\r\n*-1\r\n",
    "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
    "*12\r\n+ok\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n:6\r\n:7\r\n:8\r\n:9\r\n:10\r\n$4\r\nitem\r\n",
};

/* How many answers it took. */
static unsigned read_all(const char *bytes, size_t size)
{
    unsigned taken = 0;
    redisReader *r = rh__reader_new();
    assert_non_null(r);
    bool good = redisReaderFeed(r, bytes, size) == REDIS_OK;
    for (void *reply = NULL; good; reply = NULL) {
        rh__reader_restart(r);
        good = redisReaderGetReply(r, &reply) == REDIS_OK && reply;
        if (good) {
            const struct rh__reply *one = reply;
            for (size_t i = 0; i < one->count; i++)
                (void)rh__reply_number(rh__reply_part(one, i));
            assert_null(rh__reply_part(one, one->count));
            rh__reply_free(reply);
            taken++;
        }
    }
    rh__reader_free(r);
    return taken;
}

static void damaged_answers_are_taken_or_refused(void **unused)
{
    uint64_t random = rh__random_seed(1, 1);
    unsigned taken = 0, nothing = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        assert_true(i == 7 /* too deep */ || read_all(samples[i], strlen(samples[i])) == 1);
    for (unsigned n = 0; n < MOST; n++) {
        char bytes[LONGEST];
        const char *from = samples[rh__random_below(&random, sizeof samples / sizeof *samples)];
        size_t size = strlen(from);
        memcpy(bytes, from, size);
        for (uint32_t k = 1 + rh__random_below(&random, 4); k; k--)
            switch (rh__random_below(&random, 3)) {
            case 0:
                bytes[rh__random_below(&random, (uint32_t)size)] = (char)rh__random_below(&random, 256);
                break;
            case 1:
                bytes[rh__random_below(&random, (uint32_t)size)] = "*$:+-0123456789\r\n"[rh__random_below(&random, 17)];
                break;
            default:
                size = 1 + rh__random_below(&random, (uint32_t)size);
            }
        unsigned one = read_all(bytes, size);
        taken += one;
        nothing += !one;
    }
    print_message("%u answers taken, %u times none\n", taken, nothing);
    assert_true(taken && nothing);
}

/* A few bytes that announce millions of parts, many times over. */
static void parts_are_counted_over_the_whole_answer(void **unused)
{
    static const char bomb[] = "*4000000\r\n*4000000\r\n", two[] = "*2\r\n*2000000\r\n";
    redisReader *r = rh__reader_new();
    void *reply = NULL;
    (void)unused;
    assert_non_null(r);
    rh__reader_restart(r);
    assert_int_equal(redisReaderFeed(r, bomb, sizeof bomb - 1), REDIS_OK);
    assert_int_equal(redisReaderGetReply(r, &reply), REDIS_ERR);
    rh__reader_free(r);
    assert_int_equal(read_all(two, sizeof two - 1), 0); /* it waits for the rest */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_answers_are_taken_or_refused),
        cmocka_unit_test(parts_are_counted_over_the_whole_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
