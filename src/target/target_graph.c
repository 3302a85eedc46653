/* rehearse graph BINARY [TEST]: the message flow graph. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/visible.h"
#include "target/flow.h"
#include "target/target_commands.h"

static const char help[] =
    "rehearse graph BINARY [TEST]   which actors may create which, and send which messages to which\n"
    "  --json FILE     as JSON; - is standard output\n"
    "  --svg FILE      drawn\n"
    "  --merged        without the optimisations by message type (TAP, section 4.3)\n"
    "The graph has everything that a run of the test can show, and possibly more; a note names each call that the\n"
    "analysis does not know.  BINARY must have bitcode (docs/target.md).\n";

struct asked {
    const char *program, *test, *json, *svg;
    bool merged;
};

static bool read_words(int argc, char **argv, struct asked *a)
{
    for (int i = 0; i < argc; i++) {
        const char **text = strcmp(argv[i], "--json") == 0 ? &a->json : strcmp(argv[i], "--svg") == 0 ? &a->svg : NULL;
        if (text) {
            if (++i == argc) {
                rh__complain("%s wants a file", argv[i - 1]);
                return false;
            }
            *text = argv[i];
        } else if (strcmp(argv[i], "--merged") == 0) {
            a->merged = true;
        } else if (argv[i][0] == '-') {
            rh__complain("graph has no option %s", argv[i]);
            return false;
        } else if (!a->program) {
            a->program = argv[i];
        } else if (!a->test) {
            a->test = argv[i];
        } else {
            rh__complain("graph takes one test, or none for all of them");
            return false;
        }
    }
    if (!a->program)
        rh__complain("graph wants a test program first");
    return a->program != NULL;
}

static bool write_file(const char *path, void (*print)(const struct rh__flow *, FILE *), const struct rh__flow *f)
{
    struct rh__output o;
    char error[RH__PATH_BYTES + 256];
    if (!rh__output_open(&o, path, true, error, sizeof error)) {
        rh__complain("%s", error);
        return false;
    }
    print(f, o.file);
    if (rh__output_close(&o, error, sizeof error))
        return true;
    rh__complain("%s", error);
    return false;
}

int rh__command_graph(int argc, char **argv)
{
    struct asked a = { 0 };
    struct rh__program p;
    struct rh__flow f;
    if (argc == 1 && strcmp(argv[0], "--help") == 0) {
        fputs(help, stdout);
        return RH__TARGET_OK;
    }
    if (!read_words(argc, argv, &a))
        return RH__TARGET_USAGE;
    if (!rh__command_open(&p, a.program))
        return RH__TARGET_USAGE;
    uint32_t test = a.test ? rh__program_test_named(&p, a.test) : RH__NO_INDEX;
    if (a.test && test == RH__NO_INDEX) {
        rh__complain("%s has no test %s", a.program, a.test);
        rh__program_close(&p);
        return RH__TARGET_USAGE;
    }
    rh__flow_make(&f, &p, test, !a.merged);
    bool done = (!a.json || write_file(a.json, rh__flow_print_json, &f)) &&
                (!a.svg || write_file(a.svg, rh__flow_print_svg, &f));
    if (!a.json && !a.svg)
        rh__flow_print(&f, stdout);
    rh__flow_release(&f);
    rh__program_close(&p);
    return done ? RH__TARGET_OK : RH__TARGET_TOOL;
}
