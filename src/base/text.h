/* Text that is built in a buffer of the caller.  It never exceeds the buffer, is terminated at all times, and shows if
 * something did not fit: the text then ends in "..." and accepts nothing more.
 *
 *     char buffer[256];
 *     struct rh__text t;
 *     rh__text_init(&t, buffer, sizeof buffer);
 *     rh__text_add(&t, "%s#%u", type, number); */
#ifndef RH_BASE_TEXT_H
#define RH_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct rh__text {
    char *at;   /* the text, terminated */
    size_t cap; /* size of the buffer, with the terminator */
    size_t len; /* length of the text */
    bool cut;   /* something did not fit */
};

/* Starts an empty text. cap is at least 1.  The text keeps the buffer. */
void rh__text_init(struct rh__text *text, char *buffer_kept, size_t cap);

/* Empties the text. */
void rh__text_clear(struct rh__text *text);

/* Appends like printf. */
void rh__text_add(struct rh__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rh__text_add_list(struct rh__text *text, const char *format, va_list list) __attribute__((format(printf, 2, 0)));

/* Whether the text is a whole number, decimal, octal (0...) or hexadecimal (0x...), that fits 64 bits. */
bool rh__text_is_number(const char *text);

/* Appends n bytes as they are. */
void rh__text_put(struct rh__text *text, const char *bytes, size_t n);

/* Appends a text of the program as lines of schedules have it: what would end a line, begin a comment or be trimmed
 * away is written otherwise. */
void rh__text_escape(struct rh__text *text, const char *of_program);

#endif
