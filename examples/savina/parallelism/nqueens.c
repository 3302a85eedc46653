/* N queens: how many ways there are to place n queens.  Workers split boards with few queens into more work, which
 * they give back to the master, and solve the others.
 *
 * Invariant: the count is that of a recursive function.
 * Bug early: the master is done when its list of work is empty, although workers are busy. */
#include "../savina.h"

enum { MOST = 8, MOST_WORKERS = 4, MOST_WORK = 512 };

RH_MESSAGE(place, int n; int workers; int threshold;);
RH_MESSAGE(placed, int count; bool refused;);
RH_MESSAGE(work, int n; int threshold; int depth; uint8_t board[MOST];);
RH_MESSAGE(more_work, int depth; uint8_t board[MOST];);
RH_MESSAGE(done, int worker; int count;);

/* Whether the queen in the last row is safe from the others. */
static bool is_safe(const uint8_t *board, int depth)
{
    int last = board[depth - 1];
    for (int i = 0; i < depth - 1; i++) {
        int difference = board[i] > last ? board[i] - last : last - board[i];
        if (difference == 0 || difference == depth - 1 - i)
            return false;
    }
    return true;
}
static int count_ways(uint8_t *board, int n, int depth)
{
    if (depth == n)
        return 1;
    int count = 0;
    for (int i = 0; i < n; i++) {
        board[depth] = (uint8_t)i;
        if (is_safe(board, depth + 1))
            count += count_ways(board, n, depth + 1);
    }
    return count;
}

/* ---- worker ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(worker, int number;);
RH_HANDLER(worker, work)
{
    uint8_t board[MOST];
    int count = 0;
    for (int i = 0; i < msg->depth; i++)
        board[i] = msg->board[i];
    if (msg->depth >= msg->threshold) {
        count = count_ways(board, msg->n, msg->depth);
    } else {
        for (int i = 0; i < msg->n; i++) {
            board[msg->depth] = (uint8_t)i;
            if (!is_safe(board, msg->depth + 1))
                continue;
            struct more_work m = { .depth = msg->depth + 1 };
            for (int k = 0; k <= msg->depth; k++)
                m.board[k] = board[k];
            rh_send_value(rh_sender(), more_work, &m);
        }
    }
    rh_reply(done, .worker = state->number, .count = count);
}
RH_HANDLER(worker, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(worker, idle, work, stop);

/* ---- master ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(master, struct rh_request client; int n; int workers; int threshold; rh_ref at[MOST_WORKERS];
         bool busy[MOST_WORKERS]; int busy_count; int waiting; struct work list[MOST_WORK]; int count; bool early;);

static void hand_out(struct master *state)
{
    for (int i = 0; i < state->workers && state->waiting > 0; i++) {
        if (state->busy[i])
            continue;
        state->busy[i] = true;
        state->busy_count++;
        rh_send_value(state->at[i], work, &state->list[--state->waiting]);
    }
}
static void add_work(struct master *state, int depth, const uint8_t *board)
{
    rh_assert(state->waiting < MOST_WORK, "more work than the list can hold");
    struct work *w = &state->list[state->waiting++];
    *w = (struct work){ .n = state->n, .threshold = state->threshold, .depth = depth };
    for (int i = 0; i < depth; i++)
        w->board[i] = board[i];
}
RH_HANDLER(master, place)
{
    if (msg->n < 1 || msg->n > MOST || msg->workers < 1 || msg->workers > MOST_WORKERS || msg->threshold < 0 ||
        msg->threshold > 3) {
        rh_reply(placed, .refused = true);
        return;
    }
    struct rh_request client = rh_keep_request();
    state->client = client;
    state->n = msg->n;
    state->workers = msg->workers;
    state->threshold = msg->threshold < msg->n ? msg->threshold : msg->n;
    state->count = state->busy_count = state->waiting = 0;
    for (int i = 0; i < msg->workers; i++) {
        state->at[i] = rh_spawn(worker, .number = i);
        state->busy[i] = false;
    }
    add_work(state, 0, NULL);
    hand_out(state);
    rh_become(master, working);
}
RH_HANDLER(master, more_work)
{
    add_work(state, msg->depth, msg->board);
    hand_out(state);
}
RH_HANDLER(master, done)
{
    state->busy[msg->worker] = false;
    state->busy_count--;
    state->count += msg->count;
    hand_out(state);
    if (state->waiting > 0 || (state->busy_count > 0 && !state->early))
        return;
    uint8_t board[MOST];
    int wanted = count_ways(board, state->n, 0);
    rh_assert(state->count == wanted, "%d ways instead of %d", state->count, wanted);
    for (int i = 0; i < state->workers; i++)
        rh_send(state->at[i], stop);
    rh_reply_to(state->client, placed, .count = state->count);
    rh_become(master, ready);
}
RH_HANDLER(master, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(master, ready, place, stop);
RH_BEHAVIOUR(master, working, more_work, done, RH_DEFER(place), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int n; int workers; int threshold; bool early;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(master, .early = state->early);
    const struct placed *r =
        rh_ask(m, place, placed, .n = state->n, .workers = state->workers, .threshold = state->threshold);
    rh_assert(!r->refused);
    rh_log("nqueens: %d ways for %d queens", r->count, state->n);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .n = MOST, .workers = MOST_WORKERS, .threshold = 3)
#else
RH_PARAM(n, "4", "how many queens there are");
RH_PARAM(workers, "2", "how many workers there are");
RH_PARAM(threshold, "1", "a worker splits boards with fewer queens");
RH_BUG(early, "the master does not wait for workers that are busy");

RH_TEST(all_ways_are_counted)
{
    rh_spawn(driver, .n = (int)rh_param("n", 4), .workers = (int)rh_param("workers", 2),
             .threshold = (int)rh_param("threshold", 1), .early = rh_bug("early"));
}

static bool is_small(const struct place *m)
{
    return m->n <= 5 && m->workers <= 3 && m->threshold <= 2;
}
RH_TEST(anybody_may_ask, .outside = 1, .outside_values = 40)
{
    rh_open(rh_spawn(master, .early = rh_bug("early")), place, .when = is_small);
}

RH_MAIN()
#endif
