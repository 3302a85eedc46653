/* Operations that find a version of their object.
 *
 * An operation on a shared object finds one of the object's versions, and changes the object or only looks; whether it
 * changes the object is a function of what it finds (rh__action_writes).  The past of an operation is that of its actor
 * and of the version.  Those that look at the same version are not ordered.  [TruSt 2022] has reads and writes;
 * an operation is both at once.
 *
 * Invariants:
 *   - A version has at most one next change: the changes of an object form a chain.  So an operation that would change
 *     the object finds the newest version.  One that would only look may find an older one.
 *   - An operation may look at an older version if the next change of it does not come before the actor's previous
 *     event (before.c): one walk backwards.  Then the step and all that comes before it are made before that change.
 *   - The newest version is the canonical one (revisit.c).  An older one would not do: an operation is reader and
 *     writer in one, and a change that appears later must find everybody who could find it (tests/reference).
 *   - When an operation appears that would change the object at some version, earlier operations on the object may find
 *     the change instead of what they found: a revisit.  Then the version must be the newest of those that are kept. */
#include <string.h>

#include "base/fail.h"
#include "explore/optimal/graph.h"

const struct rh__action *rh__graph_operation(const struct optimal_graph *g, const struct rh__run_actor *a)
{
    (void)g;
    return !a->object || a->action.when == RH__IN_TURN ? NULL : &a->action;
}

bool rh__graph_asks(const struct optimal_graph *g, const struct rh__run_actor *a)
{
    return (a->status == STATUS_PREEMPTED || a->status == STATUS_CRASHED) && a->object && !rh__graph_operation(g, a);
}

/* ---- the chain --------------------------------------------------------------------------------------------------- */

void rh__graph_link_change(struct optimal_graph *g, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(g, stamp);
    if (x->now.cause)
        rh__graph_node(g, x->now.cause)->event.next = stamp;
    else
        g->first_change[x->event.place] = stamp;
    g->last_change[x->event.place] = stamp;
}

void rh__graph_unlink_change(struct optimal_graph *g, const struct optimal_node *x)
{
    if (x->now.cause)
        rh__graph_node(g, x->now.cause)->event.next = RH_NONE;
    else
        g->first_change[x->event.place] = RH_NONE;
    g->last_change[x->event.place] = x->now.cause;
}

void rh__graph_note_operation(struct optimal_graph *g, uint32_t stamp, uint32_t step)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    uint32_t n;
    const struct rh__access *a = rh__run_accesses(g->seen, step, &n);
    for (uint32_t i = 0; i < n; i++)
        if (a[i].object == g->identity[x->event.place]) {
            x->event.wrote = a[i].wrote;
            x->event.key = a[i].key;
            x->event.value = a[i].value;
        }
    if (x->event.wrote)
        rh__graph_link_change(g, stamp);
}

/* The value of a version, of an ordered table: for one key. */
static uint64_t value_at(const struct optimal_graph *g, uint32_t object, uint32_t version, uint64_t key)
{
    uint64_t value = 0;
    uint32_t n;
    for (uint32_t v = version; v; v = rh__graph_node(g, v)->now.cause)
        if (rh__graph_node(g, v)->event.key == key)
            return rh__graph_node(g, v)->event.value;
    const struct rh__access *a = rh__run_accesses(g->seen, 0, &n);
    for (uint32_t i = 0; i < n; i++)
        if (a[i].wrote && a[i].key == key && a[i].object == g->identity[object])
            value = a[i].value;
    return value;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static uint32_t add_option(struct optimal_graph *g, uint32_t version)
{
    g->options[g->option_top++] = (struct optimal_option){ .kind = RH_CHOICE_RESUME, .cause = version };
    return 1;
}

uint32_t rh__graph_versions(struct optimal_graph *g, const struct rh_world *w, uint32_t actor, uint32_t object,
                            bool *fails)
{
    const struct rh__action *action = &rh__run_actor(g->seen, g->actor_of[actor])->action;
    uint32_t before = g->last_of_actor[actor], row = rh__graph_node(g, before)->event.row;
    uint32_t newest = g->last_change[object], n = add_option(g, newest);
    struct optimal_part whole = { .below = rh__graph_top(g)->count, .row = RH_NONE };
    bool marked = false, later = false; /* what comes before the operation is marked; it is later than these versions */
    *fails = newest && rh__graph_node(g, newest)->event.failed;
    for (uint32_t v = newest, next = RH_NONE;; next = v, v = rh__graph_node(g, v)->now.cause) {
        if (next != RH_NONE) {
            const struct optimal_node *x = rh__graph_node(g, next);
            if (rh__graph_row_at(g, row, x->actor) > x->position)
                break; /* the actor knows of a newer version */
        }
        bool writes = rh__action_writes(action, value_at(g, object, v, action->key));
        if (next != RH_NONE && !writes && !later) {
            if (!marked)
                rh__graph_mark_before(g, w, &whole, before, RH_NONE);
            marked = true;
            later = g->map[next];
            if (!later)
                n += add_option(g, v);
        }
        if (writes && !(v && rh__graph_node(g, v)->event.failed))
            n += rh__graph_find_revisits_of(g, w, actor, object, v);
        if (!v)
            break;
    }
    return n;
}

void rh__graph_give_up(struct optimal_graph *g, uint32_t stamp)
{
    struct optimal_level *l = rh__graph_top(g);
    struct optimal_node *x = rh__graph_node(g, stamp);
    const struct rh__action *action = &rh__run_actor(g->seen, g->actor_of[x->actor])->action;
    l->steps--; /* it was just added */
    g->run_top--;
    x->event.failed = true;
    x->event.sends = 0;
    x->event.wrote = rh__action_writes(action, value_at(g, x->event.place, x->now.cause, action->key));
    x->event.key = action->key;
    x->event.value = action->sets;
    if (x->event.wrote)
        rh__graph_link_change(g, stamp);
    rh__graph_freeze(g, x, true);
}
