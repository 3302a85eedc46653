/* Reports of AddressSanitizer and of the undefined behaviour sanitizer are findings; and correct programs that block,
 * are abandoned, undone and reset give none.  Means something in the asan build only. */
#include "sandbox/drive.h"

#if !defined(__SANITIZE_ADDRESS__)

int main(void)
{
    return 77;
}

#else

static volatile int forty = 40, big = 0x7fffffff;

/* ---- reports ----------------------------------------------------------------------------------------------------- */

__attribute__((noinline)) static void use_after_free(void)
{
    volatile char *p = malloc(32);
    volatile char *volatile later = p + 3;
    free((char *)p);
    *later = 1;
}

__attribute__((noinline, no_sanitize("undefined"))) static void heap_overflow(void)
{
    volatile char *p = malloc(32);
    p[forty] = 1;
    free((char *)p);
}

__attribute__((noinline, no_sanitize("undefined"))) static void stack_overflow(void)
{
    volatile char frame[32] = "";
    frame[forty] = 1;
    forty += frame[0];
}

__attribute__((noinline)) static void signed_overflow(void)
{
    forty = big + forty;
}

static const struct fault {
    const char *name;
    void (*call)(void);
    const char *place, *text;
} faults[] = {
    { "use after free", use_after_free, "use_after_free", "use-after-poison" },
    { "heap overflow", heap_overflow, "heap_overflow", "use-after-poison" },
    { "stack overflow", stack_overflow, "stack_overflow", "stack-buffer-overflow" },
    { "signed overflow", signed_overflow, "signed_overflow", "sanitizer" },
};

RH_MESSAGE(go, int number;);
RH_ACTOR(victim, int unused;);
RH_HANDLER(victim, go)
{
    faults[rh_param("fault", 0)].call();
}
RH_BEHAVIOUR(victim, alive, go);

RH_PROCESS(walker, int unused;);
RH_BODY(walker)
{
    rh_receive(go);
    faults[rh_param("fault", 0)].call();
}

RH_TEST(handler)
{
    rh_send(rh_spawn(victim), go);
}
RH_TEST(process)
{
    rh_send(rh_spawn(walker), go);
}

static void is_a_finding(void **state)
{
    const struct fault *fault = *state;
    char number[8];
    snprintf(number, sizeof number, "%d", (int)(fault - faults));
    struct rh_param param = { "fault", number };
    static const char *const tests[] = { "handler", "process" };
    for (int i = 0; i < 2; i++) {
        struct rh_world *w = world_with(tests[i], NULL, &param, 1);
        assert_int_equal(rh_sandbox_run(w, run_first, NULL), RH_SANDBOX_FINDING);
        check_outcome(w, RH_OUTCOME_SANITIZER);
        check_contains(rh_world_outcome(w)->place, fault->place);
        check_contains(rh_world_outcome(w)->text, fault->text);
        assert_string_equal(name_of(w, rh_world_outcome(w)->actor), i ? "walker#1" : "victim#1");
        close_world(w);
    }
}

/* ---- no report without a reason ---------------------------------------------------------------------------------- */

/* Uses its stack and heap in many shapes, blocks at several depths, and sometimes leaves in the middle. */
RH_MESSAGE(work, int kind; rh_ref from;);
RH_MESSAGE(question, int number;);
RH_MESSAGE(answer, int number;);

RH_ACTOR(oracle, int asked;);
RH_HANDLER(oracle, question)
{
    char text[64];
    snprintf(text, sizeof text, "%d", msg->number);
    state->asked += (int)strlen(text);
    rh_reply(answer, .number = msg->number + 1);
}
RH_BEHAVIOUR(oracle, open, question);

struct block {
    char *bytes;
    size_t size;
    int kind; /* what its bytes are */
};
RH_PROCESS(worker, rh_ref oracle; struct block kept[16]; int kept_count;);

static void check_kept(const struct worker *state)
{
    for (int i = 0; i < state->kept_count; i++)
        for (size_t k = 0; k < state->kept[i].size; k += 61)
            rh_assert(state->kept[i].bytes[k] == (char)state->kept[i].kind);
}

__attribute__((noinline)) static int deeper(struct worker *state, int depth, int kind)
{
    char frame[200];
    memset(frame, depth, sizeof frame);
    if (depth > 0)
        return deeper(state, depth - 1, kind) + frame[7];
    if (kind % 3 == 0)
        rh_exit("normal"); /* the frames above are abandoned */
    if (kind % 3 == 1)
        return rh_ask(state->oracle, question, answer, .number = kind)->number;
    rh_sleep(5);
    return frame[0];
}

RH_BODY(worker)
{
    for (;;) {
        const struct work *w = rh_receive(work, .idle = true);
        int kind = w->kind;
        size_t scale = (size_t)rh_param("scale", 1) * (size_t)kind;
        check_kept(state);
        char *bytes = malloc(20 + scale * 37);
        memset(bytes, kind, 20 + scale * 37);
        bytes = realloc(bytes, 10 + scale * 91);
        memset(bytes, kind, 10 + scale * 91);
        if (state->kept_count < 16)
            state->kept[state->kept_count++] = (struct block){ bytes, 10 + scale * 91, kind };
        else
            free(bytes);
        if (kind % 2 && state->kept_count)
            free(state->kept[--state->kept_count].bytes);
        check_kept(state);
        deeper(state, 2 + kind % 4, kind);
    }
}

RH_TEST(busy, .crashes = 1, .restarts = 1)
{
    rh_ref o = rh_spawn(oracle);
    rh_ref a = rh_spawn(worker, .oracle = o), b = rh_spawn(worker, .oracle = o);
    for (int i = 0; i < 5; i++) {
        rh_send(a, work, .kind = i + 1);
        rh_send(b, work, .kind = i * 2);
    }
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static void wander(struct rh_world *w, void *arg)
{
    int rounds = *(int *)arg;
    uint32_t seed = 1;
    for (int i = 0; i < rounds; i++) {
        rh_world_reset(w);
        struct rh_snapshot *s = NULL;
        for (int step = 0; step < 60; step++) {
            uint32_t n;
            const struct rh_choice *open = rh_world_enabled(w, &n);
            uint32_t what = next_random(&seed) % 16;
            if (what == 0 && !s)
                s = rh_world_save(w);
            else if (what == 1 && s)
                rh_world_load(w, s);
            else if (what < 5 || !n)
                rh_world_undo(w);
            else {
                struct rh_choice c = open[next_random(&seed) % n];
                rh_world_step(w, &c);
            }
            if (rh_outcome_failed(rh_world_outcome(w)->kind))
                break;
        }
        rh_snapshot_free(s);
        if (rh_outcome_failed(rh_world_outcome(w)->kind) && rh_world_outcome(w)->kind != RH_OUTCOME_STUCK)
            return;
    }
}

static void check_wandering(const char *scale)
{
    int rounds = 3000;
    struct rh_param param = { "scale", scale };
    struct rh_world *w = world_with("busy", NULL, &param, 1);
    enum rh_sandbox_end end = rh_sandbox_run(w, wander, &rounds);
    const struct rh_outcome *o = rh_world_outcome(w);
    if (end != RH_SANDBOX_DONE || (rh_outcome_failed(o->kind) && o->kind != RH_OUTCOME_STUCK))
        fail_msg("%s: %s (%s)", rh_outcome_name(o->kind), o->text, o->place);
    close_world(w);
}

static void blocking_abandoning_undoing_and_resetting_give_no_report(void **unused)
{
    (void)unused;
    check_wandering("1");
}

/* Heaps of more than two pages are tracked word by word. */
static void neither_do_large_heaps(void **unused)
{
    (void)unused;
    check_wandering("40");
}

/* Variables that AddressSanitizer keeps apart from the stack cannot be undone. */
static int expect_refusal(void)
{
    char error[256] = "";
    struct rh_world_options o = { .test = rh_test_first(), .quiet = true };
    return rh_world_new(&o, error, sizeof error) || !strstr(error, "detect_stack_use_after_return=0");
}

static char *own_path;
static void variables_apart_from_the_stack_are_refused(void **unused)
{
    (void)unused;
    char command[4200];
    snprintf(command, sizeof command, "ASAN_OPTIONS=detect_stack_use_after_return=1 '%s' refused", own_path);
    assert_int_equal(system(command), 0);
}

#define FINDING(what, index)                                                                                           \
    {                                                                                                                  \
        .name = what, .test_func = is_a_finding, .teardown_func = free_world_left,                                     \
        .initial_state = (void *)&faults[index]                                                                        \
    }

int main(int argc, char **argv)
{
    if (argc > 1)
        return expect_refusal();
    own_path = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_apart_from_the_stack_are_refused),
        FINDING("use of freed memory of an actor is a report", 0),
        FINDING("an overflow in the heap of an actor is a report", 1),
        FINDING("an overflow of an array on the stack is a report", 2),
        FINDING("undefined behaviour is a report", 3),
        cmocka_unit_test_teardown(blocking_abandoning_undoing_and_resetting_give_no_report, free_world_left),
        cmocka_unit_test_teardown(neither_do_large_heaps, free_world_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
