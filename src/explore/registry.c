/* Explorers by name: those of the tool and those that a test brings along (rehearse/explorer.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "explore/engine.h"
#include "explore/explorers.h"

static struct rh_explorer_entry *registered;

void rh_explorer_register_(struct rh_explorer_entry *entry)
{
    entry->next = registered;
    registered = entry;
}

/* Ours are named here rather than registering themselves: nobody would pull their objects out of the archive. */
const struct rh_explorer_entry *rh_explorer_first(void)
{
    static const struct rh_explorer *const ours[] = {
        &rh__explorer_bound,   &rh__explorer_portfolio,  &rh__explorer_replay,   &rh__explorer_descents,
        &rh__explorer_optimal, &rh__explorer_dpor,       &rh__explorer_dfs,      &rh__explorer_delayed,
        &rh__explorer_random,  &rh__explorer_roundrobin, &rh__explorer_symmetry, &rh__explorer_cover,
    };
    static struct rh_explorer_entry entries[sizeof ours / sizeof *ours];
    static bool done;
    for (size_t i = 0; !done && i < sizeof ours / sizeof *ours; i++) {
        entries[i].explorer = ours[i];
        rh_explorer_register_(&entries[i]);
    }
    done = true;
    return registered;
}

static const struct rh_explorer *find(const char *name, size_t length)
{
    for (const struct rh_explorer_entry *e = rh_explorer_first(); e; e = e->next)
        if (strlen(e->explorer->name) == length && strncmp(e->explorer->name, name, length) == 0)
            return e->explorer;
    return NULL;
}

/* Whether the explorer of NAME:ARG, or one inside of it, has a property. */
static bool any_of(const char *name_and_arg, bool (*is)(const struct rh_explorer *e))
{
    size_t length = strcspn(name_and_arg, ":");
    const struct rh_explorer *e = find(name_and_arg, length);
    struct rh_part parts[RH_MOST_PARTS];
    if (!e)
        return false;
    bool found = is(e);
    uint32_t count = e->parts ? e->parts(name_and_arg + length + (name_and_arg[length] == ':'), parts) : 0;
    for (uint32_t i = 0; i < count && !found; i++) {
        char *part = strndup(parts[i].text, parts[i].length);
        RH__ASSERT(part, "no memory for the text of an explorer");
        found = any_of(part, is);
        free(part);
    }
    return found;
}

static bool has_objects(const struct rh_explorer *e)
{
    return e->objects;
}

static bool has_reduction(const struct rh_explorer *e)
{
    return e->reduces;
}

bool rh__explorer_wants_objects(const char *name_and_arg)
{
    return any_of(name_and_arg, has_objects);
}

bool rh__explorer_reduces(const char *name_and_arg)
{
    return any_of(name_and_arg, has_reduction);
}

static bool has_wants_new(const struct rh_explorer *e)
{
    return e->wants_new;
}

bool rh__explorer_wants_new(const char *name_and_arg)
{
    return any_of(name_and_arg, has_wants_new);
}

static bool has_folds(const struct rh_explorer *e)
{
    return e->folds;
}

bool rh__explorer_folds(const char *name_and_arg)
{
    return any_of(name_and_arg, has_folds);
}

bool rh_exploration_inner(struct rh_exploration *x, const char *name_and_arg, struct rh_inner *inner, char *error,
                          size_t error_size)
{
    const char *colon = strchr(name_and_arg, ':');
    size_t length = colon ? (size_t)(colon - name_and_arg) : strlen(name_and_arg);
    const char *arg = colon ? colon + 1 : "";
    inner->explorer = find(name_and_arg, length);
    if (!inner->explorer) {
        int n = snprintf(error, error_size, "no explorer is called \"%.*s\"; there are", (int)length, name_and_arg);
        for (const struct rh_explorer_entry *e = rh_explorer_first(); e && n > 0 && (size_t)n < error_size; e = e->next)
            n += snprintf(error + n, error_size - (size_t)n, " %s", e->explorer->name);
        return false;
    }
    inner->state = rh_exploration_memory(x, inner->explorer->state_size ? inner->explorer->state_size : 1);
    if (!inner->state) {
        snprintf(error, error_size, "no memory for explorer %s", inner->explorer->name);
        return false;
    }
    if (inner->explorer->open)
        return inner->explorer->open(inner->state, x, arg, error, error_size);
    if (*arg) {
        snprintf(error, error_size, "explorer %s takes no argument (\"%s\")", inner->explorer->name, arg);
        return false;
    }
    return true;
}
