/* Quicksort: an actor for each part.  It divides its numbers around a pivot, lets two others sort them, and puts the
 * results together.  Numbers travel as bytes behind the fields of a message.
 *
 * Invariant: the result is sorted, and has the same numbers.
 * Bug first_come: a part takes the result that comes first for the smaller numbers. */
#include "../savina.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, SMALL = 2 };
enum side { LEFT, RIGHT, WHOLE };

RH_MESSAGE(sort_numbers, int count; uint32_t seed;);
RH_MESSAGE(numbers_sorted, int count; int smallest; int largest; bool refused;);
RH_MESSAGE(sort, int side;);   /* numbers follow */
RH_MESSAGE(sorted, int side;); /* numbers follow */

static int number_at(uint32_t seed, int i)
{
    return (int)((seed + (uint32_t)i) * 2654435761u >> 16 & 0x3ff);
}
static void insertion_sort(int *at, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && at[k - 1] > at[k]; k--) {
            int keep = at[k];
            at[k] = at[k - 1];
            at[k - 1] = keep;
        }
}

/* ---- part -------------------------------------------------------------------------------------------------------- */
RH_ACTOR(part, rh_ref parent; int side; int n; int equal; int pivot; int *result; int have[2]; int heard;
         bool first_come;);

static void divide(struct part *state, const int *at, int n)
{
    int *parts = malloc(2 * (size_t)n * sizeof *parts); /* smaller numbers, larger numbers */
    rh_assert(parts, "no memory");
    int counts[2] = { 0, 0 };
    state->pivot = at[n / 2];
    for (int i = 0; i < n; i++)
        if (at[i] == state->pivot)
            state->equal++;
        else if (at[i] < state->pivot)
            parts[counts[LEFT]++] = at[i];
        else
            parts[n + counts[RIGHT]++] = at[i];
    state->have[LEFT] = counts[LEFT];
    state->have[RIGHT] = counts[RIGHT];
    for (int side = LEFT; side <= RIGHT; side++)
        rh_send_with(rh_spawn(part, .first_come = state->first_come), parts + side * n,
                     (size_t)counts[side] * sizeof *parts, sort, .side = side);
    free(parts);
}
RH_HANDLER(part, sort)
{
    size_t size;
    const int *at = rh_tail(&size);
    int n = (int)(size / sizeof *at);
    state->parent = rh_sender();
    state->side = msg->side;
    state->n = n;
    if (n > SMALL) {
        divide(state, at, n);
        return;
    }
    int few[SMALL] = { 0 };
    for (int i = 0; i < n; i++)
        few[i] = at[i];
    insertion_sort(few, n);
    rh_send_with(state->parent, few, size, sorted, .side = state->side);
    rh_stop();
}
RH_HANDLER(part, sorted)
{
    size_t size;
    const int *at = rh_tail(&size);
    int side = state->first_come ? state->heard : msg->side;
    if (!state->result)
        state->result = calloc((size_t)state->n, sizeof *state->result);
    rh_assert(state->result, "no memory");
    int n = (int)(size / sizeof *at);
    int *to = side == LEFT ? state->result : state->result + state->n - n;
    if (n)
        memcpy(to, at, size);
    if (++state->heard < 2)
        return;
    for (int i = 0; i < state->equal; i++)
        state->result[state->have[LEFT] + i] = state->pivot;
    rh_send_with(state->parent, state->result, (size_t)state->n * sizeof *state->result, sorted, .side = state->side);
    free(state->result);
    rh_stop();
}
RH_BEHAVIOUR(part, open, sort, sorted);

/* ---- sorter ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(sorter, struct rh_request client; int count; uint32_t seed; bool first_come;);
RH_HANDLER(sorter, sort_numbers)
{
    if (msg->count < 1 || msg->count > MOST) {
        rh_reply(numbers_sorted, .refused = true);
        return;
    }
    state->client = rh_keep_request();
    state->count = msg->count;
    state->seed = msg->seed;
    int numbers[MOST];
    for (int i = 0; i < msg->count; i++)
        numbers[i] = number_at(msg->seed, i);
    rh_send_with(rh_spawn(part, .first_come = state->first_come), numbers, (size_t)msg->count * sizeof *numbers, sort,
                 .side = WHOLE);
    rh_become(sorter, waiting);
}
RH_HANDLER(sorter, sorted)
{
    size_t size;
    const int *at = rh_tail(&size);
    int n = (int)(size / sizeof *at);
    rh_assert(n == state->count, "%d numbers instead of %d", n, state->count);
    int64_t sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        int other = number_at(state->seed, i);
        rh_assert(i == 0 || at[i - 1] <= at[i], "%d stands before %d", at[i - 1], at[i]);
        sum += at[i] - other;
        squares += (int64_t)at[i] * at[i] - (int64_t)other * other;
    }
    rh_assert(sum == 0 && squares == 0, "these are other numbers");
    rh_reply_to(state->client, numbers_sorted, .count = n, .smallest = at[0], .largest = at[n - 1]);
    rh_become(sorter, ready);
}
RH_HANDLER(sorter, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(sorter, ready, sort_numbers, stop);
RH_BEHAVIOUR(sorter, waiting, sorted, RH_DEFER(sort_numbers), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int count; bool first_come;);
RH_BODY(driver)
{
    rh_ref s = rh_spawn(sorter, .first_come = state->first_come);
    const struct numbers_sorted *r = rh_ask(s, sort_numbers, numbers_sorted, .count = state->count, .seed = 1);
    rh_assert(!r->refused);
    rh_log("quicksort: %d numbers from %d to %d", r->count, r->smallest, r->largest);
    rh_send(s, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .count = MOST)
#else
RH_PARAM(count, "7", "how many numbers are sorted");
RH_BUG(first_come, "the result that comes first is put first");

RH_TEST(the_numbers_are_sorted)
{
    rh_spawn(driver, .count = (int)rh_param("count", 7), .first_come = rh_bug("first_come"));
}

static bool is_small(const struct sort_numbers *m)
{
    return m->count <= 10;
}
RH_TEST(anybody_may_sort, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(sorter, .first_come = rh_bug("first_come")), sort_numbers, .when = is_small);
}

RH_MAIN()
#endif
