/* Texts that are equal but for numbers, as one: "lsn=7, from=a" and "lsn=12, from=a" are "lsn=7..12, from=a".
 *
 * Private to src/findings. */
#ifndef RH_FINDINGS_RANGES_H
#define RH_FINDINGS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RH__MOST_RANGES = 64, RH__RANGES_TEXT = 1024 };

struct rh__ranges {
    char text[RH__RANGES_TEXT]; /* of the first; it says where numbers are */
    uint32_t count;
    uint64_t least[RH__MOST_RANGES], most[RH__MOST_RANGES];
};

/* Equal but for numbers; false if they have too many, or too large ones. */
bool rh__ranges_same_shape(const char *a, const char *b);
/* The same of changes, in the same places: "owners[1]=3" and "owners[2]=3" are two changes. */
bool rh__ranges_same_places(const char *a, const char *b);

/* Each text has the shape of the first. */
void rh__ranges_begin(struct rh__ranges *x, const char *text);
void rh__ranges_add(struct rh__ranges *x, const char *text);
/* Returns `text`. */
const char *rh__ranges_text(const struct rh__ranges *x, char *text, size_t size);

#endif
