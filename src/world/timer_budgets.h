/* Budgets of timers, as a test states them: "election=3, heartbeat=10" (struct rh_semantics). */
#ifndef RH_WORLD_TIMER_BUDGETS_H
#define RH_WORLD_TIMER_BUDGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RH__TIMER_BUDGETS = 16 };

struct rh__timer_budget {
    const char *name; /* inside the text; not terminated */
    uint32_t length, most;
};

/* Reads the text; later words for the same name replace earlier ones.  Gives how many budgets there are, which are in
 * `budgets`; -1, with a sentence in `error` (unless NULL), if it is no such text. */
int rh__timer_budgets_read(const char *text, struct rh__timer_budget *budgets, char *error, size_t error_size);

/* The index of the budget for timers of this name; `count` if there is none. */
uint32_t rh__timer_budget_of(const struct rh__timer_budget *budgets, uint32_t count, const char *name);

/* True if the text has a budget for timers of this name. */
bool rh__timer_is_budgeted(const char *text, const char *name);

#endif
