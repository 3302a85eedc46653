/* See page_form.h. */
#include "report/page_form.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/hash.h"
#include "report/json_text.h"

/* JSON has `<` only inside of texts, where it may be escaped. */
static void put_data(FILE *f, const char *text, size_t size)
{
    for (const char *end = text + size; text < end;) {
        const char *bad = memchr(text, '<', (size_t)(end - text));
        size_t n = bad ? (size_t)(bad - text) : (size_t)(end - text);
        fwrite(text, 1, n, f);
        if (bad)
            fputs("\\u003c", f);
        text += n + (bad != NULL);
    }
}

static void put_file(FILE *f, const char *name)
{
    const struct rh__embedded *file = rh__page_files;
    while (strcmp(file->name, name) != 0)
        file++;
    fwrite(file->bytes, 1, file->size, f);
}

/* The policy allows the script and the style that have this mark.  A mark that the data decide is the same in each
 * page of the same data, and no text of the data can know it. */
void rh__page_put(FILE *f, const char *text, size_t size, const char *connect)
{
    char mark[40];
    uint64_t one = rh__hash(text, size, 1), other = rh__hash(text, size, one);
    snprintf(mark, sizeof mark, "%016llx%016llx", (unsigned long long)one, (unsigned long long)other);
    fprintf(f,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; script-src "
            "'nonce-%s'; "
            "style-src 'nonce-%s'; connect-src %s; base-uri 'none'; form-action 'none'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<link rel=\"icon\" href=\"data:,\">\n<title>rehearse</title>\n<style nonce=\"%s\">\n",
            mark, mark, connect, mark);
    put_file(f, "page.css");
    fputs("</style>\n</head>\n<body>\n", f);
    put_file(f, "body.html");
    fputs("<script type=\"application/json\" id=\"data\">\n", f);
    put_data(f, text, size);
    fprintf(f, "\n</script>\n<script nonce=\"%s\">\n", mark);
    put_file(f, "model.js");
    put_file(f, "chart.js");
    put_file(f, "panels.js");
    put_file(f, "page.js");
    put_file(f, "served.js");
    put_file(f, "lines.js");
    put_file(f, "boot.js");
    fputs("</script>\n</body>\n</html>\n", f);
}

bool rh__page_write_served(FILE *f, const char *program, const char *test)
{
    char *text = NULL;
    size_t size = 0;
    FILE *data = open_memstream(&text, &size);
    if (!data)
        return false;
    fputs("{\"served\":true,\"program\":", data);
    rh__json_text(data, program);
    fputs(",\"test\":", data);
    rh__json_text(data, test);
    fputs("}", data);
    bool good = fclose(data) == 0;
    if (good)
        rh__page_put(f, text, size, "'self'");
    free(text);
    return good;
}
