/* corpus: replays every schedule in a folder, as a regression suite.  A schedule that fails shows a bug that is
 * still there, or there again.  A schedule that no longer fits is stale: the program has changed since it was
 * written. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/visible.h"
#include "runner/commands.h"

static int is_schedule(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name), end = strlen(".schedule");
    return n > end && strcmp(entry->d_name + n - end, ".schedule") == 0;
}

/* Reading a pipe would wait for a writer. */
static bool is_regular(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

static void print_one(const char *word, const char *path, const char *why)
{
    printf("%-8s ", word);
    rh__print_visible(stdout, path, SIZE_MAX);
    fputs(*why ? ": " : "", stdout);
    rh__print_lines_visible(stdout, why);
    putchar('\n');
}

int rh__command_corpus(const char *program, const struct rh__options *o)
{
    struct dirent **entries;
    char text[4200], path[4096];
    unsigned counts[RH__REPLAYED_BROKEN + 1] = { 0 };
    static const char *const words[] = { "FAILS", "passes", "stale", "refused", "broken" };
    if (o->word_count != 1) {
        rh__complain("corpus wants one folder");
        return RH__EXIT_USAGE;
    }
    int n = scandir(o->words[0], &entries, is_schedule, alphasort);
    if (n < 0) {
        rh__complain("%s: %s", o->words[0], strerror(errno));
        return RH__EXIT_USAGE;
    }
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", o->words[0], entries[i]->d_name);
        enum rh__replayed came_to = RH__REPLAYED_REFUSED;
        if (is_regular(path))
            came_to = rh__replay(program, path, o, NULL, text, sizeof text);
        else
            snprintf(text, sizeof text, "not a regular file");
        counts[came_to]++;
        size_t named = strncmp(text, path, strlen(path)) == 0 ? strlen(path) : 0; /* the sentence names the file */
        const char *why = named && strncmp(text + named, ": ", 2) == 0 ? text + named + 2 : text;
        if (!o->quiet || came_to != RH__REPLAYED_PASSED)
            print_one(words[came_to], path, came_to == RH__REPLAYED_PASSED ? "" : why);
        free(entries[i]);
    }
    free(entries);
    printf("%d schedule%s: %u fail, %u pass, %u stale, %u refused\n", n, n == 1 ? "" : "s", counts[RH__REPLAYED_SAME],
           counts[RH__REPLAYED_PASSED], counts[RH__REPLAYED_DIVERGED], counts[RH__REPLAYED_REFUSED]);
    if (counts[RH__REPLAYED_BROKEN])
        return RH__EXIT_TOOL;
    if (counts[RH__REPLAYED_SAME])
        return RH__EXIT_FAILURE;
    if (counts[RH__REPLAYED_REFUSED])
        return RH__EXIT_USAGE;
    return counts[RH__REPLAYED_DIVERGED] ? RH__EXIT_DIVERGED : RH__EXIT_OK;
}
