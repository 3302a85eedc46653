/* The story of a run in words: one sentence for each operation, with logical names and its file and line, as
 * Concuerror tells it [Christakis, Gotovos and Sagonas 2013, Figure 2b]:
 *
 *     P1 spawns P1.1, a child  (ping_pong.c:12)
 *     P1.1 sends ping to P1  (ping_pong.c:21)
 *     P1.1 ends (normal) */
#ifndef RH_FINDINGS_WORDS_H
#define RH_FINDINGS_WORDS_H

#include "base/text.h"
#include "run/run.h"

/* Makes the first events of the run again, in a child process, for its operations (world/deeds.h), and writes it all.
 * False if the tool failed; the failure is on standard error. */
bool rh__words_write(const struct rh__run *r, struct rh_world *w, uint32_t events, struct rh__text *to);

#endif
