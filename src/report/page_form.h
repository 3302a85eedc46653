/* The form of a page: head, policy, style, script, and the data that it shows (page.h).  Refers to no world, so that
 * the command `rehearse` can be linked without one. */
#ifndef RH_REPORT_PAGE_FORM_H
#define RH_REPORT_PAGE_FORM_H

#include <stdbool.h>
#include <stdio.h>

/* Writes a page around data, which are JSON.  `connect` says what the page may ask for: 'none' or 'self', with the
 * quotes. */
void rh__page_put(FILE *f, const char *data, size_t size, const char *connect);

/* The page that `rehearse serve` gives: it asks the server for runs.  False if memory is short. */
bool rh__page_write_served(FILE *f, const char *program, const char *test);

#endif
