/* The debug information of the program and its libraries, by libdw (elfutils).
 *
 * libdw is loaded when something is first looked up: its header is needed at build time, its library at run time.
 * Without one of them rh__debug_info returns NULL. */
/* Private to src/world. */
#ifndef RH_WORLD_DEBUG_INFO_H
#define RH_WORLD_DEBUG_INFO_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __has_include
#if __has_include(<elfutils/libdwfl.h>)
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#define RH__WITH_LIBDW 1
#endif
#endif

/* Allocates the memory that is kept between look-ups.  Called before the first run, because the pointer to it is a
 * global, which would be restored with the others. */
void rh__debug_info_start(void);

#ifdef RH__WITH_LIBDW

#define RH__LIBDW_FUNCTIONS(X)                                                                                         \
    X(dwfl_begin)                                                                                                      \
    X(dwfl_linux_proc_report)                                                                                          \
    X(dwfl_linux_proc_find_elf)                                                                                        \
    X(dwfl_build_id_find_debuginfo)                                                                                    \
    X(dwfl_report_begin_add)                                                                                           \
    X(dwfl_report_end)                                                                                                 \
    X(dwfl_addrmodule)                                                                                                 \
    X(dwfl_getmodules)                                                                                                 \
    X(dwfl_module_getsrc)                                                                                              \
    X(dwfl_module_addrname)                                                                                            \
    X(dwfl_module_nextcu)                                                                                              \
    X(dwfl_lineinfo)                                                                                                   \
    X(dwarf_getscopes)                                                                                                 \
    X(dwarf_haspc)                                                                                                     \
    X(dwarf_getsrc_die)                                                                                                \
    X(dwarf_linesrc)                                                                                                   \
    X(dwarf_lineno)                                                                                                    \
    X(dwarf_child)                                                                                                     \
    X(dwarf_siblingof)                                                                                                 \
    X(dwarf_tag)                                                                                                       \
    X(dwarf_diename)                                                                                                   \
    X(dwarf_attr)                                                                                                      \
    X(dwarf_formudata)                                                                                                 \
    X(dwarf_formsdata)                                                                                                 \
    X(dwarf_formref_die)                                                                                               \
    X(dwarf_peel_type)                                                                                                 \
    X(dwarf_aggregate_size)

enum { RH__KNOWN_STRUCTS = 64 };

/* libdw's functions, in memory that is not a global, because it changes at the first look-up, in the middle of a
 * run. */
struct rh__debug_info {
    bool tried;
    Dwfl *dwfl; /* NULL if there is no libdw */
    Dwfl_Callbacks callbacks;
#define X(name) __typeof__(&name) name;
    RH__LIBDW_FUNCTIONS(X)
#undef X
    /* What rh__debug_struct_anywhere has found, in turn. */
    struct rh__known_struct {
        char *name;
        size_t size;
        Dwarf_Die die;
        bool found;
    } known[RH__KNOWN_STRUCTS];
    unsigned known_count;
};

/* Loads libdw at the first call.  Returns NULL if that cannot be had. */
const struct rh__debug_info *rh__debug_info(void);

/* Returns the program or library that contains the address; NULL if none does. */
Dwfl_Module *rh__debug_module(const struct rh__debug_info *d, const void *address);

/* Reads an attribute of a DIE that is a number. */
bool rh__debug_number(const struct rh__debug_info *d, Dwarf_Die *die, unsigned attribute, Dwarf_Word *number);

/* Returns the type of a DIE without typedefs and qualifiers. */
bool rh__debug_type(const struct rh__debug_info *d, Dwarf_Die *die, Dwarf_Die *type);

/* Finds `struct name` (in C++ also a class) of `size` bytes in a module. */
bool rh__debug_struct(const struct rh__debug_info *d, Dwfl_Module *module, const char *name, size_t size,
                      Dwarf_Die *found);

/* The same in all modules, the program first.  The latest answers are kept. */
bool rh__debug_struct_anywhere(const char *name, size_t size, Dwarf_Die *found);

#endif
#endif
