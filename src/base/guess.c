/* See guess.h.  The distance is that of optimal string alignment, by its three last rows. */
#include "base/guess.h"

#include <string.h>

enum { LONGEST = 64 };

struct rh__guess rh__guess_of(const char *word, size_t length)
{
    return (
        struct rh__guess){ .word = word, .length = length, .distance = (unsigned)(length / 4 ? length / 4 : 1) + 1 };
}

static char plain(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned rows[3][LONGEST + 1];
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            bool same = plain(a[i - 1]) == plain(b[j - 1]);
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + !same);
            if (i > 1 && j > 1 && plain(a[i - 1]) == plain(b[j - 2]) && plain(a[i - 2]) == plain(b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
        unsigned *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[m];
}

static bool begins(const char *word, size_t length, const char *known)
{
    for (size_t i = 0; i < length; i++)
        if (plain(word[i]) != plain(known[i])) /* stops at the end of the known word */
            return false;
    return true;
}

void rh__guess_try(struct rh__guess *g, const char *known)
{
    size_t m = strlen(known);
    if (g->length > LONGEST || m > LONGEST || !g->length)
        return;
    unsigned d = distance(g->word, g->length, known, m);
    if (g->length >= 3 && m > g->length && begins(g->word, g->length, known))
        d = least(d, 1);
    if (d < g->distance) {
        g->distance = d;
        g->best = known;
    }
}

void rh__guess_add(const struct rh__guess *g, struct rh__text *to)
{
    if (g->best)
        rh__text_add(to, " (did you mean %s?)", g->best);
}
