/* libc inside actors of the controlled world: clocks and sleeps are virtual, chance is seeded, and what escapes control
 * is listed once for each place. */
#include "sandbox/drive.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

RH_MESSAGE(go);

/* ---- time -------------------------------------------------------------------------------------------------------- */

enum { EPOCH = 1577836800 }; /* 2020-01-01 00:00 UTC */

static int64_t monotonic_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

RH_PROCESS(sleeper, int64_t seen[8]; int count; int seconds;);
RH_BODY(sleeper)
{
    struct timeval day;
    gettimeofday(&day, NULL);
    state->seen[state->count++] = time(NULL);
    state->seen[state->count++] = day.tv_sec;
    state->seen[state->count++] = monotonic_ms();
    sleep((unsigned)state->seconds);
    state->seen[state->count++] = time(NULL);
    state->seen[state->count++] = monotonic_ms();
    usleep(1500);
    struct timespec two_ms = { 0, 2000000 };
    nanosleep(&two_ms, NULL);
    state->seen[state->count++] = monotonic_ms();
    state->seen[state->count++] = rh_now_ms();
}

RH_TEST(one_sleeper)
{
    rh_spawn(sleeper, .seconds = 3600);
}

static void clocks_start_at_a_fixed_time_and_move_only_by_sleeping(void **unused)
{
    (void)unused;
    time_t before = time(NULL);
    struct rh_world *w = world_of("one_sleeper");
    rh_world_begin(w);
    for (int round = 0; round < 2; round++) {
        run_first(w, NULL);
        check_outcome(w, RH_OUTCOME_FINISHED);
        const struct sleeper *s = rh_world_actor_state(w, 1);
        static const int64_t want[] = { EPOCH, EPOCH, 0, EPOCH + 3600, 3600000, 3600003, 3600003 };
        assert_int_equal(s->count, 7);
        for (int i = 0; i < 7; i++)
            if (s->seen[i] != want[i])
                fail_msg("reading %d is %lld, not %lld", i, (long long)s->seen[i], (long long)want[i]);
        assert_int_equal(rh_world_now_ns(w), 3600003500000);
        rh_world_reset(w);
        assert_int_equal(rh_world_now_ns(w), 0);
    }
    close_world(w);
    assert_true(time(NULL) - before < 600); /* an hour has not passed; outside of actors the clock is the real one */
    assert_true(before > EPOCH);
}

RH_ACTOR(counter, int before; int count;);
RH_HANDLER(counter, go)
{
    state->count++;
}
RH_BEHAVIOUR(counter, counting, go);

RH_PROCESS(slow_one, rh_ref other;);
RH_BODY(slow_one)
{
    sleep(10);
    rh_send(state->other, go);
}

RH_TEST(sleeper_and_others)
{
    rh_ref c = rh_spawn(counter);
    rh_spawn(slow_one, .other = c);
    rh_send(c, go);
}

/* slow_one begins, wakes, its go is taken; the test's go is taken.  The two go of one receiver come from two senders:
 * any interleaving of begin < wake < take with the other take: 4. */
static long count_runs(struct rh_world *w, long *timers)
{
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(w, &n);
    if (!n) {
        check_outcome(w, RH_OUTCOME_FINISHED);
        return 1;
    }
    struct rh_choice copy[16];
    memcpy(copy, open, n * sizeof *copy);
    long sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        *timers += copy[i].kind == RH_CHOICE_TIMER;
        rh_world_step(w, &copy[i]);
        sum += count_runs(w, timers);
        rh_world_undo(w);
    }
    return sum;
}

static void a_sleep_blocks_only_its_actor_and_its_end_is_an_explored_event(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("sleeper_and_others");
    rh_world_begin(w);
    long timers = 0;
    assert_int_equal(count_runs(w, &timers), 4);
    assert_int_equal(timers, 3); /* before, or after the other take, which may be before the sleep or in it */
    close_world(w);
}

RH_ACTOR(drowsy, int unused;);
RH_HANDLER(drowsy, go)
{
    sleep(1);
}
RH_BEHAVIOUR(drowsy, awake, go);
RH_TEST(handler_sleeps)
{
    rh_send(rh_spawn(drowsy), go);
}

static void a_handler_may_sleep(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("handler_sleeps");
    rh_world_begin(w);
    run_first(w, NULL);
    check_outcome(w, RH_OUTCOME_FINISHED);
    assert_int_equal(rh_world_now_ns(w), 1000000000);
    close_world(w);
}

/* ---- chance ------------------------------------------------------------------------------------------------------ */

RH_ACTOR(gambler, uint64_t drawn[12];);
RH_HANDLER(gambler, go)
{
    srand(7); /* ignored: the seed is the test's */
    state->drawn[0] = (uint64_t)rand();
    state->drawn[1] = (uint64_t)random();
    state->drawn[2] = (uint64_t)lrand48();
    if (getrandom(&state->drawn[3], 8, 0) != 8 || getentropy(&state->drawn[4], 8) != 0)
        abort();
    int fd = open("/dev/urandom", O_RDONLY);
    if (fd < 0 || read(fd, &state->drawn[5], 8) != 8)
        abort();
    close(fd);
    state->drawn[6] = rh_random();
}
RH_BEHAVIOUR(gambler, playing, go);
RH_TEST(gamblers)
{
    rh_send(rh_spawn(gambler), go);
    rh_send(rh_spawn(gambler), go);
}

static void draw(uint64_t seed, struct gambler out[2])
{
    struct rh_semantics s = { .seed = seed };
    struct rh_world *w = world_with("gamblers", &s, NULL, 0);
    rh_world_begin(w);
    run_first(w, NULL);
    check_outcome(w, RH_OUTCOME_FINISHED);
    struct gambler first[2];
    memcpy(&first[0], rh_world_actor_state(w, 1), sizeof *first);
    memcpy(&first[1], rh_world_actor_state(w, 2), sizeof *first);
    rh_world_reset(w);
    run_first(w, NULL);
    memcpy(&out[0], rh_world_actor_state(w, 1), sizeof *out);
    memcpy(&out[1], rh_world_actor_state(w, 2), sizeof *out);
    assert_memory_equal(first, out, sizeof first); /* a reset takes chance back too */
    assert_int_equal(rh_world_escape_count(w), 0);
    close_world(w);
}

static void chance_is_a_function_of_the_seed_and_the_actor(void **unused)
{
    (void)unused;
    struct gambler one[2], again[2], other[2];
    draw(1, one);
    draw(1, again);
    draw(2, other);
    assert_memory_equal(one, again, sizeof one);
    for (int i = 0; i < 7; i++) {
        assert_true(one[0].drawn[i] != other[0].drawn[i]);
        assert_true(one[0].drawn[i] != one[1].drawn[i]);
        for (int k = 0; k < i; k++)
            assert_true(one[0].drawn[i] != one[0].drawn[k]);
    }
}

/* ---- what escapes ------------------------------------------------------------------------------------------------ */

static void *do_nothing(void *arg)
{
    return arg;
}

RH_ACTOR(escaper, int unused;);
__attribute__((noinline)) static void start_thread(void)
{
    pthread_t t;
    if (pthread_create(&t, NULL, do_nothing, NULL) == 0)
        pthread_join(t, NULL);
}
__attribute__((noinline)) static void open_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0)
        close(fd);
}
__attribute__((noinline)) static void write_file(void)
{
    char name[] = "/tmp/rehearse-test-XXXXXX";
    int fd = mkstemp(name);
    if (fd >= 0)
        close(fd);
    FILE *f = fopen(name, "w");
    if (f)
        fclose(f);
    unlink(name);
}
__attribute__((noinline)) static void read_file(void)
{
    FILE *f = fopen("/proc/self/cmdline", "r");
    if (f) {
        getc(f);
        fclose(f);
    }
    int fd = open("/dev/null", O_WRONLY);
    if (fd >= 0)
        close(fd);
}
RH_HANDLER(escaper, go)
{
    start_thread();
    open_socket();
    write_file();
    read_file();
}
RH_BEHAVIOUR(escaper, escaping, go);
RH_TEST(escapes)
{
    rh_ref e = rh_spawn(escaper);
    rh_send(e, go);
    rh_send(e, go);
}

static const struct {
    const char *call, *function;
} expected[] = {
    { "pthread_create", "start_thread" }, { "socket", "open_socket" },
    { "mkstemp", "write_file" },          { "fopen", "write_file" },
    { "unlink", "write_file" },
};

static void calls_that_escape_are_listed_once_for_each_place(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("escapes");
    rh_world_begin(w);
    for (int round = 0; round < 3; round++) {
        run_first(w, NULL);
        check_outcome(w, RH_OUTCOME_FINISHED);
        rh_world_reset(w);
    }
    assert_int_equal(rh_world_escape_count(w), 5);
    for (uint32_t i = 0; i < 5; i++) {
        struct rh_escape e = rh_world_escape(w, i);
        assert_string_equal(e.call, expected[i].call);
        check_contains(e.place, expected[i].function);
    }
    close_world(w);
}

/* Looking up a place takes more stack than such an actor has. */
static void escapes_are_placed_also_where_stacks_are_small(void **unused)
{
    (void)unused;
    struct rh_semantics s = { .max_stack_bytes = 32 << 10 };
    struct rh_world *w = world_with("escapes", &s, NULL, 0);
    rh_world_begin(w);
    run_first(w, NULL);
    check_outcome(w, RH_OUTCOME_FINISHED);
    assert_int_equal(rh_world_escape_count(w), 5);
    check_contains(rh_world_escape(w, 0).place, "start_thread");
    close_world(w);
}

static void the_parent_of_a_sandbox_sees_what_escaped(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("escapes");
    assert_int_equal(rh_sandbox_run(w, run_first, NULL), RH_SANDBOX_DONE);
    assert_int_equal(rh_world_escape_count(w), 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(rh_world_escape(w, i).call, expected[i].call);
        check_contains(rh_world_escape(w, i).place, expected[i].function);
    }
    close_world(w);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* The body of a test has no state of its own before its heap. */
RH_TEST(body_allocates)
{
    char *longer = NULL, *text = strdup("first");
    int n = asprintf(&longer, "%s %0500d", text, 7);
    rh_assert(n == 506 && strlen(longer) == 506 && strcmp(text, "first") == 0);
    char *stream = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&stream, &size);
    for (int i = 0; i < 2000; i++)
        fprintf(f, "%d ", i);
    fclose(f);
    rh_assert(size == 8890 && strcmp(text, "first") == 0);
    free(stream);
    free(longer);
    free(text);
}

static void libc_may_allocate_in_the_body_of_a_test(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("body_allocates");
    rh_world_begin(w);
    check_outcome(w, RH_OUTCOME_FINISHED);
    close_world(w);
}

#define TEST(f) cmocka_unit_test_teardown(f, free_world_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(clocks_start_at_a_fixed_time_and_move_only_by_sleeping),
        TEST(a_sleep_blocks_only_its_actor_and_its_end_is_an_explored_event),
        TEST(a_handler_may_sleep),
        TEST(chance_is_a_function_of_the_seed_and_the_actor),
        TEST(calls_that_escape_are_listed_once_for_each_place),
        TEST(escapes_are_placed_also_where_stacks_are_small),
        TEST(the_parent_of_a_sandbox_sees_what_escaped),
        TEST(libc_may_allocate_in_the_body_of_a_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
