/* Memory at places that depend on a value, in symbolic execution: an element of an array whose index is not known.
 *
 * Such an access is one of several: a load is the value of one of them, a store may change each.  Which places they are
 * is known from the code: an address is a base and indices, of arrays whose lengths the types tell, or the end of the
 * object.  Otherwise the solver finds the places one by one, which is slow.  If there are too many, the path is bound
 * to the first ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/symbolic_path.h"

enum { MOST_FOUND = 24, MOST_PLACES = 64 };

struct place {
    uint32_t offset;
    Z3_ast is; /* under which condition the access is there */
};

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static struct sym_address *slot_of(struct sym_run *r, Z3_ast bits)
{
    uint32_t at = (uint32_t)((uintptr_t)bits >> 4) * 2654435761u % r->address_room;
    while (r->addresses[at].bits && r->addresses[at].bits != bits)
        at = (at + 1) % r->address_room;
    return &r->addresses[at];
}

struct sym_address sym__address_of(struct sym_run *r, Z3_ast bits)
{
    struct sym_address a = { .bits = bits };
    if (sym__is_constant(r, bits, &a.base))
        a.known = true;
    else if (r->address_room && slot_of(r, bits)->bits)
        a = *slot_of(r, bits);
    return a;
}

void sym__address_add(struct sym_run *r, struct sym_address *a, Z3_ast index, uint64_t stride, uint64_t length)
{
    uint64_t n;
    if (sym__is_constant(r, index, &n))
        a->base += n * stride;
    else if (a->count == SYM_INDICES || !stride)
        a->known = false;
    else {
        a->index[a->count].of = index;
        a->index[a->count].stride = stride;
        a->index[a->count++].length = length;
    }
}

void sym__address_keep(struct sym_run *r, Z3_ast bits, const struct sym_address *a)
{
    if (!a->known || !a->count)
        return;
    if (2 * r->address_count >= r->address_room) {
        uint32_t old = r->address_room;
        struct sym_address *from = r->addresses;
        r->address_room = old ? 2 * old : 256;
        r->addresses = sym__must(calloc(r->address_room, sizeof *r->addresses));
        for (uint32_t i = 0; i < old; i++)
            if (from[i].bits)
                *slot_of(r, from[i].bits) = from[i];
        free(from);
    }
    struct sym_address *to = slot_of(r, bits);
    r->address_count += !to->bits;
    *to = *a;
    to->bits = bits;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* The places of an address whose form is known; the path is bound to them. */
static uint32_t places_by_form(struct sym_run *r, struct sym_path *p, const struct sym_address *a, uint64_t whole,
                               uint64_t size, struct place *list)
{
    uint64_t counts[SYM_INDICES] = { 1, 1 };
    uint32_t count = 0;
    Z3_ast all = NULL;
    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t fit = a->base + size <= whole ? (whole - size - a->base) / a->index[i].stride + 1 : 0;
        uint64_t length = a->index[i].length;
        counts[i] = length && length < fit ? length : fit;
    }
    while (counts[0] * counts[1] > MOST_PLACES) {
        sym__give_up(r, "an index with more than %u values", MOST_PLACES);
        uint32_t more = counts[1] > counts[0];
        counts[more] = MOST_PLACES / counts[!more] ? MOST_PLACES / counts[!more] : counts[more] / 2;
    }
    for (uint64_t x = 0; x < counts[0]; x++)
        for (uint64_t y = 0; y < counts[1]; y++) {
            uint64_t at = a->base + x * a->index[0].stride + (a->count > 1 ? y * a->index[1].stride : 0);
            if (at + size > whole)
                continue;
            Z3_ast is = Z3_mk_eq(r->z, a->index[0].of, sym__number(r, x, 64));
            if (a->count > 1)
                is = sym__and_of(r, is, Z3_mk_eq(r->z, a->index[1].of, sym__number(r, y, 64)));
            is = Z3_simplify(r->z, is);
            if (is != Z3_mk_false(r->z))
                list[count++] = (struct place){ (uint32_t)at, is };
        }
    for (uint32_t i = 0; i < a->count; i++) {
        Z3_ast low = Z3_mk_bvult(r->z, a->index[i].of, sym__number(r, counts[i], 64));
        all = all ? sym__and_of(r, all, low) : low;
    }
    return count && sym__require(r, p, all) ? count : 0;
}

/* The places that the solver finds, low ones first. */
static uint32_t places_by_solver(struct sym_run *r, struct sym_path *p, struct sym_value pointer, uint64_t size,
                                 struct place *list)
{
    uint32_t count = 0, whole = p->objects[pointer.object].size;
    Z3_ast any[MOST_FOUND];
    uint64_t bound = 16 * size < whole - size ? 16 * size : whole - size;
    Z3_solver_push(r->z, r->solver);
    Z3_solver_assert(r->z, r->solver, p->condition);
    for (;;) {
        char name[32];
        snprintf(name, sizeof name, "below %llu", (unsigned long long)bound);
        Z3_ast low = Z3_mk_const(r->z, Z3_mk_string_symbol(r->z, name), Z3_mk_bool_sort(r->z));
        Z3_ast is = Z3_mk_bvule(r->z, pointer.bits, sym__number(r, bound, 64));
        Z3_solver_assert(r->z, r->solver, Z3_mk_implies(r->z, low, is));
        Z3_lbool found = Z3_solver_check_assumptions(r->z, r->solver, 1, &low);
        if (found == Z3_L_UNDEF)
            sym__give_up(r, "a question that is too hard for the solver");
        if (found != Z3_L_TRUE) {
            if (bound == whole - size)
                break;
            bound = 4 * bound < whole - size ? 4 * bound : whole - size;
            continue;
        }
        if (count == MOST_FOUND) {
            sym__give_up(r, "an index with more than %u values", MOST_FOUND);
            break;
        }
        Z3_ast value;
        uint64_t n = 0;
        r->a->queries++;
        if (!Z3_model_eval(r->z, Z3_solver_get_model(r->z, r->solver), pointer.bits, true, &value) ||
            !sym__is_constant(r, value, &n) || n > whole - size)
            break;
        any[count] = Z3_mk_eq(r->z, pointer.bits, sym__number(r, n, 64));
        list[count] = (struct place){ (uint32_t)n, any[count] };
        Z3_solver_assert(r->z, r->solver, Z3_mk_not(r->z, any[count]));
        count++;
    }
    Z3_solver_pop(r->z, r->solver, 1);
    return count && sym__require(r, p, Z3_mk_or(r->z, count, any)) ? count : 0;
}

static uint32_t places_of(struct sym_run *r, struct sym_path *p, struct sym_value pointer, uint64_t size,
                          struct place *list)
{
    uint32_t whole = p->objects[pointer.object].size;
    struct sym_address a = sym__address_of(r, pointer.bits);
    if (size > whole)
        return 0;
    return a.known && a.count ? places_by_form(r, p, &a, whole, size, list)
                              : places_by_solver(r, p, pointer, size, list);
}

bool sym__is_index(struct sym_run *r, const struct sym_path *p, struct sym_value pointer)
{
    uint64_t n;
    return r->hooks && pointer.object && pointer.object < p->object_count && !sym__is_constant(r, pointer.bits, &n);
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static bool is_plain(const struct sym_object *o, uint32_t at, uint64_t size)
{
    for (uint32_t i = at / 8; i <= (at + (uint32_t)size - 1) / 8; i++)
        if (o->pointers[i].bits)
            return false;
    return true;
}

/* What is there under one of the conditions. */
static Z3_ast choose(struct sym_run *r, Z3_ast is, Z3_ast one, Z3_ast other)
{
    return one == other ? one : Z3_mk_ite(r->z, is, one, other);
}

bool sym__load_any(struct sym_run *r, struct sym_path *p, struct sym_value pointer, uint64_t size, uint32_t bits,
                   struct sym_value *to)
{
    struct place list[MOST_PLACES];
    uint32_t count = places_of(r, p, pointer, size, list);
    const struct sym_object *o = &p->objects[pointer.object];
    Z3_ast all = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_plain(o, list[i].offset, size))
            return sym__give_up(r, "one of several pointers");
        Z3_ast one = Z3_simplify(r->z, sym__bytes_at(r, o, list[i].offset, size));
        all = all ? choose(r, list[i].is, one, all) : one;
    }
    if (!all)
        return sym__give_up(r, "an access outside of an object");
    *to =
        (struct sym_value){ .bits = Z3_simplify(r->z, bits < 8 * size ? Z3_mk_extract(r->z, bits - 1, 0, all) : all) };
    return true;
}

bool sym__store_any(struct sym_run *r, struct sym_path *p, struct sym_value pointer, uint64_t size, Z3_ast all)
{
    struct place list[MOST_PLACES];
    uint32_t count = places_of(r, p, pointer, size, list);
    struct sym_object *o = &p->objects[pointer.object];
    for (uint32_t i = 0; i < count; i++)
        if (!is_plain(o, list[i].offset, size))
            return sym__give_up(r, "one of several pointers");
    for (uint32_t k = 0; k < size; k++) {
        Z3_ast byte = Z3_simplify(r->z, Z3_mk_extract(r->z, 8 * (uint32_t)k + 7, 8 * (uint32_t)k, all));
        for (uint32_t i = 0; i < count; i++) {
            Z3_ast *at = &o->bytes[list[i].offset + k];
            *at = choose(r, list[i].is, byte, *at);
        }
    }
    return count ? true : sym__give_up(r, "an access outside of an object");
}

bool sym__copy_from_any(struct sym_run *r, struct sym_path *p, struct sym_value *from, uint64_t size)
{
    struct place list[MOST_PLACES];
    uint32_t count = places_of(r, p, *from, size, list);
    const uint32_t copy = count ? sym__object_new(r, p, size, true) : 0;
    const struct sym_object *o = &p->objects[from->object];
    struct sym_object *c = &p->objects[copy];
    for (uint32_t i = 0; i < count; i++) {
        if (!is_plain(o, list[i].offset, size))
            return sym__give_up(r, "one of several pointers");
        for (uint32_t k = 0; k < size; k++) {
            Z3_ast byte = o->bytes[list[i].offset + k];
            c->bytes[k] = i ? choose(r, list[i].is, byte, c->bytes[k]) : byte;
        }
    }
    *from = (struct sym_value){ sym__number(r, 0, 64), copy };
    return count ? true : sym__give_up(r, "an access outside of an object");
}

bool sym__copy_to_any(struct sym_run *r, struct sym_path *p, struct sym_value to, struct sym_value from, uint64_t size)
{
    struct place list[MOST_PLACES];
    uint32_t source;
    if (!sym__offset_of(r, p, from, size, &source))
        return false;
    uint32_t count = places_of(r, p, to, size, list);
    struct sym_object *o = &p->objects[to.object];
    const struct sym_object *f = &p->objects[from.object];
    if (to.object == from.object || !is_plain(f, source, size))
        return sym__give_up(r, "one of several pointers");
    for (uint32_t i = 0; i < count; i++) {
        if (!is_plain(o, list[i].offset, size))
            return sym__give_up(r, "one of several pointers");
        for (uint32_t k = 0; k < size; k++) {
            Z3_ast *at = &o->bytes[list[i].offset + k];
            *at = choose(r, list[i].is, f->bytes[source + k], *at);
        }
    }
    return count ? true : sym__give_up(r, "an access outside of an object");
}

bool sym__copy_some(struct sym_run *r, struct sym_path *p, struct sym_value to, struct sym_value from, Z3_ast size)
{
    enum { MOST_COPIED = 512 };
    uint32_t at, source;
    if (sym__is_index(r, p, from) || sym__is_index(r, p, to))
        return sym__give_up(r, "a copy of unknown size");
    if (!sym__offset_of(r, p, to, 0, &at) || !sym__offset_of(r, p, from, 0, &source))
        return false;
    struct sym_object *o = &p->objects[to.object];
    const struct sym_object *f = &p->objects[from.object];
    uint32_t most = o->size - at < f->size - source ? o->size - at : f->size - source;
    if (most > MOST_COPIED) {
        sym__give_up(r, "a copy of unknown size");
        most = MOST_COPIED;
    }
    if (most && (!is_plain(o, at, most) || !is_plain(f, source, most)))
        return sym__give_up(r, "one of several pointers");
    if (!sym__require(r, p, Z3_mk_bvule(r->z, size, sym__number(r, most, 64))))
        return sym__give_up(r, "an access outside of an object");
    Z3_ast *copy = sym__must(malloc((most + 1) * sizeof *copy)); /* they may overlap */
    for (uint32_t i = 0; i < most; i++)
        copy[i] = choose(r, Z3_mk_bvugt(r->z, size, sym__number(r, i, 64)), f->bytes[source + i], o->bytes[at + i]);
    memcpy(o->bytes + at, copy, most * sizeof *copy);
    free(copy);
    return true;
}
