/* Memory runs out: for the program under test where a test asks for it (struct rh_semantics, fail_allocation), and for
 * the tool itself (the fault loop of base/fail.h). */
#include "sandbox/drive.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"

/* ---- (a) the program's k-th allocation fails --------------------------------------------------------------------- */

enum { ALLOCATIONS = 8 };

RH_MESSAGE(go);
RH_ACTOR(careful, int count; bool got[ALLOCATIONS]; int error[ALLOCATIONS]; bool kept_its_bytes;);

static void record(struct careful *state, const void *p)
{
    state->error[state->count] = p ? 0 : errno;
    state->got[state->count++] = p != NULL;
}

RH_HANDLER(careful, go)
{
    void *aligned = NULL;
    char *volatile p = malloc(40);
    record(state, p);
    char *volatile q = calloc(5, 8);
    record(state, q);
    char *volatile s = strdup("a text");
    record(state, s);
    char *volatile grown = realloc(NULL, 8);
    record(state, grown);
    if (s) {
        char *moved = realloc(s, 4000);
        record(state, moved);
        state->kept_its_bytes = strcmp(moved ? moved : s, "a text") == 0; /* the old block stays where it fails */
    } else {
        record(state, malloc(1));
    }
    record(state, aligned_alloc(64, 64));
    errno = 0;
    int result = posix_memalign(&aligned, 64, 64);
    errno = result;
    record(state, result == 0 ? aligned : NULL);
    char *n = strndup("another", 3);
    record(state, n);
}
RH_BEHAVIOUR(careful, acting, go);

RH_TEST(allocating)
{
    rh_send(rh_spawn(careful), go);
}

static void exactly_the_kth_allocation_of_the_run_gives_null(void **unused)
{
    (void)unused;
    for (uint32_t k = 0; k <= ALLOCATIONS + 1; k++) {
        struct rh_semantics s = { .fail_allocation = k };
        struct rh_world *w = world_with("allocating", &s, NULL, 0);
        rh_world_begin(w);
        for (int round = 0; round < 3; round++) { /* and again after a reset */
            run_first(w, NULL);
            check_outcome(w, RH_OUTCOME_FINISHED);
            const struct careful *a = rh_world_actor_state(w, 1);
            assert_int_equal(a->count, ALLOCATIONS);
            for (uint32_t i = 0; i < ALLOCATIONS; i++) {
                if (a->got[i] != (i + 1 != k))
                    fail_msg("k is %u: allocation %u gave %s", k, i + 1, a->got[i] ? "memory" : "NULL");
                assert_int_equal(a->error[i], i + 1 == k ? ENOMEM : 0);
            }
            if (k != 3)
                assert_true(a->kept_its_bytes);
            rh_world_reset(w);
        }
        close_world(w);
    }
}

RH_TEST(two_actors)
{
    rh_ref a = rh_spawn(careful), b = rh_spawn(careful);
    rh_send_from(rh_external("x"), a, go);
    rh_send_from(rh_external("y"), b, go);
}

static void allocations_are_counted_over_all_actors_in_the_order_of_the_run(void **unused)
{
    (void)unused;
    struct rh_semantics s = { .fail_allocation = ALLOCATIONS + 2 };
    struct rh_world *w = world_with("two_actors", &s, NULL, 0);
    rh_world_begin(w);
    for (uint32_t first = 0; first < 2; first++) {
        uint32_t n;
        const struct rh_choice *open = rh_world_enabled(w, &n);
        assert_int_equal(n, 2);
        struct rh_choice c = open[first];
        rh_world_step(w, &c);
        run_first(w, NULL);
        const struct careful *early = rh_world_actor_state(w, c.actor);
        const struct careful *late = rh_world_actor_state(w, c.actor == 1 ? 2 : 1);
        for (int i = 0; i < ALLOCATIONS; i++) {
            assert_true(early->got[i]);
            assert_int_equal(late->got[i], i != 1);
        }
        rh_world_reset(w);
    }
    close_world(w);
}

/* ---- (b) the tool's own allocations fail ------------------------------------------------------------------------- */

RH_MESSAGE(fill, int size; int value;);
RH_ACTOR(hoarder, char *blocks[8]; int sizes[8]; int count; unsigned sum;);
RH_HANDLER(hoarder, fill)
{
    state->blocks[state->count] = malloc((size_t)msg->size);
    memset(state->blocks[state->count], msg->value, (size_t)msg->size);
    state->sizes[state->count++] = msg->size;
    state->sum = 0;
    for (int i = 0; i < state->count; i++)
        for (int k = 0; k < state->sizes[i]; k++)
            state->sum = state->sum * 31 + (unsigned char)state->blocks[i][k];
}
RH_BEHAVIOUR(hoarder, hoarding, fill);

RH_PROCESS(waiter, int got;);
RH_BODY(waiter)
{
    for (;;)
        state->got += rh_receive(fill, .idle = true)->value;
}

RH_TEST(hoarding) /* the heap becomes large: tracked by pages */
{
    rh_ref h = rh_spawn(hoarder), p = rh_spawn(waiter);
    for (int i = 0; i < 4; i++) {
        rh_send(h, fill, .size = 3000 + i * 1000, .value = i + 1);
        rh_send(p, fill, .value = i);
    }
}

struct result {
    unsigned sum;
    int got, count;
};

static struct result result_of(struct rh_world *w)
{
    const struct hoarder *h = rh_world_actor_state(w, 1);
    const struct waiter *p = rh_world_actor_state(w, 2);
    return (struct result){ h->sum, p->got, h->count };
}

static void check_result(struct rh_world *w, const struct result *want, const char *when)
{
    struct result is = result_of(w);
    check_outcome(w, RH_OUTCOME_FINISHED);
    if (is.sum != want->sum || is.got != want->got || is.count != want->count)
        fail_msg("%s: sum %u, got %d, count %d, not %u, %d, %d", when, is.sum, is.got, is.count, want->sum, want->got,
                 want->count);
}

/* A life with everything in it.  What it comes to must not depend on which allocation fails.  Says whether the failure
 * was reached: looked at often, since the tool's own globals lie among the program's, and what a step does to them is
 * taken back with it. */
static bool live(const struct result *want)
{
    bool reached = false;
    char error[512] = "";
    struct rh_world_options o = { .test = test_named("hoarding"), .quiet = true };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    if (!w) {
        assert_true(*error);
        return true;
    }
    world_in_use = w;
    rh_world_begin(w);
    rh_world_fingerprint(w); /* from the first one on stacks are cleaned, so that later ones can be compared */
    uint32_t n, half = 0;
    struct rh_snapshot *s = NULL;
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &n)), n; half++) {
        if (half == 5)
            s = rh_world_save(w); /* may be NULL */
        rh_world_step(w, &open[0]);
        reached |= rh__alloc_has_failed();
    }
    check_result(w, want, "the first run");
    uint64_t mark = rh_world_fingerprint(w);
    reached |= rh__alloc_has_failed();
    while (rh_world_undo(w))
        ;
    run_first(w, NULL);
    check_result(w, want, "after undo");
    assert_true(mark == rh_world_fingerprint(w));
    if (s) {
        rh_world_load(w, s);
        run_first(w, NULL);
        check_result(w, want, "from the snapshot");
        rh_snapshot_free(s);
    }
    rh_world_reset(w);
    struct rh_outcome same = rh_world_check_determinism(w, 3);
    if (same.kind != RH_OUTCOME_FINISHED)
        fail_msg("%s", same.text);
    reached |= rh__alloc_has_failed();
    rh_world_reset(w);
    run_first(w, NULL);
    check_result(w, want, "after a reset");
    reached |= rh__alloc_has_failed();
    close_world(w);
    return reached;
}

static void whichever_allocation_of_the_tool_fails_the_results_are_the_same_or_there_is_a_sentence(void **unused)
{
    (void)unused;
    struct result want = { 0 };
    /* 1 .. 4 in blocks of 3000, 4000, 5000, 6000 bytes; 0 + 1 + 2 + 3 */
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3000 + i * 1000; k++)
            want.sum = want.sum * 31 + (unsigned)(i + 1);
    want.got = 6;
    want.count = 4;
    assert_false(live(&want));
    long k = 1, before = rh__alloc_live();
    for (bool reached = true; reached; k++) {
        rh__alloc_fail_after(k);
        reached = live(&want);
        rh__alloc_fail_after(0);
        assert_int_equal(rh__alloc_live(), before); /* nothing is lost on the way */
    }
    assert_true(k > 3); /* a snapshot makes two allocations, the determinism check one */
}

static void without_address_space_there_is_no_world_but_a_sentence(void **unused)
{
    (void)unused;
    /* In a child: the limit stays.  Sanitizers have more address space in use already than any sensible limit. */
#if defined(__SANITIZE_ADDRESS__)
    skip();
#endif
    pid_t child = fork();
    if (child == 0) {
        char error[512] = "";
        struct rlimit limit = { 256 << 20, 256 << 20 };
        struct rh_world_options o = { .test = test_named("hoarding") };
        if (setrlimit(RLIMIT_AS, &limit) != 0 || rh_world_new(&o, error, sizeof error))
            _exit(1);
        _exit(strstr(error, "no address space for the world's tables") ? 0 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(f) cmocka_unit_test_teardown(f, free_world_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(exactly_the_kth_allocation_of_the_run_gives_null),
        TEST(allocations_are_counted_over_all_actors_in_the_order_of_the_run),
        TEST(without_address_space_there_is_no_world_but_a_sentence),
        TEST(whichever_allocation_of_the_tool_fails_the_results_are_the_same_or_there_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
