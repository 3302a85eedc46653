/* Texts in JSON (json_text.h). */
#include "report/json_text.h"

int rh__utf8_length(const unsigned char *c)
{
    int more = *c < 0x80 ? 0 : *c >= 0xc2 && *c < 0xe0 ? 1 : (*c & 0xf0) == 0xe0 ? 2 : *c >= 0xf0 && *c < 0xf5 ? 3 : -1;
    for (int i = 1; i <= more; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f) || (*c == 0xf0 && c[1] < 0x90) ||
        (*c == 0xf4 && c[1] > 0x8f))
        return 0; /* too long a form, half of a pair, or past the last character */
    return more + 1;
}

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
        else if (*c < 0x20)
            fprintf(f, "\\u%04x", *c);
        else
            fwrite(c, 1, (size_t)length, f);
    }
    fputc('"', f);
}
