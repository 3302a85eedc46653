/* From address to source line. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "world/symbol.h"

#include <dlfcn.h>
#include <errno.h>
#include <rehearse/sandbox.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"
#include "world/control.h"
#include "world/debug_info.h"

/* ---- source files ------------------------------------------------------------------------------------------------ */

/* Points into `path`: relative to the current folder if the file is below it, otherwise the last two components. */
static const char *shorten(const char *path)
{
    char folder[4096];
    const char *start = path;
    int slashes = 0;

    if (path[0] == '/' && getcwd(folder, sizeof folder)) {
        size_t length = strlen(folder);
        if (length > 1 && strncmp(path, folder, length) == 0 && path[length] == '/')
            return path + length + 1;
    } else if (path[0] != '/' && !strstr(path, "../")) {
        return path;
    }
    for (const char *at = path + strlen(path); at > path && slashes < 2; at--)
        if (at[-1] == '/' && ++slashes == 2)
            start = at;
    return strncmp(start, "../", 3) == 0 ? start + 3 : start;
}

#ifdef RH__WITH_LIBDW

/* The file and line of an address; NULL if unknown. clang writes no index of addresses (.debug_aranges), without which
 * libdw's own search finds nothing; then each unit is searched in turn. */
static const char *find_line(const struct rh__debug_info *d, Dwfl_Module *module, Dwarf_Addr at, int *number)
{
    Dwfl_Line *line = d->dwfl_module_getsrc(module, at);
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;

    if (line)
        return d->dwfl_lineinfo(line, NULL, number, NULL, NULL, NULL);
    while ((unit = d->dwfl_module_nextcu(module, unit, &bias))) {
        if (d->dwarf_haspc(unit, at - bias) <= 0)
            continue;
        Dwarf_Line *found = d->dwarf_getsrc_die(unit, at - bias);
        if (found && d->dwarf_lineno(found, number) == 0)
            return d->dwarf_linesrc(found, NULL, NULL);
    }
    return NULL;
}

static bool look_up_line(const void *address, struct rh__text *text)
{
    Dwarf_Addr at = (uintptr_t)address;
    int number = 0;

    const struct rh__debug_info *d = rh__debug_info();
    Dwfl_Module *module = d ? rh__debug_module(d, address) : NULL;
    const char *file = module ? find_line(d, module, at, &number) : NULL;
    if (!file)
        return false;
    const char *function = d->dwfl_module_addrname(module, at);
    rh__text_add(text, "%s:%d", shorten(file), number);
    if (function)
        rh__text_add(text, " in %s", function);
    return true;
}

static bool is_in_scope(const struct rh__debug_info *d, Dwfl_Module *module, Dwarf_Addr at, const char *function)
{
    Dwarf_Die *unit = NULL, *scopes = NULL;
    Dwarf_Addr bias;
    bool is = false;
    while (!is && (unit = d->dwfl_module_nextcu(module, unit, &bias))) {
        int n = d->dwarf_haspc(unit, at - bias) > 0 ? d->dwarf_getscopes(unit, at - bias, &scopes) : 0;
        for (int i = 0; i < n && !is; i++) {
            const char *name = d->dwarf_diename(&scopes[i]);
            int tag = d->dwarf_tag(&scopes[i]);
            is = name && (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) && strcmp(name, function) == 0;
        }
        if (n > 0)
            free(scopes);
    }
    return is;
}

static bool look_up_function(const void *address, const char *function)
{
    const struct rh__debug_info *d = rh__debug_info();
    Dwfl_Module *module = d ? rh__debug_module(d, address) : NULL;
    const char *name = module ? d->dwfl_module_addrname(module, (uintptr_t)address) : NULL;
    return (name && strcmp(name, function) == 0) || (module && is_in_scope(d, module, (uintptr_t)address, function));
}

/* ---- lines that are known already -------------------------------------------------------------------------------- */

/* A crash ends its process, and the next process would load libdw and read the debug information again.  So all
 * processes share what one has found.  Only addresses of the program itself: a library may be unloaded, and another one
 * loaded in its place. */
enum { KNOWN = 64, LONGEST = 248 };
static struct known {
    _Atomic(uintptr_t) address; /* 0: unused, 1: being written */
    char text[LONGEST];
} * known_lines;

static bool is_of_program(const void *address)
{
    Dl_info its, ours;
    return dladdr(address, &its) && dladdr((const void *)&known_lines, &ours) && its.dli_fbase == ours.dli_fbase;
}

/* The entry of the address, or a new one for it; NULL if there is no room. */
static struct known *known_entry(uintptr_t address, bool *found)
{
    for (uint32_t i = 0; known_lines && i < KNOWN; i++) {
        uintptr_t is = atomic_load(&known_lines[i].address);
        *found = is == address;
        if (*found || (is == 0 && atomic_compare_exchange_strong(&known_lines[i].address, &is, 1)))
            return &known_lines[i];
    }
    return NULL;
}

static bool add_line(const void *address, struct rh__text *text)
{
    bool found = false;

    rh__symbol_start();
    struct known *entry = is_of_program(address) ? known_entry((uintptr_t)address, &found) : NULL;
    if (!entry)
        return look_up_line(address, text);
    if (!found) {
        struct rh__text line;
        rh__text_init(&line, entry->text, LONGEST);
        bool good = look_up_line(address, &line) && !line.cut;
        atomic_store(&entry->address, good ? (uintptr_t)address : 0);
        if (!good)
            return look_up_line(address, text);
    }
    rh__text_add(text, "%s", entry->text);
    return true;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* The offset of a member, and its type without typedefs. */
static bool member_at(const struct rh__debug_info *d, Dwarf_Die *member, Dwarf_Word *from, Dwarf_Word *size,
                      Dwarf_Die *type)
{
    Dwarf_Word bits, bit_size;
    if (!rh__debug_type(d, member, type))
        return false;
    *from = 0;
    if (rh__debug_number(d, member, DW_AT_data_bit_offset, &bits) &&
        rh__debug_number(d, member, DW_AT_bit_size, &bit_size)) {
        *from = bits / 8;
        *size = (bits + bit_size + 7) / 8 - *from;
        return true;
    }
    rh__debug_number(d, member, DW_AT_data_member_location, from); /* a member of a union has none */
    return d->dwarf_aggregate_size(type, size) == 0;
}

/* The name of the struct member that contains the byte; nested members as "outer.inner". */
static bool add_member(const struct rh__debug_info *d, Dwarf_Die *of, Dwarf_Word offset, struct rh__text *text)
{
    enum { DEEPEST = 8 };
    Dwarf_Die whole = *of;
    for (int depth = 0; depth < DEEPEST; depth++) {
        Dwarf_Die member, type;
        Dwarf_Word from = 0, size = 0;
        bool found = false;
        for (int more = d->dwarf_child(&whole, &member); more == 0 && !found;) {
            found = d->dwarf_tag(&member) == DW_TAG_member && member_at(d, &member, &from, &size, &type) &&
                    offset >= from && offset < from + size;
            if (!found)
                more = d->dwarf_siblingof(&member, &member);
        }
        if (!found)
            return false;
        const char *name = d->dwarf_diename(&member);
        if (name)
            rh__text_add(text, "%s%s", text->len ? "." : "", name);
        int tag = d->dwarf_tag(&type);
        if (tag != DW_TAG_structure_type)
            return text->len > 0;
        whole = type;
        offset -= from;
    }
    return false;
}

bool rh__symbol_field(const void *near, const char *type, size_t size, size_t offset, char *buffer, size_t buffer_size)
{
    Dwarf_Die found;
    struct rh__text text;

    rh__text_init(&text, buffer, buffer_size);
    rh__outside_push();
    const struct rh__debug_info *d = rh__debug_info();
    Dwfl_Module *module = d ? rh__debug_module(d, near) : NULL;
    bool known = module && rh__debug_struct(d, module, type, size, &found) && add_member(d, &found, offset, &text);
    rh__outside_pop();
    return known;
}

void rh__symbol_start(void)
{
    rh__debug_info_start();
    if (!known_lines)
        known_lines = rh_shared_new(KNOWN * sizeof *known_lines);
}

static bool has_lines(void)
{
    return rh__debug_info() != NULL;
}

#else

static bool has_lines(void)
{
    return false;
}

static bool add_line(const void *address, struct rh__text *text)
{
    (void)address;
    (void)text;
    (void)shorten;
    return false;
}

static bool look_up_function(const void *address, const char *function)
{
    Dl_info info;
    return dladdr(address, &info) && info.dli_sname && strcmp(info.dli_sname, function) == 0;
}

bool rh__symbol_field(const void *near, const char *type, size_t size, size_t offset, char *buffer, size_t buffer_size)
{
    (void)near, (void)type, (void)size, (void)offset, (void)buffer, (void)buffer_size;
    return false;
}

void rh__symbol_start(void)
{
}

#endif

/* ---- public ------------------------------------------------------------------------------------------------------ */

const char *rh__symbol_hint(void)
{
    rh__outside_push();
    bool there = has_lines();
    rh__outside_pop();
    return there ? "compile with -g to see the line" : "with libdw installed there would be a line";
}

bool rh__symbol_place(const void *address, char *buffer, size_t size)
{
    struct rh__text text;
    Dl_info info;
    int saved = errno;

    rh__text_init(&text, buffer, size);
    rh__outside_push();
    bool line = add_line(address, &text);
    if (line) {
        /* already written */
    } else if (dladdr(address, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        const char *name = slash ? slash + 1 : info.dli_fname;
        if (info.dli_sname)
            rh__text_add(&text, "%s+0x%zx (%s)", info.dli_sname,
                         (size_t)((uintptr_t)address - (uintptr_t)info.dli_saddr), name);
        else /* independent of where the program was loaded */
            rh__text_add(&text, "0x%zx (%s)", (size_t)((uintptr_t)address - (uintptr_t)info.dli_fbase), name);
    } else {
        rh__text_add(&text, "0x%zx", (size_t)(uintptr_t)address);
    }
    rh__outside_pop();
    errno = saved;
    return line;
}

bool rh__symbol_call_place(const void *return_address, char *buffer, size_t size)
{
    uintptr_t at = (uintptr_t)return_address;

    return rh__symbol_place((const void *)(at ? at - 1 : 0), buffer, size);
}

bool rh__symbol_is_in(const void *address, const char *function)
{
    int saved = errno;
    rh__outside_push();
    bool is = look_up_function(address, function);
    rh__outside_pop();
    errno = saved;
    return is;
}
