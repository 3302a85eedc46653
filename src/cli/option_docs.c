/* A program of the build, which is not installed: fills lists of options into a template (runner/option_print.h).
 *
 *     rehearse-option-docs TEMPLATE FILE
 *
 * It is linked as a test program is, because the rows of options lead to all that they are options of. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/visible.h"
#include "runner/option_print.h"

/* The whole file as text; NULL with a sentence. */
static char *read_file(const char *path, char *error, size_t error_size)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = fopen(path, "r");
    if (!f || getdelim(&text, &size, 0, f) < 0) {
        snprintf(error, error_size, "%s: %s", path, f && !ferror(f) ? "the file is empty" : strerror(errno));
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    return text;
}

static bool fill(const char *template_path, const char *path, char *error, size_t error_size)
{
    char *filled = NULL, why[256];
    size_t size;
    char *text = read_file(template_path, error, error_size);
    if (!text)
        return false;
    FILE *out = open_memstream(&filled, &size);
    bool good = out && rh__options_fill(out, text, why, sizeof why);
    if (!good)
        snprintf(error, error_size, "%s: %s", template_path, out ? why : "no memory");
    if (out && fclose(out) != 0 && good) {
        snprintf(error, error_size, "%s: no memory", path);
        good = false;
    }
    good = good && rh__file_write(path, filled, size, error, error_size);
    free(filled);
    free(text);
    return good;
}

int main(int argc, char **argv)
{
    char error[2 * RH__PATH_BYTES];
    if (argc != 3) {
        rh__complain("rehearse-option-docs wants a template and a file");
        return 2;
    }
    if (fill(argv[1], argv[2], error, sizeof error))
        return 0;
    rh__complain("%s", error);
    return 2;
}
