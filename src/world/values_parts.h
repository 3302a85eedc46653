/* What values.c, which writes structs and arrays, and values_numbers.c share. */
/* Private to src/world. */
#ifndef RH_WORLD_VALUES_PARTS_H
#define RH_WORLD_VALUES_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "world/debug_info.h"
#include "world/run_record.h"

#ifdef RH__WITH_LIBDW

struct rh__value_writer {
    const struct rh__debug_info *d;
    const struct rh__run *r;
    struct rh__text *to;
    const unsigned char *bytes; /* of the whole value */
    Dwarf_Word kept;
    int depth;
    bool sparse; /* without arrays and structs that are zero */
};

uint64_t rh__value_bits(const struct rh__value_writer *w, Dwarf_Word first_bit, Dwarf_Word count);

void rh__value_write_character(struct rh__text *to, unsigned char c, char quote);
/* A number, a bool or a character. */
void rh__value_write_base(struct rh__value_writer *w, Dwarf_Die *type, Dwarf_Word bit, Dwarf_Word bits);
void rh__value_write_enum(struct rh__value_writer *w, Dwarf_Die *type, Dwarf_Word bit, Dwarf_Word bits);

#endif
#endif
