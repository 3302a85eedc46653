/* The frontier of a search by strata: items, taken in the order in which they were put there.  The first of them are in
 * memory, the others in a temporary file without a name.  Private to src/explore/delaying. */
#ifndef RH_EXPLORE_FRONTIER_H
#define RH_EXPLORE_FRONTIER_H

#include <rehearse/explorer.h>

enum { RH__FRONTIER_ITEM = 1 << 16 }; /* largest item, with its length */

/* An offset counts the bytes of all items before, in memory and file. */
struct rh__frontier {
    int file;                     /* -1: none */
    unsigned char *memory, *tail; /* tail: the last items of the file, not written yet */
    size_t room, in_memory, in_tail;
    uint64_t in_file;
    unsigned char *look; /* a part of the file, from `look_from` on */
    uint64_t look_from;
    size_t looked;
    uint64_t at;         /* the next item to take */
    uint64_t put, taken; /* items */
    int error;           /* errno of the file; 0: none */
};

/* False if memory is short. */
bool rh__frontier_open(struct rh__frontier *f, struct rh_exploration *x, size_t memory);
void rh__frontier_clear(struct rh__frontier *f);
/* False if the item is too large, or there is no room for it: `error` says why. */
bool rh__frontier_put(struct rh__frontier *f, const void *item, size_t size);
/* Reads the item at an offset, and sets the offset of the next one.  Valid until the next call.  NULL if there is none,
 * or the file cannot be read. */
const void *rh__frontier_read(struct rh__frontier *f, uint64_t offset, uint64_t *next, size_t *size);
/* Takes the next item; NULL: see above. */
const void *rh__frontier_take(struct rh__frontier *f, size_t *size);

static inline uint64_t rh__frontier_left(const struct rh__frontier *f)
{
    return f->put - f->taken;
}

#endif
