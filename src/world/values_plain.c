/* See values_plain.h, and values.h. */
#include "world/values_plain.h"

#include <stdio.h>
#include <string.h>

#include "actor/describe.h"
#include "world/control.h"
#include "world/state.h"
#include "world/values.h"

enum { DESCRIBED = 1024, MOST_BYTES = 16, MOST_RUNS = 8 };

void rh__value_write_reference(const struct rh__run *r, uint64_t id, struct rh__text *to)
{
    char name[128];
    if (!id) {
        rh__text_add(to, "nobody");
    } else if (id - REF_BASE < r->actor_count) {
        rh__run_actor_name(r, (uint32_t)(id - REF_BASE), name, sizeof name);
        rh__text_add(to, "%s", name);
    } else {
        rh__text_add(to, "no actor (%llx)", (unsigned long long)id);
    }
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */

struct names {
    const struct rh__run *r;
    char text[RH_NAMES_AT_ONCE][128];
    uint32_t next;
};

static const char *name_of(void *arg, rh_ref who)
{
    struct names *n = arg;
    struct rh__text t;
    rh__text_init(&t, n->text[n->next % RH_NAMES_AT_ONCE], sizeof n->text[0]);
    rh__value_write_reference(n->r, who.id, &t);
    return n->text[n->next++ % RH_NAMES_AT_ONCE];
}

bool rh__value_write_described(const struct rh__run *r, const char *type, uint32_t size, const void *bytes,
                               uint32_t kept, struct rh__text *to)
{
    const struct rh_description *d = rh__description_of(type, size);
    struct names names = { .r = r };
    char text[DESCRIBED];
    if (!d || kept < size)
        return false;
    rh__outside_push(); /* what the program's printf allocates belongs to no actor */
    bool good = rh__description_write(d, bytes, name_of, &names, text, sizeof text);
    rh__outside_pop();
    if (good)
        rh__text_add(to, "%s", text);
    return good;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static void add_bytes(const unsigned char *at, uint32_t from, uint32_t to, struct rh__text *t)
{
    for (uint32_t i = from; i < to && i < from + MOST_BYTES; i++)
        rh__text_add(t, " %02x", at[i]);
    if (to > from + MOST_BYTES)
        rh__text_add(t, " ...");
}

void rh__value_write_bytes(uint32_t size, const void *bytes, uint32_t kept, struct rh__text *to)
{
    rh__text_add(to, "%u byte%s:", size, size == 1 ? "" : "s");
    if (kept)
        add_bytes(bytes, 0, kept < size ? kept : size, to);
    if (kept < size && kept < MOST_BYTES)
        rh__text_add(to, " ?");
}

void rh__value_write_byte_changes(uint32_t size, const void *before, const void *after, struct rh__text *to)
{
    const unsigned char *was = before, *is = after;
    uint32_t shown = 0;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t from = i;
        while (i < size && was[i] != is[i])
            i++;
        if (i == from)
            continue;
        if (shown == MOST_RUNS) {
            rh__text_add(to, ", ...");
            return;
        }
        rh__text_add(to, "%sbyte%s %u", shown++ ? ", " : "", i == from + 1 ? "" : "s", from);
        if (i > from + 1)
            rh__text_add(to, " to %u", i - 1);
        rh__text_add(to, ":");
        add_bytes(is, from, i, to);
    }
}
