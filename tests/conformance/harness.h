/* The conformance suite: one program, two worlds, the same outcomes.
 *
 * Each file of this folder is compiled twice.  With librehearse every schedule of a program is run (harness_world.h),
 * and the outcomes found must be exactly those that the program allows.  With librehearse-rt (RH_CONFORMANCE_RT) it is
 * run many times on 1, 2 and 4 threads (harness_rt.h), and each outcome must be one of them.
 *
 *     PROGRAM(two_senders_come_in_any_order, .allowed = { "sink#1: a b", "sink#1: b a" })
 *     {
 *         rh_ref s = rh_spawn(sink);
 *         ...
 *     }
 *     MAIN()
 *
 * The body starts the program from outside of all actors (in the controlled world: as the test), so it may spawn, send
 * and look up names only.  An outcome is what the actors said by say(), each in its own order, sorted by actor, with "!
 * kind actor" behind it for each failure: "asker#1: 4 none | sink#1: a b ! assertion sink#1". */
#ifndef CONFORMANCE_HARNESS_H
#define CONFORMANCE_HARNESS_H

#include <rehearse.h>
#include <rehearse/test.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_ALLOWED = 40, MAX_LINES = 64, LINE_SIZE = 256, OUTCOME_SIZE = 2048 };

struct program {
    const char *name;
    const char *file;
    void (*start)(void);
    const char *allowed[MAX_ALLOWED];
    const char *production[4];     /* where production promises more: those of the allowed that it may give */
    struct rh_semantics semantics; /* of the controlled world */
    const char *failure_text[3];   /* all must be in the text of each failure */
    int failure_line;              /* and this the line of its place */
    bool full_disk;           /* in production nothing can be put; the hook is told, which is no part of the outcome */
    uint32_t production_runs; /* on each number of threads; 0: as many as there is time for */
    struct program *next;
};

/* One run's outcome as it grows: what each actor said. */
struct record {
    uint32_t count;
    struct {
        char actor[LINE_SIZE];
        char text[LINE_SIZE];
    } said[MAX_LINES];
    char failures[OUTCOME_SIZE];
};

static struct program *first_program, **last_program = &first_program;

#define PROGRAM(name_, ...)                                                                                            \
    static void start_##name_(void);                                                                                   \
    static struct program program_##name_ = { .name = #name_, .file = __FILE__, .start = start_##name_, __VA_ARGS__ }; \
    __attribute__((constructor)) static void add_##name_(void)                                                         \
    {                                                                                                                  \
        *last_program = &program_##name_;                                                                              \
        last_program = &program_##name_.next;                                                                          \
    }                                                                                                                  \
    static void start_##name_(void)

/* Adds to the outcome; other lines of rh_log do not. */
RH_UNUSED __attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char text[LINE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rh_log("say %s", text);
}

static void record_line(struct record *r, const char *actor, const char *text)
{
    if (strncmp(text, "say ", 4) != 0)
        return;
    if (r->count == MAX_LINES) {
        snprintf(r->failures, sizeof r->failures, " ! more than %d lines", MAX_LINES);
        return;
    }
    snprintf(r->said[r->count].actor, LINE_SIZE, "%s", actor);
    snprintf(r->said[r->count].text, LINE_SIZE, "%s", text + 4);
    r->count++;
}

static void record_failure(struct record *r, const struct program *p, const char *kind, const char *actor,
                           const char *place, const char *text)
{
    size_t at = strlen(r->failures);
    at += (size_t)snprintf(r->failures + at, sizeof r->failures - at, " ! %s %s", kind, actor);
    const char *slash = strrchr(p->file, '/');
    char want[LINE_SIZE] = "";
    if (p->failure_line)
        snprintf(want, sizeof want, "%s:%d", slash ? slash + 1 : p->file, p->failure_line);
    size_t long_enough = strlen(place), wanted = strlen(want);
    bool placed = long_enough >= wanted && strcmp(place + long_enough - wanted, want) == 0;
    bool told = p->failure_text[0] != NULL;
    for (int i = 0; i < 3 && p->failure_text[i]; i++)
        told = told && strstr(text, p->failure_text[i]);
    if (at < sizeof r->failures && !(placed && told))
        snprintf(r->failures + at, sizeof r->failures - at, " (%s: %s)", place, text);
}

static void record_outcome(const struct record *r, char *buffer, size_t size)
{
    size_t at = 0;
    const char *last = "";
    buffer[0] = 0;
    for (;;) {
        const char *least = NULL;
        for (uint32_t i = 0; i < r->count; i++)
            if (strcmp(r->said[i].actor, last) > 0 && (!least || strcmp(r->said[i].actor, least) < 0))
                least = r->said[i].actor;
        if (!least)
            break;
        at += (size_t)snprintf(buffer + at, size - at, "%s%s:", at ? " | " : "", least);
        for (uint32_t i = 0; i < r->count && at < size; i++)
            if (strcmp(r->said[i].actor, least) == 0)
                at += (size_t)snprintf(buffer + at, size - at, " %s", r->said[i].text);
        last = least;
        assert_true(at < size);
    }
    snprintf(buffer + at, size - at, "%s", at || !*r->failures ? r->failures : r->failures + 1);
}

static int index_among(const char *const *list, int size, const char *outcome)
{
    for (int i = 0; i < size && list[i]; i++)
        if (strcmp(list[i], outcome) == 0)
            return i;
    return -1;
}

static int allowed_index(const struct program *p, const char *outcome)
{
    return index_among(p->allowed, MAX_ALLOWED, outcome);
}

RH_UNUSED static void print_allowed(const struct program *p)
{
    for (int i = 0; i < MAX_ALLOWED && p->allowed[i]; i++)
        print_error("  allowed: %s\n", p->allowed[i]);
}

#ifdef RH_CONFORMANCE_RT
#include "conformance/harness_rt.h"
#else
#include "conformance/harness_world.h"
#endif

static void conforms(void **which)
{
    run_program(*which);
}

#define MAIN()                                                                                                         \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        return run_programs();                                                                                         \
    }

static int run_programs(void)
{
    size_t count = 0;
    for (struct program *p = first_program; p; p = p->next)
        count++;
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    count = 0;
    for (struct program *p = first_program; p; p = p->next, count++) {
        tests[count].name = p->name;
        tests[count].test_func = conforms;
        tests[count].initial_state = p;
    }
    int failed = _cmocka_run_group_tests("conformance", tests, count, NULL, NULL);
    free(tests);
    return failed;
}

#endif
