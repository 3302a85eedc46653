/* See name_order.h. */
#include "actor/name_order.h"

#include <stdlib.h>
#include <string.h>

int rh__name_order(const char *a, const char *b)
{
    while (*a && *b) {
        size_t n = strcspn(a, "#"), k = strcspn(b, "#");
        int order = memcmp(a, b, n < k ? n : k);
        if (order || n != k)
            return order ? order : n < k ? -1 : 1;
        char *after_a, *after_b;
        unsigned long one = strtoul(a + n + (a[n] == '#'), &after_a, 10);
        unsigned long other = strtoul(b + k + (b[k] == '#'), &after_b, 10);
        if (one != other)
            return one < other ? -1 : 1;
        a = after_a + (*after_a == '/');
        b = after_b + (*after_b == '/');
    }
    return (*a != 0) - (*b != 0);
}
