/* Explorers by name: those of the tool and those that a test registers (rehearse/explorer.h). */
#include <string.h>

#include "base/blocks.h"
#include "explore/explorers.h"
#include "explore/tree.h"

static struct rh_explorer_entry *registered;

void rh_explorer_register_(struct rh_explorer_entry *entry)
{
    entry->next = registered;
    registered = entry;
}

/* Lists the tool's own explorers explicitly.  If they registered themselves, the linker would not take their objects
 * from the archive. */
const struct rh_explorer_entry *rh_explorer_first(void)
{
    static const struct rh_explorer *const ours[] = {
        &rh__explorer_bound,    &rh__explorer_portfolio, &rh__explorer_replay,     &rh__explorer_sample,
        &rh__explorer_probe,    &rh__explorer_optimal,   &rh__explorer_dpor,       &rh__explorer_dfs,
        &rh__explorer_delayed,  &rh__explorer_random,    &rh__explorer_roundrobin, &rh__explorer_symmetry,
        &rh__explorer_cover,    &rh__explorer_weighted,  &rh__explorer_swarm,      &rh__explorer_pos,
        &rh__explorer_pct,      &rh__explorer_pctcp,     &rh__explorer_stateful,   &rh__explorer_delay,
        &rh__explorer_phases,   &rh__explorer_grow,      &rh__explorer_preempt,    &rh__explorer_auto,
        &rh__explorer_feedback, &rh__explorer_urw,       &rh__explorer_surw,       &rh__explorer_onward,
        &rh__explorer_scatter,  &rh__explorer_whole,
    };
    static struct rh_explorer_entry entries[sizeof ours / sizeof *ours];
    static bool done;
    for (size_t i = 0; !done && i < sizeof ours / sizeof *ours; i++) {
        entries[i].explorer = ours[i];
        rh_explorer_register_(&entries[i]);
    }
    static struct rh_explorer_entry reach = { .explorer = &rh__explorer_reach };
    if (!done && rh__has_blocks())
        rh_explorer_register_(&reach);
    done = true;
    return registered;
}

const struct rh_explorer *rh__explorer_named(const char *name, size_t length)
{
    for (const struct rh_explorer_entry *e = rh_explorer_first(); e; e = e->next)
        if (strlen(e->explorer->name) == length && memcmp(e->explorer->name, name, length) == 0)
            return e->explorer;
    return NULL;
}

/* ---- properties of an expression --------------------------------------------------------------------------------- */

static bool has(const char *expression, bool (*property)(const struct rh__tree *t))
{
    struct rh__tree t;
    char error[8];
    return rh__tree_parse(&t, expression, error, sizeof error) && property(&t);
}

bool rh__explorer_needs_object_granularity(const char *expression)
{
    return has(expression, rh__tree_needs_object_granularity);
}

bool rh__explorer_prefers_object(const char *expression)
{
    return has(expression, rh__tree_prefers_object);
}

bool rh__explorer_is_reduction(const char *expression)
{
    return has(expression, rh__tree_is_reduction);
}

bool rh__explorer_matches_states(const char *expression)
{
    return has(expression, rh__tree_matches_states);
}

bool rh__explorer_wants_new(const char *expression)
{
    return has(expression, rh__tree_wants_new);
}

bool rh__explorer_uses_symmetry(const char *expression)
{
    return has(expression, rh__tree_uses_symmetry);
}
