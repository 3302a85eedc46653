/* "Did you mean": the known word that is nearest to a misspelt one.
 *
 *     struct rh__guess g = rh__guess_of("optmal", 6);
 *     for (each known word)
 *         rh__guess_try(&g, word);
 *     if (g.best) ... "did you mean optimal?" */
#ifndef RH_BASE_GUESS_H
#define RH_BASE_GUESS_H

#include <stddef.h>

#include "base/text.h"

struct rh__guess {
    const char *word;
    size_t length;
    const char *best; /* NULL: no word is near; the words that were tried live as long as the caller needs it */
    unsigned distance;
};

struct rh__guess rh__guess_of(const char *word, size_t length);

/* A word is near if a quarter of the misspelt one's letters, at least one, are changed, missing, too many, or exchanged
 * with their neighbour; or if the misspelt one is its beginning, three letters or more.  Dashes and underscores are the
 * same.  Of equally near words the first counts. */
void rh__guess_try(struct rh__guess *g, const char *known);

/* Adds " (did you mean WORD?)", or nothing. */
void rh__guess_add(const struct rh__guess *g, struct rh__text *to);

#endif
