/* See reaches.h. */
#include "explore/decorate/reaches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blocks.h"
#include "base/fail.h"
#include "world/live.h"

/* Whether "src/bank.c:12 in on_deposit" is at "bank.c:12".  Either may have more folders. */
static bool is_at(const char *text, const char *place)
{
    size_t size = strcspn(text, " "), wanted = strlen(place);
    size_t least = size < wanted ? size : wanted;
    const char *longer = size < wanted ? place + wanted - least : text + size - least;
    return memcmp(text + size - least, place + wanted - least, least) == 0 && (size == wanted || longer[-1] == '/');
}

static int by_address(const void *a, const void *b)
{
    const uintptr_t *x = rh__blocks.table + (size_t) * (const uint32_t *)a * 2,
                    *y = rh__blocks.table + (size_t) * (const uint32_t *)b * 2;
    return *x < *y ? -1 : *x > *y;
}

/* A block ends where the next one begins.  The last block of a file has no next one. */
static bool has_code_at(uintptr_t from, uintptr_t end, const char *place)
{
    enum { LONGEST = 4096 };
    char text[512];
    for (uintptr_t at = from; at < end && at < from + LONGEST; at++) {
        bool line = rh__address_place((const void *)at, text, sizeof text);
        if (line && is_at(text, place))
            return true;
        if (!line)
            break; /* behind the last function of a file */
    }
    return false;
}

bool rh__reaches_mark(const char *place, char *error, size_t error_size)
{
    if (!rh__has_blocks()) {
        snprintf(error, error_size,
                 "`reaches %s` needs a program that counts its blocks: compile it with rehearse-bitcode", place);
        return false;
    }
    uint32_t count = rh__blocks.count, found = 0, number;
    if (sscanf(place, "block %" SCNu32, &number) == 1 && number < count) {
        rh__blocks.flags[number] |= RH__BLOCK_WANTED;
        return true;
    }
    uint32_t *order = rh__alloc_array(count, sizeof *order);
    RH__ASSERT(order, "no memory for %u blocks", count);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        rh__blocks.flags[i] &= (uint8_t)~RH__BLOCK_WANTED;
    }
    qsort(order, count, sizeof *order, by_address);
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t from = rh__blocks.table[(size_t)order[i] * 2];
        uintptr_t end = i + 1 < count ? rh__blocks.table[(size_t)order[i + 1] * 2] : UINTPTR_MAX;
        if (has_code_at(from, end, place)) {
            rh__blocks.flags[order[i]] |= RH__BLOCK_WANTED;
            found++;
        }
    }
    rh__free(order);
    if (!found)
        snprintf(error, error_size, "`reaches %s`: the program has no code there, or no line numbers (-g, libdw)",
                 place);
    return found != 0;
}

void rh__reaches_forget(void)
{
    for (uint32_t i = 0; i < rh__blocks.count; i++)
        if (rh__blocks.flags[i] & RH__BLOCK_WANTED)
            rh__blocks.flags[i] &= (uint8_t)~RH__BLOCK_RAN;
}

bool rh__reaches_ran(void)
{
    uint32_t i = 0;
    while (i < rh__blocks.count && (rh__blocks.flags[i] & 3) != (RH__BLOCK_RAN | RH__BLOCK_WANTED))
        i++;
    return i < rh__blocks.count;
}
