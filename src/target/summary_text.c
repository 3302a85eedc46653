/* Texts in summaries: snprintf with arguments that are known, and names that the code has composed. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/summary.h"

enum { LONGEST_TEXT = 256, LONGEST_ITEM = 24 };

bool sum__text_at(struct sym_run *r, const struct sym_path *p, struct sym_value at, char *text, uint32_t room)
{
    uint64_t first, byte = 1;
    if (!at.object || at.object >= p->object_count || !sym__is_constant(r, at.bits, &first))
        return false;
    const struct sym_object *o = &p->objects[at.object];
    for (uint32_t n = 0; n < room && first + n < o->size && byte; n++) {
        if (o->pointers[(first + n) / 8].bits || !sym__is_constant(r, o->bytes[first + n], &byte))
            return false;
        text[n] = (char)byte;
    }
    return !byte;
}

const char *sum__keep_text(struct sum_models *m, const char *text)
{
    for (uint32_t i = 0; i < m->text_count; i++)
        if (strcmp(m->texts[i], text) == 0)
            return m->texts[i];
    if ((m->text_count & (m->text_count - 1)) == 0)
        m->texts = sym__must(realloc(m->texts, (m->text_count ? 2 * (size_t)m->text_count : 1) * sizeof(char *)));
    return m->texts[m->text_count++] = sym__must(strdup(text));
}

/* One conversion, of which `item` is the text without the letter and without the length: "%", "%03". */
static bool print_item(struct sym_run *r, const struct sym_path *p, const char *item, char letter, struct sym_value v,
                       char *to, size_t room)
{
    char format[LONGEST_ITEM + 8], text[LONGEST_TEXT];
    uint64_t n;
    if (letter == 's') {
        if (!sum__text_at(r, p, v, text, sizeof text))
            return false;
        snprintf(format, sizeof format, "%ss", item);
        return snprintf(to, room, format, text) < (int)room;
    }
    if (v.object || !sym__is_constant(r, v.bits, &n))
        return false;
    uint32_t width = sym__width_of(r, v.bits);
    if ((letter == 'd' || letter == 'i') && width < 64 && n >> (width - 1))
        n |= ~(uint64_t)0 << width;
    snprintf(format, sizeof format, letter == 'c' ? "%s%c" : "%sll%c", item, letter);
    return (letter == 'c' ? snprintf(to, room, format, (int)n) : snprintf(to, room, format, (long long)n)) < (int)room;
}

/* The text that snprintf makes of the operands from `at` on. */
static bool print(struct sym_run *r, struct sym_path *p, LLVMValueRef call, uint32_t at, const char *format, char *to,
                  size_t room)
{
    size_t used = 0;
    for (const char *f = format; *f; f++) {
        char item[LONGEST_ITEM];
        size_t n = 0;
        struct sym_value v;
        if (used + 1 >= room)
            return false;
        if (*f != '%' || f[1] == '%') {
            f += *f == '%';
            to[used++] = *f;
            to[used] = 0;
            continue;
        }
        item[n++] = *f++;
        while (*f && strchr("-+ #0123456789.", *f) && n + 1 < sizeof item)
            item[n++] = *f++;
        item[n] = 0;
        while (*f && strchr("hljzt", *f))
            f++;
        if (!*f || !strchr("diuxXcs", *f) || at >= LLVMGetNumArgOperands(call) ||
            !sym__value_of(r, p, LLVMGetOperand(call, at++), &v) ||
            !print_item(r, p, item, *f, v, to + used, room - used))
            return false;
        used += strlen(to + used);
    }
    return true;
}

bool sum__print(struct sym_run *r, struct sym_path *p, LLVMValueRef call, uint32_t *length)
{
    char text[LONGEST_TEXT] = "";
    struct sym_value buffer, size;
    uint64_t room;
    uint32_t at;
    const char *format = LLVMGetNumArgOperands(call) > 2 ? sym__text_of(LLVMGetOperand(call, 2)) : NULL;
    if (!format || !sym__value_of(r, p, LLVMGetOperand(call, 0), &buffer) ||
        !sym__value_of(r, p, LLVMGetOperand(call, 1), &size) || !sym__is_constant(r, size.bits, &room) || !room ||
        !print(r, p, call, 3, format, text, sizeof text))
        return false;
    *length = (uint32_t)strlen(text);
    uint32_t written = *length < room ? *length : (uint32_t)room - 1;
    text[written] = 0;
    if (!sym__offset_of(r, p, buffer, written + 1, &at))
        return false;
    struct sym_object *o = &p->objects[buffer.object];
    for (uint32_t i = 0; i <= written; i++) {
        o->bytes[at + i] = sym__number(r, (uint8_t)text[i], 8);
        o->pointers[(at + i) / 8].bits = NULL;
    }
    return true;
}
