/* See images.h. */
#include "world/images.h"

#include <link.h>

/* No program is there: the world's own memory is below (memory.c), and what the system gives out is above. */
static const uint64_t settled_at = 0x300000000000, settled_size = (uint64_t)1 << 36, guard_word = 0x2ffffffffff0;

/* The C library draws it at the start of a process. */
static uint64_t stack_guard(void)
{
    uint64_t guard = 0; /* not known */
#if defined __x86_64__ && defined __GLIBC__
    __asm__("mov %%fs:0x28, %0" : "=r"(guard));
#endif
    return guard;
}

static int add_image(struct dl_phdr_info *module, size_t size, void *arg)
{
    struct rh__images *s = arg;
    uint64_t from = UINT64_MAX, to = 0;
    (void)size;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD)
            continue;
        uint64_t at = module->dlpi_addr + segment->p_vaddr;
        from = at < from ? at : from;
        to = at + segment->p_memsz > to ? at + segment->p_memsz : to;
    }
    if (from >= to || to - from > settled_size)
        return 0;
    s->image[s->count].from = from;
    s->image[s->count++].size = to - from;
    s->low = from < s->low ? from : s->low;
    s->high = to > s->high ? to : s->high;
    return s->count == RH__MOST_IMAGES;
}

void rh__images_find(struct rh__images *s)
{
    uint64_t guard = stack_guard();
    *s = (struct rh__images){ .low = UINT64_MAX, .guard = guard ? guard : guard_word };
    dl_iterate_phdr(add_image, s);
}

uint64_t rh__image_address(const struct rh__images *s, uint64_t word)
{
    if (word == s->guard)
        return guard_word;
    for (uint32_t i = 0; i < s->count; i++)
        if (word - s->image[i].from < s->image[i].size)
            return settled_at + i * settled_size + (word - s->image[i].from);
    return word;
}
