/* Numbers, characters and enums from debug information: see values_parts.h. */
#include "world/values_parts.h"

#ifdef RH__WITH_LIBDW

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Little-endian, as all machines that the world runs on. */
uint64_t rh__value_bits(const struct rh__value_writer *w, Dwarf_Word first_bit, Dwarf_Word count)
{
    uint64_t n = 0;
    for (Dwarf_Word i = 0; i < count && i < 64; i++) {
        Dwarf_Word bit = first_bit + i;
        n |= (uint64_t)(w->bytes[bit / 8] >> bit % 8 & 1) << i;
    }
    return n;
}

static int64_t with_sign(uint64_t n, Dwarf_Word bits)
{
    return bits < 64 && n >> (bits - 1) & 1 ? (int64_t)(n | ~(uint64_t)0 << bits) : (int64_t)n;
}

void rh__value_write_character(struct rh__text *to, unsigned char c, char quote)
{
    if (c == quote || c == '\\')
        rh__text_add(to, "\\%c", c);
    else if (c == '\n')
        rh__text_add(to, "\\n");
    else if (isprint(c))
        rh__text_add(to, "%c", c);
    else
        rh__text_add(to, "\\x%02x", c);
}

static void write_real(struct rh__value_writer *w, Dwarf_Word at, Dwarf_Word size)
{
    char text[64];
    float narrow = 0;
    double wide = 0;
    long double widest = 0;
    if (size == sizeof narrow) {
        memcpy(&narrow, w->bytes + at, sizeof narrow);
        wide = (double)narrow;
    } else if (size == sizeof wide) {
        memcpy(&wide, w->bytes + at, sizeof wide);
    } else if (size == sizeof widest) {
        memcpy(&widest, w->bytes + at, sizeof widest);
        wide = (double)widest;
    }
    /* The shortest text that reads as the same number. */
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, wide);
        if (size == sizeof narrow ? strtof(text, NULL) == narrow : strtod(text, NULL) == wide)
            break;
    }
    rh__text_add(w->to, "%s", text);
}

void rh__value_write_base(struct rh__value_writer *w, Dwarf_Die *type, Dwarf_Word bit, Dwarf_Word bits)
{
    Dwarf_Word encoding = 0;
    rh__debug_number(w->d, type, DW_AT_encoding, &encoding);
    uint64_t n = rh__value_bits(w, bit, bits);
    bool whole = bit % 8 == 0 && bits == 8;
    switch (encoding) {
    case DW_ATE_boolean:
        rh__text_add(w->to, n == 0 ? "false" : n == 1 ? "true" : "%llu", (unsigned long long)n);
        break;
    case DW_ATE_float:
        write_real(w, bit / 8, bits / 8);
        break;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char: {
        /* int8_t and uint8_t are numbers to whoever reads: only `char` is a character. */
        const char *name = w->d->dwarf_diename(type);
        if (whole && name && strcmp(name, "char") == 0 && isprint((int)n)) {
            rh__text_add(w->to, "'");
            rh__value_write_character(w->to, (unsigned char)n, '\'');
            rh__text_add(w->to, "'");
            break;
        }
        if (encoding == DW_ATE_unsigned_char)
            rh__text_add(w->to, "%llu", (unsigned long long)n);
        else
            rh__text_add(w->to, "%lld", (long long)with_sign(n, bits));
        break;
    }
    case DW_ATE_signed:
        rh__text_add(w->to, bits > 64 ? "?" : "%lld", (long long)with_sign(n, bits));
        break;
    default:
        rh__text_add(w->to, bits > 64 ? "?" : "%llu", (unsigned long long)n);
        break;
    }
}

static bool enumerator_value(const struct rh__value_writer *w, Dwarf_Die *die, Dwarf_Word bits, uint64_t *value)
{
    Dwarf_Attribute attribute;
    Dwarf_Sword number;
    if (w->d->dwarf_tag(die) != DW_TAG_enumerator || !w->d->dwarf_attr(die, DW_AT_const_value, &attribute) ||
        w->d->dwarf_formsdata(&attribute, &number) != 0)
        return false;
    *value = (uint64_t)number & (bits < 64 ? ((uint64_t)1 << bits) - 1 : ~(uint64_t)0);
    return true;
}

/* The name of the value, or of all its bits if each of them has one; else the number. */
void rh__value_write_enum(struct rh__value_writer *w, Dwarf_Die *type, Dwarf_Word bit, Dwarf_Word bits)
{
    uint64_t n = rh__value_bits(w, bit, bits), value, named = 0;
    Dwarf_Die die;
    for (int more = w->d->dwarf_child(type, &die); more == 0; more = w->d->dwarf_siblingof(&die, &die)) {
        if (!enumerator_value(w, &die, bits, &value))
            continue;
        if (value == n) {
            rh__text_add(w->to, "%s", w->d->dwarf_diename(&die));
            return;
        }
        if (value && (value & (value - 1)) == 0)
            named |= value;
    }
    if (!n || n & ~named) {
        rh__text_add(w->to, "%lld", (long long)with_sign(n, bits));
        return;
    }
    bool first = true;
    for (int more = w->d->dwarf_child(type, &die); more == 0; more = w->d->dwarf_siblingof(&die, &die))
        if (enumerator_value(w, &die, bits, &value) && value && (value & (value - 1)) == 0 && n & value) {
            rh__text_add(w->to, "%s%s", first ? "" : "|", w->d->dwarf_diename(&die));
            n &= ~value; /* once, if two names have this bit */
            first = false;
        }
}

#endif
