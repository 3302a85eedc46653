/* Sanitizers and the stacks of processes in production: mistakes inside a process that has waited, perhaps on another
 * thread, are reported for what they are, and switching between stacks gives no report.  Means something in the asan
 * and tsan builds only. */
#include "helper.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

int main(void)
{
    return 77;
}

#else

/* Variables of functions that have returned are kept apart, for the report. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_stack_use_after_return=1:detect_leaks=0";
}

RH_MESSAGE(begin);
RH_MESSAGE(value, int number;);

/* ---- in a child -------------------------------------------------------------------------------------------------- */

static char report[1 << 16];

/* The exit status of the child; `report` is what it wrote on standard error. */
static int in_child(void (*fn)(void))
{
    FILE *out = tmpfile();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct rh_runtime_options options = { .threads = 4 };
        dup2(fileno(out), STDERR_FILENO);
        if (!rh_runtime_start(&options))
            _exit(99);
        fn();
        rh_runtime_wait();
        rh_runtime_stop();
        exit(0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    rewind(out);
    report[fread(report, 1, sizeof report - 1, out)] = '\0';
    fclose(out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void expect_report(void (*fn)(void), const char *text, const char *function)
{
    int status = in_child(fn);
    if (status == 0 || !strstr(report, text) || !strstr(report, function))
        fail_msg("status %d, no \"%s\" in %s: %s", status, text, function, report);
}

static void expect_none(void (*fn)(void))
{
    int status = in_child(fn);
    if (status != 0 || *report)
        fail_msg("status %d: %s", status, report);
}

/* ---- no report without a reason ---------------------------------------------------------------------------------- */

RH_PROCESS(diver, rh_ref next; int depth;);

__attribute__((noinline)) static int dive(struct diver *state, int depth)
{
    volatile char frame[300];
    memset((char *)frame, depth, sizeof frame);
    if (depth)
        return dive(state, depth - 1) + frame[3];
    const struct value *v = rh_receive(value);
    int number = v->number + 1;
    rh_sleep(1);
    if (number % 5 == 0)
        rh_exit("normal"); /* the frames above are left */
    return number + frame[7];
}
static int passed_on; /* written before a send, read after its receive */
RH_BODY(diver)
{
    int number = dive(state, state->depth);
    passed_on += number; /* only by those of the chain */
    if (!rh_is_nobody(state->next))
        rh_send(state->next, value, .number = number % 4 == 0 ? 1 : number % 4);
}

static void many_dive(void)
{
    rh_ref next = rh_nobody();
    for (int i = 0; i < 60; i++)
        next = rh_spawn(diver, .next = next, .depth = i % 7);
    rh_send(next, value, .number = 1);
    for (int i = 0; i < 20; i++)
        rh_send(rh_spawn(diver, .depth = i % 5), value, .number = 4); /* left in the middle */
}

static void switching_gives_no_report(void **unused)
{
    (void)unused;
    for (int i = 0; i < 5; i++)
        expect_none(many_dive);
}

#if defined(__SANITIZE_ADDRESS__)

/* ---- AddressSanitizer -------------------------------------------------------------------------------------------- */

static volatile int forty = 40;

__attribute__((noinline)) static volatile int *of_a_frame(void)
{
    volatile int local = forty;
    volatile int *volatile leaked = &local;
    return leaked;
}
RH_PROCESS(returner);
RH_BODY(returner)
{
    volatile int *p = of_a_frame();
    rh_receive(begin);
    forty = *p;
}
static void use_after_return(void)
{
    rh_send(rh_spawn(returner), begin);
}

RH_PROCESS(overrunner);
__attribute__((noinline, no_sanitize("undefined"))) static void overrun(void)
{
    volatile char frame[32] = "";
    rh_receive(begin);
    frame[forty] = 1;
    forty += frame[0];
}
RH_BODY(overrunner)
{
    overrun();
}
static void overrun_array(void)
{
    rh_send(rh_spawn(overrunner), begin);
}

static void mistakes_are_reported(void **unused)
{
    (void)unused;
    expect_report(use_after_return, "stack-use-after-return", "rh_body_of_returner");
    expect_report(overrun_array, "stack-buffer-overflow", "overrun");
}

#else

/* ---- ThreadSanitizer --------------------------------------------------------------------------------------------- */

static int unguarded;
static atomic_int present;
RH_PROCESS(racer);
RH_BODY(racer)
{
    rh_receive(begin);
    /* Both are here at once; relaxed accesses put no order between what they do else. */
    atomic_fetch_add_explicit(&present, 1, memory_order_relaxed);
    while (atomic_load_explicit(&present, memory_order_relaxed) < 2)
        sched_yield();
    unguarded++;
}
static void race(void)
{
    for (int i = 0; i < 2; i++)
        rh_send(rh_spawn(racer), begin);
}

static void mistakes_are_reported(void **unused)
{
    (void)unused;
    expect_report(race, "data race", "rh_body_of_racer");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(switching_gives_no_report),
                                        cmocka_unit_test(mistakes_are_reported) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
