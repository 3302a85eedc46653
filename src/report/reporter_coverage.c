/* The reporter `coverage` (reporter.h): the coverage of ordering goals as a file for `rehearse coverage`. */
#include <stdio.h>

#include "base/files.h"
#include "coverage/pack.h"
#include "explore/engine/measure.h"
#include "report/reporter.h"

struct coverage {
    const char *path;
    struct rh__writer bytes; /* of the file; empty as long as there is no result */
};

/* The file is written at the end.  Whether that can work is better known now. */
static bool coverage_open(void *state, const struct rh__report_setup *setup, char *error, size_t error_size)
{
    struct coverage *c = state;
    char why[RH__PATH_BYTES + 128];
    c->path = setup->value;
    c->bytes = rh__writer_new();
    if (rh__output_possible(c->path, false, why, sizeof why))
        return true;
    snprintf(error, error_size, "--coverage-file %s", why);
    return false;
}

static void coverage_result(void *state, const struct rh__result *r)
{
    struct coverage *c = state;
    rh__writer_release(&c->bytes);
    c->bytes = rh__writer_new();
    if (r->x->measure)
        rh__coverage_pack_file(r->x->results->coverage, &c->bytes);
}

static void coverage_drop(void *state)
{
    struct coverage *c = state;
    rh__writer_release(&c->bytes);
}

static bool coverage_close(void *state, const struct rh__report_end *end, char *error, size_t error_size)
{
    struct coverage *c = state;
    bool whole = true;
    (void)end;
    if (c->bytes.full) {
        snprintf(error, error_size, "%s: no memory for the coverage", c->path);
        whole = false;
    } else if (c->bytes.len) {
        whole = rh__file_write(c->path, c->bytes.at, c->bytes.len, error, error_size);
    }
    coverage_drop(c);
    return whole;
}

const struct rh__reporter rh__reporter_coverage = {
    .name = "coverage",
    .option = { .name = "coverage-file",
                .argument = "FILE",
                .help = "keep the coverage in FILE, for `rehearse coverage`",
                .complete = RH__COMPLETE_FILE },
    .of_one_test = true,
    .needs_coverage = true,
    .state_size = sizeof(struct coverage),
    .open = coverage_open,
    .result = coverage_result,
    .close = coverage_close,
    .drop = coverage_drop,
};
