/* How runs end: by the program ending its process behind our back, by a predicate, at the limit of steps, by too many
 * choices; and what the tool needs from its surroundings to tell of it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "sandbox/drive.h"

#include <rehearse/run.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "world/pages.h"
#include "world/state.h"

static char report[1 << 16];

/* Processor time of children that have ended. */
static double seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void check_explored(int code, const char *test, const char *options)
{
    report[0] = 0;
    int got = rh_explore_test(test, options, report, sizeof report);
    if (got != code)
        fail_msg("%s %s gives %d, not %d: %s", test, options, got, code, report);
}

/* ---- a handler that ends its thread or process ------------------------------------------------------------------- */

RH_MESSAGE(first);
RH_MESSAGE(second);

__attribute__((noinline)) static void leave(int how)
{
    switch (how) {
    case 0:
        pthread_exit(NULL);
    case 1:
        thrd_exit(0);
    case 2:
        syscall(SYS_exit_group, 0);
        break;
    case 3:
        syscall(SYS_exit, 0);
        break;
    case 4:
        quick_exit(0);
    case 5:
        _exit(0);
    default:
        exit(0);
    }
}
enum { WAYS_TO_LEAVE = 7 };
#ifdef __SANITIZE_ADDRESS__
enum { FIRST_WAY = 2 }; /* the sanitizer's own end of a thread fails on any stack but the thread's */
#else
enum { FIRST_WAY = 0 };
#endif

RH_ACTOR(leaver, bool got;);
RH_HANDLER(leaver, first)
{
    state->got = true;
}
RH_HANDLER(leaver, second)
{
    if (!state->got)
        leave((int)rh_param("how", 0));
}
RH_BEHAVIOUR(leaver, on, first, second);
RH_TEST(leaves_in_one_order)
{
    rh_ref l = rh_spawn(leaver);
    rh_send_from(rh_external("a"), l, first);
    rh_send_from(rh_external("b"), l, second);
}
RH_TEST(leaves_at_once)
{
    leave((int)rh_param("how", 0));
}

static void leaving_is_a_finding(void **unused)
{
    (void)unused;
    for (int how = FIRST_WAY; how < WAYS_TO_LEAVE; how++) {
        char options[64];
        snprintf(options, sizeof options, "-p how=%d --explorer dfs --keep-going", how);
        check_explored(1, "leaves_in_one_order", options);
        check_contains(report, "\n2 runs, ");
        check_contains(report, "\nexit: leaver#1: ");
        check_contains(report, "leaver#1 takes second from b");
        check_explored(1, "leaves_at_once", options);
        check_contains(report, "\nexit: test: ");
    }
}

static void leaving_is_told_by_the_sandbox(void **unused)
{
    (void)unused;
    for (int how = FIRST_WAY; how < WAYS_TO_LEAVE; how++) {
        char text[16];
        snprintf(text, sizeof text, "%d", how);
        struct rh_param p = { "how", text };
        struct rh_world *w = world_with("leaves_at_once", NULL, &p, 1);
        enum rh_sandbox_end end = rh_sandbox_run(w, run_first, NULL);
        check_outcome(w, RH_OUTCOME_EXIT);
        /* Where only the handler is left the child goes on, and comes to its end. */
        assert_true(end == RH_SANDBOX_FINDING || (end == RH_SANDBOX_DONE && how >= 4));
        close_world(w);
    }
}

/* ---- predicates -------------------------------------------------------------------------------------------------- */

RH_MESSAGE(number, int n;);

static bool asserts(const struct rh_envelope *m, const void *unused)
{
    (void)unused;
    rh_assert(rh_as(m, number)->n == 1, "the predicate sees %d", rh_as(m, number)->n);
    return true;
}
static bool claims(const struct rh_envelope *m, const void *unused)
{
    (void)unused;
    rh_always("numbers are 1", rh_as(m, number)->n == 1);
    return true;
}
RH_PROCESS(asserting);
RH_BODY(asserting)
{
    rh_receive(number, .match = asserts);
}
RH_PROCESS(claiming);
RH_BODY(claiming)
{
    rh_receive(number, .match = claims);
}
RH_TEST(asserts_in_predicate)
{
    rh_send(rh_spawn(asserting), number, .n = (int)rh_param("n", 2));
}
RH_TEST(claims_in_predicate)
{
    rh_send(rh_spawn(claiming), number, .n = (int)rh_param("n", 2));
}
RH_TEST(asserts_in_predicate_of_the_body)
{
    rh_send(rh_self(), number, .n = 2);
    rh_receive(number, .match = asserts);
}

static void check_predicate(const char *test, enum rh_outcome_kind kind, const char *actor, const char *text)
{
    struct rh_world *w = world_of(test);
    rh_world_begin(w);
    for (int round = 0; round < 2; round++) {
        run_first(w, NULL);
        check_outcome(w, kind);
        const struct rh_outcome *o = rh_world_outcome(w);
        assert_string_equal(name_of(w, o->actor), actor);
        check_contains(o->text, text);
        check_contains(o->place, "ends.c:");
        if (round == 0)
            rh_world_reset(w);
    }
    close_world(w);
}

static void what_fails_in_a_predicate_is_a_finding(void **unused)
{
    (void)unused;
    check_predicate("asserts_in_predicate", RH_OUTCOME_ASSERTION, "asserting#1", "the predicate sees 2");
    check_predicate("claims_in_predicate", RH_OUTCOME_PROPERTY, "claiming#1", "numbers are 1");
    check_explored(1, "asserts_in_predicate", "--explorer dfs --keep-going");
    check_contains(report, "assertion: asserting#1: the predicate sees 2");
    check_explored(1, "claims_in_predicate", "--explorer dfs --keep-going");
    check_contains(report, "property: claiming#1: ");
    check_explored(1, "asserts_in_predicate_of_the_body", "--explorer dfs --keep-going");
    check_contains(report, "assertion: test: the predicate sees 2");
    check_explored(0, "asserts_in_predicate", "--explorer dfs -p n=1");
    check_explored(0, "claims_in_predicate", "--explorer dfs -p n=1");
}

/* ---- a run that comes to rest at the limit of steps -------------------------------------------------------------- */

RH_MESSAGE(count, int left;);
RH_ACTOR(counter);
RH_HANDLER(counter, count)
{
    if (msg->left > 1)
        rh_send(self, count, .left = msg->left - 1);
}
RH_BEHAVIOUR(counter, counting, count);
RH_TEST(counts)
{
    rh_send(rh_spawn(counter), count, .left = (int)rh_param("n", 3));
}

RH_MESSAGE(never);
RH_PROCESS(waits);
RH_BODY(waits)
{
    rh_receive(never);
}
RH_TEST(gets_stuck)
{
    rh_spawn(waits);
    rh_send(rh_spawn(counter), count, .left = 2);
}

RH_ACTOR(promising);
RH_HANDLER(promising, count)
{
    rh_eventually("kept", false);
}
RH_BEHAVIOUR(promising, on, count);
RH_TEST(breaks_a_promise)
{
    rh_send(rh_spawn(promising), count);
}

static uint32_t steps_of(struct rh_world *w)
{
    uint32_t events;
    rh_world_events(w, &events);
    return events - 1;
}

static uint32_t run_within(const char *test, const char *n, uint32_t max_steps, enum rh_outcome_kind kind)
{
    struct rh_param p = { "n", n };
    struct rh_semantics s = { .max_steps = max_steps };
    struct rh_world *w = world_with(test, &s, &p, 1);
    rh_world_begin(w);
    run_first(w, NULL);
    check_outcome(w, kind);
    uint32_t steps = steps_of(w);
    close_world(w);
    return steps;
}

static void a_run_that_rests_at_the_limit_is_not_cut(void **unused)
{
    (void)unused;
    static const struct {
        const char *test, *n;
        enum rh_outcome_kind kind;
    } cases[] = { { "counts", "3", RH_OUTCOME_FINISHED },
                  { "gets_stuck", "0", RH_OUTCOME_STUCK },
                  { "breaks_a_promise", "0", RH_OUTCOME_PROPERTY } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t steps = run_within(cases[i].test, cases[i].n, 0, cases[i].kind);
        assert_true(steps > 0);
        assert_int_equal(run_within(cases[i].test, cases[i].n, steps, cases[i].kind), steps);
        if (steps > 1)
            assert_int_equal(run_within(cases[i].test, cases[i].n, steps - 1, RH_OUTCOME_CUT), steps - 1);
    }
}

static void a_long_run_that_rests_at_the_limit_is_not_endless(void **unused)
{
    (void)unused;
    assert_int_equal(run_within("counts", "12000", 12000, RH_OUTCOME_FINISHED), 12000);
    assert_int_equal(run_within("counts", "12001", 12000, RH_OUTCOME_ENDLESS_RUN), 12000);
    check_explored(0, "counts", "-p n=12000 --max-steps 12000");
    check_contains(report, "exhaustive");
    check_explored(1, "counts", "-p n=12001 --max-steps 12000");
    check_explored(0, "counts", "-p n=3 --max-steps 3");
    check_contains(report, "exhaustive");
    check_explored(0, "counts", "-p n=4 --max-steps 3");
    check_contains(report, "bounded");
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

RH_TEST(names_an_external)
{
    rh_send_from(rh_external(rh_param_text("name", "device")), rh_spawn(counter), count);
}

static void an_external_is_not_called_like_an_actor(void **unused)
{
    (void)unused;
    static const char *const names[] = { "device", "test", "counter#1", "#", "test#1" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct rh_param p = { "name", names[i] };
        struct rh_world *w = world_with("names_an_external", NULL, &p, 1);
        rh_world_begin(w);
        run_first(w, NULL);
        check_outcome(w, i ? RH_OUTCOME_MISUSE : RH_OUTCOME_FINISHED);
        if (i) {
            check_contains(rh_world_outcome(w)->text, names[i]);
            check_contains(rh_world_outcome(w)->place, "ends.c:");
        }
        close_world(w);
    }
}

RH_TEST(properties_by_buffer)
{
    char name[40];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "property %d", i);
        rh_eventually(name, i != rh_param("broken", 3));
        rh_sometimes(name, i == 1);
    }
    memset(name, 'x', sizeof name - 1);
}

static void properties_are_told_apart_by_their_text(void **unused)
{
    (void)unused;
    for (int broken = 0; broken < 4; broken++) {
        char text[16], name[40];
        snprintf(text, sizeof text, "%d", broken);
        struct rh_param p = { "broken", text };
        struct rh_world *w = world_with("properties_by_buffer", NULL, &p, 1);
        /* In another process, whose buffers are gone when the names are read. */
        assert_int_equal(rh_sandbox_run(w, run_first, NULL), RH_SANDBOX_DONE);
        assert_int_equal(rh_world_property_count(w), 6);
        for (uint32_t i = 0; i < 6; i++) {
            struct rh_property_info info = rh_world_property(w, i);
            int number = (int)i / 2;
            bool holds = info.kind == RH_EVENTUALLY ? number != broken : number == 1;
            snprintf(name, sizeof name, "property %d", number);
            assert_string_equal(info.name, name);
            assert_int_equal(info.held, holds);
            assert_int_equal(info.failed, !holds);
        }
        close_world(w);
        char options[64];
        snprintf(options, sizeof options, "--explorer dfs -p broken=%d", broken);
        snprintf(name, sizeof name, "property %d", broken);
        if (broken < 3) {
            check_explored(1, "properties_by_buffer", options);
            check_contains(report, name);
        }
    }
}

/* ---- more choices than can be offered ---------------------------------------------------------------------------- */

/* A crash may keep any prefix of the writes under way. */
RH_ACTOR(writer);
RH_HANDLER(writer, first)
{
    rh_store_open("many");
    for (int i = 1; i <= 66000; i++)
        rh_store_put("key", &i, sizeof i);
}
RH_BEHAVIOUR(writer, writing, first);
RH_TEST(too_many_prefixes, .max_messages = 4, .max_actors = 4, .crashes = 1)
{
    rh_send(rh_spawn(writer), first);
}

static void more_choices_than_fit_are_a_finding(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("too_many_prefixes");
    rh_world_begin(w);
    run_first(w, NULL);
    check_outcome(w, RH_OUTCOME_LIMIT);
    check_contains(rh_world_outcome(w)->text, "choices");
    close_world(w);
    check_explored(1, "too_many_prefixes", "--max-runs 3");
    check_contains(report, "limit: ");
}

/* ---- the seed of a test ------------------------------------------------------------------------------------------ */

RH_TEST(seeded, .seed = 42)
{
    rh_assert(!rh_random(), "random %llx", (unsigned long long)rh_random());
}
RH_TEST(not_seeded)
{
    rh_assert(!rh_random(), "random %llx", (unsigned long long)rh_random());
}

static const char *random_of(const char *test, const char *options, char *to, size_t size)
{
    check_explored(1, test, options);
    const char *at = strstr(report, "random ");
    assert_non_null(at);
    snprintf(to, size, "%.*s", (int)strcspn(at, ":\n"), at);
    return to;
}

static void the_seed_of_a_test_is_used(void **unused)
{
    (void)unused;
    char own[64], other[64];
    random_of("seeded", "--explorer dfs", own, sizeof own);
    assert_string_equal(own, random_of("seeded", "--explorer dfs --seed 42", other, sizeof other));
    assert_string_not_equal(own, random_of("seeded", "--explorer dfs --seed 43", other, sizeof other));
    assert_string_not_equal(own, random_of("not_seeded", "--explorer dfs", other, sizeof other));
    assert_string_equal(own, random_of("not_seeded", "--explorer dfs --seed 42", other, sizeof other));
}

/* ---- what the tool needs from its surroundings ------------------------------------------------------------------- */

static volatile int zero;

RH_ACTOR(breaker);
RH_HANDLER(breaker, first)
{
    if (!zero)
        __builtin_trap(); /* a crash that no sanitizer takes for its own */
}
RH_BEHAVIOUR(breaker, on, first);
RH_TEST(crashes)
{
    rh_send(rh_spawn(breaker), first);
}

static void a_caller_may_ignore_sigchld(void **unused)
{
    (void)unused;
    struct sigaction before, now, action = { .sa_handler = SIG_IGN };
    for (int i = 0; i < 2; i++) {
        if (i)
            action = (struct sigaction){ .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT };
        sigaction(SIGCHLD, &action, &before);
        check_explored(1, "crashes", "--explorer dfs");
        check_contains(report, "crash: breaker#1: ");
        check_explored(0, "counts", "--explorer dfs");
        sigaction(SIGCHLD, &before, &now);
        assert_ptr_equal(now.sa_handler, action.sa_handler);
        assert_int_equal(now.sa_flags & SA_NOCLDWAIT, action.sa_flags & SA_NOCLDWAIT);
    }
}

RH_ACTOR(pauser);
RH_HANDLER(pauser, first)
{
    pause();
}
RH_BEHAVIOUR(pauser, on, first);
RH_TEST(pauses, .max_handler_ms = 50)
{
    rh_send(rh_spawn(pauser), first);
}

enum { CANNOT_FILTER = 77 };

/* As on a kernel, or in a container, that does not know the call. */
static bool forbid_pidfd_open(void)
{
#ifdef SYS_pidfd_open
    struct sock_filter code[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
                                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
    struct sock_fprog program = { sizeof code / sizeof *code, code };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
    return true;
#endif
}

static int without_pidfd_open(void)
{
    if (!forbid_pidfd_open())
        return CANNOT_FILTER;
    signal(SIGSEGV, SIG_DFL); /* cmocka would go on with the tests, in this process */
    alarm(600);
    if (rh_explore_test("pauses", "--explorer dfs", report, sizeof report) != 1 ||
        !strstr(report, "endless handler: pauser#1: ")) {
        fprintf(stderr, "%s\n", report);
        return 1;
    }
    return rh_explore_test("counts", "--explorer dfs", report, sizeof report) != 0 ? 2 : 0;
}

static void the_watchdog_works_without_pidfd_open(void **unused)
{
    int status;
    (void)unused;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(without_pidfd_open());
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_FILTER)
        skip();
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A child that was killed in a handler has left its world behind in the middle of it; that is not the caller's. */
static void a_hanging_handler_is_found_after_a_world_of_ones_own(void **unused)
{
    (void)unused;
    run_within("counts", "3", 0, RH_OUTCOME_FINISHED);
    check_explored(1, "pauses", "--explorer dfs");
    check_contains(report, "endless handler: pauser#1: ");
}

/* ---- one run that is longer than anyone waits -------------------------------------------------------------------- */

static struct plodding {
    volatile int moves;
    int slow_from; /* this move: those before take no time */
} * plodding;      /* shared memory, which no run takes back */

RH_ACTOR(plodder);
RH_HANDLER(plodder, first)
{
    for (volatile int i = 0; plodding->moves >= plodding->slow_from && i < 4000000; i++)
        ;
    plodding->moves++;
    rh_send(self, first);
}
RH_BEHAVIOUR(plodder, plods, first);
RH_TEST(plods)
{
    rh_send(rh_spawn(plodder), first);
}

/* From the beginning, when it is looked whether the test is deterministic; or when it is explored. */
static const int slow_from[] = { 0, 60000 }; /* the check makes up to four times 10,000 moves */
enum { LONG = 8 };                           /* seconds of processor time; the whole run takes minutes */

static int begin_plodding(void **unused)
{
    (void)unused;
    plodding = rh_shared_new(sizeof *plodding);
    return plodding ? 0 : -1;
}

static int end_plodding(void **unused)
{
    (void)unused;
    rh_shared_free(plodding, sizeof *plodding);
    return 0;
}

static void max_seconds_ends_a_run_in_the_middle(void **unused)
{
    (void)unused;
    /* Without --max-runs the default would find out that the program goes through few states. */
    static const char *const explorers[] = { "--max-runs 1000000", "--explorer dfs", "--explorer random" };
    for (int i = 0; i < 6; i++) {
        char options[64];
        double start = seconds();
        plodding->moves = 0;
        plodding->slow_from = slow_from[i % 2];
        snprintf(options, sizeof options, "--max-seconds 0.3 %s", explorers[i / 2]);
        check_explored(0, "plods", options);
        check_contains(report, "\nsampled: "); /* not bounded: nobody has set that bound */
        print_message("%s from %d: %.1f s\n", explorers[i / 2], slow_from[i % 2], seconds() - start);
        assert_true(seconds() - start < LONG);
    }
}

_Noreturn static void plod(void)
{
    char words[8][16] = { "program", "test", "plods", "--quiet", "--save", "", "--max-seconds", "60" };
    char *argv[9] = { NULL };
    int nowhere = open("/dev/null", O_WRONLY);
    for (int i = 0; i < 8; i++)
        argv[i] = words[i];
    setpgid(0, 0);
    dup2(nowhere, STDOUT_FILENO);
    signal(SIGINT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL); /* cmocka would go on with the tests, in this process */
    _exit(rh_main(8, argv));
}

static void an_interrupt_ends_a_run_in_the_middle(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        int status;
        plodding->moves = 0;
        plodding->slow_from = slow_from[i];
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            plod();
        for (int waits = 0; plodding->moves < slow_from[i] + 5 && waits < 60000; waits++)
            nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
        double start = seconds();
        kill(-child, SIGINT); /* to the whole group, as from a terminal */
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(seconds() - start < LONG);
        /* Before the first run there is nothing to report. */
        if (i == 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
            continue;
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 130);
    }
}

/* A test that failed leaves its world behind, without its signal handlers: cmocka has put back those from before. */
static void on_page_fault(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if (!rh__pages_fault(rh__world, info->si_addr))
        _exit(1);
}

static int free_world(void **unused)
{
    struct sigaction action = { .sa_sigaction = on_page_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };
    signal(SIGCHLD, SIG_DFL);
    if (world_in_use)
        sigaction(SIGSEGV, &action, NULL);
    return free_world_left(unused);
}

#define TEST(name) cmocka_unit_test_teardown(name, free_world)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_watchdog_works_without_pidfd_open), /* before this process has a world of its own */
        TEST(leaving_is_a_finding),
        TEST(leaving_is_told_by_the_sandbox),
        TEST(what_fails_in_a_predicate_is_a_finding),
        TEST(a_run_that_rests_at_the_limit_is_not_cut),
        TEST(a_long_run_that_rests_at_the_limit_is_not_endless),
        TEST(an_external_is_not_called_like_an_actor),
        TEST(properties_are_told_apart_by_their_text),
        TEST(more_choices_than_fit_are_a_finding),
        TEST(the_seed_of_a_test_is_used),
        TEST(a_caller_may_ignore_sigchld),
        TEST(a_hanging_handler_is_found_after_a_world_of_ones_own),
        cmocka_unit_test_setup_teardown(max_seconds_ends_a_run_in_the_middle, begin_plodding, end_plodding),
        cmocka_unit_test_setup_teardown(an_interrupt_ends_a_run_in_the_middle, begin_plodding, end_plodding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
