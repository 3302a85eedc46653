/* Which memory counts as globals: the writable segments of the program and of the libraries that it tests, as the
 * loader mapped them, without the part that becomes read-only after relocation.
 *
 * The C library and the tools' own libraries are excluded, because their state must survive a reset.  So must the
 * counters of gcov, which are among the program's own globals: a coverage build (RH_NO_GLOBALS_TRACKING) tracks
 * nothing.  A sanitizer's runtime that is linked into the program (clang's default) also has its tables there; then
 * nothing is tracked either, and a line says so. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "world/pages.h"

__attribute__((weak)) void __asan_init(void);
__attribute__((weak)) void __tsan_init(void);

/* Prefixes of the names of libraries whose globals are not the program's. */
static const char *const not_the_programs[] = {
    "ld-linux",   "ld-",       "libc.so",  "libc-",      "libm.so",       "libm-",     "libdl",
    "libpthread", "librt",     "libutil",  "linux-vdso", "libgcc_s",      "libstdc++", "libc++",
    "libasan",    "libubsan",  "libtsan",  "liblsan",    "libclang_rt",   "libgcov",   "librehearse",
    "libboost_",  "libcmocka", "libcheck", "libsubunit", "libgtest",      "libunity",  "libdw",
    "libelf",     "liblzma",   "libbz2",   "libzstd",    "libdebuginfod", "vgpreload",
};

static bool is_the_programs(const char *path)
{
    if (!*path)
        return true; /* the program itself */
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    for (size_t i = 0; i < sizeof not_the_programs / sizeof *not_the_programs; i++)
        if (strncmp(name, not_the_programs[i], strlen(not_the_programs[i])) == 0)
            return false;
    return true;
}

/* The loader's table of functions that are bound at their first call: restoring it would only bind them again. */
static void skip_bindings(struct rh__pages *p, const struct dl_phdr_info *module, const ElfW(Phdr) * segment)
{
    uintptr_t table = 0;
    size_t relocations = 0;
    const ElfW(Dyn) *d = (const ElfW(Dyn) *)(module->dlpi_addr + segment->p_vaddr);
    for (; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_PLTGOT)
            table = d->d_un.d_ptr < module->dlpi_addr ? d->d_un.d_ptr + module->dlpi_addr : d->d_un.d_ptr;
        if (d->d_tag == DT_PLTRELSZ)
            relocations = d->d_un.d_val / sizeof(ElfW(Rela));
    }
    if (table)
        rh__pages_skip(p, table, table + (3 + relocations) * sizeof(void *));
}

static int track_module(struct dl_phdr_info *module, size_t size, void *arg)
{
    (void)size;
    struct rh_world *w = arg;
    enum { PAGE = 4096 };
    uintptr_t relro_end = 0;
    const ElfW(Phdr) *dynamic = NULL;
    if (!is_the_programs(module->dlpi_name))
        return 0;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        if (segment->p_type == PT_DYNAMIC)
            dynamic = segment;
        if (segment->p_type == PT_GNU_RELRO)
            relro_end = (module->dlpi_addr + segment->p_vaddr + segment->p_memsz + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    }
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W))
            continue;
        uintptr_t from = module->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;
        if (relro_end > from && relro_end <= ((to + PAGE - 1) & ~(uintptr_t)(PAGE - 1)))
            from = relro_end;
        if (from >= to)
            continue;
        struct rh__pages *p = rh__pages_new(w, (char *)from, to - from);
        if (p && dynamic)
            skip_bindings(p, module, dynamic);
        else if (!p && !w->quiet)
            rh__complain("warning: globals of %s cannot be tracked: changes by a run are not undone",
                         *module->dlpi_name ? module->dlpi_name : "the program");
    }
    return 0;
}

/* Whether this function is part of the program's own file. */
static bool linked_in(void (*function)(void))
{
    Dl_info of_function, of_us;
    union {
        void (*function)(void);
        void *address;
    } f = { function }, us = { (void (*)(void))(uintptr_t)rh__globals_begin };
    return function && dladdr(f.address, &of_function) && dladdr(us.address, &of_us) &&
           of_function.dli_fbase == of_us.dli_fbase;
}

void rh__globals_begin(struct rh_world *w)
{
#ifdef RH_NO_GLOBALS_TRACKING
    (void)w;
    (void)track_module;
    (void)linked_in;
#else
    if (linked_in(__asan_init) || linked_in(__tsan_init)) {
        if (!w->quiet)
            rh__complain("warning: the sanitizer's runtime is linked into the program, so globals are not "
                         "saved and restored; link with -shared-libsan (or use gcc)");
        return;
    }
    dl_iterate_phdr(track_module, w);
#endif
}
