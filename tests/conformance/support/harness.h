/* The conformance suite: one program, two worlds, the same outcomes.
 *
 * Each file of this folder is compiled twice.  With librehearse every schedule of a program is run (harness_world.c),
 * and the outcomes found must be exactly those that the program allows.  With librehearse-rt (RH_CONFORMANCE_RT) it is
 * run many times on 1, 2 and 4 threads (harness_rt.c), and each outcome must be one of them.
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
#ifndef RH_TESTS_CONFORMANCE_SUPPORT_HARNESS_H
#define RH_TESTS_CONFORMANCE_SUPPORT_HARNESS_H

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

/* Where PROGRAM adds to the list of programs. */
extern struct program **last_program;

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
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

int run_programs(void);
#define MAIN()                                                                                                         \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        return run_programs();                                                                                         \
    }

#endif
