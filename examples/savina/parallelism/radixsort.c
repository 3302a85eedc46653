/* Radix sort: a chain of stages, one for each bit, from the lowest.  A stage passes numbers without its bit on at once
 * and keeps the others until it has seen all numbers.
 *
 * Invariant: what leaves the chain is sorted, and has the same numbers.
 * Bug unlinked: a stage may get a number from the stage before it sooner than the message that tells it the next
 * stage, which comes from the sorter.  With the bug it sends the number to nobody (the pattern of TAP's Figure 12). */
#include "../savina.h"

enum { MOST_BITS = 16, MOST_NUMBERS = 2048 };

RH_MESSAGE(sort_bits, int count; int bits; uint32_t seed;);
RH_MESSAGE(bits_sorted, int count; int64_t sum; bool refused;);
RH_MESSAGE(next_stage, rh_ref next;);
RH_MESSAGE(number, int value;);

static int number_at(uint32_t seed, int bits, int i)
{
    return (int)((seed + (uint32_t)i) * 2654435761u >> (32 - bits));
}

/* ---- stage ------------------------------------------------------------------------------------------------------- */
RH_ACTOR(stage, int bit; int count; rh_ref next; int seen; int kept; int values[MOST_NUMBERS]; bool unlinked;);
RH_HANDLER(stage, rh_start)
{
    if (!state->unlinked)
        rh_become(stage, alone);
}
RH_HANDLER(stage, next_stage)
{
    state->next = msg->next;
    rh_become(stage, linked);
}
RH_HANDLER(stage, number)
{
    state->seen++;
    if (msg->value >> state->bit & 1)
        state->values[state->kept++] = msg->value;
    else
        rh_send(state->next, number, .value = msg->value);
    if (state->seen < state->count)
        return;
    for (int i = 0; i < state->kept; i++)
        rh_send(state->next, number, .value = state->values[i]);
    rh_stop();
}
RH_BEHAVIOUR(stage, linked, rh_start, next_stage, number);
RH_BEHAVIOUR(stage, alone, next_stage, RH_DEFER(number)); /* it does not know the next stage */

/* ---- sorter ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(sorter, struct rh_request client; int count; int bits; uint32_t seed; int seen; int last; int64_t sum;
         int64_t expected; bool unlinked;);
RH_HANDLER(sorter, sort_bits)
{
    if (msg->count < 1 || msg->count > MOST_NUMBERS || msg->bits < 1 || msg->bits > MOST_BITS) {
        rh_reply(bits_sorted, .refused = true);
        return;
    }
    *state = (struct sorter){ .count = msg->count, .bits = msg->bits, .seed = msg->seed, .unlinked = state->unlinked };
    state->client = rh_keep_request();
    rh_ref at[MOST_BITS + 1];
    for (int i = 0; i < msg->bits; i++)
        at[i] = rh_spawn(stage, .bit = i, .count = msg->count, .unlinked = state->unlinked);
    at[msg->bits] = self;
    for (int i = 0; i < msg->bits; i++)
        rh_send(at[i], next_stage, .next = at[i + 1]);
    for (int i = 0; i < msg->count; i++) {
        int value = number_at(msg->seed, msg->bits, i);
        state->expected += (int64_t)value * value;
        rh_send(at[0], number, .value = value);
    }
    rh_become(sorter, collecting);
}
RH_HANDLER(sorter, number)
{
    rh_assert(msg->value >= state->last, "%d comes after %d", msg->value, state->last);
    state->last = msg->value;
    state->sum += (int64_t)msg->value * msg->value;
    if (++state->seen < state->count)
        return;
    rh_assert(state->sum == state->expected, "these are other numbers");
    rh_reply_to(state->client, bits_sorted, .count = state->count, .sum = state->sum);
    rh_become(sorter, ready);
}
RH_HANDLER(sorter, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(sorter, ready, sort_bits, stop);
RH_BEHAVIOUR(sorter, collecting, number, RH_DEFER(sort_bits), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int count; int bits; bool unlinked;);
RH_BODY(driver)
{
    rh_ref s = rh_spawn(sorter, .unlinked = state->unlinked);
    const struct bits_sorted *r =
        rh_ask(s, sort_bits, bits_sorted, .count = state->count, .bits = state->bits, .seed = 1);
    rh_assert(!r->refused);
    rh_log("radixsort: %d numbers, squares add up to %lld", r->count, (long long)r->sum);
    rh_send(s, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .count = 1000, .bits = 16)
#else
RH_PARAM(count, "4", "how many numbers are sorted");
RH_PARAM(bits, "3", "how many bits they have");
RH_BUG(unlinked, "a stage sends numbers on before it knows the next stage");

RH_TEST(the_numbers_are_sorted)
{
    rh_spawn(driver, .count = (int)rh_param("count", 4), .bits = (int)rh_param("bits", 3),
             .unlinked = rh_bug("unlinked"));
}

static bool is_small(const struct sort_bits *m)
{
    return m->count <= 5 && m->bits <= 3;
}
RH_TEST(anybody_may_sort, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(sorter, .unlinked = rh_bug("unlinked")), sort_bits, .when = is_small);
}

RH_MAIN()
#endif
