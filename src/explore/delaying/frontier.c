/* See frontier.h.  An item is its length, 4 bytes, and its bytes.  No item lies partly in memory, file or tail. */
#include "explore/delaying/frontier.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "explore/explorers.h"

enum { TAIL_BYTES = 1 << 20, LOOK_BYTES = 1 << 20, LENGTH = sizeof(uint32_t) };

bool rh__frontier_open(struct rh__frontier *f, struct rh_exploration *x, size_t memory)
{
    f->room = memory;
    f->memory = rh_exploration_memory(x, memory);
    f->tail = rh_exploration_memory(x, TAIL_BYTES);
    f->look = rh_exploration_memory(x, LOOK_BYTES);
    f->file = rh__exploration_file(x);
    return f->memory && f->tail && f->look;
}

void rh__frontier_clear(struct rh__frontier *f)
{
    if (f->in_file && ftruncate(f->file, 0) != 0)
        f->error = errno;
    f->in_memory = f->in_tail = f->looked = 0;
    f->in_file = f->look_from = f->at = f->put = f->taken = 0;
}

static bool write_tail(struct rh__frontier *f)
{
    if (f->file < 0) {
        f->error = ENOENT;
        return false;
    }
    for (size_t done = 0; done < f->in_tail;) {
        ssize_t n = pwrite(f->file, f->tail + done, f->in_tail - done, (off_t)(f->in_file + done));
        if (n <= 0 && errno != EINTR) {
            f->error = n == 0 ? ENOSPC : errno;
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    f->in_file += f->in_tail;
    f->in_tail = 0;
    return true;
}

static bool append(unsigned char *bytes, size_t *used, const void *item, uint32_t size)
{
    memcpy(bytes + *used, &size, LENGTH);
    memcpy(bytes + *used + LENGTH, item, size);
    *used += LENGTH + size;
    return true;
}

bool rh__frontier_put(struct rh__frontier *f, const void *item, size_t size)
{
    size_t bytes = LENGTH + size;
    bool in_memory = !f->in_file && !f->in_tail && f->in_memory + bytes <= f->room;
    if (bytes > RH__FRONTIER_ITEM)
        f->error = E2BIG;
    if (f->error || (!in_memory && f->in_tail + bytes > TAIL_BYTES && !write_tail(f)))
        return false;
    f->put++;
    return in_memory ? append(f->memory, &f->in_memory, item, (uint32_t)size)
                     : append(f->tail, &f->in_tail, item, (uint32_t)size);
}

/* Reads a part of the file with the item at `from`. */
static const unsigned char *look_at(struct rh__frontier *f, uint64_t from)
{
    uint64_t left = f->in_file - from, needed = left < RH__FRONTIER_ITEM ? left : RH__FRONTIER_ITEM;
    if (from < f->look_from || from + needed > f->look_from + f->looked) {
        size_t want = left < LOOK_BYTES ? (size_t)left : LOOK_BYTES, have = 0;
        f->looked = 0;
        while (have < want) {
            ssize_t n = pread(f->file, f->look + have, want - have, (off_t)(from + have));
            if (n <= 0 && errno != EINTR) {
                f->error = n == 0 ? EIO : errno;
                return NULL;
            }
            have += n > 0 ? (size_t)n : 0;
        }
        f->look_from = from;
        f->looked = have;
    }
    return f->look + (from - f->look_from);
}

const void *rh__frontier_read(struct rh__frontier *f, uint64_t offset, uint64_t *next, size_t *size)
{
    const unsigned char *at;
    if (offset < f->in_memory)
        at = f->memory + offset;
    else if (offset - f->in_memory < f->in_file)
        at = look_at(f, offset - f->in_memory);
    else if (offset - f->in_memory - f->in_file < f->in_tail)
        at = f->tail + (offset - f->in_memory - f->in_file);
    else
        at = NULL;
    if (!at)
        return NULL;
    uint32_t length;
    memcpy(&length, at, LENGTH);
    *size = length;
    *next = offset + LENGTH + length;
    return at + LENGTH;
}

const void *rh__frontier_take(struct rh__frontier *f, size_t *size)
{
    const void *item = rh__frontier_read(f, f->at, &f->at, size);
    f->taken += item != NULL;
    return item;
}
