/* Texts of programs and of strangers' files, for people: what could move the cursor, change colours, hide or reorder what is shown
 * is made visible.  Control characters become \x1b, \t, \n; bytes that are no UTF-8 become \xff; characters that change the
 * direction of text, or are not seen, become \u202e.  All else stays, a backslash too: this is for eyes, not for reading back. */
#ifndef RH_BASE_VISIBLE_H
#define RH_BASE_VISIBLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

/* How many bytes of well-formed UTF-8 begin here; 0 for none.  The text ends in a zero. */
int rh__utf8_length(const unsigned char *c);

/* The character of so many bytes, at least 1. */
uint32_t rh__utf8_code(const unsigned char *c, int length);

/* Whether the character of `length` bytes (rh__utf8_length) may be shown as it is; a new line and a tab may not. */
bool rh__is_plain(const unsigned char *c, int length);

/* Appends all of it on one line. */
void rh__text_add_visible(struct rh__text *to, const char *text);

/* Prints `size` bytes at most, on one line. */
void rh__print_visible(FILE *f, const char *text, size_t size);

/* Likewise with its lines and tabs, which are somebody's own. */
void rh__print_lines_visible(FILE *f, const char *text);

/* "rehearse: ..." on standard error, one line. */
void rh__complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
