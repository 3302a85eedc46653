/* All-pairs shortest paths: Floyd and Warshall, with an actor for each row of the matrix.  In round k the actor of row
 * k sends its row to all others, and they shorten their paths with it.
 *
 * Invariant: the matrix is that of the sequential algorithm.
 * Bug unordered: an actor uses pivot rows in the order in which they arrive.  They come from different senders, so row
 * k + 1 may be faster than row k; without the bug it is kept until its turn comes. */
#include "../savina.h"

enum { MOST = 12, FAR = 1000000 };

RH_MESSAGE(solve, int n; int density; uint32_t seed;);
RH_MESSAGE(solved, int64_t sum; bool refused;);
RH_MESSAGE(peers, rh_ref at[MOST];);
RH_MESSAGE(pivot, int number; int row[MOST];);
RH_MESSAGE(row_done, int number; int row[MOST];);

/* ---- the graph, and the sequential algorithm --------------------------------------------------------------------- */
static int length_of(uint32_t seed, int density, int from, int to)
{
    uint32_t h = (seed * 31 + (uint32_t)from * 17 + (uint32_t)to) * 2654435761u;
    if (from == to)
        return 0;
    return (int)(h >> 8 & 0xff) * 100 / 256 < density ? 1 + (int)(h >> 20) % 20 : FAR;
}
static int shorter(int direct, int first, int second)
{
    return first + second < direct ? first + second : direct;
}

/* ---- row --------------------------------------------------------------------------------------------------------- */
RH_ACTOR(row, rh_ref master; int number; int n; int row[MOST]; rh_ref at[MOST]; bool linked; int round; bool has[MOST];
         int kept[MOST][MOST]; bool unordered;);

static void use_pivot(struct row *state, int number, const int *pivot)
{
    int via = state->row[number];
    for (int j = 0; j < state->n; j++)
        state->row[j] = shorter(state->row[j], via, pivot[j]);
    state->round++;
}
/* Goes on as far as possible: the own row is sent in its round. */
static void advance(struct row *state)
{
    while (state->linked && state->round < state->n) {
        if (state->round == state->number) {
            struct pivot p = { .number = state->number };
            for (int j = 0; j < state->n; j++)
                p.row[j] = state->row[j];
            for (int i = 0; i < state->n; i++)
                if (i != state->number)
                    rh_send_value(state->at[i], pivot, &p);
            state->round++;
        } else if (!state->unordered && state->has[state->round]) {
            use_pivot(state, state->round, state->kept[state->round]);
        } else {
            return;
        }
    }
    if (!state->linked)
        return;
    struct row_done d = { .number = state->number };
    for (int j = 0; j < state->n; j++)
        d.row[j] = state->row[j];
    rh_send_value(state->master, row_done, &d);
    rh_stop();
}
RH_HANDLER(row, peers)
{
    for (int i = 0; i < state->n; i++)
        state->at[i] = msg->at[i];
    state->linked = true;
    advance(state);
}
RH_HANDLER(row, pivot)
{
    rh_assert(!state->has[msg->number], "row %d came twice", msg->number);
    state->has[msg->number] = true;
    if (state->unordered)
        use_pivot(state, msg->number, msg->row);
    else
        for (int j = 0; j < state->n; j++)
            state->kept[msg->number][j] = msg->row[j];
    advance(state);
}
RH_BEHAVIOUR(row, working, peers, pivot);

/* ---- master ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(master, struct rh_request client; int n; int done; int64_t sum; int expected[MOST][MOST]; bool unordered;);

static void solve_in_sequence(struct master *state, const struct solve *m)
{
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n; j++)
            state->expected[i][j] = length_of(m->seed, m->density, i, j);
    for (int k = 0; k < m->n; k++)
        for (int i = 0; i < m->n; i++)
            for (int j = 0; j < m->n; j++)
                state->expected[i][j] = shorter(state->expected[i][j], state->expected[i][k], state->expected[k][j]);
}
RH_HANDLER(master, solve)
{
    if (msg->n < 1 || msg->n > MOST || msg->density < 0 || msg->density > 100) {
        rh_reply(solved, .refused = true);
        return;
    }
    *state = (struct master){ .n = msg->n, .unordered = state->unordered };
    state->client = rh_keep_request();
    solve_in_sequence(state, msg);
    struct peers all = { .at = { { 0 } } };
    for (int i = 0; i < msg->n; i++) {
        struct row r = { .master = self, .number = i, .n = msg->n, .unordered = state->unordered };
        for (int j = 0; j < msg->n; j++)
            r.row[j] = length_of(msg->seed, msg->density, i, j);
        all.at[i] = rh_spawn_value(row, &r);
    }
    for (int i = 0; i < msg->n; i++)
        rh_send_value(all.at[i], peers, &all);
    rh_become(master, waiting);
}
RH_HANDLER(master, row_done)
{
    for (int j = 0; j < state->n; j++) {
        rh_assert(msg->row[j] == state->expected[msg->number][j], "%d to %d: %d instead of %d", msg->number, j,
                  msg->row[j], state->expected[msg->number][j]);
        if (msg->row[j] < FAR)
            state->sum += msg->row[j];
    }
    if (++state->done == state->n) {
        rh_reply_to(state->client, solved, .sum = state->sum);
        rh_become(master, ready);
    }
}
RH_HANDLER(master, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(master, ready, solve, stop);
RH_BEHAVIOUR(master, waiting, row_done, RH_DEFER(solve), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int n; uint32_t seed; bool unordered;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(master, .unordered = state->unordered);
    const struct solved *r = rh_ask(m, solve, solved, .n = state->n, .density = 50, .seed = state->seed);
    rh_assert(!r->refused);
    rh_log("apsp: the shortest paths add up to %lld", (long long)r->sum);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .n = MOST, .seed = 2)
#else
RH_PARAM(n, "4", "how many nodes the graph has");
RH_PARAM(seed, "4", "of the graph");
RH_BUG(unordered, "pivot rows are used in the order of their arrival");

RH_TEST(the_paths_are_shortest)
{
    rh_spawn(driver, .n = (int)rh_param("n", 4), .seed = (uint32_t)rh_param("seed", 4),
             .unordered = rh_bug("unordered"));
}

static bool is_small(const struct solve *m)
{
    return m->n <= 4;
}
RH_TEST(anybody_may_ask, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(master, .unordered = rh_bug("unordered")), solve, .when = is_small);
}

RH_MAIN()
#endif
