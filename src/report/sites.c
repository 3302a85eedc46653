/* See sites.h. */
#include "report/sites.h"

#include <rehearse.h>
#include <string.h>

/* Set by the linker if the program has such places. */
extern const struct rh_site __start_rh_sites[] __attribute__((weak));
extern const struct rh_site __stop_rh_sites[] __attribute__((weak));

static uint32_t site_count(void)
{
    size_t n = __start_rh_sites ? (size_t)(__stop_rh_sites - __start_rh_sites) : 0;
    return n < RH__MOST_SITES ? (uint32_t)n : RH__MOST_SITES;
}

/* A literal name identifies the property; the place does if the name is computed. */
static bool is_property(const struct rh_site *site, const struct rh__property_result *p)
{
    const char *name = site->name;
    size_t length = strlen(name);
    if (p->kind != RH_SOMETIMES)
        return false;
    if (*name != '"' || strchr(name, '\\') || strchr(name + 1, '"') != name + length - 1)
        return p->place && strcmp(p->place, site->here) == 0;
    length -= 2;
    if (length > RH__PROPERTY_NAME - 1)
        length = RH__PROPERTY_NAME - 1;
    return strncmp(p->name, name + 1, length) == 0 && !p->name[length];
}

void rh__sites_add(struct rh__sites *s, const struct rh__results *r)
{
    for (uint32_t i = 0; i < site_count(); i++)
        for (uint32_t k = 0; k < r->property_count; k++)
            if (is_property(&__start_rh_sites[i], &r->properties[k]))
                s->reached[i / 64] |= (uint64_t)1 << i % 64;
}

void rh__sites_unreached(const struct rh__sites *s, struct rh__text *t)
{
    for (uint32_t i = 0; i < site_count(); i++) {
        const struct rh_site *site = &__start_rh_sites[i];
        size_t length = strlen(site->name);
        bool literal = *site->name == '"' && length > 1;
        if (s->reached[i / 64] >> i % 64 & 1)
            continue;
        rh__text_add(t, "%s`%.*s` (%s)", t->len ? ", " : "", (int)(literal ? length - 2 : length), site->name + literal,
                     site->here);
    }
}
