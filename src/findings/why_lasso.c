/* See why_lasso.h.  The states are made in a child that the program may kill: then a continuation has failed in another
 * way.  Tarjan's algorithm finds the components [Tarjan 1972]. */
#include "findings/why_lasso.h"

#include <rehearse/sandbox.h>
#include <string.h>

#include "base/fail.h"
#include "explore/engine/engine.h"
#include "explore/explorers.h"
#include "explore/fairness.h"
#include "run/run.h"
#include "world/live.h"

enum {
    MOST_STATES = 30000,
    MOST_EDGES = 150000,
    MOST_UNITS = 1 << 20,
    SLOTS = 1 << 16, /* of the table of states */
    NOTHING = 0xffffffffu
};

struct state {
    struct rh_fingerprint f;
    uint32_t units, unit_count; /* what is open (explore/fairness.h) */
    uint32_t edge;              /* the last one that leads from here */
    bool cold, choosing, avoids;
    uint32_t index, low, component;
};

struct edge {
    uint32_t to, next; /* of the same state */
    uint32_t served, served_count;
    bool cold; /* the monitor was not hot at some time in the step */
};

struct graph {
    uint32_t state_count, edge_count, unit_count;
    bool full;
    uint32_t slot[SLOTS];
    struct state state[MOST_STATES];
    struct edge edge[MOST_EDGES];
    uint64_t units[MOST_UNITS];
    uint32_t path[MOST_STATES], at[MOST_STATES], stack[MOST_STATES]; /* of searches */
    bool seen[MOST_STATES];
};

/* In memory that survives the child. */
struct lasso {
    const struct rh__finding *f;
    uint32_t monitor, prefix;
    bool in_run, avoided;
    struct rh__why_lasso result;
};

/* ---- the states -------------------------------------------------------------------------------------------------- */

static bool goes_on(const struct rh_choice *c)
{
    return !rh__is_fault(c) || c->kind == RH_CHOICE_HEAL || c->kind == RH_CHOICE_RESTART;
}

static bool is_cold(const struct lasso *x, const struct rh_world *w)
{
    return x->monitor != RH__NO_MONITOR && rh__monitor_hot_since(w, x->monitor) == RH_NONE;
}

/* The run ends here.  One that is cut says nothing. */
static void judge_end(const struct lasso *x, const struct rh_world *w, struct graph *g, struct state *s)
{
    switch (rh_world_outcome(w)->kind) {
    case RH_OUTCOME_CUT:
    case RH_OUTCOME_ENDLESS_RUN:
        g->full = true;
        break;
    case RH_OUTCOME_ASSUMED:
        break;
    case RH_OUTCOME_MONITOR:
        s->avoids = x->monitor == RH__NO_MONITOR || is_cold(x, w);
        break;
    default:
        s->avoids = true;
    }
}

/* The state of the world; `*is_new`: it was not met before.  NOTHING if there is no room. */
static uint32_t meet(const struct lasso *x, struct rh_world *w, struct graph *g, bool *is_new)
{
    struct rh_fingerprint f = rh_world_fingerprint_wide(w);
    uint32_t slot = (uint32_t)f.low % SLOTS, count;
    *is_new = false;
    for (; g->slot[slot]; slot = (slot + 1) % SLOTS)
        if (g->state[g->slot[slot] - 1].f.high == f.high && g->state[g->slot[slot] - 1].f.low == f.low)
            return g->slot[slot] - 1;
    const struct rh_choice *open = rh_world_enabled(w, &count);
    if (g->state_count == MOST_STATES || g->unit_count + (uint64_t)count * RH__UNITS_OF_CHOICE > MOST_UNITS) {
        g->full = true;
        return NOTHING;
    }
    struct state *s = &g->state[g->state_count];
    *s = (struct state){
        .f = f, .units = g->unit_count, .edge = NOTHING, .cold = is_cold(x, w), .choosing = rh__world_is_choosing(w)
    };
    if (!count)
        judge_end(x, w, g, s);
    s->unit_count = rh__units_of_state(w, open, count, g->units + g->unit_count);
    g->unit_count += s->unit_count;
    g->slot[slot] = ++g->state_count;
    *is_new = true;
    return g->state_count - 1;
}

/* Makes the step, and notes what it served.  False if there is no room. */
static bool make_step(const struct lasso *x, struct rh_world *w, struct graph *g, const struct rh_choice *choice)
{
    struct edge *e = &g->edge[g->edge_count];
    uint32_t count;
    if (g->edge_count == MOST_EDGES || g->unit_count + RH__UNITS_OF_CHOICE > MOST_UNITS) {
        g->full = true;
        return false;
    }
    *e = (struct edge){ .served = g->unit_count };
    e->served_count = rh__units_of_choice(w, choice, g->units + g->unit_count);
    rh_world_step(w, choice);
    const struct rh_choice *open = rh_world_enabled(w, &count);
    e->cold =
        is_cold(x, w) || (x->monitor != RH__NO_MONITOR && rh__monitor_hot_since(w, x->monitor) >= rh__depth(w) - 1);
    if (g->unit_count + e->served_count + (uint64_t)count > MOST_UNITS) {
        g->full = true;
        return false;
    }
    e->served_count += rh__units_set(w, open, count, g->units + g->unit_count + e->served_count);
    g->unit_count += e->served_count;
    return true;
}

/* The next choice from `from` on that is no fault; the number of choices for none. */
static uint32_t next_choice(const struct rh_choice *open, uint32_t count, uint32_t from)
{
    while (from < count && !goes_on(&open[from]))
        from++;
    return from;
}

/* From the state of the world on, depth first.  NOTHING if there is no room; else the number of the first state. */
static uint32_t make_states(struct lasso *x, struct rh_world *w, struct graph *g)
{
    bool is_new;
    uint32_t first = meet(x, w, g, &is_new), depth = 0;
    if (is_new) {
        g->path[depth] = first;
        g->at[depth++] = 0;
    }
    while (depth && !g->full) {
        uint32_t count, from = g->path[depth - 1];
        const struct rh_choice *open = rh_world_enabled(w, &count);
        uint32_t pick = next_choice(open, count, g->at[depth - 1]);
        if (pick == count) {
            if (--depth)
                rh_world_undo(w);
            continue;
        }
        g->at[depth - 1] = pick + 1;
        if (!make_step(x, w, g, &open[pick]))
            break;
        uint32_t to = meet(x, w, g, &is_new);
        if (to == NOTHING)
            break;
        g->edge[g->edge_count].to = to;
        g->edge[g->edge_count].next = g->state[from].edge;
        g->state[from].edge = g->edge_count++;
        if (is_new) {
            g->path[depth] = to;
            g->at[depth++] = 0;
        } else {
            rh_world_undo(w);
        }
    }
    return g->full ? NOTHING : first;
}

/* ---- the components ---------------------------------------------------------------------------------------------- */

/* Whether the monitor is again and again not hot in a fair run round the component, whose states are `members`. */
static bool is_cold_and_fair(const struct graph *g, const uint32_t *members, uint32_t count, uint64_t *pending)
{
    bool steps = false, cold = false, known = false;
    uint32_t left = 0, component = g->state[members[0]].component;
    for (uint32_t i = 0; i < count; i++) {
        const struct state *s = &g->state[members[i]];
        cold |= s->cold;
        if (s->choosing)
            continue;
        if (known) {
            left = rh__units_keep(pending, left, g->units + s->units, s->unit_count);
        } else {
            memcpy(pending, g->units + s->units, s->unit_count * sizeof *pending);
            left = s->unit_count;
            known = true;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t e = g->state[members[i]].edge; e != NOTHING; e = g->edge[e].next) {
            if (g->state[g->edge[e].to].component != component)
                continue;
            steps = true;
            cold |= g->edge[e].cold;
            for (uint32_t k = 0; k < g->edge[e].served_count; k++)
                left = rh__units_remove(pending, left, g->units[g->edge[e].served + k]);
        }
    return steps && cold && !left;
}

/* Tarjan's algorithm without recursion.  Marks the states of the components that avoid the failure. */
static void find_components(struct graph *g, uint64_t *pending)
{
    uint32_t counter = 0, components = 0, stacked = 0;
    for (uint32_t i = 0; i < g->state_count; i++)
        g->state[i].index = g->state[i].component = 0;
    for (uint32_t root = 0; root < g->state_count; root++) {
        uint32_t depth = 0;
        if (g->state[root].index)
            continue;
        g->path[depth++] = root;
        while (depth) {
            uint32_t n = g->path[depth - 1], e;
            struct state *s = &g->state[n];
            if (!s->index) {
                s->index = s->low = ++counter;
                g->at[n] = s->edge;
                g->stack[stacked++] = n;
            }
            for (e = g->at[n]; e != NOTHING && g->state[g->edge[e].to].index; e = g->edge[e].next) {
                const struct state *to = &g->state[g->edge[e].to];
                if (!to->component && to->low < s->low)
                    s->low = to->low;
            }
            g->at[n] = e; /* once more when the state behind it is done */
            if (e != NOTHING) {
                g->path[depth++] = g->edge[e].to;
                continue;
            }
            depth--;
            if (s->low != s->index)
                continue;
            uint32_t first = stacked;
            components++;
            do
                g->state[g->stack[--first]].component = components;
            while (g->stack[first] != n);
            if (is_cold_and_fair(g, g->stack + first, stacked - first, pending))
                for (uint32_t i = first; i < stacked; i++)
                    g->state[g->stack[i]].avoids = true;
            stacked = first;
        }
    }
}

/* Whether a state that avoids the failure can be reached; else `*states` is how many can be. */
static bool is_avoided(struct graph *g, uint32_t first, uint64_t *states)
{
    uint32_t count = 1;
    memset(g->seen, 0, g->state_count * sizeof *g->seen);
    g->stack[0] = first;
    g->seen[first] = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct state *s = &g->state[g->stack[i]];
        if (s->avoids)
            return true;
        for (uint32_t e = s->edge; e != NOTHING; e = g->edge[e].next)
            if (!g->seen[g->edge[e].to]) {
                g->seen[g->edge[e].to] = true;
                g->stack[count++] = g->edge[e].to;
            }
    }
    *states = count;
    return false;
}

/* ---- the prefixes ------------------------------------------------------------------------------------------------ */

static bool go_to_prefix(const struct lasso *x, struct rh_world *w)
{
    rh_world_reset(w);
    for (uint32_t i = 0; i < x->prefix; i++) {
        uint32_t count;
        const struct rh_choice *open = rh_world_enabled(w, &count);
        if (x->f->picks[i] >= count || !rh_world_step(w, &open[x->f->picks[i]]))
            return false;
    }
    return true;
}

/* From the loop to the beginning, until a prefix is met that can avoid the failure. */
static void go_through_prefixes(struct lasso *x, struct rh_world *w, struct graph *g, uint64_t *pending)
{
    uint32_t before = 0;
    uint64_t states;
    for (;; x->prefix--) {
        x->in_run = go_to_prefix(x, w);
        uint32_t first = x->in_run ? make_states(x, w, g) : NOTHING;
        if (first == NOTHING)
            return;
        x->in_run = false;
        if (g->state_count > before)
            find_components(g, pending);
        before = g->state_count;
        x->avoided = is_avoided(g, first, &states);
        if (x->avoided)
            return;
        x->result.certain = x->prefix;
        x->result.states = states;
        if (!x->prefix)
            return;
    }
}

/* In a child process. */
static void drive(struct rh_world *w, void *arg)
{
    struct lasso *x = arg;
    struct graph *g = rh__alloc(sizeof *g);
    uint64_t *pending = rh__alloc(rh__world_most_choices(w) * RH__UNITS_OF_CHOICE * sizeof *pending);
    uint32_t meaning = rh_world_fingerprint_meaning(w), stem = x->prefix;
    rh__mute();
    rh__world_only_reset(w, false);
    rh_world_reset(w);
    (void)rh_world_fingerprint_wide(w); /* from now on stacks are cleaned, and equal states look equal */
    for (uint32_t tries = 0; g && pending && tries < 3; tries++) {
        memset(g, 0, sizeof *g);
        x->avoided = false;
        x->result = (struct rh__why_lasso){ .certain = stem + 1 };
        x->prefix = stem;
        go_through_prefixes(x, w, g, pending);
        if (rh_world_fingerprint_meaning(w) == meaning)
            break;
        meaning = rh_world_fingerprint_meaning(w); /* states from before are not those from now on */
        x->avoided = false;
        x->result.certain = stem + 1;
    }
    rh__free(g);
    rh__free(pending);
}

bool rh__why_lasso(struct rh_world *w, const struct rh__finding *f, const struct rh__run *r,
                   struct rh__why_lasso *result)
{
    struct lasso *x = rh_shared_new(sizeof *x);
    uint32_t stem = r->loop - 1;
    *result = (struct rh__why_lasso){ .certain = stem + 1 };
    if (!x)
        return true;
    *x = (struct lasso){ .f = f, .monitor = r->loop_monitor, .prefix = stem, .result = *result };
    enum rh_sandbox_end end = rh_sandbox_run(w, drive, x);
    if (end == RH_SANDBOX_FINDING && x->in_run && !rh__world_child_killed(w))
        x->avoided = true; /* by a continuation that fails in another way */
    *result = x->result;
    result->exact = x->avoided || !result->certain;
    rh_shared_free(x, sizeof *x);
    return end != RH_SANDBOX_FAILED;
}
