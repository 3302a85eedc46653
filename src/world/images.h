/* Where the program and its libraries are in this process.  They are elsewhere in another one, so an address in them
 * says nothing there: fingerprints of several processes have what it is an address of. */
/* Private to src/world. */
#ifndef RH_WORLD_IMAGES_H
#define RH_WORLD_IMAGES_H

#include <stdint.h>

enum { RH__MOST_IMAGES = 32 };

struct rh__images {
    uint32_t count;
    uint64_t low, high; /* all of them are between these */
    struct {
        uint64_t from, size;
    } image[RH__MOST_IMAGES];
    uint64_t guard; /* the word by which the compiler notices that a stack is overrun */
};

/* Those that are loaded now. */
void rh__images_find(struct rh__images *s);
uint64_t rh__image_address(const struct rh__images *s, uint64_t word);

/* The same number in every process for an address in the same place of an image; other words as they are. */
static inline uint64_t rh__image_word(const struct rh__images *s, uint64_t word)
{
    if ((word < s->low || word >= s->high) && word != s->guard)
        return word;
    return rh__image_address(s, word);
}

#endif
