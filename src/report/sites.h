/* Places of rh_cover and rh_sometimes in the test program (RH_SITE_ in rehearse/macros.h), also those that no run has
 * reached. */
#ifndef RH_REPORT_SITES_H
#define RH_REPORT_SITES_H

#include "base/text.h"
#include "results/results.h"

/* Bits of places, in the order of the program; places beyond these are not told. */
enum { RH__MOST_SITES = 1024 };
struct rh__sites {
    uint64_t reached[RH__MOST_SITES / 64];
};

/* Marks the places whose property some run has evaluated. */
void rh__sites_add(struct rh__sites *s, const struct rh__results *r);
/* "`a retry` (server.c:31), ..." for the others; nothing if there are none. */
void rh__sites_unreached(const struct rh__sites *s, struct rh__text *t);

#endif
