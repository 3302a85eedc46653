/* Successive over-relaxation, red and black: the rows of a grid are actors.  In each phase a row changes the fields of
 * one colour from their neighbours, and sends itself to the rows above and below.
 *
 * Invariant: the grid is that of a loop, bit by bit.
 * Bug uncounted: a row goes on when two rows have come since the last phase.  A neighbour may be one phase ahead, so
 * both may be from above.  Without the bug a row waits for the right phase of both. */
#include "../savina.h"

enum { MOST = 8, MOST_PHASES = 1000 };
enum { ABOVE, BELOW };

RH_MESSAGE(relax, int n; int phases;);
RH_MESSAGE(relaxed, double sum; bool refused;);
RH_MESSAGE(neighbours, rh_ref above; rh_ref below;);
RH_MESSAGE(row_now, int phase; int side; double at[MOST];); /* side: where the sender is, seen from the receiver */
RH_MESSAGE(row_done, int number; double at[MOST];);

static double field_at(int i, int j)
{
    return (double)((uint32_t)(i * 31 + j) * 2654435761u >> 22) / 1024;
}
/* Fields outside of the grid are 0. */
static void change(double *row, const double *above, const double *below, int n, int number, int phase)
{
    const double omega = 1.25;
    for (int j = (number + phase) % 2; j < n; j += 2) {
        double left = j > 0 ? row[j - 1] : 0, right = j < n - 1 ? row[j + 1] : 0;
        row[j] = omega / 4 * (above[j] + below[j] + left + right) + (1 - omega) * row[j];
    }
}

/* ---- row --------------------------------------------------------------------------------------------------------- */
RH_ACTOR(row, rh_ref master; int number; int n; int phases; int phase; bool linked; rh_ref above; rh_ref below;
         double at[MOST]; int newest[2]; double from[2][2][MOST]; int came; bool uncounted;);

static void send_row(const struct row *state)
{
    struct row_now m = { .phase = state->phase };
    for (int j = 0; j < state->n; j++)
        m.at[j] = state->at[j];
    m.side = BELOW;
    if (!rh_is_nobody(state->above))
        rh_send_value(state->above, row_now, &m);
    m.side = ABOVE;
    if (!rh_is_nobody(state->below))
        rh_send_value(state->below, row_now, &m);
}
static bool has_both(const struct row *state)
{
    int needed = (state->number > 0) + (state->number < state->n - 1);
    if (state->uncounted)
        return state->came >= needed;
    return (state->number == 0 || state->newest[ABOVE] >= state->phase) &&
           (state->number == state->n - 1 || state->newest[BELOW] >= state->phase);
}
static void advance(struct row *state)
{
    while (state->linked && state->phase < state->phases && has_both(state)) {
        int needed = (state->number > 0) + (state->number < state->n - 1);
        change(state->at, state->from[ABOVE][state->phase % 2], state->from[BELOW][state->phase % 2], state->n,
               state->number, state->phase);
        state->phase++;
        state->came -= needed;
        send_row(state);
    }
    if (state->phase < state->phases || !state->linked)
        return;
    struct row_done d = { .number = state->number };
    for (int j = 0; j < state->n; j++)
        d.at[j] = state->at[j];
    rh_send_value(state->master, row_done, &d);
    rh_become(row, finished);
}
RH_HANDLER(row, neighbours)
{
    state->above = msg->above;
    state->below = msg->below;
    state->linked = true;
    send_row(state);
    advance(state);
}
RH_HANDLER(row, row_now)
{
    rh_assert(state->uncounted || msg->phase <= state->phase + 1, "a row of phase %d in phase %d", msg->phase,
              state->phase);
    for (int j = 0; j < state->n; j++)
        state->from[msg->side][msg->phase % 2][j] = msg->at[j];
    state->newest[msg->side] = msg->phase;
    state->came++;
    advance(state);
}
RH_HANDLER(row, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(row, changing, neighbours, row_now);
RH_BEHAVIOUR(row, finished, stop, RH_IGNORE(row_now));

/* ---- master ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(master, struct rh_request client; int n; int phases; int done; rh_ref at[MOST]; double grid[MOST][MOST];
         double expected[MOST][MOST]; bool uncounted;);

static void relax_in_sequence(struct master *state)
{
    static const double nothing[MOST];
    for (int i = 0; i < state->n; i++)
        for (int j = 0; j < state->n; j++)
            state->expected[i][j] = field_at(i, j);
    /* Fields of one colour have neighbours of the other one only, so the rows may be changed one after the other. */
    for (int p = 0; p < state->phases; p++)
        for (int i = 0; i < state->n; i++)
            change(state->expected[i], i ? state->expected[i - 1] : nothing,
                   i < state->n - 1 ? state->expected[i + 1] : nothing, state->n, i, p);
}
RH_HANDLER(master, relax)
{
    if (msg->n < 1 || msg->n > MOST || msg->phases < 0 || msg->phases > MOST_PHASES) {
        rh_reply(relaxed, .refused = true);
        return;
    }
    *state = (struct master){ .n = msg->n, .phases = msg->phases, .uncounted = state->uncounted };
    state->client = rh_keep_request();
    relax_in_sequence(state);
    for (int i = 0; i < msg->n; i++) {
        struct row r = { .master = self,
                         .number = i,
                         .n = msg->n,
                         .phases = msg->phases,
                         .newest = { -1, -1 },
                         .uncounted = state->uncounted };
        for (int j = 0; j < msg->n; j++)
            r.at[j] = field_at(i, j);
        state->at[i] = rh_spawn_value(row, &r);
    }
    for (int i = 0; i < msg->n; i++)
        rh_send(state->at[i], neighbours, .above = i ? state->at[i - 1] : rh_nobody(),
                .below = i < msg->n - 1 ? state->at[i + 1] : rh_nobody());
    rh_become(master, waiting);
}
RH_HANDLER(master, row_done)
{
    for (int j = 0; j < state->n; j++) {
        rh_assert(msg->at[j] == state->expected[msg->number][j], "at %d, %d: %.17g instead of %.17g", msg->number, j,
                  msg->at[j], state->expected[msg->number][j]);
        state->grid[msg->number][j] = msg->at[j];
    }
    if (++state->done < state->n)
        return;
    double sum = 0;
    for (int i = 0; i < state->n; i++) {
        for (int j = 0; j < state->n; j++)
            sum += state->grid[i][j];
        rh_send(state->at[i], stop);
    }
    rh_reply_to(state->client, relaxed, .sum = sum);
    rh_become(master, ready);
}
RH_HANDLER(master, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(master, ready, relax, stop);
RH_BEHAVIOUR(master, waiting, row_done, RH_DEFER(relax), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int n; int phases; bool uncounted;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(master, .uncounted = state->uncounted);
    const struct relaxed *r = rh_ask(m, relax, relaxed, .n = state->n, .phases = state->phases);
    rh_assert(!r->refused);
    rh_log("sor: the fields add up to %.6f", r->sum);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .n = MOST, .phases = 10)
#else
RH_PARAM(n, "3", "how many rows the grid has");
RH_PARAM(phases, "2", "how many phases there are");
RH_BUG(uncounted, "a row does not look at whose rows have come");

RH_TEST(the_grid_is_right)
{
    rh_spawn(driver, .n = (int)rh_param("n", 3), .phases = (int)rh_param("phases", 2),
             .uncounted = rh_bug("uncounted"));
}

static bool is_small(const struct relax *m)
{
    return m->n <= 4 && m->phases <= 3;
}
RH_TEST(anybody_may_ask, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(master, .uncounted = rh_bug("uncounted")), relax, .when = is_small);
}

RH_MAIN()
#endif
