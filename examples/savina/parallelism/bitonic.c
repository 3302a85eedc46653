/* Bitonic sort: a network of comparators, each an actor with two inputs and two outputs.  Several rows of numbers go
 * through the network, one behind the other.
 *
 * Invariant: each row comes out sorted, with the same numbers.
 * Bug mixed: a comparator compares the first two numbers that come, although both may be from one input: of two rows.
 */
#include "../savina.h"

enum { MOST_WIDTH = 16, MOST_ROWS = 100, MOST_STAGES = 10, MOST_QUEUE = MOST_ROWS };

RH_MESSAGE(sort_rows, int width; int rows; uint32_t seed;);
RH_MESSAGE(rows_sorted, int rows; int64_t sum; bool refused;);
RH_MESSAGE(number, int wire; int value;);

static int number_at(uint32_t seed, int row, int wire)
{
    return (int)((seed + (uint32_t)(row * 131 + wire)) * 2654435761u >> 22);
}

/* ---- comparator: the smaller number leaves on the wire `low` ----------------------------------------------------- */
RH_ACTOR(comparator, int low; int high; rh_ref next_low; rh_ref next_high; int rows; int count[2]; int first[2];
         int queue[2][MOST_QUEUE]; bool mixed;);

static void take(struct comparator *state, int input)
{
    state->first[input]++;
    state->count[input]--;
}
static void send_pair(struct comparator *state, int a, int b)
{
    rh_send(state->next_low, number, .wire = state->low, .value = a < b ? a : b);
    rh_send(state->next_high, number, .wire = state->high, .value = a < b ? b : a);
    if (--state->rows == 0)
        rh_stop();
}
RH_HANDLER(comparator, number)
{
    rh_assert(msg->wire == state->low || msg->wire == state->high, "wire %d is not connected", msg->wire);
    int input = msg->wire == state->high;
    rh_assert(state->first[input] + state->count[input] < MOST_QUEUE, "too many numbers on wire %d", msg->wire);
    state->queue[input][state->first[input] + state->count[input]++] = msg->value;
    if (state->mixed && state->count[input] == 2) {
        int a = state->queue[input][state->first[input]], b = state->queue[input][state->first[input] + 1];
        take(state, input);
        take(state, input);
        send_pair(state, a, b);
    } else if (state->count[0] && state->count[1]) {
        int a = state->queue[0][state->first[0]], b = state->queue[1][state->first[1]];
        take(state, 0);
        take(state, 1);
        send_pair(state, a, b);
    }
}
RH_BEHAVIOUR(comparator, comparing, number);

/* ---- network ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(network, struct rh_request client; int width; int rows; uint32_t seed; rh_ref entry[MOST_WIDTH];
         int heard[MOST_WIDTH]; int out[MOST_ROWS][MOST_WIDTH]; int missing; bool mixed;);

/* The comparators of a stage: i and i ^ distance.  Stages are built from the last to the first, because a comparator
 * must know the next ones. */
static void add_stage(struct network *state, int block, int distance)
{
    rh_ref next[MOST_WIDTH];
    for (int i = 0; i < state->width; i++)
        next[i] = state->entry[i];
    for (int i = 0; i < state->width; i++) {
        int other = i ^ distance;
        if (other < i)
            continue;
        bool ascending = (i & block) == 0;
        int low = ascending ? i : other, high = ascending ? other : i;
        state->entry[i] = state->entry[other] =
            rh_spawn(comparator, .low = low, .high = high, .next_low = next[low], .next_high = next[high],
                     .rows = state->rows, .mixed = state->mixed);
    }
}
RH_HANDLER(network, sort_rows)
{
    int w = msg->width;
    if (w < 2 || w > MOST_WIDTH || (w & (w - 1)) != 0 || msg->rows < 1 || msg->rows > MOST_ROWS) {
        rh_reply(rows_sorted, .refused = true);
        return;
    }
    state->client = rh_keep_request();
    state->width = w;
    state->rows = msg->rows;
    state->seed = msg->seed;
    state->missing = w * msg->rows;
    for (int i = 0; i < w; i++) {
        state->entry[i] = self;
        state->heard[i] = 0;
    }
    for (int block = w; block >= 2; block /= 2)
        for (int distance = 1; distance < block; distance *= 2)
            add_stage(state, block, distance);
    for (int r = 0; r < msg->rows; r++)
        for (int i = 0; i < w; i++)
            rh_send(state->entry[i], number, .wire = i, .value = number_at(msg->seed, r, i));
    rh_become(network, sorting);
}
RH_HANDLER(network, number)
{
    rh_assert(state->heard[msg->wire] < state->rows, "too many numbers on wire %d", msg->wire);
    state->out[state->heard[msg->wire]++][msg->wire] = msg->value;
    if (--state->missing > 0)
        return;
    int64_t sum = 0;
    for (int r = 0; r < state->rows; r++) {
        int64_t squares = 0;
        for (int i = 0; i < state->width; i++) {
            int value = state->out[r][i], other = number_at(state->seed, r, i);
            rh_assert(i == 0 || state->out[r][i - 1] <= value, "row %d: %d stands before %d", r, state->out[r][i - 1],
                      value);
            squares += (int64_t)value * value - (int64_t)other * other;
            sum += value;
        }
        rh_assert(squares == 0, "row %d has other numbers", r);
    }
    rh_reply_to(state->client, rows_sorted, .rows = state->rows, .sum = sum);
    rh_become(network, ready);
}
RH_HANDLER(network, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(network, ready, sort_rows, stop);
RH_BEHAVIOUR(network, sorting, number, RH_DEFER(sort_rows), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int width; int rows; bool mixed;);
RH_BODY(driver)
{
    rh_ref n = rh_spawn(network, .mixed = state->mixed);
    const struct rows_sorted *r =
        rh_ask(n, sort_rows, rows_sorted, .width = state->width, .rows = state->rows, .seed = 1);
    rh_assert(!r->refused);
    rh_log("bitonic: %d rows, the numbers add up to %lld", r->rows, (long long)r->sum);
    rh_send(n, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .width = MOST_WIDTH, .rows = MOST_ROWS)
#else
RH_PARAM(width, "4", "how many numbers a row has: a power of 2");
RH_PARAM(rows, "2", "how many rows there are");
RH_BUG(mixed, "a comparator compares two numbers of one input");

RH_TEST(the_rows_are_sorted)
{
    rh_spawn(driver, .width = (int)rh_param("width", 4), .rows = (int)rh_param("rows", 2), .mixed = rh_bug("mixed"));
}

static bool is_small(const struct sort_rows *m)
{
    return m->width <= 4 && m->rows <= 2;
}
RH_TEST(anybody_may_sort, .outside = 1, .outside_values = 40)
{
    rh_open(rh_spawn(network, .mixed = rh_bug("mixed")), sort_rows, .when = is_small);
}

RH_MAIN()
#endif
