/* The next definition of each interposed function: that of AddressSanitizer if it runs, otherwise that of libc.
 *
 * With a shared sanitizer runtime (gcc's default) RTLD_NEXT finds its functions.  If the runtime is linked into the
 * program (clang's default), our definitions have replaced its weak ones, and RTLD_NEXT would miss it.  So its
 * functions are looked up by their second names first. */
#include "world/interpose_next.h"

#include <dlfcn.h>
#include <string.h>

#include "base/fail.h"

void *rh__next_table[RH__NEXT_COUNT];

static const char *const names[] = {
#define X(name) #name,
    RH__NEXT_NAMES(X)
#undef X
};

extern void __asan_init(void) __attribute__((weak));

static void *look_up(const char *name)
{
    static const char prefix[] = "__interceptor_";
    char second_name[64];

    if (__asan_init && sizeof prefix + strlen(name) <= sizeof second_name) {
        memcpy(second_name, prefix, sizeof prefix - 1);
        strcpy(second_name + sizeof prefix - 1, name);
        void *found = dlsym(RTLD_DEFAULT, second_name);
        if (found)
            return found;
    }
    return dlsym(RTLD_NEXT, name);
}

void *rh__next_find(int which)
{
    void *found = look_up(names[which]);

    RH__ASSERT(found, "%s: libc has no such function", names[which]);
    rh__next_table[which] = found;
    return found;
}

/* Runs before constructors without a priority.  The entry of a function that this libc lacks (arc4random before glibc
 * 2.36) stays empty: it can be called only through us, and then only inside an actor. */
__attribute__((constructor(101))) static void fill(void)
{
    int saved = errno;

    for (int i = 0; i < RH__NEXT_COUNT; i++)
        if (!rh__next_table[i])
            rh__next_table[i] = look_up(names[i]);
    errno = saved;
}
