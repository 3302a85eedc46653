/* The reporter `html` (reporter.h): one page with all results and the runs of all findings (page.h). */
#include <stdio.h>

#include "base/files.h"
#include "report/page.h"
#include "report/reporter.h"

struct html {
    struct rh__output out;
    struct rh__page page;
};

static bool html_open(void *state, const struct rh__report_setup *setup, char *error, size_t error_size)
{
    struct html *h = state;
    if (!rh__output_open(&h->out, setup->value, true, error, error_size))
        return false;
    if (rh__page_begin(&h->page, setup->program))
        return true;
    rh__output_drop(&h->out);
    snprintf(error, error_size, "no memory for the page");
    return false;
}

static void html_result(void *state, const struct rh__result *r)
{
    struct html *h = state;
    rh__page_result(&h->page, r);
}

static void html_missing(void *state, const struct rh__missing *m)
{
    struct html *h = state;
    rh__page_missing(&h->page, m->test, m->model, m->why);
}

static void html_drop(void *state)
{
    struct html *h = state;
    rh__page_release(&h->page);
    rh__output_drop(&h->out);
}

static bool html_close(void *state, const struct rh__report_end *end, char *error, size_t error_size)
{
    struct html *h = state;
    (void)end;
    if (!h->page.count) {
        html_drop(h);
        return true;
    }
    if (!rh__page_write(&h->page, h->out.file)) {
        html_drop(h);
        snprintf(error, error_size, "no memory for the page");
        return false;
    }
    rh__page_release(&h->page);
    return rh__output_close(&h->out, error, error_size);
}

const struct rh__reporter rh__reporter_html = {
    .name = "html",
    .option = { .name = "html",
                .argument = "FILE",
                .help = "a page with results, charts and states of findings",
                .manual = "One file that needs no network: sequence charts, stepping with the keyboard, states, "
                          "mailboxes and logs, search, growth.\n"
                          "With `--coverage` also the orders of receives of each actor.\n"
                          "`-` is standard output.",
                .complete = RH__COMPLETE_STREAM },
    .of_runs = true,
    .draws_curves = true,
    .state_size = sizeof(struct html),
    .open = html_open,
    .result = html_result,
    .missing = html_missing,
    .close = html_close,
    .drop = html_drop,
};
