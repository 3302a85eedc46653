/* See debug_info.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "world/debug_info.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"

#ifdef RH__WITH_LIBDW

static struct rh__debug_info *info;

void rh__debug_info_start(void)
{
    if (!info)
        info = (struct rh__debug_info *)rh__alloc_array(1, sizeof *info);
}

static bool report(const struct rh__debug_info *d)
{
    bool found = d->dwfl_linux_proc_report(d->dwfl, getpid()) == 0;

    return d->dwfl_report_end(d->dwfl, NULL, NULL) == 0 && found;
}

/* Loads libdw and tells it what is mapped. */
static void open_info(struct rh__debug_info *d)
{
    d->tried = true;
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
#define X(name)                                                                                                        \
    d->name = (__typeof__(&name))dlsym(library, #name);                                                                \
    if (!d->name)                                                                                                      \
        return;
    RH__LIBDW_FUNCTIONS(X)
#undef X
    /* Not dwfl_standard_find_debuginfo, which may query servers. */
    d->callbacks.find_elf = d->dwfl_linux_proc_find_elf;
    d->callbacks.find_debuginfo = d->dwfl_build_id_find_debuginfo;
    d->dwfl = d->dwfl_begin(&d->callbacks);
    if (d->dwfl && !report(d))
        d->dwfl = NULL;
}

const struct rh__debug_info *rh__debug_info(void)
{
    rh__debug_info_start();
    if (info && !info->tried)
        open_info(info);
    return info && info->dwfl ? info : NULL;
}

Dwfl_Module *rh__debug_module(const struct rh__debug_info *d, const void *address)
{
    Dwarf_Addr at = (uintptr_t)address;
    Dwfl_Module *module = d->dwfl_addrmodule(d->dwfl, at);

    if (!module) { /* loaded later */
        d->dwfl_report_begin_add(d->dwfl);
        report(d);
        module = d->dwfl_addrmodule(d->dwfl, at);
    }
    return module;
}

bool rh__debug_number(const struct rh__debug_info *d, Dwarf_Die *die, unsigned attribute, Dwarf_Word *number)
{
    Dwarf_Attribute value;
    return d->dwarf_attr(die, attribute, &value) && d->dwarf_formudata(&value, number) == 0;
}

bool rh__debug_type(const struct rh__debug_info *d, Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute value;
    return d->dwarf_attr(die, DW_AT_type, &value) && d->dwarf_formref_die(&value, type) &&
           d->dwarf_peel_type(type, type) == 0;
}

static bool find_in_unit(const struct rh__debug_info *d, Dwarf_Die *unit, const char *name, size_t size, Dwarf_Die *die)
{
    Dwarf_Word bytes;
    for (int more = d->dwarf_child(unit, die); more == 0; more = d->dwarf_siblingof(die, die)) {
        int tag = d->dwarf_tag(die);
        const char *is = tag == DW_TAG_structure_type || tag == DW_TAG_class_type ? d->dwarf_diename(die) : NULL;
        if (is && strcmp(is, name) == 0 && rh__debug_number(d, die, DW_AT_byte_size, &bytes) && bytes == size)
            return true;
    }
    return false;
}

bool rh__debug_struct(const struct rh__debug_info *d, Dwfl_Module *module, const char *name, size_t size,
                      Dwarf_Die *found)
{
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;
    while ((unit = d->dwfl_module_nextcu(module, unit, &bias)))
        if (find_in_unit(d, unit, name, size, found))
            return true;
    return false;
}

struct search {
    const char *name;
    size_t size;
    Dwarf_Die *die;
    bool found;
};

static int search_module(Dwfl_Module *module, void **unused, const char *name, Dwarf_Addr start, void *arg)
{
    struct search *s = arg;
    (void)unused, (void)name, (void)start;
    s->found = rh__debug_struct(info, module, s->name, s->size, s->die);
    return s->found ? DWARF_CB_ABORT : DWARF_CB_OK;
}

bool rh__debug_struct_anywhere(const char *name, size_t size, Dwarf_Die *found)
{
    if (!rh__debug_info())
        return false;
    for (struct rh__known_struct *k = info->known; k < info->known + RH__KNOWN_STRUCTS; k++)
        if (k->name && k->size == size && strcmp(k->name, name) == 0) {
            *found = k->die;
            return k->found;
        }
    struct search s = { .name = name, .size = size, .die = found };
    info->dwfl_getmodules(info->dwfl, search_module, &s, 0);
    struct rh__known_struct *k = &info->known[info->known_count++ % RH__KNOWN_STRUCTS];
    free(k->name);
    *k = (struct rh__known_struct){ .name = strdup(name), .size = size, .found = s.found };
    if (s.found)
        k->die = *found;
    return s.found;
}

#else

void rh__debug_info_start(void)
{
}

#endif
