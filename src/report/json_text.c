/* Texts in JSON (json_text.h). */
#include "report/json_text.h"

const char rh__no_character[] = "\xef\xbf\xbd"; /* U+FFFD */

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
        else if (*c < 0x20 || *c == 0x7f)
            fprintf(f, "\\u%04x", *c);
        else if (*c == 0xc2 && c[1] < 0xa0) /* the upper control characters */
            fprintf(f, "\\u%04x", c[1]);
        else
            fwrite(c, 1, (size_t)length, f);
    }
    fputc('"', f);
}
