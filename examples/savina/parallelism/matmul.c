/* Recursive matrix multiplication: workers divide large blocks into eight products of smaller ones, which they give
 * back to the master, and multiply small blocks.
 *
 * Invariant: the product is that of three loops.
 * Bug two_stops: a worker for which there is no work is told to stop, and so is every worker at the end.  Some have
 * ended by then (the pattern of the sixth bug of the TAP paper). */
#include "../savina.h"

enum { MOST = 16, SMALL = 2, MOST_WORKERS = 4, MOST_WORK = 512 };

RH_MESSAGE(multiply, int n; int workers; uint32_t seed;);
RH_MESSAGE(multiplied, int64_t trace; bool refused;);
/* The block of `size` at (row, column) of the product gets that at (row, via) times that at (via, column). */
RH_MESSAGE(work, int row; int column; int via; int size; uint32_t seed;);
RH_MESSAGE(more_work, int row; int column; int via; int size;);
RH_MESSAGE(block, int row; int column; int size; int64_t values[SMALL * SMALL];);
RH_MESSAGE(worked, int worker;);

static int64_t a_at(uint32_t seed, int i, int j)
{
    return (int64_t)((seed + (uint32_t)(i * 31 + j)) * 2654435761u >> 24) - 128;
}
static int64_t b_at(uint32_t seed, int i, int j)
{
    return a_at(seed + 77, j, i);
}

/* ---- worker ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(worker, int number;);
RH_HANDLER(worker, work)
{
    int half = msg->size / 2;
    if (msg->size > SMALL) {
        for (int k = 0; k < 8; k++)
            rh_reply(more_work, .row = msg->row + (k & 1) * half, .column = msg->column + (k >> 1 & 1) * half,
                     .via = msg->via + (k >> 2) * half, .size = half);
    } else {
        struct block b = { .row = msg->row, .column = msg->column, .size = msg->size };
        for (int i = 0; i < msg->size; i++)
            for (int j = 0; j < msg->size; j++)
                for (int k = 0; k < msg->size; k++)
                    b.values[i * SMALL + j] +=
                        a_at(msg->seed, msg->row + i, msg->via + k) * b_at(msg->seed, msg->via + k, msg->column + j);
        rh_send_value(rh_sender(), block, &b);
    }
    rh_reply(worked, .worker = state->number);
}
RH_HANDLER(worker, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(worker, idle, work, stop);

/* ---- master ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(master, struct rh_request client; int n; int workers; uint32_t seed; rh_ref at[MOST_WORKERS];
         bool busy[MOST_WORKERS]; int busy_count; int waiting; struct work list[MOST_WORK]; int64_t product[MOST][MOST];
         bool two_stops;);

static void add_work(struct master *state, int row, int column, int via, int size)
{
    rh_assert(state->waiting < MOST_WORK, "more work than the list can hold");
    state->list[state->waiting++] =
        (struct work){ .row = row, .column = column, .via = via, .size = size, .seed = state->seed };
}
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
RH_HANDLER(master, multiply)
{
    int n = msg->n;
    if (n < 1 || n > MOST || (n & (n - 1)) != 0 || msg->workers < 1 || msg->workers > MOST_WORKERS) {
        rh_reply(multiplied, .refused = true);
        return;
    }
    state->client = rh_keep_request();
    state->n = n;
    state->workers = msg->workers;
    state->seed = msg->seed;
    state->busy_count = state->waiting = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            state->product[i][j] = 0;
    for (int i = 0; i < msg->workers; i++) {
        state->at[i] = rh_spawn(worker, .number = i);
        state->busy[i] = false;
    }
    add_work(state, 0, 0, 0, n);
    hand_out(state);
    rh_become(master, working);
}
RH_HANDLER(master, more_work)
{
    add_work(state, msg->row, msg->column, msg->via, msg->size);
    hand_out(state);
}
RH_HANDLER(master, block)
{
    for (int i = 0; i < msg->size; i++)
        for (int j = 0; j < msg->size; j++)
            state->product[msg->row + i][msg->column + j] += msg->values[i * SMALL + j];
}
static int64_t check(const struct master *state)
{
    int64_t trace = 0;
    for (int i = 0; i < state->n; i++)
        for (int j = 0; j < state->n; j++) {
            int64_t sum = 0;
            for (int k = 0; k < state->n; k++)
                sum += a_at(state->seed, i, k) * b_at(state->seed, k, j);
            rh_assert(state->product[i][j] == sum, "at %d, %d: %lld instead of %lld", i, j,
                      (long long)state->product[i][j], (long long)sum);
            trace += i == j ? sum : 0;
        }
    return trace;
}
RH_HANDLER(master, worked)
{
    state->busy[msg->worker] = false;
    state->busy_count--;
    hand_out(state);
    if (state->waiting > 0 || state->busy_count > 0) {
        if (state->two_stops && !state->busy[msg->worker]) {
            rh_reply(stop);
            state->busy[msg->worker] = true; /* it gets no more work */
        }
        return;
    }
    int64_t trace = check(state);
    for (int i = 0; i < state->workers; i++)
        rh_send(state->at[i], stop);
    rh_reply_to(state->client, multiplied, .trace = trace);
    rh_become(master, ready);
}
RH_HANDLER(master, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(master, ready, multiply, stop);
RH_BEHAVIOUR(master, working, more_work, block, worked, RH_DEFER(multiply), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int n; int workers; bool two_stops;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(master, .two_stops = state->two_stops);
    const struct multiplied *r = rh_ask(m, multiply, multiplied, .n = state->n, .workers = state->workers, .seed = 1);
    rh_assert(!r->refused);
    rh_log("matmul: the trace is %lld", (long long)r->trace);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .n = MOST, .workers = MOST_WORKERS)
#else
RH_PARAM(n, "4", "how many rows the matrices have: a power of 2");
RH_PARAM(workers, "2", "how many workers there are");
RH_BUG(two_stops, "some workers are told to stop twice");

RH_TEST(the_product_is_right, .dead_letters = RH_DEAD_LETTER_FAIL)
{
    rh_spawn(driver, .n = (int)rh_param("n", 4), .workers = (int)rh_param("workers", 2),
             .two_stops = rh_bug("two_stops"));
}

static bool is_small(const struct multiply *m)
{
    return m->n <= 4 && m->workers <= 3;
}
RH_TEST(anybody_may_multiply, .outside = 1, .outside_values = 40, .dead_letters = RH_DEAD_LETTER_FAIL)
{
    rh_open(rh_spawn(master, .two_stops = rh_bug("two_stops")), multiply, .when = is_small);
}

RH_MAIN()
#endif
