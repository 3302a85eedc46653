/* See coverage.h. */
#include "cli/cli_coverage.h"

#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/visible.h"
#include "coverage/pack.h"
#include "report/coverage.h"

enum { EXIT_GOOD, EXIT_WRONG_USE = 2, EXIT_TOOL = 3 };

static int usage(const char *why)
{
    rh__complain("%s", why);
    fprintf(stderr,
            "rehearse coverage show FILE... [--json FILE] [--all]    what they cover together; --all lists every open "
            "pair\n"
            "rehearse coverage merge -o FILE FILE...                 keep that in one file\n"
            "FILEs are those of `rehearse test --coverage-file`, of one test under one model\n");
    return EXIT_WRONG_USE;
}

static int fail(const char *error, int code)
{
    rh__complain("%s", error);
    return code;
}

static int write_json(const struct rh__coverage *c, const char *path)
{
    char error[RH__PATH_BYTES + 256];
    struct rh__output o;
    if (!rh__output_open(&o, path, true, error, sizeof error))
        return fail(error, EXIT_WRONG_USE);
    rh__coverage_json(o.file, c, NULL, NULL);
    fputc('\n', o.file);
    return rh__output_close(&o, error, sizeof error) ? EXIT_GOOD : fail(error, EXIT_TOOL);
}

static int show(const struct rh__coverage *c, const char *json, bool all)
{
    if (json)
        return write_json(c, json);
    char under[4096];
    struct rh__text t;
    const char *subject = rh__coverage_text(c, c->subject);
    rh__text_init(&t, under, sizeof under);
    rh__coverage_under(c, &t);
    rh__print_visible(stdout, subject, strcspn(subject, "\n"));
    printf(", %llu runs%s\n  under ", (unsigned long long)c->runs, c->exhausted ? ", all there are" : "");
    rh__print_visible(stdout, under, SIZE_MAX);
    putchar('\n');
    rh__coverage_print(stdout, c, "  ", all ? UINT32_MAX : 10);
    return EXIT_GOOD;
}

int rh__cli_coverage(int argc, char **argv)
{
    char error[4096];
    struct rh__coverage *c = NULL;
    const char *json = NULL, *out = NULL;
    bool all = false, good = true;
    if (argc < 1)
        return usage("coverage wants to know what to do");
    bool merge = strcmp(argv[0], "merge") == 0;
    if (!merge && strcmp(argv[0], "show") != 0)
        return usage("coverage can show and merge");
    for (int i = 1; i < argc && good; i++) {
        const char **value = strcmp(argv[i], "--json") == 0 && !merge ? &json
                             : strcmp(argv[i], "-o") == 0 && merge    ? &out
                                                                      : NULL;
        if (value && i + 1 == argc)
            return usage("that option wants a file");
        if (value)
            *value = argv[++i];
        else if (strcmp(argv[i], "--all") == 0 && !merge)
            all = true;
        else if (argv[i][0] == '-')
            return usage("there is no such option");
        else
            good = rh__coverage_read(&c, argv[i], error, sizeof error);
    }
    if (!good)
        return fail(error, EXIT_WRONG_USE);
    if (!c)
        return usage("there is no file to read");
    if (merge && !out)
        return usage("merge wants -o FILE");
    if (merge && !rh__output_possible(out, false, error, sizeof error))
        return fail(error, EXIT_WRONG_USE);
    if (merge)
        return rh__coverage_write(c, out, error, sizeof error) ? EXIT_GOOD : fail(error, EXIT_TOOL);
    return show(c, json, all);
}
