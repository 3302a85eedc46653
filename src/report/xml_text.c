/* See xml_text.h. */
#include "report/xml_text.h"

#include "report/json_text.h"

void rh__xml_text(FILE *f, const char *text)
{
    int length;
    for (const unsigned char *c = (const unsigned char *)text; *c; c += length ? length : 1) {
        length = rh__utf8_length(c);
        if (!length || (length == 3 && c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe)) /* U+FFFE, U+FFFF */
            fputs(rh__no_character, f);
        else if (*c == '<')
            fputs("&lt;", f);
        else if (*c == '>')
            fputs("&gt;", f);
        else if (*c == '&')
            fputs("&amp;", f);
        else if (*c == '"')
            fputs("&quot;", f);
        else if (*c == '\n' || *c == '\t' || rh__is_plain(c, length))
            fwrite(c, 1, (size_t)length, f);
        else
            fputs(rh__no_character, f);
    }
}
