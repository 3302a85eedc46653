/* Text that is built in a bounded buffer. */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* Ends a text that fills its buffer with "...", or as many dots as fit, without leaving half of a UTF-8 character
 * before them. */
static void cut(struct rh__text *text)
{
    size_t room = text->cap - 1;
    size_t dots = room < 3 ? room : 3;
    size_t keep = room - dots;

    while (keep > 0 && ((unsigned char)text->at[keep] & 0xc0) == 0x80)
        keep--;
    memset(text->at + keep, '.', dots);
    text->len = keep + dots;
    text->at[text->len] = '\0';
    text->cut = true;
}

void rh__text_init(struct rh__text *text, char *buffer_kept, size_t cap)
{
    RH__ASSERT(cap > 0, "a text needs room for its terminator");
    text->at = buffer_kept;
    text->cap = cap;
    rh__text_clear(text);
}

void rh__text_clear(struct rh__text *text)
{
    text->len = 0;
    text->cut = false;
    text->at[0] = '\0';
}

/* Most formats have no other directives than these two.  They are done here, because vsnprintf takes about as long as
 * ten steps of a world, and a run that fails describes its end in several pieces. */
static bool is_plain(const char *format)
{
    for (; (format = strchr(format, '%')); format += 2)
        if (format[1] != 's' && format[1] != 'u')
            return false;
    return true;
}

static void put_number(struct rh__text *text, unsigned value)
{
    char digits[3 * sizeof value];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    rh__text_put(text, digits + at, sizeof digits - at);
}

static void add_plain(struct rh__text *text, const char *format, va_list list)
{
    for (const char *at; (at = strchr(format, '%')); format = at + 2) {
        rh__text_put(text, format, (size_t)(at - format));
        if (at[1] == 'u') {
            put_number(text, va_arg(list, unsigned));
        } else {
            const char *s = va_arg(list, const char *);
            rh__text_put(text, s ? s : "(null)", s ? strlen(s) : 6);
        }
    }
    rh__text_put(text, format, strlen(format));
}

void rh__text_add_list(struct rh__text *text, const char *format, va_list list)
{
    size_t room = text->cap - text->len;

    if (text->cut)
        return;
    if (is_plain(format)) {
        add_plain(text, format, list);
        return;
    }
    int wanted = vsnprintf(text->at + text->len, room, format, list);
    if (wanted < 0) {
        /* A wide character that this locale cannot represent; vsnprintf may have stopped half way. */
        text->at[text->len] = '\0';
        rh__text_put(text, "?", 1);
    } else if ((size_t)wanted < room) {
        text->len += (size_t)wanted;
    } else {
        cut(text);
    }
}

void rh__text_add(struct rh__text *text, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    rh__text_add_list(text, format, list);
    va_end(list);
}

void rh__text_put(struct rh__text *text, const char *bytes, size_t n)
{
    size_t room = text->cap - text->len - 1;

    if (text->cut || n == 0)
        return;
    memcpy(text->at + text->len, bytes, n < room ? n : room);
    if (n <= room) {
        text->len += n;
        text->at[text->len] = '\0';
    } else {
        cut(text);
    }
}

bool rh__text_is_number(const char *text)
{
    char *end;
    int error = errno;
    errno = 0;
    strtoll(text, &end, 0);
    bool good = errno == 0 && end != text && !*end;
    errno = error;
    return good;
}

void rh__text_escape(struct rh__text *t, const char *text)
{
    for (const char *c = text; *c; c++) {
        bool at_edge = c == text || !c[1];
        if (*c == '\n')
            rh__text_add(t, "\\n");
        else if (*c == '\\')
            rh__text_add(t, "\\\\");
        else if (*c == '#' && (c == text || isspace((unsigned char)c[-1])))
            rh__text_add(t, "\\#");
        else if ((unsigned char)*c < ' ' || (*c == ' ' && at_edge) ||
                 (*c == '(' && c > text && c[-1] == ' ')) /* a number would be there */
            rh__text_add(t, "\\x%02x", (unsigned char)*c);
        else
            rh__text_put(t, c, 1);
    }
}
