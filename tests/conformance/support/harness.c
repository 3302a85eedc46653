#include "conformance/support/harness.h"

#include "conformance/support/harness_run.h"

struct program *first_program, **last_program = &first_program;

void say(const char *format, ...)
{
    char text[LINE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rh_log("say %s", text);
}

void record_line(struct record *r, const char *actor, const char *text)
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

void record_failure(struct record *r, const struct program *p, const char *kind, const char *actor, const char *place,
                    const char *text)
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

void record_outcome(const struct record *r, char *buffer, size_t size)
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

int index_among(const char *const *list, int size, const char *outcome)
{
    for (int i = 0; i < size && list[i]; i++)
        if (strcmp(list[i], outcome) == 0)
            return i;
    return -1;
}

int allowed_index(const struct program *p, const char *outcome)
{
    return index_among(p->allowed, MAX_ALLOWED, outcome);
}

void print_allowed(const struct program *p)
{
    for (int i = 0; i < MAX_ALLOWED && p->allowed[i]; i++)
        print_error("  allowed: %s\n", p->allowed[i]);
}

static void conforms(void **which)
{
    run_program(*which);
}

int run_programs(void)
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
