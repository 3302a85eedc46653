/* Concurrent sorted linked list: every element is an actor that knows the next one.  Requests are forwarded along the
 * list from its head, so several are under way at once, in order.
 *
 * Invariant: elements are in ascending order, and the list has what was inserted and not removed.
 * Bug hasty_remove: to remove an element, the one before it asks for the element's successor.  With the bug it goes on
 * with other requests while it waits, and passes them to the element that is ending. */
#include "../savina.h"

enum { HEAD = -1, MOST_VALUE = 1000000, MOST_WORKERS = 4 };

RH_MESSAGE(insert, int value;);
RH_MESSAGE(erase, int value;);
RH_MESSAGE(contains, int value;);
RH_MESSAGE(walk, rh_ref client; int count; int64_t sum;);
RH_MESSAGE(answer, int value; bool yes;);
RH_MESSAGE(walked, int count; int64_t sum;);
RH_MESSAGE(leave); /* to an element: it is removed */
RH_MESSAGE(left, rh_ref next; int next_value;);

/* ---- element ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(element, int value; rh_ref next; int next_value; rh_ref client; bool hasty;);

/* Whether a request for this value belongs behind the next element. */
static bool is_further(const struct element *state, int value)
{
    rh_assert(value > state->value, "%d came behind %d", value, state->value);
    return !rh_is_nobody(state->next) && value > state->next_value;
}
static bool is_next(const struct element *state, int value)
{
    return !rh_is_nobody(state->next) && value == state->next_value;
}
RH_HANDLER(element, insert)
{
    if (msg->value < 0 || msg->value > MOST_VALUE) {
        rh_reply(answer, .value = msg->value);
    } else if (is_further(state, msg->value)) {
        rh_forward(state->next);
    } else if (is_next(state, msg->value)) {
        rh_reply(answer, .value = msg->value); /* it is there */
    } else {
        state->next = rh_spawn(element, .value = msg->value, .next = state->next, .next_value = state->next_value,
                               .hasty = state->hasty);
        state->next_value = msg->value;
        rh_reply(answer, .value = msg->value, .yes = true);
    }
}
RH_HANDLER(element, contains)
{
    if (msg->value < 0 || msg->value > MOST_VALUE)
        rh_reply(answer, .value = msg->value);
    else if (is_further(state, msg->value))
        rh_forward(state->next);
    else
        rh_reply(answer, .value = msg->value, .yes = is_next(state, msg->value));
}
RH_HANDLER(element, erase)
{
    if (msg->value < 0 || msg->value > MOST_VALUE) {
        rh_reply(answer, .value = msg->value);
    } else if (is_further(state, msg->value)) {
        rh_forward(state->next);
    } else if (is_next(state, msg->value)) {
        rh_send(state->next, leave);
        state->client = rh_sender();
        if (!state->hasty)
            rh_become(element, unlinking);
    } else {
        rh_reply(answer, .value = msg->value);
    }
}
RH_HANDLER(element, leave)
{
    rh_reply(left, .next = state->next, .next_value = state->next_value);
    rh_stop();
}
RH_HANDLER(element, left)
{
    rh_send(state->client, answer, .value = state->next_value, .yes = true);
    state->next = msg->next;
    state->next_value = msg->next_value;
    rh_become(element, linked);
}
RH_HANDLER(element, walk)
{
    rh_assert(rh_is_nobody(state->next) || state->value < state->next_value, "%d stands before %d", state->value,
              state->next_value);
    int count = msg->count + (state->value != HEAD);
    int64_t sum = msg->sum + (state->value == HEAD ? 0 : state->value);
    if (rh_is_nobody(state->next))
        rh_send(msg->client, walked, .count = count, .sum = sum);
    else
        rh_send(state->next, walk, .client = msg->client, .count = count, .sum = sum);
}
RH_HANDLER(element, stop)
{
    if (!rh_is_nobody(state->next))
        rh_send(state->next, stop);
    rh_stop();
}
RH_BEHAVIOUR(element, linked, insert, contains, erase, walk, leave, left, stop);
RH_BEHAVIOUR(element, unlinking, left, RH_DEFER(insert), RH_DEFER(contains), RH_DEFER(erase), RH_DEFER(walk),
             RH_DEFER(leave), RH_DEFER(stop));

/* ---- worker: inserts its numbers, looks for them, and removes every second one ----------------------------------- */
RH_PROCESS(worker, rh_ref list; rh_ref parent; int first; int step; int count;);
RH_MESSAGE(worked);
RH_BODY(worker)
{
    for (int i = 0; i < state->count; i++) {
        int value = state->first + i * state->step;
        rh_send(state->list, insert, .value = value);
        rh_assert(rh_receive(answer)->yes, "%d is there before it is inserted", value);
        if (i % 2 == 0) {
            rh_send(state->list, erase, .value = value);
            rh_assert(rh_receive(answer)->yes, "%d cannot be removed", value);
        }
        rh_send(state->list, contains, .value = value);
        rh_assert(rh_receive(answer)->yes == (i % 2 == 1), "%d", value);
    }
    rh_send(state->parent, worked);
}

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int workers; int count; bool hasty;);
RH_BODY(driver)
{
    rh_ref list = rh_spawn(element, .value = HEAD, .hasty = state->hasty);
    int count = 0;
    int64_t sum = 0;
    for (int w = 0; w < state->workers; w++) {
        rh_spawn(worker, .list = list, .parent = self, .first = w, .step = state->workers, .count = state->count);
        for (int i = 1; i < state->count; i += 2, count++)
            sum += w + i * state->workers;
    }
    for (int w = 0; w < state->workers; w++)
        rh_receive(worked);
    rh_send(list, walk, .client = self);
    const struct walked *r = rh_receive(walked);
    rh_assert(r->count == count && r->sum == sum, "%d elements with sum %lld", r->count, (long long)r->sum);
    rh_log("sortedlist: %d elements, sum %lld", r->count, (long long)r->sum);
    rh_send(list, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .workers = MOST_WORKERS, .count = 100)
#else
RH_PARAM(workers, "2", "how many workers use the list");
RH_PARAM(count, "1", "how many values each of them inserts");
RH_BUG(hasty_remove, "an element passes requests to another one that is being removed");

RH_TEST(the_list_is_sorted)
{
    rh_spawn(driver, .workers = (int)rh_param("workers", 2), .count = (int)rh_param("count", 1),
             .hasty = rh_bug("hasty_remove"));
}

RH_TEST(anybody_may_use_the_list, .outside = 6, .outside_values = 16, .dead_letters = RH_DEAD_LETTER_FAIL)
{
    rh_ref list = rh_spawn(element, .value = HEAD, .hasty = rh_bug("hasty_remove"));
    rh_open(list, insert);
    rh_open(list, erase);
    rh_open(list, contains);
}

RH_MAIN()
#endif
