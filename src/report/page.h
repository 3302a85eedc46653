/* A page in HTML that shows results and runs: one file, which needs no network and no server.
 *
 *     struct rh__page page;
 *     rh__page_begin(&page, program);
 *     rh__page_result(&page, &result);                once for each test under each model
 *     rh__page_write(&page, file);
 *     rh__page_release(&page);
 *
 * The page is a fixed text (page/page.css, page/page.js, embedded at build time) and its data as JSON.  In the file no
 * text of a program can end the element that holds the data: each `<` is escaped.  The script writes texts only as
 * texts, and a policy in the head allows no other script and no request. */
#ifndef RH_REPORT_PAGE_H
#define RH_REPORT_PAGE_H

#include "findings/shown.h"
#include "report/result.h"

struct rh__page {
    FILE *body; /* writes to `text` */
    char *text;
    size_t size;
    unsigned count; /* of results, also missing ones */
    bool failed;    /* memory is short */
};

bool rh__page_begin(struct rh__page *p, const char *program);
void rh__page_result(struct rh__page *p, const struct rh__result *r);
/* A test that has no result. */
void rh__page_missing(struct rh__page *p, const char *test, const char *model, const char *why);
/* A run by itself, and beside it another one if that is not NULL. */
struct rh__page_run {
    const char *title;
    const struct rh__shown *shown;
    bool failed;
    const struct rh__finding *finding; /* why it fails; NULL: not known */
};
void rh__page_runs(struct rh__page *p, const struct rh__result *r, const struct rh__page_run *run,
                   const struct rh__page_run *beside);
/* Ends the data and writes the page.  False if memory was short. */
bool rh__page_write(struct rh__page *p, FILE *f);
void rh__page_release(struct rh__page *p);

/* The run as one JSON object; see page_run.c. */
void rh__page_run_json(FILE *f, const struct rh__run *run, const struct rh__changes *scenes, uint32_t decisive);

#endif
