/* See fields.h. */
#include "world/fields.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* ---- declarations ------------------------------------------------------------------------------------------------ */

enum { LONGEST_WORD = 48, MOST_ELEMENTS = 4096 };

/* Names of types, after their words were put together in this order. */
static const struct type_name {
    const char *name;
    enum rh__field_kind kind;
    uint32_t size;
    bool is_char;
} type_names[] = {
    { "char", (char)-1 < 0 ? RH__FIELD_SIGNED : RH__FIELD_UNSIGNED, 1, true },
    { "signed char", RH__FIELD_SIGNED, 1, false },
    { "unsigned char", RH__FIELD_UNSIGNED, 1, false },
    { "short", RH__FIELD_SIGNED, 2, false },
    { "unsigned short", RH__FIELD_UNSIGNED, 2, false },
    { "int", RH__FIELD_SIGNED, 4, false },
    { "signed", RH__FIELD_SIGNED, 4, false },
    { "unsigned", RH__FIELD_UNSIGNED, 4, false },
    { "unsigned int", RH__FIELD_UNSIGNED, 4, false },
    { "long", RH__FIELD_SIGNED, sizeof(long), false },
    { "unsigned long", RH__FIELD_UNSIGNED, sizeof(long), false },
    { "long long", RH__FIELD_SIGNED, 8, false },
    { "unsigned long long", RH__FIELD_UNSIGNED, 8, false },
    { "int8_t", RH__FIELD_SIGNED, 1, false },
    { "int16_t", RH__FIELD_SIGNED, 2, false },
    { "int32_t", RH__FIELD_SIGNED, 4, false },
    { "int64_t", RH__FIELD_SIGNED, 8, false },
    { "uint8_t", RH__FIELD_UNSIGNED, 1, false },
    { "uint16_t", RH__FIELD_UNSIGNED, 2, false },
    { "uint32_t", RH__FIELD_UNSIGNED, 4, false },
    { "uint64_t", RH__FIELD_UNSIGNED, 8, false },
    { "size_t", RH__FIELD_UNSIGNED, sizeof(size_t), false },
    { "bool", RH__FIELD_BOOL, 1, false },
    { "_Bool", RH__FIELD_BOOL, 1, false },
    { "float", RH__FIELD_REAL, 4, false },
    { "double", RH__FIELD_REAL, 8, false },
    { "rh_ref", RH__FIELD_REF, 8, false },
    { "struct rh_ref", RH__FIELD_REF, 8, false },
};
static const struct type_name enum_type = { "enum", RH__FIELD_UNSIGNED, 4, false };

struct reader {
    const char *at;
    uint32_t offset;
};

static void skip_space(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool skip(struct reader *r, char c)
{
    skip_space(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static uint32_t word(struct reader *r, const char **from)
{
    skip_space(r);
    *from = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    return (uint32_t)(r->at - *from);
}

static const struct type_name *find_type(const char *name)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        if (strcmp(type_names[i].name, name) == 0)
            return &type_names[i];
    return NULL;
}

static bool is_word(const char *from, uint32_t size, const char *text)
{
    return strlen(text) == size && memcmp(from, text, size) == 0;
}

/* Reads the words of a type: as many as still are the name of one, so that the next word is the field's. */
static const struct type_name *read_type(struct reader *r)
{
    char name[LONGEST_WORD] = "";
    const struct type_name *type = NULL;
    for (;;) {
        struct reader before = *r;
        const char *from;
        uint32_t size = word(r, &from), length = (uint32_t)strlen(name);
        if (is_word(from, size, "const") || is_word(from, size, "volatile"))
            continue;
        if (!length && is_word(from, size, "enum"))
            return word(r, &from) ? &enum_type : NULL;
        if (!size || length + size + 2 > sizeof name) {
            *r = before;
            return type;
        }
        if (length)
            name[length++] = ' ';
        memcpy(name + length, from, size);
        name[length + size] = 0;
        const struct type_name *longer = find_type(name);
        bool begins = strcmp(name, "struct") == 0;
        if (type && !longer) {
            *r = before;
            return type;
        }
        if (!longer && !begins)
            return NULL;
        type = longer;
    }
}

static bool read_dimension(struct reader *r, uint32_t *count)
{
    skip_space(r);
    if (!isdigit((unsigned char)*r->at))
        return false;
    char *end;
    unsigned long n = strtoul(r->at, &end, 0);
    r->at = end;
    if (*r->at == 'u' || *r->at == 'U')
        r->at++;
    *count = (uint32_t)n;
    return n && n <= MOST_ELEMENTS && skip(r, ']');
}

static bool read_field(struct reader *r, struct rh__fields *f, const struct type_name *type)
{
    if (f->count == RH__MOST_FIELDS)
        return false;
    struct rh__field *x = &f->at[f->count++];
    *x = (struct rh__field){ .kind = type->kind, .size = type->size, .count = 1 };
    x->name_size = word(r, &x->name);
    if (!x->name_size || isdigit((unsigned char)*x->name))
        return false;
    x->is_array = skip(r, '[');
    if (x->is_array && !read_dimension(r, &x->count))
        return false;
    x->is_text = x->is_array && type->is_char;
    x->offset = (r->offset + x->size - 1) / x->size * x->size; /* each of these types is aligned to its size */
    r->offset = x->offset + x->size * x->count;
    return true;
}

static bool read_declaration(struct reader *r, struct rh__fields *f)
{
    const struct type_name *type = read_type(r);
    bool good = type && read_field(r, f, type);
    while (good && skip(r, ','))
        good = read_field(r, f, type);
    return good && skip(r, ';');
}

static uint32_t alignment(const struct rh__fields *f)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < f->count; i++)
        most = f->at[i].size > most ? f->at[i].size : most;
    return most;
}

void rh__fields_of(struct rh__fields *f, const struct rh_message_type *type)
{
    struct reader r = { .at = type->fields ? type->fields : "" };
    *f = (struct rh__fields){ .type = type };
    bool good = true;
    for (skip_space(&r); good && *r.at; skip_space(&r))
        good = skip(&r, ';') || read_declaration(&r, f);
    uint32_t unit = alignment(f);
    f->opaque = !good || !f->count || (r.offset + unit - 1) / unit * unit != type->size;
    f->none = !f->opaque && f->count == 1 && is_word(f->at[0].name, f->at[0].name_size, "rh_no_fields");
}

/* ---- as text ----------------------------------------------------------------------------------------------------- */

static void *element(const struct rh__field *x, const void *value, uint32_t i)
{
    return (char *)(uintptr_t)value + x->offset + (size_t)i * x->size;
}

static uint64_t get_number(const struct rh__field *x, const void *at)
{
    uint64_t n = 0;
    memcpy(&n, at, x->size);
    if (x->kind == RH__FIELD_SIGNED && x->size < 8 && n >> (8 * x->size - 1))
        n |= ~(uint64_t)0 << (8 * x->size);
    return n;
}

static void write_element(const struct rh__field *x, const struct rh_world *w, const void *at, struct rh__text *t)
{
    float narrow = 0;
    double wide = 0;
    uint32_t actor;
    switch (x->kind) {
    case RH__FIELD_SIGNED:
        rh__text_add(t, "%lld", (long long)get_number(x, at));
        break;
    case RH__FIELD_UNSIGNED:
    case RH__FIELD_BOOL:
        rh__text_add(t, "%llu", (unsigned long long)get_number(x, at));
        break;
    case RH__FIELD_REAL:
        memcpy(x->size == 4 ? (void *)&narrow : (void *)&wide, at, x->size);
        rh__text_add(t, "%.17g", x->size == 4 ? (double)narrow : wide);
        break;
    case RH__FIELD_REF:
        actor = actor_of(w, (rh_ref){ get_number(x, at) });
        if (actor == RH_NONE)
            rh__text_add(t, "nobody");
        else
            rh__run_actor_path(rh__world_run(w), actor, t);
        break;
    }
}

/* A text that needs no escapes in a schedule, and is padded with zeros. */
static bool is_plain_text(const struct rh__field *x, const char *at)
{
    uint32_t i = 0;
    while (x->is_text && i < x->count && (isalnum((unsigned char)at[i]) || at[i] == '_'))
        i++;
    while (i < x->count && !at[i])
        i++;
    return x->is_text && i == x->count;
}

static void write_field(const struct rh__field *x, const struct rh_world *w, const void *value, struct rh__text *t)
{
    if (is_plain_text(x, element(x, value, 0))) {
        rh__text_add(t, "\"%.*s\"", (int)x->count, (const char *)element(x, value, 0));
        return;
    }
    for (uint32_t i = 0; i < x->count; i++) {
        if (x->is_array)
            rh__text_add(t, i ? ", " : "{ ");
        write_element(x, w, element(x, value, i), t);
    }
    if (x->is_array)
        rh__text_add(t, " }");
}

void rh__fields_write(const struct rh__fields *f, const struct rh_world *w, const void *value, struct rh__text *t)
{
    rh__text_add(t, "%s", f->type->name);
    if (f->opaque) {
        rh__text_add(t, " bytes ");
        for (uint32_t i = 0; i < f->type->size; i++)
            rh__text_add(t, "%02x", ((const unsigned char *)value)[i]);
        return;
    }
    for (uint32_t i = 0; i < f->count && !f->none; i++) {
        rh__text_add(t, "%s.%.*s = ", i ? ", " : " { ", (int)f->at[i].name_size, f->at[i].name);
        write_field(&f->at[i], w, value, t);
    }
    if (!f->none)
        rh__text_add(t, " }");
}

void rh__fields_write_short(const struct rh__fields *f, const struct rh_world *w, const void *value, struct rh__text *t)
{
    if (f->opaque || f->none || f->count > 1) {
        rh__fields_write(f, w, value, t);
        return;
    }
    rh__text_add(t, "%s ", f->type->name);
    write_field(&f->at[0], w, value, t);
}

/* ---- from text --------------------------------------------------------------------------------------------------- */

struct names {
    const struct rh_world *w;
    const struct rh__fields_pool *pool;
};

static bool read_bytes(struct reader *r, void *value, uint32_t size)
{
    skip_space(r);
    for (uint32_t i = 0; i < size; i++, r->at += 2) {
        char pair[3] = { r->at[0], r->at[0] ? r->at[1] : 0, 0 };
        if (!isxdigit((unsigned char)pair[0]) || !isxdigit((unsigned char)pair[1]))
            return false;
        ((unsigned char *)value)[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return true;
}

/* A reference is written as the name of an actor, up to a comma, a brace or white space. */
static bool read_reference(struct reader *r, const struct names *n, void *at)
{
    char name[512];
    struct rh__text t;
    size_t size = strcspn(r->at, ", }");
    rh_ref ref = rh_nobody();
    bool found = size == strlen("nobody") && memcmp(r->at, "nobody", size) == 0;
    for (uint32_t i = 0; i < n->pool->known_count && !found; i++) {
        rh__text_init(&t, name, sizeof name);
        rh__run_actor_path(rh__world_run(n->w), n->pool->known[i], &t);
        found = t.len == size && memcmp(name, r->at, size) == 0;
        ref = ref_of(n->pool->known[i]);
    }
    r->at += size;
    if (found)
        memcpy(at, &ref, sizeof ref);
    return found;
}

static bool read_element(struct reader *r, const struct rh__field *x, const struct names *n, void *at)
{
    char *end;
    skip_space(r);
    if (x->kind == RH__FIELD_REF)
        return read_reference(r, n, at);
    if (x->kind == RH__FIELD_REAL) {
        double wide = strtod(r->at, &end);
        float narrow = (float)wide;
        memcpy(at, x->size == 4 ? (void *)&narrow : (void *)&wide, x->size);
    } else {
        uint64_t whole = *r->at == '-' ? (uint64_t)strtoll(r->at, &end, 0) : strtoull(r->at, &end, 0);
        memcpy(at, &whole, x->size); /* little-endian, as all machines that the world runs on */
        if (get_number(x, at) != whole || (x->kind == RH__FIELD_BOOL && whole > 1))
            return false;
    }
    bool some = end != r->at;
    r->at = end;
    return some;
}

static bool read_quoted(struct reader *r, const struct rh__field *x, void *at)
{
    size_t size = strcspn(r->at, "\"");
    if (r->at[size] != '"' || size > x->count)
        return false;
    memcpy(at, r->at, size);
    r->at += size + 1;
    return true;
}

static bool read_value(struct reader *r, const struct rh__field *x, const struct names *n, void *value)
{
    if (x->is_text && skip(r, '"'))
        return read_quoted(r, x, element(x, value, 0));
    if (!x->is_array)
        return read_element(r, x, n, element(x, value, 0));
    bool good = skip(r, '{');
    uint32_t i = 0;
    for (; good && !skip(r, '}'); i++)
        good = i < x->count && (!i || skip(r, ',')) && read_element(r, x, n, element(x, value, i));
    return good;
}

static bool read_named(struct reader *r, const struct rh__fields *f, const struct names *n, void *value)
{
    const char *from;
    if (!skip(r, '.'))
        return false;
    uint32_t size = word(r, &from), i = 0;
    while (i < f->count && !(f->at[i].name_size == size && memcmp(f->at[i].name, from, size) == 0))
        i++;
    return i < f->count && skip(r, '=') && read_value(r, &f->at[i], n, value);
}

/* Bytes may be anything, but references must be known, and a bool is 0 or 1. */
static bool is_possible(const struct rh__fields *f, const struct names *n, const void *value)
{
    bool possible = true;
    for (uint32_t i = 0; i < f->count && !f->opaque; i++)
        for (uint32_t k = 0; k < f->at[i].count; k++) {
            uint64_t number = get_number(&f->at[i], element(&f->at[i], value, k));
            bool known = f->at[i].kind != RH__FIELD_REF || !number;
            for (uint32_t a = 0; a < n->pool->known_count; a++)
                known |= number == ref_of(n->pool->known[a]).id;
            possible &= known && !(f->at[i].kind == RH__FIELD_BOOL && number > 1);
        }
    return possible;
}

bool rh__fields_read(const struct rh__fields *f, const struct rh_world *w, const char *text,
                     const struct rh__fields_pool *pool, void *value)
{
    struct reader r = { .at = text };
    struct names n = { w, pool };
    const char *from;
    uint32_t size = word(&r, &from);
    memset(value, 0, f->type->size);
    if (!is_word(from, size, f->type->name))
        return false;
    bool good = true;
    struct reader rest = r;
    size = word(&rest, &from);
    if (is_word(from, size, "bytes")) {
        r = rest;
        good = read_bytes(&r, value, f->type->size) && is_possible(f, &n, value);
    } else if (f->opaque) {
        good = false;
    } else if (!f->none) {
        good = skip(&r, '{');
        for (bool first = true; good && !skip(&r, '}'); first = false)
            good = (first || skip(&r, ',')) && read_named(&r, f, &n, value);
    }
    skip_space(&r);
    return good && !*r.at;
}

/* ---- random values ----------------------------------------------------------------------------------------------- */

/* Mostly small numbers: programs compare with those.  Now and then a limit of the type, or a number next to one. */
static uint64_t draw_number(const struct rh__field *x, const struct rh__fields_pool *pool, uint64_t *random)
{
    if (pool->number_count && rh__random_below(random, 2))
        return (uint64_t)pool->numbers[rh__random_below(random, pool->number_count)];
    uint32_t bits = 8 * x->size;
    uint64_t most = ~(uint64_t)0 >> (64 - bits + (x->kind == RH__FIELD_SIGNED));
    switch (rh__random_below(random, 8)) {
    case 0:
        return rh__random_below(random, 128);
    case 1:
        return (uint64_t)1 << rh__random_below(random, bits);
    case 2:
        return most - rh__random_below(random, 2);
    case 3:
        return x->kind == RH__FIELD_SIGNED ? 0 - (uint64_t)(1 + rh__random_below(random, 4)) : most / 2 + 1;
    case 4:
        return rh__random_below(random, 20) * 10;
    default:
        return rh__random_below(random, 8);
    }
}

static void draw_element(const struct rh__field *x, const struct rh__fields_pool *pool, uint64_t *random, void *at)
{
    static const double reals[] = { 0, 1, -1, 0.5, 2, 10, 1e9, -1e9 };
    double wide = reals[rh__random_below(random, 8)];
    float narrow = (float)wide;
    uint64_t whole = draw_number(x, pool, random);
    uint32_t who = rh__random_below(random, pool->known_count + 1);
    rh_ref ref = who < pool->known_count ? ref_of(pool->known[who]) : rh_nobody();
    switch (x->kind) {
    case RH__FIELD_SIGNED:
    case RH__FIELD_UNSIGNED:
        memcpy(at, &whole, x->size);
        break;
    case RH__FIELD_BOOL:
        *(bool *)at = whole & 1;
        break;
    case RH__FIELD_REAL:
        memcpy(at, x->size == 4 ? (void *)&narrow : (void *)&wide, x->size);
        break;
    case RH__FIELD_REF:
        memcpy(at, &ref, sizeof ref);
        break;
    }
}

void rh__fields_draw(const struct rh__fields *f, const struct rh__fields_pool *pool, uint64_t *random, void *value)
{
    memset(value, 0, f->type->size);
    for (uint32_t i = 0; f->opaque && i + 4 <= f->type->size; i += 4) {
        uint32_t small = rh__random_below(random, 4);
        memcpy((char *)value + i, &small, sizeof small);
    }
    for (uint32_t i = 0; i < f->count && !f->opaque && !f->none; i++) {
        const struct rh__field *x = &f->at[i];
        uint32_t length = x->is_text ? rh__random_below(random, x->count < 8 ? x->count : 8) : x->count;
        for (uint32_t k = 0; k < length; k++)
            if (x->is_text)
                *(char *)element(x, value, k) = (char)('a' + rh__random_below(random, 3));
            else
                draw_element(x, pool, random, element(x, value, k));
    }
}
