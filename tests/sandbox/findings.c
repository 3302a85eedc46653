/* What a program can do to its process is a finding that the parent can read, and the next run starts from nothing.
 *
 * Each fault is a function of its own, so that the place in the finding can be compared with the function's name. */
#include "sandbox/drive.h"

#include <assert.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- the faults -------------------------------------------------------------------------------------------------- */

static volatile int zero;
static char *volatile hole; /* always NULL; the compiler must not know */

/* A sanitizer must not come before the signal. */
#define NOT_SANITIZED __attribute__((noinline, no_sanitize("address", "undefined")))

NOT_SANITIZED static void write_to_null(void)
{
    *hole = 1;
}

__attribute__((noinline)) static void divide_by_zero(void)
{
#if defined(__x86_64__)
    int a = 1, d = 0, b = zero; /* not `/`: the undefined behaviour sanitizer would come first */
    __asm__ volatile("idivl %2" : "+a"(a), "+d"(d) : "r"(b));
#else
    raise(SIGFPE);
#endif
}

__attribute__((noinline)) static void call_abort(void)
{
    abort();
}

__attribute__((noinline)) static void trap(void)
{
    if (!zero)
        __builtin_trap();
}

__attribute__((noinline)) static void fail_assert(void)
{
    assert(zero == 1);
}

__attribute__((noinline)) static int recurse(int depth)
{
    volatile char frame[512];
    frame[0] = (char)depth;
    return depth == -1 ? 0 : recurse(depth + 1) + frame[0];
}
static void overflow_stack(void)
{
    zero = recurse(0) & 0;
}

__attribute__((noinline)) static void call_exit(void)
{
    exit(3);
}

__attribute__((noinline)) static void call_underscore_exit(void)
{
    _exit(4);
}

__attribute__((noinline)) static void compute_for_ever(void)
{
    while (!zero)
        ;
}

__attribute__((noinline)) static void wait_for_a_pipe(void)
{
    int ends[2];
    char byte;
    if (pipe(ends) == 0 && read(ends[0], &byte, 1) > 0)
        zero = 1;
}

__attribute__((noinline)) static void pause_for_ever(void)
{
    pause();
    zero = 0; /* not a tail call */
}

/* Not the libc's, which is under control; each one alone is short. */
__attribute__((noinline)) static void sleep_for_ever(void)
{
    struct timespec t = { 0, 20000000 };
    while (!zero)
        syscall(SYS_nanosleep, &t, NULL);
}

__attribute__((noinline)) static void call_null(void)
{
    void (*volatile function)(void) = NULL;
    function();
    zero = 0; /* not a tail call */
}

__attribute__((noinline)) static void measure_null(void)
{
    const char *volatile text = NULL;
    zero = (int)strlen(text);
    zero = 0;
}

__attribute__((noinline)) static void use_up_memory(void)
{
    for (;;)
        memset(malloc(1 << 16), 1, 1 << 16);
}

__attribute__((noinline)) static void free_twice(void)
{
    char *volatile p = malloc(24);
    free(p);
    free(p);
    zero = 0; /* not a tail call: the function stays on the stack */
}

__attribute__((noinline)) static void free_middle(void)
{
    char *p = malloc(64);
    char *volatile middle = p + 16;
    free(middle);
    zero = 0;
}

NOT_SANITIZED static void overrun(void)
{
    volatile char *p = malloc(24);
    char *volatile block = (char *)p;
    for (int i = 0; i < 25; i++)
        p[i] = 'x';
    free(block);
    zero = 0;
}

static void nothing(void)
{
}

/* A sanitizer stands between the program and libc: it has a frame of its own, and reports what would crash. */
#ifdef __SANITIZE_ADDRESS__
#define WAITS_IN    "read"
#define NULL_STRING RH_OUTCOME_SANITIZER
#else
#define WAITS_IN    "wait_for_a_pipe"
#define NULL_STRING RH_OUTCOME_CRASH
#endif

static const struct fault {
    const char *name;
    void (*call)(void);
    enum rh_outcome_kind kind;
    const char *function; /* in the place */
    const char *text;
    bool leaves; /* only the handler is left, by a switch of stacks: the child goes on exploring */
} faults[] = {
    { "null write", write_to_null, RH_OUTCOME_CRASH, "write_to_null", "Segmentation fault", false },
    { "division by zero", divide_by_zero, RH_OUTCOME_CRASH, "divide_by_zero", "Floating point exception", false },
    { "abort", call_abort, RH_OUTCOME_CRASH, "call_abort", "abort", true },
    { "trap", trap, RH_OUTCOME_CRASH, "trap", "Illegal instruction", false },
    { "failed assert", fail_assert, RH_OUTCOME_ASSERTION, "findings.c:", "zero == 1", true },
    { "stack overflow", overflow_stack, RH_OUTCOME_STACK_OVERFLOW, "recurse", "max_stack_bytes", false },
    { "exit", call_exit, RH_OUTCOME_EXIT, "call_exit", "exit(3)", true },
    { "_exit", call_underscore_exit, RH_OUTCOME_EXIT, "call_underscore_exit", "_exit(4)", true },
    { "endless loop", compute_for_ever, RH_OUTCOME_ENDLESS, "compute_for_ever", "processor time", false },
    { "endless wait", wait_for_a_pipe, RH_OUTCOME_ENDLESS, WAITS_IN, "outside of control", false },
    { "pause", pause_for_ever, RH_OUTCOME_ENDLESS, "pause_for_ever", "outside of control", false },
    { "many short sleeps", sleep_for_ever, RH_OUTCOME_ENDLESS, "sleep_for_ever", "outside of control", false },
    { "null call", call_null, RH_OUTCOME_CRASH, "call_null", "a call through an invalid function pointer", false },
    { "null string", measure_null, NULL_STRING, "measure_null", "", false },
    { "out of memory", use_up_memory, RH_OUTCOME_LIMIT, "use_up_memory", "max_bytes_per_actor", true },
    { "double free", free_twice, RH_OUTCOME_HEAP, "free_twice", "free", true },
    { "wild free", free_middle, RH_OUTCOME_HEAP, "free_middle", "free", true },
    { "heap overrun", overrun, RH_OUTCOME_HEAP, "overrun", "", true },
    { "none", nothing, RH_OUTCOME_FINISHED, "", "", true },
};

static void commit(const char *name)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strcmp(faults[i].name, name) == 0)
            faults[i].call();
}

/* ---- where they happen ------------------------------------------------------------------------------------------- */

RH_MESSAGE(hello, int number;);
RH_MESSAGE(go);

RH_ACTOR(victim, int greeted;);
RH_HANDLER(victim, hello)
{
    state->greeted = msg->number;
}
RH_HANDLER(victim, go)
{
    commit(rh_param_text("fault", "none"));
}
RH_BEHAVIOUR(victim, alive, hello, go);

RH_PROCESS(walker, int unused;);
RH_BODY(walker)
{
    rh_receive(hello);
    rh_receive(go);
    commit(rh_param_text("fault", "none"));
}

RH_TEST(handler, .max_handler_ms = 200, .max_bytes_per_actor = 1 << 20)
{
    rh_ref v = rh_spawn(victim);
    rh_send(v, hello, .number = 42);
    rh_send(v, go);
}

RH_TEST(process, .max_handler_ms = 200, .max_bytes_per_actor = 1 << 20)
{
    rh_ref v = rh_spawn(walker);
    rh_send(v, hello, .number = 42);
    rh_send(v, go);
}

RH_TEST(body, .max_handler_ms = 200, .max_bytes_per_actor = 1 << 20)
{
    commit(rh_param_text("fault", "none"));
}

struct place {
    const char *test, *actor;
    uint32_t events; /* until the fault, it included */
};
static const struct place in_handler = { "handler", "victim#1", 3 };
static const struct place in_process = { "process", "walker#1", 4 };
static const struct place in_body = { "body", "test", 1 };

struct check {
    const char *fault;
    const struct place *where;
};

static const struct fault *fault_named(const char *name)
{
    size_t i = 0;
    while (strcmp(faults[i].name, name) != 0)
        i++;
    return &faults[i];
}

static void check_schedule(struct rh_world *w, const struct place *where)
{
    uint32_t count;
    const struct rh_event *events = rh_world_events(w, &count);
    assert_int_equal(count, where->events);
    assert_int_equal(events[0].choice.kind, RH_CHOICE_BEGIN);
    if (count == 1)
        return;
    assert_int_equal(events[count - 1].choice.kind, RH_CHOICE_DELIVER);
    assert_string_equal(name_of(w, events[count - 1].choice.actor), where->actor);
    struct rh_message_info last = rh_world_message(w, events[count - 1].choice.what);
    assert_string_equal(last.type->name, "go");
    struct rh_message_info before = rh_world_message(w, events[count - 2].choice.what);
    assert_string_equal(before.type->name, "hello");
    assert_int_equal(((const struct hello *)before.value)->number, 42);
    char text[256];
    rh_world_choice_text(w, &events[count - 1].choice, text, sizeof text);
    check_contains(text, "takes go from test");
}

static void is_a_finding(void **state)
{
    const struct check *check = *state;
    const struct fault *fault = fault_named(check->fault);
    struct rh_param param = { "fault", fault->name };
    struct rh_world *w = world_with(check->where->test, NULL, &param, 1);

    /* Twice the same: what the first child left behind does not disturb the second. */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rh_sandbox_run(w, run_first, NULL), fault->leaves ? RH_SANDBOX_DONE : RH_SANDBOX_FINDING);
        check_outcome(w, fault->kind);
        const struct rh_outcome *o = rh_world_outcome(w);
        assert_string_equal(name_of(w, o->actor), check->where->actor);
        check_contains(o->place, fault->function);
        check_contains(o->text, fault->text);
        check_schedule(w, check->where);
    }

    /* And a run without the fault goes to its end in a fresh child. */
    param.value = "none";
    assert_int_equal(rh_sandbox_run(w, run_first, NULL), RH_SANDBOX_DONE);
    uint32_t count;
    rh_world_events(w, &count);
    assert_int_equal(count, check->where->events);
    close_world(w);
}

/* ---- actors against each other ----------------------------------------------------------------------------------- */

RH_MESSAGE(parcel, char *bytes; int *number;);

RH_ACTOR(thief, int unused;);
RH_HANDLER(thief, parcel)
{
    free(msg->bytes);
    if (msg->number)
        ++*msg->number;
}
RH_BEHAVIOUR(thief, waiting, parcel);

RH_ACTOR(owner, rh_ref thief; int number;);
RH_HANDLER(owner, go)
{
    if (rh_bug("free"))
        rh_send(state->thief, parcel, .bytes = malloc(32));
    else
        rh_send(state->thief, parcel, .number = &state->number);
}
RH_BEHAVIOUR(owner, ready, go);

RH_TEST(theft)
{
    rh_send(rh_spawn(owner, .thief = rh_spawn(thief)), go);
}

static void freeing_memory_of_another_actor_names_both(void **unused)
{
    (void)unused;
    struct rh_param param = { "bug", "free" };
    struct rh_world *w = world_with("theft", NULL, &param, 1);
    assert_int_equal(rh_sandbox_run(w, run_first, NULL), RH_SANDBOX_DONE);
    check_outcome(w, RH_OUTCOME_ISOLATION);
    const struct rh_outcome *o = rh_world_outcome(w);
    assert_string_equal(name_of(w, o->actor), "thief#1");
    check_contains(o->text, "thief#1 called free on memory of owner#1");
    check_contains(o->place, "thief__parcel");
    close_world(w);
}

static void following_a_pointer_into_another_actor_is_found_where_isolation_is_checked(void **unused)
{
    (void)unused;
    struct rh_param param = { "bug", "follow" };
    struct rh_semantics checked = { .check_isolation = true };
    struct rh_world *w = world_with("theft", &checked, &param, 1);
    assert_int_equal(rh_sandbox_run(w, run_first, NULL), RH_SANDBOX_FINDING);
    check_outcome(w, RH_OUTCOME_ISOLATION);
    const struct rh_outcome *o = rh_world_outcome(w);
    assert_string_equal(name_of(w, o->actor), "thief#1");
    check_contains(o->text, "thief#1 used memory of owner#1");
    check_contains(o->place, "thief__parcel");
    close_world(w);
}

static void following_a_pointer_goes_unnoticed_where_isolation_is_not_checked(void **unused)
{
    (void)unused;
    struct rh_param param = { "bug", "follow" };
    struct rh_world *w = world_with("theft", NULL, &param, 1);
    assert_int_equal(rh_sandbox_run(w, run_first, NULL), RH_SANDBOX_DONE);
    assert_false(rh_outcome_failed(rh_world_outcome(w)->kind));
    close_world(w);
}

/* ---- the tool itself --------------------------------------------------------------------------------------------- */

static void abort_outside(struct rh_world *w, void *unused)
{
    (void)w, (void)unused;
    abort();
}

NOT_SANITIZED static void crash_outside(struct rh_world *w, void *unused)
{
    (void)w, (void)unused;
    *hole = 1;
}

static void exit_outside(struct rh_world *w, void *unused)
{
    (void)w, (void)unused;
    _exit(9);
}

static void a_failure_outside_of_all_actors_is_no_finding(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("handler");
    assert_int_equal(rh_sandbox_run(w, abort_outside, NULL), RH_SANDBOX_FAILED);
    assert_int_equal(rh_sandbox_run(w, crash_outside, NULL), RH_SANDBOX_FAILED);
    assert_int_equal(rh_sandbox_run(w, exit_outside, NULL), RH_SANDBOX_FAILED);
    assert_int_equal(rh_sandbox_run(w, run_first, NULL), RH_SANDBOX_DONE);
    close_world(w);
}

/* ---- exploring past findings ------------------------------------------------------------------------------------- */

RH_MESSAGE(letter, char from;);
RH_ACTOR(receiver, char order[8]; int count;);
RH_HANDLER(receiver, letter)
{
    state->order[state->count++] = msg->from;
    if (strcmp(state->order, "cba") == 0)
        write_to_null();
}
RH_BEHAVIOUR(receiver, listening, letter);

RH_TEST(three_senders)
{
    rh_ref r = rh_spawn(receiver);
    rh_send_from(rh_external("a"), r, letter, .from = 'a');
    rh_send_from(rh_external("b"), r, letter, .from = 'b');
    rh_send_from(rh_external("c"), r, letter, .from = 'c');
}

/* The next schedule to try, kept where a crash does not reach: depth first, which of how many choices at each depth. */
struct progress {
    uint32_t pick[16], size[16], depth;
    uint32_t schedules, fine;
    bool done;
};

static void advance(struct progress *p)
{
    while (p->depth && p->pick[p->depth - 1] + 1 == p->size[p->depth - 1])
        p->depth--;
    if (p->depth)
        p->pick[p->depth - 1]++;
    else
        p->done = true;
}

static void explore(struct rh_world *w, void *arg)
{
    struct progress *p = arg;
    while (!p->done) {
        uint32_t n, depth = 0;
        rh_world_reset(w);
        for (const struct rh_choice *open; (open = rh_world_enabled(w, &n)), n; depth++) {
            if (depth == p->depth) {
                p->pick[depth] = 0;
                p->size[depth] = n;
                p->depth = depth + 1;
            }
            struct rh_choice c = open[p->pick[depth]];
            rh_world_step(w, &c);
        }
        p->schedules++;
        p->fine += rh_world_outcome(w)->kind == RH_OUTCOME_FINISHED;
        advance(p);
    }
}

static void exploration_goes_on_past_schedules_that_crash(void **unused)
{
    (void)unused;
    struct progress *p = rh_shared_new(sizeof *p);
    assert_non_null(p);
    struct rh_world *w = world_of("three_senders");
    uint32_t crashes = 0;
    while (rh_sandbox_run(w, explore, p) == RH_SANDBOX_FINDING) {
        check_outcome(w, RH_OUTCOME_CRASH);
        uint32_t count;
        char order[8] = "";
        const struct rh_event *events = rh_world_events(w, &count);
        assert_int_equal(count, 4);
        for (uint32_t i = 1; i < count; i++)
            order[i - 1] = ((const struct letter *)rh_world_message(w, events[i].choice.what).value)->from;
        assert_string_equal(order, "cba");
        crashes++;
        p->schedules++;
        advance(p);
    }
    assert_true(p->done);
    assert_int_equal(p->schedules, 6);
    assert_int_equal(p->fine, 5);
    assert_int_equal(crashes, 1);
    close_world(w);
    rh_shared_free(p, sizeof *p);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* A predicate of a receive is the program's code too. */
NOT_SANITIZED static bool match_by_crashing(const struct rh_envelope *m, const void *arg)
{
    (void)m, (void)arg;
    *hole = 1;
    return true;
}
RH_PROCESS(picky, int unused;);
RH_BODY(picky)
{
    rh_receive(hello, .match = match_by_crashing);
}
RH_TEST(predicate)
{
    rh_send(rh_spawn(picky), hello);
}

static void a_crash_in_a_predicate_of_receive_is_a_finding(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("predicate");
    assert_int_equal(rh_sandbox_run(w, run_first, NULL), RH_SANDBOX_FINDING);
    check_outcome(w, RH_OUTCOME_CRASH);
    check_contains(rh_world_outcome(w)->place, "match_by_crashing");
    assert_string_equal(name_of(w, rh_world_outcome(w)->actor), "picky#1");
    close_world(w);
}

#define TEST(f) cmocka_unit_test_teardown(f, free_world_left)
#define FINDING(what, fault_name, where)                                                                               \
    {                                                                                                                  \
        .name = what, .test_func = is_a_finding, .teardown_func = free_world_left, .initial_state = &(struct check)    \
        {                                                                                                              \
            fault_name, &where                                                                                         \
        }                                                                                                              \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        FINDING("a null write in a handler is a crash", "null write", in_handler),
        FINDING("a null write in a process is a crash", "null write", in_process),
        FINDING("a null write in the test's body is a crash", "null write", in_body),
        FINDING("a division by zero in a handler is a crash", "division by zero", in_handler),
        FINDING("a division by zero in a process is a crash", "division by zero", in_process),
        FINDING("abort in a handler is a crash", "abort", in_handler),
        FINDING("abort in the test's body is a crash", "abort", in_body),
        FINDING("an illegal instruction in a handler is a crash", "trap", in_handler),
        FINDING("a failed assert in a handler is an assertion", "failed assert", in_handler),
        FINDING("a failed assert in a process is an assertion", "failed assert", in_process),
        FINDING("a failed assert in the test's body is an assertion", "failed assert", in_body),
        FINDING("deep recursion in a handler overflows its stack", "stack overflow", in_handler),
        FINDING("deep recursion in a process overflows its stack", "stack overflow", in_process),
        FINDING("deep recursion in the test's body overflows its stack", "stack overflow", in_body),
        FINDING("exit in a handler is a finding", "exit", in_handler),
        FINDING("exit in a process is a finding", "exit", in_process),
        FINDING("exit in the test's body is a finding", "exit", in_body),
        FINDING("_exit in a handler is a finding", "_exit", in_handler),
        FINDING("an endless loop in a handler is found", "endless loop", in_handler),
        FINDING("an endless loop in a process is found", "endless loop", in_process),
        FINDING("a handler that waits in the kernel is found", "endless wait", in_handler),
        FINDING("a handler that sleeps again and again is found", "many short sleeps", in_handler),
        FINDING("a call through NULL is placed", "null call", in_handler),
        FINDING("a fault in the libc is placed where it was called", "null string", in_process),
        FINDING("a process that pauses is found", "pause", in_process),
        FINDING("a test's body that pauses is found", "pause", in_body),
        FINDING("a handler that uses up its memory is found", "out of memory", in_handler),
        FINDING("a process that uses up its memory is found", "out of memory", in_process),
        FINDING("a double free in a handler is found", "double free", in_handler),
        FINDING("a double free in a process is found", "double free", in_process),
        FINDING("a free of the middle of a block is found", "wild free", in_handler),
        FINDING("a heap overrun in a handler is found when the block is freed", "heap overrun", in_handler),
        TEST(freeing_memory_of_another_actor_names_both),
        TEST(a_crash_in_a_predicate_of_receive_is_a_finding),
        TEST(following_a_pointer_into_another_actor_is_found_where_isolation_is_checked),
        TEST(following_a_pointer_goes_unnoticed_where_isolation_is_not_checked),
        TEST(a_failure_outside_of_all_actors_is_no_finding),
        TEST(exploration_goes_on_past_schedules_that_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
