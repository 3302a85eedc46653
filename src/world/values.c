/* See values.h. */
#include "world/values.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actor/describe.h"
#include "base/fail.h"
#include "world/control.h"
#include "world/debug_info.h"
#include "world/state.h"
#include "world/values_plain.h"

/* A struct that the program describes is shown as a whole, if that is another text than before. */
static bool write_described_change(const struct rh__run *r, const char *type, uint32_t size, const void *before,
                                   const void *after, struct rh__text *to)
{
    char was[1024], is[1024];
    struct rh__text t;
    rh__text_init(&t, was, sizeof was);
    if (!rh__value_write_described(r, type, size, before, size, &t))
        return false;
    rh__text_init(&t, is, sizeof is);
    rh__value_write_described(r, type, size, after, size, &t);
    if (strcmp(was, is) != 0)
        rh__text_add(to, "%s", is);
    return true;
}

#ifdef RH__WITH_LIBDW

enum { DEEPEST = 8, MOST_ELEMENTS = 64, LONGEST_PATH = 128 };

struct writer {
    const struct rh__debug_info *d;
    const struct rh__run *r;
    struct rh__text *to;
    const unsigned char *bytes; /* of the whole value */
    Dwarf_Word kept;
    int depth;
};

static void write_value(struct writer *w, Dwarf_Die *type, Dwarf_Word at);

/* Type of a DIE and its size. */
static bool type_of(const struct writer *w, Dwarf_Die *die, Dwarf_Die *type, Dwarf_Word *size)
{
    return rh__debug_type(w->d, die, type) && w->d->dwarf_aggregate_size(type, size) == 0;
}

/* Little-endian, as all machines that the world runs on. */
static uint64_t bits_at(const struct writer *w, Dwarf_Word first_bit, Dwarf_Word count)
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

/* ---- numbers, characters, enums ---------------------------------------------------------------------------------- */

static void write_character(struct rh__text *to, unsigned char c, char quote)
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

static void write_real(struct writer *w, Dwarf_Word at, Dwarf_Word size)
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

static void write_base(struct writer *w, Dwarf_Die *type, Dwarf_Word bit, Dwarf_Word bits)
{
    Dwarf_Word encoding = 0;
    rh__debug_number(w->d, type, DW_AT_encoding, &encoding);
    uint64_t n = bits_at(w, bit, bits);
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
            write_character(w->to, (unsigned char)n, '\'');
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

static bool enumerator_value(const struct writer *w, Dwarf_Die *die, Dwarf_Word bits, uint64_t *value)
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
static void write_enum(struct writer *w, Dwarf_Die *type, Dwarf_Word bit, Dwarf_Word bits)
{
    uint64_t n = bits_at(w, bit, bits), value, named = 0;
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

/* ---- structs, unions, arrays ------------------------------------------------------------------------------------- */

/* Where a member lies, in bits. */
static bool member_bits(const struct writer *w, Dwarf_Die *member, Dwarf_Word at, Dwarf_Die *type, Dwarf_Word *bit,
                        Dwarf_Word *bits)
{
    Dwarf_Word size, from = 0, offset, unit;
    if (!type_of(w, member, type, &size))
        return false;
    rh__debug_number(w->d, member, DW_AT_data_member_location, &from); /* a member of a union has none */
    *bit = (at + from) * 8;
    *bits = size * 8;
    if (!rh__debug_number(w->d, member, DW_AT_bit_size, bits))
        return true;
    if (rh__debug_number(w->d, member, DW_AT_data_bit_offset, &offset)) {
        *bit = at * 8 + offset;
    } else if (rh__debug_number(w->d, member, DW_AT_bit_offset, &offset)) { /* DWARF 3: from the most significant bit */
        if (!rh__debug_number(w->d, member, DW_AT_byte_size, &unit))
            unit = size;
        *bit += unit * 8 - offset - *bits;
    }
    return true;
}

static void write_typed(struct writer *w, Dwarf_Die *type, Dwarf_Word bit, Dwarf_Word bits)
{
    int tag = w->d->dwarf_tag(type);
    if ((bit + bits + 7) / 8 > w->kept)
        rh__text_add(w->to, "?");
    else if (tag == DW_TAG_base_type)
        write_base(w, type, bit, bits);
    else if (tag == DW_TAG_enumeration_type)
        write_enum(w, type, bit, bits);
    else
        write_value(w, type, bit / 8);
}

/* Members of a struct, with those of its bases and of structs without a name. */
static void write_members(struct writer *w, Dwarf_Die *whole, Dwarf_Word at, bool *first)
{
    Dwarf_Die member, type;
    Dwarf_Word bit, bits;
    for (int more = w->d->dwarf_child(whole, &member); more == 0; more = w->d->dwarf_siblingof(&member, &member)) {
        int tag = w->d->dwarf_tag(&member);
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !member_bits(w, &member, at, &type, &bit, &bits))
            continue; /* a static member has no place */
        const char *name = w->d->dwarf_diename(&member);
        if (w->to->cut || (name && strcmp(name, "rh_no_fields") == 0) || !bits)
            continue;
        if ((tag == DW_TAG_inheritance || !name) && w->d->dwarf_tag(&type) != DW_TAG_union_type) {
            write_members(w, &type, bit / 8, first);
            continue;
        }
        rh__text_add(w->to, "%s%s%s", *first ? "" : ", ", name ? name : "", name ? "=" : "");
        *first = false;
        write_typed(w, &type, bit, bits);
    }
}

/* The largest member; of several, the first. */
static void write_union(struct writer *w, Dwarf_Die *whole, Dwarf_Word at)
{
    Dwarf_Die member, type, largest = { 0 }, its_type = { 0 };
    Dwarf_Word bit, bits, most = 0, its_bit = 0;
    for (int more = w->d->dwarf_child(whole, &member); more == 0; more = w->d->dwarf_siblingof(&member, &member))
        if (w->d->dwarf_tag(&member) == DW_TAG_member && member_bits(w, &member, at, &type, &bit, &bits) &&
            bits > most) {
            largest = member;
            its_type = type;
            its_bit = bit;
            most = bits;
        }
    if (!most)
        return;
    const char *name = w->d->dwarf_diename(&largest);
    rh__text_add(w->to, "(%s%s", name ? name : "", name ? "=" : "");
    write_typed(w, &its_type, its_bit, most);
    rh__text_add(w->to, ")");
}

static bool is_plain_char(const struct writer *w, Dwarf_Die *type)
{
    const char *name = w->d->dwarf_tag(type) == DW_TAG_base_type ? w->d->dwarf_diename(type) : NULL;
    return name && strcmp(name, "char") == 0;
}

/* An array of char is a string up to its first zero, if that and what is before can be read. */
static bool write_string(struct writer *w, Dwarf_Word at, Dwarf_Word count)
{
    const unsigned char *s = w->bytes + at;
    Dwarf_Word size = 0;
    while (size < count && s[size])
        size++;
    for (Dwarf_Word i = 0; i < size; i++)
        if (!isprint(s[i]) && !isspace(s[i]) && s[i] < 0x80)
            return false;
    rh__text_add(w->to, "\"");
    for (Dwarf_Word i = 0; i < size && !w->to->cut; i++)
        write_character(w->to, s[i], '"');
    rh__text_add(w->to, "\"");
    return true;
}

static bool subrange_count(const struct writer *w, Dwarf_Die *range, Dwarf_Word *count)
{
    if (w->d->dwarf_tag(range) != DW_TAG_subrange_type)
        return false;
    if (rh__debug_number(w->d, range, DW_AT_count, count))
        return true;
    if (!rh__debug_number(w->d, range, DW_AT_upper_bound, count))
        *count = (Dwarf_Word)-1; /* a flexible array: no element is in the struct */
    ++*count;
    return true;
}

/* One dimension of an array; `range` is its subrange, behind it those of the inner dimensions. */
static void write_dimension(struct writer *w, Dwarf_Die range, Dwarf_Die *type, Dwarf_Word at, Dwarf_Word size)
{
    Dwarf_Die inner = range;
    Dwarf_Word count = 0, inner_count;
    if (!subrange_count(w, &range, &count) || !count)
        return (void)rh__text_add(w->to, "[]");
    bool last = w->d->dwarf_siblingof(&range, &inner) != 0 || !subrange_count(w, &inner, &inner_count);
    Dwarf_Word each = size / count;
    if (at + size > w->kept)
        return (void)rh__text_add(w->to, "?");
    if (last && is_plain_char(w, type) && write_string(w, at, count))
        return;
    Dwarf_Word shown = count; /* the elements behind are all like the last one shown */
    while (shown > 1 && memcmp(w->bytes + at + (shown - 1) * each, w->bytes + at + (shown - 2) * each, each) == 0)
        shown--;
    rh__text_add(w->to, "[");
    for (Dwarf_Word i = 0; i < shown && !w->to->cut; i++) {
        if (i == MOST_ELEMENTS) {
            rh__text_add(w->to, ", ...");
            break;
        }
        rh__text_add(w->to, i ? ", " : "");
        if (last)
            write_typed(w, type, (at + i * each) * 8, each * 8);
        else
            write_dimension(w, inner, type, at + i * each, each);
        if (i + 1 == shown && shown < count)
            rh__text_add(w->to, " x %llu", (unsigned long long)(count - shown + 1));
    }
    rh__text_add(w->to, "]");
}

static void write_array(struct writer *w, Dwarf_Die *array, Dwarf_Word at)
{
    Dwarf_Die type, range;
    Dwarf_Word size, whole, count;
    int more = w->d->dwarf_child(array, &range);
    while (more == 0 && !subrange_count(w, &range, &count))
        more = w->d->dwarf_siblingof(&range, &range);
    if (more != 0 || !type_of(w, array, &type, &size) || w->d->dwarf_aggregate_size(array, &whole) != 0)
        rh__text_add(w->to, "[]");
    else
        write_dimension(w, range, &type, at, whole);
}

/* A struct that the program describes. */
static bool write_described(struct writer *w, Dwarf_Die *type, Dwarf_Word at)
{
    const char *name = w->d->dwarf_diename(type);
    Dwarf_Word size;
    return name && w->d->dwarf_aggregate_size(type, &size) == 0 && size <= UINT32_MAX && at + size <= w->kept &&
           rh__value_write_described(w->r, name, (uint32_t)size, w->bytes + at, (uint32_t)size, w->to);
}

static bool is_described(const struct writer *w, Dwarf_Die *type)
{
    const char *name = w->d->dwarf_diename(type);
    Dwarf_Word size;
    return name && w->d->dwarf_aggregate_size(type, &size) == 0 && size <= UINT32_MAX &&
           rh__description_of(name, (uint32_t)size);
}

static void write_value(struct writer *w, Dwarf_Die *type, Dwarf_Word at)
{
    const char *name = w->d->dwarf_diename(type);
    bool first = true;
    if (w->depth == DEEPEST || w->to->cut)
        return (void)rh__text_add(w->to, "...");
    w->depth++;
    switch (w->d->dwarf_tag(type)) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
        if (name && strcmp(name, "rh_ref") == 0) {
            rh__value_write_reference(w->r, bits_at(w, at * 8, 64), w->to);
            break;
        }
        rh__text_add(w->to, "(");
        if (!write_described(w, type, at))
            write_members(w, type, at, &first);
        rh__text_add(w->to, ")");
        break;
    case DW_TAG_union_type:
        write_union(w, type, at);
        break;
    case DW_TAG_array_type:
        write_array(w, type, at);
        break;
    case DW_TAG_pointer_type:
        rh__text_add(w->to, bits_at(w, at * 8, 64) ? "pointer" : "NULL");
        break;
    default:
        rh__text_add(w->to, "?");
        break;
    }
    w->depth--;
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

struct comparison {
    struct writer w;
    const unsigned char *before;
    bool first;
};

static void compare(struct comparison *x, Dwarf_Die *type, Dwarf_Word bit, Dwarf_Word bits, const char *path);

static bool is_same(const struct comparison *x, Dwarf_Word bit, Dwarf_Word bits)
{
    if (bit % 8 == 0 && bits % 8 == 0)
        return memcmp(x->before + bit / 8, x->w.bytes + bit / 8, bits / 8) == 0;
    struct writer before = x->w;
    before.bytes = x->before;
    return bits_at(&before, bit, bits) == bits_at(&x->w, bit, bits);
}

static bool is_zero(const unsigned char *at, Dwarf_Word size)
{
    return !size || (!at[0] && memcmp(at, at + 1, size - 1) == 0);
}

/* An entry that comes or goes is shown as a whole: "open[0]=(phase=VOTING, tx=7)", "open[0]=0". */
static bool comes_or_goes(const struct comparison *x, Dwarf_Word bit, Dwarf_Word bits)
{
    return is_zero(x->before + bit / 8, bits / 8) || is_zero(x->w.bytes + bit / 8, bits / 8);
}

static void compare_members(struct comparison *x, Dwarf_Die *whole, Dwarf_Word at, const char *path)
{
    Dwarf_Die member, type;
    Dwarf_Word bit, bits;
    char inner[LONGEST_PATH];
    const struct writer *w = &x->w;
    for (int more = w->d->dwarf_child(whole, &member); more == 0; more = w->d->dwarf_siblingof(&member, &member)) {
        int tag = w->d->dwarf_tag(&member);
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !member_bits(w, &member, at, &type, &bit, &bits))
            continue;
        const char *name = tag == DW_TAG_member ? w->d->dwarf_diename(&member) : NULL;
        snprintf(inner, sizeof inner, "%s%s%s", path, *path && name ? "." : "", name ? name : "");
        if (!name && w->d->dwarf_tag(&type) != DW_TAG_union_type)
            compare_members(x, &type, bit / 8, inner); /* its members count as those of the whole */
        else
            compare(x, &type, bit, bits, inner);
    }
}

static bool compare_elements(struct comparison *x, Dwarf_Die *array, Dwarf_Word at, Dwarf_Word size, const char *path)
{
    Dwarf_Die type, range;
    Dwarf_Word each, count, unused;
    const struct rh__debug_info *d = x->w.d;
    char inner[LONGEST_PATH];
    if (d->dwarf_child(array, &range) != 0 || !subrange_count(&x->w, &range, &count) || !count ||
        d->dwarf_siblingof(&range, &range) == 0 || !type_of(&x->w, array, &type, &unused) ||
        is_plain_char(&x->w, &type))
        return false; /* several dimensions, and strings, are shown as a whole */
    each = size / count;
    for (Dwarf_Word i = 0; i < count; i++) {
        snprintf(inner, sizeof inner, "%s[%llu]", path, (unsigned long long)i);
        compare(x, &type, (at + i * each) * 8, each * 8, inner);
    }
    return true;
}

static void compare(struct comparison *x, Dwarf_Die *type, Dwarf_Word bit, Dwarf_Word bits, const char *path)
{
    const char *name = x->w.d->dwarf_diename(type);
    int tag = x->w.d->dwarf_tag(type);
    bool is_struct = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    if (x->w.to->cut || x->w.depth == DEEPEST || (bit + bits + 7) / 8 > x->w.kept || is_same(x, bit, bits))
        return;
    x->w.depth++;
    bool is_ref = is_struct && name && strcmp(name, "rh_ref") == 0;
    if (is_struct && !is_ref && !comes_or_goes(x, bit, bits) && !is_described(&x->w, type)) {
        compare_members(x, type, bit / 8, path);
    } else if (tag != DW_TAG_array_type || !compare_elements(x, type, bit / 8, bits / 8, path)) {
        rh__text_add(x->w.to, "%s%s=", x->first ? "" : ", ", path);
        x->first = false;
        if (is_struct && !is_ref && is_zero(x->w.bytes + bit / 8, bits / 8))
            rh__text_add(x->w.to, "0");
        else
            write_typed(&x->w, type, bit, bits);
    }
    x->w.depth--;
}

/* ---- whole values ------------------------------------------------------------------------------------------------ */

bool rh__value_write(const struct rh__run *r, const char *type, uint32_t size, const void *bytes, uint32_t kept,
                     struct rh__text *to)
{
    bool first = true;
    Dwarf_Die die;
    if (rh__value_write_described(r, type, size, bytes, kept, to))
        return true;
    rh__outside_push();
    bool found = rh__debug_struct_anywhere(type, size, &die);
    if (found) {
        struct writer w = { .d = rh__debug_info(), .r = r, .to = to, .bytes = bytes, .kept = kept };
        write_members(&w, &die, 0, &first);
    }
    rh__outside_pop();
    return found;
}

bool rh__value_write_changes(const struct rh__run *r, const char *type, uint32_t size, const void *before,
                             const void *after, struct rh__text *to)
{
    Dwarf_Die die;
    if (write_described_change(r, type, size, before, after, to))
        return true;
    rh__outside_push();
    bool found = rh__debug_struct_anywhere(type, size, &die);
    if (found) {
        struct comparison x = { .w = { .d = rh__debug_info(), .r = r, .to = to, .bytes = after, .kept = size },
                                .before = before,
                                .first = true };
        compare_members(&x, &die, 0, "");
    }
    rh__outside_pop();
    return found;
}

bool rh__value_is_known(const char *type, uint32_t size)
{
    Dwarf_Die die;
    if (rh__description_of(type, size))
        return true;
    rh__outside_push();
    bool found = rh__debug_struct_anywhere(type, size, &die);
    rh__outside_pop();
    return found;
}

#else

bool rh__value_write(const struct rh__run *r, const char *type, uint32_t size, const void *bytes, uint32_t kept,
                     struct rh__text *to)
{
    return rh__value_write_described(r, type, size, bytes, kept, to);
}

bool rh__value_write_changes(const struct rh__run *r, const char *type, uint32_t size, const void *before,
                             const void *after, struct rh__text *to)
{
    return write_described_change(r, type, size, before, after, to);
}

bool rh__value_is_known(const char *type, uint32_t size)
{
    return rh__description_of(type, size) != NULL;
}

#endif
