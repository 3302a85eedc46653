/* Memory that parent and children share (rehearse/sandbox.h).  In a file of its own: symbol.c keeps source lines of
 * crashes in it, and a program that uses no more of the world than that does not link the sandbox. */
#define _GNU_SOURCE
#include <rehearse/sandbox.h>

#include <sys/mman.h>

void *rh_shared_new(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, size, MADV_DONTDUMP); /* a core dump would fill what was only reserved */
    return p;
}

void rh_shared_free(void *p, size_t size)
{
    if (p)
        munmap(p, size);
}
