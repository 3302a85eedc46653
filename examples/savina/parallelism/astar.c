/* A*: the shortest way through a grid with fields of different costs and with walls.  A master keeps the open list and
 * gives fields to workers, which look at the neighbours.
 *
 * Invariant: the way is as short as Dijkstra's algorithm says.
 * Bug first_found: the master takes the first way that arrives, while workers still look at fields that may lead to a
 * shorter one. */
#include "../savina.h"

enum { MOST_SIDE = 8, MOST_FIELDS = MOST_SIDE * MOST_SIDE, MOST_WORKERS = 4, FAR = 1000000 };

RH_MESSAGE(search, int side; int workers; uint32_t seed;);
RH_MESSAGE(searched, int cost; int expanded; bool refused;); /* FAR: there is no way */
RH_MESSAGE(expand, int field; int cost;);
RH_MESSAGE(expanded, int worker; int count; int fields[4]; int costs[4];);

/* ---- the map ----------------------------------------------------------------------------------------------------- */
/* The cost of entering a field; 0 for a wall.  Corners are never walls. */
static int cost_of(uint32_t seed, int side, int field)
{
    uint32_t h = (seed * 101 + (uint32_t)field) * 2654435761u;
    if (field != 0 && field != side * side - 1 && (h >> 10 & 7) == 0)
        return 0;
    return 1 + (int)(h >> 20) % 5;
}
static int neighbours_of(int side, int field, int *out)
{
    int x = field % side, y = field / side, n = 0;
    if (x > 0)
        out[n++] = field - 1;
    if (x < side - 1)
        out[n++] = field + 1;
    if (y > 0)
        out[n++] = field - side;
    if (y < side - 1)
        out[n++] = field + side;
    return n;
}
static int distance_left(int side, int field)
{
    return (side - 1 - field % side) + (side - 1 - field / side);
}

/* ---- worker ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(worker, int number; int side; uint32_t seed;);
RH_HANDLER(worker, expand)
{
    int fields[4];
    int n = neighbours_of(state->side, msg->field, fields);
    struct expanded e = { .worker = state->number };
    for (int i = 0; i < n; i++) {
        int cost = cost_of(state->seed, state->side, fields[i]);
        if (cost == 0)
            continue;
        e.fields[e.count] = fields[i];
        e.costs[e.count++] = msg->cost + cost;
    }
    rh_send_value(rh_sender(), expanded, &e);
}
RH_HANDLER(worker, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(worker, idle, expand, stop);

/* ---- master ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(master, struct rh_request client; int side; int workers; uint32_t seed; rh_ref at[MOST_WORKERS];
         bool busy[MOST_WORKERS]; int busy_count; int best[MOST_FIELDS]; bool open[MOST_FIELDS]; int expanded;
         bool first_found;);

static int shortest(uint32_t seed, int side)
{
    int best[MOST_FIELDS], goal = side * side - 1;
    bool done[MOST_FIELDS] = { false };
    for (int i = 0; i <= goal; i++)
        best[i] = i ? FAR : 0;
    for (;;) {
        int next = -1, around[4];
        for (int i = 0; i <= goal; i++)
            if (!done[i] && best[i] < FAR && (next < 0 || best[i] < best[next]))
                next = i;
        if (next < 0)
            return best[goal];
        done[next] = true;
        for (int i = neighbours_of(side, next, around) - 1; i >= 0; i--) {
            int cost = cost_of(seed, side, around[i]);
            if (cost && best[next] + cost < best[around[i]])
                best[around[i]] = best[next] + cost;
        }
    }
}
/* The open field with the best estimate that can still lead to a shorter way; -1 if there is none. */
static int best_open(const struct master *state)
{
    int found = -1, estimate = state->best[state->side * state->side - 1];
    for (int i = 0; i < state->side * state->side; i++) {
        int e = state->best[i] + distance_left(state->side, i);
        if (state->open[i] && e < estimate) {
            found = i;
            estimate = e;
        }
    }
    return found;
}
static void finish(struct master *state)
{
    int goal = state->side * state->side - 1, wanted = shortest(state->seed, state->side);
    rh_assert(state->best[goal] == wanted, "a way of %d, and the shortest has %d", state->best[goal], wanted);
    for (int i = 0; i < state->workers; i++)
        rh_send(state->at[i], stop);
    rh_reply_to(state->client, searched, .cost = state->best[goal], .expanded = state->expanded);
    rh_become(master, ready);
}
static void go_on(struct master *state)
{
    for (int i = 0; i < state->workers; i++) {
        int field = state->busy[i] ? -1 : best_open(state);
        if (field < 0)
            continue;
        state->open[field] = false;
        state->busy[i] = true;
        state->busy_count++;
        state->expanded++;
        rh_send(state->at[i], expand, .field = field, .cost = state->best[field]);
    }
    if (state->busy_count == 0 || (state->first_found && state->best[state->side * state->side - 1] < FAR))
        finish(state);
}
RH_HANDLER(master, search)
{
    if (msg->side < 1 || msg->side > MOST_SIDE || msg->workers < 1 || msg->workers > MOST_WORKERS) {
        rh_reply(searched, .refused = true);
        return;
    }
    *state = (struct master){
        .side = msg->side, .workers = msg->workers, .seed = msg->seed, .first_found = state->first_found
    };
    state->client = rh_keep_request();
    for (int i = 0; i < msg->workers; i++)
        state->at[i] = rh_spawn(worker, .number = i, .side = msg->side, .seed = msg->seed);
    for (int i = 1; i < msg->side * msg->side; i++)
        state->best[i] = FAR;
    state->open[0] = true;
    rh_become(master, searching);
    go_on(state);
}
RH_HANDLER(master, expanded)
{
    state->busy[msg->worker] = false;
    state->busy_count--;
    for (int i = 0; i < msg->count; i++)
        if (msg->costs[i] < state->best[msg->fields[i]]) {
            state->best[msg->fields[i]] = msg->costs[i];
            state->open[msg->fields[i]] = true;
        }
    go_on(state);
}
RH_HANDLER(master, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(master, ready, search, stop, RH_IGNORE(expanded));
RH_BEHAVIOUR(master, searching, expanded, RH_DEFER(search), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int side; int workers; uint32_t seed; bool first_found;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(master, .first_found = state->first_found);
    const struct searched *r =
        rh_ask(m, search, searched, .side = state->side, .workers = state->workers, .seed = state->seed);
    rh_assert(!r->refused);
    rh_log("astar: the shortest way costs %d", r->cost);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .side = MOST_SIDE, .workers = MOST_WORKERS, .seed = 1)
#else
RH_PARAM(side, "3", "how many fields the grid has on a side");
RH_PARAM(workers, "2", "how many workers there are");
RH_PARAM(seed, "1", "of the map");
RH_BUG(first_found, "the first way is taken, while a shorter one may be under way");

RH_TEST(the_way_is_shortest)
{
    rh_spawn(driver, .side = (int)rh_param("side", 3), .workers = (int)rh_param("workers", 2),
             .seed = (uint32_t)rh_param("seed", 1), .first_found = rh_bug("first_found"));
}

static bool is_small(const struct search *m)
{
    return m->side <= 4 && m->workers <= 3;
}
RH_TEST(anybody_may_search, .outside = 1, .outside_values = 40)
{
    rh_open(rh_spawn(master, .first_found = rh_bug("first_found")), search, .when = is_small);
}

RH_MAIN()
#endif
