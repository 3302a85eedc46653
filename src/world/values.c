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
#include "world/values_parts.h"
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

static void write_value(struct rh__value_writer *w, Dwarf_Die *type, Dwarf_Word at);

/* Type of a DIE and its size. */
static bool type_of(const struct rh__value_writer *w, Dwarf_Die *die, Dwarf_Die *type, Dwarf_Word *size)
{
    return rh__debug_type(w->d, die, type) && w->d->dwarf_aggregate_size(type, size) == 0;
}

static bool is_zero(const unsigned char *at, Dwarf_Word size)
{
    return !size || (!at[0] && memcmp(at, at + 1, size - 1) == 0);
}

/* ---- structs, unions, arrays ------------------------------------------------------------------------------------- */

/* Where a member lies, in bits. */
static bool member_bits(const struct rh__value_writer *w, Dwarf_Die *member, Dwarf_Word at, Dwarf_Die *type,
                        Dwarf_Word *bit, Dwarf_Word *bits)
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

static void write_typed(struct rh__value_writer *w, Dwarf_Die *type, Dwarf_Word bit, Dwarf_Word bits)
{
    int tag = w->d->dwarf_tag(type);
    if ((bit + bits + 7) / 8 > w->kept)
        rh__text_add(w->to, "?");
    else if (tag == DW_TAG_base_type)
        rh__value_write_base(w, type, bit, bits);
    else if (tag == DW_TAG_enumeration_type)
        rh__value_write_enum(w, type, bit, bits);
    else
        write_value(w, type, bit / 8);
}

static bool is_described(const struct rh__value_writer *w, Dwarf_Die *type)
{
    const char *name = w->d->dwarf_diename(type);
    Dwarf_Word size;
    return name && w->d->dwarf_aggregate_size(type, &size) == 0 && size <= UINT32_MAX &&
           rh__description_of(name, (uint32_t)size);
}

/* Its members are all that there is to show: it is no reference, and the program does not describe it. */
static bool is_plain_struct(const struct rh__value_writer *w, Dwarf_Die *type)
{
    const char *name = w->d->dwarf_diename(type);
    int tag = w->d->dwarf_tag(type);
    return (tag == DW_TAG_structure_type || tag == DW_TAG_class_type) && !(name && strcmp(name, "rh_ref") == 0) &&
           !is_described(w, type);
}

/* An array, or a struct that is no reference. */
static bool is_aggregate(const struct rh__value_writer *w, Dwarf_Die *type)
{
    return w->d->dwarf_tag(type) == DW_TAG_array_type || is_plain_struct(w, type);
}

/* Members of a struct, with those of its bases and of structs without a name. */
static void write_members(struct rh__value_writer *w, Dwarf_Die *whole, Dwarf_Word at, bool *first)
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
        if (w->sparse && is_aggregate(w, &type) && is_zero(w->bytes + bit / 8, bits / 8))
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
static void write_union(struct rh__value_writer *w, Dwarf_Die *whole, Dwarf_Word at)
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

static bool is_plain_char(const struct rh__value_writer *w, Dwarf_Die *type)
{
    const char *name = w->d->dwarf_tag(type) == DW_TAG_base_type ? w->d->dwarf_diename(type) : NULL;
    return name && strcmp(name, "char") == 0;
}

/* An array of char is a string up to its first zero, if that and what is before can be read. */
static bool write_string(struct rh__value_writer *w, Dwarf_Word at, Dwarf_Word count)
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
        rh__value_write_character(w->to, s[i], '"');
    rh__text_add(w->to, "\"");
    return true;
}

static bool subrange_count(const struct rh__value_writer *w, Dwarf_Die *range, Dwarf_Word *count)
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

/* Elements that are equal are written once: "[1, 0 x 7]".  Two are too few, but at the end. */
static Dwarf_Word end_of_equal(const struct rh__value_writer *w, Dwarf_Word at, Dwarf_Word each, Dwarf_Word i,
                               Dwarf_Word count)
{
    Dwarf_Word end = i + 1;
    while (end < count && memcmp(w->bytes + at + i * each, w->bytes + at + end * each, each) == 0)
        end++;
    return end - i == 2 && end < count ? i + 1 : end;
}

/* An entry of a table that nothing has been written to is 0. */
static void write_element(struct rh__value_writer *w, Dwarf_Die *type, Dwarf_Word at, Dwarf_Word size)
{
    if (is_plain_struct(w, type) && is_zero(w->bytes + at, size))
        rh__text_add(w->to, "0");
    else
        write_typed(w, type, at * 8, size * 8);
}

/* One dimension of an array; `range` is its subrange, behind it those of the inner dimensions. */
static void write_dimension(struct rh__value_writer *w, Dwarf_Die range, Dwarf_Die *type, Dwarf_Word at,
                            Dwarf_Word size)
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
    rh__text_add(w->to, "[");
    Dwarf_Word shown = 0;
    for (Dwarf_Word i = 0, end; i < count && !w->to->cut; i = end) {
        end = end_of_equal(w, at, each, i, count);
        if (shown++ == MOST_ELEMENTS) {
            rh__text_add(w->to, ", ...");
            break;
        }
        rh__text_add(w->to, i ? ", " : "");
        if (last)
            write_element(w, type, at + i * each, each);
        else
            write_dimension(w, inner, type, at + i * each, each);
        if (end - i > 1)
            rh__text_add(w->to, " x %llu", (unsigned long long)(end - i));
    }
    rh__text_add(w->to, "]");
}

static void write_array(struct rh__value_writer *w, Dwarf_Die *array, Dwarf_Word at)
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
static bool write_described(struct rh__value_writer *w, Dwarf_Die *type, Dwarf_Word at)
{
    const char *name = w->d->dwarf_diename(type);
    Dwarf_Word size;
    return name && w->d->dwarf_aggregate_size(type, &size) == 0 && size <= UINT32_MAX && at + size <= w->kept &&
           rh__value_write_described(w->r, name, (uint32_t)size, w->bytes + at, (uint32_t)size, w->to);
}

static void write_value(struct rh__value_writer *w, Dwarf_Die *type, Dwarf_Word at)
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
            rh__value_write_reference(w->r, rh__value_bits(w, at * 8, 64), w->to);
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
        rh__text_add(w->to, rh__value_bits(w, at * 8, 64) ? "pointer" : "NULL");
        break;
    default:
        rh__text_add(w->to, "?");
        break;
    }
    w->depth--;
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

struct comparison {
    struct rh__value_writer w;
    const unsigned char *before;
    bool first;
};

static void compare(struct comparison *x, Dwarf_Die *type, Dwarf_Word bit, Dwarf_Word bits, const char *path);

static bool is_same(const struct comparison *x, Dwarf_Word bit, Dwarf_Word bits)
{
    if (bit % 8 == 0 && bits % 8 == 0)
        return memcmp(x->before + bit / 8, x->w.bytes + bit / 8, bits / 8) == 0;
    struct rh__value_writer before = x->w;
    before.bytes = x->before;
    return rh__value_bits(&before, bit, bits) == rh__value_bits(&x->w, bit, bits);
}

static void compare_members(struct comparison *x, Dwarf_Die *whole, Dwarf_Word at, const char *path)
{
    Dwarf_Die member, type;
    Dwarf_Word bit, bits;
    char inner[LONGEST_PATH];
    const struct rh__value_writer *w = &x->w;
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

/* Elements that have changed alike are one change: "next[1..5]=1". */
static Dwarf_Word end_of_alike(const struct comparison *x, Dwarf_Die *type, Dwarf_Word at, Dwarf_Word each,
                               Dwarf_Word i, Dwarf_Word count)
{
    const unsigned char *was = x->before + at, *is = x->w.bytes + at;
    bool parts = is_plain_struct(&x->w, type); /* which are shown depends on what was before */
    Dwarf_Word end = i + 1;
    while (end < count && memcmp(is + i * each, is + end * each, each) == 0 &&
           memcmp(was + end * each, is + end * each, each) != 0 &&
           (!parts || memcmp(was + i * each, was + end * each, each) == 0))
        end++;
    return end;
}

/* As write_dimension. */
static void compare_dimension(struct comparison *x, Dwarf_Die range, Dwarf_Die *type, Dwarf_Word at, Dwarf_Word size,
                              const char *path)
{
    Dwarf_Die inner = range;
    Dwarf_Word count = 0, inner_count;
    char place[LONGEST_PATH];
    if (!subrange_count(&x->w, &range, &count) || !count)
        return;
    bool last = x->w.d->dwarf_siblingof(&range, &inner) != 0 || !subrange_count(&x->w, &inner, &inner_count);
    Dwarf_Word each = size / count;
    if (last && is_plain_char(&x->w, type)) { /* a string is shown as a whole */
        rh__text_add(x->w.to, "%s%s=", x->first ? "" : ", ", path);
        x->first = false;
        return write_dimension(&x->w, range, type, at, size);
    }
    for (Dwarf_Word i = 0, end; i < count; i = end) {
        end = i + 1;
        if (memcmp(x->before + at + i * each, x->w.bytes + at + i * each, each) == 0)
            continue;
        end = last ? end_of_alike(x, type, at, each, i, count) : end;
        if (end - i > 1)
            snprintf(place, sizeof place, "%s[%llu..%llu]", path, (unsigned long long)i, (unsigned long long)end - 1);
        else
            snprintf(place, sizeof place, "%s[%llu]", path, (unsigned long long)i);
        if (last)
            compare(x, type, (at + i * each) * 8, each * 8, place);
        else
            compare_dimension(x, inner, type, at + i * each, each, place);
    }
}

static bool compare_elements(struct comparison *x, Dwarf_Die *array, Dwarf_Word at, Dwarf_Word size, const char *path)
{
    Dwarf_Die type, range;
    Dwarf_Word count, unused;
    const struct rh__debug_info *d = x->w.d;
    int more = d->dwarf_child(array, &range);
    while (more == 0 && !subrange_count(&x->w, &range, &count))
        more = d->dwarf_siblingof(&range, &range);
    if (more != 0 || !type_of(&x->w, array, &type, &unused))
        return false;
    compare_dimension(x, range, &type, at, size, path);
    return true;
}

/* A struct that was zero is shown as a whole, without the arrays and structs in it that are still zero:
 * "open[0]=(phase=VOTING, tx=7)"; one that has become zero is 0. */
static void compare(struct comparison *x, Dwarf_Die *type, Dwarf_Word bit, Dwarf_Word bits, const char *path)
{
    if (x->w.to->cut || x->w.depth == DEEPEST || (bit + bits + 7) / 8 > x->w.kept || is_same(x, bit, bits))
        return;
    x->w.depth++;
    bool parts = is_plain_struct(&x->w, type), goes = parts && is_zero(x->w.bytes + bit / 8, bits / 8);
    bool comes = parts && is_zero(x->before + bit / 8, bits / 8);
    if (parts && !comes && !goes) {
        compare_members(x, type, bit / 8, path);
    } else if (x->w.d->dwarf_tag(type) != DW_TAG_array_type || !compare_elements(x, type, bit / 8, bits / 8, path)) {
        size_t len = x->w.to->len;
        rh__text_add(x->w.to, "%s%s=", x->first ? "" : ", ", path);
        x->w.sparse = comes;
        if (goes)
            rh__text_add(x->w.to, "0");
        else
            write_typed(&x->w, type, bit, bits);
        x->w.sparse = false;
        if (comes && !x->w.to->cut &&
            strcmp(x->w.to->at + x->w.to->len - 2, "()") == 0) { /* only its padding has changed */
            x->w.to->len = len;
            x->w.to->at[len] = 0;
        } else {
            x->first = false;
        }
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
        struct rh__value_writer w = { .d = rh__debug_info(), .r = r, .to = to, .bytes = bytes, .kept = kept };
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
