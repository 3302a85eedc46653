/* Printing for people: the line of progress on standard error, and lines on standard output that fit the terminal. */
#ifndef RH_REPORT_TERMINAL_H
#define RH_REPORT_TERMINAL_H

#include "explore/engine/engine.h"

/* For struct rh_exploration.progress. */
void rh__terminal_progress(struct rh_exploration *x);
/* Removes the line of progress. */
void rh__terminal_clear(void);

/* `lead` and one paragraph of text, broken between words. */
void rh__terminal_sentence(const char *lead, const char *text);
/* `text`, one line, with `lead` before it: broken if standard output is a terminal, or COLUMNS says a width. */
void rh__terminal_line(const char *lead, const char *text);
/* `lead` and a list with commas, broken behind commas. */
void rh__terminal_list(const char *lead, const char *text);
/* The program's own lines, made visible, each behind `indent`. */
void rh__terminal_indented(const char *text, const char *indent);

#endif
