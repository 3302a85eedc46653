/* See visible.h. */
#include "base/visible.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

int rh__utf8_length(const unsigned char *c)
{
    int more = *c < 0x80 ? 0 : *c >= 0xc2 && *c < 0xe0 ? 1 : (*c & 0xf0) == 0xe0 ? 2 : *c >= 0xf0 && *c < 0xf5 ? 3 : -1;
    for (int i = 1; i <= more; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f) || (*c == 0xf0 && c[1] < 0x90) ||
        (*c == 0xf4 && c[1] > 0x8f))
        return 0; /* an overlong form, half of a surrogate pair, or beyond the last code point */
    return more + 1;
}

uint32_t rh__utf8_code(const unsigned char *c, int length)
{
    static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    uint32_t code = c[0] & first[length];
    for (int i = 1; i < length; i++)
        code = code << 6 | (c[i] & 0x3f);
    return code;
}

bool rh__is_plain(const unsigned char *c, int length)
{
    if (!length)
        return false;
    uint32_t u = rh__utf8_code(c, length);
    return u >= 0x20 && !(u >= 0x7f && u < 0xa0) && u != 0xad && u != 0x61c && !(u >= 0x200b && u <= 0x200f) &&
           !(u >= 0x2028 && u <= 0x202e) && !(u >= 0x2060 && u <= 0x206f) && u != 0xfeff &&
           !(u >= 0xfff9 && u <= 0xfffb) && !(u >= 0xe0000 && u <= 0xe007f);
}

enum { LONGEST = 12 };

/* Writes one character in its visible form, at most LONGEST bytes.  Returns how many bytes of the text it consumed. */
static int show(const unsigned char *c, char *to)
{
    int length = rh__utf8_length(c);
    if (rh__is_plain(c, length)) {
        memcpy(to, c, (size_t)length);
        to[length] = 0;
        return length;
    }
    if (*c == '\n' || *c == '\t' || *c == '\r')
        snprintf(to, LONGEST, "\\%c", *c == '\n' ? 'n' : *c == '\t' ? 't' : 'r');
    else if (length > 1)
        snprintf(to, LONGEST, "\\u%04x", rh__utf8_code(c, length));
    else
        snprintf(to, LONGEST, "\\x%02x", *c);
    return length ? length : 1;
}

void rh__text_add_visible(struct rh__text *to, const char *text)
{
    char shown[LONGEST];
    for (const unsigned char *c = (const unsigned char *)text; *c && !to->cut;) {
        c += show(c, shown);
        rh__text_put(to, shown, strlen(shown));
    }
}

void rh__print_visible(FILE *f, const char *text, size_t size)
{
    char shown[LONGEST];
    const unsigned char *c = (const unsigned char *)text;
    for (size_t at = 0; at < size && c[at];) {
        at += (size_t)show(c + at, shown);
        fputs(shown, f);
    }
}

void rh__print_lines_visible(FILE *f, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n\t");
        rh__print_visible(f, text, n);
        text += n;
        if (*text)
            fputc(*text++, f);
    }
}

void rh__complain(const char *format, ...)
{
    char text[4096]; /* not malloc: it would use the heap of an actor that may be running */
    struct rh__text t;
    va_list list;
    va_start(list, format);
    rh__text_init(&t, text, sizeof text);
    rh__text_add_list(&t, format, list);
    va_end(list);
    fputs("rehearse: ", stderr);
    rh__print_visible(stderr, text, SIZE_MAX);
    fputc('\n', stderr);
}
