/* See json_text.h. */
#include "report/json_text.h"

const char rh__no_character[] = "\xef\xbf\xbd"; /* U+FFFD */

/* A code past U+FFFF is written as a surrogate pair. */
static void put_code(FILE *f, uint32_t code)
{
    if (code < 0x10000)
        fprintf(f, "\\u%04x", code);
    else
        fprintf(f, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff));
}

void rh__json_text(FILE *f, const char *text)
{
    int length;
    fputc('"', f);
    for (const unsigned char *c = (const unsigned char *)text; *c; c += length ? length : 1) {
        length = rh__utf8_length(c);
        if (!length)
            fputs(rh__no_character, f);
        else if (*c == '"' || *c == '\\')
            fprintf(f, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", f);
        else if (!rh__is_plain(c, length))
            put_code(f, rh__utf8_code(c, length));
        else
            fwrite(c, 1, (size_t)length, f);
    }
    fputc('"', f);
}
