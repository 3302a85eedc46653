/* See parallel.h.
 *
 * The table has a cell for each component and phase.  It is empty until there is a result, or until the one worker that
 * needs the result says that it waits: whichever comes first fills the cell, in one operation (rh_table_insert_new),
 * and the other one finds it filled.  A worker that looks first and then writes (hasty) overwrites a result that has
 * come in between, and waits for ever; so do all that need its result, the coordinator, and the server, which is
 * never closed. */
#include "parallel.h"

#include <stdio.h>

struct cell {
    rh_ref waits; /* nobody: there is a result */
    int64_t result;
};
RH_TABLE(cells);

/* ---- the server -------------------------------------------------------------------------------------------------- */
RH_BODY(server)
{
    for (;;) {
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(ask_turn, turn_over, leave, close_down));
        if (rh_as(e, close_down))
            return;
        if (rh_as(e, ask_turn))
            state->queue[state->waiting++] = e->sender;
        state->free += rh_as(e, turn_over) != NULL;
        if (!state->free || !state->waiting)
            continue;
        state->free--;
        rh_send(state->queue[0], turn);
        state->waiting--;
        for (int i = 0; i < state->waiting; i++)
            state->queue[i] = state->queue[i + 1];
    }
}

/* ---- a worker ---------------------------------------------------------------------------------------------------- */
static const char *key_of(char key[32], int phase, int component)
{
    snprintf(key, 32, "%d/%d", phase, component);
    return key;
}

static bool is_about(const struct rh_envelope *e, const void *component)
{
    return rh_as(e, ready)->component == *(const int *)component;
}

/* `hasty`: who has just waited for one result expects the next one to be there, and only looks. */
static int64_t result_of(int phase, int component, rh_ref self, bool hasty, bool *waited)
{
    char key[32];
    struct cell c = { .waits = self };
    key_of(key, phase, component);
    if (hasty && *waited) {
        *waited = rh_table_get(cells, key, &c, sizeof c) < 0;
        if (*waited)
            rh_table_put(cells, key, &c, sizeof c);
    } else {
        *waited = rh_table_insert_new(cells, key, &c, sizeof c);
    }
    if (*waited)
        rh_receive(ready, .match = is_about, .arg = &component);
    rh_table_get(cells, key, &c, sizeof c);
    return c.result;
}

static void publish(const struct worker *w, int phase, int64_t result)
{
    char key[32];
    struct cell c = { .result = result };
    if (rh_table_insert_new(cells, key_of(key, phase, w->number), &c, sizeof c))
        return;
    rh_table_get(cells, key, &c, sizeof c);
    rh_ref waits = c.waits;
    c = (struct cell){ .result = result };
    rh_table_put(cells, key, &c, sizeof c);
    rh_send(waits, ready, .component = w->number);
}

RH_BODY(worker)
{
    for (int phase = 0; phase < state->phases; phase++) {
        int64_t sum = state->number + 1;
        bool waited = false;
        for (int uses = 2 * state->number + 1; uses <= 2 * state->number + 2 && uses < state->components; uses++)
            sum += result_of(phase, uses, self, state->hasty, &waited);
        rh_send(state->server, ask_turn);
        rh_receive(turn);
        sum *= phase + 1; /* the analysis */
        rh_send(state->server, turn_over);
        publish(state, phase, sum);
    }
    rh_send(state->server, leave);
    rh_send(state->coordinator, done);
}

/* ---- the coordinator --------------------------------------------------------------------------------------------- */
RH_BODY(coordinator)
{
    struct cell c;
    char key[32];
    rh_ref s = rh_spawn(server, .free = state->at_once);
    for (int i = state->components; i-- > 0;) /* those that use nothing first */
        rh_spawn(worker, .number = i, .components = state->components, .phases = state->phases, .hasty = state->hasty,
                 .server = s, .coordinator = self);
    for (int i = 0; i < state->components; i++)
        rh_receive(done);
    rh_send(s, close_down);
    rh_table_get(cells, key_of(key, state->phases - 1, 0), &c, sizeof c);
    rh_send(state->asker, analysed, .result = c.result);
}
