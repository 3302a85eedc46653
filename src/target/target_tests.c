/* Tests in C, one for each goal that was reached: RH_TEST with the values that were found, as messages of the test.
 *
 * The file includes the source of the test that was explored, so that its types are there, and stands in its place when
 * the program is compiled.  A generated test runs the body of that test, and then sends the messages that came from
 * outside in the run: it is closed, and every explorer can explore its orders. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/visible.h"
#include "target/target_commands.h"
#include "target/target_tests.h"

static void put_upper(FILE *f, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        fputc(toupper((unsigned char)text[i]), f);
}

/* "set model=fifo": the assumptions of the test.  Values from outside are messages now. */
static void put_settings(FILE *f, const char *schedule)
{
    static const char *const left_out[] = { "seed=", "outside=", "outside_values=", "param.", "opens=" };
    static const struct {
        const char *name, *prefix;
    } named[] = { { "model=", "RH_" }, { "granularity=", "RH_GRAIN_" }, { "time=", "RH_TIME_" } };
    for (const char *line = schedule, *end; (end = strchr(line, '\n')); line = end + 1) {
        if (strncmp(line, "set ", 4) != 0)
            continue;
        const char *name = line + 4, *equals = strchr(name, '=');
        bool skip = !equals || equals > end;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            skip |= strncmp(name, left_out[i], strlen(left_out[i])) == 0;
        if (skip)
            continue;
        fprintf(f, ", .%.*s = ", (int)(equals - name), name);
        size_t k = 0;
        while (k < sizeof named / sizeof *named && strncmp(name, named[k].name, strlen(named[k].name)) != 0)
            k++;
        if (k < sizeof named / sizeof *named) {
            fputs(named[k].prefix, f);
            put_upper(f, equals + 1, (size_t)(end - equals - 1));
        } else
            fprintf(f, "%.*s", (int)(end - equals - 1), equals + 1);
    }
}

/* The fields as in a schedule, `{ .amount = 5, .to = account#1 }`, as arguments: names of actors become references. */
static void put_fields(FILE *f, const char *from, const char *end)
{
    bool text = false, value = false;
    for (const char *c = from; c < end; c++) {
        if (*c == '"' && c[-1] != '\\')
            text = !text;
        if (!text && *c == '=')
            value = true;
        else if (!text && (*c == ',' || *c == '.'))
            value = value && *c != ','; /* the name of the next field */
        if (text || !value || !isalpha((unsigned char)*c) || isalnum((unsigned char)c[-1])) {
            fputc(*c, f);
            continue;
        }
        size_t n = 0;
        while (c + n < end && !strchr(",} ", c[n]))
            n++;
        if (n == 6 && strncmp(c, "nobody", 6) == 0)
            fputs("rh_nobody()", f);
        else if ((n == 4 && strncmp(c, "true", 4) == 0) || (n == 5 && strncmp(c, "false", 5) == 0))
            fprintf(f, "%.*s", (int)n, c);
        else if (n == 7 && strncmp(c, "outside", 7) == 0)
            fputs("rh_external(\"outside\")", f);
        else
            fprintf(f, "rh_target_actor(\"%.*s\")", (int)n, c);
        c += n - 1;
    }
}

/* "outside 1 sends deposit { .amount = 5 } to account#1", or with `bytes 05000000`. */
static void put_send(FILE *f, const char *line, const char *end)
{
    const char *type = strstr(line, " sends "), *to = NULL;
    for (const char *at = type; at && (at = strstr(at, " to ")) && at < end; at++)
        to = at;
    if (!type || !to)
        return;
    type += 7;
    int name = (int)strcspn(type, " ");
    const char *value = type + name;
    fprintf(f, "    rh_send_from%s(rh_external(\"%.*s\"), rh_target_actor(\"%.*s\"), ",
            strncmp(value, " bytes ", 7) == 0 ? "_" : "", (int)(type - 7 - line), line, (int)(end - to - 4), to + 4);
    if (strncmp(value, " bytes ", 7) == 0) {
        fprintf(f, "&rh_message_%.*s,\n                  (const unsigned char[]){ ", name, type);
        for (const char *hex = value + 7; hex + 1 < to; hex += 2)
            fprintf(f, "%s0x%.2s", hex == value + 7 ? "" : ", ", hex);
        fputs(" }, RH_HERE);\n", f);
        return;
    }
    fprintf(f, "%.*s", name, type);
    const char *open = memchr(value, '{', (size_t)(to - value)), *close = to;
    while (close > value && *close != '}')
        close--;
    if (open && close > open + 2) {
        fputs(", ", f);
        put_fields(f, open + 2, close - 1);
    }
    fputs(");\n", f);
}

bool rh__tests_name(const struct rh__goals *g, uint32_t goal, char *name, size_t size)
{
    const struct rh__goal *x = &g->at[goal];
    uint32_t number = 1;
    if (!x->saved || !x->schedule)
        return false;
    for (uint32_t i = 0; i < goal; i++)
        number += g->at[i].saved && strcmp(g->at[i].place, x->place) == 0;
    int used = snprintf(name, size, "reaches_%s", x->place);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) ? *c : '_';
    if (number > 1 && used > 0 && (size_t)used < size)
        snprintf(name + used, size - (size_t)used, "_%u", number);
    return true;
}

static void put_test(FILE *f, const char *test, const struct rh__goals *g, uint32_t goal)
{
    const struct rh__goal *x = &g->at[goal];
    char name[512];
    if (!rh__tests_name(g, goal, name, sizeof name))
        return;
    fprintf(f, "\n/* %s (%s)", x->place, x->what);
    for (const char *line = x->schedule, *end; (end = strchr(line, '\n')); line = end + 1)
        if (strncmp(line, "set param.", 10) == 0)
            fprintf(f, "; with -p %.*s", (int)(end - line - 10), line + 10);
    fprintf(f, ". The run that was found:\n");
    for (const char *line = x->schedule, *end; (end = strchr(line, '\n')); line = end + 1)
        if (strncmp(line, "set ", 4) != 0 && strncmp(line, "test ", 5) != 0 && strncmp(line, "rehearse ", 9) != 0)
            fprintf(f, " *     %.*s\n", (int)(end - line), line);
    fprintf(f, " */\nRH_TEST(%s", name);
    put_settings(f, x->schedule);
    fprintf(f, ")\n{\n    rh_test_body_%s(self, (void *)0);\n", test);
    for (const char *line = x->schedule, *end; (end = strchr(line, '\n')); line = end + 1)
        if (strncmp(line, "outside ", 8) == 0)
            put_send(f, line, end);
    fputs("}\n", f);
}

bool rh__tests_write(const char *path, const char *test, const struct rh__goals *g)
{
    const struct rh__program *p = g->program;
    const struct rh__bitcode_function *body =
        rh__bitcode_function(&p->bitcode, p->tests[rh__program_test_named(p, test)].body);
    struct rh__output o;
    char error[RH__PATH_BYTES + 256];
    if (!rh__output_open(&o, path, true, error, sizeof error)) {
        rh__complain("%s", error);
        return false;
    }
    fprintf(
        o.file,
        "/* Tests that reach given places, written by `rehearse target`. Compile this file in the place of the one\n"
        " * that it includes. Each test is closed, with the values that were found: any explorer may explore it. */\n"
        "#include <rehearse/test.h>\n#include <string.h>\n\n"
        "#undef rh_open /* what came from outside is sent below */\n#define rh_open(...) ((void)0)\n"
        "#pragma GCC diagnostic ignored \"-Wunused\"\n\n#include \"%s\"\n\n"
        "/* An actor that the body of the test has spawned, by its name. */\n"
        "static inline rh_ref rh_target_actor(const char *name)\n"
        "{\n"
        "    for (uint64_t i = 0; i < 4096; i++) {\n"
        "        rh_ref r = { 0x7265660000000001u + i }; /* references are numbered in the order of their actors */\n"
        "        if (strcmp(rh_name(r), name) == 0)\n"
        "            return r;\n"
        "    }\n"
        "    rh_assert(false, \"the body of the test has not spawned %%s\", name);\n"
        "    return rh_nobody();\n"
        "}\n",
        body ? p->bitcode.files[body->file] : "test.c");
    for (uint32_t i = 0; i < g->count; i++)
        put_test(o.file, test, g, i);
    if (rh__output_close(&o, error, sizeof error))
        return true;
    rh__complain("%s", error);
    return false;
}
