/* What harness.c and the two sides of the harness share: running one program, and its outcome. */
#ifndef RH_TESTS_CONFORMANCE_SUPPORT_HARNESS_RUN_H
#define RH_TESTS_CONFORMANCE_SUPPORT_HARNESS_RUN_H

#include "conformance/support/harness.h"

/* One run's outcome as it grows: what each actor said. */
struct record {
    uint32_t count;
    struct {
        char actor[LINE_SIZE];
        char text[LINE_SIZE];
    } said[MAX_LINES];
    char failures[OUTCOME_SIZE];
};

extern struct program *first_program;

void record_line(struct record *r, const char *actor, const char *text);
void record_failure(struct record *r, const struct program *p, const char *kind, const char *actor, const char *place,
                    const char *text);
void record_outcome(const struct record *r, char *buffer, size_t size);
/* The index of the outcome in a list that NULL or `size` ends; -1 when it is not there. */
int index_among(const char *const *list, int size, const char *outcome);
int allowed_index(const struct program *p, const char *outcome);
void print_allowed(const struct program *p);

/* Runs the program in one of the two worlds and fails the test on an outcome that is not allowed. */
void run_program(const struct program *p);

#endif
