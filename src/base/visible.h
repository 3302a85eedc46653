/* Makes texts of programs and of untrusted files safe to print: everything that could move the cursor, change colours,
 * hide or reorder text becomes visible.  Control characters become \x1b, \t, \n; bytes that are not UTF-8 become \xff;
 * characters that change the direction of text, or are invisible, become \u202e.  Everything else stays, including
 * backslashes: the result is for reading, not for decoding. */
#ifndef RH_BASE_VISIBLE_H
#define RH_BASE_VISIBLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

/* The length of the well-formed UTF-8 character at c; 0 if there is none.  The text is zero-terminated. */
int rh__utf8_length(const unsigned char *c);

/* The code point of a character of `length` bytes, at least 1. */
uint32_t rh__utf8_code(const unsigned char *c, int length);

/* Whether the character of `length` bytes (rh__utf8_length) is shown unchanged; newlines and tabs are not. */
bool rh__is_plain(const unsigned char *c, int length);

/* Appends the visible form of the text, on one line. */
void rh__text_add_visible(struct rh__text *to, const char *text);

/* Prints the visible form of at most `size` bytes, on one line. */
void rh__print_visible(FILE *f, const char *text, size_t size);

/* Prints the visible form of the text, but keeps its newlines and tabs. */
void rh__print_lines_visible(FILE *f, const char *text);

/* Prints "rehearse: ..." to standard error, on one line. */
void rh__complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
