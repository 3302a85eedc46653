/* See describe.h.  Descriptions are written by the tool, one at a time, while no actor runs; so who gives names to
 * rh_name is a variable, which is NULL at all other times. */
#include "actor/describe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

static struct rh_description *declared;
static rh__namer_fn *namer;
static void *namer_arg;

void rh_description_register_(struct rh_description *description)
{
    description->next = declared;
    declared = description;
}

const struct rh_description *rh__description_of(const char *type, uint32_t size)
{
    const struct rh_description *d = declared;
    while (d && (d->size != size || strcmp(d->type, type) != 0))
        d = d->next;
    return d;
}

bool rh__description_write(const struct rh_description *d, const void *bytes, rh__namer_fn *name, void *arg, char *text,
                           size_t size)
{
    void *value = rh__alloc(d->size);
    *text = 0;
    if (!value)
        return false;
    memcpy(value, bytes, d->size);
    namer = name;
    namer_arg = arg;
    d->write(value, text, size);
    namer = NULL;
    rh__free(value);
    return true;
}

const char *rh__description_name(rh_ref who)
{
    return namer ? namer(namer_arg, who) : NULL;
}

void rh_describe_(char *text, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(text, size, format, list);
    va_end(list);
}
