/* See ranges.h. */
#include "findings/ranges.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MOST_DIGITS = 19 }; /* in 64 bits */

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

bool rh__ranges_same_shape(const char *a, const char *b)
{
    uint32_t count = 0;
    while (*a && *b) {
        size_t x = digits(a), y = digits(b);
        if (!x != !y || (!x && *a != *b) || x > MOST_DIGITS || y > MOST_DIGITS)
            return false;
        count += x > 0;
        a += x ? x : 1;
        b += y ? y : 1;
    }
    return !*a && !*b && count <= RH__MOST_RANGES;
}

/* True if the number before `behind` tells what has changed, not to what: "pairs[1].left=" or "hall#1: ". */
static bool is_in_place(const char *behind)
{
    behind += strspn(behind, "0123456789[].#/_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return *behind == '=' || *behind == ':';
}

bool rh__ranges_same_places(const char *a, const char *b)
{
    if (!rh__ranges_same_shape(a, b))
        return false;
    while (*a) {
        size_t x = digits(a), y = digits(b);
        if (x && is_in_place(a + x) && (x != y || memcmp(a, b, x) != 0))
            return false;
        a += x ? x : 1;
        b += y ? y : 1;
    }
    return true;
}

/* The next number of a text; `*at` moves behind it.  False if there is none. */
static bool next_number(const char **at, uint64_t *number)
{
    *at += strcspn(*at, "0123456789");
    if (!**at)
        return false;
    *number = strtoull(*at, NULL, 10);
    *at += digits(*at);
    return true;
}

void rh__ranges_begin(struct rh__ranges *x, const char *text)
{
    uint64_t number;
    snprintf(x->text, sizeof x->text, "%s", text);
    x->count = 0;
    for (const char *at = x->text; x->count < RH__MOST_RANGES && next_number(&at, &number); x->count++)
        x->least[x->count] = x->most[x->count] = number;
}

void rh__ranges_add(struct rh__ranges *x, const char *text)
{
    uint64_t number;
    for (uint32_t i = 0; i < x->count && next_number(&text, &number); i++) {
        x->least[i] = number < x->least[i] ? number : x->least[i];
        x->most[i] = number > x->most[i] ? number : x->most[i];
    }
}

const char *rh__ranges_text(const struct rh__ranges *x, char *text, size_t size)
{
    struct rh__text t;
    uint32_t i = 0;
    rh__text_init(&t, text, size);
    for (const char *at = x->text; *at;) {
        size_t plain = strcspn(at, "0123456789"), n = digits(at + plain);
        bool negative = plain && at[plain - 1] == '-';
        rh__text_put(&t, at, plain);
        at += plain;
        if (n && i < x->count && x->least[i] != x->most[i])
            rh__text_add(&t, "%" PRIu64 "..%s%" PRIu64, x->least[i], negative ? "-" : "", x->most[i]);
        else
            rh__text_put(&t, at, n);
        i += n > 0;
        at += n;
    }
    return text;
}
