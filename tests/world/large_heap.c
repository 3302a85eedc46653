/* A heap that is larger than what is copied, before the first step of a run: in a world that only resets, its pages go
 * to the log as they were when a run writes to them first (world/pages.h).  Each run begins with the same bytes, and
 * the same choices lead to the same bytes as in a world that can undo. */
#include "support/few.h"
#include "support/generated.h"
#include "world/support/driver.h"

enum { BLOCK = 3000000, SCRIBBLES = 6 };

RH_MESSAGE(scribble, uint32_t seed;);

static unsigned char *block; /* of the body */

RH_ACTOR(writer, rh_ref to; uint32_t seed;);
RH_HANDLER(writer, rh_start)
{
    (void)msg;
    for (uint32_t i = 0; i < SCRIBBLES; i++)
        rh_send(state->to, scribble, .seed = state->seed + i);
}
RH_BEHAVIOUR(writer, writing, rh_start);

/* Some bytes anywhere, and a range over many pages. */
static void scribble_into(uint64_t random)
{
    for (int i = 0; i < 20; i++)
        block[generated_below(&random, BLOCK)] = (unsigned char)generated_random(&random);
    uint32_t from = generated_below(&random, BLOCK / 2), size = generated_below(&random, 40000);
    memset(block + from, (int)generated_below(&random, 256), size);
}

RH_TEST(large_heap, .model = RH_FIFO, .max_bytes_per_actor = 8 << 20)
{
    block = malloc(BLOCK);
    scribble_into(1);
    for (uint32_t i = 0; i < 3; i++)
        rh_spawn(writer, .to = rh_self(), .seed = i * 100);
    for (uint32_t i = 0; i < 3 * SCRIBBLES; i++)
        scribble_into(rh_receive(scribble)->seed);
}

static uint64_t bytes_of_block(void)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < BLOCK; i++)
        hash = (hash ^ block[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t end_of_run(struct rh_world *w, uint64_t random, uint32_t steps)
{
    uint32_t n;
    for (uint32_t i = 0; i < steps; i++) {
        const struct rh_choice *open = rh_world_enabled(w, &n);
        if (!n)
            break;
        assert_true(rh_world_step(w, &open[generated_below(&random, n)]));
    }
    return bytes_of_block();
}

static struct rh_world *begun(bool no_undo)
{
    char error[256];
    struct rh_world_options o = { .test = find_test("large_heap"), .quiet = true, .no_undo = no_undo };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    assert_non_null(w);
    rh_world_begin(w);
    return w;
}

static void a_large_heap_begins_each_run_alike(void **unused)
{
    (void)unused;
    enum { RUNS = MANY_OR_FEW(40, 10) };
    static uint64_t end[RUNS];
    for (int no_undo = 0; no_undo < 2; no_undo++) {
        struct rh_world *w = begun(no_undo);
        uint64_t first = bytes_of_block();
        assert_true(w->actors[0].large);
        for (uint32_t run = 0; run < RUNS; run++) {
            uint64_t now = end_of_run(w, run + 1, run * 3 % 25);
            if (!no_undo)
                end[run] = now;
            assert_int_equal(now, end[run]);
            assert_true(run * 3 % 25 < 6 || now != first); /* by then somebody has scribbled */
            rh_world_reset(w);
            assert_int_equal(bytes_of_block(), first);
        }
        rh_world_free(w);
    }
}

int main(void)
{
#ifdef RH_NO_GLOBALS_TRACKING
    return 77; /* the program keeps globals */
#endif
    const struct CMUnitTest tests[] = { WORLD_TEST(a_large_heap_begins_each_run_alike) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
